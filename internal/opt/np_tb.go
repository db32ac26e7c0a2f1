package opt

import "irgl/internal/plan"

// The policy tb: all threads of a block execute the loops of its threads, one after
// another, those that have at least as many iterations as the block has threads:
//
//	ForAll (e In n.edges) { ... }        [[np(tb)]] ForAll (e In n.edges) { ... }
//
// Behind it another policy may take what is smaller, so that the row np-wp makes of it
// np(tb 256, wp). What is legal for it, as for all policies, is in nest.go.
//
// It pays where loops are long: a block has a barrier before and after each, and threads
// without an iteration in the last round wait. The vote that says whether there is a long
// loop at all is the barrier that is needed anyway, so that a round of the outermost ForAll
// without one costs nothing more. (IrGL paper, Listing 10.)

var byBlock = policy(plan.ByBlock)
