package engine

import (
	"context"
	"sync"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/internal/prepare"
	"irgl/internal/run"
	"irgl/internal/tune"
)

// A fitted graph is one that fits what a program requires: on the host, or in the memory of a
// device, where a preparer has made it. Of the latter the host's form is made when it is
// asked for, by package graph of the graph that was given: results outlive devices, and an
// answer that is compared with one on the host's form verifies the preparation, too.
type fitted struct {
	given    *graph.Graph   // it has the same nodes
	requires check.Requires // by the program that it was made for, which may be an earlier one
	random   RandomWeights
	changes  bool // the program requires something that may change a graph; see changes
	edges    int64
	device   *prepare.Fitted // in the memory of a device; nil for a graph on the host
	reason   string          // why the device has not prepared it; "" if it was not to
	// views returns those that the program looks at, on the host; nil for a graph on a device.
	views func(context.Context) (run.Views, error)

	weights *graph.WeightRange // of device, where it is not that of given

	mu   sync.Mutex // guards host where there is a device: results may be verified meanwhile
	host *graph.Graph

	inputMu sync.Mutex
	input   *tune.Input
}

// newFitted returns a graph on the host that was made of another one for a program.
func newFitted(given, made *graph.Graph, p *check.Info) *fitted {
	return &fitted{given: given, requires: p.Requires, changes: changes(p), edges: made.NumEdges(), host: made}
}

// prepareOnHost is run.Prepare of a graph that may get random weights.
func prepareOnHost(ctx context.Context, g *graph.Graph, r check.Requires, random RandomWeights) (*graph.Graph, error) {
	if r.Weights && random.Max > 0 {
		var err error
		if g, err = g.RandomWeights(ctx, random.Max, random.Seed); err != nil {
			return nil, err
		}
	}
	return run.Prepare(ctx, g, r)
}

// fitOnHost makes a graph fit, and its views when they are asked for.
func fitOnHost(ctx context.Context, g *graph.Graph, p *check.Info, random RandomWeights) (*fitted, error) {
	made, err := prepareOnHost(ctx, g, p.Requires, random)
	if err != nil {
		return nil, err
	}
	f := newFitted(g, made, p)
	f.random, f.changes = random, f.changes || random.apply(p)
	f.views = func(ctx context.Context) (run.Views, error) { return run.ViewsOf(ctx, made, p.Needs, p.Requires) }
	return f, nil
}

// graph returns the host's form of the graph.
func (f *fitted) graph(ctx context.Context) (*graph.Graph, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.host != nil {
		return f.host, nil
	}
	g, err := prepareOnHost(ctx, f.given, f.requires, f.random)
	if err == nil {
		f.host = g
	}
	return g, err
}

// place returns where the graph was prepared, "" where there was nothing to do.
func (f *fitted) place() string {
	switch {
	case !f.changes:
		return ""
	case f.device != nil:
		return "device"
	}
	return "host"
}

// placed returns the graph as an engine takes it: nil if it is on the engine's device.
func (f *fitted) placed() *graph.Graph {
	if f.device != nil {
		return nil
	}
	return f.host
}

// weightRange returns the range of the integer weights.
func (f *fitted) weightRange(ctx context.Context) (graph.WeightRange, error) {
	if f.weights != nil {
		return *f.weights, nil
	}
	g, err := f.graph(ctx)
	if err != nil {
		return graph.WeightRange{}, err
	}
	return g.WeightRange(ctx)
}

// describe returns what the choice of switches depends on.
func (f *fitted) describe() tune.Input {
	f.inputMu.Lock()
	defer f.inputMu.Unlock()
	if f.input == nil {
		in := inputOf(f.host, f.requires)
		f.input = &in
	}
	return *f.input
}

// inputOf describes a prepared graph as programs see it that require this: without weights
// where they require none.
func inputOf(g *graph.Graph, r check.Requires) tune.Input {
	switch {
	case g.NumNodes() == 0:
		return tune.InputOf(nil, 0)
	case !r.Weights && g.HasWeights():
		g = &graph.Graph{RowStart: g.RowStart, Dst: g.Dst, IDs: g.IDs, Base: g.Base, Info: g.Info}
	}
	return tune.InputOf(g, 0)
}

// A fitKey is a graph and what a program requires of it and looks at.
type fitKey struct {
	graph    *graph.Graph
	requires check.Requires
	needs    check.Needs
}

// fittings has graphs as programs require them, with the views that these look at.
type fittings map[fitKey]*fitted

// drop forgets a graph.
func (m fittings) drop(g *graph.Graph) {
	for key := range m {
		if key.graph == g {
			delete(m, key)
		}
	}
}

// fit makes a graph fit what a program requires, with the views it looks at: on a device if
// there is a preparer that can.
func (m fittings) fit(ctx context.Context, g *graph.Graph, p *check.Info, on *preparer) (*fitted, error) {
	key := fitKey{g, p.Requires, p.Needs}
	if f := m[key]; f != nil {
		return f, nil
	}
	f, reason, err := on.fit(ctx, g, p, RandomWeights{}, m.symmetric(g, p.Requires))
	if f == nil && err == nil {
		f, err = m.fitOnHost(ctx, g, p)
	}
	if err != nil {
		return nil, err
	}
	f.reason = reason
	m[key] = f
	return f, nil
}

// symmetric returns a graph on the device that was made symmetric of g, with weights if they
// are required: it fits whatever else is. It is nil if there is none.
func (m fittings) symmetric(g *graph.Graph, r check.Requires) *fitted {
	for key, f := range m {
		if key.graph == g && r.Symmetric && f.device != nil && f.device.Symmetrized && (key.requires.Weights || !r.Weights) {
			return f
		}
	}
	return nil
}

// fitOnHost makes a graph and its views, once for what is the same.
func (m fittings) fitOnHost(ctx context.Context, g *graph.Graph, p *check.Info) (*fitted, error) {
	prepared, err := m.prepared(ctx, g, p.Requires)
	if err != nil {
		return nil, err
	}
	// Views of the same graph, made for another program, are the same.
	in := run.Input{Graph: prepared}
	for other, f := range m {
		if f.device != nil || f.host != prepared || other.requires.Weights != p.Requires.Weights {
			continue
		}
		have, err := f.views(ctx)
		if err != nil {
			return nil, err
		}
		if p.Needs.InEdges && have.In != nil && other.requires.Symmetric == p.Requires.Symmetric {
			in.In = have.In
		}
		if p.Needs.Sources && have.Src != nil {
			in.Src = have.Src
		}
	}
	if err := in.Complete(ctx, p.Needs, p.Requires); err != nil {
		return nil, err
	}
	f := newFitted(g, prepared, p)
	f.views = func(context.Context) (run.Views, error) { return in.Views, nil }
	return f, nil
}

// prepared is run.Prepare, once for what is the same: a graph that was made
// symmetric fits whatever else is required.
func (m fittings) prepared(ctx context.Context, g *graph.Graph, r check.Requires) (*graph.Graph, error) {
	for key, f := range m {
		if key.graph != g || f.device != nil {
			continue
		}
		if key.requires == r || r.Symmetric && key.requires.Symmetric && key.requires.Weights && f.host != g && f.host.Weight != nil && !sameArcs(f.host, g) {
			return f.host, nil
		}
	}
	return run.Prepare(ctx, g, r)
}

// sameArcs reports whether two graphs share their arcs: one was not made symmetric
// of the other.
func sameArcs(a, b *graph.Graph) bool {
	return len(a.Dst) == len(b.Dst) && (len(a.Dst) == 0 || &a.Dst[0] == &b.Dst[0])
}
