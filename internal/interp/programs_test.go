package interp

import (
	"container/heap"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/internal/run"
)

// bundled loads one of the bundled programs.
func bundled(t testing.TB, name string) *check.Info {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "programs", name+".irgl"))
	if err != nil {
		t.Fatal(err)
	}
	return mustLoad(t, name+".irgl", string(text))
}

// runBundled runs a bundled program from src, where it has a source.
func runBundled(t testing.TB, name string, g *graph.Graph, src int, o Options) *run.Result {
	t.Helper()
	info := bundled(t, name)
	ctx := context.Background()
	g, err := run.Prepare(ctx, g, info.Requires)
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(info, o)
	if err != nil {
		t.Fatal(err)
	}
	args := defaults(info)
	if len(args) > 0 && args[0].Type == check.Node {
		args[0].Int = int64(src)
	}
	res, err := e.Run(ctx, run.Input{Graph: g, Args: args})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// The reference answers below share nothing with the interpreter; infinite is
// what the programs give for nodes that are not reached.
const infinite = math.MaxInt32

func referenceBFS(g *graph.Graph, src int) []int32 {
	level := slices.Repeat([]int32{infinite}, g.NumNodes())
	level[src] = 0
	for queue := []uint32{uint32(src)}; len(queue) > 0; queue = queue[1:] {
		for _, v := range g.Neighbors(queue[0]) {
			if level[v] == infinite {
				level[v] = level[queue[0]] + 1
				queue = append(queue, v)
			}
		}
	}
	return level
}

type entry struct {
	dist int64
	node uint32
}
type entries []entry

func (q entries) Len() int           { return len(q) }
func (q entries) Less(i, j int) bool { return q[i].dist < q[j].dist }
func (q entries) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *entries) Push(x any)        { *q = append(*q, x.(entry)) }
func (q *entries) Pop() any {
	x := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return x
}

func referenceSSSP(g *graph.Graph, src int) []int32 {
	dist := slices.Repeat([]int32{infinite}, g.NumNodes())
	q := &entries{{0, uint32(src)}}
	for q.Len() > 0 {
		x := heap.Pop(q).(entry)
		if dist[x.node] != infinite {
			continue
		}
		dist[x.node] = int32(x.dist)
		for e := g.RowStart[x.node]; e < g.RowStart[x.node+1]; e++ {
			heap.Push(q, entry{x.dist + int64(g.Weight[e]), g.Dst[e]})
		}
	}
	return dist
}

// referencePR iterates by pulling, until nothing changes any more.
func referencePR(g *graph.Graph, damping float64) []float64 {
	n := float64(g.NumNodes())
	rank := slices.Repeat([]float64{1 / n}, g.NumNodes())
	for range 500 {
		next := make([]float64, len(rank))
		lost := 0.0
		for u := range rank {
			row := g.Neighbors(uint32(u))
			if len(row) == 0 {
				lost += rank[u]
			}
			for _, v := range row {
				next[v] += rank[u] / float64(len(row))
			}
		}
		for u := range next {
			next[u] = (1-damping)/n + damping*(next[u]+lost/n)
		}
		rank = next
	}
	return rank
}

// TestBundled compares the bundled programs with the references, in the
// natural and in permuted orders of iterations.
func TestBundled(t *testing.T) {
	for _, spec := range []string{"rmat:8:8:wmax=20", "grid:12:9:wmax=9", "uniform:300:2:wmax=5", "star:40:wmax=3", "empty:5:wmax=1", "road:20:20:wmax=30", "path:50:wmax=4"} {
		g, err := graph.Generate(context.Background(), spec)
		if err != nil {
			t.Fatal(err)
		}
		if g.Weight == nil {
			g.Weight = []int32{}
		}
		src := 0
		bfs, sssp, pr := referenceBFS(g, src), referenceSSSP(g, src), referencePR(g, 0.85)
		comp, err := g.Components(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, seed := range []uint64{0, 1, 2, 3} {
			o := Options{Seed: seed}
			compareInts32(t, spec, seed, "bfs", runBundled(t, "bfs", g, src, o).Column("level"), bfs)
			compareInts32(t, spec, seed, "sssp", runBundled(t, "sssp", g, src, o).Column("dist"), sssp)
			compareInts32(t, spec, seed, "sssp_bf", runBundled(t, "sssp_bf", g, src, o).Column("dist"), sssp)
			res := runBundled(t, "cc", g, src, o)
			want, roots := make([]int32, len(comp)), int64(0)
			for v, c := range comp {
				want[v] = int32(c)
				if int(c) == v {
					roots++
				}
			}
			compareInts32(t, spec, seed, "cc", res.Column("comp"), want)
			if got, _ := res.Global("components"); got.Values[0].Int != roots {
				t.Errorf("%s seed %d cc: %v components, want %d", spec, seed, got.Values, roots)
			}
			rank := runBundled(t, "pr", g, src, o).Column("rank")
			for v := range pr {
				if d := math.Abs(rank.Float(v) - pr[v]); d > 1e-7 {
					t.Errorf("%s seed %d pr: rank of %d is %g, want %g", spec, seed, v, rank.Float(v), pr[v])
					break
				}
			}
		}
	}
}

func compareInts32(t *testing.T, spec string, seed uint64, what string, got *run.Column, want []int32) {
	t.Helper()
	if !slices.Equal(got.Data.([]int32), want) {
		t.Errorf("%s seed %d %s: got %v\nwant %v", spec, seed, what, got.Data, want)
	}
}

// sharedData returns the folder of real inputs beside the repository, or skips
// the test.
func sharedData(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "..", "..", "shared", "data"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "facts.json")); err != nil {
		t.Skip("no ../shared/data/facts.json beside the repository")
	}
	return dir
}

