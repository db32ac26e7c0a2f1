package engine

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/internal/codecache"
	"irgl/internal/compile"
	"irgl/internal/device"
	"irgl/internal/device/cuda"
	"irgl/internal/device/simt"
	"irgl/internal/gogen"
	"irgl/internal/host"
	"irgl/internal/interp"
	"irgl/internal/lower"
	"irgl/internal/programs"
	"irgl/internal/run"
	"irgl/internal/suggest"
	"irgl/mesh"
	"irgl/syntax"
)

// DeviceNames returns the values of [Options.Device]; cuda may be followed by
// the number of a GPU, as in cuda:1.
func DeviceNames() []string { return []string{"auto", "cuda", "cpu", "interp", "simt"} }

// Compile makes the program ready to run on a device, which is opened here.
// The error of a program that cannot be compiled for it holds diagnostics.
func (p *Program) Compile(ctx context.Context, o Options) (*Executable, error) {
	if p.info.Entry == nil {
		return nil, fmt.Errorf("%s has no Host function to run", p.file.Name)
	}
	if err := errors.Join(ctx.Err(), o.Check()); err != nil {
		return nil, err
	}
	start := time.Now()
	x := &Executable{program: p, o: o, from: "given", sharing: alone{}}
	x.o.Auto = o.Auto && o.PTX == ""
	if o.SlowBuild != nil {
		x.o.SlowBuild = sync.OnceFunc(o.SlowBuild)
	}
	if err := x.open(ctx); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	if x.o.Auto && x.dev != nil && p.bundled == "" && slices.Contains(Programs(), p.name) {
		x.notes = append(x.notes, fmt.Sprintf("the text is not that of the bundled program %s: it gets the switches for any program", p.name))
	}
	x.compile = time.Since(start) - x.opened
	return x, nil
}

// open chooses the device and makes the engine.
func (x *Executable) open(ctx context.Context) error {
	name, ordinal, err := ParseDevice(x.o.Device)
	if err != nil {
		return err
	}
	if x.o.PTX != "" && name != "cuda" && name != "simt" && name != "auto" {
		return fmt.Errorf("PTX runs on the devices cuda and simt, not on %s", name)
	}
	if err := x.checkGlobals(name == "cuda" || name == "auto"); err != nil {
		return err
	}
	switch name {
	case "cuda":
		return x.openCUDA(ctx, ordinal)
	case "simt":
		return x.openSIMT(ctx)
	case "interp":
		return x.openInterp()
	case "cpu":
		return x.openCPU(ctx)
	}
	err = x.openCUDA(ctx, ordinal)
	if errors.Is(err, cuda.ErrNoDriver) || errors.Is(err, cuda.ErrNoDevice) {
		if x.o.PTX != "" {
			return err
		}
		if err := x.checkGlobals(false); err != nil {
			return err
		}
		return x.openCPU(ctx)
	}
	return err
}

// ParseDevice splits a value of [Options.Device] into the kind of device and
// the number of the GPU. "" is "auto".
func ParseDevice(text string) (name string, ordinal int, err error) {
	name, number, numbered := strings.Cut(text, ":")
	if name == "" {
		name = "auto"
	}
	for _, known := range DeviceNames() {
		if name != known {
			continue
		}
		if !numbered {
			return name, 0, nil
		}
		ordinal, err = strconv.Atoi(number)
		if name == "cuda" && (err != nil || ordinal < 0) {
			return "", 0, fmt.Errorf("device %q: GPUs have numbers from 0 on, as in cuda:1", text)
		}
		if name != "cuda" {
			return "", 0, fmt.Errorf("device %q: only cuda takes a number, as in cuda:1", text)
		}
		return name, ordinal, nil
	}
	return "", 0, fmt.Errorf("there is no device %q (there are %s)%s", text, strings.Join(DeviceNames(), ", "), suggest.Hint(name, DeviceNames()))
}

func (x *Executable) openCUDA(ctx context.Context, ordinal int) error {
	start := time.Now()
	dev, err := x.o.Opening.take(ctx, ordinal)
	x.opened += time.Since(start)
	if err != nil {
		return err
	}
	return x.opens(ctx, "cuda", dev)
}

// openGPU opens a GPU whose machine code the user's cache keeps.
func openGPU(ordinal int) (device.Device, error) {
	return cuda.OpenWith(ordinal, cuda.Options{Cache: codecache.User()})
}

