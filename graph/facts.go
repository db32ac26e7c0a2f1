package graph

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// This file has what programs ask of a graph before they run on it. A graph
// remembers the answers, and transforms hand on those that stay true.

// A fact is a set of properties of a graph.
type fact uint8

const (
	valid     fact = 1 << iota // see Validate
	sorted                     // rows ascend by destination
	loopFree                   // no arc leads from a node to itself
	simple                     // no two arcs lead from one node to one other
	symmetric                  // the graph is its own transpose, weights left aside
	mirrored                   // the same with weights
)

// facts are what is known about a graph.
type facts struct {
	of    arrays
	known fact // whose truth is known
	holds fact // of these, those that are true
	// weights is the range of the integer weights, nil while it is not known.
	weights *WeightRange
}

// arrays identifies the slices of a graph. If one is replaced, nothing is known
// any more; changed elements are not seen, as Validate says.
type arrays struct {
	row, ids              *uint64
	dst                   *uint32
	weight                *int32
	real                  *float64
	rows, arcs, ws, rs, n int
}

func (g *Graph) arrays() arrays {
	return arrays{
		unsafe.SliceData(g.RowStart), unsafe.SliceData(g.IDs), unsafe.SliceData(g.Dst), unsafe.SliceData(g.Weight), unsafe.SliceData(g.WeightF),
		len(g.RowStart), len(g.Dst), len(g.Weight), len(g.WeightF), len(g.IDs),
	}
}

// factsMu guards the facts of all graphs. A Graph has no lock of its own, so that
// it may be copied.
var factsMu sync.Mutex

// known returns what is known about g.
func (g *Graph) known() facts {
	factsMu.Lock()
	defer factsMu.Unlock()
	if g.facts == nil || g.facts.of != g.arrays() {
		return facts{}
	}
	return *g.facts
}

// learn notes that of the properties in known exactly those in holds are true.
func (g *Graph) learn(known, holds fact) {
	g.note(func(f *facts) { f.known, f.holds = f.known|known, f.holds|holds })
}

// note adds to what is known about g.
func (g *Graph) note(add func(*facts)) {
	factsMu.Lock()
	defer factsMu.Unlock()
	f := facts{of: g.arrays()}
	if g.facts != nil && g.facts.of == f.of {
		f = *g.facts
	}
	add(&f)
	g.facts = &f
}

// ask returns whether f holds, which find computes when it is not known; find may
// learn more than that.
func (g *Graph) ask(ctx context.Context, f fact, find func(context.Context) error) (bool, error) {
	if k := g.known(); k.known&f != 0 {
		return k.holds&f != 0, nil
	}
	err := g.Validate(ctx) // the walks below rely on it
	if err == nil {
		err = find(ctx)
	}
	return g.known().holds&f != 0, err
}

// IsSorted reports whether the arcs of every node ascend by destination.
func (g *Graph) IsSorted(ctx context.Context) (bool, error) { return g.ask(ctx, sorted, g.findShape) }

// HasSelfLoops reports whether an arc leads from a node to itself.
func (g *Graph) HasSelfLoops(ctx context.Context) (bool, error) {
	free, err := g.ask(ctx, loopFree, g.findShape)
	return !free && err == nil, err
}

// HasDuplicates reports whether several arcs lead from one node to one other.
func (g *Graph) HasDuplicates(ctx context.Context) (bool, error) {
	is, err := g.ask(ctx, simple, g.findSimple)
	return !is && err == nil, err
}

// IsSymmetric reports whether every arc has a reverse, as often as itself and, if
// weights is true, of the same weight: whether the graph is its own transpose.
// "No" is certain; "yes" is wrong with a probability of 2^-64.
func (g *Graph) IsSymmetric(ctx context.Context, weights bool) (bool, error) {
	if weights && g.HasWeights() {
		return g.ask(ctx, mirrored, func(ctx context.Context) error { return g.findSymmetric(ctx, true) })
	}
	return g.ask(ctx, symmetric, func(ctx context.Context) error { return g.findSymmetric(ctx, false) })
}

