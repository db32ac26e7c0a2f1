package host

import (
	"context"
	"testing"

	"irgl/internal/lower"
	"irgl/internal/run"
)

// TestCounters runs loops on the host for more rounds than a pipe has counters:
// of what is pushed, of what is retried while what has been pushed waits, and of
// both with a control kernel in between, which has counters of its own.
func TestCounters(t *testing.T) {
	const text = `Graph graph { Output Node int a = 0; }
int late = 0;
Kernel again(graph, int n) {
  ForAll (i In WL) {
    v = WL.pop(i);
    v.a++;
    if (v.a % n == 0) { WL.push(v); } else { Respawn v; }
    if (v.id == 0 && v.a == 3) { WL.push(4); }
  }
}
Kernel plain(graph) { ForAll (i In WL) { v = WL.pop(i); v.a++; if (v.a < 300) { WL.push(v); } } }
Host f(int k) {
  if (k == 0) { Iterate plain(graph) Initial [0, 1]; }
  if (k == 1) { Pipe Once Initial [0, 1] { Invoke again(graph, 200); Iterate plain(graph); } }
  if (k == 2) { Pipe Once Initial [0] { for (int i = 0; i < 3; i++) { Invoke again(graph, 50); } Iterate plain(graph); } }
}
`
	for _, lo := range []*lower.Options{{}, nil} {
		for k, want := range [][]int32{{300, 300, 0, 0, 0}, {300, 300, 0, 0, 300}, {300, 0, 0, 0, 300}} {
			dev := track()
			e, in, _ := irglRun{text: text, graph: "path:5", args: []run.Value{run.IntValue(int64(k))}, lower: lo}.start(t, dev)
			r, err := e.Run(context.Background(), in)
			if err != nil {
				t.Fatalf("%d: %v", k, err)
			}
			got := r.Props[0].Data.([]int32)
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("%d, %v: got %v, want %v", k, lo, got, want)
					break
				}
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
			dev.Close()
		}
	}
}
