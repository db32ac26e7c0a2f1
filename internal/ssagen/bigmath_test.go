package ssagen_test

import (
	"math"
	"math/big"
	"sync"
)

// The reference for functions of double: the elementary functions in arbitrary
// precision, by the plainest series there are. Arguments are finite and in the
// function's domain, results neither zero nor infinite.

// workPrec is the precision of intermediate results, in bits; the loss of any
// formula here is far less than what it has beyond a double's.
const workPrec = 280

func bf(prec uint) *big.Float { return new(big.Float).SetPrec(prec) }

func num(x float64) *big.Float { return bf(workPrec).SetFloat64(x) }

func add(a, b *big.Float) *big.Float { return bf(max(a.Prec(), b.Prec())).Add(a, b) }
func sub(a, b *big.Float) *big.Float { return bf(max(a.Prec(), b.Prec())).Sub(a, b) }
func mul(a, b *big.Float) *big.Float { return bf(max(a.Prec(), b.Prec())).Mul(a, b) }
func quo(a, b *big.Float) *big.Float { return bf(max(a.Prec(), b.Prec())).Quo(a, b) }
func neg(a *big.Float) *big.Float    { return bf(a.Prec()).Neg(a) }
func root(a *big.Float) *big.Float   { return bf(a.Prec()).Sqrt(a) }

// scale returns a * 2^n.
func scale(a *big.Float, n int) *big.Float { return bf(a.Prec()).SetMantExp(a, n) }

// exponent returns e with 2^(e-1) <= |a| < 2^e, and a very small one for 0.
func exponent(a *big.Float) int {
	if a.Sign() == 0 {
		return math.MinInt32
	}
	return a.MantExp(nil)
}

// series returns the sum of terms, each made from the one before by next,
// until they no longer count.
func series(first *big.Float, next func(term *big.Float, n int) *big.Float, weight func(term *big.Float, n int) *big.Float) *big.Float {
	prec := int(first.Prec())
	sum, term := bf(first.Prec()), first
	for n := 0; ; n++ {
		w := weight(term, n)
		sum.Add(sum, w)
		if n > 4 && exponent(w) < exponent(sum)-prec {
			return sum
		}
		term = next(term, n)
		if term.Sign() == 0 {
			return sum
		}
	}
}

func same(term *big.Float, _ int) *big.Float { return term }

func over(term *big.Float, n int) *big.Float { return quo(term, bf(64).SetInt64(int64(n))) }

// atanInverse returns atan(1/n).
func atanInverse(n int64, prec uint) *big.Float {
	inv := quo(bf(prec).SetInt64(1), bf(prec).SetInt64(n))
	z := neg(mul(inv, inv))
	return series(inv, func(t *big.Float, _ int) *big.Float { return mul(t, z) },
		func(t *big.Float, n int) *big.Float { return over(t, 2*n+1) })
}

// constPrec is enough to take multiples of pi from the largest double.
const constPrec = 1100 + workPrec

var bigPi = sync.OnceValue(func() *big.Float { // Machin
	a, b := atanInverse(5, constPrec), atanInverse(239, constPrec)
	return sub(scale(a, 4), scale(b, 2))
})

var bigLn2 = sync.OnceValue(func() *big.Float { // 2 atanh(1/3)
	z := quo(bf(constPrec).SetInt64(1), bf(constPrec).SetInt64(9))
	first := quo(bf(constPrec).SetInt64(2), bf(constPrec).SetInt64(3))
	return series(first, func(t *big.Float, _ int) *big.Float { return mul(t, z) },
		func(t *big.Float, n int) *big.Float { return over(t, 2*n+1) })
})

// nearest returns a as an integer, rounded; |a| < 2^62.
func nearest(a *big.Float) int64 {
	half := num(0.5)
	if a.Sign() < 0 {
		half = num(-0.5)
	}
	n, _ := add(a, half).Int64()
	return n
}

func bigExp(x *big.Float) *big.Float {
	k := nearest(quo(x, bigLn2()))
	wide := bf(x.Prec() + 64).Set(x)
	r := scale(sub(wide, mul(bf(constPrec).SetInt64(k), bigLn2())), -8)
	r = bf(x.Prec() + 32).Set(r)
	e := series(bf(r.Prec()).SetInt64(1), func(t *big.Float, n int) *big.Float { return over(mul(t, r), n+1) }, same)
	for range 8 {
		e = mul(e, e)
	}
	return bf(x.Prec()).Set(scale(e, int(k)))
}

