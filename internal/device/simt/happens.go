package simt

import (
	"maps"
	"sort"
)

// This file keeps what threads know of each other's accesses through
// release-acquire chains: vector clocks, kept sparse. Most programs
// synchronise by few threads a block, which release for the whole block.

// knowledge is a vector clock in three parts. An access of block b before its
// barrier number blocks[b] is known, one of thread t before its fence number
// threads[t].tep, and one of a thread of cluster c before it arrived at the
// cluster's barrier number clusters[c]. Threads, blocks and clusters have numbers
// that no other launch of the epoch has (see threads). A nil knowledge knows nothing.
//
// Besides, all tasks that tasks counts are known from beginning to end: those that
// came before the launch of a thread that has released.
type knowledge struct {
	tasks    clock
	blocks   map[uint32]uint32
	threads  map[uint32]threadClock
	clusters map[uint32]uint32
}

// A threadClock is a thread's own clock: fences, and the barrier count of its
// block at that time, by which entries become superfluous.
type threadClock struct{ tep, bep, block uint32 }

// maxThreadClocks bounds a knowledge; a program in which more threads release
// between two barriers is beyond this detector, which then reports no more
// races in the launch.
const maxThreadClocks = 1 << 12

// covers reports whether k knows an access of a thread of l.
func (k *knowledge) covers(l *launch, thread uint32, a *access) bool {
	if k == nil {
		return false
	}
	if t := &l.item.task; k.tasks.at(t.stream.id) >= t.number {
		return true
	}
	block := (thread - l.span.first) / l.tpb
	if k.blocks[l.span.firstBlock+block] > a.bep || len(k.clusters) > 0 && k.clusters[l.span.firstBlock+l.clusterOf(block)] > a.cep {
		return true
	}
	c, ok := k.threads[thread]
	return ok && c.tep > a.tep
}

// merged returns the union of a and b; it may be one of them, which are never
// changed after they were made.
func merged(a, b *knowledge) *knowledge {
	switch {
	case a == nil || a == b:
		return b
	case b == nil || b.within(a):
		return a
	case a.within(b):
		return b
	}
	k := &knowledge{tasks: joined(a.tasks, b.tasks), blocks: maps.Clone(a.blocks), threads: map[uint32]threadClock{}}
	if k.blocks == nil {
		k.blocks = map[uint32]uint32{}
	}
	for blk, e := range b.blocks {
		k.blocks[blk] = max(k.blocks[blk], e)
	}
	if len(a.clusters)+len(b.clusters) > 0 {
		k.clusters = map[uint32]uint32{}
		maps.Copy(k.clusters, a.clusters)
		for c, e := range b.clusters {
			k.clusters[c] = max(k.clusters[c], e)
		}
	}
	for _, side := range []*knowledge{a, b} {
		for t, c := range side.threads {
			if k.blocks[c.block] <= c.bep && c.tep > k.threads[t].tep {
				k.threads[t] = c
			}
		}
	}
	return k
}

// within reports whether all of k is in o.
func (k *knowledge) within(o *knowledge) bool {
	if !k.tasks.within(o.tasks) {
		return false
	}
	for b, e := range k.blocks {
		if o.blocks[b] < e {
			return false
		}
	}
	for c, e := range k.clusters {
		if o.clusters[c] < e {
			return false
		}
	}
	for t, c := range k.threads {
		if o.threads[t].tep < c.tep {
			return false
		}
	}
	return true
}

// threadSync is the state of one thread that has fenced or acquired.
type threadSync struct {
	tep     uint32             // fences so far
	know    *knowledge         // acquired, and fenced
	pending [scopes]*knowledge // read by strong reads, not fenced yet
	release [scopes]*knowledge // what strong writes publish: known at the last fence
	from    [scopes]*syncLoc   // last place acquired from
	version [scopes]uint32     // and its version then
}

// A syncKey names a place that threads of a group synchronise by: those of one
// block, cluster or device, or all of them.
type syncKey struct {
	buf   *buffer
	off   uint64
	scope scope
	group uint32
}

// A syncLoc is such a place.
type syncLoc struct {
	know    *knowledge
	version uint32
}

func (w *warp) threadSync(lane int) *threadSync {
	if w.sync[lane] == nil {
		w.sync[lane] = &threadSync{}
	}
	return w.sync[lane]
}

