package klaptest

import (
	"fmt"
	"strings"
)

// launch adds a launch of a random kernel, of threads with a condition.
func (g *generator) launch(s *scope) {
	k := g.kernels[g.IntN(len(g.kernels))]
	b := s.b
	if !s.helper {
		b = s.b.open(fmt.Sprintf("if (left > 0 && %s)", g.gate(s)))
	}
	grid := g.grid(b, k)
	block, threads := g.block(b)
	stream := g.stream(b)
	shared := ""
	switch {
	case k.dynamic:
		shared = "4u * " + threads
		if g.one(3) {
			shared += fmt.Sprintf(" + %du", 4*g.IntN(9))
		}
	case g.one(12):
		shared = "16u * (h % 3u)"
	case g.one(40):
		shared = "48000u"
	}
	config := grid + ", " + block
	switch {
	case stream != "":
		if shared == "" {
			shared = "0"
		}
		config += ", " + shared + ", " + stream
	case shared != "":
		config += ", " + shared
	}
	if k.bare {
		b.add(fmt.Sprintf("%s<<<%s>>>();", k.name, config))
		return
	}
	args := append([]string{"out", g.id(), g.fuel()}, g.arguments(b, s, k)...)
	b.add(fmt.Sprintf("%s<<<%s>>>(%s);", k.name, config, strings.Join(args, ", ")))
}

// id returns the argument that distinguishes children.
func (g *generator) id() string {
	switch g.IntN(5) {
	case 0:
		return fmt.Sprintf("%du", g.IntN(100))
	case 1:
		return "id"
	case 2:
		return "id + blockIdx.x"
	}
	return fmt.Sprintf("mix(h, %du)", g.IntN(100))
}

func (g *generator) fuel() string {
	return []string{"left - 1", "left - 1", "left / 2", "left - 2"}[g.IntN(4)]
}

// grid returns the grid of a launch, which may be 0, or not valid.
func (g *generator) grid(b *block, k *kern) string {
	if k.oneBlock {
		return "1"
	}
	switch g.IntN(12) {
	case 0, 1:
		return "1"
	case 2:
		return "3u"
	case 3, 4:
		return "1u + h % 4u"
	case 5:
		return "h % 3u"
	case 6:
		return "gridDim.x"
	case 7, 8:
		v := g.name("g")
		b.add(fmt.Sprintf("dim3 %s = {1u + h %% 3u, %s, %s};", v, []string{"1u", "2u", "h % 2u + 1u", "h % 3u"}[g.IntN(4)], []string{"1u", "1u + h % 2u"}[g.IntN(2)]))
		return v
	case 9:
		v := g.name("g")
		b.add(fmt.Sprintf("dim3 %s = {1u, h %% 9u == 0u ? 70000u : 2u, 1u};", v))
		return v
	}
	return fmt.Sprintf("%d", 1+g.IntN(5))
}

// block returns the block of a launch, and the number of its threads.
func (g *generator) block(b *block) (config, threads string) {
	switch g.IntN(12) {
	case 0, 1:
		return "32", "32u"
	case 2:
		return "33u", "33u"
	case 3, 4, 5:
		return "1u + h % 70u", "(1u + h % 70u)"
	case 6, 7:
		v := g.name("b")
		b.add(fmt.Sprintf("dim3 %s = {1u + h %% 9u, %s, %s};", v, []string{"1u", "5u", "1u + h % 3u"}[g.IntN(3)], []string{"1u", "2u"}[g.IntN(2)]))
		return v, fmt.Sprintf("(%[1]s.x * %[1]s.y * %[1]s.z)", v)
	case 8:
		return "blockDim.x", "blockDim.x"
	case 9:
		return "h % 11u == 0u ? 1025u : 40u", "40u"
	case 10:
		return "h % 20u", "(h % 20u)"
	}
	n := 1 + g.IntN(100)
	return fmt.Sprint(n), fmt.Sprintf("%du", n)
}

// stream returns the stream of a launch; "" for the default stream.
func (g *generator) stream(b *block) string {
	switch g.IntN(14) {
	case 0, 1, 2:
		return ""
	case 3:
		return "(cudaStream_t)2"
	case 4:
		return "(cudaStream_t)3"
	case 5, 6, 7:
		v := g.name("q")
		b.add(fmt.Sprintf("stream %s;", v)).keep = true
		b.add(fmt.Sprintf("cudaStreamCreateWithFlags(&%s, 1u);", v)).keep = true
		return "(cudaStream_t)" + v
	}
	return "(cudaStream_t)4"
}

// arguments returns values for the parameters of a kernel: constants, parameters of the kernel that
// launches, and values of the thread.
func (g *generator) arguments(b *block, s *scope, k *kern) []string {
	var out []string
	for _, p := range k.params {
		text := ""
		if s.k != nil && g.one(3) {
			for _, q := range s.k.params {
				if q.ctype.name == p.ctype.name {
					text = q.name
				}
			}
		}
		switch {
		case text != "":
		case strings.Contains(p.ctype.make, "X"):
			text = g.name("v")
			b.add(substitute(p.ctype.make, text))
		case p.ctype.name[0] != 'c' && g.one(4):
			text = fmt.Sprintf("(%s)%d", p.ctype.name, g.IntN(200))
		default:
			text = p.ctype.make
		}
		out = append(out, text)
	}
	return out
}

// chain adds launches of a thread into one stream, which follow each other.
func (g *generator) chain(s *scope) {
	b := s.b
	if !s.helper {
		b = b.open(fmt.Sprintf("if (%s)", g.gate(s)))
	}
	c := g.name("c")
	b.add(fmt.Sprintf("unsigned *%s = cell(h);", c))
	stream := []string{"(cudaStream_t)0", "(cudaStream_t)2", "(cudaStream_t)3", ""}[g.IntN(4)]
	if stream == "" {
		v := g.name("q")
		b.add(fmt.Sprintf("stream %s;", v)).keep = true
		b.add(fmt.Sprintf("cudaStreamCreateWithFlags(&%s, 1u);", v)).keep = true
		stream = "(cudaStream_t)" + v
		if g.one(3) {
			defer b.add(fmt.Sprintf("cudaStreamDestroy(%s);", v))
		}
	}
	config := func() string {
		return fmt.Sprintf("%s, %s, 0, %s", []string{"1", "2", "1u + h % 3u"}[g.IntN(3)], []string{"32", "1", "1u + h % 40u"}[g.IntN(3)], stream)
	}
	if g.one(2) {
		b.add(fmt.Sprintf("step<<<%s>>>(%s, 7u);", config(), c))
	} else {
		i := g.name("i")
		in := b.open(fmt.Sprintf("for (unsigned %s = 0u; %[1]s < h %% 4u; %[1]s++)", i))
		if g.one(2) {
			in.add(fmt.Sprintf("if (h %% 5u != %s) step<<<%s>>>(%s, %s);", i, config(), c, i))
		} else {
			in.add(fmt.Sprintf("step<<<%s>>>(%s, %s + 5u);", config(), c, i))
		}
	}
	b.add(fmt.Sprintf("last<<<1, 1, 0, %s>>>(out, %s, h);", stream, c))
}
