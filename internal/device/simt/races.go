package simt

import (
	"slices"
	"sort"
)

// A raceState finds races: two threads access one place, at
// least one of them writes, at least one access is weak (not atomic, volatile
// or relaxed), and nothing orders the two.
//
// What orders: program order; a block barrier, for the threads of the block;
// bar.warp.sync, for its lanes; a barrier of a cluster, for what its threads do
// before they arrive, unless they do so relaxed, and after they have waited; and release-acquire chains, that is, a fence
// and then a strong write of one thread, read by a strong read of another that
// then executes a fence, or acquires. The order through a barrier carries what
// one thread of a block has acquired to all of them, and what all have done to
// what one of them releases: so barriers of the grid are understood. That through a
// bar.warp.sync carries both among its lanes. Waiting
// in lockstep without bar.warp.sync does not order.
//
// What is missed: of each four bytes the last write and the last two reads are
// kept, so a race with an earlier access is found only if it was found then;
// of different bytes in them, only the last written; a barrier of some threads
// of a block counts as one of all; knowledge that passed through one place
// accumulates there, as if all its writes released. A race is reported only
// when the schedule makes both accesses happen, in whatever order.
//
// Launches that no order of streams, events and waits of the host puts one after
// the other are checked against each other, also those of several devices, and
// against copies. They form an epoch: when all of it comes before whatever may yet
// begin, another one begins, for which nothing is kept of those before. There is no
// limit to the launches of an epoch, nor to the threads that release in it.
//
// Atomics and other strong accesses order within their scope only, and two of them
// to one place are a race if the scope of one does not hold the other's thread.
type raceState struct {
	s    *system
	gen  uint32
	locs map[syncKey]*syncLoc
	// Of launches in device code that have not begun: until then the epoch goes on.
	origins map[originKey]*origin

	// Of the epoch.
	launches []*launch // by their threads
	last     *launch   // that launchOf has found
	bulks    []*bulk
	sweepAt  int    // the number of launches and copies at which it is swept
	threads  uint64 // of all launches
	blocks   uint64

	common commonAccess // the present one
	spare  []*page      // of a worker's: pages of groups that have ended
}

// threads are the numbers of a launch's threads and blocks, which no other launch of
// the epoch has.
type threads struct{ first, n, firstBlock uint64 }

// blockOfThread returns the number in the launch of the block of a thread.
func (l *launch) blockOfThread(thread uint64) uint32 {
	return uint32((thread - l.span.first) / uint64(l.tpb))
}

func newRaceState(s *system) *raceState {
	r := &raceState{s: s}
	r.renew()
	return r
}

// renew begins an epoch.
func (r *raceState) renew() {
	r.s.shadows++
	r.gen, r.locs, r.sweepAt = r.s.shadows, map[syncKey]*syncLoc{}, sweepFrom
	r.launches, r.last, r.bulks, r.threads, r.blocks = nil, nil, nil, 0, 0
}

// sweepFrom is the number of launches and copies from which an epoch is swept.
const sweepFrom = 1 << 10

// begin gives a launch its numbers.
func (r *raceState) begin(l *launch) *raceState {
	if r == nil {
		return nil
	}
	task := &l.item.task
	if r.adopt(l, l.from); l.origin == nil {
		r.enter(task)
	}
	l.span = threads{r.threads, l.total * uint64(l.tpb), r.blocks}
	l.levels = l.scopes()
	l.before = task.known.with(task.stream.id, task.number-1)
	if l.origin != nil {
		l.before = l.origin.parent.before
	}
	r.threads += l.span.n
	r.blocks += l.total
	r.launches = append(r.launches, l)
	for _, b := range r.bulks {
		if !task.after(&b.it.task) {
			l.bulks = append(l.bulks, b)
		}
	}
	return r
}

