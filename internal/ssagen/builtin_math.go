package ssagen

import (
	"math"

	"irgl/internal/ssa"
)

// Mathematical functions that are one instruction or an exact sequence.
func (t table) maths() {
	t.add("sqrt sqrtf", op1(ssa.OpFSqrt))
	t.add("fabs fabsf", op1(ssa.OpFAbs))
	t.add("floor floorf", op1(ssa.OpFFloor))
	t.add("ceil ceilf", op1(ssa.OpFCeil))
	t.add("trunc truncf", op1(ssa.OpFTrunc))
	t.add("rint rintf", op1(ssa.OpFRint))
	t.add("round roundf", (*bcall).round)
	t.add("fmin fminf", op2(ssa.OpFMin))
	t.add("fmax fmaxf", op2(ssa.OpFMax))
	t.add("fma fmaf", func(c *bcall) *ssa.Value { return c.emit(ssa.OpFMA, c.typ, c.args...) })
	t.add("rsqrt rsqrtf", func(c *bcall) *ssa.Value {
		if c.typ == ssa.F32 { // CUDA's rsqrtf is the instruction too
			return c.emit(ssa.OpFRsqrt, ssa.F32, c.args[0])
		}
		return c.native("rsqrt.approx.f64", c.args[0]) // within an ulp
	})
	t.add("isnan", func(c *bcall) *ssa.Value {
		return c.resize(c.emit(ssa.OpFNe, ssa.I1, c.args[0], c.args[0]), ssa.I32, true)
	})
	t.add("isinf", func(c *bcall) *ssa.Value {
		a := c.emit(ssa.OpFAbs, c.args[0].Type, c.args[0])
		return c.resize(c.emit(ssa.OpFEq, ssa.I1, a, c.floatConst(a.Type, math.Inf(1))), ssa.I32, true)
	})
	t.add("min", func(c *bcall) *ssa.Value { return c.least(ssa.OpSMin, ssa.OpUMin, ssa.OpFMin) })
	t.add("max", func(c *bcall) *ssa.Value { return c.least(ssa.OpSMax, ssa.OpUMax, ssa.OpFMax) })
	t.add("abs labs llabs", func(c *bcall) *ssa.Value {
		if c.typ.IsFloat() {
			return c.emit(ssa.OpFAbs, c.typ, c.args[0])
		}
		return c.emit(ssa.OpAbs, c.typ, c.args[0])
	})
}

// Bit operations.
func (t table) bits() {
	t.add("__popc __popcll", op1(ssa.OpPopc))
	t.add("__clz __clzll", op1(ssa.OpClz))
	t.add("__brev __brevll", op1(ssa.OpBrev))
	t.add("__ffs __ffsll", (*bcall).ffs)
	t.add("__mulhi __mul64hi", op2(ssa.OpMulHiS))
	t.add("__umulhi __umul64hi", op2(ssa.OpMulHiU))
	t.add("__mul24 __umul24", (*bcall).mul24)
	t.add("__float_as_int __int_as_float __float_as_uint __uint_as_float __double_as_longlong __longlong_as_double", op1(ssa.OpBitcast))
}

// least emits min or max for the type of the form that check chose.
func (c *bcall) least(s, u, f ssa.Op) *ssa.Value {
	op := s
	switch {
	case c.typ.IsFloat():
		op = f
	case c.unsignedArg(0):
		op = u
	}
	return c.emit(op, c.typ, c.args[0], c.args[1])
}

// round rounds halves away from zero: the truncated value, plus one away from
// zero when the fraction, which is exact, is at least a half.
func (c *bcall) round() *ssa.Value { return c.halfAway(c.args[0]) }

// halfAway is round of an arbitrary value.
func (c *bcall) halfAway(x *ssa.Value) *ssa.Value {
	t := x.Type
	whole := c.emit(ssa.OpFTrunc, t, x)
	part := c.emit(ssa.OpFAbs, t, c.emit(ssa.OpFSub, t, x, whole))
	up := c.emit(ssa.OpFGe, ssa.I1, part, c.floatConst(t, 0.5))
	negative := c.emit(ssa.OpFLt, ssa.I1, x, c.floatConst(t, 0))
	step := c.emit(ssa.OpSelect, t, negative, c.floatConst(t, -1), c.floatConst(t, 1))
	return c.emit(ssa.OpSelect, t, up, c.emit(ssa.OpFAdd, t, whole, step), whole)
}

// ffs returns the position of the lowest set bit, from 1, or 0: the width
// minus the leading zeros of that bit alone.
func (c *bcall) ffs() *ssa.Value {
	x := c.args[0]
	low := c.emit(ssa.OpAnd, x.Type, x, c.emit(ssa.OpNeg, x.Type, x))
	zeros := c.emit(ssa.OpClz, ssa.I32, low)
	return c.emit(ssa.OpSub, ssa.I32, c.intConst(ssa.I32, int64(x.Type.Bits())), zeros)
}

// mul24 multiplies the low 24 bits of its arguments.
func (c *bcall) mul24() *ssa.Value {
	eight := c.intConst(ssa.I32, 8)
	cut := func(v *ssa.Value) *ssa.Value {
		op := ssa.OpAShr
		if c.unsignedArg(0) {
			op = ssa.OpLShr
		}
		return c.emit(op, ssa.I32, c.emit(ssa.OpShl, ssa.I32, v, eight), eight)
	}
	return c.emit(ssa.OpMul, ssa.I32, cut(c.args[0]), cut(c.args[1]))
}
