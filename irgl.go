package irgl

import (
	"context"

	"irgl/graph"
	"irgl/internal/engine"
	"irgl/internal/source"
	"irgl/mesh"
	"irgl/rt"
	"irgl/syntax"
)

// A Program is a checked IrGL program. It is immutable, and safe for use by several
// goroutines at once.
type Program struct{ p *engine.Program }

// A Param is a parameter of a program's entry function: an argument of a run.
type Param struct {
	Name    string
	Type    string // as C writes it; "node" for a node
	Default string // "" when an argument must be given
}

// An Output describes a result of a program; [Values] returns its values.
type Output struct {
	Name string
	Type string // as C writes it; "node" for a node, "dist_t" for a distance, whose width depends on the graph
	Of   string // what it has one value each of: "node", "edge", "point", "element"; "" for an output variable
}

// An Input is what a program runs on; see [Program.Needs].
type Input struct {
	Graph *graph.Graph // nil for a program without a Graph
	Mesh  *mesh.Mesh   // nil for a program without a Mesh
}

// engine returns the input as package engine has it.
func (in Input) engine() engine.Input { return engine.Input(in) }

// Args gives a run its arguments by name: a [Node], or a Go number or bool.
type Args map[string]any

// A Node is a node's number in the graph's file.
type Node uint64

// Load reads and checks an .irgl file. The error of a program that breaks a rule is
// a [*ProgramError]. Reading from a pipe ends with ctx.
func Load(ctx context.Context, path string) (*Program, error) {
	p, err := engine.Load(ctx, path)
	if err != nil {
		return nil, publicDuring(ctx, "load", err)
	}
	return &Program{p}, nil
}

// Parse checks the text of a program; name is the file's name in messages. The error
// of a program that breaks a rule is a [*ProgramError].
func Parse(name string, text []byte) (*Program, error) {
	p, err := engine.Parse(name, text)
	return program(p, err)
}

// Generated is [Parse] for the packages that irgl gen writes, and for them alone: code
// is the Go code of the program, which the device cpu runs. It is an error if the code
// was not generated from the text.
func Generated(name string, text []byte, code ...*rt.Program) (*Program, error) {
	p, err := engine.ParseGenerated(name, text, code)
	return program(p, err)
}

// Bundled returns a program that comes with irgl; [Choose] takes one for a problem.
func Bundled(name string) (*Program, error) {
	p, err := engine.Bundled(name)
	return program(p, err)
}

// Choose returns the bundled program that is likely the fastest of those that solve a
// problem, such as "sssp", on the input and the device of o, and says why: what irgl
// tune has measured of several of them on this very graph, in the file o.Tuning, or
// else the kind of the graph decides.
func Choose(ctx context.Context, problem string, in Input, o Options) (p *Program, why string, err error) {
	q, why, err := engine.Choose(ctx, problem, in.Graph, nil, o.engine())
	if err != nil {
		return nil, "", publicDuring(ctx, "choose", err)
	}
	return &Program{q}, why, nil
}

func program(p *engine.Program, err error) (*Program, error) {
	if err != nil {
		return nil, public(err)
	}
	return &Program{p}, nil
}

// Programs returns the names of the bundled programs, sorted.
func Programs() []string { return engine.Programs() }

// Name returns the program's name: its file's, without directory and ending.
func (p *Program) Name() string { return p.p.Name() }

// Doc returns the first paragraph of the comment that begins the program's text, on
// one line.
func (p *Program) Doc() string { return p.p.Doc() }

// Source returns the program's text.
func (p *Program) Source() []byte { return p.p.Source() }

// Params returns the parameters of the program's entry function, in order.
func (p *Program) Params() []Param {
	var out []Param
	for _, param := range p.p.Params() {
		out = append(out, Param(param))
	}
	return out
}

// Outputs returns the program's results in order of declaration, those with one
// value for each node, edge, point or element first.
func (p *Program) Outputs() []Output {
	var out []Output
	for _, o := range p.p.OutputTypes() {
		out = append(out, Output(o))
	}
	return out
}

// Needs reports whether the program runs on a graph, a mesh, or both.
func (p *Program) Needs() (graph, mesh bool) { return p.p.Needs() }

// Warnings returns what is allowed in the program's text and probably wrong.
func (p *Program) Warnings() []syntax.Diagnostic {
	return syntax.PublicDiagnostics(&source.List{Diags: p.p.WarningList()})
}
