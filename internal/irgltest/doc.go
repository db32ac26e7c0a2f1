// Package irgltest makes random IrGL programs and compares what the engines
// that run such programs make of them: the differential test of the language,
// from text to results.
//
// [Generate] takes a seed and gives the text of a program, always the same one,
// with what the language has: properties of all types with initialisers,
// globals, arrays, structs, constants, device functions, kernels over nodes,
// edges and worklists, atomics, locks, Exclusive, Retry and Respawn, barriers, reductions,
// host functions with Invoke, Any, All, Iterate and Pipe.
//
//	Kernel k2(graph, int depth, long a1) {
//		ForAll (i In WL) {
//			n = WL.pop(i);
//			ForAll (e In n.edges) {
//				if (depth < 3 && atomicExch(&e.dst.mark, 1) == 0) { WL.push(e.dst); }
//				atomicMax(&e.dst.p3, (long)(n.p1 * e.weight));
//
// The answer of a program does not depend on the order of iterations. For each
// kernel a property or global has one mode: it is only read; or only changed by
// its own node's iteration; or only changed by one kind of atomic, whose old value
// is not looked at; or only added to with a lock; or set to one constant by whoever
// comes, which is declared Racy.
// A node is pushed by the one iteration that claims it, or the program does
// nothing for which it matters how often a node is in the list. An iteration that is tried again
// has changed nothing: it changes what it does once, when it has its locks. Sums of
// floating numbers are sums of small integers. So any two correct engines must agree
// in every output, in what is printed, and in the number of iterations.
//
// [Compare] runs a program on many graphs: in the interpreter, with two orders
// of iterations; on the emulator, compiled with and without the scalar passes, under
// two schedules, with worklists that overflow and such that do not, where also every
// report is a finding; and [Batch] as generated Go, many programs in one build.
// [Reduce] cuts a program that fails down to the declarations, statements and
// operands that matter.
//
// It refuses nothing: what the compiler refuses of a generated program is a
// finding too.
package irgltest
