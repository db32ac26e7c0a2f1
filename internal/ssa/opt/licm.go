package opt

import (
	"slices"

	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Loop-invariant code motion.
// Source: NVIDIA, section 3.5 (the address and then the load of p[n] leave the
// loop); section 3.4 (hoisting out of branches).
//
// Operations whose operands do not change in a loop are hoisted to its preheader.
// Inner loops are visited first, so a value is hoisted out of as many loops as
// possible.
//
//	b1: v3 = ptradd ptr.global v0, v2      before b1: v3, v4
//	    v4 = load i32 v3 align 4           b1:
//	    store v9, v8 align 4               (v9 does not alias v3)
//
// An operation without effects is hoisted from any block of the loop; a long one (a
// division) only if every iteration executes it. A floating-point division, which cannot trap, is
// hoisted also from a block that every iteration executes or none, since all branches to it have
// invariant conditions.
//
// A load is hoisted if nothing in the loop may write its memory (analysis.Memory), and either it
// is executed whenever the loop is entered, which rotation makes true of bodies, or it cannot
// fault: it is in the bounds of an aggregate parameter.
//
// A hoisted value occupies a register for the whole loop. Once the loop's register
// pressure would exceed the limit (analysis.CountRegisters), only loads and long operations
// are hoisted, a floating-point operation that needs no more registers than those of its
// operands that were hoisted and have no other use, and the bound of the loop's test, without which
// unrolling finds no trip count.
//
// What it will not do: move a store, an atomic, a volatile load, a barrier or
// a warp operation; move a load past anything that synchronises, unless the
// load is read-only; move into a branch, or down.
func licm(m *ssa.Module, f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	dom := analysis.Dominators(f)
	loops := analysis.FindLoops(f, dom)
	if len(loops.All) == 0 {
		return
	}
	if preheaders(loops, loops.All) {
		dom = analysis.Dominators(f)
		loops = analysis.FindLoops(f, dom)
	}
	h := &hoister{
		f: f, dom: dom, loops: loops,
		memory: analysis.Clobbers(f, dom, analysis.Alias(f, m)),
	}
	h.registers = analysis.CountRegisters(f, dom, loops)
	for i := len(h.loops.All) - 1; i >= 0; i-- {
		h.loop(h.loops.All[i])
	}
	r.Count("values", h.values)
	r.Count("loads", h.loads)
	r.Count("kept for registers", h.kept)
}

type hoister struct {
	f         *ssa.Func
	dom       *analysis.DomTree
	loops     *analysis.Loops
	memory    *analysis.Memory
	registers *analysis.Registers
	uses      *analysis.UseLists // found when first needed

	values, loads, kept int
}

// loop hoists what it can out of l.
func (h *hoister) loop(l *analysis.Loop) {
	var before *ssa.Block
	for _, p := range l.Header.Preds {
		if !h.loops.Contains(l, p) {
			if before != nil || len(p.Succs) != 1 {
				return
			}
			before = p
		}
	}
	if before == nil {
		return
	}
	written := h.memory.InLoop(l)
	room := h.registers.Room(l.Blocks...)
	must := mustPass(h.dom, h.loops, l, nil)
	decided := make(map[*ssa.Block]bool) // every iteration executes the block, or none does
	for _, b := range l.Blocks {
		always := h.dom.Dominates(b, must)
		d := h.dom.Idom(b)
		decided[b] = always || decided[d] && (d.Kind != ssa.BlockIf || !h.loops.Contains(l, d.Ctrl.Block))
		kept := b.Values[:0]
		for _, v := range b.Values {
			if !h.invariant(l, v) || !(h.movable(v, always, written) || decided[b] && v.Op == ssa.OpFDiv) {
				kept = append(kept, v)
				continue
			}
			free := v.Op == ssa.OpConst || v.Op == ssa.OpFConst || v.Op == ssa.OpUndef
			size := registersOf(v)
			if v.Type.IsFloat() && size > room {
				size = max(0, size-h.freed(v, before))
			}
			if !free && v.Op != ssa.OpLoad && sideCost(v) >= 0 && size > max(room, 0) && !isBound(l, v) {
				kept = append(kept, v)
				h.kept++
				continue
			}
			v.Block = before
			before.Values = append(before.Values, v)
			switch {
			case free:
				continue
			case v.Op == ssa.OpLoad:
				h.loads++
			default:
				h.values++
			}
			room -= size
		}
		clear(b.Values[len(kept):])
		b.Values = kept
	}
}

// isBound reports whether v is compared with in the test of l's header, or is an extent of the launch in what is: the
// trip count is known only if it is computed before the loop.
func isBound(l *analysis.Loop, v *ssa.Value) bool {
	test := l.Header.Ctrl
	if v.Block != l.Header || test == nil || !test.Op.IsIntCompare() {
		return false
	}
	return slices.ContainsFunc(test.Args, func(a *ssa.Value) bool {
		return a == v || v.Op == ssa.OpSpecial && a.Block == l.Header && a.Op != ssa.OpPhi && slices.Contains(a.Args, v)
	})
}

// freed returns the registers of operands at the end of block before, where others were
// hoisted to, that nothing but v uses: they are not live in the loop once v is computed there.
func (h *hoister) freed(v *ssa.Value, before *ssa.Block) int32 {
	if h.uses == nil {
		h.uses = analysis.Uses(h.f)
	}
	sum := int32(0)
	for i, a := range v.Args {
		if a.Block != before || sideCost(a) == 0 || a.Op == ssa.OpSpecial || slices.Contains(v.Args[:i], a) {
			continue
		}
		if !slices.ContainsFunc(h.uses.Of(a), func(use analysis.Use) bool { return use.User != v }) {
			sum += registersOf(a)
		}
	}
	return sum
}

// registersOf returns the registers that a hoisted value occupies, wherever ptxas keeps it:
// of predicates and uniform registers there are few.
func registersOf(v *ssa.Value) int32 { return analysis.RegistersOf(v.Type) }

// invariant reports whether v's arguments are defined outside of l.
func (h *hoister) invariant(l *analysis.Loop, v *ssa.Value) bool {
	for _, a := range v.Args {
		if h.loops.Contains(l, a.Block) {
			return false
		}
	}
	return true
}

// mustPass returns the last block that is on every path from l's header to an
// exit or a back edge of the loop: it, and the blocks that dominate it, are
// executed whenever the loop is entered. The exit in block passed, if it is not nil, is
// not taken.
func mustPass(dom *analysis.DomTree, loops *analysis.Loops, l *analysis.Loop, passed *ssa.Block) *ssa.Block {
	var meet *ssa.Block
	for _, b := range l.Blocks {
		if b == passed {
			continue
		}
		leaves := len(b.Succs) == 0 // a return or trap is an exit, too
		for _, s := range b.Succs {
			leaves = leaves || s == l.Header || !loops.Contains(l, s)
		}
		if !leaves {
			continue
		}
		if meet == nil {
			meet = b
		}
		for !dom.Dominates(meet, b) {
			meet = dom.Idom(meet)
		}
	}
	return meet
}

// movable reports whether v may be executed before the loop.
func (h *hoister) movable(v *ssa.Value, always bool, written analysis.Mask) bool {
	if v.Op == ssa.OpLoad && !v.Mem.Volatile {
		if !analysis.Fixed(v) && h.memory.Class(v.Args[0])&written != 0 {
			return false
		}
		return always || h.cannotFault(v)
	}
	return v.Mergeable() && (always || sideCost(v) >= 0)
}

// cannotFault reports whether v loads from within the bounds of an aggregate
// parameter.
func (h *hoister) cannotFault(v *ssa.Value) bool {
	base, off := analysis.Split(v.Args[0])
	if base.Op != ssa.OpParam || base.Type != ssa.PtrParam {
		return false
	}
	return off >= 0 && off+analysis.AccessSize(v) <= h.f.Params[base.Int].Size
}
