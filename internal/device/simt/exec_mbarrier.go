package simt

// This file has barriers in shared memory (mbarrier). PTX leaves open how a barrier looks in its eight bytes; here they are
//
//	bits 0 to 19    arrivals that the phase still waits for
//	bits 20 to 39   arrivals that a phase waits for
//	bit 40          parity of the phase
//	bits 41 to 61   bytes that the phase still waits for, signed
//	bits 62 and 63  one and zero: it is a barrier
//
// An arrival releases, and a test that finds the phase complete acquires, within the block.
type memoryBarrier uint64

const (
	barrierCount = 1<<20 - 1
	barrierIs    = memoryBarrier(1) << 62
	barrierPhase = memoryBarrier(1) << 40
)

// newBarrier returns a barrier for n arrivals.
func newBarrier(n uint64) memoryBarrier { return barrierIs | memoryBarrier(n<<20|n) }

func (b memoryBarrier) pending() uint64  { return uint64(b) & barrierCount }
func (b memoryBarrier) expected() uint64 { return uint64(b) >> 20 & barrierCount }
func (b memoryBarrier) bytes() int64     { return int64(b<<2) >> 43 }

// with returns the barrier with other counts; a phase that waits for nothing is complete, and the next one begins.
func (b memoryBarrier) with(pending, expected uint64, bytes int64) memoryBarrier {
	phase := b & barrierPhase
	if pending == 0 && bytes == 0 {
		phase ^= barrierPhase
		pending = expected
	}
	return barrierIs | phase | memoryBarrier(pending|expected<<20|uint64(bytes)&(1<<21-1)<<41)
}

// Each operation returns the barrier after it, or what is wrong.

func (b memoryBarrier) arrive(n uint64) (memoryBarrier, string) {
	if n == 0 || n > b.pending() {
		return b, "more threads arrive than its phase waits for"
	}
	return b.with(b.pending()-n, b.expected(), b.bytes()), ""
}

func (b memoryBarrier) arriveDrop(n uint64) (memoryBarrier, string) {
	if n == 0 || n > b.pending() || n > b.expected() {
		return b, "more threads arrive than its phase waits for"
	}
	return b.with(b.pending()-n, b.expected()-n, b.bytes()), ""
}

func (b memoryBarrier) expectArrival(n uint64) (memoryBarrier, string) {
	if b.pending()+n > barrierCount {
		return b, "it waits for too many threads"
	}
	return b + memoryBarrier(n), ""
}

func (b memoryBarrier) expectBytes(n uint64) (memoryBarrier, string) {
	if v := b.bytes() + int64(uint32(n)); v < 1<<20 {
		return barrierIs | b&barrierPhase | memoryBarrier(b.pending()|b.expected()<<20|uint64(v)&(1<<21-1)<<41), ""
	}
	return b, "it waits for too many bytes"
}

func (b memoryBarrier) completeBytes(n uint64) (memoryBarrier, string) {
	if v := b.bytes() - int64(uint32(n)); v > -1<<20 {
		return b.with(b.pending(), b.expected(), v), ""
	}
	return b, "more bytes are complete than it waits for"
}

func (b memoryBarrier) arriveExpecting(n uint64) (memoryBarrier, string) {
	b, why := b.expectBytes(n)
	if why != "" {
		return b, why
	}
	return b.arrive(1)
}

func (b memoryBarrier) dropExpecting(n uint64) (memoryBarrier, string) {
	b, why := b.expectBytes(n)
	if why != "" {
		return b, why
	}
	return b.arriveDrop(1)
}

// barrierAt finds the eight bytes of a barrier, which has to be in the block's shared memory.
func (w *warp) barrierAt(in *inst, lane int, loc *location) bool {
	if !w.resolve(in, lane, 8, true, loc) {
		return false
	}
	if loc.buf != w.b.shared {
		w.misused(in, wrongBarrier, "%s: the barrier of %q is not in shared memory", w.thread(lane), in.src)
		return false
	}
	return true
}

