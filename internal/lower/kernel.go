package lower

import (
	"irgl/internal/check"
	"irgl/syntax"
)

// begin starts a function: it collects the names its text uses.
func (l *lowerer) begin(f *check.FuncInfo, host bool) {
	l.function = function{
		fn: f, host: host,
		names: map[string]bool{l.graphName: true},
		dst:   map[*check.Object]string{},
	}
	syntax.Inspect(f.Decl, func(n syntax.Node) bool {
		if id, ok := n.(*syntax.Ident); ok {
			l.names[id.Name] = true
		}
		return true
	})
}

// fresh returns a name that the function does not use, like want.
func (l *lowerer) fresh(want string) string {
	for l.names[want] {
		want += "_"
	}
	l.names[want] = true
	return want
}

// graphParam returns the parameter that carries the graph.
func (l *lowerer) graphParam(s syntax.Span) *syntax.Param {
	return &syntax.Param{Span: s, Type: structType(s, GraphTag), Name: ident(s, l.graphName)}
}

// params returns the lowered parameters of the function, without the graph.
func (l *lowerer) params(f *check.FuncInfo) []*syntax.Param {
	var out []*syntax.Param
	for i, p := range f.Decl.Params {
		obj := f.Params[i]
		if obj != nil && obj.Type == check.GraphType {
			continue
		}
		np := &syntax.Param{Span: p.Span}
		switch {
		case p.Type != nil:
			np.Type = l.typeExpr(p.Type)
		case obj != nil:
			np.Type = typeName(p.Span, obj.Type)
		}
		if p.Name != nil {
			np.Name = ident(at(p.Name), CName(p.Name.Name))
		}
		out = append(out, np)
	}
	return out
}

// plainFunc lowers a C function for the device, the host, or both.
func (l *lowerer) plainFunc(f *check.FuncInfo) {
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
	l.out = append(l.out, &syntax.FuncDecl{Span: d.Span, Attrs: attrs, Result: l.typeExpr(d.Result), Name: ident(at(d.Name), CName(d.Name.Name)),
		Params: params, Body: l.block(d.Body)})
}

// kernel lowers one variant of a kernel (report, section 3.1).
func (l *lowerer) kernel(v variant) {
	f := v.kernel
	l.begin(f, false)
	l.aggr = v.aggr
	d := f.Decl
	params := []*syntax.Param{l.graphParam(d.Span)}
	if f.UsesWL {
		l.in, l.outList = l.fresh("in"), l.fresh("out")
		for _, name := range []string{l.in, l.outList} {
			params = append(params, &syntax.Param{Span: d.Span, Type: structType(d.Span, "irgl_worklist"), Name: ident(d.Span, name)})
		}
	}
	params = append(params, l.params(f)...)
	l.out = append(l.out, &syntax.FuncDecl{Span: d.Span, Attrs: syntax.ExternC | syntax.Global, Result: basic(d.Span, "void"), Name: ident(at(d.Name), v.name()),
		Params: params, Bounds: nil, Body: l.block(d.Body)})
}

// forAll lowers a ForAll or a serial loop over an iterator. The outermost
// ForAll of a kernel is strided over the grid: consecutive iterations go to
// consecutive threads. All others run serially.
func (l *lowerer) forAll(s *syntax.ForAllStmt) syntax.Stmt {
	obj := l.info.Defs[s.Var]
	outer := !s.Serial && !l.inForAll()
	name := CName(s.Var.Name)
	span := at(s.Var)
	var first, limit syntax.Expr
	var before []syntax.Stmt
	typ := basic(span, "int")
	end := ""
	switch l.info.Types[s.Iter] {
	case check.Worklist:
		first, limit = number(span, 0), call(span, "irgl_size", ident(span, l.in))
	case check.Nodes:
		first, limit = number(span, 0), member(ident(span, l.graphName), "nnodes")
	default: // a node's edges; the value of the range is its node
		v := l.expr(s.Iter)
		if _, simple := v.(*syntax.Ident); !simple {
			node := l.fresh(name + "_src")
			before = append(before, variable(span, basic(span, "int"), node, v))
			v = ident(span, node)
		}
		typ = named(span, "irgl_index")
		first = l.row(v, 0)
		limit = l.row(v, 1)
	}
	step := syntax.Expr(&syntax.PostfixExpr{Span: span, X: ident(span, name), Op: "++"})
	if outer {
		thread := call(span, "irgl_thread")
		if lit, ok := first.(*syntax.BasicLit); ok && lit.Text == "0" {
			first = thread
		} else {
			first = binary(first, "+", thread)
		}
		step = assign(ident(span, name), "+=", call(span, "irgl_threads"))
	}
	init := variable(span, typ, name, first)
	if !isPlain(limit) {
		end = l.fresh(name + "_end")
		init.Vars = append(init.Vars, &syntax.VarDecl{Span: span, Type: typ, Name: ident(span, end), Init: limit})
		limit = ident(span, end)
	}
	lp := &loop{forAll: !s.Serial}
	l.loops = append(l.loops, lp)
	body := l.forAllBody(s, obj, name)
	l.loops = l.loops[:len(l.loops)-1]
	if lp.used {
		// The label stands outside the block, so that the jump passes no
		// initialisation.
		body = block(s.Body.Span, body, &syntax.LabelStmt{Span: span, Name: ident(span, lp.label)}, &syntax.EmptyStmt{Span: span})
	}
	loop := &syntax.ForStmt{Span: s.Span, Init: init, Cond: binary(ident(span, name), "<", limit), Post: step, Body: body}
	if before != nil {
		return block(s.Span, append(before, loop)...)
	}
	return loop
}

