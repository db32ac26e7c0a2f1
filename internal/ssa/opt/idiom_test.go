package opt

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"irgl/internal/ssa"
)

// TestBitLoops compares loops over the bits of words, of each step and test, with what is
// left of them, for boundary and random words.
func TestBitLoops(t *testing.T) {
	steps := []string{
		"v11 = add T v4, v8\n  v5 = and T v4, v11", "v11 = add T v4, v8\n  v5 = and T v11, v4",
		"v11 = neg T v4\n  v12 = and T v4, v11\n  v5 = sub T v4, v12", "v11 = neg T v4\n  v12 = and T v11, v4\n  v5 = xor T v12, v4",
		"v11 = const i32 1\n  v5 = lshr T v4, v11", "v11 = const i32 5\n  v5 = lshr T v4, v11", "v11 = const i32 1\n  v5 = shl T v4, v11",
	}
	rng := rand.New(rand.NewPCG(3, 3))
	for _, typ := range []ssa.Type{ssa.I32, ssa.I64} {
		for _, step := range steps {
			for _, late := range []bool{false, true} {
				head, body, test := "", "  "+step+"\n", "v4"
				if late {
					head, body, test = body, "", "v5"
				}
				text := strings.ReplaceAll("func @f(%x: T, %y: i32) i64 {\nb0:\n  v0 = param T 0\n  v1 = param i32 1\n  v2 = const i8 100\n  v3 = const T 0\n  v8 = const T -1\n  v9 = const i64 9\n  jump b1\n"+
					"b1: <- b0, b2\n  v4 = phi T v0, v5\n  v6 = phi i8 v2, v7\n  v30 = phi i64 v9, v31\n"+head+"  v10 = ne i1 "+test+", v3\n  if v10, b2, b3\n"+
					"b2: <- b1\n"+body+"  v20 = sext i32 v6\n  v21 = add i32 v20, v1\n  v7 = trunc i8 v21\n  v31 = sub i64 v30, v9\n  jump b1\n"+
					"b3: <- b1\n  v22 = sext i64 v6\n  v23 = xor i64 v22, v30\n  ret v23\n}\n", "T", typ.String())
				before, after := mustParse(t, text), mustParse(t, text)
				report, err := Run(after, Options{Switch: only("idiom"), Verify: true})
				if err != nil {
					t.Fatal(err)
				}
				if report.Stats.Get("idiom", "bits")+report.Stats.Get("idiom", "digits") != 1 {
					t.Fatalf("the loop stays:\n%s", text)
				}
				words := []uint64{0, 1, 2, 3, 1 << 31, 1<<31 + 1, 1 << 63, 1<<63 + 1, 1<<64 - 1, 1<<32 - 1}
				for range 20 {
					words = append(words, rng.Uint64()>>rng.IntN(64)<<rng.IntN(16))
				}
				for _, x := range words {
					args := []uint64{mask(typ, x), uint64(rng.Uint32())}
					if want, got := callOn(t, before, args), callOn(t, after, args); got != want {
						t.Fatalf("%x: got %x, want %x\n%s", args, got, want, after)
					}
				}
			}
		}
	}
}

func callOn(t *testing.T, m *ssa.Module, args []uint64) string {
	t.Helper()
	vm := &machine{mod: m, memory: map[uint64]byte{}, fuel: 10_000}
	got, err := vm.call(m.Funcs[0], args)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(got)
}
