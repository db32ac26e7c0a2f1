package lower

import (
	"irgl/internal/check"
	"irgl/syntax"
)

// hostFunc lowers a Host function. The entry is called by irgl_run, the others
// by it.
func (l *lowerer) hostFunc(f *check.FuncInfo) {
	l.begin(f, true)
	d := f.Decl
	params := append([]*syntax.Param{l.graphParam(d.Span)}, l.params(f)...)
	l.out = append(l.out, &syntax.FuncDecl{Span: d.Span, Attrs: syntax.Static, Result: l.typeExpr(d.Result), Name: ident(at(d.Name), CName(d.Name.Name)),
		Params: params, Body: l.block(d.Body)})
}

// invokeName returns the host function that invokes a variant.
func invokeName(v variant) string { return "irgl_invoke_" + v.name() }

// invoke lowers one invocation to a call of its host function.
func (l *lowerer) invoke(s syntax.Span, kernel *syntax.Ident, aggr syntax.Aggr, args []syntax.Expr) syntax.Expr {
	v := variant{l.info.Uses[kernel].Func, aggr}
	out := []syntax.Expr{ident(s, l.graphName)}
	if v.kernel.UsesWL {
		out = append(out, addr(ident(s, l.pipe)))
	}
	for _, a := range args {
		if l.info.Types[a] != check.GraphType {
			out = append(out, l.value(a))
		}
	}
	return call(s, invokeName(v), out...)
}

// open returns the statements that make the pipe context, and sets it.
func (l *lowerer) open(s syntax.Span, init *syntax.WorklistInit) []syntax.Stmt {
	l.pipe = l.fresh("irgl_wl")
	out := []syntax.Stmt{variable(s, structType(s, "irgl_pipe"), l.pipe, nil)}
	items, n := ident(s, "NULL"), 0
	if init != nil && len(init.Items) > 0 {
		list := &syntax.InitList{Span: init.Span}
		for _, x := range init.Items {
			list.Elems = append(list.Elems, &syntax.InitElem{Span: at(x), Value: cast(at(x), basic(s, "int"), l.value(x))})
		}
		n = len(list.Elems)
		items = ident(s, l.fresh("irgl_items"))
		out = append(out, variable(s, &syntax.ArrayType{Span: s, Elem: basic(s, "int"), Len: number(s, int64(n))}, items.Name, list))
	}
	return append(out, stmt(call(s, "irgl_pipe_open", addr(ident(s, l.pipe)),
		member(ident(s, l.graphName), "nnodes"), items, number(s, int64(n)))))
}

// close returns the statement that gives the context back, and leaves it.
func (l *lowerer) close(s syntax.Span) syntax.Stmt {
	out := stmt(call(s, "irgl_pipe_close", addr(ident(s, l.pipe))))
	l.pipe = ""
	return out
}

// notEmpty returns the test that the in list has items.
func (l *lowerer) notEmpty(s syntax.Span) syntax.Expr {
	return binary(member(ident(s, l.pipe), "size"), ">", number(s, 0))
}

// countRound returns the statement that counts a round.
func countRound(s syntax.Span) syntax.Stmt {
	return stmt(&syntax.PostfixExpr{Span: s, X: ident(s, IterationsVar), Op: "++"})
}

// iterate lowers an Iterate (report, section 4.2, Figure 1).
func (l *lowerer) iterate(s *syntax.IterateStmt) syntax.Stmt {
	f := l.info.Uses[s.Kernel].Func
	span := syntax.Span{From: s.Pos(), To: s.Kernel.End()}
	out := block(s.Span)
	owns := l.pipe == "" && f.UsesWL
	if owns {
		out.Stmts = append(out.Stmts, l.open(span, s.Initial)...)
	}
	invoke := l.invoke(span, s.Kernel, s.Aggr, s.Args)
	var rest []syntax.Stmt
	l.loops = append(l.loops, &loop{})
	if s.Body != nil {
		rest = l.block(s.Body).Stmts
	}
	l.loops = l.loops[:len(l.loops)-1]
	if s.Cond == syntax.NoCond {
		body := block(s.Span, append([]syntax.Stmt{stmt(invoke), countRound(span)}, rest...)...)
		out.Stmts = append(out.Stmts, &syntax.WhileStmt{Span: s.Span, Cond: l.notEmpty(span), Body: body})
	} else {
		again := l.fresh("irgl_again")
		if s.Cond == syntax.Until {
			invoke = &syntax.UnaryExpr{Span: span, Op: "!", X: invoke}
		}
		cond := syntax.Expr(ident(span, again))
		body := block(s.Span, append([]syntax.Stmt{stmt(assign(ident(span, again), "=", invoke)), countRound(span)}, rest...)...)
		var loop syntax.Stmt
		out.Stmts = append(out.Stmts, variable(span, basic(span, "bool"), again, ident(span, "true")))
		if f.UsesWL {
			cond = binary(cond, "&&", l.notEmpty(span))
			loop = &syntax.WhileStmt{Span: s.Span, Cond: cond, Body: body}
		} else {
			loop = &syntax.WhileStmt{Span: s.Span, Do: true, Cond: cond, Body: body}
		}
		out.Stmts = append(out.Stmts, loop)
	}
	if owns {
		out.Stmts = append(out.Stmts, l.close(span))
	}
	return out
}

