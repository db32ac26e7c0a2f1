package opt

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"irgl/internal/ssa"
)

// A linearLoops generates kernels of loops, possibly nested, whose bodies compute linear
// and other values of several induction variables, that promise not to wrap or do wrap,
// and observe them in every iteration or behind a branch.
type linearLoops struct {
	rng    *rand.Rand
	f      *ssa.Func
	b      *ssa.Block
	base   *ssa.Value
	narrow []*ssa.Value // i32
	wide   []*ssa.Value // i64
	slot   int64
}

func linearModule(rng *rand.Rand) *ssa.Module {
	f := &ssa.Func{Name: "k", Kernel: true}
	f.Params = []*ssa.Param{ssa.NewParam("p", ssa.Ptr), ssa.NewParam("q", ssa.Ptr), ssa.NewParam("x", ssa.I32), ssa.NewParam("l", ssa.I64), ssa.NewParam("d", ssa.F64)}
	g := &linearLoops{rng: rng, f: f, b: f.NewBlock(ssa.BlockRet)}
	g.base = g.b.Append(ssa.OpParam, ssa.Ptr)
	for i := range int64(2) {
		v := g.b.Append(ssa.OpParam, []ssa.Type{ssa.I32, ssa.I64}[i])
		v.Int = 2 + i
		if i == 0 {
			g.narrow = append(g.narrow, v)
		} else {
			g.wide = append(g.wide, v)
		}
	}
	for i := range int64(2) {
		v := g.b.Append(ssa.OpLoad, ssa.I8, g.b.Append(ssa.OpPtrAdd, ssa.Ptr, g.base, g.int(ssa.I64, i)))
		v.Mem.Align = 1
		g.narrow = append(g.narrow, g.b.Append(ssa.OpSExt, ssa.I32, v))
	}
	g.loop(rng.IntN(2))
	if rng.IntN(2) == 0 {
		g.loop(0)
	}
	return &ssa.Module{Funcs: []*ssa.Func{f}}
}

func (g *linearLoops) int(t ssa.Type, n int64) *ssa.Value {
	v := g.b.Append(ssa.OpConst, t)
	v.Int = ssa.SignExtend(t, n)
	return v
}

// pick returns one of the values of type t, the newest more often, or a constant.
func (g *linearLoops) pick(t ssa.Type) *ssa.Value {
	list := g.narrow
	if t == ssa.I64 {
		list = g.wide
	}
	switch g.rng.IntN(5) {
	case 0:
		return g.int(t, []int64{1, 2, 3, 12, -5, 1 << 30, 0}[g.rng.IntN(7)])
	case 1, 2:
		return list[max(0, len(list)-1-g.rng.IntN(3))]
	}
	return list[g.rng.IntN(len(list))]
}

func (g *linearLoops) arithmetic(n int) {
	for range n {
		t := []ssa.Type{ssa.I32, ssa.I32, ssa.I64}[g.rng.IntN(3)]
		var v *ssa.Value
		switch g.rng.IntN(8) {
		case 0:
			v = g.b.Append(ssa.OpShl, t, g.pick(t), g.int(ssa.I32, int64(g.rng.IntN(4))))
		case 1, 2:
			t = ssa.I64
			v = g.b.Append(ssa.OpSExt, t, g.pick(ssa.I32))
		default:
			v = g.b.Append([]ssa.Op{ssa.OpAdd, ssa.OpSub, ssa.OpMul, ssa.OpMul}[g.rng.IntN(4)], t, g.pick(t), g.pick(t))
		}
		v.NoWrap = v.Op.MayPromise() && g.rng.IntN(2) == 0
		if t == ssa.I32 {
			g.narrow = append(g.narrow, v)
		} else {
			g.wide = append(g.wide, v)
		}
	}
}

