package interp

import (
	"cmp"
	"container/heap"
	"context"
	"encoding/json"
	"fmt"
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
			for _, name := range []string{"bfs", "bfs_do", "bfs_st"} {
				compareInts32(t, spec, seed, name, runBundled(t, name, g, src, o).Column("level"), bfs)
			}
			for _, name := range []string{"sssp", "sssp_bf", "sssp_ds", "sssp_nf"} {
				compareInts32(t, spec, seed, name, runBundled(t, name, g, src, o).Column("dist"), sssp)
			}
			want, roots := make([]int32, len(comp)), int64(0)
			for v, c := range comp {
				want[v] = int32(c)
				if int(c) == v {
					roots++
				}
			}
			for _, name := range []string{"cc", "cc_af"} {
				res := runBundled(t, name, g, src, o)
				compareInts32(t, spec, seed, name, res.Column("comp"), want)
				if got, _ := res.Global("components"); got.Values[0].Int != roots {
					t.Errorf("%s seed %d %s: %v components, want %d", spec, seed, name, got.Values, roots)
				}
			}
			for _, name := range []string{"pr", "pr_pull"} {
				rank := runBundled(t, name, g, src, o).Column("rank")
				for v := range pr {
					if d := math.Abs(rank.Float(v) - pr[v]); d > 1e-7 {
						t.Errorf("%s seed %d %s: rank of %d is %g, want %g", spec, seed, name, v, rank.Float(v), pr[v])
						break
					}
				}
			}
			checkForest(t, "mst", fmt.Sprintf("%s seed %d", spec, seed), g, o)
			checkForest(t, "mst_lock", fmt.Sprintf("%s seed %d", spec, seed), g, o)
			checkSet(t, fmt.Sprintf("%s seed %d mis", spec, seed), g, o)
			sym, err := g.Symmetrize(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"tri", "tri_or"} {
				if got, want := globalInt(runBundled(t, name, g, src, o), "triangles"), referenceTriangles(sym); got != want {
					t.Errorf("%s seed %d %s: %d triangles, want %d", spec, seed, name, got, want)
				}
			}
		}
	}
}

// TestForestTies runs mst and mst_lock on symmetric graphs with parallel edges, loops and
// equal and negative weights, which Prepare leaves as they are.
func TestForestTies(t *testing.T) {
	type edge struct{ u, v, w int32 }
	for name, edges := range map[string][]edge{
		"parallel":  {{0, 1, 5}, {0, 1, 5}, {0, 1, 3}, {1, 2, 4}, {1, 2, 4}, {2, 0, 4}, {3, 4, 1}, {3, 4, 1}},
		"loops":     {{0, 0, -9}, {0, 1, 2}, {1, 1, 0}, {2, 2, 7}},
		"negative":  {{0, 1, -5}, {1, 2, -5}, {2, 3, -5}, {3, 0, -5}, {0, 2, math.MinInt32}, {1, 3, math.MaxInt32}},
		"equal":     {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {3, 4, 1}, {4, 5, 1}, {5, 0, 1}, {0, 3, 1}, {1, 4, 1}, {2, 5, 1}},
		"far apart": {{0, 5, 1}, {5, 0, 1}, {2, 4, 2147483647}},
	} {
		var src, dst []uint32
		var weight []int32
		for _, e := range edges {
			src, dst, weight = append(src, uint32(e.u)), append(dst, uint32(e.v)), append(weight, e.w)
			if e.u != e.v {
				src, dst, weight = append(src, uint32(e.v)), append(dst, uint32(e.u)), append(weight, e.w)
			}
		}
		g, err := graph.FromEdges(6, src, dst, weight)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(8) {
			checkForest(t, "mst", fmt.Sprintf("%s seed %d", name, seed), g, Options{Seed: seed})
			checkForest(t, "mst_lock", fmt.Sprintf("%s seed %d", name, seed), g, Options{Seed: seed})
			checkSet(t, fmt.Sprintf("%s seed %d", name, seed), g, Options{Seed: seed})
		}
	}
}

// TestNearFar runs sssp_nf with bands of several widths.
func TestNearFar(t *testing.T) {
	g, err := graph.Generate(context.Background(), "rmat:7:6:wmax=50")
	if err != nil {
		t.Fatal(err)
	}
	want := referenceSSSP(g, 0)
	info := bundled(t, "sssp_nf")
	e, err := New(info, Options{})
	if err != nil {
		t.Fatal(err)
	}
	launches := map[int64]int64{}
	for _, delta := range []int64{1, 7, 100, 1 << 30, math.MaxInt32} {
		res, err := e.Run(context.Background(), run.Input{Graph: g, Args: []run.Value{run.IntValue(0), run.IntValue(delta)}})
		if err != nil {
			t.Fatal(err)
		}
		compareInts32(t, "rmat", 0, fmt.Sprint("sssp_nf delta ", delta), res.Column("dist"), want)
		launches[delta] = int64(res.Iterations)
	}
	if launches[math.MaxInt32] != 1 || launches[1] < 10 {
		t.Errorf("rounds of each width: %v", launches)
	}
}

func globalInt(res *run.Result, name string) int64 {
	g, ok := res.Global(name)
	if !ok || len(g.Values) != 1 {
		return -1
	}
	return g.Values[0].Int
}

