package opt

import (
	"slices"

	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Loops whose numbers have become small.
// Source: gpucc, section 3.6: the bypass for numbers that fit in 32 bits, here
// with what is known of the next round.
//
// A bypassed division in a loop asks in each round whether its operands fit in
// 32 bits. In some loops they do for good once they do: in Euclid's method the
// operands of a round are the divisor and the remainder of the last. Such a loop
// gets a copy, without the question and without the long way, in which a round
// goes on as soon as it would go the short way. That leaves the first loop.
//
//	b1: v2, v3 = phis                    b1: v2, v3 = phis
//	    if trunc((v2|v3) >> 32) != 0         if trunc((v2|v3) >> 32) != 0
//	    then b3, else b2                     then b3, else m
//	b2: short; jump b4                   b3: long
//	b3: long                             b4: next v2 = v3, v3 = v2 % v3
//	b4: next v2 = v3, v3 = v2 % v3           b1 or m
//	    b1 or exit                       m:  if it came from b1 then c2, else exit
//	                                     c2: short, next v2 = v3, v3 = v2 % v3
//	                                         c2 or exit
//
// All threads of a warp meet in m before the copy begins. Without it each would
// begin when its numbers have become small, and those that began in different
// rounds would run the copy one after the other.
//
// The operands must be phis of the loop's header or come from outside of it, and
// what each round leaves in the phis must be an operand itself or fit in 32
// bits, if the operands did and the short way was taken: a number widened from
// 32 bits or fewer, or what minima, masks and shifts make of such. In the copy a
// phi of widened numbers is the widening of a phi of 32 bits.
//
// What it will not do: ask for more than the size of the operands, as the bypass
// of a quotient does, whose divisor may be 0; copy a loop with another loop in
// it, with barriers or atomics, with more than one exit, or of more than
// maxSettled operations; settle more than one branch of a loop.
func settle(f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	dom := analysis.Dominators(f)
	loops := analysis.FindLoops(f, dom)
	inner := make(map[*analysis.Loop]bool)
	for _, l := range loops.All {
		inner[l.Parent] = true
	}
	var found []*settler
	for _, l := range loops.All {
		if inner[l] || !clonable(l.Blocks) {
			continue
		}
		for _, b := range l.Blocks {
			if s := newSettler(loops, l, b); s != nil {
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
		r.Applied(s.b.Ctrl.Pos, "loop has a copy for when the operands of its division fit in 32 bits: they do from then on")
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

const maxSettled = 96

// A settler is a loop with a branch that, once it was taken to its second side,
// always is.
type settler struct {
	loops    *analysis.Loops
	loop     *analysis.Loop
	b        *ssa.Block // it branches
	short    *ssa.Block // the second side
	operands []*ssa.Value
	meet     *ssa.Block // where the ways out of the loop meet, once it is split
}

// newSettler returns how b's branch settles l, or nil.
func newSettler(loops *analysis.Loops, l *analysis.Loop, b *ssa.Block) *settler {
	if b.Kind != ssa.BlockIf || b.Succs[0] == b.Succs[1] || !isSide(b.Succs[1], b) || !loops.Contains(l, b.Succs[1]) {
		return nil
	}
	s := &settler{loops: loops, loop: l, b: b, short: b.Succs[1], operands: smallTest(b.Ctrl)}
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
	if size > maxSettled || !slices.ContainsFunc(s.operands, func(v *ssa.Value) bool { return loops.Contains(l, v.Block) }) {
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

// smallTest returns the two numbers of which c asks whether one does not fit in
// 32 bits, or nil.
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

// small reports whether v, at the end of a round that went the short way with
// operands below 2^32, is below 2^32.
func (s *settler) small(v *ssa.Value, depth int) bool {
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
	case ssa.OpAnd, ssa.OpUMin, ssa.OpMulHiU: // none is above either
		return is(0) || is(1)
	case ssa.OpOr, ssa.OpXor, ssa.OpUMax:
		return is(0) && is(1)
	case ssa.OpLShr:
		return is(0)
	case ssa.OpSelect:
		return is(1) && is(2)
	case ssa.OpPhi:
		if v.Block == s.loop.Header {
			return false // one that is no operand holds what the last round left
		}
		for i, p := range v.Block.Preds {
			if p != s.b.Succs[0] && !is(i) { // the long way is not gone
				return false
			}
		}
		return true
	}
	return false
}

// split copies the loop, leads the branch's second side into the copy and takes
// the branch out of that. It returns the blocks of the copy. The loop's values are in
// memory (demote).
func (s *settler) split(f *ssa.Func) []*ssa.Block {
	c := newCopier(f)
	c.copyValues(s.loop.Blocks)
	var made []*ssa.Block
	for _, b := range s.loop.Blocks {
		nb := c.blocks[b]
		made = append(made, nb)
		// Ways into the loop have no copies.
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
	s.join(f, c.blocks[s.short])
	return made
}

// join makes the block in which the ways out of the loop meet: the branch,
// which then goes on to begin, in the copy, and those to the loop's exit.
func (s *settler) join(f *ssa.Func, begin *ssa.Block) {
	exit := s.loop.Exits[0]
	s.meet = f.NewBlock(ssa.BlockIf)
	flag := func(b *ssa.Block, n int64) *ssa.Value {
		c := b.Append(ssa.OpConst, ssa.I1)
		c.Int = n
		return c
	}
	s.b.Succs[1] = s.meet
	s.short.Preds = nil
	s.meet.Preds = []*ssa.Block{s.b}
	settled := s.meet.Append(ssa.OpPhi, ssa.I1, flag(s.b, -1))
	values := make([]*ssa.Value, len(exit.Phis()))
	for i, phi := range exit.Phis() {
		none := s.b.Append(ssa.OpUndef, phi.Type)
		values[i] = s.meet.Append(ssa.OpPhi, phi.Type, none)
	}
	for _, p := range s.loop.Blocks {
		for i, to := range p.Succs {
			if to != exit {
				continue
			}
			j := edgeIndex(p, i)
			settled.Args = append(settled.Args, flag(p, 0))
			for k, phi := range exit.Phis() {
				values[k].Args = append(values[k].Args, phi.Args[j])
			}
			removePred(exit, j)
			p.Succs[i] = s.meet
			s.meet.Preds = append(s.meet.Preds, p)
		}
	}
	s.meet.Ctrl = settled
	s.meet.AddEdge(begin)
	s.meet.AddEdge(exit)
	for k, phi := range exit.Phis() {
		phi.Args = append(phi.Args, values[k])
	}
}

// shorten makes phis of the blocks, those of the copy, 32 bits wide if they hold
// nothing but widened numbers and, from where the ways meet, the operands.
func (s *settler) shorten(f *ssa.Func, blocks []*ssa.Block) {
	wide := make(map[*ssa.Value]*ssa.Value) // to the phi of 32 bits
	for _, b := range blocks {
		for _, phi := range b.Phis() {
			if phi.Type == ssa.I64 {
				wide[phi] = f.NewValue(ssa.OpPhi, ssa.I32)
			}
		}
	}
	short := func(v *ssa.Value, p *ssa.Block) bool {
		return v.Op == ssa.OpZExt && v.Args[0].Type == ssa.I32 || wide[v] != nil || p == s.meet && slices.Contains(s.operands, v)
	}
	for changed := true; changed; { // until those that are left need each other only
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
