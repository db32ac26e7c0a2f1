package main

import (
	"context"
	"strings"
	"testing"
)

// TestRun runs the example on the devices that every machine has.
func TestRun(t *testing.T) {
	const want = `25 nodes are at most 3 steps from node 210
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
