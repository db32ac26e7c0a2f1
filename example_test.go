package irgl_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"

	"irgl"
	"irgl/graph"
)

// The bundled programs are a start: run them, or read and change them.
func ExampleBundled() {
	p, err := irgl.Bundled("sssp_nf")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Doc())
	for _, param := range p.Params() {
		fmt.Printf("%s %s, default %q\n", param.Type, param.Name, param.Default)
	}
	for _, out := range p.Outputs() {
		fmt.Printf("%s: one %s for each %s\n", out.Name, out.Type, out.Of)
	}
	// Output:
	// Single-source shortest paths by near and far nodes (IrGL paper, Listing 4).
	// node src, default ""
	// int delta, default "0"
	// dist: one dist_t for each node
}

// A program of one's own, run by the reference interpreter.
func ExampleParse() {
	p, err := irgl.Parse("leaves.irgl", []byte(`
		Graph graph { Output Node bool leaf; }
		Output int leaves = 0;
		Kernel mark(graph) {
			ForAll (n In graph.nodes) {
				n.leaf = n.degree == 1;
				if (n.leaf) { atomicAdd(&leaves, 1); }
			}
		}
		Host main() {
			Invoke mark(graph);
			printf("%d of %d\n", leaves, graph.nnodes);
		}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	x, err := p.Compile(ctx, irgl.Options{Device: "interp", Stdout: os.Stdout})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer x.Close()
	g, err := graph.Generate(ctx, "star:6")
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := x.Run(ctx, irgl.Input{Graph: g}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	leaves, err := irgl.Values[int32](r, "leaves")
	fmt.Println(leaves[0], r.Launches, err)
	// Output:
	// 5 of 6
	// 5 1 <nil>
}

// Breadth-first search on the CPU, checked against an independent answer.
func ExampleExecutable_Run() {
	ctx := context.Background()
	p, err := irgl.Bundled("bfs_st")
	if err != nil {
		fmt.Println(err)
		return
	}
	x, err := p.Compile(ctx, irgl.Options{Device: "cpu"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer x.Close()
	g, err := graph.Read(ctx, "friends.txt", strings.NewReader("100 200\n200 300\n200 400\n400 500\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := x.Run(ctx, irgl.Input{Graph: g}, irgl.Args{"src": irgl.Node(200)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("verify:", x.Verify(ctx, r))
	level, err := irgl.Values[int32](r, "level")
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, l := range level {
		if l < 1<<31-1 {
			fmt.Println(r.Node(i), l)
		}
	}
	// Output:
	// verify: <nil>
	// 200 0
	// 300 1
	// 400 1
	// 500 2
}

// Distances have 32 bits, or 64 where a path may be longer. Values[int64] returns both.
func ExampleValues() {
	ctx := context.Background()
	p, err := irgl.Bundled("sssp")
	if err != nil {
		fmt.Println(err)
		return
	}
	x, err := p.Compile(ctx, irgl.Options{Device: "cpu"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer x.Close()
	for _, edges := range []string{"0 1 5\n1 2 7\n3 0 1\n", "0 1 2000000000\n1 2 2000000000\n3 0 1\n"} {
		g, err := graph.Read(ctx, "edges.txt", strings.NewReader(edges))
		if err != nil {
			fmt.Println(err)
			return
		}
		r, err := x.Run(ctx, irgl.Input{Graph: g}, irgl.Args{"src": irgl.Node(0)})
		if err != nil {
			fmt.Println(err)
			return
		}
		dist, err := irgl.Values[int64](r, "dist")
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(dist[:3], dist[3] == math.MaxInt64)
		var wrong *irgl.TypeError
		if _, err := irgl.Values[int32](r, "dist"); errors.As(err, &wrong) {
			fmt.Println(wrong.Type, "and not", wrong.Asked)
		}
	}
	// Output:
	// [0 5 12] true
	// [0 2000000000 4000000000] true
	// int64 and not int32
}

// A program with errors: each diagnostic has a place, a message, and often a hint.
func ExampleProgramError() {
	_, err := irgl.Parse("wrong.irgl", []byte(`Graph graph { Node int level = INF; }
Kernel K(graph) {
  ForAll (n In graph.nodes) {
    n.lvel = 0;
    threadIdx.x;
  }
}
Host main() { Invoke K(graph); }
`))
	var wrong *irgl.ProgramError
	if !errors.As(err, &wrong) {
		fmt.Println(err)
		return
	}
	for _, d := range wrong.Diagnostics {
		fmt.Printf("line %d, column %d: %s\n", d.Line, d.Column, d.Hint)
	}
	if err := wrong.Render(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// line 4, column 7: did you mean level?
	// line 5, column 5: the compiler maps iterations to threads, so operator code cannot name a thread
	// wrong.irgl:4:7: error: a node has no member lvel [C0015]
	//     4 |     n.lvel = 0;
	//       |       ^~~~
	//   hint: did you mean level?
	// wrong.irgl:5:5: error: threadIdx is not part of IrGL [C0103]
	//     5 |     threadIdx.x;
	//       |     ^~~~~~~~~
	//   hint: the compiler maps iterations to threads, so operator code cannot name a thread
}

// Without Switches the executable chooses them by the graph.
func ExampleOptions() {
	ctx := context.Background()
	p, err := irgl.Bundled("bfs_st")
	if err != nil {
		fmt.Println(err)
		return
	}
	fixed, err := irgl.ParseSwitches("outline=auto coop=warp")
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := graph.Generate(ctx, "grid:8:8")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range []irgl.Options{{Device: "simt"}, {Device: "simt", Switches: fixed}} {
		x, err := p.Compile(ctx, o)
		if err != nil {
			fmt.Println(err)
			return
		}
		r, err := x.Run(ctx, irgl.Input{Graph: g}, irgl.Args{"src": irgl.Node(0)})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v (%s), %d launches\n", r.Switches, r.SwitchesFrom, r.Launches)
		if err := x.Close(); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// outline=auto (default for a graph of high diameter), 2 launches
	// outline=auto coop=warp (given), 2 launches
}
