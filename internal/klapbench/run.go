package klapbench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"irgl/internal/cudabuild"
	"irgl/internal/device/cuda"
	"irgl/internal/infile"
	"irgl/internal/journal"
	"irgl/internal/klap/suite"
)

// Options steer [Run].
type Options struct {
	Device     string // "cuda" or "simt"
	Benchmarks []*suite.Benchmark
	Size       *suite.Size       // nil for the paper's: all of promotion, the largest of aggregation; the smallest on simt
	Inputs     map[string]string // files for benchmarks, by their names, beside generated data
	Stages     []string          // of [Stages]; nil for all
	NVCC       string            // compare with this nvcc; "" for none
	Repeat     int               // turns; at least 1
	Thresholds []int
	Coarsens   []int
	// Default are the flags of the choice without measuring, for the two kinds of benchmarks.
	Default map[suite.Kind]string
	Budget  time.Duration // begin nothing more after it; 0 for no limit
	Limit   time.Duration // of one run of a program
	Jobs    int           // programs that are built at once
	Journal string        // "" for none
	Resume  bool          // what the journal has is not measured again
	Replay  bool          // only report what the journal has, with counts
	Counts  bool          // count launches and instructions on the emulator
	Self    string        // the program irgl, which holds the emulator
	Origin  journal.Origin

	Progress   func(text string) // may be nil
	Checkpoint func(*Report)     // called after each group; may be nil
}

// inner is how often a program repeats what it measures, in each of its turns on a GPU: it prints the median.
const inner = 3

// A session is a [Run] under way.
type session struct {
	o       Options
	ctx     context.Context
	rep     *Report
	journal *journal.Journal
	dir     string // of programs
	until   time.Time
	plan    []group
	inputs  map[string]string // unpacked, by the names of benchmarks
}

// The kinds of lines in a journal.
const (
	kindRun   = "run"
	kindCount = "count"
)

// A record is a line of the journal.
type record struct {
	Stage string `json:"stage,omitempty"`
	set
	Choice Choice `json:"choice"`
	outcome
}

// Run measures the stages in order, and returns a report of what was measured, beside the error that ended it early; it is nil if
// nothing could begin.
func Run(ctx context.Context, o Options) (*Report, error) {
	if o.Device == "simt" {
		o.Repeat = 1 // instructions are the same in each turn
	}
	s := &session{o: o, ctx: ctx, rep: newReport(&o), inputs: map[string]string{}}
	if o.Budget > 0 {
		s.until = time.Now().Add(o.Budget)
	}
	s.plan = s.o.plan()
	if err := s.begin(); err != nil {
		return nil, err
	}
	defer os.RemoveAll(s.dir)
	var err error
	if !o.Replay {
		err = s.measure()
	}
	if err == nil && o.Counts {
		err = s.countAll()
	}
	s.leave()
	return s.rep, errors.Join(err, s.journal.Close())
}

// begin checks what is needed, opens the journal and restores what it has.
func (s *session) begin() (err error) {
	head := journal.Head{Device: simtName, Metric: s.rep.Metric, Origin: s.o.Origin}
	if s.o.Device == "cuda" && !s.o.Replay {
		list, err := cuda.List()
		if err != nil {
			return err
		}
		head.Device = list[0].Name
	}
	if !s.o.Replay || s.o.Counts {
		if err := s.prepare(); err != nil {
			return err
		}
	}
	var lines []journal.Line
	switch {
	case s.o.Journal == "":
		s.rep.About = head.Device
		return nil
	case s.o.Replay:
		if head, lines, err = journal.Read(s.o.Journal); err == nil && s.o.Counts {
			s.journal, _, err = journal.Resume(s.o.Journal, head)
		}
		s.rep.Origin, s.rep.Metric = head.Origin, head.Metric
	case s.o.Resume:
		s.journal, lines, err = journal.Resume(s.o.Journal, head)
		if begun, _, err := journal.Read(s.o.Journal); err == nil {
			s.rep.Origin = begun.Origin
		}
	default:
		s.journal, err = journal.Create(s.o.Journal, head)
	}
	if err != nil {
		return err
	}
	s.rep.About = head.Device
	for i, l := range lines {
		if err := s.restore(l); err != nil {
			return errors.Join(fmt.Errorf("journal %s, line %d: %w", s.o.Journal, i+2, err), s.journal.Close())
		}
	}
	return nil
}

// prepare checks that programs can be built, and unpacks the inputs.
func (s *session) prepare() error {
	o, err := cudabuild.ParseFlags([]string{"a.cu"})
	if err != nil {
		return err
	}
	if err := cudabuild.HasCompiler(o); err != nil {
		return fmt.Errorf("the benchmarks have host code: %w", err)
	}
	if s.dir, err = os.MkdirTemp("", "irgl-klap-"); err != nil {
		return err
	}
	if err := suite.WriteAll(s.dir); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.dir, costName+".cu"), []byte(costText), 0o666); err != nil {
		return err
	}
	for name, path := range s.o.Inputs {
		if s.inputs[name], err = suite.Input(s.ctx, base(path), filepath.Dir(path), s.dir); err != nil {
			return fmt.Errorf("--input %s=%s: %w", name, path, infile.Plain(err))
		}
	}
	return nil
}

// base returns the name of a file, without that of a compression.
func base(path string) string {
	name := filepath.Base(path)
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
}

