package compile_test

import (
	"flag"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"irgl/internal/compile"
)

// shapes are kernels of about n operations in many forms: what is linear in one
// may not be in another.
var shapes = []struct {
	name string
	text func(n int) string
}{
	{"straight", func(n int) string {
		return kernel(repeated(n/5, func(i int) string { return fmt.Sprintf("\tx = x * %d + (y ^ x >> %d); y += x;\n", i%97, i%31) }))
	}},
	{"memory", func(n int) string {
		return kernel(repeated(n/8, func(i int) string { return fmt.Sprintf("\ta[t + %d] += b[t * %d + %d];\n", i, i%7, i%5) }))
	}},
	{"branches", func(n int) string {
		return kernel(repeated(n/8, func(i int) string { return fmt.Sprintf("\tif (x > %d) a[t] = y; else y += b[x & 63];\n\tx ^= y;\n", i) }))
	}},
	{"selects", func(n int) string {
		return kernel(repeated(n/5, func(i int) string { return fmt.Sprintf("\tif (x > %d) y = x - y;\n\tx ^= y + 1;\n", i) }))
	}},
	{"loops", func(n int) string {
		return kernel(repeated(n/25, func(i int) string {
			return fmt.Sprintf("\tfor (int i = 0; i < (y & %d); i++) { x += b[i + x]; a[i] = x; }\n", i|1)
		}))
	}},
	{"breaks", func(n int) string {
		return "__global__ void k(int *a, const int *b, int t) {\n\tint x = t, y = b[t];\n\tfor (;;) {\n" +
			repeated(n/6, func(i int) string { return fmt.Sprintf("\tx += y * %d; if (x == %d) break;\n", i%9, i) }) + "\t}\n\ta[t] = x;\n}\n"
	}},
	{"nests", func(n int) string {
		return kernel(repeated(n/60, func(i int) string {
			return fmt.Sprintf("\tfor (int i = 0; i < t; i++) for (int j = i; j < t; j++) for (int l = 0; l < x; l++) y += b[i * %d + j + l];\n", i)
		}))
	}},
	{"switch", func(n int) string {
		return kernel("\tswitch (x) {\n" + repeated(n/6, func(i int) string { return fmt.Sprintf("\tcase %d: y += x * %d; break;\n", i*3, i) }) + "\t}\n")
	}},
	{"calls", func(n int) string {
		return repeated(n/30, func(i int) string {
			return fmt.Sprintf("__device__ int f%d(int x, int y) { return x * %d + (y ^ x); }\n", i, i)
		}) + kernel(repeated(n/30, func(i int) string { return fmt.Sprintf("\tx = f%d(x, y) + f%d(y, x);\n", i, i/2) }))
	}},
	{"kernels", func(n int) string {
		return repeated(n/20, func(i int) string {
			return fmt.Sprintf("__global__ void k%d(int *a, int n) { int t = threadIdx.x; if (t < n) a[t] = a[t + %d] / 3; }\n", i, i)
		})
	}},
	{"divisions", func(n int) string {
		return kernel("\tlong u = x, v = y;\n" + repeated(n/20, func(i int) string { return fmt.Sprintf("\tu = u / (v | 1) + u %% %d; v ^= u;\n", i+2) }) + "\tx = (int)u;\n")
	}},
	{"chain", func(n int) string { // each load waits for the one before
		return kernel(repeated(n/4, func(i int) string { return fmt.Sprintf("\tx = b[x + %d];\n", i%3) }))
	}},
	{"elses", func(n int) string { // as deep as the parser lets it be, again and again
		return kernel(repeated(max(1, n/8/100), func(i int) string {
			return repeated(min(100, n/8), func(j int) string { return fmt.Sprintf("\tif (x == %d) y += x * %d; else\n", i*100+j, j) }) + "\ty ^= x;\n"
		}))
	}},
	{"gotos", func(n int) string { // one label that all jump to, and a phi there for each variable
		return kernel("\tint c = 0, d = 1, e = 2;\n" + repeated(n/12, func(i int) string {
			return fmt.Sprintf("\tc += x; d ^= c; e -= y; if (d == %d) goto out;\n", i)
		}) + "\tout:\n\tx = c + d + e;\n")
	}},
	{"phis", func(n int) string { // joins of sixteen variables
		vars := repeated(16, func(i int) string { return fmt.Sprintf("\tint p%d = x + %d;\n", i, i) })
		return kernel(vars + repeated(n/60, func(i int) string {
			return fmt.Sprintf("\tif (b[x] > %d) {", i) + repeated(16, func(k int) string { return fmt.Sprintf(" p%d += y;", k) }) + " a[x] = y; }\n\tx ^= p" + fmt.Sprint(i%16) + ";\n"
		}) + repeated(16, func(i int) string { return fmt.Sprintf("\tx += p%d;\n", i) }))
	}},
	{"alive", func(n int) string { // variables that live across as many branches of a loop
		return kernel("\tfor (int i = 0; i < t; i++) {\n" + repeated(n/30, func(i int) string { return fmt.Sprintf("\tint v%d = b[i + %d];\n", i, i) }) +
			repeated(n/30, func(i int) string { return fmt.Sprintf("\tif (b[x + i] > %d) a[x] = i;\n", i) }) +
			repeated(n/30, func(i int) string { return fmt.Sprintf("\tx ^= v%d;\n", i) }) + "\t}\n")
	}},
	{"deep", func(n int) string { // nests of twelve loops, or what there is room for
		d := min(12, n*12/150)
		return kernel(repeated(max(1, n/150), func(i int) string {
			return repeated(d, func(k int) string { return fmt.Sprintf("\tfor (int i%d = 0; i%d < t; i%d++)\n", k, k, k) }) + fmt.Sprintf("\t\ty += b[i%d * %d + i%d];\n", d/4, i, d-1)
		}))
	}},
	{"tables", func(n int) string {
		return "__device__ const int table[] = {" + repeated(n, func(i int) string { return fmt.Sprintf("%d, ", i*i%1000) }) + "};\n" + kernel("\tx = table[y];\n")
	}},
	{"expression", func(n int) string { // sums as long as the parser lets them be
		return kernel(repeated(max(1, n/1000), func(i int) string {
			return "\ty = x" + repeated(min(500, n/2), func(k int) string { return fmt.Sprintf(" + (x ^ %d)", k) }) + ";\n\tx ^= y;\n"
		}))
	}},
	{"locals", func(n int) string {
		return kernel("\tint l[64];\n" + repeated(n/8, func(i int) string { return fmt.Sprintf("\tl[%d] = x; x += l[y & 63];\n", i%64) }))
	}},
}

