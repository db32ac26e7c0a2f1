//go:build unix

package serve

import (
	"bytes"
	"context"
	"io"
	"testing"
)

// BenchmarkLaunch is what the server adds to a quiet launch: reading it, and queueing it
// on the emulator.
func BenchmarkLaunch(b *testing.B) {
	var in bytes.Buffer
	id := 0
	send := func(m msg) {
		id++
		m["id"] = id
		in.Write(frame(encode(b, m)))
	}
	send(msg{"do": "hello", "protocol": []int{1, 0}, "client": "bench"})
	send(msg{"do": "open", "as": 1, "kind": "simt"})
	send(msg{"do": "alloc", "device": 1, "name": "a", "size": 64})
	send(msg{"do": "load", "device": 1, "as": 2, "name": "k", "text": kernels})
	send(msg{"do": "kernel", "module": 2, "as": 3, "name": "add"})
	for range b.N {
		send(msg{"do": "launch", "stream": 1, "kernel": 3, "grid": []int{1, 1, 1}, "block": []int{4, 1, 1}, "params": make([]byte, 20), "queue": 1, "quiet": true})
	}
	b.ResetTimer()
	if err := Serve(context.Background(), &in, io.Discard, Options{}); err != nil {
		b.Fatal(err)
	}
}
