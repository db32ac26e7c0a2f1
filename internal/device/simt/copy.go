package simt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"irgl/internal/device"
)

// This file has the copies and fills of streams. The default stream's are the
// device's own.

// CopyIn copies src to the device. Only from page-locked memory it is taken later.
func (s *stream) CopyIn(dst device.Ptr, src []byte) error {
	s.d.sys.mu.Lock()
	defer s.d.sys.mu.Unlock()
	return s.copyIn(dst, src)
}

func (s *stream) copyIn(dst device.Ptr, src []byte) error {
	to, err := s.d.span(dst, int64(len(src)))
	if err != nil {
		return fmt.Errorf("copy to device: %w", err)
	}
	from := span{data: src}
	now := s.immediate()
	if b := s.d.sys.hostBuffer(src); b.buf != nil && (!now || s != s.d.def) {
		from = b // the host may write it before it has waited
	} else if !now {
		from.data = slices.Clone(src)
	}
	return s.move("copy to device", to, from)
}

// CopyOut copies from the device to dst, and waits for that unless dst is
// page-locked memory.
func (s *stream) CopyOut(dst []byte, src device.Ptr) error {
	return s.copyOut(context.Background(), dst, src, true)
}

func (s *stream) copyOut(ctx context.Context, dst []byte, src device.Ptr, async bool) error {
	s.d.sys.mu.Lock()
	defer s.d.sys.mu.Unlock()
	from, err := s.d.span(src, int64(len(dst)))
	if err != nil && s.d.failed == nil {
		return fmt.Errorf(outward+": %w", err)
	}
	to := span{data: dst}
	if b := s.d.sys.hostBuffer(dst); b.buf != nil && async {
		return s.move(outward, b, from)
	}
	if err := s.usable(); err != nil {
		return err
	}
	it := s.moving(outward, to, from)
	if err := s.push(it); err != nil {
		return err
	}
	err = s.d.sys.until(ctx, s.d, func() bool { return it.done })
	if err == nil {
		s.d.sys.wait(s.clock())
	} else if errors.Is(err, ctx.Err()) {
		s.drop()
	}
	return err
}

// Copy copies within the device; the ranges may overlap.
func (s *stream) Copy(dst, src device.Ptr, size int64) error {
	s.d.sys.mu.Lock()
	defer s.d.sys.mu.Unlock()
	from, err := s.d.span(src, size)
	if err != nil {
		return fmt.Errorf("copy on device, source: %w", err)
	}
	to, err := s.d.span(dst, size)
	if err != nil {
		return fmt.Errorf("copy on device, destination: %w", err)
	}
	return s.move("copy on device", to, from)
}

// CopyPeer copies from another device of the system.
func (s *stream) CopyPeer(dst device.Ptr, from device.Device, src device.Ptr, size int64) error {
	s.d.sys.mu.Lock()
	defer s.d.sys.mu.Unlock()
	o, err := s.d.sys.deviceOf(from)
	if err != nil {
		return fmt.Errorf("copy between devices: %w", err)
	}
	if o.closed {
		return fmt.Errorf("copy between devices, source: %w", errClosed)
	}
	a, err := o.span(src, size)
	if err != nil {
		return fmt.Errorf("copy between devices, source: %w", err)
	}
	b, err := s.d.span(dst, size)
	if err != nil {
		return fmt.Errorf("copy between devices, destination: %w", err)
	}
	return s.move("copy between devices", b, a)
}

// Fill sets bytes.
func (s *stream) Fill(dst device.Ptr, value byte, size int64) error {
	s.d.sys.mu.Lock()
	defer s.d.sys.mu.Unlock()
	to, err := s.d.span(dst, size)
	if err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	it := &item{}
	it.act = func() error {
		if to.freed() {
			return nil
		}
		s.d.sys.races.bulk(it, "fill", to, true)
		b := to.bytes()
		for i := range b {
			b[i] = value
		}
		to.wrote(span{})
		return nil
	}
	return s.push(it)
}

// A span is the bytes of a copy: in a buffer of the emulator, or of the host.
type span struct {
	buf  *buffer // nil for the host's
	off  uint64
	size uint64
	data []byte
}

func (p span) bytes() []byte {
	if p.buf == nil {
		return p.data
	}
	return p.buf.data[p.off : p.off+p.size]
}

// wrote notes that the span was written from another: what was not written there is not here.
func (p span) wrote(from span) {
	switch b := p.buf; {
	case b == nil || !b.tracked:
	case from.buf != nil && from.buf.written != nil:
		copy(b.marks()[p.off:p.off+p.size], from.buf.written[from.off:from.off+from.size])
	case p.size == b.size:
		b.written = nil
	case b.written != nil:
		setWritten(b.written[p.off : p.off+p.size])
	}
}

