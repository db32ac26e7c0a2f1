package ptxgen

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/ptx"
	"irgl/internal/source"
	"irgl/internal/ssa"
)

// An fgen generates one function.
type fgen struct {
	*generator
	f      *ssa.Func
	params []*ptx.Var
	blocks []*ssa.Block // reachable ones, in reverse postorder
	mb     []*mblock    // by block ID

	classes   []class // of each vreg; the first is not used
	incomings []vreg  // those of phiIn, sorted, computed on demand
	pairs     []pair  // copies that coalescing should remove, best first

	// By value ID.
	value      []vreg // the register of an emitted or demanded value
	phiIn      []vreg // of a live phi: the register its predecessors write
	demanded   []bool // some emitted instruction reads the value's register
	short      []vreg // the register of 16 bits that inline PTX reads the value in, if the value's instruction writes it
	live       []bool // contributes to an effect or a branch
	uses       []int
	signedLoad []bool // a load that sign-extends
	split      map[*ssa.Value]*splitHalf
	asmResults map[*ssa.Value][]*ssa.Value // of inline PTX, its other results
	inlined    int                         // pieces of inline PTX so far
	prototypes int                         // of calls through pointers so far

	locals     []*ptx.Var
	localOf    map[*ssa.Value]int // index in locals of an alloca
	paramLocal []int              // index in locals of an aggregate parameter, or -1
	localUsed  []bool

	// Instructions of the current block: the group of the current value, and the
	// groups before it, in reverse order.
	group  []minst
	groups []minst
	ends   []int      // of the groups
	pos    source.Pos // of the current value
	err    error

	// Preallocated memory for instructions and operands.
	insts    []ptx.Inst
	operands []ptx.Operand
}

// function generates f.
func (g *generator) function(f *ssa.Func) (*ptx.Func, error) {
	out := g.header(f)
	n := f.NumValues()
	fg := &fgen{
		generator: g, f: f, params: out.Params, blocks: order(f),
		mb: make([]*mblock, f.NumBlocks()), classes: make([]class, 1, n+1),
		value: make([]vreg, n), phiIn: make([]vreg, n), demanded: make([]bool, n), short: make([]vreg, n),
		live: make([]bool, n), uses: make([]int, n), signedLoad: make([]bool, n),
		localOf: map[*ssa.Value]int{}, asmResults: map[*ssa.Value][]*ssa.Value{},
	}
	fg.prepare()
	for _, b := range fg.blocks {
		fg.mb[b.ID] = &mblock{kind: b.Kind, uniform: b.Uniform, rolled: b.Unroll == 1}
	}
	for i := len(fg.blocks) - 1; i >= 0; i-- {
		fg.block(fg.blocks[i], i == 0)
		if fg.err != nil {
			return nil, fg.err
		}
	}
	mblocks := fg.coalesce()
	out.Body = fg.layout(mblocks)
	return out, nil
}

// errorf records the first error; generation of the function ends with it.
func (g *fgen) errorf(v *ssa.Value, format string, args ...any) {
	if g.err == nil {
		g.err = fmt.Errorf("v%d: %s: %s", v.ID, v.Op, fmt.Sprintf(format, args...))
	}
}

