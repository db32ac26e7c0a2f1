package engine

import (
	"context"
	"errors"
	"time"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/internal/compile"
	"irgl/internal/host"
	"irgl/internal/run"
	"irgl/mesh"
)

// A sharing is what an executable may have in common with others: prepared inputs,
// memory of the device, and compiled code. It is an alone, keeping (of a [Keeper]), or a [SessionExecutable].
type sharing interface {
	// lost returns the error that made the device unusable, nil if it is usable.
	lost() error
	// fit makes a graph fit what the program of an executable requires.
	fit(ctx context.Context, x *Executable, g *graph.Graph) (*fitted, error)
	// elements makes a mesh fit what a program requires.
	elements(ctx context.Context, m *mesh.Mesh, r check.Requires) (*run.Mesh, error)
	// store returns the memory that the executable's engines share, nil for none.
	store(x *Executable) *host.Store
	// exchange keeps the executable's engine for later, if engines are kept, and reports
	// whether one for c was kept, which the executable has then.
	exchange(c code) (bool, error)
	// built returns the program compiled for c, up to the stage called last.
	built(ctx context.Context, x *Executable, c code, last string) (*compile.Unit, error)
	// noteLoad notes that a module was loaded.
	noteLoad(took time.Duration)
}

// alone is the sharing of an executable that has a device of its own.
type alone struct{}

func (alone) lost() error { return nil }

func (alone) fit(ctx context.Context, x *Executable, g *graph.Graph) (*fitted, error) {
	if x.preparer == nil {
		return fitOnHost(ctx, g, x.program.info, x.o.Weights)
	}
	// The device has one graph at a time.
	x.given = nil
	if err := errors.Join(x.unplace(), x.preparer.store.Forget()); err != nil {
		return nil, err
	}
	f, reason, err := x.preparer.fit(ctx, g, x.program.info, x.o.Weights, nil)
	switch {
	case err != nil:
		return nil, err
	case f != nil: // what it was made of is not needed any more
		return f, x.preparer.store.Trim(arraysOf(f.device)...)
	}
	if err := x.preparer.store.Forget(); err != nil {
		return nil, err
	}
	if f, err = fitOnHost(ctx, g, x.program.info, x.o.Weights); err == nil {
		f.reason = reason
	}
	return f, err
}

func (alone) elements(ctx context.Context, m *mesh.Mesh, r check.Requires) (*run.Mesh, error) {
	return run.PrepareMesh(ctx, m, r)
}

func (alone) store(x *Executable) *host.Store {
	if x.preparer == nil {
		return nil
	}
	return x.preparer.store
}

func (alone) exchange(code) (bool, error) { return false, nil }

// built takes what was compiled ahead.
func (alone) built(ctx context.Context, x *Executable, c code, last string) (*compile.Unit, error) {
	ahead := x.unit
	if x.unit = nil; ahead != nil && last == "" && x.unitCode.key() == c.key() {
		return ahead, nil
	}
	return x.build(ctx, c, last)
}

func (alone) noteLoad(time.Duration) {}
