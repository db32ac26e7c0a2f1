package mesh

import (
	"math"
	"slices"
)

// This file gives a refined mesh what its input had besides coordinates. Refinement
// adds nodes and replaces triangles, but keeps the nodes and splits the segments:
//
//	node marks        those of the input; an added node on a segment has its mark
//	segment marks     of the segment that a piece is part of
//	node attributes   of added nodes, linear in the triangle or segment of the input
//	triangle attr.    of the triangle of the input that the centre is in
//	boundaries        the nodes that were added on the way, in order

// Inherit gives m, into which from was refined, the marks, attributes, boundaries,
// holes, regions, numbering and title of from. The nodes of from must come first in m.
// What cannot be carried over is told in m.Notes.
func (m *Mesh) Inherit(from *Mesh) {
	m.Base, m.Title = from.Base, from.Title
	m.Holes, m.Regions = slices.Clone(from.Holes), slices.Clone(from.Regions)
	if len(m.X) < len(from.X) {
		m.note("marks and attributes are not kept: %d nodes have become %d", len(from.X), len(m.X))
		return
	}
	if from.NodeMarks == nil && from.SegmentMarks == nil && len(from.NodeAttributes)+len(from.TriangleAttributes)+len(from.Boundaries) == 0 {
		return
	}
	h := newHeir(m, from.withBoundary())
	h.marks()
	h.nodeAttributes()
	h.triangleAttributes()
	h.boundaries()
	if h.outside > 0 {
		m.note("new nodes and triangles outside of the input's triangles, which have attributes of the nearest: %d", h.outside)
	}
}

// An heir is a mesh that inherits.
type heir struct {
	m, from *Mesh
	walk    *follower
	pieces  map[uint64]int32 // the segment of from that a segment of m is part of, by key
	onSeg   []int32          // the segment of from that an added node is on, or -1; by node less the input's
	tree    *boxTree         // over the triangles of from; nil before the first use
	far     float64
	outside int
}

func newHeir(m, from *Mesh) *heir {
	far := 1e-9 * from.diagonal()
	h := &heir{m: m, from: from, far: far, pieces: make(map[uint64]int32, len(m.Segments)),
		onSeg: slices.Repeat([]int32{-1}, len(m.X)-len(from.X))}
	h.walk = &follower{m: m, fix: m.Fixable(len(from.X)), far: far}
	for s, v := range from.Segments {
		h.walk.piece = func(at, next int32) {
			h.pieces[key(at, next)] = int32(s)
			if int(next) >= len(from.X) {
				h.onSeg[int(next)-len(from.X)] = int32(s)
			}
		}
		h.walk.follow(v[0], v[1])
	}
	return h
}

// marks carries the marks of nodes and segments over.
func (h *heir) marks() {
	m, from := h.m, h.from
	boundary := make(map[uint64]bool)
	twin, _ := from.twins()
	for e, other := range twin {
		if other < 0 {
			boundary[key(from.ends(int32(e)))] = true
		}
	}
	mark := func(s int32) int32 {
		return from.markOf(int(s), boundary[key(from.Segments[s][0], from.Segments[s][1])])
	}
	if from.SegmentMarks != nil {
		m.SegmentMarks = make([]int32, len(m.Segments))
		for i, v := range m.Segments {
			if s, ok := h.pieces[key(v[0], v[1])]; ok {
				m.SegmentMarks[i] = mark(s)
			}
		}
	}
	if from.NodeMarks != nil {
		m.NodeMarks = append(slices.Clone(from.NodeMarks), make([]int32, len(h.onSeg))...)
		for i, s := range h.onSeg {
			if s >= 0 {
				m.NodeMarks[len(from.X)+i] = mark(s)
			}
		}
	}
}

// nodeAttributes interpolates.
func (h *heir) nodeAttributes() {
	m, from := h.m, h.from
	if len(from.NodeAttributes) == 0 {
		return
	}
	m.NodeAttributes = make([][]float64, len(from.NodeAttributes))
	for k, a := range from.NodeAttributes {
		m.NodeAttributes[k] = append(slices.Clone(a), make([]float64, len(h.onSeg))...)
	}
	for i, s := range h.onSeg {
		v := len(from.X) + i
		x, y := m.X[v], m.Y[v]
		var corners [3]int32
		var weights [3]float64
		if s >= 0 {
			a, b := from.Segments[s][0], from.Segments[s][1]
			to := math.Hypot(x-from.X[a], y-from.Y[a])
			part := to / (to + math.Hypot(x-from.X[b], y-from.Y[b]))
			corners, weights = [3]int32{a, b, b}, [3]float64{1 - part, part, 0}
		} else {
			var t int32
			t, weights = h.locate(x, y)
			if t < 0 {
				continue
			}
			corners = from.Triangles[t]
		}
		for k, a := range from.NodeAttributes {
			// Conversions keep multiplication and addition from being fused.
			m.NodeAttributes[k][v] = float64(weights[0]*a[corners[0]]) + float64(weights[1]*a[corners[1]]) + float64(weights[2]*a[corners[2]])
		}
	}
}

