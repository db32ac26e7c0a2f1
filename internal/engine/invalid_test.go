package engine

import (
	"context"
	"strings"
	"testing"

	"irgl/graph"
)

// A graph made by hand whose arrays do not fit each other is an error of each run,
// on every device, and never a fault.
func TestInvalidGraph(t *testing.T) {
	for name, g := range map[string]*graph.Graph{
		"destination": {RowStart: []uint64{0, 1, 2}, Dst: []uint32{1, 7}, Weight: []int32{1, 1}},
		"rows fall":   {RowStart: []uint64{0, 2, 1}, Dst: []uint32{1}, Weight: []int32{1}},
		"last row":    {RowStart: []uint64{0, 1, 9}, Dst: []uint32{1, 0}, Weight: []int32{1, 1}},
		"weights":     {RowStart: []uint64{0, 1, 2}, Dst: []uint32{1, 0}, Weight: []int32{1}},
		"names":       {RowStart: []uint64{0, 1, 2}, Dst: []uint32{1, 0}, Weight: []int32{1, 1}, IDs: []uint64{0, 1, 2, 3}},
	} {
		if _, _, err := Choose(context.Background(), "tri", g, nil, Options{Device: "cpu"}); err == nil || !strings.HasPrefix(err.Error(), "graph: ") {
			t.Errorf("%s: chosen with %v", name, err)
		}
		for _, device := range []string{"cpu", "interp", "simt"} {
			for _, program := range []string{"sssp", "mis", "bfs_do"} {
				p, err := Bundled(program)
				if err != nil {
					t.Fatal(err)
				}
				x, err := p.Compile(context.Background(), Options{Device: device})
				if err != nil {
					t.Fatal(err)
				}
				args := Args{}
				for _, param := range p.Params() {
					if param.Type == "node" {
						args[param.Name] = 0
					}
				}
				if err := x.PrepareInput(context.Background(), Input{Graph: g}); err == nil || !strings.HasPrefix(err.Error(), "graph: ") {
					t.Errorf("%s, prepared for %s on %s: %v", name, program, device, err)
				}
				if err := x.PrepareInput(context.Background(), Input{}); err == nil || !strings.HasSuffix(err.Error(), " needs a graph") {
					t.Errorf("none for %s on %s: %v", program, device, err)
				}
				_, err = x.Run(context.Background(), g, args)
				if err == nil || !strings.HasPrefix(err.Error(), "graph: ") {
					t.Errorf("%s, %s on %s: %v", name, program, device, err)
				}
				if err := x.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
