package host

import "math"

// addMaths registers the less common functions of <math.h>.
func addMaths(m map[string]func(a, b, c float64) float64) {
	for name, f := range map[string]func(a float64) float64{
		"asinh": math.Asinh, "acosh": math.Acosh, "atanh": math.Atanh, "erfc": math.Erfc, "logb": math.Logb, "tgamma": math.Gamma,
		"exp10":  func(a float64) float64 { return math.Pow(10, a) },
		"lgamma": func(a float64) float64 { v, _ := math.Lgamma(a); return v },
		"rcbrt":  func(a float64) float64 { return 1 / math.Cbrt(a) },
	} {
		m[name] = of1(f)
	}
	for name, f := range map[string]func(a, b float64) float64{
		"remainder": math.Remainder, "rhypot": func(a, b float64) float64 { return 1 / math.Hypot(a, b) },
	} {
		m[name] = of2(f)
	}
}
