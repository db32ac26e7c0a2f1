package engine_test

import (
	"context"
	"fmt"
	"os"

	"irgl/graph"
	"irgl/internal/engine"
)

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
