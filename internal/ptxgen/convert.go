package ptxgen

import (
	"irgl/internal/ptx"
	"irgl/internal/ssa"
)

// comparison gives the PTX operator of a comparison, whether it is signed, and
// the same comparison with its arguments exchanged.
var comparison = [...]struct {
	op     string
	signed bool
	swap   string
}{
	ssa.OpEq: {"eq", false, "eq"}, ssa.OpNe: {"ne", false, "ne"},
	ssa.OpSLt: {"lt", true, "gt"}, ssa.OpSLe: {"le", true, "ge"}, ssa.OpSGt: {"gt", true, "lt"}, ssa.OpSGe: {"ge", true, "le"},
	ssa.OpULt: {"lt", false, "gt"}, ssa.OpULe: {"le", false, "ge"}, ssa.OpUGt: {"gt", false, "lt"}, ssa.OpUGe: {"ge", false, "le"},
	ssa.OpFEq: {"eq", false, "eq"}, ssa.OpFNe: {"neu", false, "neu"},
	ssa.OpFLt: {"lt", false, "gt"}, ssa.OpFLe: {"le", false, "ge"}, ssa.OpFGt: {"gt", false, "lt"}, ssa.OpFGe: {"ge", false, "le"},
}

// compare emits a comparison to a predicate.
func (g *fgen) compare(v *ssa.Value) {
	c := comparison[v.Op]
	x, y, op := v.Args[0], v.Args[1], c.op
	if _, ok := constant(x); ok {
		x, y, op = y, x, c.swap
	}
	t := x.Type
	switch {
	case t == ssa.I1:
		one := int64(1)
		if c.signed {
			one = -1
		}
		a := g.inReg(g.number(x, one), cls32)
		g.def(v, "setp."+op+"."+typed(c.signed, ssa.I32), a, g.number(y, one))
	case t.IsFloat():
		g.def(v, "setp."+op+"."+t.String(), g.reg(x), g.op(y))
	default:
		a := g.inReg(g.ext(x, c.signed), classOf(t))
		// Equality is the same signed and unsigned; s32 is the conventional suffix for an int.
		g.def(v, "setp."+op+"."+wide(c.signed || op == "eq" || op == "ne", t), a, g.ext(y, c.signed))
	}
}

// predicate emits an operation on i1 values as logic on predicates, and
// reports whether there is one.
func (g *fgen) predicate(v *ssa.Value) bool {
	op := ""
	switch v.Op {
	case ssa.OpAnd, ssa.OpMul:
		op = "and"
	case ssa.OpOr:
		op = "or"
	case ssa.OpXor, ssa.OpAdd, ssa.OpSub, ssa.OpNe:
		op = "xor"
	case ssa.OpNot:
		g.def(v, "not.pred", g.reg(v.Args[0]))
		return true
	case ssa.OpEq:
		t := g.tmp(clsPred, "xor.pred", g.reg(v.Args[0]), g.reg(v.Args[1]))
		g.def(v, "not.pred", t)
		return true
	case ssa.OpSelect:
		g.selectPredicate(v)
		return true
	default:
		return false
	}
	g.def(v, op+".pred", g.reg(v.Args[0]), g.reg(v.Args[1]))
	return true
}

// selectPredicate emits c ? x : y on predicates, which selp cannot do, as
// (c and x) or (not c and y); a constant arm leaves one of the two.
func (g *fgen) selectPredicate(v *ssa.Value) {
	c, x, y := v.Args[0], v.Args[1], v.Args[2]
	not := func() ptx.Operand { return g.tmp(clsPred, "not.pred", g.reg(c)) }
	xc, xConst := constant(x)
	yc, yConst := constant(y)
	switch {
	case xConst && xc.Int == 1:
		g.def(v, "or.pred", g.reg(c), g.reg(y))
	case xConst:
		g.def(v, "and.pred", not(), g.reg(y))
	case yConst && yc.Int == 0:
		g.def(v, "and.pred", g.reg(c), g.reg(x))
	case yConst:
		g.def(v, "or.pred", not(), g.reg(x))
	default:
		a := g.tmp(clsPred, "and.pred", g.reg(c), g.reg(x))
		b := g.tmp(clsPred, "and.pred", not(), g.reg(y))
		g.def(v, "or.pred", a, b)
	}
}

// convert emits a conversion between integers and floats.
func (g *fgen) convert(v *ssa.Value) {
	a := v.Args[0]
	if g.root(v) != v { // no conversion needed: its users read the root's register
		return
	}
	t, from := v.Type, a.Type
	if g.convertChoice(v) {
		return
	}
	switch v.Op {
	case ssa.OpTrunc:
		g.truncate(v)
	case ssa.OpSExt, ssa.OpZExt:
		g.extend(v, v.Op == ssa.OpSExt)
	case ssa.OpSToF, ssa.OpUToF:
		signed := v.Op == ssa.OpSToF
		g.def(v, "cvt.rn."+t.String()+"."+wide(signed, from), g.inReg(g.ext(a, signed), classOf(from)))
	case ssa.OpFToS, ssa.OpFToU:
		g.toInt(v, v.Op == ssa.OpFToS)
	case ssa.OpFExt:
		g.def(v, "cvt.f64.f32", g.reg(a))
	case ssa.OpFRound:
		g.def(v, "cvt.rn.f32.f64", g.reg(a))
	default: // the same bits in another class of register
		if classOf(t) == clsPred || classOf(from) == clsPred || t.Bits() != from.Bits() {
			g.errorf(v, "from %s to %s", from, t)
			return
		}
		if g.uses[a.ID] == 1 && g.pack(v, a) {
			return
		}
		g.def(v, "mov.b"+typed(false, t)[1:], g.reg(a))
	}
}

