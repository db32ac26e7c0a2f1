package analysis

import (
	"fmt"
	"strings"

	"irgl/internal/ssa"
)

// A Pressure is the maximum number of 32-bit registers, and of predicates, live
// at one point of a block, if every value has its own register while it is
// live. A 64-bit value takes two. Constants take none: they are immediate
// operands.
type Pressure struct{ Registers, Predicates int32 }

func (p *Pressure) add(q Pressure) {
	p.Registers += q.Registers
	p.Predicates += q.Predicates
}

// sizeOf returns the registers that v occupies while it is live.
func sizeOf(v *ssa.Value) Pressure {
	switch {
	case v.Op == ssa.OpConst, v.Op == ssa.OpFConst, v.Op == ssa.OpUndef, v.Type == ssa.Void:
		return Pressure{}
	case v.Type == ssa.I1:
		return Pressure{Predicates: 1}
	case v.Type.Bits() == 64:
		return Pressure{Registers: 2}
	}
	return Pressure{Registers: 1}
}

// Pressures returns the pressure of each block by its number. Spilling begins
// only above 255 registers; below that, each additional register reduces
// occupancy (CUDA's Programming Guide, "Multiprocessor Level"), which passes
// that extend live ranges should take into account.
func Pressures(dom *DomTree, lv *Liveness) []Pressure {
	all := ssa.Make[Pressure](lv.f, len(lv.out))
	for _, b := range dom.Order() {
		now := lv.out[b.ID]
		now.add(lv.lastEnd[b.ID])
		worst := now
		for i := len(b.Values) - 1; i >= 0; i-- { // backward: a live range begins at its last use
			v := b.Values[i]
			if lv.used[v.ID] {
				size := sizeOf(v)
				now.Registers -= size.Registers
				now.Predicates -= size.Predicates
			}
			now.add(lv.last[v.ID])
			worst = Pressure{max(worst.Registers, now.Registers), max(worst.Predicates, now.Predicates)}
		}
		all[b.ID] = worst
	}
	return all
}

// PressureString returns a line per block.
func PressureString(f *ssa.Func, all []Pressure) string {
	var s strings.Builder
	for _, b := range f.Blocks {
		fmt.Fprintf(&s, "%s: %d registers, %d predicates\n", b, all[b.ID].Registers, all[b.ID].Predicates)
	}
	return s.String()
}
