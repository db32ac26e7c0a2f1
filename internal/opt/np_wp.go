package opt

import "irgl/internal/plan"

// The policy wp: the lanes of a warp execute the loops of its lanes, one after another,
// those that have at least as many iterations as a warp has lanes:
//
//	ForAll (e In n.edges) { ... }        [[np(wp)]] ForAll (e In n.edges) { ... }
//
// Behind it another policy may take what is smaller, so that the row np-fg makes of it
// np(wp 32, fg). What is legal for it, as for all policies, is in nest.go.
//
// It pays where loops are of some tens to hundreds of iterations: neighbouring lanes read
// neighbouring edges, and nothing goes through shared memory, since a warp hands the
// closure from lane to lane. With short loops most lanes have no iteration. (IrGL paper,
// section 4.3, Listing 11.)

var byWarp = policy(plan.ByWarp)
