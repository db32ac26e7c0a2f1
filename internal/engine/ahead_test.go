package engine

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"irgl/graph"
	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/run"
)

// aClosing is a device that says when it is closed.
type aClosing struct {
	*simt.Device
	closed chan struct{}
}

func (d aClosing) Close() error {
	close(d.closed)
	return d.Device.Close()
}

// noGPUs lists none.
func noGPUs() ([]device.Info, error) { return nil, nil }

// TestOverlap: a graph is prepared while the GPU is being opened, where that is the host's
// work, and a run takes the GPU that was opened and the graph that was prepared: nothing is
// done twice.
func TestOverlap(t *testing.T) {
	for _, place := range []string{"host", "device"} {
		t.Run(place, func(t *testing.T) { overlap(t, place) })
	}
}

func overlap(t *testing.T, place string) {
	ctx := t.Context()
	p, err := Bundled("cc_af")
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.Generate(ctx, "rmat:6:4")
	if err != nil {
		t.Fatal(err)
	}
	dev := aClosing{simt.Open(simt.Options{}), make(chan struct{})}
	opened := 0
	mayOpen := make(chan struct{})
	o := Options{Device: "cuda", Auto: true, Prepare: place, Opening: openAhead(0, func(int) (device.Device, error) {
		<-mayOpen
		opened++
		return dev, nil
	}, func() ([]device.Info, error) { return []device.Info{dev.Info()}, nil })}
	time.AfterFunc(20*time.Millisecond, func() { close(mayOpen) })
	x, err := p.CompileFor(ctx, o, Input{Graph: g})
	if err != nil {
		t.Fatal(err)
	}
	if x.opened <= 0 || x.dev != device.Device(dev) {
		t.Errorf("waited %v for %v, want some time for the GPU that was being opened", x.opened, x.dev)
	}
	if err := o.Opening.Close(); err != nil {
		t.Error(err)
	}
	ahead := x.ahead
	if ahead == nil || ahead.graph != g {
		t.Fatal("the graph is not being prepared")
	}
	<-ahead.done
	r, err := x.Run(ctx, g, nil)
	if err != nil {
		t.Fatal(err)
	}
	if onDevice := place == "device"; ahead.fitted != nil && x.prepared != ahead.fitted || (ahead.fitted == nil) != onDevice || (x.prepared.device != nil) != onDevice || x.ahead != nil {
		t.Error("the graph that was prepared is not the one of the run")
	}
	if place == "host" && (ahead.unit == nil || x.unit != nil || x.loaded.key() != ahead.code.key()) {
		t.Error("the program that was compiled is not the one of the run")
	}
	if made, err := x.prepared.graph(ctx); err != nil || made == g || made.NumEdges() != x.prepared.edges {
		t.Errorf("%v, %d edges of %d", err, x.prepared.edges, made.NumEdges())
	}
	if err := x.Verify(ctx, r); err != nil {
		t.Error(err)
	}
	if r.Times.Open <= 0 || r.Times.Upload <= 0 || r.Times.Download <= 0 || r.Times.Download > r.Times.Run {
		t.Errorf("times %+v", r.Times)
	}
	other, err := graph.Generate(ctx, "path:5")
	if err != nil {
		t.Fatal(err)
	}
	if r, err := x.Run(ctx, other, nil); err != nil || x.Verify(ctx, r) != nil {
		t.Errorf("another graph: %v", err)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	if <-dev.closed; opened != 1 {
		t.Errorf("%d GPUs were opened", opened)
	}
}

// TestBuiltBeforeDevice: a program that looks at views alone is compiled while the GPU that
// will make them is being opened.
func TestBuiltBeforeDevice(t *testing.T) {
	p, err := Bundled("bfs_do")
	if err != nil {
		t.Fatal(err)
	}
	g := generated(t, "rmat:6:4")
	dev := newMeter()
	o := Options{Device: "auto", Auto: true, Opening: openAhead(0, func(int) (device.Device, error) { return dev, nil }, func() ([]device.Info, error) { return []device.Info{dev.Info()}, nil })}
	x, err := p.CompileFor(t.Context(), o, Input{Graph: g})
	if err != nil {
		t.Fatal(err)
	}
	ahead := x.ahead
	<-ahead.done
	r, err := x.Run(t.Context(), g, Args{"src": 0})
	if err != nil || x.Verify(t.Context(), r) != nil || r.fitted.place() != "device" {
		t.Errorf("%v, prepared on the %s", err, r.fitted.place())
	}
	if ahead.unit == nil || x.unit != nil || x.loaded.key() != ahead.code.key() {
		t.Error("the program that was compiled is not the one of the run")
	}
	if err := x.Close(); err != nil || len(dev.live) > 0 {
		t.Errorf("%v; left on the device: %v", err, dev.holds())
	}
}

// TestAheadErrors: an error of the graph is that of Prepare, one of the program that of
// CompileFor, and what was begun is ended.
func TestAheadErrors(t *testing.T) {
	ctx := t.Context()
	p, err := Bundled("sssp")
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.Generate(ctx, "path:4:wmax=0")
	if err != nil {
		t.Fatal(err)
	}
	x, err := p.CompileFor(ctx, Options{Device: "interp"}, Input{Graph: g})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time, it is prepared then
		if _, ok := errors.AsType[*run.NeedWeightsError](x.Prepare(ctx, g)); !ok {
			t.Errorf("a graph without weights: %v", err)
		}
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	gone := errors.New("no GPU")
	o := Options{Device: "cuda", Opening: openAhead(0, func(int) (device.Device, error) { return nil, gone }, noGPUs)}
	if _, err := p.CompileFor(ctx, o, Input{Graph: g}); !errors.Is(err, gone) {
		t.Errorf("a GPU that cannot be opened: %v", err)
	}
	if err := o.Opening.Close(); err != nil {
		t.Error(err)
	}

	// What nobody takes is closed, when it is open.
	dev := aClosing{simt.Open(simt.Options{}), make(chan struct{})}
	mayOpen := make(chan struct{})
	late := openAhead(0, func(int) (device.Device, error) {
		<-mayOpen
		return dev, nil
	}, noGPUs)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := late.take(ended, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting for a GPU under a context that has ended: %v", err)
	}
	if err := late.Close(); err != nil {
		t.Error(err)
	}
	close(mayOpen)
	<-dev.closed
	if OpenAhead("cpu") != nil || OpenAhead("nonsense") != nil {
		t.Error("something is opened for the CPU")
	}
	var none *Opening
	if err := none.Close(); err != nil {
		t.Error(err)
	}
}

// TestTimesAddUp: the parts of a run and what is left are the whole.
func TestTimesAddUp(t *testing.T) {
	times := Times{Open: 100.25, Prepare: 20.5, Compile: 3, Upload: 4, Run: 7.125, Device: 5, Download: 1}
	times.Account(50*time.Millisecond, 200*time.Millisecond)
	sum := times.Open + times.Load + times.Prepare + times.Compile + times.Upload + times.Run + times.Other
	if times.Load != 50 || times.Total != 200 || math.Abs(sum-times.Total) > 1e-9 || times.Other != 15.125 {
		t.Errorf("%+v add up to %v", times, sum)
	}
}
