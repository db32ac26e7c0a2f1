package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"irgl/internal/klap"
	"irgl/internal/klap/suite"
	"irgl/internal/klapbench"
	"irgl/internal/measured"
	"irgl/internal/suggest"
)

// benchKlapFlags are the flags of irgl bench klap.
type benchKlapFlags struct {
	device    string
	only      []string
	size      string
	inputs    []string
	stages    []string
	nvcc      string
	repeat    int
	threshold []int
	coarsen   []int
	chosen    string
	promoted  string
	budget    time.Duration
	limit     time.Duration
	journal   string
	resume    bool
	replay    bool
	counts    bool
	out       string
}

func benchKlapCommand() *cobra.Command {
	var f benchKlapFlags
	cmd := &cobra.Command{
		Use:   "klap",
		Short: "Measure launches in device code and their transformations on KLAP's benchmarks",
		Long: `Build the sixteen benchmarks of KLAP's paper in many forms, run them, and print the tables of
the paper's figures: as they are written, without launches in kernels, aggregated over each granularity, promoted, with
launches of few threads done by their threads, with coarse blocks, and by nvcc. Speedups are over the fastest plain form.

Programs are processes; those of one benchmark run by turns. A program whose check fails, that ends with another status than 0 or
that runs for longer than --limit has no time. The stages are aggregation (Figure 8), promotion (Figure 10), sweep and best
(thresholds, coarsening and granularities together), cost (of a launch), breakdown (Figure 9: time by parts switched off), occupancy
(Figure 11) and, with --nvcc, nvcc (all transformed texts through it). Launches and
instructions (Figure 11) are those of the emulator for the same data; on simt instructions replace
times. Host code needs g++ or clang++.

The tables go to standard output, with the targets that were reached and those that were not. With --out DIR they go to DIR: measurements.csv, the
tables that 'irgl bench report' makes of it (report.md), and each of them as NAME.csv and NAME.svg. Each run is in
DIR/journal.jsonl (--journal) at once: --resume goes on with it after an interrupt, a kill or the end of --budget, and --replay makes the
report of it, without a GPU, and counts on the emulator what has not been counted.`,
		Example: `  irgl bench klap --nvcc nvcc --counts=false --budget 9m --out klap
  irgl bench klap --nvcc nvcc --counts=false --budget 9m --out klap --resume
  irgl bench klap --out klap --replay
  irgl bench klap --only sssp,gc --input sssp=data/rmat12.sym.gr.gz --input gc=data/bcsstk13.mtx.gz
  irgl bench klap --device simt --only bfs,sc`,
		Args: argRange(0, 0),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.device, "device", "cuda", "run on `DEVICE`: cuda, simt")
	flags.StringSliceVar(&f.only, "only", nil, "measure these benchmarks: `NAME`,... (default: all)")
	flags.StringVar(&f.size, "size", "auto", "the `SIZE` of the data: test, small, medium, large (auto: large for aggregation, and all for promotion; test on simt)")
	flags.StringArrayVar(&f.inputs, "input", nil, "measure a benchmark on a file too, compressed or not: `NAME=FILE`; may be given several times")
	flags.StringSliceVar(&f.stages, "stages", nil, "measure these `STAGES`: "+strings.Join(klapbench.Stages(), ", ")+" (default: all)")
	flags.StringVar(&f.nvcc, "nvcc", "", "compare with programs by this nvcc: `PATH`")
	flags.IntVar(&f.repeat, "repeat", 5, "turns of each program; the median counts")
	flags.IntSliceVar(&f.threshold, "thresholds", []int{32, 256}, "launches of at most so many threads that threads do themselves, in the sweep: `N`,...")
	flags.IntSliceVar(&f.coarsen, "coarsens", []int{4, 16}, "blocks that a block does, in the sweep: `N`,...")
	flags.StringVar(&f.chosen, "default", klapbench.DefaultAggregation, "the `FLAGS` that are chosen for aggregation without measuring")
	flags.StringVar(&f.promoted, "default-promotion", klapbench.DefaultPromotion, "the `FLAGS` that are chosen for promotion without measuring")
	flags.DurationVar(&f.budget, "budget", 0, "begin nothing more after this `TIME` (0: no limit)")
	flags.DurationVar(&f.limit, "limit", time.Minute, "end a program that runs for longer than this `TIME`")
	flags.BoolVar(&f.counts, "counts", true, "count launches and instructions on the emulator")
	flags.StringVar(&f.journal, "journal", "", "add each run to `FILE` at once")
	flags.BoolVar(&f.resume, "resume", false, "go on with the journal: what is in it is not measured again")
	flags.BoolVar(&f.replay, "replay", false, "run nothing on the device: report what the journal has")
	flags.StringVar(&f.out, "out", "", "write all tables and figures to the folder `DIR`")
	flags.SortFlags = false
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return f.main(cmd) }
	return cmd
}

