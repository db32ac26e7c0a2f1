package syntax

import "irgl/internal/cpp"

// The statements of IrGL (IrGL paper, Table 3; report, Listing 6): for each the node, the
// parser's function and the printer's method. Iterate and Pipe are in irgl_pipe.go.

// An IrGLStmt is a statement that .irgl files have and CUDA has not: lowering
// expands it.
type IrGLStmt interface {
	Stmt
	printTo(p *printer)
}

// The words of IrGL are names, not keywords, so that a C function may use
// them: each is recognised by what follows it.

// isIrGLWord reports whether the current name is a word of IrGL's statements
// that a name may follow.
func (p *parser) isIrGLWord() bool {
	switch p.tok.Text() {
	case "Iterate", "Invoke", "Pipe", "Retry", "Respawn", "Kernel", "Host", "Graph", "Mesh":
		return true
	}
	return false
}

// irglStmt parses a statement that a word of IrGL begins, or returns nil and
// consumes nothing.
func (p *parser) irglStmt() Stmt {
	next := p.peek(1)
	name := next.Kind == cpp.Ident
	word := p.tok.Text()
	if p.dialect == CUDA {
		if word == "ForAll" && p.peekIs(1, "(") && p.peek(3).Text() == "In" || word == "Iterate" && name || word == "Pipe" && p.peekIs(1, "{") {
			p.errorTok(CodeDialect, "%s is a statement of .irgl files", word)
			p.fail()
		}
		return nil
	}
	if _, declared := p.lookup(word); declared {
		return nil
	}
	switch {
	case word == "ForAll" && p.peekIs(1, "("):
		return p.forAll(false)
	case word == "ReduceAndReturn" && p.peekIs(1, "("):
		return p.reduce()
	case word == "Iterate" && name:
		return p.iterate()
	case word == "Pipe" && (name || p.peekIs(1, "{")):
		return p.pipe()
	case word == "Atomic" && p.peekIs(1, "("):
		return p.atomic()
	case (word == "Retry" || word == "Respawn") && (name || next.Kind == cpp.Number || p.peekIs(1, "(") || p.peekIs(1, ";") || p.peekIs(1, "}") || next.StartsLine()):
		return p.retry()
	case word == "Exclusive" && p.peekIs(1, "("):
		return p.exclusive()
	case (word == "SyncRunningThreads" || word == "LocalBarrier") && (p.peekIs(1, "(") || p.peekIs(1, ";") || p.peekIs(1, "}") || next.StartsLine()):
		return p.barrier()
	case word == "CBlock" && next.Kind == cpp.String:
		return p.cBlock()
	}
	return nil
}

// A ForAllStmt traverses Iter, in parallel unless Serial:
//
//	ForAll (n In graph.nodes) { ... }
//	for (e In n.edges) { ... }          Serial
type ForAllStmt struct {
	Span
	Serial bool
	Var    *Ident // declared by the statement
	Iter   Expr   // WL, a graph's nodes, or a node's edges
	Body   *Block
}

func (*ForAllStmt) stmt()            {}
func (n *ForAllStmt) visit(p places) { one(p, &n.Var); p.expr(&n.Iter); one(p, &n.Body) }

// LoopBody returns the block that is executed for each element.
func (n *ForAllStmt) LoopBody() Stmt { return n.Body }

// forAll parses ForAll (x In iter) { ... }, and the serial form with for.
func (p *parser) forAll(serial bool) Stmt {
	from := p.tok.Pos()
	word := p.tok.Text()
	p.next()
	s := &ForAllStmt{Serial: serial}
	p.header(word, func() {
		s.Var = p.ident("a variable")
		if !p.gotWord("In") {
			p.errorTok(CodeExpected, "expected In after the variable of %s, found %s", word, describe(p.tok))
			p.fail()
		}
		s.Iter = p.expr()
	})
	if s.Var == nil {
		s.Var = &Ident{p.span(p.prevEnd), "_"}
	}
	if s.Iter == nil {
		s.Iter = &Ident{p.span(p.prevEnd), "_"}
	}
	p.pushScope()
	p.declare(s.Var, false)
	s.Body = p.body()
	p.popScope()
	s.Span = p.span(from)
	return s
}

