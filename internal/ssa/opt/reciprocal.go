package opt

import (
	"slices"

	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Divisions by reciprocals.
// Source: gpucc, section 3.6, for what is slow; the estimates are schoolbook
// division in base 2^32 with digits from a reciprocal that is never too large
// (Alverson, "Integer Division Using Reciprocals", 1991).
//
// ptxas expands a 64-bit division into a called function of about 85
// instructions, and a 32-bit one into 17: it begins with a float reciprocal,
// which is accurate to 20 bits, and refines it in 64-bit integers, with four
// products per step. A device that computes doubles at half the rate of floats
// has a shorter sequence, since one step in doubles gives 40 bits:
//
//	y  = double(d), rounded up           y >= d: cvt.rp
//	r0 = rcp.approx.ftz(y)               y*r0 = 1 + e0
//	e  = 1 - y*r0, rounded down          fma
//	r  = r0 + r0*e, rounded toward zero  fma
//
// Let a be the dividend and d the divisor, which is not 0. The approximation
// reads the upper 32 bits of y and returns as many, with a 20-bit mantissa (PTX
// ISA): an error of 2^-20 each; the proof only requires |e0| <= 2^-18. By the
// rounding directions, r*d <= r*y <= (1+e0)(1-e0) <= 1. The roundings together
// lose less than 2^-50, so r*d > 1 - 2^-35: r is too small by a relative error of
// at most 2^-35.
//
// The quotient is computed in two digits. A product with r is added to 2^52 +
// 2^51, where the last bit of a double counts 1: its low bits then are the
// integer, and the rounding of that fma is the rounding to an integer.
// Subtracted and rounded up, they give the negated digit, which the integer
// multiplication after it needs. With h, l the upper and lower half of a:
//
//	n1 = -floor(h*r)
//	s  = a + n1*d*2^32 = (h + n1*d):l
//	n2 = -floor(double(s)*r), with double(s) rounded toward zero: cvt.rz
//	t  = s + n2*d
//	q  = -(n1*2^32 + n2), remainder t; one more, and t-d, if t >= d
//
// h/d < 2^32 and the error of r reduce h*r by less than 2^-3: -n1 is floor(h/d)
// or one less, so 0 <= s < 2d*2^32, and s <= a fits. If n1 is not 0, d <= h fits
// in a word and so does n1*d: the lower half of s is that of a. s/d < 2^33, so
// the error of r and that of double(s), 2^-52, reduce it by less than 2^33 *
// 2^-34.9 < 1/3: -n2 is floor(s/d) or one less, in 33 bits, and 0 <= t < 2d. t
// may be computed in 64 bits, though 2d may not fit, since t <= a. Nothing above
// needs more than |e0| <= 2^-17.
//
// If both operands fit in 32 bits the reciprocal is made slightly too large,
// and no correction is needed: e = 1 + 2^-33 - y*r0. Then r*d = 1 + x with 0 <
// 2^-33(1+e0) - e0^2 - 2^-51 < x < 2^-32, and a*r exceeds a/d by a*x/d < 1/d,
// which never reaches the next integer.
//
//	udiv i32:  q = floor(a*r)
//
// Integers are converted to doubles by cvt, whose unit is otherwise idle, but whose
// latency is longer than that of the integer and floating-point units. Those would insert
// the word as the low bits of 2^52 + n and subtract 2^52. This second form is used for a
// 32-bit divisor that an iteration computes for the next one, a phi: its latency is on the
// critical path of the whole loop.
//
// Division by 0: r is NaN and n1, n2 are arbitrary, but n*d is 0 and so is the last
// subtrahend: the remainder is the dividend, as required. A select makes the quotient all
// ones, unless a branch, the range of the divisor or a promise (ssa.Op.MayPromise) says
// that the divisor is not 0. A signed division divides the magnitudes; the quotient gets
// the sign of both and the remainder that of the dividend.
//
// A 64-bit division tests at run time whether 32 bits suffice, as in the pass
// divide, unless its divisor is invariant in some loop: then y, r0, e and r
// are hoisted (licm-rotated), the rest is about as short as a 32-bit division,
// and branches would only prevent the hoisting. Only the second kind of 32-bit
// divisions is expanded. At most maxReciprocals divisions are expanded in a
// function.
//
// What it will not do: run for devices without fast doubles, whose rate is 1/32
// or 1/64 of that of floats; expand divisions by constants, or those of 8 and 16
// bits; expand 32-bit divisions by a divisor that varies in each iteration, which
// would save few instructions and cost many registers.
func divideByReciprocals(f *ssa.Func, r *pass.Run) {
	if !divides(f, false) {
		return
	}
	removeUnreachable(f)
	dom := analysis.Dominators(f)
	d := &reciprocals{
		divider: divider{inserter: inserter{f: f}, run: r, dom: dom, ranges: analysis.Ranges(f, dom), subst: newSubst(f)},
		kept:    make(map[*ssa.Value]bool),
	}
	for _, b := range f.Blocks {
		d.straight(b, false)
	}
	d.subst.apply(f)
	loops := analysis.FindLoops(f, dom)
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op.IsDivision() && v.Args[1].Op != ssa.OpConst && keeps(loops, b, v.Args[1]) {
				d.kept[v.Args[1]] = true
			}
		}
	}
	for _, b := range slices.Clone(f.Blocks) {
		d.begin = b
		for b != nil { // the rest of the block may have more divisions
			b = d.expand(b)
		}
	}
	d.subst.apply(f)
	r.Count("narrowed", d.narrowed)
	r.Count("expanded", d.expanded)
	r.Count("bypassed", d.bypassed)
}

