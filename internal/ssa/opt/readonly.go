package opt

import (
	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Loads through the read-only path.
// Source: none of the papers; the facts are those of gpucc, section 3.3.
//
// A load from global memory that is not written while the kernel runs may be
// marked readonly. PTX generation emits ld.global.nc, which the hardware may
// serve from a cache that is not coherent, and later passes merge and move
// the load freely, over barriers too.
//
//	func @k kernel(%in: ptr restrict, %out: ptr restrict)
//	v4 = load i32 v2 align 4        v4 = load i32 v2 align 4 readonly
//	store v3, v4 align 4
//
// The proof (analysis.ReadOnly) checks every store, atomic and call of the
// kernel: none may alias the load's memory. All threads of the grid execute
// the same code, so this covers all writes during the kernel, regardless of
// synchronisation. Without restrict, two parameters may be the same array, and
// one store through either prevents marking the loads of both.
//
// What it will not do: mark a volatile load, whose memory others may write; a
// load in a function that is not a kernel, whose callers may write, unless of a variable
// that nothing writes (the device library's tables, and const ones of C); a load from shared memory or through a generic pointer, whose space is unknown.
func readOnly(m *ssa.Module, f *ssa.Func, r *pass.Run) {
	marked := 0
	aliases := analysis.Alias(f, m)
	for _, v := range analysis.ReadOnly(f, aliases) {
		if !v.Mem.ReadOnly {
			v.Mem.ReadOnly = true
			marked++
		}
	}
	r.Count("loads", marked)
	if r.Remarks() {
		remarkReadOnly(f, aliases, r)
	}
}
