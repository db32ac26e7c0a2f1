package check

import "irgl/syntax"

// An ObjectKind says what a name stands for.
type ObjectKind uint8

const (
	VarObj      ObjectKind = iota // local or global variable
	ParamObj                      // parameter
	FuncObj                       // function, kernel or host function with a body or declaration
	BuiltinObj                    // function or variable of the language: atomicAdd, threadIdx, INF
	TypeObj                       // typedef, tag, node, edge
	ConstObj                      // enumerator or #define
	PropObj                       // property of the graph
	GraphObj                      // the graph
	WorklistObj                   // WL
	LabelObj                      // of goto
)

// An Object is what a name was resolved to.
type Object struct {
	Kind   ObjectKind
	Name   string
	Type   Type
	Decl   syntax.Node  // the declaring node; nil for a builtin
	Func   *FuncInfo    // of a FuncObj
	Attrs  syntax.Attrs // of a variable or function
	Global bool         // a variable declared outside functions
	Const  *Const       // value of a ConstObj; nil when not constant
	// Addressed reports that the address of a variable is taken or it is an
	// array or struct, so that it needs memory.
	Addressed bool
	Volatile  bool
}

// A Const is the value of a constant expression, in its type.
type Const struct {
	Int   int64   // of an integer type; an unsigned 64-bit value as its bits
	Float float64 // of a floating type
}

// A FuncInfo holds what check found out about one function, kernel or host
// function.
type FuncInfo struct {
	Decl    *syntax.FuncDecl
	Object  *Object
	Type    *Func
	Params  []*Object // nil entries for parameters without a name
	Calls   []*FuncInfo
	Invokes []*FuncInfo // kernels, of a host function

	// Of kernels, in the kernel's own text and the functions it calls:
	UsesWL  bool // names WL at all
	Pops    bool // iterates over WL or pops
	Pushes  bool
	Reduces bool          // has ReduceAndReturn
	Reads   []*Object     // properties and globals read, in order of first use
	Writes  []*Object     // properties and globals written, atomics included
	Aggrs   []syntax.Aggr // reductions used by invocations: NoAggr, Any, All, sorted
	OuterFA bool          // the body has an outermost ForAll
}

// Info holds the results of checking one file.
type Info struct {
	File *syntax.File

	Types  map[syntax.Expr]Type      // of every expression
	Consts map[syntax.Expr]*Const    // of constant expressions
	Named  map[syntax.TypeExpr]Type  // what each type name stands for
	Uses   map[*syntax.Ident]*Object // what a name refers to
	Defs   map[*syntax.Ident]*Object // what a name declares; also the first assignment in IrGL
	// Declares holds the first assignments that declare their left side.
	Declares map[*syntax.AssignExpr]*Object

	Funcs   []*FuncInfo // functions with bodies, in order
	Globals []*Object   // global variables, in order
	Structs []*Struct   // complete structs, in order of definition

	// Of an .irgl file:
	Graph    *syntax.GraphDecl // nil for a .cu file
	Props    []*Prop           // in order
	Requires Requires
	Entry    *FuncInfo         // the host function that is the program
	Racy     map[string]string // property or global name -> reason
}

// A Prop is a property of the graph.
type Prop struct {
	Object *Object
	Decl   *syntax.PropDecl
	Edge   bool
	Output bool // a result of the program
}

// Requires is what a program needs of its graph.
type Requires struct {
	Weights, Symmetric, Sorted, NoLoops, NoDups bool
}

// FuncOf returns the FuncInfo of the function called name, or nil.
func (i *Info) FuncOf(name string) *FuncInfo {
	for _, f := range i.Funcs {
		if f.Decl.Name.Name == name {
			return f
		}
	}
	return nil
}

// PropOf returns the property called name, or nil.
func (i *Info) PropOf(name string) *Prop {
	for _, p := range i.Props {
		if p.Object.Name == name {
			return p
		}
	}
	return nil
}
