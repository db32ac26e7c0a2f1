package lower

import (
	"fmt"
	"strings"

	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/internal/devlib"
	"irgl/internal/plan"
	"irgl/syntax"
)

// Reservations in front of counted loops (IrGL paper, section 4.2.1). Of a loop over a range,
// whose iterations may be begun in any order and by other threads, each iteration has the
// place that its number says:
//
//	ForAll (e In n.edges) {        int out_start = irgl_reserve_warp(out, size) - first;
//	  WL.push(e.dst);              for (e = first; ...) {
//	}                                irgl_put(out, out_start, e, e_dst); }
//
// The iterations of a C loop, and of C loops in it, come one after another in one thread, so
// that the next place is a variable:
//
//	for (k = 0; k < m; k++) {      int k = 0;
//	  WL.push(n);                  unsigned int out_next = irgl_reserve_warp(out, k < m ? m - k : 0);
//	}                              for (; k < m; k++) { irgl_put(out, out_next++, 0, n); }
//
// What several statements of a loop push to the same list is reserved together.

// A reservation is the room that a loop takes in front of it in a list, for the sites in it that push
// exactly once in each iteration.
type reservation struct {
	loop  syntax.Stmt
	list  string
	level devlib.Level                     // whose room is reserved together
	sites map[syntax.Node]int              // by call or statement: the number among those of an iteration
	trips map[syntax.Node][]*analysis.Trip // of C loops: what is counted for it
	order []syntax.Node                    // the sites in order of the text
	start string                           // variable: the place of the iteration that would have number 0, or the next place
}

// countSite notes a site for which room is reserved in front of its loop.
func (l *lowerer) countSite(x *analysis.Site, level plan.Level) {
	tp, key, list := l.tp, x.Syntax(), l.siteList(x)
	loop := x.Loops[len(x.Loops)-1]
	var chain []*analysis.Trip
	if _, c := loop.(*syntax.ForStmt); c {
		chain, _ = tp.f.CountedFor(x)
		loop = chain[0].Loop
		if level == plan.Block {
			outer, _ := tp.f.ConvergesBefore(loop.(*syntax.ForStmt))
			tp.uniform[outer] = true
		}
	}
	var c *reservation
	for _, other := range tp.counted[loop] {
		if other.list == list && other.level == coopLevels[level] {
			c = other
		}
	}
	if c == nil {
		name := "_start"
		if chain != nil {
			name = "_next"
		}
		c = &reservation{loop: loop, list: list, level: coopLevels[level], start: l.fresh(list + name), sites: map[syntax.Node]int{}, trips: map[syntax.Node][]*analysis.Trip{}}
		tp.counted[loop] = append(tp.counted[loop], c)
	}
	c.sites[key], c.trips[key] = len(c.sites), chain
	c.order = append(c.order, key)
	tp.starts[key] = c
}

// placeOf returns the arguments of @task for a site in an iteration of its loop; nil where
// that is lowered without a reservation in front.
func (l *lowerer) placeOf(s syntax.Span, c *reservation, key syntax.Node) (start, task syntax.Expr) {
	loop, ok := c.loop.(*syntax.ForAllStmt)
	if !ok {
		next := &syntax.PostfixExpr{Span: s, X: ident(s, c.start), Op: "++"}
		return cast(s, basic(s, "int"), next), number(s, 0)
	}
	place := l.tp.place[loop]
	if place == "" {
		return nil, nil
	}
	n := len(c.sites)
	if n == 1 {
		return ident(s, c.start), cast(s, basic(s, "int"), ident(s, place))
	}
	// Places wrap: the list's start is that of iteration 0.
	task = binary(cast(s, basic(s, "unsigned int"), ident(s, place)), "*", number(s, int64(n)))
	if k := c.sites[key]; k > 0 {
		task = binary(task, "+", number(s, int64(k)))
	}
	return ident(s, c.start), cast(s, basic(s, "int"), &syntax.ParenExpr{Span: s, X: task})
}

// reserveText writes the reservation for the n iterations of a loop over a range from place
// first on.
func (l *lowerer) reserveText(b *strings.Builder, c *reservation, first, n string) {
	size, each := "(int)"+n, ""
	if k := len(c.sites); k > 1 {
		size, each = fmt.Sprintf("irgl_room(%s, irgl_product(%s, %d))", c.list, n, k), fmt.Sprintf(" * %d", k)
	}
	fmt.Fprintf(b, "int %s = (int)((unsigned int)%s(%s, %s) - (unsigned int)(%s)%s);\n", c.start, l.method(c.level, "irgl_push"), c.list, size, first, each)
}

// blockCounts reports whether the block reserves room in front of a C loop.
func (tp *throughput) blockCounts(s *syntax.ForStmt) bool {
	for _, c := range tp.counted[s] {
		if c.level == devlib.ThreadBlock {
			return true
		}
	}
	return false
}

