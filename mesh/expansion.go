package mesh

import "math"

// An expansion is a sum of float64s that is not rounded: a slice of components
// in order of rising magnitude, no two of which have bits of the same weight,
// none of them zero. The empty expansion is zero. The largest component, which
// is the last, has the sign of the sum.
//
// The functions here append to a destination of enough capacity on the
// caller's stack; none of them allocates then.

// twoSum returns a+b rounded, and the error of the rounding.
func twoSum(a, b float64) (s, err float64) {
	s = a + b
	bv := s - a
	av := s - bv
	return s, (a - av) + (b - bv)
}

// twoProduct returns a·b rounded, and the error of the rounding.
func twoProduct(a, b float64) (p, err float64) {
	p = float64(a * b) // the conversion keeps p from being fused with a later sum
	return p, math.FMA(a, b, -p)
}

// difference stores the expansion of a-b in buf.
func difference(buf *[2]float64, a, b float64) []float64 {
	d, err := twoSum(a, -b)
	e := buf[:0]
	if err != 0 {
		e = append(e, err)
	}
	if d != 0 {
		e = append(e, d)
	}
	return e
}

// sign returns the sign of e.
func sign(e []float64) int {
	switch {
	case len(e) == 0:
		return 0
	case e[len(e)-1] > 0:
		return 1
	}
	return -1
}

// negate changes the sign of e in place.
func negate(e []float64) []float64 {
	for i := range e {
		e[i] = -e[i]
	}
	return e
}

// sum appends e+f to dst, at most len(e)+len(f) components: the two are merged
// by magnitude and added up from the smallest, keeping each rounding error.
// (Shewchuk's FAST-EXPANSION-SUM with the general two-term addition, so that it
// holds for every pair of nonoverlapping expansions that the operations here
// produce; see his Theorem 13.)
func sum(dst, e, f []float64) []float64 {
	if len(e) == 0 {
		return append(dst, f...)
	}
	if len(f) == 0 {
		return append(dst, e...)
	}
	var q float64
	i, j := 0, 0
	for i < len(e) || j < len(f) {
		var next float64
		if j == len(f) || i < len(e) && math.Abs(e[i]) < math.Abs(f[j]) {
			next = e[i]
			i++
		} else {
			next = f[j]
			j++
		}
		var err float64
		if q, err = twoSum(q, next); err != 0 {
			dst = append(dst, err)
		}
	}
	if q != 0 {
		dst = append(dst, q)
	}
	return dst
}

// scale appends e·b to dst, at most 2·len(e) components (Shewchuk's
// SCALE-EXPANSION).
func scale(dst, e []float64, b float64) []float64 {
	var q float64
	for i, x := range e {
		p, low := twoProduct(x, b)
		if i == 0 {
			q = p
			if low != 0 {
				dst = append(dst, low)
			}
			continue
		}
		s, err := twoSum(q, low)
		if err != 0 {
			dst = append(dst, err)
		}
		if q, err = twoSum(p, s); err != 0 {
			dst = append(dst, err)
		}
	}
	if q != 0 {
		dst = append(dst, q)
	}
	return dst
}

// product appends e·f to dst, at most 2·len(e)·len(f) components. It adds
// one multiple of the longer expansion for each component of the shorter.
func product(dst, e, f []float64) []float64 {
	if len(e) < len(f) {
		e, f = f, e
	}
	switch len(f) {
	case 0:
		return dst
	case 1:
		return scale(dst, e, f[0])
	case 2:
		var low, high [32]float64
		return sum(dst, scale(low[:0], e, f[0]), scale(high[:0], e, f[1]))
	}
	return longProduct(dst, e, f)
}

// longProduct is product for any number of components up to 16, the most that
// the predicates can produce. Its buffers are large, which is why it is a
// function of its own.
func longProduct(dst, e, f []float64) []float64 {
	var row [32]float64
	var acc [2][512]float64
	total := scale(acc[0][:0], e, f[0])
	for k, b := range f[1:] {
		total = sum(acc[(k+1)&1][:0], total, scale(row[:0], e, b))
	}
	return append(dst, total...)
}