// enter begins another epoch, if all of this one comes before t and before whatever
// else may begin. Where one launch goes on for long, such as one that polls a flag, that
// may never be: then what cannot race any more is taken out of the epoch now and then.
func (r *raceState) enter(t *task) {
	if len(r.origins) > 0 {
		return
	}
	if r.over(t) {
		r.renew()
	}
	if len(r.launches)+len(r.bulks) < r.sweepAt {
		return
	}
	past := func(o *task) bool {
		for _, l := range r.s.active {
			if a := &l.item.task; a != t && !a.after(o) {
				return false
			}
		}
		return r.past(o, t)
	}
	r.launches = slices.DeleteFunc(r.launches, func(l *launch) bool { return past(&l.item.task) })
	r.bulks = slices.DeleteFunc(r.bulks, func(b *bulk) bool { return past(&b.it.task) })
	r.last = nil
	r.sweepAt = max(sweepFrom, 2*(len(r.launches)+len(r.bulks)))
}

// over reports whether all of the epoch comes before t and before whatever else may
// yet begin: what the host queues, and what is queued.
func (r *raceState) over(t *task) bool {
	for _, l := range r.launches {
		if !r.past(&l.item.task, t) {
			return false
		}
	}
	for _, b := range r.bulks {
		if !r.past(&b.it.task, t) {
			return false
		}
	}
	return true
}

// past is over for one task of the epoch. Where there is one stream, all that may
// begin is in it: a stream that is made later finds what was queued before it done,
// unless the host has only glanced at the queue.
func (r *raceState) past(o, t *task) bool {
	if len(r.s.streams) == 1 {
		return t.after(o)
	}
	if !t.after(o) || r.s.known.at(o.stream.id) < o.number {
		return false
	}
	for _, s := range r.s.streams {
		if len(s.queue) == 0 || s == t.stream || s == o.stream {
			continue
		}
		if head := s.queue[0]; max(s.known.at(o.stream.id), head.known.at(o.stream.id)) < o.number {
			return false
		}
	}
	return true
}

// launchOf returns the launch of a thread, nil for one that has left the epoch: its
// accesses come before whatever may still happen.
func (r *raceState) launchOf(thread uint64) *launch {
	if l := r.last; l != nil && thread-l.span.first < l.span.n {
		return l
	}
	i := sort.Search(len(r.launches), func(i int) bool { return r.launches[i].span.first > thread })
	if i == 0 || thread-r.launches[i-1].span.first >= r.launches[i-1].span.n {
		return nil
	}
	r.last = r.launches[i-1]
	return r.last
}

// launchOfBlock is launchOf for the number of a block.
func (r *raceState) launchOfBlock(block uint64) *launch {
	i := sort.Search(len(r.launches), func(i int) bool { return r.launches[i].span.firstBlock > block })
	if i == 0 || block-r.launches[i-1].span.firstBlock >= r.launches[i-1].total {
		return nil
	}
	return r.launches[i-1]
}

// access checks one access of a lane against the history of its place and
// records it. same says that a write does not change the value.
func (r *raceState) access(w *warp, in *inst, lane int, loc *location, n uint64, write, same bool) {
	if in.scope != weak {
		r.strong(w, in, lane, loc, write)
	}
	if loc.buf.launches { // its slots are used again by grids that launch each other
		if write {
			r.launching(w, lane, loc.buf.base+loc.off)
		}
		return
	}
	now := access{
		thread: w.b.firstThread + uint64(w.first) + uint64(lane) + 1,
		pc:     in.line, bep: w.b.epoch, scope: in.scope,
	}
	if w.warps != nil {
		now.wep = w.warps.count
	}
	if s := w.sync[lane]; s != nil {
		now.tep = s.tep
	}
	now.cep = w.b.group.arrivals(w, lane)
	if loc.buf.touched != nil {
		r.againstHost(w, in, lane, loc, n, write)
	}
	if len(w.l.bulks) > 0 && loc.global {
		r.againstBulks(w, in, lane, loc, n, write)
	}
	for off := loc.off; off < loc.off+n; off = off&^3 + 4 {
		bytes := min(loc.off+n-off, 4-off&3)
		now.mask = uint8(1<<bytes-1) << (off & 3)
		p, cell := r.page(loc.buf, off/(4*pageCells)), off/4%pageCells
		last := p.at(cell, lastWrite)
		r.check(w, in, lane, &last, &now, loc, off, write, same, true)
		if !write {
			p.setRead(cell, &now)
			continue
		}
		for which := lastRead; which < perCell; which++ {
			old := p.at(cell, which)
			r.check(w, in, lane, &old, &now, loc, off, write, same, false)
		}
		if last.together(&now) {
			now.mask |= last.mask
		}
		p.setWrite(cell, &now)
	}
}

