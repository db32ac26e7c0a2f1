package analysis

import (
	"fmt"
	"strings"

	"irgl/internal/ssa"
)

// Memory says what may be written on the paths between blocks.
type Memory struct {
	*Aliases
	dom  *DomTree
	own  []Mask // by block number: what the block writes
	join []Mask // by block number: see Between
}

// Clobbers finds what f's blocks write, in terms of the roots of a, and what
// the paths to each block from its immediate dominator write. The sets only
// grow, over a few sweeps in reverse postorder.
func Clobbers(f *ssa.Func, dom *DomTree, a *Aliases) *Memory {
	m := &Memory{Aliases: a, dom: dom, own: ssa.Make[Mask](f, f.NumBlocks()), join: ssa.Make[Mask](f, f.NumBlocks())}
	for _, b := range dom.Order() {
		for _, v := range b.Values {
			m.own[b.ID] |= a.Written(v)
		}
	}
	seen := ssa.Make[*ssa.Block](f, f.NumBlocks())
	for changed := true; changed; {
		changed = false
		clear(seen)
		for _, b := range dom.Order() {
			if len(b.Preds) < 2 {
				continue
			}
			now := m.join[b.ID]
			for _, p := range b.Preds {
				for at := p; at != nil && at != dom.Idom(b) && dom.Reaches(at) && seen[at.ID] != b; at = dom.Idom(at) {
					seen[at.ID] = b
					now |= m.own[at.ID] | m.join[at.ID]
				}
			}
			if now != m.join[b.ID] {
				m.join[b.ID] = now
				changed = true
			}
		}
	}
	return m
}

// Between returns the roots whose memory may change after the end of b's
// immediate dominator and before b begins.
func (m *Memory) Between(b *ssa.Block) Mask { return m.join[b.ID] }

// InLoop returns the roots whose memory an iteration of l may change.
func (m *Memory) InLoop(l *Loop) Mask {
	var all Mask
	for _, b := range l.Blocks {
		all |= m.own[b.ID]
	}
	return all
}

// String returns a line a block: the roots it writes, and those written on the
// paths to it; "rest" stands for pointers without a root of their own.
func (m *Memory) String() string {
	var s strings.Builder
	for _, b := range m.f.Blocks {
		fmt.Fprintf(&s, "%s: writes%s, before it%s\n", b, m.names(m.own[b.ID]), m.names(m.join[b.ID]))
	}
	return s.String()
}

func (m *Memory) names(set Mask) string {
	s := ""
	for i, r := range m.roots {
		if set>>i&1 != 0 {
			s += " " + r.String()
		}
	}
	if set>>lastClass != 0 {
		s += " rest"
	}
	if s == "" {
		return " nothing"
	}
	return s
}

// ReadOnly returns the loads of kernel f that find the same whenever they run
// in it, and that may go through the read-only path: those from global memory
// which no store, atomic or call of the kernel may alias. What other kernels or
// the host write meanwhile does not count: CUDA leaves it undefined.
func ReadOnly(f *ssa.Func, a *Aliases) []*ssa.Value {
	if !f.Kernel {
		return nil
	}
	var written Mask
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			switch {
			case v.Op == ssa.OpStore:
				written |= a.Near(v.Args[0])
			case v.Op.IsAtomic():
				written |= a.Near(v.Args[0])
			case v.Op == ssa.OpCall:
				written |= a.Written(v) &^ a.unescaped()
			}
		}
	}
	var loads []*ssa.Value
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == ssa.OpLoad && !v.Mem.Volatile && a.space(v.Args[0]) == ssa.PtrGlobal && a.Class(v.Args[0])&written == 0 {
				loads = append(loads, v)
			}
		}
	}
	return loads
}

// unescaped returns the roots that a called function cannot reach.
func (a *Aliases) unescaped() Mask {
	var set Mask
	for _, r := range a.roots {
		if a.private(r) {
			set |= 1 << a.class[r.ID]
		}
	}
	return set
}
