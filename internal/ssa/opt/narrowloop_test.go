package opt

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"irgl/internal/ssa"
)

// euclid is Euclid's algorithm with more operations in the loop; x and y are the
// next values of v2 and v3, from v6 = v2 % v3.
func euclid(more, x, y string) string {
	return fmt.Sprintf(`func @f(%%x: i64, %%y: i64) i64 {
b0:
  v0 = param i64 0
  v1 = param i64 1
  v4 = const i64 0
  v12 = const i64 10
  v13 = const i32 3
  jump b1
b1: <- b0, b2
  v2 = phi i64 v0, %s
  v3 = phi i64 v1, %s
  v10 = phi i64 v4, v11
  v5 = ne i1 v3, v4
  if v5, b2, b3
b2: <- b1
  v6 = urem i64 v2, v3
%s  v11 = add i64 v10, v6
  jump b1
b3: <- b1
  v9 = xor i64 v2, v10
  ret v9
}
`, x, y, more)
}

// TestNarrowLoop runs loops that are versioned, and loops that differ from those in
// one condition and are not, and compares with the original loops: for operands
// of all lengths, which fit in 32 bits early, late or never. The value carried in
// v10 must be carried in the second version, too.
func TestNarrowLoop(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for _, c := range []struct {
		more, x, y string
		versioned  bool
	}{
		{"", "v3", "v6", true},
		{"  v7 = and i64 v6, v3\n", "v3", "v7", true},
		{"  v7 = umin i64 v10, v3\n", "v6", "v7", true},
		{"  v7 = lshr i64 v6, v13\n  v8 = select i64 v5, v7, v6\n", "v3", "v8", true},
		{"  v7 = udiv i64 v6, v12\n", "v3", "v7", true},
		{"  v7 = shl i64 v6, v13\n  v8 = umin i64 v7, v2\n", "v8", "v6", true},
		{"  v7 = add i64 v6, v3\n", "v7", "v6", false},
		{"  v7 = or i64 v10, v3\n", "v7", "v6", false},
		{"", "v10", "v6", false},
		{"", "v3", "v2", true}, // endless except for 0: the fuel ends it
	} {
		text := euclid(c.more, c.x, c.y)
		was, is := mustParse(t, text), mustParse(t, text)
		report, err := Run(is, Options{Switch: only("divide", "narrowloop"), Verify: true})
		if err != nil {
			t.Fatal(err)
		}
		if versioned := strings.Contains(report.Stats.String(), "narrowloop loops 1"); versioned != c.versioned {
			t.Errorf("versioned is %v, want %v:\n%s", versioned, c.versioned, text)
		}
		for range 400 {
			x, y := someNumber(rng), someNumber(rng)
			want, err := (&machine{mod: was, memory: map[uint64]byte{}, fuel: 20000}).call(was.Funcs[0], []uint64{x, y})
			if err != nil {
				continue // it does not terminate
			}
			got, err := (&machine{mod: is, memory: map[uint64]byte{}, fuel: 100000}).call(is.Funcs[0], []uint64{x, y})
			if got != want || err != nil {
				t.Fatalf("%d, %d: got %d, want %d, %v\n%s", x, y, got, want, err, is)
			}
		}
	}
}

// TestNarrowLoopLimit: a loop of more than maxVersioned operations is not copied.
func TestNarrowLoopLimit(t *testing.T) {
	for _, over := range []int{0, 1} {
		// The loop has 10 more operations, without the 64-bit division.
		var b strings.Builder
		for i := range maxVersioned - 10 + over {
			fmt.Fprintf(&b, "  v%d = xor i64 v10, v6\n", 100+i)
		}
		m := mustParse(t, euclid(b.String(), "v3", "v6"))
		if _, err := Run(m, Options{Switch: only("divide", "narrowloop"), Verify: true}); err != nil {
			t.Fatal(err)
		}
		branches := 0
		for _, b := range m.Funcs[0].Blocks {
			if b.Kind == ssa.BlockIf {
				branches++
			}
		}
		if copied := branches > 2; copied != (over == 0) {
			t.Errorf("%d more operations than the limit: copied is %v", over, copied)
		}
	}
}
