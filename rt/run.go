package rt

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A Graph is a directed graph in compressed sparse row form: the arcs of node v
// are RowStart[v] up to RowStart[v+1].
type Graph struct {
	RowStart []uint64
	Dst      []uint32
	Weight   []int32 // nil without weights

	// In is the graph with all arcs turned round, the graph itself when it is
	// symmetric; Src is the node that each arc leaves. Only programs that look
	// at them have them.
	In  *Graph
	Src []uint32
}

// A Kind is the Go type of a scalar.
type Kind uint8

// The kinds; a bool is a Uint8 that holds 0 or 1.
const (
	Int8 Kind = iota
	Uint8
	Int16
	Uint16
	Int32
	Uint32
	Int64
	Uint64
	Float32
	Float64
	numKinds
)

// A Value is a scalar argument or result: Float counts for floating kinds, Int
// (an unsigned value as its bits) for the others.
type Value struct {
	Kind  Kind
	Int   int64
	Float float64
}

// A Program is a generated program.
type Program struct {
	Name    string
	Source  string // hash of the text it was generated from
	Wide    bool   // its distances have 64 bits
	Graph   bool   // has a Graph
	Mesh    bool   // has a Mesh
	Grows   bool   // adds to the Mesh, so that a run may begin again
	Weights bool   // reads the arcs' weights
	InEdges bool   // looks at the arcs that lead to nodes
	Sources bool   // looks at the nodes that arcs leave
	// EdgeItems says that it puts arcs into worklists, Symmetric that its graph
	// is symmetric.
	EdgeItems, Symmetric bool

	Params []Kind // of the entry function
	// Props are the sizes of the properties of nodes and edges, and Lists says that the
	// program has worklists: what [Program.Reserve] allocates.
	Props []PropSize
	Lists bool
	// Places are the ranges of the program's text that faults name by their index.
	Places []Place
	Main   func(r *Run)
}

// An Input is what a run starts from.
type Input struct {
	Graph   *Graph
	Mesh    *Mesh // copied
	Args    []Value
	Room    int       // for how many points and elements more there is room at first; 0 for a choice
	Workers int       // 0 for all processors
	Memory  *Memory   // of earlier runs of the program; may be nil
	Stdout  io.Writer // nil discards
	Collect Collect
}

// A Column is an output property: Data is a slice of the Go type of Kind.
type Column struct {
	Name string
	Type string // as C writes it; node, too
	Of   uint8  // 0 for nodes, 1 edges, 2 points, 3 elements
	Kind Kind
	Data any
}

// A Global is an output global: Data is a slice with one element a value.
type Global struct {
	Name string
	Type string
	Kind Kind
	Data any
}

// A Result is what a run leaves behind.
type Result struct {
	Props      []Column
	Globals    []Global
	Mesh       *Mesh // nil for a program without one
	Iterations int64
	Launches   int64
	Restarts   int64    // times the run began again with more room
	Profile    *Profile // nil when nothing was to be collected
}

// A Run is one execution of a program. Its exported methods are for generated
// code, on the goroutine that runs the host function, unless they say more.
type Run struct {
	// Row, Dst and Weight point to the graph's arrays, Nodes and Arcs are
	// their lengths.
	Row, Dst, Weight unsafe.Pointer
	// InRow, InDst and InWeight are those of the arcs turned round, and Src
	// points to the nodes that arcs leave; nil where the program has no use for
	// them.
	InRow, InDst, InWeight, Src unsafe.Pointer

	Nodes int32
	Arcs  int64
	// Points and Elements are the numbers of the mesh's at the start of the
	// present invocation.
	Points, Elements int32

	graph   *Graph
	mesh    *Mesh
	grown   [2]grown // points, elements
	moves   []mover  // of the properties of both
	locks   [numDomains]locks
	round   uint32 // of claims of an Exclusive
	args    []Value
	pool    pool
	workers []*Worker
	hubs    [2]uint8    // whether some node is a hub by the edges that leave it, and by those that lead to it: 0 not known, 1 no, 2 yes
	shares  []share     // of the present job's chunks, one a worker
	stop    atomic.Bool // the context is done
	alone   bool        // launches use worker 0 only
	ctx     context.Context
	kernel  string    // that was invoked last
	prof    *profiler // nil when nothing is collected
	result  Result
	memory  *Memory
	arrays  [][]uint64 // of properties, which memory gets back
	free    []block    // of worklists; used by worker 0 or under freeMu
	freeMu  sync.Mutex
	outMu   sync.Mutex
	out     *bufio.Writer
}

