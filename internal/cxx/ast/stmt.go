package ast

// A Stmt is a statement.
type Stmt interface {
	Node
	stmt()
}

type (
	// A Block is a list of statements in braces.
	Block struct {
		Span
		Stmts []Stmt
	}

	// A DeclStmt is a declaration in a function: one of several names has a Decl each.
	DeclStmt struct {
		Span
		Decls []Decl
	}

	// An ExprStmt is an expression for its effect.
	ExprStmt struct {
		Span
		X Expr
	}

	// An EmptyStmt is a lone semicolon.
	EmptyStmt struct{ Span }

	// A Condition is an expression, or the declaration of a variable that is tested.
	Condition struct {
		X   Expr
		Var *VarDecl
	}

	// An IfStmt is if constexpr (Init; Cond) Then else Else.
	IfStmt struct {
		Span
		Constexpr bool
		Init      Stmt // nil for none
		Cond      Condition
		Then      Stmt
		Else      Stmt // nil for none
	}

	// A ForStmt is for (Init; Cond; Post) Body. Unroll is #pragma unroll's count: nil
	// for no pragma.
	ForStmt struct {
		Span
		Init   Stmt // *DeclStmt, *ExprStmt, *EmptyStmt
		Cond   Condition
		Post   Expr // nil for none
		Body   Stmt
		Unroll *Unroll
	}

	// A RangeForStmt is for (Init; Var : Range) Body.
	RangeForStmt struct {
		Span
		Init   Stmt // nil for none
		Var    *VarDecl
		Range  Expr // may be an *InitList
		Body   Stmt
		Unroll *Unroll
	}

	// A WhileStmt is while (Cond) Body.
	WhileStmt struct {
		Span
		Cond   Condition
		Body   Stmt
		Unroll *Unroll
	}

	// A DoStmt is do Body while (Cond).
	DoStmt struct {
		Span
		Body   Stmt
		Cond   Expr
		Unroll *Unroll
	}

	// A SwitchStmt is switch (Init; Cond) Body; its CaseStmts are inside Body.
	SwitchStmt struct {
		Span
		Init Stmt // nil for none
		Cond Condition
		Body Stmt
	}

	// A CaseStmt is a case label, or default when Value is nil; To is set for GNU's
	// ranges. It labels the statement after it.
	CaseStmt struct {
		Span
		Value, To Expr
	}

	// A ReturnStmt is return X; X may be nil, or an *InitList.
	ReturnStmt struct {
		Span
		X Expr
	}

	// A BreakStmt leaves the innermost loop or switch.
	BreakStmt struct{ Span }

	// A ContinueStmt starts the next iteration of the innermost loop.
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

	// A TryStmt is try Body with handlers; sema refuses it in device code.
	TryStmt struct {
		Span
		Body *Block
	}

	// An AsmStmt is inline PTX.
	AsmStmt struct {
		Span
		Volatile bool
		Template *Literal
		Outputs  []*AsmOperand
		Inputs   []*AsmOperand
		Clobbers []*Literal
	}

	// An AsmOperand is [Name] "constraint" (X).
	AsmOperand struct {
		Span
		Name       *Ident // nil for none
		Constraint *Literal
		X          Expr
	}
)

// An Unroll is #pragma unroll in front of a loop; Count is nil when it has none, and
// 1 for #pragma nounroll.
type Unroll struct {
	Span
	Count Expr
}

func (*Block) stmt()        {}
func (*DeclStmt) stmt()     {}
func (*ExprStmt) stmt()     {}
func (*EmptyStmt) stmt()    {}
func (*IfStmt) stmt()       {}
func (*ForStmt) stmt()      {}
func (*RangeForStmt) stmt() {}
func (*WhileStmt) stmt()    {}
func (*DoStmt) stmt()       {}
func (*SwitchStmt) stmt()   {}
func (*CaseStmt) stmt()     {}
func (*ReturnStmt) stmt()   {}
func (*BreakStmt) stmt()    {}
func (*ContinueStmt) stmt() {}
func (*LabelStmt) stmt()    {}
func (*GotoStmt) stmt()     {}
func (*TryStmt) stmt()      {}
func (*AsmStmt) stmt()      {}
