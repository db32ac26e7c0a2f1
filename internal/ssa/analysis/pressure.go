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
type Pressure struct{ Registers, Predicates int }

// Pressures returns the pressure of each block by its number. The machine has
// fewer registers than values only above 255; before that, each register more
// means fewer threads at a time (CUDA's Programming Guide, "Multiprocessor
// Level"), which is what passes that lengthen lives should weigh.
func Pressures(f *ssa.Func, dom *DomTree, lv *Liveness) []Pressure {
	all := make([]Pressure, f.NumBlocks())
	live := make([]*ssa.Block, f.NumValues()) // the block whose walk found it live
	for _, b := range dom.Order() {
		var now Pressure
		add := func(v *ssa.Value, n int) {
			switch {
			case v.Op == ssa.OpConst, v.Op == ssa.OpFConst, v.Op == ssa.OpUndef, v.Type == ssa.Void:
			case v.Type == ssa.I1:
				now.Predicates += n
			case v.Type.Bits() == 64:
				now.Registers += 2 * n
			default:
				now.Registers += n
			}
		}
		enter := func(v *ssa.Value) {
			if live[v.ID] != b {
				live[v.ID] = b
				add(v, 1)
			}
		}
		worst := func() {
			all[b.ID].Registers = max(all[b.ID].Registers, now.Registers)
			all[b.ID].Predicates = max(all[b.ID].Predicates, now.Predicates)
		}
		for _, v := range lv.Out(b) {
			enter(v)
		}
		if b.Ctrl != nil {
			enter(b.Ctrl)
		}
		worst()
		for i := len(b.Values) - 1; i >= 0; i-- {
			v := b.Values[i]
			if live[v.ID] == b {
				add(v, -1)
			}
			if v.Op != ssa.OpPhi {
				for _, a := range v.Args {
					enter(a)
				}
			}
			worst()
		}
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
