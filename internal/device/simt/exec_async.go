package simt

import (
	"fmt"
	"slices"

	"irgl/internal/device"
)

// This file has copies from global to shared memory that go on beside their thread (cp.async). What is copied
// is read at once, and written when the copy is waited for: by its thread (cp.async.wait_group, .wait_all), or through a
// barrier in memory that it arrives at (cp.async.mbarrier.arrive) or that counts its bytes (cp.async.bulk). Until then an access to its
// destination, also by its own thread, races with it. The end of a copy counts as a write of its thread at that time.

// A pendingCopy is a copy that is not done.
type pendingCopy struct {
	w     *warp
	lane  int
	in    *inst // the instruction that began it
	side  side  // its write, for reports
	off   uint64
	data  []byte
	group uint32 // groups that its thread had committed before
	bar   uint64 // address of the barrier that it arrives at when it is done; 0 for none
	bulk  bool   // the barrier counts its bytes
}

// An arrival is one at a barrier in memory that the end of copies makes.
type arrival struct {
	w    *warp
	lane int
	in   *inst
	bar  uint64
	bulk *pendingCopy // whose bytes it completes; nil where the thread arrives behind its copies
}

// copies are the copies of a block that are not done.
type copies struct {
	list     []*pendingCopy
	at       map[uint64]*pendingCopy // by four bytes of the destination
	groups   map[uint32]uint32       // committed, by thread of the block
	arrivals []arrival
}

// copying returns the block's copies.
func (b *block) copying() *copies {
	if b.copies == nil {
		b.copies = &copies{at: map[uint64]*pendingCopy{}, groups: map[uint32]uint32{}}
	}
	return b.copies
}

// begin begins a copy.
func (c *copies) begin(p *pendingCopy) {
	p.group = c.groups[p.w.first+uint32(p.lane)]
	c.list = append(c.list, p)
	for cell := p.off / 4; cell <= (p.off+uint64(len(p.data))-1)/4; cell++ {
		c.at[cell] = p
	}
	p.w.b.shared.watched = true
}

// finish ends the copies that done selects: their bytes are there.
func (c *copies) finish(done func(p *pendingCopy) bool) {
	c.list = slices.DeleteFunc(c.list, func(p *pendingCopy) bool {
		if !done(p) {
			return false
		}
		b := p.w.b.shared
		for cell := p.off / 4; cell <= (p.off+uint64(len(p.data))-1)/4; cell++ {
			if c.at[cell] == p {
				delete(c.at, cell)
			}
		}
		if r := p.w.l.races; r != nil {
			loc := location{buf: b, off: p.off, mem: b.data[p.off : p.off+uint64(len(p.data))]}
			r.access(p.w, p.in, p.lane, &loc, uint64(len(p.data)), true, false)
		}
		copy(b.data[p.off:], p.data)
		p.w.l.progress()
		b.watched = len(c.at) > 0
		return true
	})
}

// ofThread selects the copies of a lane that are at most of a group.
func ofThread(w *warp, lane int, last int64) func(p *pendingCopy) bool {
	return func(p *pendingCopy) bool { return p.w == w && p.lane == lane && !p.bulk && int64(p.group) <= last }
}

// meet reports an access of a lane to shared memory that a copy is under way to.
func (c *copies) meet(w *warp, in *inst, lane int, off, n uint64, write bool) {
	if c == nil || w.l.races == nil {
		return
	}
	for cell := off / 4; cell <= (off+n-1)/4; cell++ {
		p := c.at[cell]
		if p == nil || p.off >= off+n || off >= p.off+uint64(len(p.data)) {
			continue
		}
		at, now := max(off, p.off), w.side(in, lane, write)
		if !w.l.d.reports.again(raceKey(p.side.place(), now.place(), w.b.shared.nameAt(at))) {
			w.l.races.report(w.l.d, p.side, now, w.b.shared, at, "before the copy is waited for")
		}
		return
	}
}

// An asyncCopy is a decoded cp.async.
type asyncCopy struct {
	dst, src inst
	size     uint64
	bytes    int32 // slot times 32 of how many are copied, or none
	ignored  int32 // of a predicate: nothing is copied; or none
}

// run begins the copies of the lanes of m.
func (a *asyncCopy) run(w *warp, in *inst, m uint32) {
	dst, src := a.dst, a.src
	dst.line, dst.src, src.line, src.src = in.line, in.src, in.line, in.src
	for ; m != 0; m &= m - 1 {
		lane := lowest(m)
		n := a.size
		if a.bytes != none {
			n = min(n, w.regs[a.bytes+int32(lane)])
		}
		if a.ignored != none && w.regs[a.ignored]>>lane&1 != 0 {
			n = 0
		}
		if !w.aligned(&src, lane, a.size, a.size, false) {
			return
		}
		data := make([]byte, a.size)
		if !w.readCopied(in, &src, lane, data[:n]) || w.beginCopy(in, &dst, lane, data, 0) == nil {
			return
		}
	}
}

// aligned reports whether the address of a lane is a multiple of some bytes; otherwise the access to n bytes is a fault.
func (w *warp) aligned(at *inst, lane int, multiple, n uint64, write bool) bool {
	address := at.address(w, lane)
	if address%multiple != 0 {
		w.badAccess(at, lane, device.Misaligned, wrongPlace{text: fmt.Sprintf("address %#x is not a multiple of %d", address, multiple)}, n, write)
	}
	return address%multiple == 0
}

// steps calls f for the accesses, of at most 16 bytes, that n aligned bytes take, until it returns false.
func steps(n uint64, f func(done, step uint64) bool) bool {
	for done := uint64(0); done < n; {
		step := uint64(1)
		for 2*step <= n-done && done%(2*step) == 0 && step < 16 {
			step *= 2
		}
		if !f(done, step) {
			return false
		}
		done += step
	}
	return true
}

