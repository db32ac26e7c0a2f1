package cxxtest

import (
	"fmt"
	"math/rand/v2"
)

// An integer is an integer type of C++.
type integer struct {
	name   string
	bits   int
	signed bool
}

var integers = []integer{
	{"bool", 1, false}, {"char", 8, true}, {"signed char", 8, true}, {"unsigned char", 8, false},
	{"short", 16, true}, {"unsigned short", 16, false}, {"int", 32, true}, {"unsigned int", 32, false},
	{"long", 64, true}, {"unsigned long", 64, false}, {"long long", 65, true}, {"unsigned long long", 65, false},
}

var (
	intType   = integers[6]
	shortType = integers[4]
	charType  = integers[2]
)

// promote returns the type of an operand of arithmetic.
func (t integer) promote() integer {
	if t.bits < 32 {
		return intType
	}
	return t
}

// common returns the type that two operands are converted to. The bits of long long are
// 65 here, as it ranks above long.
func common(x, y integer) integer {
	x, y = x.promote(), y.promote()
	if x.bits < y.bits {
		x, y = y, x
	}
	if x.bits > y.bits {
		if x.signed && !y.signed && x.bits == 65 && y.bits == 64 {
			return integers[11]
		}
		return x
	}
	if !x.signed {
		return x
	}
	return y
}

// A variable is a name that expressions use.
type variable struct {
	name string
	typ  integer
}

// expression makes random expressions of variables.
type expression struct {
	*rand.Rand
	vars []variable
}

func (e *expression) integer() integer { return integers[e.IntN(len(integers))] }

// literal returns a constant.
func (e *expression) literal() (string, integer) {
	n := e.IntN(1 << (1 + e.IntN(30)))
	switch e.IntN(6) {
	case 0:
		return fmt.Sprintf("%du", n), integers[7]
	case 1:
		return fmt.Sprintf("%#xL", n), integers[8]
	case 2:
		return fmt.Sprintf("'%c'", 'a'+n%26), integers[1]
	case 3:
		return []string{"true", "false"}[n%2], integers[0]
	case 4:
		return fmt.Sprintf("%#xull", uint64(n)*0x9e3779b97f4a7c15), integers[11]
	}
	return fmt.Sprint(n), intType
}

// cast returns a conversion in one of its forms.
func (e *expression) cast(x string, t integer) string {
	switch e.IntN(3) {
	case 0:
		return "static_cast<" + t.name + ">(" + x + ")"
	case 1:
		if len(t.name) < 6 && t.bits != 65 {
			if x[0] == '(' { // int((short)(int(d))) may be read as a type
				x = "+" + x
			}
			return t.name + "(" + x + ")"
		}
	}
	return "((" + t.name + ")(" + x + "))"
}

// narrow returns an operand that cannot overflow as one of a signed operation of type t.
func (e *expression) narrow(x string, xt, t integer) string {
	bits := min(t.bits, 64)
	if !t.signed || 2*xt.bits < bits || xt.signed && 2*xt.bits <= bits {
		return x
	}
	if bits > 32 {
		return e.cast(x, intType)
	}
	return e.cast(x, []integer{shortType, charType}[e.IntN(2)])
}

// make returns an expression and its type.
func (e *expression) make(depth int) (string, integer) {
	if depth == 0 || e.IntN(8) == 0 {
		if e.IntN(3) == 0 {
			return e.literal()
		}
		v := e.vars[e.IntN(len(e.vars))]
		return v.name, v.typ
	}
	x, xt := e.make(depth - 1)
	switch e.IntN(7) {
	case 0:
		t := e.integer()
		return e.cast(x, t), t
	case 1:
		return e.unary(x, xt)
	}
	y, yt := e.make(depth - 1)
	return e.binary(x, xt, y, yt)
}

func (e *expression) unary(x string, t integer) (string, integer) {
	switch e.IntN(4) {
	case 0:
		return "(!" + x + ")", integers[0]
	case 1:
		return "(~" + e.cast(x, t.promote()) + ")", t.promote()
	case 2:
		return "(+" + x + ")", t.promote()
	}
	p := t.promote()
	return "(-" + e.cast(e.narrow(x, t, p), p) + ")", p
}

func (e *expression) binary(x string, xt integer, y string, yt integer) (string, integer) {
	t := common(xt, yt)
	op := []string{"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", "<=", "==", "!=", ">", "&&", "||", "?", ","}[e.IntN(19)]
	switch op {
	case "+", "-", "*":
		if t.signed { // one operand is wide still, so that the type of the result is t
			x, y = e.cast(e.narrow(x, xt, t), t), e.narrow(y, yt, t)
		}
	case "/", "%":
		y = fmt.Sprintf("((%s & 15) + 1)", y)
		t = common(xt, common(yt, intType))
	case "<<", ">>":
		t = xt.promote()
		if op == "<<" && t.signed {
			x, t = e.cast(x, integers[7]), integers[7]
		}
		y = fmt.Sprintf("(%s & %d)", y, min(t.bits, 64)-1)
	case "<", "<=", "==", "!=", ">", "&&", "||":
		t = integers[0]
	case "?":
		c, _ := e.make(0)
		if xt == yt {
			t = xt
		}
		return "(" + c + " ? " + x + " : " + y + ")", t
	case ",":
		return "((void)" + x + ", " + y + ")", yt
	}
	return "(" + x + " " + op + " " + y + ")", t
}
