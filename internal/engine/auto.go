package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"irgl/graph"
	"irgl/internal/compile"
	"irgl/internal/device"
	"irgl/internal/host"
	"irgl/internal/lower"
	"irgl/internal/run"
	"irgl/internal/source"
	"irgl/internal/tune"
)

// TuningFile returns the path of the user's own tuning file, irgl/tuning.json in
// the folder for configuration, or "" when there is no such folder. The file need
// not exist.
func TuningFile() string {
	path, err := tune.DefaultPath()
	if err != nil {
		return ""
	}
	return path
}

// Version returns the module's version, with the revision it was built from when
// it has no other.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	v := info.Main.Version
	for _, dep := range info.Deps {
		if dep.Path == "irgl" { // as a library in another program
			return dep.Version
		}
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 && v == "(devel)" {
			v += " " + s.Value[:12]
		}
	}
	return v
}

// Switches returns the throughput switches of the code that is loaded, and where
// they come from. With [Options].Auto there are none
// before [Executable.Prepare].
func (x *Executable) Switches() (s compile.Switches, from string) { return x.switches, x.from }

// Use loads the program with other throughput switches for the runs that follow. Devices without
// compiled kernels have no switches, and nothing changes.
func (x *Executable) Use(ctx context.Context, switches compile.Switches) error {
	switch {
	case x.closed:
		return errors.New("the executable is closed")
	case x.o.PTX != "":
		return errors.New("the switches of given PTX cannot be changed")
	case x.dev == nil:
		return nil
	}
	return x.use(ctx, switches.Options(), "given")
}

// use is Use of switches that come from somewhere.
func (x *Executable) use(ctx context.Context, o lower.Options, from string) error {
	if err := x.sharing.lost(); err != nil {
		return err
	}
	x.o.Auto, x.from = false, from
	if err := x.change(ctx, code{o, x.loaded.widths}); err != nil {
		return err
	}
	return x.place(ctx)
}

// place places the graph and the mesh that were prepared, if any were, in the
// engine.
func (x *Executable) place(ctx context.Context) error {
	if x.prepared != nil {
		if err := x.placeGraph(ctx, x.prepared, x.views); err != nil {
			return err
		}
	}
	if x.elements != nil {
		return x.placeMesh(x.elements)
	}
	return nil
}

// placeGraph places a graph in an engine that keeps one.
func (x *Executable) placeGraph(ctx context.Context, f *fitted, views run.Views) error {
	if e, ok := x.engine.(*host.Engine); ok && f.device != nil {
		return e.PlaceFitted(f.device)
	}
	e, ok := x.engine.(interface {
		Place(context.Context, *graph.Graph, run.Views) error
	})
	if !ok {
		return nil
	}
	defer x.uploading()()
	return e.Place(ctx, f.host, views)
}

// unplace frees what the engine has on the device of the graph and the mesh.
func (x *Executable) unplace() error {
	x.fromMesh = nil
	if e, ok := x.engine.(*host.Engine); ok {
		return e.Unplace()
	}
	return nil
}

// placeMesh places a mesh in an engine that keeps one.
func (x *Executable) placeMesh(m *run.Mesh) error {
	e, ok := x.engine.(interface{ PlaceMesh(*run.Mesh, int) error })
	if !ok {
		return nil
	}
	defer x.uploading()()
	return e.PlaceMesh(m, x.o.Room)
}

// uploading begins to count time as that of copies to the device, until what it returns
// is called.
func (x *Executable) uploading() (end func()) {
	start := time.Now()
	return func() { x.upload += time.Since(start) }
}

// change loads c, unless it is loaded.
func (x *Executable) change(ctx context.Context, c code) error {
	if x.engine != nil && x.loaded.widths == c.widths && x.loaded.lower.String() == c.lower.String() {
		return nil
	}
	start := time.Now()
	err := x.reload(ctx, c)
	x.compile += time.Since(start)
	return err
}

