package graph

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every format gives back the graph that was written, weights and all.
func TestRoundTrip(t *testing.T) {
	ctx := context.Background()
	directed := mustGenerate(t, "rmat:9:6:raw")
	symmetric := mustGenerate(t, "rmat:9:6:sym")
	plain := mustGenerate(t, "rmat:9:6:sym:wmax=0")
	fractions := &Graph{RowStart: symmetric.RowStart, Dst: symmetric.Dst}
	negative := &Graph{RowStart: symmetric.RowStart, Dst: symmetric.Dst}
	for _, w := range symmetric.Weight {
		fractions.WeightF = append(fractions.WeightF, float64(w)/3)
		negative.Weight = append(negative.Weight, 50-w)
	}
	for _, c := range []struct {
		name    string
		g       *Graph
		formats []Format
	}{
		{"directed", directed, []Format{Galois1, Galois2, DIMACS, MatrixMarket}},
		{"symmetric", symmetric, []Format{Galois1, Galois2, DIMACS, MatrixMarket, METIS}},
		{"unweighted", plain, []Format{Galois1, Galois2, MatrixMarket, METIS, PACE}},
		{"real", fractions, []Format{Galois1, Galois2, MatrixMarket}},
		{"negative", negative, []Format{DIMACS, MatrixMarket, METIS}},
		{"empty", mustGenerate(t, "empty:0"), []Format{Galois1, Galois2, DIMACS, MatrixMarket, METIS}},
		{"isolated", mustGenerate(t, "empty:4:wmax=0"), []Format{Galois1, Galois2, MatrixMarket, METIS, PACE}},
		{"loops", &Graph{RowStart: []uint64{0, 2, 3}, Dst: []uint32{0, 1, 0}}, []Format{PACE, MatrixMarket}},
	} {
		for _, f := range c.formats {
			t.Run(c.name+"/"+string(f), func(t *testing.T) {
				var b bytes.Buffer
				if err := WriteTo(ctx, &b, c.g, f); err != nil {
					t.Fatal(err)
				}
				g, err := Read(ctx, "x", &b)
				if err != nil {
					t.Fatal(err)
				}
				if g.Info.Format != f {
					t.Fatalf("read as %s", g.Info.Format)
				}
				sameGraph(t, g, c.g)
			})
		}
	}
}

// Edge lists keep the names of nodes; nodes without arcs are lost.
func TestRoundTripNames(t *testing.T) {
	ctx := context.Background()
	for _, text := range []string{
		"7 1000 5\n1000 7 6\n30 7 1\n",
		"1 2\n2 3\n", "0 0\n", "2 1\n1 1\n", "1 1\n2 1\n", "5 3\n1 2\n4 4\n2 5\n",
		"3 9 1.5\n9 3 2\n", "18446744073709551 3\n",
	} {
		want, err := Read(ctx, "x", strings.NewReader("#\n"+text))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []Format{SNAP, EdgeList} {
			var b bytes.Buffer
			if err := WriteTo(ctx, &b, want, f); err != nil {
				t.Fatal(err)
			}
			g, err := Read(ctx, "x", bytes.NewReader(b.Bytes()))
			if err != nil {
				t.Fatalf("%s: %v", &b, err)
			}
			sameGraph(t, g, want)
			if !slices.Equal(g.IDs, want.IDs) || g.Base != want.Base {
				t.Errorf("%q: names %v from %d", b.String(), g.IDs, g.Base)
			}
		}
	}
}

// What a format cannot hold is refused, and no file is left behind.
func TestWriteRefuses(t *testing.T) {
	ctx := context.Background()
	arcs := &Graph{RowStart: []uint64{0, 1, 1}, Dst: []uint32{1}}
	oneWay := &Graph{RowStart: []uint64{0, 1, 2}, Dst: []uint32{1, 0}, Weight: []int32{4, 5}}
	loop := &Graph{RowStart: []uint64{0, 1}, Dst: []uint32{0}}
	fraction := &Graph{RowStart: []uint64{0, 1}, Dst: []uint32{0}, WeightF: []float64{.5}}
	tiny := &Graph{RowStart: []uint64{0, 1}, Dst: []uint32{0}, WeightF: []float64{1e-310}}
	negative := &Graph{RowStart: []uint64{0, 1}, Dst: []uint32{0}, Weight: []int32{-1}}
	for _, c := range []struct {
		g    *Graph
		f    Format
		want string
	}{
		{arcs, METIS, "has no reverse: symmetrize the graph first (--symmetrize)"},
		{arcs, PACE, "symmetrize the graph first"},
		{oneWay, METIS, "has no reverse of its weight: symmetrize the graph first"},
		{oneWay, PACE, "has no weights"},
		{loop, METIS, "has no self-loops"},
		{fraction, DIMACS, "integer weights only"},
		{fraction, METIS, "integer weights only"},
		{tiny, Galois1, "cannot hold the weight 1e-310"},
		{negative, Galois2, "without a sign"},
		{arcs, "dot", `unknown graph format "dot"`},
	} {
		dir := t.TempDir()
		err := Write(ctx, filepath.Join(dir, "out"), c.g, c.f)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.f, err, c.want)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: left behind %v, %v", c.f, left, err)
		}
	}
}

