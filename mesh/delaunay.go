package mesh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// This file triangulates point sets: divide and conquer as in L. Guibas and
// J. Stolfi, "Primitives for the Manipulation of General Subdivisions and the
// Computation of Voronoi Diagrams", ACM Transactions on Graphics 4 (2), 1985,
// with R. Dwyer's alternating cuts (Algorithmica 2, 1987), which keep the
// hulls of the parts short: O(n log n) at worst, about linear for random
// points. Both predicates are exact, so no input can make it fail or loop.
//
//	cut the points in two          triangulate each part       sew them together,
//	across their longer side                                   from the lower tangent up
//	   .  . | .   .                   /\  |  /\                    /\----/\
//	  .   . | .  .                   /__\ | /__\                  /__\--/__\
//
// Sewing: the edge at the front, base, runs from the right part to the left.
// On each side the candidate for the next triangle is the neighbour of base's
// end whose circle with base holds no other point of that side; edges inside
// the circle are removed while looking for it. The better of the two
// candidates gives the next base.
//
// The subdivision is kept as half-edges: e and e^1 are the two directions of
// one edge; next and prev link the edges with the same origin into a ring,
// counter-clockwise and clockwise.

// A halfEdge is one direction of an edge of the subdivision.
type halfEdge struct {
	org        int32 // index into sites; -1 when the edge was removed
	next, prev int32 // the ring of edges around org
}

// A site is an input point; sorting moves points, so each keeps its number.
type site struct {
	x, y float64
	id   int32
}

// A triangulator holds the subdivision while it is made.
type triangulator struct {
	ctx   context.Context
	sites []site
	edges []halfEdge
}

// Delaunay returns the Delaunay triangulation of the points: all nodes in the
// order given, triangles counter-clockwise, and the edges of the convex hull
// as segments, counter-clockwise around it. Where more than three points lie
// on one empty circle any of the possible triangulations is chosen, always the
// same for the same points, whatever the number of processors.
//
// Of points that coincide only the first is used; the others are nodes of no
// triangle. It is an error if a coordinate is not finite, if there are more
// than MaxNodes points, or if all lie on one line.
func Delaunay(ctx context.Context, x, y []float64) (*Mesh, error) {
	m := &Mesh{X: x, Y: y}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	t := &triangulator{ctx: ctx, sites: distinctSites(x, y)}
	n := len(t.sites)
	if n < 3 {
		return nil, fmt.Errorf("triangulate: %d distinct points; at least 3 are needed", n)
	}
	// A planar graph has at most 3n-6 edges, and there never is more than that.
	t.edges = make([]halfEdge, 6*n)
	for i := range t.edges {
		t.edges[i].org = -1
	}
	hull := t.triangulate(0, n, &pool{free: -1, fresh: [][2]int32{{0, int32(6 * n)}}})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if m.Triangles = t.triangles(); len(m.Triangles) == 0 {
		return nil, errors.New("triangulate: all points lie on one line")
	}
	for e := hull; ; {
		m.Segments = append(m.Segments, [2]int32{t.sites[t.edges[e].org].id, t.sites[t.edges[e^1].org].id})
		if e = t.edges[e^1].next; e == hull {
			break
		}
	}
	return m, nil
}

// distinctSites sorts the points, and keeps the first of those that coincide.
func distinctSites(x, y []float64) []site {
	s := make([]site, len(x))
	for i := range s {
		s[i] = site{x[i], y[i], int32(i)}
	}
	slices.SortFunc(s, func(a, b site) int {
		if a.x != b.x {
			if a.x < b.x {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.y, b.y), cmp.Compare(a.id, b.id))
	})
	return slices.CompactFunc(s, func(a, b site) bool { return a.x == b.x && a.y == b.y })
}

// A pool hands out edges. The parts of a large set are triangulated at the same
// time, each from its own pool, and so that the result does not depend on
// timing, or on the number of processors.
type pool struct {
	free  int32      // a list of removed edges, linked by next, or -1
	fresh [][2]int32 // ranges of half-edges never used
}

// parallelFrom is the number of points from which the two halves of a set are
// triangulated at the same time.
const parallelFrom = 1 << 14

// split divides the unused edges of p, which has never removed one: the first
// part gets six half-edges for each of k points.
func (p *pool) split(k int) (*pool, *pool) {
	r := p.fresh[0]
	mid := r[0] + int32(6*k)
	return &pool{free: -1, fresh: [][2]int32{{r[0], mid}}}, &pool{free: -1, fresh: [][2]int32{{mid, r[1]}}}
}

