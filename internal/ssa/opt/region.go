package opt

import (
	"slices"

	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// This file has what the passes that copy blocks share. A value that is used
// outside of the copied blocks has several definitions after copying. Such
// values are first demoted to memory (demote), then blocks are copied freely,
// and promotion rebuilds the values with phis where definitions join.

// demote gives each value defined in one of the regions, which are disjoint, a
// variable in memory if it is used outside of its region: it is stored after
// its definition and loaded before its uses. A phi's argument is used at the
// end of the predecessor; an edge that leaves the region keeps its arguments,
// so regions that begin with a loop header need preheaders. It returns the
// variables, for promoteOnly.
func demote(f *ssa.Func, regions [][]*ssa.Block) []*ssa.Value {
	d := &demoter{f: f, region: ssa.Make[int](f, f.NumBlocks()), slot: make(map[*ssa.Value]*ssa.Value)}
	for k, blocks := range regions {
		for _, b := range blocks {
			d.region[b.ID] = k + 1
		}
	}
	for _, b := range f.Blocks {
		d.uses(b)
		d.edges(b)
	}
	for _, blocks := range regions {
		for _, b := range blocks {
			d.stores(b)
		}
	}
	entry := f.Blocks[0]
	entry.Values = append(slices.Clone(d.made), entry.Values...)
	return d.made
}

type demoter struct {
	f      *ssa.Func
	region []int                     // by block number; 0 for none
	slot   map[*ssa.Value]*ssa.Value // the alloca of a value
	made   []*ssa.Value              // allocas
}

// leaves reports whether v, used in b, is defined in a region that b is not in.
func (d *demoter) leaves(v *ssa.Value, b *ssa.Block) bool {
	k := d.region[v.Block.ID]
	return k != 0 && k != d.region[b.ID]
}

// load returns the values that replace v in block b; the last is the
// replacement: a load of v's variable. A constant is rematerialised, and so is
// an address at a constant distance from a parameter or variable: a phi of such
// addresses would hide what they point to.
func (d *demoter) load(v *ssa.Value, b *ssa.Block) []*ssa.Value {
	again := func(v *ssa.Value, args ...*ssa.Value) *ssa.Value {
		w := d.f.NewValue(v.Op, v.Type, args...)
		w.Int, w.Float, w.Sym, w.Pos, w.Block = v.Int, v.Float, v.Sym, v.Pos, b
		return w
	}
	switch v.Op {
	case ssa.OpConst, ssa.OpFConst, ssa.OpUndef, ssa.OpGlobalAddr, ssa.OpFuncAddr:
		return []*ssa.Value{again(v)}
	case ssa.OpPtrAdd:
		base, off := v.Args[0], v.Args[1]
		if off.Op != ssa.OpConst {
			break
		}
		switch base.Op {
		case ssa.OpParam, ssa.OpAlloca: // in the entry block, which is in no region
			c := again(off)
			return []*ssa.Value{c, again(v, base, c)}
		case ssa.OpGlobalAddr:
			g, c := again(base), again(off)
			return []*ssa.Value{g, c, again(v, g, c)}
		}
	}
	a := d.slot[v]
	if a == nil {
		a = d.f.NewValue(ssa.OpAlloca, ssa.PtrLocal)
		a.Int, a.Mem.Align = int64(v.Type.Size()), int64(v.Type.Size())
		a.Block, a.Pos = d.f.Blocks[0], v.Pos
		d.slot[v] = a
		d.made = append(d.made, a)
	}
	l := d.f.NewValue(ssa.OpLoad, v.Type, a)
	l.Mem.Align = int64(v.Type.Size())
	l.Block, l.Pos = b, v.Pos
	return []*ssa.Value{l}
}

// uses loads the values of other regions that b uses, each once.
func (d *demoter) uses(b *ssa.Block) {
	var out []*ssa.Value
	here := make(map[*ssa.Value]*ssa.Value)
	phis := len(b.Phis())
	want := func(v *ssa.Value) *ssa.Value {
		if !d.leaves(v, b) {
			return v
		}
		if here[v] == nil {
			made := d.load(v, b)
			here[v] = made[len(made)-1]
			out = append(out, made...)
		}
		return here[v]
	}
	for _, v := range b.Values[phis:] {
		for i, a := range v.Args {
			v.Args[i] = want(a)
		}
	}
	if b.Ctrl != nil {
		b.Ctrl = want(b.Ctrl)
	}
	if len(out) > 0 {
		b.Values = slices.Insert(b.Values, phis, out...)
	}
}

// edges loads the phi arguments of b on edges from outside.
func (d *demoter) edges(b *ssa.Block) {
	for _, phi := range b.Phis() {
		for i, a := range phi.Args {
			if p := b.Preds[i]; d.leaves(a, p) {
				made := d.load(a, p)
				p.Values = append(p.Values, made...)
				phi.Args[i] = made[len(made)-1]
			}
		}
	}
}

// stores stores the values of b that have a variable.
func (d *demoter) stores(b *ssa.Block) {
	phis := len(b.Phis())
	out := make([]*ssa.Value, 0, len(b.Values)+4)
	var late []*ssa.Value // stores of phis, placed after the last phi
	for i, v := range b.Values {
		if i == phis {
			out = append(out, late...)
			late = nil
		}
		out = append(out, v)
		a := d.slot[v]
		if a == nil {
			continue
		}
		s := d.f.NewValue(ssa.OpStore, ssa.Void, a, v)
		s.Mem.Align = int64(v.Type.Size())
		s.Block, s.Pos = b, v.Pos
		if i < phis {
			late = append(late, s)
		} else {
			out = append(out, s)
		}
	}
	b.Values = append(out, late...)
}

// A copier copies blocks. Values without an entry are their own copies.
type copier struct {
	f      *ssa.Func
	values map[*ssa.Value]*ssa.Value
	blocks map[*ssa.Block]*ssa.Block
}

func newCopier(f *ssa.Func) *copier {
	return &copier{f, make(map[*ssa.Value]*ssa.Value), make(map[*ssa.Block]*ssa.Block)}
}

func (c *copier) value(v *ssa.Value) *ssa.Value {
	if w := c.values[v]; w != nil {
		return w
	}
	return v
}

// copyValues copies the values of the blocks that have no entry yet; those
// that have one, such as phis whose value is known, are left out. The copies
// have no edges. Arguments, also those of phis, are mapped.
func (c *copier) copyValues(blocks []*ssa.Block) {
	var made []*ssa.Value
	for _, b := range blocks {
		nb := c.f.NewBlock(b.Kind)
		c.blocks[b] = nb
		nb.Uniform = b.Uniform
		for _, v := range b.Values {
			if c.values[v] != nil {
				continue
			}
			w := c.f.NewValue(v.Op, v.Type, slices.Clone(v.Args)...)
			w.Int, w.Float, w.Sym, w.Mem, w.NoWrap, w.Pos, w.Block = v.Int, v.Float, v.Sym, v.Mem, v.NoWrap, v.Pos, nb
			c.values[v] = w
			nb.Values = append(nb.Values, w)
			made = append(made, w)
		}
	}
	for _, w := range made {
		for i, a := range w.Args {
			w.Args[i] = c.value(a)
		}
	}
	for _, b := range blocks {
		if b.Ctrl != nil {
			c.blocks[b].Ctrl = c.value(b.Ctrl)
		}
	}
}

// addEdgeLike adds an edge from the copy from to target, with the mapped phi
// arguments of the i-th edge of b, which leads to to.
func (c *copier) addEdgeLike(from *ssa.Block, b *ssa.Block, i int, target *ssa.Block) {
	place := edgeIndex(b, i)
	from.AddEdge(target)
	if target == b.Succs[i] {
		for _, phi := range target.Phis() {
			phi.Args = append(phi.Args, c.value(phi.Args[place]))
		}
	}
}

// clonable reports whether the blocks may be executed in more than one place:
// they have no synchronisation, atomics or calls.
func clonable(blocks []*ssa.Block) bool {
	return repeatable(blocks) && !hasAtomic(blocks)
}

// repeatable is clonable, but atomics are allowed: copies of a loop's body one after the other
// execute as many as its iterations did, in the same order.
func repeatable(blocks []*ssa.Block) bool {
	for _, b := range blocks {
		for _, v := range b.Values {
			if v.Op == ssa.OpAlloca || v.Op == ssa.OpAtomicLoad || v.Mem.Volatile || v.Op.Effects()&ssa.Syncs != 0 || v.Op == ssa.OpFence || v.Op == ssa.OpPrintf {
				return false
			}
		}
	}
	return true
}

func hasAtomic(blocks []*ssa.Block) bool {
	for _, b := range blocks {
		for _, v := range b.Values {
			if v.Op.IsAtomic() {
				return true
			}
		}
	}
	return false
}

// splitEdge splits b's i-th edge with a new block and returns it.
func splitEdge(b *ssa.Block, i int) *ssa.Block {
	to, place := b.Succs[i], edgeIndex(b, i)
	mid := b.Func.NewBlock(ssa.BlockJump)
	mid.Succs, mid.Preds = []*ssa.Block{to}, []*ssa.Block{b}
	b.Succs[i] = mid
	to.Preds[place] = mid
	return mid
}

// preheaders gives each loop with one entry edge a preheader and reports
// whether it inserted one.
func preheaders(loops *analysis.Loops, list []*analysis.Loop) bool {
	made := false
	for _, l := range list {
		var from *ssa.Block
		entries := 0
		for _, p := range l.Header.Preds {
			if !loops.Contains(l, p) {
				from = p
				entries++
			}
		}
		if entries != 1 || len(from.Succs) == 1 {
			continue
		}
		i := 0
		for from.Succs[i] != l.Header {
			i++
		}
		loops.Put(splitEdge(from, i), l.Parent)
		made = true
	}
	return made
}
