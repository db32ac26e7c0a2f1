package interp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/internal/run"
	"irgl/internal/source"
	"irgl/syntax"
)

// Options are choices of [New].
type Options struct {
	// Seed, when it is not 0, selects a random order of the iterations of each
	// parallel ForAll; 0 is the order of the worklist, nodes or edges.
	Seed uint64
	// Memory is how many bytes the properties, variables and worklists of a
	// run may take; 0 for 64 GiB.
	Memory int64
	// Group is how many iterations of a ForAll with barriers run together, as
	// many as a machine has threads; 0 for 64. With a Seed, each group has a
	// random number of iterations up to that.
	Group int
}

// emptyGraph is that of programs without one.
var emptyGraph = &graph.Graph{}

// An Engine runs one program. It may run several times at once.
type Engine struct {
	info    *check.Info
	options Options
}

var _ run.Engine = (*Engine)(nil)

// New returns an engine for a program that checked without errors. The error
// holds diagnostics about what the interpreter cannot run; see the package's
// documentation.
func New(info *check.Info, o Options) (*Engine, error) {
	if info.Entry == nil {
		return nil, errors.New("the program has no Host function to run")
	}
	if o.Memory <= 0 {
		o.Memory = 64 << 30
	}
	m := &machine{options: o, memory: o.Memory, dry: true}
	m.measure(run.Input{})
	m.segments = []*segment{{}} // 0 is null
	var diags source.List
	newCompiler(m, info, &diags).program()
	if err := diags.Err(); err != nil {
		return nil, err
	}
	return &Engine{info: info, options: o}, nil
}

// A machine is the state of one run.
type machine struct {
	options  Options
	ctx      context.Context
	g        *graph.Graph
	views    run.Views  // of g, those that the program needs
	mesh     *run.Mesh  // the input
	counts   [4]int64   // of nodes, edges, points and elements, by domain
	seen     [4]int64   // the counts when the present invocation began
	locks    [4][]int32 // of Exclusive, by domain
	dry      bool       // only compiling, to find errors
	segments []*segment
	memory   int64 // bytes left
	fuel     int   // steps until ctx is looked at again
	depth    int   // of recursive calls
	stats    run.Stats
	rec      *run.Recorder // nil when nothing is recorded
	rand     *rand.Rand    // of permuted orders; nil for the natural one
	perm     []int64       // a stack of permutations
	wl       *worklist     // the present context; nil outside
	any, all bool          // the reduction of the present invocation
	target   *check.Object
	out      *bufio.Writer
}

// stepsPerCheck is how many loop iterations and calls pass between two looks
// at the context: some milliseconds.
const stepsPerCheck = 1 << 16

// tick counts steps.
func (m *machine) tick(n int) {
	if m.fuel -= n; m.fuel < 0 {
		m.check()
	}
}

// check ends the run when its context has ended.
func (m *machine) check() {
	m.fuel = stepsPerCheck
	if err := m.ctx.Err(); err != nil {
		panic(fault{err})
	}
}

// An exit ends a run early and without an error.
type exit struct{}

// Run runs the program. Errors that the program makes are diagnostics about the
// expression; the error of a cancelled run is the context's. What the program
// has printed until then is written in any case.
func (e *Engine) Run(ctx context.Context, in run.Input) (res *run.Result, err error) {
	stdout := in.Stdout
	if stdout == nil {
		stdout = io.Discard
	}
	m := &machine{options: e.options, memory: e.options.Memory, ctx: ctx, out: bufio.NewWriter(stdout)}
	if err := in.Complete(ctx, e.info.Needs, e.info.Requires); err != nil {
		return nil, err
	}
	m.measure(in)
	m.rec = run.NewRecorder(in.Collect)
	m.segments = []*segment{{}}
	if e.options.Seed != 0 {
		m.rand = rand.New(rand.NewPCG(e.options.Seed, 0))
	}
	if err := e.fits(in, m.g); err != nil {
		return nil, err
	}
	var diags source.List
	c := newCompiler(m, e.info, &diags)
	err = m.guard(func() error {
		start, entry := c.program()
		if err := diags.Err(); err != nil {
			return err
		}
		m.check()
		start()
		if err := c.setArgs(entry, in.Args); err != nil {
			return err
		}
		entry.body()
		return nil
	})
	if flush := m.out.Flush(); err == nil && flush != nil {
		err = fmt.Errorf("write the program's output: %w", flush)
	}
	if err != nil {
		return nil, err
	}
	res = c.result()
	if m.rec != nil {
		m.rec.Add(run.Event{Kind: run.HostEvent, Name: "host functions", Time: m.rec.Now()})
		m.rec.Store(&res.Stats)
	}
	return res, nil
}

