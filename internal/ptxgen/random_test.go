package ptxgen_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"irgl/internal/device"
	"irgl/internal/device/cuda"
	"irgl/internal/device/simt"
	"irgl/internal/ptx"
	"irgl/internal/ptxgen"
	"irgl/internal/ssa"
)

// A grower makes random structured control flow around random integer code:
// the phis of its loops permute, repeat and outlive each other.
type grower struct {
	*rand.Rand
	f   *ssa.Func
	cur *ssa.Block
	// vals are the values that dominate the current place, by type.
	vals map[ssa.Type][]*ssa.Value
}

var growTypes = []ssa.Type{ssa.I32, ssa.I32, ssa.I32, ssa.I64, ssa.I8, ssa.I16, ssa.I1}

func (g *grower) emit(op ssa.Op, t ssa.Type, args ...*ssa.Value) *ssa.Value {
	v := g.cur.Append(op, t, args...)
	g.vals[t] = append(g.vals[t], v)
	return v
}

func (g *grower) konst(t ssa.Type, n int64) *ssa.Value {
	v := g.cur.Append(ssa.OpConst, t)
	v.Int = ssa.SignExtend(t, n)
	return v
}

// pick returns a value of type t that is available, now and then a constant.
func (g *grower) pick(t ssa.Type) *ssa.Value {
	if g.IntN(8) == 0 {
		return g.konst(t, int64(g.IntN(400)-200))
	}
	// The late values are more interesting than the first.
	list := g.vals[t]
	return list[len(list)-1-min(g.IntN(len(list)), g.IntN(len(list)))]
}

var growOps = []ssa.Op{
	ssa.OpAdd, ssa.OpAdd, ssa.OpSub, ssa.OpMul, ssa.OpAnd, ssa.OpOr, ssa.OpXor, ssa.OpSMin, ssa.OpUMax, ssa.OpMulHiU, ssa.OpMulHiS,
	ssa.OpShl, ssa.OpLShr, ssa.OpAShr, ssa.OpNeg, ssa.OpNot, ssa.OpClz, ssa.OpPopc, ssa.OpBrev, ssa.OpSLt, ssa.OpULe, ssa.OpEq, ssa.OpSelect,
	ssa.OpTrunc, ssa.OpSExt, ssa.OpZExt,
}

func (g *grower) op() {
	t := growTypes[g.IntN(len(growTypes))]
	op := growOps[g.IntN(len(growOps))]
	switch op {
	case ssa.OpSLt, ssa.OpULe, ssa.OpEq:
		if t == ssa.I1 {
			t = ssa.I32
		}
		g.emit(op, ssa.I1, g.pick(t), g.pick(t))
	case ssa.OpSelect:
		g.emit(op, t, g.pick(ssa.I1), g.pick(t), g.pick(t))
	case ssa.OpTrunc, ssa.OpSExt, ssa.OpZExt:
		u := growTypes[g.IntN(len(growTypes))]
		if op == ssa.OpTrunc == (t.Bits() < u.Bits()) && t.Bits() != u.Bits() {
			g.emit(op, t, g.pick(u))
		}
	case ssa.OpClz, ssa.OpPopc:
		if t != ssa.I1 {
			g.emit(op, ssa.I32, g.pick(t))
		}
	case ssa.OpNot:
		g.emit(op, t, g.pick(t))
	case ssa.OpAnd, ssa.OpOr, ssa.OpXor:
		g.emit(op, t, g.pick(t), g.pick(t))
	default:
		switch {
		case t == ssa.I1:
		case op == ssa.OpShl || op == ssa.OpLShr || op == ssa.OpAShr:
			g.emit(op, t, g.pick(t), g.pick(ssa.I32))
		case op.NumArgs() == 1:
			g.emit(op, t, g.pick(t))
		default:
			g.emit(op, t, g.pick(t), g.pick(t))
		}
	}
}

func (g *grower) mark() map[ssa.Type]int {
	m := map[ssa.Type]int{}
	for t, l := range g.vals {
		m[t] = len(l)
	}
	return m
}

func (g *grower) reset(m map[ssa.Type]int) {
	for t := range g.vals {
		g.vals[t] = g.vals[t][:m[t]]
	}
}

// grow emits a random sequence of operations, branches and loops.
func (g *grower) grow(depth int) {
	for range 2 + g.IntN(3) {
		for range g.IntN(6) {
			g.op()
		}
		switch g.IntN(4) {
		case 0:
			if depth > 0 {
				g.diamond(depth - 1)
			}
		case 1, 2:
			if depth > 0 {
				g.loop(depth - 1)
			}
		}
	}
}

