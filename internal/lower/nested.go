package lower

import (
	"fmt"
	"strings"

	"irgl/internal/abi"
	"irgl/internal/check"
	"irgl/syntax"
)

// Nested parallelism (IrGL paper, section 4.3): the iterations of an inner
// ForAll are executed by other threads than the one whose iteration it is in.
//
// The outermost ForAll becomes a loop that all threads of a block go through
// equally often, whether they have an iteration or not (Listing 10). Its body is
// split at the inner ForAlls into parts, which those threads execute that have
// an iteration; at an inner ForAll, all threads of the block meet:
//
//	ForAll (n In graph.nodes) {       for (int n_base = irgl_thread() - (int)threadIdx.x, n_end = graph.nnodes; n_base < n_end; n_base += irgl_threads()) {
//	  int near = n.dist;                int n = n_base + (int)threadIdx.x;
//	  if (near != INF) {                bool n_active = n < n_end;
//	    ForAll (e In n.edges) { ... }   int near = 0;
//	  }                                 if (n_active) { near = graph.dist[n]; }
//	  n.done = 1;                       bool taken = false;
//	}                                   if (n_active) { taken = near != 2147483647; }
//	                                    irgl_index e_first = 0; irgl_index e_size = 0;
//	                                    if (n_active && taken) { e_first = graph.row[n]; e_size = graph.row[n + 1] - e_first; }
//	                                    ... schedulers (sched.go) ...
//	                                    if (n_active) { graph.done[n] = 1; }
//	                                  }
//
// An if around an inner ForAll is taken apart like this, so that the schedulers
// are placed where control is uniform: a thread for which it does not hold brings an
// empty range. What the outer iteration declares in one part and uses in another
// is declared in front of all. The barriers of the schedulers are between what
// comes before an inner ForAll and its iterations; one more is between these
// and what comes after them if that depends on them (analysis.Nest.Depends).
//
// A serial for around an inner ForAll is taken apart like this, too, if all threads
// go through it equally often: its head is uniform, and nothing leaves it early.
// Each of its rounds has a part for the schedulers. None is begun where no thread of
// the block would begin it:
//
//	for (int k = 0; k < TIMES; k++) {   if (__syncthreads_or(n_active) != 0) {
//	  ForAll (e In n.edges) { ... }       for (int k = 0; k < TIMES; k++) {
//	}                                       bool k_goes = n_active;
//	                                        ... schedulers, and a barrier behind them ...
//	                                      } }
//
// The same uniform loop, without a split, is what queues need (coop.go).
//
// Consecutive iterations belong to the threads of a block. Dealt, only the lanes of a warp
// have consecutive ones; the warps of a block lie as far apart as there are blocks.
//
// Kernels with scheduling loops or queues have static arrays of shared memory
// for as many threads as [Options.BlockThreads] (or __launch_bounds__) says:
// they may run in smaller blocks, but not in larger ones.

