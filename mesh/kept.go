package mesh

import (
	"fmt"
	"math"
)

// This file compares a refined mesh with its input.

// kept looks at nodes, area and segments.
func (c *checker) kept() {
	in := c.opts.Input
	if in == nil {
		return
	}
	c.keptNodes(in)
	c.Checked = append(c.Checked, AreaKept)
	was, is := in.Area(), c.m.Area()
	if d := math.Abs(is - was); !(d <= c.opts.Tolerance*math.Abs(was)) {
		c.problem(AreaKept, []string{fmt.Sprintf("the area is %.17g and was %.17g", is, was)})
	}
	if c.failed(NodesKept) {
		c.Skipped = append(c.Skipped, "the boundary, because nodes were not kept")
		return
	}
	c.keptSegments(in)
}

// keptNodes compares the first nodes with the input's.
func (c *checker) keptNodes(in *Mesh) {
	c.Checked = append(c.Checked, NodesKept)
	m := c.m
	if len(m.X) < len(in.X) {
		c.problem(NodesKept, []string{fmt.Sprintf("%d nodes, and the input has %d", len(m.X), len(in.X))})
		return
	}
	c.problem(NodesKept, gather(len(in.X), func(lo, hi int) (bad []string) {
		for v := lo; v < hi; v++ {
			if m.X[v] != in.X[v] || m.Y[v] != in.Y[v] {
				bad = append(bad, fmt.Sprintf("%s was at (%.6g, %.6g)", c.node(int32(v)), in.X[v], in.Y[v]))
			}
		}
		return bad
	}))
}

// keptSegments follows each segment of the input, and those that AddBoundary would
// add, through the segments it may have been split into, and then looks
// for segments that belong to none.
func (c *checker) keptSegments(in *Mesh) {
	c.Checked = append(c.Checked, BoundaryOK)
	m := c.m
	seen := make(map[uint64]bool, len(m.Segments)) // pieces
	w := &follower{m: m, fix: m.Fixable(len(in.X)), far: c.opts.Tolerance * in.diagonal(), piece: func(at, next int32) { seen[key(at, next)] = true }}
	old := make(map[uint64]bool, len(in.Segments))
	var bad []string
	follow := func(u, v int32) {
		if old[key(u, v)] {
			return
		}
		old[key(u, v)] = true
		if at := w.follow(u, v); at != v {
			bad = append(bad, fmt.Sprintf("the segment of the input from node %d to %d ends at %s", int(u)+m.Base, int(v)+m.Base, c.node(at)))
		}
	}
	for _, s := range in.withBoundary().Segments {
		follow(s[0], s[1])
	}
	for s, v := range m.Segments {
		if !seen[key(v[0], v[1])] {
			bad = append(bad, fmt.Sprintf("segment %d (nodes %d %d) is part of no segment of the input", s+m.Base, int(v[0])+m.Base, int(v[1])+m.Base))
		}
	}
	c.problem(BoundaryOK, bad)
}

// diagonal returns the length of the diagonal of the mesh's bounding box.
func (m *Mesh) diagonal() float64 {
	if len(m.X) == 0 {
		return 0
	}
	x0, x1, y0, y1 := m.bounds()
	return math.Hypot(x1-x0, y1-y0)
}

// bounds returns the smallest and largest coordinates of a mesh with nodes.
func (m *Mesh) bounds() (x0, x1, y0, y1 float64) {
	x0, x1, y0, y1 = m.X[0], m.X[0], m.Y[0], m.Y[0]
	for i := range m.X {
		x0, x1 = min(x0, m.X[i]), max(x1, m.X[i])
		y0, y1 = min(y0, m.Y[i]), max(y1, m.Y[i])
	}
	return x0, x1, y0, y1
}

// A follower walks along the pieces of split segments.
type follower struct {
	m   *Mesh
	fix *Fixable // for the segments at a node
	far float64  // the distance at which a node is not on a segment

	piece func(at, next int32) // called with each piece, in order
}

// follow walks from u to v through added nodes on the straight line between
// them, always nearer to v, and returns the node where it ends: v if all of
// the segment is there.
func (w *follower) follow(u, v int32) int32 {
	x, y := w.m.X, w.m.Y
	dx, dy := x[v]-x[u], y[v]-y[u]
	length := math.Hypot(dx, dy)
	if length == 0 {
		return u
	}
	dx, dy = dx/length, dy/length
	at, done := u, 0.0
	for at != v {
		next, nextDone, off := int32(-1), 0.0, w.far
		for _, n := range w.fix.ends(at) {
			if n == v {
				next, nextDone = v, length
				break
			}
			if n < w.fix.input {
				continue
			}
			px, py := x[n]-x[u], y[n]-y[u]
			along, across := float64(px*dx)+float64(py*dy), math.Abs(float64(px*dy)-float64(py*dx))
			if across <= off && along > done && along < length {
				next, nextDone, off = n, along, across
			}
		}
		if next < 0 {
			return at
		}
		w.piece(at, next)
		at, done = next, nextDone
	}
	return v
}
