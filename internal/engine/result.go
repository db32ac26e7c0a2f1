package engine

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/internal/compile"
	"irgl/internal/device"
	"irgl/internal/programs"
	"irgl/internal/run"
	"irgl/mesh"
	"irgl/syntax"
)

// Times are the durations of a run's parts, in milliseconds. Parts that overlap count
// once: opening a GPU, for one, is what the run waited for it after the graph was read.
// So Open, Load, Prepare, Compile, Upload, Run and Other add up to Total.
type Times struct {
	Open    float64 `json:"open"`    // opening the device
	Load    float64 `json:"load"`    // reading or generating the graph; set by the caller that did it
	Prepare float64 `json:"prepare"` // making the graph fit
	// PrepareOnDevice is the part of Prepare that worked on the device, its kernels' code
	// included.
	PrepareOnDevice float64 `json:"prepare_on_device"`
	Compile         float64 `json:"compile"` // from checked text to loaded code
	Upload          float64 `json:"upload"`  // copying the graph to the device
	Run             float64 `json:"run"`     // the program, initial values and worklists included
	// Processor is the processor time of all threads during Run, in the system, too: of
	// irgl and, of a program built for the CPU, its process. 0 where the system does not say.
	Processor float64 `json:"processor"`
	// Device is the part of Run in which the device had work, by its own clock:
	// without what makes worklists and copies results. 0 on devices without one.
	Device float64 `json:"device"`
	// Download is the part of Run that copies results from the device.
	Download float64 `json:"download"`
	// Other is what the process did besides, and Total all of it from its start to the
	// result, without the runs of which the result is not; set by the caller, 0 otherwise.
	Other float64 `json:"other"`
	Total float64 `json:"total"`
}

// String lists the parts that took time, but for Other.
func (t Times) String() string {
	var b strings.Builder
	part := func(name string, ms float64, always bool) {
		if always || ms > 0 {
			fmt.Fprintf(&b, "%s %.1f ms, ", name, ms)
		}
	}
	part("open", t.Open, false)
	part("load", t.Load, true)
	if t.PrepareOnDevice > 0 {
		fmt.Fprintf(&b, "prepare %.1f ms (device %.1f ms), ", t.Prepare, t.PrepareOnDevice)
	} else {
		part("prepare", t.Prepare, true)
	}
	part("compile", t.Compile, true)
	part("upload", t.Upload, false)
	fmt.Fprintf(&b, "run %.3f ms", t.Run)
	if t.Device > 0 {
		fmt.Fprintf(&b, " (device %.3f ms, download %.3f ms)", t.Device, t.Download)
	}
	return b.String()
}

// Account sets Load, and of total, the time from the start of the process to the result,
// Total and Other.
func (t *Times) Account(load, total time.Duration) {
	t.Load, t.Total = ms(load), ms(total)
	other := t.Total - (t.Open + t.Load + t.Prepare + t.Compile + t.Upload + t.Run)
	t.Other = math.Round(other*1000) / 1000
}

// Counters are what the emulator counts.
type Counters = device.Counters

// A Result is what a run left behind.
type Result struct {
	Program string
	// Problem is the problem for which Program was chosen, and ProgramFrom says by
	// what; "" where the program was asked for. The caller of [Choose] sets them.
	Problem, ProgramFrom string
	Device               string
	Nodes                int   // of the graph as it was given
	Edges                int64 // likewise
	Points               int   // of the mesh as it was given
	Triangles            int   // likewise
	Iterations           int64 // rounds of Iterate and looping Pipe statements
	Launches             int64 // kernel invocations
	Restarts             int64 // how often the run began again with larger worklists or more room for the mesh
	Times                Times
	Kernels              []KernelStats // by decreasing time; nil unless Options.Stats or Trace asked for them
	// Switches are the throughput switches of the code that ran, and SwitchesFrom where they come from: "given", or what
	// Options.Auto chose them by.
	Switches     compile.Switches
	SwitchesFrom string
	// Counters are what the device counted; all 0 on devices that do not count.
	Counters   Counters
	properties []*Property
	globals    []run.Global
	graph      *graph.Graph // as it was given; the prepared one has the same nodes
	fitted     *fitted
	mesh       *mesh.Mesh // as it was given
	bundled    string     // the bundled program that ran; "" for another
	prepared   string     // why the graph's edges are not those of the one given, if so
	input      run.Input
	raw        *run.Result
	verified   atomic.Pointer[bool]
	isDistance func(output string) bool
}

// Verified returns nil until [Executable.Verify] has compared the result with the
// program's reference answer; then whether they agree.
func (r *Result) Verified() *bool { return r.verified.Load() }

// Mesh returns the mesh that the program left behind, without the elements it
// deleted; nil for a program without a Mesh. It has the marks and attributes of the
// input, and says in its Notes what it has not. An error says what makes it none.
func (r *Result) Mesh() (*mesh.Mesh, error) {
	if r.raw.Mesh == nil {
		return nil, nil
	}
	m, err := r.raw.Mesh.Triangulation()
	if err == nil && r.mesh != nil {
		m.Inherit(r.mesh)
	}
	return m, err
}

// A Property is an output with one value a node, edge, point or element.
type Property struct {
	column  *run.Column
	initial func() *run.Column // has the initial value; nil when all values are the program's
	graph   *graph.Graph
}

