package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"irgl/internal/check"
	"irgl/internal/compile"
	"irgl/internal/lower"
	"irgl/internal/run"
	"irgl/internal/source"
	"irgl/internal/tune"
)

// TuneOptions steer [Program.Tune]. The zero TuneOptions have no limit of time.
type TuneOptions struct {
	// Budget is the time after which the search measures no further candidate, and
	// Candidates the same as a number; 0 for no limit. The default, the plain program
	// and the last comparison of the best are measured in any case.
	Budget     time.Duration
	Candidates int
	// Repeats is how often the best candidates run; 0 for 9.
	Repeats int
	// Exhaustive measures every combination of the main switches.
	Exhaustive bool
	// Limit is the time after which a run is cut off; 0 for none but that of a
	// multiple of the best's.
	Limit time.Duration
	// Done has trials of a search that was interrupted, by their switches:
	// these are not measured again.
	Done map[compile.Switches]TuneTrial
	// Later leaves it to the caller to verify the best: of the report's answers only
	// those that were known to be wrong by its end are taken for it.
	Later bool
	// Progress, if it is not nil, is called after each candidate.
	Progress func(t *TuneTrial, measured int)
}

// A TuneReport is what [Program.Tune] found.
type TuneReport = tune.Report

// TuneReports are the reports of several searches, to be written as tables.
type TuneReports = tune.Reports

// A TuneTrial is a candidate that was measured.
type TuneTrial = tune.Trial

// Tune looks for the throughput switches with which the program is fastest on an
// input, on the device of o, cuda or simt: by the device's clock on cuda, and by a
// cost made of what it counts on simt. The first answer of each candidate is compared
// with one that is verified meanwhile or, if it differs, verified itself, and where
// there is but one answer so is a digest of each later one's; that of a program that
// is not bundled is compared with the plain program's. [SaveTuning] keeps what was found
// for runs with Options.Auto.
func (p *Program) Tune(ctx context.Context, in Input, args Args, o Options, t TuneOptions) (*TuneReport, error) {
	s, err := OpenSession(o.forTuning())
	if err != nil {
		return nil, err
	}
	rep, err := s.Tune(ctx, p, in, args, t)
	_ = s.Close() // what was measured remains valid
	return rep, err
}

// forTuning returns the options with which candidates are measured.
func (o Options) forTuning() Options {
	o.Auto, o.Unchecked, o.Stats, o.Trace, o.Stdout = false, true, false, false, nil
	o.Compile.Lower = lower.Options{}
	return o
}

// Tune is [Program.Tune] in a session. When ctx ends after the default and the
// plain program were measured, or the device is lost, it returns what was found until
// then, without an error: TuneReport.Stopped says that it was ended.
func (s *Session) Tune(ctx context.Context, p *Program, in Input, args Args, t TuneOptions) (*TuneReport, error) {
	if _, mesh := p.Needs(); mesh && p.bundled == "" {
		return nil, fmt.Errorf("%s is not bundled and changes a mesh: there is no answer to compare candidates with", p.name)
	}
	// Without a device there is nothing more to be learnt.
	whole := ctx
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	progress := t.Progress
	t.Progress = func(trial *TuneTrial, measured int) {
		if progress != nil {
			progress(trial, measured)
		}
		if s.lost != nil {
			giveUp()
		}
	}
	m := &measurer{s: s, p: p, in: in, args: args, strict: s.kind == "simt"}
	defer func() {
		if ctx.Err() == nil { // else it would wait for what was interrupted
			m.close()
		}
	}()
	if err := m.open(ctx); err != nil {
		return nil, err
	}
	if _, err := m.x.arguments(m.x.given, args); err != nil {
		return nil, err
	}
	input := m.x.input(m.x.prepared)
	if in.Graph != nil {
		input.Name = in.Graph.Info.Name
	} else {
		input.Name = fmt.Sprintf("%d points", m.x.points)
	}
	class := input.Features.Class()
	space, err := p.space(m.x.dev.Info().Clusters && (class == tune.Long || class == tune.Wide))
	if err != nil {
		return nil, err
	}
	o := tune.Options{
		Default: tune.Default(p.bundled, input.Features, s.kind), Known: tune.Known(p.bundled), PlainFirst: p.bundled == "", Done: t.Done,
		Budget: t.Budget, Candidates: t.Candidates, Repeats: t.Repeats, Exhaustive: t.Exhaustive, Limit: t.Limit, Progress: t.Progress,
	}
	rep, err := tune.Search(ctx, m, space, o)
	if err == nil && !t.Later {
		switch err = m.wait(whole); {
		case whole.Err() != nil:
			err, rep.Unverified = nil, true
		case err != nil && !m.strict: // some agree with what is wrong; now that is known at once
			m.strict, m.later, o.Done = true, nil, nil
			if rep, err = tune.Search(ctx, m, space, o); err == nil {
				err = m.wait(whole)
			}
		}
	}
	if err != nil {
		return nil, errors.Join(err, s.lost)
	}
	if s.lost != nil {
		rep.Stopped = "the loss of the device"
	}
	rep.Program, rep.Device, rep.Graph = p.name, s.about, input
	return rep, nil
}

