package graph

import (
	"context"
	"errors"
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
	return g.transformed(ctx, "symmetrize", step{kind: symmetrizing}, sorted|loopFree|simple|symmetric|mirrored)
}

// Deduplicate returns the graph with one of several arcs that lead from the
// same node to the same node, that of smallest weight. Its rows are sorted.
func (g *Graph) Deduplicate(ctx context.Context) (*Graph, error) {
	return g.transformed(ctx, "deduplicate", step{rows: rowWork{sort: true, dedup: true}}, sorted|simple)
}

// SortAdjacency returns the graph with the arcs of each node ordered by
// destination; parallel arcs keep their order. RowStart is shared with g.
func (g *Graph) SortAdjacency(ctx context.Context) (*Graph, error) {
	return g.transformed(ctx, "sort", step{rows: rowWork{sort: true}}, sorted)
}

// DropSelfLoops returns the graph without arcs from a node to itself.
func (g *Graph) DropSelfLoops(ctx context.Context) (*Graph, error) {
	return g.transformed(ctx, "drop self-loops", step{rows: rowWork{dropLoops: true}}, loopFree)
}

// Transpose returns the graph with every arc reversed. The arcs of each
// node are ordered by destination; parallel arcs keep their order.
func (g *Graph) Transpose(ctx context.Context) (*Graph, error) {
	return g.transformed(ctx, "transpose", step{kind: transposing}, sorted)
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
	err := parallelArcs(ctx, g, func(lo, hi uint64) {
		forRows(g.RowStart, lo, hi, func(u uint32, first, end uint64) {
			w := h.Weight[first:end]
			for i, v := range g.Dst[first:end] {
				w[i] = edgeWeight(u, v, seed, uint64(wmax))
			}
		})
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

// A step is what is done to the arrays of a graph.
type step struct {
	kind stepKind
	rows rowWork // for workOnRows
}

type stepKind int

const (
	workOnRows stepKind = iota
	transposing
	symmetrizing
)

// transformed returns a graph with the arrays that a step makes of those of g, of which
// also holds is true.
func (g *Graph) transformed(ctx context.Context, what string, s step, holds fact) (*Graph, error) {
	if err := g.Validate(ctx); err != nil {
		return nil, err
	}
	h := &Graph{IDs: g.IDs, Base: g.Base, Info: g.Info}
	var err error
	switch {
	case g.Weight != nil:
		h.Weight, err = doStep(ctx, g, h, g.Weight, s)
	case g.WeightF != nil:
		h.WeightF, err = doStep(ctx, g, h, g.WeightF, s)
	default:
		_, err = doStep[none](ctx, g, h, nil, s)
	}
	if err != nil {
		return nil, fmt.Errorf("%s graph: %w", what, err)
	}
	holds |= valid | g.known().holds // no transform makes any of that untrue
	h.learn(holds, holds)
	return h, nil
}

// doStep sets RowStart and Dst of h to what a step makes of g, and returns the weights.
func doStep[W weight](ctx context.Context, g, h *Graph, weights []W, s step) ([]W, error) {
	from := csr[W]{g.RowStart, arcList[W]{g.Dst, weights}}
	if len(from.row) == 0 {
		from.row = []uint64{0}
	}
	var to csr[W]
	var err error
	switch s.kind {
	case workOnRows:
		to, err = reworkRows(ctx, from, from.empty(), s.rows)
	case transposing:
		to, err = transpose(ctx, from)
	case symmetrizing:
		to, err = symmetrize(ctx, g, from)
	}
	h.RowStart, h.Dst = to.row, to.dst
	return to.weight, errors.Join(err, ctx.Err())
}

// symmetrize returns the arcs of g, whose arrays are given, in both directions.
func symmetrize[W weight](ctx context.Context, g *Graph, from csr[W]) (csr[W], error) {
	in, err := transpose(ctx, from)
	if err != nil {
		return in, err
	}
	ascending, err := g.IsSorted(ctx)
	if err == nil && !ascending {
		from, err = reworkRows(ctx, from, from.empty(), rowWork{sort: true})
	}
	if err != nil {
		return in, err
	}
	return mergeRows(ctx, from, in)
}