// triangleAttributes copies those of the triangle in which the centre is.
func (h *heir) triangleAttributes() {
	m, from := h.m, h.from
	if len(from.TriangleAttributes) == 0 {
		return
	}
	m.TriangleAttributes = columns(len(from.TriangleAttributes), len(m.Triangles))
	for i, v := range m.Triangles {
		x := m.X[v[0]]/3 + m.X[v[1]]/3 + m.X[v[2]]/3
		y := m.Y[v[0]]/3 + m.Y[v[1]]/3 + m.Y[v[2]]/3
		t, _ := h.locate(x, y)
		if t < 0 {
			continue
		}
		for k, a := range from.TriangleAttributes {
			m.TriangleAttributes[k][i] = a[t]
		}
	}
}

// locate returns a triangle of from that contains a point, or the one that is nearest
// to containing it, -1 for none near, and the point's barycentric coordinates in it,
// none below 0.
func (h *heir) locate(x, y float64) (best int32, weights [3]float64) {
	from := h.from
	if h.tree == nil {
		boxes := make([]box, len(from.Triangles))
		for t, v := range from.Triangles {
			boxes[t] = box{
				min(from.X[v[0]], from.X[v[1]], from.X[v[2]]), min(from.Y[v[0]], from.Y[v[1]], from.Y[v[2]]),
				max(from.X[v[0]], from.X[v[1]], from.X[v[2]]), max(from.Y[v[0]], from.Y[v[1]], from.Y[v[2]]),
			}
		}
		h.tree = newBoxTree(boxes)
	}
	best = -1
	least := math.Inf(-1) // of the coordinates; the best triangle has the largest
	h.tree.visit(box{x - h.far, y - h.far, x + h.far, y + h.far}, func(t int32) {
		w, ok := from.barycentric(t, x, y)
		if low := min(w[0], w[1], w[2]); ok && (low > least || low == least && t < best) {
			best, least, weights = t, low, w
		}
	})
	if least < -1e-6 {
		h.outside++
	}
	sum := 0.0
	for i := range weights {
		weights[i] = max(0, weights[i])
		sum += weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return best, weights
}

// barycentric returns the coordinates of a point in triangle t, false if it is flat.
func (m *Mesh) barycentric(t int32, x, y float64) (w [3]float64, ok bool) {
	v := m.Triangles[t]
	x0, y0 := m.X[v[0]], m.Y[v[0]]
	ax, ay, bx, by := m.X[v[1]]-x0, m.Y[v[1]]-y0, m.X[v[2]]-x0, m.Y[v[2]]-y0
	px, py := x-x0, y-y0
	area := float64(ax*by) - float64(ay*bx)
	w[1] = (float64(px*by) - float64(py*bx)) / area
	w[2] = (float64(ax*py) - float64(ay*px)) / area
	w[0] = 1 - w[1] - w[2]
	return w, finite(w[0]) && finite(w[1]) && finite(w[2])
}

// boundaries inserts the nodes that split the edges of boundaries.
func (h *heir) boundaries() {
	lost := 0
	for _, b := range h.from.Boundaries {
		nodes := b.Nodes
		closed := b.Island() && len(nodes) > 2 && nodes[0] != nodes[len(nodes)-1]
		out := Boundary{Open: b.Open, Kind: b.Kind}
		between := func(u, v int32) {
			var added []int32
			h.walk.piece = func(_, next int32) { added = append(added, next) }
			if h.walk.follow(u, v) != v {
				lost++
				return
			}
			out.Nodes = append(out.Nodes, added[:max(0, len(added)-1)]...)
		}
		for i, v := range nodes {
			if i > 0 {
				between(nodes[i-1], v)
			}
			out.Nodes = append(out.Nodes, v)
		}
		if closed {
			between(nodes[len(nodes)-1], nodes[0])
		}
		h.m.Boundaries = append(h.m.Boundaries, out)
	}
	if lost > 0 {
		h.m.note("edges of boundaries that are no segments, whose added nodes are not in the lists: %d", lost)
	}
}
