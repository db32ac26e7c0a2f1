package simt

import (
	"strings"
	"testing"

	"irgl/internal/device"
)

// lastText is a kernel of which each thread writes its own element and then counts; the
// last one to count reads what all have written, and writes their sum. Threads that
// are last at the word behind the count race: all of them write it.
const lastText = head + `.entry k(.param .u64 data, .param .u64 count, .param .u32 n, .param .u32 fenced, .param .u32 racy) {
.reg .b64 %rd<5>; .reg .b32 %r<12>; .reg .pred %p<5>;
ld.param.u64 %rd1, [data]; ld.param.u64 %rd2, [count]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [fenced]; ld.param.u32 %r3, [racy];
mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ntid.x; mov.u32 %r6, %tid.x; mad.lo.u32 %r4, %r4, %r5, %r6;
mul.wide.u32 %rd3, %r4, 4; add.u64 %rd3, %rd3, %rd1; st.global.u32 [%rd3], 1;
fence.acq_rel.gpu;
atom.global.add.u32 %r7, [%rd2], 1;
setp.eq.u32 %p1, %r3, 0; @%p1 bra QUIET; st.global.u32 [%rd2+4], %r4;
QUIET: sub.u32 %r8, %r1, 1; setp.ne.u32 %p2, %r7, %r8; @%p2 bra DONE;
setp.eq.u32 %p3, %r2, 0; @%p3 bra READ; fence.acq_rel.gpu;
READ: mov.u32 %r9, 0; mov.u32 %r10, 0;
L: mul.wide.u32 %rd3, %r9, 4; add.u64 %rd3, %rd3, %rd1; ld.global.u32 %r11, [%rd3]; add.u32 %r10, %r10, %r11;
add.u32 %r9, %r9, 1; setp.lt.u32 %p4, %r9, %r1; @%p4 bra L;
st.global.u32 [%rd2+8], %r10;
DONE: ret; }`

// TestManyRelease: that thousands of threads release without a barrier between them,
// each for itself, leaves races found and orders known.
func TestManyRelease(t *testing.T) {
	const blocks, tpb = 64, 256
	for _, c := range []struct {
		name         string
		fenced, racy uint32
		reports      int
	}{
		{"acquired", 1, 0, 0},
		{"not acquired", 0, 0, 1},
		{"another race", 1, 1, 1},
	} {
		for seed := range uint64(2) {
			o := Checked()
			o.Seed = seed
			r := newRigText(t, o, lastText)
			data, count := r.buffer("data", make([]int32, blocks*tpb)), r.buffer("count", make([]int32, 3))
			r.ok("k", blocks, tpb, data, count, uint32(blocks*tpb), c.fenced, c.racy)
			if got := r.read(count, 3); got[0] != blocks*tpb || got[2] != blocks*tpb {
				t.Fatalf("%s: the count is %d, and the last thread has read %d", c.name, got[0], got[2])
			}
			if got := r.find("race"); len(got) != c.reports {
				t.Errorf("%s, seed %d: %d races, want %d: %v", c.name, seed, len(got), c.reports, got)
			}
		}
	}
}

// lateText is a kernel that polls a flag without acquiring, and then writes.
const lateText = `
.entry late(.param .u64 flag, .param .u64 out) { .reg .b64 %rd<3>; .reg .b32 %r<2>; .reg .pred %p<2>;
	ld.param.u64 %rd1, [flag]; ld.param.u64 %rd2, [out];
L:	ld.relaxed.sys.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;
	st.global.u32 [%rd2], 9; ret; }
`

