package opt

import "irgl/internal/plan"

// The policy gr: loops that are too long even for a block. In a graph with hubs
// one block would work for as long as all others together, and the grid waits
// for it. So a thread with such a loop puts it off; at the end of the kernel the grid
// converges, and its blocks share the loops, tile by tile:
//
//	ForAll (e In n.edges) { ... }        [[np(gr 4096, serial)]] ForAll (e In n.edges) { ... }
//
// Legal is what is so for all policies (nest.go), where package analysis finds that nothing
// comes behind the inner ForAll that depends on it (analysis.Nest.NotLater), and nothing in
// the kernel behind the outermost one. There is room for a fixed number of loops. One that
// finds none is left to the other policies, so that neither the size of the graph nor a
// node that is in the worklist many times can make it overflow; if there is no other policy,
// its thread executes it.
//
// It pays where degrees are skewed; where no loop is so long it costs a comparison.
// (Beyond the IrGL paper, which stops at the block.)

var byGrid = policy(plan.ByGrid)
