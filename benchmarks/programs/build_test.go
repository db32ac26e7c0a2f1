package main

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// sources makes checkouts of a suite s and a table of it, and compilers that compile C, of which irgl
// refuses what has REFUSE in it and nvcc what has -arch=sm_60 on its command line.
func sources(t *testing.T) (dir, table, irgl, nvcc string) {
	t.Helper()
	for _, tool := range []string{"gcc", "make", "strip"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("no " + tool)
		}
	}
	dir = t.TempDir()
	const makefile = "main: main.cu ../common/c.c\n\t$(CUDA)/bin/nvcc -arch=sm_60 -gencode arch=compute_60,code=sm_60 main.cu ../common/c.c -o main\nrun: main\n\t./main 7 ../data/in.txt\n"
	const text = "#include <stdio.h>\nint c(void);\nint main(int n, char **v) { printf(\"%s %d\\n\", v[1], c()); return 0; }\n"
	write(t, dir, "rep/src/good/Makefile", makefile, "rep/src/good/main.cu", text, "rep/src/good/params.txt", "1", "rep/src/good/main.o", "stale",
		"rep/src/hard/Makefile", makefile, "rep/src/hard/main.cu", text+"/* REFUSE */", "rep/src/common/c.c", "int c(void) { return 5; }", "rep/src/data/in.txt", "i",
		"table", strings.Replace(head, "a/b", "owner/rep", 1)+"folder src\nbuild make\nrun make run\ninput echo made > made.dat\n\nprogram good\n\nprogram hard\n\nprogram none\n",
		"bin/irgl", "#!/bin/sh\nshift 2\ncase \"$*\" in *main.cu*) if grep -q REFUSE main.cu; then echo 'main.cu:4: error: refused' >&2; exit 1; fi ;; esac\nwhile [ $# -gt 0 ]; do case $1 in -arch=*) [ $1 = -arch=sm_90 ] || exit 9; shift ;; *) break ;; esac; done\nexec gcc -x c \"$@\"\n",
		"bin/nvcc", "#!/bin/sh\n[ \"$1\" = --version ] && { echo Build fake; exit; }\ncase \"$*\" in *sm_60*) exit 9 ;; esac\nfor a do shift; case $a in -arch=*) ;; *) set -- \"$@\" \"$a\" ;; esac; done\nexec gcc -x c \"$@\"\n")
	return dir, filepath.Join(dir, "table"), filepath.Join(dir, "bin", "irgl"), filepath.Join(dir, "bin", "nvcc")
}

// build runs the command and returns what it prints.
func build(ctx context.Context, t *testing.T, args ...string) (string, error) {
	t.Helper()
	var b strings.Builder
	cmd := buildCommand()
	cmd.SetOut(&b)
	cmd.SetErr(io.Discard)
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(ctx)
	return b.String(), err
}

func TestBuild(t *testing.T) {
	needSh(t)
	dir, table, irgl, nvcc := sources(t)
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"--sources", dir, "--out", out, "--table", table, "--irgl", irgl, "--nvcc", nvcc, "--jobs", "2"}
	text, err := build(t.Context(), t, args...)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"s/hard  irgl: exit 2: main.cu:4: error: refused  nvcc ", "s/none  irgl: there is no folder src/none", "3 programs: 1 built by irgl, 2 by nvcc\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, name := range []string{"files/src/good/params.txt", "files/src/good/made.dat", "files/src/data/in.txt", "irgl/main", "nvcc/main", "irgl.log"} {
		if !exists(filepath.Join(out, "programs/s/good", name)) {
			t.Errorf("no %s", name)
		}
	}
	for _, name := range []string{"rep/src/good/main", "rep/src/good/made.dat"} {
		if exists(filepath.Join(dir, name)) {
			t.Errorf("%s is in the sources", name)
		}
	}
	programs, err := loadPrograms(out, nil)
	if err != nil || len(programs) != 3 || programs[0].Command != "./main 7 ../data/in.txt" || len(programs[0].Missing) != 0 {
		t.Fatalf("%+v, %v", programs, err)
	}
	// What is built stays; a new compiler builds its own part.
	before := programs[0].Builds
	write(t, dir, "bin/irgl", "#!/bin/sh\nexit 1\n")
	if text, err = build(t.Context(), t, append(args, "--only", "good")...); err != nil || !strings.Contains(text, "1 programs: 0 built by irgl, 1 by nvcc") {
		t.Error(text, err)
	}
	if programs, err = loadPrograms(out, nil); err != nil || programs[0].Builds["nvcc"] != before["nvcc"] || programs[0].Builds["irgl"].Reason == "" {
		t.Error(programs[0].Builds, err)
	}
	if text, err = build(t.Context(), t, append(args, "--nvcc", "", "--only", "good")...); err != nil || !strings.Contains(text, "0 built by irgl, 1 by nvcc") {
		t.Error(text, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := build(ctx, t, args...); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if text, err = build(t.Context(), t, "--table", table, "--fetch-list"); err != nil || text != "owner/rep 0123456789012345678901234567890123456789\n" {
		t.Error(text, err)
	}
}

// TestPack: an archive has what a run needs, is the same each time, and what is unpacked runs.
func TestPack(t *testing.T) {
	long(t)
	needSh(t)
	dir, table, irgl, nvcc := sources(t)
	out := filepath.Join(t.TempDir(), "out")
	if _, err := build(t.Context(), t, "--sources", dir, "--out", out, "--table", table, "--irgl", irgl, "--nvcc", nvcc); err != nil {
		t.Fatal(err)
	}
	var archives [2][]byte
	for i := range archives {
		file := filepath.Join(t.TempDir(), "p.tar.zst")
		cmd := packCommand()
		cmd.SetOut(io.Discard)
		cmd.SetArgs([]string{"--in", out, "--out", file})
		if err := cmd.ExecuteContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		var err error
		if archives[i], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(archives[0], archives[1]) {
		t.Error("the same builds give two archives")
	}
	z, err := zstd.NewReader(bytes.NewReader(archives[0]))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	unpacked := t.TempDir()
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(h.Name, ".log") {
			t.Errorf("%s is in the archive", h.Name)
		}
		if h.Typeflag == tar.TypeReg {
			write(t, unpacked, h.Name, string(text))
		}
	}
	if !linked(filepath.Join(unpacked, "programs", "bench")) {
		t.Error("the command is not in the archive")
	}
	in := filepath.Join(unpacked, "programs")
	programs, err := loadPrograms(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	r := newRunner(in, t.TempDir(), &said)
	if err := r.all(t.Context(), programs, 1); err != nil {
		t.Fatal(err)
	}
	if v, err := r.verdict(programs[0]); err != nil || v.Verdict != pass {
		t.Errorf("%v, %v\n%s", v, err, said.String())
	}
	if !strings.Contains(said.String(), "no times: ") {
		t.Errorf("without a recorder:\n%s", said.String())
	}
}
