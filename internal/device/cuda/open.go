//go:build (linux || windows) && (amd64 || arm64) && !nogpu

package cuda

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"unsafe"

	"irgl/internal/device"
)

// Device attributes and other constants of the driver's interface.
const (
	attrMaxThreadsPerBlock  = 1
	attrSharedPerBlock      = 8
	attrWarpSize            = 10
	attrMultiprocessors     = 16
	attrThreadsPerSM        = 39
	attrMajor               = 75
	attrMinor               = 76
	attrCooperative         = 95
	attrSharedPerBlockOptin = 97
	attrClusters            = 120

	limitStackSize = 0
	ctxSchedSpin   = 1 // the driver's own waits spin; poll has waited before them

	minimumCapability = 75 // Turing, the least that the compiler's PTX is for
)

// List returns the GPUs of the machine, in the driver's order, without taking
// any resources on them. The error wraps [ErrNoDriver] or [ErrNoDevice].
func List() ([]device.Info, error) {
	cu, err := load()
	if err != nil {
		return nil, err
	}
	n, err := cu.count()
	if err != nil {
		return nil, err
	}
	var list []device.Info
	for i := range n {
		info, _, _, err := cu.describe(i)
		if err != nil {
			return nil, err
		}
		list = append(list, info)
	}
	return list, nil
}

// Open opens the GPU with the given number in the order of [List]. The error
// wraps [ErrNoDriver] or [ErrNoDevice] where there is none.
func Open(ordinal int) (device.Device, error) { return OpenWith(ordinal, Options{}) }

// OpenWith opens a GPU as [Open] does, with options.
func OpenWith(ordinal int, options Options) (device.Device, error) {
	cu, err := load()
	if err != nil {
		return nil, err
	}
	d, err := cu.open(ordinal, options)
	if err != nil {
		return nil, err
	}
	return d, nil
}

func (cu *driver) open(ordinal int, options Options) (*gpu, error) {
	n, err := cu.count()
	if err != nil {
		return nil, err
	}
	if ordinal < 0 || ordinal >= n {
		return nil, fmt.Errorf("%w with number %d: the driver shows %d", ErrNoDevice, ordinal, n)
	}
	info, dev, optin, err := cu.describe(ordinal)
	if err != nil {
		return nil, err
	}
	if 10*info.Major+info.Minor < minimumCapability {
		return nil, fmt.Errorf("%w that can be used: %s has compute capability %d.%d, 7.5 is needed", ErrNoDevice, info.Name, info.Major, info.Minor)
	}
	if os.Getenv("CUDA_CACHE_DISABLE") == "1" { // the driver's variable, for its own cache
		options.Cache = nil
	}
	d := &gpu{cu: cu, info: info, dev: dev, optin: optin, options: options, launch: new(launchArea)}
	d.main.d = d
	d.pinner.Pin(d.launch)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := d.createContext(); err != nil {
		d.pinner.Unpin()
		return nil, fmt.Errorf("open GPU %d: %w", ordinal, err)
	}
	if err := d.prepare(); err != nil {
		return nil, errors.Join(fmt.Errorf("open GPU %d: %w", ordinal, err), d.Close())
	}
	return d, nil
}

// createContext makes a context of the device's own, or retains the primary one,
// which it also makes current.
func (d *gpu) createContext() error {
	if !d.options.Primary {
		return d.cu.check(call(d.cu.ctxCreate, uintptr(unsafe.Pointer(&d.ctx)), ctxSchedSpin, uintptr(d.dev)), "cuCtxCreate")
	}
	if err := d.cu.check(call(d.cu.primaryCtxRetain, uintptr(unsafe.Pointer(&d.ctx)), uintptr(d.dev)), "cuDevicePrimaryCtxRetain"); err != nil {
		return err
	}
	d.held = map[uintptr]uintptr{}
	if err := d.cu.check(call(d.cu.ctxSetCurrent, d.ctx), "cuCtxSetCurrent"); err != nil {
		return errors.Join(err, d.cu.check(call(d.cu.primaryCtxRelease, uintptr(d.dev)), "cuDevicePrimaryCtxRelease"))
	}
	return nil
}

// prepare creates what every device needs in its current context.
func (d *gpu) prepare() error {
	for _, s := range []*uintptr{&d.main.handle, &d.aside, &d.zeroing} {
		var h uintptr
		if err := d.cu.check(call(d.cu.streamCreateWithPriority, uintptr(unsafe.Pointer(&h)), streamNonBlocking, 0), "cuStreamCreateWithPriority"); err != nil {
			return err
		}
		*s = h
		d.hold(h, d.cu.streamDestroy)
	}
	var err error
	if d.zeroed, err = d.createEvent(eventNoTiming); err != nil {
		return err
	}
	const word = 4
	pinned, err := d.hostAlloc(smallCopy+word, 0)
	if err != nil {
		return err
	}
	d.main.small, d.one = pinned[:smallCopy:smallCopy], pinned[smallCopy:]
	copy(d.one, []byte{1, 0, 0, 0})
	return nil
}

