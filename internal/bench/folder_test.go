package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"irgl/internal/device/simt"
)

// someFolder has files of every sort.
var someFolder = map[string]string{
	"own.cu": "// Own.\n//bench suite mine\n//bench size n 64 256\n//bench buffer x f32 n zero out\n//bench launch own grid n/64 block 64 args x\n" +
		"__global__ void own(float *x) { x[blockIdx.x * 64 + threadIdx.x] = threadIdx.x; }\n",
	"beside.cu":       "struct pair { int a; int *p; };\n__global__ void beside(struct pair q, float *y) { y[threadIdx.x] = q.a + q.p[threadIdx.x]; }\n",
	"beside.bench":    "# a struct\nbuffer p i32 32 sorted 10\nbuffer y f32 32 zero out\nlaunch beside grid 1 block 32 args { i32:5 p } y\n",
	"unknown.cu":      "struct pair { int a; int *p; };\n__global__ void unknown(struct pair q, float *y) { y[threadIdx.x] = q.a; }\n",
	"sub/two.cu":      "#include \"defs.h\"\n#include <iostream>\nusing namespace std;\nclass Timer { public: int start; };\nTimer timer;\n__global__ void scale(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= FACTOR; }\n__global__ void square(float *m, int n) { int i = threadIdx.y + 16 * blockIdx.y, j = threadIdx.x + 16 * blockIdx.x; m[i * n + j] += 1; }\nint main() { cout << \"scale\"; scale<<<1, 1>>>(0, 0); }\n",
	"sub/racy.cu":     "__global__ void racy(int *x) { for (int i = 0; i < 4; i++) x[i] = x[i] + threadIdx.x * (i + 1); }\n",
	"sub/defs.h":      "#define FACTOR 3\n",
	"sub/more.cu":     "__global__ void more(int *x, const short *y) { x[16 * threadIdx.x] = y[0]; }\n",
	"sub/fault.cu":    "__global__ void fault(int *x) { x[-1] = 0; }\n",
	"sub/forever.cu":  "__global__ void forever(volatile int *x, int n) { while (x[0] != n + 1) x[1] = x[1] + 1; }\n",
	"sub/template.cu": "template <typename T> __device__ T twice(T x) { return x + x; }\n__global__ void t(int *x) { x[0] = twice(x[0]); }\n",
	"sub/shared.cu":   "extern __shared__ float s[];\n__global__ void shared(float *x) { s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[255 - threadIdx.x]; }\n",
}

