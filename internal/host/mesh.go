package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"irgl/internal/abi"
	"irgl/internal/device"
	"irgl/internal/lower"
	"irgl/internal/run"
	"irgl/syntax"
)

// A meshArrays is a mesh on the device, with spare capacity for elements that
// kernels add. The arrays that a program changes are initialised in each run
// from other arrays on the device: such a copy takes a hundredth of the time of
// one from the host.
type meshArrays struct {
	of *run.Mesh // nil when no mesh is placed
	// count is the size of the mesh, room the capacity of the arrays; each has one
	// more slot, for elements beyond the capacity.
	count, room meshSize
	chosen      bool // room was chosen by the engine

	start  map[string]device.Ptr // by property: the values at the start
	fields map[string]device.Ptr // by property
	others map[string]device.Ptr // by field of struct irgl_graph: counts and locks
}

// A meshSize is a number of points and of elements.
type meshSize struct{ points, elements int64 }

// of returns the number for a domain.
func (s meshSize) of(d syntax.Domain) int64 {
	if d == syntax.PointDomain {
		return s.points
	}
	return s.elements
}

// A meshOverflowError holds the capacity in points and elements that a mesh needs.
type meshOverflowError struct{ need meshSize }

func (e *meshOverflowError) Error() string {
	return fmt.Sprintf("the mesh overflowed: it needs room for %d points and %d elements", e.need.points, e.need.elements)
}

// PlaceMesh copies the mesh to the device, with spare capacity for room more
// points and elements; 0 for the engine's choice: six times the size of the
// mesh and some more, or the size that the last run of this mesh needed. Run
// does it when needed; calling it before keeps it out of a run's time.
func (e *Engine) PlaceMesh(m *run.Mesh, room int) error {
	if m == nil {
		return errors.New("the program needs a mesh")
	}
	a := &e.mesh
	if a.of == m && room == 0 && a.chosen {
		return nil
	}
	if a.of != m {
		if err := e.freeMesh(); err != nil {
			return err
		}
		if err := e.placeMesh(m); err != nil {
			return errors.Join(err, e.freeMesh())
		}
	}
	most := e.most()
	spare := func(count int64) int64 {
		if room == 0 {
			return min(defaultGrowth*count+defaultSpare, most)
		}
		return min(count+int64(room), most)
	}
	if err := e.resizeMesh(meshSize{spare(a.count.points), spare(a.count.elements)}); err != nil {
		return errors.Join(err, e.freeMesh())
	}
	a.chosen = room == 0
	return nil
}

// By default a mesh has the capacity to grow to six times its size, which is
// what refinement to good angles makes of a mesh of random points; the smallest
// meshes have more. A restart costs the whole run, capacity only memory.
const (
	defaultGrowth = 6
	defaultSpare  = 1024
)

// most returns the maximum number of nodes, points or elements: the loop of a
// thread adds the size of the grid to its index, an int.
func (e *Engine) most() int64 {
	threads := e.o.BlockThreads
	if e.source != nil {
		for _, f := range e.source.Funcs {
			threads = max(threads, f.Threads)
		}
	}
	return math.MaxInt32 - int64(e.o.MaxBlocks)*int64(threads)
}

// placeMesh checks the mesh and uploads its initial values.
func (e *Engine) placeMesh(m *run.Mesh) error {
	count := meshSize{int64(len(m.X)), int64(len(m.Points))}
	if most := e.most(); count.points > most || count.elements > most {
		return fmt.Errorf("the mesh has %d points and %d elements: this device takes at most %d", count.points, count.elements, most)
	}
	if err := validMesh(m); err != nil {
		return err
	}
	e.mesh = meshArrays{of: m, count: count, start: map[string]device.Ptr{}, fields: map[string]device.Ptr{}, others: map[string]device.Ptr{}}
	for _, p := range e.source.Props {
		if !p.Builtin {
			continue
		}
		b := meshBytes(m, p.Object.Name)
		if len(b) == 0 {
			continue
		}
		ptr, err := e.dev.Alloc(meshMemory+p.Object.Name, int64(len(b)))
		if err != nil {
			return err
		}
		e.mesh.start[p.Object.Name] = ptr
		if err := e.dev.CopyIn(ptr, b); err != nil {
			return err
		}
	}
	return nil
}

