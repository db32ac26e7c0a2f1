package ssa

import (
	"math"
	"slices"

	"irgl/internal/source"
)

// Verify checks every invariant of m and of its functions, and reports all it
// finds broken as diagnostics at the positions of the values concerned. A
// module that fails is a fault of the stage that made it, not of the program.
func Verify(m *Module) error {
	c := &verifier{funcs: make(map[string]*Func), globals: make(map[string]*Global)}
	for _, g := range m.Globals {
		c.global(g)
	}
	for _, f := range m.Funcs {
		c.topName(f.Pos, f.Name)
		c.funcs[f.Name] = f
	}
	for _, g := range m.Globals {
		c.refs(g)
	}
	for _, f := range m.Funcs {
		c.fn(f)
	}
	return c.errs.Err()
}

type verifier struct {
	errs    source.List
	funcs   map[string]*Func
	globals map[string]*Global

	f       *Func
	defined []*Value // by number
	index   []int32  // position in its block, by value number
	blocks  []*Block // by number
	idom    []*Block // immediate dominators, by block number; nil if unreachable
	order   []int32  // position in reverse postorder, by block number

	// Memory that the functions share.
	incoming []*Block // the origins of all edges, by their ends
	first    []int32  // where those of a block begin, by number
	count    []int32  // by block number
	seen     []bool   // by block number
	stack    []visit
	post     []*Block
}

// zeros returns n zeros, in the memory of s if that suffices.
func zeros[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

func (c *verifier) errorf(pos source.Pos, code source.Code, format string, args ...any) {
	if c.f != nil {
		format, args = "@%s: "+format, append([]any{c.f.Name}, args...)
	}
	c.errs.Errorf(pos, source.Pos{}, code, format, args...)
}

func (c *verifier) topName(pos source.Pos, name string) {
	switch {
	case !isName(name):
		c.errorf(pos, CodeName, "%q is not a name", name)
	case c.funcs[name] != nil || c.globals[name] != nil:
		c.errorf(pos, CodeName, "@%s is declared twice", name)
	}
}

func (c *verifier) global(g *Global) {
	c.topName(g.Pos, g.Name)
	c.globals[g.Name] = g
	switch {
	case g.Space != PtrGlobal && g.Space != PtrShared && g.Space != PtrConst:
		c.errorf(g.Pos, CodeGlobal, "@%s: a variable cannot be in space %s", g.Name, g.Space)
	case g.Size < 0:
		c.errorf(g.Pos, CodeGlobal, "@%s: negative size", g.Name)
	case !isPowerOfTwo(g.Align):
		c.errorf(g.Pos, CodeGlobal, "@%s: alignment %d is not a power of two", g.Name, g.Align)
	case int64(len(g.Init)) > g.Size:
		c.errorf(g.Pos, CodeGlobal, "@%s: %d bytes for a variable of %d", g.Name, len(g.Init), g.Size)
	case g.Space == PtrShared && len(g.Refs) > 0:
		c.errorf(g.Pos, CodeGlobal, "@%s: shared memory has no initial value", g.Name)
	}
	end := int64(0)
	for _, r := range g.Refs {
		if r.Offset < end || r.Offset%8 != 0 || r.Offset+8 > g.Size || g.Align < 8 || !zeroAt(g.Init, r.Offset) {
			c.errorf(g.Pos, CodeGlobal, "@%s: no address can be at offset %d", g.Name, r.Offset)
		}
		end = r.Offset + 8
	}
}

// zeroAt reports whether the 8 bytes at an offset of an initial value are zero.
func zeroAt(init []byte, offset int64) bool {
	for i := offset; i < min(offset+8, int64(len(init))); i++ {
		if i >= 0 && init[i] != 0 {
			return false
		}
	}
	return true
}

// refs checks that the addresses in initial values are of what has one: functions, and
// variables that are not of a block.
func (c *verifier) refs(g *Global) {
	for _, r := range g.Refs {
		f, v := c.funcs[r.Name], c.globals[r.Name]
		switch {
		case f == nil && v == nil:
			c.errorf(g.Pos, CodeReference, "@%s: there is no @%s", g.Name, r.Name)
		case f != nil && (f.Kernel || r.Add != 0), v != nil && v.Space == PtrShared:
			c.errorf(g.Pos, CodeReference, "@%s: an initial value cannot have the address of @%s", g.Name, r.Name)
		}
	}
}

func isPowerOfTwo(n int64) bool { return n > 0 && n&(n-1) == 0 }

func (c *verifier) fn(f *Func) {
	c.f = f
	defer func() { c.f = nil }()
	if f.Kernel && f.Result != Void {
		c.errorf(f.Pos, CodeFunc, "a kernel returns nothing")
	}
	if f.MaxThreads < 0 || f.MinBlocks < 0 {
		c.errorf(f.Pos, CodeFunc, "negative launch bounds")
	}
	if n := f.Cluster; n != [3]int{} && (!f.Kernel || min(n[0], n[1], n[2]) < 1) {
		c.errorf(f.Pos, CodeFunc, "clusters of %d x %d x %d blocks", n[0], n[1], n[2])
	}
	for i, p := range f.Params {
		c.param(i, p)
	}
	if len(f.Blocks) == 0 {
		return
	}
	before := len(c.errs.Diags)
	c.structure()
	if len(c.errs.Diags) > before {
		return // what follows walks along the edges and arguments
	}
	c.dominators()
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			c.value(v)
			c.dominance(v)
		}
		c.control(b)
	}
}