// together lowers an outermost ForAll that the threads of a block go through
// together.
func (l *lowerer) together(s *syntax.ForAllStmt) syntax.Stmt {
	obj, name := l.info.Defs[s.Var], localName(s.Var.Name)
	r := l.rangeOf(s, obj)
	base, end := l.fresh(name+"_base"), l.fresh(name+"_end")
	lp := &loop{forAll: true, active: l.fresh(name + "_active")}
	first, mine := "irgl_thread() - (int)threadIdx.x", "(int)threadIdx.x"
	if l.plan.Loops[s].Deal {
		first, mine = "(int)blockIdx.x * 32", "irgl_dealt()"
		if l.blocks {
			mine = "irgl_dealt_of(" + abi.BlocksVar + ")"
		}
	}
	element := ""
	if r.ints { // a step of the whole grid may pass what an int holds
		counter := l.fresh(name + "_at")
		element, name, r.typ = fmt.Sprintf("int %s = (int)%s;\n", name, counter), counter, basic(at(s.Var), "long")
		if r.first != nil {
			r.first = cast(at(s.Var), r.typ, r.first)
		}
	}
	if r.first != nil {
		first = syntax.String(r.first) + " + " + first
	}
	typ := syntax.String(r.typ)

	l.loops = append(l.loops, lp)
	outer := l.group
	l.group = &group{loop: lp, hoisted: map[*check.Object]bool{}}
	l.tp.queued = l.plan.Loops[s].Queue
	body := l.split(s.Body.Stmts, lp.active)
	if queues := l.queuesIn(s); len(queues) > 0 {
		over := fmt.Sprintf("%s - %s > %s ? %d : 0", end, base, l.strideText(), queues[0].room/2)
		body = append(body, l.template(l.flush(queues, over, !l.pushesEarly()))...)
	}
	rest := l.shareHubs()
	l.tp.queued, l.group = false, outer
	l.loops = l.loops[:len(l.loops)-1]

	text := fmt.Sprintf(`for (%[1]s %[2]s = %[3]s, %[4]s = %[5]s; %[2]s < %[4]s; %[2]s += %[10]s) {
%[1]s %[6]s = %[2]s + %[9]s;
bool %[7]s = %[6]s < %[4]s;
%[8]sirgl_hole(0);
}
`, typ, base, first, end, syntax.String(r.limit), name, lp.active, element, mine, l.strideText())
	loop := l.template(text, body)
	if r.before == nil && len(rest) == 0 {
		return loop[0]
	}
	if r.before != nil {
		loop = append([]syntax.Stmt{r.before}, loop...)
	}
	return block(s.Span, append(loop, rest...)...)
}

// split lowers statements of the outer iteration at a place where control is
// uniform. Those between inner ForAlls are executed if active holds.
func (l *lowerer) split(list []syntax.Stmt, active string) []syntax.Stmt {
	outer := l.group
	g := &group{loop: outer.loop, body: list, hoisted: l.acrossSplits(list)}
	for obj := range outer.hoisted {
		g.hoisted[obj] = true
	}
	l.group = g
	out := l.hoistedDecls()
	for _, s := range out {
		if d, ok := s.(*syntax.VarDecls); ok && d.Attrs == 0 {
			for _, v := range d.Vars {
				if isScalarType(v.Type) && v.Init == nil { // other threads may ask for it
					v.Init = number(v.Span, 0)
				}
			}
		}
	}
	from := 0
	for i, s := range list {
		if !l.contains(s) {
			continue
		}
		out = append(out, l.splitPart(list[from:i], active)...)
		from = i + 1
		out = append(out, l.splitAt(s, active)...)
	}
	out = append(out, l.splitPart(list[from:], active)...)
	l.group = outer
	return out
}

// isScalarType reports whether a lowered type is that of a number.
func isScalarType(t syntax.TypeExpr) bool {
	_, ok := t.(*syntax.BasicType)
	return ok
}

// acrossSplits returns the variables that a list of statements declares in one
// part and uses in another.
func (l *lowerer) acrossSplits(list []syntax.Stmt) map[*check.Object]bool {
	scheduled := map[syntax.Stmt]bool{}
	any := false
	for _, s := range list {
		scheduled[s] = l.contains(s)
		any = any || scheduled[s]
	}
	if !any {
		return map[*check.Object]bool{}
	}
	return l.acrossParts(list, func(s syntax.Stmt) bool { return scheduled[s] })
}

// splitPart lowers statements between two inner ForAlls.
func (l *lowerer) splitPart(list []syntax.Stmt, active string) []syntax.Stmt {
	b := l.guarded(func() *syntax.Block { return l.partBlock(list) })
	if len(b.Stmts) == 0 {
		return nil
	}
	return l.template("if ("+active+") { irgl_hole(0); }\n", b.Stmts)
}

// splitAt lowers a statement with an inner ForAll.
func (l *lowerer) splitAt(s syntax.Stmt, active string) []syntax.Stmt {
	switch s := s.(type) {
	case *syntax.Block:
		return []syntax.Stmt{block(s.Span, l.split(s.Stmts, active)...)}
	case *syntax.IfStmt:
		return l.splitIf(s, active)
	case *syntax.ForStmt:
		if l.tp.blockCounts(s) {
			return l.splitCounted(s, active)
		}
		return l.splitFor(s, active)
	case *syntax.ForAllStmt:
		out := l.schedule(s, active)
		placeAt(s.Iter, out...)
		return out
	}
	return l.splitPart([]syntax.Stmt{s}, active)
}

