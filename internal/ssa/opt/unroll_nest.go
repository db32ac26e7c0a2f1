package opt

import (
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// This file unrolls loops whose inner loops have trip counts that depend on the outer
// iteration.

// nest returns the plan to unroll l, which has inner loops, or nil. l is unrolled
// before them if one of them has no constant trip count but has one in each
// iteration of l, as in
//
//	for (i = 0; i < 4; i++) for (j = 0; j < i; j++) ...
//
// The inner loops are unrolled once l is, each on its own merits; so the total
// number of iterations has a limit, too.
func (u *unroller) nest(loops *analysis.Loops, inner map[*analysis.Loop][]*analysis.Loop, l *analysis.Loop) *plan {
	asked := l.Header.Unroll != 0
	t, body := u.count(loops, l), 0
	if t == nil || t.Count < 0 {
		return nil
	}
	for _, b := range l.Blocks {
		body += work(b)
	}
	if body > maxWholeAsked {
		return nil
	}
	all, depends := asked, false
	for list := inner[l]; len(list) > 0; list = list[1:] {
		in := list[0]
		if in.Header.Unroll == 1 {
			return nil
		}
		all = all && in.Header.Unroll != 0
		t := u.count(loops, in)
		depends = depends || t == nil || t.Count < 0
		list = append(list[:len(list):len(list)], inner[in]...)
	}
	if !depends || !t.Only && synchronises(l.Blocks) || hasAlloca(l.Blocks) || asked && l.Header.Unroll > 0 && int64(l.Header.Unroll) < t.Count {
		return nil
	}
	budget := maxNested
	if all {
		budget = maxWholeAsked
	}
	w := u.left(loops, l)
	if !asked && (t.Count > maxRounds || int64(w.all)*t.Count > maxNested/4) {
		return nil
	}
	g := &nesting{s: newStepper(loops), inner: inner, own: w.own, budget: budget}
	if !g.run(l) || u.size+budget-g.budget > maxUnrolled {
		return nil
	}
	u.size += body * int(t.Count)
	return &plan{trip: t, copies: int(t.Count), whole: true}
}

// A nesting simulates the iterations of a loop nest.
type nesting struct {
	s      *stepper
	inner  map[*analysis.Loop][]*analysis.Loop
	own    map[*analysis.Loop]int // operations of an iteration, without inner loops
	budget int                    // the remaining budget of operations
}

// run reports whether l, and its inner loops, have constant trip counts within
// the budget.
func (g *nesting) run(l *analysis.Loop) bool {
	w := g.s.enter(l)
	if w == nil {
		return false
	}
	defer g.s.leave(w)
	for {
		if w.exit == l.Header {
			if goes, ok := g.s.stays(w); !ok || !goes {
				return ok
			}
		}
		if g.budget -= max(1, g.own[l]); g.budget < 0 {
			return false
		}
		for _, in := range g.inner[l] {
			if !g.run(in) {
				return false
			}
		}
		if w.exit != l.Header {
			if goes, ok := g.s.stays(w); !ok || !goes {
				return ok
			}
		}
		if !g.s.next(w) {
			return false
		}
	}
}

// count returns the trip count of l, or nil. A count that no formula gives is found by
// evaluation.
func (u *unroller) count(loops *analysis.Loops, l *analysis.Loop) *analysis.Trip {
	t := analysis.TripOf(loops, l)
	if t != nil && t.Count >= 0 {
		return t
	}
	limit := maxRounds
	if l.Header.Unroll != 0 {
		limit = maxWholeAsked
	}
	if c := countRounds(loops, l, limit); c != nil {
		return c
	}
	return t
}

// synchronises reports whether an operation in the blocks waits for other
// threads, or may.
func synchronises(blocks []*ssa.Block) bool {
	for _, b := range blocks {
		for _, v := range b.Values {
			if v.Op.Effects()&ssa.Syncs != 0 {
				return true
			}
		}
	}
	return false
}

func hasAlloca(blocks []*ssa.Block) bool {
	for _, b := range blocks {
		for _, v := range b.Values {
			if v.Op == ssa.OpAlloca {
				return true
			}
		}
	}
	return false
}
