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
				got := Fastest(family, f, kind)
				if len(family) > 1 && got == "" {
					t.Errorf("%s on %s, %s: no program of %v", problem, spec, kind, family)
				}
			}
			if got := Fastest(family, f, "interp"); got != "" {
				t.Errorf("%s on interp: %s, which nothing tells", problem, got)
			}
		}
	}
	if len(classes) != 3 {
		t.Fatalf("the graphs are of the classes %v, want three", classes)
	}
	for _, c := range []struct{ problem, spec, kind, want string }{
		{"tri", "rmat:12:8", "cuda", "tri_or"},
		{"tri", "grid:64:64", "cuda", "tri"},
		{"bfs", "rmat:12:8", "simt", "bfs_do"},
		{"bfs", "grid:64:64", "simt", "bfs"},
		{"sssp", "grid:64:64", "cpu", "sssp_nf"},
		{"dmr", "grid:64:64", "cuda", ""},
	} {
		if got := Fastest(programs.Family(c.problem), FeaturesOf(generated(t, c.spec)), c.kind); got != c.want {
			t.Errorf("%s on %s, %s: %q, want %q", c.problem, c.spec, c.kind, got, c.want)
		}
	}
}

// The table names bundled programs, one of each problem a row.
func TestStandings(t *testing.T) {
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
