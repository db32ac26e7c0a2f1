package eval

import (
	"math"
	"math/bits"
	"strings"

	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// builtin calls a function of the compiler's that constant expressions may call.
func (m *machine) builtin(e *hir.Call, fn *hir.Func) scalar {
	name, gnu := strings.CutPrefix(fn.Name, "__builtin_") // GNU's names of CUDA's and C's functions
	if !gnu {
		name = strings.TrimPrefix(fn.Builtin, "__builtin_")
	}
	switch name {
	case "is_constant_evaluated":
		return boolean(true)
	case "__trap": // a throw, too
		m.fail(e, "subexpression not valid in a constant expression")
	case "unreachable":
		m.fail(e, "execution reached unreachable code")
	case "constant_p":
		return boolean(true)
	case "huge_val", "huge_valf", "inf", "inff":
		return scalar{f: math.Inf(1)}
	case "nan", "nanf":
		return scalar{f: math.NaN()}
	case "strlen":
		return scalar{i: uint64(m.length(e, m.scalar(e.Args[0]).p))}
	case "memcmp", "strcmp", "strncmp":
		return m.memcmp(e, name)
	case "addressof":
		return scalar{p: m.glvalue(e.Args[0])}
	}
	if len(e.Args) > 0 && e.Args[0].Type().IsFloat() {
		if s, ok := m.floatBuiltin(e, name); ok {
			return s
		}
	} else if len(e.Args) > 0 && e.Args[0].Type().Underlying().IsInteger() {
		if s, ok := m.intBuiltin(e, name); ok {
			return s
		}
	}
	m.fail(e, "non-constexpr function '%s' cannot be used in a constant expression", fn.Name)
	panic("unreachable")
}

// intBuiltin computes a function of integers.
func (m *machine) intBuiltin(e *hir.Call, name string) (scalar, bool) {
	base := strings.TrimRight(name, "l")
	t := e.Args[0].Type()
	w := t.Width()
	if w > 64 {
		return scalar{}, false
	}
	x := m.scalar(e.Args[0])
	v := x.i
	if w < 64 {
		v &= 1<<w - 1
	}
	switch base {
	case "popcount":
		return scalar{i: uint64(bits.OnesCount64(v))}, true
	case "parity":
		return scalar{i: uint64(bits.OnesCount64(v) & 1)}, true
	case "clz", "ctz":
		if v == 0 {
			m.fail(e, "argument of '__builtin_%s' is zero", name)
		}
		if base == "ctz" {
			return scalar{i: uint64(bits.TrailingZeros64(v))}, true
		}
		return scalar{i: uint64(bits.LeadingZeros64(v) - (64 - w))}, true
	case "ffs":
		if v == 0 {
			return scalar{}, true
		}
		return scalar{i: uint64(bits.TrailingZeros64(v) + 1)}, true
	case "clrsb":
		if int64(x.i) < 0 {
			v = ^x.i
		}
		return scalar{i: uint64(bits.LeadingZeros64(v) - (64 - w) - 1)}, true
	case "abs", "labs", "llabs":
		return m.abs(e, x, t), true
	}
	switch name {
	case "bswap16":
		return scalar{i: uint64(bits.ReverseBytes16(uint16(v)))}, true
	case "bswap32":
		return scalar{i: uint64(bits.ReverseBytes32(uint32(v)))}, true
	case "bswap64":
		return scalar{i: bits.ReverseBytes64(v)}, true
	case "expect", "expect_with_probability":
		return x, true
	case "add_overflow", "sub_overflow", "mul_overflow":
		return m.overflow(e, name, x), true
	}
	return scalar{}, false
}

func (m *machine) abs(e *hir.Call, x scalar, t types.Type) scalar {
	if int64(x.i) < 0 {
		return m.integer(e, hir.Sub, t, scalar{}, x)
	}
	return x
}

// overflow computes in unlimited precision, stores the result and reports whether it does
// not fit.
func (m *machine) overflow(e *hir.Call, name string, x scalar) scalar {
	y := m.scalar(e.Args[1])
	p := m.scalar(e.Args[2]).p
	t := e.Args[2].Type().Elem
	a, b := wide(x, e.Args[0].Type()), wide(y, e.Args[1].Type())
	switch name {
	case "add_overflow":
		a.Add(a, b)
	case "sub_overflow":
		a.Sub(a, b)
	default:
		a.Mul(a, b)
	}
	s := narrow128(a)
	s = wrap(s.i, s.hi, t)
	m.write(e, p, s)
	return boolean(wide(s, t).Cmp(a) != 0)
}

// floatBuiltin computes a function of floating values.
func (m *machine) floatBuiltin(e *hir.Call, name string) (scalar, bool) {
	t := e.Args[0].Type()
	x := m.scalar(e.Args[0]).f
	switch name {
	case "isnan":
		return boolean(math.IsNaN(x)), true
	case "isinf":
		return boolean(math.IsInf(x, 0)), true
	case "isfinite":
		return boolean(!math.IsInf(x, 0) && !math.IsNaN(x)), true
	case "signbit", "signbitf":
		return boolean(math.Signbit(x)), true
	}
	switch strings.TrimSuffix(name, "f") {
	case "fabs":
		return scalar{f: math.Abs(x)}, true
	case "floor":
		return scalar{f: math.Floor(x)}, true
	case "ceil":
		return scalar{f: math.Ceil(x)}, true
	case "trunc":
		return scalar{f: math.Trunc(x)}, true
	case "round":
		return scalar{f: math.Round(x)}, true
	case "copysign":
		return scalar{f: math.Copysign(x, m.scalar(e.Args[1]).f)}, true
	case "fmax":
		return scalar{f: fmax(x, m.scalar(e.Args[1]).f)}, true
	case "fmin":
		return scalar{f: -fmax(-x, -m.scalar(e.Args[1]).f)}, true
	case "sqrt":
		if x >= 0 {
			return scalar{f: round(math.Sqrt(x), t)}, true
		}
	}
	return scalar{}, false
}

// fmax returns the greater operand, or the one that is a number.
func fmax(x, y float64) float64 {
	switch {
	case math.IsNaN(x):
		return y
	case math.IsNaN(y):
		return x
	}
	return math.Max(x, y)
}

// length returns the length of a string.
func (m *machine) length(at node, p pointer) int64 {
	for n := int64(0); ; n++ {
		m.step(at)
		if m.read(at, m.advance(at, p, n)).i == 0 {
			return n
		}
	}
}

// memcmp compares arrays of characters.
func (m *machine) memcmp(e *hir.Call, name string) scalar {
	a, b := m.scalar(e.Args[0]).p, m.scalar(e.Args[1]).p
	n := int64(math.MaxInt64)
	if len(e.Args) > 2 {
		n = int64(m.scalar(e.Args[2]).i)
	}
	for i := int64(0); i < n; i++ {
		m.step(e)
		x, y := byte(m.read(e, m.advance(e, a, i)).i), byte(m.read(e, m.advance(e, b, i)).i)
		switch {
		case x < y:
			return scalar{i: ^uint64(0), hi: ^uint64(0)}
		case x > y:
			return scalar{i: 1}
		case x == 0 && name != "memcmp":
			return scalar{}
		}
	}
	return scalar{}
}
