package lower

import (
	"slices"

	"irgl/internal/abi"
	"irgl/internal/check"
	"irgl/syntax"
)

// hostFunc lowers a Host function. The entry is called by irgl_run, the others
// by it.
func (l *lowerer) hostFunc(f *check.FuncInfo) *syntax.FuncDecl {
	l.begin(f, true)
	d := f.Decl
	params := append([]*syntax.Param{l.graphParam(d.Span)}, l.params(f)...)
	var body *syntax.Block
	if r := l.regions[d]; r != nil {
		body = block(d.Body.Span, l.launchRegion(r).Stmts...)
	} else {
		body = l.block(d.Body)
	}
	return &syntax.FuncDecl{Span: d.Span, Attrs: syntax.Static, Result: l.typeExpr(d.Result), Name: ident(at(d.Name), nameOf(f.Object)),
		Params: params, Body: body}
}

// invokeName returns the host function that invokes a variant.
func (l *lowerer) invokeName(v variant) string { return "irgl_invoke_" + l.variantNames[v] }

// context returns the name of the pipe context that invocations use.
func (l *lowerer) context() string { return l.contexts[len(l.contexts)-1] }

// invoke lowers one invocation, n, to a call of its host function, or in a
// control kernel of the function that calls the kernel.
func (l *lowerer) invoke(n syntax.Node, s syntax.Span, kernel *syntax.Ident, aggr syntax.Aggr, args []syntax.Expr) syntax.Expr {
	v := variant{l.info.Uses[kernel].Func, aggr}
	if l.region != nil && !l.region.byGrid() {
		return l.fire(s, v, args)
	}
	name := l.invokeName(v)
	out := []syntax.Expr{ident(s, l.graph)}
	if l.region != nil {
		name = l.callName(v, l.region.split[n])
		if len(v.kernel.Adds) > 0 {
			out[0] = addr(out[0])
		}
	}
	if l.region != nil {
		out = append(out, addr(ident(s, callsVar)))
		if l.scoping {
			out = append(out, ident(s, abi.BlocksVar))
		}
	}
	if v.kernel.UsesWL {
		out = append(out, addr(ident(s, l.context())))
	}
	if l.region != nil && aggr != syntax.NoAggr {
		out = append(out, addr(ident(s, slotVar)))
	}
	for _, a := range args {
		if !isWorld(l.info.Types[a]) {
			out = append(out, l.expr(a))
		}
	}
	return call(s, name, out...)
}

// open returns the statements that make a pipe context, and enters it.
func (l *lowerer) open(s syntax.Span, init *syntax.WorklistInit) []syntax.Stmt {
	name := l.fresh("irgl_wl")
	out := []syntax.Stmt{variable(s, structType(s, "irgl_pipe"), name, nil)}
	items, count := syntax.Expr(ident(s, "NULL")), syntax.Expr(number(s, 0))
	var after []syntax.Stmt
	switch {
	case init == nil || len(init.Items) == 0:
	case slices.ContainsFunc(init.Items, isSlice):
		list := ident(s, l.fresh("irgl_items"))
		out = append(out, variable(s, structType(s, "irgl_item_list"), list.Name, nil), stmt(call(s, "irgl_items_open", addr(list))))
		for _, x := range init.Items {
			out = append(out, l.gather(list, x))
		}
		items, count = member(list, "at"), member(list, "count")
		after = append(after, stmt(call(s, "free", member(list, "at"))))
	default:
		list := &syntax.InitList{Span: init.Span}
		for _, x := range init.Items {
			list.Elems = append(list.Elems, &syntax.InitElem{Span: at(x), Value: cast(at(x), basic(s, "int"), l.expr(x))})
		}
		n := int64(len(list.Elems))
		array := ident(s, l.fresh("irgl_items"))
		items, count = array, number(s, n)
		out = append(out, variable(s, &syntax.ArrayType{Span: s, Elem: basic(s, "int"), Len: number(s, n)}, array.Name, list))
	}
	capacity := l.capacity(s, init)
	l.contexts = append(l.contexts, name)
	out = append(out, stmt(call(s, l.pipeFunc("open"), addr(ident(s, name)), capacity, items, count)))
	return append(out, after...)
}

