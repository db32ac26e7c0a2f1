package opt

import (
	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Tests of addresses.
//
// The library chooses an instruction by what an address is: an asynchronous copy, or the
// load of a matrix, is for shared memory, and for addresses that are aligned.
//
//	if (__isShared(p) && ((unsigned long)p & 15) == 0) ldmatrix(p); else ...
//
// Once functions are inlined most of these tests have one answer. It is given before the
// constants are propagated and loops are unrolled: what is not executed is gone by then, and
// counts neither in the size of a loop nor in the registers that it needs.
//
//   - A test of the space of a pointer is answered by the inference of spaces
//     (spaces.go). Null is an address of global memory.
//   - The low bits of an address, or of other integers that are combined with it, are zero if the
//     alignment of all that it is computed from says so. For a test of at most maxRaise bytes,
//     variables in shared memory that are not aligned enough are aligned to it, the first
//     variable of a block with them, where that gives the answer.
//
// Only functions that test a space are visited. Tests without an answer are left
// to run time.
//
// What it will not do: align what other modules define (no variable of shared memory can be), or
// variables in global memory, whose addresses other code may know.
func addressTests(m *ssa.Module, f *ssa.Func, r *pass.Run) {
	if !testsSpaces(f) {
		return
	}
	removeUnreachable(f)
	s := newSpaces(f)
	s.infer()
	a := alignmentTests{m: m, f: f, dom: analysis.Dominators(f)}
	a.aligned = analysis.Align(f, m, a.dom)
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			switch v.Op {
			case ssa.OpInSpace:
				if in, known := s.in(v); known {
					reset(v, ssa.OpConst)
					v.Int = ssa.SignExtend(v.Type, in)
					r.Count("spaces", 1)
				}
			case ssa.OpAnd:
				if a.clear(v) {
					reset(v, ssa.OpConst)
					r.Count("alignments", 1)
				}
			}
		}
	}
}

// maxRaise is the greatest alignment that variables in shared memory get for a test.
const maxRaise = 16

func testsSpaces(f *ssa.Func) bool {
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == ssa.OpInSpace {
				return true
			}
		}
	}
	return false
}

// in returns the answer of a test of a space, if it is known.
func (s *spaces) in(v *ssa.Value) (in int64, known bool) {
	p, space := v.Args[0], v.Sym.(ssa.Space)
	switch {
	case s.known(p):
		// Null has the space of the pointers that it is merged with, and is in global memory.
		if s.of[p.ID] != ssa.PtrGlobal && s.from[p.ID]&fromNull != 0 {
			return 0, false
		}
		if s.of[p.ID] == space.Pointer() {
			in = 1
		}
		return in, true
	case p.Op == ssa.OpConst && p.Int == 0:
		if space == ssa.SpaceGlobal {
			in = 1
		}
		return in, true
	}
	return 0, false
}

// alignmentTests answers the tests of alignment of a function.
type alignmentTests struct {
	m       *ssa.Module
	f       *ssa.Func
	dom     *analysis.DomTree
	aligned *analysis.Alignments
}

// clear reports whether v, the lowest bits of an integer that depends on an address, is zero. It
// aligns variables in shared memory for that.
func (a *alignmentTests) clear(v *ssa.Value) bool {
	x, mask := v.Args[0], v.Args[1]
	if mask.Op != ssa.OpConst || mask.Int <= 0 || mask.Int&(mask.Int+1) != 0 {
		return false
	}
	size := mask.Int + 1
	if a.aligned.Of(x, size) == size {
		return true
	}
	if size > maxRaise {
		return false
	}
	var low []*ssa.Global
	before := make([]int64, 0, 4)
	for _, g := range a.variables(x) {
		if g.Align < size {
			low, before = append(low, g), append(before, g.Align)
			g.Align = size
		}
	}
	if len(low) == 0 {
		return false
	}
	raised := analysis.Align(a.f, a.m, a.dom)
	if raised.Of(x, size) == size {
		a.aligned = raised
		return true
	}
	for i, g := range low {
		g.Align = before[i]
	}
	return false
}

// variables returns the variables in shared memory in which the addresses are that x is computed from.
func (a *alignmentTests) variables(x *ssa.Value) (list []*ssa.Global) {
	seen := map[*ssa.Value]bool{x: true}
	for work := []*ssa.Value{x}; len(work) > 0; {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		switch v.Op {
		case ssa.OpGlobalAddr:
			if g := a.m.Global(v.Callee()); g != nil && g.Space == ssa.PtrShared {
				list = append(list, g)
			}
		case ssa.OpPtrAdd, ssa.OpPhi, ssa.OpSelect, ssa.OpSpaceCast, ssa.OpPtrToInt, ssa.OpOr, ssa.OpAdd, ssa.OpTrunc:
			for _, u := range v.Args {
				if !seen[u] {
					seen[u] = true
					work = append(work, u)
				}
			}
		}
	}
	return list
}
