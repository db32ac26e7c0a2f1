package pass

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"time"
)

// Options steers a run. The zero Options runs the passes that are on, without
// checks or prints.
type Options[T any] struct {
	// Switch turns rows on or off by name; what it does not name is as its
	// row says.
	Switch map[string]bool
	// Limit stops the run from changing the program after so many units of
	// work (a pass over a function, say), so that bisection finds the one
	// that matters. 0 is no limit; a negative limit skips all units.
	Limit int
	// OnUnit is called for each unit, with its number from 1, before it is
	// run or skipped.
	OnUnit func(n int, pass, unit string, skipped bool)
	// Remark is called with what passes say about places in the program. When
	// it is nil they do not look for anything to say.
	Remark func(Remark)
	// Before is called before each pass that runs. Tests use it to shuffle
	// what has no order.
	Before func(pass string, t T)
	// Verify is called before the first pass and after every one.
	Verify func(T) error
	// PrintAfter names the rows after which Print writes the program to Out;
	// "all" is every row that runs. For a row that it names and that is off, a comment
	// says that.
	PrintAfter []string
	Print      func(io.Writer, T) error
	Out        io.Writer
	// Comment begins a comment in what Print prints; "" for a semicolon.
	Comment string
	// Context ends the run, with its error, before the next pass or unit; nil for
	// none.
	Context context.Context
}

// A Report says what a run did.
type Report struct {
	Steps []Step // one for each row that ran, in order
	Units int    // the units run and skipped, for Options.Limit
	Stats Stats
}

// A Step is one pass of a run.
type Step struct {
	Pass string
	Time time.Duration // without verifying and printing
}

// A Run is what a pass is given besides the program: where it counts what it
// does and says which part it is at.
type Run struct {
	pass, base string
	unit       string // the part the pass is at
	whole      bool   // the pass is one unit
	required   bool
	limit      int
	onUnit     func(n int, pass, unit string, skipped bool)
	remark     func(Remark)
	report     *Report
	ended      func() error
}

// Count adds n to the pass's counter called name. A count of 0 makes the
// counter known.
func (r *Run) Count(name string, n int) { r.report.Stats.Add(r.base, name, n) }

// Unit runs fn as one unit of work on the part called name, unless the limit
// is reached, and gives fn's error.
func (r *Run) Unit(name string, fn func() error) error {
	if r.whole {
		return fmt.Errorf("pass %s: it has units, but its row does not say so", r.pass)
	}
	return r.runUnit(name, fn)
}

func (r *Run) runUnit(name string, fn func() error) error {
	if err := r.ended(); err != nil {
		return err
	}
	r.unit = name
	r.report.Units++
	n := r.report.Units
	skipped := !r.required && r.limit != 0 && n > r.limit
	if r.onUnit != nil {
		r.onUnit(n, r.pass, name, skipped)
	}
	if skipped {
		return nil
	}
	return fn()
}

// An InternalError is a fault of the compiler: a pass that panicked or left
// the program broken.
type InternalError struct {
	Pass  string
	Unit  string // the function or other part; may be empty
	Panic any    // what the pass panicked with, or nil
	Err   error  // what Verify found, or nil
	Stack []byte // of a panic
}

func (e *InternalError) Error() string {
	at := e.Pass
	if e.Unit != "" {
		at += ", at " + e.Unit
	}
	if e.Err != nil {
		return fmt.Sprintf("internal compiler error: after pass %s: %v", at, e.Err)
	}
	return fmt.Sprintf("internal compiler error: pass %s: panic: %v", at, e.Panic)
}

// Unwrap returns what Verify found.
func (e *InternalError) Unwrap() error { return e.Err }

// Run runs the passes over t. The report is of what ran, also with an error.
func (l *List[T]) Run(t T, o Options[T]) (*Report, error) {
	report := &Report{}
	on, err := l.enabled(o.Switch)
	if err != nil {
		return report, err
	}
	print, err := l.printed(o.PrintAfter)
	if err != nil {
		return report, err
	}
	if o.Verify != nil {
		if err := o.Verify(t); err != nil {
			return report, &InternalError{Pass: "none (input)", Err: err}
		}
	}
	for i := range l.passes {
		p := &l.passes[i]
		if !on[i] {
			if print[i] && !slices.Contains(o.PrintAfter, "all") && o.Out != nil {
				fmt.Fprintf(o.Out, "%s pass %s did not run: it is off\n", cmp.Or(o.Comment, ";"), p.Name)
			}
			continue
		}
		if err := o.ended(); err != nil {
			return report, err
		}
		if o.Before != nil {
			o.Before(p.Name, t)
		}
		if err := p.run(t, &o, report); err != nil {
			return report, err
		}
		if print[i] && o.Print != nil && o.Out != nil {
			fmt.Fprintf(o.Out, "%s after %s\n", cmp.Or(o.Comment, ";"), p.Name)
			if err := o.Print(o.Out, t); err != nil {
				return report, fmt.Errorf("print after %s: %w", p.Name, err)
			}
		}
		if o.Verify != nil {
			if err := o.Verify(t); err != nil {
				return report, &InternalError{Pass: p.Name, Err: err}
			}
		}
	}
	return report, nil
}

// ended returns the error of the context, if it has ended.
func (o *Options[T]) ended() error {
	if o.Context == nil {
		return nil
	}
	return o.Context.Err()
}

// run runs one pass and turns its panic into an error.
func (p *Pass[T]) run(t T, o *Options[T], report *Report) (err error) {
	r := &Run{pass: p.Name, base: p.base(), whole: !p.PerUnit, required: p.Required,
		limit: o.Limit, onUnit: o.OnUnit, remark: o.Remark, report: report, ended: o.ended}
	start := time.Now()
	defer func() {
		report.Steps = append(report.Steps, Step{p.Name, time.Since(start)})
		if v := recover(); v != nil {
			err = &InternalError{Pass: p.Name, Unit: r.unit, Panic: v, Stack: debug.Stack()}
		}
	}()
	if p.PerUnit {
		return p.Fn(t, r)
	}
	return r.runUnit("", func() error { return p.Fn(t, r) })
}

// printed returns after which rows to print.
func (l *List[T]) printed(names []string) ([]bool, error) {
	print := make([]bool, len(l.passes))
	for _, name := range names {
		if name != "all" {
			if err := l.known(name); err != nil {
				return nil, err
			}
		}
		for i := range l.passes {
			if name == "all" || name == l.passes[i].Name {
				print[i] = true
			}
		}
	}
	return print, nil
}
