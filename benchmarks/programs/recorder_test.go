package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// cuptiFolders returns the folders with the headers of CUPTI and CUDA: that of the
// environment variable CUPTI, as build --cupti takes it, and that of PTXAS.
func cuptiFolders(t *testing.T) (include []string) {
	t.Helper()
	var dirs []string
	if d := os.Getenv("CUPTI"); d != "" {
		dirs = append(dirs, d)
	}
	if ptxas := os.Getenv("PTXAS"); ptxas != "" {
		dirs = append(dirs, filepath.Dir(filepath.Dir(ptxas)))
	}
	have := map[string]bool{}
	for _, d := range dirs {
		inc := filepath.Join(d, "include")
		include = append(include, "-I"+inc)
		for _, h := range []string{"cupti.h", "cuda.h"} {
			have[h] = have[h] || exists(filepath.Join(inc, h))
		}
	}
	if _, err := exec.LookPath("gcc"); err != nil || !have["cupti.h"] || !have["cuda.h"] {
		t.Skip("no gcc, or no headers of CUPTI and CUDA in the folders of CUPTI and PTXAS")
	}
	return include
}

func gcc(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("gcc %v: %v\n%s", args, err, out)
	}
}

// TestRecorder runs the recorder in a program under a library that stands in for CUPTI.
func TestRecorder(t *testing.T) {
	long(t)
	include := cuptiFolders(t)
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	gcc(t, append(include, "-Wall", "-Wextra", "-Werror", "-O2", "-fPIC", "-shared", "recorder/recorder.c", "-o", file("recorder.so"), "-ldl", "-lpthread")...)
	gcc(t, append(include, "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "recorder/testdata/cupti.c", "-o", file("cupti.so"))...)
	gcc(t, "-Wall", "-Wextra", "-Werror", "recorder/testdata/program.c", "-o", file("program"), "-ldl")
	const some = "_Z3addPi 1000 3000\n_Z3mulPi 3500 3600\nflush\n_Z3addPi 4000 5000\n_Z3addPi 6000 0\n"
	var many strings.Builder
	for i := range 4000 { // more than a buffer has room for
		fmt.Fprintf(&many, "k%d %d %d\n", i%3, 10*i+1, 10*i+6)
	}
	for _, c := range []struct {
		name, records     string
		ms, max           int
		limit             time.Duration
		status, want, end string
		least             time.Duration
	}{
		{"exit", some, 50, 0, 10 * time.Second, statusOK, "[{_Z3addPi 2 [2000 1000]} {_Z3mulPi 1 [100]}]", "exit", 0},
		{"limit", some, 60000, 300, 10 * time.Second, statusOK, "[{_Z3addPi 2 [2000 1000]} {_Z3mulPi 1 [100]}]", "limit", 300 * time.Millisecond},
		{"signal", some, 60000, 0, 500 * time.Millisecond, statusLimit, "[{_Z3addPi 2 [2000 1000]} {_Z3mulPi 1 [100]}]", "signal", 0},
		{"none", "flush\n", 50, 10, 10 * time.Second, statusOK, "[]", "exit", 0},
		{"many", many.String(), 600, 0, 10 * time.Second, statusOK, "4000", "exit", 0},
	} {
		records := file(c.name)
		if err := os.Mkdir(records, 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, dir, c.name+".txt", c.records)
		begin := time.Now()
		o := execute(t.Context(), dir, fmt.Sprintf("exec ./program %d", c.ms), []string{"CUDA_INJECTION64_PATH=" + file("recorder.so"), "KERNELS_CUPTI=" + file("cupti.so"),
			"KERNELS_OUT=" + records, fmt.Sprintf("KERNELS_MAX_MS=%d", c.max), "FAKE_RECORDS=" + file(c.name+".txt")}, c.limit)
		kernels, end, err := readRecords(records)
		got := fmt.Sprint(kernels)
		if c.name == "many" {
			n := 0
			for _, k := range kernels {
				n += k.Launches
			}
			got = fmt.Sprint(n)
		}
		if err != nil || o.Status != c.status || end != c.end || got != c.want || time.Since(begin) < c.least || time.Since(begin) > 8*time.Second {
			t.Errorf("%s: %s in %v, %s, %.200s, %v\n%s", c.name, o.Status, time.Since(begin), end, got, err, o.output)
		}
		if c.name == "exit" {
			text, err := os.ReadFile(onlyFile(t, records))
			if err != nil || !strings.Contains(string(text), "\nleft_out 3\nend exit\n") { // one that had not ended, and two lost by CUPTI
				t.Errorf("%s, %v", text, err)
			}
		}
	}
}

func onlyFile(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	return files[0]
}
