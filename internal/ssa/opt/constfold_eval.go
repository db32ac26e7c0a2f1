package opt

import (
	"math"
	"math/bits"

	"irgl/internal/ssa"
)

// foldInt computes an integer operation or comparison on x and y of type t, as
// ssa defines it. Both are sign-extended; the result need not be.
//
//irgl:flatswitch
func foldInt(op ssa.Op, t ssa.Type, x, y int64) (int64, bool) {
	ux, uy := ssa.ZeroExtend(t, x), ssa.ZeroExtend(t, y)
	width := uint64(t.Bits())
	count := uint64(uint32(y)) // of a shift
	truth := func(b bool) (int64, bool) {
		if b {
			return -1, true
		}
		return 0, true
	}
	switch op {
	case ssa.OpAdd, ssa.OpPtrAdd:
		return x + y, true
	case ssa.OpSub:
		return x - y, true
	case ssa.OpMul:
		return x * y, true
	case ssa.OpMulHiS:
		hi, lo := bits.Mul64(uint64(x), uint64(y))
		hi -= uint64(x>>63)&uint64(y) + uint64(y>>63)&uint64(x) // to signed
		return int64(lo>>width | hi<<(64-width)), true
	case ssa.OpMulHiU:
		hi, lo := bits.Mul64(ux, uy)
		return int64(lo>>width | hi<<(64-width)), true
	case ssa.OpSDiv:
		if y == 0 {
			return -1, true
		}
		return x / y, true
	case ssa.OpUDiv:
		if y == 0 {
			return -1, true
		}
		return int64(ux / uy), true
	case ssa.OpSRem:
		if y == 0 {
			return x, true
		}
		return x % y, true
	case ssa.OpURem:
		if y == 0 {
			return x, true
		}
		return int64(ux % uy), true
	case ssa.OpAnd:
		return x & y, true
	case ssa.OpOr:
		return x | y, true
	case ssa.OpXor:
		return x ^ y, true
	case ssa.OpShl:
		if count >= width {
			return 0, true
		}
		return x << count, true
	case ssa.OpLShr:
		if count >= width {
			return 0, true
		}
		return int64(ux >> count), true
	case ssa.OpAShr:
		return x >> min(count, 63), true
	case ssa.OpSMin:
		return min(x, y), true
	case ssa.OpSMax:
		return max(x, y), true
	case ssa.OpUMin:
		return int64(min(ux, uy)), true
	case ssa.OpUMax:
		return int64(max(ux, uy)), true
	case ssa.OpEq:
		return truth(x == y)
	case ssa.OpNe:
		return truth(x != y)
	case ssa.OpSLt:
		return truth(x < y)
	case ssa.OpSLe:
		return truth(x <= y)
	case ssa.OpSGt:
		return truth(x > y)
	case ssa.OpSGe:
		return truth(x >= y)
	case ssa.OpULt:
		return truth(ux < uy)
	case ssa.OpULe:
		return truth(ux <= uy)
	case ssa.OpUGt:
		return truth(ux > uy)
	case ssa.OpUGe:
		return truth(ux >= uy)
	}
	return 0, false
}

// foldUnary computes an operation on one integer x of type t whose result is an
// integer or a pointer.
func foldUnary(op ssa.Op, t ssa.Type, x int64) (int64, bool) {
	u := ssa.ZeroExtend(t, x)
	switch op {
	case ssa.OpNeg:
		return -x, true
	case ssa.OpNot:
		return ^x, true
	case ssa.OpAbs:
		return max(x, -x), true
	case ssa.OpPopc:
		return int64(bits.OnesCount64(u)), true
	case ssa.OpClz:
		return int64(bits.LeadingZeros64(u) - (64 - t.Bits())), true
	case ssa.OpBrev:
		return int64(bits.Reverse64(u) >> (64 - t.Bits())), true
	case ssa.OpTrunc, ssa.OpSExt, ssa.OpPtrToInt, ssa.OpIntToPtr:
		return x, true
	case ssa.OpZExt:
		return int64(u), true
	case ssa.OpBitcast:
		return x, true
	}
	return 0, false
}

// round returns x rounded to t.
func round(t ssa.Type, x float64) float64 {
	if t == ssa.F32 {
		return float64(float32(x))
	}
	return x
}

