// Package irgl runs graph algorithms written in IrGL on NVIDIA GPUs, and on the
// CPU where there is none.
//
// A [Program] is loaded from a file, from text, or from the bundled ones; it is
// compiled for a device into an [Executable]; that runs on graphs of package
// irgl/graph and meshes of package irgl/mesh:
//
//	p, err := irgl.Bundled("bfs")
//	x, err := p.Compile(ctx, irgl.Options{Device: "auto"})
//	defer x.Close()
//	g, err := graph.Open(ctx, "USA-road-d.NY.gr.gz")
//	r, err := x.Run(ctx, irgl.Input{Graph: g}, irgl.Args{"src": irgl.Node(1)})
//	level, err := irgl.Values[int32](r, "level")
//	i, ok := r.Index(264346)
//	fmt.Println(level[i])
//
// The devices are cuda (an NVIDIA GPU, through its driver alone), cpu (Go code
// generated from the program; compiled in for the bundled ones and in packages
// that irgl gen writes), interp (the reference interpreter) and simt (an
// emulator of a GPU that executes the PTX and reports faults). [Devices] lists
// those of the machine.
//
// A program says what it needs of its graph (weights, both directions of every
// edge, ...); Run prepares a copy of the graph where it can, and refuses with a
// clear error where it cannot. Nodes are named by the numbers of the graph's
// file in arguments; results are slices by index, and [Result.Node] and
// [Result.Index] translate.
//
// # Results
//
// [Values] returns the result's own slices and copies nothing, but for distances: the
// outputs of type dist_t, as of sssp, have 32 bits unless a path of the graph may be
// longer, and 64 bits then. Values[int64] returns distances of either width, and copies
// those of 32 bits; a program that asks for int32 works until it is given a graph of
// long paths or large weights, and gets a [*TypeError] then.
//
// # Errors
//
// Errors have types, for errors.As: [*ProgramError] (what is wrong at a position of a
// program: with its text, when it is loaded or compiled, or in a run, such as a failed
// assert or a node that the graph does not have), [*NoDeviceError], [*MemoryError],
// [*InterruptedError] and [*TypeError]. A graph that the program does not take, such as
// one without weights, and a fault that an emulator finds without a position, such as a
// race, have errors of no public type; some of these have a method Hint() string, as
// errors.As finds with a variable of type interface{ Hint() string }.
// Cancelling the context ends a call at its next step.
//
// # Concurrency
//
// All functions and methods may be called by several goroutines at once. The calls of
// one [Executable] take turns; different Executables run at the same time, also those
// of one [Program] on one device. A graph or mesh may be the input of several runs at
// once; it must not be changed or closed before the results that come from it are no
// longer used.
package irgl
