package mesh

import (
	"fmt"
	"slices"
)

// This file finds which triangles and segments touch. A half-edge is a number
// 3t+k and means side k of triangle t, from Triangles[t][k] to
// Triangles[t][(k+1)%3].

// after[k] is (k+1)%3, the corner where side k ends.
var after = [3]int{1, 2, 0}

// ends returns the nodes of a half-edge.
func (m *Mesh) ends(h int32) (u, v int32) {
	t, k := m.Triangles[h/3], h%3
	return t[k], t[after[k]]
}

// A conflict is two triangles, given by their half-edges, on the same side of
// one edge.
type conflict [2]int32

// twins returns for each half-edge the one with the same nodes in the other
// direction, -1 at the boundary, and the conflicts that keep it from being
// unique. It takes time O(n log n) at worst and linear for usual meshes: edges
// are put into one bucket for each node, which holds six of them on average.
func (m *Mesh) twins() ([]int32, []conflict) {
	n := len(m.X)
	start := make([]int32, n+1)
	for _, t := range m.Triangles {
		for k, u := range t {
			start[min(u, t[after[k]])+1]++
		}
	}
	for i := range n {
		start[i+1] += start[i]
	}
	fill := slices.Clone(start)
	edges := make([]uint64, 3*len(m.Triangles)) // the larger node, the half-edge
	for i, t := range m.Triangles {
		for k, u := range t {
			v := t[after[k]]
			low := min(u, v)
			edges[fill[low]] = uint64(max(u, v))<<32 | uint64(3*i+k)
			fill[low]++
		}
	}
	twin := make([]int32, len(edges))
	conflicts := gather(n, func(lo, hi int) (bad []conflict) {
		for v := lo; v < hi; v++ {
			bucket := edges[start[v]:start[v+1]]
			slices.Sort(bucket)
			for len(bucket) > 0 {
				k := 1
				for k < len(bucket) && bucket[k]>>32 == bucket[0]>>32 {
					k++
				}
				bad = append(bad, m.pair(twin, bucket[:k])...)
				bucket = bucket[k:]
			}
		}
		return bad
	})
	return twin, conflicts
}

// pair fills in twin for the half-edges of one edge.
func (m *Mesh) pair(twin []int32, edge []uint64) (bad []conflict) {
	if len(edge) == 2 {
		a, b := int32(edge[0]), int32(edge[1])
		ua, _ := m.ends(a)
		ub, _ := m.ends(b)
		if ua != ub {
			twin[a], twin[b] = b, a
			return nil
		}
	}
	var seen [2]int32 // the first half-edge up and the first down, plus one
	for _, e := range edge {
		h := int32(e)
		twin[h] = -1
		u, v := m.ends(h)
		side := 0
		if u > v {
			side = 1
		}
		if seen[side] == 0 {
			seen[side] = h + 1
		} else {
			bad = append(bad, conflict{seen[side] - 1, h})
		}
	}
	if seen[0] > 0 && seen[1] > 0 {
		twin[seen[0]-1], twin[seen[1]-1] = seen[1]-1, seen[0]-1
	}
	return bad
}

// Neighbors returns for each triangle those on the other side of its three
// sides; side k runs from corner k to corner (k+1)%3. It is -1 at the boundary.
// Two triangles on the same side of an edge are an error.
func (m *Mesh) Neighbors() ([][3]int32, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	twin, conflicts := m.twins()
	if len(conflicts) > 0 {
		return nil, fmt.Errorf("mesh: %s", m.describe(conflicts[0]))
	}
	out := make([][3]int32, len(m.Triangles))
	for h, other := range twin {
		if other >= 0 {
			other /= 3
		}
		out[h/3][h%3] = other
	}
	return out, nil
}

// describe says what a conflict is.
func (m *Mesh) describe(c conflict) string {
	u, v := m.ends(c[0])
	return fmt.Sprintf("triangles %d and %d lie on the same side of the edge from node %d to %d",
		int(c[0]/3)+m.Base, int(c[1]/3)+m.Base, int(u)+m.Base, int(v)+m.Base)
}

// key names an edge, whatever its direction.
func key(u, v int32) uint64 { return uint64(min(u, v))<<32 | uint64(max(u, v)) }