func bigExpm1(x *big.Float) *big.Float {
	if exponent(x) < -2 {
		return series(x, func(t *big.Float, n int) *big.Float { return over(mul(t, x), n+2) }, same)
	}
	return sub(bigExp(x), num(1))
}

func bigLog(x *big.Float) *big.Float {
	m := bf(x.Prec())
	e := x.MantExp(m)
	if m.Cmp(num(0.70)) < 0 {
		m, e = scale(m, 1), e-1
	}
	// log(m) = 2 atanh((m-1)/(m+1)), after m was brought near 1 by a guess.
	g, _ := m.Float64()
	guess := num(math.Log(g))
	m = mul(m, bigExp(neg(guess)))
	s := quo(sub(m, num(1)), add(m, num(1)))
	z := mul(s, s)
	l := guess
	if s.Sign() != 0 {
		l = add(guess, scale(series(s, func(t *big.Float, _ int) *big.Float { return mul(t, z) },
			func(t *big.Float, n int) *big.Float { return over(t, 2*n+1) }), 1))
	}
	return add(l, bf(x.Prec()).Set(mul(num(float64(e)), bigLn2())))
}

func bigLog1p(x *big.Float) *big.Float {
	if exponent(x) < -6 {
		return series(x, func(t *big.Float, _ int) *big.Float { return neg(mul(t, x)) },
			func(t *big.Float, n int) *big.Float { return over(t, n+1) })
	}
	return bigLog(add(num(1), x))
}

// bigSinCos returns the sine and cosine of x.
func bigSinCos(x *big.Float) (s, c *big.Float) {
	half := scale(bigPi(), -1)
	q := quo(bf(constPrec).Set(x), half)
	n, _ := add(q, bf(constPrec).SetFloat64(math.Copysign(0.5, float64(x.Sign())))).Int(nil)
	r := sub(bf(constPrec).Set(x), mul(bf(constPrec).SetInt(n), half))
	quarter := new(big.Int).And(n, big.NewInt(3)).Int64() // of two's complement
	return turn(bf(workPrec).Set(r), int(quarter))
}

// turn returns the sine and cosine of r and a number of quarter turns.
func turn(r *big.Float, quarter int) (s, c *big.Float) {
	z := neg(mul(r, r))
	s, c = r, num(1)
	if r.Sign() != 0 {
		s = series(r, func(t *big.Float, n int) *big.Float { return over(mul(t, z), (2*n+2)*(2*n+3)) }, same)
		c = series(num(1), func(t *big.Float, n int) *big.Float { return over(mul(t, z), (2*n+1)*(2*n+2)) }, same)
	}
	switch quarter {
	case 1:
		return c, neg(s)
	case 2:
		return neg(s), neg(c)
	case 3:
		return neg(c), s
	}
	return s, c
}

// bigSinCosPi is bigSinCos of pi x.
func bigSinCosPi(x *big.Float) (s, c *big.Float) {
	v, _ := x.Float64()
	r := math.Mod(v, 2)
	n := math.RoundToEven(2 * r)
	return turn(mul(num(r-n/2), bf(workPrec).Set(bigPi())), int(n)&3)
}

func bigAtan(x *big.Float) *big.Float {
	for range 4 { // halves the angle
		x = quo(x, add(num(1), root(add(num(1), mul(x, x)))))
	}
	z := neg(mul(x, x))
	return scale(series(x, func(t *big.Float, _ int) *big.Float { return mul(t, z) },
		func(t *big.Float, n int) *big.Float { return over(t, 2*n+1) }), 4)
}

func bigAtan2(y, x *big.Float) *big.Float {
	pi := bf(workPrec).Set(bigPi())
	a := bigAtan(quo(y, x))
	switch {
	case x.Sign() > 0:
		return a
	case y.Sign() < 0:
		return sub(a, pi)
	}
	return add(a, pi)
}

func bigSinh(x *big.Float) *big.Float {
	if exponent(x) < -2 {
		z := mul(x, x)
		return series(x, func(t *big.Float, n int) *big.Float { return over(mul(t, z), (2*n+2)*(2*n+3)) }, same)
	}
	e := bigExp(x)
	return scale(sub(e, quo(num(1), e)), -1)
}

