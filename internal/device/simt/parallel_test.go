package simt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"irgl/internal/device"
)

const testBlocks = 16

// body makes a kernel k(x, c), with the number of the thread in the grid in %r1 and its element of x at %rd1; after
// the text it computes for a while.
func body(text string) string {
	return head + `.entry k(.param .u64 x, .param .u64 c) { .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<2>; .shared .align 4 .b8 s[1024];
mov.u32 %r0, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 256, %r0; mul.wide.u32 %rd3, %r1, 4;
ld.param.u64 %rd1, [x]; add.u64 %rd1, %rd1, %rd3; ld.param.u64 %rd2, [c];
` + text + "\nmov.u32 %r4, 0; $work: add.u32 %r4, %r4, 1; setp.lt.u32 %p0, %r4, 100; @%p0 bra $work;\nret; }"
}

// TestGroups: what is executed in groups, what is undone, and what is left to turns.
func TestGroups(t *testing.T) {
	const n = 256 * testBlocks
	for _, c := range []struct {
		name, body string
		tries      uint32
		committed  bool
		want       func(i int) int32 // of x
		counter    int32
	}{
		{"stores", "st.global.u32 [%rd1], %r1;", 1, true, func(i int) int32 { return int32(i) }, 0},
		{"update", "ld.global.u32 %r3, [%rd1]; add.u32 %r3, %r3, %r1; st.global.u32 [%rd1], %r3;", 2, true, func(i int) int32 { return int32(i + 1) }, 0},
		{"reduction", "red.global.add.u32 [%rd2], %r1;", 1, true, nil, n * (n - 1) / 2},
		{"atomic without a use", "atom.global.add.u32 %r3, [%rd2], %r1;", 1, true, nil, n * (n - 1) / 2},
		{"atomic with a use", "atom.global.add.u32 %r3, [%rd2], 1; add.u32 %r3, %r3, 1;", 0, false, nil, n},
		{"generic atomic with a use", "st.global.u32 [%rd1], 5; atom.add.u32 %r3, [%rd2], 1; add.u32 %r3, %r3, 1;", 1, false, func(int) int32 { return 5 }, n},
		{"reduction that is read", "red.global.add.u32 [%rd2], 1; ld.global.u32 %r3, [%rd2];", 2, false, nil, n},
		{"two reductions", "red.global.add.u32 [%rd2], 0; red.global.max.u32 [%rd2], %r1;", 1, false, nil, n - 1},
		{"sum of floats", "red.global.add.f32 [%rd2], 0f00000000;", 0, false, nil, 0},
		{"volatile", "ld.volatile.global.u32 %r3, [%rd2];", 0, false, nil, 0},
		{"clock", "mov.u32 %r3, %clock;", 0, false, nil, 0},
		{"same store", "st.global.u32 [%rd2], 3;", 1, false, nil, 3},
		{"neighbour", "xor.b64 %rd1, %rd1, 4096; ld.global.u32 %r3, [%rd1]; xor.b64 %rd1, %rd1, 4096; st.global.u32 [%rd1], 9;", 2, false, func(int) int32 { return 9 }, 0},
	} {
		for _, workers := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s/%d", c.name, workers), func(t *testing.T) {
				if workers > 1 && !c.committed && conflictsRace {
					t.Skip("conflicts are data races, by design")
				}
				r := newRigText(t, Options{Workers: workers, CheckRaces: true}, body(c.body))
				x, counter := r.buffer("x", values(2*n, func(int) int32 { return 1 })), r.buffer("c", make([]int32, 2))
				r.ok("k", testBlocks, 256, x, counter)
				if got := r.d.sys.tries; got != c.tries {
					t.Errorf("%d tries, want %d", got, c.tries)
				}
				k := r.mod.(*module).kernels["k"]
				if got := k.parallel.undone == 0 && r.d.sys.tries > 0; got != c.committed {
					t.Errorf("committed: %v", got)
				}
				if c.want == nil {
					c.want = func(int) int32 { return 1 }
				}
				equal(t, "x", r.read(x, n), values(n, c.want))
				equal(t, "counter", r.read(counter, 1), []int32{c.counter})
				r.ok("k", testBlocks, 256, x, counter)
				tries := r.d.sys.tries
				r.ok("k", testBlocks, 256, x, counter)
				want := uint32(0)
				if c.committed {
					want = 1
				}
				if got := r.d.sys.tries - tries; got != want {
					t.Errorf("%d tries of the third launch, want %d", got, want)
				}
			})
		}
	}
}