func (n *ForAllStmt) printTo(p *printer) {
	if n.Serial {
		p.str("for (")
	} else {
		p.str("ForAll (")
	}
	p.str(n.Var.Name + " In ")
	p.expr(n.Iter, precComma)
	p.str(") ")
	p.block(n.Body)
}

// A ReduceStmt is ReduceAndReturn (Value): it ends the current iteration
// of a ForAll, or outside one the kernel, and contributes Value to the
// reduction that the invocation names.
type ReduceStmt struct {
	Span
	Value Expr
}

func (*ReduceStmt) stmt()            {}
func (n *ReduceStmt) visit(p places) { p.expr(&n.Value) }

// reduce parses ReduceAndReturn (value).
func (p *parser) reduce() Stmt {
	from, word := p.tok.Pos(), p.tok.Text()
	p.next()
	s := &ReduceStmt{Value: p.condition(word)}
	p.endStmt(word)
	s.Span = p.span(from)
	return s
}

func (n *ReduceStmt) printTo(p *printer) {
	p.str("ReduceAndReturn(")
	p.expr(n.Value, precComma)
	p.str(");")
}

// An AtomicStmt is Atomic (Lock) { ... }: it waits for the lock, an int in
// device memory that is 0 when free; with Else it does not wait, and runs
// Else when the lock is taken (report, section 3.2.1).
type AtomicStmt struct {
	Span
	Lock Expr
	Body *Block
	Else *Block // nil for the blocking form
}

func (*AtomicStmt) stmt()            {}
func (n *AtomicStmt) visit(p places) { p.expr(&n.Lock); one(p, &n.Body); one(p, &n.Else) }

// atomic parses Atomic (lock) { ... } [Else { ... }]. C's else is none of it:
// that one belongs to an if around the statement.
func (p *parser) atomic() Stmt {
	from := p.tok.Pos()
	p.next()
	s := &AtomicStmt{Lock: p.condition("Atomic")}
	s.Body, s.Else = p.bodyElse()
	s.Span = p.span(from)
	return s
}

func (n *AtomicStmt) printTo(p *printer) {
	p.str("Atomic (")
	p.expr(n.Lock, precComma)
	p.str(")")
	p.bodyElse(n.Body, n.Else)
}

// An ExclusiveStmt is Exclusive (Object, Locks...) { ... } Else { ... }: each
// iteration tries once to claim the elements of Object that its locks list.
// The body is for the iterations that got all of theirs, Else for the
// others; of iterations in conflict one gets its locks (report, section
// 3.3). A list is an array with its size, or a slice of one:
//
//	Exclusive (mesh, size, cavity) { ... }
//	Exclusive (graph, ends[from : to : 2], 1, extra) { ... } Else { Retry n; }
type ExclusiveStmt struct {
	Span
	Object Expr         // the mesh, the graph, or a range of either
	Locks  []*SliceExpr // Low is nil for an array with its size
	Body   *Block
	Else   *Block // nil for none
}

func (*ExclusiveStmt) stmt() {}

func (n *ExclusiveStmt) visit(p places) {
	p.expr(&n.Object)
	each(p, n.Locks)
	one(p, &n.Body)
	one(p, &n.Else)
}

// exclusive parses Exclusive (object, size, array, ...) { ... } [Else { ... }],
// where array[low : high : step] may stand for a size and an array.
func (p *parser) exclusive() Stmt {
	from := p.tok.Pos()
	p.next()
	s := &ExclusiveStmt{}
	p.header("Exclusive", func() {
		s.Object = p.assign()
		for p.got(",") {
			s.Locks = append(s.Locks, p.lockList())
		}
		if len(s.Locks) == 0 {
			p.errorTok(CodeExpected, "expected what to lock after the object, found %s", describe(p.tok)).Hint =
				"as in: Exclusive (mesh, size, array) { ... }"
			p.fail()
		}
	})
	if s.Object == nil {
		s.Object = &Ident{p.span(p.prevEnd), "_"}
	}
	s.Body, s.Else = p.bodyElse()
	s.Span = p.span(from)
	return s
}

// lockList parses a slice, or a size and an array.
func (p *parser) lockList() *SliceExpr {
	from := p.tok.Pos()
	x := p.assign()
	if s, ok := x.(*SliceExpr); ok && (s.Low != nil || s.Step != nil) {
		return s
	} else if ok {
		s.Low = &BasicLit{s.Span, IntLit, "0"} // array[ : n] is one with its size otherwise
		return s
	}
	p.expect(",", "and the array after the number of its elements")
	s := &SliceExpr{High: x, X: p.assign()}
	s.Span = p.span(from)
	return s
}

