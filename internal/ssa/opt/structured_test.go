package opt

import (
	"math/rand/v2"
	"testing"

	"irgl/internal/ssa"
)

// A structured generator generates kernels as lowering would from C:
// variables in allocas, nested counted loops of many shapes with breaks and
// hints, conditions, address arithmetic on a buffer and on a local array.
type structured struct {
	rng    *rand.Rand
	f      *ssa.Func
	b      *ssa.Block
	vars   []*ssa.Value // allocas of i32
	array  *ssa.Value   // of 8 i32
	buffer *ssa.Value
	params []*ssa.Value
	exits  []*ssa.Block // of the enclosing loops
	sums   []*ssa.Value // addresses at which loops accumulate, if they do
	budget int
}

func structuredModule(rng *rand.Rand) *ssa.Module { return structuredWith(rng, false) }

// structuredWith generates a kernel whose loops accumulate in memory, or one whose loops
// count in variables.
func structuredWith(rng *rand.Rand, sums bool) *ssa.Module {
	f := &ssa.Func{Name: "k", Kernel: true}
	f.Params = []*ssa.Param{ssa.NewParam("p", ssa.Ptr), ssa.NewParam("q", ssa.Ptr), ssa.NewParam("x", ssa.I32), ssa.NewParam("l", ssa.I64), ssa.NewParam("d", ssa.F64)}
	g := &structured{rng: rng, f: f, b: f.NewBlock(ssa.BlockRet), budget: 30}
	param := func(i int64, t ssa.Type) *ssa.Value {
		v := g.b.Append(ssa.OpParam, t)
		v.Int = i
		return v
	}
	g.buffer = param(0, ssa.Ptr)
	g.params = []*ssa.Value{param(2, ssa.I32), g.b.Append(ssa.OpTrunc, ssa.I32, param(3, ssa.I64))}
	alloca := func(n int64) *ssa.Value {
		a := g.b.Append(ssa.OpAlloca, ssa.PtrLocal)
		a.Int, a.Mem.Align = n, 4
		return a
	}
	g.array = alloca(32)
	g.array.Mem.Align = 16
	for range 4 {
		g.vars = append(g.vars, alloca(4))
	}
	for i, v := range g.vars {
		g.put(v, g.int(int64(i*5)))
	}
	for i := range int64(8) {
		g.put(g.at(g.array, g.int(i), 0), g.int(i))
	}
	if sums {
		for i := range int64(3) {
			g.sums = append(g.sums, g.at(g.buffer, g.int(i*4), 0), g.at(g.array, g.int(i*2), 0))
		}
		g.loop(0)
	}
	g.block(0)
	for i, v := range g.vars {
		g.put(g.at(g.buffer, g.int(int64(8+i)), 0), g.get(v))
	}
	g.put(g.at(g.buffer, g.int(7), 0), g.get(g.at(g.array, g.bits(g.get(g.vars[0]), 7), 0)))
	return &ssa.Module{Funcs: []*ssa.Func{f}}
}

func (g *structured) int(n int64) *ssa.Value {
	v := g.b.Append(ssa.OpConst, ssa.I32)
	v.Int = ssa.SignExtend(ssa.I32, n)
	return v
}

func (g *structured) get(p *ssa.Value) *ssa.Value {
	v := g.b.Append(ssa.OpLoad, ssa.I32, p)
	v.Mem.Align = 4
	return v
}

func (g *structured) put(p, x *ssa.Value) { g.b.Append(ssa.OpStore, ssa.Void, p, x).Mem.Align = 4 }

func (g *structured) bits(x *ssa.Value, mask int64) *ssa.Value {
	return g.b.Append(ssa.OpAnd, ssa.I32, x, g.int(mask))
}

// at is the address of base[index + off].
func (g *structured) at(base, index *ssa.Value, off int64) *ssa.Value {
	i := g.b.Append(ssa.OpAdd, ssa.I32, index, g.int(off))
	wide := g.b.Append(ssa.OpSExt, ssa.I64, i)
	four := g.b.Append(ssa.OpConst, ssa.I64)
	four.Int = 4
	return g.b.Append(ssa.OpPtrAdd, base.Type, base, g.b.Append(ssa.OpMul, ssa.I64, wide, four))
}

