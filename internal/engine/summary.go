package engine

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/bits"
	"strconv"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/internal/compile"
	"irgl/internal/run"
)

// A Summary describes the values of a property that the run set; those that are
// nodes count by their numbers in the graph's file.
type Summary struct {
	// Set is how many values differ from their initial one; of a property whose initial
	// values differ from each other (comp = id), all are results, and count.
	Set int64
	// Of the values that were set; zero when there is none. [Summary.MarshalJSON] and
	// the text have those of integers exactly.
	Min, Max, Sum float64

	min, max run.Value
	sum      *big.Int // of integers
}

// Summary computes the summary in one pass over the values.
func (p *Property) Summary() Summary {
	s := Summary{min: run.Value{Type: p.column.Type}, max: run.Value{Type: p.column.Type}}
	var initial run.Value
	if p.initial != nil {
		initial = p.initial().Value(0)
	}
	var total int128
	for i := range p.column.Len() {
		v := p.column.Value(i)
		if p.initial != nil && same(v, initial) {
			continue
		}
		v = named(p.graph, v)
		if s.Set++; s.Set == 1 || v.Float != v.Float { // NaN stays
			s.min, s.max = v, v
		}
		if less(v, s.min) {
			s.min = v
		}
		if less(s.max, v) {
			s.max = v
		}
		s.Sum += float(v)
		total.add(v)
	}
	s.Min, s.Max = float(s.min), float(s.max)
	if check.IsInteger(p.column.Type) || p.column.Type == check.Bool || p.column.Type == check.Node {
		s.sum = total.big()
	}
	return s
}

// less reports whether v is below w; NaN is below nothing.
func less(v, w run.Value) bool {
	switch {
	case check.IsFloat(v.Type):
		return v.Float < w.Float
	case check.IsUnsigned(v.Type):
		return uint64(v.Int) < uint64(w.Int)
	}
	return v.Int < w.Int
}

// An int128 is a sum of 64-bit integers in two's complement.
type int128 struct{ lo, hi uint64 }

// add adds an integer.
func (n *int128) add(v run.Value) {
	var carry uint64
	n.lo, carry = bits.Add64(n.lo, uint64(v.Int), 0)
	if v.Int < 0 && !check.IsUnsigned(v.Type) {
		n.hi-- // its sign goes on
	}
	n.hi += carry
}

func (n *int128) big() *big.Int {
	out := big.NewInt(int64(n.hi))
	return out.Add(out.Lsh(out, 64), new(big.Int).SetUint64(n.lo))
}

// same reports whether two values of a property are the same.
func same(v, w run.Value) bool {
	return v.Int == w.Int && (v.Float == w.Float || v.Float != v.Float && w.Float != w.Float)
}

// text returns the summary as people read it.
func (s Summary) text() string {
	switch {
	case s.Set == 0:
		return ""
	case s.min.Type == check.Bool:
		return fmt.Sprintf(", true on %s", s.sum)
	}
	return fmt.Sprintf(", min %s, max %s, sum %s", s.min, s.max, s.sumText())
}

// sumText returns the sum: of float values with as many digits as these have.
func (s Summary) sumText() string {
	if s.sum != nil {
		return s.sum.String()
	}
	return run.Value{Type: s.min.Type, Float: s.Sum}.String()
}

// MarshalJSON writes the object {set, min, max, sum}, or {set, true} for a property of
// type bool.
func (s Summary) MarshalJSON() ([]byte, error) {
	if s.min.Type == check.Bool {
		return fmt.Appendf(nil, `{"set":%d,"true":%s}`, s.Set, s.sum), nil
	}
	sum := jsonOf(run.Value{Type: s.min.Type, Float: s.Sum})
	if s.sum != nil {
		sum = json.Number(s.sum.String())
	}
	return json.Marshal(struct {
		Set int64 `json:"set"`
		Min any   `json:"min"`
		Max any   `json:"max"`
		Sum any   `json:"sum"`
	}{s.Set, jsonOf(s.min), jsonOf(s.max), sum})
}

// jsonOf returns v as JSON can hold it: a number with the digits of its type, true or
// false, or the text of what is no number.
func jsonOf(v run.Value) any {
	switch {
	case v.Type == check.Bool:
		return v.Int != 0
	case check.IsFloat(v.Type) && (math.IsInf(v.Float, 0) || v.Float != v.Float):
		return v.String()
	}
	return json.Number(v.String())
}

