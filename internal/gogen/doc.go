// Package gogen prints a checked IrGL program as Go source, and builds and runs
// such sources: the CPU engine.
//
// [Generate] takes the Info of an .irgl file that checked without errors and
// gives one Go file, formatted, the same bytes every time. The file imports the
// standard library and package rt only. A kernel becomes a method that hands a
// function over a range of iterations to rt, which calls it from several
// threads:
//
//	Kernel BFS(graph, int LEVEL) {          func (s *bfs) kernelBFS(wl *rt.WL, LEVEL int32) rt.Reduced {
//	  ForAll (wlidx In WL) {                    body := func(w *rt.Worker, items unsafe.Pointer, lo, hi int) {
//	    n = WL.pop(wlidx);                          for i := lo; i < hi; i++ {
//	    ...                                             n := *rt.Item(items, i-lo)
//
// C's meaning is kept where Go's differs: integers wrap and convert as in C,
// division by zero and shifts by the width or more have the results of the
// target machine, expressions with side effects become statements in C's order.
// Variables, structs and arrays are Go's own; pointers are unsafe.Pointers.
//
// An Atomic waits for its lock in front of the body, in turns with the other
// workers. A kernel that retries items is run again for them by rt, on one
// worker when conflicts keep all of them from getting done.
//
// A kernel with barriers or Exclusive is cut in segments where its threads meet.
// Between two of them lies a barrier: the end of a job that the workers share.
// What threads keep from one to the next lies in frames, one a thread. A second
// form of the kernel is for one thread, for which a barrier is nothing and every
// Exclusive is won; few iterations, or few workers, use that one.
//
// The properties of a mesh are arrays with room for more. They move to larger
// ones between invocations; one that wants more room than there is ends the run,
// and it begins again with twice as much.
//
// # Bounds
//
// Every integer has a range, and domains in which it is the number of what exists
// (value.go, bounds.go). Proven in bounds, and not checked, are:
//   - the loop variables of ForAll over nodes, edges, points, elements and
//     range(graph.nnodes), and the nodes at the ends of edges: package graph
//     validates the latter when it reads a graph;
//   - properties, globals, parameters, results and elements of arrays in which the
//     program stores proven values only, such as a property that starts as id and only
//     takes other nodes (elements.go);
//   - variables that a condition, a loop or an earlier access bounds on all paths to their
//     use (paths.go), and what arithmetic makes of them: remainders, masks, quotients,
//     sums (pathexpr.go);
//   - points and elements in parameters that a function accesses first, which calls
//     check (checked.go);
//   - edges n.edges[i] in loops up to n.degree (counts.go);
//   - items of worklists when everything the program pushes is proven. What a
//     worklist starts with is then checked where it is made.
//
// A handle that is one that exists or a negative number, which is for none, is checked for
// its sign. The first point and element are taken to exist: a property or an array may
// hold a 0 that the program has not stored.
//
// Checked, with the position of the access in the error, are all other nodes, edges,
// points and elements, edges of a node by their numbers (n.edges[i]), indices of
// arrays, also behind a parameter to which all calls pass arrays of one length
// (lengths.go), items of the worklist by their numbers, and what Exclusive locks. The
// bounds of a node's edges are loaded before a loop that needs them (rows.go).
//
// Not checked are other accesses through pointers. One that leads to memory which is
// not mapped ends the run with an error that names the kernel.
//
// Recursive functions have a limit on their depth (depth.go).
//
// # For speed
//
// Small functions are inlined in kernels (inline.go), and floating divisions that are the
// same in all iterations are hoisted (invariant.go), as Go's compiler does neither. Sums
// into globals are private to a chunk, those into small arrays to a worker (sum.go). Loops over
// the edges of hubs run in parts (hub.go). A range that is known before the kernel runs
// is cut in chunks that workers claim, and items that are respawned may run in the same
// invocation (kernel.go). Of an if on WARP_SIZE, which is 1, one branch is translated.
//
// # What is refused
//
// What Go does not have, or not safely, is refused with a diagnostic, E0001 and up,
// and never translated wrongly: unions, volatile, pointers to functions, integers
// made pointers, jumps into blocks. The interpreter runs such programs. The text of
// CBlock, which only a CUDA compiler understands, is refused too.
//
// # Engines
//
// Package bundled holds the code of the bundled programs, written by go generate;
// [Engine] runs it in this process. [Build] generates a module of its own, compiles it
// with the Go toolchain, keeps the executable in a private cache (cache.go), and runs
// it as a process. That process ends with this one, however this one ends, and
// inherits its input and result as files without names (process.go). Where no program
// can be built, [Fallback] says why, and the interpreter runs it.
package gogen