func (g *grower) diamond(depth int) {
	c := g.pick(ssa.I1)
	from := g.cur
	then, done := g.f.NewBlock(ssa.BlockJump), g.f.NewBlock(ssa.BlockJump)
	from.Kind, from.Ctrl = ssa.BlockIf, c
	types := make([]ssa.Type, 1+g.IntN(4))
	args := [2][]*ssa.Value{}
	for i := range types {
		types[i] = growTypes[g.IntN(len(growTypes))]
		args[0] = append(args[0], g.vals[types[i]][g.IntN(len(g.vals[types[i]]))])
	}
	from.AddEdge(done) // a critical edge when there is no else
	from.AddEdge(then)
	m := g.mark()
	g.cur = then
	g.grow(depth)
	for _, t := range types {
		args[1] = append(args[1], g.pick(t))
	}
	g.cur.AddEdge(done)
	g.reset(m)
	g.cur = done
	for i, t := range types {
		g.emit(ssa.OpPhi, t, args[0][i], args[1][i])
	}
}

// loop emits a loop of few trips, tested at its end.
func (g *grower) loop(depth int) {
	head, done := g.f.NewBlock(ssa.BlockJump), g.f.NewBlock(ssa.BlockJump)
	var phis []*ssa.Value
	n := 1 + g.IntN(5)
	var init []*ssa.Value
	for range n {
		init = append(init, g.pick(growTypes[g.IntN(len(growTypes))]))
	}
	count := g.konst(ssa.I32, int64(1+g.IntN(4)))
	g.cur.AddEdge(head)
	g.cur = head
	for _, v := range init {
		phis = append(phis, g.emit(ssa.OpPhi, v.Type, v))
	}
	trip := head.Append(ssa.OpPhi, ssa.I32, count)
	g.grow(depth)
	for _, p := range phis {
		p.Args = append(p.Args, g.pick(p.Type))
	}
	left := g.cur.Append(ssa.OpSub, ssa.I32, trip, g.konst(ssa.I32, 1))
	trip.Args = append(trip.Args, left)
	c := g.cur.Append(ssa.OpSGt, ssa.I1, left, g.konst(ssa.I32, 0))
	g.cur.Kind, g.cur.Ctrl = ssa.BlockIf, c
	g.cur.AddEdge(head)
	g.cur.AddEdge(done)
	g.cur = done
}

// random returns a module with a kernel k(long long *out) that stores the last
// values of each type, and the number of values stored.
func random(seed uint64) (*ssa.Module, int) {
	f := &ssa.Func{Name: "k", Kernel: true, Params: []*ssa.Param{ssa.NewParam("out", ssa.PtrGlobal)}}
	g := &grower{Rand: rand.New(rand.NewPCG(seed, 1)), f: f, vals: map[ssa.Type][]*ssa.Value{}}
	g.cur = f.NewBlock(ssa.BlockJump)
	out := g.cur.Append(ssa.OpParam, ssa.PtrGlobal)
	for _, t := range []ssa.Type{ssa.I32, ssa.I64, ssa.I8, ssa.I16, ssa.I1} {
		for i := range 3 {
			if t == ssa.I1 {
				g.vals[t] = append(g.vals[t], g.konst(t, int64(i&1)))
			} else {
				g.vals[t] = append(g.vals[t], g.konst(t, int64(g.IntN(1000))-500))
			}
		}
	}
	g.grow(3)
	n := 0
	for _, t := range []ssa.Type{ssa.I32, ssa.I64, ssa.I8, ssa.I16, ssa.I1} {
		list := g.vals[t]
		for _, v := range list[max(0, len(list)-6):] {
			p := g.cur.Append(ssa.OpPtrAdd, ssa.PtrGlobal, out, g.konst(ssa.I64, int64(8*n)))
			if t != ssa.I64 {
				v = g.cur.Append(ssa.OpSExt, ssa.I64, v)
			}
			g.cur.Append(ssa.OpStore, ssa.Void, p, v).Mem.Align = 8
			n++
		}
	}
	g.cur.Kind = ssa.BlockRet
	return &ssa.Module{Funcs: []*ssa.Func{f}}, n
}

// eval runs the kernel of random by the definition of SSA.
func eval(f *ssa.Func, n int) []int64 {
	env := make([]int64, f.NumValues())
	out := make([]int64, n)
	var prev *ssa.Block
	for b := f.Blocks[0]; ; {
		var phis []int64
		for _, v := range b.Phis() {
			phis = append(phis, env[v.Args[b.PredIndex(prev)].ID])
		}
		for i, v := range b.Values {
			arg := func(i int) int64 { return env[v.Args[i].ID] }
			switch {
			case v.Op == ssa.OpPhi:
				env[v.ID] = phis[i]
			case v.Op == ssa.OpStore:
				out[arg(0)/8] = arg(1)
			case v.Op == ssa.OpParam:
			default:
				env[v.ID] = ssa.SignExtend(v.Type, compute(v, arg))
			}
		}
		prev = b
		switch {
		case b.Kind == ssa.BlockRet:
			return out
		case b.Kind == ssa.BlockIf && env[b.Ctrl.ID] == 0:
			b = b.Succs[1]
		default:
			b = b.Succs[0]
		}
	}
}

