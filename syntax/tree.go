package syntax

import "irgl/internal/source"

// A Dialect selects which of the two languages a text is in.
type Dialect uint8

const (
	IrGL Dialect = iota // .irgl files
	CUDA                // .cu files
)

// A Pos is a place in a text: its methods give the line, the column, and
// "file:line:column". It has this name for other modules.
type Pos = source.Pos

// A Span is the range of source text a node comes from. A node made by the
// compiler has the span of the construct it was made for.
type Span struct{ From, To source.Pos }

// Pos returns the position of the node's first character.
func (s Span) Pos() source.Pos { return s.From }

// End returns the position after the node's last character.
func (s Span) End() source.Pos { return s.To }

// SetSpan changes the range, of any node by its pointer: the zero Span is that of
// a node that stands nowhere.
func (s *Span) SetSpan(to Span) { *s = to }

// A Node is any part of the tree.
type Node interface {
	Pos() source.Pos
	End() source.Pos
	visit(places) // calls the visitor with the places of the node's children
}

// A File is one parsed text.
type File struct {
	Span
	Name     string
	Dialect  Dialect
	Decls    []Decl
	Comments []*Comment // in order of position
	// Attributes are those of statements and of Host functions; nil for none.
	Attributes map[Node][]*Attribute
}

// A Comment is one // or /* */ comment, with its markers.
type Comment struct {
	Span
	Text string
}

// A Decl is a declaration at file level: *[GraphDecl], *[MeshDecl],
// *[DefineDecl], *[NamesDecl], *[CBlock], *[VarDecls], *[TypeDecl],
// *[FuncDecl].
type Decl interface {
	Node
	decl()
}

// A GraphDecl declares the program's graph and its properties.
//
//	Graph graph {
//		Requires weights, symmetric;
//		Output Node int dist = INF;
//		Edge int weight;
//		Racy dist "every writer lowers it with atomicMin";
//	}
type GraphDecl struct {
	Span
	Name     *Ident
	Requires []*Ident // weights, symmetric, sorted, noloops, nodups
	Props    []*PropDecl
	Racy     []*RacyDecl
}

// A MeshDecl declares the program's triangle mesh and its properties. Every
// point has coordinates and every element corners and neighbours without a
// declaration.
//
//	Mesh mesh {
//		Requires delaunay;
//		Element bool bad;
//		Racy deleted "only the winner of an element deletes it";
//	}
type MeshDecl struct {
	Span
	Name     *Ident
	Requires []*Ident // delaunay
	Props    []*PropDecl
	Racy     []*RacyDecl
}

// A Domain is what a property has one value each of.
type Domain uint8

// The domains: those of a Graph, and those of a Mesh.
const (
	NodeDomain Domain = iota
	EdgeDomain
	PointDomain
	ElementDomain
)

// String returns the word that declares a property of the domain.
func (d Domain) String() string { return [...]string{"Node", "Edge", "Point", "Element"}[d] }

// OfMesh reports whether d is a domain of a Mesh, which kernels can add to.
func (d Domain) OfMesh() bool { return d >= PointDomain }

// A PropDecl declares one value for each of a domain.
type PropDecl struct {
	Span
	Output bool
	Of     Domain
	Type   TypeExpr
	Name   *Ident
	Init   Expr // may name id, and degree of nodes; nil for zero
}

// A RacyDecl says that data races on a property or global are intended, with
// the reason.
type RacyDecl struct {
	Span
	Name   *Ident
	Reason string
}

// A NamesDecl tells the compiler of names that the C text of the program
// brings along, such as macros of a header, each an int (report, section 2):
//
//	Names EDGE_LIMIT, DEBUG;
type NamesDecl struct {
	Span
	Names []*Ident
}

// A CBlock is text that is passed to the CUDA program as it is, with what it
// reads and writes of the program's properties and variables (report, section
// 1). It is a declaration at file level and a statement in functions, where it
// has one way in and one way out.
//
//	CBlock "level_of(n) += warp_sum(x);" Reads (x) Writes (level);
type CBlock struct {
	Span
	Text   string
	Reads  []*Ident
	Writes []*Ident
}

