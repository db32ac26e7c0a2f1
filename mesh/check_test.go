package mesh

import (
	"context"
	"math"
	"strings"
	"testing"
)

// square is the mesh of the package comment.
func square() *Mesh {
	return &Mesh{
		X: []float64{0, 1, 1, 0}, Y: []float64{0, 0, 1, 1},
		Triangles: [][3]int32{{0, 1, 2}, {0, 2, 3}},
		Segments:  [][2]int32{{0, 1}, {1, 2}, {2, 3}, {3, 0}},
	}
}

// ring is a square with a square hole: eight nodes, eight triangles.
func ring() *Mesh {
	m := &Mesh{X: []float64{0, 3, 3, 0, 1, 2, 2, 1}, Y: []float64{0, 0, 3, 3, 1, 1, 2, 2}}
	for i := range int32(4) {
		j := (i + 1) % 4
		m.Triangles = append(m.Triangles, [3]int32{i, j, 4 + i}, [3]int32{j, 4 + j, 4 + i})
	}
	m.AddBoundary()
	return m
}

// add puts nodes and triangles behind those of m, in place.
func add(m *Mesh, x, y []float64, triangles ...[3]int32) *Mesh {
	m.X, m.Y = append(m.X, x...), append(m.Y, y...)
	m.Triangles = append(m.Triangles, triangles...)
	m.AddBoundary()
	return m
}