func compute(v *ssa.Value, arg func(int) int64) int64 {
	t := v.Type
	if len(v.Args) > 0 {
		t = v.Args[0].Type
	}
	uns := func(i int) uint64 { return ssa.ZeroExtend(v.Args[i].Type, arg(i)) }
	b2i := func(b bool) int64 {
		if b {
			return 1
		}
		return 0
	}
	width := uint64(t.Bits())
	switch v.Op {
	case ssa.OpConst:
		return v.Int
	case ssa.OpAdd, ssa.OpPtrAdd:
		return arg(0) + arg(1)
	case ssa.OpSub:
		return arg(0) - arg(1)
	case ssa.OpMul:
		return arg(0) * arg(1)
	case ssa.OpAnd:
		return arg(0) & arg(1)
	case ssa.OpOr:
		return arg(0) | arg(1)
	case ssa.OpXor:
		return arg(0) ^ arg(1)
	case ssa.OpSMin:
		return min(arg(0), arg(1))
	case ssa.OpUMax:
		return int64(max(uns(0), uns(1)))
	case ssa.OpMulHiU:
		hi, lo := bits.Mul64(uns(0), uns(1))
		if width == 64 {
			return int64(hi)
		}
		return int64(lo >> width)
	case ssa.OpMulHiS:
		if width == 64 {
			hi, _ := bits.Mul64(uint64(arg(0)), uint64(arg(1)))
			return int64(hi) - (arg(0) >> 63 & arg(1)) - (arg(1) >> 63 & arg(0))
		}
		return arg(0) * arg(1) >> width
	case ssa.OpShl:
		if uns(1) >= width {
			return 0
		}
		return arg(0) << uns(1)
	case ssa.OpLShr:
		if uns(1) >= width {
			return 0
		}
		return int64(uns(0) >> uns(1))
	case ssa.OpAShr:
		return arg(0) >> min(uns(1), 63)
	case ssa.OpNeg:
		return -arg(0)
	case ssa.OpNot:
		return ^arg(0)
	case ssa.OpClz:
		return int64(bits.LeadingZeros64(uns(0))) - 64 + int64(width)
	case ssa.OpPopc:
		return int64(bits.OnesCount64(uns(0)))
	case ssa.OpBrev:
		return int64(bits.Reverse64(uns(0)) >> (64 - width))
	case ssa.OpSLt:
		return b2i(arg(0) < arg(1))
	case ssa.OpSGt:
		return b2i(arg(0) > arg(1))
	case ssa.OpULe:
		return b2i(uns(0) <= uns(1))
	case ssa.OpEq:
		return b2i(arg(0) == arg(1))
	case ssa.OpSelect:
		if arg(0) != 0 {
			return arg(1)
		}
		return arg(2)
	case ssa.OpTrunc, ssa.OpSExt:
		return arg(0)
	case ssa.OpZExt:
		return int64(uns(0))
	}
	panic(fmt.Sprintf("no rule for %s", v.Op))
}

// TestRandom compares random kernels, run from their PTX by the emulator and by
// a GPU where there is one, with their evaluation as SSA.
func TestRandom(t *testing.T) {
	n := 150
	if testing.Short() {
		n = 30
	}
	d := simt.Open(simt.Checked())
	defer d.Close()
	gpu, err := cuda.Open(0)
	if err != nil {
		gpu = nil // no GPU here
	} else {
		defer gpu.Close()
	}
	for seed := range n {
		m, words := random(uint64(seed))
		if err := ssa.Verify(m); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, m)
		}
		mod, err := ptxgen.Generate(m, ptxgen.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := ptx.Verify(mod); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, ptx.Print(mod))
		}
		want := eval(m.Funcs[0], words)
		if got := run(t, d, ptx.Print(mod), words); !slices.Equal(got, want) {
			t.Fatalf("seed %d: the emulator gives %d, want %d\n%s\n%s", seed, got, want, m, ptx.Print(mod))
		}
		if gpu == nil || seed >= 30 { // loading takes the driver's compiler some time
			continue
		}
		if got := run(t, gpu, ptx.Print(mod), words); !slices.Equal(got, want) {
			t.Fatalf("seed %d: the GPU gives %d, want %d\n%s\n%s", seed, got, want, m, ptx.Print(mod))
		}
	}
	for _, r := range d.Reports() {
		t.Error(r)
	}
}

