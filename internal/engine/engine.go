package engine

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/internal/compile"
	"irgl/internal/device"
	"irgl/internal/run"
	"irgl/internal/source"
	"irgl/internal/tune"
	"irgl/mesh"
	"irgl/rt"
)

// Options chooses how a program is compiled and run. The zero Options are the
// defaults.
type Options struct {
	// Device is "auto" (the default), "cuda", "cuda:1", "cpu", "interp" or
	// "simt".
	Device string
	// Opening is the GPU that [OpenAhead] has begun to open; nil for none. The first
	// executable for it takes it.
	Opening *Opening
	// Workers is the number of threads of the cpu device; 0 for all.
	Workers int
	// Runs is how many runs on a graph [Choose] counts on, which decides whether it is worth
	// transposing; 0 is for one.
	Runs int
	// Seed permutes the order in which simt and interp do what has no order;
	// 0 is the plain order.
	Seed uint64
	// Capacity is the initial size of worklists in items; 0 for the program's
	// own. Lists that overflow grow.
	Capacity int
	// Room is the number of points and elements for which a mesh has spare
	// capacity at first; 0 leaves the choice to the device. Meshes without room grow.
	Room int
	// PTX is text to load in place of what the compiler makes (cuda and simt):
	// it must have the kernels of the .cu text that Emit prints.
	PTX string
	// Stats records what each kernel took and did in [Result.Kernels], and Trace
	// also when, for [Result.WriteTrace]. Both make runs a little slower.
	Stats, Trace bool
	// Stdout receives what the program prints; nil discards it.
	Stdout io.Writer
	// Compile holds the compiler's switches.
	Compile compile.Options
	// Auto leaves the throughput switches, those in Compile.Lower, to the
	// executable. It chooses when it knows the graph: those of the best entry in
	// the file Tuning for it, or else by the graph's features. What
	// Compile.Lower says does not count then. [Executable.Switches] has the
	// choice. PTX of one's own leaves none.
	Auto bool
	// Tuning is the file that [Program.Tune] and irgl tune write, for Auto; ""
	// for none. [TuningFile] returns the user's.
	Tuning string
	// SlowBuild is called once if the Go toolchain has worked on the program for two
	// seconds; nil for nothing.
	SlowBuild func()
	// Prepare says where graphs are made to fit what programs require, for programs on cuda
	// and simt: "device"; "host"; or "auto", as "" is, which is the device on cuda alone. What
	// the device has no memory for is prepared on the host.
	Prepare string
	// Weights gives the edges of graphs random weights, in programs that require weights and do
	// not share their graphs with others of a session or a keeper.
	Weights RandomWeights
	// Unchecked has simt look for no faults, and be several times as fast.
	Unchecked bool
}

// maxWorkers bounds the threads of the cpu device.
const maxWorkers = 1 << 16

// Check returns an error if a number in the options is out of its range. The error begins
// with the name of the command's flag.
func (o Options) Check() error {
	switch {
	case o.Workers < 0:
		return fmt.Errorf("workers %d: want 1 or more, or 0 for one on each processor", o.Workers)
	case o.Workers > maxWorkers:
		return fmt.Errorf("workers %d: there are at most %d threads", o.Workers, maxWorkers)
	case o.Capacity < 0:
		return fmt.Errorf("capacity %d: want 1 or more, or 0 for the program's own choice", o.Capacity)
	case o.Capacity > math.MaxInt32:
		return fmt.Errorf("capacity %d: a worklist has at most %d items", o.Capacity, math.MaxInt32)
	case o.Prepare != "" && !slices.Contains(Preparations(), o.Prepare):
		return fmt.Errorf("prepare %q: there are %s", o.Prepare, strings.Join(Preparations(), ", "))
	case o.Weights.Max < 0 || o.Weights.Max > math.MaxInt32:
		return fmt.Errorf("weights up to %d: want 1 to %d", o.Weights.Max, math.MaxInt32)
	case o.Room < 0:
		return fmt.Errorf("room %d: want 1 or more, or 0 for the device's choice", o.Room)
	}
	return nil
}

// RandomWeights are random weights from 1 to Max, in place of those that a graph has: see
// [graph.Graph.RandomWeights]. Those up to 0 are the graph's own.
type RandomWeights struct {
	Max  int
	Seed uint64
}

// apply reports whether a program's graph gets them.
func (w RandomWeights) apply(p *check.Info) bool { return w.Max > 0 && p.Requires.Weights }

// A Program is a checked IrGL program.
type Program struct {
	name    string
	bundled string // the name of the bundled program whose text it has; "" for none
	file    *source.File
	info    *check.Info
	wide    func() *check.Info // the same with 64-bit distances
	// cpu returns both for the CPU, of a program whose constants differ there.
	cpu [2]func() *check.Info
	// distances returns the outputs whose values are distances.
	distances func() map[*check.Object]bool
	// spaces return the search spaces of the program, without and with clusters of blocks.
	spaces [2]func() (*tune.Space, error)
	code   []*rt.Program // its Go code, which is compiled in; see ParseGenerated
	// warnings of checking; there are no errors among them.
	warnings source.List
}

// A Param is a parameter of a program's entry function: an argument of a run
// and a flag of the command.
type Param struct {
	Name    string
	Type    string // as C writes it; "node" for a node
	Default string // "" when an argument must be given
}

// Args gives a run its arguments by name, as Go numbers (of any type of their kind) and
// bools. A node is its number in the graph's file.
type Args = map[string]any

// An Input is what a program runs on; see [Program.Needs].
type Input struct {
	Graph *graph.Graph // nil for a program without a Graph
	Mesh  *mesh.Mesh   // nil for a program without a Mesh
}

// An Executable is a program compiled for a device: its own, of [Program.Compile], or
// that of a session, see [SessionExecutable]. It is not safe for use by several
// goroutines at once.
type Executable struct {
	program *Program
	o       Options
	device  string // that was chosen
	about   string // the device's own name
	engine  run.Engine
	reports []device.Report // of the last run, on simt
	dev     device.Device   // of cuda and simt
	// hardware is what dev is, and what a GPU will be that is being opened.
	hardware device.Info
	// preparer makes graphs fit on dev; nil where the host does.
	preparer *preparer
	opened   time.Duration // waiting for the device to be opened
	compile  time.Duration
	upload   time.Duration // copying graphs and meshes to the device
	ahead    *fitAhead     // of CompileFor, until it is used
	// unit is the program compiled ahead for unitCode, until it is used.
	unit     *compile.Unit
	unitCode code
	closers  []func() error
	notes    []string

	loaded   code // what the engine runs
	switches compile.Switches
	from     string // where the switches come from
	points   int    // of the mesh
	closed   bool

	// The graph and the mesh last prepared, and what they were made from.
	given    *graph.Graph
	prepared *fitted
	views    run.Views // of prepared
	fromMesh *mesh.Mesh
	elements *run.Mesh

	sharing sharing
	digest  bool // results have a digest, for what compares many
}
