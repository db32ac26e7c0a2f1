package opt

import (
	"fmt"
	"strings"
	"testing"
)

// TestUnrollRegisters: the unroll factor is such that the loads of all iterations fit in the
// registers that the launch bounds leave.
func TestUnrollRegisters(t *testing.T) {
	// Each iteration loads n doubles, of which the last is stored after the loop.
	loop := func(bounds string, n int) string {
		var s strings.Builder
		fmt.Fprintf(&s, "func @f kernel%s(%%p: ptr restrict, %%q: ptr restrict, %%n: i32) {\nb0:\n  v0 = param ptr 0\n  v1 = param i32 2\n  v2 = const i32 0\n  v3 = const i32 1\n  v90 = param ptr 1\n  v91 = fconst f64 0\n  jump b1\n", bounds)
		s.WriteString("b1: <- b0, b2\n  v4 = phi i32 v2, v5\n  v92 = phi f64 v91, v93\n  v6 = slt i1 v4, v1\n  if v6, b2, b3\nb2: <- b1\n  v5 = add i32 v4, v3\n  v7 = sext i64 v4\n  v8 = ptradd ptr v0, v7\n")
		last := 92
		for i := range n {
			fmt.Fprintf(&s, "  v%d = load f64 v8 align 8\n  v%d = fadd f64 v%d, v%d\n", 10+2*i, 11+2*i, last, 10+2*i)
			last = 11 + 2*i
		}
		fmt.Fprintf(&s, "  v93 = fneg f64 v%d\n  jump b1\nb3: <- b1\n  store v90, v92 align 8\n  ret\n}\n", last)
		return s.String()
	}
	for _, test := range []struct {
		bounds string
		loads  int
		factor int // 1 for none
	}{
		{"", 1, 4},
		{"", 6, 4},
		{"", 8, 4},
		{"", 9, 3},
		{" maxthreads 1024", 6, 4},
		{" maxthreads 1024 minblocks 2", 1, 4},
		{" maxthreads 1024 minblocks 2", 2, 4},
		{" maxthreads 1024 minblocks 2", 4, 3},
		{" maxthreads 1024 minblocks 2", 8, 2},
		{" maxthreads 1024 minblocks 2", 9, 1},
	} {
		m := mustParse(t, loop(test.bounds, test.loads))
		if _, err := Run(m, Options{Switch: only("unroll"), Verify: true}); err != nil {
			t.Fatal(err)
		}
		loads := 0
		for _, b := range m.Funcs[0].Blocks {
			for _, v := range b.Values {
				if v.Op.String() == "load" {
					loads++
				}
			}
		}
		want := test.loads
		if test.factor > 1 {
			want *= test.factor + 1 // with the remainder loop
		}
		if loads != want {
			t.Errorf("%d loads, launch bounds %q: %d loads after unrolling, want %d", test.loads, test.bounds, loads, want)
		}
	}
}

// TestUnrollSpills: a loop over a local array that would need more registers than a thread
// can have is not fully unrolled, unless the source asks for it.
func TestUnrollSpills(t *testing.T) {
	loop := func(bounds, hint string) string {
		return "func @f kernel" + bounds + "(%p: ptr) {\nb0:\n  v0 = param ptr 0\n  v1 = const i32 0\n  v2 = const i32 1\n  v3 = const i32 32\n  v20 = alloca ptr.local 128 align 4\n  v21 = const i64 4\n  jump b1\n" +
			"b1: <- b0, b2" + hint + "\n  v4 = phi i32 v1, v5\n  v6 = slt i1 v4, v3\n  if v6, b2, b3\nb2: <- b1\n  v5 = add i32 v4, v2\n  v7 = sext i64 v4\n  v8 = mul i64 v7, v21\n  v9 = ptradd ptr.local v20, v8\n  store v9, v4 align 4\n  jump b1\nb3: <- b1\n  ret\n}\n"
	}
	// Elements of one byte take a register each, too.
	bytes := strings.NewReplacer("alloca ptr.local 128 align 4", "alloca ptr.local 32 align 1", "const i64 4", "const i64 1", "  store v9, v4 align 4", "  v10 = trunc i8 v4\n  store v9, v10 align 1")
	for _, bounds := range []string{"", " maxthreads 1024 minblocks 2"} {
		want := 1
		if bounds != "" {
			want = 0
		}
		if got := count(t, bytes.Replace(loop(bounds, "")), "unroll", "whole"); got != want {
			t.Errorf("bytes, launch bounds %q: %d loops fully unrolled, want %d", bounds, got, want)
		}
	}
	for _, test := range []struct {
		bounds, hint string
		want         int
	}{
		{"", "", 1},
		{" maxthreads 512 minblocks 2", "", 1},
		{" maxthreads 1024 minblocks 2", "", 0},
		{" maxthreads 1024 minblocks 2", " unroll -1", 1},
	} {
		if got := count(t, loop(test.bounds, test.hint), "unroll", "whole"); got != test.want {
			t.Errorf("launch bounds %q%s: %d loops fully unrolled, want %d", test.bounds, test.hint, got, test.want)
		}
	}
}

// TestHoistRegisters: but for the first, operations of one instruction stay in the sides of a
// branch before which no register is left; loads are hoisted.
func TestHoistRegisters(t *testing.T) {
	branch := func(live int) string {
		var s strings.Builder
		s.WriteString("func @f kernel(%p: ptr restrict, %q: ptr restrict, %n: i32) {\nb0:\n  v0 = param ptr 0\n  v1 = param ptr 1\n  v2 = param i32 2\n  v3 = const i32 0\n")
		s.WriteString(repeat(live, 100, "  v%d = load i32 v1 align 4 volatile\n"))
		s.WriteString("  v4 = slt i1 v100, v3\n  if v4, b1, b2\n")
		for i := 1; i <= 2; i++ {
			fmt.Fprintf(&s, "b%d: <- b0\n  v%d0 = load i32 v0 align 4\n  store v1, v%d0 align %d\n", i, i, i, 2*i)
			for k := range 2 * maxFreeHoists {
				fmt.Fprintf(&s, "  v%d = neg i32 v%d\n  store v1, v%d align 4\n", 1000*i+k, 100+k, 1000*i+k)
			}
			s.WriteString("  jump b3\n")
		}
		s.WriteString("b3: <- b1, b2\n" + repeat(live, 100, "  store v1, v%d align 4\n"))
		return s.String() + "  ret\n}\n"
	}
	for _, test := range []struct{ live, values, kept int }{{10, 2 * maxFreeHoists, 0}, {60, maxFreeHoists, 1}} {
		if got := count(t, branch(test.live), "hoist", "values"); got != test.values {
			t.Errorf("%d live: %d values hoisted, want %d", test.live, got, test.values)
		}
		if got := count(t, branch(test.live), "hoist", "kept for registers"); (got > 0) != (test.kept > 0) {
			t.Errorf("%d live: %d values kept", test.live, got)
		}
		if got := count(t, branch(test.live), "hoist", "loads"); got != 1 {
			t.Errorf("%d live: %d loads hoisted, want 1", test.live, got)
		}
	}
}