func (x *Executable) openSIMT(ctx context.Context) error {
	o := simt.Checked()
	if x.o.Unchecked {
		o = simt.Options{}
	}
	o.Seed, o.Stdout = x.o.Seed, x.o.Stdout
	return x.opens(ctx, "simt", simt.Open(o))
}

// opens takes a device of a kind that was opened.
func (x *Executable) opens(ctx context.Context, kind string, dev device.Device) error {
	x.closers = append(x.closers, dev.Close)
	x.device, x.about, x.hardware = kind, dev.Info().Name, dev.Info()
	if x.preparer = newPreparer(x.o, kind, dev, host.NewStore(dev)); x.preparer != nil {
		x.closers = append(x.closers, x.preparer.close)
		if x.o.changes(x.program.info) {
			x.preparer.begin()
		}
	}
	return x.load(ctx, dev)
}

// A code is a choice of switches and widths to compile a program with.
type code struct {
	lower lower.Options // but for Index64
	widths
}

// widths are what the code's choice of 64 bits over 32 depends on in a graph.
type widths struct {
	index64 bool // row offsets
	wide    bool // distances
}

// key names a code among those of one program.
func (c code) key() string { return fmt.Sprint(c.lower.String(), " ", c.widths) }

// load compiles the program for a device and makes its engine. When the graph
// has a say in how, it only checks that the program can be compiled.
func (x *Executable) load(ctx context.Context, dev device.Device) error {
	x.dev = dev
	c := code{lower: x.o.Compile.Lower}
	if x.o.Auto && x.program.bundled != "" {
		return nil // a test has compiled it
	}
	if x.o.Auto {
		_, err := x.build(ctx, c, "ssagen")
		return err
	}
	return x.reload(ctx, c)
}

// build compiles the program up to the stage called last, "" for all.
func (x *Executable) build(ctx context.Context, c code, last string) (*compile.Unit, error) {
	o := x.o.Compile
	o.Context = ctx
	o.Lower = c.lower
	o.Lower.Index64 = c.index64
	o.Wide = c.wide
	if o.PTX.Target == "" {
		o.PTX.Target = x.hardware.Target()
	}
	if _, names := x.dev.(device.Describing); names { // its reports give lines of the source
		o.PTX.Lines, o.PTX.Paths, o.Opt.CallSites = true, map[string]string{}, x.program.file
	}
	if !x.hardware.Cooperative && !o.Lower.Outline.Launches {
		o.Lower.Outline = lower.Outline{}
	}
	return compile.Compile(x.program.file, syntax.IrGL, last, o)
}

// reload makes the engine for c, in place of the one there is.
func (x *Executable) reload(ctx context.Context, c code) error {
	last, text := "", x.o.PTX
	if text != "" {
		last = "recheck"
		if c.lower.Outline.Launches {
			last = "ssagen" // which knows the launches in device code
		}
	}
	if had, err := x.sharing.exchange(c); err != nil || had {
		return err
	}
	u, err := x.sharing.built(ctx, x, c, last)
	if err != nil {
		return err
	}
	if text == "" {
		text = u.PTXText()
	}
	start := time.Now()
	e, note, err := x.newHost(u, text, host.Options{BlockThreads: c.lower.BlockThreads, Store: x.sharing.store(x)})
	if _, refused := errors.AsType[*cuda.LoadError](err); refused && x.o.PTX == "" {
		return u.Refused(err)
	}
	if err != nil {
		return err
	}
	x.sharing.noteLoad(time.Since(start))
	if note != "" && !slices.Contains(x.notes, note) {
		x.notes = append(x.notes, note)
	}
	old, _ := x.engine.(*host.Engine)
	x.engine, x.loaded, x.switches = e, c, compile.SwitchesOf(c.lower)
	if old == nil {
		return nil
	}
	return old.Close()
}

func (x *Executable) openInterp() error {
	x.device, x.about = "interp", "reference interpreter"
	e, err := interp.New(x.info(), interp.Options{Seed: x.o.Seed})
	x.engine = e
	return err
}

// info returns what is known of the program in the form that is loaded.
func (x *Executable) info() *check.Info {
	if x.dev == nil {
		return x.program.onCPU(x.loaded.wide)
	}
	if x.loaded.wide {
		return x.program.wide()
	}
	return x.program.info
}

