package simt

import (
	"math/bits"
	"strings"
)

// lanes returns the 32 values of the register at index i.
func lanes(regs []uint64, i int32) *[32]uint64 { return (*[32]uint64)(regs[i : i+32]) }

func runNothing(*warp, *inst, uint32) {}

func runUnary(w *warp, in *inst, m uint32) {
	d, a, f := lanes(w.regs, in.d), lanes(w.regs, in.a), in.f1
	for ; m != 0; m &= m - 1 {
		i := lowest(m)
		d[i] = f(a[i])
	}
}

func runBinary(w *warp, in *inst, m uint32) {
	d, a, b, f := lanes(w.regs, in.d), lanes(w.regs, in.a), lanes(w.regs, in.b), in.f2
	for ; m != 0; m &= m - 1 {
		i := lowest(m)
		d[i] = f(a[i], b[i])
	}
}

func runTernary(w *warp, in *inst, m uint32) {
	d, a, b, c, f := lanes(w.regs, in.d), lanes(w.regs, in.a), lanes(w.regs, in.b), lanes(w.regs, in.c), in.f3
	for ; m != 0; m &= m - 1 {
		i := lowest(m)
		d[i] = f(a[i], b[i], c[i])
	}
}

func runMov(w *warp, in *inst, m uint32) {
	if w.init != nil && !in.sound {
		w.init[in.d/32] = w.init[in.d/32]&^m | w.init[in.a/32]&m
	}
	d, a := lanes(w.regs, in.d), lanes(w.regs, in.a)
	if lo, hi, ok := laneRange(m); ok {
		copy(d[lo:hi], a[lo:hi])
		return
	}
	blend(d, a, m)
}

// writePred stores the lanes of m of a predicate: value at d, and its
// complement at e unless e is none.
func writePred(w *warp, in *inst, m, value uint32) {
	w.regs[in.d] = uint64(uint32(w.regs[in.d])&^m | value&m)
	if in.e != none {
		w.regs[in.e] = uint64(uint32(w.regs[in.e])&^m | ^value&m)
	}
}

// runSetp compares, combines the result with predicate c, and stores it and
// the combination of its complement.
func runSetp(w *warp, in *inst, m uint32) {
	a, b, f := lanes(w.regs, in.a), lanes(w.regs, in.b), in.fc
	var t uint32
	for r := m; r != 0; r &= r - 1 {
		i := lowest(r)
		if f(a[i], b[i]) {
			t |= 1 << i
		}
	}
	if in.logic == 0 {
		writePred(w, in, m, t)
		return
	}
	c := uint32(w.regs[in.c])
	w.regs[in.d] = uint64(uint32(w.regs[in.d])&^m | combine(in.logic, t, c)&m)
	if in.e != none {
		w.regs[in.e] = uint64(uint32(w.regs[in.e])&^m | combine(in.logic, ^t, c)&m)
	}
}

func combine(logic byte, t, c uint32) uint32 {
	switch logic {
	case 'a':
		return t & c
	case 'o':
		return t | c
	case 'x':
		return t ^ c
	}
	return t
}

func runSet(w *warp, in *inst, m uint32) {
	d, a, b := lanes(w.regs, in.d), lanes(w.regs, in.a), lanes(w.regs, in.b)
	var c uint32
	if in.logic != 0 {
		c = uint32(w.regs[in.c])
	}
	for ; m != 0; m &= m - 1 {
		i := lowest(m)
		var t uint32
		if in.fc(a[i], b[i]) {
			t = 1
		}
		d[i] = 0
		if combine(in.logic, t, c>>i&1)&1 != 0 {
			d[i] = uint64(in.off)
		}
	}
}

func runSelp(w *warp, in *inst, m uint32) {
	d, a, b, p := lanes(w.regs, in.d), lanes(w.regs, in.a), lanes(w.regs, in.b), uint32(w.regs[in.c])
	if hasVectors {
		r := &w.l.result
		*r = *b
		blend(r, a, p)
		blend(d, r, m)
		return
	}
	for ; m != 0; m &= m - 1 {
		i := lowest(m)
		if p>>i&1 != 0 {
			d[i] = a[i]
		} else {
			d[i] = b[i]
		}
	}
}

func runPredNot(w *warp, in *inst, m uint32) { w.regs[in.d] = uint64(^uint32(w.regs[in.a])) }

