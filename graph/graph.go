package graph

import (
	"context"
	"fmt"
	"math"
	"slices"

	"irgl/internal/memory"
)

// MaxNodes is the largest number of nodes that a Graph may have: node numbers
// must stay non-negative when a program holds them in a 32-bit int.
const MaxNodes = math.MaxInt32

// A Graph is a directed graph in compressed sparse row form.
//
// The arrays are exported because programs walk them directly. They are
// read-only for everyone but their maker: transforms share arrays that they do
// not change, and Validate remembers its answer. An undirected graph is stored with both arcs of every edge.
type Graph struct {
	// RowStart has NumNodes()+1 entries, starts with 0 and never falls. The
	// arcs of node v are the indices RowStart[v] up to RowStart[v+1].
	RowStart []uint64
	// Dst has one entry per arc: the node that the arc leads to.
	Dst []uint32
	// Weight has one entry per arc, parallel to Dst, when the graph has
	// integer weights; nil otherwise.
	Weight []int32
	// WeightF is the same for a file whose weights are real numbers. At most
	// one of Weight and WeightF is not nil.
	WeightF []float64

	// IDs, when not nil, has the name of every node in the file, ascending.
	IDs []uint64
	// Base is the name of node 0 when IDs is nil: the names are then
	// Base, Base+1, ... in order.
	Base uint64

	// Info tells where the graph came from.
	Info Info

	facts *facts // what is known about the arrays; see known
}

// Info tells where a graph came from, for messages and for "graph info".
type Info struct {
	// Name is the file's path or the generator's text.
	Name string
	// Format is the file's format; "" for a generated graph.
	Format Format
	// Compression is "gzip", "zstd" or "".
	Compression string
	// Bytes is the size of the (uncompressed) content.
	Bytes int64
	// FileEdges is the number of edges that the file lists. It differs from
	// NumEdges where a format lists an undirected edge once.
	FileEdges int64
	// Undirected says that the format lists undirected edges, so that the
	// graph holds both arcs of each.
	Undirected bool
	// Notes say what a reader of the file may not expect, a line each.
	Notes []string
}

// NumNodes returns the number of nodes.
func (g *Graph) NumNodes() int {
	if len(g.RowStart) == 0 {
		return 0
	}
	return len(g.RowStart) - 1
}

// NumEdges returns the number of arcs.
func (g *Graph) NumEdges() int64 { return int64(len(g.Dst)) }

// Degree returns the number of arcs that leave node v.
func (g *Graph) Degree(v uint32) int64 {
	return int64(g.RowStart[v+1] - g.RowStart[v])
}

// Neighbors returns the heads of the arcs that leave v, as a slice of Dst.
func (g *Graph) Neighbors(v uint32) []uint32 {
	return g.Dst[g.RowStart[v]:g.RowStart[v+1]:g.RowStart[v+1]]
}

// Source returns the node that arc e leaves, by a search in RowStart.
func (g *Graph) Source(e uint64) uint32 { return sourceOf(g.RowStart, e) }

// HasWeights says whether the arcs have weights, integer or real.
func (g *Graph) HasWeights() bool { return g.Weight != nil || g.WeightF != nil }

// IntWeights returns the weights as integers: Weight itself, or a converted
// copy of WeightF when each of its values is an integer of 32 bits. It returns
// nil and false for an unweighted graph and for weights that have fractions.
func (g *Graph) IntWeights() ([]int32, bool) {
	if g.WeightF == nil {
		return g.Weight, g.Weight != nil
	}
	w := make([]int32, len(g.WeightF))
	for i, x := range g.WeightF {
		if x != math.Trunc(x) || x < math.MinInt32 || x > math.MaxInt32 {
			return nil, false
		}
		w[i] = int32(x)
	}
	return w, true
}

// ExternalID returns the name that the file gives to node v.
func (g *Graph) ExternalID(v uint32) uint64 {
	if g.IDs != nil {
		return g.IDs[v]
	}
	return g.Base + uint64(v)
}

// Lookup returns the node that the file calls ext, and whether there is one.
func (g *Graph) Lookup(ext uint64) (uint32, bool) {
	if g.IDs != nil {
		i, ok := slices.BinarySearch(g.IDs, ext)
		return uint32(i), ok
	}
	if ext < g.Base || ext-g.Base >= uint64(g.NumNodes()) {
		return 0, false
	}
	return uint32(ext - g.Base), true
}

// FromEdges makes a graph of n nodes from parallel arrays of arcs: arc i leads
// from src[i] to dst[i]. w may be nil. The arcs of a node keep their order.
func FromEdges(n int, src, dst []uint32, w []int32) (*Graph, error) {
	ctx := context.Background()
	g, err := fromArcs(ctx, n, src, dst, len(w), w != nil)
	switch {
	case err != nil:
	case w == nil:
		err = buildUnweighted(ctx, g, n, cutSegments[none](src, dst, nil), buildOptions{})
	default:
		err = buildInt(ctx, g, n, cutSegments(src, dst, w), buildOptions{})
	}
	return g, err
}

// FromEdgesReal is [FromEdges] for weights that are real numbers.
func FromEdgesReal(n int, src, dst []uint32, w []float64) (*Graph, error) {
	ctx := context.Background()
	g, err := fromArcs(ctx, n, src, dst, len(w), true)
	if err == nil {
		err = buildFloat(ctx, g, n, cutSegments(src, dst, w), buildOptions{})
	}
	return g, err
}

// fromArcs checks arrays of arcs, and returns the graph to be built of them.
func fromArcs(ctx context.Context, n int, src, dst []uint32, weights int, weighted bool) (*Graph, error) {
	if n < 0 || n > MaxNodes {
		return nil, fmt.Errorf("graph: %d nodes; at most %d are supported", n, MaxNodes)
	}
	if len(src) != len(dst) || weighted && weights != len(src) {
		return nil, fmt.Errorf("graph: %d sources, %d destinations, %d weights", len(src), len(dst), weights)
	}
	bad, err := firstBad(ctx, len(src), func(lo, hi int) int {
		for i := lo; i < hi; i++ {
			if uint64(src[i]) >= uint64(n) || uint64(dst[i]) >= uint64(n) {
				return i
			}
		}
		return -1
	})
	if err != nil {
		return nil, err
	}
	if bad >= 0 {
		return nil, fmt.Errorf("graph: arc %d is %d -> %d, but there are %d nodes", bad, src[bad], dst[bad], n)
	}
	if need, limit := nodeBytes*int64(n), memory.Limit(); need > limit {
		return nil, fmt.Errorf("graph: %d nodes take about %s of memory, and this process may use %s", n, memory.Format(need), memory.Format(limit))
	}
	return &Graph{Info: Info{FileEdges: int64(len(src))}}, nil
}

// cutSegments cuts a list of arcs into at most 256 parts.
func cutSegments[W weight](src, dst []uint32, w []W) []segment[W] {
	var segs []segment[W]
	size := max(1<<14, len(src)/256+1)
	for lo := 0; lo < len(src); lo += size {
		hi := min(lo+size, len(src))
		s := segment[W]{src: src[lo:hi], dst: dst[lo:hi]}
		if w != nil {
			s.w = w[lo:hi]
		}
		segs = append(segs, s)
	}
	return segs
}
