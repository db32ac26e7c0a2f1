package simt

import (
	"context"
	"math/rand/v2"
	"slices"

	"irgl/internal/device"
)

// A launch is one kernel launch under way.
type launch struct {
	d           *Device
	k           *kernel
	grid, block device.Dim3
	tpb         uint32 // threads a block
	warpsPer    int    // warps a block
	params      []byte
	dynamic     uint32 // bytes of dynamic shared memory
	maxResident int
	id          uint64

	started    bool
	order      []uint32 // clusters in the order of their start; nil when canonical
	next       uint64   // how many clusters have started
	total      uint64   // blocks
	per        int      // blocks a cluster
	slots      []*block // resident blocks; nil where none
	rng        *rand.Rand
	frames     map[*function][]*frame // not in use
	stackSlots int                    // registers of all frames of device functions
	idle       []*buffer              // shared memory not in use
	races      *raceState             // nil when races are not checked
	executed   uint64                 // warp instructions
	changed    uint64                 // executed at the last change of memory
	polled     bool                   // since then, some thread may have polled
	fault      *Fault
	before     device.Counters // the device's, when this launch began
}

func newLaunch(d *Device, k *kernel, cfg device.Launch, resident int) *launch {
	l := &launch{d: d, k: k, grid: cfg.Grid.Norm(), block: cfg.Block.Norm(), dynamic: cfg.Shared, maxResident: resident}
	l.params = append([]byte(nil), cfg.Params...)
	l.tpb = uint32(l.block.Count())
	l.warpsPer = int(l.tpb+31) / 32
	l.total, l.per = l.grid.Count(), int(k.cluster.Count())
	l.id = d.launches
	d.launches++
	d.counters.Launches++
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
func (l *launch) progress() { l.changed, l.polled = l.executed, false }

func (l *launch) start() {
	l.started = true
	l.rng = rand.New(rand.NewPCG(l.d.opts.Seed, l.id))
	l.frames = map[*function][]*frame{}
	if l.d.opts.CheckRaces && l.total*uint64(l.tpb) < 1<<32-1 {
		l.races = newRaceState(l)
	}
	const permuteLimit = 1 << 24
	if l.d.opts.Seed != 0 && l.total <= permuteLimit {
		l.order = make([]uint32, l.total/uint64(l.per))
		for i, p := range l.rng.Perm(len(l.order)) {
			l.order[i] = uint32(p)
		}
	}
	l.slots = make([]*block, min(uint64(l.maxResident), l.total))
	l.fill()
}

// fill starts clusters where all blocks of one find free slots.
func (l *launch) fill() {
	for i := 0; i < len(l.slots); i += l.per {
		slots := l.slots[i : i+l.per]
		if l.next*uint64(l.per) == l.total || slices.ContainsFunc(slots, func(b *block) bool { return b != nil }) {
			continue
		}
		index := uint32(l.next)
		if l.order != nil {
			index = l.order[l.next]
		}
		l.next++
		group := &cluster{l: l, index: index}
		for rank := range slots {
			slots[rank] = newBlock(l, l.blockOf(index, uint32(rank)), (i+rank)%l.d.info.Multiprocessors, group)
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

// do runs the launch to its end or to the context's.
func (l *launch) do(ctx context.Context) (bool, error) {
	if !l.started {
		l.start()
		l.before = l.d.counters
	}
	done, err := l.run(ctx)
	if done {
		c := l.d.counters.Sub(l.before)
		c.Launches = 1 // the device counts launches when they are queued
		name := l.k.Info().Name
		l.d.kernels[name] = l.d.kernels[name].Add(c)
	}
	return done, err
}

func (l *launch) run(ctx context.Context) (bool, error) {
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		ran, live := l.round()
		switch {
		case l.fault != nil:
			return true, l.fault
		case !live:
			return true, nil
		case ran == 0 && !l.releaseAll():
			l.deadlock("all its threads wait")
		case l.executed > l.d.opts.MaxInstructions:
			l.fail(nil, "", "", "it ran %d warp instructions, more than the budget", l.executed)
		case l.polled && l.executed-l.changed > l.d.opts.SpinLimit:
			l.deadlock("its threads poll memory that does not change")
		}
		if l.fault != nil {
			return true, l.fault
		}
	}
}

// round gives every warp of every resident block a turn. It returns how many
// instructions ran, and whether blocks are left.
func (l *launch) round() (ran int, live bool) {
	order := l.permutation(len(l.slots))
	for i := range l.slots {
		j := i
		if order != nil {
			j = order[i]
		}
		b := l.slots[j]
		if b == nil {
			continue
		}
		ran += l.turns(b)
		if l.fault != nil {
			return ran, true
		}
		if b.alive == 0 {
			b.end()
			l.slots[j] = nil
		}
	}
	l.fill()
	for _, b := range l.slots {
		if b != nil {
			return ran, true
		}
	}
	return ran, false
}

// turns runs each warp of a block.
func (l *launch) turns(b *block) int {
	ran := 0
	order := l.permutation(len(b.warps))
	for i := range b.warps {
		w := b.warps[i]
		if order != nil {
			w = b.warps[order[i]]
		}
		if w.done() {
			continue
		}
		n := w.run(l.quantum())
		ran += n
		l.executed += uint64(n)
		l.d.counters.Instructions += uint64(n)
		l.d.clock += uint64(n)
		if l.fault != nil {
			break
		}
	}
	return ran
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

// deadlock ends the launch, naming a thread that waits and where.
func (l *launch) deadlock(why string) {
	for _, b := range l.slots {
		if b == nil {
			continue
		}
		for _, w := range b.warps {
			for _, sp := range w.splits {
				in := &sp.fr.fn.code[sp.pc]
				l.fail(in, "", "", "deadlock: %s; %s is at %q", why, w.thread(lowest(sp.mask)), in.src)
				return
			}
		}
	}
	l.fail(nil, "", "", "deadlock: %s", why)
}
