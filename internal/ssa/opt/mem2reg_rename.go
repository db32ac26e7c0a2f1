package opt

import "irgl/internal/ssa"

// exposedLoads returns, by value number, the loads of slots that no store to
// the slot precedes in their block.
func (p *promoter) exposedLoads() []bool {
	exposed := ssa.Make[bool](p.f, p.f.NumValues())
	storedIn := ssa.Make[*ssa.Block](p.f, len(p.slots)) // the last block with a store
	for _, b := range p.f.Blocks {
		for _, v := range b.Values {
			s := p.slotOf[v.ID]
			switch {
			case s == nil:
			case v.Op == ssa.OpStore:
				storedIn[s.index] = b
			case storedIn[s.index] != b:
				exposed[v.ID] = true
			}
		}
	}
	return exposed
}

// rename walks the dominator tree with the current value of each slot, removes
// the slots' loads and stores, and fills in the phis' arguments.
func (p *promoter) rename() {
	type change struct {
		slot *slot
		old  *ssa.Value
	}
	var log []change // of current; undone when the walk leaves a subtree
	var marks []int
	current := ssa.Make[*ssa.Value](p.f, len(p.slots))
	set := func(s *slot, v *ssa.Value) {
		log = append(log, change{s, current[s.index]})
		current[s.index] = v
	}
	subst := newSubst(p.f)
	edges := edgeNumbers(p.f)
	p.undef = make(map[ssa.Type]*ssa.Value)
	var out []*ssa.Value // the block's new list
	p.dom.Walk(func(b *ssa.Block) {
		marks = append(marks, len(log))
		out = out[:0]
		for _, placed := range p.phis[b.ID] {
			set(placed.slot, placed.phi)
			out = append(out, placed.phi)
		}
		for _, v := range b.Values {
			var s *slot
			if v.ID < len(p.slotOf) {
				s = p.slotOf[v.ID]
			}
			switch {
			case s == nil:
				out = append(out, v)
			case v.Op == ssa.OpLoad:
				by := current[s.index]
				if by == nil {
					by = p.undefined(s.typ)
				}
				subst.replace(v, p.convert(by, v.Type, v, &out))
				p.accesses++
			default:
				set(s, p.convert(subst.find(v.Args[1]), s.typ, v, &out))
				p.accesses++
			}
		}
		setValues(b, out)
		for i, succ := range b.Succs {
			for _, placed := range p.phis[succ.ID] {
				by := current[placed.slot.index]
				if by == nil {
					by = p.undefined(placed.slot.typ)
				}
				placed.phi.Args[edges[b.ID][i]] = by
			}
		}
	}, func(*ssa.Block) {
		last := len(marks) - 1
		for len(log) > marks[last] {
			undo := log[len(log)-1]
			current[undo.slot.index] = undo.old
			log = log[:len(log)-1]
		}
		marks = marks[:last]
	})
	entry := p.f.Blocks[0]
	entry.Values = append(p.first, entry.Values...)
	subst.apply(p.f)
}

// edgeNumbers returns, by block number, the indices of a block's edges among
// their targets' predecessors, for all blocks in one sweep.
func edgeNumbers(f *ssa.Func) [][2]int {
	numbers := ssa.Make[[2]int](f, f.NumBlocks())
	found := ssa.Make[[2]bool](f, f.NumBlocks())
	for _, b := range f.Blocks {
		for j, p := range b.Preds {
			for i, s := range p.Succs {
				if s == b && !found[p.ID][i] {
					numbers[p.ID][i], found[p.ID][i] = j, true
					break
				}
			}
		}
	}
	return numbers
}

// undefined returns the undef of type t, which will be placed at the start of the
// entry.
func (p *promoter) undefined(t ssa.Type) *ssa.Value {
	if p.undef[t] == nil {
		v := p.f.NewValue(ssa.OpUndef, t)
		v.Block = p.f.Blocks[0]
		p.undef[t] = v
		p.first = append(p.first, v)
	}
	return p.undef[t]
}

// convert returns the bits of v as a value of type t of the same size,
// appending the conversions to out; at has their source position.
func (p *promoter) convert(v *ssa.Value, t ssa.Type, at *ssa.Value, out *[]*ssa.Value) *ssa.Value {
	step := func(op ssa.Op, t ssa.Type) {
		c := p.f.NewValue(op, t, v)
		c.Block, c.Pos = at.Block, at.Pos
		*out = append(*out, c)
		v = c
	}
	switch {
	case v.Type == t:
	case v.Op == ssa.OpUndef:
		return p.undefined(t)
	case v.Type.IsPtr() && t.IsPtr():
		step(ssa.OpPtrToInt, ssa.I64) // the bits: a cast of spaces would change them
		step(ssa.OpIntToPtr, t)
	case v.Type.IsPtr():
		step(ssa.OpPtrToInt, ssa.I64)
		if t != ssa.I64 {
			step(ssa.OpBitcast, t)
		}
	case t.IsPtr():
		if v.Type != ssa.I64 {
			step(ssa.OpBitcast, ssa.I64)
		}
		step(ssa.OpIntToPtr, t)
	default:
		step(ssa.OpBitcast, t)
	}
	return v
}
