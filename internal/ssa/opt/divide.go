package opt

import (
	"math/big"
	"slices"

	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Cheaper divisions.
// Source: gpucc, section 3.6, for the bypass; Granlund and Montgomery,
// "Division by Invariant Integers using Multiplication" (1994), for constants.
//
// The hardware has no integer divider: a 32-bit division takes about 20
// instructions and a 64-bit one about 70. Three rules, tried in this order:
//
// A division whose operands are known to fit is done in fewer bits, and one of
// two non-negative operands is done unsigned, which is cheaper.
//
//	v2 = udiv i64 v0, v1     both below 2^32: zext i64 (udiv i32 ...)
//
// A division by a constant becomes a multiplication that keeps the upper half,
// and shifts; a signed one by a power of two becomes shifts, after adding the
// bias to the dividend that rounding toward zero requires. A remainder is the
// dividend minus quotient times divisor.
//
//	v1 = sdiv i32 v0, 4      v1 = ashr i32 (add v0, (lshr (ashr v0, 31), 30)), 2
//
// Any other 64-bit division tests at run time whether both operands are below
// 2^32, and if so is done in 32 bits. A quotient and a remainder of the same
// operands in one block share the test and the division: the remainder is the
// dividend minus quotient times divisor.
//
//	if trunc((v0 | v1) >> 32) != 0 or v1 == 0     the division as it was
//	else                                          udiv i32 of the low halves
//
// The second test is needed for quotients only: division by 0 gives all ones,
// of 32 or of 64 bits, while the remainder is the dividend in both. It is
// omitted where a dominating branch has made it, or where the divisor is
// promised not to be 0 (ssa.Op.MayPromise), as in C.
//
// The test costs three instructions and a branch; in code whose 64-bit
// operands are indices it always succeeds. At most maxBypasses are inserted in
// a function, since each expands to about 80 instructions. The block is split
// at the division and the rest of it moves to a new block unchanged: nothing
// is cloned, and only the division itself becomes conditional.
//
// What it will not do: narrow divisions of 8 and 16 bits, which are done in 32
// bits anyway; bypass a division by a constant.
func divide(f *ssa.Func, r *pass.Run) {
	if !divides(f, true) {
		return
	}
	removeUnreachable(f)
	dom := analysis.Dominators(f)
	d := &divider{inserter: inserter{f: f}, run: r, dom: dom, ranges: analysis.Ranges(f, dom), subst: newSubst(f)}
	for _, b := range f.Blocks {
		d.straight(b, true)
	}
	d.subst.apply(f)
	for _, b := range slices.Clone(f.Blocks) {
		d.begin = b
		for b != nil { // the rest of the block may have more divisions
			b = d.bypass(b)
		}
	}
	r.Count("narrowed", d.narrowed)
	r.Count("constants", d.constants)
	r.Count("bypassed", d.bypassed)
}

const maxBypasses = 32

type divider struct {
	inserter
	run    *pass.Run
	dom    *analysis.DomTree // of the function before the pass
	ranges *analysis.RangeInfo
	subst  *subst
	begin  *ssa.Block // the first block of those that the current block is split into

	narrowed, constants, bypassed int
}

// divides reports whether f has a division; those by constants count only if
// constants is set.
func divides(f *ssa.Func, constants bool) bool {
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op.IsDivision() && (constants || v.Args[1].Op != ssa.OpConst) {
				return true
			}
		}
	}
	return false
}

// straight replaces the divisions of b that need no branch; those by constants
// only if constants is set.
func (d *divider) straight(b *ssa.Block, constants bool) {
	d.out = d.out[:0]
	for _, v := range b.Values {
		if !v.Op.IsDivision() || v.Type.Bits() < 32 || !constants && v.Args[1].Op == ssa.OpConst {
			d.out = append(d.out, v)
			continue
		}
		d.at = v
		d.unsign(b, v)
		by := d.byConstant(v)
		if by == nil {
			by = d.narrow(b, v)
		}
		if by == nil {
			d.out = append(d.out, v)
		} else {
			d.subst.replace(v, by)
		}
	}
	setValues(b, d.out)
}

// unsign makes a signed division of non-negative operands unsigned.
func (d *divider) unsign(b *ssa.Block, v *ssa.Value) {
	if v.Op != ssa.OpSDiv && v.Op != ssa.OpSRem {
		return
	}
	x, y := d.ranges.At(v.Args[0], b), d.ranges.At(v.Args[1], b)
	if x.NonNegative() && y.NonNegative() {
		v.Op = v.Op.Unsigned()
		d.narrowed++
	}
}

