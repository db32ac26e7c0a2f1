package irgl

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/internal/compile"
	"irgl/internal/device"
	"irgl/internal/device/cuda"
	"irgl/internal/device/simt"
	"irgl/internal/host"
	"irgl/internal/lower"
	"irgl/internal/programs"
	"irgl/internal/run"
	"irgl/internal/tune"
	"irgl/mesh"
)

// A Session is a GPU, or the emulator, kept open for many programs with many
// choices of switches on the same inputs. A graph is made to fit once for all
// programs that require the same of it, and its arrays are copied to the device
// once; code is compiled ahead, and some that was loaded stays. It is not safe for
// use by several goroutines at once.
type Session struct {
	o           Options
	kind, about string
	ordinal     int
	dev         device.Device
	store       *host.Store
	graphs      map[fitKey]fitted
	meshes      map[meshKey]*run.Mesh
	features    map[*graph.Graph]tune.Input
	right       map[rightKey]*Result // whose answers are right
	memo        *programs.Memo
	slots       chan struct{} // taken by who compiles ahead
	lost        error         // why the device is of no use any more
}

// A fitKey is a graph and what a program requires of it and looks at.
type fitKey struct {
	graph    *graph.Graph
	requires check.Requires
	needs    check.Needs
}

type fitted struct {
	graph *graph.Graph
	views run.Views
}

type meshKey struct {
	mesh     *mesh.Mesh
	requires check.Requires
}

// A rightKey names an answer: of a program, or of all that solve a problem, on one
// input with the same arguments.
type rightKey struct {
	problem string
	graph   *graph.Graph
	mesh    *run.Mesh
	args    string
}

// OpenSession opens the device of o, cuda or simt, for the programs that
// [Session.Compile] compiles; of the other options count those about devices and
// runs.
func OpenSession(o Options) (*Session, error) {
	kind, ordinal, err := ParseDevice(o.Device)
	if err != nil {
		return nil, err
	}
	s := &Session{o: o, kind: kind, ordinal: ordinal, slots: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1)), memo: programs.NewMemo()}
	switch kind {
	case "auto", "cuda":
		s.kind = "cuda"
	case "simt":
	default:
		return nil, fmt.Errorf("the device %s has no switches to tune: cuda and simt have", kind)
	}
	if err := s.open(); err != nil {
		return nil, err
	}
	s.forget()
	return s, nil
}

// open opens the device.
func (s *Session) open() (err error) {
	if s.kind == "cuda" {
		if s.dev, err = cuda.Open(s.ordinal); err != nil {
			return err
		}
	} else {
		o := simt.Checked()
		if s.o.Unchecked {
			o = simt.Options{}
		}
		o.Seed, o.Stdout = s.o.Seed, s.o.Stdout
		s.dev = simt.Open(o)
	}
	s.about, s.store = s.dev.Info().Name, host.NewStore(s.dev)
	return nil
}

// Renew opens the device anew, after an error that may have left it in no state to
// go on. The executables must have been closed.
func (s *Session) Renew() error {
	if s.lost != nil {
		return s.lost
	}
	_ = s.dev.Close() // it repeats the error that is known
	err := s.open()
	if err != nil {
		s.lost = fmt.Errorf("the device cannot be opened any more: %w", err)
	}
	return err
}

// Device returns the kind of the device and its maker's name for it.
func (s *Session) Device() (kind, about string) { return s.kind, s.about }

// Compile makes the program ready to run in the session, without loading anything
// before its first run or [Executable.Use]. Closing the executable leaves the
// device open.
func (s *Session) Compile(p *Program) (*Executable, error) {
	if p.info.Entry == nil {
		return nil, fmt.Errorf("%s has no Host function to run", p.file.Name)
	}
	x := &Executable{program: p, o: s.o, from: "given", session: s, dev: s.dev, device: s.kind, about: s.about, ahead: map[string]*build{}}
	x.o.PTX = ""
	return x, nil
}

// Forget drops what the session has of graphs and meshes, which may be closed then.
// The executables must have been closed.
func (s *Session) Forget() error {
	s.forget()
	if s.lost != nil {
		return nil
	}
	return s.store.Forget()
}

func (s *Session) forget() {
	s.graphs, s.meshes, s.features = map[fitKey]fitted{}, map[meshKey]*run.Mesh{}, map[*graph.Graph]tune.Input{}
	s.right = map[rightKey]*Result{}
	s.memo.Forget()
}

