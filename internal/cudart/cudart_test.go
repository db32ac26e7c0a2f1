//go:build linux

package cudart

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"irgl/internal/compile"
	"irgl/internal/ptxgen"
	"irgl/internal/serve"
	"irgl/internal/source"
	"irgl/syntax"
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
	code := m.Run()
	if folder != "" {
		_ = os.RemoveAll(folder)
	}
	os.Exit(code)
}

var folder string // of what is built, for all tests

// flags are those that the runtime must compile under without a warning.
var flags = []string{"-std=c++17", "-Wall", "-Wextra", "-Werror"}

// TestLicences: what ends up in programs of others has a licence that lets them.
func TestLicences(t *testing.T) {
	err := fs.WalkDir(Files(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(Files(), path)
		if !strings.HasPrefix(string(text), "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n") {
			t.Errorf("%s does not begin with its licence", path)
		}
		if bytes.Contains(bytes.ToLower(text), []byte("copyright")) {
			t.Errorf("%s: whose copyright?", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// compilers returns the machine's C++ compilers, or skips the test.
func compilers(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, name := range []string{"g++", "clang++"} {
		if path, err := exec.LookPath(name); err == nil {
			list = append(list, path)
		}
	}
	if len(list) == 0 {
		t.Skip("neither g++ nor clang++ is in PATH")
	}
	return list
}

// command runs a command, which must succeed.
func command(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return nil
}

// built is the program of testdata/program, with the runtime, once for all tests.
var built = sync.OnceValues(func() (string, error) {
	var err error
	if folder, err = os.MkdirTemp("", "cudart"); err != nil {
		return "", err
	}
	if err := writePTX(filepath.Join(folder, "kernels.ptx.h")); err != nil {
		return "", err
	}
	compiler := "g++"
	if _, err := exec.LookPath(compiler); err != nil {
		compiler = "clang++"
	}
	var parts []string
	var failed [3]error
	var wait sync.WaitGroup
	for i, src := range []string{"runtime/irgl_runtime.cpp", "testdata/program/kernels.cpp", "testdata/program/main.cpp"} {
		part := filepath.Join(folder, filepath.Base(src)+".o")
		parts = append(parts, part)
		wait.Go(func() {
			failed[i] = command(compiler, slices.Concat(flags, []string{"-Iinclude", "-idirafter", "../cxx/headers/include", "-Iruntime", "-I" + folder, "-c", src, "-o", part})...)
		})
	}
	wait.Wait()
	if err := errors.Join(failed[:]...); err != nil {
		return "", err
	}
	program := filepath.Join(folder, "program")
	// main comes first: its constructors run before those of kernels, but not before its images.
	return program, command(compiler, parts[2], parts[1], parts[0], "-o", program, "-ldl", "-lpthread")
})

// writePTX compiles the kernels and writes them as a C++ array.
func writePTX(path string) error {
	text, err := os.ReadFile("testdata/program/kernels.cu")
	if err != nil {
		return err
	}
	u, err := compile.Compile(source.NewFile("kernels.cu", text), syntax.CUDA, "", compile.Options{PTX: ptxgen.Options{Lines: true}})
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("static const char ptx[] =\n")
	for line := range strings.Lines(u.PTXText()) {
		fmt.Fprintf(&b, "    R\"PTX(%s)PTX\"\n", line)
	}
	b.WriteString("    ;\n")
	return os.WriteFile(path, []byte(b.String()), 0o644)
}

// A result is what a run of the program gave.
type result struct {
	stdout, stderr string
	status         int
}

// run runs one test of the program.
func run(t *testing.T, test string, env ...string) result {
	t.Helper()
	if testing.Short() {
		t.Skip("it compiles the runtime, which takes seconds")
	}
	compilers(t)
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, test)
	cmd.Env = append(os.Environ(), "IRGL="+self, "IRGL_DEVICE=simt")
	cmd.Env = append(cmd.Env, env...)
	cmd.WaitDelay = 2 * time.Second // a child that keeps the output open is an error
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v\n%s%s", err, &out, &errs)
	}
	return result{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// want compares what a test of the program has printed.
func (r result) want(t *testing.T, status int, stdout string) {
	t.Helper()
	if r.status != status {
		t.Errorf("the exit status is %d, want %d", r.status, status)
	}
	if diff := cmp.Diff(strings.TrimPrefix(stdout, "\n"), r.stdout); diff != "" {
		t.Errorf("stdout (-want +got):\n%s", diff)
	}
	if t.Failed() {
		t.Logf("stderr:\n%s", r.stderr)
	}
}

// quiet is for programs that print nothing to standard error.
func (r result) quiet(t *testing.T) {
	t.Helper()
	if r.stderr != "" {
		t.Errorf("stderr: %s", r.stderr)
	}
}

// shell runs a command of the shell on the emulator, and returns all that it prints.
func shell(command string) (string, error) {
	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.Env = append(os.Environ(), "IRGL_DEVICE=simt")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestCompilers: the runtime and the headers compile without a warning, with each
// compiler of the machine.
func TestCompilers(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles the runtime with each compiler")
	}
	for _, compiler := range compilers(t) {
		out := filepath.Join(t.TempDir(), "runtime.o")
		if err := command(compiler, slices.Concat(flags, []string{"-O2", "-Wshadow", "-Iinclude", "-Iruntime", "-c", "runtime/irgl_runtime.cpp", "-o", out})...); err != nil {
			t.Error(err)
		}
	}
}
