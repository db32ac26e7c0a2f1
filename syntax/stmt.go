package syntax

// A Stmt is a statement.
type Stmt interface {
	Node
	stmt()
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

func (*Block) stmt()        {}
func (*VarDecls) stmt()     {}
func (*TypeDecl) stmt()     {}
func (*ExprStmt) stmt()     {}
func (*EmptyStmt) stmt()    {}
func (*IfStmt) stmt()       {}
func (*ForStmt) stmt()      {}
func (*WhileStmt) stmt()    {}
func (*SwitchStmt) stmt()   {}
func (*CaseStmt) stmt()     {}
func (*ReturnStmt) stmt()   {}
func (*BreakStmt) stmt()    {}
func (*ContinueStmt) stmt() {}
func (*LabelStmt) stmt()    {}
func (*GotoStmt) stmt()     {}
func (*CBlock) stmt()       {}

// LoopBody returns the statement that the loop executes again and again.
func (n *ForStmt) LoopBody() Stmt { return n.Body }

// LoopBody returns the statement that the loop executes again and again.
func (n *WhileStmt) LoopBody() Stmt { return n.Body }

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
