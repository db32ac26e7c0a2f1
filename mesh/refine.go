package mesh

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// This file refines meshes on one processor: J. Ruppert's algorithm ("A
// Delaunay Refinement Algorithm for Quality 2-Dimensional Mesh Generation",
// Journal of Algorithms 18, 1995) with splits near input nodes at powers of
// two and the rule of Miller, Pav and Walkington for small input angles. Each
// step adds one node and triangulates anew the cavity: the triangles whose
// circle it lies in.
//
//	a bad triangle     the cavity of its centre     the new triangles
//	    .------.               .------.                 .------.
//	   /|\    /               /      /                 /\     /
//	  / | \  /               /   x  /                 /  \ _ x ..
//	 .--.--./               .______/                 .____.___/
//
// It is the reference that a parallel refinement is compared with: not the
// mesh, since the order of steps decides which of many good ones comes out,
// but its size and the properties that Check looks at.

// ErrTooManyNodes is wrapped by Refine's error when the limit is reached.
var ErrTooManyNodes = errors.New("too many nodes")

// Refine returns a mesh with the nodes, area and segments of m (new nodes come
// after those of m, and split some segments) in which no triangle that can be
// fixed has an angle below bound, in degrees. Triangles that need a node at
// the limits of float64 stay as they are.
//
// Bounds to 20.7 degrees succeed for every input (Ruppert's proof), and up to
// 30 for usual ones; beyond some 34 the nodes run out: more than limit are an
// error; a limit of 0 means forty nodes for each of m's, and a thousand. m must be a triangulation; it is not changed. The result inherits marks and
// attributes: see [Mesh.Inherit].
func Refine(ctx context.Context, m *Mesh, bound float64, limit int) (*Mesh, error) {
	out := &Mesh{X: slices.Clone(m.X), Y: slices.Clone(m.Y), Triangles: slices.Clone(m.Triangles),
		Segments: m.withBoundary().Segments, Base: m.Base}
	if _, err := out.MakeDelaunay(ctx); err != nil {
		return nil, err
	}
	if limit == 0 {
		limit = 1000 + 40*len(m.X)
	}
	r := newRefiner(out, bound)
	for steps := 0; ; steps++ {
		if steps&0x3ff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if len(out.X) > min(limit, MaxNodes) {
			return nil, fmt.Errorf("refine to %g degrees: %w: more than %d", bound, ErrTooManyNodes, limit)
		}
		if h, ok := r.nextSegment(); ok {
			r.split(h)
		} else if t, ok := r.nextTriangle(); ok {
			r.fix(t)
		} else {
			break
		}
	}
	r.segments()
	// Nodes on segments are rounded, which can leave an edge beside one that
	// is not Delaunay by a hair.
	_, err := out.MakeDelaunay(ctx)
	out.Inherit(m)
	return out, err
}

// A refiner is a mesh being refined.
type refiner struct {
	m     *Mesh
	bound float64
	input int32

	ends   [][2]int32           // the segments of the input
	fix0   *Fixable             // over the input
	twin   []int32              // see Mesh.twins
	seg    []int32              // the segment that a half-edge is part of, or -1
	onSeg  []int32              // the segment that an added node lies on, or -1; by node - input
	narrow []edgeRef            // half-edges of segments with a node in their circle
	bad    [badClasses][]triRef // triangles to fix, by their angle; each class a stack

	stuck map[[3]int32]bool // triangles whose centre cannot be a node
	solid map[uint64]bool   // segments too short to be split, by key

	inside []int32 // scratch: the cavity, and what replaced it
	made   []int32
	stamp  []int32 // by triangle: the number of the last cavity it was in
	round  int32
	rim    []rimEdge
	spoke  []int32 // by node of the rim: the half-edge from the new node to it; otherwise -1
}

// References are checked when they are used: the edge or triangle may be gone.
type edgeRef struct{ h, u, v int32 }

type triRef struct {
	t int32
	v [3]int32
}

// badClasses is the number of classes of bad triangles. The worst come first,
// which takes a tenth fewer nodes than the order in which they were found.
const badClasses = 16

// later queues triangle t, which has a smallest angle of a degrees.
func (r *refiner) later(t int32, a float64) {
	k := min(int(a/r.bound*badClasses), badClasses-1)
	r.bad[k] = append(r.bad[k], triRef{t, r.m.Triangles[t]})
}

