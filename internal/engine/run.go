package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/internal/device/cuda"
	"irgl/internal/device/simt"
	"irgl/internal/interp"
	"irgl/internal/memory"
	"irgl/internal/programs"
	"irgl/internal/run"
)

// Run runs the program on a graph; it is [Executable.RunOn] without a mesh.
func (x *Executable) Run(ctx context.Context, g *graph.Graph, args Args) (*Result, error) {
	return x.RunOn(ctx, Input{Graph: g}, args)
}

// RunOn runs the program on its input, which is not changed. Cancelling ctx
// ends the run at its next step with ctx's error. Faults that the simt device
// finds, but for races that the program declares, are an error.
func (x *Executable) RunOn(ctx context.Context, input Input, args Args) (*Result, error) {
	return x.runOn(ctx, input, args, false)
}

// runOn is RunOn, which may leave the properties and the mesh on the device.
func (x *Executable) runOn(ctx context.Context, input Input, args Args, discard bool) (*Result, error) {
	if err := x.accept(ctx, &input); err != nil {
		return nil, err
	}
	g := input.Graph
	values, err := x.arguments(g, args)
	if err != nil {
		return nil, err
	}
	start, compiled, uploaded, worked := time.Now(), x.compile, x.uploaded(), x.worked()
	if err := x.Prepare(ctx, g); err != nil {
		return nil, err
	}
	if err := x.requireConservative(ctx, values); err != nil {
		return nil, err
	}
	if err := x.prepareMesh(ctx, input.Mesh); err != nil {
		return nil, err
	}
	if x.engine == nil { // of a session, and no switches were given
		if err := x.change(ctx, x.loaded); err != nil {
			return nil, err
		}
		if err := x.place(ctx); err != nil {
			return nil, err
		}
	}
	in := run.Input{Graph: x.prepared.placed(), Views: x.views, Mesh: x.elements, Args: values, Capacity: x.o.Capacity, Room: x.o.Room, Stdout: x.o.Stdout, Workers: x.o.Workers, Collect: x.o.collect(), Discard: discard, Digest: x.digest}
	if e, ok := x.engine.(run.Reserver); ok {
		e.Reserve(in)
	}
	prepared := time.Since(start) - (x.compile - compiled) - (x.uploaded() - uploaded)
	before := x.counters()
	start, busy := time.Now(), processorTime()
	raw, err := x.engine.Run(ctx, in)
	ran, processor := time.Since(start), processorTime()-busy
	faults := x.takeFaults()
	if err == nil {
		err = faults
	}
	if err != nil {
		return nil, err
	}
	res := &Result{
		Program: x.program.name, Device: x.device, Nodes: g.NumNodes(), Edges: g.NumEdges(),
		Iterations: raw.Iterations, Launches: raw.Launches, Restarts: raw.Restarts, Kernels: raw.Kernels,
		Times:    Times{Open: ms(x.opened), Prepare: ms(prepared), PrepareOnDevice: ms(x.worked() - worked), Compile: ms(x.compile), Upload: ms(x.uploaded() - uploaded), Run: ms(ran), Processor: ms(processor), Device: raw.DeviceTime, Download: raw.DownloadTime},
		Switches: x.switches, SwitchesFrom: x.from, Counters: x.counters().Sub(before),
		globals: raw.Globals, graph: g, fitted: x.prepared, mesh: input.Mesh, bundled: x.program.bundled, prepared: preparedFor(x.program.info.Requires), input: in, raw: raw,
		isDistance: x.program.isDistance,
	}
	if input.Mesh != nil {
		res.Points, res.Triangles = input.Mesh.NumNodes(), input.Mesh.NumTriangles()
	}
	for _, c := range raw.Props {
		p := &Property{column: c, graph: g}
		info := x.info()
		if !c.Of.OfMesh() && oneInitial(info, c.Name) { // of a mesh there are more than at the start
			p.initial = sync.OnceValue(func() *run.Column { return interp.InitialValues(info, info.PropOf(c.Name), oneEdge) })
		}
		res.properties = append(res.properties, p)
	}
	return res, nil
}