// observe stores the newest values, as numbers and as an address.
func (g *linearLoops) observe() {
	store := func(v *ssa.Value) {
		at := g.b.Append(ssa.OpPtrAdd, ssa.Ptr, g.base, g.int(ssa.I64, 8+g.slot%40))
		g.slot++
		old := g.b.Append(ssa.OpLoad, ssa.I8, at)
		old.Mem.Align = 1
		v = g.b.Append(ssa.OpAdd, ssa.I8, g.b.Append(ssa.OpMul, ssa.I8, old, g.int(ssa.I8, 3)), g.b.Append(ssa.OpTrunc, ssa.I8, v))
		g.b.Append(ssa.OpStore, ssa.Void, at, v).Mem.Align = 1
	}
	high := func(v *ssa.Value) *ssa.Value { return g.b.Append(ssa.OpLShr, ssa.I64, v, g.int(ssa.I32, 31)) }
	store(g.narrow[len(g.narrow)-1])
	w := g.wide[len(g.wide)-1]
	store(w)
	store(high(w))
	address := g.b.Append(ssa.OpPtrAdd, ssa.Ptr, g.base, g.b.Append(ssa.OpMul, ssa.I64, w, g.pick(ssa.I64)))
	store(high(g.b.Append(ssa.OpPtrToInt, ssa.I64, address)))
}

// loop adds a loop of up to 7 iterations that tests at its end, or, in half of the cases, at
// its start, where it may also have no iterations.
func (g *linearLoops) loop(nested int) {
	narrow, wide := len(g.narrow), len(g.wide)
	g.arithmetic(2)
	count := g.b.Append(ssa.OpAnd, ssa.I32, g.narrow[g.rng.IntN(3)], g.int(ssa.I32, 7))
	zero, before := g.int(ssa.I32, 0), g.b
	var phis []*ssa.Value
	var inits []*ssa.Value
	var steps []*ssa.Value
	for i := range 3 {
		t := []ssa.Type{ssa.I32, ssa.I32, ssa.I64}[i]
		inits, steps = append(inits, g.pick(t)), append(steps, g.pick(t))
	}
	before.Kind = ssa.BlockJump
	h := g.f.NewBlock(ssa.BlockJump)
	before.AddEdge(h)
	g.b = h
	counter := h.Append(ssa.OpPhi, ssa.I32, zero)
	for i := range inits {
		phis = append(phis, h.Append(ssa.OpPhi, inits[i].Type, inits[i]))
	}
	after := g.f.NewBlock(ssa.BlockRet)
	tested := g.rng.IntN(2) == 0
	if tested {
		h.Kind, h.Ctrl = ssa.BlockIf, h.Append(ssa.OpSLt, ssa.I1, counter, count)
		g.b = g.f.NewBlock(ssa.BlockJump)
		h.AddEdge(g.b)
		h.AddEdge(after)
	}
	g.narrow, g.wide = append(g.narrow, phis[:2]...), append(g.wide, phis[2])
	g.arithmetic(5)
	g.observe()
	if g.rng.IntN(2) == 0 { // a branch
		from, side, join := g.b, g.f.NewBlock(ssa.BlockJump), g.f.NewBlock(ssa.BlockJump)
		from.Kind, from.Ctrl = ssa.BlockIf, from.Append(ssa.OpSLt, ssa.I1, counter, g.int(ssa.I32, 2))
		from.AddEdge(side)
		from.AddEdge(join)
		n, w := len(g.narrow), len(g.wide)
		g.b = side
		g.arithmetic(3)
		g.observe()
		side.AddEdge(join)
		g.b, g.narrow, g.wide = join, g.narrow[:n], g.wide[:w]
	}
	if nested > 0 {
		g.loop(nested - 1)
	}
	one := g.int(ssa.I32, 1)
	counter.Args = append(counter.Args, g.b.Append(ssa.OpAdd, ssa.I32, counter, one))
	for i, phi := range phis {
		next := g.b.Append([]ssa.Op{ssa.OpAdd, ssa.OpSub}[g.rng.IntN(2)], phi.Type, phi, steps[i])
		next.NoWrap = g.rng.IntN(2) == 0
		phi.Args = append(phi.Args, next)
	}
	if tested {
		g.b.Kind = ssa.BlockJump
		g.b.AddEdge(h)
	} else {
		g.b.Kind, g.b.Ctrl = ssa.BlockIf, g.b.Append(ssa.OpSLt, ssa.I1, counter.Args[1], count)
		g.b.AddEdge(h)
		g.b.AddEdge(after)
	}
	g.b, g.narrow, g.wide = after, g.narrow[:narrow], g.wide[:wide]
}