func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "set")
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// measured runs a folder on the emulator and returns the measure or the reason of each
// benchmark.
func measuredIn(t *testing.T, o Options) (*Report, map[string]string) {
	t.Helper()
	dev := simt.Open(simt.Options{})
	defer dev.Close()
	o.Device = dev
	rep, err := Scalar(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for i := range rep.Results {
		r := &rep.Results[i]
		switch {
		case r.Failed != "":
			got[r.Suite+" "+r.Name] = r.Failed
		case r.Ours.Value > 0:
			got[r.Suite+" "+r.Name] = "measured"
		}
	}
	return rep, got
}

// TestFolder: each kernel of a folder is measured, or has a reason why not.
func TestFolder(t *testing.T) {
	dir := folderOf(t, someFolder)
	rep, got := measuredIn(t, Options{Folder: dir})
	want := map[string]string{
		"mine own": "measured", "set beside": "measured", "set unknown": "left out: parameter q: its type struct pair has no default value; a launch in unknown.bench can give one",
		"sub sub.two.scale": "measured", "sub sub.two.square": "measured", "sub sub.more": "measured", "sub sub.shared": "measured", "sub sub.racy": "measured",
		"sub sub.fault":    "left out: out-of-bounds on x (kernel fault)",
		"sub sub.forever":  "left out: kernel forever",
		"sub sub.template": "refused: sub/template.cu:1:1: error: `template` is C++",
	}
	for name, text := range want {
		if !strings.HasPrefix(got[name], text) {
			t.Errorf("%s: %q, want %q", name, got[name], text)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d benchmarks, want %d: %v", len(got), len(want), got)
	}
	var md strings.Builder
	if err := rep.WriteMarkdown(&md); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"11 kernels: 7 measured, 3 left out, 1 refused.", "| sub.fault | sub | left out |", "| sub.template | sub | refused |"} {
		if !strings.Contains(md.String(), line) {
			t.Errorf("the report has no line %q:\n%s", line, md.String())
		}
	}
	again, _ := measuredIn(t, Options{Folder: dir, Match: regexp.MustCompile("two|more|shared|fault")})
	for _, r := range again.Results {
		i := slices.IndexFunc(rep.Results, func(x Result) bool { return x.Name == r.Name })
		if rep.Results[i].Ours != r.Ours || rep.Results[i].Failed != r.Failed {
			t.Errorf("%s: %+v, then %+v", r.Name, rep.Results[i].Ours, r.Ours)
		}
	}
}

// TestFolderStatic: without running, all that compiles has a measure, also with passes
// switched off in turn.
func TestFolderStatic(t *testing.T) {
	rep, got := measuredIn(t, Options{Folder: folderOf(t, someFolder), Static: true, Passes: true})
	for name, text := range got {
		if (text == "measured") == strings.Contains(name, "template") {
			t.Errorf("%s: %s", name, text)
		}
	}
	if rep.Metric != MetricStatic || !slices.ContainsFunc(rep.PassTable(), func(r PassRow) bool { return r.Kernels == 10 && r.Changed > 0 }) {
		t.Errorf("%s: %+v", rep.Metric, rep.PassTable())
	}
	if steps := rep.Cumulative(); len(steps) != len(rep.Passes)+1 || steps[len(steps)-1].All <= 1 {
		t.Errorf("steps %+v", steps)
	}
}

// TestFolderRaces: the outputs of a kernel with races are not compared, those of others are.
func TestFolderRaces(t *testing.T) {
	rep, _ := measuredIn(t, Options{Folder: folderOf(t, someFolder), Match: regexp.MustCompile("racy|more"), Passes: true})
	for _, r := range rep.Results {
		for k, v := range r.Off {
			if v.Failed != "" {
				t.Errorf("%s without %s: %s", r.Name, rep.Passes[k], v.Failed)
			}
		}
	}
	specs, _, err := Folder(folderOf(t, someFolder), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range specs {
		if s.Name != "sub.racy" && s.Name != "sub.more" {
			continue
		}
		if err := s.runnable(t.Context(), compiled(t, s, nil), false); err != nil {
			t.Fatal(err)
		}
		if racy := s.Name == "sub.racy"; s.Buffers[0].Out == racy || s.Buffers[0].Scratch != racy {
			t.Errorf("%s: %+v", s.Name, s.Buffers[0])
		}
	}
}

// TestFolderOptions: macros and folders of included files.
func TestFolderOptions(t *testing.T) {
	dir := folderOf(t, map[string]string{"set/a.cu": "#include <ours.h>\n#include <stdio.h>\n__global__ void a(int *x) { x[0] = N + OURS; }\n", "include/ours.h": "#define OURS 1\n",
		"set/b.cu": "__global__ void b(int *x) {\n\tx[0] = N + unknown;\n}\n"})
	_, got := measuredIn(t, Options{Folder: dir, Macros: map[string]string{"N": "2"}, Include: []string{filepath.Join(dir, "include")}})
	if got["set set.a"] != "measured" || !strings.Contains(got["set set.b"], "b.cu:2:13: error: unknown is not declared") {
		t.Error(got)
	}
	_, got = measuredIn(t, Options{Folder: dir})
	if !strings.Contains(got["set set.a"], "not declared") {
		t.Error(got)
	}
}

// TestFolderErrors: what is no folder of kernels is an error.
func TestFolderErrors(t *testing.T) {
	for want, files := range map[string]map[string]string{
		"there are no .cu files in": {"a.c": "int x;"},
	} {
		if _, err := Scalar(t.Context(), Options{Folder: folderOf(t, files), Static: true}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := Scalar(t.Context(), Options{Folder: "nowhere", Static: true}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dev := simt.Open(simt.Options{})
	defer dev.Close()
	if _, err := Scalar(ctx, Options{Folder: folderOf(t, someFolder), Device: dev}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestOwnFolder: the built-in set is a folder like any other.
func TestOwnFolder(t *testing.T) {
	specs, left, err := Folder("kernels", nil, nil)
	if err != nil || len(left) > 0 {
		t.Fatal(err, left)
	}
	own := kernels(t)
	if len(specs) != len(own) {
		t.Errorf("%d benchmarks, want %d", len(specs), len(own))
	}
	for _, s := range specs {
		i := slices.IndexFunc(own, func(o *Spec) bool { return o.Name == s.Name })
		if i < 0 || !reflect.DeepEqual(s.Launches, own[i].Launches) || s.Suite != own[i].Suite || s.Text != own[i].Text {
			t.Errorf("%s differs", s.Name)
		}
	}
}

// TestDeviceText: host functions and other kernels are blanked; lines keep their numbers.
func TestDeviceText(t *testing.T) {
	const text = `// a comment with { and "
#define BRACE {
#include <vector>
static const int k = 3;
std::vector<int> list;
typedef struct { float f(); } odd;
struct s { int a; } value = { 1 };
__device__ int f(int x) { return x; }
extern "C" {
__global__ void one(int *x);
__global__ void __launch_bounds__(64) one(int *x) { char c = '}'; x[0] = c; }
}
__constant__ float table[2] = { 1, 2 };
#pragma once \
  {
__global__ void two(int *x) { x[0] = f(k); }
int main(int argc, char **argv) {
  one<<<1, 1>>>("}");
#define LATER 1
}
`
	if got := kernelNames(text); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("kernels %v", got)
	}
	lines := strings.Split(text, "\n")
	for _, test := range []struct {
		kernel string
		only   bool
		gone   []int // lines, from 1
	}{
		{"two", false, []int{9, 10, 11, 12, 17, 18, 20}},
		{"two", true, []int{5, 9, 10, 11, 12, 17, 18, 20}},
		{"one", true, []int{5, 9, 10, 12, 16, 17, 18, 20}},
		{"", false, []int{10, 17, 18, 20}},
	} {
		got := strings.Split(deviceText(text, test.kernel, test.only), "\n")
		if len(got) != len(lines) {
			t.Fatalf("%d lines, want %d", len(got), len(lines))
		}
		for i, line := range got {
			blank := strings.TrimSpace(line) == "" && strings.TrimSpace(lines[i]) != ""
			if want := slices.Contains(test.gone, i+1); blank != want && !strings.Contains(lines[i], `extern "C"`) && lines[i] != "}" {
				t.Errorf("%q, %t: line %d is %q", test.kernel, test.only, i+1, line)
			}
		}
	}
}

// FuzzDeviceText: no text makes the scanner panic or change the number of lines.
func FuzzDeviceText(f *testing.F) {
	f.Add("__global__ void f() { }\nint main() { \"", "f")
	f.Add("extern \"C\" { /* ", "")
	f.Add("}{;#\\\n'", "x")
	f.Fuzz(func(t *testing.T, text, kernel string) {
		for _, only := range []bool{false, true} {
			got := deviceText(text, kernel, only)
			if strings.Count(got, "\n") != strings.Count(text, "\n") || len(got) != len(text) {
				t.Errorf("%q became %q", text, got)
			}
		}
		kernelNames(text)
	})
}

// TestFolderFaults: a file that cannot be read as it is, or whose header is wrong, is a line
// of the report with its place, and the others are measured.
func TestFolderFaults(t *testing.T) {
	dir := folderOf(t, map[string]string{
		"good.cu":     "__global__ void good(int *x) { x[threadIdx.x] = 1; }\n",
		"host.cu":     "int main() { return 0; }\n",
		"missing.cu":  "#include \"not/there.h\"\n__global__ void missing(int *x) { x[threadIdx.x] = 1; }\n",
		"wrong.cu":    "__global__ void wrong(int *x) { x[threadIdx.x] = 1; }\n",
		"wrong.bench": "# the second line is wrong\nbuffer x i32 32 unifrom 0 9\nlaunch wrong grid 1 block 32 args x\n",
		"two.cu":      "__global__ void one(int *x) { x[threadIdx.x] = 1; }\n__global__ void other(int *x) { x[threadIdx.x] = 2; }\n",
		"inside.cu":   "__global__ void a() {}\n//bench speed 1\n",
		"no.cu":       "__global__ void a() {}\n",
		"no.bench":    "size n 1 1\n",
		"two.bench":   "buffer x i32 32 zero out\nlaunch one grid 1 block 32 args x\n",
	})
	rep, got := measuredIn(t, Options{Folder: dir})
	want := map[string]string{
		"set good": "measured", "set two": "measured",
		"set host":      "left out: it has no kernels",
		"set missing":   "refused: it includes not/there.h, which is not there (--include adds folders)",
		"set wrong":     `refused: wrong.bench:2: buffer x: there is no fill "unifrom"`,
		"set inside":    `refused: inside.cu:2: there is no keyword "speed" (there are suite, size, buffer, launch)`,
		"set no":        "refused: no.bench: a benchmark needs a launch",
		"set two.other": "left out: the header of the file does not launch it",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
	var md strings.Builder
	if err := rep.WriteMarkdown(&md); err != nil {
		t.Fatal(err)
	}
	if line := "8 kernels: 2 measured, 2 left out, 4 refused."; !strings.Contains(md.String(), line) {
		t.Errorf("the report has no line %q:\n%s", line, md.String())
	}
}
