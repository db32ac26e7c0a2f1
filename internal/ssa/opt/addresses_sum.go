package opt

import (
	"slices"

	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// This file opens addresses: it writes one as a pointer, its root, plus a sum of
// terms. reassociate and speculate compare addresses in this form. Unlike the
// form of addresses_linear.go it includes the pointer additions that lead to the
// address, and distributes no products.
//
//	v3 = add i32 v1, v2 nsw        root v0
//	v4 = sext i64 v3               terms 4*sext(v1), 4*sext(v2)
//	v5 = shl i64 v4, 2
//	v6 = ptradd ptr v0, v5
//
// A 64-bit sum or product by a constant is always opened: addresses wrap as it
// does. Below an extension it is opened only if it does not wrap: a signed one
// that promises it (ssa.Op.MayPromise), or any whose operands have value ranges
// that exclude it. So an unsigned 32-bit sum is one term unless its range is
// known: in C it wraps, and a[i + j] need not be (&a[i])[j].

const (
	maxSummands = maxTerms + 1 // a constant does not count as a term
	numberBits  = 21           // of a term's number in a key
)

// An opener opens addresses.
type opener struct {
	f   *ssa.Func
	dom *analysis.DomTree
	// noRanges leaves sums closed that do not promise not to wrap.
	noRanges bool
	ranges   *analysis.RangeInfo // computed for the first such sum
}

// An addressSum is an address as the sum of a root and terms.
type addressSum struct {
	root  *ssa.Value
	terms []term // in the order of their numbers: at most maxTerms, and a constant, which has no x
	// promised are the opened values that promise not to wrap.
	promised []*ssa.Value
	cut      bool // maxTerms or maxLinear left sums closed
}

// isIndexed reports whether v is an address at a variable offset.
func isIndexed(v *ssa.Value) bool { return v.Op == ssa.OpPtrAdd && v.Args[1].Op != ssa.OpConst }

// rootOf returns the root of v, a ptradd, as open finds it at most.
func rootOf(v *ssa.Value) *ssa.Value {
	for i := 0; i < maxTerms && v.Op == ssa.OpPtrAdd; i++ {
		v = v.Args[0]
	}
	return v
}

// rootCounts are the numbers of addresses at variable offsets from each pointer, by its
// number.
type rootCounts []int32

// countRoots counts the addresses of f; nil if no pointer has two.
func countRoots(f *ssa.Func) rootCounts {
	var counts rootCounts
	found := false
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if isIndexed(v) {
				if counts == nil {
					counts = ssa.Make[int32](f, f.NumValues())
				}
				base, root := v.Args[0], rootOf(v)
				if counts[base.ID]++; base != root {
					counts[root.ID]++
				}
				found = found || counts.several(v)
			}
		}
	}
	if !found {
		return nil
	}
	return counts
}

// total returns the sum of the numbers.
func (c rootCounts) total() int {
	n := 0
	for _, count := range c {
		n += int(count)
	}
	return n
}

// several reports whether v may have a root in common with another address.
func (c rootCounts) several(v *ssa.Value) bool {
	return c != nil && (c[v.Args[0].ID] > 1 || c[rootOf(v).ID] > 1)
}

// open returns v, a ptradd, as a sum.
func (o *opener) open(v *ssa.Value) *addressSum {
	s := &addressSum{root: v.Args[0], terms: make([]term, 0, maxSummands)}
	s.add(term{x: v.Args[1], scale: 1})
	for s.root.Op == ssa.OpPtrAdd && len(s.terms) < maxTerms {
		s.add(term{x: s.root.Args[1], scale: 1})
		s.root = s.root.Args[0]
	}
	for steps := maxLinear; ; steps-- {
		i, l, r, parts := o.last(s, v.Block)
		if parts == 0 || steps == 0 {
			s.cut = s.cut || parts > 0
			break
		}
		if x := s.terms[i].x; x.NoWrap {
			s.promised = append(s.promised, x)
		}
		s.terms = slices.Delete(s.terms, i, i+1)
		s.add(l)
		if parts == 2 {
			s.add(r)
		}
	}
	slices.SortFunc(s.terms, byTerm)
	return s
}

// variable is 1 for a term that is not a constant.
func variable(t term) int {
	if t.x == nil || t.x.Op == ssa.OpConst {
		return 0
	}
	return 1
}

// variables returns the number of terms that are not constants.
func (s *addressSum) variables() int {
	n := 0
	for _, t := range s.terms {
		n += variable(t)
	}
	return n
}

// last returns the term of s whose value is the latest, of those that can be opened, and its parts. So where there would be
// too many terms, those stay closed that were computed in front of a loop, for many addresses.
func (o *opener) last(s *addressSum, b *ssa.Block) (at int, l, r term, n int) {
	for i, t := range s.terms {
		tl, tr, parts := o.parts(t, b)
		switch {
		case parts == 2 && (len(s.terms) == maxSummands || s.variables()-variable(t)+variable(tl)+variable(tr) > maxTerms):
			s.cut = true
		case parts > 0 && (n == 0 || t.x.ID > s.terms[at].x.ID):
			at, l, r, n = i, tl, tr, parts
		}
	}
	return at, l, r, n
}

// top returns v, a ptradd, with its offset as one term, and divided once.
func (o *opener) top(v *ssa.Value) (whole, parts *addressSum) {
	whole = &addressSum{root: v.Args[0], terms: []term{{x: v.Args[1], scale: 1}}}
	for range maxLinear {
		l, r, n := o.parts(whole.terms[0], v.Block)
		if n == 0 {
			break
		}
		p := whole.promised
		if x := whole.terms[0].x; x.NoWrap {
			p = append(p[:len(p):len(p)], x)
		}
		if n == 2 {
			parts = &addressSum{root: whole.root, promised: p}
			parts.add(l)
			parts.add(r)
			slices.SortFunc(parts.terms, byTerm)
			break
		}
		whole.terms[0], whole.promised = l, p
	}
	return whole, parts
}