// forStmt lowers a for, with the reservations in front of it.
func (l *lowerer) forStmt(s *syntax.ForStmt) syntax.Stmt {
	init := l.stmt(s.Init)
	var front []syntax.Stmt
	if l.tp != nil {
		front = l.reserveFor(s, false)
	}
	out := l.forLoop(s, init)
	switch {
	case len(front) == 0:
		return out
	case l.startsConstant(s):
		return block(s.Span, append(front, out)...)
	}
	out.Init = nil
	return block(s.Span, append(append([]syntax.Stmt{init}, front...), out)...)
}

// forLoop lowers a for whose first part is lowered.
func (l *lowerer) forLoop(s *syntax.ForStmt, init syntax.Stmt) *syntax.ForStmt {
	out := &syntax.ForStmt{Span: s.Span, Init: init, Unroll: s.Unroll}
	out.Cond, out.Post = l.meeting(s, l.expr(s.Cond)), l.expr(s.Post)
	out.Body = l.loopBody(s.Body)
	return out
}

// reserveFor returns the reservations in front of a C loop, behind its first part: those by
// the block, or the others.
func (l *lowerer) reserveFor(s *syntax.ForStmt, byBlock bool) []syntax.Stmt {
	var out []syntax.Stmt
	for _, c := range l.tp.counted[s] {
		if byBlock != (c.level == devlib.ThreadBlock) {
			continue
		}
		before, n := l.sizeOf(c)
		out = append(out, l.template(fmt.Sprintf("%sunsigned int %s = %s(%s, %s);\n", before, c.start, l.method(c.level, "irgl_push"), c.list, n))...)
	}
	return out
}

// sizeOf returns how many items the sites of a C loop push, as an expression, with the
// statements in front that it needs.
func (l *lowerer) sizeOf(c *reservation) (before, n string) {
	var terms []string
	times := map[string]int64{}
	total := int64(0)
	fits := true // a size is an int
	add := func(term string, n int64) {
		if times[term] == 0 {
			terms = append(terms, term)
		}
		times[term] = min(times[term]+n, beyondLists)
	}
	for _, key := range c.order {
		known := int64(1)
		var sizes []string
		for i, t := range c.trips[key] {
			if n, ok := l.constantTrips(t); ok {
				known = min(known*n, beyondLists)
				continue
			}
			text, narrow := l.tripText(t, i == 0)
			sizes, fits = append(sizes, text), fits && narrow
		}
		switch {
		case known == 0:
		case len(sizes) == 0:
			total = min(total+known, beyondLists)
		case len(sizes) == 1:
			add(sizes[0], known)
		default:
			// The bounds of an inner loop are evaluated only where the loop around it has iterations.
			name := l.fresh(c.list + "_count")
			before += fmt.Sprintf("unsigned long %s = %s;\n", name, sizes[0])
			for _, size := range sizes[1:] {
				before += fmt.Sprintf("if (%[1]s > 0) {\n%[1]s = irgl_product(%[1]s, %[2]s);\n}\n", name, size)
			}
			fits = false
			add(name, known)
		}
	}
	fits = fits && total < beyondLists && (len(terms) == 0 || len(terms) == 1 && total == 0 && times[terms[0]] == 1)
	several := len(terms) > 1 || total > 0
	for i, term := range terms {
		if n := times[term]; n > 1 || several {
			terms[i] = fmt.Sprintf("irgl_product(%s, %d)", term, n)
		}
	}
	if total > 0 || len(terms) == 0 {
		terms = append(terms, fmt.Sprint(total))
	}
	n = strings.Join(terms, " + ")
	if !fits {
		n = fmt.Sprintf("irgl_room(%s, %s)", c.list, n)
	}
	return before, n
}

// beyondLists is more than the items of any list.
const beyondLists = 1 << 31

// startsConstant reports whether the reservations in front of a C loop do not name its
// variable.
func (l *lowerer) startsConstant(s *syntax.ForStmt) bool {
	for _, c := range l.tp.counted[s] {
		for _, chain := range c.trips {
			if _, ok := l.constantTrips(chain[0]); !ok {
				return false
			}
		}
	}
	return true
}

// constantTrips returns the number of iterations of a C loop whose bounds are constants.
func (l *lowerer) constantTrips(t *analysis.Trip) (int64, bool) {
	first, limit := l.info.Consts[t.First], l.info.Consts[t.Limit]
	if first == nil || limit == nil || t.Var.Type.Size() < 4 || !check.IsInteger(l.info.Types[t.First]) || !check.IsInteger(l.info.Types[t.Limit]) {
		return 0, false
	}
	from, to := first.Int, limit.Int
	if t.Down {
		from, to = to, from
	}
	if t.Op == "<=" || t.Op == ">=" {
		to++
	}
	if from < 0 || to >= 1<<31 {
		return 0, false
	}
	return (max(to-from, 0) + l.stepOf(t) - 1) / l.stepOf(t), true
}

