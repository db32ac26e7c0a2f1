package graph

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sharedData returns the folder of real inputs beside the repository, or skips
// the test: the project ships only inputs that it generates itself.
func sharedData(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
		} else {
			tb.Skip("no go.mod above the package: cannot find ../shared/data")
		}
	}
	data := filepath.Join(filepath.Dir(dir), "shared", "data")
	if _, err := os.Stat(filepath.Join(data, "facts.json")); err != nil {
		tb.Skip("no ../shared/data/facts.json beside the repository")
	}
	return data
}

// knownFacts is the part of facts.json that this package can check.
type knownFacts struct {
	Graphs map[string]struct {
		File  string
		Facts struct {
			Nodes      int
			Edges      int64   `json:"edges_in_file"`
			Loops      int64   `json:"self_loops"`
			Duplicates int64   `json:"duplicate_pairs"`
			OneWay     *int64  `json:"unreciprocated_arcs"`
			WeightSum  *int64  `json:"weight_sum"`
			WeightMin  float64 `json:"weight_min"`
			WeightMax  float64 `json:"weight_max"`
			MaxDegree  *int64  `json:"max_out_degree"`
			MaxNode    uint32  `json:"max_out_degree_node0"`
			SymEdges   int64   `json:"sym_simple_undirected_edges"`
			SymDegree  int64   `json:"sym_max_degree"`
			SymNode    uint32  `json:"sym_max_degree_node0"`
			WCC        int     `json:"wcc"`
			LargestWCC int     `json:"largest_wcc"`
		}
	}
}

func TestFacts(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 20 files, some of millions of arcs")
	}
	dir := sharedData(t)
	raw, err := os.ReadFile(filepath.Join(dir, "facts.json"))
	if err != nil {
		t.Fatal(err)
	}
	var facts knownFacts
	if err := json.Unmarshal(raw, &facts); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"random-42000-10000-3.cnf.gz": ":1: DIMACS cnf is a formula, not a graph",
		"shinnecock-hgrid.gr3.gz":     ":1: not a known graph format",
	} {
		if _, err := Open(context.Background(), filepath.Join(dir, file)); err == nil || !strings.Contains(err.Error(), file+want) {
			t.Errorf("%s: %v, want %s", file, err, want)
		}
	}
	for name, want := range facts.Graphs {
		t.Run(name, func(t *testing.T) {
			f := want.Facts
			if f.Nodes == 0 {
				t.Skip("not a graph")
			}
			ctx := context.Background()
			g, err := Open(ctx, filepath.Join(dir, want.File))
			if err != nil {
				t.Fatal(err)
			}
			if err := g.validate(ctx); err != nil {
				t.Fatal(err)
			}
			s, err := g.Stats(ctx)
			if err != nil {
				t.Fatal(err)
			}
			edges := g.NumEdges()
			if g.Info.Format == PACE { // counted once in the facts
				edges = g.Info.FileEdges
			}
			check := func(what string, got, want int64) {
				t.Helper()
				if got != want {
					t.Errorf("%s: %d, want %d", what, got, want)
				}
			}
			check("nodes", int64(s.Nodes), int64(f.Nodes))
			check("edges", edges, f.Edges)
			check("self-loops", s.SelfLoops, f.Loops)
			check("duplicates", s.Duplicates, f.Duplicates)
			check("components", int64(s.Components), int64(f.WCC))
			check("largest component", int64(s.LargestComponent), int64(f.LargestWCC))
			if f.OneWay != nil && g.Info.Format != PACE && s.Symmetric != (*f.OneWay == 0) {
				t.Errorf("symmetric: %v, but %d arcs have no reverse", s.Symmetric, *f.OneWay)
			}
			if f.WeightSum != nil {
				check("weight sum", int64(s.WeightSum), *f.WeightSum)
				if s.WeightMin != f.WeightMin || s.WeightMax != f.WeightMax {
					t.Errorf("weights %v to %v, want %v to %v", s.WeightMin, s.WeightMax, f.WeightMin, f.WeightMax)
				}
			}
			if f.MaxDegree != nil && g.Info.Format != PACE {
				check("largest degree", s.MaxDegree, *f.MaxDegree)
				check("its node", int64(s.MaxDegreeNode), int64(f.MaxNode))
			}
			sym, err := g.Symmetrize(ctx)
			if err != nil {
				t.Fatal(err)
			}
			ss, err := sym.Stats(ctx)
			if err != nil {
				t.Fatal(err)
			}
			check("symmetrized edges", sym.NumEdges(), 2*f.SymEdges)
			check("symmetrized degree", ss.MaxDegree, f.SymDegree)
			check("its node", int64(ss.MaxDegreeNode), int64(f.SymNode))
			if !ss.Symmetric || !ss.Sorted || ss.SelfLoops != 0 || ss.Duplicates != 0 {
				t.Errorf("symmetrized: %+v", ss)
			}
		})
	}
}
