package serve

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"irgl/graph"
	"irgl/internal/device"
)

type graphArgs struct {
	header
	As uint64 `cbor:"as"`

	// One of these says where the graph comes from: a file, a generator, another
	// graph, or arrays, those with Offsets in rows.
	Path     string    `cbor:"path"`
	Format   string    `cbor:"format"`
	Generate string    `cbor:"generate"`
	From     uint64    `cbor:"from"`
	Nodes    int64     `cbor:"nodes"`
	Offsets  *arrayRef `cbor:"offsets"`
	Sources  *arrayRef `cbor:"sources"`
	Targets  *arrayRef `cbor:"targets"`
	Weights  *arrayRef `cbor:"weights"`
	Share    bool      `cbor:"share"`

	// What becomes of it, in this order.
	Transpose  bool   `cbor:"transpose"`
	Random     int    `cbor:"random"` // the largest of random weights
	Seed       uint64 `cbor:"seed"`
	Symmetrize bool   `cbor:"symmetrize"`
}

// arrays reports whether the graph comes from arrays.
func (a *graphArgs) arrays() bool {
	return a.Offsets != nil || a.Sources != nil || a.Targets != nil || a.Weights != nil || a.Nodes != 0
}

func (a *graphArgs) check() error {
	origins := 0
	for _, given := range []bool{a.Path != "", a.Generate != "", a.From != 0, a.arrays()} {
		if given {
			origins++
		}
	}
	switch {
	case origins != 1:
		return argumentf("graph: give one of path, generate, from, and arrays of nodes and edges")
	case a.Format != "" && a.Path == "":
		return argumentf("graph: format is that of a file")
	case a.Share && !a.arrays():
		return argumentf("graph: only arrays are shared")
	case a.Random < 0 || a.Random > math.MaxInt32:
		return argumentf("graph: random weights up to %d: want 1 to %d", a.Random, math.MaxInt32)
	case a.Seed != 0 && a.Random == 0:
		return argumentf("graph: seed is that of random weights")
	}
	if !a.arrays() {
		return nil
	}
	switch {
	case (a.Offsets == nil) == (a.Sources == nil):
		return argumentf("graph: give either offsets or sources")
	case a.Targets == nil:
		return argumentf("graph: there are no targets")
	case a.Nodes < 0 || a.Nodes > graph.MaxNodes:
		return argumentf("graph: %d nodes: there are at most %d", a.Nodes, graph.MaxNodes)
	}
	return nil
}

type graphResult struct {
	reply
	Nodes   int      `cbor:"nodes"`
	Edges   int64    `cbor:"edges"`
	Weights string   `cbor:"weights"` // "int32", "float64", "" for none
	Named   bool     `cbor:"named"`   // nodes have other numbers than those from 0 on
	Notes   []string `cbor:"notes"`
	Copied  int64    `cbor:"copied"` // bytes of the arrays
}

// newGraph makes a graph.
func newGraph(s *server, a *graphArgs) (*gpu, any, error) {
	var from *dataset
	err := cmp.Or(s.handles.check(a.As), a.check())
	if err == nil && a.From != 0 {
		from, err = lookup[*dataset](s.handles, a.From)
	}
	if err != nil {
		return nil, nil, err
	}
	d := &dataset{future: newFuture(), chosen: map[choice]chosenProgram{}, base: from}
	if err := s.shareRooms(d, a); err != nil {
		return nil, nil, err
	}
	d.keep()
	if from != nil {
		from.keep()
	}
	s.handles[a.As] = d
	return nil, &making{a.As, d, func(ctx context.Context) (any, error) {
		r := &graphResult{}
		g, err := s.readGraph(ctx, a, from, r)
		if err == nil {
			r.describe(g)
			d.graph = g
		} else {
			err = inputFailure(ctx, err)
		}
		if a.Sources != nil { // it was built in memory of its own
			s.dropRooms(d)
		}
		d.resolve(err)
		if err != nil {
			s.drop(d)
		}
		return r, err
	}}, nil
}

