package opt

import (
	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Speculative execution.
// Source: gpucc, section 3.5; the limits are those of LLVM's pass of the name.
//
// The straight-line passes improve a value with what dominates it. Two
// addresses in two conditional blocks do not dominate each other. So cheap
// operations without effects move from a conditional block to the block that
// branches to it, where they dominate both sides and all that follows; what
// remains is shorter, and the machine's assembler may predicate it.
//
//	if v1, b1, b2                  v3 = ptradd ptr v0, v2
//	b1: v3 = ptradd ptr v0, v2     if v1, b1, b2
//	    v4 = load i32 v3           b1: v4 = load i32 v3
//
// A block is taken when what moves costs maxSpeculated at most and no more
// than maxLeft operations stay: when much stays, the branch is there to skip
// work, and the few operations would only lengthen the other side. Blocks are
// visited from the last to the first, so values move up through nests of
// conditions as far as the budget of each goes.
//
// What it will not do: move loads, divisions, anything with effects; move into
// a loop what stands behind it, or move from a block that control also reaches
// otherwise.
func speculate(f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	dom := analysis.Dominators(f)
	order, loops := dom.Order(), analysis.FindLoops(f, dom)
	moved := 0
	for i := len(order) - 1; i >= 0; i-- {
		b := order[i]
		if b.Kind != ssa.BlockIf || b.Succs[0] == b.Succs[1] {
			continue
		}
		for _, side := range b.Succs {
			if len(side.Preds) == 1 && loops.Of(side) == loops.Of(b) {
				moved += hoist(side, b, r)
			}
		}
	}
	r.Count("values", moved)
}

const (
	maxSpeculated = 7
	maxLeft       = 5
)

// hoist moves what it may from side to the end of b and returns how many
// values moved.
func hoist(side, b *ssa.Block, r *pass.Run) int {
	stays := make(map[*ssa.Value]bool)
	cost, left := 0, 0
	for _, v := range side.Values {
		c := sideCost(v)
		for _, a := range v.Args {
			if stays[a] {
				c = -1
			}
		}
		if c < 0 {
			stays[v] = true
			left++
		}
		cost += max(c, 0)
		if cost > maxSpeculated {
			r.Missed(b.Ctrl.Pos, "nothing moves before the branch: what could costs more than %d", maxSpeculated)
			return 0
		}
		if left > maxLeft {
			if cost > 0 {
				r.Missed(b.Ctrl.Pos, "nothing moves before the branch: more than %d operations would stay behind it", maxLeft)
			}
			return 0
		}
	}
	if cost == 0 {
		return 0
	}
	r.Applied(b.Ctrl.Pos, "operations that cost %d move before the branch", cost)
	kept := side.Values[:0]
	moved := 0
	for _, v := range side.Values {
		if stays[v] {
			kept = append(kept, v)
			continue
		}
		v.Block = b
		b.Values = append(b.Values, v)
		moved++
	}
	clear(side.Values[len(kept):])
	side.Values = kept
	return moved
}
