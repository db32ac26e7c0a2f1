package graph

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// byHand returns the properties of a graph, found without what it knows about
// itself, and by other algorithms.
func byHand(t *testing.T, g *Graph) (holds fact) {
	t.Helper()
	ctx := context.Background()
	if err := g.validate(ctx); err != nil {
		t.Fatal(err)
	}
	holds = valid | sorted | loopFree | simple | symmetric | mirrored
	edges := listEdges(g)
	for i, e := range edges {
		if e.u == e.v {
			holds &^= loopFree
		}
		if i > 0 && edges[i-1].u == e.u && edges[i-1].v > e.v {
			holds &^= sorted
		}
	}
	same := func(a, b edge) int {
		if c := int64(a.u)<<32 + int64(a.v) - int64(b.u)<<32 - int64(b.v); c != 0 {
			return int(min(max(c, -1), 1))
		}
		return 0
	}
	slices.SortStableFunc(edges, same)
	if len(slices.CompactFunc(slices.Clone(edges), func(a, b edge) bool { return same(a, b) == 0 })) < len(edges) {
		holds &^= simple
	}
	// Arcs are counted with their weights and without.
	count, weighed := map[[2]uint32]int{}, map[edge]int{}
	for _, e := range edges {
		count[[2]uint32{e.u, e.v}]++
		weighed[e]++
	}
	for _, e := range edges {
		back := e
		back.u, back.v = e.v, e.u
		if count[[2]uint32{e.u, e.v}] != count[[2]uint32{e.v, e.u}] {
			holds &^= symmetric
		}
		if weighed[e] != weighed[back] {
			holds &^= mirrored
		}
	}
	return holds
}

// What a graph remembers, and what transforms hand on, is what a fresh copy of it
// finds out, and that is true.
func TestRemembered(t *testing.T) {
	ctx := context.Background()
	for _, spec := range []string{"rmat:4:4:raw", "rmat:4:4", "rmat:4:4:sym", "path:5", "empty:3", "empty:0", "clique:4", "uniform:9:3:raw:wmax=0", "road:4:4:perm"} {
		start := mustGenerate(t, spec)
		oneWeight := *start
		if len(start.Weight) > 0 { // symmetric, but not with its weights
			oneWeight.Weight = slices.Clone(start.Weight)
			oneWeight.Weight[0] += 1000
		}
		shuffled := *start
		shuffled.Dst = slices.Clone(start.Dst)
		for u := range start.NumNodes() {
			slices.Reverse(shuffled.Neighbors(uint32(u)))
		}
		shuffled.Weight = nil
		for _, g := range []*Graph{start, &oneWeight, &shuffled} {
			for name, f := range map[string]func(context.Context) (*Graph, error){
				"nothing": func(context.Context) (*Graph, error) { return g, nil }, "symmetrize": g.Symmetrize, "deduplicate": g.Deduplicate,
				"sort": g.SortAdjacency, "drop loops": g.DropSelfLoops, "transpose": g.Transpose,
				"weights": func(ctx context.Context) (*Graph, error) { return g.RandomWeights(ctx, 9, 1) },
			} {
				for range 2 { // the second time g knows what was asked of it
					h, err := f(ctx)
					if err != nil {
						t.Fatal(err)
					}
					want := byHand(t, h)
					if k := h.known(); k.holds != want&k.known {
						t.Errorf("%s, %s: it remembers %b of %b, and %b is true", spec, name, k.holds, k.known, want)
					}
					for _, x := range []*Graph{h, {RowStart: h.RowStart, Dst: h.Dst, Weight: h.Weight}} {
						checkAnswers(t, spec+", "+name, x, want)
					}
					checkAnswers(t, spec, g, byHand(t, g))
				}
			}
		}
	}
}

// TestMirroredIsSymmetric: a graph that is symmetric with its weights is known to be so
// without them, and with the random weights that replace them; one that is not symmetric is
// known not to be with weights.
func TestMirroredIsSymmetric(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	plain := mustGenerate(t, "clique:5")
	g := &Graph{RowStart: plain.RowStart, Dst: plain.Dst, Weight: make([]int32, len(plain.Dst))}
	if is, err := g.IsSymmetric(t.Context(), true); err != nil || !is {
		t.Fatal(is, err)
	}
	if is, err := g.IsSymmetric(ended, false); err != nil || !is {
		t.Errorf("without weights: %t, %v", is, err)
	}
	h, err := g.RandomWeights(t.Context(), 9, 1)
	if err != nil {
		t.Fatal(err)
	}
	if is, err := h.IsSymmetric(ended, true); err != nil || !is {
		t.Errorf("with random weights: %t, %v", is, err)
	}
	// Two parallel arcs lead back along one: every arc has a reverse, but not as often.
	g = &Graph{RowStart: []uint64{0, 1, 3}, Dst: []uint32{1, 0, 0}, Weight: make([]int32, 3)}
	if is, err := g.IsSymmetric(t.Context(), false); err != nil || is {
		t.Fatal(is, err)
	}
	if is, err := g.IsSymmetric(ended, true); err != nil || is {
		t.Errorf("no reverse, with weights: %t, %v", is, err)
	}
}

