package difftest

import (
	"fmt"
	"slices"
)

// stmts adds a few statements.
func (g *generator) stmts(b *block, depth int) {
	for range 1 + g.IntN(4) + depth {
		if g.budget <= 0 {
			return
		}
		g.stmt(b, depth)
	}
}

// nested returns a new block whose statements run at most times as often as
// here; uniform says whether all threads of a block run it together.
func (g *generator) nested(depth, times int, uniform bool) *block {
	b := &block{}
	save, mult, u := g.scope.clone(), g.mult, g.uniform
	g.scope = g.scope.clone()
	g.mult *= times
	g.uniform = g.uniform && uniform
	if g.IntN(4) == 0 {
		g.declareScalar(b)
	}
	g.stmts(b, depth-1)
	g.scope, g.mult, g.uniform = save, mult, u
	return b
}

// stmt adds one statement.
func (g *generator) stmt(b *block, depth int) {
	g.budget--
	g.cost += g.mult
	if g.uniform && g.IntN(4) == 0 {
		g.collective(b)
		return
	}
	if depth > 0 && g.IntN(3) == 0 {
		g.compound(b, depth)
		return
	}
	switch g.IntN(17) {
	case 0, 1, 2, 3:
		g.assign(b)
	case 4, 5:
		g.update(b)
	case 6:
		g.step(b)
	case 7:
		g.copyStruct(b)
	case 8, 9:
		g.callStmt(b)
	case 10:
		g.atomic(b)
	case 11:
		g.walk(b)
	case 12:
		switch g.IntN(7) {
		case 4:
			g.declareUnion(b)
		case 5:
			g.declareVector(b)
		case 6:
			g.declareTable(b)
		case 0:
			g.declareScalar(b)
		case 1:
			g.declareArray(b)
		case 2:
			g.declareStruct(b)
		default:
			if len(g.arrays) > 0 {
				g.declarePointer(b)
			}
		}
	case 13:
		g.leave(b)
	case 14:
		g.repoint(b)
	case 15:
		g.sums(b)
	default:
		g.several(b)
	}
}

// target returns something that can be assigned to; simple ones evaluate
// nothing that a call could change.
func (g *generator) target(simple bool) *exp {
	for range 20 {
		if !simple && g.IntN(3) == 0 && len(g.arrays) > 0 {
			if a := pick(g, g.arrays); !a.ro {
				return g.element(a)
			}
			continue
		}
		if v := pick(g, g.scalars); !v.ro {
			return &exp{v.t, v.text, nil}
		}
	}
	return nil
}

func (g *generator) assign(b *block) {
	if t := g.target(false); t != nil {
		b.add("$ = $;", t, convert(t.t, g.exp(3)))
	}
}

// update is a compound assignment that cannot overflow a signed type.
func (g *generator) update(b *block) {
	t := g.target(false)
	if t == nil {
		return
	}
	e := g.exp(2)
	switch {
	case t.t.float:
		b.add("$ "+g.one("+=", "-=", "*=", "/=")+" $;", t, e)
	case t.t == tBool || t.t.signed && t.t.size >= 4 && g.IntN(2) == 0:
		b.add("$ "+g.one("&=", "|=", "^=")+" $;", t, g.intExp(e))
	case t.t.signed && t.t.size >= 4:
		b.add(fmt.Sprintf("$ >>= $ & %d;", 8*t.t.size-1), t, g.intExp(e))
	case g.IntN(4) == 0:
		b.add("$ "+g.one("/=", "%=")+" ($ & 63) + 1;", t, g.intExp(e))
	case g.IntN(4) == 0 && !t.t.signed && t.t.size >= 4:
		b.add(fmt.Sprintf("$ %s $ & %d;", g.one("<<=", ">>="), 8*t.t.size-1), t, g.intExp(e))
	case t.t == tU16:
		b.add("$ "+g.one("+=", "-=")+" $;", t, cast(t.t, e))
	default:
		b.add("$ "+g.one("+=", "-=", "*=", "^=")+" $;", t, cast(t.t, e))
	}
}

// step is ++ or --, its value used or not.
func (g *generator) step(b *block) {
	t := g.target(false)
	if t == nil || t.t == tBool || t.t.signed && t.t.size >= 4 && !t.t.float {
		return
	}
	form := g.one("$++", "$--", "++$", "--$")
	if to := g.target(true); to != nil && to.t.size == 8 && g.IntN(2) == 0 && to.text[0] == 'v' && to.text != t.text && len(t.args) == 0 && (!t.t.float || to.t.float) {
		b.add("$ = "+form+";", to, t)
		return
	}
	b.add(form+";", t)
}

