package opt

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"irgl/internal/ssa"
)

// TestDivideByConstants compares the expansion of a division by each of many
// constants with the division itself, for boundary and random values.
func TestDivideByConstants(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, typ := range []ssa.Type{ssa.I32, ssa.I64} {
		edge := int64(-1) << (typ.Bits() - 1)
		divisors := []int64{2, 3, 5, 6, 7, 9, 10, 25, 100, 125, 625, 641, 1000, 7919, 65535, 65537, -2, -3, -4, -7, -8, edge, edge + 1, ^edge, ^edge - 1, 1 << 30, -1 << 30}
		for range 60 {
			divisors = append(divisors, ssa.SignExtend(typ, int64(rng.Uint64()>>rng.IntN(60))))
		}
		for _, c := range divisors {
			if c == 0 {
				continue
			}
			for _, op := range []ssa.Op{ssa.OpSDiv, ssa.OpUDiv, ssa.OpSRem, ssa.OpURem} {
				text := fmt.Sprintf("func @f(%%x: %s) %s {\nb0:\n  v0 = param %s 0\n  v1 = const %s %d\n  v2 = %s %s v0, v1\n  ret v2\n}\n", typ, typ, typ, typ, c, op, typ)
				m := mustParse(t, text)
				if _, err := Run(m, Options{Switch: only("divide"), Verify: true}); err != nil {
					t.Fatal(err)
				}
				dividends := []int64{0, 1, -1, 2, -2, edge, edge + 1, ^edge, c, -c, c - 1, c + 1, 1 - c, 2*c - 1, 2 * c, 3*c - 1, -3 * c}
				for range 40 {
					dividends = append(dividends, int64(rng.Uint64()>>rng.IntN(64)))
				}
				for _, x := range dividends {
					x = ssa.SignExtend(typ, x)
					vm := &machine{mod: m, memory: map[uint64]byte{}, fuel: 1000}
					got, err := vm.call(m.Funcs[0], []uint64{mask(typ, uint64(x))})
					want := mask(typ, integerOp(op, typ, mask(typ, uint64(x)), mask(typ, uint64(c))))
					if err != nil || got != want {
						t.Fatalf("%s %s %d, %d: got %x, want %x, %v\n%s", op, typ, x, c, got, want, err, m)
					}
				}
			}
		}
	}
}
