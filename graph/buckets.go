package graph

import (
	"context"
	"math/bits"
)

// This file orders arcs by one of their ends, in parallel and with the same result for
// any number of processors.
//
// The arcs come in parts, and the nodes are cut into buckets of consecutive numbers. Each
// part counts its arcs by bucket; a running sum, bucket by bucket and in a bucket part by
// part, gives each part the places where it writes. So the order of the input is kept
// inside a bucket. Then each bucket counts and places its arcs by node. A bucket's
// counters and arcs fit in a processor's cache, so that both steps read and write memory
// in streams, where placing arcs one by one would miss the cache twice for each. No atomic
// operations are needed, and no per-worker array of n counters.
//
// With two nodes a bucket, for five arcs of four nodes by their first end:
//
//	input       2>0  0>3  1>2  3>0  0>1
//	distribute  0>3  1>2  0>1 | 2>0  3>0     by bucket
//	place       0>3  0>1  1>2 | 2>0  3>0     by node
//
// Few nodes may have most arcs. A bucket of many arcs is worked on by all processors, in
// parts again, which have a counter each for its few nodes.

// A weight is the type of the weights of arcs; none is that of arcs without.
type weight interface{ none | int32 | float64 }

type none = struct{}

// An arc is a record of the distribution: 8, 12 or 16 bytes. The weight comes
// first because a trailing field of size zero would be padded.
type arc[W weight] struct {
	w    W
	u, v uint32 // it is ordered by u
}

// arcList are the heads of arcs with their weights, nil for none.
type arcList[W weight] struct {
	dst    []uint32
	weight []W
}

// part returns the arcs from lo up to hi.
func (a arcList[W]) part(lo, hi uint64) arcList[W] {
	p := arcList[W]{dst: a.dst[lo:hi]}
	if a.weight != nil {
		p.weight = a.weight[lo:hi]
	}
	return p
}

// csr are the arrays of a graph.
type csr[W weight] struct {
	row []uint64
	arcList[W]
}

// newCSR returns arrays for m arcs.
func newCSR[W weight](row []uint64, m uint64, weighted bool) csr[W] {
	c := csr[W]{row, arcList[W]{dst: make([]uint32, m)}}
	if weighted {
		c.weight = make([]W, m)
	}
	return c
}

// empty returns arrays as long as those of c, with its rows.
func (c csr[W]) empty() csr[W] { return newCSR[W](c.row, uint64(len(c.dst)), c.weight != nil) }

// node returns the arcs of node v.
func (c *csr[W]) node(v int) arcList[W] { return c.part(c.row[v], c.row[v+1]) }

// buckets are a distribution of arcs.
type buckets[W weight] struct {
	n     int
	shift uint // the bucket of node u is u>>shift
	count int
	start []uint64 // first arc of each bucket, and the end
	arcs  []arc[W] // by bucket
}

// newBuckets cuts n nodes into buckets for m arcs.
func newBuckets[W weight](n, m int) *buckets[W] {
	// About 4096 arcs or 32768 nodes a bucket, but at most 1024 buckets: more
	// would write to more pages at a time than the page table cache holds.
	want := min(10, max(bits.Len(uint(m)>>12), bits.Len(uint(n)>>15)))
	b := &buckets[W]{n: n, shift: uint(max(0, bits.Len(uint(max(n-1, 0)))-want))}
	if n > 0 {
		b.count = (n-1)>>b.shift + 1
	}
	return b
}

// distribute has each of the parts count its arcs by bucket and then write them at the
// places that it is given, which it advances.
func (b *buckets[W]) distribute(ctx context.Context, parts int, count func(part int, of []uint64), write func(part int, at []uint64)) error {
	at := make([][]uint64, parts)
	err := parallelTasks(ctx, parts, func(_, p int) error {
		at[p] = make([]uint64, b.count)
		count(p, at[p])
		return nil
	})
	if err != nil {
		return err
	}
	// The counts become places, for some buckets at a time.
	const some = 64
	b.start = make([]uint64, b.count+1)
	each := func(do func(k int)) error {
		return parallelTasks(ctx, (b.count+some-1)/some, func(_, i int) error {
			for k := i * some; k < min(b.count, (i+1)*some); k++ {
				do(k)
			}
			return nil
		})
	}
	err = each(func(k int) {
		for _, p := range at {
			b.start[k+1] += p[k]
		}
	})
	if err != nil {
		return err
	}
	for k := range b.count {
		b.start[k+1] += b.start[k]
	}
	err = each(func(k int) {
		sum := b.start[k]
		for _, p := range at {
			p[k], sum = sum, sum+p[k]
		}
	})
	if err != nil {
		return err
	}
	b.arcs = make([]arc[W], b.start[b.count])
	return parallelTasks(ctx, parts, func(_, p int) error {
		write(p, at[p])
		return nil
	})
}

