package gogen

import (
	"testing"

	"irgl/internal/builtin"
)

// TestBuiltins checks that generated Go has exactly the functions that the
// table of builtins says it has.
func TestBuiltins(t *testing.T) {
	for name := range builtin.Names() {
		row := builtin.Lookup(name)
		if row.Kind != builtin.Func || row.Rule == builtin.CtorCall || row.Rule == builtin.RangeCall {
			continue // of the language's own syntax
		}
		if has, want := meanings()[name] != nil, row.Engines&builtin.GoGen != 0; has != want {
			t.Errorf("%s: generated Go has it: %v, the table says %v", name, has, want)
		}
	}
	for name := range meanings() {
		if builtin.Lookup(name) == nil {
			t.Errorf("generated Go has %s, which the table lacks", name)
		}
	}
}
