package paper

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"irgl/internal/compile"
	"irgl/internal/engine"
	"irgl/internal/journal"
	"irgl/internal/source"
	"irgl/internal/table"
	"irgl/internal/tune"
)

// A session is a run of [Run].
type session struct {
	ctx      context.Context
	o        Options
	rep      *Report
	dev      *engine.Session
	programs []*engine.Program
	journal  *journal.Journal
	until    time.Time     // the end of the budget; zero for no limit
	took     time.Duration // elapsed time of the last choice of the current program and input
	twins    *twinRuns
	inputs   map[string]engine.Input // the open inputs
	arcs     int64                   // their total number of arcs
	pending  []*pending
	trials   map[key][]engine.TuneTrial // trials of unfinished searches, by keys without switches
	partial  map[key]bool               // keys of unfinished searches, to be continued
	searches int                        // sum of the weights of the remaining searches
	searchTo time.Time                  // deadline of the last of them; zero for no limit
	saved    time.Time                  // time of the last checkpoint
	cold     bool                       // compiling ahead is disabled

	left  map[leftKey][]string
	order []leftKey
}

// A pending cell is measured, but its answers are not verified yet.
type pending struct {
	cell *Cell
	what []*engine.Verification
}

func (s *session) say(format string, args ...any) {
	if s.o.Progress != nil {
		s.o.Progress(fmt.Sprintf(format, args...))
	}
}

// over reports whether the budget is spent, or would be before another choice of
// switches is measured.
func (s *session) over() bool {
	return s.ctx.Err() != nil || !s.until.IsZero() && time.Now().Add(s.took).After(s.until)
}

// all runs the stages.
func (s *session) all() error {
	for _, st := range s.stages() {
		if st.search {
			s.countSearches()
		}
		for _, tier := range tiers(s.programs) {
			for _, in := range s.o.Inputs {
				if err := s.round(st, tier, in); err != nil {
					return err
				}
			}
		}
	}
	return s.ended()
}

// ended returns the reason why measuring cannot continue, nil if it can.
func (s *session) ended() error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	if err := s.dev.Lost(); err != nil {
		return &LostError{err}
	}
	return nil
}

// A LostError says that this process cannot use the device any more. Earlier
// measurements are valid; another process may continue.
type LostError struct{ Err error }

func (e *LostError) Error() string { return e.Err.Error() }
func (e *LostError) Unwrap() error { return e.Err }

