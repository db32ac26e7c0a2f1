package opt

import (
	"math"

	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Tests of loop counters against wider bounds.
// Source: none of the papers; LLVM widens the counter instead (IndVarSimplify), which takes
// two registers and two instructions per addition on a GPU.
//
// A counter of type int is often compared with a bound of type long or size_t. The test
// then extends the counter in each iteration and compares 64 bits, and no other pass sees
// an induction variable in it: the loop is not unrolled. A bound of at most the largest int
// can be compared with in 32 bits; with a larger one the counter would overflow, which is
// undefined for signed ones. So the bound is brought into the range of an int before the
// loop, and the counter is compared with that.
//
//	b1: v2 = phi i32 v0, v6           v7 = smin i64 v1, 2147483647
//	    v3 = sext i64 v2              v8 = smax i64 v7, -2147483648
//	    v4 = slt i1 v3, v1            v9 = trunc i32 v8
//	    if v4, b2, b3             b1: v2 = phi i32 v0, v6
//	b2: v6 = add i32 v2, 1 nsw        v4 = slt i1 v2, v9
//	    jump b1                       if v4, b2, b3
//
// A bound that is compared without sign must have a counter that is never negative.
//
// What it will not do: change a loop that has another exit, or a call, by which it may end
// before the counter overflows; a counter that may wrap, as unsigned ones may; one that
// counts down.
func loopTests(f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	dom := analysis.Dominators(f)
	loops := analysis.FindLoops(f, dom)
	n := 0
	var ranges *analysis.RangeInfo
	for _, l := range loops.All {
		t := wideTestOf(loops, l)
		if t == nil {
			continue
		}
		if t.stay.IsUnsignedOrder() {
			if ranges == nil {
				ranges = analysis.Ranges(f, dom)
			}
			if !ranges.Of(t.counter).NonNegative() {
				continue
			}
		}
		r.Applied(loopPos(l), "the counter is compared in 32 bits: the bound is brought into their range before the loop")
		t.rewrite(f)
		n++
	}
	r.Count("tests", n)
}

// A wideTest is the test of a loop that continues while sext(counter) stay bound.
type wideTest struct {
	head, before *ssa.Block // before ends where the loop begins
	counter      *ssa.Value // a phi of head of 32 bits
	bound        *ssa.Value // of 64 bits, computed before the loop
	stay         ssa.Op
	negated      bool // the test is the condition to leave
}

// wideTestOf returns the test of l if it is one that can be rewritten, or nil.
func wideTestOf(loops *analysis.Loops, l *analysis.Loop) *wideTest {
	h := l.Header
	if h.Kind != ssa.BlockIf || len(l.Exits) != 1 || len(l.Latches) != 1 || len(h.Preds) != 2 || !h.Ctrl.Op.IsIntCompare() || loops.Contains(l, h.Succs[0]) == loops.Contains(l, h.Succs[1]) {
		return nil
	}
	back := h.PredIndex(l.Latches[0])
	t := &wideTest{head: h, before: h.Preds[1-back], negated: !loops.Contains(l, h.Succs[0])}
	for i, a := range h.Ctrl.Args {
		if a.Op != ssa.OpSExt || a.Type != ssa.I64 || a.Args[0].Type != ssa.I32 || a.Args[0].Op != ssa.OpPhi || a.Args[0].Block != h {
			continue
		}
		t.counter, t.bound, t.stay = a.Args[0], h.Ctrl.Args[1-i], h.Ctrl.Op
		if i == 1 {
			t.stay = swapped(t.stay)
		}
	}
	if t.counter == nil || t.bound.Op == ssa.OpConst || loops.Contains(l, t.bound.Block) {
		return nil
	}
	if t.negated {
		t.stay, _ = opposite(t.stay)
	}
	switch t.stay {
	case ssa.OpSLt, ssa.OpSLe, ssa.OpULt, ssa.OpULe:
	default: // the counter does not go up to the bound
		return nil
	}
	next := t.counter.Args[back]
	if next.Op != ssa.OpAdd || !next.NoWrap || next.Args[0] != t.counter || next.Args[1].Op != ssa.OpConst || next.Args[1].Int <= 0 {
		return nil
	}
	for _, b := range l.Blocks {
		for _, v := range b.Values {
			if v.Op.IsCall() || v.Op.IsAsm() {
				return nil
			}
		}
	}
	return t
}

// rewrite compares the counter with the bound in 32 bits.
func (t *wideTest) rewrite(f *ssa.Func) {
	n := &inserter{f: f, at: t.head.Ctrl}
	limit := t.bound
	least, most, add := int64(math.MinInt32), int64(math.MaxInt32), int64(0)
	if t.stay == ssa.OpSLe || t.stay == ssa.OpULe { // counter < bound + 1
		least, most, add = least-1, most-1, 1
	}
	if t.stay.IsUnsignedOrder() {
		limit = n.make(ssa.OpUMin, ssa.I64, limit, n.int(ssa.I64, most))
	} else {
		limit = n.make(ssa.OpSMin, ssa.I64, limit, n.int(ssa.I64, most))
		limit = n.make(ssa.OpSMax, ssa.I64, limit, n.int(ssa.I64, least))
	}
	if add != 0 {
		limit = n.make(ssa.OpAdd, ssa.I64, limit, n.int(ssa.I64, add))
	}
	limit = n.make(ssa.OpTrunc, ssa.I32, limit)
	for _, v := range n.out {
		v.Block = t.before
	}
	t.before.Values = append(t.before.Values, n.out...)
	c := f.NewValue(ssa.OpSLt, ssa.I1, t.counter, limit)
	c.Block, c.Pos = t.head, t.head.Ctrl.Pos
	t.head.Values = append(t.head.Values, c)
	t.head.Ctrl = c
	if t.negated {
		t.head.Succs[0], t.head.Succs[1] = t.head.Succs[1], t.head.Succs[0]
	}
}
