package interp

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"irgl/internal/run"
	"irgl/mesh"
)

// A program that splits triangles at their centres until none is larger than a
// limit. It locks a triangle with its neighbours.
const splitting = `Mesh mesh { Output Element int parent = -1; Output Element int depth; Output Point int rank = id * 2; }
double area(point a, point b, point c) { return ((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)) / 2; }
void replace(element t, element old, element now) {
  for (int k = 0; k < 3; k++) { if (t.neighbors[k] == old) t.neighbors[k] = now; }
}
Kernel split(mesh, double limit) {
  ForAll (t In mesh.elements) {
    if (t.deleted || t.points[2] < 0) continue;
    point *p = t.points;
    if (area(p[0], p[1], p[2]) <= limit) continue;
    int locks[4] = {t, t.neighbors[0], t.neighbors[1], t.neighbors[2]};
    Exclusive (mesh, 4, locks) {
      point c = mesh.add_point((p[0].x + p[1].x + p[2].x) / 3, (p[0].y + p[1].y + p[2].y) / 3);
      element u[3];
      for (int k = 0; k < 3; k++) {
        u[k] = mesh.add_element(p[k], p[(k + 1) % 3], c);
        u[k].parent = t;
        u[k].depth = t.depth + 1;
        replace(t.neighbors[k], t, u[k]);
      }
      for (int k = 0; k < 3; k++) {
        u[k].neighbors[0] = t.neighbors[k];
        u[k].neighbors[1] = u[(k + 1) % 3];
        u[k].neighbors[2] = u[(k + 2) % 3];
      }
      t.deleted = true;
    }
    ReduceAndReturn(true);
  }
}
Host m(double limit) { Iterate While Any split(mesh, limit); }`

// TestSplitting runs the program in many orders: the mesh is a triangulation of
// the same area each time, and the triangles are the same ones.
func TestSplitting(t *testing.T) {
	ctx := context.Background()
	start, err := mesh.Generate(ctx, 60, 5)
	if err != nil {
		t.Fatal(err)
	}
	info := mustLoad(t, "a.irgl", splitting)
	in, err := run.PrepareMesh(ctx, start, info.Requires)
	if err != nil {
		t.Fatal(err)
	}
	before := len(in.X)
	whole := 0.0
	for _, p := range in.Points {
		whole += areaOf(in, p)
	}
	limit := whole / 400
	var first []string
	for seed := range uint64(6) {
		e, err := New(info, Options{Seed: seed, Group: 20})
		if err != nil {
			t.Fatal(err)
		}
		res, err := e.Run(ctx, run.Input{Mesh: in, Args: []run.Value{run.FloatValue(limit)}})
		if err != nil {
			t.Fatal(err)
		}
		out := res.Mesh
		m, err := out.Triangulation()
		if err != nil {
			t.Fatal(err)
		}
		if r, err := mesh.Check(ctx, m, mesh.CheckOptions{}); err != nil || onlyDelaunay(r) != "" {
			t.Errorf("seed %d: %v %s", seed, err, onlyDelaunay(r))
		}
		var shapes []string
		sum := 0.0
		for i, p := range out.Points {
			if p[2] >= 0 && !out.Deleted[i] {
				if a := areaOf(out, p); a > limit || a <= 0 {
					t.Errorf("seed %d: element %d has the area %g", seed, i, a)
				}
				sum += areaOf(out, p)
				s := []string{}
				for _, v := range p {
					s = append(s, fmt.Sprintf("%.9f,%.9f", out.X[v], out.Y[v]))
				}
				slices.Sort(s)
				shapes = append(shapes, strings.Join(s, " "))
			}
		}
		slices.Sort(shapes)
		if math.Abs(sum-whole) > 1e-9*whole || len(out.X) < 3*before {
			t.Errorf("seed %d: the area is %g, not %g; %d points", seed, sum, whole, len(out.X))
		}
		if first == nil {
			first = shapes
		} else if !slices.Equal(first, shapes) {
			t.Errorf("seed %d: other triangles than without a seed", seed)
		}
		rank, parent, depth := res.Column("rank"), res.Column("parent"), res.Column("depth")
		if rank.Len() != len(out.X) || parent.Len() != len(out.Points) || rank.Int(rank.Len()-1) != int64(2*len(out.X)-2) {
			t.Errorf("seed %d: %d ranks, %d parents", seed, rank.Len(), parent.Len())
		}
		for i := range out.Points {
			if p := parent.Int(i); p >= 0 && (!out.Deleted[p] || depth.Int(i) != depth.Int(int(p))+1) || (p < 0) != (i < len(in.Points)) {
				t.Errorf("seed %d: element %d has the parent %d", seed, i, p)
			}
		}
		if len(in.X) != before || in.Deleted != nil {
			t.Fatal("the input has changed")
		}
	}
}

func areaOf(m *run.Mesh, p [3]int32) float64 {
	if p[2] < 0 {
		return 0
	}
	return ((m.X[p[1]]-m.X[p[0]])*(m.Y[p[2]]-m.Y[p[0]]) - (m.Y[p[1]]-m.Y[p[0]])*(m.X[p[2]]-m.X[p[0]])) / 2
}

// onlyDelaunay returns what a report says other than that the mesh is not
// Delaunay, which splitting at the centre does not keep it.
func onlyDelaunay(r *mesh.Report) string {
	for _, p := range r.Problems {
		if p.Property != mesh.IsDelaunay {
			return r.String()
		}
	}
	return ""
}

