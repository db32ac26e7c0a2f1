package opt

import (
	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Loop peeling.
// Source: LLVM, which peels iterations in which a condition is known.
//
// A loop that does something else in its first iteration tests in every one. The first
// iteration is executed before the loop, where the test is true, and the loop has no test:
//
//	for (i = 0; i < n; i++)                     if (0 < n) {
//	  out[t] = (i == 0 ? in[t] : out[t]) + 1;     out[t] = in[t] + 1;
//	                                              for (i = 1; i < n; i++) out[t] = out[t] + 1;
//	                                            }
//
// What the first iteration alone does no longer stands in the way of the passes over loops: here the element
// stays in a register. The induction variable must not come back to its first value: it does not wrap, by promise or because
// it stops at the bound. Constants that follow from the test are left to sccp.
//
// Innermost loops of at most maxPeel operations are peeled, unless their trip count is a constant for which
// unrolling makes copies of all iterations.
//
// What it will not do: copy barriers, warp operations, fences, calls or allocas, or peel more than one
// iteration, or the last.
func peelFirst(f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	loops := analysis.FindLoops(f, analysis.Dominators(f))
	inner := make(map[*analysis.Loop]bool)
	for _, l := range loops.All {
		inner[l] = true
		delete(inner, l.Parent)
	}
	var chosen []*analysis.Loop
	var trips []*analysis.Trip
	var tests [][]*ssa.Value // of each; found before the first value of a loop is a load of what another has computed
	var regions [][]*ssa.Block
	for _, l := range loops.All {
		if !inner[l] {
			continue
		}
		if t := analysis.TripOf(loops, l); t != nil && peelable(t) {
			if first := firstTests(t); len(first) > 0 {
				chosen, trips, tests, regions = append(chosen, l), append(trips, t), append(tests, first), append(regions, l.Blocks)
			}
		}
	}
	if len(chosen) == 0 {
		return
	}
	preheaders(loops, chosen)
	slots := demote(f, regions)
	for i, t := range trips {
		peelTested(f, t, tests[i])
		for _, v := range tests[i] {
			decideTest(v, false)
		}
		r.Applied(loopPos(t.Loop), "the first iteration is peeled: the loop tests for it")
	}
	removeUnreachable(f)
	promoteOnly(f, slots)
	r.Count("loops", len(trips))
}

// maxPeel is the number of operations of the largest loop that is peeled.
const maxPeel = 64

// peelable reports whether a loop's body may be copied, and is small enough.
func peelable(t *analysis.Trip) bool {
	if t.Exit != t.Loop.Header || t.Loop.Latches[0] == t.Loop.Header || t.Count >= 0 && t.Count <= maxRounds || t.Tested != t.IV || t.Loop.Header.Unroll == -1 {
		return false
	}
	ends := t.Step == 1 && (t.Stay == ssa.OpSLt || t.Stay == ssa.OpULt) || t.Step == -1 && (t.Stay == ssa.OpSGt || t.Stay == ssa.OpUGt)
	if t.Step == 0 || !ends && !t.Next.NoWrap {
		return false
	}
	size := 0
	for _, b := range t.Loop.Blocks {
		size += work(b)
	}
	return size <= maxPeel && repeatable(t.Loop.Blocks) && !hasCall(t.Loop.Blocks)
}

func hasCall(blocks []*ssa.Block) bool {
	for _, b := range blocks {
		for _, v := range b.Values {
			if v.Op.IsCall() {
				return true
			}
		}
	}
	return false
}

// firstTests returns the comparisons of the induction variable with its first value, in the body.
func firstTests(t *analysis.Trip) (tests []*ssa.Value) {
	first := func(v *ssa.Value) bool {
		return v == t.Init || v.Op == ssa.OpConst && t.Init.Op == ssa.OpConst && v.Int == t.Init.Int
	}
	for _, b := range t.Loop.Blocks {
		if b == t.Loop.Header {
			continue
		}
		for _, v := range b.Values {
			if (v.Op == ssa.OpEq || v.Op == ssa.OpNe) && (v.Args[0] == t.IV && first(v.Args[1]) || v.Args[1] == t.IV && first(v.Args[0])) {
				tests = append(tests, v)
			}
		}
	}
	return tests
}

// decideTest makes v, a comparison for equality, the constant that it is if its operands are equal or not.
func decideTest(v *ssa.Value, equal bool) {
	is := equal == (v.Op == ssa.OpEq)
	reset(v, ssa.OpConst)
	if is {
		v.Int = -1
	}
}

// peelTested copies the first iteration, with the test of the loop, in front of it.
func peelTested(f *ssa.Func, t *analysis.Trip, tests []*ssa.Value) {
	c := newChain(f, t)
	h, n := c.l.Header, c.first()
	c.edges(n, h, false, 0)
	for _, phi := range h.Phis() {
		phi.Args = append(phi.Args, n.value(phi.Args[c.back]))
	}
	c.startAt(n.blocks[h])
	for _, v := range tests {
		decideTest(n.value(v), true)
	}
}
