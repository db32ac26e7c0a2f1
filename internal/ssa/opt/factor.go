package opt

import (
	"slices"

	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Factoring of 64-bit sums of products.
// Source: LLVM's Reassociate (its greedy factoring of sums) and InstCombine (sums with a
// remainder), which nvcc runs.
//
// A 64-bit product is four instructions, a 64-bit sum two. Where an offset is a sum of
// products with common factors, often spread over several pointer additions, the pass
// gathers it, and takes out the factor that most of the products have, again and again:
//
//	v4 = mul i64 v1, v2            v4 = mul i64 v1, v5
//	v6 = mul i64 v4, v5            v6 = add i64 v4, v7
//	v8 = ptradd ptr v0, v6         v8 = mul i64 v6, v2
//	v9 = mul i64 v7, v2            v10 = ptradd ptr v0, v8
//	v10 = ptradd ptr v8, v9
//
// A quotient and the remainder of one division that are factors of two of the products,
// b*(c*n) + r*n with b = x/c and r = x%c, are x*n. This removes the division, if nothing
// else needs it. (The simple sum b*c + r is folded by constfold.)
//
// The sum is a polynomial (lsr_form.go) in the ring of 64 bits, so all of this is exact
// and needs no proof. Values whose terms cancel are left alone.
//
// A sum is gathered only from operations of its own loop that nothing else uses, and
// shifts: what is invariant was hoisted before, and stays so. It is rewritten if the new
// form has fewer instructions.
//
// What it will not do: factor sums of 32 bits, whose products are free (IMAD) and whose
// promises not to wrap are needed to widen them; look through extensions.
func factorSums(f *ssa.Func, r *pass.Run) {
	if !hasWideProducts(f) {
		return
	}
	removeUnreachable(f)
	dom := analysis.Dominators(f)
	s := &factorer{inserter: inserter{f: f}, loops: analysis.FindLoops(f, dom), uses: analysis.Uses(f), subst: newSubst(f)}
	for _, b := range dom.Order() {
		s.block(b)
	}
	s.subst.apply(f)
	r.Count("sums", s.sums)
	r.Count("divisions", s.divisions)
}

// minWideProducts is the number of products with less than which a function has nothing to
// factor.
const minWideProducts = 2

// hasWideProducts reports whether f has enough 64-bit products of two variables.
func hasWideProducts(f *ssa.Func) bool {
	n := 0
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == ssa.OpMul && v.Type == ssa.I64 && v.Args[1].Op != ssa.OpConst {
				n++
			}
		}
	}
	return n >= minWideProducts
}

type factorer struct {
	inserter
	loops *analysis.Loops
	uses  *analysis.UseLists
	subst *subst
	loop  *analysis.Loop // around the current sum

	// Of the current sum.
	leaves   map[factorID]*ssa.Value
	products int // gathered, of two variables
	cost     int // of what is gathered

	sums, divisions int
}

// block rewrites the sums of b.
func (s *factorer) block(b *ssa.Block) {
	s.out, s.loop = s.out[:0], s.loops.Of(b)
	before := s.sums
	for _, v := range b.Values {
		if s.isSum(v) && !s.gathered(v) {
			s.at = v
			s.sum(v)
		}
		s.out = append(s.out, v)
	}
	if s.sums > before {
		setValues(b, s.out)
	}
}

// isSum reports whether v is a 64-bit sum or an address at a variable offset.
func (s *factorer) isSum(v *ssa.Value) bool {
	return v.Type == ssa.I64 && (v.Op == ssa.OpAdd || v.Op == ssa.OpSub) || isIndexed(v)
}

// gathered reports whether v is part of another sum.
func (s *factorer) gathered(v *ssa.Value) bool {
	if v.ID >= s.uses.Len() || s.uses.Count(v) != 1 {
		return false
	}
	u := s.uses.Of(v)[0].User
	if u == nil || s.loops.Of(u.Block) != s.loop {
		return false
	}
	switch {
	case isIndexed(u):
		return true
	case u.Type != ssa.I64:
		return false
	}
	return u.Op == ssa.OpAdd || u.Op == ssa.OpSub || u.Op == ssa.OpMul || u.Op == ssa.OpShl && u.Args[1].Op == ssa.OpConst
}

