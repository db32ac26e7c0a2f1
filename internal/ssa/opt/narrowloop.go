package opt

import (
	"slices"

	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Loop versioning for operands that fit in 32 bits.
// Source: gpucc, section 3.6: the bypass of 64-bit divisions whose operands fit
// in 32 bits, here with what is known of the next iteration.
//
// A bypassed division in a loop tests in each iteration whether its operands fit
// in 32 bits. In some loops the test stays true once it is: in Euclid's method the
// operands of an iteration are the divisor and the remainder of the one before.
// Such a loop gets a second version without the test and without the 64-bit
// division. Control leaves the first version for the second as soon as the test
// is true.
//
//	b1: v2, v3 = phis                    b1: v2, v3 = phis
//	    if trunc((v2|v3) >> 32) != 0         if trunc((v2|v3) >> 32) != 0
//	    then b3, else b2                     then b3, else m
//	b2: 32 bits; jump b4                 b3: 64 bits
//	b3: 64 bits                          b4: next v2 = v3, v3 = v2 % v3
//	b4: next v2 = v3, v3 = v2 % v3           b1 or m
//	    b1 or exit                       m:  if it came from b1 then c2, else exit
//	                                     c2: 32 bits, next v2 = v3, v3 = v2 % v3
//	                                         c2 or exit
//
// The threads of a warp reconverge in m before the second version begins.
// Without m each thread would enter it when its operands fit, and threads that
// enter it in different iterations would execute it one after the other.
//
// The operands must be phis of the loop's header or loop-invariant, and the value
// that each iteration leaves in the phis must be an operand or fit in 32 bits
// when the operands do: a zero extension, or a minimum, mask or shift of such
// values. In the second version a phi of zero-extended values is the zero
// extension of a phi of 32 bits.
//
// It does not version a loop for other tests, such as that of a bypassed quotient,
// whose divisor may be 0; a loop with an inner loop, with barriers or atomics,
// with more than one exit, or of more than maxVersioned operations; nor one loop
// for more than one branch.
func narrowLoops(f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	dom := analysis.Dominators(f)
	loops := analysis.FindLoops(f, dom)
	inner := make(map[*analysis.Loop]bool)
	for _, l := range loops.All {
		inner[l.Parent] = true
	}
	var found []*versioner
	for _, l := range loops.All {
		if inner[l] || !clonable(l.Blocks) {
			continue
		}
		for _, b := range l.Blocks {
			if s := newVersioner(loops, l, b); s != nil {
				found = append(found, s)
				break
			}
		}
	}
	if len(found) == 0 {
		return
	}
	var regions [][]*ssa.Block
	for _, s := range found {
		for _, b := range s.loop.Blocks {
			regions = append(regions, []*ssa.Block{b})
		}
		r.Applied(s.b.Ctrl.Pos, "loop has a second version for operands of its division that fit in 32 bits: once they fit, they always do")
	}
	slots := demote(f, regions)
	copies := make([][]*ssa.Block, len(found))
	for i, s := range found {
		copies[i] = s.split(f)
	}
	promoteOnly(f, slots)
	for i, s := range found {
		s.shorten(f, copies[i])
	}
	r.Count("loops", len(found))
}

const maxVersioned = 96

// A versioner is a loop with a branch on the size of its operands that, once it
// goes to its second successor, always does.
type versioner struct {
	loops    *analysis.Loops
	loop     *analysis.Loop
	b        *ssa.Block // it branches
	short    *ssa.Block // the second successor: the division in 32 bits
	operands []*ssa.Value
	join     *ssa.Block // where the exits of the first version reconverge, once it is split
}

// newVersioner returns the versioning of l for b's branch, or nil if there is none.
func newVersioner(loops *analysis.Loops, l *analysis.Loop, b *ssa.Block) *versioner {
	if b.Kind != ssa.BlockIf || b.Succs[0] == b.Succs[1] || !isSide(b.Succs[1], b) || !loops.Contains(l, b.Succs[1]) {
		return nil
	}
	s := &versioner{loops: loops, loop: l, b: b, short: b.Succs[1], operands: smallTest(b.Ctrl)}
	if s.operands == nil || !isSide(b.Succs[0], b) || len(s.short.Phis()) > 0 {
		return nil
	}
	for _, e := range l.Exits {
		if e != l.Exits[0] {
			return nil
		}
	}
	if len(l.Exits) == 0 {
		return nil
	}
	size := 0
	for _, c := range l.Blocks {
		if c != b.Succs[0] {
			size += work(c)
		}
	}
	if size > maxVersioned || !slices.ContainsFunc(s.operands, func(v *ssa.Value) bool { return loops.Contains(l, v.Block) }) {
		return nil
	}
	for _, v := range s.operands {
		if !loops.Contains(l, v.Block) {
			continue
		}
		if v.Op != ssa.OpPhi || v.Block != l.Header {
			return nil
		}
		for i, p := range l.Header.Preds {
			if loops.Contains(l, p) && !s.small(v.Args[i], maxSmallDepth) {
				return nil
			}
		}
	}
	return s
}

const maxSmallDepth = 4

// smallTest returns the two operands if c tests whether one of them does not fit
// in 32 bits, else nil.
func smallTest(c *ssa.Value) []*ssa.Value {
	if c.Op != ssa.OpNe || !isConst(c.Args[1], 0) || c.Args[0].Op != ssa.OpTrunc || c.Args[0].Type != ssa.I32 {
		return nil
	}
	shift := c.Args[0].Args[0]
	if shift.Op != ssa.OpLShr || shift.Type != ssa.I64 || !isConst(shift.Args[1], 32) || shift.Args[0].Op != ssa.OpOr {
		return nil
	}
	return shift.Args[0].Args
}

// small reports whether v is below 2^32 at the end of an iteration that divided in
// 32 bits, if the operands were below 2^32.
func (s *versioner) small(v *ssa.Value, depth int) bool {
	if slices.Contains(s.operands, v) {
		return true
	}
	if depth == 0 {
		return false
	}
	is := func(i int) bool { return s.small(v.Args[i], depth-1) }
	switch v.Op {
	case ssa.OpConst:
		return v.Int>>32 == 0
	case ssa.OpZExt:
		return true
	case ssa.OpAnd, ssa.OpUMin, ssa.OpMulHiU: // not above either operand
		return is(0) || is(1)
	case ssa.OpOr, ssa.OpXor, ssa.OpUMax:
		return is(0) && is(1)
	case ssa.OpLShr:
		return is(0)
	case ssa.OpSelect:
		return is(1) && is(2)
	case ssa.OpPhi:
		if v.Block == s.loop.Header {
			return false // not an operand: it holds what the last iteration left
		}
		for i, p := range v.Block.Preds {
			if p != s.b.Succs[0] && !is(i) { // the 64-bit division is not executed
				return false
			}
		}
		return true
	}
	return false
}

// split copies the loop, makes the copy the branch's second successor and removes
// the branch from the copy. It returns the blocks of the copy. The loop's values
// are in memory (demote).
func (s *versioner) split(f *ssa.Func) []*ssa.Block {
	c := newCopier(f)
	c.copyValues(s.loop.Blocks)
	var made []*ssa.Block
	for _, b := range s.loop.Blocks {
		nb := c.blocks[b]
		made = append(made, nb)
		// Edges into the loop have no copies.
		var kept []int
		for j, p := range b.Preds {
			if c.blocks[p] != nil {
				nb.Preds = append(nb.Preds, c.blocks[p])
				kept = append(kept, j)
			}
		}
		for _, phi := range nb.Phis() {
			args := make([]*ssa.Value, len(kept))
			for i, j := range kept {
				args[i] = phi.Args[j]
			}
			phi.Args = args
		}
		for i, to := range b.Succs {
			if in := c.blocks[to]; in != nil {
				nb.Succs = append(nb.Succs, in)
			} else {
				c.addEdgeLike(nb, b, i, to)
			}
		}
	}
	removeEdge(c.blocks[s.b], 0)
	s.reconverge(f, c.blocks[s.short])
	return made
}

// reconverge makes the block in which the edges out of the first version join: that
// of the branch, which goes on to begin, in the second version, and those to the
// loop's exit.
func (s *versioner) reconverge(f *ssa.Func, begin *ssa.Block) {
	exit := s.loop.Exits[0]
	s.join = f.NewBlock(ssa.BlockIf)
	flag := func(b *ssa.Block, n int64) *ssa.Value {
		c := b.Append(ssa.OpConst, ssa.I1)
		c.Int = n
		return c
	}
	s.b.Succs[1] = s.join
	s.short.Preds = nil
	s.join.Preds = []*ssa.Block{s.b}
	enter := s.join.Append(ssa.OpPhi, ssa.I1, flag(s.b, -1))
	values := make([]*ssa.Value, len(exit.Phis()))
	for i, phi := range exit.Phis() {
		none := s.b.Append(ssa.OpUndef, phi.Type)
		values[i] = s.join.Append(ssa.OpPhi, phi.Type, none)
	}
	for _, p := range s.loop.Blocks {
		for i, to := range p.Succs {
			if to != exit {
				continue
			}
			j := edgeIndex(p, i)
			enter.Args = append(enter.Args, flag(p, 0))
			for k, phi := range exit.Phis() {
				values[k].Args = append(values[k].Args, phi.Args[j])
			}
			removePred(exit, j)
			p.Succs[i] = s.join
			s.join.Preds = append(s.join.Preds, p)
		}
	}
	s.join.Ctrl = enter
	s.join.AddEdge(begin)
	s.join.AddEdge(exit)
	for k, phi := range exit.Phis() {
		phi.Args = append(phi.Args, values[k])
	}
}

// shorten makes the phis of the second version's blocks 32 bits wide if their
// arguments are zero-extended values, each other, and the operands on the edge
// from the join.
func (s *versioner) shorten(f *ssa.Func, blocks []*ssa.Block) {
	wide := make(map[*ssa.Value]*ssa.Value) // the phi of 32 bits for each
	for _, b := range blocks {
		for _, phi := range b.Phis() {
			if phi.Type == ssa.I64 {
				wide[phi] = f.NewValue(ssa.OpPhi, ssa.I32)
			}
		}
	}
	short := func(v *ssa.Value, p *ssa.Block) bool {
		return v.Op == ssa.OpZExt && v.Args[0].Type == ssa.I32 || wide[v] != nil || p == s.join && slices.Contains(s.operands, v)
	}
	for changed := true; changed; { // until only phis are left that depend on each other
		changed = false
		for _, b := range blocks {
			for _, phi := range b.Phis() {
				if wide[phi] == nil {
					continue
				}
				for i, a := range phi.Args {
					if !short(a, b.Preds[i]) {
						delete(wide, phi)
						changed = true
						break
					}
				}
			}
		}
	}
	subst := newSubst(f)
	for _, b := range blocks {
		var phis, widened []*ssa.Value
		for _, phi := range b.Phis() {
			w := wide[phi]
			if w == nil {
				phis = append(phis, phi)
				continue
			}
			for i, a := range phi.Args {
				switch {
				case wide[a] != nil:
					a = wide[a]
				case a.Op == ssa.OpZExt && a.Args[0].Type == ssa.I32:
					a = a.Args[0]
				default:
					a = b.Preds[i].Append(ssa.OpTrunc, ssa.I32, a)
				}
				w.Args = append(w.Args, a)
			}
			w.Block, w.Pos = b, phi.Pos
			phis = append(phis, w)
			z := f.NewValue(ssa.OpZExt, ssa.I64, w)
			z.Block, z.Pos = b, phi.Pos
			widened = append(widened, z)
			subst.replace(phi, z)
		}
		b.Values = slices.Concat(phis, widened, b.Values[len(b.Phis()):])
	}
	subst.apply(f)
}
