package opt

import (
	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Dead store elimination.
// Source: gpucc, section 3.3 (the memory-space alias analysis "makes dead store
// elimination more effective", and one benchmark five times as fast).
//
// A store is dead when what it writes is never read. Two rules:
//
// A later store of the block overwrites it completely, and nothing in between
// may read it: no load that may alias it, no barrier, fence, atomic, warp
// operation or call, unless the memory is the thread's own and its address does
// not escape.
//
//	store v0, v1 align 4        goes
//	v3 = load i32 v9 align 4    (v9 does not alias v0)
//	store v0, v2 align 4
//
// A store into an alloca that is not read on any path to the end of the
// function is dead, since the alloca's lifetime ends there. The roots that may
// still be read (analysis.Mask) are propagated backward through the blocks.
//
//	v1 = load i32 v0 align 4    (v0 an alloca)
//	store v0, v2 align 4        goes if no load of v0 can follow
//
// Each block is walked once, from its end, with at most maxLaterStores stores
// tracked.
//
// What it will not do: remove a volatile store; remove one because of a store
// in another block; combine several stores that each overwrite part of it.
func deadStores(m *ssa.Module, f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	d := &storeKiller{f: f, aliases: analysis.Alias(f, m)}
	d.flow()
	for _, b := range f.Blocks {
		d.block(b)
	}
	r.Count("overwritten", d.overwritten)
	r.Count("unread", d.unread)
}

const maxLaterStores = 16

type storeKiller struct {
	f       *ssa.Func
	aliases *analysis.Aliases
	out     []analysis.Mask // by block number: roots read after the block

	overwritten, unread int
}

// reads returns the roots that v may read.
func (d *storeKiller) reads(v *ssa.Value) analysis.Mask {
	switch {
	case v.Op == ssa.OpStore, v.Op.Effects() == 0, v.Op == ssa.OpAlloca:
		return 0
	case v.Op == ssa.OpLoad:
		return d.aliases.Near(v.Args[0])
	}
	mask := d.aliases.Reached(v) // all memory that other code can reach
	if p := v.Address(); p != nil {
		mask |= d.aliases.Near(p)
	}
	return mask
}

// flow computes the roots read after each block, to the fixed point.
func (d *storeKiller) flow() {
	in := ssa.Make[analysis.Mask](d.f, d.f.NumBlocks())
	d.out = ssa.Make[analysis.Mask](d.f, d.f.NumBlocks())
	var work []*ssa.Block
	for _, b := range d.f.Blocks {
		for _, v := range b.Values {
			in[b.ID] |= d.reads(v)
		}
		if in[b.ID] != 0 {
			work = append(work, b)
		}
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, p := range b.Preds {
			d.out[p.ID] |= in[b.ID]
			if now := in[p.ID] | d.out[p.ID]; now != in[p.ID] {
				in[p.ID] = now
				work = append(work, p)
			}
		}
	}
}

// block removes the dead stores of b.
func (d *storeKiller) block(b *ssa.Block) {
	live := d.out[b.ID]
	var later []*ssa.Value // later stores, with no read of their memory in between
	gone := make(map[*ssa.Value]bool)
	for i := len(b.Values) - 1; i >= 0; i-- {
		v := b.Values[i]
		if v.Op == ssa.OpStore && !v.Mem.Volatile {
			switch {
			case d.unseen(v, live):
				d.unread++
				gone[v] = true
			case d.covered(v, later):
				d.overwritten++
				gone[v] = true
			default:
				if len(later) == maxLaterStores {
					later = append(later[:0], later[1:]...)
				}
				later = append(later, v)
			}
			continue
		}
		live |= d.reads(v)
		if v.Op.Effects() == 0 || v.Op == ssa.OpAlloca || len(later) == 0 {
			continue
		}
		kept := later[:0]
		for _, s := range later {
			if !d.sees(v, s) {
				kept = append(kept, s)
			}
		}
		later = kept
	}
	if len(gone) == 0 {
		return
	}
	kept := b.Values[:0]
	for _, v := range b.Values {
		if !gone[v] {
			kept = append(kept, v)
		}
	}
	clear(b.Values[len(kept):])
	b.Values = kept
}

// unseen reports whether v stores into an alloca that is not read any more.
func (d *storeKiller) unseen(v *ssa.Value, live analysis.Mask) bool {
	r := d.aliases.Root(v.Args[0])
	return r != nil && r.Op == ssa.OpAlloca && d.aliases.Private(v.Args[0]) && d.aliases.Class(v.Args[0])&live == 0
}

// covered reports whether one of the later stores overwrites v completely.
func (d *storeKiller) covered(v *ssa.Value, later []*ssa.Value) bool {
	for _, s := range later {
		if d.aliases.Same(s.Args[0], v.Args[0]) && analysis.AccessSize(s) >= analysis.AccessSize(v) {
			return true
		}
	}
	return false
}

// sees reports whether v may read the memory that s overwrites, or let other threads
// do so.
func (d *storeKiller) sees(v, s *ssa.Value) bool {
	if v.Op == ssa.OpLoad && !v.Mem.Volatile {
		return d.aliases.MayAlias(v.Args[0], analysis.AccessSize(v), s.Args[0], analysis.AccessSize(s))
	}
	return !d.aliases.Private(s.Args[0]) || v.Address() != nil && d.aliases.MayAlias(v.Args[0], 8, s.Args[0], analysis.AccessSize(s))
}
