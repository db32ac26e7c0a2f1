package ptxtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// The registers of each kind that statements share.
const (
	words      = 12 // %r
	longWords  = 8  // %l
	halfWords  = 8  // %h
	predicates = 6  // %p
	uniforms   = 4  // %u, the same in all threads of a block
	maxNest    = 4  // of statements in each other
	functions  = 2  // of a program
)

// A generator makes the statements of a program.
type generator struct {
	*rand.Rand
	seed uint64
	left int    // statements that may still be made
	last string // the first register that the last instruction writes, or ""
}

// A scope is what may be done at a place.
type scope struct {
	block bool // all threads of the block come here
	warp  bool // all 32 lanes of each warp that comes here do
	inner bool // the innermost mask is a divergent loop's
	depth int
}

// Generate returns the program of a seed.
func Generate(seed uint64) *Program {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)), seed: seed}
	p := &Program{Seed: seed, Threads: 32 * (1 + g.IntN(3)), Blocks: 1 + g.IntN(2)}
	full := true
	if g.IntN(5) == 0 {
		p.Threads -= 1 + g.IntN(31)
		full = false
	}
	for i := range p.consts {
		p.consts[i] = g.Uint32()
	}
	for i := range p.funcs {
		for range 3 + g.IntN(6) {
			p.funcs[i] = append(p.funcs[i], g.instruction(arithmetic, true))
		}
	}
	g.left = 20 + g.IntN(40)
	for g.left > 0 {
		p.body = append(p.body, g.list(scope{block: true, warp: full})...)
	}
	return p
}

// list returns a few statements.
func (g *generator) list(in scope) []*stmt {
	var list []*stmt
	for n := 2 + g.IntN(6); n > 0; n-- {
		s := g.stmt(in)
		list = append(list, s)
		if s.kind == leaf && g.last != "" && g.IntN(2) == 0 {
			list = append(list, &stmt{text: digest(g.last)}) // before another value takes its place
		}
	}
	return list
}

func (g *generator) stmt(in scope) *stmt {
	g.left--
	if in.depth < maxNest && g.left > 0 && g.IntN(6) == 0 {
		return g.compound(in)
	}
	if in.inner && g.IntN(12) == 0 {
		return &stmt{kind: leave, text: g.reg('P')}
	}
	return g.leaf(in)
}

// compound returns a statement of statements.
func (g *generator) compound(in scope) *stmt {
	in.depth++
	apart := scope{depth: in.depth}
	switch g.IntN(7) {
	case 0, 1:
		return &stmt{kind: branch, text: g.reg('P'), bodies: [][]*stmt{g.list(apart), g.list(apart)}}
	case 2:
		return &stmt{kind: uniform, text: g.uniform(), bodies: [][]*stmt{g.list(in), g.list(in)}}
	case 3:
		in.block = false
		return &stmt{kind: voted, text: g.reg('P'), bodies: [][]*stmt{g.list(in), g.list(in)}}
	case 4:
		apart.inner = true
		return &stmt{kind: loop, text: g.reg('R'), bodies: [][]*stmt{g.list(apart)}}
	case 5:
		in.inner = false
		return &stmt{kind: uniformLoop, text: g.uniform(), bodies: [][]*stmt{g.list(in)}}
	}
	s := &stmt{kind: choice, text: g.reg('R')}
	for range 4 {
		s.bodies = append(s.bodies, g.list(apart))
	}
	return s
}

func (g *generator) uniform() string { return fmt.Sprintf("%%u%d", g.IntN(uniforms)) }

// leaf returns an instruction, a call, or now and then a sum of a register into the digest.
func (g *generator) leaf(in scope) *stmt {
	switch n := g.IntN(20); {
	case n == 19:
		g.last = ""
		return &stmt{text: fmt.Sprintf("{ .param .b32 a\n.param .b64 b\n.param .b32 r\nst.param.b32 [a], %s\nst.param.b64 [b], %s\n"+
			"call (r), f%d_%d, (a, b)\nld.param.b32 %s, [r]\n}", g.reg('R'), g.reg('L'), g.seed, g.IntN(functions), g.reg('R'))}
	case n == 0:
		return &stmt{text: digest(g.reg("RLHP"[g.IntN(4)]))}
	case n == 1 && in.block:
		return &stmt{text: fmt.Sprintf("ld.const.u32 %%t0, [table+%d]\nmad.lo.u32 %s, %[2]s, 5, %%t0", 4*g.IntN(16), g.uniform())}
	case n < 5 && in.block:
		return g.instruction(blockFamilies, false)
	case n < 9 && in.warp:
		return g.instruction(warpFamilies, false)
	}
	return g.instruction(families, true)
}

// digest returns code that adds a register to the digest.
func digest(reg string) string {
	const mix = "mad.lo.u64 %dig, %dig, 0x9e3779b97f4a7c15, "
	switch reg[1] {
	case 'r':
		return "cvt.u64.u32 %tl0, " + reg + "\n" + mix + "%tl0"
	case 'h':
		return "cvt.u64.u16 %tl0, " + reg + "\n" + mix + "%tl0"
	case 'p':
		return "selp.b64 %tl0, 1, 2, " + reg + "\n" + mix + "%tl0"
	}
	return mix + reg
}

