package hir

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/types"
)

// A Program is what the device executes of one translation unit.
type Program struct {
	Types *types.Table
	// Classes are the complete classes that the rest uses, each behind those it contains.
	Classes []*types.Class
	Vars    []*Var // of namespaces, static members and static locals, in order of use
	// Funcs are kernels first, then in order of first use. Those of other translation units,
	// in relocatable device code, have no bodies.
	Funcs []*Func
	// Host says that the program is the host's side. Kernels are those that it launches or
	// names; functions without a body are the machine's.
	Host    bool
	Kernels []*Func
}

// A FuncKind is where a function runs.
type FuncKind uint8

// The kinds of functions.
const (
	DeviceFunc FuncKind = iota
	Kernel
)

// A Func is one function, or one instance of a template.
type Func struct {
	ast.Span
	Kind   FuncKind
	Name   string // as C++ writes it, qualified, with template arguments: for messages
	Symbol string // the mangled name, or the plain one of extern "C" and our builtins
	// Builtin is the compiler's function that this declares; it has no body then.
	Builtin string

	This     *Var // a pointer to the object; nil for functions that are no members
	Params   []*Var
	Result   types.Type // may be a reference
	Variadic bool
	// Named is the local variable of the outermost block that every return names, if there is
	// one: the result object itself, which no return copies ([class.copy.elision]/1).
	Named *Var
	Body  *Block // nil for a declaration, and before it is analysed
	// Inits of a constructor are statements at the beginning of Body.
	Constructor, Destructor bool
	Of                      *types.Class // of a member
	ForceInline, NoInline   bool
	NoReturn                bool
	Constexpr               bool
	Bounds                  []int64 // __launch_bounds__, evaluated; nil for none
	Cluster                 []int64
	Trivial                 bool // a special member that does nothing but copy bytes, or nothing

	Linkage  Linkage
	Exported bool // the unit has it for others, whether or not a kernel reaches it
	Decl     any  // what the analysis knows of it, or nil
	Used     bool // a kernel reaches it
}

// A Linkage is how other translation units see a symbol, in relocatable device code.
type Linkage uint8

// The linkages. Without relocatable device code, every symbol is Internal.
const (
	Internal Linkage = iota
	External         // one definition in the program
	Weak             // several definitions that are equal: of inline functions and templates
)

// MangledName implements types.Entity.
func (f *Func) MangledName() string { return f.Symbol }

// A Space is the memory that a variable is in.
type Space uint8

// The memories.
const (
	Local    Space = iota // of a function, parameters among them
	Device                // __device__
	Constant              // __constant__
	Shared                // __shared__, of a function or the file
	SharedX               // extern __shared__
	Managed               // __managed__
)

// A Var is a variable or parameter.
type Var struct {
	ast.Span
	Name   string // as written; "" for an unnamed one
	Symbol string // mangled, of those that are not local
	Type   types.Type
	Space  Space
	Static bool // a static local or a member: one for the program
	Align  int64
	// Init initialises it: a prvalue of its type, a glvalue for a reference, or nil
	// for default initialisation that does nothing. Static ones have a Value instead.
	Init    Expr
	Value   *Const // of a variable that is initialised statically
	Destroy *Func  // nil when the destructor is trivial
	// Const is the value of a variable usable in constant expressions: sema replaces
	// reads of it, and it has memory only if its address is needed.
	Const *Const
	// Builtin is the compiler's variable that this declares, such as threadIdx.
	Builtin      string
	GridConstant bool
	Restrict     bool
	// Linkage is that of a variable that is not local; Extern says that another translation
	// unit defines it.
	Linkage Linkage
	Extern  bool

	Decl any  // what the analysis knows of it, or nil
	Used bool // a kernel reaches it
}

// MangledName implements types.Entity.
func (v *Var) MangledName() string { return v.Symbol }

// A Category is the value category of an expression.
type Category uint8

// The value categories.
const (
	PRValue Category = iota
	LValue
	XValue
)

