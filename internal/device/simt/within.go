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
	o := origins{fd: fd, defs: defs, seen: map[int32]*symbol{}}
	s := o.of(slot)
	if o.unknown {
		return nil
	}
	return s
}

// origins finds the variable that a register's value is an address in.
type origins struct {
	fd      *funcDecoder
	defs    map[int32][]*inst
	seen    map[int32]*symbol // nil for a register that is being looked at
	unknown bool              // two variables are possible, or one and an address from elsewhere
}

// of returns the variable whose address a register's value adds to, or nil for none.
func (o *origins) of(slot int32) *symbol {
	if s := o.fd.symbols[slot]; s != nil {
		return s
	}
	if s, ok := o.seen[slot]; ok {
		return s
	}
	if len(o.seen) > maxTerms {
		o.unknown = true
		return nil
	}
	o.seen[slot] = nil
	var found *symbol
	other := false // a definition that has nothing to do with the variable
	for _, def := range o.defs[slot] {
		if def.src == nil {
			continue
		}
		terms, ok := def.terms()
		if !ok {
			o.unknown = true
			return nil
		}
		for _, t := range def.choices(terms) {
			s, again := o.sum(slot, t)
			switch {
			case s != nil && found != nil && s != found:
				o.unknown = true
			case s != nil:
				found = s
			case !again:
				other = true
			}
		}
	}
	// What is loaded, say, is an index as an addend; but an address where the same
	// register holds that of a variable too.
	o.unknown = o.unknown || found != nil && other
	o.seen[slot] = found
	return found
}

// sum returns the variable that one of the terms is an address in. again reports that
// the register itself is a term: its next value in a loop.
func (o *origins) sum(slot int32, terms []int32) (found *symbol, again bool) {
	for _, t := range terms {
		again = again || t == slot
		s := o.of(t)
		if s != nil && found != nil && s != found {
			o.unknown = true
		}
		if s != nil {
			found = s
		}
	}
	return found, again
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

// choices returns the terms of each value that an instruction may have: selp has that of one of two
// registers, and others have one value.
func (in *inst) choices(terms []int32) [][]int32 {
	if in.src.Op != "selp" {
		return [][]int32{terms}
	}
	var out [][]int32
	for _, index := range []int32{in.a, in.b} {
		if index > 0 {
			out = append(out, []int32{index / 32})
		}
	}
	return out
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
