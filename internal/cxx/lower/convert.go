package lower

import (
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
	"irgl/internal/tree"
	"irgl/syntax"
)

// convert lowers a conversion to a prvalue.
func (l *lowerer) convert(e *hir.Convert) syntax.Expr {
	sp := at(e)
	switch e.Kind {
	case hir.Load:
		return l.load(e)
	case hir.Integral, hir.IntToFloat, hir.Floating, hir.FloatToInt:
		return l.arithmetic(e)
	case hir.ToBool:
		if isMethod(e.X.Type()) {
			return l.cast(e, memberOf(sp, l.value(e.X), methodFunc))
		}
		if e.X.Type().Is(types.MemberPointer) {
			return &syntax.BinaryExpr{Span: sp, X: l.value(e.X), Op: "!=", Y: tree.Number(sp, -1)}
		}
		return l.cast(e, l.condition(e.X))
	case hir.NullToPtr:
		return l.null(e)
	case hir.Decay, hir.FuncDecay:
		return l.decay(e)
	case hir.ToBase:
		return l.toBase(e)
	case hir.MemberOfDerived:
		return l.moveMember(e, e.T.Of.Class, 1)
	case hir.MemberOfBase:
		return l.moveMember(e, e.X.Type().Of.Class, -1)
	case hir.FromBase:
		return l.derivedPointer(e)
	case hir.Qualify:
		if e.Category() == hir.PRValue && e.T.IsPointer() && e.X.Type().IsPointer() && !e.T.Elem.IsPointer() &&
			(e.T.Elem.Qualifiers()^e.X.Type().Elem.Qualifiers())&^types.Const == 0 && e.T.Elem.Qualifiers() >= e.X.Type().Elem.Qualifiers() {
			return l.value(e.X)
		}
		if !e.T.IsPointer() {
			return l.value(e.X)
		}
		return l.cast(e, l.value(e.X))
	case hir.ToVoid:
		return l.effect(e.X)
	case hir.BitCast:
		switch {
		case e.T.IsClass():
			return l.classValue(e)
		case e.X.Type().Is(types.MemberPointer):
			return l.value(e.X) // represented alike
		}
		return deref(tree.Cast(sp, l.pointerTo(sp, e.T), addressOf(l.spill(e.X))))
	case hir.Reinterpret:
		return l.convertedPlace(e)
	}
	return l.cast(e, l.value(e.X)) // PtrCast, PtrToInt, IntToPtr
}

// cast returns (T)x.
func (l *lowerer) cast(e *hir.Convert, x syntax.Expr) syntax.Expr {
	return &syntax.CastExpr{Span: at(e), Type: l.typ(at(e), e.T.Unqualified()), X: x}
}

// load reads a scalar: of a bit-field, its bits.
func (l *lowerer) load(e *hir.Convert) syntax.Expr {
	switch x := e.X.(type) {
	case *hir.Assign:
		return l.assign(x, x.X) // has the value that it stores
	case *hir.IncDec:
		return l.incDec(x, x.X)
	case *hir.Field:
		if x.Field.Width >= 0 {
			return l.loadBits(x)
		}
		if isUnaligned(x) {
			return l.loadUnaligned(x)
		}
	case *hir.Deref:
		if isUnaligned(x) {
			return l.loadUnaligned(x)
		}
	case *hir.Comma:
		return comma(append(l.effects(x.X), l.load(&hir.Convert{Info: e.Info, Kind: hir.Load, X: x.Y}))...)
	case *hir.Cond:
		c := l.condition(x.C)
		var a, b syntax.Expr
		l.maybe(func() {
			a = l.load(&hir.Convert{Info: e.Info, Kind: hir.Load, X: x.X})
			b = l.load(&hir.Convert{Info: e.Info, Kind: hir.Load, X: x.Y})
		})
		return &syntax.CondExpr{Span: at(e), Cond: c, Then: a, Else: b}
	}
	if x, ok := l.readOnce(e.X); ok {
		return x
	}
	return l.lvalue(e.X)
}

