// Package ssa defines the compiler's static single assignment form. It knows
// nothing of CUDA's syntax or of PTX: ssagen builds it, ssa/opt rewrites it,
// ptxgen reads it.
//
// A [Module] has global variables and functions; a [Func] has blocks; a
// [Block] has values in order, ends in one of four kinds of control, and lists
// its successors and predecessors. A [Value] is an operation on other values.
// Phis come first in their block, with one argument per predecessor, in order.
// Memory is not a value: loads, stores, atomics and barriers keep their order
// in the block, and [Op.Effects] says what may move across what.
//
//	global @count: space(global) size 4 align 4
//
//	func @scale kernel(%p: ptr, %n: i32) {
//	b0:
//	  v1 = param ptr 0
//	  v2 = param i32 1
//	  v3 = special i32 "tid.x"
//	  v4 = slt i1 v3, v2
//	  if v4, b1, b2
//	b1: <- b0
//	  v5 = sext i64 v3
//	  v6 = const i64 4
//	  v7 = mul i64 v5, v6
//	  v8 = ptradd ptr v1, v7
//	  v9 = load i32 v8 align 4
//	  store v8, v9 align 4
//	  jump b2
//	b2: <- b0, b1
//	  ret
//	}
//
// One table has a row for each operation: its name, arity, class, effects, what it
// names ([Sym]) and the rule of its types. Passes ask predicates such as
// [Op.IsIntCompare]; the numbers of operations mean nothing.
//
// [Print] gives that text and [Parse] reads it back to an equal module. A
// block's predecessors follow "<-", since their order is the order of phi
// arguments; a text without phis may leave them out. A value without a result
// has no name. After its predecessors the header of a loop may have the unroll factor
// of the source: "b3: <- b2, b4 unroll 8"; -1 unrolls fully. Flags follow arguments:
// "align 4 volatile readonly" of memory, the scope of an atomic as a string, "nsw" of
// arithmetic that does not wrap. A function's attributes precede its parameters:
// kernel, always, never (inlining), maxthreads N, minblocks N; without a body it is
// only declared. A pointer parameter may be restrict. A comment runs from ";" to the
// line's end.
//
//	func @max never maxthreads 256 (%s: ptr.param size 24 align 8, %x: i32) i32
//
// Parse refuses texts outside that form with diagnostics I0001 to I0007.
// [Verify] checks every invariant, I0101 to I0116: types of operands,
// dominance of uses by definitions, agreement of edges, phis and terminators.
package ssa
