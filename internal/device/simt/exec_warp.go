package simt

import (
	"math/bits"
)

// The operations among lanes, in inst.sub.
const (
	syncWarp uint8 = iota
	shflUp
	shflDown
	shflBfly
	shflIdx
	voteAll
	voteAny
	voteUni
	voteBallot
)

// syncNow executes a .sync instruction if all the lanes of its mask are here,
// and else makes sp wait for them. It returns whether sp can go on.
func (w *warp) syncNow(sp *split, in *inst, m uint32) bool {
	if m != sp.mask {
		// A guarded one: the other lanes go on without it.
		w.splits = append(w.splits, &split{pc: sp.pc + 1, mask: sp.mask &^ m, fr: sp.fr, top: sp.top})
		sp.mask = m
	}
	want, same := w.memberMask(in, m)
	if want&m != m {
		w.misused(in, wrongMask, "%s: the member mask %#08x of %q lacks the thread itself", w.thread(lowest(m&^want)), want, in.src)
		return false
	}
	if same && want&w.alive == m {
		w.runSync(in, m)
		sp.pc++
		return w.l.fault == nil
	}
	sp.state = atSync
	return false
}

// memberMask returns the mask that the first lane of m names; same is whether
// all name it.
func (w *warp) memberMask(in *inst, m uint32) (mask uint32, same bool) {
	if m == fullMask {
		all := uint64(fullMask)
		for _, v := range lanes(w.regs, in.mask) {
			all &= v
		}
		if uint32(all) == fullMask {
			return fullMask, true
		}
	}
	first := uint32(w.regs[in.mask+int32(lowest(m))])
	mask, same = 0, true
	for r := m; r != 0; r &= r - 1 {
		i := lowest(r)
		v := uint32(w.regs[in.mask+int32(i)])
		if v>>i&1 == 0 {
			return v &^ (1 << i), false // lacks the lane itself
		}
		same = same && v == first
		mask |= v
	}
	return mask, same
}

func (w *warp) runSync(in *inst, m uint32) {
	if in.sub == syncWarp && in.run == nil {
		w.races().warpSync(w, m)
		return
	}
	in.run(w, in, m)
}

// syncWaiting executes the .sync instructions for which all lanes of a mask
// wait by now; it returns whether there was one. Lanes that wait at one place
// but name different masks form groups of their own.
func (w *warp) syncWaiting() bool {
	done := false
	for i := 0; i < len(w.splits); i++ {
		sp := w.splits[i]
		if sp.state != atSync {
			continue
		}
		in := &sp.fr.fn.code[sp.pc]
		w.enter(sp)
		want := uint32(w.regs[in.mask+int32(lowest(sp.mask))]) & w.alive
		if w.syncGroup(sp, in, want) {
			done = true
			i = -1
		}
	}
	return done
}

// syncGroup executes in for the lanes of want if they all wait with that mask:
// at this instruction, or, for bar.warp.sync, at any.
func (w *warp) syncGroup(sp *split, in *inst, want uint32) bool {
	var have uint32
	var group []*split
	apart := false // lanes called the function at different times
	for _, o := range w.splits {
		if o.state != atSync || o.mask&want == 0 {
			continue
		}
		oin := &o.fr.fn.code[o.pc]
		isSync := in.run == nil && oin.run == nil
		if !isSync && (o.pc != sp.pc || o.fr.fn != sp.fr.fn) {
			continue
		}
		apart = apart || !isSync && o.fr != sp.fr
		var agree uint32
		for r := o.mask & want; r != 0; r &= r - 1 {
			if i := lowest(r); uint32(o.fr.regs[oin.mask+int32(i)])&w.alive == want {
				agree |= 1 << i
			}
		}
		if agree != 0 {
			have |= agree
			group = append(group, o)
		}
	}
	if have != want {
		return false
	}
	if apart {
		w.syncApart(in, want, group)
	} else {
		w.runSync(in, want)
	}
	for _, o := range group {
		if rest := o.mask &^ want; rest != 0 {
			w.splits = append(w.splits, &split{pc: o.pc, mask: rest, fr: o.fr, top: o.top, state: atSync})
			o.mask &= want
		}
		o.state = ready
		o.pc++
	}
	for _, o := range group {
		if o.mask != 0 && o.state == ready {
			w.mergeGroup(o)
		}
	}
	return true
}

