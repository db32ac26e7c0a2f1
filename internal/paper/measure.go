package paper

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"irgl"
	"irgl/internal/lower"
	"irgl/internal/tune"
)

// A session is a run of [Run].
type session struct {
	ctx      context.Context
	o        Options
	rep      *Report
	dev      *irgl.Session
	programs []*irgl.Program
	until    time.Time     // for the present input; zero for no limit
	took     time.Duration // by the slowest choice of the present program and input
	twins    *twinRuns
}

func (s *session) say(format string, args ...any) {
	if s.o.Progress != nil {
		s.o.Progress(fmt.Sprintf(format, args...))
	}
}

// over reports whether the present input's time is up, or would be before another
// choice of switches is through.
func (s *session) over() bool {
	return s.ctx.Err() != nil || !s.until.IsZero() && time.Now().Add(s.took).After(s.until)
}

// canonical returns switches in the order of all texts.
func canonical(switches string) string {
	o, err := lower.ParseOptions(switches)
	if err != nil {
		return switches // measuring it will say so
	}
	return o.String()
}

// input measures all programs on one input.
func (s *session) input(in Input) error {
	s.say("making %s", in.Spec)
	big, err := open(s.ctx, in.Spec)
	if err != nil {
		return err
	}
	if big.Graph != nil {
		defer big.Graph.Close()
	}
	s.rep.Inputs = append(s.rep.Inputs, in.Spec)
	for _, p := range s.programs {
		if !fits(p, big) {
			continue
		}
		if !slices.Contains(s.rep.Programs, p.Name()) {
			s.rep.Programs = append(s.rep.Programs, p.Name())
		}
		if err := s.program(p, big, in); err != nil {
			return err
		}
	}
	return errors.Join(s.dev.Forget(), s.ctx.Err())
}

// program measures all choices of switches for one program on one input.
func (s *session) program(p *irgl.Program, in irgl.Input, from Input) error {
	name := from.Spec
	if s.took = 0; s.over() {
		s.rep.Left = append(s.rep.Left, fmt.Sprintf("%s on %s: the time was up", p.Name(), name))
		return s.ctx.Err()
	}
	r := &runner{s: s, p: p, in: in, args: arguments(p, in)}
	defer r.close()
	if err := r.open(); err != nil {
		return err
	}
	list, err := s.choices(r, name)
	if err != nil {
		return err
	}
	id := key{program: p.Name(), input: name}
	for i, switches := range list {
		id.switches = switches
		if s.rep.byKey[id] != nil {
			continue
		}
		if s.over() {
			s.rep.Left = append(s.rep.Left, fmt.Sprintf("%s on %s: the time was up before %s", p.Name(), name, orNone(switches)))
			break
		}
		s.say("%s on %s: %s", p.Name(), name, orNone(switches))
		c := &Cell{Program: p.Name(), Input: name, Switches: switches}
		if r.x != nil {
			r.x.Ahead(list[i:min(i+compiledAhead, len(list))]...)
		}
		start := time.Now()
		err := r.measure(c)
		s.took = max(s.took, time.Since(start))
		if s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		s.rep.byKey[id] = c
		s.rep.Cells = append(s.rep.Cells, c)
		if err != nil {
			c.Failed = strings.Join(strings.Fields(err.Error()), " ")
		} else if s.rep.counts(c) {
			s.twins.add(p, from.Twin, c)
		}
	}
	return s.ctx.Err()
}

// compiledAhead is how many choices of switches are compiled before they are used.
const compiledAhead = 24

// choices returns the switches to measure of a program on an input.
func (s *session) choices(r *runner, name string) ([]string, error) {
	p := r.p
	switch {
	case s.o.Switches != nil:
		return s.rep.Switches, nil
	case p.Name() == listing5Name:
		return needed(p.Name()), nil
	}
	id := key{program: p.Name(), input: name}
	normal, _, _, err := r.x.Suggest("")
	if err != nil {
		return nil, err
	}
	s.rep.defaults[id] = normal
	list := []string{"", normal}
	if s.o.Tuning != "" {
		best, _, tuned, err := r.x.Suggest(s.o.Tuning)
		if err != nil {
			return nil, err
		}
		if tuned {
			s.rep.tuned[id] = canonical(best)
			list = append(list, canonical(best))
		}
	}
	if _, ok := s.rep.tuned[id]; !ok {
		if best, ok := s.tune(p, r.in, name); ok {
			s.rep.tuned[id] = best
			list = append(list, best)
		}
	}
	if s.o.Best { // the table of problems wants no more
		return list[1:], nil
	}
	return append(list, needed(p.Name())...), nil
}

func orNone(switches string) string {
	if switches == "" {
		return "none"
	}
	return switches
}

// tune returns the best switches that a search finds.
func (s *session) tune(p *irgl.Program, in irgl.Input, name string) (string, bool) {
	if s.o.Candidates <= 0 || s.over() {
		return "", false
	}
	s.say("tuning %s on %s", p.Name(), name)
	t := irgl.TuneOptions{Candidates: s.o.Candidates, Repeats: s.o.Repeats, Limit: s.o.Limit}
	if !s.until.IsZero() { // half of what is left, for all programs
		t.Budget = max(time.Second, time.Until(s.until)/time.Duration(2*len(s.programs)))
	}
	rep, err := s.dev.Tune(s.ctx, p, in, arguments(p, in), t)
	if err != nil {
		s.rep.Left = append(s.rep.Left, fmt.Sprintf("%s on %s was not tuned: %v", p.Name(), name, err))
		return "", false
	}
	rep.Graph.Name = name
	s.rep.Tuned = append(s.rep.Tuned, rep)
	return rep.Best.Switches, true
}

