package lower

import (
	"fmt"

	"irgl/internal/abi"
	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/syntax"
)

// graphParam returns the parameter that carries the graph.
func (l *lowerer) graphParam(s syntax.Span) *syntax.Param {
	return &syntax.Param{Span: s, Type: structType(s, abi.GraphTag), Name: ident(s, l.graph)}
}

// params returns the lowered parameters of the function, without the graph.
func (l *lowerer) params(f *check.FuncInfo) []*syntax.Param {
	var out []*syntax.Param
	for i, p := range f.Decl.Params {
		obj := f.Params[i]
		if obj != nil && isWorld(obj.Type) {
			continue
		}
		np := &syntax.Param{Span: p.Span}
		switch {
		case p.Type != nil:
			np.Type = l.typeExpr(p.Type)
		case obj != nil:
			np.Type = l.typeName(p.Span, obj.Type)
		}
		if p.Name != nil {
			np.Name = ident(at(p.Name), localName(p.Name.Name))
		}
		out = append(out, np)
	}
	return out
}

// plainFunc lowers a C function for the device, the host, or both.
func (l *lowerer) plainFunc(f *check.FuncInfo) *syntax.FuncDecl {
	l.begin(f, !l.inKernel[f])
	d := f.Decl
	attrs := syntax.Static | syntax.Inline
	if l.inKernel[f] {
		attrs |= syntax.Device
		if l.inHost[f] {
			attrs |= syntax.HostAttr
		}
	}
	params := l.params(f)
	if l.usesGraph[f] {
		params = append([]*syntax.Param{l.graphParam(d.Span)}, params...)
	}
	return &syntax.FuncDecl{Span: d.Span, Attrs: attrs, Result: l.typeExpr(d.Result), Name: ident(at(d.Name), nameOf(f.Object)),
		Params: params, Body: l.block(d.Body)}
}

// kernel lowers one variant of a kernel (report, section 3.1): to a kernel, to a
// function that control kernels call, or to both, where the one calls the other.
func (l *lowerer) kernel(v variant, global, called bool) {
	f := v.kernel
	l.begin(f, false)
	l.aggr, l.syncs = v.aggr, f.Syncs
	d := f.Decl
	params := []*syntax.Param{l.graphParam(d.Span)}
	if f.UsesWL {
		l.popped, l.pushed = l.fresh("in"), l.fresh("out")
		lists := []string{l.popped, l.pushed}
		if retries(f) {
			l.retried = l.fresh("retry")
			lists = append(lists, l.retried)
		}
		for _, name := range lists {
			params = append(params, &syntax.Param{Span: d.Span, Type: structType(d.Span, "irgl_worklist"), Name: ident(d.Span, name)})
		}
	}
	params = append(params, l.params(f)...)
	if v.aggr != syntax.NoAggr {
		l.reduced = l.fresh("reduced")
		params = append(params, &syntax.Param{Span: d.Span, Type: &syntax.PointerType{Span: d.Span, Elem: basic(d.Span, "int")}, Name: ident(d.Span, l.reduced)})
	}
	own := len(params)
	l.blocks = called && l.scoping
	if l.blocks {
		params = append(params, &syntax.Param{Span: d.Span, Type: basic(d.Span, "int"), Name: ident(d.Span, abi.BlocksVar)})
	}
	l.prepare(v)
	result := "void"
	if called && l.waits[v] {
		l.tp.late, result = l.fresh("late"), "bool"
	}
	body := l.block(d.Body)
	l.finish(body)
	name := at(d.Name)
	if called {
		l.out = append(l.out, &syntax.FuncDecl{Span: d.Span, Attrs: syntax.Static | syntax.Device | syntax.ForceInline, Result: basic(d.Span, result),
			Name: ident(name, l.bodyName(v)), Params: params, Body: body})
		l.callFuncs(v)
		if !global {
			return
		}
		var args []syntax.Expr
		for i, p := range params {
			p = &syntax.Param{Span: p.Span, Type: p.Type, Name: p.Name}
			if p.Name == nil {
				p.Name = ident(p.Span, l.fresh("unnamed"))
			}
			params[i] = p
			args = append(args, ident(p.Span, p.Name.Name))
		}
		// What a control kernel has besides.
		args, params = args[:own], params[:own]
		if l.blocks {
			args = append(args, cast(d.Span, basic(d.Span, "int"), member(ident(d.Span, "gridDim"), "x")))
		}
		body = block(d.Span, stmt(call(name, l.bodyName(v), args...)))
	}
	bounds := l.exprs(d.Bounds)
	if f.Threads > 0 && len(bounds) == 0 {
		bounds = []syntax.Expr{number(d.Span, int64(f.Threads))}
	}
	l.out = append(l.out, &syntax.FuncDecl{Span: d.Span, Attrs: syntax.ExternC | syntax.Global, Result: basic(d.Span, "void"),
		Name: ident(name, l.variantNames[v]), Params: params, Bounds: bounds, Body: body})
}

