package simt

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
)

// This file executes launches on several CPUs, by speculation. Most kernels have blocks that do not depend on each other: none
// reads or writes what another writes. Such blocks may run in any order, and at the same time, with one result. Whether a launch
// is of this kind is known when it has ended; so it is tried:
//
//   - The grid is cut into groups of consecutive blocks. The cut depends on the launch alone. A group is scheduled
//     like a launch of its own (residency, turns, and random numbers, from the seed and the number of the group), and has its own
//     reports and race detector. Workers (worker.go) take groups one after the other and execute them in the memory of the device.
//   - What a group reads, writes and reduces is recorded by cells of four bytes (claims.go), and before a page
//     is written for the first time it is saved. When a group ends, its record is compared with those of the
//     groups that have ended before, and added to them.
//   - A group that executes far more than expected may wait for what another one writes: that is a conflict.
//   - If no group has read, written or reduced what another has written, or read or written what another has reduced, all of them have
//     read what was there before the launch, and the launch is committed: the reports are put together in the order of the groups.
//     (Integer atomics of one kind whose results are not used commute: these are reductions.) Otherwise, and after a fault,
//     an access whose effect may depend on the order (see giveUp), or where more is saved than there is room for, the saved pages are
//     copied back, and the launch is executed as any other, by turns on one goroutine: that gives the reports.
//
// The outcome does not depend on the number of workers, nor on how fast they are. Let each group be executed alone, in the memory
// as it was before the launch. If these executions have no conflict, speculation has none either: up to the first access to
// what another group has written all groups do what they do alone, and that access would be a conflict of theirs. And if speculation
// has none, no group has read what another wrote, so all of them did what they do alone. So a launch that is tried is committed if and only if the
// groups alone have neither conflicts nor faults; which launches are tried depends on the calls of the host alone ([system.divisible]).
//
// Reads of a buffer that the launch does not write need no record, neither here nor in the race detector. So reads
// are recorded only of buffers that are known to be read and written, from earlier launches of the kernel. Where another
// one is found to be, the verdict is imprecise, and the launch is tried a second time, with all reads recorded: that decides.
// A kernel of whose launches [mostUndone] were not committed is not tried again.
//
// A panic while a group is executed is a conflict, too: what was read may be anything. If it is a fault of the emulator, the execution by turns
// shows it. One while records are put together is a fault of the emulator.
//
// The race detector's records of a launch in groups are dropped with it where the system has one stream, since all that comes later is
// ordered behind it. Otherwise all reads are recorded, and the records are put together (parallel_races.go).
//
// Where there is a conflict, goroutines access the same memory without synchronisation. It is plain memory without
// pointers, and what was read is dropped. Go's race detector reports it nevertheless: see conflictsRace.

// A parallel is what is known of a kernel's launches in groups. All of it follows from the launches so far.
type parallel struct {
	undone int       // launches that were not committed
	work   uint64    // instructions of a warp of the last launch; 0 before
	params []int     // offsets of parameters that point to buffers that are read and written
	vars   []*buffer // variables that are
	all    bool      // others are
	copies []*kernel // by worker
}

const (
	mostUndone    = 2       // launches, before a kernel is not tried any more
	leastWarps    = 128     // of a launch that is divided
	leastWork     = 1 << 14 // instructions of the warps of a launch, as far as it is known
	mostGroups    = 64
	warpsPerGroup = 8       // at least
	mostCopied    = 1 << 17 // instructions, of the copies of a kernel together
	mostSaved     = 4       // the part of the device's memory that is saved
	mostExecuted  = 1 << 20 // instructions of a group, or mostTimes as many as so many warps executed last: it may wait for another group
	mostTimes     = 1024
)

// divisible reports whether a launch that has begun is tried in groups.
func (s *system) divisible(l *launch) bool {
	k := l.k
	warps := l.total * uint64(l.warpsPer)
	switch {
	case k.ordered || k.parallel.undone >= mostUndone || l.per > 1 || l.cooperative || l.origin != nil || len(l.bulks) > 0:
		return false
	case warps < leastWarps || k.parallel.work > 0 && warps*k.parallel.work < leastWork:
		return false
	case s.opts.Machine != nil || s.opts.Watch != nil || len(s.active) != 1:
		return false
	}
	for _, st := range s.streams {
		if st != l.item.s && len(st.queue) > 0 {
			return false
		}
	}
	return s.races == nil || s.races.alone(l)
}

// A verdict is how a speculation ends.
type verdict uint32

const (
	committed verdict = iota
	imprecise         // reads were not recorded of a buffer that was written
	conflict          // or a fault, or what depends on the order of blocks
	cancelled
)

// A speculation is one execution of a launch in groups.
type speculation struct {
	s      *system
	l      *launch
	number uint32           // of all that the system has made
	all    bool             // all reads are recorded
	keeps  bool             // the race detector's records are kept
	both   map[*buffer]bool // whose reads are recorded

	groups, size uint64
	bound        uint64        // instructions of a group
	taken        atomic.Uint64 // groups so far
	executed     atomic.Uint64 // instructions
	kept         atomic.Int64  // bytes of saved pages
	result       atomic.Uint32 // a verdict
	interrupted  atomic.Bool   // workers look at result, and stop
	hold         sync.RWMutex  // read-locked by workers while they execute
	running      atomic.Int32  // workers
	ended        chan struct{}
	panicked     atomic.Pointer[InternalError] // of a worker

	mu      sync.Mutex
	shared  []*buffer      // that groups have accessed
	pages   [64]sync.Mutex // of pages of records, by index
	reduces sync.Mutex     // for reductions of what is not aligned in the host's memory
	workers []*worker
	reports []reports // by group
}

