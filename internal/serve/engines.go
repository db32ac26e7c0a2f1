package serve

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"irgl/graph"
	"irgl/internal/compile"
	"irgl/internal/device/cuda"
	"irgl/internal/engine"
)

// The most programs, compiled for a device and options, and the most devices that are
// kept. Those that were not used for the longest time make way.
const (
	maxUnits   = 64
	maxDevices = 8
)

// A unitKey is what an executable is compiled for.
type unitKey struct {
	program  *engine.Program
	device   deviceKey
	workers  int
	capacity int
	room     int
	profile  bool
	switches string
}

// A deviceKey is a device with its options.
type deviceKey struct {
	name      string // "cpu", "interp", "simt", "cuda:0"
	seed      uint64
	unchecked bool
	tuning    string
}

// kept reports whether the device has memory, and a session that keeps it.
func (k deviceKey) kept() bool { return k.name != "cpu" && k.name != "interp" }

// A unit is an executable, which one run uses at a time.
type unit struct {
	key   unitKey
	turn  chan struct{} // holds a value during a run; of a kept device's units one
	dev   *kept         // nil for cpu and interp
	x     *engine.Executable
	close func() error
	drop  func(*graph.Graph) error // gives up what x has of a graph
	ended bool
	said  *printed   // by the run under way; of a kept device's units one
	used  usedGraphs // of a kept device's units one
}

// usedGraphs are the graphs that runs have used, which what is compiled or placed may refer to. They are guarded by engines.mu.
type usedGraphs map[*graph.Graph]bool

// A kept is a device with memory, which one run uses at a time.
type kept struct {
	key   deviceKey
	turn  chan struct{}
	s     *engine.Session
	used  usedGraphs
	said  printed
	ended bool
}

// engines are the executables of a server.
type engines struct {
	keeper *engine.Keeper
	gpus   func() int

	mu      sync.Mutex
	units   map[unitKey]*unit
	order   []*unit // by their last use
	devices map[deviceKey]*kept
	bundled map[string]*engine.Program
}

func newEngines() *engines {
	return &engines{
		keeper: engine.NewKeeper(), units: map[unitKey]*unit{}, devices: map[deviceKey]*kept{}, bundled: map[string]*engine.Program{},
		gpus: sync.OnceValue(func() int {
			list, err := cuda.List()
			if err != nil {
				return 0
			}
			return len(list)
		}),
	}
}

// program returns a bundled program, parsed once.
func (e *engines) program(name string) (*engine.Program, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if p := e.bundled[name]; p != nil {
		return p, nil
	}
	p, err := engine.Bundled(name)
	if err == nil {
		e.bundled[name] = p
	}
	return p, err
}

// deviceName returns the name of the device that a request wants.
func (e *engines) deviceName(text string) (string, error) {
	kind, _, err := engine.ParseDevice(text)
	switch {
	case err != nil:
		return "", argumentf("%v", err)
	case kind == "auto" && e.gpus() > 0, text == "cuda":
		return "cuda:0", nil
	case kind == "auto":
		return "cpu", nil
	}
	return text, nil
}

// acquire returns the executable for key, for the caller alone until it calls release.
func (e *engines) acquire(ctx context.Context, key unitKey) (*unit, error) {
	for {
		u := e.unit(key)
		select {
		case u.turn <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if u.ended { // while this one waited
			<-u.turn
			continue
		}
		if u.x != nil {
			return u, nil
		}
		if err := e.compile(ctx, u); err != nil {
			e.end(u)
			<-u.turn
			return nil, err
		}
		return u, nil
	}
}

// release lets others use an executable.
func (u *unit) release() { <-u.turn }

// unit returns the executable for key, which may not be compiled yet.
func (e *engines) unit(key unitKey) *unit {
	e.mu.Lock()
	defer e.mu.Unlock()
	u := e.units[key]
	if u == nil {
		u = &unit{key: key}
		if key.device.kept() {
			u.dev = e.devices[key.device]
			if u.dev == nil {
				u.dev = &kept{key: key.device, turn: make(chan struct{}, 1), used: usedGraphs{}}
				e.devices[key.device] = u.dev
			}
			u.turn, u.said, u.used = u.dev.turn, &u.dev.said, u.dev.used
		} else {
			u.turn, u.said, u.used = make(chan struct{}, 1), &printed{}, usedGraphs{}
		}
		e.units[key] = u
		e.makeWay()
	}
	if i := slices.Index(e.order, u); i >= 0 {
		e.order = slices.Delete(e.order, i, i+1)
	}
	e.order = append(e.order, u)
	return u
}

// makeWay ends what was not used for the longest time, if there is too much, and what
// nothing uses now. The caller holds mu.
func (e *engines) makeWay() {
	for _, u := range slices.Clone(e.order) {
		many := len(e.units) > maxUnits
		if !many && (u.dev == nil || len(e.devices) <= maxDevices) {
			continue
		}
		select {
		case u.turn <- struct{}{}:
		default:
			continue
		}
		e.endLocked(u)
		if !many {
			e.endDevice(u.dev)
		}
		<-u.turn
	}
}

// compile makes the executable of a unit that is the caller's.
func (e *engines) compile(ctx context.Context, u *unit) error {
	k := u.key
	o := engine.Options{
		Device: k.device.name, Workers: k.workers, Seed: k.device.seed, Capacity: k.capacity, Room: k.room, Stats: k.profile,
		Stdout: u.said, Auto: k.switches == "", Tuning: k.device.tuning, Unchecked: k.device.unchecked,
	}
	if err := o.Check(); err != nil {
		return argumentf("%v", err)
	}
	var given compile.Switches
	if k.switches != "" && k.switches != "none" {
		var err error
		if given, err = compile.ParseSwitches(k.switches); err != nil {
			return argumentf("switches: %v", err)
		}
	}
	if u.dev == nil {
		x, err := e.keeper.Compile(ctx, k.program, o)
		if err == nil {
			u.x, u.close = x, x.Close
			u.drop = func(g *graph.Graph) error {
				x.Forget(g)
				return nil
			}
		}
		return err
	}
	if u.dev.s == nil {
		s, err := engine.OpenSession(o)
		if err != nil {
			return err
		}
		u.dev.s = s
	}
	x, err := u.dev.s.Compile(k.program)
	if err != nil {
		return err
	}
	x.SetOptions(o)
	if k.switches != "" {
		if err := x.Use(ctx, given); err != nil {
			return errors.Join(err, x.Close())
		}
	}
	u.x, u.close, u.drop = x.Executable, x.Close, x.Drop
	return nil
}

// end closes an executable that is the caller's.
func (e *engines) end(u *unit) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.endLocked(u)
}