// capacity returns for how many items the lists of a pipe have room at first:
// what Size says, or the number of what the program works on.
func (l *lowerer) capacity(s syntax.Span, init *syntax.WorklistInit) syntax.Expr {
	if init != nil && init.Size != nil {
		x := l.expr(init.Size)
		if l.info.Consts[init.Size] != nil && l.info.Types[init.Size].Size() <= 4 {
			return x // check has seen that it is one
		}
		return call(at(init.Size), "irgl_items_size", x)
	}
	if l.info.Mesh == nil {
		return member(ident(s, l.graph), abi.Nodes)
	}
	points := syntax.Expr(ident(s, abi.PointsVar))
	if l.info.Graph != nil {
		points = binary(member(ident(s, l.graph), abi.Nodes), "+", points)
	}
	return binary(points, "+", ident(s, abi.ElementsVar))
}

func isSlice(x syntax.Expr) bool {
	_, ok := x.(*syntax.SliceExpr)
	return ok
}

// gather returns the statement that adds an item of Initial to a list: one
// number, or the elements of a part of an array, in order.
func (l *lowerer) gather(list *syntax.Ident, x syntax.Expr) syntax.Stmt {
	s := at(x)
	add := func(item syntax.Expr) syntax.Stmt {
		return stmt(call(s, "irgl_items_add", addr(list), cast(s, basic(s, "int"), item)))
	}
	part, ok := x.(*syntax.SliceExpr)
	if !ok {
		return add(l.expr(x))
	}
	i, end := ident(s, l.fresh("irgl_i")), ident(s, l.fresh("irgl_end"))
	low, post := syntax.Expr(number(s, 0)), syntax.Expr(&syntax.PostfixExpr{Span: s, X: i, Op: "++"})
	if part.Low != nil {
		low = l.expr(part.Low)
	}
	init := variable(s, basic(s, "long"), i.Name, low)
	init.Vars = append(init.Vars, &syntax.VarDecl{Span: s, Type: basic(s, "long"), Name: end, Init: l.expr(part.High)})
	if part.Step != nil {
		step := ident(s, l.fresh("irgl_by"))
		init.Vars = append(init.Vars, &syntax.VarDecl{Span: s, Type: basic(s, "long"), Name: step, Init: call(at(part.Step), "irgl_step", l.expr(part.Step))})
		post = assign(i, "+=", step)
		delete(l.names, step.Name)
	}
	loop := &syntax.ForStmt{Span: s, Init: init, Cond: binary(i, "<", end), Post: post, Body: block(s, add(l.arrayElement(part.X, i)))}
	delete(l.names, i.Name)
	delete(l.names, end.Name)
	return loop
}

// close returns the statement that gives the context back, and leaves it.
func (l *lowerer) close(s syntax.Span) syntax.Stmt {
	out := l.closing(s, l.context())
	l.contexts = l.contexts[:len(l.contexts)-1]
	return out
}

func (l *lowerer) closing(s syntax.Span, context string) syntax.Stmt {
	return stmt(call(s, l.pipeFunc("close"), addr(ident(s, context))))
}

// pipeFunc returns the function that opens or closes a context: one with a list
// of items to retry in a program that retries any.
func (l *lowerer) pipeFunc(verb string) string {
	if l.retries {
		return "irgl_retry_" + verb
	}
	return "irgl_pipe_" + verb
}

// notEmpty returns the test that the in list has items.
func (l *lowerer) notEmpty(s syntax.Span) syntax.Expr {
	return binary(member(ident(s, l.context()), "size"), ">", number(s, 0))
}

// countRound returns the statement that counts a round.
func countRound(s syntax.Span) syntax.Stmt {
	return stmt(&syntax.PostfixExpr{Span: s, X: ident(s, abi.IterationsVar), Op: "++"})
}

// iterate lowers an Iterate (report, section 4.2, Figure 1). Inside a Pipe it
// shares the pipe's worklists; otherwise it has its own.
func (l *lowerer) iterate(s *syntax.IterateStmt) syntax.Stmt {
	f := l.info.Uses[s.Kernel].Func
	span := syntax.Span{From: s.Pos(), To: s.Kernel.End()}
	out := block(s.Span)
	owns := f.UsesWL && !l.inPipe
	if owns {
		out.Stmts = append(out.Stmts, l.open(span, s.Initial)...)
	}
	var again *syntax.Ident
	if s.Cond != syntax.NoCond {
		again = ident(span, l.fresh("irgl_again"))
		out.Stmts = append(out.Stmts, variable(span, basic(span, "bool"), again.Name, ident(span, "true")))
	}
	front, end := l.inScope(s, again)
	body := block(s.Span, append(front, l.round(s, again)...)...)
	loop := &syntax.WhileStmt{Span: s.Span, Do: s.Extra != nil || again != nil && !f.UsesWL, Cond: l.anotherRound(s, again), Body: body}
	switch {
	case s.Extra == nil || s.Extra.Or || !f.UsesWL || s.Initial != nil && len(s.Initial.Items) > 0:
		out.Stmts = append(out.Stmts, loop)
	default: // And needs items for the first round, too
		out.Stmts = append(out.Stmts, &syntax.IfStmt{Span: s.Span, Cond: l.notEmpty(s.Extra.Span), Then: block(s.Span, loop)})
	}
	out.Stmts = append(out.Stmts, end...)
	if owns {
		out.Stmts = append(out.Stmts, l.close(span))
	}
	return out
}

