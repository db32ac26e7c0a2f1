package graph

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// galoisFile builds a file word by word: uint64 and uint32 values, doubles.
func galoisFile(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch x := p.(type) {
		case int:
			b = binary.LittleEndian.AppendUint64(b, uint64(x))
		case uint32:
			b = binary.LittleEndian.AppendUint32(b, x)
		case float64:
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		case []byte:
			b = append(b, x...)
		}
	}
	return b
}

func TestGalois(t *testing.T) {
	u := func(x uint32) uint32 { return x }
	for _, c := range []struct {
		name string
		data []byte
		want string // of dump, or part of the error
	}{
		{"unweighted", galoisFile(1, 0, 2, 1, 1, 1, u(1), u(0)), "galois1 2 nodes 1 arcs 1 edges listed base 0\n0 1\n"},
		{"no padding at the end", galoisFile(1, 0, 2, 1, 1, 1, u(1)), "galois1 2 nodes 1 arcs 1 edges listed base 0\n0 1\n"},
		{"weights", galoisFile(1, 4, 2, 3, 2, 3, u(0), u(1), u(0), u(99), u(7), u(8), u(9)),
			"galois1 2 nodes 3 arcs 3 edges listed base 0\n0 0 7\n0 1 8\n1 0 9\n"},
		{"weights of 64 bits", galoisFile(1, 8, 2, 2, 1, 2, u(1), u(0), 5, math.MaxInt32),
			"galois1 2 nodes 2 arcs 2 edges listed base 0\n0 1 5\n1 0 2147483647\n"},
		{"doubles", galoisFile(1, 8, 2, 2, 1, 2, u(1), u(0), -2.5, 0.0),
			"galois1 2 nodes 2 arcs 2 edges listed base 0\n0 1 -2.5(real)\n1 0 0(real)\n"},
		{"version 2", galoisFile(2, 4, 2, 3, 2, 3, 0, 1, 0, u(7), u(8), u(9)),
			"galois2 2 nodes 3 arcs 3 edges listed base 0\n0 0 7\n0 1 8\n1 0 9\n"},
		{"empty", galoisFile(1, 4, 0, 0), "galois1 0 nodes 0 arcs 0 edges listed base 0\n"},

		{"short header", galoisFile(1, 4, 0), "x: byte 24: the header has 32 bytes"},
		{"version", galoisFile(3, 4, 0, 0), "x: byte 1: binary content, but not a Galois graph"},
		{"edge data", galoisFile(1, 2, 0, 0), "x: byte 8: 2 bytes of edge data"},
		{"nodes", galoisFile(1, 0, 1<<31, 0), "x: byte 16: 2147483648 nodes; at most 2147483647"},
		{"nodes beyond file", galoisFile(1, 0, 3, 0, 0, 0), "x: byte 16: the header promises 3 nodes"},
		{"arcs beyond file", galoisFile(1, 0, 1, 3, 3, u(0), u(0)), "x: byte 24: the header promises 3 arcs"},
		{"arcs overflow", galoisFile(1, 0, 0, -1), "x: byte 24: the header promises 18446744073709551615 arcs"},
		{"weights beyond file", galoisFile(1, 8, 1, 2, 2, u(0), u(0), 1), "x: byte 24: the header promises 2 arcs with 8 bytes"},
		{"weights without padding", galoisFile(1, 4, 1, 1, 1, u(0)), "x: byte 24: the header promises 1 arcs with 4 bytes"},
		{"rows fall", galoisFile(1, 0, 3, 2, 2, 1, 2, u(0), u(0)), "x: byte 40: the arcs of node 1 end at 1, before they start at 2"},
		{"rows end", galoisFile(1, 0, 2, 2, 1, 1, u(0), u(0)), "x: byte 40: the arcs of the last node end at 1, but there are 2 arcs"},
		{"destination", galoisFile(1, 0, 2, 2, 1, 2, u(0), u(2)), "x: byte 52: destination 2, but there are 2 nodes"},
		{"wide destination", galoisFile(2, 0, 2, 2, 1, 2, 0, 1<<32), "x: byte 56: destination 4294967296, but"},
		{"weight", galoisFile(1, 4, 1, 1, 1, u(0), u(0), u(1<<31)), "x: byte 48: weight 2147483648 does not fit"},
		{"weight of 64 bits", galoisFile(1, 8, 1, 2, 2, u(0), u(0), 1, 1<<40), "x: byte 56: edge data 0x10000000000 is neither"},
		{"integer among doubles", galoisFile(1, 8, 1, 2, 2, u(0), u(0), 1, 2.5), "x: byte 48: edge data 0x1 is neither"},
		{"not a number", galoisFile(1, 8, 1, 1, 1, u(0), u(0), math.NaN()), "x: byte 48: edge data 0x7ff8000000000001 is neither"},
		{"trailing bytes", galoisFile(1, 0, 0, 0, 7), "x: byte 32: 8 bytes after the end"},
	} {
		g, err := Read(context.Background(), "x", bytes.NewReader(c.data))
		if got := dump(g, err); got != c.want && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%s: got\n%swant\n%s", c.name, got, c.want)
		}
		var re *ReadError
		if err != nil && !errors.As(err, &re) {
			t.Errorf("%s: %T, want *ReadError", c.name, err)
		}
	}
}

// Every prefix of a file, and every file with one word changed, is either read
// as a valid graph or refused.
func TestGaloisDamaged(t *testing.T) {
	whole := galoisFile(1, 4, 3, 3, 1, 2, 3, uint32(1), uint32(2), uint32(0), uint32(0), uint32(5), uint32(6), uint32(7))
	try := func(data []byte) {
		t.Helper()
		g, err := Read(context.Background(), "x", bytes.NewReader(data))
		if err == nil {
			err = g.validate(context.Background())
			if err != nil {
				t.Errorf("invalid graph from %x: %v", data, err)
			}
		}
	}
	for k := range whole {
		try(slices.Clone(whole[:k]))
		for _, x := range []byte{0, 1, 2, 8, 0x7f, 0x80, 0xff} {
			damaged := slices.Clone(whole)
			damaged[k] = x
			try(damaged)
		}
	}
}

// A graph does not depend on its file once it is read: the file may be
// rewritten in place, or cut, while programs run.
func TestOpenIsIndependent(t *testing.T) {
	ctx := context.Background()
	want := mustGenerate(t, "rmat:8:4")
	path := filepath.Join(t.TempDir(), "no-suffix")
	if err := Write(ctx, path, want, Galois1); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	g, err := Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	sameGraph(t, g, want)
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file has changed: %v", err)
	}
	if err := os.WriteFile(path, bytes.Repeat([]byte{0xff}, len(before)), 0o666); err != nil {
		t.Fatal(err)
	}
	sameGraph(t, g, want)
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	sameGraph(t, g, want)
}

// sameGraph compares arcs, weights and names.
func sameGraph(t *testing.T, got, want *Graph) {
	t.Helper()
	if !slices.Equal(got.RowStart, want.RowStart) || !slices.Equal(got.Dst, want.Dst) {
		t.Fatal("the arcs differ")
	}
	if !slices.Equal(got.Weight, want.Weight) || !slices.Equal(got.WeightF, want.WeightF) {
		t.Fatal("the weights differ")
	}
}
