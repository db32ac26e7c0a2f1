package opt

import (
	"fmt"
	"strings"
	"testing"
)

// TestUnrollAddresses: an address that differs between iterations by a constant counts once,
// unless a sum in it may wrap, is needed as a value, or a barrier keeps the iterations apart.
func TestUnrollAddresses(t *testing.T) {
	const iterations = 7
	loop := func(address string, n int) string {
		return fmt.Sprintf(`func @f(%%p: ptr, %%x: i32) {
b0:
  v0 = param ptr 0
  v1 = param i32 1
  v2 = const i32 0
  v3 = const i32 1
  v4 = const i32 %d
  v9 = special i32 "tid.x"
  jump b1
b1: <- b0, b2
  v5 = phi i32 v2, v6
  v7 = slt i1 v5, v4
  if v7, b2, b3
b2: <- b1
  v6 = add i32 v5, v3
%s  v20 = load i32 v19 align 4
%s  jump b1
b3: <- b1
  ret
}
`, iterations, address, negations(n, 21))
	}
	const sum = "  v17 = add i32 v1, v5 nsw\n  v18 = sext i64 v17\n  v19 = ptradd ptr v0, v18\n"
	for _, test := range []struct {
		name, address string
		once, each    int // operations for the address
	}{
		{"sum", sum, 3, 0},
		{"product", strings.Replace(sum, "v17 = add i32 v1, v5 nsw", "v16 = add i32 v1, v5 nsw\n  v17 = mul i32 v16, v4 nsw", 1), 4, 0},
		{"wraps", strings.Replace(sum, " nsw", "", 1), 0, 3},
		{"product wraps", strings.Replace(sum, "v17 = add i32 v1, v5 nsw", "v16 = add i32 v1, v5 nsw\n  v17 = mul i32 v16, v4", 1), 1, 3},
		{"variable stride", strings.Replace(sum, "add i32 v1, v5", "mul i32 v1, v5", 1), 0, 3},
		{"unsigned", strings.Replace(sum, "add i32 v1, v5 nsw\n  v18 = sext", "add i32 v9, v5\n  v18 = zext", 1), 3, 0},
		{"unsigned wraps", strings.Replace(sum, "v5 nsw\n  v18 = sext", "v5\n  v18 = zext", 1), 0, 3},
		{"value", sum + "  v16 = neg i32 v17\n", 2, 2},
		{"barrier", sum + "  barrier\n", 0, 4},
	} {
		most := (maxWhole-test.once)/iterations - test.each - 1 // beside the load
		if got := count(t, loop(test.address, most), "unroll", "whole"); got != 1 {
			t.Errorf("%s: a loop of %d other operations is not fully unrolled", test.name, most)
		}
		if got := count(t, loop(test.address, most+1), "unroll", "whole"); got != 0 {
			t.Errorf("%s: a loop of %d other operations is fully unrolled", test.name, most+1)
		}
	}
}
