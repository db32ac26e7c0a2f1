package simt

import "strings"

// This file finds, for each instruction, the registers that every path from the start of its function to it
// has written (definite assignment). Their reads need no check when the instruction executes, and what is
// never checked needs no record of its writes:
//
//	mov.u32     %r1, %tid.x;     // not recorded
//	@%p1 mov.u32 %r2, 7;         // recorded
//	add.u32     %r3, %r1, %r2;   // the read of %r2 alone is checked
//
// Moves, packs, shuffles and untyped loads pass on what was never written, so what they write is definite
// only where all their sources are, and after a load or a shuffle never.

// slotSet is a set of slots.
type slotSet []uint64

func (s slotSet) has(slot int32) bool { return s[slot>>6]>>(slot&63)&1 != 0 }
func (s slotSet) add(slot int32)      { s[slot>>6] |= 1 << (slot & 63) }
func (s slotSet) remove(slot int32)   { s[slot>>6] &^= 1 << (slot & 63) }

// hasAll reports whether all of list are in the set.
func (s slotSet) hasAll(list []int32) bool {
	for _, slot := range list {
		if !s.has(slot) {
			return false
		}
	}
	return true
}

// intersect takes out what is not in o, and reports whether there was any.
func (s slotSet) intersect(o slotSet) (changed bool) {
	for i := range s {
		if s[i]&^o[i] != 0 {
			s[i] &= o[i]
			changed = true
		}
	}
	return changed
}

// definite sets checks and marks of the instructions of fn.
func definite(fn *function) {
	g := newGraph(fn)
	words := (fn.slots + 63) / 64
	in := make([]slotSet, len(g.start)) // at the start of each block; nil for all slots
	in[0] = make(slotSet, words)
	for _, c := range fn.consts {
		in[0].add(c.slot)
	}
	for _, p := range fn.params {
		if p.slot != none {
			in[0].add(p.slot / 32)
		}
	}
	have := make(slotSet, words)
	for todo := []int{0}; len(todo) > 0; {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		copy(have, in[b])
		for i := g.start[b]; i < g.end(b); i++ {
			have.execute(&fn.code[i])
		}
		for _, s := range g.succ[b] {
			if s == len(g.start) {
				continue
			}
			if in[s] == nil {
				in[s] = append(slotSet(nil), have...)
			} else if !in[s].intersect(have) {
				continue
			}
			todo = append(todo, s)
		}
	}
	checked := make(slotSet, words) // slots whose record some instruction needs
	for b := range g.start {
		if in[b] == nil { // unreachable
			in[b] = make(slotSet, words)
		}
		copy(have, in[b])
		for i := g.start[b]; i < g.end(b); i++ {
			fn.code[i].check(have, checked)
			have.execute(&fn.code[i])
		}
	}
	fn.doubtful = fn.unwritten(checked)
	for i := range fn.code {
		in := &fn.code[i]
		in.marks = nil
		for _, slot := range in.writes {
			if checked.has(slot) {
				in.marks = append(in.marks, slot)
			}
		}
	}
}

// execute adds what an instruction writes, and takes out what may not be written after it.
func (s slotSet) execute(in *inst) {
	sound := s.hasAll(in.moved) && in.ctl != ctlSync && !(in.ctl == ctlMemory && in.untyped)
	for _, slot := range in.writes {
		switch {
		case !sound:
			s.remove(slot)
		case in.guard == none:
			s.add(slot)
		}
	}
}

// check sets an instruction's checks, where have are definite, and adds the slots whose record it needs.
func (in *inst) check(have, checked slotSet) {
	in.checks = nil
	for _, slot := range in.reads {
		if !have.has(slot) {
			in.checks = append(in.checks, slot)
			checked.add(slot)
		}
	}
	if in.known = in.guard == none || have.has(in.guard/32); !in.known {
		checked.add(in.guard / 32)
	}
	// A shuffle reads registers of lanes that may not have come here.
	if in.sound = in.ctl != ctlSync && have.hasAll(in.moved); in.sound {
		return
	}
	for _, slot := range in.moved {
		checked.add(slot)
	}
}

// unwritten returns the slots that are read before they are written, or may be: those that are checked, and the operands of products
// and moves of matrices, which read registers of all lanes, also of such as have ended.
func (fn *function) unwritten(checked slotSet) (list []int32) {
	all := append(slotSet(nil), checked...)
	for i := range fn.code {
		in := &fn.code[i]
		if in.src != nil && (strings.HasSuffix(in.src.Op, "mma") || strings.HasSuffix(in.src.Op, "matrix")) {
			for _, slot := range in.reads {
				all.add(slot)
			}
		}
	}
	for _, c := range fn.consts {
		all.remove(c.slot)
	}
	for slot := range int32(fn.slots) {
		if all.has(slot) {
			list = append(list, slot)
		}
	}
	return list
}
