package simt

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"irgl/internal/device"
)

// A Device is an emulated GPU. It implements [device.Device],
// [device.KernelCounting] and [device.Forgetting]. Work is queued and done by the
// next call that waits, on the caller's goroutine.
type Device struct {
	opts     Options
	info     device.Info
	mem      *memory
	queue    []work
	closed   bool
	counters device.Counters
	kernels  map[string]device.Counters // of launches that have ended, by kernel
	traffic  map[string]*Traffic        // of allocations, by name
	reports  reports
	launches uint64 // number of the next launch, for schedules and grid ids
	shadows  uint32 // generation of race shadows; see shadow
	clock    uint64 // warp instructions over the device's life: its clock
}

// work is an item of the queue. do returns done false, with the context's
// error, when the context ended first; it is called again later.
type work interface {
	do(ctx context.Context) (done bool, err error)
}

// Open returns a device with no memory in use.
func Open(o Options) *Device {
	o = o.withDefaults()
	return &Device{opts: o, info: o.info(), mem: newMemory(o.Memory), kernels: map[string]device.Counters{}, traffic: map[string]*Traffic{}}
}

// Info returns the imaginary GPU's description.
func (d *Device) Info() device.Info { return d.info }

// Counters returns what was counted so far, queued work excluded.
func (d *Device) Counters() device.Counters { return d.counters }

// KernelCounters returns what was counted so far of each kernel.
func (d *Device) KernelCounters() map[string]device.Counters { return maps.Clone(d.kernels) }

// Reports returns the faults found so far, in the order of discovery; each
// pair of places in a kernel and buffer is reported once.
func (d *Device) Reports() []device.Report { return append([]device.Report(nil), d.reports.list...) }

// Forget drops all reports but the first n: what they say may be reported
// again.
func (d *Device) Forget(n int) { d.reports.forget(n) }

var errClosed = errors.New("the device is closed")

// wait does all queued work.
func (d *Device) wait(ctx context.Context) error {
	if d.closed {
		return errClosed
	}
	for len(d.queue) > 0 {
		done, err := d.queue[0].do(ctx)
		if !done {
			return err
		}
		d.queue = d.queue[1:]
		if err != nil {
			d.queue = nil // what was to follow is lost, as on a GPU
			return err
		}
	}
	return nil
}

// Sync does all queued work. When ctx ends first it returns the context's
// error; the work goes on in the next call that waits.
func (d *Device) Sync(ctx context.Context) error { return d.wait(ctx) }

// Abandon drops all queued work. A launch under way stays half done.
func (d *Device) Abandon() { d.queue = nil }

// Close releases the device's memory. Work that is still queued is done.
func (d *Device) Close() error {
	if d.closed {
		return nil
	}
	err := d.wait(context.Background())
	d.closed, d.mem = true, newMemory(0)
	return err
}

// Alloc maps zero-filled memory.
func (d *Device) Alloc(name string, size int64) (device.Ptr, error) {
	if d.closed {
		return 0, errClosed
	}
	b, err := d.mem.alloc(name, size)
	if err != nil {
		return 0, err
	}
	if b.traffic = d.traffic[name]; b.traffic == nil {
		b.traffic = new(Traffic)
		d.traffic[name] = b.traffic
	}
	return device.Ptr(b.base), nil
}

// Free unmaps memory after the work queued before it.
func (d *Device) Free(p device.Ptr) error {
	if p == 0 {
		return nil
	}
	if err := d.wait(context.Background()); err != nil {
		return err
	}
	return d.mem.free(uint64(p))
}

// CopyIn copies src to the device.
func (d *Device) CopyIn(dst device.Ptr, src []byte) error {
	if err := d.wait(context.Background()); err != nil {
		return err
	}
	b, err := d.mem.bytes(dst, int64(len(src)))
	if err != nil {
		return fmt.Errorf("copy to device: %w", err)
	}
	copy(b, src)
	return nil
}

// CopyOut copies from the device to dst.
func (d *Device) CopyOut(dst []byte, src device.Ptr) error {
	if err := d.wait(context.Background()); err != nil {
		return err
	}
	b, err := d.mem.bytes(src, int64(len(dst)))
	if err != nil {
		return fmt.Errorf("copy from device: %w", err)
	}
	copy(dst, b)
	return nil
}

// Copy copies within the device; the ranges may overlap.
func (d *Device) Copy(dst, src device.Ptr, size int64) error {
	if err := d.wait(context.Background()); err != nil {
		return err
	}
	from, err := d.mem.bytes(src, size)
	if err != nil {
		return fmt.Errorf("copy on device, source: %w", err)
	}
	to, err := d.mem.bytes(dst, size)
	if err != nil {
		return fmt.Errorf("copy on device, destination: %w", err)
	}
	copy(to, from)
	return nil
}

// Fill sets bytes in order with launches.
func (d *Device) Fill(dst device.Ptr, value byte, size int64) error {
	if d.closed {
		return errClosed
	}
	b, err := d.mem.bytes(dst, size)
	if err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	d.queue = append(d.queue, fill{b, value})
	return nil
}

type fill struct {
	bytes []byte
	value byte
}

func (f fill) do(context.Context) (bool, error) {
	for i := range f.bytes {
		f.bytes[i] = f.value
	}
	return true, nil
}

// NewEvent returns an event that is not recorded.
func (d *Device) NewEvent() (device.Event, error) {
	if d.closed {
		return nil, errClosed
	}
	return &event{d: d}, nil
}

type event struct {
	d        *Device
	recorded bool
	at       time.Time
}

func (e *event) Record() error {
	if e.d.closed {
		return errClosed
	}
	e.recorded = true
	e.d.queue = append(e.d.queue, e)
	return nil
}

func (e *event) do(context.Context) (bool, error) {
	e.at = time.Now()
	return true, nil
}

func (e *event) Since(start device.Event) (float64, error) {
	s, ok := start.(*event)
	if !ok || s.d != e.d {
		return 0, errors.New("the events are of different devices")
	}
	if !s.recorded || !e.recorded {
		return 0, errors.New("an event is not recorded")
	}
	if err := e.d.wait(context.Background()); err != nil {
		return 0, err
	}
	return max(0, float64(e.at.Sub(s.at).Nanoseconds())/1e6), nil
}

func (e *event) Close() error { return nil }
