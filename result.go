package irgl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"time"

	"irgl/graph"
	"irgl/internal/engine"
	"irgl/mesh"
)

// A Result is what a run left behind. It is safe for use by several goroutines at
// once that do not change what [Values] returns.
type Result struct {
	Program    string
	Device     string
	Iterations int64 // rounds of Iterate and looping Pipe statements
	Launches   int64 // kernel invocations
	Restarts   int64 // how often the run began again with larger worklists or more room for the mesh
	// Switches are those of the code that ran, and SwitchesFrom says where they come
	// from: "given", or what they were chosen by.
	Switches     Switches
	SwitchesFrom string
	// PrepareTime is what making the graph fit and placing it on the device took,
	// CompileTime what compiling took, and RunTime the program with its initial
	// values and worklists; DeviceTime is the part of it in which the device had work,
	// by its own clock, 0 on devices without one.
	PrepareTime, CompileTime, RunTime, DeviceTime time.Duration
	// Kernels, by decreasing time, is nil unless [Options].Profile asked for it.
	Kernels []Kernel

	r *engine.Result
}

// A Kernel is what a run recorded of all launches of one kernel.
type Kernel struct {
	Name     string
	Launches int64
	Time     time.Duration
	// Items is how many items were popped from the worklist, Pushes how many were
	// pushed, Retries how many of these for another attempt. They are 0 for a kernel
	// that runs on the device within a loop that was moved there.
	Items, Pushes, Retries int64
}

// A Value is the Go type of an output's elements: char is int8, unsigned char and
// bool uint8 (0 or 1), int, node, point and element int32, long int64, and so on; of
// dist_t, the type of distances, int64 always will do. An output of type node holds indices, for [Result.Node]; -1 is no node.
type Value interface {
	int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64 | float32 | float64
}

// Values returns the values of an output without copying them: of a property those
// of all nodes (edges, points, elements) by index, of an output variable its value or
// those of the array. The slice is the result's own. The error says that there is no
// such output, or is a [*TypeError].
//
// Distances, of type dist_t, have 32 or 64 bits, as the graph requires. Values[int64]
// returns them in either case, and math.MaxInt64 where there is none: if they have 32
// bits in a new slice, made in one pass at each call, and otherwise without a copy.
// Values[int32] never copies, has math.MaxInt32 where there is none, and fails if they
// have 64 bits.
func Values[T Value](r *Result, output string) ([]T, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	data, ok := r.r.Data(output)
	if !ok {
		return nil, fmt.Errorf("%s has no output %q%s", r.Program, output, r.r.HintOutput(output))
	}
	if values, ok := data.([]T); ok {
		return values, nil
	}
	distances, ok := r.r.Distances(output)
	if values, is := any(distances).([]T); ok && is {
		return values, nil
	}
	return nil, &TypeError{Output: output, Program: r.Program, Type: elementType(data), Asked: elementType([]T(nil)), Distance: ok}
}

// errNoRun is the error of the zero Result.
var errNoRun = errors.New("the result is not that of a run")

// check returns an error if the result is nil or the zero Result.
func (r *Result) check() error {
	if r == nil || r.r == nil {
		return errNoRun
	}
	return nil
}

// elementType returns the name of the type of a slice's elements.
func elementType(slice any) string { return reflect.TypeOf(slice).Elem().String() }

// newResult wraps a result of package engine.
func newResult(r *engine.Result) *Result {
	ms := func(t float64) time.Duration { return time.Duration(t * float64(time.Millisecond)) }
	out := &Result{
		Program: r.Program, Device: r.Device, Iterations: r.Iterations, Launches: r.Launches, Restarts: r.Restarts,
		Switches: Switches{given: true, s: r.Switches}, SwitchesFrom: r.SwitchesFrom,
		PrepareTime: ms(r.Times.Prepare + r.Times.Upload), CompileTime: ms(r.Times.Open + r.Times.Compile), RunTime: ms(r.Times.Run), DeviceTime: ms(r.Times.Device),
		r: r,
	}
	for _, k := range r.Kernels {
		out.Kernels = append(out.Kernels, Kernel{Name: k.Name, Launches: k.Launches, Time: ms(k.Time), Items: k.Items, Pushes: k.Pushes, Retries: k.Retries})
	}
	return out
}

// Graph returns the graph that the program ran on: the one it was given, or a copy
// that was made to fit what the program requires (symmetric, sorted, ...). The
// values of node outputs are in the order of its nodes, those of edge outputs in the
// order of its edges; its ExternalID and Lookup translate between nodes' indices and
// their numbers in the file. It is nil for a program without a graph. A copy that was made
// on a GPU is made again here, on the host, the first time.
func (r *Result) Graph() *graph.Graph {
	if r.check() != nil {
		return nil
	}
	g, err := r.r.Graph(context.Background())
	if err != nil { // it is a fit graph already, so that there is nothing to refuse
		return nil
	}
	return g
}

// given returns the graph that the program was given, nil for none.
func (r *Result) given() *graph.Graph {
	if r.check() != nil {
		return nil
	}
	return r.r.Given()
}

// Node returns the number in the graph's file of the node at an index. It panics, as
// an index of a slice does, where there is no such node, as at -1.
func (r *Result) Node(index int) Node {
	g := r.given()
	if g == nil || index < 0 || index >= g.NumNodes() {
		panic(fmt.Sprintf("irgl: there is no node at index %d", index))
	}
	return Node(g.ExternalID(uint32(index)))
}

// Index returns the index of a node, by its number in the graph's file.
func (r *Result) Index(n Node) (index int, ok bool) {
	g := r.given()
	if g == nil {
		return 0, false
	}
	v, ok := g.Lookup(uint64(n))
	return int(v), ok
}

// Mesh returns the mesh that the program left behind, without the elements it
// deleted; nil for a program without a Mesh. The error says why what it left is not
// a triangulation.
func (r *Result) Mesh() (*mesh.Mesh, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	return r.r.Mesh()
}

// WriteSummary writes the outputs as people read them, one a line.
func (r *Result) WriteSummary(w io.Writer) error {
	if err := r.check(); err != nil {
		return err
	}
	return r.r.WriteSummary(w)
}

// WriteValues writes all values as text: of nodes one node a line, its number in the
// graph's file and its values, separated by spaces, after a comment line with the
// names; then of edges, points and elements likewise.
func (r *Result) WriteValues(w io.Writer) error {
	if err := r.check(); err != nil {
		return err
	}
	return r.r.WriteValues(w)
}

// MarshalJSON writes the object that irgl run --json prints.
func (r *Result) MarshalJSON() ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	return r.r.MarshalJSON()
}
