package lower

import (
	"strconv"

	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
	"irgl/internal/tree"
	"irgl/syntax"
)

// A full is a full expression while it is lowered.
type full struct {
	cleanups    []cleanup // of temporaries, in the order in which they are made
	conditional int       // operands around the present one that may be skipped
	stmts       bool      // the expression is a statement, or a part of one that comes first
}

// fullExpr runs f, which lowers a full expression and emits it as statements, and
// destroys its temporaries behind it.
func (l *lowerer) fullExpr(f func()) {
	outer := l.fn.full
	l.fn.full = &full{stmts: true}
	body := l.collect(f)
	now := l.fn.full
	l.fn.full = outer
	for _, s := range body {
		l.emit(s)
	}
	for i := len(now.cleanups) - 1; i >= 0; i-- {
		l.destroy(now.cleanups[i])
	}
}

// fullValue lowers a full expression to one expression of C: temporaries are destroyed
// inside of it.
func (l *lowerer) fullValue(e hir.Expr) syntax.Expr {
	return l.inside(func() syntax.Expr {
		x := l.condition(e)
		if len(l.fn.full.cleanups) == 0 {
			return x
		}
		name := l.temp()
		l.emit(tree.Variable(at(e), l.object(at(e), e.Type()), name, nil))
		return comma(tree.Assign(tree.Ident(at(e), name), "=", x), tree.Ident(at(e), name))
	})
}

// fullEffect is fullValue for an expression whose value is not used.
func (l *lowerer) fullEffect(e hir.Expr) syntax.Expr {
	return l.inside(func() syntax.Expr {
		x := l.effect(e)
		if len(l.fn.full.cleanups) == 0 {
			return x
		}
		return comma(x, tree.Number(at(e), 0))
	})
}

// inside runs f for a full expression inside of an expression. If there are
// temporaries to destroy, the result of f is a comma expression: they are destroyed
// between its operands.
func (l *lowerer) inside(f func() syntax.Expr) syntax.Expr {
	outer := l.fn.full
	l.fn.full = &full{}
	x := f()
	now := l.fn.full
	l.fn.full = outer
	if len(now.cleanups) == 0 {
		return x
	}
	parts := x.(*syntax.BinaryExpr)
	var list []syntax.Expr
	for _, c := range now.cleanups {
		if c.live != "" {
			list = append(list, tree.Assign(tree.Ident(c.node, c.live), "=", tree.Ident(c.node, "false")))
		}
	}
	list = append(list, parts.X)
	for i := len(now.cleanups) - 1; i >= 0; i-- {
		list = append(list, l.destruction(now.cleanups[i]))
	}
	return comma(append(list, parts.Y)...)
}

// temp returns the name of a new temporary.
func (l *lowerer) temp() string {
	l.fn.temps++
	return "irgl_t" + strconv.Itoa(l.fn.temps)
}

// temporary declares a temporary in front of the statement and returns its name.
func (l *lowerer) temporary(sp syntax.Span, t types.Type) string {
	name := l.temp()
	l.emit(tree.Variable(sp, l.object(sp, t), name, nil))
	return name
}

// maybe runs f for an operand that may be skipped.
func (l *lowerer) maybe(f func()) {
	if l.fn.full != nil {
		l.fn.full.conditional++
		defer func() { l.fn.full.conditional-- }()
	}
	f()
}

// materialize makes a temporary object of a prvalue and returns its address.
func (l *lowerer) materialize(e *hir.Materialize) syntax.Expr {
	sp := at(e)
	name := l.temporary(sp, e.T)
	obj := func() syntax.Expr { return tree.Ident(sp, name) }
	var list []syntax.Expr
	if e.T.IsClass() || e.T.IsArray() {
		list = l.initExprs(obj, e.T, e.X)
	} else {
		list = []syntax.Expr{tree.Assign(obj(), "=", l.converted(e.X, e.T))}
	}
	list = append(list, l.destroyLater(sp, name, e.T, e.Destroy, e.Extend)...)
	return comma(append(list, addressOf(obj()))...)
}

// madeFlag ends the name of the flag that says whether a temporary was made.
const madeFlag = "_made"