// An Expr is an expression. Its type is never a reference.
type Expr interface {
	Pos() Pos
	End() Pos
	At() ast.Span
	Type() types.Type
	Category() Category
}

// Info is what every expression has; it is embedded in each.
type Info struct {
	ast.Span
	T   types.Type
	Cat Category
}

// At returns where the expression is.
func (i *Info) At() ast.Span { return i.Span }

// Type returns the expression's type.
func (i *Info) Type() types.Type { return i.T }

// Category returns the expression's value category.
func (i *Info) Category() Category { return i.Cat }

type (
	// A ConstExpr is a scalar constant.
	ConstExpr struct {
		Info
		Value Const
		// Literal is set for an integer literal as written: 0 is a null pointer then.
		Literal bool
	}

	// A StringExpr is a string literal, an lvalue of an array of constant characters.
	StringExpr struct {
		Info
		Bytes []byte // with the final zero; of elements of Type
	}

	// A VarRef names a variable.
	VarRef struct {
		Info
		Var *Var
	}

	// A FuncRef names a function: an lvalue of function type.
	FuncRef struct {
		Info
		Func *Func
	}

	// A Field is X.Field, of the category of X. Of a field of reference type it is an lvalue
	// of what the field refers to.
	Field struct {
		Info
		X     Expr // of class type; a glvalue, or a prvalue whose field is read
		Field *types.Field
	}

	// A MemberPtr is &C::m as a value; of a field its offset, of a function the function.
	MemberPtr struct {
		Info
		Field *types.Field
		Func  *Func
	}

	// A FieldAt is X.*Ptr, of the category of X; Ptr is a prvalue of pointer to data
	// member type, and X a glvalue of its class.
	FieldAt struct {
		Info
		X, Ptr Expr
	}

	// A Deref is *X, an lvalue; X is a pointer's prvalue.
	Deref struct {
		Info
		X Expr
	}

	// An AddrOf is &X, of an lvalue.
	AddrOf struct {
		Info
		X Expr
	}

	// An Unary is - ~ ! on a prvalue of the result's type.
	Unary struct {
		Info
		Op UnaryOp
		X  Expr
	}

	// A Binary is arithmetic, a comparison or a logical operation, whose operands have
	// been converted to a common type; for shifts to their own; for pointers, X is one
	// and Y an integer (Add, Sub, and X the integer's place is never used), or both are.
	Binary struct {
		Info
		Op   BinaryOp
		X, Y Expr
	}

	// An Assign is X = Y of scalars, or X Op= Y where Computed is the type that the
	// operation is done in (X is converted to it and the result back); Y has it, or is
	// an integer for pointers and shifts. Its value is the lvalue X.
	Assign struct {
		Info
		X        Expr
		Op       BinaryOp // NoOp for a plain assignment
		Y        Expr
		Computed types.Type
	}

	// An IncDec is ++X, --X (lvalues), X++ or X-- (prvalues) of scalars.
	IncDec struct {
		Info
		X       Expr
		Dec     bool
		Postfix bool
	}

	// A Copy copies the bytes of a glvalue of trivially copyable class type, or of an array
	// of such or of scalars: a prvalue; with To, an assignment whose value is the lvalue To.
	Copy struct {
		Info
		To Expr
		X  Expr
	}

	// A Cond is C ? X : Y; X and Y have its type and category, or are void.
	Cond struct {
		Info
		C, X, Y Expr
	}

	// A Comma is X, Y.
	Comma struct {
		Info
		X, Y Expr
	}

	// A Convert is a conversion of a scalar, or between pointers.
	Convert struct {
		Info
		Kind Conversion
		X    Expr
		// Path is of ToBase and FromBase: from the class of X on, one base at a time; of
		// MemberOfDerived and MemberOfBase from the derived class on.
		Path *Path
	}

	// A Call calls a function. Result references are lvalues or xvalues of what they
	// refer to. This is a prvalue pointer.
	Call struct {
		Info
		Func *Func // nil when Fun is called
		Fun  Expr  // a prvalue of pointer to function type
		This Expr
		Args []Expr // one for a parameter; more for variadic ones
		// RightFirst is set for assignment operators: the last argument is evaluated
		// before This or the first argument.
		RightFirst bool
	}

	// A Construct initialises an object of class type by a constructor: a prvalue.
	Construct struct {
		Info
		Func *Func
		Args []Expr
		// Zeroed objects are filled with zeros first.
		Zero bool
	}

	// An Aggregate initialises an object of class or array type from its elements: a
	// prvalue. Elements that are not named are zero, or their default initialiser,
	// which sema has put in.
	Aggregate struct {
		Info
		Bases  []Expr // by base, nil for empty ones
		Fields []Expr // by field; nil for a zero one. Of a union all but one are nil
		Elems  []Expr // of an array, up to the last that is given
		Fill   Expr   // initialises the array's other elements; nil for zero
		// Rest is called on the object then: it initialises the fields after Fields by
		// their default initialisers, which name the object. Nil where they do not.
		Rest *Func
	}

	// A Zero is the zero value of any type: a prvalue.
	Zero struct{ Info }

	// A Materialize makes a temporary object of a prvalue: an xvalue, or an lvalue
	// where a reference to const extends its life to that of the variable.
	Materialize struct {
		Info
		X       Expr
		Destroy *Func // nil when the destructor is trivial
		Extend  *Var  // the reference whose scope it lives in; nil for the full expression
	}

	// A New allocates and initialises objects.
	New struct {
		Info
		Elem  types.Type
		Count Expr  // nil for one
		Place Expr  // the address of placement new; nil for malloc or Alloc
		Alloc *Call // of the allocation function, whose first argument is the size; nil for malloc
		// Checked says that nothing is initialised where the memory's address is null.
		Checked bool
		Cookie  int64  // bytes in front of an array, the last 8 of which are its length
		First   []Expr // of the first elements of an array
		Init    Expr   // of each other element; nil for none
		Whole   Expr   // of an array of a constant length, in place of First and Init
	}

	// A Delete destroys objects and frees their memory.
	Delete struct {
		Info
		X       Expr
		Array   bool
		Destroy *Func
		Free    *Func // the deallocation function, of the address or of it and the size; nil for free
		Cookie  int64 // as of New
	}

	// A Launch is a launch: Config is the grid and the block, of class dim3, the bytes of dynamic
	// shared memory and the stream, as far as they are given.
	Launch struct {
		Info
		Func   *Func
		Config []Expr
		Args   []Expr
	}

	// A StmtExpr is GNU's ({ ... }); Value is the last expression, nil for void.
	StmtExpr struct {
		Info
		Body  []Stmt
		Value Expr
	}
)

