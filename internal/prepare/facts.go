package prepare

import (
	"context"
	"fmt"
	"math/rand/v2"

	"irgl/internal/device"
)

// buckets is the number of ranges of degrees that the kernel counts.
const buckets = threads

// Facts are what is true of a graph.
type Facts struct {
	Sorted   bool // see [graph.Graph.IsSorted]
	LoopFree bool // see [graph.Graph.HasSelfLoops]
	// Simple says that no arc of a sorted graph has a repeat; of another graph it says
	// nothing.
	Simple bool
	// Symmetric and Mirrored say that the graph is its own transpose, without and with
	// its weights; see [graph.Graph.IsSymmetric], also for the probability of an error.
	Symmetric, Mirrored bool
}

// symmetryKey makes the hashes unpredictable, so that no graph can be made to deceive them.
var symmetryKey = rand.Uint64()

// Facts finds out about a graph.
func (k *Kit) Facts(ctx context.Context, g *Graph) (Facts, error) {
	m := k.memory()
	at := m.alloc("facts", 5) // two sums of 64 bits, and what was found
	m.launch("look", int64(g.Arcs), listTile, g.Row, g.Dst, device.Ptr(0), g.Nodes, g.Arcs, symmetryKey, at, at+16)
	if g.Weight != 0 {
		m.launch("look", int64(g.Arcs), listTile, g.Row, g.Dst, g.Weight, g.Nodes, g.Arcs, symmetryKey, at+8, at+16)
	}
	out := m.read(ctx, at, 5)
	const unsorted, loops, repeats = 1, 2, 4 // as prepare.cu has them
	f := Facts{Sorted: out[4]&unsorted == 0, LoopFree: out[4]&loops == 0, Simple: out[4]&repeats == 0, Symmetric: out[0]|out[1] == 0}
	f.Mirrored = f.Symmetric && out[2]|out[3] == 0
	return f, m.end()
}

// WeightRange returns the least and the largest weight; both are 0 without arcs or weights.
func (k *Kit) WeightRange(ctx context.Context, g *Graph) (least, largest int32, err error) {
	if g.Arcs == 0 || g.Weight == 0 {
		return 0, 0, nil
	}
	m := k.memory()
	at := m.alloc("extremes", 2)
	m.launch("extremes", int64(g.Arcs), listTile, g.Weight, g.Arcs, at)
	out := m.read(ctx, at, 2)
	const sign = 1 << 31
	return int32(^out[1] ^ sign), int32(out[0] ^ sign), m.end()
}

// Degrees counts the nodes of a graph, and their arcs, by the range of their out-degrees, as
// package tune cuts these, and returns the largest degree.
func (k *Kit) Degrees(ctx context.Context, g *Graph) (nodes, arcs []int64, most uint32, err error) {
	m := k.memory()
	at := m.alloc("degrees", 4*buckets+1)
	m.launch("degrees", int64(g.Nodes), listTile, g.Row, g.Nodes, at, at+8*buckets, at+16*buckets)
	out := m.read(ctx, at, 4*buckets+1)
	long := func(i int) int64 { return int64(out[2*i]) | int64(out[2*i+1])<<32 }
	for i := range buckets {
		nodes, arcs = append(nodes, long(i)), append(arcs, long(buckets+i))
		if i < 16 { // the only degree of its range
			arcs[i] = int64(i) * nodes[i]
		}
	}
	return nodes, arcs, out[4*buckets], m.end()
}

// A Search is what a breadth-first search found: the number of levels until so many nodes
// were visited, or of all levels.
type Search struct {
	Levels int
	All    bool
}

// Search searches from several nodes, spread over a graph that has nodes. A search from one
// without arcs begins at the next that has some, within a thousand.
func (k *Kit) Search(ctx context.Context, g *Graph, searches, most uint32) ([]Search, error) {
	const seen = 16384 // slots of a table, as prepare.cu has them
	if most > seen/2 {
		return nil, fmt.Errorf("prepare on a device: a search of %d nodes, and at most %d are supported", most, seen/2)
	}
	m := k.memory()
	at := m.alloc("searches", 2*searches)
	m.launch("search", int64(searches), 1, g.Row, g.Dst, g.Nodes, most, m.alloc("tables", seen*searches), m.alloc("queues", most*searches), at)
	out := m.read(ctx, at, 2*searches)
	var found []Search
	for i := 0; i < len(out); i += 2 {
		found = append(found, Search{int(out[i]), out[i+1] != 0})
	}
	return found, m.end()
}

// HaveReverses reports whether each of so many arcs, evenly spaced, has its reverse; those
// that lead to a node of at least longest arcs are taken to have it.
func (k *Kit) HaveReverses(ctx context.Context, g *Graph, samples, longest uint32) (bool, error) {
	m := k.memory()
	at := m.alloc("reverses", 1)
	m.launch("reverses", int64(min(samples, g.Arcs)), 1, g.Row, g.Dst, g.Nodes, g.Arcs, longest, at)
	lacks := m.read(ctx, at, 1)
	return lacks[0] == 0, m.end()
}

// Pick returns n numbers, evenly spaced, of an array of so many.
func (k *Kit) Pick(ctx context.Context, from device.Ptr, length int64, n uint32) ([]uint32, error) {
	m := k.memory()
	at := m.alloc("picked", n)
	m.launch("pick", int64(n), threads, from, uint64(length), n, at)
	out := m.read(ctx, at, n)
	return out, m.end()
}
