package prepare

import (
	"cmp"
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"irgl/graph"
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
	k, err := New(t.Context(), dev)
	if err != nil {
		t.Fatal(err)
	}
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

// BenchmarkGPU measures copies of a graph to and from a GPU, and its preparation there,
// memory included. IRGL_BENCH_GRAPH names the graph.
func BenchmarkGPU(b *testing.B) {
	k := openGPU(b)
	ctx := b.Context()
	g, err := graph.Generate(ctx, cmp.Or(os.Getenv("IRGL_BENCH_GRAPH"), "rmat:20:8"))
	if err != nil {
		b.Fatal(err)
	}
	on, err := k.Upload(ctx, g)
	if err != nil {
		b.Fatal(err)
	}
	bytes := 4*(int64(g.NumNodes())+1) + 8*g.NumEdges()
	b.Run("upload", func(b *testing.B) {
		b.SetBytes(bytes)
		for b.Loop() {
			h, err := k.Upload(ctx, g)
			if err := errors.Join(err, k.Free(h)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("download", func(b *testing.B) {
		b.SetBytes(bytes)
		for b.Loop() {
			if _, err := k.Download(ctx, on); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, c := range []struct {
		name string
		f    func(context.Context, *Graph) (*Graph, error)
	}{{"transpose", k.Transpose}, {"symmetrize", k.Symmetrize}, {"sort", k.SortAdjacency}, {"deduplicate", k.Deduplicate}, {"drop-loops", k.DropSelfLoops}} {
		b.Run(c.name, func(b *testing.B) {
			var best time.Duration
			for b.Loop() {
				start := time.Now()
				h, err := c.f(ctx, on)
				if took := time.Since(start); best == 0 || took < best {
					best = took
				}
				if err := errors.Join(err, k.Free(h)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(best.Seconds()*1000, "least-ms")
		})
	}
	b.Run("facts", func(b *testing.B) {
		for b.Loop() {
			if _, err := k.Facts(ctx, on); err != nil {
				b.Fatal(err)
			}
		}
	})
}
