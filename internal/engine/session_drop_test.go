package engine

import (
	"context"
	"strings"
	"testing"

	"irgl/graph"
	"irgl/internal/device/simt"
)

// TestSessionDrop: a session gives up the memory of a graph, keeps that of others, and keeps code.
func TestSessionDrop(t *testing.T) {
	for _, prepare := range []string{"host", "device"} {
		t.Run(prepare, func(t *testing.T) { testSessionDrop(t, prepare) })
	}
}

func testSessionDrop(t *testing.T, prepare string) {
	ctx := context.Background()
	s := sessionOn(t, Options{Device: "simt", Prepare: prepare})
	// The bytes of graphs and properties on the device.
	held := func() (n int64) {
		for _, l := range s.dev.(*simt.Device).Live() {
			if strings.HasPrefix(l.Name, "graph") || strings.HasPrefix(l.Name, "property") {
				n += l.Size
			}
		}
		return n
	}
	var executables []*SessionExecutable
	for _, name := range []string{"bfs_do", "sssp", "cc_af", "mst"} {
		executables = append(executables, executableOf(t, s, bundledProgram(t, name)))
	}
	runAll := func(g *graph.Graph) {
		for _, x := range executables {
			args := Args{}
			if params := x.program.Params(); len(params) > 0 && params[0].Type == "node" {
				args[params[0].Name] = 1
			}
			r, err := x.RunOn(ctx, Input{Graph: g}, args)
			if err == nil {
				err = x.Verify(ctx, r)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	drop := func(g *graph.Graph) {
		for _, x := range executables {
			if err := x.Drop(g); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Drop(g); err != nil {
			t.Fatal(err)
		}
	}
	stays := generated(t, "grid:6:5:wmax=9")
	runAll(stays)
	alone, forms := held(), len(s.graphs)
	if alone == 0 {
		t.Fatal("nothing is on the device")
	}
	for range 3 {
		g := generated(t, "rmat:6:4:wmax=9")
		runAll(g)
		drop(g)
		if len(s.graphs) > forms {
			t.Errorf("%d forms are kept, and were %d", len(s.graphs), forms)
		}
		arrays := held()
		runAll(stays)
		if now := held(); now != alone || arrays >= alone || arrays == 0 {
			t.Fatalf("%d bytes with one graph, %d after another one was dropped, %d when the first ran again", alone, arrays, now)
		}
	}
	drop(stays)
	if n := held(); n != 0 {
		t.Errorf("%d bytes are left on the device", n)
	}
	runAll(generated(t, "path:9:wmax=9"))
}
