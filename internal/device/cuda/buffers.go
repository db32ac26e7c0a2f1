//go:build (linux || windows) && (amd64 || arm64) && !nogpu

package cuda

import (
	"fmt"
	"slices"

	"irgl/internal/device"
)

// A buffer is a range of device memory with a name for messages.
type buffer struct {
	p      device.Ptr
	size   int64
	name   string
	module *module // whose variable it is; nil for what Alloc returned
}

// buffers are the known ranges, sorted by address. They make errors of copies
// readable and a wrong Free harmless; the driver alone knows allocations only
// by the page.
type buffers struct {
	list []buffer
}

// search returns the index of the first buffer at or after p.
func (b *buffers) search(p device.Ptr) (int, bool) {
	return slices.BinarySearchFunc(b.list, p, func(e buffer, p device.Ptr) int {
		switch {
		case e.p < p:
			return -1
		case e.p > p:
			return 1
		}
		return 0
	})
}

// add enters a range, replacing one at the same address.
func (b *buffers) add(e buffer) {
	i, found := b.search(e.p)
	if found {
		b.list[i] = e
		return
	}
	b.list = slices.Insert(b.list, i, e)
}

// find returns the buffer that starts at p.
func (b *buffers) find(p device.Ptr) (buffer, bool) {
	i, found := b.search(p)
	if !found {
		return buffer{}, false
	}
	return b.list[i], true
}

// remove forgets the buffer that starts at p.
func (b *buffers) remove(p device.Ptr) {
	if i, found := b.search(p); found {
		b.list = slices.Delete(b.list, i, i+1)
	}
}

// removeModule forgets the variables of m.
func (b *buffers) removeModule(m *module) {
	b.list = slices.DeleteFunc(b.list, func(e buffer) bool { return e.module == m })
}

// containing returns the buffer that p lies in.
func (b *buffers) containing(p device.Ptr) (buffer, bool) {
	i, found := b.search(p)
	if !found {
		i--
	}
	if i < 0 || p-b.list[i].p >= device.Ptr(max(1, b.list[i].size)) {
		return buffer{}, false
	}
	return b.list[i], true
}

// check returns an error if size bytes at p do not lie within e.
func (e buffer) check(p device.Ptr, size int64) error {
	if off := int64(p - e.p); size > e.size-off {
		return fmt.Errorf("%d bytes at offset %d of %s, which has %d", size, off, e.name, e.size)
	}
	return nil
}
