package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"irgl/internal/engine"
)

// exampleModule is the module that uses irgl from outside.
const exampleModule = "../../examples/module"

// TestGenExample: the packages in the example are what gen writes.
func TestGenExample(t *testing.T) {
	for _, name := range []string{"reach", "costs"} {
		dir := t.TempDir()
		if status, _, stderr := call(t, "gen", filepath.Join(exampleModule, name, name+".irgl"), "-o", dir); status != 0 {
			t.Fatal(stderr)
		}
		got, want := folder(t, dir), folder(t, filepath.Join(exampleModule, name))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("package %s is stale: run go generate in examples/module\n%s", name, diff)
		}
	}
}

// folder returns the files of a folder by name.
func folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[f.Name()] = string(text)
	}
	return out
}

// oddNames has parameters and outputs whose Go names need care.
const oddNames = `Graph g { Output Node float graph; Output Edge unsigned long _id; }
Output bool result = false;
Output bool flags[3];
Output double err = 0;
Kernel K(g) { ForAll (n In g.nodes) { n.graph = 1; } }
Host type(node a_b = 0, float aB = INF, bool ctx = true, char c = 'x', unsigned u = 7) { Invoke K(g); result = true; flags[0] = ctx; err = aB; }
`

// TestGenBuilds: the packages of all bundled programs, and of one with odd names, are
// right Go in a module of their own.
func TestGenBuilds(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the Go toolchain")
	}
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(exampleModule, name))
		if err != nil {
			t.Fatal(err)
		}
		text = []byte(strings.ReplaceAll(string(text), "=> ../..", "=> "+root))
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	odd := filepath.Join(t.TempDir(), "type.irgl")
	if err := os.WriteFile(odd, []byte(oddNames), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range append(engine.Programs(), odd) {
		base := strings.TrimSuffix(filepath.Base(name), ".irgl")
		if status, _, stderr := call(t, "gen", name, "-o", filepath.Join(dir, base)); status != 0 {
			t.Errorf("%s: %s", name, stderr)
		}
	}
	cmd := exec.Command(tool, "vet", "./...")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// A folder that was made for files of which none could be written is removed.
func TestWriteAllFails(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "package")
	failed := errors.New("failed")
	fails := output{"b.go", func(io.Writer) error { return failed }}
	works := output{"a.go", func(io.Writer) error { return nil }}
	if err := writeAll(context.Background(), nil, dir, []output{fails}); !errors.Is(err, failed) {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is left: %v", err)
	}
	if err := writeAll(context.Background(), nil, dir, []output{works, fails}); !errors.Is(err, failed) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "a.go")); err != nil {
		t.Error(err)
	}
}