// check reports a race between the earlier access old and the present one.
func (r *raceState) check(w *warp, in *inst, lane int, old, now *access, loc *location, off uint64, write, same, oldWrote bool) {
	if old.thread == 0 || old.thread == now.thread || old.mask&now.mask == 0 {
		return
	}
	o := w.l
	if thread := old.thread - 1; thread-o.span.first >= o.span.n {
		if o = r.launchOf(thread); o == nil {
			return
		}
	}
	if old.scope != weak && now.scope != weak && r.seen(w, o, old, now) || r.ordered(w, lane, o, old) {
		return
	}
	if w.l.d.reports.again(raceKey(o.k.place(old.pc), w.l.k.place(now.pc), loc.buf.nameAt(off))) {
		return
	}
	note := unordered
	if old.scope != weak && now.scope != weak {
		note = "at scopes that do not hold both threads"
	}
	if write && oldWrote && same {
		note += ", the same value"
	}
	if o != w.l && w.l.descends(o) {
		note += ", since a grid may run beside the one that launches it"
	}
	then := o.side(old, oldWrote)
	r.report(w.l.d, then, w.side(in, lane, write), loc.buf, off, note)
}

// seen reports whether the scopes of two strong accesses, the earlier one of the launch
// o, each hold the other's thread.
func (r *raceState) seen(w *warp, o *launch, old, now *access) bool {
	least := min(old.scope, now.scope)
	if least == scopeSystem || least == scopeDevice && len(r.s.devices) == 1 {
		return true
	}
	return w.distance(o, old.thread-1) <= least
}

// ordered reports whether the earlier access, of the launch o, happens before what
// lane of w does now.
func (r *raceState) ordered(w *warp, lane int, o *launch, old *access) bool {
	thread := old.thread - 1
	if t := thread - w.b.firstThread; t < uint64(w.l.tpb) {
		if old.bep < w.b.epoch {
			return true
		}
		if t := uint32(t) - w.first; t < 32 && w.warps != nil {
			if w.warps.last(lane, int(t)) > old.wep {
				return true
			}
		}
	} else if o != w.l && w.l.item.task.after(&o.item.task) && !w.l.descends(o) {
		return true
	}
	if w.b.know.covers(o, thread, old) {
		return true
	}
	s := w.sync[lane]
	return s != nil && s.know.covers(o, thread, old)
}

// warpSync counts a warp's bar.warp.syncs, and for each pair of lanes the
// last one that both took part in.
type warpSync struct {
	count uint32
	full  uint32 // number of the last one with all lanes
	pairs *[32][32]uint32
}

func (s *warpSync) last(a, b int) uint32 {
	n := s.full
	if s.pairs != nil {
		n = max(n, s.pairs[a][b])
	}
	return n
}

// races returns the state, which may be nil; the methods below take that.
func (w *warp) races() *raceState  { return w.l.races }
func (b *block) races() *raceState { return b.l.races }

// warpSync records a bar.warp.sync of the lanes of m. From then on each knows what the others have done and
// acquired, for its launches and releases, too.
func (r *raceState) warpSync(w *warp, m uint32) {
	if r == nil {
		return
	}
	var know *knowledge
	for a := m; a != 0; a &= a - 1 {
		t := w.threadSync(lowest(a))
		t.tep++
		know = merged(merged(know, t.know), t.own(w, lowest(a)))
	}
	know = r.prune(know)
	for a := m; a != 0; a &= a - 1 {
		w.threadSync(lowest(a)).know = know
	}
	if w.warps == nil {
		w.warps = &warpSync{}
	}
	s := w.warps
	s.count++
	if m == w.alive {
		s.full = s.count
		return
	}
	if s.pairs == nil {
		s.pairs = new([32][32]uint32)
	}
	for a := m; a != 0; a &= a - 1 {
		for b := m; b != 0; b &= b - 1 {
			s.pairs[lowest(a)][lowest(b)] = s.count
		}
	}
}
