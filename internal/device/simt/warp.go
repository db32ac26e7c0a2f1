package simt

import (
	"math/bits"

	"irgl/internal/device"
)

const fullMask = 0xffffffff

// A warp executes 32 threads. Its lanes are partitioned into splits, each a
// set of lanes with one program counter; a warp that has not diverged has one
// split. A divergent branch makes two splits, which run in turns, so that a
// lane that waits for another lane of its warp does not hang, and a convergence
// point ([conv]) where they become one again.
type warp struct {
	l     *launch
	b     *block
	id    int    // in the block
	first uint32 // number of lane 0's thread in the block
	alive uint32 // lanes that have not ended

	splits  []*split
	root    split   // the first of them
	cur     int     // index of the split whose turn it is
	waiting []*conv // where lanes have arrived and wait for others
	count   uint64  // instructions executed
	polled  uint64  // count at the last instruction that may poll
	poll    poll    // that instruction
	idle    bool    // the split that ran last gave up its turn, since it polls
	polls   bool    // the warp's last turn ended since all that it could run polls
	// loose says that lanes went on without others with which they were to
	// reconverge, and may since have merged with them in another iteration of a
	// loop. A GPU does not do so, so a uniform branch at which they diverge is no
	// fault.
	loose bool

	fr   *frame // of the running split
	regs []uint64
	init []uint32

	tid    [3][32]uint32
	cc     uint32     // carry flags
	entry  *frame     // the kernel's
	local  [32][]byte // local memory and stack of each lane
	wrote  [32][]byte // 1 for each byte of it that was written; empty when unchecked
	grown  bool       // some lane has some
	sync   [32]*threadSync
	synced bool // some lane has one
	met    clusterLanes
	warps  *warpSync // bar.warp.sync, for the race detector
}

// A split is a set of lanes that execute together.
type split struct {
	pc    int32
	mask  uint32
	fr    *frame
	top   *conv // innermost convergence point that the lanes have to reach
	state splitState
	bar   uint32 // barrier that it waits at
	turn  int    // instructions since its turn began
}

// A poll is a read that a waiting loop may be polling with, and how often in
// a row the warp has executed just that one and found the same value.
type poll struct {
	in          *inst
	addr, value uint64
	again       int
}

type splitState uint8

const (
	ready splitState = iota
	atBarrier
	atCluster
	atSync
)

// A conv is a convergence point: the lanes in expected reconverge at pc before they
// go on. Lanes that end are no longer expected. Lanes that have waited long
// while others poll are let go on (release), since the others may be waiting
// for them.
type conv struct {
	pc       int32
	fr       *frame
	expected uint32
	arrived  uint32
	parent   *conv
	since    uint64 // count of the warp when the first lanes arrived
}

// A frame is the registers and the place of the local variables of a function
// that some lanes of the warp execute.
type frame struct {
	fn     *function
	regs   []uint64 // slot*32+lane
	init   []uint32 // by slot: which lanes have written it
	base   int      // of its variables in each lane's local memory
	caller *frame
	ret    int32
	call   *callInfo
	depth  int
}

// patience is how many instructions lanes wait at a convergence point before
// they go on alone: few when the others seem to poll.
const (
	patiencePolling = 256
	patience        = 50000
	recentPoll      = 64 // instructions since the last polling read
)

// idlePolls is how many reads of the same value in a row make a loop one that
// waits; it then runs once in each of the warp's turns, so that waiting does
// not take the time of those that are waited for. A turn given up counts
// idlePatience instructions for the lanes that wait at a convergence point.
const (
	idlePolls    = 3
	idlePatience = 32
)

// turn is how many instructions a split of a diverged warp runs before it
// yields at a backward branch.
const turn = 32

func newWarp(b *block, id int) *warp {
	l := b.l
	w := &warp{l: l, b: b, id: id, first: uint32(id * 32)}
	for i := range w.threads() {
		c := l.threadCoords(w.first + i)
		for d := range 3 {
			w.tid[d][i] = c[d]
		}
	}
	w.entry = w.newFrame(l.k.fn)
	return w
}

// threads returns how many threads the warp has.
func (w *warp) threads() uint32 { return min(32, w.l.tpb-w.first) }

