package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"irgl/internal/compile"
	"irgl/internal/engine"
	"irgl/internal/measured"
	"irgl/internal/paper"
	"irgl/internal/suggest"
)

// paperFlags are the flags of irgl bench paper.
type paperFlags struct {
	measureFlags
	graphs     []string
	programs   []string
	switches   []string
	repeat     int
	budget     time.Duration
	candidates int
	tuning     string
	best       bool
	fastest    int
	counts     bool
	replay     bool
	out        string
}

func benchPaperCommand() *cobra.Command {
	var f paperFlags
	cmd := &cobra.Command{
		Use:   "paper",
		Short: "Measure the tables and figures of the IrGL paper on this device",
		Long: `Run all bundled programs on a graph of each class, with every choice of switches that
the paper's tables and figures compare: Figure 1 (utilisation of the device),
Table 1 (iteration outlining), Table 2 (schedulers of inner loops), Table 4 (the graph
traversal of Listing 5), Figure 7 (all programs: plain, default, tuned), Figure 8 (each
optimisation), Figure 9 (every combination).

The tables go to standard output. With --out DIR they go to DIR alone: measurements.csv, the
tables that 'irgl bench report' makes of it (report.md), and each of them as NAME.csv and NAME.svg.
On a GPU these are times,
with the emulator's counters on small graphs of the same kinds; on simt a cost
replaces times. The first answer of each choice is verified, on other processors
while the device continues.

The most important measurements come first: the default and the tuned choice of every program on
every graph, searches (--candidates), Figure 1 and Table 1, Table 2, Table 4, Figures 7
to 9. --budget ends it at any point; the report says what was left out. Each measurement
is in DIR/journal.jsonl (--journal) at once, and the report is written anew every few
seconds: after a kill, --resume goes on where it was, and --replay makes the report of
what the journal has, without a device. A journal that is there is not overwritten.

The first table has the best program and switches for each problem, beside the untuned
default of its first program; after 'irgl tune PROBLEM...', --tuning FILE --candidates 0
--best measures that table alone. An interrupt, or SIGTERM, ends measuring: what was
measured is printed and written, with exit status 1. A second one ends the process.
--limit ends loops on the host and outlined ones; a single kernel cannot be stopped:
its cell says how long it ran on, and the next begins when it has ended.`,
		Example: `  irgl bench paper --out paper --budget 20m
  irgl bench paper --out paper --budget 20m --resume
  irgl bench paper --out paper --replay
  irgl bench paper --graphs rmat:20:8 --programs bfs,cc --switches '' --switches 'outline=auto np=wp,fg'
  irgl bench paper --device simt --graphs rmat:7:8,grid:12:12 --programs bfs,cc`,
		Args: argRange(0, 0),
	}
	flags := cmd.Flags()
	f.add(flags)
	flags.StringSliceVar(&f.graphs, "graphs", nil, "generated graphs, and meshes of points:N: `SPEC`,... (default: one of each class)")
	flags.StringSliceVar(&f.programs, "programs", nil, "bundled programs: `NAME`,... (default: all)")
	flags.StringArrayVar(&f.switches, "switches", nil, "measure these `SWITCHES`, such as 'outline=auto np=wp,fg', in place of the paper's choices; may be given several times")
	flags.IntVar(&f.repeat, "repeat", 10, "runs of each choice; the median counts")
	flags.DurationVar(&f.budget, "budget", 0, "begin nothing more after this `TIME` (0: no limit)")
	flags.IntVar(&f.candidates, "candidates", 60, "choices to try for the tuned column; 0 leaves it out")
	flags.StringVar(&f.tuning, "tuning", "", "take the tuned choices from the tuning `FILE`; search only for those it has not")
	flags.BoolVar(&f.best, "best", false, "measure the default and the tuned choice alone, for the table of problems")
	flags.IntVar(&f.fastest, "verify-fastest", 0, "after the searches, measure and verify the `N` fastest choices of each program on each graph")
	flags.BoolVar(&f.counts, "counts", true, "count small graphs of the same kinds on the emulator")
	flags.BoolVar(&f.replay, "replay", false, "measure nothing: report what the journal has")
	flags.StringVar(&f.out, "out", "", "write all tables and figures to the folder `DIR`")
	flags.SortFlags = false
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return f.main(cmd) }
	return cmd
}