// several assigns a value to two variables.
// They are not parts of structs, which may have two names.
func (g *generator) several(b *block) {
	x, y := g.target(true), g.target(true)
	if x == nil || y == nil || x.t.isInt() != y.t.isInt() || x.text[0] != 'v' || y.text[0] != 'v' || x.text == y.text {
		return
	}
	b.add("$ = $ = $;", x, y, convert(y.t, g.exp(2)))
}

func (g *generator) copyStruct(b *block) {
	if len(g.structs) == 0 {
		return
	}
	v := pick(g, g.structs)
	for _, f := range g.funcs {
		if f.rs == v.s && g.mult*f.cost <= 400 && g.IntN(2) == 0 {
			if g.canCall(f) {
				g.cost += g.mult * f.cost
				b.add(v.text+" = $;", g.call(f, 1))
				return
			}
		}
	}
	if v2 := pick(g, g.structs); v2.s == v.s && v2.text != v.text {
		b.add("if ($) "+v.text+" = "+v2.text+";", g.exp(1))
	}
}

// callStmt calls any function, and keeps its result.
func (g *generator) callStmt(b *block) {
	f := g.callable(false)
	if f == nil {
		return
	}
	t := g.target(true)
	switch {
	case f.rs != nil:
		t = nil
		for _, v := range g.structs {
			if v.s == f.rs {
				t = &exp{nil, v.text, nil}
			}
		}
		if t == nil {
			b.add("$;", g.call(f, 2))
			return
		}
		b.add("$ = $;", t, g.call(f, 2))
	case t == nil || f.result.float && t.t.isInt():
		b.add("$;", g.call(f, 2))
	default:
		b.add("$ = $;", t, g.call(f, 2))
	}
}

// atomic changes a cell that others change alike, or one of the thread's own,
// whose old value is then known.
func (g *generator) atomic(b *block) {
	if g.fn != nil {
		return
	}
	if g.IntN(2) == 0 {
		k := g.IntN(6)
		op := []string{"Add", "Xor", "Or", "And", "Min", "Max"}[k]
		if g.IntN(2) == 0 {
			b.add(fmt.Sprintf("atomic%s(acc + %d, $);", op, k), cast(tUInt, g.exp(2)))
		} else {
			b.add(fmt.Sprintf("atomic%s(&acc64[%d], $);", op, k), cast(tULLong, g.exp(2)))
		}
		return
	}
	t := g.target(true)
	if t == nil {
		return
	}
	op := g.one("Add", "Sub", "Xor", "Or", "And", "Min", "Max", "Exch", "CAS", "Inc", "Dec")
	extra := ""
	args := []*exp{t, g.index(7), cast(tUInt, g.exp(2))}
	if op == "CAS" {
		extra = ", $"
		args = append(args, cast(tUInt, g.exp(1)))
	}
	b.add("$ = atomic"+op+"(&gu[$], $"+extra+");", args...)
}

// walk moves a pointer over an array.
func (g *generator) walk(b *block) {
	if len(g.arrays) == 0 {
		return
	}
	a, t := pick(g, g.arrays), g.target(true)
	if t == nil || a.t.float && t.t.isInt() || g.mult*a.mask > 200 || a.mask > 7 {
		return
	}
	w := g.name("w")
	switch {
	case g.IntN(4) == 0: // a search: null unless it finds something
		last := fmt.Sprintf("%s + %d", a.text, a.mask+1)
		b.add(fmt.Sprintf("{ const %s *%s = 0; for (const %s *e = %s; %s e < %s; e++) if (*e == %s[$]) %s = e; $ = %s ? %s - %s : 99; }",
			a.t.name, w, a.t.name, a.text, g.one("", w+" == 0 &&", "(e - "+a.text+") < 3 &&"), last, a.text, w, w, w, a.text), g.index(a.mask), t)
	case g.IntN(4) == 0:
		b.add(fmt.Sprintf("{ const %s *%s = %s + $, *e = %s + $; $ = (%s < e) * 8 + (%s == e) * 4 + (e >= %s) * 2 + (%s != 0); }",
			a.t.name, w, a.text, a.text, w, w, w, w), g.index(a.mask), g.index(a.mask), t)
	case g.IntN(3) == 0:
		b.add(fmt.Sprintf("{ const %s *%s = %s + $; $ = (%s - %s) * 16 + (*%s != 0); }", a.t.name, w, a.text, w, a.text, w), g.index(a.mask), t)
	case a.ro || g.IntN(2) == 0:
		sum := "$ * 3u + (unsigned)*" + w
		if t.t.float {
			sum = "$ * 0.5f + *" + w
		} else if t.t.signed && t.t.size == 8 {
			return
		}
		b.add(fmt.Sprintf("for (const %s *%s = %s; %s < %s + %d; %s++) $ = %s;", a.t.name, w, a.text, w, a.text, a.mask+1, w, sum), t, t)
	default:
		b.add(fmt.Sprintf("{ %s *%s = %s + %d; while (%s > %s) { --%s; *%s = $; } }", a.t.name, w, a.text, a.mask+1, w, a.text, w, w),
			convert(a.t, g.exp(1)))
	}
}

