package paper

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"irgl/internal/compile"
	"irgl/internal/engine"
	"irgl/internal/journal"
	"irgl/internal/table"
	"irgl/internal/tune"
)

// Measured returns the choices of switches in journals with their times: the trials of
// searches and the cells of tables, without failed ones. A search begins with earlier
// measurements, so the first of two entries of the same name counts.
func Measured(paths ...string) ([]Trial, error) {
	var out []Trial
	for _, path := range paths {
		_, lines, err := journal.Read(path)
		if err != nil {
			return nil, err
		}
		s := &session{o: Options{Journal: path}, rep: newReport(&Options{}), trials: map[key][]engine.TuneTrial{}, partial: map[key]bool{}}
		if err := s.takeOver(lines); err != nil {
			return nil, err
		}
		out = append(out, s.rep.trials()...)
		for _, l := range lines {
			var t Trial
			if l.Kind == KindTrial && json.Unmarshal(l.Data, &t) == nil { // parsed above
				out = append(out, t)
			}
		}
	}
	return slices.DeleteFunc(out, func(t Trial) bool { return t.Trial.Failed != "" || t.Trial.Value <= 0 }), nil
}

// trials returns the cells that have a value.
func (rep *Report) trials() []Trial {
	var out []Trial
	for _, c := range rep.Cells {
		if c.Failed == "" && c.Value > 0 {
			out = append(out, Trial{c.Program, c.Input, engine.TuneTrial{Switches: c.Switches, Value: c.Value, Runs: c.Runs}})
		}
	}
	return out
}