// TestGroupTextures: textures and surfaces are memory as any other for blocks that are executed in groups.
func TestGroupTextures(t *testing.T) {
	const n = 256 * testBlocks // a row of the surface for each block
	const place = "shl.b32 %r5, %r0, 2;\n"
	for _, c := range []struct {
		name, body string
		committed  bool
		want       func(i int) int32 // of the surface
	}{
		{"samples", "tex.2d.v4.u32.s32 {%r3, %r4, %r5, %r6}, [%rd2, {%r0, %r2}]; st.global.u32 [%rd1], %r3;", true, func(i int) int32 { return int32(i) }},
		{"update", place + "suld.b.2d.b32.trap {%r3}, [%rd2, {%r5, %r2}]; add.u32 %r3, %r3, 1; sust.b.2d.b32.trap [%rd2, {%r5, %r2}], {%r3};", true, func(i int) int32 { return int32(i + 1) }},
		{"neighbour", place + "xor.b32 %r6, %r2, 1; suld.b.2d.b32.trap {%r3}, [%rd2, {%r5, %r6}]; sust.b.2d.b32.trap [%rd2, {%r5, %r2}], {%r7};", false, func(int) int32 { return 7 }},
		{"description", "ld.global.u64 %rd4, [%rd2]; tex.2d.v4.u32.s32 {%r3, %r4, %r5, %r6}, [%rd2, {%r0, %r2}]; st.global.u32 [%rd2+48], %r2;", false, func(i int) int32 { return int32(i) }},
	} {
		for _, workers := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s/%d", c.name, workers), func(t *testing.T) {
				if workers > 1 && !c.committed && conflictsRace {
					t.Skip("conflicts are data races, by design")
				}
				r := newRigText(t, Options{Workers: workers}, body("mov.u32 %r7, 7;\n"+c.body))
				x, texels := r.buffer("x", make([]int32, n)), r.buffer("texels", values(n, func(i int) int32 { return int32(i) }))
				object := r.buffer("object", []int32{int32(texels), int32(texels >> 32), 1024, 0, n * 4, 0, 256, testBlocks, 1, 1 | 32<<8 | 1<<16, 0x01010000, 1, 0, 0, 0, 0})
				r.ok("k", testBlocks, 256, x, object)
				if got := r.mod.(*module).kernels["k"].parallel.undone == 0 && r.d.sys.tries > 0; got != c.committed {
					t.Errorf("committed: %v, %d tries", got, r.d.sys.tries)
				}
				equal(t, "texels", r.read(texels, n), values(n, c.want))
				if c.name == "samples" {
					equal(t, "x", r.read(x, n), values(n, c.want))
				}
			})
		}
	}
}

// TestUndo: a launch that gives up when much is written leaves memory as it was, and what counts as written.
func TestUndo(t *testing.T) {
	const n = 256 * testBlocks
	o := Checked()
	o.Workers = 3
	r := newRigText(t, o, body(`st.global.u32 [%rd1], %r1; atom.add.u32 %r3, [%rd2], 1; st.global.u32 [%rd1], %r3;`))
	x, err := r.d.Alloc("x", 4*n)
	if err != nil {
		t.Fatal(err)
	}
	r.d.Unwritten(x)
	c := r.buffer("c", make([]int32, 1))
	b := r.d.mem.find(uint64(x))
	for i := range b.data {
		b.data[i] = byte(i * 7)
		b.written[i] = byte(i / 5 % 2)
	}
	data, written := bytes.Clone(b.data), bytes.Clone(b.written)
	k := r.mod.(*module).kernels["k"]
	l, err := r.d.newLaunch(k, device.Launch{Grid: device.Dim3{X: testBlocks}, Block: device.Dim3{X: 256}, Params: params(t, x, c)})
	if err != nil {
		t.Fatal(err)
	}
	l.item = &item{launch: l, s: r.d.def, task: task{stream: r.d.def}}
	l.start()
	if got := r.d.sys.speculate(context.Background(), l, false); got != conflict {
		t.Fatalf("verdict %d", got)
	}
	if !bytes.Equal(data, b.data) || !bytes.Equal(written, b.written) {
		t.Error("memory has changed")
	}
	if list := r.d.Reports(); len(list) > 0 || r.d.sys.tries != 1 {
		t.Errorf("%d tries, reports %v", r.d.sys.tries, list)
	}
}

