package mesh

import "math"

// This file has the two predicates that every decision about a triangulation
// rests on. Each is the sign of a determinant of the coordinates, and each is
// exact: computed first in float64 with a bound on the rounding error, and
// only when the bound is larger than the result with expansions (see
// expansion.go). The method is that of J. R. Shewchuk, "Adaptive Precision
// Floating-Point Arithmetic and Fast Robust Geometric Predicates", Discrete &
// Computational Geometry 18, 1997; the bounds are its ccwerrboundA and
// iccerrboundA.
//
// The paper assumes that no exponent overflows or underflows. Here that is not
// assumed: the first stage adds an absolute term to its bound that covers what
// underflow can cost and gives up when a product could overflow, and the exact
// stage goes to integers of any length (exact.go) for coordinates that
// expansions cannot take.

const (
	unit = 0x1p-53 // the relative error of one rounding

	orientBound = (3 + 16*unit) * unit
	circleBound = (10 + 96*unit) * unit

	// A product that underflows is off by at most 2^-1075. In Orient2D two
	// such errors are added; in InCircle six, each multiplied by a squared
	// distance that was seen to be at most circleMax.
	orientFloor = 0x1p-1070
	circleMax   = 0x1p400
	circleFloor = 0x1p-660
)

// Orient2D tells on which side of the directed line from a to b the point c
// lies: +1 on its left (a, b, c are counter-clockwise), -1 on its right, 0 on
// the line. The answer is exact for all finite coordinates, and 0 if any is
// infinite or NaN.
func Orient2D(ax, ay, bx, by, cx, cy float64) int {
	left := float64((ax - cx) * (by - cy))
	right := float64((ay - cy) * (bx - cx))
	det := left - right
	bound := orientBound*(math.Abs(left)+math.Abs(right)) + orientFloor
	if det > bound {
		return 1
	}
	if -det > bound {
		return -1
	}
	return orientExact(ax, ay, bx, by, cx, cy)
}

// InCircle tells where d lies with regard to the circle through a, b and c,
// which must be counter-clockwise: +1 inside, -1 outside, 0 on the circle. If
// a, b and c are clockwise the sign is reversed. The answer is exact for all
// finite coordinates, and 0 if any is infinite or NaN.
func InCircle(ax, ay, bx, by, cx, cy, dx, dy float64) int {
	adx, ady := ax-dx, ay-dy
	bdx, bdy := bx-dx, by-dy
	cdx, cdy := cx-dx, cy-dy
	bc, cb := float64(bdx*cdy), float64(cdx*bdy)
	ca, ac := float64(cdx*ady), float64(adx*cdy)
	ab, ba := float64(adx*bdy), float64(bdx*ady)
	alift := float64(adx*adx) + float64(ady*ady)
	blift := float64(bdx*bdx) + float64(bdy*bdy)
	clift := float64(cdx*cdx) + float64(cdy*cdy)
	det := float64(alift*(bc-cb)) + float64(blift*(ca-ac)) + float64(clift*(ab-ba))
	bound := circleBound*(float64((math.Abs(bc)+math.Abs(cb))*alift)+
		float64((math.Abs(ca)+math.Abs(ac))*blift)+
		float64((math.Abs(ab)+math.Abs(ba))*clift)) + circleFloor
	if alift+blift+clift < circleMax { // false for NaN too
		if det > bound {
			return 1
		}
		if -det > bound {
			return -1
		}
	}
	return inCircleExact(ax, ay, bx, by, cx, cy, dx, dy)
}

// orientExact decides what the bound of Orient2D leaves open.
func orientExact(ax, ay, bx, by, cx, cy float64) int {
	if ax == bx && ay == by || ax == cx && ay == cy || bx == cx && by == cy {
		return 0
	}
	if !inRange(ax, ay, bx, by, cx, cy) {
		return orientBig(ax, ay, bx, by, cx, cy)
	}
	var acx, acy, bcx, bcy [2]float64
	var left, right [8]float64
	var det [16]float64
	l := product(left[:0], difference(&acx, ax, cx), difference(&bcy, by, cy))
	r := product(right[:0], difference(&acy, ay, cy), difference(&bcx, bx, cx))
	return sign(sum(det[:0], l, negate(r)))
}

// inCircleExact decides what the bound of InCircle leaves open.
func inCircleExact(ax, ay, bx, by, cx, cy, dx, dy float64) int {
	// Triangulations ask about corners often; they are the first reason to
	// come here.
	if dx == ax && dy == ay || dx == bx && dy == by || dx == cx && dy == cy {
		return 0
	}
	if !inRange(ax, ay, bx, by, cx, cy) || !inRange(dx, dy, 0, 0, 0, 0) {
		return inCircleBig(ax, ay, bx, by, cx, cy, dx, dy)
	}
	var buf [6][2]float64
	adx, ady := difference(&buf[0], ax, dx), difference(&buf[1], ay, dy)
	bdx, bdy := difference(&buf[2], bx, dx), difference(&buf[3], by, dy)
	cdx, cdy := difference(&buf[4], cx, dx), difference(&buf[5], cy, dy)
	if max(len(adx), len(ady), len(bdx), len(bdy), len(cdx), len(cdy)) == 1 {
		// The differences are exact, as they are for points of a grid and for
		// points near each other: terms have at most 32 components.
		var t [3][32]float64
		var ab [64]float64
		var det [96]float64
		a := circleTerm(t[0][:0], adx, ady, bdx, bdy, cdx, cdy)
		b := circleTerm(t[1][:0], bdx, bdy, cdx, cdy, adx, ady)
		c := circleTerm(t[2][:0], cdx, cdy, adx, ady, bdx, bdy)
		return sign(sum(det[:0], sum(ab[:0], a, b), c))
	}
	return inCircleLong(adx, ady, bdx, bdy, cdx, cdy)
}

// inCircleLong is inCircleExact for differences of up to two components.
func inCircleLong(adx, ady, bdx, bdy, cdx, cdy []float64) int {
	var t [3][512]float64
	var ab [1024]float64
	var det [1536]float64
	a := circleTerm(t[0][:0], adx, ady, bdx, bdy, cdx, cdy)
	b := circleTerm(t[1][:0], bdx, bdy, cdx, cdy, adx, ady)
	c := circleTerm(t[2][:0], cdx, cdy, adx, ady, bdx, bdy)
	return sign(sum(det[:0], sum(ab[:0], a, b), c))
}

// circleTerm appends (px²+py²)·(qx·ry - rx·qy) to dst, one of the three terms
// of the determinant. Expansions of two components make it one of at most 512.
func circleTerm(dst []float64, px, py, qx, qy, rx, ry []float64) []float64 {
	var t1, t2, s1, s2 [8]float64
	var cross, lift [16]float64
	c := sum(cross[:0], product(t1[:0], qx, ry), negate(product(t2[:0], rx, qy)))
	l := sum(lift[:0], product(s1[:0], px, px), product(s2[:0], py, py))
	return product(dst, c, l)
}

// inRange reports whether expansions of the products of four differences of
// these coordinates are exact: the largest stays below 2^1023, and the lowest
// bit of the smallest above 2^-1074.
func inRange(v ...float64) bool {
	for _, x := range v {
		x = math.Abs(x)
		if !(x < 0x1p200) || x < 0x1p-200 && x != 0 {
			return false
		}
	}
	return true
}