// splitFor lowers a serial for with an inner ForAll in it, whose head is the same
// for all threads.
func (l *lowerer) splitFor(s *syntax.ForStmt, active string) []syntax.Stmt {
	goes := l.fresh("goes")
	outer, lp := l.group, &loop{active: goes}
	loop := &syntax.ForStmt{Span: s.Span, Init: l.stmt(s.Init), Cond: l.expr(s.Cond), Post: l.expr(s.Post), Unroll: s.Unroll}
	list := []syntax.Stmt{s.Body}
	if b, ok := s.Body.(*syntax.Block); ok {
		list = b.Stmts
	}
	l.loops = append(l.loops, lp)
	l.group = &group{loop: lp, hoisted: outer.hoisted}
	body := l.template("bool " + goes + " = " + active + ";\n")
	loop.Body = block(at(s.Body), append(body, l.split(list, goes)...)...)
	l.group = outer
	l.loops = l.loops[:len(l.loops)-1]
	list = append(l.declares(s), loop)
	return l.template("if (__syncthreads_or("+active+") != 0) { irgl_hole(0); }\n", list)
}

// splitIf lowers an if with an inner ForAll in one of its branches.
func (l *lowerer) splitIf(s *syntax.IfStmt, active string) []syntax.Stmt {
	span := at(s.Cond)
	taken := l.fresh("taken")
	set := stmt(assign(ident(span, taken), "=", l.expr(s.Cond)))
	out := l.template("bool "+taken+" = false;\nif ("+active+") { irgl_hole(0); }\n", []syntax.Stmt{set})
	branch := func(b syntax.Stmt, active string) {
		list := []syntax.Stmt{b}
		if b, ok := b.(*syntax.Block); ok {
			list = b.Stmts
		}
		out = append(out, block(at(b), l.split(list, active)...))
	}
	branch(s.Then, active+" && "+taken)
	if s.Else != nil {
		branch(s.Else, active+" && !"+taken)
	}
	return out
}

// sizeFrom returns the size of a range that begins at the variable first.
func (l *lowerer) sizeFrom(r iteration, first string) string {
	limit := syntax.String(r.limit)
	if r.ints {
		return fmt.Sprintf("(int)%[1]s < %[2]s ? (irgl_index)%[2]s - %[1]s : 0", first, limit)
	}
	return limit + " - " + first
}

// schedule lowers an inner ForAll that is executed by several threads.
func (l *lowerer) schedule(s *syntax.ForAllStmt, active string) []syntax.Stmt {
	obj, name := l.info.Defs[s.Var], localName(s.Var.Name)
	r := l.rangeOf(s, obj)
	if r.ints {
		// As unsigned numbers, of which there are enough for the longest range.
		r.typ = named(at(s.Var), "irgl_index")
		r.first = cast(at(s.Var), r.typ, r.first)
	}
	c := &schedule{s: s, nest: l.tp.nests[s], typ: syntax.String(r.typ), name: name, n: l.slots(s)}
	c.first, c.size = l.fresh(name+"_first"), l.fresh(name+"_size")
	if r.first == nil {
		r.first = number(at(s.Var), 0)
	}
	var set []syntax.Stmt
	if r.before != nil {
		set = append(set, r.before)
	}
	set = append(set, l.template(fmt.Sprintf("%s = %s;\n%s = %s;\n", c.first, syntax.String(r.first), c.size, l.sizeFrom(r, c.first)))...)
	text := fmt.Sprintf("%[1]s %[2]s = 0;\n%[1]s %[3]s = 0;\nif (%[4]s) { irgl_hole(0); }\n", c.typ, c.first, c.size, active)
	out := l.template(text, set)
	for _, v := range c.nest.Closure {
		c.closure = append(c.closure, capture{name: nameOf(v.Object), typ: l.typeText(v.Type)})
	}
	var front strings.Builder
	for _, k := range l.tp.counted[s] {
		l.reserveText(&front, k, c.first, c.size)
		c.closure = append(c.closure, capture{name: k.start, typ: "int"})
	}
	out = append(out, l.template(front.String())...)
	c.queues = l.queuesIn(s)
	return append(out, l.schedulers(c)...)
}
