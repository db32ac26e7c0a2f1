package ssa

import "irgl/internal/source"

// A Type is the type of a value.
type Type uint8

// The types. Integers have no sign: operations do. Ptr is a generic address;
// the others are addresses in one state space. All pointers have 64 bits.
const (
	Void Type = iota
	I1
	I8
	I16
	I32
	I64
	F32
	F64
	Ptr
	PtrGlobal
	PtrShared
	PtrLocal
	PtrConst
	PtrParam
	numTypes
)

var typeInfo = [numTypes]struct {
	name string
	size int
}{
	{"void", 0}, {"i1", 1}, {"i8", 1}, {"i16", 2}, {"i32", 4}, {"i64", 8}, {"f32", 4}, {"f64", 8},
	{"ptr", 8}, {"ptr.global", 8}, {"ptr.shared", 8}, {"ptr.local", 8}, {"ptr.const", 8}, {"ptr.param", 8},
}

func (t Type) String() string { return typeInfo[t].name }

// Size returns the size in bytes of a value in memory; an i1 takes 1.
func (t Type) Size() int { return typeInfo[t].size }

// IsInt reports whether t is an integer type, i1 included.
func (t Type) IsInt() bool { return I1 <= t && t <= I64 }

// IsFloat reports whether t is f32 or f64.
func (t Type) IsFloat() bool { return t == F32 || t == F64 }

// IsPtr reports whether t is an address.
func (t Type) IsPtr() bool { return t >= Ptr }

// Bits returns the width of an integer, float or pointer type.
func (t Type) Bits() int {
	if t == I1 {
		return 1
	}
	return 8 * t.Size()
}

// A Module is a unit of device code.
type Module struct {
	Globals []*Global
	Funcs   []*Func
}

