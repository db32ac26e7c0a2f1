package ptxgen

import (
	"math"

	"irgl/internal/ptx"
	"irgl/internal/ssa"
)

// root skips operations that leave the register unchanged: truncation to 8 or
// 16 bits, pointers to integers and back, an extension that the load has
// already done. Users of v read the root's register.
func (g *fgen) root(v *ssa.Value) *ssa.Value {
	for {
		switch v.Op {
		case ssa.OpTrunc:
			if classOf(v.Type) != cls32 || classOf(v.Args[0].Type) != cls32 {
				return v
			}
		case ssa.OpPtrToInt, ssa.OpIntToPtr, ssa.OpBitcast:
			if classOf(v.Type) != classOf(v.Args[0].Type) {
				return v
			}
		case ssa.OpSpaceCast:
			if v.Type != v.Args[0].Type {
				return v
			}
		case ssa.OpSExt:
			if !g.signedLoad[v.Args[0].ID] || classOf(v.Type) != cls32 {
				return v
			}
		case ssa.OpZExt:
			if classOf(v.Type) != cls32 || !g.zeroAbove(v.Args[0]) {
				return v
			}
		default:
			return v
		}
		v = v.Args[0]
	}
}

// zeroAbove reports whether the register of v, an i8 or i16, is known to have
// zeros above v's width: unsigned narrow loads give them.
func (g *fgen) zeroAbove(v *ssa.Value) bool {
	r := g.root(v)
	if r.Type.Bits() > v.Type.Bits() || r.Type == ssa.I1 {
		return false
	}
	return r.Op == ssa.OpLoad && !g.signedLoad[r.ID] || r.Op == ssa.OpParam && g.f.Kernel
}

// constant returns v as an immediate operand.
func constant(v *ssa.Value) (ptx.Operand, bool) {
	switch v.Op {
	case ssa.OpConst:
		if v.Type == ssa.I1 {
			return ptx.I(v.Int & 1), true
		}
		return ptx.I(v.Int), true
	case ssa.OpFConst:
		return float(v.Type, v.Float), true
	case ssa.OpUndef: // any value is correct; zero is deterministic
		if v.Type.IsFloat() {
			return float(v.Type, 0), true
		}
		return ptx.I(0), true
	}
	return ptx.Operand{}, false
}

// float returns x, of type t, as an immediate operand.
func float(t ssa.Type, x float64) ptx.Operand {
	if t == ssa.F32 {
		return ptx.Operand{Kind: ptx.KindF32, Bits: uint64(math.Float32bits(float32(x)))}
	}
	return ptx.Operand{Kind: ptx.KindF64, Bits: math.Float64bits(x)}
}

// op returns v as an operand: an immediate or its register.
func (g *fgen) op(v *ssa.Value) ptx.Operand {
	r := g.root(v)
	if c, ok := constant(r); ok {
		if v.Type == ssa.I8 || v.Type == ssa.I16 { // v may be narrower than the root
			c.Int = c.Int << (64 - v.Type.Bits()) >> (64 - v.Type.Bits())
		}
		return c
	}
	g.demanded[r.ID] = true
	return reg(g.dst(r))
}

// reg returns v in a register.
func (g *fgen) reg(v *ssa.Value) ptx.Operand { return g.inReg(g.op(v), classOf(v.Type)) }

// inReg moves an immediate to a register of class c.
func (g *fgen) inReg(o ptx.Operand, c class) ptx.Operand {
	if o.Kind == ptx.KindReg {
		return o
	}
	return g.tmp(c, "mov."+classInfo[c].bits, o)
}

// pred returns the predicate register of v, an i1, and whether it holds the
// negation.
func (g *fgen) pred(v *ssa.Value) (p vreg, not bool) {
	for v.Op == ssa.OpNot {
		v, not = v.Args[0], !not
	}
	return vreg(g.reg(v).Bits), not
}

// ext returns v with the bits above its width defined: its sign or zero.
func (g *fgen) ext(v *ssa.Value, signed bool) ptx.Operand {
	if v.Type != ssa.I8 && v.Type != ssa.I16 {
		return g.op(v)
	}
	o := g.op(v)
	if o.Kind == ptx.KindInt {
		if !signed {
			o.Int &= 1<<v.Type.Bits() - 1
		}
		return o
	}
	if !signed && g.zeroAbove(v) {
		return o
	}
	return g.tmp(cls32, "cvt."+typed(signed, ssa.I32)+"."+typed(signed, v.Type), o)
}

// number returns v, an i1, as an integer register or immediate: ifTrue or 0.
func (g *fgen) number(v *ssa.Value, ifTrue int64) ptx.Operand {
	if c, ok := constant(v); ok {
		return ptx.I(c.Int & 1 * ifTrue)
	}
	p, not := g.pred(v)
	return g.tmp(cls32, "selp.b32", choice(ptx.I(ifTrue), ptx.I(0), p, not)...)
}

// choice orders the operands of a selp.
func choice(then, other ptx.Operand, p vreg, not bool) []ptx.Operand {
	if not {
		then, other = other, then
	}
	return []ptx.Operand{then, other, reg(p)}
}

// toMemory returns v in its representation in memory and parameters: a byte for an i1.
func (g *fgen) toMemory(v *ssa.Value) ptx.Operand {
	switch v.Type {
	case ssa.I1:
		return g.number(v, 1)
	case ssa.I8, ssa.I16:
		if o := g.op(v); o.Kind == ptx.KindInt {
			return g.ext(v, false)
		}
	}
	return g.op(v)
}

// typed returns the suffix of an integer type with its signedness: s32, u8.
// Pointers count as 64 bits.
func typed(signed bool, t ssa.Type) string {
	s := "u"
	if signed {
		s = "s"
	}
	switch t.Bits() {
	case 8:
		return s + "8"
	case 16:
		return s + "16"
	case 32:
		return s + "32"
	}
	return s + "64"
}

// wide returns the suffix of the arithmetic that computes t: narrow integers
// are computed in 32 bits.
func wide(signed bool, t ssa.Type) string {
	if t.Bits() < 32 {
		t = ssa.I32
	}
	return typed(signed, t)
}

// offset strips constant offsets from an address while their sum fits the
// instruction's 32-bit field.
func offset(p *ssa.Value) (base *ssa.Value, off int64) {
	for p.Op == ssa.OpPtrAdd && p.Args[1].Op == ssa.OpConst {
		sum := off + p.Args[1].Int
		if p.Args[1].Int != int64(int32(p.Args[1].Int)) || sum != int64(int32(sum)) {
			break
		}
		p, off = p.Args[0], sum
	}
	return p, off
}
