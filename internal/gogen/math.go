package gogen

// addMathNames adds the functions of <math.h> beyond the commonest.
func addMathNames(m map[string]string) {
	for name, goName := range map[string]string{
		"expm1": "Expm1", "log1p": "Log1p", "asin": "Asin", "acos": "Acos", "atan": "Atan", "sinh": "Sinh", "cosh": "Cosh",
		"tanh": "Tanh", "asinh": "Asinh", "acosh": "Acosh", "atanh": "Atanh", "erf": "Erf", "erfc": "Erfc", "cbrt": "Cbrt",
		"atan2": "Atan2", "hypot": "Hypot", "copysign": "Copysign", "remainder": "Remainder",
	} {
		m[name] = "math." + goName
	}
}
