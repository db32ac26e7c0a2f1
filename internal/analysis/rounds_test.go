package analysis

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"irgl/syntax"
)

// verifyRounds compares what is known of all places of a loop with what a walk
// for each of them finds.
func verifyRounds(t *testing.T, f *Func) {
	t.Helper()
	loops := []syntax.Stmt{nil}
	for _, n := range f.Graph.Nodes {
		for _, s := range n.Loops() {
			if f.Graph.Heads[s] != nil && !slices.Contains(loops, s) {
				loops = append(loops, s)
			}
		}
	}
	for _, s := range loops {
		from, stop := f.roundOf(s)
		for v := range int32(len(f.split.d.succs)) {
			if got, want := f.perRound(v, s), f.count(v, from, stop); got != want {
				t.Fatalf("place %d in an iteration of the loop at %s: %s times, a walk finds %s\n%s", v, at(s), got, want, f.Print())
			}
		}
		if s == nil {
			continue
		}
		for i, n := range f.Graph.Nodes {
			if !n.inside(s) || !f.Dom.Has(n) || i%3 != 0 {
				continue
			}
			back := f.reachBack(f.split.node(n), f.split.node(f.Graph.Heads[s]))
			b := &before{f: f, n: n, s: s}
			for _, m := range f.Graph.Nodes {
				if m.inside(s) && b.has(m) != back[f.split.node(m)] {
					t.Fatalf("%s before %s in the loop at %s: %t\n%s", m.Name(), n.Name(), at(s), b.has(m), f.Print())
				}
			}
		}
	}
}

// verifyPlaces compares the edge after each node on which a barrier can be placed
// with the first that a walk over all of them finds.
func verifyPlaces(t *testing.T, f *Func) {
	t.Helper()
	sp := f.split
	for _, p := range []*Focal{f.FocalPoints(f.Uniform()), f.FocalPoints(f.Uniform(scheduled(f)...))} {
		for _, n := range f.Graph.Nodes {
			if !f.Dom.Has(n) || n.Kind == Post {
				continue
			}
			var want *Edge
			for v := sp.pdom[sp.node(n)]; v >= 0 && want == nil; v = sp.pdom[v] {
				k, ok := sp.isEdge(v)
				if !ok {
					continue
				}
				e := f.Graph.Edges[k]
				if _, ok := f.PlaceOf(e); ok && p.Edge(e) && !returns(n, e) {
					want = e
				}
			}
			if got := f.placeAfter(&Site{Node: n}, p); got != want {
				t.Fatalf("after %s: %v, a walk finds %v\n%s", n.Name(), got, want, f.Print())
			}
		}
	}
}

// returns reports whether control can come from n to n without passing e.
func returns(n *Node, e *Edge) bool {
	seen := map[*Node]bool{}
	work := slices.Clone(n.Succs)
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if x == e || seen[x.To] {
			continue
		}
		if x.To == n {
			return true
		}
		seen[x.To] = true
		work = append(work, x.To.Succs...)
	}
	return false
}

// TestBatchScale counts walks over the graph: what a loop over edges loads is
// found without a walk for each statement.
func TestBatchScale(t *testing.T) {
	walks := func(lines int) int {
		info := parse(t, "k.irgl", fmt.Appendf(nil, `Graph graph { Node int x; }
Kernel K(graph) { ForAll (n In graph.nodes) { ForAll (e In n.edges) {
%s} } }
Host main() { Invoke K(graph); }
`, strings.Repeat("n.x = n.x + 1;\ne.dst.x = e.dst.x + 1;\nif (n.x > 3) { e.dst.x = n.x; }\n", lines)))
		total := 0
		for _, fn := range info.Funcs {
			f := New(info, fn)
			f.Batches()
			total += f.walks
		}
		return total
	}
	small, large := walks(10), walks(400)
	if small == 0 || large > 2*small {
		t.Errorf("%d walks over the graph for 10 lines, %d for 400", small, large)
	}
}
