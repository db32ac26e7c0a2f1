package mesh

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// This file also refines meshes in the plainest way there is, so that what Check
// and Fixable say about refined meshes is tested on some: nodes are added a
// few at a time, and everything is triangulated anew.

// refine adds nodes until no triangle that can be fixed has an angle below the
// bound. The domain must be convex with sides along the axes, for there the
// middle of a segment lies on it exactly, and the hull stays what it was.
func refine(t *testing.T, m *Mesh, bound float64) *Mesh {
	t.Helper()
	ctx := context.Background()
	input := len(m.X)
	x, y := append([]float64(nil), m.X...), append([]float64(nil), m.Y...)
	for range 2000 {
		m, err := Delaunay(ctx, x, y) // its hull has the nodes on the sides as nodes of segments
		if err != nil {
			t.Fatal(err)
		}
		before := len(x)
		middle := func(s [2]int32) {
			x, y = append(x, (x[s[0]]+x[s[1]])/2), append(y, (y[s[0]]+y[s[1]])/2)
		}
		twin, _ := m.twins()
		for h, other := range twin {
			if u, v := m.ends(int32(h)); other < 0 && m.angle(m.opposite(int32(h)), u, v) > 90 {
				middle([2]int32{u, v})
			}
		}
		if len(x) > before {
			continue
		}
		fix := m.Fixable(input)
		for tri := range m.Triangles {
			if m.MinAngle(tri) >= bound || !fix.Triangle(tri) {
				continue
			}
			cx, cy, r := m.circle(tri)
			if s, ok := m.encroached(cx, cy); ok {
				middle(s)
			} else if !crowded(x[before:], y[before:], cx, cy, r) {
				x, y = append(x, cx), append(y, cy)
			}
			if len(x) > before && before < 100 {
				break
			}
		}
		if len(x) == before {
			return m
		}
		x, y = x[:before+1], y[:before+1] // one at a time: others may have become superfluous
	}
	t.Fatal("refinement does not end")
	return nil
}

// circle returns the circumscribed circle of a triangle.
func (m *Mesh) circle(t int) (x, y, r float64) {
	v := m.Triangles[t]
	bx, by := m.X[v[1]]-m.X[v[0]], m.Y[v[1]]-m.Y[v[0]]
	cx, cy := m.X[v[2]]-m.X[v[0]], m.Y[v[2]]-m.Y[v[0]]
	b, c, d := bx*bx+by*by, cx*cx+cy*cy, 2*(bx*cy-by*cx)
	x, y = (cy*b-by*c)/d, (bx*c-cx*b)/d
	return m.X[v[0]] + x, m.Y[v[0]] + y, math.Hypot(x, y)
}

// encroached returns a segment whose diametral circle has the point in it.
func (m *Mesh) encroached(x, y float64) ([2]int32, bool) {
	for _, s := range m.Segments {
		if (m.X[s[0]]-x)*(m.X[s[1]]-x)+(m.Y[s[0]]-y)*(m.Y[s[1]]-y) <= 0 {
			return s, true
		}
	}
	return [2]int32{}, false
}

// crowded reports whether any of the points lies within r.
func crowded(xs, ys []float64, x, y, r float64) bool {
	for i := range xs {
		if math.Hypot(xs[i]-x, ys[i]-y) < r {
			return true
		}
	}
	return false
}

func TestCheckOfRefinedMesh(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(3) {
		x, y := RandomPoints(40, seed)
		x, y = append(x, 0, 1, 1, 0), append(y, 0, 0, 1, 1)
		in, err := Delaunay(ctx, x, y)
		if err != nil {
			t.Fatal(err)
		}
		out := refine(t, in, 28)
		opts := CheckOptions{Delaunay: true, MinAngle: 28, Input: in}
		r, err := Check(ctx, out, opts)
		if err != nil {
			t.Fatal(err)
		}
		if !r.OK() || r.Quality.Bad > 0 {
			t.Errorf("seed %d:\n%s", seed, r)
		}
		if before := in.Quality(28, nil); before.Bad == 0 || len(out.X) <= len(in.X) {
			t.Errorf("seed %d: nothing to refine", seed)
		}
		opts.MinAngle = 50
		if r, _ := Check(ctx, out, opts); r.OK() {
			t.Errorf("seed %d: all angles are above 50 degrees?", seed)
		}

		// The same through elements, as a program would return it.
		e, err := out.Elements()
		if err != nil {
			t.Fatal(err)
		}
		back, err := FromElements(out.X, out.Y, e.Nodes, make([]bool, len(e.Nodes)))
		if err != nil {
			t.Fatal(err)
		}
		opts.MinAngle = 28
		if r, err := Check(ctx, back, opts); err != nil || !r.OK() {
			t.Errorf("seed %d, through elements: %v\n%s", seed, err, r)
		}
	}
}

