package host

import (
	"encoding/binary"
	"fmt"

	"irgl/internal/check"
)

// Host memory is a table of segments: one for the stack, one for the globals,
// one per allocation. An address is a segment number and an offset, above
// hostBase, which is greater than any device address.
const (
	hostBase     = uint64(1) << 62
	segmentShift = 40
	offsetMask   = uint64(1)<<segmentShift - 1
	stackSize    = check.MaxHostStack
	maxSegments  = 1 << 20
	maxAlloc     = 1 << 35 // bytes of one allocation
)

const (
	nullSegment = iota // addresses near hostBase are never valid
	stackSegment
	globalSegment
	firstHeapSegment
)

// A memory is the host's memory.
type memory struct {
	segments [][]byte
	free     []int // numbers of freed heap segments
}

func newMemory(globals int64) *memory {
	return &memory{segments: [][]byte{nil, make([]byte, stackSize), make([]byte, globals)}}
}

func address(segment int, offset int64) uint64 {
	return hostBase + uint64(segment)<<segmentShift + uint64(offset)
}

// bytes returns the n bytes at address a.
func (m *memory) bytes(a uint64, n int64) ([]byte, error) {
	if a < hostBase {
		switch {
		case a < 1<<16:
			return nil, fmt.Errorf("null pointer in host code")
		case a >= kernelBase:
			return nil, fmt.Errorf("host code dereferences the address of a kernel")
		default:
			return nil, fmt.Errorf("host code dereferences the device address %#x", a)
		}
	}
	s, off := (a-hostBase)>>segmentShift, int64((a-hostBase)&offsetMask)
	if s >= uint64(len(m.segments)) || m.segments[s] == nil {
		return nil, fmt.Errorf("host code accesses memory that is not allocated")
	}
	seg := m.segments[s]
	if n < 0 || off+n > int64(len(seg)) {
		return nil, fmt.Errorf("host access of %d bytes at offset %d of an object of %d bytes", n, off, len(seg))
	}
	return seg[off : off+n : off+n], nil
}

// alloc returns the address of n zero bytes, or 0 if memory is exhausted.
func (m *memory) alloc(n int64) uint64 {
	if n < 0 || n > maxAlloc {
		return 0
	}
	seg := make([]byte, max(n, 1))
	if k := len(m.free); k > 0 {
		s := m.free[k-1]
		m.free = m.free[:k-1]
		m.segments[s] = seg
		return address(s, 0)
	}
	if len(m.segments) == maxSegments {
		return 0
	}
	m.segments = append(m.segments, seg)
	return address(len(m.segments)-1, 0)
}

// release frees memory that alloc returned; null is allowed.
func (m *memory) release(a uint64) error {
	if a == 0 {
		return nil
	}
	s := int((a - hostBase) >> segmentShift)
	if a < hostBase || s < firstHeapSegment || s >= len(m.segments) || m.segments[s] == nil || (a-hostBase)&offsetMask != 0 {
		return fmt.Errorf("free of an address that malloc did not return")
	}
	m.segments[s] = nil
	m.free = append(m.free, s)
	return nil
}

// cstring returns the bytes at a up to the first zero.
func (m *memory) cstring(a uint64) (string, error) {
	if _, err := m.bytes(a, 1); err != nil {
		return "", err
	}
	s, off := (a-hostBase)>>segmentShift, (a-hostBase)&offsetMask
	seg := m.segments[s][off:]
	for i, b := range seg {
		if b == 0 {
			return string(seg[:i]), nil
		}
	}
	return "", fmt.Errorf("a string in host code has no terminating zero")
}

// putString stores s with a terminating zero in its own segment.
func (m *memory) putString(s string) uint64 {
	a := m.alloc(int64(len(s)) + 1)
	if b, err := m.bytes(a, int64(len(s))); err == nil {
		copy(b, s)
	}
	return a
}

func load(b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func store(b []byte, v uint64) {
	switch len(b) {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}
