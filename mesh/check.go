package mesh

import (
	"context"
	"fmt"
	"math"
	"strings"
)

// A Property is something that Check looks at.
type Property string

// The properties that a mesh should have.
const (
	InRange     Property = "range"       // numbers in range, coordinates finite: see Mesh.Validate
	Oriented    Property = "orientation" // every triangle counter-clockwise, with an area
	Conforming  Property = "conforming"  // at most two triangles at an edge, one on each side
	Disjoint    Property = "overlap"     // no point inside two triangles, no node on another's edge
	Segmented   Property = "segments"    // segments are edges; edges of the boundary are segments
	IsDelaunay  Property = "delaunay"    // no triangle's circle has in it a node that it can see
	NodesKept   Property = "nodes"       // the input's nodes come first, unchanged
	AreaKept    Property = "area"        // the area is the input's
	BoundaryOK  Property = "boundary"    // the segments are the input's, perhaps split
	AnglesLarge Property = "angle"       // no angle below the bound that refinement could enlarge
)

// CheckOptions say what Check looks at beyond what every mesh must satisfy.
// The zero value is a good choice for a mesh that has not been refined and
// need not be Delaunay.
type CheckOptions struct {
	// Delaunay asks for the constrained Delaunay property: of two triangles
	// that share an edge which is no segment, neither has the other's node
	// inside its circle. With DelaunayTolerance zero that is decided exactly;
	// otherwise the two angles opposite the edge may exceed 180 degrees by so
	// much in sum, for meshes made by programs that round.
	Delaunay          bool
	DelaunayTolerance float64 // degrees

	// MinAngle is the bound, in degrees, that no angle may be below, except in
	// triangles that cannot be fixed (see Mesh.Fixable); 0 is no bound.
	MinAngle float64

	// Input is the mesh before refinement, if there was one: its nodes, area
	// and segments must have been kept.
	Input *Mesh

	// Tolerance is the error allowed where new nodes lie on old segments, and
	// in the area: relative to the size of the mesh. 0 means 1e-9.
	Tolerance float64

	// Examples is how many violations of each property are described; 0
	// means 3.
	Examples int
}

// A Problem is a property that a mesh does not have.
type Problem struct {
	Property Property
	Count    int      // how many violations
	Examples []string // the first few in words, with the numbers of the mesh's file
}

// A Report is what Check found.
type Report struct {
	Nodes, Triangles, Segments int

	Boundary int      // edges that belong to one triangle only
	Unused   int      // nodes in no triangle; not a problem
	Quality  *Quality // nil if numbers are out of range

	Checked  []Property // in the order of the constants
	Skipped  []string   // what could not be looked at, and why
	Problems []Problem
}

// OK reports whether the mesh has all the properties that were asked for.
func (r *Report) OK() bool { return len(r.Problems) == 0 && len(r.Skipped) == 0 }

// String returns the report as text: one line of sizes, the quality, one line
// for each problem and its examples, and "ok" or "not ok" as the last line.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d nodes (%d unused), %d triangles, %d segments, %d boundary edges\n",
		r.Nodes, r.Unused, r.Triangles, r.Segments, r.Boundary)
	if r.Quality != nil {
		b.WriteString(r.Quality.String())
	}
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "%s: %d\n", p.Property, p.Count)
		for _, e := range p.Examples {
			fmt.Fprintf(&b, "\t%s\n", e)
		}
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(&b, "not checked: %s\n", s)
	}
	if r.OK() {
		b.WriteString("ok\n")
	} else {
		b.WriteString("not ok\n")
	}
	return b.String()
}

// A checker is a report being made.
type checker struct {
	*Report
	m    *Mesh
	opts CheckOptions

	twin  []int32 // see Mesh.twins
	index map[uint64]int32
}

// Check looks at all of a mesh and reports every property that it does not
// have. It takes any mesh, and time O(n log n) unless boundary edges cross each
// other all over. The error is that of the context.
func Check(ctx context.Context, m *Mesh, opts CheckOptions) (*Report, error) {
	if opts.Tolerance == 0 {
		opts.Tolerance = 1e-9
	}
	if opts.Examples == 0 {
		opts.Examples = 3
	}
	c := &checker{m: m, opts: opts, Report: &Report{
		Nodes: len(m.X), Triangles: len(m.Triangles), Segments: len(m.Segments)}}
	c.Checked = append(c.Checked, InRange)
	if err := m.Validate(); err != nil {
		c.problem(InRange, []string{strings.TrimPrefix(err.Error(), "mesh: ")})
		c.Skipped = append(c.Skipped, "everything else, because of numbers out of range")
		return c.Report, nil
	}
	if opts.Input != nil {
		if err := opts.Input.Validate(); err != nil {
			return nil, fmt.Errorf("check against input: %w", err)
		}
	}
	// Steps later in the list rely on earlier ones.
	for _, step := range []func(){c.sizes, c.orientation, c.conforming, c.disjoint, c.segments, c.delaunay, c.kept, c.shape} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		step()
	}
	return c.Report, nil
}

// problem records violations, described in order.
func (c *checker) problem(p Property, all []string) {
	if len(all) > 0 {
		c.Problems = append(c.Problems, Problem{p, len(all), all[:min(len(all), c.opts.Examples)]})
	}
}

// failed reports whether there is a problem with any of the properties.
func (c *checker) failed(props ...Property) bool {
	for _, p := range c.Problems {
		for _, q := range props {
			if p.Property == q {
				return true
			}
		}
	}
	return false
}

