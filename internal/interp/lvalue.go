package interp

import (
	"irgl/internal/check"
	"irgl/syntax"
)

// place compiles an lvalue, or an expression whose members are taken.
func (c *compiler) place(e syntax.Expr) place {
	c.enter()
	defer c.leave()
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return c.place(e.X)
	case *syntax.Ident:
		return c.variable(e)
	case *syntax.UnaryExpr:
		if e.Op == "*" {
			return c.pointee(c.expr(e.X), 0, e)
		}
	case *syntax.IndexExpr:
		return c.indexed(e)
	case *syntax.MemberExpr:
		return c.member(e)
	case *syntax.CompoundLit:
		return c.compoundLit(e)
	case *syntax.BasicLit:
		if e.Kind == syntax.StringLit {
			return c.stringPlace(e)
		}
	}
	if v := c.expr(e); v.s != nil {
		return place{mode: tempMode, t: v.t, temp: v.s, n: e}
	}
	c.errorf(e, codeUnknown, "this is no place in memory")
	return place{mode: cellMode, t: check.Int, cell: new(int64), n: e}
}

// pointee returns the place k bytes after what the pointer p points to.
func (c *compiler) pointee(p val, k int64, n syntax.Node) place {
	t := check.Type(check.Int)
	if pt, ok := p.t.(*check.Pointer); ok {
		t = pt.Elem
	}
	if s := c.segmentOf(p, k, t); s != nil {
		return place{mode: fixedMode, t: t, seg: s, k: p.ci + k - s.base, n: n}
	}
	return place{mode: ptrMode, t: t, ptr: p.i, k: k, n: n}
}

// segmentOf returns the segment that a constant pointer points into, when a t
// at k bytes after it lies within and may be written there.
func (c *compiler) segmentOf(p val, k int64, t check.Type) *segment {
	if !p.konst || c.dry {
		return nil
	}
	at := p.ci + k
	id := uint64(p.ci) >> offsetBits
	if id == 0 || id >= uint64(len(c.segments)) {
		return nil
	}
	s := c.segments[id]
	off := at - s.base
	if s.ro || s.grows || off < 0 || off+t.Size() > int64(len(s.data)) || off%t.Align() != 0 {
		return nil
	}
	return s
}

// variable returns the place of a variable or parameter.
func (c *compiler) variable(e *syntax.Ident) place {
	o := c.info.Uses[e]
	if o == nil {
		o = c.info.Defs[e]
	}
	if o != nil {
		if d, ok := o.Decl.(*syntax.DefineDecl); ok && o.Kind == check.ConstObj {
			return c.place(d.Value)
		}
	}
	if o == nil || o.Kind != check.VarObj && o.Kind != check.ParamObj {
		c.errorf(e, codeUnknown, "%s is no variable", e.Name)
		return place{mode: cellMode, t: check.Int, cell: new(int64), n: e}
	}
	p := c.storage(o, e)
	p.n = e
	return p
}

// storage returns the memory of a variable, made when it is first named.
func (c *compiler) storage(o *check.Object, n syntax.Node) place {
	if p, ok := c.vars[o]; ok {
		return p
	}
	p := place{t: o.Type, n: n}
	switch o.Type.(type) {
	case *check.Array, *check.Struct:
		p.mode = fixedMode
	default:
		if o.Addressed || o.Global {
			p.mode = fixedMode
		}
	}
	switch {
	case p.mode == fixedMode:
		p.seg = c.newSegment(o.Type.Size(), n)
	case isFloat(o.Type):
		p.fcell = new(float64)
	default:
		p.cell = new(int64)
	}
	if v, ok := o.Decl.(*syntax.VarDecl); ok && p.mode == cellMode && v.Init == nil {
		p.set = new(bool)
	}
	c.vars[o] = p
	if c.fn != nil && !o.Global {
		c.fn.locals = append(c.fn.locals, p)
	}
	return p
}

// indexed returns the place x[i]. The index into an array is checked against its
// length; one added to a pointer, against the object, when it is used.
func (c *compiler) indexed(e *syntax.IndexExpr) place {
	index := c.expr(e.Index)
	if a, ok := c.info.Types[e.X].(*check.Array); ok && a.Len >= 0 {
		return c.element(c.place(e.X), a, index, e)
	}
	p := c.expr(e.X)
	pt, ok := p.t.(*check.Pointer)
	if !ok {
		c.errorf(e, codeUnknown, "this cannot be indexed")
		return place{mode: cellMode, t: check.Int, cell: new(int64), n: e}
	}
	size := pt.Elem.Size()
	if index.konst && -farIndex < index.ci && index.ci < farIndex/max(1, size) {
		return c.pointee(p, index.ci*size, e)
	}
	m, ptr, i := c.machine, p.i, index.i
	return place{mode: ptrMode, t: pt.Elem, ptr: func() int64 { return m.moved(ptr(), i(), size, e) }, n: e}
}

// member returns the place of a property of a node or edge, or of a struct's
// member.
func (c *compiler) member(e *syntax.MemberExpr) place {
	if o := c.info.Uses[e.Name]; o != nil && o.Kind == check.PropObj {
		return c.propertyOf(o, c.expr(e.X), e)
	}
	var base place
	if e.Arrow {
		base = c.pointee(c.expr(e.X), 0, e)
	} else {
		base = c.place(e.X)
	}
	s, ok := base.t.(*check.Struct)
	if !ok {
		c.errorf(e, codeUnknown, "this has no members")
		return base
	}
	f, _ := s.Field(e.Name.Name)
	return base.field(f.Type, f.Offset, e)
}