// runPredLogic executes and, or, xor, not and mov of predicates.
func runPredLogic(w *warp, in *inst, m uint32) {
	v := uint32(w.regs[in.a])
	switch in.logic {
	case 'a':
		v &= uint32(w.regs[in.b])
	case 'o':
		v |= uint32(w.regs[in.b])
	case 'x':
		v ^= uint32(w.regs[in.b])
	case 'n':
		v = ^v
	}
	w.regs[in.d] = uint64(uint32(w.regs[in.d])&^m | v&m)
}

// runPack puts the values of ds, of size bits each, into one.
// runPack executes mov of several registers to a wider one, which counts as written where all of them do.
func runPack(w *warp, in *inst, m uint32) {
	d := lanes(w.regs, in.d)
	if w.init != nil && !in.sound {
		for _, slot := range in.moved {
			w.init[in.writes[0]] &^= m &^ w.init[slot]
		}
	}
	mask := uint64(1)<<in.size - 1
	for ; m != 0; m &= m - 1 {
		i := lowest(m)
		var v uint64
		for k, s := range in.ds {
			v |= (w.regs[s+int32(i)] & mask) << (k * int(in.size))
		}
		d[i] = v
	}
}

func runUnpack(w *warp, in *inst, m uint32) {
	a := lanes(w.regs, in.a)
	mask := uint64(1)<<in.size - 1
	for ; m != 0; m &= m - 1 {
		i := lowest(m)
		v := a[i]
		for k, s := range in.ds {
			w.regs[s+int32(i)] = v >> (k * int(in.size)) & mask
		}
	}
}

// runBfi inserts the low x bits of a into b at bit c.
func runBfi(w *warp, in *inst, m uint32) {
	width := uint64(in.dsize) * 8
	d, a, b, c, x := lanes(w.regs, in.d), lanes(w.regs, in.a), lanes(w.regs, in.b), lanes(w.regs, in.c), lanes(w.regs, in.x)
	for ; m != 0; m &= m - 1 {
		i := lowest(m)
		pos, n := c[i]&255, x[i]&255
		v := b[i]
		if pos < width && n > 0 {
			mask := ^uint64(0)
			if n < 64 {
				mask = 1<<n - 1
			}
			mask <<= pos
			if width < 64 {
				mask &= 1<<width - 1
			}
			v = v&^mask | a[i]<<pos&mask
		}
		d[i] = v
	}
}

// The kinds of instructions with a carry, in inst.sub: what they compute, and
// whether they take the carry in and put it out.
const (
	carrySub = 1 << iota
	carryMulLo
	carryMulHi
	carryIn
	carryOut
)

func carryKind(op string, m mods) uint8 {
	var k uint8
	switch op {
	case "sub", "subc":
		k = carrySub
	case "mad", "madc":
		k = carryMulLo
		if m.has("hi") {
			k = carryMulHi
		}
	}
	if op[len(op)-1] == 'c' {
		k |= carryIn
	}
	if m.has("cc") {
		k |= carryOut
	}
	return k
}

// runCarry executes add, sub and mad with the carry flag. A subtraction adds
// the complement, as GPUs do: its flag is set where there is no borrow.
func runCarry(w *warp, in *inst, m uint32) {
	size := uint(in.dsize) * 8
	for ; m != 0; m &= m - 1 {
		i := lowest(m)
		a, b := w.regs[in.a+int32(i)], w.regs[in.b+int32(i)]
		var carry, sum uint64
		if in.sub&carryIn != 0 {
			carry = uint64(w.cc >> i & 1)
		}
		if in.sub&(carryMulLo|carryMulHi) != 0 {
			a = mulPart(a, b, int(in.dsize), in.signed, in.sub&carryMulHi != 0)
			b = w.regs[in.c+int32(i)]
		}
		if in.sub&carrySub != 0 {
			b = ^b
			if size < 64 {
				b &= 1<<size - 1
			}
			if in.sub&carryIn == 0 {
				carry = 1
			}
		}
		sum, carry = bits.Add64(a, b, carry)
		if size < 64 {
			carry = sum >> size & 1
			sum &= 1<<size - 1
		}
		w.regs[in.d+int32(i)] = sum
		if in.sub&carryOut != 0 {
			w.cc = w.cc&^(1<<i) | uint32(carry)<<i
		}
	}
}

func runFrameAddress(w *warp, in *inst, m uint32) {
	d := lanes(w.regs, in.d)
	for i := range d {
		d[i] = uint64(int64(localStart+w.fr.base) + in.off)
	}
}

