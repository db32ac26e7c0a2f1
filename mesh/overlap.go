package mesh

import (
	"cmp"
	"fmt"
	"slices"
)

// This file decides, exactly, whether any point lies inside two triangles,
// without comparing triangles. All of them being counter-clockwise, the number
// of triangles over a point is the number of times that their boundary winds
// around it: edges inside cancel in pairs. So it is enough to look at the
// edges of the boundary, which are few:
//
//  1. no two cross, overlap, or touch other than at common ends;
//  2. then the plane falls into faces, each with one winding number, and each
//     face (but the one outside) has a corner at a boundary node. Around each
//     boundary node the numbers must be 0 and 1.
//
// A node on another triangle's edge is found by 1, for such an edge is a
// boundary twice: as a whole, and in pieces.

// disjoint looks for overlapping triangles.
func (c *checker) disjoint() {
	if c.failed(Oriented, Conforming) {
		c.Skipped = append(c.Skipped, "overlap, because triangles are clockwise, flat or in conflict")
		return
	}
	c.Checked = append(c.Checked, Disjoint)
	w := newWinding(c.m, c.twin)
	bad := gather(len(w.edges), func(lo, hi int) (bad []string) {
		for e := lo; e < hi; e++ {
			bad = append(bad, c.crossings(w, int32(e))...)
		}
		return bad
	})
	if len(bad) == 0 {
		bad = gather(len(w.nodes), func(lo, hi int) (bad []string) {
			for _, v := range w.nodes[lo:hi] {
				if n := w.around(v); n != 0 {
					bad = append(bad, fmt.Sprintf("%d triangles overlap beside %s", n, c.node(v)))
				}
			}
			return bad
		})
	}
	c.problem(Disjoint, bad)
}

// crossings describes the edges after e with which e has a point in common
// that is not an end of both.
func (c *checker) crossings(w *winding, e int32) (bad []string) {
	m, a := c.m, w.edges[e]
	w.tree.visit(w.boxOf(a), func(f int32) {
		b := w.edges[f]
		if f <= e || !m.meet(a, b) {
			return
		}
		bad = append(bad, fmt.Sprintf("%s of the boundary meets %s", c.edge(a[0], a[1]), c.edge(b[0], b[1])))
	})
	slices.Sort(bad)
	return bad
}

// meet reports whether two edges have a point in common, other than an end
// that is the same node of both.
func (m *Mesh) meet(a, b [2]int32) bool {
	switch {
	case a[0] == b[0]:
		return m.along(a[0], a[1], b[1])
	case a[0] == b[1]:
		return m.along(a[0], a[1], b[0])
	case a[1] == b[0]:
		return m.along(a[1], a[0], b[1])
	case a[1] == b[1]:
		return m.along(a[1], a[0], b[0])
	}
	b0, b1 := m.orient(a[0], a[1], b[0]), m.orient(a[0], a[1], b[1])
	a0, a1 := m.orient(b[0], b[1], a[0]), m.orient(b[0], b[1], a[1])
	if b0*b1 < 0 && a0*a1 < 0 {
		return true
	}
	return b0 == 0 && m.between(b[0], a) || b1 == 0 && m.between(b[1], a) ||
		a0 == 0 && m.between(a[0], b) || a1 == 0 && m.between(a[1], b)
}

// along reports whether the edges from p to q and to r have the same direction.
func (m *Mesh) along(p, q, r int32) bool {
	if m.orient(p, q, r) != 0 {
		return false
	}
	return (m.X[q] > m.X[p]) == (m.X[r] > m.X[p]) && (m.X[q] < m.X[p]) == (m.X[r] < m.X[p]) &&
		(m.Y[q] > m.Y[p]) == (m.Y[r] > m.Y[p]) && (m.Y[q] < m.Y[p]) == (m.Y[r] < m.Y[p])
}

