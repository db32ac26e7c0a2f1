package syntax

// A Stmt is a statement.
type Stmt interface {
	Node
	stmt()
}

// An IrGLStmt is a statement that .irgl files have and CUDA has not: lowering
// expands it.
type IrGLStmt interface {
	Stmt
	irglStmt()
}

// A Loop is a statement that break leaves and continue goes on with. LoopBody is
// nil for an Iterate without a block.
type Loop interface {
	Stmt
	LoopBody() Stmt
}

// C99 statements.
type (
	// A Block is a list of statements in braces.
	Block struct {
		Span
		Stmts []Stmt
	}

	// An ExprStmt is an expression for its effect.
	ExprStmt struct {
		Span
		X Expr
	}

	// An EmptyStmt is a lone semicolon.
	EmptyStmt struct{ Span }

	// An IfStmt is if (Cond) Then else Else.
	IfStmt struct {
		Span
		Cond     Expr
		Then     Stmt
		Else     Stmt // may be nil
		ElseWord Span // of else itself; invalid where the compiler made it
	}

	// A ForStmt is C's for. Unroll is #pragma unroll's count: 0 for none, -1
	// for one without a count.
	ForStmt struct {
		Span
		Init   Stmt // *VarDecls, *ExprStmt or nil
		Cond   Expr // may be nil
		Post   Expr // may be nil
		Body   Stmt
		Unroll int
		Pragma Span // of #pragma unroll, which stands before the Span
	}

	// A WhileStmt is while (Cond) Body, or do Body while (Cond).
	WhileStmt struct {
		Span
		Do   bool
		Cond Expr
		Body Stmt
	}

	// A SwitchStmt is switch (X) Body; its CaseStmts are inside Body.
	SwitchStmt struct {
		Span
		X    Expr
		Body *Block
	}

	// A CaseStmt is a case label, or default when Value is nil. It labels the
	// statement after it.
	CaseStmt struct {
		Span
		Value Expr
	}

	// A ReturnStmt is return X.
	ReturnStmt struct {
		Span
		X Expr // may be nil
	}

	// A BreakStmt leaves the innermost loop or switch.
	BreakStmt struct{ Span }

	// A ContinueStmt starts the next iteration of the innermost loop, also of
	// a ForAll.
	ContinueStmt struct{ Span }

	// A LabelStmt is a target of goto.
	LabelStmt struct {
		Span
		Name *Ident
	}

	// A GotoStmt jumps to a label.
	GotoStmt struct {
		Span
		Name *Ident
	}
)

// IrGL statements (IrGL paper, Table 3; report, Listing 6).
type (
	// A ForAllStmt traverses Iter, in parallel unless Serial:
	//
	//	ForAll (n In graph.nodes) { ... }
	//	for (e In n.edges) { ... }          Serial
	ForAllStmt struct {
		Span
		Serial bool
		Var    *Ident // declared by the statement
		Iter   Expr   // WL, a graph's nodes, or a node's edges
		Body   *Block
	}

	// A ReduceStmt is ReduceAndReturn (Value): it ends the current iteration
	// of a ForAll, or outside one the kernel, and contributes Value to the
	// reduction that the invocation names.
	ReduceStmt struct {
		Span
		Value Expr
	}

	// An IterateStmt invokes Kernel until its worklist is empty, or, with
	// Cond, while or until the reduction of its ReduceAndReturn holds:
	//
	//	Iterate BFS(graph, LEVEL) Initial [src] { LEVEL++; }
	//	Iterate While Any relax(graph) { rounds++; }
	IterateStmt struct {
		Span
		Cond    TermCond
		Aggr    Aggr
		Kernel  *Ident
		Args    []Expr
		Initial *WorklistInit // nil for none
		Extra   *ExtraCond    // nil for none
		Body    *Block        // run after each invocation; nil for none
	}

	// An ExtraCond is And (Cond) or Or (Cond): the loop goes on while the
	// worklist has items and, or or, Cond holds (report, section 4.2).
	ExtraCond struct {
		Span
		Or   bool
		Cond Expr
	}

	// An AtomicStmt is Atomic (Lock) { ... }: it waits for the lock, an int in
	// device memory that is 0 when free; with Else it does not wait, and runs
	// Else when the lock is taken (report, section 3.2.1).
	AtomicStmt struct {
		Span
		Lock Expr
		Body *Block
		Else *Block // nil for the blocking form
	}

	// An ExclusiveStmt is Exclusive (Object, Locks...) { ... } Else { ... }: each
	// iteration tries once to claim the elements of Object that its locks list.
	// The body is for the iterations that got all of theirs, Else for the
	// others; of iterations in conflict one gets its locks (report, section
	// 3.3). A list is an array with its size, or a slice of one:
	//
	//	Exclusive (mesh, size, cavity) { ... }
	//	Exclusive (graph, ends[from : to : 2], 1, extra) { ... } Else { Retry n; }
	ExclusiveStmt struct {
		Span
		Object Expr         // the mesh, the graph, or a range of either
		Locks  []*SliceExpr // Low is nil for an array with its size
		Body   *Block
		Else   *Block // nil for none
	}

	// A BarrierStmt is SyncRunningThreads(), at which all threads that run wait
	// for each other (report, section 3.4), or LocalBarrier(), at which those of
	// a thread block do.
	BarrierStmt struct {
		Span
		Local bool
	}

	// A RetryStmt is Retry Item or Respawn Item: the kernel runs again with the
	// item before the next one does. Retry says that a conflict kept the item
	// from being worked on; the runtime may then run fewer threads. Retry Merge
	// Item leaves the item to the next kernel, with what was pushed.
	RetryStmt struct {
		Span
		Respawn bool
		Merge   bool
		Item    Expr
	}

	// A PipeStmt shares worklists among the invocations in Body, once or until
	// the worklist is empty.
	PipeStmt struct {
		Span
		Once    bool
		Initial *WorklistInit // nil for none
		Body    *Block
	}

	// A WorklistInit is Initial [a, b, c] Size (n). An item may be a slice of an
	// array, which stands for its elements.
	WorklistInit struct {
		Span
		Items []Expr
		Size  Expr // items for which the lists have room at first; nil when not given
	}
)

