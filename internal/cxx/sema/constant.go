package sema

import (
	"strconv"

	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
	"irgl/internal/source"
)

// evaluate computes the value of an expression as an object of type t; the diagnostic
// says why it has none. Functions that only constants call are not part of the program.
func (e *env) evaluate(x hir.Expr, t types.Type) (*hir.Const, *source.Diagnostic) {
	if isBad(x) {
		return nil, nil
	}
	if k, ok := x.(*hir.ConstExpr); ok {
		v := k.Value
		return &v, nil
	}
	return e.evalExpr(x)
}

// fold returns the value of an expression that is a constant, or nil.
func (e *env) fold(x hir.Expr) *hir.Const {
	if isBad(x) || !x.Type().IsScalar() || e.body != nil && !foldable(x) {
		return nil
	}
	k, _ := e.evaluate(x, x.Type())
	return k
}

// foldable reports whether an expression may be a constant, so that asking is worth it.
func foldable(x hir.Expr) bool {
	switch x := x.(type) {
	case *hir.ConstExpr, *hir.Call, *hir.Construct, *hir.Zero:
		return true
	case *hir.Convert:
		return x.Kind != hir.Decay && foldable(x.X)
	case *hir.Unary:
		return foldable(x.X)
	case *hir.Binary:
		return foldable(x.X) && foldable(x.Y)
	case *hir.Cond:
		return foldable(x.C)
	case *hir.Field:
		return foldable(x.X)
	case *hir.VarRef:
		return x.Var.Const != nil
	}
	return false
}

// constantExpr evaluates an integral constant expression, converted to type want if that
// is valid: in a list-like way, without narrowing, if exactly is set.
func (e *env) constantExpr(x ast.Expr, want types.Type, exactly bool) *hir.Const {
	sub := e.nodes.env(e)
	defer e.nodes.done(sub)
	v := sub.expr(x)
	if isBad(v) {
		return nil
	}
	if v.Type().IsClass() {
		target := want
		if !target.IsValid() {
			target = e.basic(types.Long)
		}
		v = sub.convertTo(v, target, "value")
	}
	v = sub.load(v)
	if isBad(v) {
		return nil
	}
	if t := v.Type(); !t.IsInteger() && !t.IsEnum() {
		e.errorf(x, codeNotConstant, "expression is not an integral constant expression: it has type '%s'", t)
		return nil
	}
	if v.Type().IsEnum() && v.Type().Enum.Scoped && want.IsValid() && v.Type().Unqualified() != want.Unqualified() {
		e.errorf(x, codeConvert, "value of type '%s' is not implicitly convertible to '%s'", v.Type(), want)
		return nil
	}
	if want.IsEnum() && want.Enum.Scoped && v.Type().Unqualified() != want.Unqualified() {
		e.errorf(x, codeConvert, "value of type '%s' is not implicitly convertible to '%s'", v.Type(), want)
		return nil
	}
	k, d := sub.evaluate(v, v.Type())
	if k == nil {
		err := e.errorf(x, codeNotConstant, "expression is not an integral constant expression")
		if d != nil {
			err.Notes = append(err.Notes, noteOf(d))
		}
		return nil
	}
	r := *k
	r.Type = v.Type().Unqualified()
	if want.IsValid() {
		if !want.Fits(r.Int, r.Type) && !want.Is(types.ULong) {
			if exactly || !want.Is(types.Bool) {
				e.errorf(x, codeNarrowing, "constant expression evaluates to %s which cannot be narrowed to type '%s'", constString(&r), want)
				return nil
			}
		}
		if !want.Is(types.ULong) || exactly {
			r.Int = want.Truncate(r.Int)
			r.Type = want
		}
	}
	return &r
}

// intConstant evaluates an integral constant expression as a signed number.
func (e *env) intConstant(x ast.Expr, message string) (int64, bool) {
	v := e.value(x)
	if isBad(v) {
		return 0, false
	}
	if v.Type().IsClass() {
		v = e.convertTo(v, e.basic(types.Long), "value")
	}
	if isBad(v) {
		return 0, false
	}
	if !v.Type().IsIntegerOrEnum() {
		e.errorf(x, codeNotConstant, "%s: it has type '%s'", message, v.Type())
		return 0, false
	}
	k, d := e.evaluate(v, v.Type())
	if k == nil {
		err := e.errorf(x, codeNotConstant, "%s", message)
		if d != nil {
			err.Notes = append(err.Notes, noteOf(d))
		}
		return 0, false
	}
	return int64(k.Int), true
}

// noteOf makes the reason of a failed evaluation a note.
func noteOf(d *source.Diagnostic) source.Diagnostic {
	n := *d
	n.Severity, n.Code = source.Note, ""
	return n
}

// constString returns a constant as messages show it.
func constString(k *hir.Const) string {
	switch {
	case k.Type.IsFloat():
		return strconv.FormatFloat(k.Float, 'g', -1, 64)
	case k.Type.Is(types.Bool):
		return strconv.FormatBool(k.Int != 0)
	case k.Type.IsSigned():
		return strconv.FormatInt(int64(k.Int), 10)
	}
	return strconv.FormatUint(k.Int, 10)
}

// staticAssert checks a static_assert.
func (e *env) staticAssert(d *ast.StaticAssertDecl) {
	x := e.toBool(e.expr(d.Cond))
	if isBad(x) {
		return
	}
	k, why := e.evaluate(x, x.Type())
	if k == nil {
		err := e.errorf(d.Cond, codeNotConstant, "static assertion expression is not an integral constant expression")
		if why != nil {
			err.Notes = append(err.Notes, noteOf(why))
		}
		return
	}
	if k.Int != 0 {
		return
	}
	if d.Message != "" {
		e.errorf(d.Cond, codeStaticAssert, "static assertion failed: %s", d.Message)
	} else {
		e.errorf(d.Cond, codeStaticAssert, "static assertion failed")
	}
}

