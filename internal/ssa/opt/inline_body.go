package opt

import (
	"cmp"
	"slices"

	"irgl/internal/pass"
	"irgl/internal/source"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// An inliner replaces the calls in one function.
type inliner struct {
	caller *ssa.Func
	graph  *callGraph
	budget int
	sites  *source.File // see Options.CallSites
	pass   *pass.Run

	want        map[*ssa.Func]verdict // by callee; filled at the last call of each
	size        int                   // values in the caller
	paramCopies map[*ssa.Value]bool   // see passesParam; nil before they are needed
	allocas     []*ssa.Value          // for the caller's entry
	subst       *subst                // results of the calls
	inlined     int
	refused     int
	resolved    int // calls through pointers that have become calls by name

	// Memory that is reused from call to call.
	values []*ssa.Value
	copies []*ssa.Block
}

// zeros returns n zeros in the memory of s.
func zeros[T any](s *[]T, n int) []T {
	*s = slices.Grow((*s)[:0], n)[:n]
	clear(*s)
	return *s
}

// run walks the caller's blocks once. Inlined bodies are not visited again:
// their own calls were decided when their function was visited.
func (in *inliner) run() {
	f := in.caller
	if len(f.Blocks) == 0 {
		return
	}
	in.resolve()
	in.want = make(map[*ssa.Func]verdict)
	in.size = size(f)
	in.subst = newSubst(f)
	var blocks []*ssa.Block // the caller's new list
	for _, b := range slices.Clone(f.Blocks) {
		// The last call first, so that the second halves stay short.
		var groups [][]*ssa.Block
		for i := len(b.Values) - 1; i >= 0; i-- {
			if b.Values[i].Op == ssa.OpCall && in.accepts(b.Values[i]) {
				groups = append(groups, in.replace(b, i))
			}
		}
		blocks = append(blocks, b)
		for _, group := range slices.Backward(groups) {
			blocks = append(blocks, group...)
		}
	}
	if in.inlined == 0 {
		return
	}
	f.Blocks = blocks
	entry := f.Blocks[0]
	for _, v := range in.allocas {
		v.Block = entry
	}
	entry.Values = append(in.allocas, entry.Values...)
	in.subst.apply(f)
	removeUnreachable(f) // the code after a call that never returns
}

// resolve makes calls through a pointer that is the address of a function of the
// signature calls by name.
func (in *inliner) resolve() {
	for _, b := range in.caller.Blocks {
		for _, v := range b.Values {
			if v.Op != ssa.OpCallPtr || v.Args[0].Op != ssa.OpFuncAddr {
				continue
			}
			callee := in.graph.Func(v.Args[0].Callee())
			if callee == nil || callee.Kernel || callee.Result != v.Type || ssa.SignatureOf(callee.Params) != v.Sym {
				continue
			}
			v.Op, v.Sym = ssa.OpCall, v.Args[0].Sym
			v.Args = v.Args[1:]
			in.resolved++
		}
	}
}

// accepts decides whether one call is inlined.
func (in *inliner) accepts(call *ssa.Value) bool {
	callee := in.graph.Func(call.Callee())
	if !in.inlines(call, callee) || in.size+size(callee) > maxInlined {
		in.refused++
		if in.pass.Remarks() {
			in.pass.Missed(call.Pos, "call of %s is not inlined: %s", call.Sym, in.reason(call, callee))
		}
		return false
	}
	if in.pass.Remarks() {
		in.pass.Applied(call.Pos, "call of %s is inlined: it costs %d", call.Sym, max(0, cost(callee)))
	}
	return true
}

// replace replaces the call at index at of b by the body of the callee. It
// returns the new blocks: the body's and, last, the one with the code after
// the call.
func (in *inliner) replace(b *ssa.Block, at int) []*ssa.Block {
	f, call := in.caller, b.Values[at]
	callee := in.graph.Func(call.Callee())
	in.inlined++
	in.size += size(callee)

	// The second half takes the block's terminator and all values after the call.
	rest := newBlock(f, b.Kind)
	rest.Ctrl, rest.Uniform, rest.Succs = b.Ctrl, b.Uniform, b.Succs
	for _, s := range rest.Succs {
		for j, p := range s.Preds {
			if p == b {
				s.Preds[j] = rest
			}
		}
	}
	rest.Values = make([]*ssa.Value, 0, len(b.Values)-at-1)
	first := b.Values[:at:at]
	for _, v := range b.Values[at+1:] {
		if v.Op == ssa.OpAsmResult && v.Args[0].Block == b {
			first = append(first, v) // it stays in the block of the inline PTX
			continue
		}
		v.Block = rest
		rest.Values = append(rest.Values, v)
	}
	clear(b.Values[at:])
	b.Values = first
	b.Kind, b.Ctrl, b.Uniform, b.Succs = ssa.BlockJump, nil, false, nil

	c := &cloner{in: in, callee: callee, pos: call.Pos, values: zeros(&in.values, callee.NumValues())}
	c.params(call, b)
	results := c.body(b, rest)
	if call.Type != ssa.Void {
		in.result(call, rest, results)
	}
	return append(c.blocks, rest)
}

// result returns the replacement of the call's value: the one result, a phi of
// several, or undef if the callee never returns.
func (in *inliner) result(call *ssa.Value, rest *ssa.Block, results []*ssa.Value) {
	var v *ssa.Value
	switch len(results) {
	case 1:
		v = results[0]
	case 0:
		v = in.caller.NewValue(ssa.OpUndef, call.Type)
	default:
		v = in.caller.NewValue(ssa.OpPhi, call.Type, results...)
	}
	if len(results) != 1 {
		v.Block, v.Pos = rest, call.Pos
		rest.Values = slices.Insert(rest.Values, 0, v)
	}
	in.subst.replace(call, v)
}

// newBlock makes a block of f that is not in its list: the inliner rebuilds
// that list.
func newBlock(f *ssa.Func, kind ssa.BlockKind) *ssa.Block {
	b := f.NewBlock(kind)
	f.Blocks = f.Blocks[:len(f.Blocks)-1]
	return b
}

// A cloner copies a callee's body into the caller.
type cloner struct {
	in     *inliner
	callee *ssa.Func
	pos    source.Pos   // of the call
	values []*ssa.Value // the copies, by value number in the callee
	args   []*ssa.Value // the replacements of parameters
	blocks []*ssa.Block // the copies, in order
	// The callee's aggregates are allocas of the caller. Otherwise all of
	// them, if any, are parameters of the caller passed on: these are
	// read-only, so no copy is needed.
	local bool
}

// params determines the replacement of each parameter: the argument, or the
// address of a copy of an aggregate, which is made at the end of b.
func (c *cloner) params(call *ssa.Value, b *ssa.Block) {
	c.args = slices.Clone(call.Args)
	for i, p := range c.callee.Params {
		c.local = c.local || p.Type == ssa.PtrParam && call.Args[i].Type != ssa.PtrParam
	}
	for i, p := range c.callee.Params {
		if c.local && p.Type == ssa.PtrParam {
			c.args[i] = c.aggregate(i, call, b)
		}
	}
}

// aggregate copies the aggregate that call passes as parameter i to an alloca.
func (c *cloner) aggregate(i int, call *ssa.Value, b *ssa.Block) *ssa.Value {
	from, p := call.Args[i], c.callee.Params[i]
	f := c.in.caller
	to := f.NewValue(ssa.OpAlloca, ssa.PtrLocal)
	to.Int, to.Mem.Align, to.Pos = max(p.Size, 1), p.Align, call.Pos
	c.in.allocas = append(c.in.allocas, to)
	add := func(op ssa.Op, t ssa.Type, args ...*ssa.Value) *ssa.Value {
		v := b.Append(op, t, args...)
		v.Pos = call.Pos
		return v
	}
	for _, part := range c.in.graph.partsOf(c.callee, i) {
		src, dst := from, to
		if part.off != 0 {
			off := add(ssa.OpConst, ssa.I64)
			off.Int = part.off
			src, dst = add(ssa.OpPtrAdd, from.Type, from, off), add(ssa.OpPtrAdd, ssa.PtrLocal, to, off)
		}
		// The address has the aggregate's alignment, so the part has that of
		// the lowest bit of its offset.
		mem := ssa.MemInfo{Align: p.Align, Copied: true} // the callee may not read it
		if low := part.off & -part.off; part.off != 0 {
			mem.Align = min(mem.Align, low)
		}
		v := add(ssa.OpLoad, part.typ, src)
		v.Mem = mem
		add(ssa.OpStore, ssa.Void, dst, v).Mem = mem
	}
	return to
}

// partsOf returns aggregateParts of all parameters, computed once per function:
// callees are visited first, so f does not change any more.
func (g *callGraph) partsOf(f *ssa.Func, i int) []access {
	p := f.Params[i]
	parts, ok := g.parts[p]
	if !ok {
		parts = aggregateParts(f, i)
		g.parts[p] = parts
	}
	return parts
}

// aggregateParts returns the parts of aggregate parameter i of f to copy:
// those that f loads when all its loads are at constant offsets, otherwise
// all.
func aggregateParts(f *ssa.Func, i int) []access {
	p := f.Params[i]
	offset := make(map[*ssa.Value]int64)
	var parts []access
	for _, b := range analysis.ReversePostorder(f) { // definitions before uses
		for _, v := range b.Values {
			switch {
			case v.Op == ssa.OpParam && v.Int == int64(i):
				offset[v] = 0
				continue
			case v.Op == ssa.OpPhi && v.Type == ssa.PtrParam:
				return wholeAggregate(p) // it may use a later definition
			}
			for n, a := range v.Args {
				base, ok := offset[a]
				switch {
				case !ok:
				case v.Op == ssa.OpPtrAdd && n == 0 && v.Args[1].Op == ssa.OpConst:
					offset[v] = base + v.Args[1].Int
				case v.Op == ssa.OpLoad && base >= 0 && base+int64(v.Type.Size()) <= p.Size:
					parts = append(parts, access{off: base, typ: v.Type})
				default:
					return wholeAggregate(p)
				}
			}
		}
	}
	slices.SortFunc(parts, func(a, b access) int {
		if c := cmp.Compare(a.off, b.off); c != 0 {
			return c
		}
		return cmp.Compare(a.typ, b.typ)
	})
	return slices.CompactFunc(parts, func(a, b access) bool { return a.off == b.off && a.typ == b.typ })
}

// wholeAggregate splits a parameter into integers as wide as its alignment
// allows.
func wholeAggregate(p *ssa.Param) []access {
	var parts []access
	for off := int64(0); off < p.Size; {
		t := ssa.I64
		for int64(t.Size()) > p.Align || off+int64(t.Size()) > p.Size {
			t--
		}
		parts = append(parts, access{off: off, typ: t})
		off += int64(t.Size())
	}
	return parts
}

// body copies the callee's blocks between b and rest and returns the results
// of its returns, in the order of rest's predecessors.
func (c *cloner) body(b, rest *ssa.Block) []*ssa.Value {
	f := c.in.caller
	blocks := zeros(&c.in.copies, c.callee.NumBlocks())
	for _, old := range c.callee.Blocks {
		blocks[old.ID] = newBlock(f, old.Kind)
		c.blocks = append(c.blocks, blocks[old.ID])
	}
	b.AddEdge(blocks[c.callee.Blocks[0].ID])
	// First all copies, then their arguments: a phi may have an argument that is
	// defined later.
	for _, old := range c.callee.Blocks {
		blocks[old.ID].Values = make([]*ssa.Value, 0, len(old.Values))
		for _, v := range old.Values {
			c.value(v, blocks[old.ID])
		}
	}
	var results []*ssa.Value
	for _, old := range c.callee.Blocks {
		block := blocks[old.ID]
		for _, v := range old.Values {
			if v.Op == ssa.OpParam {
				continue
			}
			copied := c.values[v.ID]
			copied.MakeArgs(len(v.Args))
			for i, a := range v.Args {
				copied.Args[i] = c.values[a.ID]
			}
		}
		block.Uniform, block.Unroll = old.Uniform, old.Unroll
		if old.Ctrl != nil {
			block.Ctrl = c.values[old.Ctrl.ID]
		}
		for _, s := range old.Succs {
			block.Succs = append(block.Succs, blocks[s.ID])
		}
		if old != c.callee.Blocks[0] {
			for _, p := range old.Preds {
				block.Preds = append(block.Preds, blocks[p.ID])
			}
		}
		if old.Kind == ssa.BlockRet {
			if block.Ctrl != nil {
				results = append(results, block.Ctrl)
			}
			block.Kind, block.Ctrl, block.Uniform = ssa.BlockJump, nil, false
			block.AddEdge(rest)
		}
	}
	return results
}

// position returns the position of the copy of v: its own, or, with CallSites, that
// of the call if v is not from the program's file.
func (c *cloner) position(v *ssa.Value) source.Pos {
	if c.in.sites != nil && c.pos.IsValid() && v.Pos.File != c.in.sites {
		return c.pos
	}
	return v.Pos
}

// value makes v's copy, without arguments, in block. The address of a copied
// aggregate has another space than in the callee, and so have the addresses
// derived from it. The copy has been written, so loads of it are not
// read-only.
func (c *cloner) value(v *ssa.Value, block *ssa.Block) {
	if v.Op == ssa.OpParam {
		c.values[v.ID] = c.args[v.Int]
		return
	}
	copied := c.in.caller.NewValue(v.Op, v.Type)
	copied.Int, copied.Float, copied.Sym, copied.Mem, copied.NoWrap, copied.Pos = v.Int, v.Float, v.Sym, v.Mem, v.NoWrap, c.position(v)
	c.values[v.ID] = copied
	if c.local && v.Type == ssa.PtrParam {
		copied.Type = ssa.PtrLocal
	}
	if p := v.Address(); c.local && p != nil && p.Type == ssa.PtrParam {
		copied.Mem.ReadOnly = false
	}
	if v.Op == ssa.OpAlloca {
		c.in.allocas = append(c.in.allocas, copied)
		return
	}
	copied.Block = block
	block.Values = append(block.Values, copied)
}
