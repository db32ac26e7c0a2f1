package ssagen_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"sync"
	"testing"

	"irgl/internal/device/simt"
)

// This file has the special functions: lengths of vectors, the scaled complementary
// error function, and Bessel functions, with references for them.

// An absoluteBound is the documented bound of a function that is no distance: the
// error from an argument on.
type absoluteBound struct{ from, err float64 }

// absoluteBounds are those of the Bessel functions, which pass through zero again and again.
var absoluteBounds = map[string]absoluteBound{
	"j0f": {8, 2.2e-6}, "j1f": {8, 2.2e-6}, "y0f": {8, 2.2e-6}, "y1f": {8, 2.2e-6}, "jnf of order 128": {0, 2.2e-6}, "ynf of order 3": {3, 2.2e-6},
	"j0": {8, 5e-12}, "j1": {8, 5e-12}, "y0": {8, 5e-12}, "y1": {8, 5e-12}, "jn of order 128": {0, 5e-12}, "yn of order 3": {4.5, 5e-12},
}

// within reports whether the bound of a function is absolute at x, and the result within it.
func within(name string, x, got, want float64) (absolute, ok bool) {
	b, is := absoluteBounds[name]
	if !is || !(math.Abs(x) >= b.from) || math.IsInf(want, 0) || want != want {
		return false, false
	}
	return true, math.Abs(got-want) <= b.err
}

// Components of the vectors of the tests: of two arguments each.
const fiveOf = "float a[5] = {x[i], y[i], y[i], x[i], y[i]}; "

// specialFloatFuncs are the functions of float. The guide has no bound for norm and rnorm.
var specialFloatFuncs = []mathFunc{
	{"norm3df", 3, -4, 4, nil, lengthOf(2, 1), "z[i] = norm3df(x[i], y[i], x[i]);"},
	{"norm4df", 3, -4, 4, nil, lengthOf(1, 3), "z[i] = norm4df(y[i], y[i], x[i], y[i]);"},
	{"normf", 3, -4, 4, nil, lengthOf(2, 3), fiveOf + "z[i] = normf(5, a);"},
	{"rnorm3df", 2, -4, 4, nil, inverse(lengthOf(2, 1)), "z[i] = rnorm3df(x[i], y[i], x[i]);"},
	{"rnorm4df", 2, -4, 4, nil, inverse(lengthOf(1, 3)), "z[i] = rnorm4df(y[i], y[i], x[i], y[i]);"},
	{"rnormf", 2, -4, 4, nil, inverse(lengthOf(2, 3)), fiveOf + "z[i] = rnormf(5, a);"},
	{"erfcxf", 2, -10, 30, erfcx, nil, ""},
	{"j0f", 9, -12, 12, math.J0, nil, ""},
	{"j1f", 9, -12, 12, j1, nil, ""},
	{"y0f", 9, 0, 12, math.Y0, nil, ""},
	{"y1f", 9, 0, 12, math.Y1, nil, ""},
	{"jnf of order 128", 0, -300, 300, func(x float64) float64 { return math.Jn(128, x) }, nil, "z[i] = jnf(128, x[i]);"},
	{"ynf of order 3", 10, 0, 12, func(x float64) float64 { return math.Yn(3, x) }, nil, "z[i] = ynf(3, x[i]);"},
	{"cyl_bessel_i0f", 6, -90, 90, besselI0, nil, ""},
	{"cyl_bessel_i1f", 6, -90, 90, besselI1, nil, ""},
}

