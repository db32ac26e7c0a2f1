package host

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"irgl/graph"
	"irgl/internal/abi"
	"irgl/internal/check"
	"irgl/internal/device"
	"irgl/internal/dynpar"
	"irgl/internal/lower"
	"irgl/internal/prepare"
	"irgl/internal/run"
	"irgl/syntax"
)

// Options tunes an engine.
type Options struct {
	// MaxBlocks bounds the blocks of a launch; 0 means the number of resident
	// blocks.
	MaxBlocks int
	// BlockThreads is the block size the program was lowered for; 0 for abi.BlockThreads.
	BlockThreads int
	// MaxCapacity bounds the growth of worklists, in items; 0 means no bound but
	// the device's memory.
	MaxCapacity int64
	// Store is the memory that the engine shares with other engines on the device;
	// nil means none.
	Store *Store
	// Launches is what there is to know of launches in device code; nil without any.
	Launches *dynpar.Module
	// Linked, if it is not "", is the PTX with these launches by CUDA's device runtime, and Library the path of
	// libcudadevrt.a, which it is linked with: the device implements [device.Linking].
	Linked, Library string
}

// An Engine is a lowered IrGL program on a device. It implements [run.Engine];
// one run at a time.
type Engine struct {
	dev     device.Device
	pool    device.Device // the store's pool on dev, for allocations of programs
	store   *Store
	shares  bool         // store is shared with other engines
	began   device.Event // the start of a run, on the device
	ended   device.Event
	timers  []device.Event // free timers for recorded launches
	module  device.Module
	prog    *Program
	source  *check.Info // of the .irgl file
	lowered *check.Info
	o       Options

	kernels map[string]device.Kernel
	initial []deviceGlobal

	graph  *graph.Graph    // whose arrays were copied to the device
	fitted *prepare.Fitted // the graph that was made on the device instead; nil for none
	nodes  int64           // of the graph that is placed
	edges  int64
	fixed  map[string]device.Ptr // arrays of the store, by field of struct irgl_graph; nil before a graph is placed
	locks  device.Ptr            // locks of nodes; 0 if no kernel locks nodes
	shared map[string]device.Ptr // further fields for arrays that are in fixed
	fields map[string]device.Ptr // of the properties of nodes and edges, by name
	part   []byte                // buffer for part of an output to be digested
	mesh   meshArrays
}

// A deviceGlobal is a variable of the module with its initial bytes, which
// every run restores.
type deviceGlobal struct {
	obj   *check.Object
	ptr   device.Ptr
	bytes []byte
}

var _ run.Engine = (*Engine)(nil)

// New loads a program: source is the checked .irgl file, lowered the checked
// tree that package lower made from it, ptx the device code.
func New(dev device.Device, source, lowered *check.Info, ptx string, o Options) (*Engine, error) {
	prog, err := Compile(lowered)
	if err != nil {
		return nil, err
	}
	module, err := loadModule(dev, ptxName(source.File.Name), ptx, o)
	if err != nil {
		return nil, err
	}
	if o.BlockThreads == 0 {
		o.BlockThreads = abi.BlockThreads
	}
	if o.MaxBlocks == 0 {
		info := dev.Info()
		o.MaxBlocks = max(1, info.Multiprocessors*max(1, info.MaxThreadsPerSM/o.BlockThreads))
	}
	e := &Engine{dev: dev, module: module, prog: prog, source: source, lowered: lowered, o: o, kernels: map[string]device.Kernel{}}
	if e.store, e.shares = o.Store, o.Store != nil; !e.shares {
		e.store = NewStore(dev)
	}
	e.pool = e.store.pool
	if m, ok := module.(device.NamingModule); ok {
		m.NameKernels(e.kernelNames())
		m.NameVariables(e.variableNames())
	}
	if m, ok := module.(device.RestrictingModule); ok {
		e.restrictTexts(m)
	}
	if err := e.open(); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	prog.replaced[abi.OverflowFunc] = func(_ *machine, args []uint64) uint64 {
		panic(&runError{err: &overflowError{int64(args[0])}})
	}
	prog.replaced[abi.StepFunc] = func(_ *machine, args []uint64) uint64 {
		panic(&runError{err: &faultError{CodeStep, fmt.Sprintf("the step of a list must be positive, not %d", int64(args[0]))}})
	}
	prog.replaced[abi.SizeFunc] = func(_ *machine, args []uint64) uint64 {
		panic(&runError{err: &faultError{CodeSize, fmt.Sprintf("the capacity of a worklist must be from 1 to %d items, not %d", math.MaxInt32, int64(args[0]))}})
	}
	prog.replaced[abi.ElementFunc] = func(_ *machine, args []uint64) uint64 {
		panic(&runError{err: e.elementFault(device.Ptr(args[0]), int64(args[1]), int64(args[2]))})
	}
	prog.replaced[abi.MeshOverflowFunc] = func(_ *machine, args []uint64) uint64 {
		panic(&runError{err: &meshOverflowError{meshSize{int64(args[0]), int64(args[1])}}})
	}
	return e, nil
}

