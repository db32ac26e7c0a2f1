// Package analysis answers questions about SSA functions: the order of blocks,
// dominance, loops and how often they run, liveness and register pressure,
// uses, ranges and alignment of integers, what differs between threads, which
// accesses to memory may alias. It changes nothing.
//
// Each analysis is a function from an [ssa.Func] to a value that can be asked
// in constant time and that prints itself; the prints are what the tests
// compare. A value is true as long as the function's blocks and edges (and,
// for all but the first three, values) stay as they were: nothing is kept up to
// date, and nothing is cached. Its lists are the scratch memory of the pass that
// asks ([ssa.Make]), and end with it. Only [Loops.Put] takes in a block made since.
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
// Blocks that control never reaches are in none of the results. The input must
// satisfy [ssa.Verify].
package analysis