// readOnce returns the value of a temporary that is only read: no variable is needed.
func (l *lowerer) readOnce(e hir.Expr) (syntax.Expr, bool) {
	for {
		c, ok := e.(*hir.Convert)
		if !ok || c.Kind != hir.Qualify {
			break
		}
		e = c.X
	}
	m, ok := e.(*hir.Materialize)
	if !ok || m.Extend != nil || m.T.IsClass() || m.T.IsArray() {
		return nil, false
	}
	return l.value(m.X), true
}

// arithmetic converts between numbers. A constant is written in the type.
func (l *lowerer) arithmetic(e *hir.Convert) syntax.Expr {
	to, from := e.T.Underlying(), e.X.Type().Underlying()
	if c, ok := e.X.(*hir.ConstExpr); ok {
		v := c.Value
		switch {
		case e.Kind == hir.Integral:
			v.Int = to.Truncate(v.Int)
		case e.Kind == hir.IntToFloat && from.IsSigned():
			v.Float = float64(int64(v.Int))
		case e.Kind == hir.IntToFloat:
			v.Float = float64(v.Int)
		case e.Kind == hir.FloatToInt:
			return l.cast(e, l.value(e.X))
		}
		if to.Is(types.Float) {
			v.Float = float64(float32(v.Float))
		}
		return l.constant(at(e), &v, e.T)
	}
	x := l.value(e.X)
	if to.Unqualified() == from.Unqualified() || from.Is(types.Bool) && to.Is(types.Int) && isComparison(e.X) {
		return x
	}
	return l.cast(e, x)
}

// isComparison reports whether e is an int in C.
func isComparison(e hir.Expr) bool {
	switch e := e.(type) {
	case *hir.Binary:
		return e.Op >= hir.Eq
	case *hir.Unary:
		return e.Op == hir.Not
	}
	return false
}

// null lowers a null pointer.
func (l *lowerer) null(e *hir.Convert) syntax.Expr {
	sp := at(e)
	if e.T.Is(types.MemberPointer) {
		return l.zeroScalar(sp, e.T)
	}
	return &syntax.CastExpr{Span: sp, Type: l.typ(sp, e.T.Unqualified()), X: tree.Number(sp, 0)}
}

// decay returns the address of an array's first element, or of a function.
func (l *lowerer) decay(e *hir.Convert) syntax.Expr {
	if f, ok := e.X.(*hir.FuncRef); ok && l.prog.Host && f.Func.Kind == hir.Kernel {
		return tree.Cast(at(e), l.typ(at(e), e.T.Unqualified()), tree.Addr(l.standIn(f.Func, at(e))))
	}
	if c, ok := e.X.(*hir.Cond); ok && isString(c) { // what is chosen is a pointer
		test := l.condition(c.C)
		arm := func(x hir.Expr) syntax.Expr {
			return l.decay(&hir.Convert{Info: e.Info, Kind: hir.Decay, X: x})
		}
		var x, y syntax.Expr
		l.maybe(func() { x, y = arm(c.X), arm(c.Y) })
		return &syntax.CondExpr{Span: at(e), Cond: test, Then: x, Else: y}
	}
	x := l.lvalue(e.X)
	if e.Kind == hir.Decay && (inConstant(e.X) && !e.T.Elem.IsConst() || isString(e.X) && e.T.Elem.Size() > 1) {
		return l.cast(e, x) // C's dialect has strings of char alone
	}
	return x
}

// inConstant reports whether a glvalue is a part of a __constant__ variable, which is
// read-only in C and need not be const in C++.
func inConstant(e hir.Expr) bool {
	switch e := e.(type) {
	case *hir.VarRef:
		return e.Var.Space == hir.Constant && !e.Var.Type.IsRef()
	case *hir.Field:
		return !e.Field.Type.IsRef() && inConstant(e.X)
	case *hir.Deref:
		if b, ok := e.X.(*hir.Binary); ok {
			return isDecayed(b.X) && inConstant(b.X.(*hir.Convert).X)
		}
		return isDecayed(e.X) && inConstant(e.X.(*hir.Convert).X)
	case *hir.Convert:
		return (e.Kind == hir.ToBase || e.Kind == hir.Qualify) && e.Category() != hir.PRValue && inConstant(e.X)
	}
	return false
}

// isDecayed reports whether e is the address of an array's first element.
func isDecayed(e hir.Expr) bool {
	c, ok := e.(*hir.Convert)
	return ok && c.Kind == hir.Decay
}

