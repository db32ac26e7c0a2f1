//go:build (linux || windows) && (amd64 || arm64) && !nogpu

package cuda

import (
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"irgl/internal/device"
)

// Flags of cuMemHostAlloc.
const (
	hostPortable = 1 // page-locked for every context
	hostMapped   = 2 // addressable by kernels
)

// hostMemory implements device.HostMemory.
type hostMemory struct {
	d    *gpu
	name string
	all  []byte // what the driver gave: at least one byte; nil when closed
	size int
	p    device.Ptr
}

func (d *gpu) AllocHost(name string, size int64) (device.HostMemory, error) {
	if size < 0 {
		return nil, fmt.Errorf("alloc %s: size is %d", name, size)
	}
	if err := d.enter(); err != nil {
		return nil, fmt.Errorf("alloc %s: %w", name, err)
	}
	defer d.leave()
	all, err := d.hostAlloc(int(max(1, size)), hostPortable|hostMapped)
	if err != nil {
		return nil, fmt.Errorf("alloc %s: %w", name, err)
	}
	clear(all)
	var p uint64
	err = d.check(call(d.cu.memHostGetDevicePointer, uintptr(unsafe.Pointer(&p)), uintptr(unsafe.Pointer(unsafe.SliceData(all))), 0), "cuMemHostGetDevicePointer")
	if err != nil {
		_ = d.hostFree(all) // the first error says more
		return nil, fmt.Errorf("alloc %s: %w", name, err)
	}
	h := &hostMemory{d: d, name: name, all: all, size: int(size), p: device.Ptr(p)}
	d.hosts = append(d.hosts, h)
	d.cu.pinned.add(all)
	d.buffers.add(buffer{p: h.p, size: size, name: name, kind: pageLocked})
	return h, nil
}

// Bytes returns nil once the memory or its device is closed.
func (h *hostMemory) Bytes() []byte {
	if h.all == nil {
		return nil
	}
	return h.all[:h.size:h.size]
}

func (h *hostMemory) Ptr() device.Ptr { return h.p }

// Close waits for the work of the memory's device.
func (h *hostMemory) Close() error {
	d := h.d
	if h.all == nil {
		return nil
	}
	if err := d.enter(); err != nil {
		return fmt.Errorf("free %s: %w", h.name, err)
	}
	defer d.leave()
	if err := d.waitToFree(); err != nil {
		return fmt.Errorf("free %s: %w", h.name, err)
	}
	d.hosts = slices.DeleteFunc(d.hosts, func(o *hostMemory) bool { return o == h })
	d.buffers.remove(h.p)
	all := h.all
	h.forget()
	if err := d.hostFree(all); err != nil {
		return fmt.Errorf("free %s: %w", h.name, err)
	}
	return nil
}

// forget takes the memory away from the caller and from copies that do not wait.
func (h *hostMemory) forget() {
	h.d.cu.pinned.remove(h.all)
	h.all = nil
}

// hostAlloc returns page-locked host memory, which the GPU reads and writes
// without the driver's help. It lives until it is freed or the device is closed.
func (d *gpu) hostAlloc(size int, flags uintptr) ([]byte, error) {
	var p unsafe.Pointer
	if err := d.check(call(d.cu.memHostAlloc, uintptr(unsafe.Pointer(&p)), uintptr(size), flags), "cuMemHostAlloc(%d)", size); err != nil {
		return nil, err
	}
	d.hold(uintptr(p), d.cu.memFreeHost)
	return unsafe.Slice((*byte)(p), size), nil
}

// hostFree gives back memory of hostAlloc; nil is no memory.
func (d *gpu) hostFree(b []byte) error {
	if b == nil {
		return nil
	}
	p := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	d.drop(p)
	return d.check(call(d.cu.memFreeHost, p), "cuMemFreeHost")
}

// A ranges is a set of disjoint ranges of host memory, sorted by address. It is
// the driver's and not a device's: page-locked memory is so for every device, and
// devices may be used by several goroutines.
type ranges struct {
	mu   sync.RWMutex
	list []hostRange
}

type hostRange struct{ from, to uintptr }

func rangeOf(b []byte) hostRange {
	p := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return hostRange{p, p + uintptr(len(b))}
}

// after returns the index of the first range that ends after p.
func (r *ranges) after(p uintptr) int {
	i, _ := slices.BinarySearchFunc(r.list, p, func(e hostRange, p uintptr) int {
		if e.to <= p {
			return -1
		}
		return 1
	})
	return i
}

func (r *ranges) add(b []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := rangeOf(b)
	r.list = slices.Insert(r.list, r.after(e.from), e)
}

func (r *ranges) remove(b []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = slices.DeleteFunc(r.list, func(e hostRange) bool { return e == rangeOf(b) })
}

// contains reports whether all of b is in one range.
func (r *ranges) contains(b []byte) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if len(r.list) == 0 {
		return false
	}
	e := rangeOf(b)
	i := r.after(e.from)
	return i < len(r.list) && r.list[i].from <= e.from && e.to <= r.list[i].to
}
