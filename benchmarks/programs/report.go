package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"irgl/internal/journal"
	"irgl/internal/table"
)

func reportCommand() *cobra.Command {
	var in, results string
	var only pattern
	var least, above float64
	cmd := &cobra.Command{
		Use:   "report --in DIR --results DIR",
		Short: "Print the tables of what run has done",
		Long: `Print how many programs of each suite pass, fail and are undecided, those that do not pass with
their reasons, and the times of kernels by irgl divided by those by nvcc. Only kernels that the table names count, where it
names any. Kernels that take less than --least by nvcc are left out and counted.`,
		Args: cobra.NoArgs,
	}
	f := cmd.Flags()
	f.StringVar(&in, "in", "", "the `DIR` that was run")
	f.StringVar(&results, "results", "", "the --out `DIR` of run")
	f.Var(&only, "only", "programs whose names match")
	f.Float64Var(&least, "least", 10, "leave out kernels of fewer microseconds")
	f.Float64Var(&above, "above", 1.1, "list the kernels whose ratio is larger; 0 lists all")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if in == "" || results == "" {
			return errors.New("report needs --in and --results")
		}
		programs, err := loadPrograms(in, only.Regexp)
		if err != nil {
			return err
		}
		head, lines, err := journal.Read(filepath.Join(results, "journal.jsonl"))
		if err != nil {
			return err
		}
		r := &runner{out: results, device: head.Device}
		if r.done, err = finishedRuns(lines); err != nil {
			return err
		}
		if err := r.writeVerdicts(cmd.OutOrStdout(), programs); err != nil || head.Device != "cuda" {
			return err
		}
		return writeKernels(cmd.OutOrStdout(), r.comparisons(programs), least, above)
	}
	return cmd
}

// writeVerdicts writes what became of programs: a row a suite, and a row for each that does not pass.
func (r *runner) writeVerdicts(w io.Writer, programs []program) error {
	columns := []string{"programs", "built by irgl", "built by nvcc", pass, fail, undecided}
	var suites []string
	counts := map[string]map[string]int{}
	others := table.New("program", "answer", "reason")
	for _, p := range programs {
		for _, s := range []string{p.Suite.Name, "all"} {
			if counts[s] == nil {
				counts[s] = map[string]int{}
			}
			counts[s]["programs"]++
			for _, c := range compilers {
				if d, ok := p.Builds[c]; ok && d.Reason == "" {
					counts[s]["built by "+c]++
				}
			}
		}
		if !slices.Contains(suites, p.Suite.Name) {
			suites = append(suites, p.Suite.Name)
		}
		if p.Builds["irgl"].Reason != "" {
			others.Add(p.Name, "not built", p.Builds["irgl"].Reason)
			continue
		}
		v, err := r.verdict(p)
		if err != nil {
			return err
		}
		counts[p.Suite.Name][v.Verdict]++
		counts["all"][v.Verdict]++
		if v.Verdict != pass {
			others.Add(p.Name, v.Verdict, v.Reason)
		}
	}
	t := table.New(append([]string{"suite"}, columns...)...)
	for _, s := range append(suites, "all") {
		cells := []string{s}
		for _, c := range columns {
			cells = append(cells, fmt.Sprint(counts[s][c]))
		}
		t.Add(cells...)
	}
	return errors.Join(t.WriteMarkdown(w), section(w, "Programs that do not pass", others))
}

func section(w io.Writer, title string, t *table.Table) error {
	if len(t.Rows) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "\n%s:\n\n", title)
	return errors.Join(err, t.WriteMarkdown(w))
}

// A timedSuite has the comparisons of one suite's kernels.
type timedSuite struct {
	name    string
	kernels []comparison
	alone   int // kernels that only one build has launched
}

// comparisons compares the timed runs of programs, suite by suite.
func (r *runner) comparisons(programs []program) (suites []timedSuite) {
	for _, p := range programs {
		runs := map[string][][]kernel{}
		for turn := 1; ; turn++ {
			n := 0
			for _, c := range compilers {
				if x, ok := r.done[ran{Program: p.Name, Build: c, Turn: turn, Binary: p.Builds[c].Compiler}.key()]; ok {
					n++
					if len(x.Kernels) > 0 {
						runs[c] = append(runs[c], x.Kernels)
					}
				}
			}
			if n == 0 {
				break
			}
		}
		have, alone := compareKernels(p.Name, runs["irgl"], runs["nvcc"])
		if len(p.Kernels) > 0 {
			have = slices.DeleteFunc(have, func(c comparison) bool { return !slices.Contains(p.Kernels, baseName(c.Kernel)) })
			alone = slices.DeleteFunc(alone, func(k string) bool { return !slices.Contains(p.Kernels, baseName(k)) })
		}
		if len(suites) == 0 || suites[len(suites)-1].name != p.Suite.Name {
			suites = append(suites, timedSuite{name: p.Suite.Name})
		}
		s := &suites[len(suites)-1]
		s.kernels = append(s.kernels, have...)
		s.alone += len(alone)
	}
	return suites
}

// writeKernels writes a row for each suite and for all, and the kernels whose ratio is above a
// bound, the worst first.
func writeKernels(w io.Writer, suites []timedSuite, least, above float64) error {
	t := table.New("suite", "kernels", "irgl / nvcc, geometric mean", "worst", fmt.Sprintf("above %g", above), fmt.Sprintf("left out, under %g us", least), "of one build alone")
	all := timedSuite{name: "all"}
	for _, s := range suites {
		all.kernels = append(all.kernels, s.kernels...)
		all.alone += s.alone
	}
	var slow []comparison
	for _, s := range append(suites, all) {
		var ratios []float64
		var worst comparison
		count := 0
		for _, c := range s.kernels {
			if c.NVCC < least {
				continue
			}
			ratios = append(ratios, c.ratio())
			if worst.NVCC == 0 || c.ratio() > worst.ratio() {
				worst = c
			}
			if c.ratio() > above {
				count++
				if s.name == all.name {
					slow = append(slow, c)
				}
			}
		}
		cells := []string{s.name, fmt.Sprint(len(ratios)), table.Number(table.Geomean(ratios), 3), ""}
		if len(ratios) > 0 {
			cells[3] = fmt.Sprintf("%.2f (%s)", worst.ratio(), baseName(worst.Kernel))
		}
		t.Add(append(cells, fmt.Sprint(count), fmt.Sprint(len(s.kernels)-len(ratios)), fmt.Sprint(s.alone))...)
	}
	slices.SortStableFunc(slow, func(a, b comparison) int {
		switch d := b.ratio() - a.ratio(); {
		case d < 0:
			return -1
		case d > 0:
			return 1
		}
		return strings.Compare(a.Program+a.Kernel, b.Program+b.Kernel)
	})
	list := table.New("program", "kernel", "irgl, us", "nvcc, us", "ratio", "launches", "runs")
	for _, c := range slow {
		list.Add(c.Program, c.Kernel, table.Number(c.IRGL, 2), table.Number(c.NVCC, 2), table.Ratio(c.ratio()), fmt.Sprint(c.Launches), fmt.Sprint(c.Runs))
	}
	return errors.Join(section(w, "Times of kernels", t), section(w, "The slowest", list))
}
