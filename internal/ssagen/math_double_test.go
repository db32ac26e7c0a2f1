package ssagen_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"

	"irgl/internal/device"
)

// A doubleFunc is a function of double under test; see mathFunc. The reference
// gives what the special arguments have, and where it gives neither 0 nor
// infinity nor NaN, exact says what the result is.
type doubleFunc struct {
	name   string
	bound  int
	lo, hi float64
	one    func(x float64) float64
	exact  func(x *big.Float) *big.Float
	two    func(x, y float64) float64
	exact2 func(x, y *big.Float) *big.Float
	body   string // see mathFunc
	limits bool   // the results that are zero, infinite or NaN are those of one or two
}

func sinOf(x *big.Float) *big.Float   { s, _ := bigSinCos(x); return s }
func cosOf(x *big.Float) *big.Float   { _, c := bigSinCos(x); return c }
func tanOf(x *big.Float) *big.Float   { s, c := bigSinCos(x); return quo(s, c) }
func sinpiOf(x *big.Float) *big.Float { s, _ := bigSinCosPi(x); return s }
func cospiOf(x *big.Float) *big.Float { _, c := bigSinCosPi(x); return c }
func hypotOf(x, y *big.Float) *big.Float {
	return root(add(mul(x, x), mul(y, y)))
}

