package simt

import (
	"maps"
)

// This file keeps what threads know of each other's accesses through
// release-acquire chains: vector clocks, kept sparse. Most programs
// synchronise by few threads a block, which release for the whole block.

// knowledge is a vector clock in three parts. An access of block b before its
// barrier number blocks[b] is known, one of thread t before its fence number
// threads[t].tep, and one of a thread of cluster c before it arrived at the
// cluster's barrier number clusters[c]. A nil knowledge knows nothing.
type knowledge struct {
	blocks   map[uint32]uint32
	threads  map[uint32]threadClock
	clusters map[uint32]uint32
}

// A threadClock is a thread's own clock: fences, and the barrier count of its
// block at that time, by which entries become superfluous.
type threadClock struct{ tep, bep uint32 }

// maxThreadClocks bounds a knowledge; a program in which more threads release
// between two barriers is beyond this detector, which then reports no more
// races in the launch.
const maxThreadClocks = 1 << 12

func (k *knowledge) covers(l *launch, thread uint32, a *access) bool {
	if k == nil {
		return false
	}
	block := thread / l.tpb
	if k.blocks[block] > a.bep || len(k.clusters) > 0 && k.clusters[l.clusterOf(block)] > a.cep {
		return true
	}
	c, ok := k.threads[thread]
	return ok && c.tep > a.tep
}

// merged returns the union of a and b; it may be one of them, which are never
// changed after they were made.
func merged(a, b *knowledge, tpb uint32) *knowledge {
	switch {
	case a == nil || a == b:
		return b
	case b == nil || b.within(a):
		return a
	case a.within(b):
		return b
	}
	k := &knowledge{blocks: maps.Clone(a.blocks), threads: map[uint32]threadClock{}}
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
			if k.blocks[t/tpb] <= c.bep && c.tep > k.threads[t].tep {
				k.threads[t] = c
			}
		}
	}
	return k
}

// within reports whether all of k is in o.
func (k *knowledge) within(o *knowledge) bool {
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
	tep     uint32     // fences so far
	know    *knowledge // acquired, and fenced
	pending *knowledge // read by strong reads, not fenced yet
	release *knowledge // what strong writes publish: known at the last fence
	from    *syncLoc   // last place acquired from
	version uint32     // and its version then
}

type syncKey struct {
	buf *buffer
	off uint64
}

// A syncLoc is a place that threads synchronise by.
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
// knows and did part of what its later strong writes publish.
func (r *raceState) fence(w *warp, lane int) {
	if r.lost {
		return
	}
	s := w.threadSync(lane)
	s.know = merged(s.know, s.pending, r.l.tpb)
	s.pending = nil
	s.tep++
	thread := w.b.index*r.l.tpb + w.first + uint32(lane)
	own := &knowledge{
		blocks:  map[uint32]uint32{w.b.index: w.b.epoch},
		threads: map[uint32]threadClock{thread: {s.tep, w.b.epoch}},
	}
	s.release = merged(merged(s.know, w.b.know, r.l.tpb), own, r.l.tpb)
	r.bound(s.release)
}

func (r *raceState) bound(k *knowledge) {
	if len(k.threads) > maxThreadClocks {
		r.lost = true
	}
}

// strong follows a strong access: a read takes over what the place carries, a
// write publishes what the thread knew at its last fence.
func (r *raceState) strong(w *warp, in *inst, lane int, loc *location, write bool) {
	if r.lost {
		return
	}
	if in.release {
		r.fence(w, lane)
	}
	isRead := !write || in.f3 != nil // an atomic does both
	key := syncKey{loc.buf, loc.off}
	if isRead && len(r.locs) > 0 {
		if p := r.locs[key]; p != nil && p.know != nil {
			s := w.threadSync(lane)
			if s.from != p || s.version != p.version {
				s.pending = merged(s.pending, p.know, r.l.tpb)
				s.from, s.version = p, p.version
			}
		}
	}
	if in.acquire {
		s := w.threadSync(lane)
		s.know = merged(s.know, s.pending, r.l.tpb)
		s.pending = nil
	}
	if s := w.sync[lane]; write && s != nil && s.release != nil {
		p := r.locs[key]
		if p == nil {
			p = &syncLoc{}
			r.locs[key] = p
		}
		if k := merged(p.know, s.release, r.l.tpb); k != p.know {
			p.know = k
			p.version++
			r.bound(k)
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
		w.b.know = merged(w.b.know, s.know, r.l.tpb)
		s.know = nil
	}
}

// completeBarrier drops what the barrier has made superfluous.
func (r *raceState) completeBarrier(b *block) {
	if r == nil || b.know == nil {
		return
	}
	r.bound(b.know)
}
