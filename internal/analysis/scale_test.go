package analysis

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"irgl/internal/check"
	"irgl/syntax"
)

func rep(n int, f func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(f(i))
	}
	return b.String()
}

// same returns a function that returns s.
func same(s string) func(int) string { return func(int) string { return s } }

// kernel returns a program whose kernel has the body for each node n.
func kernel(body string) string {
	return "Graph graph { Node int a; }\nint total, sum[4];\nKernel K(graph, int p) { ForAll (n In graph.nodes) { " + body + " } }\nHost main() { Pipe Initial [1] { Invoke K(graph, 3); } }\n"
}

// TestSteps counts the steps over the graph that the analyses for cooperative
// conversion and batching take: an operation of a kernel with many takes no more
// than one of a kernel with few.
func TestSteps(t *testing.T) {
	small, large := 1000, 8000
	if testing.Short() {
		small, large = 250, 2000
	}
	for name, text := range map[string]func(n int) string{
		"pushes":    func(n int) string { return kernel(rep(n, same("WL.push(n);\n"))) },
		"divergent": func(n int) string { return kernel(rep(n, same("if (n.a) { WL.push(n); }\n"))) },
		"uniform":   func(n int) string { return kernel(rep(n, same("if (p) { WL.push(n); }\n"))) },
		"inner": func(n int) string {
			return kernel("ForAll (e In n.edges) {\n" + rep(n, same("if (e.dst.a) WL.push(e.dst);\n")) + "}")
		},
		"breaks": func(n int) string {
			return kernel("while (p) {\n" + rep(n, same("if (n.a) break; WL.push(n);\n")) + "}")
		},
		"loops":    func(n int) string { return kernel(rep(n, same("while (n.a) { WL.push(n); }\n"))) },
		"counts":   func(n int) string { return kernel(rep(n, same("for (int i = 0; i < 4; i++) { WL.push(n); }\n"))) },
		"counters": func(n int) string { return kernel(rep(n, same("if (n.a) atomicAdd(&total, 1);\n"))) },
		"elements": func(n int) string {
			return kernel(rep(n, func(i int) string { return fmt.Sprintf("atomicAdd(&sum[%d], 1);\n", i%4) }))
		},
		"loads": func(n int) string {
			return kernel("ForAll (e In n.edges) {\n" + rep(n, same("if (e.dst.a > p) atomicMin(&e.dst.a, p);\n")) + "}")
		},
	} {
		steps := func(n int) float64 {
			info := parse(t, name+".irgl", []byte(text(n)))
			f := New(info, info.Funcs[slices.IndexFunc(info.Funcs, func(fn *check.FuncInfo) bool { return fn.Decl.Kind == syntax.KernelFunc })])
			found := len(f.Sites()) + len(f.Counters()) + len(f.Batches())
			if found < n && name != "loads" {
				t.Errorf("%s: %d sites and counters of %d", name, found, n)
			}
			return float64(f.steps) / float64(n)
		}
		few, many := steps(small), steps(large)
		t.Logf("%s: %.1f steps for one of %d, %.1f for one of %d", name, few, small, many, large)
		if few == 0 || many > 2*few {
			t.Errorf("%s: %.1f steps for one of %d, %.1f for one of %d", name, few, small, many, large)
		}
	}
}

// TestScale analyses programs far larger than what people write: the time must
// stay in proportion.
func TestScale(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a second or two")
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
