package builtin

import (
	"iter"
	"strings"
	"sync"
)

// A Kind says what a builtin name stands for.
type Kind uint8

// The kinds.
const (
	Func  Kind = iota
	Var        // threadIdx, warpSize, stderr
	Const      // INT_MAX, cudaSuccess
	Type       // dim3, size_t, node
)

// A Rule says how the calls of a builtin function are checked.
type Rule uint8

// The rules.
const (
	PlainCall  Rule = iota // by its signatures alone
	AtomicCall             // the first argument points to what is changed
	MathCall               // overloaded on float and double; integers count as double
	MinMaxCall             // overloaded on the common type of the arguments
	PrintfCall             // a format and the values that it prints
	PtrPtrCall             // cudaMalloc: the first argument is a T** for any T
	SymbolCall             // cudaMemcpyToSymbol: one argument names a device variable
	KernelCall             // cudaLaunchCooperativeKernel: the const void * is a kernel
	RangeCall              // range(low, high): the range of a loop
	CtorCall               // dim3(a, b, c), make_int2(x, y)
)

// Effects are what a call does besides computing a result from its arguments.
type Effects uint16

// The effects. A function without any is pure: equal arguments, equal results.
const (
	Reads     Effects = 1 << iota // reads memory through a pointer
	Writes                        // writes memory through a pointer
	Atomic                        // reads and writes its pointee in one step
	Barrier                       // waits for other threads, or keeps them waiting
	Fence                         // orders the thread's accesses to memory
	PerThread                     // the result differs between threads, or depends on other threads
	Output                        // prints
	MayExit                       // may end the run
	NoReturn                      // always ends the run or the thread
	Allocates                     // allocates or frees memory
	Runtime                       // acts on the device from the host
)

// Engines is a set of the engines that give builtins a meaning.
type Engines uint8

// The engines.
const (
	Interp    Engines = 1 << iota // package interp
	GoGen                         // package gogen
	HostEval                      // package host: host functions of the CUDA tree
	DeviceGen                     // package ssagen: device functions of the CUDA tree

	everywhere = Interp | GoGen | HostEval | DeviceGen
	kernels    = Interp | GoGen | DeviceGen // device functions of both languages
	hosts      = Interp | GoGen | HostEval  // host functions of both languages
)

// A Row is one builtin.
type Row struct {
	Name string
	Kind Kind
	Rule Rule
	// Forms are the signatures of a function, several when it is overloaded:
	// the type of the result and, in parentheses, those of the parameters. A type
	// is a letter, * before it makes a pointer, # a pointer to const, and "..."
	// ends a variadic list; {float4} is a vector:
	//
	//	v void  b bool  c char  i int  u unsigned  l long  m unsigned long
	//	L long long  U unsigned long long  f float  d double  a signed char
	//	h unsigned char  s short  t unsigned short  F FILE  S CUstream_st
	//	E CUevent_st  D dim3  K uint3  G cudaLaunchConfig_t  R a range of ints
	//	N node  X edge  P point  T element
	//
	// The functions that make vectors have none: their types are the vectors'.
	Forms []string
	// CUDAForms are further signatures, in .cu files only.
	CUDAForms []string
	// Of is the type of a variable, a constant or a type's name, in the notation
	// of Forms; "" for a vector, which its name describes.
	Of string
	// Value is that of a constant: an integer, or a floating number, inf or nan.
	Value string
	// WideOf and WideValue take the place of Of and Value in programs whose
	// distances are wide.
	WideOf, WideValue string
	// CPUValue takes the place of Value in code for the CPU.
	CPUValue string
	// Host and Device say which code may use it by the rules of the language.
	Host, Device bool
	// CUDAOnly builtins exist in .cu files only, IrGLOnly in .irgl only.
	CUDAOnly, IrGLOnly bool
	// LowLevel says why operator code may not use it; "" when it may.
	LowLevel string
	// Inexact functions give results that differ in the last digits between the
	// engines: code that calls one cannot move from the host to the device
	// without changing an answer.
	Inexact bool
	Effects Effects
	Engines Engines
	// Outdated warp functions have no mask; those with _sync in their names replace them.
	Outdated bool
	// HostForm is the function of the device library that IrGL's host code calls
	// in place of one that CUDA has on the device only.
	HostForm string
	// Instead says what to write where an engine does not have it.
	Instead string
}