// prepare counts uses, computes which values are live, and names local memory.
func (g *fgen) prepare() {
	var work []*ssa.Value
	mark := func(v *ssa.Value) {
		if v != nil && !g.live[v.ID] {
			g.live[v.ID] = true
			work = append(work, v)
		}
	}
	for _, b := range g.blocks {
		for _, v := range b.Values {
			if v.Op == ssa.OpAlloca {
				g.localOf[v] = g.addLocal(v.Mem.Align, v.Int)
			}
			if v.Op == ssa.OpAsmResult {
				g.asmResults[v.Args[0]] = append(g.asmResults[v.Args[0]], v)
			}
			if g.hasEffect(v) {
				mark(v)
			}
			for _, a := range v.Args {
				g.uses[a.ID]++
			}
		}
		if b.Ctrl != nil {
			g.uses[b.Ctrl.ID]++
			mark(b.Ctrl)
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range v.Args {
			mark(a)
		}
	}
	for _, b := range g.blocks {
		for _, v := range b.Values {
			if v.Op == ssa.OpSExt && g.narrowLoad(v.Args[0]) && v.Type.Bits() <= 32 {
				g.signedLoad[v.Args[0].ID] = true
			}
		}
		g.findHalves(b)
	}
	g.findEscapes()
}

// narrowLoad reports whether v is an 8- or 16-bit load with one user.
func (g *fgen) narrowLoad(v *ssa.Value) bool {
	return v.Op == ssa.OpLoad && (v.Type == ssa.I8 || v.Type == ssa.I16) && g.uses[v.ID] == 1
}

// hasEffect reports whether v must be emitted although it has no uses.
func (g *fgen) hasEffect(v *ssa.Value) bool {
	return v.Op != ssa.OpAlloca && v.Op.Effects()&(ssa.Writes|ssa.Syncs|ssa.Volatile) != 0 || v.Mem.Volatile
}

// addLocal declares size bytes of local memory.
func (g *fgen) addLocal(align, size int64) int {
	g.locals = append(g.locals, &ptx.Var{
		Space: ptx.Local, Align: int(max(1, align)), Type: "b8",
		Name: fmt.Sprintf("$local_%d", len(g.locals)), Array: true, Dims: []int64{max(1, size)},
	})
	g.localUsed = append(g.localUsed, false)
	return len(g.locals) - 1
}

// localName returns the name of local memory and marks it as used: an alloca
// that is never accessed is not declared.
func (g *fgen) localName(i int) string {
	g.localUsed[i] = true
	return g.locals[i].Name
}

// findEscapes determines which aggregate parameters are read in place. One
// whose address is used for anything but loads within it, in a device function
// at constant offsets only, or as a whole argument, is copied to local memory at
// the start of the function.
func (g *fgen) findEscapes() {
	g.paramLocal = make([]int, len(g.f.Params))
	for i := range g.paramLocal {
		g.paramLocal[i] = -1
	}
	for _, b := range g.blocks {
		for _, v := range b.Values {
			for i, a := range v.Args {
				if a.Type != ssa.PtrParam || g.readsInPlace(v, i) {
					continue
				}
				base := paramBase(a)
				if base.Op == ssa.OpParam && g.paramLocal[base.Int] < 0 {
					p := g.f.Params[base.Int]
					g.paramLocal[base.Int] = g.addLocal(p.Align, p.Size)
				}
			}
		}
	}
}

// readsInPlace reports whether v's use of its i-th argument, the address of an
// aggregate parameter, can be folded into ld.param instructions.
func (g *fgen) readsInPlace(v *ssa.Value, i int) bool {
	switch v.Op {
	case ssa.OpLoad:
		if base, _ := offset(v.Args[0]); g.f.Kernel && base.Op == ssa.OpPtrAdd {
			return paramBase(base).Op == ssa.OpParam
		}
		return g.insideParam(v.Args[0], int64(v.Type.Size()))
	case ssa.OpPtrAdd:
		return v.Args[1].Op == ssa.OpConst || g.f.Kernel
	case ssa.OpCallPtr:
		params, _ := v.Sym.(ssa.Signature).Params()
		return i > 0 && params[i-1].Type == ssa.PtrParam && g.insideParam(v.Args[i], params[i-1].Size)
	case ssa.OpCall:
		callee := g.calls.Func(v.Callee())
		return callee != nil && i < len(callee.Params) && callee.Params[i].Type == ssa.PtrParam &&
			g.insideParam(v.Args[i], callee.Params[i].Size)
	}
	return false
}

// paramBase returns the address from which p is computed by additions.
func paramBase(p *ssa.Value) *ssa.Value {
	for p.Op == ssa.OpPtrAdd {
		p = p.Args[0]
	}
	return p
}

// insideParam reports whether size bytes from p on are within the aggregate
// parameter that p points to. PTX rejects an ld.param outside of its
// parameter, where C leaves the access undefined.
func (g *fgen) insideParam(p *ssa.Value, size int64) bool {
	base, off := offset(p)
	return base.Op == ssa.OpParam && off >= 0 && off+size <= g.f.Params[base.Int].Size
}

// block generates b from its end to its beginning.
func (g *fgen) block(b *ssa.Block, entry bool) {
	m := g.mb[b.ID]
	g.groups, g.ends, g.pos = g.groups[:0], g.ends[:0], source.Pos{}
	g.terminator(b, m)
	g.flush()
	for i := len(b.Values) - 1; i >= 0; i-- {
		v := b.Values[i]
		if v.Op == ssa.OpPhi {
			continue
		}
		if g.demanded[v.ID] || g.short[v.ID] != 0 || g.hasEffect(v) {
			g.pos = v.Pos
			g.emit(v)
			g.flush()
		}
	}
	g.pos = source.Pos{}
	for _, v := range b.Values {
		if v.Op == ssa.OpPhi && g.live[v.ID] {
			g.copyTo(g.dst(v), reg(g.incoming(v)))
		}
	}
	g.flush()
	if entry {
		g.copyParams()
		g.flush()
	}
	m.ins = make([]minst, 0, len(g.groups)+2) // including the branches
	for i := len(g.ends) - 1; i >= 0; i-- {
		from := 0
		if i > 0 {
			from = g.ends[i-1]
		}
		m.ins = append(m.ins, g.groups[from:g.ends[i]]...)
	}
}

// flush ends a group: the instructions of one value, in order.
func (g *fgen) flush() {
	if len(g.group) > 0 {
		g.groups = append(g.groups, g.group...)
		g.ends = append(g.ends, len(g.groups))
		g.group = g.group[:0]
	}
}

// terminator generates the end of b: the copies for the phis of its successors,
// and returns. Branches are emitted after layout. Both edges of an if get a
// block for their copies; the layout removes empty ones.
func (g *fgen) terminator(b *ssa.Block, m *mblock) {
	switch b.Kind {
	case ssa.BlockRet:
		if b.Ctrl != nil && !g.f.Kernel {
			g.eff("st.param."+string(argType(b.Ctrl.Type)), ptx.Mem("func_retval0", 0), g.toMemory(b.Ctrl))
		}
		g.eff("ret")
	case ssa.BlockTrap:
		g.pos = b.Pos
		g.eff("trap")
		g.eff("exit")
	case ssa.BlockJump:
		m.succs = []*mblock{g.mb[b.Succs[0].ID]}
		g.phiCopies(b, 0)
	case ssa.BlockIf:
		m.pred, m.predNot = g.pred(b.Ctrl)
		g.flush()
		for i := range b.Succs {
			g.phiCopies(b, i)
			e := &mblock{kind: ssa.BlockJump, uniform: b.Uniform, succs: []*mblock{g.mb[b.Succs[i].ID]}, ins: slices.Clone(g.group)}
			g.group = g.group[:0]
			m.edges = append(m.edges, e)
			m.succs = append(m.succs, e)
		}
	}
}

// phiCopies writes the arguments of the phis in b's i-th successor to the
// registers from which these phis are copied. No such register is the source
// of a copy, so the copies of one edge do not disturb each other.
func (g *fgen) phiCopies(b *ssa.Block, i int) {
	s := b.Succs[i]
	arg := s.PredIndex(b)
	for _, t := range b.Succs[:i] {
		if t == s { // the index of the next edge from b
			for arg++; s.Preds[arg] != b; arg++ {
			}
		}
	}
	for _, v := range s.Values {
		if v.Op == ssa.OpPhi && g.live[v.ID] {
			g.copyTo(g.incoming(v), g.op(v.Args[arg]))
		}
	}
}

// incoming returns the register that phi's predecessors write.
func (g *fgen) incoming(phi *ssa.Value) vreg {
	if g.phiIn[phi.ID] == 0 {
		g.phiIn[phi.ID] = g.newReg(classOf(phi.Type))
	}
	return g.phiIn[phi.ID]
}

// copyTo emits d = src.
func (g *fgen) copyTo(d vreg, src ptx.Operand) {
	g.ins("mov."+classInfo[g.classes[d]].bits, true, reg(d), src)
	if src.Kind == ptx.KindReg {
		g.group[len(g.group)-1].copy = true
		g.pairs = append(g.pairs, pair{d, vreg(src.Bits)})
	}
}

// newReg returns a new register of class c.
func (g *fgen) newReg(c class) vreg {
	g.classes = append(g.classes, c)
	return vreg(len(g.classes) - 1)
}

// dst returns the register of v itself.
func (g *fgen) dst(v *ssa.Value) vreg {
	if g.value[v.ID] == 0 {
		g.value[v.ID] = g.newReg(classOf(v.Type))
	}
	return g.value[v.ID]
}

// ins appends an instruction to the group; op is written with its dots.
func (g *fgen) ins(op string, def bool, args ...ptx.Operand) {
	g.append(op, def, append(g.room(len(args)), args...))
}

// append is ins for operands that room has allocated.
func (g *fgen) append(op string, def bool, args []ptx.Operand) {
	parts, ok := g.mnemonics[op]
	if !ok {
		parts = strings.Split(op, ".")
		if g.opts.FlushDenormals {
			parts = flushed(parts)
		}
		g.mnemonics[op] = parts
	}
	if len(g.insts) == 0 {
		g.insts = make([]ptx.Inst, min(64, 4+g.f.NumValues()))
	}
	in := &g.insts[0]
	g.insts = g.insts[1:]
	in.Op, in.Mods, in.Args = parts[0], parts[1:], args
	g.group = append(g.group, minst{def: def, pos: g.pos, inst: in})
}

// room returns an empty slice with capacity for n operands. Instructions are
// many and small: those created together are adjacent in memory.
func (g *fgen) room(n int) []ptx.Operand {
	if n > len(g.operands) {
		g.operands = make([]ptx.Operand, max(n, min(128, 8+2*g.f.NumValues())))
	}
	list := g.operands[:0:n]
	g.operands = g.operands[n:]
	return list
}

// def appends an instruction that computes v.
func (g *fgen) def(v *ssa.Value, op string, args ...ptx.Operand) {
	g.append(op, true, append(append(g.room(len(args)+1), reg(g.dst(v))), args...))
}

// tmp appends an instruction that computes a new register.
func (g *fgen) tmp(c class, op string, args ...ptx.Operand) ptx.Operand {
	r := reg(g.newReg(c))
	g.append(op, true, append(append(g.room(len(args)+1), r), args...))
	return r
}

// eff appends an instruction without a result.
func (g *fgen) eff(op string, args ...ptx.Operand) { g.ins(op, false, args...) }
