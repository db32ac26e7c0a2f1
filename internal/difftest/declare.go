package difftest

import (
	"fmt"
	"slices"
)

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
	ro := g.IntN(16) == 0
	b.add(g.one("", "", "", "", "", "", "", "volatile ")+t.name+" "+v+" = $;", convert(t, g.exp(2)))
	g.scalars = append(g.scalars, scalar{v, t, ro})
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
