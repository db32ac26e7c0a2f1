package simt

import (
	"encoding/binary"
	"math/bits"
)

// Most loads and stores of a warp access one buffer with all their lanes, in bounds, where nothing is to
// be reported. This file executes those for all lanes at once; [warp.resolve] goes lane by lane, and is
// what finds and words the reports.

// A gather is where the lanes of an instruction access a buffer.
type gather struct {
	buf    *buffer
	global bool
	off    [32]uint64 // in buf, by lane
}

// gather finds where the lanes of m access n bytes each. It returns false, and has changed nothing, where
// they do not all access one buffer, or where an access may have to be reported or refused.
func (w *warp) gather(in *inst, m uint32, n uint64, write bool) (*gather, bool) {
	g := &w.l.gather
	base := uint64(in.off)
	space := in.space
	switch space {
	case spLocal:
		return nil, false
	case spShared:
		g.buf, g.global = w.b.shared, false
	default:
		g.buf, g.global = in.cached, true
		if first := in.address(w, lowest(m)); space != spGlobal && first/windowSize == sharedWindow/windowSize {
			g.buf, g.global = w.b.shared, false
			base -= sharedWindow
		}
	}
	b := g.buf
	if b == nil || b.freed || b.size < n || in.scope != weak || b.launches || b.watched || write && b.readOnly || b.barriers {
		return nil, false
	}
	if bits, ok := g.spread(w, in, m, base-b.base, b.size-n); !ok || (bits|b.base)&(n-1) != 0 {
		return nil, false
	}
	if s := in.within; s != nil && !g.global && s.space == spShared {
		from, most := uint64(s.off), uint64(s.size)-n
		if uint64(s.size) < n {
			return nil, false
		}
		for r := m; r != 0; r &= r - 1 {
			if g.off[lowest(r)]-from > most {
				return nil, false
			}
		}
	}
	if (b.written != nil || b.tracked && write) && !in.merges && !g.defined(w, in, m, n, write) {
		return nil, false
	}
	return g, true
}

// spread sets the lanes' offsets, and returns the bits that any of them has; false where one is beyond the limit.
func (g *gather) spread(w *warp, in *inst, m uint32, base, limit uint64) (bits uint64, ok bool) {
	if in.a == none {
		for ; m != 0; m &= m - 1 {
			g.off[lowest(m)] = base
		}
		return base, base <= limit
	}
	if lo, hi, ok := laneRange(m); ok {
		regs, offs, most := w.regs[in.a+lo:in.a+hi], g.off[lo:hi], uint64(0)
		regs = regs[:len(offs)]
		for i := range offs {
			off := regs[i] + base
			most = max(most, off)
			bits |= off
			offs[i] = off
		}
		return bits, most <= limit
	}
	regs := lanes(w.regs, in.a)
	ok = true
	for ; m != 0; m &= m - 1 {
		i := lowest(m)
		off := regs[i] + base
		ok = ok && off <= limit
		bits |= off
		g.off[i] = off
	}
	return bits, ok
}

// defined reports whether all that the lanes read was written, and notes what they write.
func (g *gather) defined(w *warp, in *inst, m uint32, n uint64, write bool) bool {
	wrote := g.buf.written
	if !write {
		for ; m != 0; m &= m - 1 {
			if off := g.off[lowest(m)]; !allWritten(wrote[off : off+n]) {
				return false
			}
		}
		return true
	}
	if in.untyped && !in.sound {
		for _, slot := range in.moved {
			if w.init[slot]&m != m {
				return false
			}
		}
	}
	if wrote == nil {
		return true
	}
	for ; m != 0; m &= m - 1 {
		off := g.off[lowest(m)]
		setWritten(wrote[off : off+n])
	}
	return true
}

// allWritten reports whether all bytes of an access are marked as written.
func allWritten(p []byte) bool {
	switch len(p) {
	case 4:
		return binary.LittleEndian.Uint32(p) == 0x01010101
	case 8:
		return binary.LittleEndian.Uint64(p) == 0x0101010101010101
	}
	for _, b := range p {
		if b == 0 {
			return false
		}
	}
	return true
}

