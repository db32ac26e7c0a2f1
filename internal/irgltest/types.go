package irgltest

import (
	"fmt"
	"math/rand/v2"
)

// A ctype is an arithmetic type of the generated programs.
type ctype struct {
	name     string
	size     int
	unsigned bool
	float    bool
	format   string // of printf, for a value converted to what it wants
}

// The arithmetic types.
var (
	tBool   = &ctype{"bool", 1, true, false, "%d"}
	tChar   = &ctype{"char", 1, false, false, "%d"}
	tUChar  = &ctype{"unsigned char", 1, true, false, "%u"}
	tShort  = &ctype{"short", 2, false, false, "%d"}
	tUShort = &ctype{"unsigned short", 2, true, false, "%d"}
	tInt    = &ctype{"int", 4, false, false, "%d"}
	tUInt   = &ctype{"unsigned", 4, true, false, "%u"}
	tLong   = &ctype{"long", 8, false, false, "%ld"}
	tULong  = &ctype{"unsigned long", 8, true, false, "%lu"}
	tLL     = &ctype{"long long", 8, false, false, "%lld"}
	tFloat  = &ctype{"float", 4, false, true, "%g"}
	tDouble = &ctype{"double", 8, false, true, "%.17g"}
)

var (
	allTypes    = []*ctype{tBool, tChar, tUChar, tShort, tUShort, tInt, tInt, tInt, tUInt, tUInt, tLong, tLong, tULong, tLL, tFloat, tFloat, tDouble, tDouble}
	atomicTypes = []*ctype{tInt, tInt, tUInt, tLong, tULong, tLL}
)

// promoted returns the type of an operand after C's integer promotion.
func promoted(t *ctype) *ctype {
	if !t.float && t.size < 4 {
		return tInt
	}
	return t
}

// common returns the type of the usual arithmetic conversions.
func common(a, b *ctype) *ctype {
	a, b = promoted(a), promoted(b)
	switch {
	case a == tDouble || b == tDouble:
		return tDouble
	case a == tFloat || b == tFloat:
		return tFloat
	case a.size > b.size:
		return a
	case b.size > a.size:
		return b
	case a.unsigned:
		return a
	}
	return b
}

// literal returns a literal that has type t, most often a small one.
func literal(r *rand.Rand, t *ctype) string {
	if t.float {
		s := []string{"0.0", "1.0", "0.5", "-2.25", "3.0", "0.1", "100.0", "1e9", "-7e-3", "16777217.0", "3e20", "-1.5"}[r.IntN(12)]
		if t == tFloat {
			s += "f"
		}
		if s[0] == '-' {
			return "(" + s + ")"
		}
		return s
	}
	var v int64
	switch r.IntN(8) {
	case 0:
		v = []int64{127, 128, 255, 256, 32767, 65535, 2147483647, 1000000007}[r.IntN(8)]
	case 1:
		v = -int64(r.IntN(200))
	default:
		v = int64(r.IntN(12))
	}
	suffix := ""
	switch t {
	case tBool:
		return []string{"false", "true"}[v&1]
	case tUInt:
		suffix = "u"
	case tLong:
		suffix = "L"
	case tULong:
		suffix = "UL"
	case tLL:
		suffix = "LL"
	case tChar, tUChar, tShort, tUShort:
		return fmt.Sprintf("(%s)%d", t.name, abs(v))
	}
	if t.unsigned {
		v = abs(v)
	} else if t.size == 8 && r.IntN(10) == 0 {
		v = v*0x123456789 + 1
	}
	if v < 0 {
		return fmt.Sprintf("(%d%s)", v, suffix)
	}
	return fmt.Sprintf("%d%s", v, suffix)
}

func abs(v int64) int64 { return max(v, -v) }

// atomicOps returns the modes that atomics give a place of type t; see [mode].
func atomicOps(t *ctype) []string {
	if t.float {
		return []string{"sum"}
	}
	ops := []string{"add", "min", "max", "and", "or", "xor", "exch", "cas"}
	if t == tUInt {
		ops = append(ops, "inc", "dec")
	}
	return ops
}
