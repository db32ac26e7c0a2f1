package ssagen

import (
	"slices"

	"irgl/internal/check"
	"irgl/internal/source"
	"irgl/internal/ssa"
	"irgl/syntax"
)

// An fb builds one function. Code is appended to cur, which is never nil:
// after a jump it is an unreachable block, which finish removes.
type fb struct {
	*builder
	fn     *check.FuncInfo
	f      *ssa.Func
	entry  *ssa.Block // parameters and allocas
	cur    *ssa.Block
	dead   *ssa.Block // receives unreachable code
	pos    source.Pos
	consts map[constKey]*ssa.Value // of cur

	vars     map[*check.Object]place
	shared   int64      // bytes of the variables in shared memory
	result   *ssa.Value // the address of a struct result
	labels   map[string]*ssa.Block
	breaks   []*ssa.Block // innermost last
	conts    []*ssa.Block
	switches []*switchCtx
	readOnly map[*check.Object]bool // parameters whose loads are read-only
}

type constKey struct {
	t    ssa.Type
	bits uint64
}

// A place is memory of a C type.
type place struct {
	addr     *ssa.Value // of any pointer type
	typ      check.Type
	volatile bool
	readOnly bool            // read-only while the kernel runs
	bits     *check.BitField // of a bit-field: addr is that of its unit
	// align is the alignment of the address if it is known to be more than the
	// type's: a member of a struct has the struct's, at its offset.
	align int64
}

// part returns the alignment at offset off in p, a struct or array.
func (p place) part(off int64) int64 {
	a := max(p.align, p.typ.Align())
	for a > 1 && off%a != 0 {
		a /= 2
	}
	return a
}

// function translates one function. The entry block holds only parameters,
// their copies and allocas, so that a loop at the beginning of the body does
// not make it a loop header.
func (b *builder) function(fi *check.FuncInfo) {
	d := fi.Decl
	f := &ssa.Func{Pos: d.Name.Pos(), Name: b.symbol(d.Name.Name), Kernel: d.Attrs.Has(syntax.Global), Result: typeOf(fi.Type.Result)}
	switch {
	case d.Attrs.Has(syntax.ForceInline):
		f.Inline = ssa.InlineAlways
	case d.Attrs.Has(syntax.NoInline):
		f.Inline = ssa.InlineNever
	}
	for i, e := range d.Bounds {
		if c := b.info.Consts[e]; c != nil && c.Int > 0 && c.Int <= 1<<16 {
			switch i {
			case 0:
				f.MaxThreads = int(c.Int)
			case 1:
				f.MinBlocks = int(c.Int)
			}
		}
	}
	for i := range f.Cluster {
		if len(d.Cluster) == 0 {
			break
		}
		f.Cluster[i] = 1 // dimensions that are not given
		if i < len(d.Cluster) {
			if c := b.info.Consts[d.Cluster[i]]; c != nil {
				f.Cluster[i] = int(c.Int)
			}
		}
	}
	g := &fb{
		builder: b, fn: fi, f: f, pos: f.Pos,
		vars: map[*check.Object]place{}, labels: map[string]*ssa.Block{}, readOnly: map[*check.Object]bool{},
	}
	g.entry = f.NewBlock(ssa.BlockJump)
	body := f.NewBlock(ssa.BlockRet)
	g.dead = f.NewBlock(ssa.BlockRet)
	g.setBlock(g.entry)
	g.params(g.changedIn(d.Body))
	g.jump(body)
	g.setBlock(body)
	g.block(d.Body)
	g.finish()
	b.mod.Funcs = append(b.mod.Funcs, f)
}

// params creates the parameters and the memory through which the body accesses them.
func (g *fb) params(changed map[*check.Object]bool) {
	if isStruct(g.fn.Type.Result) {
		g.f.Params = append(g.f.Params, ssa.NewParam("result", ssa.Ptr))
		g.result = g.param(0, ssa.Ptr)
	}
	size := int64(0)
	for i, t := range g.fn.Type.Params {
		var o *check.Object
		if i < len(g.fn.Params) {
			o = g.fn.Params[i]
		}
		p := &ssa.Param{}
		if o != nil {
			p.Name = o.Name
		}
		p.Type, p.Size, p.Align = typeOf(t), t.Size(), t.Align()
		if isStruct(t) {
			p.Type = ssa.PtrParam
		} else {
			p.Size, p.Align = int64(p.Type.Size()), int64(p.Type.Size())
		}
		before := size
		size = (size+p.Align-1)/p.Align*p.Align + p.Size
		if most := g.opts.MaxParams; most > 0 && g.f.Kernel && before <= most && size > most {
			g.diags.Errorf(g.f.Pos, source.Pos{}, codeTooLarge, "the parameters of %s take %d bytes up to number %d; a kernel's have %d for this target",
				g.fn.Decl.Name.Name, size, i+1, most).Hint = "pass a pointer to device memory"
		}
		index := int64(len(g.f.Params))
		g.f.Params = append(g.f.Params, p)
		if o == nil {
			continue
		}
		if o.Decl != nil {
			g.pos = o.Decl.Pos()
		}
		v := g.param(index, p.Type)
		switch {
		case isStruct(t) && !changed[o]:
			g.vars[o] = place{addr: v, typ: t}
		case isStruct(t):
			g.vars[o] = place{addr: g.alloca(t), typ: t, volatile: o.Volatile}
			g.copyAggregate(g.vars[o], place{addr: v, typ: t})
		default:
			g.vars[o] = place{addr: g.alloca(t), typ: t, volatile: o.Volatile}
			g.store(g.vars[o], v)
			ptr, ok := t.(*check.Pointer)
			p.Restrict = ok && ptr.Restrict
			if ok && ptr.Const && ptr.Restrict && !ptr.Volatile && g.f.Kernel && !changed[o] && !g.opts.NoReadOnly {
				g.readOnly[o] = true
			}
		}
	}
}

