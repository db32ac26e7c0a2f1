package ptx

import "irgl/internal/source"

// A Module is one PTX text.
type Module struct {
	Version     string // ".version", such as "7.0"
	Target      string // ".target", such as "sm_75"
	AddressSize int    // 64
	Files       []FileName
	Strings     []DebugString // of section .debug_str
	Decls       []Decl        // variables and functions, in order
}

// A DebugString is a string of section .debug_str, to which [Loc] refers by its label.
type DebugString struct{ Label, Text string }

// A FileName gives a number to a source file, for [Loc]: .file 1 "bfs.cu".
type FileName struct {
	Index int
	Name  string
}

// A Decl is a declaration at module level: *[Var] or *[Func].
type Decl interface{ decl() }

// A Space is a state space.
type Space string

// The state spaces of variables and memory instructions.
const (
	Reg    Space = "reg"
	Param  Space = "param"
	Global Space = "global"
	Shared Space = "shared"
	Local  Space = "local"
	Const  Space = "const"
)

// A Type is a fundamental type without its dot: "u32", "f64", "pred", "b8".
type Type string

// Size returns the size of a value of type t in bytes; 0 for pred and for a
// type that PTX does not have.
func (t Type) Size() int {
	switch t {
	case "u8", "s8", "b8":
		return 1
	case "u16", "s16", "b16", "f16", "bf16":
		return 2
	case "u32", "s32", "b32", "f32", "f16x2", "bf16x2", "u16x2", "s16x2":
		return 4
	case "u64", "s64", "b64", "f64":
		return 8
	case "b128":
		return 16
	}
	return 0
}

// A Var is a variable, a register range, or a parameter.
//
//	.reg .b32 %r<4>;                   Space reg, Range 4
//	.visible .global .align 4 .u32 n;  Space global, Align 4, Linkage visible
//	.shared .align 8 .b8 buf[1024];    Space shared, Dims {1024}
//	.param .u64 k_param_0              Space param
//	.param .u64 .ptr .global .align 4 p  also Ptr, PtrSpace global, PtrAlign 4
type Var struct {
	Pos     source.Pos
	Linkage string // "", "visible", "extern", "weak"
	Space   Space
	Managed bool // of a .global: the host can access it, .attribute(.managed)
	Align   int  // bytes; 0 when the text gives none
	Type    Type
	Name    string
	Range   int       // of a register declaration %r<Range>; 0 for one name
	Array   bool      // declared with brackets
	Dims    []int64   // array dimensions; an empty first one ("[]") is -1
	Init    []Operand // initial values, flattened, of a global or const

	// Of a kernel parameter that is a pointer: what the maker promises.
	Ptr      bool
	PtrSpace Space // "" for generic
	PtrAlign int   // 0 when the text gives none
}

// A Func is an .entry (a kernel) or a .func (a device function).
type Func struct {
	Pos        source.Pos
	Linkage    string // "", "visible", "extern", "weak"
	Entry      bool
	Name       string
	Results    []*Var // of a .func
	Params     []*Var
	Directives []Directive // between header and body: maxntid, minnctapersm, ...
	Proto      bool        // declared without a body
	Body       []Stmt
}

// A Directive is a performance or debugging directive with its numbers:
// .maxntid 256, 1, 1 is {"maxntid", {256, 1, 1}}.
type Directive struct {
	Name string
	Args []int64
}

func (*Var) decl()  {}
func (*Func) decl() {}

// A Stmt is part of a function's body: *[Var], *[Label], *[Inst], *[Loc],
// *[Scope], *[Pragma], *[BranchTargets], *[CallPrototype].
type Stmt interface{ stmt() }

// A Label names the place of the statement after it.
type Label struct {
	Pos  source.Pos
	Name string // with its $ if it has one, without the colon
}

// A Scope is a nested block in braces, with its own declarations.
type Scope struct {
	Pos  source.Pos
	Body []Stmt
}

// A Loc ties the instructions after it to a line of a source file. Of an inlined
// function it also has the function's name, and where that was called:
// .loc 1 4 2, function_name $L__info_string0, inlined_at 1 12 3.
type Loc struct {
	File, Line, Column int

	Function string // label of a [DebugString], "" for none
	Offset   int    // in that string
	At       *Site  // of the call; nil where nothing was inlined
}

// A Site is a place of a source file.
type Site struct{ File, Line, Column int }

// A Pragma is advice to the assembler: .pragma "nounroll";
type Pragma struct {
	Pos  source.Pos
	Text string // without the quotes
}

// A BranchTargets lists the labels that a brx.idx may jump to:
// $L_tab: .branchtargets $L_1, $L_2;
type BranchTargets struct {
	Pos    source.Pos
	Name   string
	Labels []string
}

// A CallPrototype is the signature of an indirect call:
// p_0: .callprototype (.param .b32 _) _ (.param .b64 _);
type CallPrototype struct {
	Pos     source.Pos
	Name    string
	Results []*Var
	Params  []*Var
}

// An Inst is one instruction.
//
//	@!%p1 ld.global.v2.u32 {%r1, %r2}, [%rd1+8];
//	Guard "%p1", GuardNot, Op "ld", Mods {"global","v2","u32"}, Args {vector, memory}
type Inst struct {
	Pos      source.Pos
	Guard    string // predicate register of @p, "" for none
	GuardNot bool   // @!p
	Op       string // up to the first dot
	Mods     []string
	Args     []Operand
}

func (*Var) stmt()           {}
func (*Label) stmt()         {}
func (*Scope) stmt()         {}
func (*Loc) stmt()           {}
func (*Pragma) stmt()        {}
func (*BranchTargets) stmt() {}
func (*CallPrototype) stmt() {}
func (*Inst) stmt()          {}

// An OperandKind says which fields of an [Operand] count.
type OperandKind uint8

// The operand kinds, each with the fields that count and a sample.
const (
	KindReg    OperandKind = iota // Name: %r1, %tid.x, %p1, or any declared register
	KindInt                       // Int: 42, -1, 0x10 (printed in decimal)
	KindF32                       // Bits (low 32): 0f3F800000
	KindF64                       // Bits: 0d3FF0000000000000
	KindSym                       // Name, Int: the address of a variable, a label or function: foo, foo+8
	KindMem                       // Name, Int: [%rd1+8], [param_0]; Name "" for an absolute address; List: what follows, [%rd1, {%r1, %r2}]
	KindVector                    // List: {%r1, %r2}
	KindPair                      // List of two: %r1|%p1
	KindList                      // List: (a, b) of a call
	KindNone                      // _ : a result that is not wanted
)

// An Operand is one operand of an instruction or one initial value.
type Operand struct {
	Kind OperandKind
	Name string
	Int  int64
	Bits uint64
	Not  bool // !%p1; of a KindSym initial value, generic(foo)
	List []Operand
}

// R returns a register or special register as an operand.
func R(name string) Operand { return Operand{Kind: KindReg, Name: name} }

// I returns an integer as an operand.
func I(v int64) Operand { return Operand{Kind: KindInt, Int: v} }

// Mem returns the memory at a register or variable plus an offset in bytes.
func Mem(base string, off int64) Operand { return Operand{Kind: KindMem, Name: base, Int: off} }

// Sym returns the address of a variable, or a function or label.
func Sym(name string) Operand { return Operand{Kind: KindSym, Name: name} }

// Vector returns the vector of the operands in list.
func Vector(list ...Operand) Operand { return Operand{Kind: KindVector, List: list} }
