package opt

import (
	"slices"

	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Jump threading.
// Source: NVIDIA, section 3.2.1, which says what it must not do.
//
// If a block branches on a phi, or on the comparison of a phi with a constant, and
// the phi is a constant on an incoming edge, the condition is known on that edge.
// The edge is threaded: it goes directly to the successor that the branch chooses.
//
//	b3: <- b1, b2                       b1 goes to b4 directly,
//	    v5 = phi i1 v1, v4              v1 = const i1 true
//	    if v5, b4, b5
//
// The other operations of the block are copied onto the edge, stores among them. So the
// block may have at most maxThreaded operations, and none that synchronises threads, is
// atomic or volatile: a barrier has one place in the text, which all threads of the block
// must reach.
//
// Where the branch may diverge, the threads of a warp reconverge in the block and execute
// its operations together, but execute the copies one after the other. A store is then
// issued twice, which costs more than the branch: a block with a store is threaded only if
// its branch is uniform (analysis.Variance). Of such a block maxThreadedUniform operations
// are copied.
//
// What it will not do: thread through the header of a loop, which would give the
// loop a second entry or peel it; more than maxThreads edges in a function.
func threadJumps(f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	dom := analysis.Dominators(f)
	loops := analysis.FindLoops(f, dom)
	header := make(map[*ssa.Block]bool)
	for _, l := range loops.All {
		header[l.Header] = true
	}
	for _, b := range loops.Irreducible {
		header[b] = true
	}
	// Of two adjacent blocks one is threaded: the successors of a copy must remain.
	taken := make(map[*ssa.Block]bool)
	chosen := func(b *ssa.Block) bool { return taken[b] }
	var found []threaded
	var regions [][]*ssa.Block
	edges := 0
	var va *analysis.Variance
	uniform := func(b *ssa.Block) bool {
		if va == nil {
			va = analysis.Vary(f, dom)
		}
		return !va.Divergent(b)
	}
	for _, b := range f.Blocks {
		if header[b] || len(b.Preds) < 2 || edges >= maxThreads || slices.ContainsFunc(b.Preds, chosen) || slices.ContainsFunc(b.Succs, chosen) {
			continue
		}
		if t := decided(b, uniform); len(t.preds) > 0 {
			taken[b] = true
			found = append(found, t)
			regions = append(regions, []*ssa.Block{b})
			edges += len(t.preds)
		}
	}
	if len(found) == 0 {
		return
	}
	slots := demote(f, regions)
	for _, t := range found {
		t.redirect(f)
	}
	removeUnreachable(f)
	promoteOnly(f, slots)
	r.Count("edges", edges)
}

const (
	maxThreaded        = 4
	maxThreadedUniform = 6 // as in LLVM's pass of this name
	maxThreads         = 128
)

// A threaded is a block with the predecessors on whose edges its condition is known.
type threaded struct {
	b     *ssa.Block
	preds []*ssa.Block
	side  []int // the successor to which each goes
}

// decided finds the predecessors of b on whose edges the condition is known, and none if b
// must not be copied. uniform reports whether the branch of a block is uniform.
func decided(b *ssa.Block, uniform func(*ssa.Block) bool) threaded {
	t := threaded{b: b}
	if b.Kind != ssa.BlockIf || b.Succs[0] == b.Succs[1] || work(b) > maxThreadedUniform || !clonable([]*ssa.Block{b}) {
		return t
	}
	for j, p := range b.Preds {
		if p.Kind == ssa.BlockIf && p.Succs[0] == p.Succs[1] {
			continue
		}
		if truth, ok := outcome(b, j, b.Ctrl, 3); ok {
			side := 1
			if truth != 0 {
				side = 0
			}
			if b.Succs[side] != b {
				t.preds = append(t.preds, p)
				t.side = append(t.side, side)
			}
		}
	}
	if len(t.preds) > 0 && (work(b) > maxThreaded || stores(b)) && !uniform(b) {
		return threaded{b: b}
	}
	return t
}

// stores reports whether b writes memory.
func stores(b *ssa.Block) bool {
	for _, v := range b.Values {
		if v.Op.Effects()&ssa.Writes != 0 {
			return true
		}
	}
	return false
}

// outcome returns the value of v, in b, on the j-th incoming edge, if it is a
// constant.
func outcome(b *ssa.Block, j int, v *ssa.Value, depth int) (int64, bool) {
	switch {
	case v.Op == ssa.OpConst:
		return v.Int, true
	case v.Block != b || depth == 0:
		return 0, false
	case v.Op == ssa.OpPhi:
		return constant(v.Args[j])
	case v.Op.IsIntBinary(), v.Op.IsIntCompare():
		x, ok1 := outcome(b, j, v.Args[0], depth-1)
		y, ok2 := outcome(b, j, v.Args[1], depth-1)
		if !ok1 || !ok2 || !v.Args[0].Type.IsInt() {
			return 0, false
		}
		n, ok := foldInt(v.Op, v.Args[0].Type, x, y)
		return ssa.SignExtend(v.Type, n), ok
	case v.Op == ssa.OpNot || v.Op == ssa.OpZExt || v.Op == ssa.OpSExt || v.Op == ssa.OpTrunc:
		x, ok := outcome(b, j, v.Args[0], depth-1)
		if !ok {
			return 0, false
		}
		n, ok := foldUnary(v.Op, v.Args[0].Type, x)
		return ssa.SignExtend(v.Type, n), ok
	}
	return 0, false
}

// redirect redirects each of the predecessors to a copy of the block that ends in a
// jump.
func (t threaded) redirect(f *ssa.Func) {
	b := t.b
	for i, p := range t.preds {
		j := b.PredIndex(p)
		c := newCopier(f)
		for _, phi := range b.Phis() {
			c.values[phi] = phi.Args[j]
		}
		c.copyValues([]*ssa.Block{b})
		mid := c.blocks[b]
		mid.Kind, mid.Ctrl, mid.Uniform = ssa.BlockJump, nil, false
		c.addEdgeLike(mid, b, t.side[i], b.Succs[t.side[i]])
		for k, s := range p.Succs {
			if s == b {
				p.Succs[k] = mid
			}
		}
		mid.Preds = []*ssa.Block{p}
		removePred(b, j)
	}
}
