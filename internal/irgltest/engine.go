package irgltest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/internal/compile"
	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/host"
	"irgl/internal/interp"
	"irgl/internal/lower"
	"irgl/internal/run"
	"irgl/internal/source"
	"irgl/internal/ssa/opt"
	"irgl/syntax"
)

// A Program is a text that checks without errors.
type Program struct {
	Name string
	Text string
	Info *check.Info
}

// Load parses and checks a text.
func Load(name, text string) (*Program, error) {
	var diags source.List
	f := syntax.Parse(source.NewFile(name+".irgl", []byte(text)), syntax.IrGL, &diags)
	if err := diags.Err(); err != nil {
		return nil, err
	}
	p := &Program{name, text, check.Check(f, &diags)}
	return p, diags.Err()
}

// Input returns the input of a run on the graph: the defaults of the entry's
// parameters, and small numbers where there are none.
func (p *Program) Input(ctx context.Context, g *graph.Graph) (run.Input, error) {
	g, err := run.Prepare(ctx, g, p.Info.Requires)
	if err != nil {
		return run.Input{}, err
	}
	in := run.Input{Graph: g}
	for i, t := range p.Info.Entry.Type.Params {
		to, ok := t.(check.Basic)
		if !ok {
			return in, fmt.Errorf("parameter %d has type %s", i, t)
		}
		v := run.IntValue(int64(i + 1))
		if to == check.Node || to == check.Bool {
			v.Int = 0
		}
		if d := p.Info.Entry.Decl.Params[i].Default; d != nil {
			if c := p.Info.Consts[d]; c != nil {
				from, _ := p.Info.Types[d].(check.Basic)
				v = run.Value{Type: from, Int: c.Int, Float: c.Float}
			}
		}
		in.Args = append(in.Args, v.Convert(to))
	}
	return in, nil
}

// An Outcome is all that can be seen of a run, as text that is equal where the
// runs are: output properties and globals, what was printed, the iterations.
type Outcome struct {
	Text string
	Err  error
}

// outcome describes a run.
func outcome(res *run.Result, printed string, err error) Outcome {
	if err != nil {
		return Outcome{Err: err}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "iterations %d\n", res.Iterations)
	for _, c := range res.Props {
		fmt.Fprintf(&b, "%s:", c.Name)
		for i := range c.Len() {
			b.WriteByte(' ')
			b.WriteString(exact(c.Value(i)))
		}
		b.WriteByte('\n')
	}
	for _, g := range res.Globals {
		fmt.Fprintf(&b, "%s:", g.Name)
		for _, v := range g.Values {
			b.WriteByte(' ')
			b.WriteString(exact(v))
		}
		b.WriteByte('\n')
	}
	b.WriteString("printed:\n" + printed)
	return Outcome{Text: b.String()}
}

// exact returns a value such that equal texts mean equal bits, but for NaNs.
func exact(v run.Value) string {
	if check.IsFloat(v.Type) && v.Float == 0 && math.Signbit(v.Float) {
		return "-0"
	}
	return v.String()
}

// interpret runs the program in the interpreter.
func (p *Program) interpret(ctx context.Context, in run.Input, seed uint64) Outcome {
	e, err := interp.New(p.Info, interp.Options{Seed: seed})
	if err != nil {
		return Outcome{Err: err}
	}
	var out bytes.Buffer
	in.Stdout = &out
	res, err := e.Run(ctx, in)
	return outcome(res, out.String(), err)
}

// A Variant is a way to compile and run on the emulator.
type Variant struct {
	Name     string
	Plain    bool // without the scalar passes
	Wide     bool // with 64-bit row offsets
	Seed     uint64
	Capacity int
	Lower    lower.Options // throughput passes
}

// Variants are all the ways that are compared.
var Variants = []Variant{
	{Name: "simt"},
	{Name: "simt-plain-1", Plain: true, Seed: 1, Capacity: 1},
	{Name: "simt-1", Seed: 7, Capacity: 1},
	{Name: "simt-wide", Wide: true, Seed: 3},
	{Name: "simt-launches", Seed: 5, Capacity: 1, Lower: lower.Options{Outline: lower.Outline{Auto: true, Launches: true}}},
}

// An emulator is a program compiled and loaded by one variant.
type emulator struct {
	p   *Program
	v   Variant
	dev *simt.Device
	e   *host.Engine
}