func (g *structured) expr(depth int) *ssa.Value {
	switch n := g.rng.IntN(12); {
	case depth == 0 || n < 3:
		return g.get(g.vars[g.rng.IntN(len(g.vars))])
	case n == 3:
		return g.params[g.rng.IntN(2)]
	case n == 4:
		return g.int(int64(g.rng.IntN(20)) - 4)
	case n == 5:
		return g.get(g.place())
	case n == 6:
		ops := []ssa.Op{ssa.OpSDiv, ssa.OpUDiv, ssa.OpSRem, ssa.OpURem}
		return g.b.Append(ops[g.rng.IntN(4)], ssa.I32, g.expr(depth-1), g.expr(depth-1))
	case n == 7:
		wide := func() *ssa.Value { return g.b.Append(ssa.OpSExt, ssa.I64, g.expr(depth-1)) }
		ops := []ssa.Op{ssa.OpSDiv, ssa.OpUDiv, ssa.OpSRem, ssa.OpURem, ssa.OpMul, ssa.OpAdd}
		return g.b.Append(ssa.OpTrunc, ssa.I32, g.b.Append(ops[g.rng.IntN(6)], ssa.I64, wide(), wide()))
	}
	ops := []ssa.Op{ssa.OpAdd, ssa.OpAdd, ssa.OpSub, ssa.OpMul, ssa.OpMul, ssa.OpXor, ssa.OpAnd, ssa.OpSMin, ssa.OpUMax}
	return g.b.Append(ops[g.rng.IntN(len(ops))], ssa.I32, g.expr(depth-1), g.expr(depth-1))
}

// place is an element of the buffer or of the array.
func (g *structured) place() *ssa.Value {
	base := g.buffer
	if g.rng.IntN(2) == 0 {
		base = g.array
	}
	if g.rng.IntN(3) == 0 {
		return g.at(base, g.int(int64(g.rng.IntN(8))), 0)
	}
	return g.at(base, g.bits(g.get(g.vars[g.rng.IntN(len(g.vars))]), 3), int64(g.rng.IntN(4)))
}

func (g *structured) cond() *ssa.Value {
	op := intCompareOps[g.rng.IntN(len(intCompareOps))]
	return g.b.Append(op, ssa.I1, g.expr(1), g.expr(1))
}

func (g *structured) block(depth int) {
	for range 2 + g.rng.IntN(4) {
		if g.budget--; g.budget < 0 {
			return
		}
		g.stmt(depth)
	}
}

func (g *structured) jump(to *ssa.Block) {
	g.b.Kind = ssa.BlockJump
	g.b.AddEdge(to)
}

func (g *structured) branch(c *ssa.Value, yes, no *ssa.Block) {
	g.b.Kind, g.b.Ctrl = ssa.BlockIf, c
	g.b.AddEdge(yes)
	g.b.AddEdge(no)
}

func (g *structured) stmt(depth int) {
	switch n := g.rng.IntN(12); {
	case n > 9 && depth <= 3:
		g.partly(depth)
	case n < 3 || depth > 3:
		g.put(g.vars[g.rng.IntN(len(g.vars))], g.expr(2))
	case n < 5:
		x := g.expr(2)
		g.put(g.place(), x)
	case n == 5 && g.rng.IntN(3) == 0:
		g.b.Append(ssa.OpBarrier, ssa.Void)
	case n < 8:
		yes, no, done := g.f.NewBlock(ssa.BlockRet), g.f.NewBlock(ssa.BlockRet), g.f.NewBlock(ssa.BlockRet)
		g.branch(g.cond(), yes, no)
		g.b = yes
		g.block(depth + 1)
		if len(g.exits) > 0 && g.rng.IntN(4) == 0 {
			g.jump(g.exits[len(g.exits)-1])
		} else {
			g.jump(done)
		}
		g.b = no
		if g.rng.IntN(2) == 0 {
			g.stmt(depth + 1)
		}
		g.jump(done)
		g.b = done
	default:
		g.loop(depth)
	}
}

