package engine_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"irgl/graph"
	"irgl/internal/engine"
)

// The bundled programs are a start: run them, or read and change them.
func ExampleBundled() {
	p, err := engine.Bundled("sssp")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Doc())
	fmt.Println(p.Params(), p.Outputs())
	_, err = engine.Bundled("ssp")
	fmt.Println(err)
	// Output:
	// Single-source shortest paths, data-driven: only nodes whose distance fell in the last round are looked at. Weights must not be negative.
	// [{src node }] [dist]
	// there is no bundled program "ssp" (there are bfs, bfs_do, bfs_st, cc, cc_af, dmr, mis, mst, mst_lock, pr, pr_dd, pr_pull, sssp, sssp_bf, sssp_ds, sssp_nf, tri, tri_or), did you mean "sssp"?
}

// A program of one's own, run by the reference interpreter.
func ExampleProgram_Compile() {
	p, err := engine.Parse("leaves.irgl", []byte(`
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
		engine.Explain(os.Stdout, err)
		return
	}
	ctx := context.Background()
	x, err := p.Compile(ctx, engine.Options{Device: "interp", Stdout: os.Stdout})
	if err != nil {
		engine.Explain(os.Stdout, err)
		return
	}
	defer x.Close()
	g, err := graph.Generate(ctx, "star:6")
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := x.Run(ctx, g, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	leaves, _ := r.Values("leaves")
	fmt.Println(leaves[0], r.Launches)
	// Output:
	// 5 of 6
	// 5 1
}

// Breadth-first search on the CPU, checked against an independent answer.
func ExampleExecutable_Run() {
	ctx := context.Background()
	p, err := engine.Bundled("bfs")
	if err != nil {
		fmt.Println(err)
		return
	}
	x, err := p.Compile(ctx, engine.Options{Device: "cpu"})
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
	r, err := x.Run(ctx, g, engine.Args{"src": engine.Node(200)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("verify:", x.Verify(ctx, r))
	level, _ := r.Property("level")
	far, _ := level.At(500)
	fmt.Println("levels to 500:", far)
	if err := r.WriteValues(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// verify: <nil>
	// levels to 500: 2
	// # node level
	// 100 2147483647
	// 200 0
	// 300 1
	// 400 1
	// 500 2
}

// A program with errors: Explain shows each with its line and a hint.
func ExampleExplain() {
	_, err := engine.Parse("wrong.irgl", []byte(`Graph graph { Node int level = INF; }
Kernel K(graph) {
  ForAll (n In graph.nodes) {
    n.lvel = 0;
    threadIdx.x;
  }
}
Host main() { Invoke K(graph); }
`))
	engine.Explain(os.Stdout, err)
	// Output:
	// wrong.irgl:4:7: error: a node has no member lvel [C0015]
	//     4 |     n.lvel = 0;
	//       |       ^~~~
	//   hint: did you mean level?
	// wrong.irgl:5:5: error: threadIdx is not part of IrGL [C0103]
	//     5 |     threadIdx.x;
	//       |     ^~~~~~~~~
	//   hint: the compiler maps iterations to threads, so operator code cannot name a thread
}

// Format gives a program its canonical form.
func ExampleFormat() {
	text, err := engine.Format("a.irgl", []byte("Host main(){int i=1\nprintf(\"%d\",i) // hello\n}"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s", text)
	// Output:
	// Host main() {
	// 	int i = 1;
	// 	printf("%d", i); // hello
	// }
}

// An executable that chooses its switches by the graph.
func ExampleExecutable_Switches() {
	ctx := context.Background()
	p, err := engine.Bundled("bfs")
	if err != nil {
		fmt.Println(err)
		return
	}
	x, err := p.Compile(ctx, engine.Options{Device: "simt", Auto: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer x.Close()
	for _, spec := range []string{"rmat:9:8", "grid:20:20"} {
		g, err := graph.Generate(ctx, spec)
		if err != nil {
			fmt.Println(err)
			return
		}
		if err := x.Prepare(ctx, g); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(x.Switches())
	}
	// Output:
	// outline=auto batch=4 coop=block np=gr,fg np-gr=1024 deal=true default for a graph with hubs
	// outline=auto outline-threads=256 outline-blocks=1 batch=4 bounds=true ahead=true default for a graph of high diameter
}