// Pure reports whether a call does nothing besides computing its result, and
// depends on its arguments alone.
func (r *Row) Pure() bool { return r.Kind == Func && r.Effects == 0 }

// NamesThread reports whether the value tells which thread, warp, block or cluster computes it.
func (r *Row) NamesThread() bool {
	return r.Effects&PerThread != 0 && (r.LowLevel == whyIndex || r.LowLevel == whyWarp) && r.Of != "D"
}

// Available reports whether the engines that run host code, or else device code,
// of a .irgl or .cu file have the builtin. An IrGL program runs on each of the
// engines; generated Go may lack a builtin, since the interpreter then takes
// its place.
func (r *Row) Available(irgl, host bool) bool {
	need := DeviceGen
	if host {
		need = HostEval
		if irgl && r.HostForm != "" {
			need = 0
		}
	}
	if irgl {
		need |= Interp
	}
	return r.Engines&need == need
}

// A group is one line of the table: builtins that differ in their names only.
type group struct {
	Row
	names string // separated by spaces
	// ends are appended to each name: one builtin for each end; a space
	// stands for the name itself. "" is the name itself alone.
	ends string
	// float are the forms of the names with the last of the ends, when they
	// differ from Forms: sqrtf has one form of sqrt's two.
	float []string
	// forms completes the signatures of groups with many, which would take time at the
	// start of every program.
	forms func(*Row)
}

// tables are the parts of the table.
var tables = [...][]group{cLibrary[:], cTypes[:], constants[:], numeric[:], cudaMath[:], atomics[:], device[:], intrinsics[:], cudaDevice[:], runtimeCalls[:], runtimeNames[:]}

// A slot is where the row of a name is in the table.
type slot struct {
	table, group uint16
	last         bool // the name has the last of the group's ends
}

// index maps each name to its row.
var index = sync.OnceValue(func() map[string]slot {
	all := make(map[string]slot, 1024)
	for i, t := range tables {
		for j := range t {
			t[j].each(func(name string, last bool) { all[name] = slot{uint16(i), uint16(j), last} })
		}
	}
	return all
})

// each calls f with each of the names; last says that it has the last end of
// several.
func (g *group) each(f func(name string, last bool)) {
	for name := range strings.FieldsSeq(g.names) {
		rest := g.ends
		if strings.HasPrefix(rest, " ") {
			f(name, false)
		} else if rest == "" {
			f(name, false)
			continue
		}
		for end := range strings.FieldsSeq(rest) {
			f(name+end, strings.HasSuffix(rest, " "+end))
		}
	}
}

// Lookup returns the row of name, or nil.
func Lookup(name string) *Row {
	at, ok := index()[name]
	if !ok {
		return nil
	}
	g := &tables[at.table][at.group]
	r := g.Row
	r.Name = name
	if g.forms != nil {
		g.forms(&r)
	}
	if at.last && g.float != nil {
		r.Forms, r.Rule = g.float, PlainCall
	}
	return &r
}

// HostCalls yields the functions of the CUDA runtime and of the C library, without those
// of <math.h>, that host functions of .cu files may call, in the order of the table.
func HostCalls() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, groups := range [...][]group{runtimeCalls[:], cLibrary[:]} {
			for i := range groups {
				if g := &groups[i]; g.Row.Kind != Func || !g.Row.Host || g.Row.IrGLOnly {
					continue
				}
				for name := range strings.FieldsSeq(groups[i].names) {
					if !yield(name) {
						return
					}
				}
			}
		}
	}
}

// Names yields the names of all builtins, in the order of the table.
func Names() iter.Seq[string] {
	return func(yield func(string) bool) {
		more := true
		for _, t := range tables {
			for j := range t {
				t[j].each(func(name string, _ bool) { more = more && yield(name) })
				if !more {
					return
				}
			}
		}
	}
}
