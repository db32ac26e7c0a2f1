package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// Most of what kernels compute is C: local variables, fields of structures, and arithmetic on
// operands of one type. This file recognises these. It gives what the general rules give, which
// take many times the steps.

// localNamed returns the variable of the function's blocks or parameters that a name means, as
// most names do; nil means that nothing is known of the name.
func (e *env) localNamed(n *ast.Name) *variable {
	name := n.Plain()
	if name == "" {
		return nil
	}
	bit := bitOf(n.Number)
	for s := e.scope; s != nil && (s.kind == blockScope || s.kind == paramScope); s = s.parent {
		if s.holds&bit != 0 {
			if sym := s.getNumbered(name, n.Number); sym != nil {
				if v, ok := sym.what.(*variable); ok && v.owner != nil && len(sym.more) == 0 {
					return v
				}
				return nil
			}
		}
		if len(s.uses) > 0 {
			return nil
		}
	}
	return nil
}

// plainField returns x.m for a public field m of a plain class; nil leaves the member to the
// general rules. The object is not a prvalue.
func (e *env) plainField(x *ast.MemberExpr, obj hir.Expr) hir.Expr {
	t := obj.Type()
	k := classOfType(t)
	if k == nil || !k.plain || obj.Category() == hir.PRValue {
		return nil
	}
	name := x.Name.Plain()
	if name == "" {
		return nil
	}
	sym := k.scope.getNumbered(name, x.Name.Number)
	if sym == nil || len(sym.more) > 0 {
		return nil
	}
	f, ok := sym.what.(*field)
	if !ok || f.class != k || len(f.path) > 0 || f.t.Access != types.Public || f.t.Mutable || !f.t.Type.IsValid() {
		return nil
	}
	m := e.nodes.fields.New()
	m.Span, m.T, m.Cat, m.X, m.Field = x.Span, e.types.Qualify(f.t.Type, t.CV), obj.Category(), obj, f.t
	return m
}

// sameOperands returns a op b for values of one arithmetic type that is not promoted; nil leaves
// the operator to the general rules.
func (e *env) sameOperands(at ast.Span, op hir.BinaryOp, a, b hir.Expr) hir.Expr {
	t := a.Type()
	if t != b.Type() || t.CV != 0 {
		return nil
	}
	switch t.Kind {
	case types.Int, types.Float, types.Double:
	case types.UInt, types.Long, types.ULong, types.LongLong, types.ULongLong:
		if unloaded(a) != a || unloaded(b) != b { // bit-fields may become int
			return nil
		}
	default:
		return nil
	}
	switch op {
	case hir.Add, hir.Sub, hir.Mul:
		return e.nodes.binary(at, t, op, a, b)
	case hir.Eq, hir.Ne, hir.Lt, hir.Le, hir.Gt, hir.Ge:
		x := e.nodes.binary(at, e.basic(types.Bool), op, a, b)
		e.checkUnsigned(at, op, x)
		return x
	}
	return nil
}

// onlyChoice returns the function that a call means where its name means that one alone and the
// arguments convert as in C; nil leaves the choice to overload resolution.
func (e *env) onlyChoice(o *overloadExpr, args []hir.Expr) *function {
	if len(o.funcs) != 1 || o.hasArgs || o.object != nil {
		return nil
	}
	f := o.funcs[0]
	e.signature(f)
	if f.tmpl != nil || f.class != nil || f.bad || f.deleted || f.ignored() || len(args) != len(f.params) {
		return nil
	}
	for i, x := range args {
		from, to := x.Type(), f.params[i]
		switch {
		case from.IsArithmetic() && to.IsArithmetic():
		case from.IsPointer() && to.IsPointer() && from.Elem.Node == to.Elem.Node && from.Elem.CV&^to.Elem.CV == 0:
		default:
			return nil
		}
	}
	return f
}

// exactChoice returns the one of several functions whose parameters have just the types of the
// arguments, which are arithmetic or pointers: all others that can be called convert one, and rank
// behind it ([over.ics.rank]/3.2.1). Nil leaves the choice to the general rules, as where a parameter
// of another function may be anything but a scalar.
func (e *env) exactChoice(o *overloadExpr, args []hir.Expr) *function {
	if o.hasArgs || o.object != nil || len(o.funcs) < 2 {
		return nil
	}
	for _, x := range args {
		if t := x.Type(); !t.IsArithmetic() && !t.IsPointer() {
			return nil
		}
	}
	var found *function
	for _, f := range o.funcs {
		e.signature(f)
		switch n := len(f.params); {
		case f.bad || f.ignored():
		case f.tmpl != nil || f.class != nil:
			return nil
		case n < len(args) && f.typ.Func.Variadic, n > len(args) && f.hasDefault(len(args)):
			return nil
		case n == len(args):
			exact := true
			for i, to := range f.params {
				if !to.IsScalar() {
					return nil
				}
				exact = exact && to.Node == args[i].Type().Node
			}
			if exact && found != nil {
				return nil
			}
			if exact {
				found = f
			}
		}
	}
	if found == nil || found.deleted || e.preference(found) == wrongSide {
		return nil
	}
	return found
}
