package difftest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A Program is one kernel, its launch, and what it needs.
type Program struct {
	Seed        uint64
	Name        string // of the kernel
	Grid, Block uint32
	Slots       int // values of 8 bytes that each thread writes to out
	Collective  bool
	// Padded is true when a struct has bytes that no field has. They are copied
	// with the others, without having been written.
	Padded bool
	root   *block
}

// Text returns the program as CUDA C.
func (p *Program) Text() string { return helpers + p.body() }

func (p *Program) body() string {
	var b strings.Builder
	p.root.write(&b, 0)
	return b.String()
}

// Threads returns the number of threads of the launch.
func (p *Program) Threads() int { return int(p.Grid * p.Block) }

// A scalar is a variable, field or element that may be named in the program.
type scalar struct {
	text string
	t    *ctype
	ro   bool
}

// An array is anything that text[0] to text[mask] may be used of.
type array struct {
	text string
	t    *ctype
	mask int
	ro   bool
	// local is true of whole arrays that are variables.
	local bool
}

// A structure is a variable of struct type.
type structure struct {
	text string
	s    *structType
	ro   bool
}

type field struct {
	name string
	t    *ctype
	n    int // elements, 0 when it is no array
}

type structType struct {
	name   string
	fields []field
}

// padded reports whether C leaves bytes of the struct to no field.
func (s *structType) padded() bool {
	at, align := 0, 1
	for _, f := range s.fields {
		align = max(align, f.t.size)
		if at%f.t.size != 0 {
			return true
		}
		at += f.t.size * max(1, f.n)
	}
	return at%align != 0
}

// A function is a device function that was generated.
type function struct {
	name   string
	result *ctype
	rs     *structType // the result, when it is a struct
	params []param
	cost   int // statements run by a call, about
	depth  bool
}

type param struct {
	t   *ctype      // a scalar, or what a pointer points to
	ptr bool        // pointer to four elements or more, or to a struct
	s   *structType // a struct
}

// scope holds what can be named at a place.
type scope struct {
	scalars []scalar
	arrays  []array
	structs []structure
}

func (s scope) clone() scope {
	return scope{slices.Clip(s.scalars), slices.Clip(s.arrays), slices.Clip(s.structs)}
}

// A generator holds the state of one Generate.
type generator struct {
	*rand.Rand
	p      *Program
	prefix string
	types  []*structType
	funcs  []*function
	scope
	names  int
	budget int // statements still to be made
	mult   int // how often the present place is run, at most
	cost   int
	loops  int // loops around the present place that may be left
	depth  int
	// In a function: its result.
	fn *function
	// uniform is true where all threads of a block are known to be together.
	uniform bool
	shared  []array // of block size, in collective kernels
	// Variables of the program.
	constant, memory array
}

// Generate returns the program of a seed.
func Generate(seed uint64) *Program {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0x1726)), mult: 1}
	g.prefix = fmt.Sprint(seed)
	p := &Program{Seed: seed, Name: "k" + g.prefix, Grid: 2, Block: 24, root: &block{}}
	p.Collective = seed%2 == 1
	if p.Collective {
		p.Block = 64
	}
	g.p = p
	for range 1 + g.IntN(2) {
		g.structType()
	}
	g.globals()
	for range 1 + g.IntN(4) {
		g.function()
	}
	g.kernel()
	return p
}

// one returns one of the texts.
func (g *generator) one(texts ...string) string { return texts[g.IntN(len(texts))] }

func pick[T any](g *generator, list []T) T { return list[g.IntN(len(list))] }

func (g *generator) typ() *ctype { return pick(g, allTypes) }

// intType returns an integer type that is not bool.
func (g *generator) intType() *ctype {
	for {
		if t := g.typ(); t.isInt() && t != tBool {
			return t
		}
	}
}

func (g *generator) name(kind string) string {
	g.names++
	return fmt.Sprintf("%s%d", kind, g.names)
}

