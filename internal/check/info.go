package check

import (
	"irgl/internal/plan"
	"irgl/syntax"
)

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
	GraphObj                      // the graph or the mesh, by its type
	WorklistObj                   // WL
	LabelObj                      // of goto
	ForeignObj                    // a name of Names, which the program's C text defines
)

// An Object is what a name was resolved to.
type Object struct {
	Kind   ObjectKind
	Name   string
	Type   Type
	Decl   syntax.Node  // the declaring node; nil for a builtin
	Func   *FuncInfo    // of a FuncObj
	Attrs  syntax.Attrs // of a variable or function
	Align  int64        // that __align__ asks for a variable, else at most 1
	Global bool         // a variable declared outside functions
	Const  *Const       // value of a ConstObj; nil when not constant
	// Addressed reports that the address of a variable is taken or it is an
	// array or struct, so that it needs memory.
	Addressed bool
	Volatile  bool
	ReadOnly  bool // declared const, or a value that programs cannot change
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
	Params  []*Object // one a parameter, with Name "" when it has none; the Graph itself for the graph
	Calls   []*FuncInfo
	Invokes []*FuncInfo // kernels, of a host function

	// Of kernels, in the kernel's own text and the functions it calls:
	UsesWL   bool // names WL at all
	Pops     bool // iterates over WL or pops
	Pushes   bool
	Reduces  bool          // has ReduceAndReturn
	Retries  bool          // has Retry
	Respawns bool          // has Respawn
	Reads    []*Object     // properties and globals read, in order of first use
	Writes   []*Object     // properties and globals written, atomics included
	Aggrs    []syntax.Aggr // reductions used by invocations: NoAggr, Any, All, sorted
	OuterFA  bool          // the body has an outermost ForAll
	// Syncs reports that the kernel's threads wait for each other, by
	// SyncRunningThreads or Exclusive, so that all must run at once.
	Syncs      bool
	Locks      []syntax.Domain // whose elements Exclusive claims, in order of first use
	Adds       []syntax.Domain // what the kernel or a function it calls adds to
	MaxThreads int             // of a block, by __launch_bounds__ or the caches; 0 for any number
	Caches     []*Object       // __shared__ arrays, one an iteration
	CacheBytes int64           // how much memory those take for one thread
	Threads    int             // of a block, the one size that it has by the attribute threads; 0 for any

	// Host and Device say where the function may run; both for one marked
	// __host__ __device__ and for IrGL's plain functions, unless one uses what
	// only the device has.
	Host, Device bool
	Launches     []*FuncInfo // __global__ functions launched
	Recursive    bool        // calls itself, directly or through others
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
	// Inits holds, for each outermost initialiser list, what it sets.
	Inits map[*syntax.InitList][]InitSlot
	Asms  map[*syntax.AsmStmt]*Asm

	Funcs   []*FuncInfo // functions with bodies, in order
	Globals []*Object   // global variables, in order
	Structs []*Struct   // complete structs, in order of definition

	// Of an .irgl file:
	Graph *syntax.GraphDecl // nil for none
	Mesh  *syntax.MeshDecl  // nil for none
	Props []*Prop           // in order; those that every mesh has before its own
	// Groups holds the ForAlls whose iterations wait for each other at barriers: those with a
	// BarrierStmt or an ExclusiveStmt directly in their bodies.
	Groups map[*syntax.ForAllStmt]bool
	// CBlocks and Foreign are what only a CUDA compiler understands: text that
	// is passed on, and the uses of names that such text defines.
	CBlocks  []*syntax.CBlock
	Foreign  []*syntax.Ident
	Requires Requires
	Needs    Needs
	Entry    *FuncInfo         // the host function that is the program
	Racy     map[string]string // property or global name -> reason
	Plan     *plan.Plan        // what the attributes of the program decide; nil for CUDA
	// Distances says that the program has dist_t or DIST_MAX, whose width
	// depends on the weights of the graph.
	Distances bool

	// DeviceConsts says that the program has WARP_SIZE, whose value Options.CPU decides.
	DeviceConsts bool
}

// An InitSlot is one scalar, struct or string set by an initialiser list, with
// designators and left-out braces resolved. What no slot covers is zero. Slots
// are in order of evaluation; a later one wins.
type InitSlot struct {
	Offset int64 // bytes from the start of the initialised object
	Type   Type  // of the part that is set; an array of char for a string
	Bits   *BitField
	Value  syntax.Expr
}

// A Prop is a property of the graph or the mesh. The type of its object is
// arithmetic, or an array of an arithmetic type.
type Prop struct {
	Object *Object
	Decl   *syntax.PropDecl // for a Builtin one made up, without a type
	Of     syntax.Domain
	Output bool // a result: marked so, or of nodes in a program that marks nothing
	// Builtin marks what every mesh has: the values at the start are the mesh's.
	Builtin bool
}

// Requires is what a program needs of its graph and its mesh.
type Requires struct {
	Weights, Symmetric, Sorted, NoLoops, NoDups bool
	// NonNegative weights, and Conservative ones: there is no cycle of negative
	// weight that can be reached from the nodes that the program is given.
	NonNegative, Conservative bool
	Delaunay                  bool // of the mesh
}

// Needs is what a program looks at besides the nodes and the edges that leave
// them.
type Needs struct {
	InEdges   bool // the edges that lead to a node: n.in_edges, n.in_degree
	Sources   bool // where edges come from: e.src
	EdgeItems bool // pushes edges to worklists, whose items are 32 bits wide
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