// TestGrowth adds far more than there was: properties, arrays and pointers into
// them stay good.
func TestGrowth(t *testing.T) {
	text := `Mesh mesh { Output Point long square = (long)id * id; Output Element char mark = 'x'; Element double w[5]; }
Kernel K(mesh, int n) {
  ForAll (p In mesh.points) {
    long *s = &p.square;
    for (int i = 0; i < n; i++) {
      point q = mesh.add_point(p.x, i);
      element t = mesh.add_element(p, q, q);
      t.w[4] += i;
      *s += (long)t.w[4] + t.points[1] - q;
      t.mark = t.mark + (p == 3);
    }
  }
}
Host m(int n) { Invoke K(mesh, n); }`
	info := mustLoad(t, "a.irgl", text)
	const n = 5000
	runMesh := func(o Options) (*run.Result, error) {
		e, err := New(info, o)
		if err != nil {
			t.Fatal(err)
		}
		return e.Run(context.Background(), run.Input{Mesh: smallMesh(), Args: []run.Value{run.IntValue(n)}, Room: 1})
	}
	res, err := runMesh(Options{})
	if err != nil {
		t.Fatal(err)
	}
	square, mark := res.Column("square"), res.Column("mark")
	if len(res.Mesh.X) != 4+4*n || len(res.Mesh.Points) != 6+4*n || square.Len() != 4+4*n || res.Restarts != 0 {
		t.Fatalf("%d points, %d elements, %d squares", len(res.Mesh.X), len(res.Mesh.Points), square.Len())
	}
	for i := range square.Len() {
		want := int64(i) * int64(i)
		if i < 4 {
			want += n * (n - 1) / 2
		} else if res.Mesh.Y[i] != float64((i-4)%n) || res.Mesh.X[i] != smallMesh().X[(i-4)/n] {
			t.Fatalf("point %d is at %g, %g", i, res.Mesh.X[i], res.Mesh.Y[i])
		}
		if square.Int(i) != want {
			t.Fatalf("square of %d: %d, want %d", i, square.Int(i), want)
		}
	}
	for i := 6; i < mark.Len(); i++ {
		from, to := int32((i-6)/n), int32(i-2)
		if res.Mesh.Points[i] != [3]int32{from, to, to} || res.Mesh.Neighbors[i] != [3]int32{-1, -1, -1} || res.Mesh.Deleted[i] || mark.Int(i) != int64('x'+from/3) {
			t.Fatalf("element %d: %v %v %v %d", i, res.Mesh.Points[i], res.Mesh.Neighbors[i], res.Mesh.Deleted[i], mark.Int(i))
		}
	}
	if _, err := runMesh(Options{Memory: 200 << 10}); err == nil || !strings.Contains(err.Error(), "needs more than 0 MiB of memory [R0109]") {
		t.Errorf("with little memory: %v", err)
	}
}

// TestMeshInput runs programs on meshes and arguments that do not fit.
func TestMeshInput(t *testing.T) {
	e, err := New(mustLoad(t, "a.irgl", `Mesh mesh { Output Point int k; } Host m(point p, element t) { p.k = t + mesh.npoints; }`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	args := func(p, t int64) []run.Value { return []run.Value{run.IntValue(p), run.IntValue(t)} }
	short, bare, torn := smallMesh(), smallMesh(), smallMesh()
	short.Y = short.Y[1:]
	bare.Neighbors = nil
	torn.Deleted = []bool{true}
	for _, tt := range []struct {
		in   run.Input
		want string
	}{
		{run.Input{Args: args(0, 0)}, "argument p: the mesh has no point 0: it has 0 points"},
		{run.Input{Mesh: smallMesh(), Args: args(4, 0)}, "argument p: the mesh has no point 4: it has 4 points"},
		{run.Input{Mesh: smallMesh(), Args: args(0, 6)}, "argument t: the mesh has no element 6: it has 6 elements"},
		{run.Input{Mesh: smallMesh(), Args: args(-1, 0)}, "no point -1"},
		{run.Input{Mesh: short, Args: args(0, 0)}, "the mesh has 4 x and 3 y coordinates"},
		{run.Input{Mesh: bare, Args: args(0, 0)}, "neighbours of 0"},
		{run.Input{Mesh: torn, Args: args(0, 0)}, "marks of 1"},
	} {
		if _, err := e.Run(context.Background(), tt.in); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
	m := smallMesh()
	m.Deleted = []bool{1: true, 5: false}
	res, err := e.Run(context.Background(), run.Input{Mesh: m, Args: args(3, 5)})
	if err != nil {
		t.Fatal(err)
	}
	if got := ints(res, "k"); !slices.Equal(got, []int{0, 0, 0, 9}) {
		t.Errorf("k is %v", got)
	}
	if !slices.Equal(res.Mesh.Deleted, m.Deleted) || !slices.Equal(res.Mesh.Points, m.Points) || !slices.Equal(res.Mesh.Neighbors, m.Neighbors) || !slices.Equal(res.Mesh.X, m.X) {
		t.Errorf("the mesh is %v", res.Mesh)
	}
	plain, err := New(mustLoad(t, "b.irgl", `Host m() { }`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if res, err := plain.Run(context.Background(), run.Input{}); err != nil || res.Mesh != nil {
		t.Errorf("a program without a mesh: %v %v", res, err)
	}
}

// TestMeshInitialValues: only properties of the graph that are no arrays have
// initial values that those of a result can be compared with.
func TestMeshInitialValues(t *testing.T) {
	info := mustLoad(t, "a.irgl", `Mesh mesh { Point float a = id / 2.0; Element int c[2]; }
Graph graph { Node int d = id; Edge long f = id; Node int e[2]; } Host m() { }`)
	for _, p := range info.Props {
		name := p.Object.Name
		if c := InitialValues(info, p, smallGraph(t)); (c != nil) != (name == "d" || name == "f") {
			t.Errorf("the initial values of %s are %v", name, c)
		}
	}
}
