package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"irgl/internal/bench"
	"irgl/internal/compile"
	"irgl/internal/engine"
	"irgl/internal/journal"
	"irgl/internal/paper"
	"irgl/internal/suggest"
)

// tuneFlags are the flags of irgl tune.
type tuneFlags struct {
	measureFlags
	inputs  inputFlags
	budget  time.Duration
	total   time.Duration
	most    int
	repeat  int
	all     bool
	program []string
	tuning  string
	dry     bool
	asJSON  bool
	out     string
	csv     string
	svg     string
	verbose bool
	build   string
	figure  string
}

func tuneCommand() *cobra.Command {
	var f tuneFlags
	cmd := &cobra.Command{
		Use:   "tune PROBLEM|PROGRAM|FILE.irgl... --graph FILE | --gen SPEC, tune FILE.cu [-- ARGUMENTS]",
		Short: "Find the fastest switches for programs on graphs",
		Long: `Run programs on graphs with different choices of throughput switches, and store the
fastest in the tuning file, from which 'irgl run' takes it for that graph and for
similar ones. All programs that solve a problem are tuned, or those that --program
names: 'irgl run' then chooses the fastest for that graph.

Each program is searched on each graph that it runs on. A search is stored when it ends,
as one entry for the program's text, the device, the graph and the version of irgl, in
place of an earlier one. The tuning file is one file for all programs and graphs, the
same that 'irgl run' reads unless --tuning names another.

--source is the node of every parameter that is one, and --set NAME=VALUE the value of
every parameter of that name; programs without it ignore it. Other parameters have the
programs' defaults. Switches do not depend on arguments: an entry does not record them.

If there are few choices, all are tried; otherwise first those known to be good
elsewhere, then one switch at a time, last for single kernels and inner loops. A choice runs once, and again only while it may
still be the best; one that takes many times as long is cut off. Times are medians by
the device's clock; on simt nothing is timed: a weighted sum of the emulator's counters
is the cost. The first answer of each choice is compared with one that is verified
concurrently or, if it differs, verified itself; nothing is stored before that.

--budget bounds each search, so that 4 programs on 2 graphs take up to 8 times as long;
the choices measured first, the default and none, and the last comparison of the best are
made in any case. --total bounds all searches together: each gets an equal share of the
time that is left, and those for which none is left are named. --journal FILE receives each trial at once; after a kill, --resume continues from it.

The table says what was found, and what each switch gains: the best with it beside the
best without it. Where several programs of a problem were tuned, a table has the fastest.
An interrupt prints what was found until then, with exit status 130.

Of a CUDA program whose kernels launch kernels, FILE.cu, the granularity of aggregation, its flattening and who
launches, the form of promotion, the threshold and the coarsening of irgl cuda build are searched, one at a time until
none of them gains. The program is built with the flags of --build and run with the arguments behind --. What counts is its
time as a process, a number that it prints (--figure), or on simt the cost. A choice whose program ends with another
exit status than 0 is none. The flags are written to FILE.flags or the file of --tuning, which 'irgl cuda build' and
'irgl cuda run' read by -optf.`,
		Example: `  irgl tune bfs sssp cc pr --gen rmat:20:8 --gen road:4900:4900:wmax=1000 --budget 2m
  irgl tune bfs --program bfs_do --gen rmat:20:8
  irgl tune mine.irgl --graph road.gr --source 17 --svg gains.svg
  irgl tune bfs --gen grid:20:20 --device simt --candidates 20
  irgl tune tree.cu --figure 'time: ([0-9.]+) ms' -- --size large`,
		Args: argRange(1, -1),
	}
	flags := cmd.Flags()
	f.inputs.add(flags)
	f.add(flags)
	flags.DurationVar(&f.budget, "budget", 2*time.Minute, "measure no further choice after this `TIME`, of each search: of one program on one graph (0: no limit)")
	flags.DurationVar(&f.total, "total", 0, "share this `TIME` among the searches of all programs on all graphs (0: no limit)")
	flags.IntVar(&f.most, "candidates", 0, "measure at most `N` choices in each search (0: no limit)")
	flags.IntVar(&f.repeat, "repeat", 9, "run the best choices `N` times")
	flags.BoolVar(&f.all, "exhaustive", false, "try every combination of the main switches, however many")
	flags.StringSliceVar(&f.program, "program", nil, "of the programs that solve the problems, tune these only: `PROGRAM`,...")
	addTuning(flags, &f.tuning)
	flags.BoolVar(&f.dry, "dry-run", false, "write no tuning file")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON array with all that was measured")
	flags.StringVar(&f.out, "out", "", "write what is printed to `FILE`")
	flags.StringVar(&f.csv, "csv", "", "write a line for each choice to `FILE`")
	flags.StringVar(&f.svg, "svg", "", "draw what each switch gains into `FILE`")
	flags.StringVar(&f.build, "build", "", "build FILE.cu with these `FLAGS` of irgl cuda build")
	flags.StringVar(&f.figure, "figure", bench.FigureElapsed, "what counts for FILE.cu: elapsed, or the number that a `REGEXP` with one group finds in what it prints")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "say on standard error what each choice took")
	flags.SortFlags = false
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return f.main(cmd, args) }
	cmd.ValidArgsFunction = completePrograms
	return cmd
}

