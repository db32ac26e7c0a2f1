package lower

import (
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
	"irgl/internal/tree"
	"irgl/syntax"
)

// This file lowers pointers to member functions. As in the Itanium ABI, such a pointer has a
// function and the number of bytes that are added to the object's address:
//
//	int (C::*p)(int) = &B::f;      struct irgl_method p = (struct irgl_method){(void (*)(void))_ZN1B1fEi, 8};
//	(c.*p)(1);                     ((int (*)(struct C *, int))p.function)((struct C *)((char *)&c + p.adjust), 1);
//
// A null pointer has the function 0.

// Names of the struct of a pointer to a member function.
const (
	methodTag    = "irgl_method"
	methodFunc   = "function"
	methodAdjust = "adjust"
)

// isMethod reports whether t is the type of pointers to member functions.
func isMethod(t types.Type) bool { return t.Is(types.MemberPointer) && t.Elem.IsFunc() }

// methodType returns the struct of all pointers to member functions, which the first use declares.
func (l *lowerer) methodType(sp syntax.Span) syntax.TypeExpr {
	if l.tags[methodTag] == 0 {
		l.tags[methodTag]++
		field := func(name string, t syntax.TypeExpr) *syntax.VarDecl {
			return &syntax.VarDecl{Span: sp, Type: t, Name: tree.Ident(sp, name)}
		}
		t := &syntax.TagType{Span: sp, Tag: tree.Ident(sp, methodTag), Defined: true}
		t.Fields = []*syntax.VarDecl{field(methodFunc, anyFunction(sp)), field(methodAdjust, tree.Basic(sp, "long"))}
		l.add(&syntax.TypeDecl{Span: sp, Type: t})
	}
	return &syntax.TagType{Span: sp, Tag: tree.Ident(sp, methodTag)}
}

// anyFunction returns void (*)(void), the type that functions of all types are kept as.
func anyFunction(sp syntax.Span) syntax.TypeExpr {
	void := &syntax.Param{Span: sp, Type: tree.Basic(sp, "void")}
	return &syntax.PointerType{Span: sp, Elem: &syntax.FuncType{Span: sp, Result: tree.Basic(sp, "void"), Params: []*syntax.Param{void}}}
}

// methodParts returns the list of a pointer to f, which is a member of a base at the offset
// adjust; f is nil for a null pointer.
func (l *lowerer) methodParts(sp syntax.Span, f *hir.Func, adjust int64) *syntax.InitList {
	x := tree.Cast(sp, anyFunction(sp), tree.Number(sp, 0))
	if f != nil {
		l.uses(f)
		x = tree.Cast(sp, anyFunction(sp), tree.Ident(sp, f.Symbol))
	}
	return &syntax.InitList{Span: sp, Elems: []*syntax.InitElem{{Span: sp, Value: x}, {Span: sp, Value: tree.Number(sp, adjust)}}}
}

// method returns a pointer to f as a value.
func (l *lowerer) method(sp syntax.Span, f *hir.Func, adjust int64) syntax.Expr {
	return &syntax.CompoundLit{Span: sp, Type: l.methodType(sp), Init: l.methodParts(sp, f, adjust)}
}

// methodConst returns the list of a constant pointer of type t.
func (l *lowerer) methodConst(sp syntax.Span, c *hir.Const, t types.Type) *syntax.InitList {
	f, _ := c.Base.(*hir.Func)
	off := int64(0)
	if f != nil {
		off, _ = types.BaseOffset(t.Of.Class, f.Of)
	}
	return l.methodParts(sp, f, off)
}

// methodPlace evaluates a pointer to a member function once: the effects come first.
func (l *lowerer) methodPlace(e hir.Expr) (func() syntax.Expr, []syntax.Expr) {
	if l.repeatable(e) {
		return func() syntax.Expr { return l.value(e) }, nil
	}
	sp := at(e)
	name := l.temporary(sp, e.Type().Unqualified())
	return func() syntax.Expr { return tree.Ident(sp, name) }, []syntax.Expr{tree.Assign(tree.Ident(sp, name), "=", l.value(e))}
}

