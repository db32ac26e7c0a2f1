package bench

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestCompileFiles compiles files with two shell scripts in the place of the compilers.
func TestCompileFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, text := range map[string]string{
		"set/a.cu": "int a;\n", "set/deep/b.cu": "# include <cub/block/block_reduce.cuh>\n", "set/ours.cu": "", "set/nvcc.cu": "", "set/other.cu": "",
		"set/readme.txt": "",
	} {
		write(name, text)
	}
	const busy = "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done\n"
	o := FilesOptions{
		Folder: filepath.Join(dir, "set"), Match: regexp.MustCompile(`/(a|b|ours|nvcc)\.cu$`), Std: "c++17", Target: "sm_90", Include: []string{"inc"}, Repeat: 2, Sample: 5, Seed: 3,
		Tools: Tools{
			Self: []string{write("irgl", "#!/bin/sh\necho ours $* >> "+dir+"/calls\ncase $2 in *ours.cu) exit 1;; esac\n")},
			NVCC: write("nvcc", "#!/bin/sh\necho nvcc $* >> "+dir+"/calls\ncase $6 in *nvcc.cu) exit 1;; esac\n"+busy),
		},
	}
	rep, err := CompileFiles(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Files) != 2 || rep.Refused != 1 || rep.NVCC != 1 || len(rep.Of(true)) != 1 || len(rep.Of(false)) != 1 {
		t.Fatalf("%+v", rep)
	}
	if !slices.IsSortedFunc(rep.Files, func(a, b FileCost) int { return int(1e6 * (a.Ratio() - b.Ratio())) }) {
		t.Errorf("not in order of ratios: %+v", rep.Files)
	}
	calls, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	a := filepath.Join(dir, "set/a.cu")
	for what, want := range map[string]int{
		"ours build " + a + " --emit=ptx --std=c++17 --target=sm_90 -o ": 2,
		"nvcc -ptx -O3 -w -std=c++17 -arch=sm_90 " + a + " -o ":          2,
		" -I inc\n":  4 + 4 + 1 + 2,
		"other.cu":   0,
		"readme.txt": 0,
	} {
		if n := strings.Count(string(calls), what); n != want {
			t.Errorf("%q is in %d calls, want %d\n%s", what, n, want, calls)
		}
	}
	var b strings.Builder
	if err := rep.WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| without cub and thrust | 1 |", "| with cub or thrust | 1 |", "1 files more are refused by us, 1 by nvcc alone", "| " + a + " |"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
	o.Match = regexp.MustCompile("nothing")
	if _, err := CompileFiles(t.Context(), o); err == nil || !strings.Contains(err.Error(), "no such .cu files") {
		t.Errorf("%v", err)
	}
}
