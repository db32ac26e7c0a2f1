package run

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"irgl/graph"
	"irgl/internal/check"
)

// TestWideDistances: both sides of the limit. A candidate of as many edges as there
// are nodes must be less than INT_MAX.
func TestWideDistances(t *testing.T) {
	for _, tt := range []struct {
		r     graph.WeightRange
		nodes int
		want  bool
	}{
		{graph.WeightRange{}, 1 << 30, false},
		{graph.WeightRange{Min: 0, Max: 1}, 1<<31 - 2, false},
		{graph.WeightRange{Min: 0, Max: 1}, 1<<31 - 1, true},
		{graph.WeightRange{Min: 5, Max: 1073741823}, 2, false},
		{graph.WeightRange{Min: 5, Max: 1073741824}, 2, true},
		{graph.WeightRange{Min: -1073741823, Max: 0}, 2, false},
		{graph.WeightRange{Min: -1073741824, Max: 0}, 2, true},
		{graph.WeightRange{Min: -1 << 31, Max: 0}, 1, true},
		{graph.WeightRange{Min: 0, Max: 1<<31 - 1}, 1, true},
	} {
		if got := WideDistances(tt.r, tt.nodes); got != tt.want {
			t.Errorf("%+v, %d nodes: %v", tt.r, tt.nodes, got)
		}
	}
}

// TestRequireConservative compares with Bellman and Ford's plain rounds on random
// graphs, and adds up the cycles that it names.
func TestRequireConservative(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 2000 {
		n := 1 + rng.IntN(8)
		g := &graph.Graph{RowStart: []uint64{0}}
		for range n {
			for range rng.IntN(4) {
				g.Dst, g.Weight = append(g.Dst, uint32(rng.IntN(n))), append(g.Weight, int32(rng.IntN(12)-3))
			}
			g.RowStart = append(g.RowStart, uint64(len(g.Dst)))
		}
		err := RequireConservative(context.Background(), g, []uint32{0})
		if want := hasNegativeCycle(g); (err != nil) != want {
			t.Fatalf("%+v: %v, want a cycle: %v", g, err, want)
		}
		var c *NegativeCycleError
		if errors.As(err, &c) {
			found++
			if c.Cycle >= 0 || c.Edges < 1 || c.Edges > n || c.Weight >= 0 {
				t.Fatalf("%+v: %+v", g, c)
			}
		}
	}
	if found < 100 || found > 1900 {
		t.Errorf("%d of 2000 graphs have cycles", found)
	}
}

func hasNegativeCycle(g *graph.Graph) bool {
	const none = 1 << 40
	n := g.NumNodes()
	dist := make([]int64, n)
	for v := range dist {
		dist[v] = none
	}
	dist[0] = 0
	for round := 0; ; round++ {
		lowered := false
		for u := range n {
			for e := g.RowStart[u]; dist[u] != none && e < g.RowStart[u+1]; e++ {
				if d := dist[u] + int64(g.Weight[e]); d < dist[g.Dst[e]] {
					dist[g.Dst[e]], lowered = d, true
				}
			}
		}
		if !lowered || round > n {
			return lowered
		}
	}
}

// TestPrepareNonNegative refuses negative weights where the program does not take them.
func TestPrepareNonNegative(t *testing.T) {
	ctx := context.Background()
	g, err := graph.Read(ctx, "down.txt", strings.NewReader("0 7 3\n7 0 -4\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Prepare(ctx, g, check.Requires{Weights: true, NonNegative: true})
	if n, ok := errors.AsType[*NegativeWeightError](err); !ok || n.From != 7 || n.To != 0 || n.Weight != -4 {
		t.Errorf("%v", err)
	}
	if _, err := Prepare(ctx, g, check.Requires{Weights: true}); err != nil {
		t.Errorf("a program that takes negative weights: %v", err)
	}
	// The graph remembers the range: whatever asks next does not look at the weights.
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if w, err := g.WeightRange(ended); err != nil || w.Min != -4 || w.Max != 3 {
		t.Errorf("the range of the weights is %+v, %v", w, err)
	}
}

// TestRequireNonNegative names the edge of smallest weight, behind and before nodes
// without edges, and ends with its context.
func TestRequireNonNegative(t *testing.T) {
	g := &graph.Graph{RowStart: []uint64{0, 0, 2, 2, 2, 3, 3}, Dst: []uint32{3, 4, 5}, Weight: []int32{0, 1, -7}, Base: 1}
	var e *NegativeWeightError
	if err := requireNonNegative(context.Background(), g); !errors.As(err, &e) || *e != (NegativeWeightError{From: 5, To: 6, Weight: -7}) {
		t.Errorf("%v", err)
	}
	g.Weight = []int32{-7, 0, -7}
	if err := requireNonNegative(context.Background(), g); !errors.As(err, &e) || *e != (NegativeWeightError{From: 2, To: 4, Weight: -7}) {
		t.Errorf("%v", err)
	}
	g.Weight = []int32{0, 1, 2}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := requireNonNegative(ctx, g); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
}
