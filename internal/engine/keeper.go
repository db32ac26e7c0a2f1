package engine

import (
	"context"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/internal/run"
)

// A Keeper keeps graphs in the forms that programs require, for executables on the
// devices cpu and interp: a graph that several programs run on, by turns with others, is
// made to fit once. It is safe for use by several goroutines at once. A [Session] does
// the same for devices that have memory of their own.
type Keeper struct {
	turn   chan struct{} // holds a value while a graph is made to fit
	graphs fittings
}

// NewKeeper returns a keeper of no graphs.
func NewKeeper() *Keeper { return &Keeper{turn: make(chan struct{}, 1), graphs: fittings{}} }

// Compile is [Program.Compile] of an executable that shares the keeper's graphs.
func (k *Keeper) Compile(ctx context.Context, p *Program, o Options) (*Executable, error) {
	x, err := p.Compile(ctx, o)
	if err == nil {
		x.sharing = keeping{k: k}
	}
	return x, err
}

// Drop forgets all forms of a graph.
func (k *Keeper) Drop(g *graph.Graph) {
	k.turn <- struct{}{}
	defer func() { <-k.turn }()
	k.graphs.drop(g)
}

// keeping is the sharing of a keeper's executables.
type keeping struct {
	alone
	k *Keeper
}

func (s keeping) fit(ctx context.Context, g *graph.Graph, p *check.Info) (fitted, error) {
	select {
	case s.k.turn <- struct{}{}:
	case <-ctx.Done():
		return fitted{}, ctx.Err()
	}
	defer func() { <-s.k.turn }()
	return s.k.graphs.fit(ctx, g, p)
}

// Forget gives up what the executable has of a graph, if that is the one it was last
// prepared for.
func (x *Executable) Forget(g *graph.Graph) {
	if x.given == g {
		x.given, x.prepared, x.views = nil, nil, run.Views{}
	}
}

// fittings has graphs as programs require them, with the views that these look at.
type fittings map[fitKey]viewed

// A viewed graph is one that fits what a program requires, with the views it looks at.
type viewed struct {
	graph *graph.Graph
	views run.Views
}

func (v viewed) fitted() fitted {
	return fitted{v.graph, func(context.Context) (run.Views, error) { return v.views, nil }}
}

// drop forgets a graph.
func (m fittings) drop(g *graph.Graph) {
	for key := range m {
		if key.graph == g {
			delete(m, key)
		}
	}
}

// fit makes a graph fit what a program requires, with the views it looks at.
func (m fittings) fit(ctx context.Context, g *graph.Graph, p *check.Info) (fitted, error) {
	key := fitKey{g, p.Requires, p.Needs}
	if f, ok := m[key]; ok {
		return f.fitted(), nil
	}
	prepared, err := m.prepared(ctx, g, p.Requires)
	if err != nil {
		return fitted{}, err
	}
	// Views of the same graph, made for another program, are the same.
	in := run.Input{Graph: prepared}
	for other, have := range m {
		if have.graph != prepared || other.requires.Weights != p.Requires.Weights {
			continue
		}
		if p.Needs.InEdges && have.views.In != nil && other.requires.Symmetric == p.Requires.Symmetric {
			in.In = have.views.In
		}
		if p.Needs.Sources && have.views.Src != nil {
			in.Src = have.views.Src
		}
	}
	if err := in.Complete(ctx, p.Needs, p.Requires); err != nil {
		return fitted{}, err
	}
	f := viewed{prepared, in.Views}
	m[key] = f
	return f.fitted(), nil
}

// prepared is run.Prepare, once for what is the same: a graph that was made
// symmetric fits whatever else is required.
func (m fittings) prepared(ctx context.Context, g *graph.Graph, r check.Requires) (*graph.Graph, error) {
	for key, f := range m {
		if key.graph != g {
			continue
		}
		if key.requires == r || r.Symmetric && key.requires.Symmetric && key.requires.Weights && f.graph != g && f.graph.Weight != nil && !sameArcs(f.graph, g) {
			return f.graph, nil
		}
	}
	return run.Prepare(ctx, g, r)
}

// sameArcs reports whether two graphs share their arcs: one was not made symmetric
// of the other.
func sameArcs(a, b *graph.Graph) bool {
	return len(a.Dst) == len(b.Dst) && (len(a.Dst) == 0 || &a.Dst[0] == &b.Dst[0])
}
