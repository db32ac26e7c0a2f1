package nvccdiff

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"irgl/internal/check"
	"irgl/internal/ptx"
	"irgl/internal/source"
)

// kernelsWanted is how many kernels must agree with nvcc's in TestKernels.
const kernelsWanted = 60

// TestKernels compares kernels of ours, in the style of public programs, with nvcc's. The
// environment variable NVCC names the compiler.
func TestKernels(t *testing.T) {
	nvcc := os.Getenv("NVCC")
	if nvcc == "" {
		t.Skip("the environment variable NVCC names no nvcc")
	}
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("nvcc needs g++, which is not there")
	}
	paths, err := filepath.Glob("testdata/*.cu")
	if err != nil || len(paths) == 0 {
		t.Fatalf("testdata has no kernels: %v", err)
	}
	for _, name := range []string{"aos", "bits", "crc32", "div32_const", "gcd64", "murmur", "pow_mod64"} {
		paths = append(paths, filepath.Join("../bench/kernels", name+".cu"))
	}
	agree := make(chan int, len(paths))
	t.Run("files", func(t *testing.T) {
		for _, path := range paths {
			t.Run(strings.TrimSuffix(filepath.Base(path), ".cu"), func(t *testing.T) {
				t.Parallel()
				agree <- compareFile(t, nvcc, path)
			})
		}
	})
	close(agree)
	total := 0
	for n := range agree {
		total += n
	}
	if total < kernelsWanted {
		t.Errorf("%d kernels agree, want %d", total, kernelsWanted)
	}
}

// compareFile returns how many kernels of a file agree. None may differ, and none be contracted in another
// way than nvcc's; those that agree only with the same functions for sinf and its like are not counted.
func compareFile(t *testing.T, nvcc, path string) int {
	o := Options{NVCC: nvcc, Seed: 1, Dir: t.TempDir()}
	o.Survey.Target = "sm_90"
	n := 0
	for _, r := range File(context.Background(), path, o) {
		if exact := filepath.Base(path) == "contract.cu"; r.Outcome == Agrees && (!exact || r.Exact == r.Runs) {
			n++
			continue
		}
		if r.Outcome == AgreesSameMath {
			continue
		}
		t.Errorf("%s: %s: %s, bit for bit in %d of %d runs: %s", path, r.Kernel, r.Outcome, r.Exact, r.Runs, r.Detail)
	}
	return n
}

// withoutNVCC returns a file whose kernels are compared with ours after an edit of the PTX.
func withoutNVCC(t *testing.T, path string, edit func(string) string) *pairedFile {
	t.Helper()
	o := Options{}
	o.Survey.Target = "sm_90"
	opts, err := o.Survey.FileOptions(path)
	if err != nil {
		t.Fatal(err)
	}
	opts.Math.Separate = true // the edits name instructions
	f := &pairedFile{}
	if f.unit, err = opts.Unit(context.Background(), path, nil); err != nil {
		t.Fatal(err)
	}
	ours := f.unit.PTXText()
	if f.text = edit(ours); f.text == ours {
		t.Fatal("the edit changes nothing")
	}
	if f.tree, err = ptx.Parse(source.NewFile("edited", []byte(f.text))); err != nil {
		t.Fatal(err)
	}
	if err := f.load(path, ours, 1); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.close)
	return f
}

// TestFindsDifferences: code that differs in one instruction is found, code that differs in
// its text alone is not, and a kernel that writes nothing has no verdict.
func TestFindsDifferences(t *testing.T) {
	within := func(kernel, from, to string) func(string) string {
		return func(text string) string {
			i := strings.Index(text, ".entry "+kernel+"(")
			return text[:i] + strings.Replace(text[i:], from, to, 1)
		}
	}
	for _, c := range []struct {
		kernel, from, to string
		want             Outcome
	}{
		{"_Z7vectorsPK6float4PK4int2PS_P7double2i", "add.rn.f32", "sub.rn.f32", Differs},
		{"_Z7vectorsPK6float4PK4int2PS_P7double2i", "mul.rn.f32", "mul.rm.f32", Agrees}, // within the last place
		{"_Z6dividePKiS0_PiS1_Pji", "rem.s32", "div.s32", Differs},
		{"_Z9recursionPKiPii", "st.global.u32", "st.volatile.global.u32", Agrees},
		{"_Z9recursionPKiPii", "st.global.u32", "// st.global.u32", NoInputs},
	} {
		f := withoutNVCC(t, "testdata/scalar.cu", within(c.kernel, c.from, c.to))
		if r, _, _ := f.kernel(context.Background(), c.kernel, 1); r.Outcome != c.want {
			t.Errorf("%s with %s for %s: %v, %s, want %v", c.kernel, c.to, c.from, r.Outcome, r.Detail, c.want)
		}
	}
}

