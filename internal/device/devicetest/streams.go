package devicetest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"irgl/internal/device"
)

// stream makes a stream, which the device closes with itself.
func (d *tester) stream(o device.StreamOptions) device.Stream {
	d.t.Helper()
	s, err := d.NewStream(o)
	if err != nil {
		d.t.Fatalf("NewStream(%+v): %v", o, err)
	}
	return s
}

func (d *tester) event() device.Event {
	d.t.Helper()
	e, err := d.NewEvent()
	if err != nil {
		d.t.Fatalf("NewEvent: %v", err)
	}
	return e
}

// hostMemory makes page-locked memory of n 32-bit words.
func (d *tester) hostMemory(name string, n int) *hostWords {
	d.t.Helper()
	h, err := d.AllocHost(name, int64(4*n))
	if err != nil {
		d.t.Fatalf("AllocHost(%s): %v", name, err)
	}
	return newHostWords(d.t, h, n)
}

// A queue is a stream or a device, whose own methods are its default stream's.
type queue interface {
	Launch(k device.Kernel, l device.Launch) error
	Sync(ctx context.Context) error
}

// start launches k on one block of one thread.
func (d *tester) start(q queue, k device.Kernel, args ...any) {
	d.t.Helper()
	d.startGrid(q, k, 1, 1, args...)
}

func (d *tester) startGrid(q queue, k device.Kernel, grid, block uint32, args ...any) {
	d.t.Helper()
	l := device.Launch{Grid: device.Dim3{X: grid}, Block: device.Dim3{X: block}, Params: pack(args...)}
	if err := q.Launch(k, l); err != nil {
		d.t.Fatalf("Launch(%s): %v", k.Info().Name, err)
	}
}

// must fails the test if err is not nil.
func (d *tester) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// Bounds of polling kernels. One that must see its flag has the patience of
// seconds, and one that must not see it gives up after milliseconds.
func (d *tester) patience() uint32 {
	if d.Info().Kind == "cuda" {
		return 1 << 23
	}
	return 3 << 20 // fewer instructions than the emulator takes for a deadlock
}

func (d *tester) impatience() uint32 {
	if d.Info().Kind == "cuda" {
		return 1 << 15
	}
	return 1 << 11
}

// A flagged is a flag in device memory with the kernels that poll and set it.
type flagged struct {
	d             *tester
	await, signal device.Kernel
	flag, out     device.Ptr
}

func (d *tester) flagged() *flagged {
	d.t.Helper()
	m := d.module("streams.ptx")
	f := &flagged{d, d.kernelOf(m, "await"), d.kernelOf(m, "signal"), d.allocSize("flag", 4), d.allocSize("seen", 4)}
	d.sync()
	return f
}

// saw waits for the whole device and returns what await did: 1 if it saw the flag.
// The flag is down again then.
func (f *flagged) saw() uint32 {
	f.d.t.Helper()
	f.d.sync()
	var got [1]uint32
	f.d.read(f.flag, got[:])
	if got[0] != 1 {
		f.d.t.Fatalf("the flag is %d after signal", got[0])
	}
	f.d.read(f.out, got[:])
	f.d.must(errors.Join(f.d.Fill(f.flag, 0, 4), f.d.Fill(f.out, 0, 4)))
	f.d.sync()
	return got[0]
}

// Items of one stream run in order: launches, fills and copies of all kinds.
func testStreamOrder(t *testing.T, d *tester) {
	k := d.kernel("grid.ptx", "step")
	x, y := d.alloc("x", []uint32{1}), d.allocSize("y", 4)
	d.sync()
	s := d.stream(device.StreamOptions{Name: "order"})
	want := uint32(1)
	got := make([]byte, 4)
	for i := range uint32(300) {
		d.start(s, k, x, i)
		want = 3*want + i
		if i%100 == 50 { // CopyOut to ordinary memory waits
			d.must(s.CopyOut(got, x))
			equal(t, "x midway", got, encode(want))
		}
	}
	src := encode(uint32(2))
	d.must(s.CopyIn(x, src)) // has taken what is there now
	src[0] = 77
	d.start(s, k, x, uint32(5))
	d.must(errors.Join(s.Fill(y, 0xff, 4), s.Copy(y, x, 2)))
	d.start(s, k, x, uint32(0))
	d.must(s.Sync(context.Background()))
	d.must(errors.Join(s.CopyOut(got, x), s.Sync(context.Background())))
	equal(t, "x", got, encode(uint32(33)))
	d.must(s.CopyOut(got, y))
	equal(t, "y", got, []byte{11, 0, 0xff, 0xff})
	d.must(s.Close())
}

// New memory is zero for every stream, whenever the stream was made.
func testStreamAllocZero(t *testing.T, d *tester) {
	const size = 8 << 20
	before := d.stream(device.StreamOptions{})
	dirty := d.allocSize("dirty", size)
	d.must(errors.Join(d.Fill(dirty, 0xee, size), d.Free(dirty)))
	got := make([]byte, size)
	check := func(what string, s device.Stream, p device.Ptr) {
		t.Helper()
		d.must(s.CopyOut(got, p))
		if i := slices.IndexFunc(got, func(b byte) bool { return b != 0 }); i >= 0 {
			t.Errorf("%s: byte %d of new memory is %#x", what, i, got[i])
		}
	}
	p := d.allocSize("clean", size)
	check("an older stream", before, p)
	check("a newer stream", d.stream(device.StreamOptions{}), p)
}

