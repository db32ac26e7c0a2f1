package opt

import (
	"cmp"
	"slices"

	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Promotion of memory to values, with scalar replacement of aggregates.
// Source: gpucc, section 3.1 (scalar replacement, which "has been observed to
// speed up some kernels by over 10x"); the placement of phis is that of Cytron
// et al., "Efficiently Computing Static Single Assignment Form" (1991), pruned
// by liveness.
//
// Lowering gives each variable an alloca. Local memory is as slow as device
// memory, and loads and stores hide the data flow. The pass collects every
// access to an alloca, through constant offsets and casts, and makes the
// accesses at one offset and of one size a variable of their own:
//
//	v0 = alloca ptr.local 8 align 4         (a struct of two fields)
//	store v0, v1 align 4
//	v2 = const i64 4
//	v3 = ptradd ptr.local v0, v2
//	store v3, v4 align 4
//	v5 = load i32 v0 align 4                v5 is v1
//	v6 = load f32 v3 align 4                v6 is v4; a bitcast if v4 is i32
//
// Struct copies, which lowering expands field by field, thereby become
// copies of values. Phis are inserted at joins, but only where the variable
// is live. A read of memory that was never written is undef.
//
// A local copy of an aggregate parameter that is read at offsets that are not constant, and not
// written, is not promoted; its reads become reads of the parameter (mem2reg_param.go).
//
// A load through a choice of variables becomes a choice of loads (mem2reg_choice.go).
//
// It always pays: each promoted access saves at least one instruction.
//
// What it will not do. An alloca whose address escapes, that is, is used by
// anything but loads and stores (a call, a stored value, an offset that is not
// constant, a phi), or that has volatile accesses, is left as it is. Of an
// alloca that is split, a part stays in memory when accesses overlap it
// without covering it exactly, reach beyond the alloca, or mix i1, whose bytes
// have only two values, with other types.
func mem2reg(f *ssa.Func, r *pass.Run) {
	if len(f.Blocks) == 0 {
		return
	}
	removeUnreachable(f)
	if n := readParams(f); n > 0 {
		r.Count("parameters", n)
	}
	if n := loadChoices(f); n > 0 {
		r.Count("choices", n)
	}
	p := &promoter{f: f, slotOf: ssa.Make[*slot](f, f.NumValues())}
	p.findSlots(r)
	if len(p.slots) == 0 {
		return
	}
	p.dom = analysis.Dominators(f)
	p.placePhis()
	p.rename()
	r.Count("promoted", len(p.slots))
	r.Count("accesses", p.accesses)
}

// A slot is a part of an alloca that becomes a variable.
type slot struct {
	index  int
	typ    ssa.Type // of the variable: that of its first access
	access []access
}

// An access is a load or store of a part of an alloca.
type access struct {
	v         *ssa.Value
	off, size int64
	typ       ssa.Type // loaded or stored
}

type promoter struct {
	f        *ssa.Func
	dom      *analysis.DomTree
	slots    []*slot
	slotOf   []*slot // by number of a load or store
	accesses int

	phis  [][]placedPhi // by block number
	undef map[ssa.Type]*ssa.Value
	first []*ssa.Value // undefs, in the order created: the new start of the entry
}

type placedPhi struct {
	phi  *ssa.Value
	slot *slot
}

// promoteOnly promotes the given allocas, whose only uses are loads and stores
// of one type, and removes them. It also removes phis with one argument, which
// copying blocks leaves behind.
func promoteOnly(f *ssa.Func, allocas []*ssa.Value) {
	removeUnreachable(f)
	defer dropSinglePhis(f)
	if len(allocas) == 0 {
		return
	}
	uses := analysis.Uses(f)
	p := &promoter{f: f, slotOf: ssa.Make[*slot](f, f.NumValues())}
	gone := make(map[*ssa.Value]bool, len(allocas))
	for _, v := range allocas {
		gone[v] = true
		if list, ok := accessesOf(v, uses, nil); ok {
			p.split(v, list)
		}
	}
	p.dom = analysis.Dominators(f)
	p.placePhis()
	p.rename()
	entry := f.Blocks[0]
	entry.Values = slices.DeleteFunc(entry.Values, func(v *ssa.Value) bool { return gone[v] })
}

// dropSinglePhis replaces the phis of blocks with one predecessor.
func dropSinglePhis(f *ssa.Func) {
	s := newSubst(f)
	for _, b := range f.Blocks {
		if phis := b.Phis(); len(b.Preds) == 1 && len(phis) > 0 {
			for _, phi := range phis {
				s.replace(phi, phi.Args[0])
			}
			b.Values = slices.Delete(b.Values, 0, len(phis))
		}
	}
	s.apply(f)
}

// findSlots splits the allocas of the entry.
func (p *promoter) findSlots(r *pass.Run) {
	var uses *analysis.UseLists
	for _, v := range p.f.Blocks[0].Values {
		if v.Op != ssa.OpAlloca {
			continue
		}
		if uses == nil {
			uses = analysis.Uses(p.f)
		}
		list, ok := accessesOf(v, uses, nil)
		if !ok {
			r.Count("escaping", 1)
			continue
		}
		before := len(p.slots)
		p.split(v, list)
		if len(p.slots) > before+1 {
			r.Count("split", 1)
		}
	}
}

// accessesOf returns all accesses to alloca v in program order, or false when
// its address escapes to something that is not chosen.
func accessesOf(v *ssa.Value, uses *analysis.UseLists, chosen map[*ssa.Value]bool) ([]access, bool) {
	type pointer struct {
		v   *ssa.Value
		off int64
	}
	var list []access
	work := []pointer{{v, 0}}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		for _, use := range uses.Of(at.v) {
			u := use.User
			switch {
			case u == nil:
				return nil, false
			case u.Op == ssa.OpSpaceCast:
				work = append(work, pointer{u, at.off})
			case u.Op == ssa.OpPtrAdd && u.Args[1].Op == ssa.OpConst:
				work = append(work, pointer{u, at.off + u.Args[1].Int})
			case u.Op == ssa.OpLoad && !u.Mem.Volatile:
				list = append(list, access{u, at.off, int64(u.Type.Size()), u.Type})
			case u.Op == ssa.OpStore && use.Index == 0 && u.Args[1] != at.v && !u.Mem.Volatile:
				t := u.Args[1].Type
				list = append(list, access{u, at.off, int64(t.Size()), t})
			case chosen[u]:
			default:
				return nil, false
			}
		}
	}
	return list, true
}

