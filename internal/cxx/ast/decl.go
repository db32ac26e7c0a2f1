package ast

import (
	"irgl/internal/cpp"
	"irgl/internal/source"
)

// A Span is the range of source text a node comes from: half as long as two positions, since
// every node has one.
type Span struct {
	file     *source.File
	from, to int32
}

// Range returns the span between two positions; it is empty if they are in different files.
func Range(from, to source.Pos) Span {
	if from.File != to.File {
		to = from
	}
	return Span{from.File, from.Offset, to.Offset}
}

// Pos returns the position of the node's first character.
func (s Span) Pos() source.Pos { return source.Pos{File: s.file, Offset: s.from} }

// End returns the position after the node's last character.
func (s Span) End() source.Pos { return source.Pos{File: s.file, Offset: s.to} }

// A Node is any part of the tree.
type Node interface {
	Pos() source.Pos
	End() source.Pos
}

// A Unit is one translation unit: a .cu file with what it includes.
type Unit struct {
	Span
	Decls []Decl
	// HostHeaders are the headers that were not read, since they are the host's.
	HostHeaders []string
	// Number returns the number of a name, or 0 for one that the text does not have; all are
	// less than Names.
	Number func(name string) int32
	Names  int
	// ExtendedLambdas returns the tokens that begin lambdas with __device__, in order.
	ExtendedLambdas func() []int
	// OverloadsAmp is set once a function named operator& has been read: others than the
	// built-in & need not be looked for before.
	OverloadsAmp bool
}

// A Decl is a declaration.
type Decl interface {
	Node
	decl()
}

// Specs are the specifiers of a declaration that are not part of its type, as a set.
type Specs uint32

// The specifiers of C++, and CUDA's.
const (
	Typedef Specs = 1 << iota
	Static
	Extern
	Inline
	Constexpr // also consteval
	Explicit
	Virtual
	Friend
	Mutable
	ThreadLocal
	Register
	ForceInline  // __forceinline__, always_inline
	NoInline     // __noinline__
	Global       // __global__
	Device       // __device__
	Host         // __host__
	Shared       // __shared__
	Constant     // __constant__
	Managed      // __managed__
	GridConstant // __grid_constant__
	NoReturn
	ExternC // inside extern "C"
)

// Has reports whether s contains all of t.
func (s Specs) Has(t Specs) bool { return s&t == t }

// Attributes are those that carry expressions; nil for none.
type Attributes struct {
	LaunchBounds []Expr // __launch_bounds__(threads, blocks, cluster)
	Cluster      []Expr // __cluster_dims__(x, y, z)
	Align        []Expr // alignas, __align__, __attribute__((aligned)): the strictest holds
	AlignTypes   []TypeExpr
	Packed       bool
	NoUnique     bool // [[no_unique_address]]
	// Builtin is the compiler's function that a declaration in our own headers stands
	// for: __attribute__((irgl_builtin("atomicAdd"))).
	Builtin string
	// Deprecated is the text of [[deprecated("...")]]; "-" for one without.
	Deprecated string
	Others     []string // names that are known and change nothing
}

