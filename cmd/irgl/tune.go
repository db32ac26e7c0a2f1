package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"irgl"
)

// tuneFlags are the flags of irgl tune.
type tuneFlags struct {
	inputs  inputFlags
	device  string
	budget  time.Duration
	most    int
	repeat  int
	all     bool
	family  bool
	limit   time.Duration
	tuning  string
	dry     bool
	asJSON  bool
	out     string
	csv     string
	svg     string
	verbose bool
}

func tuneCommand() *cobra.Command {
	var f tuneFlags
	cmd := &cobra.Command{
		Use:   "tune PROGRAM... --graph FILE | --gen SPEC",
		Short: "Find the fastest switches for programs on graphs",
		Long: `Run programs on graphs with one choice of throughput switches after the other, and
keep the fastest in the tuning file, from which 'irgl run' takes it from then on for
that graph and for those like it.

Few choices are all tried; of many, first those known to be good elsewhere, then one
switch after the other. A choice runs once, and again only while it may still be the
best; one that takes many times as long is cut off. Times are medians by the device's
clock; on simt, where nothing is timed, it is a cost made of what the emulator counts.
The first answer of each choice is compared with one that was verified or, if it differs, verified itself.

The table says what was found, and what each switch gains: the best with it beside the
best without it. --family adds a table of the fastest program of each problem. An
interrupt prints what was found until then, with exit status 1.`,
		Example: `  irgl tune bfs sssp cc pr --gen rmat:20:8 --gen road:4900:4900:wmax=1000 --budget 2m
  irgl tune --family bfs mst --gen rmat:20:8:wmax=100
  irgl tune mine.irgl --graph road.gr --source 17 --svg gains.svg
  irgl tune bfs --gen grid:20:20 --device simt --candidates 20`,
		Args: argRange(1, -1),
	}
	flags := cmd.Flags()
	f.inputs.add(flags)
	flags.StringVar(&f.device, "device", "auto", "run on `DEVICE`: auto (the first GPU), cuda (or cuda:1, ...), simt")
	flags.DurationVar(&f.budget, "budget", 2*time.Minute, "begin no further candidate after this `TIME`, for each program and graph (0: no limit)")
	flags.IntVar(&f.most, "candidates", 0, "measure at most `N` choices for each program and graph (0: no limit)")
	flags.IntVar(&f.repeat, "repeat", 9, "run the best choices `N` times")
	flags.BoolVar(&f.all, "exhaustive", false, "try every combination of the main switches, however many")
	flags.BoolVar(&f.family, "family", false, "tune all bundled programs that solve the same problem as those named, and say which is the fastest")
	flags.DurationVar(&f.limit, "limit", 20*time.Second, "cut off runs after this `TIME` (0: only those that take many times the best's)")
	addTuning(flags, &f.tuning)
	flags.BoolVar(&f.dry, "dry-run", false, "write no tuning file")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON array with all that was measured")
	flags.StringVar(&f.out, "out", "", "write what is printed to `FILE`")
	flags.StringVar(&f.csv, "csv", "", "write a line for each choice to `FILE`")
	flags.StringVar(&f.svg, "svg", "", "draw what each switch gains into `FILE`")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "say on standard error what each choice took")
	flags.SortFlags = false
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return f.main(cmd, args) }
	cmd.ValidArgsFunction = completePrograms
	return cmd
}

// check refuses flags that cannot work before anything is read.
func (f *tuneFlags) check(cmd *cobra.Command) error {
	kind, _, err := irgl.ParseDevice(f.device)
	switch {
	case err != nil:
		return &usageError{cmd.CommandPath(), err}
	case kind == "cpu" || kind == "interp":
		return usagef(cmd, "--device %s has no switches to tune: cuda and simt have", f.device)
	case f.repeat < 1:
		return usagef(cmd, "--repeat %d: run at least once", f.repeat)
	case f.budget < 0 || f.most < 0:
		return usagef(cmd, "a limit is not negative; 0 is none")
	case f.tuning == "" && !f.dry:
		return usagef(cmd, "there is no folder for the tuning file: name one with --tuning, or give --dry-run")
	}
	if f.device == "auto" {
		f.device = "cuda" // the CPU, which auto may be, has no switches
	}
	return f.inputs.check(cmd)
}