// The reference refinement must do on all inputs what it promises.
func TestRefine(t *testing.T) {
	ctx := context.Background()
	random := func(n int, seed uint64) *Mesh {
		m, err := Generate(ctx, n, seed)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	inner := random(200, 4) // edges inside that must stay
	for i := 0; i < 60; i += 3 {
		s := [2]int32{inner.Triangles[i][0], inner.Triangles[i][1]}
		if _, ok := inner.segmentIndex()[key(s[0], s[1])]; !ok {
			inner.Segments = append(inner.Segments, s)
		}
	}
	grid := &Mesh{}
	grid.X, grid.Y = pointSets[1].draw(nil, 100)
	grid, err := Delaunay(ctx, grid.X, grid.Y)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		m         *Mesh
		unfixable bool // some triangles are
	}{
		{"random 3", random(3, 1), true}, // it has a corner of 20 degrees
		{"random 10", random(10, 1), false},
		{"random 100", random(100, 2), false},
		{"random 3000", random(3000, 3), false},
		{"segments inside", inner, true},
		{"grid", grid, false},
		{"ring", ring(), false},
		{"fan", fan(), true},
		{"kite", kite(nil), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			was := text(c.m)
			out, err := Refine(ctx, c.m, 30, 0)
			if err != nil {
				t.Fatal(err)
			}
			if text(c.m) != was {
				t.Error("the input was changed")
			}
			r, err := Check(ctx, out, CheckOptions{Delaunay: true, MinAngle: 30, Input: c.m})
			if err != nil || !r.OK() {
				t.Fatalf("%v\n%s", err, r)
			}
			if r.Quality.Unfixable > 0 && !c.unfixable || r.Quality.Bad != r.Quality.Unfixable {
				t.Errorf("%s", r)
			}
		})
	}
}

// fan has narrow wedges around a node, with segments between them.
func fan() *Mesh {
	m := &Mesh{X: []float64{0}, Y: []float64{0}}
	angle := 0.0
	for i := range int32(9) {
		s, c := math.Sincos(angle)
		m.X, m.Y = append(m.X, c), append(m.Y, s)
		angle += 0.02 * float64(1+i*i)
		m.Segments = append(m.Segments, [2]int32{0, 1 + i})
		if i > 0 {
			m.Triangles = append(m.Triangles, [3]int32{0, i, i + 1})
		}
	}
	m.AddBoundary()
	return m
}

