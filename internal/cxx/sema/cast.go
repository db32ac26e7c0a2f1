package sema

import (
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// cast analyses (T)x: a static_cast, a reinterpret_cast and a const_cast in one.
func (e *env) cast(x *ast.CastExpr) hir.Expr {
	t := e.typ(x.Type)
	if !t.IsValid() || t.Dependent() {
		return e.bad(x)
	}
	if l, ok := x.X.(*ast.InitList); ok {
		return e.initList(t, e.listOf(l), false, "value")
	}
	v := e.expr(x.X)
	if isBad(v) {
		return e.bad(x)
	}
	return e.anyCast(t, v, x.Span)
}

// functionalCast analyses T(args).
func (e *env) functionalCast(t types.Type, args []hir.Expr, at ast.Span) hir.Expr {
	if anyBad(args) {
		return e.bad(at)
	}
	if len(args) == 1 && !t.IsClass() {
		return e.anyCast(t, args[0], at)
	}
	if t.IsRef() && len(args) == 0 {
		e.errorf(at, codeUninitialized, "reference to type '%s' requires an initializer", t.Elem)
		return e.bad(at)
	}
	return e.directInit(t, args, at, "value")
}

// constructExpr analyses T(args) and T{args}.
func (e *env) constructExpr(x *ast.ConstructExpr) hir.Expr {
	if t, ok := e.deducedClass(x.Type); ok {
		if x.Brace != nil {
			return e.deduceClassFromList(t, e.listOf(x.Brace))
		}
		return e.deduceClass(t, e.exprs(x.Args), x.Span)
	}
	t := e.typ(x.Type)
	if !t.IsValid() || t.Dependent() {
		return e.bad(x)
	}
	if hasAuto(t) {
		args := e.exprs(x.Args)
		if len(args) != 1 || isBad(args[0]) {
			return e.bad(x)
		}
		t = e.deduceAuto(t, args[0], "value")
		return e.functionalCast(t, args, x.Span)
	}
	if x.Brace != nil {
		return e.initList(t, e.listOf(x.Brace), false, "value")
	}
	return e.functionalCast(t, e.exprs(x.Args), x.Span)
}

// anyCast converts explicitly, by whatever cast can.
func (e *env) anyCast(t types.Type, v hir.Expr, at ast.Span) hir.Expr {
	if l, ok := v.(*listExpr); ok {
		return e.initList(t, l, false, "value")
	}
	sub := *e
	sub.anyBase = true
	if r := sub.staticCast(t, v, at); r != nil {
		return r
	}
	if o, ok := v.(*overloadExpr); ok {
		v = e.single(o)
		if isBad(v) {
			return v
		}
	}
	if r := e.constCast(t, v, at); r != nil {
		return r
	}
	if r := e.reinterpret(t, v, at, true); r != nil {
		return r
	}
	if isBad(v) {
		return e.bad(at)
	}
	if t.IsClass() {
		return e.directInit(t, []hir.Expr{v}, at, "conversion")
	}
	e.errorf(at, codeCast, "cannot cast from type '%s' to type '%s'", typeName(v), t)
	return e.bad(at)
}

// namedCast analyses static_cast and its like.
func (e *env) namedCast(x *ast.NamedCastExpr) hir.Expr {
	if x.Kind == cpp.KwDynamicCast {
		e.errorf(x, codeRefused, "cannot use 'dynamic_cast' in device code: there is no run-time type information on the device")
		return e.bad(x)
	}
	t := e.typ(x.Type)
	v := e.expr(x.X)
	if !t.IsValid() || t.Dependent() || isBad(v) {
		return e.bad(x)
	}
	var r hir.Expr
	name := "static_cast"
	switch x.Kind {
	case cpp.KwStaticCast:
		r = e.staticCast(t, v, x.Span)
	case cpp.KwConstCast:
		name = "const_cast"
		if v = e.single(v); isBad(v) {
			return v
		}
		r = e.constCast(t, v, x.Span)
	case cpp.KwReinterpretCast:
		name = "reinterpret_cast"
		if o, ok := v.(*overloadExpr); ok {
			o.addr = true
		}
		if v = e.single(v); isBad(v) {
			return v
		}
		r = e.reinterpret(t, v, x.Span, false)
	}
	if x.Kind == cpp.KwBuiltinBitCast {
		name = "__builtin_bit_cast"
		r = e.bitCast(t, e.single(v), x)
	}
	if r == nil {
		e.errorf(x, codeCast, "%s from '%s' to '%s' is not allowed", name, typeName(v), t)
		return e.bad(x)
	}
	return r
}

// bitCast is __builtin_bit_cast: the bytes of one value as those of another type.
func (e *env) bitCast(t types.Type, v hir.Expr, at ast.Node) hir.Expr {
	if isBad(v) {
		return v
	}
	from := v.Type()
	if !e.requireComplete(t, spanOf(at), "cast to incomplete type") || !e.requireComplete(from, spanOf(at), "cast of incomplete type") {
		return e.bad(at)
	}
	if t.IsRef() || t.Size() != from.Size() || !triviallyCopied(t) || !triviallyCopied(from) {
		return nil
	}
	if t.IsScalar() && from.IsScalar() {
		return &hir.Convert{Info: rvalueInfo(spanOf(at), t.Unqualified()), Kind: hir.BitCast, X: e.load(v)}
	}
	// An object is copied as one of the other type.
	x := e.materialize(v)
	r := &hir.Convert{Info: hir.Info{Span: spanOf(at), T: e.types.Qualify(t, types.Const), Cat: hir.XValue}, Kind: hir.Reinterpret, X: x}
	if t.IsScalar() {
		return e.load(r)
	}
	return &hir.Copy{Info: rvalueInfo(spanOf(at), t.Unqualified()), X: r}
}

func triviallyCopied(t types.Type) bool {
	t = t.Element()
	return t.IsScalar() || t.IsClass() && t.Class.TrivialCopy
}

// staticCast returns nil where no static_cast is possible.
func (e *env) staticCast(t types.Type, v hir.Expr, at ast.Span) hir.Expr {
	if t.IsVoid() {
		v = e.discard(v)
		if isBad(v) {
			return v
		}
		return &hir.Convert{Info: rvalueInfo(at, t.Unqualified()), Kind: hir.ToVoid, X: v}
	}
	if t.IsRef() {
		return e.staticRef(t, v, at)
	}
	if t.IsArray() || t.IsFunc() {
		return nil
	}
	if t.IsClass() {
		return e.directInit(t, []hir.Expr{v}, at, "conversion")
	}
	to := t.Unqualified()
	var s seq
	if v.Type().IsClass() { // explicit conversion functions are candidates beside the others
		s = e.userConversion(v, to, true)
	} else {
		s = e.implicit(v, to, true)
	}
	if s.ok() && !s.ambiguous {
		x := e.apply(v, to, &s)
		if bitField(loaded(x)) != nil { // the value of a cast is promoted by its type alone
			x = e.nodes.convert(at, to, hir.Qualify, x)
		}
		return x
	}
	if _, ok := v.(*overloadExpr); ok {
		return nil
	}
	x := e.load(v)
	if isBad(x) {
		return x
	}
	from := x.Type().Unqualified()
	arith := func(t types.Type) bool { return t.IsArithmetic() || t.IsEnum() }
	switch {
	case arith(from) && arith(to):
		return e.scalar(x, to)
	case from.IsPointer() && to.IsPointer():
		a, b := from.Elem, to.Elem
		if a.Qualifiers()&^b.CV != 0 {
			return nil
		}
		if a.IsVoid() && !b.IsFunc() {
			return &hir.Convert{Info: rvalueInfo(at, to), Kind: hir.PtrCast, X: x}
		}
		if e.derives(b.Unqualified(), a.Unqualified()) {
			if e.ambiguousBase(v, b, a, ambiguousDowncast, a, b) {
				return e.bad(at)
			}
			e.checkDerivedAccess(at, classOfType(b), classOfType(a))
			path := classOfType(b).basePath(classOfType(a))
			return &hir.Convert{Info: rvalueInfo(at, to), Kind: hir.FromBase, X: x, Path: hir.NewPath(reversed(path, classOfType(b)))}
		}
	case from.Is(types.MemberPointer) && to.Is(types.MemberPointer):
		if (from.Elem == to.Elem || e.sameFunc(from.Elem, to.Elem)) && e.derives(from.Of, to.Of) {
			if e.ambiguousBase(v, from.Of, to.Of, ambiguousMembers, from.Of, to.Of) {
				return e.bad(at)
			}
			return &hir.Convert{Info: rvalueInfo(at, to), Kind: hir.MemberOfBase, X: x, Path: hir.NewPath(classOfType(from.Of).basePath(classOfType(to.Of)))}
		}
	}
	return nil
}

// reversed turns the path from a derived class to a base into the one back: from the
// base on, one class at a time, to the derived one.
func reversed(path []*types.Class, derived *class) []*types.Class {
	out := make([]*types.Class, 0, len(path))
	for i := len(path) - 2; i >= 0; i-- {
		out = append(out, path[i])
	}
	return append(out, derived.t)
}

// staticRef is a static_cast to a reference.
func (e *env) staticRef(t types.Type, v hir.Expr, at ast.Span) hir.Expr {
	if o, ok := v.(*overloadExpr); ok {
		s := e.addressSeq(o, t.Elem)
		if !s.ok() {
			return nil
		}
		return e.resolveAddress(o, t)
	}
	from := v.Type()
	el := t.Elem
	if t.Is(types.RRef) && v.Category() == hir.LValue {
		if related, _ := e.related(from, el); related && from.Qualifiers()&^el.Qualifiers() == 0 {
			x := v
			if e.derives(from, el) {
				x = e.toBase(x, el)
			}
			return e.asXValue(e.requalify(x, el), at)
		}
	}
	if e.derives(el.Unqualified(), from.Unqualified()) && from.Qualifiers()&^el.Qualifiers() == 0 && v.Category() != hir.PRValue {
		cat := hir.LValue
		if t.Is(types.RRef) {
			cat = hir.XValue
		}
		if e.ambiguousBase(v, el, from, ambiguousDowncast, from, el) {
			return e.bad(at)
		}
		e.checkDerivedAccess(at, classOfType(el), classOfType(from))
		path := classOfType(el).basePath(classOfType(from))
		return &hir.Convert{Info: hir.Info{Span: at, T: el, Cat: cat}, Kind: hir.FromBase, X: v, Path: hir.NewPath(reversed(path, classOfType(el)))}
	}
	if x := e.explicitReference(t, v); x != nil {
		return x
	}
	s := e.implicit(v, t, true)
	if s.ok() && !s.ambiguous {
		return e.apply(v, t, &s)
	}
	return nil
}

// asXValue returns a glvalue as an expiring one.
func (e *env) asXValue(x hir.Expr, at ast.Span) hir.Expr {
	if x.Category() == hir.XValue || x.Type().IsFunc() {
		return x
	}
	if v, ok := x.(*hir.VarRef); ok {
		return &hir.VarRef{Info: hir.Info{Span: at, T: v.T, Cat: hir.XValue}, Var: v.Var}
	}
	return &hir.Convert{Info: hir.Info{Span: at, T: x.Type(), Cat: hir.XValue}, Kind: hir.Qualify, X: x}
}

// constCast returns nil where no const_cast is possible.
func (e *env) constCast(t types.Type, v hir.Expr, at ast.Span) hir.Expr {
	if isBad(v) {
		return v
	}
	if t.IsRef() {
		if e.unqualifiedDeep(v.Type()) != e.unqualifiedDeep(t.Elem) || v.Category() == hir.PRValue && !t.Is(types.RRef) {
			return nil
		}
		x := e.requalify(e.materialize(v), t.Elem)
		if t.Is(types.RRef) {
			x = e.asXValue(x, at)
		}
		return x
	}
	if !t.IsPointer() {
		return nil
	}
	from := e.types.Decayed(v.Type())
	if !from.IsPointer() || from.Elem.IsFunc() || e.unqualifiedDeep(from) != e.unqualifiedDeep(t) {
		return nil
	}
	x := e.load(v)
	if isBad(x) || x.Type() == t.Unqualified() {
		return x
	}
	return &hir.Convert{Info: rvalueInfo(at, t.Unqualified()), Kind: hir.Qualify, X: x}
}

// unqualifiedDeep removes qualifiers from all levels of a pointer.
func (e *env) unqualifiedDeep(t types.Type) types.Type {
	switch t.Kind {
	case types.Pointer:
		return e.types.Pointer(e.unqualifiedDeep(t.Elem))
	case types.Array:
		return e.types.Array(e.unqualifiedDeep(t.Elem), t.Len)
	}
	return t.Unqualified()
}

// reinterpret returns nil where no reinterpret_cast is possible.
func (e *env) reinterpret(t types.Type, v hir.Expr, at ast.Span, cstyle bool) hir.Expr {
	if isBad(v) {
		return v
	}
	if t.IsRef() {
		if v.Category() == hir.PRValue && !t.Is(types.RRef) {
			return nil
		}
		if !cstyle && v.Type().Qualifiers()&^t.Elem.Qualifiers() != 0 {
			return nil
		}
		cat := hir.LValue
		if t.Is(types.RRef) {
			cat = hir.XValue
		}
		return &hir.Convert{Info: hir.Info{Span: at, T: t.Elem, Cat: cat}, Kind: hir.Reinterpret, X: e.materialize(v)}
	}
	x := e.load(v)
	if isBad(x) {
		return x
	}
	from, to := x.Type().Unqualified(), t.Unqualified()
	info := rvalueInfo(at, to)
	ints := func(t types.Type) bool { return t.IsInteger() || t.IsEnum() }
	switch {
	case from.IsPointer() && to.IsPointer():
		if !cstyle && from.Elem.Qualifiers()&^to.Elem.Qualifiers() != 0 && !from.Elem.IsFunc() {
			return nil
		}
		return &hir.Convert{Info: info, Kind: hir.PtrCast, X: x}
	case from.IsPointer() && ints(to):
		if to.Size() < 8 && !to.Is(types.Bool) {
			e.errorf(at, codeCast, "cast from pointer to smaller type '%s' loses information", to)
			return e.bad(at)
		}
		return &hir.Convert{Info: info, Kind: hir.PtrToInt, X: x}
	case ints(from) && to.IsPointer():
		return &hir.Convert{Info: info, Kind: hir.IntToPtr, X: x}
	case from.Is(types.Nullptr) && ints(to):
		return e.intConst(0, to, at)
	case from == to && (ints(to) || to.IsPointer() || to.Is(types.MemberPointer)):
		return x
	case from.Is(types.MemberPointer) && to.Is(types.MemberPointer) && from.Size() == to.Size():
		return &hir.Convert{Info: info, Kind: hir.BitCast, X: x}
	}
	return nil
}

// sizeof analyses sizeof and alignof.
func (e *env) sizeof(x *ast.SizeofExpr) hir.Expr {
	var t types.Type
	sub := *e
	sub.unevaluated = true
	byType := x.Type != nil
	if byType && x.X != nil {
		byType = sub.denotesType(x.Type)
	}
	if byType {
		t = sub.typ(x.Type)
	} else {
		v := sub.single(sub.expr(x.X))
		if isBad(v) {
			return e.bad(x)
		}
		if isBitField(v) {
			e.errorf(x, codeOperands, "invalid application of 'sizeof' to bit-field")
			return e.bad(x)
		}
		t = v.Type()
	}
	if !t.IsValid() || t.Dependent() {
		return e.bad(x)
	}
	t = t.Unref()
	what := "sizeof"
	if x.Align {
		what = "alignof"
	}
	if t.IsVoid() || t.IsFunc() {
		if x.Align {
			return e.intConst(1, e.basic(types.ULong), x.Span)
		}
		return e.intConst(1, e.basic(types.ULong), x.Span)
	}
	if x.Align {
		t = t.Element()
	}
	if !e.sized(t, spanOf(x), "invalid application of '"+what+"' to an incomplete type") {
		return e.bad(x)
	}
	n := t.Size()
	if x.Align {
		n = t.Align()
	}
	return e.intConst(uint64(n), e.basic(types.ULong), x.Span)
}

func (e *env) sizeofPack(x *ast.SizeofPackExpr) hir.Expr {
	f := e.lookup(x.Name.Name, anything)
	n := -1
	switch o := f.obj.(type) {
	case *bound:
		if o.arg.Kind == types.PackArg {
			n = len(o.arg.Pack)
		} else if o.param.Pack {
			return e.bad(x)
		}
	case *packVar:
		n = len(o.vars)
	case nil:
		e.errorf(x.Name, codeUndeclared, "use of undeclared identifier '%s'", x.Name.Name)
		return e.bad(x)
	}
	if n < 0 {
		e.errorf(x.Name, codePack, "'%s' does not refer to the name of a parameter pack", x.Name.Name)
		return e.bad(x)
	}
	return e.intConst(uint64(n), e.basic(types.ULong), x.Span)
}

func (e *env) offsetof(x *ast.OffsetofExpr) hir.Expr {
	t := e.typ(x.Type)
	if !t.IsValid() || t.Dependent() || !e.requireComplete(t, spanOf(x), "offsetof of incomplete type") {
		return e.bad(x)
	}
	n, _, ok := e.offsetIn(t, x.Member)
	if !ok {
		return e.bad(x)
	}
	return e.intConst(uint64(n), e.basic(types.ULong), x.Span)
}

// offsetIn returns the offset and type of a member designator.
func (e *env) offsetIn(t types.Type, m ast.Expr) (int64, types.Type, bool) {
	switch m := m.(type) {
	case *ast.MemberExpr:
		var off int64
		if m.X != nil {
			var ok bool
			if off, t, ok = e.offsetIn(t, m.X); !ok {
				return 0, t, false
			}
		}
		k := classOfType(t)
		if k == nil {
			e.errorf(m, codeOperands, "offsetof requires struct or union type, '%s' invalid", t)
			return 0, t, false
		}
		var f finding
		e.inClass(&f, k, m.Name.Last.Ident, anything)
		fd, ok := f.obj.(*field)
		if !ok {
			e.errorf(m, codeNoMember, "no member named '%s' in '%s'", m.Name.Last.Ident, t)
			return 0, t, false
		}
		for _, b := range f.path {
			off += baseOffset(k.t, b)
			k = b.Decl.(*class)
		}
		for _, p := range fd.path {
			off += p.Offset
		}
		return off + fd.t.Offset, fd.t.Type, true
	case *ast.IndexExpr:
		off, t, ok := e.offsetIn(t, m.X)
		if !ok || !t.IsArray() {
			return 0, t, false
		}
		n, good := e.intConstant(m.Index, "array index in offsetof is not an integral constant expression")
		return off + n*t.Elem.Size(), t.Elem, good
	}
	return 0, t, false
}

func baseOffset(c, b *types.Class) int64 {
	for i := range c.Bases {
		if c.Bases[i].Class == b {
			return c.Bases[i].Offset
		}
	}
	return 0
}
