package opt

import (
	"cmp"
	"slices"

	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// A term is a summand of an address: a 64-bit value, the extension (ext) of a
// narrower one, or, with y, the product of two of them, which is exact where
// they are narrower; multiplied by scale.
type term struct {
	ext   ssa.Op // OpSExt, OpZExt, or OpInvalid for 64 bits
	x, y  *ssa.Value
	scale int64
	whole *ssa.Value // a product that computes x*y in their type, and promises not to wrap
}

// A linear is an offset as a sum of terms and a constant.
type linear struct {
	main []term // in the order of their numbers
	// strides are the products of a constant and a variable that distribution
	// yields: 2 * n for (i + 2) * n. Addresses that differ by strides are
	// neighbours.
	strides []term
	off     int64
	steps   int  // left of the search's budget
	shallow bool // a narrower sum without a constant operand is one term
	closed  bool // so is a value that is invariant in the innermost loop
	rows    bool // a constant times a variable is a stride, as n is in i + 3*n
}

const (
	maxTerms = 4
	// maxScale bounds factors, so that their products fit 64 bits.
	maxScale = 1 << 30
)

// A linearKey is what two neighbours share: their main terms.
type linearKey [maxTerms]struct {
	ext   ssa.Op
	x, y  int32
	scale int64
}

// linear returns v, an i64, as a sum; ok is false when it has too many terms
// or coefficients that are too large.
func (a *addresser) linear(v *ssa.Value, shallow bool) (*linear, bool) {
	l := &linear{steps: maxLinear, shallow: shallow}
	ok := a.wide(l, v, 1)
	if ok && !shallow && len(l.main) > maxTerms {
		l = &linear{steps: maxLinear, closed: true}
		ok = a.wide(l, v, 1)
	}
	if !ok || len(l.main) == 0 || len(l.main) > maxTerms || len(l.strides) > maxTerms || l.off != int64(int32(l.off)) {
		return nil, false
	}
	slices.SortStableFunc(l.main, byNumber)
	return l, true
}

// byNumber orders terms by the numbers of their values.
func byNumber(s, t term) int {
	return cmp.Or(cmp.Compare(s.x.ID, t.x.ID), cmp.Compare(id(s.y), id(t.y)))
}

func id(v *ssa.Value) int {
	if v == nil {
		return -1
	}
	return v.ID
}

func (l *linear) key() linearKey {
	var k linearKey
	for i, t := range l.main {
		k[i].ext, k[i].x, k[i].y, k[i].scale = t.ext, int32(t.x.ID)+1, int32(id(t.y))+1, t.scale
	}
	return k
}

// add adds a term to the list, or to an equal term there; it always succeeds.
func (l *linear) add(list *[]term, t term) bool {
	for i, s := range *list {
		if s.ext == t.ext && s.x == t.x && s.y == t.y {
			(*list)[i].scale += t.scale
			if (*list)[i].scale == 0 {
				*list = slices.Delete(*list, i, i+1)
			}
			return true
		}
	}
	*list = append(*list, t)
	return true
}

// times returns the product of two factors if it is not too large.
func times(x, y int64) (int64, bool) {
	if x <= -maxScale || x >= maxScale || y <= -maxScale || y >= maxScale {
		return 0, false
	}
	p := x * y
	return p, -maxScale < p && p < maxScale
}

// factor returns the constant that v, a product or shift, multiplies by.
func factor(v *ssa.Value) (int64, bool) {
	c, ok := constant(v.Args[1])
	if !ok || v.Op == ssa.OpMul {
		return c, ok
	}
	if c < 0 || c >= 30 || c >= int64(v.Type.Bits())-1 {
		return 0, false
	}
	return 1 << c, true
}

// opens reports whether l decomposes v.
func (a *addresser) opens(l *linear, v *ssa.Value) bool {
	l.steps--
	if l.steps < 0 || !l.closed {
		return l.steps >= 0
	}
	in := a.loops.Of(a.at.Block)
	return in == nil || a.level(v, 4) == in.Depth
}

// wide adds scale times v, an i64: 64-bit arithmetic wraps alike in both forms.
func (a *addresser) wide(l *linear, v *ssa.Value, scale int64) bool {
	if a.opens(l, v) {
		switch v.Op {
		case ssa.OpConst:
			p, ok := times(v.Int, scale)
			l.off += p
			return ok
		case ssa.OpAdd, ssa.OpSub:
			right := scale
			if v.Op == ssa.OpSub {
				right = -scale
			}
			return a.wide(l, v.Args[0], scale) && a.wide(l, v.Args[1], right)
		case ssa.OpMul, ssa.OpShl:
			if c, ok := factor(v); ok {
				p, ok := times(c, scale)
				return ok && a.wide(l, v.Args[0], p)
			}
			if v.Op == ssa.OpMul && !l.shallow {
				return a.wideProduct(l, v.Args[0], v.Args[1], scale)
			}
		case ssa.OpSExt:
			return a.exact(l, v.Args[0], scale)
		case ssa.OpZExt:
			x := v.Args[0]
			if inner, c, ok := withConstant(x, ssa.OpAdd); ok && a.safe(v.Op, x, inner, c) {
				p, ok := times(c, scale)
				l.off += p
				x = inner
				if !ok {
					return false
				}
			}
			return l.add(&l.main, term{ext: ssa.OpZExt, x: x, scale: scale})
		}
	}
	return l.add(&l.main, term{x: v, scale: scale})
}

// wideProduct adds scale times x*y, which are i64, and distributes the product
// over a sum in one of them.
func (a *addresser) wideProduct(l *linear, x, y *ssa.Value, scale int64) bool {
	if x.Op != ssa.OpAdd && x.Op != ssa.OpSub {
		x, y = y, x
	}
	if x.Op != ssa.OpAdd && x.Op != ssa.OpSub || !a.opens(l, x) {
		if x.ID > y.ID {
			x, y = y, x
		}
		return l.add(&l.main, term{x: x, y: y, scale: scale})
	}
	for i, part := range x.Args {
		s := scale
		if i == 1 && x.Op == ssa.OpSub {
			s = -scale
		}
		if c, ok := constant(part); ok {
			if s, ok = times(c, s); !ok || !l.add(&l.strides, term{x: y, scale: s}) {
				return false
			}
		} else if !a.wideProduct(l, part, y, s) {
			return false
		}
	}
	return true
}

// exact adds scale times v, a narrower integer, as its sign-extended value. It
// decomposes a sum or product only if that does not wrap.
func (a *addresser) exact(l *linear, v *ssa.Value, scale int64) bool {
	if a.opens(l, v) && len(v.Args) == 2 {
		left, right := v.Args[0], v.Args[1]
		switch {
		case v.Op == ssa.OpAdd && right.Op == ssa.OpConst && (v.NoWrap || a.safe(ssa.OpSExt, v, left, right.Int)):
			p, ok := times(right.Int, scale)
			l.off += p
			return ok && a.exact(l, left, scale)
		case !v.NoWrap, l.shallow && right.Op != ssa.OpConst:
		case v.Op == ssa.OpAdd:
			return a.exact(l, left, scale) && a.exact(l, right, scale)
		case v.Op == ssa.OpSub:
			return a.exact(l, left, scale) && a.exact(l, right, -scale)
		case right.Op == ssa.OpConst && (v.Op == ssa.OpMul || v.Op == ssa.OpShl):
			if c, ok := factor(v); ok {
				p, ok := times(c, scale)
				if l.rows {
					return ok && l.add(&l.strides, term{ext: ssa.OpSExt, x: left, scale: p})
				}
				return ok && a.exact(l, left, p)
			}
		case v.Op == ssa.OpMul:
			return a.product(l, v, scale)
		}
	}
	return l.add(&l.main, term{ext: ssa.OpSExt, x: v, scale: scale})
}

// product adds scale times v, a product that does not wrap. It distributes over a constant
// in one of its factors.
func (a *addresser) product(l *linear, v *ssa.Value, scale int64) bool {
	x, y, whole := v.Args[0], v.Args[1], v
	for range 2 {
		if inner, c, ok := withConstant(x, ssa.OpAdd); ok && (x.NoWrap || a.safe(ssa.OpSExt, x, inner, c)) {
			p, ok := times(c, scale)
			if !ok || !l.add(&l.strides, term{ext: ssa.OpSExt, x: y, scale: p}) {
				return false
			}
			x, whole = inner, nil
			break
		}
		x, y = y, x
	}
	if x.ID > y.ID {
		x, y = y, x
	}
	if whole == nil {
		a.distributed[[2]int{x.ID, y.ID}] = true
	}
	return l.add(&l.main, term{ssa.OpSExt, x, y, scale, whole})
}

// level returns the depth of the loop, around the current address, in which v
// varies; 0 for none.
func (a *addresser) level(v *ssa.Value, steps int) int {
	l := a.loops.Of(v.Block)
	for l != nil && !a.loops.Contains(l, a.at.Block) {
		l = l.Parent
	}
	if l == nil || steps == 0 || !v.Mergeable() {
		if l == nil {
			return 0
		}
		return l.Depth
	}
	d := 0
	for _, x := range v.Args {
		d = max(d, a.level(x, steps-1))
	}
	return min(d, l.Depth)
}

func (a *addresser) levelOf(t term) int {
	d := a.level(t.x, 4)
	if t.y != nil {
		d = max(d, a.level(t.y, 4))
	}
	return d
}

// A neighbour is an address of a key.
type neighbour struct {
	block     *ssa.Block
	displaced bool // it differs from its main terms by a constant or stride
	deep      bool // some of that is nested in a narrower sum
}

// maxNeighbours bounds the search for another address of a key.
const maxNeighbours = 16

// neighbours records the terms of all addresses of the function.
func (a *addresser) neighbours(order []*ssa.Block) {
	for _, b := range order {
		for _, v := range b.Values {
			if v.Op == ssa.OpLoad || v.Op == ssa.OpStore {
				p := v.Args[0]
				for p.Op == ssa.OpPtrAdd && p.Args[1].Op == ssa.OpConst {
					p = p.Args[0]
				}
				if a.used[p] == nil {
					a.used[p] = b
				}
			}
			if v.Op != ssa.OpPtrAdd || v.Args[1].Op == ssa.OpConst {
				continue
			}
			a.at = v
			if full, top, ok := a.split(v.Args[1]); ok {
				k := full.key()
				a.near[k] = append(a.near[k], neighbour{b, full.displaced(), full.deeper(top)})
				a.noteRow(full)
			}
		}
	}
}

// split returns v, an i64, as two sums: fully decomposed, and decomposed only
// where that costs nothing: 64-bit sums, and the outermost constants of narrower
// ones.
func (a *addresser) split(v *ssa.Value) (full, top *linear, ok bool) {
	full, ok = a.linear(v, false)
	if ok {
		top, ok = a.linear(v, true)
	}
	return full, top, ok
}

func (l *linear) displaced() bool { return l.off != 0 || len(l.strides) > 0 }

func (l *linear) deeper(top *linear) bool { return l.off != top.off || len(l.strides) > 0 }

// better returns the sum from which the current address is best built, or nil
// when it stays. Outermost constants are moved out at no cost. For the rest,
// another address must have the same terms, or some terms must be invariant in
// the loop.
func (a *addresser) better(full, top *linear) *linear {
	others, reach, deep := 0, false, false
	for i, n := range a.near[full.key()] {
		if i == maxNeighbours {
			break
		}
		if a.dom.Dominates(n.block, a.at.Block) || a.dom.Dominates(a.at.Block, n.block) {
			others++
			reach = reach || n.displaced
			deep = deep || n.deep
		}
	}
	switch {
	case others > 1 && deep, a.leavesLoop(full):
		return full
	}
	if l := a.inRows(full); l != nil {
		return l
	}
	switch {
	case top.off != 0, others > 1 && reach:
		return top
	}
	return nil
}

// leavesLoop reports whether exactly one of several terms varies in the
// innermost loop, so that the sum of the others and the pointer can be hoisted.
func (a *addresser) leavesLoop(l *linear) bool {
	deepest, changing := 0, 0
	for _, t := range l.main {
		deepest = max(deepest, a.levelOf(t))
	}
	for _, t := range l.main {
		if a.levelOf(t) == deepest {
			changing++
			if t.y != nil && t.ext != ssa.OpInvalid {
				return false
			}
		}
	}
	return changing == 1 && len(l.main) > 1 && len(l.strides) == 0 && a.level(a.at.Args[0], 4) < deepest
}

// A plainOffset is an offset that was not rewritten, and a block that accesses
// memory through it.
type plainOffset struct {
	off  *ssa.Value
	used *ssa.Block
}

// stays reports whether the current address, whose terms are l, is not rewritten
// because its neighbours reuse its offset: a narrow sum of all terms, widened.
func (a *addresser) stays(l *linear) bool {
	off := a.at.Args[1]
	if off.Op == ssa.OpShl || off.Op == ssa.OpMul && off.Args[1].Op == ssa.OpConst {
		off = off.Args[0]
	}
	used := a.used[a.at]
	if l.displaced() || len(l.main) < 2 || off.Op != ssa.OpSExt || used == nil {
		return false
	}
	for _, t := range l.main {
		if a.levelOf(t) != a.levelOf(l.main[0]) {
			return false
		}
	}
	if a.plain[l.key()].off == nil {
		a.plain[l.key()] = plainOffset{a.at.Args[1], used}
	}
	return true
}

// build builds the current address from l: first the terms that vary in the
// fewest loops, then the strides and the constant.
func (a *addresser) build(l *linear) {
	v := a.at
	base := v.Args[0]
	var last *ssa.Value // an offset not added yet
	step := func(off *ssa.Value) {
		if last != nil {
			base = a.make(ssa.OpPtrAdd, v.Type, base, last)
		}
		last = off
	}
	rest := slices.Clone(l.main)
	if p := a.plain[l.key()]; p.off != nil && a.dom.Dominates(p.used, v.Block) {
		step(p.off)
		rest = nil
	}
	slices.SortStableFunc(rest, func(s, t term) int { return cmp.Compare(a.levelOf(s), a.levelOf(t)) })
	for len(rest) > 0 {
		n := 1
		for n < len(rest) && a.levelOf(rest[n]) == a.levelOf(rest[0]) && rest[n].scale == rest[0].scale {
			n++
		}
		sum := a.value(rest[0])
		for _, t := range rest[1:n] {
			sum = a.make(ssa.OpAdd, ssa.I64, sum, a.value(t))
		}
		step(a.scale(sum, rest[0].scale))
		rest = rest[n:]
	}
	if l.rows {
		base, last = a.start(l, v.Args[0], func() *ssa.Value { return a.make(ssa.OpPtrAdd, v.Type, base, last) }), nil
	}
	for _, t := range l.strides {
		step(a.scale(a.value(t), t.scale))
	}
	if l.off != 0 {
		step(a.int(ssa.I64, l.off))
	}
	reset(v, ssa.OpPtrAdd, base, last)
}

// value computes a term without its scale.
func (a *addresser) value(t term) *ssa.Value {
	switch {
	case t.ext == ssa.OpInvalid && t.y != nil:
		return a.make(ssa.OpMul, ssa.I64, t.x, t.y)
	case t.ext == ssa.OpInvalid:
		return t.x
	case t.y == nil:
		return a.make(t.ext, ssa.I64, t.x)
	case t.whole != nil && !a.distributed[[2]int{t.x.ID, t.y.ID}]:
		return a.make(t.ext, ssa.I64, t.whole)
	}
	return a.make(ssa.OpMul, ssa.I64, a.make(t.ext, ssa.I64, t.x), a.make(t.ext, ssa.I64, t.y))
}

// safe reports whether the extension of x, which is inner + c in its own type,
// equals the extension of inner, plus c.
func (a *addresser) safe(op ssa.Op, x, inner *ssa.Value, c int64) bool {
	r := a.ranges.At(inner, a.at.Block)
	full := analysis.FullRange(x.Type)
	if c != int64(int32(c)) || x.Type == ssa.I64 {
		return false
	}
	moved := analysis.Range{Lo: r.Lo + c, Hi: r.Hi + c}
	if op == ssa.OpZExt {
		// Zero extension: neither the sum nor inner may be negative.
		return r.Lo >= 0 && moved.Lo >= 0 && moved.Within(full)
	}
	return moved.Within(full)
}
