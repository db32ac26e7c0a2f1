package opt

import (
	"math"

	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Pointer arithmetic reassociation.
// Source: gpucc, section 3.4.1.
//
// PTX addresses memory by a register and a constant. An address is computed by
// widening an index, multiplying it and adding it to a pointer; a constant that
// was added to the index is caught inside. The pass moves constants outward
// through each step, so that the address becomes a variable part, which the
// neighbours share, and a constant, which the access takes in.
//
//	v2 = add i32 v1, 3            v1 is known not to be near its upper end
//	v3 = sext i64 v2              v3' = sext i64 v1
//	v4 = shl i64 v3, 2            v4' = shl i64 v3', 2
//	v5 = ptradd ptr v0, v4        v5' = ptradd ptr v0, v4'
//	                              v5 = ptradd ptr v5', 12
//
// A constant leaves a widening only if the addition cannot wrap in the
// narrower type. Ranges (analysis.Ranges) prove it: of thread numbers, loop
// counters with a bound, masked numbers. Or the addition promises it
// (ssa.Op.MayPromise), as all signed arithmetic of CUDA text does; then the
// constant leaves sums, differences and products, too, which are computed in 64
// bits from then on:
//
//	v3 = add i32 v1, 1 nsw          v5 = sext i64 v1
//	v4 = add i32 v3, v2 nsw         v6 = sext i64 v2
//	v5 = sext i64 v4                v7 = add i64 v5, v6, and 1 outside
//
// It leaves multiplications by
// constants, shifts, sums, differences and pointer additions of 64 bits freely,
// as arithmetic there wraps alike on both sides.
//
// Each address is followed inward for at most maxLinear steps. Only what becomes
// an address is written anew, so an index that is wanted for itself stays.
//
// What it will not do: widen a sum without a constant in it, though it were
// known not to wrap: 64-bit arithmetic costs twice, and nothing is shared by it.
func addresses(f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	dom := analysis.Dominators(f)
	a := &addresser{inserter: inserter{f: f}, ranges: analysis.Ranges(f, dom)}
	for _, b := range dom.Order() {
		a.block(b)
	}
	r.Count("constants", a.moved)
}

const maxLinear = 8 // steps from an address inward

type addresser struct {
	inserter
	ranges *analysis.RangeInfo
	moved  int
}

// block rewrites the pointer additions of b.
func (a *addresser) block(b *ssa.Block) {
	changed := false
	a.out = make([]*ssa.Value, 0, len(b.Values))
	for _, v := range b.Values {
		if v.Op == ssa.OpPtrAdd && v.Args[1].Op != ssa.OpConst {
			a.at = v
			if rest, off := a.split(v.Args[1], maxLinear); off != 0 && off == int64(int32(off)) {
				inner := a.make(ssa.OpPtrAdd, v.Type, v.Args[0], rest)
				reset(v, ssa.OpPtrAdd, inner, a.int(ssa.I64, off))
				a.moved++
				changed = true
			}
		}
		a.out = append(a.out, v)
	}
	if changed {
		b.Values = a.out
	}
}

// split returns v, an i64, as a value and a constant that add up to it. It
// makes the value if there is a constant to take out.
func (a *addresser) split(v *ssa.Value, depth int) (*ssa.Value, int64) {
	if depth <= 0 {
		return v, 0
	}
	switch v.Op {
	case ssa.OpAdd, ssa.OpSub:
		return a.sum(v, depth)
	case ssa.OpMul, ssa.OpShl:
		c, ok := constant(v.Args[1])
		if !ok || v.Op == ssa.OpShl && (c < 0 || c > 62) {
			return v, 0
		}
		scale := c
		if v.Op == ssa.OpShl {
			scale = 1 << c
		}
		rest, off := a.split(v.Args[0], depth-1)
		product, exact := off*scale, scale == 0 || off*scale/scale == off
		if off == 0 || !exact {
			return v, 0
		}
		return a.make(v.Op, v.Type, rest, v.Args[1]), product
	case ssa.OpSExt:
		if c := a.within(v.Args[0], depth-1); c != 0 {
			return a.widen(v.Args[0], depth-1), c
		}
	case ssa.OpZExt:
		x := v.Args[0]
		if inner, c, ok := withConstant(x, ssa.OpAdd); ok && a.safe(v.Op, x, inner, c) {
			return a.make(v.Op, v.Type, inner), c
		}
	}
	return v, 0
}

// sum splits both sides of an addition or subtraction.
func (a *addresser) sum(v *ssa.Value, depth int) (*ssa.Value, int64) {
	x, y := v.Args[0], v.Args[1]
	if c, ok := constant(y); ok {
		if v.Op == ssa.OpSub {
			c = -c
		}
		rest, off := a.split(x, depth-1)
		return rest, off + c
	}
	left, i := a.split(x, depth-1)
	right, j := a.split(y, depth-1)
	if i == 0 && j == 0 {
		return v, 0
	}
	if v.Op == ssa.OpSub {
		j = -j
	}
	return a.make(v.Op, v.Type, left, right), i + j
}

// within returns the constant that x, which is widened with its sign, has inside
// it: x as an exact number is that constant and the rest, which widen makes.
func (a *addresser) within(x *ssa.Value, depth int) int64 {
	if depth <= 0 || len(x.Args) != 2 {
		return 0
	}
	left, right := x.Args[0], x.Args[1]
	c, isConstant := constant(right)
	switch {
	case x.Op == ssa.OpAdd && isConstant:
		if x.NoWrap || a.safe(ssa.OpSExt, x, left, c) {
			return a.within(left, depth-1) + c
		}
	case !x.NoWrap:
	case x.Op == ssa.OpAdd:
		return a.within(left, depth-1) + a.within(right, depth-1)
	case x.Op == ssa.OpSub:
		return a.within(left, depth-1) - a.within(right, depth-1)
	case x.Op == ssa.OpMul && isConstant:
		return a.scaled(left, c, depth)
	case x.Op == ssa.OpShl && isConstant && 0 <= c && c < 31:
		return a.scaled(left, 1<<c, depth)
	}
	return 0
}

// scaled is within for a product; what does not fit an address stays inside.
func (a *addresser) scaled(x *ssa.Value, scale int64, depth int) int64 {
	inside := a.within(x, depth-1)
	if product := inside * scale; inside == int64(int32(inside)) && product == int64(int32(product)) {
		return product
	}
	return 0
}

// widen makes the rest of x, without the constant that within found, in 64
// bits. Parts that have none are widened as they are.
func (a *addresser) widen(x *ssa.Value, depth int) *ssa.Value {
	if a.within(x, depth) == 0 {
		return a.make(ssa.OpSExt, ssa.I64, x)
	}
	left, right := x.Args[0], x.Args[1]
	switch {
	case x.Op == ssa.OpAdd && right.Op == ssa.OpConst:
		return a.widen(left, depth-1)
	case x.Op == ssa.OpShl:
		return a.make(x.Op, ssa.I64, a.widen(left, depth-1), right)
	case x.Op == ssa.OpMul:
		return a.make(x.Op, ssa.I64, a.widen(left, depth-1), a.int(ssa.I64, right.Int))
	}
	return a.make(x.Op, ssa.I64, a.widen(left, depth-1), a.widen(right, depth-1))
}

// safe reports whether widening x, which is inner + c in its own type, is
// widening inner and adding c.
func (a *addresser) safe(op ssa.Op, x, inner *ssa.Value, c int64) bool {
	r := a.ranges.At(inner, a.at.Block)
	full := analysis.FullRange(x.Type)
	if r.Hi > math.MaxInt64-max(c, 0) || r.Lo < math.MinInt64-min(c, 0) {
		return false
	}
	moved := analysis.Range{Lo: r.Lo + c, Hi: r.Hi + c}
	if op == ssa.OpZExt {
		// Without signs: neither the sum nor inner may be negative.
		return r.Lo >= 0 && moved.Lo >= 0 && moved.Within(full)
	}
	return moved.Within(full)
}
