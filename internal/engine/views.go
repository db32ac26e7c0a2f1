package engine

import (
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
	Name, Type string // the type as C writes it
	Of         string // "node", "edge", "point", "element"; "" for a global variable
}

// OutputTypes returns the results of the program, in the order of [Program.Outputs].
func (p *Program) OutputTypes() []OutputType {
	var out []OutputType
	for _, prop := range p.info.Props {
		if prop.Output {
			out = append(out, OutputType{prop.Object.Name, prop.Object.Type.String(), strings.ToLower(prop.Of.String())})
		}
	}
	for _, obj := range p.info.Globals {
		if obj.Attrs.Has(syntax.Output) {
			out = append(out, OutputType{obj.Name, obj.Type.String(), ""})
		}
	}
	return out
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

// Graph returns the graph that the program ran on, nil for none.
func (r *Result) Graph() *graph.Graph {
	if r.graph == noGraph {
		return nil
	}
	return r.graph
}
