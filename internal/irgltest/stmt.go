package irgltest

import (
	"fmt"
	"regexp"
	"strings"
)

// statements writes n statements.
func (s *scope) statements(n int) {
	for range n {
		s.statement()
	}
}

func (s *scope) statement() {
	g := s.g
	if len(s.hooks) > 0 && g.chance(40) {
		pick(g, s.hooks)(s)
		return
	}
	switch k := g.IntN(18); {
	case k == 17:
		s.help()
	case k == 16:
		s.misc()
	case k < 3:
		s.declare()
	case k < 7:
		s.assign()
	case k < 10:
		s.branch()
	case k < 12 && s.loops > 0:
		s.loop()
	case k == 12:
		s.choose()
	case k == 13:
		s.array()
	case k == 14:
		s.record()
	default:
		s.assign()
	}
}

// declare declares a variable, in C's way or by a first assignment.
func (s *scope) declare() {
	g := s.g
	v := g.fresh("v")
	if g.chance(30) {
		e := s.value(2)
		g.line("%s = %s;", v, e.text)
		s.vars = append(s.vars, value{v, promotedVar(e.t)})
		return
	}
	t := pick(g, allTypes)
	g.line("%s %s = %s;", t.name, v, s.expr(2))
	s.vars = append(s.vars, value{v, t})
}

// promotedVar is the type of a variable that an assignment declares.
func promotedVar(t *ctype) *ctype {
	if t == tBool {
		return tBool
	}
	return promoted(t)
}

// places returns what may be assigned here.
func (s *scope) places() []value { return append(clip(s.vars), s.own...) }

func (s *scope) assign() {
	g := s.g
	list := s.places()
	if len(list) == 0 {
		s.declare()
		return
	}
	p := pick(g, list)
	switch k := g.IntN(10); {
	case k < 4:
		g.line("%s = %s;", p.text, s.expr(3))
	case k < 6:
		g.line("%s %s= %s;", p.text, pick(g, []string{"+", "-", "*", "/"}), s.expr(2))
	case k < 8 && !p.t.float:
		g.line("%s %s= %s;", p.text, pick(g, []string{"&", "|", "^", "%"}), s.integer(2).text)
	case k == 8 && p.t != tBool:
		g.line(pick(g, []string{"%s++;", "++%s;", "%s--;"}), p.text)
	case k == 9 && len(s.vars) > 0 && p.t != tBool:
		// One side effect, on a variable that nothing else here names.
		v := g.fresh("v")
		g.line("%s %s = %s;", p.t.name, v, fmt.Sprintf(pick(g, []string{"%s++", "--%s", "(%s += 3)", "(%s, 4)"}), p.text))
		s.vars = append(s.vars, value{v, p.t})
	case !p.t.float:
		g.line("%s %s= %s & 15;", p.text, pick(g, []string{"<<", ">>"}), s.integer(1).text)
	default:
		g.line("%s = %s;", p.text, s.expr(2))
	}
}

func (s *scope) branch() {
	g := s.g
	cond := s.expr(2)
	if len(s.vars) > 0 && g.chance(15) {
		v := pick(g, s.vars)
		cond = fmt.Sprintf("%s %s (%s = %s) > 0", cond, pick(g, []string{"&&", "||"}), v.text, s.expr(1))
	}
	g.open("if (%s) {", cond)
	s.inner().statements(1 + g.IntN(2))
	if g.chance(40) {
		g.indent--
		g.open("} else {")
		s.inner().statements(1 + g.IntN(2))
	}
	g.shut("}")
}

// loop writes a loop of few rounds.
func (s *scope) loop() {
	g := s.g
	i := g.fresh("i")
	in := s.inner()
	in.loops--
	in.leaves = append(in.leaves, value{i, tInt})
	n := 1 + g.IntN(4)
	switch g.IntN(4) {
	case 0:
		g.line("int %s = %d;", i, n)
		g.open("while (%s-- > 0) {", i)
	case 1:
		g.line("int %s = 0;", i)
		g.open("do {")
	case 2:
		g.open("for (int %s = %d; %s > 0; %s -= 2) {", i, 2*n, i, i)
	default:
		g.open("for (%s = 0; %s < %d; %s++) {", i, i, n, i)
	}
	do := g.lastIsDo()
	if do {
		g.line("%s++;", i)
	}
	in.statements(1 + g.IntN(3))
	if g.chance(30) {
		g.line("if (%s) %s;", in.expr(2), pick(g, []string{"break", "continue"}))
	}
	if g.chance(30) {
		in.statements(1)
	}
	if do {
		g.shut("} while (%s < %d);", i, n)
		return
	}
	g.shut("}")
}

// lastIsDo reports whether the last line begins a do statement.
func (g *generator) lastIsDo() bool {
	text := g.b.String()
	return len(text) > 5 && text[len(text)-5:] == "do {\n"
}

// choose writes a switch, with or without fall-through and default.
func (s *scope) choose() {
	g := s.g
	g.open("switch (%s & 3) {", s.integer(2).text)
	for i := range 1 + g.IntN(3) {
		g.line("case %d:", i)
		g.indent++
		s.inner().statement1()
		if g.chance(70) {
			g.line("break;")
		}
		g.indent--
	}
	if g.chance(50) {
		g.line("default:")
		g.indent++
		s.inner().statement1()
		g.indent--
	}
	g.shut("}")
}