// TestJoinWeightRanges: the ranges of chunks join to the same one in any order.
func TestJoinWeightRanges(t *testing.T) {
	weights := []int32{5, 2, 9, 2, 2, 7, -1, 9, -1}
	want := WeightRange{-1, 9, 6}
	chunks := []WeightRange{{MinEdge: -1}}
	for lo := 0; lo < len(weights); lo += 2 {
		chunks = append(chunks, rangeOf(weights[lo:min(lo+2, len(weights))], lo))
	}
	for range chunks {
		for range 2 {
			all := WeightRange{MinEdge: -1}
			for _, c := range chunks {
				all = all.join(c)
			}
			if all != want {
				t.Errorf("%+v join to %+v, want %+v", chunks, all, want)
			}
			slices.Reverse(chunks)
		}
		chunks = append(chunks[1:], chunks[0])
	}
}

// checkAnswers asks g everything, twice.
func checkAnswers(t *testing.T, name string, g *Graph, want fact) {
	t.Helper()
	ctx := context.Background()
	not := func(f func(context.Context) (bool, error)) func(context.Context) (bool, error) {
		return func(ctx context.Context) (bool, error) { is, err := f(ctx); return !is, err }
	}
	for range 2 {
		for f, ask := range map[fact]func(context.Context) (bool, error){
			sorted: g.IsSorted, loopFree: not(g.HasSelfLoops), simple: not(g.HasDuplicates),
			symmetric: func(ctx context.Context) (bool, error) { return g.IsSymmetric(ctx, false) },
			mirrored:  func(ctx context.Context) (bool, error) { return g.IsSymmetric(ctx, true) },
		} {
			if got, err := ask(ctx); err != nil || got != (want&f != 0) {
				t.Errorf("%s: property %b is %v, %v", name, f, got, err)
			}
		}
	}
}

// A graph whose arrays were replaced knows nothing of the new ones.
func TestRememberedOfOtherArrays(t *testing.T) {
	ctx := context.Background()
	g := mustGenerate(t, "path:4")
	if err := g.Validate(ctx); err != nil {
		t.Fatal(err)
	}
	g.Dst = slices.Repeat([]uint32{9}, len(g.Dst))
	if err := g.Validate(ctx); err == nil {
		t.Error("a destination out of range is accepted after the arrays were replaced")
	}
	if _, err := g.IsSymmetric(ctx, false); err == nil {
		t.Error("IsSymmetric accepts an invalid graph")
	}
}

// Source is the node whose row has the arc, whatever empty rows there are.
func TestSource(t *testing.T) {
	for _, spec := range []string{"rmat:6:1", "star:5", "path:4"} {
		g := mustGenerate(t, spec)
		for i, e := range listEdges(g) {
			if got := g.Source(uint64(i)); got != e.u {
				t.Errorf("%s: arc %d leaves %d, not %d", spec, i, got, e.u)
			}
		}
	}
}

// WeightRange is right for any number of blocks, remembered with the array of weights,
// and not with others.
func TestWeightRange(t *testing.T) {
	ctx := context.Background()
	for _, tt := range []struct {
		weights []int32
		want    WeightRange
	}{
		{nil, WeightRange{0, 0, -1}},
		{[]int32{}, WeightRange{0, 0, -1}},
		{[]int32{7}, WeightRange{7, 7, 0}},
		{[]int32{3, 2, 9, 2}, WeightRange{2, 9, 1}},
		{[]int32{-1, -1 << 31, 1<<31 - 1}, WeightRange{-1 << 31, 1<<31 - 1, 1}},
		{slices.Concat(slices.Repeat([]int32{5}, 1<<17), []int32{4, 6}, slices.Repeat([]int32{4}, 1<<17)), WeightRange{4, 6, 1 << 17}},
	} {
		g := &Graph{RowStart: []uint64{0, uint64(len(tt.weights))}, Dst: make([]uint32, len(tt.weights)), Weight: tt.weights}
		for range 2 {
			if got, err := g.WeightRange(ctx); err != nil || got != tt.want {
				t.Errorf("%d weights: %+v, %v, want %+v", len(tt.weights), got, err, tt.want)
			}
		}
	}
}

// The weights are looked at once, and a context ends that.
func TestWeightRangeOnce(t *testing.T) {
	g := mustGenerate(t, "path:9")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.WeightRange(ended); !errors.Is(err, context.Canceled) {
		t.Fatalf("the error is %v", err)
	}
	want, err := g.WeightRange(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := g.WeightRange(ended); err != nil || got != want {
		t.Errorf("asked again: %+v, %v, want what is remembered", got, err)
	}
	g.Weight = []int32{4}
	if _, err := g.WeightRange(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("with other weights: the error is %v", err)
	}
}

// One arc without a reverse among many is found, behind any number of others.
func TestOneWayAmongMany(t *testing.T) {
	for _, at := range []int{0, 1, 7777, -1} {
		g := mustGenerate(t, "road:100:100")
		if at < 0 {
			at = len(g.Dst) - 1
		}
		if is, err := g.IsSymmetric(t.Context(), true); err != nil || !is {
			t.Fatalf("a road is not symmetric: %v", err)
		}
		g.Dst = slices.Clone(g.Dst)
		g.Dst[at] = (g.Dst[at] + 5000) % 10000
		if is, err := g.IsSymmetric(t.Context(), false); err != nil || is {
			t.Errorf("arc %d has another end: symmetric %t, %v", at, is, err)
		}
	}
}
