package simt

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"irgl/internal/device"
)

// streamText has kernels for tests of streams. set stores a value, behind as many
// turns of a loop; copy stores what is at its second parameter; await polls a flag
// until it is set and acquires; raise sets one and releases.
const streamText = head + `
.entry set(.param .u64 p, .param .u32 value, .param .u32 turns) { .reg .b64 %rd<2>; .reg .b32 %r<4>; .reg .pred %p<2>;
	ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [value]; ld.param.u32 %r2, [turns]; mov.u32 %r3, 0;
L:	setp.ge.u32 %p1, %r3, %r2; @%p1 bra E; add.u32 %r3, %r3, 1; bra L;
E:	st.global.u32 [%rd1], %r1; ret; }
.entry copy(.param .u64 p, .param .u64 q) { .reg .b64 %rd<3>; .reg .b32 %r<2>;
	ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; ld.global.u32 %r1, [%rd2]; st.global.u32 [%rd1], %r1; ret; }
.entry await(.param .u64 flag, .param .u64 data, .param .u64 out) { .reg .b64 %rd<4>; .reg .b32 %r<3>; .reg .pred %p<2>;
	ld.param.u64 %rd1, [flag]; ld.param.u64 %rd2, [data]; ld.param.u64 %rd3, [out];
L:	ld.acquire.sys.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;
	ld.global.u32 %r2, [%rd2]; st.global.u32 [%rd3], %r2; ret; }
.entry raise(.param .u64 flag, .param .u64 data, .param .u32 value) { .reg .b64 %rd<3>; .reg .b32 %r<2>;
	ld.param.u64 %rd1, [flag]; ld.param.u64 %rd2, [data]; ld.param.u32 %r1, [value];
	st.global.u32 [%rd2], %r1; st.release.sys.global.u32 [%rd1], 1; ret; }
.entry count(.param .u64 p) { .reg .b64 %rd<2>; .reg .b32 %r<2>; ld.param.u64 %rd1, [p]; atom.global.add.u32 %r1, [%rd1], 1; ret; }
.entry count_sys(.param .u64 p) { .reg .b64 %rd<2>; .reg .b32 %r<2>; ld.param.u64 %rd1, [p]; atom.global.sys.add.u32 %r1, [%rd1], 1; ret; }
.entry count_cta(.param .u64 p) { .reg .b64 %rd<2>; .reg .b32 %r<2>; ld.param.u64 %rd1, [p]; atom.global.cta.add.u32 %r1, [%rd1], 1; ret; }
.entry forever() { L: bra L; }
`

// A streamRig is a rig with streams.
type streamRig struct {
	*rig
	streams map[string]device.Stream
}

func newStreamRig(t testing.TB, o Options) *streamRig {
	return &streamRig{newRigText(t, o, streamText), map[string]device.Stream{}}
}

// stream returns the stream of that name; those whose names begin with "blocking"
// are.
func (r *streamRig) stream(name string) device.Stream {
	r.t.Helper()
	if r.streams[name] == nil {
		s, err := r.d.NewStream(device.StreamOptions{Name: name, Blocking: strings.HasPrefix(name, "blocking"), High: name == "high"})
		r.must(err)
		r.streams[name] = s
	}
	return r.streams[name]
}

