package klaptest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"irgl/internal/device"
	"irgl/internal/klap"
)

// Programs whose threads launch children that are mostly small, as those that work off a frontier do: a thread
// of a child for each neighbour of a node, which loads something.

// items is how many numbers in has that children load.
const items = 32

// GenerateFrontier returns the program of a seed.
func GenerateFrontier(seed uint64) *Program {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0xf207))}
	p := &Program{Seed: seed, N: items, root: &block{}}
	p.Block = []device.Dim3{{X: 32, Y: 1, Z: 1}, {X: 64, Y: 1, Z: 1}, {X: 45, Y: 1, Z: 1}, {X: 9, Y: 5, Z: 1}, {X: 7, Y: 1, Z: 1}}[g.IntN(5)]
	p.Grid = []device.Dim3{{X: 1, Y: 1, Z: 1}, {X: 3, Y: 1, Z: 1}, {X: 2, Y: 2, Z: 1}}[g.IntN(3)]
	children := 1 + g.IntN(2)
	for i := range children {
		g.leaf(p.root, i, seed%4 == 3 && i == 0)
	}
	between := g.one(3)
	if between {
		b := p.root.open("__global__ void between(unsigned *out, const unsigned *in, unsigned h)")
		b.add("h = mix(h, here());").keep = true
		g.leaves(b, children)
	}
	b := p.root.open("__global__ void root(unsigned *out, const unsigned *in, int n)")
	b.add("unsigned h = mix(in[linear() % 32u], here());").keep = true
	if g.one(2) {
		b.add(fmt.Sprintf("if (h %% %du == 0u) return;", 2+g.IntN(5)))
	}
	if seed%5 == 4 && !between { // a thread launches several times; with those of between its cells would be more than the heap has
		b = b.open("for (unsigned again = 0u; again < 1u + h % 3u; again++)")
		b.add("h = mix(h, again);")
	}
	g.leaves(b, children)
	if between {
		b.open("if (h % 5u == 1u)").add("between<<<1u + h % 2u, 33, 0, (cudaStream_t)4>>>(out, in, h);")
	}
	return p
}

// leaf adds a kernel that launches nothing, and whose threads from n on do nothing, or, if whole, what the others do.
func (g *generator) leaf(root *block, i int, whole bool) {
	b := root.open(fmt.Sprintf("__global__ void leaf%d(unsigned *out, const unsigned *in, const unsigned *own, unsigned n, int a, float f, unsigned long l)", i))
	index := []string{"blockIdx.x * blockDim.x + threadIdx.x", "threadIdx.x + blockDim.x * blockIdx.x"}[g.IntN(2)]
	b.add("unsigned i = " + index + ";").keep = true
	switch returns := g.one(2); {
	case whole:
	case returns:
		b.add("if (i >= n) return;").keep = true
	default:
		b = b.open("if (i < n)")
	}
	b.add(fmt.Sprintf("unsigned h = mix(mix(*own, i * %du), gridDim.x + (unsigned)a + (unsigned)f + (unsigned)l);", 1+g.IntN(9)))
	if g.one(2) {
		b.add("h = mix(h, here());")
	}
	b.add("record(out, mix(h, in[(i + (unsigned)a) % 32u]));").keep = true
}

// leaves adds launches of these kernels.
func (g *generator) leaves(b *block, children int) {
	rare, most := 1+g.IntN(6), []int{3, 33, 90, 700}[g.IntN(4)]
	for range 1 + g.IntN(3) {
		in := b.open(fmt.Sprintf("if (mix(h, %du) %% %du == 0u)", g.IntN(100), rare))
		threads := []int{8, 32, 40, 64}[g.IntN(4)]
		n, m := g.name("m"), g.name("p")
		form := g.IntN(3)
		signed := form == 1 && most == 3 // of no threads it is a block, where (0u - 1u) / b + 1u are all that there are
		in.add(fmt.Sprintf("unsigned %s = h / 7u %% %du%s;", n, most, map[bool]string{true: " + 1u"}[form == 1 && !signed || form != 1 && g.one(2)])).keep = true
		in.add(fmt.Sprintf("unsigned *%s = cell(h);", m)).keep = true
		grid := fmt.Sprintf([]string{"(%[1]s + %[2]du) / %[3]d", "(%[1]s - 1u) / %[3]d + 1u", "%[1]s / %[3]du + (%[1]s %% %[3]du != 0u)"}[form], n, threads-1, threads)
		if signed {
			grid = fmt.Sprintf("((int)%[1]s - 1) / %[2]d + 1", n, threads)
		}
		if g.one(5) {
			grid = fmt.Sprint(1 + g.IntN(3))
		}
		args := []string{"out", "in", m, n, []string{"5", "(int)(h % 9u)", "(int)blockIdx.x"}[g.IntN(3)], []string{"2.0f", "(float)(h % 50u)"}[g.IntN(2)], []string{"7ul", "(unsigned long)h"}[g.IntN(2)]}
		stream := []string{", 0, (cudaStream_t)4", ", 0, (cudaStream_t)4", ""}[g.IntN(3)]
		in.add(fmt.Sprintf("leaf%d<<<%s, %d%s>>>(%s);", g.IntN(children), grid, threads, stream, strings.Join(args, ", "))).keep = true
	}
	b.add("record(out, h);")
}

// Frontiers returns the transformations of these programs, as many of each granularity.
func Frontiers() []Variant {
	var out []Variant
	for _, g := range []string{"warp", "block", "multiblock:2", "grid", "auto"} {
		for _, o := range []klap.Options{
			{Threshold: klap.Auto, Pool: 1 << 17},
			{Pool: 1 << 10, HostLaunch: true},
			{Coarsen: 2, Pool: 1 << 17, HostLaunch: true},
			{Threshold: klap.Auto, Coarsen: 2, Pool: 1 << 10, WholeBlocks: true},
			{Threshold: klap.Auto, Coarsen: klap.Auto, Pool: 1 << 17, WholeBlocks: true},
			{Threshold: klap.Auto, Coarsen: klap.Auto, Pool: 1 << 10},
			{Threshold: 24, Pool: 1 << 17, HostLaunch: true},
		} {
			o.PerThread = true
			v := Variant{Options: o}
			if err := v.Options.SetGranularity(g); err != nil {
				panic(err)
			}
			v.Name = fmt.Sprintf("%s threshold %d coarsen %d pool %d flattened %v by the host %v", g, o.Threshold, o.Coarsen, o.Pool, !o.WholeBlocks, o.HostLaunch)
			out = append(out, v)
		}
	}
	return out
}
