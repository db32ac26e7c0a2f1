package simt

import (
	"slices"

	"irgl/internal/ptx"
)

// This file finds loads whose bits nothing uses but a store to the same place, in which some of
// them are replaced. A change of a bit-field is made of them:
//
//	ld.global.u8  %r1, [%rd1];
//	and.b32       %r2, %r1, 248;
//	or.b32        %r3, %r2, 2;
//	st.global.u8  [%rd1], %r3;
//
// In C++ only the bit-field is accessed, which may be the first of its unit to be written. Such
// a load is not a read of uninitialised memory.

// merges marks such loads of a function.
func merges(fn *function) {
	var uses *registerUses
	for i := range fn.code {
		in := &fn.code[i]
		if in.src == nil || in.src.Op != "ld" || in.ctl != ctlMemory {
			continue
		}
		if uses == nil {
			uses = usesOf(fn)
		}
		in.merges = uses.onlyMerged(fn, i)
	}
}

// registerUses are the instructions of a function that read and write each register.
type registerUses struct{ reads, writes map[string][]int }

func usesOf(fn *function) *registerUses {
	u := &registerUses{reads: map[string][]int{}, writes: map[string][]int{}}
	for i := range fn.code {
		s := fn.code[i].src
		if s == nil {
			continue
		}
		if s.Guard != "" {
			u.reads[s.Guard] = append(u.reads[s.Guard], i)
		}
		for n, a := range s.Args {
			to := u.reads
			if n == 0 && s.Op != "st" && s.Op != "red" && a.Kind != ptx.KindMem {
				to = u.writes
			}
			note(to, a, i)
		}
	}
	return u
}

// note records the registers of an operand.
func note(to map[string][]int, o ptx.Operand, at int) {
	switch o.Kind {
	case ptx.KindReg, ptx.KindMem:
		if o.Name != "" {
			to[o.Name] = append(to[o.Name], at)
		}
	}
	for _, x := range o.List {
		note(to, x, at)
	}
}

// onlyMerged reports whether the bits that a load reads go to a store to the same place, or
// nowhere.
func (u *registerUses) onlyMerged(fn *function, load int) bool {
	s := fn.code[load].src
	list := []ptx.Operand{s.Args[0]}
	if s.Args[0].Kind == ptx.KindVector {
		list = s.Args[0].List
	}
	for _, o := range list {
		if o.Kind == ptx.KindNone {
			continue
		}
		if o.Kind != ptx.KindReg || !u.merged(fn, load, o.Name) {
			return false
		}
	}
	return true
}

// merged follows one register that a load writes: its bits are masked, and those that remain are
// combined with others and stored.
func (u *registerUses) merged(fn *function, load int, reg string) bool {
	type value struct {
		reg  string
		kept bool // bits of the load alone, which nothing but a store may use
	}
	stored := false
	todo := []value{{reg, true}}
	seen := map[string]bool{reg: true}
	for len(todo) > 0 {
		v := todo[0]
		todo = todo[1:]
		if len(u.writes[v.reg]) != 1 {
			return false
		}
		if v.kept && v.reg != reg && u.storedTo(fn, load, v.reg) {
			v.kept = false // all of the unit's new value: the bits of the field are zeros
		}
		for _, i := range u.reads[v.reg] {
			s := fn.code[i].src
			next := value{kept: v.kept}
			switch {
			case i > load && s.Op == "st" && u.samePlace(fn, load, i):
				stored = true
				continue
			case s.Op == "and" && s.Args[2].Kind == ptx.KindInt, s.Op == "mov":
			case s.Op == "or", s.Op == "bfi" && s.Args[2].Name == v.reg && s.Args[1].Name != v.reg:
				next.kept = false
			case v.kept:
				return false
			default:
				continue
			}
			if next.reg = s.Args[0].Name; !seen[next.reg] {
				seen[next.reg] = true
				todo = append(todo, next)
			}
		}
	}
	return stored
}

// storedTo reports whether a register is stored to where a load reads.
func (u *registerUses) storedTo(fn *function, load int, reg string) bool {
	return slices.ContainsFunc(u.reads[reg], func(i int) bool {
		return i > load && fn.code[i].src.Op == "st" && u.samePlace(fn, load, i)
	})
}

// samePlace reports whether a store after a load accesses the same bytes.
func (u *registerUses) samePlace(fn *function, load, store int) bool {
	a, b := fn.code[load].src.Args[1], fn.code[store].src.Args[0]
	if a.Kind != ptx.KindMem || b.Kind != ptx.KindMem || a.Name != b.Name || a.Int != b.Int || fn.code[load].size != fn.code[store].size {
		return false
	}
	for _, i := range u.writes[a.Name] {
		if i >= load && i < store {
			return false
		}
	}
	return true
}
