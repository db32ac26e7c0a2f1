package mesh

import (
	"fmt"
	"math"
	"strings"
)

// A Quality describes the shape of a mesh's triangles.
type Quality struct {
	Triangles int
	MinAngle  float64 // the smallest of all angles, degrees
	MaxAngle  float64 // the largest
	Worst     int     // the triangle with the smallest angle, from 0; -1 if there is none
	Area      float64 // the sum of all triangles' areas
	Shortest  float64 // the length of the shortest edge

	// Histogram counts all angles by tens of degrees: Histogram[3] has those
	// from 30 up to 40, Histogram[17] those from 170 to 180.
	Histogram [18]int

	Bound     float64 // the angle, in degrees, below which a triangle is bad
	Bad       int     // triangles with an angle below Bound
	Unfixable int     // those of them that no refinement can remove; see Mesh.Fixable
}

// String returns the quality in a few lines of text.
func (q *Quality) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d triangles, area %.6g, angles %.2f to %.2f degrees, shortest edge %.3g\n",
		q.Triangles, q.Area, q.MinAngle, q.MaxAngle, q.Shortest)
	if q.Bound > 0 {
		fmt.Fprintf(&b, "below %g degrees: %d, of which %d cannot be fixed\n", q.Bound, q.Bad, q.Unfixable)
	}
	return b.String()
}

// angles returns the three angles of triangle t in degrees, that at corner k
// as the k-th; they are accurate to a few units in the last place even where
// they are close to 0 or 180.
func (m *Mesh) angles(t int) [3]float64 {
	var a [3]float64
	v := m.Triangles[t]
	for k := range v {
		a[k] = m.angle(v[k], v[after[k]], v[after[after[k]]])
	}
	return a
}

// angle returns the angle at node p between nodes q and r in degrees.
func (m *Mesh) angle(p, q, r int32) float64 {
	qx, qy := m.X[q]-m.X[p], m.Y[q]-m.Y[p]
	rx, ry := m.X[r]-m.X[p], m.Y[r]-m.Y[p]
	ql, rl := math.Abs(qx)+math.Abs(qy), math.Abs(rx)+math.Abs(ry)
	if !(min(ql, rl) > 0x1p-400 && max(ql, rl) < 0x1p400) {
		qx, qy = m.direction(p, q)
		rx, ry = m.direction(p, r)
	}
	cross := float64(qx*ry) - float64(qy*rx)
	dot := float64(qx*rx) + float64(qy*ry)
	return math.Atan2(math.Abs(cross), dot) * (180 / math.Pi)
}

// direction returns the vector from node p to node q, scaled so that neither
// its square nor the vector itself overflows or underflows.
func (m *Mesh) direction(p, q int32) (x, y float64) {
	x, y = m.X[q]-m.X[p], m.Y[q]-m.Y[p]
	if !finite(x) || !finite(y) {
		x, y = m.X[q]/2-m.X[p]/2, m.Y[q]/2-m.Y[p]/2
	}
	_, ex := math.Frexp(x)
	_, ey := math.Frexp(y)
	switch { // the exponent of 0 says nothing
	case x == 0:
		ex = ey
	case y != 0:
		ex = max(ex, ey)
	}
	return math.Ldexp(x, -ex), math.Ldexp(y, -ex)
}

// MinAngle returns the smallest angle of triangle t in degrees.
func (m *Mesh) MinAngle(t int) float64 {
	a := m.angles(t)
	return min(a[0], a[1], a[2])
}

// area2 returns twice the signed area of triangle t.
func (m *Mesh) area2(t int) float64 {
	v := m.Triangles[t]
	ax, ay := m.X[v[1]]-m.X[v[0]], m.Y[v[1]]-m.Y[v[0]]
	bx, by := m.X[v[2]]-m.X[v[0]], m.Y[v[2]]-m.Y[v[0]]
	return float64(ax*by) - float64(ay*bx)
}

// Area returns the sum of the areas of all triangles; clockwise ones count as
// negative. The sum is compensated (Neumaier), so its error is that of the
// single areas. It is infinite or NaN if one of them is beyond float64.
func (m *Mesh) Area() float64 {
	var s, c float64
	for t := range m.Triangles {
		var err float64
		s, err = twoSum(s, m.area2(t))
		c += err
	}
	return (s + c) / 2
}

// Length returns the length of an edge.
func (m *Mesh) Length(u, v int32) float64 { return math.Hypot(m.X[v]-m.X[u], m.Y[v]-m.Y[u]) }

// Quality measures all triangles. Those with an angle below bound (in degrees)
// are counted as bad; fix tells which of these could be removed and comes from
// [Mesh.Fixable], or is nil if that is not wanted. m must pass Validate.
func (m *Mesh) Quality(bound float64, fix *Fixable) *Quality {
	parts := gather(len(m.Triangles), func(lo, hi int) []*Quality {
		q := newQuality(bound)
		for t := lo; t < hi; t++ {
			m.measure(q, t, fix)
		}
		return []*Quality{q}
	})
	q := newQuality(bound)
	for _, p := range parts {
		q.add(p)
	}
	q.Area = m.Area()
	if q.Triangles == 0 {
		q.MinAngle, q.MaxAngle, q.Shortest = 0, 0, 0
	}
	return q
}

func newQuality(bound float64) *Quality {
	return &Quality{MinAngle: math.Inf(1), Worst: -1, Shortest: math.Inf(1), Bound: bound}
}

// measure counts triangle t.
func (m *Mesh) measure(q *Quality, t int, fix *Fixable) {
	a := m.angles(t)
	q.Triangles++
	for k, v := range m.Triangles[t] {
		q.Histogram[min(17, int(a[k]/10))]++
		q.MaxAngle = max(q.MaxAngle, a[k])
		q.Shortest = min(q.Shortest, m.Length(v, m.Triangles[t][after[k]]))
	}
	least := min(a[0], a[1], a[2])
	if least < q.MinAngle {
		q.MinAngle, q.Worst = least, t
	}
	if least < q.Bound {
		q.Bad++
		if fix != nil && !fix.Triangle(t) {
			q.Unfixable++
		}
	}
}

// add counts what p counted, of later triangles.
func (q *Quality) add(p *Quality) {
	q.Triangles += p.Triangles
	q.Bad += p.Bad
	q.Unfixable += p.Unfixable
	q.MaxAngle = max(q.MaxAngle, p.MaxAngle)
	q.Shortest = min(q.Shortest, p.Shortest)
	if p.MinAngle < q.MinAngle {
		q.MinAngle, q.Worst = p.MinAngle, p.Worst
	}
	for i, n := range p.Histogram {
		q.Histogram[i] += n
	}
}
