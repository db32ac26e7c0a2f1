package programs

import (
	"container/heap"
	"context"
	"fmt"
	"math"
	"slices"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/internal/run"
)

const unreached = math.MaxInt32

// levels returns the distance in edges of every node from src, by a queue.
func levels(g *graph.Graph, src uint32) []int64 {
	level := filled(g.NumNodes())
	level[src] = 0
	queue := []uint32{src}
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		for _, v := range g.Dst[g.RowStart[u]:g.RowStart[u+1]] {
			if level[v] == unreached {
				level[v] = level[u] + 1
				queue = append(queue, v)
			}
		}
	}
	return level
}

func filled(n int) []int64 {
	a := make([]int64, n)
	for i := range a {
		a[i] = unreached
	}
	return a
}

// source returns the first argument, a node.
func source(in run.Input) (uint32, error) {
	if len(in.Args) == 0 || in.Args[0].Int < 0 || in.Args[0].Int >= int64(in.Graph.NumNodes()) {
		return 0, fmt.Errorf("the source is no node of the graph")
	}
	return uint32(in.Args[0].Int), nil
}

func verifyBFS(_ context.Context, in run.Input, res *run.Result) error {
	src, err := source(in)
	if err != nil {
		return err
	}
	return compareInts(in, res, "level", levels(in.Graph, src))
}

// compareInts compares an integer property with the wanted value of each node.
func compareInts(in run.Input, res *run.Result, name string, want []int64) error {
	col, err := column(res, name, in.Graph.NumNodes())
	if err != nil {
		return err
	}
	var bad mismatches
	for v, w := range want {
		if got := col.Int(v); got != w {
			bad.add("%s of node %d is %d, want %d", name, in.Graph.ExternalID(uint32(v)), got, w)
		}
	}
	return bad.err()
}

// verifySSSP compares distances with those of Dijkstra's algorithm (binary heap),
// or of Bellman and Ford's (queue) where a weight is negative.
func verifySSSP(ctx context.Context, in run.Input, res *run.Result) error {
	src, err := source(in)
	if err != nil {
		return err
	}
	col, err := column(res, "dist", in.Graph.NumNodes())
	if err != nil {
		return err
	}
	weights, err := in.Graph.WeightRange(ctx)
	if err != nil {
		return err
	}
	find := dijkstra
	if weights.Min < 0 {
		find = bellmanFord
	}
	dist, err := find(ctx, in.Graph, src)
	if err != nil {
		return err
	}
	if col.Type == check.Int {
		for v, d := range dist {
			if d == farthest {
				dist[v] = unreached
			}
		}
	}
	return compareInts(in, res, "dist", dist)
}

// farthest is the distance, in 64 bits, of what cannot be reached.
const farthest = math.MaxInt64

func dijkstra(ctx context.Context, g *graph.Graph, src uint32) ([]int64, error) {
	dist := slices.Repeat([]int64{farthest}, g.NumNodes())
	dist[src] = 0
	q := &frontier{{0, src}}
	for pops := 0; q.Len() > 0; pops++ {
		if pops&0xfffff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		it := heap.Pop(q).(item)
		if it.dist > dist[it.node] {
			continue
		}
		for e := g.RowStart[it.node]; e < g.RowStart[it.node+1]; e++ {
			if d := it.dist + int64(g.Weight[e]); d < dist[g.Dst[e]] {
				dist[g.Dst[e]] = d
				heap.Push(q, item{d, g.Dst[e]})
			}
		}
	}
	return dist, nil
}

// bellmanFord refuses a graph in which a cycle of negative weight can be reached.
func bellmanFord(ctx context.Context, g *graph.Graph, src uint32) ([]int64, error) {
	if err := run.RequireConservative(ctx, g, []uint32{src}); err != nil {
		return nil, err
	}
	dist := slices.Repeat([]int64{farthest}, g.NumNodes())
	dist[src] = 0
	for lowered := true; lowered; {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		lowered = false
		for u := range g.NumNodes() {
			if dist[u] == farthest {
				continue
			}
			for e := g.RowStart[u]; e < g.RowStart[u+1]; e++ {
				if d := dist[u] + int64(g.Weight[e]); d < dist[g.Dst[e]] {
					dist[g.Dst[e]], lowered = d, true
				}
			}
		}
	}
	return dist, nil
}

// An item is a node to settle at a distance; a frontier is a heap of them.
type item struct {
	dist int64
	node uint32
}

type frontier []item

func (f frontier) Len() int           { return len(f) }
func (f frontier) Less(i, j int) bool { return f[i].dist < f[j].dist }
func (f frontier) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (f *frontier) Push(x any)        { *f = append(*f, x.(item)) }
func (f *frontier) Pop() any {
	old := *f
	x := old[len(old)-1]
	*f = old[:len(old)-1]
	return x
}
