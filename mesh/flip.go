package mesh

import "context"

// MakeDelaunay turns m into the constrained Delaunay triangulation of its nodes
// and segments by flipping edges (C. Lawson), and returns how many flips it
// took. Edges of the boundary that are no segments become segments first. A
// mesh that no program made Delaunay, such as one drawn by hand around a coast,
// needs this before refinement, whose result is Delaunay only where it changed
// something. Attributes stay with the numbers of triangles.
//
// All triangles must be counter-clockwise and no two on the same side of an
// edge; otherwise the error says which are not. The number of flips is small
// for meshes with angles of tens of degrees, and at most quadratic.
func (m *Mesh) MakeDelaunay(ctx context.Context) (int, error) {
	r, err := Check(ctx, m, CheckOptions{Examples: 1})
	if err != nil {
		return 0, err
	}
	for _, p := range r.Problems {
		switch p.Property {
		case InRange, Oriented, Conforming:
			return 0, &NotATriangulation{p}
		}
	}
	m.AddBoundary()
	f := &flipper{m: m, index: m.segmentIndex()}
	f.twin, _ = m.twins()
	for h := range f.twin {
		f.todo = append(f.todo, int32(h))
	}
	flips := 0
	for len(f.todo) > 0 {
		h := f.todo[len(f.todo)-1]
		f.todo = f.todo[:len(f.todo)-1]
		if f.illegal(h) {
			if flips++; flips&0xffff == 0 && ctx.Err() != nil {
				return flips, ctx.Err()
			}
			f.flip(h)
		}
	}
	return flips, nil
}

// A NotATriangulation says why a mesh cannot be worked on.
type NotATriangulation struct{ Problem Problem }

// Error returns the property that is missing and an example.
func (e *NotATriangulation) Error() string {
	return "mesh: not a triangulation: " + e.Problem.Examples[0]
}

// A flipper is MakeDelaunay's state: half-edges that may have to be flipped.
type flipper struct {
	m     *Mesh
	index map[uint64]int32
	twin  []int32
	todo  []int32
}

// illegal reports whether h is an edge, but no segment, with the node across it
// inside the circle of its triangle.
func (f *flipper) illegal(h int32) bool {
	g := f.twin[h]
	if g < 0 {
		return false
	}
	u, v := f.m.ends(h)
	if f.m.inCircle(u, v, f.m.opposite(h), f.m.opposite(g)) <= 0 {
		return false
	}
	_, segment := f.index[key(u, v)]
	return !segment
}

// flip replaces the edge of h, from u to v, by that between the nodes p and q
// across from it:
//
//	   p                p
//	  / \              /|\
//	 / t \            / | \
//	u-----v   ->     u t|s v
//	 \ s /            \ | /
//	  \ /              \|/
//	   q                q
//
// A quadrangle with q inside the circle of u, v, p is convex, so both new
// triangles are counter-clockwise.
func (f *flipper) flip(h int32) {
	g := f.twin[h]
	u, v := f.m.ends(h)
	p, q := f.m.opposite(h), f.m.opposite(g)
	pu, vp := f.twin[beforeSide(h)], f.twin[nextSide(h)]
	uq, qv := f.twin[nextSide(g)], f.twin[beforeSide(g)]
	t, s := h/3, g/3
	f.m.Triangles[t], f.m.Triangles[s] = [3]int32{p, u, q}, [3]int32{q, v, p}
	for k, other := range [6]int32{pu, uq, 3*s + 2, qv, vp, 3*t + 2} {
		side := 3*t + int32(k)
		if k >= 3 {
			side = 3*s + int32(k-3)
		}
		f.twin[side] = other
		if other >= 0 {
			f.twin[other] = side
		}
		if k%3 != 2 {
			f.todo = append(f.todo, side)
		}
	}
}

// nextSide and beforeSide return the half-edges after and before h in its
// triangle.
func nextSide(h int32) int32   { return h/3*3 + (h+1)%3 }
func beforeSide(h int32) int32 { return h/3*3 + (h+2)%3 }
