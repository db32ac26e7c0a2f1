package interp

import (
	"errors"
	"fmt"
	"math"

	"irgl/internal/check"
	"irgl/internal/run"
	"irgl/syntax"
)

// This file is about the Mesh, to which kernels add: its properties grow while
// a kernel runs. Closures therefore reach them through their segments each time
// and never keep the bytes; a pointer into a property names its segment and an
// offset, so it stays good when the bytes move.

// domains are what the members of each type belong to.
var domains = map[check.Type]syntax.Domain{
	check.Node: syntax.NodeDomain, check.Nodes: syntax.NodeDomain, check.GraphType: syntax.NodeDomain,
	check.Edge:  syntax.EdgeDomain,
	check.Point: syntax.PointDomain, check.Points: syntax.PointDomain,
	check.Element: syntax.ElementDomain, check.Elements: syntax.ElementDomain, check.MeshType: syntax.ElementDomain,
}

// names are what errors call one of a domain, and what it is part of.
var names = [...]struct{ one, whole string }{
	syntax.NodeDomain: {"node", "graph"}, syntax.EdgeDomain: {"edge", "graph"},
	syntax.PointDomain: {"point", "mesh"}, syntax.ElementDomain: {"element", "mesh"},
}

// begin makes the counts of the mesh those that the program sees from here on.
// What a kernel adds while it runs is counted from the next invocation on.
func (m *machine) begin() { m.seen = m.counts }

// measure sets what the run starts from, and the counts.
func (m *machine) measure(in run.Input) {
	if m.g = in.Graph; m.g == nil {
		m.g = emptyGraph
	}
	if m.views = in.Views; m.views.In == nil {
		m.views.In = m.g // of a program that does not look at it
	}
	if m.mesh = in.Mesh; m.mesh == nil {
		m.mesh = &run.Mesh{}
	}
	m.counts = [...]int64{
		syntax.NodeDomain: int64(m.g.NumNodes()), syntax.EdgeDomain: m.g.NumEdges(),
		syntax.PointDomain: int64(len(m.mesh.X)), syntax.ElementDomain: int64(len(m.mesh.Points)),
	}
	m.begin()
}

// fitsMesh checks that a mesh has a value of everything for each of its parts.
func fitsMesh(m *run.Mesh) error {
	switch {
	case m == nil:
		return nil
	case len(m.X) != len(m.Y):
		return fmt.Errorf("the mesh has %d x and %d y coordinates", len(m.X), len(m.Y))
	case len(m.Points) != len(m.Neighbors) || m.Deleted != nil && len(m.Deleted) != len(m.Points):
		return fmt.Errorf("the mesh has %d elements, neighbours of %d and marks of %d", len(m.Points), len(m.Neighbors), len(m.Deleted))
	case len(m.X) > math.MaxInt32 || len(m.Points) > math.MaxInt32:
		return errors.New("the mesh has too many points or elements for 32-bit numbers")
	}
	return nil
}

// given compiles the setting of one of the properties that every mesh has to
// the values of the input.
func (c *compiler) given(p *check.Prop, seg *segment) func() {
	m := c.mesh
	double := func(from []float64) func() {
		return func() {
			for i, v := range from {
				le.PutUint64(seg.data[8*i:], math.Float64bits(v))
			}
		}
	}
	three := func(from [][3]int32) func() {
		return func() {
			for i, v := range from {
				for k := range v {
					le.PutUint32(seg.data[12*i+4*k:], uint32(v[k]))
				}
			}
		}
	}
	switch p.Object.Name {
	case "x":
		return double(m.X)
	case "y":
		return double(m.Y)
	case "points":
		return three(m.Points)
	case "neighbors":
		return three(m.Neighbors)
	}
	return func() {
		for i, is := range m.Deleted {
			if is {
				seg.data[i] = 1
			}
		}
	}
}

// A grown property gets one more value when the mesh grows.
type grown struct {
	seg  *segment
	size int64
	set  func(i int64) // to the initial value; nil for zeros
}

// addOne makes a point or an element and returns its number.
func (c *compiler) addOne(d syntax.Domain, n syntax.Node) int64 {
	m, i := c.machine, c.counts[d]
	if i == math.MaxInt32 {
		m.fail(n, codeMemory, "a mesh has at most %d %ss", i, names[d].one)
	}
	for _, p := range c.grown[d] {
		m.extend(p.seg, p.size, n)
	}
	m.counts[d]++
	for _, p := range c.grown[d] {
		if p.set != nil {
			p.set(i)
		}
	}
	return i
}

