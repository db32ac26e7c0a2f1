package simt

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"irgl/internal/device"
)

const clusterHead = ".version 8.0\n.target sm_90\n.address_size 64\n"

// neighbours is a kernel each of whose threads writes a cell, meets its cluster in
// two halves, and adds to another array the cell of the same thread of the next
// block of the cluster; what stands for the halves is given.
func neighbours(arrive, wait string) string {
	return clusterHead + `.visible .entry k(.param .u64 a, .param .u64 b) .explicitcluster .reqnctapercluster 4, 1, 1 {
.reg .b32 %r<12>; .reg .b64 %rd<9>;
ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r1, %r2, %r3;
mul.wide.u32 %rd3, %r4, 4; add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3;
st.global.u32 [%rd4], %r4;
` + arrive + "\n" + wait + `
mov.u32 %r5, %cluster_ctarank; add.u32 %r6, %r5, 1; and.b32 %r6, %r6, 3; sub.u32 %r6, %r6, %r5;
mad.lo.u32 %r7, %r6, %r2, %r4; mul.wide.u32 %rd6, %r7, 4; add.u64 %rd7, %rd1, %rd6;
ld.global.u32 %r8, [%rd7]; st.global.u32 [%rd5], %r8; ret; }`
}

// TestClusterBarrier checks that a barrier of a cluster orders what its threads
// write and read, that it does so only for arrivals that release and threads that
// wait, and that blocks of other clusters are none of it.
func TestClusterBarrier(t *testing.T) {
	const blocks, threads = 12, 40
	for _, c := range []struct {
		name, arrive, wait string
		races              bool
	}{
		{"both", "barrier.cluster.arrive;", "barrier.cluster.wait;", false},
		{"words", "barrier.cluster.arrive.release.aligned;", "barrier.cluster.wait.acquire.aligned;", false},
		{"relaxed", "barrier.cluster.arrive.relaxed;", "barrier.cluster.wait;", true},
		{"fence", "fence.acq_rel.cluster; barrier.cluster.arrive.relaxed;", "barrier.cluster.wait;", false},
		{"arrive", "barrier.cluster.arrive;", "", true},
		{"block", "bar.sync 0;", "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			raced := 0
			schedules(t, func(t *testing.T, o Options) {
				r := newRigText(t, o, neighbours(c.arrive, c.wait))
				a, b := r.buffer("a", make([]int32, blocks*threads)), r.buffer("b", make([]int32, blocks*threads))
				r.ok("k", blocks, threads, a, b)
				raced += len(r.find("race"))
				if c.races {
					return
				}
				r.clean()
				equal(t, "b", r.read(b, blocks*threads), values(blocks*threads, func(i int) int32 {
					block := i / threads
					return int32((block/4*4+(block+1)%4)*threads + i%threads)
				}))
				if n := r.d.Counters().Barriers; n != blocks {
					t.Errorf("%d barriers, want one of each block", n)
				}
			})
			if c.races != (raced > 0) {
				t.Errorf("%d races", raced)
			}
		})
	}
}

// TestClusterOfGrid checks that what one cluster has passed on within itself
// reaches another by what one of its threads releases to the whole device.
func TestClusterOfGrid(t *testing.T) {
	const text = clusterHead + `.visible .entry k(.param .u64 a, .param .u64 flag) .explicitcluster .reqnctapercluster 2, 1, 1 {
.reg .b32 %r<9>; .reg .b64 %rd<6>; .reg .pred %p<4>;
ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [flag];
mov.u32 %r1, %clusterid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra $other;
mov.u32 %r2, %cluster_ctarank; mul.wide.u32 %rd3, %r2, 4; add.u64 %rd4, %rd1, %rd3; add.u32 %r3, %r2, 7; st.global.u32 [%rd4], %r3;
barrier.cluster.arrive; barrier.cluster.wait;
setp.ne.u32 %p2, %r2, 0; @%p2 bra $end;
FENCE st.relaxed.gpu.global.u32 [%rd2], 1; bra $end;
$other: ld.acquire.gpu.global.u32 %r4, [%rd2]; setp.eq.u32 %p3, %r4, 0; @%p3 bra $other;
ld.global.u32 %r5, [%rd1]; ld.global.u32 %r6, [%rd1+4];
$end: ret; }`
	for fence, want := range map[string]int{"fence.acq_rel.gpu;": 0, "": 1} {
		r := newRigText(t, Checked(), strings.ReplaceAll(text, "FENCE", fence))
		r.ok("k", 4, 1, r.buffer("a", make([]int32, 2)), r.buffer("flag", make([]int32, 1)))
		if got := len(r.find("race")); got != want {
			t.Errorf("%q: %d races, want %d: %v", fence, got, want, r.d.Reports())
		}
	}
}

