package graph

import (
	"context"
	"fmt"
	"math"
)

// Transforms make a new graph and leave the old one as it is. The result does
// not depend on the number of processors. Nodes, and their names, stay. A graph
// that Validate refuses is an error.

// Symmetrize returns the graph with both directions of every arc, without
// self-loops and without duplicates, its rows sorted. Of parallel arcs, those
// of the other direction among them, the smallest weight is kept, so that both
// arcs of an edge weigh the same.
func (g *Graph) Symmetrize(ctx context.Context) (*Graph, error) {
	return g.rebuild(ctx, "symmetrize", buildOptions{both: true, dropLoops: true, dedup: true}, false)
}

// Deduplicate returns the graph with one of several arcs that lead from the
// same node to the same node, that of smallest weight. Its rows are sorted.
func (g *Graph) Deduplicate(ctx context.Context) (*Graph, error) {
	return g.rebuild(ctx, "deduplicate", buildOptions{dedup: true}, false)
}

// SortAdjacency returns the graph with the arcs of each node ordered by
// destination; parallel arcs keep their order.
func (g *Graph) SortAdjacency(ctx context.Context) (*Graph, error) {
	return g.rebuild(ctx, "sort", buildOptions{sort: true}, false)
}

// DropSelfLoops returns the graph without arcs from a node to itself.
func (g *Graph) DropSelfLoops(ctx context.Context) (*Graph, error) {
	return g.rebuild(ctx, "drop self-loops", buildOptions{dropLoops: true}, false)
}

// Transpose returns the graph with every arc reversed. The arcs of each
// node are ordered by destination; parallel arcs keep their order.
func (g *Graph) Transpose(ctx context.Context) (*Graph, error) {
	return g.rebuild(ctx, "transpose", buildOptions{}, true)
}

// RandomWeights returns the graph with integer weights 1..wmax in place of
// those it had. The weight of an arc is a hash of its two ends and the seed,
// the same in both directions and the same that generators give: see Generate.
// The arrays RowStart and Dst are shared with g.
func (g *Graph) RandomWeights(ctx context.Context, wmax int, seed uint64) (*Graph, error) {
	if wmax < 1 || wmax > math.MaxInt32 {
		return nil, fmt.Errorf("random weights: largest weight %d; expected 1 to %d", wmax, math.MaxInt32)
	}
	if err := g.Validate(ctx); err != nil {
		return nil, err
	}
	h := &Graph{RowStart: g.RowStart, Dst: g.Dst, Weight: make([]int32, len(g.Dst)), IDs: g.IDs, Base: g.Base, Info: g.Info}
	err := parallelRange(ctx, g.NumNodes(), 1<<10, func(lo, hi int) {
		for u := lo; u < hi; u++ {
			for e := g.RowStart[u]; e < g.RowStart[u+1]; e++ {
				h.Weight[e] = edgeWeight(uint32(u), g.Dst[e], seed, uint64(wmax))
			}
		}
	})
	if err != nil {
		return nil, err
	}
	holds := g.known().holds
	if holds&symmetric != 0 {
		holds |= mirrored // an edge weighs the same in both directions
	}
	h.learn(holds, holds)
	return h, nil
}

// rebuild builds a graph from the arcs of g, reversed if asked.
func (g *Graph) rebuild(ctx context.Context, what string, o buildOptions, reverse bool) (*Graph, error) {
	if err := g.Validate(ctx); err != nil {
		return nil, err
	}
	h := &Graph{IDs: g.IDs, Base: g.Base, Info: g.Info}
	err := g.rebuildArcs(ctx, h, o, reverse)
	if err != nil {
		return nil, fmt.Errorf("%s graph: %w", what, err)
	}
	holds := o.facts() | g.known().holds // no transform makes any of that untrue
	if reverse {
		holds |= sorted
	}
	h.learn(holds, holds)
	return h, nil
}

// rebuildArcs sets the arrays of h, by the fastest method that g allows.
func (g *Graph) rebuildArcs(ctx context.Context, h *Graph, o buildOptions, reverse bool) error {
	switch {
	case g.WeightF != nil:
	case reverse && max(len(g.Dst), g.NumNodes()) <= smallArcs:
		return g.transposeSmall(ctx, h)
	case o.both:
		if ascending, err := g.IsSorted(ctx); err != nil {
			return err
		} else if ascending {
			return g.symmetrizeSorted(ctx, h)
		}
	}
	return g.buildArcs(ctx, h, o, reverse)
}

// buildArcs sets the arrays of h by a list of arcs.
func (g *Graph) buildArcs(ctx context.Context, h *Graph, o buildOptions, reverse bool) error {
	n := g.NumNodes()
	switch {
	case g.Weight != nil:
		segs, err := arcSegments(ctx, g, g.Weight, reverse)
		if err != nil {
			return err
		}
		return buildInt(ctx, h, n, segs, o)
	case g.WeightF != nil:
		segs, err := arcSegments(ctx, g, g.WeightF, reverse)
		if err != nil {
			return err
		}
		return buildFloat(ctx, h, n, segs, o)
	}
	segs, err := arcSegments[none](ctx, g, nil, reverse)
	if err != nil {
		return err
	}
	return buildUnweighted(ctx, h, n, segs, o)
}

// arcSegments lists the arcs of g in order, cut into segments of whole rows.
func arcSegments[W any](ctx context.Context, g *Graph, w []W, reverse bool) ([]segment[W], error) {
	n := g.NumNodes()
	bounds := rowBounds(g)
	segs := make([]segment[W], len(bounds)-1)
	sources := make([]uint32, len(g.Dst))
	err := parallelTasks(ctx, len(segs), func(_, i int) error {
		lo, hi := bounds[i], bounds[i+1]
		for u := lo; u < hi; u++ {
			row := sources[g.RowStart[u]:g.RowStart[u+1]]
			for k := range row {
				row[k] = uint32(u)
			}
		}
		from, to := g.RowStart[lo], g.RowStart[min(hi, n)]
		s := segment[W]{src: sources[from:to], dst: g.Dst[from:to]}
		if reverse {
			s.src, s.dst = s.dst, s.src
		}
		if w != nil {
			s.w = w[from:to]
		}
		segs[i] = s
		return nil
	})
	return segs, err
}

// rowBounds cuts the nodes of g into ranges of about equally many arcs, at
// most 256 of them.
func rowBounds(g *Graph) []int { return cutRows(g, 256, 1<<14) }

// cutRows cuts the nodes of g into at most so many ranges of about equally many arcs,
// and at least the given number where that is possible.
func cutRows(g *Graph, most int, least uint64) []int {
	n := g.NumNodes()
	if n == 0 {
		return []int{0}
	}
	// A node counts as much as an arc, so that empty rows are spread too.
	step := max(least, (uint64(len(g.Dst))+uint64(n))/uint64(most)+1)
	bounds := []int{0}
	next := step
	for u := 1; u < n; u++ {
		if g.RowStart[u]+uint64(u) >= next {
			bounds = append(bounds, u)
			next = g.RowStart[u] + uint64(u) + step
		}
	}
	return append(bounds, n)
}