// forAllBody lowers the body; the destination of an edge is read once, at the
// start of the iteration.
func (l *lowerer) forAllBody(s *syntax.ForAllStmt, obj *check.Object, name string) *syntax.Block {
	var first syntax.Stmt
	if obj != nil && obj.Type == check.Edge && l.usesDst(s.Body, obj) {
		cached := l.fresh(name + "_dst")
		l.dst[obj] = cached
		span := at(s.Var)
		dst := index(member(ident(span, l.graphName), "dst"), ident(span, name))
		first = variable(span, basic(span, "int"), cached, dst)
	}
	body := l.block(s.Body)
	if first != nil {
		body.Stmts = append([]syntax.Stmt{first}, body.Stmts...)
	}
	return body
}

// usesDst reports whether the body reads the destination of the edge variable.
func (l *lowerer) usesDst(body *syntax.Block, obj *check.Object) bool {
	found := false
	syntax.Inspect(body, func(n syntax.Node) bool {
		if m, ok := n.(*syntax.MemberExpr); ok && m.Name.Name == "dst" {
			if id, ok := unparen(m.X).(*syntax.Ident); ok && l.info.Uses[id] == obj {
				found = true
			}
		}
		return !found
	})
	return found
}

// row returns graph.row[v + k].
func (l *lowerer) row(v syntax.Expr, k int64) syntax.Expr {
	s := at(v)
	if k != 0 {
		v = binary(v, "+", number(s, k))
	}
	return index(member(ident(s, l.graphName), "row"), v)
}

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
	switch l.aggr {
	case syntax.Any:
		out.Stmts = append(out.Stmts, stmt(call(s.Span, "irgl_any", value)))
	case syntax.All:
		out.Stmts = append(out.Stmts, stmt(call(s.Span, "irgl_all", value)))
	default:
		if !pure(s.Value) {
			out.Stmts = append(out.Stmts, stmt(value))
		}
	}
	for i := len(l.loops) - 1; i >= 0; i-- {
		lp := l.loops[i]
		if !lp.forAll {
			continue
		}
		if i == len(l.loops)-1 {
			out.Stmts = append(out.Stmts, &syntax.ContinueStmt{Span: s.Span})
			return out
		}
		if lp.label == "" {
			lp.label = l.fresh("next")
		}
		lp.used = true
		out.Stmts = append(out.Stmts, &syntax.GotoStmt{Span: s.Span, Name: ident(s.Span, lp.label)})
		return out
	}
	out.Stmts = append(out.Stmts, &syntax.ReturnStmt{Span: s.Span})
	return out
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

func unparen(x syntax.Expr) syntax.Expr {
	for {
		p, ok := x.(*syntax.ParenExpr)
		if !ok {
			return x
		}
		x = p.X
	}
}

// pure reports whether x has no side effect, so that it may be evaluated
// twice or not at all.
func pure(x syntax.Expr) bool {
	ok := true
	syntax.Inspect(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.AssignExpr, *syntax.PostfixExpr, *syntax.InvokeExpr, *syntax.LaunchExpr:
			ok = false
		case *syntax.UnaryExpr:
			ok = ok && n.Op != "++" && n.Op != "--"
		case *syntax.CallExpr:
			m, method := n.Fun.(*syntax.MemberExpr)
			ok = ok && method && (m.Name.Name == "nodes" || m.Name.Name == "edges")
		}
		return ok
	})
	return ok
}
