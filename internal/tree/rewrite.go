package tree

import "irgl/syntax"

// A Rewriter replaces nodes of a tree in place. Functions that are nil do nothing.
type Rewriter struct {
	// Enter is called with each node before its children; false leaves the node and
	// what is in it as it is.
	Enter func(n syntax.Node) bool
	// Expr is called with each expression whose place takes any expression, after
	// its children, and returns what stands there from then on. Names that are
	// declared, members and labels are no such expressions.
	Expr func(x syntax.Expr) syntax.Expr
	// Stmt is called with each statement of a list, and each one that is an arm of
	// an if or the body of a loop, after its children. It returns the statements
	// that replace it: in a list any number; elsewhere several become a block, and
	// none an empty statement.
	Stmt func(s syntax.Stmt) []syntax.Stmt
	// Leave is called with each node that was entered, before Expr and Stmt.
	Leave func(n syntax.Node)
}

// Rewrite rewrites n and all nodes in it. n itself stays; if it is an expression,
// Expr is not called with it.
func (r Rewriter) Rewrite(n syntax.Node) { (&rewriting{r}).in(n) }

// A rewriting visits the nodes that a Rewriter changes.
type rewriting struct{ r Rewriter }

// in rewrites what is in n, and reports whether n was entered.
func (w *rewriting) in(n syntax.Node) bool {
	if w.r.Enter != nil && !w.r.Enter(n) {
		return false
	}
	syntax.Visit(n, w)
	if w.r.Leave != nil {
		w.r.Leave(n)
	}
	return true
}

func (w *rewriting) Expr(place *syntax.Expr) {
	if w.in(*place) && w.r.Expr != nil {
		*place = w.r.Expr(*place)
	}
}

func (w *rewriting) Stmt(place *syntax.Stmt) {
	s := *place
	if !w.in(s) || w.r.Stmt == nil {
		return
	}
	switch list := w.r.Stmt(s); len(list) {
	case 0:
		*place = &syntax.EmptyStmt{Span: At(s)}
	case 1:
		*place = list[0]
	default:
		*place = Block(At(s), list...)
	}
}

func (w *rewriting) Type(place *syntax.TypeExpr) { w.in(*place) }

func (w *rewriting) Stmts(list *[]syntax.Stmt) { *list = w.stmts(*list) }

func (w *rewriting) Node(n syntax.Node) syntax.Node {
	w.in(n)
	return n
}

// stmts rewrites a list. The list is copied only if a statement becomes several.
func (w *rewriting) stmts(list []syntax.Stmt) []syntax.Stmt {
	out := list[:0:0]
	changed := false
	for i, s := range list {
		given := []syntax.Stmt{s}
		if w.in(s) && w.r.Stmt != nil {
			given = w.r.Stmt(s)
		}
		if !changed && (len(given) != 1 || given[0] != s) {
			changed = true
			out = append(out, list[:i]...)
		}
		if changed {
			out = append(out, given...)
		}
	}
	if !changed {
		return list
	}
	return out
}