// shareRooms has the graph keep the rooms that its arrays are in.
func (s *server) shareRooms(d *dataset, a *graphArgs) error {
	if !a.Share {
		return nil
	}
	for _, ref := range []*arrayRef{a.Offsets, a.Sources, a.Targets, a.Weights} {
		if ref == nil || ref.Length == 0 {
			continue
		}
		b, err := s.arena.array("share", ref)
		if err != nil {
			return err
		}
		r := s.roomAt(ref.At, int64(len(b)))
		if r == nil {
			return argumentf("graph: an array that is shared is in a room, or a result")
		}
		d.rooms = append(d.rooms, r)
	}
	for _, r := range d.rooms {
		r.keep()
	}
	return nil
}

// readGraph makes the graph of a request.
func (s *server) readGraph(ctx context.Context, a *graphArgs, from *dataset, r *graphResult) (g *graph.Graph, err error) {
	p := progressOf(ctx)
	switch {
	case a.Path != "":
		p.enter("reading")
		opts := []graph.Option{graph.WithProgress(p.set)}
		if a.Format != "" {
			f, err := graph.ParseFormat(a.Format)
			if err != nil {
				return nil, argumentf("%v", err)
			}
			opts = append(opts, graph.WithFormat(f))
		}
		g, err = graph.Open(ctx, a.Path, opts...)
	case a.Generate != "":
		p.enter("generating")
		spec, err := graph.ParseSpec(a.Generate)
		if err != nil {
			return nil, argumentf("%v", err)
		}
		if g, err = spec.Generate(ctx); err != nil {
			return nil, err
		}
	case from != nil:
		if err = from.await(ctx, "the graph"); err == nil {
			g = from.graph
		}
	default:
		p.enter("building")
		g, err = s.graphOfArrays(ctx, a, r)
	}
	if err != nil {
		return nil, err
	}
	return a.transform(ctx, g)
}

// graphOfArrays makes a graph of arrays in the arena.
func (s *server) graphOfArrays(ctx context.Context, a *graphArgs, r *graphResult) (*graph.Graph, error) {
	in := &arrayReader{arena: s.arena, share: a.Share}
	defer func() { r.Copied = in.copied }()
	g := &graph.Graph{}
	var err error
	if a.Weights != nil {
		if g.Weight, g.WeightF, err = in.weights(a.Weights); err != nil {
			return nil, err
		}
	}
	if g.Dst, err = indices[uint32](in, "targets", a.Targets); err != nil {
		return nil, err
	}
	if a.Offsets != nil {
		if g.RowStart, err = indices[uint64](in, "offsets", a.Offsets); err != nil {
			return nil, err
		}
		if len(g.RowStart) != int(a.Nodes)+1 {
			return nil, argumentf("graph: %d offsets for %d nodes: there is one more than nodes", len(g.RowStart), a.Nodes)
		}
		g.Info.FileEdges = g.NumEdges()
		if err = g.Validate(ctx); err != nil {
			err = cmp.Or(in.negative("offsets", a.Offsets), in.negative("targets", a.Targets), err)
		}
		return g, err
	}
	src, err := indices[uint32](in, "sources", a.Sources)
	if err != nil {
		return nil, err
	}
	if g.WeightF != nil {
		g, err = graph.FromEdgesReal(int(a.Nodes), src, g.Dst, g.WeightF)
	} else {
		g, err = graph.FromEdges(int(a.Nodes), src, g.Dst, g.Weight)
	}
	if err != nil {
		err = cmp.Or(in.negative("sources", a.Sources), in.negative("targets", a.Targets), err)
	}
	return g, err
}