// A fact is a known answer of a search in facts.json.
type fact struct {
	Graph   string
	Source  int `json:"source0"`
	Reached int
	Max     int64 `json:"max_level"`
	Sum     int64 `json:"level_sum"`
	MaxDist int64 `json:"max_dist"`
	SumDist int64 `json:"dist_sum"`
}

func TestFacts(t *testing.T) {
	dir := sharedData(t)
	raw, err := os.ReadFile(filepath.Join(dir, "facts.json"))
	if err != nil {
		t.Fatal(err)
	}
	var facts struct {
		Graphs map[string]struct {
			File  string
			Facts struct {
				WCC       int64 `json:"wcc"`
				BFS, SSSP []fact
			}
		}
	}
	if err := json.Unmarshal(raw, &facts); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	checked := 0
	for _, name := range []string{"karate", "rome99", "ca-GrQc"} {
		f := facts.Graphs[name]
		g, err := graph.Open(ctx, filepath.Join(dir, f.File))
		if err != nil {
			t.Fatal(err)
		}
		sym, err := g.Symmetrize(ctx)
		if err != nil {
			t.Fatal(err)
		}
		of := func(k fact) *graph.Graph {
			if k.Graph == "symmetrised" {
				return sym
			}
			return g
		}
		for _, k := range f.Facts.BFS {
			compareFact(t, name+" bfs", k, runBundled(t, "bfs", of(k), k.Source, Options{}).Column("level"), k.Max, k.Sum)
			checked++
		}
		for _, k := range f.Facts.SSSP {
			for _, program := range []string{"sssp", "sssp_bf"} {
				compareFact(t, name+" "+program, k, runBundled(t, program, of(k), k.Source, Options{}).Column("dist"), k.MaxDist, k.SumDist)
				checked++
			}
		}
		if got, _ := runBundled(t, "cc", g, 0, Options{}).Global("components"); got.Values[0].Int != f.Facts.WCC {
			t.Errorf("%s: %v components, want %d", name, got.Values, f.Facts.WCC)
		}
	}
	if checked < 15 {
		t.Errorf("only %d facts were checked", checked)
	}
}

func compareFact(t *testing.T, what string, k fact, got *run.Column, most, sum int64) {
	t.Helper()
	var reached int
	var gotMax, gotSum int64
	for i := range got.Len() {
		if v := got.Int(i); v != infinite {
			reached++
			gotMax, gotSum = max(gotMax, v), gotSum+v
		}
	}
	if reached != k.Reached || gotMax != most || gotSum != sum {
		t.Errorf("%s %s from %d: reached %d, max %d, sum %d; want %d, %d, %d", what, k.Graph, k.Source, reached, gotMax, gotSum, k.Reached, most, sum)
	}
}

// BenchmarkBFS and BenchmarkGoBFS measure the price of interpretation: the
// second is the program written in Go, level by level.
func BenchmarkBFS(b *testing.B) {
	g, e, in := benchBFS(b)
	b.ResetTimer()
	for b.Loop() {
		if _, err := e.Run(context.Background(), in); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(g.NumEdges())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Medges/s")
}

func BenchmarkGoBFS(b *testing.B) {
	g, _, _ := benchBFS(b)
	level := make([]int32, g.NumNodes())
	b.ResetTimer()
	for b.Loop() {
		for i := range level {
			level[i] = infinite
		}
		level[0] = 0
		in, out := []uint32{0}, []uint32{}
		for depth := int32(1); len(in) > 0; depth++ {
			for _, u := range in {
				for e := g.RowStart[u]; e < g.RowStart[u+1]; e++ {
					if v := g.Dst[e]; level[v] == infinite {
						level[v] = depth
						out = append(out, v)
					}
				}
			}
			in, out = out, in[:0]
		}
	}
	b.ReportMetric(float64(g.NumEdges())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Medges/s")
}

func benchBFS(b *testing.B) (*graph.Graph, *Engine, run.Input) {
	b.Helper()
	g, err := graph.Generate(context.Background(), "rmat:18:16")
	if err != nil {
		b.Fatal(err)
	}
	e, err := New(bundled(b, "bfs"), Options{})
	if err != nil {
		b.Fatal(err)
	}
	return g, e, run.Input{Graph: g, Args: []run.Value{run.IntValue(0)}}
}
