package tune

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"irgl/internal/table"
)

// The search for .cu programs that launch kernels in device code: what becomes of the launches.

// A LaunchChoice is what is done with the launches of a program; the zero LaunchChoice is nothing.
type LaunchChoice struct {
	Granularity        string // "" for none
	Flatten            string // on or off; "" for the cost model's
	HostLaunch         bool   // the host launches what a grid leaves
	Promote            string // a form; "" for none
	Threshold, Coarsen int    // 0 for none, -1 for the cost model's
}

// Flags returns the flags of irgl cuda build and irgl build for the choice.
func (c LaunchChoice) Flags() []string {
	var out []string
	if c.Granularity != "" {
		out = append(out, "--granularity="+c.Granularity)
	}
	if c.Flatten != "" {
		out = append(out, "--flatten="+c.Flatten)
	}
	if c.HostLaunch {
		out = append(out, "--grid-launch=host")
	}
	if c.Promote != "" {
		out = append(out, "--promote="+c.Promote)
	}
	for _, n := range []struct {
		flag  string
		value int
	}{{"--threshold=", c.Threshold}, {"--coarsen=", c.Coarsen}} {
		switch {
		case n.value < 0:
			out = append(out, n.flag+"auto")
		case n.value > 0:
			out = append(out, n.flag+strconv.Itoa(n.value))
		}
	}
	return out
}

// String returns the flags, or "none".
func (c LaunchChoice) String() string {
	if c == (LaunchChoice{}) {
		return "none"
	}
	return strings.Join(c.Flags(), " ")
}

// A launchAxis is one of the switches with its values, as changes of a choice.
type launchAxis []func(*LaunchChoice)

// launchAxes are searched one after the other, again and again until nothing improves.
func launchAxes() []launchAxis {
	var granularity, flatten, by, promote, threshold, coarsen launchAxis
	for _, g := range []string{"", "warp", "block", "multiblock:8", "multiblock:32", "grid"} {
		granularity = append(granularity, func(c *LaunchChoice) { c.Granularity = g })
	}
	for _, f := range []string{"", "on", "off"} {
		flatten = append(flatten, func(c *LaunchChoice) { c.Flatten = f })
	}
	for _, host := range []bool{false, true} {
		by = append(by, func(c *LaunchChoice) { c.HostLaunch = host })
	}
	for _, p := range []string{"", "basic", "overlap", "aggregate:8", "aggregate:32", "aggregate:128", "aggregate:8,overlap", "aggregate:32,overlap", "aggregate:128,overlap"} {
		promote = append(promote, func(c *LaunchChoice) { c.Promote = p })
	}
	for _, n := range []int{0, -1, 32, 64, 128, 256, 512, 1024} {
		threshold = append(threshold, func(c *LaunchChoice) { c.Threshold = n })
	}
	for _, n := range []int{0, -1, 2, 4, 8, 16, 32} {
		coarsen = append(coarsen, func(c *LaunchChoice) { c.Coarsen = n })
	}
	return []launchAxis{granularity, flatten, by, promote, threshold, coarsen}
}

// A LaunchMeasurer makes programs of choices and runs them.
type LaunchMeasurer interface {
	// Identity returns a text that is the same for choices whose device code is. The error says why there is no program.
	Identity(ctx context.Context, c LaunchChoice) (string, error)
	// Measure runs the program once. The less the better.
	Measure(ctx context.Context, c LaunchChoice) (float64, error)
}

// LaunchOptions steer [SearchLaunches].
type LaunchOptions struct {
	Repeats    int           // runs of the best choices
	Candidates int           // that are measured at most; 0 for no limit
	Budget     time.Duration // measure no further choice after it; 0 for no limit
	Progress   func(*LaunchTrial)
}

// A LaunchTrial is a choice that was measured, or why it was not.
type LaunchTrial struct {
	Choice LaunchChoice
	Values []float64
	Failed string
	Same   string // the choice with the same device code that was measured in its place
}

