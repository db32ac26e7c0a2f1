package devicetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"irgl/internal/device"
)

// Done, Sync and Since of events in streams.
func testStreamEvents(t *testing.T, d *tester) {
	a, b := d.stream(device.StreamOptions{Name: "a"}), d.stream(device.StreamOptions{Name: "b"})
	m := d.module("streams.ptx")
	await, put := d.kernelOf(m, "awaitsys"), d.kernelOf(m, "put")
	flag := d.hostMemory("flag", 2)
	seen, x := d.allocSize("seen", 4), d.allocSize("x", 4)
	start, end, none := d.event(), d.event(), d.event()
	d.sync()
	done := func(e device.Event) bool {
		t.Helper()
		v, err := e.Done()
		d.must(err)
		return v
	}
	ctx := context.Background()
	if !done(none) {
		t.Error("an event that was never recorded is not done")
	}
	d.must(none.Sync(ctx))
	d.must(b.Wait(none)) // holds back nothing
	d.must(a.Record(start))
	d.start(a, await, flag.ptr(), d.patience(), seen)
	d.must(a.Record(end))
	if done(end) {
		t.Error("an event is done although the kernel before it waits for the host")
	}
	d.must(b.Wait(none))
	d.start(b, put, x, uint32(1))
	d.must(b.Sync(ctx)) // b is held back by neither
	short, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
	defer cancel()
	if d.Info().Kind == "cuda" { // elsewhere it would stop the kernel
		if err := end.Sync(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Sync = %v, want the context's error", err)
		}
	}
	flag.set(0, 1)
	d.must(end.Sync(ctx))
	if !done(end) || !done(start) {
		t.Error("an event is not done after Sync")
	}
	d.must(b.Record(none))
	for _, c := range []struct{ from, to device.Event }{{start, end}, {end, none}, {start, none}} {
		if ms, err := c.to.Since(c.from); err != nil || ms < 0 {
			t.Errorf("Since across streams = %v, %v", ms, err)
		}
	}

	// Recorded again, an event is about the new position alone.
	d.start(a, await, flag.ptr()+4, d.patience(), seen)
	d.must(a.Record(end))
	if done(end) {
		t.Error("an event is done by its first recording")
	}
	d.must(b.Record(end)) // b is idle
	d.must(end.Sync(ctx))
	flag.set(1, 1)
	d.sync()
	equal(t, "seen", d.words(seen, 1), []uint32{1})
	d.must(errors.Join(start.Close(), end.Close(), none.Close(), end.Close()))
	if err := errors.Join(a.Record(end)); err == nil {
		t.Error("Record of a closed event succeeded")
	}
	if err := errors.Join(a.Wait(end)); err == nil {
		t.Error("Wait for a closed event succeeded")
	}
}

// Wait is about the recording at the time of the call: a later one moves nothing.
func testStreamWaitMoves(t *testing.T, d *tester) {
	a, b, c := d.stream(device.StreamOptions{}), d.stream(device.StreamOptions{}), d.stream(device.StreamOptions{})
	m := d.module("streams.ptx")
	await, put := d.kernelOf(m, "awaitsys"), d.kernelOf(m, "put")
	flag := d.hostMemory("flag", 1)
	seen, x := d.allocSize("seen", 4), d.allocSize("x", 4)
	e := d.event()
	d.sync()
	d.start(a, put, x, uint32(1))
	d.must(errors.Join(a.Record(e), b.Wait(e)))
	d.start(c, await, flag.ptr(), d.patience(), seen)
	d.must(c.Record(e))
	d.start(b, put, x, uint32(2)) // waits for a alone
	d.must(b.Sync(context.Background()))
	if done, err := e.Done(); err != nil || done {
		t.Errorf("Done = %v, %v of the second recording", done, err)
	}
	flag.set(0, 1)
	d.sync()
	equal(t, "x, seen", append(d.words(x, 1), d.words(seen, 1)...), []uint32{2, 1})
}
