package opt

import "irgl/internal/plan"

// The policy fg: the threads of a block execute the iterations of all loops of its threads
// as if they were one, consecutive iterations by consecutive threads:
//
//	ForAll (e In n.edges) { ... }        [[np(fg)]] ForAll (e In n.edges) { ... }
//
// Behind it the threads themselves may take what is smaller, so that the row np-serial
// makes of it np(fg 4, serial). What is legal for it, as for all policies, is in nest.go.
//
// It pays where loops are short and of different lengths: all threads have iterations in
// all rounds but the last. It costs a scan of the lengths over the block, and a search in
// the scanned lengths for the owner of each iteration. (IrGL paper, section 4.3; there the
// predecessors pack the iterations into slots.)

var byFine = policy(plan.FineGrained)