func repeated(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i))
	}
	return b.String()
}

func kernel(body string) string {
	return "__global__ void k(int *a, const int *b, int t) {\n\tint x = t, y = b[t];\n" + body + "\ta[t] = x + y;\n}\n"
}

var scale = flag.Int("scale", 30_000, "operations of the large programs of TestScale")

// TestScale compiles each shape small and large and compares what an operation
// costs: memory, and, where it can be asked for, processor time, which does not
// depend on what else the machine does but for its caches. A large program may
// take a few times as much, since those end, and more beside others; a pass whose
// work is the square of the program's takes thirty times as much.
func TestScale(t *testing.T) {
	const small, most, mostBytes = 1000, 6.0, 2.0
	if testing.Short() {
		t.Skip("it measures time")
	}
	large := *scale
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			text, long := s.text(small), s.text(large)
			cost(t, text) // the tables that are made once
			least, leastBytes := cost(t, text)
			for range 4 {
				seconds, bytes := cost(t, text)
				least, leastBytes = min(least, seconds), min(leastBytes, bytes)
			}
			// The best of up to five: others can only make a run slower, so that
			// one good run is enough.
			ratio, bytesRatio := math.Inf(1), math.Inf(1)
			for try := 0; try < 5 && (ratio > most || bytesRatio > mostBytes); try++ {
				seconds, bytes := cost(t, long)
				ratio = min(ratio, seconds/least*small/float64(large))
				bytesRatio = min(bytesRatio, bytes/leastBytes*small/float64(large))
			}
			if ratio > most || bytesRatio > mostBytes {
				t.Errorf("an operation of %d takes %.2f of the time and %.2f of the memory of one of %d; limits %v and %v", large, ratio, bytesRatio, small, most, mostBytes)
			}
			t.Logf("time %.2f, memory %.2f", ratio, bytesRatio)
		})
	}
}

