package klaptest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"irgl/internal/device"
)

// A Program has a kernel root(unsigned *out, const unsigned *in, int n), which is launched once.
type Program struct {
	Seed        uint64
	Grid, Block device.Dim3
	N           int
	root        *block
}

// Outputs is how many numbers out has.
const Outputs = 61

// String returns the text of the program without what all programs begin with, with a first line that says how root is launched.
func (p *Program) String() string { return p.head() + strings.TrimPrefix(p.Text(), prelude) }

func (p *Program) head() string {
	return fmt.Sprintf("// grid %d %d block %d %d n %d\n", p.Grid.X, p.Grid.Y, p.Block.X, p.Block.Y, p.N)
}

// Text returns the program.
func (p *Program) Text() string {
	var b strings.Builder
	b.WriteString(prelude)
	p.root.write(&b, 0)
	return b.String()
}

// Parse reads what String has written: without structure, as one declaration.
func Parse(text string) (*Program, error) {
	p := &Program{Grid: device.Dim3{Z: 1}, Block: device.Dim3{Z: 1}, root: &block{}}
	line, rest, _ := strings.Cut(text, "\n")
	if _, err := fmt.Sscanf(line, "// grid %d %d block %d %d n %d", &p.Grid.X, &p.Grid.Y, &p.Block.X, &p.Block.Y, &p.N); err != nil {
		return nil, fmt.Errorf("the first line %q: %w", line, err)
	}
	p.root.add(strings.TrimSuffix(rest, "\n"))
	return p, nil
}

// A kern is a kernel of the program.
type kern struct {
	name   string
	params []param
	// dynamic says that it has dynamic shared memory for each thread, bounds what __launch_bounds__ says.
	dynamic  bool
	bounds   int
	oneBlock bool // it takes grids of one block alone
	restrict string
	// bare says that it has no parameters, and so launches nothing.
	bare bool
}

func (k *kern) head() string {
	bounds := ""
	if k.bounds > 0 {
		bounds = fmt.Sprintf(" __launch_bounds__(%d)", k.bounds)
	}
	if k.bare {
		return fmt.Sprintf("__global__ void%s %s()", bounds, k.name)
	}
	list := []string{"unsigned *" + k.restrict + "out", "unsigned id", "int left"}
	for _, p := range k.params {
		list = append(list, p.name2())
	}
	return fmt.Sprintf("__global__ void%s %s(%s)", bounds, k.name, strings.Join(list, ", "))
}

func (p param) name2() string {
	if strings.HasSuffix(p.ctype.name, "*") {
		return p.ctype.name + p.name
	}
	return p.ctype.name + " " + p.name
}

// A helper is a device function that launches.
type helper struct{ name string }

type generator struct {
	*rand.Rand
	kernels []*kern
	helpers []helper
	names   int
}

// Generate returns the program of a seed.
func Generate(seed uint64) *Program {
	r := rand.New(rand.NewPCG(seed, 0xca11))
	g := &generator{Rand: r}
	p := &Program{Seed: seed, root: &block{}}
	blocks := []device.Dim3{{X: 32, Y: 1}, {X: 33, Y: 1}, {X: 64, Y: 1}, {X: 20, Y: 1}, {X: 7, Y: 5}, {X: 45, Y: 1}, {X: 1, Y: 1}, {X: 16, Y: 4}}
	grids := []device.Dim3{{X: 1, Y: 1}, {X: 2, Y: 1}, {X: 3, Y: 1}, {X: 2, Y: 2}}
	p.Block, p.Grid = blocks[g.IntN(len(blocks))], grids[g.IntN(len(grids))]
	p.Block.Z, p.Grid.Z = 1, 1
	total := int(p.Block.X * p.Block.Y * p.Grid.X * p.Grid.Y)
	p.N = total - g.IntN(1+total/4)
	for i := range 1 + g.IntN(3) {
		k := &kern{name: fmt.Sprintf("k%d", i), params: params(r), dynamic: g.one(4), oneBlock: g.one(6)}
		if g.one(5) {
			k.bounds = 128
		}
		if g.one(4) {
			k.restrict = "__restrict__ "
		}
		g.kernels = append(g.kernels, k)
	}
	if g.one(2) {
		g.kernels = append(g.kernels, &kern{name: "bare", bare: true, dynamic: g.one(4), oneBlock: g.one(6)})
	}
	p.root.add(strings.TrimSuffix(ordered, "\n"))
	for _, k := range g.kernels {
		p.root.add(k.head() + ";")
	}
	for i := range g.IntN(3) {
		name := fmt.Sprintf("go%d", i)
		b := p.root.open("static __device__ void " + name + "(unsigned *out, unsigned id, int left, unsigned h)")
		for range 1 + g.IntN(2) {
			g.launch(&scope{b: b, helper: true})
		}
		g.helpers = append(g.helpers, helper{name})
	}
	for i, k := range g.kernels {
		g.kernel(p.root, i, k)
	}
	g.rootKernel(p.root)
	return p
}

// one returns true once in n times.
func (g *generator) one(n int) bool { return g.IntN(n) == 0 }

func (g *generator) name(of string) string {
	g.names++
	return fmt.Sprintf("%s%d", of, g.names)
}

// A scope is where statements are added.
type scope struct {
	b *block
	k *kern // nil in root and in functions
	// root is set in the kernel root, whose threads launch more often; helper in a function.
	root, helper bool
	// uniform says that all threads of the block that have not left come here; whole that none has left.
	uniform, whole bool
	depth          int
	loops          int
}

func (s *scope) in(b *block) *scope {
	c := *s
	c.b, c.uniform = b, false
	c.depth++
	return &c
}

func (g *generator) rootKernel(root *block) {
	b := root.open("__global__ void root(unsigned *out, const unsigned *in, int n)")
	b.add("int left = 2;").keep = true
	b.add("unsigned id = blockIdx.y * gridDim.x + blockIdx.x;").keep = true
	b.add("unsigned i = id * size() + linear();").keep = true
	s := &scope{b: b, root: true, uniform: true, whole: true}
	if g.one(2) {
		b.add("if (i >= (unsigned)n) return;").keep = true
		s.whole = false
		b.add("unsigned h = mix(in[i], here());").keep = true
	} else {
		b.add("unsigned h = mix(in[i % (unsigned)n], here());").keep = true
	}
	for range 1 + g.IntN(3) {
		g.statement(s)
	}
	g.launch(s)
	b.add("record(out, h);")
}

func (g *generator) kernel(root *block, i int, k *kern) {
	b := root.open(k.head())
	if k.bare {
		b.add("unsigned h = here();").keep = true
		g.barrier(&scope{b: b, k: k, uniform: true, whole: true})
		b.add("record(bare_out, h);")
		return
	}
	b.add(fmt.Sprintf("unsigned h = mix(mix(id, %du), here());", i+1)).keep = true
	for _, p := range k.params {
		b.add(fmt.Sprintf("h = mix(h, %s);", p.hash()))
	}
	s := &scope{b: b, k: k, uniform: true, whole: true}
	for range 1 + g.IntN(3) {
		g.statement(s)
	}
	b.add("record(out, h);")
	if g.one(2) {
		g.launch(s)
	}
}
