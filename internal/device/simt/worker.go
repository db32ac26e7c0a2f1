package simt

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"
)

// A worker executes groups of the blocks of a launch, one after the other, on a goroutine of its own (parallel.go). What
// groups change is its own: a device, a launch and a race detector, copies of the decoded code, which remembers
// where it has accessed memory, and views of buffers, which share their bytes alone.
type worker struct {
	index int
	p     *speculation // the present one
	d     *Device
	l     *launch
	views map[*buffer]*buffer
	group uint32    // number of the group under way, of all of the worker
	used  []*claims // that hold records of it
	saved []savedPage
	free  []byte // for saved pages
	spare []*page
	told  uint64 // of l.counters.Instructions, to the speculation
}

// prepare makes a worker ready for the groups of a speculation.
func (w *worker) prepare(p *speculation) {
	w.p = p
	l := p.l
	d := *l.d
	w.d = &d
	d.worker, d.reports, d.sms = w, reports{}, make([]usage, len(d.sms))
	w.l = &launch{
		d: w.d, item: l.item, k: l.k.copyFor(w.index), grid: l.grid, block: l.block, tpb: l.tpb, warpsPer: l.warpsPer,
		params: l.params, dynamic: l.dynamic, maxResident: l.maxResident, takes: l.takes, id: l.id, total: l.total, per: l.per,
		frames: map[*function][]*frame{}, span: l.span, before: l.before, levels: l.levels, worker: w,
	}
	if l.races != nil {
		w.l.races = &raceState{s: l.d.sys, gen: w.group, locs: map[syncKey]*syncLoc{}, spare: w.spare}
	}
	w.told = 0
	for real, view := range w.views {
		if real.freed {
			*view = buffer{freed: true}
			delete(w.views, real)
			continue
		}
		w.renew(real, view)
	}
}

// release drops what is of the present speculation alone.
func (w *worker) release() {
	for _, c := range w.used {
		c.drop()
	}
	w.used = w.used[:0]
	for _, view := range w.views { // renew sets them again
		view.data, view.written = nil, nil
		if c := view.claims; !c.wrote && !w.p.keeps { // reads are recorded of few buffers that are not written, and not again
			c.cells = nil
		}
	}
	if r := w.l.races; r != nil {
		w.spare = r.spare
	}
	w.l.leave()
	w.p, w.d, w.l = nil, nil, nil
	const kept = 1 << 12 // pages of the race detector's, 12 KiB each
	w.spare = w.spare[:min(len(w.spare), kept)]
	clear(w.saved)
	w.saved, w.free = w.saved[:0], nil
}

// find is that of the device: it returns the worker's view of a buffer.
func (w *worker) find(addr uint64) *buffer {
	m := w.d.memoryAt(addr)
	if m != w.d.mem {
		if m != nil {
			w.giveUp() // the host or another device may access it
		}
		return nil
	}
	b := m.find(addr)
	switch {
	case b == nil || b.freed || !b.holds(addr, 1):
		return b
	case b.launches || b.barriers || b.watched:
		w.giveUp()
		return nil
	}
	view := w.views[b]
	if view == nil {
		view = &buffer{claims: &claims{w: w, of: b}}
		if w.views == nil {
			w.views = map[*buffer]*buffer{}
		}
		w.views[b] = view
		w.renew(b, view)
	}
	return view
}

// renew makes a view that of a buffer as it is now.
func (w *worker) renew(b, view *buffer) {
	c := view.claims
	*view = buffer{name: b.name, base: b.base, data: b.data, size: b.size, readOnly: b.readOnly, heap: b.heap, module: b.module,
		written: b.written, tracked: b.tracked, shadow: view.shadow, vars: b.vars, elements: b.elements, claims: c}
	if b.traffic != nil {
		view.traffic = new(Traffic)
	}
	c.begin()
}

// giveUp ends the speculation that a worker takes part in, as what a group does is not independent of the others; false where there is none.
func (w *worker) giveUp() bool {
	if w == nil {
		return false
	}
	w.fail(conflict)
	return true
}

// fail ends the speculation, and the group under way.
func (w *worker) fail(why verdict) {
	w.p.stop(why)
	if w.l.fault == nil {
		w.l.fault = &Fault{}
	}
}

