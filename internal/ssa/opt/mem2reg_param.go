package opt

import (
	"slices"

	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// This file removes local copies of aggregate parameters.
//
// A parameter whose address is taken, as for a function's parameter of type const T &, is
// copied to memory of the thread, since it might be written. Once that function has been
// inlined it often turns out that the copy is only read. If all its elements are accessed at
// constant offsets they become values; otherwise the accesses read the parameter itself:
//
//	v1 = param ptr.param 0                 v1 = param ptr.param 0
//	v2 = alloca ptr.local 8 align 4        v7 = ptradd ptr.param v1, v6
//	v3 = load i32 v1 align 4               v8 = load i32 v7 align 4
//	store v2, v3 align 4
//	v4 = load i32 (v1 + 4) align 4
//	store (v2 + 4), v4 align 4
//	v7 = ptradd ptr.local v2, v6
//	v8 = load i32 v7 align 4
//
// Each byte must be copied from its own place, and nothing else may be done with the address
// of the copy than loads, nor may it be larger than the parameter or more aligned. A parameter with many elements is
// copied in a loop: a store at an offset that is not constant must store what the parameter
// has at that offset. What a load reads that no store has copied is undefined.

// readParams replaces the reads of local copies of parameters, and returns the number of copies.
func readParams(f *ssa.Func) int {
	if !slices.ContainsFunc(f.Params, func(p *ssa.Param) bool { return p.Type == ssa.PtrParam }) {
		return 0
	}
	var copies []*paramCopy
	uses := analysis.Uses(f)
	for _, v := range f.Blocks[0].Values {
		if v.Op != ssa.OpAlloca {
			continue
		}
		c := &paramCopy{uses: uses}
		if c.derive(v, 0, true) && (c.dynamic || len(c.elements) > 0) && c.param != nil && c.fits(f) && c.inOrder(f.Blocks[0]) {
			copies = append(copies, c)
		}
	}
	s := newSubst(f)
	for _, c := range copies {
		c.rewrite(s)
	}
	s.apply(f)
	return len(copies)
}

// A paramCopy is an alloca that may be the copy of a parameter.
type paramCopy struct {
	uses    *analysis.UseLists
	param   *ssa.Value   // that is copied
	derived []*ssa.Value // the alloca, and the addresses in it
	stores  []*ssa.Value // that make the copy
	loads   []*ssa.Value
	dynamic bool // a load is at an offset that is no constant

	elements []*ssa.Value // the stores that copy in a loop
}

// derive visits the uses of address p at offset off of the alloca, if it is known, and reports
// whether all of them are parts of the copy or read it.
func (c *paramCopy) derive(p *ssa.Value, off int64, known bool) bool {
	c.derived = append(c.derived, p)
	for _, use := range c.uses.Of(p) {
		v := use.User
		switch {
		case v == nil || v.Mem.Volatile || use.Index != 0:
			return false
		case v.Op == ssa.OpSpaceCast:
			if !c.derive(v, off, known) {
				return false
			}
		case v.Op == ssa.OpPtrAdd:
			n, ok := constant(v.Args[1])
			if !c.derive(v, off+n, known && ok) {
				return false
			}
		case v.Op == ssa.OpLoad:
			c.loads = append(c.loads, v)
			c.dynamic = c.dynamic || !known
		case v.Op == ssa.OpStore && known && c.copies(v.Args[1], off):
			c.stores = append(c.stores, v)
		case v.Op == ssa.OpStore && c.copiesElement(p, v.Args[1]):
			c.elements = append(c.elements, v)
		default:
			return false
		}
	}
	return true
}

// copies reports whether v is what the parameter has at offset off.
func (c *paramCopy) copies(v *ssa.Value, off int64) bool {
	if v.Op != ssa.OpLoad || v.Mem.Volatile || v.Args[0].Type != ssa.PtrParam {
		return false
	}
	base, at := splitSpace(v.Args[0])
	return at == off && c.of(base)
}

// copiesElement reports whether v is what the parameter has at the offset, not a constant, of
// address p in the alloca.
func (c *paramCopy) copiesElement(p, v *ssa.Value) bool {
	if v.Op != ssa.OpLoad || v.Mem.Volatile || p.Op != ssa.OpPtrAdd || p.Args[0] != c.derived[0] {
		return false
	}
	from := v.Args[0]
	return from.Op == ssa.OpPtrAdd && from.Type == ssa.PtrParam && from.Args[1] == p.Args[1] && c.of(from.Args[0])
}

// of reports whether base is the parameter that is copied.
func (c *paramCopy) of(base *ssa.Value) bool {
	if base.Op != ssa.OpParam || base.Type != ssa.PtrParam || c.param != nil && c.param != base {
		return false
	}
	c.param = base
	return true
}

// fits reports whether what is read of the alloca is in the parameter, and aligned there as well.
func (c *paramCopy) fits(f *ssa.Func) bool {
	a, p := c.derived[0], f.Params[c.param.Int]
	return a.Int <= p.Size && a.Mem.Align <= p.Align
}

// inOrder reports whether the copy is made in the entry block after the parameter and before
// its loads there.
func (c *paramCopy) inOrder(entry *ssa.Block) bool {
	at := make(map[*ssa.Value]int, len(entry.Values))
	for i, v := range entry.Values {
		at[v] = i
	}
	last := 0
	for _, v := range c.stores {
		if v.Block != entry {
			return false
		}
		last = max(last, at[v])
	}
	for _, v := range c.loads {
		if v.Block == entry && at[v] < last {
			return false
		}
	}
	for _, v := range c.derived[1:] {
		if v.Block == entry && at[v] < at[c.param] {
			return false
		}
	}
	return true
}

// rewrite makes addresses in the copy addresses in the parameter.
func (c *paramCopy) rewrite(s *subst) {
	for i, v := range c.derived {
		switch {
		case i == 0:
			s.replace(v, c.param)
		case v.Op == ssa.OpSpaceCast:
			s.replace(v, v.Args[0])
		default:
			v.Type = ssa.PtrParam
		}
	}
	gone, blocks := make(map[*ssa.Value]bool), make(map[*ssa.Block]bool)
	for _, v := range slices.Concat(c.stores, c.elements, c.derived) {
		if v.Op == ssa.OpStore || v.Op == ssa.OpAlloca || v.Op == ssa.OpSpaceCast {
			gone[v], blocks[v.Block] = true, true
		}
	}
	for b := range blocks {
		b.Values = slices.DeleteFunc(b.Values, func(v *ssa.Value) bool { return gone[v] })
	}
}
