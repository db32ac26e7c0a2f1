package analysis

import (
	"slices"
)

// This file computes dominators, postdominators and control dependence (IrGL
// paper, section 4.2.2) on graphs of numbers, so that the graph with a node on
// every edge can share it. Nothing here recurs.

// A digraph is a graph whose node 0 is the start and whose last is the exit.
type digraph struct{ succs, preds [][]int32 }

func newDigraph(n int) *digraph {
	return &digraph{make([][]int32, n), make([][]int32, n)}
}

func (d *digraph) add(from, to int32) {
	d.succs[from] = append(d.succs[from], to)
	d.preds[to] = append(d.preds[to], from)
}

// digraph returns g as numbers.
func (g *Graph) digraph() *digraph {
	d := newDigraph(len(g.Nodes))
	for _, e := range g.Edges {
		d.add(int32(e.From.ID), int32(e.To.ID))
	}
	return d
}

// A split is a graph with a node on every edge, for what is put
// there: edge i is node 1+i after the nodes of the graph, less the exit, which
// stays the last.
type split struct {
	d     *digraph
	nodes int // of the graph
	deps  [][]int32
	pdom  []int32
	// endless are the nodes of loops without an exit that count as ending them.
	endless []int32
}

// split returns g with a node on every edge, and its control dependence.
func (g *Graph) split() *split {
	s := &split{d: newDigraph(len(g.Nodes) + len(g.Edges)), nodes: len(g.Nodes)}
	for _, e := range g.Edges {
		mid := s.edge(e)
		s.d.add(s.node(e.From), mid)
		s.d.add(mid, s.node(e.To))
	}
	pd := s.d.postIdoms()
	s.pdom, s.endless = pd.idom, pd.endless
	s.deps = s.d.controlDeps(pd)
	return s
}

// node and edge return the numbers of n and e.
func (s *split) node(n *Node) int32 {
	if n.Kind == Exit {
		return int32(len(s.d.succs) - 1)
	}
	return int32(n.ID)
}

func (s *split) edge(e *Edge) int32 { return int32(s.nodes - 1 + e.ID) }

// isEdge reports whether number i is that of an edge, and for which.
func (s *split) isEdge(i int32) (int, bool) {
	k := int(i) - (s.nodes - 1)
	return k, k >= 0 && int(i) < len(s.d.succs)-1
}

// postorder visits what is reachable from root along next, in postorder,
// leaving out what seen has already.
func postorder(root int32, next [][]int32, seen []bool, out []int32) []int32 {
	type step struct{ n, i int32 }
	if seen[root] {
		return out
	}
	seen[root] = true
	stack := []step{{root, 0}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if int(top.i) == len(next[top.n]) {
			out = append(out, top.n)
			stack = stack[:len(stack)-1]
			continue
		}
		m := next[top.n][top.i]
		top.i++
		if !seen[m] {
			seen[m] = true
			stack = append(stack, step{m, 0})
		}
	}
	return out
}

// immediate returns the immediate dominators, by number, of the nodes in order
// (a reverse postorder from the root), given the edges that lead into a node.
// It is -1 for the root and what is not in order. The algorithm is that of
// Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm", 2001).
func immediate(order []int32, n int, into [][]int32) []int32 {
	rank := make([]int32, n)
	idom := make([]int32, n)
	for i := range rank {
		rank[i], idom[i] = -1, -1
	}
	for i, v := range order {
		rank[v] = int32(i)
	}
	root := order[0]
	idom[root] = root
	for changed := true; changed; {
		changed = false
		for _, v := range order[1:] {
			d := int32(-1)
			for _, p := range into[v] {
				if rank[p] < 0 || idom[p] < 0 {
					continue
				}
				if d < 0 {
					d = p
					continue
				}
				for d != p {
					for rank[d] > rank[p] {
						d = idom[d]
					}
					for rank[p] > rank[d] {
						p = idom[p]
					}
				}
			}
			if d != idom[v] {
				idom[v], changed = d, true
			}
		}
	}
	idom[root] = -1
	return idom
}

// idoms returns the immediate dominators with the given root.
func (d *digraph) idoms(root int32) []int32 {
	order := postorder(root, d.succs, make([]bool, len(d.succs)), nil)
	slices.Reverse(order)
	return immediate(order, len(d.succs), d.preds)
}

// A postResult is the postdominators of the nodes that control reaches, and
// which nodes of loops without an exit count as leading to the exit.
type postResult struct {
	idom    []int32
	endless []int32
	reached []bool
}

