package simt

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// BenchmarkRun measures lane instructions a second: an arithmetic loop and two
// of loads and stores, in rows and at random, with checks off and on. best is that of the fastest launch, which
// says more where other processes share the machine.
func BenchmarkRun(b *testing.B) {
	const accesses = `mad.lo.u32 %r4, %r3, 40503, %r1; and.b32 %r4, %r4, 65535; mul.wide.u32 %rd2, %r4, 4; add.u64 %rd3, %rd1, %rd2; ld.global.u32 %r3, [%rd3]; st.global.u32 [%rd4], %r3;`
	random := make([]int32, 65536+256)
	for i := range random {
		random[i] = int32(rand.N(65536))
	}
	for _, c := range []struct {
		name, body string
		data       []int32
	}{
		{"arith", `add.u32 %r3, %r3, %r2; mul.lo.u32 %r4, %r3, 77; xor.b32 %r3, %r4, %r3; shr.u32 %r4, %r3, 5; add.u32 %r3, %r3, %r4;`, nil},
		{"memory", accesses, make([]int32, 65536+256)}, // loads from %r1 on: all elements are 0
		{"random", accesses, random},
	} {
		text := head + `.entry k(.param .u64 p) { .reg .b32 %r<6>; .reg .b64 %rd<5>; .reg .pred %p<2>;
mov.u32 %r1, %tid.x; mov.u32 %r3, %r1; ld.param.u64 %rd1, [p]; mov.u32 %r2, 0; mul.wide.u32 %rd4, %r1, 4; add.u64 %rd4, %rd4, %rd1; add.u64 %rd4, %rd4, 262144;
$loop: ` + c.body + `add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 200; @%p1 bra $loop; ret; }`
		for _, o := range []struct {
			name string
			opts Options
		}{{"plain", Options{}}, {"checked", Checked()}} {
			b.Run(c.name+"/"+o.name, func(b *testing.B) {
				r := newRigText(b, o.opts, text)
				p := r.buffer("x", c.data)
				best := time.Duration(math.MaxInt64)
				for b.Loop() {
					began := time.Now()
					r.ok("k", 4, 256, p)
					best = min(best, time.Since(began))
				}
				n := float64(r.d.Counters().Instructions) * 32 / 1e6
				b.ReportMetric(n/b.Elapsed().Seconds(), "Mlane/s")
				b.ReportMetric(n/float64(b.N)/best.Seconds(), "best-Mlane/s")
			})
		}
	}
}
