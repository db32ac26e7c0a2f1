package opt

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"irgl/internal/ssa"
)

// errBroken says that the program's behaviour depends on a value whose promise
// not to wrap is broken (ssa.Op.MayPromise): it is undefined.
var errBroken = errors.New("a broken promise matters")

// promise gives random values of m the flag NoWrap. Some promises are broken:
// a machine with watch finds the runs for which that matters.
func promise(rng *rand.Rand, m *ssa.Module) {
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, v := range b.Values {
				v.NoWrap = v.Op.MayPromise() && rng.IntN(2) == 0
			}
		}
	}
}

// breaks reports whether v, with arguments a, breaks its promise.
func breaks(v *ssa.Value, a []uint64) bool {
	if !v.NoWrap {
		return false
	}
	if isQuotient(v) && signed(v.Type, a[1]) == 0 {
		return true
	}
	if v.Op == ssa.OpUDiv {
		return false
	}
	x, y := big.NewInt(signed(v.Type, a[0])), new(big.Int)
	if v.Op == ssa.OpShl {
		y.Lsh(big.NewInt(1), uint(min(a[1], 64)))
		x.Mul(x, y)
	} else {
		y.SetInt64(signed(v.Type, a[1]))
		switch v.Op {
		case ssa.OpAdd:
			x.Add(x, y)
		case ssa.OpSub:
			x.Sub(x, y)
		case ssa.OpMul:
			x.Mul(x, y)
		case ssa.OpSDiv:
			x.Quo(x, y)
		}
	}
	return !x.IsInt64() || x.Int64() != signed(v.Type, uint64(x.Int64())&(1<<uint(v.Type.Bits())-1))
}

// broken reports whether v is poison, given which of its arguments are. It is
// an error if v has an effect that depends on poison.
func broken(v *ssa.Value, a []uint64, bad []bool) (bool, error) {
	any := false
	for _, b := range bad {
		any = any || b
	}
	switch {
	case !any:
		return breaks(v, a), nil
	case v.Op.Effects() != 0: // a load's address, too
		return true, errBroken
	case v.Op == ssa.OpSelect && !bad[0]:
		return bad[2-a[0]&1], nil
	case v.Op == ssa.OpAnd && v.Type == ssa.I1:
		return (bad[0] || a[0]&1 == 1) && (bad[1] || a[1]&1 == 1), nil
	case v.Op == ssa.OpOr && v.Type == ssa.I1:
		return (bad[0] || a[0]&1 == 0) && (bad[1] || a[1]&1 == 0), nil
	}
	return true, nil
}

// A promiser generates kernels of few, short sums and quotients of bytes, so that passes
// find equal ones, nested sums and neighbours, and many overflow.
type promiser struct {
	rng  *rand.Rand
	b    *ssa.Block
	list []*ssa.Value // bytes that can be used here
	made []*ssa.Value // all sums
	base *ssa.Value
	size int64        // the logarithm of the elements' size
	kept []*ssa.Value // addresses made before the branch
}

