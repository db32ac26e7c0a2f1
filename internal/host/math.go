package host

import "math"

// addMaths registers the less common functions of <math.h>.
func addMaths(m map[string]func(a, b, c float64) float64) {
	for name, f := range map[string]func(a float64) float64{
		"asinh": math.Asinh, "acosh": math.Acosh, "atanh": math.Atanh, "erfc": math.Erfc, "logb": math.Logb, "tgamma": math.Gamma,
		"exp10":  func(a float64) float64 { return math.Pow(10, a) },
		"lgamma": func(a float64) float64 { v, _ := math.Lgamma(a); return v },
		"rcbrt":  func(a float64) float64 { return 1 / math.Cbrt(a) },
		"j0":     math.J0, "j1": math.J1, "y0": math.Y0, "y1": math.Y1, "erfcx": erfcx,
	} {
		m[name] = of1(f)
	}
	for name, f := range map[string]func(a, b float64) float64{
		"remainder": math.Remainder, "rhypot": func(a, b float64) float64 { return 1 / math.Hypot(a, b) },
		"jn": func(a, b float64) float64 { return math.Jn(int(a), b) },
		"yn": func(a, b float64) float64 { return math.Yn(int(a), b) },
	} {
		m[name] = of2(f)
	}
}

// erfcx is e^(x^2) erfc(x); from 25 on, where erfc is subnormal, by its asymptotic series.
func erfcx(x float64) float64 {
	if x >= 25 {
		z := 0.5 / (x * x)
		return 1 / math.Sqrt(math.Pi) / x * (1 - z*(1-3*z*(1-5*z*(1-7*z))))
	}
	square := x * x
	rest := math.FMA(x, x, -square)
	if math.IsInf(square, 0) {
		rest = 0
	}
	e := math.Exp(square)
	return math.Erfc(x) * math.FMA(e, rest, e)
}