func (f *tuneFlags) main(cmd *cobra.Command, args []string) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	if !f.dry {
		if err := irgl.CheckTuning(f.tuning); err != nil {
			return err
		}
	}
	if f.family {
		args = irgl.Families(args)
	}
	s, err := irgl.OpenSession(irgl.Options{Device: f.device, Unchecked: true})
	if err != nil {
		return err
	}
	defer func() {
		if cmd.Context().Err() == nil { // else it would wait for what was interrupted
			_ = s.Close() // what was measured stands
		}
	}()
	var programs []*irgl.Program
	for _, name := range args {
		p, err := loadProgram(cmd, name)
		if err != nil {
			return err
		}
		p.Warnings(cmd.ErrOrStderr())
		programs = append(programs, p)
	}
	var reports irgl.TuneReports
	var failed error
	err = f.inputs.each(cmd, func(in irgl.Input, name string) error {
		for _, p := range programs {
			if !fitsInput(p, in) {
				continue
			}
			rep, err := f.one(cmd, s, p, in, name)
			if rep != nil {
				reports = append(reports, rep)
			}
			if cmd.Context().Err() != nil {
				return cmd.Context().Err()
			}
			if err != nil { // the others are not to suffer
				failed = errReported
				irgl.Explain(cmd.ErrOrStderr(), fmt.Errorf("%s on %s: %w", p.Name(), name, err))
			}
		}
		return s.Forget()
	})
	if err = f.ended(cmd, err, len(reports)); err != nil && !errors.Is(err, errPartial) {
		return err
	}
	switch {
	case len(reports) > 0:
	case failed != nil:
		return failed
	default:
		return usagef(cmd, "none of the programs runs on such inputs")
	}
	return errors.Join(err, f.write(context.WithoutCancel(cmd.Context()), cmd, reports), failed)
}

// ended is interrupted for searches: without a report there is nothing to print.
func (f *tuneFlags) ended(cmd *cobra.Command, err error, reports int) error {
	if reports == 0 || cmd.Context().Err() == nil {
		return err
	}
	return interrupted(cmd, err)
}

// fitsInput reports whether a program runs on graphs or meshes as the input does.
func fitsInput(p *irgl.Program, in irgl.Input) bool {
	graph, mesh := p.Needs()
	return mesh == (in.Mesh != nil) && (!graph || in.Graph != nil)
}

// one tunes a program for an input, and keeps what was found at once.
func (f *tuneFlags) one(cmd *cobra.Command, s *irgl.Session, p *irgl.Program, in irgl.Input, name string) (*irgl.TuneReport, error) {
	args, err := f.inputs.arguments(p, in)
	if err != nil {
		return nil, err
	}
	best := 0.0
	progress := func(t *irgl.TuneTrial, measured int) {
		if t.Failed == "" && (best == 0 || t.Value < best) {
			best = t.Value
		}
		switch {
		case f.verbose && t.Failed != "":
			fmt.Fprintf(cmd.ErrOrStderr(), "%s on %s, %d: %s: %s\n", p.Name(), name, measured, orNone(t.Switches), t.Failed)
		case f.verbose:
			fmt.Fprintf(cmd.ErrOrStderr(), "%s on %s, %d: %.4g: %s\n", p.Name(), name, measured, t.Value, orNone(t.Switches))
		case shows(cmd):
			fmt.Fprintf(cmd.ErrOrStderr(), "\r%s on %s: %d choices, the best %.4g   ", p.Name(), name, measured, best)
		}
	}
	rep, err := s.Tune(cmd.Context(), p, in, args, irgl.TuneOptions{
		Limit: f.limit, Budget: f.budget, Candidates: f.most, Repeats: f.repeat, Exhaustive: f.all, Progress: progress,
	})
	if shows(cmd) && !f.verbose {
		fmt.Fprintf(cmd.ErrOrStderr(), "\r%79s\r", "")
	}
	if err != nil {
		return nil, err
	}
	if rep.Graph.Name == "" {
		rep.Graph.Name = name
	}
	if f.dry {
		return rep, nil
	}
	return rep, p.SaveTuning(f.tuning, rep)
}

func orNone(switches string) string {
	if switches == "" {
		return "none"
	}
	return switches
}

// write prints the reports and writes the files that were asked for.
func (f *tuneFlags) write(ctx context.Context, cmd *cobra.Command, reports irgl.TuneReports) error {
	print := reports.WriteMarkdown
	if f.asJSON {
		print = func(w io.Writer) error { return json.NewEncoder(w).Encode(reports) }
	}
	err := writeTo(ctx, cmd, f.out, print)
	if f.csv != "" {
		err = errors.Join(err, writeTo(ctx, cmd, f.csv, reports.WriteCSV))
	}
	if f.svg != "" {
		err = errors.Join(err, writeTo(ctx, cmd, f.svg, reports.WriteSVG))
	}
	return err
}