// validMesh returns an error for a mesh whose indices are out of range.
func validMesh(m *run.Mesh) error {
	if len(m.Y) != len(m.X) || len(m.Neighbors) != len(m.Points) || m.Deleted != nil && len(m.Deleted) != len(m.Points) {
		return fmt.Errorf("the mesh has %d and %d coordinates, %d elements with %d neighbors and %d marks",
			len(m.X), len(m.Y), len(m.Points), len(m.Neighbors), len(m.Deleted))
	}
	for i := range m.Points {
		for k := range 3 {
			if p, n := m.Points[i][k], m.Neighbors[i][k]; p < -1 || int(p) >= len(m.X) || n < -1 || int(n) >= len(m.Points) {
				return fmt.Errorf("element %d of the mesh has point %d and neighbor %d: there are %d and %d", i, p, n, len(m.X), len(m.Points))
			}
		}
	}
	return nil
}

// meshBytes returns the values of a builtin property in device representation;
// nil for a mesh without deleted elements, whose flags are zeros.
func meshBytes(m *run.Mesh, prop string) []byte {
	switch prop {
	case "x":
		return bytesOf(m.X)
	case "y":
		return bytesOf(m.Y)
	case "points":
		return bytesOf(m.Points)
	case "neighbors":
		return bytesOf(m.Neighbors)
	}
	b := make([]byte, len(m.Deleted))
	for i, deleted := range m.Deleted {
		b[i] = byte(truth(deleted))
	}
	return b
}

// resizeMesh allocates the arrays with capacity size; their contents are lost.
func (e *Engine) resizeMesh(size meshSize) error {
	a := &e.mesh
	if a.room == size && len(a.fields) > 0 {
		return nil
	}
	err := errors.Join(e.freeAll(a.fields), e.freeAll(a.others))
	a.fields, a.others, a.room = map[string]device.Ptr{}, map[string]device.Ptr{}, size
	if err != nil {
		return err
	}
	alloc := func(set map[string]device.Ptr, name, what string, bytes int64) error {
		ptr, err := e.dev.Alloc(what, bytes)
		if err == nil {
			set[name] = ptr
		}
		return err
	}
	for _, p := range e.source.Props {
		if !p.Of.OfMesh() {
			continue
		}
		if err := alloc(a.fields, p.Object.Name, propertyMemory+p.Object.Name, (size.of(p.Of)+1)*p.Object.Type.Size()); err != nil {
			return err
		}
		e.describeOf(a.fields[p.Object.Name], p.Of, p.Object.Type.Size())
	}
	for _, o := range []struct {
		field string
		ints  int64
	}{{abi.MeshCount, 2}, {abi.PointLocks, size.points + 1}, {abi.ElementLocks, size.elements + 1}} {
		if e.fieldType(o.field) == nil {
			continue // not locked by any kernel
		}
		if err := alloc(a.others, o.field, meshMemory+o.field, 4*o.ints); err != nil {
			return err
		}
	}
	return nil
}

// startMesh gives the mesh its initial values, before a run.
func (e *Engine) startMesh(m *machine) error {
	a := &e.mesh
	for _, p := range e.source.Props {
		if !p.Builtin {
			continue
		}
		to, bytes := a.fields[p.Object.Name], a.count.of(p.Of)*p.Object.Type.Size()
		if bytes == 0 {
			continue
		}
		var err error
		if from, ok := a.start[p.Object.Name]; ok {
			err = e.dev.Copy(to, from, bytes)
		} else {
			err = e.dev.Fill(to, 0, bytes)
		}
		if err != nil {
			return err
		}
	}
	var counts [8]byte
	store(counts[:4], uint64(a.count.points))
	store(counts[4:], uint64(a.count.elements))
	if ptr, ok := a.others[abi.MeshCount]; ok {
		if err := e.dev.CopyIn(ptr, counts[:]); err != nil {
			return err
		}
	}
	return errors.Join(m.setGlobal(abi.PointsVar, uint64(a.count.points)), m.setGlobal(abi.ElementsVar, uint64(a.count.elements)))
}

