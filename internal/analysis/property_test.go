package analysis

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/golden"
	"irgl/syntax"
)

// seeds returns the programs of the archives here, of check and of the parser.
func seeds(t testing.TB) []txtar.File {
	return golden.Seeds(t, []string{".cu", ".irgl"}, "testdata/*.txtar", "../check/testdata/*.txtar", "../../syntax/testdata/*.txtar")
}

// FuzzAnalyse runs everything on arbitrary programs that check: no panic, no
// hang, and what the definitions demand of the graph.
func FuzzAnalyse(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(string(s.Data), strings.HasSuffix(s.Name, ".cu"))
	}
	f.Fuzz(func(t *testing.T, text string, cuda bool) {
		name := "x.irgl"
		if cuda {
			name = "x.cu"
		}
		verifyProgram(t, name, text)
	})
}

// TestSeeds runs the fuzz target's checks over every archive.
func TestSeeds(t *testing.T) {
	n := 0
	for _, s := range seeds(t) {
		if verifyProgram(t, s.Name, string(s.Data)) {
			n++
		}
	}
	if n < 20 {
		t.Errorf("only %d programs without errors", n)
	}
}

// verifyProgram analyses a program if it checks, and reports whether it does.
func verifyProgram(t *testing.T, name, text string) bool {
	info, diags := checkText(name, []byte(text))
	if diags.Errors() > 0 {
		return false
	}
	start := time.Now()
	Summary(info)
	for _, fn := range info.Funcs {
		if fn.Decl.Body == nil {
			continue
		}
		f := New(info, fn)
		if len(f.Graph.Nodes) <= 400 {
			verifyDominators(t, f)
			verifyFocal(t, f)
			verifyRounds(t, f)
			verifyPlaces(t, f)
		}
		f.Print()
		f.Copies(nil)
		if fn.Decl.Kind != syntax.PlainFunc {
			f.FocalPoints(f.Uniform(scheduled(f)...)).Print()
		}
	}
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("took %v", d)
	}
	return true
}

// without returns what can be reached from root when node gone is taken away.
func without(root, gone int32, next [][]int32) []bool {
	seen := make([]bool, len(next))
	seen[gone] = true
	if root != gone {
		postorder(root, next, seen, nil)
	}
	seen[gone] = false
	return seen
}

// verifyDominators compares the tree with the definition: a dominates b when b
// cannot be reached without a.
func verifyDominators(t *testing.T, f *Func) {
	t.Helper()
	d := f.Graph.digraph()
	all := make([]bool, len(d.succs))
	postorder(0, d.succs, all, nil)
	for _, a := range f.Graph.Nodes {
		seen := without(0, int32(a.ID), d.succs)
		for _, b := range f.Graph.Nodes {
			want := all[a.ID] && all[b.ID] && (a == b || !seen[b.ID])
			if got := f.Dom.Dominates(a, b); got != want {
				t.Errorf("%s dominates %s: %v, by the definition %v\n%s", a.Name(), b.Name(), got, want, f.Print())
				return
			}
		}
	}
}

// verifyFocal compares the focal points with the definition (IrGL paper, section
// 4.2.2): no branch that is not uniform, other than itself, is among the nodes
// that a node depends on, directly or through others. And m depends on b when a
// way from b leads always to m and another need not; that is computed from what
// cannot be reached without m. Only graphs in which everything ends are compared.
func verifyFocal(t *testing.T, f *Func) {
	t.Helper()
	d := f.Graph.digraph()
	exit := int32(len(d.succs) - 1)
	if pd := d.postIdoms(); len(pd.endless) > 0 {
		return
	}
	must := func(m, from int32) bool { // every way from from to the end passes m
		return m == from || !without(from, m, d.succs)[exit]
	}
	n := len(d.succs)
	deps := make([][]int32, n)
	for v := range int32(n) {
		if !f.Dom.Has(f.Graph.Nodes[v]) {
			continue
		}
		for b := range int32(n) {
			if !f.Dom.Has(f.Graph.Nodes[b]) || len(d.succs[b]) < 2 {
				continue
			}
			some, all := false, b != v
			for _, s := range d.succs[b] {
				if must(v, s) {
					some = true
				} else {
					all = false
				}
			}
			if b == v {
				all = false
			}
			if some && !all {
				deps[v] = append(deps[v], b)
			}
		}
		var got []int32
		for _, x := range f.Deps[v] {
			if x.Kind != Start {
				got = append(got, int32(x.ID))
			}
		}
		if !slices.Equal(got, deps[v]) {
			t.Errorf("%s depends on %v, by the definition %v\n%s", f.Graph.Nodes[v].Name(), got, deps[v], f.Print())
			return
		}
	}
	u := f.Uniform()
	u.moved = nil
	p := f.FocalPoints(u)
	for v := range int32(n) {
		if !f.Dom.Has(f.Graph.Nodes[v]) {
			continue
		}
		want := true
		seen := make([]bool, n)
		for _, b := range postorder(v, deps, seen, nil) {
			if b != v && !u.branch[b] {
				want = false
			}
		}
		if got := p.Has(f.Graph.Nodes[v]); got != want {
			t.Errorf("%s focal: %v, by the definition %v\n%s", f.Graph.Nodes[v].Name(), got, want, f.Print())
			return
		}
	}
}

// TestSizes intersects the sets of block sizes of the report, section 4.3.
func TestSizes(t *testing.T) {
	elastic, shrinkable, fixed := Sizes{1, MaxBlock}, Sizes{1, 512}, Sizes{256, 256}
	for _, c := range []struct {
		a, b Sizes
		best int
		text string
	}{
		{elastic, elastic, 1024, "1..1024"},
		{elastic, shrinkable, 512, "1..512"},
		{shrinkable, fixed, 256, "256"},
		{Sizes{1, 128}, fixed, 0, "none"},
		{Sizes{128, 128}, fixed, 0, "none"},
	} {
		got := c.a.Intersect(c.b)
		if got.Best() != c.best || got.String() != c.text || got != c.b.Intersect(c.a) {
			t.Errorf("%v and %v: %v, best %d, want %s, %d", c.a, c.b, got, got.Best(), c.text, c.best)
		}
	}
}