// round returns one round of an Iterate; again is the variable of its condition,
// or nil.
func (l *lowerer) round(s *syntax.IterateStmt, again *syntax.Ident) []syntax.Stmt {
	span := syntax.Span{From: s.Pos(), To: s.Kernel.End()}
	x := l.invoke(s, span, s.Kernel, s.Aggr, s.Args)
	if s.Cond == syntax.Until {
		x = &syntax.UnaryExpr{Span: span, Op: "!", X: x}
	}
	if again != nil {
		x = assign(again, "=", x)
	}
	out := append(l.barrierBeforeRound(s), stmt(x))
	out = append(append(out, l.checkRoom(s)...), countRound(span))
	if s.Body != nil {
		out = append(out, l.block(s.Body).Stmts...)
	}
	return out
}

// anotherRound returns the condition on which an Iterate goes on: the reduction of
// While or Until holds, and the list has items, which And or Or combines with a
// further condition (report, section 4.2). That is evaluated after the body, so the
// first round does not depend on it: with And it needs items, with Or it always runs.
func (l *lowerer) anotherRound(s *syntax.IterateStmt, again *syntax.Ident) syntax.Expr {
	var cond syntax.Expr
	if l.info.Uses[s.Kernel].Func.UsesWL {
		span := syntax.Span{From: s.Pos(), To: s.Kernel.End()}
		if s.Extra != nil {
			span = s.Extra.Span
		}
		cond = l.notEmpty(span)
	}
	if s.Extra != nil {
		extra := paren(l.expr(s.Extra.Cond))
		switch {
		case cond == nil:
			cond = extra
		case s.Extra.Or && again != nil:
			cond = paren(binary(cond, "||", extra))
		case s.Extra.Or:
			cond = binary(cond, "||", extra)
		default:
			cond = binary(cond, "&&", extra)
		}
	}
	switch {
	case again == nil:
	case cond == nil:
		cond = again
	default:
		cond = binary(again, "&&", cond)
	}
	if s.Extra != nil {
		return l.meeting(s, cond)
	}
	return cond
}

// pipeStmt lowers a Pipe (report, section 4.2). The outermost one makes the
// context. One without Initial runs its first round whatever the list holds.
func (l *lowerer) pipeStmt(s *syntax.PipeStmt) syntax.Stmt {
	span := syntax.Span{From: s.Pos(), To: s.Body.Pos()}
	out := block(s.Span)
	owns := !l.inPipe
	if owns {
		out.Stmts = append(out.Stmts, l.open(span, s.Initial)...)
		l.inPipe = true
	}
	switch {
	case !s.Once:
		front, end := l.inScope(s, nil)
		round := append([]syntax.Stmt{countRound(span)}, l.block(s.Body).Stmts...)
		do := (owns || l.region != nil && l.region.Stmt == s && l.region.Lists) && s.Initial == nil
		out.Stmts = append(out.Stmts, &syntax.WhileStmt{Span: s.Span, Do: do, Cond: l.notEmpty(span), Body: block(s.Body.Span, append(front, round...)...)})
		out.Stmts = append(out.Stmts, end...)
	case jumps(s.Body):
		out.Stmts = append(out.Stmts, &syntax.WhileStmt{Span: s.Span, Do: true, Cond: ident(span, "false"), Body: l.block(s.Body)})
	default:
		out.Stmts = append(out.Stmts, l.block(s.Body))
	}
	if owns {
		out.Stmts = append(out.Stmts, l.close(span))
		l.inPipe = false
	}
	return out
}

// jumps reports whether a break or continue in the body of a Pipe Once leaves
// it: one that is in no loop or switch of the body's own.
func jumps(body syntax.Node) bool {
	found := false
	syntax.Inspect(body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case syntax.Loop:
			return false
		case *syntax.SwitchStmt:
			// A break in it leaves the switch, a continue the Pipe.
			syntax.Inspect(n, func(n syntax.Node) bool {
				_, ok := n.(*syntax.ContinueStmt)
				found = found || ok
				return true
			})
			return false
		case *syntax.BreakStmt, *syntax.ContinueStmt:
			found = true
		}
		return !found
	})
	return found
}