// A TermCond is how an Iterate's reduction ends it.
type TermCond uint8

const (
	NoCond TermCond = iota
	While           // again while the reduction is true
	Until           // again until it is true
)

// An Aggr is the reduction of a kernel's ReduceAndReturn values.
type Aggr uint8

const (
	NoAggr Aggr = iota
	Any
	All
)

func (a Aggr) String() string { return [...]string{"", "Any", "All"}[a] }

func (*Block) stmt()         {}
func (*VarDecls) stmt()      {}
func (*TypeDecl) stmt()      {}
func (*ExprStmt) stmt()      {}
func (*EmptyStmt) stmt()     {}
func (*IfStmt) stmt()        {}
func (*ForStmt) stmt()       {}
func (*WhileStmt) stmt()     {}
func (*SwitchStmt) stmt()    {}
func (*CaseStmt) stmt()      {}
func (*ReturnStmt) stmt()    {}
func (*BreakStmt) stmt()     {}
func (*ContinueStmt) stmt()  {}
func (*LabelStmt) stmt()     {}
func (*GotoStmt) stmt()      {}
func (*ForAllStmt) stmt()    {}
func (*ReduceStmt) stmt()    {}
func (*IterateStmt) stmt()   {}
func (*PipeStmt) stmt()      {}
func (*AtomicStmt) stmt()    {}
func (*RetryStmt) stmt()     {}
func (*ExclusiveStmt) stmt() {}
func (*BarrierStmt) stmt()   {}
func (*CBlock) stmt()        {}

func (*ForAllStmt) irglStmt()    {}
func (*ReduceStmt) irglStmt()    {}
func (*IterateStmt) irglStmt()   {}
func (*PipeStmt) irglStmt()      {}
func (*AtomicStmt) irglStmt()    {}
func (*RetryStmt) irglStmt()     {}
func (*ExclusiveStmt) irglStmt() {}
func (*BarrierStmt) irglStmt()   {}

// LoopBody returns the statement that the loop executes again and again.
func (n *ForStmt) LoopBody() Stmt { return n.Body }

// LoopBody returns the statement that the loop executes again and again.
func (n *WhileStmt) LoopBody() Stmt { return n.Body }

// LoopBody returns the block that is executed for each element.
func (n *ForAllStmt) LoopBody() Stmt { return n.Body }

// LoopBody returns the block of the pipe, which Pipe Once executes once.
func (n *PipeStmt) LoopBody() Stmt { return n.Body }

// LoopBody returns the block that is executed after each invocation, or nil.
func (n *IterateStmt) LoopBody() Stmt {
	if n.Body == nil {
		return nil
	}
	return n.Body
}

// The places of each statement that hold other nodes, in the order of the text.

func (n *Block) visit(p places)    { p.stmts(&n.Stmts) }
func (n *ExprStmt) visit(p places) { p.expr(&n.X) }
func (*EmptyStmt) visit(places)    {}
func (n *IfStmt) visit(p places)   { p.expr(&n.Cond); p.stmt(&n.Then, &n.Else) }
func (n *ForStmt) visit(p places)  { one(p, &n.Init); p.expr(&n.Cond, &n.Post); p.stmt(&n.Body) }

func (n *WhileStmt) visit(p places) {
	if !n.Do {
		p.expr(&n.Cond)
	}
	p.stmt(&n.Body)
	if n.Do {
		p.expr(&n.Cond)
	}
}

func (n *SwitchStmt) visit(p places) { p.expr(&n.X); one(p, &n.Body) }
func (n *CaseStmt) visit(p places)   { p.expr(&n.Value) }
func (n *ReturnStmt) visit(p places) { p.expr(&n.X) }
func (*BreakStmt) visit(places)      {}
func (*ContinueStmt) visit(places)   {}
func (n *LabelStmt) visit(p places)  { one(p, &n.Name) }
func (n *GotoStmt) visit(p places)   { one(p, &n.Name) }
func (n *ForAllStmt) visit(p places) { one(p, &n.Var); p.expr(&n.Iter); one(p, &n.Body) }
func (n *ReduceStmt) visit(p places) { p.expr(&n.Value) }

func (n *IterateStmt) visit(p places) {
	one(p, &n.Kernel)
	p.exprs(n.Args)
	one(p, &n.Initial)
	one(p, &n.Extra)
	one(p, &n.Body)
}

func (n *ExtraCond) visit(p places)  { p.expr(&n.Cond) }
func (n *AtomicStmt) visit(p places) { p.expr(&n.Lock); one(p, &n.Body); one(p, &n.Else) }

func (n *ExclusiveStmt) visit(p places) {
	p.expr(&n.Object)
	each(p, n.Locks)
	one(p, &n.Body)
	one(p, &n.Else)
}

func (*BarrierStmt) visit(places)      {}
func (n *RetryStmt) visit(p places)    { p.expr(&n.Item) }
func (n *PipeStmt) visit(p places)     { one(p, &n.Initial); one(p, &n.Body) }
func (n *WorklistInit) visit(p places) { p.exprs(n.Items); p.expr(&n.Size) }