// postIdoms returns the postdominators. A loop without an exit counts as
// ending at the last of its nodes in reverse postorder, so that every node is
// in the tree.
func (d *digraph) postIdoms() postResult {
	n := len(d.succs)
	exit := int32(n - 1)
	reached := make([]bool, n)
	forward := postorder(0, d.succs, reached, nil)
	reached[exit] = true
	into := make([][]int32, n) // edges of the reachable part, backward
	for v := range n {
		for _, p := range d.preds[v] {
			if reached[p] && reached[v] {
				into[v] = append(into[v], p)
			}
		}
	}
	seen := make([]bool, n)
	back := postorder(exit, into, seen, nil)
	r := postResult{reached: reached}
	for _, v := range forward { // the last in reverse postorder first
		if !seen[v] {
			r.endless = append(r.endless, v)
			back = postorder(v, into, seen, back)
		}
	}
	// With edges from endless nodes to the exit, everything is reached from
	// the exit: a second walk gives a true postorder.
	succs := d.succs
	if len(r.endless) > 0 {
		into[exit] = slices.Clone(into[exit])
		succs = slices.Clone(d.succs)
		for _, v := range r.endless {
			into[exit] = append(into[exit], v)
			succs[v] = append(slices.Clone(succs[v]), exit)
		}
		back = postorder(exit, into, make([]bool, n), nil)
	}
	slices.Reverse(back)
	r.idom = immediate(back, n, succs)
	return r
}

// controlDeps returns, by number, the nodes that each node is control-dependent
// on, ascending (Ferrante, Ottenstein and Warren, 1987). What postdominates the
// start depends on the start.
func (d *digraph) controlDeps(pd postResult) [][]int32 {
	n := len(d.succs)
	exit := int32(n - 1)
	deps := make([][]int32, n)
	endless := map[int32]bool{}
	for _, v := range pd.endless {
		endless[v] = true
	}
	depend := func(v, until, on int32) {
		for ; v != until && v >= 0 && v != exit; v = pd.idom[v] {
			if list := deps[v]; len(list) > 0 && list[len(list)-1] == on {
				return // and so for all above
			}
			deps[v] = append(deps[v], on)
		}
	}
	for v := range int32(n) {
		switch {
		case v == 0:
			for _, s := range d.succs[v] {
				depend(s, exit, 0)
			}
		case pd.reached[v] && (len(d.succs[v]) > 1 || endless[v]):
			for _, s := range d.succs[v] {
				depend(s, pd.idom[v], v)
			}
		}
	}
	return deps
}

// A Tree is a tree of dominators or postdominators.
type Tree struct {
	g           *Graph
	idom        []int32
	has         []bool
	children    [][]int32
	enter, exit []int32
}

// newTree makes the tree of g's nodes from the numbers of their parents.
func newTree(g *Graph, idom []int32) *Tree {
	n := len(idom)
	t := &Tree{g: g, idom: idom, has: make([]bool, n), children: make([][]int32, n), enter: make([]int32, n), exit: make([]int32, n)}
	parent := make([]bool, n)
	for v, d := range idom {
		if d >= 0 {
			t.children[d] = append(t.children[d], int32(v))
			t.has[v], parent[d] = true, true
		}
	}
	for v := range idom {
		if idom[v] < 0 && (parent[v] || n == 1) {
			t.has[v] = true
			t.number(int32(v))
		}
	}
	return t
}

// number gives the nodes under root the times at which a walk comes and goes.
func (t *Tree) number(root int32) {
	type step struct{ n, i int32 }
	clock := int32(1)
	t.enter[root] = clock
	stack := []step{{root, 0}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		clock++
		if int(top.i) == len(t.children[top.n]) {
			t.exit[top.n] = clock
			stack = stack[:len(stack)-1]
			continue
		}
		c := t.children[top.n][top.i]
		top.i++
		t.enter[c] = clock
		stack = append(stack, step{c, 0})
	}
}

// Has reports whether n is in the tree: control reaches it.
func (t *Tree) Has(n *Node) bool { return t.has[n.ID] }

// Dominates reports whether a is b or an ancestor of b; it is false when
// control never reaches one of them.
func (t *Tree) Dominates(a, b *Node) bool {
	return t.has[a.ID] && t.has[b.ID] && t.enter[a.ID] <= t.enter[b.ID] && t.exit[b.ID] <= t.exit[a.ID]
}
