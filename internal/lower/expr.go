package lower

import (
	"fmt"

	"irgl/internal/abi"
	"irgl/internal/check"
	"irgl/syntax"
)

// expr returns the lowered form of x: a new tree, but for leaves.
//
//irgl:flatswitch
//irgl:allnodes Expr except LaunchExpr SliceExpr
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
		return &syntax.BinaryExpr{Span: x.Span, X: l.expr(x.X), Op: x.Op, Y: l.expr(x.Y)}
	case *syntax.AssignExpr:
		return l.assign(x)
	case *syntax.CondExpr:
		return &syntax.CondExpr{Span: x.Span, Cond: l.expr(x.Cond), Then: l.expr(x.Then), Else: l.expr(x.Else)}
	case *syntax.CallExpr:
		return l.call(x)
	case *syntax.InvokeExpr:
		return l.invoke(x, x.Span, x.Kernel, x.Aggr, x.Args)
	case *syntax.IndexExpr:
		if isRow(l.info.Types[x.X]) {
			return cast(x.Span, basic(x.Span, "long"), l.nthEdge(x))
		}
		if obj, i := l.hostTarget(x); obj != nil {
			return l.get(x.Span, obj, i())
		}
		if c := l.cacheElement(x); c != nil {
			return c
		}
		return &syntax.IndexExpr{Span: x.Span, X: l.expr(x.X), Index: l.expr(x.Index)}
	case *syntax.MemberExpr:
		return l.member(x)
	case *syntax.CastExpr:
		return cast(x.Span, l.typeExpr(x.Type), l.expr(x.X))
	case *syntax.SizeofExpr:
		return l.sizeof(x)
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

// sizeof lowers sizeof. That of an expression becomes that of its type: C++
// gives some expressions another one, such as bool to comparisons.
func (l *lowerer) sizeof(x *syntax.SizeofExpr) syntax.Expr {
	if x.Type != nil {
		return &syntax.SizeofExpr{Span: x.Span, Type: l.typeExpr(x.Type)}
	}
	elem := l.info.Types[x.X]
	for {
		a, ok := elem.(*check.Array)
		if !ok {
			break
		}
		elem = a.Elem
	}
	s, isStruct := elem.(*check.Struct)
	if elem == check.String || isStruct && s.Tag == "" {
		return &syntax.SizeofExpr{Span: x.Span, X: l.expr(x.X)}
	}
	return &syntax.SizeofExpr{Span: x.Span, Type: l.typeName(x.Span, l.info.Types[x.X])}
}

