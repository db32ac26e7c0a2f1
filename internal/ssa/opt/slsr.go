package opt

import (
	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Straight-line strength reduction.
// Source: gpucc, section 3.4.2, Table 3.
//
// Values of one of three forms, with one base b and one stride s, differ by a
// constant number of strides:
//
//	form 1    (b + c) * s
//	form 2    b + c*s
//	form 3    ptradd p, c*s
//
// If x dominates y, y is x plus (cy-cx) strides. If the difference is 1 or -1,
// this is a single addition that replaces y's addition and multiplication.
//
//	v3 = mul i32 v1, v2             v3 = mul i32 v1, v2
//	v4 = add i32 v1, 1              v5 = add i32 v3, v2
//	v5 = mul i32 v4, v2
//
// All arithmetic wraps, so the forms are valid in every width. A value that
// promises not to wrap (ssa.Op.MayPromise) loses the promise once another value
// is computed from it. The walk is over the dominator tree, and each form, base
// and stride has a stack of candidates whose top dominates the current block, so
// the time is linear in the size of the function.
//
// A value is replaced when the difference is 0, 1 or -1 strides, and in forms 2
// and 3 also when it equals x's own product c*s, or the difference between x and
// the value that x was computed from. In that case y's c*s must have no other
// use than y, or than addresses of form 3, since otherwise it would be computed
// anyway.
// What it will not do: reduce what code generation folds anyway: a constant
// stride, whose product is part of the address; build a chain of more than
// maxChain dependent additions.
func strengthReduce(f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	dom := analysis.Dominators(f)
	s := &reducer{
		f: f, dom: dom, uses: analysis.Uses(f), subst: newSubst(f),
		last: make(map[candidateKey][]*candidate),
	}
	dom.Walk(func(b *ssa.Block) { s.block(b) }, nil)
	s.subst.apply(f)
	r.Count("form 1", s.forms[1])
	r.Count("form 2", s.forms[2])
	r.Count("form 3", s.forms[3])
}

const maxChain = 8

// A candidateKey is what two values must have in common.
type candidateKey struct {
	form         int
	base, stride *ssa.Value
	typ          ssa.Type
}

// A candidate is a value of one of the forms, c strides from its base.
type candidate struct {
	v     *ssa.Value
	c     int64
	prod  *ssa.Value // the c strides, in forms 2 and 3
	chain int        // additions since the last value that was not reduced
	// The increment from the previous candidate to this one, and its number of
	// strides: the next candidate may be at the same distance.
	gap  *ssa.Value
	gapC int64
}

type reducer struct {
	f     *ssa.Func
	dom   *analysis.DomTree
	uses  *analysis.UseLists
	subst *subst
	last  map[candidateKey][]*candidate // a stack: its top dominates the current value or is popped
	out   []*ssa.Value
	forms [4]int
}

func (s *reducer) block(b *ssa.Block) {
	s.out = s.out[:0]
	for _, v := range b.Values {
		s.subst.args(v)
		key, c, ok := s.form(v)
		if !ok {
			s.out = append(s.out, v)
			continue
		}
		list := s.last[key]
		for len(list) > 0 && !s.dom.Dominates(list[len(list)-1].v.Block, b) {
			list = list[:len(list)-1]
		}
		me := &candidate{v: v, c: c, prod: product(v, key)}
		if len(list) > 0 {
			x := list[len(list)-1]
			if by := s.replace(v, key, x, c-x.c, me); by != nil {
				me.v, me.chain = by, x.chain+1
				s.forms[key.form]++
				if by != v {
					s.subst.replace(v, by)
					s.last[key] = append(list, me)
					continue
				}
			}
		}
		s.out = append(s.out, v)
		s.last[key] = append(list, me)
		if key.form == 1 && c == 0 && me.v.Op == ssa.OpMul { // b*s is s*b
			other := candidateKey{1, key.stride, key.base, key.typ}
			s.last[other] = append(s.last[other], me)
		}
	}
	setValues(b, s.out)
}

// form returns the form of v.
func (s *reducer) form(v *ssa.Value) (candidateKey, int64, bool) {
	switch v.Op {
	case ssa.OpMul:
		for i, x := range v.Args {
			stride := v.Args[1-i]
			if stride.Op.IsLiteral() {
				continue
			}
			if base, c, ok := withConstant(x, ssa.OpAdd); ok {
				return candidateKey{1, base, stride, v.Type}, c, true
			}
		}
		// b*s itself: either factor may be the base of a later candidate.
		if !v.Args[0].Op.IsLiteral() && !v.Args[1].Op.IsLiteral() {
			return candidateKey{1, v.Args[0], v.Args[1], v.Type}, 0, true
		}
	case ssa.OpAdd:
		for i, x := range v.Args {
			if stride, c, ok := multiple(x); ok && !v.Args[1-i].Op.IsLiteral() {
				return candidateKey{2, v.Args[1-i], stride, v.Type}, c, true
			}
		}
	case ssa.OpPtrAdd:
		if stride, c, ok := multiple(v.Args[1]); ok {
			return candidateKey{3, v.Args[0], stride, v.Type}, c, true
		}
	}
	return candidateKey{}, 0, false
}

// multiple splits x into a stride and a constant factor c.
func multiple(x *ssa.Value) (stride *ssa.Value, c int64, ok bool) {
	if stride, c, ok = withConstant(x, ssa.OpMul); ok {
		return stride, c, true
	}
	if stride, c, ok = withConstant(x, ssa.OpShl); ok && 0 <= c && c < 32 {
		return stride, 1 << c, true
	}
	return nil, 0, false
}

// replace returns a value that computes v from x, which is d strides before
// it, or nil when that is not cheaper.
func (s *reducer) replace(v *ssa.Value, key candidateKey, x *candidate, d int64, me *candidate) *ssa.Value {
	if x.chain >= maxChain {
		return nil
	}
	stride, away := key.stride, d
	if key.form != 1 {
		// The product must have no use but v, so that it becomes dead. The increment
		// may be the other candidate's own product, or the increment that made it.
		if !s.goes(product(v, key), key.form) {
			return nil
		}
		switch {
		case d == x.c && d != 1:
			stride, d = x.prod, 1
		case d == x.gapC && x.gap != nil:
			stride, d = x.gap, 1
		}
	}
	if d < -1 || d > 1 || key.form == 3 && d == -1 { // needs at least a negation in addition
		return nil
	}
	x.unpromise(key)
	if d == 1 {
		me.gap, me.gapC = stride, away
	}
	switch {
	case d == 0:
		return x.v
	case key.form == 3:
		reset(v, ssa.OpPtrAdd, x.v, stride)
	case d == 1:
		reset(v, ssa.OpAdd, x.v, stride)
	default:
		reset(v, ssa.OpSub, x.v, stride)
	}
	return v
}

// goes reports whether a product becomes dead once the candidates that use it
// are sums. Addresses in several arrays, all of one form, are replaced
// together.
func (s *reducer) goes(prod *ssa.Value, form int) bool {
	if s.uses.Count(prod) <= 1 || form != 3 {
		return s.uses.Count(prod) <= 1
	}
	for _, u := range s.uses.Of(prod) {
		if u.User == nil || u.User.Op != ssa.OpPtrAdd {
			return false
		}
	}
	return true
}

// unpromise drops the promise not to wrap of x, from which another value is to be
// computed, and of x's own operand: the other value did not depend on them.
func (x *candidate) unpromise(key candidateKey) {
	x.v.NoWrap = false
	for _, a := range x.v.Args {
		if a != key.base && a != key.stride {
			a.NoWrap = false
		}
	}
	if x.prod != nil && x.prod != key.base && x.prod != key.stride {
		x.prod.NoWrap = false
	}
}

// product returns the c strides that v, of form 2 or 3, adds to its base.
func product(v *ssa.Value, key candidateKey) *ssa.Value {
	if key.form == 1 || v.Args[1] != key.base || v.Args[0] == key.base {
		return v.Args[1]
	}
	return v.Args[0]
}
