package interp

import (
	"encoding/binary"
	"math"

	"irgl/internal/check"
	"irgl/internal/source"
	"irgl/syntax"
)

// Memory is a list of segments: one for each property, global, string and each
// local whose address matters. A pointer is the number of a segment in its
// upper bits and a byte offset in the lower ones, biased so that it may be negative:
// arithmetic on a pointer is arithmetic on an int64, a pointer that leaves its object is
// an error when it is used, one that leaves its segment when it is moved, and segment 0
// makes null pointers invalid.
const (
	offsetBits = 40
	offsetBias = 1 << (offsetBits - 1)
	// farIndex is what constant displacements must be less than: with a larger one, a
	// pointer within its segment may reach an object of the next.
	farIndex = offsetBias / 2
)

// offsetOf returns the offset of a pointer.
func offsetOf(p int64) int64 { return p&(1<<offsetBits-1) - offsetBias }

// moved returns the pointer n elements of a size behind p.
func (m *machine) moved(p, n, size int64, at syntax.Node) int64 {
	q := p + n*size
	if uint64(p)>>offsetBits != uint64(q)>>offsetBits || n > farIndex || n < -farIndex {
		id := uint64(p) >> offsetBits
		if id == 0 || id >= uint64(len(m.segments)) {
			m.badPointer(p, 1, 1, at)
		}
		m.fail(at, codePointer, "this pointer is moved by %d elements of %d bytes outside its object, which has %d bytes", n, size, len(m.segments[id].data))
	}
	return q
}

// A segment is one object's memory. Its bytes stay where they are and as many
// as they are, unless it grows.
type segment struct {
	data []byte
	base int64 // the pointer to its first byte
	ro   bool  // a string or constant
	// grows marks a property of the mesh. The bytes of one are looked up each
	// time; its length is what the present number of values takes.
	grows bool
}

// newSegment makes an object of size bytes. In a dry compilation, which only
// looks for errors, it has no memory.
func (m *machine) newSegment(size int64, n syntax.Node) *segment {
	s := &segment{base: int64(len(m.segments))<<offsetBits + offsetBias}
	m.segments = append(m.segments, s)
	if !m.dry {
		m.reserve(size, n)
		s.data = make([]byte, size)
	}
	return s
}

// reserve counts size bytes against the limit.
func (m *machine) reserve(size int64, n syntax.Node) {
	if m.memory -= size; m.memory < 0 {
		m.fail(n, codeMemory, "the program needs more than %d MiB of memory", m.options.Memory>>20)
	}
}

// at returns the size bytes that p points to; align is a power of two.
func (m *machine) at(p, size, align int64, write bool, n syntax.Node) []byte {
	if id := uint64(p) >> offsetBits; id < uint64(len(m.segments)) {
		s, off := m.segments[id], offsetOf(p)
		if off >= 0 && off+size <= int64(len(s.data)) && off&(align-1) == 0 && !(write && s.ro) {
			return s.data[off : off+size : off+size]
		}
	}
	m.badPointer(p, size, align, n)
	return nil
}

// badPointer says what is wrong with a pointer.
func (m *machine) badPointer(p, size, align int64, n syntax.Node) {
	id, off := uint64(p)>>offsetBits, offsetOf(p)
	switch {
	case id == 0:
		m.fail(n, codePointer, "this pointer is null")
	case id >= uint64(len(m.segments)):
		m.fail(n, codePointer, "this pointer points to no object")
	case off < 0 || off+size > int64(len(m.segments[id].data)):
		m.fail(n, codePointer, "this pointer points outside its object, which has %d bytes", len(m.segments[id].data))
	case off&(align-1) != 0:
		m.fail(n, codePointer, "this pointer is not aligned to %d bytes", align)
	}
	m.fail(n, codePointer, "this pointer points to a constant")
}

// A fault ends a run; Run recovers it.
type fault struct{ err error }

