package rt

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"unsafe"
)

// A Mesh is a triangle mesh: triangles and segments are elements of one kind.
type Mesh struct {
	X, Y []float64 // of the points
	// Points has the corners of an element, the third -1 in a segment;
	// Neighbors the elements beyond its edges, -1 for none.
	Points, Neighbors [][3]int32
	Deleted           []bool // of the elements; nil when none is
}

// Check reports what makes m no mesh that a kernel can work on: kernels do not
// check indices.
func (m *Mesh) Check() error {
	n, elements := len(m.X), len(m.Points)
	switch {
	case len(m.Y) != n:
		return fmt.Errorf("the mesh has %d x and %d y coordinates", n, len(m.Y))
	case len(m.Neighbors) != elements || m.Deleted != nil && len(m.Deleted) != elements:
		return fmt.Errorf("the mesh has %d elements, neighbours of %d and marks of %d", elements, len(m.Neighbors), len(m.Deleted))
	case max(n, elements) >= math.MaxInt32:
		return fmt.Errorf("%d points and %d elements are too many", n, elements)
	}
	outside := func(list [][3]int32, limit int) int {
		return slices.IndexFunc(list, func(v [3]int32) bool {
			return min(v[0], v[1], v[2]) < -1 || int(max(v[0], v[1], v[2])) >= limit
		})
	}
	if i := outside(m.Points, n); i >= 0 {
		return fmt.Errorf("element %d of the mesh has the corners %d, and there are %d points", i, m.Points[i], n)
	}
	if i := outside(m.Neighbors, elements); i >= 0 {
		return fmt.Errorf("element %d of the mesh has the neighbours %d, and there are %d elements", i, m.Neighbors[i], elements)
	}
	return nil
}

// The domains of properties, as the numbers that generated code has for them.
const (
	ofNodes = iota
	ofEdges
	ofPoints
	ofElements
	numDomains
)

// A grown is the part of a run's mesh that all workers write: it has cache lines
// of its own.
type grown struct {
	_    [64]byte
	next atomic.Int64 // number of the next point or element
	room int64
	_    [48]byte
}

// overflow is the panic that ends an attempt whose arrays have no room for a
// new point or element.
type overflow struct{ room [numDomains]int64 }

// Error is for the overflow of an attempt that nothing follows.
func (o overflow) Error() string {
	return fmt.Sprintf("the mesh has outgrown %d points and %d elements", o.room[ofPoints], o.room[ofElements])
}

// firstRoom returns how many points and elements the first attempt has room
// for. Memory that is not touched costs next to nothing, and one invocation of
// a refinement replaces much of the mesh.
func firstRoom(m *Mesh, spare int) (room [numDomains]int64) {
	points, elements := int64(len(m.X)), int64(len(m.Points))
	room[ofPoints], room[ofElements] = 3*points+1024, 6*elements+1024
	if spare > 0 {
		room[ofPoints], room[ofElements] = points+int64(spare), elements+int64(spare)
	}
	return capped(room)
}

// moreRoom returns the room of the attempt after one that overflowed.
func moreRoom(room [numDomains]int64) [numDomains]int64 {
	room[ofPoints], room[ofElements] = 2*room[ofPoints]+64, 2*room[ofElements]+64
	return capped(room)
}

// maxRoom is the most points or elements that 32-bit numbers can have.
const maxRoom = math.MaxInt32

func capped(room [numDomains]int64) [numDomains]int64 {
	for d := range room {
		room[d] = min(room[d], maxRoom)
	}
	return room
}

// setMesh makes m the mesh that the run starts from.
func (r *Run) setMesh(m *Mesh, room [numDomains]int64) {
	r.mesh = m
	r.grown[0].next.Store(int64(len(m.X)))
	r.grown[1].next.Store(int64(len(m.Points)))
	r.grown[0].room, r.grown[1].room = room[ofPoints], room[ofElements]
	r.recount()
}

// recount makes what was added count: what kernels see is the number of points
// and elements at the start of the invocation. Where the next invocation could
// want more room than there is, the arrays move now.
func (r *Run) recount() {
	before := [2]int64{int64(r.Points), int64(r.Elements)}
	for i := range r.grown {
		g := &r.grown[i]
		count := g.next.Load()
		if added := count - before[i]; added > 0 && len(r.moves) > 0 && count+2*added > g.room {
			g.room = min(max(2*g.room, count+4*added), maxRoom)
			for _, m := range r.moves {
				if m.of == ofPoints+i {
					m.move(int(count), int(g.room)+slack)
				}
			}
		}
	}
	r.Points, r.Elements = int32(r.grown[0].next.Load()), int32(r.grown[1].next.Load())
}

// A mover moves a property of the mesh to an array of another length.
type mover struct {
	of   int
	move func(count, length int)
}

// Growing says that the property that starts at *field can be moved between
// invocations.
func Growing[T any](r *Run, of int, field *unsafe.Pointer) {
	r.moves = append(r.moves, mover{of, func(count, length int) {
		s := make([]T, length)
		copy(s, unsafe.Slice((*T)(*field), count))
		*field = unsafe.Pointer(unsafe.SliceData(s))
	}})
}

// NewPoint returns the number of a new point, whose properties are zero. Any
// worker may call it.
func (r *Run) NewPoint() int32 { return r.add(&r.grown[0]) }

// NewElement returns the number of a new element, whose properties are zero.
func (r *Run) NewElement() int32 { return r.add(&r.grown[1]) }

func (r *Run) add(g *grown) int32 {
	n := g.next.Add(1) - 1
	if n >= g.room {
		panic(overflow{[numDomains]int64{ofPoints: r.grown[0].room, ofElements: r.grown[1].room}})
	}
	return int32(n)
}

// FillMesh gives the properties that every mesh has the values of the input.
func (r *Run) FillMesh(x, y []float64, points, neighbors [][3]int32, deleted []uint8) {
	m := r.mesh
	copy(x, m.X)
	copy(y, m.Y)
	copy(points, m.Points)
	copy(neighbors, m.Neighbors)
	for i, is := range m.Deleted {
		deleted[i] = B[uint8](is)
	}
}

// OutputMesh makes the mesh of the properties that every mesh has the result.
func (r *Run) OutputMesh(x, y, points, neighbors, deleted unsafe.Pointer) {
	n, elements := int(r.Points), int(r.Elements)
	m := &Mesh{
		X: unsafe.Slice((*float64)(x), n), Y: unsafe.Slice((*float64)(y), n),
		Points: unsafe.Slice((*[3]int32)(points), elements), Neighbors: unsafe.Slice((*[3]int32)(neighbors), elements),
		Deleted: make([]bool, elements),
	}
	for i, v := range unsafe.Slice((*uint8)(deleted), elements) {
		m.Deleted[i] = v != 0
	}
	r.result.Mesh = m
}
