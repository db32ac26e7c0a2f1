package opt

import (
	"math/rand/v2"
	"slices"

	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// A generator generates random modules that ssa.Verify accepts: functions with
// any control flow, irreducible loops included, phis of every type, memory of
// three kinds (a kernel's buffer, variables and structs in allocas, an
// aggregate parameter), and calls.
//
// Behaviour is defined: allocas are written before they are read, and floats
// never come from arbitrary bits, so NaN has one representation.
type generator struct {
	rng *rand.Rand
	m   *ssa.Module
	f   *ssa.Func
	b   *ssa.Block
	// Available values, by type.
	values map[ssa.Type][]*ssa.Value
	cells  []cell
	bytes  []*ssa.Value // memory of 8 bytes to index
	// A variable that counts backward branches.
	counter *ssa.Value
	dom     *analysis.DomTree
	made    []*ssa.Value // operations and loads of the function, to compute again
}

// A cell is memory of a type that the function may load and store.
type cell struct {
	addr     *ssa.Value
	typ      ssa.Type
	readOnly bool
}

var genTypes = []ssa.Type{ssa.I1, ssa.I8, ssa.I16, ssa.I32, ssa.I32, ssa.I32, ssa.I64, ssa.I64, ssa.F32, ssa.F64}

func randomModule(rng *rand.Rand) *ssa.Module {
	g := &generator{rng: rng, m: &ssa.Module{}}
	for _, name := range []string{"leaf", "middle", "kernel"}[rng.IntN(3):] {
		g.function(name)
	}
	// Callers first, so that order in the text is not the order of calls.
	for i, j := 0, len(g.m.Funcs)-1; i < j; i, j = i+1, j-1 {
		g.m.Funcs[i], g.m.Funcs[j] = g.m.Funcs[j], g.m.Funcs[i]
	}
	return g.m
}

func (g *generator) function(name string) {
	f := &ssa.Func{Name: name, Kernel: name == "kernel", Inline: ssa.InlineHint(g.rng.IntN(3))}
	g.f = f
	f.Params = []*ssa.Param{ssa.NewParam("p", ssa.Ptr), {Name: "s", Type: ssa.PtrParam, Size: 16, Align: 8},
		ssa.NewParam("x", ssa.I32), ssa.NewParam("l", ssa.I64), ssa.NewParam("d", ssa.F64)}
	if !f.Kernel {
		f.Result = genTypes[g.rng.IntN(len(genTypes))]
	}
	for range 1 + g.rng.IntN(10) {
		f.NewBlock(ssa.BlockRet)
	}
	for i, b := range f.Blocks[:len(f.Blocks)-1] {
		forward := func() *ssa.Block {
			return f.Blocks[i+1+min(g.rng.IntN(len(f.Blocks)-i-1), g.rng.IntN(len(f.Blocks)-i-1))]
		}
		switch g.rng.IntN(12) {
		case 0, 1, 2:
			b.Kind = ssa.BlockJump
			b.AddEdge(forward())
		case 3:
			if i > 0 {
				continue // a return
			}
			fallthrough
		default:
			b.Kind = ssa.BlockIf
			if b.AddEdge(forward()); g.rng.IntN(3) == 0 {
				b.AddEdge(f.Blocks[1+g.rng.IntN(len(f.Blocks)-1)]) // any target; decide makes loops terminate
			} else {
				b.AddEdge(forward())
			}
			if g.rng.IntN(2) == 0 {
				b.Succs[0], b.Succs[1] = b.Succs[1], b.Succs[0]
			}
		}
	}
	dom := analysis.Dominators(f)
	g.dom, g.made = dom, nil
	out := make(map[*ssa.Block]map[ssa.Type][]*ssa.Value) // values available at a block's end
	var phis []*ssa.Value
	fill := func(b *ssa.Block) {
		g.b = b
		g.values = make(map[ssa.Type][]*ssa.Value)
		if d := dom.Idom(b); d != nil {
			for t, list := range out[d] {
				g.values[t] = list[:len(list):len(list)]
			}
		}
		if len(b.Preds) > 0 {
			for range max(g.rng.IntN(6)-2, 0) {
				t := genTypes[g.rng.IntN(len(genTypes))]
				phi := g.add(ssa.OpPhi, t)
				phi.Args = make([]*ssa.Value, len(b.Preds))
				phis = append(phis, phi)
			}
		}
		if b == f.Blocks[0] {
			g.entry()
		}
		if b == f.Blocks[0] || g.rng.IntN(4) > 0 { // some stay empty
			for range 2 + g.rng.IntN(12) {
				g.random()
			}
		}
		switch {
		case b.Kind == ssa.BlockIf:
			g.decide()
		case b.Kind == ssa.BlockRet:
			for range 6 { // so that results are observable
				if c := g.cells[g.rng.IntN(6)]; !c.readOnly {
					g.store(c)
				}
			}
			if f.Result != ssa.Void {
				b.Ctrl = g.pick(f.Result)
			}
		}
		out[b] = g.values
	}
	dom.Walk(fill, nil)
	for _, b := range f.Blocks {
		if !dom.Reaches(b) {
			// An unreachable region: its values need not depend on others, and passes must
			// remove it.
			g.b, g.values = b, make(map[ssa.Type][]*ssa.Value)
			if b.Kind == ssa.BlockIf {
				b.Ctrl = g.constant(ssa.I1)
			} else if b.Kind == ssa.BlockRet && f.Result != ssa.Void {
				b.Ctrl = g.constant(f.Result)
			}
			out[b] = g.values
		}
	}
	for _, phi := range phis {
		for i, pred := range phi.Block.Preds {
			list := out[pred][phi.Type]
			if len(list) == 0 { // an unreachable block without one
				c := f.NewValue(ssa.OpFConst, phi.Type)
				if !phi.Type.IsFloat() {
					c = f.NewConst(phi.Type, 0)
				}
				c.Block = pred
				pred.Values = append(pred.Values, c)
				list = []*ssa.Value{c}
			}
			phi.Args[i] = list[g.rng.IntN(len(list))]
		}
	}
	g.m.Funcs = append(g.m.Funcs, f)
}

func (g *generator) add(op ssa.Op, t ssa.Type, args ...*ssa.Value) *ssa.Value {
	v := g.b.Append(op, t, args...)
	if t != ssa.Void && !t.IsPtr() {
		g.values[t] = append(g.values[t], v)
	}
	if len(args) > 0 && (op == ssa.OpLoad || v.Mergeable()) {
		g.made = append(g.made, v)
	}
	return v
}

// again computes anew what a block computes already, mostly one that does not dominate
// this one, so that some paths compute it twice.
func (g *generator) again() {
	for range 4 {
		if len(g.made) == 0 {
			return
		}
		old := g.made[g.rng.IntN(len(g.made))]
		if slices.ContainsFunc(old.Args, func(a *ssa.Value) bool { return a.Block != g.b && !g.dom.Dominates(a.Block, g.b) }) {
			continue
		}
		v := g.add(old.Op, old.Type, old.Args...)
		v.Int, v.Sym, v.Mem = old.Int, old.Sym, old.Mem
	}
}

// pick returns a value of type t, mostly a late one.
func (g *generator) pick(t ssa.Type) *ssa.Value {
	list := g.values[t]
	if len(list) == 0 || g.rng.IntN(6) == 0 {
		return g.constant(t)
	}
	n := len(list)
	return list[n-1-min(g.rng.IntN(n), g.rng.IntN(n))]
}

func (g *generator) constant(t ssa.Type) *ssa.Value {
	if t.IsFloat() {
		v := g.add(ssa.OpFConst, t)
		v.Float = []float64{0, 1, -2, 0.5, 8, 3, 1e6, 0.125}[g.rng.IntN(8)]
		return v
	}
	v := g.add(ssa.OpConst, t)
	n := []int64{0, 1, -1, 2, 4, 8, 31, 32, 5, 1 << 31, -1 << 63, 7, 63, 3}[g.rng.IntN(14)]
	v.Int = ssa.SignExtend(t, n)
	return v
}

// int makes a constant that pick does not return: too many constants would
// leave nothing to compute at run time.
func (g *generator) int(t ssa.Type, n int64) *ssa.Value {
	v := g.b.Append(ssa.OpConst, t)
	v.Int = n
	return v
}

// decide gives the block its condition. A block with a backward edge counts
// its executions, and branches forward after a few.
func (g *generator) decide() {
	b := g.b
	b.Ctrl = g.pick(ssa.I1)
	for i, s := range b.Succs {
		if s.ID > b.ID {
			continue
		}
		count := g.b.Append(ssa.OpLoad, ssa.I32, g.counter)
		count.Mem.Align = 4
		next := g.b.Append(ssa.OpAdd, ssa.I32, count, g.int(ssa.I32, 1))
		g.b.Append(ssa.OpStore, ssa.Void, g.counter, next).Mem.Align = 4
		more := g.b.Append(ssa.OpSLt, ssa.I1, next, g.int(ssa.I32, int64(g.rng.IntN(12))))
		if i == 0 {
			b.Ctrl = g.b.Append(ssa.OpAnd, ssa.I1, b.Ctrl, more)
		} else {
			b.Ctrl = g.b.Append(ssa.OpOr, ssa.I1, b.Ctrl, g.b.Append(ssa.OpNot, ssa.I1, more))
		}
	}
}

func (g *generator) param(i int) *ssa.Value {
	v := g.add(ssa.OpParam, g.f.Params[i].Type)
	v.Int = int64(i)
	return v
}

// entry makes the parameters and the memory: a buffer with an element for each
// type, and allocas, scalars and structs, which it initialises.
func (g *generator) entry() {
	g.cells = nil
	p, s := g.param(0), g.param(1)
	for i := 2; i < len(g.f.Params); i++ {
		g.param(i)
	}
	at := func(base *ssa.Value, off int64) *ssa.Value {
		return g.add(ssa.OpPtrAdd, base.Type, base, g.int(ssa.I64, off))
	}
	for i, t := range []ssa.Type{ssa.I32, ssa.I64, ssa.F32, ssa.F64, ssa.I8, ssa.I32} {
		g.cells = append(g.cells, cell{at(p, int64(8*i)), t, false})
	}
	g.cells = append(g.cells, cell{at(s, 0), ssa.I32, true}, cell{at(s, 8), ssa.I64, true}, cell{at(at(s, 2), 2), ssa.I16, true})
	for _, c := range g.cells {
		g.use(cell{c.addr, c.typ, true})
	}
	g.counter = g.add(ssa.OpAlloca, ssa.PtrLocal)
	g.counter.Int, g.counter.Mem.Align = 4, 4
	g.b.Append(ssa.OpStore, ssa.Void, g.counter, g.int(ssa.I32, 0)).Mem.Align = 4
	g.bytes = []*ssa.Value{at(p, 32)}
	if g.rng.IntN(2) == 0 {
		a := g.add(ssa.OpAlloca, ssa.PtrLocal)
		a.Int, a.Mem.Align = 8, 8
		g.store(cell{a, ssa.I64, false})
		g.bytes = append(g.bytes, a)
		g.cells = append(g.cells, cell{a, ssa.I32, false}, cell{at(a, 4), ssa.I32, false})
	}
	for range 1 + g.rng.IntN(3) {
		a := g.add(ssa.OpAlloca, ssa.PtrLocal)
		a.Int, a.Mem.Align = 32, 8
		for off := int64(0); off < 32; off += 8 {
			t := genTypes[g.rng.IntN(len(genTypes))]
			c := cell{at(a, off), t, false}
			if g.rng.IntN(3) == 0 {
				c.addr = g.add(ssa.OpSpaceCast, ssa.Ptr, c.addr)
			}
			g.store(c)
			g.cells = append(g.cells, c)
			if t == ssa.F64 && g.rng.IntN(2) == 0 { // the same bits as an integer, to load
				g.cells = append(g.cells, cell{c.addr, ssa.I64, true})
			}
		}
	}
}

func (g *generator) store(c cell) {
	v := g.add(ssa.OpStore, ssa.Void, c.addr, g.pick(c.typ))
	v.Mem.Align = 1
	v.Mem.Volatile = g.rng.IntN(20) == 0
}

// The operations of a class, in the table's order.
var (
	intBinaryOps    = opsThat(ssa.Op.IsIntBinary)
	intUnaryOps     = opsThat(ssa.Op.IsIntUnary)
	intCompareOps   = opsThat(ssa.Op.IsIntCompare)
	floatCompareOps = opsThat(func(op ssa.Op) bool { return op.IsCompare() && !op.IsIntCompare() })
)

func opsThat(have func(ssa.Op) bool) (list []ssa.Op) {
	for op := range ssa.Ops() {
		if have(op) {
			list = append(list, op)
		}
	}
	return list
}

// oneOf returns a random member of ops.
func (g *generator) oneOf(ops ...ssa.Op) ssa.Op { return ops[g.rng.IntN(len(ops))] }

func (g *generator) random() {
	t := genTypes[g.rng.IntN(len(genTypes))]
	wide := t
	if t == ssa.I1 || t.IsFloat() {
		wide = ssa.I32
	}
	float := []ssa.Type{ssa.F32, ssa.F64}[g.rng.IntN(2)]
	switch g.rng.IntN(23) {
	case 20, 21:
		g.again()
	case 22:
		g.inline()
	case 0, 1, 2:
		op := g.oneOf(intBinaryOps...)
		if op == ssa.OpShl || op == ssa.OpLShr || op == ssa.OpAShr {
			g.add(op, wide, g.pick(wide), g.pick(ssa.I32))
		} else {
			g.add(op, wide, g.pick(wide), g.pick(wide))
		}
	case 3:
		op := g.oneOf(intUnaryOps...)
		if op == ssa.OpPopc || op == ssa.OpClz {
			g.add(op, ssa.I32, g.pick(wide))
		} else {
			g.add(op, wide, g.pick(wide))
		}
	case 4:
		g.add(g.oneOf(ssa.OpAnd, ssa.OpOr, ssa.OpXor), ssa.I1, g.pick(ssa.I1), g.pick(ssa.I1))
		g.add(ssa.OpNot, ssa.I1, g.pick(ssa.I1))
	case 5:
		g.add(g.oneOf(ssa.OpFAdd, ssa.OpFSub, ssa.OpFMul, ssa.OpFDiv, ssa.OpFMin, ssa.OpFMax), float, g.pick(float), g.pick(float))
	case 6:
		g.add(g.oneOf(ssa.OpFNeg, ssa.OpFAbs, ssa.OpFSqrt, ssa.OpFFloor, ssa.OpFCeil, ssa.OpFTrunc, ssa.OpFRint), float, g.pick(float))
	case 7, 8:
		g.add(g.oneOf(intCompareOps...), ssa.I1, g.pick(wide), g.pick(wide))
		if g.rng.IntN(2) == 0 { // a truth value as in C
			wide := g.add(ssa.OpZExt, ssa.I32, g.pick(ssa.I1))
			g.add(g.oneOf(ssa.OpEq, ssa.OpNe), ssa.I1, wide, g.constant(ssa.I32))
		}
	case 9:
		g.add(g.oneOf(floatCompareOps...), ssa.I1, g.pick(float), g.pick(float))
	case 10:
		g.add(ssa.OpSelect, t, g.pick(ssa.I1), g.pick(t), g.pick(t))
	case 11:
		g.conversion(wide, float)
	case 12, 13:
		c := g.cells[g.rng.IntN(len(g.cells))]
		v := g.add(ssa.OpLoad, c.typ, c.addr)
		v.Mem.Align = 1
		v.Mem.Volatile = g.rng.IntN(20) == 0
	case 14:
		if c := g.cells[g.rng.IntN(len(g.cells))]; !c.readOnly {
			g.store(c)
		}
	case 15, 18:
		g.effect()
	case 16:
		g.indexed()
	case 17:
		g.selected()
	case 19:
		g.compared()
	}
}

func (g *generator) conversion(wide, float ssa.Type) {
	switch g.rng.IntN(6) {
	case 0:
		g.add(g.oneOf(ssa.OpSToF, ssa.OpUToF), float, g.pick(wide))
	case 1:
		g.add(g.oneOf(ssa.OpFToS, ssa.OpFToU), wide, g.pick(float))
	case 2:
		g.add(ssa.OpFExt, ssa.F64, g.pick(ssa.F32))
		g.add(ssa.OpFRound, ssa.F32, g.pick(ssa.F64))
	case 3:
		g.add(ssa.OpBitcast, ssa.I32, g.pick(ssa.F32))
	default:
		from := genTypes[g.rng.IntN(8)]
		switch {
		case from.Bits() < wide.Bits():
			g.add(g.oneOf(ssa.OpSExt, ssa.OpZExt), wide, g.pick(from))
		case from.Bits() > wide.Bits():
			g.add(ssa.OpTrunc, wide, g.pick(from))
		}
	}
}

// indexed accesses a byte at a variable place, sometimes past a constant.
func (g *generator) indexed() {
	base := g.bytes[g.rng.IntN(len(g.bytes))]
	index := g.add(ssa.OpAnd, ssa.I64, g.pick(ssa.I64), g.int(ssa.I64, 3))
	switch g.rng.IntN(3) {
	case 0:
		index = g.add(ssa.OpAdd, ssa.I64, index, g.int(ssa.I64, int64(g.rng.IntN(4))))
	case 1:
		base = g.add(ssa.OpPtrAdd, base.Type, base, g.int(ssa.I64, int64(g.rng.IntN(5))))
	}
	g.use(cell{g.add(ssa.OpPtrAdd, base.Type, base, index), ssa.I8, false})
}

// selected accesses one of two cells.
func (g *generator) selected() {
	a, b := g.cells[g.rng.IntN(len(g.cells))], g.cells[g.rng.IntN(len(g.cells))]
	if a.typ == b.typ && a.addr.Type == b.addr.Type {
		g.use(cell{g.add(ssa.OpSelect, a.addr.Type, g.pick(ssa.I1), a.addr, b.addr), a.typ, a.readOnly || b.readOnly})
	}
}

// compared compares or subtracts two pointers into one object, or tests one for null.
func (g *generator) compared() {
	base := g.bytes[g.rng.IntN(len(g.bytes))]
	if base.Type != ssa.Ptr && g.rng.IntN(3) > 0 {
		base = g.add(ssa.OpSpaceCast, ssa.Ptr, base)
	}
	null := g.int(base.Type, 0)
	pointer := func() *ssa.Value {
		p := base
		if g.rng.IntN(4) > 0 {
			p = g.add(ssa.OpPtrAdd, base.Type, base, g.add(ssa.OpAnd, ssa.I64, g.pick(ssa.I64), g.int(ssa.I64, 3)))
		}
		if g.rng.IntN(4) == 0 {
			p = g.add(ssa.OpSelect, base.Type, g.pick(ssa.I1), p, null)
		}
		return p
	}
	x, y := pointer(), pointer()
	switch g.rng.IntN(3) {
	case 0:
		g.add(g.oneOf(ssa.OpEq, ssa.OpNe), ssa.I1, x, null)
	case 1:
		g.add(g.oneOf(ssa.OpEq, ssa.OpNe, ssa.OpULt, ssa.OpULe, ssa.OpUGt, ssa.OpUGe), ssa.I1, x, y)
	default:
		// Addresses differ between runs, as allocas are promoted; distances in an object do not.
		x = g.add(ssa.OpPtrAdd, base.Type, base, g.int(ssa.I64, 1))
		y = g.add(ssa.OpPtrAdd, base.Type, base, g.add(ssa.OpAnd, ssa.I64, g.pick(ssa.I64), g.int(ssa.I64, 3)))
		g.add(ssa.OpSub, ssa.I64, g.b.Append(ssa.OpPtrToInt, ssa.I64, x), g.b.Append(ssa.OpPtrToInt, ssa.I64, y))
	}
	if y.Op == ssa.OpPtrAdd && g.rng.IntN(2) == 0 {
		g.use(cell{y, ssa.I8, false})
	}
}

func (g *generator) use(c cell) {
	if !c.readOnly && g.rng.IntN(2) == 0 {
		g.store(c)
		return
	}
	g.add(ssa.OpLoad, c.typ, c.addr).Mem.Align = 1
}

// effect generates an operation visible to other threads, or a call.
// inline adds inline PTX; inlinePTX of the machine gives it a meaning.
func (g *generator) inline() {
	a := ssa.Asm{Operands: []string{"=r,r", "=h,h", "+l,r", "=r,=l,r,l", "+r,+r,=h,r", "=l,+r"}[g.rng.IntN(6)], Template: []string{"a", "b"}[g.rng.IntN(2)]}
	op := []ssa.Op{ssa.OpAsm, ssa.OpAsm, ssa.OpAsmRead, ssa.OpAsmVolatile, ssa.OpAsmMemory, ssa.OpAsmSync}[g.rng.IntN(6)]
	var args []*ssa.Value
	if op == ssa.OpAsmRead || op == ssa.OpAsmMemory || op == ssa.OpAsmSync { // the address of a word comes first
		a.Operands = "=r,l,r"
		args = append(args, g.add(ssa.OpPtrToInt, ssa.I64, g.cells[0].addr))
	}
	for _, t := range a.Inputs()[len(args):] {
		args = append(args, g.pick(t))
	}
	types := a.Results()
	v := g.b.Append(op, types[0], args...)
	v.Sym = a
	g.values[types[0]] = append(g.values[types[0]], v)
	if v.Mergeable() {
		g.made = append(g.made, v)
	}
	for i, t := range types[1:] {
		g.add(ssa.OpAsmResult, t, v).Int = int64(i + 1)
	}
}

func (g *generator) effect() {
	switch g.rng.IntN(7) {
	case 0:
		g.add(ssa.OpBarrier, ssa.Void)
	case 1:
		g.add(ssa.OpBallot, ssa.I32, g.pick(ssa.I32), g.pick(ssa.I1))
	case 2:
		v := g.add(ssa.OpAtomicAdd, ssa.I32, g.cells[0].addr, g.pick(ssa.I32))
		v.Mem.Align = 4
	default:
		if len(g.m.Funcs) == 0 {
			return
		}
		callee := g.m.Funcs[g.rng.IntN(len(g.m.Funcs))]
		if callee.Kernel {
			return
		}
		// The struct comes from the buffer or is passed on.
		args := []*ssa.Value{g.bufferBase(), g.bufferBase(), g.pick(ssa.I32), g.pick(ssa.I64), g.pick(ssa.F64)}
		if g.rng.IntN(2) == 0 {
			args[1] = g.param(1)
		}
		if g.rng.IntN(3) == 0 { // through a pointer, which may be that of two functions
			f := g.add(ssa.OpFuncAddr, ssa.Ptr)
			f.Sym = ssa.Name(callee.Name)
			for _, other := range g.m.Funcs {
				if other != callee && !other.Kernel && other.Result == callee.Result {
					o := g.add(ssa.OpFuncAddr, ssa.Ptr)
					o.Sym = ssa.Name(other.Name)
					f = g.add(ssa.OpSelect, ssa.Ptr, g.pick(ssa.I1), f, o)
				}
			}
			g.add(ssa.OpCallPtr, callee.Result, append([]*ssa.Value{f}, args...)...).Sym = ssa.SignatureOf(callee.Params)
			return
		}
		v := g.add(ssa.OpCall, callee.Result, args...)
		v.Sym = ssa.Name(callee.Name)
	}
}

func (g *generator) bufferBase() *ssa.Value { return g.param(0) }