// Settle waits until the device has ended what a run has left behind that was
// ended early, for no longer than ctx. When it has not by then, the device is lost:
// nothing stops a kernel, and the session refuses all further runs.
func (s *Session) Settle(ctx context.Context) error {
	if s.lost != nil {
		return s.lost
	}
	if err := s.dev.Sync(ctx); err != nil {
		s.lost = fmt.Errorf("the device does not answer any more: %w", err)
	}
	return s.lost
}

// Close gives the device and all its memory back. A device that was lost is left
// to the end of the process.
func (s *Session) Close() error {
	if s.lost != nil {
		return nil
	}
	return s.dev.Close()
}

// fit makes a graph fit what a program requires, with the views it looks at.
func (s *Session) fit(ctx context.Context, g *graph.Graph, p *check.Info) (fitted, error) {
	key := fitKey{g, p.Requires, p.Needs}
	if f, ok := s.graphs[key]; ok {
		return f, nil
	}
	f, err := s.prepared(ctx, g, p.Requires)
	if err != nil {
		return f, err
	}
	// Views of the same graph, made for another program, are the same.
	in := run.Input{Graph: f.graph}
	for other, have := range s.graphs {
		if have.graph != f.graph || other.requires.Weights != p.Requires.Weights {
			continue
		}
		if p.Needs.InEdges && have.views.In != nil && other.requires.Symmetric == p.Requires.Symmetric {
			in.In = have.views.In
		}
		if p.Needs.Sources && have.views.Src != nil {
			in.Src = have.views.Src
		}
	}
	if err := in.Complete(ctx, p.Needs, p.Requires); err != nil {
		return f, err
	}
	f.views = in.Views
	s.graphs[key] = f
	return f, nil
}

// prepared is run.Prepare, once for what is the same: a graph that was made
// symmetric fits whatever else is required.
func (s *Session) prepared(ctx context.Context, g *graph.Graph, r check.Requires) (fitted, error) {
	for key, f := range s.graphs {
		if key.graph != g {
			continue
		}
		if key.requires == r || r.Symmetric && key.requires.Symmetric && key.requires.Weights && f.graph != g && f.graph.Weight != nil && !sameArcs(f.graph, g) {
			return fitted{graph: f.graph}, nil
		}
	}
	p, err := run.Prepare(ctx, g, r)
	return fitted{graph: p}, err
}

// sameArcs reports whether two graphs share their arcs: one was not made symmetric
// of the other.
func sameArcs(a, b *graph.Graph) bool {
	return len(a.Dst) == len(b.Dst) && (len(a.Dst) == 0 || &a.Dst[0] == &b.Dst[0])
}

// elements makes a mesh fit what a program requires.
func (s *Session) elements(ctx context.Context, m *mesh.Mesh, r check.Requires) (*run.Mesh, error) {
	key := meshKey{m, r}
	if e := s.meshes[key]; e != nil {
		return e, nil
	}
	e, err := run.PrepareMesh(ctx, m, r)
	if err == nil {
		s.meshes[key] = e
	}
	return e, err
}

// inputOf is tune.InputOf of a prepared graph, nil for none.
func (s *Session) inputOf(g *graph.Graph, points int) tune.Input {
	in, ok := s.features[g]
	if !ok {
		in = tune.InputOf(g, 0)
		s.features[g] = in
	}
	in.Points = points
	return in
}

// A build is a program that is being compiled, or was.
type build struct {
	done chan struct{}
	unit *compile.Unit
	err  error
}

// Ahead has other processors compile the program with these switches, for runs
// that will want them. It does nothing outside a [Session].
func (x *Executable) Ahead(switches ...string) {
	for _, text := range switches {
		if o, err := lower.ParseOptions(text); err == nil {
			x.aheadOf(o)
		}
	}
}

func (x *Executable) aheadOf(o lower.Options) {
	c := code{o, x.loaded.index64}
	key := c.key()
	if x.session == nil || x.ahead[key] != nil {
		return
	}
	b := &build{done: make(chan struct{})}
	x.ahead[key] = b
	slots := x.session.slots
	go func() {
		defer close(b.done)
		slots <- struct{}{}
		defer func() { <-slots }()
		b.unit, b.err = x.build(c, "")
		if b.err == nil { // the text, too, is made here
			b.unit.PTXText()
		}
	}()
}

// key names a code among those of one program.
func (c code) key() string { return fmt.Sprint(c.lower.String(), " ", c.index64) }

// built returns the program compiled for c, up to the stage called last.
func (x *Executable) built(c code, last string) (*compile.Unit, error) {
	b := x.ahead[c.key()]
	if b == nil || last != "" {
		return x.build(c, last)
	}
	<-b.done
	delete(x.ahead, c.key())
	return b.unit, b.err
}