// loadModule loads the program's PTX into a device.
func loadModule(dev device.Device, name, ptx string, o Options) (device.Module, error) {
	if o.Linked == "" {
		return dev.Load(name, ptx)
	}
	d, ok := dev.(device.Linking)
	if !ok {
		return nil, fmt.Errorf("load %s: the device links no libraries", name)
	}
	return d.LoadLinked(name, o.Linked, o.Library)
}

// ptxName names a program's PTX in error messages, distinct from its source.
func ptxName(file string) string { return strings.TrimSuffix(file, ".irgl") + ".ptx" }

// open creates the events and saves the module's variables.
func (e *Engine) open() error {
	var err error
	if e.began, err = e.dev.NewEvent(); err != nil {
		return err
	}
	if e.ended, err = e.dev.NewEvent(); err != nil {
		return err
	}
	if e.o.Launches != nil && e.o.Linked == "" {
		if e.prog.queue, err = newChildQueue(e.dev, e.module, e.o.Launches); err != nil {
			return err
		}
	}
	return e.saveGlobals()
}

// saveGlobals reads the initial values of the module's variables.
func (e *Engine) saveGlobals() error {
	for _, obj := range e.lowered.Globals {
		if !obj.Attrs.Has(syntax.Device) {
			continue
		}
		ptr, size, err := e.module.Global(obj.Name)
		if err != nil {
			continue // unused by kernels, so not in the module
		}
		if a, ok := obj.Type.(*check.Array); ok {
			e.describe(ptr, "", a.Elem.Size(), 0)
		}
		g := deviceGlobal{obj, ptr, make([]byte, size)}
		if err := e.dev.CopyOut(g.bytes, ptr); err != nil {
			return err
		}
		e.initial = append(e.initial, g)
	}
	return nil
}

// Close unloads the program and frees its memory; the device stays open.
func (e *Engine) Close() error {
	err := errors.Join(e.free(), e.freeMesh())
	if e.prog.queue != nil {
		err = errors.Join(err, e.dev.Free(e.prog.queue.at))
	}
	for _, ev := range append(e.timers, e.began, e.ended) {
		if ev != nil {
			err = errors.Join(err, ev.Close())
		}
	}
	return errors.Join(err, e.module.Close())
}

// free frees a graph's memory. Arrays of the store stay if other engines share it.
func (e *Engine) free() error {
	var err error
	for _, p := range e.fields {
		err = errors.Join(err, e.pool.Free(p))
	}
	if e.locks != 0 {
		err = errors.Join(err, e.dev.Free(e.locks))
	}
	if !e.shares {
		err = errors.Join(err, e.store.Forget())
	}
	e.graph, e.fitted, e.fixed, e.shared, e.fields, e.locks = nil, nil, nil, nil, nil, 0
	return err
}

// Unplace frees the device memory of the graph, except arrays that other engines
// share; the next run places the graph again.
func (e *Engine) Unplace() error { return errors.Join(e.free(), e.freeMesh()) }

