package simt

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"irgl/internal/device"
)

// laneByLane has a module execute everything lane by lane, with every check.
func laneByLane(m *module) {
	for _, k := range m.kernels {
		for _, fn := range k.funcs {
			for i := range fn.code {
				in := &fn.code[i]
				in.checks, in.marks, in.known, in.sound, in.straight = in.reads, in.writes, false, false, 0
				if in.src == nil || in.run == nil {
					continue
				}
				switch op := in.src.Op; {
				case in.ctl == ctlMemory && strings.HasPrefix(op, "ld"):
					in.run = runLoadEach
				case in.ctl == ctlMemory && op == "st":
					in.run = runStoreEach
				case in.k2 != nil:
					in.run = runBinary
				case in.k3 != nil:
					in.run = runTernary
				}
			}
		}
	}
}

// outcome is all that a run shows: reports, the error, what was counted and what is in memory.
func outcome(t *testing.T, text string, seed uint64, each bool) []string {
	o := Checked()
	o.Seed, o.Schedule = seed, Schedule(seed%3)
	o.MaxInstructions, o.SpinLimit, o.Memory, o.Multiprocessors = 20000, 5000, 1<<20, 1
	r := newRigText(t, o, text)
	m := r.mod.(*module)
	if each {
		laneByLane(m)
	}
	x := r.buffer("x", make([]int32, 256))
	y, err := r.d.Alloc("y", 1024)
	if err != nil {
		t.Fatal(err)
	}
	r.d.Unwritten(y)
	var out []string
	for range 2 {
		out = append(out, fmt.Sprint(r.run("k", 3, 40, x, y)))
	}
	for _, rep := range r.d.Reports() {
		out = append(out, fmt.Sprintf("%+v", rep))
	}
	return append(out, fmt.Sprintf("%+v", r.d.Counters()), fmt.Sprint(r.d.Traffic()), fmt.Sprint(r.read(x, 256), r.read(y, 256)))
}

// accesses are statements on valid addresses, most of the time: %rd0 is of x, %rd1 of y, which is unwritten,
// %rd2 of shared memory, %rd3 of local memory, all plus four times the number of the thread.
var accesses = strings.Split(`ld.global.u32 R, [%rd0]
ld.global.b32 R, [%rd0+N]
ld.global.v2.u32 {R, R}, [%rd0]
ld.global.u8 R, [%rd1+N]
ld.global.s16 R, [%rd0+2]
ld.b32 R, [%rd1]
st.global.u32 [%rd0], R
st.global.b32 [%rd1], R
st.global.u8 [%rd1+N], R
st.global.v2.b32 [%rd0], {R, R}
@P st.global.u32 [%rd1+4], R
ld.shared.u32 R, [%rd2]
@P ld.shared.b32 R, [%rd2+8]
st.shared.u32 [%rd2], R
st.shared.b32 [%rd2+N], R
ld.local.u32 R, [%rd3]
ld.local.b32 R, [loc+8]
st.local.u32 [%rd3], R
@P st.local.b32 [loc+4], R
st.local.u16 [%rd3+2], R
atom.global.add.u32 R, [%rd0], R
atom.shared.or.b32 R, [%rd2], R
xor.b64 %rd0, %rd0, N
add.u64 %rd2, %rd2, N
mad.lo.u32 R, R, R, R
mov.u32 R, R
@P mov.u32 R, N
mov.b64 %rd4, {R, R}
mov.b64 {R, R}, %rd4
shfl.sync.bfly.b32 R, R, N, 31, -1
setp.gt.s32 P, R, N
setp.leu.f32 P, R, R
fma.rn.f32 R, R, R, R
bar.sync 0
bar.warp.sync -1
membar.gl
@P bra L
add.u32 R, R, N
mov.u32 R, %laneid`, "\n")

// accessing makes a kernel of random accesses.
func accessing(rng *rand.Rand) string {
	var b strings.Builder
	n := 5 + rng.IntN(30)
	for i := range n {
		fmt.Fprintf(&b, "$L%d: ", i)
		for _, c := range accesses[rng.IntN(len(accesses))] {
			switch c {
			case 'R':
				fmt.Fprintf(&b, "%%r%d", rng.IntN(6))
			case 'P':
				fmt.Fprintf(&b, "%%p%d", rng.IntN(2))
			case 'L':
				fmt.Fprintf(&b, "$L%d", min(n-1, i+1+rng.IntN(5)))
			case 'N':
				fmt.Fprint(&b, []int{0, 4, 4, 8, 16, 1, 6}[rng.IntN(7)])
			default:
				b.WriteRune(c)
			}
		}
		b.WriteString(";\n")
	}
	return head + `.entry k(.param .u64 x, .param .u64 y) { .reg .b32 %r<6>; .reg .b64 %rd<6>; .reg .pred %p<2>; .shared .align 8 .b8 s[168]; .local .align 8 .b8 loc[168];
mov.u32 %r0, %tid.x; mul.wide.u32 %rd5, %r0, 4; ld.param.u64 %rd0, [x]; add.u64 %rd0, %rd0, %rd5; ld.param.u64 %rd1, [y]; add.u64 %rd1, %rd1, %rd5;
mov.u64 %rd2, s; add.u64 %rd2, %rd2, %rd5; mov.u64 %rd3, loc; add.u64 %rd3, %rd3, %rd5;
setp.lt.u32 %p0, %r0, 8; @%p0 mov.u32 %r1, 3;
` + b.String() + "ret; }"
}

// TestTogether compares the execution of all lanes at once with that lane by lane: reports and all else are
// the same, and many kernels have some, of every kind.
func TestTogether(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	kinds := map[string]int{}
	kernels := uint64(300)
	if testing.Short() {
		kernels = 60
	}
	for i := range kernels {
		text := accessing(rng)
		want, got := outcome(t, text, i%5, true), outcome(t, text, i%5, false)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("seed %d, lane by lane (-) and together (+):\n%s\n%s", i%5, d, text)
		}
		for _, s := range got {
			for _, kind := range []string{device.Race, device.Uninitialised, device.OutOfBounds, device.Misaligned, "<nil>"} {
				if strings.Contains(s, kind) {
					kinds[kind]++
				}
			}
		}
	}
	t.Log(kinds)
	if len(kinds) < 5 {
		t.Errorf("reports of the kinds %v alone", kinds)
	}
}
