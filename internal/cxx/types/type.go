package types

// CV are the qualifiers const and volatile.
type CV uint8

// The qualifiers.
const (
	Const CV = 1 << iota
	Volatile
)

// A Type is a type with its qualifiers. The zero Type is no type. Types of one Table
// are the same when they are ==.
type Type struct {
	*Node
	CV CV
}

// A Kind is what a type is at its outermost.
type Kind uint8

// The kinds of types. The arithmetic ones are in the order of their conversion ranks.
const (
	Invalid Kind = iota
	Void
	Nullptr // std::nullptr_t
	Bool
	Char
	SChar
	UChar
	Char8 // C++20's; never made under C++17
	Short
	UShort
	Char16
	WChar
	Int
	UInt
	Char32
	Long
	ULong
	LongLong
	ULongLong
	Int128
	UInt128
	Float
	Double
	LongDouble // the host's; a device function that computes with it is refused

	Pointer
	LRef
	RRef
	MemberPointer
	Array // Len elements of Elem; Len is -1 for []
	Func
	ClassKind
	EnumKind

	// In patterns and placeholders only.
	Param     // a parameter of a template, as a type
	Dependent // a type that depends on parameters in a way that is not deduced
	Spec      // a template's name with arguments that depend on parameters
	Expansion // T...
	Auto      // auto, before it is deduced
	Overload  // of an expression that names several functions
	InitList  // of an expression {...}
)

// A Node is a type without qualifiers. Its fields must not be changed. Which are set
// depends on the kind.
type Node struct {
	Kind  Kind
	Elem  Type // of Pointer, LRef, RRef, MemberPointer, Array, Expansion; result of Func
	Of    Type // of MemberPointer: the class, or a type that depends on parameters
	Len   int64
	Bound *Arg // of an Array whose length depends on parameters; Len is -1 then
	Func  *FuncInfo
	Class *Class // of ClassKind
	Enum  *Enum
	Param *ParamInfo
	Spec  *SpecInfo
	Dep   *DependentInfo // of Dependent; nil for one without a name

	dependent bool
	id        uint32 // in its table, from 1: for hashing, never for order
	// ptrs are the pointers to this type, unqualified and const, once made.
	ptrs [2]*Node
	// refs are the references to this type: T&, T&&, const T& and const T&&, once made.
	refs [4]*Node
}

// A FuncInfo is what a function's type has beside its result.
type FuncInfo struct {
	Params   []Type
	Variadic bool
	CV       CV    // of a member function
	Ref      uint8 // 0, 1 for &, 2 for &&
	Noexcept bool
	// NoexceptIf is the operand of noexcept where it depends on parameters; nil otherwise.
	NoexceptIf *Arg
}

// A ParamInfo is a parameter of a template: the Index-th of the template nested
// Depth deep.
type ParamInfo struct {
	Depth, Index int
	Pack         bool
	Name         string // for messages
}

// A SpecInfo is a class template with dependent arguments, or a template template
// parameter with arguments.
type SpecInfo struct {
	Template Template
	Param    *ParamInfo // in place of Template
	Args     []Arg
}

// A DependentInfo is what is known of a type that is not deduced: a member of a type
// that depends on parameters, typename Of::Name, or with Args Of::template Name<Args>;
// or decltype(Expr).
type DependentInfo struct {
	Of   Type
	Name string
	Args []Arg // nil for none
	Expr *Expr
}

// An Expr is an expression that depends on parameters, as far as a mangled name and a
// message need it.
type Expr struct {
	// Op is the ABI's code of an operator with Args: "pl", "gt", "aa", "qu", "cl", and
	// "cv" for a conversion to Type, "st" and "at" for sizeof and alignof of Type, "sz"
	// for sizeof an expression, "sZ" for sizeof...(Param), "sr" for Name, a member of
	// Type, with TArgs if it is a template's instance, "on" for a name of a function
	// that is not found yet, "fp" for the Index-th parameter of the function, "fL0p" among its parameters, "" for a
	// Param, for the constant Value, or for the name of a function that is called, Path
	// before it with "sr" and :: before it with "gs", and "?" for what is not known.
	Op    string
	Text  string // as C++ writes it, for messages
	Type  Type   // also of the constant
	Param *ParamInfo
	Value Value
	Name  string
	Path  []string
	TArgs []Arg
	Args  []*Expr
	Index int
}

// A Template is a template as types know it: an entity with a name.
type Template interface {
	TemplateName() string
	TemplateScope() Scope
}

// A PackTemplate is a template that may have a parameter that is a pack. Arguments of a
// Spec may be given without a PackArg around those of the pack.
type PackTemplate interface {
	Template
	TemplatePack() int // its place among the parameters; -1 for none
}

// A Scope is where an entity is declared, for its name: a namespace, a class, or a
// function for local classes.
type Scope interface {
	ScopeName() string // "" for an unnamed one, and the global one
	ScopeParent() Scope
}

// A FuncScope is a function as the scope of local classes and static variables.
type FuncScope interface {
	Scope
	ScopeSymbol() *Symbol
}

// An Arg is an argument of a template: a type, a value, a template, or a pack.
type Arg struct {
	Kind     ArgKind
	Type     Type // also the type of a Value
	Value    Value
	Template Template
	Pack     []Arg
	// Pattern is the parameter that a DependentValue is, or that a TemplateArg without
	// a Template is.
	Pattern *ParamInfo
	// Expr is a DependentValue that is not deduced.
	Expr *Expr
	// Expand is set on a DependentValue or TemplateArg that is followed by "...". A type
	// is an Expansion then.
	Expand bool
}

