package host

import (
	"bytes"
	"context"
	"os"
	"testing"

	"irgl/graph"
	"irgl/internal/compile"
	"irgl/internal/device/simt"
	"irgl/internal/lower"
	"irgl/internal/run"
	"irgl/internal/source"
	"irgl/internal/ssa/opt"
	"irgl/syntax"
)

// TestConstructs runs a program with locks that many lanes of a warp want at
// once, nested locks, retried items, extra conditions and numbered edges under
// many schedules. The emulator reports no race, and no deadlock.
func TestConstructs(t *testing.T) {
	text, err := os.ReadFile("../gogen/testdata/constructs.irgl")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../gogen/testdata/constructs.txt")
	if err != nil {
		t.Fatal(err)
	}
	off := map[string]bool{}
	for _, pass := range opt.Passes().Names() {
		off[pass] = false
	}
	for _, tt := range []struct {
		seed     uint64
		schedule simt.Schedule
		capacity int
		o        compile.Options
	}{
		{0, simt.Coarse, 0, compile.Options{Lower: outlined}},
		{1, simt.Fine, 1, compile.Options{Lower: outlined}},
		{2, simt.Medium, 0, compile.Options{Lower: outlined}},
		{3, simt.Coarse, 1, compile.Options{Lower: outlined, Opt: opt.Options{Switch: off}}},
		{4, simt.Fine, 0, compile.Options{Lower: outlined, Opt: opt.Options{InlineBudget: -1}}},
	} {
		if testing.Short() && (tt.seed == 0 || tt.seed == 2) {
			continue // other schedules of what seed 1 runs
		}
		o := simt.Checked()
		o.Seed, o.Schedule = tt.seed, tt.schedule
		// Small blocks, so that there are several.
		tt.o.Check, tt.o.Lower.BlockThreads = true, 64
		u, err := compile.Compile(source.NewFile("constructs.irgl", text), syntax.IrGL, "", tt.o)
		if err != nil {
			t.Fatal(err)
		}
		dev := simt.Open(o)
		e, err := New(dev, u.Info, u.CUDAInfo, u.PTXText(), Options{BlockThreads: 64})
		if err != nil {
			t.Fatal(err)
		}
		g, err := graph.Generate(context.Background(), "grid:20:10")
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		res, err := e.Run(context.Background(), run.Input{Graph: g, Capacity: tt.capacity, Stdout: &out})
		if err != nil || out.String() != string(want) {
			t.Errorf("%+v: %v\n%s", tt, err, out.String())
		} else if tt.capacity == 1 && res.Restarts == 0 {
			t.Error("no list overflowed")
		}
		for _, r := range dev.Reports() {
			t.Errorf("seed %d: %v", tt.seed, r)
		}
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestTickets counts under a lock that all threads want at once, and whose
// tickets begin again at 0 meanwhile.
func TestTickets(t *testing.T) {
	for seed := range uint64(9) {
		o := simt.Checked()
		o.Seed, o.Schedule = seed, simt.Schedule(seed%3)
		dev := simt.Open(o)
		e, in, out := irglRun{graph: "empty:70", lower: &lower.Options{Ticket: true, BlockThreads: 32}, text: `Graph g { }
int lock = -131075; // 65533 twice
long sum = 0;
int got = 0, missed = 0;
Kernel add(g) {
  ForAll (n In g.nodes) {
    Atomic (lock) { sum = sum + n; }
    Atomic (lock) { got = got + 1; } Else { atomicAdd(&missed, 1); }
  }
}
Host f() {
  Invoke add(g);
  printf("%ld %d %d", sum, got + missed, (lock >> 16 & 65535) - (lock & 65535));
}
`}.start(t, dev)
		if _, err := e.Run(context.Background(), in); err != nil || out.String() != "2415 70 0" {
			t.Errorf("seed %d: %q, %v", seed, out, err)
		}
		for _, r := range dev.Reports() {
			t.Errorf("seed %d: %v", seed, r)
		}
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestConflicts counts the launches of a kernel that gets nowhere while more
// than one thread runs: all threads, one block, one thread.
func TestConflicts(t *testing.T) {
	dev := track()
	defer dev.Close()
	e, in, out := irglRun{graph: "empty:20", lower: &lower.Options{}, text: `Graph g { Node int done; }
int inside = 0;
Kernel seed(g) { ForAll (n In g.nodes) { WL.push(n); } }
Kernel crowd(g) {
  ForAll (i In WL) {
    n = WL.pop(i);
    atomicAdd(&inside, 1);
    if (atomicAdd(&inside, 0) == 1) { n.done += 1; } else { Retry n; }
    atomicSub(&inside, 1);
  }
}
Host f() { Pipe Once { Invoke seed(g); Invoke crowd(g); } for (int i = 0; i < 20; i++) { printf("%d", g.nodes(i).done); } }
`}.start(t, dev)
	res, err := e.Run(context.Background(), in)
	if err != nil || out.String() != "11111111111111111111" {
		t.Fatalf("%q, %v", out, err)
	}
	if res.Launches != 5 {
		t.Errorf("%d launches, want 5: the initial values, seed, and crowd thrice", res.Launches)
	}
}
