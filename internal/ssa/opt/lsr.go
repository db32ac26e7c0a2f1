package opt

import (
	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Loop strength reduction.
// Source: none of the papers has it; LLVM's LoopStrengthReduce and Allen, Cocke and
// Kennedy, "Reduction of operator strength" (1981), which NVIDIA's compiler has, too.
//
// A value that is linear in the induction variables of a loop grows by the same amount
// in each iteration. The pass replaces it by a recurrence, a phi of the header to which
// the latch adds the stride. The start and the stride are computed before the loop:
//
//	b1: v3 = phi i32 v0, v8        before b1: v9 = mul i32 v2, v0
//	    v4 = mul i32 v2, v3                   v10 = add i32 v1, v9
//	    v5 = add i32 v1, v4        b1: v3 = phi i32 v0, v8
//	    v6 = sext i64 v5               v11 = phi i32 v10, v12
//	    v7 = shl i64 v6, 2             v6 = sext i64 v11
//	    ...                            ...
//	    v8 = add i32 v3, 1             v8 = add i32 v3, 1
//	                                   v12 = add i32 v11, v2
//
// Linear are constants, values defined outside of the loop, induction variables (of a
// constant or invariant step), and sums, differences, products and shifts by constants of
// these, of i32, i64, or addresses in global memory. They are compared as polynomials
// (lsr_form.go), so that values that were computed in different orders share a
// recurrence. Addresses that differ by a constant share one, too: the accesses fold the
// difference into their offsets.
//
// Recurrences are computed without a promise not to wrap, in the ring of their type, in
// which all of the above is exact: nothing has to be known of the range of the values,
// of the trip count, or of which iterations compute the value. Only a sign extension
// needs a proof: its operand is extended term by term if each sum and product in it, and
// the increments of the induction variables, promise not to wrap (ssa.Op.MayPromise).
// Where a promise is broken, the original was poison. Values whose terms cancel are left
// alone: then the recurrence depends on nothing that an original does not depend on.
//
// A multiplication is one instruction, free where it is added to something, and so is
// widening an index, scaling it and adding it to a pointer (IMAD, IMAD.WIDE). So most
// loops gain nothing, and the pass counts (lsr_cost.go): it starts with all linear values
// that are used by others, then drops the recurrences without which the loop has no more
// instructions, the worst first. An address that is only a widened index keeps its form,
// and the index gets the recurrence: an addition of 32 bits, not 64. But in short loops
// that unrolling has left alone because of their stores, addresses are recurrences: the
// assembler unrolls these loops itself, and then adds constants to recurrences only, in the
// offsets of the accesses of all copies. It unrolls larger loops of few iterations fully where
// addresses are products of the index, and in part where they are recurrences, which is
// better: the stores keep the loads of a copy behind those of the copy before it (seven
// iterations of 46 instructions took 1.3 times as long). A recurrence is computed in each
// iteration, also for values that only some iterations compute: these count half. It takes
// registers; recurrences beyond the limit (analysis.Registers) are dropped.
//
// Loops are visited from the innermost outward: starts are computed in the loop around.
// The pass runs after unrolling and after the reassociation of addresses, because these
// look for sums, which it hides, and after vectorisation, to which a recurrence is an
// address of unknown origin.
//
// In loops that were unrolled, values whose stride is a variable of 64 bits stay as they are:
// their copies would wait for each other, and the loads behind them, which unrolling has made
// independent (benchmark index64: 1.7 times the time, with fewer instructions). The assembler is told not to unroll
// such a loop once more: each copy would compute its product between the loads (1.54 times nvcc's time, 0.87 without).
// A stride of 32 bits is added by one instruction (IMAD.WIDE), so that the assembler, which unrolls the
// recurrence, has the loads of 16 iterations under way where it has those of four otherwise.
//
// What it will not do: replace an exit test, or remove an induction variable that only
// counts; reduce what an inner loop computes and the outer loop makes linear; reduce
// addresses in shared or local memory, which have 32 bits in machine code.
func reduceLoops(f *ssa.Func, r *pass.Run) {
	if !hasProductAndPhi(f) {
		return
	}
	removeUnreachable(f)
	dom := analysis.Dominators(f)
	loops := analysis.FindLoops(f, dom)
	list := multiplying(loops)
	if len(list) == 0 {
		return
	}
	if preheaders(loops, list) {
		dom = analysis.Dominators(f)
		loops = analysis.FindLoops(f, dom)
		list = multiplying(loops)
	}
	s := &loopReducer{f: f, dom: dom, loops: loops, uses: &useChanges{lists: analysis.Uses(f), since: make(map[*ssa.Value]*useChange)}}
	s.count = newLoopCount(s)
	for i := len(list) - 1; i >= 0; i-- { // inner loops first
		s.loop(list[i])
	}
	r.Count("recurrences", s.made)
	r.Count("values", s.replaced)
}

// hasProductAndPhi reports whether f has a phi and a product or address, as most functions
// have not.
func hasProductAndPhi(f *ssa.Func) bool {
	product, phi := false, false
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			product = product || isProduct(v) || v.Op == ssa.OpPtrAdd
			phi = phi || v.Op == ssa.OpPhi
		}
	}
	return product && phi
}

