package opt

import (
	"slices"

	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// This file decides which recurrences a loop gets. The unit is an instruction of the
// machine that every iteration executes, times perIteration.

const (
	perIteration = 8
	// assemblerCopies is by how much the assembler unrolls short loops.
	assemblerCopies = 4
)

// A loopCount counts the instructions of a loop that recurrences save.
type loopCount struct {
	s *loopReducer
	// By value number: the number of the evaluation in which the value lost a use, and then
	// the uses that it has left; the evaluation in which it was removed.
	touched, left, gone []int32
	evaluation          int32
}

func newLoopCount(s *loopReducer) *loopCount {
	n := s.f.NumValues()
	return &loopCount{s: s, touched: ssa.Make[int32](s.f, n), left: ssa.Make[int32](s.f, n), gone: ssa.Make[int32](s.f, n)}
}

// begin begins a loop. The values that others have got are in their preheaders.
func (c *loopCount) begin() {
	if n := c.s.f.NumValues(); n > len(c.gone) {
		c.touched, c.left, c.gone = grown(c.touched, n), grown(c.left, n), grown(c.gone, n)
	}
}

// grown returns list with at least n elements.
func grown(list []int32, n int) []int32 {
	return append(list, make([]int32, n+n/2-len(list))...)
}

// choose returns the recurrences that save instructions. It starts with all, since they
// share operands, which are saved only if none needs them, and drops the least useful.
func (c *loopCount) choose(list []*recurrence) []*recurrence {
	list = slices.Clone(list)
	for len(list) > 0 {
		gain := c.gain(list, nil)
		drop, best := -1, gain
		for i, r := range list {
			if without := c.gain(list, r); without >= best { // of equal gains, the one with fewer registers
				drop, best = i, without
			}
		}
		if drop < 0 {
			if gain <= 0 {
				return nil
			}
			return list
		}
		list = slices.Delete(list, drop, drop+1)
	}
	return nil
}

// fit drops recurrences, the least useful first, until the others fit the registers.
func (c *loopCount) fit(list []*recurrence, registers *analysis.Registers) []*recurrence {
	for len(list) > 0 {
		need := int32(0)
		for _, r := range list {
			need += c.registers(r)
		}
		if need <= registers.Room(c.s.l.Blocks...) {
			registers.Add(need, c.s.l.Blocks...)
			return list
		}
		drop, best := 0, -1<<30
		for i, r := range list {
			if without := c.gain(list, r); without > best {
				drop, best = i, without
			}
		}
		if list = c.choose(slices.Delete(list, drop, drop+1)); len(list) == 0 {
			return nil
		}
	}
	return nil
}

// registers returns the registers that r takes: those of the phi and the stride. In a short
// loop an address is live over its accesses anyway, and a constant stride is an operand.
func (c *loopCount) registers(r *recurrence) int32 {
	v := r.roots[0].v
	n := analysis.RegistersOf(v.Type)
	switch {
	case !c.s.short || !v.Type.IsPtr() || !c.s.constantStride(c.s.form(v)):
		return 2 * n
	case c.s.uses.count(v) > 1:
		return 0
	}
	return n
}

// gain returns what the recurrences of list but the one to leave out save.
func (c *loopCount) gain(list []*recurrence, without *recurrence) int {
	c.evaluation++
	gain := 0
	for _, r := range list {
		if r == without {
			continue
		}
		gain -= c.costOf(r)
		for _, x := range r.roots {
			gain += c.remove(x.v)
			if x.away != 0 && !x.v.Type.IsPtr() {
				gain -= c.frequency(x.v.Block) * costOfSum(x.v.Type)
			}
		}
	}
	return gain
}

// costOf returns the cost of the additions of r: an address in a short loop is added to once
// for all copies that the assembler makes of its body.
func (c *loopCount) costOf(r *recurrence) int {
	v := r.roots[0].v
	n := perIteration * costOfSum(v.Type)
	if c.s.short && v.Type.IsPtr() {
		return n / assemblerCopies
	}
	return n
}

func costOfSum(t ssa.Type) int {
	if t == ssa.I32 {
		return 1
	}
	return 2
}

// removed reports whether the last evaluation removed v.
func (c *loopCount) removed(v *ssa.Value) bool {
	return v.ID < len(c.gone) && c.gone[v.ID] == c.evaluation
}

// remove returns what is saved when v is removed, with what then has no use.
func (c *loopCount) remove(v *ssa.Value) int {
	if c.gone[v.ID] == c.evaluation {
		return 0
	}
	c.gone[v.ID] = c.evaluation
	saved := c.frequency(v.Block) * c.cost(v)
	for _, a := range v.Args {
		if !c.s.inside(a) || a.Op == ssa.OpPhi || !a.Mergeable() {
			continue
		}
		if c.touched[a.ID] != c.evaluation {
			c.touched[a.ID], c.left[a.ID] = c.evaluation, int32(c.s.uses.count(a))
		}
		if c.left[a.ID]--; c.left[a.ID] == 0 {
			saved += c.remove(a)
		}
	}
	return saved
}

// frequency returns how often an iteration executes b: half if it need not. Nested branches
// count no less: the assembler predicates short ones, whose instructions are then issued.
func (c *loopCount) frequency(b *ssa.Block) int {
	if c.s.dom.Dominates(b, c.s.l.Latches[0]) {
		return perIteration
	}
	return perIteration / 2
}

// cost returns the instructions of v, as the machine combines them: products and shifts
// are free in the sum that uses them, and so is what widens the operand of a product.
func (c *loopCount) cost(v *ssa.Value) int {
	switch v.Op {
	case ssa.OpSExt, ssa.OpZExt:
		if c.s.uses.any(v, func(u analysis.Use) bool { return u.User == nil || widening(u.User) == nil }) {
			return 1
		}
		return 0
	case ssa.OpMul, ssa.OpShl:
		if c.fused(v) {
			return 0
		}
		switch {
		case v.Type != ssa.I64, widening(v) != nil:
			return 1
		case v.Op == ssa.OpShl:
			return 2
		case v.Args[1].Op == ssa.OpConst:
			return 3
		}
		return 4
	case ssa.OpAdd, ssa.OpSub, ssa.OpPtrAdd:
		switch {
		case v.Type == ssa.I32:
			return 1
		case widening(v.Args[0]) != nil && c.fused(v.Args[0]), widening(v.Args[1]) != nil && c.fused(v.Args[1]):
			return 1
		}
		return 2
	}
	return 1
}

// widening returns an operand of v if v is a product of two extended values, or of one and
// a constant; nil otherwise.
func widening(v *ssa.Value) *ssa.Value {
	if v.Type != ssa.I64 || v.Op != ssa.OpMul && v.Op != ssa.OpShl {
		return nil
	}
	x, y := v.Args[0], v.Args[1]
	if x.Op != ssa.OpSExt && x.Op != ssa.OpZExt || y.Op != ssa.OpConst && (v.Op == ssa.OpShl || y.Op != x.Op) {
		return nil
	}
	return x
}

// fused reports whether a product or shift is part of the sums that use it, each of which
// repeats it (IMAD, LEA, IMAD.WIDE).
func (c *loopCount) fused(v *ssa.Value) bool {
	if v.Type != ssa.I32 && v.Op != ssa.OpShl && widening(v) == nil {
		return false
	}
	return !c.s.uses.any(v, func(u analysis.Use) bool {
		return u.User == nil || u.User.Op != ssa.OpAdd && u.User.Op != ssa.OpPtrAdd
	})
}
