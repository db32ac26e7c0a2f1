package irgltest

import (
	"fmt"
	"strings"
)

// hostFunctions writes the host functions, the entry last.
func (g *generator) hostFunctions() {
	if g.recursive = g.chance(20); g.recursive {
		g.line("int deep(int n) { return n < 2 ? 1 : deep(n - 1) + 3 * deep(n - 2); }")
	}
	if g.chance(40) {
		name := "report"
		g.open("Host %s(node x, int v) {", name)
		s := g.hostScope()
		s.leaves = append(s.leaves, value{"v", tInt}, value{"x.id", tInt}, value{"x.degree", tInt})
		for _, p := range g.props {
			if !p.edge {
				s.leaves = append(s.leaves, value{"x." + p.name, p.t})
			}
		}
		s.statements(1)
		g.print(s)
		g.shut("}")
		g.reports = append(g.reports, name)
	}
	params := []string{}
	s := g.hostScope()
	for i := range g.IntN(4) {
		t := pick(g, allTypes)
		p := fmt.Sprintf("h%d", i)
		s.vars = append(s.vars, value{p, t})
		p = t.name + " " + p
		if g.chance(60) {
			p += " = " + literal(g.Rand, t)
		}
		params = append(params, p)
	}
	g.open("Host main(%s) {", strings.Join(params, ", "))
	g.line("int d = 0;")
	for range 1 + g.IntN(3) {
		s.declare()
	}
	for range 4 + g.IntN(5) {
		g.orchestrate(s)
	}
	if g.recursive {
		g.line("printf(\"%%d\\n\", deep(7));")
	}
	for _, k := range g.kernels {
		switch {
		case k.invoked:
		case k.wl:
			g.open("Pipe Once Initial [%s] {", g.initial(k, s))
			g.line("Invoke %s(%s);", k.name, g.args(k, s))
			g.shut("}")
		default:
			g.line("Invoke %s(%s);", k.name, g.args(k, s))
		}
	}
	g.print(s)
	g.shut("}")
}

// hostScope returns a scope with what host code may read and write anywhere.
func (g *generator) hostScope() *scope {
	s := &scope{g: g, host: true, loops: 2}
	s.leaves = append(s.leaves, value{"graph.nnodes", tInt}, value{"graph.nedges", tLong}, value{"graph.nodes(0).degree", tInt})
	for _, p := range g.props {
		if p.edge {
			continue
		}
		at := fmt.Sprintf("graph.nodes(%d %% graph.nnodes).%s", g.IntN(9), p.name)
		if g.chance(40) {
			at = "graph.nodes(graph.nnodes - 1)." + p.name
		}
		if p.sums {
			s.leaves = append(s.leaves, value{at, p.t})
		} else {
			s.own = append(s.own, value{at, p.t})
		}
	}
	for _, p := range g.globals {
		if p.field { // lowering refuses them in host functions
			continue
		}
		at := p.name
		if p.length > 0 {
			at = fmt.Sprintf("%s[%d]", p.name, g.IntN(p.length))
		}
		if p.sums {
			s.leaves = append(s.leaves, value{at, p.t})
		} else {
			s.own = append(s.own, value{at, p.t})
		}
	}
	s.hooks = append(s.hooks, g.print)
	if g.nodeProp {
		s.leaves = append(s.leaves, value{"(int)graph.nodes(0).next", tInt}, value{"graph.nodes(graph.nnodes - 1).next.degree", tInt})
		s.hooks = append(s.hooks, func(s *scope) { g.line("graph.nodes(0).next = %d %% graph.nnodes;", g.IntN(9)) })
	}
	if g.grid {
		s.own = append(s.own, value{fmt.Sprintf("grid[%d][%d]", g.IntN(3), g.IntN(4)), tInt})
		s.leaves = append(s.leaves, value{"grid[1][graph.nnodes & 3]", tInt})
	}
	if g.recursive {
		s.leaves = append(s.leaves, value{fmt.Sprintf("deep(%d)", g.IntN(9)), tInt})
	}
	return s
}

// print writes a printf. NaN is printed as 0, since it has no one sign.
func (g *generator) print(s *scope) {
	var format, args []string
	for range 1 + g.IntN(3) {
		v := s.value(2)
		switch {
		case v.t.float:
			x := g.fresh("v")
			g.line("%s %s = %s;", v.t.name, x, v.text)
			v.text = fmt.Sprintf("%s == %s ? %s : 0", x, x, x)
		case g.chance(20) && v.t.size == 4:
			format, args = append(format, pick(g, []string{"%x", "%5d", "%-4d|", "%08d", "%+d", "%u", "%o"})), append(args, v.text)
			continue
		}
		format, args = append(format, v.t.format), append(args, v.text)
	}
	g.line("printf(\"%s\\n\", %s);", strings.Join(format, " "), strings.Join(args, ", "))
}

// args returns the arguments of an invocation.
func (g *generator) args(k *kernel, s *scope) string {
	k.invoked = true
	list := []string{"graph"}
	if k.depth {
		list = append(list, "d")
	}
	for _, t := range k.params {
		list = append(list, s.to(1, t))
	}
	return strings.Join(list, ", ")
}

