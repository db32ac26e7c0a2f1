//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestClosedStdout: what was asked for on standard output is not lost without a word
// where that is closed.
func TestClosedStdout(t *testing.T) {
	for args, status := range map[string]int{
		"run bfs --src 0 --gen path:3 --device interp --out -": statusError,
		"build bfs --emit=ptx -o -":                            statusError,
		"graph gen path:3 --to dimacs -o -":                    statusError,
		"run bfs --src 0 --gen path:3 --device interp":         0, // with the result in its status
	} {
		for _, to := range []string{">&-", ">/dev/null"} {
			cmd := exec.Command("sh", "-c", "exec irgl "+args+" "+to)
			var errs bytes.Buffer
			cmd.Stderr = &errs
			err := cmd.Run()
			want, text := status, "irgl: -: standard output is closed"
			if to != ">&-" {
				want = 0
			}
			if want == 0 {
				text = ""
			}
			if got := cmd.ProcessState.ExitCode(); got != want || !strings.HasPrefix(errs.String(), text) {
				t.Errorf("irgl %s %s: status %d, want %d; %v: %s", args, to, got, want, err, &errs)
			}
		}
	}
}

// TestPipeInterrupted sends one signal to commands that wait for the other end of a
// pipe, wherever input is read: they end at once, with the status of an interrupt.
func TestPipeInterrupted(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	silent, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	defer silent.Close()
	for _, args := range [][]string{
		{"run", "bfs", "--src", "0", "--device", "cpu", "--graph", pipe},
		{"run", "bfs", "--src", "0", "--device", "cpu", "--graph", "/dev/stdin"},
		{"run", "bfs", "--program=bfs", "--src", "0", "--device", "simt", "--gen", "path:3", "--ptx", pipe},
		{"run", "dmr", "--device", "cpu", "--mesh", pipe},
		{"graph", "info", pipe},
		{"build", "-"},
		{"check", filepath.Join(dir, "pipe.irgl")},
	} {
		if args[0] == "check" {
			if err := syscall.Mkfifo(args[1], 0o666); err != nil {
				t.Fatal(err)
			}
		}
		cmd := process(t, args...)
		var errs bytes.Buffer
		cmd.Stdin, cmd.Stderr = silent, &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(150 * time.Millisecond) // it is waiting by then
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		late := time.AfterFunc(5*time.Second, func() { cmd.Process.Kill() })
		err := cmd.Wait()
		if status := cmd.ProcessState.ExitCode(); status != statusInterrupted {
			t.Errorf("%s: %v: %s", args, err, &errs)
		}
		late.Stop()
	}
	// What is read more than once cannot be a pipe.
	out, err := process(t, "run", "bfs", "--src", "0", "--device", "simt", "--gen", "path:3", "--tuning", pipe).CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("pipe is not a regular file")) {
		t.Errorf("--tuning: %v: %s", err, out)
	}
}