type (
	// A NamespaceDecl is namespace N { ... }; Name is nil for an unnamed one.
	NamespaceDecl struct {
		Span
		Names  []*Ident // more than one for namespace A::B
		Inline bool
		Decls  []Decl
	}

	// A NamespaceAlias is namespace N = A::B;
	NamespaceAlias struct {
		Span
		Name *Ident
		To   *Name
	}

	// A UsingDirective is using namespace A::B;
	UsingDirective struct {
		Span
		Name *Name
	}

	// A UsingDecl is using A::b; also of base class members and constructors.
	UsingDecl struct {
		Span
		Name     *Name
		Typename bool
		Pack     bool
	}

	// An AliasDecl is using N = T; or typedef T N;
	AliasDecl struct {
		Span
		Name *Ident
		Type TypeExpr
	}

	// A LinkageDecl is extern "C" { ... }. Declarations in it have ExternC set.
	LinkageDecl struct {
		Span
		Lang  string
		Decls []Decl
	}

	// A StaticAssertDecl is static_assert(Cond, Message).
	StaticAssertDecl struct {
		Span
		Cond    Expr
		Message string
	}

	// A ClassDecl declares or defines a class, struct or union. The name is nil for
	// an unnamed one, and has template arguments for a specialisation.
	ClassDecl struct {
		Span
		Kind    ClassKind
		Name    *Name
		Attrs   *Attributes
		Final   bool
		Defined bool // has a body
		Bases   []*Base
		Members []Decl // with AccessDecl among them
		Pack    int    // of #pragma pack; 0 for none
	}

	// A Base is one base class.
	Base struct {
		Span
		Access  Access // NoAccess for the default
		Virtual bool
		Type    TypeExpr
		Pack    bool // Bases...
	}

	// An AccessDecl is public:, protected: or private:
	AccessDecl struct {
		Span
		Access Access
	}

	// An EnumDecl declares or defines an enumeration.
	EnumDecl struct {
		Span
		Name    *Name // nil for an unnamed one
		Scoped  bool
		Base    TypeExpr // nil when not given
		Defined bool
		Consts  []*EnumConst
	}

	// An EnumConst is one enumerator.
	EnumConst struct {
		Span
		Name  *Ident
		Value Expr // nil for the previous one plus 1
	}

	// A FuncDecl declares or defines a function, of a namespace or a class.
	FuncDecl struct {
		Span
		Specs Specs
		Attrs *Attributes
		Name  *Name // its last segment may be an operator, a conversion or a destructor
		Type  *FuncType
		Kind  FuncKind
		// Inits are a constructor's member initialisers, read with the body.
		Body      *Body // nil for a declaration
		Defaulted bool
		Deleted   bool
		Pure      bool
		Override  bool
		Final     bool
	}

	// A VarDecl declares one variable, static data member or field.
	VarDecl struct {
		Span
		Specs Specs
		Attrs *Attributes
		Name  *Name // nil for an unnamed bit-field
		Type  TypeExpr
		Width Expr // of a bit-field; nil for none
		Init  *Init
		// Bindings are the names of a structured binding; Name is nil then.
		Bindings []*Ident
	}

	// An Init is how a variable is initialised: = X, (X, ...), or {X, ...}.
	Init struct {
		Span
		Kind InitKind
		Args []Expr // one for CopyInit; the list itself for ListInit
	}

	// A TemplateDecl is template <Params> Decl. No Params are those of an explicit
	// specialisation, template <>.
	TemplateDecl struct {
		Span
		Params []*TemplateParam
		Decl   Decl // *ClassDecl, *FuncDecl, *VarDecl, *AliasDecl, *TemplateDecl, *FriendDecl
	}

	// A TemplateParam is one parameter of a template.
	TemplateParam struct {
		Span
		Kind    TemplateParamKind
		Name    *Ident // nil for an unnamed one
		Pack    bool
		Type    TypeExpr         // of a value
		Params  []*TemplateParam // of a template
		Default *TemplateArg     // nil for none
	}

	// An InstantiationDecl is template Decl, or extern template Decl.
	InstantiationDecl struct {
		Span
		Extern bool
		Decl   Decl
	}

	// A FriendDecl is friend Decl; Type is set for friend class X.
	FriendDecl struct {
		Span
		Decl Decl
		Type TypeExpr
	}

	// A DeductionGuide is Name(Params) -> Type;
	DeductionGuide struct {
		Span
		Specs  Specs // Explicit
		Name   *Name
		Params []*Param
		Type   TypeExpr
	}

	// An OpaqueDecl is a declaration of the host that could not be parsed. Names are
	// identifiers that it seems to declare; Diags is why it could not.
	OpaqueDecl struct {
		Span
		Names []string
		Diags []*source.Diagnostic
	}

	// An EmptyDecl is a lone semicolon.
	EmptyDecl struct{ Span }

	// An AsmDecl is asm("...") at namespace scope.
	AsmDecl struct{ Span }
)

// A ClassKind is the keyword of a class.
type ClassKind uint8

// The kinds of classes.
const (
	Struct ClassKind = iota
	Class
	Union
)

// An Access is public, protected or private.
type Access uint8

// The kinds of access.
const (
	NoAccess Access = iota
	Public
	Protected
	Private
)

