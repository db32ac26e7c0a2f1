//go:build (linux || windows) && (amd64 || arm64) && !nogpu

package cuda

import (
	"fmt"
	"slices"
	"sync"

	"irgl/internal/device"
)

// A buffer is a range of device memory with a name for messages.
type buffer struct {
	p      device.Ptr
	size   int64
	name   string
	kind   bufferKind
	module *module // of a variable
}

type bufferKind uint8

const (
	allocated  bufferKind = iota // by Alloc
	pageLocked                   // by AllocHost, addressed by the GPU
	variable                     // of a module
)

// buffers are the known ranges, sorted by address. They make errors of copies
// readable and a wrong Free harmless; the driver alone knows allocations only
// by the page. Other devices' goroutines look up the sources of their copies.
type buffers struct {
	mu   sync.RWMutex
	list []buffer
}

// search, of a locked list, returns the index of the first buffer at or after p.
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
	b.mu.Lock()
	defer b.mu.Unlock()
	i, found := b.search(e.p)
	if found {
		b.list[i] = e
		return
	}
	b.list = slices.Insert(b.list, i, e)
}

// find returns the buffer that starts at p.
func (b *buffers) find(p device.Ptr) (buffer, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	i, found := b.search(p)
	if !found {
		return buffer{}, false
	}
	return b.list[i], true
}

// remove forgets the buffer that starts at p.
func (b *buffers) remove(p device.Ptr) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i, found := b.search(p); found {
		b.list = slices.Delete(b.list, i, i+1)
	}
}

// removeModule forgets the variables of m.
func (b *buffers) removeModule(m *module) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.list = slices.DeleteFunc(b.list, func(e buffer) bool { return e.module == m })
}

// clear forgets everything.
func (b *buffers) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.list = nil
}

// containing returns the buffer that contains p.
func (b *buffers) containing(p device.Ptr) (buffer, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	i, found := b.search(p)
	if !found {
		i--
	}
	if i < 0 || p-b.list[i].p >= device.Ptr(max(1, b.list[i].size)) {
		return buffer{}, false
	}
	return b.list[i], true
}

// check returns an error if size bytes at p are not within e.
func (e buffer) check(p device.Ptr, size int64) error {
	if off := int64(p - e.p); size > e.size-off {
		return fmt.Errorf("%d bytes at offset %d of %s, which has %d", size, off, e.name, e.size)
	}
	return nil
}
