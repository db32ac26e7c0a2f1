package analysis

import (
	"math"
	"math/bits"

	"irgl/internal/ssa"
)

// transfer computes the range of v from those of its operands.
func (r *RangeInfo) transfer(v *ssa.Value) Range {
	full := FullRange(v.Type)
	arg := func(i int) Range { return r.At(v.Args[i], v.Block) }
	switch {
	case v.Op == ssa.OpConst:
		return Range{v.Int, v.Int}
	case v.Op == ssa.OpSpecial:
		return r.special(v).meet(full)
	case v.Op.IsIntBinary():
		x, ok := binaryRange(v.Op, v.Type, arg(0), r.At(v.Args[1], v.Block))
		switch {
		case v.NoWrap:
			return exactRange(v.Op, arg(0), r.At(v.Args[1], v.Block), x, ok).meet(full)
		case !ok || !x.Within(full):
			return full
		}
		return x
	case v.Op.IsIntCompare():
		if truth, ok := r.Decide(v, v.Block); ok && truth {
			return Range{-1, -1}
		} else if ok {
			return Range{0, 0}
		}
		return full
	case v.Op == ssa.OpSelect:
		return r.chosen(v)
	}
	switch v.Op {
	case ssa.OpNeg:
		if x := arg(0); x.Lo > full.Lo {
			return Range{-x.Hi, -x.Lo}
		}
	case ssa.OpNot:
		x := arg(0)
		return Range{^x.Hi, ^x.Lo}
	case ssa.OpAbs:
		x := arg(0)
		switch {
		case x.Lo >= 0:
			return x
		case x.Lo > full.Lo:
			return Range{0, max(-x.Lo, x.Hi)}
		}
	case ssa.OpPopc, ssa.OpClz:
		return Range{0, int64(v.Args[0].Type.Bits())}
	case ssa.OpTrunc:
		if x := arg(0); x.Within(full) && v.Type != ssa.I1 {
			return x
		}
	case ssa.OpSExt:
		return arg(0)
	case ssa.OpZExt:
		if x := arg(0); x.Lo >= 0 {
			return x
		}
		return Range{0, int64(1)<<v.Args[0].Type.Bits() - 1}
	}
	return full
}

// chosen joins the arms of a select, each under its condition.
func (r *RangeInfo) chosen(v *ssa.Value) Range {
	c, x, y := v.Args[0], r.At(v.Args[1], v.Block), r.At(v.Args[2], v.Block)
	if c.Op.IsIntCompare() && c.Args[0].Type.IsInt() {
		for i, op := range [2]ssa.Op{c.Op, swapped[c.Op]} {
			other := r.At(c.Args[1-i], v.Block)
			if c.Args[i] == v.Args[1] {
				x = narrow(x, op, other)
			}
			if c.Args[i] == v.Args[2] {
				y = narrow(y, negated[op], other)
			}
		}
	}
	return x.union(y)
}

// special returns the range of a special register.
func (r *RangeInfo) special(v *ssa.Value) Range {
	const threads, blocks, blocksYZ, cluster = 1024, math.MaxInt32, 65535, 16
	limit := int64(threads)
	if n := r.f.MaxThreads; n > 0 && r.f.Kernel {
		limit = min(limit, int64(n))
	}
	register, _ := v.Sym.(ssa.Register)
	name, axis := register.Split()
	if axis == "z" {
		limit = min(limit, 64)
	}
	grid := int64(blocks)
	if axis != "x" {
		grid = blocksYZ
	}
	switch name {
	case "tid":
		return Range{0, limit - 1}
	case "ntid":
		return Range{1, limit}
	case "ctaid", "clusterid":
		return Range{0, grid - 1}
	case "nctaid", "nclusterid":
		return Range{1, grid}
	case "cluster_ctarank", "cluster_ctaid":
		return Range{0, cluster - 1}
	case "cluster_nctarank", "cluster_nctaid":
		return Range{1, cluster}
	case "laneid":
		return Range{0, 31}
	}
	return FullRange(v.Type)
}

