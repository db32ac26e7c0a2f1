package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// This file decides which functions and expressions may throw. Device code has no
// exceptions, but exception specifications are parts of types, choose specialisations and
// are arguments of templates, so that they must agree with the host compiler's.

// exceptionSpec evaluates noexcept(x) of a declared function, which is part of its type.
// It does so when the function is named ([except.spec]/13), not in the signature's
// substitution: noexcept without an operand is known before.
func (c *checker) exceptionSpec(f *function) {
	if f.specified || f.decl == nil || f.decl.Type == nil || f.tmpl != nil || f.typ.Node == nil {
		return
	}
	f.specified = true
	x := f.decl.Type.Noexcept
	if x == nil || isLiteral(x) {
		return
	}
	s := newScope(paramScope, f.scope)
	e := &env{checker: c, scope: s, order: f.order, this: c.thisIn(f)}
	i := 0
	for _, p := range f.decl.Type.Params {
		n := 1
		if isPack(p) {
			n = len(f.params) - (len(f.decl.Type.Params) - 1)
		}
		if n < 0 || i+n > len(f.params) {
			return
		}
		list := make([]types.Type, 0, n)
		for _, t := range f.params[i : i+n] {
			list = append(list, c.declaredParam(f, p, t))
		}
		e.declareParam(s, p, list)
		i += n
	}
	if e.noexceptOperand(x) {
		info := *f.typ.Func
		info.Noexcept = true
		f.typ = c.types.Func(f.typ.Elem, info)
	}
}

// thisIn is this in the declaration of f after its parameters; nil where there is none.
func (c *checker) thisIn(f *function) *hir.Var {
	if f.class == nil || f.static {
		return nil
	}
	return &hir.Var{Name: "this", Type: c.types.Pointer(c.types.Qualify(c.types.Class(f.class.t), types.CV(f.decl.Type.CV)))}
}

func isLiteral(x ast.Expr) bool {
	_, ok := x.(*ast.Literal)
	return ok
}

// isNoexceptLiteral reports whether an exception specification is noexcept, or noexcept of
// a literal that is true.
func isNoexceptLiteral(x ast.Expr) bool {
	l, ok := x.(*ast.Literal)
	return ok && l.Kind == ast.BoolLit && l.Text == "true" || ok && l.Kind == ast.IntLit && l.Text == "1"
}

// noexceptOperand returns the value of the operand of noexcept(x) in a declaration, and
// false if x depends on parameters of a template.
func (e *env) noexceptOperand(x ast.Expr) bool {
	if isLiteral(x) {
		return isNoexceptLiteral(x)
	}
	if e.inPattern() {
		a := e.patternValue(x)
		return a.Kind == types.ValueArg && a.Value.Int != 0
	}
	v := e.constantExpr(x, e.types.Basic(types.Bool), false)
	return v != nil && v.Int != 0
}

// noexceptSpec returns the value of noexcept(x) in the type of a function, or x where it depends
// on parameters.
func (e *env) noexceptSpec(x ast.Expr) (value bool, depends *types.Arg) {
	if !isLiteral(x) && e.inPattern() {
		if a := e.patternValue(x); a.Kind != types.ValueArg {
			return false, &a
		}
	}
	return e.noexceptOperand(x), nil
}

// noexcept is whether an expression that is not evaluated cannot throw ([expr.unary.noexcept]).
func (e *env) noexcept(x *ast.NoexceptExpr) hir.Expr {
	sub := *e
	sub.unevaluated = true
	v := sub.expr(x.X)
	if !isBad(v) {
		v = sub.single(v)
	}
	if isBad(v) {
		return e.bad(x)
	}
	n := uint64(1)
	if e.mayThrow(v) {
		n = 0
	}
	return e.intConst(n, e.basic(types.Bool), x.Span)
}

// mayThrow reports whether an expression or statement has a call of a function that may
// throw ([except.spec]/6).
func (c *checker) mayThrow(n any) bool {
	throws := false
	call := func(f *hir.Func) { throws = throws || f != nil && c.throws(f) }
	hir.Walk(n, func(n any) {
		if x, ok := n.(hir.Expr); ok && x.Category() == hir.PRValue && x.Type().IsClass() { // a temporary
			throws = throws || c.destructionThrows(x.Type())
		}
		switch n := n.(type) {
		case *hir.Call:
			if n.Func != nil {
				call(n.Func)
				return
			}
			t := n.Fun.Type().Unref()
			if t.IsPointer() || t.Is(types.MemberPointer) {
				t = t.Elem
			}
			throws = throws || !t.IsFunc() || !t.Func.Noexcept
		case *hir.Construct:
			call(n.Func)
		case *hir.Aggregate:
			call(n.Rest)
		case *hir.Materialize:
			call(n.Destroy)
		case *hir.Delete:
			call(n.Destroy)
		case *hir.New:
			throws = throws || n.Place == nil && n.Alloc == nil && !n.Checked
		}
	})
	return throws
}

// destructionThrows reports whether the destructor of an object, or of an array's elements,
// may throw.
func (c *checker) destructionThrows(t types.Type) bool {
	k := classOfElement(t)
	return k != nil && k.destroyer != nil && c.throws(c.hirFunc(k.destroyer))
}

// partsThrow reports whether the destructor of a base or a field may throw.
func (c *checker) partsThrow(k *class) bool {
	for _, s := range k.subobjects() {
		if s.class != nil && s.class.destroyer != nil && c.throws(c.hirFunc(s.class.destroyer)) {
			return true
		}
	}
	return false
}

// throws reports whether a function may throw: a function without an exception
// specification may, but destructors and what the compiler defines throw as their calls do.
func (c *checker) throws(h *hir.Func) bool {
	f := functionOf(h)
	if f == nil || h.Trivial {
		return false
	}
	if f.inherited != nil {
		return c.throws(c.hirFunc(f.inherited))
	}
	c.exceptionSpec(f)
	written := f.decl != nil && f.decl.Type != nil && f.decl.Type.Noexcept != nil
	switch {
	case written:
		return !f.typ.Func.Noexcept
	case f.special == destructor: // as the implicit one ([except.spec]/8)
		return c.partsThrow(f.class)
	case f.special == notSpecial || !f.implicit && !f.defaulted:
		return true
	case f.bodied == active: // a class inside of itself: what is around it decides
		return false
	}
	c.analyseBody(f)
	return h.Body != nil && c.mayThrow(h.Body)
}
