package nvccdiff

import (
	"bytes"
	"fmt"
	"math"
)

// MaxULP is how many units in the last place floating-point results may differ.
const MaxULP = 4

// A format is a floating-point format: the bits of its numbers and of their fractions.
type format struct{ bits, fraction uint }

var formats = map[kind]format{half: {16, 10}, bfloat: {16, 7}, float: {32, 23}, double: {64, 52}}

// distance returns how many numbers of the format are between a and b; 0 for two NaNs. Infinities
// equal only themselves.
func (f format) distance(a, b uint64) uint64 {
	switch {
	case a == b || f.isNaN(a) && f.isNaN(b):
		return 0
	case !f.isFinite(a) || !f.isFinite(b):
		return math.MaxUint64
	}
	x, y := f.order(a), f.order(b)
	if x < y {
		x, y = y, x
	}
	return uint64(x) - uint64(y)
}

// order maps numbers to integers in the same order, both zeros to 0.
func (f format) order(a uint64) int64 {
	sign := uint64(1) << (f.bits - 1)
	if a&sign != 0 {
		return -int64(a &^ sign)
	}
	return int64(a)
}

func (f format) isNaN(a uint64) bool {
	sign := uint64(1) << (f.bits - 1)
	infinity := sign - 1<<f.fraction
	return a&^sign > infinity
}

func (f format) isFinite(a uint64) bool {
	sign := uint64(1) << (f.bits - 1)
	return a&^sign < sign-1<<f.fraction
}

// isNormal reports whether the bits are neither zero nor of a subnormal number, infinity or NaN.
func (f format) isNormal(a uint64) bool {
	largest := uint64(1)<<(f.bits-1-f.fraction) - 1
	exponent := a >> f.fraction & largest
	return exponent != 0 && exponent != largest
}

func (f format) text(a uint64) string {
	switch f {
	case formats[float]:
		return fmt.Sprint(math.Float32frombits(uint32(a)))
	case formats[double]:
		return fmt.Sprint(math.Float64frombits(a))
	}
	return fmt.Sprintf("%#04x", a)
}

// compare returns the first difference of two contents of a buffer, "" if they agree.
func (b *buffer) compare(ours, theirs []byte, ulps uint64) string {
	if bytes.Equal(ours, theirs) {
		return ""
	}
	for at := int64(0); at+b.stride <= int64(len(ours)); at += b.stride {
		for i := range b.leaves {
			l := &b.leaves[i]
			from, to := at+l.at, at+l.at+l.size
			if d := l.compare(ours[from:to], theirs[from:to], ulps); d != "" {
				return fmt.Sprintf("%s, byte %d: %s", b.name, from, d)
			}
		}
	}
	return "" // padding and pointers
}

func (l *leaf) compare(ours, theirs []byte, ulps uint64) string {
	if l.kind == pointer || bytes.Equal(ours, theirs) {
		return ""
	}
	x, y := get(ours, l.size), get(theirs, l.size)
	f, ok := l.format(x, y)
	switch {
	case !ok:
		return fmt.Sprintf("%d, nvcc's %d", x, y)
	case f.distance(x, y) > ulps:
		return fmt.Sprintf("%s, nvcc's %s (%#x, %#x)", f.text(x), f.text(y), x, y)
	}
	return ""
}

// format returns the format in which two contents of l are compared; false if they are integers.
func (l *leaf) format(x, y uint64) (format, bool) {
	f, ok := formats[l.kind]
	if l.kind == untyped { // floats, if both are normal numbers: others are more likely integers
		f = formats[float]
		ok = f.isNormal(x) && f.isNormal(y)
	}
	return f, ok
}
