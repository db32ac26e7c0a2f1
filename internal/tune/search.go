package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"irgl/internal/compile"
	"irgl/internal/lower"
	"irgl/internal/table"
)

// A Measurer runs one program on one input with successive choices of switches.
type Measurer interface {
	// Use prepares runs with the switches o.
	Use(ctx context.Context, o lower.Options) error
	// Run runs once and returns its time or cost, as Metric says.
	Run(ctx context.Context) (float64, error)
	// Verify checks the answer of the last run.
	Verify(ctx context.Context) error
	// Metric is "ms", which varies between runs, or "cost", which is
	// deterministic.
	Metric() string
}

// An Aheader is a [Measurer] that can compile candidates before they are used.
type Aheader interface {
	Ahead(ctx context.Context, list []lower.Options)
}

// Options steer a [Search].
type Options struct {
	Default Choice             // the switches of a program that is not tuned
	Known   []compile.Switches // the initial candidates
	// Budget is the time after which this search, of one program on one input, measures
	// no further candidate; 0 for no limit. Candidates likewise limits their number. The
	// default, the plain program and the last comparison of the best are measured in any
	// case.
	Budget     time.Duration
	Candidates int
	// Limit is the time after which a run is cut off, regardless of the best so
	// far; 0 for none.
	Limit      time.Duration
	Repeats    int  // runs of the best candidates; 0 for 9
	Exhaustive bool // every combination of the switches that are not fine, however many
	// PlainFirst runs the plain program first, so that its answer is the
	// reference; otherwise the default's is, which is faster.
	PlainFirst bool
	// Done has the trials of an earlier search that was cut short, by their
	// switches: these are not measured again.
	Done     map[compile.Switches]Trial
	Progress func(t *Trial, measured int) // may be nil; called after each candidate measured
}

// A Trial is a candidate and its result.
type Trial struct {
	Switches compile.Switches `json:"switches"`
	Stage    string           `json:"stage"`            // stage of the search: default, start, every, switch, fine, part, without
	Value    float64          `json:"value"`            // the median of its runs; 0 if it failed
	Runs     int              `json:"runs"`             // the number of runs in Value
	Failed   string           `json:"failed,omitempty"` // the reason for failure

	o       lower.Options
	samples []float64
}

// A Gain is the effect of a switch (IrGL paper, Figure 8): the best
// measurement with it against the best without.
type Gain struct {
	Switch  string  `json:"switch"`
	With    Trial   `json:"with"`
	Without Trial   `json:"without"`
	Gain    float64 `json:"gain"` // speedup with it
}

// A Report is the result of a search.
type Report struct {
	Program string  `json:"program"`
	Device  string  `json:"device"`
	Graph   Input   `json:"graph"`
	Metric  string  `json:"metric"`
	Best    Trial   `json:"best"`
	Default Trial   `json:"default"`
	Plain   Trial   `json:"plain"`
	Gains   []Gain  `json:"gains"`
	Trials  []Trial `json:"trials"` // by value, failed ones last
	// Stopped is the reason why the search ended early; "" if it is complete.
	Stopped string `json:"stopped,omitempty"`
	// Unverified says that the search ended before its reference answer was verified.
	Unverified bool `json:"unverified,omitempty"`
}

// The bounds of the search.
const (
	smallSpace  = 64  // up to this size the search is exhaustive
	sweeps      = 3   // maximum sweeps over all switches
	slowAtOnce  = 1.5 // ratio to the best that ends a race after one run
	slowInThree = 1.1 // and after three
	worthwhile  = 0.99
	finalists   = 3
)

// A search is a run of [Search].
type searcher struct {
	ctx     context.Context
	m       Measurer
	space   *Space
	o       Options
	start   time.Time
	trials  []*Trial
	by      map[string]*Trial // trials by the space's keys
	best    *Trial
	wall    time.Duration // elapsed time of a run of the best
	stopped string
}

