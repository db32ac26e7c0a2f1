package analysis

import (
	"fmt"
	"math"
	"strings"

	"irgl/internal/ssa"
)

// A Trip describes a counted loop: a phi of its header that changes by the
// same amount in each iteration, and an exit test of it.
type Trip struct {
	Loop *Loop
	IV   *ssa.Value // the phi
	Next *ssa.Value // IV + Step, the phi's value on the back edge
	Init *ssa.Value // the phi's value on the entry edge
	Step int64      // 0 when the step is not a constant
	// Stride is the step when it is not a constant; it is loop-invariant.
	Stride *ssa.Value
	Exit   *ssa.Block // the block whose branch is the test: the header, or the only latch
	Stay   ssa.Op     // the loop continues while Tested Stay Bound
	Bound  *ssa.Value // loop-invariant
	// Tested is IV or Next.
	Tested *ssa.Value
	// Count is the maximum number of times that the test continues the loop; -1 if
	// unknown. It is exact if Only.
	Count int64
	Only  bool // the loop has no other exit
}

// Trips returns the trip of each loop that has one, in the order of ls.All.
func Trips(ls *Loops) []*Trip {
	var trips []*Trip
	for _, l := range ls.All {
		if t := TripOf(ls, l); t != nil {
			trips = append(trips, t)
		}
	}
	return trips
}

// TripOf returns the trip of l, or nil. It handles loops with one latch, and
// tries the test of the header first, then that of the latch.
func TripOf(ls *Loops, l *Loop) *Trip {
	if len(l.Latches) != 1 {
		return nil
	}
	latch := l.Latches[0]
	for _, b := range []*ssa.Block{l.Header, latch} {
		if b.Kind != ssa.BlockIf || !b.Ctrl.Op.IsIntCompare() || ls.Contains(l, b.Succs[0]) == ls.Contains(l, b.Succs[1]) {
			continue
		}
		for i, op := range [2]ssa.Op{b.Ctrl.Op, swapped[b.Ctrl.Op]} {
			t := &Trip{Loop: l, Exit: b, Stay: op, Tested: b.Ctrl.Args[i], Bound: b.Ctrl.Args[1-i]}
			if !ls.Contains(l, b.Succs[0]) {
				t.Stay = negated[op]
			}
			if t.induction(ls, latch) {
				t.count()
				t.Only = len(l.Exits) == 1
				return t
			}
		}
	}
	return nil
}

// induction sets the phi if Tested is a phi or its next value.
func (t *Trip) induction(ls *Loops, latch *ssa.Block) bool {
	l := t.Loop
	if !t.Tested.Type.IsInt() || ls.Contains(l, t.Bound.Block) && t.Bound.Op != ssa.OpConst || len(l.Header.Preds) != 2 {
		return false
	}
	back := l.Header.PredIndex(latch)
	for _, phi := range l.Header.Phis() {
		next := phi.Args[back]
		if phi != t.Tested && next != t.Tested || next.Op != ssa.OpAdd {
			continue
		}
		for i, a := range next.Args {
			step := next.Args[1-i]
			switch {
			case a != phi:
				continue
			case step.Op != ssa.OpConst && !ls.Contains(l, step.Block):
				t.Stride = step
			case step.Op != ssa.OpConst || step.Int == 0:
				continue
			default:
				t.Step = step.Int
			}
			t.IV, t.Next, t.Init = phi, next, phi.Args[1-back]
			return true
		}
	}
	return false
}

// count computes Count if the bounds are constants, or differ by a constant.
func (t *Trip) count() {
	t.Count = -1
	if t.Stride != nil {
		return
	}
	if t.Init.Op != ssa.OpConst || t.Bound.Op != ssa.OpConst {
		t.between()
		return
	}
	first, bound := t.Init.Int, t.Bound.Int
	full := FullRange(t.IV.Type)
	if t.Tested == t.Next {
		var ok bool
		if first, ok = addExact(first, t.Step); !ok || first < full.Lo || first > full.Hi {
			return
		}
	}
	t.Count = rounds(t.Stay, first, t.Step, bound, full)
}

// between counts the iterations from x + c to x + d, for a signed order: the sums
// promise not to wrap, and a broken promise would be undefined behaviour at a
// branch. All values tested but the last are between the two; the last is if it
// is the bound itself, and otherwise by the promise of the addition that computes
// it.
func (t *Trip) between() {
	x, first := fromBase(t.Init)
	y, bound := fromBase(t.Bound)
	if x != y || t.Stay.IsUnsignedOrder() {
		return
	}
	if t.Tested == t.Next {
		if !t.Next.NoWrap {
			return
		}
		first += t.Step
	}
	n := rounds(t.Stay, first, t.Step, bound, Range{math.MinInt64, math.MaxInt64})
	if n > 0 && !t.Next.NoWrap && first+n*t.Step != bound {
		return
	}
	t.Count = n
}

// fromBase returns v as the exact sum of a value and a constant.
func fromBase(v *ssa.Value) (*ssa.Value, int64) {
	if v.Op == ssa.OpAdd && v.NoWrap && v.Args[1].Op == ssa.OpConst && v.Type.Bits() <= 32 {
		return v.Args[0], v.Args[1].Int
	}
	return v, 0
}

// rounds returns how many of first, first+step, first+2*step, ... satisfy op
// with bound before one does not, or -1 if the values would leave the interval
// full before.
func rounds(op ssa.Op, first, step, bound int64, full Range) int64 {
	switch op {
	case ssa.OpULt, ssa.OpULe, ssa.OpUGt, ssa.OpUGe:
		if first < 0 || bound < 0 || step < 0 && op != ssa.OpUGt {
			return -1
		}
		op = op.Signed()
	}
	switch op {
	case ssa.OpSLe:
		if bound == math.MaxInt64 {
			return -1
		}
		op, bound = ssa.OpSLt, bound+1
	case ssa.OpSGe:
		if bound == math.MinInt64 {
			return -1
		}
		op, bound = ssa.OpSGt, bound-1
	}
	far, ok := addExact(bound, -first) // the distance to the bound
	if !ok || step == math.MinInt64 {
		return -1
	}
	var n int64
	switch {
	case op == ssa.OpEq:
		if far != 0 {
			return 0
		}
		return 1
	case op == ssa.OpNe && far%step == 0 && far/step >= 0:
		n = far / step
	case op == ssa.OpSLt && far <= 0, op == ssa.OpSGt && far >= 0:
		return 0
	case op == ssa.OpSLt && step > 0:
		n = (far-1)/step + 1
	case op == ssa.OpSGt && step < 0:
		n = (far+1)/step + 1
	default:
		return -1
	}
	// The last value, for which the test fails, must fit the type.
	span, ok := mulExact(n, step)
	last, ok2 := addExact(first, span)
	if !ok || !ok2 || last < full.Lo || last > full.Hi {
		return -1
	}
	return n
}

// String returns the trip in words.
func (t *Trip) String() string {
	step := fmt.Sprint(t.Step)
	if t.Stride != nil {
		step = t.Stride.String()
	}
	s := fmt.Sprintf("loop %s: %s from %s by %s while %s %s %s at %s", t.Loop.Header, t.IV, t.Init, step, t.Tested, t.Stay, t.Bound, t.Exit)
	if t.Count >= 0 {
		s += fmt.Sprintf(", %d times", t.Count)
	}
	if !t.Only {
		s += ", other exits"
	}
	return s
}

// TripsString returns a line per trip.
func TripsString(trips []*Trip) string {
	var s strings.Builder
	for _, t := range trips {
		s.WriteString(t.String() + "\n")
	}
	return s.String()
}