// restore adds a line of the journal to the report.
func (s *session) restore(l journal.Line) error {
	if l.Kind != kindRun && l.Kind != kindCount {
		return nil
	}
	var r record
	if err := json.Unmarshal(l.Data, &r); err != nil {
		return err
	}
	if l.Kind == kindRun {
		s.rep.cell(r.Stage, r.set, r.Choice).add(r.outcome)
	} else {
		s.rep.counts[program{r.set, r.Choice}] = r.outcome
	}
	return nil
}

// errBudget ends a run whose time is spent.
var errBudget = errors.New("the budget was spent")

// measure measures all groups. A budget that was spent is no error.
func (s *session) measure() error {
	for _, g := range s.plan {
		err := s.group(g)
		if s.o.Checkpoint != nil {
			s.o.Checkpoint(s.rep)
		}
		if errors.Is(err, errBudget) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// group builds the programs of a group whose runs are not complete, and runs them by turns.
func (s *session) group(g group) error {
	var open []*Cell
	for _, c := range g.choices(s.rep) {
		if cell := s.rep.cell(g.stage, g.set, c); cell.Failed == "" && len(cell.Values) < g.turns {
			open = append(open, cell)
		}
	}
	if len(open) == 0 {
		return nil
	}
	if err := s.late(); err != nil {
		return err
	}
	s.say("%s: %s: building %d programs", g.stage, g.set, len(open))
	built, err := s.buildAll(g.set, open)
	if err != nil {
		return err
	}
	for turn := range g.turns {
		for i, cell := range open {
			if cell.Failed != "" || len(cell.Values) > turn {
				continue
			}
			if err := s.late(); err != nil {
				return err
			}
			s.say("%s: %s: turn %d of %d: %s", g.stage, g.set, turn+1, g.turns, cell.Choice)
			out := built[i]
			if out.Failed == "" {
				out = s.run(out.program, g.set, cell.Choice, s.o.Device)
			}
			if s.ctx.Err() != nil {
				return context.Cause(s.ctx)
			}
			cell.add(out)
			if err := s.journal.Add(kindRun, record{g.stage, g.set, cell.Choice, out}); err != nil {
				return fmt.Errorf("journal %s: %w", s.o.Journal, err)
			}
		}
	}
	return nil
}

// late returns why nothing more is begun.
func (s *session) late() error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	if !s.until.IsZero() && time.Now().After(s.until) {
		return errBudget
	}
	return nil
}

func (s *session) say(format string, args ...any) {
	if s.o.Progress != nil {
		s.o.Progress(fmt.Sprintf(format, args...))
	}
}

// countAll counts launches and instructions of the programs that have times, on the emulator.
func (s *session) countAll() error {
	if s.rep.Metric == metricInstructions {
		return nil // they have been counted
	}
	groups := map[set][]*Cell{}
	var order []set
	for _, c := range s.rep.Cells {
		done := s.rep.counts[program{c.set, c.Choice}].Counts != nil
		if c.ok() && !done && c.Choice.Compiler == "irgl" && c.Choice.Form != formCounted && c.Choice.Pending == 0 && c.Choice.Probe == "" && c.Stage != stageSweep && c.Stage != stageCost && c.Input == "" {
			if groups[c.set] == nil {
				order = append(order, c.set)
			}
			if !slices.ContainsFunc(groups[c.set], func(have *Cell) bool { return have.Choice == c.Choice }) {
				groups[c.set] = append(groups[c.set], c)
			}
		}
	}
	for _, set := range order {
		if err := s.late(); err != nil {
			return notBudget(err)
		}
		s.say("counting: %s: building %d programs", set, len(groups[set]))
		built, err := s.buildAll(set, groups[set])
		if err != nil {
			return err
		}
		for i, c := range groups[set] {
			if err := s.late(); err != nil {
				return notBudget(err)
			}
			s.say("counting: %s: %s", set, c.Choice)
			out := built[i]
			if out.Failed == "" {
				out = s.run(out.program, set, c.Choice, "simt")
			}
			if s.ctx.Err() != nil {
				return context.Cause(s.ctx)
			}
			s.rep.counts[program{set, c.Choice}] = out
			if err := s.journal.Add(kindCount, record{"", set, c.Choice, out}); err != nil {
				return fmt.Errorf("journal %s: %w", s.o.Journal, err)
			}
		}
	}
	return nil
}

func notBudget(err error) error {
	if errors.Is(err, errBudget) {
		return nil
	}
	return err
}

// leave notes what was not measured, in a line for each stage and size.
func (s *session) leave() {
	type part struct{ stage, size string }
	var order []part
	names, programs := map[part][]string{}, map[part]int{}
	for _, g := range s.plan {
		n := 0
		for _, c := range g.choices(s.rep) {
			cell := s.rep.find(g.stage, g.set, c)
			if cell == nil || cell.Failed == "" && len(cell.Values) < g.turns && !s.o.Replay {
				n++
			}
		}
		p := part{g.stage, g.Size}
		if n > 0 && !slices.Contains(order, p) {
			order = append(order, p)
		}
		if programs[p] += n; n > 0 {
			names[p] = append(names[p], rowName(g.set))
		}
	}
	for _, p := range order {
		s.rep.Left = append(s.rep.Left, fmt.Sprintf("%s, %s: %d programs of %s", p.stage, p.size, programs[p], strings.Join(names[p], ", ")))
	}
	s.rep.Cells = slices.DeleteFunc(s.rep.Cells, func(c *Cell) bool { return c.Failed == "" && len(c.Values) == 0 })
}
