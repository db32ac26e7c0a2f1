package eval

import (
	"math"
	"math/big"

	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// round rounds a value to a floating type.
func round(f float64, t types.Type) float64 {
	if t.Is(types.Float) {
		return float64(float32(f))
	}
	return f
}

// unary evaluates - ~ and !.
func (m *machine) unary(e *hir.Unary) scalar {
	x := m.scalar(e.X)
	t := e.T
	switch {
	case e.Op == hir.Not:
		return boolean(!isTrue(&x, e.X.Type()))
	case e.Op == hir.Neg && t.IsFloat():
		return scalar{f: -x.f}
	case e.Op == hir.Neg:
		return m.integer(e, hir.Sub, t, scalar{}, x)
	}
	return wrap(^x.i, ^x.hi, t)
}

func boolean(b bool) scalar {
	if b {
		return scalar{i: 1}
	}
	return scalar{}
}

// wrap reduces an integer to its type.
func wrap(lo, hi uint64, t types.Type) scalar {
	if t.Underlying().Size() == 16 {
		return scalar{i: lo, hi: hi}
	}
	lo = t.Truncate(lo)
	return scalar{i: lo, hi: high(lo, t)}
}

// binary evaluates arithmetic, comparisons and logic.
func (m *machine) binary(e *hir.Binary) scalar {
	switch e.Op {
	case hir.LogAnd:
		return boolean(m.truth(e.X) && m.truth(e.Y))
	case hir.LogOr:
		return boolean(m.truth(e.X) || m.truth(e.Y))
	}
	x, y := m.scalar(e.X), m.scalar(e.Y)
	tx, ty := e.X.Type(), e.Y.Type()
	if tx.IsPointer() || ty.IsPointer() || tx.Is(types.MemberPointer) || tx.Is(types.Nullptr) {
		return m.pointers(e, x, y)
	}
	if e.Op >= hir.Eq && e.Op <= hir.Ge {
		return boolean(compare(e.Op, order(x, y, tx), tx.IsFloat() && (math.IsNaN(x.f) || math.IsNaN(y.f))))
	}
	return m.arithmetic(e, e.Op, e.T, x, y, ty)
}

// order returns -1, 0 or 1 as x is less than, equal to or greater than y.
func order(x, y scalar, t types.Type) int {
	less, more := x.i < y.i, x.i > y.i
	switch {
	case t.IsFloat():
		less, more = x.f < y.f, x.f > y.f
	case t.Underlying().Size() == 16:
		c := wide(x, t).Cmp(wide(y, t))
		less, more = c < 0, c > 0
	case t.IsSigned():
		less, more = int64(x.i) < int64(y.i), int64(x.i) > int64(y.i)
	}
	switch {
	case less:
		return -1
	case more:
		return 1
	}
	return 0
}

func compare(op hir.BinaryOp, c int, unordered bool) bool {
	if unordered {
		return op == hir.Ne
	}
	switch op {
	case hir.Eq:
		return c == 0
	case hir.Ne:
		return c != 0
	case hir.Lt:
		return c < 0
	case hir.Le:
		return c <= 0
	case hir.Gt:
		return c > 0
	}
	return c >= 0
}

// arithmetic computes x op y in type t; ty is y's type, which differs for shifts.
func (m *machine) arithmetic(at node, op hir.BinaryOp, t types.Type, x, y scalar, ty types.Type) scalar {
	switch {
	case t.IsFloat():
		return m.floating(at, op, t, x.f, y.f)
	case op == hir.Shl || op == hir.Shr:
		return m.shift(at, op, t, x, y, ty)
	}
	return m.integer(at, op, t, x, y)
}

func (m *machine) floating(at node, op hir.BinaryOp, t types.Type, x, y float64) scalar {
	var r float64
	switch op {
	case hir.Add:
		r = round(x+y, t)
	case hir.Sub:
		r = round(x-y, t)
	case hir.Mul:
		r = round(x*y, t)
	default:
		if y == 0 {
			m.fail(at, "division by zero")
		}
		r = round(x/y, t)
	}
	if math.IsNaN(r) {
		m.fail(at, "floating point arithmetic produces a NaN")
	}
	return scalar{f: r}
}

// wide returns an integer as one of any size.
func wide(s scalar, t types.Type) *big.Int {
	hi := new(big.Int).SetUint64(s.hi)
	if t.IsSigned() {
		hi.SetInt64(int64(s.hi))
	}
	return hi.Lsh(hi, 64).Add(hi, new(big.Int).SetUint64(s.i))
}

// narrow128 returns the lower 128 bits of an integer of any size.
func narrow128(v *big.Int) scalar {
	mask := new(big.Int).SetUint64(math.MaxUint64)
	lo := new(big.Int).And(v, mask).Uint64()
	hi := new(big.Int).And(new(big.Int).Rsh(v, 64), mask).Uint64()
	return scalar{i: lo, hi: hi}
}

// integer computes x op y of integers: + - * / % & | ^.
func (m *machine) integer(at node, op hir.BinaryOp, t types.Type, x, y scalar) scalar {
	switch op {
	case hir.And:
		return scalar{i: x.i & y.i, hi: x.hi & y.hi}
	case hir.Or:
		return scalar{i: x.i | y.i, hi: x.hi | y.hi}
	case hir.Xor:
		return wrap(x.i^y.i, x.hi^y.hi, t)
	case hir.Div, hir.Rem:
		if y.i == 0 && y.hi == 0 {
			m.fail(at, "division by zero")
		}
	}
	if !t.IsSigned() && t.Width() <= 64 {
		return wrap(unsigned(op, x.i, y.i), 0, t)
	}
	return m.checked(at, op, t, x, y)
}

func unsigned(op hir.BinaryOp, x, y uint64) uint64 {
	switch op {
	case hir.Add:
		return x + y
	case hir.Sub:
		return x - y
	case hir.Mul:
		return x * y
	case hir.Div:
		return x / y
	}
	return x % y
}

// checked computes with signed integers, whose overflow is no constant, and with those of
// 128 bits.
func (m *machine) checked(at node, op hir.BinaryOp, t types.Type, x, y scalar) scalar {
	if t.Width() <= 32 && op != hir.Div && op != hir.Rem { // fits in 64 bits
		r := int64(unsigned(op, x.i, y.i))
		if r < int64(t.Min()) || r > int64(t.Max()) {
			m.fail(at, "value %d is outside the range of representable values of type '%s'", r, t)
		}
		return wrap(uint64(r), 0, t)
	}
	a, b, r := wide(x, t), wide(y, t), new(big.Int)
	switch op {
	case hir.Add:
		r.Add(a, b)
	case hir.Sub:
		r.Sub(a, b)
	case hir.Mul:
		r.Mul(a, b)
	case hir.Div:
		r.Quo(a, b)
	default:
		r.Rem(a, b)
		if q := new(big.Int).Quo(a, b); !inRange(q, t) {
			r = q // the quotient overflows
		}
	}
	if t.IsSigned() && !inRange(r, t) {
		m.fail(at, "value %s is outside the range of representable values of type '%s'", r, t)
	}
	s := narrow128(r)
	return wrap(s.i, s.hi, t)
}

// inRange reports whether a signed integer type has a value.
func inRange(v *big.Int, t types.Type) bool {
	w := t.Width()
	limit := new(big.Int).Lsh(big.NewInt(1), uint(w-1))
	return v.Cmp(limit) < 0 && v.Cmp(new(big.Int).Neg(limit)) >= 0
}

// shift computes x << y and x >> y.
func (m *machine) shift(at node, op hir.BinaryOp, t types.Type, x, y scalar, ty types.Type) scalar {
	w := t.Width()
	switch {
	case ty.IsSigned() && int64(y.i) < 0:
		m.fail(at, "negative shift count %d", int64(y.i))
	case y.i >= uint64(w):
		m.fail(at, "shift count %d >= width of type '%s' (%d bit%s)", y.i, t, w, plural(w))
	}
	n := uint(y.i)
	if op == hir.Shr {
		s := narrow128(new(big.Int).Rsh(wide(x, t), n))
		return wrap(s.i, s.hi, t)
	}
	v := wide(x, t)
	if t.IsSigned() && v.Sign() < 0 {
		m.fail(at, "left shift of negative value %s", v)
	}
	v.Lsh(v, n)
	if t.IsSigned() && v.BitLen() > w {
		m.fail(at, "signed left shift discards bits")
	}
	s := narrow128(v)
	return wrap(s.i, s.hi, t)
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}
