package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// newExpr analyses new.
func (e *env) newExpr(x *ast.NewExpr) hir.Expr {
	el := x.Type
	var count hir.Expr
	array := false
	if a, ok := el.(*ast.ArrayType); ok {
		el, array = a.Elem, true
		if a.Len != nil {
			if count = e.single(e.expr(a.Len)); count.Type().IsFloat() {
				e.errorf(a.Len, codeArrayLen, "array size expression must have integral or unscoped enumeration type, not '%s'", count.Type())
				return e.bad(x)
			}
			count = e.convertTo(count, e.basic(types.ULong), "array size")
			if isBad(count) {
				return e.bad(x)
			}
		}
	}
	t := e.newType(el, x)
	if !t.IsValid() || t.Dependent() || !e.requireComplete(t, spanOf(x), "allocation of incomplete type") {
		return e.bad(x)
	}
	if !array && t.IsArray() && t.Len >= 0 { // of a typedef's type
		array, count = true, e.intConst(uint64(t.Len), e.basic(types.ULong), x.Span)
		t = t.Elem
	}
	n := &hir.New{Info: rvalueInfo(x.Span, e.types.Pointer(t)), Elem: t, Count: count}
	if !e.allocation(n, x, array) {
		return e.bad(x)
	}
	list := bracedList(x.Init)
	switch {
	case array && count == nil && x.Init == nil:
		e.errorf(x, codeArrayLen, "array size must be specified in new expression with no initializer")
		return e.bad(x)
	case array && (count == nil || list != nil && (len(list.Elems) > 0 || t.IsArray())):
		return e.newList(n, list, x)
	}
	n.Init = e.initializer(t, x.Init, x.Span, "object")
	if n.Init != nil && isBad(n.Init) {
		return e.bad(x)
	}
	return n
}

// newType returns the type of the object or the elements that new makes.
func (e *env) newType(el ast.TypeExpr, x *ast.NewExpr) types.Type {
	if t, ok := e.deducedType(el, x.Init, x.Span); ok {
		return t
	}
	t := e.typ(el)
	if t.IsValid() && hasAuto(t) && x.Init != nil {
		return e.autoInit(t, x.Init, x.Span, "new").t
	}
	return t
}

// bracedList returns the list that an initialiser is, or nil.
func bracedList(in *ast.Init) *ast.InitList {
	if in == nil || len(in.Args) != 1 {
		return nil
	}
	l, _ := in.Args[0].(*ast.InitList)
	return l
}

// newList is new T[n]{a, b} and new T[]{a, b}: the first elements are initialised by the list,
// others by {}.
func (e *env) newList(n *hir.New, l *ast.InitList, x *ast.NewExpr) hir.Expr {
	length := int64(-1)
	if n.Count != nil {
		if k := e.fold(n.Count); k != nil {
			length = int64(k.Int)
		}
	}
	init := e.initializer(e.types.Array(n.Elem, length), x.Init, x.Span, "object")
	if init == nil || isBad(init) {
		return e.bad(x)
	}
	a, ok := init.(*hir.Aggregate)
	if n.Count == nil || length >= 0 || !ok {
		if n.Count == nil {
			n.Count = e.intConst(uint64(init.Type().Len), e.basic(types.ULong), x.Span)
		}
		n.Whole = init
		return n
	}
	n.First = a.Elems
	n.Init = e.initList(n.Elem, e.listOf(&ast.InitList{Span: l.Span}), true, "object")
	if isBad(n.Init) {
		return e.bad(x)
	}
	return n
}

// allocation chooses the allocation function ([expr.new]/9): of the class, or a global one of the
// program. Without one, new allocates by malloc, or uses the address that it is given.
func (e *env) allocation(n *hir.New, x *ast.NewExpr, array bool) bool {
	size := e.types.Basic(types.ULong)
	args := append([]hir.Expr{e.intConst(uint64(n.Elem.Size()), size, x.Span)}, e.exprs(x.Place)...)
	if anyBad(args) {
		return false
	}
	name := "operator new"
	if array {
		name += "[]"
	}
	funcs, own := e.allocators(n.Elem, name, x.Global)
	var set candidates
	defer set.release(e)
	for _, f := range funcs {
		set.consider(e, f, nil, args, nil, callFlags{})
	}
	best, ambiguous := set.best(e)
	switch {
	case ambiguous:
		e.ambiguity(x, &set, args, "call to '%s' is ambiguous", name)
		return false
	case best != nil && !isPlacement(best.fn):
		e.checkMemberAccess(x.Span, best.fn.class, best.fn.access, name, best.fn.at, best.fn.class)
		c, ok := e.callFunction(best.fn, nil, args, x.Span).(*hir.Call)
		if !ok {
			return false
		}
		n.Alloc = c
		n.Checked = best.fn.typ.Func.Noexcept
	case best == nil && (own || len(args) > 2):
		e.noMatch(x, &set, args, "no matching function for call to '%s'", name)
		return false
	case len(args) == 2 && e.isNothrow(args[1].Type()):
		n.Checked = true
	case len(args) == 2:
		n.Place = e.convertTo(args[1], e.types.Pointer(e.basic(types.Void)), "parameter")
		return !isBad(n.Place)
	}
	if array {
		n.Cookie = e.cookie(n.Elem, x.Global)
	}
	return true
}

