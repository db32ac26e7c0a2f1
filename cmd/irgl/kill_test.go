package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
		before, _, _ := strings.Cut(string(text), "\n### Notes")
		return before
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
