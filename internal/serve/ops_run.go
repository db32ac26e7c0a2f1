package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"irgl/internal/device/cuda"
	"irgl/internal/device/simt"
	"irgl/internal/engine"
)

// chooseArgs say what runs where.
type chooseArgs struct {
	Program   uint64         `cbor:"program"`
	Graph     uint64         `cbor:"graph"`
	Args      map[string]any `cbor:"args"`
	Device    string         `cbor:"device"` // as of irgl run; "" is auto
	Seed      uint64         `cbor:"seed"`
	Unchecked bool           `cbor:"unchecked"`
	Tuning    *string        `cbor:"tuning"` // the file; the user's own without it, "" for none
}

type runArgs struct {
	header
	chooseArgs
	As       uint64 `cbor:"as"`
	Workers  int    `cbor:"workers"`
	Capacity int    `cbor:"capacity"`
	Room     int    `cbor:"room"`
	Profile  bool   `cbor:"profile"`
	Verify   bool   `cbor:"verify"`
	Switches string `cbor:"switches"` // "" leaves them to irgl
}

// An output is a result of a program: an array in the arena, or one value.
type output struct {
	Name     string `cbor:"name"`
	Of       string `cbor:"of"` // what it has values of: "node", "edge", "" for a variable
	Declared string `cbor:"declared"`
	arrayRef
	Value any `cbor:"value"` // of a variable that is no array
}

type kernelStats struct {
	Name     string  `cbor:"name"`
	Launches int64   `cbor:"launches"`
	MS       float64 `cbor:"ms"`
	Items    int64   `cbor:"items"`
	Pushes   int64   `cbor:"pushes"`
	Retries  int64   `cbor:"retries"`
}

type runStats struct {
	Program      string        `cbor:"program"`
	ProgramFrom  string        `cbor:"programfrom"`
	Device       string        `cbor:"device"`
	Model        string        `cbor:"model"`
	Switches     string        `cbor:"switches"`
	SwitchesFrom string        `cbor:"switchesfrom"`
	Iterations   int64         `cbor:"iterations"`
	Launches     int64         `cbor:"launches"`
	Restarts     int64         `cbor:"restarts"`
	Prepare      float64       `cbor:"prepare"` // milliseconds, as those below
	Compile      float64       `cbor:"compile"`
	Run          float64       `cbor:"run"`
	OnDevice     float64       `cbor:"ondevice"`
	Kernels      []kernelStats `cbor:"kernels"`
	Notes        []string      `cbor:"notes"`
}

type runResult struct {
	reply
	Outputs  []output `cbor:"outputs"`
	Stats    runStats `cbor:"stats"`
	Printed  []byte   `cbor:"printed"`
	Lost     int64    `cbor:"lost"` // bytes that were printed after these
	Copied   int64    `cbor:"copied"`
	Verified *bool    `cbor:"verified"`
	Wrong    string   `cbor:"wrong"` // what verification found
}

// A work is a program and a graph that a request works with.
type work struct {
	p      *program
	d      *dataset // nil for none
	args   engine.Args
	device deviceKey
}

// begin finds what a request works with. The caller ends it.
func (s *server) begin(a *chooseArgs) (*work, error) {
	w := &work{args: a.Args}
	var err error
	if w.p, err = lookup[*program](s.handles, a.Program); err != nil {
		return nil, err
	}
	if a.Graph != 0 {
		if w.d, err = lookup[*dataset](s.handles, a.Graph); err != nil {
			return nil, err
		}
	}
	w.device = deviceKey{seed: a.Seed, unchecked: a.Unchecked}
	if w.device.name, err = s.engines.deviceName(a.Device); err != nil {
		return nil, err
	}
	if a.Tuning == nil {
		w.device.tuning = engine.TuningFile()
	} else {
		w.device.tuning = *a.Tuning
	}
	if w.d != nil {
		w.d.keep()
	}
	return w, nil
}