// begin starts a warp, one of a block that has ended, or a new one.
func (w *warp) begin() {
	w.alive = uint32(1)<<w.threads() - 1
	w.root = split{mask: w.alive, fr: w.entry}
	w.splits, w.waiting = append(w.splits[:0], &w.root), w.waiting[:0]
	w.cur, w.count, w.polled, w.poll, w.idle, w.polls, w.loose = 0, 0, 0, poll{}, false, false, false
	w.cc, w.met, w.warps = 0, clusterLanes{}, nil
	if w.synced {
		w.sync, w.synced = [32]*threadSync{}, false
	}
	if w.grown {
		for i := range w.local {
			w.local[i], w.wrote[i] = w.local[i][:0], w.wrote[i][:0]
		}
		w.grown = false
	}
	w.entry.renew()
	if w.l.worker != nil {
		w.entry.forget()
	}
	w.grow(w.entry, w.alive)
}

// forget clears the registers that may be read before they are written: what they hold is of another block, which one is left open
// where groups of blocks are executed at the same time.
func (fr *frame) forget() {
	for _, slot := range fr.fn.doubtful {
		clear(fr.regs[slot*32 : slot*32+32])
	}
}

// renew marks the frame's registers as not written, save for its constants.
func (fr *frame) renew() {
	if fr.init == nil {
		return
	}
	clear(fr.init)
	for _, c := range fr.fn.consts {
		fr.init[c.slot] = fullMask
	}
}

// newFrame makes a frame for fn with its constants in place.
func (w *warp) newFrame(fn *function) *frame {
	if list := w.l.frames[fn]; len(list) > 0 {
		fr := list[len(list)-1]
		w.l.frames[fn] = list[:len(list)-1]
		fr.renew()
		if w.l.worker != nil {
			fr.forget()
		}
		fr.caller, fr.call, fr.base, fr.depth = nil, nil, 0, 0
		return fr
	}
	fr := w.l.k.takeFrame(fn)
	if !fn.entry {
		w.l.stackSlots += fn.slots
	}
	if w.l.d.opts.CheckUninitialised && fr.init == nil {
		fr.init = make([]uint32, fn.slots)
	}
	for _, c := range fn.consts {
		for i := range 32 {
			fr.regs[int(c.slot)*32+i] = c.value
		}
		if fr.init != nil {
			fr.init[c.slot] = fullMask
		}
	}
	return fr
}

// keptSlots bounds the registers that a kernel keeps for its next launches, 256
// bytes each.
const keptSlots = 1 << 14

// takeFrame returns a frame of zeros for fn, one of an earlier launch if there is one.
func (k *kernel) takeFrame(fn *function) *frame {
	list := k.frames[fn]
	if len(list) == 0 {
		return &frame{fn: fn, regs: make([]uint64, fn.slots*32)}
	}
	fr := list[len(list)-1]
	k.frames[fn] = list[:len(list)-1]
	k.kept -= fn.slots
	clear(fr.regs)
	clear(fr.init)
	*fr = frame{fn: fn, regs: fr.regs, init: fr.init}
	return fr
}

// keepFrames takes over the frames of a launch that has ended.
func (k *kernel) keepFrames(frames map[*function][]*frame) {
	if k.frames == nil {
		k.frames = map[*function][]*frame{}
	}
	for fn, list := range frames {
		for _, fr := range list {
			if k.kept+fn.slots > keptSlots {
				break
			}
			k.kept += fn.slots
			k.frames[fn] = append(k.frames[fn], fr)
		}
	}
}

// grow makes room for the frame's variables in the lanes of mask, marking
// them as not written.
func (w *warp) grow(fr *frame, mask uint32) {
	end := fr.base + fr.fn.localSize
	if end == fr.base {
		return
	}
	w.grown = true
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		if len(w.local[i]) < end {
			w.local[i] = append(w.local[i], make([]byte, end-len(w.local[i]))...)
		}
		if w.l.d.opts.CheckUninitialised {
			if len(w.wrote[i]) < end {
				w.wrote[i] = append(w.wrote[i], make([]byte, end-len(w.wrote[i]))...)
			}
			clear(w.wrote[i][fr.base:end])
		}
	}
}

