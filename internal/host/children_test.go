package host

import (
	"context"
	"errors"
	"testing"

	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/dynpar"
	"irgl/internal/lower"
	"irgl/internal/run"
)

// A cancelling device cancels a run at one of its launches.
type cancelling struct {
	*simt.Device
	left   int
	cancel func()
}

func (d *cancelling) Launch(k device.Kernel, l device.Launch) error {
	if d.left--; d.left == 0 {
		d.cancel()
	}
	return d.Device.Launch(k, l)
}

// TestCancelledLaunches: a run that is cancelled between a control kernel and what it has launched leaves that in
// the queue, where the next run must not find it.
func TestCancelledLaunches(t *testing.T) {
	const text = "Graph graph { Output Node int a; }\nKernel add(graph, int k) { ForAll (n In graph.nodes) { n.a += k; } }\n" +
		"Host f(int n) { for (int i = 0; i < n; i++) { Invoke add(graph, i); } }"
	for at := 1; at < 9; at++ {
		dev := &cancelling{Device: simt.Open(simt.Checked()), left: at}
		e, in, _ := irglRun{text: text, graph: "path:5", lower: &lower.Options{Outline: lower.Outline{Auto: true, Launches: true}}}.start(t, dev)
		var ctx context.Context
		ctx, dev.cancel = context.WithCancel(context.Background())
		in.Args = []run.Value{run.IntValue(4)}
		if _, err := e.Run(ctx, in); !errors.Is(err, context.Canceled) {
			t.Errorf("launch %d: %v, want that the run was cancelled", at, err)
		}
		in.Args = []run.Value{run.IntValue(3)}
		res, err := e.Run(context.Background(), in)
		if err != nil {
			t.Fatalf("launch %d: the next run: %v", at, err)
		}
		// One launch for the properties, one of the control kernel, and two for each invocation.
		if got := res.Props[0].Data.([]int32); got[0] != 3 || res.Launches != 2+2*3 {
			t.Errorf("launch %d: then %v with %d launches", at, got, res.Launches)
		}
		if err := errors.Join(e.Close(), dev.Close()); err != nil {
			t.Error(err)
		}
	}
}

// TestFailedLaunch: a launch in device code that fails ends the run, with its place.
func TestFailedLaunch(t *testing.T) {
	q := childQueue{module: &dynpar.Module{Kernels: []dynpar.Kernel{{Symbol: "add"}, {Symbol: "irgl_control_1"}}, Sites: []string{"p.irgl:3"}}}
	list := make([]byte, 64)
	list[16], list[24], list[32], list[44] = 69, 1, 7, 32
	const want = "the launch of irgl_control_1 in device code at p.irgl:3 failed with error 69: 7 blocks of 32 threads"
	if err := q.failure(list); err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
