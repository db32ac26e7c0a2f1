package check

import (
	"math"
	"math/bits"

	"irgl/syntax"
)

// This file computes the values of constant expressions exactly as the device
// would: integers wrap in their type, floats round to it, a shift by the width
// or more gives 0 or the sign, and a float that does not fit an integer
// saturates, NaN becoming 0.

// intConst returns the constant v in integer type t, wrapped.
func intConst(v int64, t Type) *Const { return &Const{Int: wrapInt(v, t)} }

// wrapInt reduces v to the width of t and extends it by t's sign.
func wrapInt(v int64, t Type) int64 {
	if t == Bool {
		if v != 0 {
			return 1
		}
		return 0
	}
	switch t.Size() {
	case 1:
		if IsUnsigned(t) {
			return int64(uint8(v))
		}
		return int64(int8(v))
	case 2:
		if IsUnsigned(t) {
			return int64(uint16(v))
		}
		return int64(int16(v))
	case 4:
		if IsUnsigned(t) {
			return int64(uint32(v))
		}
		return int64(int32(v))
	}
	return v
}

// roundFloat rounds v to the precision of t.
func roundFloat(v float64, t Type) float64 {
	if t == Float {
		return float64(float32(v))
	}
	return v
}

// convertConst converts a constant of type from to type to; nil when the
// result is not a constant.
func convertConst(c *Const, from, to Type) *Const {
	if c == nil {
		return nil
	}
	_, fromPtr := from.(*Pointer)
	_, toPtr := to.(*Pointer)
	switch {
	case fromPtr && toPtr:
		return c
	case fromPtr && IsInteger(to):
		return intConst(c.Int, to)
	case toPtr && IsInteger(from):
		return &Const{Int: c.Int}
	case IsInteger(from) && IsInteger(to):
		return intConst(c.Int, to)
	case IsInteger(from) && IsFloat(to):
		return &Const{Float: intToFloat(c.Int, from, to)}
	case IsFloat(from) && to == Bool:
		return boolConst(c.Float != 0)
	case IsFloat(from) && IsInteger(to):
		return &Const{Int: saturate(c.Float, to)}
	case IsFloat(from) && IsFloat(to):
		return &Const{Float: roundFloat(c.Float, to)}
	}
	return nil
}

// intToFloat rounds once, straight from the integer to the target's precision.
func intToFloat(v int64, from, to Type) float64 {
	unsigned := IsUnsigned(from) && from.Size() == 8
	if to == Float {
		if unsigned {
			return float64(float32(uint64(v)))
		}
		return float64(float32(v))
	}
	if unsigned {
		return float64(uint64(v))
	}
	return float64(v)
}

// saturate converts a float to integer type t as PTX's cvt.rzi does.
func saturate(f float64, t Type) int64 {
	if math.IsNaN(f) {
		return 0
	}
	f = math.Trunc(f)
	w := uint(t.Size() * 8)
	if IsUnsigned(t) {
		switch {
		case f <= 0:
			return 0
		case f >= math.Ldexp(1, int(w)):
			return wrapInt(-1, t)
		}
		return int64(uint64(f))
	}
	switch lim := math.Ldexp(1, int(w)-1); {
	case f >= lim:
		return int64(uint64(1)<<(w-1) - 1)
	case f < -lim:
		return -1 << (w - 1)
	}
	return int64(f)
}

// boolConst returns 1 or 0.
func boolConst(b bool) *Const {
	if b {
		return &Const{Int: 1}
	}
	return &Const{}
}

// truth reports whether a constant of type t counts as true.
func truth(c *Const, t Type) bool {
	if IsFloat(t) {
		return c.Float != 0
	}
	return c.Int != 0
}

// A constProblem says why an operation on constants has no defined result.
type constProblem string

// foldBinary computes x op y for operands already of common type t (for
// shifts, the type of x). The result of a comparison is an int. It returns
// nil when the operation has no constant result.
func foldBinary(op syntax.Op, x, y *Const, t Type) (*Const, constProblem) {
	if IsFloat(t) {
		return foldFloat(op, x.Float, y.Float, t), ""
	}
	switch op {
	case "+":
		return intConst(x.Int+y.Int, t), overflowed(op, x.Int, y.Int, t)
	case "-":
		return intConst(x.Int-y.Int, t), overflowed(op, x.Int, y.Int, t)
	case "*":
		return intConst(x.Int*y.Int, t), overflowed(op, x.Int, y.Int, t)
	case "/", "%":
		if y.Int == 0 {
			return nil, "division by zero"
		}
		return intConst(divide(op, x.Int, y.Int, t), t), ""
	case "&":
		return intConst(x.Int&y.Int, t), ""
	case "|":
		return intConst(x.Int|y.Int, t), ""
	case "^":
		return intConst(x.Int^y.Int, t), ""
	case "<<", ">>":
		return foldShift(op, x.Int, y.Int, t)
	}
	if c := compareInts(op, x.Int, y.Int, IsUnsigned(t)); c != nil {
		return c, ""
	}
	return nil, ""
}