func runDynamicAddress(w *warp, in *inst, m uint32) {
	d := lanes(w.regs, in.d)
	for i := range d {
		d[i] = uint64(int64(sharedStart+w.l.dynamicBase()) + in.off)
	}
}

// runActiveMask stores the lanes that execute together: those of the split,
// guards included.
func runActiveMask(w *warp, in *inst, m uint32) {
	d := lanes(w.regs, in.d)
	for r := m; r != 0; r &= r - 1 {
		d[lowest(r)] = uint64(m)
	}
}

// specialNames are the special registers; inst.sub is the index.
var specialNames = []string{
	"%tid.x", "%tid.y", "%tid.z", "%ntid.x", "%ntid.y", "%ntid.z",
	"%ctaid.x", "%ctaid.y", "%ctaid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z",
	"%laneid", "%warpid", "%nwarpid", "%smid", "%nsmid", "%gridid",
	"%clock", "%clock_hi", "%clock64", "%globaltimer", "%globaltimer_lo", "%globaltimer_hi",
	"%dynamic_smem_size", "%total_smem_size",
	"%cluster_ctarank", "%cluster_nctarank",
	"%cluster_ctaid.x", "%cluster_ctaid.y", "%cluster_ctaid.z", "%cluster_nctaid.x", "%cluster_nctaid.y", "%cluster_nctaid.z",
	"%clusterid.x", "%clusterid.y", "%clusterid.z", "%nclusterid.x", "%nclusterid.y", "%nclusterid.z",
	"%lanemask_eq", "%lanemask_le", "%lanemask_lt", "%lanemask_ge", "%lanemask_gt",
}

func specialIndex(name string) uint8 {
	for i, n := range specialNames {
		if n == name {
			return uint8(i)
		}
	}
	return 0
}

// runSpecial reads a special register.
func runSpecial(w *warp, in *inst, m uint32) {
	d := lanes(w.regs, in.d)
	if in.sub < 3 {
		t := &w.tid[in.sub]
		for ; m != 0; m &= m - 1 {
			i := lowest(m)
			d[i] = uint64(t[i])
		}
		return
	}
	name := specialNames[in.sub]
	if !strings.HasPrefix(name, "%lane") {
		fill(w.regs, in.d, m, w.special(name, 0))
		return
	}
	for ; m != 0; m &= m - 1 {
		i := lowest(m)
		d[i] = w.special(name, uint(i))
	}
}

// special returns a special register but %tid. One warp instruction of the
// device is one clock and one nanosecond.
func (w *warp) special(name string, lane uint) uint64 {
	l := w.l
	now := l.d.clock + w.count
	switch name {
	case "%ntid.x":
		return uint64(l.block.X)
	case "%ntid.y":
		return uint64(l.block.Y)
	case "%ntid.z":
		return uint64(l.block.Z)
	case "%ctaid.x":
		return uint64(w.b.ctaid[0])
	case "%ctaid.y":
		return uint64(w.b.ctaid[1])
	case "%ctaid.z":
		return uint64(w.b.ctaid[2])
	case "%nctaid.x":
		return uint64(l.grid.X)
	case "%nctaid.y":
		return uint64(l.grid.Y)
	case "%nctaid.z":
		return uint64(l.grid.Z)
	case "%laneid":
		return uint64(lane)
	case "%warpid":
		return uint64(w.id)
	case "%nwarpid":
		return maxThreadsPerSM / 32
	case "%smid":
		return uint64(w.b.smid)
	case "%nsmid":
		return uint64(l.d.info.Multiprocessors)
	case "%gridid":
		return l.id
	case "%clock64", "%globaltimer":
		return now
	case "%clock", "%globaltimer_lo":
		return now & 0xffffffff
	case "%clock_hi", "%globaltimer_hi":
		return now >> 32
	case "%dynamic_smem_size":
		return uint64(l.dynamic)
	case "%total_smem_size":
		return l.sharedSize()
	}
	if strings.Contains(name, "cluster") {
		return uint64(w.b.clusterSpecial(name))
	}
	bit := uint64(1) << lane
	return map[string]uint64{
		"%lanemask_eq": bit, "%lanemask_lt": bit - 1, "%lanemask_le": bit<<1 - 1,
		"%lanemask_gt": fullMask &^ (bit<<1 - 1), "%lanemask_ge": fullMask &^ (bit - 1),
	}[name]
}
