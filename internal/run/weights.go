package run

import (
	"context"
	"fmt"
	"math"

	"irgl/graph"
)

// WideDistances reports whether lengths of paths in a graph of so many nodes may
// need 64 bits. A path that visits no node twice has fewer edges than there are
// nodes; one edge more is what a program adds before it compares. INT_MAX means
// that there is no path.
func WideDistances(w graph.WeightRange, nodes int) bool {
	largest := max(int64(w.Max), -int64(w.Min))
	return largest > 0 && int64(nodes) > (math.MaxInt32-1)/largest
}

// A NegativeWeightError names the edge of smallest weight, the first of several, of a
// graph that has negative weights where the program requires weights of at least 0.
type NegativeWeightError struct {
	From, To uint64 // nodes, as the graph's file numbers them
	Weight   int32
}

func (e *NegativeWeightError) Error() string {
	return fmt.Sprintf("the edge from %d to %d has the weight %d, and the program requires weights of at least 0", e.From, e.To, e.Weight)
}

// Hint says how to put it right, in one line.
func (e *NegativeWeightError) Hint() string {
	return "a program that requires conservative weights only, such as sssp_bf, takes negative ones"
}

// requireNonNegative returns a *[NegativeWeightError] if g has a negative weight.
func requireNonNegative(ctx context.Context, g *graph.Graph) error {
	w, err := g.WeightRange(ctx)
	if err != nil {
		return fmt.Errorf("prepare graph: %w", err)
	}
	if w.Min >= 0 {
		return nil
	}
	at := uint64(w.MinEdge)
	return &NegativeWeightError{From: g.ExternalID(g.Source(at)), To: g.ExternalID(g.Dst[at]), Weight: w.Min}
}

// A NegativeCycleError names an edge of a cycle of negative weight: there are no
// shortest paths to its nodes.
type NegativeCycleError struct {
	From, To uint64 // the cycle's edge of least weight; nodes as the graph's file numbers them
	Weight   int32
	Edges    int   // of the cycle
	Cycle    int64 // its weight
}

func (e *NegativeCycleError) Error() string {
	if e.Edges == 1 {
		return fmt.Sprintf("the edge from %d to itself has the weight %d: a cycle of negative weight, so there are no shortest paths", e.From, e.Weight)
	}
	return fmt.Sprintf("the edge from %d to %d, of weight %d, is on a cycle of %d edges and weight %d that can be reached from the source: there are no shortest paths", e.From, e.To, e.Weight, e.Edges, e.Cycle)
}

// RequireConservative returns a *[NegativeCycleError] if a cycle of negative weight
// can be reached from one of the sources. It is Bellman and Ford's algorithm with a
// queue, which looks for a cycle among the parents after as many relaxations as
// there are nodes (Cherkassky and Goldberg, Negative-cycle detection algorithms,
// 1999).
func RequireConservative(ctx context.Context, g *graph.Graph, sources []uint32) error {
	s := newParents(g, sources)
	for popped := 0; len(s.queue) > 0; popped++ {
		if popped%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		u := s.queue[0]
		s.queue = s.queue[1:]
		s.queued[u] = false
		for e := g.RowStart[u]; e < g.RowStart[u+1]; e++ {
			if !s.relax(u, e) {
				continue
			}
			if s.relaxed++; s.relaxed%g.NumNodes() != 0 {
				continue
			}
			if err := s.cycle(); err != nil {
				return err
			}
		}
	}
	return nil
}

// parents is the state of the search: for each node its distance, and the edge by
// which it was reached, whose other end is its parent.
type parents struct {
	g       *graph.Graph
	dist    []int64
	parent  []int32 // -1 for none
	edge    []uint64
	queue   []uint32
	queued  []bool
	relaxed int
}

func newParents(g *graph.Graph, sources []uint32) *parents {
	n := g.NumNodes()
	s := &parents{g: g, dist: make([]int64, n), parent: make([]int32, n), edge: make([]uint64, n), queued: make([]bool, n)}
	for v := range n {
		s.dist[v], s.parent[v] = math.MaxInt64, -1
	}
	for _, v := range sources {
		s.dist[v] = 0
		s.push(v)
	}
	return s
}

func (s *parents) push(v uint32) {
	if !s.queued[v] {
		s.queued[v] = true
		s.queue = append(s.queue, v)
	}
}

// relax reports whether the edge e, which leaves u, gives a shorter path.
func (s *parents) relax(u uint32, e uint64) bool {
	v := s.g.Dst[e]
	d := s.dist[u] + int64(s.g.Weight[e])
	if d >= s.dist[v] {
		return false
	}
	s.dist[v], s.parent[v], s.edge[v] = d, int32(u), e
	s.push(v)
	return true
}

// cycle returns an error that names a cycle among the parents, nil if there is none.
func (s *parents) cycle() error {
	const unseen, done = 0, -1
	seen := make([]int32, len(s.parent)) // by which walk, counted from 1
	for start := range s.parent {
		walk := int32(start) + 1
		v := int32(start)
		for v >= 0 && seen[v] == unseen {
			seen[v] = walk
			v = s.parent[v]
		}
		if v >= 0 && seen[v] == walk {
			return s.describe(v)
		}
		for v := int32(start); v >= 0 && seen[v] == walk; v = s.parent[v] {
			seen[v] = done
		}
	}
	return nil
}

// describe returns the error for the cycle of parents through v.
func (s *parents) describe(v int32) error {
	err := &NegativeCycleError{Weight: math.MaxInt32}
	for u := v; ; {
		w := s.g.Weight[s.edge[u]]
		err.Edges++
		err.Cycle += int64(w)
		if w < err.Weight {
			err.Weight, err.From, err.To = w, s.g.ExternalID(uint32(s.parent[u])), s.g.ExternalID(uint32(u))
		}
		if u = s.parent[u]; u == v {
			return err
		}
	}
}
