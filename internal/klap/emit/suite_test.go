//go:build linux

package emit_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/cudabuild"
	"irgl/internal/golden"
	"irgl/internal/klap/suite"
	"irgl/internal/serve"
)

// TestMain makes the test's binary the emulator's process, too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		if err := serve.Serve(context.Background(), os.Stdin, os.Stdout, serve.Options{Version: "test", Arena: 3, HasArena: true}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// transformations returns the flags with which a benchmark's text is written.
func transformations(b *suite.Benchmark) []string {
	list := []string{
		"-DSTREAM=2", "-DSTREAM=2 --granularity=warp", "-DSTREAM=2 --granularity=block", "-DSTREAM=2 --granularity=multiblock:2",
		"-DSTREAM=2 --granularity=grid", "-DSTREAM=2 --granularity=grid --grid-launch=host", "-DSTREAM=1 --granularity=block", "-DSTREAM=2 --threshold=64 --coarsen=4 --granularity=block",
	}
	if b.Kind == suite.Promotion {
		list = append(list, "--promote=basic", "--promote=overlap", "--promote=aggregate:4", "--promote=aggregate:4,overlap")
	}
	return list
}

// some are those that are built and compiled without IRGL_ALL, which takes a quarter of an hour. -short has one.
var some = map[string]string{
	"qt": "-DSTREAM=2 --granularity=grid", "bfs": "-DSTREAM=2 --granularity=warp", "sp": "-DSTREAM=1 --granularity=block", "ccl": "-DSTREAM=2 --granularity=multiblock:2",
	"bt": "-DSTREAM=2 --threshold=64 --coarsen=4 --granularity=block", "sc": "--promote=aggregate:4,overlap",
	"mstf": "-DSTREAM=2 --granularity=grid --grid-launch=host",
}

// each writes the texts of all benchmarks with all transformations, which reads them back, and tests some of them.
func each(t *testing.T, test func(t *testing.T, b *suite.Benchmark, path, flags string)) {
	all := os.Getenv("IRGL_ALL") != ""
	for _, b := range suite.All() {
		for _, flags := range transformations(b) {
			if !all && some[b.Name] != flags || testing.Short() && b.Name != "qt" {
				continue
			}
			t.Run(b.Name+" "+flags, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				path, err := b.Write(dir)
				if err != nil {
					t.Fatal(err)
				}
				out := filepath.Join(dir, "out.cu")
				if err := os.WriteFile(out, written(t, path, flags, dir).Text, 0o666); err != nil {
					t.Fatal(err)
				}
				test(t, b, out, flags)
			})
		}
	}
}

// TestWritten writes the texts of all benchmarks with all transformations; each is read back.
func TestWritten(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads all benchmarks many times")
	}
	dir := t.TempDir()
	for _, b := range suite.All() {
		path, err := b.Write(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, flags := range transformations(b) {
			if r := written(t, path, flags, dir); !r.Changed && strings.Contains(flags, "--promote=basic") {
				t.Errorf("%s %s: nothing has changed", b.Name, flags)
			}
		}
	}
}

// macro returns the flag of those that the compiler of the text takes.
func macro(flags string) []string {
	return slices.DeleteFunc(strings.Fields(flags), func(f string) bool { return !strings.HasPrefix(f, "-D") })
}

// needsCompiler skips a test where programs cannot be built.
func needsCompiler(t *testing.T) {
	o, err := cudabuild.ParseFlags([]string{"a.cu"})
	if err != nil {
		t.Fatal(err)
	}
	if err := cudabuild.HasCompiler(o); err != nil {
		t.Skip(err)
	}
	if runtime.GOARCH != "amd64" {
		t.Skip("programs are tested on amd64")
	}
}

// printed builds a program, runs it on the emulator, and returns what it prints, and what it says of errors.
func printed(t *testing.T, path string, flags []string, args ...string) (out, said string, err error) {
	t.Helper()
	program := strings.TrimSuffix(path, ".cu")
	o, err := cudabuild.ParseFlags(append(flags, path, "-o", program))
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	if err := cudabuild.Build(t.Context(), o, io.Discard, &stderr); err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), "IRGL="+self, "IRGL_DEVICE=simt", "IRGL_SIMT=seed=1")
	cmd.WaitDelay = 2 * time.Second
	stderr.Reset()
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	return stdout.String(), stderr.String(), err
}

// TestHosts has whole programs print the same as text, as they are built with the options, and as they are. With $NVCC, that compiles the texts without a warning.
func TestHosts(t *testing.T) {
	needsCompiler(t)
	golden.Each(t, "testdata/hosts/*.txtar", func(t *testing.T, a *txtar.Archive) {
		path, flags := unpacked(t, a), strings.TrimSpace(string(golden.Find(a, "options").Data))
		out := filepath.Join(filepath.Dir(path), "out.cu")
		if err := os.WriteFile(out, written(t, path, flags, "").Text, 0o666); err != nil {
			t.Fatal(err)
		}
		want, said, err := printed(t, path, nil)
		if err != nil || !strings.Contains(want, "no error") {
			t.Fatalf("%v\n%s%s", err, want, said)
		}
		if got, said, err := printed(t, path, strings.Fields(flags)); got != want || err != nil {
			t.Errorf("with the options: %v\n%s%swant\n%s", err, got, said, want)
		}
		if got, said, err := printed(t, out, nil); got != want || err != nil {
			t.Errorf("as text: %v\n%s%swant\n%s", err, got, said, want)
		}
		if tool := os.Getenv("NVCC"); tool != "" {
			if said, err := exec.CommandContext(t.Context(), tool, nvccFlags(out)...).CombinedOutput(); err != nil || len(said) > 0 {
				t.Errorf("%v\n%s", err, said)
			}
		}
	})
}

// nvccFlags are those by which nvcc compiles a text.
func nvccFlags(path string) []string {
	return []string{"-std=c++17", "-rdc=true", "-arch=sm_90", "-Xcompiler", "-Wall", "-c", path, "-o", strings.TrimSuffix(path, ".cu") + ".o"}
}

// TestBenchmarks builds the texts as programs are built, runs them on the emulator, and writes them again.
func TestBenchmarks(t *testing.T) {
	needsCompiler(t)
	each(t, func(t *testing.T, b *suite.Benchmark, path, flags string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if r := written(t, path, "", ""); r.Changed || !bytes.Equal(r.Text, text) {
			t.Error("without a transformation the text does not stay as it is")
		}
		out, said, err := printed(t, path, macro(flags), append(b.Arguments(suite.Test, ""), "--seed", "1")...)
		if r, e := suite.ParseOutput(out); err != nil || e != nil || r.Check != "ok" {
			t.Fatalf("%v, %v\n%s%s", err, e, out, said)
		}
	})
}

// TestNVCC has nvcc compile the texts without a warning.
func TestNVCC(t *testing.T) {
	tool := os.Getenv("NVCC")
	if tool == "" {
		var err error
		if tool, err = exec.LookPath("nvcc"); err != nil {
			t.Skip("$NVCC is not set, and there is no nvcc in PATH")
		}
	}
	each(t, func(t *testing.T, b *suite.Benchmark, path, flags string) {
		if said, err := exec.CommandContext(t.Context(), tool, append(macro(flags), nvccFlags(path)...)...).CombinedOutput(); err != nil || len(said) > 0 {
			t.Errorf("%v\n%s", err, said)
		}
	})
}
