package opt

import (
	"fmt"
	"strings"
	"testing"
)

// TestLoopFreedRegisters: a loop without spare registers keeps a chain of floating-point
// operations but for what takes the registers of the division before it; integer chains, and
// operands that have other uses, stay.
func TestLoopFreedRegisters(t *testing.T) {
	loop := func(chain string) string {
		var s strings.Builder
		s.WriteString("func @f kernel(%p: ptr restrict, %q: ptr restrict, %x: f64, %n: i64) {\nb0:\n  v0 = param ptr 0\n  v1 = param ptr 1\n  v2 = param f64 2\n  v3 = param i64 3\n")
		for i := range 100 {
			fmt.Fprintf(&s, "  v%d = load i32 v1 align 4 volatile\n", 100+i)
		}
		s.WriteString("  jump b1\nb1: <- b0, b1\n" + chain + "  v13 = load i1 v1 align 1 volatile\n  if v13, b1, b2\nb2: <- b1\n")
		for i := range 100 {
			fmt.Fprintf(&s, "  store v1, v%d align 4\n", 100+i)
		}
		return s.String() + "  ret\n}\n"
	}
	for _, test := range []struct {
		name, chain string
		want        int // values that leave the loop
	}{
		{"chain", "  v10 = fdiv f64 v2, v2\n  v11 = fneg f64 v10\n  v12 = fadd f64 v11, v11\n  store v1, v12 align 8\n", 3},
		{"other use", "  v10 = fdiv f64 v2, v2\n  v11 = fneg f64 v10\n  store v1, v10 align 8\n  store v1, v11 align 8\n", 1},
		{"two chains", "  v10 = fdiv f64 v2, v2\n  v11 = fneg f64 v10\n  v12 = fadd f64 v2, v2\n  store v1, v11 align 8\n  store v1, v12 align 8\n", 2},
		{"integer", "  v10 = sdiv i64 v3, v3\n  v11 = neg i64 v10\n  store v1, v11 align 8\n", 1},
	} {
		if got := count(t, loop(test.chain), "licm", "values"); got != test.want {
			t.Errorf("%s: %d values leave the loop, want %d", test.name, got, test.want)
		}
	}
}
