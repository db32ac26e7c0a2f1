package graph

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
)

// benchGraph is a road-like graph: a million arcs of 15 to 20 bytes of text.
func benchGraph(b *testing.B, spec string) *Graph {
	b.Helper()
	g, err := Generate(context.Background(), spec)
	if err != nil {
		b.Fatal(err)
	}
	return g
}

// BenchmarkRead measures parsing and construction from text in memory. Run it
// with -cpu 1 for the rate of one processor.
func BenchmarkRead(b *testing.B) {
	road := benchGraph(b, "road:1000:1000:wmax=10000")
	rmat := benchGraph(b, "rmat:17:8")
	for _, c := range []struct {
		name   string
		g      *Graph
		format Format
	}{
		{"dimacs/road", road, DIMACS},
		{"dimacs/rmat", rmat, DIMACS},
		{"edgelist/rmat", rmat, EdgeList},
		{"mtx/road", road, MatrixMarket},
		{"metis/road", road, METIS},
		{"galois1/road", road, Galois1},
	} {
		var text bytes.Buffer
		if err := WriteTo(context.Background(), &text, c.g, c.format); err != nil {
			b.Fatal(err)
		}
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			for b.Loop() {
				g, err := Read(context.Background(), c.name, bytes.NewReader(text.Bytes()))
				if err != nil || g.NumEdges() != c.g.NumEdges() {
					b.Fatal(g, err)
				}
			}
		})
	}
}

// BenchmarkOpenGalois measures reading and checking a binary file that is in
// the page cache.
func BenchmarkOpenGalois(b *testing.B) {
	path := filepath.Join(b.TempDir(), "road.gr")
	if err := Write(context.Background(), path, benchGraph(b, "road:2000:2000"), Galois1); err != nil {
		b.Fatal(err)
	}
	st, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(st.Size())
	for b.Loop() {
		if _, err := Open(context.Background(), path); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkGenerate measures the generators; bytes are 8 an arc.
func BenchmarkGenerate(b *testing.B) {
	for _, spec := range []string{"rmat:18:8", "uniform:262144:8", "grid:512:512", "road:512:512"} {
		b.Run(spec, func(b *testing.B) {
			var arcs int64
			for b.Loop() {
				arcs = benchGraph(b, spec).NumEdges()
			}
			b.SetBytes(8 * arcs)
		})
	}
}

// BenchmarkValidate measures the check of a graph that was made by hand, and that of
// one which was checked before.
func BenchmarkValidate(b *testing.B) {
	ctx := context.Background()
	g := benchGraph(b, "rmat:20:8")
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			h := &Graph{RowStart: g.RowStart, Dst: g.Dst, Weight: g.Weight}
			if err := h.Validate(ctx); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			if err := g.Validate(ctx); err != nil {
				b.Fatal(err)
			}
		}
	})
}