// specialDoubleFuncs are those of double.
var specialDoubleFuncs = []doubleFunc{
	{name: "norm3d", bound: 1, lo: -4, hi: 4, limits: true, two: lengthOf(2, 1), exact2: bigLength(2, 1), body: "z[i] = norm3d(x[i], y[i], x[i]);"},
	{name: "norm4d", bound: 1, lo: -4, hi: 4, limits: true, two: lengthOf(1, 3), exact2: bigLength(1, 3), body: "z[i] = norm4d(y[i], y[i], x[i], y[i]);"},
	{name: "norm", bound: 1, lo: -4, hi: 4, limits: true, two: lengthOf(2, 3), exact2: bigLength(2, 3), body: fiveOf + "z[i] = norm(5, a);"},
	{name: "rnorm3d", bound: 1, lo: -4, hi: 4, limits: true, two: inverse(lengthOf(2, 1)), exact2: bigInverse(bigLength(2, 1)), body: "z[i] = rnorm3d(x[i], y[i], x[i]);"},
	{name: "rnorm4d", bound: 1, lo: -4, hi: 4, limits: true, two: inverse(lengthOf(1, 3)), exact2: bigInverse(bigLength(1, 3)), body: "z[i] = rnorm4d(y[i], y[i], x[i], y[i]);"},
	{name: "rnorm", bound: 1, lo: -4, hi: 4, limits: true, two: inverse(lengthOf(2, 3)), exact2: bigInverse(bigLength(2, 3)), body: fiveOf + "z[i] = rnorm(5, a);"},
	{name: "erfcx", bound: 3, lo: -27, hi: 32, limits: true, one: erfcx, exact: bigErfcx},
	{name: "j0", bound: 7, lo: -10, hi: 10, limits: true, one: math.J0, exact: func(x *big.Float) *big.Float { return bigJ(0, x) }},
	{name: "j1", bound: 7, lo: -10, hi: 10, limits: true, one: j1, exact: func(x *big.Float) *big.Float { return bigJ(1, x) }},
	{name: "y0", bound: 7, lo: 0, hi: 10, limits: true, one: math.Y0, exact: func(x *big.Float) *big.Float { return bigY(0, x) }},
	{name: "y1", bound: 7, lo: 0, hi: 10, limits: true, one: math.Y1, exact: func(x *big.Float) *big.Float { return bigY(1, x) }},
	{name: "jn of order 128", lo: -300, hi: 300, limits: true, one: func(x float64) float64 { return math.Jn(128, x) }, exact: func(x *big.Float) *big.Float { return bigJ(128, x) }, body: "z[i] = jn(128, x[i]);"},
	{name: "yn of order 3", bound: 12, lo: 0, hi: 12, limits: true, one: func(x float64) float64 { return math.Yn(3, x) }, exact: func(x *big.Float) *big.Float { return bigY(3, x) }, body: "z[i] = yn(3, x[i]);"},
	{name: "cyl_bessel_i0", bound: 6, lo: -714, hi: 714, limits: true, one: besselI0, exact: func(x *big.Float) *big.Float { return bigI(0, x) }},
	{name: "cyl_bessel_i1", bound: 6, lo: -714, hi: 714, limits: true, one: besselI1, exact: func(x *big.Float) *big.Float { return bigI(1, x) }},
}

func init() {
	floatFuncs = append(floatFuncs, specialFloatFuncs...)
	doubleFuncs = append(doubleFuncs, specialDoubleFuncs...)
}

// lengthOf is the length of a vector of n components x and m components y, nearly, and finite
// if all are.
func lengthOf(n, m int) func(x, y float64) float64 {
	return func(x, y float64) float64 {
		if r := math.Hypot(x, y); math.IsInf(x, 0) || math.IsInf(y, 0) || r != r || r == 0 {
			return r
		}
		return min(math.Hypot(math.Sqrt(float64(n))*x, math.Sqrt(float64(m))*y), math.MaxFloat64)
	}
}

func inverse(f func(x, y float64) float64) func(x, y float64) float64 {
	return func(x, y float64) float64 { return 1 / f(x, y) }
}

func bigLength(n, m int) func(x, y *big.Float) *big.Float {
	return func(x, y *big.Float) *big.Float {
		return root(add(mul(num(float64(n)), mul(x, x)), mul(num(float64(m)), mul(y, y))))
	}
}

func bigInverse(f func(x, y *big.Float) *big.Float) func(x, y *big.Float) *big.Float {
	return func(x, y *big.Float) *big.Float { return quo(num(1), f(x, y)) }
}

// j1 has the sign of zero, which math.J1 has not.
func j1(x float64) float64 {
	if math.Abs(x) < 1 {
		return math.Copysign(math.J1(x), x)
	}
	return math.J1(x)
}

// erfcx is the product, or from 25 on its asymptotic series.
func erfcx(x float64) float64 {
	if x >= 25 {
		z := 0.5 / (x * x)
		return 1 / math.Sqrt(math.Pi) / x * (1 - z*(1-3*z*(1-5*z)))
	}
	return math.Exp(x*x) * math.Erfc(x)
}

func besselI0(x float64) float64 { return besselI(0, math.Abs(x)) }
func besselI1(x float64) float64 { return math.Copysign(besselI(1, math.Abs(x)), x) }

// besselI is the series of In(x) of n = 0 and 1, or from 20 on the asymptotic one.
func besselI(n int, x float64) float64 {
	m, sum, t := float64(4*n*n), 1.0, 1.0
	if x >= 20 {
		for k := 1.0; k < 25; k++ {
			t *= -(m - (2*k-1)*(2*k-1)) / (8 * k * x)
			sum += t
		}
		if x > 720 {
			return math.Inf(1)
		}
		half := math.Exp(x / 2)
		return half / math.Sqrt(2*math.Pi*x) * sum * half
	}
	for k := 1.0; t > 1e-20*sum; k++ {
		t *= x * x / 4 / (k * (k + float64(n)))
		sum += t
	}
	return sum * math.Pow(x/2, float64(n))
}

