package interp

import (
	"testing"

	"irgl/internal/builtin"
)

// TestBuiltins checks that the interpreter has exactly the functions that the
// table of builtins says it has.
func TestBuiltins(t *testing.T) {
	for name := range builtin.Names() {
		row := builtin.Lookup(name)
		if row.Kind != builtin.Func || row.Rule == builtin.CtorCall || row.Rule == builtin.RangeCall {
			continue // of the language's own syntax
		}
		if has, want := meanings()[name] != nil, row.Engines&builtin.Interp != 0; has != want {
			t.Errorf("%s: the interpreter has it: %v, the table says %v", name, has, want)
		}
	}
	for name := range meanings() {
		if builtin.Lookup(name) == nil {
			t.Errorf("the interpreter has %s, which the table lacks", name)
		}
	}
}