// Run implements [run.Engine].
func (e *Engine) Run(ctx context.Context, in run.Input) (*run.Result, error) {
	if in.Graph != nil || e.fitted == nil {
		if err := e.Place(ctx, in.Graph, in.Views); err != nil {
			return nil, err
		}
	}
	if e.source.Mesh != nil {
		if err := e.PlaceMesh(in.Mesh, in.Room); err != nil {
			return nil, err
		}
	}
	var restarts int64
	rec := e.newRecorder(in.Collect)
	capacity := int64(in.Capacity)
	for {
		var out bytes.Buffer
		reports := e.reports()
		m, err := e.attempt(ctx, in, capacity, &out, rec)
		if err != nil && e.source.Mesh != nil {
			err = e.meshError(ctx, err, reports)
		}
		if lists, ok := errors.AsType[*overflowError](err); ok {
			capacity, err = e.growLists(lists, capacity)
		} else if mesh, ok := errors.AsType[*meshOverflowError](err); ok {
			err = e.growMesh(mesh)
		} else {
			if err == nil || !errors.Is(err, ctx.Err()) {
				err = errors.Join(err, flush(in.Stdout, &out))
			}
			if err != nil {
				return nil, e.located(err)
			}
			start, clock := rec.now(), time.Now()
			res, err := e.result(m, in, restarts)
			if err == nil {
				res.DownloadTime = float64(time.Since(clock).Microseconds()) / 1000
				rec.store(&res.Stats, start)
			}
			return res, err
		}
		if err != nil {
			return nil, err
		}
		restarts++
		rec.restart()
	}
}

// growLists returns the capacity of worklists after an overflow: twice the
// capacity that this restart needs, to leave room for later growth.
func (e *Engine) growLists(over *overflowError, capacity int64) (int64, error) {
	if e.o.MaxCapacity > 0 && over.need > e.o.MaxCapacity {
		return 0, fmt.Errorf("%w; the limit is %d", over, e.o.MaxCapacity)
	}
	limit := int64(math.MaxInt32)
	if e.o.MaxCapacity > 0 {
		limit = min(limit, e.o.MaxCapacity)
	}
	if capacity >= limit {
		return 0, fmt.Errorf("%w, and worklists cannot grow further", over)
	}
	return min(2*max(over.need, capacity), limit), nil
}

func flush(to io.Writer, from *bytes.Buffer) error {
	if to == nil || from.Len() == 0 {
		return nil
	}
	_, err := from.WriteTo(to)
	return err
}

// attempt runs the program once with worklists of the given capacity.
func (e *Engine) attempt(ctx context.Context, in run.Input, capacity int64, out io.Writer, rec *recorder) (m *machine, err error) {
	m = e.prog.newMachine(ctx, e.pool, e.module, e.kernels, out)
	start := rec.now()
	defer func() {
		if d, ok := e.dev.(device.Abandoning); ok && ctx.Err() != nil {
			d.Abandon()
		}
		err = errors.Join(err, rec.end(start, err))
		for p := range m.allocated {
			err = errors.Join(err, e.pool.Free(p))
		}
		// Later allocations will have other sizes.
		if err != nil && e.idle(ctx) {
			err = errors.Join(err, drainPool(e.pool))
		}
	}()
	for _, g := range e.initial {
		if err := e.dev.CopyIn(g.ptr, g.bytes); err != nil {
			return m, err
		}
	}
	if q := e.prog.queue; q != nil {
		if err := q.clear(e.dev); err != nil {
			return m, err
		}
	}
	if err := m.init(); err != nil {
		return m, err
	}
	if err := m.setGlobal(abi.MaxBlocksVar, uint64(e.o.MaxBlocks)); err != nil {
		return m, err
	}
	if err := m.setGlobal(abi.CapacityVar, uint64(capacity)); err != nil {
		return m, err
	}
	if e.source.Mesh != nil {
		if err := e.startMesh(m); err != nil {
			return m, err
		}
	}
	fn := e.prog.funcs[abi.RunFunc]
	if fn == nil {
		return m, errors.New("the program has no Host function to run")
	}
	if len(in.Args) != len(fn.params)-1 {
		return m, fmt.Errorf("the program takes %d arguments, not %d", len(fn.params)-1, len(in.Args))
	}
	args := []uint64{e.graphBytes(m)}
	for i, v := range in.Args {
		args = append(args, argument(v, fn.params[i+1].typ))
	}
	m.rec, m.span = rec, span{began: e.began, ended: e.ended}
	if rec != nil { // recorded times start here; recording an event takes time
		if err := rec.begin(ctx, &m.span); err != nil {
			return m, err
		}
	}
	interrupted := e.interruptWhenDone(ctx)
	err = m.inSource(e.enter(m, fn, args), e.source.File.Name)
	if err == nil {
		err = m.span.close()
	}
	if err == nil {
		err = e.dev.Sync(ctx)
	}
	// The result of an interrupted run is invalid, and may be an error.
	if stopped, failed := interrupted(); stopped {
		err = errors.Join(ctx.Err(), failed)
	}
	return m, err
}