// A rimEdge is an edge of a cavity's border.
type rimEdge struct{ u, v, twin, seg int32 }

func newRefiner(m *Mesh, bound float64) *refiner {
	r := &refiner{m: m, bound: bound, input: int32(len(m.X)), ends: slices.Clone(m.Segments),
		fix0: m.Fixable(len(m.X)), stuck: map[[3]int32]bool{}, solid: map[uint64]bool{}}
	r.twin, _ = m.twins()
	r.seg = make([]int32, len(r.twin))
	r.stamp = make([]int32, len(m.Triangles))
	r.spoke = slices.Repeat([]int32{-1}, len(m.X))
	index := m.segmentIndex()
	for h := range r.seg {
		u, v := m.ends(int32(h))
		r.seg[h] = -1
		if s, ok := index[key(u, v)]; ok {
			r.seg[h] = s
		}
	}
	for t := range m.Triangles {
		r.examine(int32(t))
	}
	return r
}

// examine queues triangle t if it is bad, and its segments if its third node
// lies in their circle.
func (r *refiner) examine(t int32) {
	for h := 3 * t; h < 3*t+3; h++ {
		if r.seg[h] >= 0 {
			if u, v := r.m.ends(h); r.encroaches(r.m.X[r.m.opposite(h)], r.m.Y[r.m.opposite(h)], u, v) {
				r.narrow = append(r.narrow, edgeRef{h, u, v})
			}
		}
	}
	if a := r.m.MinAngle(int(t)); a < r.bound {
		r.later(t, a)
	}
}

// encroaches reports whether a point lies inside the circle over the edge.
func (r *refiner) encroaches(x, y float64, u, v int32) bool {
	ux, uy := r.m.X[u]-x, r.m.Y[u]-y
	vx, vy := r.m.X[v]-x, r.m.Y[v]-y
	return float64(ux*vx)+float64(uy*vy) < 0
}

// nextSegment returns a segment's half-edge that is to be split.
func (r *refiner) nextSegment() (int32, bool) {
	for len(r.narrow) > 0 {
		e := r.narrow[len(r.narrow)-1]
		r.narrow = r.narrow[:len(r.narrow)-1]
		if u, v := r.m.ends(e.h); u == e.u && v == e.v && r.seg[e.h] >= 0 {
			return e.h, true
		}
	}
	return 0, false
}

// nextTriangle returns a bad triangle that can be fixed.
func (r *refiner) nextTriangle() (int32, bool) {
	for k := range r.bad {
		for len(r.bad[k]) > 0 {
			b := r.bad[k][len(r.bad[k])-1]
			r.bad[k] = r.bad[k][:len(r.bad[k])-1]
			if r.m.Triangles[b.t] == b.v && !r.stuck[b.v] && r.fixable(b.t) {
				return b.t, true
			}
		}
	}
	return 0, false
}

// fixable is Fixable.Triangle on the mesh as it is now.
func (r *refiner) fixable(t int32) bool {
	a := r.m.angles(int(t))
	k := int32(0)
	for i := range a {
		if a[i] < a[k] {
			k = int32(i)
		}
	}
	h := 3*t + int32(after[k]) // the shortest edge; the other two start or end at the apex
	if r.seg[nextSide(h)] >= 0 && r.seg[beforeSide(h)] >= 0 {
		return false
	}
	p, q := r.m.ends(h)
	for _, l := range r.legs(p) {
		for _, o := range r.legs(q) {
			if l.apex == o.apex && l.first != o.first && r.m.angle(l.apex, l.first, o.first) < 60 {
				return false
			}
		}
	}
	return true
}

// legs is Fixable.legs; first is the far end of the input's segment.
func (r *refiner) legs(v int32) []leg {
	var out []leg
	if v < r.input {
		for _, w := range r.fix0.ends(v) {
			out = append(out, leg{w, v})
		}
	} else if s := r.onSeg[v-r.input]; s >= 0 {
		e := r.ends[s]
		out = append(out, leg{e[0], e[1]}, leg{e[1], e[0]})
	}
	return out
}