// pipeStmt lowers a Pipe (report, section 4.2). The outermost one makes the
// context. One without Initial runs its first round whatever the list holds.
func (l *lowerer) pipeStmt(s *syntax.PipeStmt) syntax.Stmt {
	span := syntax.Span{From: s.Pos(), To: s.Body.Pos()}
	out := block(s.Span)
	owns := l.pipe == ""
	if owns {
		out.Stmts = append(out.Stmts, l.open(span, s.Initial)...)
	}
	if s.Once {
		out.Stmts = append(out.Stmts, l.block(s.Body))
	} else {
		l.loops = append(l.loops, &loop{})
		body := l.block(s.Body)
		l.loops = l.loops[:len(l.loops)-1]
		body.Stmts = append([]syntax.Stmt{countRound(span)}, body.Stmts...)
		do := owns && s.Initial == nil
		out.Stmts = append(out.Stmts, &syntax.WhileStmt{Span: s.Span, Do: do, Cond: l.notEmpty(span), Body: body})
	}
	if owns {
		out.Stmts = append(out.Stmts, l.close(span))
	}
	return out
}

// hostTarget returns the property or device variable that x names in a host
// function and the expression for its element, or nil.
func (l *lowerer) hostTarget(x syntax.Expr) (*check.Object, syntax.Expr) {
	if !l.host {
		return nil, nil
	}
	switch x := unparen(x).(type) {
	case *syntax.Ident:
		obj := l.info.Uses[x]
		if obj != nil && obj.Kind == check.VarObj && l.onDevice[obj] {
			return obj, number(x.Span, 0)
		}
	case *syntax.IndexExpr:
		if obj := l.hostElement(x); obj != nil {
			return obj, l.elementIndex(x)
		}
	case *syntax.MemberExpr:
		if l.info.Types[x.X] == check.Node {
			if p := l.info.PropOf(x.Name.Name); p != nil && !p.Edge {
				return p.Object, l.expr(x.X)
			}
		}
	}
	return nil, nil
}

// hostElement returns the device array that x indexes in a host function.
func (l *lowerer) hostElement(x *syntax.IndexExpr) *check.Object {
	if !l.host {
		return nil
	}
	id, ok := unparen(x.X).(*syntax.Ident)
	if !ok {
		return nil
	}
	obj := l.info.Uses[id]
	if obj == nil || !l.onDevice[obj] {
		return nil
	}
	if _, array := obj.Type.(*check.Array); !array {
		return nil
	}
	return obj
}

func (l *lowerer) elementIndex(x *syntax.IndexExpr) syntax.Expr { return l.value(x.Index) }

// get and set return calls of the accessors of a property or device variable.
func (l *lowerer) get(s syntax.Span, obj *check.Object, i syntax.Expr) syntax.Expr {
	return call(s, "irgl_get_"+obj.Name, l.access(s, obj, i)...)
}

func (l *lowerer) set(s syntax.Span, obj *check.Object, i, value syntax.Expr) syntax.Expr {
	return call(s, "irgl_set_"+obj.Name, append(l.access(s, obj, i), value)...)
}

func (l *lowerer) access(s syntax.Span, obj *check.Object, i syntax.Expr) []syntax.Expr {
	if !l.accessed[obj] {
		l.accessed[obj] = true
		l.accessors = append(l.accessors, obj)
	}
	if obj.Kind == check.PropObj {
		return []syntax.Expr{ident(s, l.graphName), i}
	}
	return []syntax.Expr{i}
}

// update lowers target op= value.
func (l *lowerer) update(x syntax.Node, obj *check.Object, i syntax.Expr, op syntax.Op, value syntax.Expr) syntax.Expr {
	if !pure(i) {
		l.diags.Errorf(x.Pos(), x.End(), CodeHostTwice, "the element to update has side effects, which would happen twice").
			Hint = "compute the node first, in a statement of its own"
	}
	s := at(x)
	return l.set(s, obj, i, binary(l.get(s, obj, i), op, paren(value)))
}
