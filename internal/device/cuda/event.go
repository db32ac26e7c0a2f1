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

var errNotRecorded = errors.New("the event is not recorded")

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
	return h, err
}

func (e *event) Record() error {
	if e.handle == 0 {
		return errors.New("record: the event is closed")
	}
	if err := e.d.enter(); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	defer e.d.leave()
	if err := e.d.check(call(e.d.cu.eventRecord, e.handle, e.d.stream), "cuEventRecord"); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	e.recorded = true
	return nil
}

func (e *event) Since(start device.Event) (float64, error) {
	s, ok := start.(*event)
	if !ok || s.d != e.d {
		return 0, errors.New("since: the start is no event of this device")
	}
	if !s.recorded || !e.recorded {
		return 0, fmt.Errorf("since: %w", errNotRecorded)
	}
	if s.handle == 0 || e.handle == 0 {
		return 0, errors.New("since: the event is closed")
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
	return e.d.check(call(e.d.cu.eventDestroy, h), "cuEventDestroy")
}
