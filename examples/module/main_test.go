package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example/costs"
	"example/reach"

	"irgl"
	"irgl/graph"
)

// TestRun runs the example on the devices that every machine has.
func TestRun(t *testing.T) {
	const want = `25 nodes are at most 3 steps from node 210
edges of weight 2: node 2 is at 4, node 3 is not reached: true
edges of weight 2147483646: node 2 is at 4294967292, node 3 is not reached: true
the farthest nodes from nodes 0 to 3: [38 37 36 35]
wrong.irgl, line 3, column 28: a node has no member y
its loops: over g.nodes at line 3
`
	for _, device := range []string{"cpu", "interp", "simt"} {
		var out strings.Builder
		if err := run(context.Background(), &out, device); err != nil {
			t.Errorf("%s: %v", device, err)
		} else if out.String() != want {
			t.Errorf("%s:\n%s\nwant\n%s", device, out.String(), want)
		}
	}
}

// TestCompiledIn: on the CPU the packages run the code in them, without a Go toolchain
// and the cache of what one has built.
func TestCompiledIn(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, filepath.Join(home, "none"))
	}
	t.Setenv("PATH", "")
	t.Setenv("GOROOT", "")
	ctx, o := context.Background(), irgl.Options{Device: "cpu"}
	steps, err := reach.Compile(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer steps.Close()
	paths, err := costs.Compile(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer paths.Close()
	for _, weight := range []int32{1, math.MaxInt32 - 1} { // distances of 32 and 64 bits
		g, err := graph.FromEdges(3, []uint32{0, 1}, []uint32{1, 2}, []int32{weight, weight})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := steps.Run(ctx, g, reach.Args{Src: 0, Most: 1}); err != nil || r.Reached != 2 {
			t.Errorf("reach: %+v, %v", r, err)
		}
		if r, err := paths.Run(ctx, g, costs.Args{Src: 0}); err != nil || r.Cost[2] != 2*int64(weight) {
			t.Errorf("costs: %+v, %v", r, err)
		}
		for _, x := range []*irgl.Executable{steps.Executable(), paths.Executable()} {
			if got, want := x.Device(), (irgl.Device{Name: "cpu", Model: "generated Go, compiled in"}); got != want || len(x.Notes()) != 0 {
				t.Errorf("device %+v, want %+v; notes %q", got, want, x.Notes())
			}
		}
	}
	if left, err := os.ReadDir(home); err != nil || len(left) != 0 {
		t.Errorf("something was built: %v, %v", left, err)
	}
}
