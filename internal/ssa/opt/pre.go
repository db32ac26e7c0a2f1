package opt

import (
	"slices"

	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Partial redundancy elimination.
// Source: NVIDIA, section 3.4 (of loads and of expressions; their third and
// fifth most useful passes).
//
// At a join, a value may have been computed on some of the paths already. It is
// then partially redundant. It is inserted on the other paths, at the end of the
// join's predecessor, and a phi replaces it: no path computes more than before, and
// some compute less.
//
//	b1: store v0, v1 align 4         b1: store v0, v1 align 4
//	    jump b3                          jump b3
//	b2: jump b3                      b2: v5 = load i32 v0 align 4
//	b3: v4 = load i32 v0 align 4         jump b3
//	                                 b3: v4 = phi i32 v1, v5
//
// It is done for loads, and for long operations (divisions, roots, products of
// 64 bits); a short one is not worth the phi. A load qualifies when nothing
// before it in its block writes or synchronises, and a path has its value when
// the end of the path holds a load of the same address or a store to it with
// nothing after it that may change the memory: the search goes up at most
// maxPreValues values, through blocks with one predecessor. At most one path may
// lack the value; if that is a branch's edge, the load gets a block on it.
//
// A long operation on a loop's counting variable may be what another one was in
// the iteration before, with the variable a step ahead (pre_loop.go). It becomes a
// phi of that one:
//
//	v2 = urem i32 v1, 3              v2 = phi i32 (urem of the first), v4
//	v3 = add i32 v1, 1               v4 = urem i32 v3, 3
//	v4 = urem i32 v3, 3
//
// What it will not do: insert more than one computation for one removed; look
// for loads at loop headers, of which licm takes care; move volatile or atomic accesses,
// or a load past anything that synchronises.
func partial(m *ssa.Module, f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	dom := analysis.Dominators(f)
	p := &redundancy{f: f, dom: dom, aliases: analysis.Alias(f, m), subst: newSubst(f)}
	for _, b := range slices.Clone(dom.Order()) {
		if len(b.Preds) >= 2 && len(b.Preds) <= maxPreWays {
			p.block(b)
		}
	}
	p.subst.apply(f)
	p.subst = newSubst(f)
	p.dom = analysis.Dominators(f)
	loops := analysis.FindLoops(f, p.dom)
	for _, l := range loops.All {
		p.carried(l, loops)
	}
	p.subst.apply(f)
	r.Count("loads", p.loads)
	r.Count("values", p.values)
	r.Count("carried", p.carries)
}

const (
	maxPreValues = 48
	maxPreWays   = 4
)

type redundancy struct {
	f       *ssa.Func
	dom     *analysis.DomTree
	aliases *analysis.Aliases
	subst   *subst
	out     []*ssa.Value // buffer for the new list of a block

	loads, values, carries int
}

// block visits the values of b that could be computed before it.
func (p *redundancy) block(b *ssa.Block) {
	for _, pred := range b.Preds {
		if p.dom.Dominates(b, pred) || pred == b {
			return
		}
	}
	clean := true // no write so far in this block
	var phis []*ssa.Value
	out := p.out[:0]
	for _, v := range b.Values {
		var phi *ssa.Value
		switch {
		case v.Op == ssa.OpPhi:
		case v.Op == ssa.OpLoad && !v.Mem.Volatile:
			if clean {
				phi = p.try(b, v)
			}
		case v.Op.Effects()&(ssa.Writes|ssa.Syncs) != 0 || v.Mem.Volatile:
			clean = false
		case v.Mergeable() && long(v):
			phi = p.try(b, v)
		}
		if phi == nil {
			out = append(out, v)
			continue
		}
		phis = append(phis, phi)
		p.subst.replace(v, phi)
		if v.Op == ssa.OpLoad {
			p.loads++
		} else {
			p.values++
		}
	}
	p.out = out
	if len(phis) > 0 {
		b.Values = append(phis, out...)
	}
}

func long(v *ssa.Value) bool { return sideCost(v) < 0 || sideCost(v) >= 4 }

// try returns a phi in b that replaces v, or nil.
func (p *redundancy) try(b *ssa.Block, v *ssa.Value) *ssa.Value {
	for i, a := range v.Args {
		v.Args[i] = p.subst.find(a)
		if v.Args[i].Block == b {
			return nil
		}
	}
	args := make([]*ssa.Value, len(b.Preds))
	lacks := -1
	for j, pred := range b.Preds {
		args[j] = p.available(v, pred)
		if args[j] != nil {
			continue
		}
		if lacks >= 0 {
			return nil
		}
		lacks = j
	}
	if lacks >= 0 {
		args[lacks] = p.insert(b, lacks, v)
		if args[lacks] == nil {
			return nil
		}
	}
	phi := p.f.NewValue(ssa.OpPhi, v.Type, args...)
	phi.Block, phi.Pos = b, v.Pos
	return phi
}

// available returns the value of v at the end of block at, if it is available there.
func (p *redundancy) available(v *ssa.Value, at *ssa.Block) *ssa.Value {
	load := v.Op == ssa.OpLoad
	for left := maxPreValues; ; {
		for i := len(at.Values) - 1; i >= 0; i-- {
			if left--; left < 0 {
				return nil
			}
			w := at.Values[i]
			switch {
			case w.Op == v.Op && w.Type == v.Type && !w.Mem.Volatile && p.equal(v, w):
				w.Weaken(v)
				return w
			case !load:
			case w.Op == ssa.OpStore && !w.Mem.Volatile:
				if p.subst.find(w.Args[0]) == v.Args[0] && w.Args[1].Type == v.Type {
					return p.subst.find(w.Args[1])
				}
				if !analysis.Fixed(v) && p.aliases.MayAlias(v.Args[0], analysis.AccessSize(v), w.Args[0], analysis.AccessSize(w)) {
					return nil
				}
			case w.Op.Effects()&(ssa.Writes|ssa.Syncs) != 0, w.Mem.Volatile:
				return nil
			}
		}
		if len(at.Preds) != 1 {
			return nil
		}
		at = at.Preds[0]
	}
}

// equal reports whether w computes what v does.
func (p *redundancy) equal(v, w *ssa.Value) bool {
	if v.Int != w.Int || v.Sym != w.Sym || len(v.Args) != len(w.Args) {
		return false
	}
	for i, a := range w.Args {
		if p.subst.find(a) != v.Args[i] {
			return false
		}
	}
	return true
}

// insert computes v on b's edge from its j-th predecessor.
func (p *redundancy) insert(b *ssa.Block, j int, v *ssa.Value) *ssa.Value {
	at := b.Preds[j]
	if len(at.Succs) > 1 {
		i := -1
		for k, s := range at.Succs {
			if s == b && i >= 0 {
				return nil // a second insertion would gain nothing
			} else if s == b {
				i = k
			}
		}
		at = splitEdge(at, i)
	}
	w := p.f.NewValue(v.Op, v.Type, slices.Clone(v.Args)...)
	w.Int, w.Float, w.Sym, w.Mem, w.NoWrap, w.Pos, w.Block = v.Int, v.Float, v.Sym, v.Mem, v.NoWrap, v.Pos, at
	at.Values = append(at.Values, w)
	return w
}
