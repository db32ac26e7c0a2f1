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
	programs []*irgl.Program
	until    time.Time // for the present input; zero for no limit
}

func (s *session) say(format string, args ...any) {
	if s.o.Progress != nil {
		s.o.Progress(fmt.Sprintf(format, args...))
	}
}

// over reports whether the present input's time is up.
func (s *session) over() bool {
	return s.ctx.Err() != nil || !s.until.IsZero() && time.Now().After(s.until)
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
	var twin irgl.Input
	if s.o.Device != "simt" && in.Twin != "" {
		if twin, err = open(s.ctx, in.Twin); err != nil {
			return err
		}
	}
	s.rep.Inputs = append(s.rep.Inputs, in.Spec)
	for _, p := range s.programs {
		if !fits(p, big) {
			continue
		}
		if !slices.Contains(s.rep.Programs, p.Name()) {
			s.rep.Programs = append(s.rep.Programs, p.Name())
		}
		if err := s.program(p, big, in.Spec); err != nil {
			return err
		}
		if twin.Graph != nil || twin.Mesh != nil {
			if err := s.count(p, twin, in.Spec); err != nil {
				return err
			}
		}
	}
	return s.ctx.Err()
}

// program measures all choices of switches for one program on one input.
func (s *session) program(p *irgl.Program, in irgl.Input, name string) error {
	r := &runner{s: s, p: p, in: in, args: arguments(p, in)}
	defer r.close()
	if err := r.open(s.o.Device); err != nil {
		return err
	}
	kind, about := r.x.Device()
	s.rep.About = about
	list := needed(p.Name())
	id := key{program: p.Name(), input: name}
	switch {
	case s.o.Switches != nil:
		list = s.rep.Switches
	case p.Name() != listing5Name:
		normal := tune.Default(p.Name(), tune.FeaturesOf(in.Graph), kind).Options.String()
		s.rep.defaults[id] = normal
		list = append([]string{"", normal}, list...)
		if best, ok := s.tune(p, in, name); ok {
			s.rep.tuned[id] = best
			list = append([]string{"", normal, best}, list...)
		}
	}
	for _, switches := range list {
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
		s.rep.byKey[id] = c
		s.rep.Cells = append(s.rep.Cells, c)
		if err := r.measure(c); err != nil {
			if s.ctx.Err() != nil {
				return s.ctx.Err()
			}
			c.Failed = strings.Join(strings.Fields(err.Error()), " ")
		}
	}
	return nil
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
	t := irgl.TuneOptions{Candidates: s.o.Candidates, Repeats: s.o.Repeats}
	if !s.until.IsZero() { // half of what is left, for all programs
		t.Budget = max(time.Second, time.Until(s.until)/time.Duration(2*len(s.programs)))
	}
	rep, err := p.Tune(s.ctx, in, arguments(p, in), irgl.Options{Device: s.o.Device}, t)
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
	x     *irgl.Executable
	kind  string
	right *irgl.Result // whose answer is right
}

func (r *runner) open(device string) (err error) {
	r.x, err = r.p.Compile(r.s.ctx, irgl.Options{Device: device, Unchecked: true, Stats: r.p.Name() == listing5Name})
	r.kind = device
	return err
}

func (r *runner) close() {
	if r.x != nil {
		_ = r.x.Close() // what was measured stands
	}
}

// measure fills a cell. After a failure the device is opened anew: it may be in no
// state to go on.
func (r *runner) measure(c *Cell) (err error) {
	defer func() {
		if err != nil && r.s.ctx.Err() == nil {
			r.close()
			r.x = nil
			err = errors.Join(err, r.open(r.kind))
		}
	}()
	if r.x == nil {
		return errors.New("the device cannot be opened any more")
	}
	if err := r.x.Use(c.Switches); err != nil {
		return err
	}
	first, err := r.once()
	if err != nil {
		return err
	}
	if err := r.verify(first); err != nil {
		return err
	}
	c.Launches, c.Rounds = first.Launches, first.Iterations
	if r.kind == "simt" {
		c.count(first)
		return nil
	}
	var values []float64
	start := time.Now()
	for len(values) < r.s.o.Repeats {
		one, err := r.once()
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
	if slices.Contains(loops, c.Switches) {
		c.Busy, err = r.busy(c.Switches)
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
func (r *runner) busy(switches string) (float64, error) {
	x, err := r.p.Compile(r.s.ctx, irgl.Options{Device: r.kind, Stats: true})
	if err != nil {
		return 0, err
	}
	defer x.Close()
	if err := x.Use(switches); err != nil {
		return 0, err
	}
	var share float64
	for range 2 { // the first loads code
		res, err := x.RunOn(r.s.ctx, r.in, r.args)
		if err != nil {
			return 0, err
		}
		sum := 0.0
		for _, k := range res.Kernels {
			sum += k.Time
		}
		share = sum / res.Times.Device
	}
	return min(share, 1), nil
}

// value returns the time of a run: of Listing 5, that of its kernel.
func value(r *irgl.Result) float64 {
	if k, ok := traversal(r); ok {
		return k.Time
	}
	return r.Times.Device
}

// once runs once, for no longer than a run may.
func (r *runner) once() (*irgl.Result, error) {
	ctx := r.s.ctx
	if r.kind != "simt" { // whose work is the same each time, and so its failures
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.s.o.Limit)
		defer cancel()
	}
	res, err := r.x.RunOn(ctx, r.in, r.args)
	if errors.Is(err, context.DeadlineExceeded) && r.s.ctx.Err() == nil {
		return nil, fmt.Errorf("cut off after %v", r.s.o.Limit)
	}
	return res, err
}

// verify says whether an answer is right.
func (r *runner) verify(res *irgl.Result) error {
	if r.right != nil && r.right.Agrees(res) {
		return nil
	}
	var err error
	if r.p.Name() == listing5Name {
		err = verifyTraversal(r.in, res)
	} else {
		err = r.x.Verify(r.s.ctx, res)
	}
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

// count runs the choices that were measured on the twin, on the emulator, and adds
// what they count to the cells of the input.
func (s *session) count(p *irgl.Program, twin irgl.Input, name string) error {
	r := &runner{s: s, p: p, in: twin, args: arguments(p, twin)}
	defer r.close()
	if err := r.open("simt"); err != nil {
		return err
	}
	for _, c := range s.rep.Cells {
		if c.Program != p.Name() || c.Input != name || c.Failed != "" {
			continue
		}
		if s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		small := &Cell{Switches: c.Switches}
		if err := r.measure(small); err != nil {
			c.Failed = "on the emulator: " + strings.Join(strings.Fields(err.Error()), " ")
			continue
		}
		c.Twin, c.TwinLaunches, c.TwinRounds = small.Twin, small.TwinLaunches, small.TwinRounds
	}
	return nil
}
