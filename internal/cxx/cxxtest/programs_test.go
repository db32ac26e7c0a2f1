package cxxtest

import (
	"context"
	"encoding/binary"
	"fmt"
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
	"irgl/syntax"
)

// outputs is how many numbers a program of the archives writes.
const outputs = 32

// TestPrograms runs the programs of the archives in testdata on the emulator, one thread
// each, with all checks. A section NAME.cu has a kernel k(int *o); NAME.out has what o holds when g++
// compiles the text for the host, which -update records.
func TestPrograms(t *testing.T) {
	golden.Each(t, "testdata/*.txtar", func(t *testing.T, ar *txtar.Archive) {
		if len(ar.Files)%2 != 0 {
			t.Fatal("a program without answers")
		}
		for i := 0; i < len(ar.Files); i += 2 {
			in, out := &ar.Files[i], &ar.Files[i+1]
			name := strings.TrimSuffix(in.Name, ".cu")
			if name+".cu" != in.Name || name+".out" != out.Name {
				t.Fatalf("sections %s and %s are not a program and its answers", in.Name, out.Name)
			}
			t.Run(name, func(t *testing.T) {
				if golden.Updating() {
					want, err := hostProgram(t, string(in.Data))
					if err != nil {
						t.Fatal(err)
					}
					golden.Data(t, out, want)
				}
				got, err := deviceProgram(in.Name, in.Data)
				if err != nil {
					t.Fatal(err)
				}
				golden.Equal(t, in.Name, string(out.Data), got)
			})
		}
	})
}

// hostProgram returns what the kernel of a text writes when g++ compiles it.
func hostProgram(t *testing.T, text string) (string, error) {
	exe := filepath.Join(t.TempDir(), "a.out")
	cmd := exec.Command("g++", "-std=c++17", "-O0", "-w", "-x", "c++", "-", "-o", exe)
	cmd.Stdin = strings.NewReader("#include <cstdio>\n#include <cstring>\n#define __shared__\n#define __host__\n#define __device__\n#define __global__\n" + text +
		fmt.Sprintf("\nint main() { int o[%d] = {}; k(o); for (int x : o) printf(\"%%d \", x); puts(\"\"); }\n", outputs))
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("g++: %w\n%s", err, out)
	}
	out, err := exec.Command(exe).Output()
	return string(out), err
}

// deviceProgram returns what the kernel of a text writes on the emulator.
func deviceProgram(name string, text []byte) (string, error) {
	u, err := compile.Compile(source.NewFile(name, text), syntax.CUDA, "", compile.Options{CXX: &cxx.Options{}})
	if err != nil {
		var b strings.Builder
		u.Diags.Render(&b)
		return "", fmt.Errorf("%w\n%s", err, b.String())
	}
	dev := simt.Open(simt.Checked())
	defer dev.Close()
	m, err := dev.Load(name, u.PTXText())
	if err != nil {
		return "", err
	}
	defer m.Close()
	k, err := m.Kernel("_Z1kPi")
	if err != nil {
		return "", err
	}
	data := make([]byte, 4*outputs)
	p, err := dev.Alloc("o", int64(len(data)))
	if err != nil {
		return "", err
	}
	if err := dev.CopyIn(p, data); err != nil {
		return "", err
	}
	one := device.Dim3{X: 1, Y: 1, Z: 1}
	if err := dev.Launch(k, device.Launch{Grid: one, Block: one, Params: binary.LittleEndian.AppendUint64(nil, uint64(p))}); err != nil {
		return "", err
	}
	if err := dev.Sync(context.Background()); err != nil {
		return "", err
	}
	if err := dev.CopyOut(data, p); err != nil {
		return "", err
	}
	for _, r := range dev.Reports() {
		return "", fmt.Errorf("%s: %s", r.Kind, r.Message)
	}
	var b strings.Builder
	for i := range outputs {
		fmt.Fprintf(&b, "%d ", int32(binary.LittleEndian.Uint32(data[4*i:])))
	}
	return b.String() + "\n", nil
}
