package ptxtest

import (
	"fmt"
	"slices"
	"strings"
)

// A Program is a kernel of one entry, with the launch that it is made for.
type Program struct {
	Seed    uint64
	Threads int // a block
	Blocks  int
	body    []*stmt
	funcs   [functions][]*stmt // of arithmetic
	consts  [4]uint32          // that the preamble computes indices of the inputs from
}

// Kernel returns the name of the program's entry.
func (p *Program) Kernel() string { return fmt.Sprintf("p%d", p.Seed) }

// A kind is a form of statement.
type kind uint8

const (
	leaf        kind = iota
	branch           // divergent: on a predicate
	uniform          // of the block: on a register that is equal in all threads
	voted            // of the warp: on whether any lane has the predicate
	loop             // divergent: each lane has its own count
	uniformLoop      // of the block
	choice           // brx.idx on two bits of a register
	leave            // of the innermost divergent loop, on a predicate
)

// A stmt is a statement. One that is removed, or replaced by what is in it, leaves a program that is defined, too.
type stmt struct {
	kind kind
	// text has the lines of a leaf, where @M is the mask of the lanes that are here; of others it is the register that decides.
	text   string
	bodies [][]*stmt // of a branch two, of a choice four
}

// An emitter writes the text of a program.
type emitter struct {
	strings.Builder
	labels int
}

// A place is where a statement is: within so many member masks and loops.
type place struct {
	masks, loops int
	// end is the label behind the divergent loop whose mask is the innermost one; "" where that is of a branch.
	end string
}

// divergent returns the place in a divergent statement.
func (at place) divergent(end string) place { return place{at.masks + 1, at.loops, end} }

// line writes a statement, or the end of a block.
func (e *emitter) line(format string, args ...any) {
	if format == "%s" && args[0] == "}" {
		e.WriteString("\t}\n")
		return
	}
	fmt.Fprintf(e, "\t"+format+";\n", args...)
}

func (e *emitter) label(s string) { fmt.Fprintf(e, "%s:\n", s) }

// next returns a number for the labels of a statement.
func (e *emitter) next() int {
	e.labels++
	return e.labels
}

func (e *emitter) list(list []*stmt, at place) {
	for _, s := range list {
		e.stmt(s, at)
	}
}

func (e *emitter) stmt(s *stmt, at place) {
	d := at.masks
	switch s.kind {
	case leaf:
		e.leaf(s.text, at)
	case branch:
		e.line("vote.sync.ballot.b32 %%m%d, %s, %%m%d", d+1, s.text, d)
		on := s.text
		if slices.ContainsFunc(s.bodies, loops) {
			on = e.mine(d + 1)
		}
		e.branches(s, on, at.divergent(""), fmt.Sprintf("xor.b32 %%m%d, %%m%d, %%m%d", d+1, d, d+1))
	case uniform:
		e.line("and.b32 %%t0, %s, 1", s.text)
		e.line("setp.ne.u32 %%tp0, %%t0, 0")
		e.branches(s, "%tp0", at, "")
	case voted:
		e.line("vote.sync.any.pred %%tp0, %s, %%m%d", s.text, d)
		e.branches(s, "%tp0", at, "")
	case loop, uniformLoop:
		e.loop(s, at)
	case choice:
		e.choice(s, at)
	case leave:
		if at.end != "" {
			e.line("not.pred %%tp0, %s", s.text)
			e.line("vote.sync.ballot.b32 %%m%d, %%tp0, %%m%d", d, d)
			e.line("@!%s bra %s", e.mine(d), at.end)
		}
	}
}

// mine writes code that puts the lane's bit of a mask in a predicate, and returns that. Behind a branch on a predicate itself, ptxas
// 13.0 takes it for what it then is in all iterations of a loop, even one that changes it.
func (e *emitter) mine(mask int) string {
	e.line("shr.u32 %%t0, %%m%d, %%lane", mask)
	e.line("and.b32 %%t0, %%t0, 1")
	e.line("setp.ne.u32 %%tp0, %%t0, 0")
	return "%tp0"
}

// loops reports whether there is a loop in a list.
func loops(list []*stmt) bool {
	return slices.ContainsFunc(list, func(s *stmt) bool {
		return s.kind == loop || s.kind == uniformLoop || slices.ContainsFunc(s.bodies, loops)
	})
}

// leaf writes the lines of a leaf.
func (e *emitter) leaf(text string, at place) {
	text = strings.NewReplacer("@M", fmt.Sprintf("%%m%d", at.masks), "@L", fmt.Sprintf("$w%d_", e.next())).Replace(text)
	for l := range strings.SplitSeq(text, "\n") {
		if l = strings.TrimSpace(l); strings.HasSuffix(l, ":") {
			e.label(l[:len(l)-1])
		} else if l != "" {
			e.line("%s", l)
		}
	}
}

// branches writes a branch on p to the second body; other is what the second one begins with.
func (e *emitter) branches(s *stmt, p string, in place, other string) {
	n := e.next()
	e.line("@!%s bra $else%d", p, n)
	e.list(s.bodies[0], in)
	e.line("bra $endif%d", n)
	e.label(fmt.Sprintf("$else%d", n))
	if other != "" {
		e.line("%s", other)
	}
	e.list(s.bodies[1], in)
	e.label(fmt.Sprintf("$endif%d", n))
}

// loop writes a loop of up to three iterations. The head of a divergent one votes on who stays.
func (e *emitter) loop(s *stmt, at place) {
	n, d := e.next(), at.masks
	end := fmt.Sprintf("$done%d", n)
	in := at
	e.line("and.b32 %%n%d, %s, 3", at.loops, s.text)
	if s.kind == loop {
		in = at.divergent(end)
		e.line("mov.b32 %%m%d, %%m%d", d+1, d)
	}
	in.loops++
	e.label(fmt.Sprintf("$head%d", n))
	e.line("setp.ne.u32 %%tp0, %%n%d, 0", at.loops)
	if s.kind == loop {
		e.line("vote.sync.ballot.b32 %%m%d, %%tp0, %%m%d", d+1, d+1)
	}
	e.line("@!%%tp0 bra %s", end)
	e.line("sub.u32 %%n%d, %%n%d, 1", at.loops, at.loops)
	e.list(s.bodies[0], in)
	e.line("bra $head%d", n)
	e.label(end)
}

// choice writes an indexed branch; the lanes that take the same one find each other by their index.
func (e *emitter) choice(s *stmt, at place) {
	n := e.next()
	e.line("and.b32 %%t0, %s, 3", s.text)
	e.line("match.any.sync.b32 %%m%d, %%t0, %%m%d", at.masks+1, at.masks)
	e.line("$tab%d: .branchtargets $c%d_0, $c%d_1, $c%d_2, $c%d_3", n, n, n, n, n)
	e.line("brx.idx %%t0, $tab%d", n)
	for i, b := range s.bodies {
		e.label(fmt.Sprintf("$c%d_%d", n, i))
		e.list(b, at.divergent(""))
		e.line("bra $chosen%d", n)
	}
	e.label(fmt.Sprintf("$chosen%d", n))
}