// statement1 writes one statement as a block.
func (s *scope) statement1() {
	s.g.open("{")
	s.statement()
	s.g.shut("}")
}

// array declares an array and stores into it, also through a pointer.
func (s *scope) array() {
	g := s.g
	t := pick(g, allTypes)
	a, n := g.fresh("arr"), 1+g.IntN(5)
	g.line("%s %s[%d] = {%s};", t.name, a, n, s.expr(1))
	at := func() string {
		if g.chance(50) {
			return fmt.Sprint(g.IntN(n))
		}
		return fmt.Sprintf("(unsigned)(%s) %% %du", s.integer(1).text, n)
	}
	g.line("%s[%s] = %s;", a, at(), s.expr(2))
	s.vars = append(s.vars, value{fmt.Sprintf("%s[%s]", a, at()), t})
	if g.chance(40) {
		p := g.fresh("q")
		g.line("%s *%s = &%s[%s];", t.name, p, a, at())
		if g.chance(40) {
			g.line("%s = %s + %d;", p, a, g.IntN(n))
		}
		s.vars = append(s.vars, value{"(*" + p + ")", t})
		g.line("*%s %s= %s;", p, pick(g, []string{"", "+", "-"}), s.expr(2))
		if t != tBool && g.chance(30) {
			g.line("(*%s)%s;", p, pick(g, []string{"++", "--"}))
		}
		v := g.fresh("v")
		g.line("%s %s = *%s;", t.name, v, p)
		s.vars = append(s.vars, value{v, t})
	}
}

// record declares a struct, copies it and stores into it.
func (s *scope) record() {
	g := s.g
	if !g.structs {
		s.assign()
		return
	}
	p := g.fresh("s")
	switch g.IntN(3) {
	case 0:
		g.line("struct pair %s = {.c = %s, .a = %s};", p, s.expr(1), s.expr(1))
	case 1:
		g.line("struct pair %s = {%s, %s};", p, s.expr(1), s.expr(1))
	default:
		g.line("struct pair %s = {0};", p)
	}
	g.line("%s.%s = %s;", p, pick(g, []string{"a", "b", "c", "d[1]"}), s.expr(2))
	if g.chance(50) {
		q := g.fresh("s")
		g.line("struct pair %s = %s;", q, p)
		g.line("%s.%s += %s;", p, pick(g, []string{"a", "b", "c"}), s.expr(1))
		if g.chance(50) {
			r := g.fresh("q")
			g.line("struct pair *%s = &%s;", r, q)
			g.line("%s->d[%d] = %s->a + %s;", r, g.IntN(3), r, s.expr(1))
			if g.chance(50) {
				g.line("%s = *%s;", p, r)
			}
		}
		s.vars = append(s.vars, value{q + ".a", tInt}, value{q + ".c", tDouble})
	}
	s.vars = append(s.vars, value{p + ".a", tInt}, value{p + ".c", tDouble})
}

// help calls a helper.
func (s *scope) help() {
	g := s.g
	if len(g.helped) == 0 {
		s.assign()
		return
	}
	h := pick(g, g.helped)
	if !s.device && strings.Contains(h.decl, "goto") { // host code has none
		s.assign()
		return
	}
	v := g.fresh("v")
	g.line("int %s = %s;", v, s.expr(2))
	g.open("{")
	text := h.use
	for strings.Contains(text, "HOLE") {
		text = strings.Replace(text, "HOLE", s.to(2, tInt), 1)
	}
	text = regexp.MustCompile(`\bv\b`).ReplaceAllString(text, v)
	for l := range strings.SplitSeq(text, "\n") {
		g.line("%s", l)
	}
	g.shut("}")
	s.vars = append(s.vars, value{v, tInt})
}

// misc writes what is rarely written.
func (s *scope) misc() {
	g := s.g
	v := g.fresh("v")
	switch g.IntN(7) {
	case 0:
		g.line("int %s = sizeof(%s) + sizeof(%s);", v, pick(g, allTypes).name, pick(g, allTypes).name)
	case 1:
		e := s.to(1, tInt)
		g.line("int %s = (%s) ? %s : (%s) > 5 ? %s : 7;", v, s.expr(1), e, e, s.to(1, tInt))
	case 2:
		g.line("int %s[2][3] = {{%s}, {1, %s}};", v, s.to(1, tInt), s.to(1, tInt))
		g.line("%s[%s & 1][%d] += %s[1][1] + 2;", v, s.integer(1).text, g.IntN(3), v)
		v += fmt.Sprintf("[%d][%d]", g.IntN(2), g.IntN(3))
	case 3:
		g.line("int %s = '%s' - %s;", v, pick(g, []string{"a", "\\n", "\\x41"}), s.integer(1).text)
	case 4:
		g.line("int %s = 0, %sb = %s;", v, v, s.to(1, tInt))
		g.line("for (int i = 0, j = 9; i < j; i += 3, j--) { %s += i * %sb; }", v, v)
	case 5:
		g.line("const int %s = %s;", v, s.to(2, tInt))
		s.leaves = append(s.leaves, value{v, tInt})
		return
	default:
		g.line("long %sw = %s;", v, s.expr(2))
		g.line("%sw = %sw >> %d | %sw << %d;", v, v, g.IntN(64), v, g.IntN(64))
		g.line("int %s = (int)(%sw ^ %sw >> 32);", v, v, v)
	}
	s.vars = append(s.vars, value{v, tInt})
}
