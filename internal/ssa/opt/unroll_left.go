package opt

import (
	"math"

	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// This file estimates the size of a fully unrolled loop: which operations of an iteration
// become constants, which become constant offsets of addresses, and which remain.

// leftWork counts the operations of an iteration that remain after full
// unrolling: not those that become constants, nor constant parts of addresses.
type leftWork struct {
	all int
	own map[*analysis.Loop]int // by loop, without its inner loops: l and its inner loops
	// Those of all that iterations share: an address that differs between them by a constant
	// is computed once, and the accesses have offsets.
	shared int
	// The loop indexes a local array by constants of the iteration, or a pointer walks over one, or it
	// divides by such constants: the array becomes values, and the division a few operations.
	pays bool
}

// joined returns the operations of n iterations that share addresses.
func (w *leftWork) joined(n int) int { return w.shared + (w.all-w.shared)*n }

// An estimator knows which values of a loop fold when it is fully unrolled.
type estimator struct {
	loops    *analysis.Loops
	l        *analysis.Loop
	outside  *stepper
	constant map[*ssa.Value]bool
	// Values that are an invariant one plus a constant of the iteration.
	shifted map[*ssa.Value]shift
	needed  map[*ssa.Value]bool // those that are not only parts of addresses
	ranges  func() *analysis.RangeInfo
}

// A shift says how a value differs from an invariant one.
type shift int8

const (
	shiftNone     shift = iota
	shiftWraps          // by a constant, modulo the size of its type
	shiftPromised       // by a constant, and no sum on the way to it wraps
)

// left computes the remaining operations of l. It takes the variables of l and
// of its inner loops for constant if they begin as constants and are updated by
// constant operations.
func (u *unroller) left(loops *analysis.Loops, l *analysis.Loop) leftWork {
	c := &estimator{ranges: u.rangesOf, loops: loops, l: l, outside: newStepper(loops), constant: make(map[*ssa.Value]bool), shifted: make(map[*ssa.Value]shift), needed: make(map[*ssa.Value]bool)}
	c.findConstants()
	c.findShifts()
	w := leftWork{own: make(map[*analysis.Loop]int)}
	for _, phi := range l.Header.Phis() {
		for i, a := range phi.Args {
			w.pays = w.pays || a.Type.IsPtr() && localBase(a) != nil && !loops.Contains(l, l.Header.Preds[i])
		}
	}
	for _, b := range l.Blocks {
		n := 0
		for _, v := range b.Values {
			switch {
			case v.Op == ssa.OpPhi || v.Op == ssa.OpConst || v.Op == ssa.OpFConst || v.Op == ssa.OpUndef || c.constant[v]:
			case v.Op == ssa.OpPtrAdd && c.is(v.Args[1]):
				w.pays = w.pays || v.Args[1].Op != ssa.OpConst && localBase(v) != nil
			case c.shifted[v] != shiftNone && !c.needed[v]:
				w.shared++
				n++
			case dividesBy(v, c.is):
				w.pays = true
				n++
			default:
				n++
			}
		}
		w.all += n
		w.own[loops.Of(b)] += n
	}
	return w
}

// is reports whether v is a constant in each iteration.
func (c *estimator) is(v *ssa.Value) bool {
	if v.Op == ssa.OpConst || c.constant[v] {
		return true
	}
	if c.loops.Contains(c.l, v.Block) {
		return false
	}
	_, ok := c.outside.eval(v)
	return ok
}

// findConstants finds the greatest solution: first every phi is assumed to be constant; then
// those that are not are removed.
func (c *estimator) findConstants() {
	for changed := true; changed; {
		for _, b := range c.l.Blocks {
			for _, v := range b.Values {
				if v.Op == ssa.OpPhi {
					if _, seen := c.constant[v]; !seen {
						c.constant[v] = v.Type.IsInt() && c.loops.Of(b).Header == b
					}
					continue
				}
				ok := folds(v)
				for _, a := range v.Args {
					ok = ok && c.is(a)
				}
				c.constant[v] = ok
			}
		}
		changed = false
		for _, b := range c.l.Blocks {
			for _, phi := range b.Phis() {
				for _, a := range phi.Args {
					if c.constant[phi] && !c.is(a) {
						c.constant[phi] = false
						changed = true
					}
				}
			}
		}
	}
}

// findShifts finds the values that differ between iterations by constants only, and which of
// them are needed as values.
func (c *estimator) findShifts() {
	for _, b := range c.l.Blocks {
		for _, v := range b.Values {
			if s := c.shiftOf(v); s != shiftNone && !c.constant[v] {
				c.shifted[v] = s
				continue
			}
			for _, a := range v.Args {
				if a != v.Address() {
					c.needed[a] = true
				}
			}
		}
		if b.Ctrl != nil {
			c.needed[b.Ctrl] = true
		}
	}
}

// shiftOf returns how v, whose operands have been visited, differs from an invariant value.
func (c *estimator) shiftOf(v *ssa.Value) shift {
	promise := shiftWraps
	if v.NoWrap {
		promise = shiftPromised
	}
	switch v.Op {
	case ssa.OpAdd, ssa.OpSub, ssa.OpPtrAdd:
		x, y := c.part(v.Args[0]), c.part(v.Args[1])
		if x == shiftNone || y == shiftNone || v.Op == ssa.OpSub && c.shifted[v.Args[1]] != shiftNone {
			return shiftNone
		}
		if promise == shiftWraps && v.Op == ssa.OpAdd && v.Type == ssa.I32 {
			if a, b := c.ranges().Of(v.Args[0]), c.ranges().Of(v.Args[1]); a.NonNegative() && b.NonNegative() && a.Hi+b.Hi <= math.MaxInt32 {
				promise = shiftPromised
			}
		}
		return min(x, y, promise)
	case ssa.OpMul, ssa.OpShl:
		if v.Args[1].Op != ssa.OpConst || c.shifted[v.Args[0]] == shiftNone {
			return shiftNone
		}
		return min(c.shifted[v.Args[0]], promise)
	case ssa.OpSExt, ssa.OpZExt:
		if c.shifted[v.Args[0]] == shiftPromised && (v.Op == ssa.OpSExt || c.ranges().Of(v.Args[0]).NonNegative()) {
			return shiftPromised
		}
	}
	return shiftNone
}

// part returns how the operand v of a sum differs from an invariant value; a constant does
// not.
func (c *estimator) part(v *ssa.Value) shift {
	if c.is(v) || !c.loops.Contains(c.l, v.Block) {
		return shiftPromised
	}
	return c.shifted[v]
}

// dividesBy reports whether v divides by a value that is constant in each
// iteration only. A floating-point divisor is a converted integer.
func dividesBy(v *ssa.Value, is func(*ssa.Value) bool) bool {
	switch v.Op {
	case ssa.OpSDiv, ssa.OpUDiv, ssa.OpSRem, ssa.OpURem:
		return v.Args[1].Op != ssa.OpConst && is(v.Args[1])
	case ssa.OpFDiv:
		y := v.Args[1]
		return (y.Op == ssa.OpSToF || y.Op == ssa.OpUToF) && is(y.Args[0])
	}
	return false
}
