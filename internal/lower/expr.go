package lower

import (
	"fmt"
	"strconv"

	"irgl/internal/check"
	"irgl/syntax"
)

// expr returns the lowered form of x: a new tree, but for leaves.
//
//irgl:flatswitch
func (l *lowerer) expr(x syntax.Expr) syntax.Expr {
	switch x := x.(type) {
	case nil:
		return nil
	case *syntax.Ident:
		return l.ident(x)
	case *syntax.BasicLit:
		return x
	case *syntax.ParenExpr:
		return &syntax.ParenExpr{Span: x.Span, X: l.expr(x.X)}
	case *syntax.UnaryExpr:
		return l.unary(x)
	case *syntax.PostfixExpr:
		return l.postfix(x)
	case *syntax.BinaryExpr:
		return &syntax.BinaryExpr{Span: x.Span, X: l.value(x.X), Op: x.Op, Y: l.value(x.Y)}
	case *syntax.AssignExpr:
		return l.assign(x)
	case *syntax.CondExpr:
		return &syntax.CondExpr{Span: x.Span, Cond: l.expr(x.Cond), Then: l.expr(x.Then), Else: l.expr(x.Else)}
	case *syntax.CallExpr:
		return l.call(x)
	case *syntax.InvokeExpr:
		return l.invoke(x.Span, x.Kernel, x.Aggr, x.Args)
	case *syntax.IndexExpr:
		if obj := l.hostElement(x); obj != nil {
			return l.get(x.Span, obj, l.elementIndex(x))
		}
		return &syntax.IndexExpr{Span: x.Span, X: l.expr(x.X), Index: l.value(x.Index)}
	case *syntax.MemberExpr:
		return l.member(x)
	case *syntax.CastExpr:
		return cast(x.Span, l.typeExpr(x.Type), l.value(x.X))
	case *syntax.SizeofExpr:
		if x.Type != nil {
			return &syntax.SizeofExpr{Span: x.Span, Type: l.typeExpr(x.Type)}
		}
		return &syntax.SizeofExpr{Span: x.Span, Type: typeName(x.Span, l.info.Types[x.X])}
	case *syntax.InitList:
		return l.initList(x)
	case *syntax.CompoundLit:
		return &syntax.CompoundLit{Span: x.Span, Type: l.typeExpr(x.Type), Init: l.initList(x.Init)}
	}
	panic(fmt.Sprintf("lower: unexpected expression %T", x))
}

func (l *lowerer) exprs(list []syntax.Expr) []syntax.Expr {
	out := make([]syntax.Expr, len(list))
	for i, x := range list {
		out[i] = l.expr(x)
	}
	return out
}

// value lowers x where an edge handle counts as the integer long.
func (l *lowerer) value(x syntax.Expr) syntax.Expr {
	v := l.expr(x)
	if l.info.Types[x] == check.Edge {
		return cast(at(x), basic(at(x), "long"), v)
	}
	return v
}

func (l *lowerer) initList(x *syntax.InitList) *syntax.InitList {
	out := &syntax.InitList{Span: x.Span}
	for _, e := range x.Elems {
		ne := &syntax.InitElem{Span: e.Span, Field: e.Field, Value: l.expr(e.Value)}
		if e.Index != nil {
			ne.Index = l.expr(e.Index)
		}
		out.Elems = append(out.Elems, ne)
	}
	return out
}

// ident lowers a name: constants become their values.
func (l *lowerer) ident(x *syntax.Ident) syntax.Expr {
	obj := l.info.Uses[x]
	if obj == nil {
		return ident(x.Span, CName(x.Name))
	}
	if c := l.info.Consts[x]; c != nil && obj.Kind != check.VarObj {
		return constant(x.Span, l.info.Types[x], c)
	}
	if l.host && obj.Kind == check.VarObj && l.onDevice[obj] {
		if _, array := obj.Type.(*check.Array); !array {
			return l.get(x.Span, obj, number(x.Span, 0))
		}
	}
	return ident(x.Span, CName(x.Name))
}

// constant returns c as a literal of type t.
func constant(s syntax.Span, t check.Type, c *check.Const) syntax.Expr {
	if check.IsFloat(t) {
		return floatLit(s, t, c.Float)
	}
	suffix := map[check.Type]string{check.UInt: "u", check.Long: "L", check.ULong: "uL", check.LongLong: "LL", check.ULongLong: "uLL"}[t]
	if check.IsUnsigned(t) {
		v := uint64(c.Int)
		if t.Size() < 8 {
			v &= 1<<(8*t.Size()) - 1
		}
		return &syntax.BasicLit{Span: s, Kind: syntax.IntLit, Text: strconv.FormatUint(v, 10) + suffix}
	}
	if c.Int == -1<<31 && t == check.Int {
		return paren(binary(number(s, -1<<31+1), "-", number(s, 1)))
	}
	x := number(s, c.Int)
	if lit, ok := x.(*syntax.BasicLit); ok {
		lit.Text += suffix
	}
	return x
}