func (r *streamRig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// launch launches a kernel of one thread a block in a stream; "" is the default one.
func (r *streamRig) launch(stream, kernel string, grid uint32, args ...any) {
	r.t.Helper()
	r.must(r.tryLaunch(stream, kernel, device.Launch{Grid: device.Dim3{X: grid}}, args...))
}

func (r *streamRig) tryLaunch(stream, kernel string, l device.Launch, args ...any) error {
	r.t.Helper()
	k, err := r.mod.Kernel(kernel)
	r.must(err)
	l.Params = params(r.t, args...)
	if stream == "" {
		return r.d.Launch(k, l)
	}
	return r.stream(stream).Launch(k, l)
}

func (r *streamRig) sync() {
	r.t.Helper()
	r.must(r.d.Sync(context.Background()))
}

func (r *streamRig) event() device.Event {
	r.t.Helper()
	e, err := r.d.NewEvent()
	r.must(err)
	return e
}

// TestStreamsOverlap: a kernel that polls a flag which a kernel of another stream
// sets comes to its end, whichever was launched first, and what the other wrote
// before the flag is there.
func TestStreamsOverlap(t *testing.T) {
	schedules(t, func(t *testing.T, o Options) {
		for _, first := range []string{"await", "raise"} {
			r := newStreamRig(t, o)
			flag, data, out := r.buffer("flag", []int32{0}), r.buffer("data", []int32{0}), r.buffer("out", []int32{0})
			r.sync()
			await := func() { r.launch("a", "await", 1, flag, data, out) }
			if first == "await" {
				await()
			}
			r.launch("b", "raise", 1, flag, data, uint32(5))
			if first != "await" {
				await()
			}
			r.sync()
			equal(t, "out", r.read(out, 1), []int32{5})
			r.clean()
		}
	})
}

// TestStreamReport: a race between streams is reported with both sides, whatever
// the schedule does first, unless the host has seen the first one end.
func TestStreamReport(t *testing.T) {
	done := func(f func() (bool, error), t testing.TB) {
		for done := false; !done; {
			var err error
			if done, err = f(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name    string
		between func(r *streamRig)
		race    bool
	}{
		{"nothing", func(*streamRig) {}, true},
		{"event that is not recorded", func(r *streamRig) { r.must(r.stream("b").Wait(r.event())) }, true},
		{"done", func(r *streamRig) {
			e := r.event()
			r.must(r.stream("a").Record(e))
			done(e.Done, r.t)
		}, false},
		{"idle", func(r *streamRig) { done(r.stream("a").Idle, r.t) }, false},
		{"closed", func(r *streamRig) { r.must(r.stream("a").Close()) }, false},
		{"abandoned behind", func(r *streamRig) {
			r.must(r.stream("a").Sync(context.Background()))
			r.launch("a", "forever", 1)
			r.d.Abandon()
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(3) {
				o := Checked()
				o.Seed, o.Schedule = seed, Schedule(seed)
				r := newStreamRig(t, o)
				p, out := r.buffer("p", []int32{1, 2}), r.buffer("out", []int32{0})
				r.d.Describe(p, device.Elements{Of: "node", Size: 4})
				r.sync()
				r.launch("a", "set", 1, p+4, uint32(9), uint32(3000))
				c.between(r)
				r.launch("b", "copy", 1, out, p+4)
				r.sync()
				if c.race {
					r.one("race", "race on p of node 1 (kernel", "thread 0 of block 0 of kernel set in stream a writes at PTX line",
						"thread 0 of block 0 of kernel copy in stream b reads at PTX line", "unordered")
					continue
				}
				equal(t, "out", r.read(out, 1), []int32{9})
				r.clean()
			}
		})
	}
}

// TestLaterLaunch: a race with a launch is found behind other launches of its stream,
// and what came before a launch that released comes before what acquires from it.
func TestLaterLaunch(t *testing.T) {
	schedules(t, func(t *testing.T, o Options) {
		r := newStreamRig(t, o)
		p, q, flag, out := r.buffer("p", []int32{0}), r.buffer("q", []int32{0}), r.buffer("flag", []int32{0}), r.buffer("out", []int32{0})
		r.sync()
		r.launch("a", "set", 1, p, uint32(5), uint32(0))
		r.launch("a", "raise", 1, flag, q, uint32(1))
		r.launch("b", "await", 1, flag, p, out)
		r.sync()
		equal(t, "out", r.read(out, 1), []int32{5})
		r.clean()
		r.sync()
		r.launch("a", "set", 1, p, uint32(6), uint32(0))
		r.launch("a", "set", 1, q, uint32(7), uint32(0))
		r.must(r.stream("a").Sync(context.Background()))
		r.clean()
		r.launch("a", "set", 1, p, uint32(6), uint32(0))
		r.launch("a", "set", 1, q, uint32(7), uint32(0))
		r.launch("b", "copy", 1, out, p)
		r.sync()
		r.one("race", "kernel set in stream a", "kernel copy in stream b", "p+0")
	})
}

// TestCopyReport: a copy that nothing orders with a kernel is a race, in either
// order, and one that something orders is none.
func TestCopyReport(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func(r *streamRig, p device.Ptr, h device.HostMemory)
		want []string
	}{
		{"fill before", func(r *streamRig, p device.Ptr, _ device.HostMemory) {
			r.must(r.stream("b").Fill(p, 1, 4))
			r.launch("a", "set", 1, p, uint32(9), uint32(0))
		}, []string{"a fill in stream b writes it", "kernel set in stream a writes"}},
		{"copy behind", func(r *streamRig, p device.Ptr, h device.HostMemory) {
			r.launch("a", "set", 1, p, uint32(9), uint32(0))
			r.must(r.stream("b").CopyOut(h.Bytes(), p))
		}, []string{"kernel set in stream a writes", "a copy from device in stream b reads it"}},
		{"two copies", func(r *streamRig, p device.Ptr, h device.HostMemory) {
			r.must(r.stream("a").CopyIn(p, h.Bytes()))
			r.must(r.stream("b").CopyOut(h.Bytes(), p))
		}, []string{"in stream a", "in stream b"}},
		{"two reads", func(r *streamRig, p device.Ptr, h device.HostMemory) {
			q := r.buffer("q", []int32{0})
			r.sync()
			r.launch("a", "copy", 1, q, p)
			r.must(r.stream("b").CopyOut(h.Bytes(), p))
		}, nil},
		{"one stream", func(r *streamRig, p device.Ptr, h device.HostMemory) {
			r.must(r.stream("a").Fill(p, 1, 4))
			r.launch("a", "set", 1, p, uint32(9), uint32(0))
			r.must(r.stream("a").CopyOut(h.Bytes(), p))
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newStreamRig(t, Checked())
			p := r.buffer("p", []int32{0})
			h, err := r.d.AllocHost("h", 4)
			r.must(err)
			r.sync()
			c.run(r, p, h)
			r.sync()
			if c.want == nil {
				r.clean()
				return
			}
			list := r.find("race")
			if len(list) == 0 {
				t.Fatal("no race is reported")
			}
			for _, w := range c.want {
				if !strings.Contains(list[0].String(), w) {
					t.Errorf("report %q does not contain %q", list[0], w)
				}
			}
		})
	}
}

// TestResidency: the blocks of all launches share the device. A cooperative launch
// waits until all of its blocks find room, and others do not wait for it.
func TestResidency(t *testing.T) {
	schedules(t, func(t *testing.T, o Options) {
		o.Multiprocessors = 1
		r := newStreamRig(t, o)
		flag, data, out, n := r.buffer("flag", []int32{0}), r.buffer("data", []int32{0}), r.buffer("out", make([]int32, 31)), r.buffer("n", []int32{0})
		r.sync()
		// 31 blocks wait, of the 32 that the multiprocessor holds: of the other
		// kernels one block runs at a time, and the cooperative one cannot begin
		// before the flag is raised.
		for i := range 31 {
			r.launch(fmt.Sprintf("wait%d", i), "await", 1, flag, data, out+device.Ptr(4*i))
		}
		k, err := r.mod.Kernel("count")
		r.must(err)
		r.must(r.stream("together").Launch(k, device.Launch{Grid: device.Dim3{X: 32}, Cooperative: true, Params: params(t, n)}))
		r.launch("one by one", "count", 100, n)
		r.launch("last", "raise", 1, flag, data, uint32(3))
		r.sync()
		equal(t, "out", r.read(out, 31), values(31, func(int) int32 { return 3 }))
		equal(t, "n", r.read(n, 1), []int32{132})
		for sm, u := range r.d.sms {
			if u != (usage{}) {
				t.Errorf("multiprocessor %d is left with %+v", sm, u)
			}
		}
		r.clean()
	})
}

// TestNoRoom: a kernel whose blocks take all the room while they poll hangs if the
// kernel that they wait for finds none, and the error says so.
func TestNoRoom(t *testing.T) {
	r := newStreamRig(t, Options{Multiprocessors: 1, SpinLimit: 1e5})
	flag, data, out := r.buffer("flag", []int32{0}), r.buffer("data", []int32{0}), r.buffer("out", []int32{0})
	r.sync()
	r.launch("a", "await", 32, flag, data, out)
	r.launch("b", "raise", 1, flag, data, uint32(1))
	err := r.d.Sync(context.Background())
	for _, want := range []string{"kernel await: deadlock", "poll", "blocks of kernel raise in stream b wait for room"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not contain %q", err, want)
		}
	}
}

// TestHigh: blocks of a stream of high priority find room first.
func TestHigh(t *testing.T) {
	r := newStreamRig(t, Options{Multiprocessors: 1})
	n, m := r.buffer("n", []int32{0}), r.buffer("m", []int32{0})
	r.sync()
	r.launch("low", "count", 5000, n)
	r.launch("high", "count", 500, m)
	r.must(r.stream("high").Sync(context.Background()))
	if idle, err := r.stream("low").Idle(); idle || err != nil {
		t.Errorf("Idle = %v, %v of 5000 blocks that began before 500 of high priority", idle, err)
	}
	r.sync()
	equal(t, "counts", append(r.read(n, 1), r.read(m, 1)...), []int32{5000, 500})
}

// TestStreamCancel: a wait that its context ends gives up its own stream's work, and
// no other's.
func TestStreamCancel(t *testing.T) {
	r := newStreamRig(t, Options{})
	p := r.buffer("p", []int32{0})
	e := r.event()
	r.launch("a", "forever", 1)
	r.must(r.stream("a").Record(e))
	r.launch("b", "set", 1, p, uint32(1), uint32(100000))
	r.must(r.stream("c").Wait(e))
	r.launch("c", "count", 1, p)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if err := r.stream("a").Sync(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the context's", err)
	}
	r.sync()
	if got := r.read(p, 1)[0]; got != 1 && got != 2 {
		t.Errorf("the kernels of the other streams left %d", got)
	}
}

// TestFaultEndsDevice: a kernel that fails ends the work of its device's other
// streams, and none of another device's.
func TestFaultEndsDevice(t *testing.T) {
	list, err := OpenSystem(2, Checked())
	if err != nil {
		t.Fatal(err)
	}
	var kernels [2]map[string]device.Kernel
	var word [2]device.Ptr
	for i, d := range list {
		mod, err := d.Load("streams", streamText)
		if err != nil {
			t.Fatal(err)
		}
		kernels[i] = map[string]device.Kernel{}
		for _, name := range []string{"set", "forever"} {
			if kernels[i][name], err = mod.Kernel(name); err != nil {
				t.Fatal(err)
			}
		}
		if word[i], err = d.Alloc("word", 4); err != nil {
			t.Fatal(err)
		}
	}
	s, err := list[0].NewStream(device.StreamOptions{})
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(
		s.Launch(kernels[0]["forever"], device.Launch{}),
		list[0].Launch(kernels[0]["set"], device.Launch{Params: params(t, uint64(0), uint32(1), uint32(0))}),
		list[1].Launch(kernels[1]["set"], device.Launch{Params: params(t, word[1], uint32(7), uint32(50000))}))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Sync(context.Background()); err == nil || !strings.Contains(err.Error(), "null pointer") {
		t.Errorf("error %v, want the other stream's fault", err)
	}
	b := make([]byte, 4)
	if err := errors.Join(list[0].Sync(context.Background()), list[1].CopyOut(b, word[1])); err != nil || b[0] != 7 {
		t.Errorf("error %v, and the other device's kernel left %d", err, b[0])
	}
	// What the failed kernels have done comes before what is launched now.
	err = s.Launch(kernels[0]["set"], device.Launch{Params: params(t, word[0], uint32(7), uint32(0))})
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		defer cancel()
		err = s.Launch(kernels[0]["forever"], device.Launch{})
		if got := s.Sync(ctx); !errors.Is(got, context.DeadlineExceeded) {
			t.Errorf("error %v, want the context's", got)
		}
	}
	if err = errors.Join(err, list[0].Launch(kernels[0]["set"], device.Launch{Params: params(t, word[0], uint32(8), uint32(0))}), list[0].Sync(context.Background())); err != nil {
		t.Fatal(err)
	}
	for _, r := range list[0].Reports() {
		if r.Kind == "race" {
			t.Errorf("false report: %v", r)
		}
	}
}