// TestGroupLeftovers: what registers of lanes that have ended hold of an earlier block does not depend on the number of workers.
func TestGroupLeftovers(t *testing.T) {
	text := body(`cvt.rn.f64.u32 %fd1, %r1; rem.u32 %r3, %r2, 3; setp.eq.u32 %p1, %r3, 0; mov.u32 %r5, %laneid; setp.gt.and.u32 %p1, %r5, 15, %p1; @%p1 exit;
cvt.rn.f64.u32 %fd2, %r1; mov.f64 %fd3, %fd2; mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd4, %fd5}, {%fd2}, {%fd3}, {%fd2, %fd3};
cvt.rzi.u32.f64 %r6, %fd4; shfl.sync.idx.b32 %r7, %r6, 31, 31, -1; xor.b32 %r6, %r6, %r7; st.global.u32 [%rd1], %r6;`)
	text = strings.Replace(text, ".reg .pred", ".reg .f64 %fd<8>; .reg .pred", 1)
	var want []int32
	for _, n := range []int{1, 2, 3, 7} {
		r := newRigText(t, Options{Workers: n}, text)
		x, c := r.buffer("x", make([]int32, 256*testBlocks)), r.buffer("c", make([]int32, 1))
		r.ok("k", testBlocks, 256, x, c)
		if k := r.mod.(*module).kernels["k"]; k.parallel.undone > 0 || r.d.sys.tries == 0 {
			t.Fatal("not executed in groups")
		}
		got := r.read(x, 256*testBlocks)
		if want == nil {
			want = got
		}
		equal(t, "x", got, want)
	}
}

// TestGroupWaits ends where a group waits for what another one stores, and no instruction says so.
func TestGroupWaits(t *testing.T) {
	text := body(`mov.u32 %r3, %ctaid.x; setp.gt.u32 %p1, %r3, 7; @%p1 bra $store;
$wait: ld.global.u32 %r3, [%rd2]; membar.gl; setp.eq.u32 %p1, %r3, 0; @%p1 bra $wait; bra $end;
$store: st.global.u32 [%rd2], 1;
$end:`)
	for _, workers := range []int{1, 2} {
		if workers > 1 && conflictsRace {
			t.Skip("a conflict is a data race, by design")
		}
		r := newRigText(t, Options{Workers: workers}, text)
		x := r.buffer("x", make([]int32, 256*testBlocks))
		for range 3 {
			r.ok("k", testBlocks, 256, x, r.buffer("c", make([]int32, 1)))
		}
		if k := r.mod.(*module).kernels["k"]; k.parallel.undone != mostUndone || r.d.sys.tries != 2 {
			t.Errorf("%d workers: %d undone, %d tries", workers, k.parallel.undone, r.d.sys.tries)
		}
	}
}

// TestReductionScopes finds reductions at the scope of a block that several blocks make.
func TestReductionScopes(t *testing.T) {
	for _, workers := range []int{1, 2} {
		r := newRigText(t, Options{Workers: workers, CheckRaces: true}, body(`red.relaxed.cta.global.add.u32 [%rd2], 1;`))
		x, c := r.buffer("x", make([]int32, 256*testBlocks)), r.buffer("c", make([]int32, 1))
		if err := r.run("k", testBlocks, 256, x, c); err != nil {
			t.Fatal(err)
		}
		r.one(device.Race, "scope")
	}
}

// TestUndoRoom: a launch that writes a large part of the device's memory is not executed in groups.
func TestUndoRoom(t *testing.T) {
	for _, more := range []int64{0, 1024} {
		o := Options{Memory: 4*4*256*testBlocks + more - 1024}
		r := newRigText(t, o, body(`st.global.u32 [%rd1], %r1;`))
		x, c := r.buffer("x", make([]int32, 256*testBlocks)), r.buffer("c", make([]int32, 1))
		r.ok("k", testBlocks, 256, x, c)
		if k := r.mod.(*module).kernels["k"]; (k.parallel.undone > 0) != (more == 0) || r.d.sys.tries != 1 {
			t.Errorf("%d bytes more: %d undone, %d tries", more, k.parallel.undone, r.d.sys.tries)
		}
		equal(t, "x", r.read(x, 256*testBlocks), values(256*testBlocks, func(i int) int32 { return int32(i) }))
	}
}