// keptEngines is how many engines an executable of a session keeps loaded: those
// among which the last runs of a search go by turns, and a few more.
const keptEngines = 6

// A kept is an engine with its code.
type kept struct {
	code   code
	engine *host.Engine
}

// retire puts the present engine aside, with what it holds of the device given
// back, for the next one to take.
func (x *Executable) retire() error {
	old, _ := x.engine.(*host.Engine)
	if x.engine = nil; old == nil {
		return nil
	}
	err := old.Unplace()
	x.kept = append(x.kept, kept{x.loaded, old})
	if len(x.kept) > keptEngines {
		err = errors.Join(err, x.kept[0].engine.Close())
		x.kept = slices.Delete(x.kept, 0, 1)
	}
	return err
}

// revive takes an engine for c from those put aside.
func (x *Executable) revive(c code) bool {
	i := slices.IndexFunc(x.kept, func(k kept) bool { return k.code.key() == c.key() })
	if i < 0 {
		return false
	}
	x.engine, x.loaded, x.switches = x.kept[i].engine, c, c.lower.String()
	x.kept = slices.Delete(x.kept, i, i+1)
	return true
}

// PrepareInput is [Executable.Prepare] of the input's graph and mesh.
func (x *Executable) PrepareInput(ctx context.Context, in Input) error {
	if in.Mesh != nil {
		x.points = in.Mesh.NumNodes()
	}
	if err := x.Prepare(ctx, in.Graph); err != nil {
		return err
	}
	return x.prepareMesh(ctx, in.Mesh)
}

// Suggest returns the switches that the executable would choose for the prepared
// graph: those of the tuning file's best entry, "" for no file, or else a default;
// tuned says which.
func (x *Executable) Suggest(tuning string) (switches, from string, tuned bool, err error) {
	if x.prepared == nil {
		return "", "", false, errors.New("no graph was prepared")
	}
	in := x.input(x.prepared)
	x.o.Tuning = tuning
	entry, _, ok, err := x.lookup(in)
	if err != nil {
		return "", "", false, err
	}
	if ok {
		return entry.Switches, "tuned on " + entry.Graph.Name, true, nil
	}
	choice := tune.Default(x.program.name, in.Features, x.device)
	return choice.Options.String(), choice.From, false, nil
}

// input describes the prepared graph.
func (x *Executable) input(g *graph.Graph) tune.Input {
	if x.session != nil {
		return x.session.inputOf(orNone(g), x.points)
	}
	return tune.InputOf(orNone(g), x.points)
}

// Time is [Executable.RunOn], but the result has no properties and no mesh: they
// stay on the device. It is for runs that repeat one whose answer was looked at.
func (x *Executable) Time(ctx context.Context, input Input, args Args) (*Result, error) {
	return x.runOn(ctx, input, args, true)
}

// SetStats has the runs that follow record what each kernel took, or not.
func (x *Executable) SetStats(on bool) { x.o.Stats = on }

// oneAnswer names the problems that have one answer, of integers, which no parameter
// with a default changes.
var oneAnswer = map[string]bool{"bfs": true, "sssp": true, "cc": true, "tri": true}

// VerifyOnce is [Executable.Verify], but for a result that agrees with one that was
// verified in the session: of this program, or of another that solves the same
// problem with the same outputs.
func (x *Executable) VerifyOnce(ctx context.Context, r *Result) error {
	if x.session == nil {
		return x.Verify(ctx, r)
	}
	s := x.session
	key := rightKey{x.program.name, r.graph, r.input.Mesh, fmt.Sprint(r.input.Args)}
	if problem := programs.Problem(x.program.name); x.program.bundled && oneAnswer[problem] {
		key.problem, key.args = "all of "+problem, ""
		for i, p := range x.program.Params() {
			if p.Default == "" {
				key.args += fmt.Sprint(r.input.Args[i])
			}
		}
	}
	if right := s.right[key]; right != nil && agree(right.raw, r.raw) {
		same := true
		r.Verified = &same
		return nil
	}
	err := x.Verify(programs.WithMemo(ctx, s.memo), r)
	if err == nil && s.right[key] == nil {
		s.right[key] = r
	}
	return err
}

// Families returns the names of the bundled programs that solve the problems of
// those given, of programs or of problems, each once; other names stay as they are.
func Families(names []string) []string {
	var out []string
	for _, name := range names {
		family := programs.Family(name)
		if family == nil {
			family = []string{name}
		}
		for _, member := range family {
			if !slices.Contains(out, member) {
				out = append(out, member)
			}
		}
	}
	return out
}
