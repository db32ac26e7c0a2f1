package irgltest

// Kernels whose iterations exclude or wait for each other. What an iteration changes it
// changes once, when it has its locks, and so that the order does not matter: so neither the
// winners nor the number of tries are seen.

// conflicts writes a kernel over the worklist that retries the items whose locks another
// iteration has.
func (g *generator) conflicts(k *kernel, s *scope) {
	k.unique = g.chance(50)
	m := g.chooseModes(k.unique, false)
	g.before(s, m)
	g.open("ForAll (i In WL) {")
	g.line("node n = WL.pop(i);")
	s = s.inner()
	s.reads(m, "n", "")
	s.statements(g.IntN(3)) // reads alone: a retry repeats it
	owner := ""
	if k.unique {
		owner = "n"
	}
	body := func() {
		in := s.inner()
		in.writes(m, owner, "n", "")
		in.statements(1 + g.IntN(3))
		g.pushesOnce(k)
	}
	if g.chance(60) {
		g.line("node z = graph.nodes((n / %d + %d) %% graph.nnodes);", 1+g.IntN(4), g.IntN(5))
		g.open("Atomic (z.latch) {")
		g.line("z.held += n.id + 1;")
		body()
		g.indent--
		g.open("} Else {")
		g.line("Retry n;")
		g.shut("}")
	} else {
		size := 1 + g.IntN(3)
		g.line("int l[%d];", size)
		g.line("l[0] = n;")
		for j := 1; j < size; j++ {
			g.line("l[%d] = (n + %d) %% graph.nnodes;", j, 1+g.IntN(4))
		}
		g.open("Exclusive (graph, %d, l) {", size)
		g.line("for (int j = 0; j < %d; j++) { graph.nodes(l[j]).held += n.id + j; }", size)
		body()
		g.indent--
		g.open("} Else {")
		g.line("Retry n;")
		g.shut("}")
		g.barrier(k, 30)
	}
	g.shut("}")
}

// pushesOnce writes pushes of n: in counted loops, as often as anybody comes, or once for the
// iteration that claims it.
func (g *generator) pushesOnce(k *kernel) {
	if k.unique || g.chance(50) {
		g.line("if (atomicExch(&n.mark, 1) == 0) { WL.push(n); }")
		return
	}
	k.dups = true
	g.countedPushes("n", "depth < 2", 2)
}

// countedPushes writes a loop that pushes an item up to so many times if cond holds.
func (g *generator) countedPushes(item, cond string, most int) {
	j := g.fresh("j")
	n := 1 + g.IntN(most)
	bound := pick(g, []string{"", "n.degree & 1", "graph.nnodes & 1", "depth"})
	if bound == "" || item != "n" {
		bound = ""
	}
	g.open("if (%s) {", cond)
	if bound != "" {
		b := g.fresh("b")
		g.line("%s %s = %s;", pick(g, []string{"int", "long", "short"}), b, bound)
		bound = b
	}
	switch {
	case bound != "" && g.chance(50):
		g.open("for (int %s = %s; %s < 2; %s++) {", j, bound, j, j)
	case bound != "":
		g.open("for (long %s = %s; %s >= %d; %s--) {", j, bound, j, 1-g.IntN(2), j)
	case g.chance(30):
		g.open("for (unsigned %s = %d; %s > 0; --%s) {", j, n, j, j)
	case g.chance(30):
		g.open("for (int %s = -1; %s < %d; %s += 2) {", j, j, 2*n-2, j)
	default:
		g.open("for (int %s = 0; %s < %d; %s++) {", j, j, n, j)
	}
	g.line("WL.push(%s);", item)
	if g.chance(15) {
		g.line("if (%s == %d) { %s; }", j, g.IntN(3), pick(g, []string{"break", "continue"}))
	}
	g.shut("}")
	if g.chance(20) {
		g.open("for (int %s = 0; %s < %d; %s++) {", j, j, n, j)
		g.line("for (int %s_ = %s; %s_ < 1; %s_++) { WL.push(%s); }", j, j, j, j, item)
		g.shut("}")
	}
	g.shut("}")
}

// respawns writes that the first iteration of a node which finds it unmarked is executed again.
func (g *generator) respawns(k *kernel) {
	if k.unique || g.chance(50) {
		g.line("if (atomicExch(&n.again, 1) == 0) { Respawn n; }")
		return
	}
	j := g.fresh("j")
	g.open("if (atomicExch(&n.again, 1) == 0) {")
	g.line("for (int %s = 0; %s < %d; %s++) { Respawn n; }", j, j, 1+g.IntN(3), j)
	g.shut("}")
}

// barrier writes a barrier in some of a hundred cases, perhaps one in an if that all threads
// decide alike.
func (g *generator) barrier(k *kernel, percent int) {
	if !g.chance(percent) {
		return
	}
	text := pick(g, []string{"SyncRunningThreads();", "SyncRunningThreads();", "LocalBarrier();"})
	if k.depth && g.chance(30) {
		g.line("if (depth > %d) { %s }", g.IntN(9), text)
		return
	}
	g.line("%s", text)
}

// phases writes a kernel over all nodes whose iterations wait for each other: in the body of a
// ForAll, and between two, the second of which reads what the first has changed anywhere.
func (g *generator) phases(k *kernel, s *scope) {
	m := g.chooseModes(true, false)
	g.before(s, m)
	g.open("ForAll (n In graph.nodes) {")
	in := s.inner()
	in.reads(m, "n", "")
	in.writes(m, "n", "n", "")
	for range 1 + g.IntN(3) {
		in.statements(1 + g.IntN(2))
		g.barrier(k, 70)
		if g.chance(20) {
			g.line("if (%s) continue;", in.expr(1))
		}
	}
	if g.chance(30) {
		g.line("int l[1];")
		g.line("l[0] = n;")
		g.open("Exclusive (graph, 1, l) {")
		in.inner().statements(1)
		g.shut("}")
	}
	in.statements(1)
	g.shut("}")
	if g.chance(30) {
		return
	}
	g.line("SyncRunningThreads();")
	m = g.chooseModes(true, false)
	g.open("ForAll (n In graph.nodes) {")
	g.nodeBody(k, s, m, true)
	g.shut("}")
}