// enter makes sp the running split.
func (w *warp) enter(sp *split) {
	w.fr, w.regs, w.init = sp.fr, sp.fr.regs, sp.fr.init
}

// done reports whether all lanes have ended.
func (w *warp) done() bool { return w.alive == 0 }

// run executes at most budget instructions and returns how many it did; zero
// means that the warp has ended or is blocked.
func (w *warp) run(budget int) int {
	n, idle := 0, 0
	w.polls = false
	for n < budget && w.l.fault == nil {
		sp := w.pick()
		if sp == nil {
			break
		}
		n += w.execute(sp, budget-n)
		if !w.idle {
			idle = 0
			continue
		}
		w.idle = false
		if idle++; idle >= w.ready() {
			if len(w.waiting) > 0 {
				w.count += idlePatience
			}
			w.polls = true
			break
		}
	}
	return n
}

// ready returns how many splits could run.
func (w *warp) ready() int {
	n := 0
	for _, sp := range w.splits {
		if sp.state == ready {
			n++
		}
	}
	return n
}

// polling executes a read that a waiting loop may be polling with, the n-th
// instruction since count.
func (w *warp) polling(in *inst, m uint32, n int) {
	w.polled, w.l.polled = w.count+uint64(n), true
	lane := lowest(m)
	addr := in.address(w, lane) // the read may overwrite its register
	in.run(w, in, m)
	d := in.d
	if len(in.ds) > 0 {
		d = in.ds[0]
	}
	value := uint64(0)
	if d != none {
		value = w.regs[d+int32(lane)]
	}
	if p := &w.poll; p.in == in && p.addr == addr && p.value == value {
		p.again++
	} else {
		w.poll = poll{in: in, addr: addr, value: value}
	}
}

// pick returns the split to run next, or nil when none can.
func (w *warp) pick() *split {
	for {
		n := len(w.splits)
		for i := range n {
			j := (w.cur + i) % n
			if w.splits[j].state == ready {
				w.cur = j
				return w.splits[j]
			}
		}
		if n == 0 || !w.unblock() {
			return nil
		}
	}
}

// remove takes sp out of the warp's splits.
func (w *warp) remove(sp *split) {
	for i, s := range w.splits {
		if s == sp {
			w.splits = append(w.splits[:i], w.splits[i+1:]...)
			if w.cur >= len(w.splits) {
				w.cur = 0
			}
			return
		}
	}
}

// merge joins sp with other ready splits at the same place.
func (w *warp) merge(sp *split) {
	for i := 0; i < len(w.splits); i++ {
		o := w.splits[i]
		if o != sp && o.state == ready && o.pc == sp.pc && o.fr == sp.fr && o.top == sp.top {
			sp.mask |= o.mask
			w.remove(o)
			i = -1
		}
	}
}

// arrive takes sp to its convergence point. The last lanes to arrive
// wake the others.
func (w *warp) arrive(sp *split) {
	c := sp.top
	if c.arrived == 0 {
		c.since = w.count
		w.waiting = append(w.waiting, c)
	}
	c.arrived |= sp.mask
	w.remove(sp)
	w.settle(c)
}

// settle makes the lanes at c one split if all have arrived.
func (w *warp) settle(c *conv) {
	if c.arrived == 0 || c.arrived != c.expected {
		return
	}
	w.forget(c)
	sp := &split{pc: c.pc, mask: c.arrived, fr: c.fr, top: c.parent}
	w.splits = append(w.splits, sp)
	w.cur = len(w.splits) - 1
}

func (w *warp) forget(c *conv) {
	for i, o := range w.waiting {
		if o == c {
			w.waiting = append(w.waiting[:i], w.waiting[i+1:]...)
			return
		}
	}
}

// release lets the lanes that wait at c go on without the others.
func (w *warp) release(c *conv) {
	w.forget(c)
	w.loose = true
	mask := c.arrived
	c.expected &^= mask
	c.arrived = 0
	w.splits = append(w.splits, &split{pc: c.pc, mask: mask, fr: c.fr, top: c.parent})
}

