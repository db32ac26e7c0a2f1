package bundled_test

import (
	"bytes"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"irgl/graph"
	"irgl/internal/gogen"
	"irgl/internal/gogen/bundled"
	"irgl/internal/programs"
	"irgl/internal/run"
)

// TestStale fails when the committed files are not what the generator writes.
func TestStale(t *testing.T) {
	list, err := gogen.ReadTexts("../../programs")
	if err != nil || len(list) == 0 {
		t.Fatal("no programs", err)
	}
	want, err := gogen.BundledFiles(list)
	if err != nil {
		t.Fatal(err)
	}
	old, _ := filepath.Glob("program_*.go")
	if len(old) != len(want)-1 { // and the registry
		t.Errorf("%d generated programs, %d wanted", len(old), len(want)-1)
	}
	for name, text := range want {
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s is stale: go generate ./internal/gogen/bundled (%v)", name, err)
		}
	}
}

func engine(t testing.TB, name string) run.Engine {
	t.Helper()
	list, err := gogen.ReadTexts("../../programs")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if p.Name != name {
			continue
		}
		if _, ok := bundled.Lookup(name, append(p.Source, '\n'), false); ok {
			t.Error("an edited program is run by the old code")
		}
		if e, ok := bundled.Lookup(name, p.Source, false); ok {
			return e
		}
	}
	t.Fatalf("%s is not bundled", name)
	return nil
}

// TestReserve checks that a run finds what it allocates reserved: properties and worklists.
func TestReserve(t *testing.T) {
	e := engine(t, "mis").(run.Reserver)
	g, err := graph.Generate(context.Background(), "rmat:15:8:sym")
	if err != nil {
		t.Fatal(err)
	}
	in := run.Input{Graph: g, Workers: 1}
	allocates := func() uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := e.Run(context.Background(), in)
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	without := allocates()
	e.Reserve(in)
	if with := allocates(); without < 9<<15 || with > without/4 {
		t.Errorf("a run allocates %d bytes, with reserved memory %d", without, with)
	}
}

// specs are graphs below and above the size at which workers share the work, and one with a
// node whose edges they share.
var specs = []string{"empty:1", "empty:3", "path:2", "path:70", "star:50", "clique:20", "grid:60:50", "uniform:300:2", "rmat:12:8", "road:70:70", "star:40000", "rmat:15:8"}

// eachRun runs a program on every graph with several numbers of workers.
func eachRun(t *testing.T, name string, sym bool, args []run.Value, check func(g *graph.Graph, res *run.Result) error) {
	t.Helper()
	e := engine(t, name)
	for i, spec := range specs {
		if testing.Short() && i >= len(specs)-2 {
			break // most of the time
		}
		if sym && (spec[0] == 'r' && spec[1] == 'm' || spec[0] == 'u') {
			spec += ":sym"
		}
		g, err := graph.Generate(context.Background(), spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{1, 2, 5} {
			res, err := e.Run(context.Background(), run.Input{Graph: g, Args: args, Workers: workers})
			if err == nil {
				err = check(g, res)
			}
			if err != nil {
				t.Errorf("%s on %s with %d workers: %v", name, spec, workers, err)
			}
		}
	}
}

func compare(got []int32, want []int32) error {
	for v := range want {
		if got[v] != want[v] {
			return fmt.Errorf("node %d: %d, want %d", v, got[v], want[v])
		}
	}
	return nil
}

type item struct{ v, d int32 }
type queue []item

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].d < q[j].d }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(item)) }
func (q *queue) Pop() any {
	x := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return x
}

