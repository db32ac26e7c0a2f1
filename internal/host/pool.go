package host

import (
	"errors"

	"irgl/internal/device"
)

// A pool is a device whose freed memory waits for the next allocation of the
// same size: a run allocates what the run before it freed, and the driver takes
// longer for that than many a run for its work. What is allocated is not zero,
// as cudaMalloc's is not; a device that looks for reads of such memory gets no
// pool.
type pool struct {
	device.Device
	sizes map[device.Ptr]int64   // of what is allocated
	free  map[int64][]device.Ptr // by size
}

// newPool returns a pool on dev, or dev itself if it checks what kernels read.
func newPool(dev device.Device) device.Device {
	if _, checks := dev.(device.Checking); checks {
		return dev
	}
	return &pool{Device: dev, sizes: map[device.Ptr]int64{}, free: map[int64][]device.Ptr{}}
}

// take returns memory of that size that waits, if there is some.
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

// Alloc returns memory of that size, from the pool if there is some.
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

// Free puts memory into the pool. What it did not allocate is the device's to
// free.
func (p *pool) Free(ptr device.Ptr) error {
	size, ours := p.sizes[ptr]
	if !ours {
		return p.Device.Free(ptr)
	}
	delete(p.sizes, ptr)
	p.free[size] = append(p.free[size], ptr)
	return nil
}

// drain gives what waits back to the device.
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
