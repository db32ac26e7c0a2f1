package engine

import (
	"context"
	"errors"
	"strings"
	"testing"

	"irgl/graph"
	"irgl/internal/compile"
	"irgl/internal/run"
)

// A placing engine takes graphs, or fails to.
type placing struct {
	fails  error
	placed []*graph.Graph
	closed bool
}

func (e *placing) Run(context.Context, run.Input) (*run.Result, error) { return &run.Result{}, nil }

func (e *placing) Place(_ context.Context, g *graph.Graph, _ run.Views) error {
	e.placed = append(e.placed, g)
	return e.fails
}

func (e *placing) Close() error {
	e.closed = true
	return nil
}

// distances is a program that is not bundled, with distances.
func distances(t *testing.T) *Program {
	t.Helper()
	p, err := Parse("d.irgl", []byte("Graph graph { Output Node dist_t d = DIST_MAX; }\nHost main() { }\n"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestFailedPrepare: after a graph could not be placed, the one before it is not taken
// for prepared.
func TestFailedPrepare(t *testing.T) {
	ctx := t.Context()
	e := &placing{}
	x := &Executable{sharing: alone{}, program: distances(t), device: "cpu", engine: e}
	small, err := graph.Generate(ctx, "path:3:wmax=1")
	if err != nil {
		t.Fatal(err)
	}
	large, err := graph.Generate(ctx, "path:4:wmax=1")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range []*graph.Graph{small, small, large, small} {
		e.fails = nil
		if g == large {
			e.fails = errors.New("it does not fit")
		}
		if err := x.Prepare(ctx, g); !errors.Is(err, e.fails) {
			t.Fatal(err)
		}
	}
	if len(e.placed) != 3 || e.placed[2] != small {
		t.Errorf("graphs were placed %d times, want 3", len(e.placed))
	}
}

// TestFailedWiden: when the code for wide distances cannot be had, since the context
// ends, the executable keeps what it has, open.
func TestFailedWiden(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e := &placing{}
	x := &Executable{sharing: alone{}, program: distances(t), device: "cpu", about: "generated Go", engine: e, notes: []string{"a note"}}
	for range 2 {
		if err := x.widen(ctx, true); !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
	}
	if x.engine != run.Engine(e) || e.closed || x.loaded.wide || len(x.notes) != 1 || x.device != "cpu" {
		t.Errorf("%v, closed %t, %+v, %q on %s", x.engine, e.closed, x.loaded, x.notes, x.device)
	}
	x.device = "interp" // in place of cpu, as the note says
	if err := x.widen(ctx, true); err != nil || !e.closed || !x.loaded.wide || len(x.notes) != 1 {
		t.Errorf("%v, closed %t, %+v, %q", err, e.closed, x.loaded, x.notes)
	}
}

// TestNarrowAgain: after a graph that required 64-bit row offsets and distances, one that
// requires neither is run with code of 32 bits.
func TestNarrowAgain(t *testing.T) {
	p, err := Bundled("sssp")
	if err != nil {
		t.Fatal(err)
	}
	x, err := p.Compile(t.Context(), Options{Device: "simt"})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.change(t.Context(), code{widths: widths{index64: true, wide: true}}); err != nil {
		t.Fatal(err)
	}
	g, err := graph.Generate(t.Context(), "path:3")
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Prepare(t.Context(), g); err != nil || x.loaded.widths != (widths{}) {
		t.Errorf("%v, loaded for %+v", err, x.loaded.widths)
	}
}

// TestPlaceEnds: a graph is placed under the context of Prepare.
func TestPlaceEnds(t *testing.T) {
	s, err := OpenSession(Options{Device: "simt"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p, err := Bundled("bfs_do")
	if err != nil {
		t.Fatal(err)
	}
	x, err := s.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	g, err := graph.Generate(t.Context(), "rmat:5:3")
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Use(t.Context(), compile.Switches{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	// Without views, which are for the engine to make.
	if err := x.placeGraph(ctx, newFitted(g, g, x.program.info), run.Views{}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// TestVerifyAnother: a result is not compared with the answer to another problem.
func TestVerifyAnother(t *testing.T) {
	x := &Executable{sharing: alone{}, program: &Program{name: "cc", bundled: "cc"}}
	r := &Result{Program: "bfs", bundled: "bfs"}
	if err := x.Verify(t.Context(), r); err == nil || !strings.Contains(err.Error(), "one of bfs, not of cc") || r.Verified() != nil {
		t.Errorf("%v, %v", err, r.Verified())
	}
}

// TestSessionWidths: programs of one session that require the same of a graph, and look at
// the same of it, have distances of the width that each needs.
func TestSessionWidths(t *testing.T) {
	s, err := OpenSession(Options{Device: "simt"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	g := &graph.Graph{RowStart: []uint64{0, 1, 2, 2}, Dst: []uint32{1, 2}, Weight: []int32{2e9, 2e9}}
	for _, tt := range []struct {
		name string
		wide bool
	}{{"int", false}, {"dist_t", true}, {"long", false}} {
		p, err := Parse(tt.name+".irgl", []byte("Graph g { Requires weights; Output Node "+tt.name+" d = 7; }\nHost main() { }\n"))
		if err != nil {
			t.Fatal(err)
		}
		x, err := s.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := x.Run(t.Context(), g, nil); err != nil || x.loaded.wide != tt.wide {
			t.Errorf("%s: %v, wide distances: %t", tt.name, err, x.loaded.wide)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
	if len(s.graphs) != 1 {
		t.Errorf("the graph was prepared %d times", len(s.graphs))
	}
}
