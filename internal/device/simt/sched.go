package simt

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"irgl/internal/device"
)

// A launch is one kernel launch, queued or under way.
type launch struct {
	d           *Device
	item        *item       // of its stream
	machine     MachineCall // the last one, whose memory the next takes
	k           *kernel
	grid, block device.Dim3
	tpb         uint32 // threads a block
	warpsPer    int    // warps a block
	params      []byte
	dynamic     uint32 // bytes of dynamic shared memory
	maxResident int
	cooperative bool
	takes       usage // of a multiprocessor by a block
	id          uint64
	from        *device.Origin // of a launch in device code

	order      []uint32 // clusters in the order of their start; nil when canonical
	first, end uint64   // the clusters that it executes: all, but for a group (parallel.go)
	next       uint64   // the number of the next cluster to start
	total      uint64   // blocks of the grid
	per        int      // blocks a cluster
	slots      []*block // resident blocks; nil where none
	rng        *rand.Rand
	frames     map[*function][]*frame // not in use
	stackSlots int                    // registers of all frames of device functions
	idle       []*buffer              // shared memory not in use
	spare      []*block               // blocks that have ended
	races      *raceState             // nil when races are not checked
	span       threads                // its threads, for the race detector
	bulks      []*bulk                // copies that nothing orders with it
	origin     *origin                // of a launch in device code that is not ordered behind its parent
	before     clock                  // what comes before it, for the race detector
	levels     []scope                // at which it tells threads apart
	executed   uint64                 // warp instructions
	changed    uint64                 // executed at the last change of memory
	polled     bool                   // since then, some thread may have polled
	active     uint64                 // executed at the last turn of a warp that did not merely poll
	fault      *Fault
	counters   device.Counters
	round      round
	worker     *worker      // that executes groups of it, nil for a launch as a whole
	attempt    *speculation // that is under way; nil for none
	gather     gather       // of the present access
	result     [32]uint64   // of a vector kernel, of which not all lanes are wanted
}

// A round gives every warp of every resident block a turn.
type round struct {
	slots, warps []int // the order of blocks, and of the warps of the present one; nil when canonical
	slot, warp   int   // how many had their turns
	ran          int   // instructions so far
	from         uint64
}

func newLaunch(d *Device, k *kernel, cfg device.Launch, resident int) *launch {
	l := &launch{d: d, k: k, grid: cfg.Grid.Norm(), block: cfg.Block.Norm(), dynamic: cfg.Shared, maxResident: resident, cooperative: cfg.Cooperative, from: cfg.Origin}
	l.params = append([]byte(nil), cfg.Params...)
	l.tpb = uint32(l.block.Count())
	l.warpsPer = int(l.tpb+31) / 32
	l.total, l.per = l.grid.Count(), int(k.cluster.Count())
	l.takes = usage{1, 32 * l.warpsPer, k.shared + uint64(cfg.Shared) + sharedReserved}
	l.id = d.launches
	d.launches++
	return l
}

// sharedSize is the shared memory of a block, dynamicBase the offset of its
// dynamic part.
func (l *launch) dynamicBase() uint64 { return alignUp(l.k.shared, 16) }

func (l *launch) sharedSize() uint64 {
	if l.dynamic == 0 {
		return l.k.shared
	}
	return l.dynamicBase() + uint64(l.dynamic)
}

// progress notes that memory changed or a thread ended: no deadlock.
func (l *launch) progress() { l.changed, l.active, l.polled = l.executed, l.executed, false }

func (l *launch) start() {
	l.frames = map[*function][]*frame{}
	l.races = l.d.sys.races.begin(l)
	l.schedule(l.id, 0, l.total/uint64(l.per))
}

// schedule has the clusters from first to end, exclusive, executed, in the order that a sequence of random numbers gives.
func (l *launch) schedule(sequence, first, end uint64) {
	l.rng = rand.New(rand.NewPCG(l.d.opts.Seed, sequence))
	l.first, l.next, l.end = first, first, end
	const permuteLimit = 1 << 24
	if l.d.opts.Seed != 0 && l.total <= permuteLimit {
		l.order = make([]uint32, end-first)
		for i, p := range l.rng.Perm(len(l.order)) {
			l.order[i] = uint32(first) + uint32(p)
		}
	}
	l.slots = make([]*block, min(uint64(l.maxResident), (end-first)*uint64(l.per)))
}

// fill starts clusters where all blocks of one find free slots, and room beside
// those of other launches.
func (l *launch) fill() {
	for i := 0; i < len(l.slots); i += l.per {
		slots := l.slots[i : i+l.per]
		if l.next == l.end || slices.ContainsFunc(slots, func(b *block) bool { return b != nil }) {
			continue
		}
		at, ok := l.place(i)
		if !ok {
			return
		}
		index := uint32(l.next)
		if l.order != nil {
			index = l.order[l.next-l.first]
		}
		l.next++
		group := &cluster{l: l, index: index}
		for rank := range slots {
			slots[rank] = newBlock(l, l.blockOf(index, uint32(rank)), at[rank], group)
		}
		group.blocks = slices.Clone(slots)
	}
}

