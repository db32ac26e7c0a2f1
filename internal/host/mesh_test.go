package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"irgl/internal/check"
	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/run"
	"irgl/internal/source"
	"irgl/mesh"
	"irgl/syntax"
)

// split halves every k-th element once: kernels read, change and add.
const split = `Mesh mesh {
  Point double h = 1.5;
  Output Element int mark = id + 1;
  Output Point int seen = 0;
  Element float w[3];
}
int made = 0;
Output float sum = 0;
Kernel half(mesh, int k) {
  ForAll (t In mesh.elements) {
    if (t.id % k == 0 && !t.deleted) {
      point a = t.points[0];
      point b = t.points[1];
      point p = mesh.add_point((a.x + b.x) / 2, (a.y + b.y) / 2);
      p.seen = t.id + 100 * (int)p.h;
      element e = mesh.add_element(a, b, p);
      e.neighbors[1] = t;
      e.w[2] += 2;
      t.w[0] = e.w[2] + e.w[1];
      t.deleted = true;
      atomicAdd(&made, 1);
    }
  }
}
Kernel total(mesh) { ForAll (t In mesh.elements) { atomicAdd(&sum, t.w[0] + t.w[1] + t.w[2]); } }
Host f(int k, int rounds) {
  printf("%d %d;", mesh.npoints, mesh.nelements);
  for (int i = 0; i < rounds; i++) { Invoke half(mesh, k); printf("%d %d %d;", mesh.npoints, mesh.nelements, made); }
  Invoke total(mesh);
}
`

