package programs

import (
	"context"
	"fmt"
	"math"
	"unsafe"

	"irgl/graph"
	"irgl/internal/run"
)

// verifyCC compares components with union-find: every node has the smallest
// node of its component, and the count is right.
func verifyCC(_ context.Context, in run.Input, res *run.Result) error {
	g := in.Graph
	trees := newForest(g.NumNodes())
	for u := range uint32(g.NumNodes()) {
		for _, v := range g.Dst[g.RowStart[u]:g.RowStart[u+1]] {
			trees.join(u, v)
		}
	}
	want := make([]int64, len(trees))
	components := int64(0)
	for v := range want {
		want[v] = int64(trees.find(uint32(v)))
		if want[v] == int64(v) {
			components++
		}
	}
	if err := compareInts(in, res, "comp", want); err != nil {
		return err
	}
	c, ok := res.Global("components")
	if !ok || c.Values[0].Int != components {
		return fmt.Errorf("components is %v, want %d", c.Values, components)
	}
	return nil
}

// verifyPR compares ranks with power iteration over incoming edges, run to the
// same end: a maximum change of at most tolerance, or max_rounds.
func verifyPR(ctx context.Context, in run.Input, res *run.Result) error {
	g := in.Graph
	n := g.NumNodes()
	if len(in.Args) != 3 {
		return fmt.Errorf("pr has 3 arguments, not %d", len(in.Args))
	}
	damping, tolerance, rounds := in.Args[0].Float, in.Args[1].Float, in.Args[2].Int
	col, err := column(res, "rank", n)
	if err != nil || n == 0 {
		return err
	}
	rank, err := remembered(ctx, func() ([]float64, error) { return pageRank(ctx, g, damping, tolerance, rounds) },
		"ranks", unsafe.SliceData(g.Dst), damping, tolerance, rounds)
	if err != nil {
		return err
	}
	// Both stop within one round of each other; a further round moves no rank
	// by more than the tolerance. Sums in another order differ by rounding.
	return compareRanks(g, col, rank, tolerance+1e-12)
}

// verifyPRDD compares with ranks that have converged to the last digits; those
// of the program differ by its tolerance in sum.
func verifyPRDD(ctx context.Context, in run.Input, res *run.Result) error {
	g := in.Graph
	n := g.NumNodes()
	if len(in.Args) != 2 {
		return fmt.Errorf("pr_dd has 2 arguments, not %d", len(in.Args))
	}
	col, err := column(res, "rank", n)
	if err != nil || n == 0 {
		return err
	}
	rank, err := remembered(ctx, func() ([]float64, error) { return pageRank(ctx, g, in.Args[0].Float, 1e-15, 10_000) },
		"converged ranks", unsafe.SliceData(g.Dst), in.Args[0].Float)
	if err != nil {
		return err
	}
	tolerance, off := in.Args[1].Float, 0.0
	for v, want := range rank {
		off += math.Abs(col.Float(v) - want)
	}
	if !(off <= tolerance+1e-9) {
		return fmt.Errorf("the ranks are off by %g in sum, more than %g", off, tolerance)
	}
	return compareRanks(g, col, rank, tolerance+1e-12)
}

// pageRank iterates the equation from equal ranks, until none changes by more
// than tolerance or the rounds are over.
func pageRank(ctx context.Context, g *graph.Graph, damping, tolerance float64, rounds int64) ([]float64, error) {
	n := g.NumNodes()
	rank := make([]float64, n)
	for v := range rank {
		rank[v] = 1 / float64(n)
	}
	next := make([]float64, n)
	for change := math.Inf(1); change > tolerance && rounds > 0; rounds-- {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		clear(next)
		lost := 0.0
		for u := range uint32(n) {
			row := g.Dst[g.RowStart[u]:g.RowStart[u+1]]
			if len(row) == 0 {
				lost += rank[u]
			}
			for _, v := range row {
				next[v] += rank[u] / float64(len(row))
			}
		}
		change = 0
		for v := range next {
			next[v] = (1-damping)/float64(n) + damping*(next[v]+lost/float64(n))
			change = max(change, math.Abs(next[v]-rank[v]))
		}
		rank, next = next, rank
	}
	return rank, nil
}

// compareRanks compares each rank, with a slack for all and one relative to the
// rank, and the sum of all with 1.
func compareRanks(g *graph.Graph, col *run.Column, rank []float64, slack float64) error {
	var bad mismatches
	sum := 0.0
	for v, want := range rank {
		got := col.Float(v)
		sum += got
		if !(math.Abs(got-want) <= slack+1e-9*want) {
			bad.add("rank of node %d is %g, want %g", g.ExternalID(uint32(v)), got, want)
		}
	}
	if err := bad.err(); err != nil {
		return err
	}
	if !(math.Abs(sum-1) < 1e-6) {
		return fmt.Errorf("the ranks sum to %g, not to 1", sum)
	}
	return nil
}