// setWritten marks the bytes of an access as written.
func setWritten(p []byte) {
	switch len(p) {
	case 4:
		binary.LittleEndian.PutUint32(p, 0x01010101)
		return
	case 8:
		binary.LittleEndian.PutUint64(p, 0x0101010101010101)
		return
	}
	for i := range p[:min(len(p), 16)] {
		p[i] = 1
	}
	for done := 16; done < len(p); done *= 2 {
		copy(p[done:], p[:done])
	}
}

// load executes ld for the lanes of m.
func (g *gather) load(w *warp, in *inst, m uint32, n uint64) {
	if r := w.l.races; r != nil {
		r.gather(w, in, m, g, n, false, 0)
	}
	data := g.buf.data
	switch {
	case len(in.ds) == 1 && in.size == 4 && (in.dsize <= 4 || !in.signed):
		d := lanes(w.regs, in.ds[0])
		for r := m; r != 0; r &= r - 1 {
			i := lowest(r)
			d[i] = uint64(binary.LittleEndian.Uint32(data[g.off[i]:]))
		}
	case len(in.ds) == 1 && in.size == 8:
		d := lanes(w.regs, in.ds[0])
		for r := m; r != 0; r &= r - 1 {
			i := lowest(r)
			d[i] = binary.LittleEndian.Uint64(data[g.off[i]:])
		}
	default:
		for r := m; r != 0; r &= r - 1 {
			i := lowest(r)
			p := data[g.off[i]:]
			for k, d := range in.ds {
				w.regs[d+int32(i)] = in.extended(load(p[k*int(in.size):], in.size))
			}
		}
	}
	g.count(w, m, n)
}

// extended returns a loaded element as its destination register holds it.
func (in *inst) extended(v uint64) uint64 {
	if in.signed && in.dsize > in.size {
		v = uint64(signExtend(v, int(in.size)))
		if in.dsize < 8 {
			v &= 1<<(8*in.dsize) - 1
		}
	}
	return v
}

// store executes st for the lanes of m, in order.
func (g *gather) store(w *warp, in *inst, m uint32, n uint64) {
	same := m // lanes whose bytes were the same before
	data := g.buf.data
	if len(in.ds) == 1 && in.size == 4 {
		s := lanes(w.regs, in.ds[0])
		for r := m; r != 0; r &= r - 1 {
			i := lowest(r)
			p, v := data[g.off[i]:], uint32(s[i])
			if binary.LittleEndian.Uint32(p) != v {
				binary.LittleEndian.PutUint32(p, v)
				same &^= 1 << i
			}
		}
	} else {
		mask := ^uint64(0) >> (64 - 8*uint(in.size))
		for r := m; r != 0; r &= r - 1 {
			i := lowest(r)
			p := data[g.off[i]:]
			for k, s := range in.ds {
				if at, v := p[k*int(in.size):], w.regs[s+int32(i)]&mask; load(at, in.size) != v {
					store(at, in.size, v)
					same &^= 1 << i
				}
			}
		}
	}
	if same != m {
		w.l.progress()
	}
	if r := w.l.races; r != nil {
		r.gather(w, in, m, g, n, true, same)
	}
	g.count(w, m, n)
}

// count counts the memory transactions of an access to global memory.
func (g *gather) count(w *warp, m uint32, n uint64) {
	if !g.global {
		return
	}
	sectors := g.sectors(m)
	w.l.counters.Transactions += uint64(sectors)
	g.buf.count(sectors, uint64(bits.OnesCount32(m))*n)
}

// sectors returns the number of distinct 32-byte sectors. No lane accesses two: its bytes are aligned.
func (g *gather) sectors(m uint32) int {
	n, last := 0, uint64(0)
	for r := m; r != 0; r &= r - 1 {
		s := (g.buf.base + g.off[lowest(r)]) >> 5
		if s < last {
			return g.scattered(m)
		}
		if s != last {
			n, last = n+1, s
		}
	}
	return n
}

