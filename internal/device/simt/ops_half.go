package simt

import (
	"math"
	"strings"

	"irgl/internal/ptx"
)

// This file has the instructions on 16-bit floats. Values are computed in double, exactly or
// rounded to odd, and rounded once; those of a pair one after the other.

// A halfFormat is a 16-bit float with a sign, an exponent and mant bits of fraction.
type halfFormat struct {
	mant uint
	bias int
}

var (
	f16  = halfFormat{10, 15}
	bf16 = halfFormat{7, 127}
)

// halfNaN is the one NaN that instructions produce, of both formats.
const halfNaN = 0x7fff

// halfOf returns the format of t, and whether t is a pair; false if t is no such type.
func halfOf(t ptx.Type) (f halfFormat, pair, ok bool) {
	switch t {
	case "f16", "f16x2":
		return f16, t == "f16x2", true
	case "bf16", "bf16x2":
		return bf16, t == "bf16x2", true
	}
	return halfFormat{}, false, false
}

func isHalf(t ptx.Type) bool {
	_, _, ok := halfOf(t)
	return ok
}

// infinity returns the bits of positive infinity.
func (f halfFormat) infinity() uint16 { return 0x7fff >> f.mant << f.mant }

// decode returns the value of h.
func (f halfFormat) decode(h uint16) float64 {
	unit := uint16(1) << f.mant
	exp, frac := int(h&0x7fff>>f.mant), float64(h&(unit-1))
	var x float64
	switch {
	case h&0x7fff > f.infinity():
		return math.NaN()
	case h&0x7fff == f.infinity():
		x = math.Inf(1)
	case exp == 0:
		x = math.Ldexp(frac, 1-f.bias-int(f.mant))
	default:
		x = math.Ldexp(frac+float64(unit), exp-f.bias-int(f.mant))
	}
	if h>>15 != 0 {
		x = -x
	}
	return x
}

// encode rounds x, which is exact or rounded to odd.
func (f halfFormat) encode(x float64, mode string) uint16 {
	sign := uint16(0)
	if math.Signbit(x) {
		sign = 0x8000
	}
	switch {
	case x != x:
		return halfNaN
	case math.IsInf(x, 0):
		return sign | f.infinity()
	case x == 0:
		return sign
	}
	mag := math.Abs(x)
	_, exp := math.Frexp(mag)
	least := 1 - f.bias - int(f.mant) // exponent of the smallest subnormal
	place := max(exp-1-int(f.mant), least)
	q := math.Ldexp(mag, -place) // in units of the last place
	switch {
	case mode == "rn":
		q = math.RoundToEven(q)
	case mode == "rp" && sign == 0 || mode == "rm" && sign != 0:
		q = math.Ceil(q)
	default:
		q = math.Floor(q)
	}
	// The bits of a number are its units above those of the exponent: a carry is right.
	bits := uint64(q) + uint64(place-least)<<f.mant
	if bits >= uint64(f.infinity()) {
		if mode == "rz" || mode == "rp" && sign != 0 || mode == "rm" && sign == 0 {
			return sign | f.infinity() - 1
		}
		return sign | f.infinity()
	}
	return sign | uint16(bits)
}

// flush replaces a subnormal by zero of its sign.
func (f halfFormat) flush(h uint16) uint16 {
	if h&f.infinity() == 0 {
		return h & 0x8000
	}
	return h
}

// less orders the bits of two numbers that are not NaN; -0 is less than +0.
func halfLess(a, b uint16) bool {
	key := func(h uint16) uint16 {
		if h>>15 != 0 {
			return ^h
		}
		return h | 0x8000
	}
	return key(a) < key(b)
}

// pairwise applies g to the halves of values of type t.
func pairwise(pair bool, g func(a, b, c uint16) uint16) func(a, b, c uint64) uint64 {
	if !pair {
		return func(a, b, c uint64) uint64 { return uint64(g(uint16(a), uint16(b), uint16(c))) }
	}
	return func(a, b, c uint64) uint64 {
		return uint64(g(uint16(a), uint16(b), uint16(c))) | uint64(g(uint16(a>>16), uint16(b>>16), uint16(c>>16)))<<16
	}
}

