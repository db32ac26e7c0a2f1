package lower

import (
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
	"irgl/internal/tree"
	"irgl/syntax"
)

// This file lowers new and delete. An array whose elements delete[] destroys, or whose size it
// needs, has its length in front of it, as in the Itanium ABI.

// A newState is one new while it is lowered.
type newState struct {
	*lowerer
	*hir.New
	sp    syntax.Span
	p     string // the variable of the address
	count string // and of the number of elements; "" for one object
}

func (s *newState) ptr() syntax.Expr { return tree.Ident(s.sp, s.p) }

// newExpr lowers new: memory, and the initialisation of what is in it.
func (l *lowerer) newExpr(e *hir.New) syntax.Expr {
	sp := at(e)
	s := &newState{lowerer: l, New: e, sp: sp, p: l.temporary(sp, l.mutablePointer(e.T))}
	list := s.allocate()
	switch {
	case e.Init == nil && e.Whole == nil && len(e.First) == 0:
		return comma(append(list, s.ptr())...)
	case e.Count != nil && e.Whole == nil || !wholeByExpr(e):
		return s.elements(list)
	}
	to, t, init := func() syntax.Expr { return deref(s.ptr()) }, e.Elem, e.Init
	if e.Whole != nil {
		t, init = e.Whole.Type(), e.Whole
		to = func() syntax.Expr { return deref(tree.Cast(sp, l.pointerTo(sp, t), s.ptr())) }
	}
	if !e.Checked {
		return comma(append(append(list, l.initExprs(to, t, init)...), s.ptr())...)
	}
	var made []syntax.Expr
	l.maybe(func() { made = append(l.initExprs(to, t, init), tree.Number(sp, 0)) })
	list = append(list, &syntax.CondExpr{Span: sp, Cond: s.ptr(), Then: comma(made...), Else: tree.Number(sp, 0)})
	return comma(append(list, s.ptr())...)
}

// wholeByExpr reports whether an array's initialiser can be a part of an expression.
func wholeByExpr(e *hir.New) bool {
	a, ok := e.Whole.(*hir.Aggregate)
	return !ok || a.Fill == nil || a.T.Len-int64(len(a.Elems)) <= maxUnrolled
}

// allocate returns the expressions that set the variables of the address and the count.
func (s *newState) allocate() []syntax.Expr {
	sp, e := s.sp, s.New
	var list []syntax.Expr
	var size syntax.Expr = tree.Number(sp, e.Elem.Size())
	if e.Count != nil {
		s.count = s.temporary(sp, s.prog.Types.Basic(types.ULong))
		list = append(list, tree.Assign(tree.Ident(sp, s.count), "=", s.value(e.Count)))
		n := syntax.Expr(tree.Ident(sp, s.count))
		if least := int64(len(e.First)); least > 0 { // fewer is an error of the program: its memory stays whole
			n = &syntax.CondExpr{Span: sp, Cond: tree.Binary(n, "<", tree.Number(sp, least)), Then: tree.Number(sp, least), Else: tree.Ident(sp, s.count)}
			n = tree.Paren(n)
		}
		size = tree.Binary(n, "*", size)
	}
	if e.Cookie > 0 {
		size = tree.Binary(size, "+", tree.Number(sp, e.Cookie))
	}
	var mem syntax.Expr
	switch {
	case e.Place != nil:
		mem = s.value(e.Place)
	case e.Alloc != nil:
		call := *e.Alloc
		call.Args = append([]hir.Expr{&loweredArg{Expr: call.Args[0], c: size}}, call.Args[1:]...)
		mem = s.call(&call, nil)
	default:
		mem = tree.Call(sp, "malloc", size)
	}
	t := s.typ(sp, s.mutablePointer(e.T))
	if e.Cookie == 0 {
		return append(list, tree.Assign(s.ptr(), "=", tree.Cast(sp, t, mem)))
	}
	list = append(list, tree.Assign(s.ptr(), "=", tree.Cast(sp, t, tree.Paren(tree.Binary(s.chars(sp, mem), "+", tree.Number(sp, e.Cookie))))))
	n := tree.Binary(tree.Ident(sp, s.count), "*", tree.Number(sp, objects(e.Elem)))
	return append(list, tree.Assign(s.lowerer.length(sp, s.ptr()), "=", n))
}

// mutablePointer returns the type of a pointer without the qualifiers of what it points to:
// constructors and destructors take such objects.
func (l *lowerer) mutablePointer(t types.Type) types.Type {
	return l.prog.Types.Pointer(l.prog.Types.Unqualify(t.Elem))
}

// objects returns how many objects an element of an array is: more than 1 of an array of arrays.
func objects(t types.Type) int64 {
	n := int64(1)
	for ; t.IsArray(); t = t.Elem {
		n *= t.Len
	}
	return n
}

// length returns the length in front of the array at p.
func (l *lowerer) length(sp syntax.Span, p syntax.Expr) syntax.Expr {
	word := &syntax.PointerType{Span: sp, Elem: tree.Basic(sp, "unsigned long")}
	return deref(tree.Cast(sp, word, tree.Paren(tree.Binary(l.chars(sp, p), "-", tree.Number(sp, 8)))))
}

