package compile

import (
	"context"
	"errors"
	"testing"

	"irgl/internal/source"
	"irgl/internal/ssa"
	"irgl/syntax"
)

// TestContext: a compilation ends with its context, between stages and between the
// passes over a function.
func TestContext(t *testing.T) {
	const text = "Graph g { Output Node int a; }\nKernel K(g) { ForAll (n In g.nodes) { n.a = 1; } }\nHost m() { Invoke K(g); }\n"
	for _, last := range []string{"", "gvn", "ssagen"} {
		ctx, cancel := context.WithCancel(context.Background())
		o := Options{Context: ctx}
		passes := 0
		o.Opt.Before = func(pass string, _ *ssa.Module) {
			if passes++; pass == last {
				cancel()
			}
		}
		if last == "ssagen" {
			cancel()
		}
		u, err := Compile(source.NewFile("k.irgl", []byte(text)), syntax.IrGL, "", o)
		cancel()
		switch {
		case last == "" && (err != nil || u.PTX == nil):
			t.Errorf("error %v", err)
		case last != "" && (!errors.Is(err, context.Canceled) || u.PTX != nil):
			t.Errorf("cancelled at %s: error %v", last, err)
		case last == "ssagen" && u.SSA != nil:
			t.Error("stages ran after the context had ended")
		case last == "gvn" && passes > 14:
			t.Errorf("%d passes ran", passes)
		}
	}
}