// isNullMethod reports whether e is the null pointer.
func isNullMethod(e hir.Expr) bool {
	switch e := e.(type) {
	case *hir.Convert:
		return e.Kind == hir.NullToPtr
	case *hir.ConstExpr:
		return e.Value.Base == nil
	case *hir.Zero:
		return true
	}
	return false
}

// compareMethods lowers == and !=: null pointers are equal, whatever they add.
func (l *lowerer) compareMethods(e *hir.Binary) syntax.Expr {
	sp := at(e)
	x, y := e.X, e.Y
	if isNullMethod(x) {
		x, y = y, x
	}
	p, first := l.methodPlace(x)
	var test syntax.Expr
	if isNullMethod(y) {
		test = &syntax.UnaryExpr{Span: sp, Op: "!", X: memberOf(sp, p(), methodFunc)}
	} else {
		q, rest := l.methodPlace(y)
		first = append(first, rest...)
		same := func(name string) syntax.Expr {
			return tree.Binary(memberOf(sp, p(), name), "==", memberOf(sp, q(), name))
		}
		null := &syntax.UnaryExpr{Span: sp, Op: "!", X: memberOf(sp, p(), methodFunc)}
		test = tree.Binary(same(methodFunc), "&&", tree.Paren(tree.Binary(null, "||", same(methodAdjust))))
	}
	if e.Op == hir.Ne {
		test = &syntax.UnaryExpr{Span: sp, Op: "!", X: tree.Paren(test)}
	}
	return comma(append(first, test)...)
}

// moveMethod adds off bytes to what a pointer to a member function adds.
func (l *lowerer) moveMethod(e *hir.Convert, off int64) syntax.Expr {
	sp := at(e)
	if m, ok := e.X.(*hir.MemberPtr); ok {
		return l.method(sp, m.Func, off)
	}
	name := l.temporary(sp, e.T.Unqualified())
	t := func() syntax.Expr { return tree.Ident(sp, name) }
	moved := tree.Assign(memberOf(sp, t(), methodAdjust), "+=", tree.Number(sp, off))
	return comma(tree.Assign(t(), "=", l.value(e.X)), moved, t())
}

// callMethod calls a member function through a pointer.
func (l *lowerer) callMethod(e *hir.Call, args []syntax.Expr, result syntax.Expr) syntax.Expr {
	sp, t := at(e), e.Fun.Type()
	var first []syntax.Expr
	object := l.value(e.This)
	if !l.repeatable(e.This) {
		name := l.temporary(sp, e.This.Type().Unqualified())
		first = append(first, tree.Assign(tree.Ident(sp, name), "=", object))
		object = tree.Ident(sp, name)
	}
	p, rest := l.methodPlace(e.Fun)
	first = append(first, rest...)
	self := l.pointerTo(sp, t.Of)
	kind := l.typ(sp, t.Elem).(*syntax.FuncType)
	params := kind.Params
	if len(t.Elem.Func.Params) == 0 && result == nil {
		params = nil // (void)
	}
	all := []syntax.Expr{tree.Cast(sp, self, tree.Binary(l.chars(sp, object), "+", memberOf(sp, p(), methodAdjust)))}
	list := []*syntax.Param{{Span: sp, Type: self}}
	if result != nil {
		list, params = append([]*syntax.Param{params[0]}, list...), params[1:]
		all = append([]syntax.Expr{result}, all...)
	}
	kind.Params = append(list, params...)
	f := tree.Cast(sp, &syntax.PointerType{Span: sp, Elem: kind}, memberOf(sp, p(), methodFunc))
	return comma(append(first, &syntax.CallExpr{Span: sp, Fun: tree.Paren(f), Args: append(all, args...)})...)
}
