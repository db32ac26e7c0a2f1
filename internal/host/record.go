package host

import (
	"cmp"
	"context"
	"errors"
	"math"

	"irgl/internal/device"
	"irgl/internal/lower"
	"irgl/internal/run"
	"irgl/syntax"
)

// This file implements [run.Collect]: it records the time and work of each
// kernel. The run does not wait for it. Each launch is enclosed by two events
// of the device, which are read when the run has ended. The numbers of items
// that a launch popped and pushed follow from what the host does anyway: it
// reads the count of the output worklist before it swaps the lists, and the
// last known count of a list is its size when a kernel is launched.

// A recorder records a run. It is nil if nothing is to be recorded.
type recorder struct {
	*run.Recorder
	e      *Engine
	ctx    context.Context   // of the run
	names  map[string]string // names of kernels in the program, by their device names where they differ
	zero   float64           // time just before the engine's event began was recorded
	open   []timedLaunch
	lists  map[device.Ptr]*listCount // worklists by the address of their count
	areas  map[device.Ptr]*area      // allocations of the program
	before map[string]device.Counters
}

// A timedLaunch is a launch whose events are not read yet.
type timedLaunch struct {
	kernel     *run.KernelStats
	event      int // index of its run.Event
	start, end device.Event
}

// maxOpen is the maximum number of launches whose events are not read yet: a
// run then waits for the device.
const maxOpen = 1 << 13

// newRecorder returns a recorder for a run of e.
func (e *Engine) newRecorder(c run.Collect) *recorder {
	if c == run.CollectNothing {
		return nil
	}
	r := &recorder{Recorder: run.NewRecorder(c), e: e, names: map[string]string{}}
	for _, f := range e.source.Funcs {
		name := f.Decl.Name.Name
		if lowered := lower.GlobalName(name); f.Decl.Kind == syntax.KernelFunc && lowered != name {
			r.names[lowered] = name
		}
	}
	return r
}

// name returns the name under which a kernel is recorded.
func (r *recorder) name(kernel string) string { return cmp.Or(r.names[kernel], kernel) }

// begin starts the recording of an attempt with the event that is the time origin
// of the device's clock. The host's time is taken before it, so that no kernel
// seems to end after the host has seen its end; waiting for the event here keeps
// the two origins together.
func (r *recorder) begin(ctx context.Context, s *span) error {
	r.ctx = ctx
	r.lists, r.areas = map[device.Ptr]*listCount{}, map[device.Ptr]*area{}
	s.whole = true
	r.zero = r.Now()
	if err := s.begin(); err != nil {
		return err
	}
	if err := r.e.dev.Sync(ctx); err != nil {
		return err
	}
	if d, ok := r.e.dev.(device.KernelCounting); ok {
		r.before = d.KernelCounters()
	}
	return nil
}

// end reads the records of an attempt from the device. Those of a failed
// attempt cannot be read, unless it only exceeded a capacity: then its kernels
// have all ended, since the host has read the overflow.
func (r *recorder) end(start float64, failed error) error {
	if r == nil {
		return nil
	}
	r.Add(run.Event{Kind: run.HostEvent, Name: "host functions", Start: start, Time: r.Now() - start})
	if failed != nil {
		_, lists := errors.AsType[*overflowError](failed)
		_, mesh := errors.AsType[*meshOverflowError](failed)
		if lists || mesh {
			return r.read()
		}
		r.giveUp()
		return nil
	}
	for p, c := range r.lists {
		if err := r.resolve(p, c); err != nil {
			return err
		}
	}
	if err := r.read(); err != nil {
		return err
	}
	if d, ok := r.e.dev.(device.KernelCounting); ok {
		for name, c := range d.KernelCounters() {
			if c = c.Sub(r.before[name]); c.Launches > 0 {
				r.Kernel(r.name(name)).Counters = &run.Counters{
					AtomicsGlobal: c.AtomicsGlobal, AtomicsShared: c.AtomicsShared, Barriers: c.Barriers, Transactions: c.Transactions, Instructions: c.Instructions,
				}
			}
		}
	}
	return nil
}

