package opt

import (
	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Hoisting of common operations of both successors of a branch.
// Source: NVIDIA, section 3.4 ("hoisting extra computations out of branches is
// beneficial"; the last row of their Table 1).
//
// When a warp diverges at a branch, both sides are executed one after the other, and
// an operation that both have is executed twice. It is hoisted before the branch.
//
//	if v1, b1, b2                      v3 = load i32 v0 align 4
//	b1: v3 = load i32 v0 align 4       if v1, b1, b2
//	    store v9, v3 align 4           b1: store v9, v3 align 4
//	b2: v4 = load i32 v0 align 4       b2: store v8, v3 align 4
//	    store v8, v4 align 4
//
// Both sides execute the operation anyway, so a load needs no proof that it cannot
// fault, only that nothing before it in its side writes or synchronises; and long
// operations are hoisted too. Operations that depend on hoisted ones are visited
// again, at most maxHoistRounds times, in the first maxHoistScan values of each side.
//
// An operation that one side and the join block have in common is hoisted too: all
// threads of the warp execute it in the end. Without the load a short side can then
// become a select. No side may write or synchronise before a load that is hoisted
// past it.
//
//	if v1, b1, b2                      v4 = load i32 v0 align 4
//	b1: v3 = load i32 v0 align 4       if v1, b1, b2
//	    v5 = add i32 v2, v3            b1: v5 = add i32 v2, v4
//	    jump b2                            jump b2
//	b2: v6 = phi i32 v2, v5            b2: v6 = phi i32 v2, v5
//	    v4 = load i32 v0 align 4           v7 = add i32 v6, v4
//	    v7 = add i32 v6, v4
//
// A hoisted value is live from the end of the branch's block on. Where that would exceed
// the limit of registers (analysis.Registers), only loads and long operations are hoisted.
// The first maxFreeHoists operations of a function are hoisted without an estimate.
//
// What it will not do: move stores, atomics, volatile accesses, barriers or
// warp operations, even if both sides have them: each has one place in the text;
// move from a block that has other predecessors.
func hoistCommon(f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	h := &common{f: f, subst: newSubst(f), clean: true}
	h.branches(true)
	r.Count("values", h.values)
	r.Count("loads", h.loads)
	r.Count("kept for registers", h.kept)
}

// hoistLoads hoists the operations of both successors of a branch, and returns the number of
// loads.
func hoistLoads(f *ssa.Func) int {
	h := &common{f: f, subst: newSubst(f), clean: true}
	h.branches(false)
	return h.loads
}

// branches hoists before each branch, the last one first, what both of its successors compute,
// and what its join does if joins is set.
func (h *common) branches(joins bool) {
	for i := len(h.f.Blocks) - 1; i >= 0; i-- {
		b := h.f.Blocks[i]
		if b.Kind != ssa.BlockIf || b.Succs[0] == b.Succs[1] {
			continue
		}
		s, t := b.Succs[0], b.Succs[1]
		if len(s.Preds) == 1 && len(t.Preds) == 1 {
			h.rounds(b, s, t)
		}
		if joins {
			h.fromJoin(b, s, t)
		}
	}
	h.subst.apply(h.f)
}

const (
	maxHoistRounds = 8
	maxHoistScan   = 64
	maxFreeHoists  = 4
)

type common struct {
	f         *ssa.Func
	subst     *subst
	registers *analysis.Registers // estimated when first needed
	clean     bool                // loads may move past all values before the current one

	values, loads, kept int
}

// fits reports whether v may be hoisted to the end of b as far as registers are concerned,
// and counts it as live there.
func (h *common) fits(v *ssa.Value, b, s, t *ssa.Block) bool {
	if v.Op == ssa.OpConst || v.Op == ssa.OpFConst || v.Op == ssa.OpUndef || v.Op == ssa.OpLoad || sideCost(v) < 0 || h.values < maxFreeHoists {
		return true
	}
	if h.registers == nil {
		dom := analysis.Dominators(h.f)
		h.registers = analysis.EstimateRegisters(h.f, dom, analysis.FindLoops(h.f, dom))
	}
	size := registersOf(v)
	if size > h.registers.Room(b, s, t) {
		return false
	}
	h.registers.Add(size, b)
	return true
}

func (h *common) rounds(b, s, t *ssa.Block) {
	for range maxHoistRounds {
		if !h.round(b, s, t) {
			return
		}
	}
}

// fromJoin hoists what the sides s and t of b, of which one may be empty,
// have in common with the join block.
func (h *common) fromJoin(b, s, t *ssa.Block) {
	var sides []*ssa.Block
	var join *ssa.Block
	switch {
	case isSide(s, b) && isSide(t, b) && s.Succs[0] == t.Succs[0]:
		sides, join = []*ssa.Block{s, t}, s.Succs[0]
	case isSide(s, b) && s.Succs[0] == t:
		sides, join = []*ssa.Block{s}, t
	case isSide(t, b) && t.Succs[0] == s:
		sides, join = []*ssa.Block{t}, s
	default:
		return
	}
	if join == b || len(join.Preds) != 2 {
		return
	}
	h.clean = true
	for _, side := range sides {
		for _, v := range side.Values {
			h.clean = h.clean && v.Op.Effects()&(ssa.Writes|ssa.Syncs) == 0 && !v.Mem.Volatile
		}
	}
	for _, side := range sides {
		h.rounds(b, join, side)
	}
	h.clean = true
}

// candidates returns the values of side that could be hoisted, in order.
func (h *common) candidates(side *ssa.Block) []*ssa.Value {
	var list []*ssa.Value
	clean := h.clean
	for i, v := range side.Values {
		if i == maxHoistScan {
			break
		}
		h.subst.args(v)
		switch {
		case v.Op == ssa.OpPhi:
			continue
		case v.Op == ssa.OpLoad && !v.Mem.Volatile:
			if !clean {
				continue
			}
		case !v.Mergeable():
			clean = clean && v.Op.Effects()&(ssa.Writes|ssa.Syncs) == 0 && !v.Mem.Volatile
			continue
		}
		outside := true
		for _, a := range v.Args {
			outside = outside && a.Block != side
		}
		if outside {
			list = append(list, v)
		}
	}
	return list
}

// keyOfLoad extends keyOf to loads: of one address, type and kind.
func keyOfLoad(v *ssa.Value) key {
	k := keyOf(v)
	if v.Op == ssa.OpLoad && v.Mem.ReadOnly {
		k.number = 1
	}
	return k
}

// round hoists the values common to both sides and reports whether there were any.
func (h *common) round(b, s, t *ssa.Block) bool {
	other := make(map[key]*ssa.Value)
	for _, v := range h.candidates(t) {
		if k := keyOfLoad(v); other[k] == nil {
			other[k] = v
		}
	}
	if len(other) == 0 {
		return false
	}
	gone := make(map[*ssa.Value]bool)
	moved := 0
	for _, v := range h.candidates(s) {
		k := keyOfLoad(v)
		w := other[k]
		if w == nil {
			continue
		}
		delete(other, k)
		if !h.fits(v, b, s, t) {
			h.kept++
			continue
		}
		h.subst.replace(w, v)
		v.Weaken(w)
		if v.Op == ssa.OpLoad {
			v.Mem.Align = min(v.Mem.Align, w.Mem.Align)
			h.loads++
		} else if v.Op != ssa.OpConst && v.Op != ssa.OpFConst {
			h.values++
		}
		v.Block = b
		b.Values = append(b.Values, v)
		gone[v], gone[w] = true, true
		moved++
	}
	for _, side := range []*ssa.Block{s, t} {
		kept := side.Values[:0]
		for _, v := range side.Values {
			if !gone[v] {
				kept = append(kept, v)
			}
		}
		clear(side.Values[len(kept):])
		side.Values = kept
	}
	return moved > 0
}
