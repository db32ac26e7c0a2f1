package engine

import (
	"context"
	"sync"

	"irgl/graph"
	"irgl/internal/compile"
	"irgl/internal/device"
	"irgl/internal/device/cuda"
	"irgl/internal/prepare"
	"irgl/internal/run"
)

// This file has what overlaps before a run: a GPU is opened while the graph is read, and while
// it is still being opened the graph is prepared, if that is the host's work, and the program
// compiled for what the GPU is known to be. The views of a graph that is prepared on the host,
// such as its transpose, are made while the program is compiled for it.

// An Opening is a GPU that is being opened while something else is done; see
// [Options].Opening.
type Opening struct {
	ordinal int
	list    func() ([]device.Info, error) // of the GPUs, which is known before one is open
	done    chan struct{}                 // closed when dev and err are set
	dev     device.Device                 // nil once it is taken
	err     error
}

// OpenAhead begins to open the GPU that a value of [Options.Device] names, or for "auto"
// the one that there may be. For other devices it returns nil, an Opening of nothing.
func OpenAhead(name string) *Opening {
	kind, ordinal, err := ParseDevice(name)
	if err != nil || kind != "cuda" && kind != "auto" {
		return nil
	}
	return openAhead(ordinal, openGPU, cuda.List)
}

func openAhead(ordinal int, open func(int) (device.Device, error), list func() ([]device.Info, error)) *Opening {
	o := &Opening{ordinal: ordinal, list: list, done: make(chan struct{})}
	go func() {
		defer close(o.done)
		o.dev, o.err = open(ordinal)
	}()
	return o
}

