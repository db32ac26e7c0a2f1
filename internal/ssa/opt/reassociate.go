package opt

import (
	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Global reassociation.
// Source: gpucc, section 3.4.3, Algorithm 2.
//
// Of (a + b) + c, a sum of two of the operands may be available in a dominating
// block: a + c, or b + c. That sum is reused and the third operand added. This
// costs one addition as before, and may leave a + b dead. The paper requires
// that it does; but in a chain, where each partial sum is used by the whole sum
// and by the next partial sum, none would be dead before the last one is, so the
// pass does not require it.
// part, none would go before the last has, so nothing is asked here.
//
//	v4 = add i32 v1, v3             v4 = add i32 v1, v3
//	v5 = add i32 v1, v2             v6 = add i32 v4, v2
//	v6 = add i32 v5, v3
//
// It applies to addition, multiplication, and, or, xor and the integer
// minima and maxima, and to pointers: ptradd(ptradd(p, i), j) and
// ptradd(p, i + j) become ptradd(ptradd(p, j), i) when ptradd(p, j) is
// available.
//
// For each pair of operands there is a stack of the values that compute their
// sum. The walk is in preorder of the dominator tree; a value on a stack that
// does not dominate the current one dominates no later one either, and is
// popped. Each value is pushed and popped once, so the time is linear in the
// size of the function.
//
// A sum that is recomputed from another one loses its promise not to wrap
// (ssa.Op.MayPromise), and so does the other: it may wrap where the original
// did not.
//
// What it will not do: reassociate floating point; search sums of more than
// three operands.
func reassociate(f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	dom := analysis.Dominators(f)
	s := &associator{f: f, dom: dom, seen: make(map[pairKey][]*ssa.Value)}
	dom.Walk(s.block, nil)
	r.Count("sums", s.sums)
	r.Count("addresses", s.addresses)
}

// A pairKey is an operation on two values; for a commutative one the lower
// number comes first.
type pairKey struct {
	op   ssa.Op
	typ  ssa.Type
	a, b *ssa.Value
}

func pair(op ssa.Op, t ssa.Type, a, b *ssa.Value) pairKey {
	if op.Commutative() && a.ID > b.ID {
		a, b = b, a
	}
	return pairKey{op, t, a, b}
}

type associator struct {
	f    *ssa.Func
	dom  *analysis.DomTree
	seen map[pairKey][]*ssa.Value

	sums, addresses int
}

// associative reports whether op may be reassociated.
func associative(op ssa.Op) bool {
	switch op {
	case ssa.OpAdd, ssa.OpMul, ssa.OpAnd, ssa.OpOr, ssa.OpXor, ssa.OpSMin, ssa.OpSMax, ssa.OpUMin, ssa.OpUMax:
		return true
	}
	return false
}

func (s *associator) block(b *ssa.Block) {
	for _, v := range b.Values {
		if !associative(v.Op) && v.Op != ssa.OpPtrAdd {
			continue
		}
		before := pair(v.Op, v.Type, v.Args[0], v.Args[1])
		switch {
		case v.Op == ssa.OpPtrAdd:
			if s.address(v) {
				s.addresses++
			}
		case s.sum(v):
			s.sums++
		}
		// The original value is still computed, so later values may reuse it.
		s.seen[before] = append(s.seen[before], v)
		if now := pair(v.Op, v.Type, v.Args[0], v.Args[1]); now != before {
			s.seen[now] = append(s.seen[now], v)
		}
	}
}

// closest returns the last value that computes k and dominates b.
func (s *associator) closest(k pairKey, b *ssa.Block) *ssa.Value {
	list := s.seen[k]
	for len(list) > 0 && !s.dom.Dominates(list[len(list)-1].Block, b) {
		list = list[:len(list)-1]
	}
	s.seen[k] = list
	if len(list) == 0 {
		return nil
	}
	return list[len(list)-1]
}

// sum reassociates v = (a op b) op c.
func (s *associator) sum(v *ssa.Value) bool {
	for i, inner := range v.Args {
		c := v.Args[1-i]
		if inner.Op != v.Op || c.Op.IsLiteral() {
			continue
		}
		for k, b := range inner.Args {
			a := inner.Args[1-k]
			if b.Op.IsLiteral() || a.Op.IsLiteral() {
				continue
			}
			if d := s.closest(pair(v.Op, v.Type, a, c), v.Block); d != nil && d != v && d != inner {
				v.Args = []*ssa.Value{d, b}
				v.NoWrap, d.NoWrap = false, false
				return true
			}
		}
	}
	return false
}

// address reassociates v = ptradd(ptradd(p, i), j) or ptradd(p, i + j).
func (s *associator) address(v *ssa.Value) bool {
	p, off := v.Args[0], v.Args[1]
	try := func(p, i, j *ssa.Value) bool {
		if i.Op.IsLiteral() || j.Op.IsLiteral() {
			return false
		}
		d := s.closest(pair(ssa.OpPtrAdd, v.Type, p, j), v.Block)
		if d == nil || d == v || d == v.Args[0] {
			return false
		}
		v.Args = []*ssa.Value{d, i}
		return true
	}
	if p.Op == ssa.OpPtrAdd && try(p.Args[0], p.Args[1], off) {
		return true
	}
	if off.Op == ssa.OpAdd {
		return try(p, off.Args[0], off.Args[1]) || try(p, off.Args[1], off.Args[0])
	}
	return false
}
