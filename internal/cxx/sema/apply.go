package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// convertTo initialises a value or reference of type to from x, as a copy: with the
// conversions of a parameter. What says in a message what is initialised.
func (e *env) convertTo(x hir.Expr, to types.Type, what string) hir.Expr {
	if isBad(x) || !to.IsValid() {
		return e.bad(x)
	}
	if l, ok := x.(*listExpr); ok {
		return e.initList(to, l, true, what)
	}
	if !to.IsRef() && x.Type().Unqualified() == to.Unqualified() && to.IsScalar() {
		if x.Category() == hir.PRValue {
			return x
		}
		return e.load(x)
	}
	s := e.implicit(x, to, true)
	if s.ok() && s.ambiguous {
		e.errorf(x, codeAmbiguous, "conversion from '%s' to '%s' is ambiguous", typeName(x), to)
		return e.bad(x)
	}
	if !s.ok() {
		e.cannotConvert(x, to, what, &s)
		return e.bad(x)
	}
	return e.apply(x, to, &s)
}

// apply performs an implicit conversion sequence.
func (e *env) apply(x hir.Expr, to types.Type, s *seq) hir.Expr {
	if isBad(x) {
		return x
	}
	if l, ok := x.(*listExpr); ok {
		return e.initList(to, l, true, "parameter")
	}
	if o, ok := x.(*overloadExpr); ok {
		x = e.resolveAddress(o, to)
		if isBad(x) || x.Category() == hir.PRValue && !to.IsRef() && x.Type() == to.Unqualified() {
			return x
		}
	}
	if to.IsRef() {
		return e.bindTo(x, to, s)
	}
	if s.kind == userSeq {
		x = e.callConversion(x, s, to)
		if isBad(x) {
			return x
		}
		if x.Type().Unqualified() == to.Unqualified() && x.Category() == hir.PRValue {
			return x
		}
		if to.IsClass() {
			return e.copyObject(x, to)
		}
		return e.scalar(e.load(x), to.Unqualified())
	}
	if to.IsClass() {
		return e.copyObject(x, to)
	}
	return e.scalar(e.load(x), to.Unqualified())
}

// callConversion calls the function of a user-defined conversion.
func (e *env) callConversion(x hir.Expr, s *seq, to types.Type) hir.Expr {
	f := s.fn
	if f.kind == ast.Constructor {
		return e.construct(f, []hir.Expr{x}, e.types.Class(f.class.t), spanOf(x))
	}
	e.checkMemberAccess(spanOf(x), f.class, f.access, "operator "+f.result().String(), f.at, nil)
	return e.callFunction(f, x, nil, spanOf(x))
}

// scalar converts a prvalue to a scalar type, which is known to be possible.
func (e *env) scalar(x hir.Expr, to types.Type) hir.Expr {
	if isBad(x) {
		return x
	}
	from := x.Type().Unqualified()
	if from == to {
		return x
	}
	conv := func(k hir.Conversion) hir.Expr {
		return e.nodes.convert(x.At(), to, k, x)
	}
	fromInt := from.IsInteger() || from.IsEnum()
	for _, t := range [...]types.Type{from, to} {
		if x := enumOf(t); x != nil {
			e.resolveEnum(x) // its size decides what the conversion keeps
		}
	}
	switch {
	case to.IsVoid():
		return conv(hir.ToVoid)
	case to.Is(types.Bool):
		return conv(hir.ToBool)
	case (to.IsPointer() || to.Is(types.MemberPointer)) && (isNull(x) || from.Is(types.Nullptr)):
		return conv(hir.NullToPtr)
	case fromInt && (to.IsInteger() || to.IsEnum()):
		return conv(hir.Integral)
	case fromInt && to.IsFloat():
		return conv(hir.IntToFloat)
	case from.IsFloat() && to.IsFloat():
		return conv(hir.Floating)
	case from.IsFloat():
		return conv(hir.FloatToInt)
	case from.IsPointer() && to.IsPointer():
		return e.pointerTo(x, to)
	case from.Is(types.MemberPointer) && to.Is(types.MemberPointer):
		if from.Of != to.Of {
			if e.ambiguousBase(x, to.Of, from.Of, ambiguousMembers, from.Of, to.Of) {
				return e.bad(x)
			}
			return &hir.Convert{Info: rvalueInfo(spanOf(x), to), Kind: hir.MemberOfDerived, X: x, Path: hir.NewPath(classOfType(to.Of).basePath(classOfType(from.Of)))}
		}
		return conv(hir.Qualify)
	}
	return conv(hir.BitCast)
}

