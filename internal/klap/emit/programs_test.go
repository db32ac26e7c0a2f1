package emit_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/compile"
	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/golden"
	"irgl/internal/klap/klaptest"
	"irgl/internal/source"
	"irgl/syntax"
)

// The programs of testdata/programs have what makes text hard to write. Kernel parent(int *out) is launched with the line of section
// run: grid X block X out N. Each line of section options is one transformation.

// result returns what a program leaves in out.
func result(u *compile.Unit, run string) ([]byte, error) {
	var grid, block device.Dim3
	n := 0
	grid, block = device.Dim3{Y: 1, Z: 1}, device.Dim3{Y: 1, Z: 1}
	if _, err := fmt.Sscanf(run, "grid %d block %d out %d", &grid.X, &block.X, &n); err != nil {
		return nil, fmt.Errorf("%q: %w", run, err)
	}
	r, err := klaptest.NewRunner(u, simt.Checked())
	if err != nil {
		return nil, err
	}
	defer r.Close()
	out, err := r.Device.Alloc("out", int64(4*n))
	if err != nil {
		return nil, err
	}
	if err := r.Run("_Z6parentPi", device.Launch{Grid: grid, Block: block, Params: binary.LittleEndian.AppendUint64(nil, uint64(out))}); err != nil {
		return nil, err
	}
	got := make([]byte, 4*n)
	if err := r.Device.CopyOut(got, out); err != nil {
		return nil, err
	}
	for _, report := range r.Device.Reports() {
		return nil, fmt.Errorf("the emulator reports: %v", report)
	}
	return got, nil
}

// ran compiles a file and returns what it leaves in out.
func ran(t *testing.T, path, flags, run string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	o := options(t, flags)
	o.Check = true
	u, err := compile.Compile(source.NewFile(path, text), syntax.CUDA, "", o)
	if err == nil {
		err = u.Diags.Err()
	}
	if err != nil {
		t.Fatal(err)
	}
	got, err := result(u, run)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// eachProgram writes the texts of the programs.
func eachProgram(t *testing.T, test func(t *testing.T, a *txtar.Archive, path, flags string, text []byte)) {
	golden.Each(t, "testdata/programs/*.txtar", func(t *testing.T, a *txtar.Archive) {
		path := unpacked(t, a)
		list := slices.Collect(strings.Lines(string(golden.Find(a, "options").Data)))
		for i, flags := range list {
			if chosen := len(golden.Find(a, "in.cu").Data) % len(list); testing.Short() && i != chosen {
				continue
			}
			t.Run(strings.TrimSpace(flags), func(t *testing.T) {
				r := written(t, path, flags, "")
				if !r.Changed {
					t.Error("nothing has changed")
				}
				test(t, a, path, flags, r.Text)
			})
		}
	})
}

// TestPrograms has the texts do what the programs do, and stay as they are when they are written again.
func TestPrograms(t *testing.T) {
	eachProgram(t, func(t *testing.T, a *txtar.Archive, path, flags string, text []byte) {
		run := string(golden.Find(a, "run").Data)
		out := filepath.Join(filepath.Dir(path), "out.cu")
		if err := os.WriteFile(out, text, 0o666); err != nil {
			t.Fatal(err)
		}
		if r := written(t, out, "", ""); r.Changed || !bytes.Equal(r.Text, text) {
			t.Error("without a transformation the text does not stay as it is")
		}
		if testing.Short() {
			return
		}
		want := ran(t, path, "", run)
		if got := ran(t, path, flags, run); !bytes.Equal(got, want) {
			t.Errorf("transformed: out is %v, not %v", got, want)
		}
		if got := ran(t, out, "", run); !bytes.Equal(got, want) {
			t.Errorf("as text: out is %v, not %v", got, want)
		}
	})
}

// TestProgramsNVCC has nvcc compile the texts of the programs without a warning.
func TestProgramsNVCC(t *testing.T) {
	tool := os.Getenv("NVCC")
	if tool == "" {
		t.Skip("$NVCC is not set")
	}
	eachProgram(t, func(t *testing.T, a *txtar.Archive, path, flags string, text []byte) {
		out := filepath.Join(filepath.Dir(path), "out.cu")
		if err := os.WriteFile(out, text, 0o666); err != nil {
			t.Fatal(err)
		}
		args := []string{"-std=c++17", "-rdc=true", "-arch=sm_90", "-Xcompiler", "-Wall", "-c", out, "-o", out + ".o"}
		if said, err := exec.CommandContext(t.Context(), tool, args...).CombinedOutput(); err != nil || len(said) > 0 {
			t.Errorf("%v\n%s", err, said)
		}
	})
}