// repoint sets a pointer variable to something that was declared before it, and
// so is there as long as it is.
func (g *generator) repoint(b *block) {
	for i, a := range g.arrays {
		if a.text[0] == 'q' && g.IntN(2) == 0 {
			b.add(a.text+" = $;", g.pointer(a.t, g.arrays[:i+1]))
			return
		}
	}
}

// leave adds a conditional break, continue or return.
func (g *generator) leave(b *block) {
	switch {
	case g.loops > 0 && g.IntN(3) > 0:
		b.add("if ($) "+g.one("break", "continue")+";", g.cond())
	case g.fn != nil && g.fn.rs == nil:
		b.add("if ($) return $;", g.cond(), convert(g.fn.result, g.exp(2)))
	case g.fn == nil && !g.p.Collective && g.mult > 1:
		b.add("if ($ == 77) return;", g.exp(2))
	}
}

// cond returns a condition, sometimes with operands that have effects.
func (g *generator) cond() *exp {
	if g.fn != nil || g.IntN(3) > 0 {
		return g.exp(2)
	}
	e := &exp{t: tInt, text: "(side++ % 3u < 2u " + g.one("&&", "||") + " $)", args: []*exp{g.exp(1)}}
	if g.IntN(2) == 0 {
		e.text = g.one(
			"($ && ++side & 1u || $)", "($ || (side ^= 5u, $))", "($ ? side-- > 9u : !$)", "(($ || side++ & 2u) && $)")
		e.args = append(e.args, g.exp(1))
	}
	return e
}

// inLoop makes the body of a loop of at most times rounds.
func (g *generator) inLoop(depth, times int) *block {
	g.loops++
	body := g.nested(depth, times, false)
	g.loops--
	return body
}

// compound adds a statement with blocks.
func (g *generator) compound(b *block, depth int) {
	n := g.IntN(11)
	if g.mult > 60 {
		n %= 4
	}
	s := &stmt{}
	defer func() { b.list = append(b.list, s) }()
	switch n {
	case 0, 1:
		*s = stmt{"if ($) {@}", []*exp{g.cond()}, []*block{g.nested(depth, 1, false)}, false}
	case 2:
		*s = stmt{"if ($) {@} else {@}", []*exp{g.cond()}, []*block{g.nested(depth, 1, false), g.nested(depth, 1, false)}, false}
	case 3:
		g.switchStmt(s, depth)
	case 4, 5:
		g.forStmt(s, depth)
	case 6:
		v := g.name("i")
		cond := g.exp(2)
		g.scalars = append(g.scalars, scalar{v, tUInt, true})
		*s = stmt{fmt.Sprintf("for (unsigned %s = 0; %s < ($ & 7u); %s++) {@}", v, v, v), []*exp{cast(tUInt, cond)}, nil, false}
		s.blocks = []*block{g.inLoop(depth, 7)}
		g.scalars = g.scalars[:len(g.scalars)-1]
	case 10:
		v := g.name("L")
		if g.IntN(2) == 0 {
			*s = stmt{fmt.Sprintf("{\n\tif ($) goto %s;\n\t{@\t}\n\t%s: ;\n}", v, v), []*exp{g.cond()}, []*block{g.nested(depth, 1, false)}, false}
		} else {
			*s = stmt{fmt.Sprintf("{\n\tsigned char n%s = 0;\n\t%s: ;\n\t{@\t}\n\tif (++n%s < 3 && $) goto %s;\n}", v, v, v, v), []*exp{g.exp(2)},
				[]*block{g.nested(depth, 3, false)}, false}
		}
	case 7:
		v := g.name("w")
		*s = stmt{fmt.Sprintf("for (int %s = 0; ; ) {\n\tif (!($) || %s++ >= 5) break;@}", v, v), []*exp{g.cond()}, []*block{g.inLoop(depth, 5)}, false}
	case 8:
		v := g.name("w")
		*s = stmt{fmt.Sprintf("{\n\tunsigned %s = 0u;\n\twhile (%s++ < 6u && $) {@\t}\n}", v, v), []*exp{g.cond()}, []*block{g.inLoop(depth, 6)}, false}
	default:
		v := g.name("d")
		*s = stmt{fmt.Sprintf("{\n\tshort %s = 0;\n\tdo {@\t} while (++%s < 4 && $);\n}", v, v), []*exp{g.exp(2)}, []*block{g.inLoop(depth, 4)}, false}
	}
}

