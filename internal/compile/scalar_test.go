package compile_test

import (
	"os"
	"testing"

	"irgl/internal/compile"
	"irgl/internal/ssa/opt"
)

// TestEveryPassMatters compiles kernels without each scalar pass, for a target
// that is slow at doubles and one that is not: the PTX of at least one must
// differ from that with all passes.
func TestEveryPassMatters(t *testing.T) {
	text, err := os.ReadFile("testdata/scalar/kernels.cu")
	if err != nil {
		t.Fatal(err)
	}
	ptx := func(o compile.Options) string {
		both := ""
		for _, o.PTX.Target = range []string{"sm_75", "sm_80"} {
			u, err := compiled("kernels.cu", string(text), "", o)
			if err != nil {
				t.Fatal(err)
			}
			both += emitted(t, u, "ptx")
		}
		return both
	}
	all := ptx(compile.Options{Check: true, Lower: outlined})
	for _, p := range opt.Passes().Passes() {
		if p.Repeats != "" {
			continue
		}
		o := compile.Options{Check: true, Lower: outlined}
		o.Opt.Switch = map[string]bool{p.Name: false}
		if ptx(o) == all {
			t.Errorf("%s changes no kernel", p.Name)
		}
	}
}
