package rt

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
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
	Weights bool   // reads the arcs' weights
	Params  []Kind // of the entry function
	Main    func(r *Run)
}

// An Input is what a run starts from.
type Input struct {
	Graph   *Graph
	Args    []Value
	Workers int       // 0 for all processors
	Stdout  io.Writer // nil discards
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
	Iterations int64
	Launches   int64
}

// A Run is one execution of a program. Its exported methods are for generated
// code, on the goroutine that runs the host function, unless they say more.
type Run struct {
	// Row, Dst and Weight point to the graph's arrays, Nodes and Arcs are
	// their lengths.
	Row, Dst, Weight unsafe.Pointer
	Nodes            int32
	Arcs             int64

	graph   *Graph
	args    []Value
	pool    pool
	workers []*Worker
	stop    atomic.Bool // the context is done
	alone   bool        // launches use worker 0 only
	ctx     context.Context
	result  Result
	free    []block // of worklists; used by worker 0 or under freeMu
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

// Execute runs p. The error is that of the context when it ended the run.
func (p *Program) Execute(ctx context.Context, in Input) (res *Result, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r, err := p.newRun(ctx, in)
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { r.stop.Store(true) })()
	defer r.pool.close()
	defer func() {
		if x := recover(); x != nil {
			res, err = nil, fmt.Errorf("%s: %w", p.Name, panicError(x))
			if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
				err = ctx.Err()
			}
		}
	}()
	p.Main(r)
	if err := r.out.Flush(); err != nil {
		return nil, fmt.Errorf("%s: write output: %w", p.Name, err)
	}
	return &r.result, nil
}

func (p *Program) newRun(ctx context.Context, in Input) (*Run, error) {
	g := in.Graph
	if g == nil {
		return nil, fmt.Errorf("%s: no graph", p.Name)
	}
	if len(in.Args) != len(p.Params) {
		return nil, fmt.Errorf("%s: %d arguments, %d wanted", p.Name, len(in.Args), len(p.Params))
	}
	n := max(1, len(g.RowStart)) - 1
	if n > 1<<31-1 {
		return nil, fmt.Errorf("%s: %d nodes are too many", p.Name, n)
	}
	if p.Weights && len(g.Weight) != len(g.Dst) {
		return nil, fmt.Errorf("%s: the program needs weights, and the graph has none", p.Name)
	}
	r := &Run{
		Row:    unsafe.Pointer(unsafe.SliceData(g.RowStart)),
		Dst:    unsafe.Pointer(unsafe.SliceData(g.Dst)),
		Weight: unsafe.Pointer(unsafe.SliceData(g.Weight)),
		Nodes:  int32(n), Arcs: int64(len(g.Dst)),
		graph: g, args: in.Args, ctx: ctx,
	}
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
	return r, nil
}

// panicError turns what a worker recovered into an error.
func panicError(x any) error {
	switch x := x.(type) {
	case abort:
		return x.err
	case error:
		return x
	}
	return fmt.Errorf("%v", x)
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

// Round counts an iteration.
func (r *Run) Round() { r.result.Iterations++ }

// Node returns v, or ends the run when the graph has no such node.
func (r *Run) Node(v int32) int32 {
	if uint32(v) >= uint32(r.Nodes) {
		r.Fail("node %d: the graph has nodes 0 to %d", v, r.Nodes-1)
	}
	return v
}

// Edge returns e, or ends the run when the graph has no such edge.
func (r *Run) Edge(e int64) int64 {
	if uint64(e) >= uint64(r.Arcs) {
		r.Fail("edge %d: the graph has edges 0 to %d", e, r.Arcs-1)
	}
	return e
}

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
	int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64 | float32 | float64
}

// slack is how many bytes more than needed an array of a property has, so that
// a pointer to its end is a pointer into it.
const slack = 64

// Prop makes a property: one T for each of a domain, all zero.
func Prop[T Scalar](r *Run, of uint8) []T {
	n := r.count(of)
	s := make([]T, n+slack)
	return s[:n]
}

// count returns the size of a domain.
func (r *Run) count(of uint8) int {
	if of == 1 {
		return int(r.Arcs)
	}
	return int(r.Nodes)
}

// Output adds an output property, made by Prop, to the results.
func Output[T Scalar](r *Run, name, typ string, of uint8, k Kind, p unsafe.Pointer) {
	n := r.count(of)
	r.result.Props = append(r.result.Props, Column{Name: name, Type: typ, Of: of, Kind: k, Data: unsafe.Slice((*T)(p), n)})
}

// OutputGlobal adds an output global to the results.
func OutputGlobal[T Scalar](r *Run, name, typ string, k Kind, data ...T) {
	r.result.Globals = append(r.result.Globals, Global{Name: name, Type: typ, Kind: k, Data: append([]T(nil), data...)})
}

// A Range is a range of edges, or of nodes, from Lo up to Hi.
type Range struct{ Lo, Hi int64 }

// EdgesOf returns the edges of node v; row points to the graph's RowStart.
func EdgesOf(row unsafe.Pointer, v int32) Range {
	p := unsafe.Add(row, uintptr(uint32(v))*8)
	return Range{*(*int64)(p), *(*int64)(unsafe.Add(p, 8))}
}

// Degree returns the number of edges of node v.
func Degree(row unsafe.Pointer, v int32) int32 {
	p := unsafe.Add(row, uintptr(uint32(v))*8)
	return int32(*(*int64)(unsafe.Add(p, 8)) - *(*int64)(p))
}

// At returns the address of node v's value in the property that starts at p.
func At[T Scalar](p unsafe.Pointer, v int32) *T {
	var x T
	return (*T)(unsafe.Add(p, uintptr(uint32(v))*unsafe.Sizeof(x)))
}

// AtEdge returns the address of edge e's value in the array that starts at p.
func AtEdge[T Scalar](p unsafe.Pointer, e int64) *T {
	var x T
	return (*T)(unsafe.Add(p, uintptr(e)*unsafe.Sizeof(x)))
}

// print appends to the output; an error is reported when the run ends.
func (r *Run) print(b []byte) {
	r.outMu.Lock()
	r.out.Write(b)
	r.outMu.Unlock()
}
