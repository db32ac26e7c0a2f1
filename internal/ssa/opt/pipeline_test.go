package opt

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"irgl/internal/ssa"
)

// bigModule returns a kernel in the form that lowering gives: every variable in an
// alloca, a loop for each n values or so, struct accesses, calls of a function.
func bigModule(n int) *ssa.Module {
	var s strings.Builder
	s.WriteString(`func @clamp(%x: i32) i32 {
b0:
  v0 = param i32 0
  v1 = const i32 0
  v2 = alloca ptr.local 4 align 4
  store v2, v0 align 4
  v3 = slt i1 v0, v1
  if v3, b1, b2
b1: <- b0
  store v2, v1 align 4
  jump b2
b2: <- b0, b1
  v4 = load i32 v2 align 4
  ret v4
}

func @k kernel(%p: ptr, %n: i32) {
b0:
  v0 = param ptr 0
  v1 = param i32 1
  v2 = alloca ptr.local 4 align 4
  v3 = alloca ptr.local 8 align 4
  v4 = const i32 0
  v5 = const i32 1
  v6 = const i64 4
  store v2, v4 align 4
  jump b1
`)
	// Each iteration is a loop of two blocks with about 20 values.
	id, rounds := 10, max(n/20, 1)
	for r := range rounds {
		head, body := 2*r+1, 2*r+2
		fmt.Fprintf(&s, "b%d:\n", head)
		fmt.Fprintf(&s, "  v%d = load i32 v2 align 4\n  v%d = slt i1 v%d, v1\n  if v%d, b%d, b%d\n", id, id+1, id, id+1, body, head+2)
		fmt.Fprintf(&s, "b%d:\n", body)
		fmt.Fprintf(&s, "  v%d = load i32 v2 align 4\n  v%d = sext i64 v%d\n  v%d = mul i64 v%d, v6\n", id+2, id+3, id+2, id+4, id+3)
		fmt.Fprintf(&s, "  v%d = ptradd ptr v0, v%d\n  v%d = load i32 v%d align 4\n  store v3, v%d align 4\n", id+5, id+4, id+6, id+5, id+6)
		fmt.Fprintf(&s, "  v%d = ptradd ptr.local v3, v6\n  store v%d, v%d align 4\n", id+7, id+7, id+2)
		fmt.Fprintf(&s, "  v%d = load i32 v3 align 4\n  v%d = load i32 v%d align 4\n  v%d = add i32 v%d, v%d\n", id+8, id+9, id+7, id+10, id+8, id+9)
		fmt.Fprintf(&s, "  v%d = ptradd ptr v0, v%d\n", id+12, id+4)
		if r < 3 {
			fmt.Fprintf(&s, "  v%d = call i32 @clamp(v%d)\n", id+11, id+10)
		} else {
			fmt.Fprintf(&s, "  v%d = neg i32 v%d\n", id+11, id+10)
		}
		fmt.Fprintf(&s, "  store v%d, v%d align 4\n  v%d = add i32 v%d, v5\n  store v2, v%d align 4\n  jump b%d\n", id+12, id+11, id+13, id+2, id+13, head)
		id += 20
	}
	fmt.Fprintf(&s, "b%d:\n  ret\n}\n", 2*rounds+1)
	m, err := ssa.Parse(fileOf(s.String()))
	if err != nil {
		panic(err)
	}
	return m
}

// TestLinear allows the time per value to grow by at most a factor of eight
// while the number of values grows by thirty. Other load disturbs single
// measurements, so one good one of several suffices; quadratic time gives
// none.
func TestLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures time")
	}
	measure := func(n int) time.Duration {
		m := bigModule(n)
		start := time.Now()
		if _, err := Run(m, Options{}); err != nil {
			t.Fatal(err)
		}
		return time.Since(start) / time.Duration(n)
	}
	if err := ssa.Verify(bigModule(1000)); err != nil {
		t.Fatal(err)
	}
	var small, large time.Duration
	for range 8 {
		small, large = measure(1000), measure(30_000)
		if large <= 8*small {
			return
		}
	}
	t.Errorf("%v a value for 1,000 values, %v for 30,000", small, large)
}

// BenchmarkRun times the whole pipeline, parsing excluded.
func BenchmarkRun(b *testing.B) {
	for _, n := range []int{100, 300, 1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				m := bigModule(n)
				b.StartTimer()
				if _, err := Run(m, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestAllOff: without passes nothing changes.
func TestAllOff(t *testing.T) {
	for seed := range uint64(50) {
		m := randomModule(rand.New(rand.NewPCG(seed, 1)))
		before := m.String()
		if _, err := Run(m, Options{Switch: only(), Verify: true}); err != nil {
			t.Fatal(err)
		}
		if m.String() != before {
			t.Fatalf("seed %d: changed without passes", seed)
		}
	}
}

// TestDeterminism: one input gives one output.
func TestDeterminism(t *testing.T) {
	for seed := range uint64(50) {
		text := randomModule(rand.New(rand.NewPCG(seed, 1))).String()
		var first, stats string
		for i := range 3 {
			m := mustParse(t, text)
			report, err := Run(m, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first, stats = m.String(), report.Stats.String()
			} else if m.String() != first || report.Stats.String() != stats {
				t.Fatalf("seed %d: two outputs of\n%s", seed, text)
			}
		}
	}
}

// TestLimit: every cut through the run leaves a correct module, and the last
// one is the full run.
func TestLimit(t *testing.T) {
	text := bigModule(60).String()
	full := mustParse(t, text)
	report, err := Run(full, Options{})
	if err != nil {
		t.Fatal(err)
	}
	changes := 0
	last := text
	for limit := 1; limit <= report.Units; limit++ {
		m := mustParse(t, text)
		if _, err := Run(m, Options{Limit: limit, Verify: true}); err != nil {
			t.Fatal(err)
		}
		if now := m.String(); now != last {
			changes++
			last = now
		}
	}
	if last != full.String() {
		t.Error("the run limited to all units is not the full run")
	}
	if changes < 8 {
		t.Errorf("only %d of %d units change anything", changes, report.Units)
	}
}

// TestPrintAfter prints after each pass that is asked for.
func TestPrintAfter(t *testing.T) {
	var out strings.Builder
	if _, err := Run(bigModule(20), Options{PrintAfter: []string{"mem2reg", "dce-late"}, Out: &out}); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	if strings.Count(got, "; after ") != 2 || !strings.Contains(got, "; after mem2reg\nfunc @clamp") {
		t.Errorf("got\n%s", got)
	}
}

// TestOrders: the list agrees with its constraints, which NewList checks, and
// no constraint can be reversed unnoticed.
func TestOrders(t *testing.T) {
	names := Passes().Names()
	for _, o := range orders() {
		if slices.Index(names, o.Before) >= slices.Index(names, o.After) {
			t.Errorf("%s does not precede %s", o.Before, o.After)
		}
	}
}