// doubleFuncs are the functions of double, with the bounds of the CUDA C++
// Programming Guide.
var doubleFuncs = []doubleFunc{
	{name: "sqrt", bound: 0, lo: 0, hi: 100, one: math.Sqrt, exact: root},
	{name: "rsqrt", bound: 1, lo: 0, hi: 100, one: func(x float64) float64 { return 1 / math.Sqrt(x) },
		exact: func(x *big.Float) *big.Float { return quo(num(1), root(x)) }},
	{name: "cbrt", bound: 1, lo: -10, hi: 10, one: math.Cbrt, exact: bigCbrt},
	{name: "rcbrt", bound: 1, lo: -10, hi: 10, one: func(x float64) float64 { return 1 / math.Cbrt(x) },
		exact: func(x *big.Float) *big.Float { return quo(num(1), bigCbrt(x)) }},
	{name: "exp", bound: 1, lo: -746, hi: 710, one: math.Exp, exact: bigExp},
	{name: "exp2", bound: 1, lo: -1076, hi: 1025, one: math.Exp2,
		exact: func(x *big.Float) *big.Float { return bigExp(mul(x, bf(workPrec).Set(bigLn2()))) }},
	{name: "exp10", bound: 1, lo: -325, hi: 309, one: func(x float64) float64 { return math.Pow(10, x) },
		exact: func(x *big.Float) *big.Float { return bigExp(mul(x, bigLog(num(10)))) }},
	{name: "expm1", bound: 1, lo: -3, hi: 3, one: math.Expm1, exact: bigExpm1},
	{name: "log", bound: 1, lo: 0.2, hi: 3, one: math.Log, exact: bigLog},
	{name: "log2", bound: 1, lo: 0.2, hi: 3, one: math.Log2, exact: func(x *big.Float) *big.Float { return quo(bigLog(x), bf(workPrec).Set(bigLn2())) }},
	{name: "log10", bound: 1, lo: 0.2, hi: 3, one: math.Log10, exact: func(x *big.Float) *big.Float { return quo(bigLog(x), bigLog(num(10))) }},
	{name: "log1p", bound: 1, lo: -1, hi: 4, one: math.Log1p, exact: bigLog1p},
	{name: "sin", bound: 2, lo: -10, hi: 10, one: math.Sin, exact: sinOf},
	{name: "cos", bound: 2, lo: -10, hi: 10, one: math.Cos, exact: cosOf},
	{name: "tan", bound: 2, lo: -10, hi: 10, one: math.Tan, exact: tanOf},
	{name: "sinpi", bound: 2, lo: -5, hi: 5, one: sinpi, exact: sinpiOf},
	{name: "cospi", bound: 2, lo: -5, hi: 5, one: cospi, exact: cospiOf},
	{name: "asin", bound: 2, lo: -1, hi: 1, one: math.Asin, exact: func(x *big.Float) *big.Float {
		return bigAtan(quo(x, root(mul(sub(num(1), x), add(num(1), x)))))
	}},
	{name: "acos", bound: 2, lo: -1, hi: 1, one: math.Acos, exact: func(x *big.Float) *big.Float {
		return scale(bigAtan(root(quo(sub(num(1), x), add(num(1), x)))), 1)
	}},
	{name: "atan", bound: 2, lo: -4, hi: 4, one: math.Atan, exact: bigAtan},
	{name: "sinh", bound: 2, lo: -3, hi: 3, one: math.Sinh, exact: bigSinh},
	{name: "cosh", bound: 1, lo: -3, hi: 3, one: math.Cosh, exact: bigCosh},
	{name: "tanh", bound: 1, lo: -3, hi: 3, one: math.Tanh, exact: func(x *big.Float) *big.Float {
		if v, _ := x.Float64(); math.Abs(v) > 60 {
			return num(math.Copysign(1, v))
		}
		return quo(bigSinh(x), bigCosh(x))
	}},
	{name: "asinh", bound: 3, lo: -4, hi: 4, one: math.Asinh, exact: bigAsinh},
	{name: "acosh", bound: 3, lo: 1, hi: 4, one: math.Acosh, exact: bigAcosh},
	{name: "atanh", bound: 2, lo: -1, hi: 1, one: math.Atanh, exact: bigAtanh},
	{name: "erf", bound: 2, lo: -4, hi: 4, one: math.Erf, exact: func(x *big.Float) *big.Float {
		if v, _ := x.Float64(); math.Abs(v) > 6.5 {
			return num(math.Copysign(1, v))
		}
		return bigErf(x)
	}},
	{name: "erfc", bound: 5, lo: -4, hi: 28, one: math.Erfc, exact: func(x *big.Float) *big.Float {
		switch v, _ := x.Float64(); {
		case v < -6.5:
			return num(2)
		case v < 0:
			return add(num(1), bigErf(neg(x)))
		case v > 28:
			return num(0)
		}
		return bigErfc(x)
	}},
	{name: "pow", bound: 2, lo: 0, hi: 10, two: math.Pow, exact2: func(x, y *big.Float) *big.Float {
		p := bigExp(mul(y, bigLog(bf(workPrec).Abs(x))))
		if v, _ := y.Float64(); x.Sign() < 0 && math.Mod(v, 2) != 0 {
			return neg(p)
		}
		return p
	}},
	{name: "atan2", bound: 2, lo: -4, hi: 4, two: math.Atan2, exact2: bigAtan2},
	{name: "hypot", bound: 2, lo: -4, hi: 4, two: math.Hypot, exact2: hypotOf},
	{name: "rhypot", bound: 1, lo: -4, hi: 4, two: func(x, y float64) float64 { return 1 / math.Hypot(x, y) },
		exact2: func(x, y *big.Float) *big.Float { return quo(num(1), hypotOf(x, y)) }},
	{name: "floor", lo: -10, hi: 10, one: math.Floor},
	{name: "ceil", lo: -10, hi: 10, one: math.Ceil},
	{name: "trunc", lo: -10, hi: 10, one: math.Trunc},
	{name: "round", lo: -10, hi: 10, one: math.Round},
	{name: "rint", lo: -10, hi: 10, one: math.RoundToEven},
	{name: "nearbyint", lo: -10, hi: 10, one: math.RoundToEven},
	{name: "copysign", lo: -4, hi: 4, two: math.Copysign},
	{name: "fmin", lo: -4, hi: 4, two: fmin},
	{name: "fmod", lo: -40, hi: 40, two: math.Mod},
	{name: "remainder", lo: -40, hi: 40, two: math.Remainder},
	{name: "remquo", lo: -40, hi: 40, two: math.Remainder, body: "int q; z[i] = remquo(x[i], y[i], &q);"},
	{name: "fdim", lo: -4, hi: 4, two: fdim},
	{name: "nextafter", lo: -4, hi: 4, two: func(x, y float64) float64 {
		if x == y {
			return y
		}
		return math.Nextafter(x, y)
	}},
	{name: "ldexp", lo: -1200, hi: 1200, two: ldexp, body: "z[i] = ldexp(x[i], (int)y[i]);"},
	{name: "scalbn", lo: -1200, hi: 1200, two: ldexp, body: "z[i] = scalbn(x[i], (int)y[i]);"},
	{name: "scalbln", lo: -1200, hi: 1200, two: ldexp, body: "z[i] = scalbln(x[i], (long)(int)y[i]);"},
	{name: "frexp", lo: -4, hi: 4, one: func(x float64) float64 { m, _ := math.Frexp(x); return m }, body: "int e; z[i] = frexp(x[i], &e);"},
	{name: "frexp's exponent", lo: -4, hi: 4, one: func(x float64) float64 { _, e := math.Frexp(x); return float64(e) }, body: "int e; frexp(x[i], &e); z[i] = e;"},
	{name: "modf", lo: -4, hi: 4, one: fraction, body: "double w; z[i] = modf(x[i], &w);"},
	{name: "modf's whole", lo: -4, hi: 4, one: math.Trunc, body: "double w; modf(x[i], &w); z[i] = w;"},
	{name: "logb", lo: -4, hi: 4, one: math.Logb},
	{name: "ilogb", lo: -4, hi: 4, one: ilogb, body: "z[i] = ilogb(x[i]);"},
	{name: "lround", lo: -40, hi: 40, one: func(x float64) float64 { return toLong(math.Round(x)) }, body: "z[i] = (double)lround(x[i]);"},
	{name: "llrint", lo: -40, hi: 40, one: func(x float64) float64 { return toLong(math.RoundToEven(x)) }, body: "z[i] = (double)llrint(x[i]);"},
	{name: "sincos's sine", bound: 2, lo: -10, hi: 10, one: math.Sin, exact: sinOf, body: "double s, c; sincos(x[i], &s, &c); z[i] = s;"},
	{name: "sincos's cosine", bound: 2, lo: -10, hi: 10, one: math.Cos, exact: cosOf, body: "double s, c; sincos(x[i], &s, &c); z[i] = c;"},
	{name: "sincospi's sine", bound: 2, lo: -5, hi: 5, one: sinpi, exact: sinpiOf, body: "double s, c; sincospi(x[i], &s, &c); z[i] = s;"},
	{name: "sincospi's cosine", bound: 2, lo: -5, hi: 5, one: cospi, exact: cospiOf, body: "double s, c; sincospi(x[i], &s, &c); z[i] = c;"},
	{name: "tgamma", bound: 10, lo: -40, hi: 172, one: gamma, exact: bigGamma},
	{name: "lgamma", bound: 4, lo: -10, hi: 40, one: lgamma, exact: bigLgamma},
}

