package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// basicKind returns the kind of a built-in type by its canonical spelling, Invalid for others.
//
//irgl:flatswitch
func basicKind(name ast.Basic) types.Kind {
	switch name {
	case "void":
		return types.Void
	case "bool":
		return types.Bool
	case "char":
		return types.Char
	case "signed char":
		return types.SChar
	case "unsigned char":
		return types.UChar
	case "short":
		return types.Short
	case "unsigned short":
		return types.UShort
	case "int":
		return types.Int
	case "unsigned int":
		return types.UInt
	case "long":
		return types.Long
	case "unsigned long":
		return types.ULong
	case "long long":
		return types.LongLong
	case "unsigned long long":
		return types.ULongLong
	case "__int128":
		return types.Int128
	case "unsigned __int128":
		return types.UInt128
	case "float":
		return types.Float
	case "double":
		return types.Double
	case "long double":
		return types.LongDouble
	case "wchar_t":
		return types.WChar
	case "char16_t":
		return types.Char16
	case "char32_t":
		return types.Char32
	case "char8_t":
		return types.Char8
	case "__nullptr":
		return types.Nullptr
	}
	return types.Invalid
}

// typ resolves a type; the result is not valid after an error, which is reported.
func (e *env) typ(x ast.TypeExpr) types.Type {
	switch x := x.(type) {
	case *ast.BasicType:
		if k := basicKind(x.Name); k != types.Invalid {
			return e.types.Basic(k)
		}
		e.errorf(x, codeNotType, "type '%s' is not supported", string(x.Name))
		return types.Type{}
	case *ast.NamedType:
		t := e.typeNamed(x.Name, x.Typename)
		if !x.Typename && len(x.Name.Quals) > 0 && t.IsValid() && !e.opts.RelaxedTypename && e.needsTypename(x.Name) {
			e.errorf(x, codeTypename, "missing 'typename' prior to dependent type name '%s'", x.Name)
		}
		return t
	case *ast.ClassType:
		return e.elaborated(x.Decl, x.Decl.Name)
	case *ast.EnumType:
		return e.elaborated(x.Decl, x.Decl.Name)
	case *ast.QualType:
		t := e.typ(x.Elem)
		if !t.IsValid() {
			return t
		}
		return e.types.Qualify(t, types.CV(x.CV))
	case *ast.PointerType:
		t := e.typ(x.Elem)
		if t.IsRef() {
			e.errorf(x, codeBadType, "'%s' declared as a pointer to a reference", t)
			return types.Type{}
		}
		if !t.IsValid() || !e.referable(x, t, "pointer") {
			return types.Type{}
		}
		return e.types.Pointer(t)
	case *ast.RefType:
		t := e.typ(x.Elem)
		if t.IsVoid() {
			e.errorf(x, codeBadType, "cannot form a reference to 'void'")
			return types.Type{}
		}
		if !t.IsValid() || !e.referable(x, t, "reference") {
			return types.Type{}
		}
		return e.types.Ref(t, x.RValue)
	case *ast.ArrayType:
		return e.arrayType(x)
	case *ast.FuncType:
		t, _ := e.funcType(x)
		return t
	case *ast.MemberPointerType:
		return e.memberPointerType(x)
	case *ast.AutoType:
		return e.types.Basic(types.Auto)
	case *ast.DecltypeType:
		return e.decltype(x)
	case *ast.TraitType:
		return e.traitType(x)
	case *ast.PackType:
		t := e.typ(x.Elem)
		if !t.IsValid() {
			return t
		}
		return e.types.Expansion(t)
	}
	return types.Type{}
}

// referable reports whether there are pointers and references to t, by the kind that is asked for: there are none
// to the types of member functions with qualifiers ([dcl.fct]/7).
func (e *env) referable(at ast.Node, t types.Type, kind string) bool {
	if !t.IsFunc() || t.Func.CV == 0 && t.Func.Ref == 0 {
		return true
	}
	qualifier := "&"
	switch f := t.Func; {
	case f.CV&types.Const != 0:
		qualifier = "const"
	case f.CV != 0:
		qualifier = "volatile"
	case f.Ref == 2:
		qualifier = "&&"
	}
	e.errorf(at, codeBadType, "%s to function type '%s' cannot have '%s' qualifier", kind, t, qualifier)
	return false
}

