package lower

import (
	"fmt"
	"slices"

	"irgl/internal/analysis"
	"irgl/syntax"
)

// block lowers a block into a new one.
func (l *lowerer) block(b *syntax.Block) *syntax.Block {
	out := &syntax.Block{Span: b.Span}
	for _, s := range b.Stmts {
		out.Stmts = append(out.Stmts, l.declares(s)...)
		if s := l.stmt(s); s != nil {
			out.Stmts = append(out.Stmts, s)
		}
		out.Stmts = append(out.Stmts, l.roomAfter(s)...)
	}
	return out
}

// declares returns the declarations that must precede s: a first
// assignment of several names, a = b = 1, declares all but the first here.
func (l *lowerer) declares(s syntax.Stmt) []syntax.Stmt {
	before := l.barrierBefore(s)
	if f, ok := s.(*syntax.ForStmt); ok {
		s = f.Init
	}
	x, ok := s.(*syntax.ExprStmt)
	if !ok {
		return before
	}
	out := before
	a, ok := x.X.(*syntax.AssignExpr)
	for ok {
		if a, ok = a.R.(*syntax.AssignExpr); ok {
			if obj := l.info.Declares[a]; obj != nil && !l.isHoisted(obj) {
				out = append(out, variable(at(a), l.typeName(at(a.L), obj.Type), nameOf(obj), nil))
			}
		}
	}
	return out
}

// arm returns an arm of an if, in a control kernel with the barrier at its end.
func (l *lowerer) arm(s *syntax.IfStmt, arm analysis.Arm) syntax.Stmt {
	body := s.Then
	if arm == analysis.Else {
		body = s.Else
	}
	out := l.body(body)
	if !l.region.byGrid() || !slices.Contains(l.region.Ends, analysis.End{If: s, Arm: arm}) {
		return out
	}
	b, ok := out.(*syntax.Block)
	if !ok {
		b = block(at(body), out)
	}
	b.Stmts = append(b.Stmts, l.regionBarrier(at(body)))
	return b
}

// selected lowers the branch for GPUs of an if whose condition is the device.
func (l *lowerer) selected(s *syntax.IfStmt) syntax.Stmt {
	arm := analysis.Then
	if l.info.Consts[s.Cond].Int == 0 {
		arm = analysis.Else
	}
	return l.arm(s, arm)
}

// stmt returns the lowered form of s.
func (l *lowerer) stmt(s syntax.Stmt) syntax.Stmt {
	if s == nil {
		return nil
	}
	if r := l.regions[s]; r != nil && l.host {
		return l.launchRegion(r)
	}
	out := l.oneStmt(s)
	if l.region.byGrid() && l.region.single[s] {
		return l.byOne(at(s), out)
	}
	return out
}

// oneStmt is stmt without regard to outlining.
//
//irgl:flatswitch
//irgl:allnodes Stmt except ExclusiveStmt AsmStmt
func (l *lowerer) oneStmt(s syntax.Stmt) syntax.Stmt {
	switch s := s.(type) {
	case *syntax.Block:
		return l.block(s)
	case *syntax.VarDecls:
		return l.varDecls(s)
	case *syntax.ExprStmt:
		return l.exprStmt(s)
	case *syntax.IfStmt:
		if l.info.SelectsCode(s) {
			return l.selected(s)
		}
		return &syntax.IfStmt{Span: s.Span, Cond: l.expr(s.Cond), Then: l.arm(s, analysis.Then), Else: l.arm(s, analysis.Else)}
	case *syntax.ForStmt:
		return l.forStmt(s)
	case *syntax.WhileStmt:
		return &syntax.WhileStmt{Span: s.Span, Do: s.Do, Cond: l.meeting(s, l.expr(s.Cond)), Body: l.loopBody(s.Body)}
	case *syntax.SwitchStmt:
		return &syntax.SwitchStmt{Span: s.Span, X: l.expr(s.X), Body: l.block(s.Body)}
	case *syntax.TypeDecl:
		if t := l.typeDecl(s); t != nil {
			return t
		}
		return nil
	case *syntax.CaseStmt:
		return &syntax.CaseStmt{Span: s.Span, Value: l.expr(s.Value)}
	case *syntax.ReturnStmt:
		return l.returnStmt(s)
	case *syntax.ForAllStmt:
		out := l.forAll(s)
		placeAt(s.Iter, out)
		return out
	case *syntax.ReduceStmt:
		return l.reduce(s)
	case *syntax.AtomicStmt:
		return l.atomicStmt(s)
	case *syntax.BarrierStmt:
		return l.barrier(s)
	case *syntax.CBlock:
		return l.passedOn(s)
	case *syntax.RetryStmt:
		return l.retryStmt(s)
	case *syntax.IterateStmt:
		return l.iterate(s)
	case *syntax.PipeStmt:
		return l.pipeStmt(s)
	case *syntax.LabelStmt:
		return &syntax.LabelStmt{Span: s.Span, Name: ident(s.Name.Span, localName(s.Name.Name))}
	case *syntax.GotoStmt:
		return &syntax.GotoStmt{Span: s.Span, Name: ident(s.Name.Span, localName(s.Name.Name))}
	case *syntax.ContinueStmt:
		if n := len(l.loops); n > 0 && (l.loops[n-1].active != "" || l.loops[n-1].copied) {
			return block(s.Span, l.nextIteration(s.Span, n-1)...)
		}
		return s
	case *syntax.EmptyStmt, *syntax.BreakStmt:
		return s
	}
	panic(fmt.Sprintf("lower: unexpected statement %T", s))
}

