package check

import (
	"sync"

	"irgl/syntax"
)

// What the names that IrGL's own members have refer to.
var (
	worklistObject = &Object{Kind: WorklistObj, Name: "WL", Type: Worklist}

	memberObjects = sync.OnceValue(func() map[Basic]map[string]*Object {
		return map[Basic]map[string]*Object{
			Node:    members("id", Int, "degree", Int, "edges", Edges, "in_degree", Int, "in_edges", InEdges),
			Edge:    members("src", Node, "dst", Node, "id", Long, "weight", Int),
			InEdge:  members("src", Node, "weight", Int),
			Point:   members("id", Int),
			Element: members("id", Int),
			MeshType: members("points", Points, "elements", Elements, "npoints", Int, "nelements", Int,
				"add_point", &Func{Result: Point, Params: []Type{Double, Double}},
				"add_element", &Func{Result: Element, Params: []Type{Point, Point, Point}}),
			GraphType: members("nodes", Nodes, "nnodes", Int, "nedges", Long,
				"edges", AllEdges),
			Worklist: members("size", Int,
				"pop", &Func{Result: Node, Params: []Type{Int}}, "push", &Func{Result: Void, Params: []Type{Node}}),
		}
	})

	// numbered are graph.nodes(i) and its like, which share their names with
	// the ranges; graph.edges(n) is the range of one node's.
	numbered = sync.OnceValue(func() map[Basic]*Func {
		return map[Basic]*Func{
			AllEdges: {Result: Edges, Params: []Type{Node}},
			Nodes:    {Result: Node, Params: []Type{Int}}, Points: {Result: Point, Params: []Type{Int}}, Elements: {Result: Element, Params: []Type{Int}},
		}
	})

	// handles are the domains' types.
	handles = [...]Basic{syntax.NodeDomain: Node, syntax.EdgeDomain: Edge, syntax.PointDomain: Point, syntax.ElementDomain: Element}
)

// addsTo are the domains that a mesh's methods add to.
var addsTo = map[string]syntax.Domain{"add_point": syntax.PointDomain, "add_element": syntax.ElementDomain}

// members makes a table from names and types in turn.
func members(list ...any) map[string]*Object {
	m := map[string]*Object{}
	for i := 0; i < len(list); i += 2 {
		name, typ := list[i].(string), list[i+1].(Type)
		m[name] = &Object{Kind: BuiltinObj, Name: name, Type: typ, ReadOnly: true}
	}
	return m
}

// member checks x.name and x->name, of structs and of IrGL's handles.
func (c *checker) member(e *syntax.MemberExpr) operand {
	c.hostSize = e.Name != nil && e.Name.Name == "size" && c.fn != nil && c.fn.pipes > 0
	x := c.place(e.X)
	c.hostSize = false
	if x.typ == Invalid || e.Name == nil {
		return invalidOperand
	}
	if b, ok := x.typ.(Basic); ok && memberObjects()[b] != nil {
		if x.root != nil {
			c.mark(e.X, x.root, useRead)
		}
		if e.Arrow {
			c.errorf(e, codeMemberOf, "%s is no pointer: write . for ->", describeExpr(e.X))
		}
		return c.handleMember(e, b)
	}
	if e.Arrow {
		if x.root != nil {
			c.mark(e.X, x.root, useRead)
		}
		p, ok := Decay(x.typ).(*Pointer)
		if !ok {
			d := c.errorf(e, codeMemberOf, "%s is no pointer, -> does not apply to it", describe(x.typ))
			if _, ok := x.typ.(*Struct); ok {
				d.Hint = "write . for ->"
			}
			return invalidOperand
		}
		x = operand{typ: p.Elem, lvalue: true, ro: p.Const || isArray(x.typ) && x.ro, vol: p.Volatile}
	}
	s, ok := x.typ.(*Struct)
	if !ok {
		d := c.errorf(e, codeMemberOf, "%s has no members", describe(x.typ))
		if p, ok := x.typ.(*Pointer); ok {
			if _, ok := p.Elem.(*Struct); ok {
				d.Hint = "it is a pointer: write -> for ."
			}
		}
		if IsInteger(x.typ) && c.graph != nil {
			d.Hint = c.graph.Name + ".nodes(" + describeOperand(e.X) + ") is the node of that number"
		}
		return invalidOperand
	}
	f, ok := s.Field(e.Name.Name)
	if !ok {
		c.noField(e.Name, s)
		return invalidOperand
	}
	return operand{typ: f.Type, lvalue: x.lvalue, ro: x.ro || f.ReadOnly, vol: x.vol || f.Volatile, root: x.root, bits: f.Bits}
}

// noField reports a member that a struct does not have.
func (c *checker) noField(name *syntax.Ident, s *Struct) {
	if !s.Complete {
		c.errorf(name, codeIncomplete, "the type %s is incomplete here", s)
		return
	}
	c.errorf(name, codeNoMember, "%s has no member %s", s, name.Name).Hint = nearest(name.Name, s.names())
}

