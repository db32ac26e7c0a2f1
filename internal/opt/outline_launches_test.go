package opt

import (
	"strings"
	"testing"

	"irgl/internal/lower"
)

// TestLaunchesLegal checks which loops can have a control kernel that launches kernels: those that call their
// kernels are refused for other reasons, too.
func TestLaunchesLegal(t *testing.T) {
	const kernels = `Graph graph { Node int a; }
int flag = 0, limit = 3;
int table[2];
int shared() { return limit; }
Kernel K(graph) { ForAll (n In graph.nodes) { n.a = flag; ReduceAndReturn(n.a > 1); } }
Kernel W(graph) { ForAll (i In WL) { WL.push(WL.pop(i)); ReduceAndReturn(true); } }
Kernel R(graph) { int x = 0; ForAll (i In WL) { Retry WL.pop(i); } }
Kernel E(graph) { ForAll (i In WL) { n = WL.pop(i); int own[1] = {n}; Exclusive (graph, 1, own) { n.a = 1; } Else { Retry n; } } }
Kernel __launch_bounds__(96) L(graph) { ForAll (n In graph.nodes) { n.a = 1; } }
`
	const yes = "outlined, by launches in device code"
	for _, tt := range []struct{ code, want string }{
		{"for (int i = 0; i < 2; flag++) { i++; Invoke L(graph); }", yes},
		{"Iterate R(graph) Initial [v];", yes},
		{"Iterate E(graph) Initial [v];", yes},
		{"Pipe Initial [v] { while (Any(Invoke W(graph))) { limit++; } }", yes},
		{"Pipe Initial [v] { bool x = Any(Invoke W(graph)) && !All(Invoke W(graph)); }", yes},
		{"while (limit < 3) { Invoke L(graph); Invoke K(graph); }", yes},
		{"while (flag < 3) { printf(\"x\"); Invoke L(graph); }", "printf is for the host"},
		{"while (limit < 3) { table[0]++; Invoke L(graph); }", "table is in the host's memory"},
		{"while (limit < 3) { limit += shared(); Invoke L(graph); }", "shared uses the graph or a variable"},
		{"while (limit < 3) { limit += (int)cos(1.0); Invoke L(graph); }", "the last digit may differ"},
		{"while (limit < 3) { int x = 1 + Any(Invoke K(graph)); limit += x; }", "K is invoked inside of an expression, and the control kernel ends there"},
		{"while (limit < 3) { bool x = limit > 1 ? Any(Invoke K(graph)) : true; }", "K is invoked inside of an expression"},
		{"while (limit < 3) { Invoke L(graph); again: if (limit > 7) goto again; }", "a jump may lead past a launch"},
	} {
		nodes, lowered, diags := explained(t, kernels+"Host h(node v) {\n"+tt.code+"\n}\n", lower.Options{Outline: lower.Outline{Auto: true, Launches: true}})
		if diags.Errors() > 0 {
			t.Errorf("%s: %v", tt.code, diags.Err())
			continue
		}
		var all strings.Builder
		for _, n := range nodes {
			all.WriteString(n.String())
		}
		if !strings.Contains(all.String(), tt.want) || strings.Contains(lowered, "irgl_control") != (tt.want == yes) || strings.Contains(lowered, "irgl_call_") {
			t.Errorf("%s: want %q:\n%s%s", tt.code, tt.want, all.String(), lowered)
		}
	}
}
