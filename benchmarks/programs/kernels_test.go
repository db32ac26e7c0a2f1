package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadRecords(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "100", `name 0 _Z3addPi
run 0 1000 3000
name 1 _Z3mulPiS_
run 1 500 900
run 0 4000 5000
left_out 3
end exit
`, "101", "name 0 _Z3addPi\nrun 0 6000 6500\nend limit\nrun 0 70")
	kernels, end, err := readRecords(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(kernels, " ", end)
	if want := "[{_Z3mulPiS_ 1 [400]} {_Z3addPi 3 [2000 1000 500]}] limit"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for text, want := range map[string]string{
		"run 0 1 2\n":              ":1: no line of a record",
		"name 0 k\nrun 0 2 1\n":    ":2: no line",
		"name 0 k\nrun 0 1\n":      ":2: no line",
		"name 0 k\nother\n":        ":2: no line",
		"name 0 k\nleft_out all\n": ":2: no line",
	} {
		write(t, dir, "100", text)
		if _, _, err := readRecords(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	if err := os.Remove(filepath.Join(dir, "100")); err != nil {
		t.Fatal(err)
	}
	long := "name 0 k\n" + strings.Repeat("run 0 1 2\n", maxLaunches+5)
	write(t, dir, "100", long, "101", "")
	if kernels, _, err = readRecords(dir); err != nil || kernels[0].Launches != maxLaunches+5 || len(kernels[0].NS) != maxLaunches {
		t.Error(err)
	}
}

func TestNames(t *testing.T) {
	for symbol, want := range map[string][2]string{
		"_Z3addPi":                 {"add(int*)", "add"},
		"plain":                    {"plain", "plain"},
		"_ZN3lib3addIfEEvPT_":      {"void lib::add<float>(float*)", "add"},
		"_ZN12_GLOBAL__N_13addEPi": {"(anonymous namespace)::add(int*)", "add"},
		"__nv_static_31__0c1d2e3f_4_a_cu_3add__Z3addPi": {"add(int*)", "add"},
		"_Z4eachIZ4mainEUliE_EvT_":                      {"void each<main::{lambda(int)#1}>(main::{lambda(int)#1})", "each"},
		"_Z4fillILi256EN2v16vectorIfLi4EEEEvPT0_i":      {"void fill<256, v1::vector<float, 4> >(v1::vector<float, 4>*, int)", "fill"},
	} {
		name := kernelName(symbol)
		if got := [2]string{name, baseName(name)}; got != want {
			t.Errorf("%s: got %q, want %q", symbol, got, want)
		}
	}
}

func named(symbols ...string) (list []kernel) {
	for i, s := range symbols {
		list = append(list, kernel{s, 1, []int64{int64(i+1) * 1000}})
	}
	return list
}

func TestPairKernels(t *testing.T) {
	pairs, alone := pairKernels(
		named("_Z3addPi", "_Z4eachIN4irgl7ClosureILi0EEEEvT_", "_Z4eachIN4irgl7ClosureILi1EEEEvT_", "ours"),
		named("_Z4eachIZ4mainEUliE_EvT_", "_Z4eachIZ4mainEUliE0_EvT_", "_Z3addPi", "theirs"))
	var got strings.Builder
	for _, p := range pairs {
		fmt.Fprint(&got, baseName(p.name), p.irgl, p.nv, " ")
	}
	fmt.Fprint(&got, alone)
	if want := "each1 0 each2 1 add0 2 [ours theirs]"; got.String() != want {
		t.Errorf("got %s, want %s", got.String(), want)
	}
}

// TestCompareKernels: the mean over the launches that all runs have, the median over runs.
func TestCompareKernels(t *testing.T) {
	k := func(ns ...int64) []kernel { return []kernel{{"_Z1kv", len(ns), ns}} }
	got, alone := compareKernels("p", [][]kernel{k(20000, 40000, 90000), k(10000, 20000), k(400000, 400000)},
		[][]kernel{k(20000, 20000), k(20000, 20000), k(20000, 20000, 5000)})
	if len(got) != 1 || len(alone) != 0 || got[0].IRGL != 30 || got[0].NVCC != 20 || got[0].ratio() != 1.5 || got[0].Launches != 2 || got[0].Runs != 3 {
		t.Error(got, alone)
	}
	if got, alone := compareKernels("p", [][]kernel{k(1)}, nil); got != nil || alone != nil {
		t.Error(got, alone)
	}
}

func TestWriteKernels(t *testing.T) {
	var b strings.Builder
	suites := []timedSuite{
		{"one", []comparison{{"one/p", "fast(int)", 10, 20, 5, 3}, {"one/p", "void slow<int>(int)", 80, 40, 5, 3}, {"one/p", "short", 90, 9, 5, 3}}, 1},
		{"two", []comparison{{"two/q", "k", 10, 10, 5, 3}}, 0},
	}
	if err := writeKernels(&b, suites, 10, 1.1); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| one | 2 | 1.000 | 2.00 (slow) | 1 | 1 | 1 |\n",
		"| two | 1 | 1.000 | 1.00 (k) | 0 | 0 | 0 |\n",
		"| all | 3 | 1.000 | 2.00 (slow) | 1 | 1 | 1 |\n",
		"The slowest:\n\n| program | kernel | irgl, us | nvcc, us | ratio | launches | runs |\n|---|---|---|---|---|---|---|\n| one/p | void slow<int>(int) | 80.00 | 40.00 | 2.00 | 5 | 3 |\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