// Each row is a way in which a mesh can be broken, and what Check says first.
// An empty text means that nothing is wrong.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name string
		m    *Mesh
		opts CheckOptions
		want string
	}{
		{"square", square(), CheckOptions{Delaunay: true, MinAngle: 45}, ""},
		{"ring", ring(), CheckOptions{MinAngle: 10}, ""},
		{"empty", &Mesh{}, CheckOptions{Delaunay: true, Input: &Mesh{}}, ""},
		{"two apart", add(square(), []float64{5, 6, 5}, []float64{0, 0, 1}, [3]int32{4, 5, 6}), CheckOptions{}, ""},
		{"two that share a corner", add(square(), []float64{2, 2}, []float64{1, 2}, [3]int32{2, 4, 5}), CheckOptions{}, ""},
		{"a triangle in the hole", add(ring(), []float64{1.2, 1.8, 1.5}, []float64{1.2, 1.2, 1.8}, [3]int32{8, 9, 10}), CheckOptions{}, ""},
		{"a triangle that fits in the hole", add(ring(), []float64{1.5}, []float64{1.5}, [3]int32{4, 5, 8}), CheckOptions{}, ""},

		{"no such node", add2(square(), func(m *Mesh) { m.Triangles[1][2] = 4 }), CheckOptions{}, "range: 1\n\ttriangle 1 has nodes [0 2 4]; there are 4 nodes"},
		{"negative node", add2(square(), func(m *Mesh) { m.Segments[1][0] = -1 }), CheckOptions{}, "range: 1\n\tsegment 1 has nodes [-1 2]"},
		{"not a number", add2(square(), func(m *Mesh) { m.Y[3] = math.NaN() }), CheckOptions{}, "range: 1\n\tnode 3 lies at (0, NaN)"},
		{"too few marks", add2(square(), func(m *Mesh) { m.NodeMarks = []int32{1} }), CheckOptions{}, "4 nodes and 1 node marks"},

		{"clockwise", add2(square(), func(m *Mesh) { m.Triangles[0] = [3]int32{0, 2, 1} }), CheckOptions{}, "orientation: 1\n\ttriangle 0 (nodes 0 2 1) is clockwise"},
		{"flat", add2(square(), func(m *Mesh) { m.Y[1], m.X[1] = 0.5, 0.5 }), CheckOptions{}, "orientation: 1\n\ttriangle 0 (nodes 0 1 2) has no area"},
		{"a corner twice", add2(square(), func(m *Mesh) { m.Triangles[0][1] = 0 }), CheckOptions{}, "orientation: 1\n\ttriangle 0 (nodes 0 0 2) has no area"},
		{"a triangle twice", add2(square(), func(m *Mesh) { m.Triangles = append(m.Triangles, m.Triangles[0]) }), CheckOptions{},
			"conforming: 3\n\ttriangles 0 and 2 lie on the same side of the edge from node 0 to 1"},
		{"three at an edge", add(square(), []float64{0.5}, []float64{2}, [3]int32{0, 2, 4}), CheckOptions{},
			"conforming: 1\n\ttriangles 1 and 2 lie on the same side of the edge from node 0 to 2"},

		{"a node on an edge", add(square(), []float64{1, 2}, []float64{0.5, 0.5}, [3]int32{1, 5, 4}), CheckOptions{},
			"overlap: 2\n\tthe edge from node 1 to 2 of the boundary meets the edge from node 4 to 1"},
		{"edges that cross", add(square(), []float64{0.5, 2, 2}, []float64{0.5, 0, 1}, [3]int32{4, 5, 6}), CheckOptions{}, "overlap: 2\n"},
		{"one inside another", add(square(), []float64{0.5, 0.8, 0.6}, []float64{0.1, 0.1, 0.2}, [3]int32{4, 5, 6}), CheckOptions{},
			"overlap: 3\n\t2 triangles overlap beside node 4 (0.5, 0.1)"},
		{"a triangle around the hole", add(ring(), []float64{-9, 9, 0}, []float64{-9, -9, 20}, [3]int32{8, 9, 10}), CheckOptions{}, "overlap: "},
		{"twice around a node", spiral(), CheckOptions{}, "overlap: "},
		{"the same place twice", add(square(), []float64{1, 2, 2}, []float64{1, 1, 2}, [3]int32{4, 5, 6}), CheckOptions{}, "overlap: "},

		{"an edge that is no segment", add2(square(), func(m *Mesh) { m.Segments = m.Segments[:3] }), CheckOptions{}, "segments: 1\n\tthe edge from node 3 to 0 is on the boundary and no segment"},
		{"a segment that is no edge", add2(square(), func(m *Mesh) { m.Segments = append(m.Segments, [2]int32{1, 3}) }), CheckOptions{}, "segments: 1\n\tsegment 4 (nodes 1 3) is no edge"},
		{"a segment twice", add2(square(), func(m *Mesh) { m.Segments = append(m.Segments, [2]int32{1, 0}) }), CheckOptions{}, "segments: 1\n\tsegment 4 (nodes 1 0) is the same as segment 0"},

		{"not Delaunay", kite(nil), CheckOptions{Delaunay: true}, "delaunay: 1\n\tnode 3 (4, 1) lies inside the circle of triangle 0 (nodes 0 1 2), by 124 degrees"},
		{"not Delaunay, not asked", kite(nil), CheckOptions{}, ""},
		{"a segment stands between", kite([][2]int32{{0, 2}}), CheckOptions{Delaunay: true}, ""},
		{"nearly Delaunay", add2(square(), func(m *Mesh) { m.Y[1], m.Y[3] = 1e-14, 1-1e-14 }), CheckOptions{Delaunay: true, DelaunayTolerance: 1e-9}, ""},
		{"nearly Delaunay, exactly", add2(square(), func(m *Mesh) { m.Y[1], m.Y[3] = 1e-14, 1-1e-14 }), CheckOptions{Delaunay: true}, "delaunay: 1\n"},

		{"angles", square(), CheckOptions{MinAngle: 45.1}, "angle: 2\n\ttriangle 0 (nodes 0 1 2) has an angle of 45 degrees"},
		{"angles between segments", add2(square(), func(m *Mesh) { m.Segments = append(m.Segments, [2]int32{0, 2}) }), CheckOptions{MinAngle: 45.1}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Check(context.Background(), c.m, c.opts)
			if err != nil {
				t.Fatal(err)
			}
			compareReport(t, r, c.want)
		})
	}
}

func compareReport(t *testing.T, r *Report, want string) {
	t.Helper()
	got := r.String()
	if r.OK() != (want == "") || !strings.Contains(got, want) {
		t.Errorf("got\n%swant %q", got, want)
	}
}

// add2 changes m in place.
func add2(m *Mesh, change func(*Mesh)) *Mesh {
	change(m)
	return m
}

// kite has its long diagonal.
func kite(segments [][2]int32) *Mesh {
	m := &Mesh{X: []float64{0, 4, 8, 4}, Y: []float64{0, -1, 0, 1}, Triangles: [][3]int32{{0, 1, 2}, {0, 2, 3}}, Segments: segments}
	m.AddBoundary()
	return m
}

