package paper

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"irgl/internal/engine"
	"irgl/internal/journal"
)

// Twins of inputs run on the emulator, on other processors than the one that
// measures, during the measurements of the device and after them.

// A twinRun is a cell whose twin is to be counted.
type twinRun struct {
	program *engine.Program
	spec    string
	cell    *Cell
	result  *Cell // the counters; nil if it failed or did not run
	err     error
}

// twinRuns are the runs of all twins.
type twinRuns struct {
	ctx   context.Context
	slots chan struct{}
	wait  sync.WaitGroup
	list  []*twinRun
	open  map[string]func() (engine.Input, error) // inputs, by specification
}

func newTwinRuns(ctx context.Context) *twinRuns {
	// One processor is left for measuring.
	return &twinRuns{ctx: ctx, slots: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1)), open: map[string]func() (engine.Input, error){}}
}

// add starts counting the twin of a cell.
func (t *twinRuns) add(p *engine.Program, spec string, c *Cell) {
	if spec == "" || c.Twin != nil {
		return
	}
	if t.open[spec] == nil {
		t.open[spec] = sync.OnceValues(func() (engine.Input, error) { return open(t.ctx, spec) })
	}
	run, in := &twinRun{program: p, spec: spec, cell: c}, t.open[spec]
	t.list = append(t.list, run)
	t.wait.Go(func() {
		t.slots <- struct{}{}
		defer func() { <-t.slots }()
		if t.ctx.Err() == nil {
			run.err = run.count(t.ctx, in)
		}
	})
}

// count runs the twin.
func (t *twinRun) count(ctx context.Context, open func() (engine.Input, error)) error {
	in, err := open()
	if err != nil {
		return err
	}
	dev, err := engine.OpenSession(engine.Options{Device: "simt", Unchecked: true})
	if err != nil {
		return err
	}
	defer dev.Close()
	r := &runner{s: &session{ctx: ctx, dev: dev}, p: t.program, in: in, args: arguments(t.program, in)}
	if err := r.open(); err != nil {
		return err
	}
	defer r.close()
	small := &Cell{Switches: t.cell.Switches}
	later, err := r.measure(small)
	for _, v := range later {
		err = errors.Join(err, v.Wait(ctx))
	}
	if err != nil {
		return err
	}
	t.result = small
	return nil
}

// finish waits for all runs, and stores their counters in the cells.
func (t *twinRuns) finish(to *journal.Journal) {
	t.wait.Wait()
	for _, r := range t.list {
		switch {
		case r.result != nil:
			r.cell.takeTwin(r.result)
			_ = to.Add(kindTwin, r.cell) // on failure it is counted again
		case r.err != nil && t.ctx.Err() == nil:
			r.cell.fail(fmt.Errorf("on the emulator, %s: %w", r.spec, r.err))
		}
	}
}

// takeTwin copies the counters of another cell.
func (c *Cell) takeTwin(from *Cell) {
	c.Twin, c.TwinLaunches, c.TwinRounds = from.Twin, from.TwinLaunches, from.TwinRounds
}

// counts reports whether a table shows the counters of a cell.
func (rep *Report) counts(c *Cell) bool {
	all, _ := combination(1<<len(optimisations) - 1)
	return rep.Switches != nil || c.Program == listing5Name || slices.Contains(loops(), c.Switches) || c.Switches == launching() || c.Switches == all ||
		c.Switches == rep.defaults[key{program: c.Program, input: c.Input}]
}
