package mesh

import (
	"bufio"
	"io"
	"strconv"
)

// This file reads and writes the files of J. Shewchuk's program Triangle, as
// its documentation describes them: .node, .ele and .poly, and reads .edge. A # starts a
// comment. Numbering starts at 0 or 1, as the first node says.

const maxAttributes = 64 // of a node or a triangle

// readNodes reads the nodes of a .node or .poly file. It leaves the mesh
// without nodes when the header promises none.
func (s *scanner) readNodes(m *Mesh) {
	if !s.need("#", 2, "the header (nodes, 2, attributes, marks)") {
		return
	}
	s.integer(1, 2, 2, "dimension")
	attributes, marks := 0, 0
	if len(s.fields) > 2 {
		attributes = s.integer(2, 0, maxAttributes, "number of attributes")
	}
	if len(s.fields) > 3 {
		marks = s.integer(3, 0, 1, "number of marks")
	}
	n := s.count(0, 6+2*(attributes+marks)-1, MaxNodes, "nodes")
	if n == 0 {
		return
	}
	m.X, m.Y = make([]float64, n), make([]float64, n)
	m.NodeAttributes = columns(attributes, n)
	if marks > 0 {
		m.NodeMarks = make([]int32, n)
	}
	for i := range n {
		if !s.need("#", 3+attributes+marks, "a node") {
			return
		}
		if i == 0 {
			m.Base = s.integer(0, 0, 1, "number of the first node")
		}
		s.integer(0, m.Base+i, m.Base+i, "node")
		m.X[i], m.Y[i] = s.float(1, "x"), s.float(2, "y")
		for k, a := range m.NodeAttributes {
			a[i] = s.float(3+k, "attribute")
		}
		if marks > 0 {
			m.NodeMarks[i] = s.mark(3 + attributes)
		}
	}
}

// columns returns k slices of n numbers, nil for none.
func columns(k, n int) [][]float64 {
	if k == 0 {
		return nil
	}
	c := make([][]float64, k)
	for i := range c {
		c[i] = make([]float64, n)
	}
	return c
}

// mark reads field i, any 32-bit number.
func (s *scanner) mark(i int) int32 { return int32(s.integer(i, -1<<31, 1<<31-1, "mark")) }

// corner reads field i, the number of a node.
func (s *scanner) corner(m *Mesh, i int) int32 {
	return int32(s.integer(i, m.Base, m.Base+len(m.X)-1, "node") - m.Base)
}

// readEle reads an .ele file; the nodes are known.
func (s *scanner) readEle(m *Mesh) {
	if !s.need("#", 2, "the header (triangles, 3, attributes)") {
		return
	}
	if nodes := s.integer(1, 3, 6, "nodes of a triangle"); nodes != 3 {
		s.errorf("triangles of %d nodes; only those of 3 are supported", nodes)
	}
	attributes := 0
	if len(s.fields) > 2 {
		attributes = s.integer(2, 0, maxAttributes, "number of attributes")
	}
	n := s.count(0, 8+2*attributes-1, MaxTriangles, "triangles")
	m.Triangles = make([][3]int32, n)
	m.TriangleAttributes = columns(attributes, n)
	for i := range n {
		if !s.need("#", 4+attributes, "a triangle") {
			return
		}
		s.integer(0, m.Base+i, m.Base+i, "triangle")
		m.Triangles[i] = [3]int32{s.corner(m, 1), s.corner(m, 2), s.corner(m, 3)}
		for k, a := range m.TriangleAttributes {
			a[i] = s.float(4+k, "attribute")
		}
	}
	s.end()
}

// end refuses anything after the last entry.
func (s *scanner) end() {
	if s.err == nil && s.next("#") {
		s.errorf("%q after the last entry", clip(s.fields[0]))
	}
}

// readPoly reads a .poly file, or a .node file, which is the first part of one.
// The nodes are in m already when the file has none.
func (s *scanner) readPoly(m *Mesh) {
	inside := &Mesh{}
	s.readNodes(inside)
	if len(inside.X) > 0 {
		if len(m.X) > 0 {
			s.errorf("nodes here and in the .node file")
		}
		m.X, m.Y, m.Base = inside.X, inside.Y, inside.Base
		m.NodeAttributes, m.NodeMarks = inside.NodeAttributes, inside.NodeMarks
	}
	if s.err != nil || !s.next("#") {
		return
	}
	s.readSegments(m)
	if s.err != nil || !s.next("#") {
		return
	}
	n := s.count(0, 5, MaxNodes, "holes")
	for range n {
		if !s.need("#", 3, "a hole") {
			return
		}
		m.Holes = append(m.Holes, [2]float64{s.float(1, "x"), s.float(2, "y")})
	}
	if s.err != nil || !s.next("#") {
		return
	}
	n = s.count(0, 7, MaxNodes, "regions")
	for range n {
		if !s.need("#", 4, "a region") {
			return
		}
		// With one number after the point it is both attribute and area.
		last := min(4, len(s.fields)-1)
		m.Regions = append(m.Regions, [4]float64{s.float(1, "x"), s.float(2, "y"), s.float(3, "attribute"), s.float(last, "area")})
	}
	s.end()
}