// A runner runs one program on one input.
type runner struct {
	s     *session
	p     *irgl.Program
	in    irgl.Input
	args  irgl.Args
	x     *irgl.Executable // nil when the device cannot be opened any more
	right *irgl.Result     // of Listing 5: whose answer is right
}

// open compiles the program and has the input prepared.
func (r *runner) open() (err error) {
	if r.x, err = r.s.dev.Compile(r.p); err != nil {
		return err
	}
	r.x.SetStats(r.p.Name() == listing5Name)
	return r.x.PrepareInput(r.s.ctx, r.in)
}

// close gives back what the program takes, unless an interrupt has left a kernel
// at work: who frees memory waits for it.
func (r *runner) close() {
	if r.x != nil && r.s.ctx.Err() == nil {
		_ = r.x.Close() // what was measured stands
	}
	r.x = nil
}

// simt reports whether the device is the emulator.
func (r *runner) simt() bool {
	kind, _ := r.s.dev.Device()
	return kind == "simt"
}

// measure fills a cell. After a failure the device is opened anew: it may be in no
// state to go on.
func (r *runner) measure(c *Cell) (err error) {
	defer func() {
		if err != nil && r.s.ctx.Err() == nil {
			r.close()
			if again := r.s.dev.Renew(); again == nil {
				err = errors.Join(err, r.open())
			}
		}
	}()
	if r.x == nil {
		return errors.New("the device cannot be opened any more")
	}
	if err := r.x.Use(c.Switches); err != nil {
		return err
	}
	first, err := r.once(r.x.RunOn)
	if err != nil {
		return err
	}
	if err := r.verify(first); err != nil {
		return err
	}
	c.Launches, c.Rounds = first.Launches, first.Rounds()
	if r.simt() {
		c.count(first)
		return nil
	}
	var values []float64
	start := time.Now()
	for len(values) < r.s.o.Repeats {
		one, err := r.once(r.x.Time)
		if err != nil {
			return err
		}
		values = append(values, value(one))
		if time.Since(start) > r.s.o.Limit {
			break
		}
	}
	slices.Sort(values)
	c.Value, c.Runs = values[len(values)/2], len(values)
	if slices.Contains(loops, c.Switches) && r.s.o.Switches == nil && r.p.Name() != listing5Name {
		c.Busy, err = r.busy()
	}
	return err
}

// count fills a cell of the emulator: of Listing 5, from its kernel alone.
func (c *Cell) count(r *irgl.Result) {
	counters := r.Counters
	c.TwinLaunches, c.TwinRounds = r.Launches, r.Iterations
	if k, ok := traversal(r); ok && k.Counters != nil {
		n := k.Counters
		counters = irgl.Counters{
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

// traversal returns what was recorded of Listing 5's kernel.
func traversal(r *irgl.Result) (irgl.KernelStats, bool) {
	for _, k := range r.Kernels {
		if k.Name == "traverse" {
			return k, true
		}
	}
	return irgl.KernelStats{}, false
}

// busy returns the share of a run in which the device ran kernels, by its clock. It
// is measured apart: recording each kernel's time makes runs slower.
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

// value returns the time of a run: of Listing 5, that of its kernel.
func value(r *irgl.Result) float64 {
	if k, ok := traversal(r); ok {
		return k.Time
	}
	return r.Times.Device
}

// settleFor is how many times its limit a kernel may run on that nothing can stop,
// before the device is given up.
const settleFor = 30

// once runs once, for no longer than a run may: loops on the host and outlined ones
// end then, and a kernel that is no loop is waited for.
func (r *runner) once(run func(context.Context, irgl.Input, irgl.Args) (*irgl.Result, error)) (*irgl.Result, error) {
	if r.simt() { // whose work is the same each time, and so its failures
		return run(r.s.ctx, r.in, r.args)
	}
	ctx, cancel := context.WithTimeout(r.s.ctx, r.s.o.Limit)
	defer cancel()
	res, err := run(ctx, r.in, r.args)
	if !errors.Is(err, context.DeadlineExceeded) || r.s.ctx.Err() != nil {
		return res, err
	}
	start := time.Now()
	wait, cancel := context.WithTimeout(r.s.ctx, max(settleFor*r.s.o.Limit, time.Minute))
	defer cancel()
	err = r.s.dev.Settle(wait)
	text := fmt.Sprintf("cut off after %v", r.s.o.Limit)
	if on := time.Since(start); on > r.s.o.Limit/10 {
		text += fmt.Sprintf("; a kernel that cannot be stopped ran on for %v", on.Round(time.Millisecond))
	}
	return nil, errors.Join(errors.New(text), err)
}

// verify says whether an answer is right.
func (r *runner) verify(res *irgl.Result) error {
	if r.p.Name() != listing5Name {
		ctx := r.s.ctx
		if !r.s.until.IsZero() {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, r.s.until)
			defer cancel()
		}
		err := r.x.VerifyOnce(ctx, res)
		if errors.Is(err, context.DeadlineExceeded) {
			return errors.New("the time was up before its answer was verified")
		}
		return err
	}
	if r.right != nil && r.right.Agrees(res) {
		return nil
	}
	err := verifyTraversal(r.in, res)
	if err == nil && r.right == nil {
		r.right = res
	}
	return err
}

// verifyTraversal checks what the worklist of Listing 5 holds: every edge's
// destination.
func verifyTraversal(in irgl.Input, res *irgl.Result) error {
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
