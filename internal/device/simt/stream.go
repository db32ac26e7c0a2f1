package simt

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"irgl/internal/device"
)

// A stream is a queue of items, which are done one after the other. It implements
// [device.Stream]. The first stream of a device is its default stream.
type stream struct {
	d      *Device
	o      device.StreamOptions
	id     int // in clocks
	queue  []*item
	closed bool
	known  clock // what its next item comes after, its own items excluded
}

// An item is one piece of work in a stream: a launch, or what is done at once.
type item struct {
	s      *stream
	number uint64       // in the order in which the system's items were queued
	launch *launch      // nil for what is done at once
	act    func() error // what is done at once; may be nil
	wait   *mark        // what the item waits for, or nil
	mark   *mark        // what is done with the item, or nil
	known  clock        // what the host had waited for
	task   task
	begun  bool

	calling []device.Frame // where the host has queued it
	done    bool
}

// A mark is one record of an event: a point in a stream.
type mark struct {
	done bool
	at   int64 // nanoseconds since the system was made
	know clock // what had ended then
}

func newStream(d *Device, o device.StreamOptions) *stream {
	s := &stream{d: d, o: o, id: d.sys.newID(), known: d.sys.known}
	d.streams = append(d.streams, s)
	d.sys.streams = append(d.sys.streams, s)
	return s
}

// name returns how reports call the stream.
func (s *stream) name() string {
	name := s.o.Name
	switch {
	case s == s.d.def:
		name = "the default stream"
	case name == "":
		name = fmt.Sprintf("stream %d", s.id)
	default:
		name = "stream " + name
	}
	if len(s.d.sys.devices) > 1 {
		name += fmt.Sprintf(" of device %d", s.d.index)
	}
	return name
}

// clock returns what whatever comes after the stream's items so far comes after.
func (s *stream) clock() clock { return s.known.with(s.id, s.d.sys.ids[s.id]) }

// push queues an item.
func (s *stream) push(it *item) error {
	if err := s.usable(); err != nil {
		return err
	}
	sys := s.d.sys
	it.s, it.number, it.known, it.calling = s, sys.items, sys.known, s.d.calling
	sys.items++
	s.queue = append(s.queue, it)
	return nil
}

func (s *stream) usable() error {
	switch {
	case s.d.closed:
		return errClosed
	case s.closed:
		return errors.New("the stream is closed")
	}
	return nil
}

// canBegin reports whether the first item of the queue can begin.
func (s *stream) canBegin() bool {
	if len(s.queue) == 0 {
		return false
	}
	it := s.queue[0]
	switch {
	case it.begun:
		return false
	case it.wait != nil && !it.wait.done:
		return false
	}
	for _, o := range s.ordered() {
		if len(o.queue) > 0 && o.queue[0].number < it.number {
			return false
		}
	}
	return it.launch == nil || it.launch.fits()
}

// ordered returns the streams with which the order of the calls orders this one:
// the blocking streams for the default stream, and that one for those.
func (s *stream) ordered() []*stream {
	switch {
	case len(s.d.streams) == 1:
		return nil
	case s == s.d.def:
		return s.d.blocking
	case s.o.Blocking:
		return s.d.streams[:1]
	}
	return nil
}

// begin starts the first item of the queue, and ends it if it is done at once.
func (s *stream) begin(it *item) {
	sys := s.d.sys
	s.known = joined(s.known, it.known)
	if it.wait != nil {
		s.known = joined(s.known, it.wait.know)
	}
	for _, o := range s.ordered() {
		s.known = joined(s.known, o.clock())
	}
	sys.ids[s.id]++
	it.begun = true
	it.task = task{s, sys.ids[s.id], s.known}
	if it.launch != nil {
		sys.start(it.launch)
		return
	}
	if it.act != nil {
		if err := it.act(); err != nil {
			s.d.drop()
			s.d.failed = err
			return
		}
	}
	s.finish(it)
}