// halfFinish returns what .ftz, .sat and .relu do to a result.
func halfFinish(f halfFormat, m mods) func(h uint16) uint16 {
	ftz, sat, relu := m.has("ftz"), m.has("sat"), m.has("relu")
	one := uint16(f.bias) << f.mant
	return func(h uint16) uint16 {
		isNaN := h&0x7fff > f.infinity()
		switch {
		case ftz && !isNaN:
			h = f.flush(h)
		case isNaN:
			h = halfNaN
		}
		switch {
		case sat && (isNaN || h>>15 != 0), relu && !isNaN && h>>15 != 0:
			return 0
		case sat && h > one:
			return one
		}
		return h
	}
}

// halfOp returns an instruction of up to three operands of one type.
func halfOp(op string, m mods) func(a, b, c uint64) uint64 {
	f, pair, _ := halfOf(m.t)
	ftz := m.has("ftz")
	in := func(h uint16) uint16 {
		if ftz {
			return f.flush(h)
		}
		return h
	}
	finish := halfFinish(f, m)
	var g func(a, b, c uint16) uint16
	switch op {
	case "add", "sub", "mul":
		exact := exactBinary(op)
		g = func(a, b, _ uint16) uint16 {
			return finish(f.encode(toOdd(exact(f.decode(a), f.decode(b))), "rn"))
		}
	case "fma":
		g = func(a, b, c uint16) uint16 {
			// The product is exact in double.
			return finish(f.encode(toOdd(sumError(f.decode(a)*f.decode(b), f.decode(c))), "rn"))
		}
	case "abs":
		g = func(a, _, _ uint16) uint16 { return a & 0x7fff }
	case "neg":
		g = func(a, _, _ uint16) uint16 { return a ^ 0x8000 }
	case "min", "max":
		g = f.minMax(op == "max", m.has("NaN"))
	case "ex2":
		g = func(a, _, _ uint16) uint16 { return finish(f.encode(math.Exp2(f.decode(a)), "rn")) }
	case "tanh":
		g = func(a, _, _ uint16) uint16 { return finish(f.encode(math.Tanh(f.decode(a)), "rn")) }
	}
	return pairwise(pair, func(a, b, c uint16) uint16 { return g(in(a), in(b), in(c)) })
}

// minMax returns min or max: a number wins over NaN, with .NaN NaN wins.
func (f halfFormat) minMax(isMax, keepNaN bool) func(a, b, _ uint16) uint16 {
	return func(a, b, _ uint16) uint16 {
		x, y := a&0x7fff > f.infinity(), b&0x7fff > f.infinity()
		switch {
		case x && y, keepNaN && (x || y):
			return halfNaN
		case x:
			return b
		case y:
			return a
		case halfLess(a, b) != isMax:
			return a
		}
		return b
	}
}

// halfCompare returns the comparison of two halves, as setp and set have it.
func halfCompare(f halfFormat, op string, ftz bool) func(a, b uint64) bool {
	compare := compareFloat(op, false, false)
	return func(a, b uint64) bool {
		x, y := uint16(a), uint16(b)
		if ftz {
			x, y = f.flush(x), f.flush(y)
		}
		return compare(math.Float64bits(f.decode(x)), math.Float64bits(f.decode(y)))
	}
}

// half decodes an instruction on 16-bit floats; false if s is another one.
func (fd *funcDecoder) half(s *ptx.Inst, m mods) bool {
	switch {
	case s.Op == "cvt" && (m.t == "f16x2" || m.t == "bf16x2"):
		f, _, _ := halfOf(m.t)
		mode, finish := rounding(m), halfFinish(f, m)
		fd.binary2(s, m.u, m.u, func(a, b uint64) uint64 {
			hi, lo := finish(f.encode(float64(f32of(a)), mode)), finish(f.encode(float64(f32of(b)), mode))
			return uint64(hi)<<16 | uint64(lo)
		})
		return true
	case s.Op == "set" && isHalf(m.u):
		fd.halfSet(s, m)
		return true
	case !isHalf(m.t):
		return false
	}
	switch s.Op {
	case "add", "sub", "mul", "min", "max":
		f := halfOp(s.Op, m)
		fd.binary(s, m.t, func(a, b uint64) uint64 { return f(a, b, 0) })
	case "fma":
		fd.ternary(s, m.t, m.t, m.t, halfOp(s.Op, m))
	case "abs", "neg", "ex2", "tanh":
		f := halfOp(s.Op, m)
		fd.unary(s, m.t, func(a uint64) uint64 { return f(a, 0, 0) })
	case "setp":
		fd.halfSetp(s, m)
	default:
		return false
	}
	return true
}