// accept checks that the executable can run on an input, and completes it.
func (x *Executable) accept(ctx context.Context, in *Input) error {
	switch {
	case x.sharing.lost() != nil:
		return x.sharing.lost()
	case x.closed:
		return errors.New("the executable is closed")
	case x.program.info.Mesh != nil && in.Mesh == nil:
		return fmt.Errorf("%s needs a mesh", x.program.name)
	case x.program.info.Graph != nil && in.Graph == nil:
		return fmt.Errorf("%s needs a graph", x.program.name)
	case in.Graph == nil:
		in.Graph = noGraph
	}
	if in.Mesh != nil {
		x.points = in.Mesh.NumNodes()
	}
	return in.Graph.Validate(ctx)
}

// oneInitial reports whether all values of a property are the same at the start, so that
// one which differs was set.
func oneInitial(info *check.Info, name string) bool {
	d := info.PropOf(name).Decl
	return d.Init == nil || info.Consts[d.Init] != nil
}

// oneEdge has one node and one edge, and so one initial value of each property.
var oneEdge = &graph.Graph{RowStart: []uint64{0, 1}, Dst: []uint32{0}}

// noGraph is the graph of programs that have none.
var noGraph = &graph.Graph{RowStart: []uint64{0}}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// ErrNoReference says that there is no independent answer to verify a
// program's result with: only the bundled programs have one.
var ErrNoReference = programs.ErrNoReference

// Verify compares a result of the executable with an answer computed
// independently of the compiler, node by node, and notes the outcome for
// r.Verified. The error says what differs.
func (x *Executable) Verify(ctx context.Context, r *Result) error {
	if x.program.bundled == "" {
		return ErrNoReference
	}
	if programs.Problem(r.bundled) != programs.Problem(x.program.bundled) {
		return fmt.Errorf("the result is one of %s, not of %s", r.Program, x.program.name)
	}
	in := r.input
	if in.Graph == nil { // it is on a device; this one was prepared on the host
		var err error
		if in.Graph, err = r.fitted.graph(ctx); err != nil {
			return err
		}
	}
	err := programs.Verify(ctx, x.program.bundled, in, r.raw)
	if errors.Is(err, ErrNoReference) || ctx.Err() != nil {
		return err
	}
	same := err == nil
	r.verified.Store(&same)
	if err != nil {
		return fmt.Errorf("wrong answer: %w", err)
	}
	return nil
}

// A DeviceInfo describes a device that programs can run on.
type DeviceInfo struct {
	Device string `json:"device"` // as Options.Device takes it
	Name   string `json:"name"`
	Detail string `json:"detail"`
}

// Devices lists the devices of this machine. The error, if any, says why no
// GPU is among them; the others are always there.
func Devices() ([]DeviceInfo, error) {
	gpus, err := cuda.List()
	var out []DeviceInfo
	for i, g := range gpus {
		out = append(out, DeviceInfo{fmt.Sprintf("cuda:%d", i), g.Name,
			fmt.Sprintf("compute capability %d.%d, %d multiprocessors, %s, driver %s", g.Major, g.Minor, g.Multiprocessors, memory.Format(g.Memory), g.Driver)})
	}
	emulator := simt.Open(simt.Options{})
	info := emulator.Info()
	out = append(out,
		DeviceInfo{"cpu", "generated Go", fmt.Sprintf("%d threads", runtime.GOMAXPROCS(0))},
		DeviceInfo{"interp", "reference interpreter", "one thread; slow, checks every access"},
		DeviceInfo{"simt", info.Name, fmt.Sprintf("%d multiprocessors, executes PTX and reports faults; very slow", info.Multiprocessors)})
	return out, errors.Join(err, emulator.Close())
}
