package syntax

// An Expr is an expression.
type Expr interface {
	Node
	expr()
}

// A LitKind is the kind of a literal.
type LitKind uint8

const (
	IntLit LitKind = iota
	FloatLit
	CharLit
	StringLit
)

// An Op is an operator as it is written: "+", "<<=", "++".
type Op string

type (
	// An Ident is a name.
	Ident struct {
		Span
		Name string
	}

	// A BasicLit is a literal as it is written, suffix and quotes included.
	// Adjacent strings are joined into one.
	BasicLit struct {
		Span
		Kind LitKind
		Text string
	}

	// A ParenExpr is (X).
	ParenExpr struct {
		Span
		X Expr
	}

	// A UnaryExpr is a prefix operator: + - ! ~ * & ++ --.
	UnaryExpr struct {
		Span
		Op Op
		X  Expr
	}

	// A PostfixExpr is X++ or X--.
	PostfixExpr struct {
		Span
		X  Expr
		Op Op
	}

	// A BinaryExpr is X Op Y, the comma operator included.
	BinaryExpr struct {
		Span
		X  Expr
		Op Op
		Y  Expr
	}

	// An AssignExpr is L = R, L += R and so on. In IrGL a plain = to a name
	// that is not declared declares it.
	AssignExpr struct {
		Span
		L  Expr
		Op Op
		R  Expr
	}

	// A CondExpr is Cond ? Then : Else.
	CondExpr struct {
		Span
		Cond, Then, Else Expr
	}

	// A CallExpr is Fun(Args), a method call when Fun is a MemberExpr.
	CallExpr struct {
		Span
		Fun  Expr
		Args []Expr
	}

	// A LaunchExpr is Fun<<<Grid, Block, Shared, Stream>>>(Args).
	LaunchExpr struct {
		Span
		Fun            Expr
		Grid, Block    Expr
		Shared, Stream Expr // nil when not given
		Args           []Expr
	}

	// An InvokeExpr is Invoke K(Args), or Any(Invoke K(Args)), whose value is
	// the reduction.
	InvokeExpr struct {
		Span
		Aggr   Aggr
		Kernel *Ident
		Args   []Expr
	}

	// An IndexExpr is X[Index].
	IndexExpr struct {
		Span
		X, Index Expr
	}

	// A SliceExpr is X[Low : High : Step], the elements of the array X with the
	// indices Low, Low+Step and so on below High. It is an item of Initial or a
	// list of Exclusive, and no expression otherwise.
	SliceExpr struct {
		Span
		X, Low, High, Step Expr // Low and Step are nil when not given: 0 and 1
	}

	// A MemberExpr is X.Name or X->Name.
	MemberExpr struct {
		Span
		X     Expr
		Arrow bool
		Name  *Ident
	}

	// A CastExpr is (Type)X, or Type(X) as C++ writes it for a type's name.
	CastExpr struct {
		Span
		Type TypeExpr
		X    Expr
	}

	// A SizeofExpr is sizeof X or sizeof(Type); one of the two is set.
	SizeofExpr struct {
		Span
		X    Expr
		Type TypeExpr
	}

	// An InitList is {a, .b = c, [2] = d}.
	InitList struct {
		Span
		Elems []*InitElem
	}

	// An InitElem is one element of an InitList.
	InitElem struct {
		Span
		Field *Ident // .name =, or nil
		Index Expr   // [n] =, or nil
		Value Expr
	}

	// A CompoundLit is (Type){...}.
	CompoundLit struct {
		Span
		Type TypeExpr
		Init *InitList
	}
)

func (*Ident) expr()       {}
func (*BasicLit) expr()    {}
func (*ParenExpr) expr()   {}
func (*UnaryExpr) expr()   {}
func (*PostfixExpr) expr() {}
func (*BinaryExpr) expr()  {}
func (*AssignExpr) expr()  {}
func (*CondExpr) expr()    {}
func (*CallExpr) expr()    {}
func (*LaunchExpr) expr()  {}
func (*InvokeExpr) expr()  {}
func (*IndexExpr) expr()   {}
func (*SliceExpr) expr()   {}
func (*MemberExpr) expr()  {}
func (*CastExpr) expr()    {}
func (*SizeofExpr) expr()  {}
func (*InitList) expr()    {}
func (*CompoundLit) expr() {}

// The places of each expression that hold other nodes, in the order of the text.

func (*Ident) visit(places)           {}
func (*BasicLit) visit(places)        {}
func (n *ParenExpr) visit(p places)   { p.expr(&n.X) }
func (n *UnaryExpr) visit(p places)   { p.expr(&n.X) }
func (n *PostfixExpr) visit(p places) { p.expr(&n.X) }
func (n *BinaryExpr) visit(p places)  { p.expr(&n.X, &n.Y) }
func (n *AssignExpr) visit(p places)  { p.expr(&n.L, &n.R) }
func (n *CondExpr) visit(p places)    { p.expr(&n.Cond, &n.Then, &n.Else) }
func (n *CallExpr) visit(p places)    { p.expr(&n.Fun); p.exprs(n.Args) }

func (n *LaunchExpr) visit(p places) {
	p.expr(&n.Fun, &n.Grid, &n.Block, &n.Shared, &n.Stream)
	p.exprs(n.Args)
}

func (n *InvokeExpr) visit(p places)  { one(p, &n.Kernel); p.exprs(n.Args) }
func (n *IndexExpr) visit(p places)   { p.expr(&n.X, &n.Index) }
func (n *SliceExpr) visit(p places)   { p.expr(&n.X, &n.Low, &n.High, &n.Step) }
func (n *MemberExpr) visit(p places)  { p.expr(&n.X); one(p, &n.Name) }
func (n *CastExpr) visit(p places)    { p.typ(&n.Type); p.expr(&n.X) }
func (n *SizeofExpr) visit(p places)  { p.expr(&n.X); p.typ(&n.Type) }
func (n *InitList) visit(p places)    { each(p, n.Elems) }
func (n *InitElem) visit(p places)    { one(p, &n.Field); p.expr(&n.Index, &n.Value) }
func (n *CompoundLit) visit(p places) { p.typ(&n.Type); one(p, &n.Init) }