// fastest returns up to n choices for a program on an input, without those of skip: the
// fastest that were measured there or, if none was, those of other inputs in turns.
func fastest(list []Trial, program, input string, n int, skip ...compile.Switches) []compile.Switches {
	by := map[string][]engine.TuneTrial{}
	var order []string
	for _, t := range list {
		if t.Program != program {
			continue
		}
		if by[t.Input] == nil {
			order = append(order, t.Input)
		}
		by[t.Input] = append(by[t.Input], t.Trial)
	}
	if by[input] != nil {
		order = []string{input}
	}
	longest := 0
	for _, in := range order {
		slices.SortStableFunc(by[in], func(a, b engine.TuneTrial) int { return cmp.Compare(a.Value, b.Value) })
		longest = max(longest, len(by[in]))
	}
	out := slices.Clone(skip)
	for rank := range longest {
		for _, in := range order {
			if rank >= len(by[in]) || len(out) == n+len(skip) {
				continue
			}
			if s := by[in][rank].Switches; !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out[len(skip):]
}

// CheckOptions steer a [Checker].
type CheckOptions struct {
	Fastest  int           // number of choices besides the default, per program and input
	Measured []Trial       // their source; the rest come from the table of defaults
	Limit    time.Duration // of a run; 0 for 20 s
	Until    time.Time     // when no further run starts; zero for no limit
	Progress func(text string)
}

// A Checker runs programs with the most important choices of switches, the default
// and the fastest, and verifies each answer.
type Checker struct {
	ctx     context.Context
	o       CheckOptions
	dev     *engine.Session
	journal *journal.Journal
	known   map[key]verified
	rows    []*checked
	waiting []*waiting
}

// A checked is the result for a program on an input.
type checked struct {
	program, input        string
	measured, passed      int // number of measured choices, and of those that passed
	failed, left, skipped []string
}

// A waiting is a choice that has run, and whose answer is not verified yet.
type waiting struct {
	id   key
	row  *checked
	what *engine.Verification
}

// kindCheck is the kind of a line for a checked choice.
const kindCheck = "check"

// NewChecker returns a checker on the device of a session. A journal, nil for none,
// receives each result; those in lines are not repeated.
func NewChecker(ctx context.Context, dev *engine.Session, o CheckOptions, to *journal.Journal, lines []journal.Line) (*Checker, error) {
	if o.Limit <= 0 {
		o.Limit = 20 * time.Second
	}
	c := &Checker{ctx: ctx, o: o, dev: dev, journal: to, known: map[key]verified{}}
	for i, l := range lines {
		var v verified
		if l.Kind != kindCheck {
			continue
		}
		if err := json.Unmarshal(l.Data, &v); err != nil {
			return nil, fmt.Errorf("journal, line %d: %w", i+2, err)
		}
		c.known[key{v.Program, v.Input, v.Switches}] = v
	}
	return c, nil
}

// Input checks the programs that run on an input and have an independent answer;
// arguments returns their arguments. Then the session closes the input. Failures are
// in the table; the error says that checking cannot continue.
func (c *Checker) Input(in engine.Input, name string, list []*engine.Program, arguments func(*engine.Program) (engine.Args, error)) error {
	s := &session{ctx: c.ctx, dev: c.dev, o: Options{Limit: c.o.Limit}, rep: newReport(&Options{}), until: c.o.Until}
	var runners []*runner
	var todo []task
	rows := map[*runner]*checked{}
	for _, p := range list {
		if !p.Known() {
			continue
		}
		row := &checked{program: p.Name(), input: name}
		c.rows = append(c.rows, row)
		args, err := arguments(p)
		r := &runner{s: s, p: p, in: in, from: Input{Spec: name}, args: args}
		if err == nil {
			err = r.choose()
		}
		runners = append(runners, r)
		rows[r] = row
		if err != nil {
			row.skipped = append(row.skipped, err.Error())
			continue
		}
		for _, switches := range c.choices(row, s.rep.defaults[key{program: p.Name(), input: name}]) {
			todo = append(todo, task{r, switches})
		}
	}
	defer func() {
		for _, r := range runners {
			r.close()
		}
	}()
	for len(todo) > 0 && s.ended() == nil {
		n := min(warmedAhead, len(todo))
		s.ahead(todo[:n])
		for i, t := range todo[:n] {
			c.task(t, rows[t.r])
			if i+1 == len(todo) || todo[i+1].r != t.r {
				t.r.close()
			}
		}
		todo = todo[n:]
	}
	err := c.wait()
	for _, r := range runners {
		r.close()
	}
	if s.ended() != nil {
		for _, t := range todo {
			rows[t.r].left = append(rows[t.r].left, t.switches.OrNone())
		}
		return s.ended()
	}
	return errors.Join(err, c.dev.Forget())
}

// choices returns the choices to run of a program on an input, the default first.
func (c *Checker) choices(row *checked, normal compile.Switches) []compile.Switches {
	list := fastest(c.o.Measured, row.program, row.input, c.o.Fastest, normal)
	row.measured = len(list)
	for _, s := range tune.Known(row.program) {
		if len(list) < c.o.Fastest && s != normal && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return append([]compile.Switches{normal}, list...)
}

// task runs one choice.
func (c *Checker) task(t task, row *checked) {
	id := key{row.program, row.input, t.switches}
	if v, ok := c.known[id]; ok {
		row.add(id, v.Failed)
		return
	}
	if c.ctx.Err() != nil || !c.o.Until.IsZero() && time.Now().After(c.o.Until) {
		row.left = append(row.left, t.switches.OrNone())
		return
	}
	if c.o.Progress != nil {
		c.o.Progress(fmt.Sprintf("verifying %s on %s: %s", row.program, row.input, t.switches.OrNone()))
	}
	if t.r.s.ended() != nil {
		row.left = append(row.left, t.switches.OrNone())
		return
	}
	res, err := t.r.single(t.switches)
	if c.ctx.Err() != nil {
		row.left = append(row.left, t.switches.OrNone())
		return
	}
	if err != nil {
		c.outcome(id, row, err)
		return
	}
	c.waiting = append(c.waiting, &waiting{id, row, t.r.x.VerifyLater(res)})
}

// single runs once with a choice of switches.
func (r *runner) single(switches compile.Switches) (res *engine.Result, err error) {
	if err := r.fresh(); err != nil {
		return nil, err
	}
	if err = r.x.Use(r.s.ctx, switches); err == nil {
		res, err = r.once(r.x.RunOn)
	}
	return res, r.mend(err)
}

// wait waits until all answers of an input are verified.
func (c *Checker) wait() error {
	for _, w := range c.waiting {
		err := w.what.Wait(c.ctx)
		if c.ctx.Err() != nil {
			w.row.left = append(w.row.left, w.id.switches.OrNone())
			continue
		}
		c.outcome(w.id, w.row, err)
	}
	c.waiting = nil
	return c.ctx.Err()
}

// outcome records the result of a choice.
func (c *Checker) outcome(id key, row *checked, err error) {
	cell := Cell{Program: id.program, Input: id.input, Switches: id.switches}
	if err != nil {
		cell.fail(err)
	}
	row.add(id, cell.Failed)
	_ = c.journal.Add(kindCheck, verified{id.program, id.input, id.switches, cell.Failed}) // also in the table
}

func (row *checked) add(id key, failed string) {
	if failed == "" {
		row.passed++
		return
	}
	row.failed = append(row.failed, fmt.Sprintf("- %s on %s, %s: %s", id.program, id.input, id.switches.OrNone(), failed))
}

// Failures returns how many choices failed, and how many were omitted.
func (c *Checker) Failures() (failed, left int) {
	for _, row := range c.rows {
		failed, left = failed+len(row.failed), left+len(row.left)
	}
	return failed, left
}

// WriteMarkdown writes a table with a line per program and input, then the failures,
// with reasons, and the omitted choices.
func (c *Checker) WriteMarkdown(w io.Writer) error {
	kind, about := c.dev.Device()
	if _, err := fmt.Fprintf(w, "Device: %s (%s). The default and up to %d of the fastest choices that were measured, or else of the defaults of other graphs.\n\n", about, kind, c.o.Fastest); err != nil {
		return err
	}
	t := table.New("program", "input", "choices", "measured", "passed", "failed", "left out")
	all := [5]int{}
	var failed, left []string
	for _, row := range c.rows {
		numbers := [5]int{row.passed + len(row.failed) + len(row.left), row.measured, row.passed, len(row.failed), len(row.left)}
		cells := []string{row.program, row.input}
		for i, n := range numbers {
			all[i] += n
			cells = append(cells, strconv.Itoa(n))
		}
		t.Add(cells...)
		failed = append(failed, row.failed...)
		for _, text := range row.skipped {
			left = append(left, fmt.Sprintf("- %s on %s: %s", row.program, row.input, text))
		}
		if len(row.left) > 0 {
			left = append(left, fmt.Sprintf("- %s on %s: %d choices: the budget was spent", row.program, row.input, len(row.left)))
		}
	}
	cells := []string{"all", ""}
	for _, n := range all {
		cells = append(cells, strconv.Itoa(n))
	}
	t.Add(cells...)
	return errors.Join(t.WriteMarkdown(w), list(w, "Failed", failed), list(w, "Left out", left))
}
