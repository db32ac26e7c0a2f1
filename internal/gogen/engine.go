package gogen

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"

	"irgl/internal/check"
	"irgl/internal/run"
	"irgl/internal/source"
	"irgl/rt"
	"irgl/syntax"
)

// Hash returns the hash of a program's text that generated code carries.
func Hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Engine returns an engine over a generated program that is compiled into this
// binary; file is its text. It may run on several goroutines at once.
func Engine(p *rt.Program, file *source.File) run.Engine {
	return &inProcess{program: p, file: file}
}

type inProcess struct {
	program *rt.Program
	file    *source.File
	memory  rt.Memory
}

// Reserve allocates what a run needs.
func (e *inProcess) Reserve(in run.Input) {
	if in.Graph != nil {
		e.program.Reserve(&e.memory, &rt.Graph{RowStart: in.Graph.RowStart, Dst: in.Graph.Dst}, in.Workers)
	}
}

func (e *inProcess) Run(ctx context.Context, in run.Input) (*run.Result, error) {
	p := e.program
	needs := check.Needs{InEdges: p.InEdges, Sources: p.Sources, EdgeItems: p.EdgeItems}
	if err := in.Complete(ctx, needs, check.Requires{Weights: p.Weights, Symmetric: p.Symmetric}); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	ri, err := input(p.Name, p.Params, in)
	if err != nil {
		return nil, err
	}
	ri.Memory = &e.memory
	res, err := e.program.Execute(ctx, ri)
	if err != nil {
		return nil, Located(err, e.file)
	}
	return result(res)
}

// Located returns a fault as a diagnostic of the program's text, and other errors
// as they are.
func Located(err error, file *source.File) error {
	f, ok := errors.AsType[*rt.Fault](err)
	if !ok {
		return err
	}
	var diags source.List
	diags.Errorf(file.Pos(int(f.Place.From)), file.Pos(int(f.Place.To)), faultCodes[f.Kind], "%s", f.Message)
	return diags.Err()
}

// collects maps what a run may be asked to collect to rt's values.
var collects = [...]rt.Collect{
	run.CollectNothing: rt.CollectNothing, run.CollectKernels: rt.CollectKernels, run.CollectEvents: rt.CollectLaunches,
}

// kindTypes gives a C type of each of rt's kinds.
var kindTypes = sync.OnceValue(func() map[rt.Kind]check.Basic {
	return map[rt.Kind]check.Basic{
		rt.Int8: check.Char, rt.Uint8: check.UChar, rt.Int16: check.Short, rt.Uint16: check.UShort, rt.Int32: check.Int,
		rt.Uint32: check.UInt, rt.Int64: check.Long, rt.Uint64: check.ULong, rt.Float32: check.Float, rt.Float64: check.Double,
	}
})

// input converts a run's input to rt's.
func input(name string, params []rt.Kind, in run.Input) (rt.Input, error) {
	out := rt.Input{Workers: in.Workers, Room: in.Room, Stdout: in.Stdout, Collect: collects[in.Collect]}
	if len(in.Args) != len(params) {
		return out, fmt.Errorf("%s: %d arguments, %d wanted", name, len(in.Args), len(params))
	}
	for i, a := range in.Args {
		v := a
		// A bool is a byte that holds 0 or 1 already.
		if a.Type != check.Bool || params[i] != rt.Uint8 {
			v = a.Convert(kindTypes()[params[i]])
		}
		out.Args = append(out.Args, rt.Value{Kind: params[i], Int: v.Int, Float: v.Float})
	}
	if g := in.Graph; g != nil {
		out.Graph = &rt.Graph{RowStart: g.RowStart, Dst: g.Dst, Weight: g.Weight, Src: in.Src}
		switch {
		case in.In == g:
			out.Graph.In = out.Graph
		case in.In != nil:
			out.Graph.In = &rt.Graph{RowStart: in.In.RowStart, Dst: in.In.Dst, Weight: in.In.Weight}
		}
	}
	if m := in.Mesh; m != nil {
		out.Mesh = &rt.Mesh{X: m.X, Y: m.Y, Points: m.Points, Neighbors: m.Neighbors, Deleted: m.Deleted}
	}
	return out, nil
}

// basicNames maps the names of scalar types to the types.
var basicNames = sync.OnceValue(func() map[string]check.Basic {
	m := map[string]check.Basic{}
	for b := range kinds() {
		m[b.String()] = b
	}
	return m
})

// result converts rt's result to a run's.
func result(res *rt.Result) (*run.Result, error) {
	out := &run.Result{Stats: run.Stats{Iterations: res.Iterations, Launches: res.Launches, Restarts: res.Restarts}}
	if m := res.Mesh; m != nil {
		out.Mesh = &run.Mesh{X: m.X, Y: m.Y, Points: m.Points, Neighbors: m.Neighbors, Deleted: m.Deleted}
	}
	if p := res.Profile; p != nil {
		store(&out.Stats, p)
	}
	for _, c := range res.Props {
		t, ok := basicNames()[c.Type]
		if !ok {
			return nil, fmt.Errorf("result %s has the unknown type %q", c.Name, c.Type)
		}
		out.Props = append(out.Props, &run.Column{Name: c.Name, Of: syntax.Domain(c.Of), Type: t, Data: c.Data})
	}
	for _, g := range res.Globals {
		t, ok := basicNames()[g.Type]
		if !ok {
			return nil, fmt.Errorf("result %s has the unknown type %q", g.Name, g.Type)
		}
		c := run.Column{Name: g.Name, Type: t, Data: g.Data}
		global := run.Global{Name: g.Name}
		for i := range c.Len() {
			global.Values = append(global.Values, c.Value(i))
		}
		out.Globals = append(out.Globals, global)
	}
	return out, nil
}

// store puts a profile into a run's statistics.
func store(s *run.Stats, p *rt.Profile) {
	s.Kernels, s.DroppedEvents = []run.KernelStats{}, p.Dropped
	for _, k := range p.Kernels {
		s.Kernels = append(s.Kernels, run.KernelStats{
			Name: k.Name, Launches: k.Launches, Time: k.Time, Items: k.Items, Pushes: k.Pushes, Retries: k.Retries,
		})
	}
	run.SortKernels(s.Kernels)
	if p.Launches == nil {
		return
	}
	s.Events = append(s.Events, run.Event{Kind: run.HostEvent, Name: "host functions", Time: p.Time})
	restarts := p.Restarts
	for _, l := range p.Launches {
		for ; len(restarts) > 0 && restarts[0] <= l.Start; restarts = restarts[1:] {
			s.Events = append(s.Events, run.Event{Kind: run.RestartEvent, Name: "restart", Start: restarts[0]})
		}
		s.Events = append(s.Events, run.Event{
			Kind: run.KernelEvent, Name: l.Name, Start: l.Start, Time: l.Time,
			Items: l.Items, Pushes: l.Pushes, Retries: l.Retries, Iteration: l.Iteration,
		})
	}
}