func (n *ExclusiveStmt) printTo(p *printer) {
	p.str("Exclusive (")
	p.expr(n.Object, precAssign)
	for _, l := range n.Locks {
		p.str(", ")
		if l.Low == nil && l.Step == nil { // an array with its size
			p.expr(l.High, precAssign)
			p.str(", ")
			p.expr(l.X, precAssign)
		} else {
			p.expr(l, precAssign)
		}
	}
	p.str(")")
	p.bodyElse(n.Body, n.Else)
}

// bodyElse parses the blocks of an Atomic or Exclusive; the second is nil when
// there is no Else.
func (p *parser) bodyElse() (body, other *Block) {
	body = p.blockStmt()
	if p.isWord("Else") && !p.peekIs(1, "=") {
		p.next()
		other = p.blockStmt()
	}
	return body, other
}

// bodyElse prints the blocks of an Atomic or Exclusive.
func (p *printer) bodyElse(body, other *Block) {
	if other == nil {
		p.substmt(body, false)
		return
	}
	p.substmt(body, false)
	p.str(" Else")
	p.substmt(other, false)
}

// A BarrierStmt is SyncRunningThreads(), at which all threads that run wait
// for each other (report, section 3.4), or LocalBarrier(), at which those of
// a thread block do. Package check takes a barrier out of an if that all threads decide
// alike: Cond is then the condition of that.
type BarrierStmt struct {
	Span
	Local bool
	Cond  Expr // nil for none, and always as the parser makes it
}

func (*BarrierStmt) stmt()            {}
func (n *BarrierStmt) visit(p places) { p.expr(&n.Cond) }

// barrier parses SyncRunningThreads() and LocalBarrier(); the parentheses may
// be left out, as the paper's text does.
func (p *parser) barrier() Stmt {
	from, word := p.tok.Pos(), p.tok.Text()
	p.next()
	if p.got("(") {
		p.expect(")", "after "+word+"(")
	}
	p.endStmt(word)
	return &BarrierStmt{Span: p.span(from), Local: word == "LocalBarrier"}
}

func (n *BarrierStmt) printTo(p *printer) {
	if n.Cond != nil {
		p.str("if (")
		p.expr(n.Cond, precComma)
		p.str(") { ")
	}
	if n.Local {
		p.str("LocalBarrier();")
	} else {
		p.str("SyncRunningThreads();")
	}
	if n.Cond != nil {
		p.str(" }")
	}
}

// A RetryStmt is Retry Item or Respawn Item: the kernel runs again with the
// item before the next one does. Retry says that a conflict kept the item
// from being worked on; the runtime may then run fewer threads. Retry Merge
// Item leaves the item to the next kernel, with what was pushed.
type RetryStmt struct {
	Span
	Respawn bool
	Merge   bool
	Item    Expr
}

func (*RetryStmt) stmt()            {}
func (n *RetryStmt) visit(p places) { p.expr(&n.Item) }

// retry parses Retry item and Respawn item.
func (p *parser) retry() Stmt {
	from, word := p.tok.Pos(), p.tok.Text()
	if item := p.peek(1); p.peekIs(1, ";") || p.peekIs(1, "}") || item.StartsLine() {
		p.errorAt(from, p.tok.End(), CodeExpected, "expected an item after %s", word)
		p.next()
		p.endStmt(word)
		return &EmptyStmt{p.span(from)}
	}
	p.next()
	s := &RetryStmt{Respawn: word == "Respawn"}
	if next := p.peek(1); word == "Retry" && p.isWord("Merge") && !next.StartsLine() && (next.Kind == cpp.Ident || next.Kind == cpp.Number || next.Text() == "(") {
		s.Merge = true
		p.next()
	}
	s.Item = p.assign()
	p.endStmt(word)
	s.Span = p.span(from)
	return s
}

func (n *RetryStmt) printTo(p *printer) {
	switch {
	case n.Respawn:
		p.str("Respawn ")
	case n.Merge:
		p.str("Retry Merge ")
	default:
		p.str("Retry ")
	}
	p.expr(n.Item, precAssign)
	p.str(";")
}
