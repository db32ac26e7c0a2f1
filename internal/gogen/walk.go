package gogen

import "irgl/syntax"

// contains reports whether ok holds for n or something below it.
func contains(n syntax.Node, ok func(syntax.Node) bool) bool {
	for c := range syntax.Preorder(n) {
		if ok(c) {
			return true
		}
	}
	return false
}

// unparen returns x without the parentheses around it.
func unparen(x syntax.Expr) syntax.Expr {
	for {
		p, ok := x.(*syntax.ParenExpr)
		if !ok {
			return x
		}
		x = p.X
	}
}