// finish takes the first item out of the queue.
func (s *stream) finish(it *item) {
	it.done = true
	if m := it.mark; m != nil {
		m.done, m.know, m.at = true, s.clock(), s.d.sys.now()
	}
	s.queue[0] = nil
	s.queue = s.queue[1:]
}

// drop stops what is queued or under way where it is. Nothing waits for it any
// longer.
func (s *stream) drop() {
	for _, it := range s.queue {
		if it.begun && it.launch != nil {
			s.d.sys.remove(it.launch)
		}
		it.done = true
		if it.mark != nil {
			it.mark.done, it.mark.at = true, s.d.sys.now()
		}
	}
	s.queue = nil
	s.d.sys.wait(s.clock()) // nothing of it runs any more
}

// Launch checks the configuration and queues the launch.
func (s *stream) Launch(k device.Kernel, cfg device.Launch) error {
	s.d.sys.mu.Lock()
	defer s.d.sys.mu.Unlock()
	l, err := s.d.newLaunch(k, cfg)
	if err != nil {
		return err
	}
	l.item = &item{launch: l}
	if err := s.push(l.item); err != nil {
		return err
	}
	s.d.counters.Launches++
	return nil
}

// Record queues the record of an event of the stream's device.
func (s *stream) Record(e device.Event) error {
	s.d.sys.mu.Lock()
	defer s.d.sys.mu.Unlock()
	ev, ok := e.(*event)
	if !ok || ev.d != s.d {
		return errors.New("record: the event is not of the stream's device")
	}
	if ev.closed {
		return errors.New("record: the event is closed")
	}
	m := &mark{}
	if err := s.push(&item{mark: m}); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	ev.mark = m
	return nil
}

// Wait holds back what is queued later until what e stands for now is done.
func (s *stream) Wait(e device.Event) error {
	s.d.sys.mu.Lock()
	defer s.d.sys.mu.Unlock()
	ev, ok := e.(*event)
	if !ok || ev.d.sys != s.d.sys {
		return errors.New("wait: the event's device was not opened together with the stream's")
	}
	if ev.closed {
		return errors.New("wait: the event is closed")
	}
	if ev.mark == nil {
		return s.usable()
	}
	return s.push(&item{wait: ev.mark})
}

// idle reports whether all of the stream's work is done.
func (s *stream) idle() bool { return len(s.queue) == 0 }

// Sync waits for the stream's work. When ctx ends first, that work is given up.
func (s *stream) Sync(ctx context.Context) error {
	s.d.sys.mu.Lock()
	defer s.d.sys.mu.Unlock()
	if err := s.usable(); err != nil {
		return err
	}
	return s.sync(ctx)
}

func (s *stream) sync(ctx context.Context) error {
	err := s.d.sys.until(ctx, s.d, s.idle)
	if err == nil {
		s.d.sys.wait(s.clock())
	} else if errors.Is(err, ctx.Err()) {
		s.drop()
	}
	return err
}

// Idle does some of the system's work and reports whether the stream's is done.
func (s *stream) Idle() (bool, error) {
	s.d.sys.mu.Lock()
	defer s.d.sys.mu.Unlock()
	if err := s.usable(); err != nil {
		return false, err
	}
	if s.d.sys.glance(s.d, s.idle) {
		s.d.sys.wait(s.clock())
	}
	return s.idle(), s.d.failure()
}

// Close waits for the stream's work and removes the stream.
func (s *stream) Close() error {
	s.d.sys.mu.Lock()
	defer s.d.sys.mu.Unlock()
	if s.closed || s.d.closed {
		return nil
	}
	err := s.sync(context.Background())
	s.remove()
	return err
}

// remove takes the stream out of its device and system.
func (s *stream) remove() {
	is := func(o *stream) bool { return o == s }
	s.closed = true
	s.d.streams = slices.DeleteFunc(s.d.streams, is)
	s.d.blocking = slices.DeleteFunc(s.d.blocking, is)
	sys := s.d.sys
	sys.streams = slices.DeleteFunc(sys.streams, is)
	// The next stream of this number begins after the last item of this one: so
	// the host must know of that.
	sys.wait(s.clock())
	sys.spare = append(sys.spare, s.id)
}