// destroyLater notes that a temporary is destroyed at the end of the full expression, or
// of the scope of the reference that extends its life. It returns what marks the
// temporary as made, where it may not be.
func (l *lowerer) destroyLater(sp syntax.Span, name string, t types.Type, destroy *hir.Func, extend *hir.Var) []syntax.Expr {
	if destroy == nil || destroy.Trivial || l.fn.full == nil {
		return nil
	}
	c := cleanup{node: sp, typ: t, destroy: destroy, object: func() syntax.Expr { return tree.Ident(sp, name) }}
	var mark []syntax.Expr
	if l.fn.full.conditional > 0 {
		c.live = name + madeFlag
		l.emit(tree.Variable(sp, tree.Basic(sp, "bool"), c.live, nil))
		if l.fn.full.stmts {
			l.emit(tree.Do(tree.Assign(tree.Ident(sp, c.live), "=", tree.Ident(sp, "false"))))
		}
		mark = []syntax.Expr{tree.Assign(tree.Ident(sp, c.live), "=", tree.Ident(sp, "true"))}
	}
	if extend == nil {
		l.fn.full.cleanups = append(l.fn.full.cleanups, c)
		return mark
	}
	s := l.fn.top()
	c.index = s.index
	s.cleanups = append(s.cleanups, c)
	return mark
}

// destroy emits the call of a destructor: for an array, of each element, the last one first.
func (l *lowerer) destroy(c cleanup) {
	if c.typ.IsArray() {
		l.each(c.node, c.typ, c.object, true, func(elem func() syntax.Expr) {
			l.emit(tree.Do(l.callDestructor(c, elem())))
		})
		return
	}
	x := l.callDestructor(c, c.object())
	if c.live == "" {
		l.emit(tree.Do(x))
		return
	}
	l.emit(&syntax.IfStmt{Span: c.node, Cond: tree.Ident(c.node, c.live), Then: tree.Block(c.node, tree.Do(x))})
}

// destruction is destroy as an expression.
func (l *lowerer) destruction(c cleanup) syntax.Expr {
	if c.typ.IsArray() {
		l.errorf(spanNode{c.node}, codeArray, "a temporary array of '%s' with a destructor is not supported here", c.typ.Element())
		return tree.Number(c.node, 0)
	}
	x := l.callDestructor(c, c.object())
	if c.live == "" {
		return x
	}
	return &syntax.BinaryExpr{Span: c.node, X: tree.Ident(c.node, c.live), Op: "&&", Y: comma(x, tree.Number(c.node, 1))}
}

func (l *lowerer) callDestructor(c cleanup, object syntax.Expr) syntax.Expr {
	l.uses(c.destroy)
	return tree.Call(c.node, c.destroy.Symbol, addressOf(object))
}

// each emits a loop over all elements of an array, arrays in arrays included, from the
// first to the last or back.
func (l *lowerer) each(sp syntax.Span, t types.Type, array func() syntax.Expr, back bool, f func(elem func() syntax.Expr)) {
	i := l.temp()
	index := func() syntax.Expr { return tree.Ident(sp, i) }
	elem := func() syntax.Expr { return &syntax.IndexExpr{Span: sp, X: array(), Index: index()} }
	body := l.collect(func() {
		if t.Elem.IsArray() {
			l.each(sp, t.Elem, elem, back, f)
		} else {
			f(elem)
		}
	})
	loop := &syntax.ForStmt{Span: sp, Body: tree.Block(sp, body...)}
	if back {
		loop.Init = tree.Variable(sp, tree.Basic(sp, "long"), i, tree.Number(sp, t.Len-1))
		loop.Cond = tree.Binary(index(), ">=", tree.Number(sp, 0))
		loop.Post = &syntax.PostfixExpr{Span: sp, X: index(), Op: "--"}
	} else {
		loop.Init = tree.Variable(sp, tree.Basic(sp, "long"), i, tree.Number(sp, 0))
		loop.Cond = tree.Binary(index(), "<", tree.Number(sp, t.Len))
		loop.Post = &syntax.PostfixExpr{Span: sp, X: index(), Op: "++"}
	}
	l.emit(loop)
}

// comma returns expressions that are evaluated in order; the value is that of the last.
func comma(list ...syntax.Expr) syntax.Expr {
	x := list[0]
	for _, y := range list[1:] {
		x = tree.Binary(x, ",", y)
	}
	return x
}

// spanOf returns the span of a node of the C++ program for another one.
func spanOf(n node) ast.Span { return ast.Range(n.Pos(), n.End()) }
