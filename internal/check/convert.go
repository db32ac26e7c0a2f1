package check

import "irgl/syntax"

// convertible reports whether the value x of expression e converts to type t
// without a cast, and says what is wrong when it does not. what names the
// value in the message. The conversions are those that C and nvcc agree on:
// between numbers, to bool, from the null constant, to void * and to more
// qualified pointers.
func (c *checker) convertible(e syntax.Expr, x *operand, t Type, what string) bool {
	if x.typ == Invalid || t == Invalid || t == nil {
		return true
	}
	c.adapt(e, x, t)
	from := Decay(x.typ)
	p, toPtr := t.(*Pointer)
	q, fromPtr := from.(*Pointer)
	switch {
	case IsArithmetic(from) && IsArithmetic(t):
		return true
	case toPtr && isNullConst(*x):
		return true
	case fromPtr && t == Bool:
		return true
	case toPtr && fromPtr:
		if x.typ == String && Identical(p.Elem, Char) && !p.Const {
			c.warnf(e, codeDropConst, "%s is a string, which must not be written to", what).Hint = "write const char *"
			return true
		}
		return c.pointerConvertible(e, q, p, what)
	case toPtr:
		if f, ok := from.(*Func); ok && Identical(f, p.Elem) {
			return true
		}
	case Identical(from, t):
		return true
	case t == Type(Dim3()) && IsInteger(from):
		return true
	}
	must := "be of type"
	if b, ok := t.(Basic); ok && b >= Nodes {
		must = "be"
	}
	d := c.errorf(e, codeConvert, "%s must %s %s, not %s", what, must, typeName(t), describe(from))
	switch {
	case fromPtr && IsArithmetic(t) && Identical(q.Elem, t):
		d.Hint = "write *" + describeOperand(e) + " for the value it points to"
	case toPtr && Identical(p.Elem, from) && x.lvalue:
		d.Hint = "write &" + describeOperand(e) + " for its address"
	case t == Node && from == Edge:
		d.Hint = describeOperand(e) + ".dst is the node that the edge leads to"
	}
	return false
}

// describeOperand names an expression in a hint.
func describeOperand(e syntax.Expr) string {
	if s := pathText(e); s != "" {
		return s
	}
	return "(...)"
}

// typeName is describe for what is wanted rather than what is there.
func typeName(t Type) string {
	if b, ok := t.(Basic); ok && b < Nodes {
		return b.String()
	}
	return describe(t)
}

// pointerConvertible checks a conversion between pointers. C converts void *
// to any pointer, C++ does not; since programs end in nvcc, a cast is asked for.
func (c *checker) pointerConvertible(e syntax.Expr, from, to *Pointer, what string) bool {
	same := Identical(from.Elem, to.Elem) || sameObjectType(from.Elem, to.Elem) || isHandle(from.Elem, to.Elem)
	_, toFunc := to.Elem.(*Func)
	_, fromFunc := from.Elem.(*Func)
	switch {
	case !same && to.Elem == Void && !fromFunc:
	case !same && from.Elem == Void && !toFunc:
		c.errorf(e, codeConvert, "%s must be of type %s, not %s", what, to, from).Hint = "nvcc wants a cast: (" + to.String() + ")"
		return false
	case !same:
		c.errorf(e, codeConvert, "%s must be of type %s, not %s", what, to, from)
		return false
	}
	if from.Const && !to.Const || from.Volatile && !to.Volatile {
		word := "const"
		if !from.Const || to.Const {
			word = "volatile"
		}
		c.errorf(e, codeDropConst, "%s must be of type %s: it would lose the %s of %s", what, to, word, from)
		return false
	}
	return true
}

// isHandle reports whether one type is a handle and the other its integer: a
// node property is an array of int to a function that takes int *.
func isHandle(x, y Type) bool {
	hx, okx := x.(Basic)
	hy, oky := y.(Basic)
	return okx && oky && isHandleType(hx) != isHandleType(hy) && Promote(hx) == Promote(hy) && (x == Int || y == Int || x == Long || y == Long)
}
