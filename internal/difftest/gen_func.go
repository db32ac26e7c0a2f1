package difftest

import (
	"fmt"
	"strings"
)

// function makes a device function.
func (g *generator) function() {
	f := &function{name: fmt.Sprintf("f%s_%d", g.prefix, len(g.funcs))}
	save := *g
	g.scope, g.mult, g.cost, g.loops, g.around, g.depth, g.fn = scope{}, 1, 0, 0, nil, 0, f
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
		scalar{"threadIdx.x", tUInt, true}, scalar{"blockIdx.x", tUInt, true}, scalar{"gid", tUInt, true}, scalar{"n", tInt, true})
	// A parameter that is assigned to is copied, one that is not is read in place.
	ro := g.IntN(2) == 0
	g.scalars = append(g.scalars,
		scalar{"pa.a", tInt, ro}, scalar{"pa.b", tI16, ro}, scalar{"pa.c", tDouble, ro}, scalar{"pa.d", tU8, ro})
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
