package sema

import (
	"testing"

	"irgl/internal/cpp"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/parse"
	"irgl/internal/golden"
	"irgl/internal/source"
)

// FuzzCheck looks for texts that the analysis panics on or never ends with. Texts with errors
// of syntax outside of bodies are not analysed, as in the compiler.
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
		diags := new(source.List)
		pre := cpp.Preprocess(source.NewFile("fuzz.cu", text), cpp.Options{Dialect: cpp.CXX, Arch: 900}, diags)
		u := parse.Parse(pre, diags, parse.Options{})
		if diags.Errors() > 0 {
			return
		}
		p := Check(u, diags, Options{})
		if diags.Errors() == 0 {
			hir.Print(p)
		}
	})
}
