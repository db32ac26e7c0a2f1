package check

import (
	"slices"

	"irgl/syntax"
)

// This file checks the Mesh: what every mesh has, and what kernels add to it.

// meshProps are the properties that every mesh has: the coordinates of a point;
// the corners of an element counter-clockwise, the third -1 in a segment; the
// elements beyond its edges, from corner k to corner k+1, -1 for none; and
// whether the element is no longer part of the mesh.
var meshProps = []struct {
	of   syntax.Domain
	name string
	typ  Type
}{
	{syntax.PointDomain, "x", Double},
	{syntax.PointDomain, "y", Double},
	{syntax.ElementDomain, "points", &Array{Elem: Point, Len: 3}},
	{syntax.ElementDomain, "neighbors", &Array{Elem: Element, Len: 3}},
	{syntax.ElementDomain, "deleted", Bool},
}

// declareMesh declares the Mesh and its properties' names and types.
func (c *checker) declareMesh(m *syntax.MeshDecl) {
	if c.info.Mesh != nil {
		c.errorf(m.Name, codeTwoMeshes, "a program has one Mesh, this is the second")
		return
	}
	c.info.Mesh = m
	c.mesh = &Object{Kind: GraphObj, Name: nameOf(m.Name), Type: MeshType, Decl: m, ReadOnly: true, Global: true}
	c.declare(m.Name, c.mesh)
	c.requires(m.Requires, "mesh", []string{"delaunay"}, []*bool{&c.info.Requires.Delaunay})
	for _, b := range meshProps {
		p := &syntax.PropDecl{Span: m.Span, Of: b.of, Name: &syntax.Ident{Span: m.Span, Name: b.name}}
		if prev := c.info.PropOf(b.name); prev != nil {
			noteDecl(c.errorf(prev.Decl.Name, codeRedeclared, "%s is also a property that every %s of the mesh has", b.name, handles[b.of]), c.mesh, "the mesh")
			continue
		}
		o := &Object{Kind: PropObj, Name: b.name, Type: b.typ, Decl: p, Global: true}
		c.info.Defs[p.Name] = o
		c.info.Props = append(c.info.Props, &Prop{Object: o, Decl: p, Of: b.of, Builtin: true})
	}
	for _, p := range m.Props {
		if p != nil {
			c.declareProp(p)
		}
	}
}

// worldNamed returns the graph or the mesh if it has that name, or nil.
func (c *checker) worldNamed(name string) *Object {
	for _, o := range []*Object{c.graph, c.mesh} {
		if o != nil && o.Name == name {
			return o
		}
	}
	return nil
}

// worldOf returns the graph or the mesh, whichever n is.
func (c *checker) worldOf(n syntax.Node) *Object {
	if e, ok := n.(syntax.Expr); ok && c.info.Types[e] == MeshType {
		return c.mesh
	}
	return c.graph
}

// add records that a call adds a point or an element, whose properties it sets.
func (c *checker) add(call *syntax.CallExpr, d syntax.Domain) {
	if c.fn == nil {
		return
	}
	switch c.fn.decl.Kind {
	case syntax.HostFunc:
		c.errorf(call, codeKernelOnly, "%s belongs into a Kernel, not into a Host function", describeExpr(call.Fun))
		return
	case syntax.PlainFunc:
		c.fn.tie(call, false, true)
	}
	if !slices.Contains(c.fn.Adds, d) {
		c.fn.Adds = append(c.fn.Adds, d)
	}
	for _, p := range c.info.Props {
		if p.Of == d {
			c.mark(call, p.Object, useWrite)
		}
	}
}
