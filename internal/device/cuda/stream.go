//go:build (linux || windows) && (amd64 || arm64) && !nogpu

package cuda

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"irgl/internal/device"
)

// A stream implements device.Stream. A device's default stream is one, too, whose
// launches do not pass through it.
type stream struct {
	d      *gpu
	name   string
	handle uintptr // 0 when closed
	small  []byte  // page-locked, smallCopy bytes; nil until the first small CopyOut
}

// Flags of cuStreamCreateWithPriority.
const (
	streamBlocking    = 0
	streamNonBlocking = 1
)

// streamLegacy is the handle of the context's legacy default stream, with which
// blocking streams are ordered.
const streamLegacy = 1

var errStreamClosed = errors.New("the stream is closed")

func (d *gpu) NewStream(o device.StreamOptions) (device.Stream, error) {
	if err := d.enter(); err != nil {
		return nil, fmt.Errorf("new stream: %w", err)
	}
	defer d.leave()
	s := &stream{d: d, name: o.Name}
	if err := s.create(o); err != nil {
		return nil, fmt.Errorf("new stream: %w", err)
	}
	d.streams = append(d.streams, s)
	return s, nil
}

func (s *stream) create(o device.StreamOptions) error {
	d := s.d
	flags := uintptr(streamNonBlocking)
	if o.Blocking {
		flags = streamBlocking
		if err := d.useLegacy(); err != nil {
			return err
		}
	}
	var least, greatest int32 // the greatest priority is the smallest number
	if err := d.check(call(d.cu.ctxGetStreamPriorityRange, uintptr(unsafe.Pointer(&least)), uintptr(unsafe.Pointer(&greatest))), "cuCtxGetStreamPriorityRange"); err != nil {
		return err
	}
	priority := least
	if o.High {
		priority = greatest
	}
	var h uintptr
	if err := d.check(call(d.cu.streamCreateWithPriority, uintptr(unsafe.Pointer(&h)), flags, uintptr(priority)), "cuStreamCreateWithPriority(%d)", priority); err != nil {
		return err
	}
	s.handle = h
	// Memory that was allocated before is zero for this stream, too.
	if err := s.waitFor(d.zeroed); err != nil {
		return errors.Join(err, d.check(call(d.cu.streamDestroy, h), "cuStreamDestroy"))
	}
	d.hold(h, d.cu.streamDestroy)
	return nil
}

// useLegacy makes the legacy default stream the device's, after what is queued in
// the one that it had. Without blocking streams the device's own is better: the
// driver need not look for streams to order it with, and in the primary context
// other libraries' work in the legacy stream does not hold it up.
func (d *gpu) useLegacy() error {
	old := d.main.handle
	if old == streamLegacy {
		return nil
	}
	e, err := d.createEvent(eventNoTiming)
	if err != nil {
		return err
	}
	legacy := &stream{d: d, handle: streamLegacy}
	err = d.check(call(d.cu.eventRecord, e, old), "cuEventRecord")
	if err == nil {
		err = legacy.waitFor(e)
	}
	if err = errors.Join(err, d.destroyEvent(e)); err != nil {
		return err
	}
	d.main.handle = streamLegacy
	d.drop(old)
	// The driver keeps the stream until its work is done.
	return d.check(call(d.cu.streamDestroy, old), "cuStreamDestroy")
}

// do runs f with the context current, unless there is nothing to do.
func (s *stream) do(what string, any bool, f func() error) error {
	if s.handle == 0 {
		return fmt.Errorf("%s: %w", what, errStreamClosed)
	}
	if !any {
		return nil
	}
	err := s.d.enter()
	if err == nil {
		err = f()
		s.d.leave()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

func (s *stream) Launch(k device.Kernel, l device.Launch) error {
	if s.handle == 0 {
		return fmt.Errorf("launch: %w", errStreamClosed)
	}
	return s.d.launchIn(k, &l, s.handle)
}

func (s *stream) CopyIn(dst device.Ptr, src []byte) error {
	return s.do("copy to device", len(src) > 0, func() error {
		if err := s.d.bounds(dst, int64(len(src))); err != nil {
			return err
		}
		return s.copyIn(dst, src)
	})
}

func (s *stream) CopyOut(dst []byte, src device.Ptr) error {
	return s.do("copy from device", len(dst) > 0, func() error {
		if err := s.d.bounds(src, int64(len(dst))); err != nil {
			return err
		}
		if s.d.cu.pinned.contains(dst) {
			return s.copyOutAsync(dst, src)
		}
		return s.copyOut(context.Background(), dst, src)
	})
}

func (s *stream) Copy(dst, src device.Ptr, size int64) error {
	return s.do("copy on device", size != 0, func() error {
		err := s.d.bounds(dst, size)
		if err == nil {
			err = s.d.bounds(src, size)
		}
		if err == nil {
			err = s.d.check(call(s.d.cu.memcpyDtoDAsync, uintptr(dst), uintptr(src), uintptr(size), s.handle), "cuMemcpyDtoDAsync(%d)", size)
		}
		return err
	})
}

func (s *stream) Fill(dst device.Ptr, value byte, size int64) error {
	return s.do("fill", size != 0, func() error {
		if err := s.d.bounds(dst, size); err != nil {
			return err
		}
		return s.d.check(call(s.d.cu.memsetD8Async, uintptr(dst), uintptr(value), uintptr(size), s.handle), "cuMemsetD8Async(%d)", size)
	})
}

func (s *stream) Record(e device.Event) error {
	own, ok := e.(*event)
	if !ok || own.d != s.d {
		return errors.New("record: the event is not of this device")
	}
	return s.do("record", true, func() error { return own.record(s.handle) })
}

func (s *stream) Wait(e device.Event) error {
	other, ok := e.(*event)
	if !ok {
		return errors.New("wait: the event is not of a CUDA device")
	}
	if other.handle == 0 || other.d.closed {
		return fmt.Errorf("wait: %w", errEventClosed)
	}
	return s.do("wait", other.recorded, func() error { return s.waitFor(other.handle) })
}

// waitFor holds back what is queued later until the event, of any context, is done.
func (s *stream) waitFor(event uintptr) error {
	return s.d.check(call(s.d.cu.streamWaitEvent, s.handle, event, 0), "cuStreamWaitEvent")
}

func (s *stream) Sync(ctx context.Context) error {
	return s.do("sync", true, func() error { return s.wait(ctx) })
}

func (s *stream) Idle() (bool, error) {
	idle := false
	err := s.do("idle", true, func() (err error) {
		idle, err = s.d.ready(s.d.cu.streamQuery, s.handle, "cuStreamQuery")
		return err
	})
	return idle, err
}

// wait waits until the stream is empty or ctx ends.
func (s *stream) wait(ctx context.Context) error {
	d := s.d
	err := d.poll(ctx, d.cu.streamQuery, s.handle, "cuStreamQuery")
	if err == nil && len(d.streams) == 0 {
		d.pending = d.pending[:0]
	}
	return err
}

func (s *stream) Close() error {
	d := s.d
	if s.handle == 0 || d.closed {
		return nil
	}
	return s.do("close stream", true, func() error {
		if err := d.waitToFree(); err != nil {
			return err
		}
		h := s.handle
		s.handle = 0
		d.drop(h)
		d.streams = slices.DeleteFunc(d.streams, func(o *stream) bool { return o == s })
		err := d.hostFree(s.small)
		s.small = nil
		return errors.Join(err, d.check(call(d.cu.streamDestroy, h), "cuStreamDestroy"))
	})
}