// abort is the panic that ends a run with an error.
type abort struct{ err error }

// Fail ends the run with an error. Any worker may call it.
func (r *Run) Fail(format string, args ...any) {
	panic(abort{fmt.Errorf(format, args...)})
}

// exit is the panic that ends the host function with success.
type exit struct{}

// Exit is C's exit: with status 0 the run ends here, and what it has computed is
// its result; any other status is an error. at is the place of the call.
func (r *Run) Exit(status int32, at int) {
	if status != 0 {
		panic(newFault(at, AssertFault, "the program exited with status %d", status))
	}
	panic(exit{})
}

// UntilExit runs f, which may call [Run.Exit].
func UntilExit(f func()) {
	defer func() {
		if x := recover(); x != nil && x != any(exit{}) {
			panic(x)
		}
	}()
	f()
}

// Execute runs p. A run whose mesh outgrows its arrays begins again with more
// room; what it prints is held back until one comes to its end. The error is
// that of the context when it ended the run.
func (p *Program) Execute(ctx context.Context, in Input) (*Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := p.prepare(&in); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	room := [numDomains]int64{ofPoints: int64(len(in.Mesh.X)), ofElements: int64(len(in.Mesh.Points))}
	if p.Grows {
		room = firstRoom(in.Mesh, in.Room)
	}
	prof := newProfiler(in.Collect)
	for restarts := int64(0); ; restarts++ {
		attempt := in
		var held bytes.Buffer
		if p.Grows {
			attempt.Stdout = &held
		}
		res, err := p.attempt(ctx, attempt, room, prof)
		if full, ok := errors.AsType[overflow](err); ok && max(full.room[ofPoints], full.room[ofElements]) < maxRoom {
			room = moreRoom(full.room)
			prof.restart()
			continue
		}
		if in.Stdout != nil && held.Len() > 0 {
			if _, werr := held.WriteTo(in.Stdout); werr != nil && err == nil {
				err = fmt.Errorf("%s: write output: %w", p.Name, werr)
			}
		}
		if err != nil {
			return nil, err
		}
		res.Restarts, res.Profile = restarts, prof.profile()
		return res, nil
	}
}

// attempt runs p once. The error wraps an [overflow] when the room was too small.
func (p *Program) attempt(ctx context.Context, in Input, room [numDomains]int64, prof *profiler) (res *Result, err error) {
	r := newRun(ctx, in, room)
	r.prof = prof
	in.Memory.lend(r)
	defer context.AfterFunc(ctx, func() { r.stop.Store(true) })()
	defer r.pool.close()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if x := recover(); x != nil {
			res, err = nil, p.panicError(r, x)
			if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
				err = ctx.Err()
			} else {
				r.out.Flush() // what was printed may say why
			}
		}
	}()
	p.Main(r)
	if err := r.out.Flush(); err != nil {
		return nil, fmt.Errorf("%s: write output: %w", p.Name, err)
	}
	in.Memory.keep(r)
	return &r.result, nil
}

// prepare checks the input. A program without a graph, or a mesh, gets an empty
// one.
func (p *Program) prepare(in *Input) error {
	switch {
	case in.Graph == nil && p.Graph:
		return errors.New("no graph")
	case in.Mesh == nil && p.Mesh:
		return errors.New("no mesh")
	case len(in.Args) != len(p.Params):
		return fmt.Errorf("%d arguments, %d wanted", len(in.Args), len(p.Params))
	}
	if in.Graph == nil {
		in.Graph = &Graph{}
	}
	if len(in.Graph.RowStart) == 0 {
		g := *in.Graph
		g.RowStart = []uint64{0}
		in.Graph = &g
	}
	if in.Mesh == nil {
		in.Mesh = &Mesh{}
	}
	if n := len(in.Graph.RowStart) - 1; n > 1<<31-1 {
		return fmt.Errorf("%d nodes are too many", n)
	}
	if p.Weights && len(in.Graph.Weight) != len(in.Graph.Dst) {
		return errors.New("the program needs weights, and the graph has none")
	}
	if p.InEdges && len(in.Graph.Dst) == 0 && in.Graph.In == nil {
		g := *in.Graph
		g.In = &g
		in.Graph = &g
	}
	if err := p.checkViews(in.Graph); err != nil {
		return err
	}
	return in.Mesh.Check()
}