// guard runs f and returns the error with which the program ended itself.
func (m *machine) guard(f func() error) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case fault:
			err = r.err
		case exit:
			err = nil
		default:
			panic(r)
		}
	}()
	return f()
}

// fits checks the input against what the program was promised.
func (e *Engine) fits(in run.Input, g *graph.Graph) error {
	if len(in.Args) != len(e.info.Entry.Params) {
		return fmt.Errorf("%s takes %d arguments, not %d", e.info.Entry.Object.Name, len(e.info.Entry.Params), len(in.Args))
	}
	if e.info.Requires.Weights && int64(len(g.Weight)) != g.NumEdges() {
		return errors.New("the program requires weights, and the graph has none")
	}
	return fitsMesh(in.Mesh)
}

// setArgs sets the parameters of the entry function.
func (c *compiler) setArgs(entry *function, args []run.Value) error {
	for i, p := range entry.params {
		t, ok := p.t.(check.Basic)
		if !ok || t == check.GraphType {
			continue
		}
		v := args[i].Convert(t)
		if d, ok := domains[t]; ok && uint64(v.Int) >= uint64(c.counts[d]) {
			w := names[d]
			return fmt.Errorf("argument %s: the %s has no %s %d: it has %d %ss", entry.info.Params[i].Name, w.whole, w.one, v.Int, c.counts[d], w.one)
		}
		x := intConst(t, v.Int)
		if isFloat(t) {
			x = floatConst(t, v.Float)
		}
		effect(c.store(p, x))()
	}
	return nil
}

// result collects the outputs.
func (c *compiler) result() *run.Result {
	res := &run.Result{Stats: c.stats}
	if c.info.Mesh != nil {
		res.Mesh = c.resultMesh()
	}
	for _, p := range c.info.Props {
		if p.Output {
			res.Props = append(res.Props, columnOf(p, c.props[p.Object].data))
		}
	}
	for _, o := range c.info.Globals {
		if o.Attrs.Has(syntax.Output) {
			res.Globals = append(res.Globals, globalOf(o, c.vars[o].seg.data))
		}
	}
	return res
}

// columnOf makes a column of a property's memory.
//
//irgl:flatswitch
func columnOf(p *check.Prop, data []byte) *run.Column {
	t := p.Object.Type.(check.Basic)
	col := run.NewColumn(p.Object.Name, p.Of, t, len(data)/int(t.Size()))
	switch d := col.Data.(type) {
	case []int8:
		for i := range d {
			d[i] = int8(data[i])
		}
	case []uint8:
		copy(d, data)
	case []int16:
		for i := range d {
			d[i] = int16(le.Uint16(data[2*i:]))
		}
	case []uint16:
		for i := range d {
			d[i] = le.Uint16(data[2*i:])
		}
	case []int32:
		for i := range d {
			d[i] = int32(le.Uint32(data[4*i:]))
		}
	case []uint32:
		for i := range d {
			d[i] = le.Uint32(data[4*i:])
		}
	case []int64:
		for i := range d {
			d[i] = int64(le.Uint64(data[8*i:]))
		}
	case []uint64:
		for i := range d {
			d[i] = le.Uint64(data[8*i:])
		}
	case []float32:
		for i := range d {
			d[i] = float32(getFloat(t, data[4*i:]))
		}
	case []float64:
		for i := range d {
			d[i] = getFloat(t, data[8*i:])
		}
	}
	return col
}

// globalOf returns the values of a global, those of an array in order of their
// places in memory.
func globalOf(o *check.Object, data []byte) run.Global {
	t := o.Type
	for {
		a, ok := t.(*check.Array)
		if !ok {
			break
		}
		t = a.Elem
	}
	g := run.Global{Name: o.Name}
	b, ok := t.(check.Basic)
	if !ok {
		return g
	}
	for ; len(data) > 0; data = data[b.Size():] {
		v := run.Value{Type: b}
		if isFloat(b) {
			v.Float = getFloat(b, data)
		} else {
			v.Int = getInt(b, data)
		}
		g.Values = append(g.Values, v)
	}
	return g
}

// InitialValues returns the values that a property of nodes or edges has before
// anything runs on g: those that a result's differ from. It returns nil for a
// property that is an array, and for one of a mesh, of which a result has more
// values than there were at the start.
func InitialValues(info *check.Info, p *check.Prop, g *graph.Graph) *run.Column {
	if _, array := p.Object.Type.(*check.Array); array || p.Of.OfMesh() {
		return nil
	}
	m := &machine{memory: 1 << 62, ctx: context.Background(), segments: []*segment{{}}}
	m.measure(run.Input{Graph: g})
	seg, set := newCompiler(m, info, new(source.List)).property(p)
	set()
	return columnOf(p, seg.data)
}