// foldFloat computes an operation on constants whose result is a float. It
// fails if the result is NaN or not exact to the bit.
func foldFloat(v *ssa.Value) (float64, bool) {
	t, a := v.Type, v.Args[0]
	x, y := a.Float, 0.0
	if len(v.Args) > 1 {
		y = v.Args[1].Float
	}
	var r float64
	switch v.Op {
	// An f32 operation computed in float64 and rounded again gives the f32 result:
	// a float64 has more than twice the bits and two more.
	case ssa.OpFAdd:
		r = round(t, x+y)
	case ssa.OpFSub:
		r = round(t, x-y)
	case ssa.OpFMul:
		r = round(t, x*y)
	case ssa.OpFDiv:
		r = round(t, x/y)
	case ssa.OpFSqrt:
		r = round(t, math.Sqrt(x))
	case ssa.OpFMA:
		return foldFMA(t, x, y, v.Args[2].Float)
	case ssa.OpFMin, ssa.OpFMax:
		return foldMinMax(v.Op, x, y)
	case ssa.OpFNeg:
		r = -x
	case ssa.OpFAbs:
		r = math.Abs(x)
	case ssa.OpFFloor:
		r = math.Floor(x)
	case ssa.OpFCeil:
		r = math.Ceil(x)
	case ssa.OpFTrunc:
		r = math.Trunc(x)
	case ssa.OpFRint:
		r = math.RoundToEven(x)
	case ssa.OpFExt:
		r = x
	case ssa.OpFRound:
		r = round(t, x)
	case ssa.OpSToF, ssa.OpUToF:
		r = ssa.IntToFloat(v.Op == ssa.OpSToF, a.Type, t, a.Int)
	case ssa.OpBitcast:
		switch {
		case a.Op == ssa.OpFConst:
			r = x
		case t == ssa.F32:
			r = float64(math.Float32frombits(uint32(a.Int)))
		default:
			r = math.Float64frombits(uint64(a.Int))
		}
	default:
		return 0, false
	}
	return r, !math.IsNaN(r)
}

// foldFMA folds x*y+z where one rounding gives what math gives: in f64 always,
// in f32 when the sum of the exact product and z is exact in f64.
func foldFMA(t ssa.Type, x, y, z float64) (float64, bool) {
	r := math.FMA(x, y, z)
	if t == ssa.F32 {
		product := x * y // exact: 48 bits
		sum := product + z
		part := sum - product
		lost := (product - (sum - part)) + (z - part)
		if lost != 0 || math.IsInf(sum, 0) { // also when NaN
			return 0, false
		}
		r = float64(float32(sum))
	}
	return r, !math.IsNaN(r)
}

// foldMinMax fails on zeros of opposite signs, for which machines differ.
func foldMinMax(op ssa.Op, x, y float64) (float64, bool) {
	switch {
	case math.IsNaN(x):
		return y, !math.IsNaN(y)
	case math.IsNaN(y):
		return x, true
	case x == y:
		return x, math.Signbit(x) == math.Signbit(y)
	case (x < y) == (op == ssa.OpFMin):
		return x, true
	}
	return y, true
}

// foldToInt computes an operation on float constants whose result is an
// integer: comparisons and conversions.
func foldToInt(v *ssa.Value) (int64, bool) {
	x, y := v.Args[0].Float, 0.0
	if len(v.Args) > 1 {
		y = v.Args[1].Float
	}
	var truth bool
	switch v.Op {
	case ssa.OpFToS:
		return toSigned(x, v.Type.Bits()), true
	case ssa.OpFToU:
		return toUnsigned(x, v.Type.Bits()), true
	case ssa.OpBitcast:
		if math.IsNaN(x) {
			return 0, false
		}
		if v.Args[0].Type == ssa.F32 {
			return int64(math.Float32bits(float32(x))), true
		}
		return int64(math.Float64bits(x)), true
	case ssa.OpFEq:
		truth = x == y
	case ssa.OpFNe:
		truth = x != y
	case ssa.OpFLt:
		truth = x < y
	case ssa.OpFLe:
		truth = x <= y
	case ssa.OpFGt:
		truth = x > y
	case ssa.OpFGe:
		truth = x >= y
	default:
		return 0, false
	}
	if truth {
		return -1, true
	}
	return 0, true
}

func toSigned(x float64, width int) int64 {
	limit := math.Ldexp(1, width-1)
	switch {
	case math.IsNaN(x):
		return 0
	case x >= limit:
		return math.MaxInt64 >> (64 - width)
	case x <= -limit:
		return math.MinInt64 >> (64 - width)
	}
	return int64(x)
}

func toUnsigned(x float64, width int) int64 {
	switch {
	case math.IsNaN(x) || x <= 0:
		return 0
	case x >= math.Ldexp(1, width):
		return -1
	}
	return int64(uint64(x))
}