// split puts a node on the segment of half-edge h: in the middle, unless one of
// its ends is a node of the input. There nodes on neighbouring segments are put
// at the same distances, powers of two, so that they do not make each other
// split for ever.
func (r *refiner) split(h int32) {
	m := r.m
	u, v := m.ends(h)
	f := 0.5
	if (u < r.input) != (v < r.input) {
		length := m.Length(u, v)
		d := math.Exp2(math.Round(math.Log2(length / 2)))
		if f = d / length; v < r.input {
			f = 1 - f
		}
	}
	x, y := m.X[u]+float64(f*(m.X[v]-m.X[u])), m.Y[u]+float64(f*(m.Y[v]-m.Y[u]))
	start := []int32{h / 3}
	if g := r.twin[h]; g >= 0 {
		start = append(start, g/3)
	}
	r.cavity(x, y, start, r.seg[h], u, v)
	if !r.insert(x, y, r.seg[h], u, v) {
		r.solid[key(u, v)] = true
	}
}

// fix puts a node at the centre of triangle t's circle, or splits the segments
// that prevent it.
func (r *refiner) fix(t int32) {
	x, y := r.m.centre(t)
	h, ok := r.locate(t, x, y)
	before := len(r.narrow)
	switch {
	case ok:
		r.cavity(x, y, []int32{h / 3}, -1, -1, -1)
		for _, e := range r.rim {
			if e.seg >= 0 && !r.solid[key(e.u, e.v)] && r.encroaches(x, y, e.u, e.v) {
				r.narrow = append(r.narrow, r.ref(e))
			}
		}
		if len(r.narrow) == before && r.insert(x, y, -1, -1, -1) {
			return
		}
	case h >= 0: // behind a segment
		if u, v := r.m.ends(h); !r.solid[key(u, v)] {
			r.narrow = append(r.narrow, edgeRef{h, u, v})
		}
	}
	if len(r.narrow) > before {
		r.later(t, r.m.MinAngle(int(t))) // to be seen again after the split
	} else {
		r.stuck[r.m.Triangles[t]] = true
	}
}

// ref finds the half-edge inside the cavity that a rim edge was made of.
func (r *refiner) ref(e rimEdge) edgeRef {
	for _, t := range r.inside {
		for h := 3 * t; h < 3*t+3; h++ {
			if u, v := r.m.ends(h); u == e.u && v == e.v {
				return edgeRef{h, u, v}
			}
		}
	}
	return edgeRef{0, -1, -1} // does not happen, and matches no edge
}

// centre returns the centre of triangle t's circle.
func (m *Mesh) centre(t int32) (x, y float64) {
	v := m.Triangles[t]
	bx, by := m.X[v[1]]-m.X[v[0]], m.Y[v[1]]-m.Y[v[0]]
	cx, cy := m.X[v[2]]-m.X[v[0]], m.Y[v[2]]-m.Y[v[0]]
	b, c := float64(bx*bx)+float64(by*by), float64(cx*cx)+float64(cy*cy)
	d := 2 * (float64(bx*cy) - float64(by*cx))
	return m.X[v[0]] + (float64(cy*b)-float64(by*c))/d, m.Y[v[0]] + (float64(bx*c)-float64(cx*b))/d
}

// locate walks from triangle t to the one that holds the point, and returns a
// half-edge of that; or false and the segment's half-edge that it came to, or
// -1 if it was lost, which rounding beside segments might bring about.
func (r *refiner) locate(t int32, x, y float64) (int32, bool) {
	m := r.m
	from := int32(-1)
walk:
	for range len(m.Triangles) {
		for k := range int32(3) {
			h := 3*t + k
			if h == from {
				continue
			}
			u, v := m.ends(h)
			if Orient2D(m.X[u], m.Y[u], m.X[v], m.Y[v], x, y) < 0 {
				if r.seg[h] >= 0 || r.twin[h] < 0 {
					return h, false
				}
				from = r.twin[h]
				t = from / 3
				continue walk
			}
		}
		return 3 * t, true
	}
	return -1, false
}

