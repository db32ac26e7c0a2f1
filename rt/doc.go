// Package rt is what generated programs run on: worker threads, worklists, meshes,
// C's arithmetic where Go's differs, CUDA's atomics, and printf.
//
// Only generated code imports it: the bundled programs', that of packages which irgl gen
// writes into other modules, and that of the temporary modules in which a user's program
// is built for the CPU. It is public for the second; its names change with the code
// generator, and a package is generated again with each release of irgl.
//
// It imports only the standard library, because its sources are also copied,
// as they are, into the temporary modules ([Sources]).
// Package internal/gogen prints code of this shape against it:
//
//	func (s *state) kBFS(wl *rt.WL, LEVEL int32) {
//		s.r.Kernel("BFS")
//		s.r.LaunchWL(wl, rt.EdgeWork, func(w *rt.Worker, items unsafe.Pointer, lo, hi int) {
//			out := w.Out
//			for i := lo; i < hi; i++ { ... out = ... }
//			w.Out = out
//		}, nil, nil)
//	}
//
// An [Input] may ask for a [Profile]: what each kernel took, popped, pushed and
// retried, and when.
//
// # Threads and memory
//
// A [Run] has a fixed number of workers; worker 0 is the goroutine that called
// it. An invocation with little work stays on worker 0. Otherwise it is cut in
// chunks, of which each worker has a part, and takes half of the rest of another one when it is done; they spin for the next
// invocation for a short while before they sleep. How many workers take part follows
// from the work. A worker whose kernel respawns few items runs these by itself before the
// invocation ends.
//
// A [Memory] has the arrays and blocks of earlier runs. [Program.Reserve] adds what a run needs
// and writes to each page, so that the time of the run is not that of the system's pages.
//
// Operator code that races does so on purpose, as it would on a GPU: properties
// are read and written with plain machine accesses of at most eight aligned
// bytes through unsafe pointers. Go's memory model promises little about that;
// what the generated code relies on is what Go's compilers in fact do: an access
// of a machine word is one machine instruction, and a load is neither
// invented nor repeated. Accesses of what the program declares Racy are [Load] and
// [Store], which are atomic operations under the race detector: it reports the other
// races. CUDA atomics are sync/atomic operations.
//
// Threads that meet at barriers are numbers rather than workers ([Run.LaunchGroups]):
// a segment of the kernel is run for all of them before the next one is. Exclusive
// claims elements with one atomic maximum each, by which the newest round and in it
// the smallest thread counts, and looks at the claims behind the barrier. How many
// threads a group has follows from how many of its claims were lost. So that a
// barrier cannot keep a worker waiting for one that sleeps, or has failed, workers
// wait for jobs and never in the middle of one.
//
// # Meshes
//
// A [Run] copies its mesh into arrays with room for more ([Prop]). New points and
// elements take their numbers from two shared counters; the counts that a kernel
// sees are those of its start. Between invocations arrays that could become full
// move to larger ones ([Growing]). Where one invocation adds more than there is
// room for, it panics, and [Program.Execute] begins again with twice the room. What
// the program printed before then is forgotten.
//
// # Locks
//
// The locks of Atomic statements are int32s taken by compare-and-swap; a worker
// that waits for one lets others run in between. A worker that fails, or a
// cancelled context, ends the waiting of all.
//
// # Faults
//
// A [Fault] is an error of the program that runs: a node, edge, point, element or index
// out of range where generated code checks it (see package gogen), a list of Exclusive
// outside its array or domain, an assertion, a lock that stays taken while one worker
// runs alone, recursion that is too deep. It has a place in the program's text. A
// cancelled context ends a run at the next chunk, invocation or iteration of a host
// loop.
package rt
