package opt

import (
	"slices"

	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Partial redundancy elimination.
// Source: NVIDIA, section 3.4 (of expressions, EPRE, and of loads, LPRE; their third and
// fifth most useful passes); section 3.2 (variance: no code moves into divergent
// branches).
//
// At a join, a value may have been computed on some of the paths already. It is
// then partially redundant. It is computed on the other edges into the join, and a phi
// replaces it: no path computes more than before, and some compute less. A critical edge
// gets a block for that.
//
//	b1: store v0, v1 align 4         b1: store v0, v1 align 4
//	    jump b3                          jump b3
//	b2: jump b3                      b2: v5 = load i32 v0 align 4
//	b3: v4 = load i32 v0 align 4         jump b3
//	                                 b3: v4 = phi i32 v1, v5
//
// If all paths from the join's immediate dominator compute the value, in a branch or in
// the join, the operands are available there, and nothing in between writes the memory of
// a load, the value is computed there instead, before the branch, which needs neither a
// phi nor a copy.
//
//	b0: if v9, b1, b2                b0: v5 = load i32 v0 align 4
//	b1: v3 = load i32 v0 align 4         if v9, b1, b2
//	    store v7, v3 align 4         b1: store v7, v5 align 4
//	    jump b2                          jump b2
//	b2: v4 = load i32 v0 align 4     b2:
//
// Values are equal by value numbering, across branches (pre_value.go): two loads of
// p[t] are, though each branch has computed its address. Where an operand is a phi of the
// join, its argument counts. A load that an edge lacks gets its address with it. What
// depends on a load, such as its conversion to another type, becomes redundant after
// the load.
//
// A load has the value of an earlier load of the address or store to it if nothing
// in between may write the memory (analysis.Aliases), no barrier, fence, atomic or call:
// a read-only load passes them. The search visits at most maxPreValues values. A value is
// found that joins above its own block lack, too, up to maxPreUp of them, if
// its block is executed whenever the join is.
//
// When it pays: a load or a long operation (a division, a root, a product of 64 bits)
// always does. A cheap one does not pay a jump or a copy: it gets no block on a critical
// edge, is not merged with a value that lives on, and keeps its place when it is part of
// another instruction (a product that is added), or when a block where it would be live has
// no register left (analysis.Registers), as in licm. Operands are computed anew only if
// they had no other use or cost nothing. At most as many edges may lack the value as have
// it.
//
// A load that is computed on a critical edge may then be in both successors of a branch. It is
// hoisted before the branch, where it may be partially redundant again, so the function
// is visited once more: of a value that is bounded in memory by two conditional stores, one
// load is left.
//
// A long operation on a loop's counting variable may be what another one was in
// the iteration before, with the variable a step ahead (pre_loop.go). It becomes a
// phi of that one:
//
//	v2 = urem i32 v1, 3              v2 = phi i32 (urem of the first), v4
//	v3 = add i32 v1, 1               v4 = urem i32 v3, 3
//	v4 = urem i32 v3, 3
//
// What it will not do: insert on an edge on which fewer threads of a warp may be active
// than in the join (analysis.Variance); insert a load on a path that might not have
// executed it; look for values at loop headers, of which licm takes care; move out of
// a loop or past one; move comparisons, volatile or atomic accesses.
func partial(m *ssa.Module, f *ssa.Func, r *pass.Run) {
	p := eliminate(m, f)
	loads, values, carries := p.nLoads, p.nValues, p.carries
	if p.edgeLoads > 0 && hoistLoads(f) > 0 {
		p = eliminate(m, f)
		loads, values, carries = loads+p.nLoads, values+p.nValues, carries+p.carries
	}
	r.Count("loads", loads)
	r.Count("values", values)
	r.Count("carried", carries)
}

// eliminate makes the partially redundant values of f redundant, once.
func eliminate(m *ssa.Module, f *ssa.Func) *redundancy {
	removeUnreachable(f)
	dom := analysis.Dominators(f)
	p := &redundancy{f: f, m: m, dom: dom, loops: analysis.FindLoops(f, dom)}
	if p.joins = joins(f, dom); p.joins != nil {
		p.congruence = newCongruence(f, newSubst(f))
		p.exact = p.loops.Irreducible == nil
		p.calls = ssa.Make[bool](f, f.NumBlocks())
		for _, b := range dom.Order() {
			p.block(b)
		}
		p.finish()
	}
	if len(p.loops.All) > 0 {
		if p.split { // blocks that are not in the dominator tree
			p.dom = analysis.Dominators(f)
			p.loops = analysis.FindLoops(f, p.dom)
		}
		p.subst = newSubst(f)
		for _, l := range p.loops.All {
			p.carried(l, p.loops)
		}
		p.subst.apply(f)
	}
	return p
}

// joins returns which blocks, by number, have several predecessors, none over a back
// edge, or nil if none has.
func joins(f *ssa.Func, dom *analysis.DomTree) []bool {
	list := ssa.Make[bool](f, f.NumBlocks())
	some := false
	for _, b := range dom.Order() {
		back := func(p *ssa.Block) bool { return dom.Reaches(p) && dom.Dominates(b, p) }
		if len(b.Preds) >= 2 && len(b.Preds) <= maxPreEdges && !slices.ContainsFunc(b.Preds, back) {
			list[b.ID], some = true, true
		}
	}
	if !some {
		return nil
	}
	return list
}

const (
	maxPreValues = 48 // values and blocks that a search for a load visits
	maxPreEdges  = 4  // into a join
	maxPreBlocks = 24 // dominators that a search for a value visits
	maxPreUp     = 8  // joins above the value's block that are tried
	maxPreRegion = 48 // blocks between a join and its immediate dominator
	maxPreDepth  = 5  // operands of operands that are computed with a value
)

type redundancy struct {
	congruence
	f     *ssa.Func
	m     *ssa.Module
	dom   *analysis.DomTree
	loops *analysis.Loops
	exact bool   // the loops are all that there are
	joins []bool // by block number; of blocks that were there before

	// What is computed when the first candidate needs it.
	memory    *analysis.Memory
	vary      *analysis.Variance
	registers *analysis.Registers
	uses      *analysis.UseLists

	regions map[*ssa.Block]*region
	seen    []int32 // by block number: the stamp of the last walk over it
	stamp   int32

	writers []*ssa.Value // of the current block, so far
	folded  int          // of them, those in the mask
	mask    analysis.Mask
	calls   []bool // by block number: it has a call, which need not return

	phis    map[*ssa.Block][]*ssa.Value // to be inserted
	made    map[*ssa.Value]bool         // the phis among them
	dead    map[*ssa.Value]bool         // replaced in a block before the current one
	changed bool
	split   bool
	span    []*ssa.Block // where the current candidate's value would be live
	out     []*ssa.Value // buffer for the new list of a block

	nLoads, nValues, carries int
	edgeLoads                int // loads on critical edges
}

// block visits the values of b: those of the blocks that dominate it, and of the
// branches that join in it, have their classes.
func (p *redundancy) block(b *ssa.Block) {
	p.writers, p.folded, p.mask = p.writers[:0], 0, 0
	out, list, same := p.out[:0], b.Values, true
	for i, v := range list {
		p.subst.args(v)
		by := p.visit(b, v)
		if by == nil {
			if !same {
				out = append(out, v)
			}
			continue
		}
		if same {
			out, same = append(out, list[:i]...), false
		}
		p.subst.replace(v, by)
		p.changed = true
		if v.Op == ssa.OpLoad {
			p.nLoads++
		} else {
			p.nValues++
		}
	}
	if !same {
		p.out = out
		setValues(b, out)
	}
}

// visit gives v its class and returns the value that replaces it, or nil.
func (p *redundancy) visit(b *ssa.Block, v *ssa.Value) *ssa.Value {
	class := p.number(v)
	load := v.Op == ssa.OpLoad && !v.Mem.Volatile
	switch {
	case load || v.Op == ssa.OpStore && !v.Mem.Volatile || v.Mergeable():
	case v.Op.Effects()&(ssa.Writes|ssa.Syncs) != 0, v.Mem.Volatile:
		p.writers = append(p.writers, v)
		p.calls[b.ID] = p.calls[b.ID] || v.Op.IsCall()
		return nil
	default:
		return nil
	}
	if v.Op == ssa.OpStore {
		p.writers = append(p.writers, v)
	} else if class != 0 && p.candidate(b, v, class) && (load || long(v) || cheap(v)) {
		if by := p.earlier(b, v); by != nil {
			return by
		}
	}
	if class != 0 {
		p.add(class, v)
	}
	return nil
}

func long(v *ssa.Value) bool { return sideCost(v) < 0 || sideCost(v) >= 4 }

// cheap reports whether v is an operation of about one instruction. A comparison is
// not: it is best beside its branch. Nor is the addition of a constant to an address,
// which costs nothing.
func cheap(v *ssa.Value) bool {
	if v.Op == ssa.OpSpecial || v.Type == ssa.I1 || v.Op == ssa.OpFNeg || v.Op == ssa.OpFAbs {
		return false
	}
	return sideCost(v) > 0 && !free(v)
}

// free reports whether v needs no instruction.
func free(v *ssa.Value) bool {
	return v.Mergeable() && sideCost(v) == 0 || v.Op == ssa.OpPtrAdd && v.Args[1].Op == ssa.OpConst
}

// candidate reports whether a value equal to v was visited, or may exist on an edge
// into b since v depends on a phi of b.
func (p *redundancy) candidate(b *ssa.Block, v *ssa.Value, class int32) bool {
	if p.infos[class].count > 0 {
		return true
	}
	if other := p.infos[class].variant; other != 0 && p.infos[other].count > 0 {
		return true
	}
	return len(b.Preds) > 1 && p.translates(v, b, maxPreDepth)
}

// translates reports whether v depends on phis of b through pure operations of b.
func (p *redundancy) translates(v *ssa.Value, b *ssa.Block, depth int) bool {
	for _, a := range v.Args {
		if a.Block == b && (a.Op == ssa.OpPhi || depth > 0 && a.Mergeable() && p.translates(a, b, depth-1)) {
			return true
		}
	}
	return false
}

// earlier returns a value that replaces v, a value of b: of a block that dominates b, or a phi
// in b or in a join above it.
func (p *redundancy) earlier(b *ssa.Block, v *ssa.Value) *ssa.Value {
	if p.changed && v.Op != ssa.OpLoad {
		k, _ := expression(v, p.classOf)
		if w := p.leader(p.variants(v, k), b); w != nil {
			p.unpromise(w, v)
			return w
		}
	}
	if v.Op == ssa.OpLoad {
		p.needMemory()
		if p.calls[b.ID] || !analysis.Fixed(v) && p.before()&p.memory.Class(v.Args[0]) != 0 {
			return nil
		}
	}
	p.span = append(p.span[:0], b)
	j := b
	for range maxPreUp {
		if p.joins[j.ID] {
			if by := p.join(j, v); by != nil {
				return by
			}
		}
		if j = p.above(j, b, v); j == nil {
			return nil
		}
	}
	return nil
}

// finish inserts the phis and removes the values that were replaced.
func (p *redundancy) finish() {
	if !p.changed {
		return
	}
	shrunk := make(map[*ssa.Block]bool)
	for v := range p.dead {
		shrunk[v.Block] = true
	}
	for b := range shrunk {
		b.Values = slices.DeleteFunc(b.Values, func(v *ssa.Value) bool { return p.dead[v] })
	}
	for b, list := range p.phis {
		list = slices.DeleteFunc(list, func(v *ssa.Value) bool { return p.dead[v] })
		b.Values = append(list, b.Values...)
	}
	p.subst.apply(p.f)
}
