package lower

import (
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
	"irgl/internal/tree"
	"irgl/syntax"
)

// maxCases bounds a range of cases.
const maxCases = 1024

// emit appends a statement to the block being lowered.
func (l *lowerer) emit(s syntax.Stmt) { *l.fn.stmts = append(*l.fn.stmts, s) }

// collect runs f with a list of its own for the statements that it emits.
func (l *lowerer) collect(f func()) []syntax.Stmt {
	outer := l.fn.stmts
	var list []syntax.Stmt
	l.fn.stmts = &list
	f()
	l.fn.stmts = outer
	return list
}

// block lowers a block and the destructors at its end.
func (l *lowerer) block(b *hir.Block) *syntax.Block {
	return &syntax.Block{Span: at(b), Stmts: l.collect(func() { l.scope(b, func() { l.list(b) }) })}
}

// scope runs f in a scope, and destroys what was declared in it.
func (l *lowerer) scope(b *hir.Block, f func()) {
	l.fn.push(b)
	f()
	if stmts := *l.fn.stmts; len(stmts) == 0 || !isJump(stmts[len(stmts)-1]) {
		l.unwind(len(l.fn.scopes) - 1)
	}
	l.fn.pop()
}

// list lowers the statements of a block.
func (l *lowerer) list(b *hir.Block) {
	s := l.fn.top()
	for i, x := range b.Stmts {
		s.index = i
		l.stmt(x)
	}
	if n := len(*l.fn.stmts); n > 0 {
		switch (*l.fn.stmts)[n-1].(type) {
		case *syntax.LabelStmt, *syntax.CaseStmt:
			l.emit(&syntax.EmptyStmt{Span: at(b)})
		}
	}
}

// isJump reports whether control does not reach what follows s.
func isJump(s syntax.Stmt) bool {
	switch s.(type) {
	case *syntax.ReturnStmt, *syntax.BreakStmt, *syntax.ContinueStmt, *syntax.GotoStmt:
		return true
	}
	return false
}

// asBlock lowers the statement of a loop or condition, in braces.
func (l *lowerer) asBlock(s hir.Stmt) *syntax.Block {
	if b, ok := s.(*hir.Block); ok {
		return l.block(b)
	}
	return l.block(&hir.Block{Span: spanOf(s), Stmts: []hir.Stmt{s}})
}

// stmt lowers one statement.
func (l *lowerer) stmt(s hir.Stmt) {
	switch s := s.(type) {
	case *hir.Block:
		l.nested(s)
	case *hir.VarStmt:
		for _, v := range s.Vars {
			l.variable(v)
		}
	case *hir.ExprStmt:
		l.exprStmt(s)
	case *hir.Init:
		l.initMember(s)
	case *hir.If:
		l.ifStmt(s)
	case *hir.Loop:
		l.loop(s)
	case *hir.Switch:
		x := l.conditionOf(s.X)
		l.fn.breaks = append(l.fn.breaks, len(l.fn.scopes))
		body := l.asBlock(s.Body)
		l.fn.breaks = l.fn.breaks[:len(l.fn.breaks)-1]
		l.emit(&syntax.SwitchStmt{Span: at(s), X: x, Body: body})
	case *hir.Case:
		l.caseLabel(s)
	case *hir.Return:
		l.returnStmt(s)
	case *hir.Break:
		l.unwind(l.fn.breaks[len(l.fn.breaks)-1])
		l.emit(&syntax.BreakStmt{Span: at(s)})
	case *hir.Continue:
		l.unwind(l.fn.conts[len(l.fn.conts)-1])
		l.emit(&syntax.ContinueStmt{Span: at(s)})
	case *hir.Label:
		l.emit(&syntax.LabelStmt{Span: at(s), Name: tree.Ident(at(s), s.Name)})
	case *hir.Goto:
		l.gotoStmt(s)
	case *hir.Asm:
		l.asm(s)
	default:
		l.missing(s, "this statement")
	}
}

// nested lowers a block inside of a block. The block around a for statement becomes
// the for's first part.
func (l *lowerer) nested(b *hir.Block) {
	out := l.block(b)
	if len(out.Stmts) == 2 && len(b.Stmts) == 2 {
		if f, ok := out.Stmts[1].(*syntax.ForStmt); ok && f.Init == nil {
			switch init := out.Stmts[0].(type) {
			case *syntax.ExprStmt:
				f.Init = init
			case *syntax.VarDecls:
				if init.Attrs == 0 && init.Align == nil {
					f.Init = init
				}
			}
			if f.Init != nil {
				f.Span = out.Span
				l.emit(f)
				return
			}
		}
	}
	l.emit(out)
}

// exprStmt lowers a full expression for its effects.
func (l *lowerer) exprStmt(s *hir.ExprStmt) {
	if x, ok := discarded(s.X).(*hir.StmtExpr); ok {
		l.nested(withValue(x))
		return
	}
	l.fullExpr(func() {
		for _, x := range l.effects(s.X) {
			l.emit(&syntax.ExprStmt{Span: at(s), X: x})
		}
	})
}

