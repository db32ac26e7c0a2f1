package irgltest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A store is a property or a global of the program.
type store struct {
	name   string
	t      *ctype
	edge   bool // a property of edges
	global bool
	length int    // of an array; 0 for none
	field  bool   // a field of the global struct: name is gs.f
	sums   bool   // floating, and only ever changed by sums of small integers
	racy   string // the constant that whoever comes stores, when declared Racy
}

// A function is a plain C function.
type function struct {
	name   string
	result *ctype
	params []*ctype
	graph  bool // takes a node first, and reads properties: kernels only
	reads  []*store
}

// A kernel is what host functions must know of a Kernel.
type kernel struct {
	name    string
	params  []*ctype // after the graph, and depth where there is one
	depth   bool     // the first of them is int depth
	wl      bool
	numbers bool // items are numbers, not nodes
	unique  bool // no node may be in the in list twice
	dups    bool // pushes a node any number of times
	reduces bool
	invoked bool
}

// A generator writes one program.
type generator struct {
	*rand.Rand
	b       strings.Builder
	indent  int
	names   int
	weights bool
	props   []*store
	globals []*store
	consts  []string // names of int constants
	funcs   []*function
	kernels []*kernel
	reports []string // names of host functions without parameters
	structs bool     // struct pair is declared
	helped  []helper
	// nodeProp says that nodes have a property next, of type node; kernels
	// only read it, but for those that set it to a neighbour.
	nodeProp  bool
	recursive bool // there is a recursive function, for the host
	grid      bool // there is a global array of arrays
}

