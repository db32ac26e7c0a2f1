package engine

import (
	"testing"

	"irgl/graph"
)

// TestKeeper: programs that require the same of a graph get the same one, until it is
// dropped, and executables may run on several graphs by turns.
func TestKeeper(t *testing.T) {
	ctx := t.Context()
	k := NewKeeper()
	var graphs []*graph.Graph
	for _, spec := range []string{"rmat:6:4:wmax=9", "rmat:7:4:wmax=9"} {
		g, err := graph.Generate(ctx, spec)
		if err != nil {
			t.Fatal(err)
		}
		graphs = append(graphs, g)
	}
	compile := func(name string) *Executable {
		p, err := Bundled(name)
		if err != nil {
			t.Fatal(err)
		}
		x, err := k.Compile(ctx, p, Options{Device: "cpu"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = x.Close() })
		return x
	}
	mst, locks := compile("mst"), compile("mst_lock")
	for range 3 {
		for _, g := range graphs {
			for _, x := range []*Executable{mst, locks} {
				r, err := x.Run(ctx, g, nil)
				if err == nil {
					err = x.Verify(ctx, r)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if mst.prepared.host != locks.prepared.host || mst.prepared.host == g {
				t.Error("the graph was made symmetric twice, or not at all")
			}
		}
	}
	if len(k.graphs) != 4 { // the programs look at different views
		t.Errorf("%d forms of 2 graphs", len(k.graphs))
	}
	k.Drop(graphs[1])
	mst.Forget(graphs[0]) // which it has not
	locks.Forget(graphs[1])
	if len(k.graphs) != 2 || mst.given == nil || locks.given != nil || locks.prepared != nil {
		t.Errorf("%d forms are left", len(k.graphs))
	}
	if r, err := locks.Run(ctx, graphs[1], nil); err != nil || locks.Verify(ctx, r) != nil {
		t.Error(err)
	}
}
