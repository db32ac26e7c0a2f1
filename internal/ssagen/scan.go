package ssagen

import (
	"irgl/internal/check"
	"irgl/syntax"
)

// usage is the result of a scan of a function's body: how its variables are used.
type usage struct {
	// changed holds the variables that are assigned to or whose address, or that
	// of a part of them, is taken.
	changed map[*check.Object]bool
}

// scan walks a function's body.
func (g *fb) scan(body *syntax.Block) *usage {
	u := &usage{changed: map[*check.Object]bool{}}
	w := &scanner{g: g, u: u}
	w.stmt(body)
	return u
}

type scanner struct {
	g *fb
	u *usage
}

// change marks the variable that e is a part of as changed.
func (w *scanner) change(e syntax.Expr) {
	for {
		switch x := e.(type) {
		case *syntax.ParenExpr:
			e = x.X
			continue
		case *syntax.MemberExpr:
			if !x.Arrow {
				e = x.X
				continue
			}
		case *syntax.IndexExpr:
			if _, ok := w.g.info.Types[x.X].(*check.Array); ok {
				e = x.X
				continue
			}
		case *syntax.Ident:
			if o := w.g.info.Uses[x]; o != nil {
				w.u.changed[o] = true
			}
		}
		return
	}
}

// stmt walks the expressions of a statement; declarations without effect and
// jumps have none.
func (w *scanner) stmt(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.Block:
		if s == nil {
			return
		}
		for _, t := range s.Stmts {
			w.stmt(t)
		}
	case *syntax.VarDecls:
		for _, d := range s.Vars {
			w.expr(d.Init)
		}
	case *syntax.ExprStmt:
		w.expr(s.X)
	case *syntax.IfStmt:
		w.expr(s.Cond)
		w.stmt(s.Then)
		w.stmt(s.Else)
	case *syntax.ForStmt:
		w.stmt(s.Init)
		w.expr(s.Cond)
		w.expr(s.Post)
		w.stmt(s.Body)
	case *syntax.WhileStmt:
		w.expr(s.Cond)
		w.stmt(s.Body)
	case *syntax.SwitchStmt:
		w.expr(s.X)
		w.stmt(s.Body)
	case *syntax.ReturnStmt:
		w.expr(s.X)
	}
}

// exprs walks the expressions of a list.
func (w *scanner) exprs(list []syntax.Expr) {
	for _, e := range list {
		w.expr(e)
	}
}

// expr visits an expression; an array that decays to a pointer counts as
// changed, unless it is indexed immediately.
func (w *scanner) expr(e syntax.Expr) {
	if e == nil {
		return
	}
	switch e := e.(type) {
	case *syntax.Ident:
		w.decays(e)
	case *syntax.ParenExpr:
		w.decays(e)
		w.expr(e.X)
	case *syntax.UnaryExpr:
		if e.Op == "&" || e.Op == "++" || e.Op == "--" {
			w.change(e.X)
		}
		w.expr(e.X)
	case *syntax.PostfixExpr:
		w.change(e.X)
		w.expr(e.X)
	case *syntax.BinaryExpr:
		w.expr(e.X)
		w.expr(e.Y)
	case *syntax.AssignExpr:
		w.change(e.L)
		w.expr(e.L)
		w.expr(e.R)
	case *syntax.CondExpr:
		w.expr(e.Cond)
		w.expr(e.Then)
		w.expr(e.Else)
	case *syntax.CallExpr:
		w.exprs(e.Args)
	case *syntax.IndexExpr:
		w.decays(e)
		w.indexed(e.X)
		w.expr(e.Index)
	case *syntax.MemberExpr:
		w.decays(e)
		w.indexed(e.X)
	case *syntax.CastExpr:
		w.expr(e.X)
	case *syntax.CompoundLit:
		w.expr(e.Init)
	case *syntax.InitList:
		if e == nil {
			return
		}
		for _, el := range e.Elems {
			w.expr(el.Value)
		}
	}
}

// decays marks the variable that e is a part of if e is an array.
func (w *scanner) decays(e syntax.Expr) {
	if _, ok := w.g.info.Types[e].(*check.Array); ok {
		w.change(e)
	}
}

// indexed visits an expression of which only an element or member is read.
func (w *scanner) indexed(e syntax.Expr) {
	switch x := e.(type) {
	case *syntax.ParenExpr:
		w.indexed(x.X)
	case *syntax.MemberExpr:
		w.indexed(x.X)
	case *syntax.IndexExpr:
		w.indexed(x.X)
		w.expr(x.Index)
	case *syntax.Ident:
	default:
		w.expr(e)
	}
}