// partly computes one expression, or the address of one place, in a branch and again after
// it: in between the memory may be written, or all threads may synchronise.
func (g *structured) partly(depth int) {
	again := rand.NewPCG(g.rng.Uint64(), 3)
	state, _ := again.MarshalBinary()
	use := func() {
		random := g.rng
		if err := again.UnmarshalBinary(state); err != nil {
			panic(err)
		}
		g.rng = rand.New(again)
		x, p := g.expr(3), g.place()
		g.rng = random
		if g.rng.IntN(4) == 0 {
			g.put(p, x)
		} else {
			x = g.b.Append(ssa.OpAdd, ssa.I32, x, g.get(p))
			g.put(g.vars[g.rng.IntN(len(g.vars))], x)
		}
	}
	yes, no, done := g.f.NewBlock(ssa.BlockRet), g.f.NewBlock(ssa.BlockRet), g.f.NewBlock(ssa.BlockRet)
	if g.rng.IntN(2) == 0 {
		g.branch(g.b.Append(ssa.OpSLt, ssa.I1, g.params[0], g.int(int64(g.rng.IntN(64)))), yes, no) // uniform
	} else {
		g.branch(g.cond(), yes, no)
	}
	g.b = yes
	use()
	if g.rng.IntN(3) == 0 {
		g.stmt(depth + 1)
	}
	g.jump(done)
	g.b = no
	if g.rng.IntN(2) == 0 {
		g.stmt(depth + 1)
	}
	g.jump(done)
	g.b = done
	use()
}

// loop is a counted loop of at most about 12 iterations, with its own variable.
func (g *structured) loop(depth int) {
	iv := g.f.NewValue(ssa.OpAlloca, ssa.PtrLocal)
	iv.Int, iv.Mem.Align, iv.Block = 4, 4, g.f.Blocks[0]
	g.f.Blocks[0].Values = append([]*ssa.Value{iv}, g.f.Blocks[0].Values...)
	head, body, done := g.f.NewBlock(ssa.BlockRet), g.f.NewBlock(ssa.BlockRet), g.f.NewBlock(ssa.BlockRet)
	step := int64(1 + g.rng.IntN(3))
	op, first, last := []ssa.Op{ssa.OpSLt, ssa.OpULt, ssa.OpSLe, ssa.OpNe}[g.rng.IntN(4)], int64(g.rng.IntN(4)), int64(g.rng.IntN(12))
	if op == ssa.OpNe {
		last = first + step*int64(g.rng.IntN(6))
	}
	if g.rng.IntN(3) == 0 && op != ssa.OpULt {
		first, last, step = last, first, -step
		op = map[ssa.Op]ssa.Op{ssa.OpSLt: ssa.OpSGt, ssa.OpSLe: ssa.OpSGe, ssa.OpNe: ssa.OpNe}[op]
	}
	g.put(iv, g.int(first))
	// The bound is a constant or a parameter's low bits.
	test := func() *ssa.Value {
		bound := g.int(last)
		if op != ssa.OpNe && g.rng.IntN(2) == 0 {
			bound = g.bits(g.params[0], 15)
		}
		return g.b.Append(op, ssa.I1, g.get(iv), bound)
	}
	atEnd := op != ssa.OpNe && g.rng.IntN(3) == 0
	stride := g.int(step)
	if op == ssa.OpSLt && step > 0 && g.rng.IntN(2) == 0 { // unknown: from 1 to 4, or far too large
		stride = g.b.Append(ssa.OpAdd, ssa.I32, g.bits(g.params[1], []int64{3, 1<<30 + 3}[g.rng.IntN(2)]), g.int(1))
	}
	head.Unroll = []int{0, 0, 0, -1, 1, 2, 3, 4, 8}[g.rng.IntN(9)]
	g.jump(head)
	g.b = head
	if atEnd {
		g.jump(body)
	} else {
		g.branch(test(), body, done)
	}
	g.b = body
	g.vars = append(g.vars, iv)
	g.exits = append(g.exits, done)
	saved := g.vars
	g.vars = g.vars[:len(g.vars):len(g.vars)]
	g.body(depth, iv)
	g.vars = saved[:len(saved)-1]
	g.exits = g.exits[:len(g.exits)-1]
	g.put(iv, g.b.Append(ssa.OpAdd, ssa.I32, g.get(iv), stride))
	if atEnd {
		g.branch(test(), head, done)
	} else {
		g.jump(head)
	}
	g.b = done
}

