package host

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"irgl/graph"
	"irgl/internal/abi"
	"irgl/internal/check"
	"irgl/internal/device"
	"irgl/internal/lower"
	"irgl/internal/prepare"
	"irgl/internal/run"
	"irgl/syntax"
)

// A graph is placed from arrays on the host, which the store copies to the device, or from
// arrays on the device, where package prepare has made it.

// Place copies the graph, and the views of it that the program needs, to the
// device and allocates the properties of nodes and edges. A program without a
// Graph takes nil for an empty graph; missing views are computed. Run does it
// when needed; calling it before keeps it out of a run's time.
func (e *Engine) Place(ctx context.Context, g *graph.Graph, v run.Views) error {
	if e.fixed != nil && e.fitted == nil && e.graph == g {
		return nil
	}
	if g == nil && e.source.Graph != nil {
		return errors.New("the program needs a graph")
	}
	in := run.Input{Graph: orEmpty(g), Views: v}
	if err := in.Complete(ctx, e.source.Needs, e.source.Requires); err != nil {
		return err
	}
	err := e.place(int64(in.Graph.NumNodes()), in.Graph.NumEdges(), func() error {
		if err := e.uploadRows("", in.Graph); err != nil {
			return err
		}
		return e.placeViews(in.Graph, in.Views)
	})
	if err == nil {
		e.graph = g
	}
	return err
}

// PlaceFitted takes a graph that is on the device already, in arrays of 32 bits that the store
// owns, and allocates the properties of nodes and edges. Runs with a nil graph in their input
// use it, until another graph is placed.
func (e *Engine) PlaceFitted(f *prepare.Fitted) error {
	if e.fitted == f {
		return nil
	}
	if e.rowSize() != 4 {
		return errors.New("the graph was prepared on the device with 32-bit row offsets, and the program was compiled for 64-bit ones")
	}
	err := e.place(int64(f.Graph.Nodes), int64(f.Graph.Arcs), func() error {
		e.placeArrays("", f.Graph)
		if e.source.Needs.Sources {
			e.fixed[abi.Src] = f.Src
			e.describeOf(f.Src, syntax.EdgeDomain, 4)
		}
		switch {
		case !e.source.Needs.InEdges:
		case f.In == f.Graph:
			e.shareRows()
		default:
			e.placeArrays(abi.InPrefix, f.In)
		}
		return nil
	})
	if err == nil {
		e.fitted = f
	}
	return err
}

// orEmpty returns g, or for nil a graph without nodes.
func orEmpty(g *graph.Graph) *graph.Graph {
	if g == nil {
		return &graph.Graph{RowStart: []uint64{0}}
	}
	return g
}

// place sets fixed, with the arrays that a function places there, and fields for a graph of
// so many nodes and edges, in place of the present one.
func (e *Engine) place(nodes, edges int64, arrays func() error) error {
	if err := e.free(); err != nil {
		return err
	}
	e.fixed, e.shared, e.fields = map[string]device.Ptr{}, map[string]device.Ptr{}, map[string]device.Ptr{}
	e.nodes, e.edges = nodes, edges
	err := e.fits()
	if err == nil {
		err = arrays()
	}
	if err == nil {
		err = e.allocate()
	}
	if err != nil {
		return errors.Join(err, e.free())
	}
	return nil
}

// rowSize returns the size of row offsets in the compiled program.
func (e *Engine) rowSize() int64 { return e.fieldType(abi.Row).(*check.Pointer).Elem.Size() }

// fits returns an error if the graph has more nodes or edges than the program can number.
func (e *Engine) fits() error {
	if e.rowSize() == 4 && e.edges > 1<<32-1 {
		return fmt.Errorf("the graph has %d edges: the program was compiled for 32-bit row offsets", e.edges)
	}
	if most := e.most(); e.nodes > most {
		return fmt.Errorf("the graph has %d nodes: this device takes at most %d", e.nodes, most)
	}
	return nil
}

// allocate allocates the locks of nodes and the properties of nodes and edges.
func (e *Engine) allocate() error {
	if e.fieldType(abi.NodeLocks) != nil { // a kernel locks nodes
		ptr, err := e.dev.Alloc(graphMemory+abi.NodeLocks, 4*e.nodes)
		if err != nil {
			return err
		}
		e.locks = ptr
		e.describeOf(ptr, syntax.NodeDomain, 4)
	}
	for _, p := range e.source.Props {
		if p.Of.OfMesh() {
			continue
		}
		size := e.length(p) * p.Object.Type.Size()
		ptr, err := e.pool.Alloc(propertyMemory+p.Object.Name, size)
		if err != nil {
			return err
		}
		e.fields[p.Object.Name] = ptr
		e.describeOf(ptr, p.Of, p.Object.Type.Size())
		if e.pool != e.dev && size > 0 { // it may have been another engine's, and is not zeroed
			if err := e.dev.Fill(ptr, 0, size); err != nil {
				return err
			}
		}
	}
	return nil
}

