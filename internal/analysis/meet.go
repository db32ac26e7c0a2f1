package analysis

import (
	"maps"
	"slices"

	"irgl/internal/check"
	"irgl/syntax"
)

// This file finds where the threads of a control kernel must wait for each other
// (IrGL paper, section 4.1), so that none reads device memory that another has yet
// to write, or writes what another has yet to read. There is a barrier after each
// invocation anyway, and of the globals that no kernel uses each thread has a copy.

// An End is the end of an arm of an if, which control reaches but for jumps.
type End struct {
	If  *syntax.IfStmt
	Arm Arm // Then or Else
}

// accesses are what was read and written since the last barrier.
type accesses map[*check.Object]Mode

func (a accesses) add(b accesses) {
	for obj, m := range b {
		a[obj] |= m
	}
}

// meets reports whether two steps must not run at the same time.
func (a accesses) meets(b accesses) bool {
	for obj, m := range b {
		if a[obj]&Write != 0 || a[obj] != 0 && m&Write != 0 {
			return true
		}
	}
	return false
}

// meetings are the barriers of a region while they are looked for.
type meetings struct {
	f      *Func
	region []bool
	own    []accesses // of each node, its kernels' included
	runs   []bool     // the node invokes a kernel: a barrier follows
	ends   map[End]bool
}

// barriers finds the nodes of the region before which there must be a barrier, and
// the arms at whose ends there must be one. Where the accesses of one arm alone make
// the barrier necessary, before the next round of a loop say, it is placed at the end of
// that arm: the paths around it do without.
func (f *Func) barriers(o *Outline) {
	m := f.meetings(o)
	o.Barriers = m.solve()
	for _, end := range m.candidates() {
		m.ends[end] = true
		left := m.solve()
		seldom := func(n *Node) bool { return !slices.Contains(left, n) && !f.asOften(n, end.If) }
		if len(left) < len(o.Barriers) && !slices.ContainsFunc(o.Barriers, seldom) {
			o.Barriers, o.Ends = left, append(o.Ends, end)
		} else {
			delete(m.ends, end)
		}
	}
}

func (f *Func) meetings(o *Outline) *meetings {
	m := &meetings{f: f, region: f.region(o.Stmt), own: make([]accesses, len(f.Graph.Nodes)), runs: make([]bool, len(f.Graph.Nodes)), ends: map[End]bool{}}
	for i := range f.Graph.Nodes {
		own := accesses{}
		for _, r := range f.Effects[i].Refs {
			if isShared(r.Object) && r.Object.Const == nil && !slices.Contains(o.HostOnly, r.Object) {
				own[r.Object] |= r.Mode & (Read | Write)
			}
		}
		m.own[i] = own
	}
	for _, c := range o.Calls {
		i := c.Node.ID
		m.runs[i] = true
		for _, obj := range c.Kernel.Reads {
			m.own[i][obj] |= Read
		}
		for _, obj := range c.Kernel.Writes {
			m.own[i][obj] |= Write
		}
	}
	return m
}

// candidates returns the arms that access anything, outer ones first.
func (m *meetings) candidates() []End {
	var list []End
	for i, n := range m.f.Graph.Nodes {
		s, ok := n.Stmt.(*syntax.IfStmt)
		if !ok || n.Kind != If || !m.region[i] {
			continue
		}
		for _, arm := range []Arm{Then, Else} {
			if slices.ContainsFunc(m.f.Graph.Nodes, func(n *Node) bool { return len(m.own[n.ID]) > 0 && n.inArm(s, arm) }) {
				list = append(list, End{s, arm})
			}
		}
	}
	return list
}

// solve returns the nodes before which there must be a barrier, beside those that
// are placed at the ends. It is a forward analysis of what has been accessed since the
// last barrier.
func (m *meetings) solve() []*Node {
	nodes := m.f.Graph.Nodes
	at := make([]accesses, len(nodes)) // at the end of a node
	need := make([]bool, len(nodes))
	for changed := true; changed; {
		changed = false
		for i, n := range nodes {
			if !m.region[i] || !m.f.Dom.Has(n) {
				continue
			}
			in := accesses{}
			for _, e := range n.Preds {
				if !m.ended(e) {
					in.add(at[e.From.ID])
				}
			}
			need[i] = need[i] || in.meets(m.own[i])
			out := accesses{}
			if !m.runs[i] { // else it ends with a barrier
				if !need[i] {
					out.add(in)
				}
				out.add(m.own[i])
			}
			if at[i] == nil || !maps.Equal(at[i], out) {
				at[i], changed = out, true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(nodes), func(n *Node) bool { return !need[n.ID] })
}

// ended reports whether a path leads over a barrier at the end of an arm.
func (m *meetings) ended(e *Edge) bool {
	s, ok := e.To.Stmt.(*syntax.IfStmt)
	if !ok || e.To.Kind != Join {
		return false
	}
	return m.ends[End{s, Then}] && e.From.inArm(s, Then) || m.ends[End{s, Else}] && e.From.inArm(s, Else)
}

// inArm reports whether a node is in an arm of an if.
func (n *Node) inArm(s *syntax.IfStmt, arm Arm) bool {
	for sc := n.Scope; sc != nil; sc = sc.Outer {
		if sc.Stmt == s {
			return sc.Arm == arm
		}
	}
	return false
}

// asOften reports whether n is in all loops that a statement is in, so that control
// reaches it as often, or more.
func (f *Func) asOften(n *Node, s *syntax.IfStmt) bool {
	for sc := f.Graph.Heads[s].Scope; sc != nil; sc = sc.Outer {
		if isLoop(sc.Stmt) && !n.Within(sc.Stmt) {
			return false
		}
	}
	return true
}
