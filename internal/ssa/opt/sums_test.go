package opt

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"irgl/internal/ssa"
)

// sumsOf returns a function of one block with n accesses at sums: each index is an
// earlier one plus a parameter, or a multiple of it, narrow and wide ones in turns.
func sumsOf(n int) string {
	var s strings.Builder
	s.WriteString("func @f kernel(%p: ptr, %i: i64, %j: i64, %x: i32, %y: i32) {\nb0:\n  v0 = param ptr 0\n  v1 = param i64 1\n  v2 = param i64 2\n  v3 = param i32 3\n  v4 = param i32 4\n  v5 = const i32 2\n")
	wide, narrow, id := 1, 3, 6
	for i := range n {
		if i%2 == 0 {
			fmt.Fprintf(&s, "  v%d = const i64 %d\n  v%d = mul i64 v2, v%d\n  v%d = add i64 v%d, v%d\n  v%d = shl i64 v%d, v5\n", id, 3+i%7, id+1, id, id+2, wide, id+1, id+3, id+2)
			wide = id + 2
		} else {
			fmt.Fprintf(&s, "  v%d = const i32 1\n  v%d = add i32 v%d, v4 nsw\n  v%d = sext i64 v%d\n  v%d = shl i64 v%d, v5\n", id, id+1, narrow, id+2, id+1, id+3, id+2)
			narrow = id + 1
		}
		fmt.Fprintf(&s, "  v%d = ptradd ptr v0, v%d\n  v%d = load i32 v%d align 4\n  store v0, v%d align 4\n", id+4, id+3, id+5, id+4, id+5)
		id += 6
	}
	return s.String() + "  ret\n}\n"
}

// TestSumsLinear: twenty times as many addresses take at most 80 times as long; it would be
// over 100 times if a part of the time were quadratic. The shortest of several measurements
// of each count, since the machine may do other things too.
func TestSumsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures time")
	}
	measure := func(n int) (time.Duration, int) {
		m, err := ssa.Parse(fileOf(sumsOf(n)))
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		report, err := Run(m, Options{Switch: only("speculate", "slsr", "reassociate")})
		if err != nil {
			t.Fatal(err)
		}
		return time.Since(start), report.Stats.Get("reassociate", "addresses")
	}
	small, large := time.Hour, time.Hour
	for range 8 {
		for range 5 {
			d, _ := measure(1000)
			small = min(small, d)
		}
		d, rewritten := measure(20_000)
		if rewritten < 9_990 {
			t.Fatalf("only %d addresses are rewritten", rewritten)
		}
		if large = min(large, d); large <= 80*small {
			return
		}
	}
	t.Errorf("%v for 1,000 addresses, %v for 20,000", small, large)
}
