package run

import (
	"context"
	"fmt"
	"slices"

	"irgl/graph"
	"irgl/internal/check"
)

// A NeedWeightsError says that a program requires integer weights which its
// graph does not have.
type NeedWeightsError struct {
	Graph string // the graph's file or generator; may be empty
	Real  bool   // the graph has weights, but some are no 32-bit integers
}

func (e *NeedWeightsError) Error() string {
	name := e.Graph
	if name == "" {
		name = "the graph"
	}
	if e.Real {
		return fmt.Sprintf("%s has weights that are no 32-bit integers, and the program requires integer weights", name)
	}
	return fmt.Sprintf("the program requires weights, and %s has none", name)
}

// Hint says how to put it right, in one line.
func (e *NeedWeightsError) Hint() string {
	if e.Real {
		return "scale and round the weights to integers, or replace them by random ones"
	}
	return "use a file with weights, or generate a graph with them, as in rmat:20:8:wmax=100"
}

// Prepare makes g fit what a program requires of its graph and returns the
// result: g itself when it fits already, and otherwise a new graph over the
// same nodes, which may share arrays with g. Of arcs that are dropped as
// repeats, the one of smallest weight stays, whatever else is asked for.
//
// A required symmetric graph holds both arcs of every edge with the same
// weight; making it so also drops self-loops and repeats and sorts the rows.
// A program that requires weights gets them in Weight, as integers; for a
// graph without them the error is a *[NeedWeightsError], and a
// *[NegativeWeightError] for one of which a weight is below 0 where none may be. Programs that do not
// require weights leave those of the graph alone.
func Prepare(ctx context.Context, g *graph.Graph, r check.Requires) (*graph.Graph, error) {
	g, err := prepareWeights(g, r)
	if err != nil {
		return nil, err
	}
	if r.NonNegative {
		if err := requireNonNegative(g); err != nil {
			return nil, err
		}
	}
	// Symmetrize comes first: it must see all arcs to find the smallest weight
	// of both directions, and what it gives fits every other requirement.
	if r.Symmetric {
		is, err := isSymmetric(ctx, g, r.Weights)
		if err != nil {
			return nil, fmt.Errorf("prepare graph: %w", err)
		}
		if !is {
			return transform(ctx, g.Symmetrize)
		}
	}
	s := inspect(g)
	if r.NoLoops && s.loops {
		if g, err = transform(ctx, g.DropSelfLoops); err != nil {
			return nil, err
		}
	}
	switch {
	case r.NoDups && (s.dups || !s.sorted && hasRepeats(g)):
		g, err = transform(ctx, g.Deduplicate) // sorts, too
	case r.Sorted && !s.sorted:
		g, err = transform(ctx, g.SortAdjacency)
	}
	if err != nil {
		return nil, err
	}
	return g, ctx.Err()
}

func transform(ctx context.Context, f func(context.Context) (*graph.Graph, error)) (*graph.Graph, error) {
	g, err := f(ctx)
	if err != nil {
		return nil, fmt.Errorf("prepare graph: %w", err)
	}
	return g, nil
}

// prepareWeights gives a graph that must have weights integer ones.
func prepareWeights(g *graph.Graph, r check.Requires) (*graph.Graph, error) {
	if !r.Weights || g.Weight != nil {
		return g, nil
	}
	w, ok := g.IntWeights()
	switch {
	case g.WeightF != nil && !ok:
		return nil, &NeedWeightsError{Graph: g.Info.Name, Real: true}
	case !ok && g.NumEdges() > 0:
		return nil, &NeedWeightsError{Graph: g.Info.Name}
	case w == nil:
		w = []int32{} // a graph without arcs is as weighted as any
	}
	return &graph.Graph{RowStart: g.RowStart, Dst: g.Dst, Weight: w, IDs: g.IDs, Base: g.Base, Info: g.Info}, nil
}

// A shape is what one walk over the rows tells. dups is exact for sorted rows
// only.
type shape struct{ sorted, loops, dups bool }

func inspect(g *graph.Graph) shape {
	s := shape{sorted: true}
	for u := range g.NumNodes() {
		row := g.Neighbors(uint32(u))
		for i, v := range row {
			s.loops = s.loops || v == uint32(u)
			if i > 0 {
				s.sorted = s.sorted && row[i-1] <= v
				s.dups = s.dups || row[i-1] == v
			}
		}
	}
	return s
}

// hasRepeats reports whether a row that need not be sorted names a node twice.
func hasRepeats(g *graph.Graph) bool {
	last := make([]uint32, g.NumNodes()) // the row that named the node last, plus 1
	for u := range g.NumNodes() {
		for _, v := range g.Neighbors(uint32(u)) {
			if last[v] == uint32(u)+1 {
				return true
			}
			last[v] = uint32(u) + 1
		}
	}
	return false
}

// isSymmetric reports whether every arc has a reverse, as often as itself and,
// when weights matter, of the same weight: whether the graph is its own
// transpose.
func isSymmetric(ctx context.Context, g *graph.Graph, weights bool) (bool, error) {
	h := &graph.Graph{RowStart: g.RowStart, Dst: g.Dst}
	if weights {
		h.Weight = g.Weight
	}
	a, err := h.SortAdjacency(ctx)
	if err != nil {
		return false, err
	}
	b, err := h.Transpose(ctx)
	if err != nil {
		return false, err
	}
	if !slices.Equal(a.RowStart, b.RowStart) || !slices.Equal(a.Dst, b.Dst) {
		return false, nil
	}
	return !weights || sameWeights(a, b), nil
}

// sameWeights compares the weights of two graphs with equal, sorted rows. The
// weights of parallel arcs may come in any order.
func sameWeights(a, b *graph.Graph) bool {
	if slices.Equal(a.Weight, b.Weight) {
		return true
	}
	for u := range a.NumNodes() {
		lo, hi := a.RowStart[u], a.RowStart[u+1]
		for lo < hi {
			end := lo + 1
			for end < hi && a.Dst[end] == a.Dst[lo] {
				end++
			}
			x, y := slices.Sorted(slices.Values(a.Weight[lo:end])), slices.Sorted(slices.Values(b.Weight[lo:end]))
			if !slices.Equal(x, y) {
				return false
			}
			lo = end
		}
	}
	return true
}
