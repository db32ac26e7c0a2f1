package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMersenne compares with what Python prints for
//
//	r = random.Random(SEED); l = list(range(N)); r.shuffle(l)
func TestMersenne(t *testing.T) {
	shuffled := func(seed uint64, n int) []int {
		l := make([]int, n)
		for i := range l {
			l[i] = i
		}
		newMersenne(seed).shuffle(n, func(i, j int) { l[i], l[j] = l[j], l[i] })
		return l
	}
	if got, want := shuffled(20261124, 20), []int{13, 11, 8, 16, 18, 19, 10, 17, 3, 9, 6, 15, 12, 2, 7, 14, 4, 1, 0, 5}; !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	long := shuffled(20261124, 100000)
	if got, want := slices.Concat(long[:5], long[len(long)-3:]), []int{43650, 72255, 9850, 70464, 34106, 448, 88515, 22714}; !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	m := newMersenne(1<<40 + 5)
	if got, want := []uint32{m.uint32(), m.uint32(), m.uint32()}, []uint32{2166296868, 2220160828, 1153647273}; !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestKernelsIn(t *testing.T) {
	for text, want := range map[string]string{
		"__global__ void a(int *p) { }":                                            "a",
		"__global__ void a(int *p);\n__global__ void a(int *p) {}":                 "a",
		"__global__ void a(int *p);":                                               "",
		"// __global__ void a() {}\n/* __global__ void b() {} */":                  "",
		"char *s = \"__global__ void a() {}\";":                                    "",
		"#define K \\\n __global__ void a() {}\n":                                  "",
		"template <typename T>\n__global__ void\n__launch_bounds__(256) a(T x)\n{": "a",
		"static __global__ __attribute__((used)) void a(float (*f)(int)) {}":       "a",
		"__global__ void b(dim3 x = dim3(1, 2)) {} __global__ void a() {}":         "b a",
		"template <> __global__ void a<int, 4>(int *p) {}":                         "a",
		"__global__ void a(int x":                                                  "",
	} {
		if got := strings.Join(kernelsIn(text), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// write writes files given as pairs of names and texts.
func write(t *testing.T, dir string, files ...string) {
	t.Helper()
	for i := 0; i < len(files); i += 2 {
		p := filepath.Join(dir, filepath.FromSlash(files[i]))
		if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(files[i+1]), 0o777); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDraw: a draw depends on the sources and the seed alone, longer draws begin with shorter
// ones, and what it prints is a table of the programs drawn.
func TestDraw(t *testing.T) {
	src := filepath.Join(t.TempDir(), "HeCBench", "src")
	for i := range 12 {
		name := fmt.Sprintf("p%d-cuda", i)
		write(t, src, name+"/main.cu", fmt.Sprintf("__global__ void a%d() {}\n__global__ void b%d() {}", i, i),
			name+"/Makefile", "main:\n\tnvcc main.cu -o main\nrun: main\n\t./main 1\n")
	}
	write(t, src, "other-sycl/main.cu", "__global__ void no() {}", "p3-cuda/Makefile", "main:\n\tnvcc main.cu -lgsl\nrun: main\n\t./main ../data/no.txt\n")
	all, err := kernelsOf(src)
	if err != nil || len(all) != 24 || !slices.IsSortedFunc(all, func(a, b pair) int { return strings.Compare(a.String(), b.String()) }) {
		t.Fatal(all, err)
	}
	ten := draw(all, 7, 10)
	if again := draw(all, 7, 20); !slices.Equal(ten, again[:10]) {
		t.Errorf("%v\n%v", ten, again)
	}
	if other := draw(all, 8, 10); slices.Equal(ten, other) {
		t.Error("another seed draws the same")
	}
	left := without(all, "# a list\np0-cuda\np1-cuda/main.cu a1\nprogram p2-cuda\n")
	if len(left) != 24-2-1-2 {
		t.Errorf("%d left: %v", len(left), left)
	}
	var b strings.Builder
	if err := printDraw(t.Context(), &b, src, all); err != nil {
		t.Fatal(err)
	}
	rows, err := parseTable("draw", b.String())
	if err != nil || len(rows) != 12 || strings.Join(rows[0].Kernels, " ") != "a0 b0" || rows[0].Run != runTarget {
		t.Error(rows, err)
	}
	for _, want := range []string{"# p3-cuda/main.cu a3\n# p3-cuda/main.cu b3\n# needs the library gsl\n# needs src/data/no.txt, which the repository does not have\nprogram p3-cuda\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
