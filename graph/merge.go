package graph

import (
	"context"
	"math"
)

// This file merges the sorted rows of a graph with those of its transpose, which makes it
// symmetric: both are in order already, so that no list of arcs is sorted. A first pass
// counts what stays, so that the second one writes each row where it belongs:
//
//	rows         1 3 | 2 | 0 | 0
//	transposed   2 3 | 0 | 1 | 0
//	merged       1 2 3 | 0 2 | 0 1 | 0

// mergeRows returns the sorted rows of g merged with those of in, its transpose, without
// self-loops and without repeats, of which the smallest weight stays. Plain rows have
// neither.
func mergeRows[W weight](ctx context.Context, g, in csr[W], plain bool) (csr[W], error) {
	n := len(g.row) - 1
	bounds := cutRows(n, 64*workers(), func(v int) uint64 { return g.row[v] + in.row[v] })
	ranges := len(bounds) - 1
	first := make([]uint64, ranges+1) // merged arc of each range, and the end
	err := parallelTasks(ctx, ranges, func(_, k int) error {
		for v := bounds[k]; v < bounds[k+1]; v++ {
			own, in := g.dst[g.row[v]:g.row[v+1]], in.dst[in.row[v]:in.row[v+1]]
			if plain {
				first[k+1] += uint64(len(own) + len(in) - countShared(own, in))
			} else {
				first[k+1] += uint64(countMerged(uint32(v), own, in))
			}
		}
		return nil
	})
	if err != nil {
		return g, err
	}
	for k := range ranges {
		first[k+1] += first[k]
	}
	h := newCSR[W](make([]uint64, n+1), first[ranges], g.weight != nil)
	weighted := weightedMerge[W]()
	return h, parallelTasks(ctx, ranges, func(_, k int) error {
		to, end := first[k], first[k+1]
		for v := bounds[k]; v < bounds[k+1]; v++ {
			if out := h.part(to, end); h.weight == nil {
				to += uint64(merge(uint32(v), out.dst, g.node(v).dst, in.node(v).dst))
			} else {
				to += uint64(weighted(uint32(v), out, g.node(v), in.node(v)))
			}
			h.row[v+1] = to
		}
		return nil
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

// countShared returns how many neighbours two sorted lists without repeats have in common.
// Which list has the next one is not predictable, so that the choice is made without
// branches, here and below.
func countShared(own, in []uint32) int {
	i, j, n := 0, 0, 0
	for i < len(own) && j < len(in) {
		a, b := own[i], in[j]
		i += one(a <= b)
		j += one(b <= a)
		n += one(a == b)
	}
	return n
}

// countMerged returns how many neighbours [merge] writes.
func countMerged(v uint32, own, in []uint32) int {
	last := uint32(math.MaxUint32)
	i, j, n := 0, 0, 0
	add := func(x uint32) {
		n += one(x != last) &^ one(x == v)
		last = x
	}
	for i < len(own) && j < len(in) {
		a, b := own[i], in[j]
		i += one(a <= b)
		j += one(b <= a)
		add(min(a, b))
	}
	for ; i < len(own); i++ {
		add(own[i])
	}
	for ; j < len(in); j++ {
		add(in[j])
	}
	return n
}

// merge merges two sorted lists of neighbours of v into out, without repeats and without
// v, and returns how many remain.
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
