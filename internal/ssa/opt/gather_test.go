package opt

import (
	"testing"

	"irgl/internal/ssa"
)

// TestGatherAnywhere moves all functions before every pass: the result is that
// of functions that stay.
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
	if moves == 0 || stay.String() != move.String() {
		t.Errorf("after %d moves the text is another", moves)
	}
}