// narrow does a 64-bit division in 32 bits where the operands fit.
func (d *divider) narrow(b *ssa.Block, v *ssa.Value) *ssa.Value {
	x, y := d.ranges.At(v.Args[0], b), d.ranges.At(v.Args[1], b)
	fits := analysis.Range{Lo: 0, Hi: 1<<32 - 1}
	// By zero, the 64-bit result is 64 ones, so the divisor must be known not to be zero, by
	// its range or by promise.
	if v.Type != ssa.I64 || v.Op != ssa.OpUDiv && v.Op != ssa.OpURem || !x.Within(fits) || !y.Within(fits) || y.Lo == 0 && !v.NoWrap {
		return nil
	}
	d.narrowed++
	d.run.Applied(v.Pos, "64-bit division is done in 32 bits: its operands fit")
	low := d.make(v.Op, ssa.I32, d.make(ssa.OpTrunc, ssa.I32, v.Args[0]), d.make(ssa.OpTrunc, ssa.I32, v.Args[1]))
	return d.make(ssa.OpZExt, ssa.I64, low)
}

// byConstant returns the replacement of a division by a constant other than 0,
// 1 and -1, which constfold handles.
func (d *divider) byConstant(v *ssa.Value) *ssa.Value {
	c, ok := constant(v.Args[1])
	if !ok || c == 0 || c == 1 || c == -1 {
		return nil
	}
	x, t := v.Args[0], v.Type
	unsigned := v.Op == ssa.OpUDiv || v.Op == ssa.OpURem
	k, isPower := powerOfTwo(t, c)
	if unsigned && isPower {
		return nil // left to constfold
	}
	d.constants++
	if t == ssa.I64 {
		d.run.Applied(v.Pos, "64-bit division by the constant %d is a multiplication or shifts", c)
	}
	var q *ssa.Value
	switch {
	case unsigned:
		q = d.unsigned(x, ssa.ZeroExtend(t, c))
	case isPower && c > 0:
		// Minus one less than the divisor is added to a negative dividend.
		sign := d.make(ssa.OpAShr, t, x, d.int(ssa.I32, int64(t.Bits()-1)))
		up := d.make(ssa.OpLShr, t, sign, d.int(ssa.I32, int64(t.Bits())-k))
		q = d.make(ssa.OpAShr, t, d.make(ssa.OpAdd, t, x, up), d.int(ssa.I32, k))
	default:
		q = d.signed(x, c)
	}
	if v.Op == ssa.OpUDiv || v.Op == ssa.OpSDiv {
		return q
	}
	return d.make(ssa.OpSub, t, x, d.make(ssa.OpMul, t, q, d.int(t, c)))
}

// unsigned returns x / c. With m = ceil(2^(w+l) / c), where l is the number of
// bits of c-1, the quotient is x*m >> (w+l); m has w+1 bits, and if it is not
// even its upper bit is added separately.
func (d *divider) unsigned(x *ssa.Value, c uint64) *ssa.Value {
	t := x.Type
	w := t.Bits()
	l := new(big.Int).SetUint64(c - 1).BitLen()
	divisor := new(big.Int).SetUint64(c)
	m := ceilDiv(new(big.Int).Lsh(big.NewInt(1), uint(w+l)), divisor)
	// A multiplier of w bits suffices if it is exact enough: m' = ceil(2^(w+k)/c)
	// with m'*c - 2^(w+k) at most 2^k.
	for k := range l + 1 {
		power := new(big.Int).Lsh(big.NewInt(1), uint(w+k))
		short := ceilDiv(power, divisor)
		excess := new(big.Int).Sub(new(big.Int).Mul(short, divisor), power)
		if short.BitLen() <= w && excess.Cmp(new(big.Int).Lsh(big.NewInt(1), uint(k))) <= 0 {
			hi := d.make(ssa.OpMulHiU, t, x, d.int(t, int64(short.Uint64())))
			return d.shift(ssa.OpLShr, hi, k)
		}
	}
	low := new(big.Int).Sub(m, new(big.Int).Lsh(big.NewInt(1), uint(w))) // m without its upper bit
	hi := d.make(ssa.OpMulHiU, t, x, d.int(t, int64(low.Uint64())))
	// (x + hi) >> l without the carry: ((x-hi)>>1 + hi) >> (l-1).
	half := d.shift(ssa.OpLShr, d.make(ssa.OpSub, t, x, hi), 1)
	return d.shift(ssa.OpLShr, d.make(ssa.OpAdd, t, half, hi), l-1)
}