// Name returns the property's name.
func (p *Property) Name() string { return p.column.Name }

// Type returns the property's type as C writes it.
func (p *Property) Type() string { return p.column.Type.String() }

// Len returns the number of values.
func (p *Property) Len() int { return p.column.Len() }

// Int returns the value at internal index i of an integer property; a node is
// its internal index, for [Property.Node].
func (p *Property) Int(i int) int64 { return p.column.Int(i) }

// Float returns the value at internal index i.
func (p *Property) Float(i int) float64 { return p.column.Float(i) }

// At returns the value of the node with the given number in the graph's file;
// a value that is a node is such a number, too.
func (p *Property) At(n uint64) (float64, bool) {
	v, ok := p.graph.Lookup(n)
	if !ok || p.column.Of != syntax.NodeDomain {
		return 0, false
	}
	return float(named(p.graph, p.column.Value(int(v)))), true
}

// Node returns the number in the graph's file of the node at index i.
func (p *Property) Node(i int) uint64 { return p.graph.ExternalID(uint32(i)) }

// text returns the value at i; a node is its number in the graph's file.
func (p *Property) text(i int) string { return named(p.graph, p.column.Value(i)).String() }

// named returns v, or if v is a node its number in the graph's file.
func named(g *graph.Graph, v run.Value) run.Value {
	if v.Type == check.Node && v.Int >= 0 && v.Int < int64(g.NumNodes()) {
		return run.Value{Type: check.ULong, Int: int64(g.ExternalID(uint32(v.Int)))}
	}
	return v
}

// float returns v as a float64.
func float(v run.Value) float64 {
	switch {
	case check.IsFloat(v.Type):
		return v.Float
	case check.IsUnsigned(v.Type):
		return float64(uint64(v.Int))
	}
	return float64(v.Int)
}

// Properties returns the output properties in order of declaration.
func (r *Result) Properties() []*Property { return r.properties }

// Property returns the output property of that name.
func (r *Result) Property(name string) (*Property, bool) {
	for _, p := range r.properties {
		if p.Name() == name {
			return p, true
		}
	}
	return nil, false
}

// Rounds returns the number of rounds of the program: those of Iterate and Pipe, or what
// the program counted itself where its loop is neither, as PageRank's.
func (r *Result) Rounds() int64 {
	if name := programs.Rounds(r.bundled); name != "" && r.Iterations == 0 {
		if n, ok := r.Values(name); ok && len(n) == 1 {
			return int64(n[0])
		}
	}
	return r.Iterations
}

// Values returns the values of the output global of that name: one, or those
// of an array. A node is its number in the graph's file.
func (r *Result) Values(name string) ([]float64, bool) {
	for _, g := range r.globals {
		if g.Name == name {
			var out []float64
			for _, v := range g.Values {
				out = append(out, float(named(r.graph, v)))
			}
			return out, true
		}
	}
	return nil, false
}

// WriteValues writes the values of all properties: of nodes one node a line,
// its number in the graph's file and its values, separated by spaces, after a
// comment line with the names; then of edges, if there are any, likewise, with
// the numbers of both ends; then of points and of elements of the mesh, by
// their numbers from 0.
func (r *Result) WriteValues(w io.Writer) error {
	b := bufio.NewWriterSize(w, 1<<20)
	var of [4][]*Property
	for _, p := range r.properties {
		of[p.column.Of] = append(of[p.column.Of], p)
	}
	nodes, edges := of[syntax.NodeDomain], of[syntax.EdgeDomain]
	n := r.graph.NumNodes()
	if len(nodes) > 0 || len(edges) == 0 && r.raw.Mesh == nil {
		writeHeader(b, "# node", nodes)
		for v := range n {
			b.WriteString(r.nodeText(v))
			writeRow(b, nodes, v)
		}
	}
	if len(edges) > 0 {
		g, err := r.fitted.graph(context.Background())
		if err != nil {
			return err
		}
		writeHeader(b, "# from to", edges)
		for v := range n {
			for e := g.RowStart[v]; e < g.RowStart[v+1]; e++ {
				fmt.Fprintf(b, "%s %s", r.nodeText(v), r.nodeText(int(g.Dst[e])))
				writeRow(b, edges, int(e))
			}
		}
	}
	for d := syntax.PointDomain; d <= syntax.ElementDomain; d++ {
		if props := of[d]; len(props) > 0 {
			writeHeader(b, "# "+strings.ToLower(d.String()), props)
			for i := range props[0].Len() {
				b.WriteString(strconv.Itoa(i))
				writeRow(b, props, i)
			}
		}
	}
	return b.Flush()
}

func (r *Result) nodeText(v int) string { return strconv.FormatUint(r.graph.ExternalID(uint32(v)), 10) }

func writeHeader(b *bufio.Writer, what string, props []*Property) {
	b.WriteString(what)
	for _, p := range props {
		b.WriteString(" " + p.Name())
	}
	b.WriteByte('\n')
}

func writeRow(b *bufio.Writer, props []*Property, i int) {
	for _, p := range props {
		b.WriteByte(' ')
		b.WriteString(p.text(i))
	}
	b.WriteByte('\n')
}
