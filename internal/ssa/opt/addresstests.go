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
//     alignment of all that it is computed from says so.
//
// Only functions that test a space are visited. Tests without an answer are left
// to run time.
//
// What it will not do: align a variable for a test. Those of at least 16 bytes are aligned to 16 as they
// are declared, for vector accesses.
func addressTests(m *ssa.Module, f *ssa.Func, r *pass.Run) {
	if !testsSpaces(f) {
		return
	}
	removeUnreachable(f)
	s := newSpaces(f)
	s.infer()
	aligned := analysis.Align(f, m, analysis.Dominators(f))
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
				if clearBits(aligned, v) {
					reset(v, ssa.OpConst)
					r.Count("alignments", 1)
				}
			}
		}
	}
}

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

// clearBits reports whether v, the lowest bits of an integer that depends on an address, is zero.
func clearBits(aligned *analysis.Alignments, v *ssa.Value) bool {
	mask := v.Args[1]
	if mask.Op != ssa.OpConst {
		return false
	}
	size := mask.Int + 1 // negative if the mask is all bits but the sign
	return size > 1 && mask.Int&size == 0 && aligned.Of(v.Args[0], size) == size
}
