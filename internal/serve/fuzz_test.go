//go:build unix

package serve

import (
	"bytes"
	"context"
	"io"
	"slices"
	"testing"

	"github.com/fxamacker/cbor/v2"
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