// sum rewrites v if that saves instructions.
func (s *factorer) sum(v *ssa.Value) {
	s.leaves, s.products, s.cost = make(map[factorID]*ssa.Value), 0, 0
	base := v
	var f *form
	if v.Type == ssa.I64 {
		f = s.open(v, true)
	} else {
		f, base = s.offset(v)
	}
	if f == nil || s.products < minWideProducts || len(f.terms) < 2 {
		return
	}
	f = &form{terms: slices.Clone(f.terms)}
	last := int64(0) // the constant belongs into the offsets of accesses
	if f.terms[0].factors[0] == 0 && v.Type.IsPtr() {
		last = f.terms[0].coef
		f.terms = f.terms[1:]
	}
	divisions := s.undivide(f)
	tree := s.tree(f.terms)
	cost := tree.cost()
	if v.Type.IsPtr() {
		cost += costOfPtrAdd
	}
	if cost >= s.cost && divisions == 0 {
		return
	}
	s.sums++
	s.divisions += divisions
	sum := s.build(tree)
	switch {
	case v.Type == ssa.I64:
		s.subst.replace(v, sum)
	case last == 0:
		reset(v, ssa.OpPtrAdd, base, sum)
	default:
		base = s.make(ssa.OpPtrAdd, v.Type, base, sum)
		reset(v, ssa.OpPtrAdd, base, s.int(ssa.I64, last))
	}
}

// offset returns the offset of v, an address, and the pointer that it is from.
func (s *factorer) offset(v *ssa.Value) (*form, *ssa.Value) {
	f := s.open(v.Args[1], false)
	s.cost += costOfPtrAdd
	base := v.Args[0]
	for f != nil && isIndexed(base) && s.loops.Of(base.Block) == s.loop && base.ID < s.uses.Len() && s.uses.Count(base) == 1 {
		g := s.open(base.Args[1], false)
		if g == nil {
			return nil, nil
		}
		f = f.plus(g, ssa.I64)
		s.cost += costOfPtrAdd
		base = base.Args[0]
	}
	return f, base
}

// open returns v, an i64, as a polynomial, or nil.
func (s *factorer) open(v *ssa.Value, top bool) *form {
	if v.Op == ssa.OpConst {
		return constantForm(v.Int)
	}
	own := top || v.ID < s.uses.Len() && s.uses.Count(v) == 1
	shift := v.Op == ssa.OpShl && v.Args[1].Op == ssa.OpConst
	if (own || shift) && s.loops.Of(v.Block) == s.loop {
		cost := costOf(v)
		if widening(v) != nil {
			cost = 1
		}
		if own {
			s.cost += cost
		}
		switch v.Op {
		case ssa.OpShl:
			if c, ok := factor(v); ok {
				x := s.open(v.Args[0], false)
				if x == nil {
					return nil
				}
				return x.times(constantForm(c), ssa.I64)
			}
		case ssa.OpAdd, ssa.OpSub, ssa.OpMul:
			x, y := s.open(v.Args[0], false), s.open(v.Args[1], false)
			if x == nil || y == nil {
				return nil
			}
			switch {
			case v.Op == ssa.OpMul:
				if v.Args[1].Op != ssa.OpConst {
					s.products++
				}
				return x.times(y, ssa.I64)
			case v.Op == ssa.OpSub:
				if y = y.times(constantForm(-1), ssa.I64); y == nil {
					return nil
				}
			}
			return x.plus(y, ssa.I64)
		}
		if own {
			s.cost -= cost
		}
	}
	id := idOf(v, false)
	s.leaves[id] = v
	return &form{terms: []monomial{{1, [maxFactors]factorID{id}}}}
}

// undivide replaces pairs of terms a*(x/y)*y + a*(x%y) by a*x, and returns the number of
// pairs.
func (s *factorer) undivide(f *form) int {
	n := 0
	for i := 0; i < len(f.terms); i++ {
		for j := 0; j < len(f.terms); j++ {
			if m, ok := s.dividend(f.terms[i], f.terms[j]); ok && i != j {
				f.terms[i] = m
				f.terms = append(f.terms[:j], f.terms[j+1:]...)
				n++
				i = -1
				break
			}
		}
	}
	return n
}

// dividend returns the sum of p, a product with a quotient and its divisor, and r, the same
// product with the remainder instead.
func (s *factorer) dividend(p, r monomial) (monomial, bool) {
	for _, id := range r.factors {
		rem := s.leaves[id]
		if rem == nil || rem.Op != ssa.OpURem && rem.Op != ssa.OpSRem {
			continue
		}
		rest := r.without(id)
		for _, qid := range p.factors {
			q := s.leaves[qid]
			if q == nil || !isRemainderOf(rem, q) {
				continue
			}
			left, want, ok := p.without(qid), rest, true
			if d := q.Args[1]; d.Op == ssa.OpConst {
				want.coef *= d.Int
			} else {
				want, ok = want.with(idOf(d, false))
			}
			if !ok || left != want {
				continue
			}
			x := idOf(q.Args[0], false)
			s.leaves[x] = q.Args[0]
			if m, ok := rest.with(x); ok {
				return m, true
			}
		}
	}
	return monomial{}, false
}