// elaborated resolves struct X or enum X, or what is defined in place.
func (e *env) elaborated(d ast.Decl, name *ast.Name) types.Type {
	for s := e.scope; s != nil; s = s.parent {
		if o, ok := s.defined[d]; ok {
			return e.entityType(o)
		}
	}
	if name != nil {
		f := e.lookupName(name, onlyTags)
		if f.found() {
			return e.objectType(f.obj, name.Last, name.Span)
		}
	}
	s := e.scope // a declaration where none is expected, as in a parameter or a cast
	for s.kind != nsScope && s.kind != blockScope && s.kind != paramScope && s.kind != classScope {
		s = s.parent
	}
	if k, ok := d.(*ast.ClassDecl); ok && !k.Defined {
		for s.kind != nsScope && s.kind != blockScope {
			s = s.parent
		}
		return e.entityType(e.declareClass(s, k))
	}
	e.defineType(s, d)
	if o := s.defined[d]; o != nil {
		return e.entityType(o)
	}
	if name != nil {
		e.errorf(name, codeUndeclared, "unknown type name '%s'", name.Last.Ident)
	}
	return types.Type{}
}

func (e *env) entityType(o object) types.Type {
	switch o := o.(type) {
	case *class:
		if o != nil {
			return e.types.Class(o.t)
		}
	case *enum:
		if o != nil {
			return e.types.Enum(o.t)
		}
	}
	return types.Type{}
}

func (e *env) arrayType(x *ast.ArrayType) types.Type {
	t := e.typ(x.Elem)
	switch {
	case !t.IsValid():
		return t
	case t.IsRef() || t.IsFunc() || t.IsVoid():
		e.errorf(x, codeBadType, "array has element type '%s', which no array can have", t)
		return types.Type{}
	case x.Len == nil:
		return e.types.Array(t, -1)
	}
	if e.scope.pattern || t.Dependent() || e.inPattern() {
		if arg := e.patternValue(x.Len); arg.Kind == types.DependentValue {
			return e.types.ArrayBound(t, arg)
		}
	}
	v := e.constantExpr(x.Len, e.types.Basic(types.ULong), false)
	if v == nil {
		return types.Type{}
	}
	n := int64(v.Int)
	if v.Type.IsSigned() && n < 0 || n > 1<<47 {
		e.errorf(x.Len, codeArrayLen, "array size %d is not valid", n)
		return types.Type{}
	}
	return e.types.Array(t, n)
}

// inPattern reports whether parameters of templates around are themselves.
func (e *env) inPattern() bool {
	for s := e.scope; s != nil && s.kind != nsScope; s = s.parent {
		if s.pattern {
			return true
		}
	}
	return false
}

// funcType resolves the type of a function, and the types of its parameters as they
// are declared.
func (e *env) funcType(x *ast.FuncType) (types.Type, []types.Type) {
	var params []types.Type
	ok := true
	for _, p := range x.Params {
		list, good := e.paramTypes(p)
		ok = ok && good
		params = append(params, list...)
	}
	result := e.types.Basic(types.Void)
	if x.Result != nil {
		result = e.typ(x.Result)
	}
	if !ok || !result.IsValid() {
		return types.Type{}, nil
	}
	if result.IsArray() || result.IsFunc() {
		e.errorf(x, codeBadType, "function cannot return %s type '%s'", kindOf(result), result)
		return types.Type{}, nil
	}
	info := types.FuncInfo{Params: params, Variadic: x.Variadic, CV: types.CV(x.CV), Ref: uint8(x.Ref)}
	if x.Noexcept != nil {
		info.Noexcept, info.NoexceptIf = e.noexceptSpec(x.Noexcept)
	}
	if result.IsScalar() {
		result = result.Unqualified()
	}
	return e.types.Func(result, info), params
}

func kindOf(t types.Type) string {
	if t.IsArray() {
		return "array"
	}
	return "function"
}

// paramTypes returns the types of a parameter: one, or those of a pack.
func (e *env) paramTypes(p *ast.Param) ([]types.Type, bool) {
	var out []types.Type
	ok := true
	one := func(e *env) {
		t := e.paramType(p)
		ok = ok && t.IsValid()
		out = append(out, t)
	}
	if !isPack(p) {
		one(e)
		return out, ok
	}
	if e.inPattern() {
		sub := *e
		sub.pack = &expansion{n: -1}
		one(&sub)
		if ok {
			out[0] = e.types.Expansion(out[0])
		}
		return out, ok
	}
	return out, e.expand(p, func(e *env) { e.typ(stripPack(p.Type)) }, one) && ok
}

