package opt

import (
	"cmp"
	"slices"

	"irgl/internal/ssa"
)

// This file writes the values of a loop as polynomials in values that the loop does not
// change and in its induction variables.

const (
	maxFactors   = 4 // of a monomial
	maxMonomials = 8
)

// A factorID identifies a value: its number, and whether it is sign-extended.
type factorID int32

func idOf(v *ssa.Value, extended bool) factorID {
	n := factorID(v.ID+1) << 1
	if extended {
		n++
	}
	return n
}

// A monomial is a product of a coefficient and factors, in descending order, with zeros
// behind the last.
type monomial struct {
	coef    int64
	factors [maxFactors]factorID
}

// A form is a polynomial, modulo two to the power of the width of its type: monomials in
// ascending order of their factors, so that a constant is the first.
type form struct {
	terms []monomial
	slope bool // an induction variable is a factor
}

// A formKey identifies a form without its constant.
type formKey struct {
	typ   ssa.Type
	terms [maxMonomials]monomial
}

// key returns the key of f, of type t, and its constant.
func (f *form) key(t ssa.Type) (formKey, int64) {
	k, c := formKey{typ: t}, int64(0)
	i := 0
	for _, m := range f.terms {
		if m.factors[0] == 0 {
			c = m.coef
			continue
		}
		k.terms[i] = m
		i++
	}
	return k, c
}

// varies reports whether f is linear, and not the same in all iterations.
func (s *loopReducer) varies(f *form) bool { return f != nil && f.slope }

// grows reports whether f, which varies, grows by a constant in each iteration, if the induction
// variables do.
func (s *loopReducer) grows(f *form) bool {
	for _, m := range f.terms {
		if m.factors[1] != 0 && s.hasSlope(m) {
			return false
		}
	}
	return true
}

// widened reports whether what f, an exact value, grows by is a sum of extended values of 32 bits
// times constants.
func (s *loopReducer) widened(f *form) bool {
	for _, m := range f.terms {
		if s.hasSlope(m) && (m.factors[2] != 0 || m.factors[0]&m.factors[1]&1 == 0 && m.factors[1] != 0) {
			return false
		}
	}
	return true
}

// constantStride reports whether f, which varies, grows by a constant in each iteration.
func (s *loopReducer) constantStride(f *form) bool {
	for phi, iv := range s.ivs {
		if iv.step.Op == ssa.OpConst {
			continue
		}
		for _, m := range f.terms {
			if slices.Contains(m.factors[:], idOf(phi, false)) || slices.Contains(m.factors[:], idOf(phi, true)) {
				return false
			}
		}
	}
	return s.grows(f)
}

// hasSlope reports whether an induction variable is a factor of m.
func (s *loopReducer) hasSlope(m monomial) bool {
	for phi := range s.ivs {
		for _, x := range m.factors {
			if x == idOf(phi, false) || x == idOf(phi, true) {
				return true
			}
		}
	}
	return false
}

// form returns v, an i32, i64 or address, as a polynomial that is linear in the loop's
// induction variables, or nil.
func (s *loopReducer) form(v *ssa.Value) *form {
	if f, ok := s.forms[v]; ok {
		return f
	}
	t := widthType(v.Type)
	var f *form
	switch {
	case v.Op == ssa.OpConst:
		f = constantForm(v.Int)
	case !s.inside(v):
		x, extended := v, v.Op == ssa.OpSExt && v.Args[0].Type == ssa.I32
		if extended {
			x = v.Args[0]
		}
		f = &form{terms: []monomial{{1, [maxFactors]factorID{idOf(x, extended)}}}}
	case s.ivs[v] != nil:
		f = &form{terms: []monomial{{1, [maxFactors]factorID{idOf(v, false)}}}, slope: true}
	case !reducible(v):
	case v.Op == ssa.OpSExt:
		f = s.exact(v.Args[0])
	default:
		f = s.combine(v, t, s.form)
	}
	s.forms[v] = f
	return f
}

