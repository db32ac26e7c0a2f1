package sema

import (
	"fmt"
	"strings"
	"testing"

	"irgl/internal/cpp"
	"irgl/internal/cxx/parse"
	"irgl/internal/source"
)

// BenchmarkCheck analyses kernels in the part of C++ that is C.
func BenchmarkCheck(b *testing.B) {
	var t strings.Builder
	t.WriteString("__device__ float g(float x, int n) { return x * n; }\n")
	for i := range 2000 {
		fmt.Fprintf(&t, `__global__ void k%d(float *p, const float *q, int n) {
	__shared__ int s[32];
	int i = n * 3 + 1;
	if (i < n) p[i] += g(q[i], 2) * q[i & 3];
	for (int j = 0; j < 4; j++) {
		s[j] = j;
		if (j == 2) continue;
		p[j] = q[j] + s[j] * 2.5f;
	}
	while (n--) i += n;
	float d = 1.0f, e = n;
	p[i] = d > e ? d : e;
	n <<= 3;
	p[n] = -q[n];
}
`, i)
	}
	bench(b, t.String())
}

// BenchmarkInstances analyses 10,000 instances of a kernel template.
func BenchmarkInstances(b *testing.B) {
	var t strings.Builder
	t.WriteString("template <int N> struct A { int v[N]; __device__ int get(int i) const { return v[i % N]; } };\n" +
		"template <int N> __global__ void k(int *p, A<N> a) { p[N] = a.get(N) + 1; }\n")
	for i := range 10000 {
		fmt.Fprintf(&t, "template __global__ void k<%d>(int *, A<%d>);\n", i+1, i+1)
	}
	bench(b, t.String())
}

func bench(b *testing.B, text string) {
	b.Helper()
	b.ReportAllocs()
	lines := strings.Count(text, "\n")
	for b.Loop() {
		b.StopTimer()
		diags := new(source.List)
		pre := cpp.Preprocess(source.NewFile("bench.cu", []byte(text)), cpp.Options{Dialect: cpp.CXX, Arch: 900}, diags)
		u := parse.Parse(pre, diags, parse.Options{})
		b.StartTimer()
		Check(u, diags, Options{})
		if diags.Errors() > 0 {
			b.Fatal(diags.Err())
		}
	}
	b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}
