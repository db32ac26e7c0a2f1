package compile_test

import (
	"bytes"
	"strings"
	"testing"

	"irgl/internal/compile"
	"irgl/internal/source"
)

// TestSSAText compiles the bundled programs by way of the text of their SSA form,
// before and after the passes: the PTX is the same. With -short a few are enough.
func TestSSAText(t *testing.T) {
	var o compile.Options
	o.PTX.Target = "sm_90" // with fast doubles, which the passes must be told
	for i, p := range programs(t) {
		if testing.Short() && i%5 != 0 {
			continue
		}
		name, text, want := p.name, p.text, ""
		for _, passes := range [][]string{nil, {}} { // before the text is printed: all, none
			o.Opt.Passes = passes
			u, err := compiled(name+".irgl", string(text), "", o)
			if err != nil {
				t.Fatal(err)
			}
			if passes == nil {
				want = emitted(t, u, "ptx")
			}
			var rest compile.Options
			rest.PTX.Target, rest.Check = o.PTX.Target, true
			if passes == nil {
				rest.Opt.Passes = []string{}
			}
			again, err := compile.CompileSSA(source.NewFile(name+".ssa", []byte(emitted(t, u, "ssa"))), "", rest)
			if err != nil {
				t.Fatal(err)
			}
			if got := emitted(t, again, "ptx"); got != want {
				t.Errorf("%s: the PTX of the SSA text differs (passes before it was printed: %t)", name, passes == nil)
			}
		}
	}
}

// TestAnalysis: the form lists each analysis that is asked for, and those only.
func TestAnalysis(t *testing.T) {
	u, err := compiled("k.cu", "__global__ void k(int *a) { a[threadIdx.x] = 1; }\n", "opt", compile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, ssa := compile.Analyses()
	for _, a := range ssa {
		var b bytes.Buffer
		if err := u.Emit(&b, "analysis="+a.Name); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(b.String(), "func @k\n  "+a.Name+"\n") || strings.Count(b.String(), "\n  ") < 1 {
			t.Errorf("%s prints\n%s", a.Name, &b)
		}
	}
	for _, form := range []string{"analysis=nothing", "ssa=loops", "analyses", "analysis=loops,"} {
		if err := u.Emit(&bytes.Buffer{}, form); err == nil {
			t.Errorf("the form %s is printed", form)
		}
	}
}