// releaseAll releases every convergence point; false when there is none.
func (w *warp) releaseAll() bool {
	if len(w.waiting) == 0 {
		return false
	}
	for len(w.waiting) > 0 {
		w.release(w.waiting[0])
	}
	return true
}

// releasePatient releases the points whose lanes have waited too long.
func (w *warp) releasePatient() {
	limit := uint64(patience)
	if w.count-w.polled < recentPoll {
		limit = patiencePolling
	}
	for i := 0; i < len(w.waiting); {
		if c := w.waiting[i]; w.count-c.since > limit {
			w.release(c)
			continue
		}
		i++
	}
}

// exit ends the lanes of mask, which belong to sp.
func (w *warp) exit(sp *split, mask uint32) {
	w.alive &^= mask
	sp.mask &^= mask
	for c := sp.top; c != nil; c = c.parent {
		c.expected &^= mask
	}
	top := sp.top
	if sp.mask == 0 {
		w.remove(sp)
	}
	for c := top; c != nil; c = c.parent {
		w.settle(c)
	}
	w.b.alive -= bits.OnesCount32(mask)
	w.l.progress()
	w.b.checkBarriers()
	w.met.leave(mask)
	w.b.group.check()
}

// execute runs sp for at most budget instructions: until it ends, waits,
// arrives, or yields to another split.
func (w *warp) execute(sp *split, budget int) int {
	w.enter(sp)
	code := sp.fr.fn.code
	checked := w.init != nil
	n := 0
	defer func() {
		w.count += uint64(n)
		sp.turn += n
	}()
	for n < budget {
		if c := sp.top; c != nil && c.pc == sp.pc && c.fr == sp.fr {
			w.arrive(sp)
			return n
		}
		in := &code[sp.pc]
		m := sp.mask
		if in.straight > 1 {
			n += w.runStraight(sp, code[sp.pc:], min(int(in.straight), budget-n))
			if w.l.fault != nil {
				return n
			}
			continue
		}
		if in.guard != none {
			m = w.guarded(in, m)
		}
		n++
		if in.ctl == ctlBranch {
			back := in.target <= sp.pc
			if in.sub == 0 {
				w.l.counters.Branches++
			}
			switch m {
			case sp.mask:
				sp.pc = in.target
			case 0:
				sp.pc, back = sp.pc+1, false
			default:
				w.fork(sp, in, in.target, m)
				return n
			}
			if back && w.giveWay(sp, n) {
				return n
			}
			continue
		}
		if m == 0 {
			sp.pc++
			continue
		}
		if checked && len(in.checks)+len(in.marks) > 0 {
			w.checkReads(in, m)
		}
		switch in.ctl {
		case ctlData:
			in.run(w, in, m)
			sp.pc++
		case ctlMemory:
			if in.spin {
				w.polling(in, m, n)
			} else {
				in.run(w, in, m)
			}
			if w.l.fault != nil {
				return n
			}
			sp.pc++
		case ctlIndexed:
			w.indexed(sp, in, m)
			return n
		case ctlCall:
			w.call(sp, in, m)
			return n
		case ctlEnd:
			w.finish(sp)
			return n
		case ctlExit:
			if m != sp.mask {
				sp.pc++
			}
			w.exit(sp, m)
			return n
		case ctlTrap:
			w.failedAs(CodeTrap, in, "trap in %s", w.thread(bits.TrailingZeros32(m)))
			return n
		case ctlBarrier:
			w.barrier(sp, in, m)
			return n
		case ctlSync:
			if !w.syncNow(sp, in, m) {
				return n
			}
		case ctlYield:
			sp.pc++
			w.yield(sp, n)
			return n
		}
	}
	return n
}

// guarded returns the lanes of m that an instruction's guard lets execute it.
func (w *warp) guarded(in *inst, m uint32) uint32 {
	p := uint32(w.regs[in.guard])
	if w.init != nil && !in.known && w.init[in.guard/32]&m != m {
		w.uninitialisedRegister(in, in.guard/32, m)
	}
	if in.guardNot {
		p = ^p
	}
	return m & p
}