// scattered is sectors for lanes whose addresses are in no order.
func (g *gather) scattered(m uint32) int {
	var seen [64]uint64 // a hash table with open addressing
	n := 0
	for r := m; r != 0; r &= r - 1 {
		s := (g.buf.base + g.off[lowest(r)]) >> 5
		h := s * 0x9e3779b97f4a7c15 >> 58
		for seen[h] != 0 && seen[h] != s {
			h = (h + 1) & 63
		}
		if seen[h] == 0 {
			seen[h] = s
			n++
		}
	}
	return n
}

// gather is access for all lanes of m: of those of same, a write does not change the value.
func (r *raceState) gather(w *warp, in *inst, m uint32, g *gather, n uint64, write bool, same uint32) {
	b, block := g.buf, w.b
	now := access{pc: in.line, bep: block.epoch, cep: block.group.phase, mask: 15} // of all lanes, but for the thread
	if w.warps != nil {
		now.wep = w.warps.count
	}
	bulks := g.global && len(w.l.bulks) > 0
	first := block.firstThread + uint64(w.first) + 1
	var p *page
	at := ^uint64(0) // the index of p
	for ; m != 0; m &= m - 1 {
		i := lowest(m)
		thread := first + uint64(i)
		if w.synced || w.met.arrived != 0 {
			now.tep, now.cep = w.fences(i), block.group.arrivals(w, i)
		}
		if bulks {
			r.againstBulks(w, in, i, &location{buf: b, off: g.off[i], global: true}, n, write)
		}
		off := g.off[i]
		if n < 4 {
			now.mask = uint8(1<<n-1) << (off & 3)
		}
		for end := off + n; off < end; off += 4 {
			if k := off / (4 * pageCells); k != at {
				p, at = r.page(b, k), k
			}
			c := &p.cells[off/4%pageCells]
			if block.conflicts(&c.write, thread, &now) {
				r.conflict(w, in, i, &c.write, now, g, off, write, same, true)
			}
			if !write {
				if c.read.thread != thread {
					c.read2 = c.read
				}
				c.read = now
				c.read.thread = thread
				continue
			}
			for _, old := range [2]*access{&c.read, &c.read2} {
				if block.conflicts(old, thread, &now) {
					r.conflict(w, in, i, old, now, g, off, write, same, false)
				}
			}
			hidden := c.write.mask &^ now.mask
			if hidden != 0 {
				if now.thread = thread; !c.write.together(&now) {
					hidden = 0
				}
				now.thread = 0
			}
			c.write = now
			c.write.thread, c.write.mask = thread, now.mask|hidden
		}
	}
}

// conflict is check for a lane.
func (r *raceState) conflict(w *warp, in *inst, lane int, old *access, now access, g *gather, off uint64, write bool, same uint32, oldWrote bool) {
	now.thread = w.b.firstThread + uint64(w.first) + uint64(lane) + 1
	r.check(w, in, lane, old, &now, &location{buf: g.buf, off: g.off[lane], global: g.global}, off, write, same>>lane&1 != 0, oldWrote)
}

// fences returns how many fences a lane has executed.
func (w *warp) fences(lane int) uint32 {
	if s := w.sync[lane]; s != nil {
		return s.tep
	}
	return 0
}

// conflicts reports whether an earlier access may be unordered with one of a thread of the block: whether
// it is of another thread, to the same bytes, and not before the block's last barrier.
func (b *block) conflicts(old *access, thread uint64, now *access) bool {
	return old.thread != 0 && old.thread != thread && old.mask&now.mask != 0 &&
		(old.bep >= now.bep || old.thread-1-b.firstThread >= uint64(b.l.tpb))
}

// together reports whether two accesses are of one thread, and nothing orders others between them.
func (a *access) together(o *access) bool {
	return a.thread == o.thread && a.bep == o.bep && a.tep == o.tep && a.cep == o.cep && a.wep == o.wep && a.scope == o.scope
}