// checkViews checks that a graph has what the program looks at besides its rows,
// of the right size.
func (p *Program) checkViews(g *Graph) error {
	switch arcs := len(g.Dst); {
	case p.EdgeItems && arcs > 1<<31-1:
		return fmt.Errorf("the program puts edges into worklists, which takes a graph of less than 2^31 edges, and this one has %d", arcs)
	case p.InEdges && (g.In == nil || len(g.In.RowStart) != len(g.RowStart) || len(g.In.Dst) != arcs || p.Weights && len(g.In.Weight) != arcs):
		return errors.New("the program needs the edges that lead to nodes, and the graph has none")
	case p.Sources && len(g.Src) != arcs:
		return errors.New("the program needs the sources of edges, and the graph has none")
	}
	return nil
}

func newRun(ctx context.Context, in Input, room [numDomains]int64) *Run {
	g := in.Graph
	r := &Run{
		Row:    unsafe.Pointer(unsafe.SliceData(g.RowStart)),
		Dst:    unsafe.Pointer(unsafe.SliceData(g.Dst)),
		Weight: unsafe.Pointer(unsafe.SliceData(g.Weight)),
		Nodes:  int32(len(g.RowStart) - 1), Arcs: int64(len(g.Dst)),
		graph: g, args: in.Args, ctx: ctx,
	}
	r.Src = unsafe.Pointer(unsafe.SliceData(g.Src))
	if in := g.In; in != nil {
		r.InRow = unsafe.Pointer(unsafe.SliceData(in.RowStart))
		r.InDst, r.InWeight = unsafe.Pointer(unsafe.SliceData(in.Dst)), unsafe.Pointer(unsafe.SliceData(in.Weight))
	}
	r.setMesh(in.Mesh, room)
	w := in.Stdout
	if w == nil {
		w = io.Discard
	}
	r.out = bufio.NewWriterSize(w, 1<<15)
	count := in.Workers
	if count <= 0 {
		count = runtime.GOMAXPROCS(0)
	}
	for i := range min(count, maxWorkers) {
		r.workers = append(r.workers, &Worker{ID: i, r: r})
	}
	return r
}

// panicError turns what a worker recovered into an error.
func (p *Program) panicError(r *Run, x any) error {
	if f := r.failed(x); f != nil {
		return p.located(f)
	}
	switch x := x.(type) {
	case abort:
		return fmt.Errorf("%s: %w", p.Name, x.err)
	case runtime.Error:
		if fault, ok := x.(interface{ Addr() uintptr }); ok {
			return fmt.Errorf("%s: kernel %s: invalid memory access at %#x through a pointer", p.Name, r.kernel, fault.Addr())
		}
		return fmt.Errorf("%s: kernel %s: %w", p.Name, r.kernel, x)
	case error:
		return fmt.Errorf("%s: %w", p.Name, x)
	}
	return fmt.Errorf("%s: %v", p.Name, x)
}

// Check ends the run when its context is done. Generated host code calls it in
// every loop.
func (r *Run) Check() {
	if r.stop.Load() {
		err := r.ctx.Err()
		if err == nil {
			err = context.Canceled
		}
		panic(abort{err})
	}
}

// Kernel names the kernel that is about to be invoked.
func (r *Run) Kernel(name string) { r.kernel = name }

// Round counts an iteration.
func (r *Run) Round() { r.result.Iterations++ }

// Arg returns argument i as a T.
func Arg[T Scalar](r *Run, i int) T {
	v := r.args[i]
	if v.Kind >= Float32 {
		return T(v.Float)
	}
	if v.Kind == Uint64 {
		return T(uint64(v.Int))
	}
	return T(v.Int)
}

