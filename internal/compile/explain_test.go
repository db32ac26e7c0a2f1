package compile_test

import (
	"strings"
	"testing"

	"irgl/internal/compile"
	"irgl/internal/lower"
	"irgl/internal/source"
	"irgl/syntax"
)

// TestExplainPasses: what passes over the lowered tree remark on a loop stands with
// what lowering made of it, and not where the pass is switched off.
func TestExplainPasses(t *testing.T) {
	const text = `Graph graph { Node int a; }
Kernel K(graph) { ForAll (i In WL) { n = WL.pop(i); n.a = 1; WL.push(n); } }
Host h(node v) {
	Pipe Initial [v] { Iterate K(graph); }
}
`
	explain := func(o compile.Options) string {
		t.Helper()
		o.Lower = lower.Options{Outline: lower.Outline{Auto: true}, Unroll: 4}
		u, err := compile.Compile(source.NewFile("a.irgl", []byte(text)), syntax.IrGL, "check", o)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := u.Explain(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	got := explain(compile.Options{})
	for _, want := range []string{
		"1: Pipe at 4:2: outlined, blocks of 512 threads\n     at 4:2: it is not unrolled: a loop in it has rounds of its own\n",
		"2: Iterate at 4:21: part of it; 4 rounds a pass\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	var off compile.Options
	off.Opt.Switch = map[string]bool{"pipe-unroll": false}
	if got := explain(off); strings.Contains(got, "rounds") {
		t.Errorf("the pass is off:\n%s", got)
	}
}

// TestExplainPops checks what is said of pops.
func TestExplainPops(t *testing.T) {
	const text = `Graph g { Node int a; }
Kernel K(g) { ForAll (i In WL) { n = WL.pop(i); n.a = n.degree; WL.push(n); } }
Kernel L(g) { ForAll (i In WL) { n = WL.pop(i / 2); n.a = 1; } }
Kernel M(g) { ForAll (i In WL) { n = WL.pop(i); ForAll (e In n.edges) { e.dst.a = 3; } CBlock "x();"; } }
Host main() { Pipe Initial [g.nodes(0)] { Invoke K(g); Invoke L(g); } Pipe Once Initial [g.nodes(1)] { Invoke M(g); } }
`
	for options, want := range map[string]string{
		"": "pop at 2:38: the item alone, can bring the bounds of its edges (--bounds)\n",
		"bounds=true": `pop at 2:38: with the bounds of its edges
pop at 3:38: the item alone
   at 3:38: it declares no variable of which edges are looked at and which never changes
pop at 4:38: the item alone
   at 4:38: the kernel has C text, which may change it
`,
		"outline=auto ahead=true": `pop at 2:38: the item alone, can bring the bounds of its edges (--bounds), the first beside the count of the list
pop at 3:38: the item alone
   at 3:38: its first item has not the number of its thread
pop at 4:38: the item alone
   at 4:38: the kernel is not in an outlined loop
`,
	} {
		o, err := lower.ParseOptions(options)
		if err != nil {
			t.Fatal(err)
		}
		u, err := compile.Compile(source.NewFile("a.irgl", []byte(text)), syntax.IrGL, "check", compile.Options{Lower: o})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := u.Explain(&b); err != nil {
			t.Fatal(err)
		}
		got, pop := "", false
		for line := range strings.Lines(b.String()) {
			if line = strings.TrimPrefix(line, "  "); !strings.HasPrefix(line, "   at") {
				pop = strings.HasPrefix(line, "pop")
			}
			if pop {
				got += line
			}
		}
		if got != want {
			t.Errorf("%s: got\n%s\nof\n%s", options, got, b.String())
		}
	}
}
