package analysis

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestScale analyses programs far larger than what people write: the time must
// stay in proportion.
func TestScale(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a second or two")
	}
	rep := func(n int, f func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(f(i))
		}
		return b.String()
	}
	same := func(s string) func(int) string { return func(int) string { return s } }
	kernel := func(body string) string {
		return "Graph graph { Node int a; }\nKernel K(graph, int p) { ForAll (n In graph.nodes) { " + body + " } }\nHost main() { Pipe Initial [1] { Invoke K(graph, 3); } }\n"
	}
	host := func(body string) string {
		return "Graph graph { Node int a; }\nint total;\nvoid f0() { total = 1; }\n" +
			rep(60, func(i int) string { return fmt.Sprintf("void f%d() { f%d(); f%d(); }\n", i+1, i, i) }) +
			"Kernel K(graph, int p) { ForAll (n In graph.nodes) { n.a = p; } }\nHost main(int x) { " + body + " }\n"
	}
	const depth = 100
	for name, text := range map[string]string{
		"pushes":  kernel(rep(1000, same("if (n.a) { WL.push(n); } "))),
		"loops":   kernel(rep(depth, same("while (n.a) { WL.push(n); ")) + strings.Repeat("} ", depth)),
		"breaks":  kernel("while (p) { " + rep(800, same("if (n.a) break; WL.push(n); ")) + "}"),
		"chain":   kernel(rep(depth, same("if (n.a) { WL.push(n); } else ")) + ";"),
		"inner":   kernel(rep(200, same("ForAll (e In n.edges) { if (e.dst.a) { WL.push(e.dst); } } "))),
		"locals":  kernel(rep(500, func(i int) string { return fmt.Sprintf("int v%d = n.a; if (v%d) { n.a = v%d; } ", i, i, i/2) })),
		"gotos":   kernel(rep(300, func(i int) string { return fmt.Sprintf("l%d: if (n.a) goto l%d; WL.push(n); ", i, i*7%300) })),
		"host":    host(rep(depth, same("while (x < 9) { Invoke K(graph, total); ")) + "f60();" + strings.Repeat("} ", depth)),
		"invokes": host("Pipe { " + rep(800, same("total += 1; Invoke K(graph, total); ")) + "}"),
	} {
		start := time.Now()
		Summary(parse(t, name+".irgl", []byte(text)))
		d := time.Since(start)
		t.Log(name, d)
		if d > 5*time.Second {
			t.Errorf("%s took %v", name, d)
		}
	}
}
