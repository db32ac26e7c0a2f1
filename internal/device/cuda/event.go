//go:build (linux || windows) && (amd64 || arm64) && !nogpu

package cuda

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"irgl/internal/device"
)

// Flags of cuEventCreate.
const (
	eventTiming   = 0
	eventNoTiming = 2
)

// An event implements device.Event.
type event struct {
	d        *gpu
	handle   uintptr // 0 when closed
	recorded bool
}

var (
	errNotRecorded = errors.New("the event is not recorded")
	errEventClosed = errors.New("the event is closed")
)

func (d *gpu) NewEvent() (device.Event, error) {
	if err := d.enter(); err != nil {
		return nil, fmt.Errorf("new event: %w", err)
	}
	defer d.leave()
	h, err := d.createEvent(eventTiming)
	if err != nil {
		return nil, fmt.Errorf("new event: %w", err)
	}
	return &event{d: d, handle: h}, nil
}

func (d *gpu) createEvent(flags uintptr) (uintptr, error) {
	var h uintptr
	err := d.check(call(d.cu.eventCreate, uintptr(unsafe.Pointer(&h)), flags), "cuEventCreate")
	if err == nil {
		d.hold(h, d.cu.eventDestroy)
	}
	return h, err
}

func (d *gpu) destroyEvent(h uintptr) error {
	d.drop(h)
	return d.check(call(d.cu.eventDestroy, h), "cuEventDestroy")
}

func (e *event) Record() error { return e.d.main.Record(e) }

// record records the event in a stream of its device, whose context is current.
func (e *event) record(stream uintptr) error {
	if e.handle == 0 {
		return errEventClosed
	}
	err := e.d.check(call(e.d.cu.eventRecord, e.handle, stream), "cuEventRecord")
	e.recorded = e.recorded || err == nil
	return err
}

func (e *event) Done() (bool, error) {
	done := true
	err := e.do("done", func() (err error) {
		done, err = e.d.ready(e.d.cu.eventQuery, e.handle, "cuEventQuery")
		return err
	})
	return done && err == nil, err
}

func (e *event) Sync(ctx context.Context) error {
	return e.do("sync", func() error { return e.d.poll(ctx, e.d.cu.eventQuery, e.handle, "cuEventQuery") })
}

// do runs f with the context current, unless the event was never recorded.
func (e *event) do(what string, f func() error) error {
	if e.handle == 0 {
		return fmt.Errorf("%s: %w", what, errEventClosed)
	}
	err := e.d.enter()
	if err == nil {
		if e.recorded {
			err = f()
		}
		e.d.leave()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

func (e *event) Since(start device.Event) (float64, error) {
	s, ok := start.(*event)
	if !ok || s.d != e.d {
		return 0, errors.New("since: the start is not an event of this device")
	}
	if !s.recorded || !e.recorded {
		return 0, fmt.Errorf("since: %w", errNotRecorded)
	}
	if s.handle == 0 || e.handle == 0 {
		return 0, fmt.Errorf("since: %w", errEventClosed)
	}
	d := e.d
	if err := d.enter(); err != nil {
		return 0, fmt.Errorf("since: %w", err)
	}
	defer d.leave()
	for _, h := range []uintptr{s.handle, e.handle} {
		if err := d.poll(context.Background(), d.cu.eventQuery, h, "cuEventQuery"); err != nil {
			return 0, fmt.Errorf("since: %w", err)
		}
	}
	var ms float32
	if err := d.check(call(d.cu.eventElapsedTime, uintptr(unsafe.Pointer(&ms)), s.handle, e.handle), "cuEventElapsedTime"); err != nil {
		return 0, fmt.Errorf("since: %w", err)
	}
	return float64(ms), nil
}

func (e *event) Close() error {
	if e.handle == 0 || e.d.closed {
		return nil
	}
	if err := e.d.enter(); err != nil {
		return fmt.Errorf("close event: %w", err)
	}
	defer e.d.leave()
	h := e.handle
	e.handle = 0
	return e.d.destroyEvent(h)
}