// join takes back what is left in two pools made by split.
func (t *triangulator) join(p, a, b *pool) {
	p.fresh = append(a.fresh, b.fresh...)
	p.free = a.free
	if a.free < 0 {
		p.free = b.free
		return
	}
	e := a.free
	for t.edges[e].next >= 0 {
		e = t.edges[e].next
	}
	t.edges[e].next = b.free
}

// less is the order by which a set is cut: by x, or by y when rotated; the
// second coordinate decides among equals as if the plane were turned a little.
func less(a, b *site, rotated bool) bool {
	if rotated {
		return a.y < b.y || a.y == b.y && a.x > b.x
	}
	return a.x < b.x || a.x == b.x && a.y < b.y
}

// triangulate makes the triangulation of sites lo..hi-1, at least two, and
// returns an edge of their hull, which has the outside on its right.
func (t *triangulator) triangulate(lo, hi int, p *pool) int32 {
	switch n := hi - lo; {
	case n == 2:
		return t.makeEdge(p, int32(lo), int32(lo+1))
	case n == 3:
		return t.three(lo, p)
	}
	if hi-lo >= parallelFrom && t.ctx.Err() != nil {
		// The caller sees the context too. Any consistent answer will do.
		return t.makeEdge(p, int32(lo), int32(lo+1))
	}
	rotated := t.tall(lo, hi)
	mid := (lo + hi) / 2
	nthSite(t.sites[lo:hi], mid-lo, rotated)
	var left, right int32
	if hi-lo >= parallelFrom {
		a, b := p.split(mid - lo)
		var wg sync.WaitGroup
		wg.Go(func() { left = t.triangulate(lo, mid, a) })
		right = t.triangulate(mid, hi, b)
		wg.Wait()
		t.join(p, a, b)
	} else {
		left = t.triangulate(lo, mid, p)
		right = t.triangulate(mid, hi, p)
	}
	return t.merge(left, right, rotated, p)
}

// tall reports whether sites lo..hi-1 extend further in y than in x.
func (t *triangulator) tall(lo, hi int) bool {
	s := t.sites[lo]
	x0, x1, y0, y1 := s.x, s.x, s.y, s.y
	for _, s := range t.sites[lo+1 : hi] {
		x0, x1 = min(x0, s.x), max(x1, s.x)
		y0, y1 = min(y0, s.y), max(y1, s.y)
	}
	return y1-y0 > x1-x0
}

// nthSite moves the k smallest sites to the front (Hoare's selection with the
// median of three; sites are distinct).
func nthSite(s []site, k int, rotated bool) {
	for len(s) > 3 {
		last := len(s) - 1
		a, b, c := &s[0], &s[len(s)/2], &s[last]
		if less(b, a, rotated) {
			a, b = b, a
		}
		if less(c, b, rotated) {
			b = c
			if less(b, a, rotated) {
				b = a
			}
		}
		pivot := *b
		i, j := 0, last
		for i <= j {
			for less(&s[i], &pivot, rotated) {
				i++
			}
			for less(&pivot, &s[j], rotated) {
				j--
			}
			if i <= j {
				s[i], s[j] = s[j], s[i]
				i++
				j--
			}
		}
		switch { // 0..j are at most the pivot, i.. at least; between them is the pivot
		case k <= j:
			s = s[:j+1]
		case k >= i:
			s, k = s[i:], k-i
		default:
			return
		}
	}
	slices.SortFunc(s, func(a, b site) int {
		if less(&a, &b, rotated) {
			return -1
		}
		return 1
	})
}

// three makes the triangle of three sites, or the path if they are in line.
func (t *triangulator) three(lo int, p *pool) int32 {
	s := t.sites[lo : lo+3]
	slices.SortFunc(s, func(a, b site) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y)) })
	v := int32(lo)
	a, b := t.makeEdge(p, v, v+1), t.makeEdge(p, v+1, v+2)
	t.splice(a^1, b)
	switch t.side(v, v+1, v+2) {
	case 1:
		t.connect(p, b, a)
	case -1:
		return t.connect(p, b, a) ^ 1
	}
	return a
}

// makeEdge returns a new edge from site a to site b, connected to nothing.
func (t *triangulator) makeEdge(p *pool, a, b int32) int32 {
	e := p.free
	if e >= 0 {
		p.free = t.edges[e].next
	} else {
		for p.fresh[0][0] == p.fresh[0][1] {
			p.fresh = p.fresh[1:]
		}
		e = p.fresh[0][0]
		p.fresh[0][0] += 2
	}
	t.edges[e] = halfEdge{a, e, e}
	t.edges[e^1] = halfEdge{b, e ^ 1, e ^ 1}
	return e
}