// between reports whether v, on the line through an edge, lies on the edge.
func (m *Mesh) between(v int32, e [2]int32) bool {
	x0, x1, y0, y1 := m.X[e[0]], m.X[e[1]], m.Y[e[0]], m.Y[e[1]]
	return min(x0, x1) <= m.X[v] && m.X[v] <= max(x0, x1) && min(y0, y1) <= m.Y[v] && m.Y[v] <= max(y0, y1)
}

// A winding computes winding numbers of the boundary.
type winding struct {
	m     *Mesh
	edges [][2]int32 // each with the mesh on its left
	nodes []int32    // the nodes of the boundary, ascending
	tree  *boxTree
	start []int32 // the edges at nodes[i] are at[start[i]:start[i+1]]
	at    []int32
}

func newWinding(m *Mesh, twin []int32) *winding {
	w := &winding{m: m}
	for h, t := range twin {
		if t < 0 {
			u, v := m.ends(int32(h))
			w.edges = append(w.edges, [2]int32{u, v})
		}
	}
	boxes := make([]box, len(w.edges))
	ends := make([]uint64, 0, 2*len(w.edges)) // node, edge
	for i, e := range w.edges {
		boxes[i] = w.boxOf(e)
		ends = append(ends, uint64(e[0])<<32|uint64(i), uint64(e[1])<<32|uint64(i))
	}
	w.tree = newBoxTree(boxes)
	slices.Sort(ends)
	for i, e := range ends {
		if v := int32(e >> 32); i == 0 || v != w.nodes[len(w.nodes)-1] {
			w.nodes = append(w.nodes, v)
			w.start = append(w.start, int32(i))
		}
		w.at = append(w.at, int32(e))
	}
	w.start = append(w.start, int32(len(ends)))
	return w
}

func (w *winding) boxOf(e [2]int32) box {
	x, y := w.m.X, w.m.Y
	return box{min(x[e[0]], x[e[1]]), min(y[e[0]], y[e[1]]), max(x[e[0]], x[e[1]]), max(y[e[0]], y[e[1]])}
}

// around returns a winding number other than 0 and 1 in a sector at boundary
// node v, and 0 if there is none. It finds the number just clockwise of
// straight up by counting what lies above there, and then goes around.
func (w *winding) around(v int32) int {
	m := w.m
	x, y := m.X[v], m.Y[v]
	n := 0
	w.tree.visit(box{x, y, x, maxFloat}, func(i int32) {
		e := w.edges[i]
		if e[0] == v || e[1] == v {
			return // at most straight up, and so not above the ray
		}
		// An edge counts if it crosses the vertical line just right of v.
		// Leftward edges have the mesh below them.
		switch x0, x1 := m.X[e[0]], m.X[e[1]]; {
		case x1 <= x && x < x0 && m.orient(e[0], e[1], v) > 0:
			n++
		case x0 <= x && x < x1 && m.orient(e[0], e[1], v) < 0:
			n--
		}
	})
	if n < 0 || n > 1 {
		return n
	}
	at := w.at
	i, _ := slices.BinarySearch(w.nodes, v)
	at = slices.Clone(at[w.start[i]:w.start[i+1]])
	far := func(e int32) int32 { return w.edges[e][0] + w.edges[e][1] - v }
	slices.SortFunc(at, func(a, b int32) int { return m.clockwise(v, far(a), far(b)) })
	for _, e := range at {
		if w.edges[e][0] == v { // outward: the mesh lies counter-clockwise of it
			n--
		} else {
			n++
		}
		if n < 0 || n > 1 {
			return n
		}
	}
	return 0
}

// clockwise compares the directions from v to p and to q, clockwise from
// straight up (inclusive, last: the sector before which the turn starts lies
// just clockwise of it).
func (m *Mesh) clockwise(v, p, q int32) int {
	half := func(u int32) int { // 0: the right half plane and down, 1: the left one and up
		if m.X[u] > m.X[v] || m.X[u] == m.X[v] && m.Y[u] < m.Y[v] {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(half(p), half(q)), m.orient(v, p, q))
}