// binaryRange returns the range of x op y over unbounded integers: the caller
// checks that it fits the type t. ok is false if nothing is known.
//
//irgl:flatswitch
func binaryRange(op ssa.Op, t ssa.Type, x, y Range) (Range, bool) {
	positive := x.Lo >= 0 && y.Lo >= 0
	switch op {
	case ssa.OpAdd:
		lo, ok1 := addExact(x.Lo, y.Lo)
		hi, ok2 := addExact(x.Hi, y.Hi)
		return Range{lo, hi}, ok1 && ok2
	case ssa.OpSub:
		if y.Lo == math.MinInt64 {
			return Range{}, false
		}
		lo, ok1 := addExact(x.Lo, -y.Hi)
		hi, ok2 := addExact(x.Hi, -y.Lo)
		return Range{lo, hi}, ok1 && ok2
	case ssa.OpMul:
		return mulRange(x, y)
	case ssa.OpShl:
		if y.Lo < 0 || y.Hi >= int64(t.Bits()) || y.Hi > 62 {
			return Range{}, false
		}
		return mulRange(x, Range{1 << y.Lo, 1 << y.Hi})
	case ssa.OpLShr:
		n, ok := y.Const()
		switch {
		case x.Lo >= 0 && y.Lo >= 0:
			return Range{0, x.Hi >> min(y.Lo, 63)}, true
		case ok && 0 < n && n < int64(t.Bits()):
			return Range{0, int64(1)<<(int64(t.Bits())-n) - 1}, true
		}
	case ssa.OpAShr:
		if n, ok := y.Const(); ok && n >= 0 {
			return Range{x.Lo >> min(n, 63), x.Hi >> min(n, 63)}, true
		}
		if y.Lo >= 0 {
			return Range{min(x.Lo, 0), max(x.Hi, -1)}, true
		}
	case ssa.OpAnd:
		switch {
		case positive:
			return Range{0, min(x.Hi, y.Hi)}, true
		case x.Lo >= 0:
			return Range{0, x.Hi}, true
		case y.Lo >= 0:
			return Range{0, y.Hi}, true
		}
	case ssa.OpOr:
		if positive {
			return Range{max(x.Lo, y.Lo), bitsBelow(x.Hi | y.Hi).Hi}, true
		}
	case ssa.OpXor:
		if positive {
			return bitsBelow(x.Hi | y.Hi), true
		}
	case ssa.OpSDiv:
		if n, ok := y.Const(); ok && n > 0 {
			return Range{x.Lo / n, x.Hi / n}, true
		}
		if x.Lo >= 0 && y.Lo > 0 {
			return Range{0, x.Hi / y.Lo}, true
		}
	case ssa.OpUDiv:
		switch {
		case x.Lo >= 0 && y.Lo > 0:
			return Range{x.Lo / y.Hi, x.Hi / y.Lo}, true
		case y.Lo > 1: // a divisor of at least 2 clears the sign bit
			return Range{0, int64(ssa.ZeroExtend(t, -1) / uint64(y.Lo))}, true
		}
	case ssa.OpSRem:
		switch {
		case y.Lo <= 0: // the remainder of a division by zero is the dividend
		case x.Lo >= 0:
			return Range{0, min(x.Hi, y.Hi-1)}, true
		default:
			return Range{max(x.Lo, 1-y.Hi), min(max(x.Hi, 0), y.Hi-1)}, true
		}
	case ssa.OpURem:
		switch {
		case y.Lo > 0 && x.Lo >= 0:
			return Range{0, min(x.Hi, y.Hi-1)}, true
		case y.Lo > 0:
			return Range{0, y.Hi - 1}, true
		case positive:
			return Range{0, x.Hi}, true
		}
	case ssa.OpSMin:
		return Range{min(x.Lo, y.Lo), min(x.Hi, y.Hi)}, true
	case ssa.OpSMax:
		return Range{max(x.Lo, y.Lo), max(x.Hi, y.Hi)}, true
	case ssa.OpUMin:
		switch {
		case positive:
			return Range{min(x.Lo, y.Lo), min(x.Hi, y.Hi)}, true
		case x.Lo >= 0:
			return Range{0, x.Hi}, true
		case y.Lo >= 0:
			return Range{0, y.Hi}, true
		}
	case ssa.OpUMax:
		if positive {
			return Range{max(x.Lo, y.Lo), max(x.Hi, y.Hi)}, true
		}
	case ssa.OpMulHiU, ssa.OpMulHiS:
		if positive {
			hi, lo := bits.Mul64(uint64(x.Hi), uint64(y.Hi))
			if t.Bits() < 64 {
				hi = hi<<(64-t.Bits()) | lo>>t.Bits()
			}
			return Range{0, int64(hi)}, true
		}
	}
	return Range{}, false
}

func addExact(x, y int64) (int64, bool) {
	s := x + y
	return s, (s > x) == (y > 0)
}

// exactRange returns x op y if the sum, difference or product promises not to
// wrap: exact is the result if ok. Bounds beyond 64 bits are clamped.
func exactRange(op ssa.Op, x, y, exact Range, ok bool) Range {
	switch {
	case ok:
		return exact
	case op == ssa.OpAdd:
		return Range{addLimited(x.Lo, y.Lo), addLimited(x.Hi, y.Hi)}
	case op == ssa.OpSub && y.Lo > math.MinInt64:
		return Range{addLimited(x.Lo, -y.Hi), addLimited(x.Hi, -y.Lo)}
	case x.Lo >= 0 && y.Lo >= 0:
		return Range{0, math.MaxInt64}
	}
	return Range{math.MinInt64, math.MaxInt64}
}

// addLimited is a saturating 64-bit addition.
func addLimited(x, y int64) int64 {
	switch s, ok := addExact(x, y); {
	case ok:
		return s
	case y > 0:
		return math.MaxInt64
	}
	return math.MinInt64
}

// mulRange multiplies the bounds; ok is false if a product does not fit in 64 bits.
func mulRange(x, y Range) (Range, bool) {
	var all Range
	for i, p := range [4][2]int64{{x.Lo, y.Lo}, {x.Lo, y.Hi}, {x.Hi, y.Lo}, {x.Hi, y.Hi}} {
		n, ok := mulExact(p[0], p[1])
		if !ok {
			return Range{}, false
		}
		if i == 0 {
			all = Range{n, n}
		}
		all = all.union(Range{n, n})
	}
	return all, true
}

func mulExact(x, y int64) (int64, bool) {
	if x == 0 || y == 0 {
		return 0, true
	}
	n := x * y
	return n, n/y == x && !(x == -1 && y == math.MinInt64) && !(y == -1 && x == math.MinInt64)
}
