package opt

import (
	"slices"

	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// This file inserts the computations that make a partially redundant value fully redundant.

// movable reports whether v can be computed at the end of j's immediate dominator: if every
// path from there computes it, in j or in a branch, and v has the same value there. It returns
// the values in args, those of the branches, which are not needed then.
func (p *redundancy) movable(r *region, j *ssa.Block, v *ssa.Value, args []*ssa.Value) ([]*ssa.Value, bool) {
	if !r.acyclic || p.translates(v, j, maxPreDepth) {
		return nil, false
	}
	if v.Op == ssa.OpLoad && (r.calls || p.writes(r, j, v)) {
		return nil, false
	}
	gone := make([]*ssa.Value, 0, len(args))
	for _, w := range args {
		if w == nil || slices.Contains(gone, w) {
			continue
		}
		if !p.made[w] && (w.Op != v.Op || v.Op == ssa.OpLoad && p.classOf(w.Args[0]) != p.classOf(v.Args[0])) || w.Block == r.from || !p.dominates(r.from, w.Block) {
			return nil, false
		}
		gone = append(gone, w)
	}
	for _, b := range r.exits {
		if !slices.ContainsFunc(gone, func(w *ssa.Value) bool { return p.dominates(w.Block, b) }) {
			return nil, false
		}
	}
	return gone, p.canBuild(v, j, -1, r.from, maxPreDepth)
}

// moveUp computes v, which is movable, in place of the values gone.
func (p *redundancy) moveUp(r *region, j *ssa.Block, v *ssa.Value, gone []*ssa.Value) *ssa.Value {
	by := p.build(v, j, -1, r.from)
	for _, w := range gone {
		by.Weaken(w)
		p.subst.replace(w, by)
		p.dead[w] = true
	}
	return by
}

// writes reports whether r, the region of j, may write the memory of load v.
func (p *redundancy) writes(r *region, j *ssa.Block, v *ssa.Value) bool {
	mask := p.memory.Class(v.Args[0])
	if analysis.Fixed(v) || p.memory.Between(j)&mask == 0 {
		return false
	}
	left := maxPreValues
	for _, b := range r.blocks {
		for _, w := range b.Values {
			if left--; left < 0 {
				return true
			}
			if p.memory.Written(w)&mask == 0 {
				continue
			}
			if w.Op != ssa.OpStore || w.Mem.Volatile || p.memory.MayAlias(v.Args[0], analysis.AccessSize(v), w.Args[0], analysis.AccessSize(w)) {
				return true
			}
		}
	}
	return false
}

// fitsEdges reports whether v may be computed on the edges into j for which args has no
// value: not where fewer threads of a warp are active than in j, nor on more edges than
// those that have the value. A short v gets no block of its own.
func (p *redundancy) fitsEdges(j *ssa.Block, v *ssa.Value, args []*ssa.Value, short bool) bool {
	lacks := 0
	for i, a := range args {
		if a != nil {
			continue
		}
		lacks++
		pred := j.Preds[i]
		if len(pred.Succs) > 1 && (short || slices.Index(pred.Succs, j) != lastIndex(pred.Succs, j)) {
			return false
		}
		if !p.canBuild(v, j, i, pred, maxPreDepth) {
			return false
		}
	}
	if lacks > len(args)-lacks {
		return false
	}
	for i, a := range args {
		if a == nil && p.diverges(j, j.Preds[i]) {
			return false
		}
	}
	return true
}

// onEdges computes v on the edges into j for which args has no value.
func (p *redundancy) onEdges(j *ssa.Block, v *ssa.Value, args []*ssa.Value) {
	for i, a := range args {
		if a != nil {
			continue
		}
		at := j.Preds[i]
		if len(at.Succs) > 1 {
			at = splitEdge(at, slices.Index(at.Succs, j))
			p.loops.Put(at, p.loops.Of(j))
			p.split = true
			if v.Op == ssa.OpLoad {
				p.edgeLoads++
			}
		}
		args[i] = p.build(v, j, i, at)
	}
}

func lastIndex(list []*ssa.Block, b *ssa.Block) int {
	for i, x := range slices.Backward(list) {
		if x == b {
			return i
		}
	}
	return -1
}

// diverges reports whether some threads of a warp may be inactive on the edge from
// pred to j that are active in j.
func (p *redundancy) diverges(j, pred *ssa.Block) bool {
	if pred.ID >= len(p.calls) {
		return p.diverges(j, pred.Preds[0]) // on a split edge
	}
	p.needVariance()
	if len(pred.Succs) > 1 && p.vary.Divergent(pred) {
		return true
	}
	if !p.vary.Partial(pred) {
		return false
	}
	return p.parted(p.region(j), pred)
}

// parted reports whether a branch between the start of region r and its block b, if it is not
// the start itself, may diverge: then b may be executed without threads that are active at the
// start.
func (p *redundancy) parted(r *region, b *ssa.Block) bool {
	seen := map[*ssa.Block]bool{b: true}
	for work := []*ssa.Block{b}; len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if at == r.from {
			continue
		}
		for _, pred := range at.Preds {
			if pred.ID < len(p.calls) && p.vary.Divergent(pred) {
				return true
			}
			if !seen[pred] {
				seen[pred] = true
				work = append(work, pred)
			}
		}
	}
	return false
}

// canBuild reports whether v can be computed at the end of block at, on j's edge from
// its i-th predecessor, or before the branches that join in j if i is -1. An operand
// that is computed with it must cost nothing or have no other use, so that no path
// executes more than before.
func (p *redundancy) canBuild(v *ssa.Value, j *ssa.Block, i int, at *ssa.Block, depth int) bool {
	for _, a := range v.Args {
		if p.there(a, j, i, at) != nil {
			continue
		}
		if depth == 0 || !a.Mergeable() || !free(a) && !p.absorbed(a) && !p.usedOnce(a) {
			return false
		}
		if !p.canBuild(a, j, i, at, depth-1) {
			return false
		}
	}
	return true
}

// there returns the value of an operand a that is available at the end of block at, or
// nil.
func (p *redundancy) there(a *ssa.Value, j *ssa.Block, i int, at *ssa.Block) *ssa.Value {
	switch {
	case i >= 0 && a.Op == ssa.OpPhi && a.Block == j:
		return p.subst.find(a.Args[i])
	case p.dominates(a.Block, at) && (i < 0 || a.Block != j):
		return a
	case !a.Mergeable():
		return nil
	}
	class := p.translated(a, j, i, maxPreDepth)
	return p.leader([2]int32{class}, at)
}

// build computes v at the end of block at; see canBuild.
func (p *redundancy) build(v *ssa.Value, j *ssa.Block, i int, at *ssa.Block) *ssa.Value {
	args := make([]*ssa.Value, len(v.Args))
	for k, a := range v.Args {
		if args[k] = p.there(a, j, i, at); args[k] == nil {
			args[k] = p.build(a, j, i, at)
		}
	}
	w := p.f.NewValue(v.Op, v.Type, args...)
	w.Int, w.Float, w.Sym, w.Mem, w.NoWrap, w.Pos, w.Block = v.Int, v.Float, v.Sym, v.Mem, v.NoWrap, v.Pos, at
	at.Values = append(at.Values, w)
	if class := p.number(w); class != 0 {
		p.add(class, w)
	}
	return w
}