// TestGroupFault: a fault in the middle of a launch is that of the execution by turns.
func TestGroupFault(t *testing.T) {
	text := body(`setp.eq.u32 %p1, %r1, 3000; st.global.u32 [%rd1], %r1; @%p1 st.global.u32 [%rd1+1048576], %r1;`)
	show := func(workers int, ordered bool) (string, []device.Report, []int32) {
		o := Checked()
		o.Workers = workers
		r := newRigText(t, o, text)
		r.mod.(*module).kernels["k"].ordered = ordered
		x, c := r.buffer("x", make([]int32, 256*testBlocks)), r.buffer("c", make([]int32, 1))
		err := r.run("k", testBlocks, 256, x, c)
		return fmt.Sprint(err), r.d.Reports(), r.read(x, 256*testBlocks)
	}
	err, reports, x := show(1, true)
	if !strings.Contains(err, "writes 4 bytes") || len(reports) != 1 {
		t.Fatal(err, reports)
	}
	for _, n := range []int{1, 2, 7} {
		e, rep, got := show(n, false)
		if d := cmp.Diff(reports, rep); e != err || d != "" {
			t.Errorf("%d workers: %s, want %s\n%s", n, e, err, d)
		}
		equal(t, "x", got, x)
	}
}

// TestGroupReports: races in shared memory and in the memory of a block are found in groups, once each, and counted.
func TestGroupReports(t *testing.T) {
	text := body(`xor.b32 %r3, %r0, 32; mul.lo.u32 %r3, %r3, 4; mov.u32 %r4, s; add.u32 %r4, %r4, %r3; mov.u32 %r5, s; mad.lo.u32 %r5, %r0, 4, %r5;
st.shared.u32 [%r5], %r0; ld.shared.u32 %r6, [%r4]; add.u64 %rd4, %rd1, 4; setp.lt.u32 %p1, %r0, 255; st.global.u32 [%rd1], %r6; @%p1 st.global.u32 [%rd4], %r0;`)
	var first []device.Report
	for _, n := range []int{1, 2, 7} {
		r := newRigText(t, Options{CheckRaces: true, Workers: n}, text)
		x, c := r.buffer("x", make([]int32, 256*testBlocks)), r.buffer("c", make([]int32, 1))
		r.ok("k", testBlocks, 256, x, c)
		if k := r.mod.(*module).kernels["k"]; k.parallel.undone > 0 || r.d.sys.tries == 0 {
			t.Fatal("not executed in groups")
		}
		list := r.d.Reports()
		if len(list) != 2 || list[0].Count < testBlocks || list[1].Count < testBlocks {
			t.Errorf("reports %v", list)
		}
		if first == nil {
			first = list
		}
		if d := cmp.Diff(first, list); d != "" {
			t.Errorf("%d workers: %s", n, d)
		}
	}
}

// TestGroupCancel: a launch in groups ends with its context, and others can look at it before; memory is as before the launch.
func TestGroupCancel(t *testing.T) {
	for _, n := range []int{1, 2} {
		r := newRigText(t, Options{Workers: n, bound: 1 << 40}, body(`st.global.u32 [%rd1], %r1; $loop: add.u32 %r3, %r3, 1; bra $loop;`))
		x, c := r.buffer("x", make([]int32, 256*testBlocks)), r.buffer("c", make([]int32, 1))
		k, err := r.mod.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		if err := r.d.Launch(k, device.Launch{Grid: device.Dim3{X: testBlocks}, Block: device.Dim3{X: 256}, Params: params(t, x, c)}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error)
		go func() { ended <- r.d.Sync(ctx) }()
		for list := r.d.UnderWay(); len(list) != 1 || !strings.Contains(list[0], "thread"); list = r.d.UnderWay() {
			time.Sleep(time.Millisecond)
		}
		cancel()
		if err := <-ended; err != context.Canceled {
			t.Errorf("error %v", err)
		}
		if r.d.sys.tries != 1 || r.mod.(*module).kernels["k"].parallel.undone > 0 {
			t.Error("not given up while it was executed in groups")
		}
		equal(t, "x", r.read(x, 4), []int32{0, 0, 0, 0})
	}
}