// unsigned takes an array for one of unsigned integers of the same size: what is negative
// is too large then, and refused with all that is; [arrayReader.negative] says what it is.
func unsigned(a *arrayRef) *arrayRef {
	if a.Type != "int32" && a.Type != "int64" {
		return a
	}
	return &arrayRef{At: a.At, Type: "u" + a.Type, Length: a.Length}
}

// transform does to a graph what a request wants.
func (a *graphArgs) transform(ctx context.Context, g *graph.Graph) (*graph.Graph, error) {
	var err error
	if a.Transpose {
		if g, err = g.Transpose(ctx); err != nil {
			return nil, err
		}
	}
	if a.Random > 0 {
		if g, err = g.RandomWeights(ctx, a.Random, cmp.Or(a.Seed, graph.DefaultSeed)); err != nil {
			return nil, err
		}
	}
	if a.Symmetrize {
		progressOf(ctx).enter("symmetrizing")
		return g.Symmetrize(ctx)
	}
	return g, nil
}

func (r *graphResult) describe(g *graph.Graph) {
	r.Nodes, r.Edges, r.Named = g.NumNodes(), g.NumEdges(), g.IDs != nil || g.Base != 0
	switch {
	case g.Weight != nil:
		r.Weights = "int32"
	case g.WeightF != nil:
		r.Weights = "float64"
	}
	const most = 32
	r.Notes = slices.Clone(g.Info.Notes[:min(most, len(g.Info.Notes))])
	for i, note := range r.Notes {
		r.Notes[i] = short(note)
	}
}

// inputFailure is the error of a graph that cannot be had.
func inputFailure(ctx context.Context, err error) error {
	_, known := errors.AsType[*failure](err)
	_, memory := errors.AsType[*device.OutOfMemoryError](err)
	if known || memory || ctx.Err() != nil {
		return err
	}
	f := &failure{Kind: kindInput, Message: err.Error()}
	if r, ok := errors.AsType[*graph.ReadError](err); ok {
		f.Position = positionOf(r)
	}
	return f
}

type arraysArgs struct {
	header
	As     uint64 `cbor:"as"`
	Graph  uint64 `cbor:"graph"`
	Result uint64 `cbor:"result"`
}

type arraysResult struct {
	reply
	Offsets arrayRef  `cbor:"offsets"`
	Targets arrayRef  `cbor:"targets"`
	Weights *arrayRef `cbor:"weights"`
	Names   *arrayRef `cbor:"names"`
	Copied  int64     `cbor:"copied"`
}

// graphArrays copies the rows of a graph to the arena: of a handle, or the one that a
// program with values of edges ran on.
func graphArrays(s *server, a *arraysArgs) (*gpu, any, error) {
	d, r, err := s.graphOrResult(a)
	if err := cmp.Or(s.handles.check(a.As), err); err != nil {
		return nil, nil, err
	}
	out := newLent()
	s.handles[a.As] = out
	if r != nil {
		r.uses.Add(1)
	} else {
		d.keep()
	}
	return nil, &making{a.As, out, func(ctx context.Context) (any, error) {
		g, err := graphOf(ctx, d, r)
		if r != nil {
			defer s.closeWhenMade(&r.future, func() { s.dropLent(r) })(ctx)
		} else {
			defer s.drop(d)
		}
		res := &arraysResult{}
		if err == nil {
			out.room, err = res.fill(s.arena, g)
		}
		out.resolve(err)
		return res, err
	}}, nil
}

func (s *server) graphOrResult(a *arraysArgs) (d *dataset, r *lent, err error) {
	if (a.Graph == 0) == (a.Result == 0) {
		return nil, nil, argumentf("arrays: give either graph or result")
	}
	if a.Result == 0 {
		d, err = lookup[*dataset](s.handles, a.Graph)
		return d, nil, err
	}
	r, err = lookup[*lent](s.handles, a.Result)
	return nil, r, err
}

