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
		first := engine.Families([]string{name})[0]
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

// TestFastest checks that the class of a graph chooses the program as long as nothing
// was measured, and what was measured from then on.
func TestFastest(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "tuning.json")
	o := engine.Options{Device: "simt", Tuning: path}
	hubs, grid := generate(t, "rmat:8:8"), generate(t, "grid:12:12")
	bfs := bundled(t, "bfs")
	for _, c := range []struct {
		name, spec, device, want, from string
		args                           engine.Args
	}{
		{"bfs", "rmat:12:8", "simt", "bfs_do", "default for a graph with hubs", nil},
		{"bfs_do", "grid:64:64", "simt", "bfs", "default for a graph of high diameter", engine.Args{"src": 0}},
		{"bfs_do", "grid:64:64", "simt", "bfs_do", "nothing is known of another program", engine.Args{"alpha": 5}},
		{"bfs", "grid:64:64", "interp", "bfs", "nothing is known of another program", nil},
		{"mis", "rmat:12:8", "cpu", "mis", "nothing is known of another program", nil},
		{"tri", "rmat:12:8", "cpu", "tri_or", "default for a graph with hubs", nil},
	} {
		o := o
		o.Device = c.device
		name, from, err := bundled(t, c.name).Fastest(ctx, generate(t, c.spec), c.args, o)
		if err != nil || name != c.want || from != c.from {
			t.Errorf("%s on %s, %s, %v: %s (%s), %v; want %s (%s)", c.name, c.spec, c.device, c.args, name, from, err, c.want, c.from)
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
		got, from, err := bfs.Fastest(ctx, grid, nil, o)
		if err != nil {
			t.Fatal(err)
		}
		if tuned := strings.HasPrefix(from, "tuned on grid:12:12, "); tuned != (i == 1) {
			t.Errorf("%d programs were tuned: %s (%s)", i+1, got, from)
		}
		if best := slices.SortedFunc(maps.Keys(times), func(a, b string) int { return int(times[a] - times[b]) })[0]; i == 1 && got != best {
			t.Errorf("%s, of %v", got, times)
		}
	}
	// Of another graph nothing is known.
	if _, from, err := bfs.Fastest(ctx, hubs, nil, o); err != nil || strings.HasPrefix(from, "tuned") {
		t.Errorf("another graph: %s, %v", from, err)
	}

	x := prepare(t, bundled(t, "tri"), engine.Options{Device: "simt"})
	if got := x.Faster(generate(t, "rmat:12:8")); got != "tri_or" {
		t.Errorf("a tenth of tri's time on a graph with hubs: %q", got)
	}
	if got := x.Faster(grid); got != "" {
		t.Errorf("a tenth of tri's time on a grid: %q", got)
	}
}