// check refuses flags that cannot work before anything is read.
func (f *tuneFlags) check(cmd *cobra.Command) error {
	err := f.measureFlags.check(cmd, "tune")
	switch {
	case err != nil:
		return err
	case f.repeat < 1:
		return usagef(cmd, "--repeat %d: run at least once", f.repeat)
	case f.budget < 0 || f.most < 0 || f.total < 0:
		return usagef(cmd, "a limit cannot be negative; 0 is no limit")
	case f.tuning == "" && !f.dry:
		return usagef(cmd, "there is no folder for the tuning file: name one with --tuning, or give --dry-run")
	}
	return f.inputs.check(cmd)
}

// programs returns the programs that arguments name: those that solve a problem, or one.
func (f *tuneFlags) programs(cmd *cobra.Command, args []string) ([]string, error) {
	var names, solvers []string
	for _, arg := range args {
		list := []string{arg}
		if s := engine.Solvers(arg); s != nil {
			solvers = append(solvers, s...)
			list = slices.DeleteFunc(s, func(name string) bool { return len(f.program) > 0 && !slices.Contains(f.program, name) })
		}
		for _, name := range list {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, name := range f.program {
		if !slices.Contains(solvers, name) {
			return nil, usagef(cmd, "--program %s solves none of the problems named%s", name, suggest.Hint(name, solvers))
		}
	}
	return names, nil
}

// checkSet refuses a value for a parameter that none of the programs has.
func checkSet(cmd *cobra.Command, set []string, programs []*engine.Program) error {
	var names []string
	for _, p := range programs {
		for _, param := range p.Params() {
			names = append(names, param.Name)
		}
	}
	for _, s := range set {
		if name, _, _ := strings.Cut(s, "="); !slices.Contains(names, name) {
			return usagef(cmd, "--set %s: none of the programs has a parameter %q%s", s, name, suggest.Hint(name, names))
		}
	}
	return nil
}

func (f *tuneFlags) main(cmd *cobra.Command, args []string) error {
	if isCUDA(args) {
		return f.cuda(cmd, args)
	}
	if cmd.Flags().Changed("build") || cmd.Flags().Changed("figure") {
		return usagef(cmd, "--build and --figure are for a CUDA program, FILE.cu")
	}
	if err := f.check(cmd); err != nil {
		return err
	}
	if !f.dry {
		if err := engine.CheckTuning(f.tuning); err != nil {
			return err
		}
	}
	args, err := f.programs(cmd, args)
	if err != nil {
		return err
	}
	var programs []*engine.Program
	for _, name := range args {
		p, err := loadProgram(cmd, name)
		if err != nil {
			return err
		}
		p.Warnings(cmd.ErrOrStderr())
		programs = append(programs, p)
	}
	if err := checkSet(cmd, f.inputs.set, programs); err != nil {
		return err
	}
	s, err := f.open()
	if err != nil {
		return err
	}
	defer closeUnlessInterrupted(cmd, s)
	j, err := f.searches(s)
	if err != nil {
		return err
	}
	defer j.to.Close()
	j.count(f, programs)
	j.announce(cmd, f)
	err = f.inputs.each(cmd, func(in engine.Input, name string) error {
		for _, p := range programs {
			if !fitsInput(p, in) {
				continue
			}
			err := f.one(cmd, s, p, in, name, j)
			if cmd.Context().Err() != nil {
				return cmd.Context().Err()
			}
			if lost := s.Lost(); lost != nil {
				return &paper.LostError{Err: lost}
			}
			if err != nil { // the others are not to suffer
				j.failed = errReported
				engine.Explain(cmd.ErrOrStderr(), fmt.Errorf("%s on %s: %w", p.Name(), name, err))
			}
		}
		return s.Forget()
	})
	if err = f.ended(cmd, err, len(j.reports)); err != nil && !errors.Is(err, errPartial) && !errors.Is(err, errLost) {
		return err
	}
	switch {
	case len(j.reports) > 0:
	case err != nil || j.failed != nil:
		return errors.Join(err, j.failed)
	case len(j.late) > 0:
	default:
		return usagef(cmd, "none of the programs runs on such inputs")
	}
	for _, text := range j.late {
		fmt.Fprintf(cmd.ErrOrStderr(), "irgl: %s: the budget was spent before its search began\n", text)
	}
	err = errors.Join(err, f.write(context.WithoutCancel(cmd.Context()), cmd, j.reports), j.failed)
	if j.stored > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "irgl: entries stored in %s: %d; 'irgl run%s' uses them for these graphs and similar ones\n", f.tuning, j.stored, f.tuningFlag(cmd))
	}
	return err
}