// forAll lowers a ForAll or a serial loop over an iterator. The outermost
// ForAll of a kernel is strided over the grid: consecutive iterations go to
// consecutive threads. All others run serially, and so do those of host
// functions (report, section 3).
func (l *lowerer) forAll(s *syntax.ForAllStmt) syntax.Stmt {
	if l.info.Groups[s] {
		return l.groups(s)
	}
	if l.tp != nil && l.tp.uniform[s] {
		return l.together(s)
	}
	if l.tp != nil && l.tp.batches[s] != nil {
		return l.batched(s)
	}
	obj := l.info.Defs[s.Var]
	r := l.rangeOf(s, obj)
	name, span := localName(s.Var.Name), at(s.Var)
	element := ""
	if r.ints && l.strided(s) {
		// A step of the whole grid may pass what an int holds.
		element, name, r.typ = name, l.fresh(name+"_at"), basic(span, "long")
	}
	step := syntax.Expr(&syntax.PostfixExpr{Span: span, X: ident(span, name), Op: "++"})
	if l.strided(s) {
		thread := call(span, "irgl_thread")
		if r.first == nil {
			r.first = thread
		} else {
			r.first = binary(cast(span, basic(span, "long"), r.first), "+", thread)
		}
		step = assign(ident(span, name), "+=", l.strideOf(span))
	} else if r.first == nil {
		r.first = number(span, 0)
	}
	front := l.reserved(s, name, r)
	init := variable(span, r.typ, name, r.first)
	if !isPlain(r.limit) || r.grows {
		end := l.fresh(name + "_end")
		init.Vars = append(init.Vars, &syntax.VarDecl{Span: span, Type: r.typ, Name: ident(span, end), Init: r.limit})
		r.limit = ident(span, end)
	}
	lp := &loop{forAll: !s.Serial && !l.host}
	l.loops = append(l.loops, lp)
	body := l.forAllBody(s, obj, name)
	if element != "" {
		copied := variable(span, basic(span, "int"), element, cast(span, basic(span, "int"), ident(span, name)))
		body.Stmts = append([]syntax.Stmt{copied}, body.Stmts...)
	}
	l.loops = l.loops[:len(l.loops)-1]
	if lp.used {
		// The label is outside the block, so that the jump passes no
		// initialisation.
		body = block(s.Body.Span, body, &syntax.LabelStmt{Span: span, Name: ident(span, lp.label)}, &syntax.EmptyStmt{Span: span})
	}
	loop := &syntax.ForStmt{Span: s.Span, Init: init, Cond: binary(ident(span, name), "<", r.limit), Post: step, Body: body}
	if r.before != nil {
		front = append([]syntax.Stmt{r.before}, front...)
	}
	if len(front) > 0 {
		return block(s.Span, append(front, loop)...)
	}
	return loop
}

// An iteration is the range of integers that a loop iterates over.
type iteration struct {
	typ          syntax.TypeExpr
	before       *syntax.VarDecls // what first and limit need, or nil
	ints         bool             // it is a range of ints
	grows        bool             // limit may change while the loop runs, which ends where it is at first
	first, limit syntax.Expr      // first is nil for 0
}