// Func returns the function called name, or nil.
func (m *Module) Func(name string) *Func {
	for _, f := range m.Funcs {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Global returns the variable called name, or nil.
func (m *Module) Global(name string) *Global {
	for _, g := range m.Globals {
		if g.Name == name {
			return g
		}
	}
	return nil
}

// A Global is a variable with static storage in a state space: PtrGlobal,
// PtrShared or PtrConst.
type Global struct {
	Pos   source.Pos
	Name  string
	Space Type
	Const bool  // nothing writes it
	Size  int64 // bytes; 0 for dynamic shared memory
	Align int64
	Init  []byte // nil for zero
	Refs  []Ref  // addresses in it, by ascending offset; Init is zero there
}

// A Ref is an address of 8 bytes in the initial value of a variable: a generic one, of
// another variable, Add bytes behind its start, or of a function.
type Ref struct {
	Offset int64
	Name   string
	Add    int64
}

// A Func is a kernel or device function. Blocks[0] is the entry, which has no
// predecessors. A Func without blocks is only declared.
type Func struct {
	Pos                   source.Pos
	Name                  string
	Kernel                bool
	Inline                InlineHint
	MaxThreads, MinBlocks int // launch bounds; 0 for none
	// Cluster is how many blocks along x, y and z a kernel's clusters have; zeros
	// for a kernel without clusters.
	Cluster [3]int
	Params  []*Param
	Result  Type
	Blocks  []*Block

	nextValue, nextBlock int
	spare                []Value  // memory for the next values
	scratch              *Scratch // see Make
}

// An InlineHint is what the source says about inlining a function.
type InlineHint uint8

const (
	InlineDefault InlineHint = iota
	InlineAlways
	InlineNever
)

// A Param is a parameter. An aggregate passed by value has Type PtrParam and
// its Size and Align: its value in the function is the address of the bytes.
type Param struct {
	Name  string
	Type  Type
	Size  int64 // of an aggregate; otherwise Type.Size()
	Align int64
	// Restrict says of a pointer that, while the function runs, what it points
	// to and is written is accessed through pointers made from it only.
	Restrict bool
}

// Unrolled is the Unroll of a loop that has been unrolled by a factor, and is not again.
const Unrolled = -2

// A BlockKind is how a block ends.
type BlockKind uint8

const (
	BlockJump BlockKind = iota // Succs[0]
	BlockIf                    // Ctrl (i1) true: Succs[0], false: Succs[1]
	BlockRet                   // returns Ctrl, nil in a void function
	BlockTrap                  // control never arrives or stops the program
)

// A Block is a list of values that run in order.
type Block struct {
	ID     int
	Func   *Func
	Kind   BlockKind
	Ctrl   *Value
	Values []*Value
	Succs  []*Block
	Preds  []*Block // in the order of phi arguments
	// Uniform says that all threads of a warp which reach the block's branch
	// together decide it the same way.
	Uniform bool
	// Unroll is the unroll factor that the source gives for the loop of which this is
	// the header: 0 leaves it to the compiler, -1 unrolls fully, 1 forbids it to the assembler, too.
	// [Unrolled] says that the compiler has unrolled the loop.
	Unroll int
	// Pos is where the source has the statement of a trap, if it is known.
	Pos source.Pos

	lastPreds [2]int // where PredIndex found something
}

// A Value is one operation.
type Value struct {
	ID   int
	Op   Op
	Type Type
	// NoWrap is of add, sub, mul, shl and quotients: see [Op.MayPromise].
	NoWrap bool
	Args   []*Value
	Int    int64   // see Op
	Float  float64 // of FConst
	Sym    Sym     // see Op
	Mem    MemInfo // of loads, stores and atomics
	Block  *Block
	Pos    source.Pos

	few [3]*Value // the memory of Args when these are no more
}

// MemInfo describes a memory access.
type MemInfo struct {
	Align    int64 // bytes, a power of two, at least 1
	Volatile bool
	ReadOnly bool // no store to it while the kernel runs: .nc
	Copied   bool // bytes of an object that is copied, padding included: they may not be written yet
}

// NewBlock appends an empty block to f.
func (f *Func) NewBlock(kind BlockKind) *Block {
	b := &Block{ID: f.nextBlock, Func: f, Kind: kind}
	f.nextBlock++
	f.Blocks = append(f.Blocks, b)
	return b
}

// valueChunk is how many values are made in one piece of memory in a large
// function: the largest piece of which the memory manager keeps a stock has
// 32 KiB.
const valueChunk = 128

// NewValue returns a value with a fresh number that is in no block yet.
//
// Values that are made together are adjacent in memory, with their arguments: the passes
// walk over them in about this order, and a large function does not fit the
// processor's caches.
func (f *Func) NewValue(op Op, t Type, args ...*Value) *Value {
	if len(f.spare) == 0 {
		f.spare = make([]Value, max(16, min(f.nextValue, valueChunk)))
	}
	v := &f.spare[0]
	f.spare = f.spare[1:]
	v.ID, v.Op, v.Type = f.nextValue, op, t
	if len(args) > 0 {
		v.Args = append(v.few[:0], args...)
	}
	f.nextValue++
	return v
}

// MakeArgs gives v, instead of the arguments it has, n that are still to be set.
func (v *Value) MakeArgs(n int) {
	v.few = [len(v.few)]*Value{}
	if n > len(v.few) {
		v.Args = make([]*Value, n)
		return
	}
	v.Args = v.few[:n:n]
}

// NumValues and NumBlocks return bounds for the numbers in use: every value's
// ID is below NumValues, so passes can index slices by it.
func (f *Func) NumValues() int { return f.nextValue }

// NumBlocks returns a bound for block numbers.
func (f *Func) NumBlocks() int { return f.nextBlock }

// Append adds a new value to the end of b and returns it.
func (b *Block) Append(op Op, t Type, args ...*Value) *Value {
	v := b.Func.NewValue(op, t, args...)
	v.Block = b
	b.Values = append(b.Values, v)
	return v
}

// AddEdge makes to a successor of b and b a predecessor of to.
func (b *Block) AddEdge(to *Block) {
	b.Succs = append(b.Succs, to)
	to.Preds = append(to.Preds, b)
}
