package ssagen_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/check"
	"irgl/internal/ptx"
	"irgl/internal/ptxgen"
	"irgl/internal/source"
	"irgl/internal/ssa"
	"irgl/internal/ssa/opt"
	"irgl/internal/ssagen"
	"irgl/syntax"
)

// compile takes a .cu text to PTX, through the scalar passes if optimise is
// set, verifying on the way.
func compile(t testing.TB, name string, text []byte, optimise bool) *ptx.Module {
	t.Helper()
	m, err := translate(name, text, optimise)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// fused lets a GPU's assembler contract multiplications and additions in all
// tests: the library of mathematical functions must bear it.
var fused = os.Getenv("IRGL_FUSE") != ""

// translate is compile without a test to fail.
func translate(name string, text []byte, optimise bool) (*ptx.Module, error) {
	return translateFor("sm_80", name, text, optimise)
}

// translateFor is translate for a target.
func translateFor(target, name string, text []byte, optimise bool) (*ptx.Module, error) {
	diags := &source.List{}
	f := syntax.Parse(source.NewFile(name, text), syntax.CUDA, diags)
	if diags.Errors() == 0 {
		info := check.Check(f, diags)
		if diags.Errors() == 0 {
			m := ssagen.Build(info, diags, ssagen.Options{})
			if diags.Errors() == 0 {
				if err := ssa.Verify(m); err != nil {
					return nil, fmt.Errorf("%w\n%s", err, m)
				}
				if optimise {
					if _, err := opt.Run(m, opt.Options{Contract: fused}); err != nil {
						return nil, err
					}
				}
				out, err := ptxgen.Generate(m, ptxgen.Options{Target: target, FuseMulAdd: fused})
				if err != nil {
					return nil, fmt.Errorf("%w\n%s", err, m)
				}
				if err := ptx.Verify(out); err != nil {
					return nil, fmt.Errorf("%w\n%s", err, ptx.Print(out))
				}
				return out, nil
			}
		}
	}
	var b strings.Builder
	diags.Render(&b)
	return nil, errors.New(b.String())
}

// kernels returns testdata/kernels/*.cu.
func kernels(t testing.TB) []string {
	paths, err := filepath.Glob("testdata/kernels/*.cu")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no kernels: %v", err)
	}
	return paths
}

// TestPtxas takes every kernel of testdata through the compiler, and has
// NVIDIA's assembler accept what comes out.
func TestPtxas(t *testing.T) {
	ptxas := os.Getenv("PTXAS")
	if ptxas == "" {
		ptxas, _ = exec.LookPath("ptxas")
	}
	for _, path := range kernels(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, optimise := range []bool{false, true} {
				m, err := translateFor("sm_75", path, text, optimise)
				if err != nil {
					t.Fatal(err)
				}
				out := ptx.Print(m)
				if ptxas == "" {
					continue
				}
				file := filepath.Join(t.TempDir(), "a.ptx")
				if err := os.WriteFile(file, []byte(out), 0o666); err != nil {
					t.Fatal(err)
				}
				for _, arch := range []string{"sm_75", "sm_80", "sm_90", "sm_100"} {
					msg, err := exec.Command(ptxas, "-arch="+arch, file, "-o", file+".cubin").CombinedOutput()
					if err != nil || warns(string(msg)) {
						t.Errorf("%s: %v\n%s\n%s", arch, err, msg, out)
					}
				}
			}
		})
	}
}

// warns reports whether ptxas warns of anything but the stack size of kernels that recurse
// or call through pointers.
func warns(msg string) bool {
	for line := range strings.Lines(msg) {
		if strings.Contains(line, "warning") && !strings.Contains(line, "cannot be statically determined") {
			return true
		}
	}
	return false
}

// TestAccept takes every file of testdata/accept.txtar to PTX.
func TestAccept(t *testing.T) {
	a, err := txtar.ParseFile("testdata/accept.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Files {
		t.Run(f.Name, func(t *testing.T) {
			for _, optimise := range []bool{false, true} {
				compile(t, f.Name, f.Data, optimise)
			}
		})
	}
}

// BenchmarkCompile measures the road from text to PTX, without ptxas.
func BenchmarkCompile(b *testing.B) {
	text, err := os.ReadFile("testdata/kernels/mixed.cu")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		_ = ptx.Print(compile(b, "mixed.cu", text, true))
	}
}