const (
	maxReciprocals = 32
	// The maximum depth of an expression of invariant operands that is treated as
	// invariant.
	maxKeptDepth = 3
)

// The doubles that convert integers, by their upper words: with n as the lower
// word they are 2^52 + n, and 2^52 + 2^51 + n.
const (
	unitsWord  = 0x43300000
	signedWord = 0x43380000

	units = 1 << 52
	signs = 1<<52 + 1<<51

	// slightlyMore is 1 + 2^-33.
	slightlyMore = 1 + 1.0/(1<<33)
)

type reciprocals struct {
	divider
	kept map[*ssa.Value]bool // the divisors that are invariant in some loop

	expanded int
}

// keeps reports whether y is invariant in some loop around b.
func keeps(loops *analysis.Loops, b *ssa.Block, y *ssa.Value) bool {
	var invariant func(l *analysis.Loop, v *ssa.Value, depth int) bool
	invariant = func(l *analysis.Loop, v *ssa.Value, depth int) bool {
		if !loops.Contains(l, v.Block) {
			return true
		}
		return depth > 0 && v.Mergeable() && !slices.ContainsFunc(v.Args, func(a *ssa.Value) bool { return !invariant(l, a, depth-1) })
	}
	for l := loops.Of(b); l != nil; l = l.Parent {
		if invariant(l, y, maxKeptDepth) {
			return true
		}
	}
	return false
}

// expand replaces the first candidate division of b and returns the block in
// which the search continues, or nil.
func (d *reciprocals) expand(b *ssa.Block) *ssa.Block {
	for i, v := range b.Values {
		if !v.Op.IsDivision() || v.Args[1].Op == ssa.OpConst || v.Type != ssa.I64 && (v.Type != ssa.I32 || !d.kept[v.Args[1]]) {
			continue
		}
		if d.expanded >= maxReciprocals {
			d.run.Missed(v.Pos, "division is not expanded: the function has %d that are done by reciprocals", maxReciprocals)
			continue
		}
		d.expanded++
		group := takeGroup(b, i)
		if d.kept[v.Args[1]] {
			d.run.Applied(v.Pos, "division is done by a reciprocal in doubles, whose divisor is loop-invariant")
			d.inline(b, i, group)
			return b
		}
		d.bypassed++
		d.run.Applied(v.Pos, "64-bit division is done by reciprocals in doubles: one for when both operands fit in 32 bits at run time")
		return d.fork(b, i, group, func(x, y *ssa.Value) (q, r *ssa.Value) {
			return d.divide(group, x, y)
		}, func(x, y *ssa.Value) (q, r *ssa.Value) {
			return d.divide32(group, x, y)
		})
	}
	return nil
}

// inline replaces the divisions of group, the first of which is at index i of
// b, without a branch.
func (d *reciprocals) inline(b *ssa.Block, i int, group []*ssa.Value) {
	v := group[0]
	d.at, d.out = v, slices.Clone(b.Values[:i])
	q, r := d.divide(group, v.Args[0], v.Args[1])
	b.Values, d.out = append(d.out, b.Values[i+1:]...), nil
	for _, w := range group {
		if isQuotient(w) {
			d.subst.replace(w, q)
		} else {
			d.subst.replace(w, r)
		}
	}
}

// divide computes the quotient of x by y, and the remainder, as far as they are
// in group, for signed operands and for all y.
func (d *reciprocals) divide(group []*ssa.Value, x, y *ssa.Value) (q, r *ssa.Value) {
	t := x.Type
	signed := group[0].Op == ssa.OpSDiv || group[0].Op == ssa.OpSRem
	u, w := x, y
	if signed {
		u, w = d.make(ssa.OpAbs, t, x), d.make(ssa.OpAbs, t, y)
	}
	if t == ssa.I32 {
		q, r = d.divide32(group, u, w)
	} else {
		q, r = d.divide64(group, u, w)
	}
	if signed {
		last := int64(t.Bits() - 1)
		// (n ^ s) - s is n where s is 0 and -n where it is all ones.
		withSign := func(n, of *ssa.Value) *ssa.Value {
			s := d.make(ssa.OpAShr, t, of, d.int(ssa.I32, last))
			return d.make(ssa.OpSub, t, d.make(ssa.OpXor, t, n, s), s)
		}
		if q != nil {
			q = withSign(q, d.make(ssa.OpXor, t, x, y))
		}
		if r != nil {
			r = withSign(r, x)
		}
	}
	if q != nil && d.byZero(group) {
		q = d.make(ssa.OpSelect, t, d.make(ssa.OpEq, ssa.I1, y, d.int(t, 0)), d.int(t, -1), q)
	}
	return q, r
}

