package opt

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"irgl/internal/ssa"
)

// shapes are functions of about n values in forms that provoke superlinear
// time.
var shapes = map[string]func(n int) string{
	// One block of loads and stores that may alias.
	"straight": func(n int) string {
		var s strings.Builder
		s.WriteString("func @f kernel(%p: ptr, %q: ptr, %i: i64) {\nb0:\n  v0 = param ptr 0\n  v1 = param ptr 1\n  v2 = param i64 2\n")
		id := 3
		for i := range n / 6 {
			fmt.Fprintf(&s, "  v%d = const i64 %d\n  v%d = add i64 v2, v%d\n  v%d = ptradd ptr v%d, v%d\n  v%d = load i32 v%d align 4\n  v%d = ptradd ptr v%d, v%d\n  store v%d, v%d align 4\n",
				id, 4*(i%50), id+1, id, id+2, i%2, id+1, id+3, id+2, id+4, (i+1)%2, id, id+4, id+3)
			id += 5
		}
		return s.String() + "  ret\n}\n"
	},
	// Consecutive conditions, each with an exit.
	"exits": func(n int) string {
		var s strings.Builder
		s.WriteString("func @f kernel(%p: ptr, %n: i32) {\nb0:\n  v0 = param ptr 0\n  v1 = param i32 1\n  jump b2\n")
		for i := range n / 3 {
			b, id := i+2, 3*i+2
			fmt.Fprintf(&s, "b%d:\n  v%d = load i32 v0 align 4\n  v%d = add i32 v%d, v1\n  v%d = slt i1 v%d, v1\n  store v0, v%d align 4\n  if v%d, b%d, b1\n", b, id, id+1, id, id+2, id+1, id+1, id+2, b+1)
		}
		fmt.Fprintf(&s, "b%d:\n  jump b1\nb1:\n  ret\n}\n", n/3+2)
		return s.String()
	},
	// Joins in a row, each of which skips one block.
	"skips": func(n int) string {
		var s strings.Builder
		s.WriteString("func @f kernel(%p: ptr, %n: i32) {\nb0:\n  v0 = param ptr 0\n  v1 = param i32 1\n  jump b1\n")
		for i := range n / 4 {
			b, id := 2*i+1, 4*i+2
			fmt.Fprintf(&s, "b%d:\n  v%d = load i32 v0 align 4\n  v%d = slt i1 v%d, v1\n  if v%d, b%d, b%d\nb%d:\n  v%d = mul i32 v%d, v%d\n  store v0, v%d align 4\n  jump b%d\n", b, id, id+1, id, id+1, b+1, b+2, b+1, id+2, id, id, id+2, b+2)
		}
		fmt.Fprintf(&s, "b%d:\n  ret\n}\n", 2*(n/4)+1)
		return s.String()
	},
	// Diamonds in a row: in each, a branch and the join load from one address, and compute one
	// sum.
	"diamonds": func(n int) string {
		var s strings.Builder
		s.WriteString("func @f kernel(%p: ptr, %q: ptr restrict, %n: i32, %i: i64, %m: i32) {\nb0:\n  v0 = param ptr 0\n  v1 = param ptr 1\n  v2 = param i32 2\n  v3 = param i64 3\n  v9 = param i32 4\n  v4 = slt i1 v2, v9\n  jump b1\n")
		for i := range n / 8 {
			b, id := 4*i+1, 8*i+10
			fmt.Fprintf(&s, "b%d:\n  barrier\n  if v4, b%d, b%d\n", b, b+1, b+2)
			fmt.Fprintf(&s, "b%d:\n  v%d = ptradd ptr v1, v3\n  v%d = load i32 v%d align 4\n  v%d = xor i32 v%d, v2\n  store v0, v%d align 4\n  jump b%d\n", b+1, id, id+1, id, id+2, id+1, id+2, b+3)
			fmt.Fprintf(&s, "b%d:\n  store v1, v2 align 4\n  jump b%d\n", b+2, b+3)
			fmt.Fprintf(&s, "b%d:\n  v%d = ptradd ptr v1, v3\n  v%d = load i32 v%d align 4\n  v%d = xor i32 v%d, v2\n  store v0, v%d align 4\n  jump b%d\n", b+3, id+3, id+4, id+3, id+5, id+4, id+5, b+4)
		}
		fmt.Fprintf(&s, "b%d:\n  ret\n}\n", 4*(n/8)+1)
		return s.String()
	},
}

// TestShapesLinear allows the time per value to grow by at most a factor of
// six from 2,000 to 40,000 values of each shape. One good measurement of
// several suffices.
func TestShapesLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures time")
	}
	for name, shape := range shapes {
		measure := func(n int) time.Duration {
			m, err := ssa.Parse(fileOf(shape(n)))
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			if _, err := Run(m, Options{}); err != nil {
				t.Fatal(err)
			}
			return time.Since(start) / time.Duration(n)
		}
		if err := ssa.Verify(mustParse(t, shape(200))); err != nil {
			t.Fatal(err)
		}
		var small, large time.Duration
		ok := false
		for range 5 {
			small, large = measure(2000), measure(40_000)
			if ok = large <= 6*small; ok {
				break
			}
		}
		t.Logf("%s: %v and %v a value", name, small, large)
		if !ok {
			t.Errorf("%s: %v a value for 2,000 values, %v for 40,000", name, small, large)
		}
	}
}