// An ArgKind is what an argument is.
type ArgKind uint8

// The kinds of arguments.
const (
	NoArg ArgKind = iota
	TypeArg
	ValueArg
	TemplateArg
	PackArg
	DependentValue
)

// A Value is a constant that may be a template's argument: an integer, a null
// pointer, or the address of an entity.
type Value struct {
	Int    uint64 // sign-extended or zero-extended to 64 bits by its type
	Entity Entity // &entity, or a function; nil otherwise
}

// An Entity is a function or variable that an address is of.
type Entity interface{ MangledName() string }

// A Class is a class, struct or union: one entity for each definition and each
// instance of a template.
type Class struct {
	Name string // "" for an unnamed one
	// Title is what messages call a class without a name: "(lambda at a.cu:3:5)".
	Title string
	// TypedefName is the name that a typedef gives to a class without one, for linkage.
	TypedefName string
	Union       bool
	Scope       Scope
	// Of an instance of a template.
	Template Template
	Args     []Arg
	// Number tells the unnamed classes of a scope, and the classes of one name in a
	// function, apart: their place among them, from 0.
	Number int
	// Lambda is the number of a closure type in its scope, from 1; 0 for others.
	Lambda int
	// LambdaParams are the parameter types of a closure type's call operator, for mangling.
	LambdaParams []Type

	// Declares says which special members the class declares; sema sets it, the bases,
	// the fields and what follows to Pack before it asks for the layout.
	Declares SpecialMembers

	Complete bool
	Bases    []Base
	Fields   []*Field // in order, static ones not among them
	MinAlign int64    // of alignas; 0 for none
	Pack     int64    // of #pragma pack; 0 for none
	Packed   bool     // __attribute__((packed))
	// What Layout computes.
	Align    int64 // in bytes
	Size     int64 // in bytes
	DataSize int64 // without the tail padding: where a derived class's fields may begin
	Empty    bool  // no fields but empty bases
	NotPOD   bool  // by C++03's rules, which decide whether tail padding is used again
	// What the language says of it, computed by Layout too.
	Aggregate        bool
	StandardLayout   bool
	TrivialDefault   bool
	TrivialCopy      bool // copies and moves are of its bytes
	TrivialDestroy   bool
	Literal          bool
	HasUserConstruct bool
	Virtual          bool // has a virtual function or base: refused in device code
	Unsized          bool // it or a part of it has a virtual base: Size and the offsets are not the ABI's

	Decl any // sema's
	node *Node
	text string // of an instance of a template, once written
	// hasEmpty is set when it is complete and empty or contains an object of an empty
	// class.
	hasEmpty bool
	packs    bool // packed, with no field that the attribute does not apply to
}

// ScopeName returns the class's name.
func (c *Class) ScopeName() string { return c.Name }

// ScopeParent returns the scope that the class is declared in.
func (c *Class) ScopeParent() Scope { return c.Scope }

// SpecialMembers says which constructors, assignments and destructor a class declares,
// as far as its layout and classification depend on them.
type SpecialMembers uint16

// What a class declares. User-provided is what has a body, or is defaulted behind its
// first declaration.
const (
	AnyConstructor       SpecialMembers = 1 << iota // any at all, defaulted and deleted ones too
	UserConstructor                                 // one that is user-provided, explicit or inherited
	UserDefault                                     // a default constructor that is user-provided
	DefaultedDefault                                // a default constructor that is defaulted
	ConstexprConstructor                            // a constexpr one that does not copy or move
	UserCopy                                        // a copy or move constructor that is user-provided
	UserCopyAssign                                  // a copy assignment that is user-provided
	UserMoveAssign                                  // a move assignment that is user-provided
	UserDestructor                                  // a destructor that is user-provided
	DefaultInit                                     // a field with a default initialiser
)

// A Base is one base class at its offset.
type Base struct {
	Class  *Class
	Access Access
	Offset int64
}

// A Field is one non-static data member.
type Field struct {
	Name    string // "" for an anonymous union or struct, or an unnamed bit-field
	Type    Type
	Access  Access
	Mutable bool
	Offset  int64 // in bytes: of the storage unit for a bit-field
	Bit     int   // of a bit-field: first bit in the unit
	Width   int   // of a bit-field, -1 for none
	Align   int64 // of alignas; 0 for none
	Packed  bool  // __attribute__((packed))
	Shares  bool  // [[no_unique_address]]: others may be in its padding, or at its place if it is empty
	Index   int   // in Class.Fields
	Class   *Class
	Decl    any // sema's
}

// An Access is public, protected or private.
type Access uint8

// The kinds of access.
const (
	Public Access = iota
	Protected
	Private
)

// An Enum is an enumeration.
type Enum struct {
	Name   string
	Title  string // what messages call one without a name
	Number int    // as of a Class
	// TypedefName is as of a Class.
	TypedefName string
	Scope       Scope
	Scoped      bool
	Fixed       bool // its underlying type was given
	Complete    bool
	Base        Type
	Consts      []*EnumConst
	Decl        any
	node        *Node
}

// An EnumConst is one enumerator.
type EnumConst struct {
	Name  string
	Value uint64
	Enum  *Enum
}
