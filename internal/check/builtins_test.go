package check

import (
	"slices"
	"strings"
	"testing"

	"irgl/internal/builtin"
)

// TestBuiltinTable checks that every entry is complete: a typo in a signature
// would leave a nil type.
func TestBuiltinTable(t *testing.T) {
	n := 0
	for name := range builtin.Names() {
		n++
		b := LookupBuiltin(name)
		if b == nil || b.Name != name || b.obj == nil || b.obj.Type == nil || !b.Host && !b.Device {
			t.Errorf("%s is incomplete: %+v", name, b)
		}
		if b.Kind == builtin.Func && len(b.Sigs) == 0 || b.Kind == builtin.Const && b.Const == nil {
			t.Errorf("%s has no signature or value", name)
		}
		for _, f := range b.Sigs {
			if f.Result == nil || f.Result == Invalid || slices.Contains(f.Params, nil) || slices.Contains(f.Params, Type(Invalid)) || strings.Contains(f.String(), "nil") {
				t.Errorf("%s has a malformed signature %v", name, f)
			}
		}
	}
	if n < 500 {
		t.Errorf("only %d builtins", n)
	}
}

// TestBuiltinForms checks which form of an overloaded builtin a call takes.
func TestBuiltinForms(t *testing.T) {
	const params = "int i, unsigned u, long l, long long L, unsigned long long U, float f, double d, int *pi, long *pl, float *pf, const float *cf"
	for _, tt := range []struct{ call, typ string }{
		{"min(i, u)", "unsigned int"}, {"min(i, l)", "long"}, {"min(i, f)", "float"}, {"max(f, 1)", "float"}, {"max(L, U)", "unsigned long long"},
		{"abs(f)", "float"}, {"abs('a')", "int"}, {"sqrt(f)", "float"}, {"sqrt(i)", "double"}, {"pow(f, 2)", "double"}, {"pow(f, f)", "float"},
		{"sqrtf(d)", "float"}, {"fma(f, f, d)", "double"}, {"atomicAdd(pi, 1.5)", "int"}, {"atomicMax(pl, i)", "long"}, {"atomicExch(pf, i)", "float"},
		{"atomicCAS(pi, 0, 1)", "int"}, {"__ldg(cf)", "float"}, {"__ldg(pi)", "int"}, {"__shfl_sync(~0u, d, 1)", "double"},
		{"__shfl_down_sync(~0u, 'a', 1, 16)", "int"}, {"__ballot_sync(~0u, i > 0)", "unsigned int"}, {"__match_any_sync(~0u, L)", "unsigned int"},
		{"make_int2(i, f)", "struct int2"}, {"dim3(i)", "struct dim3"}, {"dim3(i, 2)", "struct dim3"}, {"clock64()", "long long"},
	} {
		text := "__device__ void g(" + params + ") { " + tt.call + "; }"
		if _, _, typ := constOf(t, "x.cu", text); typ != tt.typ {
			t.Errorf("%s is %s, want %s", tt.call, typ, tt.typ)
		}
	}
}

// TestDeterminism checks that two runs give the same tables and messages.
func TestDeterminism(t *testing.T) {
	for _, s := range seeds(t) {
		one, d1 := checkText(s.Name, s.Data)
		two, d2 := checkText(s.Name, s.Data)
		if Dump(one) != Dump(two) || DumpExprs(one) != DumpExprs(two) {
			t.Errorf("%s: the tables differ", s.Name)
		}
		for i, d := range d1.Diags {
			if i >= len(d2.Diags) || d.Error() != d2.Diags[i].Error() || d.Hint != d2.Diags[i].Hint {
				t.Errorf("%s: the messages differ: %v", s.Name, d)
			}
		}
	}
}

func BenchmarkCheckBFS(b *testing.B) {
	for _, s := range seeds(b) {
		if s.Name == "bfs.irgl" {
			for b.Loop() {
				checkText(s.Name, s.Data)
			}
			return
		}
	}
}
