package run

import (
	"context"
	"testing"

	"irgl/graph"
	"irgl/internal/check"
)

// BenchmarkPrepare makes a graph of which nothing is known fit what programs require,
// views included.
func BenchmarkPrepare(b *testing.B) {
	ctx := context.Background()
	g, err := graph.Generate(ctx, "rmat:16:8")
	if err != nil {
		b.Fatal(err)
	}
	sym, err := g.Symmetrize(ctx)
	if err != nil {
		b.Fatal(err)
	}
	for _, bench := range []struct {
		name  string
		g     *graph.Graph
		r     check.Requires
		needs check.Needs
	}{
		{"symmetric", g, check.Requires{Symmetric: true}, check.Needs{}},
		{"symmetric-weights-sources", g, check.Requires{Symmetric: true, Weights: true}, check.Needs{Sources: true}},
		{"in-edges", g, check.Requires{}, check.Needs{InEdges: true}},
		{"symmetric-already", sym, check.Requires{Symmetric: true}, check.Needs{InEdges: true}},
		{"nonnegative", g, check.Requires{Weights: true, NonNegative: true}, check.Needs{}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				fresh := &graph.Graph{RowStart: bench.g.RowStart, Dst: bench.g.Dst, Weight: bench.g.Weight}
				p, err := Prepare(ctx, fresh, bench.r)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := ViewsOf(ctx, p, bench.needs, bench.r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