// graphOf returns the graph of a handle, or the one that a result is about.
func graphOf(ctx context.Context, d *dataset, r *lent) (*graph.Graph, error) {
	if r != nil {
		if err := r.await(ctx, "the result"); err != nil {
			return nil, err
		}
		if r.graph == nil {
			return nil, argumentf("arrays: the result has no values of edges")
		}
		return r.graph(ctx)
	}
	if err := d.await(ctx, "the graph"); err != nil {
		return nil, err
	}
	return d.graph, nil
}

// fill copies the rows.
func (res *arraysResult) fill(a *arena, g *graph.Graph) (*room, error) {
	var l lender
	row := g.RowStart
	if len(row) == 0 {
		row = []uint64{0}
	}
	res.Offsets = arrayRef{l.add(raw(row)), "int64", int64(len(row))}
	res.Targets = arrayRef{l.add(raw(g.Dst)), "int32", int64(len(g.Dst))}
	switch {
	case g.Weight != nil:
		res.Weights = &arrayRef{l.add(raw(g.Weight)), "int32", int64(len(g.Weight))}
	case g.WeightF != nil:
		res.Weights = &arrayRef{l.add(raw(g.WeightF)), "float64", int64(len(g.WeightF))}
	}
	names := g.IDs
	if names == nil && g.Base != 0 {
		names = make([]uint64, g.NumNodes())
		for v := range names {
			names[v] = g.ExternalID(uint32(v))
		}
	}
	if names != nil {
		res.Names = &arrayRef{l.add(raw(names)), "uint64", int64(len(names))}
	}
	r, err := l.fill(a, "arrays")
	if err != nil {
		return nil, err
	}
	for _, b := range l.parts {
		res.Copied += int64(len(b))
	}
	for _, ref := range []*arrayRef{&res.Offsets, &res.Targets, res.Weights, res.Names} {
		if ref != nil {
			ref.At += r.at
		}
	}
	return newRoomAt(r), nil
}

type statisticsArgs struct {
	header
	Graph uint64 `cbor:"graph"`
}

type statisticsResult struct {
	reply
	Nodes            int     `cbor:"nodes"`
	Edges            int64   `cbor:"edges"`
	SelfLoops        int64   `cbor:"selfloops"`
	Duplicates       int64   `cbor:"duplicates"`
	Symmetric        bool    `cbor:"symmetric"`
	Sorted           bool    `cbor:"sorted"`
	MinDegree        int64   `cbor:"mindegree"`
	MaxDegree        int64   `cbor:"maxdegree"`
	MeanDegree       float64 `cbor:"meandegree"`
	Isolated         int     `cbor:"isolated"`
	Components       int     `cbor:"components"`
	LargestComponent int     `cbor:"largestcomponent"`
	WeightMin        float64 `cbor:"weightmin"`
	WeightMax        float64 `cbor:"weightmax"`
	WeightSum        float64 `cbor:"weightsum"`
}

// statistics computes facts about a graph.
func statistics(s *server, a *statisticsArgs) (*gpu, any, error) {
	d, err := lookup[*dataset](s.handles, a.Graph)
	if err != nil {
		return nil, nil, err
	}
	d.keep()
	return nil, wait(func(ctx context.Context) (any, error) {
		defer s.drop(d)
		if err := d.await(ctx, "the graph"); err != nil {
			return nil, err
		}
		f, err := d.graph.Stats(ctx)
		return &statisticsResult{
			Nodes: f.Nodes, Edges: f.Edges, SelfLoops: f.SelfLoops, Duplicates: f.Duplicates, Symmetric: f.Symmetric, Sorted: f.Sorted,
			MinDegree: f.MinDegree, MaxDegree: f.MaxDegree, MeanDegree: f.MeanDegree, Isolated: f.Isolated, Components: f.Components,
			LargestComponent: f.LargestComponent, WeightMin: f.WeightMin, WeightMax: f.WeightMax, WeightSum: f.WeightSum,
		}, err
	}), nil
}
