package cxx

import (
	"fmt"
	"io/fs"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"irgl/internal/cxx/headers"
	"irgl/internal/source"
)

// kernelsText returns a text of n lines or a few more: kernels as C has them, each with a
// structure and a device function.
func kernelsText(n int) string {
	const unit = `struct point%[1]d {
  float x, y, z;
  int id;
};

__device__ float distance%[1]d(const struct point%[1]d *a, const struct point%[1]d *b) {
  float dx = a->x - b->x;
  float dy = a->y - b->y;
  float dz = a->z - b->z;
  return sqrtf(dx * dx + dy * dy + dz * dz);
}

// nearest%[1]d finds the nearest point of each.
__global__ void nearest%[1]d(const struct point%[1]d *points, int n, int *nearest, float *out) {
  __shared__ struct point%[1]d tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float best = 1e30f;
  int best_id = -1;
  for (int start = 0; start < n; start += 256) {
    if (start + threadIdx.x < n) {
      tile[threadIdx.x] = points[start + threadIdx.x];
    }
    __syncthreads();
    for (int j = 0; j < 256 && start + j < n; ++j) {
      float d = distance%[1]d(&points[i], &tile[j]);
      if (d < best && start + j != i) {
        best = d;
        best_id = tile[j].id;
      } else if (d == best) {
        best_id = min(best_id, tile[j].id);
      }
    }
    __syncthreads();
  }
  if (i < n) {
    nearest[i] = best_id;
    out[i] = (float)best * 0.5f + (i %% 2 ? 1.0f : 2.0f);
    atomicAdd(&out[n], best);
  }
}

`
	var b strings.Builder
	for i := 0; i*strings.Count(unit, "\n") < n; i++ {
		fmt.Fprintf(&b, unit, i)
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
func BenchmarkCheckedTree(b *testing.B) { benchmarkChecked(b, kernelsText(100_000)) }

// BenchmarkInstances takes 10,000 instances of a kernel template to the checked tree.
func BenchmarkInstances(b *testing.B) { benchmarkChecked(b, instancesText(10_000)) }

// benchmarkChecked reports the processor's time of one run, its lines a second, and the memory that
// the process has had from the system.
func benchmarkChecked(b *testing.B, text string) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the command has it
	lines := float64(strings.Count(text, "\n"))
	f := source.NewFile("bench.cu", []byte(text))
	b.ReportAllocs()
	least := time.Hour
	for b.Loop() {
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
	defer debug.SetGCPercent(debug.SetGCPercent(400))
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

// TestHeaderCost bounds what including a header costs: the time is at most 2 ms, and a millisecond
// allocates some thousand times.
func TestHeaderCost(t *testing.T) {
	const most = 10_000.0
	for _, name := range embedded(t) {
		f := including(name)
		if n := testing.AllocsPerRun(1, func() { checked(t, f) }); n > most {
			t.Errorf("including <%s> allocates %.0f times, more than %.0f", name, n, most)
		}
	}
}

// TestTreeCost bounds what kernels in C allocate up to the checked tree, which is most of the time
// that they take: BenchmarkCheckedTree has the time.
func TestTreeCost(t *testing.T) {
	const lines, mostBytes, mostAllocs = 4000, 3000, 11 // a line
	f := source.NewFile("bench.cu", []byte(kernelsText(lines)))
	checked(t, f) // tables that are made once
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	checked(t, f)
	runtime.ReadMemStats(&after)
	b, n := (after.TotalAlloc-before.TotalAlloc)/lines, float64(after.Mallocs-before.Mallocs)/lines
	if b > mostBytes || n > mostAllocs {
		t.Errorf("a line allocates %d bytes in %.1f pieces: the limits are %d and %d", b, n, mostBytes, mostAllocs)
	}
	t.Logf("%d bytes, %.1f pieces", b, n)
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
