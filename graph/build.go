package graph

import (
	"context"
)

// This file turns lists of arcs into a graph: the arcs are ordered by their sources, as
// buckets.go does it, and the rows are worked on then, as rows.go does it, in place.

// A segment is a list of arcs in the order of the input. w is nil when W is
// none.
type segment[W weight] struct {
	src, dst []uint32
	w        []W
}

// buildOptions say what becomes of the arcs.
type buildOptions struct {
	both      bool // add the reverse of every arc that is no self-loop
	negate    bool // the reverse has the negated weight (skew-symmetric)
	dropLoops bool // leave self-loops out
	sort      bool // order the arcs of each node by destination
	dedup     bool // keep one of several equal arcs, with the smallest weight; implies sort
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

// buildUnweighted, buildInt and buildFloat set the four arrays of g. They
// empty segs as they read it, so that its memory is freed early. Every src and dst must be
// less than n.
func buildUnweighted(ctx context.Context, g *Graph, n int, segs []segment[none], o buildOptions) error {
	_, err := buildRows(ctx, g, n, segs, o, nil)
	return g.built(o, err)
}

func buildInt(ctx context.Context, g *Graph, n int, segs []segment[int32], o buildOptions) (err error) {
	g.Weight, err = buildRows(ctx, g, n, segs, o, func(w int32) int32 { return -w })
	return g.built(o, err)
}

func buildFloat(ctx context.Context, g *Graph, n int, segs []segment[float64], o buildOptions) (err error) {
	g.WeightF, err = buildRows(ctx, g, n, segs, o, func(w float64) float64 { return -w })
	return g.built(o, err)
}

// built notes what the construction has made of g, and returns err.
func (g *Graph) built(o buildOptions, err error) error {
	if err == nil {
		g.learn(o.facts(), o.facts())
	}
	return err
}

// buildRows sets RowStart and Dst of g, and returns the weights, if neg, which negates one,
// is not nil.
func buildRows[W weight](ctx context.Context, g *Graph, n int, segs []segment[W], o buildOptions, neg func(W) W) ([]W, error) {
	total := 0
	for _, s := range segs {
		total += len(s.src)
	}
	b := newBuckets[W](n, total)
	err := b.distribute(ctx, len(segs), func(s int, of []uint64) {
		b.countSegment(segs[s], o, of)
	}, func(s int, at []uint64) {
		b.writeSegment(segs[s], o, neg, at)
		segs[s] = segment[W]{}
	})
	if err != nil {
		return nil, err
	}
	h, err := b.place(ctx, neg != nil, o.sort || o.dedup)
	b.arcs = nil
	if err == nil && (o.sort || o.dedup) {
		h, err = reworkRows(ctx, h, h, rowWork{sort: true, dedup: o.dedup})
	}
	if err != nil {
		return nil, err
	}
	g.RowStart, g.Dst = h.row, h.dst
	return h.weight, nil
}

// countSegment counts the arcs of a segment by bucket.
func (b *buckets[W]) countSegment(seg segment[W], o buildOptions, of []uint64) {
	shift := b.shift
	dst := seg.dst[:len(seg.src)]
	for i, u := range seg.src {
		v := dst[i]
		if u == v {
			if !o.dropLoops {
				of[u>>shift]++
			}
			continue
		}
		of[u>>shift]++
		if o.both {
			of[v>>shift]++
		}
	}
}

// writeSegment writes the arcs of a segment to the places in at, which it advances.
func (b *buckets[W]) writeSegment(seg segment[W], o buildOptions, neg func(W) W, at []uint64) {
	shift, arcs := b.shift, b.arcs
	dst := seg.dst[:len(seg.src)]
	var w W
	for i, u := range seg.src {
		v := dst[i]
		if u == v && o.dropLoops {
			continue
		}
		if seg.w != nil {
			w = seg.w[i]
		}
		p := &at[u>>shift]
		arcs[*p] = arc[W]{w, u, v}
		*p++
		if o.both && u != v {
			if o.negate {
				w = neg(w)
			}
			p := &at[v>>shift]
			arcs[*p] = arc[W]{w, v, u}
			*p++
		}
	}
}
