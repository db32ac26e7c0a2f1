package paper

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"irgl"
	"irgl/graph"
	"irgl/internal/lower"
	"irgl/mesh"
)

// Options steer [Run].
type Options struct {
	Device   string   // "cuda", "cuda:1", ..., or "simt"
	Inputs   []Input  // see [Inputs]
	Programs []string // bundled ones; nil for all
	Repeats  int      // runs that count; 0 for 10
	// Switches are choices to measure in place of those of the paper's tables; nil
	// for these.
	Switches []string
	// Budget is the time after which nothing more is begun, shared among the
	// inputs; 0 for no limit. Limit is that of one run; 0 for 20 s.
	Budget, Limit time.Duration
	// Candidates is how many choices of switches are tried to tune a program on an
	// input; 0 leaves tuning out.
	Candidates int
	// Tuning is a file of what searches found: a program and input that are in it
	// need none. "" for none.
	Tuning string
	// Best measures of each program the default and the tuned choice alone: what
	// the table of problems needs.
	Best     bool
	Progress func(text string) // may be nil
}

// An Input is a generator's specification, of a graph or of a mesh (points:N), and
// that of a small one of the same kind; "" for none.
type Input struct{ Spec, Twin string }

// twins gives the small input for each kind, by the generator's name.
var twins = map[string]string{
	"rmat": "rmat:8:8:wmax=100", "uniform": "uniform:400:4:wmax=100", "grid": "grid:16:16:wmax=100", "road": "road:18:18:wmax=1000",
	"path": "path:60", "star": "star:60", "clique": "clique:16", "points": "points:30",
}

// Inputs returns those that a device is measured with by default: one for each
// class of graphs, and a mesh.
func Inputs(device string) []Input {
	specs := []string{"rmat:20:8:wmax=100", "rmat:22:8:wmax=100", "uniform:8388608:4:wmax=100", "grid:1024:1024:wmax=100", "road:4900:4900:wmax=1000", "points:250000"}
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
	Program, Input, Switches string
	Failed                   string // why there is no value; "" when there is one

	Value    float64 // ms, or cost on the emulator
	Runs     int
	Launches int64
	Rounds   int64
	// Busy is the share of the time in which the device had work, by its clock; of
	// the cost on the emulator, what is not for launches. 0 when not measured.
	Busy float64
	// Twin holds the counts of the small input, or of the input itself on the
	// emulator; nil when there are none.
	Twin         *irgl.Counters
	TwinLaunches int64
	TwinRounds   int64
}

// A key names a cell.
type key struct{ program, input, switches string }

// A Report is what was measured.
type Report struct {
	Device, About string
	Metric        string // "ms" or "cost"
	Repeats       int
	Inputs        []string
	Switches      []string // as in the options
	Programs      []string // that ran on some input
	Cells         []*Cell  // in the order in which they were measured
	Tuned         []*irgl.TuneReport
	Left          []string // what the budget left out, for readers

	byKey    map[key]*Cell
	defaults map[key]string // switches, by keys without any
	tuned    map[key]string
}

// listing5 is the traversal of Listing 5, that of examples/listings.
//
//go:embed listing5.irgl
var listing5 []byte

// listing5Name is the name of the program in the tables.
const listing5Name = "listing5"

// Run measures. When ctx ends, or something fails that is not one measurement, the
// report has what was measured until then, beside the error; it is nil only if
// nothing could begin.
func Run(ctx context.Context, o Options) (*Report, error) {
	if o.Repeats <= 0 {
		o.Repeats = 10
	}
	if o.Limit <= 0 {
		o.Limit = 20 * time.Second
	}
	if o.Programs == nil {
		o.Programs = irgl.Programs()
	}
	s := &session{ctx: ctx, o: o, rep: &Report{
		Device: o.Device, Metric: "ms", Repeats: o.Repeats, Switches: slices.Clone(o.Switches),
		byKey: map[key]*Cell{}, defaults: map[key]string{}, tuned: map[key]string{},
	}}
	for i, text := range o.Switches {
		lo, err := lower.ParseOptions(text)
		if err != nil {
			return nil, err
		}
		s.rep.Switches[i] = lo.String()
	}
	if o.Device == "simt" {
		s.rep.Metric, s.rep.Repeats = "cost", 1
	}
	if err := s.load(); err != nil {
		return nil, err
	}
	var err error
	if s.dev, err = irgl.OpenSession(irgl.Options{Device: o.Device, Unchecked: true}); err != nil {
		return nil, err
	}
	s.twins = newTwinRuns(ctx)
	_, s.rep.About = s.dev.Device()
	err = s.inputs()
	s.twins.finish()
	// An interrupted device may be at work on a kernel that nothing can stop: who
	// waits for the report shall not wait for that, and the process ends soon.
	if ctx.Err() == nil {
		_ = s.dev.Close() // what was measured stands
	}
	return s.rep, err
}

