package host

import (
	"encoding/binary"

	"irgl/internal/abi"
	"irgl/internal/check"
	"irgl/internal/device"
	"irgl/internal/run"
)

// This file has what a recorder knows of worklists, from what the host reads and
// writes of their counts.

// An area is memory that the program has allocated. zero says that it was filled
// with zeros: then a count in it of which nothing is known is 0, since no kernel
// and no copy could change it without making it known.
type area struct {
	size int64
	zero bool
}

// A listCount is what is known of a worklist's count.
type listCount struct {
	known bool
	size  int64 // the count, or what it was before kernel was launched
	// kernel, when not nil, may have pushed since; event is the last launch of
	// it, and retry says that the list is the one of what it retries.
	kernel *run.KernelStats
	event  int
	retry  bool
}

// size returns what is known of a count, which is read if it must be.
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

// counted takes over the value of a count, as it is on the device.
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

// settle reads a count to which a kernel may have added, before it is lost.
func (r *recorder) settle(p device.Ptr, c *listCount) error {
	if c.kernel == nil {
		return nil
	}
	_, err := r.size(p)
	return err
}

// expect notes that a kernel is about to push to a list. A kernel that runs
// again goes on with the same list.
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

// cleared reports whether p is in an area of zeros.
func (r *recorder) cleared(p device.Ptr) bool {
	for at, a := range r.areas {
		if p >= at && int64(p-at) < a.size {
			return a.zero
		}
	}
	return false
}

// seen takes over what is on the device at p, as the host has read or written it.
func (r *recorder) seen(p device.Ptr, b []byte) {
	if r == nil || len(b) != 4 {
		return
	}
	c := r.lists[p]
	if c == nil && r.cleared(p) { // a count, most likely
		c = &listCount{}
		r.lists[p] = c
	}
	if c != nil {
		r.counted(c, b)
	}
}

// within calls f for the counts that lie in size bytes at p. There are few: as
// many as open Pipes have lists.
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

// overwrites is called before the host changes size bytes of the device's memory
// at p: what a kernel pushed must be counted by then.
func (r *recorder) overwrites(p device.Ptr, size int64) error {
	if r == nil {
		return nil
	}
	for at, a := range r.areas {
		// A single number is taken over by seen, or by filled.
		if at < p+device.Ptr(size) && int64(p)-int64(at) < a.size && size != 4 {
			a.zero = false
		}
	}
	return r.within(p, size, func(at device.Ptr, c *listCount) error {
		err := r.settle(at, c)
		c.known = false
		return err
	})
}

// filled takes over what cudaMemset has written.
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

// allocated notes how large the memory at p is.
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
		err := r.settle(at, c)
		delete(r.lists, at)
		return err
	})
}

// countOffset returns where in a value of type t the address of a worklist's
// count is.
func countOffset(t check.Type) (int64, bool) {
	s, ok := t.(*check.Struct)
	if !ok || s.Tag != abi.ListTag {
		return 0, false
	}
	f, ok := s.Field(abi.ListCount)
	return f.Offset, ok
}

// hidesLists reports whether a value of type t has worklists in it, or leads to
// some, other than being one: what a kernel does with those is not known.
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

// hiddenDepth is how many structs deep a kernel's worklists are looked for.
const hiddenDepth = 4

// list returns the address of the count of the kernel's list i: 0 is what it
// pops from, 1 what it pushes to, 2 what it retries.
func (k *kernelLayout) list(i int, params []byte) device.Ptr {
	return device.Ptr(binary.LittleEndian.Uint64(params[k.lists[i]:]))
}