// fail ends the run with an error about n.
func (m *machine) fail(n syntax.Node, code source.Code, format string, args ...any) {
	var list source.List
	var pos, end source.Pos
	if n != nil {
		pos, end = n.Pos(), n.End()
	}
	list.Errorf(pos, end, code, format, args...)
	panic(fault{list.Err()})
}

var le = binary.LittleEndian

// loadInt returns a function that reads an integer, handle or pointer of type
// t from the bytes that get returns.
//
//irgl:flatswitch
func loadInt(t check.Type, get func() []byte) func() int64 {
	unsigned := check.IsUnsigned(t)
	switch t.Size() {
	case 1:
		if unsigned {
			return func() int64 { return int64(get()[0]) }
		}
		return func() int64 { return int64(int8(get()[0])) }
	case 2:
		if unsigned {
			return func() int64 { return int64(le.Uint16(get())) }
		}
		return func() int64 { return int64(int16(le.Uint16(get()))) }
	case 4:
		if unsigned {
			return func() int64 { return int64(le.Uint32(get())) }
		}
		return func() int64 { return int64(int32(le.Uint32(get()))) }
	}
	return func() int64 { return int64(le.Uint64(get())) }
}

// loadFloat is loadInt for float and double.
func loadFloat(t check.Type, get func() []byte) func() float64 {
	if t == check.Float {
		return func() float64 { return float64(math.Float32frombits(le.Uint32(get()))) }
	}
	return func() float64 { return math.Float64frombits(le.Uint64(get())) }
}

// loadIntOf is loadInt for bytes that are always the same.
func loadIntOf(t check.Type, b []byte) func() int64 {
	if t.Size() == 4 && !check.IsUnsigned(t) {
		return func() int64 { return int64(int32(le.Uint32(b))) }
	}
	if t.Size() == 8 {
		return func() int64 { return int64(le.Uint64(b)) }
	}
	return loadInt(t, func() []byte { return b })
}

// storeInt returns a function that evaluates v, a value of type t, writes it to
// the bytes that get then returns, and gives it back.
func storeInt(t check.Type, get func() []byte, v func() int64) func() int64 {
	switch t.Size() {
	case 1:
		return func() int64 { x := v(); get()[0] = byte(x); return x }
	case 2:
		return func() int64 { x := v(); le.PutUint16(get(), uint16(x)); return x }
	case 4:
		return func() int64 { x := v(); le.PutUint32(get(), uint32(x)); return x }
	}
	return func() int64 { x := v(); le.PutUint64(get(), uint64(x)); return x }
}

// storeFloat is storeInt for float and double.
func storeFloat(t check.Type, get func() []byte, v func() float64) func() float64 {
	if t == check.Float {
		return func() float64 { x := v(); le.PutUint32(get(), math.Float32bits(float32(x))); return x }
	}
	return func() float64 { x := v(); le.PutUint64(get(), math.Float64bits(x)); return x }
}

// getInt and putInt access an integer of type t at the start of b.
func getInt(t check.Type, b []byte) int64 {
	var v int64
	switch t.Size() {
	case 1:
		v = int64(b[0])
	case 2:
		v = int64(le.Uint16(b))
	case 4:
		v = int64(le.Uint32(b))
	default:
		return int64(le.Uint64(b))
	}
	return wrap(v, t)
}

// putInt writes an integer of type t to the start of b.
func putInt(t check.Type, b []byte, v int64) {
	switch t.Size() {
	case 1:
		b[0] = byte(v)
	case 2:
		le.PutUint16(b, uint16(v))
	case 4:
		le.PutUint32(b, uint32(v))
	default:
		le.PutUint64(b, uint64(v))
	}
}

// getFloat and putFloat do the same for float and double.
func getFloat(t check.Type, b []byte) float64 {
	if t == check.Float {
		return float64(math.Float32frombits(le.Uint32(b)))
	}
	return math.Float64frombits(le.Uint64(b))
}

// putFloat writes a float or double to the start of b.
func putFloat(t check.Type, b []byte, v float64) {
	if t == check.Float {
		le.PutUint32(b, math.Float32bits(float32(v)))
		return
	}
	le.PutUint64(b, math.Float64bits(v))
}