// TestClusterFaults checks what is no barrier, and what is not launched.
func TestClusterFaults(t *testing.T) {
	kernel := func(body string) string {
		return clusterHead + ".visible .entry k(.param .u64 a) .explicitcluster .reqnctapercluster 2, 2, 1 {\n.reg .b32 %r<9>; .reg .b64 %rd<3>; .reg .pred %p<4>;\n" +
			"ld.param.u64 %rd1, [a]; mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p1, %r1, 0;\n" + body + " ret; }"
	}
	launch := func(body string, grid device.Dim3, cooperative bool) error {
		o := Checked()
		o.SpinLimit = 1e4
		r := newRigText(t, o, kernel(body))
		k, err := r.mod.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		l := device.Launch{Grid: grid, Block: device.Dim3{X: 33}, Params: make([]byte, 8), Cooperative: cooperative}
		a := r.buffer("a", make([]int32, 1))
		for i := range 8 {
			l.Params[i] = byte(a >> (8 * i))
		}
		return errors.Join(r.d.Launch(k, l), r.d.Sync(t.Context()))
	}
	square := device.Dim3{X: 2, Y: 2}
	for _, c := range []struct {
		body string
		grid device.Dim3
		want string
	}{
		{"barrier.cluster.arrive; barrier.cluster.arrive;", square, "arrives at the cluster's barrier again"},
		{"barrier.cluster.wait;", square, "waits at the cluster's barrier and has not arrived"},
		{"mov.u32 %r3, %tid.x; setp.eq.u32 %p3, %r3, 0; @%p3 barrier.cluster.arrive.aligned;", square, "its other lanes"},
		// The first block waits in vain: the others want to hear from it first.
		{"@%p1 bra $in; $poll: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra $poll; $in: barrier.cluster.arrive; barrier.cluster.wait; st.volatile.global.u32 [%rd1], 1;", square, "deadlock"},
		// Or at a barrier that is only theirs.
		{"mov.u32 %r3, %tid.x; setp.eq.u32 %p3, %r3, 0; @%p3 bra $in; @!%p1 barrier.sync 1; $in: barrier.cluster.arrive; barrier.cluster.wait;", square, "deadlock"},
		{"@!%p1 exit; barrier.cluster.arrive; barrier.cluster.wait;", square, ""}, // who has ended is not waited for
		{"", device.Dim3{X: 2, Y: 3}, "it is no multiple of the kernel's cluster of 2x2x1"},
	} {
		err := launch(c.body, c.grid, false)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.body, err, c.want)
		}
	}
	// 4 multiprocessors of 32 blocks hold 32 clusters.
	if err := launch("barrier.cluster.arrive; barrier.cluster.wait;", device.Dim3{X: 2, Y: 64}, true); err != nil {
		t.Error(err)
	}
	if err := launch("", device.Dim3{X: 2, Y: 66}, true); err == nil || !strings.Contains(err.Error(), "132 blocks, 128 can be resident") {
		t.Error(err)
	}
	if _, err := Open(Options{}).Load("large", strings.Replace(kernel(""), "2, 2, 1", "3, 2, 3", 1)); err == nil || !strings.Contains(err.Error(), "it can have 16") {
		t.Error(err)
	}
}

// TestClusterPlaces checks the special registers in a grid of three dimensions.
func TestClusterPlaces(t *testing.T) {
	names := specialNames[specialIndex("%cluster_ctarank"):specialIndex("%lanemask_eq")]
	var b strings.Builder
	b.WriteString(clusterHead + `.visible .entry k(.param .u64 a) .explicitcluster .reqnctapercluster 2, 1, 2 {
.reg .b32 %r<9>; .reg .b64 %rd<4>;
ld.param.u64 %rd1, [a]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z;
mad.lo.u32 %r4, %r3, 3, %r2; mad.lo.u32 %r4, %r4, 4, %r1; mul.wide.u32 %rd2, %r4, 56; add.u64 %rd3, %rd1, %rd2;
`)
	for i, name := range names {
		b.WriteString("mov.u32 %r5, " + name + "; st.global.u32 [%rd3+" + strconv.Itoa(4*i) + "], %r5;\n")
	}
	b.WriteString("ret; }")
	grid := device.Dim3{X: 4, Y: 3, Z: 2}
	schedules(t, func(t *testing.T, o Options) {
		r := newRigText(t, o, b.String())
		out := r.buffer("a", make([]int32, 24*14))
		k, err := r.mod.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		l := device.Launch{Grid: grid, Params: make([]byte, 8)}
		for i := range 8 {
			l.Params[i] = byte(out >> (8 * i))
		}
		if err := errors.Join(r.d.Launch(k, l), r.d.Sync(t.Context())); err != nil {
			t.Fatal(err)
		}
		equal(t, "registers", r.read(out, 24*14), values(24*14, func(i int) int32 {
			x, y, z := i/14%4, i/14/4%3, i/14/12
			return int32([]int{x%2 + 2*z, 4, x % 2, 0, z, 2, 1, 2, x / 2, y, 0, 2, 3, 1}[i%14])
		}))
	})
}
