package host

import (
	"math"

	"irgl/internal/check"
	"irgl/syntax"
)

var inf = math.Inf(1)

// binary compiles a binary operator.
func (f *frame) binary(x *syntax.BinaryExpr) eval {
	switch x.Op {
	case ",":
		a, b := f.expr(x.X), f.expr(x.Y)
		return func(m *machine) uint64 { a(m); return b(m) }
	case "&&":
		a, b := f.cond(x.X), f.cond(x.Y)
		return func(m *machine) uint64 { return truth(a(m) && b(m)) }
	case "||":
		a, b := f.cond(x.X), f.cond(x.Y)
		return func(m *machine) uint64 { return truth(a(m) || b(m)) }
	}
	tx, ty := check.Decay(f.typ(x.X)), check.Decay(f.typ(x.Y))
	px, xPtr := tx.(*check.Pointer)
	py, yPtr := ty.(*check.Pointer)
	if xPtr || yPtr {
		return f.pointerBinary(x, px, py)
	}
	common := check.UsualArithmetic(tx, ty)
	right := common
	if x.Op == "<<" || x.Op == ">>" {
		common, right = check.Promote(tx), check.Promote(ty)
	}
	a, b := f.converted(x.X, common), f.converted(x.Y, right)
	if cmp := comparison(x.Op, common); cmp != nil {
		return func(m *machine) uint64 { l := a(m); return truth(cmp(l, b(m))) }
	}
	apply := f.arithmetic(x, x.Op, common)
	return func(m *machine) uint64 { l := a(m); return apply(l, b(m)) }
}

// pointerBinary compiles arithmetic on and comparison of pointers.
func (f *frame) pointerBinary(x *syntax.BinaryExpr, px, py *check.Pointer) eval {
	a, b := f.expr(x.X), f.expr(x.Y)
	switch {
	case (x.Op == "+" || x.Op == "-") && px != nil && py == nil:
		size := uint64(px.Elem.Size())
		if x.Op == "-" {
			size = -size
		}
		return func(m *machine) uint64 { l := a(m); return l + b(m)*size }
	case x.Op == "+":
		size := uint64(py.Elem.Size())
		return func(m *machine) uint64 { l := a(m) * size; return l + b(m) }
	case x.Op == "-":
		size := max(1, px.Elem.Size())
		return func(m *machine) uint64 { l := a(m); return uint64(int64(l-b(m)) / size) }
	}
	cmp := comparison(x.Op, check.ULong)
	return func(m *machine) uint64 { l := a(m); return truth(cmp(l, b(m))) }
}

// comparison returns the comparison function of op for operands of type t, or nil.
func comparison(op syntax.Op, t check.Type) func(a, b uint64) bool {
	switch {
	case check.IsFloat(t):
		switch op {
		case "==":
			return func(a, b uint64) bool { return toFloat(a) == toFloat(b) }
		case "!=":
			return func(a, b uint64) bool { return toFloat(a) != toFloat(b) }
		case "<":
			return func(a, b uint64) bool { return toFloat(a) < toFloat(b) }
		case "<=":
			return func(a, b uint64) bool { return toFloat(a) <= toFloat(b) }
		case ">":
			return func(a, b uint64) bool { return toFloat(a) > toFloat(b) }
		case ">=":
			return func(a, b uint64) bool { return toFloat(a) >= toFloat(b) }
		}
		return nil
	case op == "==":
		return func(a, b uint64) bool { return a == b }
	case op == "!=":
		return func(a, b uint64) bool { return a != b }
	case check.IsUnsigned(t):
		switch op {
		case "<":
			return func(a, b uint64) bool { return a < b }
		case "<=":
			return func(a, b uint64) bool { return a <= b }
		case ">":
			return func(a, b uint64) bool { return a > b }
		case ">=":
			return func(a, b uint64) bool { return a >= b }
		}
		return nil
	}
	switch op {
	case "<":
		return func(a, b uint64) bool { return int64(a) < int64(b) }
	case "<=":
		return func(a, b uint64) bool { return int64(a) <= int64(b) }
	case ">":
		return func(a, b uint64) bool { return int64(a) > int64(b) }
	case ">=":
		return func(a, b uint64) bool { return int64(a) >= int64(b) }
	}
	return nil
}

// arithmetic returns the function of op for operands of type t. Integers
// wrap; division by zero gives all ones and its remainder the dividend, as on
// devices.
func (f *frame) arithmetic(n syntax.Node, op syntax.Op, t check.Type) func(a, b uint64) uint64 {
	if check.IsFloat(t) {
		switch op {
		case "+":
			return func(a, b uint64) uint64 { return round(t, toFloat(a)+toFloat(b)) }
		case "-":
			return func(a, b uint64) uint64 { return round(t, toFloat(a)-toFloat(b)) }
		case "*":
			return func(a, b uint64) uint64 { return round(t, toFloat(a)*toFloat(b)) }
		case "/":
			return func(a, b uint64) uint64 { return round(t, toFloat(a)/toFloat(b)) }
		}
	}
	bits := uint64(8 * t.Size())
	unsigned := check.IsUnsigned(t)
	switch op {
	case "+":
		return func(a, b uint64) uint64 { return narrow(t, a+b) }
	case "-":
		return func(a, b uint64) uint64 { return narrow(t, a-b) }
	case "*":
		return func(a, b uint64) uint64 { return narrow(t, a*b) }
	case "&":
		return func(a, b uint64) uint64 { return a & b }
	case "|":
		return func(a, b uint64) uint64 { return a | b }
	case "^":
		return func(a, b uint64) uint64 { return narrow(t, a^b) }
	case "/":
		return func(a, b uint64) uint64 {
			switch {
			case b == 0:
				return narrow(t, math.MaxUint64)
			case unsigned:
				return a / b
			}
			return narrow(t, uint64(int64(a)/int64(b)))
		}
	case "%":
		return func(a, b uint64) uint64 {
			switch {
			case b == 0:
				return a
			case unsigned:
				return a % b
			}
			return narrow(t, uint64(int64(a)%int64(b)))
		}
	case "<<":
		return func(a, b uint64) uint64 {
			if b >= bits {
				return 0
			}
			return narrow(t, a<<b)
		}
	case ">>":
		return func(a, b uint64) uint64 {
			if unsigned {
				if b >= bits {
					return 0
				}
				return a >> b
			}
			return uint64(int64(a) >> min(b, 63))
		}
	}
	f.p.refuse(n, CodeBuiltin, "host code cannot evaluate the operator %s", op)
	return func(a, b uint64) uint64 { return 0 }
}