// enter calls the program. One that calls exit(0) has succeeded: the host's
// values of properties and globals are still copied to the device.
func (e *Engine) enter(m *machine, fn *function, args []uint64) error {
	fp, top, depth := m.fp, m.top, m.depth
	err := protect(func() { m.call(fn.info.Decl, fn, args) })
	if exit, ok := errors.AsType[*exitError](err); !ok || exit.status != 0 {
		return err
	}
	m.fp, m.top, m.depth, m.args, m.sites = fp, top, depth, m.args[:0], m.sites[:0]
	settle := e.prog.funcs[abi.SettleFunc]
	if settle == nil {
		return nil
	}
	return protect(func() { m.call(settle.info.Decl, settle, nil) })
}

// idleWithin is how long a device may take to finish the kernels of a cancelled
// run, whose loops were told to end.
const idleWithin = 50 * time.Millisecond

// idle reports whether memory of the device may be freed: freeing waits for its
// kernels, and a cancelled run must not wait for a kernel that cannot be stopped.
func (e *Engine) idle(ctx context.Context) bool {
	if ctx.Err() == nil {
		return true
	}
	soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), idleWithin)
	defer cancel()
	return e.dev.Sync(soon) == nil
}

// interruptWhenDone tells control kernels to end when ctx does. The function it
// returns is to be called when the run has ended; it reports whether they were
// told to end, and any error in doing so.
func (e *Engine) interruptWhenDone(ctx context.Context) func() (bool, error) {
	word, found := e.onDevice(abi.StopVar)
	d, able := e.dev.(device.Interrupting)
	if !found || !able {
		return func() (bool, error) { return false, nil }
	}
	var err error
	done := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		defer close(done)
		err = d.Interrupt(word)
	})
	return func() (bool, error) {
		if cancel() {
			return false, nil
		}
		<-done
		return true, err
	}
}

// argument returns v in a machine's representation of type t.
func argument(v run.Value, t check.Type) uint64 {
	b, ok := t.(check.Basic)
	if !ok {
		return 0
	}
	v = v.Convert(b)
	if check.IsFloat(b) {
		return fromFloat(v.Float)
	}
	return uint64(v.Int)
}

// result reads the requested outputs.
func (e *Engine) result(m *machine, in run.Input, restarts int64) (*run.Result, error) {
	res := &run.Result{}
	res.Launches, res.Restarts = m.launches, restarts
	if n, err := m.getGlobal(abi.IterationsVar); err == nil {
		res.Iterations = int64(n)
	}
	if n, err := m.getGlobal(abi.LaunchedVar); err == nil {
		res.Launches += int64(n)
	}
	var err error
	if res.DeviceTime, err = e.ended.Since(e.began); err != nil {
		return nil, err
	}
	var size meshSize
	if e.source.Mesh != nil && !in.Discard {
		if size, err = e.finalCount(m); err != nil {
			return nil, err
		}
		if res.Mesh, err = e.meshResult(size); err != nil {
			return nil, err
		}
	}
	for _, p := range e.source.Props {
		if !p.Output {
			continue
		}
		n, from := e.length(p), e.fields[p.Object.Name]
		if in.Digest && !p.Of.OfMesh() {
			if res.Digest, err = e.digest(res.Digest, p, from, n); err != nil {
				return nil, err
			}
		}
		if in.Discard {
			continue
		}
		if p.Of.OfMesh() {
			n, from = size.of(p.Of), e.mesh.fields[p.Object.Name]
		}
		col, err := e.column(p, from, n)
		if err != nil {
			return nil, err
		}
		res.Props = append(res.Props, col)
	}
	for _, obj := range e.source.Globals {
		if obj.Attrs.Has(syntax.Output) {
			g, err := e.globalValue(m, obj)
			if err != nil {
				return nil, err
			}
			res.Globals = append(res.Globals, g)
		}
	}
	if in.Digest {
		res.Digest = digestOf(res.Digest, res.Globals)
	}
	return res, nil
}

// digestPart is the number of bytes of an output copied to the host at a time to be
// digested.
const digestPart = 8 << 20

