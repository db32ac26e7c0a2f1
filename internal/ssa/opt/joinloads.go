package opt

import (
	"slices"

	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Joining of loads.
// Source: LLVM (AggressiveInstCombine, foldConsecutiveLoads).
//
// Objects are copied by their scalars, and a pair of halves becomes one operand of an
// instruction for pairs. What is loaded in parts, and put together again, is loaded at once:
//
//	v2 = load i16 v1 align 4               v8 = load i32 v1 align 4
//	v3 = load i16 v9 align 2  (v1 + 2)
//	v4 = zext i32 v2
//	v5 = zext i32 v3
//	v6 = shl i32 v5, 16
//	v7 = or i32 v4, v6                     v7 is v8
//
// The parts are those of a disjunction of extended and shifted loads that fill an integer
// from the lowest address on. The loads are of one block, nothing between them writes or
// synchronises, and the lowest is known to be aligned for all of them.
//
// It always pays: it saves loads, and what puts their values together. It runs before the
// loops around are unrolled, because an array that is stored in words and loaded in halves
// stays in memory: a GPU's warp then takes eight loads for what was in a register (1.6 times
// nvcc's time for a product of quantised weights by pairs of halves). For the same reason loads of a local
// variable stay as they are if it is stored in parts (fragments of matrices).
//
// What it will not do: join loads of which a part is used by itself; volatile loads; loads of
// parameters, whose parts cost nothing; parts in the opposite order of bytes.
func joinLoads(m *ssa.Module, f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	var j *loadJoiner
	for _, b := range f.Blocks {
		for _, v := range slices.Clone(b.Values) { // loads are added
			if v.Op != ssa.OpOr || v.Type != ssa.I16 && v.Type != ssa.I32 && v.Type != ssa.I64 {
				continue
			}
			if j == nil {
				j = &loadJoiner{f: f, uses: analysis.Uses(f), subst: newSubst(f), gone: make(map[*ssa.Value]bool)}
			}
			if list := j.parts(v); list != nil {
				if j.align == nil {
					j.align = analysis.Align(f, m, analysis.Dominators(f))
				}
				j.join(v, list)
			}
		}
	}
	if j != nil && j.joined > 0 {
		j.subst.apply(f)
		for _, b := range f.Blocks {
			b.Values = slices.DeleteFunc(b.Values, func(v *ssa.Value) bool { return j.gone[v] })
		}
		r.Count("joined", j.joined)
	}
}

const maxParts = 8

type loadJoiner struct {
	f      *ssa.Func
	uses   *analysis.UseLists
	align  *analysis.Alignments
	subst  *subst
	joined int
	tree   []*ssa.Value        // the values of which the current one is made, and itself
	gone   map[*ssa.Value]bool // those that are replaced
}

// A loadedPart is a load whose value is shifted left.
type loadedPart struct {
	load  *ssa.Value
	shift int64
	base  *ssa.Value
	off   int64
}

// parts returns the loads of which v is made, in ascending order of their addresses, if they
// are adjacent and fill it.
func (j *loadJoiner) parts(v *ssa.Value) []loadedPart {
	j.tree = j.tree[:0]
	list, ok := j.collect(nil, v, v, 0)
	if !ok || len(list) < 2 {
		return nil
	}
	slices.SortFunc(list, func(a, b loadedPart) int { return int(a.shift - b.shift) })
	next, first := int64(0), list[0]
	for _, p := range list {
		x, y := &p.load.Mem, &first.load.Mem
		if p.shift != next || p.base != first.base || p.off != first.off+next/8 || p.load.Block != first.load.Block ||
			x.ReadOnly != y.ReadOnly {
			return nil
		}
		next += int64(p.load.Type.Bits())
	}
	if next != int64(v.Type.Bits()) || j.storedInParts(localBase(first.load.Args[0]), next/8) {
		return nil
	}
	return list
}

// storedInParts reports whether something smaller than size bytes is stored at an address p in a local
// variable, nil for other memory, or at one made of it.
func (j *loadJoiner) storedInParts(p *ssa.Value, size int64) bool {
	if p == nil {
		return false
	}
	for _, use := range j.uses.Of(p) {
		switch u := use.User; {
		case u == nil:
		case u.Op == ssa.OpPtrAdd && use.Index == 0, u.Op == ssa.OpSpaceCast:
			if j.storedInParts(u, size) {
				return true
			}
		case u.Op == ssa.OpStore && use.Index == 0 && int64(u.Args[1].Type.Size()) < size:
			return true
		}
	}
	return false
}

// collect adds the loads of v, a part of whole that is shifted left.
func (j *loadJoiner) collect(list []loadedPart, whole, v *ssa.Value, shift int64) ([]loadedPart, bool) {
	if v != whole && j.uses.Count(v) != 1 || len(list) == maxParts {
		return nil, false
	}
	j.tree = append(j.tree, v)
	switch v.Op {
	case ssa.OpOr:
		list, ok := j.collect(list, whole, v.Args[0], shift)
		if !ok {
			return nil, false
		}
		return j.collect(list, whole, v.Args[1], shift)
	case ssa.OpShl:
		if n, ok := constant(v.Args[1]); ok && n > 0 && n < int64(v.Type.Bits()) && shift == 0 {
			return j.collect(list, whole, v.Args[0], n)
		}
	case ssa.OpZExt, ssa.OpSExt:
		x := v.Args[0]
		last := shift+int64(x.Type.Bits()) == int64(whole.Type.Bits())
		if x.Op != ssa.OpLoad || x.Type == ssa.I1 || v.Op == ssa.OpSExt && !last || j.uses.Count(x) != 1 ||
			x.Mem.Volatile || x.Args[0].Type == ssa.PtrParam {
			return nil, false
		}
		j.tree = append(j.tree, x)
		base, off := splitSpace(x.Args[0])
		return append(list, loadedPart{x, shift, base, off}), true
	}
	return nil, false
}

// join replaces v by one load, if the loads of list may be executed together and are aligned.
func (j *loadJoiner) join(v *ssa.Value, list []loadedPart) {
	size, base, off := int64(v.Type.Size()), list[0].base, list[0].off
	align := j.align.Of(base, size)
	for _, p := range list {
		for a := min(p.load.Mem.Align, size); a > align; a /= 2 {
			if p.off%a == 0 {
				align = a
			}
		}
	}
	at := j.place(list)
	if at < 0 || align < size || off%size != 0 {
		return
	}
	b, first := list[0].load.Block, list[0].load
	var made []*ssa.Value
	address := base
	if off != 0 {
		c := j.f.NewConst(ssa.I64, off)
		address = j.f.NewValue(ssa.OpPtrAdd, base.Type, base, c)
		made = append(made, c, address)
	}
	load := j.f.NewValue(ssa.OpLoad, v.Type, address)
	load.Mem = first.Mem
	load.Mem.Align = size
	for _, p := range list {
		load.Mem.Copied = load.Mem.Copied && p.load.Mem.Copied
	}
	made = append(made, load)
	for _, x := range made {
		x.Block, x.Pos = b, first.Pos
	}
	b.Values = slices.Insert(b.Values, at, made...)
	j.subst.replace(v, load)
	for _, x := range j.tree {
		j.gone[x] = true
	}
	j.joined++
}

// place returns the index in their block of the first of the loads of list, or -1 if memory may
// change between them.
func (j *loadJoiner) place(list []loadedPart) int {
	first, seen := -1, 0
	for i, v := range list[0].load.Block.Values {
		if slices.ContainsFunc(list, func(p loadedPart) bool { return p.load == v }) {
			if seen++; seen == 1 {
				first = i
			}
			if seen == len(list) {
				return first
			}
			continue
		}
		if seen > 0 && (v.Op.Effects()&(ssa.Writes|ssa.Syncs) != 0 || v.Mem.Volatile) {
			return -1
		}
	}
	return -1
}