// widen replaces an engine that has no switches if the distances of the graph have
// another width than its code.
func (x *Executable) widen(ctx context.Context, wide bool) error {
	if x.loaded.wide == wide {
		return nil
	}
	old, loaded, notes, device, about := x.engine, x.loaded, x.notes, x.device, x.about
	x.loaded.wide = wide
	start := time.Now()
	var err error
	if device == "interp" {
		err = x.openInterp()
	} else {
		x.notes = nil // they are added again
		err = x.openCPU(ctx)
	}
	x.compile += time.Since(start)
	if err != nil { // the old engine is as good as before
		x.engine, x.loaded, x.notes, x.device, x.about = old, loaded, notes, device, about
		return err
	}
	if c, ok := old.(interface{ Close() error }); ok {
		return c.Close()
	}
	return nil
}

// openCPU takes the code that is compiled in, for a bundled program or one of a
// generated package, builds any other with the Go toolchain, and falls back to the
// interpreter.
func (x *Executable) openCPU(ctx context.Context) error {
	x.device, x.about = "cpu", "generated Go"
	if e, ok := x.program.compiledIn(x.loaded.wide); ok {
		x.engine, x.about = e, x.about+", compiled in"
		return nil
	}
	e, err := gogen.Build(ctx, x.info(), x.program.file.Content, x.o.SlowBuild)
	if err == nil {
		x.engine = e
		return nil
	}
	reason, ok := gogen.Fallback(err, x.program.name)
	if !ok {
		return err
	}
	x.note(reason)
	return x.openInterp()
}

// note notes why the interpreter takes the place of generated Go.
func (x *Executable) note(reason string) {
	x.notes = append(x.notes, reason+"; the interpreter runs it, 5 to 10 times slower")
}

// Device returns the kind of the device and its maker's name for it.
func (x *Executable) Device() (kind, about string) { return x.device, x.about }

// Notes returns what a user should know about how the program will run.
func (x *Executable) Notes() []string { return x.notes }

// Close gives the device and all its memory back.
func (x *Executable) Close() error {
	x.ahead.stop()
	var err error
	if c, ok := x.engine.(interface{ Close() error }); ok && x.sharing.lost() == nil {
		err = c.Close()
	}
	for i := len(x.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, x.closers[i]())
	}
	x.engine, x.closers, x.closed = nil, nil, true
	return err
}

// Prepare makes the graph fit what the program requires and places it on the
// device. Run does so when needed; doing it before keeps it out of a run. A
// program without a graph takes nil.
func (x *Executable) Prepare(ctx context.Context, g *graph.Graph) error {
	if g == nil {
		g = noGraph
	}
	if x.given == g {
		return nil
	}
	f, err := x.fitGraph(ctx, g)
	if err != nil {
		return err
	}
	beside, cancel := context.WithCancel(ctx)
	defer cancel()
	viewed := viewsBeside(beside, f)
	x.given = nil // from here on the engine is not ready for it: an error leaves nothing prepared
	if err := x.fit(ctx, f); err != nil {
		cancel()
		_, _ = viewed()
		return err
	}
	views, err := viewed()
	if err != nil {
		return err
	}
	if err := x.placeGraph(ctx, f, views); err != nil {
		return err
	}
	x.given, x.prepared, x.views = g, f, views
	if note := "the graph was prepared on the host: " + f.reason; f.reason != "" && !slices.Contains(x.notes, note) {
		x.notes = append(x.notes, note)
	}
	return nil
}

// PrepareInput is [Executable.Prepare] of the input's graph and mesh.
func (x *Executable) PrepareInput(ctx context.Context, in Input) error {
	if err := x.accept(ctx, &in); err != nil {
		return err
	}
	if err := x.Prepare(ctx, in.Graph); err != nil {
		return err
	}
	return x.prepareMesh(ctx, in.Mesh)
}

// requireConservative returns an error if the program requires that there be no
// cycle of negative weight and one can be reached from the nodes among its
// arguments.
func (x *Executable) requireConservative(ctx context.Context, args []run.Value) error {
	if !x.program.info.Requires.Conservative {
		return nil
	}
	if w, err := x.prepared.weightRange(ctx); err != nil || w.Min >= 0 {
		return err
	}
	g, err := x.prepared.graph(ctx)
	if err != nil {
		return err
	}
	var sources []uint32
	for _, a := range args {
		if a.Type == check.Node {
			sources = append(sources, uint32(a.Int))
		}
	}
	return run.RequireConservative(ctx, g, sources)
}

// prepareMesh makes the mesh, nil for none, fit what the program requires.
func (x *Executable) prepareMesh(ctx context.Context, m *mesh.Mesh) error {
	if x.program.info.Mesh == nil || x.fromMesh == m {
		return nil
	}
	if err := x.checkRoom(m); err != nil {
		return err
	}
	elements, err := x.sharing.elements(ctx, m, x.program.info.Requires)
	if err != nil {
		return err
	}
	x.fromMesh = nil
	if err := x.placeMesh(elements); err != nil {
		return err
	}
	x.fromMesh, x.elements = m, elements
	return nil
}

