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
	n    int // elements, 0 when it is not an array
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

// A counter is the variable of a loop around, which goes from 0 to below most.
type counter struct {
	name string
	most int
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
	around []counter
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
