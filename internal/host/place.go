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
	"irgl/internal/run"
	"irgl/syntax"
)

// Place copies the graph, and the views of it that the program needs, to the
// device and allocates the properties of nodes and edges. A program without a
// Graph takes nil for an empty graph; missing views are computed. Run does it
// when needed; calling it before keeps it out of a run's time.
func (e *Engine) Place(ctx context.Context, g *graph.Graph, v run.Views) error {
	if e.fixed != nil && e.graph == g {
		return nil
	}
	if g == nil && e.source.Graph != nil {
		return errors.New("the program needs a graph")
	}
	in := run.Input{Graph: orEmpty(g), Views: v}
	if err := in.Complete(ctx, e.source.Needs, e.source.Requires); err != nil {
		return err
	}
	if err := e.free(); err != nil {
		return err
	}
	e.fixed, e.shared, e.fields = map[string]device.Ptr{}, map[string]device.Ptr{}, map[string]device.Ptr{}
	if err := errors.Join(e.place(in.Graph), e.placeViews(in.Graph, in.Views)); err != nil {
		return errors.Join(err, e.free())
	}
	e.graph = g
	return nil
}

// orEmpty returns g, or for nil a graph without nodes.
func orEmpty(g *graph.Graph) *graph.Graph {
	if g == nil {
		return &graph.Graph{RowStart: []uint64{0}}
	}
	return g
}

// place sets fixed and fields for a graph.
func (e *Engine) place(g *graph.Graph) error {
	index64 := e.fieldType(abi.Row).(*check.Pointer).Elem.Size() == 8
	if !index64 && g.NumEdges() > 1<<32-1 {
		return fmt.Errorf("the graph has %d edges: the program was compiled for 32-bit row offsets", g.NumEdges())
	}
	if most := e.most(); int64(g.NumNodes()) > most {
		return fmt.Errorf("the graph has %d nodes: this device takes at most %d", g.NumNodes(), most)
	}
	if err := e.uploadRows("", g); err != nil {
		return err
	}
	if e.fieldType(abi.NodeLocks) != nil { // a kernel locks nodes
		ptr, err := e.dev.Alloc(graphMemory+abi.NodeLocks, 4*int64(g.NumNodes()))
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
		size := length(p, g) * p.Object.Type.Size()
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
	index64 := e.fieldType(abi.Row).(*check.Pointer).Elem.Size() == 8
	size := int64(4)
	if index64 {
		size = 8
	}
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
	if e.fixed[abi.Row] == 0 && g.NumNodes() > 0 {
		return nil // after an error in place
	}
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
	for _, name := range []string{abi.Row, abi.Dst, abi.Weight} {
		if p, ok := e.fixed[name]; ok {
			e.shared[abi.InPrefix+name] = p
		}
	}
	return nil
}

// length returns the number of values of a property of nodes or edges.
func length(p *check.Prop, g *graph.Graph) int64 {
	if p.Of == syntax.EdgeDomain {
		return orEmpty(g).NumEdges()
	}
	return int64(orEmpty(g).NumNodes())
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
func (e *Engine) graphBytes(m *machine, g *graph.Graph) uint64 {
	g = orEmpty(g)
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
	put(abi.Nodes, uint64(g.NumNodes()))
	put(abi.Edges, uint64(g.NumEdges()))
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