// body is a loop's body: iv is read but not written, so that the loop ends.
func (g *structured) body(depth int, iv *ssa.Value) {
	if g.sums != nil {
		g.sum()
		if g.rng.IntN(3) == 0 && depth < 3 {
			g.loop(depth + 1)
		}
		if g.rng.IntN(2) == 0 {
			return
		}
	}
	x := g.b.Append(ssa.OpAdd, ssa.I32, g.get(g.vars[0]), g.get(g.at(g.buffer, g.bits(g.get(iv), 7), 1)))
	g.put(g.vars[0], x)
	readable := g.vars
	g.vars = g.vars[:4] // the others are counters
	g.block(depth + 1)
	g.vars = readable
	g.put(g.at(g.array, g.bits(g.get(iv), 7), 0), x)
}

// sum accumulates at up to three addresses, some of them under a condition.
func (g *structured) sum() {
	for range 1 + g.rng.IntN(3) {
		p := g.sums[g.rng.IntN(len(g.sums))]
		switch g.rng.IntN(6) {
		case 0:
			g.put(p, g.expr(1))
		case 2: // a store that may write the address too
			x := g.get(p)
			g.put(g.place(), g.expr(1))
			g.put(p, g.b.Append(ssa.OpAdd, ssa.I32, x, g.expr(1)))
		case 1:
			x := g.get(p)
			yes, done := g.f.NewBlock(ssa.BlockRet), g.f.NewBlock(ssa.BlockRet)
			g.branch(g.b.Append(ssa.OpSLt, ssa.I1, x, g.expr(1)), yes, done)
			g.b = yes
			g.put(p, g.expr(1))
			if len(g.exits) > 1 && g.rng.IntN(3) == 0 {
				g.jump(g.exits[g.rng.IntN(len(g.exits))])
			} else {
				g.jump(done)
			}
			g.b = done
		default:
			g.put(p, g.b.Append(ssa.OpAdd, ssa.I32, g.get(p), g.expr(1)))
		}
	}
}

// TestStructured compares the behaviour of structured kernels before and after
// all passes, after some of them, and after each one alone.
func TestStructured(t *testing.T) {
	n := uint64(250)
	if testing.Short() {
		n = 50
	}
	names := Passes().Names()
	compared := 0
	for seed := range n {
		rng := rand.New(rand.NewPCG(seed, 77))
		m := structuredModule(rng)
		if seed/4%2 == 1 {
			promise(rng, m)
		}
		if err := ssa.Verify(m); err != nil {
			t.Fatalf("seed %d: the generator is wrong: %v\n%s", seed, err, m)
		}
		text := m.String()
		before := mustParse(t, text)
		var switches map[string]bool
		switch seed % 4 {
		case 1:
			switches = only("mem2reg", "simplifycfg", names[int(seed/4)%len(names)])
		case 2:
			switches = make(map[string]bool)
			for _, name := range names {
				switches[name] = rng.IntN(4) > 0
			}
		}
		if _, err := Run(m, Options{Verify: true, Switch: switches, Before: func(_ string, m *ssa.Module) { shuffle(rng, m) }}); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		for input := range uint64(4) {
			want, ok := runModule(before, before.Funcs[0], seed+input, 40_000, true)
			if !ok {
				continue
			}
			compared++
			if got, ok := runModule(m, m.Funcs[0], seed+input, 200_000, false); !ok || got != want {
				t.Fatalf("seed %d, switches %v: got\n%s\nwant\n%s\nbefore\n%s\nafter\n%s", seed, switches, got, want, text, m)
			}
		}
	}
	if compared < int(n) {
		t.Errorf("only %d comparisons of %d kernels", compared, n)
	}
}