func (e *engines) endLocked(u *unit) {
	if u.ended {
		return
	}
	u.ended = true
	delete(e.units, u.key)
	e.order = slices.DeleteFunc(e.order, func(o *unit) bool { return o == u })
	if u.close != nil {
		_ = u.close() // the run, if there was one, has its error
	}
	u.x, u.close, u.drop = nil, nil, nil
}

// endDevice closes a device that is the caller's, with its executables: after a fault, or
// when it makes way. The caller holds mu.
func (e *engines) endDevice(d *kept) {
	if d.ended {
		return
	}
	d.ended = true
	for _, u := range slices.Collect(maps.Values(e.units)) {
		if u.dev == d {
			e.endLocked(u)
		}
	}
	delete(e.devices, d.key)
	if d.s != nil {
		_ = d.s.Close() // it repeats the error that is known
	}
}

// waitIdle waits for the kernels of a run that ctx has ended: nothing stops them. A device
// on which they go on is left to the end of the process.
func (d *kept) waitIdle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	_ = d.s.WaitIdle(ctx)
}

// lose closes the device of a unit that is the caller's, after an error that may have left
// it unusable.
func (e *engines) lose(u *unit) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.endDevice(u.dev)
}

// use notes that a run uses a graph.
func (e *engines) use(u *unit, g *graph.Graph) {
	e.mu.Lock()
	defer e.mu.Unlock()
	u.used[g] = true
}

// users returns the executables of the CPU and the devices that have used a graph, and notes that they will not have.
func (e *engines) users(g *graph.Graph) (units []*unit, devices []*kept) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, u := range e.units {
		if u.dev == nil && u.used[g] {
			units = append(units, u)
			delete(u.used, g)
		}
	}
	for _, d := range e.devices {
		if d.used[g] {
			devices = append(devices, d)
		}
	}
	return units, devices
}

// dropGraph forgets a graph that nothing uses any more, when the runs under way of what has used it are done.
func (e *engines) dropGraph(g *graph.Graph) {
	e.keeper.Drop(g)
	units, devices := e.users(g)
	for _, u := range units {
		u.turn <- struct{}{}
		if u.drop != nil {
			_ = u.drop(g)
		}
		<-u.turn
	}
	for _, d := range devices {
		d.turn <- struct{}{}
		e.forget(d, g)
		<-d.turn
	}
}

// forget frees what a device has of a graph: its memory is found by its address, which another graph may
// get. What is compiled stays.
func (e *engines) forget(d *kept, g *graph.Graph) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !d.used[g] || d.ended {
		return
	}
	delete(d.used, g)
	var err error
	for _, u := range e.units {
		if u.dev == d && u.drop != nil {
			err = errors.Join(err, u.drop(g))
		}
	}
	if d.s != nil {
		err = errors.Join(err, d.s.Drop(g))
	}
	if err != nil {
		e.endDevice(d)
	}
}

// dropProgram closes what was compiled of a program, when its runs are done.
func (e *engines) dropProgram(p *engine.Program) {
	e.mu.Lock()
	units := slices.Collect(maps.Values(e.units))
	e.mu.Unlock()
	for _, u := range units {
		if u.key.program == p {
			u.turn <- struct{}{}
			e.end(u)
			<-u.turn
		}
	}
}

// closeAll ends all, when no request is under way any more.
func (e *engines) closeAll() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, u := range slices.Collect(maps.Values(e.units)) {
		e.endLocked(u)
	}
	for _, d := range slices.Collect(maps.Values(e.devices)) {
		e.endDevice(d)
	}
}
