package prepare

import (
	"context"
	"errors"
	"testing"
	"time"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/internal/device/cuda"
)

// openGPU returns a kit on a GPU, or skips.
func openGPU(t testing.TB) *Kit {
	t.Helper()
	dev, err := cuda.Open(0)
	if errors.Is(err, cuda.ErrNoDriver) || errors.Is(err, cuda.ErrNoDevice) {
		t.Skipf("no GPU: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	k := load(t, dev)
	t.Cleanup(func() {
		if err := errors.Join(k.Close(), dev.Close()); err != nil {
			t.Error(err)
		}
	})
	return k
}

// TestGPU compares a GPU's results with those of package graph.
func TestGPU(t *testing.T) {
	k := openGPU(t)
	for _, spec := range []string{"empty:0", "path:2", "rmat:16:8", "rmat:14:16:raw", "road:300:300", "star:1000001", "uniform:100000:20:raw:wmax=0"} {
		g, err := graph.Generate(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, k, spec, g)
	}
	compare(t, k, "random", random(t, 70_000, 3_000_000, true))
}

// BenchmarkGPU measures what a GPU takes to prepare graphs of several sizes, allocation
// included: the least time, and the arcs of the graph a second.
func BenchmarkGPU(b *testing.B) {
	k := openGPU(b)
	for _, spec := range []string{"rmat:18:8", "rmat:20:8", "rmat:22:8"} {
		g, err := graph.Generate(b.Context(), spec)
		if err != nil {
			b.Fatal(err)
		}
		on := upload(b, k, g)
		b.Run(spec, func(b *testing.B) { benchmark(b, k, on) })
		if err := k.Free(on); err != nil {
			b.Fatal(err)
		}
	}
}

// benchmark measures each kind of work on a graph.
func benchmark(b *testing.B, k *Kit, on *Graph) {
	transform := func(f func(context.Context, *Graph) (*Graph, error)) func(context.Context) error {
		return func(ctx context.Context) error {
			h, err := f(ctx, on)
			return errors.Join(err, k.Free(h))
		}
	}
	fit := func(r check.Requires, n check.Needs) func(context.Context) error {
		return func(ctx context.Context) error {
			f, err := k.Fit(ctx, on, r, n)
			if err != nil {
				return err
			}
			return k.FreeFitted(f, on)
		}
	}
	for _, c := range []struct {
		name string
		f    func(context.Context) error
	}{
		{"transpose", transform(k.Transpose)}, {"symmetrize", transform(k.Symmetrize)}, {"sort", transform(k.SortAdjacency)},
		{"deduplicate", transform(k.Deduplicate)}, {"drop-loops", transform(k.DropSelfLoops)},
		{"facts", func(ctx context.Context) error {
			_, err := k.Facts(ctx, on)
			return err
		}},
		{"fit-bfs_do", fit(check.Requires{}, check.Needs{InEdges: true})},
		{"fit-mis", fit(check.Requires{Symmetric: true}, check.Needs{})},
		{"fit-mst", fit(check.Requires{Symmetric: true, Weights: true}, check.Needs{Sources: true})},
	} {
		b.Run(c.name, func(b *testing.B) {
			var best time.Duration
			for b.Loop() {
				start := time.Now()
				if err := c.f(b.Context()); err != nil {
					b.Fatal(err)
				}
				if took := time.Since(start); best == 0 || took < best {
					best = took
				}
			}
			b.ReportMetric(best.Seconds()*1000, "least-ms")
			b.ReportMetric(float64(on.Arcs)/best.Seconds()/1e9, "Garcs/s")
		})
	}
}