// promiseModule generates a kernel of a branch with two sides, with some sums
// before it, in each side and after it, and stores the results of each.
func promiseModule(rng *rand.Rand) *ssa.Module {
	f := &ssa.Func{Name: "k", Kernel: true}
	f.Params = []*ssa.Param{ssa.NewParam("p", ssa.Ptr)}
	var blocks [4]*ssa.Block
	for i := range blocks {
		blocks[i] = f.NewBlock(ssa.BlockJump)
	}
	blocks[3].Kind = ssa.BlockRet
	g := &promiser{rng: rng, b: blocks[0]}
	g.base = g.b.Append(ssa.OpParam, ssa.Ptr)
	for i := range int64(3) {
		v := g.b.Append(ssa.OpLoad, ssa.I8, g.b.Append(ssa.OpPtrAdd, ssa.Ptr, g.base, g.int(ssa.I64, i)))
		v.Mem.Align = 1
		g.list = append(g.list, v)
	}
	g.size = int64(rng.IntN(3))
	g.sums(4)
	for range rng.IntN(4) {
		g.kept = append(g.kept, g.address(g.pick()))
	}
	x, y, z := g.pick(), g.pick(), g.pick()
	g.kept = append(g.kept, g.address(g.promised(ssa.OpAdd, x, z)))
	g.b.Kind = ssa.BlockIf
	g.b.Ctrl = g.b.Append(ssa.OpSLt, ssa.I1, g.list[rng.IntN(3)], g.int(ssa.I8, int64(rng.IntN(99))))
	g.b.AddEdge(blocks[1])
	g.b.AddEdge(blocks[2])
	known := g.list
	for i, side := range blocks[1:3] {
		g.b, g.list = side, known[:len(known):len(known)]
		if i == 0 { // elsewhere a broken promise of theirs does not matter
			for k, p := range g.kept {
				g.store(int64(40+k), g.b.Append(ssa.OpTrunc, ssa.I8, g.b.Append(ssa.OpPtrToInt, ssa.I64, p)))
			}
		}
		g.sums(3)
		g.see()
		// It has the terms of an address made before, and one more.
		near := g.address(g.promised(ssa.OpAdd, g.promised([]ssa.Op{ssa.OpAdd, ssa.OpSub}[rng.IntN(2)], x, y), z))
		g.store(int64(44+i), g.b.Append(ssa.OpTrunc, ssa.I8, g.b.Append(ssa.OpLShr, ssa.I64, g.b.Append(ssa.OpPtrToInt, ssa.I64, near), g.int(ssa.I32, g.size+3))))
		side.AddEdge(blocks[3])
	}
	g.b, g.list = blocks[3], known
	g.sums(3)
	g.see()
	if rng.IntN(2) == 0 {
		g.strides()
	}
	return &ssa.Module{Funcs: []*ssa.Func{f}}
}

func (g *promiser) int(t ssa.Type, n int64) *ssa.Value {
	v := g.b.Append(ssa.OpConst, t)
	v.Int = n
	return v
}

func (g *promiser) pick() *ssa.Value { return g.list[g.rng.IntN(len(g.list))] }

// sums adds n sums, differences, products and quotients, of variables and small
// constants, and repeats existing ones, possibly with other promises.
func (g *promiser) sums(n int) {
	for range n {
		op := []ssa.Op{ssa.OpAdd, ssa.OpAdd, ssa.OpAdd, ssa.OpSub, ssa.OpMul, ssa.OpSDiv, ssa.OpUDiv}[g.rng.IntN(7)]
		x, y := g.pick(), g.pick()
		if g.rng.IntN(2) == 0 {
			y = g.int(ssa.I8, int64([]int{1, 2, 3, 64, 100, -100}[g.rng.IntN(6)]))
		}
		if old := g.known(); old != nil && g.rng.IntN(3) == 0 {
			op, x, y = old.Op, old.Args[0], old.Args[1]
			if y.Op == ssa.OpConst {
				y = g.int(ssa.I8, y.Int)
			}
		}
		v := g.b.Append(op, ssa.I8, x, y)
		v.NoWrap = g.rng.IntN(2) == 0
		g.list = append(g.list, v)
		g.made = append(g.made, v)
	}
}

// known returns one of the sums, possibly of the branch's other side, whose
// operands are available here; or nil.
func (g *promiser) known() *ssa.Value {
	if len(g.made) == 0 {
		return nil
	}
	v := g.made[g.rng.IntN(len(g.made))]
	for _, a := range v.Args {
		if a.Op != ssa.OpConst && !slices.Contains(g.list, a) {
			return nil
		}
	}
	return v
}

// see stores some of the newest values, as addresses of elements, and compared.
func (g *promiser) see() {
	for i := range 2 {
		v := g.list[len(g.list)-1-i]
		address := g.address(v)
		less := g.b.Append(ssa.OpSLt, ssa.I1, v, g.pick())
		less = g.b.Append(ssa.OpXor, ssa.I1, less, g.b.Append(ssa.OpSLt, ssa.I1, v, g.int(ssa.I8, int64(g.rng.IntN(3)-1))))
		for k, x := range []*ssa.Value{g.b.Append(ssa.OpPtrToInt, ssa.I64, address), g.b.Append(ssa.OpZExt, ssa.I64, less)} {
			g.store(8+8*int64(2*i+k), x)
		}
	}
}

