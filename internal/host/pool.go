package host

import (
	"errors"

	"irgl/internal/device"
)

// A pool is a device that reuses freed memory for allocations of the same size:
// a run allocates what the previous run freed, and the driver would take longer
// for that than a short run for its work. Like that of cudaMalloc, the memory
// is not zeroed; a device that detects reads of uninitialised memory gets no
// pool.
type pool struct {
	device.Device
	sizes map[device.Ptr]int64   // of live allocations
	free  map[int64][]device.Ptr // free memory by size
}

// newPool returns a pool on dev, or dev itself if it checks what kernels read.
func newPool(dev device.Device) device.Device {
	if _, checks := dev.(device.Checking); checks {
		return dev
	}
	return &pool{Device: dev, sizes: map[device.Ptr]int64{}, free: map[int64][]device.Ptr{}}
}

// take returns free memory of that size, if there is any.
func (p *pool) take(size int64) (device.Ptr, bool) {
	list := p.free[size]
	if len(list) == 0 {
		return 0, false
	}
	ptr := list[len(list)-1]
	p.free[size] = list[:len(list)-1]
	p.sizes[ptr] = size
	return ptr, true
}

// Alloc returns memory of that size, from the pool if possible.
func (p *pool) Alloc(name string, size int64) (device.Ptr, error) {
	if ptr, ok := p.take(size); ok {
		return ptr, nil
	}
	ptr, err := p.Device.Alloc(name, size)
	if _, full := errors.AsType[*device.OutOfMemoryError](err); full && p.drain() == nil {
		ptr, err = p.Device.Alloc(name, size)
	}
	if err == nil {
		p.sizes[ptr] = size
	}
	return ptr, err
}

// Free returns memory to the pool. Memory that the pool did not allocate is
// freed by the device.
func (p *pool) Free(ptr device.Ptr) error {
	size, ours := p.sizes[ptr]
	if !ours {
		return p.Device.Free(ptr)
	}
	delete(p.sizes, ptr)
	p.free[size] = append(p.free[size], ptr)
	return nil
}

// drain frees the pool's free memory on the device.
func (p *pool) drain() error {
	var err error
	for size, list := range p.free {
		for _, ptr := range list {
			err = errors.Join(err, p.Device.Free(ptr))
		}
		delete(p.free, size)
	}
	return err
}

// drainPool drains dev if it is a pool.
func drainPool(dev device.Device) error {
	if p, ok := dev.(*pool); ok {
		return p.drain()
	}
	return nil
}