func (g *generator) structType() {
	s := &structType{name: fmt.Sprintf("struct s%s_%d", g.prefix, len(g.types))}
	text := s.name + " {"
	for i := range 2 + g.IntN(5) {
		f := field{name: string(rune('a' + i)), t: g.typ()}
		if g.IntN(4) == 0 {
			f.n = 4
			text += fmt.Sprintf(" %s %s[4];", f.t.name, f.name)
		} else {
			text += fmt.Sprintf(" %s %s;", f.t.name, f.name)
		}
		s.fields = append(s.fields, f)
	}
	g.p.root.add(text + " };")
	g.p.Padded = g.p.Padded || s.padded()
	g.p.root.add("__device__ " + s.name + " zero_" + s.name[len("struct "):] + "() { " + s.name + " r = { 0 }; return r; }")
	g.types = append(g.types, s)
}

// fields makes the fields of the struct called text known in the scope; access
// is "." or "->".
func (g *generator) fields(text, access string, s *structType, ro bool) {
	for _, f := range s.fields {
		name := text + access + f.name
		if f.n > 0 {
			g.arrays = append(g.arrays, array{text: name, t: f.t, mask: f.n - 1, ro: ro})
		} else {
			g.scalars = append(g.scalars, scalar{name, f.t, ro})
		}
	}
}

// declareScalar declares a variable.
func (g *generator) declareScalar(b *block) {
	t, v := g.typ(), g.name("v")
	b.add(t.name+" "+v+" = $;", convert(t, g.exp(2)))
	g.scalars = append(g.scalars, scalar{v, t, false})
}

func (g *generator) declareArray(b *block) {
	t, v, n := g.typ(), g.name("a"), 4<<g.IntN(2)
	s := &stmt{text: fmt.Sprintf("%s %s[%d] = { ", t.name, v, n)}
	for i := range n {
		if i == 0 || g.IntN(4) > 0 { // the others are zero
			s.text += "$, "
			s.args = append(s.args, cast(t, g.exp(1)))
		} else {
			break
		}
	}
	s.text += "};"
	b.list = append(b.list, s)
	g.arrays = append(g.arrays, array{text: v, t: t, mask: n - 1, local: true})
}

func (g *generator) declareStruct(b *block) {
	st, v := pick(g, g.types), g.name("s")
	s := &stmt{text: st.name + " " + v + " = { "}
	for _, f := range st.fields {
		if f.n == 0 {
			s.text += "$, "
			s.args = append(s.args, cast(f.t, g.exp(1)))
		} else {
			s.text += "{ $, $ }, "
			s.args = append(s.args, cast(f.t, g.exp(1)), cast(f.t, g.exp(0)))
		}
	}
	s.text += "};"
	b.list = append(b.list, s)
	g.structVar(v, st)
	if g.IntN(4) == 0 {
		at := fmt.Sprintf("[%s & 3]", g.intVariable())
		list := g.name("l")
		b.add(fmt.Sprintf("%s %s[4] = { %s, %s };\n%s[2].%s = 1;", st.name, list, v, v, list, st.first()))
		g.structVar(list+"[1]", st)
		g.structVar(list+at, st)
	}
	if g.IntN(3) == 0 {
		p := g.name("p")
		b.add(fmt.Sprintf("%s *%s = &%s;", st.name, p, v))
		g.fields(p, "->", st, false)
	}
}

// first returns an element or field of arithmetic type.
func (s *structType) first() string {
	if f := s.fields[0]; f.n > 0 {
		return f.name + "[0]"
	}
	return s.fields[0].name
}

// intVariable returns the name of a variable of integer type, or a number.
func (g *generator) intVariable() string {
	for _, v := range g.scalars {
		if v.t.isInt() && v.t != tBool && (v.ro || v.text[0] == 'v') && g.IntN(3) == 0 {
			return v.text
		}
	}
	return "3"
}

// declareUnion declares a union of integers, whose bytes are seen as they lie
// in memory.
func (g *generator) declareUnion(b *block) {
	v := g.name("u")
	b.add("union pun "+v+" = { $ };", cast(tULLong, g.exp(2)))
	g.scalars = append(g.scalars, scalar{v + ".w", tULLong, false}, scalar{v + ".i[1]", tInt, false})
	g.arrays = append(g.arrays, array{text: v + ".h", t: tI16, mask: 3}, array{text: v + ".b", t: tU8, mask: 7})
}