// tuningFlag returns the flag with which 'irgl run' reads the tuning file, "" where it
// does so by itself.
func (f *tuneFlags) tuningFlag(cmd *cobra.Command) string {
	if !cmd.Flags().Changed("tuning") {
		return ""
	}
	return " --tuning " + f.tuning
}

// ended is interrupted for searches: without a report there is nothing to print.
func (f *tuneFlags) ended(cmd *cobra.Command, err error, reports int) error {
	if _, lost := errors.AsType[*paper.LostError](err); !lost && (reports == 0 || cmd.Context().Err() == nil) {
		return err
	}
	return interrupted(cmd, err)
}

// searches are those of irgl tune: what a journal has of them, and what they found.
type searches struct {
	to      *journal.Journal
	trials  map[string]map[compile.Switches]engine.TuneTrial // by program and input, and switches
	done    map[string]*engine.TuneReport
	left    int       // searches to come, at most
	until   time.Time // zero for no limit
	reports engine.TuneReports
	late    []string // what was left out
	failed  error    // of some search
	stored  int      // entries in the tuning file
}

// kindSearch is the kind of a line of a journal with a searched.
const kindSearch = "search"

// A searched is a search that was through.
type searched struct {
	Input  string             `json:"input"`
	Report *engine.TuneReport `json:"report"`
}

func searchName(program, input string) string { return program + " on " + input }

// searches opens the journal.
func (f *tuneFlags) searches(s *engine.Session) (*searches, error) {
	to, lines, err := f.openJournal(s)
	if err != nil {
		return nil, err
	}
	j := &searches{to: to, trials: map[string]map[compile.Switches]engine.TuneTrial{}, done: map[string]*engine.TuneReport{}}
	for i, l := range lines {
		switch l.Kind {
		case paper.KindTrial:
			var t paper.Trial
			if err = json.Unmarshal(l.Data, &t); err == nil {
				name := searchName(t.Program, t.Input)
				if j.trials[name] == nil {
					j.trials[name] = map[compile.Switches]engine.TuneTrial{}
				}
				j.trials[name][t.Trial.Switches] = t.Trial
			}
		case kindSearch:
			var v searched
			if err = json.Unmarshal(l.Data, &v); err == nil && v.Report != nil {
				j.done[searchName(v.Report.Program, v.Input)] = v.Report
			}
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("journal %s, line %d: %w", f.journal, i+2, err), to.Close())
		}
	}
	return j, nil
}

