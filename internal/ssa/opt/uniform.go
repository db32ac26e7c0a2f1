package opt

import (
	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Marks for branches that are uniform in a warp.
// Source: NVIDIA, section 3.2 (variance analysis).
//
// A branch whose condition is equal in all threads of a warp needs no
// divergence and reconvergence handling in hardware. The variance analysis
// proves uniformity of conditions that depend only on constants, a kernel's
// parameters, the block's index in the grid, memory that is not written, and
// loops with uniform conditions; PTX generation then emits bra.uni.
//
//	v1 = special i32 "ctaid.x"
//	v2 = slt i1 v1, v0          v0 a parameter of the kernel
//	if v2, b1, b2               if v2, b1, b2 uniform
//
// The test of an innermost loop is not marked: ptxas unrolls no loop whose branch is uniform
// by its mark, and finds out by itself which are. With seven iterations of 32 operations it
// then unrolls fully, and overlaps their loads. The test of a loop around others is marked if
// theirs are uniform, too, and it does more than ptxas would unroll: without the mark ptxas
// keeps the induction variables of the whole nest in uniform registers, computes addresses
// there, and copies them into registers of the thread for each access (a nest with 31 loads
// in its inner loop has 157 instructions there, 130 with the mark).
//
// It runs last: a mark is a property of the branch at its place, and a pass
// that moved code would have to maintain the marks. It gains little per
// branch, and always.
//
// What it will not do: trust a load of memory that the kernel may write, even
// at a uniform address, since a warp's threads may load at different times;
// trust ballots, for the same reason; mark branches in a function with
// irreducible control flow.
func uniform(f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	dom := analysis.Dominators(f)
	loops := analysis.FindLoops(f, dom)
	va := analysis.Vary(f, dom)
	nests := uniformNests(loops, va)
	marked := 0
	for _, b := range f.Blocks {
		if b.Kind == ssa.BlockIf && !b.Uniform && !va.Divergent(b) && (!testsLoop(loops, b) || nests[loops.Of(b)]) {
			b.Uniform = true
			marked++
		}
	}
	r.Count("branches", marked)
}

// maxNestWork is the number of operations, of all iterations together, up to which ptxas may
// unroll a loop around others fully.
const maxNestWork = 4096

// uniformNests returns the loops around others in which all threads of a warp do the same
// iterations of all loops, and too many operations to be unrolled.
func uniformNests(loops *analysis.Loops, va *analysis.Variance) map[*analysis.Loop]bool {
	nests, varies := make(map[*analysis.Loop]bool), make(map[*analysis.Loop]bool)
	operations := make(map[*analysis.Loop]int64)
	for i := len(loops.All) - 1; i >= 0; i-- { // inner loops first
		l := loops.All[i]
		for _, b := range l.Blocks {
			if loops.Of(b) == l {
				operations[l] += int64(work(b))
				varies[l] = varies[l] || b.Kind == ssa.BlockIf && testsLoop(loops, b) && va.Divergent(b)
			}
		}
		if t := analysis.TripOf(loops, l); t == nil || t.Count < 0 || operations[l] > maxNestWork {
			operations[l] = maxNestWork + 1
		} else {
			operations[l] *= min(t.Count, maxNestWork) + 1
		}
		if varies[l] || operations[l] <= maxNestWork {
			delete(nests, l)
		}
		if l.Parent != nil {
			nests[l.Parent] = true
			varies[l.Parent] = varies[l.Parent] || varies[l]
			operations[l.Parent] += operations[l]
		}
	}
	return nests
}

// testsLoop reports whether b's branch leads back to the header of its innermost loop, or out
// of it.
func testsLoop(loops *analysis.Loops, b *ssa.Block) bool {
	l := loops.Of(b)
	if l == nil {
		return false
	}
	for _, s := range b.Succs {
		if s == l.Header || !loops.Contains(l, s) {
			return true
		}
	}
	return false
}