// declareVector declares one of CUDA's vectors.
func (g *generator) declareVector(b *block) {
	v := g.name("c")
	k := g.IntN(3)
	name, t := []string{"int4", "float2", "uchar4"}[k], []*ctype{tInt, tFloat, tU8}[k]
	n := int(name[len(name)-1] - '0')
	s := &stmt{text: name + " " + v + " = make_" + name + "("}
	for i := range n {
		if i > 0 {
			s.text += ", "
		}
		s.text += "$"
		s.args = append(s.args, cast(t, g.exp(1)))
	}
	s.text += ");"
	for i := range n {
		g.scalars = append(g.scalars, scalar{v + "." + "xyzw"[i:i+1], t, false})
	}
	b.list = append(b.list, s)
}

// declareTable declares an array of arrays.
func (g *generator) declareTable(b *block) {
	t, v := g.typ(), g.name("m")
	b.add(fmt.Sprintf("%s %s[3][4] = { { $, $ }, { $ }, { $, $, $, $ } };", t.name, v),
		cast(t, g.exp(1)), cast(t, g.exp(1)), cast(t, g.exp(1)), cast(t, g.exp(0)), cast(t, g.exp(0)), cast(t, g.exp(1)), cast(t, g.exp(0)))
	g.arrays = append(g.arrays, array{text: v + "[2]", t: t, mask: 3}, array{text: fmt.Sprintf("%s[%s & 1]", v, g.intVariable()), t: t, mask: 3})
}

// globals declares variables of the program: a constant table, and memory of
// which each thread has four elements.
func (g *generator) globals() {
	t, v := g.intType(), g.name("t"+g.prefix+"_")
	values := ""
	for range 8 {
		values += fmt.Sprintf("%d, ", g.IntN(128))
	}
	g.p.root.add(fmt.Sprintf("__constant__ %s %s[8] = { %s};", t.name, v, values))
	g.constant = array{text: v, t: t, mask: 7, ro: true}
	v = g.name("g" + g.prefix + "_")
	t = g.intType()
	g.p.root.add(fmt.Sprintf("__device__ %s %s[%d] = { 1, 2, 3 };", t.name, v, 4*g.p.Threads()))
	g.memory = array{text: v, t: t, mask: 3}
}

// structVar makes the variable v of struct type known.
func (g *generator) structVar(v string, st *structType) {
	g.structs = append(g.structs, structure{v, st, false})
	g.fields(v, ".", st, false)
}

// declarePointer declares a pointer into one of the arrays, which may be one
// of several at run time.
func (g *generator) declarePointer(b *block) {
	from := pick(g, g.arrays)
	if from.mask < 3 || from.ro {
		return
	}
	v := g.name("q")
	b.add(from.t.name+" *"+v+" = $;", g.pointer(from.t, g.arrays))
	g.arrays = append(g.arrays, array{text: v, t: from.t, mask: 3})
}

// pointer returns a pointer to four elements of type t or more of one of the
// arrays, of which one must do.
func (g *generator) pointer(t *ctype, arrays []array) *exp {
	var all []array
	for _, a := range arrays {
		if a.t == t && a.mask >= 3 && !a.ro {
			all = append(all, a)
		}
	}
	one := func() *exp {
		a := pick(g, all)
		if a.mask < 7 || g.IntN(2) == 0 {
			return &exp{nil, "(" + a.text + " + 0)", nil}
		}
		return &exp{nil, g.one("(&"+a.text+"[$])", "("+a.text+" + $)"), []*exp{g.index(4)}}
	}
	if g.IntN(3) == 0 {
		return &exp{nil, "($ ? $ : $)", []*exp{g.exp(1), one(), one()}}
	}
	return one()
}

// hasArray reports whether pointer(t) finds something.
func (g *generator) hasArray(t *ctype) bool {
	return slices.ContainsFunc(g.arrays, func(a array) bool { return a.t == t && a.mask >= 3 && !a.ro })
}

