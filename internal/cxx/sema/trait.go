package sema

import (
	"slices"
	"strings"
	"sync"

	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// traitExpr evaluates a built-in trait over types.
func (e *env) traitExpr(x *ast.TraitExpr) hir.Expr {
	ts, ok := e.typeList(x.Args)
	if !ok {
		return e.bad(x)
	}
	if len(ts) == 0 {
		e.errorf(x, codeTrait, "type trait requires 1 argument; have 0 arguments")
		return e.bad(x)
	}
	v, ok := e.trait(strings.TrimPrefix(x.Trait, "__"), ts, x.Span)
	if !ok {
		e.errorf(x, codeTrait, "type trait '%s' is not supported", x.Trait)
		return e.bad(x)
	}
	n := uint64(0)
	if v {
		n = 1
	}
	return e.intConst(n, e.basic(types.Bool), x.Span)
}

// typeList resolves types, with packs expanded.
func (e *env) typeList(list []ast.TypeExpr) ([]types.Type, bool) {
	var out []types.Type
	ok := true
	for _, a := range list {
		add := func(e *env) {
			t := e.typ(stripPack(a))
			ok = ok && t.IsValid() && !t.Dependent()
			out = append(out, t)
		}
		if p, isPack := a.(*ast.PackType); isPack {
			ok = e.expand(a, func(e *env) { e.typ(p.Elem) }, add) && ok
		} else {
			add(e)
		}
	}
	return out, ok
}

// A classTrait is a property of one type: of the elements of an array, if it strips extents.
// The type is complete when it is asked.
type classTrait struct {
	name          string
	stripsExtents bool
	// is answers for a type that is no array if the trait strips extents; k is its class, or
	// nil.
	is func(e *env, t types.Type, k *class) bool
}

// The tables are made when the first trait is evaluated.
var (
	traitTables sync.Once
	classTraits []classTrait
	typeTraits  map[string]typeTrait
)

func makeClassTraits() {
	classTraits = []classTrait{
		{"is_empty", false, func(_ *env, t types.Type, k *class) bool { return k != nil && !t.IsUnion() && k.t.Empty }},
		{"is_polymorphic", false, func(e *env, _ types.Type, k *class) bool { return k != nil && e.isPolymorphic(k) }},
		{"is_abstract", false, func(e *env, _ types.Type, k *class) bool { return k != nil && e.isAbstract(k) }},
		{"is_final", false, func(_ *env, _ types.Type, k *class) bool { return k != nil && k.decl.Final }},
		{"is_aggregate", false, func(_ *env, t types.Type, k *class) bool { return t.IsArray() || k != nil && k.t.Aggregate }},
		{"has_virtual_destructor", false, func(_ *env, _ types.Type, k *class) bool { return k != nil && k.hasVirtualDestructor() }},
		{"is_trivially_copyable", true, func(_ *env, t types.Type, k *class) bool {
			return t.IsScalar() || k != nil && (k.t.TrivialCopy || k.uncopyable)
		}},
		{"is_trivial", true, func(_ *env, t types.Type, k *class) bool {
			return t.IsScalar() || k != nil && k.t.TrivialCopy && k.t.TrivialDefault
		}},
		{"is_pod", true, func(_ *env, t types.Type, k *class) bool {
			return t.IsScalar() || k != nil && k.t.TrivialCopy && k.t.TrivialDefault && k.t.StandardLayout
		}},
		{"is_standard_layout", true, func(_ *env, t types.Type, k *class) bool { return t.IsScalar() || k != nil && k.t.StandardLayout }},
		{"is_literal_type", true, func(_ *env, t types.Type, k *class) bool {
			return t.IsScalar() || t.IsRef() || t.IsVoid() || k != nil && k.t.Literal
		}},
		{"has_unique_object_representations", true, func(e *env, t types.Type, _ *class) bool { return e.hasUniqueRepresentations(t) }},
		{"has_trivial_constructor", true, func(_ *env, t types.Type, k *class) bool { return t.IsScalar() || k != nil && k.t.TrivialDefault }},
		{"has_trivial_copy", true, func(e *env, t types.Type, k *class) bool {
			return t.IsScalar() || t.IsRef() || k != nil && e.triviallyDoes(k, copyCtor)
		}},
		{"has_trivial_assign", true, func(e *env, t types.Type, k *class) bool {
			return !t.IsConst() && (t.IsScalar() || k != nil && e.triviallyDoes(k, copyAssign))
		}},
		{"has_nothrow_constructor", true, func(e *env, t types.Type, k *class) bool {
			return t.IsScalar() || k != nil && e.neverThrows(k, defaultCtor)
		}},
		{"has_nothrow_copy", true, func(e *env, t types.Type, k *class) bool {
			return t.IsScalar() || t.IsRef() || k != nil && e.neverThrows(k, copyCtor)
		}},
		{"has_nothrow_assign", true, func(e *env, t types.Type, k *class) bool {
			return !t.IsConst() && (t.IsScalar() || k != nil && e.neverThrows(k, copyAssign))
		}},
	}
}

// A typeTrait is a property of types that needs no class to be complete, or completes it
// itself; of a second and further ones for those that take several.
type typeTrait func(e *env, t, u types.Type, all []types.Type, at ast.Span) bool

// simple is a trait of one type alone.
func simple(is func(types.Type) bool) typeTrait {
	return func(_ *env, t, _ types.Type, _ []types.Type, _ ast.Span) bool { return is(t) }
}

func makeTypeTraits() {
	destructible := func(e *env, t, _ types.Type, _ []types.Type, at ast.Span) bool { return e.destructible(t, at) }
	trivially := func(e *env, t, _ types.Type, _ []types.Type, at ast.Span) bool {
		k := classOfElement(t)
		return e.destructible(t, at) && (k == nil || k.t.TrivialDestroy)
	}
	convertible := func(e *env, t, u types.Type, _ []types.Type, _ ast.Span) bool { return e.conversion(t, u) != nil }
	typeTraits = map[string]typeTrait{
		"is_same": func(_ *env, t, u types.Type, _ []types.Type, _ ast.Span) bool { return t == u },
		"is_base_of": func(e *env, t, u types.Type, _ []types.Type, _ ast.Span) bool {
			return t.IsClass() && u.IsClass() && (t.Node == u.Node && !t.IsUnion() || e.derives(u, t))
		},
		"is_convertible":    convertible,
		"is_convertible_to": convertible,
		"is_nothrow_convertible": func(e *env, t, u types.Type, _ []types.Type, _ ast.Span) bool {
			x := e.conversion(t, u)
			return x != nil && !e.mayThrow(x)
		},
		"is_void":                    simple(types.Type.IsVoid),
		"is_integral":                simple(types.Type.IsInteger),
		"is_floating_point":          simple(types.Type.IsFloat),
		"is_arithmetic":              simple(types.Type.IsArithmetic),
		"is_fundamental":             simple(isFundamental),
		"is_compound":                simple(func(t types.Type) bool { return !isFundamental(t) }),
		"is_scalar":                  simple(types.Type.IsScalar),
		"is_object":                  simple(types.Type.IsObject),
		"is_array":                   simple(types.Type.IsArray),
		"is_pointer":                 simple(types.Type.IsPointer),
		"is_reference":               simple(types.Type.IsRef),
		"is_lvalue_reference":        simple(func(t types.Type) bool { return t.Is(types.LRef) }),
		"is_rvalue_reference":        simple(func(t types.Type) bool { return t.Is(types.RRef) }),
		"is_function":                simple(types.Type.IsFunc),
		"is_member_pointer":          simple(func(t types.Type) bool { return t.Is(types.MemberPointer) }),
		"is_member_function_pointer": simple(func(t types.Type) bool { return t.Is(types.MemberPointer) && t.Elem.IsFunc() }),
		"is_member_object_pointer":   simple(func(t types.Type) bool { return t.Is(types.MemberPointer) && !t.Elem.IsFunc() }),
		"is_enum":                    simple(types.Type.IsEnum),
		"is_class":                   simple(func(t types.Type) bool { return t.IsClass() && !t.IsUnion() }),
		"is_union":                   simple(types.Type.IsUnion),
		"is_const":                   simple(types.Type.IsConst),
		"is_volatile":                simple(types.Type.IsVolatile),
		"is_signed":                  simple(func(t types.Type) bool { return t.IsArithmetic() && t.IsSigned() }),
		"is_unsigned":                simple(func(t types.Type) bool { return t.IsArithmetic() && t.IsUnsigned() }),
		"is_constructible": func(e *env, t, _ types.Type, all []types.Type, at ast.Span) bool {
			return e.construction(t, all[1:], at) != nil && e.destructible(t, at)
		},
		"is_nothrow_constructible": func(e *env, t, _ types.Type, all []types.Type, at ast.Span) bool {
			x := e.construction(t, all[1:], at)
			return x != nil && e.destructible(t, at) && !e.mayThrow(x)
		},
		"is_trivially_constructible": func(e *env, t, _ types.Type, all []types.Type, at ast.Span) bool {
			return e.triviallyConstructible(t, all[1:], at)
		},
		"is_assignable": func(e *env, t, u types.Type, _ []types.Type, at ast.Span) bool { return e.assignment(t, u, at) != nil },
		"is_nothrow_assignable": func(e *env, t, u types.Type, _ []types.Type, at ast.Span) bool {
			x := e.assignment(t, u, at)
			return x != nil && !e.mayThrow(x)
		},
		"is_trivially_assignable": func(e *env, t, u types.Type, _ []types.Type, at ast.Span) bool {
			switch e.assignment(t, u, at).(type) {
			case *hir.Copy, *hir.Assign:
				return true
			}
			return false
		},
		"is_destructible": destructible,
		"is_nothrow_destructible": func(e *env, t, _ types.Type, _ []types.Type, at ast.Span) bool {
			return e.destructible(t, at) && !e.destructionThrows(t)
		},
		"is_trivially_destructible": trivially,
		"has_trivial_destructor":    trivially,
	}
}

func isFundamental(t types.Type) bool { return t.IsArithmetic() || t.IsVoid() || t.Is(types.Nullptr) }

// trait evaluates a trait; known is false for a name that is not a trait's.
func (e *env) trait(name string, ts []types.Type, at ast.Span) (v, known bool) {
	traitTables.Do(func() {
		makeClassTraits()
		makeTypeTraits()
	})
	t := ts[0]
	if is := typeTraits[name]; is != nil {
		var u types.Type
		if len(ts) > 1 {
			u = ts[1]
		}
		return is(e, t, u, ts, at), true
	}
	i := slices.IndexFunc(classTraits, func(c classTrait) bool { return c.name == name })
	if i < 0 {
		return false, false
	}
	if t.Element().IsClass() && !e.requireComplete(t.Element(), at, "incomplete type used in type trait expression") {
		return false, true
	}
	if classTraits[i].stripsExtents {
		t = t.Element()
	}
	return classTraits[i].is(e, t, classOfType(t)), true
}

// classOfElement returns the class of objects of a type or of the elements of an array; nil
// for others.
func classOfElement(t types.Type) *class {
	if t.IsRef() {
		return nil
	}
	return classOfType(t.Element())
}

// triviallyDoes reports whether a class has a special member of a kind that is trivial.
func (e *env) triviallyDoes(k *class, kind specialKind) bool {
	for _, f := range e.specialMembers(k) {
		if f.special == kind && !f.deleted && f.trivial() {
			return true
		}
	}
	return false
}

// neverThrows reports whether a class has special members of a kind and none may throw.
func (e *env) neverThrows(k *class, kind specialKind) bool {
	found := false
	for _, f := range e.specialMembers(k) {
		if f.special != kind {
			continue
		}
		found = true
		if !f.deleted && e.throws(e.hirFunc(f)) {
			return false
		}
	}
	return found
}

// hasUniqueRepresentations reports whether objects of a complete type are equal if and only
// if their bytes are.
func (e *env) hasUniqueRepresentations(t types.Type) bool {
	t = t.Element()
	k := classOfType(t)
	if k == nil {
		return t.IsInteger() || t.IsEnum() || t.IsPointer() || t.Is(types.MemberPointer)
	}
	if !k.t.TrivialCopy && !k.uncopyable || k.t.Empty {
		return false
	}
	var bits int64 // with a value
	for i := range k.bases {
		if b := e.types.Class(k.bases[i].class.t); !b.Class.Empty {
			if !e.hasUniqueRepresentations(b) {
				return false
			}
			bits += b.Size() * 8
		}
	}
	for _, f := range k.fields {
		n := f.t.Type.Size() * 8
		if f.t.Width >= 0 {
			n = int64(f.t.Width)
		}
		switch {
		case f.t.Type.IsRef() || !e.hasUniqueRepresentations(f.t.Type) || f.t.Name == "" && f.t.Width >= 0:
			return false
		case t.IsUnion() && n != t.Size()*8:
			return false
		}
		bits += n
	}
	return t.IsUnion() || bits == t.Size()*8
}

// declval returns a value of a type as std::declval does.
func (e *env) declval(t types.Type, at ast.Span) hir.Expr {
	x := &stubExpr{hir.Info{Span: at, T: t.Unref(), Cat: hir.XValue}}
	if t.Is(types.LRef) {
		x.Cat = hir.LValue
	}
	return x
}

// conversion analyses the implicit conversion of a value of a type to another; nil if there
// is none.
func (e *env) conversion(from, to types.Type) hir.Expr {
	at := ast.Span{}
	if to.IsVoid() || from.IsVoid() {
		if from.IsVoid() && to.IsVoid() {
			return &stubExpr{rvalueInfo(at, to)}
		}
		return nil
	}
	if to.IsArray() || to.IsFunc() {
		return nil
	}
	var x hir.Expr
	failed := e.fails(func() {
		sub := *e
		sub.unevaluated = true
		sub.completeType(from.Unref(), at)
		sub.completeType(to.Unref(), at)
		x = sub.convertTo(sub.declval(from, at), to, "value")
	})
	if failed || isBad(x) || e.isAbstractType(to) {
		return nil
	}
	return x
}

// construction analyses T(args...) of values of types; nil if it is not valid.
func (e *env) construction(t types.Type, from []types.Type, at ast.Span) hir.Expr {
	if t.IsVoid() || t.IsFunc() || t.IsArray() && t.Len < 0 {
		return nil
	}
	var x hir.Expr
	failed := e.fails(func() {
		sub := *e
		sub.unevaluated = true
		if t.IsRef() && len(from) == 0 {
			x = nil
			return
		}
		var args []hir.Expr
		for _, a := range from {
			args = append(args, sub.declval(a, at))
		}
		if t.IsRef() && len(args) == 1 {
			x = sub.directScalar(t, args[0], "value")
			return
		}
		if t.IsArray() {
			if len(args) == 0 {
				x = sub.valueInit(t.Element(), at)
			}
			return
		}
		x = sub.directInit(t.Unqualified(), args, at, "value")
	})
	if failed || isBad(x) || e.isAbstractType(t) {
		return nil
	}
	return x
}

func (e *env) triviallyConstructible(t types.Type, from []types.Type, at ast.Span) bool {
	x := e.construction(t, from, at)
	if k := classOfElement(t); k != nil && !k.t.TrivialDestroy {
		return false
	}
	switch x := x.(type) {
	case nil:
		return false
	case *hir.Construct:
		return x.Func.Trivial
	case *hir.Call:
		return false
	case *hir.Zero:
		if k := classOfType(t.Element()); k != nil {
			return k.t.TrivialDefault
		}
	}
	return true
}

// assignment analyses the assignment of a value of type u to one of type t; nil if it is not
// valid.
func (e *env) assignment(t, u types.Type, at ast.Span) hir.Expr {
	if !t.IsValid() || !u.IsValid() || t.IsVoid() || u.IsVoid() {
		return nil
	}
	var x hir.Expr
	failed := e.fails(func() {
		sub := *e
		sub.unevaluated = true
		a, b := sub.declval(t, at), sub.declval(u, at)
		if t.Unref().IsClass() {
			sub.completeType(t.Unref(), at)
			x = sub.operatorCall(at, "=", cpp.Equal, []hir.Expr{a, b})
		} else {
			x = sub.assign(at, a, hir.NoOp, b)
		}
	})
	if failed || isBad(x) {
		return nil
	}
	return x
}

func (e *env) destructible(t types.Type, at ast.Span) bool {
	if t.IsRef() {
		return true
	}
	if t.IsVoid() || t.IsFunc() || t.IsArray() && t.Len < 0 {
		return false
	}
	k := classOfType(t.Element())
	if k == nil {
		return true
	}
	if !e.checker.complete(k, at) {
		return false
	}
	d := e.destructor(k)
	return d != nil && !d.deleted && (d.access == types.Public || e.mayAccess(k, d.access, nil))
}

// traitType resolves __underlying_type(T) and its like.
func (e *env) traitType(x *ast.TraitType) types.Type {
	ts, ok := e.typeList(x.Args)
	if !ok || len(ts) == 0 {
		return types.Type{}
	}
	t := ts[0]
	switch x.Trait {
	case "__underlying_type":
		en := enumOf(t)
		if en == nil {
			e.errorf(x, codeTrait, "only enumeration types have underlying types")
			return types.Type{}
		}
		e.resolveEnum(en)
		return en.t.Base
	case "__remove_cv":
		return e.types.Unqualify(t)
	case "__remove_reference", "__remove_reference_t":
		return t.Unref()
	case "__remove_cvref":
		return e.types.Unqualify(t.Unref())
	case "__decay":
		return e.types.Decayed(t)
	case "__remove_pointer":
		if t.IsPointer() {
			return t.Elem
		}
		return t
	case "__add_pointer":
		return e.types.Pointer(t.Unref())
	case "__add_lvalue_reference":
		if t.IsVoid() {
			return t
		}
		return e.types.Ref(t, false)
	case "__add_rvalue_reference":
		if t.IsVoid() {
			return t
		}
		return e.types.Ref(t, true)
	case "__make_signed":
		return e.types.Signed(t)
	case "__make_unsigned":
		return e.types.Unsigned(t)
	}
	e.errorf(x, codeTrait, "type trait '%s' is not supported", x.Trait)
	return types.Type{}
}