// convertChoice emits a conversion to a float, or a bitcast to one, whose operand is a
// select between two constants, as a select between two floats, and reports whether it
// did. That is shorter, and works around ptxas, which from -O1 on drops the conversion
// of selp 1, 0 in some kernels (docs/rationale.md).
func (g *fgen) convertChoice(v *ssa.Value) bool {
	switch v.Op {
	case ssa.OpSToF, ssa.OpUToF:
	case ssa.OpBitcast:
		if !v.Type.IsFloat() {
			return false
		}
	default:
		return false
	}
	c, ok := choiceOf(v.Args[0])
	if !ok {
		return false
	}
	from := v.Args[0].Type
	operand := func(n int64) ptx.Operand {
		if v.Op != ssa.OpBitcast {
			return float(v.Type, ssa.IntToFloat(v.Op == ssa.OpSToF, from, v.Type, n))
		}
		o := float(v.Type, 0)
		o.Bits = ssa.ZeroExtend(from, n)
		return o
	}
	p, not := g.pred(c.cond)
	g.def(v, "selp."+v.Type.String(), choice(operand(c.then), operand(c.other), p, not)...)
	return true
}

// A constantChoice is cond ? then : other, of sign-extended integers.
type constantChoice struct {
	cond        *ssa.Value
	then, other int64
}

// choiceOf returns v, an integer, as a select between two constants.
func choiceOf(v *ssa.Value) (c constantChoice, ok bool) {
	switch {
	case v.Type == ssa.I1:
		return constantChoice{v, -1, 0}, true
	case v.Op == ssa.OpSelect && v.Args[1].Op == ssa.OpConst && v.Args[2].Op == ssa.OpConst:
		return constantChoice{v.Args[0], v.Args[1].Int, v.Args[2].Int}, true
	case v.Op != ssa.OpTrunc && v.Op != ssa.OpSExt && v.Op != ssa.OpZExt:
		return c, false
	}
	if c, ok = choiceOf(v.Args[0]); !ok {
		return c, false
	}
	for _, n := range []*int64{&c.then, &c.other} {
		if v.Op == ssa.OpZExt {
			*n = int64(ssa.ZeroExtend(v.Args[0].Type, *n))
		}
		*n = ssa.SignExtend(v.Type, *n)
	}
	return c, true
}

// truncate emits a truncation that needs an instruction: to a predicate, or
// from a 64-bit register.
func (g *fgen) truncate(v *ssa.Value) {
	a := v.Args[0]
	if v.Type == ssa.I1 {
		bits := classInfo[classOf(a.Type)].bits
		t := g.tmp(classOf(a.Type), "and."+bits, g.reg(a), ptx.I(1))
		g.def(v, "setp.ne."+wide(true, a.Type), t, ptx.I(0))
		return
	}
	if !g.unpack(v) {
		g.def(v, "cvt.u32.u64", g.reg(a))
	}
}

// extend emits an extension. A source that is known to be zero above its
// width, from its load, counts as 32 bits wide.
func (g *fgen) extend(v *ssa.Value, signed bool) {
	a := v.Args[0]
	if a.Type == ssa.I1 {
		one := int64(1)
		if signed {
			one = -1
		}
		p, not := g.pred(a)
		g.def(v, "selp."+classInfo[classOf(v.Type)].bits, choice(ptx.I(one), ptx.I(0), p, not)...)
		return
	}
	from := a.Type
	if !signed && from.Bits() < 32 && g.zeroAbove(a) {
		from = ssa.I32
	}
	g.def(v, "cvt."+wide(signed, v.Type)+"."+typed(signed, from), g.reg(a))
}

// toInt emits a conversion of a float to an integer, toward zero. PTX saturates; a
// narrow result is clamped to its range. NaN must give 0, which conversions from
// or to 64 bits do not: devices set the top bit.
func (g *fgen) toInt(v *ssa.Value, signed bool) {
	a := v.Args[0]
	op := "cvt.rzi." + wide(signed, v.Type) + "." + a.Type.String()
	bits := v.Type.Bits()
	if bits == 1 {
		g.errorf(v, "from %s to %s", a.Type, v.Type)
		return
	}
	x := g.reg(a)
	helped := a.Type == ssa.F64 || bits == 64
	if !helped && bits == 32 {
		g.def(v, op, x)
		return
	}
	t := g.tmp(classOf(v.Type), op, x)
	if helped {
		p := g.tmp(clsPred, "setp.num."+a.Type.String(), x, x)
		selp := "selp." + classInfo[classOf(v.Type)].bits
		if bits >= 32 {
			g.def(v, selp, t, ptx.I(0), p)
			return
		}
		t = g.tmp(cls32, selp, t, ptx.I(0), p)
	}
	if signed {
		t = g.tmp(cls32, "min.s32", t, ptx.I(1<<(bits-1)-1))
		g.def(v, "max.s32", t, ptx.I(-1<<(bits-1)))
		return
	}
	g.def(v, "min.u32", t, ptx.I(1<<bits-1))
}