// Value returns the median; NaN if there is none.
func (t *LaunchTrial) Value() float64 {
	if t.Failed != "" {
		return math.NaN()
	}
	return table.Median(t.Values)
}

// A LaunchReport is what a search has found.
type LaunchReport struct {
	Program, Device, Unit string
	Best                  LaunchChoice
	Trials                []*LaunchTrial
	Ended                 string // what ended the search early; "" for nothing
}

// SearchLaunches searches the choice with the least value: along one switch at a time, from none, until a pass over all
// switches improves nothing. Choices with the same device code are one. The best are measured again by turns. An error
// of the program as it is written is returned; other choices that fail are reported.
func SearchLaunches(ctx context.Context, m LaunchMeasurer, o LaunchOptions) (*LaunchReport, error) {
	s := &launchSearch{ctx: ctx, m: m, o: o, rep: new(LaunchReport), by: map[LaunchChoice]*LaunchTrial{}, same: map[string]*LaunchTrial{}}
	if o.Budget > 0 {
		s.until = time.Now().Add(o.Budget)
	}
	first := s.try(LaunchChoice{})
	if ctx.Err() != nil {
		return s.rep, context.Cause(ctx)
	}
	if first.Failed != "" {
		return nil, errors.New(first.Failed)
	}
	at := LaunchChoice{}
	for improved := true; improved && s.more(); {
		improved = false
		for _, axis := range launchAxes() {
			for _, change := range axis {
				c := at
				change(&c)
				if !s.more() {
					break
				}
				if s.try(c).Value() < s.by[at].Value() {
					at, improved = c, true
				}
			}
		}
	}
	err := s.again()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return s.rep, err
}

// A launchSearch is a [SearchLaunches] under way.
type launchSearch struct {
	ctx   context.Context
	m     LaunchMeasurer
	o     LaunchOptions
	rep   *LaunchReport
	by    map[LaunchChoice]*LaunchTrial
	same  map[string]*LaunchTrial // by identity
	runs  int
	until time.Time
}

// more reports whether there is time for another choice.
func (s *launchSearch) more() bool {
	switch {
	case s.ctx.Err() != nil:
		s.rep.Ended = "an interrupt"
	case s.o.Candidates > 0 && s.runs >= s.o.Candidates:
		s.rep.Ended = fmt.Sprintf("the limit of %d candidates", s.o.Candidates)
	case !s.until.IsZero() && time.Now().After(s.until):
		s.rep.Ended = fmt.Sprintf("the budget of %v", s.o.Budget)
	}
	return s.rep.Ended == ""
}

// try measures a choice once, unless its device code has been measured.
func (s *launchSearch) try(c LaunchChoice) *LaunchTrial {
	if t := s.by[c]; t != nil {
		return t
	}
	t := &LaunchTrial{Choice: c}
	id, err := s.m.Identity(s.ctx, c)
	if have := s.same[id]; err == nil && have != nil {
		s.by[c] = have
		s.rep.Trials = append(s.rep.Trials, &LaunchTrial{Choice: c, Same: have.Choice.String()})
		return have
	}
	if err == nil {
		s.same[id] = t
		s.runs++
		s.measure(t)
	} else {
		t.Failed = line(err)
	}
	s.by[c] = t
	if s.ctx.Err() == nil {
		s.rep.Trials = append(s.rep.Trials, t)
		if s.o.Progress != nil {
			s.o.Progress(t)
		}
	}
	return t
}

func (s *launchSearch) measure(t *LaunchTrial) {
	v, err := s.m.Measure(s.ctx, t.Choice)
	if err != nil {
		t.Failed = line(err)
		return
	}
	t.Values = append(t.Values, v)
}

