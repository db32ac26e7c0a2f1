package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// Most structures of C have no special member that anything calls by overload resolution: their
// objects are copied as bytes. This file recognises such classes, which are classified without their
// implicit members. Those are declared when something asks for them.

// isPlain reports whether a complete class declares no special member and all of its implicit
// ones are trivial: a class as C has it.
func (e *env) isPlain(k *class) bool {
	t := k.t
	if k.failed || t.Virtual || k.hasInit || k.lambda != nil || k.ctors != nil || k.destroyer != nil || len(k.bases) > 0 {
		return false
	}
	for _, f := range k.fields {
		x := f.t.Type
		if x.IsRef() || x.Qualifiers() != 0 {
			return false
		}
		if m := classOfType(x.Element()); m != nil && !m.plain {
			return false
		}
	}
	return k.scope.get("operator=") == nil
}

// classifyPlain is classify for a plain class.
func (e *env) classifyPlain(k *class) {
	k.plain, k.deferred = true, true
	t := k.t
	t.Aggregate = true
	for _, f := range k.fields {
		t.Aggregate = t.Aggregate && f.t.Access == types.Public
	}
	t.TrivialDestroy, t.TrivialDefault, t.TrivialCopy, t.Literal = true, true, true, true
	t.StandardLayout = e.standardLayout(k)
}

// implicits declares the implicit members of a plain class if that has not been done.
func (c *checker) implicits(k *class) {
	if k.deferred {
		k.deferred = false
		e := c.at(k.scope)
		e.order = k.defOrder
		c.aside(func() { e.declareImplicit(k) })
	}
}

// destructor returns the destructor of a complete class, or nil.
func (c *checker) destructor(k *class) *function {
	c.implicits(k)
	return k.destroyer
}

// copyPlain returns the assignment a = b of objects of one plain class, b an lvalue; nil for other
// operands. It is what overload resolution would choose: the trivial copy assignment.
func (e *env) copyPlain(at ast.Span, a, b hir.Expr) hir.Expr {
	t := a.Type()
	k := classOfType(t)
	if k == nil || t.CV != 0 || a.Category() != hir.LValue || b.Category() != hir.LValue || b.Type().CV&types.Volatile != 0 ||
		b.Type().Unqualified() != t || !e.checker.complete(k, at) || !k.plain {
		return nil
	}
	return &hir.Copy{Info: hir.Info{Span: at, T: t, Cat: hir.LValue}, To: a, X: e.requalify(b, e.types.Qualify(t, types.Const))}
}
