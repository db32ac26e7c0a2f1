package gogen

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"irgl/internal/check"
	"irgl/internal/run"
	"irgl/mesh"
)

// random returns a triangulation of random points, as programs see it.
func random(t *testing.T, points int) (*mesh.Mesh, *run.Mesh) {
	t.Helper()
	m, err := mesh.Generate(context.Background(), points, 1)
	if err != nil {
		t.Fatal(err)
	}
	in, err := run.PrepareMesh(context.Background(), m, check.Requires{})
	if err != nil {
		t.Fatal(err)
	}
	return m, in
}

func readText(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestMesh splits all triangles of a mesh with several numbers of workers, with
// room for everything and for nothing at first, and checks what is left.
func TestMesh(t *testing.T) {
	needGo(t)
	e := buildText(t, "mesh", readText(t, "testdata/mesh.irgl"))
	whole, in := random(t, 1500)
	given := run.Mesh{X: slices.Clone(in.X), Y: slices.Clone(in.Y), Points: slices.Clone(in.Points), Neighbors: slices.Clone(in.Neighbors)}
	for _, workers := range []int{1, 2, 3, 4} {
		for _, room := range []int{0, 1, 100000} {
			var out bytes.Buffer
			res, err := e.Run(context.Background(), run.Input{Mesh: in, Workers: workers, Room: room, Stdout: &out, Args: []run.Value{run.IntValue(0)}})
			if err != nil {
				t.Fatal(err)
			}
			if want := "begin\npoints 0, triangles 0, wrong 0\n"; out.String() != want {
				t.Errorf("%d workers, room %d: %q, want %q", workers, room, out.String(), want)
			}
			if room != 0 && (res.Restarts > 0) != (room == 1) {
				t.Errorf("%d workers, room %d: %d restarts", workers, room, res.Restarts)
			}
			triangles, _ := res.Global("triangles")
			n := int(triangles.Values[0].Int)
			if len(res.Mesh.X) != len(in.X)+4*n || len(res.Mesh.Points) != len(in.Points)+12*n || len(res.Mesh.Deleted) != len(res.Mesh.Points) {
				t.Errorf("%d triangles become %d points and %d elements", n, len(res.Mesh.X), len(res.Mesh.Points))
			}
			level, height := res.Column("level"), res.Column("height")
			if level.Len() != len(res.Mesh.Points) || height.Len() != len(res.Mesh.X) || height.Float(height.Len()-1) != 2.5*float64(height.Len()-1) {
				t.Errorf("%d levels, %d heights", level.Len(), height.Len())
			}
			m, err := res.Mesh.Triangulation()
			if err != nil {
				t.Fatal(err)
			}
			report, err := mesh.Check(context.Background(), m, mesh.CheckOptions{Input: whole})
			if err != nil || !report.OK() || report.Triangles != 9*n {
				t.Fatalf("%d workers: %v\n%v", workers, err, report)
			}
		}
	}
	if !slices.Equal(in.X, given.X) || !slices.Equal(in.Points, given.Points) || !slices.Equal(in.Neighbors, given.Neighbors) {
		t.Error("the input has changed")
	}
	var out bytes.Buffer
	res, err := e.Run(context.Background(), run.Input{Mesh: in, Room: 1, Stdout: &out, Args: []run.Value{run.IntValue(1)}})
	if err != nil || !strings.HasSuffix(out.String(), "grown 0, wrong 0\n") || res.Restarts == 0 {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// TestMeshInput checks what is refused of a mesh, and that a program's own fault
// is an error.
func TestMeshInput(t *testing.T) {
	needGo(t)
	ctx := context.Background()
	e := buildText(t, "far", `Mesh mesh { Output Element int k; }
Kernel walk(mesh, int far) {
  ForAll (t In mesh.elements) { u = t.neighbors[2]; if (far) u = u - 1; u.k = 1; }
}
Host far(int far) {
  if (far < 2) Invoke walk(mesh, far);
  printf("%d\n", mesh.elements(0).neighbors[0].k);
}
`)
	one := &run.Mesh{X: []float64{0, 1, 0}, Y: []float64{0, 0, 1}, Points: [][3]int32{{0, 1, 2}}, Neighbors: [][3]int32{{-1, -1, -1}}}
	for _, tt := range []struct {
		change func(*run.Mesh)
		far    int64
		want   string
	}{
		{func(m *run.Mesh) { m.Y = m.Y[:2] }, 2, "3 x and 2 y"},
		{func(m *run.Mesh) { m.Neighbors = nil }, 2, "neighbours of 0"},
		{func(m *run.Mesh) { m.Points = [][3]int32{{0, 1, 3}} }, 2, "corners"},
		{func(m *run.Mesh) { m.Neighbors = [][3]int32{{-2, -1, -1}} }, 2, "neighbours [-2"},
		{func(m *run.Mesh) {}, 2, "7:18: error: the mesh has no element -1: its elements are 0 to 0"},
		{func(m *run.Mesh) {}, 1, "3:73: error: the mesh has no element -2"},
	} {
		m := *one
		tt.change(&m)
		_, err := e.Run(ctx, run.Input{Mesh: &m, Args: []run.Value{run.IntValue(tt.far)}})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
	if _, err := e.Run(ctx, run.Input{Args: []run.Value{run.IntValue(2)}}); err == nil || err.Error() != "far: no mesh" {
		t.Errorf("without a mesh: %v", err)
	}
}

// TestCancelledGroups cancels a run whose workers go from barrier to barrier,
// and one in which they fail between them.
func TestCancelledGroups(t *testing.T) {
	needGo(t)
	e := buildText(t, "endless", `Graph g { Node int x; }
int never = 0;
Kernel meet(g, int fail) {
  ForAll (n In g.nodes) {
    int one = 1;
    SyncRunningThreads();
    if (fail && n.id == 777) assert(never);
    n.x += one;
    SyncRunningThreads();
    one++;
  }
}
Host main(int fail) { while (never == 0) { Invoke meet(g, fail); } }
`)
	for _, workers := range []int{1, 2, 4} {
		in := run.Input{Graph: generated(t, "empty:5000"), Workers: workers, Args: []run.Value{run.IntValue(0)}}
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		start := time.Now()
		if _, err := e.Run(ctx, in); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 5*time.Second {
			t.Errorf("%d workers: %v after %v", workers, err, time.Since(start))
		}
		cancel()
		in.Args[0] = run.IntValue(1)
		if _, err := e.Run(context.Background(), in); err == nil || !strings.Contains(err.Error(), ":7:30: error: assertion failed") {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
}