// round measures the choices of a stage for some programs on an input.
func (s *session) round(st stage, tier []*engine.Program, from Input) error {
	var list []*engine.Program
	for _, p := range tier {
		if fits(p, from.Spec) && (p.Name() == listing5Name) == st.listing {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return nil
	}
	s.took = 0
	if s.over() {
		for _, p := range list {
			s.leave(st, p.Name(), from.Spec, "the budget was spent", 1)
		}
		return s.ctx.Err()
	}
	in, err := s.open(from.Spec)
	if err != nil {
		return err
	}
	var runners []*runner
	defer func() {
		for _, r := range runners {
			r.close()
		}
	}()
	var todo []task
	for _, p := range list {
		r := &runner{s: s, p: p, in: in, from: from, args: arguments(p, in)}
		runners = append(runners, r)
		if err := r.choose(); err != nil {
			if s.ended() != nil {
				return s.ended()
			}
			s.leave(st, p.Name(), from.Spec, err.Error(), 1)
			continue
		}
		if st.search {
			s.search(st, r)
		}
		if s.ended() != nil {
			return s.ended()
		}
		todo = append(todo, s.tasks(st, r)...)
	}
	for len(todo) > 0 && s.ended() == nil {
		n := min(s.atOnce(), len(todo))
		s.ahead(todo[:n])
		for i, t := range todo[:n] {
			s.task(st, t, i+1 == len(todo) || todo[i+1].r != t.r)
		}
		todo = todo[n:]
	}
	return s.ended()
}

// A task is a choice of switches to measure.
type task struct {
	r        *runner
	switches compile.Switches
}

// tasks returns the choices of a stage that are still to be measured.
func (s *session) tasks(st stage, r *runner) []task {
	id := key{program: r.p.Name(), input: r.from.Spec}
	var out []task
	for _, switches := range st.choices(s.rep, id) {
		id.switches = switches
		if s.rep.byKey[id] == nil && !slices.Contains(out, task{r, switches}) {
			out = append(out, task{r, switches})
		}
	}
	return out
}

// The number of choices compiled ahead: enough for the processors, or for the
// helper processes.
const (
	compiledAhead = 24
	warmedAhead   = 96
)

func (s *session) atOnce() int {
	if s.o.Compilers > 0 && !s.cold {
		return warmedAhead
	}
	return compiledAhead
}

// ahead compiles choices ahead.
func (s *session) ahead(list []task) {
	for _, t := range list {
		if t.r.x != nil {
			t.r.x.Ahead(t.switches)
		}
	}
	if s.o.Compilers > 0 && !s.cold {
		s.say("compiling %d choices ahead", len(list))
	}
	if err := s.dev.Warm(s.ctx); err != nil && s.ctx.Err() == nil && !s.cold {
		s.cold = true
		s.rep.Notes = append(s.rep.Notes, err.Error())
	}
}

// task measures one choice; last says that it is the program's last one.
func (s *session) task(st stage, t task, last bool) {
	c := &Cell{Program: t.r.p.Name(), Input: t.r.from.Spec, Switches: t.switches}
	if last {
		defer func() { t.r.close(); s.took = 0 }()
	}
	if s.ended() != nil {
		return
	}
	if s.over() {
		s.leave(st, c.Program, c.Input, "the budget was spent", 1)
		return
	}
	if takes := s.estimate(c); takes > s.o.Limit {
		s.leave(st, c.Program, c.Input, fmt.Sprintf("on other inputs %s took so many times as long as the default that a run would take %v or more", c.Switches.OrNone(), takes.Round(time.Second)), 1)
		return
	}
	s.say("%s: %s on %s: %s", st.name, c.Program, c.Input, c.Switches.OrNone())
	start := time.Now()
	later, err := t.r.measure(c)
	s.took = time.Since(start)
	if s.ctx.Err() != nil {
		return
	}
	s.rep.add(c)
	if err != nil {
		c.fail(err)
	} else if s.rep.counts(c) && !s.o.NoCounts {
		s.twins.add(t.r.p, t.r.from.Twin, c)
	}
	s.note(kindCell, c)
	if err == nil {
		s.pending = append(s.pending, &pending{c, later})
	}
	s.collect(false)
	s.checkpoint()
}

// estimate returns a lower bound for the time of a cell: the time of the default scaled
// by their ratio on another input on which both were measured; 0 if unknown.
func (s *session) estimate(c *Cell) time.Duration {
	normal := func(input string) *Cell {
		return s.rep.cell(c.Program, input, s.rep.defaults[key{program: c.Program, input: input}])
	}
	here := normal(c.Input)
	if here == nil || s.rep.Metric != "ms" {
		return 0
	}
	most := 0.0
	for _, in := range s.rep.Inputs {
		there, other := normal(in), s.rep.byKey[key{c.Program, in, c.Switches}]
		switch {
		case there == nil || other == nil:
		case other.Failed == "":
			most = max(most, other.Value/there.Value)
		case strings.HasPrefix(other.Failed, cutOff):
			most = max(most, s.o.Limit.Seconds()*1000/there.Value)
		}
	}
	return time.Duration(most * here.Value * float64(time.Millisecond))
}

// collect records the verified answers; with wait it waits for all, up to a tenth of
// the budget beyond its end.
func (s *session) collect(wait bool) {
	ctx := s.ctx
	if wait && !s.until.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, s.until.Add(s.o.Budget/10))
		defer cancel()
		s.say("verifying")
	}
	s.pending = slices.DeleteFunc(s.pending, func(p *pending) bool {
		for _, v := range p.what {
			if !wait {
				select {
				case <-v.Done():
				default:
					return false
				}
			}
			err := v.Wait(ctx)
			if ctx.Err() != nil && errors.Is(err, ctx.Err()) || errors.Is(err, context.Canceled) {
				return false
			}
			if err != nil {
				p.cell.fail(err)
				break
			}
		}
		p.cell.Verified = p.cell.Failed == ""
		s.note(kindVerified, verified{p.cell.Program, p.cell.Input, p.cell.Switches, p.cell.Failed})
		return true
	})
}

// between is the minimum time between two checkpoints.
const between = 10 * time.Second