// Search searches for the fastest combination of switches. First it measures the
// default, the plain program and the combinations known to be good elsewhere; then
// every combination, if they are few, or one switch at a time from the two best,
// until none improves; then likewise thresholds and sizes; then switches for kernels
// and inner loops (refine.go); then the best without each of its switches, for the gains; last, the best few again in turns. The best
// is never slower than the default, which is measured in the last stage, too.
//
// A candidate runs once, thrice, or Repeats times, as long as it may still be the
// best; a run that takes many times the best time is cut off. A candidate that
// fails or whose answer is wrong is a trial with the reason. When ctx ends, the
// report has the measurements so far. The error says that neither the default nor
// the plain program works, or that ctx ended before both were measured.
func Search(ctx context.Context, m Measurer, space *Space, o Options) (*Report, error) {
	if o.Repeats <= 0 {
		o.Repeats = 9
	}
	s := &searcher{ctx: ctx, m: m, space: space, o: o, start: time.Now(), by: map[string]*Trial{}}
	rep := &Report{Metric: m.Metric()}
	var known []lower.Options
	for _, k := range o.Known {
		known = append(known, k.Options())
	}
	s.ahead(append([]lower.Options{o.Default.Options, {}}, known...))
	normal, plain, err := s.begin()
	if err != nil {
		return nil, err
	}
	for _, k := range known {
		s.try(k, "start")
	}
	if o.Exhaustive || space.Size() <= smallSpace {
		all := space.All()
		for i, o := range all {
			if i%aheadOf == 0 {
				s.ahead(all[i:min(i+2*aheadOf, len(all))])
			}
			s.try(o, "every")
		}
	} else {
		starts := s.ranked()
		s.descend(starts[0], false)
		if len(starts) > 1 {
			s.descend(starts[1], false)
		}
	}
	s.descend(s.best, true)
	s.refine()
	s.without()
	if ctx.Err() == nil {
		s.finish(normal)
	}
	if ctx.Err() != nil {
		s.stopped = "an interrupt"
	}
	s.fill(rep, normal, plain)
	return rep, nil
}

// aheadOf is the minimum number of candidates that are compiled ahead.
const aheadOf = 16

// ahead compiles candidates that are still to be measured, unless the search is
// over.
func (s *searcher) ahead(list []lower.Options) {
	m, ok := s.m.(Aheader)
	if !ok {
		return
	}
	var fresh []lower.Options
	for _, o := range list {
		_, done := s.o.Done[compile.SwitchesOf(o)]
		if key, err := s.space.Key(o); err == nil && s.by[key] == nil && !done {
			fresh = append(fresh, o)
		}
	}
	if most := s.o.Candidates - len(s.trials); s.o.Candidates > 0 && len(fresh) > most {
		fresh = fresh[:max(0, most)]
	}
	m.Ahead(s.ctx, fresh)
}

// begin measures the default and the plain program, regardless of the budget.
func (s *searcher) begin() (normal, plain *Trial, err error) {
	limit := s.o
	s.o.Budget, s.o.Candidates = 0, 0
	defer func() { s.o.Budget, s.o.Candidates = limit.Budget, limit.Candidates }()
	if s.o.PlainFirst {
		plain = s.try(lower.Options{}, "default")
	}
	normal = s.try(s.o.Default.Options, "default")
	plain = s.try(lower.Options{}, "default")
	if normal == nil || plain == nil { // no reference
		return nil, nil, s.ctx.Err()
	}
	if s.best == nil {
		return nil, nil, fmt.Errorf("neither the default switches nor the plain program can be measured: %s; %s", normal.Failed, plain.Failed)
	}
	return normal, plain, nil
}

// over reports whether no more candidates are to be measured.
func (s *searcher) over() bool {
	switch {
	case s.ctx.Err() != nil:
		s.stopped = s.ctx.Err().Error()
	case s.o.Budget > 0 && time.Since(s.start) > s.o.Budget:
		s.stopped = "the budget of " + s.o.Budget.String()
	case s.o.Candidates > 0 && len(s.trials) >= s.o.Candidates:
		s.stopped = fmt.Sprintf("the limit of %d candidates", s.o.Candidates)
	default:
		return false
	}
	return true
}

