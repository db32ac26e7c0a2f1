package simt

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"irgl/internal/device"
	"irgl/internal/device/devicetest"
)

// runAll runs every kernel of a text under small limits: no panic, no hang.
func runAll(t *testing.T, text string, seed uint64) {
	o := Checked()
	o.Seed, o.Schedule = seed, Schedule(seed%3)
	o.MaxInstructions, o.SpinLimit, o.Memory, o.Multiprocessors = 20000, 5000, 1<<20, 1
	d := Open(o)
	mod, err := d.Load("fuzz.ptx", text)
	if err != nil {
		return
	}
	for _, k := range mod.(*module).kernels {
		if k.params > 1<<12 || k.fn.slots > 1<<10 {
			continue
		}
		l := device.Launch{Grid: device.Dim3{X: 3}, Block: device.Dim3{X: 40}, Params: make([]byte, k.params), Shared: 64}
		if d.Launch(k, l) == nil {
			_ = d.Sync(context.Background())
		}
	}
	if err := mod.Close(); err != nil {
		t.Fatal(err)
	}
}

// FuzzLoad loads arbitrary text and runs what is accepted.
func FuzzLoad(f *testing.F) {
	for _, text := range devicetest.Files() {
		f.Add(text, uint64(0))
	}
	f.Fuzz(runAll)
}

// templates are the statements of random kernels: R is a 32-bit register, X a
// 64-bit one, P a predicate, L a label, N a small number.
var templates = strings.Split(`add.u32 R, R, R
mov.u32 R, %tid.x
mov.u32 R, %laneid
mov.u32 R, N
shl.b32 R, R, N
setp.lt.u32 P, R, R
setp.eq.and.s32 P|P, R, N, !P
@P bra L
@!P bra L
bra L
@P add.s32 R, R, N
@P exit
ret
bar.sync N
bar.sync N, 64
bar.arrive N, 64
barrier.sync N
bar.red.popc.u32 R, N, P
@P bar.sync 0
bar.warp.sync -1
bar.warp.sync R
shfl.sync.up.b32 R|P, R, N, 0, -1
shfl.sync.idx.b32 R, R, R, 31, R
vote.sync.ballot.b32 R, P, -1
vote.sync.any.pred P, P, R
match.all.sync.b32 R|P, R, -1
match.any.sync.b32 R, R, R
redux.sync.max.u32 R, R, -1
activemask.b32 R
atom.global.add.u32 R, [v+4], R
atom.shared.cas.b32 R, [s], R, N
atom.global.exch.b32 R, [v], N
red.global.max.s32 [v+8], R
ld.volatile.global.u32 R, [v]
st.volatile.shared.u32 [s+4], R
ld.global.u32 R, [X]
st.u32 [X+4], R
mov.u64 X, v
mov.u64 X, s
cvta.shared.u64 X, X
mov.u64 X, g
mov.u64 X, loc
add.u64 X, X, N
st.local.u32 [loc], R
ld.local.v2.u32 {R, R}, [loc]
ld.local.u32 R, [X]
call (R), g, (R)
@P call (R), g, (R)
call (R), h, (R)
call (R), X, (R), proto
brx.idx R, tab
@P brx.idx R, tab
div.s32 R, R, R
mad.wide.u32 X, R, R, X
cvt.rn.f32.s32 R, R
membar.gl
nanosleep.u32 R
trap
fns.b32 R, R, R, R
bfe.s32 R, R, R, R
prmt.b32 R, R, R, R
add.cc.u32 R, R, R
subc.cc.u32 R, R, R
selp.b32 R, R, N, P
mov.b64 X, {R, R}
mov.b64 {R, _}, X
ld.param.u32 R, [p+4]
@P trap
cp.async.ca.shared.global [s], [v], 16
cp.async.ca.shared.global [s+N], [v+4], 4, R
@P cp.async.cg.shared.global [R], [X], 16
cp.async.commit_group
cp.async.wait_group N
cp.async.wait_all
cp.async.mbarrier.arrive.noinc.shared.b64 [s]
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [v], R, [s+N]
mbarrier.init.shared.b64 [s], N
mbarrier.arrive.shared.b64 X, [s]
mbarrier.arrive.expect_tx.shared.b64 X, [s], R
@P mbarrier.arrive_drop.b64 X, [X]
mbarrier.test_wait.parity.shared.b64 P, [s], N
ldmatrix.sync.aligned.m8n8.x1.b16 {R}, [X]
stmatrix.sync.aligned.m8n8.x1.b16 [s], {R}
movmatrix.sync.aligned.m8n8.trans.b16 R, R
wmma.load.a.sync.aligned.row.m8n8k4.f64 {X}, [X], R
elect.sync R|P, -1
vote.ballot.sync.b32 R, P, -1
tex.2d.v4.u32.s32 {R, R, R, R}, [X, {R, R}]
suld.b.1d.b32.zero {R}, [X, {R}]
txq.width.b32 R, [X]
mov.u32 R, %envreg1`, "\n")

