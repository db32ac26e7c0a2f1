package klaptest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"irgl/internal/device"
	"irgl/internal/klap"
)

// GenerateChain returns the program of a seed with a kernel of one block that launches itself, as
// promotion takes them. Its instances write cells of their chain in front of the launch, each from what
// the one before it has written.
func GenerateChain(seed uint64) *Program {
	r := rand.New(rand.NewPCG(seed, 0x9409))
	g := &generator{Rand: r}
	p := &Program{Seed: seed, root: &block{}, N: 5}
	p.Grid, p.Block = device.Dim3{X: 1 + uint32(g.IntN(2)), Y: 1, Z: 1}, device.Dim3{X: 32, Y: 1, Z: 1}
	c := &chainKernel{generator: g, threads: []int{32, 20, 64, 45, 1}[g.IntN(5)], overlap: !g.one(4), stream: []string{"", ", 0, (cudaStream_t)4", ", 0, (cudaStream_t)2", ", 0, (cudaStream_t)3"}[g.IntN(4)]}
	if !c.overlap { // the first thread launches what is overlapped
		c.launcher = g.IntN(min(c.threads, 40))
	}
	c.params = params(r)
	c.write(p.root)
	depth := 1 + g.IntN(9)
	if strings.Contains(c.stream, "3") {
		depth += g.IntN(40) // tail launches do not go deeper
	}
	b := p.root.open("__global__ void root(unsigned *out, const unsigned *in, int n)")
	b.add("unsigned h = mix(in[linear() % (unsigned)n], here());").keep = true
	b = b.open(fmt.Sprintf("if (linear() < %du)", 1+g.IntN(3)))
	b.add("unsigned *data = &heap[4096u + (blockIdx.x * 4u + linear()) * 64u];").keep = true
	b.add("for (unsigned i = 0u; i < 64u; i++) data[i] = i;")
	s := &scope{b: b, root: true}
	args := append([]string{"out", "data", "h", fmt.Sprintf("%d + (int)(h %% 3u)", depth)}, g.arguments(b, s, &kern{params: c.params})...)
	b.add(fmt.Sprintf("chain<<<1, %d%s>>>(%s);", c.threads, c.stream, strings.Join(args, ", ")))
	return p
}

// A chainKernel is the kernel that launches itself.
type chainKernel struct {
	*generator
	params            []param
	threads, launcher int
	overlap           bool
	stream            string
}

func (c *chainKernel) write(root *block) {
	list := []string{"unsigned *out", "unsigned *data", "unsigned id", "int left"}
	for _, p := range c.params {
		list = append(list, p.name2())
	}
	root.add("static __device__ void klap_overlap(void) {}")
	if c.one(3) {
		root.add("static __device__ unsigned doubled(unsigned v) { return v * 2u + threadIdx.x; }")
	} else {
		root.add("static __device__ unsigned doubled(unsigned v) { return v * 2u; }")
	}
	b := root.open(fmt.Sprintf("__global__ void chain(%s)", strings.Join(list, ", ")))
	b.add("unsigned t = threadIdx.x;").keep = true
	b.add("unsigned h = mix((unsigned)left, doubled(t) + blockDim.x * 3u + gridDim.x * 5u + blockIdx.x);").keep = true
	shared := c.one(2)
	if shared {
		b.add("__shared__ unsigned s[1];")
		b.add("if (t == 0u) s[0] = (unsigned)left;")
		b.add("__syncthreads();")
		b.add("if (t % 3u == 0u) atomicAdd(&s[0], t);")
	}
	if c.overlap {
		b.add("klap_overlap();")
	}
	if !c.overlap && c.one(4) {
		b.add("if (left < 0) return;")
	}
	for _, p := range c.params {
		b.add(fmt.Sprintf("h = mix(h, %s);", p.hash()))
	}
	b.add("h = mix(h, id);")
	b.add("data[t] = data[t] * 3u + h;")
	b.add("__syncthreads();")
	if shared {
		b.add("h = mix(h, s[0]);")
	}
	b.add(fmt.Sprintf("record(out, mix(h, data[%du]));", c.IntN(c.threads)))
	b.add("__syncthreads();") // all have read what the next instance writes
	c.launchSelf(b)
	if c.one(2) {
		b.add("if (t % 2u) return;")
		b.add("record(out, mix(h, 77u));")
	}
}

// launchSelf adds the launch, under a condition that is known at the begin, or not.
func (c *chainKernel) launchSelf(b *block) {
	args := []string{"out", "data", []string{"id", "id + 3u", "mix(h, 5u)", "id ^ data[0]"}[c.IntN(4)], []string{"left - 1", "left - 1 - (int)(id % 2u)", "left - 1"}[c.IntN(3)]}
	thread := fmt.Sprintf("t == %du", c.launcher)
	if c.one(2) {
		thread = fmt.Sprintf("threadIdx.x == %d", c.launcher)
	}
	form := c.IntN(6)
	if c.overlap && !c.one(6) {
		form = []int{0, 1, 2, 5}[form%4] // of which the condition is known at the begin
	}
	switch form {
	case 0:
		b = b.open("if (left > 0 && " + thread + ")")
	case 1:
		b = b.open("if (left > 0)").open("if (" + thread + ")")
	case 2:
		b = b.open("if (" + thread + ")").open("if (left > 0)")
	case 3:
		b = b.open(fmt.Sprintf("if (%s && left > 0 && data[%d] %% 9u != 4u)", thread, c.launcher)) // speculated
	case 4:
		b.add("if (left <= 0) return;")
		b = b.open("if (" + thread + ")")
	case 5:
		b = b.open("if (" + thread + " && left > 0 && id % 17u != 3u)")
	}
	for i, p := range c.params {
		text := p.name
		switch {
		case c.one(3) && strings.Contains(p.ctype.make, "X"):
			text = c.name("v")
			b.add(substitute(p.ctype.make, text))
		case c.one(3) && p.ctype.name[0] != 'c' && !strings.HasPrefix(p.ctype.name, "struct"):
			text = p.ctype.make
		case c.one(3) && p.ctype.name == "int":
			text = fmt.Sprintf("p%d + left", i)
		}
		args = append(args, text)
	}
	b.add(fmt.Sprintf("chain<<<1, %d%s>>>(%s);", c.threads, c.stream, strings.Join(args, ", ")))
}

// Promotions returns the variants of promotion by their form.
func Promotions() map[string][]Variant {
	out := map[string][]Variant{}
	for form, names := range map[string][]string{
		"basic": {"basic"}, "aggregate": {"aggregate:2", "aggregate:5", "aggregate:128"}, "overlap": {"overlap"},
		"both": {"aggregate:2,overlap", "aggregate:4,overlap", "aggregate:64,overlap"},
	} {
		for _, name := range names {
			for _, pool := range []int64{1 << 17, 1 << 10} {
				v := Variant{fmt.Sprintf("promote %s pool %d", name, pool), klap.Options{Pool: pool, PerThread: true}}
				if err := v.Options.SetPromote(name); err != nil {
					panic(err)
				}
				out[form] = append(out[form], v)
				if pool == 1<<17 && name == "aggregate:5" {
					v.Name, v.Options.Granularity = v.Name+" block", klap.Block
					out[form] = append(out[form], v)
				}
			}
		}
	}
	return out
}
