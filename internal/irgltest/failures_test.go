package irgltest

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// failures are programs that end with an error at run time, and what each engine
// says of it, with the place.
var failures = []struct{ name, text, want string }{
	{"exit", "Host main() { int s = 3;\n exit(s); }", "2:2: error: the program exited with status 3"},
	{"abort", "Host main() {\n abort(); }", "2:2: error: the program aborted"},
	{"assert", "Host main() { int s = 3;\n assert(s == 4); }", "2:2: error: assertion failed"},
	{"size", list + "Host main() { int s = -7;\n Iterate K(graph) Initial [0] Size (s); }", "error: the capacity of a worklist must be from 1 to 2147483647 items, not -7"},
	{"size0", list + "Host main() { long s = 0;\n Pipe Initial [0] Size (s) { Invoke K(graph); } }", "error: the capacity of a worklist must be from 1 to 2147483647 items, not 0"},
	{"large", list + "Host main() { long s = 4294967297;\n Pipe Initial [0] Size (s) { Invoke K(graph); } }", "error: the capacity of a worklist must be from 1 to 2147483647 items, not 4294967297"},
	{"unsigned", list + "Host main() { unsigned s = 4294967295;\n Pipe Initial [0] Size (s) { Invoke K(graph); } }", "error: the capacity of a worklist must be from 1 to 2147483647 items, not 4294967295"},
	{"step", list + "Host main() { int a[4] = {0, 1, 2, 3}; int s = 0;\n Iterate K(graph) Initial [a[0 : 4 : s]]; }", "step"},
	{"negative", list + "Host main() { int a[4] = {0, 1, 2, 3}; int s = -1;\n Iterate K(graph) Initial [a[3 : 0 : s]]; }", "step"},
}

const list = "Graph graph { Output Node int x; } Kernel K(graph) { ForAll (i In WL) { n = WL.pop(i); n.x = 1; } }\n"

// TestFailures: every engine ends these with the same error. Only the words around
// it are each engine's own.
func TestFailures(t *testing.T) {
	ctx, gs := context.Background(), mustGenerate(t, "path:6")
	same := func(engine, name string, want string, err error) {
		t.Helper()
		got := "no error"
		if err != nil {
			got = err.Error()
		}
		if at, text, ok := strings.Cut(want, "error: "); !ok && !strings.Contains(got, want) || ok && !(strings.Contains(got, at) && strings.Contains(got, text)) {
			t.Errorf("%s on %s: %s, want %s", name, engine, got, want)
		}
	}
	b := NewBatch(t.TempDir())
	for _, f := range failures {
		p, err := Load(f.name, f.text)
		if err != nil {
			t.Fatal(err)
		}
		in, err := p.Input(ctx, gs[0])
		if err != nil {
			t.Fatal(err)
		}
		same("interp", f.name, f.want, p.interpret(ctx, in, 0).Err)
		for _, v := range Variants[:2] {
			m, err := p.emulate(v)
			if err != nil {
				t.Fatal(err)
			}
			same(v.Name, f.name, f.want, m.run(ctx, in).Err)
			if err := m.close(); err != nil {
				t.Error(err)
			}
		}
		b.Add(p, gs, []Outcome{{Text: "an answer"}})
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no Go toolchain: generated Go is not compared")
	}
	found, err := b.Run(ctx, rtDir)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range b.Programs {
		if f := found[p]; f == nil || f.Kind != "error" {
			t.Errorf("%s in generated Go: %v, want %s", p.Name, f, failures[i].want)
		} else {
			text := failures[i].want // without the place, which a batch does not know
			if _, after, ok := strings.Cut(text, "error: "); ok {
				text = after
			}
			same("generated Go", p.Name, text, errors.New(f.Detail))
		}
	}
}
