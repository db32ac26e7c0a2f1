package simt

import (
	"math"
	"math/big"
)

// This file rounds f64 results up, down and to zero. The nearest double is
// computed first, and then, in exact arithmetic, on which side of it the true
// result lies. Of these, fma is common: the compiler divides integers with it. So it takes the side
// from the error of the sum, where nothing can overflow or underflow.

// exactPrec holds every sum of products of doubles exactly.
const exactPrec = 4400

func exactly(x float64) *big.Float { return new(big.Float).SetPrec(exactPrec).SetFloat64(x) }

func finite(list ...float64) bool {
	for _, x := range list {
		if x-x != 0 {
			return false
		}
	}
	return true
}

// sideOf returns the sign of exact minus r, where exact is finite; an
// infinite r means an overflow.
func sideOf(exact *big.Float, r float64) float64 {
	if math.IsInf(r, 0) {
		return -math.Copysign(1, r)
	}
	return float64(exact.Cmp(exactly(r)))
}

// directedBinary returns add, sub, mul or div of f64.
func directedBinary(op, mode string) func(a, b uint64) uint64 {
	return func(ab, bb uint64) uint64 {
		a, b := f64of(ab), f64of(bb)
		switch op {
		case "sub":
			return math.Float64bits(fma64(1, a, -b, mode))
		case "add":
			return math.Float64bits(fma64(1, a, b, mode))
		case "mul":
			r := a * b
			if finite(a, b) {
				r = round64(r, sideOf(exactly(0).Mul(exactly(a), exactly(b)), r), mode)
			}
			return math.Float64bits(r)
		}
		r := a / b
		if finite(a, b) && b != 0 {
			r = round64(r, quotientSide(a, b, r), mode)
		}
		return math.Float64bits(r)
	}
}

// quotientSide returns the sign of a/b minus r: that of a - r*b, by b's sign.
func quotientSide(a, b, r float64) float64 {
	if math.IsInf(r, 0) {
		return -math.Copysign(1, r)
	}
	rb := exactly(0).Mul(exactly(r), exactly(b))
	return float64(exactly(a).Cmp(rb)) * math.Copysign(1, b)
}

// fma64 rounds a*b+c once.
func fma64(a, b, c float64, mode string) float64 {
	r := math.FMA(a, b, c)
	if mode == "rn" || !finite(a, b, c) {
		return r
	}
	ab := a * b // its sign is right where the sum is zero: it is zero itself or cancels c
	switch {
	case a == 0 || b == 0:
		return zeroSign(r, c, 0, ab, c, mode)
	case moderate(ab) && (c == 0 || moderate(c)):
		err := fmaError(a, b, c, r)
		return round64(zeroSign(r, r, err, ab, c, mode), err, mode)
	}
	p := exactly(0).Mul(exactly(a), exactly(b))
	sum := exactly(0).Add(p, exactly(c))
	if sum.Sign() == 0 {
		return zeroSign(r, 0, 0, ab, c, mode)
	}
	return round64(r, sideOf(sum, r), mode)
}

// moderate reports whether the errors of sums and products of x and its like are doubles.
func moderate(x float64) bool {
	x = math.Abs(x)
	return x > 0x1p-400 && x < 0x1p400
}

// fmaError returns the sign of a*b+c minus r, its nearest double (Boldo and Muller, Exact and approximated
// error of the FMA, 2011).
func fmaError(a, b, c, r float64) float64 {
	p := float64(a * b)
	low := math.FMA(a, b, -p)
	s, z := sumError(c, low)
	t, u := sumError(p, s)
	return float64(float64(t-r)+u) + z
}

// unarySide returns the sign of exact minus r for rcp and sqrt.
func unarySide(op string, x, r float64) float64 {
	switch {
	case op == "rcp" && x != 0 && finite(x):
		return quotientSide(1, x, r)
	case op == "sqrt" && finite(x, r):
		return float64(exactly(x).Cmp(exactly(0).Mul(exactly(r), exactly(r))))
	}
	return 0
}