// options checks the flags.
func (f *paperFlags) options(cmd *cobra.Command) (paper.Options, error) {
	f.journalIn(f.out)
	if err := f.check(cmd, "measure"); err != nil {
		return paper.Options{}, err
	}
	o := paper.Options{
		Device: f.device, Programs: f.programs, Repeats: f.repeat, Budget: f.budget, Limit: f.limit, Candidates: f.candidates,
		Tuning: f.tuning, Best: f.best, Journal: f.journal, Resume: f.resume, Replay: f.replay, Fastest: f.fastest, NoCounts: !f.counts, Compilers: f.compilers, Helper: f.helper(),
	}
	switch {
	case f.repeat < 1 || f.budget < 0 || f.candidates < 0 || f.fastest < 0:
		return o, usagef(cmd, "--repeat is at least 1, --budget, --candidates and --verify-fastest are not negative")
	case f.replay && f.journal == "":
		return o, usagef(cmd, "--replay reads the file of --journal, or that of --out: name one")
	case f.replay && f.resume:
		return o, usagef(cmd, "--replay measures nothing, and --resume goes on: give one of them")
	case o.Helper == nil:
		o.Compilers = 0
	}
	for _, name := range f.programs {
		if all := engine.Programs(); !slices.Contains(all, name) {
			return o, usagef(cmd, "there is no bundled program %q%s", name, suggest.Hint(name, all))
		}
	}
	for _, text := range f.switches {
		s, err := compile.ParseSwitches(text)
		if err != nil {
			return o, usagef(cmd, "--switches: %w", err)
		}
		o.Switches = append(o.Switches, s)
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
	if f.out != "" { // the journal is there, too
		if err := os.MkdirAll(f.out, 0o777); err != nil {
			return err
		}
	}
	o.Origin = origin(cmd)
	o.Progress = func(text string) { line(cmd, text) }
	if f.out != "" {
		o.Checkpoint = func(rep *paper.Report) {
			_ = writePaper(cmd.Context(), cmd, f.out, rep) // what cannot be written is said at the end
		}
	}
	rep, failed := paper.Run(cmd.Context(), o)
	endLine(cmd)
	if rep == nil {
		return orEmulate(failed)
	}
	if _, lost := errors.AsType[*paper.LostError](failed); len(rep.Cells) == 0 && failed != nil && !lost {
		return failed
	}
	// What was measured is written, whatever ended it.
	if f.out == "" {
		err = rep.WriteMarkdown(cmd.OutOrStdout())
	} else if err = writePaper(context.WithoutCancel(cmd.Context()), cmd, f.out, rep); err == nil {
		note(cmd, "the tables are in %s", filepath.Join(f.out, "report.md"))
	}
	err = errors.Join(interrupted(cmd, failed), err)
	if n := rep.Failures(); n > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "irgl: %d measurements failed; the report says why\n", n)
		err = errors.Join(err, errReported)
	}
	return err
}

// writePaper writes every form of a report to a folder.
func writePaper(ctx context.Context, cmd *cobra.Command, dir string, rep *paper.Report) error {
	list := pageOf(dir, []*measured.Block{rep.Block()})
	for _, t := range rep.Tables() {
		list = append(list, output{t.Name + ".csv", t.WriteCSV})
		if t.Chart != nil {
			list = append(list, output{t.Name + ".svg", t.Chart.Write})
		}
	}
	return writeAll(ctx, cmd, dir, list)
}