// bigErfcx is e^(x^2) erfc(x): the product, and from 20 on the asymptotic series.
func bigErfcx(x *big.Float) *big.Float {
	switch v, _ := x.Float64(); {
	case v < 0:
		return sub(scale(bigExp(mul(x, x)), 1), bigErfcx(neg(x)))
	case v == 0:
		return num(1)
	case v < 20:
		return mul(bigExp(mul(x, x)), bigErfc(x))
	}
	z := neg(quo(num(0.5), mul(x, x)))
	s := series(num(1), func(t *big.Float, n int) *big.Float { return mul(mul(t, z), num(float64(2*n+1))) }, same)
	return quo(s, mul(x, root(bf(workPrec).Set(bigPi()))))
}

// bigGammaConst is Euler's constant.
var bigGammaConst = sync.OnceValue(func() *big.Float {
	g, _, err := big.ParseFloat("0.5772156649015328606065120900824024310421593359399235988057672348848677267776646709369470632917467495146314472498", 10, workPrec, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	return g
})

// hankelFrom is where the asymptotic series of Bessel functions are exact enough.
const hankelFrom = 120

// bigSeries is the sum of (sign z)^k / (k! (k+n)!) (x/2)^n weight(k), z = (x/2)^2, with the
// precision that the sum of terms of alternating signs takes.
func bigSeries(n int, x *big.Float, sign float64, weight func(term *big.Float, k int) *big.Float) *big.Float {
	v, _ := x.Float64()
	x = bf(workPrec + uint(3*math.Abs(v))).Set(x)
	half := scale(x, -1)
	z := mul(mul(half, half), num(sign))
	first := bf(x.Prec()).SetInt64(1)
	for k := 1; k <= n; k++ {
		first = over(mul(first, half), k)
	}
	return bf(workPrec).Set(series(first, func(t *big.Float, k int) *big.Float { return over(over(mul(t, z), k+1), k+1+n) }, weight))
}

func bigI(n int, x *big.Float) *big.Float { return bigSeries(n, x, 1, same) }

// bigHankel returns Jn and Yn of x > hankelFrom for n = 0 and 1.
func bigHankel(n int, x *big.Float) (j, y *big.Float) {
	p, q, t := num(0), num(0), num(1)
	for k := 0; ; k++ {
		switch k & 3 {
		case 0:
			p = add(p, t)
		case 1:
			q = add(q, t)
		case 2:
			p = sub(p, t)
		case 3:
			q = sub(q, t)
		}
		t = quo(mul(t, num(float64(4*n*n-(2*k+1)*(2*k+1)))), mul(num(float64(8*(k+1))), x))
		if exponent(t) < -workPrec || k > 200 {
			break
		}
	}
	s, c := bigSinCos(x) // of x - (2n+1) pi/4
	h := root(num(0.5))
	s, c = mul(h, sub(s, c)), mul(h, add(c, s))
	if n == 1 {
		s, c = neg(c), s
	}
	m := root(quo(num(2), mul(bf(workPrec).Set(bigPi()), x)))
	return mul(m, sub(mul(p, c), mul(q, s))), mul(m, add(mul(p, s), mul(q, c)))
}

func bigJ(n int, x *big.Float) *big.Float {
	v, _ := x.Float64()
	switch {
	case v < 0 && n%2 != 0:
		return neg(bigJ(n, neg(x)))
	case v < 0:
		return bigJ(n, neg(x))
	case v < max(hankelFrom, float64(3*n)):
		return bigSeries(n, x, -1, same)
	}
	before, _ := bigHankel(0, x)
	j, _ := bigHankel(1, x)
	if n == 0 {
		return before
	}
	return upwards(n, x, before, j)
}

func bigY(n int, x *big.Float) *big.Float {
	v, _ := x.Float64()
	var y [2]*big.Float
	if v >= hankelFrom {
		_, y[0] = bigHankel(0, x)
		_, y[1] = bigHankel(1, x)
	} else {
		pi := bf(workPrec).Set(bigPi())
		l := scale(add(bigLog(scale(x, -1)), bigGammaConst()), 1)
		y[0] = quo(sub(mul(l, bigJ(0, x)), scale(bigSeries(0, x, -1, func(t *big.Float, k int) *big.Float { return mul(t, harmonic(k)) }), 1)), pi)
		s := bigSeries(1, x, -1, func(t *big.Float, k int) *big.Float { return mul(t, add(harmonic(k), harmonic(k+1))) })
		y[1] = quo(sub(sub(mul(l, bigJ(1, x)), s), quo(num(2), x)), pi)
	}
	if n == 0 {
		return y[0]
	}
	return upwards(n, x, y[0], y[1])
}

// upwards is the recurrence of Bessel functions to order n >= 1.
func upwards(n int, x, before, f *big.Float) *big.Float {
	for k := 1; k < n; k++ {
		before, f = f, sub(mul(quo(num(float64(2*k)), x), f), before)
	}
	return f
}

// harmonic is 1 + 1/2 + ... + 1/k, with the precision that series of up to hankelFrom take.
var harmonicSums = sync.OnceValue(func() []*big.Float {
	const prec = workPrec + 3*hankelFrom
	list := []*big.Float{bf(prec)}
	for k := 1; k < 1000; k++ {
		list = append(list, add(list[k-1], quo(bf(prec).SetInt64(1), bf(prec).SetInt64(int64(k)))))
	}
	return list
})

func harmonic(k int) *big.Float { return harmonicSums()[k] }

// TestBesselZeros checks the doubles around the zeros of J and Y below 8: the relative error is within the bound there too.
func TestBesselZeros(t *testing.T) {
	d := simt.Open(simt.Options{})
	defer d.Close()
	for name, zeros := range map[string][]float64{
		"j0": {2.404825557695773, 5.520078110286311}, "j1": {3.8317059702075125, 7.015586669815619},
		"y0": {0.8935769662791675, 3.957678419314858, 7.086051060301773}, "y1": {2.197141326031017, 5.429681040794135},
	} {
		var xs []float64
		for _, z := range zeros {
			for n := range 9 {
				xs = append(xs, math.Float64frombits(math.Float64bits(z)+uint64(n)-4))
			}
		}
		out, err := runMath(d, name, fmt.Sprintf(`__global__ void k(const double *x, const double *y, double *z, int n) {
  int i = threadIdx.x;
  if (i < n) z[i] = %s(x[i]);
}`, name), doubleBytes(xs), nil, 8, len(xs))
		if err != nil {
			t.Fatal(err)
		}
		exact := bigJ
		if name[0] == 'y' {
			exact = bigY
		}
		for i, x := range xs {
			got := math.Float64frombits(binary.LittleEndian.Uint64(out[8*i:]))
			if ulps, dist := compareDouble(got, exact(int(name[1]-'0'), num(x)), 0); dist > 7 {
				t.Errorf("%s(%v) = %v: %.1f ulp", name, x, got, ulps)
			}
		}
	}
}

// TestBesselOrders checks orders on all sides of their arguments, by the relative error where J and Y are
// monotone and by the absolute one elsewhere, and what is no order.
func TestBesselOrders(t *testing.T) {
	var xs []float64
	var orders []int
	for _, n := range []int{2, 3, 7, 20, 100} {
		for _, x := range []float64{1e-300, 1e-9, 0.3, 1, 1.999, 2, 3.5, 6.9, 19.5, 20, 60, 99.99, 100.01, 150, 1e5} {
			xs, orders = append(xs, x), append(orders, n)
		}
	}
	count := len(xs)
	for _, n := range []int{-1, math.MinInt32} {
		xs, orders = append(xs, 3), append(orders, n)
	}
	xs, orders = append(xs, 0.5, -3.5), append(orders, math.MaxInt32, 3)
	ys := make([]float64, len(xs))
	for i, n := range orders {
		ys[i] = float64(n)
	}
	d := simt.Open(simt.Options{})
	defer d.Close()
	var got [2][]float64
	for i, name := range []string{"jn", "yn"} {
		out, err := runMath(d, name, "__global__ void k(const double *x, const double *y, double *z, int n) {\n  int i = threadIdx.x;\n  if (i < n) z[i] = "+name+"((int)y[i], x[i]);\n}",
			doubleBytes(xs), doubleBytes(ys), 8, len(xs))
		if err != nil {
			t.Fatal(err)
		}
		for k := range xs {
			got[i] = append(got[i], math.Float64frombits(binary.LittleEndian.Uint64(out[8*k:])))
		}
	}
	for k := range count {
		for i, exact := range []func(int, *big.Float) *big.Float{bigJ, bigY} {
			want, _ := exact(orders[k], num(xs[k])).Float64()
			limit := 1e-13
			if xs[k] < float64(orders[k]) {
				limit = max(1e-13*math.Abs(want), 0x1p-1074)
			}
			if g := got[i][k]; g != want && !(math.Abs(g-want) <= limit) {
				t.Errorf("order %d of %g: %g, want %g", orders[k], xs[k], g, want)
			}
		}
	}
	if j, y := got[0][count:], got[1][count:]; j[0] == j[0] || j[1] == j[1] || y[0] == y[0] || y[1] == y[1] || j[2] != 0 || !math.IsInf(y[2], -1) || y[3] == y[3] || j[3] > -0.38 || j[3] < -0.39 {
		t.Errorf("orders without a value: %v %v", j, y)
	}
}