// take returns the device, which is the caller's from then on. Another GPU, or one more of
// the same, is opened now.
func (o *Opening) take(ctx context.Context, ordinal int) (device.Device, error) {
	if o == nil || o.ordinal != ordinal {
		return openGPU(ordinal)
	}
	select {
	case <-o.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if o.err != nil {
		return nil, o.err
	}
	dev := o.dev
	if o.dev = nil; dev == nil {
		return openGPU(ordinal)
	}
	return dev, nil
}

// Close gives the device back if no executable has taken it. It does not wait for a device
// that is still being opened, which is closed then.
func (o *Opening) Close() error {
	if o == nil {
		return nil
	}
	select {
	case <-o.done:
		return o.closeNow()
	default:
		go func() {
			<-o.done
			_ = o.closeNow() // nobody is there to hear
		}()
		return nil
	}
}

func (o *Opening) closeNow() error {
	dev := o.dev
	if o.dev = nil; dev == nil {
		return nil
	}
	return dev.Close()
}

// CompileFor is [Program.Compile] for a run on an input: the input's graph is prepared
// meanwhile. The first [Executable.Prepare] of the graph finds it prepared, or returns the
// error.
func (p *Program) CompileFor(ctx context.Context, o Options, in Input) (*Executable, error) {
	var ahead *fitAhead
	if in.Graph != nil && p.info.Entry != nil {
		ahead = p.fitAhead(ctx, o, in.Graph)
	}
	x, err := p.Compile(ctx, o)
	if err != nil {
		ahead.stop()
		return nil, err
	}
	x.ahead = ahead
	return x, nil
}

// A fitAhead is a graph that is being made to fit what a program requires.
type fitAhead struct {
	graph  *graph.Graph
	cancel context.CancelFunc
	done   chan struct{} // closed when fitted and err are set
	fitted *fitted       // nil for the device to do
	err    error
	// unit is the program compiled for code, nil if it is not.
	unit *compile.Unit
	code code
}

func (p *Program) fitAhead(ctx context.Context, o Options, g *graph.Graph) *fitAhead {
	a := &fitAhead{graph: g, done: make(chan struct{})}
	ctx, a.cancel = context.WithCancel(ctx)
	go func() {
		defer close(a.done)
		if o.changes(p.info) {
			a.beforeDevice(ctx, p, o)
			if a.err != nil || o.deviceWillPrepare(ctx) {
				return
			}
		}
		if a.fitted, a.err = fitOnHost(ctx, g, p.info, o.Weights); a.err == nil && o.Auto && a.unit == nil {
			a.unit, a.code = p.buildAhead(ctx, o, a.fitted)
		}
	}()
	return a
}

// beforeDevice does what can be done before a GPU prepares the graph, if it is to and there
// is one: the kernels for that are compiled, and the program, if the graph's arcs are to stay
// as they are, so that its switches are known.
func (a *fitAhead) beforeDevice(ctx context.Context, p *Program, o Options) {
	info, ok := o.Opening.info()
	if !ok || !o.preparesOn("cuda") {
		return
	}
	var kernels sync.WaitGroup
	kernels.Go(func() { _, _ = prepare.Compile(ctx, info.Target()) }) // who needs them has the error
	defer kernels.Wait()
	admitted, err := admit(ctx, a.graph, p.info, o.Weights) // the graph remembers what this finds out
	if a.err = err; err == nil && o.Auto && !changesArcs(p.info.Requires) && !o.Weights.apply(p.info) {
		a.unit, a.code = p.buildAhead(ctx, o, newFitted(a.graph, admitted, p.info))
	}
}

// buildAhead compiles the program with the switches that a graph will get on the GPU that is
// being opened. It returns nil where none is, and where that fails: then the program is
// compiled when the GPU is open, and the error is that one's.
func (p *Program) buildAhead(ctx context.Context, o Options, f *fitted) (*compile.Unit, code) {
	info, ok := o.Opening.info()
	if !ok || o.PTX != "" {
		return nil, code{}
	}
	x := &Executable{program: p, o: o, device: "cuda", about: info.Name, hardware: info, sharing: alone{}}
	w, err := x.widthsFor(ctx, f)
	if err != nil {
		return nil, code{}
	}
	choice, _, err := x.choose(f)
	if err != nil {
		return nil, code{}
	}
	c := code{choice.Options, w}
	unit, err := x.build(ctx, c, "")
	if err != nil {
		return nil, code{}
	}
	unit.PTXText() // the text, too, is made here
	return unit, c
}

// info returns what the GPU is that is being opened.
func (o *Opening) info() (device.Info, bool) {
	if o == nil {
		return device.Info{}, false
	}
	list, err := o.list()
	if err != nil || o.ordinal >= len(list) {
		return device.Info{}, false
	}
	return list[o.ordinal], true
}

// deviceWillPrepare reports whether graphs will be prepared on the device of the options: for
// "auto", if a GPU that is being opened can be.
func (o Options) deviceWillPrepare(ctx context.Context) bool {
	kind, _, err := ParseDevice(o.Device)
	if kind == "auto" && o.Opening.opens(ctx) {
		kind = "cuda"
	}
	return err == nil && o.preparesOn(kind)
}

// opens waits until it is known whether there is a GPU, and reports it.
func (o *Opening) opens(ctx context.Context) bool {
	if o == nil {
		return false
	}
	select {
	case <-o.done:
		return o.err == nil
	case <-ctx.Done():
		return false
	}
}

// stop ends the work and waits for its end.
func (a *fitAhead) stop() {
	if a != nil {
		a.cancel()
		<-a.done
	}
}

// fitGraph makes a graph fit what the program requires.
func (x *Executable) fitGraph(ctx context.Context, g *graph.Graph) (*fitted, error) {
	a := x.ahead
	if x.ahead = nil; a == nil || a.graph != g {
		a.stop()
		return x.sharing.fit(ctx, x, g)
	}
	defer a.cancel()
	select {
	case <-a.done:
	case <-ctx.Done():
		a.stop()
		return nil, ctx.Err()
	}
	x.unit, x.unitCode = a.unit, a.code
	if a.fitted != nil || a.err != nil {
		return a.fitted, a.err
	}
	return x.sharing.fit(ctx, x, g)
}

// viewsBeside begins to make the views of a prepared graph. The function that it returns
// waits for them; it is to be called in any case.
func viewsBeside(ctx context.Context, f *fitted) func() (run.Views, error) {
	if f.views == nil {
		return func() (run.Views, error) { return run.Views{}, nil }
	}
	var views run.Views
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		views, err = f.views(ctx)
	}()
	return func() (run.Views, error) {
		<-done
		return views, err
	}
}
