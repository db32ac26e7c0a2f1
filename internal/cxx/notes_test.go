package cxx

import (
	"testing"

	"irgl/internal/source"
)

// TestNotesOfMacros: a diagnostic in a macro's expansion says where the macro is defined, whichever stage finds it.
func TestNotesOfMacros(t *testing.T) {
	for _, text := range []string{
		"#define STORE(p) *p = undeclared\n__global__ void k(int *a) { STORE(a); }\n",
		"#define STORE(p) *p = )\n__global__ void k(int *a) { STORE(a); }\n",
	} {
		var diags source.List
		compileFile(source.NewFile("in.cu", []byte(text)), Options{Arch: 900}, &diags)
		if len(diags.Diags) != 1 || len(diags.Diags[0].Notes) != 1 {
			t.Fatalf("%q gives %v", text, diags.Err())
		}
		if got := diags.Diags[0].Notes[0].Error(); got != "in.cu:1:9: note: expanded from macro 'STORE'" {
			t.Errorf("%q gives the note %q", text, got)
		}
	}
}

// TestBuiltinSuggested: a name of CUDA that is misspelt has a hint at the right one.
func TestBuiltinSuggested(t *testing.T) {
	for wrong, want := range map[string]string{"__syncthread()": "__syncthreads", "threadidx.x": "threadIdx", "sqrtt(2.0f)": "sqrt"} {
		var diags source.List
		compileFile(source.NewFile("in.cu", []byte("__global__ void k() { "+wrong+"; }\n")), Options{Arch: 900}, &diags)
		if len(diags.Diags) != 1 || diags.Diags[0].Hint != "did you mean '"+want+"'?" {
			t.Errorf("%s gives %v", wrong, diags.Diags)
		}
	}
}
