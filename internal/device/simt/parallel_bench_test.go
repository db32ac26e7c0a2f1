package simt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"
)

// BenchmarkBlocks is BenchmarkRun for launches of many blocks that do not depend on each other, by one worker and by as many as there are
// CPUs. Blocks store to places of their own; short is a kernel that executes little for each of its stores.
func BenchmarkBlocks(b *testing.B) {
	const blocks, threads = 64, 256
	const accesses = `mad.lo.u32 %r4, %r3, 40503, %r1; and.b32 %r4, %r4, 65535; mul.wide.u32 %rd2, %r4, 4; add.u64 %rd3, %rd1, %rd2; ld.global.u32 %r3, [%rd3]; st.global.u32 [%rd4], %r3;`
	random := make([]int32, 65536)
	for i := range random {
		random[i] = int32(rand.N(65536))
	}
	for _, c := range []struct {
		name, body string
		rounds     uint32
		data       []int32
	}{
		{"arith", `add.u32 %r3, %r3, %r2; mul.lo.u32 %r4, %r3, 77; xor.b32 %r3, %r4, %r3; shr.u32 %r4, %r3, 5; add.u32 %r3, %r3, %r4;`, 50, random},
		{"memory", accesses, 50, make([]int32, 65536)},
		{"random", accesses, 50, random},
		{"short", accesses, 4, random},
	} {
		text := head + `.entry k(.param .u64 p, .param .u64 q, .param .u32 n) { .reg .b32 %r<8>; .reg .b64 %rd<5>; .reg .pred %p<2>;
mov.u32 %r1, %tid.x; mov.u32 %r5, %ctaid.x; mad.lo.u32 %r6, %r5, 256, %r1; mov.u32 %r3, %r1; ld.param.u64 %rd1, [p]; ld.param.u64 %rd4, [q]; ld.param.u32 %r7, [n];
mov.u32 %r2, 0; mul.wide.u32 %rd2, %r6, 4; add.u64 %rd4, %rd4, %rd2;
$loop: ` + c.body + `add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r7; @%p1 bra $loop; st.global.u32 [%rd4], %r3; ret; }`
		for _, o := range []struct {
			name string
			opts Options
		}{{"plain", Options{}}, {"checked", Checked()}} {
			for _, n := range slices.Compact([]int{1, runtime.GOMAXPROCS(0)}) {
				o.opts.Workers = n
				b.Run(fmt.Sprintf("%s/%s/workers=%d", c.name, o.name, n), func(b *testing.B) {
					r := newRigText(b, o.opts, text)
					p, q := r.buffer("p", c.data), r.buffer("q", make([]int32, blocks*threads))
					best := time.Duration(math.MaxInt64)
					for b.Loop() {
						began := time.Now()
						r.ok("k", blocks, threads, p, q, c.rounds)
						best = min(best, time.Since(began))
					}
					n := float64(r.d.Counters().Instructions) * 32 / 1e6
					b.ReportMetric(n/b.Elapsed().Seconds(), "Mlane/s")
					b.ReportMetric(n/float64(b.N)/best.Seconds(), "best-Mlane/s")
				})
			}
		}
	}
}
