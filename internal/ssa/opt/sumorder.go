package opt

import (
	"math"

	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// The form of sums before contraction.
// Source: LLVM's InstCombine and Reassociate, as nvcc's PTX shows them.
//
// Which product of a sum is contracted depends on the order of the operands, and whether it is,
// on the sum not being a difference. LLVM brings both into one form before, and this pass does
// the same, with contraction allowed (Options.Contract). No result changes by it.
//
// Negations leave products and sums, since a difference is not contracted and a sum is:
//
//	(-x) * y       -(x * y), if the negation has no other use
//	(-x) * (-y)    x * y
//	x + (-y)       x - y
//	x - (-y)       x + y
//	(-x) * C       x * (-C)
//	x - C          x + (-C)
//	x + y * (-C)   x - y * C, if the product has no other use
//	x - y * (-C)   x + y * C, if the product has no other use
//
// The operand of lower rank comes first. Constants and variables' addresses have rank 0;
// parameters follow in their order, then blocks in reverse postorder. Within a block, each phi
// and each value that depends on memory or may trap has a rank of its own, in order. The rank of another value
// is one more than the highest of its operands' ranks, that of a negation the same as its
// operand's. Functions of the math library are calls there. A load has the rank of an equal one
// shortly before. For operands of equal rank the order stays:
//
//	v4 = fmul f32 v2, v3      v4 = fmul f32 v2, v3     (v2 and v3 are loaded after v0 and v1)
//	v5 = fmul f32 v0, v1      v5 = fmul f32 v0, v1
//	v6 = fadd f32 v4, v5      v6 = fadd f32 v5, v4
//
// Pass contract undoes what was done to constants, when the order is certain. It runs before loads are merged or moved, as in LLVM.
//
// What it will not do: change the order of more than two operands.
func sumOrder(f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	n := &normaliser{f: f, uses: analysis.UseCounts(f)}
	order := analysis.ReversePostorder(f)
	out := ssa.Make[*ssa.Value](f, 0)
	for _, b := range order {
		n.ins = inserter{f: f, out: out[:0]}
		for _, v := range b.Values {
			n.ins.at = v
			if n.normalise(v) {
				n.signs++
			}
			n.ins.out = append(n.ins.out, v)
		}
		setValues(b, n.ins.out)
		out = n.ins.out
	}
	r.Count("signs", n.signs)
	r.Count("swaps", swapSums(f, order))
}

type normaliser struct {
	f     *ssa.Func
	uses  []int32 // by number; new values have no entry
	ins   inserter
	signs int
}

// single reports whether v has one use.
func (n *normaliser) single(v *ssa.Value) bool { return v.ID >= len(n.uses) || n.uses[v.ID] == 1 }

// normalise brings a product, sum or difference into the form without negations.
func (n *normaliser) normalise(v *ssa.Value) bool {
	switch v.Op {
	case ssa.OpFMul:
		return n.product(v, v.Args[0], v.Args[1])
	case ssa.OpFAdd:
		return n.sum(v, v.Args[0], v.Args[1])
	case ssa.OpFSub:
		return n.difference(v)
	}
	return false
}

// product moves negations out of a product.
func (n *normaliser) product(v, x, y *ssa.Value) bool {
	switch {
	case x.Op == ssa.OpFNeg && y.Op == ssa.OpFNeg:
		reset(v, ssa.OpFMul, x.Args[0], y.Args[0])
	case x.Op == ssa.OpFNeg && y.Op == ssa.OpFConst:
		reset(v, ssa.OpFMul, x.Args[0], n.minus(y))
	case x.Op == ssa.OpFNeg && n.single(x):
		reset(v, ssa.OpFNeg, n.ins.make(ssa.OpFMul, v.Type, x.Args[0], y))
	case y.Op == ssa.OpFNeg && n.single(y):
		reset(v, ssa.OpFNeg, n.ins.make(ssa.OpFMul, v.Type, x, y.Args[0]))
	default:
		return false
	}
	return true
}

// sum makes a difference of a sum with a negated operand.
func (n *normaliser) sum(v, x, y *ssa.Value) bool {
	switch {
	case x.Op == ssa.OpFNeg:
		reset(v, ssa.OpFSub, y, x.Args[0])
		n.difference(v)
	case y.Op == ssa.OpFNeg:
		reset(v, ssa.OpFSub, x, y.Args[0])
		n.difference(v)
	case n.negative(x) && (!n.negative(y) || x.ID < y.ID):
		reset(v, ssa.OpFSub, y, n.positive(x))
	case n.negative(y):
		reset(v, ssa.OpFSub, x, n.positive(y))
	default:
		return false
	}
	return true
}

// difference makes a sum of a difference whose subtrahend takes up the sign.
func (n *normaliser) difference(v *ssa.Value) bool {
	x, y := v.Args[0], v.Args[1]
	switch {
	case y.Op == ssa.OpFNeg:
		reset(v, ssa.OpFAdd, x, y.Args[0])
	case y.Op == ssa.OpFConst:
		reset(v, ssa.OpFAdd, x, n.minus(y))
	case n.negative(y):
		reset(v, ssa.OpFAdd, x, n.positive(y))
	default:
		return false
	}
	return true
}

// negative reports whether p is a product with a negative constant that has no other use.
func (n *normaliser) negative(p *ssa.Value) bool {
	return p.Op == ssa.OpFMul && p.Args[1].Op == ssa.OpFConst && math.Signbit(p.Args[1].Float) && n.single(p)
}

// positive returns -p.
func (n *normaliser) positive(p *ssa.Value) *ssa.Value {
	return n.ins.make(ssa.OpFMul, p.Type, p.Args[0], n.minus(p.Args[1]))
}

// minus returns the negated constant c.
func (n *normaliser) minus(c *ssa.Value) *ssa.Value {
	v := n.ins.make(ssa.OpFConst, c.Type)
	v.Float = -c.Float
	return v
}

// swapSums exchanges the operands of sums whose second one has a lower rank, and returns how many.
func swapSums(f *ssa.Func, order []*ssa.Block) int {
	ranks := ssa.Make[int64](f, f.NumValues())
	swaps := 0
	for i, b := range order {
		next := int64(len(f.Params)+i+1) << 32
		var near recentLoads
		for _, v := range b.Values {
			switch {
			case v.Op == ssa.OpParam:
				ranks[v.ID] = v.Int + 1
			case hasOwnRank(v):
				next++
				ranks[v.ID] = next
				if same := near.find(v); same != nil {
					ranks[v.ID] = ranks[same.ID]
				}
			default:
				ranks[v.ID] = rank(v, ranks)
			}
			near.add(v)
			if v.Op == ssa.OpFAdd && ranks[v.Args[1].ID] < ranks[v.Args[0].ID] && v.Args[1].Op != ssa.OpFConst {
				v.Args[0], v.Args[1] = v.Args[1], v.Args[0]
				swaps++
			}
		}
	}
	return swaps
}

// hasOwnRank reports whether LLVM has a call for v, or does not move it.
func hasOwnRank(v *ssa.Value) bool {
	switch v.Op {
	case ssa.OpPhi, ssa.OpNative, ssa.OpFMA, ssa.OpFMin, ssa.OpFMax, ssa.OpFAbs, ssa.OpFSqrt, ssa.OpFFloor, ssa.OpFCeil, ssa.OpFTrunc, ssa.OpFRint,
		ssa.OpFRsqrt, ssa.OpFEx2, ssa.OpFLg2, ssa.OpFSin, ssa.OpFCos:
		return true
	}
	return v.Op.Effects() != 0 || v.Op.IsDivision()
}

// rank returns the rank of a value without one of its own.
func rank(v *ssa.Value, ranks []int64) int64 {
	most := int64(0)
	for _, a := range v.Args {
		most = max(most, ranks[a.ID])
	}
	switch v.Op {
	case ssa.OpConst, ssa.OpFConst, ssa.OpUndef, ssa.OpGlobalAddr, ssa.OpFuncAddr:
		return 0
	case ssa.OpFNeg, ssa.OpNeg, ssa.OpNot:
		return most
	}
	return most + 1
}

// scanned is how many values InstCombine looks back for an equal load.
const scanned = 6

// recentLoads are the last values of a block, among which InstCombine finds the loads that it merges:
// of one pointer, or at one constant offset of it.
type recentLoads struct {
	last [scanned]*ssa.Value
	n    int
}

func (l *recentLoads) add(v *ssa.Value) {
	switch {
	case v.Op == ssa.OpConst || v.Op == ssa.OpFConst || v.Op == ssa.OpParam:
		return
	case v.Op.Effects()&(ssa.Writes|ssa.Syncs) != 0:
		*l = recentLoads{}
		return
	}
	l.last[l.n%scanned] = v
	l.n++
}

// find returns the load that v repeats, or nil.
func (l *recentLoads) find(v *ssa.Value) *ssa.Value {
	if v.Op != ssa.OpLoad || v.Mem.Volatile {
		return nil
	}
	for _, w := range l.last {
		if w != nil && w.Op == ssa.OpLoad && w.Type == v.Type && sameAddress(w.Args[0], v.Args[0]) {
			return w
		}
	}
	return nil
}

func sameAddress(p, q *ssa.Value) bool {
	if p == q {
		return true
	}
	return p.Op == ssa.OpPtrAdd && q.Op == ssa.OpPtrAdd && p.Args[0] == q.Args[0] &&
		p.Args[1].Op == ssa.OpConst && q.Args[1].Op == ssa.OpConst && p.Args[1].Int == q.Args[1].Int
}
