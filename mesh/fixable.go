package mesh

// This file tells which bad triangles refinement can remove. Where two segments
// of the input meet at a small angle some triangle has to have that angle, or
// a smaller one; and nodes on the two segments at the same distance from where
// they meet are closer to each other than to it, which makes triangles beside
// them bad for ever, if each is split because of the other. Programs leave
// both kinds alone (G. Miller, S. Pav and N. Walkington, "When and Why
// Delaunay Refinement Algorithms Work", IJCGA 15, 2005, call the short edge of
// the second kind seditious).

// A Fixable tells which bad triangles of a mesh can be fixed.
type Fixable struct {
	m     *Mesh
	input int32   // nodes below are the input's, others were added
	start []int32 // the segments at node v are at[start[v]:start[v+1]]
	at    []int32 // the other ends of these segments
}

// Fixable prepares the question which bad triangles can be fixed. The first
// inputNodes nodes are those of the mesh before refinement, whose segments may
// have been split by later ones; for a mesh that was not refined it is the
// number of nodes. m must pass Validate.
func (m *Mesh) Fixable(inputNodes int) *Fixable {
	f := &Fixable{m: m, input: int32(min(inputNodes, len(m.X))), start: make([]int32, len(m.X)+1), at: make([]int32, 2*len(m.Segments))}
	for _, s := range m.Segments {
		f.start[s[0]+1]++
		f.start[s[1]+1]++
	}
	for v := range m.X {
		f.start[v+1] += f.start[v]
	}
	fill := make([]int32, len(m.X))
	for _, s := range m.Segments {
		for k, v := range s {
			f.at[f.start[v]+fill[v]] = s[1-k]
			fill[v]++
		}
	}
	return f
}

// ends returns the other ends of the segments at v.
func (f *Fixable) ends(v int32) []int32 { return f.at[f.start[v]:f.start[v+1]] }

// A leg says that a node lies on an input segment: apex is an end of that
// segment, and first the node next to apex on it, which distinguishes segments with the
// same apex.
type leg struct{ apex, first int32 }

// legs returns the legs of node v, except those of which v is the apex.
func (f *Fixable) legs(v int32) []leg {
	var out []leg
	for _, next := range f.ends(v) {
		prev := v
		for range len(f.m.Segments) { // a ring of added nodes has no end
			if next < f.input {
				out = append(out, leg{next, prev})
				break
			}
			e := f.ends(next)
			if len(e) != 2 {
				break // no point of a segment: the mesh is not a refinement
			}
			if e[0] == prev {
				prev, next = next, e[1]
			} else {
				prev, next = next, e[0]
			}
		}
	}
	return out
}

// Triangle reports whether the bad triangle t can be fixed. It cannot if its
// smallest angle lies between two segments, or if its shortest edge connects
// two input segments that meet at less than 60 degrees.
func (f *Fixable) Triangle(t int) bool {
	m := f.m
	v := m.Triangles[t]
	k, a := 0, m.angles(t)
	for i := range a {
		if a[i] < a[k] {
			k = i
		}
	}
	// The shortest edge is opposite the smallest angle.
	apex, p, q := v[k], v[after[k]], v[after[after[k]]]
	if f.segment(apex, p) && f.segment(apex, q) {
		return false
	}
	if len(f.ends(p)) == 0 || len(f.ends(q)) == 0 {
		return true
	}
	others := f.legs(q)
	for _, l := range f.legs(p) {
		for _, r := range others {
			if l.apex == r.apex && l.first != r.first && m.angle(l.apex, l.first, r.first) < 60 {
				return false
			}
		}
	}
	return true
}

// segment reports whether there is a segment between u and v.
func (f *Fixable) segment(u, v int32) bool {
	for _, w := range f.ends(u) {
		if w == v {
			return true
		}
	}
	return false
}
