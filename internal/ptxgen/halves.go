package ptxgen

import (
	"irgl/internal/ptx"
	"irgl/internal/ssa"
)

// This file splits 64-bit values into words, combines words, and finds funnel
// shifts: one instruction for several operations.
//
//	v2 = trunc i32 v1                    mov.b64 {%r1, %r2}, %rd1;
//	v3 = trunc i32 (lshr i64 v1, 32)
//	or i64 (zext v2), (shl i64 (zext v3), 32)   mov.b64 %rd2, {%r1, %r2};
//	or i64 (zext v2), 1 << 32                   mov.b64 %rd2, {%r1, %r3};   %r3 is 1
//	or i32 (shl v4, 13), (lshr v5, 19)          shf.l.wrap.b32 %r6, %r5, %r4, 13;

// A splitHalf is one of two truncations in a block that are the lower and the
// upper half of a value.
type splitHalf struct {
	whole *ssa.Value
	high  bool
	other *ssa.Value // the truncation to the other half
	first bool       // it precedes the other
	both  bool       // of the first: the second is used, too
}

// half returns the 64-bit value of which v, an i32, is a half.
func half(v *ssa.Value) (whole *ssa.Value, high, ok bool) {
	if v.Op != ssa.OpTrunc || v.Type != ssa.I32 || v.Args[0].Type != ssa.I64 {
		return nil, false, false
	}
	a := v.Args[0]
	if (a.Op == ssa.OpLShr || a.Op == ssa.OpAShr) && a.Args[1].Op == ssa.OpConst && a.Args[1].Int == 32 {
		return a.Args[0], true, true
	}
	return a, false, true
}

// findHalves pairs the halves that b computes.
func (g *fgen) findHalves(b *ssa.Block) {
	var found map[*ssa.Value]*ssa.Value // by the whole: the first half
	for _, v := range b.Values {
		whole, high, ok := half(v)
		if !ok || !g.live[v.ID] {
			continue
		}
		if found == nil {
			found = make(map[*ssa.Value]*ssa.Value)
		}
		u := found[whole]
		if u == nil {
			found[whole] = v
			continue
		}
		if _, other, _ := half(u); other == high || g.split[u] != nil {
			continue
		}
		if g.split == nil {
			g.split = make(map[*ssa.Value]*splitHalf)
		}
		g.split[u] = &splitHalf{whole: whole, high: !high, other: v, first: true}
		g.split[v] = &splitHalf{whole: whole, high: high, other: u}
	}
}

// unpack emits v, a truncation, together with that to the other half. The
// second of the two, which is visited first, leaves it to the first.
func (g *fgen) unpack(v *ssa.Value) bool {
	s := g.split[v]
	switch {
	case s == nil:
		return false
	case !s.first:
		g.demanded[s.other.ID] = true
		g.split[s.other].both = true
		g.dst(v)
		return true
	case !s.both:
		return false
	}
	low, high := v, s.other
	if s.high {
		low, high = high, low
	}
	whole := s.whole
	if whole.Op == ssa.OpBitcast && whole.Args[0].Type == ssa.F64 {
		whole = whole.Args[0]
	}
	g.ins("mov.b64", true, vector(reg(g.dst(low)), reg(g.dst(high))), g.reg(whole))
	return true
}

// halves returns the two registers that form v, an i64, as a vector operand.
func (g *fgen) halves(v *ssa.Value) (ptx.Operand, bool) {
	if v.Op != ssa.OpOr || v.Type != ssa.I64 {
		return ptx.Operand{}, false
	}
	for i, a := range v.Args {
		low := v.Args[1-i]
		if a.Op == ssa.OpConst && a.Int&(1<<32-1) == 0 && low.Op == ssa.OpZExt && low.Args[0].Type == ssa.I32 {
			return vector(g.reg(low.Args[0]), g.inReg(ptx.I(a.Int>>32), cls32)), true
		}
		if a.Op != ssa.OpShl || a.Args[1].Op != ssa.OpConst || a.Args[1].Int != 32 {
			continue
		}
		high := a.Args[0]
		if low.Op == ssa.OpZExt && low.Args[0].Type == ssa.I32 && (high.Op == ssa.OpZExt || high.Op == ssa.OpSExt) && high.Args[0].Type == ssa.I32 {
			return vector(g.reg(low.Args[0]), g.reg(high.Args[0])), true
		}
	}
	return ptx.Operand{}, false
}

// pack emits v, whose bits are those of the disjunction a, from the halves of
// a, if it combines two.
func (g *fgen) pack(v, a *ssa.Value) bool {
	halves, ok := g.halves(a)
	if ok {
		g.def(v, "mov.b64", halves)
	}
	return ok
}

// funnel emits v, a 32-bit disjunction, as a funnel shift if its operands are
// shifts by complementary counts: a rotation if both shift the same value.
func (g *fgen) funnel(v *ssa.Value) bool {
	if v.Type != ssa.I32 {
		return false
	}
	for i, left := range v.Args {
		right := v.Args[1-i]
		if left.Op != ssa.OpShl || right.Op != ssa.OpLShr || g.uses[left.ID] > 1 && g.uses[right.ID] > 1 {
			continue
		}
		k, l := left.Args[1], right.Args[1]
		if k.Op == ssa.OpConst && l.Op == ssa.OpConst && k.Int > 0 && l.Int > 0 && k.Int+l.Int == 32 {
			g.def(v, "shf.l.wrap.b32", g.reg(right.Args[0]), g.reg(left.Args[0]), ptx.I(k.Int))
			return true
		}
	}
	return false
}

func vector(list ...ptx.Operand) ptx.Operand {
	return ptx.Operand{Kind: ptx.KindVector, List: list}
}