// Compression is undone whatever the name says, and done when the name says so.
func TestCompression(t *testing.T) {
	ctx := context.Background()
	want := mustGenerate(t, "rmat:10:8")
	dir := t.TempDir()
	for ext, kind := range map[string]string{".gz": "gzip", ".zst": "zstd", ".txt": ""} {
		for _, f := range []Format{Galois1, DIMACS} {
			path := filepath.Join(dir, "g"+ext)
			if err := Write(ctx, path, want, f); err != nil {
				t.Fatal(err)
			}
			plain := filepath.Join(dir, "renamed")
			if err := os.Rename(path, plain); err != nil {
				t.Fatal(err)
			}
			var last, total int64
			g, err := Open(ctx, plain, WithProgress(func(d, n int64) {
				if d < last {
					t.Errorf("progress falls from %d to %d", last, d)
				}
				last, total = d, n
			}))
			if err != nil {
				t.Fatal(err)
			}
			sameGraph(t, g, want)
			if g.Info.Compression != kind || g.Info.Format != f {
				t.Errorf("%s: read as %s %q", ext, g.Info.Format, g.Info.Compression)
			}
			if st, err := os.Stat(plain); err != nil || total != st.Size() || last == 0 {
				t.Errorf("%s %s: progress ends at %d of %d, %v", ext, f, last, total, err)
			}
			// A damaged file is an error, not a short graph.
			data, err := os.ReadFile(plain)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Read(ctx, "cut", bytes.NewReader(data[:len(data)*2/3])); err == nil {
				t.Errorf("%s %s: a truncated file is read", ext, f)
			}
		}
	}
}

func TestOpenErrors(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	if _, err := Open(ctx, filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := Open(ctx, dir); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("directory: %v", err)
	}
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(ctx, empty); err == nil || !strings.Contains(err.Error(), "empty:1: the input is empty") {
		t.Errorf("empty file: %v", err)
	}
	bad := strings.NewReader("1 2\n2 3\n")
	if _, err := Read(ctx, "x", bad, WithFormat(METIS)); err == nil || !strings.HasPrefix(err.Error(), "x:") {
		t.Errorf("wrong format: %v", err)
	}
	if _, err := Read(ctx, "x", bad, WithFormat("dot")); err == nil {
		t.Error("unknown format is accepted")
	}
}

// Edge lists keep isolated nodes wherever the numbers start, and Losses says which
// they cannot.
func TestEdgeListIsolated(t *testing.T) {
	ctx := context.Background()
	for _, format := range []Format{SNAP, EdgeList} {
		for _, base := range []uint64{0, 1, 7, 1 << 40} {
			for _, arcs := range [][2][]uint32{{{}, {}}, {{0}, {1}}, {{1}, {4}}, {{0}, {4}}, {{2}, {2}}} {
				g, err := FromEdges(5, arcs[0], arcs[1], nil)
				if err != nil {
					t.Fatal(err)
				}
				g.Base = base
				var text bytes.Buffer
				if err := WriteTo(ctx, &text, g, format); err != nil {
					t.Fatal(err)
				}
				h, err := Read(ctx, "x", bytes.NewReader(text.Bytes()))
				if err != nil || h.NumNodes() != 5 || h.Base != base || h.IDs != nil || h.NumEdges() != g.NumEdges() {
					t.Errorf("%s from %d: %v\n%s%s", format, base, err, dump(h, err), &text)
				}
				if lost := g.Losses(format); len(lost) != 1 || !strings.Contains(lost[0], `in the comment "# Nodes: 5" only`) {
					t.Errorf("losses %q", lost)
				}
			}
		}
		g := &Graph{RowStart: []uint64{0, 1, 1, 1}, Dst: []uint32{1}, IDs: []uint64{3, 7, 20}}
		var text bytes.Buffer
		if err := WriteTo(ctx, &text, g, format); err != nil {
			t.Fatal(err)
		}
		h, err := Read(ctx, "x", &text)
		if err != nil || h.NumNodes() != 2 || h.ExternalID(1) != 7 {
			t.Errorf("%s: %s", format, dump(h, err))
		}
		if lost := g.Losses(format); len(lost) != 1 || !strings.Contains(lost[0], "isolated nodes left out: 1") {
			t.Errorf("losses %q", lost)
		}
	}
}