// options checks the flags.
func (f *benchKlapFlags) options(cmd *cobra.Command) (klapbench.Options, error) {
	if f.journal == "" && f.out != "" {
		f.journal = filepath.Join(f.out, "journal.jsonl")
	}
	o := klapbench.Options{
		Device: f.device, Stages: f.stages, NVCC: f.nvcc, Repeat: f.repeat, Thresholds: f.threshold, Coarsens: f.coarsen,
		Default: map[suite.Kind]string{suite.Aggregation: f.chosen, suite.Promotion: f.promoted},
		Budget:  f.budget, Limit: f.limit, Jobs: runtime.GOMAXPROCS(0), Journal: f.journal, Resume: f.resume, Replay: f.replay, Counts: f.counts,
	}
	switch {
	case f.device != "cuda" && f.device != "simt":
		return o, usagef(cmd, "there is no device %q (there are cuda, simt)", f.device)
	case f.repeat < 1 || f.budget < 0 || f.limit <= 0:
		return o, usagef(cmd, "--repeat is at least 1, --limit positive, --budget not negative")
	case f.replay && f.journal == "", f.resume && f.journal == "":
		return o, usagef(cmd, "--replay and --resume read the file of --journal, or that of --out: name one")
	case f.replay && f.resume:
		return o, usagef(cmd, "--replay measures nothing, and --resume goes on: give one of them")
	case f.nvcc == "" && slices.Contains(f.stages, klapbench.StageNVCC):
		return o, usagef(cmd, "the stage nvcc compiles with the nvcc of --nvcc: name it")
	case f.nvcc != "" && f.device == "simt":
		return o, usagef(cmd, "--nvcc: programs by nvcc do not run on the emulator")
	}
	for _, s := range f.stages {
		if !slices.Contains(klapbench.Stages(), s) {
			return o, usagef(cmd, "there is no stage %q%s", s, suggest.Hint(s, klapbench.Stages()))
		}
	}
	for _, n := range slices.Concat(f.threshold, f.coarsen) {
		if n < 1 || n > klap.MaxThreshold {
			return o, usagef(cmd, "--thresholds and --coarsens are from 1 to %d", klap.MaxThreshold)
		}
	}
	var err error
	if o.Size, err = f.sizeOf(cmd); err != nil {
		return o, err
	}
	if o.Benchmarks, err = f.benchmarks(cmd); err != nil {
		return o, err
	}
	o.Inputs, err = f.files(cmd)
	return o, err
}

func (f *benchKlapFlags) sizeOf(cmd *cobra.Command) (*suite.Size, error) {
	if f.size == "auto" {
		return nil, nil
	}
	for _, s := range []suite.Size{suite.Test, suite.Small, suite.Medium, suite.Large} {
		if s.String() == f.size {
			return &s, nil
		}
	}
	return nil, usagef(cmd, "there is no size %q (there are test, small, medium, large)", f.size)
}

func (f *benchKlapFlags) benchmarks(cmd *cobra.Command) ([]*suite.Benchmark, error) {
	all := suite.All()
	if f.only == nil {
		return all, nil
	}
	var names []string
	for _, b := range all {
		names = append(names, b.Name)
	}
	for _, name := range f.only {
		if !slices.Contains(names, name) {
			return nil, usagef(cmd, "there is no benchmark %q%s", name, suggest.Hint(name, names))
		}
	}
	return slices.DeleteFunc(all, func(b *suite.Benchmark) bool { return !slices.Contains(f.only, b.Name) }), nil
}

// files returns the inputs of benchmarks.
func (f *benchKlapFlags) files(cmd *cobra.Command) (map[string]string, error) {
	out := map[string]string{}
	for _, text := range f.inputs {
		name, path, ok := strings.Cut(text, "=")
		b := suite.Find(name)
		switch {
		case !ok || path == "":
			return nil, usagef(cmd, "--input %s: want NAME=FILE", text)
		case b == nil || b.Inputs == nil:
			return nil, usagef(cmd, "--input %s: %s is not a benchmark that reads a file", text, name)
		case out[name] != "":
			return nil, usagef(cmd, "--input %s: %s has a file already", text, name)
		}
		out[name] = path
	}
	return out, nil
}

func (f *benchKlapFlags) main(cmd *cobra.Command) error {
	o, err := f.options(cmd)
	if err != nil {
		return err
	}
	if f.nvcc != "" {
		if _, err := exec.LookPath(f.nvcc); err != nil { // else each program would say so
			return fmt.Errorf("--nvcc: %w", err)
		}
	}
	if o.Self, err = os.Executable(); err != nil {
		return err
	}
	if f.out != "" { // the journal is there, too
		if err := os.MkdirAll(f.out, 0o777); err != nil {
			return err
		}
		o.Checkpoint = func(rep *klapbench.Report) {
			_ = writeKlap(cmd.Context(), cmd, f.out, rep) // what cannot be written is said at the end
		}
	}
	o.Origin = origin(cmd)
	o.Progress = func(text string) { line(cmd, text) }
	rep, failed := klapbench.Run(cmd.Context(), o)
	endLine(cmd)
	if rep == nil {
		return orEmulate(failed)
	}
	// What was measured is written, whatever ended it.
	if f.out == "" {
		err = rep.WriteMarkdown(cmd.OutOrStdout())
	} else if err = writeKlap(context.WithoutCancel(cmd.Context()), cmd, f.out, rep); err == nil {
		note(cmd, "the tables are in %s", filepath.Join(f.out, "report.md"))
		for _, t := range rep.Targets() {
			_, e := fmt.Fprintln(cmd.OutOrStdout(), t)
			err = errors.Join(err, e)
		}
	}
	err = errors.Join(interrupted(cmd, failed), err)
	if n := rep.Failures(); n > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "irgl: %d programs failed; the report says why\n", n)
		err = errors.Join(err, errReported)
	}
	return err
}

// writeKlap writes every form of a report to a folder.
func writeKlap(ctx context.Context, cmd *cobra.Command, dir string, rep *klapbench.Report) error {
	list := pageOf(dir, []*measured.Block{rep.Block()})
	for _, t := range rep.Tables() {
		list = append(list, output{t.Name + ".csv", func(w io.Writer) error { return t.WriteCSV(w) }})
		if t.Chart != nil {
			list = append(list, output{t.Name + ".svg", t.Chart.Write})
		}
	}
	return writeAll(ctx, cmd, dir, list)
}