// exact returns the exact value of v, an i32, as a polynomial of i64; nil if v is not
// linear, or is not known to be exact.
func (s *loopReducer) exact(v *ssa.Value) *form {
	if f, ok := s.exacts[v]; ok {
		return f
	}
	var f *form
	iv := s.ivs[v]
	switch {
	case v.Op == ssa.OpConst:
		f = constantForm(v.Int)
	case !s.inside(v):
		f = &form{terms: []monomial{{1, [maxFactors]factorID{idOf(v, true)}}}}
	case iv != nil && iv.next.NoWrap:
		f = &form{terms: []monomial{{1, [maxFactors]factorID{idOf(v, true)}}}, slope: true}
	case iv == nil && v.NoWrap && reducible(v) && v.Type == ssa.I32:
		f = s.combine(v, ssa.I64, s.exact)
	}
	s.exacts[v] = f
	return f
}

func constantForm(n int64) *form {
	if n == 0 {
		return &form{}
	}
	return &form{terms: []monomial{{coef: n}}}
}

// combine returns the form of an operation whose operands have the forms that of returns,
// modulo the width of t.
func (s *loopReducer) combine(v *ssa.Value, t ssa.Type, of func(*ssa.Value) *form) *form {
	x := of(v.Args[0])
	if x == nil {
		return nil
	}
	if v.Op == ssa.OpShl {
		c, ok := factor(v)
		if !ok {
			return nil
		}
		return x.times(constantForm(c), t)
	}
	y := of(v.Args[1])
	switch {
	case y == nil:
		return nil
	case v.Op == ssa.OpMul:
		return x.times(y, t)
	case v.Op == ssa.OpSub:
		if y = y.times(constantForm(-1), t); y == nil {
			return nil
		}
	}
	return x.plus(y, t)
}

// plus returns the sum, or nil if it is too long or terms cancel.
func (f *form) plus(g *form, t ssa.Type) *form {
	sum := &form{terms: make([]monomial, 0, len(f.terms)+len(g.terms)), slope: f.slope || g.slope}
	sum.terms = append(append(sum.terms, f.terms...), g.terms...)
	return sum.normal(t)
}

// times returns the product, or nil if it is not linear, is too long, or terms cancel.
func (f *form) times(g *form, t ssa.Type) *form {
	if f.slope && g.slope || len(f.terms)*len(g.terms) > 2*maxMonomials {
		return nil
	}
	product := &form{slope: f.slope || g.slope}
	for _, m := range f.terms {
		for _, n := range g.terms {
			p := monomial{coef: m.coef * n.coef, factors: m.factors}
			for _, x := range n.factors {
				if x == 0 {
					break
				}
				if p.factors[maxFactors-1] != 0 {
					return nil
				}
				p.factors[maxFactors-1] = x
				slices.SortFunc(p.factors[:], func(x, y factorID) int { return cmp.Compare(y, x) })
			}
			product.terms = append(product.terms, p)
		}
	}
	return product.normal(t)
}

// normal brings f into its form, or returns nil if it is too long or terms cancel.
func (f *form) normal(t ssa.Type) *form {
	slices.SortFunc(f.terms, func(m, n monomial) int { return slices.Compare(m.factors[:], n.factors[:]) })
	out := f.terms[:0]
	for _, m := range f.terms {
		if k := len(out) - 1; k >= 0 && out[k].factors == m.factors {
			out[k].coef += m.coef
			continue
		}
		out = append(out, m)
	}
	f.terms = out
	for i := range f.terms {
		m := &f.terms[i]
		if m.coef = ssa.SignExtend(t, m.coef); m.coef == 0 && m.factors[0] != 0 {
			return nil
		}
	}
	if len(f.terms) > 0 && f.terms[0].coef == 0 { // the constant
		f.terms = f.terms[1:]
	}
	if len(f.terms) > maxMonomials {
		return nil
	}
	return f
}