func (cu *driver) count() (int, error) {
	var n int32
	if err := cu.check(call(cu.deviceGetCount, uintptr(unsafe.Pointer(&n))), "cuDeviceGetCount"); err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, fmt.Errorf("%w: the driver shows none", ErrNoDevice)
	}
	return int(n), nil
}

// describe returns what the driver says about a GPU, its CUdevice, and the
// shared memory that a block can opt in to.
func (cu *driver) describe(ordinal int) (info device.Info, dev int32, optin int, err error) {
	if err = cu.check(call(cu.deviceGet, uintptr(unsafe.Pointer(&dev)), uintptr(ordinal)), "cuDeviceGet(%d)", ordinal); err != nil {
		return info, 0, 0, err
	}
	name := make([]byte, 256)
	if err = cu.check(call(cu.deviceGetName, uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)), uintptr(dev)), "cuDeviceGetName"); err != nil {
		return info, 0, 0, err
	}
	var memory uint64
	if err = cu.check(call(cu.deviceTotalMem, uintptr(unsafe.Pointer(&memory)), uintptr(dev)), "cuDeviceTotalMem"); err != nil {
		return info, 0, 0, err
	}
	info = device.Info{
		Kind:   "cuda",
		Name:   goString(&name[0]),
		Driver: fmt.Sprintf("CUDA %d.%d", cu.version/1000, cu.version%1000/10),
		Memory: int64(memory),
	}
	var cooperative int
	for _, a := range []struct {
		p    *int
		attr uintptr
	}{
		{&info.Major, attrMajor},
		{&info.Minor, attrMinor},
		{&info.Multiprocessors, attrMultiprocessors},
		{&info.WarpSize, attrWarpSize},
		{&info.MaxThreadsPerBlock, attrMaxThreadsPerBlock},
		{&info.MaxThreadsPerSM, attrThreadsPerSM},
		{&info.SharedMemoryPerBlock, attrSharedPerBlock},
		{&cooperative, attrCooperative},
		{&optin, attrSharedPerBlockOptin},
	} {
		var v int32
		if err = cu.check(call(cu.deviceGetAttribute, uintptr(unsafe.Pointer(&v)), a.attr, uintptr(dev)), "cuDeviceGetAttribute(%d)", a.attr); err != nil {
			return info, 0, 0, err
		}
		*a.p = int(v)
	}
	info.Cooperative = cooperative != 0 && cu.launchEx != 0
	if cu.activeClusters != 0 { // older drivers do not know the attribute
		var v int32
		if err = cu.check(call(cu.deviceGetAttribute, uintptr(unsafe.Pointer(&v)), attrClusters, uintptr(dev)), "cuDeviceGetAttribute(%d)", attrClusters); err != nil {
			return info, 0, 0, err
		}
		info.Clusters = v != 0
	}
	return info, dev, optin, nil
}

// hold notes what Close must give back where the context outlives the device.
func (d *gpu) hold(handle, release uintptr) {
	if d.held != nil {
		d.held[handle] = release
	}
}

// drop takes back hold: the handle is given back otherwise.
func (d *gpu) drop(handle uintptr) { delete(d.held, handle) }

// Close waits for the work in flight and gives back all that the device holds:
// memory, modules, streams, events. What was not closed on its own need not be.
func (d *gpu) Close() error {
	if d.closed {
		return nil
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var err error
	if r := call(d.cu.ctxSetCurrent, d.ctx); r != 0 {
		err = d.check(r, "cuCtxSetCurrent")
	} else if d.broken == nil && d.main.handle != 0 {
		err = d.waitToFree()
	}
	if errors.Is(err, errGivenUp) {
		// Destroying the context would wait for its kernels. It ends with the process.
		d.closed = true
		d.pinner.Unpin()
		return fmt.Errorf("close the device: %w", err)
	}
	fine := d.broken == nil && err == nil // a broken context repeats its error
	for _, h := range d.hosts {
		h.forget()
	}
	if end := d.endContext(); fine {
		err = end
	}
	d.closed = true
	d.pinner.Unpin()
	d.main.small, d.one, d.staging, d.pending, d.streams, d.hosts = nil, nil, nil, nil, nil, nil
	d.buffers.clear()
	return err
}

// endContext destroys the device's own context, or gives back what the device
// has in the primary one, which may have other users.
func (d *gpu) endContext() error {
	if !d.options.Primary {
		return d.check(call(d.cu.ctxDestroy, d.ctx), "cuCtxDestroy")
	}
	var first error
	for _, h := range slices.Sorted(maps.Keys(d.held)) {
		if r := call(d.held[h], h); r != 0 && first == nil {
			first = d.check(r, "giving back %#x", h)
		}
	}
	d.held = nil
	if r := call(d.cu.primaryCtxRelease, uintptr(d.dev)); r != 0 && first == nil {
		first = d.check(r, "cuDevicePrimaryCtxRelease")
	}
	return first
}