// TestLongEpoch: while one launch polls, thousands of others come and go in another
// stream, in one epoch. A race behind them is found, and what cannot race any more is
// taken out of the epoch.
func TestLongEpoch(t *testing.T) {
	const launches = 3 * sweepFrom
	r := &streamRig{newRigText(t, Checked(), streamText+lateText), map[string]device.Stream{}}
	flag, data, out, p := r.buffer("flag", []int32{0, 0}), r.buffer("data", []int32{0}), r.buffer("out", []int32{0}), r.buffer("p", []int32{0})
	r.sync()
	kept := func() int { return len(r.d.sys.races.launches) }
	count := func() {
		for range launches {
			r.launch("b", "count", 1, p)
			r.must(r.stream("b").Sync(t.Context()))
		}
	}
	count()
	if n := kept(); n != 1 {
		t.Errorf("%d launches are kept, and all but the last have come before whatever follows", n)
	}
	r.launch("a", "await", 1, flag, data, out)
	count()
	if n := kept(); n < launches {
		t.Errorf("%d launches are kept, want the %d that overlap another one", n, launches)
	}
	r.launch("c", "late", 1, flag+4, out) // after those: the host knows of them
	r.launch("b", "raise", 1, flag, p, uint32(1))
	r.must(r.stream("a").Sync(t.Context()))
	r.clean()
	count()
	if n := kept(); n >= 2*launches {
		t.Errorf("%d launches are kept, want no more than overlap the one that polls", n)
	}
	r.launch("d", "set", 1, data, uint32(2), uint32(0))
	r.launch("b", "set", 1, data, uint32(3), uint32(0))
	r.launch("b", "raise", 1, flag+4, p, uint32(1))
	r.sync()
	races := r.find("race")
	if len(races) != 2 {
		t.Fatalf("%d races, want 2: %v", len(races), races)
	}
	// c has come after all launches of b before it, but not after the one in a.
	for i, want := range [][2]string{{"stream b writes", "stream d writes"}, {"stream a writes", "stream c writes"}} {
		if !strings.Contains(races[i].Message, want[0]) || !strings.Contains(races[i].Message, want[1]) {
			t.Errorf("race %d is %v, want one of %v", i, races[i], want)
		}
	}
}

// warpText has lane 1 of block 0 write and lane 0 raise a flag, behind a fence, and lane 0 of block 1 wait for that and
// fence, and lane 1 read. Between the lanes is a bar.warp.sync, if sync is not 0.
const warpText = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 data, .param .u64 out, .param .u32 sync) { .reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .pred %p<6>;
ld.param.u64 %rd1, [data]; ld.param.u64 %rd2, [out]; ld.param.u32 %r1, [sync]; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %tid.x;
setp.ne.u32 %p1, %r2, 0; @%p1 bra READER; setp.ne.u32 %p2, %r3, 1; @%p2 bra BEHIND; st.global.u32 [%rd1], 7;
BEHIND: shfl.sync.idx.b32 %r6, %r3, 0, 31, -1; setp.eq.u32 %p5, %r1, 0; @%p5 bra RAISE; bar.warp.sync -1;
RAISE: setp.ne.u32 %p2, %r3, 0; @%p2 bra DONE; fence.acq_rel.gpu; atom.global.exch.b32 %r4, [%rd1+4], 1; bra DONE;
READER: setp.ne.u32 %p3, %r3, 0; @%p3 bra MEET;
L: atom.global.or.b32 %r4, [%rd1+4], 0; setp.eq.u32 %p4, %r4, 0; @%p4 bra L; fence.acq_rel.gpu;
MEET: mov.u32 %r6, 0; shfl.sync.idx.b32 %r6, %r3, 0, 31, -1; setp.eq.u32 %p5, %r1, 0; @%p5 bra GO; bar.warp.sync -1;
GO: setp.ne.u32 %p2, %r3, 1; @%p2 bra DONE; ld.global.u32 %r5, [%rd1]; st.global.u32 [%rd2], %r5;
DONE: ret; }`

// TestWarpCarries: what one lane has done and acquired, bar.warp.sync carries to the others, and a shuffle does not.
func TestWarpCarries(t *testing.T) {
	for sync, want := range []int{1, 0} {
		r := newRigText(t, Checked(), warpText)
		data, out := r.buffer("data", make([]int32, 2)), r.buffer("out", make([]int32, 1))
		r.ok("k", 2, 32, data, out, uint32(sync))
		if got := r.find("race"); len(got) != want || r.read(out, 1)[0] != 7 {
			t.Errorf("sync %d: %d races, want %d: %v", sync, len(got), want, got)
		}
	}
}
