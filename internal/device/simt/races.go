package simt

import (
	"fmt"
)

// A raceState finds races in one launch: two threads access one place, at
// least one of them writes, at least one access is weak (not atomic, volatile
// or relaxed), and nothing orders the two.
//
// What orders: program order; a block barrier, for the threads of the block;
// bar.warp.sync, for its lanes; a barrier of a cluster, for what its threads do
// before they arrive, unless they do so relaxed, and after they have waited; and release-acquire chains, that is, a fence
// and then a strong write of one thread, read by a strong read of another that
// then executes a fence, or acquires. The order through a barrier carries what
// one thread of a block has acquired to all of them, and what all have done to
// what one of them releases: so barriers of the grid are understood. Waiting
// in lockstep without bar.warp.sync does not order.
//
// What is missed: of each four bytes the last write and the last two reads are
// kept, so a race with an earlier access is found only if it was found then;
// of different bytes in them, only the last written; a barrier of some threads
// of a block counts as one of all; knowledge that passed through one place
// accumulates there, as if all its writes released. A race is reported only
// when the schedule makes both accesses happen, in whatever order.
type raceState struct {
	l    *launch
	gen  uint32
	locs map[syncKey]*syncLoc
	lost bool // too many threads released: see maxThreadClocks
}

// An access is one record of a place's history.
type access struct {
	thread uint32 // plus one; 0 when there is none
	pc     int32  // PTX line
	bep    uint32 // barriers of the block before it
	wep    uint32 // bar.warp.syncs of the warp before it
	tep    uint32 // fences of the thread before it
	cep    uint32 // barriers of the cluster at which the thread arrived before it
	mask   uint8  // of the four bytes
	strong bool
}

// A cell is the history of four bytes.
type cell struct{ write, read, read2 access }

const pageCells = 256 // cells of a page: 1 KiB of memory

type page struct {
	gen   uint32
	cells [pageCells]cell
}

// shadow is the history of a buffer, by pages that are made at first use.
// Pages of an earlier launch, or of an earlier block in the same shared
// memory, have another generation and are cleared at first use.
type shadow struct {
	pages []*page
	gen   uint32 // of shared memory; 0 for global, which takes the launch's
}

// renew forgets all that the shadow holds.
func (s *shadow) renew(d *Device) {
	d.shadows++
	s.gen = d.shadows
}

func newRaceState(l *launch) *raceState {
	l.d.shadows++
	return &raceState{l: l, gen: l.d.shadows, locs: map[syncKey]*syncLoc{}}
}

func (r *raceState) cell(b *buffer, index uint64) *cell {
	s := &b.shadow
	if s.pages == nil {
		s.pages = make([]*page, (b.size+4*pageCells-1)/(4*pageCells))
	}
	gen := r.gen
	if s.gen > gen {
		gen = s.gen
	}
	p := s.pages[index/pageCells]
	if p == nil {
		p = &page{gen: gen}
		s.pages[index/pageCells] = p
	} else if p.gen != gen {
		*p = page{gen: gen}
	}
	return &p.cells[index%pageCells]
}

// access checks one access of a lane against the history of its place and
// records it. same says that a write does not change the value.
func (r *raceState) access(w *warp, in *inst, lane int, loc *location, n uint64, write, same bool) {
	if in.strong {
		r.strong(w, in, lane, loc, write)
	}
	now := access{
		thread: w.b.index*r.l.tpb + w.first + uint32(lane) + 1,
		pc:     in.line, bep: w.b.epoch, strong: in.strong,
	}
	if w.warps != nil {
		now.wep = w.warps.count
	}
	if s := w.sync[lane]; s != nil {
		now.tep = s.tep
	}
	now.cep = w.b.group.arrivals(w, lane)
	for off := loc.off; off < loc.off+n; off = off&^3 + 4 {
		bytes := min(loc.off+n-off, 4-off&3)
		now.mask = uint8(1<<bytes-1) << (off & 3)
		c := r.cell(loc.buf, off>>2)
		r.check(w, lane, &c.write, &now, loc, off, write, same, true)
		if write {
			r.check(w, lane, &c.read, &now, loc, off, write, same, false)
			r.check(w, lane, &c.read2, &now, loc, off, write, same, false)
			if c.write.thread == now.thread && c.write.bep == now.bep && c.write.tep == now.tep && c.write.cep == now.cep && c.write.wep == now.wep && c.write.strong == now.strong {
				now.mask |= c.write.mask
			}
			c.write = now
			continue
		}
		if c.read.thread != now.thread {
			c.read2 = c.read
		}
		c.read = now
	}
}

// check reports a race between the earlier access old and the present one.
func (r *raceState) check(w *warp, lane int, old, now *access, loc *location, off uint64, write, same, oldWrote bool) {
	if old.thread == 0 || old.thread == now.thread || old.mask&now.mask == 0 || old.strong && now.strong {
		return
	}
	if r.ordered(w, lane, old) {
		return
	}
	name, place := loc.buf.describe(off)
	key := reportKey{kind: "race", kernel: r.l.k.fn.name, buffer: name, line1: min(old.pc, now.pc), line2: max(old.pc, now.pc)}
	if r.l.d.reports.seen[key] {
		return
	}
	verb := func(wrote, strong bool) string {
		s := "reads"
		if wrote {
			s = "writes"
		}
		if strong {
			s += " (atomic or volatile)"
		}
		return s
	}
	note := ""
	if write && oldWrote && same {
		note = "; same value"
	}
	r.l.d.reports.add(key, fmt.Sprintf("%s %s %s at PTX line %d, and %s %s it at line %d, without order (address %#x%s)",
		r.l.threadName(old.thread-1), verb(oldWrote, old.strong), place, old.pc,
		w.thread(lane), verb(write, now.strong), now.pc, loc.buf.base+off, note))
}

// ordered reports whether the earlier access happens before what lane of w
// does now.
func (r *raceState) ordered(w *warp, lane int, old *access) bool {
	thread := old.thread - 1
	block := thread / r.l.tpb
	if block == w.b.index {
		if old.bep < w.b.epoch {
			return true
		}
		if t := thread % r.l.tpb; t >= w.first && t < w.first+32 && w.warps != nil {
			if w.warps.last(lane, int(t-w.first)) > old.wep {
				return true
			}
		}
	}
	if r.lost {
		return true
	}
	if w.b.know.covers(r.l, thread, old) {
		return true
	}
	s := w.sync[lane]
	return s != nil && s.know.covers(r.l, thread, old)
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

// warpSync records a bar.warp.sync of the lanes of m.
func (r *raceState) warpSync(w *warp, m uint32) {
	if r == nil {
		return
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