// extend adds size zero bytes to a segment.
func (m *machine) extend(s *segment, size int64, n syntax.Node) {
	length := int64(len(s.data))
	if length+size > int64(cap(s.data)) {
		room := max(2*length, length+64*size)
		m.reserve(room-int64(cap(s.data)), n)
		s.data = append(make([]byte, 0, room), s.data...)
	}
	s.data = s.data[:length+size]
}

// meshMethod compiles mesh.points(i), mesh.elements(i) and what adds to the
// mesh. The arguments come before the number.
func (c *compiler) meshMethod(e *syntax.CallExpr, name string) (val, bool) {
	ints := func(t check.Type) []func() int64 {
		var list []func() int64
		for _, a := range e.Args {
			list = append(list, c.as(a, t).i)
		}
		return list
	}
	switch {
	case name == "points" && len(e.Args) == 1:
		return c.as(e.Args[0], check.Point), true
	case name == "elements" && len(e.Args) == 1:
		return c.as(e.Args[0], check.Element), true
	case name == "add_point" && len(e.Args) == 2:
		x, y := c.as(e.Args[0], check.Double).f, c.as(e.Args[1], check.Double).f
		xs, ys := c.props[c.info.PropOf("x").Object], c.props[c.info.PropOf("y").Object]
		return intVal(check.Point, func() int64 {
			x, y := x(), y()
			i := c.addOne(syntax.PointDomain, e)
			putFloat(check.Double, xs.data[8*i:], x)
			putFloat(check.Double, ys.data[8*i:], y)
			return i
		}), true
	case name == "add_element" && len(e.Args) == 3:
		corners := ints(check.Point)
		points, neighbors := c.props[c.info.PropOf("points").Object], c.props[c.info.PropOf("neighbors").Object]
		return intVal(check.Element, func() int64 {
			a, b, third := corners[0](), corners[1](), corners[2]()
			i := c.addOne(syntax.ElementDomain, e)
			for k, v := range [...]int64{a, b, third} {
				le.PutUint32(points.data[12*i+4*int64(k):], uint32(v))
				le.PutUint32(neighbors.data[12*i+4*int64(k):], math.MaxUint32)
			}
			return i
		}), true
	}
	return val{}, false
}

// meshMember compiles the members of the mesh that are not called.
func (c *compiler) meshMember(name string) val {
	m := c.machine
	switch name {
	case "npoints":
		return intVal(check.Int, func() int64 { return m.seen[syntax.PointDomain] })
	case "nelements":
		return intVal(check.Int, func() int64 { return m.seen[syntax.ElementDomain] })
	case "points":
		return intConst(check.Points, 0)
	}
	return intConst(check.Elements, 0)
}

// meshProperty returns the place of a property of the point or element x, which
// may be one that this invocation has added.
func (c *compiler) meshProperty(o *check.Object, x val, e *syntax.MemberExpr) place {
	count, index, base, size, bad := &c.counts[domains[x.t]], x.i, c.props[o].base, o.Type.Size(), c.noElement(x.t, e.X)
	return place{mode: ptrMode, t: o.Type, n: e, ptr: func() int64 {
		i := index()
		if uint64(i) >= uint64(*count) {
			bad(i)
		}
		return base + i*size
	}}
}

// resultMesh returns the mesh as the program left it.
func (c *compiler) resultMesh() *run.Mesh {
	data := func(name string) []byte { return c.props[c.info.PropOf(name).Object].data }
	three := func(b []byte) [][3]int32 {
		list := make([][3]int32, c.counts[syntax.ElementDomain])
		for i := range list {
			for k := range list[i] {
				list[i][k] = int32(le.Uint32(b[12*i+4*k:]))
			}
		}
		return list
	}
	n := c.counts[syntax.PointDomain]
	m := &run.Mesh{X: make([]float64, n), Y: make([]float64, n), Points: three(data("points")), Neighbors: three(data("neighbors"))}
	x, y := data("x"), data("y")
	for i := range m.X {
		m.X[i], m.Y[i] = getFloat(check.Double, x[8*i:]), getFloat(check.Double, y[8*i:])
	}
	for _, is := range data("deleted") {
		m.Deleted = append(m.Deleted, is != 0)
	}
	return m
}