// emulate compiles the program. Every stage is verified.
func (p *Program) emulate(v Variant) (*emulator, error) {
	o := compile.Options{Check: true}
	o.Lower = v.Lower
	o.Lower.Index64 = v.Wide
	if v.Plain {
		o.Opt.Switch = map[string]bool{}
		for _, name := range opt.Passes().Names() {
			o.Opt.Switch[name] = false
		}
	}
	u, err := compile.Compile(source.NewFile(p.Name+".irgl", []byte(p.Text)), syntax.IrGL, "", o)
	if err != nil {
		return nil, err
	}
	so := simt.Checked()
	so.Seed, so.MaxInstructions, so.SpinLimit = v.Seed, 2e7, 1e6
	dev := simt.Open(so)
	e, err := host.New(dev, u.Info, u.CUDAInfo, u.PTXText(), host.Options{Launches: u.Dynpar})
	if err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	return &emulator{p, v, dev, e}, nil
}

func (m *emulator) close() error { return errors.Join(m.e.Close(), m.dev.Close()) }

// run runs the program; a report of the emulator, but for races that the
// program declares, is an error.
func (m *emulator) run(ctx context.Context, in run.Input) Outcome {
	var out bytes.Buffer
	in.Stdout, in.Capacity = &out, m.v.Capacity
	before := len(m.dev.Reports())
	res, err := m.e.Run(ctx, in)
	if err == nil {
		for _, r := range m.dev.Reports()[before:] {
			if r.Kind != device.Race || m.p.Info.Racy[strings.TrimPrefix(r.Buffer, "property ")] == "" {
				err = errors.Join(err, fmt.Errorf("report: %v (%s)", r, r.Buffer))
			}
		}
	}
	return outcome(res, out.String(), err)
}

// A Finding is a disagreement.
type Finding struct {
	Engine string // whose answer is not the interpreter's
	Kind   string // "refused", "error" or "differs"
	Graph  string
	Detail string
}

func (f *Finding) String() string {
	return fmt.Sprintf("%s %s on %s: %s", f.Engine, f.Kind, f.Graph, f.Detail)
}

// limit bounds one run; the programs take some milliseconds.
const limit = 20 * time.Second

// Answers interprets the program on the graphs, in two orders.
func (p *Program) Answers(ctx context.Context, graphs []*graph.Graph) ([]Outcome, *Finding) {
	var list []Outcome
	for _, g := range graphs {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		in, err := p.Input(ctx, g)
		if err != nil {
			return nil, &Finding{"interp", "error", g.Info.Name, err.Error()}
		}
		want := p.interpret(ctx, in, 0)
		if want.Err != nil {
			return nil, &Finding{"interp", "error", g.Info.Name, want.Err.Error()}
		}
		if f := compareOutcomes("interp-seed", g, want, p.interpret(ctx, in, 5)); f != nil {
			return nil, f
		}
		list = append(list, want)
	}
	return list, nil
}

// Compare runs the program on the emulator and compares with the answers.
func (p *Program) Compare(ctx context.Context, graphs []*graph.Graph, want []Outcome, variants []Variant) *Finding {
	for _, v := range variants {
		m, err := p.emulate(v)
		if err != nil {
			return &Finding{v.Name, "refused", "-", err.Error()}
		}
		var f *Finding
		for i, g := range graphs {
			ctx, cancel := context.WithTimeout(ctx, limit)
			in, err := p.Input(ctx, g)
			got := Outcome{Err: err}
			if err == nil {
				got = m.run(ctx, in)
			}
			cancel()
			if f = compareOutcomes(v.Name, g, want[i], got); f != nil {
				break
			}
		}
		if err := m.close(); err != nil && f == nil {
			f = &Finding{v.Name, "error", "-", err.Error()}
		}
		if f != nil {
			return f
		}
	}
	return nil
}

func compareOutcomes(engine string, g *graph.Graph, want, got Outcome) *Finding {
	switch {
	case got.Err != nil:
		return &Finding{engine, "error", g.Info.Name, got.Err.Error()}
	case got.Text != want.Text:
		return &Finding{engine, "differs", g.Info.Name, difference(want.Text, got.Text)}
	}
	return nil
}

// difference shows the first line that differs.
func difference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("interp has %q, it has %q", a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines, %d wanted", len(b), len(a))
}
