package simt

import (
	"context"
	"errors"
	"maps"
	"slices"

	"irgl/internal/device"
)

// A Device is an emulated GPU. It implements [device.Device],
// [device.KernelCounting], [device.Forgetting], [device.Describing],
// [device.Waiting] and [device.Abandoning]. Work is queued and done by the next
// call that waits, on the caller's goroutine and such as it starts.
type Device struct {
	sys      *system
	index    int // in the system
	opts     Options
	heap     int64 // bytes that kernels' malloc can give
	info     device.Info
	mem      *memory
	peers    []*Device // whose memory its kernels can address
	streams  []*stream // the default stream first
	def      *stream
	blocking []*stream
	sms      []usage // what the resident blocks of each multiprocessor take
	failed   error   // of a launch, not reported yet
	closed   bool
	counters device.Counters            // without launches under way
	kernels  map[string]device.Counters // of launches that have ended, by kernel
	traffic  map[string]*Traffic        // of allocations, by name
	reports  reports
	calling  []device.Frame         // where the host is, for reports
	given    map[*inst]*device.Site // where malloc was called
	launches uint64                 // number of the next launch, for schedules and grid ids
	clock    uint64                 // warp instructions over the device's life: its clock
	worker   *worker                // that this is the device of, as its groups see it
}

var (
	_ device.KernelCounting = (*Device)(nil)
	_ device.Forgetting     = (*Device)(nil)
	_ device.Describing     = (*Device)(nil)
	_ device.Waiting        = (*Device)(nil)
	_ device.Abandoning     = (*Device)(nil)
)

func newDevice(s *system, index int) *Device {
	o := s.opts
	d := &Device{
		heap: defaultHeap,
		sys:  s, index: index, opts: o, info: o.info(), mem: newMemory(deviceStart(index), o.Memory),
		kernels: map[string]device.Counters{}, traffic: map[string]*Traffic{}, sms: make([]usage, o.Multiprocessors),
	}
	if o.Machine != nil {
		d.mem.next = machineStart
	}
	d.def = newStream(d, device.StreamOptions{})
	return d
}

// Info returns the imaginary GPU's description.
func (d *Device) Info() device.Info { return d.info }

// Counters returns what was counted so far, queued work excluded.
func (d *Device) Counters() device.Counters {
	d.sys.mu.Lock()
	defer d.sys.mu.Unlock()
	c := d.counters
	for _, l := range d.sys.active {
		if l.d == d {
			c = c.Add(l.counters)
		}
	}
	return c
}

// KernelCounters returns what was counted so far of each kernel.
func (d *Device) KernelCounters() map[string]device.Counters {
	d.sys.mu.Lock()
	defer d.sys.mu.Unlock()
	return maps.Clone(d.kernels)
}

// Reports returns the faults found so far, in the order of discovery; each
// pair of places in a kernel and buffer is reported once.
func (d *Device) Reports() []device.Report {
	d.sys.mu.Lock()
	defer d.sys.mu.Unlock()
	return slices.Clone(d.reports.list)
}

// Calling notes where the host is: the call that it makes, and the calls that led there. Reports about the work that it
// queues from then on name the place.
func (d *Device) Calling(stack []device.Frame) {
	d.sys.mu.Lock()
	defer d.sys.mu.Unlock()
	d.calling = stack
}

// Forget drops all reports but the first n: what they say may be reported
// again.
func (d *Device) Forget(n int) {
	d.sys.mu.Lock()
	defer d.sys.mu.Unlock()
	d.reports.forget(n)
}

var errClosed = errors.New("the device is closed")

// failure returns the error of a launch, once.
func (d *Device) failure() error {
	if d.closed {
		return errClosed
	}
	err := d.failed
	d.failed = nil
	return err
}

// idle reports whether all work of the device is done.
func (d *Device) idle() bool {
	for _, s := range d.streams {
		if !s.idle() {
			return false
		}
	}
	return true
}

// wait does all work of the device. When ctx ends first, the work is given up.
func (d *Device) wait(ctx context.Context) error {
	err := d.sys.until(ctx, d, d.idle)
	if err == nil {
		for _, s := range d.streams {
			d.sys.wait(s.clock())
		}
	} else if errors.Is(err, ctx.Err()) {
		d.drop()
	}
	return err
}

// drop stops all work of the device where it is.
func (d *Device) drop() {
	for _, s := range d.streams {
		s.drop()
	}
}

// Sync does all work of the device's streams. When ctx ends first it returns the
// context's error, and the work is given up.
func (d *Device) Sync(ctx context.Context) error {
	d.sys.mu.Lock()
	defer d.sys.mu.Unlock()
	return d.wait(ctx)
}

// Abandon gives up all work of the device. A launch under way stops where it is.
func (d *Device) Abandon() {
	again := false
	d.sys.look(func() {
		if p := d.sys.attempt; p != nil && p.l.d == d {
			p.stop(cancelled)
			again = true // the goroutine that waits for it has the lock
			return
		}
		d.drop()
	})
	if again {
		d.sys.mu.Lock()
		defer d.sys.mu.Unlock()
		d.drop()
	}
}

