// Command gpu times the bundled programs on a GPU: for each graph it is
// generated once, and each program verified once and then run several times.
// What it prints is a Markdown table of the medians, by the device's clock,
// from the first launch to the end of the last: the graph and the worklists'
// memory are on the device before.
//
//	go run ./benchmarks/gpu -graphs rmat:20:8:wmax=100,grid:1024:1024:wmax=100 -programs bfs,cc -repeat 10
//
// Programs that need both directions of every edge get them; the time to make
// them is no part of the run. A program that fails is reported in the table's
// place, and makes the exit status 1.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"irgl"
	"irgl/graph"
)

func main() {
	graphs := flag.String("graphs", "rmat:20:8:wmax=100", "generated graphs, separated by commas")
	programs := flag.String("programs", "bfs,sssp,cc,pr,mis", "bundled programs, separated by commas")
	repeat := flag.Int("repeat", 10, "runs of each")
	device := flag.String("device", "cuda", "where to run")
	verify := flag.Bool("verify", true, "verify each answer once")
	flag.Parse()
	failed := false
	names := strings.Split(*programs, ",")
	fmt.Printf("| graph | %s |\n|---|%s\n", strings.Join(names, " | "), strings.Repeat("---|", len(names)))
	for _, spec := range strings.Split(*graphs, ",") {
		row, err := measure(spec, names, *device, *repeat, *verify)
		fmt.Printf("| %s | %s |\n", spec, strings.Join(row, " | "))
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", spec, err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

// measure returns the cells of one graph.
func measure(spec string, programs []string, device string, repeat int, verify bool) (row []string, last error) {
	ctx := context.Background()
	g, err := graph.Generate(ctx, spec)
	if err != nil {
		return nil, err
	}
	for _, name := range programs {
		ms, err := one(ctx, name, g, device, repeat, verify)
		if err != nil {
			last = fmt.Errorf("%s: %w", name, err)
			row = append(row, "failed")
			continue
		}
		row = append(row, fmt.Sprintf("%.3f", ms))
	}
	return row, last
}

// one returns the median time of a program on a graph, in milliseconds.
func one(ctx context.Context, name string, g *graph.Graph, device string, repeat int, verify bool) (float64, error) {
	p, err := irgl.Bundled(name)
	if err != nil {
		return 0, err
	}
	args := irgl.Args{}
	for _, param := range p.Params() {
		if param.Type == "node" {
			args[param.Name] = irgl.Node(g.ExternalID(0))
		}
	}
	x, err := p.Compile(ctx, irgl.Options{Device: device})
	if err != nil {
		return 0, err
	}
	defer x.Close()
	var times []float64
	for i := range max(repeat, 1) + 1 {
		r, err := x.Run(ctx, g, args)
		if err != nil {
			return 0, err
		}
		if i > 0 { // the first run warms up
			times = append(times, r.Times.Device)
		} else if verify {
			if err := x.Verify(ctx, r); err != nil {
				return 0, err
			}
		}
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}