// TestGoroutines: two devices of a system are used by a goroutine each, and a kernel
// of one waits for a kernel of the other.
func TestGoroutines(t *testing.T) {
	list, err := OpenSystem(2, Checked())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(list[0].EnablePeer(list[1]), list[1].EnablePeer(list[0])); err != nil {
		t.Fatal(err)
	}
	const rounds = 20
	flags, err := list[0].Alloc("flags", 4*rounds)
	if err != nil {
		t.Fatal(err)
	}
	data, err := list[1].Alloc("data", 4*rounds)
	if err != nil {
		t.Fatal(err)
	}
	out, err := list[0].Alloc("out", 4*rounds)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i, d := range list {
		wg.Go(func() {
			mod, err := d.Load("streams", streamText)
			if err != nil {
				t.Error(err)
				return
			}
			k, err := mod.Kernel([]string{"await", "raise"}[i])
			for r := range device.Ptr(rounds) {
				l := device.Launch{Params: params(t, flags+4*r, data+4*r, out+4*r)}
				if i == 1 {
					l.Params = params(t, flags+4*r, data+4*r, uint32(r+1))
				}
				if err = errors.Join(err, d.Launch(k, l), d.Sync(context.Background())); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b := make([]byte, 4*rounds)
	if err := list[0].CopyOut(b, out); err != nil {
		t.Fatal(err)
	}
	for r := range rounds {
		if b[4*r] != byte(r+1) {
			t.Errorf("round %d: got %d", r, b[4*r])
		}
	}
	for _, d := range list {
		for _, r := range d.Reports() {
			t.Errorf("false report: %v", r)
		}
	}
}

// TestAtomicScopes: atomics to one word are a race if their scope does not hold the
// other thread: between blocks, and between devices.
func TestAtomicScopes(t *testing.T) {
	for _, c := range []struct {
		kernel         string
		blocks, others bool // whether there is a race between blocks, and between devices
	}{{"count_cta", true, true}, {"count", false, true}, {"count_sys", false, false}} {
		t.Run(c.kernel, func(t *testing.T) {
			list, err := OpenSystem(2, Checked())
			if err != nil {
				t.Fatal(err)
			}
			if err := list[1].EnablePeer(list[0]); err != nil {
				t.Fatal(err)
			}
			p, err := list[0].Alloc("p", 4)
			if err != nil {
				t.Fatal(err)
			}
			var kernels [2]device.Kernel
			for i, d := range list {
				mod, err := d.Load("streams", streamText)
				if err != nil {
					t.Fatal(err)
				}
				if kernels[i], err = mod.Kernel(c.kernel); err != nil {
					t.Fatal(err)
				}
			}
			races := func() bool { return len(list[0].Reports())+len(list[1].Reports()) > 0 }
			l := device.Launch{Grid: device.Dim3{X: 1}, Block: device.Dim3{X: 64}, Params: params(t, p)}
			run := func(k device.Kernel, d *Device) {
				if err := d.Launch(k, l); err != nil {
					t.Fatal(err)
				}
			}
			run(kernels[0], list[0])
			if err := list[0].Sync(context.Background()); err != nil || races() {
				t.Fatalf("one block: %v, %v", err, list[0].Reports())
			}
			run(kernels[0], list[0])
			run(kernels[1], list[1])
			if err := errors.Join(list[0].Sync(context.Background()), list[1].Sync(context.Background())); err != nil || races() != c.others {
				t.Errorf("two devices: %v, %v, %v", err, list[0].Reports(), list[1].Reports())
			}
			list[0].Forget(0)
			list[1].Forget(0)
			l.Grid.X = 2
			run(kernels[0], list[0])
			if err := list[0].Sync(context.Background()); err != nil || races() != c.blocks {
				t.Errorf("two blocks: %v, %v", err, list[0].Reports())
			}
		})
	}
}
