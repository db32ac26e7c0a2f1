package mesh

import (
	"fmt"
	"slices"
)

// This file finds the segments that a mesh has without listing them. Files of
// triangulations often lack a list of segments: the boundary shows in the
// triangles, a border between two materials in the attributes of the triangles on
// its sides (what Triangle calls regional attributes), and other lines in the
// markers of edges.

// AddBoundary makes a segment of each edge that belongs to one triangle only, and of
// each between two regions, if it is no segment yet, and returns how many it made.
// They have a triangle on their left. If segments have marks, those of the boundary
// get 1 and those between regions 0, which Triangle gives to segments without a mark.
//
// Regions are what triangles with equal attributes make up. If there are more than
// 16 different attributes, and more than one for eight triangles, they are
// values of triangles and name no regions. m must pass Validate.
func (m *Mesh) AddBoundary() int {
	twin, _ := m.twins()
	index, had := m.segmentIndex(), len(m.Segments)
	region, _ := m.regions()
	for h, other := range twin {
		mark := int32(1)
		if other >= 0 {
			if other < int32(h) || region == nil || region[h/3] == region[other/3] {
				continue
			}
			mark = 0
		}
		u, v := m.ends(int32(h))
		if _, ok := index[key(u, v)]; !ok {
			index[key(u, v)] = int32(len(m.Segments))
			m.addSegment(u, v, mark)
		}
	}
	return len(m.Segments) - had
}

// addSegment adds a segment, with a mark if segments have marks.
func (m *Mesh) addSegment(u, v, mark int32) {
	m.Segments = append(m.Segments, [2]int32{u, v})
	if m.SegmentMarks != nil {
		m.SegmentMarks = append(m.SegmentMarks, mark)
	}
}

// regions numbers the different attributes of triangles and returns the number of
// each triangle, nil if there are none or too many to name regions, and how many there
// are.
func (m *Mesh) regions() (region []int32, count int) {
	if len(m.TriangleAttributes) == 0 || len(m.Triangles) == 0 {
		return nil, 0
	}
	region = make([]int32, len(m.Triangles))
	for _, a := range m.TriangleAttributes {
		// The region so far and the attribute together make the new region.
		type pair struct {
			region int32
			value  float64
		}
		numbers := map[pair]int32{}
		for t, before := range region {
			n, ok := numbers[pair{before, a[t]}]
			if !ok {
				n = int32(len(numbers))
				numbers[pair{before, a[t]}] = n
			}
			region[t] = n
		}
		count = len(numbers)
	}
	if count > max(16, len(m.Triangles)/8) {
		return nil, count
	}
	return region, count
}

// noteBorders says which borders are not known although the file hints at them. It
// comes after AddBoundary.
func (m *Mesh) noteBorders() {
	if region, count := m.regions(); region == nil && count > 0 {
		m.note("attributes of triangles have %d different values: these name no regions, and the borders between them are not kept by refinement", count)
	}
	if m.NodeMarks == nil {
		return
	}
	onSegment := make([]bool, len(m.X))
	for _, s := range m.Segments {
		onSegment[s[0]], onSegment[s[1]] = true, true
	}
	stray := 0
	for v, mark := range m.NodeMarks {
		if mark != 0 && !onSegment[v] {
			stray++
		}
	}
	if stray > 0 {
		m.note("nodes with a marker that are on no segment: %d; which edges join them is not known (a .poly or .edge file says it), and refinement does not keep these", stray)
	}
}

// note adds to the mesh's notes.
func (m *Mesh) note(format string, args ...any) {
	m.Notes = append(m.Notes, fmt.Sprintf(format, args...))
}

// markedEdges makes segments of edges that a file marks; marks has one for each of
// edges. An edge that is a segment already gets the mark.
func (m *Mesh) markedEdges(name string, edges [][2]int32, marks []int32) {
	twin, _ := m.twins()
	isEdge := make(map[uint64]bool, len(twin)/2)
	for h := range twin {
		isEdge[key(m.ends(int32(h)))] = true
	}
	index, stray := m.segmentIndex(), 0
	if m.SegmentMarks == nil {
		m.SegmentMarks = make([]int32, len(m.Segments))
	}
	for i, e := range edges {
		s, ok := index[key(e[0], e[1])]
		switch {
		case marks[i] == 0:
		case ok:
			m.SegmentMarks[s] = marks[i]
		case isEdge[key(e[0], e[1])]:
			index[key(e[0], e[1])] = int32(len(m.Segments))
			m.addSegment(e[0], e[1], marks[i])
		default:
			stray++
		}
	}
	if stray > 0 {
		m.note("marked edges of %s that are no edges of triangles, and are left out: %d", name, stray)
	}
}

// markOf returns the mark of a segment: its own, or, without such, that of its ends if
// they have the same; boundary says that it belongs to one triangle only.
func (m *Mesh) markOf(s int, boundary bool) int32 {
	if m.SegmentMarks != nil {
		return m.SegmentMarks[s]
	}
	if m.NodeMarks != nil {
		if u, v := m.NodeMarks[m.Segments[s][0]], m.NodeMarks[m.Segments[s][1]]; u == v {
			return u
		}
	}
	if boundary {
		return 1
	}
	return 0
}

// withBoundary returns a mesh with the segments that AddBoundary adds; it shares
// everything else with m.
func (m *Mesh) withBoundary() *Mesh {
	whole := *m
	whole.Segments, whole.SegmentMarks = slices.Clone(m.Segments), slices.Clone(m.SegmentMarks)
	whole.AddBoundary()
	return &whole
}
