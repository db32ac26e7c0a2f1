package graph

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// FuzzRead reads any bytes. What is accepted is a valid graph, and comes back
// the same after it is written in each format that can hold it.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/read/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range a.Files {
			if strings.HasSuffix(part.Name, ".in") {
				f.Add(part.Data)
			}
		}
	}
	ctx := context.Background()
	for _, spec := range []string{"rmat:3:4:raw", "path:4", "rmat:3:3:sym:wmax=0"} {
		g := mustGenerate(f, spec)
		for _, format := range Formats() {
			var b bytes.Buffer
			if WriteTo(ctx, &b, g, format) == nil {
				f.Add(b.Bytes())
			}
		}
		for _, ext := range []string{".gz", ".zst"} {
			path := filepath.Join(f.TempDir(), "g"+ext)
			if err := Write(ctx, path, g, Galois1); err != nil {
				f.Fatal(err)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := Read(ctx, "fuzz", bytes.NewReader(data))
		if g == nil || g.NumNodes() < 1000 {
			pieces, err2 := Read(ctx, "fuzz", bytes.NewReader(data), inPieces(len(data)/3))
			if x, y := dump(g, err), dump(pieces, err2); x != y {
				t.Fatalf("whole:\n%s\nin pieces:\n%s", x, y)
			}
		}
		if err != nil {
			return
		}
		if err := g.validate(ctx); err != nil {
			t.Fatal(err)
		}
		for _, format := range Formats() {
			var b bytes.Buffer
			if WriteTo(ctx, &b, g, format) != nil {
				continue // it says why it cannot hold the graph: see TestWriteRefuses
			}
			h, err := Read(ctx, "again", bytes.NewReader(b.Bytes()))
			if err != nil {
				if g.NumNodes() > 1<<20 && strings.Contains(err.Error(), "but the file has only") {
					continue // nearly all nodes isolated, and the text says it in fewer bytes
				}
				t.Fatalf("%s: %v\n%q", format, err, clip(b.Bytes()))
			}
			if h.Info.Format != format && !(format == EdgeList && h.Info.Format == SNAP) {
				t.Fatalf("%s is read as %s\n%q", format, h.Info.Format, clip(b.Bytes()))
			}
			if h.NumEdges() != g.NumEdges() {
				t.Fatalf("%s: %d arcs, want %d", format, h.NumEdges(), g.NumEdges())
			}
			compareRead(t, format, h, g)
		}
	})
}

func clip(b []byte) []byte { return b[:min(len(b), 300)] }

// compareRead compares h, read from format, with g that was written.
func compareRead(t *testing.T, format Format, h, g *Graph) {
	named := format == SNAP || format == EdgeList
	if (!named || g.IDs == nil) && h.NumNodes() != g.NumNodes() {
		t.Fatalf("%s: %d nodes, want %d", format, h.NumNodes(), g.NumNodes())
	}
	if format == PACE {
		return // the arcs of a node come in another order
	}
	x, y := listEdges(h), listEdges(g)
	for i := range y {
		same := x[i].u == y[i].u && x[i].v == y[i].v
		if named {
			same = h.ExternalID(x[i].u) == g.ExternalID(y[i].u) && h.ExternalID(x[i].v) == g.ExternalID(y[i].v)
		}
		if g.Weight != nil && (h.Weight == nil || h.Weight[i] != g.Weight[i]) {
			same = false
		}
		if g.WeightF != nil && h.WeightF != nil && h.WeightF[i] != g.WeightF[i] {
			same = false
		}
		if !same {
			t.Fatalf("%s: arc %d is %v, want %v", format, i, x[i], y[i])
		}
	}
}

// FuzzParseSpec reads any text as a generator. What is accepted prints as a
// text that means the same, and its graph is bounded.
func FuzzParseSpec(f *testing.F) {
	for _, s := range []string{
		"rmat:20:8", "rmat:5:4:a=.5:b=.2:c=.2:sym", "rand:7:2:raw:perm", "grid:4:5:seed=9", "road:3:3:wmax=0",
		"path:4", "cycle:0", "star:1", "clique:3", "empty:9", "rmat:31:1", "grid:99999999999:99999999999", "x", "",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSpec(text)
		if err != nil {
			return
		}
		again, err := ParseSpec(s.String())
		if err != nil || *again != *s {
			t.Fatalf("%q prints as %q, which reads as %+v, %v", text, s, again, err)
		}
		if s.nodes > 1000 || s.arcs > 1000 {
			return
		}
		g, err := s.Generate(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if err := g.validate(context.Background()); err != nil || g.NumNodes() != s.nodes {
			t.Fatalf("%q: %d nodes, want %d, %v", text, g.NumNodes(), s.nodes, err)
		}
	})
}
