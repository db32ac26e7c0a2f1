package analysis

import (
	"slices"
	"strings"
)

// A Focal is the focal points of a function under a hypothesis of which
// branches are uniform: the nodes that are iteratively control-dependent only
// on uniform branches, other than possibly themselves (IrGL paper, section
// 4.2.2).
//
// Every thread of a block comes to a focal point, but a branch that is focal
// and not uniform may be left at different times. What a barrier can be placed on
// is a focal edge: the edge into a loop, say, and not the one back to its head.
type Focal struct {
	f       *Func
	u       *Uniform
	tainted [][]int32 // by number in the split graph: see Func.tainted
	// first holds what firstPlace has found, by number in the split graph: that of
	// the edge and 1, -1 for none, 0 where it has not looked. avoiding holds for an
	// edge which places lie on a cycle without it.
	first    []int32
	avoiding map[*Edge]map[int32]bool
}

// FocalPoints returns the focal points of f when the branches in u are uniform.
func (f *Func) FocalPoints(u *Uniform) *Focal {
	return &Focal{f: f, u: u, tainted: f.tainted(u)}
}

// tainted returns, by number in the split graph, up to two branches that are
// not uniform on which each node depends, directly or through others. Two are
// enough to tell whether there is one beside the node itself, so that the work
// is linear in the number of dependences. The numbers of nodes other than the
// exit are those of the graph.
func (f *Func) tainted(u *Uniform) [][]int32 {
	s := f.split
	out := make([][]int32, len(s.deps))
	below := make([][]int32, len(s.deps)) // the nodes that depend on a node
	for v, deps := range s.deps {
		if moved, ok := u.moved[v]; ok {
			deps = moved
		}
		for _, b := range deps {
			below[b] = append(below[b], int32(v))
		}
	}
	type fact struct{ node, branch int32 }
	var work []fact
	put := func(v, b int32) {
		if len(out[v]) < 2 && !slices.Contains(out[v], b) {
			out[v] = append(out[v], b)
			work = append(work, fact{v, b})
		}
	}
	for _, n := range f.Graph.Nodes {
		if len(n.Succs) > 1 && !u.branch[n.ID] {
			for _, v := range below[n.ID] {
				put(v, int32(n.ID))
			}
		}
	}
	for _, b := range s.endless { // which threads stay in such a loop is not known
		for _, v := range below[b] {
			put(v, b)
		}
	}
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		for _, v := range below[x.node] {
			put(v, x.branch)
		}
	}
	return out
}

// Has reports whether n is a focal point.
func (p *Focal) Has(n *Node) bool {
	return p.f.Dom.Has(n) && p.ok(p.f.split.node(n))
}

// Edge reports whether a barrier can be placed on e.
func (p *Focal) Edge(e *Edge) bool {
	return p.f.Dom.Has(e.From) && e.Kind != Wait && p.ok(p.f.split.edge(e))
}

// ok reports whether a node of the split graph is focal.
func (p *Focal) ok(v int32) bool {
	for _, b := range p.tainted[v] {
		if b != v {
			return false
		}
	}
	return true
}

// firstPlace returns the first edge that all paths from n pass and on which a
// barrier can be placed, or nil. What it finds serves all places in between.
func (p *Focal) firstPlace(n *Node) *Edge {
	sp := p.f.split
	if p.first == nil {
		p.first = make([]int32, len(sp.pdom))
	}
	var passed []int32
	found := int32(-1)
	for v := sp.node(n); v >= 0; v = sp.pdom[v] {
		if p.first[v] != 0 {
			found = p.first[v]
			break
		}
		p.f.steps++
		passed = append(passed, v)
		if k, ok := sp.isEdge(v); ok {
			e := p.f.Graph.Edges[k]
			if _, ok := p.f.PlaceOf(e); ok && p.Edge(e) {
				found = int32(k) + 1
				break
			}
		}
	}
	for _, v := range passed {
		p.first[v] = found
	}
	if found < 0 {
		return nil
	}
	return p.f.Graph.Edges[found-1]
}

