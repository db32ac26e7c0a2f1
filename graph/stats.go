package graph

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
)

// Stats are facts about a graph, as "irgl graph info" prints them.
type Stats struct {
	Nodes         int
	Edges         int64 // arcs
	SelfLoops     int64
	Duplicates    int64 // arcs beyond the first from one node to another
	Symmetric     bool  // every arc has a reverse (weights are not compared)
	Sorted        bool  // the arcs of every node ascend by destination
	MinDegree     int64 // degrees are numbers of arcs that leave a node
	MaxDegree     int64
	MaxDegreeNode uint32 // the lowest of the nodes with MaxDegree arcs
	MeanDegree    float64
	Isolated      int // nodes without arcs in or out

	// Weakly connected components: their number, and the nodes of the largest.
	Components       int
	LargestComponent int

	// Weights; all zero for an unweighted graph. The sum of integer weights is
	// exact up to 2^53.
	WeightMin, WeightMax, WeightSum float64
}

// Stats computes the facts about g.
func (g *Graph) Stats(ctx context.Context) (Stats, error) {
	if err := g.Validate(ctx); err != nil {
		return Stats{}, err
	}
	n := g.NumNodes()
	s := Stats{Nodes: n, Edges: g.NumEdges(), Sorted: true}
	if n == 0 {
		s.Symmetric = true
		return s, ctx.Err()
	}
	s.MeanDegree = float64(s.Edges) / float64(n)
	if err := g.degreeStats(ctx, &s); err != nil {
		return s, err
	}
	g.weightStats(&s)
	if err := g.symmetryStats(ctx, &s); err != nil {
		return s, err
	}
	// A component is counted at its lowest node, which labels it.
	label, err := g.Components(ctx)
	if err != nil {
		return s, err
	}
	sizes := make([]uint32, n)
	for _, c := range label {
		sizes[c]++
	}
	for v, size := range sizes {
		if size > 0 {
			s.Components++
			s.LargestComponent = max(s.LargestComponent, int(size))
		}
		if size == 1 && g.Degree(uint32(v)) == 0 {
			s.Isolated++
		}
	}
	return s, nil
}

// degreeStats sets what one walk over the rows gives.
func (g *Graph) degreeStats(ctx context.Context, s *Stats) error {
	var mu sync.Mutex
	s.MinDegree, s.MaxDegree = math.MaxInt64, -1
	return parallelRange(ctx, g.NumNodes(), 1<<12, func(lo, hi int) {
		part := Stats{MinDegree: math.MaxInt64, MaxDegree: -1, Sorted: true}
		for u := lo; u < hi; u++ {
			row := g.Neighbors(uint32(u))
			d := int64(len(row))
			part.MinDegree = min(part.MinDegree, d)
			if d > part.MaxDegree {
				part.MaxDegree, part.MaxDegreeNode = d, uint32(u)
			}
			var prev uint32
			for _, v := range row {
				if v == uint32(u) {
					part.SelfLoops++
				}
				if v < prev {
					part.Sorted = false
				}
				prev = v
			}
		}
		mu.Lock()
		defer mu.Unlock()
		s.SelfLoops += part.SelfLoops
		s.Sorted = s.Sorted && part.Sorted
		s.MinDegree = min(s.MinDegree, part.MinDegree)
		if part.MaxDegree > s.MaxDegree || part.MaxDegree == s.MaxDegree && part.MaxDegreeNode < s.MaxDegreeNode {
			s.MaxDegree, s.MaxDegreeNode = part.MaxDegree, part.MaxDegreeNode
		}
	})
}

// weightStats is sequential, so that the sum of real weights is always the same.
func (g *Graph) weightStats(s *Stats) {
	if len(g.Dst) == 0 || !g.HasWeights() {
		return
	}
	if g.Weight != nil {
		lo, hi, sum := g.Weight[0], g.Weight[0], int64(0)
		for _, w := range g.Weight {
			lo, hi, sum = min(lo, w), max(hi, w), sum+int64(w)
		}
		s.WeightMin, s.WeightMax, s.WeightSum = float64(lo), float64(hi), float64(sum)
		return
	}
	s.WeightMin, s.WeightMax = g.WeightF[0], g.WeightF[0]
	for _, w := range g.WeightF {
		s.WeightMin, s.WeightMax, s.WeightSum = min(s.WeightMin, w), max(s.WeightMax, w), s.WeightSum+w
	}
}

// symmetryStats compares the set of arcs with that of its transpose. Both are
// brought to sorted rows without repeats.
func (g *Graph) symmetryStats(ctx context.Context, s *Stats) error {
	plain := &Graph{RowStart: g.RowStart, Dst: g.Dst}
	plain.learn(valid, valid) // as g is
	clean, err := plain.Deduplicate(ctx)
	if err != nil {
		return err
	}
	s.Duplicates = g.NumEdges() - clean.NumEdges()
	transposed, err := clean.Transpose(ctx)
	if err != nil {
		return err
	}
	bad, err := firstBad(ctx, len(clean.RowStart), func(lo, hi int) int {
		for i := lo; i < hi; i++ {
			if clean.RowStart[i] != transposed.RowStart[i] {
				return i
			}
		}
		return -1
	})
	if err != nil || bad >= 0 {
		return err
	}
	bad, err = firstBad(ctx, len(clean.Dst), func(lo, hi int) int {
		for i := lo; i < hi; i++ {
			if clean.Dst[i] != transposed.Dst[i] {
				return i
			}
		}
		return -1
	})
	s.Symmetric = bad < 0
	return err
}

// Components returns, for each node, the lowest node of its weakly connected
// component: the one that is reached by arcs followed in either direction.
func (g *Graph) Components(ctx context.Context) ([]uint32, error) {
	if err := g.Validate(ctx); err != nil {
		return nil, err
	}
	f := newForest(g.NumNodes())
	bounds := rowBounds(g)
	err := parallelTasks(ctx, len(bounds)-1, func(_, i int) error {
		for u := bounds[i]; u < bounds[i+1]; u++ {
			for _, v := range g.Neighbors(uint32(u)) {
				f.union(uint32(u), v)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return f, f.flatten(ctx)
}

// A forest is a union-find structure that goroutines may use at once. The
// parent of a node is never greater than the node, so that a root is the
// lowest node of its tree, and the roots in the end do not depend on the order
// of the unions.
type forest []uint32

// newForest returns n trees of one node.
func newForest(n int) forest {
	f := make(forest, n)
	for i := range f {
		f[i] = uint32(i)
	}
	return f
}

// find returns the root of x and halves the path to it. A lost update there
// does no harm: any value that was ever a parent is an ancestor.
func (f forest) find(x uint32) uint32 {
	for {
		p := atomic.LoadUint32(&f[x])
		if p == x {
			return x
		}
		up := atomic.LoadUint32(&f[p])
		if up == p {
			return p
		}
		atomic.StoreUint32(&f[x], up)
		x = up
	}
}

// union joins the trees of x and y and says whether they were two.
func (f forest) union(x, y uint32) bool {
	for {
		x, y = f.find(x), f.find(y)
		if x == y {
			return false
		}
		if x < y {
			x, y = y, x
		}
		if atomic.CompareAndSwapUint32(&f[x], x, y) {
			return true
		}
	}
}

// flatten makes every parent a root.
func (f forest) flatten(ctx context.Context) error {
	return parallelRange(ctx, len(f), 1<<14, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			atomic.StoreUint32(&f[i], f.find(uint32(i)))
		}
	})
}
