package opt

import (
	"math"

	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Common subexpression elimination.
// Source: gpucc, section 3 (it runs after each of the straight-line passes);
// the walk is that of LLVM's early CSE: one over the dominator tree with a
// table whose entries last as long as their block's subtree.
//
// Of two values with equal operation, type, fields and arguments, the one that
// dominates the other stands for both. Arguments of commutative operations may
// come in either order.
//
//	v2 = add i32 v0, v1
//	v3 = add i32 v1, v0     goes, v3 is v2
//	v4 = load i32 v9 align 4
//	v5 = load i32 v9 align 4 goes, v5 is v4: nothing wrote in between
//
// A load is equal to an earlier one of the same address and type if between
// them no operation writes or synchronises: memory may have changed there, or
// other threads' writes may have arrived. The count of such operations, the
// generation, says so within a block and along blocks with one predecessor. A
// block with several predecessors starts a new generation, since what ran on
// the ways to it is not known; so a loop reads anew in each iteration. A store
// makes its value known to loads until the next generation. Loads that are
// marked readonly, and those from the constant and parameter spaces, are equal
// in any generation.
//
// What it will not do: touch volatile or atomic accesses or warp operations,
// merge reads of clocks, or know that a store leaves other addresses alone.
func cse(f *ssa.Func, r *pass.Run) {
	if len(f.Blocks) == 0 {
		return
	}
	c := &merger{
		subst:  newSubst(f),
		known:  make(map[key]*ssa.Value, f.NumValues()),
		memory: make(map[key]memoryValue),
		end:    make([]int, f.NumBlocks()),
	}
	dom := analysis.Dominators(f)
	dom.Walk(func(b *ssa.Block) {
		c.marks = append(c.marks, [2]int{len(c.log), len(c.memoryLog)})
		if len(b.Preds) == 1 {
			c.generation = c.end[b.Preds[0].ID]
		} else {
			c.fresh()
		}
		c.block(b)
		c.end[b.ID] = c.generation
	}, func(*ssa.Block) { c.leave() })
	c.subst.apply(f)
	r.Count("values", c.values)
	r.Count("loads", c.loads)
}

// A key is all that makes two values equal. Arguments that are missing are 0,
// those that are there are numbers + 1.
type key struct {
	op         ssa.Op
	typ        ssa.Type
	int        int64
	float      uint64
	sym        string
	a0, a1, a2 int
}

// A memoryValue is what an address is known to hold in a generation.
type memoryValue struct {
	v          *ssa.Value
	generation int
}

type merger struct {
	subst  *subst
	known  map[key]*ssa.Value
	memory map[key]memoryValue
	// What the tables held before, to undo when the walk leaves a subtree.
	log       []undo[*ssa.Value]
	memoryLog []undo[memoryValue]
	marks     [][2]int

	generation int   // of memory, here
	last       int   // the highest generation given out
	end        []int // by block number: the generation at its end

	values, loads int
}

type undo[T any] struct {
	key key
	old T
	had bool
}

// fresh starts a new generation.
func (c *merger) fresh() {
	c.last++
	c.generation = c.last
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

// merge returns the value that stands for v, or nil when v stays.
func (c *merger) merge(v *ssa.Value) *ssa.Value {
	switch {
	case v.Mergeable():
		k := keyOf(v)
		if by := c.known[k]; by != nil {
			c.values++
			return by
		}
		c.know(k, v)
	case v.Op == ssa.OpLoad && !v.Mem.Volatile:
		k := key{op: ssa.OpLoad, typ: v.Type, a0: v.Args[0].ID}
		if readOnly(v) {
			if by := c.known[k]; by != nil {
				c.loads++
				return by
			}
			c.know(k, v)
		}
		if m, ok := c.memory[k]; ok && m.generation == c.generation {
			c.loads++
			return m.v
		}
		c.hold(k, v)
	default:
		if v.Op.Effects()&(ssa.Writes|ssa.Syncs) != 0 {
			c.fresh()
		}
		if v.Op == ssa.OpStore && !v.Mem.Volatile {
			c.hold(key{op: ssa.OpLoad, typ: v.Args[1].Type, a0: v.Args[0].ID}, v.Args[1])
		}
	}
	return nil
}

// readOnly reports whether load v finds the same whenever it runs.
func readOnly(v *ssa.Value) bool {
	t := v.Args[0].Type
	return v.Mem.ReadOnly || t == ssa.PtrConst || t == ssa.PtrParam
}

func keyOf(v *ssa.Value) key {
	k := key{op: v.Op, typ: v.Type, int: v.Int, float: math.Float64bits(v.Float), sym: v.Sym}
	switch len(v.Args) {
	case 3:
		k.a2 = v.Args[2].ID + 1
		fallthrough
	case 2:
		k.a1 = v.Args[1].ID + 1
		fallthrough
	case 1:
		k.a0 = v.Args[0].ID + 1
	}
	if v.Op.Commutative() && k.a0 > k.a1 {
		k.a0, k.a1 = k.a1, k.a0
	}
	return k
}

func (c *merger) know(k key, v *ssa.Value) {
	old, had := c.known[k]
	c.log = append(c.log, undo[*ssa.Value]{k, old, had})
	c.known[k] = v
}

func (c *merger) hold(k key, v *ssa.Value) {
	old, had := c.memory[k]
	c.memoryLog = append(c.memoryLog, undo[memoryValue]{k, old, had})
	c.memory[k] = memoryValue{v, c.generation}
}

// leave undoes what the tables learnt in the subtree that the walk leaves.
func (c *merger) leave() {
	mark := c.marks[len(c.marks)-1]
	c.marks = c.marks[:len(c.marks)-1]
	c.log = restore(c.known, c.log, mark[0])
	c.memoryLog = restore(c.memory, c.memoryLog, mark[1])
}

func restore[T any](table map[key]T, log []undo[T], mark int) []undo[T] {
	for len(log) > mark {
		u := log[len(log)-1]
		log = log[:len(log)-1]
		if u.had {
			table[u.key] = u.old
		} else {
			delete(table, u.key)
		}
	}
	return log
}
