package gogen

import (
	"slices"

	"irgl/internal/check"
	"irgl/syntax"
)

// What loops prove of the variables that they count with.

// step notes an increment, a decrement, or an address that is taken.
func (b *bounds) step(e, x syntax.Expr) {
	kept := domainSet(0)
	if b.steps[e] {
		kept = natural // at least 0 before, less than some int, and one more after
	}
	b.store(b.storage(x), nil, kept)
}

// remainder reports whether x is a remainder that is less than n, and not negative.
func (b *bounds) remainder(x syntax.Expr, n int64) bool {
	e, ok := syntax.Unparen(x).(*syntax.BinaryExpr)
	if !ok || e.Op != "%" || b.expr(e)&natural == 0 {
		return false
	}
	c := b.info.Consts[e.Y]
	return c != nil && c.Int > 0 && c.Int <= n
}

// counts looks for loops in a function's body that count a variable up to a limit.
func (b *bounds) counts(body syntax.Node) {
	for n := range syntax.Preorder(body) {
		if _, ok := n.(*syntax.LabelStmt); ok {
			return // a goto may pass the test
		}
	}
	for n := range syntax.Preorder(body) {
		if s, ok := n.(*syntax.ForStmt); ok && s.Cond != nil {
			b.counted(body, s, s.Cond, s.Body)
		}
		if s, ok := n.(*syntax.WhileStmt); ok && !s.Do {
			b.counted(body, s, s.Cond, s.Body)
		}
	}
}

// counted notes what the test i < limit of a loop proves, for each that holds in
// all iterations.
func (b *bounds) counted(fn, loop syntax.Node, cond syntax.Expr, body syntax.Stmt) {
	c, ok := syntax.Unparen(cond).(*syntax.BinaryExpr)
	if !ok {
		return
	}
	if c.Op == "&&" {
		b.counted(fn, loop, c.X, body)
		b.counted(fn, loop, c.Y, body)
		return
	}
	i := b.local(c.X)
	if c.Op != "<" || i == nil || i.Type != check.Int || b.info.Types[c.Y] != check.Int || contains(cond, b.assigns) {
		return
	}
	changes := b.changesOf(loop, i)
	inner := false // a change in a loop inside of this one
	for n := range syntax.Preorder(body) {
		switch n.(type) {
		case syntax.Loop:
			inner = inner || len(b.changesOf(n, i)) > 0
		}
	}
	if inner {
		return
	}
	if s, ok := loop.(*syntax.ForStmt); ok && s.Init != nil { // before the test
		before := b.changesOf(s.Init, i)
		changes = changes[len(before):]
	}
	if len(changes) == 1 {
		b.steps[changes[0]] = true
	}
	b.edgesBelow(fn, body, i, c.Y, changes)
}

// edgesBelow notes n.edges[i] in the body of a loop whose test is that i is less than
// the number of n's edges, where neither has changed since the test.
func (b *bounds) edgesBelow(fn syntax.Node, body syntax.Stmt, i *check.Object, limit syntax.Expr, changes []syntax.Expr) {
	name, node := b.degreeOf(fn, limit)
	if node == nil || len(b.changesOf(fn, node)) > 0 {
		return
	}
	for n := range syntax.Preorder(body) {
		if c, ok := n.(syntax.Expr); ok && slices.Contains(changes, c) {
			return
		}
		x, ok := n.(*syntax.IndexExpr)
		if !ok || b.local(x.Index) != i {
			continue
		}
		if m, ok := syntax.Unparen(x.X).(*syntax.MemberExpr); ok && isRow(b.info.Types[x.X]) && b.local(m.X) == node &&
			(name == "degree") == (b.info.Types[x.X] == check.Edges) {
			b.below[x] = true
		}
	}
}

// degreeOf returns n for n.degree and n.in_degree, or for a variable that only ever
// is that, and which of the two it is.
func (b *bounds) degreeOf(fn syntax.Node, x syntax.Expr) (string, *check.Object) {
	if o := b.local(x); o != nil {
		d, ok := o.Decl.(*syntax.VarDecl)
		if !ok || d.Init == nil || len(b.changesOf(fn, o)) > 0 {
			return "", nil
		}
		x = d.Init
	}
	m, ok := syntax.Unparen(x).(*syntax.MemberExpr)
	if !ok || b.info.Types[m.X] != check.Node || m.Name.Name != "degree" && m.Name.Name != "in_degree" {
		return "", nil
	}
	if o := b.info.Uses[m.Name]; o == nil || o.Kind != check.BuiltinObj {
		return "", nil
	}
	return m.Name.Name, b.local(m.X)
}

// local returns the variable or parameter that x names, if nothing else can change
// it; nil otherwise.
func (b *bounds) local(x syntax.Expr) *check.Object {
	id, ok := syntax.Unparen(x).(*syntax.Ident)
	if !ok {
		return nil
	}
	o := b.info.Uses[id]
	if o == nil || o.Global || o.Addressed || o.Kind != check.VarObj && o.Kind != check.ParamObj {
		return nil
	}
	return o
}

// changesOf returns the expressions in n that change the variable o, in their order.
func (b *bounds) changesOf(n syntax.Node, o *check.Object) []syntax.Expr {
	var list []syntax.Expr
	for n := range syntax.Preorder(n) {
		if x := b.target(n); x != nil && b.local(x) == o {
			list = append(list, n.(syntax.Expr))
		}
	}
	return list
}

// target returns what n assigns to, or nil.
func (b *bounds) target(n syntax.Node) syntax.Expr {
	switch n := n.(type) {
	case *syntax.AssignExpr:
		return n.L
	case *syntax.PostfixExpr:
		return n.X
	case *syntax.UnaryExpr:
		if n.Op == "++" || n.Op == "--" {
			return n.X
		}
	}
	return nil
}

func (b *bounds) assigns(n syntax.Node) bool { return b.target(n) != nil }