// checkForest runs mst or mst_lock and checks that the chosen edges are a forest of the
// weight that Kruskal's algorithm gives, and that the outputs count them.
func checkForest(t *testing.T, name, what string, g *graph.Graph, o Options) {
	t.Helper()
	what += " " + name
	res := runBundled(t, name, g, 0, o)
	sym, err := run.Prepare(context.Background(), g, bundled(t, name).Requires)
	if err != nil {
		t.Fatal(err)
	}
	type arc struct {
		u, v uint32
		w    int64
	}
	var all, chosen []arc
	col := res.Column("chosen")
	for u := range uint32(sym.NumNodes()) {
		for e := sym.RowStart[u]; e < sym.RowStart[u+1]; e++ {
			a := arc{u, sym.Dst[e], int64(sym.Weight[e])}
			all = append(all, a)
			if col.Int(int(e)) != 0 {
				chosen = append(chosen, a)
			}
		}
	}
	// span joins the ends of arcs in order; it returns what the joining ones
	// weigh and how many they are.
	span := func(list []arc) (weight, n int64) {
		root := make([]uint32, sym.NumNodes())
		for i := range root {
			root[i] = uint32(i)
		}
		find := func(v uint32) uint32 {
			for root[v] != v {
				v = root[v]
			}
			return v
		}
		for _, a := range list {
			if u, v := find(a.u), find(a.v); u != v {
				root[u] = v
				weight, n = weight+a.w, n+1
			}
		}
		return weight, n
	}
	slices.SortStableFunc(all, func(a, b arc) int { return cmp.Compare(a.w, b.w) })
	weight, n := span(all)
	if w, k := span(chosen); w != weight || k != n || len(chosen) != int(n) {
		t.Errorf("%s: %d edges are chosen, %d of them join, and weigh %d; want %d that weigh %d", what, len(chosen), k, w, n, weight)
	}
	if w, k := globalInt(res, "weight"), globalInt(res, "edges"); w != weight || k != n {
		t.Errorf("%s: %d edges that weigh %d; want %d that weigh %d", what, k, w, n, weight)
	}
}

// checkSet runs mis and checks that its set is independent and maximal.
func checkSet(t *testing.T, what string, g *graph.Graph, o Options) {
	t.Helper()
	res := runBundled(t, "mis", g, 0, o)
	sym, err := g.Symmetrize(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	in, size := res.Column("inside"), int64(0)
	for u := range sym.NumNodes() {
		size += in.Int(u)
		inside := in.Int(u) != 0
		near := slices.ContainsFunc(sym.Neighbors(uint32(u)), func(v uint32) bool { return int(v) != u && in.Int(int(v)) != 0 })
		if inside == near {
			t.Errorf("%s: node %d: inside %v, a neighbour inside %v", what, u, inside, near)
			return
		}
	}
	if got := globalInt(res, "size"); got != size {
		t.Errorf("%s: size %d, and %d nodes are inside", what, got, size)
	}
}

// referenceTriangles counts by the definition, with a set of the arcs.
func referenceTriangles(g *graph.Graph) (n int64) {
	arcs := map[[2]uint32]bool{}
	for u := range uint32(g.NumNodes()) {
		for _, v := range g.Neighbors(u) {
			arcs[[2]uint32{u, v}] = true
		}
	}
	for u := range uint32(g.NumNodes()) {
		for _, v := range g.Neighbors(u) {
			for _, w := range g.Neighbors(u) {
				if u < v && v < w && arcs[[2]uint32{v, w}] {
					n++
				}
			}
		}
	}
	return n
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
				WCC       int64  `json:"wcc"`
				Weight    *int64 `json:"msf_weight"`
				Edges     int64  `json:"msf_edges"`
				Triangles int64
				BFS, SSSP []fact
			}
		}
	}
	if err := json.Unmarshal(raw, &facts); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	checked, forests := 0, 0
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
			for _, program := range []string{"sssp", "sssp_bf", "sssp_ds", "sssp_nf"} {
				compareFact(t, name+" "+program, k, runBundled(t, program, of(k), k.Source, Options{}).Column("dist"), k.MaxDist, k.SumDist)
				checked++
			}
		}
		for _, program := range []string{"cc", "cc_af"} {
			if got := globalInt(runBundled(t, program, g, 0, Options{}), "components"); got != f.Facts.WCC {
				t.Errorf("%s %s: %d components, want %d", name, program, got, f.Facts.WCC)
			}
		}
		for _, program := range []string{"tri", "tri_or"} {
			if got := globalInt(runBundled(t, program, g, 0, Options{}), "triangles"); got != f.Facts.Triangles || got == 0 {
				t.Errorf("%s %s: %d triangles, want %d", name, program, got, f.Facts.Triangles)
			}
		}
		checkSet(t, name+" mis", g, Options{})
		if f.Facts.Weight == nil {
			continue
		}
		checkForest(t, "mst", name, g, Options{})
		checkForest(t, "mst_lock", name, g, Options{})
		res := runBundled(t, "mst", g, 0, Options{})
		if w, n := globalInt(res, "weight"), globalInt(res, "edges"); w != *f.Facts.Weight || n != f.Facts.Edges {
			t.Errorf("%s: a forest of %d edges that weighs %d, want %d and %d", name, n, w, f.Facts.Edges, *f.Facts.Weight)
		}
		forests++
	}
	if checked < 15 || forests < 1 {
		t.Errorf("only %d facts and %d forests were checked", checked, forests)
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
