package irgltest

import (
	"fmt"
	"slices"
	"strings"
)

// A mode is what a kernel does with a store: "read", "own", "same" (stores
// the constant of Racy), "locked" (adds with a lock), or one kind of atomic: "add", "min",
// "max", "and", "or", "xor", "exch", "cas", "inc", "dec", "sum".
type mode map[*store]string

// chooseModes gives every store a mode. exclusive says that the iteration has
// a node or edge of its own.
func (g *generator) chooseModes(exclusive, edges bool) mode {
	m := mode{}
	for _, p := range append(clip(g.props), g.globals...) {
		var modes []string
		switch {
		case p.sums:
			modes = []string{"sum", "sum", "read"}
		default:
			modes = []string{"read"}
			if atomicType(p.t) {
				modes = append(modes, pick(g, atomicOps(p.t)))
			}
			if !p.t.float && p.t != tBool && g.chance(25) { // sums of bools depend on their order
				modes = append(modes, "locked")
			}
			if exclusive && !p.global && p.edge == edges {
				modes = append(modes, "own", "own")
			}
			if p.racy != "" {
				modes = append(modes, "same", "same")
			}
		}
		m[p] = pick(g, modes)
	}
	return m
}

func atomicType(t *ctype) bool {
	for _, a := range atomicTypes {
		if a == t {
			return true
		}
	}
	return false
}

// nextRead reports whether property next is only read; nil stands for it.
func (m mode) nextRead() bool { return m[nil] == "" }

// element returns the text of one place of a store, with n and e naming a node
// and an edge ("" for none).
func (s *scope) element(p *store, n, e string) (string, bool) {
	switch {
	case p.global && p.length > 0:
		return fmt.Sprintf("%s[(unsigned)(%s) %% %du]", p.name, s.integer(1).text, p.length), true
	case p.global:
		return p.name, true
	case p.edge && e != "":
		return e + "." + p.name, true
	case !p.edge && n != "":
		return n + "." + p.name, true
	}
	return "", false
}

// reads adds what may be read of the graph at a node and an edge.
func (s *scope) reads(m mode, n, e string) {
	g := s.g
	add := func(text string, t *ctype) { s.leaves = append(s.leaves, value{text, t}) }
	if n != "" {
		add(n+".id", tInt)
		add(n+".degree", tInt)
		if g.chance(20) {
			add(n+".in_degree", tInt)
		}
	}
	if e != "" {
		if g.chance(20) {
			add("(int)"+e+".src", tInt)
			add(e+".src.degree", tInt)
		}
		add(e+".dst.degree", tInt)
		add("(int)"+e+".dst", tInt)
		add(e+".id", tLong)
		if g.weights {
			add(e+".weight", tInt)
		}
	}
	add("graph.nnodes", tInt)
	for _, p := range append(clip(g.props), g.globals...) {
		if m[p] != "read" {
			continue
		}
		if text, ok := s.element(p, n, e); ok {
			add(text, p.t)
		}
		if e != "" && !p.edge && !p.global {
			add(e+".dst."+p.name, p.t)
		}
	}
	if g.nodeProp && m.nextRead() {
		for _, x := range []string{n, e + ".dst"} {
			if x != "" && x != ".dst" {
				add("(int)"+x+".next", tInt)
				add(x+".next.degree", tInt)
				add(x+".next.next.id", tInt)
			}
		}
	}
	if g.grid {
		add(fmt.Sprintf("grid[%d][(unsigned)%s.degree %% 4u]", g.IntN(3), "graph.nodes(0)"), tInt)
	}
	if n == "n" {
		for _, f := range g.funcs {
			ok := f.graph
			for _, p := range f.reads {
				ok = ok && m[p] == "read"
			}
			if ok {
				s.calls = append(clip(s.calls), f)
			}
		}
	}
}