// allocators returns the functions that an operator new or delete of objects of type t may
// call: those of the class, if it has any, else those of device code that the program has at
// file scope.
func (e *env) allocators(t types.Type, name string, global bool) (funcs []*function, own bool) {
	var f finding
	collect := func() {
		for x := range f.all() {
			if set, ok := x.(*overloads); ok {
				e.resolveSet(set)
				funcs = append(funcs, set.funcs...)
			}
		}
	}
	if k := classOfType(t.Element()); k != nil && !global && e.inClass(&f, k, name, anything) {
		collect()
		return funcs, true
	}
	f = finding{}
	e.inNamespace(&f, e.global, name, anything, nil)
	collect()
	var out []*function
	for _, g := range funcs {
		if (e.opts.Host || g.deviceSide()) && (e.order == 0 || g.order <= e.order) {
			out = append(out, g)
		}
	}
	return out, false
}

// isPlacement reports whether f is operator new of an address alone, which no program replaces.
func isPlacement(f *function) bool {
	return f.class == nil && len(f.params) == 2 && f.params[1].IsPointer() && f.params[1].Elem.IsVoid()
}

// isNothrow reports whether t is std::nothrow_t.
func (e *env) isNothrow(t types.Type) bool {
	k := classOfType(t)
	return k != nil && k.t.Name == "nothrow_t" && k.scope.parent.namespaceOf() == e.stdNamespace()
}

// cookie returns how many bytes in front of an array of elements of type t hold their number, as
// in the Itanium ABI: delete[] needs it to destroy them, or to tell their size.
func (e *env) cookie(t types.Type, global bool) int64 {
	k := classOfType(t.Element())
	if k == nil {
		return 0
	}
	if k.t.TrivialDestroy {
		if global {
			return 0
		}
		if f, own := e.deallocator(t, true, false); f == nil || !own || len(f.params) < 2 {
			return 0
		}
	}
	return max(8, t.Align())
}

// deallocator returns the usual deallocation function that delete calls, nil for free, and
// whether it is the class's.
func (e *env) deallocator(t types.Type, array, global bool) (best *function, own bool) {
	name := "operator delete"
	if array {
		name += "[]"
	}
	funcs, own := e.allocators(t, name, global)
	for _, f := range funcs {
		e.signature(f)
		if f.bad || f.tmpl != nil || len(f.params) == 0 || len(f.params) > 2 || len(f.params) == 2 && !f.params[1].Is(types.ULong) {
			continue
		}
		if best == nil || len(f.params) < len(best.params) {
			best = f
		}
	}
	return best, own
}

// deleteExpr analyses delete.
func (e *env) deleteExpr(x *ast.DeleteExpr) hir.Expr {
	v := e.value(x.X)
	if isBad(v) {
		return e.bad(x)
	}
	t := v.Type()
	if !t.IsPointer() || t.Elem.IsFunc() {
		e.errorf(x, codeOperands, "cannot delete expression of type '%s'", t)
		return e.bad(x)
	}
	d := &hir.Delete{Info: rvalueInfo(x.Span, e.basic(types.Void)), X: v, Array: x.Array}
	if t.Elem.IsVoid() {
		return d
	}
	if !e.requireComplete(t.Elem, spanOf(x), "cannot delete expression with pointer to incomplete type") {
		return e.bad(x)
	}
	d.Destroy = e.destructorOf(t.Elem, spanOf(x))
	f, own := e.deallocator(t.Elem, x.Array, x.Global)
	switch {
	case f == nil && own:
		e.errorf(x, codeNoMatch, "no suitable member 'operator delete' in '%s'", t.Elem.Element().Unqualified())
		return e.bad(x)
	case f != nil && f.deleted:
		e.reportDeleted(x, f)
		return e.bad(x)
	case f != nil:
		e.checkMemberAccess(x.Span, f.class, f.access, f.name, f.at, f.class)
		e.checkCallee(x.Span, f)
		d.Free = e.hirFunc(f)
	}
	if x.Array {
		d.Cookie = e.cookie(t.Elem, x.Global)
	}
	return d
}
