package graph

import (
	"context"
	"math/bits"
	"slices"
)

// This file turns lists of arcs into CSR arrays, in parallel and with the same
// result for any number of processors.
//
// The arcs are first distributed, stably, over buckets of consecutive sources;
// then each bucket is ordered on its own. A bucket's counters and records fit
// in a processor's cache, so both steps read and write memory in streams,
// where counting and placing arcs one by one would miss the cache twice for
// each. No atomic operations are needed, and no per-worker array of n counters.
//
// With two nodes a bucket, for five arcs of four nodes:
//
//	input       2>0  0>3  1>2  3>0  0>1
//	distribute  0>3  1>2  0>1 | 2>0  3>0     stable, by bucket of the source
//	finish      0>1  0>3  1>2 | 2>0  3>0     by source, then by destination if
//	                                         asked; duplicates dropped
//	gather      RowStart 0 2 3 4 5, Dst 1 3 2 0 0

// none is the weight of an unweighted arc.
type none = struct{}

// A segment is a list of arcs in the order of the input. w is nil when W is
// none.
type segment[W any] struct {
	src, dst []uint32
	w        []W
}

// An arc is a record of the bucket sort: 8, 12 or 16 bytes. The weight comes
// first because a trailing field of size zero would be padded.
type arc[W any] struct {
	w    W
	u, v uint32
}

// buildOptions say what becomes of the arcs.
type buildOptions struct {
	both      bool // add the reverse of every arc that is no self-loop
	negate    bool // the reverse has the negated weight (skew-symmetric)
	dropLoops bool // leave self-loops out
	sort      bool // order the arcs of each node by destination
	dedup     bool // keep one of several equal arcs, with the smallest weight; implies sort
}

// buildUnweighted, buildInt and buildFloat set the four arrays of g. They
// empty segs as they read it, so that its memory is freed early. Every src and dst must be
// less than n.
func buildUnweighted(ctx context.Context, g *Graph, n int, segs []segment[none], o buildOptions) error {
	b := builder[none]{opt: o, n: n, segs: segs}
	_, err := b.run(ctx, g)
	return b.built(g, err)
}

func buildInt(ctx context.Context, g *Graph, n int, segs []segment[int32], o buildOptions) error {
	b := builder[int32]{
		opt: o, n: n, segs: segs, weighted: true,
		less: func(x, y int32) bool { return x < y },
		neg:  func(x int32) int32 { return -x },
	}
	w, err := b.run(ctx, g)
	g.Weight = w
	return b.built(g, err)
}

func buildFloat(ctx context.Context, g *Graph, n int, segs []segment[float64], o buildOptions) error {
	b := builder[float64]{
		opt: o, n: n, segs: segs, weighted: true,
		less: func(x, y float64) bool { return x < y },
		neg:  func(x float64) float64 { return -x },
	}
	w, err := b.run(ctx, g)
	g.WeightF = w
	return b.built(g, err)
}

// A builder is the state of one construction.
type builder[W any] struct {
	opt      buildOptions
	n        int
	segs     []segment[W]
	weighted bool
	less     func(x, y W) bool
	neg      func(x W) W

	shift   uint // bucket of source u is u>>shift
	buckets int
	start   []uint64 // first record of each bucket, and the end
	arcs    []arc[W] // all records, by bucket
	scratch [][]arc[W]
	counts  [][]uint64
}

// built notes what the construction has made of g, and returns err.
func (b *builder[W]) built(g *Graph, err error) error {
	if err != nil {
		return err
	}
	holds := b.opt.facts()
	g.learn(holds, holds)
	return nil
}

// facts returns what is true of a graph that was built with these options.
func (o buildOptions) facts() fact {
	holds := valid
	if o.sort || o.dedup {
		holds |= sorted
	}
	if o.dedup {
		holds |= simple
	}
	if o.dropLoops {
		holds |= loopFree
	}
	if o.both && !o.negate {
		holds |= symmetric | mirrored
	}
	return holds
}

