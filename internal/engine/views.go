package engine

import (
	"context"
	"math"
	"slices"
	"strings"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/internal/run"
	"irgl/internal/source"
	"irgl/internal/suggest"
	"irgl/syntax"
)

// An OutputType describes a result of a program.
type OutputType struct {
	Name, Type string // the type as C writes it, with dist_t for one whose width depends on the graph
	Of         string // "node", "edge", "point", "element"; "" for a global variable
}

// OutputTypes returns the results of the program, in the order of [Program.Outputs].
func (p *Program) OutputTypes() []OutputType {
	var out []OutputType
	for _, prop := range p.info.Props {
		if prop.Output {
			out = append(out, OutputType{prop.Object.Name, p.typeName(prop.Object), strings.ToLower(prop.Of.String())})
		}
	}
	for _, obj := range p.info.Globals {
		if obj.Attrs.Has(syntax.Output) {
			out = append(out, OutputType{obj.Name, p.typeName(obj), ""})
		}
	}
	return out
}

// typeName returns the name of an output's type.
func (p *Program) typeName(output *check.Object) string {
	name := output.Type.String()
	if p.distances()[output] {
		t := output.Type
		if a, ok := t.(*check.Array); ok {
			t = a.Elem
		}
		name = strings.Replace(name, t.String(), "dist_t", 1)
	}
	return name
}

// findDistances returns the outputs of type dist_t, or arrays of it: those whose type
// depends on the width of distances.
func (p *Program) findDistances() map[*check.Object]bool {
	if !p.info.Distances {
		return nil
	}
	out, wide := map[*check.Object]bool{}, p.wide()
	for i, prop := range p.info.Props {
		out[prop.Object] = prop.Output && prop.Object.Type.String() != wide.Props[i].Object.Type.String()
	}
	for i, obj := range p.info.Globals {
		out[obj] = obj.Attrs.Has(syntax.Output) && obj.Type.String() != wide.Globals[i].Type.String()
	}
	return out
}

// isDistance reports whether the output that [Result.Data] returns by this name is of type
// dist_t, or an array of it.
func (p *Program) isDistance(name string) bool {
	for _, prop := range p.info.Props {
		if prop.Output && prop.Object.Name == name {
			return p.distances()[prop.Object]
		}
	}
	for _, obj := range p.info.Globals {
		if obj.Name == name {
			return p.distances()[obj]
		}
	}
	return false
}

// WarningList returns the warnings of [Parse], in a new slice.
func (p *Program) WarningList() []*source.Diagnostic { return slices.Clone(p.warnings.Diags) }

// Data returns the values of an output as a slice of the Go type for them, see
// [run.Column]: of a property the result's own slice, of a global variable a new one.
func (r *Result) Data(name string) (any, bool) {
	if c := r.raw.Column(name); c != nil {
		return c.Data, true
	}
	g, ok := r.raw.Global(name)
	if !ok {
		return nil, false
	}
	t := check.Int
	if len(g.Values) > 0 {
		t = g.Values[0].Type
	}
	c := run.NewColumn(name, syntax.NodeDomain, t, len(g.Values))
	for i, v := range g.Values {
		c.Set(i, v)
	}
	return c.Data, true
}

// Distances returns the values of an output of type dist_t in 64 bits: its own slice
// where they have as many, and otherwise a new one, with the DIST_MAX of 64 bits for that
// of 32. ok is false for an output of another type.
func (r *Result) Distances(name string) (d []int64, ok bool) {
	if !r.isDistance(name) {
		return nil, false
	}
	data, _ := r.Data(name)
	switch data := data.(type) {
	case []int64:
		return data, true
	case []int32:
		d = make([]int64, len(data))
		for i, v := range data {
			if d[i] = int64(v); v == math.MaxInt32 {
				d[i] = math.MaxInt64
			}
		}
		return d, true
	}
	return nil, false
}

// HintOutput returns a hint at an output with a name like the given one, or "".
func (r *Result) HintOutput(name string) string {
	var names []string
	for _, p := range r.properties {
		names = append(names, p.Name())
	}
	for _, g := range r.globals {
		names = append(names, g.Name)
	}
	return suggest.Hint(name, names)
}

// Given returns the graph that the program was given, nil for none: its nodes are those of
// the one that it ran on.
func (r *Result) Given() *graph.Graph {
	if r.graph == noGraph {
		return nil
	}
	return r.graph
}

// Graph returns the graph that the program ran on, nil for none. If it was prepared on a
// device, it is prepared on the host here, once for all results.
func (r *Result) Graph(ctx context.Context) (*graph.Graph, error) {
	if r.graph == noGraph {
		return nil, nil
	}
	return r.fitted.graph(ctx)
}
