package opt

import (
	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Pointer arithmetic reassociation.
// Source: gpucc, section 3.4.1.
//
// PTX addresses memory by a register and a constant. An address is computed by
// widening an index, multiplying it and adding it to a pointer; a constant that
// was added to the index is caught inside. The pass moves constants outward
// through each step, so that the address becomes a variable part, which the
// neighbours share, and a constant, which the access takes in.
//
//	v2 = add i32 v1, 3            v1 is known not to be near its upper end
//	v3 = sext i64 v2              v3' = sext i64 v1
//	v4 = shl i64 v3, 2            v4' = shl i64 v3', 2
//	v5 = ptradd ptr v0, v4        v5' = ptradd ptr v0, v4'
//	                              v5 = ptradd ptr v5', 12
//
// A constant leaves a widening only if the addition cannot wrap in the narrower
// type. Ranges (analysis.Ranges) prove it: of thread numbers, loop counters with
// a bound, masked numbers. Or the addition promises it (ssa.Op.MayPromise), as
// all signed arithmetic of CUDA text does. It leaves multiplications by
// constants, shifts, sums, differences and pointer additions of 64 bits freely,
// as arithmetic there wraps alike on both sides.
//
// Sums and products that promise not to wrap are taken apart further, into terms
// of 64 bits (addresses_linear.go). That costs instructions, so it is done where
// it saves more: when another address, on the way here or from here, has the
// same terms, and a constant or a stride lies between the two; or when one term
// changes in the innermost loop and the others leave it:
//
//	in[(y - 1) * n + x]     (in + 4*(y*n + x)) - 4*n, beside in[y * n + x]
//	a[row * n + k]          (a + 4*(row*n)) + 4*k, in the loop over k
//
// What changes in fewer loops is added first, what neighbours do not share last.
// Where one address is made of the shared parts alone, all of which change in
// the same loop, its offset serves the neighbours behind it as it is; behind an
// access by it, since there its narrow sum has not wrapped.
//
// Each address is followed inward for at most maxLinear values, and has at most
// maxTerms terms. Only what becomes an address is written anew, so an index that
// is wanted for itself stays.
//
// What it will not do: widen a sum for one address alone, though it were known
// not to wrap: 64-bit arithmetic costs twice, and nothing is shared by it.
func addresses(f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	dom := analysis.Dominators(f)
	a := &addresser{
		inserter: inserter{f: f}, dom: dom, loops: analysis.FindLoops(f, dom), ranges: analysis.Ranges(f, dom),
		near: make(map[linearKey][]neighbour), plain: make(map[linearKey]plainOffset),
		used: make(map[*ssa.Value]*ssa.Block), rows: make(map[linearKey][]row),
		columns: make(map[column]*ssa.Value),
	}
	a.neighbours(dom.Order())
	for _, b := range dom.Order() {
		a.block(b)
	}
	r.Count("constants", a.moved)
	r.Count("parts", a.parts)
}

const maxLinear = 16 // values that are looked at for an address

type addresser struct {
	inserter
	dom     *analysis.DomTree
	loops   *analysis.Loops
	ranges  *analysis.RangeInfo
	near    map[linearKey][]neighbour
	plain   map[linearKey]plainOffset
	rows    map[linearKey][]row // by what the column is made of
	columns map[column]*ssa.Value
	used    map[*ssa.Value]*ssa.Block // where an address is read or written, once

	moved, parts int
}

// block rewrites the pointer additions of b.
func (a *addresser) block(b *ssa.Block) {
	changed := false
	a.out = a.out[:0]
	for _, v := range b.Values {
		if v.Op == ssa.OpPtrAdd && v.Args[1].Op != ssa.OpConst {
			a.at = v
			if full, top, ok := a.split(v.Args[1]); ok {
				if l := a.better(full, top); l != nil && !a.stays(l) {
					a.build(l)
					changed = true
					if l.apart() {
						a.moved++
					} else {
						a.parts++
					}
				}
			}
		}
		a.out = append(a.out, v)
	}
	if changed {
		setValues(b, a.out)
	}
}