// Work of different streams overlaps: a kernel that polls ends early by a flag
// that a later kernel, in another stream, sets.
func testStreamOverlap(t *testing.T, d *tester) {
	a, b := d.stream(device.StreamOptions{Name: "a"}), d.stream(device.StreamOptions{Name: "b", High: true})
	f := d.flagged()
	for _, c := range []struct {
		name          string
		first, second queue
	}{{"a, b", a, b}, {"b, a", b, a}, {"default, a", d, a}, {"a, default", a, d}} {
		d.start(c.first, f.await, f.flag, d.patience(), f.out)
		d.start(c.second, f.signal, f.flag)
		if f.saw() != 1 {
			t.Errorf("%s: the second kernel did not run beside the first", c.name)
		}
	}
}

// What is ordered does not overlap: a kernel that polls for a little while does not
// see the flag that a kernel sets which must run after it.
func testStreamNoOverlap(t *testing.T, d *tester) {
	a, b := d.stream(device.StreamOptions{Name: "a"}), d.stream(device.StreamOptions{Name: "b"})
	block := d.stream(device.StreamOptions{Name: "blocking", Blocking: true})
	other := d.stream(device.StreamOptions{Name: "other blocking", Blocking: true})
	scratch := d.allocSize("scratch", 4)
	f, e := d.flagged(), d.event()
	after := func(record func() error, wait device.Stream) func() error {
		return func() error { return errors.Join(record(), wait.Wait(e)) }
	}
	nothing := func() error { return nil }
	for _, c := range []struct {
		name          string
		first, second queue
		between       func() error
	}{
		{"one stream", a, a, nothing},
		{"event", a, b, after(func() error { return a.Record(e) }, b)},
		{"event of the default stream", d, b, after(e.Record, b)},
		{"blocking stream after the default stream", d, block, nothing},
		{"default stream after a blocking stream", block, d, nothing},
		{"blocking streams around the default stream", block, other, func() error { return d.Fill(scratch, 1, 4) }},
	} {
		d.start(c.first, f.await, f.flag, d.impatience(), f.out)
		d.must(c.between())
		d.start(c.second, f.signal, f.flag)
		if got := f.saw(); got != 2 {
			t.Errorf("%s: the second kernel began before the first had ended (%d)", c.name, got)
		}
	}
	// Blocking streams are not ordered with each other.
	d.start(block, f.await, f.flag, d.patience(), f.out)
	d.start(other, f.signal, f.flag)
	if f.saw() != 1 {
		t.Error("two blocking streams do not overlap")
	}
}

// Sync and Idle of a stream are about its own work.
func testStreamSync(t *testing.T, d *tester) {
	s, other := d.stream(device.StreamOptions{}), d.stream(device.StreamOptions{})
	m := d.module("streams.ptx")
	await, put := d.kernelOf(m, "awaitsys"), d.kernelOf(m, "put")
	seen, x := d.allocSize("seen", 4), d.allocSize("x", 4)
	flag := d.hostMemory("flag", 1)
	d.sync()
	idle := func(s device.Stream) bool {
		t.Helper()
		v, err := s.Idle()
		d.must(err)
		return v
	}
	if !idle(s) {
		t.Error("an unused stream is not idle")
	}
	d.start(s, await, flag.ptr(), d.patience(), seen)
	if idle(s) {
		t.Error("a stream is idle although its kernel waits for the host")
	}
	d.start(other, put, x, uint32(5))
	d.must(other.Sync(context.Background())) // does not wait for s
	if !idle(other) {
		t.Error("a stream is not idle after Sync")
	}
	flag.set(0, 1)
	d.must(s.Sync(context.Background()))
	if !idle(s) {
		t.Error("a stream is not idle after Sync")
	}
	var got [1]uint32
	d.read(seen, got[:])
	equal(t, "seen", got[:], []uint32{1})

	// A context that ends first.
	busy, n := d.kernel("grid.ptx", "busy"), d.allocSize("n", 8)
	trips := uint64(1) << 17
	if d.Info().Kind == "cuda" {
		trips = 1 << 21 // about a second
	}
	d.sync()
	d.start(s, busy, n, trips)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	err := s.Sync(ctx)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) || err == nil && d.Info().Kind == "cuda" {
		t.Errorf("Sync = %v, want the context's error", err)
	}
	d.must(s.Sync(context.Background()))
}