func (s *session) checkpoint() {
	if s.o.Checkpoint == nil || time.Since(s.saved) < between {
		return
	}
	s.saved = time.Now()
	s.rep.Left = append(s.leftOut(), "not finished: this was written while measuring went on")
	s.o.Checkpoint(s.rep)
	s.rep.Left = nil
}

// keptArcs is the maximum total number of arcs of the inputs that are kept open
// for the next stage: about that of the default inputs.
const keptArcs = 1 << 28

// open returns an input, which stays open for later stages.
func (s *session) open(spec string) (engine.Input, error) {
	if in, ok := s.inputs[spec]; ok {
		return in, nil
	}
	if s.arcs > keptArcs {
		s.collect(true)
		if err := s.forget(); err != nil {
			return engine.Input{}, err
		}
	}
	s.say("making %s", spec)
	in, err := open(s.ctx, spec)
	if err != nil {
		return in, err
	}
	s.inputs[spec] = in
	if in.Graph != nil {
		s.arcs += in.Graph.NumEdges()
	}
	return in, nil
}

// forget closes all inputs.
func (s *session) forget() error {
	err := s.dev.Forget()
	clear(s.inputs)
	s.arcs = 0
	return err
}

// weightOf returns a program's share of the search time: the program that is
// expected to be the fastest of its problem has the largest.
func weightOf(program string) int { return max(1, 4>>rankOf(program)) }

// countSearches sums the weights of the programs and inputs that are not tuned yet,
// and reserves half of the remaining time for them.
func (s *session) countSearches() {
	for _, p := range s.programs {
		for _, in := range s.o.Inputs {
			if !s.searched(key{program: p.Name(), input: in.Spec}) && fits(p, in.Spec) && p.Name() != listing5Name {
				s.searches += weightOf(p.Name())
			}
		}
	}
	if !s.until.IsZero() {
		s.searchTo = time.Now().Add(time.Until(s.until) / 2)
	}
}

// searched reports whether the search for the best switches is complete.
func (s *session) searched(id key) bool {
	_, tuned := s.rep.tuned[id]
	return tuned && !s.partial[id]
}

// search searches for the best switches, within its share of the search time.
func (s *session) search(st stage, r *runner) {
	id := key{program: r.p.Name(), input: r.from.Spec}
	if s.searched(id) {
		return
	}
	weight := weightOf(id.program)
	all := max(s.searches, weight)
	s.searches -= weight
	if s.over() || !s.searchTo.IsZero() && time.Now().After(s.searchTo) {
		s.leave(st, id.program, id.input, "the budget was spent", 1)
		return
	}
	s.say("tuning %s on %s", id.program, id.input)
	t := engine.TuneOptions{Candidates: s.o.Candidates, Repeats: s.o.Repeats, Limit: s.o.Limit, Later: true, Done: map[compile.Switches]engine.TuneTrial{}}
	for _, trial := range s.trials[id] {
		t.Done[trial.Switches] = trial
	}
	if !s.searchTo.IsZero() {
		t.Budget = max(time.Second, time.Until(s.searchTo)*time.Duration(weight)/time.Duration(all))
	}
	t.Progress = func(trial *engine.TuneTrial, _ int) {
		s.trials[id] = append(s.trials[id], *trial)
		s.note(KindTrial, Trial{id.program, id.input, *trial})
	}
	rep, err := s.dev.Tune(s.ctx, r.p, r.in, r.args, t)
	if err != nil {
		if s.ctx.Err() == nil {
			s.leave(st, id.program, id.input, err.Error(), 1)
		}
		return
	}
	lost := s.dev.Lost() != nil
	partial := lost || strings.HasPrefix(rep.Stopped, "the budget")
	if partial && !lost {
		s.leave(st, id.program, id.input, "its share of the time ended it after so many", len(rep.Trials))
	}
	rep.Graph.Name = id.input
	s.rep.Tuned = append(s.rep.Tuned, rep)
	s.rep.tuned[id] = rep.Best.Switches
	s.note(kindChoice, choice{id.program, id.input, s.rep.defaults[id], &rep.Best.Switches, partial})
	if lost {
		return
	}
	if err := r.fresh(); err != nil {
		s.leave(st, id.program, id.input, err.Error(), 1)
	}
}

// A runner runs one program on one input.
type runner struct {
	s     *session
	p     *engine.Program
	in    engine.Input
	from  Input
	args  engine.Args
	x     *engine.SessionExecutable // nil if the device is lost, or after the last choice
	right *engine.Result            // for Listing 5: a result whose answer is right
}

