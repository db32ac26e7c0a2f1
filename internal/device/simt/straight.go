package simt

// This file finds straight-line code: instructions that execute one after the other for the same lanes, and before which
// nothing is to be looked at:
//
//	add.u64       %rd3, %rd1, %rd2;
//	ld.global.u32 %r3, [%rd3];         // 3 instructions from here, 2 from here
//	st.global.u32 [%rd4], %r3;
//	setp.lt.u32   %p1, %r3, %r2;       // 1
//	@%p1 bra      $loop;
//
// An instruction belongs to it if it has no guard, no registers to check or to record, and does not change control flow;
// and a reconvergence point begins another. [warp.execute] counts and dispatches such instructions together: the
// schedule is that of one at a time, since a turn that ends among them ends there too.

// straighten sets straight of the instructions of fn, after definite and reconverge.
func straighten(fn *function) {
	g := newGraph(fn)
	for b := range g.start {
		n := int32(0)
		for i := g.end(b) - 1; i >= g.start[b]; i-- {
			in := &fn.code[i]
			if in.plain() {
				n++
			} else {
				n = 0
			}
			in.straight = n
		}
	}
}

// plain reports whether an instruction belongs to straight-line code.
func (in *inst) plain() bool {
	return in.guard == none && len(in.checks)+len(in.marks) == 0 && (in.ctl == ctlData || in.ctl == ctlMemory && !in.spin)
}

// runStraight executes the first n instructions of code, which are straight-line code at which sp is, and returns how many it has executed.
// A fault ends it, and sp stays at the instruction that has one.
func (w *warp) runStraight(sp *split, code []inst, n int) int {
	m := sp.mask
	for i := range code[:n] {
		in := &code[i]
		in.run(w, in, m)
		if in.ctl == ctlMemory && w.l.fault != nil {
			sp.pc += int32(i)
			return i + 1
		}
	}
	sp.pc += int32(n)
	return n
}
