package graph

import (
	"context"
	"fmt"
	"math"

	"irgl/internal/memory"
)

// Generate makes the graph that spec describes: see Spec for the text.
func Generate(ctx context.Context, spec string) (*Graph, error) {
	s, err := ParseSpec(spec)
	if err != nil {
		return nil, err
	}
	return s.Generate(ctx)
}

// Generate makes the graph. Two graphs of the same Spec are equal, arc for arc
// and weight for weight, whatever the machine and the number of processors.
//
// The kinds rmat, uniform, grid and road are those of the generator with which
// the reference figures of other systems were measured, and equal its output.
func (s *Spec) Generate(ctx context.Context) (*Graph, error) {
	if _, ok := kinds[s.Kind]; !ok {
		return nil, fmt.Errorf("generate: unknown kind %q", s.Kind)
	}
	sized := *s // s may be in use elsewhere: check sets the sizes in a copy
	if s = &sized; s.check() != nil {
		return nil, fmt.Errorf("generate %s: %w", s, s.check())
	}
	if need, limit := s.memory(), memory.Limit(); need > limit {
		return nil, fmt.Errorf("generate %s: it takes about %s of memory, and this process may use %s", s, memory.Format(need), memory.Format(limit))
	}
	segs, err := s.generateArcs(ctx)
	if err == nil && s.Perm {
		err = permute(ctx, segs, s.nodes, s.Seed)
	}
	g := &Graph{}
	if err == nil {
		sym := s.Sym || kinds[s.Kind].symmetric
		o := buildOptions{both: sym, dropLoops: !s.Raw, dedup: !s.Raw, sort: true}
		err = buildUnweighted(ctx, g, s.nodes, segs, o)
	}
	if err == nil && s.WMax > 0 {
		g, err = g.RandomWeights(ctx, int(s.WMax), s.Seed)
	}
	if err != nil {
		return nil, fmt.Errorf("generate %s: %w", s, err)
	}
	g.Info = Info{Name: s.String(), FileEdges: g.NumEdges(), Undirected: kinds[s.Kind].symmetric}
	return g, nil
}

// nodeBytes is about how many bytes it takes to make a node of a graph, rather too few.
const nodeBytes = 24

// memory returns about how many bytes it takes to make the graph, rather too few: as many for
// an arc, which is in a list first and in a row then, as for a node.
func (s *Spec) memory() int64 {
	arcs := int64(s.arcs)
	if s.Kind == "grid" {
		arcs *= 2 // to the right, and down
	}
	if s.Sym || kinds[s.Kind].symmetric {
		arcs *= 2
	}
	if s.Kind == "empty" {
		arcs = 0
	}
	return nodeBytes * (int64(s.nodes) + arcs)
}

// generateArcs makes the list of arcs, as segments in a fixed order. What
// follows sorts them, so where the segments are cut changes nothing.
func (s *Spec) generateArcs(ctx context.Context) ([]segment[none], error) {
	n := s.nodes
	switch s.Kind {
	case "rmat":
		return fillArcs(ctx, s.arcs, s.rmat)
	case "uniform":
		return fillArcs(ctx, s.arcs, s.uniform)
	case "grid":
		return s.lattice(ctx, func(uint64) bool { return true })
	case "road":
		return s.road(ctx)
	case "path", "star":
		toFirst := s.Kind == "star"
		return fillArcs(ctx, max(n-1, 0), func(lo int, src, dst []uint32) {
			for i := range src {
				src[i], dst[i] = uint32(lo+i), uint32(lo+i+1)
				if toFirst {
					src[i] = 0
				}
			}
		})
	case "cycle":
		return fillArcs(ctx, n, func(lo int, src, dst []uint32) {
			for i := range src {
				src[i], dst[i] = uint32(lo+i), uint32((lo+i+1)%n)
			}
		})
	case "clique": // all ordered pairs; the loops among them are dropped later
		return fillArcs(ctx, n*n, func(lo int, src, dst []uint32) {
			for i := range src {
				src[i], dst[i] = uint32((lo+i)/n), uint32((lo+i)%n)
			}
		})
	}
	return nil, nil // empty
}

// fillArcs makes m arcs, numbered 0..m-1, in parallel: fill(lo, src, dst) sets
// those from lo on.
func fillArcs(ctx context.Context, m int, fill func(lo int, src, dst []uint32)) ([]segment[none], error) {
	src, dst := make([]uint32, m), make([]uint32, m)
	size := max(1<<14, (m+1023)/1024)
	segs := make([]segment[none], (m+size-1)/size)
	err := parallelTasks(ctx, len(segs), func(_, i int) error {
		lo, hi := i*size, min(m, (i+1)*size)
		segs[i] = segment[none]{src: src[lo:hi:hi], dst: dst[lo:hi:hi]}
		fill(lo, segs[i].src, segs[i].dst)
		return nil
	})
	return segs, err
}

// rmat sets arcs of a recursive matrix: SCALE times a quadrant is chosen, the
// top left with probability a, the top right with b, the bottom left with c.
//
// Which one is not predictable, so the choice is made without branches: with
// r the random number and t1 <= t2 <= t3 the thresholds, the row bit is set
// from t2 on, the column bit from t1 to t2 and from t3 on.
func (s *Spec) rmat(lo int, src, dst []uint32) {
	t1, t2, t3 := s.thresholds()
	for i := range src {
		state := mix(s.Seed ^ mix(uint64(lo+i)))
		var x, y uint64
		for range s.A {
			r := next(&state) >> 32
			ge1, ge2, ge3 := (t1-1-r)>>63, (t2-1-r)>>63, (t3-1-r)>>63
			x = x<<1 | ge2
			y = y<<1 | ge1 ^ ge2 ^ ge3
		}
		src[i], dst[i] = uint32(x), uint32(y)
	}
}

