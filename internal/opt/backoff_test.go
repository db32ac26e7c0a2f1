package opt

import (
	"strings"
	"testing"

	"irgl/internal/check"
	"irgl/internal/lower"
	"irgl/internal/source"
	"irgl/internal/tree"
	"irgl/syntax"
)

// TestBackoffLaunches checks the number of blocks of a kernel with several outermost
// ForAlls, of which some claim locks: there is a warp for each item that is claimed for,
// whichever loop comes last, and the device is filled where the loops are over different
// things.
func TestBackoffLaunches(t *testing.T) {
	const (
		plain  = "ForAll (i In WL) { n = WL.pop(i); atomicAdd(&n.b, 1); }\n"
		claims = "ForAll (j In WL) { n = WL.pop(j); int l[1]; l[0] = n; Exclusive (graph, 1, l) { n.a = 1; } }\n"
		nodes  = "ForAll (n In graph.nodes) { int l[1]; l[0] = n; Exclusive (graph, 1, l) { n.a = 1; } }\n"
	)
	for _, tt := range []struct {
		loops   string
		backoff string
		want    string
	}{
		{plain + claims, "", "irgl_blocks(irgl_wl->size, 8)"},
		{claims + plain, "backoff=4", "irgl_blocks(irgl_wl->size, 8)"},
		{claims + plain, "backoff=list", "irgl_blocks(irgl_wl->size, 256)"},
		{nodes + claims, "", "irgl_max_blocks"},
		{claims + plain + nodes, "", "irgl_max_blocks"},
		{claims + plain, "backoff=blocked-4", "irgl_blocks(irgl_wl->size, 1024)"},
		{nodes, "", "irgl_blocks(graph.nnodes, 256)"},
	} {
		text := "Graph graph { Node int a; Node int b; }\nKernel K(graph) {\n" + tt.loops + "}\nHost h(node v) { Pipe Once Initial [v] { Invoke K(graph); } }\n"
		var diags source.List
		o, err := lower.ParseOptions(tt.backoff)
		if err != nil {
			t.Fatal(err)
		}
		info := check.Check(syntax.Parse(source.NewFile("a.irgl", []byte(text)), syntax.IrGL, &diags), &diags)
		f, _, err := Run(info, &diags, Options{Lower: o, Tree: tree.Options{Verify: true}})
		if err != nil {
			t.Fatal(err)
		}
		if want := "int irgl_b = irgl_fewer(" + tt.want + ", irgl_resident("; !strings.Contains(own(f), want) {
			t.Errorf("%swith %q: no %s in\n%s", tt.loops, tt.backoff, want, own(f))
		}
	}
}
