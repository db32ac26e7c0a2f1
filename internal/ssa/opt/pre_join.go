package opt

import (
	"slices"

	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// This file finds what is available on the edges into a join, and where a partially
// redundant value is computed instead.

// A region is the blocks on the paths from a join's immediate dominator to the join.
type region struct {
	from   *ssa.Block   // the immediate dominator
	blocks []*ssa.Block // between it and the join
	large  bool         // there are more than maxPreRegion
	// acyclic says that from and the blocks are in no other loop than the join; exits are
	// those of them from which a path does not lead to the join. Where there are none, what
	// is executed at the join may be executed at the end of from.
	acyclic bool
	exits   []*ssa.Block
	calls   bool // a block of the region has a call
}

// region returns the region of join j.
func (p *redundancy) region(j *ssa.Block) *region {
	if r := p.regions[j]; r != nil {
		return r
	}
	if p.regions == nil {
		p.regions = make(map[*ssa.Block]*region)
	}
	r := &region{from: p.idom(j)}
	p.regions[j] = r
	for len(p.seen) < p.f.NumBlocks() {
		p.seen = append(p.seen, 0)
	}
	p.stamp++
	p.seen[j.ID], p.seen[r.from.ID] = p.stamp, p.stamp
	visit := func(b *ssa.Block) {
		for _, pred := range b.Preds {
			if p.seen[pred.ID] != p.stamp && len(r.blocks) < maxPreRegion {
				p.seen[pred.ID] = p.stamp
				r.blocks = append(r.blocks, pred)
			}
		}
	}
	visit(j)
	for i := 0; i < len(r.blocks); i++ {
		visit(r.blocks[i])
	}
	r.large = len(r.blocks) == maxPreRegion
	r.acyclic = p.exact && !r.large
	for _, b := range append(r.blocks, r.from) {
		r.acyclic = r.acyclic && p.loops.Of(b) == p.loops.Of(j)
		if p.leaves(b, r) {
			r.exits = append(r.exits, b)
		}
	}
	for _, b := range r.blocks {
		r.calls = r.calls || b.ID < len(p.calls) && p.calls[b.ID]
	}
	return r
}

// leaves reports whether a successor of b is not in region r, that of the current stamp,
// or its join.
func (p *redundancy) leaves(b *ssa.Block, r *region) bool {
	return slices.ContainsFunc(b.Succs, func(s *ssa.Block) bool { return p.seen[s.ID] != p.stamp || s == r.from })
}

// idom returns the immediate dominator of b, which may be a block on a split edge.
func (p *redundancy) idom(b *ssa.Block) *ssa.Block {
	if b.ID >= len(p.calls) {
		return b.Preds[0]
	}
	return p.dom.Idom(b)
}

// dominates reports whether a dominates b.
func (p *redundancy) dominates(a, b *ssa.Block) bool {
	if a == b || a.ID >= len(p.calls) {
		return a == b
	}
	if b.ID >= len(p.calls) {
		b = b.Preds[0]
	}
	return p.dom.Dominates(a, b)
}

// leader returns a member of one of the classes that is available at the end of block
// at, or nil.
func (p *redundancy) leader(classes [2]int32, at *ssa.Block) *ssa.Value {
	for range maxPreBlocks {
		for _, class := range classes {
			if class == 0 || p.infos[class].count == 0 {
				continue
			}
			if w := p.memberIn(class, at); w != nil {
				return w
			}
		}
		if at = p.idom(at); at == nil {
			break
		}
	}
	return nil
}

// content returns the value that the load v, from an address of class address, would
// have at the end of block at, if it is available there.
func (p *redundancy) content(v *ssa.Value, address int32, at *ssa.Block) *ssa.Value {
	fixed := analysis.Fixed(v)
	mask := p.memory.Class(v.Args[0])
	class, _ := p.classes.find(key{op: ssa.OpLoad, typ: v.Type, a0: address})
	for left := maxPreValues; ; {
		for _, w := range slices.Backward(at.Values) {
			if left--; left < 0 {
				return nil
			}
			switch {
			case w.Mem.Volatile:
			case w.Op == ssa.OpLoad && w.Type == v.Type && p.classOf(w.Args[0]) == address:
				return p.subst.find(w)
			case w.Op == ssa.OpStore && w.Args[1].Type == v.Type && p.classOf(w.Args[0]) == address:
				return p.subst.find(w.Args[1])
			}
			if fixed || p.memory.Written(w)&mask == 0 {
				continue
			}
			if w.Op != ssa.OpStore || w.Mem.Volatile || p.memory.MayAlias(v.Args[0], analysis.AccessSize(v), w.Args[0], analysis.AccessSize(w)) {
				return nil
			}
		}
		if w := p.atStart(class, at); w != nil {
			return w
		}
		if left--; left < 0 || at.ID < len(p.calls) && len(at.Preds) != 1 && !fixed && p.memory.Between(at)&mask != 0 {
			return nil
		}
		if at = p.idom(at); at == nil {
			return nil
		}
	}
}

// atStart returns the phi that has replaced a load of the class at the start of b.
func (p *redundancy) atStart(class int32, b *ssa.Block) *ssa.Value {
	if class == 0 {
		return nil
	}
	m, ok := p.members.find(key{op: ssa.OpPhi, a0: class, a1: int32(b.ID)})
	if !ok {
		return nil
	}
	return p.subst.find(m)
}

// translated returns the class that v, an operand of a candidate, has on j's edge from
// its i-th predecessor; 0 if it has none. It is v's own if i is -1.
func (p *redundancy) translated(v *ssa.Value, j *ssa.Block, i, depth int) int32 {
	switch {
	case i < 0:
		return p.classOf(v)
	case v.Op == ssa.OpPhi && v.Block == j:
		return p.classOf(v.Args[i])
	case v.Block != j && p.dominates(v.Block, j):
		return p.classOf(v)
	case !v.Mergeable() || depth == 0:
		return 0
	}
	k, ok := expression(v, func(a *ssa.Value) int32 { return p.translated(a, j, i, depth-1) })
	if !ok {
		return 0
	}
	class, _ := p.classes.find(k)
	return class
}

// available returns the value of v on j's edge from its i-th predecessor, or nil.
func (p *redundancy) available(v *ssa.Value, j *ssa.Block, i int) *ssa.Value {
	k, ok := expression(v, func(a *ssa.Value) int32 { return p.translated(a, j, i, maxPreDepth) })
	if !ok {
		return nil
	}
	if v.Op == ssa.OpLoad {
		return p.content(v, k.a0, j.Preds[i])
	}
	return p.leader(p.variants(v, k), j.Preds[i])
}

// freeze computes what decisions depend on and has not been computed yet. It is called
// before each change: the analyses are of the function as it was before the first.
func (p *redundancy) freeze() {
	if p.phis != nil {
		return
	}
	p.needMemory()
	p.needVariance()
	p.needRegisters()
	p.phis = make(map[*ssa.Block][]*ssa.Value)
	p.made = make(map[*ssa.Value]bool)
	p.dead = make(map[*ssa.Value]bool)
}

func (p *redundancy) needUses() {
	if p.uses == nil {
		p.uses = analysis.Uses(p.f)
	}
}

func (p *redundancy) needVariance() {
	if p.vary == nil {
		p.needUses()
		p.vary = analysis.VaryWith(p.f, p.dom, p.loops, p.uses)
	}
}

func (p *redundancy) needRegisters() {
	if p.registers == nil {
		p.registers = analysis.EstimateRegisters(p.f, p.dom, p.loops)
	}
}

func (p *redundancy) needMemory() {
	if p.memory == nil {
		p.memory = analysis.Clobbers(p.f, p.dom, analysis.Alias(p.f, p.m))
	}
}

// join returns a value that replaces v, which is executed whenever join j is: a phi in
// j, or a value computed before the branches that join in j.
func (p *redundancy) join(j *ssa.Block, v *ssa.Value) *ssa.Value {
	args := make([]*ssa.Value, len(j.Preds))
	found := 0
	for i := range args {
		if args[i] = p.available(v, j, i); args[i] != nil {
			found++
		}
	}
	if found == 0 {
		return nil
	}
	p.needUses()
	if v.ID < p.uses.Len() && p.uses.Count(v) == 0 {
		return nil
	}
	short := v.Op != ssa.OpLoad && !long(v)
	if short && p.absorbed(v) {
		return nil
	}
	if found == len(args) {
		if !slices.ContainsFunc(args, func(a *ssa.Value) bool { return a != args[0] }) {
			p.freeze()
			p.unpromise(args[0], v)
			return args[0]
		}
		if !short {
			return p.phi(j, v, args)
		}
	}
	r := p.region(j)
	if r.large {
		return nil
	}
	span := append(p.span, r.blocks...)
	span = append(span, j)
	gone, before := p.movable(r, j, v, args)
	if !before {
		if short && (v.Type.IsPtr() || slices.ContainsFunc(args, func(a *ssa.Value) bool { return a != nil && p.dominates(a.Block, j) })) {
			return nil // an address loses its form, a value that lives on needs a copy
		}
		if found < len(args) && !p.fitsEdges(j, v, args, short) {
			return nil
		}
	}
	p.needRegisters()
	size := p.registers.Size(v)
	if short && p.registers.Room(append(span, r.from)...) < size {
		return nil
	}
	p.freeze()
	if before {
		p.registers.Add(size, distinct(append(span, r.from))...)
		return p.moveUp(r, j, v, gone)
	}
	p.onEdges(j, v, args)
	p.registers.Add(size, distinct(span)...)
	return p.phi(j, v, args)
}

// distinct returns the different blocks of a list, which it changes.
func distinct(list []*ssa.Block) []*ssa.Block {
	slices.SortFunc(list, func(a, b *ssa.Block) int { return a.ID - b.ID })
	return slices.Compact(list)
}

// absorbed reports whether v is part of its users' instructions, so that it costs
// nothing: a product that is added, an extension that is multiplied.
func (p *redundancy) absorbed(v *ssa.Value) bool {
	var by []ssa.Op
	switch v.Op {
	case ssa.OpMul, ssa.OpFMul, ssa.OpShl:
		by = []ssa.Op{ssa.OpAdd, ssa.OpSub, ssa.OpFAdd, ssa.OpFSub, ssa.OpPtrAdd}
	case ssa.OpSExt, ssa.OpZExt:
		by = []ssa.Op{ssa.OpMul, ssa.OpShl}
	default:
		return false
	}
	if v.ID >= p.uses.Len() {
		return false
	}
	for _, use := range p.uses.Of(v) {
		if p.used(use) && (use.User == nil || use.Block != v.Block || !slices.Contains(by, use.User.Op)) {
			return false
		}
	}
	return v.Op != ssa.OpMul || v.Type == ssa.I64 || p.usedOnce(v)
}

// used reports whether a use counts: that of an unused operation does not.
func (p *redundancy) used(use analysis.Use) bool {
	return use.User == nil || p.uses.Count(use.User) > 0 || hasEffect(use.User)
}

// usedOnce reports whether v has one use at most, besides those in unused operations.
func (p *redundancy) usedOnce(v *ssa.Value) bool {
	if v.ID >= p.uses.Len() {
		return false
	}
	n := 0
	for _, use := range p.uses.Of(v) {
		if p.used(use) {
			n++
		}
		if n > 1 {
			return false
		}
	}
	return true
}

// phi makes a phi in j that replaces v.
func (p *redundancy) phi(j *ssa.Block, v *ssa.Value, args []*ssa.Value) *ssa.Value {
	p.freeze()
	for _, a := range args {
		p.unpromise(a, v)
	}
	phi := p.f.NewValue(ssa.OpPhi, v.Type, args...)
	phi.Block, phi.Pos = j, v.Pos
	p.phis[j] = append(p.phis[j], phi)
	p.made[phi] = true
	p.setClass(phi, p.classOf(v))
	k, _ := expression(v, p.classOf)
	class, _ := p.classes.find(k)
	if v.Op == ssa.OpLoad {
		p.members.put(key{op: ssa.OpPhi, a0: class, a1: int32(j.ID)}, phi)
		p.infos[class].count++
	} else {
		p.add(class, phi)
	}
	return phi
}

// unpromise takes from w, which is to stand for v, the promises that v does not make.
// Those of w's operands are v's operands', by their classes.
func (p *redundancy) unpromise(w, v *ssa.Value) {
	if v.NoWrap || !v.Op.MayPromise() {
		return
	}
	w.NoWrap = false
	if p.made[w] {
		for _, a := range w.Args {
			p.unpromise(p.subst.find(a), v)
		}
	}
}

// above returns the block above j to which v, a value of b that is executed whenever j
// is, can move, or nil: a join may be found there on the edges to which v is available.
func (p *redundancy) above(j, b *ssa.Block, v *ssa.Value) *ssa.Block {
	at := p.idom(j)
	if at == nil {
		return nil
	}
	var r *region
	if len(j.Preds) > 1 {
		if !p.joins[j.ID] {
			return nil
		}
		if r = p.region(j); !r.acyclic || len(r.exits) > 0 {
			return nil
		}
		p.span = append(p.span, r.blocks...)
	} else if len(at.Succs) != 1 {
		return nil
	}
	if v.Op == ssa.OpLoad && (p.calls[j.ID] || p.calls[at.ID] || r != nil && r.calls || p.written(v, j, b, at)) {
		return nil
	}
	p.span = append(p.span, j, at)
	return at
}

// written reports whether the memory of load v, a load of b, may change between the
// start of block at and v, on a path through j.
func (p *redundancy) written(v *ssa.Value, j, b, at *ssa.Block) bool {
	if analysis.Fixed(v) {
		return false
	}
	in := p.memory.Writes(at) | p.memory.Writes(j)
	if j == b {
		in = p.memory.Writes(at) | p.before()
	}
	if len(j.Preds) > 1 {
		in |= p.memory.Between(j)
	}
	return in&p.memory.Class(v.Args[0]) != 0
}

// before returns the roots whose memory the current block may have changed so far.
func (p *redundancy) before() analysis.Mask {
	for ; p.folded < len(p.writers); p.folded++ {
		p.mask |= p.memory.Written(p.writers[p.folded])
	}
	return p.mask
}