func (c *verifier) param(i int, p *Param) {
	switch {
	case p.Name != "" && !isName(p.Name):
		c.errorf(c.f.Pos, CodeName, "%q is not a name", p.Name)
	case p.Type == Void || p.Type >= numTypes:
		c.errorf(c.f.Pos, CodeParam, "parameter %d has no type", i)
	case p.Type != PtrParam && p.Size != int64(p.Type.Size()):
		c.errorf(c.f.Pos, CodeParam, "parameter %d of type %s has size %d", i, p.Type, p.Size)
	case p.Restrict && !p.Type.IsPtr():
		c.errorf(c.f.Pos, CodeParam, "parameter %d is restrict and of type %s", i, p.Type)
	case p.Size < 0:
		c.errorf(c.f.Pos, CodeParam, "parameter %d has a negative size", i)
	case !isPowerOfTwo(p.Align):
		c.errorf(c.f.Pos, CodeParam, "alignment %d of parameter %d is not a power of two", p.Align, i)
	}
}

// structure checks numbers, edges, terminators and phis: all that the other
// checks rely on.
func (c *verifier) structure() {
	f := c.f
	c.blocks = zeros(c.blocks, f.NumBlocks())
	c.defined = zeros(c.defined, f.NumValues())
	c.index = zeros(c.index, f.NumValues())
	for _, b := range f.Blocks {
		if b.Func != f || b.ID < 0 || b.ID >= len(c.blocks) || c.blocks[b.ID] != nil {
			c.errorf(f.Pos, CodeBlock, "%s is not in its function once", b)
			return
		}
		c.blocks[b.ID] = b
		for i, v := range b.Values {
			if v.Block != b || v.ID < 0 || v.ID >= len(c.defined) || c.defined[v.ID] != nil {
				c.errorf(v.Pos, CodeValue, "%s is not in its block %s once", v, b)
				return
			}
			if v.Op == OpInvalid || v.Op >= numOps {
				c.errorf(v.Pos, CodeValue, "%s has no operation", v)
				return
			}
			c.defined[v.ID] = v
			c.index[v.ID] = int32(i)
		}
	}
	if len(f.Blocks[0].Preds) != 0 {
		c.errorf(f.Pos, CodeEntry, "the entry %s has predecessors", f.Blocks[0])
	}
	c.edges()
	for _, b := range f.Blocks {
		if b.Unroll < Unrolled {
			c.errorf(c.blockPos(b), CodeBlock, "%s is to be unrolled %d times", b, b.Unroll)
		}
		c.terminator(b)
		c.phis(b)
		for _, v := range b.Values {
			for i, a := range v.Args {
				if !c.known(a) {
					c.errorf(v.Pos, CodeValue, "argument %d of %s is %s, which is not in the function", i, v, a)
				}
			}
		}
	}
}

