package engine

import (
	"context"

	"irgl/graph"
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
	o.Weights = RandomWeights{}
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

func (s keeping) fit(ctx context.Context, x *Executable, g *graph.Graph) (*fitted, error) {
	select {
	case s.k.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-s.k.turn }()
	return s.k.graphs.fit(ctx, g, x.program.info, nil)
}

// Forget gives up what the executable has of a graph, if that is the one it was last
// prepared for.
func (x *Executable) Forget(g *graph.Graph) {
	if x.given == g {
		x.given, x.prepared, x.views = nil, nil, run.Views{}
	}
}
