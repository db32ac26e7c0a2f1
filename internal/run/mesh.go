package run

import (
	"context"
	"fmt"
	"slices"

	"irgl/internal/check"
	"irgl/mesh"
)

// A Mesh is a triangle mesh as programs see it: triangles and segments are
// elements of one kind, each with its neighbours (see [mesh.Elements]). Engines
// copy the slices of their input.
type Mesh struct {
	X, Y []float64 // of the points
	// Points has the corners of an element, counter-clockwise, -1 for the third
	// of a segment; Neighbors the elements beyond the edges from corner k to
	// corner k+1, -1 for none.
	Points, Neighbors [][3]int32
	Deleted           []bool // of the elements; nil when none is
}

// PrepareMesh returns the elements of m. Edges of its boundary and between its regions
// that are no segments become segments; where a program requires a Delaunay mesh edges are
// flipped until it is one, with regard to its segments. The error says what
// makes m no triangulation.
func PrepareMesh(ctx context.Context, m *mesh.Mesh, r check.Requires) (*Mesh, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if len(m.X) > 0 && len(m.Triangles) == 0 {
		return nil, fmt.Errorf("prepare mesh: it has %d nodes and no triangles: triangulate them first (mesh.Delaunay)", len(m.X))
	}
	whole := *m
	whole.Segments, whole.SegmentMarks = slices.Clone(m.Segments), slices.Clone(m.SegmentMarks)
	if r.Delaunay {
		whole.Triangles = slices.Clone(m.Triangles)
	}
	whole.AddBoundary()
	if r.Delaunay {
		if _, err := whole.MakeDelaunay(ctx); err != nil {
			return nil, fmt.Errorf("prepare mesh: %w", err)
		}
	}
	e, err := whole.Elements()
	if err != nil {
		return nil, fmt.Errorf("prepare mesh: %w", err)
	}
	return &Mesh{X: m.X, Y: m.Y, Points: e.Nodes, Neighbors: e.Neighbors}, nil
}

// Triangulation returns the mesh of the elements that are not deleted.
func (m *Mesh) Triangulation() (*mesh.Mesh, error) {
	return mesh.FromElements(m.X, m.Y, m.Points, m.Deleted)
}

// Triangles returns the number of elements that are triangles and not deleted.
func (m *Mesh) Triangles() int {
	n := 0
	for i, p := range m.Points {
		if p[2] >= 0 && (m.Deleted == nil || !m.Deleted[i]) {
			n++
		}
	}
	return n
}
