package opt

import (
	"fmt"
	"strings"
	"testing"
)

// count runs one pass over a text and returns one of its counters.
func count(t *testing.T, text, name, counter string) int {
	t.Helper()
	m := mustParse(t, text)
	report, err := Run(m, Options{Switch: only(name), Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	return int(report.Stats.Get(name, counter))
}

// repeat returns n copies of a line in which %d counts from first.
func repeat(n, first int, line string) string {
	var s strings.Builder
	for i := range n {
		s.WriteString(strings.ReplaceAll(line, "%d", fmt.Sprint(first+i)))
	}
	return s.String()
}

// negations is n chained operations, v<first> from v<first-1>.
func negations(n, first int) string {
	var s strings.Builder
	for i := range n {
		fmt.Fprintf(&s, "  v%d = neg i32 v%d\n", first+i, first+i-1)
	}
	return s.String()
}

// TestLimits tests both sides of the limits that no archive covers.
func TestLimits(t *testing.T) {
	const kernel = "func @f kernel(%p: ptr restrict, %q: ptr restrict, %n: i32) {\nb0:\n  v0 = param ptr 0\n  v1 = param ptr 1\n  v2 = param i32 2\n"
	clobbered := func(n int) string {
		return kernel + "  v3 = load i32 v0 align 4\n" + repeat(n, 0, "  store v1, v2 align 4\n") + "  v4 = load i32 v0 align 4\n  v5 = add i32 v3, v4\n  store v0, v5 align 4\n  ret\n}\n"
	}
	overwritten := func(n int) string {
		var s strings.Builder
		s.WriteString("func @f(%p: ptr, %x: i32) {\nb0:\n  v0 = param ptr 0\n  v1 = param i32 1\n  store v0, v1 align 4\n")
		for i := range n {
			fmt.Fprintf(&s, "  v%d = const i64 %d\n  v%d = ptradd ptr v0, v%d\n  store v%d, v1 align 4\n", 10+2*i, 4+4*i, 11+2*i, 10+2*i, 11+2*i)
		}
		return s.String() + "  store v0, v1 align 4\n  ret\n}\n"
	}
	divisions := func(n int) string {
		return "func @f(%x: i64, %y: i64) {\nb0:\n  v0 = param i64 0\n  v1 = param i64 1\n" + repeat(n, 2, "  v%d = udiv i64 v0, v1\n") + "  ret\n}\n"
	}
	rounds := func(n, body int, hint string) string {
		return fmt.Sprintf("func @f(%%x: i32) {\nb0:\n  v0 = param i32 0\n  v1 = const i32 0\n  v2 = const i32 1\n  v3 = const i32 %d\n  jump b1\nb1: <- b0, b2%s\n  v4 = phi i32 v1, v5\n  v6 = slt i1 v4, v3\n  if v6, b2, b3\nb2: <- b1\n  v5 = add i32 v4, v2\n  v9 = neg i32 v0\n%s  jump b1\nb3: <- b1\n  ret\n}\n", n, hint, negations(body, 10))
	}
	part := func(body int) string {
		return fmt.Sprintf("func @f(%%p: ptr, %%n: i32) {\nb0:\n  v0 = param ptr 0\n  v1 = param i32 1\n  v2 = const i32 0\n  v3 = const i32 1\n  jump b1\nb1: <- b0, b2\n  v4 = phi i32 v2, v5\n  v6 = slt i1 v4, v1\n  if v6, b2, b3\nb2: <- b1\n  v5 = add i32 v4, v3\n  v9 = load i32 v0 align 4\n%s  jump b1\nb3: <- b1\n  ret\n}\n", negations(body, 10))
	}
	array := func(n int) string {
		s := strings.Replace(rounds(7, n, ""), "  v1 = const", "  v7 = alloca ptr.local 32 align 4\n  v1 = const", 1)
		return strings.Replace(s, "  v9 = neg", "  v8 = sext i64 v4\n  v2000 = ptradd ptr.local v7, v8\n  store v2000, v0 align 4\n  v9 = neg", 1)
	}
	dividing := func(division string) func(int) string {
		return func(n int) string {
			return strings.Replace(rounds(7, n, ""), "  v9 = neg", division+"  v9 = neg", 1)
		}
	}
	down := func(n int) string {
		s := strings.Replace(rounds(n, 0, ""), "v4 = phi i32 v1, v5", "v4 = phi i32 v3, v5", 1)
		return strings.NewReplacer("slt i1 v4, v3", "sgt i1 v4, v1", "add i32 v4, v2", "sub i32 v4, v2").Replace(s)
	}
	nest := func(n int) string {
		return fmt.Sprintf("func @f(%%p: ptr) {\nb0:\n  v0 = param ptr 0\n  v1 = const i32 0\n  v2 = const i32 1\n  v3 = const i32 %d\n  jump b1\nb1: <- b0, b4\n  v4 = phi i32 v1, v8\n  v5 = slt i1 v4, v3\n  if v5, b2, b5\nb2: <- b1, b3\n  v6 = phi i32 v1, v9\n  v7 = slt i1 v6, v4\n  if v7, b3, b4\nb3: <- b2\n  store v0, v6 align 4\n  v9 = add i32 v6, v2\n  jump b2\nb4: <- b2\n  v8 = add i32 v4, v2\n  jump b1\nb5: <- b1\n  ret\n}\n", n)
	}
	rotated := func(n int) string {
		return fmt.Sprintf("func @f(%%n: i32) {\nb0:\n  v9 = param i32 0\n  jump b1\nb1: <- b0, b2\n%s  v5 = slt i1 v9, v%d\n  if v5, b2, b3\nb2: <- b1\n  jump b1\nb3: <- b1\n  ret\n}\n", negations(n, 10), 9+n)
	}
	shared := func(before string) func(int) string { // two kernels call one function with an address
		return func(n int) string {
			kernel := func(name string) string {
				return "func @" + name + " kernel(%a: ptr.param size 8 align 4, %p: ptr) {\nb0:\n  v0 = param ptr.param 0\n  v1 = param ptr 1\n  v2 = alloca ptr.local 8 align 4\n  v3 = load i32 v0 align 4\n" + before +
					"  v4 = spacecast ptr v2\n  v5 = call i32 @g(v4)\n  store v1, v5 align 4\n  ret\n}\n"
			}
			return kernel("a") + kernel("b") + fmt.Sprintf("func @g(%%p: ptr) i32 {\nb0:\n  v0 = param ptr 0\n  v9 = load i32 v0 align 4\n%s  ret v%d\n}\n", negations(n, 10), 9+n)
		}
	}
	chain := func(n int) string {
		var s strings.Builder
		s.WriteString("func @f(%b: i32, %n: i32) {\nb0:\n  v0 = param i32 0\n  v1 = param i32 1\n  v2 = mul i32 v0, v1\n")
		for i := range n {
			fmt.Fprintf(&s, "  v%d = const i32 %d\n  v%d = add i32 v0, v%d\n  v%d = mul i32 v%d, v1\n", 10+3*i, i+1, 11+3*i, 10+3*i, 12+3*i, 11+3*i)
		}
		return s.String() + "  ret\n}\n"
	}
	threaded := func(n int) string {
		return fmt.Sprintf("func @f(%%c: i1, %%d: i1, %%x: i32) i32 {\nb0:\n  v0 = param i1 0\n  v1 = param i1 1\n  v9 = param i32 2\n  v3 = const i1 true\n  if v0, b1, b2\nb1: <- b0\n  barrier\n  jump b3\nb2: <- b0\n  jump b3\nb3: <- b1, b2\n  v4 = phi i1 v3, v1\n%s  if v4, b4, b5\nb4: <- b3\n  ret v%d\nb5: <- b3\n  ret v9\n}\n", negations(n, 10), 9+n)
	}
	joined := func(n int) string {
		return fmt.Sprintf("func @f(%%p: ptr, %%c: i1, %%x: i32) {\nb0:\n  v0 = param ptr 0\n  v1 = param i1 1\n  v9 = param i32 2\n  if v1, b9, b2\nb2: <- b0\n%s  v5 = slt i1 v9, v%d\n  if v5, b9, b3\nb3: <- b2\n  store v0, v9 align 4\n  jump b9\nb9: <- b0, b2, b3\n  ret\n}\n", negations(n, 10), 9+n)
	}
	far := func(n int) string {
		var s strings.Builder
		s.WriteString("func @f kernel(%p: ptr, %c: i1, %n: i32) {\nb0:\n  v0 = param ptr 0\n  v1 = param i1 1\n  v2 = param i32 2\n  if v1, b2, b1\n")
		for i := range n - 1 {
			fmt.Fprintf(&s, "b%d:\n  barrier\n  jump b%d\n", i+2, i+3)
		}
		return s.String() + fmt.Sprintf("b%d:\n  v3 = sdiv i32 v2, v2\n  store v0, v3 align 4\n  jump b1\nb1:\n  v4 = sdiv i32 v2, v2\n  store v0, v4 align 4\n  ret\n}\n", n+1)
	}
	for _, test := range []struct {
		name, counter string
		text          func(int) string
		most          int // the last size with the count want; one more has less
		want, beyond  int
	}{
		{"gvn", "loads", clobbered, maxClobbers, 1, 0},
		{"dse", "overwritten", overwritten, maxLaterStores - 1, 1, 0},
		{"pre", "values", far, maxPreRegion - 1, 1, 0},
		{"divide", "bypassed", divisions, maxBypasses, maxBypasses, maxBypasses},
		{"inline", "calls", shared("  store v2, v3 align 4\n"), paramBudgets*DefaultInlineBudget/costOp + 1, 2, 0},
		{"inline", "calls", shared(""), copyBudgets*DefaultInlineBudget/costOp + 1, 2, 0},
		{"unroll", "whole", func(n int) string { return rounds(n, 0, "") }, maxRounds, 1, 0},
		{"unroll", "whole", func(n int) string { return rounds(7, n, "") }, maxWhole/7 - 1, 1, 0},
		{"unroll", "whole", func(n int) string { return rounds(7, n, " unroll -1") }, maxWholeAsked/7 - 3, 1, 0},
		{"unroll", "whole", array, maxWholePays/7 - 2, 1, 0},
		{"unroll", "whole", dividing("  v8 = urem i32 v0, v4\n"), maxWholePays/7 - 2, 1, 0},
		{"unroll", "whole", dividing("  v7 = stof f32 v0\n  v8 = utof f32 v4\n  v2000 = fdiv f32 v7, v8\n"), maxWholePays/7 - 4, 1, 0},
		{"unroll", "whole", dividing("  v8 = urem i32 v4, v0\n"), maxWhole/7 - 2, 1, 0},
		{"unroll", "whole", down, maxRounds, 1, 0},
		{"unroll", "whole", nest, 54, 55, 0}, // 54 iterations and 1431 within are maxNested at most
		{"unroll", "in part", part, maxPartBody - 3, 1, 0},
		{"unroll", "in part", func(n int) string { // conversions of bytes are free
			return strings.Replace(part(n), "  v9 = load i32 v0 align 4\n", "  v2000 = load i8 v0 align 1\n  v2001 = sext i32 v2000\n  v2002 = trunc i8 v2001\n  v9 = zext i32 v2002\n", 1)
		}, maxPartBody - 3, 1, 0},
		{"unroll", "in part", func(n int) string {
			return strings.Replace(part(n), "  v9 = load i32 v0 align 4\n", "  v9 = neg i32 v1\n", 1)
		}, maxPartBody - 3, 1, 0},
		{"ifconvert", "joined", joined, maxGuardCost - 2, 1, 0},
		{"rotate", "loops", rotated, maxTest - 1, 1, 0},
		{"slsr", "form 1", chain, maxChain, maxChain, maxChain},
		{"threading", "edges", threaded, maxThreaded, 1, 0},
	} {
		if got := count(t, test.text(test.most), test.name, test.counter); got != test.want {
			t.Errorf("%s %s: %d at the limit %d, want %d", test.name, test.counter, got, test.most, test.want)
		}
		if got := count(t, test.text(test.most+1), test.name, test.counter); got != test.beyond {
			t.Errorf("%s %s: %d beyond the limit %d, want %d", test.name, test.counter, got, test.most, test.beyond)
		}
	}
}

// TestLoopPressure: operations of one instruction stay in a loop that has no
// spare registers; loads are hoisted.
func TestLoopPressure(t *testing.T) {
	loop := func(live int) string {
		var s strings.Builder
		s.WriteString("func @f kernel(%p: ptr restrict, %q: ptr restrict, %n: i32) {\nb0:\n  v0 = param ptr 0\n  v1 = param ptr 1\n  v2 = param i32 2\n")
		for i := range live {
			fmt.Fprintf(&s, "  v%d = load i32 v1 align 4 volatile\n", 100+i)
		}
		s.WriteString("  jump b1\nb1: <- b0, b1\n  v10 = neg i32 v100\n  v11 = load i32 v0 align 4\n  v12 = add i32 v10, v11\n  v13 = slt i1 v12, v2\n  store v1, v12 align 4\n  if v13, b1, b2\nb2: <- b1\n")
		for i := range live {
			fmt.Fprintf(&s, "  store v1, v%d align 4\n", 100+i)
		}
		return s.String() + "  ret\n}\n"
	}
	few, many := loop(10), loop(100)
	if got := count(t, few, "licm", "kept for registers"); got != 0 {
		t.Errorf("%d values kept in a loop with few live", got)
	}
	if got := count(t, many, "licm", "kept for registers"); got == 0 {
		t.Error("no value kept in a loop with many live")
	}
	if got := count(t, many, "licm", "loads"); got != 1 {
		t.Errorf("%d loads left the loop, want 1", got)
	}
}

// TestJoinPressure: a cheap operation that some paths compute twice stays where registers
// are scarce; a load moves.
func TestJoinPressure(t *testing.T) {
	diamond := func(live int) string {
		var s strings.Builder
		s.WriteString("func @f kernel(%p: ptr restrict, %q: ptr restrict, %n: i32, %c: i1) {\nb0:\n  v0 = param ptr 0\n  v1 = param ptr 1\n  v2 = param i32 2\n  v3 = param i1 3\n")
		for i := range live {
			fmt.Fprintf(&s, "  v%d = load i32 v1 align 4 volatile\n", 100+i)
		}
		s.WriteString("  if v3, b1, b2\nb1: <- b0\n  v10 = neg i32 v100\n  v11 = load i32 v0 align 4\n  v12 = add i32 v10, v11\n  store v1, v12 align 4\n  jump b2\nb2: <- b0, b1\n  v20 = neg i32 v100\n  v21 = load i32 v0 align 4\n  store v1, v20 align 4\n  store v1, v21 align 4\n")
		for i := range live {
			fmt.Fprintf(&s, "  store v1, v%d align 4\n", 100+i)
		}
		return s.String() + "  ret\n}\n"
	}
	for _, test := range []struct{ live, values int }{{10, 1}, {100, 0}} {
		text := diamond(test.live)
		if got := count(t, text, "pre", "values"); got != test.values {
			t.Errorf("%d values moved with %d live, want %d", got, test.live, test.values)
		}
		if got := count(t, text, "pre", "loads"); got != 1 {
			t.Errorf("%d loads moved with %d live, want 1", got, test.live)
		}
	}
}

// TestGroupLimit: a loop without loads of a known trip count has as many iterations in one as
// leave no remainder and fit maxGroup.
func TestGroupLimit(t *testing.T) {
	copies := func(rounds, body int, load string) int { // body counts the test, the increment and the operation load
		n := body - 3
		text := fmt.Sprintf("func @f(%%p: ptr, %%x: i32) {\nb0:\n  v0 = param ptr 0\n  v9 = param i32 1\n  v1 = const i32 0\n  v2 = const i32 1\n  v3 = const i32 %d\n  jump b1\nb1: <- b0, b2\n  v4 = phi i32 v1, v5\n  v6 = slt i1 v4, v3\n  if v6, b2, b3\nb2: <- b1\n  v5 = add i32 v4, v2\n  v8 = %s\n%s  jump b1\nb3: <- b1\n  ret\n}\n", rounds, load, negations(n, 10))
		m := mustParse(t, text)
		if _, err := Run(m, Options{Switch: only("unroll"), Verify: true}); err != nil {
			t.Fatal(err)
		}
		return strings.Count(m.String(), "= neg ") / n
	}
	const no, load = "clz i32 v9", "load i32 v0 align 4"
	for _, c := range []struct {
		rounds, body int
		load         string
		want         int
	}{
		{630, 7, no, 15}, {630, 9, no, 14}, {630, maxGroup / 9, no, 9}, {630, maxGroup/9 + 1, no, 7},
		{640, 8, no, 16}, {640, 9, no, 10}, {68, 7, no, 4}, {631, 7, no, 4 + 3}, {630, 7, load, 5},
	} {
		if got := copies(c.rounds, c.body, c.load); got != c.want {
			t.Errorf("%d rounds of %d operations: %d copies, want %d", c.rounds, c.body, got, c.want)
		}
	}
}