// dijkstra returns the distances from node 0; all arcs count 1 without weights.
func dijkstra(g *graph.Graph, weights bool) []int32 {
	dist := make([]int32, g.NumNodes())
	for v := range dist {
		dist[v] = math.MaxInt32
	}
	q := &queue{{0, 0}}
	dist[0] = 0
	for q.Len() > 0 {
		x := heap.Pop(q).(item)
		if x.d > dist[x.v] {
			continue
		}
		for e := g.RowStart[x.v]; e < g.RowStart[x.v+1]; e++ {
			d := x.d + 1
			if weights {
				d = x.d + g.Weight[e]
			}
			if u := int32(g.Dst[e]); d < dist[u] {
				dist[u] = d
				heap.Push(q, item{u, d})
			}
		}
	}
	return dist
}

func TestBFS(t *testing.T) {
	for _, name := range []string{"bfs", "bfs_st"} {
		testBFS(t, name, run.IntValue(0))
	}
	// In both directions: as the program chooses, pulling as much as can be, and never;
	// always in the order of the nodes, and never.
	for _, a := range [][2]int64{{3, 8}, {1 << 30, 8}, {0, 0}, {0, 1 << 30}} {
		testBFS(t, "bfs_do", run.IntValue(0), run.IntValue(a[0]), run.IntValue(18), run.IntValue(a[1]))
	}
}

func testBFS(t *testing.T, name string, args ...run.Value) {
	t.Helper()
	eachRun(t, name, false, args, func(g *graph.Graph, res *run.Result) error {
		want := dijkstra(g, false)
		depth := int32(0)
		for _, d := range want {
			if d != math.MaxInt32 {
				depth = max(depth, d)
			}
		}
		// The last round finds nothing. A round that sweeps lists the next
		// frontier in a launch of its own.
		most := res.Iterations
		if name == "bfs_do" {
			most *= 2
		}
		if res.Iterations != int64(depth)+1 || res.Launches < res.Iterations || res.Launches > most {
			return fmt.Errorf("%d iterations, %d launches, want %d", res.Iterations, res.Launches, depth+1)
		}
		return compare(res.Column("level").Data.([]int32), want)
	})
}

func TestSSSP(t *testing.T) {
	for _, name := range []string{"sssp", "sssp_bf"} {
		eachRun(t, name, false, []run.Value{run.IntValue(0)}, func(g *graph.Graph, res *run.Result) error {
			return compare(res.Column("dist").Data.([]int32), dijkstra(g, true))
		})
	}
}

// TestNearFar runs sssp_nf with the width it chooses, and with narrow bands.
func TestNearFar(t *testing.T) {
	for _, delta := range []int64{0, 40} {
		args := []run.Value{run.IntValue(0), run.IntValue(delta)}
		eachRun(t, "sssp_nf", false, args, func(g *graph.Graph, res *run.Result) error {
			return compare(res.Column("dist").Data.([]int32), dijkstra(g, true))
		})
	}
}

// TestBands runs sssp_ds with the widths it chooses, for devices that rounds of
// several sizes keep busy.
func TestBands(t *testing.T) {
	for _, busy := range []int64{16, 16384} {
		args := []run.Value{run.IntValue(0), run.IntValue(0), run.IntValue(busy)}
		eachRun(t, "sssp_ds", false, args, func(g *graph.Graph, res *run.Result) error {
			return compare(res.Column("dist").Data.([]int32), dijkstra(g, true))
		})
	}
}

// TestSets runs the programs whose results are sets or counts. Their references
// are package programs' own, which shares nothing with the generated code.
func TestSets(t *testing.T) {
	for _, name := range []string{"mis", "mst", "mst_lock", "tri", "tri_or"} {
		eachRun(t, name, true, nil, func(g *graph.Graph, res *run.Result) error {
			return programs.Verify(context.Background(), name, run.Input{Graph: g}, res)
		})
	}
}

