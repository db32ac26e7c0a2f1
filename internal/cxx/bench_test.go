package cxx

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"irgl/internal/cxx/headers"
	"irgl/internal/source"
)

// kernelsText returns a text of n lines or a few more: kernels as C has them, each with a
// structure and a device function.
func kernelsText(tb testing.TB, n int) string {
	unit, err := os.ReadFile("testdata/kernels.cu")
	if err != nil {
		tb.Fatal(err)
	}
	var b strings.Builder
	for i := 0; i*bytes.Count(unit, []byte("\n")) < n; i++ {
		b.Write(bytes.ReplaceAll(unit, []byte("NNN"), []byte(strconv.Itoa(i))))
	}
	return b.String()
}

// instancesText returns a text with n instances of a kernel template, each with an instance of
// a class template.
func instancesText(n int) string {
	var t strings.Builder
	t.WriteString("template <int N> struct A { int v[N]; __device__ int get(int i) const { return v[i % N]; } };\n" +
		"template <int N> __global__ void k(int *p, A<N> a) { p[N] = a.get(N) + 1; }\n")
	for i := range n {
		fmt.Fprintf(&t, "template __global__ void k<%d>(int *, A<%d>);\n", i+1, i+1)
	}
	return t.String()
}

// BenchmarkCheckedTree takes 100,000 lines of C kernels to the checked tree.
func BenchmarkCheckedTree(b *testing.B) { benchmarkChecked(b, kernelsText(b, 100_000)) }

// BenchmarkInstances takes 10,000 instances of a kernel template to the checked tree.
func BenchmarkInstances(b *testing.B) { benchmarkChecked(b, instancesText(10_000)) }

// benchmarkChecked reports the processor's time of one run, its lines a second, and the memory that
// the process has had from the system.
func benchmarkChecked(b *testing.B, text string) {
	defer debug.SetGCPercent(debug.SetGCPercent(6400)) // as the command has it
	if flag.Lookup("test.memprofile").Value.String() == "" {
		defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
		runtime.MemProfileRate = 0 // as in the command, which has no memory profile
	}
	lines := float64(strings.Count(text, "\n"))
	f := benchFile(text)
	b.ReportAllocs()
	least := time.Hour
	for b.Loop() {
		b.StopTimer()
		runtime.GC() // what the one before has left
		b.StartTimer()
		from := processorTime()
		checked(b, f)
		least = min(least, processorTime()-from)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(least.Seconds()*1e3, "cpu-ms")
	b.ReportMetric(lines/least.Seconds(), "lines/cpu-s")
	b.ReportMetric(float64(m.Sys)/1e6, "peak-MB")
}

// BenchmarkHeaders takes a file that includes one of the embedded headers, and nothing else,
// to the checked tree; BenchmarkHeaders/none includes none.
func BenchmarkHeaders(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(6400))
	for _, name := range append([]string{"none"}, embedded(b)...) {
		b.Run(name, func(b *testing.B) {
			f := including(name)
			b.ReportAllocs()
			least := time.Hour
			for b.Loop() {
				from := processorTime()
				checked(b, f)
				least = min(least, processorTime()-from)
			}
			b.ReportMetric(least.Seconds()*1e3, "cpu-ms")
		})
	}
}

// TestHeaderCost bounds what including a header allocates up to the checked tree, which is most of
// the time that it takes: BenchmarkHeaders has the time.
func TestHeaderCost(t *testing.T) {
	for _, name := range embedded(t) {
		boundCost(t, "<"+name+">", including(name), 1, 2_500_000, 5_000)
	}
}

// TestTreeCost bounds what kernels in C allocate up to the checked tree, which is most of the time
// that they take: BenchmarkCheckedTree has the time.
func TestTreeCost(t *testing.T) {
	const lines = 4000
	boundCost(t, "a line", benchFile(kernelsText(t, lines)), lines, 1600, 0)
}

// TestInstanceCost does the same for an instance of a kernel template with one of a class
// template: 10,000 may take 500 MB and a second. BenchmarkInstances has the time.
func TestInstanceCost(t *testing.T) {
	const instances = 1000
	boundCost(t, "an instance", benchFile(instancesText(instances)), instances, 23_500, 120)
}

func benchFile(text string) *source.File { return source.NewFile("bench.cu", []byte(text)) }

// boundCost bounds what each of n parts of a text allocates.
func boundCost(t *testing.T, part string, f *source.File, n, mostBytes, mostAllocs uint64) {
	t.Helper()
	checked(t, f) // tables that are made once
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	checked(t, f)
	runtime.ReadMemStats(&after)
	b, a := (after.TotalAlloc-before.TotalAlloc)/n, (after.Mallocs-before.Mallocs)/n
	if b > mostBytes || a > mostAllocs {
		t.Errorf("%s allocates %d bytes in %d pieces: the limits are %d and %d", part, b, a, mostBytes, mostAllocs)
	}
	t.Logf("%s allocates %d bytes in %d pieces", part, b, a)
}

// TestOverloadCost bounds what a candidate of overload resolution allocates that is not viable:
// nothing, since the reason is worded only for a note.
func TestOverloadCost(t *testing.T) {
	const n = 200
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "struct S%d { int x; };\n__device__ int f(S%[1]d *) { return %[1]d; }\n", i)
	}
	b.WriteString("__global__ void k(int *p) {\n")
	for i := range n {
		fmt.Fprintf(&b, "\t*p += f((S%d *)p);\n", i)
	}
	b.WriteString("}\n")
	calls := source.NewFile("calls.cu", []byte(b.String()))
	names := source.NewFile("names.cu", []byte("__device__ int g(void *) { return 0; }\n"+strings.ReplaceAll(b.String(), "+= f(", "+= g(")))
	allocs := func(f *source.File) float64 { return testing.AllocsPerRun(1, func() { checked(t, f) }) }
	if a := (allocs(calls) - allocs(names)) / (n * n); a > 0.2 {
		t.Errorf("a candidate allocates %.2f times", a)
	}
}

// embedded returns the names of the embedded headers that files may include.
func embedded(tb testing.TB) (names []string) {
	err := fs.WalkDir(headers.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasPrefix(path, "irgl/") {
			names = append(names, path)
		}
		return err
	})
	if err != nil || len(names) < 20 {
		tb.Fatal(err, names)
	}
	return names
}

func including(name string) *source.File {
	text := "#include <" + name + ">\n"
	if name == "none" {
		text = ""
	}
	return source.NewFile("header.cu", []byte(text+"__global__ void k(int *p) { *p = 1; }\n"))
}

func checked(tb testing.TB, f *source.File) {
	diags := new(source.List)
	u := Parse(f, Options{Arch: 900}, diags)
	if diags.Errors() == 0 {
		u.Check(Options{}, diags)
	}
	if diags.Errors() > 0 {
		tb.Fatal(diags.Err())
	}
}

// processorTime returns the processor time of the process until now.
func processorTime() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
