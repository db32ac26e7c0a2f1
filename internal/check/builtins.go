package check

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A BuiltinKind says what a builtin name stands for.
type BuiltinKind uint8

const (
	BuiltinFunc  BuiltinKind = iota
	BuiltinVar               // threadIdx, warpSize, stderr
	BuiltinConst             // INT_MAX, cudaSuccess
	BuiltinType              // dim3, size_t, node
)

// A CallRule names a builtin function whose calls are checked by more than
// its signatures.
type CallRule uint8

const (
	PlainCall  CallRule = iota
	AtomicCall          // the first argument points to what is changed
	MathCall            // overloaded on float and double; integers count as double
	MinMaxCall          // overloaded on the common type of the arguments
	PrintfCall          // a format and what it asks for
	PtrPtrCall          // cudaMalloc: the first argument is a T** for any T
	SymbolCall          // cudaMemcpyToSymbol: one argument names a device variable
	KernelCall          // cudaLaunchCooperativeKernel: the const void * is a kernel
	RangeCall           // range(low, high): what a loop goes through
	CtorCall            // dim3(a, b, c), make_int2(x, y)
)

// A Builtin is a function, variable, constant or type that the language has
// without a declaration.
type Builtin struct {
	Name   string
	Kind   BuiltinKind
	Rule   CallRule
	Sigs   []*Func // of a function; several when it is overloaded
	Type   Type    // of a variable, constant or type
	Const  *Const  // of a constant
	Host   bool    // usable in host code
	Device bool    // usable in device code
	// LowLevel says why operator code may not use it; empty when it may.
	LowLevel string
	// CUDAOnly builtins exist in .cu files only, IrGLOnly in .irgl only.
	CUDAOnly, IrGLOnly bool

	obj   *Object
	texts []string // the signatures before they are read
	ready sync.Once
}

// LookupBuiltin returns the builtin called name, or nil. The table is shared
// and must not be changed. Signatures are read when their builtin is first
// asked for: a program uses few of the hundreds.
func LookupBuiltin(name string) *Builtin {
	b := shelfOf(name)()[name]
	if b != nil {
		b.ready.Do(b.complete)
	}
	return b
}

// Object returns what the names that refer to b resolve to.
func (b *Builtin) Object() *Object { return b.obj }

// The builtins lie on shelves, by how their names begin. Each is filled when a
// name that belongs there is first asked for: most programs need one or two, and
// to fill all of them takes as long as to compile a small kernel.
var (
	runtimeShelf   = shelf((*tableMaker).cudaRuntime)
	intrinsicShelf = shelf((*tableMaker).warps, (*tableMaker).clusters, (*tableMaker).orders, (*tableMaker).integers, (*tableMaker).fastAndDirected)
	mathShelf      = shelf((*tableMaker).maths, (*tableMaker).mathLibrary)
	vectorShelf    = shelf((*tableMaker).vectors)
	commonShelf    = shelf((*tableMaker).types, (*tableMaker).values, (*tableMaker).atomics, (*tableMaker).device, (*tableMaker).hostLibrary)
)

func shelf(fill ...func(*tableMaker)) func() map[string]*Builtin {
	return sync.OnceValue(func() map[string]*Builtin {
		t := tableMaker{all: map[string]*Builtin{}}
		for _, f := range fill {
			f(&t)
		}
		return t.all
	})
}

// shelfOf returns the shelf on which name would lie.
func shelfOf(name string) func() map[string]*Builtin {
	switch {
	case strings.HasPrefix(name, "cuda"):
		return runtimeShelf
	case strings.HasPrefix(name, "__") && !strings.HasPrefix(name, "__sync") && !strings.HasPrefix(name, "__threadfence"):
		return intrinsicShelf
	case isVectorName(name):
		return vectorShelf
	case commonShelf()[name] == nil:
		return mathShelf
	}
	return commonShelf
}