func floatLit(s syntax.Span, t check.Type, v float64) syntax.Expr {
	switch {
	case v > 1.7976931348623157e308:
		return ident(s, "INFINITY")
	case v < -1.7976931348623157e308:
		return paren(&syntax.UnaryExpr{Span: s, Op: "-", X: ident(s, "INFINITY")})
	case v < 0:
		return paren(&syntax.UnaryExpr{Span: s, Op: "-", X: floatLit(s, t, -v)})
	}
	text := strconv.FormatFloat(v, 'e', -1, 64)
	if t == check.Float {
		text = strconv.FormatFloat(v, 'e', -1, 32) + "f"
	}
	return &syntax.BasicLit{Span: s, Kind: syntax.FloatLit, Text: text}
}

// member lowers the members of nodes, edges, the graph and the worklist.
func (l *lowerer) member(x *syntax.MemberExpr) syntax.Expr {
	name := x.Name.Name
	switch l.info.Types[x.X] {
	case check.GraphType:
		// nodes and edges are taken care of by the loops and calls they are in.
		return member(ident(x.Span, l.graphName), name)
	case check.Worklist:
		return call(x.Span, "irgl_size", ident(x.Span, l.in))
	case check.Node:
		v := l.expr(x.X)
		switch name {
		case "id":
			return paren(v)
		case "edges":
			return v
		case "degree":
			if l.host {
				return call(x.Span, "irgl_get_degree", ident(x.Span, l.graphName), v)
			}
			return call(x.Span, "irgl_degree", ident(x.Span, l.graphName), v)
		}
		return l.property(x, v)
	case check.Edge:
		if l.host {
			l.diags.Errorf(x.Pos(), x.End(), CodeHostEdge, "host functions cannot look at edges").Hint = "do it in a Kernel"
			return number(x.Span, 0)
		}
		return l.edgeMember(x, name)
	}
	return &syntax.MemberExpr{Span: x.Span, X: l.expr(x.X), Arrow: x.Arrow, Name: ident(at(x.Name), CName(name))}
}

func (l *lowerer) edgeMember(x *syntax.MemberExpr, name string) syntax.Expr {
	e := l.expr(x.X)
	switch name {
	case "id":
		return cast(x.Span, basic(x.Span, "long"), e)
	case "dst":
		if id, ok := unparen(x.X).(*syntax.Ident); ok {
			if cached := l.dst[l.info.Uses[id]]; cached != "" {
				return ident(x.Span, cached)
			}
		}
		return index(member(ident(x.Span, l.graphName), "dst"), e)
	case "weight":
		if l.info.PropOf("weight") == nil {
			return index(member(ident(x.Span, l.graphName), "weight"), e)
		}
	}
	return l.property(x, e)
}

// property returns the property of the element number i.
func (l *lowerer) property(x *syntax.MemberExpr, i syntax.Expr) syntax.Expr {
	if l.host {
		if p := l.info.PropOf(x.Name.Name); p != nil {
			return l.get(x.Span, p.Object, i)
		}
	}
	return index(member(ident(x.Span, l.graphName), FieldName(x.Name.Name)), i)
}

// FieldName returns the field of struct irgl_graph for a property: its name,
// changed where the struct has a field of that name or C++ reserves it.
func FieldName(prop string) string {
	switch {
	case cxxKeywords[prop], prop == "nnodes", prop == "nedges", prop == "row", prop == "dst":
		return prop + "_"
	}
	return prop
}