// run executes groups until none is left.
func (w *worker) run() {
	p := w.p
	defer func() {
		if v := recover(); v != nil {
			p.panicked.CompareAndSwap(nil, internalError(p.l, v))
			p.stop(conflict)
		}
		if p.running.Add(-1) == 0 {
			close(p.ended)
		}
	}()
	p.hold.RLock()
	defer p.hold.RUnlock()
	for !p.stopped() {
		n := p.taken.Add(1) - 1
		if n >= p.groups || !w.tried(n) {
			return
		}
		p.reports[n] = w.d.reports
		w.end()
	}
}

// tried is execute, for which a panic is a conflict: what was read at one may be anything.
func (w *worker) tried(n uint64) (ended bool) {
	defer func() {
		if recover() != nil {
			w.p.stop(conflict)
		}
	}()
	return w.execute(n)
}

// execute executes a group and returns whether it has ended.
func (w *worker) execute(n uint64) bool {
	l, p := w.l, w.p
	w.group++
	w.d.reports = reports{}
	if l.races != nil {
		l.races.gen = max(w.group, 1)
		clear(l.races.locs)
	}
	l.executed, l.changed, l.active, l.polled, l.stackSlots = 0, 0, 0, false, 0
	l.schedule(1<<62|l.id<<16|n, n*p.size, min((n+1)*p.size, l.total))
	for {
		l.fill()
		l.beginRound()
		for l.more() {
			l.runWarp()
			if l.fault != nil {
				p.stop(conflict)
				return false
			}
			if p.interrupted.Load() && w.pause() {
				return false
			}
		}
		if l.changedInRound() {
			l.progress()
		}
		if l.active > l.round.from {
			l.active = l.executed
		}
		ended := l.endRound()
		sum := p.executed.Add(l.counters.Instructions - w.told)
		w.told = l.counters.Instructions
		if l.fault != nil || sum > l.d.opts.MaxInstructions || l.executed > p.bound {
			p.stop(conflict)
			return false
		}
		if ended {
			return true
		}
	}
}

// pause lets others look at the speculation, and reports whether it has ended.
func (w *worker) pause() bool {
	w.p.hold.RUnlock()
	w.p.hold.RLock()
	return w.p.stopped()
}

// end compares what the group has accessed with what others have, and gives back what it has used.
func (w *worker) end() {
	why := committed
	for _, c := range w.used {
		why = max(why, c.publish())
		c.drop()
	}
	w.used = w.used[:0]
	if w.p.keeps && len(w.l.races.locs) > 0 {
		why = conflict
	}
	for _, view := range w.views {
		if c := view.claims; c.read || c.wrote {
			why = max(why, c.sharing().add(c))
		}
	}
	if why != committed {
		w.p.stop(why)
	}
	// Whether the stack of another group overflows must not depend on this one.
	l := w.l
	for fn, list := range l.frames {
		if !fn.entry {
			l.k.keepFrames(map[*function][]*frame{fn: list})
			delete(l.frames, fn)
		}
	}
}

// newPage returns a page without records.
func (r *raceState) newPage() *page {
	n := len(r.spare)
	if n == 0 {
		return &page{}
	}
	p := r.spare[n-1]
	r.spare = r.spare[:n-1]
	p.wrote, p.read, p.clocks = false, false, nil
	return p
}

// reduce executes an atomic for a lane where other groups may do so at the same time. Its result is not read.
func (w *worker) reduce(in *inst, mem []byte, b uint64) {
	at := unsafe.Pointer(&mem[0])
	switch {
	case uintptr(at)%uintptr(in.size) != 0:
		w.p.reduces.Lock()
		defer w.p.reduces.Unlock()
		store(mem, in.size, in.f3(load(mem, in.size), b, 0))
	case in.size == 4:
		for {
			raw := atomic.LoadUint32((*uint32)(at))
			old := uint64(swap32(raw))
			v := in.f3(old, b, 0)
			if v == old || atomic.CompareAndSwapUint32((*uint32)(at), raw, swap32(uint32(v))) {
				return
			}
		}
	default:
		for {
			raw := atomic.LoadUint64((*uint64)(at))
			old := swap64(raw)
			v := in.f3(old, b, 0)
			if v == old || atomic.CompareAndSwapUint64((*uint64)(at), raw, swap64(v)) {
				return
			}
		}
	}
}

// swap32 and swap64 convert between the host's order of bytes and that of memory.
func swap32(v uint32) uint32 {
	var b [4]byte
	binary.NativeEndian.PutUint32(b[:], v)
	return binary.LittleEndian.Uint32(b[:])
}

func swap64(v uint64) uint64 {
	var b [8]byte
	binary.NativeEndian.PutUint64(b[:], v)
	return binary.LittleEndian.Uint64(b[:])
}
