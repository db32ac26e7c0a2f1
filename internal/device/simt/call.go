package simt

import (
	"encoding/binary"
	"math/bits"
)

// maxDepth bounds the call stack, and maxStackSlots the registers of all
// stacks of a launch together, 256 bytes each.
const (
	maxDepth      = 2000
	maxStackSlots = 1 << 19
)

// MachineStack is the size of the stack of a machine's program: that of a process on Linux.
const MachineStack = 8 << 20

// maxLocal bounds a thread's local memory with its stack.
func (o *Options) maxLocal() int {
	if o.Machine != nil {
		return MachineStack
	}
	return 512 << 10
}

// maxDepth bounds the calls that have not returned.
func (o *Options) maxDepth() int {
	if o.Machine != nil {
		return 100_000
	}
	return maxDepth
}

// call starts a function for the lanes of m; the others of the split, if the
// call is guarded, wait behind it.
func (w *warp) call(sp *split, in *inst, m uint32) {
	c := in.call
	if rest := sp.mask &^ m; rest != 0 {
		// A guarded call: the other lanes reconverge with these after it.
		after := &conv{pc: sp.pc + 1, fr: sp.fr, expected: sp.mask, parent: sp.top}
		w.splits = append(w.splits, &split{pc: sp.pc + 1, mask: rest, fr: sp.fr, top: after})
		sp.mask, sp.top = m, after
	}
	switch {
	case c.builtin != nil:
		c.builtin(w, in, m)
		sp.pc++
		return
	case c.fn != nil:
		w.start(sp, in, c.fn)
		return
	}
	// An indirect call: one split for each function meant.
	groups := map[*function]uint32{}
	var order []*function
	for r := m; r != 0; r &= r - 1 {
		i := bits.TrailingZeros32(r)
		addr := w.regs[c.indirect+int32(i)]
		fn := w.l.k.functionAt(addr)
		if fn == nil || !agree(c.args, fn.params) || !agree(c.results, fn.results) {
			w.failed(in, "%s calls address %#x, where no function of this kind begins", w.thread(i), addr)
			return
		}
		if groups[fn] == 0 {
			order = append(order, fn)
		}
		groups[fn] |= uint32(1) << i
	}
	if len(order) > 1 {
		sp.top = &conv{pc: sp.pc + 1, fr: sp.fr, expected: sp.mask, parent: sp.top}
	}
	for _, fn := range order[1:] {
		o := &split{pc: sp.pc, mask: groups[fn], fr: sp.fr, top: sp.top}
		w.splits = append(w.splits, o)
		w.start(o, in, fn)
	}
	sp.mask = groups[order[0]]
	w.start(sp, in, order[0])
}

// functionAt returns the device function at an address of funcWindow, or nil.
func (k *kernel) functionAt(addr uint64) *function {
	i := int64(addr-funcWindow)/16 - 1
	if i < 0 || i >= int64(len(k.mod.order)) || funcAddress(int(i)) != addr {
		return nil
	}
	fn := k.funcs[k.mod.order[i]]
	if fn == nil || fn.entry {
		return nil
	}
	return fn
}

// agree reports whether the values of a call fit a function's declaration.
func agree(list []passed, want []place) bool {
	if len(list) != len(want) {
		return false
	}
	for i, v := range list {
		if v.reg == none && want[i].slot == none && v.size != want[i].size {
			return false
		}
	}
	return true
}

// start moves all lanes of sp into fn.
func (w *warp) start(sp *split, in *inst, fn *function) {
	caller := sp.fr
	depth := caller.depth + 1
	base := int(alignUp(uint64(caller.base+caller.fn.localSize), 16))
	if depth > w.l.d.opts.maxDepth() || w.l.stackSlots > maxStackSlots || base+fn.localSize > w.l.d.opts.maxLocal() {
		w.failed(in, "%s: the stack overflows in the call of %s, %d calls deep", w.thread(bits.TrailingZeros32(sp.mask)), CXXName(fn.name), depth)
		return
	}
	w.fr = caller
	fr := w.newFrame(fn)
	fr.caller, fr.ret, fr.call, fr.base, fr.depth = caller, sp.pc+1, in.call, base, depth
	w.grow(fr, sp.mask)
	for i, a := range in.call.args {
		w.pass(caller, a, fr, fn.params[i], sp.mask, false)
	}
	sp.fr, sp.pc = fr, 0
}

// pass copies one value between a call's side in the caller and the
// parameter or, with back, the result in the callee.
func (w *warp) pass(caller *frame, a passed, callee *frame, p place, mask uint32, back bool) {
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		var buf [8]byte
		var outer, inner []byte
		if a.reg == none {
			outer = w.local[i][caller.base+a.off : caller.base+a.off+a.size]
		}
		if p.slot == none {
			inner = w.local[i][callee.base+p.off : callee.base+p.off+p.size]
		}
		from, to := outer, inner
		fromReg, toReg := caller.regs, callee.regs
		fromAt, toAt := int(a.reg)+i, int(p.slot)+i
		if back {
			from, to, fromReg, toReg, fromAt, toAt = to, from, toReg, fromReg, toAt, fromAt
		}
		if from == nil {
			binary.LittleEndian.PutUint64(buf[:], fromReg[fromAt])
			from = buf[:]
		}
		if to == nil {
			var word [8]byte
			copy(word[:], from)
			toReg[toAt] = binary.LittleEndian.Uint64(word[:])
		} else {
			copy(to, from)
		}
		w.passWritten(i, caller, a, callee, p, back)
	}
	if !back && p.slot != none && callee.init != nil {
		callee.init[p.slot/32] |= mask
	}
}

// passWritten carries over which bytes of a value are written.
func (w *warp) passWritten(lane int, caller *frame, a passed, callee *frame, p place, back bool) {
	wrote := w.wrote[lane]
	if len(wrote) == 0 {
		return
	}
	n := max(a.size, p.size)
	for k := range n {
		o, i := caller.base+a.off+k, callee.base+p.off+k
		switch {
		case back && a.reg == none && k < a.size:
			wrote[o] = 1
			if p.slot == none {
				wrote[o] = wrote[i]
			}
		case !back && p.slot == none && k < p.size:
			wrote[i] = 1
			if a.reg == none {
				wrote[i] = wrote[o]
			}
		}
	}
}

// finish returns sp's lanes from their function.
func (w *warp) finish(sp *split) {
	fr := sp.fr
	for i, r := range fr.call.results {
		w.pass(fr.caller, r, fr, fr.fn.results[i], sp.mask, true)
	}
	sp.fr, sp.pc = fr.caller, fr.ret
	if !w.inUse(fr) {
		w.l.frames[fr.fn] = append(w.l.frames[fr.fn], fr)
	}
}

// inUse reports whether some split or convergence point is still in fr or in
// a function called from it.
func (w *warp) inUse(fr *frame) bool {
	if len(w.splits) == 1 && len(w.waiting) == 0 && w.splits[0].top == nil {
		return false
	}
	in := func(f *frame) bool {
		for ; f != nil; f = f.caller {
			if f == fr {
				return true
			}
		}
		return false
	}
	for _, s := range w.splits {
		if in(s.fr) {
			return true
		}
		for c := s.top; c != nil; c = c.parent {
			if in(c.fr) {
				return true
			}
		}
	}
	for _, c := range w.waiting {
		for p := c; p != nil; p = p.parent {
			if in(p.fr) {
				return true
			}
		}
	}
	return false
}
