package opt

import (
	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// If-conversion, and the cost model of speculation.
// Source: NVIDIA, section 3.2.1 (divergent branches are to be as short as
// possible); gpucc, section 3.5 (predication).
//
// A branch that only chooses between values costs a jump and perhaps divergence, and
// splits a block for passes that work block by block. If its sides consist of a few
// cheap operations without effects, these are executed speculatively before the
// branch, and the phis of the join become selects.
//
//	if v1, b1, b2              v3 = add i32 v0, v2
//	b1: v3 = add i32 v0, v2    v4 = select i32 v1, v3, v0
//	    jump b2
//	b2: v4 = phi i32 v0, v3
//
// Triangles (if-then) and diamonds (if-then-else) are converted. The operations of
// both sides together may cost maxSideCost, and there may be maxSelects phis: beyond
// that, speculation costs more than the jump. Inner branches are visited first, so
// that nested conditions are converted from the inside.
//
// Two nested branches with a common successor become one branch on the disjunction
// of their conditions; the operations between them are executed speculatively, under
// the same limit in a loop and maxGuardCost outside.
//
//	if v1, b9, b2                      v4 = or i1 v1, v3
//	b2: v3 = slt i1 v0, v2             if v4, b9, b3
//	    if v3, b9, b3
//
// Selects of selects with an argument in common become one, on both conditions or on
// either (ifconvert_select.go).
//
// What it will not do: speculate a load, which may fault; a division, a square
// root or the like, which are long; anything with effects, or a warp operation;
// convert a branch that is a loop's back edge.
func ifConvert(f *ssa.Func, r *pass.Run) {
	s := newSubst(f)
	removeUnreachable(f)
	loops := analysis.FindLoops(f, analysis.Dominators(f))
	converted, joined := 0, 0
	for i := len(f.Blocks) - 1; i >= 0; i-- {
		most := maxSideCost
		if loops.Of(f.Blocks[i]) == nil {
			most = maxGuardCost
		}
		for {
			if convertIf(f, f.Blocks[i], s, r) {
				converted++
			} else if joinBranches(f.Blocks[i], s, most) {
				joined++
			} else {
				break
			}
		}
	}
	s.apply(f)
	removeUnreachable(f)
	r.Count("branches", converted)
	r.Count("joined", joined)
	r.Count("selects", joinSelects(f))
}

const (
	maxSideCost = 6
	maxSelects  = 3
	// maxGuardCost is the budget for two branches outside of loops: a guard at
	// the entry is seldom taken, and each branch removed is one that the loads
	// after it need not wait for.
	maxGuardCost = 12
	// maxJoined bounds the block that is appended when its branch is removed: a
	// long block is not a side of another branch, and a chain of branches would
	// move everything that follows again and again. simplifycfg merges these
	// blocks.
	maxJoined = 64
)

// sideCost is the cost of executing v speculatively; -1 if that is not
// allowed.
func sideCost(v *ssa.Value) int {
	switch v.Op {
	case ssa.OpConst, ssa.OpFConst, ssa.OpUndef, ssa.OpParam, ssa.OpGlobalAddr, ssa.OpFuncAddr,
		ssa.OpBitcast, ssa.OpPtrToInt, ssa.OpIntToPtr, ssa.OpTrunc:
		return 0
	case ssa.OpSDiv, ssa.OpUDiv, ssa.OpSRem, ssa.OpURem, ssa.OpFDiv, ssa.OpFSqrt, ssa.OpFRsqrt,
		ssa.OpFEx2, ssa.OpFLg2, ssa.OpFSin, ssa.OpFCos:
		return -1
	case ssa.OpMul, ssa.OpMulHiS, ssa.OpMulHiU:
		if v.Type == ssa.I64 {
			return 4
		}
	case ssa.OpSpecial:
		if !v.Mergeable() {
			return -1
		}
	}
	if !v.Op.Pure() || v.Op == ssa.OpAlloca || v.Op.IsAsm() {
		return -1
	}
	if v.Type == ssa.I64 || v.Type == ssa.F64 {
		return 2
	}
	return 1
}

// convertIf replaces b's branch when its sides allow it.
func convertIf(f *ssa.Func, b *ssa.Block, s *subst, r *pass.Run) bool {
	if b.Kind != ssa.BlockIf || b.Succs[0] == b.Succs[1] {
		return false
	}
	// Where the sides join; an empty side is the join block itself.
	var sides [2]*ssa.Block
	meet := b.Succs[0]
	switch t, e := b.Succs[0], b.Succs[1]; {
	case isSide(t, b) && isSide(e, b) && t.Succs[0] == e.Succs[0]:
		sides, meet = [2]*ssa.Block{t, e}, t.Succs[0]
	case isSide(t, b) && t.Succs[0] == e:
		sides, meet = [2]*ssa.Block{t, nil}, e
	case isSide(e, b) && e.Succs[0] == t:
		sides = [2]*ssa.Block{nil, e}
	default:
		return false
	}
	cost := 0
	for _, side := range sides {
		if side == nil {
			continue
		}
		for _, v := range side.Values {
			c := sideCost(v)
			if c < 0 {
				r.Missed(b.Ctrl.Pos, "branch stays: %s in it may not run early", v.Op)
				return false
			}
			cost += c
		}
	}
	// A phi with two equal arguments needs no select.
	var place [2]int
	for i, side := range sides {
		from := side
		if side == nil {
			from = b
		}
		place[i] = meet.PredIndex(from)
	}
	selects := 0
	for _, phi := range meet.Phis() {
		if s.find(phi.Args[place[0]]) != s.find(phi.Args[place[1]]) {
			selects++
		}
	}
	if cost > maxSideCost || selects > maxSelects || meet == b {
		if meet != b {
			r.Missed(b.Ctrl.Pos, "branch stays: its sides cost %d and choose %d values; the limits are %d and %d", cost, selects, maxSideCost, maxSelects)
		}
		return false
	}
	r.Applied(b.Ctrl.Pos, "branch is converted: both sides are executed before selects: %d", selects)
	choose(f, b, sides, meet, place, s)
	return true
}

// isSide reports whether b is the only predecessor of side, and side has one
// successor.
func isSide(side, b *ssa.Block) bool {
	return side.Kind == ssa.BlockJump && len(side.Preds) == 1 && side.Preds[0] == b && side.Succs[0] != side
}

// choose moves the sides' values to b, inserts the selects, and ends b with a jump.
func choose(f *ssa.Func, b *ssa.Block, sides [2]*ssa.Block, meet *ssa.Block, place [2]int, s *subst) {
	for _, side := range sides {
		if side == nil {
			continue
		}
		for _, v := range side.Values {
			v.Block = b
		}
		b.Values = append(b.Values, side.Values...)
		side.Values = nil
	}
	for _, phi := range meet.Phis() {
		x, y := s.find(phi.Args[place[0]]), s.find(phi.Args[place[1]])
		if x != y {
			v := b.Append(ssa.OpSelect, phi.Type, s.find(b.Ctrl), x, y)
			v.Pos = phi.Pos
			x = v
		}
		phi.Args[place[0]] = x
	}
	// One edge from b replaces the two edges.
	first, second := place[0], place[1]
	meet.Preds[first] = b
	removePred(meet, second)
	for _, side := range sides {
		if side != nil { // disconnected; removed as unreachable
			side.Preds, side.Succs = []*ssa.Block{side}, []*ssa.Block{side}
		}
	}
	b.Kind, b.Ctrl, b.Uniform, b.Succs = ssa.BlockJump, nil, false, []*ssa.Block{meet}
	if len(meet.Preds) == 1 && len(meet.Values) <= maxJoined {
		for _, phi := range meet.Phis() {
			s.replace(phi, phi.Args[0])
		}
		joined := meet.Values[len(meet.Phis()):]
		for _, v := range joined {
			v.Block = b
		}
		b.Values = append(b.Values, joined...)
		b.Kind, b.Ctrl, b.Uniform, b.Succs = meet.Kind, meet.Ctrl, meet.Uniform, meet.Succs
		for _, next := range b.Succs {
			for j, p := range next.Preds {
				if p == meet {
					next.Preds[j] = b
				}
			}
		}
		meet.Values, meet.Preds, meet.Succs = nil, []*ssa.Block{meet}, []*ssa.Block{meet}
		meet.Kind, meet.Ctrl = ssa.BlockJump, nil
	}
}

// joinBranches merges b's branch with that of the next block, when both have a
// common successor with the same phi arguments, and the operations of the next
// block cost at most most.
func joinBranches(b *ssa.Block, s *subst, most int) bool {
	if b.Kind != ssa.BlockIf || b.Succs[0] == b.Succs[1] {
		return false
	}
	for i, next := range b.Succs {
		shared := b.Succs[1-i]
		if next.Kind != ssa.BlockIf || len(next.Preds) != 1 || next == b || shared == b || next.Succs[0] == next.Succs[1] {
			continue
		}
		for k, to := range next.Succs {
			if to == shared && next.Succs[1-k] != b && joinable(b, next, shared, s, most) {
				join(b, i, next, k, s)
				return true
			}
		}
	}
	return false
}

// joinable reports whether next's values may be speculated in b, and whether
// the phis of shared have the same arguments on both edges.
func joinable(b, next, shared *ssa.Block, s *subst, most int) bool {
	cost := 1
	for _, v := range next.Values {
		c := sideCost(v)
		if c < 0 {
			return false
		}
		cost += c
	}
	first, second := shared.PredIndex(b), shared.PredIndex(next)
	for _, phi := range shared.Phis() {
		if s.find(phi.Args[first]) != s.find(phi.Args[second]) {
			return false
		}
	}
	return cost <= most
}

// join merges next, b's i-th successor, into b. Its k-th successor is also b's
// other successor.
func join(b *ssa.Block, i int, next *ssa.Block, k int, s *subst) {
	shared, other := next.Succs[k], next.Succs[1-k]
	for _, v := range next.Values {
		v.Block = b
	}
	b.Values = append(b.Values, next.Values...)
	// Each condition, negated where needed so that true leads to the shared block.
	toShared := func(c *ssa.Value, negate bool) *ssa.Value {
		c = s.find(c)
		if negate {
			not := b.Append(ssa.OpNot, ssa.I1, c)
			not.Pos = c.Pos
			return not
		}
		return c
	}
	x := toShared(b.Ctrl, i == 0)
	y := toShared(next.Ctrl, k == 1)
	b.Ctrl = b.Append(ssa.OpOr, ssa.I1, x, y)
	b.Ctrl.Pos = x.Pos
	removePred(shared, shared.PredIndex(next))
	for j, p := range other.Preds {
		if p == next {
			other.Preds[j] = b
		}
	}
	b.Succs[0], b.Succs[1] = shared, other
	b.Uniform = false
	next.Values, next.Kind, next.Ctrl = nil, ssa.BlockJump, nil
	next.Preds, next.Succs = []*ssa.Block{next}, []*ssa.Block{next} // disconnected
}
