package graph

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"
)

// This file gives numbers 0..n-1 to the nodes of an edge list, whose names are
// whatever numbers appear in it:
//
//	names in the list    30 1412 30 3     ->  IDs   [3 30 1412]
//	nodes of the graph    1    2  1 0
//
// The set of names is a bit for every number up to the largest, if that takes
// no more memory than the arcs do; the node of a name is then the number of
// bits below its own. Otherwise the names are sorted, and looked up.

// A renaming maps the numbers that appear in a list to nodes.
type renaming[I uint32 | uint64] struct {
	count uint64
	base  I // when rank and ids are nil: node = number - base

	// set has a bit for each number, and rank how many bits there are before
	// each of its words.
	set  []uint64
	rank []uint32
	ids  []uint64 // when the set would be too large: the sorted numbers
}

// nameNodes finds the numbers that appear, drops the header line if there is
// one, and sets g.IDs and g.Base.
func nameNodes[I uint32 | uint64](ctx context.Context, in *input, g *Graph, parts []listPart[I], header, columns int) (*renaming[I], error) {
	total, first := 0, -1
	for i := range parts {
		if first < 0 && len(parts[i].src) > 0 {
			first = i
		}
		total += len(parts[i].src)
	}
	if header >= 0 {
		fields := splitFields(lineAt(in.data, header))
		if v, j := uintAt(fields[1], 0); j != len(fields[1]) || v != uint64(total) {
			return nil, in.textError(header, "the first line has two columns and the next three; as a header it would promise %s edges, but %d follow it", fields[1], total)
		}
	} else if in.info.Format != SNAP && columns == 2 && first >= 0 && uint64(parts[first].dst[0]) == uint64(total-1) {
		// Perhaps a header: look at the numbers without it.
		p := &parts[first]
		nodes, edges := p.src[0], p.dst[0]
		p.src, p.dst = p.src[1:], p.dst[1:]
		r, err := collect(ctx, parts, total-1)
		if err != nil {
			return nil, err
		}
		if edges > 0 && r.count <= uint64(nodes) && r.largest() <= uint64(nodes) {
			return r, r.name(ctx, in, g)
		}
		// No: put it back.
		p.src = append([]I{nodes}, p.src...)
		p.dst = append([]I{edges}, p.dst...)
	}
	r, err := collect(ctx, parts, total)
	if err != nil {
		return nil, err
	}
	return r, r.name(ctx, in, g)
}

// largest returns the largest number of a renaming by collect.
func (r *renaming[I]) largest() uint64 {
	switch {
	case r.ids != nil:
		return r.ids[len(r.ids)-1]
	case r.set != nil:
		last := len(r.set) - 1
		return uint64(last)*64 + uint64(bits.Len64(r.set[last])) - 1
	}
	return 0
}

// collect finds the set of numbers in parts, which have total arcs: as bits
// where they take no more memory than the arcs do, else by sorting.
func collect[I uint32 | uint64](ctx context.Context, parts []listPart[I], total int) (*renaming[I], error) {
	if total == 0 {
		return &renaming[I]{}, nil
	}
	// The largest number decides which kind of set pays.
	tops := make([]I, len(parts))
	err := parallelTasks(ctx, len(parts), func(_, i int) error {
		for k, u := range parts[i].src {
			tops[i] = max(tops[i], u, parts[i].dst[k])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	top := uint64(slices.Max(tops))
	if top/64 > uint64(total)+1<<13 || top > math.MaxUint32 {
		return collectSorted(ctx, parts)
	}
	// Most numbers appear often: look before writing, so that processors share
	// the words instead of taking them from each other.
	r := &renaming[I]{set: make([]uint64, top/64+1)}
	err = parallelTasks(ctx, len(parts), func(_, i int) error {
		for _, list := range [2][]I{parts[i].src, parts[i].dst} {
			for _, u := range list {
				word, bit := &r.set[u/64], uint64(1)<<(u%64)
				if atomic.LoadUint64(word)&bit == 0 {
					atomic.OrUint64(word, bit)
				}
			}
		}
		return nil
	})
	r.rank = make([]uint32, len(r.set))
	for i, word := range r.set {
		r.rank[i] = uint32(r.count)
		r.count += uint64(bits.OnesCount64(word))
	}
	return r, err
}

// collectSorted is collect for numbers that are far apart.
func collectSorted[I uint32 | uint64](ctx context.Context, parts []listPart[I]) (*renaming[I], error) {
	lists := make([][]uint64, len(parts))
	err := parallelTasks(ctx, len(parts), func(_, i int) error {
		all := make([]uint64, 0, 2*len(parts[i].src))
		for _, list := range [2][]I{parts[i].src, parts[i].dst} {
			for _, u := range list {
				all = append(all, uint64(u))
			}
		}
		slices.Sort(all)
		lists[i] = slices.Compact(all)
		return nil
	})
	if err != nil {
		return nil, err
	}
	ids := slices.Concat(lists...)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return &renaming[I]{count: uint64(len(ids)), ids: ids}, nil
}

// name sets g.IDs and g.Base, and simplifies r when the numbers are
// consecutive, or all in the range that the file's comments promise.
func (r *renaming[I]) name(ctx context.Context, in *input, g *Graph) error {
	p, err := in.promisedNodes()
	if err != nil {
		return err
	}
	if r.count == 0 {
		r.count, g.Base = p.nodes, p.first
		return nil
	}
	least := uint64(0)
	if r.ids != nil {
		least = r.ids[0]
	} else {
		for i, word := range r.set {
			if word != 0 {
				least = uint64(i)*64 + uint64(bits.TrailingZeros64(word))
				break
			}
		}
	}
	largest := r.largest()
	if base, ok := p.holds(r.count, least, largest); ok {
		g.Base = base
		r.base, r.ids, r.set, r.rank, r.count = I(base), nil, nil, nil, p.nodes
		return nil
	}
	in.noteNames(p, r.count, least, largest)
	if largest-least+1 == r.count {
		g.Base = least
		r.base, r.ids, r.set, r.rank = I(least), nil, nil, nil
		return nil
	}
	if r.ids != nil {
		g.IDs = r.ids
		return nil
	}
	g.IDs = make([]uint64, r.count)
	return parallelRange(ctx, len(r.set), 1<<12, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			at := r.rank[i]
			for word := r.set[i]; word != 0; word &= word - 1 {
				g.IDs[at] = uint64(i)*64 + uint64(bits.TrailingZeros64(word))
				at++
			}
		}
	})
}

// apply translates a list of numbers to nodes; in place when I is uint32.
func (r *renaming[I]) apply(list []I) []uint32 {
	out, ok := any(list).([]uint32)
	if !ok {
		out = make([]uint32, len(list))
	}
	switch {
	case r.ids != nil:
		for i, u := range list {
			k, _ := slices.BinarySearch(r.ids, uint64(u))
			out[i] = uint32(k)
		}
	case r.set != nil:
		for i, u := range list {
			below := r.set[u/64] & (1<<(u%64) - 1)
			out[i] = r.rank[u/64] + uint32(bits.OnesCount64(below))
		}
	case r.base != 0 || !ok:
		for i, u := range list {
			out[i] = uint32(u - r.base)
		}
	}
	return out
}
