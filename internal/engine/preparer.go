package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/internal/device"
	"irgl/internal/host"
	"irgl/internal/prepare"
	"irgl/internal/run"
	"irgl/internal/tune"
)

// Preparations returns the values of [Options.Prepare].
func Preparations() []string { return []string{"auto", "device", "host"} }

// preparesOn reports whether graphs are to be prepared on a device of a kind.
func (o Options) preparesOn(kind string) bool {
	return o.Prepare == "device" && (kind == "cuda" || kind == "simt") || (o.Prepare == "" || o.Prepare == "auto") && kind == "cuda"
}

// A preparer makes graphs fit on a device that has memory of its own: the graph that was read
// is copied to the device once, and what package prepare makes of it stays there, owned by the
// store, for programs to run on.
type preparer struct {
	dev   device.Device
	store *host.Store
	kit   *prepare.Kit // nil until it is needed
	code  *kitCode     // of kit; nil until it is compiled
	// What copies of graphs to the device, and their preparation there, have taken so far.
	uploaded, worked time.Duration
}

// newPreparer returns the preparer of a device of a kind, nil if graphs are prepared on the
// host for it.
func newPreparer(o Options, kind string, dev device.Device, store *host.Store) *preparer {
	if !o.preparesOn(kind) {
		return nil
	}
	return &preparer{dev: dev, store: store}
}

// close frees all graphs.
func (p *preparer) close() error {
	p.code.stop()
	var err error
	if p.kit != nil {
		err = p.kit.Close()
		p.kit = nil
	}
	return errors.Join(err, p.store.Forget())
}

// changes reports whether a program requires something of its graph's arcs, or looks at views:
// the other graphs are not changed.
func changes(p *check.Info) bool {
	return changesArcs(p.Requires) || p.Needs.InEdges || p.Needs.Sources
}

// changes reports whether a program has something made of its graphs.
func (o Options) changes(p *check.Info) bool { return changes(p) || o.Weights.apply(p) }

// changesArcs reports whether what is required may take other arcs, or another order of them.
func changesArcs(r check.Requires) bool { return r.Symmetric || r.Sorted || r.NoLoops || r.NoDups }

// fit makes a graph fit on the device. Without an error, the result is nil if the host has to,
// which is for the reason given, "" if there is nothing to do for the device. From symmetric,
// if it is not nil, views alone are made.
func (p *preparer) fit(ctx context.Context, g *graph.Graph, info *check.Info, random RandomWeights, symmetric *fitted) (f *fitted, reason string, err error) {
	if p == nil || !changes(info) && !random.apply(info) {
		return nil, "", nil
	}
	admitted, err := admit(ctx, g, info, random)
	if err != nil {
		return nil, "", err
	}
	f = &fitted{given: g, requires: info.Requires, random: random, changes: true}
	if symmetric != nil {
		f.requires = symmetric.requires // without their weights the graph may be symmetric as it is, with other arcs
	}
	err = p.make(ctx, f, admitted, info, symmetric)
	if full(err) && p.store.Drain() == nil { // what engines have freed may be enough
		err = p.make(ctx, f, admitted, info, symmetric)
	}
	switch _, unsupported := errors.AsType[*prepare.UnsupportedError](err); {
	case err == nil:
		return f, "", nil
	case full(err), unsupported:
		return nil, err.Error(), nil
	}
	return nil, "", err
}

// admit is run.Admit of a graph that may get random weights, which fit.
func admit(ctx context.Context, g *graph.Graph, p *check.Info, random RandomWeights) (*graph.Graph, error) {
	r := p.Requires
	if random.apply(p) {
		r.Weights, r.NonNegative, r.Conservative = false, false, false
	}
	return run.Admit(ctx, g, r)
}

func full(err error) bool {
	_, is := errors.AsType[*device.OutOfMemoryError](err)
	return is
}