// input waits for the program and the graph, and returns what runs on what.
func (w *work) input(ctx context.Context, e *engines) (p *engine.Program, from string, in engine.Input, err error) {
	if err = w.p.await(ctx, "the program"); err != nil {
		return nil, "", in, err
	}
	if w.d != nil {
		if err = w.d.await(ctx, "the graph"); err != nil {
			return nil, "", in, err
		}
		in.Graph = w.d.graph
	}
	p = w.p.p
	graph, mesh := p.Needs()
	switch {
	case mesh:
		return nil, "", in, argumentf("%s needs a mesh, and meshes are not served yet", p.Name())
	case graph && w.d == nil:
		return nil, "", in, argumentf("%s needs a graph", p.Name())
	case !graph:
		in.Graph = nil
	}
	if w.p.problem != "" {
		p, from, err = w.choose(ctx, e)
	}
	return p, from, in, err
}

// choose returns the program for a problem, which is chosen once for each graph, device
// and set of arguments.
func (w *work) choose(ctx context.Context, e *engines) (*engine.Program, string, error) {
	key := choice{w.p.problem, w.device.name, w.device.tuning, strings.Join(slices.Sorted(maps.Keys(w.args)), " ")}
	w.d.mu.Lock()
	c, ok := w.d.chosen[key]
	w.d.mu.Unlock()
	if ok {
		return c.program, c.from, nil
	}
	p, from, err := engine.Choose(ctx, w.p.problem, w.d.graph, w.args, engine.Options{Device: w.device.name, Tuning: w.device.tuning})
	if err == nil {
		p, err = e.program(p.Name())
	}
	if err != nil {
		return nil, "", err
	}
	w.d.mu.Lock()
	w.d.chosen[key] = chosenProgram{p, from}
	w.d.mu.Unlock()
	return p, from, nil
}

// run runs a program on a graph.
func runProgram(s *server, a *runArgs) (*gpu, any, error) {
	if err := s.handles.check(a.As); err != nil {
		return nil, nil, err
	}
	w, err := s.begin(&a.chooseArgs)
	if err != nil {
		return nil, nil, err
	}
	out := newLent()
	s.handles[a.As] = out
	return nil, &making{a.As, out, func(ctx context.Context) (any, error) {
		defer s.drop(w.d)
		r, err := s.run(ctx, a, w, out)
		out.resolve(err)
		return r, err
	}}, nil
}

func (s *server) run(ctx context.Context, a *runArgs, w *work, out *lent) (*runResult, error) {
	p, from, in, err := w.input(ctx, s.engines)
	if err != nil {
		return nil, err
	}
	progress := progressOf(ctx)
	progress.enter("compiling")
	key := unitKey{program: p, device: w.device, workers: a.Workers, capacity: a.Capacity, room: a.Room, profile: a.Profile, switches: a.Switches}
	u, err := s.engines.acquire(ctx, key)
	if err != nil {
		return nil, err
	}
	r := &runResult{Stats: runStats{ProgramFrom: from}}
	res, err := s.engines.execute(ctx, u, in, w, progress)
	r.Printed, r.Lost = u.said.takeAll()
	if err == nil {
		r.Stats.describe(u.x, res)
		if a.Verify {
			progress.enter("verifying")
			err = r.verify(ctx, u.x, res)
		}
	}
	u.release()
	if err != nil {
		return nil, err
	}
	progress.enter("copying")
	if err := s.lendResult(r, out, p, res, w.d); err != nil {
		return nil, err
	}
	if err := s.modes.fits("run", r); err != nil {
		s.giveUp(out)
		return nil, err
	}
	return r, nil
}

// execute runs an executable, and gives up its device if that may not be usable any more.
func (e *engines) execute(ctx context.Context, u *unit, in engine.Input, w *work, p *progress) (*engine.Result, error) {
	if in.Graph != nil {
		e.use(u, in.Graph)
	}
	p.enter("preparing")
	err := u.x.PrepareInput(ctx, in)
	var r *engine.Result
	if err == nil {
		p.enter("running")
		r, err = u.x.RunOn(ctx, in, w.args)
	}
	if err != nil && u.dev != nil {
		_, fault := errors.AsType[*simt.Fault](err)
		_, faults := errors.AsType[*engine.FaultsError](err)
		_, driver := errors.AsType[*cuda.Error](err)
		if u.key.device.name != "simt" && ctx.Err() != nil {
			u.dev.waitIdle(ctx)
		}
		if fault || faults || driver || ctx.Err() != nil {
			e.lose(u)
		}
	}
	return r, err
}

