package lower

import (
	"fmt"

	"irgl/internal/check"
	"irgl/syntax"
)

// block lowers a block into a new one.
func (l *lowerer) block(b *syntax.Block) *syntax.Block {
	out := &syntax.Block{Span: b.Span}
	for _, s := range b.Stmts {
		out.Stmts = append(out.Stmts, l.stmt(s))
	}
	return out
}

// stmt returns the lowered form of s.
//
//irgl:flatswitch
func (l *lowerer) stmt(s syntax.Stmt) syntax.Stmt {
	switch s := s.(type) {
	case nil:
		return nil
	case *syntax.Block:
		return l.block(s)
	case *syntax.VarDecls:
		return l.varDecls(s)
	case *syntax.ExprStmt:
		return l.exprStmt(s)
	case *syntax.IfStmt:
		return &syntax.IfStmt{Span: s.Span, Cond: l.value(s.Cond), Then: l.stmt(s.Then), Else: l.stmt(s.Else)}
	case *syntax.ForStmt:
		out := &syntax.ForStmt{Span: s.Span, Init: l.stmt(s.Init), Unroll: s.Unroll}
		out.Cond, out.Post = l.expr(s.Cond), l.expr(s.Post)
		out.Body = l.loopBody(s.Body)
		return out
	case *syntax.WhileStmt:
		return &syntax.WhileStmt{Span: s.Span, Do: s.Do, Cond: l.value(s.Cond), Body: l.loopBody(s.Body)}
	case *syntax.SwitchStmt:
		return &syntax.SwitchStmt{Span: s.Span, X: l.value(s.X), Body: l.block(s.Body)}
	case *syntax.CaseStmt:
		return &syntax.CaseStmt{Span: s.Span, Value: l.expr(s.Value)}
	case *syntax.ReturnStmt:
		return l.returnStmt(s)
	case *syntax.ForAllStmt:
		return l.forAll(s)
	case *syntax.ReduceStmt:
		return l.reduce(s)
	case *syntax.IterateStmt:
		return l.iterate(s)
	case *syntax.PipeStmt:
		return l.pipeStmt(s)
	case *syntax.EmptyStmt, *syntax.BreakStmt, *syntax.ContinueStmt, *syntax.LabelStmt, *syntax.GotoStmt:
		return s
	}
	panic(fmt.Sprintf("lower: unexpected statement %T", s))
}

// loopBody lowers the body of a C loop.
func (l *lowerer) loopBody(s syntax.Stmt) syntax.Stmt {
	l.loops = append(l.loops, &loop{})
	out := l.stmt(s)
	l.loops = l.loops[:len(l.loops)-1]
	return out
}

func (l *lowerer) varDecls(d *syntax.VarDecls) *syntax.VarDecls {
	out := &syntax.VarDecls{Span: d.Span, Attrs: d.Attrs}
	for _, v := range d.Vars {
		nv := &syntax.VarDecl{Span: v.Span, Type: l.typeExpr(v.Type), Name: ident(at(v.Name), CName(v.Name.Name))}
		if v.Init != nil {
			nv.Init = l.expr(v.Init)
			if obj := l.info.Defs[v.Name]; obj != nil && obj.Type != check.Edge {
				if _, list := v.Init.(*syntax.InitList); !list {
					nv.Init = l.converted(v.Init, nv.Init)
				}
			}
		}
		out.Vars = append(out.Vars, nv)
	}
	return out
}

// converted returns lowered with an edge handle made the integer it counts as.
func (l *lowerer) converted(x, lowered syntax.Expr) syntax.Expr {
	if l.info.Types[x] == check.Edge {
		return cast(at(x), basic(at(x), "long"), lowered)
	}
	return lowered
}

// exprStmt lowers an expression statement. A first assignment becomes a
// declaration.
func (l *lowerer) exprStmt(s *syntax.ExprStmt) syntax.Stmt {
	if a, ok := s.X.(*syntax.AssignExpr); ok {
		if obj := l.info.Declares[a]; obj != nil {
			init := l.expr(a.R)
			if obj.Type != check.Edge {
				init = l.converted(a.R, init)
			}
			return variable(s.Span, typeName(at(a.L), obj.Type), CName(obj.Name), init)
		}
	}
	return &syntax.ExprStmt{Span: s.Span, X: l.expr(s.X)}
}

// returnStmt lowers a return; inside a pipe the worklists are given back first.
func (l *lowerer) returnStmt(s *syntax.ReturnStmt) syntax.Stmt {
	out := &syntax.ReturnStmt{Span: s.Span, X: l.expr(s.X)}
	if s.X != nil {
		out.X = l.value(s.X)
	}
	if l.pipe == "" {
		return out
	}
	return block(s.Span, stmt(call(s.Span, "irgl_pipe_close", addr(ident(s.Span, l.pipe)))), out)
}