// stepOf returns the step of a C loop, without its sign.
func (l *lowerer) stepOf(t *analysis.Trip) int64 {
	if t.Step == nil {
		return 1
	}
	return l.info.Consts[t.Step].Int
}

// tripText returns the number of iterations of a C loop as text. The variable of the
// outermost one has its first value already. narrow reports that it is an int; it is of an unsigned
// type otherwise, since the difference of two numbers may not be.
func (l *lowerer) tripText(t *analysis.Trip, begun bool) (text string, narrow bool) {
	first := nameOf(t.Var)
	if !begun {
		first = syntax.String(l.expr(t.First))
		if _, literal := t.First.(*syntax.BasicLit); !literal || t.Var.Type != check.Int {
			first = fmt.Sprintf("(%s)(%s)", l.typeText(t.Var.Type), first)
		}
	}
	bound := l.expr(t.Limit)
	limit := syntax.String(bound)
	switch bound.(type) {
	case *syntax.Ident, *syntax.BasicLit, *syntax.MemberExpr, *syntax.IndexExpr, *syntax.CallExpr, *syntax.ParenExpr:
	default:
		limit = "(" + limit + ")"
	}
	low, high := first, limit
	if t.Down {
		low, high = limit, first
	}
	step, in := l.stepOf(t), "unsigned int"
	if max(t.Var.Type.Size(), l.info.Types[t.Limit].Size()) == 8 {
		in = "unsigned long"
	}
	lowest := t.First
	if t.Down {
		lowest = t.Limit
	}
	from := l.info.Consts[lowest]
	narrow = step == 1 && from != nil && from.Int >= 0 && t.Var.Type == check.Int && l.info.Types[t.Limit] == check.Int
	size := high + " - " + low
	if !narrow {
		size = fmt.Sprintf("(%[1]s)%[2]s - (%[1]s)%[3]s", in, high, low)
	}
	closed := t.Op == "<=" || t.Op == ">="
	switch {
	case step > 1 && closed:
		size = fmt.Sprintf("(%s) / %d + 1", size, step)
	case step > 1:
		size = fmt.Sprintf("(%s - 1) / %d + 1", size, step)
	case closed:
		size += " + 1"
	}
	return fmt.Sprintf("(%s %s %s ? %s : 0)", first, t.Op, limit, size), narrow
}

// splitCounted lowers a C loop in front of which the block reserves room, at a place where
// control is uniform: a thread that does not execute it brings a size of 0.
//
//	int k = 0; int out_size = 0;
//	if (n_active) { k = first; out_size = k < m ? m - k : 0; }
//	unsigned int out_next = irgl_reserve_block(out, out_size);
//	if (n_active) { for (; k < m; k++) { irgl_put(out, out_next++, 0, n); } }
func (l *lowerer) splitCounted(s *syntax.ForStmt, active string) []syntax.Stmt {
	out := l.declares(s)
	init := l.stmt(s.Init)
	if l.startsConstant(s) {
		var reserved strings.Builder
		for _, c := range l.tp.counted[s] {
			if c.level == devlib.ThreadBlock {
				_, n := l.sizeOf(c)
				fmt.Fprintf(&reserved, "unsigned int %s = %s(%s, %s ? %s : 0);\n", c.start, l.method(c.level, "irgl_push"), c.list, active, n)
			}
		}
		loop := append(l.reserveFor(s, false), l.forLoop(s, init))
		out = append(out, l.template(reserved.String()+"if ("+active+") { irgl_hole(0); }\n", loop)...)
		return []syntax.Stmt{block(s.Span, out...)}
	}
	if d, ok := init.(*syntax.VarDecls); ok {
		v := d.Vars[0]
		out = append(out, variable(v.Span, v.Type, v.Name.Name, number(v.Span, 0)))
		init = stmt(assign(ident(v.Span, v.Name.Name), "=", v.Init))
	}
	var declared, reserved strings.Builder
	set := []syntax.Stmt{init}
	for _, c := range l.tp.counted[s] {
		if c.level != devlib.ThreadBlock {
			continue
		}
		size := l.fresh(c.list + "_size")
		before, n := l.sizeOf(c)
		fmt.Fprintf(&declared, "int %s = 0;\n", size)
		set = append(set, l.template(fmt.Sprintf("%s%s = %s;\n", before, size, n))...)
		fmt.Fprintf(&reserved, "unsigned int %s = %s(%s, %s);\n", c.start, l.method(c.level, "irgl_push"), c.list, size)
	}
	out = append(out, l.template(declared.String()+"if ("+active+") { irgl_hole(0); }\n", set)...)
	out = append(out, l.template(reserved.String())...)
	loop := append(l.reserveFor(s, false), l.forLoop(s, nil))
	out = append(out, l.template("if ("+active+") { irgl_hole(0); }\n", loop)...)
	return []syntax.Stmt{block(s.Span, out...)}
}
