package mesh

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// regionFiles writes the files of a mesh of a rectangle, 2 by 1/4, whose left half, up to x = 1, and
// right half are two regions, with an attribute of nodes that is 2x+3y, and opens it.
// Of what could name the border between the halves only that which is asked for is
// there: "poly", "attributes", or "edge".
func regionFiles(t *testing.T, border string) *Mesh {
	t.Helper()
	stem := filepath.Join(t.TempDir(), "m")
	write := func(ext, text string) {
		if err := os.WriteFile(stem+ext, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// 4 5 6
	// 1 2 3
	node := "6 2 1 1\n"
	for i, p := range [][2]float64{{0, 0}, {1, 0}, {2, 0}, {0, 0.25}, {1, 0.25}, {2, 0.25}} {
		node += fmt.Sprintf("%d %g %g %g 1\n", i+1, p[0], p[1], 2*p[0]+3*p[1])
	}
	write(".node", node)
	attributes := []string{"4 3 0\n", "", "", "", ""}
	if border == "attributes" {
		attributes = []string{"4 3 1\n", " 10", " 10", " 20", " 20"}
	}
	text := attributes[0]
	for i, c := range []string{"1 2 5", "1 5 4", "2 3 6", "2 6 5"} {
		text += fmt.Sprintf("%d %s%s\n", i+1, c, attributes[i+1])
	}
	write(".ele", text)
	switch border {
	case "poly":
		write(".poly", "0 2 0 0\n2 1\n1 2 5 7\n2 1 4 9\n0\n1\n1 0.5 0.125 10 0.1\n")
	case "edge":
		write(".edge", "3 1\n1 2 5 7\n2 1 5 0\n3 1 4 9\n")
	}
	m, err := Open(context.Background(), stem+".node")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// checkHalves checks that m, refined from regionFiles, keeps the border at x = 1 as
// segments, and what nodes, segments and triangles have.
func checkHalves(t *testing.T, m, input *Mesh, border string) {
	t.Helper()
	r, err := Check(context.Background(), m, CheckOptions{Input: input, MinAngle: 14})
	if err != nil || !r.OK() {
		t.Fatalf("%v\n%v", err, r)
	}
	middle, total := 0.0, 0
	for i, s := range m.Segments {
		x0, x1 := m.X[s[0]], m.X[s[1]]
		on := func(x float64) bool { return x0 == x && x1 == x }
		if on(1) {
			total++
			middle += math.Abs(m.Y[s[0]] - m.Y[s[1]])
		}
		want := map[bool]int32{true: 1}[!on(1)]
		switch {
		case m.SegmentMarks == nil:
			continue
		case on(1) && border != "attributes":
			want = 7
		case on(0):
			want = 9
		}
		if m.SegmentMarks[i] != want {
			t.Errorf("segment from %g to %g has mark %d, want %d", x0, x1, m.SegmentMarks[i], want)
		}
	}
	if math.Abs(middle-0.25) > 1e-12 {
		t.Errorf("%d segments of length %g are on the border", total, middle)
	}
	for v := range m.X {
		x, y := m.X[v], m.Y[v]
		if got, want := m.NodeAttributes[0][v], 2*x+3*y; math.Abs(got-want) > 1e-12 {
			t.Errorf("attribute of node %d is %g, want %g", v, got, want)
		}
		want := int32(0)
		switch {
		case v < 6:
			want = 1
		case x == 0 && m.SegmentMarks != nil:
			want = 9
		case x == 1 && m.SegmentMarks != nil:
			want = 7
		case x == 0, x == 2, y == 0, y == 0.25, x == 1:
			want = 1
		}
		if m.NodeMarks[v] != want {
			t.Errorf("node %d at (%g, %g) has mark %d, want %d", v, x, y, m.NodeMarks[v], want)
		}
	}
	for i, c := range m.Triangles {
		if border != "attributes" {
			break
		}
		want := 10.0
		if m.X[c[0]]+m.X[c[1]]+m.X[c[2]] > 3 {
			want = 20
		}
		if got := m.TriangleAttributes[0][i]; got != want {
			t.Errorf("triangle %d has attribute %g, want %g", i, got, want)
		}
	}
}

// Borders are kept by refinement wherever the files name them, and marks and
// attributes are carried over, also through files.
func TestInherit(t *testing.T) {
	ctx := context.Background()
	for _, border := range []string{"poly", "attributes", "edge"} {
		t.Run(border, func(t *testing.T) {
			m := regionFiles(t, border)
			refined, err := Refine(ctx, m, 25, 0)
			if err != nil {
				t.Fatal(err)
			}
			if len(refined.X) < 10 {
				t.Fatalf("refinement has made %d nodes only", len(refined.X))
			}
			split := splitAll(t, m)
			split.Inherit(m)
			for _, fine := range []*Mesh{refined, split} {
				checkHalves(t, fine, m, border)
				path := filepath.Join(t.TempDir(), "fine.node")
				if err := Write(ctx, path, fine); err != nil {
					t.Fatal(err)
				}
				back, err := Open(ctx, path)
				if err != nil || text(back) != text(fine) {
					t.Fatalf("%v\n%s\nwant\n%s", err, text(back), text(fine))
				}
			}
		})
	}
}

// splitAll returns the mesh with a node in the middle of every edge, without marks and
// attributes.
func splitAll(t *testing.T, m *Mesh) *Mesh {
	t.Helper()
	out := &Mesh{X: slices.Clone(m.X), Y: slices.Clone(m.Y)}
	middle := map[uint64]int32{}
	mid := func(u, v int32) int32 {
		w, ok := middle[key(u, v)]
		if !ok {
			w = int32(len(out.X))
			middle[key(u, v)] = w
			out.X, out.Y = append(out.X, (m.X[u]+m.X[v])/2), append(out.Y, (m.Y[u]+m.Y[v])/2)
		}
		return w
	}
	for _, c := range m.Triangles {
		a, b, d := mid(c[0], c[1]), mid(c[1], c[2]), mid(c[2], c[0])
		out.Triangles = append(out.Triangles, [3]int32{c[0], a, d}, [3]int32{a, c[1], b}, [3]int32{d, b, c[2]}, [3]int32{a, b, d})
	}
	for _, s := range m.Segments {
		w := mid(s[0], s[1])
		out.Segments = append(out.Segments, [2]int32{s[0], w}, [2]int32{w, s[1]})
	}
	return out
}

// The lists of boundary nodes get the nodes that were added on the way, also between
// the last and the first of an island.
func TestInheritBoundaries(t *testing.T) {
	m := square()
	m.AddBoundary()
	m.Title = "title"
	m.Boundaries = []Boundary{{Open: true, Nodes: []int32{0, 1}}, {Kind: 1, Nodes: []int32{0, 1, 2, 3}}, {Kind: 20, Nodes: []int32{0, 2}}}
	fine := splitAll(t, m)
	fine.Inherit(m)
	at := map[string]int32{}
	for v := range fine.X {
		at[fmt.Sprint(fine.X[v], fine.Y[v])] = int32(v)
	}
	low, right, top, left := at["0.5 0"], at["1 0.5"], at["0.5 1"], at["0 0.5"]
	want := []Boundary{{Open: true, Nodes: []int32{0, low, 1}}, {Kind: 1, Nodes: []int32{0, low, 1, right, 2, top, 3, left}}, {Kind: 20, Nodes: []int32{0, 2}}}
	if fmt.Sprint(fine.Boundaries) != fmt.Sprint(want) || fine.Title != "title" {
		t.Errorf("%v, want %v", fine.Boundaries, want)
	}
	if notes := fmt.Sprint(fine.Notes); !strings.Contains(notes, "edges of boundaries that are no segments, whose added nodes are not in the lists: 1") {
		t.Errorf("notes: %s", notes)
	}
}

// What names no border is said, and makes none.
func TestNoBorders(t *testing.T) {
	many := splitAll(t, splitAll(t, splitAll(t, square())))
	many.AddBoundary()
	had := len(many.Segments)
	values := make([]float64, len(many.Triangles))
	for i := range values {
		values[i] = float64(i)
	}
	many.TriangleAttributes = [][]float64{values}
	if n := many.AddBoundary(); n != 0 || len(many.Segments) != had {
		t.Errorf("attributes of %d values make %d segments", len(values), n)
	}
	marked := splitAll(t, square())
	marked.AddBoundary()
	marked.NodeMarks = make([]int32, len(marked.X))
	for v := range marked.X {
		if marked.X[v] == 0.5 && marked.Y[v] == 0.5 {
			marked.NodeMarks[v] = 3
		}
	}
	for _, c := range []struct {
		m    *Mesh
		want string
	}{{many, "attributes of triangles have 128 different values"}, {marked, "nodes with a marker that are on no segment: 1"}} {
		c.m.noteBorders()
		if len(c.m.Notes) != 1 || !strings.HasPrefix(c.m.Notes[0], c.want) {
			t.Errorf("notes %q, want %q", c.m.Notes, c.want)
		}
	}
}

// Losses says what a format does not hold.
func TestLosses(t *testing.T) {
	m := regionFiles(t, "attributes")
	m.Boundaries = []Boundary{{Nodes: []int32{0, 1}}}
	if got := m.Losses("x.node"); len(got) != 1 || got[0] != "x.node does not hold lists of boundary nodes: 1" {
		t.Errorf("%q", got)
	}
	want := "[x.gr3 does not hold segments that are not on the boundary: 1 x.gr3 does not hold markers of nodes: 6 x.gr3 does not hold attributes of triangles: 1]"
	if got := fmt.Sprint(m.Losses("a/x.gr3")); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := m.Losses("x.svg"); got != nil {
		t.Errorf("%q", got)
	}
	cut := &Mesh{X: []float64{0, 1, 0, 1}, Y: []float64{0, 0, 1, 1}, Triangles: [][3]int32{{0, 1, 2}}, Segments: [][2]int32{{1, 0}, {1, 3}, {2, 3}}}
	if got := m.Losses("x.poly"); len(got) != 1 {
		t.Errorf("%q", got)
	}
	if got := cut.Losses("x.poly"); len(got) != 1 || got[0] != "x.poly has segments that are no edge of a triangle, with which no program takes it: 2" {
		t.Errorf("%q", got)
	}
}
