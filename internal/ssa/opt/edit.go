package opt

import (
	"slices"

	"irgl/internal/ssa"
)

// This file has the edits that passes share. Each leaves the function valid
// for ssa.Verify, or documents what the caller must still do.
//
// If a block has two edges to one successor, their order in Succs is their
// order in Preds: ssa.Block.AddEdge establishes it, and removeEdge preserves
// it.

// An inserter rebuilds a block's list of values and inserts values before the
// current one.
type inserter struct {
	f   *ssa.Func
	out []*ssa.Value // the new list
	at  *ssa.Value   // the current value
}

// make appends a new value.
func (i *inserter) make(op ssa.Op, t ssa.Type, args ...*ssa.Value) *ssa.Value {
	return i.put(i.f.NewValue(op, t, args...))
}

// int appends the constant n.
func (i *inserter) int(t ssa.Type, n int64) *ssa.Value { return i.put(i.f.NewConst(t, n)) }

func (i *inserter) put(v *ssa.Value) *ssa.Value {
	v.Block, v.Pos = i.at.Block, i.at.Pos
	i.out = append(i.out, v)
	return v
}

// setValues sets the values of b; the slice remains the caller's.
func setValues(b *ssa.Block, values []*ssa.Value) {
	if len(values) > len(b.Values) {
		b.Values = slices.Clone(values)
		return
	}
	n := copy(b.Values, values)
	clear(b.Values[n:])
	b.Values = b.Values[:n]
}

// A subst maps replaced values to their replacements. Passes record
// replacements while they walk and apply them once, so that a pass is linear.
type subst struct {
	f  *ssa.Func
	to []*ssa.Value // by number; nil for a value that is not replaced
	n  int
}

func newSubst(f *ssa.Func) *subst { return &subst{f: f} }

// replace replaces the uses of v by by.
func (s *subst) replace(v, by *ssa.Value) {
	if v.ID >= len(s.to) { // most passes over most functions replace nothing
		to := ssa.Make[*ssa.Value](s.f, max(v.ID+1, s.f.NumValues()))
		copy(to, s.to)
		s.to = to
	}
	s.to[v.ID] = by
	s.n++
}

// find returns the final replacement of v.
func (s *subst) find(v *ssa.Value) *ssa.Value {
	if v == nil || v.ID >= len(s.to) || s.to[v.ID] == nil {
		return v
	}
	root := v
	for root.ID < len(s.to) && s.to[root.ID] != nil {
		root = s.to[root.ID]
	}
	for v != root { // path compression
		next := s.to[v.ID]
		s.to[v.ID] = root
		v = next
	}
	return root
}

// args replaces v's arguments.
func (s *subst) args(v *ssa.Value) {
	if s.n == 0 {
		return
	}
	for i, a := range v.Args {
		v.Args[i] = s.find(a)
	}
}

// apply replaces all uses in f.
func (s *subst) apply(f *ssa.Func) {
	if s.n == 0 {
		return
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			s.args(v)
		}
		b.Ctrl = s.find(b.Ctrl)
	}
}

// reset changes v to another operation in place; its type stays. Its promise
// not to wrap is dropped.
func reset(v *ssa.Value, op ssa.Op, args ...*ssa.Value) {
	v.Op, v.Args = op, args
	v.Int, v.Float, v.Sym, v.Mem, v.NoWrap = 0, 0, nil, ssa.MemInfo{}, false
}

// edgeIndex returns the index of b's i-th edge among the successor's
// predecessors.
func edgeIndex(b *ssa.Block, i int) int {
	s := b.Succs[i]
	j := s.PredIndex(b)
	for _, other := range b.Succs[:i] {
		if other == s { // the index of the next edge from b
			for j++; j < len(s.Preds) && s.Preds[j] != b; j++ {
			}
		}
	}
	if j == len(s.Preds) {
		return -1
	}
	return j
}

