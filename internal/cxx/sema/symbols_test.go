package sema

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"irgl/internal/golden"
)

// TestSymbols compares the symbols of functions and variables with those that g++ gave
// them when testdata/symbols.golden was recorded.
func TestSymbols(t *testing.T) {
	const text, path = "testdata/symbols.cu", "testdata/symbols.golden"
	if golden.Updating() {
		golden.File(t, path, gccSymbols(t, text))
	}
	list, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(text)
	if err != nil {
		t.Fatal(err)
	}
	p, diags := checkText(text, append([]byte("#define __CUDACC__ 1\n"), source...), Options{})
	for _, d := range diags.Diags {
		t.Error(d)
	}
	want := strings.Fields(string(list))
	seen := map[string]bool{}
	check := func(symbol string) {
		if !slices.Contains(want, symbol) {
			t.Errorf("g++ has no symbol %s", symbol)
		}
		if seen[symbol] {
			t.Errorf("two have the symbol %s", symbol)
		}
		seen[symbol] = true
	}
	for _, f := range p.Funcs {
		check(f.Symbol)
	}
	for _, v := range p.Vars {
		check(v.Symbol)
	}
	if len(seen) < 60 {
		t.Errorf("only %d symbols", len(seen))
	}
}

func gccSymbols(t *testing.T, text string) string {
	t.Helper()
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("no g++")
	}
	object := filepath.Join(t.TempDir(), "a.o")
	if out, err := exec.Command("g++", "-std=c++17", "-w", "-x", "c++", "-c", text, "-o", object).CombinedOutput(); err != nil {
		t.Fatalf("g++: %v\n%s", err, out)
	}
	out, err := exec.Command("nm", "-j", object).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
