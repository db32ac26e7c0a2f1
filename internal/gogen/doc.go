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
// What cannot be said in Go, or not safely, is refused with a diagnostic, E0001
// and up, and never translated wrongly: unions, volatile, pointers to functions,
// integers made pointers, jumps into blocks. The interpreter runs such programs.
// So is the text of CBlock, which only a CUDA compiler understands.
//
// There are two ways to an engine. [Bundled] returns that of a program whose
// code is compiled into this binary (package bundled, written by go generate).
// [Build] generates a module of its own in the user's cache directory, compiles
// it with the Go toolchain, and runs it as a process; without a toolchain it
// returns an error that is [ErrNoToolchain].
package gogen