// open compiles the program and prepares the input.
func (r *runner) open() (err error) {
	if r.x, err = r.s.dev.Compile(r.p); err != nil {
		return err
	}
	r.x.SetStats(r.p.Name() == listing5Name)
	return r.x.PrepareInput(r.s.ctx, r.in)
}

// fresh reopens what belonged to a device that was given up.
func (r *runner) fresh() error {
	if r.x != nil && !r.x.Stale() {
		return nil
	}
	r.close()
	return r.open()
}

// choose opens the runner and determines its default and tuned switches.
func (r *runner) choose() error {
	if err := r.open(); err != nil {
		return err
	}
	s, id := r.s, key{program: r.p.Name(), input: r.from.Spec}
	if _, known := s.rep.defaults[id]; known || id.program == listing5Name {
		return nil
	}
	normal, _, _, err := r.x.Suggest("")
	if err != nil {
		return err
	}
	s.rep.defaults[id] = normal
	s.rep.note(id.program, id.input)
	note := choice{Program: id.program, Input: id.input, Default: normal}
	if s.o.Tuning != "" {
		best, _, tuned, err := r.x.Suggest(s.o.Tuning)
		if err != nil {
			return err
		}
		if tuned {
			s.rep.tuned[id], note.Tuned = best, &best
		}
	}
	s.note(kindChoice, note)
	return nil
}

// close frees the program's memory, unless an interrupt has left a kernel
// running: freeing would wait for it.
func (r *runner) close() {
	if r.x != nil && r.s.ctx.Err() == nil {
		_ = r.x.Close() // the measurements are valid
	}
	r.x = nil
}

// simt reports whether the device is the emulator.
func (r *runner) simt() bool {
	kind, _ := r.s.dev.Device()
	return kind == "simt"
}

// measure fills a cell, and returns its answers that are still to be verified. After
// a failure the device is reopened, since it may be unusable.
func (r *runner) measure(c *Cell) (later []*engine.Verification, err error) {
	if err := r.fresh(); err != nil {
		return nil, err
	}
	defer func() { err = r.mend(err) }()
	if err := r.x.Use(r.s.ctx, c.Switches); err != nil {
		return nil, err
	}
	first, err := r.once(r.x.RunOn)
	if err != nil {
		return nil, err
	}
	if later, err = r.verify(first); err != nil {
		return nil, err
	}
	c.Launches, c.Rounds = first.Launches, first.Rounds()
	if r.simt() {
		c.count(first)
		return later, nil
	}
	// If several answers are correct, one of the timed runs is verified, too.
	look := -1
	if r.p.Name() != listing5Name && !r.x.ChecksTimedRuns() {
		look = rand.IntN(r.s.o.Repeats)
	}
	var values []float64
	start := time.Now()
	for len(values) < r.s.o.Repeats {
		run := r.x.Time
		if len(values) == look {
			run = r.x.RunOn
		}
		one, err := r.once(run)
		if err != nil {
			return nil, err
		}
		if len(values) == look {
			later = append(later, r.x.VerifyLater(one))
		}
		values = append(values, value(one))
		if time.Since(start) > r.s.o.Limit {
			break
		}
	}
	c.Value, c.Runs = table.Median(values), len(values)
	if slices.Contains(loops(), c.Switches) && r.s.o.Switches == nil && r.p.Name() != listing5Name {
		c.Busy, err = r.busy()
	}
	return later, err
}

// A cutError says that a run was cut off and has ended on the device.
type cutError struct{ text string }

func (e *cutError) Error() string { return e.text }

// mend reopens the device after an error that may have made it unusable: any but
// that of a run that was cut off, or of rejected switches.
func (r *runner) mend(err error) error {
	if cut := (*cutError)(nil); err == nil || r.s.ctx.Err() != nil || errors.As(err, &cut) || source.Diagnostics(err) != nil {
		return err
	}
	r.close()
	if again := r.s.dev.Renew(); again == nil {
		err = errors.Join(err, r.open())
	}
	return err
}

