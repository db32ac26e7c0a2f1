package opt

import (
	"slices"

	"irgl/internal/analysis"
	"irgl/internal/plan"
	"irgl/syntax"
)

// Queues of a block, a part of cooperative conversion (IrGL paper, section 4.2): what the
// threads of a block push goes to a queue in shared memory, which goes to the list where
// they converge:
//
//	ForAll (i In WL) {                        [[queue]] ForAll (i In WL) {
//	  ... if (change) { WL.push(e.dst); }       ... if (change) { WL.push(e.dst); }
//	}                                         }
//
// What is legal. Block level takes a place where all threads of the block converge, a focal
// point (section 4.2.2): the outermost ForAll must be at one, and then its rounds are
// executed by all threads of the block, whether they have an iteration or not. For pushes
// that depend on the data the paper (its Listing 9) lets the block converge in each round of
// the inner loops, to scan which threads push; a queue needs neither the rounds to be
// uniform nor a barrier in each: pushes take room in it by atomics of shared memory, one a
// warp, from wherever they are, and the block converges at the end of each round of the
// outermost ForAll and after as many rounds of a scheduling loop as may fill half of the
// queue. So each of these has one atomic of the worklist for a block at most, unless a
// queue overflows in divergent code, where the rest goes to the list by warps; and most have
// none, since a queue that is not half full stays until the last round.
//
// It pays where many push: the counter of the list is one address, and its atomics run one
// after another. It costs barriers; with few items a block it can lose. Additions to a mesh
// are not aggregated: what they give is used at once.

// queuePushes is the row queue.
func queuePushes(k *kernel) {
	for _, s := range analysis.OuterForAlls(k.f.Fn.Decl.Body) {
		if !k.pushesIn(s) || k.given(s, "queue") || !k.wants("queue", s) {
			continue
		}
		if why := slices.Concat(k.notConverged(s), k.anyBlock(k.f.Fn)); len(why) > 0 {
			k.missed(s, why)
			continue
		}
		k.change(s, func(l *plan.Loop) { l.Queue = true })
		k.Applied(s.Pos(), "what it pushes goes through a queue of the block")
		k.Count("loops", 1)
	}
}

// pushesIn reports whether something is pushed in s other than to room that is reserved in
// front of a loop, and by an atomic each, as the program says.
func (k *kernel) pushesIn(s *syntax.ForAllStmt) bool {
	return slices.ContainsFunc(k.pushes(), func(x *analysis.Site) bool {
		return x.Node.Within(s) && !k.plan.OwnAtomic(x.Syntax()) && k.plan.Shares[x.Syntax()].How != plan.Reserve
	})
}