// findShape finds out about sorted, loopFree and, in sorted rows, simple.
func (g *Graph) findShape(ctx context.Context) error {
	var unsorted, loops, repeats atomic.Bool
	err := parallelArcs(ctx, g, func(lo, hi uint64) {
		falls, loop, same := false, false, false
		forRows(g.RowStart, lo, hi, func(u uint32, first, end uint64) {
			prev := g.Dst[first]
			loop = loop || prev == u
			if first > g.RowStart[u] { // the row begins in the range before
				falls, same = falls || g.Dst[first-1] > prev, same || g.Dst[first-1] == prev
			}
			for _, v := range g.Dst[first+1 : end] {
				loop, falls, same = loop || v == u, falls || prev > v, same || prev == v
				prev = v
			}
		})
		for found, b := range map[*atomic.Bool]bool{&unsorted: falls, &loops: loop, &repeats: same} {
			if b {
				found.Store(true)
			}
		}
	})
	if err != nil {
		return err
	}
	known, holds := sorted|loopFree, fact(0)
	if !unsorted.Load() {
		holds |= sorted
	}
	if !loops.Load() {
		holds |= loopFree
	}
	// In an unsorted row, repeats that are not neighbours have not been seen.
	if repeats.Load() {
		known |= simple
	} else if !unsorted.Load() {
		known, holds = known|simple, holds|simple
	}
	g.learn(known, holds)
	return nil
}

// findSimple finds out about simple, and what findShape does.
func (g *Graph) findSimple(ctx context.Context) error {
	if err := g.findShape(ctx); err != nil || g.known().known&simple != 0 {
		return err
	}
	var repeats atomic.Bool
	err := parallelRows(ctx, g, func(lo, hi int) {
		var row []uint32
		for u := lo; u < hi && !repeats.Load(); u++ {
			row = append(row[:0], g.Neighbors(uint32(u))...)
			slices.Sort(row)
			for i := 1; i < len(row); i++ {
				if row[i-1] == row[i] {
					repeats.Store(true)
					break
				}
			}
		}
	})
	if err != nil {
		return err
	}
	if repeats.Load() {
		g.learn(simple, 0)
	} else {
		g.learn(simple, simple)
	}
	return nil
}

// symmetryKey makes the hashes of findSymmetric unpredictable, so that no graph
// can be made to deceive it.
var symmetryKey = maphash.String(maphash.MakeSeed(), "")

// findSymmetric finds out about symmetric, or mirrored.
func (g *Graph) findSymmetric(ctx context.Context, weights bool) error {
	if g.lacksReverse() {
		g.learn(symmetric|mirrored, 0)
		return nil
	}
	var sum atomic.Uint64
	err := parallelArcs(ctx, g, func(lo, hi uint64) { sum.Add(g.hashArcs(lo, hi, weights)) })
	if err != nil {
		return err
	}
	known := symmetric | mirrored
	switch is := sum.Load() == 0; {
	case is && weights: // what is symmetric with its weights is so without them
		g.learn(known, known)
	case is:
		g.learn(symmetric, symmetric)
	case weights:
		g.learn(mirrored, 0)
	default:
		g.learn(known, 0)
	}
	return nil
}

// lacksReverse looks for an arc without a reverse among some, evenly spaced, so that most
// graphs that are not symmetric need no pass over all arcs.
func (g *Graph) lacksReverse() bool {
	const samples, longest = 256, 256
	m := len(g.Dst)
	for i := range min(samples, m) {
		e := uint64(m) * uint64(i) / uint64(min(samples, m))
		row := g.Neighbors(g.Dst[e])
		if len(row) <= longest && !slices.Contains(row, g.Source(e)) {
			return true
		}
	}
	return false
}

// hashArcs returns the sum of the hashes of those of the arcs from lo up to hi that lead
// up, less that of those that lead down. A hash is one of the two ends, in ascending
// order, and the weight if that is asked for: in a symmetric graph both sums are equal.
func (g *Graph) hashArcs(lo, hi uint64, weights bool) uint64 {
	var sum uint64
	forRows(g.RowStart, lo, hi, func(from uint32, first, end uint64) {
		u := uint64(from)
		for i, dst := range g.Dst[first:end] {
			v := uint64(dst)
			if v == u {
				continue
			}
			h := mix(min(u, v)<<32 | max(u, v) ^ symmetryKey)
			if weights {
				h = mix(h ^ g.weightBits(first+uint64(i)))
			}
			down := -((v - u) >> 63) // all ones where v < u; a branch would not be predictable
			sum += (h ^ down) - down
		}
	})
	return sum
}

// A WeightRange is the smallest and the largest of a graph's integer weights; both are
// 0 without edges or weights.
type WeightRange struct {
	Min, Max int32
	// MinEdge is the first edge, an index into Dst, of those that weigh Min; -1 for
	// none.
	MinEdge int64
}

