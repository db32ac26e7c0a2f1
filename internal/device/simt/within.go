package simt

import (
	"fmt"
	"strings"

	"irgl/internal/ptx"
)

// Shared and local variables are adjacent in their memories, so that an index beyond one
// is an element of another. This file finds the variable that an access is meant for: the
// one whose address the text adds offsets to. An access outside of it is a fault, wherever
// it leads.

// A symbol is a shared or local variable whose address a register holds.
type symbol struct {
	name  string
	space memSpace
	off   int64 // in shared memory, or in the frame
	size  int64
}

// symbol returns the symbol of a variable of known size that is at off.
func (fd *funcDecoder) symbol(v *ptx.Var, space memSpace, off int64) *symbol {
	s := fd.bound[v]
	if s == nil {
		size, _ := v.ByteSize()
		s = &symbol{name: v.Name, space: space, off: off, size: size}
		fd.bound[v] = s
	}
	return s
}

// bind finds the variables that the accesses of a function are meant for.
func (fd *funcDecoder) bind() {
	if len(fd.symbols) == 0 {
		return
	}
	defs := map[int32][]*inst{}
	for i := range fd.fn.code {
		for _, slot := range fd.fn.code[i].writes {
			defs[slot] = append(defs[slot], &fd.fn.code[i])
		}
	}
	known := map[int32]*symbol{}
	for i := range fd.fn.code {
		in := &fd.fn.code[i]
		if in.ctl != ctlMemory || in.a == none || in.within != nil {
			continue
		}
		slot := in.a / 32
		s, ok := known[slot]
		if !ok {
			s = fd.origin(slot, defs)
			known[slot] = s
		}
		in.within = s
	}
}

// maxTerms bounds the registers that origin looks at.
const maxTerms = 256

// origin returns the only variable whose address is a term of a register's value, or nil.
func (fd *funcDecoder) origin(slot int32, defs map[int32][]*inst) *symbol {
	var found *symbol
	todo := []int32{slot}
	seen := map[int32]bool{slot: true}
	for len(todo) > 0 {
		slot := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if s := fd.symbols[slot]; s != nil {
			if found != nil && found != s {
				return nil
			}
			found = s
			continue
		}
		for _, def := range defs[slot] {
			if def.src == nil {
				continue
			}
			terms, ok := def.terms()
			if !ok {
				return nil
			}
			for _, t := range terms {
				if !seen[t] {
					seen[t] = true
					todo = append(todo, t)
				}
			}
		}
		if len(seen) > maxTerms {
			return nil
		}
	}
	return found
}

// terms returns the registers whose values an instruction adds up, or one of which it
// takes; none if it computes something else. It returns false where it subtracts
// registers: the difference of two addresses is none.
func (in *inst) terms() ([]int32, bool) {
	switch in.src.Op {
	case "add", "mad", "mov", "cvta", "cvt", "or", "selp":
		terms := append([]int32(nil), in.reads...)
		for _, index := range []int32{in.a, in.b, in.c} { // also those of addresses, which are preset
			if index > 0 {
				terms = append(terms, index/32)
			}
		}
		return terms, true
	case "sub":
		return in.reads, len(in.reads) < 2
	}
	return nil, true
}

// inside reports whether an access of n bytes at an address of the variable's space is in
// it, in the frame that begins at frame.
func (s *symbol) inside(addr, n uint64, frame int) bool {
	off := int64(addr) - s.start(frame)
	return off >= 0 && off+int64(n) <= s.size
}

// start returns the address of the variable in its space.
func (s *symbol) start(frame int) int64 {
	if s.space == spLocal {
		return s.off + int64(frame) + localStart
	}
	return s.off + sharedStart
}

// outside describes an access outside of the variable.
func (s *symbol) outside(addr uint64, frame int, title func(name string) string) wrongPlace {
	off := int64(addr) - s.start(frame)
	name := title(s.name)
	what := name + " in shared memory"
	switch {
	case s.space == spLocal && strings.HasPrefix(s.name, "$"): // a name that the compiler made up
		name, what = "local memory", "a variable in local memory"
	case s.space == spLocal:
		what = name + " in local memory"
	}
	if off < 0 {
		return wrongPlace{buffer: name, text: fmt.Sprintf("the address is %d bytes before %s", -off, what), before: true}
	}
	return wrongPlace{buffer: name, text: fmt.Sprintf("the address is offset %d of %s, which has %d bytes", off, what, s.size)}
}
