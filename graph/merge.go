package graph

import (
	"context"
	"math"
	"slices"
)

// This file merges the sorted rows of a graph with those of its transpose, which makes it
// symmetric: both are in order already, so that nothing is sorted and no list of arcs is
// made. The merged row of a node has room for all its arcs in either graph:
//
//	rows         1 3 | 2 | 0 | 0
//	transposed   2 3 | 0 | 1 | 0
//	merged       1 2 3 _ | 0 2 | 0 1 | 0 _

// symmetrizeSorted sets the arrays of h to Symmetrize of a graph without real weights
// whose rows are sorted.
func (g *Graph) symmetrizeSorted(ctx context.Context, h *Graph) error {
	transposed, err := g.Transpose(ctx)
	if err != nil {
		return err
	}
	h.RowStart, h.Dst = make([]uint64, g.NumNodes()+1), make([]uint32, 2*len(g.Dst))
	if g.Weight != nil {
		h.Weight = make([]int32, 2*len(g.Dst))
	}
	bounds := rowBounds(g)
	room := func(v int) uint64 { return g.RowStart[v] + transposed.RowStart[v] }
	err = parallelTasks(ctx, len(bounds)-1, func(_, k int) error {
		lo, hi := bounds[k], bounds[k+1]
		from := room(lo)
		out := row{dst: h.Dst[from:room(hi)]}
		if g.Weight != nil {
			out.weight = h.Weight[from:room(hi)]
		}
		to := 0
		for v := lo; v < hi; v++ {
			if g.Weight == nil {
				to += merge(uint32(v), out.dst[to:], g.Neighbors(uint32(v)), transposed.Neighbors(uint32(v)))
			} else {
				to += mergeWeighted(uint32(v), out.from(to), g.row(v), transposed.row(v))
			}
			h.RowStart[v+1] = uint64(to)
		}
		return nil
	})
	if err != nil {
		return err
	}
	closeGaps(h, bounds, room)
	return ctx.Err()
}

// closeGaps moves the ranges of rows that were merged together, each of which has its
// arcs at the beginning of its room, and completes the row offsets, which count the arcs
// of each range from 0.
func closeGaps(h *Graph, bounds []int, room func(v int) uint64) {
	to := uint64(0)
	for k := range len(bounds) - 1 {
		lo, hi := bounds[k], bounds[k+1]
		from, n := room(lo), h.RowStart[hi]
		if from != to {
			copy(h.Dst[to:], h.Dst[from:from+n])
			if h.Weight != nil {
				copy(h.Weight[to:], h.Weight[from:from+n])
			}
		}
		for v := lo; v < hi; v++ {
			h.RowStart[v+1] += to
		}
		to += n
	}
	all := len(h.Dst)
	h.Dst = h.Dst[:to:to]
	if h.Weight != nil {
		h.Weight = h.Weight[:to:to]
	}
	if int(to) < all-all/4 { // otherwise the memory is not worth a copy
		h.Dst, h.Weight = slices.Clone(h.Dst), slices.Clone(h.Weight)
	}
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

// A row is the neighbours of a node, with weights.
type row struct {
	dst    []uint32
	weight []int32
}

func (g *Graph) row(v int) row {
	lo, hi := g.RowStart[v], g.RowStart[v+1]
	return row{g.Dst[lo:hi], g.Weight[lo:hi]}
}

func (r row) from(i int) row { return row{r.dst[i:], r.weight[i:]} }

// mergeWeighted is merge with weights; of repeats the smallest weight remains.
func mergeWeighted(v uint32, out, own, in row) int {
	last := uint32(math.MaxUint32)
	i, j, to := 0, 0, 0
	add := func(x uint32, w int32) {
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
