package interp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/internal/golden"
	"irgl/internal/run"
	"irgl/internal/source"
	"irgl/syntax"
)

// load parses and checks a program.
func load(name, text string) (*check.Info, error) {
	diags := new(source.List)
	f := syntax.Parse(source.NewFile(name, []byte(text)), syntax.IrGL, diags)
	info := check.Check(f, diags)
	return info, diags.Err()
}

func mustLoad(t testing.TB, name, text string) *check.Info {
	t.Helper()
	info, err := load(name, text)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// smallGraph is what the archives' programs run on: 0 -> 1 (5), 0 -> 2 (7),
// 1 -> 2 (1), 2 -> 0 (9), and node 3 alone.
func smallGraph(t testing.TB) *graph.Graph {
	t.Helper()
	g, err := graph.FromEdges(4, []uint32{0, 0, 1, 2}, []uint32{1, 2, 2, 0}, []int32{5, 7, 1, 9})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// smallMesh is a square of two triangles and its sides, as mesh.Elements gives
// them.
//
//	3 --- 2
//	|  1/ |
//	| / 0 |
//	0 --- 1
func smallMesh() *run.Mesh {
	return &run.Mesh{
		X: []float64{0, 2, 2, 0}, Y: []float64{0, 0, 1, 1},
		Points:    [][3]int32{{0, 1, 2}, {0, 2, 3}, {0, 1, -1}, {1, 2, -1}, {2, 3, -1}, {3, 0, -1}},
		Neighbors: [][3]int32{{2, 3, 1}, {0, 4, 5}, {0, -1, -1}, {0, -1, -1}, {1, -1, -1}, {1, -1, -1}},
	}
}

// runText runs a program on the small graph and the small mesh and returns what it prints and
// its outputs, or the error.
func runText(t testing.TB, name, text string, o Options) string {
	t.Helper()
	info, err := load(name, text)
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(info, o)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	var out bytes.Buffer
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	res, err := e.Run(ctx, run.Input{Graph: smallGraph(t), Mesh: smallMesh(), Args: defaults(info), Stdout: &out})
	if err != nil {
		fmt.Fprintf(&out, "error: %v\n", err)
		return out.String()
	}
	if !strings.Contains(text, "Output") {
		return out.String()
	}
	for _, c := range res.Props {
		fmt.Fprintf(&out, "%s:", c.Name)
		for i := range c.Len() {
			fmt.Fprintf(&out, " %s", c.Value(i))
		}
		out.WriteByte('\n')
	}
	for _, g := range res.Globals {
		fmt.Fprintf(&out, "%s = %v\n", g.Name, g.Values)
	}
	fmt.Fprintf(&out, "iterations %d, launches %d\n", res.Iterations, res.Launches)
	return out.String()
}

// defaults returns the entry function's default arguments, 0 without one.
func defaults(info *check.Info) []run.Value {
	var args []run.Value
	for i, p := range info.Entry.Params {
		v := run.IntValue(0)
		if d := info.Entry.Decl.Params[i].Default; d != nil && info.Consts[d] != nil {
			k := info.Consts[d]
			v = run.Value{Type: info.Types[d].(check.Basic), Int: k.Int, Float: k.Float}
		}
		args = append(args, v.Convert(p.Type.(check.Basic)))
	}
	return args
}

// TestArchives runs the programs in testdata: NAME.irgl prints NAME.out, which
// ends with the outputs if it declares any, or with the error.
func TestArchives(t *testing.T) {
	golden.Each(t, "testdata/*.txtar", func(t *testing.T, ar *txtar.Archive) {
		for i, f := range ar.Files {
			name, ok := strings.CutSuffix(f.Name, ".irgl")
			if !ok {
				continue
			}
			if i+1 == len(ar.Files) || ar.Files[i+1].Name != name+".out" {
				t.Fatalf("%s has no %s.out after it", f.Name, name)
			}
			golden.Data(t, &ar.Files[i+1], runText(t, f.Name, string(f.Data), Options{}))
		}
	})
}

func TestCancel(t *testing.T) {
	for name, text := range map[string]string{
		"while":   `Host m() { while (true) ; }`,
		"goto":    `Host m() { again: goto again; }`,
		"kernel":  `Graph graph {} Kernel K(graph) { ForAll (n In graph.nodes) { for (;;) { } } } Host m() { Invoke K(graph); }`,
		"iterate": `Kernel K() { ReduceAndReturn(true); } Host m() { Iterate While Any K(); }`,
		"pipe":    `Kernel K() { WL.push(1); } Host m() { Pipe { Invoke K(); } }`,
		"empty":   `Host m() { Pipe Initial [1] { } }`,
		"retry":   `Kernel K() { ForAll (i In WL) { Retry WL.pop(i); } } Host m() { Iterate K() Initial [1]; }`,
		"or":      `Kernel K() { ForAll (i In WL) { WL.pop(i); } } Host m() { Iterate K() Or (true); }`,
		"call":    `int f(int x) { return x; } Host m() { int i = 0; do i = f(i); while (i == 0); }`,
	} {
		t.Run(name, func(t *testing.T) {
			e, err := New(mustLoad(t, name, text), Options{})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			defer cancel()
			start := time.Now()
			_, err = e.Run(ctx, run.Input{Graph: smallGraph(t)})
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
			if d := time.Since(start); d > 2*time.Second {
				t.Errorf("cancelling took %v", d)
			}
		})
	}
}

func TestInput(t *testing.T) {
	e, err := New(mustLoad(t, "a.irgl", `Graph graph { Requires weights; Node int p; } Host m(node n, float x = 2) { n.p = n.p + x; }`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	g := smallGraph(t)
	plain := &graph.Graph{RowStart: g.RowStart, Dst: g.Dst}
	for _, tt := range []struct {
		in   run.Input
		want string
	}{
		{run.Input{Graph: g}, "m takes 2 arguments, not 0"},
		{run.Input{Graph: plain, Args: []run.Value{run.IntValue(0), run.FloatValue(1)}}, "requires weights"},
		{run.Input{Graph: g, Args: []run.Value{run.IntValue(4), run.FloatValue(1)}}, "argument n: the graph has no node 4: it has 4 nodes"},
		{run.Input{Args: []run.Value{run.IntValue(0), run.FloatValue(1)}}, "it has 0 nodes"},
	} {
		if _, err := e.Run(ctx, tt.in); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
	res, err := e.Run(ctx, run.Input{Graph: g, Args: []run.Value{run.IntValue(2), run.FloatValue(3.75)}})
	if err != nil || res.Column("p").Int(2) != 3 {
		t.Errorf("%v %v", res, err)
	}
	if _, err := New(mustLoad(t, "b.irgl", `int f() { return 1; }`), Options{}); err == nil {
		t.Error("a program without a Host function was accepted")
	}
}

func TestInitialValues(t *testing.T) {
	info := mustLoad(t, "a.irgl", `
#define BIG (INF - 1)
Graph graph { Node int a; Node int b = id * 10 + degree; Node float c = INF; Node bool d = id; Edge short e = id * 40000; Node long f = BIG; Node double g = -INF; }
Host m() { }`)
	want := map[string]string{
		"a": "0 0 0 0", "b": "2 11 21 30", "c": "+Inf +Inf +Inf +Inf", "d": "false true true true",
		"e": "0 -25536 14464 -11072", "f": "2147483646 2147483646 2147483646 2147483646", "g": "-Inf -Inf -Inf -Inf",
	}
	for _, p := range info.Props {
		c := InitialValues(info, p, smallGraph(t))
		var got []string
		for i := range c.Len() {
			got = append(got, c.Value(i).String())
		}
		if s := strings.Join(got, " "); s != want[c.Name] || c.Of != p.Of {
			t.Errorf("%s: %s, want %s", c.Name, s, want[c.Name])
		}
	}
}

// TestConcurrent runs one engine in several goroutines.
func TestConcurrent(t *testing.T) {
	e, err := New(mustLoad(t, "a.irgl", `
Graph graph { Output Node int p; }
Kernel K(graph, int x) { ForAll (n In graph.nodes) { for (e In n.edges) { atomicAdd(&e.dst.p, x); } } }
Host m(int x) { for (int i = 0; i < 1000; i++) Invoke K(graph, x); }`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := smallGraph(t)
	errs := make(chan error)
	for x := range 4 {
		go func() {
			res, err := e.Run(context.Background(), run.Input{Graph: g, Args: []run.Value{run.IntValue(int64(x))}})
			if err == nil && res.Column("p").Int(2) != int64(2000*x) {
				err = fmt.Errorf("x = %d: %d", x, res.Column("p").Int(2))
			}
			errs <- err
		}()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// TestMemory runs programs that need more memory than they may have.
func TestMemory(t *testing.T) {
	for name, text := range map[string]string{
		"property": `Graph graph { Node double a; Edge double b; } Host m() { graph.nodes(0).a = 1; }`,
		"global":   `int a[100]; Host m() { a[0] = 1; }`,
		"local":    `Host m() { int a[100] = {0}; a[0] = 1; }`,
		"worklist": `Kernel K() { ForAll (i In WL) { int x = WL.pop(i); WL.push(x); WL.push(x); } } Host m() { Iterate K() Initial [1]; }`,
		"retry":    `Kernel K() { ForAll (i In WL) { int x = WL.pop(i); Respawn x; Respawn x; } } Host m() { Iterate K() Initial [1]; }`,
	} {
		want := "the program needs more than 0 MiB of memory [R0109]"
		if got := runText(t, name, text, Options{Memory: 60}); !strings.Contains(got, want) {
			t.Errorf("%s: %s", name, got)
		}
		if name == "worklist" || name == "retry" {
			continue
		}
		if got := runText(t, name, text, Options{Memory: 500}); got != "" {
			t.Errorf("%s: with enough memory: %s", name, got)
		}
	}
}

// TestCodes sees to it that every code of a failing program is in an archive.
func TestCodes(t *testing.T) {
	var archive []byte
	for _, name := range []string{"errors", "list-errors"} {
		b, err := os.ReadFile("testdata/" + name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		archive = append(archive, b...)
	}
	for _, c := range []source.Code{codeGoto, codeCase, codeCBlock, codeForeign, codeRoom, codeIndex, codeElement, codePointer, codeUnset, codePop, codeNoList, codeAssert, codeDeep, codeMemory, codeCallNull, codeDeadlock} {
		if !bytes.Contains(archive, []byte("["+string(c)+"]")) {
			t.Errorf("no program produces %s", c)
		}
	}
}

// TestSeeds runs a program that shows its order.
func TestSeeds(t *testing.T) {
	text := `Graph graph {} Kernel K(graph) { ForAll (n In graph.nodes) { ForAll (e In n.edges) { printf("%d", (int)e.id); } } }
Kernel L() { ForAll (i In WL) { printf("%d", WL.pop(i)); } }
Kernel S(graph) { ForAll (n In graph.nodes) { for (e In n.edges) { printf("%d", (int)e.id); } } }
Host m() { Invoke K(graph); Pipe Initial [5, 6, 7, 8] { Invoke L(); } Invoke S(graph); }`
	seen := map[string]bool{}
	for seed := range uint64(20) {
		got := runText(t, "a.irgl", text, Options{Seed: seed})
		if again := runText(t, "a.irgl", text, Options{Seed: seed}); got != again {
			t.Errorf("seed %d: %s and %s", seed, got, again)
		}
		if strings.Count(got, "0") != 2 || strings.Count(got, "3") != 2 || strings.Count(got, "8") != 1 || len(got) != 12 {
			t.Errorf("seed %d: %s", seed, got)
		}
		if strings.Contains(got[8:], "10") {
			t.Errorf("seed %d: a serial loop was permuted: %s", seed, got)
		}
		seen[got] = true
	}
	if !seen["012356780123"] || len(seen) < 10 {
		t.Errorf("the orders seen are %v", seen)
	}
}
