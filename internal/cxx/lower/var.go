package lower

import (
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
	"irgl/internal/tree"
	"irgl/syntax"
)

// variable lowers the declaration of a local variable.
func (l *lowerer) variable(v *hir.Var) {
	switch v.Space {
	case hir.Shared, hir.SharedX:
		l.shared(v)
		return
	case hir.Local:
		if !v.Static {
			break
		}
		fallthrough
	default:
		l.global(v)
		return
	}
	sp := at(v)
	if v.Type.IsRef() {
		l.reference(v)
		return
	}
	if l.isResult(v) {
		l.resultVariable(v)
		return
	}
	name := l.fn.declare(l, v, v.Name) // its own initialiser may name it
	if v.Init == nil {
		l.declareLocal(v, nil)
		l.cleanup(v)
		return
	}
	l.fullExpr(func() {
		switch {
		case !v.Type.IsClass() && !v.Type.IsArray():
			x := l.converted(v.Init, v.Type)
			l.declareLocal(v, x)
		default:
			if x, ok := l.initializer(v.Init, v.Type); ok {
				l.declareLocal(v, x)
				return
			}
			l.declareLocal(v, nil)
			l.initStmts(func() syntax.Expr { return tree.Ident(sp, name) }, v.Type, v.Init)
		}
	})
	l.cleanup(v)
}

// declareLocal emits the declaration of a variable that has its name.
func (l *lowerer) declareLocal(v *hir.Var, init syntax.Expr) {
	sp := at(v)
	d := tree.Variable(sp, l.object(sp, v.Type), l.fn.names[v], init)
	if v.Align > v.Type.Align() {
		d.Align = tree.Number(sp, v.Align)
	}
	l.emit(d)
}

// cleanup notes that a variable is destroyed at the end of its scope.
func (l *lowerer) cleanup(v *hir.Var) {
	if v.Destroy == nil || v.Destroy.Trivial {
		return
	}
	sp, name := at(v), l.fn.names[v]
	object := func() syntax.Expr { return tree.Ident(sp, name) }
	if l.isResult(v) {
		object = func() syntax.Expr { return deref(tree.Ident(sp, name)) }
	}
	s := l.fn.top()
	s.cleanups = append(s.cleanups, cleanup{index: s.index, node: sp, typ: v.Type, destroy: v.Destroy, object: object, result: l.isResult(v)})
}

// isResult reports whether v, which may be nil, is the object that the function returns
// through a pointer.
func (l *lowerer) isResult(v *hir.Var) bool {
	return v != nil && v == l.fn.decl.Named && l.inMemory(v.Type)
}

// resultVariable initialises the object that the result's pointer leads to. A return leaves
// it as it is; a jump out of its scope destroys it.
func (l *lowerer) resultVariable(v *hir.Var) {
	l.fn.names[v], l.fn.byAddr[v] = resultName, true
	if v.Init != nil {
		l.fullExpr(func() {
			l.initStmts(func() syntax.Expr { return deref(tree.Ident(at(v), resultName)) }, v.Type, v.Init)
		})
	}
	l.cleanup(v)
}

// reference declares a pointer for a variable of reference type. The temporary whose
// life it extends is a variable of the same scope.
func (l *lowerer) reference(v *hir.Var) {
	l.fn.declare(l, v, v.Name)
	l.fullExpr(func() {
		x := l.addr(v.Init)
		l.declareLocal(v, x)
	})
}

// shared declares a __shared__ variable.
func (l *lowerer) shared(v *hir.Var) {
	sp := at(v)
	name := v.Name
	if v.Space == hir.SharedX {
		name = l.externName(v)
	}
	name = l.fn.declare(l, v, name)
	d := tree.Variable(sp, l.object(sp, v.Type), name, nil)
	d.Attrs = syntax.Shared
	if v.Space == hir.SharedX {
		d.Attrs |= syntax.Extern
	}
	if v.Align > v.Type.Align() || v.Align > 0 && v.Type.IsArray() && v.Type.Len < 0 {
		d.Align = tree.Number(sp, v.Align)
	}
	l.emit(d)
}

// externName returns the name of an extern __shared__ variable. All are one memory; those of
// instances of a template have one name and several types, which C and nvcc refuse.
func (l *lowerer) externName(v *hir.Var) string {
	name := v.Name
	for n := 2; l.externs[name].IsValid() && l.externs[name] != v.Type; n++ {
		name = numbered(v.Name, n)
	}
	l.externs[name] = v.Type
	return name
}

