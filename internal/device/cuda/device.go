//go:build (linux || windows) && (amd64 || arm64) && !nogpu

package cuda

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"irgl/internal/device"
)

// gpu is a device.Device: a context with its streams.
type gpu struct {
	cu      *driver
	info    device.Info
	dev     int32 // the CUdevice
	optin   int   // bytes of shared memory a block can have when it asks
	ctx     uintptr
	main    stream    // the default stream
	streams []*stream // of NewStream, open

	aside   uintptr     // stream of Interrupt
	one     []byte      // page-locked; the word that Interrupt copies
	zeroing uintptr     // stream that fills new memory
	zeroed  uintptr     // event: the end of the last such fill
	shared  atomic.Bool // peers can address the memory

	options Options

	deep   bool // threads have the stack for recursion
	closed bool
	broken error // set by an error that leaves the context unusable
	// givenUp is when the present work was given up; zero if it was not.
	givenUp time.Time

	// held are the handles to give back, with the function for each, where the
	// context outlives the device; else nil.
	held map[uintptr]uintptr

	buffers buffers
	hosts   []*hostMemory
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

// suspects names the kernels launched since the last wait for all streams.
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
	return d.waitAll(ctx)
}

// waitAll waits until all streams are empty or ctx ends.
func (d *gpu) waitAll(ctx context.Context) error {
	err := d.main.wait(ctx)
	for _, s := range d.streams {
		if err == nil {
			err = s.wait(ctx)
		}
	}
	if err == nil {
		d.pending, d.givenUp = d.pending[:0], time.Time{}
	}
	return err
}

// errGivenUp says that what was to be freed may still be used by work that was
// given up: nothing stops a kernel.
var errGivenUp = errors.New("the device is at work that was given up, which nothing can stop")

// givenUpFor is how long freeing waits for work that was given up, in all.
const givenUpFor = 100 * time.Millisecond

// Abandon implements [device.Abandoning]: freeing memory and closing the device do
// not wait for the present work any more, but for a moment, and fail with it.
func (d *gpu) Abandon() { d.givenUp = time.Now() }

// waitToFree waits until no work uses what is to be freed.
func (d *gpu) waitToFree() error {
	if d.givenUp.IsZero() {
		return d.waitAll(context.Background())
	}
	ctx, cancel := context.WithDeadline(context.Background(), d.givenUp.Add(givenUpFor))
	defer cancel()
	err := d.waitAll(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return errGivenUp
	}
	return err
}

// ready asks a query function about a stream or event.
func (d *gpu) ready(query, handle uintptr, name string) (bool, error) {
	d.args[0] = handle
	switch r := hotCall(query, d.args[:]); r {
	case 0: // not through check, whose arguments escape to the heap
		return true, nil
	case codeNotReady:
		return false, nil
	default:
		return false, d.check(r, "%s", name)
	}
}

// How poll waits: without pause for spinTime, then with pauses of
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
		if ready, err := d.ready(query, handle, name); ready || err != nil {
			return err
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
