package simt

import (
	"math"
	"slices"

	"irgl/internal/ptx"
)

// convert returns a conversion from m.u to m.t.
func convert(m mods) func(a uint64) uint64 {
	to, from := m.t, m.u
	if from == "" {
		from = to // cvt.rni.f32.f32 has both; a text with one type is refused
	}
	toFloat, fromFloat := isFloat(to), isFloat(from)
	switch {
	case toFloat && fromFloat:
		return floatToFloat(m, to, from)
	case toFloat:
		return intToFloat(m, to, from)
	case fromFloat:
		return floatToInt(m, to, from)
	}
	return intToInt(m, to, from)
}

// intToInt truncates or extends; .sat clamps to the destination's range.
func intToInt(m mods, to, from ptx.Type) func(a uint64) uint64 {
	mask, fromMask, fromSize := typeMask(to), typeMask(from), from.Size()
	fromSigned, toSigned := from[0] == 's', to[0] == 's'
	if !m.has("sat") {
		if fromSigned {
			return func(a uint64) uint64 { return uint64(signExtend(a, fromSize)) & mask }
		}
		return func(a uint64) uint64 { return a & fromMask & mask }
	}
	toMax := mask
	var toMin int64
	if toSigned {
		toMax = mask >> 1
		toMin = -int64(toMax) - 1
	}
	return func(a uint64) uint64 {
		if fromSigned {
			v := signExtend(a, fromSize)
			if v < 0 {
				return uint64(max(v, toMin)) & mask
			}
			return min(uint64(v), toMax)
		}
		return min(a&fromMask, toMax)
	}
}

// decodeFloat returns the value of a float of type t as a double, exactly.
func decodeFloat(t ptx.Type, a uint64, ftz bool) float64 {
	switch t {
	case "f16":
		return f16.decode(uint16(a))
	case "bf16":
		return bf16.decode(uint16(a))
	case "f32":
		if ftz {
			a = flush(a)
		}
		return float64(f32of(a))
	}
	return f64of(a)
}

// roundInt rounds to an integral value.
func roundInt(x float64, mode string) float64 {
	switch mode {
	case "rni":
		return math.RoundToEven(x)
	case "rmi":
		return math.Floor(x)
	case "rpi":
		return math.Ceil(x)
	}
	return math.Trunc(x)
}

func floatToInt(m mods, to, from ptx.Type) func(a uint64) uint64 {
	mode, ftz, mask, signed := m.first("rni", "rzi", "rmi", "rpi"), m.has("ftz"), typeMask(to), to[0] == 's'
	width := float64(8 * to.Size())
	lo, hi := 0.0, math.Exp2(width)
	if signed {
		lo, hi = -math.Exp2(width-1), math.Exp2(width-1)
	}
	// GPUs convert NaN to zero, but to the top bit where 64 bits take part.
	var nan uint64
	if from == "f64" || to.Size() == 8 {
		nan = mask ^ mask>>1
	}
	return func(a uint64) uint64 {
		x := decodeFloat(from, a, ftz)
		if x != x {
			return nan
		}
		x = roundInt(x, mode)
		switch {
		case x < lo:
			x = lo
		case x >= hi:
			if signed {
				return mask >> 1
			}
			return mask
		}
		if signed {
			return uint64(int64(x)) & mask
		}
		return uint64(x)
	}
}

func floatToFloat(m mods, to, from ptx.Type) func(a uint64) uint64 {
	ftz, sat := m.has("ftz"), m.has("sat")
	integral, mode := m.first("rni", "rzi", "rmi", "rpi"), rounding(m)
	format, _, _ := halfOf(to)
	finish := halfFinish(format, mods{list: slices.DeleteFunc(slices.Clone(m.list), func(s string) bool { return s != "relu" })})
	return func(a uint64) uint64 {
		x := decodeFloat(from, a, ftz)
		if integral != "" {
			x = math.Copysign(roundInt(x, integral), x)
		}
		if sat {
			switch {
			case !(x > 0):
				x = 0
			case x > 1:
				x = 1
			}
		}
		if x != x { // some conversions keep the payload, or cut it off
			switch {
			case to == "f32" && from == "f64":
				return a>>63<<31 | 0x7fc00000 | a>>29&0x3fffff
			case to == "f16" && from == "f64":
				return a>>63<<15 | 0x7e00 | a>>42&0x1ff
			case to == "f32" && from == "bf16":
				return a & 0xffff << 16
			}
		}
		switch to {
		case "f16":
			return uint64(finish(f16.encode(x, mode)))
		case "bf16":
			return uint64(finish(bf16.encode(x, mode)))
		case "f32":
			v := bits32(round32(x, mode))
			if ftz {
				v = flush(v)
			}
			return v
		}
		return math.Float64bits(x)
	}
}

func intToFloat(m mods, to, from ptx.Type) func(a uint64) uint64 {
	size, mask, signed, mode, sat := from.Size(), typeMask(from), from[0] == 's', rounding(m), m.has("sat")
	return func(a uint64) uint64 {
		a &= mask
		neg := signed && signExtend(a, size) < 0
		if neg {
			a = uint64(-signExtend(a, size))
		}
		x, err := uintToFloat(a)
		if neg {
			x, err = -x, -err
		}
		if sat {
			x, err = max(0, min(x, 1)), 0
		}
		switch to {
		case "f16":
			return uint64(f16.encode(toOdd(x, err), mode))
		case "bf16":
			return uint64(bf16.encode(toOdd(x, err), mode))
		case "f32":
			return bits32(round32(toOdd(x, err), mode))
		}
		return math.Float64bits(round64(x, err, mode))
	}
}

// uintToFloat returns the nearest double and the sign of the rest.
func uintToFloat(a uint64) (x, err float64) {
	x = float64(a)
	if x >= 1<<64 {
		return x, -1
	}
	switch back := uint64(x); {
	case a > back:
		return x, 1
	case a < back:
		return x, -1
	}
	return x, 0
}

// atomicOp returns what an atomic stores for the old value a and the
// operands b and c.
func atomicOp(op string, m mods) func(a, b, c uint64) uint64 {
	switch op {
	case "exch":
		return func(_, b, _ uint64) uint64 { return b }
	case "cas":
		return func(a, b, c uint64) uint64 {
			if a == b {
				return c
			}
			return a
		}
	case "inc":
		return func(a, b, _ uint64) uint64 {
			if a >= b {
				return 0
			}
			return a + 1
		}
	case "dec":
		return func(a, b, _ uint64) uint64 {
			if a == 0 || a > b {
				return b
			}
			return a - 1
		}
	}
	var f func(a, b uint64) uint64
	switch {
	case op == "add" && m.t == "f32":
		// Atomics on f32 in global memory flush subnormals on some GPUs and
		// not on others; here they are kept.
		f = floatBinary("add", mods{t: "f32"})
	case op == "add" && m.t == "f64":
		f = floatBinary("add", mods{t: "f64"})
	case isHalf(m.t):
		return halfOp(op, mods{t: m.t})
	default:
		f = intBinary(op, m)
	}
	return func(a, b, _ uint64) uint64 { return f(a, b) }
}
