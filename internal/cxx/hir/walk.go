package hir

// Walk calls f for a statement or expression and for all that it consists of: a node
// first, then its parts, in the order of evaluation but for two: the condition of a loop
// comes before its body, also of do, and the arguments of a call come in the order of its
// parameters, whatever RightFirst says. The initialisers of a VarStmt's variables are
// parts of it. The variable that a loop's condition declares comes in a VarStmt that is
// not in the tree.
func Walk(n any, f func(any)) {
	w := &walker{f: f}
	w.expr, w.stmt = w.visitExpr, w.visitStmt
	switch n := n.(type) {
	case Expr:
		w.expr(n)
	case Stmt:
		w.stmt(n)
	}
}

// A walker calls f for what it visits. Its methods are bound once, for [Parts].
type walker struct {
	f    func(any)
	expr func(Expr)
	stmt func(Stmt)
}

func (w *walker) visitExpr(x Expr) {
	w.f(x)
	Parts(x, w.expr, w.stmt)
}

func (w *walker) visitStmt(s Stmt) {
	if s == Stmt((*Block)(nil)) {
		return
	}
	w.f(s)
	Parts(s, w.expr, w.stmt)
}

// Parts calls expr and stmt for the expressions and statements that n consists of directly, in the order
// of [Walk], without nil ones.
//
//irgl:flatswitch
func Parts(n any, expr func(Expr), stmt func(Stmt)) {
	one := func(x Expr) {
		if x != nil {
			expr(x)
		}
	}
	list := func(xs []Expr) {
		for _, x := range xs {
			one(x)
		}
	}
	switch n := n.(type) {
	case *Convert:
		one(n.X)
	case *Block:
		if n != nil {
			for _, s := range n.Stmts {
				stmtOf(s, stmt)
			}
		}
	case *VarStmt:
		for _, v := range n.Vars {
			one(v.Init)
		}
	case *ExprStmt:
		one(n.X)
	case *Init:
		one(n.X)
		one(n.Y)
	case *If:
		one(n.Cond)
		stmtOf(n.Then, stmt)
		stmtOf(n.Else, stmt)
	case *Loop:
		if n.CondVar != nil {
			stmt(&VarStmt{Span: n.CondVar.Span, Vars: []*Var{n.CondVar}})
		}
		one(n.Cond)
		stmtOf(n.Body, stmt)
		one(n.Post)
	case *Switch:
		one(n.X)
		stmtOf(n.Body, stmt)
	case *Return:
		one(n.X)
	case *Asm:
		for _, o := range n.Outputs {
			one(o.X)
		}
		for _, o := range n.Inputs {
			one(o.X)
		}
	case *Field:
		one(n.X)
	case *FieldAt:
		one(n.X)
		one(n.Ptr)
	case *Deref:
		one(n.X)
	case *AddrOf:
		one(n.X)
	case *Unary:
		one(n.X)
	case *Binary:
		one(n.X)
		one(n.Y)
	case *Assign:
		one(n.Y)
		one(n.X)
	case *IncDec:
		one(n.X)
	case *Copy:
		one(n.X)
		one(n.To)
	case *Cond:
		one(n.C)
		one(n.X)
		one(n.Y)
	case *Comma:
		one(n.X)
		one(n.Y)
	case *Call:
		one(n.Fun)
		one(n.This)
		list(n.Args)
	case *Construct:
		list(n.Args)
	case *Aggregate:
		list(n.Bases)
		list(n.Fields)
		list(n.Elems)
		one(n.Fill)
	case *Materialize:
		one(n.X)
	case *New:
		one(n.Count)
		one(n.Place)
		if n.Alloc != nil {
			expr(n.Alloc)
		}
		list(n.First)
		one(n.Init)
		one(n.Whole)
	case *Delete:
		one(n.X)
	case *Launch:
		list(n.Config)
		list(n.Args)
	case *StmtExpr:
		for _, s := range n.Body {
			stmtOf(s, stmt)
		}
		one(n.Value)
	}
}

func stmtOf(s Stmt, f func(Stmt)) {
	if s != nil {
		f(s)
	}
}