// param returns the i-th parameter of the SSA function.
func (g *fb) param(i int64, t ssa.Type) *ssa.Value {
	v := g.emit(ssa.OpParam, t)
	v.Int = i
	return v
}

// setBlock continues in b.
func (g *fb) setBlock(b *ssa.Block) {
	g.cur = b
	g.consts = map[constKey]*ssa.Value{}
}

// newBlock returns a block to be filled later; until then it ends in a jump.
func (g *fb) newBlock() *ssa.Block { return g.f.NewBlock(ssa.BlockJump) }

// emit appends a value to the current block.
func (g *fb) emit(op ssa.Op, t ssa.Type, args ...*ssa.Value) *ssa.Value {
	v := g.cur.Append(op, t, args...)
	v.Pos = g.pos
	return v
}

// alloca allocates memory for a variable of type t.
func (g *fb) alloca(t check.Type) *ssa.Value {
	size := t.Size()
	if most := g.opts.maxLocal(); size > most {
		g.diags.Errorf(g.pos, source.Pos{}, codeTooLarge, "%s takes %d bytes; a thread's local memory has %d", t, size, most)
		size = 1
	}
	return g.allocaBytes(size, t.Align())
}

// allocaBytes allocates memory in the entry block, where every alloca must be:
// one in a loop would grow with each iteration. It is aligned to the largest
// power of two up to its size and 16 bytes, so that accesses to it can be
// vectorised.
func (g *fb) allocaBytes(size, align int64) *ssa.Value {
	v := g.entry.Append(ssa.OpAlloca, ssa.PtrLocal)
	v.Pos = g.pos
	v.Int, v.Mem.Align = max(1, size), max(1, align)
	for v.Mem.Align < 16 && 2*v.Mem.Align <= size {
		v.Mem.Align *= 2
	}
	return v
}

// jump ends the current block with a jump; code that follows is unreachable
// until setBlock.
func (g *fb) jump(to *ssa.Block) {
	g.cur.Kind = ssa.BlockJump
	g.cur.AddEdge(to)
	g.setBlock(g.dead)
}

// branch ends the current block with a branch on v, an i1.
func (g *fb) branch(v *ssa.Value, then, other *ssa.Block) {
	if v.Op == ssa.OpConst {
		if v.Int == 0 {
			then = other
		}
		g.jump(then)
		return
	}
	g.cur.Kind, g.cur.Ctrl = ssa.BlockIf, v
	g.cur.AddEdge(then)
	g.cur.AddEdge(other)
	g.setBlock(g.dead)
}

// ret ends the current block with a return of v, nil for none.
func (g *fb) ret(v *ssa.Value) {
	g.cur.Kind, g.cur.Ctrl = ssa.BlockRet, v
	g.setBlock(g.dead)
}

// trap ends the current block by stopping the program.
func (g *fb) trap() {
	g.cur.Kind, g.cur.Ctrl, g.cur.Pos = ssa.BlockTrap, nil, g.pos
	g.setBlock(g.dead)
}

// finish ends the last block and removes unreachable ones. There are no
// undefined labels: check has rejected them.
func (g *fb) finish() {
	g.pos = g.fn.Decl.Body.End()
	if g.f.Result != ssa.Void {
		g.ret(g.undef(g.f.Result))
	} else {
		g.ret(nil)
	}
	g.f.Blocks = reachable(g.f)
	seen := make([]bool, g.f.NumBlocks())
	for _, b := range g.f.Blocks {
		seen[b.ID] = true
	}
	for _, b := range g.f.Blocks {
		phis, keep := b.Phis(), 0
		for i, p := range b.Preds {
			if seen[p.ID] {
				b.Preds[keep] = p
				for _, v := range phis {
					v.Args[keep] = v.Args[i]
				}
				keep++
			}
		}
		b.Preds = b.Preds[:keep]
		for _, v := range phis {
			v.Args = v.Args[:keep]
		}
	}
}

// reachable returns the reachable blocks in reverse postorder, with a branch's
// first successor first.
func reachable(f *ssa.Func) []*ssa.Block {
	type frame struct {
		b    *ssa.Block
		left int
	}
	seen := make([]bool, f.NumBlocks())
	seen[f.Blocks[0].ID] = true
	stack := []frame{{f.Blocks[0], len(f.Blocks[0].Succs)}}
	var post []*ssa.Block
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.left == 0 {
			post = append(post, top.b)
			stack = stack[:len(stack)-1]
			continue
		}
		top.left--
		if s := top.b.Succs[top.left]; !seen[s.ID] {
			seen[s.ID] = true
			stack = append(stack, frame{s, len(s.Succs)})
		}
	}
	slices.Reverse(post)
	return post
}