// call lowers calls: graph.nodes(i), graph.edges(v), the worklist's methods,
// and functions that take the graph.
func (l *lowerer) call(x *syntax.CallExpr) syntax.Expr {
	if m, ok := x.Fun.(*syntax.MemberExpr); ok {
		switch l.info.Types[m.X] {
		case check.GraphType:
			arg := l.value(x.Args[0])
			if t := l.info.Types[x.Args[0]]; t != check.Int && t != check.Node {
				arg = cast(x.Span, basic(x.Span, "int"), arg)
			}
			return paren(arg)
		case check.Worklist:
			if m.Name.Name == "push" {
				return call(x.Span, "irgl_push", ident(x.Span, l.outList), l.value(x.Args[0]))
			}
			return call(x.Span, "irgl_pop", ident(x.Span, l.in), l.value(x.Args[0]))
		}
	}
	args := make([]syntax.Expr, 0, len(x.Args)+1)
	if id, ok := x.Fun.(*syntax.Ident); ok {
		if obj := l.info.Uses[id]; obj != nil && obj.Func != nil {
			f := obj.Func
			switch {
			case f.Decl.Kind == syntax.HostFunc, l.usesGraph[f]:
				args = append(args, ident(x.Span, l.graphName))
			}
		}
	}
	for _, a := range x.Args {
		if l.info.Types[a] != check.GraphType {
			args = append(args, l.expr(a))
		}
	}
	fun := x.Fun
	if id, ok := fun.(*syntax.Ident); ok {
		fun = ident(id.Span, CName(id.Name))
	} else {
		fun = l.expr(fun)
	}
	return &syntax.CallExpr{Span: x.Span, Fun: fun, Args: args}
}

// unary lowers a prefix operator.
func (l *lowerer) unary(x *syntax.UnaryExpr) syntax.Expr {
	if obj, i := l.hostTarget(x.X); obj != nil {
		switch x.Op {
		case "++", "--":
			return l.update(x, obj, i, x.Op[:1], number(x.Span, 1))
		case "&":
			l.diags.Errorf(x.Pos(), x.End(), CodeHostAddress, "the address of %s cannot be taken in a host function: it is in device memory", obj.Name).
				Hint = "read or assign the value"
			return number(x.Span, 0)
		}
	}
	if x.Op == "&" || x.Op == "*" {
		return &syntax.UnaryExpr{Span: x.Span, Op: x.Op, X: l.expr(x.X)}
	}
	return &syntax.UnaryExpr{Span: x.Span, Op: x.Op, X: l.value(x.X)}
}

// postfix lowers x++ and x--. Of device data on the host it is the new value
// with the step taken back.
func (l *lowerer) postfix(x *syntax.PostfixExpr) syntax.Expr {
	obj, i := l.hostTarget(x.X)
	if obj == nil {
		return &syntax.PostfixExpr{Span: x.Span, X: l.expr(x.X), Op: x.Op}
	}
	undo := syntax.Op("-")
	if x.Op == "--" {
		undo = "+"
	}
	one := number(x.Span, 1)
	return paren(binary(l.update(x, obj, i, x.Op[:1], one), undo, one))
}

// assign lowers an assignment; to device data on the host it becomes a call.
func (l *lowerer) assign(x *syntax.AssignExpr) syntax.Expr {
	right := l.expr(x.R)
	if l.info.Types[x.R] == check.Edge && l.info.Types[x.L] != check.Edge {
		right = l.value(x.R)
	}
	obj, i := l.hostTarget(x.L)
	if obj == nil {
		return &syntax.AssignExpr{Span: x.Span, L: l.expr(x.L), Op: x.Op, R: right}
	}
	if x.Op == "=" {
		return l.set(x.Span, obj, l.value(i), right)
	}
	return l.update(x, obj, i, x.Op[:len(x.Op)-1], right)
}

// typeExpr returns the lowered form of a type's name.
func (l *lowerer) typeExpr(t syntax.TypeExpr) syntax.TypeExpr {
	switch t := t.(type) {
	case nil:
		return basic(l.span, "void")
	case *syntax.NamedType:
		switch l.info.Named[t] {
		case check.Node:
			return basic(t.Span, "int")
		case check.Edge:
			return named(t.Span, "irgl_index")
		}
		return t
	case *syntax.PointerType:
		c := *t
		c.Elem = l.typeExpr(t.Elem)
		return &c
	case *syntax.ArrayType:
		c := *t
		c.Elem = l.typeExpr(t.Elem)
		if t.Len != nil {
			c.Len = l.expr(t.Len)
		}
		return &c
	case *syntax.QualType:
		c := *t
		c.Elem = l.typeExpr(t.Elem)
		return &c
	case *syntax.FuncType:
		c := *t
		c.Result = l.typeExpr(t.Result)
		c.Params = nil
		for _, p := range t.Params {
			np := *p
			np.Type = l.typeExpr(p.Type)
			c.Params = append(c.Params, &np)
		}
		return &c
	case *syntax.TagType:
		c := *t
		c.Fields = nil
		for _, f := range t.Fields {
			nf := *f
			nf.Type = l.typeExpr(f.Type)
			c.Fields = append(c.Fields, &nf)
		}
		return &c
	}
	return t
}