// byTerm orders terms; a constant comes first.
func byTerm(s, t term) int {
	if d := id(s.x) - id(t.x); d != 0 {
		return d
	}
	return int(s.ext) - int(t.ext)
}

// add adds t, to an equal term if there is one.
func (s *addressSum) add(t term) {
	for i, u := range s.terms {
		if u.ext == t.ext && u.x == t.x {
			if s.terms[i].scale += t.scale; s.terms[i].scale == 0 {
				s.terms = slices.Delete(s.terms, i, i+1)
			}
			return
		}
	}
	s.terms = append(s.terms, t)
}

// parts returns the terms, at most two, whose sum is t in block b; 0 if t stays.
func (o *opener) parts(t term, b *ssa.Block) (l, r term, n int) {
	x := t.x
	if x == nil {
		return l, r, 0
	}
	l = t
	switch x.Op {
	case ssa.OpConst:
		c := x.Int
		if t.ext == ssa.OpZExt {
			c = int64(ssa.ZeroExtend(x.Type, c))
		}
		if p, ok := times(c, t.scale); ok {
			return term{scale: p}, r, 1
		}
	case ssa.OpSExt, ssa.OpZExt:
		if t.ext == ssa.OpZExt && x.Op == ssa.OpSExt {
			return l, r, 0
		}
		l.ext, l.x = x.Op, x.Args[0]
		return l, r, 1
	case ssa.OpMul, ssa.OpShl:
		c, ok := factor(x)
		if !ok {
			return l, r, 0
		}
		if l.scale, ok = times(c, t.scale); ok && l.scale != 0 && o.exact(t, c, b) {
			l.x = x.Args[0]
			return l, r, 1
		}
	case ssa.OpAdd, ssa.OpSub:
		if !o.exact(t, 0, b) {
			return l, r, 0
		}
		l.x = x.Args[0]
		r = term{ext: t.ext, x: x.Args[1], scale: t.scale}
		if x.Op == ssa.OpSub {
			r.scale = -r.scale
		}
		return l, r, 2
	}
	return l, r, 0
}

// exact reports whether the extension of t's value, a sum, a difference or a
// product by c, is that of the extended operands.
func (o *opener) exact(t term, c int64, b *ssa.Block) bool {
	v := t.x
	if t.ext == ssa.OpInvalid || t.ext == ssa.OpSExt && v.NoWrap {
		return true
	}
	return !o.noRanges && o.proven(t, c, b)
}

// proven is exact by value ranges alone.
func (o *opener) proven(t term, c int64, b *ssa.Block) bool {
	v := t.x
	if o.ranges == nil {
		o.ranges = analysis.Ranges(o.f, o.dom)
	}
	x := o.ranges.At(v.Args[0], b)
	full, y := analysis.FullRange(v.Type), analysis.Range{}
	if v.Op == ssa.OpAdd || v.Op == ssa.OpSub {
		y = o.ranges.At(v.Args[1], b)
	}
	if t.ext == ssa.OpZExt {
		// Of numbers that are not negative both extensions are the same.
		if x.Lo < 0 || y.Lo < 0 {
			return false
		}
		full.Lo = 0
	}
	switch v.Op {
	case ssa.OpAdd:
		x.Lo, x.Hi = x.Lo+y.Lo, x.Hi+y.Hi
	case ssa.OpSub:
		x.Lo, x.Hi = x.Lo-y.Hi, x.Hi-y.Lo
	default:
		if c <= 0 || full.Hi/c < x.Hi || full.Lo/c > x.Lo {
			return false
		}
		return true
	}
	return x.Within(full)
}

// keeps reports whether the ranges of the operands of v, which promises not to wrap, show that it does not.
func (o *opener) keeps(v *ssa.Value) bool {
	c := int64(0)
	if v.Op == ssa.OpMul || v.Op == ssa.OpShl {
		var ok bool
		if c, ok = factor(v); !ok {
			return false
		}
	}
	return o.proven(term{ext: ssa.OpSExt, x: v}, c, v.Block)
}

// keyWithout returns the key of a sum without the terms in the bit set out. ids has the
// numbers of the terms, which are from 1 and below 1 << numberBits.
func (s *addressSum) keyWithout(ids [maxSummands]int32, out uint) key {
	var in [maxSummands]int32
	n := 0
	for i := range s.terms {
		if out>>i&1 == 0 {
			in[n] = ids[i]
			n++
		}
	}
	return key{op: ssa.OpPtrAdd, a0: int32(s.root.ID) + 1, a1: in[0], a2: in[1], number: uint64(in[2]) | uint64(in[3])<<numberBits | uint64(in[4])<<(2*numberBits)}
}

// includes reports whether s has all terms of t, and more.
func (s *addressSum) includes(t *addressSum) bool {
	if s.root != t.root || len(s.terms) <= len(t.terms) {
		return false
	}
	for _, u := range t.terms {
		if !slices.Contains(s.terms, u) {
			return false
		}
	}
	return true
}

// scale appends the product of v, an i64, and a constant.
func (i *inserter) scale(v *ssa.Value, scale int64) *ssa.Value {
	if scale == 1 {
		return v
	}
	if k, ok := powerOfTwo(ssa.I64, scale); ok {
		return i.make(ssa.OpShl, ssa.I64, v, i.int(ssa.I32, k))
	}
	return i.make(ssa.OpMul, ssa.I64, v, i.int(ssa.I64, scale))
}
