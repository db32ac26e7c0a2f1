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
// The test of a loop is not marked: ptxas unrolls no loop whose branch is uniform by its
// mark, and finds out by itself which are. With seven iterations of 32 operations it then
// unrolls fully, and overlaps their loads.
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
	marked := 0
	for _, b := range f.Blocks {
		if b.Kind == ssa.BlockIf && !b.Uniform && !va.Divergent(b) && !testsLoop(loops, b) {
			b.Uniform = true
			marked++
		}
	}
	r.Count("branches", marked)
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
