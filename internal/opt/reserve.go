package opt

import (
	"irgl/internal/analysis"
	"irgl/internal/lower"
	"irgl/internal/plan"
	"irgl/syntax"
)

// Reservation of room in front of a loop, a part of cooperative conversion (IrGL paper,
// section 4.2). What is pushed exactly once in each iteration of a loop takes as much room
// as the loop has iterations, which is known in front of it: the warp or the block reserves
// that for all its threads by one atomic, and each iteration then has its place:
//
//	ForAll (e In n.edges) { WL.push(e.dst); }        ForAll (e In n.edges) { [[reserve(warp)]] WL.push(e.dst); }
//
// What is legal. The push happens exactly once in every iteration, and the loop is an
// inner one over a range. Warp level is legal everywhere: which lanes come to the loop
// together is found out there, by __activemask. Block level takes a place in front of the
// loop at which all threads of the block converge, a focal point (section 4.2.2). A loop
// that policies execute has one (nest.go); of one that none executes the threads
// themselves may (serial), if a policy could.
//
// It pays always, but for barriers at block level: an atomic and a vote for each push
// become one of each for the loop.

// reservePushes is the row reserve.
func reservePushes(k *kernel) {
	for _, x := range k.pushes() {
		if k.given(owner(x.Node), "reserve") || !k.wants("reserve", x.Syntax()) {
			continue
		}
		s, why := k.countedIn(x)
		if why != "" {
			k.Missed(x.Pos(), "no room is reserved in front of its loop: %s", why)
			continue
		}
		level := plan.Warp
		if k.at(x.Syntax()).Coop == lower.CoopBlock && k.convergesAt(s) {
			level = plan.Block
		}
		k.plan.Shares[x.Syntax()] = plan.Share{How: plan.Reserve, Level: level}
		k.Applied(x.Pos(), "room is reserved in front of its loop, by the %s", level)
		k.Count("pushes", 1)
	}
}

// convergesAt reports whether the threads of the block converge in front of a loop: since
// policies execute it, or from now on.
func (k *kernel) convergesAt(s *syntax.ForAllStmt) bool {
	if k.plan.Loops[s].Scheduled() {
		return true
	}
	nest := k.f.Nest(s)
	if nest == nil || k.given(s, "np") || len(k.unscheduled(nest)) > 0 {
		return false
	}
	k.schedule(nest, plan.Serially)
	return true
}

// countedIn returns the loop of which each iteration has a push exactly once, or why there
// is none.
func (k *kernel) countedIn(x *analysis.Site) (s *syntax.ForAllStmt, why string) {
	if len(x.Loops) == 0 {
		return nil, "it is in no loop"
	}
	s, ok := x.Loops[len(x.Loops)-1].(*syntax.ForAllStmt)
	switch {
	case !ok || k.facts.Info.Types[s.Iter] == nil || k.f.Graph.Heads[s] == nil || !k.inner(s):
		return nil, "the innermost loop around it is no inner loop over a range"
	case x.Count != analysis.Once:
		return nil, "it does not happen exactly once in an iteration"
	case !x.Thread.OK:
		return nil, x.Thread.Reason
	}
	if trips := x.Thread.Trips; len(trips) == 0 || trips[len(trips)-1].Loop != syntax.Stmt(s) {
		return nil, "how often it happens is not known in front of the loop"
	}
	return s, ""
}
