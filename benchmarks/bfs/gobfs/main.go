// Gobfs measures the CPU engine's breadth-first search, beside ../bfs.c.
//
//	gobfs -gen SPEC FILE.gr
//	gobfs FILE.gr SOURCE RUNS THREADS
//
// The first form writes a generated graph, in Galois' format. The second
// measures:
// it runs the bundled program as irgl does, and prints what bfs.c prints: the
// threads, the median milliseconds of a whole run (making the levels included),
// the nodes reached, the deepest level and the sum of levels. run.sh builds and
// runs both on the same graphs and prints the ratios.
package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"time"

	"irgl/graph"
	"irgl/internal/gogen/bundled"
	"irgl/internal/programs"
	"irgl/internal/run"
)

func main() {
	if err := measure(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gobfs:", err)
		os.Exit(1)
	}
}

func measure(args []string) error {
	if len(args) == 3 && args[0] == "-gen" {
		return generate(args[1], args[2])
	}
	if len(args) != 4 {
		return errors.New("usage: gobfs -gen SPEC FILE.gr, or gobfs FILE.gr SOURCE RUNS THREADS")
	}
	var n [3]int
	for i := range n {
		v, err := strconv.Atoi(args[1+i])
		if err != nil || v < 0 || i > 0 && v < 1 {
			return fmt.Errorf("%q is not a number that fits", args[1+i])
		}
		n[i] = v
	}
	ctx := context.Background()
	g, err := graph.Open(ctx, args[0])
	if err != nil {
		return err
	}
	text, _ := programs.Text("bfs")
	engine, ok := bundled.Lookup("bfs", text, false)
	if !ok {
		return errors.New("the bundled code is stale: go generate ./internal/gogen/bundled")
	}
	in := run.Input{Graph: g, Args: []run.Value{run.IntValue(int64(n[0]))}, Workers: n[2]}
	var res *run.Result
	var ms []float64
	for range n[1] {
		start := time.Now()
		if res, err = engine.Run(ctx, in); err != nil {
			return err
		}
		ms = append(ms, float64(time.Since(start).Nanoseconds())/1e6)
	}
	slices.Sort(ms)
	reached, deepest, sum := 0, int32(0), int64(0)
	for _, l := range res.Column("level").Data.([]int32) {
		if l == math.MaxInt32 {
			continue
		}
		reached++
		sum += int64(l)
		deepest = max(deepest, l)
	}
	fmt.Printf("threads %d median_ms %.3f reached %d deepest %d sum %d\n", n[2], ms[len(ms)/2], reached, deepest, sum)
	return nil
}

// generate writes the graph of a generator's text to a file.
func generate(spec, name string) error {
	ctx := context.Background()
	g, err := graph.Generate(ctx, spec)
	if err != nil {
		return err
	}
	return graph.Write(ctx, name, g, graph.Galois1)
}
