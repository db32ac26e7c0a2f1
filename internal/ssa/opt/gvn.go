package opt

import (
	"math"

	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Global value numbering. Source: gpucc, section 3 (redundancies are removed
// after each of the straight-line passes) and 3.3 (loads that memory spaces
// prove not to alias a store); NVIDIA, section 3.4. The walk is that of
// LLVM's early CSE: one over the dominator tree, with a table whose entries
// are valid in their block's subtree.
//
// Of two values with equal operation, type, fields and arguments, the one that
// dominates the other replaces it. Arguments of commutative operations may
// come in either order. Of two phis of one block with equal arguments the
// first replaces the second.
//
//	v2 = add i32 v0, v1
//	v3 = add i32 v1, v0     removed, v3 is v2
//	v4 = load i32 v9 align 4
//	store v8, v1 align 4    of another object than v9's
//	v5 = load i32 v9 align 4 removed, v5 is v4
//
// A load is equal to an earlier one of the same address and type, or is the
// value of an earlier store to it, if nothing in between may have changed that
// memory: no store that may alias it (analysis.Aliases), no atomic, barrier,
// fence, warp operation or call, unless the memory is a thread's own. What was
// passed is kept as a list of clobbers, which a load's entry remembers the
// length of. Where paths join, the list gets what any of them may write
// (analysis.Memory); so a loop reads anew what its iterations write, and only
// that. A search looks at maxClobbers entries at most. Loads that are marked
// readonly, and those from the constant and parameter spaces, need no search.
//
// What it will not do: touch volatile or atomic accesses or warp operations,
// or merge reads of clocks.
func gvn(m *ssa.Module, f *ssa.Func, r *pass.Run) {
	if len(f.Blocks) == 0 {
		return
	}
	dom := analysis.Dominators(f)
	values := 0
	for _, b := range f.Blocks {
		values += len(b.Values)
	}
	c := &merger{
		subst:    newSubst(f),
		known:    newScopedTable[*ssa.Value](f, values),
		memory:   newScopedTable[memoryValue](f, values/8),
		clobbers: analysis.Clobbers(f, dom, analysis.Alias(f, m)),
	}
	dom.Walk(func(b *ssa.Block) {
		c.marks = append(c.marks, [3]int{c.known.mark(), c.memory.mark(), len(c.passed)})
		if mask := c.clobbers.Between(b); mask != 0 {
			c.passed = append(c.passed, clobber{mask, nil})
		}
		c.block(b)
	}, func(*ssa.Block) { c.leave() })
	c.subst.apply(f)
	r.Count("values", c.values)
	r.Count("loads", c.loads)
}

// maxClobbers bounds the search for what may have changed a load's memory.
const maxClobbers = 64

// A key is all that makes two values equal. Arguments that are missing are 0,
// those that are there are numbers + 1.
type key struct {
	op         ssa.Op
	typ        ssa.Type
	a0, a1, a2 int32
	number     uint64 // Int or the bits of Float
	sym        ssa.Sym
}

// A memoryValue is the content of an address at a given length of the list of clobbers.
type memoryValue struct {
	v      *ssa.Value
	passed int
}

// A clobber may have written memory of the roots in the mask; of them, if v is
// a store, only what may alias it.
type clobber struct {
	mask analysis.Mask
	v    *ssa.Value
}

type merger struct {
	subst  *subst
	known  *scopedTable[*ssa.Value]
	memory *scopedTable[memoryValue]
	marks  [][3]int // the state to restore when the walk leaves a subtree

	clobbers *analysis.Memory
	passed   []clobber // on the path from the entry

	values, loads int
}

func (c *merger) block(b *ssa.Block) {
	kept := b.Values[:0]
	for _, v := range b.Values {
		c.subst.args(v)
		by := c.merge(v)
		if by == nil {
			kept = append(kept, v)
		} else {
			c.subst.replace(v, by)
		}
	}
	clear(b.Values[len(kept):])
	b.Values = kept
}

// merge returns the value that replaces v, or nil when v stays.
func (c *merger) merge(v *ssa.Value) *ssa.Value {
	switch {
	case v.Mergeable(), v.Op == ssa.OpPhi && len(v.Args) <= 3:
		k := keyOf(v)
		if by, ok := c.known.find(k); ok {
			by.Weaken(v)
			c.values++
			return by
		}
		c.known.put(k, v)
	case v.Op == ssa.OpLoad && !v.Mem.Volatile:
		k := key{op: ssa.OpLoad, typ: v.Type, a0: int32(v.Args[0].ID)}
		if analysis.Fixed(v) {
			if by, ok := c.known.find(k); ok {
				c.loads++
				return by
			}
			c.known.put(k, v)
		}
		if m, ok := c.memory.find(k); ok && c.unchanged(v, m.passed) {
			c.loads++
			return m.v
		}
		c.memory.put(k, memoryValue{v, len(c.passed)})
	default:
		mask := c.clobbers.Written(v)
		if v.Op == ssa.OpStore && !v.Mem.Volatile {
			c.passed = append(c.passed, clobber{mask, v})
			c.memory.put(key{op: ssa.OpLoad, typ: v.Args[1].Type, a0: int32(v.Args[0].ID)}, memoryValue{v.Args[1], len(c.passed)})
		} else if mask != 0 {
			c.passed = append(c.passed, clobber{mask, nil})
		}
	}
	return nil
}

// unchanged reports whether load v reads the same value as when since clobbers
// were on the list.
func (c *merger) unchanged(v *ssa.Value, since int) bool {
	if len(c.passed)-since > maxClobbers {
		return false
	}
	class := c.clobbers.Class(v.Args[0])
	for _, w := range c.passed[since:] {
		switch {
		case w.mask&class == 0:
		case w.v == nil:
			return false
		case c.clobbers.MayAlias(v.Args[0], analysis.AccessSize(v), w.v.Args[0], analysis.AccessSize(w.v)):
			return false
		}
	}
	return true
}

func keyOf(v *ssa.Value) key {
	k := key{op: v.Op, typ: v.Type, number: uint64(v.Int), sym: v.Sym}
	switch v.Op {
	case ssa.OpFConst:
		k.number = math.Float64bits(v.Float)
	case ssa.OpPhi:
		k.number = uint64(v.Block.ID)
	}
	switch len(v.Args) {
	case 3:
		k.a2 = int32(v.Args[2].ID) + 1
		fallthrough
	case 2:
		k.a1 = int32(v.Args[1].ID) + 1
		fallthrough
	case 1:
		k.a0 = int32(v.Args[0].ID) + 1
	}
	if v.Op.Commutative() && k.a0 > k.a1 {
		k.a0, k.a1 = k.a1, k.a0
	}
	return k
}

// leave undoes the entries made in the subtree that the walk leaves.
func (c *merger) leave() {
	mark := c.marks[len(c.marks)-1]
	c.marks = c.marks[:len(c.marks)-1]
	c.known.leave(mark[0])
	c.memory.leave(mark[1])
	c.passed = c.passed[:mark[2]]
}
