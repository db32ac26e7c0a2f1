package ssagen

import (
	"testing"

	"irgl/internal/builtin"
	"irgl/internal/check"
	"irgl/internal/devlib"
)

// hasDeviceCode reports whether each form of a builtin function has a translation.
func hasDeviceCode(b *check.Builtin) bool {
	if base, _ := baseOf(b); b.Name == "printf" || clusterRegisters[b.Name] != "" || hintOf(b.Name) != "" || emitter(base) != nil {
		return true
	}
	for _, sig := range b.Sigs {
		if !devlib.HasMath(libraryName(b.Name, sig)) {
			return false
		}
	}
	return true
}

// TestBuiltins checks that device code has exactly the functions that the table of
// builtins says it has, and the variables.
func TestBuiltins(t *testing.T) {
	for name := range builtin.Names() {
		b := check.LookupBuiltin(name)
		want := b.Engines&builtin.DeviceGen != 0
		switch {
		case b.Kind == builtin.Var:
			if has := registers[name] != "" || name == "warpSize"; has != want {
				t.Errorf("%s: device code has it: %v, the table says %v", name, has, want)
			}
		case b.Kind != builtin.Func || b.Rule == builtin.CtorCall || b.Rule == builtin.RangeCall:
		default:
			if has := hasDeviceCode(b); has != want {
				t.Errorf("%s: device code has it: %v, the table says %v", name, has, want)
			}
		}
	}
	for _, table := range []table{commonEmitters(), intrinsicEmitters()} {
		for name := range table {
			if builtin.Lookup(name) == nil {
				t.Errorf("device code has %s, which the table of builtins lacks", name)
			}
		}
	}
}
