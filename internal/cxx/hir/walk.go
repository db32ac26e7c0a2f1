package hir

// Walk calls f for a statement or expression and for all that it consists of: a node
// first, then its parts, in the order of evaluation but for two: the condition of a loop
// comes before its body, also of do, and the arguments of a call come in the order of its
// parameters, whatever RightFirst says. The initialisers of a VarStmt's variables are
// parts of it. The variable that a loop's condition declares comes in a VarStmt that is
// not in the tree.
//
//irgl:flatswitch
func Walk(n any, f func(any)) {
	if n == nil || n == any((*Block)(nil)) {
		return
	}
	f(n)
	expr := func(x Expr) { walkExpr(x, f) }
	stmt := func(s Stmt) {
		if s != nil {
			Walk(s, f)
		}
	}
	list := func(xs []Expr) {
		for _, x := range xs {
			expr(x)
		}
	}
	switch n := n.(type) {
	case *Block:
		for _, s := range n.Stmts {
			stmt(s)
		}
	case *VarStmt:
		for _, v := range n.Vars {
			expr(v.Init)
		}
	case *ExprStmt:
		expr(n.X)
	case *Init:
		expr(n.X)
		expr(n.Y)
	case *If:
		expr(n.Cond)
		stmt(n.Then)
		stmt(n.Else)
	case *Loop:
		if n.CondVar != nil {
			f(&VarStmt{Span: n.CondVar.Span, Vars: []*Var{n.CondVar}})
			expr(n.CondVar.Init)
		}
		expr(n.Cond)
		stmt(n.Body)
		expr(n.Post)
	case *Switch:
		expr(n.X)
		stmt(n.Body)
	case *Return:
		expr(n.X)
	case *Asm:
		for _, o := range n.Outputs {
			expr(o.X)
		}
		for _, o := range n.Inputs {
			expr(o.X)
		}
	case *Field:
		expr(n.X)
	case *FieldAt:
		expr(n.X)
		expr(n.Ptr)
	case *Deref:
		expr(n.X)
	case *AddrOf:
		expr(n.X)
	case *Unary:
		expr(n.X)
	case *Binary:
		expr(n.X)
		expr(n.Y)
	case *Assign:
		expr(n.Y)
		expr(n.X)
	case *IncDec:
		expr(n.X)
	case *Copy:
		expr(n.X)
		expr(n.To)
	case *Cond:
		expr(n.C)
		expr(n.X)
		expr(n.Y)
	case *Comma:
		expr(n.X)
		expr(n.Y)
	case *Convert:
		expr(n.X)
	case *Call:
		expr(n.Fun)
		expr(n.This)
		list(n.Args)
	case *Construct:
		list(n.Args)
	case *Aggregate:
		list(n.Bases)
		list(n.Fields)
		list(n.Elems)
		expr(n.Fill)
	case *Materialize:
		expr(n.X)
	case *New:
		expr(n.Count)
		expr(n.Place)
		if n.Alloc != nil {
			Walk(n.Alloc, f)
		}
		list(n.First)
		expr(n.Init)
		expr(n.Whole)
	case *Delete:
		expr(n.X)
	case *Launch:
		list(n.Config)
		list(n.Args)
	case *StmtExpr:
		for _, s := range n.Body {
			stmt(s)
		}
		expr(n.Value)
	}
}

// walkExpr is Walk for an expression, the commonest of which need no search among all kinds.
func walkExpr(x Expr, f func(any)) {
	for {
		switch y := x.(type) {
		case nil:
			return
		case *VarRef:
			f(y)
			return
		case *Convert:
			f(y)
			x = y.X
		default:
			Walk(x, f)
			return
		}
	}
}