// paramType returns the type of a parameter, or of one that a pack stands for.
func (e *env) paramType(p *ast.Param) types.Type {
	t := e.typ(stripPack(p.Type))
	if t.IsVoid() {
		e.errorf(p, codeBadType, "argument may not have 'void' type")
		return types.Type{}
	}
	return t
}

func isPack(p *ast.Param) bool {
	_, ok := p.Type.(*ast.PackType)
	return ok || p.Pack
}

func stripPack(t ast.TypeExpr) ast.TypeExpr {
	if p, ok := t.(*ast.PackType); ok {
		return p.Elem
	}
	return t
}

func (e *env) memberPointerType(x *ast.MemberPointerType) types.Type {
	t := e.typ(x.Elem)
	of := e.typeNamed(x.Class, false)
	if !t.IsValid() || !of.IsValid() {
		return types.Type{}
	}
	if !of.IsClass() && !of.Dependent() {
		e.errorf(x, codeBadType, "member pointer refers into non-class type '%s'", of)
		return types.Type{}
	}
	return e.types.MemberPointer(of, t)
}

// decltype resolves decltype(x): of a name its declared type, of other expressions
// their type with a reference for a glvalue.
func (e *env) decltype(x *ast.DecltypeType) types.Type {
	sub := *e
	sub.unevaluated = true
	if e.inPattern() {
		var v hir.Expr
		if e.fails(func() { v = sub.expr(x.X) }) || v == nil || isBad(v) || dependsOnType(v) {
			return e.types.DependentType(types.DependentInfo{Expr: sub.dependentExpr(x.X)})
		}
	}
	v := sub.expr(x.X)
	if isBad(v) {
		return types.Type{}
	}
	v = sub.single(v)
	if isBad(v) {
		return types.Type{}
	}
	if x.Typeof {
		return v.Type()
	}
	switch x.X.(type) {
	case *ast.NameExpr, *ast.MemberExpr:
		switch v := v.(type) {
		case *hir.VarRef:
			return v.Var.Type
		case *hir.Field:
			return v.Field.Type
		case *hir.FuncRef:
			return v.Type()
		}
	}
	switch v.Category() {
	case hir.LValue:
		return e.types.Ref(v.Type(), false)
	case hir.XValue:
		return e.types.Ref(v.Type(), true)
	}
	return v.Type()
}

// patternType resolves a type in which parameters of templates are themselves; what
// cannot be resolved is dependent.
func (e *env) patternType(x ast.TypeExpr) types.Type {
	var t types.Type
	if e.fails(func() { t = e.typ(x) }) || !t.IsValid() {
		return e.types.DependentType(types.DependentInfo{})
	}
	return t
}

// resolveAlias returns the type of an alias.
func (c *checker) resolveAlias(a *alias) types.Type {
	switch a.state {
	case active:
		c.errorf(a.decl, codeCycle, "'%s' is defined in terms of itself", a.decl.Name.Name)
		return types.Type{}
	case untouched:
		if !c.deeper(a.decl.Name.Span) {
			return types.Type{}
		}
		defer func() { c.depth-- }()
		a.state = active
		e := &env{checker: c, scope: a.scope, order: a.order}
		a.typ = e.typ(a.decl.Type)
		if a.typ.Is(types.Auto) {
			c.errorf(a.decl, codeAuto, "'auto' not allowed in type alias")
			a.typ = types.Type{}
		}
		a.state = done
		if !a.typ.IsValid() && c.capturing > 0 {
			a.state = untouched // say so again where it is not caught
		}
		for _, b := range a.again {
			c.sameAlias(a, b)
		}
	}
	return a.typ
}

// sameAlias reports an alias that is declared again as another type. A is resolved.
func (c *checker) sameAlias(a, again *alias) {
	if t := c.resolveAlias(again); t.IsValid() && a.typ.IsValid() && t != a.typ && !t.Dependent() && !a.typ.Dependent() {
		d := c.errorf(again.decl.Name, codeRedefined, "typedef redefinition with different types ('%s' vs '%s')", t, a.typ)
		c.note(d, a.decl.Name.Span, "previous definition is here")
	}
}

