package mesh

import (
	"context"
	"math/rand/v2"
	"testing"
)

// apart reports whether the insides of two triangles are disjoint: if so, the
// line through one of the six sides separates them.
func apart(m *Mesh, a, b [3]int32) bool {
	for range 2 {
		for k := range a {
			separates := true
			for _, v := range b {
				separates = separates && m.orient(a[k], a[after[k]], v) <= 0
			}
			if separates {
				return true
			}
		}
		a, b = b, a
	}
	return false
}

// soup returns a few random triangles between the points of a small grid, all
// counter-clockwise, and no unused nodes.
func soup(r *rand.Rand) *Mesh {
	const side = 4
	m := &Mesh{}
	number := map[int]int32{}
	node := func(p int) int32 {
		if _, ok := number[p]; !ok {
			number[p] = int32(len(m.X))
			m.X, m.Y = append(m.X, float64(p%side)), append(m.Y, float64(p/side))
		}
		return number[p]
	}
	for range 2 + r.IntN(5) {
		p := r.Perm(side * side)[:3]
		x := func(i int) float64 { return float64(p[i] % side) }
		y := func(i int) float64 { return float64(p[i] / side) }
		switch Orient2D(x(0), y(0), x(1), y(1), x(2), y(2)) {
		case 0:
			continue
		case -1:
			p[0], p[1] = p[1], p[0]
		}
		m.Triangles = append(m.Triangles, [3]int32{node(p[0]), node(p[1]), node(p[2])})
	}
	return m
}

// What Check says of overlaps comes from the boundary alone; here it is
// compared with what comparing every two triangles says.
func TestOverlapsAreThoseOfPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	counts := map[bool]int{}
	count := 20000
	if testing.Short() {
		count = 4000
	}
	for range count {
		m := soup(r)
		want := false
		for i, a := range m.Triangles {
			for _, b := range m.Triangles[:i] {
				want = want || !apart(m, a, b)
			}
			for k := range a {
				e := [2]int32{a[k], a[after[k]]}
				for v := range int32(len(m.X)) {
					want = want || v != e[0] && v != e[1] && m.orient(e[0], e[1], v) == 0 && m.between(v, e)
				}
			}
		}
		rep, err := Check(context.Background(), m, CheckOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got := false
		for _, p := range rep.Problems {
			got = got || p.Property == Conforming || p.Property == Disjoint
		}
		if got != want {
			t.Fatalf("x %v\ny %v\ntriangles %v\noverlap %v, want %v:\n%s", m.X, m.Y, m.Triangles, got, want, rep)
		}
		counts[want]++
	}
	if min(counts[true], counts[false]) < count/20 {
		t.Errorf("one-sided: %v", counts)
	}
}

// FuzzDelaunay triangulates points of a small grid, so that most are in line or
// on a circle with others, makes segments of some edges, and refines.
func FuzzDelaunay(f *testing.F) {
	f.Add([]byte("0123456789"), byte(20))
	f.Add([]byte{0, 1, 2, 16, 17, 18, 32, 33, 34}, byte(30))
	f.Add([]byte{0, 255, 15, 240, 7, 119}, byte(25))
	f.Fuzz(func(t *testing.T, points []byte, bound byte) {
		var x, y []float64
		for _, p := range points[:min(len(points), 60)] {
			x, y = append(x, float64(p%16)), append(y, float64(p/16))
		}
		ctx := context.Background()
		m, err := Delaunay(ctx, x, y)
		if err != nil {
			if len(x) < 20 && !inLine(x, y) {
				t.Fatal(err)
			}
			return
		}
		checkDelaunay(t, m)
		index := m.segmentIndex()
		for i := 0; i < len(m.Triangles); i += 1 + int(bound%7) {
			u, v := m.Triangles[i][0], m.Triangles[i][1]
			if _, ok := index[key(u, v)]; !ok {
				index[key(u, v)] = int32(len(m.Segments))
				m.Segments = append(m.Segments, [2]int32{u, v})
			}
		}
		opts := CheckOptions{Delaunay: true, MinAngle: float64(bound % 26), Input: m}
		out, err := Refine(ctx, m, opts.MinAngle, 20000)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := Check(ctx, out, opts); err != nil || !r.OK() {
			t.Fatalf("%v\n%s", err, r)
		}
	})
}
