package lower

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Edge batching: a loop over edges begins several iterations at once. Their
// loads, which do not depend on each other, are all in flight before the
// first of them does anything else:
//
//	ForAll (e In edges) {              for (irgl_index e_end = ..., e_left = ...; e_left > 0; e_left = irgl_less(e_left, 2)) {
//	  if (e.dst.level == INF) {          irgl_index e_0 = e_end - e_left;
//	    e.dst.level = LEVEL;             irgl_index e_1 = e_end - e_left + irgl_slot(1, e_left);
//	    WL.push(e.dst);                  int e_dst = graph.dst[e_0];
//	  }                                  int e_dst_1 = graph.dst[e_1];
//	}                                    int e_level = graph.level[e_dst];
//	                                     int e_level_1 = graph.level[e_dst_1];
//	                                     { if (e_level == INF) { graph.level[e_dst] = LEVEL; ... } }
//	                                     if (1 < e_left) { if (e_level_1 == INF) { ... } }
//	                                     ... one reservation for what both pushed ...
//	                                   }
//
// A slot beyond the end loads what the last one loads, so that no load waits for
// a branch. The bodies follow in order, one text each: nothing is left to the
// unrolling of another compiler.
//
// Atomics whose results decide how an iteration goes on are begun for all
// slots, too, before the first is waited for (lockstep.go).
//
// Which loops are batched, and which loads come first, is decided by the row batch of
// package opt and by package analysis. (Beyond the IrGL paper.)

// A round is one step of a loop: the iterations that a thread begins at once.
type round struct {
	s     *syntax.ForAllStmt
	typ   string             // of the loop's variable
	n     int                // iterations of a round
	at    func(k int) string // where slot k is: its place in the range
	valid func(k int) string // whether it has an iteration; "" for always
	// front declares what at needs, restore what the body needs of the thread
	// whose iteration it is.
	front   []string
	restore func(k int) []string
	own     bool // the iterations are the thread's own
	// gather says in which variables slot k gathers what is for locals of the
	// outer iteration; nil for those themselves.
	gather func(k int) map[*check.Object]string
}

// slots returns how many iterations of s a round has.
func (l *lowerer) slots(s *syntax.ForAllStmt) int {
	if l.tp.batches[s] == nil {
		return 1
	}
	return l.plan.Loops[s].Batch
}

// scoped calls f, which lowers something with a scope of its own: the names that
// it takes are free again behind it, but for those of shared memory, which is
// declared at the top of the kernel.
func (l *lowerer) scoped(f func() []syntax.Stmt) []syntax.Stmt {
	names := maps.Clone(l.names)
	out := f()
	l.names = names
	for _, name := range l.tp.kept {
		l.names[name] = true
	}
	return out
}

// step lowers one round.
func (l *lowerer) step(r *round) []syntax.Stmt {
	span, name := at(r.s.Var), localName(r.s.Var.Name)
	obj := l.info.Defs[r.s.Var]
	var text strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&text, format+"\n", args...) }
	index := make([]string, r.n)
	for _, d := range r.front {
		line("%s", d)
	}
	for k := range r.n {
		index[k] = l.fresh(fmt.Sprintf("%s_%d", name, k))
		line("%s %s = %s;", r.typ, index[k], r.at(k))
	}
	// One row a kind of load, so that those of all slots are adjacent.
	dst := make([]string, r.n)
	if l.usesFar(r.s.Body, obj) || l.needsDst(r.s) {
		far, in := farEnd(obj.Type)
		for k := range dst {
			dst[k] = l.fresh(fmt.Sprintf("%s_%s_%d", name, far, k))
			line("int %s = %s.%sdst[%s];", dst[k], l.graph, in, index[k])
		}
	}
	early := make([]map[*syntax.MemberExpr]string, r.n)
	for k := range early {
		early[k] = map[*syntax.MemberExpr]string{}
	}
	if l.tp.batches[r.s] != nil && r.n > 1 {
		l.earlyLoads(r, index, dst, early, line)
	}
	pend := l.deferIn(r)
	for _, p := range pend {
		line("%s", p.declare())
	}
	out := l.template(text.String())
	enter := func(k int) {
		l.tp.early = early[k]
		if r.gather != nil {
			l.tp.parts = r.gather(k)
		}
		for _, p := range pend {
			p.slot = k
		}
		if obj != nil {
			l.dst[obj] = dst[k]
		}
	}
	if c := l.tp.chains[r.s]; c != nil && r.n > 1 {
		out = append(out, l.lockstep(r, c, name, index, enter)...)
	} else {
		for k := range r.n {
			enter(k)
			out = append(out, l.copyOf(r, k, name, index[k], r.valid(k), func() *syntax.Block { return l.block(r.s.Body) })...)
		}
	}
	l.tp.early, l.tp.parts = map[*syntax.MemberExpr]string{}, nil
	for _, p := range pend {
		delete(l.tp.deferred, p.key)
		out = append(out, l.template(l.pushPending(p))...)
	}
	for _, x := range out {
		if x == nil {
			return []syntax.Stmt{&syntax.EmptyStmt{Span: span}}
		}
	}
	return out
}

// needsDst reports whether an early load of the loop starts at the destination.
func (l *lowerer) needsDst(s *syntax.ForAllStmt) bool {
	return slices.ContainsFunc(l.tp.loads[s], func(x analysis.Load) bool {
		return x.Kind == analysis.DstProp || x.Kind == analysis.DstDegree
	})
}