// count notes how many searches there may be, and when the last one is to end.
func (j *searches) count(f *tuneFlags, programs []*engine.Program) {
	for _, p := range programs {
		if _, mesh := p.Needs(); mesh {
			j.left += len(f.inputs.meshes)
		} else {
			j.left += len(f.inputs.files)
		}
		for _, spec := range f.inputs.gens {
			if _, mesh := p.Needs(); mesh == strings.HasPrefix(spec, "points:") {
				j.left++
			}
		}
	}
	if f.total > 0 {
		j.until = time.Now().Add(f.total)
	}
}

// announce says how long several searches may take.
func (j *searches) announce(cmd *cobra.Command, f *tuneFlags) {
	left := j.left - len(j.done)
	if left < 2 || f.total > 0 || f.budget == 0 || f.most > 0 {
		return
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "irgl: searches: %d, each of up to --budget %v, %v together (--total bounds that)\n", left, f.budget, time.Duration(left)*f.budget)
}

// share returns the budget of the next search; ok says that there is time for it.
func (j *searches) share(budget time.Duration) (share time.Duration, ok bool) {
	left := max(1, j.left)
	j.left--
	if j.until.IsZero() {
		return budget, true
	}
	share = time.Until(j.until) / time.Duration(left)
	if budget > 0 {
		share = min(share, budget)
	}
	return share, share > 0
}

// fitsInput reports whether a program runs on graphs or meshes as the input does.
func fitsInput(p *engine.Program, in engine.Input) bool {
	graph, mesh := p.Needs()
	return mesh == (in.Mesh != nil) && (!graph || in.Graph != nil)
}

// one tunes a program for an input, and keeps what was found at once.
func (f *tuneFlags) one(cmd *cobra.Command, s *engine.Session, p *engine.Program, in engine.Input, name string, j *searches) error {
	budget, ok := j.share(f.budget)
	if rep := j.done[searchName(p.Name(), name)]; rep != nil {
		j.reports = append(j.reports, rep)
		return nil
	}
	args, err := f.inputs.arguments(p, in)
	if err != nil {
		return err
	}
	if !ok {
		j.late = append(j.late, searchName(p.Name(), name))
		return nil
	}
	best := 0.0
	progress := func(t *engine.TuneTrial, measured int) {
		if err := j.to.Add(paper.KindTrial, paper.Trial{Program: p.Name(), Input: name, Trial: *t}); err != nil {
			j.failed = errors.Join(j.failed, err)
		}
		if t.Failed == "" && (best == 0 || t.Value < best) {
			best = t.Value
		}
		switch {
		case f.verbose && t.Failed != "":
			fmt.Fprintf(cmd.ErrOrStderr(), "%s on %s, %d: %s: %s\n", p.Name(), name, measured, t.Switches.OrNone(), t.Failed)
		case f.verbose:
			fmt.Fprintf(cmd.ErrOrStderr(), "%s on %s, %d: %.4g: %s\n", p.Name(), name, measured, t.Value, t.Switches.OrNone())
		case shows(cmd):
			line(cmd, fmt.Sprintf("%s on %s: %d choices, the best %.4g", p.Name(), name, measured, best))
		}
	}
	rep, err := s.Tune(cmd.Context(), p, in, args, engine.TuneOptions{
		Limit: f.limit, Budget: budget, Candidates: f.most, Repeats: f.repeat, Exhaustive: f.all, Progress: progress, Done: j.trials[searchName(p.Name(), name)],
	})
	if !f.verbose {
		endLine(cmd)
	}
	if err != nil {
		return err
	}
	if rep.Graph.Name == "" {
		rep.Graph.Name = name
	}
	j.reports = append(j.reports, rep)
	if rep.Unverified || s.Lost() != nil { // nothing is kept of it but its trials
		return nil
	}
	if !f.dry {
		if err := p.SaveTuning(f.tuning, rep); err != nil {
			return err
		}
		j.stored++
	}
	return j.to.Add(kindSearch, searched{name, rep})
}

// write prints the reports and writes the files that were asked for.
func (f *tuneFlags) write(ctx context.Context, cmd *cobra.Command, reports engine.TuneReports) error {
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
