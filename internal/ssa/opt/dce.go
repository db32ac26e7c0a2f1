package opt

import (
	"irgl/internal/pass"
	"irgl/internal/ssa"
)

// Dead code elimination.
//
// A value is live if it has side effects, if it is the control of a block, or if a
// live value uses it. All others are removed, and unreachable blocks. Marking starts
// from nothing, so a cycle of phis that only use each other is removed too.
//
//	v1 = load i32 v0 align 4           (removed: its result is unused)
//	v2 = alloca ptr.local 4 align 4    (removed: nothing reads it)
//	store v2, v1 align 4               (removed with it)
//	v3 = atomicadd i32 v0, v4 align 4  (stays)
//
// A store into an alloca is as live as the alloca: when nothing but such
// stores uses the alloca's address, what they write is never read. That
// holds of addresses made by arithmetic and casts; through a phi or select the
// store stays.
//
// The values that remain in a large function are moved to contiguous memory
// (ssa.Func.Gather), since every pass after this one walks over them.
//
// What it will not do: remove a call, since its effects are not known; remove
// a volatile access, an atomic, a barrier, a warp operation or a fence;
// remove a loop because it computes nothing (it may be waiting for another
// thread).
func dce(f *ssa.Func, r *pass.Run) {
	r.Count("blocks", removeUnreachable(f))
	d := &marker{live: ssa.Make[bool](f, f.NumValues()), stores: make(map[*ssa.Value][]*ssa.Value)}
	for _, b := range f.Blocks {
		if b.Ctrl != nil {
			d.mark(b.Ctrl)
		}
		for _, v := range b.Values {
			if !hasEffect(v) {
				continue
			}
			if v.Op == ssa.OpStore && !v.Mem.Volatile {
				if base := localBase(v.Args[0]); base != nil && !d.live[base.ID] {
					d.stores[base] = append(d.stores[base], v)
					continue
				}
			}
			d.mark(v)
		}
	}
	d.run()
	removed := 0
	for _, b := range f.Blocks {
		kept := b.Values[:0]
		for _, v := range b.Values {
			if d.live[v.ID] {
				kept = append(kept, v)
			}
		}
		removed += len(b.Values) - len(kept)
		clear(b.Values[len(kept):])
		b.Values = kept
	}
	r.Count("values", removed)
	if f.NumValues() > gatherFrom {
		f.Gather()
	}
}

// gatherFrom is the number of values, dead ones included, from which their placement
// in memory matters: 4 MiB of them exceed the L2 cache. Below, allocating new memory
// costs what the walks gain.
const gatherFrom = 1 << 15

// hasEffect reports whether v must be kept even if its result is unused. The
// table of operations marks alloca as volatile only so that two allocas are
// never merged.
func hasEffect(v *ssa.Value) bool {
	return v.Op != ssa.OpAlloca && v.Op.Effects()&(ssa.Writes|ssa.Syncs|ssa.Volatile) != 0 || v.Mem.Volatile
}

// A marker finds the live values.
type marker struct {
	live   []bool // by number
	work   []*ssa.Value
	stores map[*ssa.Value][]*ssa.Value // into allocas that are not live yet
}

func (d *marker) mark(v *ssa.Value) {
	if !d.live[v.ID] {
		d.live[v.ID] = true
		d.work = append(d.work, v)
	}
}

func (d *marker) run() {
	for len(d.work) > 0 {
		v := d.work[len(d.work)-1]
		d.work = d.work[:len(d.work)-1]
		for _, a := range v.Args {
			d.mark(a)
		}
		if v.Op == ssa.OpAlloca {
			for _, store := range d.stores[v] {
				d.mark(store)
			}
		}
	}
}
