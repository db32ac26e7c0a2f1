package rt

import (
	"math"
	"math/bits"
	"unsafe"
)

// V returns x. Generated code wraps a constant in it where Go would otherwise
// compute, and refuse, a constant expression.
func V[T any](x T) T { return x }

// B returns a condition as C's 0 or 1.
func B[T Scalar](c bool) T {
	if c {
		return 1
	}
	return 0
}

// Div is C's division of integers; division by zero gives all bits set.
func Div[T Int](x, y T) T {
	if y == 0 {
		return ^T(0)
	}
	return x / y
}

// Rem is C's remainder of integers; that of a division by zero is x.
func Rem[T Int](x, y T) T {
	if y == 0 {
		return x
	}
	return x % y
}

// ToInt converts a floating value to an integer as the target machine does:
// toward zero, to the nearest value of the type, NaN to 0.
func ToInt[T int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64, F float32 | float64](f F) T {
	x := float64(f)
	var zero T
	width := 8 * int(unsafe.Sizeof(zero))
	if ^zero > 0 { // unsigned
		switch limit := math.Ldexp(1, width); {
		case !(x > 0):
			return 0
		case x >= limit:
			return ^zero
		case x >= 1<<63:
			return T(uint64(x-1<<63) | 1<<63)
		}
		return T(int64(x))
	}
	limit := math.Ldexp(1, width-1)
	least := ^(zero | T(int64(math.MaxInt64)>>(64-width))) // sign bit alone
	switch {
	case x != x:
		return 0
	case x >= limit:
		return ^least
	case x < -limit:
		return least
	}
	return T(int64(x))
}

// PtrDiff returns p-q in elements of size bytes.
func PtrDiff(p, q unsafe.Pointer, size int64) int64 {
	return int64(uintptr(p)-uintptr(q)) / size
}

// F32 applies a function of doubles to a float.
func F32(f func(float64) float64, x float32) float32 { return float32(f(float64(x))) }

// FMin is C's fmin: the other operand when one is NaN.
func FMin[T float32 | float64](x, y T) T {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return min(x, y)
}

// FMax is C's fmax.
func FMax[T float32 | float64](x, y T) T {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return max(x, y)
}

// Abs is the absolute value of an integer, which wraps.
func Abs[T int32 | int64](x T) T {
	if x < 0 {
		return -x
	}
	return x
}

// FMA32 is fmaf: x*y+z, rounded once.
func FMA32(x, y, z float32) float32 {
	// The product is exact in a double, but the sum is rounded to a double and
	// then to a float. Rounding the sum to odd first makes the second rounding
	// right (Boldo and Melquiond).
	p := float64(x) * float64(y)
	s := p + float64(z)
	if math.IsInf(s, 0) || s != s {
		return float32(s)
	}
	t := s - p
	if e := (p - (s - t)) + (float64(z) - t); e != 0 && math.Float64bits(s)&1 == 0 {
		if (e > 0) == (s > 0) {
			s = math.Float64frombits(math.Float64bits(s) + 1)
		} else {
			s = math.Float64frombits(math.Float64bits(s) - 1)
		}
	}
	return float32(s)
}

// Rsqrt is 1/sqrt(x).
func Rsqrt(x float64) float64 { return 1 / math.Sqrt(x) }

// Popc counts the bits set in x.
func Popc(x uint32) int32 { return int32(bits.OnesCount32(x)) }

// Popcll counts the bits set in x.
func Popcll(x uint64) int32 { return int32(bits.OnesCount64(x)) }

// Clz counts the zero bits above the highest bit set.
func Clz(x uint32) int32 { return int32(bits.LeadingZeros32(x)) }

// Clzll counts the zero bits above the highest bit set.
func Clzll(x uint64) int32 { return int32(bits.LeadingZeros64(x)) }

// Ffs returns the position, from 1, of the lowest bit set; 0 without one.
func Ffs(x uint32) int32 {
	if x == 0 {
		return 0
	}
	return int32(bits.TrailingZeros32(x)) + 1
}

// Ffsll returns the position, from 1, of the lowest bit set; 0 without one.
func Ffsll(x uint64) int32 {
	if x == 0 {
		return 0
	}
	return int32(bits.TrailingZeros64(x)) + 1
}

// Brev reverses the bits of x.
func Brev(x uint32) uint32 { return bits.Reverse32(x) }

// Round is C's round: halves away from zero.
func Round(x float64) float64 { return math.Round(x) }
