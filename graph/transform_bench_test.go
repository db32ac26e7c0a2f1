//go:build unix

package graph

import (
	"cmp"
	"context"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"
)

// BenchmarkTransform measures what is made or found of a graph of which nothing is
// known. Minima of several runs with -cpu 1,2,... show how it scales; IRGL_BENCH_GRAPH
// names the graph.
func BenchmarkTransform(b *testing.B) {
	spec := cmp.Or(os.Getenv("IRGL_BENCH_GRAPH"), "rmat:16:8")
	ctx := context.Background()
	raw := benchGraph(b, spec)
	unsorted := raw.shuffleRows()
	symmetric, err := raw.Symmetrize(ctx)
	if err != nil {
		b.Fatal(err)
	}
	made := func(f func(*Graph, context.Context) (*Graph, error)) func(*Graph) error {
		return func(g *Graph) error { _, err := f(g, ctx); return err }
	}
	found := func(f func(*Graph, context.Context) (bool, error)) func(*Graph) error {
		return func(g *Graph) error { _, err := f(g, ctx); return err }
	}
	for _, c := range []struct {
		name string
		g    *Graph
		f    func(*Graph) error
	}{
		{"generate", raw, func(*Graph) error { _, err := Generate(ctx, spec); return err }},
		{"transpose", raw, made((*Graph).Transpose)},
		{"symmetrize", raw, made((*Graph).Symmetrize)},
		{"symmetrize-unsorted", unsorted, made((*Graph).Symmetrize)},
		{"sort", unsorted, made((*Graph).SortAdjacency)},
		{"deduplicate", unsorted, made((*Graph).Deduplicate)},
		{"drop-loops", raw, made((*Graph).DropSelfLoops)},
		{"weights", raw, func(g *Graph) error { _, err := g.RandomWeights(ctx, 100, 1); return err }},
		{"is-symmetric", symmetric, found(func(g *Graph, ctx context.Context) (bool, error) { return g.IsSymmetric(ctx, true) })},
		{"is-sorted", raw, found((*Graph).IsSorted)},
		{"has-duplicates-unsorted", unsorted, found((*Graph).HasDuplicates)},
		{"stats", raw, func(g *Graph) error { _, err := g.Stats(ctx); return err }},
	} {
		b.Run(c.name, func(b *testing.B) {
			start := cpuTime(b)
			defer func() { b.ReportMetric((cpuTime(b)-start).Seconds()*1e3/float64(b.N), "cpu-ms/op") }()
			for b.Loop() {
				fresh := &Graph{RowStart: c.g.RowStart, Dst: c.g.Dst, Weight: c.g.Weight}
				fresh.learn(valid, valid)
				if err := c.f(fresh); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// cpuTime returns the time that all threads of the process have run, which other processes
// disturb less than the time on the clock.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// shuffleRows returns the graph with the arcs of each row in another order.
func (g *Graph) shuffleRows() *Graph {
	h := &Graph{RowStart: g.RowStart, Dst: slices.Clone(g.Dst), Weight: slices.Clone(g.Weight)}
	state := uint64(1)
	for u := range g.NumNodes() {
		lo := g.RowStart[u]
		for k := g.RowStart[u+1] - lo; k > 1; k-- {
			i, j := lo+next(&state)%k, lo+k-1
			h.Dst[i], h.Dst[j] = h.Dst[j], h.Dst[i]
			if h.Weight != nil {
				h.Weight[i], h.Weight[j] = h.Weight[j], h.Weight[i]
			}
		}
	}
	return h
}
