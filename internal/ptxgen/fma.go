package ptxgen

import (
	"irgl/internal/ptx"
	"irgl/internal/ssa"
)

// This file fuses products of floats into sums, for Options.FuseMulAdd. A
// product whose only uses are sums of its block is computed in each of
// them; any other product would be computed twice.
//
//	v3 = fmul f32 v1, v2       fma.rn.f32 %f4, %f1, %f2, %f5
//	v4 = fadd f32 v3, v5       fma.rn.f32 %f6, %f1, %f2, %f7
//	v6 = fadd f32 v3, v7
//
// A difference is a sum with the subtrahend negated: a constant, a constant
// factor, or a neg instruction, which machine code folds into the operand.

// countSums counts how many sums use each product.
func (g *fgen) countSums() {
	g.sums = make([]int, len(g.uses))
	for _, b := range g.blocks {
		for _, v := range b.Values {
			if v.Op != ssa.OpFAdd && v.Op != ssa.OpFSub || !g.live[v.ID] {
				continue
			}
			for _, a := range v.Args {
				if a.Op == ssa.OpFMul && a.Block == b {
					g.sums[a.ID]++
				}
			}
		}
	}
}

// fma emits v, a sum or difference, as a fused multiply-add if an operand is a
// product.
func (g *fgen) fma(v *ssa.Value) bool {
	if v.Op == ssa.OpFMul {
		return false
	}
	// Of two products, fuse the second: the first is available earlier.
	for i := 1; i >= 0; i-- {
		p, other := v.Args[i], v.Args[1-i]
		if p.Op != ssa.OpFMul || p.Block != v.Block || g.sums[p.ID] != g.uses[p.ID] || p == other {
			continue
		}
		x, y := p.Args[0], p.Args[1]
		if x.Op == ssa.OpFConst {
			x, y = y, x
		}
		factor, last := g.op(y), ptx.Operand{}
		switch {
		case v.Op == ssa.OpFAdd:
			last = g.op(other)
		case i == 0:
			last = g.negated(other)
		default:
			factor, last = g.negated(y), g.op(other)
		}
		g.def(v, "fma.rn."+v.Type.String(), g.reg(x), factor, last)
		return true
	}
	return false
}

// negated returns -v as an operand.
func (g *fgen) negated(v *ssa.Value) ptx.Operand {
	if v.Op == ssa.OpFNeg {
		return g.op(v.Args[0])
	}
	if v.Op == ssa.OpFConst {
		c, _ := constant(&ssa.Value{Op: ssa.OpFConst, Type: v.Type, Float: -v.Float})
		return c
	}
	return g.tmp(classOf(v.Type), "neg."+v.Type.String(), g.reg(v))
}
