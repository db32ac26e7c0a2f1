package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// bindSeq returns how a reference binds to x.
func (e *env) bindSeq(x hir.Expr, to types.Type, user bool) seq {
	t := to.Elem
	rref := to.Is(types.RRef)
	switch x := x.(type) {
	case *listExpr:
		return e.listRefSeq(x, to, user)
	case *overloadExpr:
		s := e.addressSeq(x, t)
		s.ref, s.rref, s.function = true, rref, true
		return s
	}
	from := x.Type()
	related, s := e.related(from, t)
	lvalue := x.Category() == hir.LValue
	s.ref, s.rref, s.rvalue, s.function = true, rref, !lvalue, from.IsFunc()
	compatible := related && from.Qualifiers()&^t.Qualifiers() == 0
	converts := user && from.IsClass() && !related
	if rref {
		if compatible && lvalue && from.IsFunc() {
			return s
		}
	} else {
		if compatible && lvalue && !isBitField(x) {
			return s
		}
		if converts {
			if c := e.referenceConversion(x, to, true, false); c.ok() {
				return c
			}
		}
		if !t.IsConst() || t.IsVolatile() {
			return seq{kind: noSeq, refused: lvalueRefusal(related, compatible, lvalue)}
		}
	}
	if compatible && !lvalue && (x.Category() == hir.XValue || from.IsClass() || from.IsArray()) {
		return s
	}
	if converts {
		if c := e.referenceConversion(x, to, false, false); c.ok() {
			return c
		}
	}
	switch {
	case related && !compatible:
		return seq{kind: noSeq, refused: losesQualifiers}
	case related && rref && lvalue:
		return seq{kind: noSeq, refused: needsRvalue}
	case t.IsFunc() || t.IsArray() && !related:
		return failed
	}
	// A temporary is made ([dcl.init.ref]/5.4).
	c := e.implicit(x, t.Unqualified(), user)
	if rref && c.kind == userSeq && c.fn != nil && c.fn.kind == ast.Conversion && c.fn.result().Is(types.LRef) {
		if related, _ := e.related(c.fn.result().Elem, t); related {
			return seq{kind: noSeq, refused: needsRvalue}
		}
	}
	c.ref, c.rref, c.rvalue = true, rref, true
	if c.ok() && c.to.IsValid() {
		c.to = e.types.Qualify(c.to, t.Qualifiers()) // a reference with fewer qualifiers is better
	}
	return c
}

// lvalueRefusal says why an lvalue reference that is not to const does not bind.
func lvalueRefusal(related, compatible, lvalue bool) refusal {
	switch {
	case related && !compatible:
		return losesQualifiers
	case related && !lvalue:
		return isTemporary
	}
	return needsLvalue
}

// referenceConversion finds the conversion function whose result a reference binds to
// directly: an lvalue, or an rvalue ([over.match.ref]). Explicit ones count in direct
// initialisation.
func (e *env) referenceConversion(x hir.Expr, to types.Type, lvalue, direct bool) seq {
	k := classOfType(x.Type())
	if k == nil || e.depth > maxDepth || !e.checker.complete(k, k.at) {
		return failed
	}
	var set candidates
	defer set.release(e)
	for _, f := range e.conversions(k) {
		f, from := e.conversionFor(f, to), f
		if f == nil {
			continue
		}
		r := f.result()
		if isLvalue := r.Is(types.LRef) || r.Is(types.RRef) && r.Elem.IsFunc(); isLvalue != lvalue {
			continue
		}
		if related, _ := e.related(r.Unref(), to.Elem); related {
			e.considerConversion(&set, f, from, x, to, direct)
		}
	}
	return set.conversion(e)
}

// explicitReference binds a reference to the result of an explicit conversion function, as
// direct initialisation may; nil where the reference binds without one, or not at all.
func (e *env) explicitReference(to types.Type, x hir.Expr) hir.Expr {
	if !to.IsRef() || !x.Type().IsClass() {
		return nil
	}
	if s := e.implicit(x, to, true); s.ok() {
		return nil
	}
	for _, lvalue := range []bool{to.Is(types.LRef) || to.Elem.IsFunc(), false} {
		if lvalue || to.Is(types.RRef) || to.Elem.IsConst() {
			if s := e.referenceConversion(x, to, lvalue, true); s.ok() && !s.ambiguous {
				return e.apply(x, to, &s)
			}
		}
	}
	return nil
}

// related reports whether a reference to t can refer to from: the same type or a base.
func (e *env) related(from, t types.Type) (bool, seq) {
	a, b := e.types.Unqualify(from), e.types.Unqualify(t)
	s := seq{from: from, to: t}
	if a == b || e.sameFunc(a, b) {
		s.identity = true
		return true, s
	}
	if a.IsArray() && b.IsArray() && a.Elem == b.Elem && b.Len < 0 {
		s.identity = true
		return true, s
	}
	if e.derives(a, b) {
		s.rank = conversion
		return true, s
	}
	return false, s
}