// thresholds returns the sums a, a+b and a+b+c as 32-bit fractions.
//
// The sums are rounded to 12 decimals, so that .57+.19 is the double nearest
// to .76 and not its neighbour.
func (s *Spec) thresholds() (t1, t2, t3 uint64) {
	fraction := func(x float64) uint64 {
		return uint64(min(math.Round(x*1e12)/1e12, 1) * (1 << 32))
	}
	a, b, c := s.Quad[0], s.Quad[1], s.Quad[2]
	return fraction(a), fraction(a + b), fraction(a + b + c)
}

// uniform sets arcs to random nodes.
func (s *Spec) uniform(lo int, src, dst []uint32) {
	u, k := uint64(lo)/s.B, uint64(lo)%s.B
	for i := range src {
		src[i] = uint32(u)
		dst[i] = uint32(mix(s.Seed^mix(uint64(lo+i))) >> 32 * s.A >> 32)
		if k++; k == s.B {
			u, k = u+1, 0
		}
	}
}

// lattice lists those edges of a W by H grid that keep accepts. Edge 2u leads
// from node u to the right, edge 2u+1 down.
func (s *Spec) lattice(ctx context.Context, keep func(edge uint64) bool) ([]segment[none], error) {
	size := max(1<<14, (s.nodes+1023)/1024)
	segs := make([]segment[none], (s.nodes+size-1)/size)
	err := parallelTasks(ctx, len(segs), func(_, i int) error {
		lo, hi := i*size, min(s.nodes, (i+1)*size)
		part := segment[none]{src: make([]uint32, 0, 2*(hi-lo)), dst: make([]uint32, 0, 2*(hi-lo))}
		s.edges(lo, hi, func(edge uint64, u, v uint32) {
			if keep(edge) {
				part.src, part.dst = append(part.src, u), append(part.dst, v)
			}
		})
		segs[i] = part
		return nil
	})
	return segs, err
}

// edges calls visit for the grid's edges from the nodes lo..hi-1, in order.
func (s *Spec) edges(lo, hi int, visit func(edge uint64, u, v uint32)) {
	w, last := int(s.A), s.nodes-int(s.A)
	x := lo % w
	for u := lo; u < hi; u++ {
		if x++; x < w {
			visit(2*uint64(u), uint32(u), uint32(u+1))
		} else {
			x = 0
		}
		if u < last {
			visit(2*uint64(u)+1, uint32(u), uint32(u+w))
		}
	}
}

// roadKeep is the probability, as a 32-bit fraction, that an edge of the grid
// stays: a little more than what makes most of the grid one component.
var roadKeep = func() uint64 { p := .575; return uint64(p * (1 << 32)) }()

// road lists the edges of a grid that stay, and of the others those that, in
// order, join two components. Which ones do depends only on the components
// before, so the first step may be done in any order, in parallel. Of the
// edges that were taken, most have both ends in the one large component:
// those are sorted out in parallel too, and the rest is done in order.
func (s *Spec) road(ctx context.Context) ([]segment[none], error) {
	stays := func(edge uint64) bool { return mix(s.Seed^mix(edge))>>32 < roadKeep }
	segs, err := s.lattice(ctx, stays)
	if err != nil {
		return nil, err
	}
	f := newForest(s.nodes)
	err = parallelTasks(ctx, len(segs), func(_, i int) error {
		for k, u := range segs[i].src {
			f.union(u, segs[i].dst[k])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := f.flatten(ctx); err != nil {
		return nil, err
	}
	size := max(1<<14, (s.nodes+1023)/1024)
	bridges := make([]segment[none], (s.nodes+size-1)/size)
	err = parallelTasks(ctx, len(bridges), func(_, i int) error {
		s.edges(i*size, min(s.nodes, (i+1)*size), func(edge uint64, u, v uint32) {
			if f[u] != f[v] && !stays(edge) {
				bridges[i].src, bridges[i].dst = append(bridges[i].src, u), append(bridges[i].dst, v)
			}
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, b := range bridges {
		var part segment[none]
		for k, u := range b.src {
			if f.union(u, b.dst[k]) {
				part.src, part.dst = append(part.src, u), append(part.dst, b.dst[k])
			}
		}
		segs = append(segs, part)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return segs, nil
}

// permute renumbers the nodes by a random permutation (Fisher and Yates).
func permute(ctx context.Context, segs []segment[none], n int, seed uint64) error {
	p := make([]uint32, n)
	for i := range p {
		p[i] = uint32(i)
	}
	state := mix(seed + 77)
	for i := n - 1; i > 0; i-- {
		j := next(&state) % uint64(i+1)
		p[i], p[j] = p[j], p[i]
		if i&(1<<20-1) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return parallelTasks(ctx, len(segs), func(_, i int) error {
		for _, list := range [2][]uint32{segs[i].src, segs[i].dst} {
			for k, u := range list {
				list[k] = p[u]
			}
		}
		return nil
	})
}
