package mesh

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestNeighbors(t *testing.T) {
	m := square()
	got, err := m.Neighbors()
	if want := [][3]int32{{-1, -1, 1}, {0, -1, -1}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	m.Triangles = append(m.Triangles, [3]int32{3, 0, 2})
	if _, err := m.Neighbors(); err == nil || !strings.Contains(err.Error(), "triangles 1 and 2 lie on the same side") {
		t.Errorf("a triangle twice: %v", err)
	}
	m.Triangles[0][0] = 77
	if _, err := m.Neighbors(); err == nil || !strings.Contains(err.Error(), "triangle 0 has nodes [77 1 2]") {
		t.Errorf("no such node: %v", err)
	}
}

// Whoever crosses an edge and crosses it again is back where he was; corners
// agree on both sides.
func TestElements(t *testing.T) {
	m, err := Generate(context.Background(), 500, 3)
	if err != nil {
		t.Fatal(err)
	}
	inner := m.Triangles[100] // an edge inside becomes a segment too
	m.Segments = append(m.Segments, [2]int32{inner[1], inner[0]})
	e, err := m.Elements()
	if err != nil {
		t.Fatal(err)
	}
	if e.Triangles != len(m.Triangles) || len(e.Nodes) != len(m.Triangles)+len(m.Segments) {
		t.Fatalf("%d triangles of %d elements", e.Triangles, len(e.Nodes))
	}
	outside := 0
	for i, n := range e.Neighbors {
		if i >= e.Triangles {
			if e.Nodes[i][2] != -1 || n[2] != -1 {
				t.Fatalf("segment %d: nodes %v, neighbours %v", i, e.Nodes[i], n)
			}
			u, v := e.Nodes[i][0], e.Nodes[i][1]
			for k, other := range n[:2] {
				if other < 0 {
					outside++
				} else if !hasSide(e.Nodes[other], u, v) {
					t.Fatalf("segment %d: triangle %v is not on side %d", i, e.Nodes[other], k)
				}
				u, v = v, u
			}
			continue
		}
		for k, other := range n {
			if other < 0 || !slices.Contains(e.Neighbors[other][:], int32(i)) {
				t.Fatalf("triangle %d: neighbour %d does not know it", i, other)
			}
			if int(other) < e.Triangles && !hasSide(e.Nodes[other], e.Nodes[i][after[k]], e.Nodes[i][k]) {
				t.Fatalf("triangle %d: neighbour %d has another edge", i, other)
			}
		}
	}
	if outside != len(m.Segments)-1 {
		t.Errorf("%d sides of segments without a triangle, want %d", outside, len(m.Segments)-1)
	}
}

// hasSide reports whether a triangle has the side from u to v.
func hasSide(t [3]int32, u, v int32) bool {
	for k := range t {
		if t[k] == u && t[after[k]] == v {
			return true
		}
	}
	return false
}

func TestElementsRefuses(t *testing.T) {
	for _, c := range []struct {
		change func(m *Mesh)
		want   string
	}{
		{func(m *Mesh) { m.Segments = m.Segments[1:] }, "the edge from node 0 to 1 is on the boundary and no segment"},
		{func(m *Mesh) { m.Segments = append(m.Segments, [2]int32{1, 3}) }, "segment 4, from node 1 to 3, is no edge"},
		{func(m *Mesh) { m.Segments = append(m.Segments, [2]int32{1, 2}) }, "segment 4, from node 1 to 2, is no edge of a triangle, or there twice"},
	} {
		m := square()
		c.change(m)
		if _, err := m.Elements(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	if _, err := FromElements([]float64{0}, []float64{0}, [][3]int32{{0, 1, 2}}, nil); err == nil {
		t.Error("a triangle of nodes that do not exist was taken")
	}
	if _, err := FromElements([]float64{0}, []float64{0}, [][3]int32{{0, 0, 0}}, []bool{}); err == nil {
		t.Error("too few flags were taken")
	}
}

func TestFromElementsDropsDeleted(t *testing.T) {
	s := square()
	m, err := FromElements(s.X, s.Y, [][3]int32{{0, 1, 2}, {0, 1, -1}, {0, 2, 3}, {1, 2, -1}}, []bool{false, false, true, true})
	if err != nil || len(m.Triangles) != 1 || len(m.Segments) != 1 || m.Segments[0] != [2]int32{0, 1} {
		t.Errorf("%v, %v", m, err)
	}
}

// Reordering changes numbers only, and brings near what is near.
func TestReorder(t *testing.T) {
	m, err := Generate(context.Background(), 3000, 5)
	if err != nil {
		t.Fatal(err)
	}
	m.NodeMarks = make([]int32, len(m.X))
	for i := range m.NodeMarks {
		m.NodeMarks[i] = int32(i)
	}
	was := *m
	was.Triangles, was.Segments = slices.Clone(m.Triangles), slices.Clone(m.Segments)
	gap := meanGap(m)
	old := m.Reorder()
	if after := meanGap(m); after > gap/10 {
		t.Errorf("nodes of an edge are %.0f numbers apart, and were %.0f", after, gap)
	}
	for i, v := range old {
		if m.X[i] != was.X[v] || m.Y[i] != was.Y[v] || m.NodeMarks[i] != v {
			t.Fatalf("node %d is not the old node %d", i, v)
		}
	}
	for i := range m.Triangles {
		for k, v := range m.Triangles[i] {
			m.Triangles[i][k] = old[v]
		}
	}
	if !reflect.DeepEqual(sortedTriangles(m), sortedTriangles(&was)) {
		t.Error("other triangles")
	}
	for i, s := range m.Segments {
		if was.Segments[i] != [2]int32{old[s[0]], old[s[1]]} {
			t.Errorf("segment %d is another", i)
		}
	}
}

func meanGap(m *Mesh) float64 {
	sum := 0.0
	for _, v := range m.Triangles {
		sum += math.Abs(float64(v[0]-v[1])) + math.Abs(float64(v[1]-v[2]))
	}
	return sum / float64(2*len(m.Triangles))
}

// The Hilbert curve visits every point of a square once, by steps to a
// neighbour.
func TestHilbert(t *testing.T) {
	const side = 32
	place := map[uint64][2]int{}
	for x := range side {
		for y := range side {
			place[hilbert(uint32(x), uint32(y))] = [2]int{x, y}
		}
	}
	for i := uint64(1); i < side*side; i++ {
		a, ok1 := place[i-1]
		b, ok2 := place[i]
		if dx, dy := a[0]-b[0], a[1]-b[1]; !ok1 || !ok2 || dx*dx+dy*dy != 1 {
			t.Fatalf("place %d: %v after %v", i, b, a)
		}
	}
}

func TestOrient(t *testing.T) {
	m := square()
	m.Triangles[1] = [3]int32{0, 3, 2}
	if n := m.Orient(); n != 1 || m.Triangles[1] != [3]int32{0, 2, 3} {
		t.Errorf("%d turned: %v", n, m.Triangles)
	}
}

func TestQuality(t *testing.T) {
	m := &Mesh{X: []float64{0, 1, 0, 2}, Y: []float64{0, 0, 1, math.Sqrt(3)}, Triangles: [][3]int32{{0, 1, 2}}}
	q := m.Quality(46, nil)
	if q.Area != 0.5 || math.Abs(q.MinAngle-45) > 1e-12 || math.Abs(q.MaxAngle-90) > 1e-12 || q.Shortest != 1 || q.Bad != 1 || q.Worst != 0 {
		t.Errorf("%+v", q)
	}
	if q.Histogram[4]+q.Histogram[9]+q.Histogram[8] != 3 {
		t.Errorf("histogram %v", q.Histogram)
	}
	for _, scale := range []float64{0x1p-1060, 0x1p-500, 1, 0x1p500, 0x1p1023} {
		s := &Mesh{X: []float64{-scale, scale, -scale}, Y: []float64{-scale, -scale, scale}, Triangles: [][3]int32{{0, 1, 2}}}
		if a := s.MinAngle(0); math.Abs(a-45) > 1e-12 {
			t.Errorf("scale %g: angle %v", scale, a)
		}
	}
	if q := (&Mesh{}).Quality(30, nil); q.MinAngle != 0 || q.Worst != -1 {
		t.Errorf("empty: %+v", q)
	}
}
