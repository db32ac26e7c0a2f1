package programs

import (
	"container/heap"
	"context"
	"fmt"
	"math"

	"irgl/graph"
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

// verifySSSP compares distances with Dijkstra's algorithm (binary heap).
func verifySSSP(ctx context.Context, in run.Input, res *run.Result) error {
	src, err := source(in)
	if err != nil {
		return err
	}
	g := in.Graph
	dist := filled(g.NumNodes())
	dist[src] = 0
	q := &frontier{{0, src}}
	for pops := 0; q.Len() > 0; pops++ {
		if pops&0xfffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		it := heap.Pop(q).(item)
		if it.dist > dist[it.node] {
			continue
		}
		for e := g.RowStart[it.node]; e < g.RowStart[it.node+1]; e++ {
			w := int64(g.Weight[e])
			if w < 0 {
				return fmt.Errorf("edge %d has the negative weight %d", e, w)
			}
			if d := it.dist + w; d < dist[g.Dst[e]] {
				dist[g.Dst[e]] = d
				heap.Push(q, item{d, g.Dst[e]})
			}
		}
	}
	return compareInts(in, res, "dist", dist)
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
