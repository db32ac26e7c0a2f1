package graph

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// An edge is an arc with its weight, for the plain versions of the transforms
// that the tests compare with.
type edge struct {
	u, v uint32
	w    int32
}

func listEdges(g *Graph) []edge {
	var list []edge
	for u := range g.NumNodes() {
		for e := g.RowStart[u]; e < g.RowStart[u+1]; e++ {
			x := edge{u: uint32(u), v: g.Dst[e]}
			if g.Weight != nil {
				x.w = g.Weight[e]
			} else if g.WeightF != nil {
				x.w = int32(g.WeightF[e] * 4)
			}
			list = append(list, x)
		}
	}
	return list
}

func byEnds(x, y edge) int {
	if x.u != y.u {
		return int(x.u) - int(y.u)
	}
	return int(x.v) - int(y.v)
}

// dedupEdges sorts and keeps the smallest weight of equal arcs.
func dedupEdges(list []edge) []edge {
	slices.SortFunc(list, func(x, y edge) int {
		if c := byEnds(x, y); c != 0 {
			return c
		}
		return int(x.w) - int(y.w)
	})
	return slices.CompactFunc(list, func(x, y edge) bool { return x.u == y.u && x.v == y.v })
}

// hub as a number of arcs stands for as many as there are nodes, of which one has nearly
// all, and leads to many nodes that have none.
const hub = -1

