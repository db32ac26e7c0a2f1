package ssagen_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/ptx"
)

// execute runs kernel k(long long *out) of a text on the emulator and returns
// out and what it printed. Faults that the emulator reports fail the test.
func execute(t testing.TB, name string, text []byte, threads uint32, n int) ([]int64, string) {
	t.Helper()
	mod := compile(t, name, text)
	var stdout bytes.Buffer
	o := simt.Checked()
	o.Stdout = &stdout
	o.MaxInstructions = 50_000_000
	d := simt.Open(o)
	defer d.Close()
	m, err := d.Load(name, ptx.Print(mod))
	if err != nil {
		t.Fatalf("%v\n%s", err, ptx.Print(mod))
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Alloc("out", int64(8*n))
	if err != nil {
		t.Fatal(err)
	}
	params := binary.LittleEndian.AppendUint64(nil, uint64(p))
	if err := d.Launch(k, device.Launch{Block: device.Dim3{X: threads}, Shared: 1024, Params: params}); err != nil {
		t.Fatal(err)
	}
	if err := d.Sync(context.Background()); err != nil {
		t.Fatalf("%v\n%s", err, ptx.Print(mod))
	}
	for _, r := range d.Reports() {
		t.Errorf("%s", r)
	}
	buf := make([]byte, 8*n)
	if err := d.CopyOut(buf, p); err != nil {
		t.Fatal(err)
	}
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(binary.LittleEndian.Uint64(buf[8*i:]))
	}
	return out, stdout.String()
}

// TestRun runs testdata/run/*.txtar: in.cu has the kernel k(long long *out);
// threads is the size of the block (1 when it is left out); want lists out in
// decimal; stdout is what the kernel prints.
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
			got, stdout := execute(t, path, []byte(s["in.cu"]), threads, len(want))
			for i, w := range want {
				if fmt.Sprint(got[i]) != w {
					t.Errorf("out[%d] = %d, want %s", i, got[i], w)
				}
			}
			if stdout != s["stdout"] {
				t.Errorf("printed %q, want %q", stdout, s["stdout"])
			}
		})
	}
}
