package ssagen

import (
	"math"

	"irgl/internal/check"
	"irgl/internal/ssa"
	"irgl/syntax"
)

// intConst returns a constant of an integer or pointer type.
func (g *fb) intConst(t ssa.Type, n int64) *ssa.Value {
	n = ssa.SignExtend(t, n)
	k := constKey{t, uint64(n)}
	if v := g.consts[k]; v != nil {
		return v
	}
	v := g.emit(ssa.OpConst, t)
	v.Int = n
	g.consts[k] = v
	return v
}

// floatConst returns a constant of a floating type, rounded to it.
func (g *fb) floatConst(t ssa.Type, f float64) *ssa.Value {
	if t == ssa.F32 {
		f = float64(float32(f))
	}
	k := constKey{t, math.Float64bits(f)}
	if v := g.consts[k]; v != nil {
		return v
	}
	v := g.emit(ssa.OpFConst, t)
	v.Float = f
	g.consts[k] = v
	return v
}

// undef is a value that the program never defines, or that cannot be computed
// because of an error.
func (g *fb) undef(t ssa.Type) *ssa.Value {
	if t == ssa.Void {
		return nil
	}
	return g.emit(ssa.OpUndef, t)
}

// zero returns the zero of a scalar type.
func (g *fb) zero(t ssa.Type) *ssa.Value {
	if t.IsFloat() {
		return g.floatConst(t, 0)
	}
	return g.intConst(t, 0)
}

// constant returns c, a constant of C type t.
func (g *fb) constant(c *check.Const, t check.Type) *ssa.Value {
	st := typeOf(t)
	if st.IsFloat() {
		return g.floatConst(st, c.Float)
	}
	return g.intConst(st, c.Int)
}

// typ returns the type of e according to check.
func (g *fb) typ(e syntax.Expr) check.Type {
	if t := g.info.Types[e]; t != nil {
		return t
	}
	return check.Invalid
}

// convertExpr returns the value of e converted to the scalar type to.
func (g *fb) convertExpr(e syntax.Expr, to check.Type) *ssa.Value {
	if c := g.info.Consts[e]; c != nil && check.IsArithmetic(g.typ(e)) && check.IsArithmetic(to) {
		return g.constant(constIn(c, g.typ(e), to), to)
	}
	if to == check.Bool {
		return g.truth(e)
	}
	return g.convert(g.expr(e), g.typ(e), to)
}

// convert returns v, a scalar of C type from, as type to.
func (g *fb) convert(v *ssa.Value, from, to check.Type) *ssa.Value {
	st := typeOf(to)
	if v == nil || st == ssa.Void {
		return v
	}
	if v.Type == ssa.Void { // after an error
		return g.undef(st)
	}
	unsigned := check.IsUnsigned(from)
	switch {
	case to == check.Bool:
		return g.nonZero(v)
	case v.Type == st:
		return v
	case v.Type.IsPtr() && st.IsPtr():
		return g.emit(ssa.OpSpaceCast, st, v)
	case v.Type.IsPtr():
		n := g.emit(ssa.OpPtrToInt, ssa.I64, v)
		return g.resize(n, st, true)
	case st.IsPtr() && v.Op == ssa.OpConst: // a null pointer, or an address as an integer constant
		return g.intConst(st, g.resize(v, ssa.I64, unsigned).Int)
	case st.IsPtr():
		return g.emit(ssa.OpIntToPtr, st, g.resize(v, ssa.I64, unsigned))
	case v.Type.IsInt() && st.IsInt():
		return g.resize(v, st, unsigned)
	case v.Type.IsInt():
		if v.Type == ssa.I1 {
			v = g.resize(v, ssa.I32, true)
		}
		if unsigned {
			return g.emit(ssa.OpUToF, st, v)
		}
		return g.emit(ssa.OpSToF, st, v)
	case st.IsInt():
		code := ssa.OpFToS
		if check.IsUnsigned(to) {
			code = ssa.OpFToU
		}
		if g.opts.Undefined && !g.isLibrary && st.Bits() < 32 { // as nvcc does what is undefined
			return g.resize(g.emit(code, ssa.I32, v), st, unsigned)
		}
		return g.emit(code, st, v)
	case st == ssa.F64:
		return g.emit(ssa.OpFExt, st, v)
	}
	return g.emit(ssa.OpFRound, st, v)
}

// resize extends or truncates an integer.
func (g *fb) resize(v *ssa.Value, t ssa.Type, unsigned bool) *ssa.Value {
	switch {
	case v.Type == t:
		return v
	case v.Op == ssa.OpConst:
		n := v.Int
		if unsigned {
			n = int64(ssa.ZeroExtend(v.Type, n))
		}
		return g.intConst(t, n)
	case v.Type.Bits() > t.Bits():
		return g.emit(ssa.OpTrunc, t, v)
	case unsigned || v.Type == ssa.I1:
		return g.emit(ssa.OpZExt, t, v)
	}
	return g.emit(ssa.OpSExt, t, v)
}

// nonZero returns whether v is not zero, an i1.
func (g *fb) nonZero(v *ssa.Value) *ssa.Value {
	switch {
	case v.Type == ssa.I1:
		return v
	case v.Op == ssa.OpConst:
		return g.intConst(ssa.I1, b2i(v.Int != 0))
	case v.Op == ssa.OpZExt && v.Args[0].Type == ssa.I1:
		return v.Args[0]
	case v.Type.IsFloat():
		return g.emit(ssa.OpFNe, ssa.I1, v, g.floatConst(v.Type, 0))
	case v.Type == ssa.Void:
		return g.undef(ssa.I1)
	}
	return g.emit(ssa.OpNe, ssa.I1, v, g.intConst(v.Type, 0))
}

// generic returns an address as a generic pointer.
func (g *fb) generic(addr *ssa.Value) *ssa.Value {
	if addr.Type == ssa.Ptr {
		return addr
	}
	return g.emit(ssa.OpSpaceCast, ssa.Ptr, addr)
}

// offset returns addr plus a constant number of bytes.
func (g *fb) offset(addr *ssa.Value, n int64) *ssa.Value {
	if n == 0 {
		return addr
	}
	return g.emit(ssa.OpPtrAdd, addr.Type, addr, g.intConst(ssa.I64, n))
}

// advance returns addr moved by i elements of the given size, backward if back
// is set.
func (g *fb) advance(addr, i *ssa.Value, unsigned bool, size int64, back bool) *ssa.Value {
	i = g.resize(i, ssa.I64, unsigned)
	if i.Op == ssa.OpConst {
		n := i.Int * size
		if back {
			n = -n
		}
		return g.offset(addr, n)
	}
	if size != 1 {
		i = g.emit(ssa.OpMul, ssa.I64, i, g.intConst(ssa.I64, size))
	}
	if back {
		i = g.emit(ssa.OpNeg, ssa.I64, i)
	}
	return g.emit(ssa.OpPtrAdd, addr.Type, addr, i)
}
