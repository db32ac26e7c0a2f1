package devicetest

import (
	"context"
	"errors"
	"os"
	"testing"

	"irgl/internal/device"
)

// RunSystem tests several devices of one system. Open is called once for each
// subtest; it must return n devices that can address each other's memory, or fail
// or skip t. RunSystem closes what it opened.
func RunSystem(t *testing.T, open func(t *testing.T, n int) []device.Device) {
	for _, tt := range []struct {
		name   string
		test   func(t *testing.T, d, e *tester)
		expect expectation
	}{
		{"Access", testPeerAccess, clean},
		{"Copy", testPeerCopy, clean},
		{"Wait", testPeerWait, clean},
		{"Signal", testPeerSignal, clean},
		{"Errors", testPeerErrors, clean},
		{"Races", testPeerRaces, racy},
		{"Scopes", testPeerScopes, racy},
		{"NotEnabled", testPeerNotEnabled, faulty},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list := open(t, 2)
			if len(list) != 2 {
				t.Fatalf("open returned %d devices, want 2", len(list))
			}
			d, e := &tester{Device: list[0], t: t}, &tester{Device: list[1], t: t}
			defer func() {
				if err := errors.Join(d.Close(), e.Close()); err != nil && tt.expect != faulty {
					t.Errorf("Close: %v", err)
				}
			}()
			if tt.expect == faulty && d.ruinous() {
				if os.Getenv(childVariable) == "" {
					runInChild(t)
					return
				}
			}
			tt.test(t, d, e)
			d.expect(tt.expect)
			e.expect(tt.expect)
		})
	}
}

// peers makes each device's memory addressable by the other.
func (d *tester) peers(e *tester) {
	d.t.Helper()
	for _, c := range [][2]*tester{{d, e}, {e, d}} {
		can, err := c[0].CanPeer(c[1].Device)
		d.must(err)
		if !can {
			if d.Info().Kind == "cuda" {
				d.t.Skip("the two GPUs cannot address each other's memory")
			}
			d.t.Fatal("the two devices cannot address each other's memory")
		}
		for range 2 { // it is idempotent
			if err := c[0].EnablePeer(c[1].Device); err != nil {
				d.t.Fatalf("EnablePeer: %v", err)
			}
		}
	}
}

// Kernels read and write the other device's memory, allocated before and after
// EnablePeer.
func testPeerAccess(t *testing.T, d, e *tester) {
	if can, err := d.CanPeer(d.Device); err != nil || !can {
		t.Errorf("CanPeer of the device itself = %v, %v", can, err)
	}
	d.must(d.EnablePeer(d.Device))
	move := d.kernel("streams.ptx", "move")
	const n = 1000
	before := e.alloc("before", ramp(n, mix))
	d.peers(e)
	after := e.allocSize("after", 4*n)
	mine := d.allocSize("mine", 4*n)
	e.sync()
	d.launch(move, 8, 128, mine, before, uint32(n))
	d.launch(move, 8, 128, after, mine, uint32(n))
	d.sync()
	equal(t, "mine", d.words(mine, n), ramp(n, func(i int) uint32 { return mix(i) + 1 }))
	equal(t, "after", e.words(after, n), ramp(n, func(i int) uint32 { return mix(i) + 2 }))
}

// CopyPeer needs no EnablePeer, and is in the order of its stream.
func testPeerCopy(t *testing.T, d, e *tester) {
	step := d.kernel("grid.ptx", "step")
	const n = 5000
	theirs, mine, back := e.alloc("theirs", ramp(n, mix)), d.allocSize("mine", 4*n), e.allocSize("back", 4*n)
	s, r := d.stream(device.StreamOptions{}), e.stream(device.StreamOptions{})
	done := d.event()
	d.sync()
	e.sync()
	d.must(s.CopyPeer(mine, e.Device, theirs, 4*n))
	d.start(s, step, mine, uint32(7))
	d.must(errors.Join(s.Record(done), r.Wait(done)))
	d.must(r.CopyPeer(back+4, d.Device, mine, 4*(n-1)))
	d.must(r.Sync(context.Background()))
	want := append([]uint32{0}, ramp(n-1, mix)...)
	want[1] = 3*mix(0) + 7
	equal(t, "back", e.words(back, n), want)
	d.must(s.CopyPeer(mine, d.Device, mine+4, 4)) // of the device itself
	d.must(s.Sync(context.Background()))
	equal(t, "mine", d.words(mine, 2), []uint32{mix(1), mix(1)})
}

