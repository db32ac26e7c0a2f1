package gogen

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"irgl/internal/run"
	"irgl/rt"
)

const endless = `Graph graph { Output Node int x; }
Kernel K(graph) { ForAll (n In graph.nodes) { int i = 0; while (1) { i = i + 1; n.x = i; } } }
Host endless() { printf("here\n"); Invoke K(graph); }
`

// TestLifeline ends the lifeline of a built program that is in an endless kernel: it
// ends, and removes the files that it knows by name.
func TestLifeline(t *testing.T) {
	needGo(t)
	e := buildText(t, "endless", endless).(*process)
	dir := t.TempDir()
	input, output := filepath.Join(dir, "input"), filepath.Join(dir, "result")
	g := generated(t, "path:40")
	var b bytes.Buffer
	if err := rt.WriteInput(&b, &rt.Graph{RowStart: g.RowStart, Dst: g.Dst}, nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{input, output} {
		if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(e.exe, input, output, "1", "0", "0")
	lifeline, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		t.Fatalf("it has ended by itself: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	lifeline.Close()
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		_ = cmd.Process.Kill()
		t.Fatal("it runs on without a parent")
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 && runtime.GOOS != "windows" {
		t.Errorf("left behind: %v", left)
	}
}

// TestNothingLeft checks the temporary folder while a program runs.
func TestNothingLeft(t *testing.T) {
	needGo(t)
	if runtime.GOOS == "windows" {
		t.Skip("processes inherit no files there")
	}
	e := buildText(t, "endless", endless)
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		_, err := e.Run(ctx, run.Input{Graph: generated(t, "path:40"), Stdout: w})
		ended <- err
	}()
	go func() { time.Sleep(300 * time.Millisecond); w.Close() }() // the kernel has begun, if anything has
	_, _ = io.ReadAll(r)
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("in the temporary folder: %v (%v)", left, err)
	}
	cancel()
	if err := <-ended; err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

// TestClosedOutput runs a program that prints to a pipe that nobody reads.
func TestClosedOutput(t *testing.T) {
	needGo(t)
	if runtime.GOOS == "windows" {
		t.Skip("a broken pipe is an ordinary error on Windows")
	}
	e := buildText(t, "talk", "Graph graph { Node int x; }\nHost talk() { while (1) { printf(\"a line of text\\n\"); } }\n")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	_, err = e.Run(context.Background(), run.Input{Graph: generated(t, "path:3"), Stdout: w})
	if err == nil || !strings.HasPrefix(err.Error(), "talk: write output: ") || strings.Contains(err.Error(), "crash") {
		t.Errorf("a pipe that nobody reads: %v", err)
	}
}

// TestRemovedEntry runs a program whose executable another process has trimmed.
func TestRemovedEntry(t *testing.T) {
	needGo(t)
	e := buildText(t, "gone", "Graph graph { Output Node int x = id; }\nHost gone() { }\n").(*process)
	if err := os.Remove(e.exe); err != nil {
		t.Fatal(err)
	}
	res, err := e.Run(context.Background(), run.Input{Graph: generated(t, "path:3")})
	if err != nil || res.Column("x").Int(2) != 2 {
		t.Errorf("built again: %v", err)
	}
}
