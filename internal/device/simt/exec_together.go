package simt

import (
	"bytes"
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
	row    bool       // by all lanes, each to the bytes behind those of the lane before
	raced  bool       // the race detector keeps the access
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
	if bits, ok := g.spread(w, in, m, n, base-b.base, b.size-n); !ok || (bits|b.base)&(n-1) != 0 {
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
	if c := b.claims; c != nil {
		g.raced = (write || !c.read || c.tracked) && c.gather(g, m, n, write)
	} else {
		g.raced = true
	}
	if (b.written != nil || b.tracked && write) && !in.merges && !g.defined(w, in, m, n, write) {
		return nil, false
	}
	return g, true
}

// spread sets the lanes' offsets, and returns the bits that any of them has; false where one is beyond the limit.
// Lanes beside those of m get the offset of one of m: what is read there has no effect.
func (g *gather) spread(w *warp, in *inst, m uint32, n, base, limit uint64) (bits uint64, ok bool) {
	if in.a == none {
		for i := range g.off {
			g.off[i] = base
		}
		g.row = false
		return base, base <= limit
	}
	regs := lanes(w.regs, in.a)
	bits, over, row := spread(&g.off, regs, m, regs[lowest(m)], base, limit, n)
	g.row = row && m == fullMask
	return bits, !over
}

// defined reports whether all that the lanes read was written, and notes what they write.
func (g *gather) defined(w *warp, in *inst, m uint32, n uint64, write bool) bool {
	wrote := g.buf.written
	from, to := g.off[0], g.off[0]+32*n // of a row
	if !write {
		if g.row {
			return bytes.IndexByte(wrote[from:to], 0) < 0
		}
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
	if g.row {
		setWritten(wrote[from:to])
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
	if r := w.l.races; r != nil && g.raced {
		r.gather(w, in, m, g, n, false, 0)
	}
	data := g.buf.data
	switch {
	case len(in.ds) == 1 && in.size == 4 && (in.dsize <= 4 || !in.signed):
		if g.row {
			loadRow32(lanes(w.regs, in.ds[0]), data[g.off[0]:g.off[0]+32*4])
			break
		}
		g.fetch(w, in.ds[0], m, load32)
	case len(in.ds) == 1 && in.size == 8:
		g.fetch(w, in.ds[0], m, load64)
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

// fetch reads an element for each of the lanes of m.
func (g *gather) fetch(w *warp, d int32, m uint32, load func(d, off *[32]uint64, data []byte)) {
	if m == fullMask {
		load(lanes(w.regs, d), &g.off, g.buf.data)
		return
	}
	load(&w.l.result, &g.off, g.buf.data)
	blend(lanes(w.regs, d), &w.l.result, m)
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
	switch {
	case g.row && n == 4 && in.size == 4 && !g.buf.host():
		same = storeRow32(data[g.off[0]:g.off[0]+32*4], lanes(w.regs, in.ds[0]))
	case len(in.ds) == 1 && in.size == 4:
		s := lanes(w.regs, in.ds[0])
		for r := m; r != 0; r &= r - 1 {
			i := lowest(r)
			p, v := data[g.off[i]:], uint32(s[i])
			if binary.LittleEndian.Uint32(p) != v {
				binary.LittleEndian.PutUint32(p, v)
				same &^= 1 << i
			}
		}
	default:
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
	sectors := g.sectors(n)
	w.l.counters.Transactions += uint64(sectors)
	g.buf.count(sectors, uint64(bits.OnesCount32(m))*n)
}

// sectors returns the number of distinct 32-byte sectors. No lane accesses two: its bytes are aligned.
func (g *gather) sectors(n uint64) int {
	base := g.buf.base % 32
	switch {
	case g.row:
		first := base + g.off[0]
		return int((first+32*n-1)/32 - first/32 + 1)
	case g.buf.size > 1<<36:
		return distinctEach(&g.off, base)
	}
	return distinct(&g.off, base)
}
