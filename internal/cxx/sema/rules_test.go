package sema

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A rule is one program of testdata/rules.txt.
type rule struct {
	line int
	ok   bool
	text string
}

func rules(t testing.TB) []rule {
	t.Helper()
	text, err := os.ReadFile("testdata/rules.txt")
	if err != nil {
		t.Fatal(err)
	}
	var list []rule
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		list = append(list, rule{i + 1, line[0] == '+', line[2:]})
	}
	return list
}

const macros = "#define D __device__\n#define K(...) __global__ void k(__VA_ARGS__)\n"

// TestRules checks that each program is accepted or refused as C++ has it.
func TestRules(t *testing.T) {
	for _, r := range rules(t) {
		_, diags := checkText("rule.cu", []byte(macros+r.text+"\n"), Options{})
		if got := diags.Errors() == 0; got != r.ok {
			t.Errorf("rules.txt:%d: accepted: %t\n%s\n%v", r.line, got, r.text, diags.Err())
		}
	}
}

// TestRulesOfGCC checks that g++ says the same of each program as host code.
func TestRulesOfGCC(t *testing.T) {
	gcc, err := exec.LookPath("g++")
	if err != nil || testing.Short() {
		t.Skip("g++ is not installed, or the test is to be short")
	}
	dir := t.TempDir()
	for _, r := range rules(t) {
		file := filepath.Join(dir, fmt.Sprintf("r%d.cc", r.line))
		if err := os.WriteFile(file, []byte("#define __device__\n#define __global__\n"+macros+r.text+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(gcc, "-std=c++17", "-fsyntax-only", file).CombinedOutput()
		if got := err == nil; got != r.ok {
			t.Errorf("rules.txt:%d: g++ accepts: %t\n%s\n%s", r.line, got, r.text, out)
		}
	}
}
