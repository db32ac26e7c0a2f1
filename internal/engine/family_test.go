package engine_test

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"irgl/internal/engine"
)

// TestFamily checks that every program of a family can stand for every other: it
// takes the same arguments that have no default and gives outputs of the same names.
func TestFamily(t *testing.T) {
	type face struct{ needed, outputs string }
	faces := map[string]map[string][]string{}
	for _, name := range engine.Programs() {
		p := bundled(t, name)
		var needed []string
		for _, param := range p.Params() {
			if param.Default == "" {
				needed = append(needed, param.Type+" "+param.Name)
			}
		}
		f := face{strings.Join(needed, ", "), strings.Join(p.Outputs(), ", ")}
		first := problemOf(name)
		if faces[first] == nil {
			faces[first] = map[string][]string{}
		}
		key := f.needed + " -> " + f.outputs
		faces[first][key] = append(faces[first][key], name)
	}
	for first, list := range faces {
		if len(list) > 1 {
			t.Errorf("the family of %s has programs that differ: %v", first, list)
		}
	}
}

// problemOf returns the problem that a bundled program solves.
func problemOf(program string) string {
	for _, problem := range engine.Problems() {
		if slices.Contains(engine.Solvers(problem), program) {
			return problem
		}
	}
	return ""
}

// TestSolvers checks that the plain program of each problem has its name, and that
// each program solves one problem.
func TestSolvers(t *testing.T) {
	for _, problem := range engine.Problems() {
		if list := engine.Solvers(problem); len(list) == 0 || list[0] != problem {
			t.Errorf("%s is solved by %v: the first is not the plain program", problem, list)
		}
	}
	for _, name := range engine.Programs() {
		if problemOf(name) == "" {
			t.Errorf("%s solves no problem", name)
		}
	}
	if list := engine.Solvers("bfs_do"); list != nil {
		t.Errorf("bfs_do, a program, is solved by %v", list)
	}
}

// TestFastest checks that the class of a graph chooses the program as long as nothing
// was measured, and what was measured from then on.
func TestFastest(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "tuning.json")
	o := engine.Options{Device: "simt", Tuning: path}
	hubs, grid := generate(t, "rmat:8:8"), generate(t, "grid:12:12")
	for _, c := range []struct {
		name, spec, device, want, from string
		args                           engine.Args
	}{
		{"bfs", "rmat:12:8", "simt", "bfs_do", "default for a graph with hubs", nil},
		{"bfs", "grid:64:64", "simt", "bfs", "default for a graph of high diameter", engine.Args{"src": 0}},
		{"bfs", "grid:64:64", "simt", "bfs_do", "the only program with these arguments", engine.Args{"alpha": 5}},
		{"bfs", "grid:64:64", "interp", "bfs", "the plain program: nothing was measured of others", nil},
		{"mis", "rmat:12:8", "cpu", "mis", "the only program with these arguments", nil},
		{"tri", "rmat:12:8", "cpu", "tri_or", "default for a graph with hubs", nil},
	} {
		o := o
		o.Device = c.device
		p, from, err := engine.Choose(ctx, c.name, generate(t, c.spec), c.args, o)
		if err != nil {
			t.Errorf("%s on %s, %s, %v: %v", c.name, c.spec, c.device, c.args, err)
		} else if p.Name() != c.want || from != c.from {
			t.Errorf("%s on %s, %s, %v: %s (%s); want %s (%s)", c.name, c.spec, c.device, c.args, p.Name(), from, c.want, c.from)
		}
	}

	// The times of two programs decide, whatever the class says; one alone does not.
	times := map[string]float64{}
	for i, name := range []string{"bfs_do", "bfs_st"} {
		p := bundled(t, name)
		rep, err := p.Tune(ctx, engine.Input{Graph: grid}, engine.Args{"src": 0}, engine.Options{Device: "simt"}, engine.TuneOptions{Candidates: 3})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.SaveTuning(path, rep); err != nil {
			t.Fatal(err)
		}
		times[name] = rep.Best.Value
		chosen, from, err := engine.Choose(ctx, "bfs", grid, nil, o)
		if err != nil {
			t.Fatal(err)
		}
		got := chosen.Name()
		if tuned := strings.HasPrefix(from, "tuned on grid:12:12, "); tuned != (i == 1) {
			t.Errorf("%d programs were tuned: %s (%s)", i+1, got, from)
		}
		if best := slices.SortedFunc(maps.Keys(times), func(a, b string) int { return int(times[a] - times[b]) })[0]; i == 1 && got != best {
			t.Errorf("%s, of %v", got, times)
		}
	}
	// Of another graph nothing is known.
	if _, from, err := engine.Choose(ctx, "bfs", hubs, nil, o); err != nil || strings.HasPrefix(from, "tuned") {
		t.Errorf("another graph: %s, %v", from, err)
	}
	if _, _, err := engine.Choose(ctx, "bsf", hubs, nil, o); err == nil || !strings.Contains(err.Error(), `did you mean "bfs"?`) {
		t.Errorf("an unknown problem: %v", err)
	}
}