// divide64 is divide for unsigned 64-bit operands; for y = 0 the quotient is
// arbitrary.
func (d *reciprocals) divide64(group []*ssa.Value, x, y *ssa.Value) (q, r *ssa.Value) {
	den := d.native("cvt.rp.f64.u64", y)
	rec := d.native("rcp.approx.ftz.f64", den)
	rec = d.native("fma.rz.f64", rec, d.native("fma.rm.f64", d.negate(den), rec, d.double(1)), rec)

	xLow, xHigh := d.halves(x)
	digit := func(n *ssa.Value) *ssa.Value { // -floor(n*rec)
		return d.make(ssa.OpBitcast, ssa.I64, d.native("fma.rp.f64", d.negate(n), rec, d.double(signs)))
	}
	first := d.make(ssa.OpTrunc, ssa.I32, digit(d.native("cvt.rn.f64.u32", xHigh)))
	sHigh := d.make(ssa.OpAdd, ssa.I32, d.make(ssa.OpMul, ssa.I32, first, d.make(ssa.OpTrunc, ssa.I32, y)), xHigh)
	s := d.join(xLow, sHigh)
	low, high := d.halves(digit(d.native("cvt.rz.f64.u64", s)))
	high = d.make(ssa.OpAdd, ssa.I32, high, d.int(ssa.I32, -signedWord))

	t := d.make(ssa.OpAdd, ssa.I64, d.make(ssa.OpMul, ssa.I64, d.join(low, high), y), s)
	over := d.make(ssa.OpUGe, ssa.I1, t, y)
	if quotients(group) {
		negative := d.join(low, d.make(ssa.OpAdd, ssa.I32, high, first))
		q = d.make(ssa.OpSub, ssa.I64, d.make(ssa.OpZExt, ssa.I64, over), negative)
	}
	if len(group) == 2 || q == nil {
		r = d.make(ssa.OpSelect, ssa.I64, over, d.make(ssa.OpSub, ssa.I64, t, y), t)
	}
	return q, r
}

// divide32 is divide64 for 32 bits.
func (d *reciprocals) divide32(group []*ssa.Value, x, y *ssa.Value) (q, r *ssa.Value) {
	den := d.exact(y)
	rec := d.native("rcp.approx.ftz.f64", den)
	rec = d.native("fma.rn.f64", rec, d.native("fma.rn.f64", d.negate(den), rec, d.double(slightlyMore)), rec)
	num := d.native("cvt.rn.f64.u32", x)
	whole := func(sym string, n *ssa.Value, place float64) *ssa.Value {
		bits := d.make(ssa.OpBitcast, ssa.I64, d.native(sym, n, rec, d.double(place)))
		return d.make(ssa.OpTrunc, ssa.I32, bits)
	}
	if len(group) == 1 && quotients(group) {
		return whole("fma.rz.f64", num, units), nil
	}
	n := whole("fma.rp.f64", d.negate(num), signs)
	if quotients(group) {
		q = d.make(ssa.OpNeg, ssa.I32, n)
	}
	return q, d.make(ssa.OpAdd, ssa.I32, d.make(ssa.OpMul, ssa.I32, n, y), x)
}

// halves splits a 64-bit value into its two words.
func (d *reciprocals) halves(x *ssa.Value) (low, high *ssa.Value) {
	return d.make(ssa.OpTrunc, ssa.I32, x), d.make(ssa.OpTrunc, ssa.I32, d.make(ssa.OpLShr, ssa.I64, x, d.int(ssa.I32, 32)))
}

// join combines two words into a 64-bit value.
func (d *reciprocals) join(low, high *ssa.Value) *ssa.Value {
	up := d.make(ssa.OpShl, ssa.I64, d.make(ssa.OpZExt, ssa.I64, high), d.int(ssa.I32, 32))
	return d.make(ssa.OpOr, ssa.I64, d.make(ssa.OpZExt, ssa.I64, low), up)
}

// exact converts an unsigned 32-bit divisor to a double.
func (d *reciprocals) exact(y *ssa.Value) *ssa.Value {
	if y.Op == ssa.OpTrunc && y.Args[0].Op == ssa.OpPhi {
		placed := d.make(ssa.OpOr, ssa.I64, d.make(ssa.OpZExt, ssa.I64, y), d.int(ssa.I64, unitsWord<<32))
		return d.native("add.rn.f64", d.make(ssa.OpBitcast, ssa.F64, placed), d.double(-units))
	}
	return d.native("cvt.rn.f64.u32", y)
}

func (d *reciprocals) double(x float64) *ssa.Value {
	c := d.make(ssa.OpFConst, ssa.F64)
	c.Float = x
	return c
}

func (d *reciprocals) negate(x *ssa.Value) *ssa.Value { return d.make(ssa.OpFNeg, ssa.F64, x) }

func (d *reciprocals) native(sym string, args ...*ssa.Value) *ssa.Value {
	v := d.make(ssa.OpNative, ssa.F64, args...)
	v.Sym = ssa.Instruction(sym)
	return v
}