// verify compares the result with an independent answer.
func (r *runResult) verify(ctx context.Context, x *engine.Executable, res *engine.Result) error {
	err := x.Verify(ctx, res)
	if errors.Is(err, engine.ErrNoReference) {
		return argumentf("verify: %v", err)
	}
	r.Verified = res.Verified()
	if err != nil && r.Verified != nil {
		r.Wrong, err = short(err.Error()), nil
	}
	return err
}

func (s *runStats) describe(x *engine.Executable, r *engine.Result) {
	s.Program, s.Iterations, s.Launches, s.Restarts = r.Program, r.Rounds(), r.Launches, r.Restarts
	s.Device, s.Model = x.Device()
	s.Switches, s.SwitchesFrom = r.Switches.OrNone(), r.SwitchesFrom
	s.Prepare, s.Compile, s.Run, s.OnDevice = r.Times.Prepare, r.Times.Compile, r.Times.Run, r.Times.Device
	s.Notes = slices.Clone(x.Notes())
	const most = 1024
	for _, k := range r.Kernels[:min(most, len(r.Kernels))] {
		s.Kernels = append(s.Kernels, kernelStats{k.Name, k.Launches, k.Time, k.Items, k.Pushes, k.Retries})
	}
}

// lendResult copies the outputs to the arena.
func (s *server) lendResult(r *runResult, out *lent, p *engine.Program, res *engine.Result, d *dataset) error {
	var l lender
	edges := false
	for _, o := range p.OutputTypes() {
		data, ok := res.Data(o.Name)
		if !ok {
			return fmt.Errorf("%s has no output %s", p.Name(), o.Name)
		}
		b, elements := bytesOf(data)
		v := output{Name: o.Name, Of: o.Of, Declared: o.Type}
		size := elementSizes[elements]
		if o.Of == "" && !strings.Contains(o.Type, "[") {
			v.Type, v.Value = elements, valueOf(data)
		} else {
			v.arrayRef = arrayRef{l.add(b), elements, int64(len(b)) / size}
			r.Copied += int64(len(b))
		}
		edges = edges || o.Of == "edge"
		r.Outputs = append(r.Outputs, v)
	}
	if len(l.parts) > 0 {
		at, err := l.fill(s.arena, "result")
		if err != nil {
			return err
		}
		out.room = newRoomAt(at)
		for i := range r.Outputs {
			if r.Outputs[i].Value == nil {
				r.Outputs[i].At += at.at
			}
		}
	}
	if edges && d != nil {
		d.keep()
		out.graph, out.of = res.Graph, d
	}
	return nil
}

// valueOf returns the one value of an output variable.
//
//irgl:flatswitch
func valueOf(data any) any {
	switch v := data.(type) {
	case []int8:
		return v[0]
	case []uint8:
		return uint64(v[0])
	case []int16:
		return v[0]
	case []uint16:
		return v[0]
	case []int32:
		return v[0]
	case []uint32:
		return v[0]
	case []int64:
		return v[0]
	case []uint64:
		return v[0]
	case []float32:
		return v[0]
	case []float64:
		return v[0]
	}
	panic(fmt.Sprintf("serve: an output is a %T", data))
}

// maxPrintedReply bounds what a reply has of what a run printed.
const maxPrintedReply = 256 << 10

// takeAll returns what was printed, and how many bytes more were.
func (p *printed) takeAll() ([]byte, int64) {
	b, lost := p.take(maxPrintedReply)
	p.mu.Lock()
	defer p.mu.Unlock()
	lost = cmp.Or(lost, p.lost+int64(len(p.text)))
	p.text, p.lost = nil, 0
	return b, lost
}
