package opt

import (
	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Loop idiom recognition: loops that count bits.
// Source: none of the papers; LLVM's LoopIdiomRecognize.
//
// A loop that clears the lowest bit of a word, or shifts the word by a constant, until it
// is zero has as many iterations as the word has bits set, or digits. The number is one
// instruction of the device, and what the loop adds up in each iteration is a product.
//
//	b1: v2 = phi i64 v0, v5         v9 = popc i32 v0
//	    v3 = phi i32 v8, v6         v3 = add i32 v8, v9
//	    v4 = ne i1 v2, 0
//	    if v4, b2, b3
//	b2: v5 = and i64 v2, (v2 - 1)
//	    v6 = add i32 v3, 1
//	    jump b1
//
// The steps are x & (x - 1), x - (x & -x), x ^ (x & -x), x >> k without sign and x << 1.
// Either the word is tested before its step (while (x)), or the result of the step is
// (while (x >>= 1)). A counter may be narrower than its sum, as a variable of type char
// is: the sum is truncated once instead of in each iteration.
//
// The threads of a warp execute the loop until the one with the most bits is done, an
// iteration waiting for the one before; so it pays however few bits there are.
//
// What it will not do: remove a loop with effects or loads, as one over the bits of a
// mask; one with another result than sums of invariant values; one with branches.
func loopIdioms(f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	loops := analysis.FindLoops(f, analysis.Dominators(f))
	if len(loops.All) == 0 {
		return
	}
	s := newSubst(f)
	counts, lengths := 0, 0
	for _, l := range loops.All {
		x := idiomOf(l, s)
		if x == nil || !x.onlySums(f) {
			continue
		}
		at := loopPos(l)
		if x.step == stepClear {
			counts++
			r.Applied(at, "loop is replaced: it counts the bits of a word that are set")
		} else {
			lengths++
			r.Applied(at, "loop is replaced: it counts the digits of a word")
		}
		x.rewrite(f)
	}
	s.apply(f)
	removeUnreachable(f)
	r.Count("bits", counts)
	r.Count("digits", lengths)
}

// A bitStep is what an iteration does to the word.
type bitStep int8

const (
	stepNone  bitStep = iota
	stepClear         // clears the lowest bit that is set
	stepRight         // shifts to the right, without sign
	stepLeft          // shifts to the left by one
)

// A bitLoop is a loop over the bits of a word.
type bitLoop struct {
	head, body *ssa.Block
	enter      int        // the index of the entry among the predecessors of head
	stay       int        // the index of body among the successors of head
	word       *ssa.Value // a phi of head
	next       *ssa.Value // word after the step
	tested     *ssa.Value // word or next: the loop ends when it is zero
	step       bitStep
	by         int64 // of stepRight
	sums       map[*ssa.Value]sum
	subst      *subst
}

// A sum is a counter of the loop: typ(ext(phi) op by), where ext and the truncation are
// left out if the phi is of the type of the operation.
type sum struct {
	op  ssa.Op     // OpAdd or OpSub
	by  *ssa.Value // invariant
	ext ssa.Op     // OpSExt, OpZExt or OpInvalid
}

// idiomOf returns the loop over bits that l is, or nil.
func idiomOf(l *analysis.Loop, s *subst) *bitLoop {
	h := l.Header
	if len(l.Blocks) != 2 || h.Kind != ssa.BlockIf || len(h.Preds) != 2 || len(l.Exits) != 1 {
		return nil
	}
	x := &bitLoop{head: h, body: l.Blocks[1], sums: make(map[*ssa.Value]sum), subst: s}
	if x.body.Kind != ssa.BlockJump || l.Exits[0] == x.body {
		return nil
	}
	if h.Preds[0] == x.body {
		x.enter = 1
	}
	if h.Succs[1] == x.body {
		x.stay = 1
	}
	for _, b := range l.Blocks {
		for _, v := range b.Values {
			if !v.Op.Pure() && (v.Op != ssa.OpPhi || b != h) {
				return nil
			}
		}
	}
	c := h.Ctrl
	if want := [2]ssa.Op{ssa.OpNe, ssa.OpEq}[x.stay]; c.Op != want || !isConst(c.Args[1], 0) {
		return nil
	}
	x.tested = c.Args[0]
	if !x.findStep() {
		return nil
	}
	for _, phi := range h.Phis() {
		if a, ok := x.sumOf(phi); ok && phi != x.word {
			x.sums[phi] = a
		}
	}
	return x
}

// findStep finds the word that the loop tests, and its step.
func (x *bitLoop) findStep() bool {
	if t := x.tested.Type; t != ssa.I32 && t != ssa.I64 {
		return false
	}
	for _, phi := range x.head.Phis() {
		next := phi.Args[1-x.enter]
		if phi != x.tested && (next != x.tested || next.Block != x.head) {
			continue
		}
		x.word, x.next = phi, next
		x.step = x.stepOf(next)
		return x.step != stepNone
	}
	return false
}

// stepOf returns what v does to the word, and sets by.
func (x *bitLoop) stepOf(v *ssa.Value) bitStep {
	w := x.word
	switch v.Op {
	case ssa.OpLShr, ssa.OpShl:
		k, ok := constant(v.Args[1])
		switch {
		case v.Args[0] != w || !ok || k <= 0 || k >= int64(w.Type.Bits()):
		case v.Op == ssa.OpLShr:
			x.by = k
			return stepRight
		case k == 1:
			return stepLeft
		}
	case ssa.OpAnd:
		for i, a := range v.Args {
			if c, n, ok := withConstant(v.Args[1-i], ssa.OpAdd); a == w && ok && c == w && n == -1 {
				return stepClear
			}
		}
	case ssa.OpSub, ssa.OpXor:
		for i, a := range v.Args {
			if a == w && lowest(v.Args[1-i], w) && (i == 0 || v.Op == ssa.OpXor) {
				return stepClear
			}
		}
	}
	return stepNone
}

// lowest reports whether v is the lowest bit of w that is set, w & -w.
func lowest(v, w *ssa.Value) bool {
	if v.Op != ssa.OpAnd {
		return false
	}
	for i, a := range v.Args {
		if n := v.Args[1-i]; a == w && (n.Op == ssa.OpNeg && n.Args[0] == w || n.Op == ssa.OpSub && isConst(n.Args[0], 0) && n.Args[1] == w) {
			return true
		}
	}
	return false
}

// inside reports whether v is computed in the loop.
func (x *bitLoop) inside(v *ssa.Value) bool {
	return v.Op != ssa.OpConst && (v.Block == x.head || v.Block == x.body)
}

// sumOf returns how an iteration changes phi, if it adds or subtracts an invariant value.
func (x *bitLoop) sumOf(phi *ssa.Value) (sum, bool) {
	v := phi.Args[1-x.enter]
	if !phi.Type.IsInt() || phi.Type == ssa.I1 {
		return sum{}, false
	}
	cut := v.Op == ssa.OpTrunc
	if cut {
		v = v.Args[0]
	}
	if v.Op != ssa.OpAdd && v.Op != ssa.OpSub {
		return sum{}, false
	}
	for i, a := range v.Args {
		by := v.Args[1-i]
		if x.inside(by) || i == 1 && v.Op == ssa.OpSub {
			continue
		}
		switch {
		case a == phi && !cut:
			return sum{op: v.Op, by: by}, true
		case cut && (a.Op == ssa.OpSExt || a.Op == ssa.OpZExt) && a.Args[0] == phi:
			return sum{op: v.Op, by: by, ext: a.Op}, true
		}
	}
	return sum{}, false
}

// onlySums reports whether what is used of the loop behind it are sums, values of the
// header that are computed from them, and the word when it is zero.
func (x *bitLoop) onlySums(f *ssa.Func) bool {
	unknown := make(map[*ssa.Value]bool)
	for _, v := range x.head.Values {
		switch _, isSum := x.sums[v]; {
		case v == x.tested || isSum:
		case v.Op == ssa.OpPhi:
			unknown[v] = true
		default:
			for _, a := range v.Args {
				unknown[v] = unknown[v] || unknown[a]
			}
		}
	}
	for _, b := range f.Blocks {
		if b == x.head || b == x.body {
			continue
		}
		for _, v := range b.Values {
			for _, a := range v.Args {
				if unknown[x.subst.find(a)] {
					return false
				}
			}
		}
		if b.Ctrl != nil && unknown[x.subst.find(b.Ctrl)] {
			return false
		}
	}
	return true
}

// rewrite makes the header of the loop straight code with the values of its last visit.
func (x *bitLoop) rewrite(f *ssa.Func) {
	h := x.head
	n := &inserter{f: f, at: h.Ctrl}
	first := x.word.Args[x.enter]
	if x.tested != x.word {
		first = x.again(n, x.tested)
	}
	rounds := x.rounds(n, first)
	x.subst.replace(x.tested, n.int(x.tested.Type, 0))
	for _, phi := range h.Phis() {
		if a, ok := x.sums[phi]; ok {
			x.subst.replace(phi, x.total(n, a, phi, rounds))
		} else if phi != x.tested { // unused from here on
			x.subst.replace(phi, phi.Args[x.enter])
		}
	}
	for _, v := range h.Values[len(h.Phis()):] {
		if v != x.tested {
			n.out = append(n.out, v)
		}
	}
	h.Values = n.out
	removeEdge(h, x.stay)
	x.body.Preds = []*ssa.Block{x.body} // disconnected; removed as unreachable
}

// again computes v, the step or a value that is invariant, from the word before the loop. A constant is
// copied, since it may be in a block that is removed.
func (x *bitLoop) again(n *inserter, v *ssa.Value) *ssa.Value {
	switch {
	case v == x.word:
		return v.Args[x.enter]
	case v.Op == ssa.OpConst:
		return n.int(v.Type, v.Int)
	case !x.inside(v):
		return v
	}
	args := make([]*ssa.Value, len(v.Args))
	for i, a := range v.Args {
		args[i] = x.again(n, a)
	}
	return n.make(v.Op, v.Type, args...)
}

// rounds returns the number of iterations if first is the first value tested.
func (x *bitLoop) rounds(n *inserter, first *ssa.Value) *ssa.Value {
	if x.step == stepClear {
		return n.make(ssa.OpPopc, ssa.I32, first)
	}
	if x.step == stepLeft {
		first = n.make(ssa.OpBrev, first.Type, first)
	}
	digits := n.make(ssa.OpSub, ssa.I32, n.int(ssa.I32, int64(first.Type.Bits())), n.make(ssa.OpClz, ssa.I32, first))
	if x.by > 1 {
		digits = n.make(ssa.OpUDiv, ssa.I32, n.make(ssa.OpAdd, ssa.I32, digits, n.int(ssa.I32, x.by-1)), n.int(ssa.I32, x.by))
	}
	return digits
}

// total returns the value of phi, the counter a, after so many rounds.
func (x *bitLoop) total(n *inserter, a sum, phi, rounds *ssa.Value) *ssa.Value {
	t, init := a.by.Type, phi.Args[x.enter]
	if a.ext != ssa.OpInvalid {
		init = n.make(a.ext, t, init)
	}
	if t == ssa.I64 {
		rounds = n.make(ssa.OpZExt, t, rounds)
	} else if t != ssa.I32 {
		rounds = n.make(ssa.OpTrunc, t, rounds)
	}
	v := n.make(a.op, t, init, n.make(ssa.OpMul, t, rounds, x.again(n, a.by)))
	if a.ext != ssa.OpInvalid {
		v = n.make(ssa.OpTrunc, phi.Type, v)
	}
	return v
}