// halfSetp decodes setp, that of pairs as two instructions that each set a predicate.
func (fd *funcDecoder) halfSetp(s *ptx.Inst, m mods) {
	f, pair, _ := halfOf(m.t)
	fc := halfCompare(f, m.list[0], m.has("ftz"))
	dests, compares := []ptx.Operand{s.Args[0]}, []func(a, b uint64) bool{fc}
	if pair {
		dests = s.Args[0].List
		compares = append(compares, func(a, b uint64) bool { return fc(a>>16, b>>16) })
	}
	in := inst{run: runHalfSetp, d: none, e: none, fc: compares[0], fe: compares[len(compares)-1]}
	in.a, in.b = fd.value(&in.reads, s.Args[1], m.t), fd.value(&in.reads, s.Args[2], m.t)
	if len(s.Args) > 3 {
		in.c = fd.value(&in.reads, s.Args[3], "pred")
		in.logic = m.first("and", "or", "xor")[0]
	}
	for i, o := range dests {
		if d := fd.dest(&in.writes, o); i == 0 {
			in.d = d
		} else {
			in.e = d
		}
	}
	fd.emit(in)
}

// runHalfSetp sets the predicate d by fc, and e, if there is one, by fe.
func runHalfSetp(w *warp, in *inst, m uint32) {
	a, b := lanes(w.regs, in.a), lanes(w.regs, in.b)
	var t, u, c uint32
	for r := m; r != 0; r &= r - 1 {
		i := lowest(r)
		if in.fc(a[i], b[i]) {
			t |= 1 << i
		}
		if in.fe(a[i], b[i]) {
			u |= 1 << i
		}
	}
	if in.logic != 0 {
		c = uint32(w.regs[in.c])
		t, u = combine(in.logic, t, c), combine(in.logic, u, c)
	}
	w.regs[in.d] = uint64(uint32(w.regs[in.d])&^m | t&m)
	if in.e != none {
		w.regs[in.e] = uint64(uint32(w.regs[in.e])&^m | u&m)
	}
}

// halfSet decodes set. Of a pair each half is set to 1.0 or, in an integer, to all ones.
func (fd *funcDecoder) halfSet(s *ptx.Inst, m mods) {
	f, pair, _ := halfOf(m.u)
	yes := uint64(0xffff)
	switch {
	case isHalf(m.t):
		yes = uint64(f.bias) << f.mant
	case !pair:
		yes = typeMask(m.t)
	}
	fc, logic := halfCompare(f, m.list[0], m.has("ftz")), byte(0)
	if len(s.Args) > 3 {
		logic = m.first("and", "or", "xor")[0]
	}
	result := func(a, b uint64, p uint32) uint64 {
		var t uint32
		if fc(a, b) {
			t = 1
		}
		if combine(logic, t, p) != 0 {
			return yes
		}
		return 0
	}
	in := inst{run: runHalfSet, c: none}
	in.f3 = func(a, b, c uint64) uint64 {
		v := result(a, b, uint32(c))
		if pair {
			v |= result(a>>16, b>>16, uint32(c)) << 16
		}
		return v
	}
	in.a, in.b = fd.value(&in.reads, s.Args[1], m.u), fd.value(&in.reads, s.Args[2], m.u)
	if logic != 0 {
		in.c = fd.value(&in.reads, s.Args[3], "pred")
	}
	in.d = fd.dest(&in.writes, s.Args[0])
	fd.emit(in)
}

func runHalfSet(w *warp, in *inst, m uint32) {
	d, a, b := lanes(w.regs, in.d), lanes(w.regs, in.a), lanes(w.regs, in.b)
	var p uint32
	if in.c != none {
		p = uint32(w.regs[in.c])
	}
	for ; m != 0; m &= m - 1 {
		i := lowest(m)
		d[i] = in.f3(a[i], b[i], uint64(p>>i&1))
	}
}

// isFloat reports whether t is a floating-point type or a pair of one.
func isFloat(t ptx.Type) bool { return strings.HasPrefix(string(t), "f") || isHalf(t) }
