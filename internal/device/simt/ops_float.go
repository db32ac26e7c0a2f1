package simt

import (
	"math"

	"irgl/internal/ptx"
)

const nan32 = 0x7fffffff // the one NaN that f32 instructions produce

func f32of(v uint64) float32 { return math.Float32frombits(uint32(v)) }
func f64of(v uint64) float64 { return math.Float64frombits(v) }

// bits32 returns the bits of a result; every NaN becomes the canonical one.
func bits32(f float32) uint64 {
	if f != f {
		return nan32
	}
	return uint64(math.Float32bits(f))
}

// flush replaces a subnormal by zero of its sign.
func flush(v uint64) uint64 {
	if v&0x7f800000 == 0 {
		return v & 0x80000000
	}
	return v
}

// clamp01 is .sat: results lie in [0, 1], NaN becomes 0.
func clamp01(v uint64) uint64 {
	f := f32of(v)
	switch {
	case !(f > 0):
		return 0
	case f > 1:
		return 0x3f800000
	}
	return v
}

// finish32 wraps an f32 operation's result in its .ftz and .sat.
func finish32(m mods) func(uint64) uint64 {
	ftz, sat := m.has("ftz"), m.has("sat")
	return func(v uint64) uint64 {
		if ftz {
			v = flush(v)
		}
		if sat {
			v = clamp01(v)
		}
		return v
	}
}

// rounding returns the rounding mode of an instruction, "rn" by default.
func rounding(m mods) string {
	if r := m.first("rn", "rz", "rm", "rp"); r != "" {
		return r
	}
	return "rn"
}

// toOdd turns the double r, the nearest to an exact value that lies on its
// side err (sign of exact minus r), into that value rounded to odd: rounding
// it again to fewer bits is then exact in every mode.
func toOdd(r, err float64) float64 {
	if err == 0 || math.IsNaN(err) || math.IsInf(r, 0) || math.IsNaN(r) {
		return r
	}
	b := math.Float64bits(r)
	if b&1 != 0 {
		return r
	}
	// The exact value lies between r and a neighbour with an odd last bit.
	if (err > 0) == (r > 0) || r == 0 {
		if r == 0 {
			return math.Copysign(math.SmallestNonzeroFloat64, err)
		}
		return math.Float64frombits(b + 1)
	}
	return math.Float64frombits(b - 1)
}

// sumError returns a+b in double and the sign of what rounding lost.
func sumError(a, b float64) (sum, err float64) {
	s := a + b
	bb := s - a
	return s, (a - (s - bb)) + (b - bb)
}

// round32 rounds a double, exact or rounded to odd, to f32.
func round32(x float64, mode string) float32 {
	f := float32(x)
	y := float64(f)
	if mode == "rn" || y == x || x != x {
		return f
	}
	toward := func(up bool) float32 {
		if up {
			if y < x {
				return math.Nextafter32(f, float32(math.Inf(1)))
			}
			return f
		}
		if y > x {
			return math.Nextafter32(f, float32(math.Inf(-1)))
		}
		return f
	}
	switch mode {
	case "rp":
		return toward(true)
	case "rm":
		return toward(false)
	}
	return toward(x < 0) // rz
}

// round64 corrects the nearest double r of an exact value that lies on side
// err of it to another rounding mode.
func round64(r, err float64, mode string) float64 {
	if mode == "rn" || err == 0 || err != err || r != r {
		return r
	}
	up := mode == "rp" || mode == "rz" && (r < 0 || r == 0 && err < 0)
	switch {
	case up && err > 0:
		return math.Nextafter(r, math.Inf(1))
	case !up && err < 0:
		return math.Nextafter(r, math.Inf(-1))
	}
	return r
}

// floatBinary returns an f32 or f64 operation.
func floatBinary(op string, m mods) func(a, b uint64) uint64 {
	if op == "min" || op == "max" {
		return floatMinMax(op, m)
	}
	mode := rounding(m)
	exact := exactBinary(op)
	if m.t == "f64" {
		if mode != "rn" {
			return directedBinary(op, mode)
		}
		return func(a, b uint64) uint64 {
			r, _ := exact(f64of(a), f64of(b))
			return math.Float64bits(r)
		}
	}
	finish, ftz := finish32(m), m.has("ftz")
	return func(a, b uint64) uint64 {
		if ftz {
			a, b = flush(a), flush(b)
		}
		x, y := float64(f32of(a)), float64(f32of(b))
		r, err := exact(x, y)
		z := round32(toOdd(r, err), mode)
		if op == "sub" {
			y = -y
		}
		if op == "add" || op == "sub" {
			z = float32(zeroSign(float64(z), r, err, x, y, mode))
		}
		return finish(bits32(z))
	}
}

