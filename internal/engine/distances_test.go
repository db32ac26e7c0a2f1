package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"irgl/graph"
	"irgl/internal/engine"
	"irgl/internal/run"
)

// wideGraphs have paths that are longer than an int holds, or nearly: one line of
// edges u, v, weight each.
var wideGraphs = map[string]struct {
	edges [][3]int64
	want  map[int]int64 // distances from 0 of some nodes
}{
	"long path":   {[][3]int64{{0, 1, 2e9}, {1, 2, 2e9}, {2, 3, 2e9}, {0, 3, 2147483647}}, map[int]int64{2: 4e9, 3: 2147483647}},
	"longer path": {[][3]int64{{0, 1, 2e9}, {1, 2, 2e9}, {2, 3, 2e9}, {4, 0, 1}}, map[int]int64{1: 2e9, 3: 6e9}},
	"detour":      {[][3]int64{{0, 1, 2147483647}, {1, 2, 2147483647}, {0, 2, 2147483647}, {2, 1, 0}}, map[int]int64{1: 2147483647, 2: 2147483647}},
}

func graphOf(edges [][3]int64) *graph.Graph {
	n := int64(0)
	for _, e := range edges {
		n = max(n, e[0]+1, e[1]+1)
	}
	g := &graph.Graph{RowStart: make([]uint64, n+1)}
	for u := range n {
		for _, e := range edges {
			if e[0] == u {
				g.Dst, g.Weight = append(g.Dst, uint32(e[1])), append(g.Weight, int32(e[2]))
			}
		}
		g.RowStart[u+1] = uint64(len(g.Dst))
	}
	return g
}

// TestWideDistances runs the programs for shortest paths where distances need 64
// bits, with one executable by turns with a graph where they do not.
func TestWideDistances(t *testing.T) {
	ctx := context.Background()
	narrow := generate(t, "path:6:wmax=9")
	for _, device := range []string{"cpu", "interp", "simt"} {
		for _, name := range []string{"sssp", "sssp_bf", "sssp_nf", "sssp_ds"} {
			if device == "simt" && name != "sssp" && testing.Short() {
				continue // each graph has it compiled anew
			}
			x := prepare(t, bundled(t, name), engine.Options{Device: device})
			for what, wide := range wideGraphs {
				g := graphOf(wide.edges)
				for _, g := range []*graph.Graph{g, narrow, g} {
					res, err := x.Run(ctx, g, engine.Args{"src": 0})
					if err != nil {
						t.Fatalf("%s on %s, %s: %v", name, device, what, err)
					}
					if err := x.Verify(ctx, res); err != nil {
						t.Errorf("%s on %s, %s: %v", name, device, what, err)
					}
					dist, _ := res.Property("dist")
					if want := map[bool]string{true: "long", false: "int"}[g != narrow]; dist.Type() != want {
						t.Errorf("%s on %s, %s: distances are of type %s, want %s", name, device, what, dist.Type(), want)
					}
					if g == narrow {
						continue
					}
					for v, d := range wide.want {
						if got := dist.Int(v); got != d {
							t.Errorf("%s on %s, %s: node %d is %d away, want %d", name, device, what, v, got, d)
						}
					}
				}
			}
		}
	}
}

// TestDistanceOutputs: outputs of type dist_t, and no others, can be had in 64 bits
// whatever the width of distances is.
func TestDistanceOutputs(t *testing.T) {
	p, err := engine.Parse("far.irgl", []byte(`
		Graph graph { Requires weights; Output Node dist_t d = DIST_MAX; Output Node int level = INF; }
		Output dist_t far = 7;
		Output dist_t two[2];
		Output long steps = 9;
		Host main(node src) { src.d = 5; two[1] = DIST_MAX; }`))
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, o := range p.OutputTypes() {
		types = append(types, o.Name+" "+o.Type)
	}
	if got, want := strings.Join(types, ", "), "d dist_t, level int, far dist_t, two dist_t[2], steps long"; got != want {
		t.Errorf("outputs %s, want %s", got, want)
	}
	x := prepare(t, p, engine.Options{Device: "interp"})
	const none = 1<<63 - 1
	for _, edges := range [][][3]int64{{{0, 1, 4}}, wideGraphs["longer path"].edges} {
		r, err := x.Run(t.Context(), graphOf(edges), engine.Args{"src": 0})
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string][]int64{"d": {5, none}, "far": {7}, "two": {0, none}, "level": nil, "steps": nil, "other": nil} {
			got, ok := r.Distances(name)
			if ok != (want != nil) || !slices.Equal(got[:min(len(got), len(want))], want) {
				t.Errorf("%v: %s is %v, %t, want %v", edges, name, got, ok, want)
			}
		}
	}
}

