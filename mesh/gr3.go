package mesh

import (
	"bytes"
	"io"
	"strconv"
	"strings"
)

// This file reads and writes the horizontal grids of the ocean models SCHISM
// (.gr3) and ADCIRC (.grd, .14), which are the same:
//
//	a title
//	2 4                     elements, nodes
//	1 0.0 0.0 3.5           node, x, y, depth
//	...
//	1 3 1 2 3               element, its number of nodes (3 or 4), these
//	...
//	1                       open boundaries; a comment may follow any number
//	2                       nodes of all of them
//	2                       nodes of the first
//	1
//	2
//	0                       land boundaries, likewise, each with its type
//	0
//
// Numbering starts at 1. The boundaries may be missing.

// gr3Marks starts a comment after the numbers that matter.
const gr3Marks = "!="

// readGR3 reads all of the file. Elements of four nodes become two triangles.
func (s *scanner) readGR3(m *Mesh) {
	title, _ := s.rawLine()
	m.Title = string(bytes.TrimSpace(title))
	m.Base = 1
	if !s.need(gr3Marks, 2, "the line with the numbers of elements and nodes") {
		return
	}
	elements := s.count(0, 8, MaxTriangles, "elements")
	nodes := s.count(1, 8, MaxNodes, "nodes")
	m.X, m.Y, m.NodeAttributes = make([]float64, nodes), make([]float64, nodes), columns(1, nodes)
	for i := range nodes {
		if !s.need(gr3Marks, 4, "a node") {
			return
		}
		s.integer(0, i+1, i+1, "node")
		m.X[i], m.Y[i], m.NodeAttributes[0][i] = s.float(1, "x"), s.float(2, "y"), s.float(3, "depth")
	}
	m.Triangles = make([][3]int32, 0, elements)
	defer func() {
		if cut := len(m.Triangles) - elements; cut > 0 && s.err == nil {
			m.note("elements of four nodes, cut into two triangles each: %d", cut)
		}
		if s.extra > 0 {
			m.note("lines of boundary nodes with more numbers, as weirs have, which are not kept: %d", s.extra)
		}
	}()
	for i := range elements {
		if !s.need(gr3Marks, 5, "an element") {
			return
		}
		s.integer(0, i+1, i+1, "element")
		s.readElement(m)
	}
	for _, open := range []bool{true, false} {
		if s.err != nil || !s.next(gr3Marks) {
			return
		}
		s.readBoundaries(m, open)
	}
}

// readElement reads the nodes of one element.
func (s *scanner) readElement(m *Mesh) {
	n := s.integer(1, 3, 4, "nodes of an element")
	if len(s.fields) < 2+n {
		s.errorf("an element of %d nodes names %d", n, len(s.fields)-2)
		return
	}
	a, b, c := s.corner(m, 2), s.corner(m, 3), s.corner(m, 4)
	if n == 3 {
		m.Triangles = append(m.Triangles, [3]int32{a, b, c})
		return
	}
	d := s.corner(m, 5)
	if s.err != nil {
		return
	}
	// Of the two diagonals take one that lies inside, and if both do the one
	// that is locally Delaunay.
	abc, acd := m.orient(a, b, c), m.orient(a, c, d)
	abd, bcd := m.orient(a, b, d), m.orient(b, c, d)
	first, second := abc*acd > 0, abd*bcd > 0
	switch {
	case first && (!second || abc*m.inCircle(a, b, c, d) <= 0):
		m.Triangles = append(m.Triangles, [3]int32{a, b, c}, [3]int32{a, c, d})
	case second:
		m.Triangles = append(m.Triangles, [3]int32{a, b, d}, [3]int32{b, c, d})
	default:
		s.errorf("an element of four nodes that cross or lie on a line")
	}
}

// readBoundaries reads the open boundaries or those of land, from their number
// on.
func (s *scanner) readBoundaries(m *Mesh, open bool) {
	n := s.count(0, 2, MaxNodes, "boundaries")
	if !s.need(gr3Marks, 1, "the number of boundary nodes") {
		return
	}
	for range n {
		if !s.need(gr3Marks, 1, "the number of nodes of a boundary") {
			return
		}
		b := Boundary{Open: open}
		if !open && len(s.fields) > 1 {
			b.Kind = s.integer(1, 0, 1<<20, "type of a boundary")
		}
		count := s.count(0, 2, MaxNodes, "boundary nodes")
		b.Nodes = make([]int32, count)
		for i := range b.Nodes {
			if !s.need(gr3Marks, 1, "a boundary node") {
				return
			}
			b.Nodes[i] = s.corner(m, 0)
			if len(s.fields) > 1 { // weirs and their like; a word is a comment
				if _, err := strconv.ParseFloat(string(s.fields[1]), 64); err == nil {
					s.extra++
				}
			}
		}
		m.Boundaries = append(m.Boundaries, b)
	}
}

// WriteGR3 writes m as a .gr3 file: title, nodes with their first attribute as
// the depth (0 if there is none), triangles, and boundaries. Nodes are numbered
// from 1 whatever m.Base is. Segments are not in the file.
func WriteGR3(w io.Writer, m *Mesh) error {
	p := newPrinter(w)
	p.w.WriteString(strings.ReplaceAll(m.Title, "\n", " ") + "\n")
	p.int(len(m.Triangles)).int(len(m.X)).end()
	for i := range m.X {
		depth := 0.0
		if len(m.NodeAttributes) > 0 {
			depth = m.NodeAttributes[0][i]
		}
		p.int(i + 1).float(m.X[i]).float(m.Y[i]).float(depth).end()
	}
	for i, t := range m.Triangles {
		p.int(i + 1).int(3).int(int(t[0]) + 1).int(int(t[1]) + 1).int(int(t[2]) + 1).end()
	}
	for _, open := range []bool{true, false} {
		count, nodes := 0, 0
		for _, b := range m.Boundaries {
			if b.Open == open {
				count++
				nodes += len(b.Nodes)
			}
		}
		p.int(count).end()
		p.int(nodes).end()
		for _, b := range m.Boundaries {
			if b.Open != open {
				continue
			}
			p.int(len(b.Nodes))
			if !open {
				p.int(b.Kind)
			}
			p.end()
			for _, v := range b.Nodes {
				p.int(int(v) + 1).end()
			}
		}
	}
	return p.w.Flush()
}
