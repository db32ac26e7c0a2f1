package mesh

import (
	"cmp"
	"slices"
)

// Reorder renumbers nodes along a Hilbert curve and sorts the triangles by
// their nodes, so that what is near in the plane is near in memory. It returns
// for each new node its old number. The corners of a triangle, and all
// segments, keep their order. m must pass Validate.
func (m *Mesh) Reorder() []int32 {
	n := len(m.X)
	old := make([]int32, n)
	keys := make([]uint64, n)
	if n > 0 {
		x0, x1, y0, y1 := m.bounds()
		// Scaled before they are subtracted, so that nothing overflows.
		sx, sy := x1/2-x0/2, y1/2-y0/2
		size := max(sx, sy)
		for i := range n {
			old[i] = int32(i)
			if size > 0 {
				keys[i] = hilbert(lattice((m.X[i]/2-x0/2)/size), lattice((m.Y[i]/2-y0/2)/size))
			}
		}
	}
	slices.SortFunc(old, func(a, b int32) int { return cmp.Or(cmp.Compare(keys[a], keys[b]), cmp.Compare(a, b)) })
	renumbered := make([]int32, n)
	for i, v := range old {
		renumbered[v] = int32(i)
	}
	m.X, m.Y = permute(m.X, old), permute(m.Y, old)
	m.NodeMarks = permute(m.NodeMarks, old)
	for k, a := range m.NodeAttributes {
		m.NodeAttributes[k] = permute(a, old)
	}
	for i, s := range m.Segments {
		m.Segments[i] = [2]int32{renumbered[s[0]], renumbered[s[1]]}
	}
	for _, b := range m.Boundaries {
		for i, v := range b.Nodes {
			b.Nodes[i] = renumbered[v]
		}
	}
	m.reorderTriangles(renumbered)
	return old
}

// reorderTriangles renumbers the nodes of triangles and sorts the triangles by
// the smallest.
func (m *Mesh) reorderTriangles(renumbered []int32) {
	order := make([]uint64, len(m.Triangles))
	for i, t := range m.Triangles {
		for k, v := range t {
			m.Triangles[i][k] = renumbered[v]
		}
		t = m.Triangles[i]
		order[i] = uint64(min(t[0], t[1], t[2]))<<32 | uint64(i)
	}
	slices.Sort(order)
	perm := make([]int32, len(order))
	for i, o := range order {
		perm[i] = int32(o)
	}
	m.Triangles = permute(m.Triangles, perm)
	for k, a := range m.TriangleAttributes {
		m.TriangleAttributes[k] = permute(a, perm)
	}
}

// permute returns the elements of s in the order given; nil stays nil.
func permute[T any](s []T, order []int32) []T {
	if s == nil {
		return nil
	}
	out := make([]T, len(s))
	for i, o := range order {
		out[i] = s[o]
	}
	return out
}

// hilbertBits is the number of bits of each coordinate on the curve.
const hilbertBits = 24

// lattice maps 0..1 to a coordinate on the curve.
func lattice(v float64) uint32 {
	return uint32(min(max(v, 0), 1) * (1<<hilbertBits - 1))
}

// hilbert returns the place of a lattice point on the Hilbert curve.
func hilbert(x, y uint32) uint64 {
	var d uint64
	for s := uint32(1) << (hilbertBits - 1); s > 0; s >>= 1 {
		var rx, ry uint32
		if x&s != 0 {
			rx = 1
		}
		if y&s != 0 {
			ry = 1
		}
		d = d<<2 | uint64(3*rx^ry)
		if ry == 0 {
			if rx == 1 {
				x, y = ^x, ^y
			}
			x, y = y, x
		}
	}
	return d
}