// uploadRows copies the arrays of a graph to the fields of struct irgl_graph
// whose names begin with a prefix.
func (e *Engine) uploadRows(prefix string, g *graph.Graph) error {
	size := e.rowSize()
	var err error
	if e.fixed[prefix+abi.Row], err = e.store.rows(prefix+abi.Row, g.RowStart, size); err != nil {
		return err
	}
	e.describe(e.fixed[prefix+abi.Row], "node", size, int64(g.NumNodes()))
	if e.fixed[prefix+abi.Dst], err = words(e.store, prefix+abi.Dst, g.Dst); err != nil {
		return err
	}
	e.describeOf(e.fixed[prefix+abi.Dst], syntax.EdgeDomain, 4)
	if !e.source.Requires.Weights {
		return nil
	}
	e.fixed[prefix+abi.Weight], err = words(e.store, prefix+abi.Weight, g.Weight)
	e.describeOf(e.fixed[prefix+abi.Weight], syntax.EdgeDomain, 4)
	return err
}

// placeArrays is uploadRows for arrays that are on the device.
func (e *Engine) placeArrays(prefix string, g *prepare.Graph) {
	e.fixed[prefix+abi.Row] = g.Row
	e.describe(g.Row, "node", 4, int64(g.Nodes))
	e.fixed[prefix+abi.Dst] = g.Dst
	e.describeOf(g.Dst, syntax.EdgeDomain, 4)
	if e.source.Requires.Weights {
		e.fixed[prefix+abi.Weight] = g.Weight
		e.describeOf(g.Weight, syntax.EdgeDomain, 4)
	}
}

// describe tells a device that reports faults what an array holds: see [device.Elements].
func (e *Engine) describe(p device.Ptr, of string, size, count int64) {
	if d, ok := e.dev.(device.Describing); ok {
		d.Describe(p, device.Elements{Of: of, Size: size, Count: count})
	}
}

// describeOf is describe for an array with a value for each element of a domain.
func (e *Engine) describeOf(p device.Ptr, of syntax.Domain, size int64) {
	e.describe(p, strings.ToLower(of.String()), size, 0)
}

// placeViews copies the views of g that the program needs. The transpose of a
// symmetric graph is the graph itself, whose arrays are placed already.
func (e *Engine) placeViews(g *graph.Graph, v run.Views) error {
	if e.source.Needs.Sources {
		var err error
		if e.fixed[abi.Src], err = words(e.store, abi.Src, v.Src); err != nil {
			return err
		}
		e.describeOf(e.fixed[abi.Src], syntax.EdgeDomain, 4)
	}
	switch {
	case !e.source.Needs.InEdges:
		return nil
	case v.In != g:
		return e.uploadRows(abi.InPrefix, v.In)
	}
	e.shareRows()
	return nil
}

// shareRows makes the graph its own transpose.
func (e *Engine) shareRows() {
	for _, name := range []string{abi.Row, abi.Dst, abi.Weight} {
		if p, ok := e.fixed[name]; ok {
			e.shared[abi.InPrefix+name] = p
		}
	}
}

// length returns the number of values of a property of nodes or edges.
func (e *Engine) length(p *check.Prop) int64 {
	if p.Of == syntax.EdgeDomain {
		return e.edges
	}
	return e.nodes
}

// fieldType returns the type of a field of struct irgl_graph; nil if there is none.
func (e *Engine) fieldType(name string) check.Type {
	f, _ := e.graphStruct().Field(name)
	return f.Type
}

func (e *Engine) graphStruct() *check.Struct {
	for _, s := range e.lowered.Structs {
		if s.Tag == abi.GraphTag {
			return s
		}
	}
	return nil
}

// graphBytes builds struct irgl_graph in the machine's memory.
func (e *Engine) graphBytes(m *machine) uint64 {
	s := e.graphStruct()
	at := m.mem.alloc(s.Size())
	b, err := m.mem.bytes(at, s.Size())
	if err != nil {
		return 0
	}
	put := func(name string, v uint64) {
		if f, ok := s.Field(name); ok {
			store(b[f.Offset:f.Offset+f.Type.Size()], v)
		}
	}
	put(abi.Nodes, uint64(e.nodes))
	put(abi.Edges, uint64(e.edges))
	for name, p := range e.fixed {
		put(name, uint64(p))
	}
	if e.locks != 0 {
		put(abi.NodeLocks, uint64(e.locks))
	}
	for name, p := range e.shared {
		put(name, uint64(p))
	}
	for name, p := range e.fields {
		put(lower.FieldName(name), uint64(p))
	}
	if e.source.Mesh != nil {
		for name, v := range e.meshFields() {
			put(name, v)
		}
	}
	return at
}
