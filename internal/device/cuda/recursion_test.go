//go:build (linux || windows) && (amd64 || arm64) && !nogpu

package cuda

import "testing"

func TestRecursive(t *testing.T) {
	tests := []struct {
		name, ptx string
		want      bool
	}{
		{"no function", ".visible .entry k(\n)\n{\n\tret;\n}\n", false},
		{"a chain", ".func (.param .b32 r) f(.param .b32 a) { ret; }\n.func g() { call (r), f, (a); }\n.entry k() { call.uni g; }\n", false},
		{"itself", ".func (.param .b32 r) f(\n\t.param .b32 a\n)\n{\n\tcall.uni (r),\n\tf,\n\t(a);\n}\n", true},
		{"each other", ".func f();\n.func g() { call f; }\n.func f() { call g; }\n", true},
		{"in a comment", ".func f() { // call f;\n ret; }\n", false},
	}
	for _, test := range tests {
		if got := recursive(withoutComments(test.ptx)); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