// complete reads the signatures of b and makes the object that names of b
// resolve to.
func (b *Builtin) complete() {
	for _, s := range b.texts {
		b.Sigs = append(b.Sigs, parseSig(s))
	}
	b.obj = &Object{Kind: BuiltinObj, Name: b.Name, Type: b.Type, Const: b.Const, Global: true}
	switch b.Kind {
	case BuiltinFunc:
		b.obj.Type = b.Sigs[0]
	case BuiltinConst:
		b.obj.ReadOnly = true
	case BuiltinType:
		b.obj.Kind = TypeObj
	case BuiltinVar:
		b.obj.ReadOnly = true
	}
}

// A tableMaker collects builtins by name.
type tableMaker struct {
	all      map[string]*Builtin
	cudaOnly bool      // what is added now exists in .cu files only
	spare    []Builtin // memory for the next ones
}

// Where a builtin may be used.
const (
	onHost   = 1
	onDevice = 2
	onBoth   = onHost | onDevice
)

// add enters b, usable on the given sides.
func (t *tableMaker) add(b *Builtin, sides int) *Builtin {
	b.Host, b.Device = sides&onHost != 0, sides&onDevice != 0
	b.CUDAOnly = b.CUDAOnly || t.cudaOnly
	t.all[b.Name] = b
	return b
}

// fn adds a function with signatures in the notation of parseSig.
func (t *tableMaker) fn(names string, sides int, rule CallRule, sigs ...string) {
	for name := range strings.FieldsSeq(names) {
		if len(t.spare) == 0 {
			t.spare = make([]Builtin, 32)
		}
		b := &t.spare[0]
		t.spare = t.spare[1:]
		b.Name, b.Kind, b.Rule, b.texts = name, BuiltinFunc, rule, sigs
		t.add(b, sides)
	}
}

// sigType returns the type that a letter stands for in the builtins' signatures.
func sigType(letter byte) Type {
	switch letter {
	case 'F':
		return fileType
	case 'S':
		return streamType
	case 'D':
		return Dim3()
	case 'G':
		return launchConfig()
	}
	return basicSigTypes[letter]
}

var basicSigTypes = [128]Basic{
	'v': Void, 'b': Bool, 'c': Char, 'i': Int, 'u': UInt, 'l': Long, 'm': ULong, 'L': LongLong, 'U': ULongLong, 'f': Float, 'd': Double,
}

// fileType and streamType are opaque: programs only hold pointers to them.
var (
	fileType   = &Struct{Tag: "FILE"}
	streamType = &Struct{Tag: "CUstream_st"}
	eventType  = &Struct{Tag: "CUevent_st"}
)

// launchConfig is cudaLaunchConfig_t: what a launch is like. Attributes cannot be
// given, since their type is opaque.
var launchConfig = sync.OnceValue(func() *Struct {
	s := &Struct{Tag: "cudaLaunchConfig_st", Fields: []Field{
		{Name: "gridDim", Type: Dim3()}, {Name: "blockDim", Type: Dim3()}, {Name: "dynamicSmemBytes", Type: ULong},
		{Name: "stream", Type: &Pointer{Elem: streamType}}, {Name: "attrs", Type: &Pointer{Elem: &Struct{Tag: "cudaLaunchAttribute_st"}}}, {Name: "numAttrs", Type: UInt},
	}}
	s.Layout(1)
	return s
})

// parseSig reads a signature such as "i(*i,i)": the result, and parameters in
// parentheses. A * before a letter is a pointer, a # a pointer to const, and
// "..." ends a variadic list.
func parseSig(s string) *Func {
	open := strings.IndexByte(s, '(')
	f := &Func{Result: parseSigType(s[:open])}
	for p := range strings.SplitSeq(s[open+1:len(s)-1], ",") {
		switch p {
		case "":
		case "...":
			f.Variadic = true
		default:
			f.Params = append(f.Params, parseSigType(p))
		}
	}
	return f
}

// parseSigType reads one type of a signature.
func parseSigType(s string) Type {
	switch s[0] {
	case '*':
		return &Pointer{Elem: parseSigType(s[1:])}
	case '#':
		return &Pointer{Elem: parseSigType(s[1:]), Const: true}
	}
	return sigType(s[0])
}

