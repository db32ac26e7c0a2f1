package engine_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"irgl/internal/engine"
	"irgl/mesh"
)

// TestTune checks that tuning on the emulator finds switches no worse than the
// default and the plain program, says the same each time, and that runs use what
// was found from then on.
func TestTune(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	ctx := context.Background()
	p := bundled(t, "bfs")
	g := generate(t, "rmat:8:8")
	var texts [2][]byte
	for i := range texts {
		path := filepath.Join(t.TempDir(), "tuning.json")
		rep, err := p.Tune(ctx, engine.Input{Graph: g}, engine.Args{"src": 0}, engine.Options{Device: "simt"}, engine.TuneOptions{Candidates: 30})
		if err != nil {
			t.Fatal(err)
		}
		if rep.Best.Value > rep.Default.Value || rep.Best.Value > rep.Plain.Value || rep.Best.Failed != "" || rep.Default.Failed != "" || rep.Plain.Failed != "" {
			t.Errorf("best %+v\ndefault %+v\nplain %+v", rep.Best, rep.Default, rep.Plain)
		}
		if rep.Program != "bfs" || rep.Device != "SIMT emulator" || rep.Metric != "cost" || rep.Graph.Nodes != 256 || len(rep.Trials) != 30 {
			t.Errorf("%+v", rep)
		}
		for _, trial := range rep.Trials {
			if trial.Failed != "" {
				t.Errorf("%+v", trial)
			}
		}
		if err := p.SaveTuning(path, rep); err != nil {
			t.Fatal(err)
		}
		if texts[i], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		x := prepare(t, p, engine.Options{Device: "simt", Auto: true, Tuning: path})
		r, err := x.Run(ctx, g, engine.Args{"src": 0})
		if err != nil {
			t.Fatal(err)
		}
		if r.Switches != rep.Best.Switches || !strings.HasPrefix(r.SwitchesFrom, "tuned on ") {
			t.Errorf("%q, %s; the best is %q", r.Switches, r.SwitchesFrom, rep.Best.Switches)
		}
	}
	if !bytes.Equal(texts[0], texts[1]) {
		t.Errorf("two searches:\n%s\n%s", texts[0], texts[1])
	}
}

// TestTuneOwn checks that a program that is not bundled is tuned by its own plain
// answer, and that a candidate that answers otherwise is refused.
func TestTuneOwn(t *testing.T) {
	ctx := context.Background()
	const text = `Graph g { Output Node int sum = 0; Output Node float share = 0; }
Output long total = 0;
Kernel K(g) { ForAll (n In g.nodes) { ForAll (e In n.edges) { atomicAdd(&e.dst.sum, 1); atomicAdd(&e.dst.share, 0.1f); atomicAdd(&total, 1); } } }
Host f() { Invoke K(g); }
`
	few := engine.TuneOptions{Candidates: 12}
	if testing.Short() {
		few.Candidates = 4
	}
	rep, err := parse(t, "own", text).Tune(ctx, engine.Input{Graph: generate(t, "rmat:6:6")}, nil, engine.Options{Device: "simt"}, few)
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range rep.Trials {
		if trial.Failed != "" {
			t.Errorf("%+v", trial)
		}
	}
	if rep.Best.Value > rep.Plain.Value {
		t.Errorf("best %+v, plain %+v", rep.Best, rep.Plain)
	}
	// The answer of this one is that of the order of its iterations.
	const restless = `Graph g { Output Node int stamp = 0; }
int next = 0;
Kernel K(g) { ForAll (n In g.nodes) { ForAll (e In n.edges) { atomicMax(&e.dst.stamp, atomicAdd(&next, 1)); } } }
Host f() { Invoke K(g); }
`
	rep, err = parse(t, "restless", restless).Tune(ctx, engine.Input{Graph: generate(t, "rmat:6:6")}, nil, engine.Options{Device: "simt"}, few)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, trial := range rep.Trials {
		switch trial.Failed {
		case "":
		case "the answer is not that of the plain program":
			refused++
		default:
			t.Errorf("%+v", trial)
		}
	}
	if refused == 0 || rep.Plain.Failed != "" {
		t.Errorf("%d candidates were refused; plain %+v", refused, rep.Plain)
	}
}

// TestTuneMesh checks that a program with a mesh is tuned, and each mesh verified.
func TestTuneMesh(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	ctx := context.Background()
	m, err := mesh.Generate(ctx, 40, 1)
	if err != nil {
		t.Fatal(err)
	}
	rep, err := bundled(t, "dmr").Tune(ctx, engine.Input{Mesh: m}, nil, engine.Options{Device: "simt"}, engine.TuneOptions{Candidates: 4})
	if err != nil {
		t.Fatal(err)
	}
	if rep.Graph.Points != 40 || rep.Graph.Name != "40 points" || rep.Best.Value > rep.Plain.Value {
		t.Errorf("%+v", rep)
	}
}

// TestTuneRefuses checks what cannot be tuned.
func TestTuneRefuses(t *testing.T) {
	ctx := context.Background()
	g := generate(t, "path:5")
	for _, tt := range []struct {
		program, device, want string
		in                    engine.Input
	}{
		{"bfs", "cpu", "the device cpu has no switches to tune", engine.Input{Graph: g}},
		{"bfs", "interp", "the device interp has no switches to tune", engine.Input{Graph: g}},
		{"bfs", "moon", `there is no device "moon"`, engine.Input{Graph: g}},
		{"sssp", "simt", "the program requires weights", engine.Input{Graph: generate(t, "path:5:wmax=0")}},
		{"bfs", "simt", "bfs needs a value for its parameter src", engine.Input{Graph: g}},
	} {
		_, err := bundled(t, tt.program).Tune(ctx, tt.in, nil, engine.Options{Device: tt.device}, engine.TuneOptions{})
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s on %s: %v, want %q", tt.program, tt.device, err, tt.want)
		}
	}
	path := filepath.Join(t.TempDir(), "t.json")
	if err := engine.CheckTuning(path); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(path, []byte("[]"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := engine.CheckTuning(path); err == nil {
		t.Error("[] is no tuning file")
	}
}