// inputs measures on one input after the other, within the budget.
func (s *session) inputs() error {
	o := s.o
	end := time.Time{}
	if o.Budget > 0 {
		end = time.Now().Add(o.Budget)
	}
	for i, in := range o.Inputs {
		if o.Budget > 0 { // an equal share of what is left
			s.until = time.Now().Add(time.Until(end) / time.Duration(len(o.Inputs)-i))
		}
		if err := s.input(in); err != nil {
			return err
		}
	}
	return s.ctx.Err()
}

// load parses the programs.
func (s *session) load() error {
	for _, name := range s.o.Programs {
		p, err := irgl.Bundled(name)
		if err != nil {
			return err
		}
		s.programs = append(s.programs, p)
	}
	if s.o.Switches != nil || s.o.Best {
		return nil
	}
	p, err := irgl.Parse(listing5Name+".irgl", listing5)
	if err != nil {
		return err
	}
	s.programs = append(s.programs, p)
	return nil
}

// open generates an input.
func open(ctx context.Context, spec string) (irgl.Input, error) {
	text, ok := strings.CutPrefix(spec, "points:")
	if !ok {
		g, err := graph.Generate(ctx, spec)
		return irgl.Input{Graph: g}, err
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 3 || n > mesh.MaxNodes {
		return irgl.Input{}, fmt.Errorf("%s: a mesh is generated by points:N, of 3 to %d points", spec, mesh.MaxNodes)
	}
	m, err := mesh.Generate(ctx, n, 1)
	return irgl.Input{Mesh: m}, err
}

// fits reports whether a program runs on inputs of that kind.
func fits(p *irgl.Program, in irgl.Input) bool {
	graph, mesh := p.Needs()
	return mesh == (in.Mesh != nil) && graph == (in.Graph != nil)
}

// arguments returns the first node for parameters that are nodes; others have
// defaults.
func arguments(p *irgl.Program, in irgl.Input) irgl.Args {
	args := irgl.Args{}
	for _, param := range p.Params() {
		if param.Type == "node" && in.Graph != nil && in.Graph.NumNodes() > 0 {
			args[param.Name] = irgl.Node(in.Graph.ExternalID(0))
		}
	}
	return args
}

// The tables' choices of switches.

// optimisations are those of Figures 8 and 9, by the paper's names where it has
// them.
var optimisations = []struct{ name, switches string }{
	{"iter", "outline=auto"}, {"cc", "coop=block"}, {"np", "np=tb,wp,fg"}, {"batch", "batch=4"},
}

// combination returns the switches of a set of optimisations, and its name.
func combination(set int) (switches, name string) {
	var list, names []string
	for i, o := range optimisations {
		if set&(1<<i) != 0 {
			list, names = append(list, o.switches), append(names, o.name)
		}
	}
	if len(names) == 0 {
		names = []string{"none"}
	}
	return canonical(strings.Join(list, " ")), strings.Join(names, "+")
}

// loops are the two ways to loop of Figure 1 and Table 1: on the host, outlined.
var loops = []string{"", "outline=auto"}

// schedulers are the rows of Table 2.
var schedulers = []string{"", "fg", "wp", "tb", "tb,wp", "tb,fg", "wp,fg", "tb,wp,fg"}

func schedulerSwitches(policy string) string {
	if policy == "" {
		return "outline=auto"
	}
	return canonical("outline=auto np=" + policy)
}

// traversals are the rows of Table 4's microbenchmark. Its kernel is timed alone,
// so it stays one.
var traversals = []string{"", "coop=warp", "coop=block", "np=tb,wp,fg", "coop=warp np=tb,wp,fg", "coop=block np=tb,wp,fg", "batch=4 coop=warp", "batch=4 coop=block", "batch=4 coop=block np=tb,wp,fg"}

// needed returns the choices that the tables need of a program.
func needed(program string) []string {
	if program == listing5Name {
		return traversals
	}
	var out []string
	add := func(switches string) {
		if !slices.Contains(out, switches) {
			out = append(out, switches)
		}
	}
	add("")
	for set := range 1 << len(optimisations) {
		switches, _ := combination(set)
		add(switches)
	}
	for _, policy := range schedulers {
		add(schedulerSwitches(policy))
	}
	return out
}