// function makes a device function.
func (g *generator) function() {
	f := &function{name: fmt.Sprintf("f%s_%d", g.prefix, len(g.funcs))}
	save := *g
	g.scope, g.mult, g.cost, g.loops, g.depth, g.fn = scope{}, 1, 0, 0, 0, f
	g.budget = 2 + g.IntN(14)
	head := "__device__ " + g.one("", "", "__noinline__ ", "__forceinline__ ", "inline ")
	if g.IntN(4) == 0 {
		f.rs = pick(g, g.types)
		head += f.rs.name
	} else {
		f.result = g.typ()
		head += f.result.name
	}
	head += " " + f.name + "("
	for i := range 1 + g.IntN(4) {
		if i > 0 {
			head += ", "
		}
		v := fmt.Sprintf("x%d", i)
		switch g.IntN(7) {
		case 2:
			st := pick(g, g.types)
			f.params = append(f.params, param{s: st, ptr: true})
			head += st.name + " *" + v
			g.structs = append(g.structs, structure{"(*" + v + ")", st, false})
			g.fields(v, "->", st, false)
		case 0:
			st := pick(g, g.types)
			f.params = append(f.params, param{s: st})
			head += st.name + " " + v
			g.structVar(v, st)
		case 1:
			t := pick(g, []*ctype{tI16, tFloat, tU8, tLLong, tUInt})
			f.params = append(f.params, param{t: t, ptr: true})
			head += t.name + " *" + v
			g.arrays = append(g.arrays, array{text: v, t: t, mask: 3})
		default:
			t := g.typ()
			f.params = append(f.params, param{t: t})
			head += t.name + " " + v
			g.scalars = append(g.scalars, scalar{v, t, false})
		}
	}
	if f.rs == nil && g.IntN(6) == 0 {
		f.depth = true
		head += ", unsigned depth"
		head = strings.Replace(head, "__forceinline__ ", "", 1)
	}
	body := &block{}
	g.declareScalar(body)
	g.arrays = append(g.arrays, g.constant)
	if g.IntN(2) == 0 {
		g.declareArray(body)
	}
	g.stmts(body, 2)
	f.cost = g.cost + 3
	if f.rs != nil {
		g.returnStruct(body)
	} else if f.depth {
		body.add("if (depth == 0u) return $;", convert(f.result, g.exp(2)))
		call := g.call(f, 1)
		call.text = strings.TrimSuffix(call.text, "$ & 3u)") + "depth - 1u)"
		call.args = call.args[:len(call.args)-1]
		body.add(f.result.name+" again = $;", call)
		again := &exp{f.result, "again", nil}
		body.add("return $;", convert(f.result, g.binary(again, g.exp(1)))).keep = true
		f.cost *= 4
	} else {
		body.add("return $;", convert(f.result, g.exp(3))).keep = true
	}
	g.p.root.list = append(g.p.root.list, &stmt{text: head + ") {@}", blocks: []*block{body}})
	names, funcs := g.names, append(g.funcs, f)
	*g = save
	g.names, g.funcs = names, funcs
}

func (g *generator) returnStruct(b *block) {
	rs := g.fn.rs
	for _, s := range g.structs {
		if s.s == rs && g.IntN(2) == 0 {
			b.add("return " + s.text + ";").keep = true
			return
		}
	}
	s := &stmt{text: "{ " + rs.name + " r = { "}
	for _, f := range rs.fields {
		if f.n == 0 {
			s.text += "$, "
		} else {
			s.text += "{ $ }, "
		}
		s.args = append(s.args, cast(f.t, g.exp(2)))
	}
	s.text += "}; return r; }"
	s.keep = true
	b.list = append(b.list, s)
}

// own names the parts of the buffers that belong to a thread; see [Program.Image].
var own = []struct {
	name string
	t    *ctype
}{{"gs", tI16}, {"gf", tFloat}, {"gb", tU8}, {"gl", tLLong}, {"gu", tUInt}}