// removePred removes the edge into b from its predecessor at index j, with the
// phi arguments of that edge. The caller updates the predecessor.
func removePred(b *ssa.Block, j int) {
	b.Preds = append(b.Preds[:j], b.Preds[j+1:]...)
	for _, phi := range b.Phis() {
		phi.Args = append(phi.Args[:j], phi.Args[j+1:]...)
	}
}

// removeEdge turns b, which ends in an if, into a jump to the successor other
// than Succs[i].
func removeEdge(b *ssa.Block, i int) {
	removePred(b.Succs[i], edgeIndex(b, i))
	b.Succs = []*ssa.Block{b.Succs[1-i]}
	b.Kind, b.Ctrl, b.Uniform = ssa.BlockJump, nil, false
}

// removeUnreachable removes unreachable blocks and returns their number.
func removeUnreachable(f *ssa.Func) int {
	if len(f.Blocks) == 0 {
		return 0
	}
	reached := ssa.Make[bool](f, f.NumBlocks())
	work := []*ssa.Block{f.Blocks[0]}
	reached[f.Blocks[0].ID] = true
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range b.Succs {
			if !reached[s.ID] {
				reached[s.ID] = true
				work = append(work, s)
			}
		}
	}
	kept := f.Blocks[:0]
	for _, b := range f.Blocks {
		if reached[b.ID] {
			keepPreds(b, reached)
			kept = append(kept, b)
		}
	}
	removed := len(f.Blocks) - len(kept)
	clear(f.Blocks[len(kept):])
	f.Blocks = kept
	return removed
}

// keepPreds removes the unreachable predecessors of b, and their phi
// arguments, in one sweep.
func keepPreds(b *ssa.Block, reached []bool) {
	if !slices.ContainsFunc(b.Preds, func(p *ssa.Block) bool { return !reached[p.ID] }) {
		return
	}
	n := 0
	phis := b.Phis()
	for j, p := range b.Preds {
		if !reached[p.ID] {
			continue
		}
		b.Preds[n] = p
		for _, phi := range phis {
			phi.Args[n] = phi.Args[j]
		}
		n++
	}
	b.Preds = b.Preds[:n]
	for _, phi := range phis {
		phi.Args = phi.Args[:n]
	}
}

// constant returns the value of an integer or pointer constant.
func constant(v *ssa.Value) (int64, bool) {
	return v.Int, v.Op == ssa.OpConst
}

// isConst reports whether v is the constant n.
func isConst(v *ssa.Value, n int64) bool { return v.Op == ssa.OpConst && v.Int == n }

// localBase returns the alloca that p points into by arithmetic and casts
// alone, or nil.
func localBase(p *ssa.Value) *ssa.Value {
	for p.Op == ssa.OpPtrAdd || p.Op == ssa.OpSpaceCast {
		p = p.Args[0]
	}
	if p.Op == ssa.OpAlloca {
		return p
	}
	return nil
}

// splitBlock splits b before its value at index i: a new block, at the end of
// the function's list, gets that value, all after it and b's terminator. b is
// left as a jump without a target. Allocas stay, since they must be in the
// entry, and so do the results of inline PTX before i.
func splitBlock(b *ssa.Block, i int) *ssa.Block {
	rest := b.Func.NewBlock(b.Kind)
	rest.Ctrl, rest.Uniform, rest.Succs = b.Ctrl, b.Uniform, b.Succs
	for _, s := range rest.Succs {
		for j, p := range s.Preds {
			if p == b {
				s.Preds[j] = rest
			}
		}
	}
	kept := b.Values[:i:i]
	for _, v := range b.Values[i:] {
		if v.Op == ssa.OpAlloca || v.Op == ssa.OpAsmResult && v.Args[0].Block == b {
			kept = append(kept, v)
			continue
		}
		v.Block = rest
		rest.Values = append(rest.Values, v)
	}
	b.Values = kept
	b.Kind, b.Ctrl, b.Uniform, b.Succs = ssa.BlockJump, nil, false, nil
	return rest
}
