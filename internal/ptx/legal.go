package ptx

import "slices"

// illegal says why a combination of modifiers and types that the table's row
// allows is not legal PTX, or returns "".
func illegal(in *Inst, t, u Type) string {
	has := func(m string) bool { return slices.Contains(in.Mods, m) }
	switch in.Op {
	case "cvt":
		if t == "" || u == "" {
			return "" // its row says it all
		}
		return illegalCvt(in, t, u)
	case "setp", "set":
		c := t
		if in.Op == "set" {
			c = u
		}
		switch {
		case isBits(c) && !has("eq") && !has("ne"):
			return "untyped bits only compare for equality"
		case c[0] != 'u' && (has("lo") || has("ls") || has("hi") || has("hs")):
			return "lo, ls, hi and hs compare unsigned values"
		case has("ftz") && c != "f32" && c != "f16" && c != "f16x2":
			return ".ftz is for f32 and f16"
		}
	case "slct":
		if has("ftz") && u != "f32" {
			return ".ftz is for f32"
		}
	}
	return ""
}

// illegalCvt knows which rounding a conversion must and must not name, and
// when .sat and .ftz have a meaning.
func illegalCvt(in *Inst, t, u Type) string {
	any := func(list ...string) bool {
		return slices.ContainsFunc(in.Mods, func(m string) bool { return slices.Contains(list, m) })
	}
	if t == "f16x2" || t == "bf16x2" {
		return "" // its row names the roundings
	}
	rnd, irnd := any("rn", "rz", "rm", "rp"), any("rni", "rzi", "rmi", "rpi")
	switch {
	case (t == "bf16" || u == "bf16") && any("sat"):
		return ".sat is not for bf16"
	case isHalf(t) && isHalf(u) && t != u && any("ftz"):
		return ".ftz is for f32"
	case isFloat(t) && (!isFloat(u) || t.Size() < u.Size() || isHalf(t) && isHalf(u) && t != u):
		if !rnd {
			return "the conversion needs a rounding: rn, rz, rm or rp"
		}
	case rnd:
		return "the conversion is exact and names no rounding"
	case isFloat(u) && !isFloat(t):
		if !irnd {
			return "the conversion needs a rounding to integer: rni, rzi, rmi or rpi"
		}
	case irnd && t != u:
		return "rounding to integer is for conversions from or within one float type"
	}
	switch {
	case any("ftz") && t != "f32" && u != "f32":
		return ".ftz is for f32"
	case any("sat") && !isFloat(t) && !isFloat(u) && covers(t, u):
		return ".sat has no effect: the destination holds every value"
	}
	return ""
}

// covers reports whether integer type t holds every value of u.
func covers(t, u Type) bool {
	if t[0] == u[0] {
		return t.Size() >= u.Size()
	}
	return t[0] == 's' && t.Size() > u.Size()
}
