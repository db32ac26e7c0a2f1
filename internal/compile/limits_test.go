package compile_test

import (
	"context"
	"testing"

	"irgl/graph"
	"irgl/internal/abi"
	"irgl/internal/compile"
	"irgl/internal/device/simt"
	"irgl/internal/host"
	"irgl/internal/lower"
	"irgl/internal/run"
	"irgl/internal/source"
	"irgl/syntax"
)

// TestHubLimits runs a kernel that puts off more ranges than the default capacity
// of the list for them, with that capacity, a larger one, and ones that are full at
// once: every edge is visited once, and no access is out of bounds.
func TestHubLimits(t *testing.T) {
	const text = `Graph graph { Output Node int seen; }
Kernel Count(graph) {
  ForAll (n In graph.nodes) {
    int one = n * 0 + 1;
    ForAll (e In n.edges) { atomicAdd(&e.dst.seen, one); }
  }
}
Host main() { Invoke Count(graph); }
`
	const nodes = 4500
	g, err := graph.Generate(context.Background(), "grid:2:2250")
	if err != nil {
		t.Fatal(err)
	}
	for _, limits := range []abi.Limits{{}, {HubLists: 5000}, {HubLists: 3}, {HubTiles: 7}, {HubLists: 4096, HubTiles: 4097}} {
		for _, outline := range []bool{false, true} {
			if testing.Short() && outline != (limits.HubTiles > 0) {
				continue // each limit once
			}
			o := compile.Options{Check: true}
			o.Lower = lower.Options{NP: lower.ByGrid | lower.Serially, GridLoop: 2, BlockThreads: 64, Limits: limits, Outline: lower.Outline{Auto: outline}}
			u, err := compile.Compile(source.NewFile("count.irgl", []byte(text)), syntax.IrGL, "", o)
			if err != nil {
				t.Fatal(err)
			}
			dev := simt.Open(simt.Checked())
			e, err := host.New(dev, u.Info, u.CUDAInfo, u.PTXText(), host.Options{BlockThreads: 64, MaxBlocks: 4})
			if err != nil {
				t.Fatal(err)
			}
			res, err := e.Run(context.Background(), run.Input{Graph: g})
			if err != nil {
				t.Fatalf("%+v: %v", limits, err)
			}
			for v := range nodes {
				if got, want := res.Props[0].Int(v), int64(g.RowStart[v+1]-g.RowStart[v]); got != want {
					t.Fatalf("%+v: node %d was visited %d times, want %d", limits, v, got, want)
				}
			}
			for _, r := range dev.Reports() {
				t.Errorf("%+v: %v", limits, r)
			}
			e.Close()
			dev.Close()
		}
	}
}
