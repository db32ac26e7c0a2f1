package graph

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
)

// This file has the transforms that work on the rows of a graph: sorting, and
// leaving out self-loops and repeats. The rows are cut into ranges whose arcs fit in a
// processor's cache. A range is put where it was, with what stays of it at the front;
// then, if anything was left out, the gaps are closed by a copy to arrays of the right
// size.
//
// Where rows are long, those of a range are sorted together, in linear time: all its arcs
// are ordered by destination and then placed in their rows, which keeps that order.

// A rowWork says what becomes of the rows.
type rowWork struct {
	sort      bool // by destination, stably
	dropLoops bool
	dedup     bool // of sorted rows: keep the smallest weight
}

// rangeArcs is about how many arcs and nodes a range has.
const rangeArcs = 1 << 15

// reworkRows works on the rows of g, and puts them in the arrays of h, which are as long
// and may be the same.
func reworkRows[W weight](ctx context.Context, g, h csr[W], r rowWork) (csr[W], error) {
	n, m := len(g.row)-1, len(g.dst)
	drops := r.dropLoops || r.dedup
	if drops {
		h.row = make([]uint64, n+1) // at first, what is kept of a range up to and including a node
	}
	bounds := cutRows(n, max(64*workers(), (n+m)/rangeArcs), func(v int) uint64 { return g.row[v] })
	limit := workers()
	scratch := make([]rowWorker[W], limit)
	err := parallelWorkers(ctx, limit, len(bounds)-1, func(worker, k int) error {
		s, lo, hi := &scratch[worker], bounds[k], bounds[k+1]
		s.copy(g, h, lo, hi, r.dropLoops)
		if r.sort {
			s.sort(bits.Len(uint(n - 1)))
		}
		if r.dedup {
			s.compact()
		}
		if drops {
			copy(h.row[lo+1:hi+1], s.row[1:])
		}
		return nil
	})
	if err != nil || !drops {
		return h, err
	}
	return closeGaps(ctx, h, bounds, g.row)
}

// closeGaps moves the ranges of rows between bounds together. The arcs of a range begin
// where room has those of its first node, and h.row counts them from 0 in each range. Where
// there are no gaps, the arrays stay.
func closeGaps[W weight](ctx context.Context, h csr[W], bounds []int, room []uint64) (csr[W], error) {
	ranges := len(bounds) - 1
	base := make([]uint64, ranges+1) // of the ranges, when they are together
	for k := range ranges {
		base[k+1] = base[k] + h.row[bounds[k+1]]
	}
	gaps := base[ranges] != uint64(len(h.dst))
	out := h
	if gaps {
		out = newCSR[W](h.row, base[ranges], h.weight != nil)
	}
	return out, parallelTasks(ctx, ranges, func(_, k int) error {
		for v := bounds[k]; v < bounds[k+1]; v++ {
			h.row[v+1] += base[k]
		}
		if gaps {
			from := room[bounds[k]]
			to, src := out.part(base[k], base[k+1]), h.part(from, from+base[k+1]-base[k])
			copy(to.dst, src.dst)
			copy(to.weight, src.weight)
		}
		return nil
	})
}

// A rowWorker is the range of rows that a goroutine works on, whose offsets count from 0,
// with scratch memory.
type rowWorker[W weight] struct {
	csr[W]
	offsets     []uint64
	arcs, other []arc[W]
}

// copy takes the rows lo up to hi of g, which it copies to their place in h.
func (s *rowWorker[W]) copy(g, h csr[W], lo, hi int, dropLoops bool) {
	first := g.row[lo]
	s.arcList = h.part(first, g.row[hi])
	s.offsets = atLeast(s.offsets, hi-lo+1)
	s.row = s.offsets[:hi-lo+1]
	for i := range s.row {
		s.row[i] = g.row[lo+i] - first
	}
	from := g.part(first, g.row[hi])
	if !dropLoops {
		if len(from.dst) > 0 && &from.dst[0] != &s.dst[0] {
			copy(s.dst, from.dst)
			copy(s.weight, from.weight)
		}
		return
	}
	to, at := uint64(0), uint64(0)
	for v := range hi - lo {
		for end := s.row[v+1]; at < end; at++ {
			if from.dst[at] == uint32(lo+v) {
				continue
			}
			if s.dst[to] = from.dst[at]; s.weight != nil {
				s.weight[to] = from.weight[at]
			}
			to++
		}
		s.row[v+1] = to
	}
	s.dst = s.dst[:to]
}