// A FuncKind says what a function is by its declaration's form.
type FuncKind uint8

// The kinds of functions.
const (
	Plain FuncKind = iota
	Constructor
	Destructor
	Conversion // operator T()
)

// An InitKind is the form of an initialiser.
type InitKind uint8

// The forms: T v = x; T v(x, y); T v{x, y} and T v = {x, y}.
const (
	CopyInit InitKind = iota
	DirectInit
	ListInit     // T v{x}
	CopyListInit // T v = {x}
)

// A TemplateParamKind is what a template's parameter stands for.
type TemplateParamKind uint8

// The kinds of template parameters.
const (
	TypeParam TemplateParamKind = iota
	ValueParam
	TemplateTemplateParam
)

// A Param is a parameter of a function.
type Param struct {
	Span
	Specs   Specs
	Attrs   *Attributes
	Name    *Ident // nil for an unnamed one
	Type    TypeExpr
	Default Expr // nil for none; an *InitList may be one
	Pack    bool // T... name
}

// A Body is a function's body, which is read when it is first asked for: with its
// member initialisers, and with errors in it reported then.
type Body struct {
	Span
	Tokens []cpp.Token // from the colon or brace to the closing brace
	Reader BodyReader  // nil for a body that has been read
	// First is the place of Tokens[0] among the unit's tokens.
	First int
	// Host reads parts of the body for what is done on the host; nil for lambdas.
	Host HostReader

	tree *BodyTree
}

// A BodyReader parses a body.
type BodyReader interface {
	// Read parses the body. A body whose tree passes may be read again.
	Read() *BodyTree
	// Pass reads the body b for [Body.Use].
	Pass(b *Body, use func(t *BodyTree, passes bool))
}

// A HostReader reads of a host function's body what device code needs, without a word about
// what cannot be parsed.
type HostReader interface {
	// Launches returns the launches, found by their <<<. Config and Args are nil if they
	// cannot be parsed.
	Launches() []*LaunchExpr
	// At returns the declarations in scope at a token, and the lambda that begins there.
	At(token int) ([]Decl, *LambdaExpr)
}

// Launches returns the launches of [Body.Host].
func (b *Body) Launches() []*LaunchExpr {
	if b.Host == nil {
		return nil
	}
	return b.Host.Launches()
}

// A BodyTree is a body that has been read.
type BodyTree struct {
	Inits []*MemberInit
	Block *Block // never nil
}

// A MemberInit is one member initialiser of a constructor: of a field, or of a base
// or the class itself, whose name is a type's.
type MemberInit struct {
	Span
	Name *Name
	Init *Init
	Pack bool
}

// Tree returns the body, reading it if that has not been done.
func (b *Body) Tree() *BodyTree {
	if b.tree == nil {
		b.tree = b.Reader.Read()
	}
	return b.tree
}

// Use calls f with the body, for an analysis that is the only one. If the tree passes, it declares
// nothing that f needs for longer, and its memory is used for the next body then.
func (b *Body) Use(f func(t *BodyTree, passes bool)) {
	if b.tree == nil {
		b.Reader.Pass(b, f)
	} else {
		f(b.tree, false)
	}
}

// Keep sets the tree of a body that has been read.
func (b *Body) Keep(t *BodyTree) { b.tree = t }

func (*NamespaceDecl) decl()     {}
func (*NamespaceAlias) decl()    {}
func (*UsingDirective) decl()    {}
func (*UsingDecl) decl()         {}
func (*AliasDecl) decl()         {}
func (*LinkageDecl) decl()       {}
func (*StaticAssertDecl) decl()  {}
func (*ClassDecl) decl()         {}
func (*AccessDecl) decl()        {}
func (*EnumDecl) decl()          {}
func (*FuncDecl) decl()          {}
func (*VarDecl) decl()           {}
func (*TemplateDecl) decl()      {}
func (*InstantiationDecl) decl() {}
func (*FriendDecl) decl()        {}
func (*DeductionGuide) decl()    {}
func (*OpaqueDecl) decl()        {}
func (*EmptyDecl) decl()         {}
func (*AsmDecl) decl()           {}

// String returns the keyword.
func (k ClassKind) String() string { return [...]string{"struct", "class", "union"}[k] }