// result returns the exact result for finite ones, and what one or two say
// otherwise.
func (f *doubleFunc) result(x, y float64) (*big.Float, float64) {
	var v float64
	if f.two != nil {
		v = f.two(x, y)
	} else {
		v = f.one(x)
	}
	if f.limits {
		switch {
		case v != v || v == 0 || math.IsInf(v, 0):
			return nil, v
		case f.two != nil:
			return f.exact2(num(x), num(y)), v
		}
		return f.exact(num(x)), v
	}
	if x != x || y != y || v != v || f.exact == nil && f.exact2 == nil || math.IsInf(x, 0) || math.IsInf(y, 0) || x == 0 || f.two != nil && y == 0 {
		return nil, v
	}
	if v == 0 && math.Abs(x) < 1e300 && f.two == nil && f.name != "erfc" && !strings.HasPrefix(f.name, "exp") {
		return nil, v // log(1), sinpi(1): exact
	}
	if math.IsInf(v, 0) && (f.name == "atanh" || f.name == "lgamma" || strings.HasPrefix(f.name, "log")) {
		return nil, v // at a pole
	}
	if math.IsInf(v, 0) && (math.Abs(x) > 1e5 && (f.name == "sinh" || f.name == "cosh") || math.Abs(x) > 1e5 && strings.HasPrefix(f.name, "exp")) {
		return nil, v
	}
	if strings.HasPrefix(f.name, "exp") && x < -1e5 || f.name == "tgamma" && math.Abs(x) > 190 || strings.HasSuffix(f.name, "gamma") && x < 0 && math.Trunc(x) == x {
		return nil, v
	}
	if f.name == "pow" && (v == 0 || math.IsInf(v, 0) || v == 1) && math.Abs(y*math.Log(math.Abs(x))) > 1e5 || (f.name == "asin" || f.name == "acos") && math.Abs(x) == 1 {
		return nil, v
	}
	if f.two != nil {
		return f.exact2(num(x), num(y)), v
	}
	return f.exact(num(x)), v
}

