package simt

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// divided are statements of blocks that access memory of their own, most of the time: %rd0 is of x and %rd1 of y, which
// is unwritten, where the block has 2 KiB of each; %rd2 of shared memory, %rd3 of z, from its start in each block, and %rd4 of counters.
var divided = strings.Split(`ld.global.u32 R, [%rd0]
ld.global.b32 R, [%rd0+N]
ld.global.v2.u8 {R, R}, [%rd0]
ld.u8 R, [%rd0+3]
st.global.u32 [%rd0], R
st.u32 [%rd0+N], R
st.global.b32 [%rd1], R
st.global.u8 [%rd1+3], R
@P st.global.v2.u16 [%rd0], {R, R}
ld.global.u32 R, [%rd3]
ld.global.u32 R, [%rd3+N]
ld.global.u32 R, [%rd3]
ld.shared.u32 R, [%rd2]
st.shared.u32 [%rd2], R
@P st.shared.u32 [%rd2+N], R
atom.shared.add.u32 R, [%rd2], R
red.global.add.u32 [%rd4], R
red.global.add.u32 [%rd4+N], R
red.add.u32 [%rd4+N], 1
mad.lo.u32 R, R, R, R
mov.u32 R, R
@P mov.u32 R, N
shfl.sync.idx.b32 R, R, R, 31, -1
setp.gt.s32 P, R, N
shfl.sync.up.b32 R|P, R, N, 0, -1
vote.sync.ballot.b32 R, P, -1
bar.sync 0
bar.warp.sync -1
membar.gl
@P exit
@P bra L
add.u32 R, R, N
mov.u32 R, %ctaid.x`, "\n")

// orderly are statements that few kernels have: with them blocks conflict, or have faults.
var orderly = strings.Split(`st.global.u32 [%rd3], R
ld.global.u32 R, [%rd0+2048]
red.global.max.u32 [%rd4], R
ld.global.u32 R, [%rd4]
atom.add.u32 R, [%rd4], R
atom.global.add.u32 R, [%rd4], R
ld.volatile.u32 R, [%rd3]
ld.global.u32 R, [%rd1]
st.global.u32 [%rd0+65536], R
ld.global.u32 R, [%rd0+2]`, "\n")

// dividing makes a kernel of random statements for blocks of 256 threads.
func dividing(rng *rand.Rand) string {
	var b strings.Builder
	n := 5 + rng.IntN(25)
	odd := -1
	if rng.IntN(3) == 0 {
		odd = rng.IntN(n)
	}
	for i := range n {
		list := divided
		if i == odd {
			list = orderly
		}
		fmt.Fprintf(&b, "$L%d: ", i)
		for _, c := range list[rng.IntN(len(list))] {
			switch c {
			case 'R':
				fmt.Fprintf(&b, "%%r%d", rng.IntN(6))
			case 'P':
				fmt.Fprintf(&b, "%%p%d", rng.IntN(2))
			case 'L':
				fmt.Fprintf(&b, "$L%d", min(n-1, i+1+rng.IntN(5)))
			case 'N':
				fmt.Fprint(&b, []int{0, 0, 4, 4, 8, 16}[rng.IntN(6)])
			default:
				b.WriteRune(c)
			}
		}
		b.WriteString(";\n")
	}
	setup := "shr.u32 %r7, %r0, 1;" // two threads for each element
	if rng.IntN(3) > 0 {
		setup = "mov.u32 %r7, %r0; mov.u32 %r1, 1; mov.u32 %r2, 2; mov.u32 %r3, 3; mov.u32 %r4, 4; mov.u32 %r5, 5; setp.ne.u32 %p1, %r0, 9;"
	}
	return head + `.entry k(.param .u64 x, .param .u64 y, .param .u64 z, .param .u64 c) { .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<2>; .shared .align 8 .b8 s[2048];
mov.u32 %r0, %tid.x; mov.u32 %r6, %ctaid.x; ` + setup + `
mul.wide.u32 %rd5, %r7, 4; mul.wide.u32 %rd6, %r6, 2048; add.u64 %rd7, %rd5, %rd6;
ld.param.u64 %rd0, [x]; add.u64 %rd0, %rd0, %rd7; ld.param.u64 %rd1, [y]; add.u64 %rd1, %rd1, %rd7;
mul.wide.u32 %rd5, %r0, 4; mov.u64 %rd2, s; add.u64 %rd2, %rd2, %rd5; ld.param.u64 %rd3, [z]; add.u64 %rd3, %rd3, %rd5; ld.param.u64 %rd4, [c];
setp.lt.u32 %p0, %r0, 8; @%p0 mov.u32 %r1, 3;
` + b.String() + "ret; }"
}