// A UnaryOp is a prefix operator.
type UnaryOp uint8

// The prefix operators.
const (
	Neg UnaryOp = iota
	Compl
	Not
)

// A BinaryOp is an operator of two operands.
type BinaryOp uint8

// The operators. LogAnd and LogOr evaluate their second operand by need.
const (
	NoOp BinaryOp = iota
	Add
	Sub
	Mul
	Div
	Rem
	And
	Or
	Xor
	Shl
	Shr
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	LogAnd
	LogOr
)

// A Path is the classes between a class and a base of it, which few conversions have.
type Path struct{ classes []*types.Class }

// NewPath returns the path through classes; nil for none.
func NewPath(classes []*types.Class) *Path {
	if len(classes) == 0 {
		return nil
	}
	return &Path{classes}
}

// Classes returns the classes of a path, which may be nil.
func (p *Path) Classes() []*types.Class {
	if p == nil {
		return nil
	}
	return p.classes
}

// A Conversion is what a Convert does.
type Conversion uint8

// The conversions. All but the first take prvalues.
const (
	Load            Conversion = iota // a scalar glvalue to its value
	Integral                          // between integers, bool and enumerations as sources
	ToBool                            // a scalar compared with zero
	Floating                          // between floating types
	IntToFloat                        // an integer or bool to a floating type
	FloatToInt                        // truncated
	NullToPtr                         // a null pointer constant to a pointer
	PtrCast                           // between pointers, also to and from void *
	PtrToInt                          // reinterpret_cast
	IntToPtr                          // reinterpret_cast
	Decay                             // an array glvalue to a pointer to its first element
	FuncDecay                         // a function to its address
	ToBase                            // a pointer, or a glvalue, to that of a base
	FromBase                          // static_cast the other way
	Qualify                           // adds or removes qualifiers, of pointers and glvalues
	Reinterpret                       // a glvalue seen as one of another type
	ToVoid                            // the value is not used
	MemberOfDerived                   // a pointer to a member of a base to one of the derived class
	MemberOfBase                      // static_cast the other way
	BitCast                           // __builtin_bit_cast of values of one size
)