// crowd returns a kernel like those of random, with a loop that carries so many
// variables that not all are looked at when registers are joined: every second
// one takes the next one's value, the others change, some in a branch.
func crowd(width int) (*ssa.Module, int) {
	f := &ssa.Func{Name: "k", Kernel: true, Params: []*ssa.Param{ssa.NewParam("out", ssa.PtrGlobal)}}
	g := &grower{f: f, vals: map[ssa.Type][]*ssa.Value{}}
	g.cur = f.NewBlock(ssa.BlockJump)
	out := g.cur.Append(ssa.OpParam, ssa.PtrGlobal)
	var init, phis []*ssa.Value
	for i := range width {
		init = append(init, g.konst(ssa.I32, int64(i*i+1)))
	}
	trips := g.konst(ssa.I32, 5)
	head, then, join, done := f.NewBlock(ssa.BlockJump), f.NewBlock(ssa.BlockJump), f.NewBlock(ssa.BlockJump), f.NewBlock(ssa.BlockRet)
	g.cur.AddEdge(head)
	g.cur = head
	for _, v := range init {
		phis = append(phis, g.emit(ssa.OpPhi, ssa.I32, v))
	}
	trip := g.emit(ssa.OpPhi, ssa.I32, trips)
	head.Kind, head.Ctrl = ssa.BlockIf, g.emit(ssa.OpSLt, ssa.I1, phis[0], phis[width/2])
	head.AddEdge(then)
	head.AddEdge(join)
	g.cur = then
	var changed []*ssa.Value
	for i, v := range phis {
		changed = append(changed, g.emit(ssa.OpXor, ssa.I32, v, phis[(i*7+3)%width]))
	}
	then.AddEdge(join)
	g.cur = join
	for i, v := range phis {
		next := phis[(i+1)%width]
		if i%2 == 0 {
			next = g.emit(ssa.OpPhi, ssa.I32, v, changed[i]) // the edge from head is the first
		}
		v.Args = append(v.Args, next)
	}
	left := g.emit(ssa.OpSub, ssa.I32, trip, g.konst(ssa.I32, 1))
	trip.Args = append(trip.Args, left)
	join.Kind, join.Ctrl = ssa.BlockIf, g.emit(ssa.OpSGt, ssa.I1, left, g.konst(ssa.I32, 0))
	join.AddEdge(head)
	join.AddEdge(done)
	g.cur = done
	for i, v := range phis {
		p := g.cur.Append(ssa.OpPtrAdd, ssa.PtrGlobal, out, g.konst(ssa.I64, int64(8*i)))
		g.cur.Append(ssa.OpStore, ssa.Void, p, g.emit(ssa.OpSExt, ssa.I64, v)).Mem.Align = 8
	}
	phisFirst(join)
	return &ssa.Module{Funcs: []*ssa.Func{f}}, width
}

// phisFirst moves the phis of b to its start, where they belong.
func phisFirst(b *ssa.Block) {
	slices.SortStableFunc(b.Values, func(v, w *ssa.Value) int {
		switch {
		case v.Op == ssa.OpPhi && w.Op != ssa.OpPhi:
			return -1
		case v.Op != ssa.OpPhi && w.Op == ssa.OpPhi:
			return 1
		}
		return 0
	})
}

// TestCrowd compares kernels with more and more registers live at one place,
// up to more than a thread has.
func TestCrowd(t *testing.T) {
	d := simt.Open(simt.Checked())
	defer d.Close()
	for _, width := range []int{4, 40, 63, 64, 65, 100, 127, 128, 129, 300, 700} {
		m, words := crowd(width)
		if err := ssa.Verify(m); err != nil {
			t.Fatalf("%d: %v\n%s", width, err, m)
		}
		mod, err := ptxgen.Generate(m, ptxgen.Options{})
		if err != nil {
			t.Fatalf("%d: %v", width, err)
		}
		want := eval(m.Funcs[0], words)
		if got := run(t, d, ptx.Print(mod), words); !slices.Equal(got, want) {
			t.Errorf("%d: the emulator gives %d, want %d", width, got, want)
		}
	}
}

func run(t *testing.T, d device.Device, text string, words int) []int64 {
	t.Helper()
	p, err := d.Alloc("out", int64(8*words))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Free(p)
	m, err := d.Load("random", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	defer m.Close()
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Launch(k, device.Launch{Params: binary.LittleEndian.AppendUint64(nil, uint64(p))}); err != nil {
		t.Fatal(err)
	}
	if err := d.Sync(context.Background()); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	buf := make([]byte, 8*words)
	if err := d.CopyOut(buf, p); err != nil {
		t.Fatal(err)
	}
	out := make([]int64, words)
	for i := range out {
		out[i] = int64(binary.LittleEndian.Uint64(buf[8*i:]))
	}
	return out
}