// syncApart executes in for the lanes of want, which are in several frames of
// one function: the operands are brought together, and the results back.
func (w *warp) syncApart(in *inst, want uint32, group []*split) {
	regs := make([]uint64, len(w.regs))
	var init []uint32
	if w.init != nil {
		init = make([]uint32, len(w.init))
	}
	isVote := in.sub >= voteAll // its operand is a predicate: a bit for each lane in one word
	for _, o := range group {
		m := o.mask & want
		if init != nil {
			init[in.d/32] |= o.fr.init[in.d/32] & m
		}
		for _, at := range []int32{in.a, in.b, in.c, in.mask} {
			if at == none || isVote && at == in.a {
				continue
			}
			for r := m; r != 0; r &= r - 1 {
				regs[at+int32(lowest(r))] = o.fr.regs[at+int32(lowest(r))]
			}
			if init != nil {
				init[at/32] |= o.fr.init[at/32] & m
			}
		}
	}
	if isVote {
		regs[in.a] = 0
		for _, o := range group {
			regs[in.a] |= o.fr.regs[in.a] & uint64(o.mask&want)
		}
	}
	w.regs, w.init = regs, init
	w.runSync(in, want)
	predicate := isVote && in.sub != voteBallot
	for _, o := range group {
		m := o.mask & want
		mix := func(at int32) { o.fr.regs[at] = o.fr.regs[at]&^uint64(m) | regs[at]&uint64(m) }
		if predicate {
			mix(in.d)
		}
		for r := m; r != 0 && !predicate; r &= r - 1 {
			o.fr.regs[in.d+int32(lowest(r))] = regs[in.d+int32(lowest(r))]
		}
		if in.e != none {
			mix(in.e)
		}
		if init != nil {
			o.fr.init[in.d/32] = o.fr.init[in.d/32]&^m | init[in.d/32]&m
		}
	}
	w.enter(group[0])
}

// mergeGroup joins o with the splits at its place, if it is still there.
func (w *warp) mergeGroup(o *split) {
	for _, s := range w.splits {
		if s == o {
			w.merge(o)
			return
		}
	}
}

// runShuffle executes shfl.sync for the lanes of m. A lane whose source is
// out of its segment keeps its own value; a source that does not take part
// has an undefined value in PTX, and its present one here. Where the lane is named, by shfl.idx, the
// value counts as unwritten; in shuffles up, down and by xor some lanes read such values that nothing uses.
func runShuffle(w *warp, in *inst, m uint32) {
	src := *lanes(w.regs, in.a)
	d := lanes(w.regs, in.d)
	var pred, known uint32
	for r := m; r != 0; r &= r - 1 {
		i := lowest(r)
		b, c := int(w.regs[in.b+int32(i)]&31), w.regs[in.c+int32(i)]
		clamp, seg := int(c&31), int(c>>8&31)
		maxLane := i&seg | clamp&^seg
		minLane := i & seg
		j, ok := 0, false
		switch in.sub {
		case shflUp:
			j = i - b
			ok = j >= maxLane
		case shflDown:
			j = i + b
			ok = j <= maxLane
		case shflBfly:
			j = i ^ b
			ok = j <= maxLane
		case shflIdx:
			j = minLane | b&^seg
			ok = j <= maxLane
		}
		if !ok {
			j = i
		} else {
			pred |= 1 << i
		}
		d[i] = src[j&31]
		if w.init != nil {
			known |= w.init[in.a/32] >> (j & 31) & 1 << i
			if in.sub == shflIdx && m>>(j&31)&1 == 0 {
				known &^= 1 << i
			}
		}
	}
	if w.init != nil {
		w.init[in.d/32] = w.init[in.d/32]&^m | known
	}
	if in.e != none {
		w.regs[in.e] = uint64(uint32(w.regs[in.e])&^m | pred)
	}
}

func runVote(w *warp, in *inst, m uint32) {
	p := uint32(w.regs[in.a]) & m
	switch in.sub {
	case voteAll:
		setPred(w.regs, in.d, m, p == m)
	case voteAny:
		setPred(w.regs, in.d, m, p != 0)
	case voteUni:
		setPred(w.regs, in.d, m, p == 0 || p == m)
	case voteBallot:
		for r := m; r != 0; r &= r - 1 {
			w.regs[in.d+int32(lowest(r))] = uint64(p)
		}
	}
}

// runMatch executes match.sync.any (sub 0) and .all (sub 1).
func runMatch(w *warp, in *inst, m uint32) {
	a := *lanes(w.regs, in.a)
	all := true
	for r := m; r != 0; r &= r - 1 {
		i := lowest(r)
		var same uint32
		for q := m; q != 0; q &= q - 1 {
			if j := lowest(q); a[i] == a[j] {
				same |= 1 << j
			}
		}
		all = all && same == m
		w.regs[in.d+int32(i)] = uint64(same)
	}
	if in.sub == 0 {
		return
	}
	for r := m; r != 0; r &= r - 1 {
		v := uint64(m)
		if !all {
			v = 0
		}
		w.regs[in.d+int32(lowest(r))] = v
	}
	if in.e != none {
		setPred(w.regs, in.e, m, all)
	}
}

// runRedux combines a value of all lanes of m.
func runRedux(w *warp, in *inst, m uint32) {
	a := lanes(w.regs, in.a)
	v := a[bits.TrailingZeros32(m)&31]
	for r := m & (m - 1); r != 0; r &= r - 1 {
		v = in.f2(v, a[lowest(r)])
	}
	for r := m; r != 0; r &= r - 1 {
		w.regs[in.d+int32(lowest(r))] = v
	}
}