// signed returns x / c, rounded toward zero: the upper half of x*m, shifted
// by the smallest amount for which the multiplier is exact enough, plus one
// when that is negative.
func (d *divider) signed(x *ssa.Value, c int64) *ssa.Value {
	t := x.Type
	w := t.Bits()
	divisor := new(big.Int).Abs(big.NewInt(c))
	var m *big.Int
	s := 0
	for ; ; s++ {
		power := new(big.Int).Lsh(big.NewInt(1), uint(w+s))
		m = new(big.Int).Add(new(big.Int).Quo(power, divisor), big.NewInt(1))
		excess := new(big.Int).Sub(new(big.Int).Mul(m, divisor), power)
		if excess.Cmp(new(big.Int).Lsh(big.NewInt(1), uint(s+1))) <= 0 {
			break
		}
	}
	n := ssa.SignExtend(t, int64(m.Uint64()))
	q := d.make(ssa.OpMulHiS, t, x, d.int(t, n))
	if n < 0 { // the multiplier is n + 2^w
		q = d.make(ssa.OpAdd, t, q, x)
	}
	q = d.shift(ssa.OpAShr, q, s)
	sign := d.make(ssa.OpLShr, t, x, d.int(ssa.I32, int64(w-1)))
	q = d.make(ssa.OpAdd, t, q, sign)
	if c < 0 {
		q = d.make(ssa.OpNeg, t, q)
	}
	return q
}

func (d *divider) shift(op ssa.Op, x *ssa.Value, n int) *ssa.Value {
	if n == 0 {
		return x
	}
	return d.make(op, x.Type, x, d.int(ssa.I32, int64(n)))
}

func ceilDiv(x, y *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(x, y, new(big.Int))
	if r.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return q
}

// bypass splits b at its first 64-bit division by a value that is not constant and
// returns the block with the rest of it, or nil.
func (d *divider) bypass(b *ssa.Block) *ssa.Block {
	for i, v := range b.Values {
		if !v.Op.IsDivision() || v.Type != ssa.I64 || v.Args[1].Op == ssa.OpConst {
			continue
		}
		if d.bypassed >= maxBypasses {
			d.run.Missed(v.Pos, "64-bit division is not bypassed: the function has %d that are", maxBypasses)
			continue
		}
		d.run.Applied(v.Pos, "64-bit division is bypassed: it is done in 32 bits if both operands fit at run time")
		group := takeGroup(b, i)
		d.bypassed++
		return d.branch(b, i, group)
	}
	return nil
}

// takeGroup returns b's division at index i and, removed from the block, a
// later division of the same operands, if there is one: the quotient or the
// remainder.
func takeGroup(b *ssa.Block, i int) []*ssa.Value {
	v := b.Values[i]
	group := []*ssa.Value{v}
	other := v.Op.OtherDivision()
	kept := b.Values[i+1 : i+1]
	for _, w := range b.Values[i+1:] {
		if w.Op == other && len(group) == 1 && w.Args[0] == v.Args[0] && w.Args[1] == v.Args[1] {
			group = append(group, w)
		} else {
			kept = append(kept, w)
		}
	}
	clear(b.Values[i+1+len(kept):])
	b.Values = b.Values[:i+1+len(kept)]
	return group
}

// branch replaces the divisions of group, the first of which is at index i of
// b, by a slow and a fast path and phis in the block returned.
func (d *divider) branch(b *ssa.Block, i int, group []*ssa.Value) *ssa.Block {
	v := group[0]
	return d.fork(b, i, group, func(x, y *ssa.Value) (q, r *ssa.Value) {
		return d.pair(group, x, y, v.Op == ssa.OpSDiv || v.Op == ssa.OpSRem)
	}, func(x, y *ssa.Value) (q, r *ssa.Value) { return d.pair(group, x, y, false) })
}