// space returns the search space of the program, with clusters of blocks or without.
func (p *Program) space(clusters bool) (*tune.Space, error) {
	if clusters {
		return p.spaces[1]()
	}
	return p.spaces[0]()
}

// SaveTuning adds what was found for the program to a tuning file, which is made if
// there is none; what else is in it stays.
func (p *Program) SaveTuning(path string, r *TuneReport) error {
	return tune.Update(path, []tune.Entry{r.Entry(tune.ProgramHash(p.file.Content), Version())})
}

// CheckTuning returns an error if there is a tuning file at path that cannot be
// read, to know it before a search.
func CheckTuning(path string) error {
	_, err := tune.ReadFile(path)
	return err
}

// A measurer is package tune's, for one program and one input.
type measurer struct {
	s    *Session
	p    *Program
	in   Input
	args Args

	x      *SessionExecutable
	last   *Result // with properties
	right  *Result // the plain program's answer, of a program that is not bundled
	looked bool    // at the answer of the present switches
	again  bool    // another one was looked at
	strict bool    // no answer counts before it was verified
	later  []*Verification
	broken bool // the device may be in no state to go on
}

// open makes the executable, with the input prepared.
func (m *measurer) open(ctx context.Context) (err error) {
	if m.x, err = m.s.Compile(m.p); err != nil {
		return err
	}
	if m.in.Mesh != nil {
		m.x.points = m.in.Mesh.NumNodes()
	}
	return m.x.Prepare(ctx, m.in.Graph)
}

func (m *measurer) close() {
	if m.x != nil {
		_ = m.x.Close() // what was measured remains valid
	}
}

func (m *measurer) Metric() string {
	if m.s.kind == "simt" {
		return "cost"
	}
	return "ms"
}

// Ahead has candidates compiled that are likely to come.
func (m *measurer) Ahead(ctx context.Context, list []lower.Options) {
	if m.broken { // then the executable is another one soon
		return
	}
	for _, o := range list {
		m.x.aheadOf(o)
	}
	_ = m.s.Warm(ctx) // without, loading takes longer
}

func (m *measurer) Use(ctx context.Context, o lower.Options) error {
	if m.broken {
		if err := m.mend(ctx); err != nil {
			return err
		}
	}
	m.looked, m.again = false, false
	err := m.x.use(ctx, o, "tuned")
	m.broken = err != nil && ctx.Err() == nil && source.Diagnostics(err) == nil
	return err
}

// mend reopens the device and recompiles the program.
func (m *measurer) mend(ctx context.Context) error {
	m.close()
	err := m.s.Renew()
	if err == nil {
		err = m.open(ctx)
	}
	m.broken = err != nil
	return err
}

// oneIn is of how many runs that are timed about one is looked at.
const oneIn = 4

