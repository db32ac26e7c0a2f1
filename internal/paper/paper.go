package paper

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"irgl/graph"
	"irgl/internal/compile"
	"irgl/internal/engine"
	"irgl/internal/journal"
	"irgl/mesh"
)

// Options steer [Run].
type Options struct {
	Device   string   // "cuda", "cuda:1", ..., or "simt"
	Inputs   []Input  // see [Inputs]
	Programs []string // bundled ones; nil for all
	Repeats  int      // measured runs; 0 for 10
	// Switches are choices to measure instead of those of the paper's tables; nil
	// for these.
	Switches []compile.Switches
	// Budget is the time after which no further measurement starts; 0 for no
	// limit. The most important ones come first: see [Run]. Limit is that of one
	// run; 0 for 20 s.
	Budget, Limit time.Duration
	// Candidates is the number of choices of switches tried to tune a program on
	// an input; 0 disables tuning.
	Candidates int
	// Tuning is a file with the results of searches: a program and input in it are
	// not searched again. "" for none.
	Tuning string
	// Best measures only the default and the tuned choice of each program: what
	// the table of problems needs.
	Best bool
	// Journal is a file that receives each measurement at once; "" for none. With
	// Resume, measurements in it are not repeated. With Replay nothing is measured,
	// and no device is opened: the report is made from the journal.
	Journal        string
	Resume, Replay bool
	// Origin goes to the journal and to the report; with Resume or Replay, the
	// journal's counts.
	Origin journal.Origin
	// Fastest is how many of the fastest choices tried are measured and verified on each
	// input, besides the default and the tuned one.
	Fastest int
	// NoCounts omits the counters of the emulator.
	NoCounts bool
	// Compilers is the number of Helper processes that compile ahead; see
	// engine.Session.CompileAhead.
	Compilers int
	Helper    []string
	Progress  func(text string) // may be nil
	// Checkpoint, if not nil, is called periodically with the measurements so far.
	Checkpoint func(*Report)
}

// An Input is a generator's specification, of a graph or of a mesh (points:N), and
// that of a small input of the same kind, its twin; "" for none.
type Input struct{ Spec, Twin string }

// twins gives the twin for each kind, by the generator's name.
var twins = map[string]string{
	"rmat": "rmat:8:8:wmax=100", "uniform": "uniform:400:4:wmax=100", "grid": "grid:16:16:wmax=100", "road": "road:18:18:wmax=1000",
	"path": "path:60", "star": "star:60", "clique": "clique:16", "points": "points:30",
}

// Inputs returns a device's default inputs: one for each class of graphs, and
// a mesh.
func Inputs(device string) []Input {
	specs := []string{"rmat:20:8:wmax=100", "rmat:22:8:wmax=100", "uniform:8388608:4:wmax=100", "grid:1024:1024:wmax=100", "road:4900:4900:wmax=1000", "points:500000"}
	if device == "simt" {
		specs = []string{twins["rmat"], twins["uniform"], twins["grid"], twins["road"], twins["points"]}
	}
	var out []Input
	for _, s := range specs {
		out = append(out, InputOf(s))
	}
	return out
}

// InputOf returns the input for a specification, with the twin of its kind.
func InputOf(spec string) Input {
	kind, _, _ := strings.Cut(spec, ":")
	return Input{spec, twins[kind]}
}

// A Cell is one program on one input with one choice of switches.
type Cell struct {
	Program  string           `json:"program"`
	Input    string           `json:"input"`
	Switches compile.Switches `json:"switches"`
	Failed   string           `json:"failed,omitempty"` // the reason why there is no value; "" if there is one

	Value    float64 `json:"value"` // ms, or cost on the emulator
	Runs     int     `json:"runs"`
	Launches int64   `json:"launches"`
	Rounds   int64   `json:"rounds"`
	// Busy is the share of the time in which the device was busy, by its clock; on
	// the emulator, the share of the cost without launches. 0 if not measured.
	Busy float64 `json:"busy,omitempty"`
	// Verified says that the answer was verified.
	Verified bool `json:"verified,omitempty"`
	// Twin holds the counters of the twin, or of the input itself on the emulator;
	// nil if there are none.
	Twin         *engine.Counters `json:"twin,omitempty"`
	TwinLaunches int64            `json:"twin_launches,omitempty"`
	TwinRounds   int64            `json:"twin_rounds,omitempty"`
}

// A key identifies a cell.
type key struct {
	program, input string
	switches       compile.Switches
}

func (c *Cell) key() key { return key{c.Program, c.Input, c.Switches} }

// fail records why a cell has no value.
func (c *Cell) fail(err error) { c.Failed = strings.Join(strings.Fields(err.Error()), " ") }

// A Report is the result of [Run].
type Report struct {
	Device, About string
	Origin        journal.Origin
	Metric        string // "ms" or "cost"
	Repeats       int
	Inputs        []string
	Switches      []compile.Switches // as in the options
	Programs      []string           // that ran on some input
	Cells         []*Cell            // in the order in which they were measured
	Tuned         []*engine.TuneReport
	Left          []string // what was omitted and why
	Notes         []string // about the measurement itself

	byKey    map[key]*Cell
	defaults map[key]compile.Switches // switches, by keys without any
	tuned    map[key]compile.Switches
}

