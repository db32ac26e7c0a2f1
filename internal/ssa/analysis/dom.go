package analysis

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/ssa"
)

// A DomTree is the tree of immediate dominators or postdominators of the
// reachable blocks.
type DomTree struct {
	roots    []*ssa.Block
	order    []*ssa.Block
	idom     []*ssa.Block // by block number; nil for roots and for the unreachable
	children []*ssa.Block // of all blocks, those of one block adjacent
	first    []int32      // by block number: index of its first child; one more at the end
	// The times at which a walk of the tree enters and leaves a block, by block
	// number; 0 for blocks that are not in the tree.
	enter, leave []int32
}

// Dominators returns the dominator tree of f, by the algorithm of Cooper,
// Harvey and Kennedy ("A Simple, Fast Dominance Algorithm", 2001).
func Dominators(f *ssa.Func) *DomTree {
	rpo := ReversePostorder(f)
	number := numbering(f, rpo)
	preds := newEdgeLists(f, len(rpo))
	for _, b := range rpo {
		for _, p := range b.Preds {
			if n := number[p.ID]; n >= 0 {
				preds.add(n)
			}
		}
		preds.end()
	}
	return newTree(f, rpo, immediate(preds), -1)
}

// PostDominators returns the postdominator tree of f: a block's parent is the
// first block that is on every path from it to the exit. Blocks that end the
// function are roots, as are those whose paths join only at the exit. An
// infinite loop counts as exiting at the last of its blocks in reverse
// postorder, so that every block is in the tree.
func PostDominators(f *ssa.Func) *DomTree {
	rpo := ReversePostorder(f)
	post, exits := backward(f, rpo)
	// Node 0 is the virtual exit, the successor of all exits.
	number := numbering(f, post)
	preds := newEdgeLists(f, len(post)+1)
	preds.end()
	for _, b := range post {
		for _, s := range b.Succs {
			preds.add(number[s.ID] + 1)
		}
		if exits[b.ID] {
			preds.add(0)
		}
		preds.end()
	}
	return newTree(f, post, immediate(preds), 0)
}

// backward returns the blocks of rpo in a reverse postorder of the reversed
// graph, and which of them are predecessors of the virtual exit.
func backward(f *ssa.Func, rpo []*ssa.Block) (order []*ssa.Block, exits []bool) {
	exits = ssa.Make[bool](f, f.NumBlocks())
	reached := ssa.Make[bool](f, f.NumBlocks())
	for _, b := range rpo {
		reached[b.ID] = true
	}
	type frame struct {
		b    *ssa.Block
		next int
	}
	seen := ssa.Make[bool](f, f.NumBlocks())
	var post []*ssa.Block
	walk := func(root *ssa.Block) {
		exits[root.ID] = true
		if seen[root.ID] {
			return
		}
		seen[root.ID] = true
		stack := []frame{{root, 0}}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if top.next == len(top.b.Preds) {
				post = append(post, top.b)
				stack = stack[:len(stack)-1]
				continue
			}
			p := top.b.Preds[top.next]
			top.next++
			if reached[p.ID] && !seen[p.ID] {
				seen[p.ID] = true
				stack = append(stack, frame{p, 0})
			}
		}
	}
	for _, b := range rpo {
		if len(b.Succs) == 0 {
			walk(b)
		}
	}
	for i := len(rpo) - 1; i >= 0; i-- { // infinite loops
		if !seen[rpo[i].ID] {
			walk(rpo[i])
		}
	}
	order = ssa.Make[*ssa.Block](f, len(post))[:0]
	for i := len(post) - 1; i >= 0; i-- {
		order = append(order, post[i])
	}
	return order, exits
}

// numbering returns each block's position in order by block number, or -1.
func numbering(f *ssa.Func, order []*ssa.Block) []int32 {
	number := ssa.Make[int32](f, f.NumBlocks())
	for i := range number {
		number[i] = -1
	}
	for i, b := range order {
		number[b.ID] = int32(i)
	}
	return number
}

// edgeLists are the predecessors of numbered nodes, concatenated.
type edgeLists struct {
	f     *ssa.Func
	all   []int32
	first []int32 // the index of each node's first predecessor, and one more for the end
}

func newEdgeLists(f *ssa.Func, nodes int) *edgeLists {
	return &edgeLists{f, ssa.Make[int32](f, nodes+nodes/2)[:0], ssa.Make[int32](f, nodes+1)[:1]}
}

// add appends a predecessor to the current node, end starts the next node.
func (l *edgeLists) add(n int32) { l.all = append(l.all, n) }
func (l *edgeLists) end()        { l.first = append(l.first, int32(len(l.all))) }

func (l *edgeLists) of(node int) []int32 { return l.all[l.first[node]:l.first[node+1]] }