// parallel executes a launch in groups and ends it, if it is of those that can be; otherwise memory is what it was.
func (s *system) parallel(ctx context.Context, l *launch) bool {
	result := s.speculate(ctx, l, s.keepsRecords())
	if result == imprecise {
		result = s.speculate(ctx, l, true)
	}
	switch result {
	case committed:
		s.end(l, nil)
		return true
	case cancelled:
		return false
	}
	// A first launch may have had more to do than was expected; for the next one it is known.
	l.k.parallel.undone++
	l.k.parallel.copies = nil
	return false
}

// keepsRecords reports whether what is not ordered behind a launch may look at the race detector's records of it.
func (s *system) keepsRecords() bool { return s.races != nil && len(s.streams) > 1 }

func (s *system) speculate(ctx context.Context, l *launch, all bool) verdict {
	s.tries++
	p := &speculation{s: s, l: l, number: s.tries, all: all, keeps: s.keepsRecords(), ended: make(chan struct{})}
	p.size = max((l.total+mostGroups-1)/mostGroups, uint64((warpsPerGroup+l.warpsPer-1)/l.warpsPer))
	p.groups = (l.total + p.size - 1) / p.size
	p.bound = max(cmp.Or(s.opts.bound, mostExecuted), mostTimes*l.k.parallel.work*p.size*uint64(l.warpsPer))
	p.reports = make([]reports, p.groups)
	p.both = l.k.parallel.readAndWritten(l)
	n := int(min(uint64(s.opts.Workers), p.groups, uint64(max(1, mostCopied/l.k.instructions()))))
	for len(s.workers) < n {
		s.workers = append(s.workers, &worker{index: len(s.workers)})
	}
	p.workers = s.workers[:n]
	for _, w := range p.workers {
		w.prepare(p)
	}
	s.attempt, l.attempt = p, p
	p.running.Store(int32(n))
	for _, w := range p.workers {
		go w.run()
	}
	p.wait(ctx)
	s.attempt, l.attempt = nil, nil
	if e := p.panicked.Load(); e != nil {
		s.workers = nil // whatever state they are in
		s.crash(l, e)
	}
	result := verdict(p.result.Load())
	if result == committed {
		p.commit()
	} else {
		p.undo()
	}
	for _, w := range p.workers {
		w.release()
	}
	return result
}

// A visit is a function that another goroutine has executed while a speculation is under way.
type visit struct {
	f    func()
	done chan struct{}
}

// wait waits for the workers. Other goroutines visit in between, while they stand still.
func (p *speculation) wait(ctx context.Context) {
	done := ctx.Done()
	for {
		select {
		case <-p.ended:
			return
		case <-done:
			p.stop(cancelled)
			done = nil
		case v := <-p.s.visits:
			p.interrupted.Store(true)
			p.hold.Lock()
			v.f()
			p.interrupted.Store(p.result.Load() != uint32(committed))
			p.hold.Unlock()
			close(v.done)
		}
	}
}

// look executes f under the lock, or while the workers of a speculation stand still.
func (s *system) look(f func()) {
	v := visit{f, make(chan struct{})}
	locked := make(chan struct{})
	go func() {
		s.mu.Lock()
		close(locked)
	}()
	select {
	case <-locked:
		defer s.mu.Unlock()
		f()
	case s.visits <- v:
		<-v.done
		go func() {
			<-locked
			s.mu.Unlock()
		}()
	}
}

// stop ends a speculation, if nothing has ended it before.
func (p *speculation) stop(why verdict) {
	p.result.CompareAndSwap(uint32(committed), uint32(why))
	p.interrupted.Store(true)
}

func (p *speculation) stopped() bool { return p.result.Load() != uint32(committed) }

// commit makes what the groups have done what the launch has done.
func (p *speculation) commit() {
	l := p.l
	for i := range p.reports {
		l.d.reports.merge(&p.reports[i])
	}
	for _, w := range p.workers {
		l.counters = l.counters.Add(w.l.counters)
		for real, view := range w.views {
			if t := real.traffic; t != nil {
				t.Accesses += view.traffic.Accesses
				t.Sectors += view.traffic.Sectors
				t.Scattered += view.traffic.Scattered
			}
		}
	}
	l.executed = l.counters.Instructions
	l.d.clock += l.executed
	if p.all {
		l.k.parallel.learn(p)
	}
	if p.keeps {
		p.commitRecords(p.s.races)
	}
}

// undo makes memory what it was.
func (p *speculation) undo() {
	for _, w := range p.workers {
		for _, s := range w.saved {
			copy(s.of.data[s.off:], s.data)
			copy(s.of.written[min(s.off, uint64(len(s.of.written))):], s.written)
		}
	}
}

// someSplit is that of launch, of a group under way.
func (p *speculation) someSplit() (*warp, *split) {
	for _, w := range p.workers {
		if warp, sp := w.l.someSplit(); warp != nil {
			return warp, sp
		}
	}
	return nil, nil
}