// newReport returns one without cells.
func newReport(o *Options) *Report {
	return &Report{Device: o.Device, Origin: o.Origin, Metric: "ms", Repeats: o.Repeats, Switches: slices.Clone(o.Switches),
		byKey: map[key]*Cell{}, defaults: map[key]compile.Switches{}, tuned: map[key]compile.Switches{}}
}

// add adds a cell to the report.
func (rep *Report) add(c *Cell) {
	rep.byKey[c.key()] = c
	rep.Cells = append(rep.Cells, c)
	rep.note(c.Program, c.Input)
}

// note records that the report has a program and an input.
func (rep *Report) note(program, input string) {
	if !slices.Contains(rep.Programs, program) {
		rep.Programs = append(rep.Programs, program)
	}
	if !slices.Contains(rep.Inputs, input) {
		rep.Inputs = append(rep.Inputs, input)
	}
}

// listing5 is the traversal of Listing 5, that of examples/listings.
//
//go:embed listing5.irgl
var listing5 []byte

// listing5Name is the name of the program in the tables.
const listing5Name = "listing5"

// Run measures the most important choices first: the default and the tuned choice of
// every program on every input, then, if requested, searches, then the choices that
// figures and tables need in the order of [stages]; of the programs that solve one
// problem, the one that is expected to be the fastest first. When ctx ends, or on an
// error that is not one measurement's, the report has the measurements so far, besides
// the error; it is nil only if nothing could start. The error is a [*LostError] if
// another process may continue.
func Run(ctx context.Context, o Options) (*Report, error) {
	if o.Repeats <= 0 {
		o.Repeats = 10
	}
	if o.Limit <= 0 {
		o.Limit = 20 * time.Second
	}
	if o.Programs == nil {
		o.Programs = engine.Programs()
	}
	s := &session{ctx: ctx, o: o, rep: newReport(&o), inputs: map[string]engine.Input{}, trials: map[key][]engine.TuneTrial{}, partial: map[key]bool{}, left: map[leftKey][]string{}}
	if o.Device == "simt" {
		s.rep.Metric, s.rep.Repeats = "cost", 1
	}
	if o.Budget > 0 {
		s.until = time.Now().Add(o.Budget)
	}
	if err := s.load(); err != nil {
		return nil, err
	}
	s.twins = newTwinRuns(ctx)
	if o.Replay {
		return s.replay()
	}
	var err error
	if s.dev, err = engine.OpenSession(engine.Options{Device: o.Device, Unchecked: true}); err != nil {
		return nil, err
	}
	if o.Compilers > 0 {
		s.dev.CompileAhead(o.Compilers, o.Helper...)
	}
	_, s.rep.About = s.dev.Device()
	if err := s.begin(); err != nil {
		return nil, errors.Join(err, s.dev.Close())
	}
	err = s.all()
	if lost := s.dev.Lost(); lost != nil {
		s.rep.Notes = append(s.rep.Notes, "measuring ended early: "+lost.Error())
	}
	s.collect(true)
	s.twins.finish(s.journal)
	s.rep.Left = s.leftOut()
	if n := s.dev.Loading(); s.rep.Metric == "ms" { // otherwise reports would not be deterministic
		s.rep.Notes = append(s.rep.Notes, n.String())
	}
	// An interrupted device may be running a kernel that cannot be stopped: the
	// report does not wait for it, and the process ends soon.
	if ctx.Err() == nil {
		err = errors.Join(err, s.forget())
		_ = s.dev.Close() // the measurements are valid
	}
	return s.rep, errors.Join(err, s.journal.Close())
}

// load parses the programs.
func (s *session) load() error {
	for _, name := range s.o.Programs {
		p, err := engine.Bundled(name)
		if err != nil {
			return err
		}
		s.programs = append(s.programs, p)
	}
	if s.o.Switches != nil || s.o.Best {
		return nil
	}
	p, err := engine.Parse(listing5Name+".irgl", listing5)
	if err != nil {
		return err
	}
	s.programs = append(s.programs, p)
	return nil
}

// open generates an input.
func open(ctx context.Context, spec string) (engine.Input, error) {
	text, ok := strings.CutPrefix(spec, "points:")
	if !ok {
		g, err := graph.Generate(ctx, spec)
		return engine.Input{Graph: g}, err
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 3 || n > mesh.MaxNodes {
		return engine.Input{}, fmt.Errorf("%s: a mesh is generated by points:N, of 3 to %d points", spec, mesh.MaxNodes)
	}
	m, err := mesh.Generate(ctx, n, 1)
	return engine.Input{Mesh: m}, err
}

// fits reports whether a program runs on inputs of that kind.
func fits(p *engine.Program, spec string) bool {
	graph, mesh := p.Needs()
	points := strings.HasPrefix(spec, "points:")
	return mesh == points && graph == !points
}

// arguments returns the first node for parameters that are nodes; others have
// defaults.
func arguments(p *engine.Program, in engine.Input) engine.Args {
	args := engine.Args{}
	for _, param := range p.Params() {
		if param.Type == "node" && in.Graph != nil && in.Graph.NumNodes() > 0 {
			args[param.Name] = in.Graph.ExternalID(0)
		}
	}
	return args
}
