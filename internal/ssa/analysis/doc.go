// Package analysis has analyses of SSA functions: block order, dominance,
// loops and trip counts, liveness and register pressure, uses, value ranges
// and alignment, variance between threads, and alias analysis. It changes
// nothing.
//
// Each analysis is a function from an [ssa.Func] to a result that answers queries
// in constant time and that prints itself; tests compare the prints. A result is
// valid as long as the function's blocks and edges (and, for all but the first
// three, values) do not change: nothing is updated or cached. Its slices are
// scratch memory of the running pass ([ssa.Make]), and are released with it. Only
// [Loops.Put] adds a block created later.
//
//	dom := analysis.Dominators(f)
//	for _, b := range dom.Order() { // reverse postorder
//		if d := dom.Idom(b); d != nil && dom.Dominates(d, b) { ... }
//	}
//
// The print of the dominators of a loop with a branch in it:
//
//	b0
//	  b1
//	    b2
//	      b3
//	    b4
//
// Unreachable blocks are in none of the results. The input must satisfy
// [ssa.Verify].
package analysis
