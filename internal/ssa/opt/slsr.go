package opt

import (
	"slices"

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
// Of a larger difference the product with the stride, the gap, is computed once for
// all candidates at that distance, here 2*s for (b+1)*s, (b+3)*s and (b+5)*s:
//
//	v3 = add i32 v1, 1              v3 = add i32 v1, 1
//	v4 = mul i32 v3, v2             v4 = mul i32 v3, v2
//	v5 = add i32 v1, 3              v9 = shl i32 v2, 1
//	v6 = mul i32 v5, v2             v6 = add i32 v4, v9
//	v7 = add i32 v1, 5              v8 = add i32 v6, v9
//	v8 = mul i32 v7, v2
//
// A gap is computed only if the candidates save more than it costs, in 32-bit
// instructions. A 64-bit multiplication is four, or three by a constant, so a
// single candidate pays; a 32-bit one is one, so two candidates are required. A
// 32-bit product that is added to the base, in form 2, costs nothing (IMAD, LEA),
// nor does the widening product of form 3 (IMAD.WIDE), nor a 64-bit shift (LEA).
// These have a gap only if there is one already: x's own product c*s, or the gap
// from which x was computed.
//
// All arithmetic wraps, so the forms are valid in every width. A value that
// promises not to wrap (ssa.Op.MayPromise) loses the promise once another value
// is computed from it. An index of form 2 that is sign-extended keeps it instead:
// reassociate then computes one address from the other, which saves more.
//
// The walk is over the dominator tree, and each form, base and stride has a stack
// of candidates whose top dominates the current block, so the time is linear in
// the size of the function. There are two such walks: the first adds up what each
// gap saves.
//
// In forms 2 and 3, y's c*s must have no other use than y, or than addresses of
// form 3, since otherwise it would be computed anyway.
//
// What it will not do: reduce what code generation folds anyway: a constant
// stride, whose product is part of the address; build a chain of more than
// maxChain dependent additions; use a candidate other than the last one before.
func strengthReduce(f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	dom := analysis.Dominators(f)
	s := &reducer{
		inserter: inserter{f: f}, dom: dom, uses: analysis.Uses(f), subst: newSubst(f),
		last: make(map[candidateKey][]*candidate), gaps: make(map[gapKey][]*gap), first: make(map[*ssa.Value]*gap),
	}
	s.counting = true
	dom.Walk(s.block, nil)
	if !s.found {
		return
	}
	s.counting = false
	clear(s.last)
	clear(s.gaps)
	dom.Walk(s.block, nil)
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

// A gapKey identifies a product of a stride and a positive constant, of type typ.
type gapKey struct {
	stride *ssa.Value
	c      int64
	typ    ssa.Type
}

// A gap is a value that computes the product of its key. In the first walk it may
// also be one that is to be made, before the value first, with what the candidates
// save that first dominates.
type gap struct {
	v, first *ssa.Value
	saved    int
}

func (g *gap) block() *ssa.Block {
	if g.v != nil {
		return g.v.Block
	}
	return g.first.Block
}

type reducer struct {
	inserter
	dom      *analysis.DomTree
	uses     *analysis.UseLists
	subst    *subst
	last     map[candidateKey][]*candidate // a stack: its top dominates the current value or is popped
	gaps     map[gapKey][]*gap             // likewise
	first    map[*ssa.Value]*gap           // the gaps to be made, from the first walk
	counting bool                          // this is the first walk
	found    bool                          // there is a candidate with another before it
	forms    [4]int
}

func (s *reducer) block(b *ssa.Block) {
	s.out = s.out[:0]
	for _, v := range b.Values {
		s.subst.args(v)
		if stride, c, ok := multiple(v); ok && c > 1 {
			k := gapKey{stride, c, v.Type}
			s.gaps[k] = append(s.gaps[k], &gap{v: v})
		}
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
			s.found = true
			if s.counting {
				s.count(v, key, x, c-x.c)
			} else if by := s.replace(v, key, x, c-x.c, me); by != nil {
				s.forms[key.form]++
				if by != v { // x stays the last candidate, since its product dominates more than v's
					s.subst.replace(v, by)
					s.last[key] = list
					continue
				}
				me.chain = x.chain + 1
			}
		}
		s.out = append(s.out, v)
		s.last[key] = append(list, me)
		if key.form == 1 && c == 0 && me.v.Op == ssa.OpMul { // b*s is s*b
			other := candidateKey{1, key.stride, key.base, key.typ}
			s.last[other] = append(s.last[other], me)
		}
	}
	if !s.counting {
		setValues(b, s.out)
	}
}

// gapOf returns the key of the gap of d strides.
func gapOf(key candidateKey, d int64) gapKey {
	k := gapKey{key.stride, max(d, -d), key.typ}
	if key.form == 3 {
		k.typ = ssa.I64
	}
	return k
}

// known returns the last gap of the key that dominates b, or nil.
func (s *reducer) known(k gapKey, b *ssa.Block) *gap {
	list, ok := s.gaps[k]
	if !ok {
		return nil
	}
	for len(list) > 0 && !s.dom.Dominates(list[len(list)-1].block(), b) {
		list = list[:len(list)-1]
	}
	s.gaps[k] = list
	if len(list) == 0 {
		return nil
	}
	return list[len(list)-1]
}

// maxGap bounds the factors of gaps.
const maxGap = 1 << 30

// count adds what v, d strides after x, saves with its gap.
func (s *reducer) count(v *ssa.Value, key candidateKey, x *candidate, d int64) {
	saved := s.saved(v, key)
	if saved <= 0 || key.form == 3 && d < 0 || d >= -1 && d <= 1 || d >= maxGap || d <= -maxGap {
		return
	}
	k := gapOf(key, d)
	g := s.known(k, v.Block)
	if g == nil {
		g = &gap{first: v}
		s.gaps[k] = append(s.gaps[k], g)
		s.first[v] = g
	}
	g.saved += saved
}

// saved returns how many instructions v saves as a sum of another candidate and a
// gap.
func (s *reducer) saved(v *ssa.Value, key candidateKey) int {
	wide := key.typ == ssa.I64 || key.form == 3
	if key.form == 1 {
		add := 0
		for _, a := range v.Args {
			if a.Op == ssa.OpAdd && a != key.stride && s.uses.Count(a) == 1 {
				add = 1
			}
		}
		if wide {
			return 2 + 2*add // 4 for the product, and 2 for each sum
		}
		return add
	}
	prod := product(v, key)
	if !wide || prod.Op == ssa.OpShl || key.stride.Op == ssa.OpSExt || key.stride.Op == ssa.OpZExt || !s.goes(prod, key.form) {
		return 0
	}
	return 3
}

// costOfGap returns the cost of a gap's product.
func costOfGap(k gapKey) int {
	switch power := k.c&(k.c-1) == 0; {
	case k.typ != ssa.I64:
		return 1
	case power:
		return 2
	}
	return 3
}

// gap returns a value to be added for v, d strides after x, or to be subtracted if
// the result is true; nil if none pays.
func (s *reducer) gap(v *ssa.Value, key candidateKey, x *candidate, d int64) (*ssa.Value, bool) {
	switch {
	case key.form != 1 && d == x.c:
		return x.prod, false
	case key.form != 1 && d == x.gapC && x.gap != nil:
		return x.gap, false
	case key.form == 3 && d < 0: // it would have to be negated
	case d < maxGap && d > -maxGap && s.saved(v, key) > 0:
		return s.product(v, gapOf(key, d)), d < 0
	}
	return nil, false
}

// product returns a value that computes k for v, or nil if that does not pay.
func (s *reducer) product(v *ssa.Value, k gapKey) *ssa.Value {
	if g := s.known(k, v.Block); g != nil {
		return g.v
	}
	if g := s.first[v]; g == nil || g.saved <= costOfGap(k) {
		return nil
	}
	s.at = v
	var by *ssa.Value
	if n, ok := powerOfTwo(k.typ, k.c); ok {
		by = s.make(ssa.OpShl, k.typ, k.stride, s.int(ssa.I32, n))
	} else {
		by = s.make(ssa.OpMul, k.typ, k.stride, s.int(k.typ, k.c))
	}
	s.gaps[k] = append(s.gaps[k], &gap{v: by})
	return by
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
	// The product must have no use but v, so that it becomes dead.
	if key.form != 1 && !s.goes(product(v, key), key.form) || key.form == 2 && s.indexes(v) {
		return nil
	}
	stride, negative := key.stride, d < 0
	if d < -1 || d > 1 || key.form == 3 && negative {
		if stride, negative = s.gap(v, key, x, d); stride == nil {
			return nil
		}
		stride.NoWrap = false
	}
	x.unpromise(key)
	if !negative {
		me.gap, me.gapC = stride, d
	}
	switch {
	case d == 0:
		return x.v
	case key.form == 3:
		reset(v, ssa.OpPtrAdd, x.v, stride)
	case !negative:
		reset(v, ssa.OpAdd, x.v, stride)
	default:
		reset(v, ssa.OpSub, x.v, stride)
	}
	return v
}

// indexes reports whether v, a narrow sum that promises not to wrap, is widened.
func (s *reducer) indexes(v *ssa.Value) bool {
	return v.NoWrap && v.Type != ssa.I64 && slices.ContainsFunc(s.uses.Of(v), func(u analysis.Use) bool { return u.User != nil && u.User.Op == ssa.OpSExt })
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
