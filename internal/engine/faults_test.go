package engine_test

import (
	"strings"
	"testing"

	"irgl/internal/engine"
)

// TestFaultsOfEachRun: a run reports its own faults, all of them, and none of a run
// before it, whether that one failed or not.
func TestFaultsOfEachRun(t *testing.T) {
	overrun := prepare(t, parse(t, "overrun", `Graph graph { Output Node int x; }
		Kernel K(graph) { ForAll (n In graph.nodes) {
			int seen[4];
			int k = 0;
			for (int i = 0; i < 4; i = i + 1) seen[i] = 0;
			for (e In n.edges) { seen[k] = e.dst.id; k = k + 1; }
			n.x = seen[n.id % 4];
		} }
		Host main() { Invoke K(graph); }`), engine.Options{Device: "simt"})
	race := prepare(t, parse(t, "race", `Graph graph { Output Node int last; }
		Kernel K(graph) { ForAll (n In graph.nodes) { for (e In n.edges) { if (e.dst.id == 7) e.dst.last = n.id; } } }
		Host main() { Invoke K(graph); }`), engine.Options{Device: "simt"})
	many, few := generate(t, "clique:8"), generate(t, "path:6")
	for _, test := range []struct {
		x    *engine.Executable
		want string
	}{{overrun, "out-of-bounds"}, {race, "race"}} {
		for i, g := range []int{1, 1, 0, 0, 1, 0} {
			in, want := few, ""
			if g == 1 {
				in, want = many, test.want
			}
			_, err := test.x.Run(t.Context(), in, nil)
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s, run %d: %v, want %q", test.want, i, err, want)
			}
		}
	}
}