// elements emits the statements that initialise an array.
func (s *newState) elements(list []syntax.Expr) syntax.Expr {
	l, sp, e := s.lowerer, s.sp, s.New
	if !l.mayHoist() {
		l.errorf(e, codeNew, "an array of '%s' in new inside of an expression is not supported in device code", e.Elem).Hint = "assign the pointer in a statement of its own"
		return s.ptr()
	}
	for _, x := range list {
		l.emit(tree.Do(x))
	}
	body := l.collect(func() {
		if e.Whole != nil {
			l.initStmts(func() syntax.Expr { return deref(tree.Cast(sp, l.pointerTo(sp, e.Whole.Type()), s.ptr())) }, e.Whole.Type(), e.Whole)
			return
		}
		for i, x := range e.First {
			l.initStmts(element(sp, s.ptr, int64(i)), e.Elem, x)
		}
		if e.Init == nil {
			return
		}
		i := l.temp()
		index := func() syntax.Expr { return tree.Ident(sp, i) }
		elem := func() syntax.Expr { return &syntax.IndexExpr{Span: sp, X: s.ptr(), Index: index()} }
		inner := l.elementInit(elem, e.Elem, e.Init)
		l.emit(&syntax.ForStmt{
			Span: sp, Init: tree.Variable(sp, tree.Basic(sp, "unsigned long"), i, tree.Number(sp, int64(len(e.First)))),
			Cond: tree.Binary(index(), "<", tree.Ident(sp, s.count)), Post: &syntax.PostfixExpr{Span: sp, X: index(), Op: "++"},
			Body: tree.Block(sp, inner...),
		})
	})
	if e.Checked {
		b := tree.Block(sp, body...)
		l.hoist(b)
		body = []syntax.Stmt{&syntax.IfStmt{Span: sp, Cond: s.ptr(), Then: b}}
	}
	for _, x := range body {
		l.emit(x)
	}
	return s.ptr()
}

// deleteExpr lowers delete: the destructor, and free or the deallocation function.
func (l *lowerer) deleteExpr(e *hir.Delete) syntax.Expr {
	sp := at(e)
	destroys := e.Destroy != nil && !e.Destroy.Trivial
	if !destroys && e.Free == nil && e.Cookie == 0 {
		return tree.Call(sp, "free", tree.Cast(sp, voidPointer(sp), l.value(e.X)))
	}
	p := l.temporary(sp, l.mutablePointer(e.X.Type()))
	ptr := func() syntax.Expr { return tree.Ident(sp, p) }
	value := l.value(e.X)
	if e.X.Type().Elem.Qualifiers() != 0 {
		value = tree.Cast(sp, l.typ(sp, l.mutablePointer(e.X.Type())), value)
	}
	set := tree.Assign(ptr(), "=", value)
	if e.Array && destroys {
		return l.deleteArray(e, ptr, set)
	}
	var do []syntax.Expr
	if destroys {
		l.uses(e.Destroy)
		do = append(do, tree.Call(sp, e.Destroy.Symbol, ptr()))
	}
	do = append(do, l.freed(e, ptr), tree.Number(sp, 0))
	return &syntax.CondExpr{Span: sp, Cond: set, Then: comma(do...), Else: tree.Number(sp, 0)}
}

func voidPointer(sp syntax.Span) syntax.TypeExpr {
	return &syntax.PointerType{Span: sp, Elem: tree.Basic(sp, "void")}
}

// freed returns the call that frees the memory of the objects at ptr.
func (l *lowerer) freed(e *hir.Delete, ptr func() syntax.Expr) syntax.Expr {
	sp := at(e)
	elem := e.X.Type().Elem
	mem := ptr()
	if e.Cookie > 0 {
		mem = tree.Paren(tree.Binary(l.chars(sp, mem), "-", tree.Number(sp, e.Cookie)))
	}
	mem = tree.Cast(sp, voidPointer(sp), mem)
	if e.Free == nil {
		return tree.Call(sp, "free", mem)
	}
	l.uses(e.Free)
	if len(e.Free.Params) < 2 {
		return tree.Call(sp, e.Free.Symbol, mem)
	}
	size := tree.Number(sp, elem.Size())
	if e.Cookie > 0 {
		size = tree.Binary(tree.Binary(l.length(sp, ptr()), "*", tree.Number(sp, elem.Element().Size())), "+", tree.Number(sp, e.Cookie))
	}
	return tree.Call(sp, e.Free.Symbol, mem, size)
}

// deleteArray emits the destruction of an array's elements, the last one first.
func (l *lowerer) deleteArray(e *hir.Delete, ptr func() syntax.Expr, set syntax.Expr) syntax.Expr {
	sp := at(e)
	if !l.mayHoist() {
		l.errorf(e, codeNew, "delete[] of objects with destructors inside of an expression is not supported in device code").Hint = "delete them in a statement of its own"
		return tree.Number(sp, 0)
	}
	l.uses(e.Destroy)
	i := l.temp()
	index := func() syntax.Expr { return tree.Ident(sp, i) }
	first := tree.Cast(sp, l.pointerTo(sp, e.X.Type().Elem.Element().Unqualified()), ptr())
	body := tree.Do(tree.Call(sp, e.Destroy.Symbol, tree.Binary(tree.Paren(first), "+", index())))
	loop := &syntax.ForStmt{
		Span: sp, Init: tree.Variable(sp, tree.Basic(sp, "unsigned long"), i, l.length(sp, ptr())),
		Cond: tree.Binary(&syntax.PostfixExpr{Span: sp, X: index(), Op: "--"}, ">", tree.Number(sp, 0)), Body: tree.Block(sp, body),
	}
	l.emit(tree.Do(set))
	l.emit(&syntax.IfStmt{Span: sp, Cond: ptr(), Then: tree.Block(sp, loop, tree.Do(l.freed(e, ptr)))})
	return tree.Number(sp, 0)
}
