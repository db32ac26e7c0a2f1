package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestMakefileRun(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("no make")
	}
	const build = "program = main\nmain: main.cu\n\tnvcc -c main.cu\n\tnvcc main.o -o main\n"
	for text, want := range map[string]string{
		build + "run: $(program)\n\t$(LAUNCHER) ./$(program) 10 ../data/x.txt":                                     "./main 10 ../data/x.txt",
		build + "run: $(program)\n\t@echo running\n\t@time ./main 1\n\t./main \\\n\t  2 > out":                     "./main 1\n./main    2 > out",
		"all: sub\nsub:\n\tcd x && nvcc y.cu\nrun: sub\n\tcd x && ./y\n\tcd x && nvcc y.cu":                        "cd x && ./y\ncd x && nvcc y.cu",
		"N ?= 3\nARGS := $(shell echo 4)\nmain:\n\tnvcc m.cu\nrun: main\n\t./main $(N) $(ARGS)\nclean:\n\trm main": "./main 3 4",
	} {
		dir := t.TempDir()
		write(t, dir, "Makefile", text, "main.cu", "")
		if got, err := makefileRun(t.Context(), dir); err != nil || got != want {
			t.Errorf("%q:\ngot  %q, %v\nwant %q", text, got, err, want)
		}
		if exists(filepath.Join(dir, "main")) || exists(filepath.Join(dir, "out")) {
			t.Errorf("%q: something was executed", text)
		}
	}
	for text, want := range map[string]string{
		build:                  "make -n run",
		build + "run: main\n":  "target run executes nothing",
		"run: other\n\t./main": "make -n run",
	} {
		dir := t.TempDir()
		write(t, dir, "Makefile", text, "main.cu", "")
		if _, err := makefileRun(t.Context(), dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// TestMirror: what a build writes in the image, beside its folder too, is not in the sources.
func TestMirror(t *testing.T) {
	root, dst := t.TempDir(), filepath.Join(t.TempDir(), "image")
	write(t, root, "src/p/Makefile", "obj = ../q-sycl/util.o ../../common/x.o\n", "src/p/sub/a.cu", "a", "src/q-sycl/util.cpp", "u",
		"src/r/r.cu", "r", "common/x.c", "x", "README", "r")
	if err := mirror(root, "src/p", dst); err != nil {
		t.Fatal(err)
	}
	write(t, dst, "src/p/main", "m", "src/q-sycl/util.o", "o", "common/x.o", "o")
	for _, name := range []string{"src/p/main", "src/q-sycl/util.o", "common/x.o"} {
		if exists(filepath.Join(root, name)) {
			t.Errorf("%s is in the sources", name)
		}
	}
	for name, link := range map[string]bool{"src/r": true, "README": true, "src/p": false, "src/q-sycl": false, "src/p/sub": false} {
		st, err := os.Lstat(filepath.Join(dst, name))
		if err != nil || (st.Mode()&os.ModeSymlink != 0) != link {
			t.Errorf("%s: %v, %v, want a link: %v", name, st, err, link)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dst, "src/r/r.cu")); err != nil || string(text) != "r" {
		t.Error(string(text), err)
	}
	if err := mirror(root, "src/none", dst); err == nil || !strings.Contains(err.Error(), "there is no folder src/none") {
		t.Error(err)
	}
}

// TestInputs: a program gets what is neither source nor built, and what its run names, also
// outside of its folder.
func TestInputs(t *testing.T) {
	root := t.TempDir()
	write(t, root, "src/p/main.cu", "", "src/p/Makefile", "", "src/p/data/a.txt", "", "src/p/logo.png", "", "src/p/in.png", "",
		"src/data/graph.txt", "", "src/p/README.md", "")
	run := "./main -i in.png ../data/graph.txt -o=../out/none.txt ../../../etc/passwd"
	inside, err := inputsOf(filepath.Join(root, "src/p"), run)
	if got := strings.Join(inside, " "); err != nil || got != "data/a.txt in.png" {
		t.Error(got, err)
	}
	have, lack := outside(root, "src/p", run)
	if got := strings.Join(have, " ") + "|" + strings.Join(lack, " "); got != "src/data/graph.txt|src/out/none.txt" {
		t.Error(got)
	}
}
