// Command example uses irgl from a module of its own, by its public packages alone:
// programs as typed packages (reach and costs, written by irgl gen), a bundled one, the
// errors of a wrong one, the syntax tree, and an executable that several goroutines share.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"strings"
	"sync"

	"example/costs"
	"example/reach"

	"irgl"
	"irgl/graph"
	"irgl/syntax"
)

//go:generate sh -c "cd ../.. && go run ./cmd/irgl gen examples/module/reach/reach.irgl -o examples/module/reach"
//go:generate sh -c "cd ../.. && go run ./cmd/irgl gen examples/module/costs/costs.irgl -o examples/module/costs"

func main() {
	device := "cpu"
	if len(os.Args) > 1 {
		device = os.Args[1]
	}
	if err := run(context.Background(), os.Stdout, device); err != nil {
		log.Fatal(err)
	}
}

// run writes what the example finds out on a device.
func run(ctx context.Context, w io.Writer, device string) error {
	g, err := graph.Generate(ctx, "grid:20:20")
	if err != nil {
		return err
	}
	if err := typed(ctx, w, g, device); err != nil {
		return err
	}
	if err := wide(ctx, w, device); err != nil {
		return err
	}
	if err := shared(ctx, w, g, device); err != nil {
		return err
	}
	return wrong(w)
}

// typed runs the program of package reach: arguments and results have Go types.
func typed(ctx context.Context, w io.Writer, g *graph.Graph, device string) error {
	p, err := reach.Compile(ctx, irgl.Options{Device: device})
	if err != nil {
		return err
	}
	defer p.Close()
	args := reach.Defaults()
	args.Src = 210
	r, err := p.Run(ctx, g, args)
	if err != nil {
		return err
	}
	farthest := int32(0)
	for i, near := range r.Near {
		if near != 0 {
			farthest = max(farthest, r.Steps[i])
		}
	}
	fmt.Fprintf(w, "%d nodes are at most %d steps from node %d\n", r.Reached, farthest, args.Src)
	return nil
}

// wide runs the program of package costs, whose distances have 64 bits where the weights
// of a graph ask for that.
func wide(ctx context.Context, w io.Writer, device string) error {
	p, err := costs.Compile(ctx, irgl.Options{Device: device})
	if err != nil {
		return err
	}
	defer p.Close()
	for _, weight := range []int32{2, math.MaxInt32 - 1} {
		g, err := graph.FromEdges(4, []uint32{0, 1, 2}, []uint32{1, 2, 0}, []int32{weight, weight, weight})
		if err != nil {
			return err
		}
		r, err := p.Run(ctx, g, costs.Args{Src: 0})
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "edges of weight %d: node 2 is at %d, node 3 is not reached: %t\n", weight, r.Cost[2], r.Cost[3] == math.MaxInt64)
	}
	return nil
}

// shared runs one executable from several goroutines: their runs take turns.
func shared(ctx context.Context, w io.Writer, g *graph.Graph, device string) error {
	p, err := irgl.Bundled("bfs_st")
	if err != nil {
		return err
	}
	x, err := p.Compile(ctx, irgl.Options{Device: device})
	if err != nil {
		return err
	}
	defer x.Close()
	var all sync.WaitGroup
	far, errs := make([]int32, 4), make([]error, 4)
	for i := range far {
		all.Go(func() {
			r, err := x.Run(ctx, irgl.Input{Graph: g}, irgl.Args{"src": irgl.Node(i)})
			if err == nil {
				err = x.Verify(ctx, r)
			}
			var level []int32
			if err == nil {
				level, err = irgl.Values[int32](r, "level")
			}
			for _, l := range level {
				far[i] = max(far[i], l)
			}
			errs[i] = err
		})
	}
	all.Wait()
	fmt.Fprintln(w, "the farthest nodes from nodes 0 to 3:", far)
	return errors.Join(errs...)
}

// wrong shows what the errors of a program say, and looks at the tree of one.
func wrong(w io.Writer) error {
	text := []byte("Graph g { Output Node int x; }\nKernel K(g) {\n\tForAll (n In g.nodes) { n.y = 1; }\n}\nHost main() { Invoke K(g); }\n")
	_, err := irgl.Parse("wrong.irgl", text)
	var refused *irgl.ProgramError
	if !errors.As(err, &refused) {
		return fmt.Errorf("the program is not refused: %w", err)
	}
	for _, d := range refused.Diagnostics {
		fmt.Fprintf(w, "%s, line %d, column %d: %s\n", d.File, d.Line, d.Column, d.Message)
	}
	file, err := syntax.ParseFile("wrong.irgl", text)
	if err != nil {
		return err
	}
	var loops []string
	syntax.Inspect(file, func(n syntax.Node) bool {
		if loop, ok := n.(*syntax.ForAllStmt); ok {
			loops = append(loops, fmt.Sprintf("over %s at line %d", syntax.String(loop.Iter), loop.Pos().Line()))
		}
		return true
	})
	fmt.Fprintln(w, "its loops:", strings.Join(loops, ", "))
	return nil
}
