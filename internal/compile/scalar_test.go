package compile_test

import (
	"os"
	"slices"
	"strings"
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

// TestSumsLeaveLoops: a loop that accumulates in memory loads the sum before it, and stores
// it behind it if nothing else may read the memory.
func TestSumsLeaveLoops(t *testing.T) {
	text, err := os.ReadFile("testdata/scalar/kernels.cu")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		kernel                             string
		loads, stores, loadsOff, storesOff int
	}{
		{kernel: "row_sums", loads: 2, stores: 1, loadsOff: 3, storesOff: 1},
		{kernel: "product", loads: 10, stores: 0, loadsOff: 3, storesOff: 1}, // unrolled by 4, and the rest
		{kernel: "quarters", loads: 4, stores: 0, loadsOff: 8, storesOff: 4}, // the inner loop is unrolled
	} {
		for _, on := range []bool{true, false} {
			o := compile.Options{Lower: outlined}
			o.PTX.Target, o.Opt.Switch = "sm_75", map[string]bool{"promote": on, "promote-rotated": on}
			u, err := compiled("kernels.cu", string(text), "", o)
			if err != nil {
				t.Fatal(err)
			}
			_, body, _ := strings.Cut(emitted(t, u, "ptx"), ".entry "+test.kernel+"(")
			body, _, _ = strings.Cut(body, "\n}\n")
			loads, stores := test.loads, test.stores
			if !on {
				loads, stores = test.loadsOff, test.storesOff
			}
			if got := inLoops(body, "ld.global"); got != loads {
				t.Errorf("%s, promotion %t: %d loads in loops, want %d\n%s", test.kernel, on, got, loads, body)
			}
			if got := inLoops(body, "st.global"); got != stores {
				t.Errorf("%s, promotion %t: %d stores in loops, want %d\n%s", test.kernel, on, got, stores, body)
			}
		}
	}
}

// inLoops counts the instructions between the labels of a function and branches back to them.
func inLoops(body, instruction string) int {
	lines, label, n := strings.Split(body, "\n"), map[string]int{}, 0
	for i, line := range lines {
		if name, ok := strings.CutSuffix(line, ":"); ok {
			label[name] = i
		}
		words := strings.Fields(strings.TrimSuffix(line, ";"))
		if len(words) == 0 || !strings.Contains(line, "bra") {
			continue
		}
		if at, back := label[words[len(words)-1]]; back {
			n += strings.Count(strings.Join(lines[at:i], "\n"), instruction)
		}
	}
	return n
}
