package opt

import (
	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Marks for branches that are uniform in a warp.
// Source: NVIDIA, section 3.2 (variance analysis).
//
// A branch whose condition is equal in all threads of a warp needs none of
// what the hardware does for divergence and reconvergence. The
// variance analysis proves it of conditions made of constants, a kernel's
// parameters, the block's place in the grid, memory that is not written, and
// of loops that count with such; PTX then says bra.uni.
//
//	v1 = special i32 "ctaid.x"
//	v2 = slt i1 v1, v0          v0 a parameter of the kernel
//	if v2, b1, b2               if v2, b1, b2 uniform
//
// It runs last: what it marks is a property of the branch where it stands, and
// a pass that moved code would have to keep the marks true. It pays little per
// branch, and always.
//
// What it will not do: trust a load of memory that the kernel may write, even
// at an address that all threads share, since a warp's threads may load at
// different times; trust ballots, for the same reason; mark anything in a
// function with a cycle of two entries.
func uniform(f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	va := analysis.Vary(f, analysis.Dominators(f))
	marked := 0
	for _, b := range f.Blocks {
		if b.Kind == ssa.BlockIf && !b.Uniform && !va.Divergent(b) {
			b.Uniform = true
			marked++
		}
	}
	r.Count("branches", marked)
}
