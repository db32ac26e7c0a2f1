package ssagen_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/device"
	"irgl/internal/device/cuda"
	"irgl/internal/device/simt"
	"irgl/internal/ptx"
)

// gpu opens the machine's GPU once; nil when it has none.
var gpu = sync.OnceValue(func() device.Device {
	d, err := cuda.Open(0)
	if err != nil {
		return nil
	}
	return d
})

// execute runs kernels such as k(long long *out) of a text on the emulator, one after
// the other, and returns their n values each of out and what they printed. Faults that the emulator reports fail the test, and
// so does another result from the GPU, where there is one.
func execute(t testing.TB, name string, text []byte, optimise bool, threads uint32, kernels []string, n int) ([]int64, string) {
	t.Helper()
	mod := compile(t, name, text, optimise)
	var stdout bytes.Buffer
	o := simt.Checked()
	o.Stdout = &stdout
	o.MaxInstructions = 50_000_000
	d := simt.Open(o)
	defer d.Close()
	out := launch(t, d, name, ptx.Print(mod), threads, kernels, n)
	for _, r := range d.Reports() {
		t.Errorf("%s", r)
	}
	if g := gpu(); g != nil {
		if got := launch(t, g, name, ptx.Print(mod), threads, kernels, n); !slices.Equal(got, out) {
			t.Errorf("the GPU gives %d, the emulator %d\n%s", got, out, ptx.Print(mod))
		}
	}
	return out, stdout.String()
}

// launch runs kernels of a PTX text with one block and returns their results.
func launch(t testing.TB, d device.Device, name, text string, threads uint32, kernels []string, n int) (out []int64) {
	t.Helper()
	m, err := d.Load(name, text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	defer m.Close()
	for _, kernel := range kernels {
		k, err := m.Kernel(kernel)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, result(t, d, k, text, threads, n)...)
	}
	return out
}

// result launches a kernel and returns what it stores.
func result(t testing.TB, d device.Device, k device.Kernel, text string, threads uint32, n int) []int64 {
	t.Helper()
	p, err := d.Alloc("out", int64(8*n))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Free(p)
	params := binary.LittleEndian.AppendUint64(nil, uint64(p))
	if err := d.Launch(k, device.Launch{Block: device.Dim3{X: threads}, Shared: 1024, Params: params}); err != nil {
		t.Fatal(err)
	}
	if err := d.Sync(context.Background()); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	buf := make([]byte, 8*n)
	if err := d.CopyOut(buf, p); err != nil {
		t.Fatal(err)
	}
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(binary.LittleEndian.Uint64(buf[8*i:]))
	}
	return out
}

// TestRun runs testdata/run/*.txtar: in.cu has the kernel k(long long *out);
// threads is the size of the block (1 when it is left out); kernels lists the kernels
// to run (k when it is left out); want lists out in decimal, the same number of values
// for each kernel; stdout is what they print.
func TestRun(t *testing.T) {
	paths, err := filepath.Glob("testdata/run/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s := map[string]string{}
			for _, f := range a.Files {
				s[f.Name] = string(f.Data)
			}
			threads := uint32(1)
			fmt.Sscan(s["threads"], &threads)
			want := strings.Fields(s["want"])
			kernels := []string{"k"}
			if s["kernels"] != "" {
				kernels = strings.Fields(s["kernels"])
			}
			for _, optimise := range []bool{false, true} {
				got, stdout := execute(t, path, []byte(s["in.cu"]), optimise, threads, kernels, len(want)/len(kernels))
				for i, w := range want {
					if fmt.Sprint(got[i]) != w {
						t.Errorf("optimise %t: out[%d] = %d, want %s", optimise, i, got[i], w)
					}
				}
				if stdout != s["stdout"] {
					t.Errorf("optimise %t: printed %q, want %q", optimise, stdout, s["stdout"])
				}
			}
		})
	}
}
