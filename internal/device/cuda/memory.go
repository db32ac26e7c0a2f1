//go:build (linux || windows) && (amd64 || arm64) && !nogpu

package cuda

import (
	"context"
	"fmt"
	"runtime"
	"unsafe"

	"irgl/internal/device"
)

// smallCopy is the most bytes that CopyOut fetches into page-locked memory of
// the device's own, from which a spinning wait takes them soonest.
const smallCopy = 64 << 10

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
	err = d.check(call(d.cu.memsetD8Async, uintptr(p), 0, uintptr(max(1, size)), d.stream), "cuMemsetD8Async(%s)", name)
	if err != nil {
		return 0, fmt.Errorf("alloc %s: %w", name, err)
	}
	d.buffers.add(buffer{p: device.Ptr(p), size: size, name: name})
	return device.Ptr(p), nil
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
	if !ok || b.module != nil {
		return fmt.Errorf("free: %#x is not memory from Alloc", uint64(p))
	}
	if err := d.enter(); err != nil {
		return fmt.Errorf("free %s: %w", b.name, err)
	}
	defer d.leave()
	// cuMemFree would wait too, but spinning inside the driver.
	if err := d.wait(context.Background()); err != nil {
		return fmt.Errorf("free %s: %w", b.name, err)
	}
	d.buffers.remove(p)
	if err := d.check(call(d.cu.memFree, uintptr(p)), "cuMemFree(%s)", b.name); err != nil {
		return fmt.Errorf("free: %w", err)
	}
	return nil
}

// bounds returns an error if size bytes at p do not lie within one allocation
// or variable. Addresses that this device did not hand out (of memory that a
// kernel allocated, say) are looked up in the driver.
func (d *gpu) bounds(p device.Ptr, size int64) error {
	if size < 0 {
		return fmt.Errorf("size is %d", size)
	}
	b, ok := d.buffers.containing(p)
	if !ok {
		var base, length uint64
		err := d.check(call(d.cu.memGetAddressRange, uintptr(unsafe.Pointer(&base)), uintptr(unsafe.Pointer(&length)), uintptr(p)), "cuMemGetAddressRange")
		if err != nil {
			return fmt.Errorf("address %#x lies in no device memory: %w", uint64(p), err)
		}
		b = buffer{p: device.Ptr(base), size: int64(length), name: "unnamed memory"}
	}
	return b.check(p, size)
}

func (d *gpu) CopyIn(dst device.Ptr, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	if err := d.enter(); err != nil {
		return fmt.Errorf("copy to device: %w", err)
	}
	defer d.leave()
	err := d.bounds(dst, int64(len(src)))
	if err == nil {
		err = d.copyIn(dst, src)
	}
	if err != nil {
		return fmt.Errorf("copy to device: %w", err)
	}
	return nil
}

func (d *gpu) copyIn(dst device.Ptr, src []byte) error {
	s, err := d.staged(len(src))
	if err != nil {
		return err
	}
	if s != nil {
		return d.copyInStaged(s, dst, src)
	}
	return d.copyInPageable(dst, src)
}

// copyInPageable hands ordinary memory to the driver, which has taken its
// contents when the call returns.
func (d *gpu) copyInPageable(dst device.Ptr, src []byte) error {
	return d.check(call(d.cu.memcpyHtoDAsync, uintptr(dst), uintptr(unsafe.Pointer(unsafe.SliceData(src))), uintptr(len(src)), d.stream),
		"cuMemcpyHtoDAsync(%d)", len(src))
}

func (d *gpu) CopyOut(dst []byte, src device.Ptr) error {
	return d.CopyOutContext(context.Background(), dst, src)
}

// CopyOutContext implements [device.Waiting]. What a copy that was given up still
// writes goes to memory of the device's own, before what later copies write there.
func (d *gpu) CopyOutContext(ctx context.Context, dst []byte, src device.Ptr) error {
	if len(dst) == 0 {
		return nil
	}
	if err := d.enter(); err != nil {
		return fmt.Errorf("copy from device: %w", err)
	}
	defer d.leave()
	err := d.bounds(src, int64(len(dst)))
	if err == nil {
		err = d.copyOut(ctx, dst, src)
	}
	if err != nil {
		return fmt.Errorf("copy from device: %w", err)
	}
	return nil
}

func (d *gpu) copyOut(ctx context.Context, dst []byte, src device.Ptr) error {
	if len(dst) <= smallCopy {
		return d.copyOutSmall(ctx, dst, src)
	}
	// Waiting first gives errors of earlier kernels to this call, and keeps
	// the driver's own wait, which spins, short.
	if err := d.wait(ctx); err != nil {
		return err
	}
	s, err := d.staged(len(dst))
	if err != nil {
		return err
	}
	if s != nil {
		return d.copyOutStaged(s, dst, src)
	}
	return d.copyOutPageable(dst, src)
}

// copyOutPageable has the driver write to ordinary memory, which it has done
// when the call returns.
func (d *gpu) copyOutPageable(dst []byte, src device.Ptr) error {
	err := d.check(call(d.cu.memcpyDtoHAsync, uintptr(unsafe.Pointer(unsafe.SliceData(dst))), uintptr(src), uintptr(len(dst)), d.stream),
		"cuMemcpyDtoHAsync(%d)", len(dst))
	if err == nil {
		err = d.wait(context.Background())
	}
	runtime.KeepAlive(dst)
	return err
}

func (d *gpu) copyOutSmall(ctx context.Context, dst []byte, src device.Ptr) error {
	err := d.check(call(d.cu.memcpyDtoHAsync, uintptr(unsafe.Pointer(unsafe.SliceData(d.small))), uintptr(src), uintptr(len(dst)), d.stream),
		"cuMemcpyDtoHAsync(%d)", len(dst))
	if err == nil {
		err = d.wait(ctx)
	}
	if err == nil {
		copy(dst, d.small)
	}
	return err
}

func (d *gpu) Copy(dst, src device.Ptr, size int64) error {
	if size == 0 {
		return nil
	}
	if err := d.enter(); err != nil {
		return fmt.Errorf("copy on device: %w", err)
	}
	defer d.leave()
	err := d.bounds(dst, size)
	if err == nil {
		err = d.bounds(src, size)
	}
	if err == nil {
		err = d.check(call(d.cu.memcpyDtoDAsync, uintptr(dst), uintptr(src), uintptr(size), d.stream), "cuMemcpyDtoDAsync(%d)", size)
	}
	if err != nil {
		return fmt.Errorf("copy on device: %w", err)
	}
	return nil
}

func (d *gpu) Fill(dst device.Ptr, value byte, size int64) error {
	if size == 0 {
		return nil
	}
	if err := d.enter(); err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	defer d.leave()
	err := d.bounds(dst, size)
	if err == nil {
		err = d.check(call(d.cu.memsetD8Async, uintptr(dst), uintptr(value), uintptr(size), d.stream), "cuMemsetD8Async(%d)", size)
	}
	if err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	return nil
}
