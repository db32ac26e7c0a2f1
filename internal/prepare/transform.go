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

// drops reports whether arcs are dropped.
func (w work) drops() bool { return w.dropLoops || w.dedup }

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

// RandomWeights returns the array of the weights of graph's RandomWeights.
func (k *Kit) RandomWeights(ctx context.Context, g *Graph, wmax int, seed uint64) (device.Ptr, error) {
	if wmax < 1 || wmax > math.MaxInt32 {
		return 0, fmt.Errorf("random weights: largest weight %d; expected 1 to %d", wmax, math.MaxInt32)
	}
	m := k.memory()
	out := m.result("weight", g.Arcs)
	m.launch("weigh", int64(g.Arcs), listTile, g.Row, g.Dst, g.Nodes, g.Arcs, seed, uint32(wmax), out)
	m.wait(ctx)
	return out, m.end()
}

// Sources returns an array with the node that each arc leaves.
func (k *Kit) Sources(ctx context.Context, g *Graph) (device.Ptr, error) {
	m := k.memory()
	out := m.result("sources", g.Arcs)
	m.launch("list", int64(g.Arcs), listTile, g.Row, g.Dst, device.Ptr(0), g.Nodes, g.Arcs, false, uint32(0), out, device.Ptr(0), device.Ptr(0))
	m.wait(ctx)
	return out, m.end()
}

// arcs are records in device memory.
type arcs struct {
	n       uint32
	u, v, w device.Ptr // w is 0 without weights
}

// swapped returns the arcs reversed.
func (a arcs) swapped() arcs { return arcs{a.n, a.v, a.u, a.w} }

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
	b := m.newBuild(uint32(total), g, w)
	a := b.list(g, w)
	if w.sort {
		a = b.sort(a.swapped()).swapped()
	}
	if w.sort || w.reverse { // rows that are only reversed are in order of their sources already
		a = b.sort(a)
	}
	if w.drops() {
		a = b.drop(ctx, a, w)
	}
	out.Arcs, out.Dst, out.Weight = a.n, a.v, a.w
	out.Row = m.result("row", g.Nodes+1)
	m.launch("rows", int64(g.Nodes)+1, threads, a.u, a.n, g.Nodes, out.Row)
	m.wait(ctx)
	if err := m.end(); err != nil {
		return nil, err
	}
	return out, nil
}

// A build is the memory in which a graph is rebuilt: two lists, of which a sort writes one
// and reads the other by turns.
type build struct {
	*memory
	lists [2]arcs
	now   int          // the list with the arcs
	width int          // bits of a node
	count device.Ptr   // digits of each tile
	sums  []device.Ptr // of scans, a level each
}

// newBuild allocates the memory for n arcs. The last sort's destinations and weights are
// those of the result, unless arcs are dropped after it.
func (m *memory) newBuild(n uint32, g *Graph, w work) *build {
	b := &build{memory: m, width: bits.Len32(max(g.Nodes, 1) - 1)}
	passes := 0
	if w.reverse || w.sort {
		passes = (b.width + digit - 1) / digit
	}
	if w.sort {
		passes *= 2
	}
	last := passes % 2
	stays := func(list int) bool { return list == last && !w.drops() }
	used := min(2, 1+passes)
	if w.drops() {
		used = 2
	}
	// The same lengths are reserved as are allocated below.
	var lengths []uint32
	counts := digits * tiles(n, tile)
	sums := scanLevels(max(n, counts))
	for list := range used {
		lengths = append(lengths, n)
		if !stays(list) {
			lengths = append(lengths, n)
			if g.Weight != 0 {
				lengths = append(lengths, n)
			}
		}
	}
	m.reserve(append(append(lengths, counts), sums...)...)
	for list := range used {
		take := m.alloc
		if stays(list) {
			take = m.result
		}
		a := arcs{n: n, u: m.alloc("u", n), v: take("dst", n)}
		if g.Weight != 0 {
			a.w = take("weight", n)
		}
		b.lists[list] = a
	}
	b.count = m.alloc("digits", counts)
	for _, tiles := range sums {
		b.sums = append(b.sums, m.alloc("sums", tiles))
	}
	return b
}

// scanLevels returns how many tiles a scan of n numbers has, and the scans of their sums.
func scanLevels(n uint32) []uint32 {
	levels := []uint32{tiles(n, scanTile)}
	for n = levels[0]; n > 1; n = tiles(n, scanTile) {
		levels = append(levels, tiles(n, scanTile))
	}
	return levels
}

// tiles returns how many tiles of a size n items have.
func tiles(n, size uint32) uint32 { return uint32((uint64(n) + uint64(size) - 1) / uint64(size)) }

// list writes the arcs of g to the first list.
func (b *build) list(g *Graph, w work) arcs {
	a := b.lists[0]
	b.launch("list", int64(g.Arcs), listTile, g.Row, g.Dst, g.Weight, g.Nodes, g.Arcs, w.reverse, uint32(0), a.u, a.v, a.w)
	if w.both {
		b.launch("list", int64(g.Arcs), listTile, g.Row, g.Dst, g.Weight, g.Nodes, g.Arcs, true, g.Arcs, a.u, a.v, a.w)
	}
	return a
}

// sort orders a, the arcs of the present list or these swapped, by u, a node, stably. It
// returns the ordered arcs, which are swapped likewise.
func (b *build) sort(a arcs) arcs {
	swapped := a.u != b.lists[b.now].u
	counts := digits * tiles(a.n, tile)
	for shift := 0; shift < b.width; shift += digit {
		b.now = 1 - b.now
		to := b.lists[b.now]
		if swapped {
			to = to.swapped()
		}
		b.launch("digits", int64(a.n), tile, a.u, a.n, shift, b.count)
		b.scan(b.count, counts, b.sums)
		b.launch("scatter", int64(a.n), tile, a.u, a.v, a.w, a.n, shift, b.count, to.u, to.v, to.w)
		a = to
	}
	return a
}

// scan replaces n numbers by the sums of those before them.
func (b *build) scan(x device.Ptr, n uint32, sums []device.Ptr) {
	if n == 0 {
		return
	}
	b.launch("scan", int64(n), scanTile, x, n, sums[0])
	if n > scanTile {
		b.scan(sums[0], tiles(n, scanTile), sums[1:])
		b.launch("add", int64(n), scanTile, x, n, sums[0])
	}
}

// drop returns what stays of the ordered arcs a, in memory of just their number. The other
// list has the places meanwhile.
func (b *build) drop(ctx context.Context, a arcs, w work) arcs {
	other := b.lists[1-b.now]
	place := other.u
	kept := arcs{u: other.v}
	b.launch("mark", int64(a.n), threads, a.u, a.v, a.n, w.dropLoops, w.dedup, place)
	if a.n > 0 {
		var last [2][4]byte // the last mark, and the last place
		b.copyOut(ctx, last[0][:], place+device.Ptr(4*int64(a.n-1)))
		b.scan(place, a.n, b.sums)
		b.copyOut(ctx, last[1][:], place+device.Ptr(4*int64(a.n-1)))
		kept.n = binary.LittleEndian.Uint32(last[0][:]) + binary.LittleEndian.Uint32(last[1][:])
	}
	kept.v = b.result("dst", kept.n)
	if a.w != 0 {
		kept.w = b.result("weight", kept.n)
		b.launch("most", int64(kept.n), threads, kept.w, kept.n)
	}
	b.launch("keep", int64(a.n), threads, a.u, a.v, a.w, a.n, w.dropLoops, place, kept.n, kept.u, kept.v, kept.w)
	return kept
}
