package graph

import (
	"context"
	"math"
)

// This file merges the sorted rows of a graph with those of its transpose, which makes it
// symmetric: both are in order already, so that no list of arcs is sorted.
//
//	rows         1 3 | 2 | 0 | 0
//	transposed   2 3 | 0 | 1 | 0
//	merged       1 2 3 | 0 2 | 0 1 | 0
//
// How many arcs stay is known when they are merged. So a range of rows is merged in memory
// of the goroutine, as much as fits in a cache, and copied to where the range before it
// ends, which that one says as soon as it is merged.

// mergeRows returns the sorted rows of g merged with those of in, its transpose, without
// self-loops and without repeats, of which the smallest weight stays.
func mergeRows[W weight](ctx context.Context, g, in csr[W]) (csr[W], error) {
	n, m := len(g.row)-1, 2*len(g.dst)
	before := func(v int) uint64 { return g.row[v] + in.row[v] }
	bounds := cutRows(n, max(64*workers(), (n+m)/rangeArcs), before)
	ranges := len(bounds) - 1
	begins := make([]chan uint64, ranges+1) // receive where each range begins, and the end
	for k := range begins {
		begins[k] = make(chan uint64, 1)
	}
	begins[0] <- 0
	h := newCSR[W](make([]uint64, n+1), uint64(m), g.weight != nil)
	weighted := weightedMerge[W]()
	limit := workers()
	scratch := make([]arcList[W], limit)
	err := parallelWorkers(ctx, limit, ranges, func(worker, k int) error {
		lo, hi := bounds[k], bounds[k+1]
		out := &scratch[worker]
		out.grow(int(before(hi)-before(lo)), g.weight != nil)
		kept := uint64(0)
		for v := lo; v < hi; v++ {
			if g.weight == nil {
				kept += uint64(merge(uint32(v), out.dst[kept:], g.node(v).dst, in.node(v).dst))
			} else {
				kept += uint64(weighted(uint32(v), out.part(kept, uint64(len(out.dst))), g.node(v), in.node(v)))
			}
			h.row[v+1] = kept
		}
		select {
		case begin := <-begins[k]:
			begins[k+1] <- begin + kept
			h.put(begin, out.part(0, kept))
			for v := lo; v < hi; v++ {
				h.row[v+1] += begin
			}
			return nil
		case <-ctx.Done(): // the range before may not be merged
			return ctx.Err()
		}
	})
	if err != nil {
		return h, err
	}
	return h.shrink(ctx, <-begins[ranges])
}

// grow makes room for n arcs.
func (a *arcList[W]) grow(n int, weighted bool) {
	a.dst = atLeast(a.dst, n)
	if weighted {
		a.weight = atLeast(a.weight, n)
	}
}

// put copies arcs to a place.
func (a arcList[W]) put(at uint64, arcs arcList[W]) {
	copy(a.dst[at:], arcs.dst)
	if a.weight != nil {
		copy(a.weight[at:], arcs.weight)
	}
}

// shrink returns c with its first m arcs, which are all it has. Memory behind them that was
// never used is not worth a copy, unless it is much.
func (c csr[W]) shrink(ctx context.Context, m uint64) (csr[W], error) {
	all := uint64(len(c.dst))
	if m >= all-all/4 {
		c.dst = c.dst[:m:m]
		if c.weight != nil {
			c.weight = c.weight[:m:m]
		}
		return c, nil
	}
	out := newCSR[W](c.row, m, c.weight != nil)
	return out, parallelRange(ctx, int(m), 1<<16, func(lo, hi int) {
		out.put(uint64(lo), c.part(uint64(lo), uint64(hi)))
	})
}

// weightedMerge returns mergeWeighted, nil for none.
func weightedMerge[W weight]() (merge func(v uint32, out, own, in arcList[W]) int) {
	switch f := any(&merge).(type) {
	case *func(uint32, arcList[int32], arcList[int32], arcList[int32]) int:
		*f = mergeWeighted[int32]
	case *func(uint32, arcList[float64], arcList[float64], arcList[float64]) int:
		*f = mergeWeighted[float64]
	}
	return merge
}

// merge merges two sorted lists of neighbours of v into out, without repeats and without
// v, and returns how many remain. Which list has the next one is not predictable, so
// that the choice is made without branches.
func merge(v uint32, out, own, in []uint32) int {
	last := uint32(math.MaxUint32)
	i, j, to := 0, 0, 0
	for i < len(own) && j < len(in) {
		a, b := own[i], in[j]
		i += one(a <= b)
		j += one(b <= a)
		x := min(a, b)
		if x == last || x == v {
			continue
		}
		out[to], last = x, x
		to++
	}
	for _, rest := range [2][]uint32{own[i:], in[j:]} {
		for _, x := range rest {
			if x == last || x == v {
				continue
			}
			out[to], last = x, x
			to++
		}
	}
	return to
}

// mergeWeighted is merge with weights; of repeats the smallest weight remains.
func mergeWeighted[W int32 | float64](v uint32, out, own, in arcList[W]) int {
	last := uint32(math.MaxUint32)
	i, j, to := 0, 0, 0
	add := func(x uint32, w W) {
		switch x {
		case v:
		case last:
			out.weight[to-1] = min(out.weight[to-1], w)
		default:
			out.dst[to], out.weight[to], last = x, w, x
			to++
		}
	}
	for i < len(own.dst) && j < len(in.dst) {
		a, b, w, wb := own.dst[i], in.dst[j], own.weight[i], in.weight[j]
		if a == b {
			w = min(w, wb)
		}
		if b < a {
			w = wb
		}
		i += one(a <= b)
		j += one(b <= a)
		add(min(a, b), w)
	}
	for ; i < len(own.dst); i++ {
		add(own.dst[i], own.weight[i])
	}
	for ; j < len(in.dst); j++ {
		add(in.dst[j], in.weight[j])
	}
	return to
}

// one returns 1 for true, without a branch.
func one(b bool) int {
	n := 0
	if b {
		n = 1
	}
	return n
}