// Run runs once. Outputs are read of the first run of each choice of switches, and
// until they are verified.
func (m *measurer) Run(ctx context.Context) (float64, error) {
	run := m.x.Time
	// Where answers may differ, one that is timed is looked at, too: any.
	again := m.looked && !m.again && m.p.bundled != "" && !m.x.ChecksTimedRuns() && rand.IntN(oneIn) == 0
	if !m.looked || again {
		run = m.x.RunOn
	}
	r, err := run(ctx, m.in, m.args)
	if err != nil {
		if ctx.Err() == nil {
			m.broken = true
			_ = m.mend(ctx) // else it is tried again, or the session is lost
			return 0, err
		}
		if errors.Is(err, context.DeadlineExceeded) { // after an interrupt nothing is waited for
			err = errors.Join(err, m.s.cut(ctx))
		}
		return 0, err
	}
	switch {
	case !m.looked:
		m.last = r
	case again:
		m.again = true
		m.later = append(m.later, m.x.VerifyLater(r))
	}
	if m.Metric() == "cost" {
		return tune.Cost(r.Counters), nil
	}
	return r.Times.Device, nil
}

// Verify looks at the last answer that was read; once for each choice of switches
// after [measurer.Use].
func (m *measurer) Verify(ctx context.Context) error {
	if m.looked {
		return nil
	}
	m.looked = true
	switch {
	case m.p.bundled != "" && m.strict:
		return m.x.VerifyOnce(ctx, m.last)
	case m.p.bundled != "":
		m.later = append(m.later, m.x.VerifyLater(m.last))
	case m.right == nil:
		m.right = m.last
	case !agree(m.right.raw, m.last.raw):
		return errors.New("the answer is not that of the plain program")
	}
	return nil
}

// wait waits for the answers that were taken to be right to be verified.
func (m *measurer) wait(ctx context.Context) error {
	for _, v := range m.later {
		if err := v.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// idleWait bounds the wait for kernels of a run that was cut off. Tests wait less.
const idleWait = 20 * time.Second

// cut waits for what a run that ctx has ended left behind.
func (s *Session) cut(ctx context.Context) error {
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.idleWait)
	defer cancel()
	return s.WaitIdle(wait)
}

// Agrees reports whether another result of the same program on the same input is
// the same answer: equal values, floating ones up to rounding. Meshes are never
// said to agree.
func (r *Result) Agrees(o *Result) bool { return agree(r.raw, o.raw) }

// agree reports whether two answers are the same, floating values up to rounding:
// the order of additions is no program's. Meshes are never said to agree.
func agree(a, b *run.Result) bool {
	if a.Mesh != nil || b.Mesh != nil || len(a.Props) != len(b.Props) || len(a.Globals) != len(b.Globals) {
		return false
	}
	for i, c := range a.Props {
		if !agreeColumns(c, b.Props[i]) {
			return false
		}
	}
	for i, g := range a.Globals {
		if !slices.EqualFunc(g.Values, b.Globals[i].Values, func(v, w run.Value) bool {
			if v.Type == check.Float {
				return close32(float32(v.Float), float32(w.Float))
			}
			return v.Int == w.Int && close64(v.Float, w.Float)
		}) {
			return false
		}
	}
	return true
}

// agreeColumns compares the values of a property.
func agreeColumns(a, b *run.Column) bool {
	switch x := a.Data.(type) {
	case []float32:
		y, ok := b.Data.([]float32)
		return ok && slices.EqualFunc(x, y, close32)
	case []float64:
		y, ok := b.Data.([]float64)
		return ok && slices.EqualFunc(x, y, close64)
	case []int8:
		return equal(x, b.Data)
	case []uint8:
		return equal(x, b.Data)
	case []int16:
		return equal(x, b.Data)
	case []uint16:
		return equal(x, b.Data)
	case []int32:
		return equal(x, b.Data)
	case []uint32:
		return equal(x, b.Data)
	case []int64:
		return equal(x, b.Data)
	case []uint64:
		return equal(x, b.Data)
	}
	return false
}

func equal[T comparable](x []T, data any) bool {
	y, ok := data.([]T)
	return ok && slices.Equal(x, y)
}

// close64 and close32 allow for some rounding of sums.
func close64(x, y float64) bool {
	return x == y || x != x && y != y || math.Abs(x-y) <= 1e-9*max(math.Abs(x), math.Abs(y))
}

func close32(x, y float32) bool {
	return x == y || x != x && y != y || math.Abs(float64(x)-float64(y)) <= 1e-5*max(math.Abs(float64(x)), math.Abs(float64(y)))
}
