package ssagen

import (
	"irgl/internal/check"
	"irgl/syntax"
)

// changedIn returns the variables that a function's body assigns to, or of which,
// or of a part of which, it takes the address. An array that decays to a pointer
// gives its address away, unless it is indexed at once.
func (g *fb) changedIn(body *syntax.Block) map[*check.Object]bool {
	changed := map[*check.Object]bool{}
	change := func(e syntax.Expr) {
		if o := g.variableOf(e); o != nil {
			changed[o] = true
		}
	}
	partly := map[syntax.Node]bool{} // of these only an element or member is used
	syntax.Inspect(body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.SizeofExpr, syntax.TypeExpr:
			return false // not evaluated
		case *syntax.UnaryExpr:
			if n.Op == "&" || n.Op == "++" || n.Op == "--" {
				change(n.X)
			}
		case *syntax.PostfixExpr:
			change(n.X)
		case *syntax.AssignExpr:
			change(n.L)
		case *syntax.AsmStmt:
			for _, o := range n.Outputs {
				change(o.X)
			}
		case *syntax.ParenExpr:
			partly[n.X] = partly[n]
		case *syntax.IndexExpr:
			partly[n.X] = true
		case *syntax.MemberExpr:
			partly[n.X] = true
		}
		switch n := n.(type) {
		case *syntax.Ident, *syntax.MemberExpr, *syntax.IndexExpr, *syntax.ParenExpr: // what variableOf looks into
			if e := n.(syntax.Expr); !partly[e] && isArray(g.info.Types[e]) {
				change(e)
			}
		}
		return true
	})
	return changed
}

// variableOf returns the variable that e is or is a part of; nil for what a pointer
// points to.
func (g *fb) variableOf(e syntax.Expr) *check.Object {
	for {
		switch x := syntax.Unparen(e).(type) {
		case *syntax.MemberExpr:
			if x.Arrow {
				return nil
			}
			e = x.X
		case *syntax.IndexExpr:
			if !isArray(g.info.Types[x.X]) {
				return nil
			}
			e = x.X
		case *syntax.Ident:
			return g.info.Uses[x]
		default:
			return nil
		}
	}
}
