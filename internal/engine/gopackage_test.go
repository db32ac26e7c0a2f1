package engine

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"irgl/graph"
	"irgl/internal/gogen"
	"irgl/rt"
)

const generatedText = "Graph g { Output Node int a; }\nOutput int ran = 0;\nHost main() { ran = 1; }\n"

// TestParseGenerated: the device cpu runs the code that a program came with, and no
// other text does.
func TestParseGenerated(t *testing.T) {
	code := &rt.Program{Name: "main", Source: gogen.Hash([]byte(generatedText)), Graph: true, Main: func(r *rt.Run) {
		rt.OutputGlobal[int32](r, "ran", "int", rt.Int32, 2) // unlike the text
	}}
	p, err := ParseGenerated("main.irgl", []byte(generatedText), []*rt.Program{code})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	x, err := p.Compile(ctx, Options{Device: "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	g, err := graph.Generate(ctx, "path:3")
	if err != nil {
		t.Fatal(err)
	}
	r, err := x.Run(ctx, g, nil)
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := r.Values("ran"); !ok || len(v) != 1 || v[0] != 2 {
		t.Errorf("ran = %v, %t: the compiled-in code did not run", v, ok)
	}
	if kind, about := x.Device(); kind != "cpu" || about != "generated Go, compiled in" || len(x.Notes()) != 0 {
		t.Errorf("device %s (%s), notes %q", kind, about, x.Notes())
	}
	for _, code := range []*rt.Program{code, nil} {
		_, err = ParseGenerated("main.irgl", []byte(generatedText+"\n"), []*rt.Program{code})
		if want := "main.irgl: the Go code beside it was generated from another text (hint: run irgl gen again)"; err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// TestGoPackage: a package is the same every time, and contains the program's code.
func TestGoPackage(t *testing.T) {
	for _, name := range []string{"sssp_nf", "bfs", "dmr"} {
		p, err := Bundled(name)
		if err != nil {
			t.Fatal(err)
		}
		first, err := p.GoPackage("p")
		if err != nil {
			t.Fatal(err)
		}
		again, err := p.GoPackage("p")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first, again); diff != "" {
			t.Errorf("%s: -first +again:\n%s", name, diff)
		}
		for _, file := range []string{"p_cpu.go", "p_cpu_wide.go"} {
			if wide := strings.Contains(file, "wide"); wide && !p.wide().Distances {
				if first.Files[file] != nil {
					t.Errorf("%s has no distances, and %s", name, file)
				}
			} else if !bytes.Contains(first.Files[file], []byte(gogen.Hash(p.Source()))) {
				t.Errorf("%s: %s has no code", name, file)
			}
		}
	}
}