// updateBarrier changes a barrier for a lane; it returns the barrier before, and false if it is used wrongly, which
// stops the launch.
func (w *warp) updateBarrier(in *inst, lane int, loc *location, f func(memoryBarrier, uint64) (memoryBarrier, string), n uint64) (memoryBarrier, bool) {
	old := memoryBarrier(load(loc.mem, 8))
	now, why := f(old, n)
	if old&^(1<<62-1) != barrierIs {
		why = "mbarrier.init has not made it"
	} else if in.aligned && now&barrierPhase != old&barrierPhase { // .noComplete
		why = "the arrival with .noComplete completes its phase"
	}
	if why != "" {
		w.misused(in, wrongBarrier, "%s: the barrier of %q: %s", w.thread(lane), in.src, why)
		return old, false
	}
	if now != old {
		w.l.progress()
	}
	if w.l.races != nil {
		w.l.races.access(w, in, lane, loc, 8, true, now == old)
	}
	store(loc.mem, 8, uint64(now))
	return old, true
}

// runInitBarrier executes mbarrier.init, and mbarrier.inval, whose count is in no register.
func runInitBarrier(w *warp, in *inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		lane := lowest(m)
		var loc location
		if !w.barrierAt(in, lane, &loc) {
			return
		}
		now := memoryBarrier(0)
		if in.b != none {
			n := w.regs[in.b+int32(lane)]
			if n == 0 || n > barrierCount {
				w.misused(in, wrongBarrier, "%s: a barrier of %d threads in %q: there can be 1 to %d", w.thread(lane), n, in.src, barrierCount)
				return
			}
			now = newBarrier(n)
		}
		if w.l.races != nil {
			w.l.races.access(w, in, lane, &loc, 8, true, false)
		}
		store(loc.mem, 8, uint64(now))
		w.l.progress()
	}
}

// runUpdateBarrier returns an instruction that changes a barrier.
func runUpdateBarrier(f func(memoryBarrier, uint64) (memoryBarrier, string)) func(w *warp, in *inst, m uint32) {
	return func(w *warp, in *inst, m uint32) {
		for ; m != 0; m &= m - 1 {
			lane := lowest(m)
			var loc location
			if !w.barrierAt(in, lane, &loc) {
				return
			}
			n := uint64(1)
			if in.b != none {
				n = w.regs[in.b+int32(lane)]
			}
			old, ok := w.updateBarrier(in, lane, &loc, f, n)
			if !ok {
				return
			}
			if in.d != none {
				w.regs[in.d+int32(lane)] = uint64(old)
			}
		}
	}
}

// A barrierTest is a decoded mbarrier.test_wait or .try_wait.
type barrierTest struct {
	parity bool // the phase is given by its parity, and not by what an arrival has returned
}

// run tests a barrier for the lanes of m. Copies that arrive at it are done now.
func (t *barrierTest) run(w *warp, in *inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		lane := lowest(m)
		var loc location
		if !w.barrierAt(in, lane, &loc) {
			return
		}
		w.b.copies.settle(loc.off + loc.buf.base)
		if w.l.fault != nil {
			return
		}
		now, want := memoryBarrier(load(loc.mem, 8)), memoryBarrier(w.regs[in.b+int32(lane)])
		if t.parity {
			want = want & 1 << 40
		}
		complete := (now^want)&barrierPhase != 0
		by := in
		if complete {
			done := *in
			done.acquire = true
			by = &done
		}
		if _, ok := w.updateBarrier(by, lane, &loc, func(b memoryBarrier, _ uint64) (memoryBarrier, string) { return b, "" }, 0); !ok {
			return
		}
		bit := uint64(1) << lane
		w.regs[in.e] &^= bit
		if complete {
			w.regs[in.e] |= bit
		}
	}
}