// choose returns a kernel that fits, or nil.
func (g *generator) choose(fits func(*kernel) bool) *kernel {
	var list []*kernel
	for _, k := range g.kernels {
		if fits(k) {
			list = append(list, k)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return pick(g, list)
}

// orchestrate writes a statement of the entry.
func (g *generator) orchestrate(s *scope) {
	switch g.IntN(9) {
	case 0, 1:
		if k := g.choose(func(k *kernel) bool { return !k.wl }); k != nil {
			g.line("Invoke %s(%s);", k.name, g.args(k, s))
		}
	case 2:
		if k := g.choose(func(k *kernel) bool { return !k.wl && k.reduces }); k != nil {
			v := g.fresh("v")
			g.line("bool %s = %s(Invoke %s(%s));", v, pick(g, []string{"Any", "All"}), k.name, g.args(k, s))
			s.vars = append(s.vars, value{v, tBool})
		}
	case 3:
		g.iterateWhile(s)
	case 4, 5:
		g.pipe(s)
	case 6:
		g.iterateList(s)
	case 7:
		if len(g.reports) > 0 {
			g.line("%s(graph.nodes(%d %% graph.nnodes), %s);", g.reports[0], g.IntN(9), s.to(1, tInt))
		}
		s.statements(1)
	case 8:
		g.hostLoop(s)
	}
}

// hostLoop writes a loop around invocations.
func (g *generator) hostLoop(s *scope) {
	i := g.fresh("i")
	g.open("for (int %s = 0; %s < %d; %s++) {", i, i, 1+g.IntN(3), i)
	in := s.inner()
	in.leaves = append(in.leaves, value{i, tInt})
	if k := g.choose(func(k *kernel) bool { return !k.wl }); k != nil {
		if k.reduces && g.chance(50) {
			g.line("if (%s(Invoke %s(%s)) && %s) %s;", pick(g, []string{"Any", "All"}), k.name, g.args(k, in), in.expr(1), pick(g, []string{"break", "continue"}))
		} else {
			g.line("Invoke %s(%s);", k.name, g.args(k, in))
		}
	}
	in.statements(1)
	g.shut("}")
}

// iterateWhile writes an Iterate of a kernel without worklist.
func (g *generator) iterateWhile(s *scope) {
	k := g.choose(func(k *kernel) bool { return !k.wl && k.reduces })
	if k == nil {
		return
	}
	r := g.fresh("r")
	g.line("int %s = 0;", r)
	extra := ""
	if g.chance(25) {
		extra = fmt.Sprintf(" And (%s < %d)", r, 1+g.IntN(3))
	}
	g.open("Iterate %s %s %s(%s)%s {", pick(g, []string{"While", "Until"}), pick(g, []string{"Any", "All"}), k.name, g.args(k, s), extra)
	in := s.inner()
	in.leaves = append(in.leaves, value{r, tInt})
	if g.chance(50) {
		in.statements(1)
	}
	g.line("if (++%s >= %d) break;", r, 1+g.IntN(4))
	g.shut("}")
}

// initial returns initial items, with repeats when dups is true.
func (g *generator) initial(kind *kernel, s *scope) string {
	if kind.numbers {
		return fmt.Sprintf("%d, %s", g.IntN(9), s.to(1, tInt)+" & 15")
	}
	var list []string
	if kind.unique {
		return pick(g, []string{"0", "graph.nodes(0)", "graph.nnodes - 1", "graph.nodes(graph.nnodes / 2)"})
	}
	for range g.IntN(4) {
		list = append(list, pick(g, []string{"0", "graph.nodes(0)", "graph.nnodes - 1", "graph.nodes(graph.nnodes / 2)", "3 % graph.nnodes"}))
	}
	return strings.Join(list, ", ")
}

// iterateList writes an Iterate of a kernel with worklist.
func (g *generator) iterateList(s *scope) {
	k := g.choose(func(k *kernel) bool { return k.wl && !(k.unique && k.dups) })
	if k == nil {
		return
	}
	g.line("d = 0;")
	cond := ""
	if k.reduces && g.chance(60) {
		cond = pick(g, []string{"While ", "Until "}) + pick(g, []string{"Any ", "All "})
	}
	extra := ""
	if g.chance(30) {
		extra = fmt.Sprintf(" %s (d < %d)", pick(g, []string{"And", "Or"}), 1+g.IntN(5))
	}
	g.open("Iterate %s%s(%s) Initial [%s]%s {", cond, k.name, g.args(k, s), g.initial(k, s), extra)
	g.line("d++;")
	in := s.inner()
	in.statements(g.IntN(3))
	if g.chance(25) {
		g.line("if (%s) break;", in.expr(1))
	}
	g.line("if (d > 6) break;")
	g.shut("}")
}

// pipe writes a Pipe of kernels that fit each other.
func (g *generator) pipe(s *scope) {
	first := g.choose(func(k *kernel) bool { return k.wl && !(k.unique && k.dups) })
	if first == nil {
		return
	}
	fits := func(k *kernel) bool {
		return !k.wl || k.numbers == first.numbers && (!first.unique && !k.unique || first.unique && !k.dups)
	}
	g.line("d = 0;")
	once := ""
	if g.chance(40) {
		once = " Once"
	}
	initial := fmt.Sprintf(" Initial [%s]", g.initial(first, s))
	g.open("Pipe%s%s {", once, initial)
	g.line("d++;")
	in := s.inner()
	g.line("Invoke %s(%s);", first.name, g.args(first, in))
	for range g.IntN(3) {
		k := g.choose(fits)
		switch {
		case g.chance(20):
			g.open("Pipe%s {", pick(g, []string{"", " Once"}))
			g.line("d++;")
			g.line("Invoke %s(%s);", k.name, g.args(k, in))
			g.line("Invoke %s(%s);", first.name, g.args(first, in))
			g.line("if (d > 5) break;")
			g.shut("}")
		case k.wl && g.chance(30):
			g.line("Iterate %s(%s) {", k.name, g.args(k, in))
			g.line("\td++;")
			g.line("\tif (d > 6) break;")
			g.line("}")
		default:
			g.line("Invoke %s(%s);", k.name, g.args(k, in))
		}
	}
	if g.chance(50) {
		in.inner().statements(1)
	}
	g.line("if (d > 6) break;")
	g.shut("}")
}
