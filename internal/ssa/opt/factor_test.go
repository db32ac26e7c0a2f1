package opt

import (
	"math/rand/v2"
	"testing"

	"irgl/internal/ssa"
)

// factorModule generates a kernel that observes sums of 64-bit products of few variables,
// some of them quotients and remainders of one division.
func factorModule(rng *rand.Rand) *ssa.Module {
	f := &ssa.Func{Name: "k", Kernel: true}
	f.Params = []*ssa.Param{ssa.NewParam("p", ssa.Ptr), ssa.NewParam("q", ssa.Ptr), ssa.NewParam("x", ssa.I32), ssa.NewParam("l", ssa.I64), ssa.NewParam("d", ssa.F64)}
	g := &linearLoops{rng: rng, f: f, b: f.NewBlock(ssa.BlockRet)}
	g.base = g.b.Append(ssa.OpParam, ssa.Ptr)
	param := func(i int64, t ssa.Type) *ssa.Value {
		v := g.b.Append(ssa.OpParam, t)
		v.Int = i
		return v
	}
	g.narrow = []*ssa.Value{param(2, ssa.I32)}
	x, l := g.b.Append(ssa.OpSExt, ssa.I64, g.narrow[0]), param(3, ssa.I64)
	div := []ssa.Op{ssa.OpUDiv, ssa.OpSDiv}[rng.IntN(2)]
	rem := map[ssa.Op]ssa.Op{ssa.OpUDiv: ssa.OpURem, ssa.OpSDiv: ssa.OpSRem}[div]
	d := []*ssa.Value{x, g.int(ssa.I64, 24), g.int(ssa.I64, 0), l}[rng.IntN(4)]
	q, r := g.b.Append(div, ssa.I64, l, d), g.b.Append(rem, ssa.I64, l, d)
	factors := []*ssa.Value{x, l, q, r, d}
	product := func(n int) *ssa.Value {
		v := factors[rng.IntN(len(factors))]
		for range n {
			if rng.IntN(5) == 0 {
				v = g.b.Append(ssa.OpShl, ssa.I64, v, g.int(ssa.I32, int64(rng.IntN(4))))
				continue
			}
			v = g.b.Append(ssa.OpMul, ssa.I64, v, factors[rng.IntN(len(factors))])
			v.NoWrap = rng.IntN(4) == 0
		}
		return v
	}
	sum := func(n int) *ssa.Value {
		v := product(rng.IntN(3))
		for range n {
			v = g.b.Append([]ssa.Op{ssa.OpAdd, ssa.OpAdd, ssa.OpSub}[rng.IntN(3)], ssa.I64, v, product(rng.IntN(3)))
			v.NoWrap = rng.IntN(4) == 0
		}
		return v
	}
	for range 3 {
		common := factors[rng.IntN(len(factors))] // b*(c*n) + r*n
		pair := g.b.Append(ssa.OpAdd, ssa.I64, g.b.Append(ssa.OpMul, ssa.I64, g.b.Append(ssa.OpMul, ssa.I64, common, q), d), g.b.Append(ssa.OpMul, ssa.I64, r, common))
		g.wide = append(g.wide, g.b.Append(ssa.OpAdd, ssa.I64, sum(rng.IntN(3)), pair))
		p := g.base
		for range rng.IntN(4) {
			p = g.b.Append(ssa.OpPtrAdd, ssa.Ptr, p, sum(rng.IntN(2)))
		}
		g.wide = append(g.wide, g.b.Append(ssa.OpPtrToInt, ssa.I64, p))
		g.observe()
		g.wide = g.wide[:len(g.wide)-1]
		g.observe()
	}
	return &ssa.Module{Funcs: []*ssa.Func{f}}
}

// TestFactor compares the behaviour of random sums before and after factoring.
func TestFactor(t *testing.T) {
	n := uint64(300)
	if testing.Short() {
		n = 100
	}
	compared, sums, divisions := 0, 0, 0
	for seed := range n {
		m := factorModule(rand.New(rand.NewPCG(seed, 13)))
		text := m.String()
		before := mustParse(t, text)
		report, err := Run(m, Options{Verify: true, Switch: only("factor")})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		sums += report.Stats.Get("factor", "sums")
		divisions += report.Stats.Get("factor", "divisions")
		for input := range uint64(4) {
			want, ok := runModule(before, before.Funcs[0], seed+input, 5000, true)
			if !ok {
				continue
			}
			compared++
			if got, ok := runModule(m, m.Funcs[0], seed+input, 5000, true); !ok || got != want {
				t.Fatalf("seed %d: got\n%s\nwant\n%s\nbefore\n%s\nafter\n%s", seed, got, want, text, m)
			}
		}
	}
	t.Logf("%d sums, %d divisions, %d comparisons of %d kernels", sums, divisions, compared, n)
	if sums < int(n) || divisions < int(n)/4 || compared < int(n)/2 {
		t.Errorf("only %d sums, %d divisions, %d comparisons of %d kernels", sums, divisions, compared, n)
	}
}