// kernel makes the kernel.
func (g *generator) kernel() {
	b := &block{}
	b.add("unsigned gid = blockIdx.x * blockDim.x + threadIdx.x, side = gid;")
	g.budget = 15 + g.IntN(30)
	for _, o := range own {
		b.add(o.name + " += gid * 8u;")
		g.arrays = append(g.arrays, array{text: o.name, t: o.t, mask: 7})
	}
	g.arrays = append(g.arrays, array{text: "in", t: tInt, mask: 63, ro: true}, array{text: "pa.e", t: tLLong, mask: 1, ro: true})
	g.scalars = append(g.scalars,
		scalar{"threadIdx.x", tUInt, true}, scalar{"blockIdx.x", tUInt, true}, scalar{"gid", tUInt, true}, scalar{"n", tInt, true},
		scalar{"pa.a", tInt, true}, scalar{"pa.b", tI16, true}, scalar{"pa.c", tDouble, true}, scalar{"pa.d", tU8, true})
	g.arrays = append(g.arrays, g.constant)
	if g.IntN(2) == 0 {
		b.add(fmt.Sprintf("%s *own = %s + gid * 4u;", g.memory.t.name, g.memory.text))
		g.arrays = append(g.arrays, array{text: "own", t: g.memory.t, mask: 3})
	}
	if g.IntN(2) == 0 {
		t := g.typ()
		b.add(fmt.Sprintf("__shared__ %s mine[%d];\n%s *ms = mine + threadIdx.x * 4u;\nfor (int i = 0; i < 4; i++) ms[i] = (%s)(i + 1);",
			t.name, 4*g.p.Block, t.name, t.name))
		g.arrays = append(g.arrays, array{text: "ms", t: t, mask: 3})
	}
	if g.p.Collective {
		g.uniform = true
		for range 2 {
			v, t := g.name("sh"), pick(g, wide)
			b.add(fmt.Sprintf("__shared__ %s %s[64];", t.name, v))
			g.shared = append(g.shared, array{text: v, t: t, mask: 63})
		}
		b.add("__shared__ unsigned cells[8];")
	}
	first := len(g.scalars)
	firstArray := len(g.arrays)
	for range 3 + g.IntN(3) {
		g.declareScalar(b)
	}
	g.declareStruct(b)
	g.declareArray(b)
	g.declarePointer(b)
	for g.budget > 0 {
		g.stmts(b, 3)
	}
	g.results(b, g.scalars[first:], g.arrays[firstArray:])
	g.p.root.list = append(g.p.root.list, &stmt{
		text: "KERNEL " + g.p.Name + "(unsigned long long *out, const int *__restrict__ in, short *gs, float *gf, unsigned char *gb, long long *gl,\n" +
			"\t\tunsigned *gu, unsigned *acc, unsigned long long *acc64, struct arg pa, int n) {@}",
		blocks: []*block{b},
	})
}

// results writes all variables to out.
func (g *generator) results(b *block, scalars []scalar, arrays []array) {
	slot := 0
	b.add(fmt.Sprintf("out += gid * %du;", len(scalars)+len(arrays)+1))
	bits := func(text string, t *ctype) string {
		switch t {
		case tFloat:
			return "cf(" + text + ")"
		case tDouble:
			return "cd(" + text + ")"
		}
		return "(unsigned long long)" + text
	}
	for _, v := range scalars {
		b.add(fmt.Sprintf("out[%d] = %s;", slot, bits(v.text, v.t)))
		slot++
	}
	for _, a := range arrays {
		b.add(fmt.Sprintf("{\n\tunsigned long long h = 0;\n\tfor (int i = 0; i < %d; i++) h = h * 31u + %s;\n\tout[%d] = h;\n}",
			a.mask+1, bits(a.text+"[i]", a.t), slot))
		slot++
	}
	b.add(fmt.Sprintf("out[%d] = side;", slot))
	b.add("for (int i = 0; i < 8; i++) gf[i] = __uint_as_float(cf(gf[i]));")
	g.p.Slots = slot + 1
}
