package programs_test

import (
	"testing"

	"irgl/internal/compile"
)

// TestTopologyAndData checks that the topology-driven programs have no worklist, so that they
// visit all nodes in each round, and that in the data-driven ones a kernel pops what one pushes
// (IrGL paper, section 2.1).
func TestTopologyAndData(t *testing.T) {
	for name, want := range map[string]bool{"sssp_bf": false, "pr": false, "cc": false, "bfs": true, "sssp": true, "sssp_nf": true, "pr_dd": true} {
		pops, pushes := false, false
		for _, f := range compiled(t, name, compile.Options{}).Info.Funcs {
			pops, pushes = pops || f.Pops, pushes || f.Pushes
		}
		if pops != want || pushes != want {
			t.Errorf("%s: pops %v, pushes %v, want %v", name, pops, pushes, want)
		}
	}
}