// digest adds the n values of an output property to a digest.
func (e *Engine) digest(h uint64, p *check.Prop, from device.Ptr, n int64) (uint64, error) {
	t, _ := p.Object.Type.(check.Basic)
	size := n * t.Size()
	if e.part == nil && size > 0 {
		e.part = make([]byte, digestPart)
	}
	for at := int64(0); at < size; at += digestPart {
		b := e.part[:min(digestPart, size-at)]
		if err := e.dev.CopyOut(b, from+device.Ptr(at)); err != nil {
			return 0, err
		}
		h = run.Digest(h, b)
	}
	return h, nil
}

// digestOf adds the values of output globals to a digest.
func digestOf(h uint64, globals []run.Global) uint64 {
	for _, g := range globals {
		for _, v := range g.Values {
			bits := uint64(v.Int)
			if check.IsFloat(v.Type) {
				bits = math.Float64bits(v.Float)
			}
			h = run.Digest(h, binary.LittleEndian.AppendUint64(nil, bits))
		}
	}
	return h
}

// column reads the n values of an output property.
func (e *Engine) column(p *check.Prop, from device.Ptr, n int64) (*run.Column, error) {
	t, _ := p.Object.Type.(check.Basic)
	col := run.NewColumn(p.Object.Name, p.Of, t, int(n))
	if n == 0 {
		return col, nil
	}
	return col, e.dev.CopyOut(columnBytes(col.Data), from)
}

// globalValue reads an output global, from the device if kernels use it.
func (e *Engine) globalValue(m *machine, obj *check.Object) (run.Global, error) {
	elem := obj.Type
	for {
		a, ok := elem.(*check.Array)
		if !ok {
			break
		}
		elem = a.Elem
	}
	b := make([]byte, obj.Type.Size())
	var err error
	if ptr, onDevice := e.onDevice(lower.GlobalName(obj.Name)); onDevice {
		err = e.dev.CopyOut(b, ptr)
	} else {
		var at uint64
		if at, _, err = e.prog.global(lower.GlobalName(obj.Name)); err == nil {
			var mem []byte
			if mem, err = m.mem.bytes(at, int64(len(b))); err == nil {
				copy(b, mem)
			}
		}
	}
	out := run.Global{Name: obj.Name}
	t, _ := elem.(check.Basic)
	for off := int64(0); off < int64(len(b)); off += elem.Size() {
		v := run.Value{Type: t}
		if bits := decode(elem, b[off:off+elem.Size()]); check.IsFloat(elem) {
			v.Float = toFloat(bits)
		} else {
			v.Int = int64(bits)
		}
		out.Values = append(out.Values, v)
	}
	return out, err
}

// onDevice returns the address of a variable of the module.
func (e *Engine) onDevice(name string) (device.Ptr, bool) {
	for _, g := range e.initial {
		if g.obj.Name == name {
			return g.ptr, true
		}
	}
	return 0, false
}

// newMachine returns a machine in its initial state.
func (p *Program) newMachine(ctx context.Context, dev device.Device, module device.Module, kernels map[string]device.Kernel, out io.Writer) *machine {
	mem := newMemory(p.size)
	return &machine{
		ctx: ctx, mem: mem, stack: mem.segments[stackSegment], out: out, err: io.Discard,
		dev: dev, module: module, kernels: kernels,
		literals: map[*syntax.BasicLit]uint64{}, allocated: map[device.Ptr]bool{},
		program: p,
	}
}

// init runs the initialisers of host variables.
func (m *machine) init() error {
	return protect(func() {
		for _, init := range m.program.inits {
			init(m)
		}
	})
}

// setGlobal and getGlobal access a scalar host variable; setting a variable
// that the program does not have is a no-op.
func (m *machine) setGlobal(name string, v uint64) error {
	at, t, err := m.program.global(name)
	if err != nil {
		return nil
	}
	b, err := m.mem.bytes(at, t.Size())
	if err == nil {
		encode(t, b, v)
	}
	return err
}

func (m *machine) getGlobal(name string) (uint64, error) {
	at, t, err := m.program.global(name)
	if err != nil {
		return 0, err
	}
	b, err := m.mem.bytes(at, t.Size())
	if err != nil {
		return 0, err
	}
	return decode(t, b), nil
}
