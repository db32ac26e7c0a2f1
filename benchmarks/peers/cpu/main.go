// Cpu measures irgl's CPU engine beside public codes: GAPBS and PBBS, built from a folder
// with their sources (README.md says which).
//
//	go run ./benchmarks/peers/cpu -peers FOLDER [-threads 1,2] [-graphs SPEC,...] [-only bfs,pr]
//	go run ./benchmarks/peers/cpu -peers FOLDER -work DIR -journal FILE -budget 9m -threads 1,4,16
//
// It builds irgl and the codes, generates the graphs, and runs for each problem, graph and
// number of threads what `irgl run PROBLEM` chooses and each code, by turns in several
// series. A time is the best of the series' medians. Codes that give different answers
// end the run with an error. With a journal, what is measured already is not measured
// again, and a run that its budget ends is gone on with by the same command.
//
// A block of docs/measurements (package internal/measured) goes to standard output, with
// the geometric means of the ratios to the best code; what it is doing to standard error.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A plan is what is measured, and for how long.
type plan struct {
	peers   string // the folder with the peers' sources
	work    string // where graphs and executables are
	graphs  []string
	threads []int
	only    []string // problems; all if empty
	program string   // of irgl, in place of what it chooses
	series  int
	runs    int       // of a series, at most
	seconds float64   // of a series, unless fewer than three runs take longer
	clock   string    // wallClock or processorClock
	journal string    // the file with the cells that are measured; "" for none
	end     time.Time // when no cell is begun any more; zero for never
}

// The clocks. Where other work shares the machine, processor times are the ones to compare.
const (
	wallClock      = "wall"
	processorClock = "processor"
)

// spent reports whether the budget is.
func (p *plan) spent() bool { return !p.end.IsZero() && time.Now().After(p.end) }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := measure(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "peers/cpu:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, args []string, out io.Writer) error {
	p, err := parse(args)
	if err != nil {
		return err
	}
	if p.work == "" {
		dir, err := os.MkdirTemp("", "irgl-peers")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		p.work = dir
	}
	if p.work, err = filepath.Abs(p.work); err != nil {
		return err
	}
	if err := p.build(ctx); err != nil {
		return err
	}
	if err := p.generate(ctx); err != nil {
		return err
	}
	cells, left, err := p.cells(ctx)
	if err != nil {
		return err
	}
	if left > 0 {
		fmt.Fprintf(os.Stderr, "peers/cpu: %d cells are not measured yet: the same command goes on\n", left)
	}
	return report(out, p, cells)
}

func parse(args []string) (*plan, error) {
	p := &plan{}
	flags := flag.NewFlagSet("peers/cpu", flag.ContinueOnError)
	flags.StringVar(&p.peers, "peers", "", "the `folder` with gapbs, pbbsbench and parlaylib")
	flags.StringVar(&p.work, "work", "", "keep graphs and executables in this `folder` (default: a temporary one)")
	graphs := flags.String("graphs", "rmat:18:8,grid:1024:1024,uniform:1048576:4,road:1000:1000", "generate the graphs of these `specs`")
	threads := flags.String("threads", "1,2", "the `numbers` of threads")
	only := flags.String("only", "", "these `problems` only: bfs,sssp,cc,pr,mis,mst,tri")
	flags.StringVar(&p.program, "program", "", "run this `program` of irgl's, which solves the one problem of -only")
	flags.IntVar(&p.series, "series", 3, "how many `series` each code has, by turns")
	flags.IntVar(&p.runs, "runs", 15, "how many `runs` a series has at most")
	flags.Float64Var(&p.seconds, "seconds", 1, "end a series after so many `seconds`")
	flags.StringVar(&p.clock, "clock", wallClock, "compare times of this `clock`: wall, or processor, of all threads together")
	flags.StringVar(&p.journal, "journal", "", "keep what is measured in this `file`, and measure what is not there")
	budget := flags.Duration("budget", 0, "begin no cell after this `time`, which wants -journal and -work")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if *budget > 0 {
		p.end = time.Now().Add(*budget)
	}
	split := func(list string) []string {
		return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
	}
	p.graphs, p.only = split(*graphs), split(*only)
	for _, t := range split(*threads) {
		n, err := strconv.Atoi(t)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("-threads: %q is not a number of threads", t)
		}
		p.threads = append(p.threads, n)
	}
	for _, name := range p.only {
		if !slices.ContainsFunc(problems, func(q problem) bool { return q.name == name }) {
			return nil, fmt.Errorf("-only: no problem %q", name)
		}
	}
	switch {
	case p.peers == "":
		return nil, errors.New("-peers is missing: the folder with the peers' sources (README.md says which)")
	case p.program != "" && len(p.only) != 1:
		return nil, errors.New("-program wants one problem: -only")
	case p.clock != wallClock && p.clock != processorClock:
		return nil, fmt.Errorf("-clock: %q is neither %s nor %s", p.clock, wallClock, processorClock)
	case *budget < 0 || *budget > 0 && (p.journal == "" || p.work == ""):
		return nil, errors.New("-budget is positive, and wants a -journal and a -work folder to go on with")
	case p.series < 1 || p.runs < 1:
		return nil, errors.New("-series and -runs must be at least 1")
	}
	return p, nil
}

// report writes the block and the geometric means.
func report(w io.Writer, p *plan, cells []cell) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# title: Public codes on the same machine\n# command: %s\n# machine: \n# tree: %s\n", p.command(), time.Now().Format(time.DateOnly))
	fmt.Fprintf(&b, "# ratio: irgl / other\nproblem,graph,threads,program,irgl,code,other\n")
	logs := map[int][]float64{}
	for _, c := range cells {
		best := c.best()
		fmt.Fprintf(&b, "%s,%s,%d,%s,%.3g,%s,%.3g\n", c.Problem, c.Graph, c.Threads, c.Program, c.MS[ours], best, c.MS[best])
		logs[c.Threads] = append(logs[c.Threads], math.Log(c.MS[ours]/c.MS[best]))
	}
	b.WriteString("\n")
	for _, t := range p.threads {
		if n := len(logs[t]); n > 0 {
			sum := 0.0
			for _, x := range logs[t] {
				sum += x
			}
			fmt.Fprintf(&b, "# geometric mean of irgl / other, threads %d: %.2f (%d)\n", t, math.Exp(sum/float64(n)), n)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// command returns the command with the flags that say what was measured.
func (p *plan) command() string {
	var threads []string
	for _, t := range p.threads {
		threads = append(threads, strconv.Itoa(t))
	}
	s := fmt.Sprintf("go run ./benchmarks/peers/cpu -peers FOLDER -threads %s -graphs %s", strings.Join(threads, ","), strings.Join(p.graphs, ","))
	if len(p.only) > 0 {
		s += " -only " + strings.Join(p.only, ",")
	}
	if p.clock != wallClock {
		s += " -clock " + p.clock
	}
	return s
}
