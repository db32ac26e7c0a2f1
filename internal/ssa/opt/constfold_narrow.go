package opt

import "irgl/internal/ssa"

// This file folds operations that C does in a wider type than the program needs: those of
// doubles whose operands and result are floats, and those of integers that are truths.

// rounded simplifies the rounding of x, a sum, difference, product or quotient of doubles that
// are floats: a double has more than twice the bits of a float, and two more, so that the result
// is that of the operation on floats (Figueroa, "When is double rounding innocuous?", 1995).
func (fo *folder) rounded(v, x *ssa.Value) *ssa.Value {
	switch x.Op {
	case ssa.OpFAdd, ssa.OpFSub, ssa.OpFMul, ssa.OpFDiv:
	default:
		return nil
	}
	if a, b := x.Args[0], x.Args[1]; isSingle(a) && isSingle(b) && (a.Op == ssa.OpFExt || b.Op == ssa.OpFExt) {
		return fo.become(v, x.Op, fo.single(a), fo.single(b))
	}
	return nil
}

// isSingle reports whether v, a double, has the value of a float that is known.
func isSingle(v *ssa.Value) bool {
	return v.Op == ssa.OpFExt || v.Op == ssa.OpFConst && float64(float32(v.Float)) == v.Float
}

// single returns the float that v, for which isSingle holds, has the value of.
func (fo *folder) single(v *ssa.Value) *ssa.Value {
	if v.Op == ssa.OpFExt {
		return v.Args[0]
	}
	c := fo.f.NewValue(ssa.OpFConst, ssa.F32)
	c.Float = v.Float
	return fo.emit(c)
}

// ofTruths simplifies a bitwise operation on two truths that were extended to integers.
func (fo *folder) ofTruths(v, x, y *ssa.Value) *ssa.Value {
	if x.Op != y.Op || x.Op != ssa.OpZExt && x.Op != ssa.OpSExt || x.Args[0].Type != ssa.I1 || y.Args[0].Type != ssa.I1 {
		return nil
	}
	if v.Op != ssa.OpAnd && v.Op != ssa.OpOr && v.Op != ssa.OpXor {
		return nil
	}
	return fo.become(v, x.Op, fo.make(v.Op, ssa.I1, x.Args[0], y.Args[0]))
}
