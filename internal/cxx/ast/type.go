package ast

// A TypeExpr is the name of a type.
type TypeExpr interface {
	Node
	typeExpr()
}

// A Basic is an arithmetic type, void, or __nullptr, by its canonical spelling.
type Basic string

// CV are const and volatile.
type CV uint8

// The qualifiers.
const (
	Const CV = 1 << iota
	Volatile
)

type (
	// A BasicType is a built-in type in the canonical spelling: "unsigned long".
	BasicType struct {
		Span
		Name Basic
	}

	// A NamedType is the name of a class, enumeration, alias or template parameter,
	// or of what may be one when it depends on a parameter.
	NamedType struct {
		Span
		Name     *Name
		Typename bool // typename was written
	}

	// A ClassType is a class that is declared or defined here, or is named with its
	// keyword.
	ClassType struct {
		Span
		Decl *ClassDecl
	}

	// An EnumType is an enumeration in the same way.
	EnumType struct {
		Span
		Decl *EnumDecl
	}

	// A QualType is a const or volatile version of a type.
	QualType struct {
		Span
		CV   CV
		Elem TypeExpr
	}

	// A PointerType is a pointer; its own qualifiers are a QualType around it.
	PointerType struct {
		Span
		Elem     TypeExpr
		Restrict bool
	}

	// A RefType is T& or T&&.
	RefType struct {
		Span
		Elem     TypeExpr
		RValue   bool
		Restrict bool
	}

	// An ArrayType is T[Len]; Len is nil for [].
	ArrayType struct {
		Span
		Elem TypeExpr
		Len  Expr
	}

	// A FuncType is the type of a function.
	FuncType struct {
		Span
		Result   TypeExpr // nil for constructors, destructors and conversions
		Params   []*Param
		Variadic bool // ends with ...
		CV       CV   // of a member function
		Ref      RefKind
		Noexcept Expr // nil for none; a BoolLit true for noexcept without an argument
		Trailing bool // auto f() -> Result
	}

	// A MemberPointerType is T C::*.
	MemberPointerType struct {
		Span
		Class *Name
		Elem  TypeExpr
	}

	// An AutoType is auto or decltype(auto).
	AutoType struct {
		Span
		Decltype bool
	}

	// A DecltypeType is decltype(X), or typeof(X).
	DecltypeType struct {
		Span
		X      Expr
		Typeof bool // GNU: of an expression, references removed
	}

	// A TraitType is __underlying_type(T) and its like.
	TraitType struct {
		Span
		Trait string
		Args  []TypeExpr
	}

	// A PackType is T..., in template arguments, bases and parameter types.
	PackType struct {
		Span
		Elem TypeExpr
	}
)

// A RefKind is the reference qualifier of a member function.
type RefKind uint8

// The reference qualifiers.
const (
	NoRef RefKind = iota
	LValueRef
	RValueRef
)

func (*BasicType) typeExpr()         {}
func (*NamedType) typeExpr()         {}
func (*ClassType) typeExpr()         {}
func (*EnumType) typeExpr()          {}
func (*QualType) typeExpr()          {}
func (*PointerType) typeExpr()       {}
func (*RefType) typeExpr()           {}
func (*ArrayType) typeExpr()         {}
func (*FuncType) typeExpr()          {}
func (*MemberPointerType) typeExpr() {}
func (*AutoType) typeExpr()          {}
func (*DecltypeType) typeExpr()      {}
func (*TraitType) typeExpr()         {}
func (*PackType) typeExpr()          {}
