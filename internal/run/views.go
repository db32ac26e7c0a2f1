package run

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"

	"irgl/graph"
	"irgl/internal/check"
)

// Views are forms of a graph that a program looks at besides its rows; what it
// does not look at is nil.
type Views struct {
	// In is the transpose of the graph: its rows are the edges that lead to a
	// node, its destinations where they come from. It is the graph itself where
	// that is its own transpose.
	In *graph.Graph
	// Src has the node that each edge leaves.
	Src []uint32
}

// A TooManyEdgesError says that a program puts edges into worklists, whose items
// have 32 bits, and that the graph has more than these can number.
type TooManyEdgesError struct{ Edges int64 }

func (e *TooManyEdgesError) Error() string {
	return fmt.Sprintf("the program puts edges into worklists, which takes a graph of less than 2^31 edges, and this one has %d", e.Edges)
}

// CheckItems returns a *[TooManyEdgesError] if a program cannot number so many edges in its
// worklists.
func CheckItems(n check.Needs, edges int64) error {
	if n.EdgeItems && edges > math.MaxInt32 {
		return &TooManyEdgesError{edges}
	}
	return nil
}

// ViewsOf makes the views of a prepared graph that a program needs. The work is
// that of a few passes over the edges, by all processors. The error is ctx's or
// a *[TooManyEdgesError].
func ViewsOf(ctx context.Context, g *graph.Graph, n check.Needs, r check.Requires) (Views, error) {
	var v Views
	if g == nil {
		return v, nil
	}
	if err := CheckItems(n, g.NumEdges()); err != nil {
		return v, err
	}
	own, err := ownTranspose(ctx, g, n, r)
	switch {
	case err != nil:
		return v, err
	case own:
		v.In = g
	case n.InEdges:
		h := &graph.Graph{RowStart: g.RowStart, Dst: g.Dst}
		if r.Weights {
			h.Weight = g.Weight
		}
		if v.In, err = transform(ctx, h.Transpose); err != nil {
			return Views{}, err
		}
	}
	if n.Sources {
		v.Src = sources(g)
	}
	return v, ctx.Err()
}

// ownTranspose reports whether g can be its own view of the edges that lead to nodes: it
// is symmetric, with the weights if they are required, and an edge has one place in a row.
func ownTranspose(ctx context.Context, g *graph.Graph, n check.Needs, r check.Requires) (is bool, err error) {
	if !n.InEdges || r.Symmetric {
		return n.InEdges, nil
	}
	if is, err = g.IsSymmetric(ctx, r.Weights); is && err == nil {
		is, err = g.IsSorted(ctx)
	}
	if is && err == nil && r.Weights {
		is, err = g.HasDuplicates(ctx)
		is = !is
	}
	return is && err == nil, err
}

// Complete makes the views that the program needs and in does not have. Callers that
// run a program several times on one graph provide them.
func (in *Input) Complete(ctx context.Context, n check.Needs, r check.Requires) error {
	if in.Graph == nil || (!n.InEdges || in.In != nil) && (!n.Sources || in.Src != nil) && !n.EdgeItems {
		return nil
	}
	given := in.Views
	if given.In != nil {
		n.InEdges = false
	}
	if given.Src != nil {
		n.Sources = false
	}
	v, err := ViewsOf(ctx, in.Graph, n, r)
	if err != nil {
		return err
	}
	if given.In != nil {
		v.In = given.In
	}
	if given.Src != nil {
		v.Src = given.Src
	}
	in.Views = v
	return nil
}

// sources returns the node that each edge leaves: every processor writes the
// rows of a part of the nodes, parts of about as many edges.
func sources(g *graph.Graph) []uint32 {
	out := make([]uint32, g.NumEdges())
	parts := max(1, min(runtime.GOMAXPROCS(0), len(out)>>16))
	var wait sync.WaitGroup
	for p := range parts {
		lo, hi := len(out)/parts*p, len(out)/parts*(p+1)
		if p == parts-1 {
			hi = len(out)
		}
		wait.Go(func() { sourcesOf(g, out, uint64(lo), uint64(hi)) })
	}
	wait.Wait()
	return out
}

// sourcesOf writes the sources of the edges from lo up to hi.
func sourcesOf(g *graph.Graph, out []uint32, lo, hi uint64) {
	u, end := 0, g.NumNodes() // the last node whose row begins at lo or before
	for u < end {
		if mid := (u + end) / 2; g.RowStart[mid+1] <= lo {
			u = mid + 1
		} else {
			end = mid
		}
	}
	for ; lo < hi; u++ {
		for ; lo < min(hi, g.RowStart[u+1]); lo++ {
			out[lo] = uint32(u)
		}
	}
}
