package simt

import (
	"fmt"
	"math/bits"

	"irgl/internal/device"
)

// A block is a thread block that is resident.
type block struct {
	l     *launch
	index uint32
	// Numbers in the epoch, for the race detector.
	number, firstThread uint64

	ctaid  [3]uint32
	smid   int
	warps  []*warp
	alive  int // threads
	shared *buffer
	bars   [16]bar
	epoch  uint32     // barriers so far, for the race detector
	know   *knowledge // of other blocks' accesses, through barriers
	group  *cluster
	copies *copies // that are under way to its shared memory; nil for none
}

// A bar is one of a block's sixteen barriers.
type bar struct {
	arrived  int // threads, or whole warps times 32 where a count is given
	expected int // threads of the barrier; 0 for all of the block
	popc     int
	and, or  bool
}

// The kinds of barrier instructions, in inst.sub.
const (
	barSync uint8 = iota
	barArrive
	barPopc
	barAnd
	barOr
	barClusterArrive
	barClusterRelaxed
	barClusterWait
)

// newBlock makes a block resident, in the memory of one that has ended if there is one.
func newBlock(l *launch, index uint32, smid int, group *cluster) *block {
	var warps []*warp
	var b *block
	if n := len(l.spare); n > 0 {
		b = l.spare[n-1]
		l.spare = l.spare[:n-1]
		warps = b.warps
	} else {
		b = &block{}
	}
	*b = block{l: l, index: index, ctaid: l.coords(index), smid: smid, alive: int(l.tpb), group: group, warps: warps}
	b.number, b.firstThread = l.span.firstBlock+uint64(index), l.span.first+uint64(index)*uint64(l.tpb)
	b.shared = l.sharedBuffer()
	if l.origin != nil {
		b.know = l.origin.know
	}
	for i := range l.warpsPer {
		if i == len(b.warps) {
			b.warps = append(b.warps, newWarp(b, i))
		}
		b.warps[i].begin()
	}
	return b
}

// sharedBuffer returns shared memory for a block: zero and unwritten.
func (l *launch) sharedBuffer() *buffer {
	size := l.sharedSize()
	if n := len(l.idle); n > 0 {
		b := l.idle[n-1]
		l.idle = l.idle[:n-1]
		clear(b.data)
		clear(b.written)
		return b
	}
	b := &buffer{name: "shared memory", base: sharedStart, data: make([]byte, size), size: size, vars: l.k.sharedVars}
	if l.dynamic > 0 {
		b.vars = append(b.vars[:len(b.vars):len(b.vars)], sharedVar{"dynamic shared memory", l.dynamicBase(), uint64(l.dynamic)})
	}
	if l.d.opts.CheckUninitialised {
		b.written = make([]byte, size)
	}
	return b
}

// end gives the block's memory back for the next one, which takes its warps over, too.
func (b *block) end() {
	b.l.d.sms[b.smid].remove(b.l.takes)
	b.copies, b.shared.watched = nil, false
	b.shared.shadow.renew(b.l.races)
	b.l.idle = append(b.l.idle, b.shared)
	if b.l.per == 1 { // others of a cluster look at its warps until all have ended
		b.l.spare = append(b.l.spare, b)
		return
	}
	for _, w := range b.warps {
		fn := w.entry.fn
		b.l.frames[fn] = append(b.l.frames[fn], w.entry)
	}
}

// barrier executes bar.sync and its kind: sp arrives at a barrier and, save
// for bar.arrive, waits there.
func (w *warp) barrier(sp *split, in *inst, m uint32) {
	lane := bits.TrailingZeros32(m)
	if m != sp.mask {
		// A guarded barrier: the other lanes are behind it.
		if in.aligned {
			w.divergentBarrier(in, m)
			return
		}
		w.splits = append(w.splits, &split{pc: sp.pc + 1, mask: sp.mask &^ m, fr: sp.fr, top: sp.top})
		sp.mask = m
	}
	if in.sub >= barClusterArrive {
		w.clusterBarrier(sp, in)
		return
	}
	id := uint32(w.regs[in.a+int32(lane)])
	if id >= 16 {
		w.misused(in, wrongBarrier, "%s: there is no barrier %d", w.thread(lane), id)
		return
	}
	bar := &w.b.bars[id]
	if bar.arrived == 0 {
		*bar = bar.fresh()
	}
	n := bits.OnesCount32(m)
	if in.b != none {
		// The count is of whole warps.
		want := int(uint32(w.regs[in.b+int32(lane)]))
		if want == 0 || want%32 != 0 || want > 1024 {
			w.misused(in, wrongBarrier, "%s: a barrier cannot have %d threads", w.thread(lane), want)
			return
		}
		if bar.arrived > 0 && bar.expected != want {
			w.misused(in, wrongBarrier, "%s: barrier %d is used with %d threads and with %d", w.thread(lane), id, want, bar.expected)
			return
		}
		bar.expected = want
		if m == w.alive {
			n = 32
		}
	}
	bar.arrived += n
	if in.c != none {
		p := uint32(w.regs[in.c])
		bar.popc += bits.OnesCount32(p & m)
		bar.and = bar.and && p&m == m
		bar.or = bar.or || p&m != 0
	}
	w.races().arriveBarrier(w, m)
	if in.sub == barArrive {
		sp.pc++
	} else {
		sp.state, sp.bar = atBarrier, id
	}
	w.b.checkBarrier(id)
}