// WeightRange returns the range of the integer weights, those in Weight. It is found in
// one pass over the edges, and remembered with the arrays that it is about.
func (g *Graph) WeightRange(ctx context.Context) (WeightRange, error) {
	if w := g.known().weights; w != nil {
		return *w, nil
	}
	w, err := findWeightRange(ctx, g.Weight)
	if err == nil {
		g.note(func(f *facts) { f.weights = &w })
	}
	return w, err
}

// findWeightRange finds the range of weights in parallel.
func findWeightRange(ctx context.Context, weights []int32) (WeightRange, error) {
	all := WeightRange{MinEdge: -1}
	var mu sync.Mutex
	err := parallelRange(ctx, len(weights), 1<<16, func(lo, hi int) {
		part := rangeOf(weights[lo:hi], lo)
		mu.Lock()
		defer mu.Unlock()
		all = all.join(part)
	})
	if err != nil {
		return WeightRange{}, err
	}
	return all, nil
}

// rangeOf returns the range of the weights of the edges from first on, at least one.
func rangeOf(weights []int32, first int) WeightRange {
	least, largest := weights[0], weights[0]
	for _, w := range weights {
		least, largest = min(least, w), max(largest, w)
	}
	return WeightRange{Min: least, Max: largest, MinEdge: int64(first + slices.Index(weights, least))}
}

// join returns the range of the weights of w and x, which are of different edges.
func (w WeightRange) join(x WeightRange) WeightRange {
	switch {
	case w.MinEdge < 0:
		return x
	case x.MinEdge < 0:
		return w
	case x.Min < w.Min || x.Min == w.Min && x.MinEdge < w.MinEdge:
		w.Min, w.MinEdge = x.Min, x.MinEdge
	}
	w.Max = max(w.Max, x.Max)
	return w
}

// Validate checks what the type promises: the lengths of the arrays, the order
// of RowStart and the range of Dst. Readers, generators and transforms give
// valid graphs; for graphs made by hand programs call it before they run.
//
// The answer is remembered with the arrays that it is about. Their elements must
// not be changed after that.
func (g *Graph) Validate(ctx context.Context) error {
	if g.known().holds&valid != 0 {
		return nil
	}
	if err := g.validate(ctx); err != nil {
		return err
	}
	g.learn(valid, valid)
	return nil
}

// validate is Validate without a memory.
func (g *Graph) validate(ctx context.Context) error {
	n, m := g.NumNodes(), uint64(len(g.Dst))
	switch {
	case len(g.RowStart) == 0 && m == 0:
		return nil
	case len(g.RowStart) == 0:
		return fmt.Errorf("graph: %d arcs but no RowStart", m)
	case n > MaxNodes:
		return fmt.Errorf("graph: %d nodes; at most %d are supported", n, MaxNodes)
	case g.RowStart[0] != 0:
		return fmt.Errorf("graph: RowStart[0] is %d, not 0", g.RowStart[0])
	case g.RowStart[n] != m:
		return fmt.Errorf("graph: RowStart[%d] is %d, but there are %d arcs", n, g.RowStart[n], m)
	case g.Weight != nil && g.WeightF != nil:
		return fmt.Errorf("graph: both Weight and WeightF are set")
	case g.Weight != nil && uint64(len(g.Weight)) != m, g.WeightF != nil && uint64(len(g.WeightF)) != m:
		return fmt.Errorf("graph: %d weights for %d arcs", len(g.Weight)+len(g.WeightF), m)
	case g.IDs != nil && len(g.IDs) != n:
		return fmt.Errorf("graph: %d names for %d nodes", len(g.IDs), n)
	}
	bad, err := firstBad(ctx, len(g.IDs)-1, func(lo, hi int) int {
		for i := lo; i < hi; i++ {
			if g.IDs[i] >= g.IDs[i+1] {
				return i
			}
		}
		return -1
	})
	if err != nil {
		return err
	}
	if bad >= 0 {
		return fmt.Errorf("graph: IDs[%d] is %d, not more than the %d before it", bad+1, g.IDs[bad+1], g.IDs[bad])
	}
	bad, err = checkRows(ctx, g.RowStart)
	if err != nil {
		return err
	}
	if bad >= 0 {
		return fmt.Errorf("graph: RowStart[%d] is %d, less than the %d before it", bad, g.RowStart[bad], g.RowStart[bad-1])
	}
	bad, err = checkDst(ctx, g.Dst, uint64(n))
	if err == nil && bad >= 0 {
		err = fmt.Errorf("graph: Dst[%d] is %d, but there are %d nodes", bad, g.Dst[bad], n)
	}
	return err
}