// pointerTo converts between pointers.
func (e *env) pointerTo(x hir.Expr, to types.Type) hir.Expr {
	a, b := x.Type().Elem, to.Elem
	kind := hir.PtrCast
	var path []*types.Class
	switch {
	case e.types.Unqualify(a) == e.types.Unqualify(b):
		kind = hir.Qualify
	case e.derives(a.Unqualified(), b.Unqualified()):
		kind = hir.ToBase
		if e.ambiguousBase(x, a, b, ambiguousUpcast, a, b) {
			return e.bad(x)
		}
		path = classOfType(a).basePath(classOfType(b))
		e.checkBaseAccess(x, classOfType(a), classOfType(b))
	}
	if path == nil {
		return e.nodes.convert(x.At(), to, kind, x)
	}
	return &hir.Convert{Info: rvalueInfo(x.At(), to), Kind: kind, X: x, Path: hir.NewPath(path)}
}

// toBase returns a glvalue of class type as one of a base class.
func (e *env) toBase(x hir.Expr, t types.Type) hir.Expr {
	from := x.Type()
	if from.Node == t.Node {
		return e.requalify(x, t)
	}
	if e.ambiguousBase(x, from, t, ambiguousUpcast, from, t) {
		return e.bad(x)
	}
	path := classOfType(from).basePath(classOfType(t))
	cat := x.Category()
	if cat == hir.PRValue {
		x = e.materialize(x)
		cat = hir.XValue
	}
	return &hir.Convert{Info: hir.Info{Span: spanOf(x), T: t, Cat: cat}, Kind: hir.ToBase, X: x, Path: hir.NewPath(path)}
}

// requalify returns a glvalue with other qualifiers.
func (e *env) requalify(x hir.Expr, t types.Type) hir.Expr {
	if x.Type() == t {
		return x
	}
	return &hir.Convert{Info: hir.Info{Span: spanOf(x), T: t, Cat: x.Category()}, Kind: hir.Qualify, X: x}
}

// bindTo returns the glvalue that a reference of type to refers to.
func (e *env) bindTo(x hir.Expr, to types.Type, s *seq) hir.Expr {
	t := to.Elem
	if s.kind == userSeq {
		x = e.callConversion(x, s, to)
		if isBad(x) {
			return x
		}
	}
	if related, _ := e.related(x.Type(), t); related && !(isBitField(x) && !to.Is(types.RRef)) && (x.Category() != hir.PRValue || x.Type().IsClass() || x.Type().IsArray()) {
		x = e.materialize(x)
		if e.derives(x.Type(), t) {
			e.checkBaseAccess(x, classOfType(x.Type()), classOfType(t))
			return e.toBase(x, e.types.Qualify(t, 0))
		}
		if x.Type().IsFunc() {
			return x
		}
		return e.requalify(x, t)
	}
	var v hir.Expr
	if s.kind == userSeq || !t.IsClass() {
		v = e.scalarOrObject(x, t.Unqualified())
	} else {
		v = e.copyObject(x, t.Unqualified())
	}
	return e.requalify(e.materialize(v), t)
}

func (e *env) scalarOrObject(x hir.Expr, t types.Type) hir.Expr {
	if t.IsClass() {
		return e.copyObject(x, t)
	}
	return e.scalar(e.load(x), t)
}

// copyObject returns a prvalue of class to from an object of it or of a derived class.
func (e *env) copyObject(x hir.Expr, to types.Type) hir.Expr {
	to = to.Unqualified()
	if x.Category() == hir.PRValue && x.Type().Unqualified() == to {
		return x
	}
	k := classOfType(to)
	if k == nil || !e.requireComplete(to, spanOf(x), "initialization of incomplete type") {
		return e.bad(x)
	}
	return e.constructBy(k, []hir.Expr{x}, spanOf(x), false, "initialization")
}

