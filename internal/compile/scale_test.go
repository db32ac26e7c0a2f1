package compile_test

import (
	"fmt"
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

// BenchmarkScale is the time an operation of the whole compiler, of text of 100
// to 100,000 operations in each shape. "ns/op-of-text" must stay within twice
// that of 1,000 operations; less text pays for the tables that are made once.
func BenchmarkScale(b *testing.B) {
	for _, s := range shapes {
		for _, n := range []int{100, 1000, 10_000, 100_000} {
			text := s.text(n)
			b.Run(fmt.Sprintf("%s/%d", s.name, n), func(b *testing.B) {
				for b.Loop() {
					if _, err := compiled("k.cu", text, "", compile.Options{}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/op-of-text")
			})
		}
	}
}