// arguments converts args to the entry function's parameters.
func (x *Executable) arguments(g *graph.Graph, args Args) ([]run.Value, error) {
	params := x.program.Params()
	var names []string
	for _, p := range params {
		names = append(names, p.Name)
	}
	for name := range args {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("%s has no parameter %q%s", x.program.name, name, suggest.Hint(name, names))
		}
	}
	var out []run.Value
	for i, p := range params {
		t := basic(x.program.info.Entry.Params[i].Type)
		v, err := x.argument(g, p, t, args, i)
		if err != nil {
			return nil, err
		}
		out = append(out, v.Convert(t))
	}
	return out, nil
}

// argument returns the value of one parameter.
func (x *Executable) argument(g *graph.Graph, p Param, t check.Basic, args Args, i int) (run.Value, error) {
	a, given := args[p.Name]
	if !given {
		d := x.program.info.Entry.Decl.Params[i].Default
		c := x.program.info.Consts[d]
		if d == nil || c == nil {
			return run.Value{}, fmt.Errorf("%s needs a value for its parameter %s (%s)", x.program.name, p.Name, p.Type)
		}
		dt := basic(x.program.info.Types[d])
		return run.Value{Type: dt, Int: c.Int, Float: c.Float}, nil
	}
	if t == check.Node {
		return nodeArgument(g, p, a)
	}
	v, err := valueOf(a)
	if err != nil {
		return v, fmt.Errorf("parameter %s: %w", p.Name, err)
	}
	if check.IsFloat(v.Type) && !check.IsFloat(t) {
		return v, fmt.Errorf("parameter %s is of type %s: %v is no integer", p.Name, p.Type, a)
	}
	if !check.IsFloat(t) && !check.IsFloat(v.Type) && !fits(v, t) {
		return v, fmt.Errorf("parameter %s is of type %s: %v does not fit", p.Name, p.Type, a)
	}
	if err := x.program.Allows(p.Name, a); err != nil {
		return v, fmt.Errorf("parameter %s is %v: %w", p.Name, a, err)
	}
	return v, nil
}

// Allows returns an error if a parameter cannot have a value that is of its type.
func (p *Program) Allows(param string, a any) error {
	v, err := valueOf(a)
	if err != nil || p.bundled == "" {
		return err
	}
	x := v.Float
	if !check.IsFloat(v.Type) {
		x = float64(v.Int)
	}
	return programs.CheckArgument(p.bundled, param, x)
}

// fits reports whether the integer v is a value of the integer type t.
func fits(v run.Value, t check.Basic) bool {
	negative := v.Int < 0
	if t.Size() == 8 {
		// The bits fit always; they must mean the same.
		return !negative || check.IsUnsigned(v.Type) == check.IsUnsigned(t)
	}
	return v.Convert(t).Int == v.Int && !(negative && check.IsUnsigned(v.Type))
}

// nodeArgument returns the internal number of a node of the graph's file.
func nodeArgument(g *graph.Graph, p Param, a any) (run.Value, error) {
	n, err := valueOf(a)
	if err != nil || check.IsFloat(n.Type) || n.Type == check.Bool || n.Int < 0 && !check.IsUnsigned(n.Type) {
		return run.Value{}, fmt.Errorf("parameter %s is a node, and %v is not the number of one", p.Name, a)
	}
	v, ok := g.Lookup(uint64(n.Int))
	if !ok {
		return run.Value{}, fmt.Errorf("parameter %s: the graph has no node %d", p.Name, uint64(n.Int))
	}
	return run.Value{Type: check.Node, Int: int64(v)}, nil
}

// valueOf returns a Go number or bool as a value.
func valueOf(a any) (run.Value, error) {
	v := reflect.ValueOf(a)
	switch {
	case v.Kind() == reflect.Bool && v.Bool():
		return run.Value{Type: check.Bool, Int: 1}, nil
	case v.Kind() == reflect.Bool:
		return run.Value{Type: check.Bool}, nil
	case v.CanInt():
		return run.Value{Type: check.Long, Int: v.Int()}, nil
	case v.CanUint():
		return run.Value{Type: check.ULong, Int: int64(v.Uint())}, nil
	case v.CanFloat():
		return run.FloatValue(v.Float()), nil
	}
	return run.Value{}, fmt.Errorf("a value of type %T is no argument", a)
}