// rangeOf returns what a loop with the variable obj iterates over. The value of
// a range of edges is its node.
func (l *lowerer) rangeOf(s *syntax.ForAllStmt, obj *check.Object) iteration {
	span := at(s.Var)
	switch l.info.Types[s.Iter] {
	case check.Worklist:
		return iteration{typ: basic(span, "int"), limit: call(span, "irgl_size", ident(span, l.popped))}
	case check.Nodes:
		return iteration{typ: basic(span, "int"), limit: l.count(span, syntax.NodeDomain)}
	case check.Points:
		return iteration{typ: basic(span, "int"), limit: l.count(span, syntax.PointDomain), grows: l.host}
	case check.Elements:
		return iteration{typ: basic(span, "int"), limit: l.count(span, syntax.ElementDomain), grows: l.host}
	case check.AllEdges:
		r := l.edgeIteration(s, obj)
		if !l.strided(s) {
			r.first = number(span, 0)
		}
		r.limit = member(ident(span, l.graph), abi.Edges)
		return r
	case check.Ints:
		return l.intIteration(s)
	}
	r := l.edgeIteration(s, obj)
	v := l.expr(s.Iter)
	// The threads of a group must agree on the range: see groups.
	if id, simple := v.(*syntax.Ident); !simple || l.info.Groups[s] && l.taken[id.Name] {
		node := l.fresh(localName(s.Var.Name) + "_src")
		r.before = variable(span, basic(span, "int"), node, v)
		v = ident(span, node)
	}
	r.first, r.limit = l.row(l.info.Types[s.Iter], v, 0), l.row(l.info.Types[s.Iter], v, 1)
	return r
}

// edgeIteration returns a range of edges without its ends.
func (l *lowerer) edgeIteration(s *syntax.ForAllStmt, obj *check.Object) iteration {
	span := at(s.Var)
	// A step of the whole grid may pass what an irgl_index holds.
	r := iteration{typ: basic(span, "long")}
	if obj != nil && !obj.Addressed && !l.strided(s) && !l.host {
		r.typ = named(span, "irgl_index")
		l.index[obj] = true
	}
	return r
}

// intIteration returns the range of ints of a loop. Its bounds are evaluated
// once, in order, before anything in the loop can change them.
func (l *lowerer) intIteration(s *syntax.ForAllStmt) iteration {
	span := at(s.Var)
	r := iteration{typ: basic(span, "int"), ints: true}
	low, high := check.RangeBounds(s.Iter)
	hold := func(x syntax.Expr, end string) syntax.Expr {
		v := l.expr(x)
		if _, literal := v.(*syntax.BasicLit); literal {
			return v
		}
		name := l.fresh(localName(s.Var.Name) + end)
		d := variable(span, basic(span, "int"), name, v)
		if r.before == nil {
			r.before = d
		} else {
			r.before.Vars = append(r.before.Vars, d.Vars...)
		}
		return ident(span, name)
	}
	if low != nil {
		r.first = hold(low, "_low")
	} else if !l.strided(s) {
		r.first = number(span, 0)
	}
	r.limit = hold(high, "_high")
	return r
}

// size returns how many elements a range has, the beginning of which is known;
// one of ints may end before it begins.
func (r iteration) size() string {
	first, limit := syntax.String(r.first), syntax.String(r.limit)
	if r.ints {
		return fmt.Sprintf("(%[1]s < %[2]s ? %[2]s - %[1]s : 0)", first, limit)
	}
	return limit + " - " + first
}

// forAllBody lowers the body; the ends of an edge are read once, at the start of
// the iteration.
func (l *lowerer) forAllBody(s *syntax.ForAllStmt, obj *check.Object, name string) *syntax.Block {
	var first []syntax.Stmt
	read := func(member, array string) string {
		if !l.usesEnd(s.Body, obj, member) {
			return ""
		}
		cached, span := l.fresh(name+"_"+member), at(s.Var)
		first = append(first, variable(span, basic(span, "int"), cached, l.edgeArray(span, array, ident(span, name))))
		return cached
	}
	if isEdge(obj) {
		far, in := farEnd(obj.Type)
		l.dst[obj] = read(far, in+abi.Dst)
		if far != "src" {
			l.src[obj] = read("src", "src")
		}
	}
	body := l.block(s.Body)
	body.Stmts = append(first, body.Stmts...)
	return body
}