// writes adds what may be changed at a node and an edge. The values of mode
// own belong to own, "n", "e" or "".
func (s *scope) writes(m mode, own, n, e string) {
	g := s.g
	for _, p := range append(clip(g.props), g.globals...) {
		how := m[p]
		switch {
		case how == "own" && n == "m":
			// Another node's: not here.
		case how == "own" && (p.edge && e != "" && own != "" || !p.edge && own == "n"):
			text, _ := s.element(p, "n", e)
			s.own = append(s.own, value{text, p.t})
			if g.chance(30) && (e == "" || p.edge) {
				s.hooks = append(s.hooks, func(s *scope) {
					q := g.fresh("q")
					g.line("%s *%s = &%s;", p.t.name, q, text)
					g.line("*%s %s= %s;", q, pick(g, []string{"", "+", "-", "*"}), s.inner().expr(2))
				})
			}
		case how != "own" && how != "read":
			s.hooks = append(s.hooks, func(s *scope) { s.change(p, how, n, e) })
		}
	}
}

// change writes a change of a store, which all iterations make in one way.
func (s *scope) change(p *store, how, n, e string) {
	g := s.g
	at, ok := s.element(p, n, e)
	if e != "" && !p.edge && !p.global && g.chance(60) {
		at, ok = e+".dst."+p.name, true
	}
	if !ok {
		s.assign()
		return
	}
	name := map[string]string{"add": "atomicAdd", "min": "atomicMin", "max": "atomicMax", "and": "atomicAnd", "or": "atomicOr",
		"xor": "atomicXor", "exch": "atomicExch", "inc": "atomicInc", "dec": "atomicDec", "sum": "atomicAdd"}[how]
	switch how {
	case "same":
		g.line("%s = %s;", at, p.racy)
	case "locked":
		g.open("Atomic (lock) {")
		g.line("%s += %s;", at, s.integer(2).text)
		g.shut("}")
	case "sum":
		g.line("atomicAdd(&%s, (%s)(%s & 7));", at, p.t.name, s.integer(2).text)
	case "exch":
		g.line("atomicExch(&%s, 42);", at)
	case "cas":
		g.line("atomicCAS(&%s, 0, 42);", at)
	case "inc", "dec":
		g.line("%s(&%s, 9u);", name, at)
	case "add":
		if g.chance(30) {
			name = "atomicSub"
		}
		g.line("%s(&%s, %s);", name, at, s.integer(2).text)
	default:
		g.line("%s(&%s, %s);", name, at, s.integer(2).text)
	}
}

// kernel writes a kernel.
func (g *generator) kernel(name string) {
	k := &kernel{name: name}
	s := &scope{g: g, device: true, loops: 2}
	kind := g.IntN(12)
	k.wl = kind >= 4 && kind < 10
	params := []string{"graph"}
	if k.wl || g.chance(30) {
		k.depth = true
		params = append(params, "int depth")
		s.leaves = append(s.leaves, value{"depth", tInt})
	}
	for i := range g.IntN(3) {
		t := pick(g, allTypes)
		k.params = append(k.params, t)
		p := fmt.Sprintf("a%d", i)
		s.leaves = append(s.leaves, value{p, t})
		if g.chance(80) || promotedVar(t) != t {
			p = t.name + " " + p
		}
		params = append(params, p)
	}
	g.open("Kernel %s(%s) {", name, strings.Join(params, ", "))
	switch {
	case kind < 4 && g.chance(25):
		g.phases(k, s)
	case kind < 4:
		g.overNodes(k, s)
	case kind < 10 && g.chance(25):
		g.conflicts(k, s)
	case kind < 10:
		g.overWorklist(k, s)
	case kind == 10:
		g.overEdges(k, s)
	default:
		g.alone(k, s)
	}
	g.shut("}")
	g.kernels = append(g.kernels, k)
}

// before writes what stands outside the ForAll: variables that it reads.
func (g *generator) before(s *scope, m mode) {
	outer := s.inner()
	outer.reads(m, "", "")
	for range g.IntN(3) {
		t, v := pick(g, allTypes), g.fresh("v")
		g.line("%s %s = %s;", t.name, v, outer.expr(2))
		outer.leaves = append(outer.leaves, value{v, t})
		s.leaves = append(s.leaves, value{v, t})
	}
}

