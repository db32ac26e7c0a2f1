package interp

import "math"

// addOneFloat and addTwoFloats add the functions of <math.h> beyond the
// commonest.
func addOneFloat(m map[string]func(x float64) float64) {
	for name, f := range map[string]func(x float64) float64{
		"expm1": math.Expm1, "log1p": math.Log1p, "asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
		"sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh, "asinh": math.Asinh, "acosh": math.Acosh, "atanh": math.Atanh,
		"erf": math.Erf, "erfc": math.Erfc, "cbrt": math.Cbrt,
	} {
		m[name] = f
	}
}

func addTwoFloats(m map[string]func(x, y float64) float64) {
	for name, f := range map[string]func(x, y float64) float64{
		"atan2": math.Atan2, "hypot": math.Hypot, "copysign": math.Copysign, "remainder": math.Remainder,
	} {
		m[name] = f
	}
}