// propertyOf returns the place of a property of the handle x.
func (c *compiler) propertyOf(o *check.Object, x val, e *syntax.MemberExpr) place {
	if domains[x.t].OfMesh() {
		return c.meshProperty(o, x, e)
	}
	return place{
		mode: indexMode, t: o.Type, n: e, seg: c.props[o],
		index: x.i, len: c.counts[domains[x.t]], size: o.Type.Size(), badIndex: c.noElement(x.t, e.X),
	}
}

// noElement returns what reports a handle of type t that names nothing.
func (c *compiler) noElement(t check.Type, n syntax.Node) func(i int64) {
	m, d := c.machine, domains[t]
	w := names[d]
	return func(i int64) {
		if m.counts[d] == 0 {
			m.fail(n, codeElement, "the %s has no %s %d: it has no %ss", w.whole, w.one, i, w.one)
		}
		m.fail(n, codeElement, "the %s has no %s %d: its %ss are 0 to %d", w.whole, w.one, i, w.one, m.counts[d]-1)
	}
}

// handleMember compiles the members that handles, the graph, the mesh and the
// worklist have by themselves; ok is false for other members.
func (c *compiler) handleMember(e *syntax.MemberExpr) (v val, ok bool) {
	o := c.info.Uses[e.Name]
	if o == nil || o.Kind != check.BuiltinObj {
		return val{}, false
	}
	m, g := c.machine, c.g
	x := c.expr(e.X)
	i := x.i
	switch x.t {
	case check.GraphType:
		switch e.Name.Name {
		case "nnodes":
			return intConst(check.Int, int64(g.NumNodes())), true
		case "nedges":
			return intConst(check.Long, g.NumEdges()), true
		}
		return intConst(c.info.Types[e], 0), true
	case check.Worklist:
		return intVal(check.Int, func() int64 {
			if m.wl == nil {
				return 0
			}
			return int64(int32(len(m.wl.in)))
		}), true
	case check.MeshType:
		return c.meshMember(e.Name.Name), true
	case check.Point, check.Element: // their only one is id
		return convert(x, check.Int), true
	case check.Node:
		switch e.Name.Name {
		case "id":
			return convert(x, check.Int), true
		case "edges", "in_edges":
			return intVal(c.info.Types[e], i), true
		}
		return intVal(check.Int, c.degree(x, e)), true
	}
	return c.edgeMember(e, x), true
}

// edgeMember compiles a member of an edge, seen from the node that it leaves or
// from the one that it leads to.
func (c *compiler) edgeMember(e *syntax.MemberExpr, x val) val {
	g, ends := c.g, c.g.Dst
	weight := g.Weight
	if x.t == check.InEdge {
		ends, weight = c.views.In.Dst, c.views.In.Weight
	}
	bad, n, i := c.noElement(check.Edge, e.X), uint64(g.NumEdges()), x.i
	switch e.Name.Name {
	case "id":
		return convert(x, check.Long)
	case "weight":
		return intVal(check.Int, func() int64 {
			e := i()
			if uint64(e) >= n {
				bad(e)
			}
			return int64(weight[e])
		})
	case "src":
		if x.t == check.Edge {
			ends = c.views.Src
		}
	}
	if cell := x.cell; cell != nil { // the variable of a loop, almost always
		return intVal(check.Node, func() int64 {
			if uint64(*cell) >= n {
				bad(*cell)
			}
			return int64(ends[*cell])
		})
	}
	return intVal(check.Node, func() int64 {
		e := i()
		if uint64(e) >= n {
			bad(e)
		}
		return int64(ends[e])
	})
}

// rows returns the row offsets of the edges that leave nodes, or of those that
// lead to them.
func (c *compiler) rows(in bool) []uint64 {
	if in {
		return c.views.In.RowStart
	}
	return c.g.RowStart
}

// degree compiles n.degree and n.in_degree, for the node x.
func (c *compiler) degree(x val, e *syntax.MemberExpr) func() int64 {
	bad, n, rows, i := c.noElement(check.Node, e.X), uint64(c.g.NumNodes()), c.rows(e.Name.Name == "in_degree"), x.i
	return func() int64 {
		v := i()
		if uint64(v) >= n {
			bad(v)
		}
		return int64(int32(rows[v+1] - rows[v]))
	}
}

// edgeOf compiles n.edges[i] and n.in_edges[i], the i-th edge of a node.
func (c *compiler) edgeOf(e *syntax.IndexExpr) val {
	in := c.info.Types[e.X] == check.InEdges
	m, node, index := c.machine, c.expr(e.X).i, c.expr(e.Index)
	of := e.X // the node, which is what may not exist
	if edges, ok := syntax.Unparen(of).(*syntax.MemberExpr); ok {
		of = edges.X
	}
	bad, n, rows, at := c.noElement(check.Node, of), uint64(c.g.NumNodes()), c.rows(in), index.i
	return intVal(c.info.Types[e], func() int64 {
		v := node()
		if uint64(v) >= n {
			bad(v)
		}
		i, degree := at(), int64(rows[v+1]-rows[v])
		if uint64(i) >= uint64(degree) {
			what := "edges"
			if degree == 1 {
				what = "edge"
			}
			m.fail(e, codeIndex, "index %d is out of range: the node %d has %d %s", i, v, degree, what)
		}
		return int64(rows[v]) + i
	})
}