// overNodes writes a kernel over all nodes.
func (g *generator) overNodes(k *kernel, s *scope) {
	m := g.chooseModes(true, g.chance(25))
	follow := g.nodeProp && g.chance(30)
	if follow {
		m[nil] = "own"
	}
	g.before(s, m)
	if g.grid && g.chance(20) {
		g.line("const int *row = grid[%d];", g.IntN(3))
		s.leaves = append(s.leaves, value{"row[1]", tInt}, value{"*row", tInt})
	}
	g.open("ForAll (n In graph.nodes) {")
	if follow {
		g.line("n.next = (n.next + %d) %% graph.nnodes;", g.IntN(5))
		g.line("node o = n.next;")
		s.leaves = append(s.leaves, value{"o.id", tInt}, value{"o.degree", tInt}, value{"(n == o)", tInt})
		g.line("if (o != n && o.degree > n.degree) { n.next = n; }")
		if g.chance(50) {
			g.line("for (e In o.edges) { if (e.dst != n) { n.next = min((int)e.dst, (int)n.next); break; } }")
		}
	}
	g.nodeBody(k, s, m, true)
	g.shut("}")
}

// nodeBody writes what is done with node n, which is the iteration's own when
// own is true.
func (g *generator) nodeBody(k *kernel, s *scope, m mode, own bool) {
	owner := ""
	if own {
		owner = "n"
	}
	in := s.inner()
	in.reads(m, "n", "")
	in.writes(m, owner, "n", "")
	if g.chance(15) {
		in.cache()
	}
	in.statements(1 + g.IntN(3))
	if own && len(k.params) > 0 && g.chance(12) {
		in.meeting()
	}
	if g.chance(70) {
		g.edgeLoop(k, in, m, owner)
	}
	if g.chance(25) {
		g.inLoop(k, in, m, owner)
	}
	if g.chance(25) {
		g.intLoop(k, in, m, owner)
	}
	if g.chance(40) {
		k.reduces = true
		g.line("ReduceAndReturn(%s);", in.expr(2))
	}
	if g.chance(20) {
		g.line("if (%s) continue;", in.expr(2))
	}
	in.statements(g.IntN(3))
}

// cache declares a __shared__ array of the iteration and fills it.
func (s *scope) cache() {
	g := s.g
	t, a, n, i := pick(g, allTypes), g.fresh("cache"), 1+g.IntN(6), g.fresh("i")
	g.line("__shared__ %s %s[%d];", t.name, a, n)
	g.line("for (int %s = 0; %s < %d; %s++) { %s[%s] = %s; }", i, i, n, i, a, i, s.expr(1))
	s.vars = append(s.vars, value{fmt.Sprintf("%s[%d]", a, g.IntN(n)), t})
	s.leaves = append(s.leaves, value{fmt.Sprintf("%s[(unsigned)n.degree %% %du]", a, n), t})
}

// meeting writes a barrier in an if that depends on a parameter.
func (s *scope) meeting() {
	g := s.g
	g.open("if (a0 > %d) {", g.IntN(3))
	s.inner().statements(g.IntN(2))
	g.line("%s();", pick(g, []string{"SyncRunningThreads", "LocalBarrier"}))
	s.inner().statements(g.IntN(2))
	g.shut("}")
}

// edgeLoop writes a loop over the edges of n in one thread.
func (g *generator) edgeLoop(k *kernel, s *scope, m mode, owner string) {
	iter := pick(g, []string{"n.edges", "graph.edges(n)", "graph.nodes(n).edges"})
	if g.chance(20) {
		v := g.fresh("es")
		g.line("%s = %s;", v, iter)
		iter = v
	}
	serial := g.chance(40)
	word := "ForAll"
	if serial {
		word = "for"
	}
	g.open("%s (e In %s) {", word, iter)
	in := s.inner()
	in.hooks = nil
	if !serial { // in no order: what an iteration leaves, another may find
		in.leaves = append(in.leaves, in.places()...)
		in.vars, in.own = nil, nil
	}
	in.reads(m, "", "e")
	in.writes(m, owner, "n", "e")
	if !serial {
		in.own = slices.DeleteFunc(in.own, func(v value) bool { return !strings.HasPrefix(v.text, "e.") })
	}
	if g.chance(20) {
		g.line("if (%s) %s;", in.expr(2), map[bool]string{true: "break", false: "continue"}[serial])
	}
	in.statements(1 + g.IntN(3))
	if g.chance(15) {
		g.line("m = e.dst;")
		g.open("for (f In m.edges) {")
		deep := in.inner()
		deep.hooks = nil
		deep.reads(m, "m", "f")
		deep.writes(m, "", "m", "f")
		deep.statements(1)
		g.shut("}")
	}
	if g.chance(15) {
		k.reduces = true
		g.line("ReduceAndReturn(%s);", in.expr(1))
	}
	g.shut("}")
}