// isProduct reports whether v is a product that may be reduced.
func isProduct(v *ssa.Value) bool {
	return v.Op == ssa.OpMul && (v.Type == ssa.I32 || v.Type == ssa.I64)
}

// multiplying returns the loops with one entry and one latch that have, without their
// inner loops, a product of what they compute, or are short. Outer loops come first.
func multiplying(loops *analysis.Loops) []*analysis.Loop {
	var list []*analysis.Loop
	for _, l := range loops.All {
		if len(l.Latches) == 1 && len(l.Header.Preds) == 2 && (isShort(loops, l) || multiplies(loops, l)) {
			list = append(list, l)
		}
	}
	return list
}

// multiplies reports whether l, without its inner loops, has a product of what it computes.
func multiplies(loops *analysis.Loops, l *analysis.Loop) bool {
	for _, b := range l.Blocks {
		if loops.Of(b) != l {
			continue
		}
		for _, v := range b.Values {
			if isProduct(v) && (loops.Contains(l, v.Args[0].Block) || loops.Contains(l, v.Args[1].Block)) {
				return true
			}
		}
	}
	return false
}

// isShort reports whether l has few operations, or few iterations of more, no branch inside,
// in machine code either, and both loads and stores: the assembler unrolls it.
func isShort(loops *analysis.Loops, l *analysis.Loop) bool {
	most := maxShort
	if t := analysis.TripOf(loops, l); t != nil && t.Exit == l.Latches[0] && 0 < t.Count && t.Count < shortTrips {
		most = maxShortFull
	}
	n, loads, stores := 0, false, false
	for _, b := range l.Blocks {
		if n += work(b); n > most || b != l.Latches[0] && len(b.Succs) != 1 {
			return false
		}
		for _, v := range b.Values {
			loads = loads || v.Op == ssa.OpLoad && localBase(v.Args[0]) == nil
			stores = stores || v.Op == ssa.OpStore && localBase(v.Args[0]) == nil
			if v.Op.IsDivision() || v.Op == ssa.OpFDiv || v.Op == ssa.OpFSqrt {
				return false
			}
		}
	}
	return loads && stores && clonable(l.Blocks)
}

const (
	maxRecurrences = 24 // that are tried in a loop
	maxDistance    = 1 << 20
	maxShort       = 24  // operations of a loop that the assembler unrolls
	shortTrips     = 16  // iterations of a loop that the assembler unrolls fully,
	maxShortFull   = 160 // and its operations
)

// A loopReducer reduces the loops of a function.
type loopReducer struct {
	f         *ssa.Func
	dom       *analysis.DomTree
	loops     *analysis.Loops
	uses      *useChanges
	registers *analysis.Registers // of the function before any change

	// Of the current loop.
	l       *analysis.Loop
	ivs     map[*ssa.Value]*inductionVar // by phi
	forms   map[*ssa.Value]*form
	exacts  map[*ssa.Value]*form
	classes []*recurrence
	count   *loopCount
	short   bool // see isShort

	made, replaced int
}

// An inductionVar is a phi of the header to which each iteration adds step, or from which
// it subtracts it.
type inductionVar struct {
	phi, next, init, step *ssa.Value
	minus                 bool
}

// A recurrence is a set of values that differ by constants, the first of which would be
// a phi.
type recurrence struct {
	roots []*root
}

// A root is a linear value of the loop that something else than linear values uses.
type root struct {
	v    *ssa.Value
	away int64 // the constant by which it exceeds the first of its recurrence
}

// inside reports whether v changes its value with the loop's iterations, or may.
func (s *loopReducer) inside(v *ssa.Value) bool {
	return v.Op != ssa.OpConst && s.loops.Contains(s.l, v.Block)
}

// loop reduces l.
func (s *loopReducer) loop(l *analysis.Loop) {
	s.l, s.short = l, isShort(s.loops, l)
	if !s.inductionVars() || !s.short && !multiplies(s.loops, l) {
		return
	}
	s.forms, s.exacts = make(map[*ssa.Value]*form), make(map[*ssa.Value]*form)
	s.classify()
	if len(s.classes) == 0 {
		return
	}
	s.count.begin()
	chosen := s.count.choose(s.classes)
	if len(chosen) == 0 {
		return
	}
	if s.registers == nil {
		s.registers = analysis.EstimateRegisters(s.f, s.dom, s.loops)
	}
	if chosen = s.count.fit(chosen, s.registers); len(chosen) > 0 {
		s.rewrite(chosen)
	}
}