// A stream waits for an event of another device.
func testPeerWait(t *testing.T, d, e *tester) {
	m, n := d.module("streams.ptx"), e.module("streams.ptx")
	await, put := d.kernelOf(m, "awaitsys"), e.kernelOf(n, "put")
	flag := d.hostMemory("flag", 1)
	seen, x := d.allocSize("seen", 4), e.allocSize("x", 4)
	s, r := d.stream(device.StreamOptions{}), e.stream(device.StreamOptions{})
	theirs := d.event()
	d.sync()
	e.sync()
	d.must(r.Wait(theirs)) // never recorded
	d.start(s, await, flag.ptr(), d.patience(), seen)
	d.must(errors.Join(s.Record(theirs), r.Wait(theirs)))
	e.start(r, put, x, uint32(9))
	if idle, err := r.Idle(); err != nil || idle {
		t.Errorf("Idle = %v, %v of a stream that waits for another device's event", idle, err)
	}
	if err := r.Record(theirs); err == nil {
		t.Error("Record of another device's event succeeded")
	}
	flag.set(0, 1)
	d.must(r.Sync(context.Background()))
	if done, err := theirs.Done(); err != nil || !done {
		t.Errorf("Done = %v, %v after another device has waited for the event", done, err)
	}
	equal(t, "x", e.words(x, 1), []uint32{9})
	equal(t, "seen", d.words(seen, 1), []uint32{1})
}

// Kernels of two devices run at the same time.
func testPeerSignal(t *testing.T, d, e *tester) {
	d.peers(e)
	await, signal := d.kernel("streams.ptx", "awaitsys"), e.kernel("streams.ptx", "signalsys")
	flag, seen := e.allocSize("flag", 4), d.allocSize("seen", 4)
	d.sync()
	e.sync()
	d.start(d, await, flag, d.patience(), seen)
	e.start(e, signal, flag)
	e.sync()
	d.sync()
	equal(t, "seen", d.words(seen, 1), []uint32{1})
}

func testPeerErrors(t *testing.T, d, e *tester) {
	mine, theirs := d.allocSize("mine", 100), e.allocSize("theirs", 100)
	s := d.stream(device.StreamOptions{})
	d.sync()
	e.sync()
	_, canErr := d.CanPeer(nil)
	for what, err := range map[string]error{
		"CopyPeer past the end of the source":      s.CopyPeer(mine, e.Device, theirs+50, 51),
		"CopyPeer past the end of the destination": s.CopyPeer(mine+50, e.Device, theirs, 51),
		"CopyPeer of -1 bytes":                     s.CopyPeer(mine, e.Device, theirs, -1),
		"CopyPeer from the null pointer":           s.CopyPeer(mine, e.Device, 0, 4),
		"EnablePeer of no device":                  d.EnablePeer(nil),
		"CanPeer of no device":                     canErr,
	} {
		if err == nil {
			t.Errorf("%s succeeded", what)
		}
	}
	d.must(s.CopyPeer(mine, e.Device, theirs, 0))
	d.sync()
}

// Kernels of two devices race unless an event orders them.
func testPeerRaces(t *testing.T, d, e *tester) {
	if _, checking := races(d, e); !checking {
		t.Skip("the devices do not look for races")
	}
	d.peers(e)
	put, move := d.kernel("streams.ptx", "put"), e.kernel("streams.ptx", "move")
	s, r := d.stream(device.StreamOptions{}), e.stream(device.StreamOptions{})
	done := d.event()
	for _, race := range []bool{true, false} {
		x, out := e.allocSize("x", 4), e.allocSize("out", 4)
		e.sync()
		expectRaces(t, "kernels of two devices", race, []*tester{d, e}, func() {
			d.start(s, put, x, uint32(1))
			if !race {
				d.must(errors.Join(s.Record(done), r.Wait(done)))
			}
			e.start(r, move, out, x, uint32(1))
		})
	}
}

// Without EnablePeer a kernel that addresses the other's memory faults.
func testPeerNotEnabled(t *testing.T, d, e *tester) {
	theirs := e.allocSize("theirs", 4)
	put := d.kernel("streams.ptx", "put")
	e.sync()
	d.sync()
	err := d.Launch(put, device.Launch{Params: pack(theirs, uint32(1))})
	if err == nil {
		err = d.Sync(context.Background())
	}
	if err == nil {
		t.Error("a kernel wrote to the memory of a device that is no peer")
	}
	t.Logf("the error: %v", err)
}