// split makes slots of the accesses to an alloca whose offset and size no
// other access overlaps.
func (p *promoter) split(alloca *ssa.Value, list []access) {
	slices.SortStableFunc(list, func(a, b access) int {
		if c := cmp.Compare(a.off, b.off); c != 0 {
			return c
		}
		return cmp.Compare(a.size, b.size)
	})
	for start := 0; start < len(list); {
		// The accesses that overlap the first one, directly or transitively.
		first := list[start]
		end, limit := start+1, first.off+first.size
		whole := first.off >= 0 && limit <= alloca.Int
		for end < len(list) && list[end].off < limit {
			a := list[end]
			whole = whole && a.off == first.off && a.size == first.size && (a.typ == ssa.I1) == (first.typ == ssa.I1)
			limit = max(limit, a.off+a.size)
			end++
		}
		if whole {
			s := &slot{index: len(p.slots), typ: first.typ, access: list[start:end]}
			p.slots = append(p.slots, s)
			for _, a := range s.access {
				p.slotOf[a.v.ID] = s
			}
		}
		start = end
	}
}

// placePhis inserts a phi for a slot at every join that two of its definitions reach
// and where the slot is live.
func (p *promoter) placePhis() {
	n := p.f.NumBlocks()
	p.phis = ssa.Make[[]placedPhi](p.f, n)
	exposed := p.exposedLoads()
	frontiers := p.dom.Frontiers()
	// Marks by block number: the last slot (its index + 1) for which the fact
	// holds, so that no slot needs arrays of its own.
	defined, live, placed := ssa.Make[int32](p.f, n), ssa.Make[int32](p.f, n), ssa.Make[int32](p.f, n)
	var work, defs []*ssa.Block
	for _, s := range p.slots {
		mark := int32(s.index + 1)
		defs = defs[:0]
		for _, a := range s.access {
			if a.v.Op == ssa.OpStore && defined[a.v.Block.ID] != mark {
				defined[a.v.Block.ID] = mark
				defs = append(defs, a.v.Block)
			}
		}
		for _, a := range s.access {
			if b := a.v.Block; exposed[a.v.ID] && live[b.ID] != mark {
				live[b.ID] = mark
				work = append(work, b)
			}
		}
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			for _, pred := range b.Preds {
				if defined[pred.ID] != mark && live[pred.ID] != mark {
					live[pred.ID] = mark
					work = append(work, pred)
				}
			}
		}
		work = append(work, defs...)
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			for _, join := range frontiers[b.ID] {
				if placed[join.ID] == mark || live[join.ID] != mark {
					continue
				}
				placed[join.ID] = mark
				phi := p.f.NewValue(ssa.OpPhi, s.typ, make([]*ssa.Value, len(join.Preds))...)
				phi.Block, phi.Pos = join, s.access[0].v.Pos
				p.phis[join.ID] = append(p.phis[join.ID], placedPhi{phi, s})
				work = append(work, join)
			}
		}
	}
}