func TestRefineRefuses(t *testing.T) {
	m, err := Generate(context.Background(), 20000, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Refine(context.Background(), m, 30, 20100); !errors.Is(err, ErrTooManyNodes) {
		t.Errorf("a limit that is too small: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := Refine(ctx, m, 33, 1<<28); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	s := square()
	s.Triangles[1] = [3]int32{0, 3, 2}
	if _, err := Refine(context.Background(), s, 20, 0); err == nil || !strings.Contains(err.Error(), "triangle 1 (nodes 0 3 2) is clockwise") {
		t.Errorf("a clockwise triangle: %v", err)
	}
	// A bound that cannot be had everywhere ends by the limit, not never.
	if _, err := Refine(context.Background(), ring(), 59, 5000); !errors.Is(err, ErrTooManyNodes) {
		t.Errorf("59 degrees: %v", err)
	}
}

// Where float64 is too coarse for the nodes that are asked for, triangles stay
// as they are.
func TestRefineAtTheLimitOfFloat64(t *testing.T) {
	tiny := math.SmallestNonzeroFloat64
	for _, m := range []*Mesh{
		{X: []float64{0, 1, 1}, Y: []float64{0, 0, tiny}, Triangles: [][3]int32{{0, 1, 2}}},
		{X: []float64{0, tiny, 9 * tiny}, Y: []float64{0, 0, tiny}, Triangles: [][3]int32{{0, 2, 1}}},
		{X: []float64{-math.MaxFloat64, math.MaxFloat64, 0}, Y: []float64{0, 0, 1}, Triangles: [][3]int32{{0, 1, 2}}},
		{X: []float64{1, 1 + 0x1p-52, 1}, Y: []float64{1, 1, 1 + 9*0x1p-52}, Triangles: [][3]int32{{0, 1, 2}}},
	} {
		m.Orient()
		out, err := Refine(context.Background(), m, 20, 10000)
		if err != nil {
			if !errors.Is(err, ErrTooManyNodes) {
				t.Error(err)
			}
			continue
		}
		if r, err := Check(context.Background(), out, CheckOptions{}); err != nil || !r.OK() {
			t.Errorf("%v\n%s", err, r)
		}
	}
}

// sharedData returns the folder of real inputs beside the repository, or skips
// the test: the project ships only inputs that it generates itself.
func sharedData(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
		} else {
			tb.Skip("no go.mod above the package: cannot find ../shared/data")
		}
	}
	data := filepath.Join(filepath.Dir(dir), "shared", "data")
	if _, err := os.Stat(data); err != nil {
		tb.Skip("no ../shared/data beside the repository")
	}
	return data
}

// The mesh of Shinnecock Inlet was drawn by people: it conforms, and is nearly
// but not quite Delaunay.
func TestShinnecock(t *testing.T) {
	ctx := context.Background()
	m, err := Open(ctx, filepath.Join(sharedData(t), "shinnecock-hgrid.gr3.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if m.Title != "Shinacock Inlet Coarse Grid" || len(m.X) != 3070 || len(m.Triangles) != 5780 {
		t.Errorf("%q: %d nodes, %d triangles", m.Title, len(m.X), len(m.Triangles))
	}
	if len(m.Boundaries) != 2 || !m.Boundaries[0].Open || len(m.Boundaries[0].Nodes) != 75 || len(m.Boundaries[1].Nodes) != 285 {
		t.Errorf("boundaries: %v", m.Boundaries)
	}
	// The two lists share their ends: 75 + 285 nodes are 74 + 284 edges.
	listed := 0
	index := m.segmentIndex()
	for _, b := range m.Boundaries {
		for i := range b.Nodes[1:] {
			if _, ok := index[key(b.Nodes[i], b.Nodes[i+1])]; ok {
				listed++
			}
		}
	}
	if len(m.Segments) != 358 || listed != 358 {
		t.Errorf("%d segments, of which the file lists %d; want 358", len(m.Segments), listed)
	}
	if turned := m.Orient(); turned != 0 {
		t.Errorf("%d triangles are clockwise", turned)
	}
	r, err := Check(ctx, m, CheckOptions{})
	if err != nil || !r.OK() {
		t.Fatalf("%v\n%s", err, r)
	}
	q := m.Quality(30, m.Fixable(len(m.X)))
	if q.Bad != 36 || math.Abs(q.MinAngle-10.58) > 0.01 {
		t.Errorf("%s", q)
	}
	r, _ = Check(ctx, m, CheckOptions{Delaunay: true})
	if len(r.Problems) != 1 || r.Problems[0].Property != IsDelaunay || r.Problems[0].Count != 8 {
		t.Errorf("%s", r)
	}
	before := *m
	before.Triangles = append([][3]int32(nil), m.Triangles...)
	if flips, err := m.MakeDelaunay(ctx); flips < 8 || err != nil {
		t.Errorf("%d flips, %v", flips, err)
	}
	r, err = Check(ctx, m, CheckOptions{Delaunay: true, Input: &before})
	if err != nil || !r.OK() {
		t.Errorf("after flips: %v\n%s", err, r)
	}
	out, err := Refine(ctx, m, 30, 0)
	if err != nil {
		t.Fatal(err)
	}
	r, err = Check(ctx, out, CheckOptions{Delaunay: true, MinAngle: 30, Input: m})
	if err != nil || !r.OK() || r.Quality.Bad > 0 {
		t.Errorf("refined: %v\n%s", err, r)
	}
}