// try measures a candidate if its program is new. It returns nil if the search
// is over.
func (s *searcher) try(o lower.Options, stage string) *Trial {
	key, err := s.space.Key(o)
	if err != nil {
		key = "refused " + o.String()
	}
	if t := s.by[key]; t != nil {
		return t
	}
	if s.over() {
		return nil
	}
	t := &Trial{Switches: compile.SwitchesOf(o), Stage: stage, o: o}
	s.by[key] = t
	s.trials = append(s.trials, t)
	done, measured := s.o.Done[t.Switches]
	switch {
	case measured:
		t.Value, t.Runs, t.Failed = done.Value, done.Runs, done.Failed
	case err == nil:
		err = s.race(t)
	}
	if err != nil && !measured {
		t.Value, t.Runs, t.Failed = 0, 0, oneLine(err)
		if s.ctx.Err() != nil { // interrupted, not failed
			s.trials = s.trials[:len(s.trials)-1]
			delete(s.by, key)
			return nil
		}
	}
	if t.Failed == "" && (s.best == nil || t.Value < s.best.Value && (stage != "part" || t.Value < s.worthwhile()*s.best.Value)) {
		s.best = t // with parts if they are worth their while
	}
	if s.o.Progress != nil && !measured {
		s.o.Progress(t, len(s.trials))
	}
	return t
}

// oneLine returns an error's text without line breaks.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// race runs a candidate as long as it may be the best. The first run, which
// includes loading code, counts only if it is the only one.
func (s *searcher) race(t *Trial) error {
	if err := s.m.Use(s.ctx, t.o); err != nil {
		return err
	}
	first, err := s.run(t)
	if err != nil {
		return err
	}
	if err := s.m.Verify(s.ctx); err != nil {
		return err
	}
	t.samples, t.Value, t.Runs = []float64{first}, first, 1
	if s.m.Metric() == "cost" || s.worse(t, slowAtOnce) {
		return nil
	}
	t.samples = nil
	for len(t.samples) < s.o.Repeats {
		v, err := s.run(t)
		if err != nil {
			return err
		}
		t.add(v)
		if len(t.samples) == 3 && s.worse(t, slowInThree) {
			break
		}
	}
	return nil
}

func (t *Trial) add(v float64) {
	t.samples = append(t.samples, v)
	t.Value, t.Runs = table.Median(t.samples), len(t.samples)
}

func (s *searcher) worse(t *Trial, times float64) bool {
	return s.best != nil && t.Value > times*s.best.Value
}

// The limit of a run's elapsed time: at least a minimum, else a multiple of
// the best. A first run of the plain program may be very slow.
const (
	leastLimit = time.Second
	mostTimes  = 8
)

// run runs once, with a limit relative to the best time.
func (s *searcher) run(t *Trial) (float64, error) {
	ctx, limit := s.ctx, time.Duration(0)
	if s.wall > 0 && s.m.Metric() == "ms" {
		limit = max(leastLimit, mostTimes*s.wall)
		if t.Stage == "default" {
			limit *= 20
		}
	}
	if s.o.Limit > 0 && (limit == 0 || limit > s.o.Limit) {
		limit = s.o.Limit
	}
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	start := time.Now()
	v, err := s.m.Run(ctx)
	wall := time.Since(start)
	if err != nil {
		if limit > 0 && errors.Is(err, context.DeadlineExceeded) && s.ctx.Err() == nil {
			err = fmt.Errorf("cut off after %v", limit.Round(time.Millisecond))
		}
		return 0, err
	}
	if s.wall == 0 || wall < s.wall {
		s.wall = wall
	}
	return v, nil
}

// ranked returns the trials that did not fail, the best first.
func (s *searcher) ranked() []*Trial {
	list := slices.Clone(s.trials)
	list = slices.DeleteFunc(list, func(t *Trial) bool { return t.Failed != "" })
	slices.SortStableFunc(list, func(a, b *Trial) int { return cmp.Compare(a.Value, b.Value) })
	return list
}

