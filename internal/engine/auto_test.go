package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"irgl/graph"
	"irgl/internal/compile"
	"irgl/internal/engine"
	"irgl/internal/lower"
	"irgl/internal/tune"
)

// TestAuto checks that an executable chooses its switches by each graph it gets,
// that a file comes before defaults, and what it says about that.
func TestAuto(t *testing.T) {
	ctx := context.Background()
	p := bundled(t, "bfs")
	path := filepath.Join(t.TempDir(), "tuning.json")
	grid := generate(t, "grid:16:16")
	tuned := tune.Entry{
		Program: "bfs", ProgramHash: tune.ProgramHash(p.Source()), Device: "SIMT emulator", Compiler: "another",
		Graph: tune.InputOf(grid, 0), Switches: "batch=2 coop=warp", Metric: "cost", Time: 1,
	}
	tuned.Graph.Name = "the grid"
	if err := tune.Update(path, []tune.Entry{tuned}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		o                    engine.Options
		graph, switches, why string
	}{
		{engine.Options{Auto: true}, "grid:16:16", "outline=auto outline-threads=256 outline-blocks=1 batch=4 bounds=true ahead=true", "default for a graph of high diameter"},
		{engine.Options{Auto: true}, "star:200", "outline=auto batch=4 coop=block np=gr,fg np-gr=1024 deal=true", "default for a graph with hubs"},
		{engine.Options{Auto: true, Tuning: path}, "grid:16:16", "batch=2 coop=warp", "tuned on the grid, " + path},
		{engine.Options{Auto: true, Tuning: path}, "grid:17:17", "batch=2 coop=warp", "tuned on the grid, 0."},
		{engine.Options{Auto: true, Tuning: path}, "star:200", "outline=auto batch=4 coop=block np=gr,fg np-gr=1024 deal=true", "default for a graph with hubs"},
		{engine.Options{Auto: true, Tuning: path + "none"}, "path:30", "outline=auto outline-threads=256 outline-blocks=1 batch=4 bounds=true ahead=true", "default for a graph of high diameter"},
		{engine.Options{Tuning: path}, "grid:16:16", "", "given"},
		{engine.Options{Compile: compile.Options{Lower: lower.Options{Batch: 4}}}, "grid:16:16", "batch=4", "given"},
	} {
		tt.o.Device = "simt"
		x, err := p.Compile(ctx, tt.o)
		if err != nil {
			t.Fatal(err)
		}
		r, err := x.Run(ctx, generate(t, tt.graph), engine.Args{"src": 0})
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Verify(ctx, r); err != nil {
			t.Error(err)
		}
		if r.Switches.String() != tt.switches || !strings.HasPrefix(r.SwitchesFrom, tt.why) {
			t.Errorf("%s: %q, %s; want %q, %s", tt.graph, r.Switches, r.SwitchesFrom, tt.switches, tt.why)
		}
		if r.Counters.Instructions == 0 {
			t.Error("nothing was counted")
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestAutoChangesWithTheGraph checks that one executable goes from graph to graph,
// with the code for each, and can be told what to use.
func TestAutoChangesWithTheGraph(t *testing.T) {
	ctx := context.Background()
	p := bundled(t, "bfs")
	x, err := p.Compile(ctx, engine.Options{Device: "simt", Auto: true})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if s, _ := x.Switches(); s.String() != "" {
		t.Errorf("before a graph: %q", s)
	}
	a, b := generate(t, "star:200"), generate(t, "grid:12:12")
	run := func(g *graph.Graph, want string) {
		t.Helper()
		r, err := x.Run(ctx, g, engine.Args{"src": 0})
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Verify(ctx, r); err != nil || r.Switches.String() != want {
			t.Errorf("%q, %v; want %q", r.Switches, err, want)
		}
	}
	run(a, "outline=auto batch=4 coop=block np=gr,fg np-gr=1024 deal=true")
	run(b, "outline=auto outline-threads=256 outline-blocks=1 batch=4 bounds=true ahead=true")
	run(a, "outline=auto batch=4 coop=block np=gr,fg np-gr=1024 deal=true")
	for _, switches := range []string{"batch=4", "outline=auto np=fg", ""} {
		if err := x.Use(t.Context(), compile.MustSwitches(switches)); err != nil {
			t.Fatal(err)
		}
		run(a, switches)
		run(b, switches)
	}
	if err := x.Use(t.Context(), compile.MustSwitches("outline=77")); err == nil {
		t.Error("outline=77 was compiled")
	}
	run(a, "")
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	if err := x.Use(t.Context(), compile.Switches{}); err == nil {
		t.Error("used after closing")
	}
	if _, err := x.Run(ctx, a, engine.Args{"src": 0}); err == nil {
		t.Error("run after closing")
	}
}

// TestAutoWithDamage checks that a damaged tuning file is an error and not a
// silent default, that an entry whose switches are refused is passed over, and
// that devices without switches do not look at files.
func TestAutoWithDamage(t *testing.T) {
	ctx := context.Background()
	p := bundled(t, "cc")
	dir := t.TempDir()
	bad, old := filepath.Join(dir, "bad.json"), filepath.Join(dir, "old.json")
	if err := os.WriteFile(bad, []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	g := generate(t, "rmat:6:4")
	run := func(o engine.Options) (*engine.Result, error) {
		x, err := p.Compile(ctx, o)
		if err != nil {
			return nil, err
		}
		defer x.Close()
		return x.Run(ctx, g, nil)
	}
	if _, err := run(engine.Options{Device: "simt", Auto: true, Tuning: bad}); err == nil || !strings.Contains(err.Error(), bad) {
		t.Errorf("a damaged file: %v", err)
	}
	for _, device := range []string{"cpu", "interp"} {
		r, err := run(engine.Options{Device: device, Auto: true, Tuning: bad})
		if err != nil || r.Switches.String() != "" || r.SwitchesFrom != "no switches on "+device {
			t.Errorf("%s: %+v, %v", device, r, err)
		}
	}
	e := tune.Entry{ProgramHash: tune.ProgramHash(p.Source()), Device: "SIMT emulator", Switches: "outline=99", Metric: "ms"}
	for _, in := range []*graph.Graph{g, symmetrized(t, g)} { // cc gets the latter
		e.Graph = tune.InputOf(in, 0)
		if err := tune.Update(old, []tune.Entry{e}); err != nil {
			t.Fatal(err)
		}
	}
	r, err := run(engine.Options{Device: "simt", Auto: true, Tuning: old})
	if err != nil || !strings.HasSuffix(r.SwitchesFrom, "(the tuned switches cannot be compiled any more)") {
		t.Errorf("outline=99: %+v, %v", r, err)
	}
}

func symmetrized(t *testing.T, g *graph.Graph) *graph.Graph {
	t.Helper()
	s, err := g.Symmetrize(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return s
}