// instruction returns an instruction of one of the families, at times with a guard.
func (g *generator) instruction(from []family, guards bool) *stmt {
	total := 0
	for _, f := range from {
		total += f.weight
	}
	n := g.IntN(total)
	i := slices.IndexFunc(from, func(f family) bool { n -= f.weight; return n < 0 })
	t := from[i].list[g.IntN(len(from[i].list))]
	text := g.expand(t)
	without := strings.ContainsAny(text, "\n") || strings.Contains(text, "@M") ||
		slices.ContainsFunc(unguarded, func(op string) bool { return strings.HasPrefix(text, op) })
	if guards && g.IntN(8) == 0 && !without {
		text = "@" + []string{"", "!"}[g.IntN(2)] + g.reg('P') + " " + text
	}
	return &stmt{text: text}
}

// reg returns a register of a kind, of the shared ones.
func (g *generator) reg(kind byte) string {
	switch kind {
	case 'R':
		return fmt.Sprintf("%%r%d", g.IntN(words))
	case 'L':
		return fmt.Sprintf("%%l%d", g.IntN(longWords))
	case 'H':
		return fmt.Sprintf("%%h%d", g.IntN(halfWords))
	}
	return fmt.Sprintf("%%p%d", g.IntN(predicates))
}

// constants are operands at which instructions differ.
var constants = strings.Fields("0 1 2 3 5 7 8 15 16 31 32 33 63 64 127 128 255 256 32767 32768 65535 65536 -1 -2 -128 0x7fffffff -0x80000000 0x01010101 0x76543210 0x3210")

// expand replaces what a template leaves to choose.
func (g *generator) expand(t template) string {
	var out strings.Builder
	written := map[string]bool{} // by the same instruction
	first, offset := "", ""
	for i := 0; i < len(t.text); i++ {
		switch c := t.text[i]; {
		case c == '\n':
			clear(written)
			out.WriteByte(c)
		case c == '<':
			end := i + strings.IndexByte(t.text[i:], '>')
			choices := strings.Split(t.text[i+1:end], "|")
			out.WriteString(choices[g.IntN(len(choices))])
			i = end
		case c == '$' && t.text[i+1] == '=':
			r := g.reg(t.text[i+2])
			for written[r] {
				r = g.reg(t.text[i+2])
			}
			written[r] = true
			if first == "" {
				first = r
			}
			out.WriteString(r)
			i += 2
		case c == '$':
			i++
			end := i + 1
			for end < len(t.text) && '0' <= t.text[end] && t.text[end] <= '9' {
				end++
			}
			n, _ := strconv.Atoi(t.text[i+1 : end]) // 0 for those without a number
			switch t.text[i] {
			case 'K':
				out.WriteString(g.constant())
			case 'N':
				fmt.Fprint(&out, g.IntN(n+1))
			case 'A':
				offset = strconv.Itoa(g.IntN(64/n) * n)
				out.WriteString(offset)
			case 'B':
				out.WriteString(offset)
			default:
				out.WriteString(g.reg(t.text[i]))
			}
			i = end - 1
		default:
			out.WriteByte(c)
		}
	}
	g.last = first
	text := out.String()
	if t.nan != "" {
		text += "\n!" + t.nan + " " + first
	}
	return withoutNaNs(text)
}

func (g *generator) constant() string {
	if g.IntN(3) == 0 {
		return constants[g.IntN(len(constants))]
	}
	return g.reg('R')
}

// withoutNaNs replaces lines such as "!f32 %r1" by code that replaces a NaN.
func withoutNaNs(text string) string {
	if !strings.Contains(text, "!") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		l, ok := strings.CutPrefix(l, "!")
		if !ok {
			continue
		}
		typ, reg, _ := strings.Cut(l, " ")
		element := strings.TrimSuffix(typ, "x2")
		switch typ {
		case "f32":
			lines[i] = fmt.Sprintf("testp.notanumber.f32 %%tp0, %s\nselp.b32 %[1]s, 0x7fffffff, %[1]s, %%tp0", reg)
		case "f64":
			lines[i] = fmt.Sprintf("testp.notanumber.f64 %%tp0, %s\nselp.b64 %[1]s, 0x7ff8000000000000, %[1]s, %%tp0", reg)
		case element:
			lines[i] = fmt.Sprintf("setp.nan.%s %%tp0, %s, %[2]s\nselp.b16 %[2]s, 0x7fff, %[2]s, %%tp0", typ, reg)
		default:
			lines[i] = fmt.Sprintf("setp.nan.%s %%tp0|%%tp1, %s, %[2]s\nmov.b32 {%%th2, %%th3}, %[2]s\n"+
				"selp.b16 %%th2, 0x7fff, %%th2, %%tp0\nselp.b16 %%th3, 0x7fff, %%th3, %%tp1\nmov.b32 %[2]s, {%%th2, %%th3}", typ, reg)
		}
	}
	return strings.Join(lines, "\n")
}
