package ast

import "irgl/internal/cpp"

// An Expr is an expression.
type Expr interface {
	Node
	expr()
}

// A LitKind is the kind of a literal.
type LitKind uint8

// The kinds of literals. Adjacent strings are joined by the parser.
const (
	IntLit LitKind = iota
	FloatLit
	CharLit
	StringLit
	BoolLit
	NullptrLit
)

type (
	// A Literal is a literal as it is written, prefix, suffix and quotes included;
	// Parts are the tokens of a string of several.
	Literal struct {
		Span
		Kind  LitKind
		Text  string
		Parts []string
	}

	// A NameExpr is the name of a variable, function, enumerator, or of what may be one.
	NameExpr struct {
		Span
		Name *Name
	}

	// A ThisExpr is this.
	ThisExpr struct{ Span }

	// A ParenExpr is (X).
	ParenExpr struct {
		Span
		X Expr
	}

	// A UnaryExpr is a prefix operator: + - ! ~ * & ++ -- and GNU's __real, &&label.
	UnaryExpr struct {
		Span
		Op cpp.Word
		X  Expr
	}

	// A PostfixExpr is X++ or X--.
	PostfixExpr struct {
		Span
		X  Expr
		Op cpp.Word
	}

	// A BinaryExpr is X Op Y: arithmetic, comparison, logic, .* and ->*, the comma,
	// and the assignments. OpPos is the operator's place.
	BinaryExpr struct {
		Span
		X     Expr
		Op    cpp.Word
		OpPos Span
		Y     Expr
	}

	// A CondExpr is Cond ? Then : Else; Then is nil for GNU's a ?: b.
	CondExpr struct {
		Span
		Cond, Then, Else Expr
	}

	// A CallExpr is Fun(Args).
	CallExpr struct {
		Span
		Fun  Expr
		Args []Expr // *PackExpansion and *InitList are possible
	}

	// A LaunchExpr is Fun<<<Grid, Block, Shared, Stream>>>(Args).
	LaunchExpr struct {
		Span
		Fun    Expr
		Config []Expr // two to four
		Args   []Expr
		Token  int // where it begins, of one that [Body.Launches] returns
	}

	// An IndexExpr is X[Index].
	IndexExpr struct {
		Span
		X     Expr
		Index Expr
	}

	// A MemberExpr is X.Name or X->Name.
	MemberExpr struct {
		Span
		X     Expr
		Arrow bool
		Name  *Name
	}

	// A CastExpr is (Type)X.
	CastExpr struct {
		Span
		Type TypeExpr
		X    Expr // an *InitList for (Type){...}
	}

	// A NamedCastExpr is static_cast<Type>(X) and its like.
	NamedCastExpr struct {
		Span
		Kind cpp.Word // KwStaticCast, KwReinterpretCast, KwConstCast, KwDynamicCast
		Type TypeExpr
		X    Expr
	}

	// A ConstructExpr is Type(Args) or Type{Args}. With a name that may be a function's
	// it is a CallExpr, and sema decides.
	ConstructExpr struct {
		Span
		Type  TypeExpr
		Args  []Expr
		Brace *InitList // for Type{...}
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

	// A LambdaExpr is [captures](params) { body }.
	LambdaExpr struct {
		Span
		Default  CaptureDefault
		Captures []*Capture
		Template []*TemplateParam // C++20's, and those of auto parameters are sema's
		Specs    Specs            // Device, Host, Mutable, Constexpr
		Type     *FuncType        // Result is nil when it is deduced
		Body     *Body
		Token    int // where it begins among the unit's tokens
	}

	// A Capture is one capture of a lambda.
	Capture struct {
		Span
		Ref  bool
		This bool // this, or *this with Star
		Star bool
		Name *Ident
		Init *Init // nil for none
		Pack bool
	}

	// A SizeofExpr is sizeof or alignof, of a type or an expression.
	SizeofExpr struct {
		Span
		Align bool
		Type  TypeExpr
		X     Expr
		// Arg is set when the parser cannot tell: sizeof(T) with a name not known.
		Ambiguous bool
	}

	// A SizeofPackExpr is sizeof...(Name).
	SizeofPackExpr struct {
		Span
		Name *Ident
	}

	// A NoexceptExpr is noexcept(X).
	NoexceptExpr struct {
		Span
		X Expr
	}

	// A NewExpr is new (Place) Type(Init).
	NewExpr struct {
		Span
		Global bool
		Place  []Expr
		Type   TypeExpr // an ArrayType for new T[n]
		Init   *Init    // nil for none
	}

	// A DeleteExpr is delete X or delete[] X.
	DeleteExpr struct {
		Span
		Global bool
		Array  bool
		X      Expr
	}

	// A ThrowExpr is throw X.
	ThrowExpr struct {
		Span
		X Expr
	}

	// A TypeidExpr is typeid(X); refused by sema.
	TypeidExpr struct{ Span }

	// A FoldExpr is (X op ...), (... op Y) or (X op ... op Y).
	FoldExpr struct {
		Span
		Op   cpp.Word
		X, Y Expr // nil on the side of the ... alone
	}

	// A PackExpansion is X... in a list.
	PackExpansion struct {
		Span
		X Expr
	}

	// A StmtExpr is GNU's ({ ... }).
	StmtExpr struct {
		Span
		Body *Block
	}

	// A TraitExpr is a built-in trait over types: __is_same(T, U).
	TraitExpr struct {
		Span
		Trait string
		Args  []TypeExpr
	}

	// An OffsetofExpr is offsetof(Type, member).
	OffsetofExpr struct {
		Span
		Type   TypeExpr
		Member Expr // a chain of MemberExpr and IndexExpr over a nil X
	}
)

// A CaptureDefault is = or & in a lambda's introducer.
type CaptureDefault uint8

// The defaults.
const (
	NoDefault CaptureDefault = iota
	ByCopy
	ByRef
)

func (*Literal) expr()        {}
func (*NameExpr) expr()       {}
func (*ThisExpr) expr()       {}
func (*ParenExpr) expr()      {}
func (*UnaryExpr) expr()      {}
func (*PostfixExpr) expr()    {}
func (*BinaryExpr) expr()     {}
func (*CondExpr) expr()       {}
func (*CallExpr) expr()       {}
func (*LaunchExpr) expr()     {}
func (*IndexExpr) expr()      {}
func (*MemberExpr) expr()     {}
func (*CastExpr) expr()       {}
func (*NamedCastExpr) expr()  {}
func (*ConstructExpr) expr()  {}
func (*InitList) expr()       {}
func (*LambdaExpr) expr()     {}
func (*SizeofExpr) expr()     {}
func (*SizeofPackExpr) expr() {}
func (*NoexceptExpr) expr()   {}
func (*NewExpr) expr()        {}
func (*DeleteExpr) expr()     {}
func (*ThrowExpr) expr()      {}
func (*TypeidExpr) expr()     {}
func (*FoldExpr) expr()       {}
func (*PackExpansion) expr()  {}
func (*StmtExpr) expr()       {}
func (*TraitExpr) expr()      {}
func (*OffsetofExpr) expr()   {}
