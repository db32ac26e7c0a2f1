//go:build linux && (amd64 || arm64) && !nogpu

package cuda

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ebitengine/purego"
	"github.com/google/go-cmp/cmp"

	"irgl/internal/device"
	"irgl/internal/device/devicetest"
)

// TestFakeDevice runs the conformance suite on the fake driver: it shows that this
// package asks the driver for the right things in the right order, where there is
// no GPU to show that the driver does them.
func TestFakeDevice(t *testing.T) {
	for _, c := range []struct {
		name string
		o    Options
	}{{"own", Options{}}, {"primary", Options{Primary: true}}} {
		t.Run(c.name, func(t *testing.T) {
			if c.o.Primary && testing.Short() {
				t.Skip("-short: only the cases of two devices, and TestFakeFailures")
			}
			devicetest.Run(t, func(t *testing.T) device.Device {
				_, d := openFake(t, c.o)
				return d
			})
		})
		t.Run(c.name+"-system", func(t *testing.T) {
			devicetest.RunSystem(t, func(t *testing.T, n int) []device.Device {
				f := fakeSystem(t)
				var list []device.Device
				for i := range n {
					d, err := f.cu.open(i, c.o)
					if err != nil {
						t.Fatal(err)
					}
					list = append(list, d)
				}
				return list
			})
		})
	}
}

// The calls behind the methods that later ones depend on, in order.
func TestFakeCalls(t *testing.T) {
	f, d := openFake(t, Options{})
	defer d.Close()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	expect := func(what string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, names(f.calls())); diff != "" {
			t.Errorf("%s: calls (-want +got):\n%s", what, diff)
		}
	}
	f.calls()
	_, err := d.Alloc("a", 100)
	must(err)
	expect("Alloc", "cuMemAlloc_v2", "cuMemsetD8Async", "cuEventRecord", "cuStreamWaitEvent")
	s, err := d.NewStream(device.StreamOptions{High: true})
	must(err)
	expect("NewStream", "cuCtxGetStreamPriorityRange", "cuStreamCreateWithPriority", "cuStreamWaitEvent")
	if got := thing[fakeStream](f, s.(*stream).handle); got.flags != streamNonBlocking || got.priority != -5 {
		t.Errorf("a stream of high priority has flags %d and priority %d", got.flags, got.priority)
	}
	_, err = d.Alloc("b", 100)
	must(err)
	expect("Alloc with a stream", "cuMemAlloc_v2", "cuMemsetD8Async", "cuEventRecord", "cuStreamWaitEvent", "cuStreamWaitEvent")
	own := d.main.handle
	block, err := d.NewStream(device.StreamOptions{Blocking: true})
	must(err)
	expect("the first blocking stream", "cuEventCreate", "cuEventRecord", "cuStreamWaitEvent", "cuEventDestroy_v2", "cuStreamDestroy_v2",
		"cuCtxGetStreamPriorityRange", "cuStreamCreateWithPriority", "cuStreamWaitEvent")
	if d.main.handle != streamLegacy || thing[fakeStream](f, own) != nil {
		t.Errorf("with a blocking stream, the default stream is %#x", d.main.handle)
	}
	if got := thing[fakeStream](f, block.(*stream).handle); got.flags != streamBlocking || got.priority != 0 {
		t.Errorf("a blocking stream has flags %d and priority %d", got.flags, got.priority)
	}
	_, err = d.NewStream(device.StreamOptions{Blocking: true})
	must(err)
	expect("the second blocking stream", "cuCtxGetStreamPriorityRange", "cuStreamCreateWithPriority", "cuStreamWaitEvent")
	must(s.Close())
	calls := f.calls()
	query := slices.IndexFunc(calls, func(c string) bool { return strings.HasPrefix(c, "cuStreamQuery") })
	if destroy := slices.IndexFunc(calls, func(c string) bool { return strings.HasPrefix(c, "cuStreamDestroy") }); query < 0 || destroy < query {
		t.Errorf("Close: calls %v, want a query before the stream is destroyed", calls)
	}

	// Between devices.
	other, err := f.cu.open(1, Options{})
	must(err)
	defer other.Close()
	src, err := other.Alloc("src", 100)
	must(err)
	dst, err := d.Alloc("dst", 100)
	must(err)
	f.calls()
	must(block.CopyPeer(dst, other, src, 100))
	expect("CopyPeer", "cuStreamWaitEvent", "cuMemcpyPeerAsync")
	must(d.EnablePeer(other))
	expect("EnablePeer", "cuCtxEnablePeerAccess")
	_, err = other.Alloc("later", 100)
	must(err)
	if calls := f.calls(); !strings.HasPrefix(calls[len(calls)-1], "cuEventQuery") {
		t.Errorf("Alloc of a device with peers: calls %v, want a wait at the end", calls)
	}
}

