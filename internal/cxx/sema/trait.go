package sema

import (
	"strings"

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

// trait evaluates a trait; known is false for one that there is none of.
//
//irgl:flatswitch
func (e *env) trait(name string, ts []types.Type, at ast.Span) (v, known bool) {
	t := ts[0]
	var u types.Type
	if len(ts) > 1 {
		u = ts[1]
	}
	switch name {
	case "is_same":
		return t == u, true
	case "is_base_of":
		return t.IsClass() && u.IsClass() && (t.Node == u.Node && !t.IsUnion() || e.derives(u, t)), true
	case "is_convertible", "is_convertible_to", "is_nothrow_convertible":
		return e.convertible(t, u), true
	case "is_void":
		return t.IsVoid(), true
	case "is_integral":
		return t.IsInteger(), true
	case "is_floating_point":
		return t.IsFloat(), true
	case "is_arithmetic":
		return t.IsArithmetic(), true
	case "is_fundamental":
		return t.IsArithmetic() || t.IsVoid() || t.Is(types.Nullptr), true
	case "is_compound":
		return !(t.IsArithmetic() || t.IsVoid() || t.Is(types.Nullptr)), true
	case "is_scalar":
		return t.IsScalar(), true
	case "is_object":
		return t.IsObject(), true
	case "is_array":
		return t.IsArray(), true
	case "is_pointer":
		return t.IsPointer(), true
	case "is_reference":
		return t.IsRef(), true
	case "is_lvalue_reference":
		return t.Is(types.LRef), true
	case "is_rvalue_reference":
		return t.Is(types.RRef), true
	case "is_function":
		return t.IsFunc(), true
	case "is_member_pointer":
		return t.Is(types.MemberPointer), true
	case "is_member_function_pointer":
		return t.Is(types.MemberPointer) && t.Elem.IsFunc(), true
	case "is_member_object_pointer":
		return t.Is(types.MemberPointer) && !t.Elem.IsFunc(), true
	case "is_enum":
		return t.IsEnum(), true
	case "is_class":
		return t.IsClass() && !t.IsUnion(), true
	case "is_union":
		return t.IsUnion(), true
	case "is_const":
		return t.IsConst(), true
	case "is_volatile":
		return t.IsVolatile(), true
	case "is_signed":
		return t.IsArithmetic() && t.IsSigned(), true
	case "is_unsigned":
		return t.IsArithmetic() && t.IsUnsigned(), true
	case "is_constructible", "is_nothrow_constructible":
		return e.constructible(t, ts[1:], at), true
	case "is_trivially_constructible":
		return e.triviallyConstructible(t, ts[1:], at), true
	case "is_assignable", "is_nothrow_assignable":
		return e.assignableFrom(t, u, at) != nil, true
	case "is_trivially_assignable":
		x := e.assignableFrom(t, u, at)
		if x == nil {
			return false, true
		}
		_, copying := x.(*hir.Copy)
		_, scalar := x.(*hir.Assign)
		return copying || scalar, true
	case "is_destructible", "is_nothrow_destructible":
		return e.destructible(t, at), true
	case "is_trivially_destructible", "has_trivial_destructor":
		return e.destructible(t, at) && (k0(e, t) == nil || k0(e, t).TrivialDestroy), true
	}
	if t = t.Element(); t.IsClass() {
		if !e.requireComplete(t, at, "incomplete type used in type trait expression") {
			return false, true
		}
	}
	k := classOfType(t)
	switch name {
	case "is_empty":
		return k != nil && !t.IsUnion() && k.t.Empty, true
	case "is_polymorphic", "is_abstract", "has_virtual_destructor":
		return k != nil && k.t.Virtual && name == "is_polymorphic", true
	case "is_final":
		return k != nil && k.decl.Final, true
	case "is_aggregate":
		return ts[0].IsArray() || k != nil && k.t.Aggregate, true
	case "is_trivially_copyable", "has_trivial_copy", "has_trivial_assign":
		return t.IsScalar() || k != nil && (k.t.TrivialCopy || k.uncopyable && name == "is_trivially_copyable"), true
	case "is_trivial":
		return t.IsScalar() || k != nil && k.t.TrivialCopy && k.t.TrivialDefault, true
	case "is_pod":
		return t.IsScalar() || k != nil && k.t.TrivialCopy && k.t.TrivialDefault && k.t.StandardLayout, true
	case "has_trivial_constructor":
		return t.IsScalar() || k != nil && k.t.TrivialDefault, true
	case "is_standard_layout":
		return t.IsScalar() || k != nil && k.t.StandardLayout, true
	case "is_literal_type":
		return t.IsScalar() || ts[0].IsRef() || t.IsVoid() || k != nil && k.t.Literal, true
	case "has_unique_object_representations":
		return (t.IsInteger() && !t.Is(types.Bool) || t.IsPointer() || t.IsEnum()), true
	case "has_nothrow_assign", "has_nothrow_constructor", "has_nothrow_copy":
		return true, true
	}
	return false, false
}

func k0(e *env, t types.Type) *types.Class {
	if k := classOfType(t.Element()); k != nil && !t.IsRef() {
		return k.t
	}
	return nil
}

// declval returns a value of a type as std::declval does.
func (e *env) declval(t types.Type, at ast.Span) hir.Expr {
	x := &stubExpr{hir.Info{Span: at, T: t.Unref(), Cat: hir.XValue}}
	if t.Is(types.LRef) {
		x.Cat = hir.LValue
	}
	return x
}

func (e *env) convertible(from, to types.Type) bool {
	if to.IsVoid() || from.IsVoid() {
		return from.IsVoid() && to.IsVoid()
	}
	if to.IsArray() || to.IsFunc() {
		return false
	}
	at := ast.Span{}
	ok := false
	failed := e.fails(func() {
		sub := *e
		sub.unevaluated = true
		sub.completeType(from.Unref(), at)
		sub.completeType(to.Unref(), at)
		ok = !isBad(sub.convertTo(sub.declval(from, at), to, "value"))
	})
	return !failed && ok
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
			x = sub.convertTo(args[0], t, "value")
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
	if failed || isBad(x) {
		return nil
	}
	return x
}

func (e *env) constructible(t types.Type, from []types.Type, at ast.Span) bool {
	return e.construction(t, from, at) != nil && e.destructible(t, at)
}

func (e *env) triviallyConstructible(t types.Type, from []types.Type, at ast.Span) bool {
	x := e.construction(t, from, at)
	if k := k0(e, t); k != nil && !k.TrivialDestroy {
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

func (e *env) assignableFrom(t, u types.Type, at ast.Span) hir.Expr {
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
	return e.checker.complete(k, at) && k.dtor != nil && !k.dtor.deleted && (k.dtor.access == types.Public || e.mayAccess(k, k.dtor.access, k))
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
