package engine

import (
	"testing"

	"irgl/graph"
)

// executableOf compiles a program for a session.
func executableOf(t *testing.T, s *Session, p *Program) *SessionExecutable {
	t.Helper()
	x, err := s.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

// verified runs a program on a graph, and verifies the answer of a bundled one.
func verified(t *testing.T, x *SessionExecutable, g *graph.Graph) *Result {
	t.Helper()
	r, err := x.RunOn(t.Context(), Input{Graph: g}, Args{})
	if err == nil && x.program.bundled != "" {
		err = x.Verify(t.Context(), r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func bundledProgram(t *testing.T, name string) *Program {
	t.Helper()
	p, err := Bundled(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestDropKeepsConvertedWeights: integers made of another graph's real weights stay when a graph is dropped.
func TestDropKeepsConvertedWeights(t *testing.T) {
	s := sessionOn(t, Options{Device: "simt", Prepare: "device"})
	x, y := executableOf(t, s, bundledProgram(t, "mst")), executableOf(t, s, bundledProgram(t, "mst_lock"))
	real := &graph.Graph{RowStart: []uint64{0, 1, 3, 4}, Dst: []uint32{1, 0, 2, 1}, WeightF: []float64{3, 3, 4, 4}}
	other := generated(t, "grid:4:3:wmax=9")
	verified(t, x, real)
	verified(t, y, other)
	if err := y.Drop(other); err != nil {
		t.Fatal(err)
	}
	if err := s.Drop(other); err != nil {
		t.Fatal(err)
	}
	verified(t, x, real)
}

// TestSymmetricOfOther: a program that runs on what was made symmetric for another one, for its
// weights, has results of that graph's edges.
func TestSymmetricOfOther(t *testing.T) {
	s := sessionOn(t, Options{Device: "simt", Prepare: "device"})
	p, err := Parse("edges.irgl", []byte(`Graph graph { Requires symmetric; Output Edge int to = 0; }
Kernel k(graph) { ForAll (n In graph.nodes) { ForAll (e In n.edges) { e.to = e.dst.id; } } }
Host m() { Invoke k(graph); }`))
	if err != nil {
		t.Fatal(err)
	}
	// Its own reverse, but for the weights, with a self-loop and a repeat.
	g := &graph.Graph{RowStart: []uint64{0, 3, 5}, Dst: []uint32{0, 1, 1, 0, 0}, Weight: []int32{1, 2, 3, 4, 5}}
	x, y := executableOf(t, s, bundledProgram(t, "mst")), executableOf(t, s, p)
	verified(t, x, g)
	r := verified(t, y, g)
	ran, err := r.Graph(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	to, _ := r.Data("to")
	values := to.([]int32)
	if len(values) != len(ran.Dst) {
		t.Fatalf("%d values of the %d edges", len(values), len(ran.Dst))
	}
	for i, v := range values {
		if uint32(v) != ran.Dst[i] {
			t.Errorf("edge %d leads to %d, and is taken to lead to %d", i, v, ran.Dst[i])
		}
	}
}
