package opt

import (
	"irgl/internal/pass"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Ticket locks (report, section 3.2.1, "a flag of the compiler"). The lock of an
// Atomic is a word that is 0 when free. A thread that wants it tries to set it:
//
//	bool taken = false;
//	while (!taken) {
//	  if (atomicCAS(lock, 0, 1) == 0) { irgl_fence(); ... irgl_fence(); atomicExch(lock, 0); taken = true; }
//	}
//
// Which of the threads that try gets it is chance, and one of them may starve. With
// tickets a thread takes a number when it comes, and in each turn of the loop looks
// whether that is served:
//
//	unsigned int ticket = 0;
//	bool queued = false;
//	bool taken = false;
//	while (!taken) {
//	  if (!queued) { queued = irgl_ticket_take(lock, &ticket); }
//	  if (queued && irgl_ticket_served(lock, ticket)) { irgl_fence(); ... irgl_fence(); irgl_ticket_pass(lock); taken = true; }
//	}
//
// A lock that is tried once (Atomic with Else) becomes irgl_ticket_try. All locks
// of a program change or none: the two protocols use one word differently. Locks of
// Atomic are known by the fence of the device library behind the test, which no
// program can name; a program's own atomicCAS stays as it is.
//
// It pays where a lock is contended for long and all of its threads must get on. It
// costs where few want a lock: the word is read before it is changed.

// tickets is the row ticket.
func tickets(w *Work, r *pass.Run) error {
	for _, d := range w.file.Decls {
		if f, ok := d.(*syntax.FuncDecl); ok && f.Body != nil && onDevice(f) {
			ticketsIn(f, r)
		}
	}
	return nil
}

func ticketsIn(f *syntax.FuncDecl, r *pass.Run) {
	names := tree.NamesIn(f)
	taken := map[syntax.Node][]string{} // names of a block that are free behind it
	tree.Rewriter{
		Enter: func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Block:
				if l := lockLoop(n); l != nil {
					taken[n] = l.queue(names)
					r.Count("locks waited for", 1)
				}
			case *syntax.IfStmt:
				if l := lockTest(n); l != nil {
					n.Cond = tree.Call(tree.At(n.Cond), "irgl_ticket_try", l.lock)
					l.pass()
					r.Count("locks tried", 1)
				}
			}
			return true
		},
		Leave: func(n syntax.Node) { names.Free(taken[n]...) },
	}.Rewrite(f.Body)
}

// An acquired is the statement that tests and sets a lock, with the one that gives
// it back.
type acquired struct {
	test    *syntax.IfStmt
	lock    *syntax.Ident
	release *syntax.ExprStmt
	// Of a loop that waits for the lock: its block, the declaration of the variable
	// that ends it, and the loop.
	block  *syntax.Block
	taken  int
	around *syntax.WhileStmt
}

// lockTest returns the lock that an if tests and sets, or nil.
func lockTest(s *syntax.IfStmt) *acquired {
	eq, ok := s.Cond.(*syntax.BinaryExpr)
	then, block := s.Then.(*syntax.Block)
	if !ok || !block || eq.Op != "==" || !isZero(eq.Y) || len(then.Stmts) < 3 || tree.CallOf(then.Stmts[0], "irgl_fence") == nil {
		return nil
	}
	c := tree.CallOf(eq.X, "atomicCAS")
	if c == nil || len(c.Args) != 3 || !isZero(c.Args[1]) {
		return nil
	}
	lock, ok := c.Args[0].(*syntax.Ident)
	if !ok {
		return nil
	}
	for i := len(then.Stmts) - 1; i > 1; i-- {
		if give := tree.CallOf(then.Stmts[i], "atomicExch"); give != nil && tree.CallOf(then.Stmts[i-1], "irgl_fence") != nil {
			if id, ok := give.Args[0].(*syntax.Ident); ok && id.Name == lock.Name && isZero(give.Args[1]) {
				return &acquired{test: s, lock: lock, release: then.Stmts[i].(*syntax.ExprStmt)}
			}
		}
	}
	return nil
}

// lockLoop returns the lock that the loop at the end of a block waits for, or nil.
func lockLoop(b *syntax.Block) *acquired {
	n := len(b.Stmts)
	if n < 2 {
		return nil
	}
	loop, ok := b.Stmts[n-1].(*syntax.WhileStmt)
	if !ok || loop.Do {
		return nil
	}
	body, ok := loop.Body.(*syntax.Block)
	if !ok || len(body.Stmts) != 1 {
		return nil
	}
	test, ok := body.Stmts[0].(*syntax.IfStmt)
	if !ok || test.Else != nil {
		return nil
	}
	l := lockTest(test)
	if d, ok := b.Stmts[n-2].(*syntax.VarDecls); l != nil && ok && len(d.Vars) == 1 && syntax.String(loop.Cond) == "!"+d.Vars[0].Name.Name {
		l.block, l.taken, l.around = b, n-2, loop
		return l
	}
	return nil
}

// queue makes the loop one that takes a ticket, and returns the names it declares.
func (l *acquired) queue(names tree.Names) []string {
	s, whole := tree.At(l.block.Stmts[l.taken]), tree.At(l.around)
	queued, ticket := names.Fresh("queued"), names.Fresh("ticket")
	id := func(name string) *syntax.Ident { return tree.Ident(s, name) }
	lock := func() syntax.Expr { return id(l.lock.Name) }
	take := tree.Do(tree.Assign(id(queued), "=", tree.Call(s, "irgl_ticket_take", lock(), tree.Addr(id(ticket)))))
	body := l.around.Body.(*syntax.Block)
	body.Stmts = []syntax.Stmt{&syntax.IfStmt{Span: whole, Cond: &syntax.UnaryExpr{Span: s, Op: "!", X: id(queued)}, Then: tree.Block(whole, take)}, l.test}
	l.test.Cond = tree.Binary(id(queued), "&&", tree.Call(s, "irgl_ticket_served", lock(), id(ticket)))
	l.pass()
	rest := l.block.Stmts[l.taken:]
	l.block.Stmts = append(l.block.Stmts[:l.taken:l.taken], tree.Variable(s, tree.Basic(s, "unsigned int"), ticket, tree.Number(s, 0)),
		tree.Variable(s, tree.Basic(s, "bool"), queued, id("false")))
	l.block.Stmts = append(l.block.Stmts, rest...)
	return []string{queued, ticket}
}

// pass makes the release one that serves the next ticket.
func (l *acquired) pass() {
	s := tree.At(l.release)
	l.release.X = tree.Call(s, "irgl_ticket_pass", tree.Ident(s, l.lock.Name))
}

// isZero reports whether x is the literal 0.
func isZero(x syntax.Expr) bool {
	lit, ok := x.(*syntax.BasicLit)
	return ok && lit.Text == "0"
}
