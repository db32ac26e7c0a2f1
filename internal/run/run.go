package run

import (
	"context"
	"fmt"
	"io"

	"irgl/graph"
	"irgl/internal/check"
)

// An Input is what a run starts from.
type Input struct {
	// Graph is as Prepare returns it; nil for a program without one, and for one that the
	// engine has on its device.
	Graph *graph.Graph
	Views         // of Graph; an engine makes those that the program needs and that are nil
	Mesh  *Mesh   // as PrepareMesh returns it; nil for a program without one
	Args  []Value // one per parameter of the entry function, converted to its type
	// Capacity is the initial number of items of each worklist; 0 leaves the
	// choice to the engine. No capacity loses items.
	Capacity int
	// Room is for how many points and elements more than it has a mesh has room
	// at first; 0 leaves the choice to the engine. No room loses any.
	Room    int
	Stdout  io.Writer // for printf; nil discards
	Workers int       // threads of a CPU engine; 0 for all processors
	Collect Collect   // what the run records of itself
	// Discard leaves the properties and the mesh on the device: the result has
	// the globals and what was counted. An engine on a CPU may ignore it.
	Discard bool
	// Digest asks for [Result.Digest]. An engine on a CPU may ignore it.
	Digest bool
}

// A Value is a scalar: Int counts for integer types (an unsigned 64-bit value
// as its bits), Float for floating ones.
type Value struct {
	Type  check.Basic
	Int   int64
	Float float64
}

// IntValue returns v as an int.
func IntValue(v int64) Value { return Value{Type: check.Int, Int: v} }

// FloatValue returns v as a double.
func FloatValue(v float64) Value { return Value{Type: check.Double, Float: v} }

// Convert returns v in type t as C converts it.
func (v Value) Convert(t check.Basic) Value {
	c := newColumn(t, 1)
	c.set(0, v)
	return c.Value(0)
}

// String returns the value with as many digits as its type needs to be read back.
func (v Value) String() string {
	switch {
	case v.Type == check.Float:
		return fmt.Sprint(float32(v.Float))
	case check.IsFloat(v.Type):
		return fmt.Sprint(v.Float)
	case v.Type == check.Bool:
		return fmt.Sprint(v.Int != 0)
	case check.IsUnsigned(v.Type):
		return fmt.Sprint(uint64(v.Int))
	}
	return fmt.Sprint(v.Int)
}

// A Result is what a run leaves behind.
type Result struct {
	Props   []*Column // the output properties, in order of declaration
	Globals []Global  // the output globals, in order of declaration
	Mesh    *Mesh     // as the program left it; nil for a program without one
	// Digest is that of the bytes of all output properties of nodes and edges, those
	// included that were discarded, and of the output globals; 0 when not asked for.
	Digest uint64
	Stats
}

// A Global is the final value of an output global: one value, or those of an
// array.
type Global struct {
	Name   string
	Values []Value
}

// Stats is what a run counted.
type Stats struct {
	// Iterations is the number of rounds of all Iterate and looping Pipe
	// statements.
	Iterations int64
	// Launches is the number of kernel invocations (on a GPU: launches).
	Launches int64
	// Restarts is how often the run began again with larger worklists or more
	// room for the mesh.
	Restarts int64
	// DeviceTime is the milliseconds, by the device's clock, from the first
	// launch to the end of the last, waits for the host included; 0 on devices
	// without a clock. Of several attempts it is the last one's.
	DeviceTime float64
	// DownloadTime is the milliseconds that copies of results from the device took.
	DownloadTime float64
	// Kernels, by decreasing time, and Events are nil unless [Input.Collect]
	// asked for them. Of several attempts the kernels are the last one's, the
	// events those of all; DroppedEvents is how many were too many.
	Kernels       []KernelStats
	Events        []Event
	DroppedEvents int64
}

// Column returns the output property called name, or nil.
func (r *Result) Column(name string) *Column {
	for _, c := range r.Props {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Global returns the output global called name.
func (r *Result) Global(name string) (Global, bool) {
	for _, g := range r.Globals {
		if g.Name == name {
			return g, true
		}
	}
	return Global{}, false
}

// An Engine runs one program.
type Engine interface {
	Run(ctx context.Context, in Input) (*Result, error)
}

// A Reserver is an Engine that can allocate the memory of a run ahead of it, so that the
// time of the run is not that of the system's pages.
type Reserver interface {
	Engine
	Reserve(in Input)
}
