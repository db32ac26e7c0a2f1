package opt

import (
	"math/bits"

	"irgl/internal/ssa"
)

// This file factors polynomials.

// without returns m without one factor, if it has it.
func (m monomial) without(id factorID) monomial {
	n := m
	for i, x := range m.factors {
		if x == id {
			copy(n.factors[i:], m.factors[i+1:])
			n.factors[maxFactors-1] = 0
			break
		}
	}
	return n
}

// with returns m with one more factor; ok is false if it has too many.
func (m monomial) with(id factorID) (monomial, bool) {
	n := m
	for i, x := range m.factors {
		if x < id {
			copy(n.factors[i+1:], m.factors[i:maxFactors-1])
			n.factors[i] = id
			return n, m.factors[maxFactors-1] == 0
		}
	}
	return n, false
}

func (m monomial) has(id factorID) bool {
	for _, x := range m.factors {
		if x == id {
			return true
		}
	}
	return false
}

// A factored is a factored polynomial: by times the sum of in and of plus. A leaf has a
// value instead of in, a constant neither.
type factored struct {
	by, in, plus *factored
	shift        int64 // a power of two that multiplies it
	v            *ssa.Value
	n            int64
}

// tree factors a polynomial: first a power of two, then the factor that most terms have,
// of those with the same number the one with the largest number, which is defined last.
func (s *factorer) tree(terms []monomial) *factored {
	if k := commonShift(terms); k > 0 {
		rest := make([]monomial, len(terms))
		for i, m := range terms {
			m.coef >>= k
			rest[i] = m
		}
		return &factored{in: s.tree(rest), shift: k}
	}
	if len(terms) == 1 {
		return s.product(terms[0])
	}
	id, most := factorID(0), 1
	for _, m := range terms {
		for i, x := range m.factors {
			if x == 0 || i > 0 && m.factors[i-1] == x {
				continue
			}
			n := 0
			for _, other := range terms {
				if other.has(x) {
					n++
				}
			}
			if n > most || n == most && n > 1 && x > id {
				id, most = x, n
			}
		}
	}
	if most == 1 {
		return &factored{in: s.tree(terms[:1]), plus: s.tree(terms[1:])}
	}
	var with, rest []monomial
	for _, m := range terms {
		if m.has(id) {
			with = append(with, m.without(id))
		} else {
			rest = append(rest, m)
		}
	}
	t := &factored{by: &factored{v: s.leaves[id]}, in: s.tree(with)}
	if len(rest) > 0 {
		return &factored{in: t, plus: s.tree(rest)}
	}
	return t
}

// product returns the tree of a monomial whose coefficient is odd.
func (s *factorer) product(m monomial) *factored {
	var t *factored
	for _, x := range m.factors {
		if x == 0 {
			break
		}
		leaf := &factored{v: s.leaves[x]}
		if t == nil {
			t = leaf
		} else {
			t = &factored{by: leaf, in: t}
		}
	}
	switch {
	case t == nil:
		return &factored{n: m.coef}
	case m.coef != 1:
		return &factored{by: &factored{n: m.coef}, in: t}
	}
	return t
}

// commonShift returns the largest k such that 2^k divides all coefficients.
func commonShift(terms []monomial) int64 {
	k := 30
	for _, m := range terms {
		k = min(k, bits.TrailingZeros64(uint64(m.coef)))
	}
	return int64(k)
}

// cost returns the instructions that compute t. A shift is part of a sum that uses it.
func (t *factored) cost() int {
	if t.in == nil {
		return 0
	}
	n := t.in.cost()
	switch {
	case t.plus != nil:
		n += t.plus.cost() + costOfPtrAdd
	case t.by != nil && t.by.v == nil:
		n += 3
	case t.by != nil:
		n += 4
		if isExtension(t.by.v) && isExtension(t.in.v) {
			n -= 3
		}
	case t.shift > 0:
		n++
	}
	return n
}

// isExtension reports whether v extends a value of 32 bits.
func isExtension(v *ssa.Value) bool {
	return v != nil && (v.Op == ssa.OpSExt || v.Op == ssa.OpZExt)
}

// build computes t.
func (s *factorer) build(t *factored) *ssa.Value {
	switch {
	case t.v != nil:
		return t.v
	case t.in == nil:
		return s.int(ssa.I64, t.n)
	}
	v := s.build(t.in)
	switch {
	case t.plus != nil:
		return s.make(ssa.OpAdd, ssa.I64, v, s.build(t.plus))
	case t.by != nil:
		return s.make(ssa.OpMul, ssa.I64, v, s.build(t.by))
	}
	return s.make(ssa.OpShl, ssa.I64, v, s.int(ssa.I32, t.shift))
}