// run does the whole construction, sets RowStart and Dst of g, and returns the
// weights.
func (b *builder[W]) run(ctx context.Context, g *Graph) ([]W, error) {
	b.opt.sort = b.opt.sort || b.opt.dedup
	total := 0
	for i := range b.segs {
		total += len(b.segs[i].src)
	}
	// About 4096 arcs or 32768 nodes a bucket, but at most 1024 buckets: more
	// would write to more pages at a time than the page table cache holds.
	want := min(10, max(bits.Len(uint(total)>>12), bits.Len(uint(b.n)>>15)))
	b.shift = uint(max(0, bits.Len(uint(max(b.n-1, 0)))-want))
	b.buckets = (b.n-1)>>b.shift + 1
	if b.n == 0 {
		b.buckets = 0
	}
	if err := b.distribute(ctx); err != nil {
		return nil, err
	}
	row := make([]uint64, b.n+1)
	kept := make([]uint64, b.buckets+1)
	limit := workers()
	b.scratch = make([][]arc[W], limit)
	b.counts = make([][]uint64, limit)
	err := parallelWorkers(ctx, limit, b.buckets, func(worker, k int) error {
		kept[k+1] = b.finish(worker, k, row)
		return nil
	})
	if err != nil {
		return nil, err
	}
	b.scratch = nil
	for k := range b.buckets {
		kept[k+1] += kept[k]
	}
	g.RowStart = row
	return b.gather(ctx, g, kept)
}

// gather copies what is kept of the buckets into arrays of exactly that size:
// kept[k] is the number of arcs before bucket k. It also adds that number to
// the row offsets, which finish has counted from the start of the bucket.
func (b *builder[W]) gather(ctx context.Context, g *Graph, kept []uint64) ([]W, error) {
	g.Dst = make([]uint32, kept[b.buckets])
	var weight []W
	if b.weighted {
		weight = make([]W, len(g.Dst))
	}
	err := parallelTasks(ctx, b.buckets, func(_, k int) error {
		lo, hi := b.nodes(k)
		base, end := kept[k], kept[k+1]
		for u := lo; u < hi; u++ {
			g.RowStart[u+1] += base
		}
		from, dst := b.arcs[b.start[k]:][:end-base], g.Dst[base:end]
		for i := range from {
			dst[i] = from[i].v
		}
		if b.weighted {
			w := weight[base:end]
			for i := range from {
				w[i] = from[i].w
			}
		}
		return nil
	})
	b.arcs = nil
	return weight, err
}

// nodes returns the range of sources of bucket k.
func (b *builder[W]) nodes(k int) (lo, hi int) {
	return k << b.shift, min(b.n, (k+1)<<b.shift)
}

// distribute fills b.arcs and b.start: every segment counts its arcs by
// bucket; a running sum, bucket by bucket and in a bucket segment by segment,
// gives each segment the place where it writes. So the order of the input is
// kept inside a bucket.
func (b *builder[W]) distribute(ctx context.Context) error {
	pos := make([][]uint64, len(b.segs))
	err := parallelTasks(ctx, len(b.segs), func(_, s int) error {
		p := make([]uint64, b.buckets)
		seg, shift := &b.segs[s], b.shift
		dst := seg.dst[:len(seg.src)]
		for i, u := range seg.src {
			v := dst[i]
			if u == v {
				if !b.opt.dropLoops {
					p[u>>shift]++
				}
				continue
			}
			p[u>>shift]++
			if b.opt.both {
				p[v>>shift]++
			}
		}
		pos[s] = p
		return nil
	})
	if err != nil {
		return err
	}
	// From counts to places: the first record of each segment in each bucket.
	b.start = make([]uint64, b.buckets+1)
	var sum uint64
	for k := range b.buckets {
		b.start[k] = sum
		for s := range pos {
			pos[s][k], sum = sum, sum+pos[s][k]
		}
	}
	b.start[b.buckets] = sum
	b.arcs = make([]arc[W], sum)
	return parallelTasks(ctx, len(b.segs), func(_, s int) error {
		b.scatter(b.segs[s], pos[s])
		b.segs[s] = segment[W]{}
		return nil
	})
}