// Scalar is the types of the kinds.
type Scalar interface {
	Integer | float32 | float64
}

// slack is how many elements more than needed an array of a property has, so that
// a pointer to its end is a pointer into it, and so that the last number of each
// worker whose point or element has no room is one in it ([Run.Element] does not look
// at the room).
const slack = 64 + maxWorkers

// Prop makes a property: one T, a scalar or an array, for each of a domain, all
// zero. One of the mesh has room for more.
func Prop[T any](r *Run, of uint8) []T {
	n := r.count(of)
	if of < ofPoints {
		return newArray[T](r, n)[:n]
	}
	return make([]T, int(r.grown[of-ofPoints].room)+slack)[:n]
}

// count returns the size of a domain.
func (r *Run) count(of uint8) int {
	switch of {
	case ofEdges:
		return int(r.Arcs)
	case ofPoints:
		return int(r.Points)
	case ofElements:
		return int(r.Elements)
	}
	return int(r.Nodes)
}

// Output adds an output property, made by Prop, to the results.
func Output[T Scalar](r *Run, name, typ string, of uint8, k Kind, p unsafe.Pointer) {
	n := r.count(of)
	r.give(p)
	r.result.Props = append(r.result.Props, Column{Name: name, Type: typ, Of: of, Kind: k, Data: unsafe.Slice((*T)(p), n)})
}

// OutputGlobal adds an output global to the results.
func OutputGlobal[T Scalar](r *Run, name, typ string, k Kind, data ...T) {
	r.result.Globals = append(r.result.Globals, Global{Name: name, Type: typ, Kind: k, Data: append([]T(nil), data...)})
}

// A Range is a range of edges, nodes or ints, from Lo up to Hi.
type Range struct{ Lo, Hi int64 }

// Ints returns the range from lo up to hi, which is empty when hi is not the
// larger.
func Ints(lo, hi int32) Range { return Range{int64(lo), int64(max(lo, hi))} }

// EdgesOf returns the edges of node v; row points to the graph's RowStart.
func EdgesOf(row unsafe.Pointer, v int32) Range {
	p := unsafe.Add(row, uintptr(uint32(v))*8)
	return Range{*(*int64)(p), *(*int64)(unsafe.Add(p, 8))}
}

// A Row is the edges of a node: N of them, from Lo up.
type Row struct{ Lo, N int64 }

// RowOf returns the edges of node v, of which code takes single ones by their numbers; row
// points to the graph's RowStart.
func RowOf(row unsafe.Pointer, v int32) Row {
	p := unsafe.Add(row, uintptr(uint32(v))*8)
	lo := *(*int64)(p)
	return Row{lo, *(*int64)(unsafe.Add(p, 8)) - lo}
}

// Range returns the edges as a range.
func (r Row) Range() Range { return Range{r.Lo, r.Lo + r.N} }

// Count returns the number of edges.
func (r Row) Count() int32 { return int32(r.N) }

// Count returns the number of values in a range.
func (r Range) Count() int32 { return int32(r.Hi - r.Lo) }

// Degree returns the number of edges of node v.
func Degree(row unsafe.Pointer, v int32) int32 {
	p := unsafe.Add(row, uintptr(uint32(v))*8)
	return int32(*(*int64)(unsafe.Add(p, 8)) - *(*int64)(p))
}

// At returns the address of the value that a node, point or element v has in the
// property that starts at p.
func At[T any](p unsafe.Pointer, v int32) *T {
	var x T
	return (*T)(unsafe.Add(p, uintptr(uint32(v))*unsafe.Sizeof(x)))
}

// AtEdge returns the address of edge e's value in the array that starts at p.
func AtEdge[T any](p unsafe.Pointer, e int64) *T {
	var x T
	return (*T)(unsafe.Add(p, uintptr(e)*unsafe.Sizeof(x)))
}

// print appends to the output. An error ends the run.
func (r *Run) print(b []byte) {
	r.outMu.Lock()
	_, err := r.out.Write(b)
	r.outMu.Unlock()
	if err != nil {
		r.Fail("write output: %w", err)
	}
}
