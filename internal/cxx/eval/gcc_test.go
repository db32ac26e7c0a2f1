package eval_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"irgl/internal/cpp"
	"irgl/internal/cxx/parse"
	"irgl/internal/cxx/sema"
	"irgl/internal/source"
)

// The tests in this file evaluate what package sema makes of C++ texts, and compare with
// g++.

// check returns the diagnostics of a program.
func check(text string) *source.List {
	diags := new(source.List)
	pre := cpp.Preprocess(source.NewFile("a.cu", []byte(text)), cpp.Options{Dialect: cpp.CXX, Arch: 900}, diags)
	sema.Check(parse.Parse(pre, diags, parse.Options{}), diags, sema.Options{})
	return diags
}

func gcc(t *testing.T, args ...string) (string, error) {
	t.Helper()
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("no g++")
	}
	out, err := exec.Command("g++", append([]string{"-std=c++17", "-w", "-x", "c++", "-D__global__=", "-D__device__=", "-fno-diagnostics-show-caret"}, args...)...).CombinedOutput()
	return string(out), err
}

func TestConstants(t *testing.T) {
	text, err := os.ReadFile("testdata/constants.cu")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range check(string(text)).Diags {
		t.Error(d)
		for _, n := range d.Notes {
			t.Error(n.Error())
		}
	}
	wrong := strings.Replace(string(text), "fib(15) == 610", "fib(15) == 611", 1)
	if diags := check(wrong); diags.Errors() != 1 {
		t.Errorf("a wrong assertion gives %v", diags.Diags)
	}
	if !testing.Short() {
		if out, err := gcc(t, "-fsyntax-only", "testdata/constants.cu"); err != nil {
			t.Errorf("g++: %s", out)
		}
	}
}

// An exprMaker writes random constant expressions.
type exprMaker struct{ r *rand.Rand }

var literals = []string{"0", "1", "2", "3", "7", "31", "32", "-1", "255", "2147483647", "(-2147483647 - 1)", "0u", "1u", "4294967295u", "100u", "5l", "-5l",
	"9223372036854775807l", "3ul", "18446744073709551615ul", "true", "false", "'a'", "(short)-3", "(unsigned char)200", "(signed char)-100", "1.5f", "0.25", "-3.75", "1e3f", "0.1", "(char)127",
	"sizeof(int)", "E1", "(unsigned short)65535"}

