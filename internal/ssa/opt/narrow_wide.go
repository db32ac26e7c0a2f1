package opt

import (
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// This file removes extensions of integers of less than 32 bits whose values are known to
// fit before their truncation.

// extended returns the value of the extension v if its operand was truncated from a value of
// v's type that fits, or is a select of such values; from another type, v becomes a
// conversion of that.
func (n *narrower) extended(b *ssa.Block, v *ssa.Value) *ssa.Value {
	x := v.Args[0]
	if x.Type == ssa.I1 {
		return nil
	}
	from := n.wide[x]
	switch {
	case from != nil && (v.Op == ssa.OpSExt || n.rangeOf(b, x).NonNegative()):
	case x.Op == ssa.OpTrunc && n.rangeOf(b, x.Args[0]).Within(extensible(v.Op, x.Type)):
		from = x.Args[0]
	default:
		return nil
	}
	switch {
	case from.Type == v.Type:
		return from
	case from.Type.Bits() < v.Type.Bits():
		if v.Args[0] != from {
			reset(v, v.Op, from)
			n.widened++
		}
	default:
		reset(v, ssa.OpTrunc, from)
		n.widened++
	}
	return nil
}

// extensible returns the values that an extension by op restores after truncation to t.
func extensible(op ssa.Op, t ssa.Type) analysis.Range {
	if op == ssa.OpZExt {
		return analysis.Range{Lo: 0, Hi: int64(1)<<t.Bits() - 1}
	}
	return analysis.FullRange(t)
}

// widenChoice computes the sign extension of a select of less than 32 bits, before it, if
// those of both operands are known and the select is extended, or chosen from again.
func (n *narrower) widenChoice(b *ssa.Block, v *ssa.Value) {
	if v.Op != ssa.OpSelect || v.Type != ssa.I8 && v.Type != ssa.I16 || !n.extendedLater(v) {
		return
	}
	if !n.widens(b, v.Args[1]) || !n.widens(b, v.Args[2]) {
		return
	}
	w := n.make(ssa.OpSelect, ssa.I32, v.Args[0], n.widened32(v.Args[1]), n.widened32(v.Args[2]))
	n.fits[w] = n.rangeOf(b, v)
	n.wide[v] = w
	n.widened++
}

// extendedLater reports whether a user of v extends it, or chooses it or another value.
func (n *narrower) extendedLater(v *ssa.Value) bool {
	if v.ID >= n.uses.Len() {
		return false
	}
	for _, u := range n.uses.Of(v) {
		if u.User != nil && (u.User.Op == ssa.OpSExt || u.User.Op == ssa.OpZExt || u.User.Op == ssa.OpSelect) {
			return true
		}
	}
	return false
}

// widens reports whether the sign extension of a to 32 bits takes no operation that a does
// not.
func (n *narrower) widens(b *ssa.Block, a *ssa.Value) bool {
	switch a.Op {
	case ssa.OpConst:
		return true
	case ssa.OpTrunc:
		return n.rangeOf(b, a.Args[0]).Within(analysis.FullRange(a.Type))
	case ssa.OpSExt, ssa.OpZExt:
		return a.Args[0].Type.Bits() < a.Type.Bits()
	}
	return n.wide[a] != nil
}

// widened32 returns the sign extension of a, for which widens holds.
func (n *narrower) widened32(a *ssa.Value) *ssa.Value {
	switch {
	case n.wide[a] != nil:
		return n.wide[a]
	case a.Op == ssa.OpConst:
		return n.int(ssa.I32, a.Int)
	case a.Op == ssa.OpTrunc && a.Args[0].Type == ssa.I32:
		return a.Args[0]
	case a.Op == ssa.OpTrunc:
		return n.make(ssa.OpTrunc, ssa.I32, a.Args[0])
	}
	return n.make(a.Op, ssa.I32, a.Args[0])
}