// descend is a coordinate descent over the fine or the other switches: it sets
// each to its best value with the others fixed, until a sweep changes none.
func (s *searcher) descend(at *Trial, fine bool) {
	stage := "switch"
	if fine {
		stage = "fine"
	}
	for range sweeps {
		improved := false
		for _, a := range s.space.Axes {
			if a.Fine != fine {
				continue
			}
			from := at
			var next []lower.Options
			for _, v := range a.Values {
				if o := from.o; o.Set(a.Name, v) == nil {
					next = append(next, o)
				}
			}
			s.ahead(next)
			for _, v := range a.Values {
				o := from.o
				if o.Set(a.Name, v) != nil {
					continue
				}
				t := s.try(o, stage)
				if t == nil {
					return
				}
				if t.Failed == "" && t.Value < worthwhile*at.Value {
					at, improved = t, true
				}
			}
		}
		if !improved {
			return
		}
	}
}

// without measures the best without each of its switches.
func (s *searcher) without() {
	best := s.best
	for _, p := range best.o.Parts {
		o := best.o
		o.ClearPart(p.Name, p.Part)
		s.try(o, "without")
	}
	for _, a := range s.space.Axes {
		if !sets(best.o, a) {
			continue
		}
		o := best.o.WithoutParts(a.Name)
		if o.Set(a.Name, a.Values[0]) == nil {
			s.try(o, "without")
		}
	}
}

// finish runs the best few and the default again, in turns, until all have the
// same number of runs; their first answers are verified. Budgets are ignored here:
// it is a small number of fast runs.
func (s *searcher) finish(normal *Trial) {
	if s.m.Metric() == "cost" {
		return
	}
	list := s.ranked()
	list = list[:min(finalists, len(list))]
	if normal.Failed == "" && !slices.Contains(list, normal) {
		list = append(list, normal)
	}
	for _, t := range list {
		t.samples = nil
	}
	for _, part := range []int{s.o.Repeats - s.o.Repeats/2, s.o.Repeats / 2} {
		for _, t := range list {
			if err := s.again(t, part); err != nil && s.ctx.Err() == nil {
				t.Value, t.Runs, t.Failed = 0, 0, oneLine(err)
			}
		}
	}
	s.best = nil
	for _, t := range list {
		if t.Failed == "" && (s.best == nil || t.Value < s.best.Value) {
			s.best = t
		}
	}
	if s.best == nil { // all finalists have failed; the other trials remain
		if rest := s.ranked(); len(rest) > 0 {
			s.best = rest[0]
		}
	}
}

// again runs a candidate n more times.
func (s *searcher) again(t *Trial, n int) error {
	if t.Failed != "" || n == 0 {
		return nil
	}
	if err := s.m.Use(s.ctx, t.o); err != nil {
		return err
	}
	if _, err := s.run(t); err != nil { // warm-up
		return err
	}
	for range n {
		v, err := s.run(t)
		if err != nil {
			return err
		}
		t.add(v)
	}
	return s.m.Verify(s.ctx)
}

// fill stores the result in the report.
func (s *searcher) fill(rep *Report, normal, plain *Trial) {
	rep.Best, rep.Default, rep.Plain, rep.Stopped = *s.best, *normal, *plain, s.stopped
	// Remove switches without effect from the best.
	if o, err := Prune(s.space.info, s.best.o); err == nil {
		rep.Best.Switches = compile.SwitchesOf(o)
	}
	ranked := s.ranked()
	for _, t := range ranked {
		rep.Trials = append(rep.Trials, *t)
	}
	for _, t := range s.trials {
		if t.Failed != "" {
			rep.Trials = append(rep.Trials, *t)
		}
	}
	for _, a := range s.space.Axes {
		var with, without *Trial
		for _, t := range ranked {
			if set := sets(t.o, a); !set && without == nil {
				without = t
			} else if set && with == nil {
				with = t
			}
		}
		if with != nil && without != nil && with.Value > 0 {
			rep.Gains = append(rep.Gains, Gain{a.Name, *with, *without, without.Value / with.Value})
		}
	}
	rep.Gains = append(rep.Gains, s.partGains(ranked)...)
	slices.SortStableFunc(rep.Gains, func(a, b Gain) int { return cmp.Compare(b.Gain, a.Gain) })
}
