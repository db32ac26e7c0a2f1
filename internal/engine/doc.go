// Package engine runs programs: all that the public package irgl, the command
// and the benchmarks share. It loads and checks a [Program], compiles it for a
// device into an [Executable], and runs that on graphs and meshes:
//
//	p, err := engine.Bundled("bfs")
//	x, err := p.Compile(ctx, engine.Options{Device: "auto"})
//	defer x.Close()
//	g, err := graph.Open(ctx, "USA-road-d.NY.gr.gz")
//	res, err := x.Run(ctx, g, engine.Args{"src": 1})
//	level, _ := res.Property("level")
//	fmt.Println(level.Int(v))
//
// The devices are cuda (an NVIDIA GPU, through its driver alone), cpu (Go code
// generated from the program; compiled in for the bundled ones and those that
// [ParseGenerated] takes), interp (the reference interpreter) and simt (an
// emulator of a GPU that executes the PTX and reports faults). auto is cuda where
// a GPU can be opened, and cpu otherwise.
//
// On cuda and simt the compiler has throughput switches. They are as Options say;
// with Options.Auto the executable takes those that suit the graph: of a file that
// [Program.Tune] has made, or else by its kind ([Executable.Switches]).
//
// A graph is made to fit what a program requires where the program runs: on a GPU by a
// preparer, which copies the graph that was read to the device once and has package prepare
// make of it what the program needs, for the program to run on. The arrays belong to the
// store of package host that the executable's engines share: an executable with a device of
// its own holds one graph, a session all of its graphs until [Session.Forget], each form once
// for all programs that require it. On the CPU, where the device has no memory for it, and
// where Options.Prepare says so, package graph prepares on the host. Both give the same
// arrays. Of a graph on a device the host's form is made by package graph when it is asked
// for: by [Executable.Verify], by values of edges, by [Result.Graph].
//
// A [Session] keeps a device, graphs and loaded code for many choices of
// switches: [Session.Tune] searches them, and package paper runs its tables in
// one. A [Keeper] keeps graphs for executables without memory of their own, for callers that
// run several programs on several graphs. [Executable.Verify] compares a result with an answer computed
// independently of the compiler.
//
// The options, results and errors of this package hold types of the compiler;
// package irgl wraps them for other modules, and converts its own types to and from
// these: an alias would show an internal type there. Nothing here is safe for use by
// several goroutines at once; package irgl's executables are.
package engine
