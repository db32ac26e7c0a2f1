package host

import (
	"testing"

	"irgl/internal/builtin"
)

// TestBuiltins checks that the host evaluator has exactly the functions that the
// table of builtins says it has.
func TestBuiltins(t *testing.T) {
	for name := range builtin.Names() {
		row := builtin.Lookup(name)
		if row.Kind != builtin.Func || row.Rule == builtin.CtorCall || row.Rule == builtin.RangeCall {
			continue // of the language's own syntax
		}
		if has, want := meanings()[name] != nil, row.Engines&builtin.HostEval != 0; has != want {
			t.Errorf("%s: the host evaluator has it: %v, the table says %v", name, has, want)
		}
	}
	for name := range meanings() {
		if builtin.Lookup(name) == nil {
			t.Errorf("the host evaluator has %s, which the table lacks", name)
		}
	}
}

// TestCLibrary checks the functions of the C library on strings, and the errors of
// the CUDA runtime that a program sees.
func TestCLibrary(t *testing.T) {
	for _, tt := range []struct {
		expr string
		want int64
	}{
		{`strlen("abc\0d")`, 3},
		{`strcmp("abc", "abd") < 0 && strcmp("b", "a") > 0 && strcmp("", "") == 0`, 1},
		{`atoi(" \t-12x") * 10 + atoi("+3")`, -117},
		{`atoi("x") + (atoi("99999999999") == 2147483647)`, 1},
		{`(int)(atof(" 1.5e1abc") * 10)`, 150},
		{`(long)(j0(1.0) * 1e6) + (long)(j1f(1.0f) * 1e6f)`, 765197 + 440050},
		{`(long)(jn(2, 3.0) * 1e6) * 1000000 + (long)(jnf(3, 4.0f) * 1e6f)`, 486091430171},
		{`(long)(y0(1.0) * 1e7) + (long)(y1(3.0) * 1e6) + (long)(yn(2, 2.0) * -1e6)`, 882569 + 324674 + 617408},
		{`(long)(erfcx(3.0) * 1e9) + (long)(erfcx(30.0) * 1e9)`, 179001151 + 18795888},
		{`(long)(erfcx(-2.0) * 1e6) + (erfcxf(-20.0f) > 1e38f)`, 108940905},
		{`cudaSetDevice(0)`, 0},
		{`cudaSetDevice(3)`, 101},
		{`cudaSetDevice(-1) == cudaErrorInvalidDevice`, 1},
		{`(cudaSetDevice(3), cudaPeekAtLastError() * 1000 + cudaGetLastError() + cudaGetLastError())`, 101101},
		{`strcmp(cudaGetErrorName(cudaSetDevice(3)), "cudaErrorInvalidDevice")`, 0},
		{`strcmp(cudaGetErrorString(cudaSuccess), "no error")`, 0},
	} {
		got, _, err := evaluate(t.Context(), t, "long main() { return "+tt.expr+"; }")
		if err != nil || int64(got) != tt.want {
			t.Errorf("%s is %d (%v), want %d", tt.expr, int64(got), err, tt.want)
		}
	}
}

// TestFmaFloat checks a sum whose rounding to double and then to float differs
// from its rounding to float.
func TestFmaFloat(t *testing.T) {
	const text = `double main_() { float a = 0x1.000002p+0f, b = 0x1.fffffcp-25f, c = 0x1.000002p+0f; return fmaf(a, b, c); }
long main() { return (long)(main_() * 8388608.0); }`
	got, _, err := evaluate(t.Context(), t, text)
	if err != nil || got != 8388609 {
		t.Errorf("fmaf gives %d (%v), want 8388609", got, err)
	}
}