// initList lowers an initialiser list.
func (l *lowerer) initList(x *syntax.InitList) *syntax.InitList {
	out := &syntax.InitList{Span: x.Span}
	for _, e := range x.Elems {
		ne := &syntax.InitElem{Span: e.Span, Value: l.expr(e.Value)}
		if e.Field != nil {
			ne.Field = ident(e.Field.Span, localName(e.Field.Name))
		}
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
	switch {
	case obj == nil:
		return ident(x.Span, localName(x.Name))
	case obj.Kind == check.GraphObj:
		return ident(x.Span, l.graph)
	case obj.Kind == check.ForeignObj:
		return ident(x.Span, obj.Name) // as the C text has it
	case obj.Kind == check.VarObj:
		return l.variable(x, obj)
	}
	if c := l.info.Consts[x]; c != nil && check.IsArithmetic(l.info.Types[x]) {
		return constant(x.Span, l.info.Types[x], c)
	}
	if d, ok := obj.Decl.(*syntax.DefineDecl); ok && d.Value != nil { // a string
		return paren(l.expr(d.Value))
	}
	if obj.Kind == check.BuiltinObj {
		return x
	}
	return ident(x.Span, nameOf(obj))
}

// variable lowers the use of a variable.
func (l *lowerer) variable(x *syntax.Ident, obj *check.Object) syntax.Expr {
	switch {
	case l.index[obj]:
		return cast(x.Span, basic(x.Span, "long"), ident(x.Span, localName(x.Name)))
	case l.host && l.onDevice[obj] && check.IsScalar(obj.Type):
		return l.get(x.Span, obj, number(x.Span, 0))
	case l.host && l.onDevice[obj]:
		return l.wholeOnHost(x, obj)
	}
	return ident(x.Span, nameOf(obj))
}

// wholeOnHost refuses the use of an array or struct in device memory.
func (l *lowerer) wholeOnHost(x syntax.Expr, obj *check.Object) syntax.Expr {
	d := l.diags.Errorf(x.Pos(), x.End(), CodeHostWhole, "a host function cannot use %s as a whole: kernels use it, so it is in device memory", obj.Name)
	d.Hint = "use its elements one by one"
	return ident(at(x), obj.Name)
}

// member lowers the members of handles, the graph, the mesh and the worklist.
func (l *lowerer) member(x *syntax.MemberExpr) syntax.Expr {
	name := x.Name.Name
	if l.tp != nil && l.tp.early[x] != "" {
		return ident(x.Span, l.tp.early[x])
	}
	switch l.info.Types[x.X] {
	case check.GraphType:
		// nodes and edges are taken care of by the loops and calls they are in.
		return member(ident(x.Span, l.graph), name)
	case check.MeshType:
		if name == "npoints" {
			return l.count(x.Span, syntax.PointDomain)
		}
		return l.count(x.Span, syntax.ElementDomain)
	case check.Worklist:
		if l.popped == "" { // of the Pipe in a Host function
			return member(ident(x.Span, l.context()), "size")
		}
		return call(x.Span, "irgl_size", ident(x.Span, l.popped))
	case check.Point, check.Element:
		v := l.expr(x.X)
		if name == "id" {
			return paren(v)
		}
		return l.property(x, v)
	case check.Node:
		v := l.expr(x.X)
		switch name {
		case "id":
			return paren(v)
		case "edges", "in_edges":
			return v
		case "degree", "in_degree":
			if l.host {
				return call(x.Span, "irgl_host_"+name, ident(x.Span, l.graph), v)
			}
			return call(x.Span, "irgl_"+name, ident(x.Span, l.graph), v)
		}
		return l.property(x, v)
	case check.Edge, check.InEdge:
		return l.edgeMember(x, name)
	}
	return &syntax.MemberExpr{Span: x.Span, X: l.expr(x.X), Arrow: x.Arrow, Name: ident(at(x.Name), localName(name))}
}

// edgeMember lowers a member of an edge.
func (l *lowerer) edgeMember(x *syntax.MemberExpr, name string) syntax.Expr {
	if name == "id" {
		return paren(l.expr(x.X))
	}
	e := l.edgeIndex(x.X)
	far, in := farEnd(l.info.Types[x.X])
	switch {
	case name == far:
		if id, ok := syntax.Unparen(x.X).(*syntax.Ident); ok {
			if cached := l.dst[l.info.Uses[id]]; cached != "" {
				return ident(x.Span, cached)
			}
		}
		return l.edgeArray(x.Span, in+abi.Dst, e)
	case name == "src" && l.info.PropOf("src") == nil:
		if id, ok := syntax.Unparen(x.X).(*syntax.Ident); ok {
			if cached := l.src[l.info.Uses[id]]; cached != "" {
				return ident(x.Span, cached)
			}
		}
		return l.edgeArray(x.Span, "src", e)
	case name == "weight" && l.info.PropOf("weight") == nil:
		return l.edgeArray(x.Span, in+abi.Weight, e)
	}
	return l.property(x, e)
}

// farEnd returns the member that is the other end of an edge of type t, as seen
// from the node that it is one of, and what the names of the arrays that t
// indexes begin with. The other end is in the array dst of these.
func farEnd(t check.Type) (member, prefix string) {
	if t == check.InEdge {
		return "src", abi.InPrefix
	}
	return "dst", ""
}

// isRow reports whether t is the range of one node's edges, the value of which
// is that node.
func isRow(t check.Type) bool { return t == check.Edges || t == check.InEdges }

// edgeIndex lowers an edge that an array is indexed with: its width need not
// be that of a long.
func (l *lowerer) edgeIndex(x syntax.Expr) syntax.Expr {
	switch x := syntax.Unparen(x).(type) {
	case *syntax.Ident:
		if l.index[l.info.Uses[x]] {
			return ident(x.Span, localName(x.Name))
		}
	case *syntax.IndexExpr:
		if isRow(l.info.Types[x.X]) {
			return l.nthEdge(x)
		}
	}
	return l.expr(x)
}

// nthEdge lowers n.edges[i] to the place of the edge in the graph's arrays. The
// value of a range of edges is its node.
func (l *lowerer) nthEdge(x *syntax.IndexExpr) syntax.Expr {
	return binary(l.row(l.info.Types[x.X], l.expr(x.X), 0), "+", operand(l.expr(x.Index)))
}

// operand returns x for a place after a +.
func operand(x syntax.Expr) syntax.Expr {
	if b, ok := x.(*syntax.BinaryExpr); ok && b.Op != "*" {
		return paren(x)
	}
	switch x.(type) {
	case *syntax.AssignExpr, *syntax.CondExpr, *syntax.BinaryExpr:
		return paren(x)
	}
	return x
}

// edgeArray returns the value of edge number e in one of the graph's arrays; the
// host asks for it.
func (l *lowerer) edgeArray(s syntax.Span, name string, e syntax.Expr) syntax.Expr {
	if l.host {
		l.mirrored = true
		return call(s, "irgl_graph_"+name, ident(s, l.graph), e)
	}
	return index(member(ident(s, l.graph), name), e)
}

// property returns the property of the element number i.
func (l *lowerer) property(x *syntax.MemberExpr, i syntax.Expr) syntax.Expr {
	if p := l.info.PropOf(x.Name.Name); l.host && p != nil {
		if !check.IsScalar(p.Object.Type) {
			return l.wholeOnHost(x, p.Object)
		}
		return l.get(x.Span, p.Object, i)
	}
	return index(member(ident(x.Span, l.graph), FieldName(x.Name.Name)), i)
}

// call lowers calls: graph.nodes(i), graph.edges(v), the worklist's methods,
// builtins, and functions that take the graph.
func (l *lowerer) call(x *syntax.CallExpr) syntax.Expr {
	if l.tp != nil && l.tp.results[x] != "" {
		return ident(x.Span, l.tp.results[x])
	}
	if m, ok := x.Fun.(*syntax.MemberExpr); ok {
		switch l.info.Types[m.X] {
		case check.GraphType:
			return l.numbered(x)
		case check.MeshType:
			return l.meshCall(x, m.Name.Name)
		case check.Worklist:
			if m.Name.Name == "push" {
				return l.pushTo(x.Span, x, l.pushed, l.expr(x.Args[0]))
			}
			return l.pop(x)
		}
	}
	args := make([]syntax.Expr, 0, len(x.Args)+1)
	if id, ok := x.Fun.(*syntax.Ident); ok {
		switch obj := l.info.Uses[id]; {
		case obj != nil && obj.Kind == check.BuiltinObj:
			return l.builtin(x, id.Name)
		case obj != nil && obj.Func != nil && (obj.Func.Decl.Kind == syntax.HostFunc || l.usesGraph[obj.Func]):
			args = append(args, ident(x.Span, l.graph))
		}
	}
	for _, a := range x.Args {
		if !isWorld(l.info.Types[a]) {
			args = append(args, l.expr(a))
		}
	}
	return &syntax.CallExpr{Span: x.Span, Fun: l.expr(x.Fun), Args: args}
}

// unary lowers a prefix operator.
func (l *lowerer) unary(x *syntax.UnaryExpr) syntax.Expr {
	if x.Op == "++" || x.Op == "--" {
		if obj, _ := l.hostTarget(x.X); obj != nil {
			return l.update(x, x.X, x.Op[:1], number(x.Span, 1))
		}
	}
	return &syntax.UnaryExpr{Span: x.Span, Op: x.Op, X: l.expr(x.X)}
}

// postfix lowers x++ and x--.
func (l *lowerer) postfix(x *syntax.PostfixExpr) syntax.Expr {
	obj, i := l.hostTarget(x.X)
	if obj == nil {
		return &syntax.PostfixExpr{Span: x.Span, X: l.expr(x.X), Op: x.Op}
	}
	delta := int64(1)
	if x.Op == "--" {
		delta = -1
	}
	return call(x.Span, accessorName("step", obj), append(l.access(x.Span, obj, "step", i()), number(x.Span, delta))...)
}

// assign lowers an assignment; to device data on the host it becomes a call.
func (l *lowerer) assign(x *syntax.AssignExpr) syntax.Expr {
	obj, i := l.hostTarget(x.L)
	switch {
	case obj == nil:
		return &syntax.AssignExpr{Span: x.Span, L: l.expr(x.L), Op: x.Op, R: l.expr(x.R)}
	case x.Op == "=":
		return l.set(x.Span, obj, i(), l.expr(x.R))
	}
	return l.update(x, x.L, x.Op[:len(x.Op)-1], l.expr(x.R))
}

// pop lowers WL.pop(i).
func (l *lowerer) pop(x *syntax.CallExpr) syntax.Expr {
	return call(x.Span, "irgl_pop", ident(x.Span, l.popped), l.expr(x.Args[0]))
}
