package analysis

import (
	"slices"

	"irgl/internal/check"
	"irgl/syntax"
)

// This file answers for all places of a loop at once what count and reachBack
// answer for one, so that a question for each of n statements does not cost n
// walks over the graph.

// rounds is what is known of the iterations of a loop, or of a run of the
// function, by number in the split graph.
type rounds struct {
	from  []int32 // where an iteration begins
	stop  *Node   // where it ends
	often []bool  // what an iteration can come back to
	once  []bool  // what every iteration executes
	// set are the locals that the iterations write, or whose address they take.
	set map[*check.Object]bool
	// after holds, for a few places, what an iteration can execute after them.
	after map[int32][]bool
}

// maxAfter bounds the sets in rounds.after: each has the size of the graph.
const maxAfter = 8

// rounds returns what is known of loop s, or, when s is nil, of a run of f.
func (f *Func) rounds(s syntax.Stmt) *rounds {
	if r := f.perLoop[s]; r != nil {
		return r
	}
	f.walks++
	r := &rounds{after: map[int32][]bool{}}
	r.from, r.stop = f.roundOf(s)
	r.often = f.repeated(f.split.node(r.stop))
	r.once = f.unavoidable(r.from, r.stop)
	if f.perLoop == nil {
		f.perLoop = map[syntax.Stmt]*rounds{}
	}
	f.perLoop[s] = r
	return r
}

// roundOf returns where an iteration of s begins and where it ends.
func (f *Func) roundOf(s syntax.Stmt) (from []int32, stop *Node) {
	if s == nil {
		return []int32{f.split.node(f.Graph.Start())}, f.Graph.Exit()
	}
	head := f.Graph.Heads[s]
	for _, e := range head.Succs {
		if e.Kind == True {
			from = append(from, f.split.edge(e))
		}
	}
	if w, ok := s.(*syntax.WhileStmt); ok && w.Do {
		from = nil
		for _, m := range f.Graph.Nodes {
			if m.Kind == Do && m.Stmt == s {
				from = f.split.d.succs[m.ID]
			}
		}
	}
	return from, head
}

// repeated returns the places that lie on a cycle that does not pass through
// stop: the strongly connected components without it, by Tarjan's algorithm.
func (f *Func) repeated(stop int32) []bool {
	succs := f.split.d.succs
	n := len(succs)
	often := make([]bool, n)
	number, low := make([]int32, n), make([]int32, n)
	onPath := make([]bool, n)
	var path []int32
	type frame struct{ v, next int32 }
	var stack []frame
	count := int32(0)
	enter := func(v int32) {
		count++
		number[v], low[v] = count, count
		path, onPath[v] = append(path, v), true
		stack = append(stack, frame{v, 0})
	}
	for root := range int32(n) {
		if number[root] != 0 || root == stop || f.isWait(root) {
			continue
		}
		enter(root)
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			v := top.v
			if int(top.next) < len(succs[v]) {
				w := succs[v][top.next]
				top.next++
				switch {
				case w == stop || f.isWait(w):
				case number[w] == 0:
					enter(w)
				case onPath[w]:
					low[v] = min(low[v], number[w])
					often[v] = often[v] || w == v
				}
				continue
			}
			stack = stack[:len(stack)-1]
			if len(stack) > 0 {
				parent := stack[len(stack)-1].v
				low[parent] = min(low[parent], low[v])
			}
			if low[v] != number[v] {
				continue
			}
			for single := path[len(path)-1] == v; ; {
				w := path[len(path)-1]
				path, onPath[w] = path[:len(path)-1], false
				often[w] = often[w] || !single
				if w == v {
					break
				}
			}
		}
	}
	return often
}

// unavoidable returns the places through which every path goes that leads from
// the given ones to stop, to the exit, or out of the loop that stop is the head of:
// the dominators of one node behind all these ends.
func (f *Func) unavoidable(from []int32, stop *Node) []bool {
	n := len(f.split.d.succs)
	start, end := int32(n), int32(n+1)
	ends := make([]bool, n)
	for _, m := range f.Graph.Nodes {
		ends[f.split.node(m)] = m == stop || m == f.Graph.Exit() || stop.Stmt != nil && isLoop(stop.Stmt) && !m.Within(stop.Stmt)
	}
	d := newDigraph(n + 2)
	link := func(v, w int32) {
		if !f.isWait(w) {
			d.add(v, w)
		}
	}
	for _, v := range from {
		link(start, v)
	}
	for v := range int32(n) {
		if ends[v] {
			d.add(v, end)
			continue
		}
		if f.isWait(v) {
			continue
		}
		for _, w := range f.split.d.succs[v] {
			link(v, w)
		}
	}
	order := postorder(start, d.succs, make([]bool, n+2), nil)
	slices.Reverse(order)
	idom := immediate(order, n+2, d.preds)
	once := make([]bool, n)
	if idom[end] < 0 { // no iteration ends
		for v := range once {
			once[v] = true
		}
		return once
	}
	for v := idom[end]; v != start; v = idom[v] {
		once[v] = true
	}
	return once
}

// perRound returns how often v is executed in an iteration of loop s, or, when s
// is nil, in a run of the function.
func (f *Func) perRound(v int32, s syntax.Stmt) Count {
	r := f.rounds(s)
	switch {
	case v == f.split.node(r.stop) || v == f.split.node(f.Graph.Exit()):
		return f.count(v, r.from, r.stop)
	case r.often[v]:
		return Often
	case r.once[v]:
		return Once
	}
	return AtMostOnce
}

// sets returns the locals that the iterations of loop s write, or whose address
// they take.
func (r *rounds) sets(f *Func, s syntax.Stmt) map[*check.Object]bool {
	if r.set != nil {
		return r.set
	}
	r.set = map[*check.Object]bool{}
	for i, n := range f.Graph.Nodes {
		if !n.inside(s) && n != f.Graph.Heads[s] {
			continue
		}
		for _, ref := range f.Effects[i].Refs {
			if ref.Mode&(Write|Escape) != 0 {
				r.set[ref.Object] = true
			}
		}
	}
	return r.set
}

// before answers for one node of an iteration what the iteration can execute
// before it.
type before struct {
	f    *Func
	n    *Node
	s    syntax.Stmt
	back []bool // found by a walk from n, once that is needed
}

// has reports whether an iteration of the loop can execute m before the node, or
// m is the node. The walks from the first few places that are asked for serve
// all nodes; beyond those there is one walk for each node.
func (b *before) has(m *Node) bool {
	f, head := b.f, b.f.Graph.Heads[b.s]
	if m == b.n || m != head && f.Dom.Dominates(head, m) && f.Dom.Dominates(m, b.n) {
		return true // all paths to the node lead through m, after the head
	}
	if b.back != nil {
		return b.back[f.split.node(m)]
	}
	r, v := f.rounds(b.s), f.split.node(m)
	after, ok := r.after[v]
	switch {
	case ok:
	case len(r.after) < maxAfter:
		after = f.reachAfter(v, f.split.node(head))
		r.after[v] = after
	default:
		b.back = f.reachBack(f.split.node(b.n), f.split.node(head))
		return b.back[v]
	}
	return after[f.split.node(b.n)]
}

// reachAfter returns to where control can come from v without passing through
// avoid, by number in the split graph.
func (f *Func) reachAfter(v, avoid int32) []bool {
	f.walks++
	seen := make([]bool, len(f.split.d.succs))
	work := []int32{v}
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[x] {
			continue
		}
		seen[x] = true
		if x != avoid || x == v {
			work = append(work, f.split.d.succs[x]...)
		}
	}
	return seen
}