// counts are the sizes of a graph.
type counts struct {
	Nodes int   `json:"nodes"`
	Edges int64 `json:"edges"`
	// Given is the number of edges of the graph as it was given, if another one was
	// made of it to fit the program.
	Given *int64 `json:"given_edges,omitempty"`
	// PreparedOn says where the graph was made to fit the program, "host" or "device", where
	// the program requires that anything be done, and Reason why a device that should have
	// done it has not.
	PreparedOn string `json:"prepared_on,omitempty"`
	Reason     string `json:"prepared_on_host_because,omitempty"`
}

// MarshalJSON writes the object that the command's --json prints.
func (r *Result) MarshalJSON() ([]byte, error) {
	type meshCounts struct {
		Points    int `json:"points"`
		Triangles int `json:"triangles"`
	}
	var before, after *meshCounts
	if m := r.raw.Mesh; m != nil {
		before, after = &meshCounts{r.Points, r.Triangles}, &meshCounts{len(m.X), m.Triangles()}
	}
	sizes := counts{Nodes: r.Nodes, Edges: r.fitted.edges, PreparedOn: r.fitted.place(), Reason: r.fitted.reason}
	if sizes.Edges != r.Edges {
		sizes.Given = &r.Edges
	}
	outputs := map[string]any{}
	for _, p := range r.properties {
		outputs[p.Name()] = p.Summary()
	}
	for _, g := range r.globals {
		outputs[g.Name] = globalJSON(r.graph, g)
	}
	return json.Marshal(struct {
		Problem     string           `json:"problem,omitempty"`
		Program     string           `json:"program"`
		ProgramFrom string           `json:"program_from,omitempty"`
		Device      string           `json:"device"`
		Graph       counts           `json:"graph"`
		Mesh        *meshCounts      `json:"mesh,omitempty"`
		Refined     *meshCounts      `json:"mesh_after,omitempty"`
		Outputs     map[string]any   `json:"outputs"`
		Times       Times            `json:"time_ms"`
		Iterations  int64            `json:"iterations"`
		Launches    int64            `json:"launches"`
		Kernels     []KernelStats    `json:"kernels,omitempty"`
		Switches    compile.Switches `json:"switches"`
		From        string           `json:"switches_from"`
		Verified    *bool            `json:"verified"`
	}{r.Problem, r.Program, r.ProgramFrom, r.Device, sizes, before, after, outputs, r.Times, r.Iterations, r.Launches, r.Kernels, r.Switches, r.SwitchesFrom, r.Verified()})
}

func globalJSON(gr *graph.Graph, g run.Global) any {
	var list []any
	for _, v := range g.Values {
		list = append(list, jsonOf(named(gr, v)))
	}
	if len(list) == 1 {
		return list[0]
	}
	return list
}

// Size returns the size of the input, and how the graph that ran differs from it.
func (r *Result) Size() string {
	if r.Points > 0 {
		return plural(int64(r.Points), "point") + ", " + plural(int64(r.Triangles), "triangle")
	}
	text := plural(int64(r.Nodes), "node") + ", " + plural(r.fitted.edges, "edge")
	if r.fitted.edges != r.Edges {
		text += fmt.Sprintf(" (%s, from %d)", r.prepared, r.Edges)
	}
	return text
}

// preparedFor says why a graph that was prepared has other edges than the one given.
func preparedFor(r check.Requires) string {
	if r.Symmetric {
		return "made symmetric"
	}
	return "without self-loops or duplicates"
}

// plural returns a number of things: "1 edge", "2 edges".
func plural(n int64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.FormatInt(n, 10) + " " + thing
}

// WriteSummary writes the outputs as people read them, one a line.
func (r *Result) WriteSummary(w io.Writer) error {
	b := bufio.NewWriter(w)
	if m := r.raw.Mesh; m != nil {
		fmt.Fprintf(b, "mesh: %s, %s\n", plural(int64(len(m.X)), "point"), plural(int64(m.Triangles()), "triangle"))
	}
	for _, p := range r.properties {
		s := p.Summary()
		fmt.Fprintf(b, "%s: set on %d of %d%s\n", p.Name(), s.Set, p.Len(), s.text())
	}
	for _, g := range r.globals {
		fmt.Fprintf(b, "%s: %v\n", g.Name, globalJSON(r.graph, g))
	}
	return b.Flush()
}
