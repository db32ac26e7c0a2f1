package host

import (
	"context"
	"errors"
	"testing"
	"time"

	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/lower"
	"irgl/internal/run"
)

// An interruptible device is one like a GPU, on which a launch goes on whatever
// happens to the context: what ends it is the word that Interrupt sets.
type interruptible struct {
	*simt.Device
	onLaunch func()
	word     chan device.Ptr
}

func (d *interruptible) Sync(context.Context) error { return d.Device.Sync(context.Background()) }

func (d *interruptible) Interrupt(p device.Ptr) error {
	d.word <- p
	return nil
}

func (d *interruptible) Launch(k device.Kernel, l device.Launch) error {
	if l.Cooperative && d.onLaunch != nil {
		d.onLaunch()
	}
	return d.Device.Launch(k, l)
}

// TestInterrupt ends loops without end in the middle of a control kernel, and
// runs the engine again.
func TestInterrupt(t *testing.T) {
	const (
		all   = "Kernel all(graph) { ForAll (n In graph.nodes) { n.a = 1; ReduceAndReturn(true); } }\n"
		items = "Kernel items(graph, int k) { ForAll (i In WL) { n = WL.pop(i); n.a = k; WL.push(n); } }\n"
		again = "Kernel again(graph) { ForAll (i In WL) { n = WL.pop(i); n.a = 2; Respawn n; } }\n"
	)
	for _, tt := range []struct{ name, text string }{
		{"iterate while any", all + "Host f(int on) { Iterate While Any all(graph) { if (!on) break; } }"},
		{"loop", all + "Host f(int on) { bool more = true; while (more) { more = Any(Invoke all(graph)); if (!on) more = false; } }"},
		{"iterate", items + "Host f(int on) { int k = 0; Iterate items(graph, k) Initial [1, 3] { k++; if (!on && k > 40) break; } }"},
		{"nested", items + "Host f(int on) { Pipe Initial [2] { int k = 0; while (on || k < 40) { Invoke items(graph, k); k++; } if (!on) break; } }"},
		{"respawn", "int no = 0;\n" + again + "Host f(int on) { if (on) { Pipe Initial [2] { Invoke again(graph); } } }"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dev := &interruptible{Device: simt.Open(simt.Checked()), word: make(chan device.Ptr, 1)}
			defer dev.Close()
			e, in, _ := irglRun{text: "Graph graph { Output Node int a; }\n" + tt.text, graph: "path:5"}.start(t, dev)
			defer e.Close()
			ctx, cancel := context.WithCancel(context.Background())
			dev.onLaunch = func() {
				cancel()
				select {
				case p := <-dev.word:
					if err := dev.CopyIn(p, []byte{1, 0, 0, 0}); err != nil {
						t.Error(err)
					}
				case <-time.After(10 * time.Second):
					t.Error("nothing was interrupted")
				}
			}
			in.Args = []run.Value{run.IntValue(1)}
			if _, err := e.Run(ctx, in); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want that the run was cancelled", err)
			}
			dev.onLaunch = nil
			in.Args = []run.Value{run.IntValue(0)}
			if _, err := e.Run(context.Background(), in); err != nil {
				t.Errorf("the next run: %v", err)
			}
		})
	}
}

// TestCancelledWaits: whatever the host waits with behind a kernel without an end,
// it gives up with the run's context, and the engine runs again.
func TestCancelledWaits(t *testing.T) {
	const (
		spin   = "Kernel K(graph, int on) { ForAll (n In graph.nodes) { int k = 0; while (on) { k = k + 1; n.a = k; } } }\n"
		listed = "Kernel K(graph, int on) { ForAll (i In WL) { n = WL.pop(i); int k = 0; while (on) { k = k + 1; n.a = k; } } }\n"
		any    = "Kernel K(graph, int on) { ForAll (n In graph.nodes) { int k = 0; while (on) { k = k + 1; n.a = k; if (k < 0) { ReduceAndReturn(true); } } } }\n"
		global = "int g;\nKernel K(graph, int on) { ForAll (n In graph.nodes) { while (on) { atomicAdd(&g, 1); } } }\n"
	)
	for _, tt := range []struct{ name, text string }{
		{"the end of the run", spin + "Host f(int on) { Invoke K(graph, on); }"},
		{"a property", spin + "Host f(int on) { Invoke K(graph, on); printf(\"%d\", graph.nodes(0).a); }"},
		{"a property that is set", spin + "Host f(int on) { Invoke K(graph, on); graph.nodes(0).a = 1; }"},
		{"a worklist", listed + "Host f(int on) { Iterate K(graph, on) Initial [0] { } }"},
		{"a reduction", any + "Host f(int on) { if (Any(Invoke K(graph, on))) { printf(\"y\"); } }"},
		{"a variable", global + "Host f(int on) { Invoke K(graph, on); printf(\"%d\", g); }"},
	} {
		for _, collect := range []run.Collect{run.CollectNothing, run.CollectKernels} {
			t.Run(tt.name, func(t *testing.T) {
				dev := simt.Open(simt.Options{})
				defer dev.Close()
				r := irglRun{text: "Graph graph { Output Node int a; }\n" + tt.text, graph: "path:40", lower: &lower.Options{}}
				e, in, _ := r.start(t, dev)
				defer e.Close()
				in.Collect = collect
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
				defer cancel()
				in.Args = []run.Value{run.IntValue(1)}
				start := time.Now()
				if _, err := e.Run(ctx, in); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("error %v, want the context's", err)
				}
				if took := time.Since(start); took > 3*time.Second {
					t.Errorf("it took %v", took)
				}
				in.Args = []run.Value{run.IntValue(0)}
				if _, err := e.Run(context.Background(), in); err != nil {
					t.Errorf("the next run: %v", err)
				}
			})
		}
	}
}