// segmentIndex maps the key of each segment to its number, the first one's if
// a segment is there twice.
func (m *Mesh) segmentIndex() map[uint64]int32 {
	index := make(map[uint64]int32, len(m.Segments))
	for s, v := range m.Segments {
		if _, twice := index[key(v[0], v[1])]; !twice {
			index[key(v[0], v[1])] = int32(s)
		}
	}
	return index
}

// Elements are a mesh in the form that refinement programs work on: triangles
// and segments are numbered together, the triangles first, and neighbours are
// found without a search. A segment is an element of two nodes which stands
// between the triangles on its sides, so that no program needs to ask whether
// the edge it crosses is a segment.
type Elements struct {
	// Nodes has three nodes, counter-clockwise, for a triangle; a segment's
	// third node is -1.
	Nodes [][3]int32

	// Neighbors[e][k] is the element on the other side of the edge from
	// corner k to corner (k+1)%3 of a triangle. A segment from u to v has the
	// triangle on its left and the one on its right, -1 where there is none,
	// and a third neighbour of -1.
	Neighbors [][3]int32

	// Triangles is the number of triangles: the first segment's number.
	Triangles int
}

// Elements returns the elements of m. It is an error if an edge of the boundary
// is no segment (see [Mesh.AddBoundary]), if a segment is no edge of a
// triangle or is there twice, or if two triangles lie on the same side of an
// edge.
func (m *Mesh) Elements() (*Elements, error) {
	neighbors, err := m.Neighbors()
	if err != nil {
		return nil, err
	}
	nt, ns := len(m.Triangles), len(m.Segments)
	if nt+ns > MaxTriangles {
		return nil, fmt.Errorf("mesh: %d triangles and segments; at most %d are supported", nt+ns, MaxTriangles)
	}
	e := &Elements{Nodes: slices.Grow(slices.Clone(m.Triangles), ns), Neighbors: slices.Grow(neighbors, ns), Triangles: nt}
	for _, v := range m.Segments {
		e.Nodes = append(e.Nodes, [3]int32{v[0], v[1], -1})
		e.Neighbors = append(e.Neighbors, [3]int32{-1, -1, -1})
	}
	onSegment := make([]bool, len(m.X))
	for _, v := range m.Segments {
		onSegment[v[0]], onSegment[v[1]] = true, true
	}
	index := m.segmentIndex()
	for t, v := range m.Triangles {
		for k, u := range v {
			w := v[after[k]]
			s, ok := int32(0), false
			if onSegment[u] && onSegment[w] {
				s, ok = index[key(u, w)]
			}
			if ok {
				side := 0
				if m.Segments[s][0] != u {
					side = 1
				}
				e.Neighbors[nt+int(s)][side] = int32(t)
				e.Neighbors[t][k] = int32(nt) + s
			} else if e.Neighbors[t][k] < 0 {
				return nil, fmt.Errorf("mesh: the edge from node %d to %d is on the boundary and no segment", int(u)+m.Base, int(w)+m.Base)
			}
		}
	}
	for s, v := range m.Segments {
		if e.Neighbors[nt+s][0] < 0 && e.Neighbors[nt+s][1] < 0 {
			return nil, fmt.Errorf("mesh: segment %d, from node %d to %d, is no edge of a triangle, or there twice", s+m.Base, int(v[0])+m.Base, int(v[1])+m.Base)
		}
	}
	return e, nil
}

// FromElements returns the mesh of the elements that are not deleted: those
// with a third node of -1 become segments. The slices x, y are used, not
// copied; deleted may be nil. An error says which number is out of range.
func FromElements(x, y []float64, nodes [][3]int32, deleted []bool) (*Mesh, error) {
	m := &Mesh{X: x, Y: y}
	if deleted != nil && len(deleted) != len(nodes) {
		return nil, fmt.Errorf("mesh: %d elements and %d flags of deletion", len(nodes), len(deleted))
	}
	for i, v := range nodes {
		switch {
		case deleted != nil && deleted[i]:
		case v[2] == -1:
			m.Segments = append(m.Segments, [2]int32{v[0], v[1]})
		default:
			m.Triangles = append(m.Triangles, v)
		}
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return m, nil
}