// scatter writes the arcs of one segment to the places in pos, which it
// advances.
func (b *builder[W]) scatter(seg segment[W], pos []uint64) {
	shift, arcs := b.shift, b.arcs
	dst := seg.dst[:len(seg.src)]
	var w W
	for i, u := range seg.src {
		v := dst[i]
		if u == v && b.opt.dropLoops {
			continue
		}
		if b.weighted {
			w = seg.w[i]
		}
		p := pos[u>>shift]
		pos[u>>shift] = p + 1
		arcs[p] = arc[W]{w, u, v}
		if b.opt.both && u != v {
			if b.opt.negate {
				w = b.neg(w)
			}
			p := pos[v>>shift]
			pos[v>>shift] = p + 1
			arcs[p] = arc[W]{w, v, u}
		}
	}
}

// finish orders bucket k by source, and by destination where that is asked
// for, drops duplicates, sets row[u+1] to the number of arcs of the bucket up
// to and including those of u, and returns the number of arcs kept.
func (b *builder[W]) finish(worker, k int, row []uint64) uint64 {
	lo, hi := b.nodes(k)
	a := b.arcs[b.start[k]:b.start[k+1]]
	if cap(b.scratch[worker]) < len(a) {
		b.scratch[worker] = make([]arc[W], len(a))
	}
	t := b.scratch[worker][:len(a)]
	if b.counts[worker] == nil {
		b.counts[worker] = make([]uint64, max(1<<b.shift, 1<<radixBits)+1)
	}
	count := b.counts[worker]

	// Many arcs a node: order the whole bucket by destination first, in linear
	// time; ordering by source keeps that order. Few: order each short row.
	dense := b.opt.sort && len(a) > 4*(hi-lo) && len(a) >= 1<<12
	if dense {
		a, t = radixByDst(a, t, count[:1<<radixBits], bits.Len(uint(b.n-1)))
	}
	// A counting sort by source: c[i] becomes the place of the next arc of
	// node lo+i, and row keeps where its last one ends.
	c := count[:hi-lo+1]
	clear(c)
	for i := range a {
		c[int(a[i].u)-lo+1]++
	}
	for i := 1; i < len(c); i++ {
		c[i] += c[i-1]
		row[lo+i] = c[i]
	}
	for i := range a {
		p := &c[int(a[i].u)-lo]
		t[*p] = a[i]
		*p++
	}
	if b.opt.sort && !dense {
		var at uint64
		for u := lo; u < hi; u++ {
			sortByDst(t[at:row[u+1]])
			at = row[u+1]
		}
	}
	// After an odd number of radix passes t is the bucket's own memory.
	home := b.arcs[b.start[k]:b.start[k+1]]
	if b.opt.dedup {
		return b.compact(home, t, lo, hi, row)
	}
	if len(t) > 0 && &t[0] != &home[0] {
		copy(home, t)
	}
	return uint64(len(home))
}

// compact copies the sorted arcs from t to home, without repeats, and corrects
// row. home and t may be the same memory.
func (b *builder[W]) compact(home, t []arc[W], lo, hi int, row []uint64) uint64 {
	var from, to uint64
	for u := lo; u < hi; u++ {
		end := row[u+1]
		for first := to; from < end; from++ {
			x := t[from]
			if to > first && home[to-1].v == x.v {
				if b.weighted && b.less(x.w, home[to-1].w) {
					home[to-1].w = x.w
				}
				continue
			}
			home[to] = x
			to++
		}
		row[u+1] = to
	}
	return to
}

// radixBits is the number of bits of a digit in radixByDst: the counters and
// the ends of the 2048 output streams stay in the nearest caches.
const radixBits = 11

// radixByDst orders a by destination, stably, with a least-significant-digit
// radix sort, and returns the ordered slice and the other one.
func radixByDst[W any](a, t []arc[W], count []uint64, width int) (ordered, other []arc[W]) {
	for shift := 0; shift < width; shift += radixBits {
		clear(count)
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
	return a, t
}

// sortByDst orders the arcs of one node by destination, stably.
func sortByDst[W any](a []arc[W]) {
	if len(a) > 32 {
		slices.SortStableFunc(a, func(x, y arc[W]) int {
			if x.v < y.v {
				return -1
			}
			if x.v > y.v {
				return 1
			}
			return 0
		})
		return
	}
	for i := 1; i < len(a); i++ {
		x := a[i]
		j := i
		for j > 0 && a[j-1].v > x.v {
			a[j] = a[j-1]
			j--
		}
		a[j] = x
	}
}
