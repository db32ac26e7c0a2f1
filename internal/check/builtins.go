package check

import (
	"strconv"
	"strings"
	"sync"

	"irgl/internal/builtin"
)

// A Builtin is a row of package builtin's table with its types.
type Builtin struct {
	*builtin.Row
	Sigs  []*Func // of a function
	CUDA  []*Func // its further forms in .cu files
	Type  Type    // of a variable, constant or type
	Const *Const  // of a constant

	obj *Object
}

// Object returns what the names that refer to b resolve to.
func (b *Builtin) Object() *Object { return b.obj }

// known are the builtins that have been asked for. Their types are made once:
// objects and struct types are compared by their addresses.
var known sync.Map // of string to *Builtin

// LookupBuiltin returns the builtin called name, or nil. What it returns is
// shared and must not be changed.
func LookupBuiltin(name string) *Builtin {
	if b, ok := known.Load(name); ok {
		return b.(*Builtin)
	}
	row := builtin.Lookup(name)
	if row == nil {
		return nil
	}
	b, _ := known.LoadOrStore(name, newBuiltin(row))
	return b.(*Builtin)
}

// newBuiltin makes the types, the value and the object of a row.
func newBuiltin(row *builtin.Row) *Builtin {
	b := &Builtin{Row: row}
	for _, s := range row.Forms {
		b.Sigs = append(b.Sigs, parseSig(s))
	}
	for _, s := range row.CUDAForms {
		b.CUDA = append(b.CUDA, parseSig(s))
	}
	switch {
	case row.Of != "":
		b.Type = parseSigType(row.Of)
	case row.Kind == builtin.Type:
		b.Type = vectorStructs()[row.Name]
	case row.Rule == builtin.CtorCall:
		s := vectorStructs()[strings.TrimPrefix(row.Name, "make_")]
		f := &Func{Result: s}
		for _, field := range s.Fields {
			f.Params = append(f.Params, field.Type)
		}
		b.Sigs = []*Func{f}
	}
	b.obj = &Object{Kind: BuiltinObj, Name: row.Name, Type: b.Type, Global: true}
	switch row.Kind {
	case builtin.Func:
		b.obj.Type = b.Sigs[0]
	case builtin.Const:
		b.Const = valueOf(row.Value, b.Type)
		b.obj.Const, b.obj.ReadOnly = b.Const, true
	case builtin.Type:
		b.obj.Kind = TypeObj
	case builtin.Var:
		b.obj.ReadOnly = true
	}
	return b
}

// valueOf reads the value of a constant, which the table has as text.
func valueOf(text string, t Type) *Const {
	if IsFloat(t) {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			panic(err)
		}
		return &Const{Float: v}
	}
	v, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		panic(err)
	}
	if _, ok := t.(*Pointer); ok {
		return &Const{}
	}
	return intConst(v, t)
}

// sigType returns the type that a letter stands for in the builtins' signatures.
func sigType(letter byte) Type {
	switch letter {
	case 'F':
		return fileType
	case 'S':
		return streamType
	case 'E':
		return eventType
	case 'D':
		return Dim3()
	case 'K':
		return uint3()
	case 'G':
		return launchConfig()
	}
	return basicSigTypes[letter]
}

var basicSigTypes = [128]Basic{
	'v': Void, 'b': Bool, 'c': Char, 'i': Int, 'u': UInt, 'l': Long, 'm': ULong, 'L': LongLong, 'U': ULongLong, 'f': Float, 'd': Double,
	'a': SChar, 'h': UChar, 's': Short, 't': UShort, 'R': Ints, 'N': Node, 'X': Edge, 'P': Point, 'T': Element,
}

// fileType and its like are opaque: programs only hold pointers to them.
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

// parseSig reads a signature in the notation of package builtin's table.
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
	case '{':
		return vectorStructs()[s[1:len(s)-1]]
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
	all := map[string]*Struct{uint3().Tag: uint3()}
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

// Nearly every kernel needs the types of threadIdx and blockDim, and few the
// other vectors.
var (
	uint3 = sync.OnceValue(func() *Struct { return vectorStruct("uint3", UInt, 3) })
	dim3  = sync.OnceValue(func() *Struct { return vectorStruct("dim3", UInt, 3) })
)

// Dim3 returns the type dim3, whose missing parts are 1.
func Dim3() *Struct { return dim3() }
