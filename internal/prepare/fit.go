package prepare

import (
	"context"
	"errors"

	"irgl/internal/check"
	"irgl/internal/device"
)

// A Fitted graph is one that fits what a program requires, with the views of it that the
// program looks at.
type Fitted struct {
	Graph *Graph
	// Symmetrized says that the graph was made symmetric, so that it fits whatever else may
	// be required.
	Symmetrized bool
	// In is the transpose, Graph itself where that is its own transpose; nil if the program
	// does not look at it.
	In *Graph
	// Src has the node that each arc leaves; 0 if the program does not look at it.
	Src device.Ptr
}

// Fit is run.Prepare and run.ViewsOf for a graph in device memory: it makes g fit what a
// program requires, and makes the views that it looks at. g stays, and is the graph of the
// result if it fits already; its weights are left aside in a program that requires none.
func (k *Kit) Fit(ctx context.Context, g *Graph, r check.Requires, n check.Needs) (*Fitted, error) {
	if !r.Weights && g.Weight != 0 {
		g = &Graph{Nodes: g.Nodes, Arcs: g.Arcs, Row: g.Row, Dst: g.Dst}
	}
	w := &fitting{Kit: k, given: g, now: g}
	f, err := w.fit(ctx, r, n)
	if err != nil {
		return nil, errors.Join(err, w.replace(g))
	}
	return f, nil
}

// FreeFitted frees what [Kit.Fit] has made of g.
func (k *Kit) FreeFitted(f *Fitted, g *Graph) error {
	var err error
	if f.Src != 0 {
		err = k.dev.Free(f.Src)
	}
	if f.In != f.Graph {
		err = errors.Join(err, k.Free(f.In))
	}
	if f.Graph.Row != g.Row {
		err = errors.Join(err, k.Free(f.Graph))
	}
	return err
}

// A fitting is a graph that is being made to fit.
type fitting struct {
	*Kit
	given, now  *Graph
	facts       Facts // of now
	symmetrized bool
}

// replace takes a graph in place of the present one, which it frees.
func (w *fitting) replace(g *Graph) error {
	old := w.now
	if w.now = g; old == w.given || old == g {
		return nil
	}
	return w.Free(old)
}

// change has a transform make another graph of the present one, with other facts.
func (w *fitting) change(ctx context.Context, f func(context.Context, *Graph) (*Graph, error), facts Facts) error {
	g, err := f(ctx, w.now)
	if err != nil {
		return err
	}
	w.facts = facts
	return w.replace(g)
}

func (w *fitting) fit(ctx context.Context, r check.Requires, n check.Needs) (*Fitted, error) {
	if err := w.mend(ctx, r, n); err != nil {
		return nil, err
	}
	f := &Fitted{Graph: w.now, Symmetrized: w.symmetrized}
	if n.Sources {
		var err error
		if f.Src, err = w.Sources(ctx, w.now); err != nil {
			return nil, err
		}
	}
	own := r.Symmetric || w.facts.Sorted && (!r.Weights && w.facts.Symmetric || w.facts.Mirrored && w.facts.Simple)
	switch {
	case !n.InEdges:
	case own:
		f.In = w.now
	default:
		var err error
		if f.In, err = w.Transpose(ctx, w.now); err != nil {
			if f.Src != 0 {
				err = errors.Join(err, w.dev.Free(f.Src))
			}
			return nil, err
		}
	}
	return f, nil
}

// mend makes the graph fit what a program requires, as run.Prepare does: arcs are dropped
// for what the graph lacks alone.
func (w *fitting) mend(ctx context.Context, r check.Requires, n check.Needs) (err error) {
	if !r.Symmetric && !r.NoLoops && !r.NoDups && !r.Sorted && !n.InEdges {
		return nil
	}
	if w.facts, err = w.Facts(ctx, w.now); err != nil {
		return err
	}
	if r.Symmetric && (!w.facts.Symmetric || r.Weights && !w.facts.Mirrored) {
		w.symmetrized = true
		return w.change(ctx, w.Symmetrize, Facts{Sorted: true, LoopFree: true, Simple: true, Symmetric: true, Mirrored: true})
	}
	if r.NoLoops && !w.facts.LoopFree {
		facts := w.facts
		facts.LoopFree = true
		if err := w.change(ctx, w.DropSelfLoops, facts); err != nil {
			return err
		}
	}
	if r.NoDups && !(w.facts.Sorted && w.facts.Simple) {
		if err := w.dropRepeats(ctx); err != nil {
			return err
		}
	}
	if r.Sorted && !w.facts.Sorted {
		facts := w.facts
		facts.Sorted = true
		return w.change(ctx, w.SortAdjacency, facts)
	}
	return nil
}

// dropRepeats drops repeats if there are any: in rows that are not sorted, they are found by
// dropping them.
func (w *fitting) dropRepeats(ctx context.Context) error {
	g, err := w.Deduplicate(ctx, w.now)
	if err != nil {
		return err
	}
	w.facts.Simple = true
	if g.Arcs == w.now.Arcs { // none; then rows stay in their order
		return w.Free(g)
	}
	w.facts.Sorted = true
	return w.replace(g)
}