type vectorBase struct {
	name string
	elem Basic
}

// vectorBases are the element types of CUDA's vector structs, with the
// alignment of the 4-element form.
var vectorBases = [...]vectorBase{
	{"char", SChar}, {"uchar", UChar}, {"short", Short}, {"ushort", UShort}, {"int", Int}, {"uint", UInt},
	{"long", Long}, {"ulong", ULong}, {"longlong", LongLong}, {"ulonglong", ULongLong}, {"float", Float}, {"double", Double},
}

// vectorStructs makes CUDA's vector types once; a vector of 2 or 4 elements
// is aligned to its size, at most 16.
var vectorStructs = sync.OnceValue(func() map[string]*Struct {
	all := map[string]*Struct{uint3().Tag: uint3(), "dim3": Dim3()}
	for _, v := range vectorBases {
		for n := 1; n <= 4; n++ {
			if tag := v.name + strconv.Itoa(n); all[tag] == nil {
				all[tag] = vectorStruct(tag, v.elem, n)
			}
		}
	}
	return all
})

func vectorStruct(tag string, elem Basic, n int) *Struct {
	s := &Struct{Tag: tag}
	for i := range n {
		s.Fields = append(s.Fields, Field{Name: "xyzw"[i : i+1], Type: elem})
	}
	align := int64(1)
	if n == 2 || n == 4 {
		align = min(16, int64(n)*elem.Size())
	}
	s.Layout(align)
	return s
}

// isVectorName reports whether name may be that of a vector type or of the
// function that makes one: they end in the number of elements.
func isVectorName(name string) bool {
	name = strings.TrimPrefix(name, "make_")
	return slices.ContainsFunc(vectorBases[:], func(v vectorBase) bool {
		rest, ok := strings.CutPrefix(name, v.name)
		return ok && len(rest) == 1 && '1' <= rest[0] && rest[0] <= '4'
	})
}

// Nearly every kernel needs the types of threadIdx and blockDim, and few the
// other vectors.
var (
	uint3 = sync.OnceValue(func() *Struct { return vectorStruct("uint3", UInt, 3) })
	dim3  = sync.OnceValue(func() *Struct { return vectorStruct("dim3", UInt, 3) })
)

// Dim3 returns the type dim3, whose missing parts are 1.
func Dim3() *Struct { return dim3() }

// typ adds a type.
func (t *tableMaker) typ(name string, typ Type) *Builtin {
	return t.add(&Builtin{Name: name, Kind: BuiltinType, Type: typ}, onBoth)
}

// vectors adds CUDA's vector types and the functions that make them.
func (t *tableMaker) vectors() {
	for name, s := range vectorStructs() {
		if s == Dim3() {
			continue
		}
		t.typ(name, s)
		t.add(&Builtin{Name: "make_" + name, Kind: BuiltinFunc, Rule: CtorCall, Sigs: []*Func{fieldsSig(s, len(s.Fields))}}, onBoth)
	}
}

// types adds the types that need no declaration: dim3, those of <stdint.h> and
// <stddef.h>, and IrGL's handles.
func (t *tableMaker) types() {
	dim := Dim3()
	t.add(&Builtin{Name: "dim3", Kind: BuiltinType, Rule: CtorCall, Type: dim, CUDAOnly: true,
		Sigs: []*Func{fieldsSig(dim, 0), fieldsSig(dim, 1), fieldsSig(dim, 2), fieldsSig(dim, 3)}}, onBoth)
	for name, typ := range map[string]Type{
		"size_t": ULong, "ptrdiff_t": Long, "ssize_t": Long, "intptr_t": Long, "uintptr_t": ULong,
		"int8_t": SChar, "int16_t": Short, "int32_t": Int, "int64_t": Long,
		"uint8_t": UChar, "uint16_t": UShort, "uint32_t": UInt, "uint64_t": ULong,
		"intmax_t": Long, "uintmax_t": ULong, "uint": UInt, "ushort": UShort, "ulong": ULong, "uchar": UChar,
		"clock_t": Long, "time_t": Long,
	} {
		t.typ(name, typ)
	}
	t.typ("FILE", fileType).CUDAOnly = true
	t.add(&Builtin{Name: "range", Kind: BuiltinFunc, Rule: RangeCall, IrGLOnly: true,
		Sigs: []*Func{{Result: Ints, Params: []Type{Int}}, {Result: Ints, Params: []Type{Int, Int}}}}, onBoth)
	t.typ("node", Node).IrGLOnly = true
	t.typ("edge", Edge).IrGLOnly = true
	t.typ("point", Point).IrGLOnly = true     // in programs with a Mesh
	t.typ("element", Element).IrGLOnly = true // likewise
}

