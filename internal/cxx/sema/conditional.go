package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// chosenClass makes a conditional expression with an operand of class type.
func (e *env) chosenClass(at ast.Span, a, b hir.Expr, cond func(types.Type, hir.Category, hir.Expr, hir.Expr) hir.Expr) hir.Expr {
	ta, tb := a.Type().Unqualified(), b.Type().Unqualified()
	if ta == tb {
		return cond(ta, hir.PRValue, e.copyObject(a, ta), e.copyObject(b, ta))
	}
	sa, toB := e.operandSeq(a, b)
	sb, toA := e.operandSeq(b, a)
	switch {
	case sa.ok() && sb.ok():
		e.errorf(at, codeOperands, "conditional expression is ambiguous; '%s' can be converted to '%s' and vice versa", ta, tb)
	case sa.ok() && toB.IsRef():
		return cond(toB.Elem, b.Category(), e.apply(a, toB, &sa), b)
	case sb.ok() && toA.IsRef():
		return cond(toA.Elem, a.Category(), a, e.apply(b, toA, &sb))
	case sa.ok():
		return cond(toB, hir.PRValue, e.apply(a, toB, &sa), e.convertTo(b, toB, ""))
	case sb.ok():
		return cond(toA, hir.PRValue, e.convertTo(a, toA, ""), e.apply(b, toA, &sb))
	default:
		e.errorf(at, codeOperands, "incompatible operand types ('%s' and '%s')", a.Type(), b.Type())
	}
	return e.bad(at)
}

// operandSeq returns how an operand x of ?: converts to match the other, y, and the type that
// it converts to ([expr.cond]/4): a reference, where y is a glvalue to whose type a reference
// binds directly to x, and otherwise the type of y's value.
func (e *env) operandSeq(x, y hir.Expr) (seq, types.Type) {
	if cat := y.Category(); cat != hir.PRValue && !isBitField(y) {
		t := e.types.Ref(y.Type(), cat == hir.XValue)
		s := e.implicit(x, t, true)
		if s.ok() && s.ref && s.rvalue == (cat == hir.XValue) && (cat == hir.LValue || x.Category() != hir.LValue && e.derives(x.Type(), y.Type())) {
			return s, t
		}
	}
	t := e.types.Decayed(y.Type()).Unqualified()
	if e.derives(t, x.Type().Unqualified()) || e.derives(x.Type(), t) && x.Type().Qualifiers()&^y.Type().Qualifiers() != 0 {
		return failed, t
	}
	return e.implicit(x, t, true), t
}
