package interp

import (
	"irgl/internal/check"
	"irgl/syntax"
)

// intOp compiles x op y for operands of the integer type t.
//
// The sum, difference and product of two canonical values are right in their
// low bits, whatever the sign; truncating makes them canonical again. The
// operations on int have forms of their own for the operands that are most
// frequent: a variable and a constant.
func intOp(op syntax.Op, t check.Type, x, y val) val {
	switch op {
	case "+":
		return addInt(t, x, y)
	case "-":
		if y.konst {
			return addInt(t, x, intConst(t, -y.ci))
		}
		return intVal(t, subInt(t, x.i, y.i))
	case "*":
		return intVal(t, mulInt(t, x.i, y.i))
	case "/", "%":
		return divide(op, t, x.i, y.i)
	}
	return intVal(t, bitOp(op, x.i, y))
}

// addInt compiles a sum. The constant, or else the variable, of two operands is
// looked for first: i + 1 and sums of variables are most of the additions that
// programs make.
func addInt(t check.Type, x, y val) val {
	if x.konst {
		x, y = y, x
	}
	i, j, k, p, q := x.i, y.i, y.ci, x.cell, y.cell
	switch {
	case t == check.Int && p != nil && y.konst:
		return intVal(t, func() int64 { return int64(int32(*p + k)) })
	case t == check.Int && p != nil && q != nil:
		return intVal(t, func() int64 { return int64(int32(*p + *q)) })
	case t == check.Int && p != nil:
		return intVal(t, func() int64 { v := *p; return int64(int32(v + j())) })
	case t == check.Int && y.konst:
		return intVal(t, func() int64 { return int64(int32(i() + k)) })
	case t == check.Int:
		return intVal(t, func() int64 { return int64(int32(i() + j())) })
	case t == check.UInt:
		return intVal(t, func() int64 { return int64(uint32(i() + j())) })
	case y.konst:
		return intVal(t, func() int64 { return i() + k })
	}
	return intVal(t, func() int64 { return i() + j() })
}

// subInt compiles a difference.
func subInt(t check.Type, i, j func() int64) func() int64 {
	switch t {
	case check.Int:
		return func() int64 { return int64(int32(i() - j())) }
	case check.UInt:
		return func() int64 { return int64(uint32(i() - j())) }
	}
	return func() int64 { return i() - j() }
}

// mulInt compiles a product. That of two uint32s needs 64 bits and may look
// negative on the way; its low bits are right all the same.
func mulInt(t check.Type, i, j func() int64) func() int64 {
	switch t {
	case check.Int:
		return func() int64 { return int64(int32(i() * j())) }
	case check.UInt:
		return func() int64 { return int64(uint32(i() * j())) }
	}
	return func() int64 { return i() * j() }
}

// bitOp compiles & | ^, whose results are canonical when the operands are.
func bitOp(op syntax.Op, i func() int64, y val) func() int64 {
	j, k := y.i, y.ci
	switch op {
	case "&":
		if y.konst {
			return func() int64 { return i() & k }
		}
		return func() int64 { return i() & j() }
	case "|":
		return func() int64 { return i() | j() }
	}
	return func() int64 { return i() ^ j() }
}

// divide compiles / and %. Division by zero gives all ones, and the dividend
// as the remainder; the least int divided by -1 wraps, as it does in Go.
func divide(op syntax.Op, t check.Type, i, j func() int64) val {
	unsigned := check.IsUnsigned(t)
	ones := wrap(-1, t)
	switch {
	case op == "/" && unsigned:
		return intVal(t, func() int64 {
			x, y := i(), j()
			if y == 0 {
				return ones
			}
			return int64(uint64(x) / uint64(y))
		})
	case op == "/":
		return intVal(t, func() int64 {
			x, y := i(), j()
			if y == 0 {
				return ones
			}
			return wrap(x/y, t)
		})
	case unsigned:
		return intVal(t, func() int64 {
			x, y := i(), j()
			if y == 0 {
				return x
			}
			return int64(uint64(x) % uint64(y))
		})
	}
	return intVal(t, func() int64 {
		x, y := i(), j()
		if y == 0 {
			return x
		}
		return x % y
	})
}

// shift compiles << and >> of x, which has the type t. A count that is
// negative or not less than the width shifts everything out.
func shift(op syntax.Op, t check.Type, x, y val) val {
	i, j := x.i, y.i
	width := uint64(8 * t.Size())
	switch {
	case op == "<<":
		return intVal(t, func() int64 {
			v, n := i(), uint64(j())
			if n >= width {
				return 0
			}
			return wrap(v<<n, t)
		})
	case check.IsUnsigned(t):
		return intVal(t, func() int64 {
			v, n := i(), uint64(j())
			if n >= width {
				return 0
			}
			return int64(uint64(v) >> n)
		})
	}
	return intVal(t, func() int64 {
		v, n := i(), uint64(j())
		return v >> min(n, 63)
	})
}

