package run

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"irgl/graph"
	"irgl/internal/check"
)

func TestViews(t *testing.T) {
	ctx := context.Background()
	for _, spec := range []string{"empty:0", "empty:5", "path:4", "star:9", "rmat:6:8:wmax=9", "rmat:14:16"} {
		g, err := graph.Generate(ctx, spec)
		if err != nil {
			t.Fatal(err)
		}
		weights := check.Requires{Weights: g.Weight != nil}
		v, err := ViewsOf(ctx, g, check.Needs{InEdges: true, Sources: true}, weights)
		if err != nil {
			t.Fatal(err)
		}
		type arc struct {
			from, to uint32
			weight   int32
		}
		var out, in []arc
		e := 0
		for u := range g.NumNodes() {
			for i := g.RowStart[u]; i < g.RowStart[u+1]; i++ {
				a := arc{from: uint32(u), to: g.Dst[i]}
				if weights.Weights {
					a.weight = g.Weight[i]
				}
				if v.Src[e] != uint32(u) {
					t.Fatalf("%s: edge %d comes from %d, not from %d", spec, e, v.Src[e], u)
				}
				e++
				out = append(out, a)
			}
			for i := v.In.RowStart[u]; i < v.In.RowStart[u+1]; i++ {
				a := arc{from: v.In.Dst[i], to: uint32(u)}
				if weights.Weights {
					a.weight = v.In.Weight[i]
				}
				in = append(in, a)
			}
		}
		if len(v.Src) != e {
			t.Errorf("%s: %d sources of %d edges", spec, len(v.Src), e)
		}
		order := func(a, b arc) int {
			return slices.Compare([]int64{int64(a.from), int64(a.to), int64(a.weight)}, []int64{int64(b.from), int64(b.to), int64(b.weight)})
		}
		slices.SortFunc(out, order)
		slices.SortFunc(in, order)
		if !slices.Equal(out, in) {
			t.Errorf("%s: the edges that lead to nodes are not those that leave nodes", spec)
		}
		input := Input{Graph: g, Views: Views{In: v.In}}
		if err := input.Complete(ctx, check.Needs{InEdges: true, Sources: true}, weights); err != nil || input.In != v.In || !slices.Equal(input.Src, v.Src) {
			t.Errorf("%s: Complete: %v, or it has not kept what was given", spec, err)
		}
		if same, err := ViewsOf(ctx, g, check.Needs{InEdges: true}, check.Requires{Symmetric: true}); err != nil || same.In != g {
			t.Errorf("%s: %v, or a symmetric graph was transposed", spec, err)
		}
	}
}

// Edges beyond 2^31 do not fit the items of a worklist: the graph is refused.
func TestViewsRefuse(t *testing.T) {
	if testing.Short() || math.MaxInt == math.MaxInt32 {
		t.Skip("takes an array of 8 GiB, of which nothing is touched")
	}
	n := uint64(1) << 31
	g := &graph.Graph{RowStart: []uint64{0, n}, Dst: make([]uint32, n)}
	_, err := ViewsOf(context.Background(), g, check.Needs{EdgeItems: true}, check.Requires{})
	if _, ok := errors.AsType[*TooManyEdgesError](err); !ok {
		t.Errorf("got the error %v", err)
	}
	if _, err := ViewsOf(context.Background(), g, check.Needs{}, check.Requires{}); err != nil {
		t.Errorf("a program that needs nothing: %v", err)
	}
}

// TestOwnTranspose: a graph that is its own transpose, row by row, is not transposed.
func TestOwnTranspose(t *testing.T) {
	for _, tt := range []struct {
		name    string
		g       graph.Graph
		weights bool
		own     bool
	}{
		{"symmetric", graph.Graph{RowStart: []uint64{0, 2, 3, 4}, Dst: []uint32{1, 2, 0, 0}}, false, true},
		{"one-way", graph.Graph{RowStart: []uint64{0, 2, 3, 3}, Dst: []uint32{1, 2, 0}}, false, false},
		{"unsorted", graph.Graph{RowStart: []uint64{0, 2, 3, 4}, Dst: []uint32{2, 1, 0, 0}}, false, false},
		{"parallel", graph.Graph{RowStart: []uint64{0, 2, 4}, Dst: []uint32{1, 1, 0, 0}, Weight: []int32{3, 4, 4, 3}}, false, true},
		{"parallel, weights", graph.Graph{RowStart: []uint64{0, 2, 4}, Dst: []uint32{1, 1, 0, 0}, Weight: []int32{3, 4, 4, 3}}, true, false},
		{"weights", graph.Graph{RowStart: []uint64{0, 1, 2}, Dst: []uint32{1, 0}, Weight: []int32{3, 3}}, true, true},
		{"other weights", graph.Graph{RowStart: []uint64{0, 1, 2}, Dst: []uint32{1, 0}, Weight: []int32{3, 4}}, true, false},
	} {
		v, err := ViewsOf(t.Context(), &tt.g, check.Needs{InEdges: true}, check.Requires{Weights: tt.weights})
		if err != nil || (v.In == &tt.g) != tt.own {
			t.Errorf("%s: %v, the view is the graph itself: %t, want %t", tt.name, err, v.In == &tt.g, tt.own)
		}
	}
}