// pair computes the divisions of group of x by y. A remainder that is computed
// with the quotient is the dividend minus quotient times divisor: ptxas merges
// two divisions into one in 32 bits, but not in 64.
func (d *divider) pair(group []*ssa.Value, x, y *ssa.Value, signed bool) (q, r *ssa.Value) {
	div, rem := ssa.OpUDiv, ssa.OpURem
	if signed {
		div, rem = ssa.OpSDiv, ssa.OpSRem
	}
	if !quotients(group) {
		return nil, d.make(rem, x.Type, x, y)
	}
	q = d.make(div, x.Type, x, y)
	if len(group) == 2 {
		r = d.make(ssa.OpSub, x.Type, x, d.make(ssa.OpMul, x.Type, q, y))
	}
	return q, r
}

// quotients reports whether a quotient is among the divisions of group.
func quotients(group []*ssa.Value) bool { return slices.ContainsFunc(group, isQuotient) }

func isQuotient(v *ssa.Value) bool { return v.Op.IsQuotient() }

// fork replaces the divisions of group, the first of which is at index i of b,
// by what full builds from their operands and what short builds from their
// lower halves, which is executed when the upper halves are 0, and by phis in
// the block returned.
func (d *divider) fork(b *ssa.Block, i int, group []*ssa.Value, full, short func(x, y *ssa.Value) (q, r *ssa.Value)) *ssa.Block {
	f, v := d.f, group[0]
	b.Values = slices.Delete(b.Values, i, i+1)
	rest := splitBlock(b, i)
	x, y := v.Args[0], v.Args[1]
	d.at = v
	fill := func(to *ssa.Block, make func()) {
		d.out = nil
		make()
		for _, w := range d.out {
			w.Block = to
		}
		to.Values = append(to.Values, d.out...)
	}
	fill(b, func() {
		high := d.make(ssa.OpLShr, ssa.I64, d.make(ssa.OpOr, ssa.I64, x, y), d.int(ssa.I32, 32))
		b.Ctrl = d.make(ssa.OpNe, ssa.I1, d.make(ssa.OpTrunc, ssa.I32, high), d.int(ssa.I32, 0))
		if d.byZero(group) {
			b.Ctrl = d.make(ssa.OpOr, ssa.I1, b.Ctrl, d.make(ssa.OpEq, ssa.I1, y, d.int(ssa.I64, 0)))
		}
	})
	b.Kind = ssa.BlockIf
	fast, slow := f.NewBlock(ssa.BlockJump), f.NewBlock(ssa.BlockJump)
	b.AddEdge(slow) // in this order the second block falls through to the rest
	b.AddEdge(fast)
	slow.AddEdge(rest)
	fast.AddEdge(rest)
	var quick, whole [2]*ssa.Value
	fill(fast, func() {
		quick[0], quick[1] = short(d.make(ssa.OpTrunc, ssa.I32, x), d.make(ssa.OpTrunc, ssa.I32, y))
		for k, w := range quick {
			if w != nil {
				quick[k] = d.make(ssa.OpZExt, ssa.I64, w)
			}
		}
	})
	fill(slow, func() { whole[0], whole[1] = full(x, y) })
	for _, w := range group {
		k := 1
		if isQuotient(w) {
			k = 0
		}
		// The division's own value becomes the phi, so its uses stay valid.
		reset(w, ssa.OpPhi, whole[k], quick[k])
		w.Block = rest
	}
	rest.Values = append(slices.Clone(group), rest.Values...)
	return rest
}

// byZero reports whether group has a quotient whose divisor may be 0 and that
// does not promise otherwise.
func (d *divider) byZero(group []*ssa.Value) bool {
	i := slices.IndexFunc(group, isQuotient)
	return i >= 0 && !group[i].NoWrap && d.mayBeZero(group[i].Args[1])
}

// mayBeZero reports whether the divisor y may be 0 at the start of the current
// block: by zero, the 32-bit quotient differs from the 64-bit one.
func (d *divider) mayBeZero(y *ssa.Value) bool {
	if x := d.ranges.At(y, d.begin); x.Lo > 0 {
		return false
	}
	// A branch on the only path that leads to this block.
	for b := d.begin; d.dom.Idom(b) != nil; b = d.dom.Idom(b) {
		from := d.dom.Idom(b)
		if len(b.Preds) != 1 || from.Kind != ssa.BlockIf || from.Succs[0] == from.Succs[1] {
			continue
		}
		if c := from.Ctrl; len(c.Args) == 2 && c.Args[0] == y && isConst(c.Args[1], 0) {
			if holds := from.Succs[0] == b; holds && c.Op == ssa.OpNe || !holds && c.Op == ssa.OpEq || holds && c.Op == ssa.OpSGt {
				return false
			}
		}
	}
	return true
}
