package hostcode

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"irgl/internal/golden"
	"irgl/internal/source"
)

// TestRewrite rewrites the texts of archives.
func TestRewrite(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no archives", err)
	}
	for _, path := range paths {
		ar := golden.Archive(t, path)
		for _, f := range slices.Clone(ar.Files) {
			if name, ok := strings.CutSuffix(f.Name, "in"); ok {
				golden.Section(t, ar, name+"out", string(Rewrite(source.NewFile(f.Name, f.Data))))
			}
		}
	}
}

const program = `
__device__ int counter = 3;
namespace n { static __device__ float total = 1.5f; }
template <typename T, int N> struct box { T v[N]; __device__ T get(int i) const { return __ldg(v + i); } };
template <typename T, int N, class... Rest>
__global__ void scale(T *p, T f, box<T, N> b, Rest... rest) { p[0] *= f + b.get(threadIdx.x); }
template <> __global__ void scale<double, 7>(double *p, double f, box<double, 7> b) { __syncthreads(); }
template <typename F> __global__ void each(int n, F f) { f(n); }
namespace n { static __global__ void hidden(void (*f)(int), int a[3]) { f(a[0]); } }
int main() {
	scale<float, 8><<<1, 2, 3, 0>>>(nullptr, 1.0f, box<float, 8>(), 1, 'c');
	scale<double, 7><<<1, dim3(2, 4)>>>(nullptr, 1.0, box<double, 7>());
	n::hidden<<<1, 1>>>(nullptr, nullptr);
	int k = 3;
	each<<<1, 1>>>(5, [=] __device__ (int i) { atomicAdd(&counter, i + k); });
	void (*fp)(void (*)(int), int *) = n::hidden;
	fp<<<1, 1>>>(nullptr, nullptr);
}
`

// shim stands in for the runtime: it says what is launched.
const shim = `
#include <cstdio>
struct dim3 { unsigned x, y, z; dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {} };
inline int atomicAdd(int *, int) { return 0; }
namespace irgl {
template <unsigned N, unsigned C, size_t S, class F> struct Closure : F { Closure(F &&f) : F(static_cast<F &&>(f)) {} };
template <unsigned N, unsigned C, class F> inline Closure<N, C, sizeof(F), F> closure(F f) { return {static_cast<F &&>(f)}; }
} inline int __cudaPushCallConfiguration(dim3 g, dim3 b, size_t s = 0, void *st = 0) { std::printf("%u %u %zu:", g.x * g.y, b.x * b.y, s); return 0; } namespace irgl {
inline void launch(const void *f, void **a) { int n = 0; while (a[n]) n++; std::printf(" %d\n", n); }
}
`

// TestCompile compiles a rewritten program with the host's compiler and runs it.
func TestCompile(t *testing.T) {
	for _, name := range []string{"g++", "clang++"} {
		t.Run(name, func(t *testing.T) {
			cxx, err := exec.LookPath(name)
			if err != nil {
				t.Skip("there is no " + name)
			}
			for _, opt := range []string{"-O0", "-O2", "-fPIC"} {
				compile(t, cxx, opt)
			}
		})
	}
}

func compile(t *testing.T, cxx, opt string) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	run := func(args ...string) string {
		t.Helper()
		out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(at(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("a.cu", shim+program)
	run(cxx, "-E", "-x", "c++", at("a.cu"), "-o", at("a.ii"))
	text, err := os.ReadFile(at("a.ii"))
	if err != nil {
		t.Fatal(err)
	}
	write("b.ii", string(Rewrite(source.NewFile("a.ii", text))))
	run(cxx, opt, "-std=c++17", "-x", "c++-cpp-output", "-S", at("b.ii"), "-o", at("b.s"))
	asm, err := os.ReadFile(at("b.s"))
	if err != nil {
		t.Fatal(err)
	}
	stubs, defined := Symbols(asm)
	slices.Sort(stubs)
	want := []string{"_Z4eachIN4irgl7ClosureILj0ELj1ELm4EZ4mainEUliE_EEEviT_", "_Z5scaleIdLi7EJEEvPT_S0_3boxIS0_XT0_EEDpT1_",
		"_Z5scaleIfLi8EJicEEvPT_S0_3boxIS0_XT0_EEDpT1_", "_ZN1nL6hiddenEPFviEPi"}
	if cxx, _ := filepath.Abs(cxx); strings.HasSuffix(cxx, "clang++") {
		want[0] = "_Z4eachIN4irgl7ClosureILj0ELj1ELm4EZ4mainE3$_0EEEviT_"
	}
	if !slices.Equal(stubs, want) {
		t.Errorf("%s: stubs of\n%q, want\n%q", opt, stubs, want)
	}
	for _, v := range []string{"counter", "_ZN1nL5totalE"} {
		if !slices.Contains(defined, v) {
			t.Errorf("%s: %s is not defined", opt, v)
		}
	}
	run(cxx, at("b.s"), "-o", at("b"))
	golden.Equal(t, "the launches", "1 2 3: 5\n1 8 0: 3\n1 1 0: 2\n1 1 0: 2\n1 1 0: 2\n", run(at("b")))
}

// FuzzRewrite rewrites any text: without a panic, and again without a change, since what CUDA
// has more than C++ is gone.
func FuzzRewrite(f *testing.F) {
	f.Add(program)
	for _, s := range []string{"a<<<", "<<<>>>()", "__global__", "x]__device__", "template<__global__ void f(", "__device__ operator", "__managed__ int x", "))__global__ void f(int){"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		Rewrite(source.NewFile("fuzz", []byte(text)))
	})
}

func TestKernels(t *testing.T) {
	f := source.NewFile("a.cu", []byte(`#define K __global__ void no() { }
__global__ void declared(int);
template <typename T> __global__ void one(T *p) { }
extern "C" void __global__ __launch_bounds__(3)
two(int) { int x[2]; }
namespace n { template <> __global__ void one<int>(int *p) { } }
const char *s = "__global__ void no() { }";
template <class T> __global__ void
BOUNDS (128, 2)
three(T *p) { }
`))
	want := []Kernel{{"one", 3, true}, {"two", 5, false}, {"one", 6, false}, {"three", 10, true}}
	if got := Kernels(f); !slices.Equal(got, want) {
		t.Errorf("kernels %v, want %v", got, want)
	}
}