// make makes the graph and its views of one that was admitted.
func (p *preparer) make(ctx context.Context, f *fitted, g *graph.Graph, info *check.Info, symmetric *fitted) error {
	if g.NumEdges() > prepare.MaxArcs {
		return &prepare.UnsupportedError{Why: fmt.Sprintf("%d arcs, and at most %d are supported", g.NumEdges(), int64(prepare.MaxArcs))}
	}
	p.begin()
	if symmetric != nil {
		return p.work(ctx, f, g, symmetric.device.Graph, info, true)
	}
	start := time.Now()
	given, undo, err := p.store.Upload(g, info.Requires.Weights && !f.random.apply(info))
	p.uploaded += time.Since(start)
	if err == nil {
		err = p.work(ctx, f, g, given, info, false)
	}
	if err != nil {
		return errors.Join(err, undo())
	}
	return nil
}

// work makes the graph and its views of arrays on the device: those of g, or those that were
// made symmetric of it.
func (p *preparer) work(ctx context.Context, f *fitted, g *graph.Graph, given *prepare.Graph, info *check.Info, symmetric bool) error {
	start := time.Now()
	defer func() { p.worked += time.Since(start) }()
	if err := p.load(ctx); err != nil {
		return err
	}
	random := f.random.apply(info) && !symmetric
	if random {
		w, err := p.kit.RandomWeights(ctx, given, f.random.Max, f.random.Seed)
		if err != nil {
			return err
		}
		given = &prepare.Graph{Nodes: given.Nodes, Arcs: given.Arcs, Row: given.Row, Dst: given.Dst, Weight: w}
	}
	made, err := p.kit.Fit(ctx, given, info.Requires, info.Needs)
	if err == nil {
		if err = run.CheckItems(info.Needs, int64(made.Graph.Arcs)); err == nil {
			err = p.measure(ctx, f, g, info, made, !random && !symmetric && made.Graph.Row == given.Row)
		}
		if err != nil {
			err = errors.Join(err, p.kit.FreeFitted(made, given))
		}
	}
	if random && (err != nil || made.Graph.Weight != given.Weight) {
		err = errors.Join(err, p.dev.Free(given.Weight))
	}
	if err != nil {
		return err
	}
	made.Symmetrized = made.Symmetrized || symmetric
	f.device, f.edges = made, int64(made.Graph.Arcs)
	p.store.Adopt(arraysOf(made)...)
	return nil
}

// measure finds out what the choice of code depends on. A graph that is as it was given is on
// the host, too, where the range of its weights is remembered.
func (p *preparer) measure(ctx context.Context, f *fitted, g *graph.Graph, info *check.Info, made *prepare.Fitted, asGiven bool) error {
	in, err := tune.InputOnDevice(ctx, p.kit, made.Graph)
	if err != nil {
		return err
	}
	in.Name = g.Info.Name
	f.input = &in
	if asGiven {
		f.host = g
	} else if info.Requires.Weights {
		f.weights = &graph.WeightRange{MinEdge: -1}
		f.weights.Min, f.weights.Max, err = p.kit.WeightRange(ctx, made.Graph)
	}
	return err
}

// arraysOf returns the arrays of a graph on a device.
func arraysOf(f *prepare.Fitted) []device.Ptr {
	all := []device.Ptr{f.Graph.Row, f.Graph.Dst, f.Graph.Weight, f.Src}
	if f.In != nil {
		all = append(all, f.In.Row, f.In.Dst, f.In.Weight)
	}
	return slices.DeleteFunc(all, func(p device.Ptr) bool { return p == 0 })
}

// A kitCode is the kit's code, which is being compiled.
type kitCode struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when ptx and err are set
	ptx    string
	err    error
}

// begin begins to compile the kit.
func (p *preparer) begin() {
	if p.kit != nil || p.code != nil {
		return
	}
	c := &kitCode{done: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel, p.code = cancel, c
	target := p.dev.Info().Target()
	go func() {
		defer close(c.done)
		c.ptx, c.err = prepare.Compile(ctx, target)
	}()
}

// stop ends the work and waits for its end.
func (c *kitCode) stop() {
	if c != nil {
		c.cancel()
		<-c.done
	}
}

// load loads the kit, when it is compiled.
func (p *preparer) load(ctx context.Context) (err error) {
	if p.kit != nil {
		return nil
	}
	select {
	case <-p.code.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	if p.code.err != nil {
		return p.code.err
	}
	p.kit, err = prepare.New(p.dev, p.code.ptx)
	return err
}
