package opt

import (
	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Loops whose iterations all compute the same.
// Source: none of the papers; LLVM gets there for loops that it unrolls, by removing the dead
// copies.
//
// A counted loop that changes no memory, and of whose variables only the counter is used in
// the next iteration, computes in each iteration what it computed in the first, so one is
// enough. Solvers that converge at once have such loops, and so has the copy of an array
// of which mem2reg has removed the stores.
//
//	b1: v2 = phi i32 v0, v5         b1: v3 = load f32 v1
//	    v3 = load f32 v1                jump b2
//	    v5 = add i32 v2, 1
//	    v6 = slt i1 v5, v7
//	    if v6, b1, b2
//
// The loop must have been rotated: its test is at the end of an iteration, so the first one
// is executed whether or not others follow. What only the test needed is dead then.
//
// What it will not do: change a loop with a store, an atomic, a barrier, a warp operation, a
// call, a volatile access or a read of a clock; one with another exit, or that is no counted
// loop. Counted loops end, as C++ promises, also those whose count is not known.
func once(f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	loops := analysis.FindLoops(f, analysis.Dominators(f))
	if len(loops.All) == 0 {
		return
	}
	var uses *analysis.UseLists
	n := 0
	for _, l := range loops.All {
		t := analysis.TripOf(loops, l)
		if t == nil || !t.Only || t.Exit != l.Latches[0] || !harmless(l) {
			continue
		}
		if uses == nil {
			uses = analysis.Uses(f)
		}
		if !countsOnly(loops, t, uses) {
			continue
		}
		r.Applied(loopPos(l), "loop is executed once: its iterations compute the same")
		latch, back := l.Latches[0], 0
		if latch.Succs[1] == l.Header {
			back = 1
		}
		removeEdge(latch, back)
		n++
	}
	if n > 0 {
		dropSinglePhis(f)
	}
	r.Count("loops", n)
}

// harmless reports whether an iteration of l may be left out: it changes nothing and waits
// for nothing.
func harmless(l *analysis.Loop) bool {
	for _, b := range l.Blocks {
		for _, v := range b.Values {
			if v.Op != ssa.OpPhi && !v.Mergeable() && (v.Op != ssa.OpLoad || v.Mem.Volatile) {
				return false
			}
		}
	}
	return true
}

// countsOnly reports whether everything that differs between the iterations of t's loop is
// used for nothing but its test.
func countsOnly(loops *analysis.Loops, t *analysis.Trip, uses *analysis.UseLists) bool {
	test := t.Loop.Latches[0].Ctrl
	differs := make(map[*ssa.Value]bool)
	work := append([]*ssa.Value(nil), t.Loop.Header.Phis()...)
	for _, v := range work {
		differs[v] = true
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if v == test {
			continue
		}
		for _, use := range uses.Of(v) {
			u := use.User
			switch {
			case u == nil || u.Op == ssa.OpLoad || !loops.Contains(t.Loop, u.Block):
				return false
			case !differs[u]:
				differs[u] = true
				work = append(work, u)
			}
		}
	}
	return len(uses.Of(test)) == 1
}
