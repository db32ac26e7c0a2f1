package syntax

import (
	"errors"
	"strings"
	"testing"

	"irgl/internal/source"
)

// TestOptions gives the preprocessor texts to include, macros and a device.
func TestOptions(t *testing.T) {
	files := map[string]string{
		"once.h": "#pragma once\nint once;\n",
		"loop.h": "#include \"loop.h\"\n",
		"open.h": "#if 1\n",
	}
	include := func(name string) (*source.File, error) {
		text, ok := files[name]
		if !ok {
			return nil, errors.New("no such file")
		}
		return source.NewFile(name, []byte(text)), nil
	}
	for _, test := range []struct{ text, printed, diag string }{
		{"#include \"once.h\"\n#include \"once.h\"\nint a;\n", "int once;\nint a;\n", ""},
		{"#include \"loop.h\"\nint a;\n", "int a;\n", "loop.h:1:1: error: too many files are included [S0023]"},
		{"#include \"open.h\"\nint a;\n", "int a;\n", "open.h:1:1: error: unterminated conditional directive [S0024]"},
		{"#include \"none.h\"\n", "", "in.cu:1:1: error: cannot include none.h: no such file [S0023]"},
		{"int a = __CUDA_ARCH__ + DEBUG;\n", "int a = 900 + 2;\n", ""},
		{"#if DEBUG - 2 || __CUDA_ARCH__ < 800\nint a; // no\n#else\nint b; // yes\n#endif\n", "int b; // yes\n", ""},
	} {
		var diags source.List
		opts := Options{Include: include, Arch: 900, Defines: map[string]string{"DEBUG": "2"}}
		tree := ParseWith(source.NewFile("in.cu", []byte(test.text)), CUDA, &diags, opts)
		if got := String(tree); got != test.printed {
			t.Errorf("%q printed %q, want %q", test.text, got, test.printed)
		}
		got := ""
		if err := diags.Err(); err != nil {
			got = err.Error()
		}
		if got != test.diag {
			t.Errorf("%q gave %q, want %q", test.text, got, test.diag)
		}
	}
}

// TestMacroPositions: what a macro gives is where the macro's name is.
func TestMacroPositions(t *testing.T) {
	text := "#define SUM(x) (x + 1)\nint a = SUM(SUM(2));\n"
	var diags source.List
	tree := Parse(source.NewFile("in.cu", []byte(text)), CUDA, &diags)
	n := 0
	for node := range Preorder(tree) {
		if lit, ok := node.(*BasicLit); ok {
			n++
			if got := lit.Pos().String(); got != "in.cu:2:9" {
				t.Errorf("%s is at %s", lit.Text, got)
			}
		}
	}
	if n != 3 {
		t.Errorf("%d literals", n)
	}
}

func TestEqual(t *testing.T) {
	parse := func(text string) *File {
		var diags source.List
		return Parse(source.NewFile("a", []byte(text)), CUDA, &diags)
	}
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"int a=1; // x", "int a =\n1;", true},
		{"int a = (1);", "int a = 1;", false},
		{"int a;", "int b;", false},
		{"int a;", "unsigned a;", false},
		{"int a;", "static int a;", false},
		{"void f();", "void f() {}", false},
		{"void f(int a);", "void f(int);", false},
		{"int a, b;", "int a; int b;", false},
		{"int signed a;", "int a;", true},
	} {
		if got := Equal(parse(test.a), parse(test.b)); got != test.want {
			t.Errorf("Equal(%q, %q) = %v", test.a, test.b, got)
		}
	}
}

// TestPreorderStops checks that an iterator can be left at any node.
func TestPreorderStops(t *testing.T) {
	var diags source.List
	tree := Parse(source.NewFile("a", []byte("int f(int a) { if (a) return 1; return a + 2; }")), CUDA, &diags)
	total := 0
	for range Preorder(tree) {
		total++
	}
	for stop := 1; stop <= total; stop++ {
		n := 0
		for range Preorder(tree) {
			if n++; n == stop {
				break
			}
		}
		if n != stop {
			t.Errorf("stopped at %d, not %d", n, stop)
		}
	}
}

func TestLiterals(t *testing.T) {
	for text, want := range map[string]IntValue{
		"0": {Decimal: true}, "42": {Value: 42, Decimal: true}, "0x1Fu": {Value: 31, Unsigned: true}, "017l": {Value: 15, Long: 1},
		"18446744073709551615ULL": {Value: 1<<64 - 1, Unsigned: true, Long: 2, Decimal: true}, "3llu": {Value: 3, Unsigned: true, Long: 2, Decimal: true},
	} {
		if got, err := ParseInt(text); err != nil || got != want {
			t.Errorf("ParseInt(%s) = %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]float64{"1.5": 1.5, "1e3f": 1000, "0x1.8p1": 3, ".5F": 0.5, "1.": 1, "0.1f": float64(float32(0.1))} {
		got, single, err := ParseFloat(text)
		if err != nil || got != want || single != strings.HasSuffix(strings.ToLower(text), "f") {
			t.Errorf("ParseFloat(%s) = %v, %v, %v", text, got, single, err)
		}
	}
	for text, want := range map[string]string{`"a\n"`: "a\n", `"\x41\101\0"`: "AA\x00", `"\""`: `"`, `""`: "", `"\1012"`: "A2"} {
		if got, err := ParseString(text); err != nil || got != want {
			t.Errorf("ParseString(%s) = %q, %v", text, got, err)
		}
	}
	for text, want := range map[string]int{`'a'`: 97, `'\n'`: 10, `'\xff'`: -1, `'\''`: 39} {
		if got, err := ParseChar(text); err != nil || got != want {
			t.Errorf("ParseChar(%s) = %d, %v", text, got, err)
		}
	}
}

// BenchmarkParse reads the longest archive's text of the CUDA dialect.
func BenchmarkParse(b *testing.B) {
	text := []byte(strings.Repeat("static int f(const int *p, int n) { for (int i = 0; i < n; i++) p[i] += (n >> 2) * 3; return n; }\n", 1000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		var diags source.List
		Parse(source.NewFile("a.cu", text), CUDA, &diags)
		if err := diags.Err(); err != nil {
			b.Fatal(err)
		}
	}
}
