package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"irgl/graph"
	"irgl/internal/engine"
	"irgl/internal/run"
	"irgl/mesh"
)

// everywhere lists the devices that every machine has.
var everywhere = []string{"cpu", "interp", "simt"}

func parse(t *testing.T, name, text string) *engine.Program {
	t.Helper()
	p, err := engine.Parse(name+".irgl", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func prepare(t *testing.T, p *engine.Program, o engine.Options) *engine.Executable {
	t.Helper()
	x, err := p.Compile(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

func bundled(t *testing.T, name string) *engine.Program {
	t.Helper()
	p, err := engine.Bundled(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func generate(t *testing.T, spec string) *graph.Graph {
	t.Helper()
	g, err := graph.Generate(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// inputFor returns g for a program that has a graph, and otherwise a mesh of
// about as many points, which are few.
func inputFor(t *testing.T, p *engine.Program, g *graph.Graph) engine.Input {
	t.Helper()
	if _, wantsMesh := p.Needs(); !wantsMesh {
		return engine.Input{Graph: g}
	}
	m, err := mesh.Generate(context.Background(), max(3, min(g.NumNodes(), 100)), 5)
	if err != nil {
		t.Fatal(err)
	}
	return engine.Input{Mesh: m}
}

// somePrograms returns the bundled programs; in a short run a few that together have
// worklists, distances, reductions and locks.
func somePrograms() []string {
	if testing.Short() {
		return []string{"bfs", "mst_lock", "sssp_nf"}
	}
	return engine.Programs()
}

// TestAllProgramsAgree runs every bundled program on every device and on graphs
// of different shapes, verifies each answer, and compares devices where the
// program is deterministic.
func TestAllProgramsAgree(t *testing.T) {
	ctx := context.Background()
	specs, names := []string{"rmat:7:4", "road:12:9", "star:40", "path:1", "uniform:60:1:sym"}, engine.Programs()
	if testing.Short() {
		specs, names = []string{"rmat:4:4"}, append(somePrograms(), "pr_dd", "dmr")
	}
	for _, name := range names {
		p := bundled(t, name)
		args := engine.Args{}
		if len(p.Params()) > 0 && p.Params()[0].Type == "node" {
			args[p.Params()[0].Name] = 0
		}
		on := map[string]*engine.Executable{}
		for _, device := range everywhere {
			on[device] = prepare(t, p, engine.Options{Device: device, Seed: 3})
		}
		for _, spec := range specs {
			in := inputFor(t, p, generate(t, spec))
			texts := map[string]string{}
			for _, device := range everywhere {
				x := on[device]
				r, err := x.RunOn(ctx, in, args)
				if err != nil {
					t.Fatalf("%s on %s, %s: %v", name, spec, device, err)
				}
				if err := x.Verify(ctx, r); err != nil || r.Verified() == nil || !*r.Verified() {
					t.Errorf("%s on %s, %s: %v", name, spec, device, err)
				}
				var b bytes.Buffer
				if err := r.WriteValues(&b); err != nil {
					t.Fatal(err)
				}
				texts[device] = b.String()
			}
			if name != "pr" && name != "pr_dd" && name != "pr_pull" && name != "pr_row" && name != "dmr" && (texts["cpu"] != texts["interp"] || texts["cpu"] != texts["simt"]) {
				t.Errorf("%s on %s: the devices differ", name, spec)
			}
		}
	}
}

const endless = `Graph graph { Node int a; }
	Kernel K(graph) { ForAll (n In graph.nodes) { ReduceAndReturn(true); } }
	Host main() { Iterate While Any K(graph) { } }`

func TestCancel(t *testing.T) {
	g := generate(t, "path:10")
	for _, device := range everywhere {
		if device == "cpu" && testing.Short() {
			continue // it builds the program
		}
		x := prepare(t, parse(t, "endless", endless), engine.Options{Device: device})
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		start := time.Now()
		_, err := x.Run(ctx, g, nil)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", device, err)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%s: it took %v", device, d)
		}
	}
}

// TestRunAgain checks that a cancelled run leaves the executable usable.
func TestRunAgain(t *testing.T) {
	for _, device := range everywhere {
		x := prepare(t, bundled(t, "bfs"), engine.Options{Device: device})
		g := generate(t, "path:50")
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := x.Run(ctx, g, engine.Args{"src": 0}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", device, err)
		}
		for _, src := range []int{0, 49, 20} {
			r, err := x.Run(context.Background(), g, engine.Args{"src": src})
			if err != nil {
				t.Fatalf("%s: %v", device, err)
			}
			if err := x.Verify(context.Background(), r); err != nil {
				t.Errorf("%s: %v", device, err)
			}
		}
	}
}

// TestConcurrent runs several executables at the same time, two of each
// device, on one graph.
func TestConcurrent(t *testing.T) {
	ctx := context.Background()
	g := generate(t, "rmat:7:4")
	var wg sync.WaitGroup
	for i := range 2 {
		for _, device := range everywhere {
			for _, name := range []string{"bfs", "cc"} {
				x := prepare(t, bundled(t, name), engine.Options{Device: device, Seed: uint64(i)})
				args := engine.Args{}
				if name == "bfs" {
					args["src"] = i
				}
				wg.Go(func() {
					for range 3 {
						r, err := x.Run(ctx, g, args)
						if err == nil {
							err = x.Verify(ctx, r)
						}
						if err != nil {
							t.Errorf("%s on %s: %v", name, device, err)
						}
					}
				})
			}
		}
	}
	wg.Wait()
}

func TestArguments(t *testing.T) {
	p := parse(t, "args", `Graph graph { Node int a; }
		Host main(node n, int i = 1, unsigned char c = 2, unsigned long u = 3, float f = 4, bool b = false) {
			printf("%d %d %d %lu %g %d\n", n.id, i, c, u, f, b);
		}`)
	g, err := graph.Read(context.Background(), "g.txt", strings.NewReader("10 20\n20 30\n"))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	x := prepare(t, p, engine.Options{Device: "interp", Stdout: &out})
	type number int16
	for _, tt := range []struct {
		args engine.Args
		want string // what is printed, or a part of the error
	}{
		{engine.Args{"n": 20}, "1 1 2 3 4 0\n"},
		{engine.Args{"n": 30, "i": -7, "c": uint8(255), "u": uint64(math.MaxUint64), "f": 0.5, "b": true}, "2 -7 255 18446744073709551615 0.5 1\n"},
		{engine.Args{"n": uint32(10), "i": number(5), "u": 4, "f": 2, "b": 1}, "0 5 2 4 2 1\n"},
		{engine.Args{}, "args needs a value for its parameter n (node)"},
		{engine.Args{"n": 20, "ii": 1}, `args has no parameter "ii", did you mean "i"?`},
		{engine.Args{"n": 40}, "parameter n: the graph has no node 40"},
		{engine.Args{"n": -1}, "parameter n is a node, and -1 is not the number of one"},
		{engine.Args{"n": 20.0}, "parameter n is a node, and 20 is not the number of one"},
		{engine.Args{"n": true}, "parameter n is a node, and true is not the number of one"},
		{engine.Args{"n": "20"}, "parameter n is a node, and 20 is not the number of one"},
		{engine.Args{"n": 20, "i": int64(1) << 31}, "parameter i is of type int: 2147483648 does not fit"},
		{engine.Args{"n": 20, "i": 1.5}, "parameter i is of type int: 1.5 is no integer"},
		{engine.Args{"n": 20, "i": uint64(math.MaxUint64)}, "does not fit"},
		{engine.Args{"n": 20, "c": -1}, "parameter c is of type unsigned char: -1 does not fit"},
		{engine.Args{"n": 20, "u": -1}, "parameter u is of type unsigned long: -1 does not fit"},
		{engine.Args{"n": 20, "b": 2}, "parameter b is of type bool: 2 does not fit"},
		{engine.Args{"n": 20, "f": "x"}, "parameter f: a value of type string is no argument"},
		{engine.Args{"n": 20, "f": nil}, "parameter f: a value of type <nil> is no argument"},
	} {
		out.Reset()
		_, err := x.Run(context.Background(), g, tt.args)
		got := out.String()
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%v: %q, want %q", tt.args, got, tt.want)
		}
	}
}

func TestOptionErrors(t *testing.T) {
	p := bundled(t, "bfs")
	for _, tt := range []struct {
		o    engine.Options
		want string
	}{
		{engine.Options{Device: "gpu"}, `there is no device "gpu"`},
		{engine.Options{Device: "simt:1"}, "only cuda takes a number"},
		{engine.Options{Device: "cuda:x"}, `device "cuda:x": GPUs have numbers from 0 on, as in cuda:1`},
		{engine.Options{Device: "cuda:-1"}, `device "cuda:-1": GPUs have numbers from 0 on`},
		{engine.Options{Device: "cpu", PTX: ".version 8.0"}, "PTX runs on the devices cuda and simt, not on cpu"},
		{engine.Options{Device: "simt", PTX: "nonsense"}, "P0"},
	} {
		x, err := p.Compile(context.Background(), tt.o)
		if err == nil {
			x.Close()
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.o, err, tt.want)
		}
	}
	nothing := parse(t, "nothing", "Graph graph { Node int a; }")
	if _, err := nothing.Compile(context.Background(), engine.Options{Device: "interp"}); err == nil {
		t.Error("a program without a Host function compiles")
	}
}

func TestDevices(t *testing.T) {
	devices, why := engine.Devices()
	var names []string
	for _, d := range devices {
		if d.Device == "" || d.Name == "" || d.Detail == "" {
			t.Errorf("incomplete: %+v", d)
		}
		if _, _, err := engine.ParseDevice(d.Device); err != nil {
			t.Error(err)
		}
		names = append(names, d.Device)
	}
	for _, want := range everywhere {
		if !slices.Contains(names, want) {
			t.Errorf("no %s in %v", want, names)
		}
	}
	if gpu := slices.Contains(names, "cuda:0"); gpu == (why != nil) {
		t.Errorf("GPU listed: %v, and the reason is %v", gpu, why)
	}
}

func TestParams(t *testing.T) {
	p := bundled(t, "pr")
	want := []engine.Param{{"damping", "double", "0.85"}, {"tolerance", "double", "1e-9"}, {"max_rounds", "int", "1000"}}
	if got := p.Params(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := p.Outputs(); !slices.Equal(got, []string{"rank", "rounds"}) {
		t.Errorf("outputs %v", got)
	}
	if got := parse(t, "x", "Graph g { Node int a; Edge int b; Node node c; } int d; Host m() { }").Outputs(); !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("nothing is marked, and the outputs are %v", got)
	}
}

func TestResult(t *testing.T) {
	text := `Graph graph { Output Node node next = id; Output Edge double half; Output Node float f = INFINITY; }
		Output long sums[2];
		Output node last = 0;
		Kernel K(graph) {
			ForAll (n In graph.nodes) {
				ForAll (e In n.edges) {
					n.next = e.dst;
					e.half = e.id / 2.0;
				}
				if (n.id == 1) { n.f = 2.5f; }
			}
		}
		Host main() { Invoke K(graph); sums[1] = -5; last = graph.nodes(2); }`
	g, err := graph.Read(context.Background(), "g.txt", strings.NewReader("10 20\n20 30\n30 20\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, device := range []string{"interp", "simt"} {
		x := prepare(t, parse(t, "result", text), engine.Options{Device: device})
		if kind, about := x.Device(); kind != device || about == "" {
			t.Errorf("device %s, %s", kind, about)
		}
		r, err := x.Run(context.Background(), g, nil)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		fmt.Fprintln(&b, len(r.Properties()), r.Nodes, r.Edges)
		next, _ := r.Property("next")
		fmt.Fprintln(&b, next.Type(), next.Len(), next.Int(0), next.Node(0))
		f, _ := r.Property("f")
		at, ok := f.At(20)
		fmt.Fprintln(&b, at, ok, f.Float(0))
		_, ok = f.At(11)
		fmt.Fprintln(&b, ok)
		half, _ := r.Property("half")
		_, ok = half.At(10)
		fmt.Fprintln(&b, ok, half.Float(2))
		sums, ok := r.Values("sums")
		fmt.Fprintln(&b, sums, ok)
		last, ok := r.Values("last")
		to, _ := next.At(10)
		fmt.Fprintln(&b, last, ok, to)
		_, ok = r.Values("nothing")
		fmt.Fprintln(&b, ok)
		_, ok = r.Property("nothing")
		fmt.Fprintln(&b, ok)
		if err := errors.Join(r.WriteValues(&b), r.WriteSummary(&b)); err != nil {
			t.Fatal(err)
		}
		const want = `3 3 3
node 3 1 10
2.5 true +Inf
false
false 1
[0 -5] true
[30] true 20
false
false
# node next f
10 20 +Inf
20 30 2.5
30 20 +Inf
# from to half
10 20 0
20 30 0.5
30 20 1
next: set on 3 of 3, min 20, max 30, sum 70
half: set on 2 of 3, min 0.5, max 1, sum 1.5
f: set on 1 of 3, min 2.5, max 2.5, sum 2.5
sums: [0 -5]
last: 30
`
		if b.String() != want {
			t.Errorf("%s: got\n%s", device, b.String())
		}
		if err := x.Verify(context.Background(), r); !errors.Is(err, engine.ErrNoReference) {
			t.Errorf("a program of one's own is verified: %v", err)
		}
	}
}

// TestSmallWorklist checks that lists which are too small grow, and that what
// the program prints appears once.
func TestSmallWorklist(t *testing.T) {
	p := parse(t, "flood", `Graph graph { Output Node int seen; }
		Kernel K(graph) {
			ForAll (i In WL) {
				n = WL.pop(i);
				ForAll (e In n.edges) {
					if (atomicExch(&e.dst.seen, 1) == 0) { WL.push(e.dst); }
				}
			}
		}
		Host main() { printf("begin\n"); Iterate K(graph) Initial [0] { } }`)
	for _, device := range []string{"interp", "simt"} {
		var out bytes.Buffer
		x := prepare(t, p, engine.Options{Device: device, Capacity: 1, Stdout: &out})
		r, err := x.Run(context.Background(), generate(t, "star:200"), nil)
		if err != nil {
			t.Fatal(err)
		}
		seen, _ := r.Property("seen")
		if s := seen.Summary(); s.Set != 200 {
			t.Errorf("%s: %d nodes were seen", device, s.Set)
		}
		if out.String() != "begin\n" {
			t.Errorf("%s printed %q", device, out.String())
		}
		if device == "simt" && r.Restarts == 0 {
			t.Error("the list of one item was large enough")
		}
	}
}

func TestNeedsWeights(t *testing.T) {
	x := prepare(t, bundled(t, "sssp"), engine.Options{Device: "cpu"})
	_, err := x.Run(context.Background(), generate(t, "path:3:wmax=0"), engine.Args{"src": 0})
	if _, ok := errors.AsType[*run.NeedWeightsError](err); !ok {
		t.Errorf("%v", err)
	}
}

func TestClosed(t *testing.T) {
	for _, device := range everywhere {
		x, err := bundled(t, "cc").Compile(context.Background(), engine.Options{Device: device})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(x.Close(), x.Close()); err != nil {
			t.Errorf("%s: %v", device, err)
		}
		if _, err := x.Run(context.Background(), generate(t, "path:3"), nil); err == nil {
			t.Errorf("%s: a closed executable runs", device)
		}
	}
}

// TestUndeclaredRace checks that simt refuses a race that the program does not
// declare, and accepts it once it does.
func TestUndeclaredRace(t *testing.T) {
	const text = `Graph graph { Output Node int last; %s }
		Kernel K(graph) { ForAll (n In graph.nodes) { ForAll (e In n.edges) { e.dst.last = n.id; } } }
		Host main() { Invoke K(graph); }`
	g := generate(t, "star:40")
	for racy, wanted := range map[string]bool{"": true, `Racy last "any will do";`: false} {
		x := prepare(t, parse(t, "race", fmt.Sprintf(text, racy)), engine.Options{Device: "simt"})
		_, err := x.Run(context.Background(), g, nil)
		if found := err != nil && strings.Contains(err.Error(), "race"); found != wanted {
			t.Errorf("with %q: %v", racy, err)
		}
	}
}

func TestEmit(t *testing.T) {
	for _, name := range somePrograms() {
		text := bundled(t, name).Source()
		for _, form := range engine.Forms() {
			if form == "hir" {
				continue // of programs in C++
			}
			var a, b bytes.Buffer
			if err := engine.Emit(&a, name+".irgl", text, form, engine.Options{}.Compile); err != nil {
				t.Errorf("%s %s: %v", name, form, err)
			}
			if err := engine.Emit(&b, name+".irgl", text, form, engine.Options{}.Compile); err != nil {
				t.Errorf("%s %s: %v", name, form, err)
			}
			if a.Len() == 0 || !bytes.Equal(a.Bytes(), b.Bytes()) {
				t.Errorf("%s %s: empty, or different the second time", name, form)
			}
		}
	}
	var b bytes.Buffer
	for name, form := range map[string]string{"a.irgl": "ptx", "b.txt": "ptx", "c.cu": "go", "d.irgl": "foo"} {
		text := "Host main() { }"
		if name == "a.irgl" {
			text = "Host main() { x++; }"
		}
		if err := engine.Emit(&b, name, []byte(text), form, engine.Options{}.Compile); err == nil || b.Len() > 0 {
			t.Errorf("%s %s: %v, %q", name, form, err, b.String())
		}
	}
}
