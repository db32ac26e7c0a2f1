package run

import (
	"context"
	"fmt"

	"irgl/graph"
	"irgl/internal/check"
)

// A NeedWeightsError says that a program requires integer weights which its
// graph does not have.
type NeedWeightsError struct {
	Graph string // the graph's file or generator; may be empty
	Real  bool   // the graph has weights, but some are not 32-bit integers
}

func (e *NeedWeightsError) Error() string {
	name := e.Graph
	if name == "" {
		name = "the graph"
	}
	if e.Real {
		return fmt.Sprintf("%s has weights that are not 32-bit integers, and the program requires integer weights", name)
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
// A program that requires weights gets them in Weight, as integers; the error
// for a graph without them is a *[NeedWeightsError], that for a graph with negative ones
// where the program forbids these a *[NegativeWeightError]. For programs that do not
// require weights, those of the graph remain as they are.
//
// The error of an invalid graph, such as one made by hand whose rows do not fit
// its destinations, is that of [graph.Graph.Validate].
func Prepare(ctx context.Context, g *graph.Graph, r check.Requires) (*graph.Graph, error) {
	g, err := Admit(ctx, g, r)
	if err != nil {
		return nil, err
	}
	type graphMethod = func(*graph.Graph, context.Context) (*graph.Graph, error)
	for _, step := range []struct {
		required bool
		lacks    func(g *graph.Graph) (bool, error)
		mend     graphMethod
	}{
		// Symmetrize comes first: it must see all arcs to find the smallest weight
		// of both directions, and what it gives fits every other requirement.
		{r.Symmetric, func(g *graph.Graph) (bool, error) {
			is, err := g.IsSymmetric(ctx, r.Weights)
			return !is, err
		}, (*graph.Graph).Symmetrize},
		{r.NoLoops, func(g *graph.Graph) (bool, error) { return g.HasSelfLoops(ctx) }, (*graph.Graph).DropSelfLoops},
		{r.NoDups, func(g *graph.Graph) (bool, error) { return g.HasDuplicates(ctx) }, (*graph.Graph).Deduplicate},
		{r.Sorted, func(g *graph.Graph) (bool, error) {
			is, err := g.IsSorted(ctx)
			return !is, err
		}, (*graph.Graph).SortAdjacency},
	} {
		if !step.required {
			continue
		}
		lacks, err := step.lacks(g)
		if err == nil && lacks {
			g, err = step.mend(g, ctx)
		}
		if err != nil {
			return nil, fmt.Errorf("prepare graph: %w", err)
		}
	}
	return g, ctx.Err()
}

// Admit is the part of [Prepare] that looks at a graph and its weights, and leaves the arcs as
// they are: what it returns has integer weights where the program requires weights.
func Admit(ctx context.Context, g *graph.Graph, r check.Requires) (*graph.Graph, error) {
	if err := g.Validate(ctx); err != nil {
		return nil, err
	}
	g, err := prepareWeights(g, r)
	if err == nil && r.NonNegative {
		err = requireNonNegative(ctx, g)
	}
	if err != nil {
		return nil, err
	}
	return g, nil
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