func (c *verifier) known(v *Value) bool {
	return v != nil && v.ID >= 0 && v.ID < len(c.defined) && c.defined[v.ID] == v
}

// blockPos is a position for errors about b as a whole.
func (c *verifier) blockPos(b *Block) source.Pos {
	if len(b.Values) > 0 {
		return b.Values[len(b.Values)-1].Pos
	}
	return c.f.Pos
}

func (c *verifier) terminator(b *Block) {
	succs, ctrl := 0, false
	switch b.Kind {
	case BlockJump:
		succs = 1
	case BlockIf:
		succs, ctrl = 2, true
	case BlockRet:
		ctrl = c.f.Result != Void
	case BlockTrap:
	default:
		c.errorf(c.blockPos(b), CodeTerminator, "%s has no kind", b)
		return
	}
	switch {
	case len(b.Succs) != succs:
		c.errorf(c.blockPos(b), CodeTerminator, "%s has %d successors, not %d", b, len(b.Succs), succs)
	case ctrl != (b.Ctrl != nil):
		c.errorf(c.blockPos(b), CodeTerminator, "control of %s is %s", b, b.Ctrl)
	case ctrl && !c.known(b.Ctrl):
		c.errorf(c.blockPos(b), CodeTerminator, "control of %s is %s, which is not in the function", b, b.Ctrl)
	}
}

// edges checks that each edge is known at its other end as many times. It
// counts with one array, so a block with many predecessors costs no more.
func (c *verifier) edges() {
	c.first = zeros(c.first, len(c.blocks)+1)
	for _, b := range c.f.Blocks {
		for _, s := range b.Succs {
			if s == nil || s.ID < 0 || s.ID >= len(c.blocks) || c.blocks[s.ID] != s {
				c.errorf(c.blockPos(b), CodeEdge, "a successor of %s is not in the function", b)
				return
			}
			c.first[s.ID+1]++
		}
	}
	for i := range c.blocks {
		c.first[i+1] += c.first[i]
	}
	c.incoming = zeros(c.incoming, int(c.first[len(c.blocks)]))
	c.count = append(c.count[:0], c.first...)
	for _, b := range c.f.Blocks {
		for _, s := range b.Succs {
			c.incoming[c.count[s.ID]] = b
			c.count[s.ID]++
		}
	}
	c.count = zeros(c.count, len(c.blocks))
	for _, b := range c.f.Blocks {
		incoming := c.incoming[c.first[b.ID]:c.first[b.ID+1]]
		for _, p := range b.Preds {
			if p == nil || p.ID < 0 || p.ID >= len(c.blocks) || c.blocks[p.ID] != p {
				c.errorf(c.blockPos(b), CodeEdge, "a predecessor of %s is not in the function", b)
				return
			}
			c.count[p.ID]--
		}
		for _, p := range incoming {
			c.count[p.ID]++
		}
		for _, list := range [][]*Block{b.Preds, incoming} {
			for _, p := range list {
				if c.count[p.ID] != 0 {
					c.errorf(c.blockPos(b), CodeEdge, "the edge from %s to %s is not known at both ends", p, b)
				}
				c.count[p.ID] = 0
			}
		}
	}
}

func (c *verifier) phis(b *Block) {
	n := len(b.Phis())
	for i, v := range b.Values {
		switch {
		case v.Op != OpPhi:
		case i >= n:
			c.errorf(v.Pos, CodePhi, "%s does not come first in %s", v, b)
		case len(v.Args) != len(b.Preds):
			c.errorf(v.Pos, CodePhi, "%s has %d arguments for %d predecessors", v, len(v.Args), len(b.Preds))
		}
	}
}

