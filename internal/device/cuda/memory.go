//go:build (linux || windows) && (amd64 || arm64) && !nogpu

package cuda

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"irgl/internal/device"
)

func (d *gpu) Alloc(name string, size int64) (device.Ptr, error) {
	if size < 0 {
		return 0, fmt.Errorf("alloc %s: size is %d", name, size)
	}
	if err := d.enter(); err != nil {
		return 0, fmt.Errorf("alloc %s: %w", name, err)
	}
	defer d.leave()
	// The driver refuses zero bytes; an empty buffer still needs an
	// address of its own.
	var p uint64
	err := d.check(call(d.cu.memAlloc, uintptr(unsafe.Pointer(&p)), uintptr(max(1, size))), "cuMemAlloc(%d)", size)
	if err != nil {
		if hasCode(err, codeOutOfMemory) {
			return 0, &device.OutOfMemoryError{Name: name, Size: size, Free: d.free()}
		}
		return 0, fmt.Errorf("alloc %s: %w", name, err)
	}
	if err := d.zeroFill(p, uintptr(max(1, size)), name); err != nil {
		return 0, errors.Join(fmt.Errorf("alloc %s: %w", name, err), d.check(call(d.cu.memFree, uintptr(p)), "cuMemFree(%s)", name))
	}
	d.hold(uintptr(p), d.cu.memFree)
	d.buffers.add(buffer{p: device.Ptr(p), size: size, name: name})
	return device.Ptr(p), nil
}

// zeroFill fills new memory in a stream of its own, and orders it before what is
// queued later in any stream: new memory is zero for all of them. The default
// stream would do for itself alone, and the others must not wait for its kernels.
func (d *gpu) zeroFill(p uint64, size uintptr, name string) error {
	err := d.check(call(d.cu.memsetD8Async, uintptr(p), 0, size, d.zeroing), "cuMemsetD8Async(%s)", name)
	if err == nil {
		err = d.check(call(d.cu.eventRecord, d.zeroed, d.zeroing), "cuEventRecord")
	}
	if err == nil {
		err = d.main.waitFor(d.zeroed)
	}
	for _, s := range d.streams {
		if err == nil {
			err = s.waitFor(d.zeroed)
		}
	}
	if err == nil && d.shared.Load() { // the streams of peers are not ours to queue in
		err = d.poll(context.Background(), d.cu.eventQuery, d.zeroed, "cuEventQuery")
	}
	return err
}

// free returns the bytes that the driver could still give, -1 if it fails.
func (d *gpu) free() int64 {
	var free, total uint64
	if call(d.cu.memGetInfo, uintptr(unsafe.Pointer(&free)), uintptr(unsafe.Pointer(&total))) != 0 {
		return -1
	}
	return int64(free)
}

func (d *gpu) Free(p device.Ptr) error {
	if p == 0 {
		return nil
	}
	b, ok := d.buffers.find(p)
	if !ok || b.kind != allocated {
		return fmt.Errorf("free: %#x is not memory from Alloc", uint64(p))
	}
	if err := d.enter(); err != nil {
		return fmt.Errorf("free %s: %w", b.name, err)
	}
	defer d.leave()
	// cuMemFree would wait too, but spinning inside the driver.
	if err := d.waitToFree(); err != nil {
		return fmt.Errorf("free %s: %w", b.name, err)
	}
	d.buffers.remove(p)
	d.drop(uintptr(p))
	if err := d.check(call(d.cu.memFree, uintptr(p)), "cuMemFree(%s)", b.name); err != nil {
		return fmt.Errorf("free: %w", err)
	}
	return nil
}

func (d *gpu) CopyIn(dst device.Ptr, src []byte) error {
	err := d.main.CopyIn(dst, src)
	if err == nil && len(src) > 0 && d.cu.pinned.contains(src) {
		// The GPU reads page-locked memory later, and src is the caller's again.
		err = d.main.Sync(context.Background())
	}
	return err
}

func (d *gpu) CopyOut(dst []byte, src device.Ptr) error {
	return d.CopyOutContext(context.Background(), dst, src)
}

// CopyOutContext implements [device.Waiting]. What a copy that was given up still
// writes goes to memory of the device's own, before what later copies write there.
func (d *gpu) CopyOutContext(ctx context.Context, dst []byte, src device.Ptr) error {
	return d.main.do("copy from device", len(dst) > 0, func() error {
		if err := d.bounds(src, int64(len(dst))); err != nil {
			return err
		}
		return d.main.copyOut(ctx, dst, src)
	})
}

func (d *gpu) Copy(dst, src device.Ptr, size int64) error { return d.main.Copy(dst, src, size) }

func (d *gpu) Fill(dst device.Ptr, value byte, size int64) error {
	return d.main.Fill(dst, value, size)
}

// bounds returns an error if size bytes at p are not within one allocation
// or variable. Addresses that this device did not hand out (of memory that a
// kernel or another library allocated, say) are looked up in the driver.
func (d *gpu) bounds(p device.Ptr, size int64) error {
	if size < 0 {
		return fmt.Errorf("size is %d", size)
	}
	b, ok := d.buffers.containing(p)
	if !ok {
		var err error
		if b, err = d.driverRange(p); err != nil {
			return err
		}
	}
	return b.check(p, size)
}

// driverRange asks the driver for the allocation of the current context that
// contains p.
func (d *gpu) driverRange(p device.Ptr) (buffer, error) {
	var base, length uint64
	err := d.check(call(d.cu.memGetAddressRange, uintptr(unsafe.Pointer(&base)), uintptr(unsafe.Pointer(&length)), uintptr(p)), "cuMemGetAddressRange")
	if err != nil {
		return buffer{}, fmt.Errorf("address %#x is in no device memory: %w", uint64(p), err)
	}
	return buffer{p: device.Ptr(base), size: int64(length), name: "unnamed memory"}, nil
}