// readCopied reads what a lane copies; it returns false after a fault.
func (w *warp) readCopied(in, src *inst, lane int, data []byte) bool {
	return steps(uint64(len(data)), func(done, step uint64) bool {
		one := *src
		one.off += int64(done)
		var loc location
		if !w.resolve(&one, lane, step, false, &loc) {
			return false
		}
		if loc.buf != nil && w.l.races != nil {
			w.l.races.access(w, in, lane, &loc, step, false, false)
		}
		copy(data[done:], loc.mem)
		return true
	})
}

// beginCopy begins a copy of a lane to shared memory, whose bytes the barrier at bar counts unless bar is 0; it returns nil after a
// fault.
func (w *warp) beginCopy(in, dst *inst, lane int, data []byte, bar uint64) *pendingCopy {
	var first location
	ok := steps(uint64(len(data)), func(done, step uint64) bool {
		one := *dst
		one.off += int64(done)
		var loc location
		if !w.resolve(&one, lane, step, true, &loc) {
			return false
		}
		if done == 0 {
			first = loc
		}
		if w.l.races != nil {
			w.l.races.access(w, in, lane, &loc, step, true, false)
		}
		return true
	})
	if !ok {
		return nil
	}
	by := w.side(in, lane, true)
	by.w, by.async = nil, true // the thread goes on
	p := &pendingCopy{w: w, lane: lane, in: in, side: by, off: first.off, data: data, bar: bar, bulk: bar != 0}
	w.b.copying().begin(p)
	return p
}

// A bulkCopy is a decoded cp.async.bulk, from global to shared memory. Its size is in register b of its instruction.
type bulkCopy struct{ dst, src, bar inst }

// bulkUnit is what addresses and sizes of bulk copies are multiples of.
const bulkUnit = 16

// run begins the copies of the lanes of m.
func (c *bulkCopy) run(w *warp, in *inst, m uint32) {
	dst, src, bar := c.dst, c.src, c.bar
	for _, i := range []*inst{&dst, &src, &bar} {
		i.line, i.src = in.line, in.src
	}
	bar.release = true
	for ; m != 0; m &= m - 1 {
		lane := lowest(m)
		n := w.regs[in.b+int32(lane)]
		if !w.aligned(&src, lane, bulkUnit, n, false) || !w.aligned(&dst, lane, bulkUnit, n, true) {
			return
		}
		if n%bulkUnit != 0 {
			w.badAccess(&src, lane, device.Misaligned, wrongPlace{text: fmt.Sprintf("the copy's size, %d, is not a multiple of %d", n, bulkUnit)}, n, false)
			return
		}
		if n == 0 {
			continue
		}
		var at location
		if !w.barrierAt(&bar, lane, &at) {
			return
		}
		address := at.off + w.b.shared.base
		data := make([]byte, n)
		if !w.readCopied(in, &src, lane, data) {
			return
		}
		p := w.beginCopy(in, &dst, lane, data, address)
		if p == nil {
			return
		}
		w.b.copies.arrivals = append(w.b.copies.arrivals, arrival{w: w, lane: lane, in: &bar, bar: address, bulk: p})
	}
}

// runCommit ends a group of copies.
func runCommit(w *warp, _ *inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		w.b.copying().groups[w.first+uint32(lowest(m))]++
	}
}

// runWaitGroup waits for all groups but the last in.off, or for all copies where that is negative.
func runWaitGroup(w *warp, in *inst, m uint32) {
	c := w.b.copies
	if c == nil || len(c.list) == 0 {
		return
	}
	for ; m != 0; m &= m - 1 {
		lane := lowest(m)
		groups := int64(c.groups[w.first+uint32(lane)])
		last := groups - 1 - in.off
		if in.off < 0 {
			last = groups
		}
		c.finish(ofThread(w, lane, last))
	}
}

// settle ends the copies that arrive at a barrier, and lets them arrive. A copy whose bytes the barrier counts goes on until its phase waits
// for so many: if it never does, it never waits for the copy.
func (c *copies) settle(bar uint64) {
	if c == nil || len(c.arrivals) == 0 {
		return
	}
	c.finish(func(p *pendingCopy) bool { return p.bar == bar && !p.bulk })
	c.arrivals = slices.DeleteFunc(c.arrivals, func(a arrival) bool {
		if a.bar != bar {
			return false
		}
		b := a.w.b.shared
		off := bar - b.base
		loc := location{buf: b, off: off, mem: b.data[off : off+8]}
		if a.bulk == nil {
			a.w.updateBarrier(a.in, a.lane, &loc, memoryBarrier.arrive, 1)
			return true
		}
		n := len(a.bulk.data)
		if memoryBarrier(load(loc.mem, 8)).bytes() < int64(n) {
			return false
		}
		c.finish(func(p *pendingCopy) bool { return p == a.bulk })
		a.w.updateBarrier(a.in, a.lane, &loc, memoryBarrier.completeBytes, uint64(n))
		return true
	})
}

// runArriveCopies makes a barrier in memory wait for all copies of a thread so far.
func runArriveCopies(w *warp, in *inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		lane := lowest(m)
		var loc location
		if !w.barrierAt(in, lane, &loc) {
			return
		}
		if in.sub == 0 { // without .noinc the arrival is one more
			w.updateBarrier(in, lane, &loc, memoryBarrier.expectArrival, 1)
		}
		c := w.b.copying()
		bar := loc.off + w.b.shared.base
		for _, p := range c.list {
			if p.w == w && p.lane == lane && p.bar == 0 { // a bulk copy has one
				p.bar = bar
			}
		}
		c.arrivals = append(c.arrivals, arrival{w: w, lane: lane, in: in, bar: bar})
	}
}
