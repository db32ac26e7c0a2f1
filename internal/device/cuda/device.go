//go:build (linux || windows) && (amd64 || arm64) && !nogpu

package cuda

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"
	"unsafe"

	"irgl/internal/device"
)

// gpu is a device.Device: one context with one stream.
type gpu struct {
	cu     *driver
	info   device.Info
	optin  int // bytes of shared memory a block can have when it asks
	ctx    uintptr
	stream uintptr
	aside  uintptr // stream of Interrupt
	one    []byte  // page-locked; the word that Interrupt copies

	options Options

	deep   bool // threads have the stack for recursion
	closed bool
	broken error // set by an error that leaves the context unusable

	buffers buffers
	small   []byte   // page-locked; results of few bytes arrive here
	staging *staging // for large copies; nil until the first
	pending []*kernel
	launch  *launchArea
	pinner  runtime.Pinner // of launch
	args    [1]uintptr     // of hot calls
}

var (
	errClosed       = errors.New("the device is closed")
	errModuleClosed = errors.New("the module is closed")
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

	limitStackSize    = 0
	ctxSchedSpin      = 1 // the driver's own waits spin; poll has waited before them
	streamNonBlocking = 1

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
	d := &gpu{cu: cu, info: info, optin: optin, options: options, launch: new(launchArea)}
	d.pinner.Pin(d.launch)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cu.check(call(cu.ctxCreate, uintptr(unsafe.Pointer(&d.ctx)), ctxSchedSpin, uintptr(dev)), "cuCtxCreate(GPU %d)", ordinal); err != nil {
		d.pinner.Unpin()
		return nil, fmt.Errorf("open GPU %d: %w", ordinal, err)
	}
	if err := d.prepare(); err != nil {
		return nil, errors.Join(fmt.Errorf("open GPU %d: %w", ordinal, err), d.Close())
	}
	return d, nil
}

// prepare creates what every device needs in its new, current context.
func (d *gpu) prepare() error {
	err := d.cu.check(call(d.cu.streamCreate, uintptr(unsafe.Pointer(&d.stream)), streamNonBlocking), "cuStreamCreate")
	if err != nil {
		return err
	}
	err = d.cu.check(call(d.cu.streamCreate, uintptr(unsafe.Pointer(&d.aside)), streamNonBlocking), "cuStreamCreate")
	if err != nil {
		return err
	}
	const word = 4
	pinned, err := d.hostAlloc(smallCopy + word)
	if err != nil {
		return err
	}
	d.small, d.one = pinned[:smallCopy:smallCopy], pinned[smallCopy:]
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

func (d *gpu) Info() device.Info { return d.info }

// enter begins a call into the driver: it holds the goroutine on its thread
// and makes the context current there. Each enter that succeeds is followed by
// leave.
func (d *gpu) enter() error {
	if d.closed {
		return errClosed
	}
	if d.broken != nil {
		return fmt.Errorf("the device is unusable since an earlier error: %w", d.broken)
	}
	runtime.LockOSThread()
	d.args[0] = d.ctx
	if r := hotCall(d.cu.ctxSetCurrent, d.args[:]); r != 0 {
		runtime.UnlockOSThread()
		return d.check(r, "cuCtxSetCurrent")
	}
	return nil
}

func (d *gpu) leave() { runtime.UnlockOSThread() }

// check is the driver's check; it also notes an error that ruins the context,
// with the kernels that may have caused it.
func (d *gpu) check(r result, format string, args ...any) error {
	if r == 0 {
		return nil
	}
	e := d.cu.failure(r, fmt.Sprintf(format, args...))
	if !e.fatal() {
		return e
	}
	d.broken = e
	if len(d.pending) > 0 {
		d.broken = fmt.Errorf("%s failed: %w", d.suspects(), e)
	}
	return d.broken
}

// suspects names the kernels launched since the last wait.
func (d *gpu) suspects() string {
	var names []string
	for _, k := range d.pending {
		names = append(names, k.info.Name)
	}
	switch {
	case len(names) == 1:
		return "kernel " + names[0]
	case len(names) == maxPending:
		names = append(names, "others")
	}
	return "one of the kernels " + strings.Join(names, ", ")
}

// maxPending bounds the names kept between two waits.
const maxPending = 16

// note remembers that k was launched.
func (d *gpu) note(k *kernel) {
	if n := len(d.pending); n == maxPending || n > 0 && d.pending[n-1] == k {
		return
	}
	for _, p := range d.pending {
		if p == k {
			return
		}
	}
	d.pending = append(d.pending, k)
}

func (d *gpu) Sync(ctx context.Context) error {
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	return d.wait(ctx)
}

// wait waits until the stream is empty or ctx ends.
func (d *gpu) wait(ctx context.Context) error {
	err := d.poll(ctx, d.cu.streamQuery, d.stream, "cuStreamQuery")
	if err == nil {
		d.pending = d.pending[:0]
	}
	return err
}

// How wait and its kin poll: without pause for spinTime, then with pauses of
// pauseTime. A shorter one would take as long, for that is how exact the runtime's
// timers are; and where waiting was shorter, a pause would be much of a duration.
const (
	spinTime  = 16 * time.Millisecond
	pauseTime = time.Millisecond
)

// poll calls a query function for a stream or event until it is ready.
func (d *gpu) poll(ctx context.Context, query, handle uintptr, name string) error {
	var start time.Time
	for i := 0; ; i++ {
		d.args[0] = handle
		r := hotCall(query, d.args[:])
		if r != codeNotReady {
			return d.check(r, "%s", name)
		}
		// Looking at the clock and the context costs as much as the
		// query, so it is done once in a while.
		if i%8 != 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if start.IsZero() {
			start = time.Now()
			continue
		}
		if time.Since(start) > spinTime {
			if err := pause(ctx, pauseTime); err != nil {
				return err
			}
			i = -1 // look at the context again at the next turn
		}
	}
}

// pause sleeps for t or until ctx ends.
func pause(ctx context.Context, t time.Duration) error {
	if ctx.Done() == nil {
		time.Sleep(t)
		return nil
	}
	timer := time.NewTimer(t)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Close waits for the work in flight and gives back all that the device holds:
// memory, modules, events. What was not closed on its own need not be.
func (d *gpu) Close() error {
	if d.closed {
		return nil
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var err error
	if d.broken == nil && d.stream != 0 {
		if r := call(d.cu.ctxSetCurrent, d.ctx); r != 0 {
			err = d.check(r, "cuCtxSetCurrent")
		} else {
			err = d.wait(context.Background())
		}
	}
	r := call(d.cu.ctxDestroy, d.ctx)
	if d.broken == nil && err == nil {
		err = d.check(r, "cuCtxDestroy") // of a broken context, it repeats the known error
	}
	d.closed = true
	d.pinner.Unpin()
	d.small, d.staging, d.pending, d.buffers = nil, nil, nil, buffers{}
	return err
}

// hostAlloc returns page-locked host memory, which the GPU reads and writes
// without the driver's help. It lives until the context is destroyed.
func (d *gpu) hostAlloc(size int) ([]byte, error) {
	var p unsafe.Pointer
	if err := d.check(call(d.cu.memHostAlloc, uintptr(unsafe.Pointer(&p)), uintptr(size), 0), "cuMemHostAlloc(%d)", size); err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(p), size), nil
}
