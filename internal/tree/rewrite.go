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
func (r Rewriter) Rewrite(n syntax.Node) {
	w := rewriting{Rewriter: r}
	w.visitor = visitor{
		expr: func(p *syntax.Expr) {
			if w.in(*p) && w.Expr != nil {
				*p = w.Expr(*p)
			}
		},
		stmt: func(p *syntax.Stmt) {
			s := *p
			if !w.in(s) || w.Stmt == nil {
				return
			}
			switch list := w.Stmt(s); len(list) {
			case 0:
				*p = &syntax.EmptyStmt{Span: At(s)}
			case 1:
				*p = list[0]
			default:
				*p = Block(At(s), list...)
			}
		},
		typ:  func(p *syntax.TypeExpr) { w.in(*p) },
		list: func(p *[]syntax.Stmt) { *p = w.stmts(*p) },
		node: func(n syntax.Node) syntax.Node {
			w.in(n)
			return n
		},
	}
	w.in(n)
}

type rewriting struct {
	visitor
	Rewriter
}

// in rewrites what is in n, and reports whether n was entered.
func (w *rewriting) in(n syntax.Node) bool {
	if w.Enter != nil && !w.Enter(n) {
		return false
	}
	w.children(n)
	if w.Leave != nil {
		w.Leave(n)
	}
	return true
}

// stmts rewrites a list. The list is copied only if a statement becomes several.
func (w *rewriting) stmts(list []syntax.Stmt) []syntax.Stmt {
	out := list[:0:0]
	changed := false
	for i, s := range list {
		given := []syntax.Stmt{s}
		if w.in(s) && w.Stmt != nil {
			given = w.Stmt(s)
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
