package opt

import (
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// This file fully unrolls loops of which only the greatest number of iterations is known.
//
// The bound of a loop over the elements of a small local array is often a count that is known
// to be small, as the number of flags that are set. All copies keep their tests then, but the
// last, which always leaves:
//
//	for (i = 0; i < n; i++) if (a[i] != b[i]) break;         n is 0 to 2
//
//	if (0 < n && a[0] == b[0] && 1 < n && a[1] == b[1]) ...
//
// It pays only where elements of a local array become values, and up to maxBounded iterations.

// maxBounded bounds the iterations of a loop whose number of iterations is not known.
const maxBounded = 8

// bounded returns the plan to unroll such a loop, or nil.
func (u *unroller) bounded(loops *analysis.Loops, t *analysis.Trip) *plan {
	l := t.Loop
	switch {
	case l.Header.Unroll != 0 || t.Count >= 0 || t.IV == nil || t.Stride != nil || t.Step <= 0:
		return nil
	case t.Exit != l.Header || l.Latches[0] == l.Header || t.Tested != t.IV || t.Init.Op != ssa.OpConst:
		return nil
	case synchronises(l.Blocks):
		return nil
	}
	w := u.left(loops, l)
	if !w.pays {
		return nil
	}
	r := u.rangesOf().Of(t.Bound)
	last := r.Hi // the greatest value that stays
	switch {
	case t.Stay == ssa.OpSLt || t.Stay == ssa.OpULt && r.NonNegative():
		last--
	case t.Stay == ssa.OpSLe || t.Stay == ssa.OpULe && r.NonNegative():
	default:
		return nil
	}
	first := t.Init.Int
	if last < first || last/t.Step-first/t.Step >= maxBounded {
		return nil
	}
	rounds := int((last-first)/t.Step) + 1
	total := w.all * rounds
	if rounds > maxBounded || total > maxWholePays || u.size+total > maxUnrolled || u.spills(loops, l) {
		return nil
	}
	u.size += total
	return &plan{trip: t, copies: rounds, whole: true, bounded: true}
}