// line returns an error as one line.
func line(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// again measures the best and none by turns, and sets the best.
func (s *launchSearch) again() error {
	list := slices.DeleteFunc(slices.Clone(s.rep.Trials), func(t *LaunchTrial) bool { return math.IsNaN(t.Value()) })
	slices.SortStableFunc(list, func(a, b *LaunchTrial) int {
		switch {
		case a.Value() < b.Value():
			return -1
		case a.Value() > b.Value():
			return 1
		}
		return 0
	})
	list = list[:min(len(list), finalists)]
	none := s.by[LaunchChoice{}]
	if !slices.Contains(list, none) {
		list = append(list, none)
	}
	for range s.o.Repeats - 1 {
		for _, t := range list {
			if s.ctx.Err() != nil {
				return context.Cause(s.ctx)
			}
			if t.Failed == "" {
				s.measure(t)
			}
		}
	}
	if none.Failed != "" {
		return errors.New(none.Failed)
	}
	best := none
	for _, t := range list {
		if t.Value() < best.Value() {
			best = t
		}
	}
	if best.Value() < worthwhile*none.Value() {
		s.rep.Best = best.Choice
	}
	return nil
}

// WriteMarkdown writes what was found, and the trials from the best to those that failed.
func (r *LaunchReport) WriteMarkdown(w io.Writer) error {
	t := table.New("choice", r.Unit, "times as fast", "runs", "failed")
	list := slices.DeleteFunc(slices.Clone(r.Trials), func(t *LaunchTrial) bool { return t.Same != "" })
	slices.SortStableFunc(list, func(a, b *LaunchTrial) int {
		x, y := a.Value(), b.Value()
		switch {
		case math.IsNaN(x) || math.IsNaN(y):
			return strings.Compare(a.Failed, b.Failed)
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	none := math.NaN()
	for _, x := range list {
		if x.Choice == (LaunchChoice{}) {
			none = x.Value()
		}
	}
	for _, x := range list {
		runs := ""
		if len(x.Values) > 0 {
			runs = strconv.Itoa(len(x.Values))
		}
		value := ""
		if v := x.Value(); !math.IsNaN(v) {
			value = strconv.FormatFloat(v, 'f', max(0, 4-int(math.Log10(max(v, 1)))), 64)
		}
		t.Add(x.Choice.String(), value, table.Ratio(none/x.Value()), runs, x.Failed)
	}
	if _, err := fmt.Fprintf(w, "%s on %s: %s\n\n", r.Program, r.Device, r.Best); err != nil {
		return err
	}
	if err := t.WriteMarkdown(w); err != nil {
		return err
	}
	n := len(r.Trials) - len(list)
	_, err := fmt.Fprintf(w, "\n%d choices measured; %d others have the device code of one of them.\n", len(list), n)
	if dead := r.unchanged(); err == nil && len(dead) > 0 {
		_, err = fmt.Fprintf(w, "No device code changes with %s: with 'irgl klap --explain' each launch says why.\n", strings.Join(dead, ", "))
	}
	if err == nil && r.Ended != "" {
		_, err = fmt.Fprintf(w, "%s ended the search.\n", strings.ToUpper(r.Ended[:1])+r.Ended[1:])
	}
	return err
}

// unchanged returns the switches that were tried and never made device code of their own.
func (r *LaunchReport) unchanged() []string {
	var out []string
	for _, x := range []struct {
		flag string
		used func(LaunchChoice) bool
	}{
		{"--granularity", func(c LaunchChoice) bool { return c.Granularity != "" }},
		{"--flatten", func(c LaunchChoice) bool { return c.Flatten != "" }},
		{"--grid-launch", func(c LaunchChoice) bool { return c.HostLaunch }},
		{"--promote", func(c LaunchChoice) bool { return c.Promote != "" }},
		{"--threshold", func(c LaunchChoice) bool { return c.Threshold != 0 }},
		{"--coarsen", func(c LaunchChoice) bool { return c.Coarsen != 0 }},
	} {
		tried, same := 0, 0
		for _, t := range r.Trials {
			if x.used(t.Choice) {
				tried++
				if t.Same != "" {
					same++
				}
			}
		}
		if tried > 0 && tried == same {
			out = append(out, x.flag)
		}
	}
	return out
}