// meshRun compiles a program with a mesh and places it on a device.
func meshRun(t testing.TB, dev device.Device, text string, o Options) *Engine {
	t.Helper()
	u := build(t, "a.irgl", text)
	e, err := New(dev, u.Info, u.CUDAInfo, u.PTXText(), o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// square is a mesh of two triangles and the four segments around them.
func square() *run.Mesh {
	return &run.Mesh{
		X: []float64{0, 1, 1, 0}, Y: []float64{0, 0, 1, 1},
		Points:    [][3]int32{{0, 1, 2}, {0, 2, 3}, {0, 1, -1}, {1, 2, -1}, {2, 3, -1}, {3, 0, -1}},
		Neighbors: [][3]int32{{2, 3, 1}, {0, 4, 5}, {0, -1, -1}, {0, -1, -1}, {1, -1, -1}, {1, -1, -1}},
	}
}

// cloned returns a copy of a mesh.
func cloned(m *run.Mesh) *run.Mesh {
	return &run.Mesh{X: slices.Clone(m.X), Y: slices.Clone(m.Y), Points: slices.Clone(m.Points), Neighbors: slices.Clone(m.Neighbors), Deleted: slices.Clone(m.Deleted)}
}

// TestMesh splits elements with ample room and with none: each run of the
// engine starts from the input, gives the same result, and says how often it
// began again.
func TestMesh(t *testing.T) {
	dev := track()
	defer dev.Close()
	e := meshRun(t, dev, split, Options{})
	in := run.Input{Mesh: square(), Args: []run.Value{run.IntValue(2), run.IntValue(3)}}
	given := cloned(in.Mesh)
	for _, tt := range []struct{ room, restarts int }{{0, 0}, {100, 0}, {5, 1}, {1, 1}, {0, 0}, {8, 0}} {
		for range 2 {
			var out bytes.Buffer
			in.Room, in.Stdout = tt.room, &out
			res, err := e.Run(context.Background(), in)
			if err != nil {
				t.Fatalf("room %d: %v", tt.room, err)
			}
			if got := out.String(); got != "4 6;7 9 3;9 11 5;10 12 6;" || int(res.Restarts) != tt.restarts {
				t.Errorf("room %d: %q, %d restarts, want %d", tt.room, got, res.Restarts, tt.restarts)
			}
			checkSplit(t, res)
		}
	}
	if !reflect.DeepEqual(in.Mesh, given) {
		t.Error("the run changed its input")
	}
	if err := e.Close(); err != nil || len(dev.live) > 0 {
		t.Errorf("left on the device: %v, %v", dev.live, err)
	}
}

// checkSplit checks the mesh that split leaves of the square: elements 0, 2, 4,
// then 6 and 8, then 10 are halved, each making one, in an order that the
// device chooses.
func checkSplit(t *testing.T, res *run.Result) {
	t.Helper()
	m := res.Mesh
	if len(m.X) != 10 || len(m.Y) != 10 || len(m.Points) != 12 || len(m.Neighbors) != 12 || len(m.Deleted) != 12 {
		t.Fatalf("the mesh is %+v", m)
	}
	made := map[int]int{} // element -> the one that was halved for it
	for i := range m.Points {
		if want := i%2 == 0 && i != 6 && i != 8 && i != 10; i < 6 && m.Deleted[i] != want {
			t.Errorf("deleted %d: %v", i, m.Deleted[i])
		}
		if i >= 6 {
			from, p := int(m.Neighbors[i][1]), m.Points[i]
			made[i] = from
			if !m.Deleted[from] || m.Neighbors[i][0] != -1 || p[0] != m.Points[from][0] || p[1] != m.Points[from][1] {
				t.Errorf("element %d: %v, neighbors %v", i, p, m.Neighbors[i])
			}
			if x, y := (m.X[p[0]]+m.X[p[1]])/2, (m.Y[p[0]]+m.Y[p[1]])/2; m.X[p[2]] != x || m.Y[p[2]] != y {
				t.Errorf("point %d is %g, %g", p[2], m.X[p[2]], m.Y[p[2]])
			}
			if seen := res.Column("seen").Int(int(p[2])); seen != int64(from+100) {
				t.Errorf("point %d has seen %d", p[2], seen)
			}
		}
	}
	mark, seen := res.Column("mark"), res.Column("seen")
	if mark.Len() != 12 || mark.Of != syntax.ElementDomain || mark.Int(11) != 12 || seen.Len() != 10 || seen.Of != syntax.PointDomain || seen.Int(3) != 0 {
		t.Errorf("columns %+v, %+v", mark, seen)
	}
	if sum, _ := res.Global("sum"); sum.Values[0].Float != 24 {
		t.Errorf("the sum is %v", sum)
	}
}

// TestMeshRoom checks that an engine which chose the room itself keeps what a
// run has shown to be needed, for the next run of the same mesh.
func TestMeshRoom(t *testing.T) {
	dev := track()
	defer dev.Close()
	e := meshRun(t, dev, split, Options{})
	defer e.Close()
	in := run.Input{Mesh: square(), Args: []run.Value{run.IntValue(1), run.IntValue(200)}}
	for i, want := range []int64{1, 0, 0} {
		if i == 2 {
			in.Mesh = cloned(in.Mesh)
			in.Args[1].Int, want = 1, 0
		}
		res, err := e.Run(context.Background(), in)
		if err != nil || res.Restarts != want {
			t.Fatalf("run %d: %v, %d restarts, want %d", i, err, res.Restarts, want)
		}
	}
	if got := e.mesh.room; got != (meshSize{defaultGrowth*4 + defaultSpare, defaultGrowth*6 + defaultSpare}) {
		t.Errorf("another mesh has room %+v", got)
	}
}

// TestMeshSchedules runs it under permuted schedules, with too little room at
// first: the emulator reports nothing, not even what goes on in the spare slot.
func TestMeshSchedules(t *testing.T) {
	m, err := mesh.Generate(context.Background(), 60, 1)
	if err != nil {
		t.Fatal(err)
	}
	in := run.Input{Args: []run.Value{run.IntValue(1), run.IntValue(2)}, Room: 3}
	if in.Mesh, err = run.PrepareMesh(context.Background(), m, check.Requires{}); err != nil {
		t.Fatal(err)
	}
	n := len(in.Mesh.Points)
	for seed := range uint64(4) {
		o := simt.Checked()
		o.Seed, o.Schedule = seed, simt.Schedule(seed%3)
		dev := simt.Open(o)
		e := meshRun(t, dev, split, Options{MaxBlocks: 2})
		res, err := e.Run(context.Background(), in)
		if err != nil || len(res.Mesh.Points) != 3*n || res.Restarts == 0 {
			t.Errorf("seed %d: %v, %+v", seed, err, res)
		}
		for _, r := range dev.Reports() {
			t.Errorf("seed %d: %v", seed, r)
		}
		if err := errors.Join(e.Close(), dev.Close()); err != nil {
			t.Error(err)
		}
	}
}

// TestMeshAstray has a kernel follow what it finds in the spare slot out of
// memory: that was for want of room, and the run begins again.
func TestMeshAstray(t *testing.T) {
	const text = `Mesh mesh { Point int far; }
Kernel k(mesh) {
  ForAll (t In mesh.elements) {
    point p = mesh.add_point(t.id, 0);
    if (p.id != mesh.npoints + (int)p.x) { p = mesh.points(-1000000); }
    p.far = 1;
  }
}
Kernel one(mesh) { ForAll (t In mesh.elements) { if (t.id == FAULT) { mesh.points(-1000000).far = 1; } } }
Host f() { Invoke k(mesh); Invoke one(mesh); printf("%d", mesh.npoints); }
`
	in := run.Input{Mesh: &run.Mesh{Points: make([][3]int32, 1), Neighbors: [][3]int32{{-1, -1, -1}}, X: []float64{1}, Y: []float64{1}}, Room: 1}
	for range 6 { // more elements than room
		in.Mesh.Points = append(in.Mesh.Points, [3]int32{})
		in.Mesh.Neighbors = append(in.Mesh.Neighbors, [3]int32{-1, -1, -1})
	}
	for _, fault := range []string{"-1", "5"} {
		dev := simt.Open(simt.Checked())
		e := meshRun(t, dev, strings.ReplaceAll(text, "FAULT", fault), Options{})
		var out bytes.Buffer
		in.Stdout = &out
		_, err := e.Run(context.Background(), in)
		if fault == "-1" && (err != nil || out.String() != "8" || len(dev.Reports()) > 0) {
			t.Errorf("%q, %v, %v", out.String(), err, dev.Reports())
		}
		if fault == "5" && (err == nil || !strings.Contains(err.Error(), "out-of-bounds") || len(dev.Reports()) != 1) {
			t.Errorf("a fault of the program is lost: %v, %v", err, dev.Reports())
		}
		if err := errors.Join(e.Close(), dev.Close()); err != nil {
			t.Error(err)
		}
	}
}

// TestMeshErrors checks what a run with a mesh refuses, and that nothing stays
// on the device.
func TestMeshErrors(t *testing.T) {
	with := func(change func(m *run.Mesh)) *run.Mesh {
		m := square()
		change(m)
		return m
	}
	for _, tt := range []struct {
		name   string
		mesh   *run.Mesh
		refuse string
		want   string
	}{
		{"none", nil, "", "the program needs a mesh"},
		{"y", with(func(m *run.Mesh) { m.Y = m.Y[1:] }), "", "4 and 3 coordinates"},
		{"neighbors", with(func(m *run.Mesh) { m.Neighbors = nil }), "", "6 elements with 0 neighbors"},
		{"deleted", with(func(m *run.Mesh) { m.Deleted = make([]bool, 5) }), "", "5 marks"},
		{"point", with(func(m *run.Mesh) { m.Points[2][1] = 4 }), "", "element 2 of the mesh has point 4"},
		{"neighbor", with(func(m *run.Mesh) { m.Neighbors[5][0] = -2 }), "", "element 5 of the mesh has point 3 and neighbor -2"},
		{"memory", square(), "mesh neighbors", "device out of memory: mesh neighbors needs 72 bytes"},
		{"room", square(), "property w", "device out of memory: property w"},
		{"counts", square(), "mesh mesh_count", "device out of memory"},
	} {
		dev := track()
		dev.refuse = tt.refuse
		e := meshRun(t, dev, split, Options{})
		_, err := e.Run(context.Background(), run.Input{Mesh: tt.mesh, Args: []run.Value{run.IntValue(2), run.IntValue(1)}})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
		dev.refuse = ""
		if _, err := e.Run(context.Background(), run.Input{Mesh: square(), Args: []run.Value{run.IntValue(2), run.IntValue(1)}}); err != nil {
			t.Errorf("%s: the next run: %v", tt.name, err)
		}
		if err := errors.Join(e.Close(), dev.Close()); err != nil || len(dev.live) > 0 {
			t.Errorf("%s: left: %v, %v", tt.name, dev.live, err)
		}
	}
}

// TestMeshGrowth checks the room after an overflow: twice what is needed, and
// where there was enough, twice what is spare; never more than an int counts.
func TestMeshGrowth(t *testing.T) {
	dev := track()
	defer dev.Close()
	e := meshRun(t, dev, split, Options{})
	defer e.Close()
	if err := e.PlaceMesh(square(), 10); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ need, room meshSize }{
		{meshSize{15, 3}, meshSize{30, 26}}, {meshSize{30, 27}, meshSize{56, 54}}, {meshSize{60, 60}, meshSize{120, 120}},
	} {
		if err := e.growMesh(&meshOverflowError{tt.need}); err != nil || e.mesh.room != tt.room {
			t.Errorf("for %+v: room %+v, %v; want %+v", tt.need, e.mesh.room, err, tt.room)
		}
	}
	e = &Engine{}
	e.mesh.room, e.mesh.count = meshSize{10, 20}, meshSize{5, 20}
	if err := e.growMesh(&meshOverflowError{meshSize{math.MaxInt32 + 1, 3}}); err == nil || !strings.Contains(err.Error(), "the limit is 2147483647") {
		t.Errorf("more than an int counts: %v", err)
	}
}

// TestMeshAndGraph runs a program with both, deleted elements at the start, and
// exclusive use of each kind of element by hand-written device code.
func TestMeshAndGraph(t *testing.T) {
	const text = `
struct irgl_graph { int nnodes; long nedges; const unsigned *row; const int *dst; int npoints; int nelements; int point_room; int element_room;
  int *mesh_count; double *x; double *y; int (*points)[3]; int (*neighbors)[3]; bool *deleted; int *level; short (*s)[4];
  int *node_locks; int *point_locks; int *element_locks; };
int irgl_max_blocks, irgl_capacity, irgl_npoints, irgl_nelements;
__global__ void fill(struct irgl_graph g) {
  int i = threadIdx.x;
  if (i < g.nnodes) { g.level[i] = 10 * i + (int)(g.row[i + 1] - g.row[i]); g.node_locks[i] = i; }
  if (i <= g.point_room) { g.point_locks[i] = i; g.s[i][3] = 7; }
  if (i <= g.element_room) { g.element_locks[i] = i; g.deleted[i] = !g.deleted[i]; }
  if (i == 0) { g.mesh_count[0] += 1; g.x[g.npoints] = g.point_room; g.y[g.npoints] = g.element_room; }
}
extern "C" void irgl_run(struct irgl_graph g) {
  g.npoints = irgl_npoints; g.nelements = irgl_nelements;
  fill<<<1, 64>>>(g);
  int n[2];
  cudaMemcpy(n, g.mesh_count, 8, cudaMemcpyDeviceToHost);
  irgl_npoints = n[0]; irgl_nelements = n[1];
  printf("%d %ld %d %d %d", g.nnodes, g.nedges, n[0], n[1], (int)sizeof *g.s);
}
`
	var diags source.List
	tree := syntax.Parse(source.NewFile("a.irgl", []byte("Graph g { Output Node int level; }\nMesh m { Point short s[4]; }\nHost f() { }\n")), syntax.IrGL, &diags)
	info := check.Check(tree, &diags)
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	u := build(t, "a.cu", text)
	dev := track()
	defer dev.Close()
	e, err := New(dev, info, u.CUDAInfo, u.PTXText(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, in, _ := irglRun{text: "Graph g { }\nHost f() { }\n", graph: "path:5"}.start(t, dev)
	for i := range 3 {
		in.Mesh = square()
		in.Mesh.Deleted = []bool{true, false, false, true, true, false}
		in.Room = 5 * (i + 1)
		var out bytes.Buffer
		in.Stdout = &out
		res, err := e.Run(context.Background(), in)
		if err != nil || out.String() != "5 8 5 6 8" {
			t.Fatalf("%q, %v", out.String(), err)
		}
		if got := fmt.Sprint(res.Mesh.Deleted, res.Mesh.X[4], res.Mesh.Y[4], res.Column("level").Data); got != fmt.Sprintf("[false true true false false true] %d %d [1 12 22 32 41]", 4+in.Room, 6+in.Room) {
			t.Errorf("%s", got)
		}
	}
	in.Graph = nil
	if _, err := e.Run(context.Background(), in); err == nil || !strings.Contains(err.Error(), "the program needs a graph") {
		t.Errorf("without a graph: %v", err)
	}
	if err := e.Close(); err != nil || len(dev.live) > 0 {
		t.Errorf("left on the device: %v, %v", dev.live, err)
	}
}
