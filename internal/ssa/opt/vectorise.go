package opt

import (
	"slices"

	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Memory access vectorisation.
// Source: NVIDIA, section 3.3.
//
// A thread can load or store two or four adjacent elements, up to 16 bytes,
// with one instruction. The pass finds accesses of one block, kind and type
// at constant distances from one base address, and places those that fill
// an aligned vector next to each other; the first is given the alignment of
// the vector, and code generation emits one vector access.
//
//	v3 = load f32 v2 align 8               v3 = load f32 v2 align 8
//	v4 = fmul f32 v3, v9                   v6 = load f32 v5 align 4
//	v6 = load f32 v5 align 4  (v2 + 4)     v4 = fmul f32 v3, v9
//
// Loads move up to the first of their vector and stores down to the last.
// Nothing in between may conflict: for loads, nothing that writes memory
// that may alias theirs, for stores also nothing that reads it; barriers,
// atomics, fences, warp operations and calls close every group. The
// alignment is that of the address as computed by analysis.Alignments, or as
// stated by the accesses: a member of a struct of 16 bytes is aligned
// accordingly.
//
// A block is visited once, with the open accesses in lists by address, at
// most maxOpen each; so the time is that of the block times maxOpen, as in
// the paper.
//
// What it will not do: change volatile accesses; vectorise truth values; load
// memory that the program does not load, to fill a gap.
func vectorise(m *ssa.Module, f *ssa.Func, r *pass.Run) {
	dom := analysis.Dominators(f)
	x := &vectoriser{f: f, run: r, aliases: analysis.Alias(f, m), align: analysis.Align(f, m, dom)}
	for _, b := range dom.Order() {
		x.block(b)
	}
	r.Count("loads", x.loads)
	r.Count("stores", x.stores)
}

const maxOpen = 16

// A vectorGroup is a set of open accesses at constant distances from one base address.
type vectorGroup struct {
	base   *ssa.Value
	typ    ssa.Type
	store  bool
	fixed  bool
	member []member
	passed []*ssa.Value // of loads: stores since the first

	// For remarks, of a closed group: the operation that closed it, nil for the
	// end of the block or too many groups, and the accesses that are in no vector.
	by   *ssa.Value
	left []member
}

type member struct {
	v   *ssa.Value
	off int64
	at  int // index in the block
}

type vectoriser struct {
	f       *ssa.Func
	run     *pass.Run
	aliases *analysis.Aliases
	align   *analysis.Alignments
	open    []*vectorGroup
	chosen  [][]member     // vectors of the block
	closed  []*vectorGroup // of the block, for remarks

	loads, stores int
}

// block finds the vectors of b and reorders its values.
func (x *vectoriser) block(b *ssa.Block) {
	x.open, x.closed, x.chosen = x.open[:0], nil, nil
	for i, v := range b.Values {
		switch {
		case (v.Op == ssa.OpLoad || v.Op == ssa.OpStore) && !v.Mem.Volatile:
			x.inhibit(v)
			x.add(v, i)
		case v.Op.Effects() != 0 && v.Op != ssa.OpAlloca:
			x.closeAll(v)
		}
	}
	x.closeAll(nil)
	x.remarks()
	if len(x.chosen) > 0 {
		x.lay(b)
	}
}

// element returns the type that v loads or stores.
func element(v *ssa.Value) ssa.Type {
	if v.Op == ssa.OpStore {
		return v.Args[1].Type
	}
	return v.Type
}

// inhibit closes the groups that v conflicts with.
func (x *vectoriser) inhibit(v *ssa.Value) {
	kept := x.open[:0]
	for _, g := range x.open {
		blocks := false
		if (g.store || v.Op == ssa.OpStore) && !g.fixed {
			for _, m := range g.member {
				if x.aliases.MayAlias(m.v.Args[0], analysis.AccessSize(m.v), v.Args[0], analysis.AccessSize(v)) {
					blocks = true
					break
				}
			}
		}
		if !blocks && !g.store && !g.fixed && v.Op == ssa.OpStore {
			g.passed = append(g.passed, v)
			blocks = len(g.passed) > maxOpen
		}
		if blocks {
			x.close(g, v)
		} else {
			kept = append(kept, g)
		}
	}
	x.open = kept
}

// add puts v into the group of its address, or into a new one.
func (x *vectoriser) add(v *ssa.Value, at int) {
	t := element(v)
	if t == ssa.I1 || t.Size() > 8 || v.Args[0].Type == ssa.PtrParam {
		return
	}
	base, off := splitSpace(v.Args[0])
	for i, g := range x.open {
		if g.base != base || g.typ != t || g.store != (v.Op == ssa.OpStore) || g.fixed != v.Mem.ReadOnly {
			continue
		}
		if len(g.member) < maxOpen && x.behind(g, v) == nil {
			g.member = append(g.member, member{v, off, at})
			return
		}
		by := v
		if s := x.behind(g, v); s != nil {
			by = s
		}
		x.close(g, by)
		x.open = slices.Delete(x.open, i, i+1)
		break
	}
	if len(x.open) == maxOpen { // evict the oldest
		x.close(x.open[0], nil)
		x.open = append(x.open[:0], x.open[1:]...)
	}
	x.open = append(x.open, &vectorGroup{base: base, typ: t, store: v.Op == ssa.OpStore, fixed: v.Mem.ReadOnly, member: []member{{v, off, at}}})
}

// behind returns a store between the loads of g and load v that v must not
// move above, or nil.
func (x *vectoriser) behind(g *vectorGroup, v *ssa.Value) *ssa.Value {
	for _, s := range g.passed {
		if x.aliases.MayAlias(s.Args[0], analysis.AccessSize(s), v.Args[0], analysis.AccessSize(v)) {
			return s
		}
	}
	return nil
}

// splitSpace strips constant offsets from p, but no cast: the vector's address
// is of one space.
func splitSpace(p *ssa.Value) (*ssa.Value, int64) {
	off := int64(0)
	for p.Op == ssa.OpPtrAdd && p.Args[1].Op == ssa.OpConst {
		off += p.Args[1].Int
		p = p.Args[0]
	}
	return p, off
}

func (x *vectoriser) closeAll(by *ssa.Value) {
	for _, g := range x.open {
		x.close(g, by)
	}
	x.open = x.open[:0]
}

// close splits a group, which by conflicts with, into vectors, the widest
// first from the lowest address.
func (x *vectoriser) close(g *vectorGroup, by *ssa.Value) {
	if x.run.Remarks() {
		g.by = by
		x.closed = append(x.closed, g)
	}
	if len(g.member) < 2 {
		g.left = g.member
		return
	}
	list := slices.Clone(g.member)
	slices.SortStableFunc(list, func(a, b member) int { return int(min(1, max(-1, a.off-b.off))) })
	size := int64(g.typ.Size())
	base := x.align.Of(g.base, 16)
	for _, m := range list { // an access also states the alignment of its address
		for a := min(m.v.Mem.Align, 16); a > base; a /= 2 {
			if m.off%a == 0 {
				base = a
			}
		}
	}
	for i := 0; i < len(list); {
		n := 1
		for _, width := range []int{4, 2} {
			bytes := size * int64(width)
			if bytes <= 16 && bytes <= base && list[i].off%bytes == 0 && inRow(list[i:], width, size) {
				n = width
				break
			}
		}
		if n > 1 {
			list[i].v.Mem.Align = size * int64(n)
			x.run.Applied(list[i].v.Pos, "%s and the next %d are one access of %d bytes", accessName(list[i].v), n-1, size*int64(n))
			x.chosen = append(x.chosen, list[i:i+n])
			if g.store {
				x.stores += n
			} else {
				x.loads += n
			}
		} else {
			g.left = append(g.left, list[i])
		}
		i += n
	}
}

// inRow reports whether the first n of list are adjacent in memory.
func inRow(list []member, n int, size int64) bool {
	if len(list) < n {
		return false
	}
	for k := 1; k < n; k++ {
		if list[k].off != list[0].off+int64(k)*size {
			return false
		}
	}
	return true
}

// lay places the members of each vector next to each other.
func (x *vectoriser) lay(b *ssa.Block) {
	row := make(map[int][]member) // by the index at which a vector is placed
	moved := make(map[*ssa.Value]bool)
	for _, list := range x.chosen {
		place := list[0].at
		for _, m := range list {
			moved[m.v] = true
			if (m.v.Op == ssa.OpStore) == (m.at > place) {
				place = m.at
			}
		}
		row[place] = list
	}
	out := make([]*ssa.Value, 0, len(b.Values)+len(moved))
	for i, v := range b.Values {
		list := row[i]
		if list == nil {
			if !moved[v] {
				out = append(out, v)
			}
			continue
		}
		// The addresses are recomputed from the base, which dominates the first access
		// and so all of them.
		base, _ := splitSpace(list[0].v.Args[0])
		for k, m := range list {
			address := base
			if m.off != 0 {
				c := x.f.NewConst(ssa.I64, m.off)
				address = x.f.NewValue(ssa.OpPtrAdd, base.Type, base, c)
				c.Block, address.Block, c.Pos, address.Pos = b, b, m.v.Pos, m.v.Pos
				out = append(out, c, address)
			}
			list[k].v.Args[0] = address
		}
		for _, m := range list {
			out = append(out, m.v)
		}
	}
	b.Values = out
}