func bigCosh(x *big.Float) *big.Float {
	e := bigExp(x)
	return scale(add(e, quo(num(1), e)), -1)
}

func bigAsinh(x *big.Float) *big.Float {
	a := bf(x.Prec()).Abs(x)
	z := mul(a, a)
	l := bigLog1p(add(a, quo(z, add(num(1), root(add(num(1), z))))))
	if x.Sign() < 0 {
		return neg(l)
	}
	return l
}

func bigAcosh(x *big.Float) *big.Float {
	t := sub(x, num(1))
	return bigLog1p(add(t, root(add(mul(t, t), scale(t, 1)))))
}

func bigAtanh(x *big.Float) *big.Float {
	return scale(bigLog1p(quo(scale(x, 1), sub(num(1), x))), -1)
}

func bigCbrt(x *big.Float) *big.Float {
	m := bf(x.Prec())
	e := x.MantExp(m)
	k := (e - 1200000) / 3 // floor, of numbers that are all negative
	m = scale(m, e-1200000-3*k)
	g, _ := m.Float64()
	t := num(math.Cbrt(g))
	for range 3 {
		t = quo(add(scale(t, 1), quo(m, mul(t, t))), num(3))
	}
	return scale(t, k+400000)
}

// bigErfc is 1 - erf for positive x, with as much precision as x takes.
func bigErfc(x *big.Float) *big.Float {
	v, _ := x.Float64()
	if v < 0.5 {
		return sub(num(1), bigErf(x))
	}
	prec := uint(workPrec + 3*v*v/2 + 20)
	return bf(workPrec).Set(sub(bf(prec).SetInt64(1), bigErf(bf(prec).Set(x))))
}

// bigErf is 2/sqrt(pi) e^(-x^2) (x + 2x^3/3 + 4x^5/(3*5) + ...): no term is
// negative.
func bigErf(x *big.Float) *big.Float {
	z := scale(mul(x, x), 1)
	s := series(x, func(t *big.Float, n int) *big.Float { return over(mul(t, z), 2*n+3) }, same)
	s = mul(s, bigExp(neg(mul(x, x))))
	return quo(scale(s, 1), root(bf(x.Prec()).Set(bigPi())))
}

// bernoulli returns B_0 to B_n.
func bernoulli(n int) []*big.Rat {
	list := make([]*big.Rat, n+1)
	row := make([]*big.Rat, n+1)
	for m := range list { // Akiyama and Tanigawa
		row[m] = big.NewRat(1, int64(m+1))
		for j := m; j >= 1; j-- {
			d := new(big.Rat).Sub(row[j-1], row[j])
			row[j-1] = d.Mul(d, big.NewRat(int64(j), 1))
		}
		list[m] = new(big.Rat).Set(row[0])
	}
	return list
}

var bernoulliNumbers = sync.OnceValue(func() []*big.Rat { return bernoulli(90) })

// bigLgamma is the logarithm of the absolute gamma function: Stirling's series
// from 80 on, the recurrence and the reflection elsewhere.
func bigLgamma(x *big.Float) *big.Float {
	if x.Sign() < 0 {
		a := neg(x)
		s, _ := bigSinCosPi(a)
		l := quo(bf(workPrec).Set(bigPi()), mul(a, bf(workPrec).Abs(s)))
		return sub(bigLog(l), bigLgamma(a))
	}
	product := num(1)
	v, _ := x.Float64()
	for ; v < 80; v++ {
		product = mul(product, x)
		x = add(x, num(1))
	}
	sum := sub(mul(sub(x, num(0.5)), bigLog(x)), x)
	sum = add(sum, scale(bigLog(scale(bf(workPrec).Set(bigPi()), 1)), -1))
	power := x
	for k := 1; k <= 44; k++ {
		b := bf(workPrec).SetRat(bernoulliNumbers()[2*k])
		sum = add(sum, quo(over(b, 2*k*(2*k-1)), power))
		power = mul(power, mul(x, x))
	}
	return sub(sum, bigLog(product))
}

func bigGamma(x *big.Float) *big.Float {
	g := bigExp(bigLgamma(x))
	if v, _ := x.Float64(); v < 0 && math.Mod(math.Floor(v), 2) != 0 {
		return neg(g)
	}
	return g
}