// A Stmt is a statement.
type Stmt interface {
	Pos() Pos
	End() Pos
	stmt()
}

type (
	// A Block is a scope.
	Block struct {
		ast.Span
		Stmts []Stmt
	}

	// A VarStmt declares variables of the scope it is in. Static and __shared__ ones
	// are in it too.
	VarStmt struct {
		ast.Span
		Vars []*Var
	}

	// An ExprStmt is a full expression.
	ExprStmt struct {
		ast.Span
		X Expr
	}

	// An Init initialises the object X with Y, as a constructor's member initialiser does:
	// X is a glvalue of a field, of a base (a Convert ToBase) or, in a constructor that
	// delegates, of the object itself; Y is a prvalue of its type, or a glvalue for a
	// field that is a reference.
	Init struct {
		ast.Span
		X, Y Expr
	}

	// An If is if (Cond) Then else Else. A declared condition is in a Block around it.
	If struct {
		ast.Span
		Cond Expr
		Then Stmt
		Else Stmt // nil for none
	}

	// A Loop is for (; Cond; Post) Body, or do Body while (Cond); a for's Init is in a
	// Block around it. CondVar is a variable that the condition declares anew each time.
	Loop struct {
		ast.Span
		Do      bool
		CondVar *Var
		Cond    Expr // nil for none
		Post    Expr
		Body    Stmt
		Unroll  int // 0 for no pragma, -1 for one without a count
	}

	// A Switch is switch (X) Body.
	Switch struct {
		ast.Span
		X    Expr
		Body Stmt
	}

	// A Case is a label in a Switch; Default has no values.
	Case struct {
		ast.Span
		Default  bool
		From, To int64
	}

	// A Return is return X; X initialises the result, or is a glvalue for a reference.
	Return struct {
		ast.Span
		X Expr // nil for none
	}

	// A Break leaves the innermost Loop or Switch.
	Break struct{ ast.Span }

	// A Continue starts the next iteration of the innermost Loop.
	Continue struct{ ast.Span }

	// A Label is a target of Goto.
	Label struct {
		ast.Span
		Name string
	}

	// A Goto jumps to a label.
	Goto struct {
		ast.Span
		Name string
	}

	// An Asm is inline PTX. Outputs are lvalues, inputs prvalues.
	Asm struct {
		ast.Span
		Volatile bool
		Memory   bool // clobbers memory
		Template string
		Outputs  []AsmOperand
		Inputs   []AsmOperand
	}
)

// An AsmOperand is an operand of inline PTX.
type AsmOperand struct {
	Name       string
	Constraint string
	X          Expr
}

func (*Block) stmt()    {}
func (*VarStmt) stmt()  {}
func (*ExprStmt) stmt() {}
func (*Init) stmt()     {}
func (*If) stmt()       {}
func (*Loop) stmt()     {}
func (*Switch) stmt()   {}
func (*Case) stmt()     {}
func (*Return) stmt()   {}
func (*Break) stmt()    {}
func (*Continue) stmt() {}
func (*Label) stmt()    {}
func (*Goto) stmt()     {}
func (*Asm) stmt()      {}