// Generate returns the text of the program with the given seed.
func Generate(seed uint64) string {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
	g.constants()
	g.graph()
	g.declareGlobals()
	g.helpers()
	for i := range g.IntN(4) {
		g.function(fmt.Sprintf("f%d", i))
	}
	for i := range 2 + g.IntN(4) {
		g.kernel(fmt.Sprintf("k%d", i))
	}
	g.hostFunctions()
	return g.b.String()
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func pick[T any](g *generator, list []T) T { return list[g.IntN(len(list))] }

func (g *generator) line(format string, args ...any) {
	g.b.WriteString(strings.Repeat("\t", g.indent))
	fmt.Fprintf(&g.b, format, args...)
	g.b.WriteByte('\n')
}

// open writes a line that begins a block, and shut ends it.
func (g *generator) open(format string, args ...any) {
	g.line(format, args...)
	g.indent++
}

func (g *generator) shut(format string, args ...any) {
	g.indent--
	g.line(format, args...)
}

func (g *generator) fresh(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

func (g *generator) constants() {
	if g.chance(60) {
		g.line("#define LIMIT %d", g.IntN(20)-3)
		g.consts = append(g.consts, "LIMIT")
	}
	if g.chance(40) {
		g.line("enum { RED = %d, GREEN, BLUE = GREEN * 3 };", g.IntN(9))
		g.consts = append(g.consts, "RED", "GREEN", "BLUE")
	}
	if g.chance(30) {
		g.line("const int fixed = %d;", g.IntN(100)-50)
		g.consts = append(g.consts, "fixed")
	}
	if g.chance(60) {
		g.structs = true
		g.line("struct pair { int a; %s b; double c; %s d[3]; };", pick(g, []*ctype{tChar, tShort, tLong, tUInt}).name, pick(g, []*ctype{tUChar, tInt, tFloat}).name)
	}
}

// graph declares the graph with its properties. The property mark is for claims.
func (g *generator) graph() {
	g.open("Graph graph {")
	if g.weights = g.chance(50); g.weights {
		g.line("Requires weights;")
	}
	if g.chance(25) {
		g.line("Requires %s;", pick(g, []string{"symmetric", "sorted", "noloops", "nodups", "sorted, nodups"}))
	}
	g.line("Output Node int mark;")
	g.line("Node int latch;")
	g.line("Node int again;")
	g.line("Output Node int held;")
	if g.nodeProp = g.chance(40); g.nodeProp {
		g.line("Output Node node next = id;")
	}
	var racy []string
	for i := range 3 + g.IntN(5) {
		p := &store{name: fmt.Sprintf("p%d", i), t: pick(g, allTypes), edge: g.chance(20)}
		kind := "Node"
		if p.edge {
			kind = "Edge"
		}
		init := ""
		switch {
		case p.t.float && g.chance(40):
			p.sums = true
			init = pick(g, []string{"", " = 3", " = id"})
		case g.chance(70):
			init = " = " + g.initialiser(p)
		}
		if !p.edge && !p.t.float && g.chance(15) {
			p.racy = literal(g.Rand, p.t)
			racy = append(racy, fmt.Sprintf("Racy %s \"all store the same\";", p.name))
		}
		g.line("Output %s %s %s%s;", kind, p.t.name, p.name, init)
		g.props = append(g.props, p)
	}
	for _, r := range racy {
		g.line("%s", r)
	}
	g.shut("}")
}

// initialiser returns an initial value of a property.
func (g *generator) initialiser(p *store) string {
	leaf := func() string {
		switch {
		case g.chance(40):
			return "id"
		case g.chance(30) && !p.edge:
			return "degree"
		case g.chance(20) && len(g.consts) > 0 && g.consts[0] == "LIMIT":
			return "LIMIT"
		}
		return literal(g.Rand, pick(g, allTypes))
	}
	s := leaf()
	for range g.IntN(3) {
		s = fmt.Sprintf("(%s %s %s)", s, pick(g, []string{"+", "-", "*", "/", "<", "=="}), leaf())
	}
	return s
}

// declareGlobals declares scalars, arrays, and a struct.
func (g *generator) declareGlobals() {
	for i := range 2 + g.IntN(4) {
		v := &store{name: fmt.Sprintf("g%d", i), t: pick(g, allTypes), global: true}
		v.sums = v.t.float && g.chance(50)
		dims, init := "", ""
		switch {
		case g.chance(40):
			v.length = 1 + g.IntN(6)
			dims = fmt.Sprintf("[%d]", v.length)
			if g.chance(50) && !v.sums {
				init = fmt.Sprintf(" = {%s}", literal(g.Rand, v.t))
			}
		case v.sums:
			init = " = 5"
		case g.chance(60):
			init = " = " + literal(g.Rand, v.t)
		}
		g.line("Output %s %s%s%s;", v.t.name, v.name, dims, init)
		g.globals = append(g.globals, v)
	}
	g.line("int lock;")
	if g.grid = g.chance(30); g.grid {
		g.line("Output int grid[3][4] = {{1, 2}, {3}};")
	}
	if g.chance(30) {
		g.line("struct totals { long a; unsigned b; char c; double d; };")
		g.line("struct totals gs = {%d, %du};", g.IntN(50), g.IntN(50))
		for _, f := range []store{{name: "gs.a", t: tLong}, {name: "gs.b", t: tUInt}, {name: "gs.c", t: tChar}, {name: "gs.d", t: tDouble}} {
			f.global, f.field = true, true
			g.globals = append(g.globals, &f)
		}
	}
}

// function writes a plain C function. Some take a node and read properties.
func (g *generator) function(name string) {
	f := &function{name: name, result: pick(g, allTypes)}
	s := &scope{g: g, loops: 2}
	var params []string
	if f.graph = g.chance(40); f.graph {
		params = append(params, "node x")
		for _, p := range g.props {
			if !p.edge && g.chance(40) {
				f.reads = append(f.reads, p)
				s.leaves = append(s.leaves, value{"x." + p.name, p.t})
			}
		}
		s.leaves = append(s.leaves, value{"x.id", tInt}, value{"x.degree", tInt}, value{"(x + 1)", tInt})
		s.device = true
	}
	for i := range 1 + g.IntN(3) {
		t := pick(g, allTypes)
		f.params = append(f.params, t)
		n := fmt.Sprintf("a%d", i)
		params = append(params, t.name+" "+n)
		s.vars = append(s.vars, value{n, t})
	}
	g.open("%s %s(%s) {", f.result.name, name, strings.Join(params, ", "))
	s.statements(1 + g.IntN(4))
	if g.chance(30) {
		g.line("if (%s) return %s;", s.expr(2), s.expr(2))
	}
	g.line("return %s;", s.expr(3))
	g.shut("}")
	g.funcs = append(g.funcs, f)
}

// A helper is a function of a fixed shape. use writes statements that call it,
// in a scope with a variable v of type int.
type helper struct{ decl, use string }

// helpers declares functions with pointers, structs, void results and static
// variables that nobody changes. HOLE stands for an expression in a and b.
func (g *generator) helpers() {
	list := []helper{
		{"void bump(int *p, int a) {\n\tint b = *p;\n\t*p = HOLE;\n\tif (a > 3) return;\n\t*p += a;\n}", "bump(&v, HOLE);"},
		{"int first(const int *p, int a) {\n\tint b = p[a & 1];\n\treturn HOLE;\n}", "int va[2] = {v, HOLE};\nv = first(va, v);"},
		{"void swap(int *a, int *b) {\n\tint t = *a;\n\t*a = *b;\n\t*b = t;\n}", "int w = HOLE;\nswap(&v, &w);\nv -= w;"},
		{"typedef struct { short x; long y; int z[2]; } wide;\nwide make(int a, long b) {\n\twide r = {a, b};\n\tr.z[a & 1] = HOLE;\n\treturn r;\n}\nlong sum(wide w) {\n\tw.x += 1;\n\treturn w.x + w.y + w.z[0] - w.z[1];\n}",
			"wide w = make(v, HOLE);\nw.z[0] = sum(w);\nv = sum(make(w.x, w.z[0])) + w.x;"},
		{"unsigned hash(unsigned a) {\n\tunsigned b = a * 2654435761u;\n\tfor (int i = 0; i < 3; i++, b ^= b >> 7) {\n\t\tif (b % 5 == 0) continue;\n\t\tb += HOLE;\n\t}\n\treturn b;\n}", "v ^= hash(HOLE);"},
		{"int early(int a, int b) {\n\twhile (true) {\n\t\tif (a > 100 || a < 0) return HOLE;\n\t\tswitch (a & 3) {\n\t\tcase 0: a += 7; break;\n\t\tcase 1: a *= 3; continue;\n\t\tdefault: a++;\n\t\t}\n\t\ta += 5;\n\t}\n}", "v += early(v & 63, HOLE);"},
		{"int jump(int a, int b) {\n\tint r = 0;\nagain:\n\tr += HOLE;\n\tif (++b < 4 && b > 0) goto again;\n\treturn r;\n}", "v -= jump(HOLE, v & 7);"},
		{"float3 turn(float3 p, float a) {\n\tfloat3 q = make_float3(p.y, p.z, p.x);\n\tq.x *= a;\n\tint b = 3;\n\tq.y += HOLE & 255;\n\treturn q;\n}", "float3 w = turn(make_float3(v & 15, 2, HOLE & 31), 0.5f);\nv += w.x + w.y * w.z;"},
	}
	for _, h := range list {
		if !g.chance(25) {
			continue
		}
		s := &scope{g: g}
		switch {
		case strings.HasPrefix(h.decl, "unsigned"):
			s.leaves = []value{{"b", tUInt}, {"i", tInt}}
		case strings.HasPrefix(h.decl, "float3"):
			s.leaves = []value{{"b", tInt}}
		case !strings.HasPrefix(h.decl, "void swap"):
			s.leaves = []value{{"b", tInt}, {"a", tInt}}
		}
		text := h.decl
		for strings.Contains(text, "HOLE") {
			text = strings.Replace(text, "HOLE", s.to(2, tInt), 1)
		}
		g.b.WriteString(text + "\n")
		g.helped = append(g.helped, h)
	}
}