var operators = []string{"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "&&", "||"}

var castTypes = []string{"int", "unsigned", "long", "unsigned long", "short", "unsigned char", "signed char", "bool", "float", "double", "unsigned short", "long long"}

func (m *exprMaker) expr(depth int) string {
	if depth == 0 {
		return literals[m.r.IntN(len(literals))]
	}
	switch m.r.IntN(10) {
	case 0:
		return "(" + castTypes[m.r.IntN(len(castTypes))] + ")(" + m.expr(depth-1) + ")"
	case 1:
		return "(" + []string{"-", "~", "!", "+"}[m.r.IntN(4)] + "(" + m.expr(depth-1) + "))"
	case 2:
		return "(" + m.expr(depth-1) + " ? " + m.expr(depth-1) + " : " + m.expr(depth-1) + ")"
	case 3:
		return fmt.Sprintf("f%d(%s)", m.r.IntN(4), m.expr(depth-1))
	}
	return "(" + m.expr(depth-1) + " " + operators[m.r.IntN(len(operators))] + " " + m.expr(depth-1) + ")"
}

const functions = `enum E { E0, E1 = 9 };
constexpr int f0(int x) { return x / 3 - 1; }
constexpr unsigned f1(unsigned x) { for (int i = 0; i < 5; i++) x = x * 7 + i; return x; }
constexpr long f2(long x) { long s = 0; while (x > 1 && s < 50) { x -= x / 2; s++; } return s; }
constexpr float f3(float x) { x *= 3; x -= 0.5; return x; }
`

// TestExpressionsAgainstGcc compares random expressions: the same ones must be constants,
// and have the same values.
func TestExpressionsAgainstGcc(t *testing.T) {
	if testing.Short() {
		t.Skip("runs g++")
	}
	m := &exprMaker{rand.New(rand.NewPCG(3, 4))}
	exprs := make([]string, 3000)
	for i := range exprs {
		exprs[i] = m.expr(1 + i%4)
	}
	dir := t.TempDir()
	bad := refused(t, dir, exprs)
	values := valuesOf(t, dir, exprs, bad)
	text := functions + "__global__ void k() {\n"
	first := strings.Count(text, "\n") + 1
	for i, e := range exprs {
		if bad[i] {
			text += fmt.Sprintf("static_assert(((%s), true), \"\");\n", e)
		} else {
			text += fmt.Sprintf("static_assert((%s) == %s, \"\");\n", e, values[i])
		}
	}
	ours := map[int]*source.Diagnostic{}
	for i := range exprs { // one at a time: at most 20 errors are reported
		one := functions + "__global__ void k() {\n" + strings.Split(text, "\n")[first-1+i] + "\n}\n"
		for _, d := range check(one).Diags {
			if d.Severity == source.Error {
				ours[i] = d
			}
		}
	}
	wrong, lenient := 0, 0
	for i, e := range exprs {
		if d := ours[i]; (d != nil) != bad[i] {
			if d != nil && strings.Contains(notes(d), "outside the range") {
				lenient++ // g++ folds some operands without a look at overflow
				continue
			}
			if wrong++; wrong < 15 {
				t.Errorf("%s = %s: g++ refuses it: %v; ours: %v %v", e, values[i], bad[i], d, notes(d))
			}
		}
	}
	t.Logf("%d of %d are no constants; %d that g++ takes overflow; %d differ", len(bad), len(exprs), lenient, wrong)
	if lenient > len(exprs)/50 {
		t.Errorf("%d overflow", lenient)
	}
}

func notes(d *source.Diagnostic) (s string) {
	if d == nil {
		return ""
	}
	for _, n := range d.Notes {
		s += "; " + n.Message
	}
	return s
}

// refused returns the expressions that g++ does not take for constants.
func refused(t *testing.T, dir string, exprs []string) map[int]bool {
	t.Helper()
	text := functions
	first := strings.Count(text, "\n") + 1
	for i, e := range exprs {
		text += fmt.Sprintf("constexpr auto r%d = %s;\n", i, e)
	}
	file := filepath.Join(dir, "a.cpp")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out, _ := gcc(t, "-fsyntax-only", file)
	bad := map[int]bool{}
	for _, l := range strings.Split(out, "\n") {
		if rest, ok := strings.CutPrefix(l, file+":"); ok && strings.Contains(l, "error:") {
			n, _, _ := strings.Cut(rest, ":")
			line, _ := strconv.Atoi(n)
			bad[line-first] = true
		}
	}
	return bad
}

// valuesOf returns the values that g++ computes, as literals.
func valuesOf(t *testing.T, dir string, exprs []string, bad map[int]bool) []string {
	t.Helper()
	text := "#include <cstdio>\n" + functions + `
void put(double d) { printf("%a\n", d); }
void put(float f) { printf("%af\n", (double)f); }
void put(long v) { if (v == (-9223372036854775807l - 1)) printf("(-9223372036854775807l - 1)\n"); else printf("%ldl\n", v); }
void put(unsigned long v) { printf("%luul\n", v); }
template <class T> void put(T v) { put(T(-1) < T(0) ? (long)v : (long)(unsigned long)v); }
int main() {
`
	for i, e := range exprs {
		if bad[i] {
			text += "puts(\"\");\n"
		} else {
			text += fmt.Sprintf("{ constexpr auto r = %s; put(r); }\n", e)
		}
	}
	file, prog := filepath.Join(dir, "b.cpp"), filepath.Join(dir, "b")
	if err := os.WriteFile(file, []byte(text+"}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := gcc(t, file, "-o", prog); err != nil {
		t.Fatalf("g++: %.2000s", out)
	}
	out, err := exec.Command(prog).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(out), "\n")
}