// spiral has ten triangles around a node, each of 72 degrees: every edge is
// joined properly, no two boundary edges cross, and still all overlap.
func spiral() *Mesh {
	m := &Mesh{X: []float64{0}, Y: []float64{0}}
	for i := range 10 {
		s, c := math.Sincos(float64(i) * 0.4 * math.Pi)
		r := 1 + 0.02*float64(i)
		m.X, m.Y = append(m.X, r*c), append(m.Y, r*s)
	}
	for i := range int32(10) {
		m.Triangles = append(m.Triangles, [3]int32{0, 1 + i, 1 + (i+1)%10})
	}
	m.AddBoundary()
	return m
}

// Each row is a way in which refinement can go wrong.
func TestCheckAgainstInput(t *testing.T) {
	split := func() *Mesh { // the lower side of the square split in two
		m := square()
		m.X, m.Y = append(m.X, 0.5), append(m.Y, 0)
		m.Triangles = [][3]int32{{0, 4, 2}, {4, 1, 2}, {0, 2, 3}}
		m.Segments = [][2]int32{{0, 4}, {4, 1}, {1, 2}, {2, 3}, {3, 0}}
		return m
	}
	for _, c := range []struct {
		name   string
		change func(m *Mesh)
		want   string
	}{
		{"split", func(m *Mesh) {}, ""},
		{"segments turned", func(m *Mesh) { m.Segments[1] = [2]int32{1, 4} }, ""},
		{"a node moved", func(m *Mesh) { m.Y[2] = 1.5 }, "nodes: 1\n\tnode 2 (1, 1.5) was at (1, 1)"},
		{"a node lost", func(m *Mesh) { m.X, m.Y = m.X[:3], m.Y[:3]; m.Triangles = nil; m.Segments = nil }, "nodes: 1\n\t3 nodes, and the input has 4"},
		{"a triangle lost", func(m *Mesh) {
			m.Triangles = m.Triangles[:2]
			m.Segments[3] = [2]int32{2, 0}
			m.Segments = m.Segments[:4]
		}, "area: 1\n\tthe area is 0.5 and was 1"},
		{"a dent", func(m *Mesh) { m.Y[4] = 0.01 }, "boundary: 3\n\tthe segment of the input from node 0 to 1 ends at node 0 (0, 0)"},
		{"a dent of rounding", func(m *Mesh) { m.Y[4] = 1e-16 }, ""},
		{"a segment too many", func(m *Mesh) { m.Segments = append(m.Segments, [2]int32{4, 2}) }, "boundary: 1\n\tsegment 5 (nodes 4 2) is part of no segment of the input"},
		{"a segment lost", func(m *Mesh) { m.Segments = m.Segments[1:] }, "the segment of the input from node 0 to 1 ends at node 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := split()
			c.change(m)
			r, err := Check(context.Background(), m, CheckOptions{Input: square()})
			if err != nil {
				t.Fatal(err)
			}
			compareReport(t, r, c.want)
		})
	}
}

// A wedge of ten degrees cannot lose its angle, however finely it is cut.
func TestFixable(t *testing.T) {
	s, c := math.Sincos(math.Pi / 18)
	m := &Mesh{
		X: []float64{0, 1, c, 0.5, 0.5 * c, 2, 2.1}, Y: []float64{0, 0, s, 0, 0.5 * s, 2, 2},
		Triangles: [][3]int32{{0, 3, 4}, {3, 1, 4}, {4, 1, 2}, {2, 1, 5}, {1, 6, 5}},
		Segments:  [][2]int32{{0, 3}, {3, 1}, {0, 4}, {4, 2}},
	}
	for _, c := range []struct {
		input int
		want  []bool
	}{
		{3, []bool{false, false, false, false, true}}, // 3 and 4 split two segments that meet at 0
		{7, []bool{false, false, true, true, true}},   // all nodes were there: 4-2 and 3-1 share no end
	} {
		fix := m.Fixable(c.input)
		for i, want := range c.want {
			if got := fix.Triangle(i); got != want {
				t.Errorf("%d input nodes: triangle %d, angle %.3g: fixable %v, want %v", c.input, i, m.MinAngle(i), got, want)
			}
		}
	}
}

func TestCancelledCheck(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Check(ctx, square(), CheckOptions{}); err != context.Canceled {
		t.Error(err)
	}
}
