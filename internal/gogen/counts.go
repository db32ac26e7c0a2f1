package gogen

import (
	"slices"

	"irgl/internal/check"
	"irgl/syntax"
)

// What loops prove of the edges that they count.

// changes counts what a function's body assigns to its variables.
func (b *bounds) changes(body syntax.Node) {
	for n := range syntax.Preorder(body) {
		if o := b.variableOf(b.target(n)); o != nil {
			b.changed[o]++
		}
	}
}

// counts looks for loops in a function's body that count a variable up to a limit.
func (b *bounds) counts(body syntax.Node) {
	if b.jumps(body) { // a goto may pass the test, or the initialization of a degree
		return
	}
	for n := range syntax.Preorder(body) {
		if s, ok := n.(*syntax.ForStmt); ok && s.Cond != nil && !contains(s.Cond, b.assigns) {
			b.counted(s.Cond, s.Body)
		}
		if s, ok := n.(*syntax.WhileStmt); ok && !s.Do && !contains(s.Cond, b.assigns) {
			b.counted(s.Cond, s.Body)
		}
	}
}

// counted notes the edges n.edges[i] that the test i < n.degree of a loop, or each of
// several that hold in all iterations, proves to be the node's.
func (b *bounds) counted(cond syntax.Expr, body syntax.Stmt) {
	c, ok := syntax.Unparen(cond).(*syntax.BinaryExpr)
	if !ok {
		return
	}
	if c.Op == "&&" {
		b.counted(c.X, body)
		b.counted(c.Y, body)
		return
	}
	i := b.variableOf(c.X)
	if c.Op != "<" || i == nil || i.Type != check.Int || b.info.Types[c.Y] != check.Int {
		return
	}
	name, node := b.degreeOf(c.Y)
	if node == nil || b.changed[node] > 0 {
		return
	}
	for n := range syntax.Preorder(body) { // a change in a loop inside of this one
		if l, ok := n.(syntax.Loop); ok && len(b.changesOf(l, i)) > 0 {
			return
		}
	}
	b.edgesBelow(body, i, name, node, b.changesOf(body, i))
}

// edgesBelow notes n.edges[i], or n.in_edges[i], in the body of a loop, up to the first change of i.
func (b *bounds) edgesBelow(body syntax.Stmt, i *check.Object, degree string, node *check.Object, changes []syntax.Expr) {
	for n := range syntax.Preorder(body) {
		if c, ok := n.(syntax.Expr); ok && slices.Contains(changes, c) {
			return
		}
		x, ok := n.(*syntax.IndexExpr)
		if !ok || b.variableOf(x.Index) != i {
			continue
		}
		if m, ok := syntax.Unparen(x.X).(*syntax.MemberExpr); ok && isRow(b.info.Types[x.X]) && b.variableOf(m.X) == node &&
			(degree == "degree") == (b.info.Types[x.X] == check.Edges) {
			b.below[x] = true
		}
	}
}

// degreeOf returns n for n.degree and n.in_degree, or for a variable that only ever
// is that, and which of the two it is.
func (b *bounds) degreeOf(x syntax.Expr) (string, *check.Object) {
	if o := b.variableOf(x); o != nil {
		d, ok := o.Decl.(*syntax.VarDecl)
		if !ok || d.Init == nil || b.changed[o] > 0 {
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
	return m.Name.Name, b.variableOf(m.X)
}

// variableOf returns the variable or parameter that x names, if nothing else can change
// it; nil otherwise.
func (b *bounds) variableOf(x syntax.Expr) *check.Object {
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
		if x := b.target(n); x != nil && b.variableOf(x) == o {
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
