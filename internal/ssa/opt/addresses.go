package opt

import (
	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Pointer arithmetic reassociation.
// Source: gpucc, section 3.4.1.
//
// PTX addresses memory by a register plus a constant. An address is computed by
// widening an index, multiplying it by the element size and adding it to a
// pointer; a constant added to the index is buried inside. The pass moves
// constants outward through each of these steps. The address then is a variable
// part, which neighbouring accesses share, plus a constant, which the access
// folds.
//
//	v2 = add i32 v1, 3            v1 is known not to be near its upper end
//	v3 = sext i64 v2              v3' = sext i64 v1
//	v4 = shl i64 v3, 2            v4' = shl i64 v3', 2
//	v5 = ptradd ptr v0, v4        v5' = ptradd ptr v0, v4'
//	                              v5 = ptradd ptr v5', 12
//
// A constant is moved out of an extension only if the addition cannot wrap in
// the narrower type. Value ranges (analysis.Ranges) prove it for thread indices,
// loop counters with a bound and masked values. Or the addition promises it
// (ssa.Op.MayPromise), as all signed arithmetic of CUDA source does. Constants
// are moved out of 64-bit multiplications by constants, shifts, additions,
// subtractions and pointer additions without a proof, as both forms wrap alike.
//
// Sums and products that promise not to wrap are decomposed further, into 64-bit
// terms (addresses_linear.go). This costs instructions, so it is done only where
// it saves more: when another address, on a path to or from here, has the same
// terms and differs by a constant or a stride; or when one term varies in the
// innermost loop and the others are invariant there:
//
//	in[(y - 1) * n + x]     (in + 4*(y*n + x)) - 4*n, beside in[y * n + x]
//	a[row * n + k]          (a + 4*(row*n)) + 4*k, in the loop over k
//
// Terms that vary in fewer loops are added first, terms that neighbours do not
// share last. If an address consists of the shared terms alone, and all of them
// vary in the same loop, its neighbours reuse its offset unchanged. They do so
// only after an access through it, which shows that its narrow sum has not
// wrapped.
//
// The decomposition visits at most maxLinear values per address and yields at
// most maxTerms terms. Only addresses are rewritten, so an index that has other
// uses stays.
//
// What it will not do: widen a sum for a single address, even if it is known
// not to wrap: 64-bit arithmetic costs twice as much, and nothing would share
// it.
func addresses(f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	dom := analysis.Dominators(f)
	a := &addresser{
		inserter: inserter{f: f}, dom: dom, loops: analysis.FindLoops(f, dom), ranges: analysis.Ranges(f, dom),
		near: make(map[linearKey][]neighbour), plain: make(map[linearKey]plainOffset),
		used: make(map[*ssa.Value]*ssa.Block), rows: make(map[linearKey][]row),
		columns: make(map[column]*ssa.Value), distributed: make(map[[2]int]bool),
	}
	a.neighbours(dom.Order())
	for _, b := range dom.Order() {
		a.block(b)
	}
	r.Count("constants", a.moved)
	r.Count("parts", a.parts)
}

const maxLinear = 16 // values visited for an address

type addresser struct {
	inserter
	dom     *analysis.DomTree
	loops   *analysis.Loops
	ranges  *analysis.RangeInfo
	near    map[linearKey][]neighbour
	plain   map[linearKey]plainOffset
	rows    map[linearKey][]row // by the terms of the column
	columns map[column]*ssa.Value
	// The factors, by number, of products of which an address needs 64 bits, since it has
	// distributed one over a constant: then all share that product.
	distributed map[[2]int]bool
	used        map[*ssa.Value]*ssa.Block // the first block that accesses memory through an address

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
					if l.displaced() {
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
