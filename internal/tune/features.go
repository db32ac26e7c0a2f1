package tune

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"irgl/graph"
	"irgl/internal/prepare"
)

// Features are properties of a graph that determine how a program is best
// executed, and that are cheap to compute: some milliseconds for fifty million
// edges. They are deterministic. Degrees are out-degrees.
type Features struct {
	Nodes      int     `json:"nodes"`
	Edges      int64   `json:"edges"`
	MeanDegree float64 `json:"mean_degree"`
	MaxDegree  int64   `json:"max_degree"`
	// HubShare is the share of the edges that leave the 1 % of the nodes with the
	// highest degrees: 0.01 if all degrees are equal.
	HubShare float64 `json:"hub_share"`
	// Levels is the number of levels of a breadth-first search until 4096 nodes
	// are visited, the median of searches from eight nodes; or, if none visits as
	// many, the maximum number of levels. It detects graphs of high diameter
	// without a complete search.
	Levels int `json:"levels"`
	// Symmetric says that each of some sampled edges has its reverse.
	Symmetric bool `json:"symmetric"`
}

// Sampling parameters.
const (
	searches      = 8
	searchedNodes = 4096
	sampledEdges  = 64
	longRow       = 1 << 14 // rows of at least this length are not searched for an edge
)

// FeaturesOf computes the features of a graph; nil is a graph without nodes.
func FeaturesOf(g *graph.Graph) Features {
	if g == nil || g.NumNodes() == 0 {
		return Features{}
	}
	return featuresOf(g.NumNodes(), g.NumEdges(), degreesOf(g), levelsOf(g), looksSymmetric(g))
}

// featuresOf returns the features of a graph that has nodes, of which this is known.
func featuresOf(nodes int, edges int64, d *degrees, levels int, symmetric bool) Features {
	f := Features{Nodes: nodes, Edges: edges, MeanDegree: float64(edges) / float64(nodes), MaxDegree: d.most, Levels: levels, Symmetric: symmetric}
	if edges > 0 {
		f.HubShare = math.Round(1e4*d.hubs((nodes+99)/100)/float64(edges)) / 1e4
	}
	return f
}

// Skew is the ratio of the maximum to the mean degree; 0 without edges.
func (f Features) Skew() float64 {
	if f.Edges == 0 {
		return 0
	}
	return float64(f.MaxDegree) / f.MeanDegree
}

// String describes the features on one line.
func (f Features) String() string {
	sym := "directed"
	if f.Symmetric {
		sym = "symmetric"
	}
	return fmt.Sprintf("%d nodes, %d edges, degree %.2f to %d, %.1f %% of the edges at the 1 %% largest nodes, %d levels, %s",
		f.Nodes, f.Edges, f.MeanDegree, f.MaxDegree, 100*f.HubShare, f.Levels, sym)
}

// degrees is a histogram of degrees, of nodes and of edges: one bucket each up
// to 15, then eight per power of two.
type degrees struct {
	nodes, edges [16 + 8*60]int64
	most         int64
}

// degreeRange returns the bucket of a degree.
func degreeRange(d uint64) int {
	if d < 16 {
		return int(d)
	}
	k := bits.Len64(d) - 1 // at least 4
	return 16 + 8*(k-4) + int(d>>(k-3)&7)
}

// degreesOf counts the rows, in parallel.
func degreesOf(g *graph.Graph) *degrees {
	const block = 1 << 16
	n := g.NumNodes()
	var next atomic.Int64
	var mu sync.Mutex
	var wg sync.WaitGroup
	all := new(degrees)
	for range min(runtime.GOMAXPROCS(0), (n+block-1)/block) {
		wg.Go(func() {
			part := new(degrees)
			for {
				lo := int(next.Add(1)-1) * block
				if lo >= n {
					break
				}
				part.count(g.RowStart[lo : min(n, lo+block)+1])
			}
			mu.Lock()
			defer mu.Unlock()
			all.most = max(all.most, part.most)
			for i := range all.nodes {
				all.nodes[i] += part.nodes[i]
				all.edges[i] += part.edges[i]
			}
		})
	}
	wg.Wait()
	return all
}

func (d *degrees) count(rows []uint64) {
	for i, start := range rows[:len(rows)-1] {
		n := rows[i+1] - start
		d.most = max(d.most, int64(n))
		k := degreeRange(n)
		d.nodes[k]++
		d.edges[k] += int64(n)
	}
}

// hubs returns how many edges leave the n nodes of highest degree; the last
// bucket counts with its mean if it has more nodes than needed.
func (d *degrees) hubs(n int) float64 {
	sum := 0.0
	for i := len(d.nodes) - 1; i >= 0 && n > 0; i-- {
		if d.nodes[i] == 0 {
			continue
		}
		taken := min(int64(n), d.nodes[i])
		sum += float64(d.edges[i]) * float64(taken) / float64(d.nodes[i])
		n -= int(taken)
	}
	return sum
}

// levelsOf searches from some nodes with edges, spread over the graph.
func levelsOf(g *graph.Graph) int {
	var found []prepare.Search
	s := search{seen: make(map[uint32]bool, 2*searchedNodes)}
	for i := range searches {
		v := uint32(uint64(g.NumNodes()) * uint64(i) / searches)
		for range 1000 { // skip nodes without edges
			if g.Degree(v) > 0 {
				break
			}
			v = (v + 1) % uint32(g.NumNodes())
		}
		levels, all := s.from(g, v)
		found = append(found, prepare.Search{Levels: levels, All: all})
	}
	return levelsIn(found)
}

// levelsIn returns the number of levels that several searches have found.
func levelsIn(found []prepare.Search) int {
	var full, ended []int
	for _, s := range found {
		if s.All {
			ended = append(ended, s.Levels)
		} else {
			full = append(full, s.Levels)
		}
	}
	if len(full) == 0 {
		return slices.Max(ended)
	}
	slices.Sort(full)
	return full[len(full)/2]
}

// A search holds the buffers of searches.
type search struct {
	seen     map[uint32]bool
	now, new []uint32
}

// from returns the number of levels until enough nodes are visited, or the
// number of all levels.
func (s *search) from(g *graph.Graph, v uint32) (levels int, all bool) {
	clear(s.seen)
	s.seen[v] = true
	s.now = append(s.now[:0], v)
	for len(s.now) > 0 {
		s.new = s.new[:0]
		for _, u := range s.now {
			for _, w := range g.Neighbors(u) {
				if s.seen[w] {
					continue
				}
				if len(s.seen) == searchedNodes {
					return levels + 1, false
				}
				s.seen[w] = true
				s.new = append(s.new, w)
			}
		}
		levels++
		s.now, s.new = s.new, s.now
	}
	return levels, true
}

// looksSymmetric searches the reverse of some sampled edges.
func looksSymmetric(g *graph.Graph) bool {
	m := g.NumEdges()
	for i := range min(m, sampledEdges) {
		e := uint64(m) * uint64(i) / uint64(min(m, sampledEdges))
		// The row of the edge: the last one that begins at or before it.
		u, _ := slices.BinarySearchFunc(g.RowStart, e, func(start, e uint64) int {
			if start <= e {
				return -1
			}
			return cmp.Compare(start, e)
		})
		back := g.Neighbors(g.Dst[e])
		if len(back) < longRow && !slices.Contains(back, uint32(u-1)) {
			return false
		}
	}
	return true
}