// zeroSign gives z, the rounded sum of x and y, its sign when the exact sum
// r+err is zero: rounding down, zeros of different signs add up to -0.
func zeroSign(z, r, err, x, y float64, mode string) float64 {
	if mode == "rm" && r == 0 && err == 0 && math.Signbit(x) != math.Signbit(y) {
		return math.Copysign(0, -1)
	}
	return z
}

// exactBinary returns a function that computes in double and gives the sign
// of exact minus result.
func exactBinary(op string) func(a, b float64) (r, err float64) {
	switch op {
	case "add":
		return sumError
	case "sub":
		return func(a, b float64) (float64, float64) { return sumError(a, -b) }
	case "mul":
		return func(a, b float64) (float64, float64) {
			r := a * b
			return r, math.FMA(a, b, -r)
		}
	}
	return func(a, b float64) (float64, float64) {
		q := a / b
		if q == 0 || math.IsInf(q, 0) || q != q || b == 0 || math.IsInf(b, 0) {
			return q, 0
		}
		rest := math.FMA(-q, b, a)
		if b < 0 {
			rest = -rest
		}
		return q, rest
	}
}

// floatMinMax follows IEEE 754-2008 minNum: a number wins over NaN, and -0 is
// less than +0. With .NaN, NaN wins.
func floatMinMax(op string, m mods) func(a, b uint64) uint64 {
	is32, ftz, keepNaN, isMax := m.t == "f32", m.has("ftz"), m.has("NaN"), op == "max"
	return func(a, b uint64) uint64 {
		if ftz {
			a, b = flush(a), flush(b)
		}
		x, y := f64of(a), f64of(b)
		if is32 {
			x, y = float64(f32of(a)), float64(f32of(b))
		}
		switch {
		case (x != x || y != y) && (keepNaN || x != x && y != y):
			if is32 {
				return nan32
			}
			return 0x7fffffffffffffff
		case x != x:
			return b
		case y != y:
			return a
		case x == y:
			if math.Signbit(x) != isMax {
				return a
			}
			return b
		case (x < y) != isMax:
			return a
		}
		return b
	}
}

func floatFMA(m mods) func(a, b, c uint64) uint64 {
	mode := rounding(m)
	if m.t == "f64" {
		return func(a, b, c uint64) uint64 { return math.Float64bits(fma64(f64of(a), f64of(b), f64of(c), mode)) }
	}
	finish, ftz := finish32(m), m.has("ftz")
	return func(a, b, c uint64) uint64 {
		if ftz {
			a, b, c = flush(a), flush(b), flush(c)
		}
		// The product of two f32 is exact in double.
		p := float64(f32of(a)) * float64(f32of(b))
		r, err := sumError(p, float64(f32of(c)))
		z := zeroSign(float64(round32(toOdd(r, err), mode)), r, err, p, float64(f32of(c)), mode)
		return finish(bits32(float32(z)))
	}
}

// floatUnary returns an f32 or f64 function. The approximate ones are
// computed in double and rounded once, at least as precise as PTX asks; but see grossApproximation.
func floatUnary(op string, m mods) func(a uint64) uint64 {
	var f func(x float64) float64
	switch op {
	case "abs", "neg":
		return signOp(op, m)
	case "rcp":
		f = func(x float64) float64 { return 1 / x }
	case "sqrt":
		f = math.Sqrt
	case "rsqrt":
		f = func(x float64) float64 {
			if x == 0 {
				return math.Copysign(math.Inf(1), x)
			}
			return 1 / math.Sqrt(x)
		}
	case "sin":
		f = math.Sin
	case "cos":
		f = math.Cos
	case "lg2":
		f = math.Log2
	case "ex2":
		f = math.Exp2
	case "tanh":
		f = math.Tanh
	}
	mode := rounding(m)
	// Only rcp and sqrt are exact; the others are as near as a double is.
	side := func(float64, float64) float64 { return 0 }
	if op == "rcp" || op == "sqrt" {
		side = func(x, r float64) float64 { return unarySide(op, x, r) }
	}
	if m.t == "f64" {
		ftz := m.has("ftz")
		if ftz {
			return grossApproximation(f)
		}
		return func(a uint64) uint64 {
			x := f64of(a)
			r := f(x)
			if mode != "rn" {
				r = round64(r, side(x, r), mode)
			}
			return math.Float64bits(r)
		}
	}
	finish, ftz := finish32(m), m.has("ftz")
	return func(a uint64) uint64 {
		if ftz {
			a = flush(a)
		}
		x := float64(f32of(a))
		r := f(x)
		if op == "rcp" || op == "sqrt" {
			r = toOdd(r, fastSide(op, x, r))
		}
		return finish(bits32(round32(r, mode)))
	}
}

