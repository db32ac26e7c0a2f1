// Command gpu times the bundled programs on a GPU, with several ways to compile
// each: for each graph it is generated once, and each program is run several
// times with each set of switches (those of irgl run, without dashes).
//
//	go run ./benchmarks/gpu -graphs rmat:20:8:wmax=100,grid:1024:1024:wmax=100 -programs bfs,cc \
//	    -switches 'outline=auto;outline=auto np=wp,fg coop=block batch=2' -repeat 10
//
// What it prints is a Markdown table of the medians in ms, by the device's clock,
// from the first launch to the end of the last: the graph and the worklists'
// memory are on the device before. The first answer of each program on a graph is
// verified; the others are if their summaries differ from its.
//
// Programs that need both directions of every edge get them; the time to make
// them is no part of the run. A run that fails is reported in the table's
// place, and makes the exit status 1.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"irgl"
	"irgl/graph"
	"irgl/internal/compile"
	"irgl/internal/lower"
)

// A benchmark is what the command line asks for.
type benchmark struct {
	device   string
	repeat   int
	verify   bool
	limit    time.Duration
	switches []lower.Options
}

func main() {
	var b benchmark
	graphs := flag.String("graphs", "rmat:20:8:wmax=100", "generated graphs, separated by commas")
	programs := flag.String("programs", "bfs,sssp,cc,pr,mis", "bundled programs, separated by commas")
	switches := flag.String("switches", "", "sets of switches, separated by semicolons")
	flag.IntVar(&b.repeat, "repeat", 10, "runs of each")
	flag.StringVar(&b.device, "device", "cuda", "where to run")
	flag.BoolVar(&b.verify, "verify", true, "verify answers")
	flag.DurationVar(&b.limit, "limit", 10*time.Second, "begin no further run of a set after this time")
	flag.Parse()
	for text := range strings.SplitSeq(*switches, ";") {
		o, err := lower.ParseOptions(text)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		b.switches = append(b.switches, o)
	}
	failed := false
	fmt.Print("| graph | program | switches | ms | launches | rounds |\n|---|---|---|---|---|---|\n")
	for _, spec := range strings.Split(*graphs, ",") {
		ctx := context.Background()
		g, err := graph.Generate(ctx, spec)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", spec, err)
			os.Exit(1)
		}
		for _, name := range strings.Split(*programs, ",") {
			if err := b.program(ctx, spec, g, name); err != nil {
				fmt.Fprintf(os.Stderr, "%s, %s: %v\n", spec, name, err)
				failed = true
			}
		}
	}
	if failed {
		os.Exit(1)
	}
}

// program times one program on one graph with every set of switches.
func (b *benchmark) program(ctx context.Context, spec string, g *graph.Graph, name string) error {
	p, err := irgl.Bundled(name)
	if err != nil {
		return err
	}
	args := irgl.Args{}
	for _, param := range p.Params() {
		if param.Type == "node" {
			args[param.Name] = irgl.Node(g.ExternalID(0))
		}
	}
	known := "" // the summary of a verified answer
	var last error
	for _, o := range b.switches {
		cell, err := b.one(ctx, p, g, args, o, &known)
		if err != nil {
			last = err
			cell = fmt.Sprintf("failed: %v | |", err)
		}
		fmt.Printf("| %s | %s | %s | %s |\n", spec, name, o, cell)
	}
	return last
}

// one returns the median time of a program on a graph, and its launches and
// rounds, as cells of the table.
func (b *benchmark) one(ctx context.Context, p *irgl.Program, g *graph.Graph, args irgl.Args, o lower.Options, known *string) (string, error) {
	x, err := p.Compile(ctx, irgl.Options{Device: b.device, Compile: compile.Options{Lower: o}})
	if err != nil {
		return "", err
	}
	defer x.Close()
	var times []float64
	var r *irgl.Result
	start := time.Now()
	for i := range max(b.repeat, 1) + 1 {
		r, err = x.Run(ctx, g, args)
		if err != nil {
			return "", err
		}
		if i > 0 { // the first run warms up
			times = append(times, r.Times.Device)
		} else if err := b.check(ctx, p, x, r, known); err != nil {
			return "", err
		}
		if i > 0 && time.Since(start) > b.limit {
			break
		}
	}
	slices.Sort(times)
	return fmt.Sprintf("%.3f | %d | %d", times[len(times)/2], r.Launches, r.Iterations), nil
}

// check verifies an answer unless its summary is that of a verified one.
func (b *benchmark) check(ctx context.Context, p *irgl.Program, x *irgl.Executable, r *irgl.Result, known *string) error {
	var text strings.Builder
	for _, q := range r.Properties() {
		fmt.Fprintln(&text, q.Name(), q.Summary())
	}
	for _, name := range p.Outputs() {
		values, _ := r.Values(name) // none of a property
		fmt.Fprintln(&text, name, values)
	}
	if !b.verify || text.String() == *known {
		return nil
	}
	if err := x.Verify(ctx, r); err != nil {
		return err
	}
	*known = text.String()
	return nil
}
