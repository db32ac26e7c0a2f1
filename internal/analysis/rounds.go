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
	from []int32 // where an iteration begins
	stop *Node   // where it ends
	// within is the loop that often answers for, nil for the whole function.
	within  syntax.Stmt
	often   map[int32]bool // what an iteration can come back to
	once    map[int32]bool // what every iteration executes
	endless bool           // no iteration ends
	// set are the locals that the iterations write, or whose address they take.
	set map[*check.Object]bool
	// writers are, of the objects asked for, the nodes that may write them, and all
	// that take locks.
	writers map[*check.Object][]*Node
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
	if s != nil && f.entersByHead(s) {
		r.within = s
	}
	r.often = f.repeated(r.within, f.split.node(r.stop))
	r.once, r.endless = f.unavoidable(r.from, r.stop)
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

// entersByHead reports whether control enters loop s at its head alone. Then no
// cycle without the head leads out of the loop.
func (f *Func) entersByHead(s syntax.Stmt) bool {
	head := f.Graph.Heads[s]
	for _, n := range f.body(s) {
		f.steps++
		for _, e := range n.Preds {
			if e.From != head && !e.From.inside(s) {
				return false
			}
		}
	}
	return true
}

// A cycles is the memory of repeated and of those that search as it does:
// strongly connected components by Tarjan's algorithm, by number in the split graph.
type cycles struct {
	number, low []int32 // numbers up to start are of earlier searches
	onPath      []bool
	start, last int32
}

// repeated returns the places that lie on a cycle that does not pass through
// stop; with a loop, the places in it alone, and control enters it by its head.
func (f *Func) repeated(within syntax.Stmt, stop int32) map[int32]bool {
	f.cycles.begin(len(f.split.d.succs))
	often := map[int32]bool{}
	leaves := func(v int32) bool {
		return v == stop || f.isWait(v) || within != nil && int(v) < f.split.nodes-1 && !f.Graph.Nodes[v].inside(within)
	}
	nodes := f.Graph.Nodes
	if within != nil {
		nodes = f.body(within)
	}
	for _, n := range nodes {
		f.findCycles(f.split.node(n), leaves, often)
	}
	return often
}

// begin forgets the numbers of earlier searches.
func (c *cycles) begin(n int) {
	if c.number == nil {
		c.number, c.low, c.onPath = make([]int32, n), make([]int32, n), make([]bool, n)
	}
	c.start = c.last
}

// findCycles says in often which of the places to which control comes from root
// lie on a cycle; those that leaves accepts do not count as places. It visits what
// no earlier call has visited since begin.
func (f *Func) findCycles(root int32, leaves func(int32) bool, often map[int32]bool) {
	c, succs := &f.cycles, f.split.d.succs
	type frame struct{ v, next int32 }
	var stack []frame
	var path []int32
	enter := func(v int32) {
		f.steps++
		c.last++
		c.number[v], c.low[v] = c.last, c.last
		path, c.onPath[v], often[v] = append(path, v), true, false
		stack = append(stack, frame{v, 0})
	}
	if c.number[root] > c.start || leaves(root) {
		return
	}
	enter(root)
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		v := top.v
		if int(top.next) < len(succs[v]) {
			w := succs[v][top.next]
			top.next++
			switch {
			case c.number[w] <= c.start:
				if !leaves(w) {
					enter(w)
				}
			case c.onPath[w]:
				c.low[v] = min(c.low[v], c.number[w])
				often[v] = often[v] || w == v
			}
			continue
		}
		stack = stack[:len(stack)-1]
		if len(stack) > 0 {
			parent := stack[len(stack)-1].v
			c.low[parent] = min(c.low[parent], c.low[v])
		}
		if c.low[v] != c.number[v] {
			continue
		}
		for single := path[len(path)-1] == v; ; {
			w := path[len(path)-1]
			path, c.onPath[w] = path[:len(path)-1], false
			often[w] = often[w] || !single
			if w == v {
				break
			}
		}
	}
}

