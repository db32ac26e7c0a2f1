package host

import (
	"encoding/binary"

	"irgl/internal/abi"
	"irgl/internal/check"
	"irgl/internal/device"
	"irgl/internal/run"
)

// This file tracks the counts of worklists, from the host's reads and writes of
// them.

// An area is an allocation of the program. zero says that it was filled with
// zeros: then an unknown count in it is 0, since any kernel or copy that changes
// a count makes it known.
type area struct {
	size int64
	zero bool
}

// A listCount is the known state of a worklist's count.
type listCount struct {
	known bool
	size  int64 // the count, or its value before kernel was launched
	// kernel, if not nil, may have pushed since; event is its last launch, and
	// retry says that the list is its retry list.
	kernel *run.KernelStats
	event  int
	retry  bool
}

// size returns a count, reading it if it is unknown.
func (r *recorder) size(p device.Ptr) (*listCount, error) {
	c := r.lists[p]
	if c == nil {
		c = &listCount{known: r.cleared(p)}
		r.lists[p] = c
	}
	if c.known {
		return c, nil
	}
	var b [4]byte
	if err := copyOut(r.ctx, r.e.dev, b[:], p); err != nil {
		return nil, err
	}
	r.counted(c, b[:])
	return c, nil
}

// counted records the value of a count on the device.
func (r *recorder) counted(c *listCount, value []byte) {
	n := int64(int32(binary.LittleEndian.Uint32(value)))
	if c.kernel != nil {
		pushed, of := &c.kernel.Pushes, &r.Event(c.event).Pushes
		if c.retry {
			pushed, of = &c.kernel.Retries, &r.Event(c.event).Retries
		}
		*pushed += n - c.size
		*of += n - c.size
	}
	*c = listCount{known: true, size: n}
}

// resolve reads a count that a kernel may have increased, before it is overwritten.
func (r *recorder) resolve(p device.Ptr, c *listCount) error {
	if c.kernel == nil {
		return nil
	}
	_, err := r.size(p)
	return err
}

// expect records that a kernel is about to push to a list. A kernel that is
// launched again continues with the same list.
func (r *recorder) expect(p device.Ptr, kernel *run.KernelStats, retry bool) error {
	if c := r.lists[p]; c != nil && c.kernel == kernel {
		return nil
	}
	c, err := r.size(p)
	if err == nil {
		c.known, c.kernel, c.event, c.retry = false, kernel, -1, retry
	}
	return err
}

// cleared reports whether p is in a zeroed area.
func (r *recorder) cleared(p device.Ptr) bool {
	for at, a := range r.areas {
		if p >= at && int64(p-at) < a.size {
			return a.zero
		}
	}
	return false
}

// seen records the memory at p, which the host has read or written.
func (r *recorder) seen(p device.Ptr, b []byte) {
	if r == nil || len(b) != 4 {
		return
	}
	c := r.lists[p]
	if c == nil && r.cleared(p) { // probably a count
		c = &listCount{}
		r.lists[p] = c
	}
	if c != nil {
		r.counted(c, b)
	}
}

// within calls f for the counts in the size bytes at p. There are few: one per
// list of an active Pipe.
func (r *recorder) within(p device.Ptr, size int64, f func(at device.Ptr, c *listCount) error) error {
	if r == nil {
		return nil
	}
	for at, c := range r.lists {
		if at >= p && int64(at-p) < size {
			if err := f(at, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// overwrites is called before the host changes size bytes of device memory at p:
// pushes of kernels must be counted before.
func (r *recorder) overwrites(p device.Ptr, size int64) error {
	if r == nil {
		return nil
	}
	for at, a := range r.areas {
		// Writes of a single number are recorded by seen, or by filled.
		if at < p+device.Ptr(size) && int64(p)-int64(at) < a.size && size != 4 {
			a.zero = false
		}
	}
	return r.within(p, size, func(at device.Ptr, c *listCount) error {
		err := r.resolve(at, c)
		c.known = false
		return err
	})
}

// filled records a cudaMemset.
func (r *recorder) filled(p device.Ptr, value byte, size int64) error {
	if r == nil {
		return nil
	}
	if a := r.areas[p]; a != nil && a.size == size {
		a.zero = value == 0
	}
	if size == 4 {
		r.seen(p, []byte{value, value, value, value})
	}
	return r.within(p, size, func(_ device.Ptr, c *listCount) error {
		r.counted(c, []byte{value, value, value, value})
		return nil
	})
}

// allocated records the size of the memory at p.
func (r *recorder) allocated(p device.Ptr, size int64) {
	if r != nil {
		r.areas[p] = &area{size: size}
	}
}

// freed is called before the memory at p is freed.
func (r *recorder) freed(p device.Ptr) error {
	if r == nil {
		return nil
	}
	a := r.areas[p]
	if a == nil {
		return nil
	}
	delete(r.areas, p)
	return r.within(p, a.size, func(at device.Ptr, c *listCount) error {
		err := r.resolve(at, c)
		delete(r.lists, at)
		return err
	})
}

// countOffset returns the offset in a value of type t of the address of a
// worklist's count.
func countOffset(t check.Type) (int64, bool) {
	s, ok := t.(*check.Struct)
	if !ok || s.Tag != abi.ListTag {
		return 0, false
	}
	f, ok := s.Field(abi.ListCount)
	return f.Offset, ok
}

// hidesLists reports whether a value of type t contains worklists, or points to
// some, without being one: the kernel's use of those is unknown.
func hidesLists(t check.Type, depth int) bool {
	switch t := t.(type) {
	case *check.Pointer:
		_, list := countOffset(t.Elem)
		return list || hidesLists(t.Elem, depth)
	case *check.Struct:
		for _, f := range t.Fields {
			_, list := countOffset(f.Type)
			if list || depth > 0 && hidesLists(f.Type, depth-1) {
				return true
			}
		}
	}
	return false
}

// hiddenDepth is the maximum nesting of structs in which worklists are searched.
const hiddenDepth = 4

// list returns the address of the count of the kernel's list i: 0 is its
// input, 1 its output, 2 its retry list.
func (k *kernelLayout) list(i int, params []byte) device.Ptr {
	return device.Ptr(binary.LittleEndian.Uint64(params[k.lists[i]:]))
}