// unwritten reports whether the span is of memory of which no byte was ever written.
func (p span) unwritten() bool {
	b := p.buf
	if b == nil || b.written == nil || b.some {
		return false
	}
	b.some = bytes.IndexByte(b.written[p.off:p.off+p.size], 1) >= 0 || bytes.IndexByte(b.written, 1) >= 0
	return !b.some
}

// reportUnwritten reports a copy to the host of memory that nothing was written to. What was written
// in part may be copied as a whole.
func (d *Device) reportUnwritten(from span) {
	if from.size == 0 || !from.unwritten() {
		return
	}
	d.reports.add(reportKey{kind: device.Uninitialised, buffer: from.buf.name}, device.Report{
		Kind: device.Uninitialised, Buffer: from.buf.name, Sites: hostSites("", "a copy to the host", d.calling),
		Message: fmt.Sprintf("a copy to the host reads %s, of which no copy, fill or kernel has written a byte", from.buf.name)})
}

// freed reports whether the memory was freed since the copy was queued.
func (p span) freed() bool { return p.buf != nil && p.buf.freed }

// span returns the size bytes at p for a copy by the host.
func (d *Device) span(p device.Ptr, size int64) (span, error) {
	if d.closed {
		return span{}, errClosed
	}
	b := d.find(uint64(p))
	switch {
	case size < 0:
		return span{}, fmt.Errorf("size %d is negative", size)
	case size == 0:
		return span{}, nil
	case b == nil || !b.holds(uint64(p), 0):
		return span{}, fmt.Errorf("address %#x is not in device memory", uint64(p))
	case b.freed:
		return span{}, fmt.Errorf("%s is freed", b.name)
	case !b.holds(uint64(p), uint64(size)):
		return span{}, fmt.Errorf("%d bytes at %s+%d pass its end: it has %d", size, b.name, uint64(p)-b.base, b.size)
	}
	return span{buf: b, off: uint64(p) - b.base, size: uint64(size)}, nil
}

// hostBuffer returns the page-locked memory that holds b.
func (s *system) hostBuffer(b []byte) span {
	if len(b) == 0 || len(s.host.bufs) == 0 {
		return span{}
	}
	at := reflect.ValueOf(b).Pointer()
	for _, buf := range s.host.bufs {
		if len(buf.data) == 0 {
			continue
		}
		if from := reflect.ValueOf(buf.data).Pointer(); at >= from && at+uintptr(len(b)) <= from+uintptr(len(buf.data)) {
			return span{buf: buf, off: uint64(at - from), size: uint64(len(b))}
		}
	}
	return span{}
}

// immediate reports whether what is queued now can begin at once.
func (s *stream) immediate() bool {
	for _, o := range s.ordered() {
		if len(o.queue) > 0 {
			return false
		}
	}
	return len(s.queue) == 0
}

// outward is what copies to the host are called.
const outward = "copy from device"

// moving makes the item of a copy.
func (s *stream) moving(what string, to, from span) *item {
	it := &item{}
	it.act = func() error {
		if to.freed() || from.freed() {
			return nil
		}
		if what == outward {
			s.d.reportUnwritten(from)
		}
		s.d.sys.races.bulk(it, what, from, false)
		s.d.sys.races.bulk(it, what, to, true)
		copy(to.bytes(), from.bytes())
		to.wrote(from)
		return nil
	}
	return it
}

// move queues a copy, or does it if nothing comes before it.
func (s *stream) move(what string, to, from span) error {
	now := s.immediate()
	it := s.moving(what, to, from)
	if err := s.push(it); err != nil {
		return err
	}
	if now {
		s.begin(it)
	}
	return nil
}

// A hostMemory implements [device.HostMemory].
type hostMemory struct {
	d   *Device
	buf *buffer
}

// AllocHost returns memory that the host and the kernels of all devices of the
// system address.
func (d *Device) AllocHost(name string, size int64) (device.HostMemory, error) {
	d.sys.mu.Lock()
	defer d.sys.mu.Unlock()
	if d.closed {
		return nil, errClosed
	}
	b, err := d.sys.host.alloc(name, size)
	if err != nil {
		return nil, err
	}
	b.owner = d
	return &hostMemory{d, b}, nil
}

// Bytes returns the memory as the host sees it.
func (m *hostMemory) Bytes() []byte { return m.buf.data }

// Ptr returns the address for kernels.
func (m *hostMemory) Ptr() device.Ptr { return device.Ptr(m.buf.base) }

// Close waits for the device's work and frees the memory.
func (m *hostMemory) Close() error {
	m.d.sys.mu.Lock()
	defer m.d.sys.mu.Unlock()
	if m.buf.freed {
		return nil
	}
	err := m.d.wait(context.Background())
	m.d.sys.host.release(m.buf)
	if errors.Is(err, errClosed) {
		return nil
	}
	return err
}