// TestDistancesByName: a property and a global variable may have one name. The output is the
// one that is a result, and the property of two that are.
func TestDistancesByName(t *testing.T) {
	for text, want := range map[string]struct {
		types string
		d     []int64
	}{
		"Graph g { Output Node dist_t d = 5; }\nint d = 9;\nHost main() { }":        {"d dist_t", []int64{5, 5}},
		"Graph g { Output Node dist_t d = 5; }\nOutput int d = 9;\nHost main() { }": {"d dist_t, d int", []int64{5, 5}},
		"Graph g { Output Node int d = 5; }\nOutput dist_t d = 9;\nHost main() { }": {"d int, d dist_t", nil},
		"Graph g { Node int d = 5; }\nOutput dist_t d = 9;\nHost main() { }":        {"d dist_t", []int64{9}},
		"Graph g { Node dist_t d = 5; }\nOutput int d = 9;\nHost main() { }":        {"d int", nil},
		"Graph g { Node dist_t d = 5; Output Node long e; }\nHost main() { }":       {"e long", nil},
		"Graph g { Output Node int e; }\ndist_t d = 5;\nHost main() { d = d + 1; }": {"e int", nil},
	} {
		p, err := engine.Parse("d.irgl", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var types []string
		for _, o := range p.OutputTypes() {
			types = append(types, o.Name+" "+o.Type)
		}
		if got := strings.Join(types, ", "); got != want.types {
			t.Errorf("%s: outputs %s, want %s", text, got, want.types)
		}
		r, err := prepare(t, p, engine.Options{Device: "interp"}).Run(t.Context(), graphOf([][3]int64{{0, 1, 4}}), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := r.Distances("d"); ok != (want.d != nil) || !slices.Equal(got, want.d) {
			t.Errorf("%s: distances %v, %t, want %v", text, got, ok, want.d)
		}
	}
}

// TestGivenPTX: PTX of 32-bit distances is not run where they do not suffice.
func TestGivenPTX(t *testing.T) {
	var text strings.Builder
	p := bundled(t, "sssp")
	if err := engine.Emit(&text, "sssp.irgl", p.Source(), "ptx", engine.Options{}.Compile); err != nil {
		t.Fatal(err)
	}
	x := prepare(t, p, engine.Options{Device: "simt", PTX: text.String()})
	_, err := x.Run(context.Background(), graphOf(wideGraphs["longer path"].edges), engine.Args{"src": 0})
	if err == nil || !strings.Contains(err.Error(), "32-bit distances") {
		t.Errorf("the error is %v", err)
	}
}

// TestNegativeWeights: programs that lower distances until none falls take negative
// weights; cycles of negative weight are refused where they can be reached, and
// negative weights where a program goes by bands of distances.
func TestNegativeWeights(t *testing.T) {
	ctx := context.Background()
	cycle := [][3]int64{{0, 1, 4}, {1, 2, -5}, {2, 1, 3}, {3, 0, 1}}
	for _, device := range []string{"cpu", "interp", "simt"} {
		for _, name := range []string{"sssp", "sssp_bf"} {
			x := prepare(t, bundled(t, name), engine.Options{Device: device})
			res, err := x.Run(ctx, graphOf([][3]int64{{0, 1, 4}, {0, 2, 3}, {2, 1, -2}, {1, 3, -2e9}, {3, 4, -2e9}}), engine.Args{"src": 0})
			if err != nil {
				t.Fatalf("%s on %s: %v", name, device, err)
			}
			if err := x.Verify(ctx, res); err != nil {
				t.Errorf("%s on %s: %v", name, device, err)
			}
			dist, _ := res.Property("dist")
			if got := dist.Int(4); got != 1-4e9 {
				t.Errorf("%s on %s: node 4 is %d away", name, device, got)
			}
			g := graphOf(cycle)
			g.IDs = []uint64{10, 11, 12, 13}
			_, err = x.Run(ctx, g, engine.Args{"src": 10})
			var found *run.NegativeCycleError
			if !errors.As(err, &found) || *found != (run.NegativeCycleError{From: 11, To: 12, Weight: -5, Edges: 2, Cycle: -2}) {
				t.Errorf("%s on %s, a cycle: %v", name, device, err)
			}
			// From 4 the cycle cannot be reached.
			g = graphOf(append(cycle[:len(cycle):len(cycle)], [3]int64{4, 5, -1}))
			if _, err := x.Run(ctx, g, engine.Args{"src": 4}); err != nil {
				t.Errorf("%s on %s, a cycle out of reach: %v", name, device, err)
			}
		}
		for _, name := range []string{"sssp_nf", "sssp_ds"} {
			x := prepare(t, bundled(t, name), engine.Options{Device: device})
			_, err := x.Run(ctx, graphOf(cycle), engine.Args{"src": 0})
			var found *run.NegativeWeightError
			if !errors.As(err, &found) || *found != (run.NegativeWeightError{From: 1, To: 2, Weight: -5}) {
				t.Errorf("%s on %s: %v", name, device, err)
			}
		}
	}
}
