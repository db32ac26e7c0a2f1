package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"irgl"
	"irgl/internal/lower"
	"irgl/internal/paper"
	"irgl/internal/suggest"
)

// paperFlags are the flags of irgl bench paper.
type paperFlags struct {
	device     string
	graphs     []string
	programs   []string
	switches   []string
	repeat     int
	budget     time.Duration
	limit      time.Duration
	candidates int
	tuning     string
	best       bool
	out        string
}

func benchPaperCommand() *cobra.Command {
	var f paperFlags
	cmd := &cobra.Command{
		Use:   "paper",
		Short: "Measure the tables and figures of the IrGL paper on this device",
		Long: `Run all bundled programs on a graph of each class, with every choice of switches that
the paper's tables and figures compare: Figure 1 (how busy launches keep the device),
Table 1 (iteration outlining), Table 2 (schedulers of inner loops), Table 4 (the graph
traversal of Listing 5), Figure 7 (all programs: plain, default, tuned), Figure 8 (each
optimisation), Figure 9 (every combination).

The tables go to standard output. --out DIR writes them there as report.md, each as
NAME.csv and NAME.svg, and cells.csv with all that was measured. On a GPU it is times,
and what the emulator counts on small graphs of the same kinds stands beside them; on
simt a cost takes the place of times. The first answer of each choice is verified.

The first table has the best program and switches for each problem, beside the untuned
default of its first program; after 'irgl tune --family', --tuning FILE --candidates 0
--best measures that table alone. An interrupt, or SIGTERM, ends measuring: what was
measured is printed and written, with exit status 1. A second one ends the process.
--limit ends loops on the host and outlined ones; a single kernel cannot be stopped:
its cell says how long it ran on, and the next begins when it has ended.`,
		Example: `  irgl bench paper --out paper --budget 20m
  irgl bench paper --graphs rmat:20:8 --programs bfs,cc --switches '' --switches 'outline=auto np=wp,fg'
  irgl bench paper --device simt --graphs rmat:7:8,grid:12:12 --programs bfs,cc`,
		Args: argRange(0, 0),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.device, "device", "auto", "run on `DEVICE`: auto (the first GPU), cuda (or cuda:1, ...), simt")
	flags.StringSliceVar(&f.graphs, "graphs", nil, "generated graphs, and meshes of points:N: `SPEC`,... (default: one of each class)")
	flags.StringSliceVar(&f.programs, "programs", nil, "bundled programs: `NAME`,... (default: all)")
	flags.StringArrayVar(&f.switches, "switches", nil, "measure these `SWITCHES`, such as 'outline=auto np=wp,fg', in place of the paper's choices; may be given several times")
	flags.IntVar(&f.repeat, "repeat", 10, "runs of each choice; the median counts")
	flags.DurationVar(&f.budget, "budget", 0, "begin nothing more after this `TIME`, shared among the graphs (0: no limit)")
	flags.DurationVar(&f.limit, "limit", 20*time.Second, "cut off runs after this `TIME`, and repeat no longer than it")
	flags.IntVar(&f.candidates, "candidates", 60, "choices to try for the tuned column; 0 leaves it out")
	flags.StringVar(&f.tuning, "tuning", "", "take the tuned choices from the tuning `FILE`; search only for those it has not")
	flags.BoolVar(&f.best, "best", false, "measure the default and the tuned choice alone, for the table of problems")
	flags.StringVar(&f.out, "out", "", "write all tables and figures to the folder `DIR`")
	flags.SortFlags = false
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return f.main(cmd) }
	return cmd
}

// options checks the flags.
func (f *paperFlags) options(cmd *cobra.Command) (paper.Options, error) {
	o := paper.Options{Device: f.device, Programs: f.programs, Switches: f.switches, Repeats: f.repeat, Budget: f.budget, Limit: f.limit, Candidates: f.candidates, Tuning: f.tuning, Best: f.best}
	kind, _, err := irgl.ParseDevice(f.device)
	switch {
	case err != nil:
		return o, &usageError{cmd.CommandPath(), err}
	case kind == "cpu" || kind == "interp":
		return o, usagef(cmd, "--device %s has no switches to measure: cuda and simt have", f.device)
	case f.repeat < 1 || f.budget < 0 || f.limit <= 0 || f.candidates < 0:
		return o, usagef(cmd, "--repeat is at least 1, --limit more than 0, --budget and --candidates are not negative")
	case kind == "auto":
		o.Device = "cuda"
	}
	for _, name := range f.programs {
		if all := irgl.Programs(); !slices.Contains(all, name) {
			return o, usagef(cmd, "there is no bundled program %q%s", name, suggest.Hint(name, all))
		}
	}
	for _, text := range f.switches {
		if _, err := lower.ParseOptions(text); err != nil {
			return o, usagef(cmd, "--switches: %w", err)
		}
	}
	o.Inputs = paper.Inputs(o.Device)
	if f.graphs != nil {
		o.Inputs = nil
		for _, spec := range f.graphs {
			o.Inputs = append(o.Inputs, paper.InputOf(spec))
		}
	}
	return o, nil
}

func (f *paperFlags) main(cmd *cobra.Command) error {
	o, err := f.options(cmd)
	if err != nil {
		return err
	}
	if f.out != "" {
		if err := os.MkdirAll(f.out, 0o777); err != nil {
			return err
		}
	}
	o.Progress = func(text string) {
		if shows(cmd) {
			fmt.Fprintf(cmd.ErrOrStderr(), "\r%-110.110s", text)
		}
	}
	rep, failed := paper.Run(cmd.Context(), o)
	if shows(cmd) {
		fmt.Fprintf(cmd.ErrOrStderr(), "\r%110s\r", "")
	}
	if rep == nil || len(rep.Cells) == 0 && failed != nil {
		return failed
	}
	// What was measured is written, whatever ended it.
	if f.out == "" {
		err = rep.WriteMarkdown(cmd.OutOrStdout())
	} else {
		err = writePaper(context.WithoutCancel(cmd.Context()), cmd, f.out, rep)
	}
	err = errors.Join(interrupted(cmd, failed), err)
	if n := rep.Failures(); n > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "irgl: %d measurements failed; the report says why\n", n)
		err = errors.Join(err, errReported)
	}
	return err
}

// interrupted says that a report is not whole, when an interrupt has ended what
// it is about, and returns other errors.
func interrupted(cmd *cobra.Command, err error) error {
	if cmd.Context().Err() == nil {
		return err
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "irgl: interrupted: the report has what was measured until then")
	return errPartial
}

// writePaper writes every form of a report to a folder.
func writePaper(ctx context.Context, cmd *cobra.Command, dir string, rep *paper.Report) error {
	write := func(name string, to func(io.Writer) error) error {
		return writeTo(ctx, cmd, filepath.Join(dir, name), to)
	}
	err := errors.Join(write("report.md", rep.WriteMarkdown), write("cells.csv", rep.WriteCSV))
	for _, t := range rep.Tables() {
		err = errors.Join(err, write(t.Name+".csv", t.WriteCSV))
		if t.Chart != nil {
			err = errors.Join(err, write(t.Name+".svg", t.Chart.Write))
		}
	}
	return err
}