// giveUp leaves the failed launches, and earlier ones whose events are not
// read, without a time.
func (r *recorder) giveUp() {
	for _, l := range r.open {
		r.Event(l.event).Start = r.Now()
		r.e.timers = append(r.e.timers, l.start, l.end)
	}
	r.open = nil
}

// restart records that the run restarts.
func (r *recorder) restart() {
	if r != nil {
		r.Restart()
	}
}

// store writes the records to the result, whose reading began at start.
func (r *recorder) store(s *run.Stats, start float64) {
	if r != nil {
		r.Add(run.Event{Kind: run.HostEvent, Name: "read outputs", Start: start, Time: r.Now() - start})
		r.Store(s)
	}
}

// now returns the time, 0 if nothing is recorded.
func (r *recorder) now() float64 {
	if r == nil {
		return 0
	}
	return r.Now()
}

// copied records a copy between host and device that began at start.
func (r *recorder) copied(what string, size int64, start float64) {
	if r != nil {
		r.Add(run.Event{Kind: run.CopyEvent, Name: what, Start: start, Time: r.Now() - start, Bytes: size})
	}
}

// launch launches a kernel between two events.
func (r *recorder) launch(m *machine, k *kernelLayout, dk device.Kernel, l device.Launch) error {
	kernel := r.Kernel(r.name(k.name))
	e := run.Event{Kind: run.KernelEvent, Name: kernel.Name, Blocks: int64(l.Grid.Count()), Threads: int64(l.Block.Count()), Iteration: m.rounds()}
	if len(k.lists) > 0 {
		in, err := r.size(k.list(0, l.Params))
		if err != nil {
			return err
		}
		e.Items = in.size
	}
	for i := 1; i < len(k.lists); i++ { // before the launch, since a count may have to be read
		if err := r.expect(k.list(i, l.Params), kernel, i == 2); err != nil {
			return err
		}
	}
	if k.hides {
		kernel.Outlined = true
		if err := r.overwrites(0, math.MaxInt64); err != nil {
			return err
		}
	}
	return r.timed(m, kernel, e, k, dk, l)
}

// timed launches a kernel between two events; k is nil where its worklists are not known.
func (r *recorder) timed(m *machine, kernel *run.KernelStats, e run.Event, k *kernelLayout, dk device.Kernel, l device.Launch) error {
	open := timedLaunch{kernel: kernel, event: -1}
	var err error
	if open.start, err = r.timer(); err != nil {
		return err
	}
	if open.end, err = r.timer(); err != nil {
		r.e.timers = append(r.e.timers, open.start)
		return err
	}
	r.open = append(r.open, open)
	if err := open.start.Record(); err != nil {
		return err
	}
	if err := m.dev.Launch(dk, l); err != nil {
		return err
	}
	if err := open.end.Record(); err != nil {
		return err
	}
	kernel.Launches++
	kernel.Items += e.Items
	event := r.Add(e)
	r.open[len(r.open)-1].event = event
	for i := 1; k != nil && i < len(k.lists); i++ {
		r.lists[k.list(i, l.Params)].event = event
	}
	if len(r.open) == maxOpen {
		if err := m.dev.Sync(m.ctx); err != nil { // read also waits, but has no context
			return err
		}
		return r.read()
	}
	return nil
}

// timer returns an event of the device.
func (r *recorder) timer() (device.Event, error) {
	if n := len(r.e.timers); n > 0 {
		ev := r.e.timers[n-1]
		r.e.timers = r.e.timers[:n-1]
		return ev, nil
	}
	return r.e.dev.NewEvent()
}

// read reads the times of all launches so far, waiting for the last one.
func (r *recorder) read() error {
	for _, l := range r.open {
		start, err := l.start.Since(r.e.began)
		if err != nil {
			return err
		}
		took, err := l.end.Since(l.start)
		if err != nil {
			return err
		}
		l.kernel.Time += took
		e := r.Event(l.event)
		e.Start, e.Time = r.zero+start, took
		r.e.timers = append(r.e.timers, l.start, l.end)
	}
	r.open = r.open[:0]
	return nil
}
