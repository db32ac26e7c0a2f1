//go:build (linux || windows) && (amd64 || arm64) && !nogpu

package cuda

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"irgl/internal/device"
)

var errNotCUDA = errors.New("the other device is not a CUDA device")

// CanPeer implements [device.Device]. Two contexts of one GPU are no peers to the
// driver; devices that share the primary context have one memory.
func (d *gpu) CanPeer(other device.Device) (bool, error) {
	if other == nil {
		return false, errors.New("peer: there is no other device")
	}
	o, ok := other.(*gpu)
	if !ok || o.dev == d.dev {
		return ok && o.ctx == d.ctx, nil
	}
	if err := d.enter(); err != nil {
		return false, fmt.Errorf("peer: %w", err)
	}
	defer d.leave()
	var can int32
	if err := d.check(call(d.cu.deviceCanAccessPeer, uintptr(unsafe.Pointer(&can)), uintptr(d.dev), uintptr(o.dev)), "cuDeviceCanAccessPeer"); err != nil {
		return false, fmt.Errorf("peer: %w", err)
	}
	return can != 0, nil
}

func (d *gpu) EnablePeer(other device.Device) error {
	o, ok := other.(*gpu)
	if !ok {
		return fmt.Errorf("enable peer: %w", errNotCUDA)
	}
	if o.closed {
		return fmt.Errorf("enable peer: %w", errClosed)
	}
	if err := d.enter(); err != nil {
		return fmt.Errorf("enable peer: %w", err)
	}
	defer d.leave()
	if o.ctx == d.ctx {
		return nil
	}
	r := call(d.cu.ctxEnablePeerAccess, o.ctx, 0)
	if r == codePeerEnabled {
		return nil
	}
	if err := d.check(r, "cuCtxEnablePeerAccess"); err != nil {
		return fmt.Errorf("enable peer: %w", err)
	}
	// From now on the other's Alloc waits until new memory is zero; what it has
	// allocated so far must be, too.
	o.shared.Store(true)
	if err := d.cu.await(o.ctx, o.zeroed); err != nil {
		return fmt.Errorf("enable peer: %w", err)
	}
	return nil
}

// await waits for an event of a context without using anything of its device,
// which another goroutine may use. The context is current afterwards.
func (cu *driver) await(ctx, event uintptr) error {
	if err := cu.check(call(cu.ctxSetCurrent, ctx), "cuCtxSetCurrent"); err != nil {
		return err
	}
	for {
		r := call(cu.eventQuery, event)
		if r != codeNotReady {
			return cu.check(r, "cuEventQuery")
		}
		time.Sleep(pauseTime)
	}
}

func (s *stream) CopyPeer(dst device.Ptr, from device.Device, src device.Ptr, size int64) error {
	o, ok := from.(*gpu)
	if !ok {
		return fmt.Errorf("copy between devices: %w", errNotCUDA)
	}
	if o.closed {
		return fmt.Errorf("copy between devices: the source: %w", errClosed)
	}
	if o == s.d {
		return s.Copy(dst, src, size)
	}
	return s.do("copy between devices", size != 0, func() error {
		d := s.d
		if err := d.bounds(dst, size); err != nil {
			return err
		}
		if err := d.peerBounds(o, src, size); err != nil {
			return fmt.Errorf("the source: %w", err)
		}
		if err := s.waitFor(o.zeroed); err != nil {
			return err
		}
		return d.check(call(d.cu.memcpyPeerAsync, uintptr(dst), d.ctx, uintptr(src), o.ctx, uintptr(size), s.handle), "cuMemcpyPeerAsync(%d)", size)
	})
}

// peerBounds is bounds for memory of another device.
func (d *gpu) peerBounds(o *gpu, p device.Ptr, size int64) error {
	b, ok := o.buffers.containing(p)
	if ok {
		return b.check(p, size)
	}
	if err := d.check(call(d.cu.ctxSetCurrent, o.ctx), "cuCtxSetCurrent"); err != nil {
		return err
	}
	b, err := d.driverRange(p)
	if back := d.check(call(d.cu.ctxSetCurrent, d.ctx), "cuCtxSetCurrent"); err != nil || back != nil {
		return errors.Join(err, back)
	}
	return b.check(p, size)
}
