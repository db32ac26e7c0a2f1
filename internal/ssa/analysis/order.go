package analysis

import (
	"slices"

	"irgl/internal/ssa"
)

// ReversePostorder returns the reachable blocks, each before its successors
// except along back edges. The entry is first. Of two successors the first
// comes earlier, so that fallthrough code stays together.
func ReversePostorder(f *ssa.Func) []*ssa.Block {
	if len(f.Blocks) == 0 {
		return nil
	}
	type frame struct {
		b    *ssa.Block
		next int // number of successors still to visit, from the last
	}
	seen := ssa.Make[bool](f, f.NumBlocks())
	post := ssa.Make[*ssa.Block](f, len(f.Blocks))[:0]
	entry := f.Blocks[0]
	seen[entry.ID] = true
	stack := []frame{{entry, len(entry.Succs)}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == 0 {
			post = append(post, top.b)
			stack = stack[:len(stack)-1]
			continue
		}
		top.next--
		if s := top.b.Succs[top.next]; !seen[s.ID] {
			seen[s.ID] = true
			stack = append(stack, frame{s, len(s.Succs)})
		}
	}
	slices.Reverse(post)
	return post
}
