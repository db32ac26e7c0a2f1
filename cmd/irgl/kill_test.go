package main

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// process returns the command line as a process of the test's own binary.
func process(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	return &exec.Cmd{Path: self, Args: append([]string{"irgl"}, args...)}
}

// TestKill kills a campaign in the middle: what it had is in the journal, of which a
// report can be made, and another process goes on with it and ends with the report of
// one that was not killed.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	campaign := func(out string, more ...string) *exec.Cmd {
		args := []string{"bench", "paper", "--device", "simt", "--graphs", "path:40,star:40", "--programs", "cc,bfs", "--out", filepath.Join(dir, out)}
		for _, switches := range []string{"", "outline=auto", "coop=warp", "coop=block", "batch=2", "batch=4"} {
			args = append(args, "--switches", switches)
		}
		return process(t, append(args, more...)...)
	}
	if text, err := campaign("whole").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	killed := campaign("killed")
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "killed", "journal.jsonl")
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		text, _ := os.ReadFile(path)
		if bytes.Count(text, []byte(`"kind":"cell"`)) >= 3 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("nothing was measured: %s", text)
		}
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait() // it was killed
	report := func(out string) string {
		text, err := os.ReadFile(filepath.Join(dir, out, "report.md"))
		if err != nil {
			t.Fatal(err)
		}
		_, tables, _ := strings.Cut(string(text), "\n###") // the commands differ
		tables, _, _ = strings.Cut(tables, "\n### Notes")
		return tables
	}
	if text, err := campaign("killed", "--replay").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	whole := report("whole")
	if got := report("killed"); got == whole || !strings.Contains(got, "| bfs | path:40 | none |") || !strings.Contains(got, "### Left out") {
		t.Errorf("after the kill:\n%s", got)
	}
	if text, err := campaign("killed", "--resume").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if got := report("killed"); got != whole {
		t.Errorf("after the kill and the rest:\n%s\nwant\n%s", got, whole)
	}
}

// TestJIT checks the process that compiles ahead, as a session starts it.
func TestJIT(t *testing.T) {
	cmd := process(t, "jit", "--device", "simt")
	cmd.Stdin = strings.NewReader(`{"name":"x","ptx":"nonsense"}` + "\n")
	out, err := cmd.Output()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(lines) != 2 || lines[0] != "{}" || !strings.HasPrefix(lines[1], `{"refused":"`) {
		t.Errorf("%v: %q", err, lines)
	}
}

// TestOrphans ends a run on the CPU in the middle of a kernel that does not end, by
// signals that can be handled and by one that cannot. The process that runs the
// program ends with it, and no file is left.
func TestOrphans(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks for the process in /proc")
	}
	if testing.Short() {
		t.Skip("builds a program")
	}
	path, tmp, cache := filepath.Join(t.TempDir(), "endless.irgl"), t.TempDir(), t.TempDir()
	text := "Graph graph { Node int a; }\nKernel K(graph) { ForAll (n In graph.nodes) { while (1) { n.a = n.a + 1; } } }\nHost main() { Invoke K(graph); }\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	children := func() int {
		links, _ := filepath.Glob("/proc/[0-9]*/exe")
		n := 0
		for _, l := range links {
			if exe, err := os.Readlink(l); err == nil && strings.HasPrefix(exe, cache) {
				n++
			}
		}
		return n
	}
	await := func(what string, want int) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); children() != want; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: %d children, want %d", what, children(), want)
			}
		}
	}
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Skip("no Go toolchain")
	}
	for _, sig := range []os.Signal{os.Kill, syscall.SIGHUP, os.Interrupt, syscall.SIGTERM} {
		if signal.Ignored(sig) {
			continue // as under nohup, and so in the command
		}
		cmd := process(t, "run", path, "--gen", "path:40", "--device", "cpu")
		cmd.Env = append(os.Environ(), "TMPDIR="+tmp, "XDG_CACHE_HOME="+cache, "GOCACHE="+strings.TrimSpace(string(out)))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		await("start", 1)
		time.Sleep(200 * time.Millisecond) // the kernel has begun
		start := time.Now()
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		await(sig.String(), 0)
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%v: both processes have ended after %v", sig, took)
		}
		if left, err := os.ReadDir(tmp); err != nil || len(left) != 0 {
			t.Errorf("%v: in the temporary folder: %v (%v)", sig, left, err)
		}
	}
}
