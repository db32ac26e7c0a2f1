package engine

import (
	"context"
	"time"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/internal/compile"
	"irgl/internal/host"
	"irgl/internal/run"
	"irgl/internal/tune"
	"irgl/mesh"
)

// A sharing is what an executable may have in common with others: prepared inputs,
// memory of the device, and compiled code. It is alone, keeping (of a [Keeper]), or a [SessionExecutable].
type sharing interface {
	// lost returns the error that made the device unusable, nil if it is usable.
	lost() error
	// fit makes a graph fit what a program requires.
	fit(ctx context.Context, g *graph.Graph, p *check.Info) (fitted, error)
	// elements makes a mesh fit what a program requires.
	elements(ctx context.Context, m *mesh.Mesh, r check.Requires) (*run.Mesh, error)
	// inputOf describes a prepared graph, nil for none, and a mesh of so many points.
	inputOf(g *graph.Graph, points int) tune.Input
	// store returns the memory that engines share, nil for none.
	store() *host.Store
	// exchange keeps the executable's engine for later, if engines are kept, and reports
	// whether one for c was kept, which the executable has then.
	exchange(c code) (bool, error)
	// built returns the program compiled for c, up to the stage called last.
	built(ctx context.Context, x *Executable, c code, last string) (*compile.Unit, error)
	// noteLoad notes that a module was loaded.
	noteLoad(took time.Duration)
}

// A fitted graph is one that fits what a program requires.
type fitted struct {
	graph *graph.Graph
	views func(context.Context) (run.Views, error) // those that the program looks at
}

// alone is the sharing of an executable that has a device of its own.
type alone struct{}

func (alone) lost() error { return nil }

func (alone) fit(ctx context.Context, g *graph.Graph, p *check.Info) (f fitted, err error) {
	f.graph, err = run.Prepare(ctx, g, p.Requires)
	f.views = func(ctx context.Context) (run.Views, error) { return run.ViewsOf(ctx, f.graph, p.Needs, p.Requires) }
	return f, err
}

func (alone) elements(ctx context.Context, m *mesh.Mesh, r check.Requires) (*run.Mesh, error) {
	return run.PrepareMesh(ctx, m, r)
}

func (alone) inputOf(g *graph.Graph, points int) tune.Input { return tune.InputOf(g, points) }

func (alone) store() *host.Store { return nil }

func (alone) exchange(code) (bool, error) { return false, nil }

func (alone) built(ctx context.Context, x *Executable, c code, last string) (*compile.Unit, error) {
	return x.build(ctx, c, last)
}

func (alone) noteLoad(time.Duration) {}