// forStmt makes a loop with a number of rounds that can be known: a constant
// one, by sums or shifts; one that the variable of a loop around gives; or,
// where all threads are together, one that the launch gives.
func (g *generator) forStmt(s *stmt, depth int) {
	v, n := g.name("i"), 1+g.IntN(6)
	pragma := g.one("", "", "#pragma unroll\n", "#pragma unroll 2\n", "#pragma unroll 1\n")
	kind := g.IntN(8)
	if kind == 6 && len(g.around) == 0 || kind == 7 && !g.uniform {
		kind = 0
	}
	most := n
	switch kind {
	default:
		s.text = fmt.Sprintf("%sfor (int %s = 0; %s < %d; %s++) {@}", pragma, v, v, n, v)
	case 2, 3:
		s.text = fmt.Sprintf("%sfor (int %s = %d; %s >= 0; %s -= 2) {@}", pragma, v, 2*n-1, v, v)
	case 4:
		s.text = fmt.Sprintf("%sfor (int %s = %d; %s > 0; %s >>= 1) {@}", pragma, v, 1<<(n-1), v, v)
	case 5:
		s.text = fmt.Sprintf("%sfor (int %s = 1; %s < %d; %s *= 2) {@}", pragma, v, v, 1<<n, v)
	case 6:
		outer := pick(g, g.around)
		s.text = fmt.Sprintf("%sfor (int %s = %s; %s < %d; %s++) {@}", pragma, v, outer.name, v, outer.most, v)
		if g.IntN(2) == 0 {
			s.text = fmt.Sprintf("%sfor (int %s = 0; %s < %s; %s++) {@}", pragma, v, v, outer.name, v)
		}
		most = outer.most
	case 7:
		s.text = fmt.Sprintf("%sfor (int %s = 0; %s < (n & 7); %s++) {@}", pragma, v, v, v)
		most = 7
	}
	around := g.around
	if kind < 2 {
		g.around = append(slices.Clip(around), counter{v, n})
	}
	g.scalars = append(g.scalars, scalar{v, tInt, true})
	if g.uniform && g.IntN(2) == 0 {
		s.blocks = []*block{g.uniformBody(depth, most)}
	} else {
		s.blocks = []*block{g.inLoop(depth, most)}
	}
	g.scalars = g.scalars[:len(g.scalars)-1]
	g.around = around
}

// uniformBody makes the body of a loop that all threads run together: there
// is no exit from it.
func (g *generator) uniformBody(depth, times int) *block {
	loops := g.loops
	g.loops = 0
	body := g.nested(depth, times, true)
	g.loops = loops
	return body
}

func (g *generator) switchStmt(s *stmt, depth int) {
	on := g.exp(2)
	if on.t.float {
		on = cast(tInt, on)
	}
	s.text, s.args = "switch ($ & 7) {", []*exp{on}
	for c := range 2 + g.IntN(5) {
		s.text += fmt.Sprintf("\ncase %d: {@}", (c*5+1)&7)
		loops := g.loops
		g.loops = 0 // continue would be fine, but break means something else
		s.blocks = append(s.blocks, g.nested(1, 1, false))
		g.loops = loops
		if g.IntN(3) > 0 {
			s.text += "\n\tbreak;"
		}
	}
	if g.IntN(2) == 0 {
		s.text += "\ndefault: {@}"
		s.blocks = append(s.blocks, g.nested(1, 1, false))
	}
	s.text += "\n}"
}