// resolveEnum computes the enumerators of an enumeration and its underlying type.
func (c *checker) resolveEnum(x *enum) {
	if x.state != untouched {
		return
	}
	x.state = active
	e := &env{checker: c, scope: x.scope, order: x.order}
	if x.decl.Base != nil {
		t := e.typ(x.decl.Base)
		if t.IsValid() && !t.IsInteger() {
			e.errorf(x.decl.Base, codeEnum, "non-integral type '%s' is an invalid underlying type", t)
			t = types.Type{}
		}
		if t.IsValid() {
			x.t.Base, x.t.Fixed = t.Unqualified(), true
		}
	}
	if x.t.Scoped && !x.t.Fixed {
		x.t.Base, x.t.Fixed = c.types.Basic(types.Int), true
	}
	for _, k := range x.consts {
		c.resolveEnumerator(k)
		x.t.Consts = append(x.t.Consts, &types.EnumConst{Name: k.decl.Name.Name, Value: k.value, Enum: x.t})
	}
	if !x.t.Fixed && x.decl.Defined {
		x.t.Base = x.underlying(c)
	}
	x.t.Complete = x.decl.Defined || x.t.Fixed
	x.state = done
}

// underlying chooses the type that holds all enumerators: as g++ does, unsigned if none
// is negative.
func (x *enum) underlying(c *checker) types.Type {
	negative, wide, big := false, uint64(0), int64(0)
	for _, k := range x.consts {
		if k.typ.IsSigned() && int64(k.value) < 0 {
			negative = true
			big = min(big, int64(k.value))
		} else {
			wide = max(wide, k.value)
		}
	}
	switch {
	case !negative && wide <= 1<<32-1:
		return c.types.Basic(types.UInt)
	case !negative:
		return c.types.Basic(types.ULong)
	case big >= -1<<31 && wide < 1<<31:
		return c.types.Basic(types.Int)
	}
	return c.types.Basic(types.Long)
}

// resolveEnumerator computes the value of an enumerator, and first those of the enumerators in front
// of it that it counts on from: one after the other, since there may be thousands.
func (c *checker) resolveEnumerator(k *enumConst) {
	first := k.index
	for first > 0 && k.enum.consts[first].decl.Value == nil && k.enum.consts[first-1].state == untouched {
		first--
	}
	for _, k := range k.enum.consts[first : k.index+1] {
		c.computeEnumerator(k)
	}
}

func (c *checker) computeEnumerator(k *enumConst) {
	switch k.state {
	case done:
		return
	case active:
		c.errorf(k.decl, codeCycle, "enumerator '%s' is defined in terms of itself", k.decl.Name.Name)
		return
	}
	if !c.deeper(k.decl.Span) {
		return
	}
	defer func() { c.depth-- }()
	k.state = active
	e := &env{checker: c, scope: k.enum.inner, order: k.enum.order}
	k.typ = c.types.Basic(types.Int)
	if k.enum.t.Fixed {
		k.typ = k.enum.t.Base
	}
	switch {
	case k.decl.Value != nil:
		want := types.Type{}
		if k.enum.t.Fixed {
			want = k.enum.t.Base
		}
		outer := k.enum.now
		k.enum.now = k
		v := e.constantExpr(k.decl.Value, want, false)
		k.enum.now = outer
		if v != nil {
			if f := k.enum.t; f.Fixed && v.Type.IsInteger() && (f.Base.Truncate(v.Int) != v.Int || f.Base.IsSigned() != v.Type.IsSigned() && int64(v.Int) < 0) {
				c.errorf(k.decl, codeNarrowing, "enumerator value evaluates to %s, which cannot be narrowed to type '%s'", constString(v), f.Base)
			}
			k.value = v.Int
			if !k.enum.t.Fixed {
				k.typ = c.types.Promote(v.Type)
			}
		}
	case k.index > 0:
		prev := k.enum.consts[k.index-1]
		c.computeEnumerator(prev) // says so if it is being computed
		k.typ = prev.typ
		k.value = k.typ.Truncate(prev.value + 1)
		if prev.value == k.typ.Max() && !k.enum.t.Fixed {
			k.typ = c.types.Basic(types.Long)
			k.value = prev.value + 1
		}
	}
	k.state = done
}

// alignOf returns what alignas and its like ask for; 0 for nothing.
func (e *env) alignOf(a *ast.Attributes) int64 {
	if a == nil {
		return 0
	}
	var align int64
	for _, x := range a.Align {
		n, ok := e.intConstant(x, "alignment is not an integral constant expression")
		if !ok {
			continue
		}
		if n < 0 || n&(n-1) != 0 || n > 1<<28 {
			e.errorf(x, codeAlign, "requested alignment is not a power of 2")
			continue
		}
		align = max(align, n)
	}
	list, _ := e.typeList(a.AlignTypes)
	for _, t := range list {
		if t.IsValid() && !t.Dependent() && e.requireComplete(t, spanOf(a.AlignTypes[0]), "alignment of incomplete type") {
			align = max(align, t.Align())
		}
	}
	return align
}