// node and triangle name things as the file does.
func (c *checker) node(v int32) string {
	return fmt.Sprintf("node %d (%.6g, %.6g)", int(v)+c.m.Base, c.m.X[v], c.m.Y[v])
}

func (c *checker) triangle(t int) string {
	v, b := c.m.Triangles[t], c.m.Base
	return fmt.Sprintf("triangle %d (nodes %d %d %d)", t+b, int(v[0])+b, int(v[1])+b, int(v[2])+b)
}

func (c *checker) edge(u, v int32) string {
	return fmt.Sprintf("the edge from node %d to %d", int(u)+c.m.Base, int(v)+c.m.Base)
}

// sizes counts unused nodes.
func (c *checker) sizes() {
	used := make([]bool, len(c.m.X))
	for _, t := range c.m.Triangles {
		used[t[0]], used[t[1]], used[t[2]] = true, true, true
	}
	for _, u := range used {
		if !u {
			c.Unused++
		}
	}
}

// orientation looks for triangles that are clockwise or flat.
func (c *checker) orientation() {
	c.Checked = append(c.Checked, Oriented)
	c.problem(Oriented, gather(len(c.m.Triangles), func(lo, hi int) (bad []string) {
		for t := lo; t < hi; t++ {
			v := c.m.Triangles[t]
			switch c.m.orient(v[0], v[1], v[2]) {
			case 0:
				bad = append(bad, c.triangle(t)+" has no area")
			case -1:
				bad = append(bad, c.triangle(t)+" is clockwise")
			}
		}
		return bad
	}))
}

// conforming looks for edges with two triangles on one side.
func (c *checker) conforming() {
	c.Checked = append(c.Checked, Conforming)
	var conflicts []conflict
	c.twin, conflicts = c.m.twins()
	var bad []string
	for _, f := range conflicts {
		bad = append(bad, c.m.describe(f))
	}
	c.problem(Conforming, bad)
	for _, t := range c.twin {
		if t < 0 {
			c.Boundary++
		}
	}
}

// segments compares segments with edges.
func (c *checker) segments() {
	c.Checked = append(c.Checked, Segmented)
	m := c.m
	c.index = m.segmentIndex()
	isEdge := make([]bool, len(m.Segments))
	var bad []string
	for h, twin := range c.twin {
		u, v := m.ends(int32(h))
		s, ok := c.index[key(u, v)]
		if ok {
			isEdge[s] = true
		} else if twin < 0 {
			bad = append(bad, c.edge(u, v)+" is on the boundary and no segment")
		}
	}
	for s, v := range m.Segments {
		name := fmt.Sprintf("segment %d (nodes %d %d)", s+m.Base, int(v[0])+m.Base, int(v[1])+m.Base)
		if first := c.index[key(v[0], v[1])]; int(first) != s {
			bad = append(bad, fmt.Sprintf("%s is the same as segment %d", name, int(first)+m.Base))
		} else if !isEdge[s] {
			bad = append(bad, name+" is no edge of a triangle")
		}
	}
	c.problem(Segmented, bad)
}

// delaunay looks at every edge between two triangles. That no circle has a
// node in it that its triangle can see follows if it is so for neighbours.
func (c *checker) delaunay() {
	if !c.opts.Delaunay {
		return
	}
	if c.failed(Oriented, Conforming) {
		c.Skipped = append(c.Skipped, "the Delaunay property, because triangles are clockwise, flat or in conflict")
		return
	}
	c.Checked = append(c.Checked, IsDelaunay)
	m := c.m
	c.problem(IsDelaunay, gather(len(c.twin), func(lo, hi int) (bad []string) {
		for h := lo; h < hi; h++ {
			twin := c.twin[h]
			if twin < int32(h) { // the boundary, or seen from the other side
				continue
			}
			u, v := m.ends(int32(h))
			p := m.opposite(int32(h))
			q := m.opposite(twin)
			if m.inCircle(u, v, p, q) <= 0 {
				continue
			}
			if _, ok := c.index[key(u, v)]; ok {
				continue
			}
			excess := m.angle(p, u, v) + m.angle(q, u, v) - 180
			if c.opts.DelaunayTolerance > 0 && excess <= c.opts.DelaunayTolerance {
				continue
			}
			bad = append(bad, fmt.Sprintf("%s lies inside the circle of %s, by %.3g degrees", c.node(q), c.triangle(h/3), math.Max(0, excess)))
		}
		return bad
	}))
}

// opposite returns the node of a half-edge's triangle that is not on it.
func (m *Mesh) opposite(h int32) int32 {
	return m.Triangles[h/3][after[after[h%3]]]
}

// shape measures the triangles and compares with the angle asked for.
func (c *checker) shape() {
	m := c.m
	input := len(m.X)
	if c.opts.Input != nil && !c.failed(NodesKept) {
		input = len(c.opts.Input.X)
	}
	fix := m.Fixable(input)
	c.Quality = m.Quality(c.opts.MinAngle, fix)
	if c.opts.MinAngle == 0 {
		return
	}
	c.Checked = append(c.Checked, AnglesLarge)
	if c.Quality.Bad == c.Quality.Unfixable {
		return
	}
	c.problem(AnglesLarge, gather(len(m.Triangles), func(lo, hi int) (bad []string) {
		for t := lo; t < hi; t++ {
			if a := m.MinAngle(t); a < c.opts.MinAngle && fix.Triangle(t) {
				bad = append(bad, fmt.Sprintf("%s has an angle of %.4g degrees", c.triangle(t), a))
			}
		}
		return bad
	}))
}