// A DefineDecl is an object-like macro kept in the tree: #define NAME expr.
type DefineDecl struct {
	Span
	Name  *Ident
	Value Expr
}

// A TypeDecl declares a type: a struct, union or enum with a tag, a typedef
// (Name set), or both. It is a declaration at file level and a statement in
// functions.
type TypeDecl struct {
	Span
	Name *Ident // of a typedef; nil otherwise
	Type TypeExpr
}

// A FuncKind says what a function is.
type FuncKind uint8

const (
	PlainFunc  FuncKind = iota // a C function, with CUDA qualifiers in Attrs
	KernelFunc                 // IrGL Kernel
	HostFunc                   // IrGL Host
)

// Attrs are the qualifiers of a declaration, as a set.
type Attrs uint16

const (
	Static Attrs = 1 << iota
	Extern
	ExternC // extern "C"
	Inline
	ForceInline // __forceinline__
	NoInline    // __noinline__
	Global      // __global__
	Device      // __device__
	HostAttr    // __host__
	Shared      // __shared__
	Constant    // __constant__
	Managed     // __managed__
	Output      // IrGL: the value is a result of the program
)

// Has reports whether a contains all of b.
func (a Attrs) Has(b Attrs) bool { return a&b == b }

// A FuncDecl declares or defines a function, a kernel or a host function.
type FuncDecl struct {
	Span
	Kind   FuncKind
	Attrs  Attrs
	Result TypeExpr // nil for Kernel and Host: void
	Name   *Ident
	Params []*Param
	Bounds []Expr // __launch_bounds__(maxThreads, minBlocks) of a kernel; nil for none
	// Cluster is __cluster_dims__(x, y, z) of a CUDA kernel, in blocks; nil for none.
	Cluster []Expr
	Body    *Block // nil for a declaration
}

// A Param is a parameter. In a Kernel, Type is nil for the graph and for a
// parameter whose type its calls give. In a Host function Default is the
// value when the command line gives none.
type Param struct {
	Span
	Type    TypeExpr
	Name    *Ident // nil in a declaration without names
	Default Expr
}

// VarDecls declares variables of one base type: int i = 0, *p;
// It is a declaration at file level and a statement in functions.
type VarDecls struct {
	Span
	Attrs Attrs
	Align Expr       // __align__(n), or nil
	Vars  []*VarDecl // at least one
}

// A VarDecl is one variable with its complete type.
type VarDecl struct {
	Span
	Type TypeExpr
	Name *Ident
	Init Expr // nil, an expression or an *[InitList]
}

func (*GraphDecl) decl()  {}
func (*MeshDecl) decl()   {}
func (*NamesDecl) decl()  {}
func (*CBlock) decl()     {}
func (*DefineDecl) decl() {}
func (*TypeDecl) decl()   {}
func (*FuncDecl) decl()   {}
func (*VarDecls) decl()   {}

// A TypeExpr is the name of a type: *[BasicType], *[NamedType], *[TagType],
// *[PointerType], *[ArrayType], *[FuncType], *[QualType].
type TypeExpr interface {
	Node
	typeExpr()
}

// A BasicType is an arithmetic type or void, in the canonical spelling: void,
// bool, char, "signed char", "unsigned char", short, "unsigned short", int,
// "unsigned int", long, "unsigned long", "long long", "unsigned long long",
// float, double.
type BasicType struct {
	Span
	Name string
}

// A NamedType is a typedef name, a tag used without its keyword, or one of
// IrGL's types node and edge.
type NamedType struct {
	Span
	Name string
}

// A TagKind is struct, union or enum.
type TagKind uint8

// The kinds of tagged types.
const (
	StructTag TagKind = iota
	UnionTag
	EnumTag
)