// floatOp compiles + - * / of two values of the floating type t. A float
// operation is the double operation rounded again: a double has more than twice
// the digits and two more, so that rounding twice does no harm.
func floatOp(op syntax.Op, t check.Type, x, y func() float64) val {
	var f func() float64
	switch op {
	case "+":
		f = func() float64 { return x() + y() }
	case "-":
		f = func() float64 { return x() - y() }
	case "*":
		f = func() float64 { return x() * y() }
	default:
		f = func() float64 { return x() / y() }
	}
	if t == check.Double {
		return floatVal(t, f)
	}
	return floatVal(t, func() float64 { return float64(float32(f())) })
}

// comparison compiles a relational or equality operator.
func (c *compiler) comparison(e *syntax.BinaryExpr) func() bool {
	x, y := c.expr(e.X), c.expr(e.Y)
	if isPointer(x.t) || isPointer(y.t) {
		return compareInts(e.Op, true, x, y)
	}
	t := check.UsualArithmetic(x.t, y.t)
	if t == check.Invalid {
		c.errorf(e, codeUnknown, "operator %s does not apply here", e.Op)
		return func() bool { return false }
	}
	x, y = convert(x, t), convert(y, t)
	if isFloat(t) {
		return compareFloats(e.Op, x.f, y.f)
	}
	return compareInts(e.Op, check.IsUnsigned(t), x, y)
}

// compareFloats compares as IEEE 754 does: with a NaN only != is true, as it is
// in Go.
func compareFloats(op syntax.Op, x, y func() float64) func() bool {
	switch op {
	case "<":
		return func() bool { return x() < y() }
	case ">":
		return func() bool { return x() > y() }
	case "<=":
		return func() bool { return x() <= y() }
	case ">=":
		return func() bool { return x() >= y() }
	case "==":
		return func() bool { return x() == y() }
	}
	return func() bool { return x() != y() }
}

// flip is the comparison with its sides exchanged.
var flip = map[syntax.Op]syntax.Op{"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}

// compareInts compares canonical values. Unsigned 64-bit values, and only they,
// may be negative as int64s and yet large: flipping the sign bit of both sides
// orders them.
func compareInts(op syntax.Op, unsigned bool, x, y val) func() bool {
	if x.konst {
		x, y, op = y, x, flip[op]
	}
	i, j := x.i, y.i
	if unsigned && op != "==" && op != "!=" {
		return compareUnsigned(op, i, j)
	}
	switch {
	case y.konst:
		return compareConst(op, i, y.ci)
	case x.cell != nil:
		return compareCell(op, x.cell, j)
	}
	switch op {
	case "<":
		return func() bool { return i() < j() }
	case ">":
		return func() bool { return i() > j() }
	case "<=":
		return func() bool { return i() <= j() }
	case ">=":
		return func() bool { return i() >= j() }
	case "==":
		return func() bool { return i() == j() }
	}
	return func() bool { return i() != j() }
}

// compareUnsigned orders unsigned values of up to 64 bits.
func compareUnsigned(op syntax.Op, i, j func() int64) func() bool {
	switch op {
	case "<":
		return func() bool { return uint64(i()) < uint64(j()) }
	case ">":
		return func() bool { return uint64(i()) > uint64(j()) }
	case "<=":
		return func() bool { return uint64(i()) <= uint64(j()) }
	}
	return func() bool { return uint64(i()) >= uint64(j()) }
}

// compareConst compares with a constant, which saves a call.
func compareConst(op syntax.Op, i func() int64, k int64) func() bool {
	switch op {
	case "<":
		return func() bool { return i() < k }
	case ">":
		return func() bool { return i() > k }
	case "<=":
		return func() bool { return i() <= k }
	case ">=":
		return func() bool { return i() >= k }
	case "==":
		return func() bool { return i() == k }
	}
	return func() bool { return i() != k }
}

// compareCell compares a variable with a value. Operands are evaluated from
// left to right, here as everywhere: the variable is read first.
func compareCell(op syntax.Op, p *int64, j func() int64) func() bool {
	switch op {
	case "<":
		return func() bool { v := *p; return v < j() }
	case ">":
		return func() bool { v := *p; return v > j() }
	case "<=":
		return func() bool { v := *p; return v <= j() }
	case ">=":
		return func() bool { v := *p; return v >= j() }
	case "==":
		return func() bool { v := *p; return v == j() }
	}
	return func() bool { v := *p; return v != j() }
}
