package programs_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"irgl/graph"
	"irgl/internal/compile"
	"irgl/internal/device/simt"
	"irgl/internal/host"
	"irgl/internal/programs"
	"irgl/internal/run"
)

// result runs a program on a graph that fits it.
func result(t *testing.T, name string, u *compile.Unit, g *graph.Graph) (run.Input, *run.Result) {
	t.Helper()
	dev := simt.Open(simt.Checked())
	defer dev.Close()
	e, err := host.New(dev, u.Info, u.CUDAInfo, u.PTXText(), host.Options{Launches: u.Dynpar})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	in := run.Input{Graph: g, Args: args[name]}
	res, err := e.Run(context.Background(), in)
	if err == nil {
		err = programs.Verify(context.Background(), name, in, res)
	}
	if err != nil {
		t.Fatal(err)
	}
	return in, res
}

// TestSetReferences checks that the references of programs whose results are
// sets or counts refuse every result with one wrong member, a wrong size, and
// one that lacks something.
func TestSetReferences(t *testing.T) {
	ctx := context.Background()
	for _, name := range []string{"mis", "mst", "mst_lock", "tri", "tri_or"} {
		u := compiled(t, name, compile.Options{})
		in, res := result(t, name, u, prepared(t, u, "rmat:6:4"))
		refused := func(what string, i int) {
			t.Helper()
			if err := programs.Verify(ctx, name, in, res); err == nil {
				t.Errorf("%s: %s %d is accepted", name, what, i)
			}
		}
		for _, col := range res.Props {
			for i := range col.Len() {
				old := col.Value(i)
				wrong := old
				wrong.Int ^= 1
				col.Set(i, wrong)
				refused("wrong member", i)
				col.Set(i, old)
			}
		}
		for i, g := range res.Globals {
			g.Values[0].Int++
			refused("wrong value", i)
			g.Values[0].Int--
		}
		if err := programs.Verify(ctx, name, in, res); err != nil {
			t.Errorf("%s: as it was: %v", name, err)
		}
		globals := res.Globals
		for i := range globals {
			res.Globals = slices.Delete(slices.Clone(globals), i, i+1)
			refused("missing value", i)
		}
		res.Globals = globals
		if len(res.Props) > 0 {
			res.Props = nil
			refused("missing property", 0)
		}
	}
}

// TestForestMissing checks what is said of a forest that lacks an edge.
func TestForestMissing(t *testing.T) {
	u := compiled(t, "mst", compile.Options{})
	in, res := result(t, "mst", u, prepared(t, u, "path:3"))
	g, col := in.Graph, res.Column("chosen")
	for e := range g.Dst {
		if v := col.Value(e); v.Int == 1 {
			v.Int = 0
			col.Set(e, v)
			want := fmt.Sprintf("mst: the chosen edges lack 1 of the forest's edges and %d of its weight", g.Weight[e])
			if err := programs.Verify(context.Background(), "mst", in, res); err == nil || err.Error() != want {
				t.Errorf("error %v, want %s", err, want)
			}
			return
		}
	}
	t.Error("no edge is chosen")
}

// TestForestWeight checks that a spanning forest which is not a lightest one is
// refused, though its edges are as many.
func TestForestWeight(t *testing.T) {
	u := compiled(t, "mst", compile.Options{})
	in, res := result(t, "mst", u, prepared(t, u, "clique:3"))
	g, col := in.Graph, res.Column("chosen")
	var out, add int
	for e := range g.Dst {
		if col.Int(e) == 1 {
			out = e
		}
	}
	// The third side of the triangle, which is no lighter than any.
	for e := range g.Dst {
		if w := g.Weight[e]; w > g.Weight[add] {
			add = e
		}
	}
	v := col.Value(out)
	col.Set(add, v)
	v.Int = 0
	col.Set(out, v)
	if g.Weight[add] == g.Weight[out] {
		t.Skip("all edges are of one weight")
	}
	if err := programs.Verify(context.Background(), "mst", in, res); err == nil {
		t.Error("a heavier forest is accepted")
	}
}

// TestMultigraph runs mst where weights are equal, and some edges are parallel
// or loops: whatever components choose at the same time must close no cycle.
func TestMultigraph(t *testing.T) {
	u := compiled(t, "mst", compile.Options{})
	type edge struct {
		u, v uint32
		w    int32
	}
	for _, list := range [][]edge{
		{{0, 1, 5}, {0, 1, 5}, {0, 1, 7}, {1, 2, 5}, {2, 0, 5}, {2, 2, 1}},
		{{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {3, 0, 1}, {4, 5, 2}, {4, 5, 2}, {5, 4, 2}, {6, 6, 3}},
		{{0, 1, -4}, {1, 2, -4}, {0, 2, -4}, {2, 3, 0}, {3, 0, -2147483648}, {3, 1, 2147483647}},
	} {
		arcs := make([][]edge, 8)
		for _, e := range list {
			arcs[e.u] = append(arcs[e.u], e)
			if e.u != e.v {
				arcs[e.v] = append(arcs[e.v], edge{e.v, e.u, e.w})
			}
		}
		g := &graph.Graph{RowStart: []uint64{0}}
		for _, out := range arcs {
			for _, e := range out {
				g.Dst, g.Weight = append(g.Dst, e.v), append(g.Weight, e.w)
			}
			g.RowStart = append(g.RowStart, uint64(len(g.Dst)))
		}
		result(t, "mst", u, g)
	}
}

// TestDirections runs bfs_do with the arguments that make it always push, sweep and
// pull, under several schedules.
func TestDirections(t *testing.T) {
	saved := args["bfs_do"]
	defer func() { args["bfs_do"] = saved }()
	u := compiled(t, "bfs_do", compile.Options{})
	for _, a := range [][3]int64{{0, 18, 0}, {0, 18, 1 << 30}, {1 << 30, 1 << 30, 8}, {2, 3, 8}} {
		args["bfs_do"] = []run.Value{run.IntValue(0), run.IntValue(a[0]), run.IntValue(a[1]), run.IntValue(a[2])}
		for seed := range uint64(3) {
			verified(t, "bfs_do", u, u.PTXText(), seed, []string{"path:6", "star:40", "grid:6:6", "rmat:7:8"}, 0)
		}
	}
}

// TestBands runs sssp_nf with bands of one distance each, of some, and with a
// single one.
func TestBands(t *testing.T) {
	saved := args["sssp_nf"]
	defer func() { args["sssp_nf"] = saved }()
	u := compiled(t, "sssp_nf", compile.Options{})
	for _, delta := range []int64{1, 7, 100, 1 << 30, -1} {
		args["sssp_nf"] = []run.Value{run.IntValue(0), run.IntValue(delta)}
		for _, spec := range []string{"path:6", "grid:6:6", "rmat:6:6"} {
			result(t, "sssp_nf", u, prepared(t, u, spec))
		}
	}
}