// checkAsserts checks the static assertions of namespaces and classes. Those that device
// code cannot decide are the host's.
func (c *checker) checkAsserts() {
	for i := 0; i < len(c.asserts); i++ {
		a := c.asserts[i]
		e := &env{checker: c, scope: a.scope, order: a.order}
		d := c.try(func() { e.staticAssert(a.decl) })
		if d == nil || d.Code != codeStaticAssert && a.scope.kind == nsScope {
			continue
		}
		e.staticAssert(a.decl)
	}
	c.asserts = nil
}

// convertValueArg converts a template's argument to the type of its parameter.
func (e *env) convertValueArg(a types.Arg, want types.Type, at ast.Span) (types.Arg, bool) {
	if a.Kind == types.DependentValue || want.Dependent() && !hasAuto(want) {
		if a.Kind == types.ValueArg {
			return a, true
		}
		a.Type = want
		return a, true
	}
	x := e.argValue(a, at)
	if isBad(x) {
		return a, false
	}
	if hasAuto(want) {
		want = e.deduceAuto(want, x, "template argument")
		if !want.IsValid() {
			return a, false
		}
	}
	if a.Type.Unqualified() == want.Unqualified() {
		a.Type = want.Unqualified()
		return a, true
	}
	if k, ok := x.(*hir.ConstExpr); ok && (want.IsInteger() || want.IsEnum()) && (k.T.IsInteger() || k.T.IsEnum()) {
		if s := e.implicit(x, want, false); !s.ok() {
			e.cannotConvert(x, want, "template argument", &s)
			return a, false
		}
		if !want.Fits(k.Value.Int, k.T) && !(want.Is(types.Bool) && k.Value.Int <= 1) {
			e.errorf(at, codeNarrowing, "non-type template argument evaluates to %s, which cannot be narrowed to type '%s'", constString(&k.Value), want)
			return a, false
		}
		return types.Arg{Kind: types.ValueArg, Type: want.Unqualified(), Value: types.Value{Int: want.Truncate(k.Value.Int)}}, true
	}
	x = e.convertTo(x, want, "template argument")
	if isBad(x) {
		return a, false
	}
	return e.constantArg(x, want, at)
}

// valueArg evaluates an expression as a template's argument.
func (e *env) valueArg(x ast.Expr) (types.Arg, bool) {
	if e.inPattern() {
		return e.patternValue(x), true
	}
	v := e.expr(x)
	if isBad(v) {
		return types.Arg{}, false
	}
	if o, ok := v.(*overloadExpr); ok {
		o.addr = true
	}
	v = e.single(v)
	if isBad(v) {
		return types.Arg{}, false
	}
	if k := classOfType(v.Type()); k != nil && e.requireComplete(v.Type(), spanOf(x), "template argument of incomplete type") {
		if t, ok := e.contextual(v, k); !ok {
			return types.Arg{}, false
		} else if t.IsValid() {
			return e.constantArg(e.convertTo(v, t, "template argument"), t, spanOf(x))
		}
	}
	if r, ok := v.(*hir.VarRef); ok && r.Var.Const == nil && (r.Var.Space != hir.Local || r.Var.Static) {
		return e.constantArg(v, e.types.Ref(v.Type(), false), spanOf(x)) // for a parameter that is a reference
	}
	return e.constantArg(v, v.Type(), spanOf(x))
}

// constantArg makes a template's argument of a constant.
func (e *env) constantArg(v hir.Expr, t types.Type, at ast.Span) (types.Arg, bool) {
	a := types.Arg{Kind: types.ValueArg, Type: v.Type().Unqualified()}
	if t.IsRef() {
		a.Type = t
	}
	y := v
	for {
		c, ok := y.(*hir.Convert)
		if !ok || c.Kind != hir.FuncDecay && c.Kind != hir.Qualify && c.Kind != hir.Decay {
			break
		}
		y = c.X
	}
	if p, ok := y.(*hir.AddrOf); ok {
		y = p.X
	}
	switch y := y.(type) {
	case *hir.FuncRef:
		if a.Type.IsFunc() {
			a.Type = e.types.Pointer(a.Type)
		}
		a.Value.Entity = y.Func
		return a, true
	case *hir.MemberPtr:
		if y.Func != nil {
			a.Value.Entity = y.Func
		} else {
			a.Value.Entity = y.Field
		}
		return a, true
	case *hir.VarRef:
		if t.IsRef() || y.T.IsArray() || v != hir.Expr(y) && v.Type().IsPointer() {
			if y.T.IsArray() && !t.IsRef() {
				a.Type = e.types.Decayed(y.T)
			}
			a.Value.Entity = y.Var
			return a, true
		}
	}
	if isBad(v) {
		return a, false
	}
	x := e.load(v)
	if isBad(x) {
		return a, false
	}
	k, d := e.evaluate(x, x.Type())
	if k == nil || !x.Type().IsScalar() || x.Type().IsFloat() || k.String != nil {
		err := e.errorf(at, codeNotConstant, "non-type template argument is not a constant expression")
		if d != nil {
			err.Notes = append(err.Notes, noteOf(d))
		}
		return a, false
	}
	a.Value.Int = k.Int
	switch {
	case k.Base != nil:
		a.Value.Entity = k.Base
	case k.Member != nil:
		a.Value.Entity = k.Member
	}
	return a, true
}
