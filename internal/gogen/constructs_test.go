package gogen

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"irgl/internal/run"
)

// TestConstructs runs locks, retried items, extra conditions and numbered edges
// with several numbers of workers.
func TestConstructs(t *testing.T) {
	needGo(t)
	text, err := os.ReadFile("testdata/constructs.irgl")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/constructs.txt")
	if err != nil {
		t.Fatal(err)
	}
	e := buildText(t, "constructs", string(text))
	for _, workers := range []int{1, 2, 5} {
		var out bytes.Buffer
		in := run.Input{Graph: generated(t, "grid:20:10"), Stdout: &out, Workers: workers}
		if _, err := e.Run(context.Background(), in); err != nil || out.String() != string(want) {
			t.Errorf("%d workers: %v\n%s\nwant\n%s", workers, err, out.String(), want)
		}
	}
}

// TestDeadlock checks that a thread that waits for itself ends the run with an
// error where nobody else runs, and with the context where others do.
func TestDeadlock(t *testing.T) {
	needGo(t)
	e := buildText(t, "deadlock", `Graph g { Node int lock; }
Kernel twice(g) {
  ForAll (n In g.nodes) {
    Atomic (n.lock) { m = n; Atomic (m.lock) { m.lock = 1; } }
  }
}
Host f() { Invoke twice(g); }
`)
	_, err := e.Run(context.Background(), run.Input{Graph: generated(t, "empty:5"), Workers: 1})
	if err == nil || !strings.Contains(err.Error(), ":4:38: error: deadlock") {
		t.Errorf("one worker: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err = e.Run(ctx, run.Input{Graph: generated(t, "empty:9999"), Workers: 3})
	if err == nil || time.Since(start) > 10*time.Second {
		t.Errorf("three workers: %v after %v", err, time.Since(start))
	}
}

// TestGroups runs what the iterations of a ForAll do together, with several
// numbers of workers.
func TestGroups(t *testing.T) {
	needGo(t)
	text, err := os.ReadFile("testdata/groups.irgl")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/groups.txt")
	if err != nil {
		t.Fatal(err)
	}
	e := buildText(t, "groups", string(text))
	for _, workers := range []int{1, 2, 3, 4} {
		for range 3 {
			var out bytes.Buffer
			in := run.Input{Graph: generated(t, "grid:60:40"), Stdout: &out, Workers: workers}
			if _, err := e.Run(context.Background(), in); err != nil || out.String() != string(want) {
				t.Fatalf("%d workers: %v\n%s\nwant\n%s", workers, err, out.String(), want)
			}
		}
	}
}
