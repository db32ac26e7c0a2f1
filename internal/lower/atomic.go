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
// The fences make what an owner wrote visible to the next. With a ticket lock
// (report, section 3.2.1: a flag of the compiler) a thread gets a number when it
// comes, and in each turn of the loop looks whether it is served:
//
//	unsigned int ticket = 0;
//	bool queued = false;
//	bool taken = false;
//	while (!taken) {
//	  if (!queued) { queued = irgl_ticket_take(lock, &ticket); }
//	  if (queued && irgl_ticket_served(lock, ticket)) { irgl_fence(); ... irgl_fence(); irgl_ticket_pass(lock); taken = true; }
//	}
func (l *lowerer) atomicStmt(s *syntax.AtomicStmt) syntax.Stmt {
	span := syntax.Span{From: s.Pos(), To: s.Lock.End()}
	lock := ident(span, l.fresh("lock"))
	names := []string{lock.Name}
	local := func(name string) *syntax.Ident {
		id := ident(span, l.fresh(name))
		names = append(names, id.Name)
		return id
	}
	var taken, queued, ticket *syntax.Ident
	if s.Else == nil {
		taken = local("taken")
		if l.o.Ticket {
			queued, ticket = local("queued"), local("ticket")
		}
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
	if l.o.Ticket {
		free = call(span, "irgl_ticket_try", lock)
		release = call(span, "irgl_ticket_pass", lock)
	}
	owned.Stmts = append(owned.Stmts, fence(), stmt(release))
	if s.Else != nil {
		return block(s.Span, pointer, &syntax.IfStmt{Span: s.Span, Cond: free, Then: owned, Else: l.block(s.Else)})
	}
	owned.Stmts = append(owned.Stmts, stmt(assign(taken, "=", ident(span, "true"))))
	no := func(x syntax.Expr) syntax.Expr { return &syntax.UnaryExpr{Span: span, Op: "!", X: x} }
	flag := func(id *syntax.Ident) syntax.Stmt {
		return variable(span, basic(span, "bool"), id.Name, ident(span, "false"))
	}
	out, turn := block(s.Span, pointer), block(s.Span)
	if l.o.Ticket {
		out.Stmts = append(out.Stmts, variable(span, basic(span, "unsigned int"), ticket.Name, number(span, 0)), flag(queued))
		take := assign(queued, "=", call(span, "irgl_ticket_take", lock, addr(ticket)))
		turn.Stmts = append(turn.Stmts, &syntax.IfStmt{Span: s.Span, Cond: no(queued), Then: block(s.Span, stmt(take))})
		free = binary(queued, "&&", call(span, "irgl_ticket_served", lock, ticket))
	}
	turn.Stmts = append(turn.Stmts, &syntax.IfStmt{Span: s.Span, Cond: free, Then: owned})
	out.Stmts = append(out.Stmts, flag(taken), &syntax.WhileStmt{Span: s.Span, Cond: no(taken), Body: turn})
	return out
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