// readSegments reads the second part of a .poly file, from its header on.
func (s *scanner) readSegments(m *Mesh) {
	marks := 0
	if len(s.fields) > 1 {
		marks = s.integer(1, 0, 1, "number of marks")
	}
	n := s.count(0, 6+2*marks-1, MaxNodes, "segments")
	m.Segments = make([][2]int32, n)
	if marks > 0 {
		m.SegmentMarks = make([]int32, n)
	}
	for i := range n {
		if !s.need("#", 3+marks, "a segment") {
			return
		}
		m.Segments[i] = [2]int32{s.corner(m, 1), s.corner(m, 2)}
		if marks > 0 {
			m.SegmentMarks[i] = s.mark(3)
		}
	}
}

// readEdges reads an .edge file, which may mark edges; the triangles are known.
func (s *scanner) readEdges(m *Mesh) {
	if !s.need("#", 1, "the header (edges, marks)") {
		return
	}
	marks := 0
	if len(s.fields) > 1 {
		marks = s.integer(1, 0, 1, "number of marks")
	}
	n := s.count(0, 6+2*marks-1, MaxTriangles, "edges")
	var edges [][2]int32
	var marked []int32
	for i := range n {
		if !s.need("#", 3+marks, "an edge") {
			return
		}
		s.integer(0, m.Base+i, m.Base+i, "edge")
		e := [2]int32{s.corner(m, 1), s.corner(m, 2)}
		if marks > 0 {
			if mark := s.mark(3); mark != 0 {
				edges, marked = append(edges, e), append(marked, mark)
			}
		}
	}
	s.end()
	if s.err == nil && len(edges) > 0 {
		m.markedEdges(s.file, edges, marked)
	}
}

// A printer writes numbers separated by blanks. Errors are kept by the
// bufio.Writer until the end.
type printer struct {
	w   *bufio.Writer
	buf []byte
}

func newPrinter(w io.Writer) *printer { return &printer{w: bufio.NewWriterSize(w, 1<<16)} }

func (p *printer) int(v int) *printer {
	p.buf = append(strconv.AppendInt(p.buf, int64(v), 10), ' ')
	return p
}

func (p *printer) float(v float64) *printer {
	p.buf = append(strconv.AppendFloat(p.buf, v, 'g', -1, 64), ' ')
	return p
}

// end ends the line.
func (p *printer) end() {
	p.buf[len(p.buf)-1] = '\n'
	p.w.Write(p.buf)
	p.buf = p.buf[:0]
}

// WriteNode writes the nodes of m as a .node file. Coordinates are written with
// as many digits as it takes to read the same number back. m must pass
// Validate, here and in the other functions that write.
func WriteNode(w io.Writer, m *Mesh) error {
	p := newPrinter(w)
	marks := min(1, len(m.NodeMarks))
	p.int(len(m.X)).int(2).int(len(m.NodeAttributes)).int(marks).end()
	for i := range m.X {
		p.int(i + m.Base).float(m.X[i]).float(m.Y[i])
		for _, a := range m.NodeAttributes {
			p.float(a[i])
		}
		if marks > 0 {
			p.int(int(m.NodeMarks[i]))
		}
		p.end()
	}
	return p.w.Flush()
}

// WriteEle writes the triangles of m as an .ele file.
func WriteEle(w io.Writer, m *Mesh) error {
	p := newPrinter(w)
	p.int(len(m.Triangles)).int(3).int(len(m.TriangleAttributes)).end()
	for i, t := range m.Triangles {
		p.int(i + m.Base)
		for _, v := range t {
			p.int(int(v) + m.Base)
		}
		for _, a := range m.TriangleAttributes {
			p.float(a[i])
		}
		p.end()
	}
	return p.w.Flush()
}

// WritePoly writes the segments, holes and regions of m as a .poly file that
// leaves the nodes to a .node file.
func WritePoly(w io.Writer, m *Mesh) error {
	p := newPrinter(w)
	p.int(0).int(2).int(len(m.NodeAttributes)).int(min(1, len(m.NodeMarks))).end()
	marks := min(1, len(m.SegmentMarks))
	p.int(len(m.Segments)).int(marks).end()
	for i, s := range m.Segments {
		p.int(i + m.Base).int(int(s[0]) + m.Base).int(int(s[1]) + m.Base)
		if marks > 0 {
			p.int(int(m.SegmentMarks[i]))
		}
		p.end()
	}
	p.int(len(m.Holes)).end()
	for i, h := range m.Holes {
		p.int(i + m.Base).float(h[0]).float(h[1]).end()
	}
	if len(m.Regions) > 0 {
		p.int(len(m.Regions)).end()
		for i, r := range m.Regions {
			p.int(i + m.Base).float(r[0]).float(r[1]).float(r[2]).float(r[3]).end()
		}
	}
	return p.w.Flush()
}