// A TagType is a struct, union or enum, defined here or elsewhere.
type TagType struct {
	Span
	Kind    TagKind
	Align   Expr       // __align__(n), or nil
	Tag     *Ident     // nil for an anonymous one
	Defined bool       // has a body here
	Fields  []*VarDecl // of a struct or union body
	Enums   []*EnumConst
}

// Padding is how the names of fields begin that are nothing but room, of programs that were C++: they
// have no value, and an object is copied without them.
const Padding = "irgl_pad"

// An EnumConst is one enumerator.
type EnumConst struct {
	Span
	Name  *Ident
	Value Expr // nil for the previous one plus 1
}

// A PointerType is a pointer, with its own qualifiers.
type PointerType struct {
	Span
	Elem     TypeExpr
	Const    bool // the pointer itself
	Volatile bool
	Restrict bool
}

// An ArrayType is an array; Len is nil for [].
type ArrayType struct {
	Span
	Elem TypeExpr
	Len  Expr
}

// A FuncType is the type of a function that a pointer points to.
type FuncType struct {
	Span
	Result TypeExpr
	Params []*Param
}

// A QualType is a const or volatile version of a type that is not a pointer.
type QualType struct {
	Span
	Const, Volatile bool
	Elem            TypeExpr
}

func (*BasicType) typeExpr()   {}
func (*NamedType) typeExpr()   {}
func (*TagType) typeExpr()     {}
func (*PointerType) typeExpr() {}
func (*ArrayType) typeExpr()   {}
func (*FuncType) typeExpr()    {}
func (*QualType) typeExpr()    {}

// The places of each declaration and type that hold other nodes, in the order of the text.

func (n *File) visit(p places) { each(p, n.Decls) }
func (*Comment) visit(places)  {}

func (n *GraphDecl) visit(p places) {
	one(p, &n.Name)
	each(p, n.Requires)
	each(p, n.Props)
	each(p, n.Racy)
}

func (n *MeshDecl) visit(p places) {
	one(p, &n.Name)
	each(p, n.Requires)
	each(p, n.Props)
	each(p, n.Racy)
}

func (n *PropDecl) visit(p places)   { p.typ(&n.Type); one(p, &n.Name); p.expr(&n.Init) }
func (n *RacyDecl) visit(p places)   { one(p, &n.Name) }
func (n *NamesDecl) visit(p places)  { each(p, n.Names) }
func (n *CBlock) visit(p places)     { each(p, n.Reads); each(p, n.Writes) }
func (n *DefineDecl) visit(p places) { one(p, &n.Name); p.expr(&n.Value) }
func (n *TypeDecl) visit(p places)   { one(p, &n.Name); p.typ(&n.Type) }

func (n *FuncDecl) visit(p places) {
	p.typ(&n.Result)
	one(p, &n.Name)
	each(p, n.Params)
	p.exprs(n.Bounds)
	p.exprs(n.Cluster)
	one(p, &n.Body)
}

func (n *Param) visit(p places)    { p.typ(&n.Type); one(p, &n.Name); p.expr(&n.Default) }
func (n *VarDecls) visit(p places) { p.expr(&n.Align); each(p, n.Vars) }
func (n *VarDecl) visit(p places)  { p.typ(&n.Type); one(p, &n.Name); p.expr(&n.Init) }
func (*BasicType) visit(places)    {}
func (*NamedType) visit(places)    {}

func (n *TagType) visit(p places) {
	p.expr(&n.Align)
	one(p, &n.Tag)
	each(p, n.Fields)
	each(p, n.Enums)
}

func (n *EnumConst) visit(p places)   { one(p, &n.Name); p.expr(&n.Value) }
func (n *PointerType) visit(p places) { p.typ(&n.Elem) }
func (n *ArrayType) visit(p places)   { p.typ(&n.Elem); p.expr(&n.Len) }
func (n *FuncType) visit(p places)    { p.typ(&n.Result); each(p, n.Params) }
func (n *QualType) visit(p places)    { p.typ(&n.Elem) }