func TestCC(t *testing.T) {
	eachRun(t, "cc_af", true, nil, func(g *graph.Graph, res *run.Result) error {
		return programs.Verify(context.Background(), "cc_af", run.Input{Graph: g}, res)
	})
	eachRun(t, "cc", true, nil, func(g *graph.Graph, res *run.Result) error {
		comp := make([]int32, g.NumNodes())
		for v := range comp {
			comp[v] = -1
		}
		count := int64(0)
		for v := range comp {
			if comp[v] >= 0 {
				continue
			}
			count++
			stack := []uint32{uint32(v)}
			for len(stack) > 0 {
				u := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				if comp[u] < 0 {
					comp[u] = int32(v)
					stack = append(stack, g.Neighbors(u)...)
				}
			}
		}
		if c, ok := res.Global("components"); !ok || c.Values[0].Int != count {
			return fmt.Errorf("components is %v, want %d", c, count)
		}
		return compare(res.Column("comp").Data.([]int32), comp)
	})
}

func TestPR(t *testing.T) {
	const damping, tolerance = 0.85, 1e-9
	args := []run.Value{run.FloatValue(damping), run.FloatValue(tolerance), run.IntValue(1000)}
	check := func(g *graph.Graph, res *run.Result) error {
		n := g.NumNodes()
		rank, next := make([]float64, n), make([]float64, n)
		for v := range rank {
			rank[v] = 1 / float64(n)
		}
		for range 300 {
			lost := 0.0
			clear(next)
			for v := range n {
				if g.Degree(uint32(v)) == 0 {
					lost += rank[v]
				}
				for _, u := range g.Neighbors(uint32(v)) {
					next[u] += rank[v] / float64(g.Degree(uint32(v)))
				}
			}
			for v := range n {
				rank[v] = (1-damping)/float64(n) + damping*(next[v]+lost/float64(n))
			}
		}
		got, sum := res.Column("rank").Data.([]float64), 0.0
		for v := range n {
			sum += got[v]
			if math.Abs(got[v]-rank[v]) > 1e-7 {
				return fmt.Errorf("node %d: %g, want %g", v, got[v], rank[v])
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			return fmt.Errorf("the ranks sum to %g", sum)
		}
		return nil
	}
	eachRun(t, "pr", false, args, check)
	eachRun(t, "pr_pull", false, args, check)
}

// TestDeterministic checks that one worker gives the same bits every time, also
// for sums of floats.
func TestDeterministic(t *testing.T) {
	g, err := graph.Generate(context.Background(), "rmat:12:8")
	if err != nil {
		t.Fatal(err)
	}
	in := run.Input{Graph: g, Workers: 1, Args: []run.Value{run.FloatValue(0.85), run.FloatValue(1e-9), run.IntValue(50)}}
	var first []float64
	for range 3 {
		res, err := engine(t, "pr").Run(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		rank := res.Column("rank").Data.([]float64)
		if first == nil {
			first = rank
		}
		for v := range rank {
			if rank[v] != first[v] {
				t.Fatalf("node %d: %g, then %g", v, first[v], rank[v])
			}
		}
	}
}

func TestErrors(t *testing.T) {
	g, err := graph.Generate(context.Background(), "path:5")
	if err != nil {
		t.Fatal(err)
	}
	in := run.Input{Graph: g, Args: []run.Value{run.IntValue(5)}}
	if _, err := engine(t, "bfs").Run(context.Background(), in); err == nil || !strings.HasSuffix(err.Error(), "error: the graph has no node 5: its nodes are 0 to 4 [E0102]") {
		t.Errorf("a source that does not exist: %v", err)
	}
	g.Weight = nil
	in.Args[0].Int = 0
	if _, err := engine(t, "sssp").Run(context.Background(), in); err == nil {
		t.Error("sssp ran without weights")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := engine(t, "bfs").Run(ctx, in); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run: %v", err)
	}
}

func BenchmarkBFS(b *testing.B) {
	g, err := graph.Generate(context.Background(), "rmat:18:8")
	if err != nil {
		b.Fatal(err)
	}
	e := engine(b, "bfs")
	for b.Loop() {
		if _, err := e.Run(context.Background(), run.Input{Graph: g, Args: []run.Value{run.IntValue(0)}}); err != nil {
			b.Fatal(err)
		}
	}
}
