package opt

import (
	"irgl/internal/analysis"
	"irgl/internal/plan"
	"irgl/syntax"
)

// Dealing of iterations. Where the threads of a block execute an outermost ForAll together,
// consecutive iterations belong to the threads of a block: hubs, which many graphs have
// side by side, are one block's work, and a short worklist that of few blocks. Dealt, only
// the lanes of a warp have consecutive iterations, which is what reading them together
// takes; those of the warps of a block lie as far apart as there are blocks:
//
//	[[queue]] ForAll (i In WL) { ... }        [[deal]] [[queue]] ForAll (i In WL) { ... }
//
// What is legal. The iterations of a ForAll come in no order, so that any thread may have
// any of them. The warps of all blocks must be whole: a kernel that retries items may run in
// blocks of any size, and is left.
//
// It pays with loops of very different lengths side by side, and with short worklists; a
// block of few threads gains nothing. (Beyond the IrGL paper.)

// dealIterations is the row deal.
func dealIterations(k *kernel) {
	for _, s := range analysis.OuterForAlls(k.f.Fn.Decl.Body) {
		if k.given(s, "deal") || !k.together(s) || !k.wants("deal", s) {
			continue
		}
		if why := k.undealt(s); len(why) > 0 {
			k.missed(s, why)
			continue
		}
		k.change(s, func(l *plan.Loop) { l.Deal = true })
		k.Applied(s.Pos(), "the warps of a block have iterations that lie apart")
		k.Count("loops", 1)
	}
}

// undealt returns why the iterations of an outermost ForAll cannot be dealt.
func (k *kernel) undealt(s *syntax.ForAllStmt) []analysis.Reason {
	if k.partial {
		return []analysis.Reason{{Pos: s.Pos(), Text: "not all warps are whole"}}
	}
	return k.notConverged(s)
}