// inductionVars finds the induction variables of the loop.
func (s *loopReducer) inductionVars() bool {
	h := s.l.Header
	back := h.PredIndex(s.l.Latches[0])
	s.ivs = make(map[*ssa.Value]*inductionVar)
	for _, phi := range h.Phis() {
		next := phi.Args[back]
		if phi.Type != ssa.I32 && phi.Type != ssa.I64 || next.Op != ssa.OpAdd && next.Op != ssa.OpSub {
			continue
		}
		for i, a := range next.Args {
			if step := next.Args[1-i]; a == phi && !s.inside(step) && (i == 0 || next.Op == ssa.OpAdd) {
				s.ivs[phi] = &inductionVar{phi: phi, next: next, init: phi.Args[1-back], step: step, minus: next.Op == ssa.OpSub}
				break
			}
		}
	}
	return len(s.ivs) > 0
}

// classify finds the roots of the loop and groups them.
func (s *loopReducer) classify() {
	s.classes = s.classes[:0]
	known := make(map[formKey]*recurrence)
	seen := make(map[*ssa.Value]bool)
	unrolled := s.unrolled()
	for _, b := range s.l.Blocks {
		if s.loops.Of(b) != s.l {
			continue
		}
		for _, v := range b.Values {
			if !s.isRoot(v) {
				continue
			}
			if v = s.index(v); v == nil || seen[v] {
				continue
			}
			seen[v] = true
			f := s.form(v)
			if v.Type != ssa.I32 && unrolled && !s.grows(f) && !s.widened(f) {
				if h := s.l.Header; h.Unroll == 0 || h.Unroll == ssa.Unrolled { // not against the source
					h.Unroll = 1
				}
				continue
			}
			k, c := f.key(v.Type)
			r := known[k]
			if r == nil {
				if len(s.classes) == maxRecurrences {
					return
				}
				r = &recurrence{}
				known[k] = r
				s.classes = append(s.classes, r)
			}
			away := int64(0)
			if len(r.roots) > 0 {
				_, first := s.form(r.roots[0].v).key(v.Type)
				away = ssa.SignExtend(widthType(v.Type), c-first)
			}
			if -maxDistance < away && away < maxDistance {
				r.roots = append(r.roots, &root{v, away})
			}
		}
	}
}

// unrolled reports whether an induction variable grows by a constant of more than one, as those of
// loops do that were unrolled.
func (s *loopReducer) unrolled() bool {
	for _, iv := range s.ivs {
		if iv.step.Op == ssa.OpConst && iv.step.Int*iv.step.Int > 1 {
			return true
		}
	}
	return false
}

// isRoot reports whether v is linear, varies, and has a use that is not linear.
func (s *loopReducer) isRoot(v *ssa.Value) bool {
	if !reducible(v) || !s.varies(s.form(v)) {
		return false
	}
	for _, iv := range s.ivs {
		if v == iv.next {
			return false
		}
	}
	return s.uses.any(v, func(u analysis.Use) bool {
		w := u.User
		return w == nil || s.loops.Of(w.Block) != s.l || !reducible(w) || s.form(w) == nil
	})
}

// index returns the linear value that gets the recurrence for v: v itself, or, of an address
// or offset that is only a widened index, the index; nil if that is an induction variable.
func (s *loopReducer) index(v *ssa.Value) *ssa.Value {
	x := v
	if x.Op == ssa.OpPtrAdd {
		if s.inside(x.Args[0]) {
			return v
		}
		x = x.Args[1]
	}
	if x.Op == ssa.OpShl || x.Op == ssa.OpMul && x.Args[1].Op == ssa.OpConst && x.Type == ssa.I64 {
		x = x.Args[0]
	}
	if x.Op != ssa.OpSExt {
		return v
	}
	x = x.Args[0]
	if s.short && v.Op == ssa.OpPtrAdd && s.steady(x) {
		return v
	}
	if !reducible(x) || !s.inside(x) || !s.varies(s.form(x)) {
		return nil
	}
	for _, iv := range s.ivs {
		if x == iv.next {
			return nil
		}
	}
	return x
}

// steady reports whether x is an induction variable whose step is a constant.
func (s *loopReducer) steady(x *ssa.Value) bool {
	iv := s.ivs[x]
	return iv != nil && iv.step.Op == ssa.OpConst
}

// reducible reports whether v is an operation of which recurrences can be made.
func reducible(v *ssa.Value) bool {
	switch v.Op {
	case ssa.OpAdd, ssa.OpSub, ssa.OpMul, ssa.OpShl:
		return v.Type == ssa.I32 || v.Type == ssa.I64
	case ssa.OpSExt:
		return v.Type == ssa.I64 && v.Args[0].Type == ssa.I32
	case ssa.OpPtrAdd:
		return (v.Type == ssa.Ptr || v.Type == ssa.PtrGlobal) && v.Args[1].Op != ssa.OpConst
	}
	return false
}

// widthType returns the integer type of the size of t.
func widthType(t ssa.Type) ssa.Type {
	if t == ssa.I32 {
		return t
	}
	return ssa.I64
}