// fieldsSig returns the signature of a function that makes s of its first n
// fields.
func fieldsSig(s *Struct, n int) *Func {
	f := &Func{Result: s}
	for _, field := range s.Fields[:n] {
		f.Params = append(f.Params, field.Type)
	}
	return f
}

// intValue adds an integer constant.
func (t *tableMaker) intValue(name string, typ Type, v int64) *Builtin {
	return t.add(&Builtin{Name: name, Kind: BuiltinConst, Type: typ, Const: intConst(v, typ)}, onBoth)
}

// values adds the constants of <limits.h>, <float.h> and <math.h>, and INF.
func (t *tableMaker) values() {
	t.intValue("true", Bool, 1)
	t.intValue("false", Bool, 0)
	t.intValue("NULL", Int, 0)
	t.add(&Builtin{Name: "nullptr", Kind: BuiltinConst, Type: &Pointer{Elem: Void}, Const: &Const{}}, onBoth)
	for name, v := range map[string]int64{
		"INT_MAX": math.MaxInt32, "INT_MIN": math.MinInt32, "INT32_MAX": math.MaxInt32, "INT32_MIN": math.MinInt32,
		"CHAR_BIT": 8, "CHAR_MAX": 127, "CHAR_MIN": -128, "SCHAR_MAX": 127, "SCHAR_MIN": -128, "UCHAR_MAX": 255,
		"SHRT_MAX": math.MaxInt16, "SHRT_MIN": math.MinInt16, "USHRT_MAX": math.MaxUint16,
		"EXIT_SUCCESS": 0, "EXIT_FAILURE": 1,
	} {
		t.intValue(name, Int, v)
	}
	t.intValue("UINT_MAX", UInt, math.MaxUint32)
	t.intValue("UINT32_MAX", UInt, math.MaxUint32)
	t.intValue("LONG_MAX", Long, math.MaxInt64)
	t.intValue("LONG_MIN", Long, math.MinInt64)
	t.intValue("ULONG_MAX", ULong, -1)
	t.intValue("INT64_MAX", Long, math.MaxInt64)
	t.intValue("INT64_MIN", Long, math.MinInt64)
	t.intValue("UINT64_MAX", ULong, -1)
	t.intValue("SIZE_MAX", ULong, -1)
	t.intValue("LLONG_MAX", LongLong, math.MaxInt64)
	t.intValue("LLONG_MIN", LongLong, math.MinInt64)
	t.intValue("ULLONG_MAX", ULongLong, -1)
	for name, v := range map[string]float64{
		"FLT_MAX": math.MaxFloat32, "FLT_MIN": 0x1p-126, "FLT_EPSILON": 0x1p-23, "INFINITY": math.Inf(1), "NAN": math.NaN(),
	} {
		t.add(&Builtin{Name: name, Kind: BuiltinConst, Type: Float, Const: &Const{Float: v}}, onBoth)
	}
	for name, v := range map[string]float64{
		"DBL_MAX": math.MaxFloat64, "DBL_MIN": 0x1p-1022, "DBL_EPSILON": 0x1p-52, "M_PI": math.Pi, "M_E": math.E,
	} {
		t.add(&Builtin{Name: name, Kind: BuiltinConst, Type: Double, Const: &Const{Float: v}}, onBoth)
	}
	t.intValue("INF", Int, math.MaxInt32).IrGLOnly = true
}

