// Package interp runs a checked IrGL program directly: it is the language's
// reference semantics, the oracle that compiled code is compared with, and the
// engine of last resort.
//
// [New] takes the Info of an .irgl file that checked without errors and gives an
// [Engine], whose Run takes a prepared graph or mesh and arguments and gives the
// output properties and globals, and the mesh as the program left it. Each run
// compiles the program to closures over its own memory, so that runs may go on
// at the same time:
//
//	e, err := interp.New(info, interp.Options{})
//	res, err := e.Run(ctx, run.Input{Graph: g, Args: []run.Value{run.IntValue(0)}})
//
//	n.level + 1        func() int64 { return int64(int32(load() + 1)) }
//
// One thread runs the iterations of a ForAll in order, or, with Options.Seed,
// in a random order that the seed determines: iterations are unordered, so a
// correct program gives the same verified answer with every seed. What one
// iteration writes, later ones read: programs that race may give other answers
// than on a device, and those are allowed answers too. An Atomic never finds its
// lock taken by another iteration; to wait for one that is taken is an error.
//
// Iterations that wait for each other, at SyncRunningThreads, LocalBarrier or Exclusive, run in
// groups of Options.Group, as if that were the number of threads. The body is cut
// where they meet, and each part is run for the whole group before the next;
// every iteration has its own copy of the variables. A seed gives each part an
// order and each group a size of its own. In an Exclusive the iterations claim in
// such an order, and what one has claimed no other gets: the first one wins, and
// so does whoever is in no conflict.
//
//	ForAll (t In mesh.elements) {
//		int list[4] = ...;              // part 1: all iterations of the group
//		Exclusive (mesh, 4, list) {     // all claim, then it is decided
//			...                     // part 2: the blocks and what follows,
//		} Else { Retry t; }             // one iteration after the other
//		SyncRunningThreads();
//		...                             // part 3
//	}
//
// A mesh grows as kernels add to it. New points and elements can be used at
// once, and are counted from the next invocation on, a repetition because of
// Retry being one. A pointer into a property stays good when the property grows.
// Nothing runs out of room, so Size and Input.Room have no effect.
//
// The values are those of the target machine: integers wrap, shifts by the
// width or more give 0 or the sign, division by zero gives all ones, floats
// round after each operation and saturate when they become integers.
//
// Nothing that a program does ends in a Go panic or touches memory that is not
// its own. A node, edge, point, element or array index out of range, in a list
// that Exclusive locks too, a null or stray pointer, a variable read before it has
// a value end the run with an error at the place of the expression:
//
//	a.irgl:9:12: error: the graph has no node -1: its nodes are 0 to 33 [R0102]
//
// Refused by New, with a diagnostic, are jumps into a block from outside, case
// labels below the first level of their switch, and what only a compiler of
// CUDA's text understands: CBlocks, and uses of the names that they define.
//
// The package shares no code with the compiler or with generated Go: an oracle
// that did would share their mistakes.
package interp
