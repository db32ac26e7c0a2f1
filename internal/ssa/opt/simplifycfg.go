package opt

import (
	"slices"

	"irgl/internal/pass"
	"irgl/internal/ssa"
)

// Simplification of the control flow graph.
//
// Lowering creates a block for every possible jump target, and folding leaves
// jumps that are the only predecessor of their target. The pass
//
//   - removes unreachable blocks;
//   - turns an if whose two edges lead to one block, with the same phi
//     arguments, into a jump;
//   - merges a block into its only predecessor when that ends in a jump;
//   - redirects edges past blocks that contain only a jump.
//
// For example, with b0 as the only predecessor of b1:
//
//	b1: jump b2         b0 jumps to b3 directly, and
//	b2: jump b3         b3's values follow b0's
//
// Nothing is cloned, and no value becomes conditional or unconditional: merged
// blocks were always executed together. So barriers and warp operations need
// no exception.
//
// What it will not do: redirect a conditional edge past an empty block into
// a block with phis. That edge would be critical (from a block with two
// successors to one with two predecessors), and the copies for the phi would
// need the empty block again. If-conversion and jump threading are passes of
// their own.
func simplifyCFG(f *ssa.Func, r *pass.Run) {
	if len(f.Blocks) == 0 {
		return
	}
	s := newSubst(f)
	for changed := true; changed; {
		changed = false
		if n := removeUnreachable(f); n > 0 {
			r.Count("unreachable", n)
		}
		for _, b := range f.Blocks {
			if sameTargets(b, s) {
				removeEdge(b, 1)
				r.Count("branches", 1)
				changed = true
			}
		}
		if n := mergeBlocks(f, s); n > 0 {
			r.Count("merged", n)
			changed = true
		}
		if n := skipEmpty(f); n > 0 {
			r.Count("skipped", n)
			changed = true
		}
	}
	s.apply(f)
}

// sameTargets reports whether b's branch has the same effect for either condition.
func sameTargets(b *ssa.Block, s *subst) bool {
	if b.Kind != ssa.BlockIf || b.Succs[0] != b.Succs[1] {
		return false
	}
	first, second := edgeIndex(b, 0), edgeIndex(b, 1)
	for _, phi := range b.Succs[0].Phis() {
		if s.find(phi.Args[first]) != s.find(phi.Args[second]) {
			return false
		}
	}
	return true
}

// mergeBlocks merges blocks into their only predecessors.
func mergeBlocks(f *ssa.Func, s *subst) int {
	gone := ssa.Make[bool](f, f.NumBlocks())
	merged := 0
	for _, b := range f.Blocks {
		if gone[b.ID] {
			continue
		}
		for b.Kind == ssa.BlockJump && len(b.Succs[0].Preds) == 1 && b.Succs[0] != b {
			next := b.Succs[0]
			phis := next.Phis()
			for _, phi := range phis {
				s.replace(phi, phi.Args[0])
			}
			for _, v := range next.Values[len(phis):] {
				v.Block = b
			}
			b.Values = append(b.Values, next.Values[len(phis):]...)
			b.Kind, b.Ctrl, b.Uniform, b.Succs = next.Kind, next.Ctrl, next.Uniform, next.Succs
			for _, after := range b.Succs {
				for j, p := range after.Preds {
					if p == next {
						after.Preds[j] = b
					}
				}
			}
			next.Succs, next.Preds = nil, nil
			gone[next.ID] = true
			merged++
		}
	}
	if merged > 0 {
		f.Blocks = slices.DeleteFunc(f.Blocks, func(b *ssa.Block) bool { return gone[b.ID] })
	}
	return merged
}

// skipEmpty redirects edges past blocks that contain only a jump, the last
// blocks first, so that a chain of them is skipped at once. It returns the
// number of edges redirected; empty blocks left without an edge are
// unreachable.
func skipEmpty(f *ssa.Func) int {
	skipped := 0
	for i := len(f.Blocks) - 1; i > 0; i-- {
		b := f.Blocks[i]
		if b.Kind != ssa.BlockJump || len(b.Values) > 0 || b.Succs[0] == b {
			continue
		}
		target := b.Succs[0]
		phis := target.Phis()
		from := edgeIndex(b, 0)
		kept := b.Preds[:0]
		for _, p := range b.Preds {
			if len(phis) > 0 && p.Kind != ssa.BlockJump || p == b {
				kept = append(kept, p)
				continue
			}
			for k, succ := range p.Succs {
				if succ == b {
					p.Succs[k] = target
					break // a second edge has its own entry in Preds
				}
			}
			target.Preds = append(target.Preds, p)
			for _, phi := range phis {
				phi.Args = append(phi.Args, phi.Args[from])
			}
			skipped++
		}
		b.Preds = kept
		if len(kept) == 0 {
			removePred(target, from)
			b.Succs = []*ssa.Block{b} // disconnected; removed as unreachable
			b.Preds = []*ssa.Block{b}
		}
	}
	return skipped
}
