package devlib

import (
	"io/fs"
	"strings"
	"testing"

	"irgl/internal/check"
	"irgl/internal/source"
	"irgl/syntax"
)

// TestMath checks that each declaration of the mathematical library with what
// it needs is a program that checks without a diagnostic and prints as one
// that does, that all names are the library's own, and that the files are all
// in the list, in a right order, and found whole.
func TestMath(t *testing.T) {
	paths, err := fs.Glob(mathFiles, "math/*.cu")
	if err != nil || len(paths) != len(strings.Fields(mathOrder)) {
		t.Errorf("%d files, %d in the list: %v", len(paths), len(strings.Fields(mathOrder)), err)
	}
	parsed := 0
	for _, p := range paths {
		content, err := mathFiles.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(content), "\n"); n > 900 {
			t.Errorf("%s has %d lines", p, n)
		}
		var diags source.List
		parsed += len(syntax.Parse(source.NewFile(p, content), syntax.CUDA, &diags).Decls)
		if err := diags.Err(); err != nil {
			t.Error(err)
		}
	}
	decls, _ := mathDecls()
	if len(decls) != parsed || parsed < 140 {
		t.Errorf("%d declarations are found, %d are there", len(decls), parsed)
	}
	for _, d := range decls {
		if !strings.HasPrefix(d.name, MathPrefix) {
			t.Errorf("the name %s is not the library's", d.name)
		}
		selected, err := SelectMath(d.name)
		if err != nil {
			t.Fatal(err)
		}
		if got := names(selected); got[len(got)-1] != d.name {
			t.Errorf("%s selects %v", d.name, got)
		}
		text := syntax.String(&syntax.File{Name: d.name, Dialect: syntax.CUDA, Decls: selected})
		var diags source.List
		check.Check(syntax.Parse(source.NewFile(d.name+".cu", []byte(text)), syntax.CUDA, &diags), &diags)
		if len(diags.Diags) > 0 {
			t.Errorf("%s: %v\n%s", d.name, diags.Diags[0], text)
		}
	}
}

// TestMathNames checks that functions are found without a parse, and no more.
func TestMathNames(t *testing.T) {
	for name, want := range map[string]bool{"irgl_expf": true, "irgl_sincos": true, "irgl_two_over_pi": false, "irgl_sqrt": false, "exp": false} {
		if HasMath(name) != want {
			t.Errorf("HasMath(%s) = %t", name, !want)
		}
	}
}

// BenchmarkSelectMath measures what the use of one function costs.
func BenchmarkSelectMath(b *testing.B) {
	for b.Loop() {
		if _, err := SelectMath("irgl_expf"); err != nil {
			b.Fatal(err)
		}
	}
}