// atomics adds CUDA's read-modify-write functions. CUDA C has fewer forms on
// 64-bit integers than IrGL; lower inserts the casts.
func (t *tableMaker) atomics() {
	ints := []string{"i(*i,i)", "u(*u,u)", "U(*U,U)", "L(*L,L)", "l(*l,l)", "m(*m,m)"}
	t.fn("atomicAdd", onDevice, AtomicCall, append(ints, "f(*f,f)", "d(*d,d)")...)
	t.fn("atomicExch", onDevice, AtomicCall, append(ints, "f(*f,f)", "d(*d,d)")...)
	t.fn("atomicSub atomicMin atomicMax atomicAnd atomicOr atomicXor", onDevice, AtomicCall, ints...)
	t.fn("atomicInc atomicDec", onDevice, AtomicCall, "u(*u,u)")
	t.fn("atomicCAS", onDevice, AtomicCall, "i(*i,i,i)", "u(*u,u,u)", "U(*U,U,U)", "L(*L,L,L)", "l(*l,l,l)", "m(*m,m,m)")
}

// maths adds the functions of <math.h>, which C++ overloads and CUDA has on
// both sides, and min and max.
func (t *tableMaker) maths() {
	const one, two = "sqrt rsqrt exp exp2 log log2 log10 sin cos tan floor ceil trunc round rint fabs", "pow fmin fmax fmod"
	t.fn(one, onBoth, MathCall, "f(f)", "d(d)")
	t.fn(two, onBoth, MathCall, "f(f,f)", "d(d,d)")
	t.fn("fma", onBoth, MathCall, "f(f,f,f)", "d(d,d,d)")
	for name := range strings.FieldsSeq(one) {
		t.fn(name+"f", onBoth, PlainCall, "f(f)")
	}
	for name := range strings.FieldsSeq(two) {
		t.fn(name+"f", onBoth, PlainCall, "f(f,f)")
	}
	t.fn("fmaf", onBoth, PlainCall, "f(f,f,f)")
	t.fn("min max", onBoth, MinMaxCall, "i(i,i)", "u(u,u)", "l(l,l)", "m(m,m)", "L(L,L)", "U(U,U)", "f(f,f)", "d(d,d)")
	t.fn("abs", onBoth, MinMaxCall, "i(i)", "l(l)", "L(L)", "f(f)", "d(d)")
	t.fn("labs", onBoth, PlainCall, "l(l)")
	t.fn("llabs", onBoth, PlainCall, "L(L)")
	t.fn("isnan isinf", onBoth, MathCall, "i(f)", "i(d)")
}

// integers adds CUDA's integer and bit-cast intrinsics.
func (t *tableMaker) integers() {
	t.fn("__popc", onBoth, PlainCall, "i(u)")
	t.fn("__popcll", onBoth, PlainCall, "i(U)")
	t.fn("__clz __ffs", onBoth, PlainCall, "i(i)")
	t.fn("__clzll __ffsll", onBoth, PlainCall, "i(L)")
	t.fn("__brev", onDevice, PlainCall, "u(u)")
	t.fn("__brevll", onDevice, PlainCall, "U(U)")
	t.fn("__byte_perm", onDevice, PlainCall, "u(u,u,u)")
	t.fn("__mulhi __mul24", onDevice, PlainCall, "i(i,i)")
	t.fn("__umulhi __umul24", onDevice, PlainCall, "u(u,u)")
	t.fn("__mul64hi", onDevice, PlainCall, "L(L,L)")
	t.fn("__umul64hi", onDevice, PlainCall, "U(U,U)")
	t.fn("__float_as_int", onDevice, PlainCall, "i(f)")
	t.fn("__int_as_float", onDevice, PlainCall, "f(i)")
	t.fn("__float_as_uint", onDevice, PlainCall, "u(f)")
	t.fn("__uint_as_float", onDevice, PlainCall, "f(u)")
	t.fn("__double_as_longlong", onDevice, PlainCall, "L(d)")
	t.fn("__longlong_as_double", onDevice, PlainCall, "d(L)")
}