// TestOrderHasNoVerdict: results that depend on the order of threads are not compared.
func TestOrderHasNoVerdict(t *testing.T) {
	path := filepath.Join(t.TempDir(), "order.cu")
	text := `__global__ void take(int *next, int *place) { place[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(next, 1); }` + "\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	f := withoutNVCC(t, path, func(s string) string { return s + "// edited\n" })
	i := slices.IndexFunc(f.unit.CUDAInfo.Funcs, func(g *check.FuncInfo) bool { return g.Object.Name == "_Z4takePiS_" })
	k, err := newPair("_Z4takePiS_", f.tree, f.text, f.unit.CUDAInfo.Funcs[i])
	if err != nil {
		t.Fatal(err)
	}
	a := newAttempt(k, draw{seed: 1, scale: 1})
	if a.grid.Count() < 2 {
		t.Fatalf("grid %v", a.grid)
	}
	if err := f.try(context.Background(), k, a, new(comparison)); err == nil || !strings.Contains(err.Error(), "order of threads") {
		t.Errorf("error %v", err)
	}
}

func TestDistance(t *testing.T) {
	f32 := func(x float32) uint64 { return uint64(math.Float32bits(x)) }
	for _, c := range []struct {
		a, b float32
		want uint64
	}{
		{1, 1, 0}, {0, float32(math.Copysign(0, -1)), 0}, {1, math.Nextafter32(1, 2), 1}, {math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, 2},
		{float32(math.NaN()), float32(math.NaN()), 0}, {1, float32(math.NaN()), math.MaxUint64}, {float32(math.Inf(1)), math.MaxFloat32, math.MaxUint64}, {float32(math.Inf(1)), float32(math.Inf(1)), 0}, {float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxUint64},
	} {
		if got := formats[float].distance(f32(c.a), f32(c.b)); got != c.want {
			t.Errorf("distance of %v and %v is %d, want %d", c.a, c.b, got, c.want)
		}
		if got := formats[float].distance(f32(c.b), f32(c.a)); got != c.want {
			t.Errorf("distance of %v and %v is %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

// TestUntyped checks that words behind a void pointer that are no normal floats are compared as integers.
func TestUntyped(t *testing.T) {
	for _, tt := range []struct {
		x, y  uint32
		agree bool
	}{
		{5, 6, false}, {0xffffffff, 0xfffffffe, false}, {0x7f800000, 0x7f7fffff, false}, {0, 1, false}, {7, 7, true},
		{math.Float32bits(1.5), math.Float32bits(1.5) + 1, true}, {math.Float32bits(1.5), math.Float32bits(2), false},
	} {
		l := leaf{0, 4, untyped, nil}
		ours, theirs := binary.LittleEndian.AppendUint32(nil, tt.x), binary.LittleEndian.AppendUint32(nil, tt.y)
		if d := l.compare(ours, theirs, 4); (d == "") != tt.agree {
			t.Errorf("%#x, %#x: %q", tt.x, tt.y, d)
		}
	}
}

// TestFolders: a compiler that cannot be run is a refusal, and the table counts it.
func TestFolders(t *testing.T) {
	var out strings.Builder
	o := Options{NVCC: "/nonexistent/nvcc", Dir: t.TempDir(), Seed: 3}
	o.Survey.Match = "scalar"
	if err := Folders(context.Background(), []string{"testdata"}, 0, o, &out); err != nil {
		t.Fatal(err)
	}
	if want := `(?s)^testdata/scalar.cu: : nvcc refuses: .*\| testdata \|( 0 \|){6} 1 \| 0 \| 0 \| 0 \|\n$`; !regexp.MustCompile(want).MatchString(out.String()) {
		t.Errorf("printed %s, want %s", out.String(), want)
	}
}