// Close releases the device's memory. Work that was not waited for is given
// up: a caller that wants its errors calls Sync before.
func (d *Device) Close() error {
	d.sys.mu.Lock()
	defer d.sys.mu.Unlock()
	if d.closed {
		return nil
	}
	d.drop()
	err := d.failure()
	for _, s := range slices.Clone(d.streams) {
		s.remove()
	}
	d.closed = true
	for _, b := range d.mem.bufs { // peers may still have its addresses
		d.mem.release(b)
	}
	return err
}

// Alloc maps zero-filled memory.
func (d *Device) Alloc(name string, size int64) (device.Ptr, error) {
	d.sys.mu.Lock()
	defer d.sys.mu.Unlock()
	if d.closed {
		return 0, errClosed
	}
	b, err := d.mem.alloc(name, size)
	if err != nil {
		return 0, err
	}
	b.launches = name == device.LaunchQueue
	if b.traffic = d.traffic[name]; b.traffic == nil {
		b.traffic = new(Traffic)
		d.traffic[name] = b.traffic
	}
	return device.Ptr(b.base), nil
}

// Unwritten has the memory of an allocation count as never written until a copy, a fill or a kernel
// writes it, as that of cudaMalloc does; where reads of such memory are reported
// ([Options.CheckUninitialised]).
func (d *Device) Unwritten(p device.Ptr) {
	d.sys.mu.Lock()
	defer d.sys.mu.Unlock()
	if b := d.mem.find(uint64(p)); b != nil && b.base == uint64(p) && d.opts.CheckUninitialised {
		b.written, b.tracked = make([]byte, b.size), true
	}
}

// Describe says what the elements of an allocation are.
func (d *Device) Describe(p device.Ptr, e device.Elements) {
	d.sys.mu.Lock()
	defer d.sys.mu.Unlock()
	if b := d.mem.find(uint64(p)); b != nil && b.base == uint64(p) {
		b.elements = e
	}
}

// Free unmaps memory after all work of the device.
func (d *Device) Free(p device.Ptr) error {
	if p == 0 {
		return nil
	}
	d.sys.mu.Lock()
	defer d.sys.mu.Unlock()
	if err := d.wait(context.Background()); err != nil {
		return err
	}
	return d.mem.free(uint64(p))
}

// CopyIn copies src to the device in the default stream.
func (d *Device) CopyIn(dst device.Ptr, src []byte) error {
	d.sys.mu.Lock()
	defer d.sys.mu.Unlock()
	if d.def.immediate() || d.sys.hostBuffer(src).buf == nil {
		return d.def.copyIn(dst, src)
	}
	return d.def.copyIn(dst, slices.Clone(src))
}

// CopyOut copies from the device to dst, after what the default stream holds.
func (d *Device) CopyOut(dst []byte, src device.Ptr) error {
	return d.def.copyOut(context.Background(), dst, src, false)
}

// CopyOutContext is CopyOut that gives up the default stream's work when ctx ends.
func (d *Device) CopyOutContext(ctx context.Context, dst []byte, src device.Ptr) error {
	return d.def.copyOut(ctx, dst, src, false)
}

// Copy copies within the device, in the default stream; the ranges may overlap.
func (d *Device) Copy(dst, src device.Ptr, size int64) error { return d.def.Copy(dst, src, size) }

// Fill sets bytes, in the default stream.
func (d *Device) Fill(dst device.Ptr, value byte, size int64) error {
	return d.def.Fill(dst, value, size)
}

// Launch queues a launch in the default stream.
func (d *Device) Launch(k device.Kernel, l device.Launch) error { return d.def.Launch(k, l) }

// NewStream returns a stream besides the default stream.
func (d *Device) NewStream(o device.StreamOptions) (device.Stream, error) {
	d.sys.mu.Lock()
	defer d.sys.mu.Unlock()
	if d.closed {
		return nil, errClosed
	}
	s := newStream(d, o)
	if o.Blocking {
		d.blocking = append(d.blocking, s)
	}
	return s, nil
}

// CanPeer reports whether other was opened together with d.
func (d *Device) CanPeer(other device.Device) (bool, error) {
	if other == nil {
		return false, errors.New("can peer: no device")
	}
	d.sys.mu.Lock()
	defer d.sys.mu.Unlock()
	o, err := d.sys.deviceOf(other)
	return err == nil && !o.closed && !d.closed, nil
}

// EnablePeer makes the memory of other addressable by kernels of d.
func (d *Device) EnablePeer(other device.Device) error {
	d.sys.mu.Lock()
	defer d.sys.mu.Unlock()
	o, err := d.sys.deviceOf(other)
	switch {
	case err != nil:
		return err
	case d.closed || o.closed:
		return errClosed
	case o != d && !slices.Contains(d.peers, o):
		d.peers = append(d.peers, o)
	}
	return nil
}
