package analysis

import (
	"fmt"
	"strings"

	"irgl/internal/ssa"
)

// A Loop is a natural loop: a header, and the blocks that it dominates and
// from which a back edge to it can be reached.
type Loop struct {
	Header  *ssa.Block
	Latches []*ssa.Block // those that jump back to the header
	Blocks  []*ssa.Block // in reverse postorder, the header first; inner loops included
	Exits   []*ssa.Block // blocks outside with a predecessor inside, in the order of these predecessors
	Parent  *Loop        // the enclosing loop, or nil
	Depth   int          // 1 for an outermost loop

	size int // the number of blocks
}

// Loops are the loops of a function.
type Loops struct {
	All []*Loop // outer before inner, in reverse postorder of headers
	// Irreducible holds the targets of retreating edges whose target does not
	// dominate their source: cycles with several entries, which are not natural
	// loops.
	Irreducible []*ssa.Block

	innermost []*Loop // by block number
}

// FindLoops returns the natural loops of dom's function. Back edges to one
// header form one loop.
func FindLoops(f *ssa.Func, dom *DomTree) *Loops {
	ls := &Loops{innermost: ssa.Make[*Loop](f, f.NumBlocks())}
	order := dom.Order()
	number := numbering(f, order)
	// Inner headers come later, so in backward order an inner loop is complete
	// when the walk of an outer one reaches it, and is skipped as a whole.
	for i := len(order) - 1; i >= 0; i-- {
		h := order[i]
		var l *Loop
		var work []*ssa.Block
		irreducible := false
		for _, p := range h.Preds {
			switch {
			case number[p.ID] < int32(i):
			case !dom.Dominates(h, p):
				irreducible = true
			default:
				if l == nil {
					l = &Loop{Header: h}
				}
				l.Latches = append(l.Latches, p)
				work = append(work, p)
			}
		}
		if irreducible {
			ls.Irreducible = append(ls.Irreducible, h)
		}
		if l != nil {
			ls.body(l, work, dom)
			ls.All = append(ls.All, l)
		}
	}
	reverse(ls.All)
	reverse(ls.Irreducible)
	ls.fill(f, order)
	return ls
}

func reverse[T any](s []T) {
	for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
		s[i], s[j] = s[j], s[i]
	}
}

// body collects the blocks of l, backward from its latches.
func (ls *Loops) body(l *Loop, work []*ssa.Block, dom *DomTree) {
	ls.innermost[l.Header.ID] = l
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		inner := ls.innermost[b.ID]
		switch {
		case !dom.Reaches(b):
			continue
		case inner == nil:
			ls.innermost[b.ID] = l
			work = append(work, b.Preds...)
			continue
		}
		for inner.Parent != nil && inner != l {
			inner = inner.Parent
		}
		if inner != l {
			inner.Parent = l
			work = append(work, inner.Header.Preds...)
		}
	}
}

// fill computes depths, lists of blocks and exits once the nesting is known.
func (ls *Loops) fill(f *ssa.Func, order []*ssa.Block) {
	for _, l := range ls.All {
		l.Depth = 1
		if l.Parent != nil {
			l.Depth = l.Parent.Depth + 1
		}
	}
	// Count first, so that the lists of all loops share one allocation.
	total := 0
	for _, b := range order {
		for l := ls.innermost[b.ID]; l != nil; l = l.Parent {
			l.size++
			total++
		}
	}
	all := ssa.Make[*ssa.Block](f, total)
	for _, l := range ls.All {
		l.Blocks, all = all[:0:l.size], all[l.size:]
	}
	for _, b := range order {
		for l := ls.innermost[b.ID]; l != nil; l = l.Parent {
			l.Blocks = append(l.Blocks, b)
			for _, s := range b.Succs {
				if !ls.Contains(l, s) {
					l.Exits = append(l.Exits, s)
				}
			}
		}
	}
}

// Of returns the innermost loop around b, or nil, also for a block created
// after the analysis.
func (ls *Loops) Of(b *ssa.Block) *Loop {
	if b.ID >= len(ls.innermost) {
		return nil
	}
	return ls.innermost[b.ID]
}

// Put records that b, a block created after the analysis, is in l and its
// enclosing loops, or, if l is nil, in none.
func (ls *Loops) Put(b *ssa.Block, l *Loop) {
	for b.ID >= len(ls.innermost) {
		ls.innermost = append(ls.innermost, nil)
	}
	ls.innermost[b.ID] = l
}

// Contains reports whether b is in l.
func (ls *Loops) Contains(l *Loop, b *ssa.Block) bool {
	for in := ls.Of(b); in != nil; in = in.Parent {
		if in == l {
			return true
		}
	}
	return false
}

// String returns a line per loop, indented by depth.
func (ls *Loops) String() string {
	var s strings.Builder
	for _, l := range ls.All {
		fmt.Fprintf(&s, "%*sloop %s: blocks %v latches %v exits %v\n", 2*(l.Depth-1), "", l.Header, l.Blocks, l.Latches, l.Exits)
	}
	for _, b := range ls.Irreducible {
		fmt.Fprintf(&s, "irreducible %s\n", b)
	}
	return s.String()
}