// The default stream's own memory is not lent to the copies of others, which may
// still be under way when a copy is given up.
func TestFakeStreamsHaveOwnMemory(t *testing.T) {
	f, d := openFake(t, Options{})
	defer d.Close()
	p, err := d.Alloc("p", 8)
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.NewStream(device.StreamOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f.calls()
	got := make([]byte, 8)
	if err := errors.Join(s.CopyOut(got, p), d.CopyOut(got, p)); err != nil {
		t.Fatal(err)
	}
	var to []string
	for _, c := range f.calls() {
		if strings.HasPrefix(c, "cuMemcpyDtoH") {
			to = append(to, strings.Fields(c)[1])
		}
	}
	if len(to) != 2 || to[0] == to[1] {
		t.Errorf("copies of two streams go to %v", to)
	}
}

// scenario uses most of what a device has, and returns the errors.
func scenario(d device.Device, text string) error {
	var errs []error
	note := func(err error) { errs = append(errs, err) }
	p, err := d.Alloc("p", 4096)
	note(err)
	h, err := d.AllocHost("h", 4096)
	note(err)
	s, err := d.NewStream(device.StreamOptions{})
	note(err)
	b, err := d.NewStream(device.StreamOptions{Blocking: true})
	note(err)
	e, err := d.NewEvent()
	note(err)
	m, err := d.Load("grid.ptx", text)
	note(err)
	if errors.Join(errs...) != nil {
		return errors.Join(errs...)
	}
	k, err := m.Kernel("empty")
	note(err)
	if err != nil {
		return err
	}
	_, err = k.Occupancy(32, 0)
	note(err)
	small := make([]byte, 16)
	note(errors.Join(d.Launch(k, device.Launch{}), s.Launch(k, device.Launch{}), d.Launch(k, device.Launch{Cooperative: true})))
	note(errors.Join(s.CopyIn(p, h.Bytes()), s.CopyIn(p, small), s.Copy(p, p+64, 64), s.Fill(p, 1, 64), s.CopyOut(h.Bytes(), p), s.CopyOut(small, p)))
	note(errors.Join(d.CopyIn(p, h.Bytes()), d.CopyIn(p, small), d.Copy(p, p+64, 64), d.Fill(p, 1, 64), d.CopyOut(h.Bytes(), p), d.CopyOut(small, p)))
	note(errors.Join(s.Record(e), b.Wait(e), e.Record(), e.Sync(context.Background())))
	_, err = e.Done()
	note(err)
	_, err = e.Since(e)
	note(err)
	_, err = s.Idle()
	note(err)
	note(errors.Join(d.Sync(context.Background()), s.Sync(context.Background()), s.Close(), e.Close(), h.Close(), m.Close(), d.Free(p)))
	return errors.Join(errs...)
}

// Each function fails once, at its first call: an error names it, nothing panics or
// hangs, and Close gives back all that was made, which the primary context shows.
func TestFakeFailures(t *testing.T) {
	text := devicetest.Files()["grid.ptx"]
	// Without failure; shows which functions the scenario calls.
	f := fakeSystem(t)
	d, err := f.cu.open(0, Options{Primary: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(scenario(d, text), d.Close()); err != nil {
		t.Fatal(err)
	}
	called := names(f.calls())
	called = append(called, "cuCtxSetCurrent", "cuStreamQuery", "cuEventQuery", "cuDeviceGetCount", "cuDeviceGetAttribute", "cuFuncGetAttribute")
	slices.Sort(called)
	for _, name := range slices.Compact(called) {
		for _, code := range []int{codeOutOfMemory, codeIllegalAddress} {
			f := fakeSystem(t)
			f.fail[name] = code
			d, err := f.cu.open(0, Options{Primary: true})
			if err == nil {
				err = scenario(d, text)
				end := d.Close()
				if hasCode(end, codeLeak) && !gives(name) {
					t.Errorf("after a failure of %s: %v", name, end)
				}
				err = errors.Join(err, end)
			}
			base := strings.TrimSuffix(strings.TrimSuffix(name, "_v2"), "Async")
			switch {
			case f.fail[name] != 0:
				t.Errorf("%s was not called", name)
			case strings.HasPrefix(name, "cuGetError"), name == "cuMemGetInfo_v2":
			case err == nil:
				t.Errorf("a failure of %s is no error", name)
			case hasOutOfMemory(err): // a type of its own
			case gives(name): // whatever was to be given back
			case !strings.Contains(err.Error(), base) && name != "cuLaunchKernelEx":
				t.Errorf("the error of %s does not name it: %v", name, err)
			}
		}
	}
}

// A staging area that cannot be made gives back what it has: the next copy tries again.
func TestFakeStagingFails(t *testing.T) {
	f, d := openFake(t, Options{})
	defer d.Close()
	if err := d.enter(); err != nil {
		t.Fatal(err)
	}
	defer d.leave()
	before := len(f.things)
	f.fail["cuEventCreate"] = codeOutOfMemory
	if _, err := d.newStaging(1<<12, 4); !hasOutOfMemory(err) && !hasCode(err, codeOutOfMemory) {
		t.Errorf("the error is %v", err)
	}
	if f.fail["cuEventCreate"] != 0 || len(f.things) != before {
		t.Errorf("%d handles and pieces of memory, before %d", len(f.things), before)
	}
}

// gives reports whether a function gives a handle or memory back.
func gives(name string) bool {
	return strings.HasSuffix(name, "Destroy_v2") || strings.HasPrefix(name, "cuMemFree") || name == "cuModuleUnload"
}

func hasOutOfMemory(err error) bool {
	var oom *device.OutOfMemoryError
	return errors.As(err, &oom)
}

// A launch allocates nothing, in the default stream and in others. A function of the
// C library that does nothing stands in for the driver's.
func TestLaunchAllocates(t *testing.T) {
	lib, err := openLibrary("libc.so.6")
	if err != nil {
		t.Skip(err)
	}
	nothing, err := purego.Dlsym(lib, "sched_yield")
	if err != nil {
		t.Skip(err)
	}
	f, d := openFake(t, Options{})
	defer d.Close()
	m, err := d.Load("grid.ptx", devicetest.Files()["grid.ptx"])
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("step")
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.NewStream(device.StreamOptions{})
	if err != nil {
		t.Fatal(err)
	}
	quiet := &driver{version: f.cu.version, launch: nothing, ctxSetCurrent: nothing, streamQuery: nothing}
	d.cu = quiet
	defer func() { d.cu = f.cu }()
	l := device.Launch{Params: make([]byte, 12)}
	ctx := context.Background()
	for _, c := range []struct {
		name string
		f    func() error
	}{
		{"Launch", func() error { return d.Launch(k, l) }},
		{"Launch in a stream", func() error { return s.Launch(k, l) }},
		{"Sync", func() error { return d.Sync(ctx) }},
		{"Sync of a stream", func() error { return s.Sync(ctx) }},
	} {
		if n := testing.AllocsPerRun(100, func() {
			if err := c.f(); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("%s makes %v allocations", c.name, n)
		}
	}
}

var heap = func() *[]byte {
	b := make([]byte, 1000)
	return &b
}()

// Page-locked memory is told from other memory by its address range.
func TestRanges(t *testing.T) {
	var r ranges
	all := *heap                       // unlike the stack, it does not move
	a, b := all[100:200], all[200:300] // neighbours are not one range
	r.add(b)
	r.add(a)
	for _, c := range []struct {
		from, to int
		want     bool
	}{
		{100, 200, true}, {100, 101, true}, {199, 200, true}, {200, 300, true}, {150, 160, true},
		{99, 101, false}, {199, 201, false}, {299, 301, false}, {0, 10, false}, {300, 301, false}, {0, 1000, false},
	} {
		if got := r.contains(all[c.from:c.to]); got != c.want {
			t.Errorf("contains [%d, %d) = %v, want %v", c.from, c.to, got, c.want)
		}
	}
	r.remove(a)
	if r.contains(all[100:101]) || !r.contains(all[200:201]) {
		t.Error("remove took the wrong range")
	}
}

// Work that was given up is not waited for, but for a moment: freeing fails, the
// device closes and leaves its context to the end of the process. Once the work has
// ended, everything is as before.
func TestFakeAbandon(t *testing.T) {
	for _, ends := range []bool{false, true} {
		f, d := openFake(t, Options{})
		m, err := d.Load("streams.ptx", devicetest.Files()["streams.ptx"])
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel("await")
		if err != nil {
			t.Fatal(err)
		}
		p, err := d.Alloc("flag", 16)
		if err != nil {
			t.Fatal(err)
		}
		polls := uint32(1 << 22)
		if ends {
			polls = 1 << 10
		}
		params := binary.LittleEndian.AppendUint64(nil, uint64(p))
		params = binary.LittleEndian.AppendUint64(params, uint64(polls))
		params = binary.LittleEndian.AppendUint64(params, uint64(p)+8)
		if err := d.Launch(k, device.Launch{Params: params}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := d.Sync(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("Sync: %v", err)
		}
		d.Abandon()
		if ends {
			if err := d.Sync(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		start := time.Now()
		free, unload := d.Free(p), m.Close()
		f.calls()
		end := d.Close()
		took := time.Since(start)
		destroyed := slices.ContainsFunc(f.calls(), func(c string) bool { return strings.HasPrefix(c, "cuCtxDestroy") })
		switch {
		case ends && (free != nil || unload != nil || end != nil || !destroyed):
			t.Errorf("after the work has ended: Free %v, Module.Close %v, Close %v, context destroyed %v", free, unload, end, destroyed)
		case !ends && (!errors.Is(free, errGivenUp) || !errors.Is(unload, errGivenUp) || !errors.Is(end, errGivenUp) || destroyed):
			t.Errorf("during the work: Free %v, Module.Close %v, Close %v, context destroyed %v", free, unload, end, destroyed)
		case !ends && took > 10*givenUpFor:
			t.Errorf("freeing took %v", took)
		}
	}
}