// quantum returns how many instructions a warp's turn has.
func (l *launch) quantum() int {
	n := 512
	switch l.d.opts.Schedule {
	case Fine:
		n = 8
	case Medium:
		n = 64
	}
	if l.d.opts.Seed == 0 {
		return n
	}
	return 1 + l.rng.IntN(n)
}

// beginRound gives all warps a turn again.
func (l *launch) beginRound() {
	l.round = round{slots: l.permutation(len(l.slots)), from: l.executed}
	l.nextBlock()
}

// nextBlock goes on to the block whose warps have their turns now, if any is left.
func (l *launch) nextBlock() {
	for r := &l.round; r.slot < len(l.slots); r.slot++ {
		if b := l.slots[r.at()]; b != nil {
			r.warp, r.warps = 0, l.permutation(len(b.warps))
			return
		}
	}
}

// at returns the slot of the present block.
func (r *round) at() int {
	if r.slots != nil {
		return r.slots[r.slot]
	}
	return r.slot
}

// more reports whether warps are left in the round.
func (l *launch) more() bool { return l.round.slot < len(l.slots) }

// runWarp gives the next warp of the round its turn, and returns how many
// instructions it ran.
func (l *launch) runWarp() int {
	r := &l.round
	slot := r.at()
	b := l.slots[slot]
	i := r.warp
	if r.warps != nil {
		i = r.warps[i]
	}
	n := 0
	if w := b.warps[i]; !w.done() {
		n = w.run(l.quantum())
		l.executed += uint64(n)
		l.counters.Instructions += uint64(n)
		l.d.clock += uint64(n)
		r.ran += n
		if n > 0 && !w.polls {
			l.active = l.executed
		}
	}
	if r.warp++; r.warp == len(b.warps) && l.fault == nil {
		if b.alive == 0 {
			b.end()
			l.slots[slot] = nil
		}
		r.slot++
		l.nextBlock()
	}
	return n
}

// changedInRound reports whether the launch changed memory in this round.
func (l *launch) changedInRound() bool { return l.changed > l.round.from }

// endRound looks for the end of the launch, and for threads that wait for ever.
func (l *launch) endRound() (ended bool) {
	resident := slices.ContainsFunc(l.slots, func(b *block) bool { return b != nil })
	switch {
	case !resident && l.next == l.end:
		return true
	case resident && l.round.ran == 0 && !l.releaseAll():
		l.deadlock("all its threads wait")
	case l.executed > l.d.opts.MaxInstructions:
		l.endless()
	case l.polled && (l.executed-l.changed > l.d.opts.SpinLimit || l.executed-l.active > l.d.opts.SpinLimit/pollersOnly):
		l.deadlock("its threads poll memory that does not change")
	}
	return false
}

// pollersOnly is the part of [Options.SpinLimit] that suffices where all warps do nothing but read
// the same values again and again: computations may take long, and nobody waits for them then.
const pollersOnly = 16

// leave gives back what the resident blocks of a launch take.
func (l *launch) leave() {
	for i, b := range l.slots {
		if b != nil {
			l.d.sms[b.smid].remove(l.takes)
			l.slots[i] = nil
		}
	}
	for _, b := range l.spare {
		for _, w := range b.warps {
			l.frames[l.k.fn] = append(l.frames[l.k.fn], w.entry)
		}
	}
	l.k.keepFrames(l.frames)
	// The race detector may keep the launch.
	l.slots, l.order, l.frames, l.idle, l.spare, l.bulks = nil, nil, nil, nil, nil, nil
}

// permutation returns an order for n things, nil for the canonical one.
func (l *launch) permutation(n int) []int {
	if l.d.opts.Seed == 0 {
		return nil
	}
	return l.rng.Perm(n)
}

// releaseAll lets all lanes go on that wait for others of their warp: the
// last resort before a deadlock.
func (l *launch) releaseAll() bool {
	any := false
	for _, b := range l.slots {
		if b == nil {
			continue
		}
		for _, w := range b.warps {
			any = w.releaseAll() || any
		}
	}
	return any
}

// deadlock ends the launch, naming a thread that waits and where, and a kernel that
// waits for room, since what is polled may be its to write.
func (l *launch) deadlock(why string) {
	for _, s := range l.d.streams {
		if len(s.queue) == 0 {
			continue
		}
		if o := s.queue[0].launch; o != nil && o != l && o.next < o.end && (s.queue[0].begun || !o.fits()) {
			why += fmt.Sprintf(", and blocks of kernel %s in %s wait for room on the device", o.k.title(position{}), s.name())
			break
		}
	}
	l.stuck(CodeDeadlock, "deadlock: "+why)
}

// endless ends a launch that has run too many instructions.
func (l *launch) endless() {
	l.stuck(CodeTimeout, fmt.Sprintf("it has run %d warp instructions, more than the limit of %d", l.executed, l.d.opts.MaxInstructions))
}

// stuck ends a launch that does not end by itself, naming a thread and where it is.
func (l *launch) stuck(code, why string) {
	w, sp := l.someSplit()
	if w == nil {
		l.fail(nil, nil, Fault{Code: code}, "%s", why)
		return
	}
	in := sp.inst()
	w.enter(sp)
	l.fail(w, in, Fault{Code: code, At: w.near(in)}, "%s; %s is at %q", why, w.thread(lowest(sp.mask)), in.src)
}
