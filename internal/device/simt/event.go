package simt

import (
	"context"
	"errors"
	"time"

	"irgl/internal/device"
)

// An event implements [device.Event].
type event struct {
	d      *Device
	mark   *mark // of the last record; nil before the first
	closed bool
}

// NewEvent returns an event that is not recorded.
func (d *Device) NewEvent() (device.Event, error) {
	d.sys.mu.Lock()
	defer d.sys.mu.Unlock()
	if d.closed {
		return nil, errClosed
	}
	return &event{d: d}, nil
}

// now is the time of events. A round of the scheduler is not measured in parts, so
// launches that overlap take as long as both together.
func (s *system) now() int64 { return time.Now().UnixNano() }

// Record queues the record in the default stream.
func (e *event) Record() error { return e.d.def.Record(e) }

var errNotRecorded = errors.New("an event is not recorded")

// Since returns the milliseconds between start and e.
func (e *event) Since(start device.Event) (float64, error) {
	e.d.sys.mu.Lock()
	defer e.d.sys.mu.Unlock()
	s, ok := start.(*event)
	if !ok || s.d != e.d {
		return 0, errors.New("the events are of different devices")
	}
	if s.mark == nil || e.mark == nil {
		return 0, errNotRecorded
	}
	from, to := s.mark, e.mark
	if err := e.d.sys.until(context.Background(), e.d, func() bool { return from.done && to.done }); err != nil {
		return 0, err
	}
	e.d.sys.wait(joined(from.know, to.know))
	return max(0, float64(to.at-from.at)/1e6), nil
}

// Done does some of the system's work and reports whether that is done which the
// event stands for.
func (e *event) Done() (bool, error) {
	e.d.sys.mu.Lock()
	defer e.d.sys.mu.Unlock()
	if e.d.closed {
		return false, errClosed
	}
	m := e.mark
	if m == nil {
		return true, nil
	}
	if e.d.sys.glance(e.d, func() bool { return m.done }) {
		e.d.sys.wait(m.know)
	}
	return m.done, e.d.failure()
}

// Sync waits for the work that the event stands for. When ctx ends first, the
// device's work is given up.
func (e *event) Sync(ctx context.Context) error {
	e.d.sys.mu.Lock()
	defer e.d.sys.mu.Unlock()
	if e.d.closed {
		return errClosed
	}
	m := e.mark
	if m == nil {
		return nil
	}
	err := e.d.sys.until(ctx, e.d, func() bool { return m.done })
	if err == nil {
		e.d.sys.wait(m.know)
	} else if errors.Is(err, ctx.Err()) {
		e.d.drop()
	}
	return err
}

// Close gives the event back.
func (e *event) Close() error {
	e.d.sys.mu.Lock()
	defer e.d.sys.mu.Unlock()
	e.closed = true
	return nil
}

// glance does a slice of work if it is not done yet, and reports whether it is.
func (s *system) glance(d *Device, done func() bool) bool {
	if !done() && d.failed == nil {
		s.step()
	}
	return done()
}