// count fills a cell with the emulator's counters: for Listing 5, those of its kernel
// alone.
func (c *Cell) count(r *engine.Result) {
	counters := r.Counters
	c.TwinLaunches, c.TwinRounds = r.Launches, r.Iterations
	if k, ok := traversal(r); ok && k.Counters != nil {
		n := k.Counters
		counters = engine.Counters{
			Launches: uint64(k.Launches), Instructions: n.Instructions, Barriers: n.Barriers,
			AtomicsGlobal: n.AtomicsGlobal, AtomicsShared: n.AtomicsShared, Transactions: n.Transactions,
		}
		c.TwinLaunches = k.Launches
	}
	c.Value, c.Runs, c.Twin = tune.Cost(counters), 1, &counters
	idle := counters
	idle.Launches = 0
	c.Busy = tune.Cost(idle) / c.Value
}

// traversal returns the record of Listing 5's kernel.
func traversal(r *engine.Result) (engine.KernelStats, bool) {
	for _, k := range r.Kernels {
		if k.Name == "traverse" {
			return k, true
		}
	}
	return engine.KernelStats{}, false
}

// busy returns the share of a run in which the device executed kernels, by its
// clock. It is a separate run, since recording each kernel's time makes runs
// slower.
func (r *runner) busy() (float64, error) {
	r.x.SetStats(true)
	defer r.x.SetStats(false)
	res, err := r.once(r.x.Time)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, k := range res.Kernels {
		sum += k.Time
	}
	return min(sum/res.Times.Device, 1), nil
}

// value returns the time of a run: for Listing 5, that of its kernel.
func value(r *engine.Result) float64 {
	if k, ok := traversal(r); ok {
		return k.Time
	}
	return r.Times.Device
}

// A kernel that cannot be stopped may continue for graceFactor times its limit,
// at least leastGrace, before the device is given up.
const (
	graceFactor = 10
	leastGrace  = 20 * time.Second
)

// cutOff is the prefix of the failure of a cell that was cut off.
const cutOff = "cut off after"

// once runs once, within the time limit of a run: loops on the host and outlined
// loops end then, other kernels are waited for.
func (r *runner) once(run func(context.Context, engine.Input, engine.Args) (*engine.Result, error)) (*engine.Result, error) {
	if r.simt() { // deterministic, including failures
		return run(r.s.ctx, r.in, r.args)
	}
	ctx, cancel := context.WithTimeout(r.s.ctx, r.s.o.Limit)
	defer cancel()
	res, err := run(ctx, r.in, r.args)
	if !errors.Is(err, context.DeadlineExceeded) || r.s.ctx.Err() != nil {
		return res, err
	}
	start := time.Now()
	longest := max(graceFactor*r.s.o.Limit, leastGrace)
	if !r.s.until.IsZero() { // the device is not needed after that
		longest = min(longest, max(time.Until(r.s.until), time.Second))
	}
	wait, cancel := context.WithTimeout(r.s.ctx, longest)
	defer cancel()
	err = r.s.dev.WaitIdle(wait)
	text := fmt.Sprintf("%s %v", cutOff, r.s.o.Limit)
	if on := time.Since(start); on > r.s.o.Limit/10 {
		text += fmt.Sprintf("; a kernel that cannot be stopped ran on for %v", on.Round(time.Millisecond))
	}
	if err == nil {
		return nil, &cutError{text}
	}
	return nil, errors.Join(errors.New(text), err)
}

// verify checks an answer, or starts checking it.
func (r *runner) verify(res *engine.Result) ([]*engine.Verification, error) {
	if r.p.Name() != listing5Name {
		if !r.p.Known() {
			return nil, engine.ErrNoReference
		}
		return []*engine.Verification{r.x.VerifyLater(res)}, nil
	}
	if r.right != nil && r.right.Agrees(res) {
		return nil, nil
	}
	err := verifyTraversal(r.in, res)
	if err == nil && r.right == nil {
		r.right = res
	}
	return nil, err
}

// verifyTraversal checks the worklist of Listing 5: it must hold every edge's
// destination.
func verifyTraversal(in engine.Input, res *engine.Result) error {
	sum := uint64(0)
	for _, v := range in.Graph.Dst {
		sum += uint64(v)
	}
	visited, _ := res.Values("visited")
	got, _ := res.Values("sum")
	if len(visited) != 1 || int64(visited[0]) != in.Graph.NumEdges() || len(got) != 1 || got[0] != float64(sum) {
		return fmt.Errorf("wrong answer: visited %v, sum %v; want %d, %d", visited, got, in.Graph.NumEdges(), sum)
	}
	return nil
}