// cavity collects the triangles whose circle holds the point, from the given
// ones on and not across segments, and its rim. The edge from u to v of segment
// s is being split, and belongs to no rim.
func (r *refiner) cavity(x, y float64, start []int32, s, u, v int32) {
	m := r.m
	r.round++
	r.inside, r.rim = append(r.inside[:0], start...), r.rim[:0]
	for _, t := range start {
		r.stamp[t] = r.round
	}
	for i := 0; i < len(r.inside); i++ {
		t := r.inside[i]
		for h := 3 * t; h < 3*t+3; h++ {
			a, b := m.ends(h)
			if s >= 0 && r.seg[h] == s && key(a, b) == key(u, v) {
				continue
			}
			g := r.twin[h]
			if r.seg[h] < 0 && g >= 0 {
				if r.stamp[g/3] == r.round {
					continue
				}
				c := m.Triangles[g/3]
				if InCircle(m.X[c[0]], m.Y[c[0]], m.X[c[1]], m.Y[c[1]], m.X[c[2]], m.Y[c[2]], x, y) > 0 {
					r.stamp[g/3] = r.round
					r.inside = append(r.inside, g/3)
					continue
				}
			}
			r.rim = append(r.rim, rimEdge{a, b, g, r.seg[h]})
		}
	}
	// An edge may have been put on the rim before the triangle behind it came
	// in from elsewhere.
	r.rim = slices.DeleteFunc(r.rim, func(e rimEdge) bool { return e.seg < 0 && e.twin >= 0 && r.stamp[e.twin/3] == r.round })
}

// insert replaces the cavity by triangles from its rim to a new node at (x, y),
// which lies on segment s if that is not -1, splitting the edge from u to v. It
// returns false and changes nothing if a triangle would not be
// counter-clockwise, or the rim meets itself: float64 has no room for the node.
func (r *refiner) insert(x, y float64, s, u, v int32) bool {
	m := r.m
	if !r.starShaped(x, y) {
		return false
	}
	p := int32(len(m.X))
	m.X, m.Y, r.onSeg, r.spoke = append(m.X, x), append(m.Y, y), append(r.onSeg, s), append(r.spoke, -1)
	r.made = r.made[:0]
	for i, e := range r.rim {
		t := int32(len(m.Triangles))
		if i < len(r.inside) {
			t = r.inside[i]
			m.Triangles[t] = [3]int32{e.u, e.v, p}
		} else {
			m.Triangles = append(m.Triangles, [3]int32{e.u, e.v, p})
			r.twin, r.seg, r.stamp = append(r.twin, -1, -1, -1), append(r.seg, -1, -1, -1), append(r.stamp, 0)
		}
		r.made = append(r.made, t)
		h := 3 * t
		r.twin[h], r.seg[h] = e.twin, e.seg
		if e.twin >= 0 {
			r.twin[e.twin] = h
		}
		r.spoke[e.u] = h + 2
		for _, side := range []int32{h + 1, h + 2} {
			r.twin[side], r.seg[side] = -1, -1
		}
	}
	for _, t := range r.made {
		h := 3*t + 1 // from e.v to p
		end := m.Triangles[t][1]
		if other := r.spoke[end]; other >= 0 {
			r.twin[h], r.twin[other] = other, h
		}
		for _, side := range []int32{h, h + 1} {
			if a, b := m.ends(side); s >= 0 && (a == u || a == v || b == u || b == v) {
				r.seg[side] = s
			}
		}
	}
	for _, e := range r.rim {
		r.spoke[e.u] = -1
	}
	for _, t := range r.made {
		r.examine(t)
	}
	return true
}

// starShaped reports whether the point sees all of the cavity's rim, and the
// rim goes once around it or, for a node on the boundary, past it.
func (r *refiner) starShaped(x, y float64) bool {
	m, ok := r.m, len(r.rim) > len(r.inside)
	for _, e := range r.rim {
		ok = ok && Orient2D(m.X[e.u], m.Y[e.u], m.X[e.v], m.Y[e.v], x, y) > 0 && r.spoke[e.u] < 0
		r.spoke[e.u] = 0
	}
	for _, e := range r.rim {
		r.spoke[e.u] = -1
	}
	return ok
}

// segments makes the mesh's segments those of the half-edges.
func (r *refiner) segments() {
	r.m.Segments = r.m.Segments[:0]
	for h, s := range r.seg {
		if s >= 0 && (r.twin[h] < 0 || r.twin[h] > int32(h)) {
			u, v := r.m.ends(int32(h))
			r.m.Segments = append(r.m.Segments, [2]int32{u, v})
		}
	}
}