// control checks the type and place of a block's control value.
func (c *verifier) control(b *Block) {
	if b.Ctrl == nil {
		return
	}
	want := I1
	if b.Kind == BlockRet {
		want = c.f.Result
	}
	if b.Ctrl.Type != want {
		c.errorf(c.blockPos(b), CodeType, "control of %s is %s of type %s, not %s", b, b.Ctrl, b.Ctrl.Type, want)
	}
	if c.reachable(b) && !c.dominates(b.Ctrl.Block, b) {
		c.errorf(c.blockPos(b), CodeDominance, "%s does not dominate its use at the end of %s", b.Ctrl, b)
	}
}

// dominance checks that the definitions of v's arguments come before v on all
// paths. Code that cannot be reached has no paths and may use anything.
func (c *verifier) dominance(v *Value) {
	if !c.reachable(v.Block) {
		return
	}
	for i, a := range v.Args {
		ok := false
		switch {
		case v.Op == OpPhi:
			pred := v.Block.Preds[i]
			ok = !c.reachable(pred) || c.dominates(a.Block, pred)
		case a.Block == v.Block:
			ok = c.index[a.ID] < c.index[v.ID]
		default:
			ok = c.dominates(a.Block, v.Block)
		}
		if !ok {
			c.errorf(v.Pos, CodeDominance, "%s does not dominate its use by %s", a, v)
		}
	}
}

func (c *verifier) reachable(b *Block) bool { return c.idom[b.ID] != nil }

// dominates climbs the tree from b; the entry is its own parent.
func (c *verifier) dominates(a, b *Block) bool {
	if !c.reachable(a) {
		return false
	}
	for c.order[b.ID] > c.order[a.ID] {
		b = c.idom[b.ID]
	}
	return a == b
}

// dominators finds immediate dominators by iteration to a fixed point. It is
// apart from ssa/analysis, which Verify is to guard, and as simple as can be.
func (c *verifier) dominators() {
	f := c.f
	c.idom = zeros(c.idom, f.NumBlocks())
	c.order = zeros(c.order, f.NumBlocks())
	rpo := c.reversePostorder()
	for i, b := range rpo {
		c.order[b.ID] = int32(i)
	}
	c.idom[rpo[0].ID] = rpo[0]
	for changed := true; changed; {
		changed = false
		for _, b := range rpo[1:] {
			var d *Block
			for _, p := range b.Preds {
				switch {
				case c.idom[p.ID] == nil:
				case d == nil:
					d = p
				default:
					for d != p {
						if c.order[d.ID] > c.order[p.ID] {
							d = c.idom[d.ID]
						} else {
							p = c.idom[p.ID]
						}
					}
				}
			}
			if c.idom[b.ID] != d {
				c.idom[b.ID] = d
				changed = true
			}
		}
	}
}

// A visit is a block of which some successors have been visited.
type visit struct {
	b    *Block
	next int
}

func (c *verifier) reversePostorder() []*Block {
	c.seen = zeros(c.seen, c.f.NumBlocks())
	post, stack := c.post[:0], append(c.stack[:0], visit{c.f.Blocks[0], 0})
	c.seen[c.f.Blocks[0].ID] = true
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == len(top.b.Succs) {
			post = append(post, top.b)
			stack = stack[:len(stack)-1]
			continue
		}
		s := top.b.Succs[top.next]
		top.next++
		if !c.seen[s.ID] {
			c.seen[s.ID] = true
			stack = append(stack, visit{s, 0})
		}
	}
	c.post, c.stack = post, stack
	slices.Reverse(post)
	return post
}

// exactIn reports whether x is a value of the float type t.
func exactIn(t Type, x float64) bool {
	return t == F64 || math.IsNaN(x) || float64(float32(x)) == x
}