// inLoop writes a loop over the edges that lead to n.
func (g *generator) inLoop(k *kernel, s *scope, m mode, owner string) {
	in := g.openLoop(s, m, owner, "e", "n.in_edges")
	add := func(text string, t *ctype) { in.leaves = append(in.leaves, value{text, t}) }
	add("e.src.id", tInt)
	add("e.src.degree", tInt)
	add("e.src.in_degree", tInt)
	if g.weights {
		add("e.weight", tInt)
	}
	for _, p := range g.props {
		if m[p] == "read" && !p.edge {
			add("e.src."+p.name, p.t)
		}
	}
	if g.chance(20) {
		g.line("if (%s) continue;", in.expr(2))
	}
	in.statements(1 + g.IntN(3))
	if g.chance(15) {
		k.reduces = true
		g.line("ReduceAndReturn(%s);", in.expr(1))
	}
	g.shut("}")
}

// intLoop writes a loop over ints, of which there may be none.
func (g *generator) intLoop(k *kernel, s *scope, m mode, owner string) {
	v := g.fresh("x")
	high := fmt.Sprintf("(int)(%s & 3)", s.integer(1).text)
	bounds := high
	if g.chance(60) {
		bounds = fmt.Sprintf("%d, %s", g.IntN(5)-2, high)
	}
	in := g.openLoop(s, m, owner, v, "range("+bounds+")")
	in.leaves = append(in.leaves, value{v, tInt})
	in.statements(1 + g.IntN(3))
	if g.chance(15) {
		k.reduces = true
		g.line("ReduceAndReturn(%s);", in.expr(1))
	}
	g.shut("}")
}

// openLoop begins a loop inside the iteration of node n, in one thread or in
// many, and returns what its body may use of n.
func (g *generator) openLoop(s *scope, m mode, owner, v, iter string) *scope {
	word := "ForAll"
	if g.chance(40) {
		word = "for"
	}
	g.open("%s (%s In %s) {", word, v, iter)
	in := s.inner()
	in.hooks = nil
	if word == "ForAll" { // in no order: see edgeLoop
		in.leaves = append(in.leaves, in.places()...)
		in.vars, in.own = nil, nil
		owner = ""
	}
	in.reads(m, "", "")
	in.writes(m, owner, "n", "")
	return in
}

// overEdges writes a kernel over the edges of one node, or all.
func (g *generator) overEdges(k *kernel, s *scope) {
	m := g.chooseModes(true, true)
	g.before(s, m)
	g.open("ForAll (e In %s) {", pick(g, []string{"graph.nodes(0).edges", "graph.edges(0)", "graph.edges", "graph.edges"}))
	in := s.inner()
	in.reads(m, "", "e")
	in.writes(m, "e", "", "e")
	in.statements(2 + g.IntN(3))
	if g.chance(40) {
		k.reduces = true
		g.line("ReduceAndReturn(%s);", in.expr(2))
	}
	g.shut("}")
}