// derivedPointer converts a pointer to a base to that of a derived class. A null pointer
// stays one.
func (l *lowerer) derivedPointer(e *hir.Convert) syntax.Expr {
	moved := func(p syntax.Expr) syntax.Expr { return l.cast(e, l.fromBase(at(e), p, e)) }
	if _, known := e.X.(*hir.AddrOf); known || baseOffset(e) == 0 || l.isThis(e.X) {
		return moved(l.value(e.X))
	}
	return l.unlessNull(e, moved)
}

// unlessNull returns a pointer that is moved unless it is null.
func (l *lowerer) unlessNull(e *hir.Convert, moved func(p syntax.Expr) syntax.Expr) syntax.Expr {
	sp := at(e)
	null := l.cast(e, tree.Number(sp, 0))
	if l.repeatable(e.X) {
		return &syntax.CondExpr{Span: sp, Cond: l.value(e.X), Then: moved(l.value(e.X)), Else: null}
	}
	name := l.temporary(sp, e.X.Type())
	set := tree.Assign(tree.Ident(sp, name), "=", l.value(e.X))
	return &syntax.CondExpr{Span: sp, Cond: set, Then: moved(tree.Ident(sp, name)), Else: null}
}

// nullMember is the null pointer to a data member; others are offsets.
const nullMember = -1

// moveMember adds the offset of a base in the derived class to a pointer to a member, or
// subtracts it. A null pointer stays one.
func (l *lowerer) moveMember(e *hir.Convert, derived *types.Class, sign int64) syntax.Expr {
	sp := at(e)
	off := int64(0)
	for _, b := range e.Path.Classes() {
		if i, ok := baseAt(derived, b); ok {
			off += sign * derived.Bases[i].Offset
			derived = b
		}
	}
	switch {
	case off == 0:
		return l.value(e.X)
	case isMethod(e.T):
		return l.moveMethod(e, off)
	}
	moved := func(x syntax.Expr) syntax.Expr { return tree.Binary(x, "+", tree.Number(sp, off)) }
	if p, known := e.X.(*hir.MemberPtr); known && p.Field != nil {
		return moved(l.value(e.X))
	}
	x := func() syntax.Expr { return l.value(e.X) }
	first := x
	if !l.repeatable(e.X) {
		name := l.temporary(sp, e.X.Type())
		set := tree.Assign(tree.Ident(sp, name), "=", l.value(e.X))
		first, x = func() syntax.Expr { return set }, func() syntax.Expr { return tree.Ident(sp, name) }
	}
	return &syntax.CondExpr{Span: sp, Cond: tree.Binary(first(), "!=", tree.Number(sp, nullMember)), Then: moved(x()), Else: tree.Number(sp, nullMember)}
}

// toBase converts a pointer to that of a base. A null pointer stays one.
func (l *lowerer) toBase(e *hir.Convert) syntax.Expr {
	sp := at(e)
	c := e.X.Type().Elem.Class
	off := int64(0)
	for _, b := range e.Path.Classes() {
		if i, ok := baseAt(c, b); ok {
			off += c.Bases[i].Offset
			c = b
		}
	}
	_, known := e.X.(*hir.AddrOf)
	if !known && off != 0 && !l.isThis(e.X) {
		return l.unlessNull(e, func(p syntax.Expr) syntax.Expr {
			return l.cast(e, tree.Binary(l.chars(sp, p), "+", tree.Number(sp, off)))
		})
	}
	x := deref(l.value(e.X))
	c = e.X.Type().Elem.Class
	for _, b := range e.Path.Classes() {
		if i, ok := baseAt(c, b); ok {
			x, c = l.base(sp, x, c, i), b
		}
	}
	if e.T.Elem.IsConst() {
		return l.cast(e, addressOf(x))
	}
	return addressOf(x)
}

// isThis reports whether e is the value of this.
func (l *lowerer) isThis(e hir.Expr) bool {
	c, ok := e.(*hir.Convert)
	if !ok || c.Kind != hir.Load {
		v, ok := e.(*hir.VarRef)
		return ok && l.fn != nil && v.Var == l.fn.decl.This
	}
	return l.isThis(c.X)
}
