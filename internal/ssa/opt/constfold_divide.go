package opt

import "irgl/internal/ssa"

// This file has the rule of constant folding for sums of a quotient and its remainder:
// (x/y)*y + x%y is x, as is (x>>k<<k) + (x&(1<<k - 1)). It holds for all x and y: the
// remainder of a division by zero is the dividend, and in the ring the quotient that
// overflows, of the smallest number by -1, is right.

// dividend returns x if the sum of p and r is (x/y)*y + x%y, in either order, or nil.
func dividend(p, r *ssa.Value) *ssa.Value {
	for range 2 {
		if x, ok := remade(p, r); ok {
			return x
		}
		p, r = r, p
	}
	return nil
}

// remade returns x if p is (x/y)*y and r is x%y.
func remade(p, r *ssa.Value) (*ssa.Value, bool) {
	if p.Op != ssa.OpMul && p.Op != ssa.OpShl {
		return nil, false
	}
	for i, q := range p.Args {
		y := p.Args[1-i]
		if p.Op == ssa.OpShl && i == 1 {
			break
		}
		if isRemainderOf(r, q) && isDivisor(p, y, q) {
			return q.Args[0], true
		}
	}
	return nil, false
}

// isRemainderOf reports whether r is the remainder of the division that q is the quotient of.
func isRemainderOf(r, q *ssa.Value) bool {
	var op ssa.Op
	switch q.Op {
	case ssa.OpSDiv:
		op = ssa.OpSRem
	case ssa.OpUDiv:
		op = ssa.OpURem
	case ssa.OpLShr, ssa.OpAShr: // the division rounds down, so the remainder has the low bits
		k, ok := constant(q.Args[1])
		return ok && 0 <= k && k < int64(q.Type.Bits()) && r.Op == ssa.OpAnd && r.Args[0] == q.Args[0] && isConst(r.Args[1], ssa.SignExtend(r.Type, 1<<k-1))
	default:
		return false
	}
	return r.Op == op && r.Args[0] == q.Args[0] && same(r.Args[1], q.Args[1])
}

// isDivisor reports whether p multiplies the quotient q by its divisor y.
func isDivisor(p, y, q *ssa.Value) bool {
	d := q.Args[1]
	if q.Op == ssa.OpLShr || q.Op == ssa.OpAShr {
		return p.Op == ssa.OpShl && same(y, d)
	}
	if p.Op == ssa.OpShl {
		k, ok := constant(y)
		return ok && 0 <= k && k < int64(p.Type.Bits()) && isConst(d, ssa.SignExtend(d.Type, 1<<k))
	}
	return same(y, d)
}

// same reports whether v and w are one value, or equal constants.
func same(v, w *ssa.Value) bool {
	return v == w || v.Op == ssa.OpConst && w.Op == ssa.OpConst && v.Type == w.Type && v.Int == w.Int
}
