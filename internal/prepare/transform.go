package prepare

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"irgl/internal/device"
)

// A work says what becomes of a graph's arcs.
type work struct {
	reverse   bool // every arc
	both      bool // add the reverse of every arc
	sort      bool // rows by destination
	dropLoops bool
	dedup     bool // of sorted rows: keep the smallest weight
}

// Transpose is [graph.Graph.Transpose].
func (k *Kit) Transpose(ctx context.Context, g *Graph) (*Graph, error) {
	return k.rebuild(ctx, g, work{reverse: true})
}

// Symmetrize is [graph.Graph.Symmetrize].
func (k *Kit) Symmetrize(ctx context.Context, g *Graph) (*Graph, error) {
	return k.rebuild(ctx, g, work{both: true, sort: true, dropLoops: true, dedup: true})
}

// Deduplicate is [graph.Graph.Deduplicate].
func (k *Kit) Deduplicate(ctx context.Context, g *Graph) (*Graph, error) {
	return k.rebuild(ctx, g, work{sort: true, dedup: true})
}

// SortAdjacency is [graph.Graph.SortAdjacency].
func (k *Kit) SortAdjacency(ctx context.Context, g *Graph) (*Graph, error) {
	return k.rebuild(ctx, g, work{sort: true})
}

// DropSelfLoops is [graph.Graph.DropSelfLoops].
func (k *Kit) DropSelfLoops(ctx context.Context, g *Graph) (*Graph, error) {
	return k.rebuild(ctx, g, work{dropLoops: true})
}

// RandomWeights is [graph.Graph.RandomWeights]. The arrays of rows and destinations are
// copies.
func (k *Kit) RandomWeights(ctx context.Context, g *Graph, wmax int, seed uint64) (*Graph, error) {
	if wmax < 1 || wmax > math.MaxInt32 {
		return nil, fmt.Errorf("random weights: largest weight %d; expected 1 to %d", wmax, math.MaxInt32)
	}
	m := k.memory()
	out := &Graph{Nodes: g.Nodes, Arcs: g.Arcs, Row: m.copy("row", g.Row, g.Nodes+1), Dst: m.copy("dst", g.Dst, g.Arcs)}
	out.Weight = m.alloc("weight", g.Arcs)
	m.launch("weigh", int64(g.Arcs), listTile, g.Row, g.Dst, g.Nodes, g.Arcs, seed, uint32(wmax), out.Weight)
	m.wait(ctx)
	return out, m.end(out.Row, out.Dst, out.Weight)
}

// Sources returns an array with the node that each arc leaves.
func (k *Kit) Sources(ctx context.Context, g *Graph) (device.Ptr, error) {
	m := k.memory()
	out := m.alloc("sources", g.Arcs)
	m.launch("list", int64(g.Arcs), listTile, g.Row, g.Dst, device.Ptr(0), g.Nodes, g.Arcs, false, uint32(0), out, device.Ptr(0), device.Ptr(0))
	m.wait(ctx)
	return out, m.end(out)
}

// arcs are records in device memory.
type arcs struct {
	n       uint32
	u, v, w device.Ptr // w is 0 without weights
}

// rebuild makes a graph of the arcs of g.
func (k *Kit) rebuild(ctx context.Context, g *Graph, w work) (*Graph, error) {
	total := int64(g.Arcs)
	if w.both {
		total *= 2
	}
	if total > MaxArcs {
		return nil, tooMany(total)
	}
	m := k.memory()
	out := &Graph{Nodes: g.Nodes}
	a, spare := m.arcs(uint32(total), g.Weight != 0), m.arcs(uint32(total), g.Weight != 0)
	m.list(g, a, w)
	// Rows that are only reversed are in order of their sources already.
	width := bits.Len32(max(g.Nodes, 1) - 1)
	if w.sort {
		a.u, a.v = a.v, a.u
		spare.u, spare.v = spare.v, spare.u
		a, spare = m.sort(a, spare, width)
		a.u, a.v = a.v, a.u
		spare.u, spare.v = spare.v, spare.u
	}
	if w.sort || w.reverse {
		a, spare = m.sort(a, spare, width)
	}
	if w.dropLoops || w.dedup {
		a = m.drop(a, spare, w)
	}
	out.Arcs, out.Dst, out.Weight = a.n, a.v, a.w
	out.Row = m.alloc("row", g.Nodes+1)
	m.launch("rows", int64(g.Nodes)+1, threads, a.u, a.n, g.Nodes, out.Row)
	m.wait(ctx)
	if err := m.end(out.Row, out.Dst, out.Weight); err != nil {
		return nil, err
	}
	return out, nil
}

// arcs returns memory for n arcs.
func (m *memory) arcs(n uint32, weighted bool) arcs {
	a := arcs{n: n, u: m.alloc("u", n), v: m.alloc("v", n)}
	if weighted {
		a.w = m.alloc("w", n)
	}
	return a
}

// list writes the arcs of g to a.
func (m *memory) list(g *Graph, a arcs, w work) {
	m.launch("list", int64(g.Arcs), listTile, g.Row, g.Dst, g.Weight, g.Nodes, g.Arcs, w.reverse, uint32(0), a.u, a.v, a.w)
	if w.both {
		m.launch("list", int64(g.Arcs), listTile, g.Row, g.Dst, g.Weight, g.Nodes, g.Arcs, true, g.Arcs, a.u, a.v, a.w)
	}
}

// sort orders a by u, a number of so many bits, stably, with the help of spare. It returns
// the ordered arcs and the other memory.
func (m *memory) sort(a, spare arcs, width int) (ordered, other arcs) {
	blocks := (int64(a.n) + tile - 1) / tile
	counts := int64(digits) * blocks
	count := m.alloc("digits", uint32(counts))
	for shift := 0; shift < width; shift += digit {
		m.launch("digits", int64(a.n), tile, a.u, a.n, shift, count)
		m.scan(count, uint32(counts))
		m.launch("scatter", int64(a.n), tile, a.u, a.v, a.w, a.n, shift, count, spare.u, spare.v, spare.w)
		a, spare = spare, a
	}
	return a, spare
}

// scan replaces n numbers by the sums of those before them.
func (m *memory) scan(x device.Ptr, n uint32) {
	if n == 0 {
		return
	}
	tiles := uint32((int64(n) + scanTile - 1) / scanTile)
	sums := m.alloc("sums", tiles)
	m.launch("scan", int64(n), scanTile, x, n, sums)
	if tiles > 1 {
		m.scan(sums, tiles)
		m.launch("add", int64(n), scanTile, x, n, sums)
	}
}

// drop returns what stays of the ordered arcs a, in the memory of spare.
func (m *memory) drop(a, spare arcs, w work) arcs {
	place := m.alloc("place", a.n)
	m.launch("mark", int64(a.n), threads, a.u, a.v, a.n, w.dropLoops, w.dedup, place)
	var last [2][4]byte // the last mark, and the last place
	read := func(i int) {
		if m.err == nil && a.n > 0 {
			m.err = m.dev.CopyOut(last[i][:], place+device.Ptr(4*int64(a.n-1)))
		}
	}
	read(0)
	m.scan(place, a.n)
	read(1)
	spare.n = binary.LittleEndian.Uint32(last[0][:]) + binary.LittleEndian.Uint32(last[1][:])
	if a.w != 0 {
		m.launch("most", int64(spare.n), threads, spare.w, spare.n)
	}
	m.launch("keep", int64(a.n), threads, a.u, a.v, a.w, a.n, w.dropLoops, place, spare.n, spare.u, spare.v, spare.w)
	return spare
}
