package opt

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// accumulating returns a kernel with a loop that adds to n addresses, with the given
// values live across it, and with branches out of it.
func accumulating(n, live, exits int) string {
	var s strings.Builder
	s.WriteString("func @f kernel(%p: ptr restrict, %q: ptr restrict, %c: i1) {\nb0:\n  v0 = param ptr 0\n  v1 = param ptr 1\n  v2 = param i1 2\n")
	for i := range n {
		fmt.Fprintf(&s, "  v%d = const i64 %d\n  v%d = ptradd ptr v0, v%d\n", 10+2*i, 4*i, 11+2*i, 10+2*i)
	}
	for i := range live {
		fmt.Fprintf(&s, "  v%d = load i32 v1 align 4 volatile\n", 100+i)
	}
	fmt.Fprintf(&s, "  jump b1\nb1: <- b0, b%d\n", exits)
	for i := range n {
		at := 500 + 2*i
		fmt.Fprintf(&s, "  v%d = load i32 v%d align 4\n  v%d = neg i32 v%d\n  store v%d, v%d align 4\n", at, 11+2*i, at+1, at, 11+2*i, at+1)
	}
	for i := 1; i < exits; i++ {
		fmt.Fprintf(&s, "  if v2, b%d, b100\nb%d: <- b%d\n", i+1, i+1, i)
	}
	s.WriteString("  if v2, b1, b100\nb100: <- ")
	for i := range exits {
		fmt.Fprintf(&s, "b%d, ", i+1)
	}
	text := strings.TrimSuffix(s.String(), ", ") + "\n"
	for i := range live {
		text += fmt.Sprintf("  store v1, v%d align 4\n", 100+i)
	}
	return text + "  ret\n}\n"
}

// TestPromoteLimits: the addresses of a loop, its exits and its registers have limits.
func TestPromoteLimits(t *testing.T) {
	for _, test := range []struct {
		n, live, exits      int
		loads, stores, kept int
	}{
		{n: maxPromoted, exits: 1, loads: maxPromoted, stores: maxPromoted},
		{n: maxPromoted + 1, exits: 1, loads: maxPromoted, stores: maxPromoted},
		{n: 1, exits: maxPromoteExits, loads: 1, stores: 1},
		{n: 1, exits: maxPromoteExits + 1, loads: 1},
		{n: 2, live: 10, exits: 1, loads: 2, stores: 2},
		{n: 2, live: 100, exits: 1, kept: 2},
	} {
		text := accumulating(test.n, test.live, test.exits)
		for name, want := range map[string]int{"loads": test.loads, "stores": test.stores, "kept for registers": test.kept} {
			if got := count(t, text, "promote", name); got != want {
				t.Errorf("%d addresses, %d live, %d exits: %d %s, want %d", test.n, test.live, test.exits, got, name, want)
			}
		}
	}
}

// nestOf returns a kernel with a nest of n loops around a sum.
func nestOf(n int) string {
	var s strings.Builder
	s.WriteString("func @f kernel(%p: ptr restrict, %c: i1) {\nb0:\n  v0 = param ptr 0\n  v1 = param i1 1\n  jump b1\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&s, "b%d: <- b%d, b%d\n  jump b%d\n", i, i-1, 2*n-i, i+1)
	}
	fmt.Fprintf(&s, "b%d: <- b%d, b%d\n  v2 = load i32 v0 align 4\n  v3 = neg i32 v2\n  store v0, v3 align 4\n  if v1, b%d, b%d\n", n, n-1, n, n, n+1)
	for i := n + 1; i < 2*n; i++ {
		fmt.Fprintf(&s, "b%d: <- b%d\n  if v1, b%d, b%d\n", i, i-1, 2*n-i, i+1)
	}
	return s.String() + fmt.Sprintf("b%d: <- b%d\n  ret\n}\n", 2*n, 2*n-1)
}

// TestPromoteNest: a value leaves up to maxPromoteRounds loops of a nest.
func TestPromoteNest(t *testing.T) {
	for n := 1; n <= maxPromoteRounds+1; n++ {
		if got, want := count(t, nestOf(n), "promote", "stores"), min(n, maxPromoteRounds); got != want {
			t.Errorf("a store leaves %d of %d loops, want %d", got, n, want)
		}
	}
}

// testOf returns a kernel with a loop whose test has n operations.
func testOf(n int) string {
	var s strings.Builder
	s.WriteString("func @f kernel(%p: ptr restrict, %n: i32) {\nb0:\n  v0 = param ptr 0\n  v1 = param i32 1\n  jump b1\nb1: <- b0, b2\n  v9 = phi i32 v1, v4\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&s, "  v%d = neg i32 v%d\n", 9+i, 8+i)
	}
	fmt.Fprintf(&s, "  v100 = slt i1 v%d, v1\n  if v100, b2, b3\n", 8+n)
	return s.String() + "b2: <- b1\n  v2 = load i32 v0 align 4\n  v4 = add i32 v2, v9\n  store v0, v4 align 4\n  jump b1\nb3: <- b1\n  ret\n}\n"
}

// TestPromoteGuard: a test of up to maxTest operations is copied.
func TestPromoteGuard(t *testing.T) {
	if got := count(t, testOf(maxTest), "promote", "guards"); got != 1 {
		t.Errorf("%d guards, want 1", got)
	}
	if got := count(t, testOf(maxTest+1), "promote", "loads"); got != 0 {
		t.Errorf("%d loads of a loop with a long test are replaced", got)
	}
}

// TestPromoteRandom compares the behaviour of random kernels whose loops accumulate in
// memory before and after promotion, alone behind what it needs and in the whole list.
func TestPromoteRandom(t *testing.T) {
	n := uint64(400)
	if testing.Short() {
		n = 100
	}
	total := make(map[string]int)
	compared := 0
	for seed := range n {
		m := structuredWith(rand.New(rand.NewPCG(seed, 5)), true)
		m.Funcs[0].Params[0].Restrict = seed%2 == 0
		text := m.String()
		before := mustParse(t, text)
		o := Options{Verify: true}
		if seed%4 < 3 {
			o.Switch = only("simplifycfg", "mem2reg", "constfold", "gvn", "licm", "promote")
			o.Switch["rotate"] = seed%4 == 1
		}
		report, err := Run(m, o)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		for _, name := range []string{"loads", "stores", "forwarded", "guards"} {
			total[name] += report.Stats.Get("promote", name)
		}
		for input := range uint64(4) {
			want, ok := runModule(before, before.Funcs[0], seed+input, 40_000, true)
			if !ok {
				continue
			}
			compared++
			if got, ok := runModule(m, m.Funcs[0], seed+input, 200_000, false); !ok || got != want {
				t.Fatalf("seed %d: got\n%s\nwant\n%s\nbefore\n%s\nafter\n%s", seed, got, want, text, m)
			}
		}
	}
	for name, got := range total {
		if got < int(n)/10 {
			t.Errorf("only %d %s in %d kernels", got, name, n)
		}
	}
	if compared < int(n) {
		t.Errorf("only %d comparisons of %d kernels", compared, n)
	}
}