// TestGroupAbandon: so it does when the device's work is given up.
func TestGroupAbandon(t *testing.T) {
	r := newRigText(t, Options{Workers: 2}, body(`$loop: add.u32 %r3, %r3, 1; bra $loop;`))
	x, c := r.buffer("x", make([]int32, 256*testBlocks)), r.buffer("c", make([]int32, 1))
	k, _ := r.mod.Kernel("k")
	if err := r.d.Launch(k, device.Launch{Grid: device.Dim3{X: testBlocks}, Block: device.Dim3{X: 256}, Params: params(t, x, c)}); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- r.d.Sync(context.Background()) }()
	for len(r.d.UnderWay()) == 0 {
		time.Sleep(time.Millisecond)
	}
	r.d.Abandon()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestGroupStreams: what a launch in groups has accessed races with a launch of another stream that nothing orders behind it, and with a
// copy; what comes before it does not.
func TestGroupStreams(t *testing.T) {
	text := head + `.entry k(.param .u64 x, .param .u64 z, .param .u64 c) { .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<2>;
mov.u32 %r0, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 256, %r0; mul.wide.u32 %rd3, %r1, 4;
ld.param.u64 %rd1, [x]; add.u64 %rd1, %rd1, %rd3; ld.param.u64 %rd2, [z]; mul.wide.u32 %rd4, %r0, 4; add.u64 %rd2, %rd2, %rd4; ld.param.u64 %rd5, [c];
ld.global.u32 %r3, [%rd2]; bar.warp.sync -1; st.global.u32 [%rd1], %r3; red.global.add.u32 [%rd5], 1; ret; }
.entry one(.param .u64 p, .param .u64 q) { .reg .b32 %r<4>; .reg .b64 %rd<4>; ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; ld.global.u32 %r1, [%rd1+4000]; st.global.u32 [%rd2+40], %r1; ret; }`
	show := func(seed uint64, workers int, ordered bool, k2 string) (list []device.Report, tries uint32) {
		o := Checked()
		o.Seed, o.Workers = seed, workers
		r := newRigText(t, o, text)
		r.mod.(*module).kernels["k"].ordered = ordered
		x, z, c := r.buffer("x", make([]int32, 256*testBlocks)), r.buffer("z", make([]int32, 256)), r.buffer("c", make([]int32, 1))
		other := r.buffer("other", make([]int32, 1001))
		if err := r.d.Sync(context.Background()); err != nil {
			t.Fatal(err)
		}
		var streams []device.Stream
		for range 2 {
			s, err := r.d.NewStream(device.StreamOptions{})
			if err != nil {
				t.Fatal(err)
			}
			streams = append(streams, s)
		}
		launch := func(s device.Stream, name string, blocks, threads uint32, args ...any) {
			k, err := r.mod.Kernel(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Launch(k, device.Launch{Grid: device.Dim3{X: blocks}, Block: device.Dim3{X: threads}, Params: params(t, args...)}); err != nil {
				t.Fatal(err)
			}
		}
		launch(streams[0], "one", 1, 1, x, z)
		if err := streams[0].Sync(context.Background()); err != nil {
			t.Fatal(err)
		}
		launch(streams[0], "k", testBlocks, 256, x, z, c)
		event, err := r.d.NewEvent()
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(r.d.def.Record(event), event.Sync(context.Background())); err != nil { // begins it, and knows nothing of its end
			t.Fatal(err)
		}
		switch k2 {
		case "copy":
			launch(streams[1], "one", 1, 1, other, other) // executes k, too
			if err := streams[1].Sync(context.Background()); err != nil {
				t.Fatal(err)
			}
			fallthrough
		case "early copy":
			if err := streams[1].CopyIn(z, make([]byte, 8)); err != nil {
				t.Fatal(err)
			}
		case "one":
			launch(streams[1], "one", 1, 1, x, z)
		case "reduce":
			launch(streams[1], "one", 1, 1, x, c-40)
		}
		if err := r.d.Sync(context.Background()); err != nil {
			t.Fatal(err)
		}
		return r.d.Reports(), r.d.sys.tries
	}
	for seed := range uint64(3) {
		for k2, races := range map[string]int{"one": 2, "copy": 1, "early copy": 1, "reduce": 2} {
			serial, _ := show(seed, 1, true, k2)
			first, tries := show(seed, 1, false, k2)
			if len(first) != races || len(serial) != races || tries != 1 && k2 != "early copy" {
				t.Errorf("seed %d, %s: %d reports by turns and %d in groups, want %d; %d tries: %v", seed, k2, len(serial), len(first), races, tries, first)
			}
			for _, n := range []int{2, 7} {
				list, _ := show(seed, n, false, k2)
				if d := cmp.Diff(first, list); d != "" {
					t.Errorf("seed %d, %d workers: %s", seed, n, d)
				}
			}
		}
	}
}

// TestGroupPanic: a fault of the emulator in a worker is an internal error with the kernel's name, and everything ends: one while a group
// is executed, which the execution by turns has again, and one while the group's records are added to those of others.
func TestGroupPanic(t *testing.T) {
	text := body(`st.global.u32 [%rd1], %r1; add.u32 %r3, %r3, 1;`)
	text += strings.Replace(strings.TrimPrefix(text, head), ".entry k(", ".entry k2(", 1)
	for name, fault := range map[string]func(w *warp){
		"executed": func(w *warp) { panic("planted") },
		"recorded": func(w *warp) {
			if w.l.worker == nil {
				t.Error("executed by turns")
			}
			for _, v := range w.l.worker.views {
				v.claims.touched = append(v.claims.touched, 1<<40)
			}
		},
	} {
		for _, workers := range []int{1, 2, 7} {
			t.Run(fmt.Sprintf("%s/%d", name, workers), func(t *testing.T) {
				before := runtime.NumGoroutine()
				r := newRigText(t, Options{Workers: workers, CheckRaces: true}, text)
				k := r.mod.(*module).kernels["k"]
				for i := range k.fn.code {
					if in := &k.fn.code[i]; in.src != nil && in.src.String() == "add.u32 %r3, %r3, 1" {
						*in = inst{src: in.src, line: in.line, run: func(w *warp, _ *inst, _ uint32) {
							if w.b.index == 9 {
								fault(w)
							}
						}}
					}
				}
				x, c := r.buffer("x", make([]int32, 256*testBlocks)), r.buffer("c", make([]int32, 1))
				caught := func() (e any) {
					defer func() { e = recover() }()
					return r.run("k", testBlocks, 256, x, c)
				}()
				e, ok := caught.(*InternalError)
				if !ok || e.Kernel != "k" || !strings.Contains(e.Error(), "in kernel k: ") || !strings.Contains(string(e.Stack), "TestGroupPanic") && name == "executed" {
					t.Fatalf("%v", caught)
				}
				if err := r.d.Sync(context.Background()); !errors.As(err, &e) {
					t.Errorf("afterwards: %v", err)
				}
				if r.d.sys.tries != 1 || len(r.d.UnderWay()) > 0 {
					t.Errorf("%d tries, under way: %v", r.d.sys.tries, r.d.UnderWay())
				}
				r.ok("k2", testBlocks, 256, x, c) // another kernel
				for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
					if time.Now().After(end) {
						t.Fatalf("%d goroutines, of %d before", runtime.NumGoroutine(), before)
					}
				}
			})
		}
	}
}

// TestGroupRecords: what is recorded of a buffer that is not written is dropped with the launch.
func TestGroupRecords(t *testing.T) {
	r := newRigText(t, Options{Workers: 2, CheckRaces: true}, body("ld.global.u32 %r3, [%rd1]; ld.global.u32 %r5, [%rd2]; add.u32 %r3, %r3, %r5; st.global.u32 [%rd1], %r3;"))
	x, c := r.buffer("x", make([]int32, 256*testBlocks)), r.buffer("c", make([]int32, 1))
	r.ok("k", testBlocks, 256, x, c)
	if r.d.sys.tries != 2 {
		t.Fatalf("%d tries: the second one records all reads", r.d.sys.tries)
	}
	kept := map[string]int{}
	for _, w := range r.d.sys.workers {
		for real, view := range w.views {
			if view.claims.cells != nil {
				kept[real.name]++
			}
		}
	}
	if kept["x"] == 0 || kept["c"] > 0 {
		t.Errorf("records are kept of %v", kept)
	}
}