// overWorklist writes a kernel over the worklist, which may push.
func (g *generator) overWorklist(k *kernel, s *scope) {
	k.unique = g.chance(50)
	k.numbers = !k.unique && g.chance(20)
	m := g.chooseModes(k.unique, g.chance(25))
	s.leaves = append(s.leaves, value{"WL.size", tInt})
	g.before(s, m)
	g.open("ForAll (i In WL) {")
	if k.numbers {
		g.line("int x = WL.pop(i);")
		in := s.inner()
		in.leaves = append(in.leaves, value{"x", tInt}, value{"x", tInt})
		in.reads(m, "", "")
		in.writes(m, "", "", "")
		in.statements(1 + g.IntN(3))
		if g.chance(50) {
			g.open("for (int j = 0; j < (x & 3); j++) {")
			g.line("if (depth < 3) { WL.push(x * 2 + j); }")
			g.shut("}")
		} else {
			g.countedPushes("x * 2 + depth", "depth < 3", 3)
		}
		k.dups = true
		g.shut("}")
		return
	}
	g.line("%s = WL.pop(i);", pick(g, []string{"n", "node n"}))
	s = s.inner()
	push := g.IntN(6)
	if push == 0 {
		g.open("if (atomicExch(&n.mark, 1) == 0) {") // whatever comes twice goes on once
		g.line("WL.push(n);")
		g.shut("}")
	}
	if push == 1 {
		in := s.inner()
		in.reads(m, "n", "")
		g.line("if (depth < 3 && (%s)) { WL.push(n); }", in.expr(1))
		k.dups = !k.unique
		if k.dups {
			// It passes on as many as come, and those may be many.
			k.unique, k.dups = false, true
		}
	}
	if (push != 1 || k.dups) && g.chance(20) { // what runs twice pushes twice
		g.respawns(k)
	}
	g.nodeBody(k, s, m, k.unique)
	if push < 2 && k.dups {
		g.countedPushes("n", "depth < 2", 2)
	}
	g.pushes(k, push)
}

// pushes ends a kernel over the worklist with the pushes to neighbours.
func (g *generator) pushes(k *kernel, push int) {
	if push < 2 {
		g.shut("}")
		return
	}
	var claim string
	switch push {
	case 2:
		claim = "atomicExch(&e.dst.mark, 1) == 0"
	case 3:
		claim = "atomicCAS(&e.dst.mark, 0, depth + 1) == 0"
	case 4:
		claim = "depth < 3 && atomicCAS(&e.dst.mark, 0, 7) == 0"
	default:
		if k.unique {
			claim = "atomicExch(&e.dst.mark, 1) == 0"
		} else {
			k.dups = true
			if claim = "depth < 2"; g.chance(40) {
				g.open("ForAll (e In n.edges) {")
				g.countedPushes("e.dst", claim, 1)
				g.shut("}")
				g.shut("}")
				return
			}
		}
	}
	g.open("ForAll (e In n.edges) {")
	g.line("if (%s) { %s; }", claim, pick(g, []string{"WL.push(e.dst)", "WL.push(e.dst.id)", "WL.push((int)e.dst)"}))
	g.shut("}")
	g.shut("}")
}

// alone writes a kernel without a ForAll, which one thread runs.
func (g *generator) alone(k *kernel, s *scope) {
	m := mode{}
	for _, p := range append(clip(g.props), g.globals...) {
		m[p] = "read"
		if p.sums {
			m[p] = pick(g, []string{"read", "sum"})
		}
	}
	in := s.inner()
	in.reads(m, "", "")
	for _, p := range g.globals {
		if text, ok := in.element(p, "", ""); ok && !p.sums {
			in.own = append(in.own, value{text, p.t})
		}
	}
	in.statements(2 + g.IntN(3))
	g.open("for (n In graph.nodes) {")
	body := in.inner()
	body.reads(m, "n", "")
	for _, p := range g.props {
		if text, ok := body.element(p, "n", ""); ok && !p.sums {
			body.own = append(body.own, value{text, p.t})
		}
	}
	body.statements(2)
	if g.chance(30) {
		g.line("if (%s) break;", body.expr(2))
	}
	for _, p := range g.props {
		if m[p] == "sum" {
			body.change(p, "sum", "n", "")
		}
	}
	g.shut("}")
	if g.chance(40) {
		k.reduces = true
		g.line("ReduceAndReturn(%s);", in.expr(1))
	}
}
