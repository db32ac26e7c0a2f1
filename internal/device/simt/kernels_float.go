package simt

import "math"

// The arithmetic of Go on float32 and float64 is that of IEEE 754, rounded to nearest even, as that of PTX by
// default; the conversions keep products and sums apart. A NaN of f32 is the canonical one.

func addF32(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = bits32(float32(f32of(a[i]) + f32of(b[i])))
	}
}

func subF32(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = bits32(float32(f32of(a[i]) - f32of(b[i])))
	}
}

func mulF32(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = bits32(float32(f32of(a[i]) * f32of(b[i])))
	}
}

func addF64(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = math.Float64bits(f64of(a[i]) + f64of(b[i]))
	}
}

func mulF64(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = math.Float64bits(float64(f64of(a[i]) * f64of(b[i])))
	}
}

// subF64 adds to the negative, whose NaN has the other sign.
func subF64(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = math.Float64bits(f64of(b[i]^1<<63) + f64of(a[i]))
	}
}

func divF64(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = math.Float64bits(f64of(a[i]) / f64of(b[i]))
	}
}

func divF32(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = bits32(f32of(a[i]) / f32of(b[i]))
	}
}

func negF64(d, a []uint64) {
	a = a[:len(d)]
	for i := range d {
		d[i] = a[i] ^ 1<<63
	}
}

func absF64(d, a []uint64) {
	a = a[:len(d)]
	for i := range d {
		d[i] = a[i] &^ (1 << 63)
	}
}

func sqrtF64(d, a []uint64) {
	a = a[:len(d)]
	for i := range d {
		d[i] = math.Float64bits(math.Sqrt(f64of(a[i])))
	}
}

// sqrtF32 rounds the square root in double once more, which is exact: it has more than twice as many bits.
func sqrtF32(d, a []uint64) {
	a = a[:len(d)]
	for i := range d {
		d[i] = bits32(float32(math.Sqrt(float64(f32of(a[i])))))
	}
}

func fmaF64(d, a, b, c []uint64) {
	a, b, c = a[:len(d)], b[:len(d)], c[:len(d)]
	for i := range d {
		d[i] = math.Float64bits(math.FMA(f64of(a[i]), f64of(b[i]), f64of(c[i])))
	}
}

// fmaF32 computes in double, where the product is exact. Rounding the sum twice goes wrong only where the first
// rounding ends half-way between two values of f32, of which the last 29 bits of a double tell for normal ones.
func fmaF32(d, a, b, c []uint64) {
	a, b, c = a[:len(d)], b[:len(d)], c[:len(d)]
	for i := range d {
		p, x := float64(float64(f32of(a[i]))*float64(f32of(b[i]))), float64(f32of(c[i]))
		r := p + x
		if u := math.Float64bits(r); u&0x1fffffff == 0x10000000 || math.Abs(r) < 0x1p-126 {
			s, err := sumError(p, x)
			r = toOdd(s, err)
		}
		d[i] = bits32(float32(r))
	}
}

func lessF32(a, b []uint64) (t uint32) {
	b = b[:len(a)]
	for i := range a {
		t |= bit(f32of(a[i]) < f32of(b[i])) << i
	}
	return t
}

func lessEqualF32(a, b []uint64) (t uint32) {
	b = b[:len(a)]
	for i := range a {
		t |= bit(f32of(a[i]) <= f32of(b[i])) << i
	}
	return t
}

func equalF32(a, b []uint64) (t uint32) {
	b = b[:len(a)]
	for i := range a {
		t |= bit(f32of(a[i]) == f32of(b[i])) << i
	}
	return t
}

func lessF64(a, b []uint64) (t uint32) {
	b = b[:len(a)]
	for i := range a {
		t |= bit(f64of(a[i]) < f64of(b[i])) << i
	}
	return t
}

func lessEqualF64(a, b []uint64) (t uint32) {
	b = b[:len(a)]
	for i := range a {
		t |= bit(f64of(a[i]) <= f64of(b[i])) << i
	}
	return t
}

func equalF64(a, b []uint64) (t uint32) {
	b = b[:len(a)]
	for i := range a {
		t |= bit(f64of(a[i]) == f64of(b[i])) << i
	}
	return t
}
