package nvccdiff

import "math"

// special says which numbers of an attempt are special ones.
type special uint8

const (
	noSpecial       special = iota
	specialFloats           // a quarter of the floating-point numbers
	extremeIntegers         // a half of the integers in memory, of about half of the members
	numSpecials
)

func (s special) String() string {
	return [numSpecials]string{"", "special floating-point numbers", "extreme integers"}[s]
}

// maxSpecial is how many attempts with special numbers are made.
const maxSpecial = 6

// float draws the bits of a floating-point number. Special ones have no products that overflow, since then
// contraction decides whether a sum is infinite.
func (a *attempt) float(l *leaf) uint64 {
	x := l.bits(a.number())
	if a.special != specialFloats || a.odd.IntN(4) != 0 {
		return x
	}
	f := formats[l.kind]
	sign := uint64(1) << (f.bits - 1)
	infinity := sign - 1<<f.fraction
	var magnitude uint64
	switch a.odd.IntN(6) {
	case 0:
		magnitude = infinity | 1<<(f.fraction-1) // NaN
	case 1:
		magnitude = infinity
	case 2: // zero
	case 3: // subnormal
		magnitude = a.odd.Uint64N(1 << f.fraction)
	case 4: // small, with subnormal squares
		magnitude = infinity/4&^(1<<f.fraction-1) | a.odd.Uint64N(1<<f.fraction)
	case 5: // large, with finite squares
		magnitude = (infinity/2 + infinity/5) &^ (1<<f.fraction - 1)
	}
	if a.odd.IntN(2) == 0 {
		magnitude |= sign
	}
	return magnitude
}

// extremes are integers at which operations change their behaviour: signs, shift counts at and
// above the width, carries into the upper half of 64 bits.
var extremes = []int64{
	0, 1, -1, 2, -2, 31, 32, 33, 63, 64, 65, 127, 128, -128, 255, 256, math.MaxInt16, math.MinInt16, math.MaxUint16, math.MaxUint16 + 1,
	math.MaxInt32, math.MinInt32, math.MaxInt32 - 1, math.MinInt32 + 1, math.MaxUint32, math.MaxUint32 + 1, math.MaxInt64, math.MinInt64,
}

// extreme returns v, an integer for memory, or in its place an extreme one.
func (a *attempt) extreme(l *leaf, v uint64) uint64 {
	if a.special != extremeIntegers {
		return v
	}
	if _, drawn := a.extremeLeaf[l]; !drawn {
		if a.extremeLeaf == nil {
			a.extremeLeaf = map[*leaf]bool{}
		}
		a.extremeLeaf[l] = a.odd.IntN(2) == 0
	}
	if !a.extremeLeaf[l] || a.odd.IntN(2) == 0 {
		return v
	}
	if a.odd.IntN(3) == 0 {
		return a.odd.Uint64()
	}
	return uint64(extremes[a.odd.IntN(len(extremes))])
}