// Close of a busy stream waits; a closed stream refuses everything.
func testStreamClose(t *testing.T, d *tester) {
	s := d.stream(device.StreamOptions{Name: "short"})
	k := d.kernel("grid.ptx", "busy")
	x := d.allocSize("x", 8)
	d.sync()
	const trips = 3000
	d.start(s, k, x, uint64(trips))
	d.must(s.Close())
	var got [1]uint64
	d.read(x, got[:]) // the host waited, so this is ordered after the kernel
	equal(t, "trips", got[:], []uint64{trips})
	e := d.event()
	_, idleErr := s.Idle()
	for what, err := range map[string]error{
		"Launch":  s.Launch(k, device.Launch{Params: pack(x, uint64(1))}),
		"CopyIn":  s.CopyIn(x, make([]byte, 8)),
		"CopyOut": s.CopyOut(make([]byte, 8), x),
		"Copy":    s.Copy(x, x, 4),
		"Fill":    s.Fill(x, 0, 8),
		"Record":  s.Record(e),
		"Wait":    s.Wait(e),
		"Sync":    s.Sync(context.Background()),
		"Idle":    idleErr,
	} {
		if err == nil {
			t.Errorf("%s of a closed stream succeeded", what)
		}
	}
	d.must(s.Close()) // again
	// Close of the device, with a stream that is busy then.
	d.start(d.stream(device.StreamOptions{Name: "left open"}), k, x, uint64(trips))
}

// What is not of the stream's device is refused, and so are bad ranges.
func testStreamErrors(t *testing.T, d *tester, open func(t *testing.T) device.Device) {
	s := d.stream(device.StreamOptions{})
	other := &tester{Device: open(t), t: t}
	defer other.Close()
	theirs, theirStream := other.event(), other.stream(device.StreamOptions{})
	k := other.kernel("grid.ptx", "empty")
	p := d.allocSize("p", 100)
	h := d.hostMemory("h", 100)
	d.sync()
	for what, err := range map[string]error{
		"Launch of another device's kernel":               s.Launch(k, device.Launch{}),
		"Launch of no kernel":                             s.Launch(nil, device.Launch{}),
		"Launch of the device's kernel in another's":      theirStream.Launch(d.kernel("grid.ptx", "empty"), device.Launch{}),
		"Record of another device's event":                s.Record(theirs),
		"Record of no event":                              s.Record(nil),
		"Wait for no event":                               s.Wait(nil),
		"CopyIn past the end":                             s.CopyIn(p, make([]byte, 101)),
		"CopyIn past the end from page-locked memory":     s.CopyIn(p, h.h.Bytes()[:101]),
		"CopyOut past the end":                            s.CopyOut(make([]byte, 101), p),
		"CopyOut past the end to page-locked memory":      s.CopyOut(h.h.Bytes()[:101], p),
		"Copy past the end":                               s.Copy(p, p+50, 51),
		"Copy of -1 bytes":                                s.Copy(p, p+50, -1),
		"Fill past the end":                               s.Fill(p+99, 1, 2),
		"Fill of the null pointer":                        s.Fill(0, 1, 2),
		"CopyPeer past the end":                           s.CopyPeer(p, d.Device, p+50, 51),
		"CopyPeer from no device":                         s.CopyPeer(p, nil, p, 4),
		"a launch with too many threads":                  s.Launch(d.kernel("grid.ptx", "empty"), device.Launch{Block: device.Dim3{X: 1025}}),
		"a launch with too many bytes of shared memory":   s.Launch(d.kernel("grid.ptx", "empty"), device.Launch{Shared: 1 << 30}),
		"a cooperative launch of more blocks than fit":    s.Launch(d.kernel("grid.ptx", "empty"), device.Launch{Grid: device.Dim3{X: 1 << 20}, Cooperative: true}),
		"Launch with parameters of a kernel without them": paramsRefused(d, s),
		"a negative size of page-locked memory":           errorOf(d.AllocHost("negative", -1)),
	} {
		if err == nil {
			t.Errorf("%s succeeded", what)
		}
	}
	// None of these did harm.
	got := make([]byte, 100)
	d.must(errors.Join(s.Fill(p, 3, 100), s.CopyOut(got, p)))
	equal(t, "p", got, ramp(100, func(int) byte { return 3 }))
}

// paramsRefused launches a kernel without parameters with some, which only devices
// that know the size refuse.
func paramsRefused(d *tester, s device.Stream) error {
	k := d.kernel("grid.ptx", "step")
	if k.Info().ParamsLength == 0 {
		return errors.New("the device does not know the size of the parameters")
	}
	return s.Launch(k, device.Launch{Params: make([]byte, 4)})
}

func errorOf[T any](_ T, err error) error { return err }

// An error inside of a kernel is reported by a wait on another stream.
func testStreamFault(t *testing.T, d *tester) {
	a, b := d.stream(device.StreamOptions{Name: "a"}), d.stream(device.StreamOptions{Name: "b"})
	k := d.kernel("fault.ptx", "poke")
	p := d.allocSize("victim", 64)
	e := d.event()
	d.sync()
	d.must(a.Launch(k, device.Launch{Grid: device.Dim3{X: 1}, Block: device.Dim3{X: 32}, Params: pack(p, int64(1)<<36)}))
	d.must(errors.Join(a.Record(e), b.Wait(e)))
	err := b.Sync(context.Background())
	if err == nil {
		t.Fatal("the fault went unnoticed")
	}
	t.Logf("the error: %v", err)
}