// withValue returns the statements of a statement expression, the last expression for
// its effects.
func withValue(x *hir.StmtExpr) *hir.Block {
	b := &hir.Block{Span: x.Span, Stmts: x.Body}
	if x.Value != nil {
		b.Stmts = append(b.Stmts[:len(b.Stmts):len(b.Stmts)], &hir.ExprStmt{Span: spanOf(x.Value), X: x.Value})
	}
	return b
}

// initMember lowers a member initialiser.
func (l *lowerer) initMember(s *hir.Init) {
	l.fullExpr(func() {
		if f, ok := s.X.(*hir.Field); ok && f.Field.Type.IsRef() {
			l.emit(tree.Do(tree.Assign(l.fieldPlace(f)(), "=", l.addr(s.Y))))
			return
		}
		if f, ok := s.X.(*hir.Field); ok && f.Field.Width >= 0 {
			v, first := l.early(f, s.Y)
			for _, x := range first {
				l.emit(tree.Do(x))
			}
			l.emit(tree.Do(l.initBits(at(s), l.place(f.X)(), f.Field.Class, f.Field, v)))
			return
		}
		if v, ok := s.X.(*hir.VarRef); ok {
			if sp := at(s); v.Var.Type.IsRef() {
				l.emit(tree.Do(tree.Assign(tree.Ident(sp, l.global(v.Var)), "=", l.addr(s.Y))))
				return
			}
		}
		l.initStmts(l.place(s.X), s.X.Type(), s.Y)
	})
}

// conditionOf returns the condition of an if or switch: statements in it are in front.
func (l *lowerer) conditionOf(e hir.Expr) syntax.Expr {
	if !hasStmts(e) {
		return l.fullValue(e)
	}
	name := l.temporary(at(e), e.Type())
	l.fullExpr(func() { l.emit(tree.Do(tree.Assign(tree.Ident(at(e), name), "=", l.value(e)))) })
	return tree.Ident(at(e), name)
}

// ifStmt lowers if.
func (l *lowerer) ifStmt(s *hir.If) {
	cond := l.conditionOf(s.Cond)
	out := &syntax.IfStmt{Span: at(s), Cond: cond, Then: l.asBlock(s.Then)}
	if s.Else != nil {
		var other syntax.Stmt = l.asBlock(s.Else)
		if b := other.(*syntax.Block); len(b.Stmts) == 1 {
			if f, ok := b.Stmts[0].(*syntax.IfStmt); ok {
				other = f
			}
		}
		out.Else = other
	}
	l.emit(out)
}

// loop lowers for, while and do.
func (l *lowerer) loop(s *hir.Loop) {
	sp := at(s)
	depth := len(l.fn.scopes)
	l.fn.breaks, l.fn.conts = append(l.fn.breaks, depth), append(l.fn.conts, depth)
	defer func() {
		l.fn.breaks, l.fn.conts = l.fn.breaks[:len(l.fn.breaks)-1], l.fn.conts[:len(l.fn.conts)-1]
	}()
	var cond, post syntax.Expr
	if s.Post != nil {
		post = l.fullEffect(s.Post)
	}
	first := s.CondVar != nil || s.Cond != nil && hasStmts(s.Cond) // the condition is a statement in the body
	if s.Cond != nil && !first {
		cond = l.fullValue(s.Cond)
	}
	if !first && post == nil && (s.Do || s.Unroll == 0) && s.Cond != nil {
		l.emit(&syntax.WhileStmt{Span: sp, Do: s.Do, Cond: cond, Body: l.asBlock(s.Body)})
		return
	}
	f := &syntax.ForStmt{Span: sp, Cond: cond, Post: post, Unroll: s.Unroll, Pragma: sp}
	if !first {
		f.Body = l.asBlock(s.Body)
		l.emit(f)
		return
	}
	if s.Do {
		l.errorf(s.Cond, codeStmt, "a statement expression is not supported here in device code").Hint = "move its statements into the loop"
		return
	}
	body := &hir.Block{Span: spanOf(s.Body)}
	f.Body = &syntax.Block{Span: at(s.Body), Stmts: l.collect(func() {
		l.scope(body, func() {
			if s.CondVar != nil {
				l.variable(s.CondVar)
			}
			l.leaveUnless(s.Cond, depth)
			l.emit(l.asBlock(s.Body))
		})
	})}
	l.emit(f)
}

// leaveUnless leaves the loop in the scopes from depth on unless a condition holds.
func (l *lowerer) leaveUnless(cond hir.Expr, depth int) {
	sp := at(cond)
	var c syntax.Expr
	leave := func() []syntax.Stmt {
		return l.collect(func() {
			l.unwind(depth)
			l.emit(&syntax.BreakStmt{Span: sp})
		})
	}
	if !hasStmts(cond) {
		c = l.fullValue(cond)
	} else {
		name := l.temporary(sp, cond.Type())
		l.fullExpr(func() { l.emit(tree.Do(tree.Assign(tree.Ident(sp, name), "=", l.value(cond)))) })
		c = tree.Ident(sp, name)
	}
	l.emit(&syntax.IfStmt{Span: sp, Cond: not(c), Then: tree.Block(sp, leave()...)})
}