// A shown is all that a run of launches shows.
type shown struct {
	Errors, Reports, Counts []string
	Memory                  [][]int32
	undone                  bool // the kernel is not executed in groups any more
	conflicted              bool // a launch was undone
	tries                   uint32
}

// run2 launches a kernel twice; each changes the module before.
func run2(t *testing.T, text string, o Options, change func(k *kernel)) (s shown) {
	t.Helper()
	r := newRigText(t, o, text)
	k := r.mod.(*module).kernels["k"]
	if change != nil {
		change(k)
	}
	x := r.buffer("x", values(512*testBlocks, func(i int) int32 { return int32(i) * 77 }))
	y, err := r.d.Alloc("y", 2048*testBlocks)
	if err != nil {
		t.Fatal(err)
	}
	r.d.Unwritten(y)
	z, c := r.buffer("z", values(512, func(i int) int32 { return int32(i % 7) })), r.buffer("c", make([]int32, 8))
	for range 2 {
		s.Errors = append(s.Errors, fmt.Sprint(r.run("k", testBlocks, 256, x, y, z, c)))
	}
	for _, rep := range r.d.Reports() {
		s.Reports = append(s.Reports, fmt.Sprintf("%+v", rep))
	}
	s.Counts = []string{fmt.Sprintf("%+v", r.d.Counters()), fmt.Sprint(r.d.Traffic()), fmt.Sprint(r.d.clock)}
	s.Memory = [][]int32{r.read(x, 512*testBlocks), r.read(y, 512*testBlocks), r.read(z, 512), r.read(c, 8)}
	s.undone, s.conflicted, s.tries = k.parallel.undone >= mostUndone, k.parallel.undone > 0, r.d.sys.tries
	return s
}

func (s *shown) diff(o *shown) string {
	return cmp.Diff(s, o, cmp.Comparer(func(a, b shown) bool {
		return slices.Equal(a.Errors, b.Errors) && slices.Equal(a.Reports, b.Reports) && slices.Equal(a.Counts, b.Counts) &&
			slices.EqualFunc(a.Memory, b.Memory, slices.Equal) && a.undone == b.undone
	}))
}

// TestWorkers: results, reports and counts do not depend on the number of workers. What was undone is as executed by turns; so is
// the memory that a launch without reports leaves.
func TestWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	kernels := uint64(100)
	if testing.Short() {
		kernels = 12
	}
	count := map[string]int{}
	for i := range kernels {
		text := dividing(rng)
		o := Checked()
		o.MaxInstructions = 12000 // some kernels are endless
		o.Seed, o.Schedule, o.Workers = i%3, Schedule(i%4%3), 1
		if i%5 == 4 {
			o.CheckRaces, o.CheckUninitialised = false, false
		}
		one := run2(t, text, o, nil)
		for _, n := range []int{2, 7} {
			if one.conflicted && conflictsRace {
				break // data races, by design
			}
			o.Workers = n
			if more := run2(t, text, o, nil); one.diff(&more) != "" {
				t.Fatalf("kernel %d, 1 worker (-) and %d (+):\n%s\n%s", i, n, one.diff(&more), text)
			}
		}
		serial := run2(t, text, o, func(k *kernel) { k.ordered = true })
		if serial.tries != 0 {
			t.Fatal("a kernel that depends on the order of blocks is tried in groups")
		}
		switch {
		case one.undone:
			serial.undone = true
			if d := serial.diff(&one); d != "" {
				t.Fatalf("kernel %d, by turns (-) and undone (+):\n%s\n%s", i, d, text)
			}
		case len(serial.Reports) == 0 || !o.CheckRaces:
			if !o.CheckRaces {
				break
			}
			if d := serial.diff(&one); d != "" {
				t.Fatalf("kernel %d, by turns (-) and in groups (+):\n%s\n%s", i, d, text)
			}
			count["clean"]++
		}
		switch {
		case one.tries == 0:
			count["by turns"]++
		case one.undone:
			count["undone"]++
		case one.tries == 2:
			count["at once"]++
		default:
			count["with records"]++
		}
		if len(one.Reports) > 0 && !one.undone {
			count["reports"]++
		}
		if one.Errors[0] != "<nil>" {
			count["fault"]++
		}
	}
	t.Log(count)
	for _, what := range []string{"clean", "by turns", "undone", "at once", "with records", "reports", "fault"} {
		if count[what] == 0 && !testing.Short() {
			t.Errorf("%d kernels: %s", count[what], what)
		}
	}
}
