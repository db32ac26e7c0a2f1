package opt

import (
	"slices"

	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Cross jumping: identical blocks are merged.
// Source: Wulf et al., "The Design of an Optimizing Compiler" (1975); LLVM's tail merging.
//
// The branches of a chain of conditions often do the same. One of the blocks is kept, and
// the edges into the others lead to it:
//
//	b1: store v0, v5 align 4           if v1, b2, b3
//	    jump b9                        b3: if v2, b2, b9
//	b2: store v0, v5 align 4           b2: store v0, v5 align 4
//	    jump b9                            jump b9
//	if v1, b1, b3
//	b3: if v2, b2, b9
//
// It pays more on a GPU than elsewhere: the threads of a warp that arrive by different edges
// execute the block together instead of one group after the other, and the branches, which
// have a successor in common then, become one in if-conversion.
//
// Blocks are identical if they end alike, in a jump to one block or a return, and have the same
// accesses in the same order on equal operands, and if the phis of the successor have equal
// arguments. Two values are equal if they are one, or constants of one number, or computed in
// the two blocks by equal operations on equal operands. Merging a block may make its
// predecessors identical; there are at most maxCrossRounds rounds.
//
// What it will not do: merge blocks with barriers, warp operations or calls, which would let
// threads execute them together that did not before; blocks of different loops, or a loop's header; blocks
// with phis of their own; blocks that only jump, which simplifycfg removes; blocks that are
// equal in their last part only.
func crossJump(f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	c := &crosser{f: f, run: r}
	for range maxCrossRounds {
		if !c.round() {
			break
		}
	}
	r.Count("blocks", c.merged)
}

const maxCrossRounds = 4

type crosser struct {
	f      *ssa.Func
	run    *pass.Run
	loops  *analysis.Loops // of the current round, found for the first pair of blocks
	merged int

	// Of the current pair: the blocks, the values of the second that were compared, and the
	// constants from elsewhere that the first uses where the second uses others.
	keep, gone *ssa.Block
	equals     map[*ssa.Value]*ssa.Value
	constants  []*ssa.Value
}

// An ending is what blocks must have in common to be compared.
type ending struct {
	to      *ssa.Block // the successor; nil for a return
	effects int        // the operations that are not pure
	first   ssa.Op     // of them
}

// round merges what is identical and reports whether there may be more.
func (c *crosser) round() bool {
	c.loops = nil
	groups := make(map[ending][]*ssa.Block)
	changed := false
	for _, b := range c.f.Blocks[1:] {
		e, ok := endingOf(b)
		if !ok {
			continue
		}
		i := slices.IndexFunc(groups[e], func(k *ssa.Block) bool { return c.identical(k, b) })
		if i >= 0 {
			c.merge(groups[e][i], b)
			changed = true
		} else if len(groups[e]) < maxCrossGroup {
			groups[e] = append(groups[e], b)
		}
	}
	if changed {
		removeUnreachable(c.f)
	}
	return changed
}

// maxCrossGroup bounds the different blocks of one ending with which a block is compared.
const maxCrossGroup = 8

// endingOf returns the ending of b; ok is false for a block that is not merged.
func endingOf(b *ssa.Block) (e ending, ok bool) {
	switch {
	case b.Kind == ssa.BlockJump && b.Succs[0] != b:
		e.to = b.Succs[0]
	case b.Kind != ssa.BlockRet:
		return e, false
	}
	for _, v := range b.Values {
		switch {
		case v.Op == ssa.OpPhi || v.Op.Effects()&ssa.Syncs != 0 || v.Op.IsCall() || v.Op.IsAsm():
			return e, false
		case v.Mergeable():
			ok = ok || v.Op != ssa.OpConst && v.Op != ssa.OpFConst
			continue
		}
		ok = true
		if e.effects++; e.effects == 1 {
			e.first = v.Op
		}
	}
	return e, ok
}

// identical reports whether blocks k and b, of one ending, are identical.
func (c *crosser) identical(k, b *ssa.Block) bool {
	c.keep, c.gone, c.constants = k, b, nil
	c.equals = make(map[*ssa.Value]*ssa.Value)
	list := b.Values
	for _, v := range k.Values {
		if v.Mergeable() {
			continue
		}
		for list[0].Mergeable() {
			list = list[1:]
		}
		if !c.alike(v, list[0]) {
			return false
		}
		c.equals[list[0]] = v
		list = list[1:]
	}
	if k.Kind == ssa.BlockRet {
		if (k.Ctrl == nil) != (b.Ctrl == nil) || k.Ctrl != nil && !c.same(k.Ctrl, b.Ctrl) {
			return false
		}
	} else {
		to := k.Succs[0]
		i, j := edgeIndex(k, 0), edgeIndex(b, 0)
		for _, phi := range to.Phis() {
			if !c.same(phi.Args[i], phi.Args[j]) {
				return false
			}
		}
	}
	if c.loops == nil {
		c.loops = analysis.FindLoops(c.f, analysis.Dominators(c.f))
	}
	l := c.loops.Of(k)
	return l == c.loops.Of(b) && (l == nil || l.Header != k && l.Header != b)
}

// same reports whether v, used at the end of or in the block that is kept, is equal to w, used in
// the other.
func (c *crosser) same(v, w *ssa.Value) bool {
	if v == w {
		return v.Block != c.keep // whose values are computed anew
	}
	if by, ok := c.equals[w]; ok {
		return by == v
	}
	constant := v.Op == ssa.OpConst || v.Op == ssa.OpFConst
	if !constant && (v.Block != c.keep || w.Block != c.gone || !v.Mergeable() || !w.Mergeable()) || !c.alike(v, w) {
		return false
	}
	if !constant {
		c.equals[w] = v
	} else if v.Block != c.keep {
		c.constants = append(c.constants, v)
	}
	return true
}

// alike reports whether v and w are one operation on equal operands.
func (c *crosser) alike(v, w *ssa.Value) bool {
	a, b := keyOf(v), keyOf(w)
	a.a0, a.a1, a.a2, b.a0, b.a1, b.a2 = 0, 0, 0, 0, 0, 0
	if a != b || v.Mem != w.Mem || v.NoWrap != w.NoWrap || len(v.Args) != len(w.Args) {
		return false
	}
	for i := range v.Args {
		if !c.same(v.Args[i], w.Args[i]) {
			return false
		}
	}
	return true
}

// merge redirects the edges into block b, which is identical to k, to k.
func (c *crosser) merge(k, b *ssa.Block) {
	c.rematerialise(k)
	if c.clean(k); len(k.Values) == 0 {
		k.Values = append(k.Values, c.nothing(k, b))
	}
	at := k.Values[len(k.Values)-1].Pos
	c.run.Applied(b.Values[len(b.Values)-1].Pos, "its block does the same as that at %d:%d, and is merged with it", at.Line(), at.Column())
	for _, p := range b.Preds {
		p.Succs[slices.Index(p.Succs, b)] = k
		k.Preds = append(k.Preds, p)
	}
	b.Preds = nil
	for _, p := range slices.Clone(k.Preds) {
		if p.Kind == ssa.BlockIf && p.Succs[0] == p.Succs[1] {
			removeEdge(p, 1)
		}
	}
	c.merged++
}

// clean removes dead values of k, which were not compared: what they use need not dominate k any more.
func (c *crosser) clean(k *ssa.Block) {
	compared := make(map[*ssa.Value]bool)
	for _, v := range c.equals {
		compared[v] = true
	}
	k.Values = slices.DeleteFunc(k.Values, func(v *ssa.Value) bool { return v.Mergeable() && len(v.Args) > 0 && !compared[v] })
}

// nothing is a value of a block all of whose values were dead, for its place in the source.
func (c *crosser) nothing(k, b *ssa.Block) *ssa.Value {
	v := c.f.NewValue(ssa.OpConst, ssa.I32)
	v.Block, v.Pos = k, b.Values[len(b.Values)-1].Pos
	return v
}

// rematerialise computes in k the constants from blocks that need not dominate it any more.
func (c *crosser) rematerialise(k *ssa.Block) {
	for i, v := range c.constants {
		if slices.Contains(c.constants[:i], v) {
			continue
		}
		n := c.f.NewValue(v.Op, v.Type)
		n.Int, n.Float, n.Pos, n.Block = v.Int, v.Float, v.Pos, k
		for _, w := range k.Values {
			replaceArgs(w, v, n)
		}
		if k.Ctrl == v {
			k.Ctrl = n
		}
		if k.Kind == ssa.BlockJump {
			at := edgeIndex(k, 0)
			for _, phi := range k.Succs[0].Phis() {
				if phi.Args[at] == v {
					phi.Args[at] = n
				}
			}
		}
		k.Values = slices.Insert(k.Values, 0, n)
	}
}

// replaceArgs replaces the argument v of w by n.
func replaceArgs(w, v, n *ssa.Value) {
	for i, a := range w.Args {
		if a == v {
			w.Args[i] = n
		}
	}
}
