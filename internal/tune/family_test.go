package tune

import (
	"strings"
	"testing"

	"irgl/internal/programs"
)

// Each problem with several programs has one that is the fastest on each kind of graph.
func TestFastest(t *testing.T) {
	classes := map[string]string{}
	for _, spec := range []string{"rmat:12:8", "grid:64:64", "uniform:4096:4"} {
		f := FeaturesOf(generated(t, spec))
		classes[f.Class().String()] = spec
		for _, problem := range programs.Problems() {
			family := programs.Family(problem)
			for _, kind := range []string{"cuda", "simt", "cpu"} {
				got := Fastest(family, f, kind, 1)
				if len(family) > 1 && got == "" {
					t.Errorf("%s on %s, %s: no program of %v", problem, spec, kind, family)
				}
			}
			if got := Fastest(family, f, "interp", 1); got != "" {
				t.Errorf("%s on interp: %s, which nothing tells", problem, got)
			}
		}
	}
	if len(classes) != 3 {
		t.Fatalf("the graphs are of the classes %v, want three", classes)
	}
	for _, c := range []struct {
		problem, spec, kind string
		runs                int
		want                string
	}{
		{"tri", "rmat:12:8", "cuda", 1, "tri_or"},
		{"tri", "grid:64:64", "cuda", 1, "tri"},
		{"bfs", "rmat:12:8", "simt", 1, "bfs_do"},
		{"bfs", "grid:64:64", "simt", 1, "bfs"},
		{"sssp", "grid:64:64", "cpu", 1, "sssp_nf"},
		{"pr", "rmat:12:8", "cpu", 1, "pr_row"},
		{"dmr", "grid:64:64", "cuda", 1, ""},
		// A search in two directions pays where the transpose is cheap, or used often.
		{"bfs", "rmat:12:8", "cpu", 1, "bfs_st"},
		{"bfs", "rmat:12:8", "cpu", 100, "bfs_do"},
		{"bfs", "rmat:12:8:sym", "cpu", 0, "bfs_st"},
		{"bfs", "rmat:12:8:sym", "cpu", 2, "bfs_do"},
		{"bfs", "uniform:4096:4:sym", "cpu", 0, "bfs_do"},
		{"bfs", "uniform:4096:4", "cpu", 1, "bfs_st"},
		{"bfs", "uniform:4096:4", "cpu", 4, "bfs_do"},
		{"bfs", "grid:64:64", "cpu", 100, "bfs_st"},
	} {
		if got := Fastest(programs.Family(c.problem), FeaturesOf(generated(t, c.spec)), c.kind, c.runs); got != c.want {
			t.Errorf("%s on %s, %s, %d runs: %q, want %q", c.problem, c.spec, c.kind, c.runs, got, c.want)
		}
	}
}

// The tables name bundled programs, one of each problem a row.
func TestStandings(t *testing.T) {
	for _, row := range turnings {
		if programs.Problem(row.program) == "" {
			t.Errorf("%v: no such program", row)
		}
	}
	for _, row := range standings {
		seen := map[string]bool{}
		for _, name := range strings.Fields(row.first) {
			problem := programs.Problem(name)
			if problem == "" || seen[problem] {
				t.Errorf("%v: %s is no program, or its problem has two", row, name)
			}
			seen[problem] = true
		}
	}
}
