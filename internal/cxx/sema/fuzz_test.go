package sema

import (
	"testing"

	"irgl/internal/cxx/hir"
	"irgl/internal/golden"
)

// FuzzCheck looks for texts that the analysis panics on or never ends with.
func FuzzCheck(f *testing.F) {
	for _, r := range rules(f) {
		f.Add([]byte(macros + r.text))
	}
	for _, s := range golden.Seeds(f, []string{".cu"}, "testdata/*.txtar") {
		f.Add(s.Data)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<14 {
			return
		}
		p, diags := checkText("fuzz.cu", text, Options{})
		if diags.Errors() == 0 {
			hir.Print(p)
		}
	})
}
