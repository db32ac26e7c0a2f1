package simt

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"irgl/internal/device"
)

// TestDifferentBarriers: warps that complete a barrier at different places in the source are
// reported, copies of one barrier are not, and the run goes on.
func TestDifferentBarriers(t *testing.T) {
	const text = head + `.file 1 "a.cu"
.entry k(.param .u64 x) { .reg .b32 %r<3>; .reg .pred %p<2>; .reg .b64 %rd<2>;
mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 bra $one;
.loc 1 LINE 5
bar.sync 0; bra $end;
$one:
.loc 1 7 5
bar.sync 0;
$end:
ld.param.u64 %rd1, [x]; mov.u32 %r2, 4; st.global.u32 [%rd1], %r2; ret; }`
	for line, reported := range map[string]bool{"7": false, "9": true} {
		r := newRigText(t, Options{}, strings.Replace(text, "LINE", line, 1))
		x := r.buffer("x", []int32{0})
		r.ok("k", 1, 64, x)
		if r.read(x, 1)[0] != 4 {
			t.Errorf("line %s: the kernel did not go on", line)
		}
		if reported {
			r.one(device.DivergentBarrier, "thread 0 of block 0 at a.cu:7:5", "thread 32 of block 0 at a.cu:9:5")
		} else {
			r.clean()
		}
	}
}

// TestUnwritten: reads of memory that counts as unwritten are reported, and written it is by
// copies, fills and kernels; copies carry over what is not.
func TestUnwritten(t *testing.T) {
	const text = head + `.entry k(.param .u64 x, .param .u64 y) { .reg .b32 %r<3>; .reg .b64 %rd<5>;
ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; LOAD; ret; }`
	for _, c := range []struct {
		name, load string
		prepare    func(r *rig, x, y device.Ptr) error
		reported   bool
	}{
		{"load", "ld.global.u32 %r1, [%rd1]", nil, true},
		{"atomic", "red.global.add.u32 [%rd1], 1", nil, true},
		{"exchange", "mov.u32 %r1, 1; atom.global.exch.b32 %r2, [%rd1], %r1", nil, false},
		{"store", "mov.u32 %r1, 1; st.global.u32 [%rd1], %r1; ld.global.u32 %r2, [%rd1]", nil, false},
		{"padding", "ld.global.b64 %rd3, [%rd1]; st.global.b64 [%rd2], %rd3", nil, false},
		{"padding used", "ld.global.b64 %rd3, [%rd1]; st.global.b64 [%rd2], %rd3; ld.global.u64 %rd4, [%rd2]", nil, true},
		{"computed", "ld.global.b64 %rd3, [%rd1]; add.u64 %rd4, %rd3, 1", nil, true},
		{"copied in", "ld.global.u32 %r1, [%rd1]", func(r *rig, x, _ device.Ptr) error { return r.d.CopyIn(x, make([]byte, 4)) }, false},
		{"beside what is copied in", "ld.global.u32 %r1, [%rd1+4]", func(r *rig, x, _ device.Ptr) error { return r.d.CopyIn(x, make([]byte, 4)) }, true},
		{"filled", "ld.global.u32 %r1, [%rd1]", func(r *rig, x, _ device.Ptr) error { return r.d.Fill(x, 1, 8) }, false},
		{"copied", "ld.global.u32 %r1, [%rd1]", func(r *rig, x, y device.Ptr) error {
			return errors.Join(r.d.Fill(y, 1, 8), r.d.Copy(x, y, 8))
		}, false},
		{"copied unwritten", "ld.global.u32 %r1, [%rd1]", func(r *rig, x, y device.Ptr) error {
			return errors.Join(r.d.Fill(x, 1, 8), r.d.Copy(x, y, 8))
		}, true},
	} {
		r := newRigText(t, Checked(), strings.Replace(text, "LOAD", c.load, 1))
		x, y := r.buffer("x", make([]int32, 2)), r.buffer("y", make([]int32, 2))
		r.d.Unwritten(x)
		r.d.Unwritten(y)
		if c.prepare != nil {
			if err := c.prepare(r, x, y); err != nil {
				t.Fatal(err)
			}
		}
		r.ok("k", 1, 1, x, y)
		if got := len(r.find(device.Uninitialised)); got > 0 != c.reported || got > 1 {
			t.Errorf("%s: reports %v, want one: %v", c.name, r.d.Reports(), c.reported)
		}
	}
}

// TestPollersOnly: a launch whose warps only poll is given up sooner than one in which
// some compute.
func TestPollersOnly(t *testing.T) {
	const text = head + `.entry k(.param .u64 x) { .reg .b32 %r<4>; .reg .pred %p<2>; .reg .b64 %rd<2>; .reg .u32 %c<1>;
ld.param.u64 %rd1, [x]; mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @!%p1 bra $work;
$poll: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.s32 %p1, %r2, 0; @%p1 bra $poll; ret;
$work: mov.u32 %r3, 0;
$loop: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 100000; @%p1 bra $loop;
st.global.u32 [%rd1], %r3; ret; }`
	r := newRigText(t, Options{SpinLimit: 1e6}, strings.Replace(text, ".reg .u32 %c<1>;", "", 1))
	x := r.buffer("x", []int32{0})
	r.ok("k", 1, 64, x) // 300,000 instructions, more than a sixteenth of the limit
	x = r.buffer("x", []int32{0})
	err := r.run("k", 1, 32, x)
	if err == nil || !strings.Contains(err.Error(), "deadlock") {
		t.Fatalf("error %v, want a deadlock", err)
	}
	if n := r.d.Counters().Instructions; n > 600_000 {
		t.Errorf("%d instructions until the deadlock was found", n)
	}
}

// TestUnderWay: what runs is named with the place of a thread.
func TestUnderWay(t *testing.T) {
	const text = head + `.file 1 "a.cu"
.entry k() { .reg .b32 %r<2>; 
$loop:
.loc 1 3 5
bra $loop; }`
	r := newRigText(t, Options{}, text)
	if list := r.d.UnderWay(); len(list) > 0 {
		t.Errorf("before the launch: %v", list)
	}
	k, err := r.mod.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.d.Launch(k, device.Launch{}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- r.d.Sync(ctx) }()
	var list []string
	for range 1000 {
		if list = r.d.UnderWay(); len(list) > 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	stop()
	<-ended
	if len(list) != 1 || !strings.Contains(list[0], "kernel k, thread 0 of block 0 at a.cu:3:5") {
		t.Errorf("under way: %q", list)
	}
}