// sameBarrier reports warps that complete a barrier of the whole block at different places in
// the source. A GPU counts arrivals alone, so the run goes on; but CUDA leaves open what
// happens, since __syncthreads must be in code that all threads of the block execute alike.
func (b *block) sameBarrier(id uint32) {
	var first *warp
	var at *split
	for _, w := range b.warps {
		for _, sp := range w.splits {
			switch in := sp.inst(); {
			case sp.state != atBarrier || sp.bar != id || !in.aligned:
			case first == nil:
				first, at = w, sp
			case in != at.inst() && first.place(at) != w.place(sp):
				b.reportBarriers(first, at, w, sp)
				return
			}
		}
	}
}

// inst returns the instruction that the lanes execute next.
func (sp *split) inst() *inst { return &sp.fr.fn.code[sp.pc] }

// place returns the position in the source of a split of the warp; without one, its line of the PTX.
func (w *warp) place(sp *split) position {
	w.enter(sp)
	if p := w.position(sp.inst()); p.File != "" {
		return p
	}
	return position{Line: int(sp.inst().line)}
}

// reportBarriers reports two warps that have completed a barrier at different places.
func (b *block) reportBarriers(first *warp, at *split, w *warp, sp *split) {
	var sites []device.Site
	side := func(w *warp, sp *split) (string, position) {
		w.enter(sp)
		sites = append(sites, w.site(sp.inst(), w.thread(lowest(sp.mask))+" is at a barrier"))
		f := Fault{Line: int(sp.inst().line), At: w.position(sp.inst())}
		return w.thread(lowest(sp.mask)) + f.where(), f.At
	}
	one, p := side(first, at)
	other, q := side(w, sp)
	key := reportKey{kind: device.DivergentBarrier, at: b.l.k.place(at.inst().line), other: b.l.k.place(sp.inst().line)}
	b.l.d.reports.add(key, device.Report{Kind: key.kind, Kernel: b.l.k.title(p), Positions: []device.Position{p, q}, Sites: append(sites, launchSites(b.l)...),
		Message: fmt.Sprintf("the warps of a block are at different barriers: %s, and %s", one, other)})
}

func (bar) fresh() bar { return bar{and: true} }

// checkBarriers is called when threads have ended: barriers of the whole
// block no longer wait for them.
func (b *block) checkBarriers() {
	for i := range b.bars {
		b.checkBarrier(uint32(i))
	}
}

// checkBarrier completes a barrier at which all have arrived.
func (b *block) checkBarrier(id uint32) {
	bar := &b.bars[id]
	want := bar.expected
	if want == 0 {
		want = b.alive
	}
	if bar.arrived == 0 || bar.arrived < want {
		return
	}
	b.l.counters.Barriers++
	b.l.progress()
	b.epoch++
	b.races().completeBarrier(b)
	if bar.expected == 0 {
		b.sameBarrier(id)
	}
	for _, w := range b.warps {
		for _, sp := range w.splits {
			if sp.state != atBarrier || sp.bar != id {
				continue
			}
			in := &sp.fr.fn.code[sp.pc]
			if in.d != none {
				bar.result(in, sp)
			}
			sp.state = ready
			sp.pc++
		}
		w.mergeReady()
	}
	*bar = bar.fresh()
}

// mergeReady makes one split of those that a barrier has let go on from one place.
func (w *warp) mergeReady() {
	for i := 0; i < len(w.splits); i++ {
		if sp := w.splits[i]; sp.state == ready && len(w.splits) > 1 {
			w.merge(sp)
		}
	}
}

// result writes the value of bar.red for the lanes of sp.
func (b *bar) result(in *inst, sp *split) {
	truth := b.and
	switch in.sub {
	case barPopc:
		for m := sp.mask; m != 0; m &= m - 1 {
			sp.fr.regs[in.d+int32(bits.TrailingZeros32(m))] = uint64(b.popc)
		}
		return
	case barOr:
		truth = b.or
	}
	setPred(sp.fr.regs, in.d, sp.mask, truth)
}

// unblock is called when no split of the warp is ready. It tries, in this
// order: warp synchronisation whose lanes are all there; letting lanes go on
// that wait for lanes which wait for them. It reports barriers that only part
// of the warp has reached. It returns whether some split is ready now.
func (w *warp) unblock() bool {
	if len(w.splits) == 1 && w.splits[0].mask == w.alive && w.splits[0].state != atSync {
		return false // the warp as a whole is at a barrier
	}
	if w.syncWaiting() {
		return true
	}
	var barred, synced uint32
	var aligned *split
	pcs := map[int32]bool{}
	for _, sp := range w.splits {
		switch sp.state {
		case atBarrier:
			barred |= sp.mask
			if sp.fr.fn.code[sp.pc].aligned {
				aligned = sp
				pcs[sp.pc] = true
			}
		case atSync:
			synced |= sp.mask
		}
	}
	if aligned != nil && (barred != w.alive || len(pcs) > 1) {
		w.divergentBarrier(&aligned.fr.fn.code[aligned.pc], aligned.mask)
		return false
	}
	return synced != 0 && w.releaseAll()
}

func (w *warp) divergentBarrier(in *inst, m uint32) {
	w.faulted(in, device.DivergentBarrier, "lanes %#08x of the warp of %s are at %q, its other lanes %#08x are not",
		m, w.thread(bits.TrailingZeros32(m)), in.src, w.alive&^m)
}

func lowest(m uint32) int { return bits.TrailingZeros32(m) & 31 }

// setPred sets the predicate at index d for the lanes of m.
func setPred(regs []uint64, d int32, m uint32, value bool) {
	if value {
		regs[d] |= uint64(m)
	} else {
		regs[d] &^= uint64(m)
	}
}
