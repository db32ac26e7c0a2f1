package lower

import (
	"irgl/internal/check"
	"irgl/syntax"
)

// retries reports whether the kernel needs a list of items to retry.
func retries(f *check.FuncInfo) bool { return f.Retries || f.Respawns }

// atomicStmt lowers Atomic (report, section 3.2.1). The blocking form becomes a
// loop in which a thread that gets the lock also gives it back before the
// threads of its warp meet again; a plain spin loop in front of the body could
// keep the owner waiting for those that wait for it:
//
//	int *lock = &graph.lock[n];
//	bool taken = false;
//	while (!taken) {
//	  if (atomicCAS(lock, 0, 1) == 0) { irgl_fence(); ... irgl_fence(); atomicExch(lock, 0); taken = true; }
//	}
//
// The fences make what an owner wrote visible to the next. Package opt's row ticket
// makes the lock one that threads get in the order in which they come.
func (l *lowerer) atomicStmt(s *syntax.AtomicStmt) syntax.Stmt {
	span := syntax.Span{From: s.Pos(), To: s.Lock.End()}
	lock := ident(span, l.fresh("lock"))
	names := []string{lock.Name}
	local := func(name string) *syntax.Ident {
		id := ident(span, l.fresh(name))
		names = append(names, id.Name)
		return id
	}
	var taken *syntax.Ident
	if s.Else == nil {
		taken = local("taken")
	}
	pointer := variable(span, &syntax.PointerType{Span: span, Elem: basic(span, "int")}, lock.Name, addr(l.expr(s.Lock)))
	fence := func() syntax.Stmt { return stmt(call(span, "irgl_fence")) }
	owned := block(s.Span, fence())
	if body := l.block(s.Body); declaresAny(body) {
		owned.Stmts = append(owned.Stmts, body)
	} else {
		owned.Stmts = append(owned.Stmts, body.Stmts...)
	}
	for _, name := range names { // they are free again behind the statement
		delete(l.names, name)
	}
	free := binary(call(span, "atomicCAS", lock, number(span, 0), number(span, 1)), "==", number(span, 0))
	release := call(span, "atomicExch", lock, number(span, 0))
	owned.Stmts = append(owned.Stmts, fence(), stmt(release))
	if s.Else != nil {
		return block(s.Span, pointer, &syntax.IfStmt{Span: s.Span, Cond: free, Then: owned, Else: l.block(s.Else)})
	}
	owned.Stmts = append(owned.Stmts, stmt(assign(taken, "=", ident(span, "true"))))
	turn := block(s.Span, &syntax.IfStmt{Span: s.Span, Cond: free, Then: owned})
	again := &syntax.UnaryExpr{Span: span, Op: "!", X: taken}
	return block(s.Span, pointer, variable(span, basic(span, "bool"), taken.Name, ident(span, "false")), &syntax.WhileStmt{Span: s.Span, Cond: again, Body: turn})
}

// declaresAny reports whether a block declares something, and so needs braces
// of its own: a label of a goto in it must not be passed by an initialisation.
func declaresAny(b *syntax.Block) bool {
	for _, s := range b.Stmts {
		switch s.(type) {
		case *syntax.VarDecls, *syntax.TypeDecl, *syntax.LabelStmt:
			return true
		}
	}
	return false
}
