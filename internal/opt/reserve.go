package opt

import (
	"cmp"
	"slices"

	"irgl/internal/analysis"
	"irgl/internal/plan"
	"irgl/syntax"
)

// Reservation of room in front of a loop, a part of cooperative conversion (IrGL paper,
// section 4.2). What is pushed exactly once in each iteration of a loop takes as much room
// as the loop has iterations, which is known in front of it: the thread reserves that by one
// atomic, or the warp or the block for all its threads, and each iteration then has its place:
//
//	ForAll (e In n.edges) { WL.push(e.dst); }        ForAll (e In n.edges) { [[reserve(warp)]] WL.push(e.dst); }
//	for (k = 0; k < 4; k++) { WL.push(n); }          for (k = 0; k < 4; k++) { [[reserve(warp)]] WL.push(n); }
//
// What is legal. The push happens exactly once in every iteration, and the loop is an
// inner one over a range, or a for that counts to a bound which does not change; nothing
// leaves it early. Of C loops in C loops the room is reserved in front of the outermost one
// that can be counted there. What several statements of a loop push is reserved together.
// Thread and warp level are legal everywhere: which lanes come to the loop
// together is found out there, by __activemask. Block level takes a place in front of the
// loop at which all threads of the block converge, a focal point (section 4.2.2). A loop
// that policies execute has one (nest.go); of one that none executes the threads
// themselves may (serial), if a policy could. In front of a C loop there is one if only ifs
// are around it in an outermost ForAll that the threads of a block execute together.
//
// It pays always, but for barriers at block level: an atomic and a vote for each push
// become one of each for the loop. What it costs is that the items of a thread lie together,
// so that the lanes of a warp store to as many sectors as they have items in a step.

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
		level := k.at(x.Syntax()).coop()
		if level == plan.Block && k.convergesAt(x, s) != nil {
			level = plan.Warp
		}
		k.plan.Shares[x.Syntax()] = plan.Share{How: plan.Reserve, Level: level}
		k.Applied(x.Pos(), "room is reserved in front of its loop, by the %s", level)
		k.Count("pushes", 1)
	}
}

// coop returns the level of cooperation that the options ask for, or that of a warp.
func (s *settings) coop() plan.Level {
	return cmp.Or(plan.Level(s.Coop), plan.Warp)
}

// convergesAt returns why the threads of the block do not converge in front of the loop of a
// push, or nil. Of an inner ForAll that no policy executes serial does from now on, if it can.
func (k *kernel) convergesAt(x *analysis.Site, s syntax.Stmt) []analysis.Reason {
	why := k.notConvergedBefore(x, s)
	loop, ok := s.(*syntax.ForAllStmt)
	if !ok || len(why) == 0 {
		return why
	}
	nest := k.f.Nest(loop)
	if nest == nil || k.given(loop, "np") || len(k.unscheduled(nest)) > 0 {
		return why
	}
	k.schedule(nest, plan.Serially)
	return nil
}

// notConvergedBefore returns why the threads of the block do not converge in front of the loop of a push.
func (k *kernel) notConvergedBefore(x *analysis.Site, s syntax.Stmt) []analysis.Reason {
	if loop, ok := s.(*syntax.ForAllStmt); ok {
		if k.plan.Loops[loop].Scheduled() {
			return nil
		}
		return []analysis.Reason{{Pos: s.Pos(), Text: "its block does not converge in front of the loop"}}
	}
	trips, _ := k.f.CountedFor(x)
	outer, why := k.f.ConvergesBefore(trips[0].Loop.(*syntax.ForStmt))
	if why != nil {
		return []analysis.Reason{*why}
	}
	return slices.Concat(k.notConverged(outer), k.anyBlock(k.f.Fn))
}

// countedIn returns the loop of which each iteration has a push exactly once, or why there
// is none.
func (k *kernel) countedIn(x *analysis.Site) (s syntax.Stmt, why string) {
	if len(x.Loops) == 0 {
		return nil, "it is in no loop"
	}
	inner := x.Loops[len(x.Loops)-1]
	if _, ok := inner.(*syntax.ForStmt); ok {
		_, why := k.f.CountedFor(x)
		return inner, why
	}
	loop, ok := inner.(*syntax.ForAllStmt)
	switch {
	case !ok || k.facts.Info.Types[loop.Iter] == nil || k.f.Graph.Heads[loop] == nil || !k.inner(loop):
		return nil, "the innermost loop around it is no inner loop over a range"
	case x.Count != analysis.Once:
		return nil, "it does not happen exactly once in an iteration"
	case !x.Thread.OK:
		return nil, x.Thread.Reason
	}
	if trips := x.Thread.Trips; len(trips) == 0 || trips[len(trips)-1].Loop != inner {
		return nil, "how often it happens is not known in front of the loop"
	}
	return inner, ""
}