// grossApproximation is f of doubles by their upper 32 bits, as rcp.approx.ftz.f64 and
// rsqrt.approx.ftz.f64 are: the lower 32 bits of the operand are ignored, and those of the
// result are zero. NaN stays as it is.
func grossApproximation(f func(x float64) float64) func(a uint64) uint64 {
	const low = 1<<32 - 1
	return func(a uint64) uint64 {
		if a&0x7ff0000000000000 == 0 {
			a &= 1 << 63
		}
		if x := f64of(a); x != x {
			return a
		}
		r := math.Float64bits(f(f64of(a &^ low)))
		if r&0x7ff0000000000000 == 0 {
			return r & (1 << 63)
		}
		return (r + 1<<31) &^ low
	}
}

// fastSide returns the sign of exact minus r for a value x of f32's range,
// for which nothing overflows or is subnormal in double.
func fastSide(op string, x, r float64) float64 {
	if r == 0 || math.IsInf(r, 0) || math.IsInf(x, 0) {
		return 0
	}
	if op == "sqrt" {
		return math.FMA(-r, r, x)
	}
	return math.Copysign(1, x) * math.FMA(-r, x, 1)
}

// signOp returns abs or neg, which only touch the sign.
func signOp(op string, m mods) func(a uint64) uint64 {
	sign, ftz := uint64(1)<<63, m.has("ftz")
	if m.t == "f32" {
		sign = 1 << 31
	}
	return func(a uint64) uint64 {
		if ftz {
			a = flush(a)
		}
		switch {
		case m.t == "f32" && a&0x7fffffff > 0x7f800000:
			return nan32
		case op == "abs":
			return a &^ sign
		}
		return a ^ sign
	}
}

// copysign gives b the sign of a.
func copysign(t ptx.Type) func(a, b uint64) uint64 {
	sign := uint64(1) << 63
	if t == "f32" {
		sign = 1 << 31
	}
	return func(a, b uint64) uint64 { return b&^sign | a&sign }
}

func testProperty(prop string, t ptx.Type) func(a uint64) bool {
	expBits, fracBits := uint64(0x7ff0000000000000), uint64(1)<<52-1
	if t == "f32" {
		expBits, fracBits = 0x7f800000, 1<<23-1
	}
	return func(a uint64) bool {
		exp, frac := a&expBits, a&fracBits
		switch prop {
		case "finite":
			return exp != expBits
		case "infinite":
			return exp == expBits && frac == 0
		case "number":
			return exp != expBits || frac == 0
		case "notanumber":
			return exp == expBits && frac != 0
		case "normal":
			return exp != expBits && (exp != 0 || frac == 0) // zero counts as normal
		}
		return exp == 0 && frac != 0 // subnormal
	}
}

// slct returns a where c >= 0 and else b; a NaN is not >= 0.
func slct(m mods) func(a, b, c uint64) uint64 {
	ftz := m.has("ftz")
	if m.u == "s32" {
		return func(a, b, c uint64) uint64 {
			if int32(c) >= 0 {
				return a
			}
			return b
		}
	}
	return func(a, b, c uint64) uint64 {
		if ftz {
			c = flush(c)
		}
		if f32of(c) >= 0 {
			return a
		}
		return b
	}
}

// compare returns the comparison of setp and set.
func compare(op string, t ptx.Type, ftz bool) func(a, b uint64) bool {
	if t[0] == 'f' {
		return compareFloat(op, t == "f32", ftz)
	}
	size := t.Size()
	signed := t[0] == 's'
	switch op {
	case "eq":
		return func(a, b uint64) bool { return a == b }
	case "ne":
		return func(a, b uint64) bool { return a != b }
	}
	less := func(a, b uint64) bool { return a < b }
	if signed {
		less = func(a, b uint64) bool { return signExtend(a, size) < signExtend(b, size) }
	}
	switch op {
	case "lt", "lo":
		return less
	case "le", "ls":
		return func(a, b uint64) bool { return !less(b, a) }
	case "gt", "hi":
		return func(a, b uint64) bool { return less(b, a) }
	}
	return func(a, b uint64) bool { return !less(a, b) } // ge, hs
}

// compareFloat: the comparisons that end in u also hold for NaN.
func compareFloat(op string, is32, ftz bool) func(a, b uint64) bool {
	unordered := len(op) == 3 && op[2] == 'u'
	if unordered {
		op = op[:2]
	}
	return func(a, b uint64) bool {
		x, y := f64of(a), f64of(b)
		if is32 {
			if ftz {
				a, b = flush(a), flush(b)
			}
			x, y = float64(f32of(a)), float64(f32of(b))
		}
		isNaN := x != x || y != y
		switch op {
		case "num":
			return !isNaN
		case "nan":
			return isNaN
		}
		if isNaN {
			return unordered
		}
		switch op {
		case "eq":
			return x == y
		case "ne":
			return x != y
		case "lt":
			return x < y
		case "le":
			return x <= y
		case "gt":
			return x > y
		}
		return x >= y
	}
}