// compareDouble returns the error of got in ulps and the distance from the
// nearest double.
func compareDouble(got float64, exact *big.Float, v float64) (ulps float64, dist int) {
	if exact != nil {
		near, _ := exact.Float64()
		v = near
	}
	switch {
	case got != got && v != v || got == v && (v != 0 || math.Signbit(got) == math.Signbit(v) || exact != nil):
		if exact == nil || math.IsInf(v, 0) {
			return 0, 0
		}
	case got != got || v != v || exact == nil:
		return math.Inf(1), math.MaxInt32
	}
	order := func(f float64) int64 {
		b := int64(math.Float64bits(f))
		if b < 0 {
			return math.MinInt64 - b
		}
		return b
	}
	d := order(got) - order(v)
	if d < 0 {
		d = -d
	}
	if math.IsInf(got, 0) {
		return 0, int(min(d, math.MaxInt32))
	}
	e, _ := scale(sub(num(got), exact), -max(exponent(exact)-53, -1074)).Float64()
	return math.Abs(e), int(min(d, math.MaxInt32))
}

var specialDoubles = func() []float64 {
	list := []float64{0, 1, 2, 3, 0.5, 1.5, 2.5, 0.25, math.Inf(1), math.NaN(), math.MaxFloat64, 0x1p-1022, 0x1p-1074, 0x1.fffffffffffffp-1023,
		0x1p1023, 0x1.fffffffffffffp-1, 0x1.0000000000001p0, 4503599627370495.5, 9007199254740993, 709.7, 709.79, 745.1, 745.2, 1e22, 6381956970095103 * 0x1p797}
	for _, v := range list[:len(list):len(list)] {
		list = append(list, -v)
	}
	return list
}()

// samples returns n arguments besides the special ones.
func (f *doubleFunc) samples(n int) (xs, ys []float64) {
	r := rand.New(rand.NewPCG(7, uint64(len(f.name))))
	for _, a := range specialDoubles {
		if f.two == nil {
			xs, ys = append(xs, a), append(ys, 0)
			continue
		}
		for _, b := range specialDoubles {
			xs, ys = append(xs, a), append(ys, b)
		}
	}
	inside := func() float64 { return f.lo + (f.hi-f.lo)*r.Float64() }
	near := func() float64 { return math.Copysign(math.Ldexp(1+r.Float64(), r.IntN(80)-40), float64(r.IntN(2))-0.5) }
	for range n {
		x, y := inside(), inside()
		switch r.IntN(8) {
		case 0:
			x = math.Float64frombits(r.Uint64())
		case 1:
			x, y = near(), near()
		case 2:
			x, y = math.Float64frombits(r.Uint64()), math.Float64frombits(r.Uint64())
		}
		xs, ys = append(xs, x), append(ys, y)
	}
	return xs, ys
}

func doubleBytes(list []float64) []byte {
	var b []byte
	for _, f := range list {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(f))
	}
	return b
}

// measure runs f on n samples.
func (f *doubleFunc) measure(d device.Device, n int) measurement {
	xs, ys := f.samples(n)
	text := strings.ReplaceAll((&mathFunc{name: f.name, two: f.two, body: f.body}).kernelText(), "float", "double")
	out, err := runMath(d, f.name, text, doubleBytes(xs), doubleBytes(ys), 8, len(xs))
	if err != nil {
		return measurement{dist: math.MaxInt32, report: err.Error()}
	}
	var m measurement
	for i, x := range xs {
		got := math.Float64frombits(binary.LittleEndian.Uint64(out[8*i:]))
		if exempt(f.name, x) {
			continue
		}
		exact, v := f.result(x, ys[i])
		ulps, dist := compareDouble(got, exact, v)
		if exact != nil {
			v, _ = exact.Float64()
		}
		if absolute, ok := within(f.name, x, got, v); absolute && ok {
			continue
		} else if absolute {
			dist = math.MaxInt32
		}
		if dist > m.dist || dist == m.dist && ulps > m.ulps {
			m.report = fmt.Sprintf("at (%g, %g): got %g (%x), want %g (%x)", x, ys[i], got, math.Float64bits(got), v, math.Float64bits(v))
		}
		m.ulps, m.dist = max(m.ulps, ulps), max(m.dist, dist)
	}
	return m
}