// splice joins the rings of a and b if they are two, and cuts their ring in
// two if it is one.
func (t *triangulator) splice(a, b int32) {
	an, bn := t.edges[a].next, t.edges[b].next
	t.edges[a].next, t.edges[b].next = bn, an
	t.edges[bn].prev, t.edges[an].prev = a, b
}

// connect returns a new edge from the end of a to the origin of b, which have
// the same face on their left.
func (t *triangulator) connect(p *pool, a, b int32) int32 {
	e := t.makeEdge(p, t.edges[a^1].org, t.edges[b].org)
	t.splice(e, t.edges[a^1].prev)
	t.splice(e^1, b)
	return e
}

// remove takes e out of the subdivision.
func (t *triangulator) remove(p *pool, e int32) {
	t.splice(e, t.edges[e].prev)
	t.splice(e^1, t.edges[e^1].prev)
	e &^= 1
	t.edges[e], t.edges[e^1] = halfEdge{-1, p.free, -1}, halfEdge{-1, -1, -1}
	p.free = e
}

// side is Orient2D of sites.
func (t *triangulator) side(a, b, c int32) int {
	p, q, r := &t.sites[a], &t.sites[b], &t.sites[c]
	return Orient2D(p.x, p.y, q.x, q.y, r.x, r.y)
}

// inside reports whether site d lies inside the circle of a, b and c.
func (t *triangulator) inside(a, b, c, d int32) bool {
	p, q, r, s := &t.sites[a], &t.sites[b], &t.sites[c], &t.sites[d]
	return InCircle(p.x, p.y, q.x, q.y, r.x, r.y, s.x, s.y) > 0
}

// extreme returns the hull edge out of the last site of a hull in the order of
// less, or the first. hull is any of its edges.
func (t *triangulator) extreme(hull int32, rotated, last bool) int32 {
	best := hull
	for e := t.edges[hull^1].next; e != hull; e = t.edges[e^1].next {
		if less(&t.sites[t.edges[best].org], &t.sites[t.edges[e].org], rotated) == last {
			best = e
		}
	}
	return best
}

// merge sews two triangulations together, of which the first comes before the
// second in the order of less, and returns an edge of the common hull.
func (t *triangulator) merge(left, right int32, rotated bool, p *pool) int32 {
	org := func(e int32) int32 { return t.edges[e].org }
	dest := func(e int32) int32 { return t.edges[e^1].org }

	// The lower common tangent. l runs clockwise around the left hull, r
	// counter-clockwise around the right one.
	l := t.edges[t.extreme(left, rotated, true)].prev
	r := t.extreme(right, rotated, false)
	for {
		if t.side(org(l), dest(l), org(r)) > 0 {
			l = t.edges[l^1].prev
		} else if t.side(org(r), dest(r), org(l)) < 0 {
			r = t.edges[r^1].next
		} else {
			break
		}
	}
	base := t.connect(p, r^1, l)
	hull := base ^ 1
	for {
		above := func(e int32) bool { return t.side(org(base), dest(base), dest(e)) < 0 }
		l, r := t.edges[base^1].next, t.edges[base].prev
		leftOK, rightOK := above(l), above(r)
		if leftOK {
			for next := t.edges[l].next; t.inside(dest(base), org(base), dest(l), dest(next)); next = t.edges[l].next {
				t.remove(p, l)
				l = next
			}
		}
		if rightOK {
			for next := t.edges[r].prev; t.inside(dest(base), org(base), dest(r), dest(next)); next = t.edges[r].prev {
				t.remove(p, r)
				r = next
			}
		}
		switch {
		case !leftOK && !rightOK:
			return hull
		case !leftOK || rightOK && t.inside(dest(l), org(l), org(r), dest(r)):
			base = t.connect(p, r, base^1)
		default:
			base = t.connect(p, base^1, l^1)
		}
	}
}

// triangles lists the faces of three edges, each with its smallest node first.
func (t *triangulator) triangles() [][3]int32 {
	out := make([][3]int32, 0, 2*len(t.sites))
	for i := range t.edges {
		a := int32(i)
		if t.edges[a].org < 0 {
			continue
		}
		b := t.edges[a^1].prev
		c := t.edges[b^1].prev
		if t.edges[c^1].prev != a {
			continue // the outside
		}
		u, v, w := t.edges[a].org, t.edges[b].org, t.edges[c].org
		x, y, z := t.sites[u].id, t.sites[v].id, t.sites[w].id
		if x < y && x < z && t.side(u, v, w) > 0 { // clockwise: the outside of one triangle
			out = append(out, [3]int32{x, y, z})
		}
	}
	return out
}
