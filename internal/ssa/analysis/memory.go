package analysis

import (
	"fmt"
	"strings"

	"irgl/internal/ssa"
)

// Memory holds which memory may be written on the paths between blocks.
type Memory struct {
	*Aliases
	dom  *DomTree
	own  []Mask // by block number: the roots that the block writes
	join []Mask // by block number: see Between
}

// Clobbers computes the roots of a that each block of f writes, and those
// that the paths to each block from its immediate dominator write. The sets
// only grow, over a few sweeps in reverse postorder.
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

// Between returns the roots whose memory may change between the end of b's
// immediate dominator and the start of b.
func (m *Memory) Between(b *ssa.Block) Mask { return m.join[b.ID] }

// Writes returns the roots whose memory b may change.
func (m *Memory) Writes(b *ssa.Block) Mask { return m.own[b.ID] }

// InLoop returns the roots whose memory an iteration of l may change.
func (m *Memory) InLoop(l *Loop) Mask {
	var all Mask
	for _, b := range l.Blocks {
		all |= m.own[b.ID]
	}
	return all
}

// String returns a line per block: the roots it writes, and those written on
// the paths to it; "rest" stands for the roots that share the last bit.
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

// ReadOnly returns the loads of kernel f whose memory is read-only while f
// runs, so that ld.global.nc may be used: loads from global memory that no
// store, atomic or call of the kernel may alias. Concurrent writes by other
// kernels or the host do not count: CUDA leaves them undefined. Of functions that are
// no kernels, loads of variables that nothing writes.
func ReadOnly(f *ssa.Func, a *Aliases) []*ssa.Value {
	var written Mask
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			switch {
			case v.Op == ssa.OpStore:
				written |= a.Near(v.Args[0])
			case v.Op.IsAtomic():
				written |= a.Near(v.Args[0])
			case v.Op.IsCall(), v.Op.IsAsm() && v.Op.Effects()&ssa.Writes != 0:
				written |= a.Written(v) &^ a.unescaped()
			}
		}
	}
	var loads []*ssa.Value
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == ssa.OpLoad && !v.Mem.Volatile && a.space(v.Args[0]) == ssa.PtrGlobal && (f.Kernel && a.Class(v.Args[0])&written == 0 || a.constant(v.Args[0])) {
				loads = append(loads, v)
			}
		}
	}
	return loads
}

// constant reports whether p points into a variable that nothing writes.
func (a *Aliases) constant(p *ssa.Value) bool {
	r := a.root[p.ID]
	return r != nil && r.Op == ssa.OpGlobalAddr && a.constants[r.Callee()]
}

// unescaped returns the roots that a called function cannot access.
func (a *Aliases) unescaped() Mask {
	var set Mask
	for _, r := range a.roots {
		if a.private(r) {
			set |= 1 << a.class[r.ID]
		}
	}
	return set
}
