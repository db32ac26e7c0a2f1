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

	arrives bool // it is waited for through a barrier, too, that its thread arrives at
	bulk    bool // it is waited for through a barrier that counts its bytes, and not by its thread
	done    bool
}

// An arrival is one at a barrier in memory that the end of copies makes.
type arrival struct {
	w    *warp
	lane int
	in   *inst
	bulk *pendingCopy // whose bytes it completes; nil where the thread arrives behind its copies
}

// copies are the copies of a block that are not done.
type copies struct {
	under   int                       // how many are under way
	threads map[uint32][]*pendingCopy // those that a thread of the block can wait for, in the order in which it began them
	at      map[uint64]*pendingCopy   // by four bytes of the destination
	groups  map[uint32]uint32         // committed, by thread of the block
	bars    map[uint64]*arriving      // by address of the barrier
}

// arriving is what makes arrivals at a barrier.
type arriving struct {
	copies   []*pendingCopy
	arrivals []arrival
}

// copying returns the block's copies.
func (b *block) copying() *copies {
	if b.copies == nil {
		b.copies = &copies{threads: map[uint32][]*pendingCopy{}, at: map[uint64]*pendingCopy{}, groups: map[uint32]uint32{}, bars: map[uint64]*arriving{}}
	}
	return b.copies
}

// thread returns the number of the copy's thread in the block.
func (p *pendingCopy) thread() uint32 { return p.w.first + uint32(p.lane) }

// begin begins a copy.
func (c *copies) begin(p *pendingCopy) {
	if !p.bulk {
		t := p.thread()
		p.group = c.groups[t]
		c.threads[t] = append(c.threads[t], p)
	}
	for cell := p.off / 4; cell <= (p.off+uint64(len(p.data))-1)/4; cell++ {
		c.at[cell] = p
	}
	c.under++
	p.w.b.shared.watched = true
}

// finish ends a copy: its bytes are there.
func (c *copies) finish(p *pendingCopy) {
	if p.done {
		return
	}
	p.done = true
	c.under--
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
}

// waitFor ends the copies of a thread that are at most of a group.
func (c *copies) waitFor(thread uint32, last int64) {
	c.threads[thread] = slices.DeleteFunc(c.threads[thread], func(p *pendingCopy) bool {
		if int64(p.group) <= last {
			c.finish(p)
		}
		return p.done
	})
}

// barrier returns what arrives at a barrier.
func (c *copies) barrier(at uint64) *arriving {
	a := c.bars[at]
	if a == nil {
		a = &arriving{}
		c.bars[at] = a
	}
	return a
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
		if !w.readCopied(in, &src, lane, data[:n]) || w.beginCopy(in, &dst, lane, data, false) == nil {
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

// beginCopy begins a copy of a lane to shared memory; it returns nil after a fault.
func (w *warp) beginCopy(in, dst *inst, lane int, data []byte, bulk bool) *pendingCopy {
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
	p := &pendingCopy{w: w, lane: lane, in: in, side: by, off: first.off, data: data, bulk: bulk}
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
		data := make([]byte, n)
		if !w.readCopied(in, &src, lane, data) {
			return
		}
		p := w.beginCopy(in, &dst, lane, data, true)
		if p == nil {
			return
		}
		wait := w.b.copies.barrier(at.off + w.b.shared.base)
		wait.arrivals = append(wait.arrivals, arrival{w: w, lane: lane, in: &bar, bulk: p})
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
	if c == nil || c.under == 0 {
		return
	}
	for ; m != 0; m &= m - 1 {
		thread := w.first + uint32(lowest(m))
		last := int64(c.groups[thread])
		if in.off >= 0 {
			last -= 1 + in.off
		}
		c.waitFor(thread, last)
	}
}

// settle ends the copies that arrive at a barrier, and lets them arrive. A copy whose bytes the barrier counts goes on until its phase waits
// for so many: if it never does, it never waits for the copy.
func (c *copies) settle(bar uint64) {
	if c == nil {
		return
	}
	at := c.bars[bar]
	if at == nil || len(at.arrivals) == 0 {
		return
	}
	for _, p := range at.copies {
		c.finish(p)
	}
	clear(at.copies)
	at.copies = at.copies[:0]
	at.arrivals = slices.DeleteFunc(at.arrivals, func(a arrival) bool {
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
		c.finish(a.bulk)
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
		at := c.barrier(loc.off + w.b.shared.base)
		thread := w.first + uint32(lane)
		c.threads[thread] = slices.DeleteFunc(c.threads[thread], func(p *pendingCopy) bool {
			if !p.done && !p.arrives {
				p.arrives = true
				at.copies = append(at.copies, p)
			}
			return p.done
		})
		at.arrivals = append(at.arrivals, arrival{w: w, lane: lane, in: in})
	}
}
