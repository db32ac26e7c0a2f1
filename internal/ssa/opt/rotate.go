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
// executed as often as before, and in the same order.
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

const maxTest = 12

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
	body := h.Succs[0]
	if !loops.Contains(l, body) {
		body = h.Succs[1]
	}
	body.Unroll, h.Unroll = h.Unroll, 0
}
