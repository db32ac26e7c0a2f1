package host

import (
	"fmt"
	"strings"

	"irgl/internal/check"
	"irgl/internal/device"
	"irgl/internal/lower"
	"irgl/syntax"
)

// This file has a device that can do it compare what the C text of a program accesses with
// what the text declares. The compiler has compared the names in the text (package lower);
// this finds what a text accesses through addresses that it computes.

// textSets are what a text declares, as names of allocations and module variables.
type textSets struct {
	reads, writes               map[string]bool
	readsPointer, writesPointer bool // a pointer is declared, which may point to anything
}

// restrictTexts declares the sets of the program's texts to the module. A text outside of
// functions is called by others, perhaps with pointers to what they declare, so that it may
// access what any text declares.
func (e *Engine) restrictTexts(m device.RestrictingModule) {
	if len(e.source.CBlocks) == 0 {
		return
	}
	all := newTextSets()
	for _, b := range e.source.CBlocks {
		all.add(e.source, b)
	}
	outside := map[*syntax.CBlock]bool{}
	for _, d := range e.source.File.Decls {
		if b, ok := d.(*syntax.CBlock); ok {
			outside[b] = true
		}
	}
	named := e.namedMemory()
	for _, b := range e.source.CBlocks {
		sets := all
		if !outside[b] {
			sets = newTextSets()
			sets.add(e.source, b)
		}
		at := device.Position{File: e.source.File.Name, Line: b.Pos().Line(), Column: b.Pos().Column()}
		m.Restrict(at, func(buffer string, write bool) string { return sets.refuse(buffer, write, named) })
	}
}

func newTextSets() *textSets {
	return &textSets{reads: map[string]bool{}, writes: map[string]bool{}}
}

// add adds what b declares.
func (s *textSets) add(info *check.Info, b *syntax.CBlock) {
	for _, x := range []struct {
		names   []*syntax.Ident
		set     map[string]bool
		pointer *bool
	}{{b.Reads, s.reads, &s.readsPointer}, {b.Writes, s.writes, &s.writesPointer}} {
		for _, id := range x.names {
			o := info.Uses[id]
			switch {
			case o == nil:
			case o.Kind == check.PropObj:
				x.set[propertyMemory+o.Name] = true
			case o.Global:
				x.set[lower.GlobalName(o.Name)] = true
			}
			if o != nil {
				_, pointer := o.Type.(*check.Pointer)
				*x.pointer = *x.pointer || pointer
			}
		}
	}
}

// Names of allocations begin with what they are of.
const (
	propertyMemory = "property "
	graphMemory    = "graph "
	meshMemory     = "mesh "
	listMemory     = "cudaMalloc "
)

// namedMemory returns the variables of the program that texts declare, by the names of
// the module; others are those of texts and of the device library.
func (e *Engine) namedMemory() map[string]bool {
	named := map[string]bool{}
	for _, o := range e.source.Globals {
		named[lower.GlobalName(o.Name)] = true
	}
	return named
}

// refuse returns why a text with these sets must not access the allocation or variable, or "".
func (s *textSets) refuse(buffer string, write bool, named map[string]bool) string {
	does, set, names, pointer := "reads", "Reads", s.reads, s.readsPointer
	if write {
		does, set, names, pointer = "writes", "Writes", s.writes, s.writesPointer
	}
	switch {
	case names[buffer] || pointer:
		return ""
	case strings.HasPrefix(buffer, listMemory):
		return fmt.Sprintf("the text %s memory of a worklist", does)
	case strings.HasPrefix(buffer, graphMemory), strings.HasPrefix(buffer, meshMemory):
		if write {
			return fmt.Sprintf("the text writes %s, which is no property", buffer)
		}
		return ""
	case strings.HasPrefix(buffer, propertyMemory), named[buffer]:
		return fmt.Sprintf("the text %s %s, which its %s does not name", does, buffer, set)
	}
	return ""
}
