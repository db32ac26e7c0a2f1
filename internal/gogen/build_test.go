package gogen

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"irgl/graph"
	"irgl/internal/run"
)

// needGo skips a test without a Go toolchain, and puts the cache of built
// programs in a directory of the test's own.
func needGo(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds programs with the Go toolchain")
	}
	if _, err := goTool(); err != nil {
		t.Skip(err)
	}
	// The compiler's own cache, which lies in the same place, stays.
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Skip(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(out)))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
}

func buildText(t *testing.T, name, text string) run.Engine {
	t.Helper()
	info, err := load(Text{name, []byte(text)}, false)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Build(context.Background(), info, []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func generated(t *testing.T, spec string) *graph.Graph {
	t.Helper()
	g, err := graph.Generate(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestSemantics runs a program that prints values which C and Go, or C and a
// naive translation, would disagree about.
func TestSemantics(t *testing.T) {
	needGo(t)
	text, err := os.ReadFile("testdata/semantics.irgl")
	if err != nil {
		t.Fatal(err)
	}
	e := buildText(t, "semantics", string(text))
	var out bytes.Buffer
	res, err := e.Run(context.Background(), run.Input{
		Graph: generated(t, "path:5"), Stdout: &out, Workers: 2,
		Args: []run.Value{run.IntValue(1), run.IntValue(3), run.IntValue(1), run.FloatValue(2.5)},
	})
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/semantics.txt")
	if err != nil {
		t.Fatal(err)
	}
	got, wanted := strings.Split(out.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(wanted)) {
		g, w := "", ""
		if i < len(got) {
			g = got[i]
		}
		if i < len(wanted) {
			w = wanted[i]
		}
		if g != w {
			t.Errorf("line %d: %q, want %q", i+1, g, w)
		}
	}
	if v, ok := res.Global("total"); !ok || v.Values[0].Int != 4 {
		t.Errorf("total is %v, want 4", v)
	}
	if v, ok := res.Global("halves"); !ok || len(v.Values) != 3 || v.Values[1].Float != 0.5 {
		t.Errorf("halves is %v", v)
	}
	// mark is 2*id+degree, d starts at 0.5.
	if d := res.Column("d"); d == nil || d.Float(1) != 0.5+4 || d.Float(4) != 0.5+9 {
		t.Errorf("d is %v", d)
	}
	if res.Column("mark") != nil {
		t.Error("mark is an output, though it is not marked so and others are")
	}
}

// TestNames uses names that mean something in Go or in generated code.
func TestNames(t *testing.T) {
	needGo(t)
	e := buildText(t, "type", `Graph g { Node int lo = id; Node int s = 1; Node int map = 0; }
struct w { int type; int func; };
int rt = 5;
int len(int range, int s) { int go = range + s; return go; }
Kernel items(g, int w, int lo, int out, int wl) {
  ForAll (hi In WL) {
    int end = w + lo + out + wl;
    struct w body;
    body.type = len(end, rt);
    n = WL.pop(hi);
    int i = hi;
    ForAll (e In n.edges) { if (atomicExch(&e.dst.s, 7) == 1) { WL.push(e.dst); } }
    n.map = body.type + i;
  }
}
Host main(node string, int nil) {
  int wl = 1;
  Iterate items(g, wl, 2, 3, nil) Initial [string] { int len = 3; wl += len; }
}
`)
	res, err := e.Run(context.Background(), run.Input{Graph: generated(t, "path:4"), Args: []run.Value{run.IntValue(0), run.IntValue(10)}, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	// The rounds pop 0; 1; 0 and 2, which are items 0 and 1; 3. Little work stays
	// on one worker, so the order is known.
	for v, want := range []int64{27, 24, 28, 30} {
		if got := res.Column("map").Int(v); got != want {
			t.Errorf("node %d: %d, want %d", v, got, want)
		}
	}
}

// TestBuildFailures pins what callers see when something goes wrong.
func TestBuildFailures(t *testing.T) {
	needGo(t)
	ctx := context.Background()
	e := buildText(t, "far", "Graph graph { Node int x; }\nHost far(node n) { n.x = 1; printf(\"here\\n\"); while (n.x) { } }\n")
	in := run.Input{Graph: generated(t, "path:5"), Args: []run.Value{run.IntValue(7)}}
	if _, err := e.Run(ctx, in); err == nil || err.Error() != "far.irgl:2:20: error: the graph has no node 7: its nodes are 0 to 4 [E0102]" {
		t.Errorf("a node that does not exist: %v", err)
	}
	in.Args = []run.Value{run.IntValue(3)}
	short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := e.Run(short, in); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 5*time.Second {
		t.Errorf("a cancelled run: %v after %v", err, time.Since(start))
	}
	in.Args = nil
	if _, err := e.Run(ctx, in); err == nil {
		t.Error("a run without its argument succeeded")
	}
}

// TestNoToolchain checks that a program in the cache needs no toolchain.
func TestNoToolchain(t *testing.T) {
	needGo(t)
	const text = "Graph graph { Node int x = id; }\nHost all() { }\n"
	buildText(t, "all", text)
	t.Setenv("PATH", t.TempDir())
	t.Setenv("GOROOT", "")
	e := buildText(t, "all", text)
	res, err := e.Run(context.Background(), run.Input{Graph: generated(t, "path:3")})
	if err != nil || res.Column("x").Int(2) != 2 {
		t.Errorf("the cached program: %v %v", res, err)
	}
}

// TestProfile checks that a process records what a run in this process does.
func TestProfile(t *testing.T) {
	needGo(t)
	e := buildText(t, "walk.irgl", `Graph g { Output Node int level = INF; }
Kernel step(g, int k) { ForAll (i In WL) { n = WL.pop(i); ForAll (e In n.edges) { if (e.dst.level == INF) { e.dst.level = k; WL.push(e.dst); } } } }
Host f() { int k = 1; g.nodes(0).level = 0; Iterate step(g, k) Initial [0] { k++; } }
`)
	for _, c := range []run.Collect{run.CollectNothing, run.CollectKernels, run.CollectEvents} {
		res, err := e.Run(context.Background(), run.Input{Graph: generated(t, "path:5"), Collect: c})
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		if c != run.CollectNothing {
			want = 1
			if k := res.Kernels[0]; k.Name != "step" || k.Launches != 5 || k.Items != 5 || k.Pushes != 4 || k.Time <= 0 {
				t.Errorf("%+v", k)
			}
		}
		if len(res.Kernels) != want {
			t.Errorf("kernels %+v", res.Kernels)
		}
		if c == run.CollectEvents {
			if len(res.Events) != 6 || res.Events[0].Kind != run.HostEvent || res.Events[5].Kind != run.KernelEvent || res.Events[5].Iteration != 5 {
				t.Errorf("events %+v", res.Events)
			}
		} else if res.Events != nil {
			t.Errorf("events %+v", res.Events)
		}
	}
}