// kernelFrom makes a kernel from bytes: each statement has a label, so that
// branches go anywhere.
func kernelFrom(data []byte) string {
	at := 0
	next := func(n int) int {
		if at >= len(data) {
			return 0
		}
		at++
		return int(data[at-1]) % n
	}
	var lines []string
	for at < len(data) && len(lines) < 60 {
		lines = append(lines, templates[next(len(templates))])
	}
	var b strings.Builder
	for i, l := range lines {
		fmt.Fprintf(&b, "$L%d: ", i)
		for _, c := range l {
			switch c {
			case 'R':
				fmt.Fprintf(&b, "%%r%d", next(6))
			case 'X':
				fmt.Fprintf(&b, "%%rd%d", next(4))
			case 'P':
				fmt.Fprintf(&b, "%%p%d", next(3))
			case 'L':
				fmt.Fprintf(&b, "$L%d", next(len(lines)))
			case 'N':
				fmt.Fprint(&b, next(17))
			default:
				b.WriteRune(c)
			}
		}
		b.WriteString(";\n")
	}
	return ".version 8.0\n.target sm_90\n.address_size 64\n" + `.global .u32 v[4];
.func (.param .b32 r) h(.param .b32 a);
.func (.param .b32 r) g(.param .b32 a) { .reg .b32 %r<3>; .reg .pred %p<2>; ld.param.b32 %r1, [a]; setp.gt.u32 %p0, %r1, 5; @%p0 bra $x;
and.b32 %r2, %r1, 3; call (%r2), h, (%r2); st.param.b32 [r], %r2; ret; $x: st.param.b32 [r], %r1; ret; }
.func (.param .b32 r) h(.param .b32 a) { .reg .b32 %r<3>; .reg .pred %p<2>; ld.param.b32 %r1, [a]; setp.eq.u32 %p0, %r1, 0; st.param.b32 [r], %r1; @%p0 ret;
sub.u32 %r1, %r1, 1; call (%r2), g, (%r1); st.param.b32 [r], %r2; ret; }
.entry k(.param .u64 p) { .reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .pred %p<3>; .shared .u32 s[4]; .local .u32 loc[4];
tab: .branchtargets $L0, $end; proto: .callprototype (.param .b32 _) _ (.param .b32 _);
` + b.String() + func() string {
		if len(lines) == 0 {
			return "$L0: "
		}
		return ""
	}() + "$end: ret; }"
}

// FuzzRun runs random kernels made of every kind of statement.
func FuzzRun(f *testing.F) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range uint64(300) {
		data := make([]byte, 20+rng.IntN(150))
		for j := range data {
			data[j] = byte(rng.Uint32())
		}
		f.Add(data, i%4)
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		text := kernelFrom(data)
		if _, err := Open(Options{Memory: 1 << 20}).Load("k.ptx", text); err != nil {
			t.Fatalf("a kernel made of templates is refused: %v", err)
		}
		runAll(t, text, seed)
	})
}