// giveWay ends sp's turn at a backward branch, after n more instructions, if it
// waits or has run for long, and reports whether it did.
func (w *warp) giveWay(sp *split, n int) bool {
	w.idle = w.poll.again >= idlePolls && w.l.polled
	if !w.idle && (sp.turn+n < turn || len(w.splits) == 1 && len(w.waiting) == 0) {
		return false
	}
	w.yield(sp, n)
	return true
}

// yield gives another split its turn and looks for lanes that waited long.
func (w *warp) yield(sp *split, n int) {
	if len(w.waiting) > 0 {
		w.count += uint64(n)
		w.releasePatient()
		w.count -= uint64(n)
	}
	w.merge(sp)
	sp.turn = -n
	for i, s := range w.splits {
		if s == sp {
			w.cur = (i + 1) % len(w.splits)
		}
	}
}

// checkReads reports registers of in that lanes of m read before any write,
// and records what in writes, where that is not known beforehand.
func (w *warp) checkReads(in *inst, m uint32) {
	for _, s := range in.checks {
		if w.init[s]&m != m {
			w.uninitialisedRegister(in, s, m)
		}
	}
	for _, s := range in.marks {
		w.init[s] |= m
	}
}

func (w *warp) uninitialisedRegister(in *inst, slot int32, m uint32) {
	missing := m &^ w.init[slot]
	w.init[slot] |= missing // once is enough
	if missing == 0 {
		return
	}
	lane := bits.TrailingZeros32(missing)
	if from := w.shuffled(slot); from != nil {
		w.inactive(in, from, lane)
		return
	}
	w.uninitialised(in, "", "%s reads a register that it has not written in %q", w.thread(lane), in.src)
}

// fork splits sp at a divergent branch: the lanes of m go to target, the
// others fall through. The two reconverge at the branch's reconvergence point.
func (w *warp) fork(sp *split, in *inst, target int32, m uint32) {
	if in.sub == 0 {
		w.l.counters.DivergentBranches++
	}
	if in.aligned && !w.loose {
		w.faulted(in, device.DivergentBranch, "lanes %#08x of the warp of %s take %q, and lanes %#08x do not",
			m, w.thread(bits.TrailingZeros32(m)), in.src, sp.mask&^m)
		return
	}
	w.converge(sp, in)
	taken := &split{pc: target, mask: m, fr: sp.fr, top: sp.top}
	sp.mask &^= m
	sp.pc++
	w.splits = append(w.splits, taken)
	if w.l.d.opts.Seed != 0 && w.l.rng.IntN(2) == 1 {
		w.cur = len(w.splits) - 1 // the taken side goes first
	}
}

// converge gives sp the convergence point of a divergent branch. In a loop
// all turns share one.
func (w *warp) converge(sp *split, in *inst) {
	if in.reconv == none {
		return
	}
	if t := sp.top; t != nil && t.pc == in.reconv && t.fr == sp.fr {
		return
	}
	sp.top = &conv{pc: in.reconv, fr: sp.fr, expected: sp.mask, parent: sp.top}
}

// indexed executes brx.idx: one split for each target in use.
func (w *warp) indexed(sp *split, in *inst, m uint32) {
	w.l.counters.Branches++
	groups := map[int32]uint32{}
	var order []int32
	for r := m; r != 0; r &= r - 1 {
		i := bits.TrailingZeros32(r)
		v := uint32(w.regs[in.a+int32(i)])
		if int(v) >= len(in.targets) {
			w.failed(in, "%s: index %d of brx.idx is out of its %d targets", w.thread(i), v, len(in.targets))
			return
		}
		t := in.targets[v]
		if groups[t] == 0 {
			order = append(order, t)
		}
		groups[t] |= uint32(1) << i
	}
	if rest := sp.mask &^ m; rest != 0 {
		if groups[sp.pc+1] == 0 {
			order = append(order, sp.pc+1)
		}
		groups[sp.pc+1] |= rest
	}
	if len(order) > 1 {
		w.l.counters.DivergentBranches++
		w.converge(sp, in)
	}
	for _, t := range order[1:] {
		w.splits = append(w.splits, &split{pc: t, mask: groups[t], fr: sp.fr, top: sp.top})
	}
	sp.pc, sp.mask = order[0], groups[order[0]]
}