// meshError inspects the error of a run whose mesh may have overflowed.
// Kernels that add elements beyond the capacity continue with one spare
// element that they all share, so later errors are not the program's: neither
// races on that element, nor out-of-bounds accesses by its contents.
func (e *Engine) meshError(ctx context.Context, err error, reports int) error {
	var over *meshOverflowError
	counts, placed := e.mesh.others[abi.MeshCount]
	switch {
	case errors.As(err, &over):
	case ctx.Err() != nil || !placed:
		return err
	default:
		var b [8]byte
		if e.dev.CopyOut(b[:], counts) != nil {
			return err // the device is lost
		}
		need := meshSize{int64(int32(load(b[:4]))), int64(int32(load(b[4:])))}
		if need.points <= e.mesh.room.points && need.elements <= e.mesh.room.elements {
			return err
		}
		over = &meshOverflowError{need}
	}
	if d, ok := e.dev.(device.Forgetting); ok {
		d.Forget(reports)
	}
	return over
}

// reports returns the number of errors that the device has reported.
func (e *Engine) reports() int {
	if d, ok := e.dev.(device.Forgetting); ok && e.source.Mesh != nil {
		return len(d.Reports())
	}
	return 0
}

// growMesh allocates twice the capacity that a run needed; a part that was
// sufficient gets twice its spare capacity.
func (e *Engine) growMesh(over *meshOverflowError) error {
	a, most := &e.mesh, e.most()
	grown := func(need, count, room int64) int64 {
		if need > room {
			return min(2*need, most)
		}
		return min(count+2*(room-count), most)
	}
	need := over.need
	size := meshSize{grown(need.points, a.count.points, a.room.points), grown(need.elements, a.count.elements, a.room.elements)}
	if need.points > size.points || need.elements > size.elements {
		return fmt.Errorf("%w, and the limit is %d of each", over, most)
	}
	if size == a.room {
		return fmt.Errorf("%w, which is its capacity", over)
	}
	if err := e.resizeMesh(size); err != nil {
		return errors.Join(err, e.freeMesh())
	}
	return nil
}

// meshFields returns the fields of struct irgl_graph that a mesh has.
func (e *Engine) meshFields() map[string]uint64 {
	a := &e.mesh
	v := map[string]uint64{
		abi.Points: uint64(a.count.points), abi.Elements: uint64(a.count.elements),
		abi.PointRoom: uint64(a.room.points), abi.ElementRoom: uint64(a.room.elements),
	}
	for name, p := range a.others {
		v[name] = uint64(p)
	}
	for name, p := range a.fields {
		v[lower.FieldName(name)] = uint64(p)
	}
	return v
}

// finalCount returns the size of the mesh at the end of a run.
func (e *Engine) finalCount(m *machine) (meshSize, error) {
	points, err := m.getGlobal(abi.PointsVar)
	elements, err2 := m.getGlobal(abi.ElementsVar)
	size := meshSize{int64(points), int64(elements)}
	if err = cmp.Or(err, err2); err != nil {
		return size, err
	}
	if size.points < 0 || size.points > e.mesh.room.points || size.elements < 0 || size.elements > e.mesh.room.elements {
		return size, fmt.Errorf("the run left a mesh of %d points and %d elements: its capacity was %d and %d",
			size.points, size.elements, e.mesh.room.points, e.mesh.room.elements)
	}
	return size, nil
}

// meshResult reads the mesh back.
func (e *Engine) meshResult(size meshSize) (*run.Mesh, error) {
	m := &run.Mesh{
		X: make([]float64, size.points), Y: make([]float64, size.points), Deleted: make([]bool, size.elements),
		Points: make([][3]int32, size.elements), Neighbors: make([][3]int32, size.elements),
	}
	deleted := make([]byte, size.elements)
	for _, a := range []struct {
		prop string
		to   []byte
	}{{"x", bytesOf(m.X)}, {"y", bytesOf(m.Y)}, {"points", bytesOf(m.Points)}, {"neighbors", bytesOf(m.Neighbors)}, {"deleted", deleted}} {
		if len(a.to) == 0 {
			continue
		}
		if err := e.dev.CopyOut(a.to, e.mesh.fields[a.prop]); err != nil {
			return nil, err
		}
	}
	for i, v := range deleted {
		m.Deleted[i] = v != 0
	}
	return m, nil
}

// freeMesh frees the arrays of a mesh.
func (e *Engine) freeMesh() error {
	err := errors.Join(e.freeAll(e.mesh.start), e.freeAll(e.mesh.fields), e.freeAll(e.mesh.others))
	e.mesh = meshArrays{}
	return err
}

// freeAll frees the arrays of a set.
func (e *Engine) freeAll(set map[string]device.Ptr) error {
	var err error
	for _, p := range set {
		err = errors.Join(err, e.dev.Free(p))
	}
	return err
}