// isEdge reports whether the variable of a loop is an edge, seen from either end.
func isEdge(obj *check.Object) bool {
	return obj != nil && (obj.Type == check.Edge || obj.Type == check.InEdge)
}

// usesFar reports whether the body reads the far end of the edge variable.
func (l *lowerer) usesFar(body *syntax.Block, obj *check.Object) bool {
	if !isEdge(obj) {
		return false
	}
	far, _ := farEnd(obj.Type)
	return l.usesEnd(body, obj, far)
}

// usesEnd reports whether the body reads one of the ends of the edge variable.
func (l *lowerer) usesEnd(body *syntax.Block, obj *check.Object, end string) bool {
	if l.info.PropOf(end) != nil {
		return false
	}
	found := false
	syntax.Inspect(body, func(n syntax.Node) bool {
		if m, ok := n.(*syntax.MemberExpr); ok && m.Name.Name == end {
			if id, ok := syntax.Unparen(m.X).(*syntax.Ident); ok && l.info.Uses[id] == obj {
				found = true
			}
		}
		return !found
	})
	return found
}

// row returns graph.row[v + k], or for a range of in_edges graph.in_row[v + k].
func (l *lowerer) row(t check.Type, v syntax.Expr, k int64) syntax.Expr {
	s, name := at(v), abi.Row
	if t == check.InEdges {
		name = abi.InPrefix + name
	}
	if k != 0 {
		v = binary(v, "+", number(s, k))
	}
	return l.edgeArray(s, name, v)
}

// strided reports whether the iterations of a loop go to the threads of the
// grid.
func (l *lowerer) strided(s *syntax.ForAllStmt) bool { return !s.Serial && !l.host && !l.inForAll() }

// inForAll reports whether the statement is inside a ForAll.
func (l *lowerer) inForAll() bool {
	for _, lp := range l.loops {
		if lp.forAll {
			return true
		}
	}
	return false
}

// reduce lowers ReduceAndReturn (report, section 3.5): contribute the value
// and end the iteration, or outside a ForAll the kernel.
func (l *lowerer) reduce(s *syntax.ReduceStmt) syntax.Stmt {
	value := l.expr(s.Value)
	out := block(s.Span)
	switch {
	case l.aggr == syntax.Any:
		out.Stmts = append(out.Stmts, stmt(call(s.Span, "irgl_any", ident(s.Span, l.reduced), value)))
	case l.aggr == syntax.All:
		out.Stmts = append(out.Stmts, stmt(call(s.Span, "irgl_all", ident(s.Span, l.reduced), value)))
	default:
		if !analysis.Pure(s.Value) {
			out.Stmts = append(out.Stmts, stmt(cast(s.Span, basic(s.Span, "void"), value)))
		}
	}
	for i := len(l.loops) - 1; i >= 0; i-- {
		if l.loops[i].forAll {
			out.Stmts = append(out.Stmts, l.nextIteration(s.Span, i)...)
			return out
		}
	}
	out.Stmts = append(out.Stmts, &syntax.ReturnStmt{Span: s.Span})
	return out
}

// nextIteration returns what ends the iteration of an enclosing loop. In a
// group the thread goes on to the barriers.
func (l *lowerer) nextIteration(s syntax.Span, i int) []syntax.Stmt {
	lp := l.loops[i]
	if i == len(l.loops)-1 && lp.active == "" && !lp.copied {
		return []syntax.Stmt{&syntax.ContinueStmt{Span: s}}
	}
	if lp.label == "" {
		lp.label = l.fresh("next")
		if l.tp != nil { // labels have the scope of the function
			l.tp.kept = append(l.tp.kept, lp.label)
		}
	}
	lp.used = true
	jump := &syntax.GotoStmt{Span: s, Name: ident(s, lp.label)}
	if lp.active == "" {
		return []syntax.Stmt{jump}
	}
	return []syntax.Stmt{stmt(assign(ident(s, lp.active), "=", ident(s, "false"))), jump}
}

// isPlain reports whether evaluating x again in every iteration costs nothing:
// a literal, a name, or a member of a parameter.
func isPlain(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.Ident, *syntax.BasicLit:
		return true
	case *syntax.MemberExpr:
		return isPlain(x.X)
	}
	return false
}