// fence makes what a lane has read part of what it knows, and all that it
// knows and did part of what its later strong writes publish, within a scope.
func (r *raceState) fence(w *warp, lane int, within scope) {
	if r.lost {
		return
	}
	s := w.threadSync(lane)
	s.acquire(within)
	s.tep++
	own := &knowledge{
		tasks:   w.l.before,
		blocks:  map[uint32]uint32{w.b.number: w.b.epoch},
		threads: map[uint32]threadClock{w.b.firstThread + w.first + uint32(lane): {s.tep, w.b.epoch, w.b.number}},
	}
	release := r.bounded(merged(merged(s.know, w.b.know), own))
	for _, level := range w.l.levels {
		if level <= within {
			s.release[level] = release
		}
	}
}

// acquire makes what was read from threads within a scope part of what is known.
func (s *threadSync) acquire(within scope) {
	for level := range s.pending[:within+1] {
		s.know = merged(s.know, s.pending[level])
		s.pending[level] = nil
	}
}

// bounded returns k without what its tasks say anyhow, if it is large. When it stays
// so, no more races are reported.
func (r *raceState) bounded(k *knowledge) *knowledge {
	if k == nil || len(k.threads) <= maxThreadClocks {
		return k
	}
	out := &knowledge{tasks: k.tasks, blocks: map[uint32]uint32{}, threads: map[uint32]threadClock{}, clusters: k.clusters}
	for t, c := range k.threads {
		if task := &r.launchOf(t).item.task; k.tasks.at(task.stream.id) < task.number {
			out.threads[t] = c
		}
	}
	for b, e := range k.blocks {
		i := sort.Search(len(r.launches), func(i int) bool { return r.launches[i].span.firstBlock > b })
		if task := &r.launches[i-1].item.task; k.tasks.at(task.stream.id) < task.number {
			out.blocks[b] = e
		}
	}
	r.lost = r.lost || len(out.threads) > maxThreadClocks
	return out
}

// strong follows a strong access: a read takes over what the place carries, a
// write publishes what the thread knew at its last fence. Both do so within their
// scope: what is published for a block no other block takes over.
func (r *raceState) strong(w *warp, in *inst, lane int, loc *location, write bool) {
	if r.lost {
		return
	}
	if in.release {
		r.fence(w, lane, in.scope)
	}
	isRead := !write || in.f3 != nil // an atomic does both
	if isRead && len(r.locs) > 0 {
		r.read(w, in, lane, loc)
	}
	if in.acquire {
		w.threadSync(lane).acquire(in.scope)
	}
	s := w.sync[lane]
	if !write || s == nil {
		return
	}
	for _, level := range w.l.levels {
		if level > in.scope || s.release[level] == nil {
			continue
		}
		key := syncKey{loc.buf, loc.off, level, w.b.group.number(w.b, level)}
		p := r.locs[key]
		if p == nil {
			p = &syncLoc{}
			r.locs[key] = p
		}
		if k := merged(p.know, s.release[level]); k != p.know {
			p.know = r.bounded(k)
			p.version++
		}
	}
}

// read takes over what a place carries.
func (r *raceState) read(w *warp, in *inst, lane int, loc *location) {
	for _, level := range w.l.levels {
		if level > in.scope {
			return
		}
		p := r.locs[syncKey{loc.buf, loc.off, level, w.b.group.number(w.b, level)}]
		if p == nil || p.know == nil {
			continue
		}
		s := w.threadSync(lane)
		if s.from[level] != p || s.version[level] != p.version {
			s.pending[level] = merged(s.pending[level], p.know)
			s.from[level], s.version[level] = p, p.version
		}
	}
}

// arriveBarrier gives a block what its lanes have acquired; completeBarrier
// is called when its threads go on. What a lane has read but not fenced stays
// its own: the barrier orders accesses for the block's threads only, and need
// not drop what they have in their cache of what other blocks wrote.
func (r *raceState) arriveBarrier(w *warp, m uint32) {
	if r == nil || r.lost {
		return
	}
	for ; m != 0; m &= m - 1 {
		s := w.sync[lowest(m)]
		if s == nil || s.know == nil {
			continue
		}
		w.b.know = merged(w.b.know, s.know)
		s.know = nil
	}
}

// completeBarrier drops what the barrier has made superfluous.
func (r *raceState) completeBarrier(b *block) {
	if r == nil || b.know == nil {
		return
	}
	b.know = r.bounded(b.know)
}
