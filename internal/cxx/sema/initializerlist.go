package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// A std::initializer_list that a list initialises refers to an array of its elements, a
// temporary object ([dcl.init.list], 5): the header's constructor of a pointer and a
// number makes it.

// isInitializerList reports whether k is an instance of std::initializer_list.
func (e *env) isInitializerList(k *class) bool {
	return k.tmpl != nil && k.tmpl == e.initializerListTemplate()
}

// initializerListTemplate returns std::initializer_list, or nil if it is not declared.
func (e *env) initializerListTemplate() *template {
	std := e.stdNamespace()
	if std == nil {
		return nil
	}
	var f finding
	e.inNamespace(&f, std, "initializer_list", anything, nil)
	t, _ := f.obj.(*template)
	return t
}

// initializerList initialises an object of t, a std::initializer_list, from a list.
func (e *env) initializerList(t types.Type, k *class, l *listExpr) hir.Expr {
	vals := l.values()
	if anyBad(vals) || len(k.t.Args) != 1 {
		return e.bad(l)
	}
	if len(vals) == 1 && vals[0].Type().Unqualified() == t.Unqualified() {
		return e.convertTo(vals[0], t, "value")
	}
	ctor := e.elementsConstructor(k)
	if ctor == nil {
		e.errorf(l, codeRange, "the header's std::initializer_list has no constructor of a pointer and a number")
		return e.bad(l)
	}
	if len(vals) == 0 {
		return e.valueInit(t, l.Span)
	}
	elem := e.types.Qualify(k.t.Args[0].Type, types.Const)
	array := e.arrayList(e.types.Array(elem, int64(len(vals))), l)
	if isBad(array) {
		return array
	}
	pointer := &hir.Convert{Info: rvalueInfo(l.Span, e.types.Pointer(elem)), Kind: hir.Decay, X: e.materialize(array)}
	count := e.intConst(uint64(len(vals)), e.basic(types.ULong), l.Span)
	return e.construct(ctor, []hir.Expr{pointer, count}, t.Unqualified(), l.Span)
}

// elementsConstructor returns the constructor of a pointer to elements and their number.
func (e *env) elementsConstructor(k *class) *function {
	for _, f := range e.constructors(k) {
		if !f.bad && f.tmpl == nil && len(f.params) == 2 && f.params[0].IsPointer() {
			return f
		}
	}
	return nil
}

// rangeList returns the std::initializer_list that a loop over a list in braces is over.
func (e *env) rangeList(list *ast.InitList) hir.Expr {
	l := e.listOf(list)
	vals := l.values()
	if anyBad(vals) {
		return e.bad(l)
	}
	t := e.initializerListTemplate()
	if t == nil || len(vals) == 0 {
		e.errorf(l, codeRange, "cannot use an initializer list as a range without std::initializer_list, of <initializer_list>")
		return e.bad(l)
	}
	elem := e.deduceAuto(e.basic(types.Auto), vals[0], "list")
	for _, v := range vals[1:] {
		if other := e.deduceAuto(e.basic(types.Auto), v, "list"); elem.IsValid() && other.IsValid() && other != elem {
			e.errorf(v, codeRange, "deduced conflicting types ('%s' vs '%s') for initializer list element type", elem, other)
			return e.bad(l)
		}
	}
	if !elem.IsValid() {
		return e.bad(l)
	}
	k := e.classInstance(t, []types.Arg{{Kind: types.TypeArg, Type: elem}})
	typ := e.types.Class(k.t)
	if !e.requireComplete(typ, spanOf(l), "list of incomplete type") {
		return e.bad(l)
	}
	return e.initializerList(typ, k, l)
}
