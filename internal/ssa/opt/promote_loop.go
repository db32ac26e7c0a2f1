package opt

import (
	"slices"

	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// This file changes the loops that promotion has chosen.

// copiedTest reports whether the header of l is a test that can be copied before the loop.
func copiedTest(loops *analysis.Loops, l *analysis.Loop) bool {
	h := l.Header
	if loops.Contains(l, h.Succs[0]) == loops.Contains(l, h.Succs[1]) || !clonable(l.Blocks[:1]) {
		return false
	}
	tests := 0
	for _, v := range h.Values {
		if v.Op.Effects()&ssa.Writes != 0 || v.Op.IsCall() || v.Op.IsAsm() {
			return false
		}
		if v.Op != ssa.OpPhi && v.Op != ssa.OpConst {
			tests++
		}
	}
	return tests <= maxTest
}

// guardLoops copies the test of each loop that needs it behind its preheader.
func (p *loopPromoter) guardLoops(chosen []*promotion) {
	var headers [][]*ssa.Block
	for _, c := range chosen {
		if c.guard {
			headers = append(headers, c.loop.Blocks[:1])
		}
	}
	if len(headers) == 0 {
		return
	}
	slots := demote(p.f, headers)
	for _, c := range chosen {
		if c.guard {
			p.guardLoop(c.loop)
		}
	}
	promoteOnly(p.f, slots)
	p.guards += len(headers)
}

// guardLoop copies the header of l behind the preheader, and gives the loop another one.
func (p *loopPromoter) guardLoop(l *analysis.Loop) {
	h, before := l.Header, p.entryOf(l)
	c := newCopier(p.f)
	enter := h.PredIndex(before)
	pre := splitEdge(before, 0)
	p.loops.Put(pre, l.Parent)
	for _, phi := range h.Phis() {
		c.values[phi] = phi.Args[enter]
	}
	c.copyValues(l.Blocks[:1])
	guard := c.blocks[h]
	p.loops.Put(guard, l.Parent)
	before.Succs[0], guard.Preds, pre.Preds = guard, []*ssa.Block{before}, nil
	for i, s := range h.Succs {
		if p.loops.Contains(l, s) {
			guard.AddEdge(pre)
		} else {
			c.addEdgeLike(guard, h, i, s)
		}
	}
}

// rewrite makes the accesses to each location of c accesses to a variable, and returns the
// variables.
func (p *loopPromoter) rewrite(c *promotion) []*ssa.Value {
	l := c.loop
	var slots []*ssa.Value
	var exits []*ssa.Block
	for _, x := range c.locations {
		if !p.constantOffset(l, x.at) {
			continue // the address was in a header that was copied
		}
		pre := p.entryOf(l)
		at := p.addressBefore(l, pre, x.at)
		slot := p.f.NewValue(ssa.OpAlloca, ssa.PtrLocal)
		slot.Int, slot.Mem.Align = int64(x.typ.Size()), int64(x.typ.Size())
		slot.Block, slot.Pos = p.f.Blocks[0], x.stores[0].Pos
		slots = append(slots, slot)
		access := func(b *ssa.Block, like *ssa.Value, args ...*ssa.Value) *ssa.Value {
			v := p.f.NewValue(like.Op, like.Type, args...)
			v.Mem.Align, v.Pos, v.Block = x.align, like.Pos, b
			return v
		}
		if x.before {
			v := access(pre, x.loads[0], at)
			pre.Values = append(pre.Values, v, access(pre, x.stores[0], slot, v))
		}
		loads := x.loads
		if x.forwarded != nil {
			loads = x.forwarded
		}
		for _, v := range loads {
			v.Args[0] = slot
		}
		if x.forwarded != nil {
			p.forwards += len(loads)
		} else {
			p.loads += len(loads)
		}
		if !x.sink {
			p.define(x, slot)
			if x.forwarded != nil {
				p.run.Applied(x.forwarded[0].Pos, "%s has the value of the previous iteration, in a register", accessName(x.forwarded[0]))
				continue
			}
			p.applied(x, "; the store stays")
			continue
		}
		for _, v := range x.stores {
			v.Args[0] = slot
		}
		p.stores += len(x.stores)
		if exits == nil {
			exits = p.splitExits(l)
		}
		for _, b := range exits {
			v := p.f.NewValue(ssa.OpLoad, x.typ, slot)
			v.Mem.Align, v.Pos, v.Block = x.align, x.stores[0].Pos, b
			b.Values = append(b.Values, v, access(b, x.stores[0], at, v))
		}
		p.applied(x, "; the store moves behind the loop")
	}
	return slots
}

// constantOffset reports whether at is an address outside of l, or differs by a constant from
// one, or from that of a variable.
func (p *loopPromoter) constantOffset(l *analysis.Loop, at *ssa.Value) bool {
	base, _ := analysis.Split(at)
	return base.Op == ssa.OpGlobalAddr || !p.loops.Contains(l, base.Block)
}

// addressBefore returns at, of which constantOffset holds, as computed in b, which is before l.
func (p *loopPromoter) addressBefore(l *analysis.Loop, b *ssa.Block, at *ssa.Value) *ssa.Value {
	if !p.loops.Contains(l, at.Block) {
		return at
	}
	v := p.f.NewValue(at.Op, at.Type)
	v.Int, v.Sym, v.Pos, v.Block = at.Int, at.Sym, at.Pos, b
	for _, a := range at.Args {
		v.Args = append(v.Args, p.addressBefore(l, b, a))
	}
	b.Values = append(b.Values, v)
	return v
}

// define makes each store to x, and each load of it that is left, define its variable, too.
func (p *loopPromoter) define(x *location, slot *ssa.Value) {
	changed := make(map[*ssa.Block]bool)
	own := make(map[*ssa.Value]*ssa.Value, len(x.stores)) // what an access leaves in the variable
	list := slices.Clone(x.stores)
	for _, v := range x.stores {
		own[v] = v.Args[1]
	}
	for _, v := range x.loads {
		if v.Args[0] != slot {
			list, own[v] = append(list, v), v
		}
	}
	for _, v := range list {
		changed[v.Block] = true
	}
	for _, s := range list {
		b := s.Block
		if !changed[b] {
			continue
		}
		changed[b] = false
		out := make([]*ssa.Value, 0, len(b.Values)+1)
		for _, v := range b.Values {
			out = append(out, v)
			if own[v] != nil {
				d := p.f.NewValue(ssa.OpStore, ssa.Void, slot, own[v])
				d.Mem.Align, d.Pos, d.Block = x.align, v.Pos, b
				out = append(out, d)
			}
		}
		b.Values = out
	}
}

// splitExits gives each edge out of l a block.
func (p *loopPromoter) splitExits(l *analysis.Loop) []*ssa.Block {
	var list []*ssa.Block
	for _, b := range l.Blocks {
		for i, s := range b.Succs {
			if !p.loops.Contains(l, s) {
				list = append(list, splitEdge(b, i))
			}
		}
	}
	return list
}

func (p *loopPromoter) applied(x *location, store string) {
	v := x.stores[0]
	if len(x.loads) > 0 {
		v = x.loads[0]
	}
	p.run.Applied(v.Pos, "%s is kept in a register over the loop%s", accessName(v), store)
}
