package tune

import (
	"strings"
	"testing"

	"irgl/internal/programs"
)

// Each problem with several programs has one that is the fastest on each kind of graph,
// and none that is far from itself.
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
				if FarFromFastest(got, f, kind) {
					t.Errorf("%s on %s, %s: %s is far from the fastest, and is it", problem, spec, kind, got)
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
	if f := FeaturesOf(generated(t, "rmat:12:8")); !FarFromFastest("tri", f, "cuda") || FarFromFastest("bfs", f, "cuda") {
		t.Error("of graphs with hubs tri is far from the fastest on cuda, and bfs is not")
	}
	if !MayBeFar("tri", "simt") || MayBeFar("tri", "cpu") || MayBeFar("bfs", "cuda") || MayBeFar("pr_dd", "interp") {
		t.Error("tri may be far from the fastest on cuda and simt, not on the CPU; bfs on no device, and of interp nothing is known")
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
		for _, name := range strings.Fields(row.far) {
			if programs.Problem(name) == "" {
				t.Errorf("%v: %s is no program", row, name)
			}
		}
	}
}
