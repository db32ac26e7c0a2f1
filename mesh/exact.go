package mesh

import (
	"math"
	"math/big"
)

// This file decides the predicates for coordinates of any magnitude. Every
// finite float64 is an integer times a power of two; scaled by the smallest of
// these powers all coordinates are integers, and scaling changes no sign. The
// integers may have two thousand bits, so this is slow, and happens only for
// coordinates beyond 2^±200.

// integers returns v scaled to integers by a common power of two, or nil if
// some value is not finite.
func integers(v ...float64) []*big.Int {
	low := math.MaxInt
	mant, exp := make([]int64, len(v)), make([]int, len(v))
	for i, x := range v {
		if !finite(x) {
			return nil
		}
		f, e := math.Frexp(x)
		mant[i], exp[i] = int64(math.Ldexp(f, 53)), e-53
		if x != 0 {
			low = min(low, exp[i])
		}
	}
	out := make([]*big.Int, len(v))
	for i := range v {
		out[i] = big.NewInt(mant[i])
		if mant[i] != 0 {
			out[i].Lsh(out[i], uint(exp[i]-low))
		}
	}
	return out
}

// cross returns px·qy - qx·py.
func cross(px, py, qx, qy *big.Int) *big.Int {
	l := new(big.Int).Mul(px, qy)
	return l.Sub(l, new(big.Int).Mul(qx, py))
}

// orientBig is Orient2D in integers.
func orientBig(ax, ay, bx, by, cx, cy float64) int {
	v := integers(ax, ay, bx, by, cx, cy)
	if v == nil {
		return 0
	}
	for i := range 4 {
		v[i].Sub(v[i], v[4+i&1])
	}
	return cross(v[0], v[1], v[2], v[3]).Sign()
}

// inCircleBig is InCircle in integers.
func inCircleBig(ax, ay, bx, by, cx, cy, dx, dy float64) int {
	v := integers(ax, ay, bx, by, cx, cy, dx, dy)
	if v == nil {
		return 0
	}
	for i := range 6 {
		v[i].Sub(v[i], v[6+i&1])
	}
	det := new(big.Int)
	for k := range 3 {
		p, q, r := 2*k, 2*((k+1)%3), 2*((k+2)%3)
		lift := new(big.Int).Mul(v[p], v[p])
		lift.Add(lift, new(big.Int).Mul(v[p+1], v[p+1]))
		det.Add(det, lift.Mul(lift, cross(v[q], v[q+1], v[r], v[r+1])))
	}
	return det.Sign()
}
