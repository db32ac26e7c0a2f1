// Package irgl runs graph algorithms written in IrGL on NVIDIA GPUs, and on the
// CPU where there is none.
//
// A [Program] is loaded from a file, from text, or from the bundled ones; it is
// compiled for a device into an [Executable]; that runs on graphs of package
// irgl/graph:
//
//	p, err := irgl.Bundled("bfs")
//	x, err := p.Compile(ctx, irgl.Options{Device: "auto"})
//	defer x.Close()
//	g, err := graph.Open(ctx, "USA-road-d.NY.gr.gz")
//	res, err := x.Run(ctx, g, irgl.Args{"src": irgl.Node(1)})
//	level, _ := res.Property("level")
//	fmt.Println(level.Int(v))
//
// The devices are cuda (an NVIDIA GPU, through its driver alone), cpu (Go code
// generated from the program; compiled in for the bundled ones), interp (the
// reference interpreter) and simt (an emulator of a GPU that executes the PTX
// and reports faults). auto is cuda where a GPU can be opened, and cpu
// otherwise.
//
// A program says what it needs of its graph (weights, both directions of every
// edge, ...); Run prepares a copy of the graph where it can, and refuses with a
// clear error where it cannot. Nodes are named by the numbers of the graph's
// file, in arguments and in results.
//
// On cuda and simt the compiler has throughput switches. They are as Options say;
// with Options.Auto the executable takes those that suit the graph: of a file that
// [Program.Tune] has made, or else by its kind ([Executable.Switches]).
//
// Errors about a program's text name file, line and column, show the line, and
// often a hint; [Explain] renders them as the command does. Cancelling the
// context ends a run at its next step.
package irgl
