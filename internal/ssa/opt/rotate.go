package opt

import (
	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Loop rotation.
// Source: none of the papers names it; their loop-invariant code motion needs
// it (gpucc, section 3; NVIDIA, section 3.5).
//
// A for loop tests before each iteration, so its body may never be executed, and a
// load in it must not be hoisted out of the loop. The pass copies the test before the
// loop and moves the test itself to the latch:
//
//	b1: v2 = phi i32 v0, v5         b5: v6 = slt i1 v0, v1      the copy
//	    v3 = slt i1 v2, v1              if v6, b2, b3
//	    if v3, b2, b3               b2: v7 = phi i32 v0, v5
//	b2: v5 = add i32 v2, v4             v5 = add i32 v7, v4
//	    jump b1                         v3 = slt i1 v5, v1
//	                                    if v3, b2, b3
//
// The body is then executed whenever the loop is entered, and an iteration has one
// jump less. The test may have maxTest operations, loads among them: they are
// executed as often as before, and in the same order. If one of the last maxTestedBefore
// branches before the loop has made the same test, as the guard that promotion leaves does,
// the copy does not branch.
//
// What it will not do: copy a test that holds atomics, barriers, warp
// operations or calls; rotate a loop that ends in a test already, or whose
// header does not leave it; a loop with several entries.
func rotate(f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	dom := analysis.Dominators(f)
	loops := analysis.FindLoops(f, dom)
	var chosen []*analysis.Loop
	var headers [][]*ssa.Block
	for i := len(loops.All) - 1; i >= 0; i-- { // inner loops first
		if l := loops.All[i]; rotatable(loops, l) {
			chosen = append(chosen, l)
			headers = append(headers, l.Blocks[:1])
		}
	}
	if len(chosen) == 0 {
		return
	}
	preheaders(loops, chosen)
	slots := demote(f, headers)
	for _, l := range chosen {
		rotateLoop(f, loops, l)
	}
	promoteOnly(f, slots)
	r.Count("loops", len(chosen))
}

const (
	maxTest         = 12
	maxTestedBefore = 4
	maxTestDepth    = 4 // operands of operands that are compared
)

func rotatable(loops *analysis.Loops, l *analysis.Loop) bool {
	h := l.Header
	if h.Kind != ssa.BlockIf || h.Succs[0] == h.Succs[1] || loops.Contains(l, h.Succs[0]) == loops.Contains(l, h.Succs[1]) {
		return false
	}
	outside, latchIsHeader := 0, false
	for _, p := range h.Preds {
		if !loops.Contains(l, p) {
			outside++
		}
		latchIsHeader = latchIsHeader || p == h
	}
	tests := 0
	for _, v := range h.Values {
		if v.Op != ssa.OpPhi && v.Op != ssa.OpConst {
			tests++
		}
		if v.Op.Effects()&ssa.Writes != 0 {
			return false
		}
	}
	return outside == 1 && !latchIsHeader && tests <= maxTest && clonable([]*ssa.Block{h})
}

// rotateLoop copies the header for the entry edge of the loop. The header, which
// only the back edges then reach, becomes the test at the end of an iteration.
func rotateLoop(f *ssa.Func, loops *analysis.Loops, l *analysis.Loop) {
	h := l.Header
	enter := 0
	for loops.Contains(l, h.Preds[enter]) {
		enter++
	}
	c := newCopier(f)
	for _, phi := range h.Phis() {
		c.values[phi] = phi.Args[enter]
	}
	c.copyValues([]*ssa.Block{h})
	guard := c.blocks[h]
	loops.Put(guard, l.Parent)
	for i := range h.Succs {
		c.addEdgeLike(guard, h, i, h.Succs[i])
	}
	before := h.Preds[enter]
	for i, s := range before.Succs {
		if s == h {
			before.Succs[i] = guard
			break
		}
	}
	guard.Preds = []*ssa.Block{before}
	removePred(h, enter)
	stay := 0
	if !loops.Contains(l, h.Succs[0]) {
		stay = 1
	}
	h.Succs[stay].Unroll, h.Unroll = h.Unroll, 0
	if testedBefore(guard, stay) {
		removeEdge(guard, 1-stay)
	}
}

// testedBefore reports whether a branch that leads to b, which ends in a branch, has the
// same condition, and it chose the successor with index stay.
func testedBefore(b *ssa.Block, stay int) bool {
	at := b
	for range maxTestedBefore {
		if len(at.Preds) != 1 {
			return false
		}
		from := at.Preds[0]
		if from.Kind == ssa.BlockIf && from.Succs[stay] == at && from.Succs[1-stay] != at && sameTest(from.Ctrl, b.Ctrl, maxTestDepth) {
			return true
		}
		at = from
	}
	return false
}

// sameTest reports whether v and w are equal: one value, or the same operation on equal
// values.
func sameTest(v, w *ssa.Value, depth int) bool {
	if v == w {
		return true
	}
	if depth > 0 && v.Op.IsIntCompare() && v.Op != w.Op && v.Op == swapped(w.Op) { // folding puts constants second
		return sameTest(v.Args[0], w.Args[1], depth-1) && sameTest(v.Args[1], w.Args[0], depth-1)
	}
	if depth == 0 || v.Op != w.Op || v.Op == ssa.OpPhi || !v.Mergeable() || v.Type != w.Type || v.Int != w.Int || v.Sym != w.Sym || len(v.Args) != len(w.Args) || v.Op == ssa.OpFConst {
		return false
	}
	for i, a := range v.Args {
		if !sameTest(a, w.Args[i], depth-1) {
			return false
		}
	}
	return true
}
