package compile_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/compile"
	"irgl/internal/cxx"
	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/golden"
	"irgl/internal/source"
	"irgl/internal/ssa/opt"
	"irgl/syntax"
)

// The programs in testdata/cxx have a kernel k that fills cxxWidth numbers for each of
// cxxThreads threads.
const (
	cxxThreads = 32
	cxxWidth   = 16
)

// TestCXX runs C++ programs on the emulator, with all passes and with none, and compares
// with what the same functions compute on the host, compiled by g++.
func TestCXX(t *testing.T) {
	golden.Each(t, "testdata/cxx/*.txtar", func(t *testing.T, a *txtar.Archive) {
		text := golden.Find(a, "in.cu").Data
		want := golden.Find(a, "out")
		if gxx, err := exec.LookPath("g++"); err == nil && (!testing.Short() || want == nil) {
			out := onHost(t, gxx, text)
			golden.Section(t, a, "out", out)
			want = &txtar.File{Data: []byte(out)}
		}
		if want == nil {
			t.Fatal("no expected output: run with -update where g++ is")
		}
		off := map[string]bool{}
		for _, pass := range opt.Passes().Names() {
			off[pass] = false
		}
		for _, o := range []compile.Options{{Check: true}, {Check: true, Opt: opt.Options{Switch: off}}} {
			o.CXX = &cxx.Options{}
			got := onEmulator(t, text, o)
			if got != string(want.Data) {
				t.Errorf("on the emulator:\n%s", golden.Diff(string(want.Data), got))
			}
		}
	})
}

// table writes the numbers of each thread on a line.
func table(list []int64) string {
	var b strings.Builder
	for i, x := range list {
		end := " "
		if i%cxxWidth == cxxWidth-1 {
			end = "\n"
		}
		fmt.Fprintf(&b, "%d%s", x, end)
	}
	return b.String()
}

// onEmulator compiles a program and returns what its kernel writes.
func onEmulator(t *testing.T, text []byte, o compile.Options) string {
	t.Helper()
	u, err := compile.Compile(source.NewFile("in.cu", text), syntax.CUDA, "", o)
	if err != nil {
		var b strings.Builder
		u.Diags.Render(&b)
		t.Fatalf("%v\n%s", err, b.String())
	}
	dev := simt.Open(simt.Options{})
	defer dev.Close()
	m, err := dev.Load("in.cu", u.PTXText())
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("_Z1kPl")
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 8*cxxThreads*cxxWidth)
	p, err := dev.Alloc("out", int64(len(buf)))
	if err != nil {
		t.Fatal(err)
	}
	params := binary.LittleEndian.AppendUint64(nil, uint64(p))
	one := device.Dim3{X: 1, Y: 1, Z: 1}
	if err := dev.Launch(k, device.Launch{Grid: one, Block: device.Dim3{X: cxxThreads, Y: 1, Z: 1}, Params: params}); err != nil {
		t.Fatal(err)
	}
	if err := dev.Sync(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := dev.CopyOut(buf, p); err != nil {
		t.Fatal(err)
	}
	list := make([]int64, cxxThreads*cxxWidth)
	for i := range list {
		list[i] = int64(binary.LittleEndian.Uint64(buf[8*i:]))
	}
	return table(list)
}

// hostShim lets g++ compile the device code of a program for the host.
const hostShim = `#include <cmath>
#include <cstdio>
#define __device__
#define __host__
#define __global__
#define __forceinline__ inline
#define __noinline__
struct { unsigned int x, y, z; } threadIdx;
`

// onHost returns what the program computes when g++ compiles it.
func onHost(t *testing.T, gxx string, text []byte) string {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "in.cc")
	main := fmt.Sprintf(`
int main() {
	static long out[%d];
	for (threadIdx.x = 0; threadIdx.x < %d; threadIdx.x++) k(out);
	for (int i = 0; i < %[1]d; i++) printf("%%ld%%c", out[i], i %% %[3]d == %[3]d - 1 ? '\n' : ' ');
}
`, cxxThreads*cxxWidth, cxxThreads, cxxWidth)
	if err := os.WriteFile(name, []byte(hostShim+string(text)+main), 0o600); err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(dir, "in")
	if out, err := exec.Command(gxx, "-std=c++17", "-w", "-O1", "-ffp-contract=off", "-o", exe, name).CombinedOutput(); err != nil {
		t.Fatalf("g++: %v\n%s", err, out)
	}
	out, err := exec.Command(exe).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestCXXNvcc has nvcc compile the CUDA text that C++ programs become.
func TestCXXNvcc(t *testing.T) {
	tool := findTool(t, "NVCC", "nvcc")
	golden.Each(t, "testdata/cxx/*.txtar", func(t *testing.T, a *txtar.Archive) {
		u, err := compile.Compile(source.NewFile("in.cu", golden.Find(a, "in.cu").Data), syntax.CUDA, "check", compile.Options{CXX: &cxx.Options{}})
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := u.Emit(&text, "cu"); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "lowered.cu")
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		// Warnings are not errors: an object is written to before all of it is initialised.
		if out, err := exec.Command(tool, "-arch=sm_90", "-ptx", "-o", path+".ptx", path).CombinedOutput(); err != nil {
			t.Errorf("nvcc refuses the text: %v\n%s", err, out)
		}
	})
}

// TestStaticMember: a static member that is a constant is one through an object, too: loops to it are unrolled.
func TestStaticMember(t *testing.T) {
	text := `
struct tile { static const int n = 4; static constexpr int m = 2; float x[8]; };
__global__ void k(float *p) {
	tile t[2];
	for (int i = 0; i < t[1].n; i++)
		for (int j = 0; j < (t + i % 2)->m; j++) t[j].x[i] = p[i + 4 * j];
	for (int i = 0; i < 8; i++) p[i] = t[0].x[i % 4] + t[1].x[i / 2];
}`
	u, err := compile.Compile(source.NewFile("in.cu", []byte(text)), syntax.CUDA, "", compile.Options{CXX: &cxx.Options{}})
	if err != nil {
		t.Fatal(err)
	}
	if ptx := u.PTXText(); strings.Contains(ptx, "bra") || strings.Contains(ptx, ".local") {
		t.Errorf("a loop, or an array in memory, is left:\n%s", ptx)
	}
}
