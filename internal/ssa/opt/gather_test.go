package opt

import (
	"fmt"
	"strings"
	"testing"

	"irgl/internal/ssa"
)

// TestGatherAnywhere gathers all functions before every pass: the result is
// the same except for value numbers.
func TestGatherAnywhere(t *testing.T) {
	stay, move := bigModule(2000), bigModule(2000)
	if _, err := Run(stay, Options{}); err != nil {
		t.Fatal(err)
	}
	moves := 0
	if _, err := Run(move, Options{Verify: true, Before: func(_ string, m *ssa.Module) {
		for _, f := range m.Funcs {
			f.Gather()
			moves++
		}
	}}); err != nil {
		t.Fatal(err)
	}
	for _, m := range []*ssa.Module{stay, move} {
		for _, f := range m.Funcs {
			f.Gather()
		}
	}
	if moves == 0 || stay.String() != move.String() {
		t.Errorf("after %d moves the text is another", moves)
	}
}

// TestSparse merges equal values: values are renumbered only if there were many,
// and most of them are dead.
func TestSparse(t *testing.T) {
	for _, test := range []struct {
		values, kinds int
		moves         bool
	}{{sparseFrom, 3, true}, {sparseFrom / 2, 3, false}, {sparseFrom, sparseFrom - 100, false}} {
		var text strings.Builder
		text.WriteString("func @f kernel(%p: i32) {\nb0:\n  v0 = param i32 0\n")
		for i := range test.values / 2 {
			fmt.Fprintf(&text, "  v%d = const i32 %d\n  v%d = add i32 v0, v%d\n", 2*i+1, i%test.kinds+2, 2*i+2, 2*i+1)
		}
		text.WriteString("  ret\n}\n")
		m := mustParse(t, text.String())
		f := m.Funcs[0]
		before := f.NumValues()
		if _, err := Run(m, Options{Passes: []string{"gvn"}, Verify: true}); err != nil {
			t.Fatal(err)
		}
		if moved := f.NumValues() < before; moved != test.moves {
			t.Errorf("%d of %d values are left, with numbers below %d", size(f), before, f.NumValues())
		}
	}
}
