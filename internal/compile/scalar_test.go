package compile_test

import (
	"os"
	"slices"
	"testing"

	"irgl/internal/compile"
	"irgl/internal/ssa/opt"
)

// TestEveryPassMatters compiles kernels without each scalar pass, for a target
// that is slow at doubles and one that is not, the latter with contraction: the PTX of at least one must
// differ from that with all passes.
func TestEveryPassMatters(t *testing.T) {
	text, err := os.ReadFile("testdata/scalar/kernels.cu")
	if err != nil {
		t.Fatal(err)
	}
	ptx := func(target string, off ...string) string {
		o := compile.Options{Lower: outlined}
		o.PTX.Target, o.Opt.Switch = target, map[string]bool{}
		o.PTX.FuseMulAdd = target == "sm_80"
		for _, name := range off {
			o.Opt.Switch[name] = false
		}
		u, err := compiled("kernels.cu", string(text), "", o)
		if err != nil {
			t.Fatal(err)
		}
		return emitted(t, u, "ptx")
	}
	targets := []string{"sm_75", "sm_80"}
	all := map[string]string{}
	for _, target := range targets {
		all[target] = ptx(target)
	}
	for _, p := range opt.Passes().Passes() {
		if p.Repeats != "" {
			continue
		}
		if !slices.ContainsFunc(targets, func(target string) bool { return ptx(target, p.Name) != all[target] }) {
			t.Errorf("%s changes no kernel", p.Name)
		}
	}
}
