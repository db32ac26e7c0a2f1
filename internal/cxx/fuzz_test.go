package cxx

import (
	"io"
	"testing"

	"irgl/internal/check"
	"irgl/internal/golden"
	"irgl/internal/source"
	"irgl/syntax"
)

// FuzzLower looks for texts that lowering panics on or never ends with: texts that the
// analysis accepts become a CUDA tree, and its text.
func FuzzLower(f *testing.F) {
	for _, pattern := range []string{"testdata/*.txtar", "cxxtest/testdata/*.txtar", "sema/testdata/*.txtar"} {
		for _, s := range golden.Seeds(f, []string{".cu"}, pattern) {
			f.Add(s.Data)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<14 {
			return
		}
		var diags source.List
		tree := compileFile(source.NewFile("fuzz.cu", text), Options{}, &diags)
		if tree != nil && diags.Errors() == 0 {
			check.Check(tree, &diags)
			if err := syntax.Print(io.Discard, tree); err != nil {
				t.Fatal(err)
			}
		}
	})
}