// partsOf is into how many parts m arcs are cut where each part has counters: several
// for each processor, so that one which is late delays the others little.
func partsOf(m int) int { return max(1, min(4*workers(), m>>14)) }

// place returns the arcs as rows, each in the order of the distribution; or, if rows will
// be sorted, those of buckets with long rows by destination.
func (b *buckets[W]) place(ctx context.Context, weighted, sorts bool) (csr[W], error) {
	h := newCSR[W](make([]uint64, b.n+1), uint64(len(b.arcs)), weighted)
	// What one bucket takes is at most a quarter of what a processor has to do in all.
	heavy := uint64(max(1<<16, len(b.arcs)/(4*workers())))
	light := make([]int, 0, b.count)
	for k := range b.count {
		size := b.start[k+1] - b.start[k]
		if size <= heavy || workers() == 1 {
			light = append(light, k)
		} else if err := b.placeBucket(ctx, h, k, partsOf(int(size))); err != nil {
			return h, err
		}
	}
	limit := workers()
	scratch := make([][]arc[W], limit)
	return h, parallelWorkers(ctx, limit, len(light), func(worker, i int) error {
		if sorts {
			b.sortBucket(light[i], &scratch[worker])
		}
		return b.placeBucket(ctx, h, light[i], 1)
	})
}

// sortBucket orders the arcs of bucket k by destination if its rows are long. Placing them
// keeps that order.
func (b *buckets[W]) sortBucket(k int, scratch *[]arc[W]) {
	arcs := b.arcs[b.start[k]:b.start[k+1]]
	if len(arcs) < sortsTogether || len(arcs) <= longRow<<b.shift {
		return
	}
	*scratch = atLeast(*scratch, len(arcs))
	if sorted := radixSort(arcs, (*scratch)[:len(arcs)], bits.Len(uint(b.n-1))); &sorted[0] != &arcs[0] {
		copy(arcs, sorted)
	}
}

// placeBucket counts and places the arcs of bucket k, in so many parts.
func (b *buckets[W]) placeBucket(ctx context.Context, h csr[W], k, parts int) error {
	lo, hi := k<<b.shift, min(b.n, (k+1)<<b.shift)
	arcs := b.arcs[b.start[k]:b.start[k+1]]
	part := func(p int) []arc[W] { return arcs[len(arcs)*p/parts : len(arcs)*(p+1)/parts] }
	at := make([][]uint64, parts)
	at[parts-1] = h.row[lo+1 : hi+1] // which are in the end where the last part's places are
	err := inParts(ctx, parts, func(p int) {
		if at[p] == nil {
			at[p] = make([]uint64, hi-lo)
		}
		count := at[p]
		for _, a := range part(p) {
			count[int(a.u)-lo]++
		}
	})
	if err != nil {
		return err
	}
	place := b.start[k]
	for v := range hi - lo {
		for _, c := range at {
			c[v], place = place, place+c[v]
		}
	}
	return inParts(ctx, parts, func(p int) {
		c := at[p]
		for _, a := range part(p) {
			i := &c[int(a.u)-lo]
			if h.dst[*i] = a.v; h.weight != nil {
				h.weight[*i] = a.w
			}
			*i++
		}
	})
}

// inParts calls do for each part; a single one is the caller's.
func inParts(ctx context.Context, parts int, do func(p int)) error {
	if parts == 1 {
		do(0)
		return nil
	}
	return parallelTasks(ctx, parts, func(_, p int) error { do(p); return nil })
}

// transpose returns the arcs of g reversed: those to a node in the order of their sources.
func transpose[W weight](ctx context.Context, g csr[W]) (csr[W], error) {
	m := len(g.dst)
	b := newBuckets[W](len(g.row)-1, m)
	parts := partsOf(m)
	err := b.distribute(ctx, parts, func(p int, of []uint64) {
		for _, v := range g.dst[m*p/parts : m*(p+1)/parts] {
			of[v>>b.shift]++
		}
	}, func(p int, at []uint64) {
		b.reverse(g, uint64(m*p/parts), uint64(m*(p+1)/parts), at)
	})
	if err != nil {
		return g, err
	}
	return b.place(ctx, g.weight != nil, false)
}

// reverse puts the arcs of g from lo up to hi, reversed, at the places in at, which it
// advances.
func (b *buckets[W]) reverse(g csr[W], lo, hi uint64, at []uint64) {
	var w W
	shift, arcs := b.shift, b.arcs
	forRows(g.row, lo, hi, func(u uint32, first, end uint64) {
		for i, v := range g.dst[first:end] {
			if g.weight != nil {
				w = g.weight[first+uint64(i)]
			}
			p := &at[v>>shift]
			arcs[*p] = arc[W]{w, v, u}
			*p++
		}
	})
}