// handleMember checks a member of a node, an edge, the graph or the worklist,
// other than one that is called.
func (c *checker) handleMember(e *syntax.MemberExpr, base Basic) operand {
	name := e.Name.Name
	if p := c.prop(name, base); p != nil {
		c.info.Uses[e.Name] = p.Object
		return operand{typ: p.Object.Type, lvalue: true, root: p.Object}
	}
	o := memberObjects()[base][name]
	if o == nil {
		c.noMember(e, base)
		return invalidOperand
	}
	if (base == Edge || base == InEdge) && name == "weight" && !c.info.Requires.Weights {
		c.errorf(e.Name, codeWeight, "the program does not require weights").Hint = "add to the Graph: Requires weights;"
		return invalidOperand
	}
	c.info.Uses[e.Name] = o
	if _, ok := o.Type.(*Func); ok {
		c.errorf(e.Name, codeMethod, "%s must be called", describeExpr(e)).Hint = "write " + describeExpr(e) + "(...)"
		return invalidOperand
	}
	c.needs(base, name)
	return operand{typ: o.Type}
}

// needs notes which arrays beside the usual ones a member is read from.
func (c *checker) needs(base Basic, name string) {
	switch {
	case base == Node && (name == "in_edges" || name == "in_degree"):
		c.info.Needs.InEdges = true
	case base == Edge && name == "src":
		c.info.Needs.Sources = true
	}
}

// prop returns the property of nodes or edges called name, or nil.
func (c *checker) prop(name string, base Basic) *Prop {
	if !isHandleType(base) {
		return nil
	}
	p := c.info.PropOf(name)
	if p == nil || handles[p.Of] != base {
		return nil
	}
	return p
}

// noMember reports a member that a handle does not have, with the most likely
// slip as hint: a misspelling, or a property of the other kind.
func (c *checker) noMember(e *syntax.MemberExpr, base Basic) {
	what := map[Basic]string{Node: "a node", Edge: "an edge", InEdge: "an edge that leads to a node", Point: "a point", Element: "an element",
		GraphType: "the graph", MeshType: "the mesh", Worklist: "the worklist"}[base]
	d := c.errorf(e.Name, codeNoMember, "%s has no member %s", what, e.Name.Name)
	var all []string
	for n := range memberObjects()[base] {
		all = append(all, n)
	}
	for _, p := range c.info.Props {
		if c.prop(p.Object.Name, base) != nil {
			all = append(all, p.Object.Name)
		}
	}
	d.Hint = nearest(e.Name.Name, all)
	x := describeOperand(e.X)
	switch p := c.info.PropOf(e.Name.Name); {
	case p != nil && base == Edge && p.Of == syntax.NodeDomain:
		d.Hint = e.Name.Name + " is a property of nodes: " + x + ".dst." + e.Name.Name
	case base == InEdge:
		d.Hint = inEdgeHint(e.Name.Name, x, p)
	case p != nil && isHandleType(base):
		d.Hint = e.Name.Name + " is a property of " + handles[p.Of].String() + "s"
	}
}

// inEdgeHint says what to write for a member that an element of in_edges does
// not have, the edge x; p is the property of that name, or nil.
func inEdgeHint(name, x string, p *Prop) string {
	switch {
	case p != nil && p.Of == syntax.NodeDomain:
		return name + " is a property of nodes: " + x + ".src." + name
	case p != nil && p.Of == syntax.EdgeDomain:
		return "what is seen from its end has no properties; go through edges for them"
	case name == "dst":
		return "it leads to the node whose in_edges are gone through; " + x + ".src is where it comes from"
	case name == "id":
		return "edges are numbered where they leave: go through edges for their numbers"
	}
	return "it has " + x + ".src and " + x + ".weight"
}

// method checks a call whose function is a member of the graph or the
// worklist. It reports false when the base is neither; the member's base has
// been checked then.
func (c *checker) method(call *syntax.CallExpr, fun *syntax.MemberExpr) (operand, bool) {
	base, ok := c.info.Types[fun.X].(Basic)
	if !ok || memberObjects()[base] == nil || fun.Name == nil {
		return operand{}, false
	}
	name := fun.Name.Name
	o := memberObjects()[base][name]
	if o == nil && c.prop(name, base) == nil {
		c.noMember(fun, base)
		c.args(call, nil)
		return invalidOperand, true
	}
	var f *Func
	if o != nil {
		f, _ = o.Type.(*Func)
		c.info.Uses[fun.Name] = o
	}
	if o != nil {
		if r, ok := o.Type.(Basic); ok && numbered()[r] != nil {
			f = numbered()[r]
		}
	}
	if f == nil {
		c.errorf(call, codeMethod, "%s is no function: it takes no ( )", describeExpr(fun))
		c.args(call, nil)
		return invalidOperand, true
	}
	c.info.Types[fun] = f
	c.args(call, f)
	if base == Worklist {
		c.worklistCall(call, name)
	}
	if d, adds := addsTo[name]; adds && base == MeshType {
		c.add(call, d)
	}
	return operand{typ: f.Result}, true
}