// cannotConvert reports an initialisation that no conversion makes possible.
func (e *env) cannotConvert(x hir.Expr, to types.Type, what string, s *seq) {
	from := typeName(x)
	kind := "lvalue"
	if x.Category() != hir.LValue {
		kind = "rvalue"
	}
	switch {
	case to.IsRef() && s.refused == losesQualifiers:
		e.errorf(x, codeConvert, "binding reference of type '%s' to value of type '%s' drops '%s' qualifier", to.Elem, from, lost(x.Type(), to))
	case to.IsRef() && (s.refused == needsLvalue || s.refused == isTemporary):
		if related, _ := e.related(x.Type(), to.Elem); related {
			e.errorf(x, codeConvert, "non-const lvalue reference to type '%s' cannot bind to a temporary of type '%s'", to.Elem, from)
			return
		}
		e.errorf(x, codeConvert, "non-const lvalue reference to type '%s' cannot bind to a value of unrelated type '%s'", to.Elem, from)
	case to.IsRef() && s.refused == needsRvalue:
		e.errorf(x, codeConvert, "rvalue reference to type '%s' cannot bind to lvalue of type '%s'", to.Elem, from)
	case to.IsClass():
		e.noConversionTo(x, to, what)
	case what == "parameter":
		e.errorf(x, codeConvert, "cannot initialize a parameter of type '%s' with an %s of type '%s'", to, kind, from)
	case what == "return":
		e.errorf(x, codeConvert, "cannot initialize return object of type '%s' with an %s of type '%s'", to, kind, from)
	case what == "assignment":
		e.errorf(x, codeConvert, "assigning to '%s' from incompatible type '%s'", to, from)
	case what == "condition":
		e.errorf(x, codeConvert, "value of type '%s' is not contextually convertible to 'bool'", from)
	default:
		e.errorf(x, codeConvert, "cannot initialize %s of type '%s' with an %s of type '%s'", article(what), to, kind, from)
	}
}

func article(what string) string {
	switch what {
	case "":
		return "a value"
	case "a member subobject", "an array element":
		return what
	}
	return "a " + what
}

// noConversionTo reports that nothing converts x to a class.
func (e *env) noConversionTo(x hir.Expr, to types.Type, what string) {
	k := classOfType(to)
	if k == nil || !e.requireComplete(to, spanOf(x), "initialization of incomplete type") {
		return
	}
	var set candidates
	for _, f := range e.constructors(k) {
		set.consider(e, f, nil, []hir.Expr{x}, nil, callFlags{noUser: true, implicit: true})
	}
	e.noMatch(x, &set, []hir.Expr{x}, "no viable conversion from '%s' to '%s'", typeName(x), to)
}

// toBool converts a condition.
func (e *env) toBool(x hir.Expr) hir.Expr {
	x = e.single(x)
	if isBad(x) {
		return x
	}
	b := e.basic(types.Bool)
	if x.Type().IsClass() {
		s := e.userConversion(x, b, true)
		if !s.ok() || s.ambiguous {
			e.cannotConvert(x, b, "condition", &s)
			return e.bad(x)
		}
		return e.scalar(e.load(e.callConversion(x, &s, b)), b)
	}
	x = e.load(x)
	if !isBad(x) && x.Type() == b { // as of comparisons
		return x
	}
	if s := e.standard(x, b); !s.ok() && !x.Type().Is(types.Nullptr) {
		e.cannotConvert(x, b, "condition", &s)
		return e.bad(x)
	}
	return e.scalar(x, b)
}

// variadic passes an argument to the ... of a function.
func (e *env) variadic(x hir.Expr) hir.Expr {
	x = e.load(x)
	if isBad(x) {
		return x
	}
	t := x.Type()
	switch {
	case t.Is(types.Float):
		return e.scalar(x, e.basic(types.Double))
	case t.IsIntegerOrEnum():
		return e.scalar(x, e.promotes(x, t))
	case t.IsClass():
		if !e.requireComplete(t, spanOf(x), "argument of incomplete type") {
			return e.bad(x)
		}
		if !t.Class.TrivialCopy {
			e.errorf(x, codeVariadic, "cannot pass object of non-trivial type '%s' through variadic function", t)
			return e.bad(x)
		}
		return e.copyObject(x, t)
	case t.Is(types.Nullptr):
		return e.scalar(x, e.types.Pointer(e.basic(types.Void)))
	}
	return x
}
