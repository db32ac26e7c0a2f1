package mesh

import (
	"fmt"
	"math"
)

// MaxNodes and MaxTriangles bound what a mesh may hold: nodes, triangles and
// the elements made of them are numbered with 32 bits, and so are three times
// the triangles.
const (
	MaxNodes     = math.MaxInt32 / 3
	MaxTriangles = math.MaxInt32 / 3
)

// A Mesh is a set of triangles over points of the plane.
//
// The fields are plain data, which a caller may fill in any way; [Check] tells
// whether they make sense, and [Mesh.Validate] only whether all numbers are in
// range, which the other functions of the package ask for first.
type Mesh struct {
	// X and Y are the coordinates of the nodes, all finite.
	X, Y []float64

	// Triangles has the three nodes of each triangle, counter-clockwise.
	Triangles [][3]int32

	// Segments are the edges that refinement must keep, each once: those of
	// the boundary, and any inside that the input asks for. A segment may be
	// split, but nothing may cross it.
	Segments [][2]int32

	// NodeMarks and SegmentMarks hold a number a file gave to each node and
	// each segment. By Triangle's convention 0 is the inside and 1 an
	// unspecified part of the boundary. Either is nil when there are none.
	NodeMarks, SegmentMarks []int32

	// NodeAttributes[k] is the k-th attribute of all nodes (the depth, in a
	// .gr3 file), TriangleAttributes[k] that of all triangles.
	NodeAttributes, TriangleAttributes [][]float64

	// Holes and Regions are copied from .poly files and back: a point in each
	// hole; a point in each region, with its attribute and area bound.
	Holes   [][2]float64
	Regions [][4]float64

	// Boundaries are the node lists at the end of a .gr3 file.
	Boundaries []Boundary

	// Base is the number that the file gives to its first node, 0 or 1.
	// Messages and written files number nodes and triangles from there; in
	// this structure they are numbered from 0.
	Base int

	// Title is the first line of a .gr3 file.
	Title string

	// Notes say what a reader could not keep or had to assume, a line each.
	Notes []string
}

// A Boundary is one list of boundary nodes of a .gr3 file.
type Boundary struct {
	Open  bool    // a boundary to the ocean; otherwise land or an island
	Kind  int     // the file's type of a land boundary; 1 is often an island
	Nodes []int32 // in order along the boundary, numbered from 0
}

// Island reports whether a boundary of land is one around an island, which ends where
// it starts: types 1, 11 and 21 of ADCIRC.
func (b *Boundary) Island() bool { return !b.Open && (b.Kind == 1 || b.Kind == 11 || b.Kind == 21) }

// NumNodes returns the number of nodes.
func (m *Mesh) NumNodes() int { return len(m.X) }

// NumTriangles returns the number of triangles.
func (m *Mesh) NumTriangles() int { return len(m.Triangles) }

// Validate returns an error that names the first number out of range: a node
// that does not exist, a coordinate that is not finite, a slice whose length
// does not fit the others. A mesh that passes may still be no triangulation.
func (m *Mesh) Validate() error {
	n := len(m.X)
	switch {
	case len(m.Y) != n:
		return fmt.Errorf("mesh: %d x coordinates and %d y coordinates", n, len(m.Y))
	case n > MaxNodes:
		return fmt.Errorf("mesh: %d nodes; at most %d are supported", n, MaxNodes)
	case len(m.Triangles) > MaxTriangles:
		return fmt.Errorf("mesh: %d triangles; at most %d are supported", len(m.Triangles), MaxTriangles)
	case m.NodeMarks != nil && len(m.NodeMarks) != n:
		return fmt.Errorf("mesh: %d nodes and %d node marks", n, len(m.NodeMarks))
	case m.SegmentMarks != nil && len(m.SegmentMarks) != len(m.Segments):
		return fmt.Errorf("mesh: %d segments and %d segment marks", len(m.Segments), len(m.SegmentMarks))
	}
	for k, a := range m.NodeAttributes {
		if len(a) != n {
			return fmt.Errorf("mesh: %d nodes and %d values of attribute %d", n, len(a), k)
		}
	}
	for k, a := range m.TriangleAttributes {
		if len(a) != len(m.Triangles) {
			return fmt.Errorf("mesh: %d triangles and %d values of attribute %d", len(m.Triangles), len(a), k)
		}
	}
	for i := range n {
		if !finite(m.X[i]) || !finite(m.Y[i]) {
			return fmt.Errorf("mesh: node %d lies at (%g, %g)", i+m.Base, m.X[i], m.Y[i])
		}
	}
	return m.validateIndices()
}

// validateIndices is the part of Validate about node numbers.
func (m *Mesh) validateIndices() error {
	n := len(m.X)
	bad := func(v int32) bool { return uint64(v) >= uint64(n) } // negative ones become huge
	for t, v := range m.Triangles {
		if bad(v[0]) || bad(v[1]) || bad(v[2]) {
			return fmt.Errorf("mesh: triangle %d has nodes %v; there are %d nodes", t+m.Base, v, n)
		}
	}
	for s, v := range m.Segments {
		if bad(v[0]) || bad(v[1]) {
			return fmt.Errorf("mesh: segment %d has nodes %v; there are %d nodes", s+m.Base, v, n)
		}
	}
	for _, b := range m.Boundaries {
		for _, v := range b.Nodes {
			if bad(v) {
				return fmt.Errorf("mesh: a boundary has node %d; there are %d nodes", v, n)
			}
		}
	}
	return nil
}

// finite reports whether v is neither infinite nor NaN.
func finite(v float64) bool { return v-v == 0 }

// Orient turns clockwise triangles around, and returns how many there were.
// Files written by some programs do not keep the order.
func (m *Mesh) Orient() (turned int) {
	for t, v := range m.Triangles {
		if m.orient(v[0], v[1], v[2]) < 0 {
			m.Triangles[t] = [3]int32{v[0], v[2], v[1]}
			turned++
		}
	}
	return turned
}

// orient is Orient2D of three nodes.
func (m *Mesh) orient(a, b, c int32) int {
	return Orient2D(m.X[a], m.Y[a], m.X[b], m.Y[b], m.X[c], m.Y[c])
}

// inCircle is InCircle of four nodes.
func (m *Mesh) inCircle(a, b, c, d int32) int {
	return InCircle(m.X[a], m.Y[a], m.X[b], m.Y[b], m.X[c], m.Y[c], m.X[d], m.Y[d])
}