// TestLoopReduction compares the behaviour of random loops before and after the pass, alone
// and behind those that rotate and hoist.
func TestLoopReduction(t *testing.T) {
	n := uint64(600)
	if testing.Short() {
		n = 200
	}
	compared, made := 0, 0
	for seed := range n {
		m := linearModule(rand.New(rand.NewPCG(seed, 11)))
		text := m.String()
		before := mustParse(t, text)
		o := Options{Verify: true, Switch: only("lsr")}
		switch seed % 4 {
		case 1:
			o.Switch = only("rotate", "licm-rotated", "gvn-straight", "slsr", "lsr", "dce-late")
		case 2:
			o.Switch = only("unroll", "addresses", "rotate", "licm-rotated", "reassociate", "lsr", "constfold-last")
		}
		report, err := Run(m, o)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		made += report.Stats.Get("lsr", "recurrences")
		for input := range uint64(4) {
			want, ok := runModule(before, before.Funcs[0], seed+input, 20_000, true)
			if !ok {
				continue
			}
			compared++
			if got, ok := runModule(m, m.Funcs[0], seed+input, 100_000, true); !ok || got != want {
				t.Fatalf("seed %d: got\n%s\nwant\n%s\nbefore\n%s\nafter\n%s", seed, got, want, text, m)
			}
		}
	}
	t.Logf("%d recurrences, %d comparisons of %d kernels", made, compared, n)
	if made < int(n)/4 || compared < int(n)/2 {
		t.Errorf("only %d recurrences, %d comparisons of %d kernels", made, compared, n)
	}
}

// negating returns a kernel with a loop of that many iterations that loads an element, negates
// it and stores it, in place or elsewhere, in that many operations, with some values live
// across it.
func negating(operations, iterations, live int, inPlace bool) string {
	var s strings.Builder
	fmt.Fprintf(&s, `func @f kernel(%%p: ptr.global, %%q: ptr.global) {
b0:
  v0 = param ptr.global 0
  v1 = param ptr.global 1
  v2 = const i32 %d
  v3 = const i32 0
  v4 = const i32 1
  v5 = const i32 2
`, iterations)
	for i := range live {
		fmt.Fprintf(&s, "  v%d = load i32 v1 align 4 volatile\n", 500+i)
	}
	s.WriteString(`  jump b1
b1: <- b0, b1
  v6 = phi i32 v3, v13
  v7 = sext i64 v6
  v8 = shl i64 v7, v5
  v9 = ptradd ptr.global v0, v8
  v100 = load i32 v9 align 4
`)
	last, to := 100, 1
	for ; last < 100+operations-7; last++ {
		fmt.Fprintf(&s, "  v%d = neg i32 v%d\n", last+1, last)
	}
	if inPlace {
		to = 9
	}
	fmt.Fprintf(&s, `  store v%d, v%d align 4
  v13 = add i32 v6, v4 nsw
  v14 = slt i1 v13, v2
  if v14, b1, b2
b2: <- b1
`, to, last)
	for i := range live {
		fmt.Fprintf(&s, "  store v1, v%d align 4\n", 500+i)
	}
	return s.String() + "  ret\n}\n"
}

// TestShortLoops: the address of a loop that the assembler unrolls is a recurrence, more
// operations count as a short loop if there are few iterations, and an address that is live
// over two accesses takes no more registers.
func TestShortLoops(t *testing.T) {
	for _, test := range []struct {
		operations, iterations, live int
		inPlace                      bool
		recurrences                  int
	}{
		{operations: maxShort, iterations: 1000, recurrences: 1},
		{operations: maxShort + 1, iterations: 1000},
		{operations: maxShort + 1, iterations: shortTrips, recurrences: 1},
		{operations: maxShort + 1, iterations: shortTrips + 1},
		{operations: maxShortFull, iterations: 2, recurrences: 1},
		{operations: maxShortFull + 1, iterations: 2},
		{operations: maxShort, iterations: 1000, live: 60},
		{operations: maxShort, iterations: 1000, live: 60, inPlace: true, recurrences: 1},
	} {
		if got := count(t, negating(test.operations, test.iterations, test.live, test.inPlace), "lsr", "recurrences"); got != test.recurrences {
			t.Errorf("%+v: %d recurrences", test, got)
		}
	}
}