// fit loads the program again when the graph requires other code than is loaded: with
// 64-bit row offsets if its edges do not fit 32 bits, with 64-bit distances if its
// paths do not, and with Options.Auto with the switches that suit it.
func (x *Executable) fit(ctx context.Context, f *fitted) error {
	w, err := x.widthsFor(ctx, f)
	if err != nil {
		return err
	}
	if x.dev == nil {
		x.from = "no switches on " + x.device
		return x.widen(ctx, w.wide)
	}
	if x.o.PTX != "" && w.wide {
		return errors.New("paths of the graph may be longer than 2^31-2: the given PTX has 32-bit distances")
	}
	if x.o.PTX != "" && w.index64 {
		return fmt.Errorf("the graph has %d edges: the given PTX has 32-bit row offsets", f.edges)
	}
	c := code{x.loaded.lower, w}
	if !x.o.Auto {
		if x.engine == nil { // of a session
			x.loaded = c // to be loaded with what is used first
			return nil
		}
		return x.change(ctx, c)
	}
	choice, tuned, err := x.choose(f)
	if err != nil {
		return err
	}
	c.lower, x.from = choice.Options, choice.From
	err = x.change(ctx, c)
	if err == nil || !tuned || source.Diagnostics(err) == nil {
		return err
	}
	// The entry is another compiler's, and this one refuses its switches.
	choice = tune.Default(x.program.bundled, x.input(f).Features, x.device)
	c.lower, x.from = choice.Options, choice.From+" (the tuned switches cannot be compiled any more)"
	return x.change(ctx, c)
}

// choose returns the switches that suit a graph: those of the tuning file, tuned says, or
// the default.
func (x *Executable) choose(f *fitted) (choice tune.Choice, tuned bool, err error) {
	in := x.input(f)
	entry, distance, tuned, err := x.lookup(in)
	if err != nil || !tuned {
		return tune.Default(x.program.bundled, in.Features, x.device), false, err
	}
	// Lookup gives no entry that cannot be parsed.
	choice.Options, _ = lower.ParseOptions(entry.Switches)
	choice.From = fmt.Sprintf("tuned on %s, %s", entry.Graph.Name, x.o.Tuning)
	if distance > 0 {
		choice.From = fmt.Sprintf("tuned on %s, %.2f away, %s", entry.Graph.Name, distance, x.o.Tuning)
	}
	return choice, true, nil
}

// widthsFor returns the widths of the code that a graph requires.
func (x *Executable) widthsFor(ctx context.Context, f *fitted) (widths, error) {
	w := widths{index64: f.edges > 1<<32-1}
	if info := x.program.info; info.Distances && info.Requires.Weights {
		r, err := f.weightRange(ctx)
		if err != nil {
			return w, err
		}
		w.wide = run.WideDistances(r, f.given.NumNodes())
	}
	return w, nil
}

// input describes a prepared graph, and the mesh.
func (x *Executable) input(f *fitted) tune.Input {
	in := f.describe()
	in.Points = x.points
	return in
}

// lookup looks for the graph in the tuning file.
func (x *Executable) lookup(in tune.Input) (e tune.Entry, distance float64, ok bool, err error) {
	if x.o.Tuning == "" {
		return e, 0, false, nil
	}
	f, err := tune.ReadFile(x.o.Tuning)
	hash := tune.ProgramHash(x.program.file.Content)
	if err != nil || !f.Has(hash, x.about) {
		return e, 0, false, err
	}
	e, distance, ok = f.Lookup(hash, x.about, Version(), in)
	return e, distance, ok, nil
}

// counters returns what the device has counted so far.
func (x *Executable) counters() Counters {
	if c, ok := x.dev.(device.Counting); ok {
		return c.Counters()
	}
	return Counters{}
}

// uploaded returns what copies to the device have taken so far.
func (x *Executable) uploaded() time.Duration {
	if x.preparer == nil {
		return x.upload
	}
	return x.upload + x.preparer.uploaded
}

// worked returns what preparing graphs on the device has taken so far.
func (x *Executable) worked() time.Duration {
	if x.preparer == nil {
		return 0
	}
	return x.preparer.worked
}