// Rows of more than longRow arcs on average are sorted together, and others one by one:
// by insertion up to shortRow. Fewer arcs than sortsTogether are not worth it.
const (
	longRow       = 4
	shortRow      = 32
	sortsTogether = 1 << 12
)

// sort orders each row by destination, a number of so many bits.
func (s *rowWorker[W]) sort(width int) {
	nodes := len(s.row) - 1
	if len(s.dst) > longRow*nodes && len(s.dst) >= sortsTogether {
		if !s.ascending() {
			s.sortTogether(0, nodes, width)
		}
		return
	}
	for v := range nodes {
		c := s.node(v)
		switch {
		case slices.IsSorted(c.dst):
		case len(c.dst) <= shortRow:
			c.insertionSort()
		default:
			s.sortTogether(v, v+1, width)
		}
	}
}

// ascending reports whether all rows are sorted.
func (s *rowWorker[W]) ascending() bool {
	for v := range len(s.row) - 1 {
		if !slices.IsSorted(s.dst[s.row[v]:s.row[v+1]]) {
			return false
		}
	}
	return true
}

func (c arcList[W]) insertionSort() {
	for i := 1; i < len(c.dst); i++ {
		x, j := c.dst[i], i
		var w W
		if c.weight != nil {
			w = c.weight[i]
		}
		for ; j > 0 && c.dst[j-1] > x; j-- {
			if c.dst[j] = c.dst[j-1]; c.weight != nil {
				c.weight[j] = c.weight[j-1]
			}
		}
		if c.dst[j] = x; c.weight != nil {
			c.weight[j] = w
		}
	}
}

// sortTogether orders the rows lo up to hi.
func (s *rowWorker[W]) sortTogether(lo, hi, width int) {
	first := s.row[lo]
	c := s.part(first, s.row[hi])
	s.arcs, s.other = atLeast(s.arcs, len(c.dst)), atLeast(s.other, len(c.dst))
	a, t := s.arcs[:len(c.dst)], s.other[:len(c.dst)]
	i := 0
	for v := lo; v < hi; v++ {
		for end := int(s.row[v+1] - first); i < end; i++ {
			a[i].u, a[i].v = uint32(v), c.dst[i]
			if c.weight != nil {
				a[i].w = c.weight[i]
			}
		}
	}
	if len(a) < 1<<8 {
		slices.SortStableFunc(a, func(x, y arc[W]) int { return cmp.Compare(x.v, y.v) })
	} else {
		a = radixSort(a, t, width)
	}
	// The offset of a row is where its next arc goes, and becomes that of the next row.
	at := s.row[lo : hi+1]
	for _, x := range a {
		p := &at[int(x.u)-lo]
		if s.dst[*p] = x.v; s.weight != nil {
			s.weight[*p] = x.w
		}
		*p++
	}
	copy(at[1:], at[:hi-lo])
	at[0] = first
}

// radixBits is the number of bits of a digit of radixSort: the counters and
// the ends of the 2048 output streams stay in the nearest caches.
const radixBits = 11

// radixSort orders a by destination, a number of so many bits, stably, by one digit after
// the other. t is as long as a; the result is one of them.
func radixSort[W weight](a, t []arc[W], width int) []arc[W] {
	for shift := 0; shift < width; shift += radixBits {
		var count [1 << radixBits]uint64
		for i := range a {
			count[a[i].v>>shift&(1<<radixBits-1)]++
		}
		var sum uint64
		for i, c := range count {
			count[i] = sum
			sum += c
		}
		for i := range a {
			d := a[i].v >> shift & (1<<radixBits - 1)
			t[count[d]] = a[i]
			count[d]++
		}
		a, t = t, a
	}
	return a
}

// compact drops repeats from sorted rows.
func (s *rowWorker[W]) compact() {
	to, at := uint64(0), uint64(0)
	for v := range len(s.row) - 1 {
		first := to
		for end := s.row[v+1]; at < end; at++ {
			x := s.dst[at]
			switch {
			case to == first || s.dst[to-1] != x:
				if s.dst[to] = x; s.weight != nil {
					s.weight[to] = s.weight[at]
				}
				to++
			case s.weight != nil && less(s.weight[at], s.weight[to-1]):
				s.weight[to-1] = s.weight[at]
			}
		}
		s.row[v+1] = to
	}
}

// less compares weights.
func less[W weight](x, y W) bool {
	switch x := any(x).(type) {
	case int32:
		return x < any(y).(int32)
	case float64:
		return x < any(y).(float64)
	}
	return false
}

// atLeast returns scratch memory of n elements or more.
func atLeast[T any](s []T, n int) []T {
	if len(s) >= n {
		return s
	}
	return make([]T, n+n/2)
}
