package gogen

import "irgl/syntax"

// walk calls f for n and all below it, and does not go below what f returns
// false for.
//
//irgl:flatswitch
func walk(n syntax.Node, f func(syntax.Node) bool) {
	if n == nil || !f(n) {
		return
	}
	each := func(list []syntax.Expr) {
		for _, x := range list {
			walkExpr(x, f)
		}
	}
	switch n := n.(type) {
	case *syntax.Block:
		for _, s := range n.Stmts {
			walk(s, f)
		}
	case *syntax.VarDecls:
		for _, v := range n.Vars {
			walkExpr(v.Init, f)
		}
	case *syntax.ExprStmt:
		walkExpr(n.X, f)
	case *syntax.IfStmt:
		walkExpr(n.Cond, f)
		walkStmt(n.Then, f)
		walkStmt(n.Else, f)
	case *syntax.ForStmt:
		walkStmt(n.Init, f)
		walkExpr(n.Cond, f)
		walkExpr(n.Post, f)
		walkStmt(n.Body, f)
	case *syntax.WhileStmt:
		walkExpr(n.Cond, f)
		walkStmt(n.Body, f)
	case *syntax.SwitchStmt:
		walkExpr(n.X, f)
		walk(n.Body, f)
	case *syntax.ReturnStmt:
		walkExpr(n.X, f)
	case *syntax.ForAllStmt:
		walkExpr(n.Iter, f)
		walk(n.Body, f)
	case *syntax.ReduceStmt:
		walkExpr(n.Value, f)
	case *syntax.IterateStmt:
		each(n.Args)
		if n.Initial != nil {
			each(n.Initial.Items)
		}
		if n.Body != nil {
			walk(n.Body, f)
		}
	case *syntax.PipeStmt:
		if n.Initial != nil {
			each(n.Initial.Items)
		}
		walk(n.Body, f)
	case *syntax.ParenExpr:
		walkExpr(n.X, f)
	case *syntax.UnaryExpr:
		walkExpr(n.X, f)
	case *syntax.PostfixExpr:
		walkExpr(n.X, f)
	case *syntax.BinaryExpr:
		walkExpr(n.X, f)
		walkExpr(n.Y, f)
	case *syntax.AssignExpr:
		walkExpr(n.L, f)
		walkExpr(n.R, f)
	case *syntax.CondExpr:
		walkExpr(n.Cond, f)
		walkExpr(n.Then, f)
		walkExpr(n.Else, f)
	case *syntax.CallExpr:
		walkExpr(n.Fun, f)
		each(n.Args)
	case *syntax.InvokeExpr:
		each(n.Args)
	case *syntax.IndexExpr:
		walkExpr(n.X, f)
		walkExpr(n.Index, f)
	case *syntax.MemberExpr:
		walkExpr(n.X, f)
	case *syntax.CastExpr:
		walkExpr(n.X, f)
	case *syntax.InitList:
		for _, el := range n.Elems {
			walkExpr(el.Value, f)
		}
	case *syntax.CompoundLit:
		walk(n.Init, f)
	}
}

// walkExpr and walkStmt walk a part that may be missing.
func walkExpr(x syntax.Expr, f func(syntax.Node) bool) {
	if x != nil {
		walk(x, f)
	}
}

func walkStmt(s syntax.Stmt, f func(syntax.Node) bool) {
	if s != nil {
		walk(s, f)
	}
}

// contains reports whether ok holds for n or something below it.
func contains(n syntax.Node, ok func(syntax.Node) bool) bool {
	found := false
	walk(n, func(n syntax.Node) bool {
		found = found || ok(n)
		return !found
	})
	return found
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
