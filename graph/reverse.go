package graph

import (
	"context"
)

// This file reverses the arcs of small graphs. Where the arrays fit in the caches, arcs
// are counted and placed one by one, without a list of arcs and its distribution over
// buckets, which build.go has for large graphs.
//
// The rows are cut into parts. Part p counts its arcs to each node; sums over the nodes,
// and for a node over the parts, give each part the place of its next arc to that node.
// So the sources of the arcs that lead to a node ascend, whatever the number of parts.
//
//	rows        0>1 0>3 | 1>2 2>0 3>0     two parts
//	counts      0 1 0 1 | 2 0 1 0         to nodes 0, 1, 2, 3
//	places      0 2 3 4 | 0 3 3 5
//	reversed    2 3 0 1 0                 with row offsets 0 2 3 4 5

// smallArcs is the largest number of arcs, and of nodes, of a small graph: up to about
// twice as many, placing arcs one by one is faster.
const smallArcs = 1 << 20

// places are where the reversed arcs of a graph go: at[p][v] is the place of the next
// arc to v from the rows bounds[p] up to bounds[p+1].
type places struct {
	bounds []int
	at     [][]uint32
}

// transposeSmall sets the arrays of h to the transpose of a graph without real weights.
func (g *Graph) transposeSmall(ctx context.Context, h *Graph) error {
	s, err := g.findPlaces(ctx)
	if err != nil {
		return err
	}
	n := g.NumNodes()
	h.RowStart, h.Dst = make([]uint64, n+1), make([]uint32, len(g.Dst))
	if g.Weight != nil {
		h.Weight = make([]int32, len(g.Dst))
	}
	err = parallelTasks(ctx, len(s.at), func(_, p int) error {
		at := s.at[p]
		for u := s.bounds[p]; u < s.bounds[p+1]; u++ {
			first := g.RowStart[u]
			for i, v := range g.Neighbors(uint32(u)) {
				place := at[v]
				at[v]++
				h.Dst[place] = uint32(u)
				if g.Weight != nil {
					h.Weight[place] = g.Weight[first+uint64(i)]
				}
			}
		}
		return nil
	})
	if err != nil || n == 0 {
		return err
	}
	for v, end := range s.at[len(s.at)-1] { // behind the last arc
		h.RowStart[v+1] = uint64(end)
	}
	return nil
}

// findPlaces counts arcs and assigns places.
func (g *Graph) findPlaces(ctx context.Context) (*places, error) {
	n, m := g.NumNodes(), len(g.Dst)
	// Each part has a counter for each node: fewer parts where these are more than arcs.
	s := &places{bounds: cutRows(g, max(1, min(workers(), m/(n+1))), 0)}
	s.at = make([][]uint32, len(s.bounds)-1)
	err := parallelTasks(ctx, len(s.at), func(_, p int) error {
		count := make([]uint32, n)
		for _, v := range g.Dst[g.RowStart[s.bounds[p]]:g.RowStart[s.bounds[p+1]]] {
			count[v]++
		}
		s.at[p] = count
		return nil
	})
	if err != nil {
		return nil, err
	}
	place := uint32(0)
	for v := range n {
		for _, at := range s.at {
			at[v], place = place, place+at[v]
		}
	}
	return s, ctx.Err()
}
