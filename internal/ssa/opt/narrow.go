package opt

import (
	"math"

	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Simplification by ranges.
// Source: none of the papers: 32-bit index arithmetic where ranges allow;
// the ranges are those of analysis.Ranges.
//
// The range of its operands may determine the result of an operation: a comparison that
// always holds, a mask or remainder that changes nothing, a minimum that is always the
// same operand. This removes guards that a kernel repeats, once at its entry and once in
// an inlined function.
//
//	v1 = special i32 "tid.x"      below 1024
//	v2 = and i32 v1, 2047         v2 is v1
//	v3 = slt i1 v1, 4096          v3 = const i1 true
//
// Values that fit in 32 bits are computed in 32 bits: 64-bit additions take
// two instructions and multiplications four or more. A comparison of two
// values with the same extension compares the narrow values; so does one of an
// extended value and a constant that fits. Whether loaded bytes are equal does not depend on
// their signs. The low half of a sum, difference,
// product or bitwise operation is that operation on the low halves. The
// factors of a product that both fit in 32 bits are replaced by extensions of
// their low halves, so that code generation selects a widening 32-bit
// multiplication.
//
//	v4 = sext i64 v1                  v6 = slt i1 v1, v2
//	v5 = sext i64 v2
//	v6 = slt i1 v4, v5
//
// Extensions of which only the low bits matter are left out (narrow_low.go).
//
// A constant that is a multiple of the divisor is moved out of a right shift,
// toward an address.
//
// What it will not do: narrow a value whose wide form has other uses, except
// for one multiplication; narrow values below 32 bits, which are computed in 32
// bits anyway; resolve a comparison of floats.
func narrow(f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	r.Count("extensions", keepLow(f))
	dom := analysis.Dominators(f)
	n := &narrower{
		inserter: inserter{f: f}, ranges: analysis.Ranges(f, dom), uses: analysis.Uses(f), subst: newSubst(f),
		fits: make(map[*ssa.Value]analysis.Range), wide: make(map[*ssa.Value]*ssa.Value),
	}
	for _, b := range dom.Order() {
		n.block(b)
	}
	n.subst.apply(f)
	r.Count("decided", n.decided)
	r.Count("narrowed", n.narrowed)
	r.Count("widened", n.widened)
}

type narrower struct {
	inserter
	ranges *analysis.RangeInfo
	uses   *analysis.UseLists
	subst  *subst
	fits   map[*ssa.Value]analysis.Range // of values made by the pass
	wide   map[*ssa.Value]*ssa.Value     // of selects of less than 32 bits: their sign extensions

	decided, narrowed, widened int
}

func (n *narrower) block(b *ssa.Block) {
	n.out = n.out[:0]
	for _, v := range b.Values {
		n.subst.args(v)
		n.at = v
		if v.Mergeable() && len(v.Args) > 0 {
			if by := n.decide(b, v); by != nil {
				n.decided++
				n.subst.replace(v, by)
				continue
			}
			if n.shrink(b, v) {
				n.narrowed++
			}
			n.widenChoice(b, v)
		}
		n.out = append(n.out, v)
	}
	setValues(b, n.out)
}

// decide returns the value of v if the ranges of its operands determine it, or nil.
func (n *narrower) decide(b *ssa.Block, v *ssa.Value) *ssa.Value {
	x := v.Args[0]
	switch v.Op {
	case ssa.OpAnd, ssa.OpSMin, ssa.OpSMax, ssa.OpUMin, ssa.OpUMax:
		return n.choose(b, v)
	case ssa.OpURem, ssa.OpSRem, ssa.OpUDiv, ssa.OpSDiv:
		return n.remainder(b, v)
	case ssa.OpAbs:
		if n.ranges.At(x, b).NonNegative() {
			return x
		}
	case ssa.OpSExt, ssa.OpZExt:
		return n.extended(b, v)
	}
	if v.Op.IsIntCompare() {
		if truth, ok := n.ranges.Decide(v, b); ok {
			if truth {
				return n.int(ssa.I1, -1)
			}
			return n.int(ssa.I1, 0)
		}
	}
	return nil
}

// choose returns the operand that a mask or minimum leaves unchanged.
func (n *narrower) choose(b *ssa.Block, v *ssa.Value) *ssa.Value {
	x, y := v.Args[0], v.Args[1]
	r, s := n.ranges.At(x, b), n.ranges.At(y, b)
	signless := r.NonNegative() && s.NonNegative()
	switch v.Op {
	case ssa.OpAnd:
		mask, ok := constant(y)
		if ok && mask > 0 && mask&(mask+1) == 0 && r.Within(analysis.Range{Lo: 0, Hi: mask}) {
			return x
		}
		return nil
	case ssa.OpSMax, ssa.OpUMax:
		r, s = s, r
	}
	switch {
	case (v.Op == ssa.OpUMin || v.Op == ssa.OpUMax) && !signless:
	case r.Hi <= s.Lo:
		return x
	case s.Hi <= r.Lo:
		return y
	}
	return nil
}

// remainder simplifies the division of a value below its divisor: x % m is x,
// and x / m is 0. So a sum that is reduced modulo m takes one remainder per
// iteration, and none for its first term, which is below m already.
func (n *narrower) remainder(b *ssa.Block, v *ssa.Value) *ssa.Value {
	r, s := n.ranges.At(v.Args[0], b), n.ranges.At(v.Args[1], b)
	switch {
	case !r.NonNegative() || s.Lo <= r.Hi:
		return nil
	case v.Op == ssa.OpUDiv || v.Op == ssa.OpSDiv:
		return n.int(v.Type, 0)
	}
	return v.Args[0]
}

// shrink makes v an operation on narrower operands, in place.
func (n *narrower) shrink(b *ssa.Block, v *ssa.Value) bool {
	switch {
	case v.Op.IsIntCompare():
		return n.comparison(v)
	case v.Op == ssa.OpTrunc:
		return n.low(b, v)
	case v.Op == ssa.OpLShr || v.Op == ssa.OpAShr:
		return n.shifted(b, v)
	case v.Op == ssa.OpMul && v.Type == ssa.I64:
		return n.product(b, v)
	}
	return false
}

// shifted moves a constant out of a right shift by k, if it is a multiple of
// 2^k: (x + c) >> k is (x >> k) + (c >> k) when neither x nor the sum is
// negative or wraps.
func (n *narrower) shifted(b *ssa.Block, v *ssa.Value) bool {
	k, isConstant := constant(v.Args[1])
	inner, c, ok := withConstant(v.Args[0], ssa.OpAdd)
	if !isConstant || !ok || k <= 0 || k >= int64(v.Type.Bits())-1 || c <= 0 || c&(1<<k-1) != 0 {
		return false
	}
	r := n.ranges.At(inner, b)
	if !r.NonNegative() || r.Hi > analysis.FullRange(v.Type).Hi-c {
		return false
	}
	// A sum of two non-negative values that fit.
	reset(v, ssa.OpAdd, n.make(ssa.OpLShr, v.Type, inner, v.Args[1]), n.int(v.Type, c>>k))
	v.NoWrap = true
	return true
}

// comparison compares extended values before their extension. Zero-extended
// values are non-negative, so the comparison becomes unsigned.
func (n *narrower) comparison(v *ssa.Value) bool {
	x, y := v.Args[0], v.Args[1]
	if n.loaded(x) && (v.Op == ssa.OpEq || v.Op == ssa.OpNe) {
		return n.bytes(v, x, y)
	}
	if x.Op != ssa.OpSExt && x.Op != ssa.OpZExt || x.Args[0].Type != ssa.I32 {
		return false
	}
	signed := x.Op == ssa.OpSExt
	op := v.Op
	if !signed {
		op = op.Unsigned()
	}
	switch {
	case y.Op == x.Op && y.Args[0].Type == ssa.I32:
		reset(v, op, x.Args[0], y.Args[0])
		return true
	case y.Op != ssa.OpConst:
		return false
	case signed && y.Int == int64(int32(y.Int)), !signed && 0 <= y.Int && y.Int <= math.MaxUint32:
		reset(v, op, x.Args[0], n.int(ssa.I32, y.Int))
		return true
	}
	return false
}

// bytes makes v, an equality of x and y, one of what x and y extend: without their sign loaded
// integers of less than 32 bits are extended by the load, or by the extraction from a vector.
func (n *narrower) bytes(v, x, y *ssa.Value) bool {
	from := x.Args[0]
	switch {
	case n.loaded(y) && y.Args[0].Type == from.Type:
		reset(v, v.Op, from, y.Args[0])
	case y.Op == ssa.OpConst && y.Int == ssa.SignExtend(from.Type, y.Int):
		reset(v, v.Op, from, n.int(from.Type, y.Int))
	default:
		return false
	}
	return true
}

// loaded reports whether v is the sign extension of an integer of less than 32 bits that is
// loaded for nothing else, and has one use.
func (n *narrower) loaded(v *ssa.Value) bool {
	if v.Op != ssa.OpSExt || n.count(v) != 1 {
		return false
	}
	x := v.Args[0]
	return x.Op == ssa.OpLoad && (x.Type == ssa.I8 || x.Type == ssa.I16) && n.count(x) == 1
}

// low computes the low bits of a 64-bit operation from the low halves of its operands,
// when it has no other uses.
func (n *narrower) low(b *ssa.Block, v *ssa.Value) bool {
	x := v.Args[0]
	if x.Type != ssa.I64 || v.Type == ssa.I1 || !n.lowers(x) {
		return false
	}
	y := n.half(b, x, maxLowDepth)
	if v.Type != ssa.I32 {
		v.Args[0] = y
		return true
	}
	n.out = n.out[:len(n.out)-1] // v takes its place
	reset(v, y.Op, y.Args...)
	if r, ok := n.fits[y]; ok {
		n.fits[v] = r
	}
	return true
}

// maxLowDepth bounds the operands of operands whose low halves are computed.
const maxLowDepth = 6

// lowers reports whether the low half of x follows from those of its operands, and x has one
// use.
func (n *narrower) lowers(x *ssa.Value) bool {
	switch x.Op {
	case ssa.OpAdd, ssa.OpSub, ssa.OpMul, ssa.OpAnd, ssa.OpOr, ssa.OpXor:
		return n.count(x) == 1
	}
	return false
}

// half returns the low half of x, a value of 64 bits, before the current value.
func (n *narrower) half(b *ssa.Block, x *ssa.Value, depth int) *ssa.Value {
	var v *ssa.Value
	switch {
	case x.Op == ssa.OpConst:
		return n.int(ssa.I32, int64(int32(x.Int)))
	case (x.Op == ssa.OpSExt || x.Op == ssa.OpZExt) && x.Args[0].Type == ssa.I32:
		return x.Args[0]
	case x.Op == ssa.OpSExt || x.Op == ssa.OpZExt:
		v = n.make(x.Op, ssa.I32, x.Args[0])
	case n.lowers(x) && depth > 0:
		v = n.make(x.Op, ssa.I32, n.half(b, x.Args[0], depth-1), n.half(b, x.Args[1], depth-1))
	default:
		v = n.make(ssa.OpTrunc, ssa.I32, x)
	}
	if r := n.rangeOf(b, x); r.Within(analysis.FullRange(ssa.I32)) {
		n.fits[v] = r
	}
	return v
}

// rangeOf returns the range of v in b, also of a value that the pass has made.
func (n *narrower) rangeOf(b *ssa.Block, v *ssa.Value) analysis.Range {
	r := n.ranges.At(v, b)
	if known, ok := n.fits[v]; ok {
		r = known
	}
	return r
}

// count is the number of uses of a value that existed before the pass.
func (n *narrower) count(v *ssa.Value) int {
	if v.ID >= n.uses.Len() {
		return 2
	}
	return n.uses.Count(v)
}

// product replaces the factors by extensions when they fit in 32 bits.
func (n *narrower) product(b *ssa.Block, v *ssa.Value) bool {
	if v.Args[1].Op == ssa.OpConst {
		return false
	}
	fits := analysis.Range{Lo: math.MinInt32, Hi: math.MaxInt32}
	wide := 0
	for _, a := range v.Args {
		if !n.ranges.At(a, b).Within(fits) {
			return false
		}
		if a.Op != ssa.OpSExt || a.Args[0].Type != ssa.I32 {
			wide++
		}
	}
	if wide == 0 {
		return false
	}
	args := [2]*ssa.Value{v.Args[0], v.Args[1]}
	for i, a := range args {
		if a.Op != ssa.OpSExt || a.Args[0].Type != ssa.I32 {
			args[i] = n.make(ssa.OpSExt, ssa.I64, n.make(ssa.OpTrunc, ssa.I32, a))
		}
	}
	reset(v, ssa.OpMul, args[0], args[1])
	return true
}