// body lowers a statement that is no element of a list, with what it declares.
func (l *lowerer) body(s syntax.Stmt) syntax.Stmt {
	if s == nil {
		return nil
	}
	list := l.declares(s)
	out, after := l.stmt(s), l.roomAfter(s)
	switch {
	case out == nil:
		return &syntax.EmptyStmt{Span: at(s)}
	case list == nil && after == nil:
		return out
	}
	return block(at(s), append(append(list, out), after...)...)
}

// loopBody lowers the body of a C loop.
func (l *lowerer) loopBody(s syntax.Stmt) syntax.Stmt {
	l.loops = append(l.loops, &loop{})
	out := l.body(s)
	l.loops = l.loops[:len(l.loops)-1]
	return out
}

func (l *lowerer) varDecls(d *syntax.VarDecls) *syntax.VarDecls {
	if d.Attrs.Has(syntax.Shared) {
		return l.cacheDecls(d)
	}
	out := &syntax.VarDecls{Span: d.Span, Attrs: d.Attrs, Align: l.expr(d.Align)}
	for _, v := range d.Vars {
		out.Vars = append(out.Vars, &syntax.VarDecl{Span: v.Span, Type: l.typeExpr(v.Type), Name: ident(at(v.Name), localName(v.Name.Name)), Init: l.expr(v.Init)})
	}
	return out
}

// exprStmt lowers an expression statement. A first assignment becomes a
// declaration.
func (l *lowerer) exprStmt(s *syntax.ExprStmt) syntax.Stmt {
	if a, ok := s.X.(*syntax.AssignExpr); ok {
		if obj := l.info.Declares[a]; obj != nil && !l.isHoisted(obj) {
			return variable(s.Span, l.typeName(at(a.L), obj.Type), nameOf(obj), l.expr(a.R))
		}
	}
	if x := l.pushOf(s); x != nil {
		if later := l.deferPush(s.Span, x, x.Args[0]); later != nil {
			return later
		}
	}
	if tally := l.tallyStmt(s); tally != nil {
		return tally
	}
	if plain := l.plainAtomic(s); plain != nil {
		return plain
	}
	x := l.expr(s.X)
	if _, call := syntax.Unparen(s.X).(*syntax.CallExpr); call {
		// The value of an atomic function need not be cast.
		if c, ok := syntax.Unparen(x).(*syntax.CastExpr); ok {
			x = syntax.Unparen(c.X)
		}
	}
	return &syntax.ExprStmt{Span: s.Span, X: x}
}

// returnStmt lowers a return; inside pipes their worklists are given back
// first.
func (l *lowerer) returnStmt(s *syntax.ReturnStmt) syntax.Stmt {
	if l.region != nil {
		return l.leaving(s.Span)
	}
	out := &syntax.ReturnStmt{Span: s.Span, X: l.expr(s.X)}
	if len(l.contexts) == 0 {
		return out
	}
	b := block(s.Span)
	for i := len(l.contexts) - 1; i >= 0; i-- {
		b.Stmts = append(b.Stmts, l.closing(s.Span, l.contexts[i]))
	}
	b.Stmts = append(b.Stmts, out)
	return b
}