// not returns !x.
func not(x syntax.Expr) syntax.Expr { return &syntax.UnaryExpr{Span: tree.At(x), Op: "!", X: x} }

// caseLabel lowers a case: a range is a label for each value.
func (l *lowerer) caseLabel(s *hir.Case) {
	if s.Default {
		l.emit(&syntax.CaseStmt{Span: at(s)})
		return
	}
	if n := s.To - s.From; n < 0 || n >= maxCases {
		l.errorf(s, codeCase, "a range of more than %d cases is not supported in device code", maxCases)
		return
	}
	for v := s.From; ; v++ {
		l.emit(&syntax.CaseStmt{Span: at(s), Value: caseValue(at(s), v)})
		if v == s.To {
			return
		}
	}
}

// caseValue returns the value of a case: an int where it is one, as the switch converts it.
func caseValue(sp syntax.Span, v int64) syntax.Expr {
	if v == int64(int32(v)) {
		return integer(sp, uint64(v), types.Int)
	}
	return integer(sp, uint64(v), types.Long)
}

// gotoStmt destroys the variables whose scope the jump leaves.
func (l *lowerer) gotoStmt(s *hir.Goto) {
	path := l.fn.labels[s.Name]
	for i := len(l.fn.scopes) - 1; i >= 0; i-- {
		sc := l.fn.scopes[i]
		to := labelIn(path, sc.block)
		for j := len(sc.cleanups) - 1; j >= 0; j-- {
			if to < 0 || sc.cleanups[j].index > to {
				l.destroy(sc.cleanups[j])
			}
		}
		if to >= 0 {
			break
		}
	}
	l.emit(&syntax.GotoStmt{Span: at(s), Name: tree.Ident(at(s), s.Name)})
}

// labelIn returns where in a block the path to a label leads, or -1.
func labelIn(path []step, b *hir.Block) int {
	for _, s := range path {
		if s.block == b && b != nil {
			return s.index
		}
	}
	return -1
}

// returnStmt evaluates the result, destroys the variables of all scopes, and returns.
func (l *lowerer) returnStmt(s *hir.Return) {
	sp := at(s)
	result := l.fn.decl.Result
	var x syntax.Expr
	switch {
	case s.X == nil:
	case result.IsVoid() || s.X.Type().IsVoid():
		l.fullExpr(func() {
			for _, e := range l.effects(s.X) {
				l.emit(&syntax.ExprStmt{Span: sp, X: e})
			}
		})
	case l.isResult(l.fn.decl.Named):
	case l.inMemory(result):
		to := func() syntax.Expr { return deref(tree.Ident(sp, resultName)) }
		l.fullExpr(func() { l.initStmts(to, result, s.X) })
	default:
		x = l.returned(s, result)
	}
	l.leave(0, true)
	l.emit(&syntax.ReturnStmt{Span: sp, X: x})
}

// returned evaluates the value to return. If destructors follow, it is kept in a variable.
func (l *lowerer) returned(s *hir.Return, result types.Type) syntax.Expr {
	sp := at(s)
	var x syntax.Expr
	value := func() {
		switch {
		case result.IsRef():
			x = l.addr(s.X)
		case result.IsClass() && !l.byValue(s.X):
			name := l.temporary(sp, result)
			l.initStmts(func() syntax.Expr { return tree.Ident(sp, name) }, result, s.X)
			x = tree.Ident(sp, name)
			return
		case result.IsClass():
			x = l.classValue(s.X)
		default:
			x = l.converted(s.X, result)
		}
	}
	keep := false
	l.fullExpr(func() {
		value()
		keep = len(l.fn.full.cleanups) > 0
		for _, sc := range l.fn.scopes {
			keep = keep || len(sc.cleanups) > 0
		}
		if keep && !isLiteral(x) {
			name := l.temp()
			l.emit(tree.Variable(sp, l.object(sp, result), name, x))
			x = tree.Ident(sp, name)
		}
	})
	return x
}

// isLiteral reports whether x is a number.
func isLiteral(x syntax.Expr) bool {
	_, ok := x.(*syntax.BasicLit)
	return ok
}

// unwind destroys the variables of the scopes from depth on, the last one first. The
// scopes stay open.
func (l *lowerer) unwind(depth int) { l.leave(depth, false) }

// leave is unwind; a return leaves the object of the result.
func (l *lowerer) leave(depth int, returns bool) {
	for i := len(l.fn.scopes) - 1; i >= depth; i-- {
		list := l.fn.scopes[i].cleanups
		for j := len(list) - 1; j >= 0; j-- {
			if !returns || !list[j].result {
				l.destroy(list[j])
			}
		}
	}
}