// randomGraph has loops and parallel arcs, and some nodes of many arcs.
func randomGraph(tb testing.TB, n, m int, weighted bool, seed uint64) *Graph {
	r := rand.New(rand.NewPCG(seed, 1))
	oneHub := m == hub
	if oneHub {
		m = n
	}
	src, dst := make([]uint32, m), make([]uint32, m)
	var w []int32
	for i := range src {
		src[i], dst[i] = uint32(r.IntN(n)), uint32(r.IntN(1+r.IntN(n)))
		if oneHub && i%16 > 0 {
			src[i] = 0
		}
		if weighted {
			w = append(w, int32(r.IntN(1000)))
		}
	}
	g, err := FromEdges(n, src, dst, w)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// TestFromEdgesReal: real weights go where integer ones do.
func TestFromEdgesReal(t *testing.T) {
	src, dst := []uint32{2, 0, 2, 1, 0}, []uint32{0, 1, 1, 2, 2}
	g, err := FromEdgesReal(3, src, dst, []float64{0.5, 1, 1.5, 2, 2.5})
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{1, 2.5, 2, 0.5, 1.5}; !slices.Equal(g.WeightF, want) || g.Weight != nil || g.Validate(t.Context()) != nil {
		t.Errorf("%v of %v, want %v", g.WeightF, g.Dst, want)
	}
	if _, err := FromEdgesReal(3, src, dst, nil); err == nil {
		t.Error("no weights are accepted")
	}
}

func TestTransforms(t *testing.T) {
	ctx := context.Background()
	for _, size := range [][2]int{{1, 3}, {2, 9}, {50, 200}, {300, 9000}, {5000, 3000}, {3000, 120_000}, {70_000, 90_000}, {3, 200_000}, {90_000, hub}} {
		for kind := range 3 {
			g := randomGraph(t, size[0], size[1], kind > 0, uint64(size[1]))
			if kind == 2 { // the same weights as real ones
				for _, w := range g.Weight {
					g.WeightF = append(g.WeightF, float64(w)/4)
				}
				g.Weight = nil
			}
			all := listEdges(g)
			var both, noLoops, transposed []edge
			for _, x := range all {
				transposed = append(transposed, edge{x.v, x.u, x.w})
				if x.u != x.v {
					noLoops = append(noLoops, x)
					both = append(both, x, edge{x.v, x.u, x.w})
				}
			}
			sorted := slices.Clone(all)
			slices.SortStableFunc(sorted, byEnds)
			slices.SortStableFunc(transposed, byEnds)
			symmetric := dedupEdges(both)
			ascending, err := g.SortAdjacency(ctx)
			if err != nil {
				t.Fatal(err)
			}
			mirrored, err := g.Symmetrize(ctx)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range []struct {
				name string
				f    func(context.Context) (*Graph, error)
				want []edge
			}{
				{"symmetrize sorted", ascending.Symmetrize, symmetric},
				{"symmetrize again", mirrored.Symmetrize, symmetric},
				{"symmetrize", g.Symmetrize, symmetric},
				{"deduplicate", g.Deduplicate, dedupEdges(slices.Clone(all))},
				{"sort", g.SortAdjacency, sorted},
				{"drop loops", g.DropSelfLoops, noLoops},
				{"transpose", g.Transpose, transposed},
			} {
				for _, procs := range []int{1, 5} {
					old := runtime.GOMAXPROCS(procs)
					h, err := c.f(ctx)
					runtime.GOMAXPROCS(old)
					if err != nil {
						t.Fatal(err)
					}
					if err := h.validate(ctx); err != nil {
						t.Fatalf("%s %v: %v", c.name, size, err)
					}
					if !slices.Equal(listEdges(h), c.want) {
						t.Errorf("%s of %d nodes, %d arcs, kind %d, on %d processors differs", c.name, size[0], size[1], kind, procs)
					}
				}
			}
			if !slices.Equal(listEdges(g), all) {
				t.Errorf("a transform has changed its argument")
			}
		}
	}
}

// Transforms keep the names of nodes.
func TestTransformNames(t *testing.T) {
	g := randomGraph(t, 4, 9, false, 1)
	g.IDs = []uint64{3, 5, 8, 13}
	h, err := g.Symmetrize(context.Background())
	if err != nil || h.ExternalID(2) != 8 {
		t.Errorf("name of node 2 is %d, %v", h.ExternalID(2), err)
	}
	for v, id := range g.IDs {
		if got, ok := h.Lookup(id); !ok || got != uint32(v) {
			t.Errorf("Lookup(%d) = %d, %v", id, got, ok)
		}
	}
	for _, id := range []uint64{0, 4, 14} {
		if got, ok := h.Lookup(id); ok {
			t.Errorf("Lookup(%d) = %d", id, got)
		}
	}
	based := &Graph{RowStart: make([]uint64, 4), Base: 10}
	for id, want := range map[uint64]bool{9: false, 10: true, 12: true, 13: false} {
		if _, ok := based.Lookup(id); ok != want {
			t.Errorf("Lookup(%d) with names 10..12: %v", id, ok)
		}
	}
}

// RandomWeights gives what the generator gives.
func TestRandomWeights(t *testing.T) {
	ctx := context.Background()
	want := mustGenerate(t, "rmat:9:8:seed=5:wmax=77")
	g, err := mustGenerate(t, "rmat:9:8:seed=5:wmax=0").RandomWeights(ctx, 77, 5)
	if err != nil {
		t.Fatal(err)
	}
	sameGraph(t, g, want)
	if _, err := g.RandomWeights(ctx, 0, 5); err == nil {
		t.Error("largest weight 0 is accepted")
	}
}

func TestIntWeights(t *testing.T) {
	for _, c := range []struct {
		w  []float64
		ok bool
	}{
		{[]float64{1, -2, 0}, true}, {[]float64{1.5}, false}, {[]float64{2147483648}, false}, {[]float64{-2147483648}, true},
	} {
		got, ok := (&Graph{WeightF: c.w}).IntWeights()
		if ok != c.ok {
			t.Errorf("IntWeights of %v: %v", c.w, ok)
		}
		for i := range got {
			if float64(got[i]) != c.w[i] {
				t.Errorf("IntWeights of %v: %v", c.w, got)
			}
		}
	}
}

// Stats agree with a count by hand on graphs that have each property or not.
func TestStats(t *testing.T) {
	g := &Graph{RowStart: []uint64{0, 3, 4, 4, 5, 5, 5}, Dst: []uint32{1, 0, 1, 0, 5}, Weight: []int32{4, -3, 9, 2, 1}}
	s, err := g.Stats(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	want := Stats{
		Nodes: 6, Edges: 5, SelfLoops: 1, Duplicates: 1, MinDegree: 0, MaxDegree: 3, MaxDegreeNode: 0, MeanDegree: 5. / 6,
		Isolated: 2, Components: 4, LargestComponent: 2, WeightMin: -3, WeightMax: 9, WeightSum: 13,
	}
	if s != want {
		t.Errorf("got  %+v\nwant %+v", s, want)
	}
	label, err := g.Components(context.Background())
	if err != nil || fmt.Sprint(label) != "[0 0 2 3 4 3]" {
		t.Errorf("components %v, %v", label, err)
	}
}

func TestValidate(t *testing.T) {
	for name, g := range map[string]*Graph{
		"no rows":       {Dst: []uint32{0}},
		"first row":     {RowStart: []uint64{1, 1}, Dst: []uint32{0}},
		"last row":      {RowStart: []uint64{0, 2}, Dst: []uint32{0}},
		"rows fall":     {RowStart: []uint64{0, 2, 1, 2}, Dst: []uint32{0, 0}},
		"destination":   {RowStart: []uint64{0, 1}, Dst: []uint32{1}},
		"weights":       {RowStart: []uint64{0, 1}, Dst: []uint32{0}, Weight: []int32{}},
		"both weights":  {RowStart: []uint64{0, 1}, Dst: []uint32{0}, Weight: []int32{1}, WeightF: []float64{1}},
		"names":         {RowStart: []uint64{0, 1}, Dst: []uint32{0}, IDs: []uint64{1, 2}},
		"names descend": {RowStart: []uint64{0, 0, 1}, Dst: []uint32{0}, IDs: []uint64{2, 1}},
	} {
		ctx := context.Background()
		want := g.validate(ctx)
		if want == nil {
			t.Errorf("%s: accepted", name)
			continue
		}
		for what, use := range map[string]func(*Graph) error{
			"Symmetrize":    func(g *Graph) error { _, err := g.Symmetrize(ctx); return err },
			"Deduplicate":   func(g *Graph) error { _, err := g.Deduplicate(ctx); return err },
			"SortAdjacency": func(g *Graph) error { _, err := g.SortAdjacency(ctx); return err },
			"DropSelfLoops": func(g *Graph) error { _, err := g.DropSelfLoops(ctx); return err },
			"Transpose":     func(g *Graph) error { _, err := g.Transpose(ctx); return err },
			"RandomWeights": func(g *Graph) error { _, err := g.RandomWeights(ctx, 9, 1); return err },
			"Stats":         func(g *Graph) error { _, err := g.Stats(ctx); return err },
			"Components":    func(g *Graph) error { _, err := g.Components(ctx); return err },
			"WriteTo":       func(g *Graph) error { return WriteTo(ctx, io.Discard, g, EdgeList) },
			"IsSymmetric":   func(g *Graph) error { _, err := g.IsSymmetric(ctx, true); return err },
		} {
			fresh := *g // without what g remembers
			fresh.facts = nil
			if err := use(&fresh); err == nil || err.Error() != want.Error() {
				t.Errorf("%s of %s: %v, want %v", what, name, err, want)
			}
		}
	}
	for name, err := range map[string]error{
		"lengths":     func() error { _, err := FromEdges(2, []uint32{0}, nil, nil); return err }(),
		"weights":     func() error { _, err := FromEdges(2, []uint32{0}, []uint32{0}, []int32{}); return err }(),
		"source":      func() error { _, err := FromEdges(1, []uint32{1}, []uint32{0}, nil); return err }(),
		"destination": func() error { _, err := FromEdges(1, []uint32{0}, []uint32{1}, nil); return err }(),
		"nodes":       func() error { _, err := FromEdges(-1, nil, nil, nil); return err }(),
	} {
		if err == nil {
			t.Errorf("FromEdges, %s: accepted", name)
		}
	}
}

// An endingContext is cancelled by one of the calls of Err, which takes a while.
type endingContext struct {
	context.Context
	cancel context.CancelFunc
	calls  atomic.Int64
	last   int64
}

func (c *endingContext) Err() error {
	if c.calls.Add(1) == c.last {
		time.Sleep(2 * time.Millisecond)
		c.cancel()
	}
	return c.Context.Err()
}

// Symmetrize whose context ends before any of its steps returns with the context's error:
// rows that are merged do not wait for those before them for ever.
func TestSymmetrizeCancelled(t *testing.T) {
	g := randomGraph(t, 20_000, 400_000, true, 7)
	old := runtime.GOMAXPROCS(4)
	defer runtime.GOMAXPROCS(old)
	want, err := g.Symmetrize(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for last := int64(1); ; last++ {
		ctx, cancel := context.WithCancel(context.Background())
		h, err := g.Symmetrize(&endingContext{Context: ctx, cancel: cancel, last: last})
		cancel()
		if err == nil {
			sameGraph(t, h, want)
			if last < 100 {
				t.Errorf("%d steps are too few to tell", last)
			}
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
}
