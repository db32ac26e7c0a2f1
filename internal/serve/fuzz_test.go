//go:build unix

package serve

import (
	"bytes"
	"context"
	"io"
	"maps"
	"slices"
	"testing"

	"github.com/fxamacker/cbor/v2"

	"irgl/graph"
)

func encode(t testing.TB, m msg) []byte {
	t.Helper()
	b, err := cbor.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// FuzzServe sends anything to a server: it does not panic, ends with its input, and
// answers with messages.
func FuzzServe(f *testing.F) {
	var session []byte
	for i, m := range []msg{
		{"do": "hello", "protocol": []int{1, 0}, "client": "fuzz"},
		{"do": "open", "as": 1, "kind": "simt"},
		{"do": "alloc", "device": 1, "name": "a", "size": 64},
		{"do": "load", "device": 1, "as": 2, "name": "k", "text": kernels},
		{"do": "kernel", "module": 2, "as": 3, "name": "add"},
		{"do": "stream", "device": 1, "as": 4, "quiet": true},
		{"do": "launch", "stream": 4, "kernel": 3, "grid": []int{1}, "block": []int{4}, "params": make([]byte, 20), "queue": 7},
		{"do": "sync", "device": 1, "queue": 7},
		{"do": "report", "device": 1, "from": 0},
		{"do": "close", "handle": 1},
		{"do": "graph", "as": 5, "generate": "path:3:wmax=9"},
		{"do": "graph", "as": 6, "from": 5, "random": 3, "symmetrize": true, "queue": 1},
		{"do": "statistics", "graph": 6},
		{"do": "compile", "as": 8, "name": "a.irgl", "text": "Graph g { Output Node int n = 0; } Host main(int a) { }"},
		{"do": "run", "as": 9, "program": 8, "graph": 6, "args": msg{"a": -1}, "device": "interp", "verify": false, "queue": 1},
		{"do": "explain", "program": 8, "missed": true},
		{"do": "arrays", "as": 10, "graph": 6},
		{"do": "progress", "request": 15},
		{"do": "devices"},
	} {
		m["id"] = i + 1
		session = append(session, frame(encode(f, m))...)
		f.Add(slices.Clone(session))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) > 1<<16 {
			return
		}
		var out bytes.Buffer
		err := Serve(context.Background(), bytes.NewReader(in), &out, Options{Version: "fuzz"})
		if fail, ok := err.(*failure); ok && fail.Kind == kindInternal {
			t.Fatal(err)
		}
		for r := bytes.NewReader(out.Bytes()); ; {
			b, err := readMessage(r)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := cbor.Wellformed(b); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// FuzzArrays makes graphs of anything: what is taken for one is one, and its arrays are
// those of the arena.
func FuzzArrays(f *testing.F) {
	types := slices.Sorted(maps.Keys(elementSizes))
	f.Add([]byte{0, 1, 2, 0, 1, 1, 0}, uint8(2), uint8(3), uint8(8), uint8(8), uint8(8), uint8(0), true)
	f.Add(raw([]uint64{0, 1, 2, 1<<32 | 1, 5}), uint8(2), uint8(3), uint8(7), uint8(6), uint8(0), uint8(24), false)
	f.Fuzz(func(t *testing.T, data []byte, nodes, offsets, offsetType, targetType, weightType, at uint8, share bool) {
		const size = 1 << 16
		if len(data) > size/2 {
			return
		}
		s := &server{arena: &arena{data: make([]byte, size), file: counting{new(int64)}, size: size}}
		if _, err := s.arena.alloc("room", size); err != nil {
			t.Fatal(err)
		}
		copy(s.arena.data, data)
		ref := func(kind uint8, at, length int64) *arrayRef {
			return &arrayRef{At: at, Type: types[int(kind)%len(types)], Length: length}
		}
		edges := int64(len(data)) / 8
		a := &graphArgs{Nodes: int64(nodes), Share: share, Targets: ref(targetType, int64(at), edges)}
		if weightType > 0 {
			a.Weights = ref(weightType, int64(at)*2, edges)
		}
		if offsets%2 > 0 {
			a.Offsets = ref(offsetType, 0, int64(nodes)+1)
		} else {
			a.Sources = ref(offsetType, 0, edges)
		}
		if a.check() != nil {
			t.Fatal("the arguments are right")
		}
		g, err := s.graphOfArrays(t.Context(), a, &graphResult{})
		if err != nil {
			return
		}
		made := &graph.Graph{RowStart: slices.Clone(g.RowStart), Dst: slices.Clone(g.Dst)}
		if err := made.Validate(t.Context()); err != nil || made.NumNodes() != int(nodes) || made.NumEdges() != edges {
			t.Fatalf("%d nodes, %d edges: %v", made.NumNodes(), made.NumEdges(), err)
		}
	})
}
