package analysis

import (
	"fmt"
	"strings"

	"irgl/internal/ssa"
)

// A Pressure is how many registers of 32 bits, and how many predicates, a block
// needs at its worst place if every value has a register of its own for as
// long as it is live. A 64-bit value takes two. Constants take none: they are
// parts of instructions.
type Pressure struct{ Registers, Predicates int32 }

func (p *Pressure) add(q Pressure) {
	p.Registers += q.Registers
	p.Predicates += q.Predicates
}

// sizeOf returns what v takes while it is live.
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

// Pressures returns the pressure of each block by its number. The machine has
// fewer registers than values only above 255; before that, each register more
// means fewer threads at a time (CUDA's Programming Guide, "Multiprocessor
// Level"), which is what passes that lengthen lives should weigh.
func Pressures(dom *DomTree, lv *Liveness) []Pressure {
	all := ssa.Make[Pressure](lv.f, len(lv.out))
	for _, b := range dom.Order() {
		now := lv.out[b.ID]
		now.add(lv.lastEnd[b.ID])
		worst := now
		for i := len(b.Values) - 1; i >= 0; i-- { // upward: lives begin where they end
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

// PressureString returns a line a block.
func PressureString(f *ssa.Func, all []Pressure) string {
	var s strings.Builder
	for _, b := range f.Blocks {
		fmt.Fprintf(&s, "%s: %d registers, %d predicates\n", b, all[b.ID].Registers, all[b.ID].Predicates)
	}
	return s.String()
}