// initializer returns what C initialises a variable with: a value, or a list in braces
// where all of its elements are values.
func (l *lowerer) initializer(e hir.Expr, t types.Type) (syntax.Expr, bool) {
	switch e := e.(type) {
	case *hir.Zero:
		return zeroList(at(e)), true
	case *hir.Aggregate:
		if !l.simple(e) {
			return nil, false
		}
		return l.initList(e), true
	case *hir.Call:
		if !l.inMemory(t) {
			return l.call(e, nil), true
		}
	case *hir.Copy:
		if _, either := e.X.(*hir.Cond); t.IsClass() && e.To == nil && !either {
			return l.lvalue(e.X), true
		}
	case *hir.Convert:
		if e.Kind == hir.Qualify {
			return l.initializer(e.X, t)
		}
	case *hir.StringExpr:
		if t.IsArray() && t.Elem.Size() == 1 {
			return l.lvalue(e), true
		}
	}
	return nil, false
}

// zeroList returns {0}.
func zeroList(sp syntax.Span) syntax.Expr {
	return &syntax.InitList{Span: sp, Elems: []*syntax.InitElem{{Span: sp, Value: tree.Number(sp, 0)}}}
}

// maxList bounds the number of values in a list in braces.
const maxList = 4096

// simple reports whether a list in braces can initialise an object as e does.
func (l *lowerer) simple(e hir.Expr) bool {
	a, ok := e.(*hir.Aggregate)
	if !ok {
		t := e.Type()
		if _, zero := e.(*hir.Zero); zero {
			return true
		}
		if t.IsClass() {
			c, call := e.(*hir.Call)
			copied, isCopy := e.(*hir.Copy)
			return call && !l.inMemory(c.T) || isCopy && copied.To == nil && !l.inMemory(t)
		}
		return !t.IsArray()
	}
	if a.Fill != nil || a.Rest != nil || len(a.Elems) > maxList {
		return false
	}
	if t := a.T; t.IsClass() {
		c := l.class(t.Class)
		if c.union || len(t.Class.Bases) > 0 || t.Class.Empty {
			return false
		}
		pads := t.Class.Size
		for i, f := range t.Class.Fields {
			if !c.builtin && (c.fields[i].name == "" || c.fields[i].bytes || c.fields[i].bits) || f.Type.IsRef() {
				return false
			}
			pads -= f.Type.Size()
		}
		if pads != 0 && l.padded(t.Class) {
			return false
		}
	}
	for _, list := range [...][]hir.Expr{a.Fields, a.Elems} {
		for _, x := range list {
			if x != nil && !l.simple(x) {
				return false
			}
		}
	}
	return true
}

// padded reports whether the struct of c has members that c does not have.
func (l *lowerer) padded(c *types.Class) bool {
	end := int64(0)
	for _, f := range c.Fields {
		end = (end + f.Type.Align() - 1) / f.Type.Align() * f.Type.Align()
		if end != f.Offset {
			return true
		}
		end += f.Type.Size()
	}
	return (end+c.Align-1)/c.Align*c.Align != c.Size
}

// initList returns the list in braces of a simple aggregate.
func (l *lowerer) initList(a *hir.Aggregate) syntax.Expr {
	sp := at(a)
	list := &syntax.InitList{Span: sp}
	elems, of := a.Elems, func(int) types.Type { return a.T.Elem }
	if a.T.IsClass() {
		elems, of = a.Fields, func(i int) types.Type { return a.T.Class.Fields[i].Type }
	}
	last := -1
	for i, x := range elems {
		if x != nil {
			last = i
		}
	}
	for i := 0; i <= last; i++ {
		el := &syntax.InitElem{Span: sp}
		switch x := elems[i].(type) {
		case nil:
			el.Value = l.zeroValue(sp, of(i))
		case *hir.Zero:
			el.Value = l.zeroValue(sp, of(i))
		case *hir.Aggregate:
			el.Value = l.initList(x)
		default:
			if x.Type().IsClass() {
				el.Value = l.classValue(x)
			} else {
				el.Value = l.value(x)
			}
		}
		list.Elems = append(list.Elems, el)
	}
	if last < 0 {
		return zeroList(sp)
	}
	return list
}

// zeroValue returns the zero of a type inside of a list in braces.
func (l *lowerer) zeroValue(sp syntax.Span, t types.Type) syntax.Expr {
	switch {
	case t.IsClass() || t.IsArray():
		return zeroList(sp)
	case t.IsFloat():
		return floating(sp, 0, t.Kind)
	case isMethod(t):
		return zeroList(sp)
	case t.Is(types.MemberPointer):
		return tree.Number(sp, nullMember)
	}
	return tree.Number(sp, 0)
}
