package rt

import "fmt"

// A Place is a range of the program's text: byte offsets, To excluded.
type Place struct{ From, To int32 }

// A Fault is an error of the program that runs, at a place of its text.
type Fault struct {
	Kind    FaultKind
	Message string
	Place   Place

	at int // index of Place in Program.Places
}

func (f *Fault) Error() string { return f.Message }

// A FaultKind says what went wrong.
type FaultKind uint8

// The kinds of faults.
const (
	IndexFault    FaultKind = iota // an index outside its array, or of an edge that the node does not have
	HandleFault                    // a node, edge, point or element that does not exist
	PopFault                       // WL.pop of an index that the worklist does not have
	StepFault                      // a slice whose step is not positive
	AssertFault                    // assert of something false, abort, or exit with a status other than 0
	DeadlockFault                  // an Atomic that waits for a lock which nobody can release
	SizeFault                      // a size that no worklist can have
	DepthFault                     // functions that call each other too deeply
)

func newFault(at int, kind FaultKind, format string, args ...any) *Fault {
	return &Fault{Kind: kind, Message: fmt.Sprintf(format, args...), at: at}
}

// located gives a fault its place.
func (p *Program) located(f *Fault) *Fault {
	if f.at >= 0 && f.at < len(p.Places) {
		f.Place = p.Places[f.at]
	}
	return f
}

// The following checks are inlined into generated code. Each panics in the branch
// that fails, so that the Go compiler knows the index in range behind it and drops
// its own check, and a second one of the same index. What they panic with is made
// without a call: then the Go compiler counts a check as little, and still inlines
// the program's small functions. at is an index in Program.Places.

// What the checks panic with, which [Run.failed] makes a Fault.
type (
	// A noNode, noPoint or noElement is the number of the handle, shifted by 32,
	// and the index of the place.
	noNode    int64
	noPoint   int64
	noElement int64

	noEdge  struct{ e, at int64 }
	noNth   struct{ i, v, edges, at int64 } // edge i of node v
	noIndex struct{ i, n, at int64 }
)

// Node returns v, or ends the run when the graph has no such node.
func Node(v, nodes int32, at int) int32 {
	if uint32(v) >= uint32(nodes) {
		panic(noNode(int64(v)<<32 | int64(at)))
	}
	return v
}

// Edge returns e, or ends the run when the graph has no such edge.
func Edge(e, edges int64, at int) int64 {
	if uint64(e) >= uint64(edges) {
		panic(noEdge{e, int64(at)})
	}
	return e
}

// SomeNode returns v, or ends the run when it is negative: it exists otherwise.
func SomeNode(v int32, at int) int32 {
	if v < 0 {
		panic(noNode(int64(v)<<32 | int64(at)))
	}
	return v
}

// SomeEdge is SomeNode of an edge.
func SomeEdge(e int64, at int) int64 {
	if e < 0 {
		panic(noEdge{e, int64(at)})
	}
	return e
}

// SomePoint is SomeNode of a point.
func SomePoint(p int32, at int) int32 {
	if p < 0 {
		panic(noPoint(int64(p)<<32 | int64(at)))
	}
	return p
}

// SomeElement is SomeNode of an element.
func SomeElement(e int32, at int) int32 {
	if e < 0 {
		panic(noElement(int64(e)<<32 | int64(at)))
	}
	return e
}

// Point returns p, or ends the run when the mesh has no such point. Any worker may
// call it: a point that another one adds exists from then on.
func (r *Run) Point(p int32, at int) int32 {
	if uint32(p) >= uint32(r.Points) && int64(uint32(p)) >= r.grown[0].next.Load() {
		panic(noPoint(int64(p)<<32 | int64(at)))
	}
	return p
}

// Element returns e, or ends the run when the mesh has no such element; it is as Point.
func (r *Run) Element(e int32, at int) int32 {
	if uint32(e) >= uint32(r.Elements) && int64(uint32(e)) >= r.grown[1].next.Load() {
		panic(noElement(int64(e)<<32 | int64(at)))
	}
	return e
}

// NthEdge returns edge i of node v, whose edges are r.
func NthEdge(r Row, v int32, i int64, at int) int64 {
	if uint64(i) >= uint64(r.N) {
		panic(noNth{i, int64(v), r.N, int64(at)})
	}
	return r.Lo + i
}

// Nth returns edge i of a range.
func Nth(r Range, i int64, at int) int64 {
	if uint64(i) >= uint64(r.Hi-r.Lo) {
		panic(noIndex{i, r.Hi - r.Lo, int64(at)})
	}
	return r.Lo + i
}

// Index returns i, an index of an array with n elements.
func Index[T Integer](i T, n int, at int) T {
	if uint64(i) >= uint64(n) {
		panic(noIndex{int64(i), int64(n), int64(at)})
	}
	return i
}

// End returns i, for the address of element i of an array with n elements, or of
// its end.
func End[T Integer](i T, n int, at int) T {
	if uint64(i) > uint64(n) {
		panic(noIndex{int64(i), int64(n), int64(at)})
	}
	return i
}

// Deeper returns one more than the depth of calls that a recursive function was
// called with, or ends the run at the limit.
func Deeper(depth, limit int, at int) int {
	if depth >= limit {
		panic(tooDeep(depth, at))
	}
	return depth + 1
}

//go:noinline
func noHandle(domain int, v, count int64, at int) *Fault {
	whole, one := "graph", [numDomains]string{"node", "edge", "point", "element"}[domain]
	if domain >= ofPoints {
		whole = "mesh"
	}
	if count == 0 {
		return newFault(at, HandleFault, "the %s has no %s %d: it has no %ss", whole, one, v, one)
	}
	return newFault(at, HandleFault, "the %s has no %s %d: its %ss are 0 to %d", whole, one, v, one, count-1)
}

// failed returns the fault that x, what a check panicked with, stands for; nil when it
// is of no check.
func (r *Run) failed(x any) *Fault {
	switch x := x.(type) {
	case *Fault:
		return x
	case noNode:
		return noHandle(ofNodes, int64(x>>32), int64(r.Nodes), int(uint32(x)))
	case noPoint:
		return noHandle(ofPoints, int64(x>>32), r.lockable(ofPoints), int(uint32(x)))
	case noElement:
		return noHandle(ofElements, int64(x>>32), r.lockable(ofElements), int(uint32(x)))
	case noEdge:
		return noHandle(ofEdges, x.e, r.Arcs, int(x.at))
	case noNth:
		s := "s"
		if x.edges == 1 {
			s = ""
		}
		return newFault(int(x.at), IndexFault, "index %d is out of range: the node %d has %d edge%s", x.i, x.v, x.edges, s)
	case noIndex:
		return newFault(int(x.at), IndexFault, "index %d is out of range: the array has %d elements, 0 to %d", x.i, x.n, x.n-1)
	}
	return nil
}

//go:noinline
func tooDeep(depth, at int) *Fault {
	return newFault(at, DepthFault, "recursion too deep: %d calls have not returned", depth)
}

// Abort ends the run, as C's abort does.
func Abort(at int) { panic(newFault(at, AssertFault, "the program aborted")) }

// AssertionFailed ends the run.
func AssertionFailed(at int) { panic(newFault(at, AssertFault, "assertion failed")) }