// immediate returns the immediate dominators of a graph given as the
// predecessors of nodes that are numbered in reverse postorder, 0 the root.
//
// The predecessors are visited from the last to the first: with many
// predecessors on one path, such as those of a return, each intersection then
// takes one step up to the next, instead of one walk up to the first.
func immediate(preds *edgeLists) []int32 {
	nodes := len(preds.first) - 1
	for n := range nodes {
		if list := preds.of(n); len(list) > 1 {
			slices.SortFunc(list, func(a, b int32) int { return int(b - a) })
		}
	}
	idom := ssa.Make[int32](preds.f, nodes)
	for i := range idom {
		idom[i] = -1
	}
	if len(idom) > 0 {
		idom[0] = 0
	}
	for changed := true; changed; {
		changed = false
		for n := 1; n < nodes; n++ {
			d := int32(-1)
			for _, p := range preds.of(n) {
				switch {
				case idom[p] < 0:
				case d < 0:
					d = p
				default:
					for d != p { // up to the common ancestor
						for d > p {
							d = idom[d]
						}
						for p > d {
							p = idom[p]
						}
					}
				}
			}
			if d != idom[n] {
				idom[n] = d
				changed = true
			}
		}
	}
	return idom
}

// newTree builds the tree of blocks from the numbers of their parents. With
// virtual 0, node 0 is not a block and the nodes are the blocks' positions + 1.
func newTree(f *ssa.Func, order []*ssa.Block, idom []int32, virtual int) *DomTree {
	n := f.NumBlocks()
	t := &DomTree{
		order: order,
		idom:  ssa.Make[*ssa.Block](f, n),
		first: ssa.Make[int32](f, n+1),
		enter: ssa.Make[int32](f, n),
		leave: ssa.Make[int32](f, n),
	}
	shift := virtual + 1 // 0 without, 1 with a virtual root
	for i, b := range order {
		d := int(idom[i+shift]) - shift
		if d < 0 || d == i {
			t.roots = append(t.roots, b)
			continue
		}
		t.idom[b.ID] = order[d]
		t.first[order[d].ID]++
	}
	t.placeChildren(f)
	clock := int32(0)
	t.Walk(func(b *ssa.Block) {
		clock++
		t.enter[b.ID] = clock
	}, func(b *ssa.Block) {
		clock++
		t.leave[b.ID] = clock
	})
	return t
}

// placeChildren fills children; first holds the number of children of each block.
func (t *DomTree) placeChildren(f *ssa.Func) {
	sum := int32(0)
	for id, count := range t.first {
		sum += count
		t.first[id] = sum // the end of its children
	}
	t.children = ssa.Make[*ssa.Block](f, int(sum))
	for i := len(t.order) - 1; i >= 0; i-- {
		b := t.order[i]
		if d := t.idom[b.ID]; d != nil {
			t.first[d.ID]--
			t.children[t.first[d.ID]] = b
		}
	}
}

// Order returns the blocks of the tree in reverse postorder of the function
// (of the reversed function, for postdominators). It must not be changed.
func (t *DomTree) Order() []*ssa.Block { return t.order }

// Idom returns b's parent, or nil for a root or a block not in the tree.
func (t *DomTree) Idom(b *ssa.Block) *ssa.Block { return t.idom[b.ID] }

// Children returns the blocks whose parent is b, in order. The slice must not
// be changed.
func (t *DomTree) Children(b *ssa.Block) []*ssa.Block {
	return t.children[t.first[b.ID]:t.first[b.ID+1]]
}

// Reaches reports whether b is in the tree, that is, reachable.
func (t *DomTree) Reaches(b *ssa.Block) bool { return t.enter[b.ID] != 0 }

// Dominates reports whether a is b or an ancestor of b. It is false when
// either is not in the tree.
func (t *DomTree) Dominates(a, b *ssa.Block) bool {
	return t.Reaches(a) && t.Reaches(b) && t.enter[a.ID] <= t.enter[b.ID] && t.leave[b.ID] <= t.leave[a.ID]
}

// Walk visits the tree from the roots, calling pre before and post after a
// block's children. Either may be nil.
func (t *DomTree) Walk(pre, post func(*ssa.Block)) {
	type frame struct {
		b    *ssa.Block
		next int
	}
	var stack []frame
	for _, root := range t.roots {
		stack = append(stack, frame{root, 0})
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if top.next == 0 && pre != nil {
				pre(top.b)
			}
			children := t.Children(top.b)
			if top.next == len(children) {
				if post != nil {
					post(top.b)
				}
				stack = stack[:len(stack)-1]
				continue
			}
			top.next++
			stack = append(stack, frame{children[top.next-1], 0})
		}
	}
}

// Frontiers returns the dominance frontier of each block, by block number.
// The lists are in reverse postorder and without duplicates. It requires a
// dominator tree, not a postdominator tree.
func (t *DomTree) Frontiers() [][]*ssa.Block {
	frontier := make([][]*ssa.Block, len(t.idom))
	for _, b := range t.order {
		if len(b.Preds) < 2 {
			continue
		}
		for _, p := range b.Preds {
			if !t.Reaches(p) {
				continue
			}
			for at := p; at != nil && at != t.idom[b.ID]; at = t.idom[at.ID] {
				// The blocks are visited in order, so a duplicate is the last one.
				if list := frontier[at.ID]; len(list) > 0 && list[len(list)-1] == b {
					break // and so it is for all ancestors
				}
				frontier[at.ID] = append(frontier[at.ID], b)
			}
		}
	}
	return frontier
}

// String returns the tree, one block per line, children indented under parents.
func (t *DomTree) String() string {
	var s strings.Builder
	depth := 0
	t.Walk(func(b *ssa.Block) {
		fmt.Fprintf(&s, "%*s%s\n", 2*depth, "", b)
		depth++
	}, func(*ssa.Block) { depth-- })
	return s.String()
}