// cost compiles a text and returns the processor time and the memory that it
// took; where the system does not say, the length of the text stands for the time.
func cost(t *testing.T, text string) (seconds, bytes float64) {
	t.Helper()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start, ok := processorTime()
	if _, err := compiled("k.cu", text, "", compile.Options{}); err != nil {
		t.Fatal(err)
	}
	end, _ := processorTime()
	runtime.ReadMemStats(&after)
	if !ok {
		start, end = 0, float64(len(text))
	}
	return end - start, float64(after.TotalAlloc - before.TotalAlloc)
}

// TestThroughputScale lowers kernels with few operations on worklists and counters,
// and with many, under the throughput optimisations that look for a place for each,
// and compares the memory that one takes.
func TestThroughputScale(t *testing.T) {
	if testing.Short() {
		t.Skip("package analysis counts the steps of smaller ones")
	}
	const small, large, most = 1000, 8000, 2.0
	irgl := func(body string) string {
		return "Graph graph { Node int a; }\nint total;\nKernel K(graph, int p) { ForAll (n In graph.nodes) {\n" + body + "} }\nHost main() { Pipe Initial [1] { Invoke K(graph, 3); } }\n"
	}
	same := func(line string) func(int) string { return func(int) string { return line } }
	for _, c := range []struct {
		name, switches string
		text           func(n int) string
	}{
		{"pushes", "coop=warp", func(n int) string { return irgl(repeated(n, same("if (n.a) { WL.push(n); }\n"))) }},
		{"counters", "coop=warp", func(n int) string { return irgl(repeated(n, same("if (n.a) atomicAdd(&total, 1);\n"))) }},
		{"inner", "coop=block batch=4", func(n int) string {
			return irgl("ForAll (e In n.edges) {\n" + repeated(n, same("if (e.dst.a) WL.push(e.dst);\n")) + "}\n")
		}},
	} {
		var o compile.Options
		for _, s := range strings.Fields(c.switches) {
			key, value, _ := strings.Cut(s, "=")
			if err := o.Lower.Set(key, value); err != nil {
				t.Fatal(err)
			}
		}
		bytes := func(n int) float64 {
			text := c.text(n)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err := compiled("k.irgl", text, "recheck", o); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			return float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
		}
		bytes(small) // the tables that are made once
		few, many := bytes(small), bytes(large)
		t.Logf("%s: %.0f bytes for one of %d, %.0f for one of %d", c.name, few, small, many, large)
		if many > most*few {
			t.Errorf("%s: %.0f bytes for one of %d, %.0f for one of %d", c.name, few, small, many, large)
		}
	}
}

// BenchmarkScale is the time an operation of the whole compiler, of text of 100
// to 100,000 operations in each shape, when memory is collected as irgl build
// has it. "ns/op-of-text" of 100,000 should stay within twice that of 100, as
// should "cpu-ns/op-of-text", the processor time of all threads, which other
// work on the machine changes less; it is that of the best run, where a run is
// as many compilations as make some milliseconds.
func BenchmarkScale(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	for _, s := range shapes {
		for _, n := range []int{100, 1000, 10_000, 100_000} {
			text := s.text(n)
			b.Run(fmt.Sprintf("%s/%d", s.name, n), func(b *testing.B) {
				least, run := math.Inf(1), max(1, 20_000/n)
				start, ok := processorTime()
				for i := 1; b.Loop(); i++ {
					if _, err := compiled("k.cu", text, "", compile.Options{}); err != nil {
						b.Fatal(err)
					}
					if i%run == 0 {
						end, _ := processorTime()
						least, start = min(least, end-start), end
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/op-of-text")
				if ok && !math.IsInf(least, 1) {
					b.ReportMetric(least*1e9/float64(run)/float64(n), "cpu-ns/op-of-text")
				}
			})
		}
	}
}