// unavoidable returns the places through which every path goes that leads from
// the given ones to stop, to the exit, or out of the loop that stop is the head of:
// the dominators of one node behind all these ends. It looks at what is before them
// alone. endless says that none comes to an end.
func (f *Func) unavoidable(from []int32, stop *Node) (once map[int32]bool, endless bool) {
	isEnd := func(v int32) bool {
		if v == int32(len(f.split.d.succs)-1) || v == f.split.node(stop) {
			return true
		}
		return int(v) < f.split.nodes-1 && stop.Stmt != nil && isLoop(stop.Stmt) && !f.Graph.Nodes[v].Within(stop.Stmt)
	}
	// The places are numbered as the search finds them: 0 is the start, 1 the end.
	places := []int32{-1, -1}
	number := map[int32]int32{}
	d := newDigraph(2)
	link := func(i, w int32) {
		if f.isWait(w) {
			return
		}
		k, ok := number[w]
		if !ok {
			f.steps++
			k = int32(len(places))
			number[w], places = k, append(places, w)
			d.succs, d.preds = append(d.succs, nil), append(d.preds, nil)
		}
		d.add(i, k)
	}
	for _, v := range from {
		link(0, v)
	}
	for i := int32(2); int(i) < len(places); i++ {
		if isEnd(places[i]) {
			d.add(i, 1)
			continue
		}
		for _, w := range f.split.d.succs[places[i]] {
			link(i, w)
		}
	}
	n := len(places)
	order := postorder(0, d.succs, make([]bool, n), nil)
	slices.Reverse(order)
	idom := immediate(order, n, d.preds)
	once = map[int32]bool{}
	if idom[1] < 0 {
		return once, true
	}
	for v := idom[1]; v != 0; v = idom[v] {
		once[places[v]] = true
	}
	return once, false
}

// perRound returns how often v is executed in an iteration of loop s, or, when s
// is nil, in a run of the function.
func (f *Func) perRound(v int32, s syntax.Stmt) Count {
	r := f.rounds(s)
	switch {
	case v == f.split.node(r.stop) || v == f.split.node(f.Graph.Exit()) || r.within != nil && !f.isIn(v, r.within):
		return f.count(v, r.from, r.stop)
	case r.often[v]:
		return Often
	case r.once[v] || r.endless:
		return Once
	}
	return AtMostOnce
}

// isIn reports whether a place is a node in loop s, or an edge from one.
func (f *Func) isIn(v int32, s syntax.Stmt) bool {
	if k, ok := f.split.isEdge(v); ok {
		return f.Graph.Edges[k].From.inside(s)
	}
	return f.Graph.Nodes[v].inside(s)
}

// sets returns the locals that the iterations of loop s write, or whose address
// they take.
func (r *rounds) sets(f *Func, s syntax.Stmt) map[*check.Object]bool {
	if r.set != nil {
		return r.set
	}
	r.set = map[*check.Object]bool{}
	for _, n := range append([]*Node{f.Graph.Heads[s]}, f.body(s)...) {
		for _, ref := range f.Effects[n.ID].Refs {
			if ref.Mode&(Write|Escape) != 0 {
				r.set[ref.Object] = true
			}
		}
	}
	return r.set
}

// writersOf returns the nodes in loop s that may write o or take a lock, in order.
func (r *rounds) writersOf(f *Func, s syntax.Stmt, o *check.Object) []*Node {
	list, ok := r.writers[o]
	if ok {
		return list
	}
	for _, n := range f.body(s) {
		f.steps++
		if n.Kind == Atomic || mayWrite(f.Effects[n.ID], o) {
			list = append(list, n)
		}
	}
	if r.writers == nil {
		r.writers = map[*check.Object][]*Node{}
	}
	r.writers[o] = list
	return list
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
func (f *Func) reachAfter(v, avoid int32) []bool { return f.spread(v, avoid, f.split.d.succs) }

// spread returns the places to which the edges of next lead from v, v among them,
// but no further than avoid.
func (f *Func) spread(v, avoid int32, next [][]int32) []bool {
	f.walks++
	seen := make([]bool, len(next))
	work := []int32{v}
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[x] {
			continue
		}
		f.steps++
		seen[x] = true
		if x != avoid || x == v {
			work = append(work, next[x]...)
		}
	}
	return seen
}
