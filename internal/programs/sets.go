package programs

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"irgl/graph"
	"irgl/internal/run"
)

// A forest is disjoint sets of nodes.
type forest []uint32

func newForest(n int) forest {
	f := make(forest, n)
	for v := range f {
		f[v] = uint32(v)
	}
	return f
}

// find returns the node that stands for v's set.
func (f forest) find(v uint32) uint32 {
	for f[v] != v {
		f[v] = f[f[v]]
		v = f[v]
	}
	return v
}

// join unites two sets, whose smaller node stands for them; false if they were
// one.
func (f forest) join(u, v uint32) bool {
	a, b := f.find(u), f.find(v)
	f[max(a, b)] = min(a, b)
	return a != b
}

// verifyMST compares the weight and the number of edges with Kruskal's
// algorithm, and checks that the chosen edges are a forest of that weight: as
// many edges without a cycle span what the graph connects.
func verifyMST(ctx context.Context, in run.Input, res *run.Result) error {
	g := in.Graph
	n := g.NumNodes()
	col, err := column(res, "chosen", len(g.Dst))
	if err != nil {
		return err
	}
	from := sources(g)
	tree, err := remembered(ctx, func() (forestSize, error) { return smallestForest(ctx, g, from) }, "forest", unsafe.SliceData(g.Dst), unsafe.SliceData(g.Weight))
	if err != nil {
		return err
	}
	weight, edges := tree.weight, tree.edges
	if err := global(res, "edges", edges); err != nil {
		return err
	}
	if err := global(res, "weight", weight); err != nil {
		return err
	}
	chosen := newForest(n)
	for e := range g.Dst {
		if col.Int(e) == 0 {
			continue
		}
		u, v := from[e], g.Dst[e]
		if !chosen.join(u, v) {
			return fmt.Errorf("the chosen edge from node %d to node %d closes a cycle", g.ExternalID(u), g.ExternalID(v))
		}
		weight -= int64(g.Weight[e])
		edges--
	}
	if edges != 0 || weight != 0 {
		return fmt.Errorf("the chosen edges lack %d of the forest's edges and %d of its weight", edges, weight)
	}
	return nil
}

// sources returns the node that each edge leaves.
func sources(g *graph.Graph) []uint32 {
	from := make([]uint32, len(g.Dst))
	for u := range uint32(g.NumNodes()) {
		for e := g.RowStart[u]; e < g.RowStart[u+1]; e++ {
			from[e] = u
		}
	}
	return from
}

// global compares an integer output with the value it should have.
func global(res *run.Result, name string, want int64) error {
	v, ok := res.Global(name)
	if !ok {
		return fmt.Errorf("the result has no value %s", name)
	}
	if got := v.Values[0].Int; got != want {
		return fmt.Errorf("%s is %d, want %d", name, got, want)
	}
	return nil
}

// A forestSize is what all minimum spanning forests of a graph have in common.
type forestSize struct{ weight, edges int64 }

// smallestForest builds one by Kruskal's algorithm: by weight, which need not be
// compared edge by edge when the edges are sorted by a key of weight and number.
func smallestForest(ctx context.Context, g *graph.Graph, from []uint32) (forestSize, error) {
	order := make([]uint64, len(g.Dst))
	for e := range order {
		order[e] = uint64(uint32(g.Weight[e])^1<<31)<<32 | uint64(e)
	}
	slices.Sort(order)
	var f forestSize
	if err := ctx.Err(); err != nil {
		return f, err
	}
	trees := newForest(g.NumNodes())
	for _, key := range order {
		if e := uint32(key); trees.join(from[e], g.Dst[e]) {
			f.weight += int64(g.Weight[e])
			f.edges++
		}
	}
	return f, nil
}

// verifyMIS checks that the set is independent, maximal, and as large as said.
// There are many such sets; any is right.
func verifyMIS(_ context.Context, in run.Input, res *run.Result) error {
	g := in.Graph
	col, err := column(res, "inside", g.NumNodes())
	if err != nil {
		return err
	}
	var bad mismatches
	size := int64(0)
	for v := range uint32(g.NumNodes()) {
		inside, near := col.Int(int(v)) != 0, false
		if inside {
			size++
		}
		for _, u := range g.Neighbors(v) {
			if u == v || col.Int(int(u)) == 0 {
				continue
			}
			if near = true; inside {
				bad.add("node %d is in the set, and so is its neighbour %d", g.ExternalID(v), g.ExternalID(u))
				break
			}
		}
		if !inside && !near {
			bad.add("node %d and its neighbours are all outside the set", g.ExternalID(v))
		}
	}
	if err := bad.err(); err != nil {
		return err
	}
	return global(res, "size", size)
}

// verifyTri counts triangles by marks: each edge leads from the node of smaller
// degree to the other, and a triangle is a marked node at the end of two.
func verifyTri(ctx context.Context, in run.Input, res *run.Result) error {
	count, err := newAscending(in.Graph).triangles(ctx)
	if err != nil {
		return err
	}
	return global(res, "triangles", count)
}

// An ascending graph has its nodes numbered by growing degree, and of each edge
// only the direction that leads to the larger number. No node has many of
// them: hubs, where most edges end, lead to the few larger hubs at most.
type ascending struct {
	row []int // where each node's edges begin, and the end of all
	dst []uint32
}

func newAscending(g *graph.Graph) *ascending {
	n := g.NumNodes()
	order := make([]uint32, n) // new number -> old
	for v := range order {
		order[v] = uint32(v)
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(g.Degree(a), g.Degree(b)) })
	number := make([]uint32, n)
	for i, v := range order {
		number[v] = uint32(i)
	}
	a := &ascending{row: make([]int, 1, n+1), dst: make([]uint32, 0, len(g.Dst)/2)}
	for i, v := range order {
		for _, w := range g.Neighbors(v) {
			if number[w] > uint32(i) {
				a.dst = append(a.dst, number[w])
			}
		}
		a.row = append(a.row, len(a.dst))
	}
	return a
}

// triangles counts them on all processors, each of which takes some nodes at a
// time.
func (a *ascending) triangles(ctx context.Context) (int64, error) {
	const some = 1 << 10
	n := len(a.row) - 1
	var next, total atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n/some+1) {
		wg.Go(func() {
			mark := make([]uint8, n)
			for ctx.Err() == nil {
				first := int(next.Add(some)) - some
				if first >= n {
					return
				}
				count := int64(0)
				for u := first; u < min(first+some, n); u++ {
					count += a.over(u, mark)
				}
				total.Add(count)
			}
		})
	}
	wg.Wait()
	return total.Load(), ctx.Err()
}

// over counts the triangles of which u is the smallest node; mark, of all nodes,
// is clear before and after.
func (a *ascending) over(u int, mark []uint8) int64 {
	out := a.dst[a.row[u]:a.row[u+1]]
	if len(out) < 2 {
		return 0
	}
	for _, v := range out {
		mark[v] = 1
	}
	count := int64(0)
	for _, v := range out {
		for _, w := range a.dst[a.row[v]:a.row[v+1]] {
			count += int64(mark[w])
		}
	}
	for _, v := range out {
		mark[v] = 0
	}
	return count
}
