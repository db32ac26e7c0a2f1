package ptxgen

import (
	"slices"

	"irgl/internal/ssa"
)

// This file chooses between the precise and the fast forms of float instructions, as nvcc's
// -ftz, -prec-div and -prec-sqrt do. Inline PTX is left as it is.

// precision returns the mode that the options give an operation in place of rounding to nearest.
func (g *fgen) precision(v *ssa.Value) string {
	switch {
	case v.Type != ssa.F32:
	case v.Op == ssa.OpFDiv:
		return g.opts.Division
	case v.Op == ssa.OpFSqrt:
		return g.opts.SquareRoot
	}
	return ""
}

// flushed returns an instruction, as its parts between dots, with .ftz where it may have that.
func flushed(parts []string) []string {
	at := slices.Index(parts, "f32") // of the first type or the only one
	if at < 0 || slices.Contains(parts, "ftz") {
		return parts
	}
	switch parts[0] {
	case "add", "sub", "mul", "fma", "div", "abs", "neg", "min", "max", "rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "setp":
	case "cvt":
		// From a float, or between floats: the types are the last two parts.
		to, from := parts[len(parts)-2], parts[len(parts)-1]
		if from != "f32" && from != "f64" || to == "f16" || to == "bf16" {
			return parts
		}
		at = len(parts) - 2
	default:
		return parts
	}
	for _, last := range []string{"sat", "NaN"} {
		if i := slices.Index(parts, last); i >= 0 {
			at = min(at, i)
		}
	}
	return slices.Insert(slices.Clone(parts), at, "ftz")
}
