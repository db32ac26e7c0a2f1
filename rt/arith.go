package rt

import (
	"math"
	"math/bits"
	"unsafe"
)

// Integer is the integer types of the kinds.
type Integer interface {
	int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64
}

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
func ToInt[T Integer, F float32 | float64](f F) T {
	x := float64(f)
	var zero T
	width := 8 * unsafe.Sizeof(zero)
	if zero-1 > zero { // unsigned
		switch {
		case !(x > 0):
			return 0
		case x >= float64(uint64(1)<<(width-1))*2:
			return zero - 1
		case x >= 1<<63:
			return T(uint64(x-1<<63) | 1<<63)
		}
		return T(int64(x))
	}
	limit := float64(uint64(1) << (width - 1))
	switch {
	case x != x:
		return 0
	case x >= limit:
		v := uint64(1)<<(width-1) - 1
		return T(v)
	case x < -limit:
		v := uint64(1) << (width - 1)
		return T(v)
	}
	return T(int64(x))
}

// PtrDiff returns p-q in elements of size bytes.
func PtrDiff(p, q unsafe.Pointer, size int64) int64 {
	return int64(uintptr(p)-uintptr(q)) / size
}

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
func Clz(x int32) int32 { return int32(bits.LeadingZeros32(uint32(x))) }

// Clzll counts the zero bits above the highest bit set.
func Clzll(x int64) int32 { return int32(bits.LeadingZeros64(uint64(x))) }

// Ffs returns the position, from 1, of the lowest bit set; 0 without one.
func Ffs(x int32) int32 {
	if x == 0 {
		return 0
	}
	return int32(bits.TrailingZeros32(uint32(x))) + 1
}

// Ffsll returns the position, from 1, of the lowest bit set; 0 without one.
func Ffsll(x int64) int32 {
	if x == 0 {
		return 0
	}
	return int32(bits.TrailingZeros64(uint64(x))) + 1
}

// Brev reverses the bits of x.
func Brev(x uint32) uint32 { return bits.Reverse32(x) }

// Brevll reverses the bits of x.
func Brevll(x uint64) uint64 { return bits.Reverse64(x) }

// Mulhi is the upper half of the product of two ints.
func Mulhi(x, y int32) int32 { return int32(int64(x) * int64(y) >> 32) }

// Umulhi is the upper half of the product of two unsigned ints.
func Umulhi(x, y uint32) uint32 { return uint32(uint64(x) * uint64(y) >> 32) }

// Mul24 is the product of the low 24 bits of two ints.
func Mul24(x, y int32) int32 { return x << 8 >> 8 * (y << 8 >> 8) }

// Umul24 is the product of the low 24 bits of two unsigned ints.
func Umul24(x, y uint32) uint32 { return x & 0xffffff * (y & 0xffffff) }

// BytePerm makes a word of bytes of y:x: each nibble of s selects one, or, with
// its top bit set, that byte's sign.
func BytePerm(x, y, s uint32) uint32 {
	both := uint64(y)<<32 | uint64(x)
	var r uint32
	for i := range 4 {
		n := s >> (4 * i)
		b := uint8(both >> (8 * (n & 7)))
		if n&8 != 0 {
			b = uint8(int8(b) >> 7)
		}
		r |= uint32(b) << (8 * i)
	}
	return r
}

// Mul64hi is the upper half of the product of two long longs.
func Mul64hi(x, y int64) int64 {
	hi, _ := bits.Mul64(uint64(x), uint64(y))
	// The unsigned product of negative numbers has the other factor too much.
	return int64(hi) - x>>63&y - y>>63&x
}

// Umul64hi is the upper half of the product of two unsigned long longs.
func Umul64hi(x, y uint64) uint64 {
	hi, _ := bits.Mul64(x, y)
	return hi
}

// FloatAsInt and the following reinterpret the bits of their argument.
func FloatAsInt(x float32) int32 { return int32(math.Float32bits(x)) }

// FloatAsUint is the bits of a float.
func FloatAsUint(x float32) uint32 { return math.Float32bits(x) }

// IntAsFloat is the float with those bits.
func IntAsFloat(x int32) float32 { return math.Float32frombits(uint32(x)) }

// UintAsFloat is the float with those bits.
func UintAsFloat(x uint32) float32 { return math.Float32frombits(x) }

// DoubleAsLong is the bits of a double.
func DoubleAsLong(x float64) int64 { return int64(math.Float64bits(x)) }

// LongAsDouble is the double with those bits.
func LongAsDouble(x int64) float64 { return math.Float64frombits(uint64(x)) }
