package opt

import "irgl/internal/ssa"

// swapped returns the comparison whose result for (y, x) is that of op for (x, y).
func swapped(op ssa.Op) ssa.Op {
	switch op {
	case ssa.OpSLt:
		return ssa.OpSGt
	case ssa.OpSLe:
		return ssa.OpSGe
	case ssa.OpSGt:
		return ssa.OpSLt
	case ssa.OpSGe:
		return ssa.OpSLe
	case ssa.OpULt:
		return ssa.OpUGt
	case ssa.OpULe:
		return ssa.OpUGe
	case ssa.OpUGt:
		return ssa.OpULt
	case ssa.OpUGe:
		return ssa.OpULe
	case ssa.OpFLt:
		return ssa.OpFGt
	case ssa.OpFLe:
		return ssa.OpFGe
	case ssa.OpFGt:
		return ssa.OpFLt
	case ssa.OpFGe:
		return ssa.OpFLe
	}
	return op
}

// compare simplifies a comparison.
func (fo *folder) compare(v *ssa.Value) *ssa.Value {
	x, y := v.Args[0], v.Args[1]
	if x.Op.IsLiteral() && !y.Op.IsLiteral() {
		return fo.become(v, swapped(v.Op), y, x)
	}
	if x == y {
		switch v.Op { // the float ones depend on NaN
		case ssa.OpEq, ssa.OpSLe, ssa.OpSGe, ssa.OpULe, ssa.OpUGe:
			return fo.becomeInt(v, -1)
		case ssa.OpNe, ssa.OpSLt, ssa.OpSGt, ssa.OpULt, ssa.OpUGt:
			return fo.becomeInt(v, 0)
		}
		return nil
	}
	n, ok := constant(y)
	switch {
	case !ok && x.Type.IsPtr():
		return fo.equalPointers(v, x, y)
	case !ok:
		return fo.equalTruths(v, x, y)
	case v.Op == ssa.OpEq || v.Op == ssa.OpNe:
		return fo.equalsConstant(v, x, n)
	}
	return fo.orderedConstant(v, x, n)
}

// equalsConstant simplifies x == n and x != n.
func (fo *folder) equalsConstant(v, x *ssa.Value, n int64) *ssa.Value {
	t := x.Type
	if t == ssa.I1 {
		if (n != 0) == (v.Op == ssa.OpEq) {
			return x
		}
		return fo.become(v, ssa.OpNot, x)
	}
	switch x.Op {
	case ssa.OpZExt, ssa.OpSExt:
		inner := x.Args[0]
		narrow := ssa.SignExtend(inner.Type, n)
		if widened, _ := foldUnary(x.Op, inner.Type, narrow); widened != n {
			return fo.truth(v, v.Op == ssa.OpNe) // no extended value equals n
		}
		// Registers are at least 32 bits wide, so narrower operands gain nothing; an
		// i1 is in a predicate register.
		if inner.Type == ssa.I1 || inner.Type.Bits() >= 32 {
			return fo.become(v, v.Op, inner, fo.int(inner.Type, narrow))
		}
	case ssa.OpSelect:
		return fo.equalsSelected(v, x, n)
	case ssa.OpAdd:
		if inner, c, ok := withConstant(x, ssa.OpAdd); ok {
			return fo.become(v, v.Op, inner, fo.int(t, n-c))
		}
	case ssa.OpXor:
		if inner, c, ok := withConstant(x, ssa.OpXor); ok {
			return fo.become(v, v.Op, inner, fo.int(t, n^c))
		}
	case ssa.OpNeg:
		return fo.become(v, v.Op, x.Args[0], fo.int(t, -n))
	case ssa.OpNot:
		return fo.become(v, v.Op, x.Args[0], fo.int(t, ^n))
	}
	if n == 0 && (x.Op == ssa.OpSub || x.Op == ssa.OpXor) {
		return fo.become(v, v.Op, x.Args[0], x.Args[1])
	}
	return nil
}

// truth makes v the constant true or false.
func (fo *folder) truth(v *ssa.Value, b bool) *ssa.Value {
	if b {
		return fo.becomeInt(v, -1)
	}
	return fo.becomeInt(v, 0)
}

// equalsSelected simplifies the equality of a constant and a select between two
// constants.
func (fo *folder) equalsSelected(v, x *ssa.Value, n int64) *ssa.Value {
	a, ok1 := constant(x.Args[1])
	b, ok2 := constant(x.Args[2])
	if !ok1 || !ok2 {
		return nil
	}
	first, second := (a == n) == (v.Op == ssa.OpEq), (b == n) == (v.Op == ssa.OpEq)
	switch {
	case first == second:
		return fo.truth(v, first)
	case first:
		return x.Args[0]
	}
	return fo.become(v, ssa.OpNot, x.Args[0])
}

// orderedConstant simplifies x < n and the other orders at the ends of the range.
func (fo *folder) orderedConstant(v, x *ssa.Value, n int64) *ssa.Value {
	t := x.Type
	most := ssa.SignExtend(t, int64(^uint64(0)>>(65-t.Bits()))) // signed
	least := -most - 1
	switch v.Op {
	case ssa.OpULt:
		if n == 0 {
			return fo.truth(v, false)
		}
		if n == 1 {
			return fo.become(v, ssa.OpEq, x, fo.int(t, 0))
		}
	case ssa.OpUGe:
		if n == 0 {
			return fo.truth(v, true)
		}
		if n == 1 {
			return fo.become(v, ssa.OpNe, x, fo.int(t, 0))
		}
	case ssa.OpUGt:
		if n == -1 {
			return fo.truth(v, false)
		}
		if n == 0 {
			return fo.become(v, ssa.OpNe, x, fo.int(t, 0))
		}
	case ssa.OpULe:
		if n == -1 {
			return fo.truth(v, true)
		}
		if n == 0 {
			return fo.become(v, ssa.OpEq, x, fo.int(t, 0))
		}
	case ssa.OpSLt:
		if n == least {
			return fo.truth(v, false)
		}
	case ssa.OpSGe:
		if n == least {
			return fo.truth(v, true)
		}
	case ssa.OpSGt:
		if n == most {
			return fo.truth(v, false)
		}
	case ssa.OpSLe:
		if n == most {
			return fo.truth(v, true)
		}
	}
	return nil
}

// equalTruths compares two extended i1 values before their extension.
func (fo *folder) equalTruths(v, x, y *ssa.Value) *ssa.Value {
	if x.Op != y.Op || x.Op != ssa.OpZExt && x.Op != ssa.OpSExt || x.Args[0].Type != ssa.I1 || y.Args[0].Type != ssa.I1 {
		return nil
	}
	switch v.Op {
	case ssa.OpNe:
		return fo.become(v, ssa.OpXor, x.Args[0], y.Args[0])
	case ssa.OpEq:
		return fo.become(v, ssa.OpNot, fo.make(ssa.OpXor, ssa.I1, x.Args[0], y.Args[0]))
	}
	return nil
}