// again reports whether control can come from n to n without passing e, which all
// paths from n to the exit pass: a search ends there, and serves all nodes before.
func (p *Focal) again(n *Node, e *Edge) bool {
	onCycle := p.avoiding[e]
	if onCycle == nil {
		onCycle = map[int32]bool{}
		if p.avoiding == nil {
			p.avoiding = map[*Edge]map[int32]bool{}
		}
		p.avoiding[e] = onCycle
	}
	sp := p.f.split
	v, avoid := sp.node(n), sp.edge(e)
	if _, known := onCycle[v]; !known {
		p.f.cycles.begin(len(sp.d.succs))
		p.f.findCycles(v, func(w int32) bool {
			_, known := onCycle[w]
			return w == avoid || known
		}, onCycle)
	}
	return onCycle[v]
}

// Nodes returns the focal points in order.
func (p *Focal) Nodes() []*Node {
	var out []*Node
	for _, n := range p.f.Graph.Nodes {
		if p.Has(n) {
			out = append(out, n)
		}
	}
	return out
}

// Edges returns the edges on which a barrier can be placed, in order.
func (p *Focal) Edges() []*Edge {
	var out []*Edge
	for _, e := range p.f.Graph.Edges {
		if p.Edge(e) {
			out = append(out, e)
		}
	}
	return out
}

// Cause returns a branch because of which n is no focal point, or nil: the one
// last in the text of those known.
func (p *Focal) Cause(n *Node) *Node {
	var cause *Node
	for _, b := range p.tainted[p.f.split.node(n)] {
		if int(b) != n.ID && int(b) < p.f.split.nodes-1 && (cause == nil || int(b) > cause.ID) {
			cause = p.f.Graph.Nodes[b]
		}
	}
	return cause
}

// Met returns the nodes that every thread has met which is at n: those that
// dominate n, as for any graph, and the focal points from which n is reached.
// These are the sets of Figure 6 of the IrGL paper.
func (p *Focal) Met(n *Node) []*Node {
	back := make([]bool, len(p.f.Graph.Nodes))
	work := []*Node{n}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if back[at.ID] {
			continue
		}
		back[at.ID] = true
		for _, e := range at.Preds {
			work = append(work, e.From)
		}
	}
	var out []*Node
	for _, m := range p.f.Graph.Nodes {
		if back[m.ID] && (p.f.Dom.Dominates(m, n) || p.Has(m)) {
			out = append(out, m)
		}
	}
	return out
}

// set prints nodes as the paper does: numbers, then Exit, then Start.
func set(nodes []*Node) string {
	sorted := slices.Clone(nodes)
	rank := func(n *Node) int {
		switch n.Kind {
		case Start:
			return 1 << 30
		case Exit:
			return 1<<30 - 1
		}
		return n.ID
	}
	slices.SortFunc(sorted, func(a, b *Node) int { return rank(a) - rank(b) })
	var names []string
	for _, n := range sorted {
		names = append(names, n.Name())
	}
	return "{" + strings.Join(names, ", ") + "}"
}

// Print writes the sets of Figure 6: each node with what every thread at it has
// met. Uniform branches are marked (u), focal points *. The last lines are the
// set of focal points and the edges on which a barrier can be placed.
func (p *Focal) Print() string {
	var b strings.Builder
	for _, n := range p.f.Graph.Nodes {
		if !p.f.Dom.Has(n) {
			continue
		}
		b.WriteString(n.Name())
		if n.Stmt != nil {
			b.WriteString(": " + n.String())
		}
		if len(n.Succs) > 1 && p.u.Has(n) {
			b.WriteString(" (u)")
		}
		if p.Has(n) {
			b.WriteString(" *")
		}
		b.WriteString(" " + set(p.Met(n)) + "\n")
	}
	b.WriteString("focal " + set(p.Nodes()) + "\nbarriers")
	for _, e := range p.Edges() {
		b.WriteString(" " + e.From.Name() + "->" + e.To.Name())
	}
	return b.String() + "\n"
}

// PrintDeps writes the control dependence graph (Figure 5), a node a line with
// the branches it depends on; those in u are marked (u).
func (f *Func) PrintDeps(u *Uniform) string {
	var b strings.Builder
	for _, n := range f.Graph.Nodes {
		if len(f.Deps[n.ID]) == 0 {
			continue
		}
		b.WriteString(n.Name() + " <-")
		for _, d := range f.Deps[n.ID] {
			b.WriteString(" " + d.Name())
			if len(d.Succs) > 1 && u.Has(d) {
				b.WriteString("(u)")
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Converges returns the focal points of f with the program as it is.
func (f *Func) Converges() *Focal { return f.focal(nil) }