// earlyLoads writes the loads of all slots, and notes which variables hold them.
func (l *lowerer) earlyLoads(r *round, index, dst []string, early []map[*syntax.MemberExpr]string, line func(string, ...any)) {
	base, in := localName(r.s.Var.Name), ""
	if obj := l.info.Defs[r.s.Var]; isEdge(obj) {
		_, in = farEnd(obj.Type)
	}
	for _, x := range l.tp.loads[r.s] {
		typ, from := "int", ""
		if x.Object != nil {
			typ, from = l.typeText(x.Object.Type), FieldName(x.Object.Name)
		}
		shared := ""
		for k := range r.n {
			var value string
			switch x.Kind {
			case analysis.LoadDst:
				continue // above
			case analysis.LoadWeight:
				value = fmt.Sprintf("%s.%sweight[%s]", l.graph, in, index[k])
			case analysis.EdgeProp:
				value = fmt.Sprintf("%s.%s[%s]", l.graph, from, index[k])
			case analysis.DstProp:
				value = fmt.Sprintf("%s.%s[%s]", l.graph, from, dst[k])
			case analysis.DstDegree:
				value = fmt.Sprintf("irgl_%s(%s, %s)", x.Expr.Name.Name, l.graph, dst[k])
			default: // the same for all
				if !r.own {
					continue
				}
				if shared != "" {
					early[k][x.Expr] = shared
					continue
				}
				value = syntax.String(l.expr(x.Expr))
			}
			want := fmt.Sprintf("%s_%s_%d", base, localName(x.Expr.Name.Name), k)
			if x.Kind == analysis.OuterProp {
				want = localName(x.Expr.Name.Name) + "_here"
			}
			name := l.fresh(want)
			line("%s %s = %s;", typ, name, value)
			early[k][x.Expr], shared = name, name
		}
	}
}

// copyOf lowers what an iteration does, all its body or the end of it, for slot
// k; cond says whether it does it, "" for always.
func (l *lowerer) copyOf(r *round, k int, name, index, cond string, lower func() *syntax.Block) []syntax.Stmt {
	s, span := r.s, at(r.s.Var)
	lp := &loop{forAll: !s.Serial, copied: true}
	l.loops = append(l.loops, lp)
	l.tp.place[s] = index
	inner := l.inSlot(r, k, name, index, lower())
	l.loops = l.loops[:len(l.loops)-1]
	if r.n == 1 && !lp.used && cond == "" {
		return inner.Stmts
	}
	var out syntax.Stmt = inner
	if cond != "" {
		out = l.template("if ("+cond+") { irgl_hole(0); }\n", inner.Stmts)[0]
	}
	if !lp.used {
		return []syntax.Stmt{out}
	}
	return []syntax.Stmt{out, &syntax.LabelStmt{Span: span, Name: ident(span, lp.label)}, &syntax.EmptyStmt{Span: span}}
}

// inSlot puts in front of a body what it uses of the iteration in slot k.
func (l *lowerer) inSlot(r *round, k int, name, index string, body *syntax.Block) *syntax.Block {
	var first []string
	if tree.Mentions(body, name) {
		if l.info.Types[r.s.Iter] == check.Ints {
			first = append(first, fmt.Sprintf("int %s = (int)%s;", name, index))
		} else {
			first = append(first, fmt.Sprintf("%s %s = %s;", r.typ, name, index))
		}
	}
	for _, d := range r.restore(k) {
		declared, _, _ := strings.Cut(d, " =")
		if tree.Mentions(body, declared[strings.LastIndexByte(declared, ' ')+1:]) {
			first = append(first, d)
		}
	}
	if len(first) == 0 {
		return body
	}
	inner := block(body.Span, l.template(strings.Join(first, "\n")+"\n")...)
	if declaresNames(body) {
		inner.Stmts = append(inner.Stmts, body)
	} else {
		inner.Stmts = append(inner.Stmts, body.Stmts...)
	}
	return inner
}

// declaresNames reports whether a block declares variables, which may have the
// names of those declared in front of it.
func declaresNames(b *syntax.Block) bool {
	return slices.ContainsFunc(b.Stmts, func(s syntax.Stmt) bool {
		_, ok := s.(*syntax.VarDecls)
		return ok
	})
}

// batched lowers a loop over edges, in its own thread, in rounds of several.
func (l *lowerer) batched(s *syntax.ForAllStmt) syntax.Stmt {
	obj := l.info.Defs[s.Var]
	r := l.rangeOf(s, obj)
	name := localName(s.Var.Name)
	typ := syntax.String(r.typ)
	front := l.reserveFront(s, r)
	end, left := l.fresh(name+"_end"), l.fresh(name+"_left")
	rd := l.ownRound(s, typ, end, left)
	text := fmt.Sprintf("for (%[1]s %[2]s = %[4]s, %[3]s = %[2]s - %[5]s; %[3]s > 0; %[3]s = irgl_less(%[3]s, %[6]d)) { irgl_hole(0); }\n",
		typ, end, left, syntax.String(r.limit), syntax.String(r.first), rd.n)
	loop := l.template(text, l.scoped(func() []syntax.Stmt { return l.step(rd) }))
	delete(l.names, end)
	delete(l.names, left)
	if r.before != nil {
		front = append([]syntax.Stmt{r.before}, front...)
	}
	return block(s.Span, append(front, loop...)...)
}

// ownRound returns the rounds of a thread's own loop that ends at the place end
// and has left to go.
func (l *lowerer) ownRound(s *syntax.ForAllStmt, typ, end, left string) *round {
	none := func(int) []string { return nil }
	return &round{s: s, typ: typ, n: l.slots(s), restore: none, own: true,
		at: func(k int) string {
			if k == 0 {
				return end + " - " + left
			}
			return fmt.Sprintf("%s - %s + irgl_slot(%d, %s)", end, left, k, left)
		},
		valid: func(k int) string {
			if k == 0 {
				return ""
			}
			return fmt.Sprintf("%d < %s", k, left)
		}}
}
