package opt

import (
	"math"
	"slices"

	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Contraction of products and sums.
// Source: LLVM's NVPTX back end (PerformADDCombineWithOperands), as nvcc's PTX shows it.
//
// With contraction allowed (Options.Contract, nvcc's -fmad=true), a product and a sum may be
// rounded once. A sum of two products can be contracted in two ways with different results, and
// nvcc's choice follows a rule, so that results can be equal to its results bit for bit:
//
//	v3 = fmul f32 v0, v1      v4 = fmul f32 v2, v0
//	v4 = fmul f32 v2, v0      v5 = fma f32 v0, v1, v4
//	v5 = fadd f32 v3, v4
//
// The first operand of a sum is contracted if it is a product of the block with at most four
// uses, all of them sums of the block; else the second operand, under the same condition.
// A sum that has been contracted is no longer a sum: a product that is its addend stays. The
// sums of a block are visited from the last to the first, since the back end visits users first.
// Pass sumorder puts the operands into nvcc's order before.
//
// A difference becomes a sum if the subtrahend is a product or quotient with a constant that takes up the sign: if
// it and the constant have no other use in the block.
//
//	v4 = fmul f32 v0, v3      v4 = fmul f32 v0, v6       (v3 = fconst f32 3, v6 = fconst f32 -3)
//	v5 = fsub f32 v1, v4      v5 = fma f32 v0, v6, v1
//
// Other differences are left as they are. ptxas contracts them, and the other sums, as it sees fit:
// ptxgen emits them without a rounding modifier, as nvcc does.
//
// A product that only sums of one other block use is contracted there, as if it was sunk: LLVM sinks it
// to a block that no other path enters, and to any other outside of further loops if at most one of its operands
// is then live for longer.
//
// What it will not do: copy a product that has another use, or move one into a loop.
func contract(f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	n := f.NumValues()
	c := &contractor{uses: analysis.UseCounts(f), sums: ssa.Make[int32](f, n), where: ssa.Make[*ssa.Block](f, n), beyond: ssa.Make[bool](f, n)}
	c.loops = analysis.FindLoops(f, analysis.Dominators(f))
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for _, a := range v.Args {
				c.beyond[a.ID] = c.beyond[a.ID] || a.Block != b && v.Op != ssa.OpFMul
			}
		}
	}
	c.f = f
	for _, b := range f.Blocks {
		c.block(b)
	}
	r.Count("contracted", c.n)
	r.Count("negated", c.negated)
}

func (c *contractor) block(b *ssa.Block) {
	c.literals = map[literal]int{}
	for _, v := range b.Values {
		for _, a := range v.Args {
			if a.Op == ssa.OpFConst && v.Op != ssa.OpPhi {
				c.literals[literal{a.Type, math.Float64bits(a.Float)}]++
			}
		}
		if v.Op == ssa.OpFAdd {
			c.count(v)
		}
	}
	for i := len(b.Values) - 1; i >= 0; i-- {
		v := b.Values[i]
		if v.Op == ssa.OpFSub && c.negate(v.Args[1], b) {
			v.Op = ssa.OpFAdd
			c.count(v)
			c.negated++
		}
		if v.Op == ssa.OpFAdd && !c.fuse(v, 0) {
			c.fuse(v, 1)
		}
	}
	if len(c.consts) > 0 {
		b.Values = slices.Insert(b.Values, len(b.Phis()), c.consts...)
		c.consts = c.consts[:0]
	}
}

// count counts the operands of sum v.
func (c *contractor) count(v *ssa.Value) {
	for _, a := range v.Args {
		if c.where[a.ID] == nil {
			c.where[a.ID] = v.Block
		}
		if c.where[a.ID] == v.Block {
			c.sums[a.ID]++
		}
	}
}

// negate changes the sign of p, the subtrahend of a difference in b, if a constant in it can take that up.
func (c *contractor) negate(p *ssa.Value, b *ssa.Block) bool {
	if p.Op != ssa.OpFMul && p.Op != ssa.OpFDiv || p.Block != b || c.uses[p.ID] != 1 {
		return false
	}
	for i, x := range p.Args {
		if x.Op != ssa.OpFConst {
			if c.negate(x, b) {
				return true
			}
			continue
		}
		if c.literals[literal{x.Type, math.Float64bits(x.Float)}] != 1 {
			continue
		}
		minus := c.f.NewValue(ssa.OpFConst, x.Type)
		minus.Float, minus.Block, minus.Pos = -x.Float, b, p.Pos
		c.consts = append(c.consts, minus)
		p.Args[i] = minus
		return true
	}
	return false
}

// maxSums is the number of sums from which a product is computed once: more would keep its
// operands live for too long.
const maxSums = 5

// A literal is a constant, which instruction selection has once in a block.
type literal struct {
	typ  ssa.Type
	bits uint64
}

type contractor struct {
	f      *ssa.Func
	uses   []int32      // by number: all uses
	sums   []int32      // by number: uses by sums of one block that are not contracted
	where  []*ssa.Block // by number: that block
	beyond []bool       // by number: another value than a product uses it in another block
	loops  *analysis.Loops

	literals map[literal]int // uses of constants in the current block
	consts   []*ssa.Value    // new ones, for its start

	n, negated int
}

// fuse contracts sum v with its i-th operand.
func (c *contractor) fuse(v *ssa.Value, i int) bool {
	p, addend := v.Args[i], v.Args[1-i]
	if p.Op != ssa.OpFMul || c.uses[p.ID] >= maxSums || c.uses[p.ID] != c.sums[p.ID] || p.Block != v.Block && !c.sinks(p, v.Block) {
		return false
	}
	for _, a := range v.Args {
		if c.where[a.ID] == v.Block {
			c.sums[a.ID]--
		}
	}
	c.uses[p.ID]--
	x, y := p.Args[0], p.Args[1]
	for _, a := range [...]*ssa.Value{x, y} {
		if a.ID < len(c.uses) { // not a new constant
			c.uses[a.ID]++
		}
	}
	reset(v, ssa.OpFMA, x, y, addend)
	c.n++
	return true
}

// sinks reports whether p would be sunk to b, which has all of its uses.
func (c *contractor) sinks(p *ssa.Value, b *ssa.Block) bool {
	at := b
	for at != p.Block && len(at.Preds) == 1 && at.Preds[0] != b {
		at = at.Preds[0]
	}
	if at == p.Block {
		return true
	}
	for l := c.loops.Of(b); l != nil; l = l.Parent {
		if !c.loops.Contains(l, p.Block) {
			return false
		}
	}
	longer := 0
	for i, x := range p.Args {
		if x.Op != ssa.OpParam && x.Op != ssa.OpFConst && x.ID < len(c.beyond) && !c.beyond[x.ID] && (i == 0 || x != p.Args[0]) {
			longer++
		}
	}
	return longer <= 1
}