// promised returns a sum or difference that mostly promises not to wrap.
func (g *promiser) promised(op ssa.Op, x, y *ssa.Value) *ssa.Value {
	v := g.b.Append(op, ssa.I8, x, y)
	v.NoWrap = g.rng.IntN(8) > 0
	return v
}

// address returns the address of element v.
func (g *promiser) address(v *ssa.Value) *ssa.Value {
	off := g.b.Append(ssa.OpSExt, ssa.I64, v)
	if g.size > 0 {
		off = g.b.Append(ssa.OpShl, ssa.I64, off, g.int(ssa.I32, g.size))
	}
	return g.b.Append(ssa.OpPtrAdd, ssa.Ptr, g.base, off)
}

// store stores x to byte n of the buffer.
func (g *promiser) store(n int64, x *ssa.Value) {
	at := g.b.Append(ssa.OpPtrAdd, ssa.Ptr, g.base, g.int(ssa.I64, n))
	g.b.Append(ssa.OpStore, ssa.Void, at, x).Mem.Align = 1
}

// strides stores to two addresses a few strides apart, with operands so small
// that most promises are kept.
func (g *promiser) strides() {
	small := func() *ssa.Value { return g.b.Append(ssa.OpAnd, ssa.I8, g.pick(), g.int(ssa.I8, 7)) }
	exact := func(op ssa.Op, x, y *ssa.Value) *ssa.Value {
		v := g.b.Append(op, ssa.I8, x, y)
		v.NoWrap = g.rng.IntN(8) > 0
		return v
	}
	i, n, j := small(), small(), small()
	for k := range int64(2) {
		row := i
		if k > 0 {
			row = exact(ssa.OpAdd, i, g.int(ssa.I8, int64(g.rng.IntN(9)-4)))
		}
		offset := g.b.Append(ssa.OpSExt, ssa.I64, exact(ssa.OpAdd, exact(ssa.OpMul, row, n), j))
		address := g.b.Append(ssa.OpPtrAdd, ssa.Ptr, g.base, offset)
		at := g.b.Append(ssa.OpPtrAdd, ssa.Ptr, g.base, g.int(ssa.I64, 40))
		at = g.b.Append(ssa.OpPtrAdd, ssa.Ptr, at, g.int(ssa.I64, -8*k))
		g.b.Append(ssa.OpStore, ssa.Void, at, g.b.Append(ssa.OpPtrToInt, ssa.I64, address)).Mem.Align = 1
	}
}

// TestPromises: passes preserve the results of all runs in which no broken
// promise matters. In half of the runs the passes are reordered.
func TestPromises(t *testing.T) {
	n := uint64(600)
	if testing.Short() {
		n = 100
	}
	compared := 0
	for seed := range n {
		rng := rand.New(rand.NewPCG(seed, 5))
		m := promiseModule(rng)
		if err := ssa.Verify(m); err != nil {
			t.Fatalf("seed %d: the generator is wrong: %v\n%s", seed, err, m)
		}
		text := m.String()
		before := mustParse(t, text)
		var o Options
		if seed%2 == 1 {
			o.Passes = Passes().Shuffled(seed).Names()
		}
		o.Verify = true
		o.Before = func(_ string, m *ssa.Module) { shuffle(rng, m) }
		if _, err := Run(m, o); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		for input := range uint64(12) {
			want, ok := runModule(before, before.Funcs[0], seed+input, 1000, true)
			if !ok {
				continue
			}
			compared++
			if got, ok := runModule(m, m.Funcs[0], seed+input, 4000, false); !ok || got != want {
				t.Fatalf("seed %d: got\n%s\nwant\n%s\nbefore\n%s\nafter\n%s", seed, got, want, text, m)
			}
		}
	}
	if uint64(compared) < n {
		t.Errorf("only %d comparisons of %d kernels", compared, n)
	}
}