// overflowed reports signed overflow, which wraps here as it does on the
// device but which C leaves undefined.
func overflowed(op syntax.Op, x, y int64, t Type) constProblem {
	if IsUnsigned(t) {
		return ""
	}
	var wide int64
	over := false
	switch op {
	case "+":
		wide = x + y
		over = (x < 0) == (y < 0) && (wide < 0) != (x < 0)
	case "-":
		wide = x - y
		over = (x < 0) != (y < 0) && (wide < 0) != (x < 0)
	case "*":
		wide = x * y
		over = x != 0 && (wide/x != y || x == -1 && y == math.MinInt64)
	}
	if over || wrapInt(wide, t) != wide {
		return "overflow"
	}
	return ""
}

// divide computes / and % for y that is not 0.
func divide(op syntax.Op, x, y int64, t Type) int64 {
	if IsUnsigned(t) && t.Size() == 8 {
		q, r := bits.Div64(0, uint64(x), uint64(y))
		if op == "/" {
			return int64(q)
		}
		return int64(r)
	}
	if op == "/" {
		return x / y // Go defines MinInt64 / -1 as MinInt64: it wraps
	}
	return x % y
}

// foldShift computes a shift; t is the type of x alone.
func foldShift(op syntax.Op, x, n int64, t Type) (*Const, constProblem) {
	w := t.Size() * 8
	var problem constProblem
	if n < 0 || n >= w {
		problem = "shift count out of range"
		n = 64 // as PTX does: clamped, a negative count being a huge one
	}
	if op == "<<" {
		return intConst(x<<uint64(n), t), problem
	}
	if IsUnsigned(t) {
		return intConst(int64(uint64(x)>>uint64(n)), t), problem
	}
	return intConst(x>>uint64(n), t), problem
}

// foldFloat computes an operator on floats of type t; the result of a
// comparison is an int.
func foldFloat(op syntax.Op, x, y float64, t Type) *Const {
	var r float64
	switch op {
	case "+":
		r = x + y
	case "-":
		r = x - y
	case "*":
		r = x * y
	case "/":
		r = x / y
	default:
		return compareFloats(op, x, y)
	}
	// One float64 operation on float32 operands, rounded again, equals the
	// float32 operation: 53 bits are more than 2*24+1.
	return &Const{Float: roundFloat(r, t)}
}

// compareFloats compares as IEEE 754 does: every order but != is false for NaN.
func compareFloats(op syntax.Op, x, y float64) *Const {
	switch op {
	case "<":
		return boolConst(x < y)
	case ">":
		return boolConst(x > y)
	case "<=":
		return boolConst(x <= y)
	case ">=":
		return boolConst(x >= y)
	case "==":
		return boolConst(x == y)
	case "!=":
		return boolConst(x != y)
	}
	return nil
}

// compareInts compares two integers of one type; nil for other operators.
func compareInts(op syntax.Op, x, y int64, unsigned bool) *Const {
	less, equal := x < y, x == y
	if unsigned {
		less = uint64(x) < uint64(y)
	}
	switch op {
	case "<":
		return boolConst(less)
	case ">":
		return boolConst(!less && !equal)
	case "<=":
		return boolConst(less || equal)
	case ">=":
		return boolConst(!less)
	case "==":
		return boolConst(equal)
	case "!=":
		return boolConst(!equal)
	}
	return nil
}

// foldUnary computes op x for x already of the promoted type t.
func foldUnary(op syntax.Op, x *Const, t Type) *Const {
	switch op {
	case "+":
		return x
	case "-":
		if IsFloat(t) {
			return &Const{Float: -x.Float}
		}
		return intConst(-x.Int, t)
	case "~":
		return intConst(^x.Int, t)
	case "!":
		return boolConst(!truth(x, t))
	}
	return nil
}
